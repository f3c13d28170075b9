"""What the catalogues of a game print: rule sets, values by path, decks. Results are kept while the server runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from wsim.game import find_game
from wsim.spec.catalogues import Source, catalogues_of
from wsim.spec.values import values_of

_WHOLE = re.compile(r"-?\d+")


@lru_cache(maxsize=8)
def printed_values(game: str, ruleset: str) -> Mapping[str, str]:
    """Map each catalogue path to its printed value; empty for a game without a catalogue."""
    catalogues = catalogues_of(find_game(game))
    return {} if catalogues is None else values_of(catalogues.page(Source(ruleset), None).record)


def whole_numbers(game: str, ruleset: str) -> dict[str, str]:
    """Map the path of each whole number in a catalogue to its printed value."""
    return {path: value for path, value in printed_values(game, ruleset).items() if _WHOLE.fullmatch(value)}


@lru_cache(maxsize=8)
def ruleset_names(game: str) -> tuple[str, ...]:
    """Return the names of a game's rule sets; empty for a game without a catalogue."""
    catalogues = catalogues_of(find_game(game))
    return () if catalogues is None else tuple(str(row["ruleset"]) for row in catalogues.rulesets())
