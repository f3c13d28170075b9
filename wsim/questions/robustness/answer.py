"""Robustness: how much the figures of cards and wonders differ between players in self-play, on the same deals.

A balance figure depends on the players. If it differs between good players, its sampling interval understates its
uncertainty; this *strategic uncertainty* has to be reported as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from wsim.document import CATEGORY, COUNT, SHARE, Chart, Column, Conclusion, Document, Sheet, estimated, names
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.answer import Answer, Stored, View, whole
from wsim.lab.execution import Execution
from wsim.lab.provenance import Provenance
from wsim.lab.repetition import RepetitionSettings
from wsim.questions.deals import different_policies, sample
from wsim.questions.largest import Largest, Row
from wsim.questions.robustness.question import Players, RobustnessQuestion
from wsim.questions.robustness.sums import Distance, ItemTables, RobustnessSums, distance
from wsim.questions.selfplay.answer import SelfPlayAnswer, SelfPlayTables
from wsim.questions.selfplay.sums import Items, items_in
from wsim.questions.words import Words
from wsim.stats.columns import BETWEEN_PLAYER_SD, OF_WINS, N
from wsim.stats.intervals import nulls
from wsim.stats.precision import reached, widest_of
from wsim.stats.shrinkage import shrink

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wsim.game import Game, Simulator
    from wsim.lab.plan import Plan
    from wsim.stats.games import Floats

_BLOCK = 1000  # games per policy and block: a few megabytes, and the same number for every cell
EVERY = "all pairs"

ESTIMAND = (
    "Root mean square, over the rows of a table, of the difference in their figures between two policies, each "
    "playing all seats, on the same deals; sampling noise is removed"
)
FIGURE = (
    "For wonders, the figure is the win share; for cards, the difference in win share between seats that built the "
    "card and seats that did not. Player SD: standard deviation between players, sampling noise removed"
)


PAIR_COLUMNS = (
    *names(("table", "first", "second")), Column("items", COUNT, about="known for both policies"),
    estimated(
        "rms", SHARE, unit=OF_WINS, asymmetric=True, about="root mean square of the differences, sampling noise removed"
    ),
    Column("clear", COUNT, about="figures that are clear for both policies"),
    Column("reversed", COUNT, about="clear figures that change sign"),
)  # fmt: skip


def _columns(policies: Sequence[str]) -> tuple[Column, ...]:
    """Declare the columns of figures and items, including a layout with one column per policy."""
    return (
        *names(("table", "item", "policy")), N,
        *(estimated(name, SHARE, unit=OF_WINS) for name in ("figure", *policies)),
        BETWEEN_PLAYER_SD.called("between", BETWEEN_PLAYER_SD.heading),
        BETWEEN_PLAYER_SD.called("shrunk", "player SD, shrunk"),
        Column("reversed", CATEGORY, about="changes sign, clear for both policies of a pair"),
    )  # fmt: skip


@dataclass(frozen=True, repr=False)
class RobustnessAnswer(SelfPlayAnswer):
    """The answer to a robustness question: differences in figures between players.

    Attributes
    ----------
    question: the question as JSON: tables, level, within.
    policies: the policies.
    estimand: the estimand, in one sentence. fair: the fair share of wins of a seat.
    stopped: ``done`` or ``interrupted``. games: games played by each policy.
    pairs: one row per table and pair of policies, and one row for all pairs of a table: table, first and second (for
        all pairs: ``all pairs`` and null), items (number of items with known figures), rms with rms_low and rms_high,
        clear (number of figures that are clear for both policies, or in any pair), reversed (clear figures that change
        sign).
    figures: one row per item and policy: table, item, policy, n (seats that have it), figure with figure_low and
        figure_high; null if the item is too rare.
    items: one row per item: table, item, figure (the mean over policies), between (standard deviation between players,
        sampling noise removed), shrunk (the same, shrunk towards the table; tables of runs show this one), reversed
        (whether it changes sign and is clear for both policies in some pair).
    remarks: caveats, one sentence each, without a full stop.
    made: the provenance of the games of each policy.
    """

    FORMAT: ClassVar[str] = "wsim-robustness/1"
    FORMER_FORMATS: ClassVar[tuple[str, ...]] = ("wsim-rest/1",)
    COMMAND: ClassVar[str] = "wsim robustness"
    TITLE: ClassVar[str] = "robustness"
    POLICIES: ClassVar[str] = "policies"
    TABLES: ClassVar[tuple[str, ...]] = ("pairs", "figures", "items")
    LONG_TABLE: ClassVar[str] = "items"
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
        """Return the column declarations of each table."""
        return {**dict.fromkeys(cls.TABLES, _columns(record["policies"])), "pairs": PAIR_COLUMNS}

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:
        """State which players differ most in the win shares."""

        def words(row: Row) -> Words:
            after = f"in the win shares of {row['table']}, root mean square"
            return Words("", f"{row['first']} and {row['second']} differ by", (after, after), share=True)

        rows = [row for row in stored.main.to_dicts() if row["second"] is not None]
        pairs = Largest("rms", stored.record["question"]["level"], words, lambda row: (row["rms_low"] or 0) > 0)
        return pairs.conclusion(rows, "No two players differ clearly.", "differences")

    @classmethod
    def document(cls, stored: Stored) -> Document:
        """Return a stored answer as a document for pages: differences by pair, and the largest differences."""
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
        """Return the answer as a document: differences by pair, and the largest differences."""
        shown = view(self.pairs)
        declared = _columns(self.policies)
        level = f"{100 * self.question['level']:g}%"
        title = f"Robustness: differences between players (win share, {level} interval)"
        tables = [Sheet(title, shown.to_dicts(), PAIR_COLUMNS)]
        wide = self.figures.select("table", "item").unique(maintain_order=True)
        for policy in self.policies:
            columns = [pl.col(f"figure{end}").alias(f"{policy}{end}") for end in ("", "_low", "_high")]
            of_policy = self.figures.filter(policy=policy).select("table", "item", *columns)
            wide = wide.join(of_policy, on=["table", "item"], maintain_order="left")
        most = wide.join(self.items.select("table", "item", "between", "reversed"), on=["table", "item"])
        for (table,), rows in most.group_by("table", maintain_order=True):
            ordered = rows.drop("table").sort("between", descending=True, nulls_last=True, maintain_order=True)
            first = ("item", "between", *self.policies)
            title = f"{str(table).capitalize()}: largest differences"
            tables.append(Sheet(title, ordered.head(8).to_dicts(), declared, first=first))
        notes = [
            f"{self.estimand}.",
            f"{self.games:,} games of each policy; {level} intervals. {FIGURE}.",
            *filter(None, [reached(self.games, self.question["within"], self.widest, "the differences")]),
            *(f"{remark}." for remark in self.remarks),
        ]
        return Document(rows=shown, named="pairs", tables=tables, notes=notes)

    @property
    def widest(self) -> float:
        """The largest half width of an interval of a root mean square difference."""
        return widest_of(self.pairs["rms_low"], self.pairs["rms_high"])

    @classmethod
    def restored(cls, record: Mapping[str, Any], how: RepetitionSettings) -> Callable[[], Answer]:
        """Return a function that plays the recorded tables again."""
        plan, policies = cls.restored_plans(record, how)
        recorded = dict(record["question"])
        question = RobustnessQuestion(**recorded | {"tables": tuple(recorded["tables"])})
        return lambda: play_robustness(plan, policies, question, how.execution)

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        """Describe the data that a rerun compares."""
        return f"{record['games']:,} games of each of {len(record['policies'])} policies"


def ask(
    plan: Plan, question: RobustnessQuestion, players: Players, execution: Execution = Execution()
) -> RobustnessAnswer:
    """Play the games of a plan with each policy in all seats, and measure how much the figures differ.

    Raises UserError for an invalid question, Interrupted on Ctrl-C with the answer so far.
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
    return own.play(read, sums, answer, _BLOCK, execution, question.within, lambda answer: answer.widest)


