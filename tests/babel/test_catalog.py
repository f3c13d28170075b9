"""[babel] of cards.toml: the same components as a table entered by hand, changes laid over it, and mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.babel.reference import components
from tests.babel.tools import played, table
from wsim.babel.catalog import load_catalog
from wsim.errors import UserError


def test_the_catalogue_is_the_table_entered_by_hand() -> None:
    section: dict[str, Any] = dict(load_catalog().section)
    hand = components.STANDARD
    assert list(section["wonders"].values()) == hand["wonders"]
    assert section["cards"] == dict.fromkeys(components.KINDS, hand["cards_of_each_kind"])
    assert section["discs"] == dict.fromkeys(components.KINDS, hand["disc_numbers"])
    two_colour = dict(section["two_colour"])
    assert two_colour.pop("boxed") == hand["boxed"]
    assert list(two_colour.values()) == hand["two_colour_discs"]
    rows = dict(section["value_table"])
    assert tuple(rows.pop("light")) == hand["light_row"]
    assert [tuple(row) for row in rows.values()] == hand["value_rows"]
    assert {0: 0, **{int(size): points for size, points in section["set_table"].items()}} == hand["set_values"]
    assert section["action_cards"] == hand["action_cards"]
    assert section["setup"] == {
        "starting_hand": dict.fromkeys("345", hand["starting_hand"]),
        "pass_draw": 1,
        "common_draw": 1,
        "parts": hand["parts"],
    }
    effects = {"card_exchange": 5, "disc_bonus": 1, "draw_three": 3, "five_points": 5, "joker": 2}
    assert section["effects"] == {**effects, "refused_offer": 1, "triple_bonus": 3}
    for switch, value in section["rules"].items():
        if switch != "public_discs":  # A26 changes what policies know, which the reference does not model
            assert value == hand[switch], switch


@pytest.mark.parametrize("two_colour", [False, True])
def test_discs_of_a_game(two_colour: bool) -> None:
    changes = (f"babel.rules.use_two_colour_discs={str(two_colour).lower()}",)
    discs = [dict(disc.needs) for disc in load_catalog(changes=changes).discs]
    assert discs == components.discs(components.rules(use_two_colour_discs=two_colour))
    assert len(discs) == 24


def test_section_2_facts_that_are_verified() -> None:
    catalog = load_catalog()
    assert sum(catalog.section["cards"].values()) == 100
    assert len(catalog.wonders) == 8
    assert sum(catalog.section["action_cards"].values()) == 15
    for kind in components.KINDS:
        numbers = catalog.section["discs"][kind]
        assert len(numbers) == 6
        assert set(numbers) <= {3, 4, 5, 6}
        assert 5 in numbers


# --- assumptions ----------------------------------------------------------------------------------------------------
def entries(**options: bool) -> dict[str, str]:
    return {one.entry: one.level for one in load_catalog(options=options).assumptions()}


def test_every_value_that_is_not_printed_is_listed() -> None:
    listed = entries(use_two_colour_discs=True)
    assumed = {entry for entry, level in listed.items() if level == "assumed"}
    assert {f"discs.{kind}" for kind in components.KINDS} <= assumed
    assert {f"value_table.{row}" for row in (3, 4, 5, 6, 7, "light")} <= assumed
    assert {
        "set_table.3",
        "set_table.5",
        "set_table.6",
        "two_colour.tc2",
        "two_colour.tc3",
        "two_colour.tc4",
    } <= assumed
    assert {"action_cards.card_exchange", "rules.set_table_cap", "rules.limit_parts"} <= assumed
    assert listed["value_table.2"] == "inferred"
    assert not {"value_table.1", "set_table.1", "set_table.2", "set_table.4", "two_colour.tc1"} & set(listed)


def test_assumptions_that_play_no_part_are_not_listed() -> None:
    base = entries(use_action_cards=False)
    assert not any(entry.startswith(("two_colour", "action_cards")) for entry in base)
    assert "two_colour.tc2" in entries(use_two_colour_discs=True)


def test_provenance_lists_assumptions_and_changes() -> None:
    of = table(set=("babel.value_table.3=[13, 7, 3]",))
    provenance = of.provenance()
    assert provenance["changes"] == ["babel.value_table.3=[13, 7, 3]"]
    texts = provenance["assumptions"]
    changed = "assumed, not printed, changed for this run: babel.value_table.3 = [13, 7, 3]"
    assert any(text.startswith(changed) for text in texts)
    assert any(text.startswith("assumed, not printed: babel.set_table.3 = 10 (") for text in texts)
    assert provenance["switches"]["turn_limit"] == 400
    assert provenance["catalogue_digest"] != table().provenance()["catalogue_digest"]


# --- changes --------------------------------------------------------------------------------------------------------
def test_a_changed_value_row_changes_points_on_the_same_deals() -> None:
    base, variant = (played(table(set=change), 50) for change in ((), ("babel.value_table.1=[18, 4, 3]",)))
    assert (base["turns"] == variant["turns"]).all()  # `random` does not look at the table
    gained = variant["wonder_points"].astype(int) - base["wonder_points"]
    assert set(gained) == {0, 10}
    assert (base["light_points"] == variant["light_points"]).all()


def test_a_patch_file_is_laid_over_and_changes_win_over_it(tmp_path: Path) -> None:
    patch = tmp_path / "patch.toml"
    patch.write_text("[babel.set_table]\n3 = 12\n5 = 33\n[babel.value_table]\nlight = [5, 3, 3]\n")
    catalog = load_catalog(patches=[patch], changes=["babel.set_table.5=35"])
    assert [catalog.value(f"set_table.{size}") for size in (3, 4, 5)] == [12, 20, 35]
    assert catalog.value("value_table.light") == [5, 3, 3]
    assert catalog.changes == (str(patch), "babel.set_table.5=35")


def test_a_two_colour_disc_is_replaced_as_a_whole() -> None:
    catalog = load_catalog(changes=["babel.two_colour.tc1={crane=1, ship=4}"])
    assert str(catalog.two_colour_discs[0]) == "crane 1 + ship 4"
    assert len(catalog.two_colour_discs) == 4


def test_own_card_file(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text("[cards]\nx = 1\n")
    with pytest.raises(UserError, match=r"mine\.toml holds no table \[babel\]"):
        load_catalog(own)
    with pytest.raises(UserError, match="cannot read the card file"):
        load_catalog(tmp_path / "missing.toml")
    own.write_text("[babel\n")
    with pytest.raises(UserError, match=r"mine\.toml is not valid TOML"):
        load_catalog(own)


def test_bare_words_and_options() -> None:
    assert load_catalog(changes=["babel.rules.victory_tie=discs"]).rules["victory_tie"] == "discs"
    options = {"action_cards": "off", "two_colour_discs": "true"}
    rules = table(options=options).catalog.rules
    assert (rules["use_action_cards"], rules["use_two_colour_discs"]) == (False, True)


MISTAKES = [
    ("babel.value_table.3=[13, 7]", r"babel\.value_table\.3 = \[13, 7\] .*a list of 3 whole numbers from 0 to 200"),
    ("babel.valu_table.3=[13, 7, 3]", r"no entry 'valu_table' \(did you mean 'value_table'\?\)"),
    ("babel.value_table.8=[13, 7, 3]", r"babel\.value_table has no entry '8'"),
    (
        "babel.rules.victory_tie=shard",
        r"'shard' is not accepted \(did you mean 'shared'\?\); accepted: 'shared' or",
    ),
    ("babel.rules.use_action_cards=1", r"babel\.rules\.use_action_cards = 1 .*true or false"),
    ("babel.discs.camel=[3, 4, 4, 5, 5, 10]", r"a list of 6 whole numbers from 1 to 9"),
    ("babel.discs.elephant=[3, 4, 4, 5, 5, 6]", r"no entry 'elephant'"),
    ("babel.two_colour.tc1={camel=2}", r"two kinds out of camel, crane, ship, stonemason"),
    ("babel.two_colour.tc1.camel=3", r"two kinds out of camel, crane, ship, stonemason"),
    ("babel.two_colour.tc5={camel=2, ship=2}", r"has 5 entries .* the game has 4"),
    ("babel.two_colour.boxed=2", r"boxed = 2 is on no camel disc"),
    ('babel.wonders.babel="Pyramids of Giza"', r"'Pyramids of Giza' is the name of pyramids already"),
    ("babel.rules.set_table_cap=7", r"set_table_cap = 7 is not in babel\.set_table, which ends with 6"),
    ("babel.set_table.9=50", r"babel\.set_table has the entries"),
    ("babel.cards={camel=1, crane=1, ship=1, stonemason=1}", r"needs 12 cards for 3 seats, babel\.cards has 4"),
    ('babel.confidence.assumed.nothing="a note"', r"names 'nothing', which is no entry"),
    ("babel.cards=5", r"babel\.cards = 5 is not a table"),
]


@pytest.mark.parametrize(("change", "message"), MISTAKES, ids=[change for change, _ in MISTAKES])
def test_mistakes_are_one_sentence(change: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        load_catalog(changes=["babel.rules.use_two_colour_discs=true", change])
    text = str(caught.value)
    assert text.startswith("cards.toml with")
    assert repr(change) in text
    assert "\n" not in text


@pytest.mark.parametrize("change", ["babel", "babel.x=", "=3", "babel.cards.camel=[", "cards.Palace.points=6"])
def test_what_is_no_change(change: str) -> None:
    with pytest.raises(UserError, match=r"such as babel\.value_table"):
        load_catalog(changes=[change])


PLANS: list[tuple[dict[str, Any], str]] = [
    ({"ruleset": "2004"}, r"unknown rule set '2004' \(did you mean '2005'\?\)"),
    ({"players": 2}, "played by 3 to 5, not by 2"),
    ({"policies": ("random", "greedy")}, "2 policies for 4 players"),
    ({"policies": ("bilder",)}, r"unknown policy 'bilder': known are random, .* \(did you mean 'builder'\?\)"),
    (
        {"policies": ("builder:cardd=1",)},
        r"no parameter 'cardd': accepted are explore or a weight \(did you mean 'card'\?\)",
    ),
    ({"policies": ("builder:card=x",)}, "parameter card .* is a number, not 'x'"),
    ({"policies": ("builder:explore=2",)}, "parameter explore .* is a number from 0 to 1, not 2"),
    ({"policies": ("random:card=0.5",)}, "'random' has no parameter 'card'.*: accepted are explore"),
    ({"policies": ("weighted:set=bold",)}, "unknown weight set 'bold': known are greedy, "),
    ({"options": {"action_cards": "perhaps"}}, "the option action_cards is true or false, not 'perhaps'"),
    ({"options": {"two_color_discs": "on"}}, r"did you mean 'two_colour_discs'\?"),
]


@pytest.mark.parametrize(("change", "message"), PLANS, ids=[message for _, message in PLANS])
def test_plans_that_cannot_be_played(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        table(**change)
