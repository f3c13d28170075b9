"""Skill as a dimension: the same figures for a ladder of players, each alone at the table, on the same deals.

Which cards and boards are strong in good hands only, and which in weak ones? Nothing is confounded by who sits where:
at a level everybody plays alike. What a card goes with is observed all the same: whoever built it may have been better
off already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from wsim.document import Chart, Column, Document, Sheet
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.answer import Answer, Stored, View, counted, whole
from wsim.lab.execution import Execution
from wsim.lab.provenance import Provenance
from wsim.lab.repetition import Again
from wsim.questions.deals import different_policies, sample
from wsim.questions.selfplay.answer import SelfPlayAnswer, SelfPlayTables
from wsim.questions.selfplay.sums import Items, SkillSums, items_in
from wsim.questions.skill.levels import changes_of, figures_of, naming_columns, side_by_side, skill_columns
from wsim.questions.skill.question import BETWEEN, LADDER, SkillQuestion

if TYPE_CHECKING:
    from wsim.game import Game, Simulator
    from wsim.lab.plan import Plan

_BLOCK = 1024  # games of each level at a time: a few megabytes


ESTIMAND = {
    True: "Win share of the seats that have it, everybody at the table playing alike, on the same deals at every rung",
    False: "Win share of the seats that have it at the end less that of the others, everybody at the table playing "
    "alike, on the same deals at every rung",
}
"""What a figure is, by whether every seat has one of the things."""
OBSERVED = (
    "Observational: whoever came to have a thing may have been better off already, at each rung in its own way. What "
    "taking it causes is measured by wsim experiment picks, what a change of it causes by wsim whatif"
)
EACH_LEVEL = "Each player of the ladder takes all seats in turn, on the same deals."
DEALT = "What is dealt by chance is compared fairly: a change is what skill makes of it"


@dataclass(frozen=True, repr=False)
class SkillAnswer(SelfPlayAnswer):
    """The answer.

    Attributes
    ----------
    question: what was asked, as JSON: what, ladder, between, level.
    rungs: the policies, the weakest first.
    estimand: what a figure is, in one sentence. fair: the win share of a seat.
    stopped: ``done`` or ``interrupted``. games: how many were played at each rung.
    figures: one row for each thing and rung: what names it (card; wonder, side), rung, n (seats that have it), share
        (of all seats), figure with figure_low and figure_high; null where it is too rare.
    changes: one row for each thing and two rungs: what names it, weaker, stronger, change with change_low and
        change_high (with what both rungs have in common on the same deals), p, q (Benjamini-Hochberg over the
        things), verdict (higher, lower: worth more, less at the stronger rung; unclear), strong_in: ``strong
        players`` or ``weak players`` where it is better than nothing (a level: than fair) there alone and the change
        is clear, ``all players`` where at both; else null.
    remarks: what must be said beside the figures, a sentence each, without a full stop.
    made: what made each rung's games.
    """

    FORMAT: ClassVar[str] = "wsim-skill/1"
    COMMAND: ClassVar[str] = "wsim skill"
    CALLED: ClassVar[str] = "skill"
    POLICIES: ClassVar[str] = "rungs"
    TABLES: ClassVar[tuple[str, ...]] = ("figures", "changes")
    LONG: ClassVar[str] = "changes"
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
        """The figures of all rungs side by side."""
        return self.table()

    @property
    def names(self) -> list[str]:
        """The columns that name a thing."""
        return naming_columns(self.figures)

    def table(self, change: int = 0) -> pl.DataFrame:
        """Return a row for each thing: its figure at each rung, and one of the changes; the largest first.

        ``change``: 0 is that over the whole ladder, 1 the other one, if there is one.
        """
        return side_by_side(self.figures, self.changes, change)

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:
        """Return what the columns of its tables are."""
        figures = pl.DataFrame(record["figures"][:1], infer_schema_length=None)
        return dict.fromkeys(cls.TABLES, skill_columns(record["rungs"], naming_columns(figures)))

    @classmethod
    def document(cls, stored: Stored) -> Document:
        """Return a written answer as pages show it: figures at both ends of the ladder, and the changes."""
        record, levels, changes = stored.record, stored.table("figures"), stored.table("changes")
        what, named = record["question"]["what"], tuple(naming_columns(levels))
        sheets = []
        for place, (weaker, stronger) in enumerate(_pairs(changes)):
            rows = side_by_side(levels, changes, place)
            grouped = record["estimand"] == ESTIMAND[True]  # a win share, for every seat has one of them
            ends = Chart(
                "change", (weaker, stronger), named,
                f"{what.capitalize()} with {weaker} (open) and with {stronger} (filled) on all seats",
                axis="win share" if grouped else "win share minus that of the others",
                caption=f"{record['games']:,} games at each level.",
                reference=float(record["fair"]) if grouped else 0.0,
            )  # fmt: skip
            title = f"Change of each of the {what} from {weaker} to {stronger}"
            change = Chart("forest", ("change",), named, title, caption="Each interval is valid on its own.")
            title = f"{what.capitalize()} by skill; change from {weaker} to {stronger}"
            charts = (ends, change) if place == 0 else ()
            sheets.append(stored.sheet("figures", title, rows, labels=len(named), charts=charts))
        remarks = [f"{remark}." for remark in record["remarks"]]
        return Document(stored.main, sheets, head=[EACH_LEVEL, f"{record['estimand']}."], notes=remarks)

    def display(self, view: View = whole) -> Document:
        """Return the answer for people: a table with the rungs side by side for each change."""
        pairs = _pairs(self.changes)
        shown = [view(self.table(place)) for place in range(len(pairs))]
        first = (*self.names, *self.rungs, "change", "verdict", "strong_in", "q")
        tables: list[Sheet] = []
        for (weaker, stronger), rows in zip(pairs, shown, strict=True):
            others = [rung for rung in self.rungs if tables and rung not in (weaker, stronger)]
            of_rungs = rows.drop([f"{rung}{end}" for rung in others for end in ("", "_low", "_high")])
            title = f"{self.question['what'].capitalize()} by skill; change from {weaker} to {stronger}"
            declared = skill_columns(self.rungs, self.names)
            tables.append(Sheet(title, of_rungs.to_dicts(), declared, first=first, labels=len(self.names)))
        level = f"{100 * self.question['level']:g} %"
        both = "that of a change knows what both rungs share. q: Benjamini-Hochberg over the rows."
        notes = [
            f"{self.estimand}. A fair share of wins is {self.fair:.3f}.",
            f"{self.games:,} games at each rung. Intervals: {level}, clustered by deal; {both}",
            *(f"{one}." for one in self.remarks),
        ]
        return Document(rows=shown[0], tables=tables, notes=notes)

    @classmethod
    def restored(cls, record: Mapping[str, Any], how: Again) -> Callable[[], Answer]:
        """Return what plays the same ladder again."""
        one, ladder = cls.restored_plans(record, how)
        recorded = dict(record["question"])
        question = SkillQuestion(**recorded | {"ladder": ladder, "between": tuple(recorded["between"])})
        return lambda: play_skill(one, question, how.execution)

    def beside(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return its own record, with the ladder as it was asked for: that may have been left to wsim."""
        here = super().beside(record)
        here["question"]["ladder"] = record["question"].get("ladder")
        return here

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        """Say what was compared."""
        return f"{record['games']:,} games at each of {counted(len(record['rungs']), 'rung')}"


