"""Unit tests of kernels in plain Python: knowledge of hands and moves, resampled pasts, the log, picks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.policies.in_python import linked, slots
from wsim.kernels.formula_words import FIRST, PREVIOUS
from wsim.kernels.formula_words import LAST as LAST_BUILT
from wsim.wonders import words as w
from wsim.wonders.catalog import compiling
from wsim.wonders.kernels import (
    asking,
    city,
    deal,
    fixed_actions,
    layout,
    listing,
    log,
    moves,
    observe,
    past,
    pending,
    picked,
    playing,
    price_log,
    recruiting,
    redraw,
    redraw_unrecorded,
    scoring,
    seen,
    turn,
)
from wsim.wonders.kernels.layout import AFTER_MOVES, BEFORE_MOVES, CHOOSE, CITY, FINISH, LAST, NOBODY
from wsim.wonders.kernels.moves import NO_MOVE
from wsim.wonders.kernels.prices import PRICED

pytestmark = pytest.mark.jit_off


def deed(card: int, action: int, seat: int, age: int, turn: int, decision: int = w.TURN, step: int = 0) -> np.uint64:
    """Return a packed public move in the format documented in ``kernels/moves.py``."""
    return np.uint64(card | action << 8 | seat << 40 | age << 44 | turn << 46 | decision << 50 | step << 53)


# --- which hand is where


def test_hands_are_passed_left_or_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five seats, ages I and III to the left (R5): in turn 2 seat 0 holds what seat 3 was dealt, in age II seat 2's."""
    module = linked(monkeypatch, moves, seen)
    rules = SimpleNamespace(players=5, to_right=[0, 1, 0])
    assert [module.hand_at(rules, age, 2, 0) for age in range(3)] == [3, 2, 3]
    assert [module.hand_at(rules, 0, at, 4) for at in range(6)] == [4, 3, 2, 1, 0, 4]
    assert [module.seat_of(rules, age, 2, 3) for age in range(3)] == [0, 1, 0]
    for age in range(3):
        for at in range(7):
            for seat in range(5):
                assert module.seat_of(rules, age, at, module.hand_at(rules, age, at, seat)) == seat


def test_pile_moments_follow_the_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine moments an age: eight turns, then the last cards. Age II begins at 9; its fourth turn is moment 12."""
    module = linked(monkeypatch, moves, seen)
    assert module.pile_moment(1, 3, False, 0) == 12
    assert module.pile_moment(1, 3, False, BEFORE_MOVES) == 11, "nothing of this turn lies there yet"
    assert module.pile_moment(1, 3, False, AFTER_MOVES) == 12
    assert [module.pile_moment(1, 5, True, step) for step in (0, BEFORE_MOVES, AFTER_MOVES)] == [15, 13, 14]


def test_the_history_is_read_move_by_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Age I: in turn 0 seat 1 builds 7, seat 2 sells; in turn 1 seat 1 buries. In turn 5, the last, seat 2 builds 9
    with its last card, 11 from the pile behind it, and gives 12 back before the moves of turn 0 of age II; after those
    of its turn 2, seat 3 puts 14 of its hand aside."""
    module = linked(monkeypatch, moves, seen)
    deeds = [
        deed(7, w.BUILD, 1, 0, 0), deed(0, w.SELL, 2, 0, 0), deed(0, w.STAGE, 1, 0, 1),
        deed(9, w.BUILD, 2, 0, 5, w.LAST_CARD), deed(11, w.BUILD, 2, 0, 5, w.DISCARD_PILE),
        deed(12, w.DISCARD, 2, 1, 0, w.DISCARD_PILE, BEFORE_MOVES), deed(13, w.BUILD, 0, 1, 2),
        deed(14, w.PUT_ASIDE, 3, 1, 2, w.DISCARD_PILE, AFTER_MOVES),
    ]  # fmt: skip
    past = SimpleNamespace(
        build_count=9, turns=[8] * 3, event=np.zeros((3, 7, 9), int), builds=[-9] * 4, returned=[-9] * 4,
        built_at=[-9] * 4, built_deed=[-9] * 4, aside=np.full((3, 7, 9), 5), aside_of=np.full((3, 7, 9), 5),
    )  # fmt: skip
    public = SimpleNamespace(deeds=[*deeds, deed(99, w.BUILD, 3, 0, 3)], deed_count=8)
    module.read_events(SimpleNamespace(public=public, redraw=past), SimpleNamespace(age_turns=[6, 6, 6], asides=1))
    made = {tuple(map(int, place)): int(past.event[tuple(place)]) for place in np.argwhere(past.event != -3)}
    assert made == {(0, 1, 0): 7, (0, 2, 0): -1, (0, 1, 1): -2, (0, 2, 8): 9, (1, 0, 2): 13}
    assert past.turns == [2, 3, 0], "last cards are no turn"
    assert past.build_count == 3
    assert (past.builds[:3], past.returned[:3], past.built_deed[:3]) == ([11, 12, 14], [False, True, True], [4, 5, 7])
    assert past.built_at[:3] == [6, 8, 11], "behind the last turn of age I; before anything of age II; in its turn 2"
    assert [(*map(int, place), int(past.aside[tuple(place)])) for place in np.argwhere(past.aside)] == [(1, 3, 2, 15)]
    assert not past.aside_of.any()


