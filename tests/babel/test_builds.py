"""One test per rule, named after the rule: turns, builds and Jokers (sections 2 to 5), with the examples of the
rulebook.
"""

from __future__ import annotations

import pytest

from tests.babel.tools import BLUE, GREEN, RED, YELLOW, Scene, five_ships, played, table
from wsim.babel.kernels.layout import COMPLETED, TRADE_CARD
from wsim.errors import UserError
from wsim.jit import JIT

pytestmark = [pytest.mark.jit_off, pytest.mark.boundscheck]


# --- section 2 and 3 ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seats", [2, 6])
def test_a1_games_have_three_to_five_seats(seats: int) -> None:
    with pytest.raises(UserError, match="3 to 5"):
        table(players=seats)


@pytest.mark.skipif(not JIT, reason="needs many games")
def test_section_2_every_seat_starts_equally_often() -> None:
    rows = played(table(), 400)
    starters = rows["starter"][::4]
    assert all(70 <= (starters == seat).sum() <= 130 for seat in range(4))


def test_section_3_common_draw_and_next_seat() -> None:
    scene = Scene()
    scene.t.common_draw = 1
    scene.script(RED, turn=0)
    scene.turn()
    assert [sum(scene.cards(seat).values()) for seat in range(4)] == [2, 1, 1, 1]  # section 4: a pass draws one more
    assert scene.g.public.active == BLUE
    assert scene.g.public.turn == 2


def test_a2_discards_become_the_deck() -> None:
    scene = Scene()
    scene.hand(BLUE, camel=25, crane=25, ship=25, stonemason=22)
    scene.hand(RED, stonemason=3)
    assert scene.g.public.deck == 0
    scene.g.own[RED].hand[3] -= 3
    scene.g.public.hand_size[RED] -= 3
    scene.g.public.discards[3] += 3
    scene.turn()
    assert scene.cards(RED) == {"stonemason": 1}
    assert (scene.g.public.deck, sum(scene.g.public.discards), scene.g.hidden.reshuffles) == (2, 0, 1)


def test_a2_nothing_is_drawn_from_an_empty_deck_and_pile() -> None:
    scene = Scene()
    scene.hand(BLUE, camel=25, crane=25, ship=25, stonemason=25)
    scene.turn()
    assert scene.cards(RED) == {}
    assert scene.g.hidden.reshuffles == 0


def test_a2_without_reshuffling_the_deck_stays_empty() -> None:
    scene = Scene(reshuffle_discards=False)
    scene.hand(BLUE, camel=25, crane=25, ship=25, stonemason=22)
    scene.g.hidden.deck[3], scene.g.public.deck, scene.g.public.discards[3] = 0, 0, 3
    scene.turn()
    assert scene.cards(RED) == {}


@pytest.mark.parametrize(("active", "drawing"), [(RED, [RED, BLUE]), (GREEN, [GREEN, RED])])
def test_a3_cards_are_drawn_clockwise_from_the_active_seat(active: int, drawing: list[int]) -> None:
    scene = Scene(reshuffle_discards=False)
    scene.t.pass_draw, scene.t.common_draw = 0, 1
    scene.hand(YELLOW, camel=25, crane=25, ship=25, stonemason=23)  # two cards are left
    before = [sum(scene.cards(seat).values()) for seat in range(4)]
    scene.g.public.active = active
    scene.turn()
    drawn = [sum(scene.cards(seat).values()) - before[seat] for seat in range(4)]
    assert [seat for seat in range(4) if drawn[seat]] == sorted(drawing)


# --- section 5 ------------------------------------------------------------------------------------------------------
def test_rulebook_red_takes_yellow_and_green_with_trade_card() -> None:
    scene, _, wonder = five_ships()
    for seat, ships in ((RED, 2), (YELLOW, 1), (GREEN, 2)):
        scene.hand(seat, ship=ships)
    scene.script(YELLOW, offer=1)
    scene.script(GREEN, offer=2 | TRADE_CARD)
    scene.seating.settings[RED]["weights"][5] = 1 << YELLOW | 1 << GREEN
    scene.turn()
    assert scene.units(wonder) == [4, 0, 1, 0]
    assert scene.owned() == [0, 0, 0, 1]
    assert scene.points() == [0, 0, 0, 0]
    assert [scene.cards(seat) for seat in range(4)] == [{}] * 4
    assert scene.g.public.discards[2] == 5


def test_a26_spent_cards_are_no_longer_shown() -> None:
    """Yellow has shown four ships and gives two of them, Green one and gives one; Blue shows one and keeps it."""
    scene, _, _ = five_ships()
    for seat, ships in ((RED, 2), (BLUE, 1), (YELLOW, 4), (GREEN, 1)):
        scene.hand(seat, ship=ships)
    scene.g.public.shown[YELLOW, 2], scene.g.public.shown[GREEN, 2] = 4, 1
    scene.script(BLUE, offer=1)
    scene.script(YELLOW, offer=2)
    scene.script(GREEN, offer=1)
    scene.seating.settings[RED]["weights"][5] = 1 << YELLOW | 1 << GREEN
    scene.turn()
    assert scene.g.public.shown[:4, 2].tolist() == [0, 1, 2, 0]
    assert [scene.cards(seat) for seat in (BLUE, YELLOW, GREEN)] == [{"ship": 1}, {"ship": 2}, {}]


