"""What the card files of 7 Wonders look like to ``wsim.spec.layers``, and the short forms of ``--set``."""

from __future__ import annotations

from wsim.spec.layers import Grammar, nested, parse_change
from wsim.spec.source import Entries

__all__ = ["ENTRIES", "GRAMMAR", "change_patch"]

ENTRIES = ("cards", "wonders")
"""Sections of entries by name: in the file itself, in its layers, in patches."""
_OF_RULESET = ("settings", "switches")
GRAMMAR = Grammar(
    sections=(*ENTRIES, "layers", "rulesets"),
    heads={"cards": 3, "wonders": 3, "rulesets": 3, "settings": 2, "switches": 2},
    example="cards.Palace.points=6",
    removable=ENTRIES,
    numbered={("wonders", "*", "sides", "*"): "stage"},
)


def change_patch(change: str, ruleset: str) -> Entries:
    """Return the patch that a ``--set`` text stands for; raise UserError if it is not a change.

    ``switches.`` and ``settings.`` mean those of ``ruleset``; ``wonders.Gizah.A.2`` is short for
    ``wonders.Gizah.sides.A.2``.
    """
    path, value = parse_change(change, GRAMMAR)
    if path[0] in _OF_RULESET:
        path = ("rulesets", ruleset, *path)
    elif path[0] == "wonders" and len(path) > 2 and path[2] not in ("resource", "sides", "remove"):
        path = (*path[:2], "sides", *path[2:])
    return nested(path, value)
