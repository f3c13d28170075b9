"""Chapter 6, special abilities (R26-R30): free builds, last cards, builds from the discard pile, copied guilds."""

# ruff: noqa: N802

from __future__ import annotations

from typing import Any

import pytest

from tests.wonders.both import Position

pytestmark = pytest.mark.jit_off

PAID = ("paid", 0, 0, 0)
FREE = ("free", 0, 0, 0)


def olympia(side: str, ruleset: str, stages: int, **more: Any) -> Position:
    """Return a table with Olympia in seat 0, some of its stages built, and an empty treasury."""
    other = "A" if ruleset == "1e" else "day"
    p = Position(ruleset, f"Olympia {side}", f"Rhodos {other}", f"Gizah {other}", **more)
    p.city(0, stages=stages, coins=0)
    return p


def test_R26_olympia_A_once_per_age_one_structure_of_the_hand_for_free() -> None:
    p = olympia("A", "1e", 2, age=3)
    assert p.builds(0, "Palace") == [FREE]
    p.play({0: p.moves(0, "Palace")[0]})
    assert (p.owned(0), p.coins[0]) == ({"Palace"}, 0)
    assert p.builds(0, "Pantheon") == []


@pytest.mark.engine_only
def test_R26_olympia_A_the_next_age_gives_another_free_build() -> None:
    p = olympia("A", "1e", 2, age=1)
    p.play({0: p.moves(0, "Workshop")[0]})
    assert p.builds(0, "Apothecary") == []
    p.go_to(age=2)
    p.deal()
    assert p.builds(0, "Aqueduct") == [FREE]


def test_R26_a_once_per_age_free_build_is_offered_in_addition_to_the_paid_one_and_may_be_saved() -> None:
    p = olympia("A", "1e", 2)
    p.city(0, coins=2)
    assert p.builds(0, "Barracks") == [("paid", 0, 2, 0), FREE]
    assert p.builds(0, "Altar") == [PAID, FREE]  # even when the card costs nothing
    p.play({0: p.moves(0, "Altar")[0]})
    assert p.builds(0, "Workshop") == [FREE]


def test_R26_a_once_per_age_free_build_is_not_offered_in_addition_to_a_chain() -> None:
    p = olympia("A", "1e", 2, age=2)
    p.city(0, "Theater")
    assert p.builds(0, "Statue") == [("chain", 0, 0, 0)]
    p.play({0: p.moves(0, "Statue")[0]})
    assert p.builds(0, "Aqueduct") == [FREE]


def test_R26_never_a_stage_and_from_the_turn_after_the_stage() -> None:
    p = olympia("A", "1e", 2)
    assert p.stage_payments(0) == []
    p = olympia("A", "1e", 1)
    assert p.builds(0, "Workshop") == []
    p.play({0: "stage"})
    assert p.builds(0, "Workshop") == [FREE]


def test_R26_example_the_first_structure_of_each_colour_is_free() -> None:
    # cases.json 469: with a blue card in the city the Palace is no longer free, but the University is.
    p = olympia("day", "2e", 2, age=3)
    assert p.builds(0, "Palace") == [FREE]
    p.city(0, "Altar")
    assert p.builds(0, "Palace") == []
    assert p.builds(0, "University") == [FREE]
    p.play({0: p.moves(0, "University")[0]})
    assert p.builds(0, "Study") == []


def test_R26_the_free_builds_of_the_second_edition_are_simply_applied() -> None:
    p = olympia("day", "2e", 2)
    p.city(0, "Theater", "Ore Vein", coins=9)
    assert p.builds(0, "Barracks") == [FREE]  # though its own ore would pay
    p.go_to(age=3)
    assert p.builds(0, "Gardens") == [("chain", 0, 0, 0)]  # a chain is reported first


@pytest.mark.parametrize("ruleset", ["2e", "2e-cities"])
@pytest.mark.parametrize("stages", [0, 1, 2, 3])
def test_R26_olympia_night_builds_free_on_the_first_and_the_last_turn(stages: int, ruleset: str) -> None:
    turns = 7 if ruleset == "2e-cities" else 6
    free = {turn for turn in range(1, turns + 1) if olympia("night", ruleset, stages, turn=turn).builds(0, "Workshop")}
    assert free == {0: set(), 1: {1}, 2: {1, turns}, 3: {1, turns}}[stages]


def test_R27_babylon_plays_its_last_card() -> None:
    for ruleset, board, stages, other in (("1e", "Babylon B", 2, "A"), ("2e", "Babylon night", 1, "day")):
        p = Position(ruleset, board, f"Rhodos {other}", f"Gizah {other}", turn=6)
        p.city(0, stages=stages)
        for seat in range(3):
            p.hand(seat, "Baths" if seat == 0 else "Stockade")
        p.play({})
        assert p.extra == [(0, "last_card", "build", "Baths")]
        assert p.owned(0) == {"Baths"}
        assert p.pile == ["Stockade", "Stockade"]


