"""Estimate every seat's chances by a value net, in a position or throughout whole games (``wsim.kernels.chances``).

The net does not know which policies play. So its chances are calibrated for the policies of a plan on separate games:
in each phase of the game, each policy of the line-up has a slope, which multiplies the logarithms of chances, and an
offset. They are fitted by maximum likelihood (multinomial logistic regression, Platt 1999) and shrunk slightly: slopes
towards those of tables of ``net``, offsets towards 0. For tables of ``net``, slopes fitted on many games are stored
(``analysis/value_slopes.py``), so chances are available immediately.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.game import find_game
from wsim.jit import addresses_of
from wsim.kernels.chances import COLLECT, FOLLOW, TRIAL
from wsim.kernels.commands import EVERYTHING
from wsim.policies.chances import OVERRULE
from wsim.positions.character import Followed, settling_of
from wsim.positions.values import PLAYOUT_SEED, WORLDS

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl
    from numpy.typing import NDArray

    from wsim.kernels.chances import Entries
    from wsim.lab.plan import Plan
    from wsim.policies.nets import LearnedNet


GAP = 3
"""About one stage in this many becomes a trial, which compares two moves."""
AHEAD = 6
"""Number of stages played after a move before the net estimates the chances: it judges the outcome of plans better than
their beginnings."""
CALIBRATING, CALIBRATION_GAMES = 1 << 40, 8192
"""The number of the first game used for calibration, and how many games are used."""
SLOPE_SD, OFFSET_SD, STEPS, SMALL = 0.2, 1.0, 8, 1e-9
_KNOWN: dict[Plan, Calibration] = {}  # for the latest plans; pages about a table reuse them
MOST_KNOWN = 32
CHANGING = {"ban", "randomise", OVERRULE}
"""Options of a plan that change the games of ``net``."""


@dataclass(frozen=True)
class ValueNet:
    """The value net of a game.

    Attributes
    ----------
    file: the path of the net.
    slopes: the path of the slopes that calibrate the net for games played by the built-in ``net``: one per phase, by
        rule set and number of players.
    entries: the location of its ``Entries``, as ``module:NAME``. stages: the maximum number of stages in a game.
    phases: the names of its phases, each with its first stage.
    """

    file: Path
    slopes: Path
    entries: str
    stages: int
    phases: Mapping[str, int]

    def known_slopes(self, plan: Plan) -> list[float] | None:
        """Return the stored slopes for tables of ``net``, by phase; None if this number of players has none."""
        known = json.loads(self.slopes.read_text(encoding="utf-8"))["slopes"]
        slopes: list[float] | None = known.get(plan.ruleset, {}).get(str(plan.players))
        return slopes

    def load(self) -> Entries:
        """Import and return the kernels."""
        module, _, name = self.entries.partition(":")
        entries: Entries = getattr(import_module(module), name)
        return entries


@dataclass(frozen=True, eq=False)
class Calibration:
    """A correction that calibrates the net's chances for the policies at the table.

    Attributes
    ----------
    begins: the first stage of each phase. slopes, offsets: shape (phases, policies of the line-up).
    """

    begins: NDArray[np.int64]
    slopes: NDArray[np.float64]
    offsets: NDArray[np.float64]

    def __call__(self, chances: NDArray[Any], stages: NDArray[Any], policies: NDArray[Any]) -> NDArray[np.float64]:
        """Return corrected chances, shape (..., players).

        ``stages``: shape (...,). ``policies``: the number of each player's policy, same shape as ``chances``.
        """
        phase = np.maximum(np.searchsorted(self.begins, stages, side="right") - 1, 0)
        which, odds = (phase[..., None], policies), np.log(np.maximum(chances, SMALL))
        return _softmax((odds - odds.mean(axis=-1, keepdims=True)) * self.slopes[which] + self.offsets[which])


def _softmax(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(odds - odds.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def fit_calibration(
    followed: Followed, shares: NDArray[np.float64], policies: NDArray[np.int64], begins: Sequence[int],
    slopes: Sequence[float],
) -> Calibration:  # fmt: skip
    """Return the correction that fits some games best.

    Parameters
    ----------
    followed: games with uncorrected chances. shares: the shares of the victory, shape (games, players).
    policies: the number of the policy in each seat, same shape. begins: the first stage of each phase.
    slopes: for each phase, the slope towards which the fitted slopes are shrunk.
    """
    first, count = np.array(begins), int(policies.max()) + 1
    played, phase = followed.stages >= 0, np.searchsorted(first, followed.stages, side="right") - 1
    priors = [np.concatenate([np.full(count, slope), np.zeros(count)]) for slope in slopes]
    certainty = np.repeat([SLOPE_SD**-2, OFFSET_SD**-2], count)
    fitted = np.array(priors)
    for number, (best, prior) in enumerate(zip(fitted, priors, strict=True)):
        game, stage = np.nonzero(played & (phase == number))
        odds = np.log(np.maximum(followed.chances[game, stage], SMALL))
        odds -= odds.mean(axis=1, keepdims=True)
        one_hot = np.eye(count)[policies[game]]
        inputs = np.concatenate([one_hot * odds[:, :, None], one_hot], axis=2)
        weight = 1.0 / np.bincount(game, minlength=len(shares))[game]  # a game counts once
        for _ in range(STEPS):
            chance = _softmax(inputs @ best)
            mean = np.einsum("gs,gsk->gk", chance, inputs)
            slope = np.einsum("g,gs,gsk->k", weight, chance - shares[game], inputs) + certainty * (best - prior)
            curve = np.einsum("g,gs,gsk,gsl->kl", weight, chance, inputs, inputs, optimize=True)
            curve += np.diag(certainty) - np.einsum("g,gk,gl->kl", weight, mean, mean, optimize=True)
            best -= np.linalg.solve(curve, slope)
    return Calibration(first, fitted[:, :count], fitted[:, count:])


class Follower:
    """The value net applied to games of a simulator; ``net`` replaces the game's own net."""

    def __init__(self, simulator: Any, values: ValueNet, net: LearnedNet | None = None) -> None:
        self._lock = threading.Lock()
        self._calibration: Calibration | None = None
        self._simulator, self._values, self._entries = simulator, values, values.load()
        game: Any = find_game(simulator.plan.game)
        net = net or game.POLICIES.interface().nets.read(str(values.file))
        policies = ["net"] * simulator.plan.players
        line_ups: list[Any] = [simulator.with_line_up(policies) for _ in range(2)]
        self._ranking, self._valuing = (line_up.seating for line_up in line_ups)
        self._valuing["settings"]["net"][0] = net.record(simulator.rules)
        self._addresses, self._local = addresses_of(simulator.line_up.entry_points), threading.local()

    @property
    def about(self) -> str:
        """The method of estimating chances, as a sentence without a full stop."""
        how = f"calibrated with these policies on {CALIBRATION_GAMES:,} other games"
        if self._simulator.line_up.pooled:
            how = "not calibrated because a policy searches"
        elif self._stored is not None:
            how = "calibrated for tables of net"
        return f"Chances: the value net of the game, {how}"

    @property
    def _stored(self) -> Calibration | None:
        """The stored correction, if only the shipped ``net`` plays and the rules are as printed; otherwise None."""
        plan, slopes = self._simulator.plan, self._values.known_slopes(self._simulator.plan)
        changed = plan.cards is not None or plan.patch or plan.set or CHANGING & plan.options.keys()
        if slopes is None or changed or set(plan.policies) != {"net"}:
            return None
        return Calibration(self._begins, np.array(slopes)[:, None], np.zeros((len(slopes), 1)))

    @property
    def _begins(self) -> NDArray[np.int64]:
        return np.array(list(self._values.phases.values()))

    @property
    def phases(self) -> Mapping[str, int]:
        """The game's phases by name, each with its first stage."""
        return self._values.phases

    @property
    def settling(self) -> tuple[str, ...]:
        """The column names of the array that ``wsim.positions.character.settled`` returns."""
        return settling_of(list(self.phases))

    def frame(self, followed: Followed) -> pl.DataFrame:
        """Return the seats table of the followed games."""
        frame: pl.DataFrame = self._simulator.base_frame(followed.rows)
        return frame

    @property
    def calibration(self) -> Calibration:
        """The correction for the plan's policies, fitted on games that they play; if one of them searches, nothing is
        fitted.
        """
        simulator, begins = self._simulator, self._begins
        with self._lock:
            if self._calibration is None:
                count = len(set(simulator.labels))
                slopes = self._values.known_slopes(simulator.plan) or [1.0] * len(begins)
                if simulator.line_up.pooled:
                    none = np.tile(np.array(slopes)[:, None], count), np.zeros((len(begins), count))
                    self._calibration = Calibration(begins, *none)
                elif (stored := self._stored) is not None:
                    self._calibration = stored
                elif (key := simulator.plan.replace(games=1)) in _KNOWN:
                    self._calibration = _KNOWN[key]
                else:
                    raw = self.follow_raw(CALIBRATING, CALIBRATION_GAMES, gap=1 << 40)
                    self._calibration = fit_calibration(raw, *self.results(raw.rows), list(begins), slopes)
                    while len(_KNOWN) >= MOST_KNOWN:
                        del _KNOWN[next(iter(_KNOWN))]
                    _KNOWN[key] = self._calibration
        return self._calibration

    def results(self, rows: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the seats' shares of the victory and the numbers of their policies, each of shape (games, players)."""
        frame, players = self._simulator.base_frame(rows), self._simulator.plan.players
        shape = (-1, self._simulator.seats)
        shares = frame["win_share"].to_numpy().astype(np.float64).reshape(shape)[:, :players]
        return shares, frame["policy"].to_physical().to_numpy().astype(np.int64).reshape(shape)[:, :players]

    def chances(self, position: Any, seat: int | None = None, seed: int = 0, first: int = 0) -> NDArray[np.float64]:
        """Return the chance of each player in a position, shape (players,).

        Without ``seat``, they are the chances for an observer who sees all hands; with ``seat``, everything hidden from
        it is resampled (``compare``).
        """
        draws = 1 if seat is None else WORLDS
        return np.asarray(self.compare(position, (), draws, seat, seed, first)[:, 0].mean(axis=0))

    def compare(
        self, position: Any, moves: Sequence[int], draws: int, seat: int | None, seed: int, first: int,
        ahead: int = AHEAD,
    ) -> NDArray[np.float64]:  # fmt: skip
        """Return the chances of all players some stages after each move, shape (draws, moves, players).

        The line-up, whose seats are fixed, makes all further moves. Each draw resamples everything hidden from ``seat``
        and uses the random streams of one game (numbered from ``first``), the same for all moves. Without moves, the
        chances are those in the position itself.
        """
        simulator, players = self._simulator, self._simulator.plan.players
        machine, result = simulator.machine, np.zeros((draws, max(len(moves), 1), players + 1))
        game, words = machine.workspace()
        state = np.concatenate([position.words, position.words])  # the second half is scratch space
        watcher, which = EVERYTHING if seat is None else seat, np.array(moves, np.int16)
        with np.errstate(over="ignore"), simulator.line_up.answering(game.answer):
            failed = self._entries.compare(
                *(game, words, state, machine.rules, machine.seating, machine.addresses, self._valuing.settings[0]),
                *(first, watcher, seed & PLAYOUT_SEED, ahead, which, result),
            )
        if failed:
            simulator.line_up.raise_wrong(game.answer)
        chances, stages = result[:, :, :players], result[:, :, players].astype(np.int64)
        over = (chances == 0).any(axis=2)  # the game ended, with this result
        labels = list(dict.fromkeys(simulator.labels))
        who = np.array([labels.index(simulator.labels[seat % len(simulator.labels)]) for seat in range(players)])
        calibrated = self.calibration(chances, stages, np.broadcast_to(who, chances.shape))
        return np.where(over[..., None], chances, calibrated)

    def follow(self, first: int, games: int, gap: int = GAP) -> Followed:
        """Play games numbered from ``first`` and estimate chances; about one stage in ``gap`` becomes a trial."""
        raw, calibrate = self.follow_raw(first, games, gap), self.calibration
        policies = self.results(raw.rows)[1]
        chances = calibrate(raw.chances, raw.stages, policies[:, None, :])
        who = policies[raw.trials[:, 0]][:, None, :]
        tried = calibrate(raw.tried, raw.trials[:, [1, 1]] + 1, who)
        over = (raw.tried == 0).any(axis=2)  # the game ended, with this result
        tried[over] = raw.tried[over]
        return replace(raw, chances=chances, tried=tried)

    def follow_raw(self, first: int, games: int, gap: int) -> Followed:
        """Play games like ``follow``, but return the net's chances without calibration."""
        simulator, room, players = self._simulator, self._values.stages, self._simulator.plan.players
        rows = np.zeros(games * simulator.seats, simulator.base_dtype)
        stages, chances = np.full((games, room), -1, np.int16), np.zeros((games, room, players), np.float32)
        trials = np.zeros((games * room, 2, TRIAL + players), np.float32)
        count = self._run(FOLLOW, first, gap, rows, stages, chances, trials)
        trials = trials[:count]
        return Followed(rows, stages, chances, trials[:, 0, :TRIAL].astype(np.int64), trials[:, :, TRIAL:])

    def collect(self, first: int, games: int, gap: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Play games and return the net's inputs at about one stage in ``gap``: states and standings.

        Both have shape (positions, players); ``worth`` of a standing is the seat's share of the victory.
        """
        simulator, players, entries = self._simulator, self._simulator.plan.players, self._entries
        rows = np.zeros(games * simulator.seats, simulator.base_dtype)
        room = games * self._values.stages * players // max(gap // 2, 1)
        states, standings = np.zeros(room, entries.state), np.zeros(room, entries.move)
        for name in {"role", "card"} & set(entries.move.names or ()):
            standings[name] = -1
        stages, none = np.full((games, self._values.stages), -1, np.int16), np.zeros((0, 0, 0), np.float32)
        count = self._run(COLLECT, first, gap, rows, stages, none, none, states, standings)
        return states[:count].reshape(-1, players), standings[:count].reshape(-1, players)

    def _run(
        self, task: int, first: int, gap: int, rows: NDArray[Any], stages: NDArray[Any], chances: NDArray[Any],
        trials: NDArray[Any], states: NDArray[Any] | None = None, standings: NDArray[Any] | None = None,
    ) -> int:  # fmt: skip
        simulator, entries = self._simulator, self._entries
        if not hasattr(self._local, "game"):
            whole = np.zeros(1, simulator.machine.game)
            saved = np.zeros(2 * simulator.machine.state.itemsize // 8, np.uint64)
            self._local.game = whole.view(np.recarray)[0], whole.view(np.uint64).reshape(-1), saved
        game, words, saved = self._local.game
        states = np.zeros(0, entries.state) if states is None else states
        standings = np.zeros(0, entries.move) if standings is None else standings
        with np.errstate(over="ignore"), simulator.line_up.answering(game.answer, numbered=True):
            count = int(
                entries.follow(
                    *(game, words, saved, simulator.rules, simulator.seating, self._addresses),
                    *(self._ranking.settings[0], self._valuing.settings[0], task, first, gap, rows.view(np.recarray)),
                    *(stages, chances, trials, states.view(np.recarray), standings.view(np.recarray)),
                )
            )
        if count < 0:
            simulator.line_up.raise_wrong(game.answer, numbered=True)
        return count
