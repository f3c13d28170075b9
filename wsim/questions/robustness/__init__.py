"""Robustness: how much figures differ between players."""

from wsim.questions.registry import Question

QUESTION = Question(
    name="robustness",
    title="Robustness",
    asks="Would other players get the same results?",
    topic="Players",
    short="Whether other good players would get the same results.",
    panel="Experiments",
    aliases=("rest",),
    package=__name__,
    groups=("question:RobustnessQuestion", "question:Players"),
    ask="answer:ask",
    answer="answer:RobustnessAnswer",
    formats=("wsim-robustness/1", "wsim-rest/1"),
    plan=("game", "ruleset", "players", "games", "seed", "cards", "patch", "set"),
    games=20_000,
    games_help="20,000 for each policy",
    section="Between players",
    first=("policies", "tables", "games"),
    checks_first=True,
)
