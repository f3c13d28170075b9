"""Rest: how far figures of cards and wonders move between players, each at a table of its own, on the same deals.

A balance figure is a statement about who plays. If it moves from one good player to another, the interval of sampling
does not say how sure it is: its *strategic uncertainty* does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from wsim.document import CATEGORY, COUNT, SHARE, Chart, Column, Document, Sheet, estimated, names
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.answer import Answer, Stored, View, whole
from wsim.lab.execution import Execution
from wsim.lab.provenance import Provenance
from wsim.lab.repetition import Again
from wsim.questions.deals import different_policies, sample
from wsim.questions.robustness.question import Players, RobustnessQuestion
from wsim.questions.robustness.sums import Distance, ItemTables, RobustnessSums, distance
from wsim.questions.selfplay.answer import SelfPlayAnswer, SelfPlayTables
from wsim.questions.selfplay.sums import Items, items_in
from wsim.stats.columns import BETWEEN_PLAYER_SD, OF_WINS, N
from wsim.stats.intervals import nulls
from wsim.stats.shrinkage import shrink

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wsim.game import Game, Simulator
    from wsim.lab.plan import Plan
    from wsim.stats.games import Floats

_BLOCK = 1000  # games of each policy at a time: a few megabytes, and every cell gets as many
EVERY = "all pairs"

ESTIMAND = (
    "Root mean square, over the rows of a table, of the change of their figures from one policy to another that each "
    "have the table to themselves, on the same deals; the noise of sampling is subtracted"
)
FIGURE = (
    "A figure is a win share where every seat has one of the items, else the win share of the seats that have one at "
    "the end minus that of the others; between: one standard deviation between players, noise subtracted"
)


PAIR_COLUMNS = (
    *names(("table", "first", "second")), Column("items", COUNT, about="how many are known"),
    estimated(
        "rms", SHARE, unit=OF_WINS, asymmetric=True, about="root mean square of the changes, sampling noise subtracted"
    ),
    Column("clear", COUNT, about="figures that are clear in both"),
    Column("reversed", COUNT, about="clear figures that change sign"),
)  # fmt: skip


def _columns(policies: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns of figures and items, also of a table with a column for each policy."""
    return (
        *names(("table", "item", "policy")), N,
        *(estimated(name, SHARE, unit=OF_WINS) for name in ("figure", *policies)),
        BETWEEN_PLAYER_SD.called("between", BETWEEN_PLAYER_SD.heading),
        BETWEEN_PLAYER_SD.called("shrunk", "player SD, shrunk"),
        Column("reversed", CATEGORY, about="changes sign, and is clear in both of some pair"),
    )  # fmt: skip


