"""Estimate the causal effect of taking a card from picks that were randomised with known probabilities.

Randomisation replaces some picks of a seat by a uniformly drawn legal move, so every legal move has a known
probability, and the picks table records the probability of the move that was made. Weighting rows by the inverse
probability yields an experiment (Horvitz and Thompson 1952), with weights normalised to sum to 1 (Hajek 1971).

When a policy explores because of its own parameter ``explore``, it is not called, so its preferred move is unknown and
the pick counts as uniform. Its other picks had no alternative and only count if the plan randomises them.
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
from wsim.stats.fewest import ENOUGH
from wsim.stats.games import Floats, Frame, GameBatch, batches, require
from wsim.stats.intervals import benjamini_hochberg, check_level, nulls
from wsim.stats.moments import Moments
from wsim.stats.shared import OUTCOME
from wsim.stats.tables import Table
from wsim.wonders.analysis.card_picks import card_names, offered_codes

_BATCH = 65_536
_ROUNDED = 1e-5  # relative error of a probability stored as float32
_MIN_PROBABILITY = 1e-9  # far below that of a uniform pick among all moves
_CERTAIN = 1 - 1e-6  # a probability, stored as float32, above which nothing was randomised
_NOTE = (
    "Causal: picks were randomised with known probability. Estimand: over the turns on which an exploring seat could "
    "{action} the card, its mean {outcome} if it does so (with a uniformly drawn payment) minus its mean {outcome} if "
    "it {instead}, with all seats continuing as in this run."
)
_INSTEAD = {"others": "makes a different, uniformly drawn legal move", "policy": "follows its policy"}


def pick_effects(
    picks: Frame,
    seats: Frame,
    action: str = "take",
    *,
    outcome: str = "total",
    against: str = "others",
    level: float = 0.95,
) -> Table:
    """Return, for each card, the causal effect of an action with that card on the outcome of the seat.

    Estimand: over the turns on which an exploring seat could do ``action`` with the card, the mean outcome of that seat
    if it does so (with a uniformly drawn payment) minus its mean outcome if it makes a different, uniformly drawn legal
    move (``against="others"``) or follows its policy (``against="policy"``), with all seats continuing as in this run.

    Parameters
    ----------
    picks: the picks table of a run with randomised picks; filter it to restrict it to one age, for example. It needs
        the lists ``offered`` (cards in hand) and, except for ``sell``, ``ways`` (legal ways to build each of them).
    seats: the seats table of the same run.
    action: ``build``, ``stage`` (bury it under a stage), ``sell`` (deny it to others), or ``take``: any of these.
    outcome: a numeric column of the seats table.
    against: the comparison. A card that the policy always takes has no effect against ``policy``.

    Columns: card, picks (with this action), effective (effective sample size), drawn (number of picks that overruled
    the policy, with this action or with other moves, whichever is smaller; if it is small, the interval is too short,
    however large ``effective`` is), taken and otherwise (mean outcomes), effect with _low and _high (clustered by
    game), p, q (Benjamini-Hochberg; null with fewer than 30 drawn picks or an effective size below 30, where nothing is
    decided), largest effect first.

    Raises UserError if no pick was randomised, or if picks are compared with the policy and none of them followed it.
    """
    check_level(level)
    experiment = find_game("seven_wonders").PICKS
    assert experiment is not None
    _check(action, experiment.actions, "action")
    _check(against, tuple(_INSTEAD), "comparison")
    needed = _columns(action)
    require(picks.lazy(), ["game", "decision", *needed])
    require(seats.lazy(), ["game", "seat", outcome])
    randomised = (pl.col("probability") < _CERTAIN) & (pl.col("legal") > 1)
    turns = picks.lazy().filter(pl.col("decision").cast(pl.String).is_in(["turn", "last_card"]) & randomised)
    outcomes = seats.lazy().select("game", "seat", outcome)
    frame = turns.join(outcomes, on=["game", "seat"], how="inner", maintain_order="left")
    if not _has_rows(frame) and _has_rows(picks.lazy()):
        raise UserError(
            "no pick of this run was randomised, so causal effects cannot be estimated: play with "
            "--randomise 0.1 --picks"
        )
    if against == "policy":
        overruled = frame.select("randomised").unique().collect(engine="streaming")["randomised"]
        if len(overruled) and overruled.all():
            raise UserError(
                "every pick that counts was drawn at random, so the moves that the policies wanted are unknown: "
                "compare with others, or play with --randomise 0.1 --picks"
            )
    names = card_names(frame)
    valid = pl.col("probability").is_between(_MIN_PROBABILITY, 1.0).all()
    if not frame.select(valid).collect(engine="streaming").item():
        raise UserError("the picks table has impossible probabilities; accepted: above 0, at most 1")
    sums = _Sums(len(names))
    for batch in batches(frame, [*needed, outcome], rows=_BATCH):
        sums.add(batch, _rows(batch, action, against), batch.column(outcome))
    table = sums.frame(names, against, level).sort("effect", "card", descending=[True, False], nulls_last=True)
    note = _NOTE.format(action=action, outcome=outcome, instead=_INSTEAD[against])
    return Table(table, f"Effect of the action {action!r} on {outcome}", note, pick_columns(outcome), labels=("card",))


class _Sums:
    """Sums over turns by card, for picks that did the action and for the comparison."""

    def __init__(self, cards: int) -> None:
        self._cards = cards
        self._moments = Moments(cards, 4)
        self._weights = np.zeros((3, cards))  # sums of the powers 0, 1 and 2 of the weights of the action
        self._squares = np.zeros(cards)  # of the weights of the comparison
        self._of_wins = True
        self._drawn = np.zeros((2, cards), np.int64)

    def add(self, batch: GameBatch, rows: _Rows, outcome: Floats) -> None:
        """Add the turns of some games."""
        features: list[Floats] = []
        game = batch.game_of_row[rows.turn]
        for weights in (rows.weight, rows.otherwise):
            used = weights > 0
            cells = rows.card[used] * batch.games + game[used]
            for values in (weights[used], (weights * outcome[rows.turn])[used]):
                sums = np.bincount(cells, values, self._cards * batch.games).astype(np.float64)
                features.append(sums.reshape(self._cards, batch.games))
        self._moments.add(*features)
        for power in range(3):
            self._weights[power] += np.bincount(rows.card[rows.done], rows.weight[rows.done] ** power, self._cards)
        self._squares += np.bincount(rows.card, rows.otherwise**2, self._cards)
        self._of_wins &= bool((outcome >= 0).all() and (outcome <= 1).all())
        for arm, taken in enumerate((rows.done, rows.otherwise > 0)):
            self._drawn[arm] += np.bincount(rows.card[taken & rows.drawn], minlength=self._cards)

    def frame(self, names: Sequence[str], against: str, level: float) -> pl.DataFrame:
        """Return one row per card, with the columns of ``pick_effects``."""
        effect = self._moments.difference((1, 0), (3, 2), level)
        with np.errstate(divide="ignore", invalid="ignore"):
            effective = self._weights[1] ** 2 / self._weights[2]
            others = self._moments.totals[:, 2] ** 2 / self._squares
            taken, otherwise = self._moments.ratio(1, 0).value, self._moments.ratio(3, 2).value
            share = (effective * taken + others * otherwise) / (effective + others) if self._of_wins else None
        drawn = self._drawn[0] if against == "policy" else self._drawn.min(axis=0)
        p = np.where(drawn >= ENOUGH, effect.p_of_groups(effective, others, share), np.nan)
        return pl.DataFrame(
            {
                "card": names,
                "picks": self._weights[0].astype(np.int64),
                "effective": nulls(effective),
                "drawn": drawn,
                "taken": nulls(taken),
                "otherwise": nulls(otherwise),
                **effect.columns("effect"),
                "p": nulls(p),
                "q": nulls(benjamini_hochberg(p)),
            }
        )


def _has_rows(frame: pl.LazyFrame) -> bool:
    return not frame.select("game").head(1).collect(engine="streaming").is_empty()


def _check(value: str, accepted: Collection[str], option: str) -> None:
    if value not in accepted:
        raise UserError(f"unknown {option} {value!r}{nearest(value, accepted)}: accepted are {', '.join(accepted)}")


def _columns(action: str) -> list[str]:
    needed = ["seat", "legal", "card", "action", "probability", "randomised", "offered"]
    return needed if action == "sell" else [*needed, "ways"]


@dataclass(frozen=True)
class _Rows:
    """One entry per turn and card in hand for which the action was possible but not forced.

    Attributes
    ----------
    turn, card: the row of the turn and the number of the card.
    done: whether the action was done with this card.
    weight: the inverse probability if it was done, else 0.
    otherwise: the inverse probability if the pick is part of the comparison, else 0.
    drawn: whether the pick was drawn and overruled the policy.
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
        # a pick that was not replaced is the policy's own: its probability implies the probability of a replacement
        replaced = (1 - probability) * legal / (legal - 1)
        values = ~frame["randomised"].to_numpy()
        otherwise = np.where(values, 1 / np.where(values, 1 - replaced, 1.0), 0.0)[turn]
    drawn = (probability <= (1 + _ROUNDED) / legal)[turn]  # the policy's own move has a higher probability
    return _Rows(turn, card, done, np.where(done, 1 / (moves * chance), 0.0), otherwise, drawn)