def test_a11_an_accepted_trade_card_costs_no_extra_card() -> None:
    scene, _, _ = five_ships()
    scene.hand(RED, ship=4, camel=1)
    scene.hand(GREEN, ship=1)
    scene.script(GREEN, offer=1 | TRADE_CARD)
    scene.seating.settings[RED]["weights"][5] = 1 << GREEN
    scene.turn()
    assert scene.owned() == [0, 0, 0, 1]
    assert scene.cards(RED) == {"camel": 1}
    assert sum(scene.g.public.discards) == 5


def test_rulebook_red_takes_yellow_and_adds_four() -> None:
    scene, slot, wonder = five_ships()
    scene.hand(RED, ship=4)
    scene.hand(YELLOW, ship=1)
    scene.script(YELLOW, offer=1)
    scene.seating.settings[RED]["weights"][5] = 1 << YELLOW
    scene.turn()
    assert scene.units(wonder) == [4, 0, 1, 0]
    assert scene.owned() == [1, 0, 0, 0]
    assert not scene.g.public.slots_left >> slot & 1


def test_rulebook_refused_card_and_trade_card_earn_one_point() -> None:
    scene, _, _ = five_ships()
    scene.hand(RED, ship=5)
    scene.hand(BLUE, ship=1, camel=1)
    scene.script(BLUE, offer=1 | TRADE_CARD)
    scene.turn()
    assert scene.points() == [0, 1, 0, 0]
    assert scene.cards(BLUE) == {"ship": 1, "camel": 1}
    assert scene.owned() == [1, 0, 0, 0]


def test_section_5_1_a_seat_may_announce_a_build_that_it_cannot_pay_for() -> None:
    scene, slot, wonder = five_ships()
    scene.turn()
    assert scene.g.hidden.tally[RED].builds_failed == 1
    assert scene.g.public.slots_left >> slot & 1
    assert scene.units(wonder) == [0, 0, 0, 0]


def test_section_5_4_a_failed_build_pays_every_offer_even_picked_ones() -> None:
    scene, _, _ = five_ships()
    scene.hand(RED, ship=1)
    scene.hand(BLUE, ship=2)
    scene.hand(YELLOW, ship=1)
    scene.script(BLUE, offer=2)
    scene.script(YELLOW, offer=1 | TRADE_CARD)
    scene.seating.settings[RED]["weights"][5] = 1 << BLUE
    scene.turn()
    assert scene.points() == [0, 2, 1, 0]
    assert [scene.cards(seat) for seat in range(3)] == [{"ship": 1}, {"ship": 2}, {"ship": 1}]
    assert scene.owned() == [0, 0, 0, 0]


def test_a10_a_failed_build_draws_no_card_for_the_active_seat() -> None:
    scene, _, _ = five_ships()
    scene.t.common_draw = 1
    scene.turn()
    assert [sum(scene.cards(seat).values()) for seat in range(4)] == [1, 1, 1, 1]


def test_a9_a_seat_may_decline_to_complete_a_build() -> None:
    scene, _, _ = five_ships()
    scene.hand(RED, ship=5)
    scene.seating.settings[RED]["weights"][6] = 0
    scene.turn()
    assert scene.asked("complete") == [(RED, 2)]
    assert scene.owned() == [0, 0, 0, 0]


def test_a9_switched_off_a_seat_that_can_complete_a_build_must() -> None:
    scene, _, _ = five_ships(may_decline_when_able=False)
    scene.hand(RED, ship=5)
    scene.seating.settings[RED]["weights"][6] = 0
    scene.turn()
    assert scene.asked("complete") == [(RED, 1)]
    assert scene.owned() == [1, 0, 0, 0]


def test_a8_a_seat_may_refuse_every_offer() -> None:
    scene, _, wonder = five_ships()
    scene.hand(RED, ship=5)
    scene.hand(BLUE, ship=5)
    scene.script(BLUE, offer=5)
    scene.turn()
    assert scene.units(wonder) == [5, 0, 0, 0]
    assert scene.points() == [0, 5, 0, 0]


def test_section_5_3_at_most_one_trade_card_and_no_excess() -> None:
    scene, _, _ = five_ships()
    for seat, ships in ((BLUE, 3), (YELLOW, 2), (GREEN, 1)):
        scene.hand(seat, ship=ships)
    scene.script(BLUE, offer=3)
    scene.script(YELLOW, offer=2 | TRADE_CARD)
    scene.script(GREEN, offer=1 | TRADE_CARD)
    scene.turn()
    # nobody, B, Y, B+Y (5 cards), G, B+G (4 cards); not Y+G (two trade cards)
    assert scene.asked("take") == [(RED, 6)]


