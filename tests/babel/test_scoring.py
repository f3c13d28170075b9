"""One test per rule, named after the rule: action cards, scoring and the end (sections 6 to 10), with the test
vectors.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.babel.reference import scoring as reference
from tests.babel.tools import BLUE, GREEN, RED, YELLOW, Scene, five_ships, played, table
from wsim.babel.describe.trace import read_log
from wsim.babel.kernels.layout import COMPLETED, LOG_PAID, LOG_WONDER, TRADE_CARD
from wsim.babel.kernels.scoring import set_points, wonder_points
from wsim.babel.words import DECISIONS, KIND_GONE, RUNNING, TURN_LIMIT

pytestmark = [pytest.mark.jit_off, pytest.mark.boundscheck]

YES = 1
SET_VALUES = {0: 0, 1: 0, 2: 5, 3: 10, 4: 20, 5: 30, 6: 40}


# --- other action cards ---------------------------------------------------------------------------------------------
def test_a17_triple_bonus_pays_three_instead_of_one() -> None:
    scene, _, _ = five_ships()
    scene.hand(RED, ship=5)
    scene.hand(BLUE, ship=2)
    scene.give(BLUE, "triple_bonus", "triple_bonus")
    scene.script(BLUE, offer=2, triple_bonus=YES)
    scene.turn()
    assert scene.points() == [0, 6, 0, 0]
    assert scene.held(BLUE) == ["triple_bonus"]  # two do not stack
    assert (scene.g.hidden.tally[BLUE].refused_points, scene.g.hidden.tally[BLUE].action_points) == (2, 4)


@pytest.mark.parametrize(("allowed", "points"), [(True, 6), (False, 2)])
def test_a16_triple_bonus_on_a_failed_build(allowed: bool, points: int) -> None:
    scene, _, _ = five_ships(triple_bonus_on_failed_build=allowed)
    scene.hand(BLUE, ship=2)
    scene.give(BLUE, "triple_bonus")
    scene.script(BLUE, offer=2, triple_bonus=YES)
    scene.turn()
    assert scene.points()[BLUE] == points


def test_section_7_windows_w1_w2_w3() -> None:
    scene, _, _ = five_ships()
    scene.hand(RED, ship=1)
    for seat in (RED, YELLOW):
        scene.give(seat, "draw_three")
    scene.turn()
    # W1 clockwise from Red: Red, Yellow; W2: Yellow; W3: Red
    assert scene.asked("play_card") == [(RED, 2), (YELLOW, 2), (YELLOW, 2), (RED, 2)]


def test_section_7_draw_three() -> None:
    scene = Scene()
    scene.t.pass_draw = 0
    scene.give(YELLOW, "draw_three")
    scene.script(YELLOW, play_card=4)
    scene.turn()
    assert sum(scene.cards(YELLOW).values()) == 3
    assert scene.held(YELLOW) == []


def test_a30_exchange_draws_first_and_discards_afterwards() -> None:
    scene = Scene()
    scene.t.pass_draw = 0
    scene.hand(BLUE, camel=25, crane=25, ship=25, stonemason=24)
    scene.hand(RED, stonemason=1)
    scene.give(RED, "card_exchange")
    scene.script(RED, play_card=1, exchange=4)
    scene.turn()
    assert scene.cards(RED) == {}  # deck and discard pile were empty: nothing came back
    assert scene.g.public.discards[3] == 1


def test_section_7_exchange_up_to_five_of_any_kinds() -> None:
    scene = Scene()
    scene.t.pass_draw = 0
    scene.hand(RED, ship=7)
    scene.give(RED, "card_exchange")
    scene.script(RED, play_card=1, exchange=3)
    scene.turn()
    assert sum(scene.cards(RED).values()) == 7
    assert scene.g.public.discards[2] == 5
    assert len(scene.asked("exchange")) == 5


def test_section_7_exchange_needs_a_hand() -> None:
    scene = Scene()
    scene.give(RED, "card_exchange")
    scene.turn()
    assert scene.asked("play_card") == [(RED, 1)]


def test_a21_double_turn_two_actions_one_common_draw() -> None:
    scene = Scene()
    scene.t.common_draw = 1
    scene.give(RED, "double_turn")
    scene.script(RED, double_turn=YES)
    scene.turn()
    assert [sum(scene.cards(seat).values()) for seat in range(4)] == [3, 1, 1, 1]
    assert scene.g.public.active == BLUE


@pytest.mark.parametrize(("most", "actions"), [(0, 1), (1, 2), (2, 3)])
def test_a20_two_double_turns_in_one_turn(most: int, actions: int) -> None:
    scene = Scene(max_double_turns=most)
    scene.give(RED, "double_turn", "double_turn")
    scene.script(RED, double_turn=YES)
    scene.turn()
    assert sum(scene.cards(RED).values()) == actions


@pytest.mark.parametrize(("at_once", "actions"), [(True, 2), (False, 1)])
def test_a18_a_card_in_the_turn_in_which_it_was_drawn(at_once: bool, actions: int) -> None:
    scene, slot, wonder = five_ships(action_card_usable_at_once=at_once)
    scene.hand(RED, ship=10)
    scene.remove(*(other for other in range(3 * wonder, 3 * wonder + 3) if other != slot))
    scene.g.hidden.action_deck[0] = 2  # Double turn
    scene.script(RED, turn=1 + slot, complete=COMPLETED, double_turn=YES)
    scene.turn()
    assert len(scene.asked("turn")) == actions
    assert scene.g.own[RED].fresh.sum() == 0  # usable from the next turn on
    assert ("double_turn" in scene.held(RED)) == (not at_once)


def test_a18_a_drawn_card_can_be_played_from_the_next_turn_on() -> None:
    scene = Scene(action_card_usable_at_once=False)
    scene.g.public.active = BLUE
    for seat in (RED, BLUE):
        scene.g.own[seat].fresh[2] = scene.g.own[seat].cards[2] = 1
    scene.turn()
    assert [int(scene.g.own[seat].fresh[2]) for seat in (RED, BLUE)] == [1, 0]


# --- section 6 ------------------------------------------------------------------------------------------------------
VECTORS = [
    ("rulebook", [6, 4, 2, 0], (8, 4, 3), [8, 4, 3, 0]),
    ("rulebook", [5, 5, 2, 1], (8, 4, 3), [4, 4, 3, 3]),
    ("tie_for_second", [6, 4, 4, 1], (10, 5, 3), [10, 3, 3, 3]),
    ("all_tied", [4, 4, 4], (10, 5, 3), [5, 5, 5]),
    ("alone", [4, 0, 0], (10, 5, 3), [10, 0, 0]),
    ("light_row", [3, 3, 1], (6, 3, 3), [3, 3, 3]),
    ("nobody", [0, 0, 0], (8, 4, 3), [0, 0, 0]),
]


@pytest.mark.parametrize(("units", "row", "points"), [vector[1:] for vector in VECTORS], ids=[v[0] for v in VECTORS])
def test_section_6_points_of_a_wonder(units: list[int], row: tuple[int, int, int], points: list[int]) -> None:
    assert wonder_points(units, row) == points
    assert reference.wonder_points(units, row) == points


def test_a29_tied_leaders_in_the_light_row_score_no_more_than_the_others() -> None:
    scene = Scene()
    scene.g.public.units[0, :4] = [3, 3, 1, 0]
    scene.finish()
    assert scene.points() == [3, 3, 3, 0]


def completing(*left: int, **rules: Any) -> tuple[Scene, int, int]:
    """Return a scene in which Red completes a wonder that has ``left`` units of the other seats."""
    scene, slot, wonder = five_ships(**rules)
    scene.remove(*(other for other in range(3 * wonder, 3 * wonder + 3) if other != slot))
    for seat, units in enumerate(left, 1):
        scene.g.public.units[wonder, seat] = units
    scene.hand(RED, ship=5)
    return scene, slot, wonder


def test_section_6_a_completed_wonder() -> None:
    scene, _, wonder = completing(4, 2, 0)
    scene.turn()
    assert scene.points() == [8, 4, 3, 0]
    assert scene.units(wonder) == [0, 0, 0, 0]
    assert scene.g.public.row == 1
    assert len(scene.held(RED)) == 1  # the active seat draws an action card
    assert [scene.g.public.action_cards[seat] for seat in range(4)] == [1, 0, 0, 0]


def test_a31_the_action_card_is_drawn_without_a_decision() -> None:
    asked = []
    for others in ((4, 2, 0), ()):
        scene, slot, _ = completing(*others)
        if not others:
            scene.g.public.slots_left |= 0b111 << slot // 3 * 3  # the same build does not complete the wonder
        scene.turn()
        assert len(scene.held(RED)) == bool(others)
        asked.append([event.what for event in read_log(scene.g.log) if event.what < len(DECISIONS)])
    assert asked[0] == asked[1]


def test_a19_a_wonder_is_scored_before_refused_offers_are_paid() -> None:
    scene, _, _ = completing()
    scene.hand(BLUE, ship=2)
    scene.script(BLUE, offer=2)
    scene.turn()
    assert scene.points() == [8, 2, 0, 0]
    paying = [event.what for event in read_log(scene.g.log) if event.what in (LOG_WONDER, LOG_PAID)]
    assert paying == [LOG_WONDER, LOG_PAID]


def test_section_6_the_active_seat_draws_though_a_partner_takes_the_disc() -> None:
    scene, _, _ = completing()
    scene.hand(RED, ship=4)
    scene.hand(BLUE, ship=1)
    scene.script(BLUE, offer=1 | TRADE_CARD)
    scene.seating.settings[RED]["weights"][5] = 1 << BLUE
    scene.turn()
    assert scene.owned() == [0, 1, 0, 0]
    assert len(scene.held(RED)) == 1
    assert scene.held(BLUE) == []


def test_section_6_without_action_cards_nobody_draws_one() -> None:
    scene, _, _ = completing(use_action_cards=False)
    scene.turn()
    assert scene.held(RED) == []
    assert scene.points()[RED] == 8


def test_a28_parts_are_limited_only_if_switched_on() -> None:
    for limit, placed in ((False, 5), (True, 2)):
        scene, _, wonder = five_ships(limit_parts=limit)
        scene.hand(RED, ship=5)
        scene.g.public.units[(wonder + 1) % 8, RED] = 27
        scene.turn()
        assert scene.units(wonder)[RED] == placed


# --- section 8 and 9 ------------------------------------------------------------------------------------------------
def last_ship(**rules: Any) -> tuple[Scene, int]:
    """Return a scene in which Red builds with the last ship disc."""
    scene, slot, _ = five_ships(**rules)
    scene.remove(*(other for other in range(24) if scene.discs[other].keys() == {"ship"} and other != slot))
    scene.hand(RED, ship=5)
    return scene, slot


def test_section_8_the_game_ends_when_a_kind_of_disc_runs_out() -> None:
    scene, _ = last_ship()
    scene.t.common_draw = 1
    scene.give(RED, "double_turn")
    scene.script(RED, turn=1 + scene.slot(ship=5), complete=COMPLETED, double_turn=YES)
    scene.hand(BLUE, ship=2)
    scene.script(BLUE, offer=2)
    scene.turn()
    assert scene.g.public.over == KIND_GONE
    assert scene.points()[BLUE] == 2  # refused offers are paid
    assert scene.cards(RED) == {}  # no common draw
    assert "double_turn" in scene.held(RED)  # no action card may be played any more


@pytest.mark.parametrize("drawn", [True, False])
def test_a22_the_wonder_that_ends_the_game_gives_an_action_card(drawn: bool) -> None:
    scene, slot = last_ship(action_card_for_last_wonder=drawn)
    wonder = slot // 3
    scene.remove(*(s for s in range(3 * wonder, 3 * wonder + 3) if s != slot and scene.g.public.slots_left >> s & 1))
    scene.turn()
    assert scene.g.public.over == KIND_GONE
    assert scene.points()[RED] == 8
    assert len(scene.held(RED)) == int(drawn)


def test_a23_bonus_cards_are_scored_at_the_end_not_played() -> None:
    scene, _ = last_ship(action_card_for_last_wonder=False)
    scene.give(RED, "five_points", "disc_bonus")
    scene.turn()
    assert scene.g.public.over == KIND_GONE
    assert scene.asked("play_card") == []  # they open no window
    assert scene.points()[RED] == 8  # of the wonder that the last ship completes
    scene.finish()
    assert scene.points()[RED] == 8 + 5 + 1


@pytest.mark.parametrize("last", ["camel", "stonemason"])
def test_section_10_a_two_colour_disc_counts_for_both_kinds(last: str) -> None:
    scene = Scene(two_colour=True)
    slot = scene.slot(camel=2, stonemason=3)
    scene.remove(*(other for other in range(24) if last in scene.discs[other] and other != slot))
    scene.hand(RED, camel=2, stonemason=3)
    scene.script(RED, turn=1 + slot, complete=COMPLETED)
    assert scene.g.public.over == RUNNING
    scene.turn()
    assert scene.g.public.over == KIND_GONE


def test_section_10_offers_and_partners_are_capped_per_kind() -> None:
    scene = Scene(two_colour=True)
    scene.script(RED, turn=1 + scene.slot(camel=2, stonemason=3))
    scene.hand(BLUE, camel=5, stonemason=5)
    scene.hand(YELLOW, camel=1)
    scene.script(BLUE, offer=2 | 1 << 8)
    scene.script(YELLOW, offer=1)
    scene.turn()
    assert scene.asked("offer")[0] == (BLUE, 23)  # 3 x 4 sets of cards, all but none with the trade card too
    assert scene.asked("take") == [(RED, 3)]  # both together would be three camels


def test_section_9_unfinished_wonders_and_automatic_cards() -> None:
    scene = Scene()
    scene.g.public.units[0, :4] = [6, 3, 3, 1]
    scene.g.own[BLUE].discs[0] = 4
    scene.g.own[BLUE].discs[2] = 2
    scene.g.own[BLUE].discs[1] = 1
    scene.g.public.disc_count[BLUE] = 7
    scene.give(BLUE, "disc_bonus", "disc_bonus", "joker")  # a Joker is worth nothing
    scene.give(GREEN, "five_points")
    scene.finish()
    assert scene.points() == [6, 3 + 25 + 14, 3, 3 + 5]
    assert scene.held(RED) == []


def test_a24_disc_bonus_counts_discs_of_all_kinds_and_two_copies_stack() -> None:
    for copies in (1, 2):
        scene = Scene()
        scene.g.own[BLUE].discs[:4] = 1
        scene.g.public.disc_count[BLUE] = 4
        scene.give(BLUE, *["disc_bonus"] * copies)
        scene.finish()
        assert scene.points() == [0, 4 * copies, 0, 0]  # one disc of a kind is worth nothing by the set table


def test_rulebook_four_camels_two_ships_one_crane() -> None:
    scene = Scene()
    assert sets(scene, 4, 1, 2, 0) == 25


def sets(scene: Scene, *discs: int) -> int:
    """Return the points of owned discs: camels, cranes, ships, stonemasons, mask of two-colour ones."""
    python = getattr(set_points, "py_func", set_points)
    return int(python(scene.t, *discs, *(() if len(discs) == 5 else (0,))))


def test_section_9_two_colour_discs_count_where_they_are_worth_most() -> None:
    scene = Scene(two_colour=True)
    two = {tuple(disc): 1 << number for number, disc in enumerate(scene.discs) if len(disc) == 2}
    assert sets(scene, 1, 0, 0, 3, two["camel", "stonemason"]) == 20  # 3 + 1 stonemasons, not 2 camels
    assert sets(scene, 1, 0, 0, 0, two["camel", "stonemason"]) == 5
    everything = sum(two.values())
    discs = [{"camel": 1}] * 5 + [disc for disc in scene.discs if len(disc) == 2]
    assert sets(scene, 5, 0, 0, 0, everything) == reference.set_points(discs, SET_VALUES, 6)


def test_a25_seven_discs_count_as_six() -> None:
    assert sets(Scene(), 7, 0, 0, 0) == 40
    assert sets(Scene(set_table_cap=4), 7, 0, 0, 0) == 20


def test_a26_discs_are_public_unless_switched_off() -> None:
    for public in (True, False):
        scene, _, _ = five_ships(public_discs=public)
        scene.hand(RED, ship=5)
        scene.turn()
        assert scene.g.public.discs[RED, 2] == int(public)
        assert scene.g.own[RED].discs[2] == 1


@pytest.mark.parametrize(("tie", "shares"), [("shared", [0.5, 0.5, 0.0, 0.0]), ("discs", [0.0, 1.0, 0.0, 0.0])])
def test_a27_ties_are_broken_as_the_switch_says(tie: str, shares: list[float]) -> None:
    scene = Scene(victory_tie=tie)
    scene.g.public.points[:4] = [9, 9, 8, 7]
    scene.g.public.disc_count[:4] = [1, 2, 9, 0]
    scene.finish()
    assert [scene.g.hidden.tally[seat].share for seat in range(4)] == shares
    assert [scene.g.hidden.tally[seat]["rank"] for seat in range(4)][2:] == [3, 4]


def test_a32_a_game_stops_at_the_turn_limit() -> None:
    rows = played(table(set=("babel.rules.turn_limit=5",)), 20)
    assert set(rows["over"]) == {TURN_LIMIT}
    assert set(rows["turns"]) == {5}
