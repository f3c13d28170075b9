"""The rules of Tower of Babel as plain Python: lists of moves, the steps of a build, windows, the end of a turn."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.policies.in_python import linked
from wsim.babel import words as w
from wsim.babel.kernels import build, deal, flow, layout, log, moves
from wsim.babel.kernels.layout import COMPLETED, NOBODY, TRADE_CARD
from wsim.babel.words import NO_KIND

pytestmark = pytest.mark.jit_off
CAMEL, CRANE, SHIP, MASON = range(4)
CRANES = 256  # one card of the second kind in a move


def tally() -> Any:
    names = ("passes", "offers_made", "offers_taken", "offers_refused", "refused_points", "trades_taken", "builds_led",
             "builds_failed", "parts_placed", "discs_owned", "wonders_won", "rows_won", "action_points")  # fmt: skip
    return SimpleNamespace(cards_drawn=[0] * 7, cards_played=[0] * 7, **dict.fromkeys(names, 0))


def game_of(hands: list[list[int]] | None = None, **public: Any) -> Any:
    """Return a game with three players and seat 0 active; the disc on slot 4 needs three camels and two cranes."""
    hands = hands or [[0] * 4] * 3
    known = SimpleNamespace(
        seats=3, active=0, action=1, turn=1, over=0, row=0, slots_left=(1 << 24) - 1, board=list(range(24)), slot=4,
        kind=[CAMEL, CRANE], need=[3, 2], missing=[0, 0], taken=0, partner=NOBODY, offer=[0] * 3, bluff=[0] * 3,
        hand_size=[sum(hand) for hand in hands], discards=[0] * 5, deck=20, points=[0] * 3,
        shown=np.zeros((3, 5), int), units=np.zeros((8, 3), int), discs=np.zeros((3, 5), int), two_colour=[0] * 3,
        disc_count=[0] * 3, kind_left=[6] * 5, action_cards=[0] * 3,
    )  # fmt: skip
    vars(known).update(public)
    own = [
        SimpleNamespace(
            seat=seat, hand=[*hand, 0], cards=[0] * 7, fresh=[0] * 7, aside=[0] * 5, discs=[0] * 5, two_colour=0
        )
        for seat, hand in enumerate(hands)
    ]
    return SimpleNamespace(
        public=known, own=own, sums=[0] * 99, choice=SimpleNamespace(kind=-1, count=-1, moves=[-9] * 99),
        hidden=SimpleNamespace(
            offer=[0] * 3, bluff=[0] * 3, tally=[tally() for _ in range(3)], completed=0, instant_cards=0,
            deck=[5, 5, 5, 5], reshuffles=0, action_deck=[0] * 8, actions_drawn=0, actions_ready=0,
        ),
        flow=SimpleNamespace(phase=-1, seat=0, left=0, after=-1, aside=0, lowest=0, built=0, ended=0),
        log=SimpleNamespace(recording=0),
    )  # fmt: skip


def rules_of(**values: Any) -> Any:
    rules = SimpleNamespace(
        allow_empty_offer=1, allow_trade_card_alone=1, max_jokers_per_build=2, joker_may_split=1, allow_bluff_cards=0,
        may_decline_when_able=1, effects=[0, 0, 0, 3, 0, 2, 0], refused_offer=1, triple_bonus_on_failed_build=0,
        limit_parts=0, parts=20, public_discs=1, action_card_for_last_wonder=0, action_card_usable_at_once=0,
        max_double_turns=1, pass_draw=2, common_draw=1, turn_limit=30, reshuffle_discards=1,
        kind=np.array([[CAMEL, CRANE] if disc == 4 else [disc % 4, NO_KIND] for disc in range(24)]),
        need=np.array([[3, 2] if disc == 4 else [4, 0] for disc in range(24)]),
        is_two_colour=[int(disc == 4) for disc in range(24)],
        values=np.array([[10 * row + 3, 10 * row + 2, 10 * row + 1] for row in range(w.ROWS)]),
    )  # fmt: skip
    vars(rules).update(values)
    return rules


def listed(game: Any, kind: int) -> list[int]:
    assert game.choice.kind == kind
    return [int(move) for move in game.choice.moves[: game.choice.count]]


# --- lists of moves


@pytest.fixture(scope="module")
def lists() -> Any:
    with pytest.MonkeyPatch.context() as patched:
        return linked(patched, moves)


def test_a_turn_is_a_pass_or_a_build_with_a_remaining_disc(lists: Any) -> None:
    game = game_of(slots_left=1 | 1 << 4 | 1 << 23)
    lists.list_turn(game)
    assert listed(game, w.TURN) == [0, 1, 5, 24]


@pytest.mark.parametrize(
    ("hand", "rules", "offers"),
    [
        ([1, 1, 9, 9], {}, [0, 1, CRANES, CRANES + 1, TRADE_CARD, TRADE_CARD + 1, TRADE_CARD + CRANES,
                            TRADE_CARD + CRANES + 1]),
        ([9, 0, 0, 0], {}, [0, 1, 2, 3, *(TRADE_CARD + camels for camels in range(4))]),
        ([1, 1, 0, 0], {"allow_empty_offer": 0, "allow_trade_card_alone": 0},
         [1, CRANES, CRANES + 1, TRADE_CARD + 1, TRADE_CARD + CRANES, TRADE_CARD + CRANES + 1]),
        ([1, 0, 0, 0], {"allow_empty_offer": 0}, [1, TRADE_CARD, TRADE_CARD + 1]),
        ([1, 0, 0, 0], {"allow_trade_card_alone": 0}, [0, 1, TRADE_CARD + 1]),
        ([0, 0, 5, 5], {"allow_empty_offer": 0, "allow_trade_card_alone": 0}, [0]),
        ([0, 9, 0, 0], {"allow_trade_card_alone": 0}, [0, CRANES, 2 * CRANES, TRADE_CARD + CRANES,
                                                        TRADE_CARD + 2 * CRANES]),
    ],
)  # fmt: skip
def test_offers_are_limited_by_what_the_disc_needs(
    hand: list[int], rules: dict[str, int], offers: list[int], lists: Any
) -> None:
    """A7, A4, A5: three camels and two cranes at most, with the trade card or without."""
    game = game_of([[0] * 4, hand, [0] * 4])
    lists.list_offer(game, rules_of(**rules), 1)
    assert listed(game, w.OFFER) == offers


def test_bluffs_are_sets_of_kinds_that_the_disc_does_not_need(lists: Any) -> None:
    """A6: with ships and stonemasons in hand any of both; camels and cranes are not wrong."""
    game = game_of([[0] * 4, [1, 1, 2, 1], [1, 1, 0, 3]])
    lists.list_bluff(game, 1)
    assert listed(game, w.BLUFF) == [0, 4, 8, 12]
    lists.list_bluff(game, 2)
    assert listed(game, w.BLUFF) == [0, 8]


@pytest.mark.parametrize(
    ("offers", "taken"),
    [
        ([0, 2, 1], [0b000, 0b010, 0b100, 0b110]), ([0, 2, 2], [0b000, 0b010, 0b100]),  # three camels at most
        ([0, 3, CRANES], [0b000, 0b010, 0b100, 0b110]), ([0, CRANES, 3 * CRANES], [0b000, 0b010]),
        ([0, TRADE_CARD + 1, TRADE_CARD + 1], [0b000, 0b010, 0b100]),  # one trade card at most
        ([0, TRADE_CARD, 1], [0b000, 0b010, 0b100, 0b110]), ([0, 0, 1], [0b000, 0b100]),
    ],
)  # fmt: skip
def test_partners_supply_no_more_than_the_disc_needs(offers: list[int], taken: list[int], lists: Any) -> None:
    game = game_of(offer=offers)
    lists.list_take(game)
    assert listed(game, w.TAKE) == taken


@pytest.mark.parametrize(
    ("hand", "jokers", "rules", "complete"),
    [
        ([2, 1, 0, 0], 0, {}, [0, COMPLETED]), ([1, 1, 0, 0], 0, {}, [0]), ([2, 0, 0, 0], 0, {}, [0]),
        ([2, 1, 0, 0], 0, {"may_decline_when_able": 0}, [COMPLETED]), ([0] * 4, 0, {"may_decline_when_able": 0}, [0]),
        # a Joker is two cards: of two camels and a crane that are missing, two of one kind or one of each
        ([2, 1, 0, 0], 1, {}, [0, COMPLETED, COMPLETED + 2, COMPLETED + CRANES + 1]),
        ([2, 1, 0, 0], 1, {"effects": [0, 0, 0, 0, 0, 1, 0]}, [0, COMPLETED, COMPLETED + 1, COMPLETED + CRANES]),
        ([2, 1, 0, 0], 1, {"joker_may_split": 0}, [0, COMPLETED, COMPLETED + 2]),
        ([1, 1, 0, 0], 1, {}, [0, COMPLETED + 2, COMPLETED + CRANES + 1]),
        ([1, 0, 0, 0], 1, {}, [0, COMPLETED + CRANES + 1]),
        ([0, 0, 0, 0], 2, {}, [0]), ([2, 1, 0, 0], 9, {"max_jokers_per_build": 0}, [0, COMPLETED]),
    ],
)  # fmt: skip
def test_a_build_is_completed_from_hand_and_jokers(
    hand: list[int], jokers: int, rules: dict[str, Any], complete: list[int], lists: Any
) -> None:
    """A9, A12-A14: two camels and a crane are missing. Fresh Jokers cannot be played (A18)."""
    game = game_of([hand, [0] * 4, [0] * 4], missing=[2, 1])
    game.own[0].cards[w.JOKER], game.own[0].fresh[w.JOKER] = jokers + 1, 1
    lists.list_complete(game, rules_of(**rules))
    assert listed(game, w.COMPLETE) == complete


def test_windows_and_exchanges_list_only_cards_that_a_seat_can_play(lists: Any) -> None:
    game = game_of([[1, 0, 2, 1], [0] * 4, [0] * 4])
    for own in game.own:
        own.cards[w.EXCHANGE_CARDS] = own.cards[w.DRAW_THREE] = 1
    game.own[2].fresh[w.DRAW_THREE] = 1
    for seat, plays in enumerate([[0, 1 + w.EXCHANGE_CARDS, 1 + w.DRAW_THREE], [0, 1 + w.DRAW_THREE], [0]]):
        lists.list_play_card(game, seat)
        assert listed(game, w.PLAY_CARD) == plays, "an exchange needs a hand"
    game.own[0].cards[w.EXCHANGE_CARDS] = 0
    lists.list_play_card(game, 0)
    assert listed(game, w.PLAY_CARD) == [0, 1 + w.DRAW_THREE]
    for lowest, aside in ((CAMEL, [0, 1, 3, 4]), (CRANE, [0, 3, 4]), (MASON, [0, 4])):
        lists.list_exchange(game, 0, lowest)
        assert listed(game, w.EXCHANGE) == aside
    lists.list_yes_no(game, w.DOUBLE)
    assert listed(game, w.DOUBLE) == [0, 1]


# --- a build


@pytest.fixture
def building(monkeypatch: pytest.MonkeyPatch) -> Any:
    made = linked(monkeypatch, log, moves, deal, build)
    made.noted = []
    made.note = lambda _game, what, seat, move, value: made.noted.append((what, seat, int(move), value))
    return made


def test_a_build_is_announced_and_offers_are_revealed_and_taken(building: Any) -> None:
    """5.1 to 5.3: hands show at least what was offered; what partners bring is not missing."""
    game = game_of(slot=-1, kind=[NO_KIND] * 2, need=[0, 0])
    public = game.public
    building.announce(public, rules_of(), 4)
    assert (public.slot, public.kind, public.need) == (4, [CAMEL, CRANE], [3, 2])
    public.shown[1] = [1, 2, 0, 2, 0]
    game.hidden.offer, game.hidden.bluff = [0, 2 + CRANES, TRADE_CARD + 1], [0, 0b1100, 0]
    building.reveal_offers(game)
    assert public.shown.tolist() == [[0] * 5, [2, 2, 1, 2, 0], [1, 0, 0, 0, 0]]
    assert (public.offer, public.bluff) == (game.hidden.offer, game.hidden.bluff)
    assert [one.offers_made for one in game.hidden.tally] == [0, 1, 1]
    building.accept(public, 0b110)
    assert (public.taken, public.partner, public.missing) == (0b110, 2, [0, 1])
    building.accept(public, 0b010)
    assert (public.partner, public.missing) == (NOBODY, [1, 1])


def test_a_completed_build_spends_cards_places_parts_and_transfers_the_disc(building: Any) -> None:
    """5.4: seat 1 brought a camel and a crane and is a partner; seat 2 trades two camels for the disc, so their parts
    are the builder's, with the crane that a Joker stands for."""
    game = game_of([[4, 4, 0, 0], [2, 1, 0, 0], [3, 0, 0, 0]], offer=[0, 1 + CRANES, TRADE_CARD + 2], taken=0b110,
                   partner=2, missing=[0, 1])  # fmt: skip
    public, shown = game.public, [[1, 2, 0, 0, 0], [9, 0, 0, 0, 0], [1, 0, 0, 0, 0]]
    public.shown[:] = shown
    game.own[0].cards[w.JOKER] = public.action_cards[0] = 1
    assert building.succeed(game, rules_of(effects=[0, 0, 0, 3, 0, 1, 0]), CRANES) is False
    assert [own.hand for own in game.own] == [[4, 4, 0, 0, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0]]
    assert (public.hand_size, public.discards) == ([8, 1, 1], [3, 1, 0, 0, 0])
    assert public.shown.tolist() == [[1, 2, 0, 0, 0], [8, 0, 0, 0, 0], [0] * 5]
    assert (game.own[0].cards[w.JOKER], public.action_cards[0], game.hidden.tally[0].cards_played[w.JOKER]) == (0, 0, 1)
    assert public.units[1].tolist() == [3, 2, 0], "slot 4 is on the second wonder"
    assert [one.parts_placed for one in game.hidden.tally] == [3, 2, 0]
    assert (game.own[2].two_colour, public.two_colour[2], public.disc_count) == (1 << 4, 1 << 4, [0, 0, 1])
    assert game.hidden.tally[2].discs_owned == 1 << 4
    assert (public.kind_left, public.slots_left) == ([5, 5, 6, 6, 6], (1 << 24) - 1 - (1 << 4))
    assert [(one.builds_led, one.offers_taken, one.trades_taken) for one in game.hidden.tally] == [
        (1, 0, 0), (0, 1, 0), (0, 1, 1)
    ]  # fmt: skip
    assert building.noted == [(layout.LOG_PARTS, 1, 2, 0), (layout.LOG_PARTS, 0, 3, 0), (layout.LOG_BUILT, 2, 4, 0)]


