"""Skill: figures of cards and wonders by player strength."""

from wsim.questions.registry import Question

QUESTION = Question(
    name="skill",
    title="Skill",
    asks="Which cards and wonders depend on how good the players are?",
    topic="Cards and rules",
    short="Which cards and wonders need strong players.",
    package=__name__,
    groups=("question:SkillQuestion",),
    ask="answer:play_skill",
    answer="answer:SkillAnswer",
    formats=("wsim-skill/1",),
    plan=("game", "ruleset", "players", "games", "seed", "cards", "patch", "set"),
    games=20_000,
    games_help="20,000 at each level",
    section="By skill",
    first=("what", "ladder", "games"),
    checks_first=True,
)
