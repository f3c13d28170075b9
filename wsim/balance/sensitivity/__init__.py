"""Sensitivity: the effect that each step of each knob has on the targets of a goal."""

from wsim.questions.registry import Question

QUESTION = Question(
    name="sensitivity",
    title="Sensitivity",
    asks="Which value moves the balance most?",
    topic="Balance",
    short="Measure the effect of each step of the values in a goal file.",
    package=__name__,
    groups=("question:SensitivityQuestion",),
    ask="answer:ask",
    answer="answer:SensitivityAnswer",
    formats=("wsim-sensitivity/1",),
    display="question:Every",
    first=("goal", "games", "seed"),
)
