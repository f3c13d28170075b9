"""All forms of the workbench: one for a run, and one for each question."""

from __future__ import annotations

from wsim.questions.registry import find_question, questions
from wsim.workbench.goal_form import GoalForm
from wsim.workbench.questions import Form
from wsim.workbench.run_form import RunForm


def form_of(name: str) -> Form:
    """Return the form of a question, of a run or of a goal; raise UserError if there is no such question."""
    own: list[Form] = [RunForm(), GoalForm()]
    return next((form for form in own if form.name == name), None) or Form(find_question(name))


def forms() -> list[Form]:
    """Return the form of a run and the forms of all questions."""
    return [RunForm(), *(Form(question) for question in questions())]