def _policies(plan: Plan, policies: Iterable[str | Callable[..., int]]) -> tuple[str, ...]:
    """Return the policies in canonical spelling; raise UserError for fewer than two."""
    names = different_policies(plan, policies, "{!r} is named twice: figures do not differ between a policy and itself")
    if len(names) < 2:
        raise UserError("wsim robustness compares at least two policies, as in: wsim robustness balanced net")
    return names


def _tables(game: Game, question: RobustnessQuestion, simulator: Simulator) -> dict[str, Items]:
    """Return the requested tables by name; raise UserError for an unknown table."""
    known = items_in(game, sample(simulator))
    for name in question.tables:
        if name not in known:
            raise UserError(f"{game.NAME} has no table {name!r} to compare{nearest(name, known)}: {', '.join(known)}")
    if not known:
        raise UserError(f"{game.NAME} has no table of cards, wonders or similar items")
    return {name: items for name, items in known.items() if not question.tables or name in question.tables}


def answer_of(
    sums: RobustnessSums,
    names: Sequence[str],
    question: Mapping[str, Any],
    own: SelfPlayTables,
    stopped: str,
) -> RobustnessAnswer:
    """Compute the answer from the sums; ``names``: the names of the tables."""
    parts = [_Table(sums, index, name, own.policies, float(question["level"])) for index, name in enumerate(names)]
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
        remarks=("Figures of cards are observational: seats that built a card may have been better off already",),
        made=own.made,
    )


