"""Skill: figures of cards and wonders at each level of a ladder of policies in self-play, on the same deals.

This shows which cards and wonders are strong only for strong players, or only for weak ones. At each level, all seats
play the same policy, so nothing is confounded by seating; but figures of cards remain observational: seats that built a
card may have been better off already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from wsim.document import DECIDED, Chart, Column, Conclusion, Document, Sheet
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.answer import Answer, Stored, View, whole
from wsim.lab.execution import Execution
from wsim.lab.provenance import Provenance
from wsim.lab.repetition import RepetitionSettings, counted
from wsim.questions.deals import different_policies, sample
from wsim.questions.largest import Largest, Row
from wsim.questions.selfplay.answer import SelfPlayAnswer, SelfPlayTables
from wsim.questions.selfplay.sums import Items, SkillSums, items_in
from wsim.questions.skill.levels import changes_of, figures_of, levels_table, naming_columns, skill_columns
from wsim.questions.skill.question import BETWEEN, LADDER, SkillQuestion
from wsim.questions.words import Words
from wsim.stats.precision import reached, undecided_note, widest_of

if TYPE_CHECKING:
    from wsim.game import Game, Simulator
    from wsim.lab.plan import Plan

_BLOCK = 1024  # games per level and block: a few megabytes


ESTIMAND = {
    True: "Win share of the seats that have it, with the same policy in all seats, on the same deals at every level",
    False: "Win share of the seats that have it at the end minus that of the others, with the same policy in all "
    "seats, on the same deals at every level",
}
"""The estimand, by whether every seat has exactly one of the items."""
OBSERVED = (
    "Observational: seats that have a card may have been better off already, differently at each level. For what a "
    "card is worth to the seat that wants it use wsim experiment worth, for the effect of changing it wsim whatif"
)
EACH_LEVEL = "Each policy of the ladder plays all seats, on the same deals."
DEALT = "Wonders are dealt at random, so a change between levels is an effect of skill"


@dataclass(frozen=True, repr=False)
class SkillAnswer(SelfPlayAnswer):
    """The answer to a skill question: figures of items by level of play.

    Attributes
    ----------
    question: the question as JSON: what, ladder, between, level, within.
    rungs: the policies, the weakest first.
    estimand: the figure, in one sentence. fair: the fair share of wins of a seat.
    stopped: ``done`` or ``interrupted``. games: games played at each level.
    figures: one row per item and level: its name (card; wonder, side), rung (the level), n (seats that have it), share
        (of all seats), figure with figure_low and figure_high; null if the item is too rare.
    changes: one row per item and pair of levels: its name, weaker, stronger, change with change_low and change_high
        (accounting for the common deals), p, q (Benjamini-Hochberg over the items), verdict (higher or lower: worth
        more or less at the stronger level; unclear), strong_in: ``strong players`` or ``weak players`` if the figure is
        above 0 (for a wonder, above the fair share) only at that level and the change is clear, ``all players`` if it
        is at both levels; otherwise null.
    remarks: caveats, one sentence each, without a full stop.
    made: the provenance of the games of each level.
    """

    FORMAT: ClassVar[str] = "wsim-skill/1"
    COMMAND: ClassVar[str] = "wsim skill"
    TITLE: ClassVar[str] = "skill"
    POLICIES: ClassVar[str] = "rungs"
    TABLES: ClassVar[tuple[str, ...]] = ("figures", "changes")
    LONG_TABLE: ClassVar[str] = "changes"
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "figures": ("rung", "figure", "figure_low", "figure_high"),
        "changes": ("weaker", "stronger", "change", "change_low", "change_high"),
        **dict.fromkeys(("estimand", "games", "question", "fair", "remarks"), ()),
    }

    question: Mapping[str, Any]
    rungs: tuple[str, ...]
    estimand: str
    fair: float
    stopped: str
    games: int
    figures: pl.DataFrame
    changes: pl.DataFrame
    remarks: tuple[str, ...]
    made: tuple[Provenance, ...] = field(repr=False)

    @property
    def main(self) -> pl.DataFrame:
        """The figures of all levels side by side."""
        return self.table()

    @property
    def names(self) -> list[str]:
        """The columns that identify an item."""
        return naming_columns(self.figures)

    def table(self, change: int = 0) -> pl.DataFrame:
        """Return one row per item: its figure at each level and one of its changes, the largest change first.

        ``change``: 0 for the change over the whole ladder, 1 for the second change, if any.
        """
        return levels_table(self.figures, self.changes, change)

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:
        """Return the column declarations of each table."""
        figures = pl.DataFrame(record["figures"][:1], infer_schema_length=None)
        return dict.fromkeys(cls.TABLES, skill_columns(record["rungs"], naming_columns(figures)))

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:
        """State which items change most with skill."""
        record, changes = stored.record, stored.table("changes")
        (weaker, stronger), noun = _pairs(changes)[0], str(record["question"]["what"])
        named = naming_columns(stored.table("figures"))
        grouped = " at the end " not in record["estimand"]
        verb = "wins" if grouped else "gives its owners"

        def words(row: Row) -> Words:
            item = " ".join(str(row[name]) for name in named)
            ends = [f"{much}{' often' * grouped} with {stronger} than with {weaker}" for much in ("more", "less")]
            return Words("", f"{item} {verb}", (ends[0], ends[1]), share=True)

        rows = changes.filter(weaker=weaker, stronger=stronger).to_dicts()
        items = Largest("change", record["question"]["level"], words, lambda row: row.get("verdict") in DECIDED)
        none = f"No change of the {len(rows)} {noun} from {weaker} to {stronger} is clear."
        return items.conclusion(rows, none, f"changes of {noun}")

    @classmethod
    def document(cls, stored: Stored) -> Document:
        """Return a stored answer as a document for pages: figures at both ends of the ladder, and their changes."""
        record, levels, changes = stored.record, stored.table("figures"), stored.table("changes")
        noun, named = record["question"]["what"], tuple(naming_columns(levels))
        sheets = []
        for number, (weaker, stronger) in enumerate(_pairs(changes)):
            rows = levels_table(levels, changes, number)
            grouped = " at the end " not in record["estimand"]  # a win share: every seat has exactly one of the items
            ends = Chart(
                "change", (weaker, stronger), named,
                f"{noun.capitalize()} with {weaker} (open) and with {stronger} (filled) on all seats",
                axis="win share" if grouped else "win share minus that of the others",
                caption=f"{record['games']:,} games at each level.",
                reference=float(record["fair"]) if grouped else 0.0,
            )  # fmt: skip
            title = f"Change of each of the {noun} from {weaker} to {stronger}"
            change = Chart("forest", ("change",), named, title, caption="Each interval is valid on its own.")
            title = f"{noun.capitalize()} by skill; change from {weaker} to {stronger}"
            charts = (ends, change) if number == 0 else ()
            sheets.append(stored.sheet("figures", title, rows, labels=len(named), charts=charts))
        remarks = [f"{remark}." for remark in record["remarks"]]
        return Document(stored.main, sheets, head=[EACH_LEVEL, f"{record['estimand']}."], notes=remarks)

    def display(self, view: View = whole) -> Document:
        """Return the answer as a document: for each change, a table of all levels."""
        pairs = _pairs(self.changes)
        shown = [view(self.table(number)) for number in range(len(pairs))]
        first = (*self.names, *self.rungs, "change", "verdict", "strong_in", "q")
        tables: list[Sheet] = []
        for (weaker, stronger), rows in zip(pairs, shown, strict=True):
            others = [rung for rung in self.rungs if tables and rung not in (weaker, stronger)]
            of_rungs = rows.drop([f"{rung}{end}" for rung in others for end in ("", "_low", "_high")])
            title = f"{self.question['what'].capitalize()} by skill; change from {weaker} to {stronger}"
            declared = skill_columns(self.rungs, self.names)
            tables.append(Sheet(title, of_rungs.to_dicts(), declared, first=first, labels=len(self.names)))
        level = f"{100 * self.question['level']:g}%"
        paired = "those of changes account for the common deals. q: Benjamini-Hochberg over the rows."
        notes = [
            f"{self.estimand}. A fair share of wins is {self.fair:.3f}.",
            f"{self.games:,} games at each level. {level} intervals, clustered by deal; {paired}",
            *filter(
                None, [self._undecided_note(), reached(self.games, self.question["within"], self.widest, "the changes")]
            ),
            *(f"{remark}." for remark in self.remarks),
        ]
        return Document(rows=shown[0], tables=tables, notes=notes)

    @property
    def widest(self) -> float:
        """The largest half width of an interval of a change."""
        return widest_of(self.changes["change_low"], self.changes["change_high"])

    def _undecided_note(self) -> str:
        """Return a sentence on how many more games would settle the unclear changes over the ladder."""
        weaker, stronger = _pairs(self.changes)[0]
        changes = self.changes.filter(weaker=weaker, stronger=stronger)
        return undecided_note(changes, self.names, "change", self.games, level=self.question["level"])

    @classmethod
    def restored(cls, record: Mapping[str, Any], how: RepetitionSettings) -> Callable[[], Answer]:
        """Return a function that plays the recorded ladder again."""
        plan, ladder = cls.restored_plans(record, how)
        recorded = dict(record["question"])
        question = SkillQuestion(**recorded | {"ladder": ladder, "between": tuple(recorded["between"])})
        return lambda: play_skill(plan, question, how.execution)

    def comparable_record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return this answer's record with the ladder as written in ``record``, where it may be the default."""
        current = super().comparable_record(record)
        current["question"]["ladder"] = record["question"].get("ladder")
        return current

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        """Describe the data that a rerun compares."""
        return f"{record['games']:,} games at each of {counted(len(record['rungs']), 'level')}"


