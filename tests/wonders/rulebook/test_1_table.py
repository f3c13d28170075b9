"""Chapter 1, the table (R1-R5): neighbours, boards, coins, decks, passing."""

# ruff: noqa: N802 (tests carry the number of their rule as it is written)

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.tiers import first_quick
from tests.wonders.both import Position
from tests.wonders.engine_tools import ALL, TABLES, engine_table
from tests.wonders.reference.facts import RULE_SETS, load
from wsim.errors import UserError
from wsim.wonders.catalog import load_catalogue

BOARDS = ("Gizah A", "Rhodos A", "Ephesos A", "Babylon A")


def hands_of(trace: dict[str, Any], age: int) -> list[list[str]]:
    """Return the hands dealt in an age, the Free City's pile last."""
    entry = trace["ages"][age - 1]
    return [*entry["hands"], *([entry["free_city"]] if "free_city" in entry else [])]


def test_R1_the_left_neighbour_is_the_next_seat() -> None:
    p = Position("1e", *BOARDS)
    p.city(1, "Stone Pit")
    assert p.builds(0, "Baths") == [("paid", 0, 0, 0)]
    assert p.builds(2, "Baths") == [("paid", 0, 0, 2)]  # seat 2 has seat 1 on its right
    assert p.builds(3, "Baths") == [("paid", 0, 2, 0)]  # Gizah, seat 0, is on the left of the last seat


def test_R1_with_three_seats_all_seats_are_neighbours() -> None:
    p = Position("1e", "Gizah A", "Rhodos A", "Ephesos A")
    assert p.builds(1, "Baths") == [("paid", 0, 0, 2)]
    assert p.builds(2, "Baths") == [("paid", 0, 2, 0)]


@pytest.mark.engine_only
@first_quick(1, "ruleset", ALL)
def test_R2_each_seat_has_a_different_wonder_and_every_board_and_side_comes_up(ruleset: str) -> None:
    players = RULE_SETS[ruleset].players[-1]
    table = engine_table(ruleset, players)
    seen: Counter[tuple[str, str]] = Counter()
    for number in range(40):
        seats = table.trace(number)["seats"]
        assert len({seat["wonder"] for seat in seats}) == len(seats)
        seen.update((seat["wonder"], seat["side"]) for seat in seats)
    assert set(seen) == {(name, side) for name, wonder in load(ruleset).wonders.items() for side in wonder.sides}


@pytest.mark.parametrize("ruleset", ALL)
def test_R3_every_seat_starts_with_three_coins(ruleset: str) -> None:
    boards = [
        f"{name} {'A' if ruleset.startswith('1e') else 'day'}" for name in ("Gizah", "Rhodos", "Ephesos", "Babylon")
    ]
    seats = 3 if ruleset == "1e-duo" else 4
    assert Position(ruleset, *boards[:seats]).coins == [3] * seats


@pytest.mark.engine_only
@pytest.mark.parametrize(("ruleset", "players"), TABLES)
def test_R4_the_deck_of_an_age(ruleset: str, players: int) -> None:
    rules, catalogue = RULE_SETS[ruleset], load(ruleset)
    seats = 3 if rules.duo else players
    table = engine_table(ruleset, players)
    drawn: set[str] = set()
    for number in range(6):
        trace = table.trace(number)
        for age in (1, 2, 3):
            hands = hands_of(trace, age)
            assert [len(hand) for hand in hands] == [rules.hand_size] * seats
            dealt = Counter(name for hand in hands for name in hand)
            colors = Counter(catalogue.cards[name].color for name in dealt.elements())
            assert colors["purple"] == (seats + 2 if age == 3 else 0)
            assert colors["black"] == (seats if rules.hand_size == 8 else 0)
            for name, copies in dealt.items():
                card = catalogue.cards[name]
                assert age in card.minimums
                if card.color in ("purple", "black"):
                    assert copies == 1
                    drawn.add(name)
            for card in catalogue.cards.values():
                if card.color not in ("purple", "black"):
                    assert dealt[card.name] == sum(least <= seats for least in card.minimums.get(age, ()))
    assert len(drawn) > seats + 2 + 3 * colors["black"]  # others are left out in other games


@pytest.mark.engine_only
def test_R4_example_a_six_player_game_uses_the_cards_of_three_to_six_players() -> None:
    table = engine_table("1e", 6)
    dealt = Counter(name for hand in hands_of(table.trace(0), 1) for name in hand)
    assert dealt["Mine"] == 1  # 6+
    assert dealt["Pawnshop"] == 1  # 4+ and 7+
    assert dealt["Tavern"] == 2  # 4+, 5+ and 7+


@pytest.mark.engine_only
def test_R4_example_a_five_player_game_has_seven_guilds() -> None:
    catalogue = load("2e")
    dealt = [name for hand in hands_of(engine_table("2e", 5).trace(0), 3) for name in hand]
    assert sum(catalogue.cards[name].color == "purple" for name in dealt) == 7


@pytest.mark.engine_only
@pytest.mark.parametrize(("ruleset", "turns"), [("1e", 6), ("2e", 6), ("2e-cities", 7)])
def test_R5_an_age_has_one_turn_fewer_than_cards_in_a_hand(ruleset: str, turns: int) -> None:
    trace = engine_table(ruleset, 3).trace(0)
    assert [len(age["turns"]) for age in trace["ages"]] == [turns] * 3


@pytest.mark.engine_only
@pytest.mark.parametrize(("age", "giver"), [(1, 3), (2, 1), (3, 3)])
def test_R5_hands_pass_to_the_left_in_ages_I_and_III_to_the_right_in_age_II(age: int, giver: int) -> None:
    p = Position("1e", *BOARDS, age=age)
    p.deal()
    before = [int(p.game.own[seat].hand) for seat in range(4)]
    assert len(set(before)) == 4
    p.pass_hands()
    assert [int(p.game.own[seat].hand) for seat in range(4)] == [before[(seat + giver) % 4] for seat in range(4)]


@pytest.mark.engine_only
@pytest.mark.parametrize(("age", "giver"), [(1, 1), (2, 3), (3, 3)])
def test_R5_a_house_rule_says_where_hands_go(age: int, giver: int) -> None:
    p = Position("1e", *BOARDS, age=age, changes=('settings.passing=["right", "left", "left"]',))
    p.deal()
    before = [int(p.game.own[seat].hand) for seat in range(4)]
    p.pass_hands()
    assert [int(p.game.own[seat].hand) for seat in range(4)] == [before[(seat + giver) % 4] for seat in range(4)]


def test_R5_hands_go_nowhere_else() -> None:
    with pytest.raises(
        UserError, match=r"passing: unknown direction 'rigth' \(did you mean 'right'\?\); accepted: left"
    ):
        load_catalogue("1e", changes=['settings.passing=["rigth", "left", "left"]'])
    with pytest.raises(UserError, match=r"passing: a list of 2 is not accepted; accepted: 3 items"):
        load_catalogue("1e", changes=['settings.passing=["left", "left"]'])
