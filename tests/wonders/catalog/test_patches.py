"""Layers, patch files, ``--set`` changes and the digest: the order in which they apply, and their scope."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from wsim.errors import UserError
from wsim.wonders.catalog import Card, Catalogue, Cost, Count, Stage, default_cards_path, load_catalogue, ruleset_names

if TYPE_CHECKING:
    from pathlib import Path


def differing(old: Catalogue, new: Catalogue) -> dict[str, Card]:
    """Return the cards in ``new`` that are missing or different in ``old``."""
    return {card.name: card for card in new.cards if card not in old.cards}


def stages(catalogue: Catalogue, wonder: str, side: str) -> tuple[Stage, ...]:
    return catalogue.wonder(wonder).stages(side)


@pytest.fixture(scope="module")
def first_edition() -> Catalogue:
    return load_catalogue("1e")


def patched(tmp_path: Path, text: str, ruleset: str = "1e") -> Catalogue:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return load_catalogue(ruleset, patches=[path])


def test_a_change_touches_one_field(first_edition: Catalogue) -> None:
    palace = first_edition.card("Palace")
    catalogue = load_catalogue("1e", changes=["cards.Palace.points=6"])
    assert differing(first_edition, catalogue) == {"Palace": replace(palace, effects=replace(palace.effects, points=6))}
    assert catalogue.changes == ("cards.Palace.points=6",)
    assert catalogue.wonders == first_edition.wonders


@pytest.mark.parametrize(
    "change",
    [
        'cards."Town Hall".cost.ore=3',
        "cards.'Town Hall'.cost.ore=3",
        "cards.Town Hall.cost.ore=3",
        " cards . Town Hall . cost . ore = 3 ",
        "cards.Town Hall.cost={ ore = 3 }",
        "cards.Town Hall={ cost = { ore = 3 } }",
    ],
)
def test_a_name_with_a_space_need_not_be_quoted(change: str) -> None:
    cost = load_catalogue("1e", changes=[change]).card("Town Hall").cost
    assert cost == Cost(0, (("stone", 2), ("ore", 3), ("glass", 1)))


def test_a_name_may_contain_an_apostrophe() -> None:
    for name in ("Smuggler's Cache", '"Smuggler\'s Cache"'):
        catalogue = load_catalogue("2e-cities", changes=[f"cards.{name}.points=2"])
        assert catalogue.card("Smuggler's Cache").effects.points == 2


def test_a_cost_of_zero_removes_the_cost() -> None:
    assert load_catalogue("1e", changes=["cards.Baths.cost.stone=0"]).card("Baths").cost == Cost()


def test_lists_are_replaced_and_tables_merge() -> None:
    changes = [
        "cards.Gardens.free_with=[]",
        "cards.Vineyard.coins_per.n=2",
        'cards.Stables.free_with=["Loom", "Press"]',
    ]
    catalogue = load_catalogue("1e", changes=changes)
    assert catalogue.card("Gardens").free_with == ()
    assert catalogue.card("Stables").free_with == ("Loom", "Press")
    assert catalogue.card("Vineyard").effects.coins_per == Count(("brown",), ("self", "left", "right"), 2)


def test_false_removes_a_field() -> None:
    changes = [
        "cards.Arena.points_per=false",
        "wonders.Babylon.B.2.play_last_card=false",
        "cards.Workshop.science=false",
    ]
    catalogue = load_catalogue("1e", changes=changes)
    assert list(catalogue.card("Arena").effects.present()) == ["coins_per"]
    assert not stages(catalogue, "Babylon", "B")[1].effects.present()
    assert catalogue.card("Workshop").effects.science == ""


def test_a_bare_word_is_a_string() -> None:
    assert load_catalogue("1e", changes=["cards.Study.science=tablet"]).card("Study").effects.science == "tablet"


@pytest.mark.parametrize("path", ["wonders.Gizah.A.2", "wonders.Gizah.sides.A.2", 'wonders."Gizah"."A"."2"'])
def test_stages_are_numbered_from_one(first_edition: Catalogue, path: str) -> None:
    catalogue = load_catalogue("1e", changes=[f"{path}.points=6", f"{path}.cost.clay=1"])
    one, two, three = stages(catalogue, "Gizah", "A")
    assert (two.effects.points, two.cost) == (6, Cost(0, (("clay", 1), ("wood", 3))))
    assert (one, three) == stages(first_edition, "Gizah", "A")[::2]
    assert stages(catalogue, "Gizah", "B") == stages(first_edition, "Gizah", "B")


def test_a_stage_can_be_appended_or_removed(first_edition: Catalogue) -> None:
    catalogue = load_catalogue("1e", changes=["wonders.Rhodos.B.3={ cost = { ore = 5 }, points = 9 }"])
    assert stages(catalogue, "Rhodos", "B")[:2] == stages(first_edition, "Rhodos", "B")
    assert stages(catalogue, "Rhodos", "B")[2].effects.points == 9
    catalogue = load_catalogue("1e", changes=["wonders.Gizah.B.2.remove=true"])
    assert stages(catalogue, "Gizah", "B") == tuple(
        s for i, s in enumerate(stages(first_edition, "Gizah", "B")) if i != 1
    )


def test_a_guild_can_be_removed(first_edition: Catalogue) -> None:
    catalogue = load_catalogue("1e", changes=["cards.Workers Guild.remove=true"])
    assert catalogue.cards == tuple(card for card in first_edition.cards if card.name != "Workers Guild")


def test_switches_and_settings_apply_to_the_current_rule_set() -> None:
    changes = ["switches.copied_shipowners_counts_itself=false", "settings.start_coins=5"]
    catalogue = load_catalogue("2e", changes=changes)
    assert catalogue.switches["copied_shipowners_counts_itself"] is False
    assert catalogue.switches["debt_choice"] is True
    assert (catalogue.settings.start_coins, catalogue.settings.sale_coins) == (5, 3)
    assert load_catalogue("2e").switches["copied_shipowners_counts_itself"] is True
    full = load_catalogue("2e", changes=["rulesets.2e.settings.start_coins=5"])
    assert full.settings == catalogue.settings


def test_a_rule_set_inherits_what_is_changed_in_its_parent() -> None:
    change = "rulesets.1e.settings.start_coins=9"
    assert load_catalogue("2e-cities", changes=[change]).settings.start_coins == 9


def test_a_patch_file_can_add_cards_boards_and_rule_sets(tmp_path: Path) -> None:
    text = """
        [cards]
        Altar = { remove = true }
        [cards.Shrine]
        age = 1
        color = "blue"
        copies = [3, 5]
        points = 2
        [cards.Temple]
        free_with = ["Shrine"]
        [wonders.Syracuse]
        resource = "papyrus"
        sides.A = [{ cost = { stone = 2 }, points = 3 }]
        sides.B = [{ cost = { wood = 2 }, coins = 4 }, { cost = { coins = 3 }, shields = 1 }]
        [rulesets.rich]
        extends = "1e"
        seats = [7, 4]
        settings.start_coins = 6
        switches.discard_build_optional = false
    """
    catalogue = patched(tmp_path, text, "rich")
    assert catalogue.seat_numbers == (4, 7)
    assert (catalogue.settings.start_coins, catalogue.switches["discard_build_optional"]) == (6, False)
    assert catalogue.card("Temple").free_with == ("Shrine",)
    assert [wonder.name for wonder in catalogue.wonders][-1] == "Syracuse"
    assert stages(catalogue, "Syracuse", "B")[1].cost == Cost(3, ())
    assert catalogue.title == load_catalogue("1e").title
    assert ruleset_names(patches=[tmp_path / "mine.toml"])[-1] == "rich"


def test_patches_apply_after_layers_and_changes_after_patches(tmp_path: Path) -> None:
    text = "cards.Altar.points = 5\nwonders.Gizah.sides.day = { 3 = { points = 8 } }\ncards.Theater.points = 9"
    assert load_catalogue("2e").card("Altar").effects.points == 3
    catalogue = patched(tmp_path, text, "2e")
    assert catalogue.card("Altar").effects.points == 5
    assert [stage.effects.points for stage in stages(catalogue, "Gizah", "day")] == [3, 5, 8]
    catalogue = load_catalogue("2e", patches=[tmp_path / "mine.toml"], changes=["cards.Altar.points=4"])
    assert catalogue.card("Altar").effects.points == 4
    assert catalogue.card("Theater").effects.points == 9
    assert catalogue.changes == ("mine.toml", "cards.Altar.points=4")


def test_later_patches_apply_on_top_of_earlier_ones(tmp_path: Path) -> None:
    for name, points in (("a.toml", 5), ("b.toml", 6)):
        (tmp_path / name).write_text(f"cards.Altar.points = {points}", encoding="utf-8")
    for order, points in ((["a.toml", "b.toml"], 6), (["b.toml", "a.toml"], 5)):
        catalogue = load_catalogue(patches=[str(tmp_path / name) for name in order])
        assert catalogue.card("Altar").effects.points == points


def test_a_patch_may_change_a_layer(tmp_path: Path) -> None:
    text = "layers.second-edition.cards.Altar.points = 7"
    assert patched(tmp_path, text, "2e").card("Altar").effects.points == 7
    assert patched(tmp_path, text, "1e").card("Altar").effects.points == 2


def test_a_custom_card_file_replaces_the_shipped_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        default_cards_path().read_text(encoding="utf-8").replace("points = 8", "points = 88"), encoding="utf-8"
    )
    catalogue = load_catalogue("1e", cards=path)
    assert catalogue.card("Palace").effects.points == 88
    assert catalogue.source == str(path)
    assert load_catalogue("1e").source == "cards.toml"


def test_a_card_can_move_to_two_ages_and_back() -> None:
    both = ["cards.Palace.age=false", "cards.Palace.copies={ 2 = [3], 3 = [7] }", "cards.Walls.copies=[7]"]
    move = ["cards.Arsenal.copies=[3, 3, 4, 7]"]  # the deck of age III loses a copy, that of age II keeps its size
    palace = load_catalogue("1e", changes=both + move).card("Palace")
    assert (palace.ages, palace.copies) == ((2, 3), ((2, (3,)), (3, (7,))))


@pytest.mark.parametrize(
    "change",
    [
        "cards.Palace.points=7",
        "cards.Palace.cost.ore=2",
        "cards.Palace.color=green",
        "cards.Gardens.free_with=[]",
        "cards.Arsenal.copies=[3, 4, 6]",
        "wonders.Gizah.resource=ore",
        "wonders.Gizah.A.1.points=4",
        "switches.debt_choice=false",
        "settings.start_coins=4",
        "settings.victory_tokens=[1, 5, 3]",
        "rulesets.1e.seats=[3, 4]",
    ],
)
def test_the_digest_changes_with_the_content(first_edition: Catalogue, change: str) -> None:
    if "copies" in change:  # keep the deck whole
        changed = load_catalogue("1e", changes=[change, "cards.Town Hall.copies=[3, 5, 7]"])
    else:
        changed = load_catalogue("1e", changes=[change])
    assert changed.digest != first_edition.digest


@pytest.mark.parametrize(
    "change",
    [
        "cards.Palace.points=8",
        "cards.Palace.uncertain=who knows",
        "rulesets.1e.title=mine",
        'cards.Forum.free_with=["West Trading Post", "East Trading Post"]',
        'cards.Caravansery.produces_one_of=["wood", "ore", "stone", "clay"]',
        "cards.Town Hall.copies=[6, 3, 5]",
        "cards.Palace.shields=0",
        "rulesets.1e.seats=[7, 6, 5, 4, 3]",
        "cards.Well.remove=true",
    ],
)
def test_the_digest_stays_the_same_if_games_do_not_change(first_edition: Catalogue, change: str) -> None:
    if "Well" in change:  # another rule set's layer, untouched by this one
        change = "rulesets.2e.settings.start_coins=9"
    changed = load_catalogue("1e", changes=[change])
    assert changed.digest == first_edition.digest
    assert len(changed.digest) == 16


def test_the_digest_distinguishes_rule_sets() -> None:
    assert len({load_catalogue(name).digest for name in ruleset_names()}) == 5


def test_loading_twice_gives_equal_picklable_catalogues(first_edition: Catalogue) -> None:
    again = load_catalogue("1e")
    assert again == first_edition
    assert hash(again) == hash(first_edition)
    assert pickle.loads(pickle.dumps(again)) == again


def test_failed_lookups_suggest_the_nearest_name(first_edition: Catalogue) -> None:
    with pytest.raises(UserError, match=r"unknown card 'Palas' in rule set 1e \(did you mean 'Palace'\?\)"):
        first_edition.card("Palas")
    with pytest.raises(UserError, match=r"unknown wonder 'Giza' .*did you mean 'Gizah'"):
        first_edition.wonder("Giza")
    with pytest.raises(UserError, match=r"unknown side 'day' of Gizah: accepted are A, B"):
        first_edition.wonder("Gizah").stages("day")
