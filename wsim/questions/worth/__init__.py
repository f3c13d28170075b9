"""Worth: the gain of each item for the seat that wants it, compared with its next best move."""

from wsim.questions.registry import Question

QUESTION = Question(
    name="worth",
    title="Worth",
    asks="What is each card worth to the seat that wants it?",
    topic="Cards and rules",
    command="experiment worth",
    short="What each card is worth to the seat that wants it.",
    panel="Experiments",
    function="experiment_worth",
    package=__name__,
    groups=("question:WorthQuestion",),
    ask="answer:ask",
    answer="answer:WorthAnswer",
    formats=("wsim-worth/1",),
    plan=("game", "ruleset", "players", "games", "seed", "policies", "rotate", "cards", "patch", "set"),
    games=12_500,
    games_help="12,500",
    section="Worth",
    first=("by", "policies", "games"),
    checks_first=True,
)