@pytest.mark.parametrize(
    ("phase", "seat", "end", "wrap", "chosen"),
    [(CHOOSE, 2, 4, 0, {0, 1}), (CHOOSE, 0, 4, 0, set()), (FINISH, 4, 4, 0, set()),
     (CHOOSE, 3, 4, 1, {1, 2}), (CHOOSE, 5, 4, 0, {0, 1, 2}), (CHOOSE, 0, 2, 0, {2}), (CITY, 3, 4, 0, {0, 1, 2, 3})],
)  # fmt: skip
def test_seats_that_have_chosen_in_a_turn(
    phase: int, seat: int, end: int, wrap: int, chosen: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of four, seat 3 has no move yet; who is before the one that decides has chosen, and who is behind the end."""
    module = linked(monkeypatch, moves, seen)
    game = SimpleNamespace(
        flow=SimpleNamespace(phase=phase, seat=seat, end=end, wrap=wrap),
        hidden=SimpleNamespace(taken=[np.uint64(5)] * 3 + [NO_MOVE]),
    )
    assert {each for each in range(4) if module.has_chosen(game, each)} == chosen


# --- what a city has built


def test_structures_are_read_from_the_history_in_building_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 0 built 7 (red), 8 (blue), 9 (red), then sold; of 8 it is no longer the owner. Card 0 it has without a
    deed."""
    module = linked(monkeypatch, moves, city)
    deeds = [deed(7, w.BUILD, 0, 0, 0), deed(8, w.BUILD, 0, 0, 1), deed(5, w.BUILD, 1, 0, 1), deed(9, w.BUILD, 0, 0, 2),
             deed(0, w.SELL, 0, 0, 3)]  # fmt: skip
    public = SimpleNamespace(deeds=[*deeds, np.uint64(0)], deed_count=5, age=0, turn=1)
    rules = SimpleNamespace(color=[w.BROWN] * 7 + [w.RED, w.BLUE, w.RED])
    owned = {0, 7, 8, 9}
    module.owns = lambda _public, seat, card: card in owned if seat == 0 else card == 5
    module.cards = lambda _public, _rules, seat: len(owned) if seat == 0 else 1

    def built(order: int, color: int = w.COLOR_KINDS, seat: int = 0) -> int:
        return int(module.built_as(public, rules, seat, color, order))

    first, last, before = FIRST, LAST_BUILT, PREVIOUS
    assert [built(order) for order in (first, before, last)] == [7, 8, 9]
    assert [built(order, w.RED) for order in (first, before, last)] == [7, 7, 9]
    assert [built(order, w.BLUE) for order in (first, before, last)] == [8, -1, 8]
    assert [built(order, seat=1) for order in (first, before, last)] == [5, -1, 5]
    assert built(last, seat=2) == built(last, w.BROWN) == -1
    assert [module.order_of(public, rules, 0, card) for card in (0, 7, 8, 9)] == [1, 2, 3, 4]
    owned.discard(8)
    assert [built(order) for order in (first, before, last)] == [7, 7, 9]
    assert [module.order_of(public, rules, 0, card) for card in (0, 7, 9)] == [1, 2, 3]
    public.deeds[5:], public.deed_count = [deed(7, w.BUILD, 0, 1, 0)], 6
    assert [built(order) for order in (first, before, last)] == [9, 9, 7], "built again"


def test_structures_of_this_turn_are_counted_from_the_last_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the second turn of age II: seat 0 a red and a blue structure and a stage, seat 1 a red one."""
    module = linked(monkeypatch, moves, city)
    now = [deed(7, w.BUILD, 0, 1, 1), deed(8, w.BUILD, 0, 1, 1), deed(9, w.BUILD, 1, 1, 1), deed(0, w.STAGE, 0, 1, 1)]
    before = [deed(7, w.BUILD, 0, 0, 1), deed(7, w.BUILD, 0, 1, 0)]
    public = SimpleNamespace(deeds=[*before, *now], deed_count=6, age=1, turn=1)
    rules = SimpleNamespace(color=[0] * 7 + [w.RED, w.BLUE, w.RED])
    assert [module.built_now(public, rules, 0, color) for color in (w.RED, w.BLUE, w.GREEN)] == [1, 1, 0]
    assert [module.cards_now(public, rules, seat) for seat in (0, 1, 2)] == [2, 1, 0]
    assert [module.stages_now(public, rules, seat) for seat in (0, 1)] == [1, 0]


def test_only_immediate_effects_are_checked_after_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Card 0 acts at once, card 1 does not; a sale places nothing, and seat 3 made no move."""
    module = linked(monkeypatch, moves, turn)
    module.entry_of = lambda _public, _rules, _seat, move: -1 if move >> np.uint64(8) else int(move)
    rules = SimpleNamespace(eventful=[w.AT_ONCE, w.AT_ONCE << 1])
    taken = [np.uint64(0), np.uint64(1), np.uint64(w.SELL << 8), NO_MOVE]
    game = SimpleNamespace(public=None, hidden=SimpleNamespace(taken=taken))
    assert [module._entry_taken(game, rules, seat) for seat in range(4)] == [0, -1, -1, -1]


# --- redrawn


def test_a_received_hand_includes_the_cards_that_left_it_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 0 in the third turn of age I, which is not over: of this turn its hand, and slot 9 that it has chosen; of
    an earlier one what it handed on and what it took. Behind the last turn the hand is away."""
    module = linked(monkeypatch, moves, seen)
    own = SimpleNamespace(hand=slots(1), passed=np.zeros((3, 8), np.uint64), took=np.full((3, 8), 9))
    own.passed[0, 1], own.passed[0, 2], own.took[0, 1] = slots(4, 5), slots(7), 6
    flow = SimpleNamespace(phase=CHOOSE, seat=0, end=4, wrap=0, after=FINISH)
    game = SimpleNamespace(
        own=[own], public=SimpleNamespace(age=0, turn=2, turns=6), flow=flow, redraw=SimpleNamespace(turns=[2, 0, 0]),
        hidden=SimpleNamespace(taken=[NO_MOVE]),
    )  # fmt: skip
    rules = SimpleNamespace(duo=0, asides=0)
    assert module.seen_before(game, rules, 0, 0, 2) == slots(1)
    assert module.seen_before(game, rules, 0, 0, 1) == slots(4, 5, 6)
    flow.seat, game.hidden.taken = 1, [np.uint64(0)]
    assert module.seen_before(game, rules, 0, 0, 2) == slots(1, 9), "it has chosen"
    game.public.turns, flow.phase, flow.seat, game.redraw.turns = 3, FINISH, 0, [3, 0, 0]
    assert module.seen_before(game, rules, 0, 0, 2) == slots(7, 9), "the last turn of the age: the hand is put away"
    rules.asides, own.aside = 1, np.zeros((3, 8), int)
    own.aside[0, 1] = 1 + 3
    assert module.seen_before(game, rules, 0, 0, 1) == slots(3, 4, 5, 6), "and the card that it put aside"
    assert module.seen_before(game, rules, 0, 0, 2) == slots(7, 9)


def test_a_random_slot_is_removed_from_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, moves, seen, past)
    counts: list[int] = []

    def below(_past: Any, count: int) -> int:
        counts.append(count)
        return 1

    module.below = below
    pool = SimpleNamespace(pool=[10, 11, 12, 13], pool_size=3)
    assert [module.from_pool(pool), module.from_pool(pool)] == [11, 12]
    assert (counts, pool.pool[:1], pool.pool_size) == ([3, 2], [10], 1)
    pool = SimpleNamespace(pool=[10, 11, 12, 13], pool_size=3)
    module._remove_from_pool(pool, 13)
    assert pool.pool_size == 3, "behind the end"
    module._remove_from_pool(pool, 10)
    assert sorted(pool.pool[: pool.pool_size]) == [11, 12]
    rules = SimpleNamespace(slot_card=np.array([[0] * 10 + [5, 6, 5, 7]]))
    assert module._named_from_pool(pool, rules, 0, 5) == 12
    assert module._named_from_pool(pool, rules, 0, 5) == NOBODY
    assert module._named_in(rules, 0, slots(10, 11, 12), 6) == 11
    assert module._named_in(rules, 0, slots(10, 11, 12), 7) == NOBODY
    assert module._random_slot(None, slots(3, 5, 8)) == 5


def looked(moment: int, deeds: int, **piles: int) -> SimpleNamespace:
    """Return a player who saw the pile at a moment, after some public moves; ``c17=2``: two copies of card 17."""
    look = [0] * 4
    for name, copies in piles.items():
        card = int(name[1:])
        look[card >> 4] |= copies << 4 * (card & 15)
    return SimpleNamespace(looked=1 + deeds + (moment << 10), look=[np.uint64(word) for word in look], took=None)


def test_cards_of_a_seen_pile_must_have_been_discarded_by_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Seen behind the second turn of age II with two of card 17, one of 3: before that 4 was built from it and 5 given
    back; it sold 3 itself in the first turn, and 17 in the third, which is later."""
    module = linked(monkeypatch, moves, seen, past)
    me = looked(9 + 1, 2, c17=2, c3=1, c5=1)
    me.took = np.array([[0] * 3, [30, 31, 32]])
    room = SimpleNamespace(
        strict=1, turns=[6, 3], wanted=[9] * 40, weight=9.0, build_count=3, builds=[4, 5, 6], returned=[0, 1, 0],
        built_deed=[0, 1, 2],
    )  # fmt: skip
    rules = SimpleNamespace(cards=40, players=2, slot_card=np.array([[0] * 33, [0] * 30 + [3, 3, 17]]))
    game = SimpleNamespace(public=SimpleNamespace(age=1), redraw=room, own=[me])
    sales = {(0, 0), (0, 2), (1, 1)}  # hand and turn
    module.leaves = lambda _past, _rules, _age, hand, at: seen.SOLD if (hand, at) in sales else 8
    module.witness_of = lambda _game, _rules, _me, _age, _at, hand: 0 if hand == 0 else NOBODY
    module.want_pile(game, rules, 0)
    assert {card: count for card, count in enumerate(room.wanted) if count} == {17: 2, 4: 1}
    assert room.weight == 1.0
    room.wanted = [9] * 40
    game.public.age = 2
    module.want_pile(game, rules, 0)
    assert room.wanted == [9] * 40, "it did not see the pile in this age"
    assert [module._was_on_pile(room, me, card) for card in (17, 3, 4, 5, 7)] == [True, True, True, True, False]


def test_the_pile_is_the_seen_pile_with_later_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen at moment 10, after two deeds, with 17 twice and 3 once: one 17 was built at moment 12 (of two copies in the
    game, so surely there), 5 came back at 13; between these moments cards were discarded."""
    module = linked(monkeypatch, moves, seen, redraw)
    asked: list[tuple[int, int]] = []
    module._discard_until = lambda _game, _rules, before, at_least: asked.append((before, at_least))
    module._copies_of = lambda _rules, card: {17: 2, 8: 4}[card]
    module.uniform = lambda _past: 0.49
    module._looks_right = lambda *_given: 1 / 0
    room = SimpleNamespace(
        strict=1, pile=[9] * 40, build_count=3, builds=[4, 17, 5], returned=[0, 0, 1], built_deed=[0, 2, 3],
        built_at=[3, 12, 13],
    )  # fmt: skip
    rules, public = SimpleNamespace(cards=40), SimpleNamespace(age=2)
    game = SimpleNamespace(public=public, redraw=room, own=[looked(10, 2, c17=2, c3=1)])
    assert module._make_pile(game, rules, 0)
    assert {card: count for card, count in enumerate(room.pile) if count} == {17: 1, 3: 1, 5: 1}
    assert asked == [(13, 11), (14, 13), (27, 14)]
    room.builds[1] = 8
    assert not module._make_pile(game, rules, 0), "it was not there"
    room.strict = 0
    assert module._make_pile(game, rules, 0)
    assert room.pile[8] == 0


def test_a_random_card_counts_as_dealt_if_a_seat_built_it_from_a_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, past)
    game = SimpleNamespace(redraw=SimpleNamespace(event=np.full((3, 7, 9), -3)))
    rules = SimpleNamespace(seats=4, asides=0)
    for seat, at in ((0, 0), (3, 8)):
        game.redraw.event[1, seat, at] = 40
        assert [module._was_built_unseen(game, rules, age, 40) for age in range(3)] == [False, True, False]
        game.redraw.event[1, seat, at] = -3
    game.redraw.event[1, 4, 0] = 40
    assert not module._was_built_unseen(game, rules, 1, 40), "no seat of this table"
    rules.asides, game.redraw.aside = 1, np.zeros((3, 7, 9), int)
    game.redraw.aside[2, 3, 1] = 41
    assert [module._was_built_unseen(game, rules, age, 40) for age in range(3)] == [False, False, True], "put aside"


def test_random_cards_missing_from_an_age_are_drawn_from_unseen_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Slots 0 to 2 are always dealt, of 3 to 7 three are drawn; 1 and 3 were seen, 4 was built unseen: one of 5, 6, 7
    is missing, here the last of them."""
    module = linked(monkeypatch, moves, seen, past)
    counts: list[int] = []

    def below(_past: Any, count: int) -> int:
        counts.append(count)
        return count - 1

    module.below = below
    room = SimpleNamespace(pool=[-1] * 9, pool_size=-1, event=np.full((3, 7, 9), -3))
    room.event[0, 1, 2] = 104
    rules = SimpleNamespace(
        asides=0, seats=3, base_count=[3], base_slots=np.array([[0, 1, 2]]),
        pool_drawn=np.array([[3] + [0] * (w.DRAWN_KINDS - 1)]), pool_count=np.array([[5] * w.DRAWN_KINDS]),
        pool=np.array([[[3, 4, 5, 6, 7]] * w.DRAWN_KINDS]),
        slot_card=np.array([[100 + slot for slot in range(8)]]),
    )  # fmt: skip
    module.fill_pool(SimpleNamespace(redraw=room), rules, 0, slots(1, 3))
    assert sorted(room.pool[: room.pool_size]) == [0, 2, 4, 7]
    assert counts == [3]


def test_a_continued_line_up_draws_from_its_own_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each seat from the start of its stream, of the seed and the number; three seats, an entry for two."""
    module = linked(monkeypatch, deal)
    sought: list[tuple[Any, ...]] = []
    module.redrawn_deal_word = lambda seed, number: ("deal", seed, number)
    module.redrawn_seat_word = lambda seed, number, seat: ("seat", seed, number, seat)
    module.seek = lambda stream, word, at: sought.append((stream.name, word, at))
    module.load_entrant = lambda own, _seating, entrant: setattr(own, "entrant", entrant)
    own = [SimpleNamespace(name=f"own {seat}", entrant=-1) for seat in range(3)]
    hidden = SimpleNamespace(dice=SimpleNamespace(name="dice"), deals=None)
    game = SimpleNamespace(public=SimpleNamespace(policy=[-1] * 3), hidden=hidden, own=own)
    module.seat_players(game, SimpleNamespace(players=3), SimpleNamespace(entries=2), 7, 5)
    assert sought == [("dice", ("deal", 7, 5), 12), *((f"own {seat}", ("seat", 7, 5, seat), 0) for seat in range(3))]
    assert (hidden.deals, game.public.policy, [each.entrant for each in own]) == (("deal", 7, 5), [0, 1, 0], [0, 1, 0])


def test_team_mates_see_hands_before_the_moves_of_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Redrawn for seat 0, which has chosen slot 9: its mate sees that card in its hand again; the others have not
    chosen, whatever they had taken. Once the turn is resolved, everybody's mate sees the hand with what left it (R42).
    """
    module = linked(monkeypatch, moves, seen, redraw)
    own = [SimpleNamespace(hand=slots(seat), took=np.full((3, 8), 9 + seat), mate_hand=None) for seat in range(4)]
    game = SimpleNamespace(
        own=own, public=SimpleNamespace(age=1, turn=2), flow=SimpleNamespace(phase=CHOOSE, seat=1, end=4, wrap=0),
        hidden=SimpleNamespace(taken=[np.uint64(5)] + [NO_MOVE] * 3),
        redraw=SimpleNamespace(turns=[6, 2, 0], left=np.array([[slots(40 + hand) for hand in range(4)]] * 3)),
    )  # fmt: skip
    rules = SimpleNamespace(players=4, to_right=[0, 1, 0])
    module._show_mates(game, rules, 0)
    assert [each.mate_hand for each in own] == [None, slots(0, 9), slots(3), slots(2)]
    game.hidden.taken[0] = NO_MOVE
    module._show_mates(game, rules, 0)
    assert own[1].mate_hand == slots(0), "nothing is chosen"
    game.redraw.turns[1] = 3
    module._show_mates(game, rules, 0)
    hands = [(seat + 2) % 4 for seat in range(4)]  # to the right, in the third turn
    assert [each.mate_hand for each in own[1:]] == [
        slots(40 + hands[0], 9), slots(40 + hands[3], 12), slots(40 + hands[2], 11)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("phase", "seat", "chosen", "goes_on", "left"),
    [(CHOOSE, 3, True, 2, [1]), (CHOOSE, 0, False, 1, []), (LAST, 3, True, 2, [1]), (LAST, 0, False, 1, [])],
)
def test_other_seats_choose_again_after_the_observing_seat(
    phase: int, seat: int, chosen: bool, goes_on: int, left: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of four, for seat 1: it begins if it has not chosen, and everybody else chooses behind it."""
    module = linked(monkeypatch, moves, seen, redraw)
    taken = [np.uint64(5) if chosen or each != 1 else NO_MOVE for each in range(4)]
    flow = SimpleNamespace(phase=phase, seat=seat, end=4, wrap=0, after=FINISH)
    game = SimpleNamespace(flow=flow, hidden=SimpleNamespace(taken=taken, holder=0))
    module._choose_anew(game, SimpleNamespace(seats=4, players=4, duo=0), 1)
    assert (flow.phase, flow.seat, flow.end, flow.wrap) == (phase, goes_on, 4, 1)
    assert [each for each, move in enumerate(taken) if move != NO_MOVE] == left


@pytest.mark.parametrize(("holder", "me", "kept"), [(0, 0, [0, 2]), (1, 0, [0])])
def test_the_free_city_chooses_again_unless_the_observing_seat_held_it(
    holder: int, me: int, kept: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = linked(monkeypatch, moves, seen, redraw)
    taken = [np.uint64(5)] * 3
    flow = SimpleNamespace(phase=CITY, seat=1, end=2, wrap=0, after=FINISH)
    game = SimpleNamespace(flow=flow, hidden=SimpleNamespace(taken=taken, holder=holder))
    module._choose_anew(game, SimpleNamespace(seats=3, players=2, duo=1), me)
    assert (flow.phase, flow.seat, flow.end, flow.wrap) == (CHOOSE, me + 1, 2, me)
    assert [each for each, move in enumerate(taken) if move != NO_MOVE] == kept


def test_a_sampled_past_includes_the_free_city_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """For seat 0, which holds the Free City in every other turn: of the others, what was drawn or else what was
    played for it."""
    module = linked(monkeypatch, moves, seen, redraw)
    module.holder = lambda _public, age, turn: (age + turn) % 2
    city = SimpleNamespace(took=np.full((3, 8), -5), passed=np.zeros((3, 8), np.uint64))
    past = SimpleNamespace(turns=[3, 2, 9], city=np.arange(24).reshape(3, 8), drawn=np.full((3, 8), NOBODY))
    past.drawn[0, 1] = 50
    game = SimpleNamespace(public=SimpleNamespace(age=1), redraw=past, own=[None, None, city])
    module._free_city_past(game, 0)
    took = {tuple(map(int, place)): int(city.took[tuple(place)]) for place in np.argwhere(city.took != -5)}
    assert took == {(0, 1): 1, (1, 0): 8}
    assert (city.passed[0, 1], city.passed[1, 0]) == (slots(50), slots(8))
    assert np.count_nonzero(city.passed) == 2


def positioned(**public: Any) -> Any:
    """Return a game of three seats in the second turn of age I, with the knowledge for resampling it."""
    return SimpleNamespace(
        public=SimpleNamespace(**{"age": 0, "turn": 1, "built": np.zeros((3, 2), np.uint64), "discarded": 0} | public),
        own=[SimpleNamespace(hand=slots(), passed=np.zeros((3, 8), np.uint64)) for _ in range(3)],
        redraw=SimpleNamespace(turns=[0, 0, 0], pool=[0] * 9, pool_size=0),
        hidden=SimpleNamespace(copies=[9] * 70, pile=[slots(), slots()], holder=NOBODY),
    )  # fmt: skip


def test_a_history_is_complete_if_no_resolved_turn_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, redraw_unrecorded)
    rules = SimpleNamespace(age_turns=[6, 7, 6])
    game = positioned(age=1, turn=2)
    for turns, recorded in (([6, 2, 0], True), ([6, 3, 0], True), ([6, 1, 0], False), ([5, 2, 0], False)):
        game.redraw.turns = turns
        assert module.is_recorded(game, rules) == recorded


def test_passed_hands_are_known_as_last_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four seats, hands to the left, turn 3: seat 1 holds what seat 0 handed on in turn 2, seat 2 what it did in 1."""
    module = linked(monkeypatch, moves, seen, redraw_unrecorded)
    rules = SimpleNamespace(players=4, to_right=[0, 1, 0])
    game = positioned(turn=3)
    game.own[0].passed[0, :4] = [slots(1), slots(2), slots(3), slots(4)]
    assert [module._handed_on(game, rules, 0, seat) for seat in (1, 2, 3)] == [slots(3), slots(2), slots(1)]
    game.public.turn = 1
    assert [module._handed_on(game, rules, 0, seat) for seat in (1, 2, 3)] == [slots(1), 0, 0]
    game.public.age, game.own[0].passed[1, 0] = 1, slots(5)
    assert [module._handed_on(game, rules, 0, seat) for seat in (1, 2, 3)] == [0, 0, slots(5)], "age II to the right"


def test_structures_on_the_table_use_up_slots_of_their_age(monkeypatch: pytest.MonkeyPatch) -> None:
    """Name 65 has slots 2 and 3: two cities have built it, and one is in the hand, so slot 3 is left for one of them.
    Name 4 is of another age."""
    module = linked(monkeypatch, moves, seen, redraw_unrecorded)
    rules = SimpleNamespace(
        seats=3, cards=70, age_of=[1 if card == 4 else 0 for card in range(70)], slots=[5],
        slot_card=np.array([[4, 66, 65, 65, 67]]),
    )  # fmt: skip
    game = positioned(built=np.array([[1 << 4, 1 << 1], [0, 1 << 1], [0, 1 << 3]], np.uint64))
    assert module._built_slots(game, rules, 0, slots()) == slots(2, 3, 4)
    assert module._built_slots(game, rules, 0, slots(2)) == slots(3, 4)
    assert module._built_slots(game, rules, 0, slots(2, 3)) == slots(4)


@pytest.mark.parametrize(("discarded", "drawn"), [(0, {}), (1, {65: 1}), (3, {65: 1, 3: 1, 4: 1})])
def test_the_pile_of_a_written_position_is_drawn_from_unused_cards(
    discarded: int, drawn: dict[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In age II: slot 0 of age I was built, slots 1 and 2 were not; of age II, what is left in the pool. The first
    cards are taken, with a chance of as many as are missing among those that are left: 1 of 4, or 3 of 4, 2 of 3 ..."""
    module = linked(monkeypatch, moves, seen, redraw_unrecorded)
    chances: list[int] = []

    def below(_past: Any, count: int) -> int:
        chances.append(count)
        return 0 if len(chances) != 2 else 1

    module.below = below
    module._built_slots = lambda _game, _rules, age, _hand: slots(0) if age == 0 else slots(1)
    rules = SimpleNamespace(cards=70, slots=[3, 5], slot_card=np.array([[2, 65, 3, 0, 0], [4, 5, 6, 7, 8]]))
    game = positioned(age=1, discarded=discarded)
    game.redraw.pool, game.redraw.pool_size = [0, 4], 2
    module._fill_pile(game, rules, slots())
    copies = {card: count for card, count in enumerate(game.hidden.copies) if count}
    assert copies == drawn
    assert [int(word) for word in game.hidden.pile] == [
        sum(1 << card for card in drawn if card < 64), sum(1 << card - 64 for card in drawn if card >= 64)
    ]  # fmt: skip
    assert chances == [4, 3, 2, 1][: len(chances)]
    assert bool(chances) == bool(discarded)


# --- pending decisions


def test_pending_decisions_keep_their_event_and_wait_seat_by_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, pending)
    public = SimpleNamespace(event_entry=300, event_how=9, event_order=128, purchase=200)
    asking = SimpleNamespace(count=0, pending=[np.uint64(0)] * 9, made=0)
    game = SimpleNamespace(asking=asking, public=public)
    rules = SimpleNamespace(clause_decider=[w.WHOM_SELF] * 9)
    for clause, owner, trigger in ((200, 3, 6), (7, 2, 1), (8, 2, 0)):
        module.add_pending(game, rules, clause, owner, trigger)
        public.event_entry, public.event_how, public.event_order, public.purchase = 1, 2, 3, 4
    word = asking.pending[0]
    assert [part(word) for part in (module.clause_of, module.owner_of, module.trigger_of)] == [200, 3, 6]
    module.recall_event(public, word)
    assert (public.event_entry, public.event_how, public.event_order, public.purchase) == (300, 9, 128, 200)
    module.forget_event(public)
    assert (public.event_entry, public.event_how, public.event_order, public.purchase) == (0, 0, 0, 0)
    order = []
    while asking.count:
        place = module.first_pending(asking)
        order.append(int(module.clause_of(asking.pending[place])))
        module.drop_pending(asking, place)
    assert order == [7, 8, 200], "the first of the first seat (R72)"


def test_the_named_city_decides_and_another_decision_may_follow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Seat 3 of four has a clause that seat 1 triggered; nobody decides where there is no partner (R97, R98)."""
    module = linked(monkeypatch, pending)
    whom = [w.WHOM_SELF, w.WHOM_LEFT, w.WHOM_RIGHT, w.WHOM_TRIGGER, w.WHOM_PARTNER]
    rules, public = SimpleNamespace(clause_decider=whom, teams=0), SimpleNamespace(seats=4)
    assert [module.decider_for(public, rules, clause, 3, 1) for clause in range(5)] == [3, 0, 2, 1, NOBODY]
    rules.teams = 1
    assert module.decider_for(public, rules, 4, 3, 1) == 2
    asking = SimpleNamespace(count=2, pending=[np.uint64(7 | 3 << 8 | 2 << 48), np.uint64(8), np.uint64(0)])
    word = asking.pending[0]
    module.ask_for_another(asking, 0, word, 127, 7)
    assert asking.count == 3
    assert [int(module.wanted_of(pending)) for pending in asking.pending] == [127, -1, -1]
    assert int(module.option_wanted(asking.pending[0])) == 7
    assert [int(module.decider_of(pending)) for pending in asking.pending] == [2, 2, 0]


def test_a_pile_build_granted_by_a_card_waits_in_the_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Which adds to what the city may still build (R28); a card that is given back leaves the city."""
    module = linked(monkeypatch, moves, picked)
    done: list[Any] = []
    module._record = lambda _game, _rules, seat, move, _decision: done.append(("record", seat, int(move)))

    def build(_game: Any, _rules: Any, owner: int, move: np.uint64) -> bool:
        done.append(("build", owner, int(move)))
        return True

    module.build_from_pile = build
    module.remove_structure = lambda _public, _rules, owner, card: done.append(("leaves", owner, card))
    module.discard = lambda _game, card: done.append(("discard", card))
    module.note_watchers = lambda _game, _rules: done.append("watchers")
    game = SimpleNamespace(hidden=SimpleNamespace(card_builds=[0, 0]), public=None)
    rules = SimpleNamespace(
        option_do=[w.DO_BUILD, w.DO_DISCARD, -1], option_from=[w.FROM_PILE, w.FROM_CITY, w.FROM_CITY],
        abilities=[0] * 5 + [w.BUILD_DISCARD],
    )  # fmt: skip
    free = 5 | w.FREE << 12
    assert module.do_with_card(game, rules, 0, 1, 5) is True
    assert (done, game.hidden.card_builds) == ([("record", 1, free), ("build", 1, free)], [0, 1])
    done.clear()
    assert module.do_with_card(game, rules, 0, 0, 4) is True
    assert game.hidden.card_builds == [0, 1]
    done.clear()
    assert module.do_with_card(game, rules, 1, 1, 5) is False
    given_back = ("record", 1, 5 | w.DISCARD << 8)
    assert done == [given_back, ("leaves", 1, 5), ("discard", 5), "watchers"]
    done.clear()
    assert module.do_with_card(game, rules, 2, 1, 5) is False
    assert done == []


def test_only_an_option_about_the_pile_reveals_it_to_the_decider(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, asking)
    rules = SimpleNamespace(
        clause_options=[0, 2, 2, 4, 5], option_from=[0, w.FROM_CITY, w.FROM_CITY, w.FROM_PILE, w.FROM_PILE],
        option_draw=[-1, -1, -1, -1, 6],
    )  # fmt: skip
    assert [module._looks_at_pile(rules, clause) for clause in range(4)] == [False, False, True, False]


def test_payments_for_a_loss_are_listed_largest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a loss of 3 with 2 coins: 2, 1 or 0 are paid (R32)."""
    module = linked(monkeypatch, listing)
    game = SimpleNamespace(public=SimpleNamespace(coins=[9, 2]), choice=SimpleNamespace(moves=[None] * 5))
    module.list_loss(game, 1, 3)
    choice = game.choice
    assert (choice.kind, choice.seat, choice.count) == (w.LOSS, 1, 3)
    assert choice.moves[:3] == [w.PAY << 8 | coins << 16 for coins in (2, 1, 0)]


# --- further decks


@pytest.mark.parametrize(
    ("number", "places", "drawn", "counts"),
    [(0, [], (), []), (1, [2], (6,), [4]), (3, [0, 2, 0], (1, 3, 9), [4, 3, 2]), (2, [3, 2], (6, 9), [4, 3])],
)
def test_cards_are_drawn_one_by_one_without_replacement(
    number: int, places: list[int], drawn: tuple[int, ...], counts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Out of cards 1, 3, 6 and 9."""
    module = linked(monkeypatch, recruiting)
    asked, waiting = list[int](), list(places)

    def below(_stream: Any, left: int) -> int:
        asked.append(left)
        return waiting.pop(0)

    module.below = below
    assert module.draw_from(None, slots(1, 3, 6, 9), number) == slots(*drawn)
    assert (asked, waiting) == (counts, [])


def recruits(**values: Any) -> tuple[Any, Any]:
    """Return a game of three players, and rules with the hidden cards 0-3 in deck 0, the shown 4 and 5 in deck 1."""
    rules = SimpleNamespace(
        players=3, decks=2, deck_from=[0, 4, 6], deck_dealt=[1, 0], deck_shown=[0, 2], deck_entry=100,
        deck_drafted=[0, 0], deck_moment=[0, 0], deck_trigger=[7, 8],
        cost_coins={100 + card: card for card in range(6)},
    )  # fmt: skip
    game = SimpleNamespace(
        own=[SimpleNamespace(recruits=slots(seat), draft=slots()) for seat in range(3)],
        public=SimpleNamespace(display=slots(4, 5), enlisted=slots(), coins=[9, 4, 3], recruited=[slots()] * 3, age=0),
        choice=SimpleNamespace(kind=-1, seat=-1, count=-1, moves=[None] * 9), redraw=None,
        asking=SimpleNamespace(is_drawn=0, drawn=[slots()] * 2, draws=4), dealer=None,
        hidden=SimpleNamespace(deals=50),
    )  # fmt: skip
    return game, SimpleNamespace(**{**vars(rules), **values})


def test_unaffordable_options_are_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Card n costs n coins."""
    module = linked(monkeypatch, moves, recruiting)
    game, rules = recruits()

    def listed(seat: int, deck: int) -> list[tuple[int, int, int, int]]:
        module.list_recruits(game, rules, seat, deck)
        assert (game.choice.kind, game.choice.seat) == (w.EFFECT, seat)
        words = [int(move) for move in game.choice.moves[: game.choice.count]]
        return [(word & 255, word >> 8 & 15, word >> 16 & 255, word >> 56) for word in words]

    choose, decline = w.CHOOSE, w.DECLINE
    assert listed(0, 1) == [(104, choose, 4, 0), (105, choose, 5, 0), (104, decline, 0, 0)]
    assert listed(1, 1) == [(104, choose, 4, 1), (104, decline, 0, 1)]
    assert listed(2, 1) == []
    assert listed(2, 0) == [(102, choose, 2, 2), (100, decline, 0, 2)]
    assert [module._offered(game, rules, 1, deck) for deck in (0, 1)] == [slots(1), slots(4, 5)]
    asked: list[tuple[int, ...]] = []
    module.add_pending = lambda _game, _rules, *given: asked.append(given)
    game.own[1].recruits = slots(4)
    module.ask_to_recruit(game, rules, 7)
    first = module.RECRUIT
    assert asked == [(first, 0, 0), (first, 2, 2)]
    asked.clear()
    module.ask_to_recruit(game, rules, 8)
    assert asked == [(first + 1, 0, 0), (first + 1, 1, 1), (first + 1, 2, 2)]


def test_a_recruited_card_is_paid_for_and_no_longer_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, moves, recruiting)
    done: list[tuple[Any, ...]] = []
    for name in ("add_recruit", "gain", "take_tokens", "card_recruited"):
        setattr(module, name, lambda *given, name=name: done.append((name, *given[2:])))
    blank, word = [0] * 110, 1
    game, rules = recruits(abilities=list(blank), eventful=list(blank), when=list(blank))
    game.public.bank_paid, game.hidden = [0, 1, 0], SimpleNamespace(board_builds=[0, 0, 0])
    game.own[1].recruits = slots(1, 3)
    move = np.uint64(103 | w.CHOOSE << 8 | 3 << 16)
    module.recruit(game, rules, 1, move)
    assert (game.public.coins, game.public.bank_paid) == ([9, 1, 3], [0, 4, 0])
    assert (game.own[1].recruits, game.public.display) == (slots(1), slots(4, 5))
    assert done == [("add_recruit", 1, 103), ("card_recruited", 1, 103, False)]
    assert game.public.enlisted == slots()
    assert game.hidden.board_builds == [0, 0, 0]
    rules.abilities[105], rules.eventful[105], rules.when[105] = w.BUILD_DISCARD, w.AT_ONCE, word
    done.clear()
    module.recruit(game, rules, 0, np.uint64(105 | w.CHOOSE << 8 | 5 << 16))
    assert (game.own[0].recruits, game.public.display) == (slots(0), slots(4))
    assert done == [
        ("add_recruit", 0, 105), ("gain", 0, 105), ("take_tokens", 0, 105), ("card_recruited", 0, 105, False),
    ]  # fmt: skip
    assert game.hidden.board_builds == [1, 0, 0]
    module.recruit(game, rules, 0, np.uint64(102 | w.CHOOSE << 8))
    assert game.public.enlisted == slots(2), "it was in no hand and not displayed"
    assert done[-1] == ("card_recruited", 0, 102, True)


def test_the_stock_of_a_deck_excludes_owned_and_displayed_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of deck 0 with eight cards: 0 to 2 in hands, 3 is drafted, 4 and 5 are displayed, 6 is recruited."""
    module = linked(monkeypatch, recruiting)
    game, rules = recruits(deck_from=[0, 8, 9])
    game.own[2].draft, game.public.recruited = slots(3), [slots(), slots(6), slots()]
    assert module.stock_of(game, rules, 0) == slots(7)
    assert module.stock_of(game, rules, 1) == slots(8)


def test_cards_of_the_stock_are_drawn_once_for_a_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three of four cards are drawn, of which seat 1 can pay for two; no more than there are."""
    module = linked(monkeypatch, moves, recruiting)
    game, rules = recruits()
    sought: list[int] = []
    module.seek = lambda _dealer, word, stream: sought.append(word + stream)
    module.stock_of = lambda *_given: slots(2, 3, 5, 6)
    rules.cost_coins[106] = 0
    asked: list[int] = []

    def draw_from(_dealer: Any, _cards: Any, number: int) -> Any:
        asked.append(number)
        return slots(2, 5, 6)

    module.draw_from = draw_from
    for _ in range(2):
        module.list_drawn(game, rules, 1, 0, 3)
        words = [int(move) for move in game.choice.moves[: game.choice.count]]
        assert [(word & 255, word >> 8 & 15) for word in words] == [
            (102, w.CHOOSE), (106, w.CHOOSE), (100, w.DECLINE),
        ]  # fmt: skip
    assert (sought, asked) == ([50 + module.DRAW_STREAM + 4], [3])
    assert (game.asking.is_drawn, game.asking.draws, game.asking.drawn[0]) == (2, 5, slots(2, 5, 6))
    assert module.set_aside(game.asking) == slots(2, 5, 6)
    game.asking.is_drawn = 0
    module.list_drawn(game, rules, 1, 0, 20)
    assert asked == [3, 4]
    game.asking.is_drawn = 1
    assert module.set_aside(game.asking) == slots()


@pytest.mark.parametrize("moment", [2, 3])
def test_decks_are_dealt_at_their_moment_and_only_out_of_their_stock(
    moment: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Moment 2 is before age II (number 1), moment 3 after its conflicts."""
    module = linked(monkeypatch, recruiting)
    game, rules = recruits(deck_from=[0, 4, 8], deck_dealt=[1, 1], deck_shown=[0, 0], deck_moment=[moment ^ 1, moment])
    sought: list[int] = []
    module.seek = lambda _dealer, word, stream: sought.append(word + stream)
    module.stock_of = lambda *_given: slots(5, 7)
    module.draw_from = lambda _dealer, cards, number: cards & ~(cards - np.uint64(1)) if number else slots()
    module.deal_decks(game, rules, moment)
    assert sought == [50 + (module.LATER_STREAM if moment == 2 else module.AFTER_STREAM) + 1]
    assert [own.recruits for own in game.own] == [slots(0, 5), slots(1, 7), slots(2)]


def test_hidden_deck_cards_are_redrawn_from_unseen_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two each of six: seat 0 holds 0 and 5; of the others' four, seat 1 has recruited 1, seat 2 neither."""
    module = linked(monkeypatch, recruiting)
    game, rules = recruits(deck_from=[0, 6, 8], deck_dealt=[2, 0])
    game.own[0].recruits, game.own[1].recruits, game.own[2].recruits = slots(0, 5), slots(2, 7), slots(3, 4)
    game.public.recruited = [slots(), slots(1, 6), slots()]
    module.below = lambda _stream, left: left - 1
    module.redraw_recruits(game, rules, 0)
    assert [own.recruits for own in game.own] == [slots(0, 5), slots(4, 7), slots(2, 3)]


# --- fixed actions


def test_every_move_has_the_name_of_its_card_and_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three cards, two secret ones (entries 7 and 8), two options, three cities."""
    module = linked(monkeypatch, moves, fixed_actions)
    names = module.fixed_actions(("a", "b", "c"), 2, 3, ("x", "y"), picks=True, amounts=3)
    rules = SimpleNamespace(
        cards=3, deck_entry=7, decks=1, deck_from=[0, 2], most_options=2, targets=3, seats=3, picks=1, most_amount=3
    )
    clause = w.CHOOSE << 8 | 1 << 40
    words = {
        1 | w.BUILD << 8: "build:b", 2 | w.STAGE << 8: "stage:c", w.SELL << 8: "sell:a",
        1 | w.BUILD << 8 | 1 << 48: "build_free:b", 2 | w.STAGE << 8 | 1 << 48: "stage:c",
        9 | w.DECLINE << 8: "decline", w.PAY << 8: "pay:0", w.PAY << 8 | 30 << 16: "pay:30",
        w.PAY << 8 | 31 << 16: "pay:31+", w.PAY << 8 | 90 << 16: "pay:31+", 7 | w.CHOOSE << 8: "recruit:x",
        8 | w.CHOOSE << 8: "recruit:y", clause: "choose:1", clause | 1 << 12: "choose:2",
        clause | 1 + 1 << 52: "choose:1", clause | 1 << 12 | 1 + 2 << 52: "choose:2:left1",
        clause | 1 + 0 << 52: "choose:1:left2", clause | 1 + 2 << 24: "choose:1:c",
        clause | 1 << 12 | 1 + 0 << 24: "choose:2:a", clause | 2 << 32: "choose:1:amount2",
        clause | 1 << 12 | 3 << 32: "choose:2:amount3",
    }  # fmt: skip
    choice = SimpleNamespace(seat=1)
    assert {names[module.fixed_action(choice, rules, np.uint64(word))] for word in words} == set(words.values())
    assert [names[module.fixed_action(choice, rules, np.uint64(word))] for word in words] == list(words.values())


def test_a_fixed_action_takes_the_first_of_its_cheapest_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a loss the one that pays most, which ends with the fewest debts; a picked card is no coin."""
    module = linked(monkeypatch, moves, fixed_actions)
    rules = SimpleNamespace(cards=3, decks=0, deck_from=[0], most_options=2, targets=1, seats=3, deck_entry=7)

    def cheapest(action: int, *words: int) -> int:
        choice = SimpleNamespace(seat=0, count=len(words), moves=[np.uint64(word) for word in (*words, 1)])
        return words.index(int(module.move_of(choice, rules, action)))

    build = [
        1 | bank << 16 | left << 24 | right << 32 for bank, left, right in ((0, 2, 2), (1, 0, 2), (2, 1, 0), (0, 3, 2))
    ]
    assert cheapest(4, 2, *build) == 2
    assert cheapest(4, 2, *build[::-1]) == 2
    assert cheapest(4, 2) == 0, "where there is none, the first move"
    paid = [w.PAY << 8 | coins << 16 for coins in (31, 40, 35)]
    assert cheapest(4 * 3 + 1 + 31, *paid) == 1
    chosen = [w.CHOOSE << 8 | 1 << 40 | coins << 16 | target << 52 for coins, target in ((3, 0), (2, 0), (2, 0))]
    assert cheapest(4 * 3 + 2 + 31, *chosen) == 1


# --- the log


def test_picks_are_logged_decisions_except_losses_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = linked(monkeypatch, moves, playing)
    module._copy_event = lambda event, room: room.append(event.name)
    kinds = [(layout.LOG_PICK, w.TURN), (layout.LOG_PICK, w.LOSS), (0, w.TURN), (layout.LOG_PICK, w.EFFECT)]
    events = [SimpleNamespace(kind=kind, decision=decision, name=at) for at, (kind, decision) in enumerate(kinds * 2)]
    game = SimpleNamespace(log=SimpleNamespace(count=7, events=events))
    picks = np.array([SimpleNamespace(game=None, event=list[int]()) for _ in range(4)], object)
    assert module._write_picks(game, picks, 1, 77) == 4
    assert [(pick.game, pick.event) for pick in picks] == [(None, []), (77, [0]), (77, [3]), (77, [4])]
    assert module._write_picks(game, picks, 4, 78) == 4


def test_random_picks_share_the_chance_and_the_wanted_pick_gets_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a chance of .4 among five moves: .08 for each, .68 for the one that is wanted."""
    module = linked(monkeypatch, moves, playing)
    game = SimpleNamespace(hidden=SimpleNamespace(dice=0.4), choice=SimpleNamespace(count=5))
    module.uniform, module.below = lambda drawn: drawn, lambda _dice, count: count - 2
    assert module.randomise(game, 0.4, 1) == (1, False, pytest.approx(0.68)), "at the chance the wish is followed"
    game.hidden.dice = 0.39
    assert module.randomise(game, 0.4, 1) == (3, True, pytest.approx(0.08))
    assert module.randomise(game, 0.4, 3) == (3, True, pytest.approx(0.68))
    assert module.randomise(game, 0.0, 2) == (2, False, 1.0)


def test_exploration_is_read_from_the_first_random_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, moves, playing)
    module.uniform = lambda own: own.rng / 10
    own, turn = SimpleNamespace(parameters=[0.0] * 9, rng=9), SimpleNamespace(kind=w.TURN)
    own.parameters[w.EXPLORE] = 0.5
    assert [module.explored(turn, own, stream) for stream in (4, 5)] == [True, False]
    assert own.rng == 9
    assert not module.explored(SimpleNamespace(kind=w.LOSS), own, 4)
    own.parameters[w.EXPLORE] = 0.0
    assert not module.explored(turn, own, -1)


def test_stages_and_sales_are_one_item_each_whichever_card_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """And is overruled with half and a quarter of the chance; a card is denied for the rest of the game."""
    module = linked(monkeypatch, moves, playing)
    game = SimpleNamespace(
        choice=SimpleNamespace(kind=w.DISCARD_PILE, seat=1), hidden=SimpleNamespace(denied=np.zeros((2, 2), np.uint64))
    )
    legal = [np.uint64(70 | action << 8) for action in (w.BUILD, w.STAGE, w.SELL, w.DECLINE)]
    assert [module._thing_of(game, move, False) for move in legal] == [70, 129, 130, -1]
    assert [module._part_overruled(game, move) for move in legal[:3]] == [1.0, 0.5, 0.25]
    game.choice.kind = w.FREE_CITY
    assert module._thing_of(game, legal[0], False) == -1
    for thing in (70, 5, 129):
        module._deny(game, thing)
    assert game.hidden.denied.tolist() == [[0, 0], [1 << 5, 1 << 6]]


def test_the_ways_to_build_each_card_of_a_hand_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slots 1 and 2 have the name 8, slot 4 the name 3: two ways and a stage of 8, then a sale of 3."""
    module = linked(monkeypatch, moves, log)
    rules = SimpleNamespace(slot_card=np.array([[0] * 5, [0, 8, 8, 0, 3]]))
    legal = [np.uint64(card | action << 8) for card, action in ((8, w.BUILD), (8, w.BUILD), (8, w.STAGE), (3, w.SELL))]
    game = SimpleNamespace(public=SimpleNamespace(age=1), choice=SimpleNamespace(count=4, moves=legal))
    event = SimpleNamespace(hand=slots(1, 2, 4), ways=[99] * 3)
    module._count_ways(game, rules, event)
    assert event.ways == [2, 0, 99]
    game.choice = SimpleNamespace(count=300, moves=[legal[0]] * 300)
    module._count_ways(game, rules, event)
    assert event.ways == [255, 0, 99], "in a byte"


def test_a_wish_is_logged_with_everything_that_could_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, moves, log)
    legal = [np.uint64(70 | w.BUILD << 8), np.uint64(5 | w.BUILD << 8 | w.CHAIN << 12), np.uint64(9 | w.SELL << 8)]
    game = SimpleNamespace(
        wish=SimpleNamespace(index=1, others=4, overruled=2), choice=SimpleNamespace(count=3, moves=legal)
    )
    event = SimpleNamespace(could=[np.uint64(99)] * 4, stages=9)
    module.log_wish(game, event)
    assert (event.wanted, event.others, event.overruled, event.stages) == (legal[1], 4, 2, 0)
    assert event.could == [1 << 5, 1 << 6, 1 << 5, 0], "of any way, then by a chain"
    game.choice = SimpleNamespace(count=1, moves=[np.uint64(9 | w.STAGE << 8), legal[0]])
    game.wish.index = 0
    module.log_wish(game, event)
    assert (event.could, event.stages) == ([0, 0, 0, 0], 1)


def test_effects_of_one_action_on_one_city_within_a_turn_are_one_event(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, moves, log)
    events = [SimpleNamespace(kind=-1, seat=-1, values=[0] * 3) for _ in range(9)]
    game = SimpleNamespace(log=SimpleNamespace(count=0, events=events), public=SimpleNamespace(age=1, turn=2))
    for seat, action, target, amount in (
        (1, 5, 2, 3),
        (1, 5, 2, 4),
        (2, 5, 2, 1),
        (1, 6, 2, 1),
        (1, 5, 0, 1),
        (1, 5, 2, 1),
    ):
        module.log_effect(game, seat, action, target, amount)
    logged = [(event.seat, *event.values) for event in events[: game.log.count]]
    assert logged == [(1, 5, 2, 8), (2, 5, 2, 1), (1, 6, 2, 1), (1, 5, 0, 1)]
    assert {(event.kind, event.age, event.turn) for event in events[: game.log.count]} == {(layout.LOG_EFFECT, 1, 2)}
    for kind in (layout.LOG_TURN_END, layout.LOG_HANDS):
        module.log_event(game, kind, 0)
        before = game.log.count
        module.log_effect(game, 1, 5, 2, 1)
        assert (game.log.count, events[before].values) == (before + 1, [5, 2, 1]), "a new turn"


def test_a_public_move_omits_the_hidden_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Card and slot of a stage; of a card that is built the slot alone."""
    module = linked(monkeypatch, moves, log)
    public = SimpleNamespace(deeds=[np.uint64(0)] * 4, deed_count=1, age=2, turn=5)
    paid = 3 << 16 | 2 << 24 | 1 << 32
    for action in (w.BUILD, w.STAGE, w.SELL, w.DISCARD):
        public.deed_count = 1
        module.log_deed(public, 6, np.uint64(77 | action << 8 | paid | 44 << 40 | 1 << 48), w.LAST_CARD)
        card = 77 if action in (w.BUILD, w.DISCARD) else 0
        assert public.deeds[1] == deed(card, action, 6, 2, 5, w.LAST_CARD) | np.uint64(paid)
        assert public.deed_count == 2


def test_picked_moves_are_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replaced in an experiment, or explored: with its chance; a wish only where it could be overruled."""
    module = linked(monkeypatch, playing)
    logged: list[tuple[Any, ...]] = []

    def log_pick(_game: Any, _rules: Any, seat: int, index: int, randomised: bool, probability: float) -> str:
        logged.append((seat, index, randomised, probability))
        return "event"

    module.log_pick, module.log_wish = log_pick, lambda _game, event: logged.append(("wish", event))
    module.log_prices = lambda _game, _rules, payer, move: logged.append(("prices", payer, move))
    module.randomise = lambda _game, chance, index: (index + 1, True, chance)
    module.explored = lambda _choice, _own, stream: stream == "explored"
    choice = SimpleNamespace(count=4, kind=w.LAST_CARD, seat=1, moves=["a", "b", "c", "d"])
    game = SimpleNamespace(choice=choice, log=SimpleNamespace(recording=1), own=[None, None])
    rules, seating = (
        SimpleNamespace(triggers=0),
        SimpleNamespace(experiment=0, randomise=[0, 0.25], overrule=[0.5, 0.0]),
    )

    def settled(seat: int = 1, stream: str = "") -> tuple[int, list[tuple[Any, ...]]]:
        logged.clear()
        return module._settle(game, rules, seating, seat, 2, stream), list(logged)

    assert settled() == (2, [(1, 2, False, 1.0)])
    assert settled(stream="explored") == (2, [(1, 2, True, 0.25)])
    assert settled(0) == (2, [(0, 2, False, 1.0), ("wish", "event")])
    seating.experiment = 1
    assert settled() == (3, [(1, 3, True, 0.25)])
    choice.kind = w.DISCARD_PILE
    assert settled() == (2, [(1, 2, False, 1.0)]), "not of a turn"
    choice.kind, choice.count = w.TURN, 1
    assert settled(0, "explored") == (2, [(0, 2, False, 1.0)]), "there was no choice"
    rules.triggers = PRICED
    assert settled() == (2, [(1, 2, False, 1.0), ("prices", 1, "c")])
    game.log.recording = 0
    assert settled() == (2, [])


def test_prices_are_logged_for_moves_that_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of sales, chains and free builds; formulas see the event again as it was."""
    module = linked(monkeypatch, moves, price_log)
    asked: list[tuple[int, int]] = []

    def applies(_public: Any, _rules: Any, trigger: int, _clause: int, _owner: int, _payer: int, entry: int) -> bool:
        asked.append((trigger, entry))
        return False

    module.applies = applies
    module.know_next = lambda public, _rules, _payer, entry: setattr(public, "event_entry", entry + 1)
    public = SimpleNamespace(event_entry=5, event_how=6, event_order=7, seats=1, side=[2], stages=[1])
    first = [0] * 30
    first[w.ON_CARD_COST + 1 :] = [1] * len(first[w.ON_CARD_COST + 1 :])
    rules = SimpleNamespace(clause_from=first, stage_entry=np.full((4, 4), 140))
    game = SimpleNamespace(public=public)
    for word in (9 | w.SELL << 8, 9 | w.CHAIN << 12, 9 | w.FREE << 12, w.PAY << 8):
        module.log_prices(game, rules, 0, np.uint64(word))
    assert asked == []
    module.log_prices(game, rules, 0, np.uint64(9))
    assert asked == [(w.ON_CARD_COST, 9)]
    assert (public.event_entry, public.event_how, public.event_order) == (5, 6, 7)


# --- observations


def test_an_observation_lists_cities_from_the_own_one_to_the_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three seats, two names, a counter, two further cards; seat 1 decides about its clause of entry 9, the third."""
    module = linked(monkeypatch, moves, observe)

    def write_city(_public: Any, _rules: Any, seat: int, row: Any, at: int) -> int:
        row[at] = 70 + seat
        return at + 1

    module._write_city = module._write_by_clauses = write_city
    module._write_history = lambda *given: given[3].__setitem__(slice(given[4], None), -1)
    module.check_coins = lambda *_given: None
    public = SimpleNamespace(
        age=0, turn=2, turns=6, discarded=4, coins=[0] * 3, counter=np.array([[5], [6], [7]]), display=slots(0),
        built=np.array([[1, 0], [2, 0], [3, 0]], np.uint64), recruited=[slots(), slots(1), slots(0, 1)],
    )  # fmt: skip
    own = SimpleNamespace(hand=slots(0, 2), mate_hand=slots(1), recruits=slots(0, 1), draft=slots(1))
    rules = SimpleNamespace(watches=0,
        seats=3, cards=2, teams=0, triggers=0, counters=1, asks=1, decks=1, drafts=1, copies=0,
        deck_from=[0, 2], slot_card=np.array([[1, 0, 1]]),
    )  # fmt: skip
    choice = SimpleNamespace(kind=w.EFFECT, seat=1, count=2, moves=[np.uint64(9 | 3 << 40 | 2 << 60)])
    game = SimpleNamespace(public=public, own=[None, own, None], choice=choice)
    row = np.full(40, 99)
    module.observe(game, rules, 1, row)
    table = [0, 2, 6, 4, 1, w.EFFECT]
    cities = [[71, 6, 0, 1, 0, 1], [72, 7, 1, 1, 1, 1], [70, 5, 1, 0, 0, 0]]
    asked, recruits, display, draft = [10, 3, 2], [1, 1], [1, 0], [0, 1]
    wanted = [*table, 0, 2, *cities[0], *cities[1], *cities[2], *asked, *recruits, *display, *draft]
    assert row[: len(wanted)].tolist() == wanted
    assert (row[len(wanted) :] == -1).all()
    short = np.full(len(wanted), 99)
    module.observe(game, rules, 1, short)
    assert short.tolist() == wanted, "without the history"
    choice.seat, rules.teams = 0, 1
    module.observe(game, rules, 1, row)
    assert row[:10].tolist() == [0, 2, 6, 4, 1, NOBODY, 0, 2, 1, 0], "it does not decide; of its mate slot 1 is name 0"
    assert row[28:31].tolist() == [0, 0, 0]


def test_an_observation_ends_with_the_public_moves_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two turns an age, three seats, three names, seen by seat 1, which handed two slots on in turn 0.

    Age I, turn 1: seat 0, two seats to its left, pays 3 coins for a stage; age II, turn 0: it gives a card back.
    """
    module = linked(monkeypatch, moves, observe)
    rules = SimpleNamespace(turns=2, seats=3, cards=3, slot_card=np.array([[0, 2, 2], [1, 1, 0]]))
    deeds = [deed(7, w.STAGE, 0, 0, 1) | np.uint64(3 << 16), deed(200, w.DISCARD, 1, 1, 0, w.LAST_CARD)]
    game = SimpleNamespace(
        public=SimpleNamespace(age=0, deeds=[*deeds, deed(9, 0, 0, 0, 0)], deed_count=2),
        own=[None, SimpleNamespace(passed=np.array([[slots(1, 2), slots()], [slots(), slots()]], np.uint64))],
    )  # fmt: skip
    row = np.full(2 + 6 + 3 * 2 * 2 * 2 * 3, 99)
    module._write_history(game, rules, 1, row, 2)
    assert row[:8].tolist() == [99, 99, 0, 0, 2, 0, 0, 0], "what was handed on, by name"
    history = row[8:].reshape(2, 2, 3, 2, 3)  # age, turn, seat from the own one, late, (action, card, coins)
    assert history[0, 1, 2, 0].tolist() == [1 + w.STAGE, 7, 3]
    assert history[1, 0, 0, 1].tolist() == [1 + w.DISCARD, 200, 0]
    assert np.count_nonzero(history) == 5
    short = np.full(2 + 6 + 35, 99)
    module._write_history(game, rules, 1, short, 2)
    assert short[8:].tolist() == row[8 : len(short)].tolist(), "what does not fit is left out"


# --- the Free City's holder, house rules of science, the last deck


def test_the_holder_of_the_free_city_saw_its_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 0 holds the Free City in the third turn of age I: of its hand, slot 8 was drawn; slot 5 is for the city."""
    module = linked(monkeypatch, moves, seen)
    monkeypatch.setattr(module, "holder", lambda _public, _age, turn: 0 if turn == 2 else 1)
    own = SimpleNamespace(hand=slots(1, 8), passed=np.zeros((3, 8), np.uint64), took=np.full((3, 8), 9))
    free = SimpleNamespace(passed=np.zeros((3, 8), np.uint64), took=np.full((3, 8), 5))
    own.passed[0, 1], own.passed[0, 2], free.passed[0, 2] = slots(4, 8), slots(1, 8), slots(8)
    game = SimpleNamespace(
        own=[own, None, free], public=SimpleNamespace(age=0, turn=2, turns=6),
        flow=SimpleNamespace(phase=CHOOSE, seat=0, end=2, wrap=0, after=FINISH),
        redraw=SimpleNamespace(turns=[2, 0, 0]), hidden=SimpleNamespace(taken=[NO_MOVE, NO_MOVE]),
    )  # fmt: skip
    rules = SimpleNamespace(duo=1, asides=0)
    assert module.seen_before(game, rules, 0, 0, 1) == slots(4, 8, 9), "seat 1 held it"
    assert module.seen_before(game, rules, 0, 0, 2) == slots(1)
    game.flow.phase = CITY
    assert module.seen_before(game, rules, 0, 0, 2) == slots(1, 9), "it has chosen for itself, not for the city"
    game.flow.phase, game.flow.seat, game.hidden.taken[0] = CHOOSE, 1, np.uint64(3)
    assert module.seen_before(game, rules, 0, 0, 2) == slots(1, 5, 9), "for both"
    game.redraw.turns = [3, 0, 0]
    game.flow.phase = FINISH
    assert module.seen_before(game, rules, 0, 0, 2) == slots(1, 5, 9)
    rules.duo = 0
    assert module.seen_before(game, rules, 0, 0, 2) == slots(1, 8, 9)


def test_a_science_house_rule_tries_every_choice_of_wild_symbols(monkeypatch: pytest.MonkeyPatch) -> None:
    """A city has 2 compasses, 1 gear, a wild symbol and one copy; its neighbours have a compass and a tablet (R31)."""
    module = linked(monkeypatch, turn, scoring)
    symbols = np.zeros((3, w.SYMBOL_KINDS), int)
    green = np.zeros((3, w.SYMBOL_KINDS), int)
    symbols[1, [w.COMPASS, w.GEAR, w.ANY]] = 1, 1, 1
    green[0, w.COMPASS], green[2, w.TABLET] = 1, 1
    public = SimpleNamespace(seats=3, symbols=symbols, green_symbols=green, copy_science=[0, 1, 0])
    tried: list[tuple[int, ...]] = []

    def evaluate(public: Any, _rules: Any, formula: int, owner: int, other: int) -> int:
        assert (formula, owner, other, public.symbols[1, w.ANY]) == (33, 1, 1, 0)
        tried.append(tuple(map(int, public.symbols[1, [w.COMPASS, w.GEAR, w.TABLET]])))
        points: dict[tuple[int, ...], int] = {(4, 1, 0): 5, (2, 1, 2): 7}
        return -100 + points.get(tried[-1], 0)

    monkeypatch.setattr(module, "evaluate", evaluate)
    rules = SimpleNamespace(science_at=33)
    before = symbols.copy()
    assert module.house_science(public, rules, 1, 1, 0, 0, 0, 0) == -93, "one compass more; points may be negative"
    fixed = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    copied = [(0, 0, 0), (1, 0, 0), (0, 0, 1)]  # no neighbour has a gear
    assert sorted(tried) == sorted(
        (2 + a[0] + b[0], 1 + a[1] + b[1], a[2] + b[2]) for a in fixed for b in copied
    )  # fmt: skip
    assert np.array_equal(symbols, before)
    tried.clear()
    public.copy_science[1] = 0
    assert module.house_science(public, rules, 1, 0, 0, 0, 1, 0) == -100
    assert sorted(set(tried)) == sorted({
        (1 + a, 1 + b, 2 - a - b) for a in range(3) for b in range(3 - a)})  # fmt: skip


def test_the_maximum_number_of_decks_fits_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "_fill_entry", lambda *_given: None)
    decks = [SimpleNamespace(cards=[None] * (deck + 1), hand=deck, draft=deck % 2, display=2 * deck, recruit="built",
                             moment=[0, 3, 2, 7][deck])
             for deck in range(w.DECKS)]  # fmt: skip
    cards = [SimpleNamespace(cost={}, effects=None) for _ in range(sum(range(w.DECKS + 1)))]
    catalogue: Any = SimpleNamespace(decks=decks, deck_cards=cards, table=())
    record: Any = np.zeros(1, layout.RULES).view(np.recarray)[0]
    monkeypatch.setattr(compiling, "Cost", lambda *given: given)
    compiling._fill_others(record, catalogue, w.STAGE_ENTRY + 1)
    assert record.deck_from.tolist() == [sum(range(deck + 1)) for deck in range(w.DECKS + 1)]
    assert (record.drafts, record.deck_drafted.tolist()) == (2, [0, 1, 0, 1])
    assert record.deck_moment.tolist() == [0, 3, 2, 7]
    assert (record.decks, record.table_entry) == (w.DECKS, w.STAGE_ENTRY + 1 + len(cards))
