"""The character of games: decisiveness, drama and similar measures, from the chances of every seat throughout a game.

Each figure has one value per game; the estimate is its mean over games. ``C[t, s]`` is the chance of seat s when stage
t begins. A stage is a turn (in Tower of Babel, the turn of one seat). A figure of the winner is computed for every seat
and averaged with the seats' shares of the victory as weights, so only winners count. Definitions follow Browne
(Automatic Generation and Evaluation of Recombination Games, 2008, section 4) and Ludii's concepts (Piette, Stephenson,
Soemers, Browne 2021), with calibrated chances instead of an evaluation function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.document import NUMBER, SHARE, Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray


PREFIX = "character:"
"""Prefix of the figures' column names in the seats table."""
GOOD = 0.02
"""A move is good if it costs at most this much win share compared with the best move."""


@dataclass(frozen=True)
class Figure:
    """A figure: its name, the kind and unit of its values, and a description."""

    name: str
    kind: Kind
    unit: str
    about: str


FIGURES: tuple[Figure, ...] = (
    Figure("half_at", SHARE, "of the game", "when the winner's chance is at least one half for good"),
    Figure("safe_at", SHARE, "of the game", "when the winner's chance is at least .8 for good"),
    Figure("drama", SHARE, "of wins", "how far the winner is behind the leader, mean over turns (0 while leading)"),
    Figure("deepest", SHARE, "of wins", "how far the winner is behind the leader at worst"),
    Figure("below_fair", SHARE, "of wins", "how far the winner's chance is below the fair share, mean over turns"),
    Figure("behind", SHARE, "of turns", "turns on which the winner does not lead"),
    Figure("lead_changes", NUMBER, "", "how often another seat comes to lead"),
    Figure("stakes", SHARE, "of wins", "what the best move gains a seat over the second best"),
    Figure("two_good", SHARE, "of turns", f"turns on which the second best move costs no more than {GOOD:g}"),
    Figure("interaction", SHARE, "of wins", "how far that choice changes another seat's chance"),
    Figure("targeted", SHARE, "of wins", "interaction beyond an equal share of the chooser's gain"),
)
"""All figures; each is a mean over games."""
COUNT = len(FIGURES)


@dataclass(frozen=True, eq=False)
class Followed:
    """Games with every seat's chances at each stage.

    Attributes
    ----------
    rows: the rows of all seats, as ``Simulator.play`` writes them.
    stages: the number of each stage, -1 beyond the end, shape (games, stages).
    chances: the chances of each seat when a stage begins, shape (games, stages, seats).
    trials: the stages at which two moves of a seat were compared: index of the game, stage, seat; shape (trials, 3).
    tried: the chances of all seats after the best and after the second-best move of that seat (as ranked by the
        policy's net), everything else being equal; shape (trials, 2, seats).
    """

    rows: NDArray[Any]
    stages: NDArray[np.int16]
    chances: NDArray[Any]
    trials: NDArray[np.int64]
    tried: NDArray[Any]


def figures_of(followed: Followed, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the figures of each game, shape (games, FIGURES); NaN if undefined, as in a game without trials.

    ``shares``: the seats' shares of the victory, shape (games, players).
    """
    chances, played = followed.chances.astype(np.float64), followed.stages >= 0
    games, room, players = chances.shape
    length, stage = played.sum(axis=1), np.arange(1, room + 1)
    winner = shares / shares.sum(axis=1, keepdims=True)
    leading = np.where(played[:, :, None], chances, -1.0)
    deficit = np.where(played[:, :, None], chances.max(axis=2, keepdims=True) - chances, 0.0)
    below = np.where(played[:, :, None], np.maximum(1 / players - chances, 0), 0.0)

    def safe(least: float) -> NDArray[np.float64]:
        """Return for each seat the fraction of the game after which its chance never falls below ``least``."""
        under = played[:, :, None] & (chances < least)
        return np.asarray((under * stage[None, :, None]).max(axis=1) / length[:, None])

    def of_winner(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((values * winner).sum(axis=1))

    leader = leading.argmax(axis=2)
    changes = ((leader[:, 1:] != leader[:, :-1]) & played[:, 1:]).sum(axis=1)
    return np.stack(
        [
            of_winner(safe(0.5)), of_winner(safe(0.8)),
            of_winner(deficit.sum(axis=1) / length[:, None]), of_winner(deficit.max(axis=1)),
            of_winner(below.sum(axis=1) / length[:, None]), of_winner((deficit > 0).sum(axis=1) / length[:, None]),
            changes.astype(np.float64), *_trial_figures(followed, games, players),
        ],
        axis=1,
    )  # fmt: skip


def _trial_figures(followed: Followed, games: int, players: int) -> list[NDArray[np.float64]]:
    """Return the figures that are means over a game's trials: stakes, two_good, interaction, targeted."""
    game, seat = followed.trials[:, 0], followed.trials[:, 2]
    change = (followed.tried[:, 0] - followed.tried[:, 1]).astype(np.float64)
    rows = np.arange(len(game))
    own = change[rows, seat]
    beyond = np.abs(change + own[:, None] / (players - 1))
    others = np.abs(change)
    others[rows, seat] = beyond[rows, seat] = 0
    values = own, own <= GOOD, others.sum(axis=1) / (players - 1), beyond.sum(axis=1) / (players - 1)
    count = np.bincount(game, minlength=games)
    with np.errstate(invalid="ignore"):
        return [np.bincount(game, weights=value, minlength=games) / count for value in values]


def settling_of(phases: Sequence[str]) -> tuple[str, ...]:
    """Return the column names of the array that ``settled`` returns: the deal, then each phase."""
    return "the deal and the first hands", *phases


def settled(followed: Followed, shares: NDArray[np.float64], phases: Mapping[str, int]) -> NDArray[np.float64]:
    """Return the decrease in squared error of the chances (mean over seats) in each phase, shape (games, columns).

    The first column is the decrease from even chances to the chances when the game begins. Each further column is the
    decrease during one phase, up to the first stage of the next. The final error is 0, so the columns
    (``settling_of``) add up to the squared deviation of the result from even chances.
    ``phases``: the first stage of each phase, by name.
    """
    chances, stages, begins = followed.chances, followed.stages, list(phases.values())
    errors = [((1 / shares.shape[1] - shares) ** 2).mean(axis=1)]
    later = np.zeros(len(shares))
    for first in reversed(begins):
        played = stages >= first
        index = played.argmax(axis=1)
        error = ((chances[np.arange(len(shares)), index] - shares) ** 2).mean(axis=1)
        later = np.where(played.any(axis=1), error, later)
        errors.insert(1, later)
    errors.append(np.zeros(len(shares)))
    return -np.diff(np.stack(errors, axis=1), axis=1)