@dataclass(frozen=True, repr=False)
class RobustnessAnswer(SelfPlayAnswer):
    """The answer.

    Attributes
    ----------
    question: what was asked, as JSON: tables, level.
    policies: who played, each alone.
    estimand: what is estimated, in one sentence. fair: the win share of a seat.
    stopped: ``done`` or ``interrupted``. games: how many were played of each policy.
    pairs: one row for each table of the game and two policies, and one for all pairs of it: table, first, second
        (``all pairs`` and null), items (how many are known), rms with rms_low and rms_high, clear (figures that are
        clear in both, or in any pair), reversed (those of them that change sign).
    figures: one row for each item and policy: table, item, policy, n (seats that have it), figure with figure_low
        and figure_high; null where it is too rare.
    items: one row for each item: table, item, figure (the mean over the policies), between (standard deviation
        between players, noise subtracted), shrunk (the same drawn towards that of all rows of the table, as far as
        noise sets them apart: what tables of runs are shown with), reversed (whether it changes sign and is clear in
        both of some pair).
    remarks: what must be said beside the figures, a sentence each, without a full stop.
    made: what made each policy's games.
    """

    FORMAT: ClassVar[str] = "wsim-robustness/1"
    FORMER_FORMATS: ClassVar[tuple[str, ...]] = ("wsim-rest/1",)
    COMMAND: ClassVar[str] = "wsim robustness"
    CALLED: ClassVar[str] = "robustness"
    POLICIES: ClassVar[str] = "policies"
    TABLES: ClassVar[tuple[str, ...]] = ("pairs", "figures", "items")
    LONG: ClassVar[str] = "items"
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "pairs": ("table", "first", "second", "rms", "rms_low", "rms_high"),
        "items": ("table", "item", "figure", "between"),
        **dict.fromkeys(("figures", "policies", "estimand", "games", "question", "fair", "remarks"), ()),
    }

    RENAMED: ClassVar[Mapping[str, str]] = {"things": "items", "thing": "item", "turned": "reversed"}

    question: Mapping[str, Any]
    policies: tuple[str, ...]
    estimand: str
    fair: float
    stopped: str
    games: int
    pairs: pl.DataFrame
    figures: pl.DataFrame
    items: pl.DataFrame
    remarks: tuple[str, ...]
    made: tuple[Provenance, ...] = field(repr=False)

    @property
    def things(self) -> pl.DataFrame:
        """Former name of ``items``."""
        return self.items

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:
        """Return what the columns of its tables are."""
        return {**dict.fromkeys(cls.TABLES, _columns(record["policies"])), "pairs": PAIR_COLUMNS}

    @classmethod
    def document(cls, stored: Stored) -> Document:
        """Return a written answer as pages show it: how far every pair is apart, and what moves most."""
        record = stored.record
        chart = Chart(
            "forest", ("rms",), ("table", "first", "second"), "Differences between players, root mean square",
            between=", ",
            axis="change of a win share", caption=f"{record['games']:,} games of each.", reference=0.0,
        )  # fmt: skip
        order = {"descending": True, "nulls_last": True, "maintain_order": True}
        items = stored.table("items").sort("between", **order)
        sheets = [
            stored.sheet("pairs", "Robustness: differences between players", charts=(chart,)),
            stored.sheet("items", "Largest differences between players", items),
        ]
        remarks = [f"{remark}." for remark in record["remarks"]]
        return Document(stored.main, sheets, head=[f"{record['estimand']}."], notes=remarks)

    def display(self, view: View = whole) -> Document:
        """Return the answer for people: how far every pair is apart, and what moves most."""
        shown = view(self.pairs)
        declared = _columns(self.policies)
        level = f"{100 * self.question['level']:g}%"
        title = f"Robustness: differences between players (win share, {level} interval)"
        tables = [Sheet(title, shown.to_dicts(), PAIR_COLUMNS)]
        wide = self.figures.select("table", "item").unique(maintain_order=True)
        for policy in self.policies:
            columns = [pl.col(f"figure{end}").alias(f"{policy}{end}") for end in ("", "_low", "_high")]
            here = self.figures.filter(policy=policy).select("table", "item", *columns)
            wide = wide.join(here, on=["table", "item"], maintain_order="left")
        most = wide.join(self.items.select("table", "item", "between", "reversed"), on=["table", "item"])
        for (table,), rows in most.group_by("table", maintain_order=True):
            ordered = rows.drop("table").sort("between", descending=True, nulls_last=True, maintain_order=True)
            first = ("item", "between", *self.policies)
            title = f"{str(table).capitalize()}: largest differences"
            tables.append(Sheet(title, ordered.head(8).to_dicts(), declared, first=first))
        notes = [
            f"{self.estimand}.",
            f"{self.games:,} games of each policy. Intervals: {100 * self.question['level']:g} %. {FIGURE}.",
            *(f"{one}." for one in self.remarks),
        ]
        return Document(rows=shown, named="pairs", tables=tables, notes=notes)

    @classmethod
    def restored(cls, record: Mapping[str, Any], how: Again) -> Callable[[], Answer]:
        """Return what plays the same tables again."""
        one, policies = cls.restored_plans(record, how)
        recorded = dict(record["question"])
        question = RobustnessQuestion(**recorded | {"tables": tuple(recorded["tables"])})
        return lambda: play_robustness(one, policies, question, how.execution)

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        """Say what was compared."""
        return f"{record['games']:,} games of each of {len(record['policies'])} policies"


