"""House rules: settings as numbers, formulas and lists; rejected values, descriptions and changes."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from wsim.errors import UserError
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.compiling import compile_rules
from wsim.wonders.catalog.house_rules import HOUSE_RULES, at_table, house_rows, settings_schema
from wsim.wonders.catalog.listing import catalogue_dict, diff_lines
from wsim.wonders.catalog.model import Settings
from wsim.wonders.tunable_values import TUNING

PRINTED = load_catalogue("1e").digest
FORMULA = "(10 if players == 3 else 2) + 3 * players // 2 - -players % 4 + abs(min(1, players) - max(2, players))"
FORMULA += " + count(players > 3, not (players > 4 or players < 2)) + (1 < players <= 5 and players != 4)"


@pytest.mark.parametrize("change", [
    "hand_size=[7, 7, 7]", "start_coins='1 + 2'", "sale_coins=[3, 3, 3]", "sale_coins='3'", "trade_price='2'",
    "last_card='discarded'", "last_card=['discarded', 'discarded', 'discarded']", "tie_breaks='coins'",
    "science='7*sets(compass,gear,tablet)'", "victory_tokens:2=3",
])  # fmt: skip
def test_equivalent_notations_give_the_same_catalogue(change: str) -> None:
    same = "science" not in change  # another formula is another, whatever it comes to
    assert (load_catalogue("1e", changes=[f"settings.{change}"]).digest == PRINTED) is same


def test_a_formula_of_players_is_evaluated_for_each_table() -> None:
    settings = Settings(start_coins=FORMULA)
    for players in range(3, 8):
        names: dict[str, Any] = {"players": players, "count": lambda *holding: sum(holding)}
        assert at_table(settings, players).start_coins == eval(FORMULA, {}, names)
    changes = ["settings.coins_per_point='players'", "settings.victory_tokens='2 * age - 1'"]
    rules = compile_rules(load_catalogue("1e", changes=[*changes, "settings.defeat_points='-players // 3'"]), 5)[0]
    assert (int(rules.coins_per_point), rules.victory_points.tolist(), int(rules.defeat_points)) == (5, [1, 3, 5], -2)


def test_the_number_of_guilds_depends_on_cities_or_a_formula() -> None:
    assert [at_table(Settings(), 4).guilds_drawn(4), at_table(Settings(), 2).guilds_drawn(3)] == [6, 5]
    assert at_table(Settings(guilds="players - 1"), 4).guilds_drawn(4) == 3
    changes = ["rulesets.1e.seats=[7]", "settings.guilds='players - 1'", "cards.Town Hall.copies=[3, 5, 6, 7, 7, 7]"]
    rules = compile_rules(load_catalogue("1e", changes=changes), 7)[0]
    assert rules.pool_drawn[2].tolist() == [6, 0]


@pytest.mark.parametrize(("change", "said"), [
    ("start_coins='coins'", "'coins', at character 1: is not known when this setting is evaluated; accepted: players"),
    ("start_coins='left.coins'", "'left.coins', at character 1: is not known when this setting is evaluated"),
    ("start_coins='2 * playrs'", "'playrs', at character 5: unknown name 'playrs' (did you mean 'players'?)"),
    ("start_coins='4 - players'", "start_coins: is -1 with 5 players; accepted: a whole number from 0 to 99"),
    ("start_coins='40 + 60'", "start_coins: 100 is not accepted; accepted: a whole number from 0 to 99"),
    ("start_coins=[1, 2, 3]", "start_coins: the list [1, 2, 3] is not accepted; accepted: a whole number"),
    ("defeat_points='-age'", "'age', at character 2: is not known when this setting is evaluated; accepted: players"),
    ("victory_tokens='60 * age'", "victory_tokens: is 120 with 3 players"),
    ("sale_coins='3 - sold'", "'3 - sold' could be -252, and less than 0 is not accepted; accepted: max(0, ...)"),
    ("sale_coins='other.red'", "'other.red', at character 1: there is no other city; accepted: left. and right."),
    ("sale_coins=[1, 2]", "sale_coins: a list of 2 is not accepted; accepted: 3 items"),
    ("science='wild'", "wild symbols are fixed before science is scored (R23)"),
    ("science='gear // tablet'", "'tablet', at character 9: could be 0, and division by 0 is not allowed"),
    ("science='count(\"Palas\")'", "unknown card 'Palas' (did you mean 'Palace'?)"),
    ("science:5=3", "has no number 5; accepted: 1 (the 2), 2 (the 2), 3 (the 2), 4 (the 7)"),
    ("science:4=x", "'x' is not accepted; accepted: a whole number"),
    ("victory_tokens:4=1", "has no number 4; accepted: 1 to 3"),
    ("tie_breaks=['shields', 'shields']", "'shields' is listed twice"),
    ("tie_breaks=['shileds']", "unknown name 'shileds' (did you mean 'shields'?)"),
    ("tie_breaks=['red', 'blue', 'green', 'gray', 'brown']", "a list of 5 is not accepted; accepted: 0 to 4 items"),
    ("last_card='kept'", "unknown fate 'kept'; accepted: discarded, played"),
    ("hand_size='age + 5'", "age 1 cannot be dealt with 3 players in rule set 1e"),
])  # fmt: skip
def test_a_mistake_is_reported_in_one_sentence_with_its_position(change: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)) as refused:
        compile_rules(load_catalogue("1e", changes=[f"settings.{change}"]), 3)
    assert "\n" not in str(refused.value).split("also:")[0].strip()


def test_formula_numbers_inherited_from_a_rule_set_can_be_changed(tmp_path: Any) -> None:
    patch = tmp_path / "patch.toml"
    patch.write_text('[rulesets.1e.settings]\nscience = "5 * gear"\nsale_coins = [1, "2 + age", 3]\n', encoding="utf-8")
    changes = ["rulesets.2e.settings.science:1=4", "rulesets.2e.settings.sale_coins:3=6", "settings.sale_coins:2=0"]
    settings = load_catalogue("2e-cities", patches=[patch], changes=changes).settings
    assert (settings.science, settings.sale_coins) == ("4 * gear", (1, "0 + age", 6))
    settings = load_catalogue("1e", patches=[patch], changes=["settings.science:1=-3"]).settings
    assert settings.science == "-3 * gear"


def test_house_rules_are_described_next_to_the_rules_they_replace() -> None:
    assert not house_rows(load_catalogue("1e").settings, False)
    assert not house_rows(load_catalogue("2e-cities").settings, True)
    changes = [
        "settings.science='2 * gear'",
        "settings.last_card=['played', 'discarded', 'played']",
        "settings.tie_breaks=[]",
    ]
    changed = load_catalogue("1e", changes=[*changes, "settings.sale_coins=[2, 'sold', 4]"])
    rows = {row["setting"]: (row["value"], row["meaning"]) for row in house_rows(changed.settings, False)}
    assert rows == {
        "sale_coins": ("2; own cards sold; 4", "R6: coins for a card sold"),
        "last_card": ("played; discarded; played", "R9.5: what happens to the last cards of each age"),
        "science": ("2 times own gears", "R23: points of science symbols"),
        "tie_breaks": (
            "none: ties are shared",
            "R24: tie-breaks in order; the higher value wins",
        ),
    }
    lines = list(diff_lines(load_catalogue("1e"), changed))
    assert "  tie breaks coins -> none" in lines
    assert "  sale coins 3 -> 2, sold, 4" in lines
    assert catalogue_dict(changed)["settings"]["science"] == "2 * gear"
    described = settings_schema()["properties"]
    assert all(f"({rule.rule})" in described[name]["description"] for name, rule in HOUSE_RULES.items())


def test_numbers_of_house_rules_are_knobs() -> None:
    changes = ("settings.science='2 * gear + 5'", "settings.victory_tokens=[1, 2, 'players']")
    table: Any = SimpleNamespace(catalogue=load_catalogue("1e", changes=changes))
    values = TUNING.values(table)
    of_settings = {path[3]: value for path, value in values.items() if path[:3] == ("rulesets", "1e", "settings")}
    assert {"science:1": 2, "science:2": 5, "victory_tokens:1": 1, "victory_tokens:2": 2}.items() <= of_settings.items()
    assert of_settings["start_coins"] == 3
    assert "tie_breaks:1" not in of_settings
