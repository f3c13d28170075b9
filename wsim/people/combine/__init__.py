"""Combine simulated games with people's games into one estimate per wonder."""

from wsim.questions.registry import Question

QUESTION = Question(
    name="combine",
    title="Combine simulated and people's games",
    asks="What do people's games and the simulation say together?",
    topic="People's games",
    command="people combine",
    short="One estimate per wonder from simulated and people's games.",
    panel="Analyse a run",
    function="combine",
    package=__name__,
    groups=("question:CombineQuestion",),
    ask="answer:ask",
    answer="answer:CombineAnswer",
    formats=("wsim-combine/1",),
    section="What the simulation adds",
    people_page=True,
    first=("study", "people", "metric"),
)
