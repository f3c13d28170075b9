"""Character: how games unfold, apart from who wins: decisiveness, drama, causes, ways to win, interaction."""

from wsim.questions.registry import Question

QUESTION = Question(
    name="character",
    title="Character",
    asks="How exciting is the game, and what decides it?",
    topic="Cards and rules",
    command="experiment character",
    short="How decisive, dramatic, skilful and interactive a game is.",
    panel="Experiments",
    function="experiment_character",
    package=__name__,
    groups=("question:CharacterQuestion",),
    ask="answer:ask",
    answer="answer:CharacterAnswer",
    formats=("wsim-character/1",),
    plan=("game", "ruleset", "players", "games", "seed", "policies", "rotate", "cards", "patch", "set"),
    games=10_000,
    games_help="10,000",
    section="Character",
    first=("variant", "policies", "games"),
    checks_first=True,
)
