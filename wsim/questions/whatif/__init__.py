"""What if: compare variants of a card, rule or permission with a baseline, on common deals."""

from wsim.options import Option
from wsim.questions.registry import ItemLink, Question

QUESTION = Question(
    name="whatif",
    title="What if",
    asks="What happens if a card or a rule changes?",
    topic="Cards and rules",
    short="What changes when a card, price or rule changes.",
    panel="Experiments",
    package=__name__,
    groups=("question:Change", "question:Comparison"),
    ask="answer:compare",
    answer="answer:WhatIfAnswer",
    formats=("wsim-whatif/2",),
    plan=("game", "ruleset", "players", "seed", "policies", "rotate", "cards", "patch", "set"),
    plan_options={
        "set": Option(
            "Change one value in all arms, baseline included (repeatable).", metavar="PATH=VALUE", names=("--base-set",)
        ),
        "patch": Option(
            "Apply this patch in all arms, baseline included (repeatable).", metavar="FILE", names=("--base-patch",)
        ),
    },
    display="question:Details",
    section="What if",
    item_link=ItemLink("ban", "What if a seat may not have this {noun}?", "RESTRICT"),
    change_fields=("change", "metric"),
    first=("change", "metric", "budget"),
    checks_first=True,
)
