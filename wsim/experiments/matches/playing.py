"""Policies against each other, every seating of a deal: what ``wsim match`` and ``wsim.match`` do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, Unpack

from wsim.errors import UserError
from wsim.experiments.matches.answer import Match, answer_of, check_target, made_of
from wsim.experiments.matches.costs import Cost, costs_of
from wsim.experiments.matches.kept import Keeper, open_folder
from wsim.experiments.matches.tables import MatchTable, made_ready
from wsim.experiments.matches.trial import MatchQuestion, MatchTrial
from wsim.game import find_game
from wsim.lab.batch import usable_threads
from wsim.lab.cluster import check_cluster, players
from wsim.lab.keys import texts, with_plan_keys
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted, Progress

__all__ = ["MatchKeys", "Output", "match", "named_policies", "play_match", "tables_of"]

_Path: TypeAlias = str | os.PathLike[str]
_Policy: TypeAlias = str | Callable[..., int]


class MatchKeys(TypedDict, total=False):
    """The keys of a plan that a match does not decide itself."""

    game: str
    seed: int
    cards: _Path
    patch: _Path | Sequence[_Path]
    set: str | Sequence[str]
    wonders: str | Sequence[str]
    sides: str | Sequence[str]
    action_cards: bool | str
    two_colour_discs: bool | str


@dataclass(frozen=True)
class Output:
    """Where a match goes.

    Attributes
    ----------
    path: FILE.json or FILE.parquet for the answer, a run folder, which gets it for its report, or a folder of the
        match's own, which keeps all its deals and can be gone on with; None: nowhere.
    resume: go on with the match in that folder.
    """

    path: Path | None = None
    resume: bool = False

    @classmethod
    def of(cls, path: Any, *, resume: Any = False) -> Output:
        """Check what was given; raise UserError for what is no path, or neither true nor false."""
        if path is not None and (not isinstance(path, str | os.PathLike) or not str(path) or "\0" in str(path)):
            raise UserError(f"out must be a file or a folder, not {path!r}")
        if not isinstance(resume, bool):
            raise UserError(f"resume must be true or false, not {resume!r}")
        return cls(None if path is None else Path(path), resume)

    @property
    def _of_its_own(self) -> bool:
        return self.path is not None and not self._is_file and not (self.path / "run.json").is_file()

    @property
    def _is_file(self) -> bool:
        return self.path is not None and self.path.suffix in (".json", ".parquet")

    def open(self, made: dict[str, object]) -> Keeper | None:
        """Check the target before anything is played; return the keeper of the match's own folder, if it has one."""
        if self.resume and not self._of_its_own:
            raise UserError("--resume goes on with the match in a folder of its own: name it with --out FOLDER")
        if self.path is not None and self._is_file:
            check_target(self.path)
        return open_folder(self.path, made, resume=self.resume) if self.path is not None and self._of_its_own else None

    def write(self, answer: Match, keeper: Keeper | None) -> Path | None:
        """Write the answer and return where it lies."""
        if keeper is not None:
            return keeper.write(answer.record())
        return None if self.path is None else answer.write(self.path)


@with_plan_keys(MatchKeys)
def match(
    *policies: _Policy,
    players: int | Sequence[int] | None = None,
    ruleset: str | Sequence[str] | None = None,
    round_robin: bool = False,
    budget: int = 10_000,
    alpha: float = 0.05,
    margin: float | None = None,
    within: float | None = None,
    spending: str = "pocock",
    out: _Path | None = None,
    resume: bool = False,
    threads: int | None = None,
    cluster: str | None = None,
    **keys: Unpack[MatchKeys],
) -> Match:
    """Play policies against each other, every seating of common deals.

    Parameters
    ----------
    policies: at least two entries of a line-up, or functions of Python.
    players, ruleset: one or several; every rule set with every number of players is a table of its own.
    round_robin, budget, alpha, margin, within, spending: see ``MatchQuestion``.
    out, resume: see ``Output``.
    threads: how many threads play. cluster: play on these workers instead, ``local:4`` or ``tcp://host:8786``.
    keys: of the plan, as for ``simulate``.

    Raises UserError for whatever cannot be played, Interrupted on Ctrl-C with the answer so far.

    >>> wsim.match("balanced", "military", budget=2000).pairs  # doctest: +SKIP
    """
    check_cluster(cluster, threads)
    question = MatchQuestion(round_robin, budget, alpha, margin, within, spending)
    plan = Plan.make(**keys)
    names = named_policies(plan, policies)
    rulesets = () if ruleset is None else texts("ruleset", ruleset)
    tables = tables_of(plan, names, rulesets, _numbers(players), question)
    return play_match(tables, question, Output.of(out, resume=resume), threads=threads, cluster=cluster)


def _numbers(players: Any) -> list[Any]:
    """Return numbers of players as a list; the plan checks how large they are."""
    numbers = [] if players is None else list(players) if isinstance(players, list | tuple | range) else [players]
    if any(type(number) is not int for number in numbers):
        raise UserError(f"players must be a whole number or several, not {players!r}")
    return numbers


def named_policies(plan: Plan, policies: Iterable[_Policy]) -> list[str]:
    """Return the policies of a match in the one way in which each is written; UserError unless two differ."""
    names = [one for policy in policies for one in plan.replace(players=1, policies=[policy]).policies]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise UserError(f"{name!r} is named twice: a policy plays against others")
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
    output: Output | None = None,
    *,
    threads: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Match:
    """Play the tables of a match one after the other and return the answer, which is written, too; see ``match``."""
    usable_threads(threads)  # refuses what cannot be
    where = output or Output()
    made = made_of(tables, question, tables[0].policies)
    keeper = where.open(made)
    costs = [costs_of(table) for table in tables]
    tests = sum(len(table.design.pairs) for table in tables)
    trials = [MatchTrial(table, question, tests) for table in tables]
    try:
        with players(cluster, [one for table in tables for one in table.ready], threads) as chunks_of:
            for trial, of_table in zip(trials, costs, strict=True):
                blocks = trial.blocks(chunks_of, _deal_seconds(trial.table, of_table), keeper)
                trial.play(blocks, progress, f"deals ({trial.table.name})")
    except KeyboardInterrupt:
        known = None
        if any(trial.looks for trial in trials):
            known = answer_of(trials, costs, made, interrupted=True)
            where.write(known, keeper)
        raise Interrupted(known) from None
    answer = answer_of(trials, costs, made, interrupted=False)
    where.write(answer, keeper)
    return answer


def _deal_seconds(table: MatchTable, costs: Sequence[Cost]) -> float:
    """Return about how long a deal takes in every seating."""
    games = [costs[policy].waited / costs[policy].games for seating in table.design.seatings for policy in seating]
    return sum(games) / table.design.sides
