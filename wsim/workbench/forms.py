"""All forms of the workbench: one for a run, and one for each question."""

from __future__ import annotations

from wsim.questions.registry import find_question, questions
from wsim.workbench.questions import Form
from wsim.workbench.run_form import RunForm


def form_of(name: str) -> Form:
    """Return the form of a question, or of a run; raise UserError if there is no such question."""
    run = RunForm()
    return run if name == run.name else Form(find_question(name))


def forms() -> list[Form]:
    """Return the form of a run and the forms of all questions."""
    return [RunForm(), *(Form(question) for question in questions())]