def test_section_5_3_partners_alone_may_supply_a_whole_build() -> None:
    scene, _, wonder = five_ships()
    scene.hand(BLUE, ship=3)
    scene.hand(GREEN, ship=2)
    scene.script(BLUE, offer=3 | TRADE_CARD)
    scene.script(GREEN, offer=2)
    scene.seating.settings[RED]["weights"][5] = 1 << BLUE | 1 << GREEN
    scene.turn()
    assert scene.units(wonder) == [3, 0, 0, 2]
    assert scene.owned() == [0, 1, 0, 0]


@pytest.mark.parametrize(("allowed", "moves"), [(True, 7), (False, 6)])
def test_a4_an_offer_may_be_empty_if_allowed(allowed: bool, moves: int) -> None:
    scene, _, _ = five_ships(allow_empty_offer=allowed)
    scene.hand(BLUE, ship=3)
    scene.turn()
    assert scene.asked("offer") == [(BLUE, moves), (YELLOW, 1), (GREEN, 1)]  # no ship: nothing is all they can offer


def test_a5_a_trade_card_alone_is_not_an_offer() -> None:
    scene, _, _ = five_ships()
    scene.turn()
    assert scene.asked("offer") == [(BLUE, 1), (YELLOW, 1), (GREEN, 1)]


def test_a5_switched_on_a_trade_card_alone_wins_the_disc() -> None:
    scene, _, wonder = five_ships(allow_trade_card_alone=True)
    scene.hand(RED, ship=5)
    scene.script(BLUE, offer=TRADE_CARD)
    scene.script(GREEN, offer=TRADE_CARD)
    scene.seating.settings[RED]["weights"][5] = 1 << BLUE
    scene.turn()
    assert scene.asked("offer") == [(BLUE, 2), (YELLOW, 2), (GREEN, 2)]
    assert scene.owned() == [0, 1, 0, 0]
    assert scene.units(wonder) == [5, 0, 0, 0]
    assert scene.points() == [0, 0, 0, 0]  # a refused trade card earns nothing


def test_a6_a_bluff_only_shows_cards() -> None:
    scene, _, _ = five_ships(allow_bluff_cards=True)
    scene.hand(RED, ship=5)
    scene.hand(BLUE, camel=2, stonemason=1)
    scene.script(BLUE, bluff=0b1001)
    scene.turn()
    assert scene.asked("bluff") == [(BLUE, 4), (YELLOW, 1), (GREEN, 1)]
    assert scene.cards(BLUE) == {"camel": 2, "stonemason": 1}
    assert scene.points() == [0, 0, 0, 0]


def test_a7_an_offer_is_at_most_the_number_on_the_disc() -> None:
    scene, _, _ = five_ships()
    scene.hand(BLUE, ship=9)
    scene.turn()
    assert scene.asked("offer")[0] == (BLUE, 11)  # nothing, 1 to 5 without and with the trade card


# --- Jokers ---------------------------------------------------------------------------------------------------------
def test_a12_a_joker_stands_for_two_cards_and_two_parts() -> None:
    scene, _, wonder = five_ships()
    scene.hand(RED, ship=3)
    scene.give(RED, "joker")
    scene.seating.settings[RED]["weights"][6] = COMPLETED | 2
    scene.turn()
    assert scene.units(wonder) == [5, 0, 0, 0]
    assert scene.held(RED) == []
    assert scene.g.public.discards[2] == 3


def test_a12_a_joker_cannot_cover_a_single_missing_card() -> None:
    scene, _, _ = five_ships()
    scene.hand(RED, ship=1)
    scene.hand(BLUE, ship=4)
    scene.script(BLUE, offer=4)
    scene.hand(RED)
    scene.give(RED, "joker")
    scene.seating.settings[RED]["weights"][5] = 1 << BLUE
    scene.turn()
    assert scene.asked("complete") == [(RED, 1)]


def test_a13_a_joker_may_be_split_over_two_kinds() -> None:
    for split, moves in ((True, 2), (False, 1)):
        scene = Scene(two_colour=True, joker_may_split=split)
        scene.script(RED, turn=1 + scene.slot(camel=2, stonemason=3), complete=COMPLETED | 1 | 1 << 8)
        scene.hand(RED, camel=1, stonemason=2)
        scene.give(RED, "joker")
        scene.turn()
        assert scene.asked("complete") == [(RED, moves)]
        assert scene.owned()[RED] == int(split)


def test_a14_several_jokers_in_one_build() -> None:
    for most, built in ((99, 1), (1, 0)):
        scene, _, _ = five_ships(max_jokers_per_build=most)
        scene.hand(RED, ship=1)
        scene.give(RED, "joker", "joker")
        scene.seating.settings[RED]["weights"][6] = COMPLETED | 4
        scene.turn()
        assert scene.owned()[RED] == built


def test_a15_jokers_of_opponents_do_not_count() -> None:
    scene, _, _ = five_ships()
    scene.give(BLUE, "joker")
    scene.turn()
    assert scene.asked("offer")[0] == (BLUE, 1)