class _Table:
    """The figures of one table and their differences."""

    def __init__(self, sums: RobustnessSums, index: int, name: str, policies: Sequence[str], level: float) -> None:
        items = sums.tables[index]
        present = sums.counts(index).sum(axis=0) > 0  # wonders that no seat has are not in the game
        self.name, self.policies, self.level = name, policies, level
        labels = [" ".join(texts) for texts in zip(*items.labels.values(), strict=True)]
        self.labels = [label for label, kept in zip(labels, present, strict=True) if kept]
        self.counts = sums.counts(index)[:, present].astype(np.int64)
        self.values, self.left_out = sums.figures(index)[:, present], sums.left_out(index)[:, :, present]
        self.estimates = [sums.estimate(index, policy, level) for policy in range(len(policies))]
        nothing = sums.fair() if items.grouped else 0.0
        clear = [np.nan_to_num(each.q_value(nothing), nan=1.0) <= 1 - level for each in self.estimates]
        self.sign = np.where(clear, np.sign(np.stack([each.value for each in self.estimates]) - nothing), 0)[:, present]
        self.present = present

    def pairs(self) -> Iterator[dict[str, Any]]:
        """Yield one row per pair of policies, then one row for all pairs."""
        pairs = list(combinations(range(len(self.policies)), 2))
        differences = [self._item_differences(*pair) for pair in pairs]
        signs = [self.sign[first] * self.sign[second] for first, second in pairs]
        for (first, second), (apart, left_out), sign in zip(pairs, differences, signs, strict=True):
            names = {"table": self.name, "first": self.policies[first], "second": self.policies[second]}
            yield names | _row(distance(apart, left_out, self.level), sign)
        if len(pairs) > 1:
            apart, left_out = (np.concatenate(parts, axis=-1) for parts in zip(*differences, strict=True))
            sign = np.where((np.stack(signs) < 0).any(axis=0), -1, np.abs(np.stack(signs)).max(axis=0))
            every: dict[str, Any] = {"table": self.name, "first": EVERY, "second": None}
            yield every | _row(distance(apart, left_out, self.level), sign) | {"items": len(self.labels)}

    def _item_differences(self, first: int, second: int) -> tuple[Floats, Floats]:
        """Return two policies' differences for items known for both, and how leaving out each cell changes them."""
        apart, left_out = self.values[second] - self.values[first], self.left_out[:, second] - self.left_out[:, first]
        known = np.isfinite(apart)
        return apart[known], left_out[:, known]

    def figures(self) -> pl.DataFrame:
        """Return a frame of figures, one row per item and policy."""
        parts = []
        for index, (policy, estimate) in enumerate(zip(self.policies, self.estimates, strict=True)):
            columns = {
                key: column.filter(pl.Series(self.present)) for key, column in estimate.columns("figure").items()
            }
            names = {"table": self.name, "item": self.labels, "policy": policy, "n": self.counts[index]}
            parts.append(pl.DataFrame({**names, **columns}))
        return pl.concat(parts)

    def items(self) -> pl.DataFrame:
        """Return a frame with one row per item and its differences between players."""
        squares = []
        for left, right in combinations(range(len(self.policies)), 2):
            apart, left_out = self.values[right] - self.values[left], self.left_out[:, right] - self.left_out[:, left]
            squares.append(apart**2 - (left_out**2).sum(axis=0))
        square = np.mean(squares, axis=0) / 2
        between = np.sqrt(np.maximum(square, 0.0))
        shrunk = np.sqrt(np.maximum(self._shrunk(square), 0.0))
        turned = (self.sign.max(axis=0) > 0) & (self.sign.min(axis=0) < 0)
        names = {"table": self.name, "item": self.labels, "figure": nulls(self.values.mean(axis=0))}
        return pl.DataFrame({**names, "between": nulls(between), "shrunk": nulls(shrunk), "reversed": turned})

    def _shrunk(self, square: Floats) -> Floats:
        """Shrink squared deviations between players towards their mean, in proportion to their noise.

        If k players have differences with error variance 2 e^2, a square with the true value m, the mean of the table,
        has the variance (4 m e^2 + 2 e^4) / (k - 1).
        """
        players = len(self.policies)
        pairs = list(combinations(range(players), 2))
        noises = [((self.left_out[:, right] - self.left_out[:, left]) ** 2).sum(axis=0) / 2 for left, right in pairs]
        noise = np.mean(noises, axis=0)
        known = np.isfinite(square)
        common = max(float(square[known].mean()), 0.0) if known.any() else 0.0
        return shrink(square, np.sqrt((4 * common * noise + 2 * noise**2) / (players - 1))).value


def _row(rms: Distance, sign: Floats) -> dict[str, Any]:
    """Return a row of ``pairs``; ``sign``: -1 for clear figures with opposite signs, 1 for clear ones with the same."""
    ends = {"rms": rms.value, "rms_low": rms.low, "rms_high": rms.high}
    known = {name: None if np.isnan(end) else end for name, end in ends.items()}
    return {"items": rms.things, **known, "clear": int((sign != 0).sum()), "reversed": int((sign < 0).sum())}