def test_the_last_disc_of_a_wonder_scores_it_and_the_last_of_a_kind_ends_the_game(building: Any) -> None:
    """Section 6 and 8: a disc of one kind from the own hand; the third wonder is the second that is complete."""
    scored: list[tuple[int, ...]] = []
    drawn: list[int] = []

    def score_wonder(_game: Any, *given: int) -> int:
        scored.append(tuple(map(int, given)))
        return 0b101

    building.score_wonder = score_wonder
    building.draw_action_card = lambda _game, _rules, seat: drawn.append(seat)
    for left, last, ended, cards in ((1, 0, True, []), (1, 1, True, [0]), (2, 0, False, [0])):
        game = game_of([[0, 0, 9, 0], [0] * 4, [0] * 4], slot=6, kind=[SHIP, NO_KIND], need=[4, 0], missing=[4, 0],
                       slots_left=1 << 6 | 1 << 5 | 1 << 9, row=1)  # fmt: skip
        game.public.kind_left[SHIP], game.public.units[2] = left, [1, 0, 5]
        rules = rules_of(action_card_for_last_wonder=last, public_discs=0)
        assert building.succeed(game, rules, 0) is ended
        assert (scored.pop(), drawn) == ((2, 13, 12, 11), cards)
        assert (game.public.units[2].tolist(), game.public.row, game.hidden.completed) == ([0, 0, 0], 2, 1 << 2)
        assert [(one.wonders_won, one.rows_won) for one in game.hidden.tally] == [(4, 2), (0, 0), (4, 2)]
        assert (game.own[0].discs[SHIP], game.public.discs[0, SHIP], game.public.two_colour[0]) == (1, 0, 0)
        assert game.own[0].hand[SHIP] == 5
        drawn.clear()
    late = game_of([[0, 0, 9, 0], [0] * 4, [0] * 4], slot=6, kind=[SHIP, NO_KIND], missing=[4, 0], slots_left=1 << 6,
                   row=w.ROWS)  # fmt: skip
    building.succeed(late, rules_of(), 0)
    assert scored == [(2, 63, 62, 61)], "the last row counts on"


