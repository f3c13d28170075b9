"""babel.toml: the same components as in a hand-entered table, changes applied to it, and mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.babel.reference import components
from tests.babel.tools import played, table
from wsim.babel.catalog import load_catalogue
from wsim.babel.catalog.loading import BABEL_TOML
from wsim.errors import UserError


def test_the_catalogue_matches_the_hand_entered_component_table() -> None:
    section: dict[str, Any] = dict(load_catalogue().section)
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
def test_the_number_of_discs_of_a_game(two_colour: bool) -> None:
    changes = (f"babel.rules.use_two_colour_discs={str(two_colour).lower()}",)
    discs = [dict(disc.needs) for disc in load_catalogue(changes=changes).discs]
    assert discs == components.discs(components.rules(use_two_colour_discs=two_colour))
    assert len(discs) == 24


def test_section_2_verified_facts_match_the_catalogue() -> None:
    catalogue = load_catalogue()
    assert sum(catalogue.section["cards"].values()) == 100
    assert len(catalogue.wonders) == 8
    assert sum(catalogue.section["action_cards"].values()) == 15
    for kind in components.KINDS:
        numbers = catalogue.section["discs"][kind]
        assert len(numbers) == 6
        assert set(numbers) <= {3, 4, 5, 6}
        assert 5 in numbers


# --- assumptions ----------------------------------------------------------------------------------------------------
def entries(**options: bool) -> dict[str, str]:
    return {one.entry: one.level for one in load_catalogue(options=options).assumptions()}


def test_every_unprinted_value_is_listed_as_an_assumption() -> None:
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


def test_irrelevant_assumptions_are_not_listed() -> None:
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


def test_a_patch_file_is_applied_and_changes_override_it(tmp_path: Path) -> None:
    patch = tmp_path / "patch.toml"
    patch.write_text("[babel.set_table]\n3 = 12\n5 = 33\n[babel.value_table]\nlight = [5, 3, 3]\n")
    catalogue = load_catalogue(patches=[patch], changes=["babel.set_table.5=35"])
    assert [catalogue.value(f"set_table.{size}") for size in (3, 4, 5)] == [12, 20, 35]
    assert catalogue.value("value_table.light") == [5, 3, 3]
    assert catalogue.changes == (patch.name, "babel.set_table.5=35")


def test_a_two_colour_disc_is_replaced_as_a_whole() -> None:
    catalogue = load_catalogue(changes=["babel.two_colour.tc1={crane=1, ship=4}"])
    assert str(catalogue.two_colour_discs[0]) == "crane 1 + ship 4"
    assert len(catalogue.two_colour_discs) == 4


def test_a_custom_card_file_is_loaded(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(BABEL_TOML.read_text(encoding="utf-8").replace("camel = 25", "camel = 30"), encoding="utf-8")
    catalogue = load_catalogue(own)
    assert (catalogue.section["cards"]["camel"], catalogue.source) == (30, str(own))
    assert catalogue.digest != load_catalogue().digest
    own.write_text("[cards]\nx = 1\n")
    with pytest.raises(UserError, match=r"mine\.toml has no table \[babel\]"):
        load_catalogue(own)
    own.write_text("[babel]\n[cards]\nx = 1\n")
    with pytest.raises(UserError, match=r"mine\.toml, cards: unknown section 'cards'; accepted: babel"):
        load_catalogue(own)
    with pytest.raises(UserError, match="cannot read the card file"):
        load_catalogue(tmp_path / "missing.toml")
    own.write_text("[babel\n")
    with pytest.raises(UserError, match=r"mine\.toml, line 1: not valid TOML \("):
        load_catalogue(own)


def test_options_may_be_bare_words() -> None:
    assert load_catalogue(changes=["babel.rules.victory_tie=discs"]).rules["victory_tie"] == "discs"
    options = {"action_cards": "off", "two_colour_discs": "true"}
    rules = table(options=options).catalogue.rules
    assert (rules["use_action_cards"], rules["use_two_colour_discs"]) == (False, True)


MISTAKES = [
    (
        "babel.value_table.3=[13, 7]",
        r"babel\.value_table\.3: the list \[13, 7\] .*a list of 3 whole numbers from 0 to 200",
    ),
    ("babel.valu_table.3=[13, 7, 3]", r"unknown entry 'valu_table' \(did you mean 'value_table'\?\)"),
    ("babel.value_table.8=[13, 7, 3]", r"babel\.value_table\.8: unknown entry '8'; accepted: 1, 2, 3"),
    (
        "babel.rules.victory_tie=shard",
        r"unknown rule for ties 'shard' \(did you mean 'shared'\?\); accepted: shared, discs",
    ),
    ("babel.rules.use_action_cards=1", r"babel\.rules\.use_action_cards: 1 is not accepted; accepted: true, false"),
    ("babel.discs.camel=[3, 4, 4, 5, 5, 10]", r"a list of 6 whole numbers from 1 to 9"),
    (
        "babel.discs.elephant=[3, 4, 4, 5, 5, 6]",
        r"babel\.discs\.elephant: unknown entry 'elephant'; accepted: camel, crane",
    ),
    ("babel.two_colour.tc1={camel=2}", r"two kinds out of camel, crane, ship, stonemason"),
    ("babel.two_colour.tc1.camel=3", r"two kinds out of camel, crane, ship, stonemason"),
    ("babel.two_colour.tc5={camel=2, ship=2}", r"5 entries \(tc1, .*, tc5\) are not accepted; accepted: 4"),
    ("babel.two_colour.boxed=2", r"boxed: no camel disc has the number 2; accepted: .* 3, 4, 5, 6"),
    ('babel.wonders.babel="Pyramids of Giza"', r"pyramids already has the name 'Pyramids of Giza'"),
    ("babel.rules.set_table_cap=7", r"set_table_cap: 7 is not in babel\.set_table, which ends with 6"),
    ("babel.set_table.9=50", r"babel\.set_table: entries must be 1, 2, 3 \.\.\. up to 9, not 1, 2, 3, 4, 5, 6, 9"),
    (
        "babel.cards={camel=1, crane=1, ship=1, stonemason=1}",
        r"babel\.cards: 4 cards are not enough for 3 players: babel\.setup\.starting_hand\.3 = 4 needs 12",
    ),
    (
        'babel.confidence.assumed.nothing="a note"',
        r"babel\.confidence\.assumed\.nothing: babel\.nothing does not exist",
    ),
    ("babel.cards.camel=false", r"babel\.cards: camel is missing"),
    ("babel.cards=5", r"babel\.cards: 5 is not accepted; accepted: a table with camel, crane"),
]


@pytest.mark.parametrize(("change", "message"), MISTAKES, ids=[change for change, _ in MISTAKES])
def test_mistakes_are_reported_in_one_sentence(change: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        load_catalogue(changes=["babel.rules.use_two_colour_discs=true", change])
    text = str(caught.value)
    assert text.startswith(f"--set {change}, babel.")
    assert "\n" not in text


def test_all_mistakes_are_reported_together_with_their_sources(tmp_path: Path) -> None:
    patch = tmp_path / "mine.toml"
    patch.write_text("[babel.cards]\ncamel = -1\n[babel.effects]\njokers = 2\n")
    with pytest.raises(UserError) as caught:
        load_catalogue(patches=[patch], changes=["babel.rules.turn_limit=0"])
    cards, effects, rules = str(caught.value).splitlines()
    assert cards == f"{patch}, babel.cards.camel: -1 is not accepted; accepted: a whole number from 0 to 60"
    assert effects.startswith(f"also: {patch}, babel.effects.jokers: unknown entry 'jokers' (did you mean 'joker'?); ")
    assert rules.startswith("also: --set babel.rules.turn_limit=0, babel.rules.turn_limit: 0 is not accepted; ")


@pytest.mark.parametrize("change", ["babel", "babel.x=", "=3", "babel.cards.camel=[", "cards.Palace.points=6"])
def test_invalid_changes_are_rejected(change: str) -> None:
    with pytest.raises(UserError, match=r"such as babel\.value_table"):
        load_catalogue(changes=[change])


PLANS: list[tuple[dict[str, Any], str]] = [
    ({"ruleset": "2004"}, r"unknown rule set '2004' \(did you mean '2005'\?\)"),
    ({"players": 2}, "is for 3 to 5 players, not 2"),
    ({"policies": ("random", "greedy")}, "2 policies for 4 players"),
    ({"policies": ("bilder",)}, r"unknown policy 'bilder' \(did you mean 'builder'\?\); accepted: random, "),
    (
        {"policies": ("builder:cardd=1",)},
        r"no parameter 'cardd' \(did you mean 'card'\?\): accepted are explore or a weight",
    ),
    ({"policies": ("builder:card=x",)}, "parameter card .* must be a number, not 'x'"),
    ({"policies": ("builder:explore=2",)}, "parameter explore .* must be a number from 0 to 1, not 2"),
    ({"policies": ("random:card=0.5",)}, "'random' has no parameter 'card'.*: accepted are explore"),
    ({"policies": ("weighted:set=bold",)}, "unknown weight set 'bold'; accepted: greedy, "),
    ({"options": {"action_cards": "perhaps"}}, "the option action_cards is true or false, not 'perhaps'"),
    ({"options": {"two_color_discs": "on"}}, r"did you mean 'two_colour_discs'\?"),
]


@pytest.mark.parametrize(("change", "message"), PLANS, ids=[message for _, message in PLANS])
def test_unplayable_plans_are_rejected(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        table(**change)