def ask(
    plan: Plan, question: RobustnessQuestion, players: Players, execution: Execution = Execution()
) -> RobustnessAnswer:
    """Play a plan's games with each policy in all seats, and measure how far figures move between them.

    Raises UserError for what cannot be asked, Interrupted on Ctrl-C with the answer so far.
    """
    return play_robustness(plan, players.policies, question, execution)


def play_robustness(
    plan: Plan,
    policies: Iterable[str | Callable[..., int]],
    question: RobustnessQuestion,
    execution: Execution = Execution(),
) -> RobustnessAnswer:
    """Play a plan's games with each policy in all seats; see ``ask``."""
    own = SelfPlayTables.of(plan, _policies(plan, policies))
    tables = _tables(find_game(plan.game), question, own.ready[0][1])
    sums = RobustnessSums(tuple(tables.values()), len(own.policies))

    def answer(sums: RobustnessSums, stopped: str) -> RobustnessAnswer:
        return answer_of(sums, list(tables), question.record(), own, stopped)

    read = ItemTables(tuple(tables.values()))
    return own.play(read, sums, answer, _BLOCK, execution)


def _policies(plan: Plan, policies: Iterable[str | Callable[..., int]]) -> tuple[str, ...]:
    """Return the policies as each is written; UserError unless two differ."""
    names = different_policies(plan, policies, "{!r} is named twice: nothing moves between a policy and itself")
    if len(names) < 2:
        raise UserError("figures move between two policies or more, as in: wsim robustness balanced net")
    return names


def _tables(game: Game, question: RobustnessQuestion, simulator: Simulator) -> dict[str, Items]:
    """Return the tables that are measured, by name; UserError for one that there is not."""
    found = items_in(game, sample(simulator))
    for name in question.tables:
        if name not in found:
            raise UserError(f"{game.NAME} has no table {name!r} of items{nearest(name, found)}: {', '.join(found)}")
    if not found:
        raise UserError(f"{game.NAME} has no table of items that seats have")
    return {name: one for name, one in found.items() if not question.tables or name in question.tables}


def answer_of(
    sums: RobustnessSums,
    names: Sequence[str],
    question: Mapping[str, Any],
    own: SelfPlayTables,
    stopped: str,
) -> RobustnessAnswer:
    """Return what sums say; ``names``: of their tables."""
    parts = [_Table(sums, place, name, own.policies, float(question["level"])) for place, name in enumerate(names)]
    return RobustnessAnswer(
        question=question,
        policies=own.policies,
        estimand=ESTIMAND,
        fair=sums.fair(),
        stopped=stopped,
        games=sums.games,
        pairs=pl.DataFrame([row for part in parts for row in part.pairs()], infer_schema_length=None),
        figures=pl.concat([part.figures() for part in parts]),
        items=pl.concat([part.items() for part in parts]),
        remarks=("What a card goes with is observed: whoever built it may have been better off already",),
        made=own.made,
    )


