"""Matches: play policies against each other in every seating of each deal (``wsim match``, ``wsim.match``)."""

from __future__ import annotations

import hashlib
import secrets
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
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
    Conclusion,
    Document,
    Sheet,
    estimated,
    names,
)
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.answer import UNRECORDED, Answer, Stored, View, recorded_provenance, whole
from wsim.lab.execution import Execution
from wsim.lab.plan import MAX_SEED, Plan
from wsim.lab.repetition import RepetitionSettings, counted, unlike
from wsim.options import Policy
from wsim.policies.declare import UNCHECKED, isolated_by_default
from wsim.policies.lineup import parse_entry
from wsim.questions.deals import different_policies
from wsim.questions.match.conclusion import conclusion_of
from wsim.questions.match.costs import Cost, costs_of
from wsim.questions.match.deal_files import ANSWER, DealFiles, begun, open_folder
from wsim.questions.match.question import MatchOutput, MatchQuestion, MatchTables
from wsim.questions.match.results import cells_of, cost_rows, made_of, pairs_of, ratings_of, remarks_of, stopped_of
from wsim.questions.match.tables import MatchTable, prepare_seatings
from wsim.questions.match.trial import MatchTrial
from wsim.stats.columns import DECIDED_AT, FAIR_SHARE, FAIR_SHARE_RATIO, OF_WINS, VERDICT, WIN_DIFFERENCE, WIN_SHARE
from wsim.stats.precision import undecided_note

ESTIMAND = {
    True: "Win share of a policy at tables with all other policies, in every arrangement of a deal",
    False: "Win share of one seat of a policy when all other seats play the other policy, each seat of a deal in turn",
}
"""The estimand, by whether tables are mixed."""
DRAWN = (
    "Win share of a policy at tables with all other policies, each in every seat of a deal, in an order drawn per deal"
)
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
MAX_MATRIX = 12
"""Largest number of policies for which a matrix is shown: more columns do not fit on a screen."""
_ENDS = ("", "_low", "_high")


