"""Policies against each other, every seating of a deal: what ``wsim match`` and ``wsim.match`` do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from wsim.errors import UserError
from wsim.experiments.match_question import MatchOutput, MatchQuestion, MatchTables
from wsim.experiments.matches.answer import Match, answer_of, check_target, made_of
from wsim.experiments.matches.costs import Cost, costs_of
from wsim.experiments.matches.kept import Keeper, open_folder
from wsim.experiments.matches.tables import MatchTable, made_ready
from wsim.experiments.matches.trial import MatchTrial
from wsim.game import find_game
from wsim.lab.batch import usable_threads
from wsim.lab.cluster import check_cluster, players
from wsim.lab.keys import plan_keys
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted, Progress
from wsim.options import keywords, taken

__all__ = ["match", "named_policies", "play_match", "tables_of"]

_OWN = ("games", "policies", "rotate", "picks", "keep")
"""Keys of a plan that a match decides itself."""
_Policy: TypeAlias = str | Callable[..., int]


def _of_its_own(output: MatchOutput) -> bool:
    """Say whether a match goes into a folder of its own."""
    return output.out is not None and not _is_file(output.out) and not (output.out / "run.json").is_file()


def _is_file(path: Path) -> bool:
    return path.suffix in (".json", ".parquet")


def opened(output: MatchOutput, made: dict[str, object]) -> Keeper | None:
    """Check the target before anything is played; return the keeper of the match's own folder, if it has one."""
    if output.resume and not _of_its_own(output):
        raise UserError("--resume goes on with the match in a folder of its own: name it with --out FOLDER")
    if output.out is not None and _is_file(output.out):
        check_target(output.out)
    return open_folder(output.out, made, resume=output.resume) if output.out and _of_its_own(output) else None


def write_to(output: MatchOutput, answer: Match, keeper: Keeper | None) -> Path | None:
    """Write an answer and return where it lies."""
    if keeper is not None:
        return keeper.write(answer.record())
    return None if output.out is None else answer.write(output.out)


@keywords(MatchTables, MatchQuestion, MatchOutput, plan_keys, left_out=_OWN)
def match(*policies: _Policy, threads: int | None = None, cluster: str | None = None, **keys: Any) -> Match:
    """Play policies against each other, every seating of common deals.

    Parameters
    ----------
    policies: at least two entries of a line-up, or functions of Python.
    players, ruleset: every rule set with every number of players is a table of its own.
    threads: how many threads play. cluster: play on these workers instead, ``local:4`` or ``tcp://host:8786``.
    keys: of the plan, as for ``simulate``.

    Raises UserError for whatever cannot be played, Interrupted on Ctrl-C with the answer so far.

    >>> wsim.match("balanced", "military", budget=2000).pairs  # doctest: +SKIP
    """
    check_cluster(cluster, threads)
    keys = {name: value for name, value in keys.items() if name not in ("players", "ruleset") or value is not None}
    question, at, output = taken(keys, MatchQuestion), taken(keys, MatchTables), taken(keys, MatchOutput)
    for name in _OWN:
        if name in keys:
            raise UserError(f"a match decides {name!r} itself")
    plan = Plan.make(**keys)
    tables = tables_of(plan, named_policies(plan, policies), at.ruleset, at.players, question)
    return play_match(tables, question, output, threads=threads, cluster=cluster)


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
    output: MatchOutput | None = None,
    *,
    threads: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Match:
    """Play the tables of a match one after the other and return the answer, which is written, too; see ``match``."""
    usable_threads(threads)  # refuses what cannot be
    where = output or MatchOutput()
    made = made_of(tables, question, tables[0].policies)
    keeper = opened(where, made)
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
            write_to(where, known, keeper)
        raise Interrupted(known) from None
    answer = answer_of(trials, costs, made, interrupted=False)
    write_to(where, answer, keeper)
    return answer


def _deal_seconds(table: MatchTable, costs: Sequence[Cost]) -> float:
    """Return about how long a deal takes in every seating."""
    games = [costs[policy].waited / costs[policy].games for seating in table.design.seatings for policy in seating]
    return sum(games) / table.design.sides