class _Table:
    """What sums say of one table."""

    def __init__(self, sums: RobustnessSums, place: int, name: str, policies: Sequence[str], level: float) -> None:
        things = sums.tables[place]
        there = sums.there(place).sum(axis=0) > 0  # boards that no seat has are not in the game
        self.name, self.policies, self.level = name, policies, level
        labels = [" ".join(texts) for texts in zip(*things.labels.values(), strict=True)]
        self.labels = [label for label, one in zip(labels, there, strict=True) if one]
        self.counts = sums.there(place)[:, there].astype(np.int64)
        self.values, self.left_out = sums.figures(place)[:, there], sums.left_out(place)[:, :, there]
        self.estimates = [sums.estimate(place, one, level) for one in range(len(policies))]
        nothing = sums.fair() if things.grouped else 0.0
        clear = [np.nan_to_num(one.q_value(nothing), nan=1.0) <= 1 - level for one in self.estimates]
        self.sign = np.where(clear, np.sign(np.stack([one.value for one in self.estimates]) - nothing), 0)[:, there]
        self.there = there

    def pairs(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each pair of policies, then one for all pairs."""
        pairs = list(combinations(range(len(self.policies)), 2))
        found = [self._apart(*pair) for pair in pairs]
        signs = [self.sign[one] * self.sign[other] for one, other in pairs]
        for (one, other), (apart, left_out), sign in zip(pairs, found, signs, strict=True):
            said = {"table": self.name, "first": self.policies[one], "second": self.policies[other]}
            yield said | _row(distance(apart, left_out, self.level), sign)
        if len(pairs) > 1:
            apart, left_out = (np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True))
            sign = np.where((np.stack(signs) < 0).any(axis=0), -1, np.abs(np.stack(signs)).max(axis=0))
            every: dict[str, Any] = {"table": self.name, "first": EVERY, "second": None}
            yield every | _row(distance(apart, left_out, self.level), sign) | {"items": len(self.labels)}

    def _apart(self, one: int, other: int) -> tuple[Floats, Floats]:
        """Return the differences of two policies in the items known of both, and of every cell left out."""
        apart, left_out = self.values[other] - self.values[one], self.left_out[:, other] - self.left_out[:, one]
        known = np.isfinite(apart)
        return apart[known], left_out[:, known]

    def figures(self) -> pl.DataFrame:
        """Return a row for each item and policy."""
        parts = []
        for place, (policy, estimate) in enumerate(zip(self.policies, self.estimates, strict=True)):
            columns = {key: column.filter(pl.Series(self.there)) for key, column in estimate.columns("figure").items()}
            said = {"table": self.name, "item": self.labels, "policy": policy, "n": self.counts[place]}
            parts.append(pl.DataFrame({**said, **columns}))
        return pl.concat(parts)

    def items(self) -> pl.DataFrame:
        """Return a row for each item."""
        squares = []
        for one, other in combinations(range(len(self.policies)), 2):
            apart, left_out = self.values[other] - self.values[one], self.left_out[:, other] - self.left_out[:, one]
            squares.append(apart**2 - (left_out**2).sum(axis=0))
        square = np.mean(squares, axis=0) / 2
        between = np.sqrt(np.maximum(square, 0.0))
        shrunk = np.sqrt(np.maximum(self._drawn_together(square), 0.0))
        turned = (self.sign.max(axis=0) > 0) & (self.sign.min(axis=0) < 0)
        said = {"table": self.name, "item": self.labels, "figure": nulls(self.values.mean(axis=0))}
        return pl.DataFrame({**said, "between": nulls(between), "shrunk": nulls(shrunk), "reversed": turned})

    def _drawn_together(self, square: Floats) -> Floats:
        """Return squares of deviations between players drawn towards their mean, as far as noise sets them apart.

        Of k players whose differences have errors of 2 e^2, a square has the variance (4 m e^2 + 2 e^4) / (k - 1),
        where it is m: the mean of the table.
        """
        players = len(self.policies)
        pairs = list(combinations(range(players), 2))
        noises = [((self.left_out[:, other] - self.left_out[:, one]) ** 2).sum(axis=0) / 2 for one, other in pairs]
        noise = np.mean(noises, axis=0)
        known = np.isfinite(square)
        common = max(float(square[known].mean()), 0.0) if known.any() else 0.0
        return shrink(square, np.sqrt((4 * common * noise + 2 * noise**2) / (players - 1))).value


def _row(found: Distance, sign: Floats) -> dict[str, Any]:
    """Return a row of the pairs; ``sign``: -1 for clear opposite figures, 1 for clear and alike ones."""
    ends = {"rms": found.value, "rms_low": found.low, "rms_high": found.high}
    known = {name: None if np.isnan(one) else one for name, one in ends.items()}
    return {"items": found.things, **known, "clear": int((sign != 0).sum()), "reversed": int((sign < 0).sum())}