def test_parts_may_run_out(building: Any) -> None:
    """A28: of 20 parts 17 lie on other wonders."""
    for limited, placed in ((1, 3), (0, 4)):
        game = game_of(slot=6)
        game.public.units[0, 1], game.public.units[7, 1] = 9, 8
        building._place(game, rules_of(limit_parts=limited), 1, 4)
        assert (game.public.units[2].tolist(), game.hidden.tally[1].parts_placed) == ([0, placed, 0], placed)
    building.noted.clear()
    building._place(game, rules_of(), 1, 0)
    assert building.noted == []


def test_rejected_offers_earn_points(building: Any) -> None:
    """5.4, step 5: two points a card here; with the Triple bonus what its formula says, five."""
    game = game_of(offer=[0, 2 + CRANES, TRADE_CARD])
    building.points_of = lambda _game, _rules, _seat, card: 5 if card == w.TRIPLE_BONUS else 0
    rules = rules_of(refused_offer=2)
    game.own[1].cards[w.TRIPLE_BONUS] = game.own[2].cards[w.TRIPLE_BONUS] = 2
    game.own[1].fresh[w.TRIPLE_BONUS] = 1
    assert [building.may_triple(game, rules, seat, built) for seat, built in ((1, 1), (1, 0), (2, 1), (0, 1))] == [
        True, False, False, False
    ]  # fmt: skip
    assert building.may_triple(game, rules_of(triple_bonus_on_failed_build=1), 1, 0)
    building.pay_offer(game, rules, 1, False)
    building.pay_offer(game, rules, 2, False)
    assert game.public.points == [0, 6, 0]
    building.pay_offer(game, rules, 1, True)
    first = game.hidden.tally[1]
    assert game.public.points == [0, 6 + 15, 0]
    assert (first.refused_points, first.action_points, first.offers_refused) == (12, 9, 2)
    assert game.own[1].cards[w.TRIPLE_BONUS] == 1
    assert building.noted == [(layout.LOG_PAID, 1, 6, 0), (layout.LOG_PAID, 1, 15, 0)]
    game.public.taken = 0b10
    building.fail(game)
    assert (game.hidden.tally[0].builds_failed, game.public.taken) == (1, 0)
    building.clear_build(game)
    assert (game.public.slot, game.public.partner, game.public.offer, game.hidden.offer) == (-1, -1, [0] * 3, [0] * 3)
    assert (game.public.kind, game.public.need) == ([NO_KIND] * 2, [0, 0])