def _pairs(changes: pl.DataFrame) -> list[tuple[str, str]]:
    """Return the pairs of levels that have changes, the weaker level first."""
    return [
        (str(weaker), str(stronger))
        for weaker, stronger in changes.select("weaker", "stronger").unique(maintain_order=True).rows()
    ]


def play_skill(
    plan: Plan,
    question: SkillQuestion,
    execution: Execution = Execution(),
) -> SkillAnswer:
    """Play the games of a plan with each policy of a ladder in all seats.

    Raises UserError for an invalid question, Interrupted on Ctrl-C with the answer so far.
    """
    game = find_game(plan.game)
    levels = _levels(plan, game, question)
    between = _between(question, levels)
    own = SelfPlayTables.of(plan, levels)
    items = _items(game, question.what, own.ready[0][1])

    def answer(sums: SkillSums, stopped: str) -> SkillAnswer:
        return answer_of(sums, question.record(), items.labels, own, between, stopped)

    sums = SkillSums(len(items), len(levels), grouped=items.grouped)
    return own.play(items, sums, answer, _BLOCK, execution, question.within, lambda answer: answer.widest)


def _levels(plan: Plan, game: Game, question: SkillQuestion) -> tuple[str, ...]:
    """Return the policies of the ladder in canonical spelling; raise UserError for fewer than two."""
    known = [str(row["name"]) for row in game.policies()]
    named = question.ladder or tuple(name for name in LADDER if name in known)
    ladder = different_policies(plan, named, "{!r} is on the ladder twice")
    if len(ladder) < 2:
        raise UserError(f"a ladder needs at least two policies, the weakest first: --ladder {','.join(known[:2])}")
    return ladder


