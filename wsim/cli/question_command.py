"""Run the command of any question: compute the answer with a progress bar, print it, write it, and handle Ctrl-C."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from typer import Exit

from wsim.cli.console import announce_compiling
from wsim.cli.parameters import Fields, Group
from wsim.cli.plan_keys import PlanKeys
from wsim.cli.presenter import Output, answered
from wsim.options import options_of

if TYPE_CHECKING:
    from wsim.lab.answer import Answer
    from wsim.questions.registry import Question

FIXED = {
    "view": Fields("wsim.cli.groups:View"),
    "files": Fields("wsim.cli.exports:Files"),
    "workers": Fields("wsim.cli.groups:Workers"),
    "printing": Fields("wsim.cli.groups:Printing"),
}
"""The option groups that the commands of all questions share."""
OUT = Fields("wsim.cli.groups:AnswerFile")


def groups_of(question: Question) -> dict[str, Group]:
    """Return the option groups of a question's command."""
    own: dict[str, Group] = {
        f"group{number}": Fields(f"{question.package}.{name}", raw=True) for number, name in enumerate(question.groups)
    }
    if question.plan:
        words = question.words
        usage = "" if words is None else str(options_of(words[0])[words[1].name][1].metavar or "")
        own["plan"] = PlanKeys(
            only=question.plan, file=True, games=question.games_help, others=question.plan_options, usage=usage
        )
    if question.display:
        own["display"] = Fields(f"{question.package}.{question.display}")
    if not question.write:
        own["answer"] = OUT
    return {**own, **FIXED}


def present_question(question: Question, values: Mapping[str, Any]) -> None:
    """Compute, print and write the answer to a question; on Ctrl-C, print the answer so far and exit with code 130."""
    from wsim.lab.execution import Execution

    plan_options, out = values.get("plan"), values["answer"].out if "answer" in values else None
    printing, view, workers = values["printing"], values["view"], values["workers"]
    given = [values[f"group{number}"] for number in range(len(question.groups))]
    groups = question.groups_of(given, plan_options.arguments if plan_options else ())
    output = Output(printing, values["files"], view.wide, out)
    output.check(None if out is None else question.answer_class)
    plan = None
    if plan_options is not None:
        plan = plan_options.resolve(**({} if question.games is None else {"games": question.games}))
    game = plan.game if plan else next((group.game for group in groups if hasattr(group, "game")), None)
    if isinstance(game, str):
        announce_compiling(game, quiet=printing.quiet)
    shown = asdict(values["display"]) if question.display else {}

    def write(answer: Answer) -> object:
        return output.write(answer) if not question.write else question.written(answer, groups)

    answer = answered(
        lambda progress: question.answered(plan, groups, Execution(workers.threads, workers.cluster, progress)),
        output,
        display=lambda answer: answer.shown(view.of, **shown),
        write=write,
    )
    if answer.exit_code:
        raise Exit(answer.exit_code)