# --- cards


def test_the_discards_are_reshuffled_when_the_deck_is_empty(building: Any) -> None:
    """A2, with card number n of the sorted deck: 2 camels, 1 crane, no ship, 3 stonemasons."""
    cards = building.draw_action_card.__globals__
    places = [0, 1, 2, 3, 5]
    asked: list[int] = []

    def below(_hidden: Any, bound: int) -> int:
        asked.append(bound)
        return places[len(asked) - 1]

    cards["below"] = below
    cards["note"] = lambda *_: None
    for place, kind in zip(places, [CAMEL, CAMEL, CRANE, MASON, MASON], strict=True):
        game = game_of(deck=6)
        game.hidden.deck = [2, 1, 0, 3]
        cards["draw"](game, rules_of(), 1)
        assert (game.own[1].hand[kind], game.public.hand_size, game.public.deck) == (1, [0, 1, 0], 5), place
        assert sum(game.hidden.deck) == 5
    assert asked == [6] * 5
    empty = game_of(deck=0, discards=[0, 0, 2, 0, 0])
    empty.hidden.deck = [0] * 4
    cards["draw"](empty, rules_of(reshuffle_discards=0), 1)
    assert empty.public.hand_size == [0] * 3
    places.append(0)
    cards["draw"](empty, rules_of(), 1)
    assert (empty.own[1].hand[SHIP], empty.public.deck, empty.public.discards, empty.hidden.reshuffles) == (
        1, 1, [0] * 5, 1
    )  # fmt: skip
    nothing = game_of(deck=0)
    cards["draw"](nothing, rules_of(), 1)
    assert (nothing.public.hand_size, nothing.hidden.reshuffles) == ([0] * 3, 0)