@pytest.mark.parametrize(("index", "action"), [(0, "build"), (1, "stage"), (2, "sell")])
def test_R27_a_last_card_may_be_built_used_for_a_stage_or_sold(index: int, action: str) -> None:
    p = Position("1e", "Babylon B", "Rhodos A", "Gizah A", turn=6)
    p.city(0, "Brickyard", "Press", stages=2)
    p.hand(0, "Theater")
    p.script(0, last_card=index)
    p.play({})
    assert p.extra == [(0, "last_card", action, "Theater")]
    assert p.coins[0] == (6 if action == "sell" else 3)
    assert int(p.public.stages[0]) == (3 if action == "stage" else 2)
    assert p.pile == (["Theater"] if action == "sell" else [])


def test_R27_works_from_the_turn_in_which_the_stage_is_built() -> None:
    p = Position("1e", "Babylon B", "Rhodos A", "Gizah A", turn=6)
    p.city(0, stages=1)
    p.hand(0, "Theater")
    p.play({0: "stage"})
    assert p.extra == [(0, "last_card", "build", "Theater")]


def test_R27_not_before_the_last_turn() -> None:
    p = Position("1e", "Babylon B", "Rhodos A", "Gizah A", turn=5)
    p.city(0, stages=2)
    p.hand(0, "Theater")
    p.play({})
    assert (p.extra, p.pile) == ([], [])


def test_R27_a_last_card_must_be_sold_if_nothing_else_is_possible() -> None:
    p = Position("1e", "Babylon B", "Rhodos A", "Gizah A", age=3, turn=6)
    p.city(0, stages=2, coins=0)
    p.hand(0, "Palace")
    p.play({})
    assert (p.extra, p.coins[0], p.pile) == ([(0, "last_card", "sell", "Palace")], 3, ["Palace"])


@pytest.mark.parametrize(("ruleset", "board", "stages"), [
    ("1e", "Halikarnassos A", {2}), ("1e", "Halikarnassos B", {1, 2, 3}),
    ("2e", "Halikarnassos day", {2}), ("2e", "Halikarnassos night", {1, 2, 3}),
])  # fmt: skip
def test_R28_halikarnassos_builds_from_the_discard_pile(ruleset: str, board: str, stages: set[int]) -> None:
    # cases.json 471: on side B each stage gives one build, in the turn in which it is built.
    other = "A" if ruleset == "1e" else "day"
    p = Position(ruleset, board, f"Rhodos {other}", f"Gizah {other}")
    p.discarded("Baths", "Stockade", "Tavern")
    for stage in (1, 2, 3):
        owned = p.owned(0)
        p.play({0: "stage"})
        assert bool(p.owned(0) - owned) == (stage in stages)
        p.play({0: "sell Altar"})  # once only
    assert len(p.owned(0)) == len(stages)


