"""One row per effect: each effect read is described and packed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wsim.wonders.catalog import load_catalogue, ruleset_names
from wsim.wonders.catalog.clauses import Clause
from wsim.wonders.catalog.effects import EFFECTS
from wsim.wonders.kernels.layout import RULES
from wsim.wonders.words import STAGE_ENTRY


def values() -> dict[str, Any]:
    """Return an example value of every effect that a card or stage has."""
    found: dict[str, Any] = {}
    for ruleset in ruleset_names():
        catalogue = load_catalogue(ruleset)
        stages = [stage for wonder in catalogue.wonders for _, stages in wonder.sides for stage in stages]
        for effects in [card.effects for card in catalogue.cards] + [stage.effects for stage in stages]:
            found |= effects.present()
    return found


VALUES = values() | {"when": (Clause("built", gain=(("coins", "1"),)),)}


def test_every_effect_except_formulas_is_on_a_card_or_stage() -> None:
    assert set(values()) == set(EFFECTS) - {"when"}


@pytest.mark.parametrize("name", EFFECTS)
@pytest.mark.parametrize("entry", [5, STAGE_ENTRY + 5])
def test_an_effect_is_described_and_packed_only_into_its_entry(name: str, entry: int) -> None:
    effect, value = EFFECTS[name], VALUES[name]
    assert effect.say(value)
    rules = np.zeros(1, RULES).view(np.recarray)
    effect.pack(rules[0], entry, value)
    changed = [field for field in RULES.names or () if rules[field].any()]
    assert changed
    for field in changed:
        rules[field][0, entry] = 0
        assert not rules[field].any(), field