def test_a_table_is_set_up(building: Any) -> None:
    """Section 2: three seats rotated with game 4; the board keeps its order if every draw takes the first that is
    left, and each kind is on six discs, camels and cranes on one more by the disc with two kinds."""
    dealing = building.draw_action_card.__globals__
    sought: list[tuple[Any, ...]] = []
    loaded: list[tuple[int, int]] = []
    stubs = {
        "below": lambda *_: 0, "note": lambda *_: None,
        "_clear_facts": lambda _game, _rules, seat: loaded.append((seat, -1)),
        "deal_word": lambda _seating, number: f"deal {number}",
        "redrawn_deal_word": lambda seed, number: f"{seed}/{number}",
        "seat_word": lambda _seating, number, seat: f"seat {seat} of {number}",
        "redrawn_seat_word": lambda seed, number, seat: f"{seed}/{number}/{seat}",
        "seek": lambda stream, word, number: sought.append((stream, word, int(number))),
        "load_entrant": lambda own, _seating, entrant: loaded.append((own.place, entrant)),
    }  # fmt: skip
    dealing.update(stubs)
    game = game_of([[0] * 4] * 3, kind_left=[9] * 5, deck=9, turn=9, action=9, over=9, row=9, discards=[9] * 5)
    hidden = game.hidden
    hidden.dice, hidden.offer, hidden.bluff, hidden.completed, hidden.reshuffles = "dice", [9] * 3, [9] * 3, 9, 9
    hidden.instant_cards, hidden.actions_drawn, hidden.action_deck, game.log.count = 9, 9, [9] * 20, 9
    game.public.units[:], game.public.offer = 9, [9] * 3
    for seat, own in enumerate(game.own):
        own.place, own.entrant, own.memory = seat, [1, 0, 0][seat], [1.0] * 99
    rules = rules_of(
        seats=3, cards=[19, 19, 18, 18], starting_hand=5, use_action_cards=1, action_cards=[1, 0, 2, 0, 0, 9, 0]
    )
    dealing["set_up"](game, rules, SimpleNamespace(rotate=1), 4)
    public = game.public
    assert [loaded.count((seat, -1)) for seat in range(3)] == [1, 1, 1]
    assert [pair for pair in loaded if pair[1] >= 0] == [(1, 2)], "entries 1, 2, 0, two of which are loaded"
    assert (public.turn, public.action, public.over, public.row, public.slots_left) == (1, 1, 0, 0, (1 << 24) - 1)
    assert (public.board, public.kind_left, public.units.any()) == (list(range(24)), [6, 7, 6, 6, 0], False)
    assert (public.deck, public.discards, public.offer, public.slot) == (74 - 15, [0] * 4 + [9], [0] * 3, -1)
    assert (hidden.deck, public.hand_size) == ([4, 19, 18, 18], [5, 5, 5])
    assert [own.hand for own in game.own] == [[5, 0, 0, 0, 0]] * 3
    assert hidden.action_deck[:4] == [w.EXCHANGE_CARDS, w.DOUBLE_TURN, w.DOUBLE_TURN, w.JOKER]
    assert (hidden.actions_ready, hidden.actions_drawn, public.active, hidden.starter) == (layout.ACTION_DRAWS, 0, 0, 0)
    assert (hidden.offer, hidden.bluff, hidden.completed, hidden.reshuffles) == ([0] * 3, [0] * 3, 0, 0)
    assert (hidden.instant_cards, game.log.count, game.flow.phase) == (0, 0, layout.BEGIN)
    assert {value for own in game.own for value in own.memory[: layout.MEMORY]} == {0.0}
    streams = [
        (one if isinstance(one, str) else "hidden" if one is hidden else one.place, *more) for one, *more in sought
    ]
    assert streams == [
        *((seat, f"seat {seat} of 4", 0) for seat in range(3)), ("dice", "deal 4", dealing["DICE_STREAM"]),
        ("hidden", "deal 4", dealing["ACTION_STREAM"]), ("hidden", "deal 4", dealing["SETUP_STREAM"]),
        ("hidden", "deal 4", dealing["CARD_STREAM"]),
    ]  # fmt: skip
    sought.clear()
    loaded.clear()
    hidden.actions_drawn, dealing["below"] = 2, lambda _hidden, bound: bound - 1
    hidden.action_deck[:8] = range(8)
    dealing["seat_players"](game, rules, None, 7, 8)
    assert hidden.action_deck[:8] == [0, 1, 7, 2, 3, 4, 5, 6], "what was drawn stays; each takes the last of the others"
    assert loaded == [(0, 0), (1, 1), (2, 2)]
    assert [(word, number) for _, word, number in sought] == [
        ("7/8", dealing["DICE_STREAM"]), ("7/8", dealing["CARD_STREAM"]), ("7/8/0", 0), ("7/8/1", 0), ("7/8/2", 0)
    ]  # fmt: skip


