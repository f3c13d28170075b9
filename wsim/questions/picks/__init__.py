"""Pick experiments: the causal effect of taking a card."""

from wsim.questions.registry import ItemLink, Question

QUESTION = Question(
    name="picks",
    title="Pick experiment",
    asks="What does a seat gain by taking a card?",
    topic="Cards and rules",
    command="experiment picks",
    short="What taking a card causes, from randomised picks.",
    panel="Experiments",
    function="experiment_picks",
    package=__name__,
    groups=("question:PickPlay", "question:PickQuestion"),
    ask="answer:ask",
    answer="answer:PicksAnswer",
    formats=("wsim-picks/2",),
    plan=("game", "ruleset", "players", "games", "seed", "policies", "rotate", "cards", "patch", "set"),
    games=20_000,
    games_help="20,000",
    write="answer:written",
    item_link=ItemLink("card", "What does taking this {noun} cause?", "PICKS"),
    item_effects=True,
    first=("card", "outcome", "games"),
    checks_first=True,
)
