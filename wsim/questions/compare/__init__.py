"""Compare: the difference between two runs, metric by metric."""

from wsim.questions.registry import Question

QUESTION = Question(
    name="compare",
    title="Compare runs",
    asks="How do two runs differ?",
    topic="Cards and rules",
    short="How two runs differ, with intervals.",
    panel="Analyse a run",
    package=__name__,
    groups=("question:CompareQuestion",),
    ask="answer:ask",
    answer="answer:CompareAnswer",
    formats=("wsim-compare/1",),
    first=("first", "second", "metric"),
)