def test_action_cards_cannot_be_played_in_the_turn_they_are_drawn(building: Any) -> None:
    drawing = building.draw_action_card.__globals__
    drawing["note"] = lambda *_: None
    game = game_of()
    game.hidden.action_deck, game.hidden.actions_ready = [w.JOKER, w.DRAW_THREE, w.JOKER], 2
    for _ in range(3):
        drawing["draw_action_card"](game, rules_of(), 1)
    own = game.own[1]
    assert (own.cards[w.JOKER], own.cards[w.DRAW_THREE], game.public.action_cards, game.hidden.actions_drawn) == (
        1, 1, [0, 2, 0], 2
    )  # fmt: skip
    assert (own.fresh[w.JOKER], own.fresh[w.DRAW_THREE], game.hidden.instant_cards) == (1, 1, 1)
    drawing["spend_action_card"](game, 1, w.DRAW_THREE)
    assert (own.cards[w.DRAW_THREE], game.public.action_cards, game.hidden.instant_cards) == (0, [0, 1, 0], 0)
    assert game.hidden.tally[1].cards_played[w.DRAW_THREE] == game.hidden.tally[1].cards_drawn[w.DRAW_THREE] == 1
    drawing["spend_action_card"](game, 1, w.JOKER)
    assert game.hidden.instant_cards == 0
    game.hidden.actions_drawn = 0
    drawing["draw_action_card"](game, rules_of(action_card_usable_at_once=1), 2)
    assert game.own[2].fresh[w.JOKER] == 0