def _moves(frame: pl.DataFrame, turn: NDArray[np.int64], legal: Floats, action: str) -> Floats:
    """Return the number of legal moves that do the action with each card in hand.

    For each distinct card, the moves are the ways to build it, the ways to pay for the stage (the same for all cards)
    and one sale (R50).
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


def _effects(run: Run, *, action: str = "build", outcome: str = "total", level: float = 0.95) -> Table:
    if not _is_randomised(run.plan):
        raise UserError(
            f"the picks of the run {str(run.path)!r} were not randomised, so causal effects cannot be estimated: play "
            "it with --randomise 0.1 --picks, or use wsim experiment picks"
        )
    return pick_effects(run.picks, run.seats, action, outcome=outcome, level=level)


def _is_randomised(plan: Plan) -> bool:
    """Return whether a run records its picks and randomises some of them."""
    return plan.picks and bool(plan.options.get("randomise") or any(map(explores, plan.line_up)))


EFFECTS = Analysis(
    _effects,
    "causal effect of building (selling, ...) each card (runs with --randomise 0.1 --picks)",
    columns=("card", "effect", "p", "q", "drawn", "effective", "picks"),
    first=("effect", "q", "drawn", "effective"),
    options={"action": Option("build, stage (bury), sell or take"), **OUTCOME},
    fits=_is_randomised,
)
