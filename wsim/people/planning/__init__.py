"""Planning: compute how many more games people should play, and with which boards."""

from wsim.questions.registry import Question

QUESTION = Question(
    name="planning",
    title="Plan people's games",
    asks="What should people play next?",
    topic="People's games",
    command="people plan",
    short="Which games people should play next, and when to stop.",
    panel="Analyse a run",
    function="plan_games",
    package=__name__,
    groups=("question:PlanningQuestion",),
    ask="answer:ask",
    answer="answer:PlanningAnswer",
    formats=("wsim-planning/1",),
    section="What to play next",
    people_page=True,
    first=("study", "people", "evenings"),
)