# --- the machine


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Any:
    made = linked(monkeypatch, log, moves, deal, build, flow)
    made.drawn = []
    made.draw = lambda _game, _rules, seat: made.drawn.append(seat)
    made.note = lambda *_: None
    return made


def play(machine: Any, game: Any, rules: Any, *chosen: int) -> list[tuple[int, int]]:
    """Make moves; return the deciding seat and the kind of decision for each."""
    decided = []
    for move in chosen:
        seat = machine.advance(game, rules, 0)
        assert move in game.choice.moves[: game.choice.count]
        decided.append((seat, game.choice.kind))
        machine.take(game, rules, move)
    return decided


def test_a_pass_draws_cards_and_a_double_turn_acts_again(machine: Any) -> None:
    """Sections 3 and 4, A18, A20: two cards for a pass; at the end one for each seat, clockwise."""
    game, rules = game_of(active=1, slot=-1), rules_of()
    game.flow.phase = layout.BEGIN
    assert play(machine, game, rules, 0) == [(1, w.TURN)]
    assert machine.advance(game, rules, 1 << layout.BEGIN) == NOBODY
    assert machine.drawn == [1, 1, 1, 2, 0]
    assert (game.public.turn, game.public.active, game.hidden.tally[1].passes) == (2, 2, 1)
    game.own[2].cards[w.DOUBLE_TURN], game.own[2].fresh[w.JOKER] = 2, 1
    assert play(machine, game, rules, 0, 1, 0) == [(2, w.TURN), (2, w.DOUBLE), (2, w.TURN)]
    assert machine.advance(game, rules, 1 << layout.BEGIN) == NOBODY
    assert (game.public.action, game.own[2].cards[w.DOUBLE_TURN], game.public.active) == (2, 1, 0), "once in a turn"
    assert game.own[2].fresh[w.JOKER] == 0
    game.own[0].cards[w.DOUBLE_TURN] = 1
    assert play(machine, game, rules, 0, 0) == [(0, w.TURN), (0, w.DOUBLE)]
    assert machine.advance(game, rules, 1 << layout.BEGIN) == NOBODY
    assert (game.own[0].cards[w.DOUBLE_TURN], game.public.turn) == (1, 4)


def test_the_turn_limit_ends_the_game(machine: Any) -> None:
    machine.final_scoring = lambda *_: None
    for turn, phase in ((29, layout.BEGIN), (30, layout.OVER)):
        game, rules = game_of(turn=turn, slot=-1), rules_of()
        game.flow.phase = layout.END_TURN
        machine.advance(game, rules, 1 << layout.BEGIN)
        assert (game.flow.phase, game.public.over) == (phase, w.TURN_LIMIT if phase == layout.OVER else w.RUNNING)


def test_a_build_asks_for_offers_partners_and_cards(machine: Any) -> None:
    """Seat 2 leads; offers go clockwise from seat 0. Seat 0 is refused and paid, seat 1 takes part."""
    game, rules = game_of([[1, 0, 0, 0], [3, 1, 0, 0], [0, 1, 0, 0]], active=2, slot=-1), rules_of()
    game.flow.phase = layout.BEGIN
    decided = play(machine, game, rules, 5, 1, 3 + CRANES, 0b010, COMPLETED)
    assert decided == [(2, w.TURN), (0, w.OFFER), (1, w.OFFER), (2, w.TAKE), (2, w.COMPLETE)]
    assert machine.advance(game, rules, 1 << layout.AGAIN) == NOBODY
    assert (game.public.points, game.public.units[1].tolist()) == ([1, 0, 0], [0, 4, 1])
    assert (game.public.disc_count, game.public.slot, game.public.over) == ([0, 0, 1], -1, w.RUNNING)
    failed = game_of([[1, 0, 0, 0], [3, 1, 0, 0], [0, 1, 0, 0]], active=2, slot=-1)
    failed.flow.phase = layout.BEGIN
    failed.own[1].cards[w.TRIPLE_BONUS] = 1
    machine.pay_offer.__globals__["points_of"] = lambda *_: 3
    plain = game_of([[1, 0, 0, 0], [3, 1, 0, 0], [0, 1, 0, 0]], active=2, slot=-1)
    plain.flow.phase, plain.own[1].cards[w.TRIPLE_BONUS] = layout.BEGIN, 1
    assert play(machine, plain, rules, 5, 0, 3 + CRANES, 0b010, 0)[-1] == (2, w.COMPLETE)
    assert machine.advance(plain, rules, 1 << layout.AGAIN) == NOBODY
    assert plain.public.points == [0, 4, 0], "without the Triple bonus, because the build failed"
    more = rules_of(triple_bonus_on_failed_build=1)
    decided = play(machine, failed, more, 5, 0, 3 + CRANES, 0b010, 0, 1)
    assert decided[-2:] == [(2, w.COMPLETE), (1, w.TRIPLE)], "whoever was taken by a build that failed is paid"
    assert machine.advance(failed, more, 1 << layout.AGAIN) == NOBODY
    assert (failed.public.points, failed.hidden.tally[2].builds_failed) == ([0, 12, 0], 1)


