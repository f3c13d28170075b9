"""Action cards by formula (A33): agreement with the twin, and invalid formulas."""

from __future__ import annotations

import pytest

from tests.babel.extremes import FORMULAS, compare_case
from tests.tiers import first_quick
from wsim.babel.catalog import load_catalogue
from wsim.babel.catalog.compiling import compile_rules
from wsim.errors import UserError


@first_quick(2, "formula", FORMULAS)
def test_a33_formula_action_cards_agree_with_the_twin(formula: str) -> None:
    cards = [f"babel.action_cards.{card}=6" for card in ("disc_bonus", "five_points", "triple_bonus")]
    effects = [f"babel.effects.{card}='{formula}'" for card in ("disc_bonus", "five_points", "triple_bonus")]
    compare_case(3, 4, [*cards, *effects, "babel.effects.refused_offer=0"], games=2)


def test_a_constant_formula_equals_its_number() -> None:
    rules, plain = (
        compile_rules(load_catalogue(changes=[f"babel.effects.five_points={one}"]), 4) for one in ("'5'", 5)
    )
    assert rules.effects.tolist() == plain.effects.tolist()
    assert (rules.effect_at >= 0).sum() == 1


def test_a_number_in_a_formula_can_be_changed_by_position() -> None:
    changes = ["babel.effects.five_points='5 if discs >= 4 else 2'", "babel.effects.five_points:2=6"]
    assert load_catalogue(changes=changes).value("effects.five_points") == "5 if discs >= 6 else 2"


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("dics", "'dics', at character 1: unknown name 'dics' (did you mean 'discs'?)"),
        ("discs - 5", "'discs - 5' can reach -5 to 19; accepted: 0 to 99, for example with max(0, ...)"),
        ("40 * discs", "can reach 0 to 960"),
        ("left.discs", "formulas of this game cannot refer to other players; accepted: plain names"),
        ("mine.five(least=0, most=3)", "unknown function 'mine.five'"),
        ('count("joker")', "strings are not accepted in a formula"),
        ("discs // hand", "'hand', at character 10: could be 0, and division by 0 is not allowed"),
    ],
)
def test_mistakes_are_reported_in_one_sentence(formula: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        load_catalogue(changes=[f"babel.effects.five_points='{formula}'"])
    assert said in str(refused.value)
    assert "babel.effects.five_points" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_gains_from_formulas_are_bounded() -> None:
    changes = ["babel.effects.disc_bonus='min(99, 4 * discs + 3)'", "babel.action_cards.disc_bonus=6"]
    rules = compile_rules(load_catalogue(changes=changes), 4)
    assert int(rules.effects[1]) == 99