def _pairs(changes: pl.DataFrame) -> list[tuple[str, str]]:
    """Return the pairs of rungs, the weaker first, between which changes are known."""
    return [
        (str(weaker), str(stronger))
        for weaker, stronger in changes.select("weaker", "stronger").unique(maintain_order=True).rows()
    ]


def play_skill(
    plan: Plan,
    question: SkillQuestion,
    execution: Execution = Execution(),
) -> SkillAnswer:
    """Play a plan's games at every level of a ladder of players, each in all seats.

    Raises UserError for what cannot be asked, Interrupted on Ctrl-C with the answer so far.
    """
    game = find_game(plan.game)
    levels = _levels(plan, game, question)
    between = _between(question, levels)
    own = SelfPlayTables.of(plan, levels)
    things = _things(game, question.what, own.ready[0][1])

    def answer(sums: SkillSums, stopped: str) -> SkillAnswer:
        return answer_of(sums, question.record(), things.labels, own, between, stopped)

    sums = SkillSums(len(things), len(levels), grouped=things.grouped)
    return own.play(things, sums, answer, _BLOCK, execution)


def _levels(plan: Plan, game: Game, question: SkillQuestion) -> tuple[str, ...]:
    """Return the policies of the ladder as each is written; UserError unless there are two at least."""
    known = [str(row["name"]) for row in game.policies()]
    named = question.ladder or tuple(name for name in LADDER if name in known)
    found = different_policies(plan, named, "{!r} is on the ladder twice")
    if len(found) < 2:
        raise UserError(f"a ladder has two policies or more, the weakest first, as in --ladder {','.join(known[:2])}")
    return found


def _between(question: SkillQuestion, levels: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of levels between which changes are shown; UserError for what is not on the ladder."""
    named = question.between
    if named:
        if len(named) != 2 or named[0] == named[1]:
            raise UserError(f"--between takes two rungs, the weaker first, not {','.join(named)!r}")
        for name in named:
            if name not in levels:
                raise UserError(f"{name!r} is not on the ladder {','.join(levels)}{nearest(name, levels)}")
    usual = named or (BETWEEN if set(BETWEEN) <= set(levels) else ())
    whole = (0, len(levels) - 1)
    more = [(levels.index(usual[0]), levels.index(usual[1]))] if usual else []
    return list(dict.fromkeys([whole, *more]))


def _things(game: Game, what: str, simulator: Simulator) -> Items:
    """Return what a table of a game is about; UserError for one that a ladder cannot be asked."""
    found = items_in(game, sample(simulator))
    if what not in found:
        raise UserError(
            f"skill is told of {' or '.join(found) or 'nothing'} in {game.NAME}, not {what!r}{nearest(what, found)}"
        )
    return found[what]


def answer_of(
    sums: SkillSums,
    question: Mapping[str, Any],
    labels: Mapping[str, Sequence[str]],
    own: SelfPlayTables,
    between: Sequence[tuple[int, int]],
    stopped: str,
) -> SkillAnswer:
    """Return what sums say.

    Parameters
    ----------
    labels: what names the things, by column. between: pairs of rungs, the weaker first.
    """
    level, rungs = float(question["level"]), own.policies
    there = pl.Series(sums.counts().sum(axis=1) > 0)  # boards that no seat has are not in the game
    names = pl.DataFrame({name: list(texts) for name, texts in labels.items()})
    figures = [figures_of(sums, names, rung, name, level).filter(there) for rung, name in enumerate(rungs)]
    changes = [
        changes_of(sums, names.filter(there), there.to_numpy(), pair, level).with_columns(
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