def test_bluffs_follow_each_offer_where_they_are_allowed(machine: Any) -> None:
    game, rules = game_of([[0, 0, 1, 0], [0, 0, 0, 2], [0] * 4], slot=-1, active=2), rules_of(allow_bluff_cards=1)
    game.flow.phase = layout.BEGIN
    assert play(machine, game, rules, 5, 0, 4, 0, 0) == [
        (2, w.TURN), (0, w.OFFER), (0, w.BLUFF), (1, w.OFFER), (1, w.BLUFF)
    ]  # fmt: skip
    assert (machine.advance(game, rules, 0), game.choice.kind, game.public.bluff) == (2, w.TAKE, [4, 0, 0])


def test_action_cards_are_played_seat_by_seat_in_the_windows(machine: Any) -> None:
    """Section 7, A30: seat 1 draws three and exchanges two cards, seat 2 plays none; then seat 0 chooses."""
    game, rules = game_of([[0] * 4, [1, 2, 0, 0], [1, 0, 0, 0]], slot=-1), rules_of()
    for seat in (1, 2):
        game.own[seat].cards[w.EXCHANGE_CARDS] = 1
    game.own[1].cards[w.DRAW_THREE], game.hidden.instant_cards, rules.effects[w.EXCHANGE_CARDS] = 1, 3, 3
    game.public.shown[1] = [1, 1, 0, 0, 0]
    game.flow.phase = layout.BEGIN
    decided = play(machine, game, rules, 1 + w.DRAW_THREE, 1 + w.EXCHANGE_CARDS, 1 + CRANE, 1 + CRANE, 0, 0)
    play_card, exchange = (1, w.PLAY_CARD), (1, w.EXCHANGE)
    assert decided == [play_card, play_card, exchange, exchange, exchange, (2, w.PLAY_CARD)]
    assert machine.drawn == [1] * 5
    assert (game.own[1].hand, game.own[1].aside, game.public.discards) == ([1, 0, 0, 0, 0], [0] * 5, [0, 2, 0, 0, 0])
    assert (game.public.hand_size[1], game.public.shown[1].tolist()) == (1, [1, 0, 0, 0, 0])
    assert (machine.advance(game, rules, 0), game.choice.kind) == (0, w.TURN)
    again = game_of([[1, 0, 0, 0], [0] * 4, [1, 0, 0, 0]], slot=-1, active=1)
    again.own[0].cards[w.EXCHANGE_CARDS] = again.own[1].cards[w.DRAW_THREE] = again.own[2].cards[w.EXCHANGE_CARDS] = 1
    again.flow.phase, again.hidden.instant_cards = layout.BEGIN, 3
    assert play(machine, again, rules_of(), 0, 0, 0, 5, 0, 0, 0, 0, 0, 0) == [
        *((seat, w.PLAY_CARD) for seat in (1, 2, 0)), (1, w.TURN), (2, w.PLAY_CARD), (0, w.PLAY_CARD),
        (2, w.OFFER), (0, w.OFFER), (1, w.PLAY_CARD), (1, w.TAKE),
    ], "who declines is not asked again in the window"  # fmt: skip
    rules.effects[w.EXCHANGE_CARDS] = 1
    game.hidden.instant_cards = 0
    machine.take(game, rules, 5)
    assert (machine.advance(game, rules, 0), game.choice.kind) == (1, w.OFFER), "without such cards nobody is asked"
    game.flow.phase, game.flow.seat, game.flow.aside, game.flow.lowest = layout.SET_ASIDE, 1, 0, 0
    machine.advance(game, rules, 0)
    machine.take(game, rules, 1 + CAMEL)
    assert (game.flow.phase, game.public.discards[CAMEL]) == (layout.WINDOW, 1), "as many as the card says"
