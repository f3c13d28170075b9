"""What taking a card causes, from picks that were randomised with a known probability.

A seat whose picks are randomised makes a uniformly drawn legal move instead of some of them, so every legal move has a
known chance of being picked, and the rows of the picks table carry that of the move that was. Weighting each row by the
inverse of it turns the picks that happened into the picks of an experiment (Horvitz and Thompson 1952), weights
normalised to sum to 1 (Hajek 1971).

A policy that explores by its own ``explore`` is not asked where it does so, so nobody knows what it wanted: its picks
are uniform ones, and count as such; what it picked otherwise had no other chance, and counts only where the plan
randomises it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.lab.store import Run
from wsim.policies.registry import explores
from wsim.stats.analysis import Analysis, Option
from wsim.stats.columns import pick_columns
from wsim.stats.games import Floats, Frame, GameBatch, batches, require
from wsim.stats.intervals import check_level, nulls
from wsim.stats.moments import Moments
from wsim.stats.shared import OUTCOME
from wsim.stats.tables import Table
from wsim.wonders.analysis.card_picks import card_names, offered_codes

_BATCH = 65_536
_ROUNDED = 1e-5  # relative error of a probability stored as float32
_LEAST = 1e-9  # a uniform pick among all moves is likelier by far
_CERTAIN = 1 - 1e-6  # a probability, stored as float32, above which nothing was randomised
_NOTE = (
    "Causal: picks were randomised with known probability. Estimand: over the turns on which an exploring seat could "
    "{action} the card, its mean {outcome} if it does so (a way to pay drawn uniformly) less its mean {outcome} if it "
    "{instead}, everybody playing on as in this run."
)
_INSTEAD = {"others": "makes a uniformly drawn other legal move", "policy": "follows its policy"}


def pick_effects(
    picks: Frame,
    seats: Frame,
    action: str = "take",
    *,
    outcome: str = "total",
    against: str = "others",
    level: float = 0.95,
) -> Table:
    """Return the effect on a seat's outcome of doing something with each card.

    Estimand, in one sentence: over the turns on which an exploring seat could do ``action`` with the card, the mean
    outcome of that seat if it does so (a way to pay drawn uniformly) less its mean outcome if it makes a uniformly
    drawn other legal move (``against="others"``) or follows its policy (``against="policy"``), all seats playing on
    as they do in this run.

    Parameters
    ----------
    picks: the picks table of a run with randomised picks; filter it to look at one age, say. It needs the lists
        ``offered`` (cards in hand) and, but for ``sell``, ``ways`` (the number of legal ways to build each of them).
    seats: the seats table of the same run.
    action: ``build``, ``stage`` (bury it under a stage), ``sell`` (deny it to the others), or ``take``: any of these.
    outcome: a numeric column of the seats table.
    against: what the card is compared with. A card that its policy always takes has no effect against ``policy``.

    Columns: card, picks (with this action), effective (the number of equally weighted picks worth as much), drawn
    (picks that the policy did not want: of those with this action, or of the others, whichever are fewer; with few the
    interval is too short, however large ``effective`` is), taken and otherwise (mean outcomes), effect with _low and
    _high (clustered by game), p, q (Benjamini-Hochberg), largest first.

    Raises UserError if no pick was randomised, or none was left to the policy that picks are compared with.
    """
    check_level(level)
    experiment = find_game("seven_wonders").PICKS
    assert experiment is not None
    _check(action, experiment.actions, "action")
    _check(against, tuple(_INSTEAD), "comparison")
    frame = _with_outcome(picks.lazy(), seats.lazy(), action, outcome)
    if frame.select("game").head(1).collect(engine="streaming").is_empty() and _has_rows(picks):
        raise UserError(
            "no pick of this run was randomised, so that nothing can be said of what picks cause: play with "
            "--randomise 0.1 --picks"
        )
    if against == "policy" and _nobody_followed(frame):
        raise UserError(
            "every pick that counts was drawn, so that what the policies wanted is not known: compare with others, or "
            "play with --randomise 0.1 --picks"
        )
    names = card_names(frame)
    if not frame.select(pl.col("probability").is_between(_LEAST, 1.0).all()).collect(engine="streaming").item():
        raise UserError("the picks table has probabilities that no pick has")
    sums = _Sums(len(names))
    for batch in batches(frame, [*_columns(action), outcome], rows=_BATCH):
        sums.add(batch, _rows(batch, action, against), batch.column(outcome))
    table = sums.frame(names, against, level).sort("effect", "card", descending=[True, False], nulls_last=True)
    note = _NOTE.format(action=action, outcome=outcome, instead=_INSTEAD[against])
    return Table(table, f"Effect of the action {action!r} on {outcome}", note, pick_columns(outcome), labels=("card",))


class _Sums:
    """Sums over turns by card, of those who did it and of those whom they are compared with."""

    def __init__(self, cards: int) -> None:
        self._cards = cards
        self._moments = Moments(cards, 4)
        self._weights = np.zeros((3, cards))  # of what was done: sums of their powers 0, 1 and 2
        self._drawn = np.zeros((2, cards), np.int64)

    def add(self, batch: GameBatch, rows: _Rows, outcome: Floats) -> None:
        """Add the turns of some games."""
        self._moments.add(*_features(batch, rows, outcome, self._cards))
        for power in range(3):
            self._weights[power] += np.bincount(rows.card[rows.done], rows.weight[rows.done] ** power, self._cards)
        for arm, taken in enumerate((rows.done, rows.otherwise > 0)):
            self._drawn[arm] += np.bincount(rows.card[taken & rows.drawn], minlength=self._cards)

    def frame(self, names: Sequence[str], against: str, level: float) -> pl.DataFrame:
        """Return the row of every card, see ``pick_effects``."""
        effect = self._moments.difference((1, 0), (3, 2), level)
        with np.errstate(divide="ignore", invalid="ignore"):
            effective = self._weights[1] ** 2 / self._weights[2]
        return pl.DataFrame(
            {
                "card": names,
                "picks": self._weights[0].astype(np.int64),
                "effective": nulls(effective),
                "drawn": self._drawn[0] if against == "policy" else self._drawn.min(axis=0),
                "taken": nulls(self._moments.ratio(1, 0).value),
                "otherwise": nulls(self._moments.ratio(3, 2).value),
                **effect.columns("effect"),
                "p": nulls(effect.p_value()),
                "q": nulls(effect.q_value()),
            }
        )


def _nobody_followed(frame: pl.LazyFrame) -> bool:
    """Say whether there are randomised turns, and on none of them a policy had its way."""
    values = frame.select("randomised").unique().collect(engine="streaming")["randomised"]
    return len(values) > 0 and bool(values.all())


def _has_rows(picks: Frame) -> bool:
    return not picks.lazy().select("game").head(1).collect(engine="streaming").is_empty()


def _check(value: str, accepted: Collection[str], what: str) -> None:
    if value not in accepted:
        raise UserError(f"unknown {what} {value!r}{nearest(value, accepted)}: it is one of {', '.join(accepted)}")


def _columns(action: str) -> list[str]:
    needed = ["seat", "legal", "card", "action", "probability", "randomised", "offered"]
    return needed if action == "sell" else [*needed, "ways"]


def _with_outcome(picks: pl.LazyFrame, seats: pl.LazyFrame, action: str, outcome: str) -> pl.LazyFrame:
    """Return the turns of seats whose picks are randomised, with the outcome of the seat."""
    require(picks, ["game", "decision", *_columns(action)])
    require(seats, ["game", "seat", outcome])
    randomised = (pl.col("probability") < _CERTAIN) & (pl.col("legal") > 1)
    turns = picks.filter(pl.col("decision").cast(pl.String).is_in(["turn", "last_card"]) & randomised)
    return turns.join(seats.select("game", "seat", outcome), on=["game", "seat"], how="inner", maintain_order="left")


@dataclass(frozen=True)
class _Rows:
    """One entry per turn and card in hand with which the action was possible and not forced.

    Attributes
    ----------
    turn: the row of the turn.
    card: the number of the card.
    done: whether the action was done with this card.
    weight: the inverse probability if it was done, else 0.
    otherwise: the inverse probability if the pick is one that the card is compared with, else 0.
    drawn: whether the pick was drawn, and the policy wanted another one.
    """

    turn: NDArray[np.int64]
    card: NDArray[np.int64]
    done: NDArray[np.bool_]
    weight: Floats
    otherwise: Floats
    drawn: NDArray[np.bool_]


def _rows(batch: GameBatch, action: str, against: str) -> _Rows:
    frame = batch.frame
    turn, card = offered_codes(frame)
    legal, probability = batch.column("legal"), batch.column("probability")
    moves = _moves(frame, turn, legal, action)
    possible = (moves > 0) & (moves < legal[turn])
    turn, card, moves = turn[possible], card[possible], moves[possible]
    picked = frame["card"].to_physical().cast(pl.Int64).fill_null(-1).to_numpy()[turn]
    did = np.ones(frame.height, bool) if action == "take" else (frame["action"].cast(pl.String) == action).to_numpy()
    done = (picked == card) & did[turn]
    chance = probability[turn]
    if against == "others":
        otherwise = np.where(done, 0.0, 1 / ((legal[turn] - moves) * chance))
    else:
        # a pick that was not replaced is what the policy wanted: its probability tells the chance of a replacement
        replaced = (1 - probability) * legal / (legal - 1)
        values = ~frame["randomised"].to_numpy()
        otherwise = np.where(values, 1 / np.where(values, 1 - replaced, 1.0), 0.0)[turn]
    drawn = (probability <= (1 + _ROUNDED) / legal)[turn]  # what the policy wants has a larger chance
    return _Rows(turn, card, done, np.where(done, 1 / (moves * chance), 0.0), otherwise, drawn)


def _moves(frame: pl.DataFrame, turn: NDArray[np.int64], legal: Floats, action: str) -> Floats:
    """Return the number of legal moves that do the action with each card in hand.

    The moves of a hand are, for each distinct card: the ways to build it, the ways to pay for the stage (the same for
    all cards), one sale (R50).
    """
    if action == "sell":
        return np.ones(len(turn))
    lists = frame["ways"]
    held = lists.list.len()
    builds = lists.filter(held > 0).explode().cast(pl.Float64).to_numpy()
    if len(builds) != len(turn):
        raise UserError("the lists 'ways' and 'offered' of the picks table differ in length")
    if action == "build":
        return builds
    total = np.bincount(turn, builds, frame.height)
    cards = np.maximum(np.bincount(turn, minlength=frame.height), 1)
    stages = np.rint((legal - total) / cards - 1)[turn]
    return stages if action == "stage" else builds + stages + 1


def _features(batch: GameBatch, rows: _Rows, outcome: Floats, cards: int) -> list[Floats]:
    """Return per-game sums by card: weights and weighted outcomes of those who did it, then of the others."""
    features: list[Floats] = []
    game = batch.game_of_row[rows.turn]
    for weights in (rows.weight, rows.otherwise):
        used = weights > 0
        cells = rows.card[used] * batch.games + game[used]
        for values in (weights[used], (weights * outcome[rows.turn])[used]):
            sums = np.bincount(cells, values, cards * batch.games).astype(np.float64)
            features.append(sums.reshape(cards, batch.games))
    return features


def _effects(run: Run, *, action: str = "build", outcome: str = "total", level: float = 0.95) -> Table:
    if not _is_randomised(run.plan):
        raise UserError(
            f"the picks of the run {str(run.path)!r} were not randomised, so that nothing can be said of what they "
            "cause: play it with --randomise 0.1 --picks, or ask wsim experiment picks"
        )
    return pick_effects(run.picks, run.seats, action, outcome=outcome, level=level)


def _is_randomised(plan: Plan) -> bool:
    """Say whether picks of a run are kept, some of them uniform ones."""
    return plan.picks and bool(plan.options.get("randomise") or any(map(explores, plan.line_up)))


EFFECTS = Analysis(
    _effects,
    "what building (selling, ...) each card causes (runs with --randomise 0.1 --picks)",
    columns=("card", "effect", "p", "q", "drawn", "effective", "picks"),
    first=("effect", "q", "drawn", "effective"),
    options={"action": Option("build, stage (bury), sell or take"), **OUTCOME},
    fits=_is_randomised,
)
