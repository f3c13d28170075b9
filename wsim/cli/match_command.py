"""``wsim match``: policies against each other on common deals, as tables."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from wsim.cli.presenter import Output, answered
from wsim.experiments.match import named_policies, play_match, tables_of

if TYPE_CHECKING:
    from wsim.cli.exports import Files
    from wsim.cli.groups import Printing, Wide, Workers
    from wsim.cli.plan_keys import PlanOptions
    from wsim.experiments.match import Match
    from wsim.experiments.match_question import MatchOutput, MatchQuestion, MatchTables


def match_command(
    plan: PlanOptions,
    question: MatchQuestion,
    at: MatchTables,
    output: MatchOutput,
    workers: Workers,
    table: Wide,
    files: Files,
    printing: Printing,
) -> None:
    """Play, print the answer, write it if asked; after Ctrl-C print what is known so far and exit with 130."""
    shown = Output(printing, files, table.wide)
    shown.check()
    base = plan.resolve()
    policies = named_policies(base, plan.arguments)
    tables = tables_of(base, policies, at.ruleset, at.players, question)
    answered(
        lambda progress: play_match(tables, question, output, progress=progress, **workers.record()),
        shown,
        game=base.game,
        write=lambda _: output.out,  # it is written already, deal by deal in a folder of its own
        so_far=lambda answer: f"this is what the deals so far say{_again(answer, output)}",
    )


def _again(answer: Match, output: MatchOutput) -> str:
    """Say how a match that was interrupted goes on, if its deals were kept."""
    if output.out is None or not (output.out / "deals").is_dir():
        return ""
    return f"; go on with: {answer.made['command']} --out {shlex.quote(str(output.out))} --resume"
