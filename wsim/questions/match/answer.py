"""Policies against each other, every seating of a deal: what ``wsim match`` and ``wsim.match`` do."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from wsim.document import (
    COUNT,
    MICROSECONDS,
    NUMBER,
    POINTS,
    RATIO,
    SHARE,
    Chart,
    Column,
    Document,
    Sheet,
    estimated,
    names,
)
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.answer import UNRECORDED, Answer, Stored, View, counted, recorded_provenance, whole
from wsim.lab.execution import Execution
from wsim.lab.plan import Plan
from wsim.lab.repetition import Again, unlike
from wsim.options import Policy
from wsim.policies.declare import UNCHECKED
from wsim.policies.lineup import parse_entry
from wsim.questions.deals import different_policies
from wsim.questions.match.costs import Cost, costs_of
from wsim.questions.match.deal_files import DealFiles, open_folder
from wsim.questions.match.question import MatchOutput, MatchQuestion, MatchTables
from wsim.questions.match.results import cells_of, cost_rows, made_of, pairs_of, ratings_of, remarks_of, stopped_of
from wsim.questions.match.tables import MatchTable, made_ready
from wsim.questions.match.trial import MatchTrial
from wsim.stats.columns import DECIDED_AT, FAIR_SHARE, FAIR_SHARE_RATIO, OF_WINS, VERDICT, WIN_DIFFERENCE, WIN_SHARE

ESTIMAND = {
    True: "Win share of a policy at tables with all the others, every arrangement of a deal played",
    False: "Win share of one of a policy where all others at the table are of the other, each seat of a deal in turn",
}
"""By whether tables are mixed."""
DRAWN = "Win share of a policy at tables with all the others, each on every seat of a deal, in an order drawn anew"
_COLUMNS = (
    *names(("policy", "other", "against", "ruleset", "players")), WIN_SHARE, FAIR_SHARE, WIN_DIFFERENCE, VERDICT,
    estimated("other_share", SHARE, unit=OF_WINS), estimated("margin", POINTS, difference=True),
    FAIR_SHARE_RATIO.called("times_fair", FAIR_SHARE_RATIO.heading), DECIDED_AT, Column("deals", COUNT),
    estimated("rating", NUMBER, about="400 points are ten times the strength; the mean is 0"),
    Column("strength", RATIO, unit="1 = mean"),
    Column("microseconds", MICROSECONDS, heading="microseconds per decision"),
    Column("games_a_second", NUMBER, heading="games per second"),
)  # fmt: skip
FIRST = ("policy", "other", "win share", "other share", "difference", "verdict", "margin")
MOST_MATRIX = 12
"""Policies up to which a matrix is shown: more columns fit on no screen."""
_ENDS = ("", "_low", "_high")


@dataclass(frozen=True, repr=False)
class MatchAnswer(Answer):
    """The answer.

    Attributes
    ----------
    policies: who played, in the order in which they were named.
    question: how it was played and decided.
    estimand: what a win share is, in one sentence.
    stopped: why playing ended: ``clear``, ``known`` (within), ``budget``, ``interrupted``.
    deals, games: how many were played, at all tables together. seconds: how long that took.
    pairs: one row for each two policies and table: ruleset, players, policy, other, win_share of the first and
        other_share of the second, fair (share of a side), difference of the two, margin (points by which the first is
        ahead of the second at one table), each but fair with _low and _high; verdict, decided_at (deals), deals.
        Verdicts are higher, lower, equivalent, unclear; identical: no deal differed.
    cells: one row for each policy, field and table: ruleset, players, policy, against (the policy of all others; None:
        mixed), win_share, times_fair and margin (its points less the mean of the others at the table), each with _low
        and _high, deals.
    ratings: policy, rating (400 points are ten times the strength, their mean is 0) with _low and _high, strength; no
        rows where the games cannot tell them.
    costs: policy, microseconds (of processor time, a decision, None where none is counted), games a second of one
        thread at a table of its own.
    remarks: what must be said beside the figures, a sentence each, without a full stop.
    made: what decides the games: plans, digests, versions.
    """

    FORMAT: ClassVar[str] = "wsim-match/1"
    COMMAND: ClassVar[str] = "wsim match"
    CALLED: ClassVar[str] = "the match"
    TABLES: ClassVar[tuple[str, ...]] = ("pairs", "cells", "ratings", "costs")
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "pairs": ("ruleset", "players", "policy", "other", "difference", "difference_low", "difference_high"),
        "cells": ("policy", "against", "win_share"),
        **dict.fromkeys(("estimand", "deals", "games"), ()),
    }

    policies: tuple[str, ...]
    question: MatchQuestion
    estimand: str
    stopped: str
    deals: int
    games: int
    seconds: float
    pairs: pl.DataFrame
    cells: pl.DataFrame
    ratings: pl.DataFrame
    costs: pl.DataFrame
    remarks: tuple[str, ...]
    made: Mapping[str, Any] = field(repr=False, metadata=UNRECORDED)

    def record(self) -> dict[str, Any]:
        """Return the answer as a JSON object, what decides the games in front."""
        return {"format": self.FORMAT, **self.made, **super().record()}

    def matrix(self, column: str = "win_share") -> pl.DataFrame:
        """Return a figure of the cells with a row for each policy and a column for each field (``mixed``: one)."""
        against = pl.col("against").fill_null("mixed")
        wide = self.cells.with_columns(against).pivot("against", index=["ruleset", "players", "policy"], values=column)
        order = [*(name for name in self.policies if name in wide.columns), *({"mixed"} & set(wide.columns))]
        return wide.select("ruleset", "players", "policy", *order)

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:
        """Return what the columns of its tables are."""
        policies = [estimated(str(name), SHARE, unit=OF_WINS) for name in record["policies"]]
        return {**dict.fromkeys(cls.TABLES, _COLUMNS), "matrix": (*_COLUMNS, *policies)}

    @classmethod
    def document(cls, stored: Stored) -> Document:
        """Return a written answer as pages show it: the differences of all pairs, all cells."""
        record, rows = stored.record, stored.main
        tables = rows.select(pl.struct("ruleset", "players").n_unique()).item()
        labels = ("policy", "other", *(("ruleset", "players") if tables > 1 else ()))
        caption = f"{record['deals']:,} deals, {record['games']:,} games; the intervals are jointly valid."
        title = "Win share of the first policy minus that of the second"
        chart = Chart(
            "forest", ("difference",), labels, title, between=", ", axis="difference in win share", caption=caption
        )
        sheets = [stored.sheet("pairs", "Matches: pairs", charts=(chart,)), stored.sheet("cells", "Matches: cells")]
        return Document(rows, sheets, head=[f"{record['estimand']}."])

    def display(self, view: View = whole) -> Document:
        """Return the answer for people: pairs, the matrix of a round-robin, ratings with costs, how it came about."""
        shown = view(self.pairs)
        fair = sorted(set(self.pairs["fair"].to_list()))
        shares = f"; a fair share of wins is {fair[0]:.3f}" if len(fair) == 1 else ""
        declared = self.columns({"policies": self.policies})
        tables = [Sheet(f"Match, {self._where()}{shares}", _slim(shown), declared["pairs"], first=FIRST)]
        if self.question.round_robin and 2 < len(self.policies) <= MOST_MATRIX:
            title = "Win share of one of the row's policy where all others are of the column's"
            tables.append(Sheet(title, self._matrix().to_dicts(), declared["matrix"]))
        elif self.cells["against"].is_null().all():
            cells = _slim(self.cells.drop("against"))
            tables.append(Sheet("Win share of each policy at these tables", cells, declared["cells"]))
        both = self.ratings.join(self.costs, on="policy", how="full", coalesce=True, maintain_order="left")
        title = "Ratings, and what a decision costs"
        tables.append(Sheet(title, both.to_dicts(), declared["ratings"], first=("policy", "rating")))
        return Document(rows=shown, named="pairs", tables=tables, notes=self._notes())

    def _where(self) -> str:
        """Name the tables: ``1e, 4 players``."""
        rulesets, players = (list(dict.fromkeys(self.pairs[name].to_list())) for name in ("ruleset", "players"))
        return f"{' and '.join(rulesets)}, {' and '.join(map(str, players))} players"

    def _matrix(self) -> pl.DataFrame:
        """Return the matrix with the ends of its intervals, which make ``0.46 ±0.01`` of three columns."""
        parts = [self.matrix(f"win_share{end}") for end in _ENDS]
        keys = ["ruleset", "players", "policy"]
        table = parts[0]
        for end, part in zip(_ENDS[1:], parts[1:], strict=True):
            renamed = part.rename({name: f"{name}{end}" for name in part.columns if name not in keys})
            table = table.join(renamed, on=keys, maintain_order="left")
        named = [name for name in self.policies if name in table.columns]
        ordered = [f"{name}{end}" for name in named for end in _ENDS]
        return table.select(*(key for key in keys if key == "policy" or not _same(table, key)), *ordered)

    def _notes(self) -> list[str]:
        """Say in words how the answer came about."""
        question = self.question
        sure = f"{100 * (1 - question.alpha):g} %"
        why = {
            "clear": f"Stopped because the answer is clear (budget {question.budget:,} deals a table)",
            "known": f"Stopped because all is known to within {question.precision}",
            "budget": "Stopped because the budget is spent",
            "interrupted": "Stopped by hand",
        }[self.stopped]
        rate = f", {self.games / self.seconds:,.0f} a second" if self.seconds > 0 else ""
        together = (
            "Differences hold together, for all pairs and looks," if self.pairs.height > 1 else "The difference holds"
        )
        return [
            f"{self.estimand}. Margin: points ahead at the same table.",
            f"{together} with {sure} confidence; intervals count a deal once, whose games are not independent.",
            f"{why}: {self.deals:,} deals, {self.games:,} games in {self.seconds:.1f} s{rate}.",
            *(f"{one}." for one in self.remarks),
            *self._sandbox(),
        ]

    def _sandbox(self) -> list[str]:
        """Say how policies of somebody's own were played, if there are any."""
        from wsim.policies.user_policies import installed_module

        own = [name for name in self.policies if (entry := parse_entry(name)).file or installed_module(entry)]
        checks = "without bounds checks (--unchecked)" if UNCHECKED.get() else "and their indices were checked"
        said = f"{', '.join(own)}: compiled policies got copies of what their seats may see, {checks}."
        return [said] if own else []

    @classmethod
    def identity(cls, record: Mapping[str, Any]) -> Any:
        """Return what tells an answer from others of its kind in the same folder."""
        return [record["digests"], record["question"]]

    @classmethod
    def flat_plan(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the plan of the first table, with a seat for each policy."""
        names = list(record["policies"])
        return {**record["made"]["plan"], "policies": names, "players": len(names)}

    @classmethod
    def restored(cls, record: Mapping[str, Any], how: Again) -> Callable[[], Answer]:
        """Return what plays the same tables again."""
        question = MatchQuestion.restored(record["question"])
        recorded_provenance(record["made"])
        _ = _digests(record)
        at = [(str(table["ruleset"]), int(table["players"])) for table in record["tables"]]
        plan = how.restored(cls.flat_plan(record))
        names = plan.policies
        if not at or len(names) < 2:
            raise UserError("the answer is damaged: a match has a table and two policies at least")
        tables = [
            made_ready(
                plan.replace(ruleset=ruleset, players=players, policies=[names[0]]),
                names,
                round_robin=question.round_robin,
            )
            for ruleset, players in at
        ]
        return lambda: play_match(tables, question, execution=how.execution)

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        """Say what was compared."""
        return f"{record['deals']:,} deals in every seating, {counted(len(record['pairs']), 'pair')}"

    def made_unlike(self, record: Mapping[str, Any]) -> list[str]:
        """Say what was not the same about how the games were made: of the first policy, or of any."""
        there, here = (recorded_provenance(one["made"]) for one in (record, self.made))
        said = [] if _digests(record) == _digests(self.made) else ["a policy or a rule set was another"]
        if record.get("seatings") != self.made.get("seatings"):
            said.append("who sits where was decided in another way")
        return unlike(there, here) or said


def _digests(record: Mapping[str, Any]) -> list[str]:
    return [digest for of_table in record["digests"].values() for digest in of_table]


def _slim(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Leave out of a table for people what its title says or is the same in every row; the JSON has it all."""
    hidden = [name for name in ("ruleset", "players", "fair") if frame.height and name in frame and _same(frame, name)]
    hidden += [name for name in ("decided_at", "times_fair", "times_fair_low", "times_fair_high") if name in frame]
    return frame.drop(hidden).to_dicts()


def _same(frame: pl.DataFrame, name: str) -> bool:
    return frame[name].n_unique() == 1


def _of_its_own(output: MatchOutput) -> bool:
    """Say whether a match goes into a folder of its own."""
    return output.out is not None and not _is_file(output.out) and not (output.out / "run.json").is_file()


def _is_file(path: Path) -> bool:
    return path.suffix in (".json", ".parquet")


def opened(output: MatchOutput, made: dict[str, object]) -> DealFiles | None:
    """Check the target before anything is played; return the files of the match's own folder, if it has one."""
    if output.resume and not _of_its_own(output):
        raise UserError("--resume goes on with the match in a folder of its own: name it with --out FOLDER")
    if output.out is not None and _is_file(output.out):
        MatchAnswer.check_target(output.out)
    return open_folder(output.out, made, resume=output.resume) if output.out and _of_its_own(output) else None


def write_to(output: MatchOutput, answer: MatchAnswer, files: DealFiles | None) -> Path | None:
    """Write an answer and return where it lies."""
    if files is not None:
        return files.write(answer.record())
    return None if output.out is None else answer.write(output.out)


def ask(
    plan: Plan, question: MatchQuestion, at: MatchTables, output: MatchOutput, execution: Execution = Execution()
) -> MatchAnswer:
    """Play policies against each other, every seating of common deals.

    Raises UserError for whatever cannot be played, Interrupted on Ctrl-C with the answer so far.
    """
    tables = tables_of(plan, named_policies(plan, at.policies), at.ruleset, at.players, question)
    return play_match(tables, question, output, execution)


def written(_answer: MatchAnswer, _question: MatchQuestion, _at: MatchTables, output: MatchOutput) -> Path | None:
    """Return where the answer was written: deal by deal, or when playing ended."""
    return output.out


def named_policies(plan: Plan, policies: Iterable[Policy]) -> tuple[str, ...]:
    """Return the policies of a match in the one way in which each is written; UserError unless two differ."""
    names = different_policies(plan, policies, "{!r} is named twice: a policy plays against others")
    if len(names) < 2:
        alone = f", not {names[0]!r} alone" if names else ""
        raise UserError(f"a match needs two policies or more{alone}, as in: wsim match balanced military")
    return names


def tables_of(
    plan: Plan, policies: Sequence[str], rulesets: Sequence[str], players: Sequence[int], question: MatchQuestion
) -> list[MatchTable]:
    """Return the tables of a match, ready to play; raise UserError for what cannot be played.

    ``rulesets``, ``players``: none for that of the plan, and for the usual number of each rule set.
    """
    tables = []
    for ruleset in dict.fromkeys(rulesets or [plan.ruleset]):
        usual = plan.players if not rulesets else int(find_game(plan.game).default_plan(ruleset)["players"])
        for number in dict.fromkeys(players or [usual]):
            table = plan.replace(ruleset=ruleset, players=number, policies=[policies[0]])
            tables.append(made_ready(table, policies, round_robin=question.round_robin))
    return tables


def play_match(
    tables: Sequence[MatchTable],
    question: MatchQuestion,
    output: MatchOutput | None = None,
    execution: Execution = Execution(),
) -> MatchAnswer:
    """Play the tables of a match one after the other and return the answer, which is written, too; see ``match``."""
    where = output or MatchOutput()
    made = made_of(tables, question, tables[0].policies)
    files = opened(where, made)
    costs = [costs_of(table) for table in tables]
    tests = sum(len(table.design.pairs) for table in tables)
    trials = [MatchTrial(table, question, tests) for table in tables]

    def so_far() -> MatchAnswer | None:
        if not any(trial.looks for trial in trials):
            return None
        known = answer_of(trials, costs, made, interrupted=True)
        write_to(where, known, files)
        return known

    hint = "" if files is None else f"go on with: {made['command']} --out {shlex.quote(str(where.out))} --resume"
    ready = [one for table in tables for one in table.ready]
    with execution.interruptible(so_far, hint), execution.chunk_runner(ready) as chunks_of:
        for trial, of_table in zip(trials, costs, strict=True):
            blocks = trial.blocks(chunks_of, _deal_seconds(trial.table, of_table), files)
            trial.play(blocks, execution.progress, f"deals ({trial.table.name})")
    answer = answer_of(trials, costs, made, interrupted=False)
    write_to(where, answer, files)
    return answer


def answer_of(
    trials: Sequence[MatchTrial], costs: Sequence[Sequence[Cost]], made: Mapping[str, Any], *, interrupted: bool
) -> MatchAnswer:
    """Return what the trials say, those without a look left out.

    Parameters
    ----------
    costs: of each policy at each table.
    made: what decides the games (``made_of``).
    """
    question, policies = trials[0].match, trials[0].table.policies
    looked = [trial for trial in trials if trial.looks]
    rated, said = ratings_of(looked, 1 - question.alpha)
    return MatchAnswer(
        policies=policies,
        question=question,
        estimand=DRAWN if any(one.table.design.drawn for one in looked) else ESTIMAND[looked[0].table.design.mixed],
        stopped="interrupted" if interrupted else stopped_of(looked),
        deals=sum(trial.sums.deals for trial in looked),
        games=sum(trial.sums.deals * len(trial.table.simulators) for trial in looked),
        seconds=sum(trial.seconds for trial in looked),
        pairs=pl.concat([pairs_of(trial) for trial in looked]),
        cells=pl.concat([cells_of(trial) for trial in looked]),
        ratings=rated,
        costs=cost_rows(policies, costs),
        remarks=(*remarks_of(looked), *said),
        made=made,
    )


def _deal_seconds(table: MatchTable, costs: Sequence[Cost]) -> float:
    """Return about how long a deal takes in every seating."""
    games = [costs[policy].waited / costs[policy].games for seating in table.design.seatings for policy in seating]
    return sum(games) / table.design.sides