def test_R28_any_discarded_card_of_the_game_and_each_name_once_then_declining() -> None:
    p = Position("1e", "Halikarnassos B", "Rhodos A", "Gizah A", age=3)
    p.city(0, "Altar", coins=0)
    p.discarded("Palace", "Theater", "Altar", "Baths", "Theater")
    assert [(m.action, m.card, m.how) for m in p.pile_moves(0)] == [
        ("build", "Baths", "free"), ("build", "Palace", "free"), ("build", "Theater", "free"), ("decline", "", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("optional", "index", "built"), [(True, -1, set()), (True, 0, {"Baths"}), (False, -1, {"Theater"})]
)
def test_R28_the_build_is_optional(optional: bool, index: int, built: set[str]) -> None:
    p = Position("1e", "Halikarnassos B", "Rhodos A", "Gizah A", discard_build_optional=optional)
    p.discarded("Theater", "Baths")
    p.script(0, discard_pile=index)
    p.play({0: "stage"})
    assert p.owned(0) == built
    assert len(p.pile) == 2 - len(built)


def test_R28_cards_discarded_this_very_turn_count_at_the_end_of_an_age_too() -> None:
    p = Position("1e", "Halikarnassos B", "Rhodos A", "Gizah A", age=3, turn=6)
    p.hand(1, "Palace")
    p.script(0, discard_pile=1)
    p.play({0: "stage", 2: "sell Arena"})
    assert p.owned(0) == {"Palace"}
    assert p.pile == ["Arena"]


def test_R28_nothing_eligible_no_effect() -> None:
    p = Position("1e", "Halikarnassos B", "Rhodos A", "Gizah A")
    p.city(0, "Altar")
    p.discarded("Altar")
    p.play({0: "stage"})
    assert (p.extra, p.pile) == ([], ["Altar"])


def test_R28_the_built_card_fires_its_immediate_effects() -> None:
    p = Position("1e", "Halikarnassos B", "Rhodos A", "Gizah A")
    p.discarded("Tavern")
    p.play({0: "stage"})
    assert (p.coins, p.pile) == ([8, 3, 3], [])
    p = Position("2e-cities", "Halikarnassos night", "Rhodos day", "Gizah day", age=2)
    p.discarded("Opium Den")
    p.play({0: "stage"})
    assert (p.coins, p.losses) == ([7, 0, 0], [(1, 3, 0), (2, 3, 0)])


def test_R28_forging_agency_builds_from_the_pile() -> None:
    p = Position("2e-cities", "Petra day", "Rhodos day", "Gizah day", age=2)
    p.discarded("Capitol")
    p.play({0: "Forging Agency"})
    assert p.owned(0) == {"Capitol", "Forging Agency"}


def copying(own: tuple[str, ...], left: tuple[str, ...], **switches: Any) -> dict[str, int]:
    """Return the score of a completed Olympia B whose left neighbour has these structures."""
    p = Position("1e", "Olympia B", "Gizah A", "Rhodos A", **switches)
    p.city(0, *own, stages=3, coins=0)
    p.city(1, *left)
    return p.points(0)


def test_R29_the_best_guild_of_a_neighbour_is_copied() -> None:
    assert copying((), ("Workers Guild", "Spies Guild", "Walls", "Barracks")).get("guild") == 2
    assert copying((), ()).get("guild", 0) == 0


def test_R29_the_third_stage_is_needed() -> None:
    p = Position("1e", "Olympia B", "Gizah A", "Rhodos A")
    p.city(0, stages=2)
    p.city(1, "Spies Guild", "Walls")
    assert p.points(0).get("guild", 0) == 0
    p.city(0, stages=1)
    assert p.points(0)["guild"] == 1


def test_R29_a_copied_guild_looks_at_the_copiers_neighbours() -> None:
    p = Position("1e", "Olympia B", "Gizah A", "Rhodos A", "Ephesos A")
    p.city(0, stages=3)
    p.city(1, "Workers Guild", "Clay Pit")
    p.city(2, "Quarry", "Foundry")
    p.city(3, "Sawmill")
    assert p.points(0)["guild"] == 2
    assert p.points(1)["guild"] == 2  # nothing changes for the guild's owner


def test_R29_a_copied_scientists_gives_a_wild_symbol() -> None:
    points = copying(("Workshop", "Apothecary"), ("Scientists Guild",))
    assert (points["science"], points.get("guild", 0)) == (10, 0)


def test_R29_a_scientists_is_not_copied_where_another_guild_is_better() -> None:
    left = ("Scientists Guild", "Spies Guild", "Walls", "Barracks", "Stockade", "Arsenal")
    points = copying(("Workshop",), left)
    assert (points["science"], points["guild"]) == (1, 4)  # a wild symbol would bring 3


@pytest.mark.parametrize(("itself", "points"), [(True, 4), (False, 3)])
def test_R29_a_copied_shipowners_counts_itself(itself: bool, points: int) -> None:
    own = ("Loom", "Sawmill", "Spies Guild")
    assert copying(own, ("Shipowners Guild",), copied_shipowners_counts_itself=itself)["guild"] == points


def test_R29_a_copy_is_a_purple_card_for_the_own_shipowners() -> None:
    assert copying(("Shipowners Guild",), ())["guild"] == 1
    assert copying(("Shipowners Guild",), ("Spies Guild",))["guild"] == 2
    assert copying(("Shipowners Guild",), ("Spies Guild", "Walls"))["guild"] == 3


def test_R29_guilds_of_both_neighbours_may_be_copied() -> None:
    p = Position("1e", "Olympia B", "Gizah A", "Rhodos A", "Ephesos A")
    p.city(0, stages=3)
    p.city(1, "Workers Guild", "Clay Pit")
    p.city(3, "Builders Guild", stages=2)
    p.city(2, "Magistrates Guild")
    assert p.points(0)["guild"] == 5  # Builders: three own stages and two of Ephesos


def test_R30_the_engine_takes_the_best_total() -> None:
    p = Position("1e", "Olympia B", "Babylon A", "Rhodos A")
    p.city(0, "Workshop", "Apothecary", "Scientists Guild", stages=3)
    p.city(1, "Spies Guild", "Scientists Guild", "Walls")
    points = p.points(0)
    assert (points["science"], points.get("guild", 0)) == (13, 0)  # two wild symbols rather than one red card
