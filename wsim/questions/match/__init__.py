"""Matches: policies against each other, in every seating of each deal."""

from wsim.questions.registry import Question

QUESTION = Question(
    name="match",
    title="Match",
    asks="Which policy wins more often?",
    topic="Players",
    short="Which policy is stronger, in every seating of each deal.",
    panel="Experiments",
    package=__name__,
    groups=("question:MatchQuestion", "question:MatchTables", "question:MatchOutput"),
    ask="answer:ask",
    answer="answer:MatchAnswer",
    formats=("wsim-match/1",),
    plan=("game", "seed", "cards", "patch", "set"),
    write="answer:written",
    section="Matches",
    first=("policies", "players", "budget"),
    checks_first=True,
)
