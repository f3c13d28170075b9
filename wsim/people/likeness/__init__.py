"""Likeness: find out which policies play most like a group of people, and how strong these people are."""

from wsim.questions.registry import Question

QUESTION = Question(
    name="likeness",
    title="Who plays like these people",
    asks="Which policy plays like these people?",
    topic="People's games",
    command="people like",
    short="Which policy is most like these people, and how strong they are.",
    panel="Analyse a run",
    function="most_like",
    package=__name__,
    groups=("question:LikenessQuestion",),
    ask="answer:ask",
    answer="answer:LikenessAnswer",
    formats=("wsim-likeness/1",),
    first=("folders", "level"),
)
