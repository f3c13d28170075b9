"""Plain words for the folded fields of forms, whose options are named for a command line."""

from __future__ import annotations

from collections.abc import Sequence

LABELS = {
    "actions": "Kinds of moves",
    "age": "Which age",
    "against": "What is compared",
    "alpha": "Risk of a false alarm",
    "ban": "What a seat may not do",
    "before": "Simulated run without the patch",
    "before_people": "Games of people without the patch",
    "between": "Two levels to compare",
    "by": "What names a row",
    "candidates": "Candidates per generation",
    "chance": "Chance to find out",
    "change_files": "Patch files to compare",
    "contest": "A secret seed, shown afterwards",
    "continued": "Run to continue",
    "deals": "Deals for skill and luck",
    "distance": "How far people differ from policies",
    "fewest": "Fewest observations of a row",
    "game": "Game",
    "generations": "Generations of the search",
    "held_out": "Games of the final check",
    "judges": "Further opponents",
    "keep": "Tables to keep",
    "level": "Confidence of the intervals",
    "margin": "Smallest difference that matters",
    "min_effective_n": "Fewest effective observations",
    "name": "Name of the result",
    "only": "Which numbers to tune",
    "overrule": "How often policies are overruled",
    "patch": "Patch files",
    "patched": "Simulated run with the patch",
    "picks": "Record every decision",
    "plan": "Learning plan",
    "playouts": "Playouts instead of the value net",
    "proof_games": "Games of a proof",
    "randomise": "How often picks are random",
    "replays": "Games replayed per value",
    "round_robin": "Each pair separately",
    "ruleset": "Rule set",
    "rulesets": "Rule sets",
    "seat": "Which seat counts",
    "seed": "Seed of the random numbers",
    "set": "Changed values",
    "spending": "How early it may stop",
    "styles": "Styles that players may choose",
    "sweep": "Several values to try",
    "target": "Effect to reach",
    "transfer_games": "Games with other players",
    "turn": "Which turn",
    "within": "Width of the intervals to reach",
}
"""By the name of the option."""
OWN_LABELS = {
    ("balance", "games"): "Games per measurement",
    ("balance", "players"): "Other players to check",
    ("character", "against"): "Rule sets to compare with",
    ("character", "variant_files"): "Patch files to compare",
    ("learn", "players"): "Numbers of players",
    ("learn", "start"): "Net to start from",
    ("planning", "games"): "Games per evening",
    ("sensitivity", "games"): "Games per measurement",
    ("transfer", "players"): "Other players to check",
    ("tune", "games"): "Games per candidate",
    ("tune", "margin"): "Worth of a point of lead, in wins",
    ("tune", "start"): "Weights to start from",
}
"""By question and option, where one name means different things."""
NAMED = 3
"""Fields that the heading of folded ones names."""


def label_of(question: str, name: str) -> str:
    """Return plain words for an option of a question; its name in words if it has none here."""
    return OWN_LABELS.get((question, name)) or LABELS.get(name) or name.replace("_", " ").capitalize()


def folded_words(heading: str, labels: Sequence[str]) -> str:
    """Return the heading of folded fields: what they are about, and the first of them."""
    named = [label[:1].lower() + label[1:].rstrip("?") for label in labels[:NAMED]]
    more = [f"{len(labels) - NAMED} more"] if len(labels) > NAMED else []
    *first, last = [*named, *more]
    return f"{heading}: {', '.join(first)}{' and ' if first else ''}{last}"