def _between(question: SkillQuestion, levels: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of levels whose changes are shown; raise UserError for a level that is not on the ladder."""
    named = question.between
    if named:
        if len(named) != 2 or named[0] == named[1]:
            raise UserError(f"--between takes two levels, the weaker first, not {','.join(named)!r}")
        for name in named:
            if name not in levels:
                raise UserError(f"{name!r} is not on the ladder {','.join(levels)}{nearest(name, levels)}")
    pair = named or (BETWEEN if set(BETWEEN) <= set(levels) else ())
    whole = (0, len(levels) - 1)
    more = [(levels.index(pair[0]), levels.index(pair[1]))] if pair else []
    return list(dict.fromkeys([whole, *more]))


def _items(game: Game, name: str, simulator: Simulator) -> Items:
    """Return the items of a table; raise UserError for a table without items."""
    tables = items_in(game, sample(simulator))
    if name not in tables:
        known = f"takes {' or '.join(tables)}" if tables else "has no table"
        raise UserError(f"wsim skill {known} in {game.NAME}, not {name!r}{nearest(name, tables)}")
    return tables[name]


def answer_of(
    sums: SkillSums,
    question: Mapping[str, Any],
    labels: Mapping[str, Sequence[str]],
    own: SelfPlayTables,
    between: Sequence[tuple[int, int]],
    stopped: str,
) -> SkillAnswer:
    """Compute the answer from the sums.

    Parameters
    ----------
    labels: the names of the items, by column. between: pairs of levels, the weaker level first.
    """
    level, rungs = float(question["level"]), own.policies
    present = pl.Series(sums.counts().sum(axis=1) > 0)  # wonders that no seat has are not in the game
    names = pl.DataFrame({name: list(texts) for name, texts in labels.items()})
    figures = [figures_of(sums, names, rung, name, level).filter(present) for rung, name in enumerate(rungs)]
    changes = [
        changes_of(sums, names.filter(present), present.to_numpy(), pair, level).with_columns(
            weaker=pl.lit(rungs[pair[0]]), stronger=pl.lit(rungs[pair[1]])
        )
        for pair in between
    ]
    order = [*names.columns, "weaker", "stronger"]
    return SkillAnswer(
        question=question,
        rungs=rungs,
        estimand=ESTIMAND[sums.grouped],
        fair=sums.fair(),
        stopped=stopped,
        games=sums.games,
        figures=pl.concat(figures),
        changes=pl.concat(changes).select(*order, pl.exclude(order)),
        remarks=(DEALT if sums.grouped else OBSERVED,),
        made=own.made,
    )