@dataclass(frozen=True, repr=False)
class MatchAnswer(Answer):
    """The result of a match.

    Attributes
    ----------
    policies: the policies in the given order.
    question: how the match was played and decided.
    estimand: the win share, in one sentence.
    stopped: why playing stopped: ``clear``, ``known`` (to the wanted precision), ``budget`` or ``interrupted``.
    deals, games: the numbers of deals and games played at all tables together. seconds: the time that playing took.
    pairs: one row per pair of policies and table: ruleset, players, policy, other, win_share of the first and
        other_share of the second, fair (share of a side), difference (first minus second), margin (points by which the
        first is ahead of the second at the same table), all except fair with _low and _high; verdict, decided_at
        (deals), deals. Verdicts are higher, lower, equivalent, unclear; identical: no deal differed.
    cells: one row per policy, field and table: ruleset, players, policy, against (the policy of all other seats; None:
        mixed), win_share, times_fair, and margin (its points minus the mean of the other sides at the table), each with
        _low and _high, deals.
    ratings: policy, rating (400 points are ten times the strength, the mean is 0) with _low and _high, strength; empty
        if the games do not determine ratings.
    costs: policy, microseconds (processor time per decision, None if decisions are not counted), games per second on
        one thread in self-play.
    remarks: caveats, one sentence each, without a full stop.
    looks: the number of deals at each look so far, by table; a continued match keeps them.
    made: the settings that determine the games: plans, digests, versions.
    """

    FORMAT: ClassVar[str] = "wsim-match/1"
    COMMAND: ClassVar[str] = "wsim match"
    TITLE: ClassVar[str] = "the match"
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
    looks: Mapping[str, Sequence[int]] = field(repr=False)
    made: Mapping[str, Any] = field(repr=False, metadata=UNRECORDED)

    def record(self) -> dict[str, Any]:
        """Return the answer as a JSON object, preceded by the settings that determine the games."""
        return {"format": self.FORMAT, **self.made, **super().record()}

    def matrix(self, column: str = "win_share") -> pl.DataFrame:
        """Return a figure of the cells as a matrix: a row per policy, a column per field (``mixed``: a single one)."""
        against = pl.col("against").fill_null("mixed")
        wide = self.cells.with_columns(against).pivot("against", index=["ruleset", "players", "policy"], values=column)
        order = [*(name for name in self.policies if name in wide.columns), *({"mixed"} & set(wide.columns))]
        return wide.select("ruleset", "players", "policy", *order)

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:
        """Return the column declarations of each table."""
        policies = [estimated(str(name), SHARE, unit=OF_WINS) for name in record["policies"]]
        return {**dict.fromkeys(cls.TABLES, _COLUMNS), "matrix": (*_COLUMNS, *policies)}

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:
        """State which policy wins more often."""
        return conclusion_of(stored)

    @classmethod
    def document(cls, stored: Stored) -> Document:
        """Return a stored answer as a document for pages: the differences of all pairs, and all cells."""
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
        """Return the answer as a document: pairs, the matrix of a round-robin, ratings with costs, notes."""
        shown = view(self.pairs)
        fair = sorted(set(self.pairs["fair"].to_list()))
        shares = f" (fair share of wins: {fair[0]:.3f})" if len(fair) == 1 else ""
        declared = self.columns({"policies": self.policies})
        tables = [Sheet(f"Match: {self._where()}{shares}", _slim(shown), declared["pairs"], first=FIRST)]
        if self.question.round_robin and 2 < len(self.policies) <= MAX_MATRIX:
            title = "Win share of one seat of the row's policy against seats that all play the column's policy"
            tables.append(Sheet(title, self._matrix().to_dicts(), declared["matrix"]))
        elif self.cells["against"].is_null().all():
            cells = _slim(self.cells.drop("against"))
            tables.append(Sheet("Win share of each policy at these tables", cells, declared["cells"]))
        both = self.ratings.join(self.costs, on="policy", how="full", coalesce=True, maintain_order="left")
        title = "Ratings, and cost per decision"
        tables.append(Sheet(title, both.to_dicts(), declared["ratings"], first=("policy", "rating")))
        return Document(rows=shown, named="pairs", tables=tables, notes=self._notes())

    def _where(self) -> str:
        """Describe the tables in a phrase: ``1e, 4 players``."""
        rulesets, players = (list(dict.fromkeys(self.pairs[name].to_list())) for name in ("ruleset", "players"))
        return f"{' and '.join(rulesets)}, {' and '.join(map(str, players))} players"

    def _matrix(self) -> pl.DataFrame:
        """Return the matrix with interval ends, so that cells are displayed as ``0.46 ±0.01``."""
        parts = [self.matrix(f"win_share{end}") for end in _ENDS]
        keys = ["ruleset", "players", "policy"]
        table = parts[0]
        for end, part in zip(_ENDS[1:], parts[1:], strict=True):
            renamed = part.rename({name: f"{name}{end}" for name in part.columns if name not in keys})
            table = table.join(renamed, on=keys, maintain_order="left")
        named = [name for name in self.policies if name in table.columns]
        ordered = [f"{name}{end}" for name in named for end in _ENDS]
        return table.select(*(key for key in keys if key == "policy" or not _is_constant(table, key)), *ordered)

    def _notes(self) -> list[str]:
        """Return notes on estimand, confidence and stopping, and the remarks."""
        question = self.question
        sure = f"{100 * (1 - question.alpha):g}%"
        why = {
            "clear": f"Stopped because the answer is clear (budget: {question.budget:,} deals per table)",
            "known": f"Stopped because all win shares are known to within {question.within}",
            "budget": "Stopped because the budget is spent",
            "interrupted": "Interrupted",
        }[self.stopped]
        rate = f", {self.games / self.seconds:,.0f} per second" if self.seconds > 0 else ""
        together = (
            "Differences are jointly valid, for all pairs and looks,"
            if self.pairs.height > 1
            else "The difference is valid"
        )
        return [
            f"{self.estimand}. Margin: points ahead at the same table.",
            f"{together} with {sure} confidence; intervals are clustered by deal.",
            f"{why}: {self.deals:,} deals, {self.games:,} games in {self.seconds:.1f} s{rate}.",
            *filter(None, [self._undecided_note()]),
            *(f"{remark}." for remark in self.remarks),
            *self._modes(),
            *self._seed(),
        ]

    def _seed(self) -> list[str]:
        """Return a note that reveals the seed of a contest."""
        commitment = self.made.get("seed_commitment")
        seed = self.made["plan"]["seed"] if commitment else 0
        return (
            [f"The seed of this contest is {seed}; its SHA-256, published before: {commitment}."] if commitment else []
        )

    def _undecided_note(self) -> str:
        """Return a sentence on how many more deals would settle the unclear pairs."""
        labels = [name for name in ("policy", "other", "ruleset", "players") if self.pairs[name].n_unique() > 1]
        deals, margin = int(self.pairs["deals"].max() or 0), self.question.margin  # type: ignore[arg-type]
        return undecided_note(self.pairs, labels, "difference", deals, margin=margin, unit="deals")

    def _modes(self) -> list[str]:
        """Return a note on how user policies were played, if there are any."""
        from wsim.policies.user_policies import installed_module

        own = [name for name in self.policies if (entry := parse_entry(name)).file or installed_module(entry)]
        if not own:
            return []
        names, checks = ", ".join(own), "without" if UNCHECKED.get() else "with"
        if not self.made.get("isolated"):
            how = f"compiled policies received copies of what their seats may see, {checks} bounds checks"
            return [f"{names}: trusted, in this process; {how}."]
        return [f"{names}: isolated, each in its own process.", *self.made.get("failures", ())]

    @classmethod
    def identity(cls, record: Mapping[str, Any]) -> Any:
        """Return the fields that distinguish an answer from other answers of its kind in a folder."""
        return [record["digests"], record["question"]]

    @classmethod
    def flat_plan(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the plan of the first table, with one seat per policy."""
        names = list(record["policies"])
        return {**record["made"]["plan"], "policies": names, "players": len(names)}

    @classmethod
    def restored(cls, record: Mapping[str, Any], how: RepetitionSettings) -> Callable[[], Answer]:
        """Return a function that plays the recorded tables again."""
        question = MatchQuestion.restored(record["question"])
        recorded_provenance(record["made"])
        _ = _digests(record)
        at = [(str(table["ruleset"]), int(table["players"])) for table in record["tables"]]
        plan = how.restored(cls.flat_plan(record))
        names = plan.policies
        if not at or len(names) < 2:
            raise UserError("the answer is damaged: a match needs a table and at least two policies")
        tables = [
            prepare_seatings(
                plan.replace(ruleset=ruleset, players=players, policies=[names[0]]),
                names,
                round_robin=question.round_robin,
            )
            for ruleset, players in at
        ]
        return lambda: play_match(tables, question, execution=how.execution)

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        """Describe the data that a rerun compares."""
        return f"{record['deals']:,} deals in every seating, {counted(len(record['pairs']), 'pair')}"

    def provenance_differences(self, record: Mapping[str, Any]) -> list[str]:
        """Describe how the settings of the games differ: for the first policy, or else that some policy differs."""
        recorded, current = (recorded_provenance(source["made"]) for source in (record, self.made))
        differences = [] if _digests(record) == _digests(self.made) else ["a policy or a rule set was different"]
        if record.get("seatings") != self.made.get("seatings"):
            differences.append("the seatings were different")
        return unlike(recorded, current) or differences


def _digests(record: Mapping[str, Any]) -> list[str]:
    return [digest for of_table in record["digests"].values() for digest in of_table]


def _slim(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Drop columns that the title shows or that are constant; the JSON record has all of them."""
    hidden = [
        name for name in ("ruleset", "players", "fair") if frame.height and name in frame and _is_constant(frame, name)
    ]
    hidden += [name for name in ("decided_at", "times_fair", "times_fair_low", "times_fair_high") if name in frame]
    return frame.drop(hidden).to_dicts()


def _is_constant(frame: pl.DataFrame, name: str) -> bool:
    return frame[name].n_unique() == 1


def _has_own_folder(output: MatchOutput) -> bool:
    """Return whether a match is stored in its own folder."""
    return output.out is not None and not _is_file(output.out) and not (output.out / "run.json").is_file()


def _is_file(path: Path) -> bool:
    return path.suffix in (".json", ".parquet")


def opened(output: MatchOutput, made: dict[str, object]) -> DealFiles | None:
    """Check the output target before playing; return the files of the match's own folder, if it has one."""
    if output.resume and not _has_own_folder(output):
        raise UserError("--resume continues the match in a folder: name it with --out FOLDER")
    if output.out is not None and _is_file(output.out):
        MatchAnswer.check_target(output.out)
    return open_folder(output.out, made, resume=output.resume) if output.out and _has_own_folder(output) else None


def write_to(output: MatchOutput, answer: MatchAnswer, files: DealFiles | None) -> Path | None:
    """Write an answer and return its path."""
    if files is not None:
        return files.write(answer.record())
    return None if output.out is None else answer.write(output.out)


def ask(
    plan: Plan, question: MatchQuestion, at: MatchTables, output: MatchOutput, execution: Execution = Execution()
) -> MatchAnswer:
    """Play policies against each other, in every seating of common deals.

    Raises UserError for an invalid match, Interrupted on Ctrl-C with the answer so far.
    """
    commitment = ""
    if output.contest:
        if output.resume:
            raise UserError("a contest draws a new seed: resume one with --seed SEED instead of --contest")
        plan = plan.replace(seed=secrets.randbelow(MAX_SEED))
        commitment = hashlib.sha256(str(plan.seed).encode()).hexdigest()
        sys.stderr.write(f"wsim: the SHA-256 of the seed of this contest is {commitment}\n")
    policies = named_policies(plan, at.policies)
    with isolated_by_default() if output.contest else nullcontext():
        tables = tables_of(plan, policies, at.ruleset, at.players, question)
    return play_match(tables, question, output, execution, commitment)


def written(_answer: MatchAnswer, _question: MatchQuestion, _at: MatchTables, output: MatchOutput) -> Path | None:
    """Return the path of the answer, which was written while playing."""
    return output.out


def named_policies(plan: Plan, policies: Iterable[Policy]) -> tuple[str, ...]:
    """Return the policies of a match in canonical spelling; raise UserError for fewer than two."""
    names = different_policies(plan, policies, "{!r} is named twice: a policy plays against different ones")
    if len(names) < 2:
        alone = f", not {names[0]!r} alone" if names else ""
        raise UserError(f"a match needs at least two policies{alone}, as in: wsim match balanced military")
    return names


def tables_of(
    plan: Plan, policies: Sequence[str], rulesets: Sequence[str], players: Sequence[int], question: MatchQuestion
) -> list[MatchTable]:
    """Return the tables of a match, ready to play; raise UserError for an invalid one.

    ``rulesets``, ``players``: if empty, the rule set of the plan and the default number of players of each rule set.
    """
    tables = []
    with contest_of_files(policies):
        for ruleset in dict.fromkeys(rulesets or [plan.ruleset]):
            default = plan.players if not rulesets else int(find_game(plan.game).default_plan(ruleset)["players"])
            for number in dict.fromkeys(players or [default]):
                table = plan.replace(ruleset=ruleset, players=number, policies=[policies[0]])
                tables.append(prepare_seatings(table, policies, round_robin=question.round_robin))
    return tables


def contest_of_files(policies: Sequence[str]) -> AbstractContextManager[None]:
    """Isolate policies from two or more files within a context, unless the user trusts them."""
    from wsim.policies.user_policies import installed_module

    files = {entry.file or installed_module(entry) for entry in map(parse_entry, policies)} - {None}
    return isolated_by_default() if len(files) > 1 else nullcontext()


def play_match(
    tables: Sequence[MatchTable],
    question: MatchQuestion,
    output: MatchOutput | None = None,
    execution: Execution = Execution(),
    commitment: str = "",
) -> MatchAnswer:
    """Play the tables of a match one after the other, write the answer, and return it; see ``ask``."""
    where = output or MatchOutput()
    if where.resume and where.out is not None and _has_own_folder(where):
        question = question.continuing(begun(where.out / ANSWER))
    made = made_of(tables, question, tables[0].policies)
    if commitment:
        made = {**made, "seed_commitment": commitment}
    from wsim.policies.isolation import failures, isolated_in, listed_failures

    apart = isolated_in(simulator for table in tables for simulator in table.simulators)
    if apart:
        made = {**made, "isolated": apart}
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

    hint = "" if files is None else f"continue with: {made['command']} --out {shlex.quote(str(where.out))} --resume"
    ready = [pair for table in tables for pair in table.ready]
    with execution.interruptible(so_far, hint), execution.chunk_runner(ready) as chunks_of:
        for trial, of_table in zip(trials, costs, strict=True):
            blocks = trial.blocks(chunks_of, _deal_seconds(trial.table, of_table), files)
            trial.play(blocks, execution.progress, f"deals ({trial.table.name})")
    if failed := failures(apart):
        made = {**made, "failures": failed, "failed_decisions": listed_failures(apart)}
    answer = answer_of(trials, costs, made, interrupted=False)
    write_to(where, answer, files)
    return answer


def answer_of(
    trials: Sequence[MatchTrial], costs: Sequence[Sequence[Cost]], made: Mapping[str, Any], *, interrupted: bool
) -> MatchAnswer:
    """Build the answer from trials that have had at least one look.

    Parameters
    ----------
    costs: the costs of each policy at each table.
    made: the settings that determine the games (``made_of``).
    """
    question, policies = trials[0].match, trials[0].table.policies
    looked = [trial for trial in trials if trial.looks]
    rated, more = ratings_of(looked, 1 - question.alpha)
    return MatchAnswer(
        policies=policies,
        question=question,
        estimand=DRAWN if any(trial.table.design.drawn for trial in looked) else ESTIMAND[looked[0].table.design.mixed],
        stopped="interrupted" if interrupted else stopped_of(looked),
        deals=sum(trial.sums.deals for trial in looked),
        games=sum(trial.sums.deals * len(trial.table.simulators) for trial in looked),
        seconds=sum(trial.seconds for trial in looked),
        pairs=pl.concat([pairs_of(trial) for trial in looked]),
        cells=pl.concat([cells_of(trial) for trial in looked]),
        ratings=rated,
        costs=cost_rows(policies, costs),
        remarks=(*remarks_of(looked), *more),
        looks={trial.table.name: tuple(look.deals for look in trial.looks) for trial in looked},
        made=made,
    )


def _deal_seconds(table: MatchTable, costs: Sequence[Cost]) -> float:
    """Estimate the seconds that it takes to play a deal in every seating."""
    games = [costs[policy].waited / costs[policy].games for seating in table.design.seatings for policy in seating]
    return sum(games) / table.design.sides
