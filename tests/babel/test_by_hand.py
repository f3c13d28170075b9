"""Tests of Tower of Babel policies in plain Python: the factor of each weight, and the inputs of the net."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.policies.in_python import linked
from wsim.babel import words as w
from wsim.babel.kernels import moves, scoring
from wsim.babel.policies import net_inputs, value, weighted
from wsim.babel.policies.features import FEATURES
from wsim.babel.words import NO_KIND

pytestmark = pytest.mark.jit_off
CAMEL, CRANE, SHIP, MASON = range(4)
NAMES = list(FEATURES)


def rules_of(**values: Any) -> Any:
    """Return rules in which disc n has only kind n modulo 4 and needs three cards, and sets score 0, 1, 3, 6, 10."""
    rules = SimpleNamespace(
        kind=np.array([[disc % 4, NO_KIND] for disc in range(24)]), is_two_colour=[0] * 24,
        need=np.tile([3, 0], (24, 1)), sets=[0, 1, 3, 6, 10, 15, 21],
        values=np.array([[5 + row, 3 + row, 1 + row] for row in range(w.ROWS)]),
        light=[4, 2, 1], cards=[19, 19, 19, 19], effects=[0, 0, 0, 0, 0, 2, 0], max_jokers_per_build=2,
        use_action_cards=1, refused_offer=1,
    )  # fmt: skip
    return SimpleNamespace(**{**vars(rules), **values})


def table(seats: int = 4, **values: Any) -> Any:
    """Return a public record before anything is built: board slot n has disc n."""
    public = SimpleNamespace(
        seats=seats, row=0, active=0, action=1, turn=0, deck=30, slot=-1, taken=0, discards=[0] * 5, offer=[0] * 5,
        board=list(range(24)), slots_left=(1 << 24) - 1, units=np.zeros((8, 5), int), points=[0] * 5,
        discs=np.zeros((5, 4), int), two_colour=[0] * 5, hand_size=[0] * 5, shown=np.zeros((5, 4), int),
        kind_left=[6] * 5, need=[0, 0], missing=[0, 0], kind=[0, NO_KIND], action_cards=[0] * 5, disc_count=[0] * 5,
    )  # fmt: skip
    return SimpleNamespace(**{**vars(public), **values})


def seat_of(seat: int = 0, hand: list[int] | None = None, **values: Any) -> Any:
    own = SimpleNamespace(
        seat=seat,
        hand=[*(hand or [0] * 4), 0],
        discs=[0] * 4,
        cards=[0] * 7,
        fresh=[0] * 7,
        aside=[0] * 5,
        two_colour=0,
    )
    return SimpleNamespace(**{**vars(own), **values})


def settings(**weights: float) -> Any:
    return SimpleNamespace(weights=[weights.get(name, 0.0) for name in NAMES])


def parts(valued: Callable[[Any], float], **always: float) -> dict[str, Any]:
    """Return the contribution of each weight to a value."""
    base = float(valued(settings(**always)))
    found = {name: float(valued(settings(**{**always, name: 1.0}))) - base for name in NAMES if name not in always}
    return {name: pytest.approx(part) for name, part in found.items() if abs(part) > 1e-12}


@pytest.fixture
def values(monkeypatch: pytest.MonkeyPatch) -> Any:
    return linked(monkeypatch, moves, scoring, value)


@pytest.fixture
def weighing(monkeypatch: pytest.MonkeyPatch) -> Any:
    return linked(monkeypatch, moves, scoring, value, weighted)


@pytest.fixture
def inputs(monkeypatch: pytest.MonkeyPatch) -> Any:
    return linked(monkeypatch, moves, scoring, value, net_inputs)


# --- the value of a build


def test_passing_is_worth_a_card_if_one_can_be_drawn(values: Any) -> None:
    public, weights = table(deck=0), settings(**{"pass": 2.0})
    assert values.pass_value(public, weights) == 0
    public.discards[MASON] = 1
    assert values.pass_value(public, weights) == 2
    public.discards[MASON], public.deck = 0, 1
    assert values.pass_value(public, weights) == 2
    public.deck = 0
    assert values.pass_value(public, settings(**{"pass": -1.0})) == -1


def test_the_last_disc_of_a_wonder_completes_it(values: Any) -> None:
    """Of wonder 1 slots 3 and 4 are built."""
    public = table(slots_left=0b111_100_111)
    assert [bool(values.completes(public, slot)) for slot in (5, 3, 0, 8)] == [True, False, False, False]


def test_a_wonder_score_includes_the_parts_of_the_build(values: Any) -> None:
    """Parts 3, 2, 2, 0 and row 2 (7, 5, 3): the first, two seconds; with two more for seat 1 it leads, 0 is second."""
    public = table(row=2)
    public.units[1] = [3, 2, 2, 0, 0]
    assert [values.wonder_points(public, rules_of(), 1, 0, seat) for seat in range(4)] == [7, 3, 3, 0]
    assert [values.wonder_points(public, rules_of(), 1, 2 << 8, seat) for seat in range(4)] == [5, 7, 3, 0]
    public.row = 99
    assert values.wonder_points(public, rules_of(), 1, 0, 0) == 5 + 6, "the last row"


def test_parts_count_fully_and_wonders_by_the_share_built(values: Any) -> None:
    """Two own parts and one of seat 2 on wonder 0, of whose three discs one is built: two thirds of 5 - 0 points."""
    public, own, rules = table(slots_left=(1 << 24) - 1 - 1), seat_of(), rules_of()
    packed = 2 | 1 << 16
    assert parts(lambda given: values.board_value(public, own, rules, given, 1, packed)) == {
        "part": 2, "rival_part": 1, "standing": 5 * 2 / 3
    }  # fmt: skip
    public.units[0, 0] = 1
    assert parts(lambda given: values.board_value(public, own, rules, given, 1, 0)) == {}, "nothing changes"
    public.slots_left = (1 << 24) - 1 - 3
    done = {"part": 2, "rival_part": 1, "wonder_points": 5, "rival_points": 3 / 3, "action_card": 1}
    assert parts(lambda given: values.board_value(public, own, rules, given, 2, packed)) == done
    public.active = 1
    del done["action_card"]
    assert parts(lambda given: values.board_value(public, own, rules, given, 2, packed)) == done
    rules.use_action_cards, public.active = 0, 0
    assert parts(lambda given: values.board_value(public, own, rules, given, 2, packed)) == done


def test_a_two_colour_disc_counts_for_its_better_set(values: Any) -> None:
    rules = rules_of()
    own = seat_of(discs=[2, 0, 0, 1])
    assert parts(lambda given: values.disc_value(own, rules, given, CAMEL)) == {"disc": 1, "set_points": 3}
    rules.kind[5], rules.is_two_colour[5] = [MASON, CAMEL], 1
    assert parts(lambda given: values.disc_value(own, rules, given, 5)) == {"disc": 1, "set_points": 3}
    rules.kind[5] = [CAMEL, MASON]
    assert parts(lambda given: values.disc_value(own, rules, given, 5)) == {"disc": 1, "set_points": 3}
    public = table()
    public.discs[2] = [0, 3, 0, 0]
    assert [values.set_gain(public, rules, 2, disc) for disc in (CRANE, SHIP, 5)] == [4, 1, 1]


@pytest.mark.parametrize(
    ("need", "jokers", "fresh", "short"),
    [((3, 0), 0, 0, 1), ((3, 2), 0, 0, 2), ((2, 1), 0, 0, 0), ((9, 9), 1, 0, 13), ((9, 9), 3, 0, 11),
     ((9, 9), 3, 2, 13), ((3, 0), 2, 0, 0)],
)  # fmt: skip
def test_missing_cards_after_hand_and_jokers(
    need: tuple[int, int], jokers: int, fresh: int, short: int, values: Any
) -> None:
    """Two camels and a ship in the hand; a Joker replaces two cards, two of them may be played, fresh ones may not."""
    own = seat_of(0, [2, 0, 1, 0])
    own.cards[w.JOKER], own.fresh[w.JOKER] = jokers, fresh
    assert values.shortage(own, rules_of(), CAMEL, need[0], SHIP, need[1]) == short


# --- the value of a move


def test_a_build_value_is_weighted_by_the_chance_that_rivals_supply_missing_cards(weighing: Any) -> None:
    """Disc 0 of slot 0 needs three camels, of which two are there: one is short."""
    public, own, rules = table(), seat_of(0, [2, 0, 0, 0]), rules_of()
    found = parts(lambda given: weighing._turn_value(public, own, rules, given, 1), risk=0.25)
    # two parts make it lead: 5 points, of which a third stands
    assert found == {"disc": 0.75, "set_points": 0.75, "part": 1.5, "standing": 0.75 * 5 / 3, "card": 1.5, "fail": 0.25}
    assert parts(lambda given: weighing._turn_value(public, own, rules, given, 1), risk=1.0) == {"fail": 1}
    assert parts(lambda given: weighing._turn_value(public, own, rules, given, 0)) == {"pass": 1}
    rules.need[4] = [1, 2]
    rules.kind[4] = [CAMEL, SHIP]
    own.hand = [3, 0, 1, 0, 0]
    assert parts(lambda given: weighing._turn_value(public, own, rules, given, 5), risk=0.5)["card"] == 0.5 * 2


def test_an_offer_is_worth_its_gain_if_taken_and_points_otherwise(weighing: Any) -> None:
    """Two cards for a build of seat 1 at slot 3; with the trade card the disc comes and the parts go to seat 1."""
    public, own, rules = table(slot=3, active=1), seat_of(), rules_of(refused_offer=2)
    plain = parts(lambda given: weighing._offer_value(public, own, rules, given, 2), accepted=0.75)
    assert plain == {"part": 1.5, "standing": 0.75 * 5 / 3, "card": 1.5, "refused": 0.25 * 2 * 2, "offered": 2}
    trade = parts(lambda given: weighing._offer_value(public, own, rules, given, 2 | 1 << 16), accepted=0.75)
    assert trade == {
        "disc": 0.75, "set_points": 0.75, "rival_part": 1.5, "card": 1.5, "refused": 1, "trade": 1, "offered": 2
    }  # fmt: skip
    assert parts(lambda given: weighing._offer_value(public, own, rules, given, 0)) == {}


def test_a_build_pays_the_offers_that_were_not_taken(weighing: Any) -> None:
    """Slot 3 needs five cards: seat 1 offers 2, seat 2 trades 1 for the disc, seat 3 offers 3. With seats 1 and 2, the
    seat adds the 2 + 1 that are left; seat 3 earns 3 points, a third of them per rival."""
    public, own, rules = table(slot=3, need=[4, 1]), seat_of(), rules_of()
    public.offer = [0, 2, 1 | 1 << 16, 1 | 2 << 8, 0]
    found = parts(lambda given: weighing._success_value(public, own, rules, given, 0b0110))
    assert found == {"part": 3, "rival_part": 2, "standing": 5 / 3, "rival_points": 3 / 3, "rival_set_points": 1}
    alone = parts(lambda given: weighing._success_value(public, own, rules, given, 0b0010))
    assert alone == {
        "part": 3, "rival_part": 2, "standing": 5 / 3, "rival_points": 4 / 3, "disc": 1, "set_points": 1
    }  # fmt: skip
    assert parts(lambda given: weighing._fail_value(public, rules, given)) == {"fail": 1, "rival_points": 6 / 3}


def test_choosing_partners_saves_cards_and_needs_enough_of_them(weighing: Any) -> None:
    public, own, rules = table(slot=3, need=[4, 1], kind=[CAMEL, SHIP]), seat_of(0, [2, 0, 1, 0]), rules_of()
    public.offer = [0, 2, 0, 1 | 1 << 8, 0]
    choice = SimpleNamespace(kind=w.TAKE)

    def of(move: int) -> dict[str, Any]:
        return parts(lambda given: weighing._value(public, own, choice, rules, given, move))

    assert of(0b0010)["card"] == 3, "2 + 1 of its own"
    assert of(0b1010)["card"] == 1
    assert of(0b1000) == {"fail": 1, "rival_points": 4 / 3}, "three camels short of two"
    choice.kind, public.taken, public.missing = w.COMPLETE, 0b0010, [2, 1]
    own.cards[w.JOKER] = 1
    spent = of(2)
    assert (spent["card"], spent["joker"]) == (1, 1), "a Joker for two of three cards"
    assert of(0) == {"fail": 1, "rival_points": 4 / 3}


def test_equal_moves_are_equally_likely(weighing: Any) -> None:
    rated = {10: 1.0, 11: 3.0, 12: 3.0, 13: 2.0, 14: 3.0}
    weighing._value = lambda *given: rated[given[-1]]
    asked: list[int] = []

    def below(_own: Any, count: int) -> int:
        asked.append(count)
        return drawn.pop(0)

    weighing.below = below
    choice = SimpleNamespace(count=5, moves=list(rated))
    for given, wanted in (([1, 1], 1), ([0, 1], 2), ([1, 0], 4)):
        drawn = list(given)
        assert weighing._best(None, None, choice, None, None) == wanted
    assert asked == [2, 3] * 3


def test_weighted_plays_each_action_card_by_its_own_rule(weighing: Any) -> None:
    """Exchange if there are enough cards of kinds of at most two; triple a large offer; a second turn if it pays."""
    own, public = seat_of(0, [2, 3, 1, 0]), table()
    choice = SimpleNamespace(kind=w.PLAY_CARD, count=2, moves=[0, 1 + w.EXCHANGE_CARDS])
    for least, played in ((3.0, 1), (3.1, 0)):
        assert weighing.weighted(public, own, choice, None, settings(exchange_from=least)) == played
    choice.moves = [0, 9]
    assert weighing.weighted(public, own, choice, None, settings()) == 1
    choice = SimpleNamespace(kind=w.EXCHANGE, count=4, moves=[0, 2, 3, 4])
    assert weighing.weighted(public, own, choice, None, settings()) == 2, "of one ship"
    own.aside[CRANE] = 1
    assert weighing.weighted(public, own, choice, None, settings()) == 1, "what is begun goes on"
    choice.moves = [0, 2, 2, 2]
    own.aside[CRANE] = 0
    assert weighing.weighted(public, own, choice, None, settings()) == 0
    public.offer[0] = 2 | 1 << 8
    choice.kind = w.TRIPLE
    for least, played in ((3.0, 1), (3.1, 0)):
        assert weighing.weighted(public, own, choice, None, settings(triple_from=least)) == played
    weighing._best_turn = lambda *_given: 4.0
    choice.kind = w.DOUBLE
    for least, played in ((4.0, 1), (4.1, 0)):
        assert weighing.weighted(public, own, choice, None, settings(double_from=least)) == played
    found = [9.0] * 4
    weighing.move_values(public, own, choice, None, settings(double_from=4.0), found)
    assert found == [0, 1, 0, 0]


def test_the_best_turn_is_chosen_among_remaining_slots(weighing: Any) -> None:
    weighing._turn_value = lambda *given: {1: 9.0, 4: 3.0, 5: 2.0}[given[-1]]
    public = table(slots_left=0b11000)
    assert weighing._best_turn(public, None, None, settings()) == 3.0
    assert weighing._best_turn(public, None, None, settings(**{"pass": 4.0})) == 4.0


# --- inputs of the net


def test_points_if_the_game_ended_now(inputs: Any) -> None:
    """The own seat knows its discs, of others those that all know; wonder 1 pays 4, 2, 1, wonder 0 is complete."""
    public, own = table(points=[10, 20, 0, 0, 0], slots_left=0b111_000), seat_of(1, discs=[2, 0, 0, 0])
    public.discs[0], public.discs[1] = [0, 1, 1, 0], [1, 0, 0, 0]
    public.units[0], public.units[1] = [9, 0, 0, 0, 0], [1, 3, 1, 0, 0]
    standing = [99] * 5
    inputs.fill_standing(public, own, rules_of(), standing)
    assert standing == [10 + 2 + 1, 20 + 3 + 4, 1, 0, 99]
    assert [inputs.lead_of(public, seat, standing) for seat in (0, 1)] == [-14, 14]
    assert [inputs._share(points, 20.0) for points in (-30, -10, 10, 30)] == [-1, -0.5, 0.5, 1]


def test_expected_rival_cards_are_seen_cards_and_a_share_of_unseen_ones(inputs: Any) -> None:
    """19 camels: 3 discarded, 2 in the hand, 1 aside, 1 seen at seat 1: 12 are among 20 of the deck and 10 cards of
    other hands, one of them the seen one."""
    public, own = table(deck=20, hand_size=[7, 6, 4, 0, 0], discards=[3, 0, 0, 0, 0]), seat_of(0, [2, 0, 0, 0])
    own.aside[CAMEL], public.shown[1, CAMEL] = 1, 1
    assert inputs.expected_cards(public, own, rules_of(), CAMEL) == pytest.approx(1 + 12 * 9 / 29)
    assert inputs.expected_cards(public, own, rules_of(), NO_KIND) == 0
    public.deck, public.hand_size = 0, [7, 1, 0, 0, 0]
    assert inputs.expected_cards(public, own, rules_of(), CAMEL) == 1, "all is seen"


def test_taking_the_last_disc_of_a_kind_ends_the_game(inputs: Any) -> None:
    public, rules = table(kind_left=[1, 2, 3, 1, 9]), rules_of()
    assert [bool(inputs.ends_game(public, rules, disc)) for disc in (CAMEL, CRANE, SHIP, MASON)] == [
        True, False, False, True
    ]  # fmt: skip
    rules.kind[5], rules.is_two_colour[5] = [CRANE, MASON], 1
    assert inputs.ends_game(public, rules, 5)
    own = seat_of(discs=[0, 1, 0, 3])
    assert [inputs.own_set_gain(public, own, rules, disc) for disc in (CAMEL, CRANE, 5)] == [1, 2, 4]


def test_net_inputs_of_a_moment(inputs: Any) -> None:
    """Seat 3 of 4 looks: seat 1 is active, two on. Wonders have 3, 1 and 1 discs left, the others none."""
    public = table(
        seats=4, row=3, action=2, turn=15, deck=15, active=1, kind_left=[6, 3, 2, 4, 0], slots_left=0b100_001_111
    )
    x = np.zeros(60)
    at = inputs._moment(public, seat_of(3), SimpleNamespace(kind=2), rules_of(use_action_cards=0), x)
    assert at == 9 + 3 + 3 + 3 + 4 + 6 + 5
    assert x[:9].tolist() == [0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert x[9:12].tolist() == [0, 1, 0]
    assert x[12:15].tolist() == pytest.approx([1, 0.5, 3 / 7])
    assert x[15:18].tolist() == pytest.approx([8 / 20, 6 / 20, 4 / 20])
    assert x[18:22].tolist() == pytest.approx([1, 0.5, 2 / 6, 4 / 6])
    assert x[22:28].tolist() == pytest.approx([0.5, 0, 1, 5 / 24, 0.5, 0])
    assert x[28:33].tolist() == [0, 0, 1, 0, 0]
    public.kind_left, public.row = [1, 3, 3, 3, 0], 99
    inputs._moment(public, seat_of(3), SimpleNamespace(kind=0), rules_of(), x)
    assert (x[23], x[24], x[27], x[15]) == (1, 0, 1, (5 + 6) / 20)


def test_net_inputs_of_a_build(inputs: Any) -> None:
    """Slot 5, disc 5 of cranes and ships: 3 and 2 cards needed, of which 2 and 1 are there; 1 and 2 are missing."""
    public = table(slot=5, active=1, need=[3, 2], kind=[CRANE, SHIP], missing=[1, 2], slots_left=0b111_100_111)
    public.units[1] = [4, 2, 3, 1, 0]
    own, rules = seat_of(0, [0, 2, 1, 0], discs=[0, 1, 0, 0]), rules_of()
    rules.kind[5], rules.is_two_colour[5] = [CRANE, SHIP], 1
    inputs.expected_cards = lambda _public, _own, _rules, kind: {CRANE: 2.5}[kind]
    x = np.full(20, 9.0)
    assert inputs._build(public, own, rules, x, 2) == 15
    assert x[2:15].tolist() == pytest.approx(
        [5 / 6, 1, 3 / 6, 2 / 4, 2 / 5, 1, 0, 4 / 8, 2 / 8, 3 / 8, 5 / 10, 3 / 6, 0.5]
    )
    public.slot = -1
    assert inputs._build(public, own, rules, x, 2) == 15
    assert x[2] == pytest.approx(5 / 6), "nothing is written"


def test_net_inputs_of_hand_and_rivals(inputs: Any) -> None:
    public = table(seats=3, points=[20, 10, 0, 0, 0], hand_size=[5, 4, 2, 0, 0], action_cards=[0, 3, 1, 0, 0],
                   disc_count=[3, 6, 1, 0, 0])  # fmt: skip
    public.offer = [0, 1 | 1 << 8 | 1 << 16, 0, 0, 0]
    own = seat_of(0, [5, 0, 1, 0], discs=[1, 0, 0, 0])
    own.cards[w.JOKER], own.fresh[w.JOKER] = 2, 1
    inputs._moment, inputs._build = lambda *_given: 2, lambda *given: given[-1]
    inputs.expected_cards = lambda _public, _own, _rules, kind: kind + 1.0
    x = np.zeros(80)
    at = inputs.fill_state(public, own, None, rules_of(), [24, 30, 0], x)
    assert at == 2 + 8 + 3 + 7 + 4 + 8 * 4 + 4
    assert x[2:13].tolist() == pytest.approx([1, 0, 0.2, 0, 1 / 3, 0, 0, 0, 0.6, 1, 1])
    assert x[13:20].tolist() == own.cards
    assert x[20:24].tolist() == pytest.approx([0.5, 0.2, -0.3, 0])
    assert x[24:32].tolist() == pytest.approx([1, 0.3, 0.25, 0.4, 1, 1, 0.5, 1])
    assert x[32:40].tolist() == pytest.approx([1, -1, 0, 0.2, 1 / 3, 1 / 6, 0, 0])
    assert not x[40:56].any()
    assert x[56:60].tolist() == pytest.approx([0.2, 0.4, 0.6, 0.8])


# --- points


@pytest.mark.parametrize(
    ("units", "points"),
    [([3, 2, 1, 0], [5, 3, 1, 0]), ([3, 3, 1, 0], [3, 3, 1, 0]), ([3, 2, 2, 1], [5, 1, 1, 1]), ([2, 2, 2, 2], [3] * 4),
     ([0, 0, 1, 0], [0, 0, 5, 0]), ([1, 3, 3, 2], [1, 3, 3, 1])],
)  # fmt: skip
def test_points_of_a_wonder_for_first_second_and_others(units: list[int], points: list[int], values: Any) -> None:
    """5 to a single first, 3 to a single second or to each of several first, 1 to all others that have a part."""
    public = table()
    public.units[2, :4] = units
    counts = values.count_wonder(public, 2, 0)
    assert [values.award(number, *counts, 5, 3, 1) for number in units] == points


def test_two_colour_discs_count_where_they_are_worth_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two camels and two of camel or ship: 10 as camels; with three ships: 3 + 15, or 6 + 10, or 10 + 6."""
    module, rules = linked(monkeypatch, moves, scoring), rules_of()
    rules.kind[5], rules.kind[9] = [CAMEL, SHIP], [SHIP, CAMEL]
    both = 1 << 5 | 1 << 9
    assert module.set_points(rules, 2, 0, 0, 0, both) == 10
    assert module.set_points(rules, 2, 0, 3, 0, both) == 3 + 15
    assert module.set_points(rules, 2, 1, 0, 1, 0) == 3 + 1 + 1


def test_a_tie_is_broken_by_discs_where_the_rules_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, moves, scoring)
    game = SimpleNamespace(public=SimpleNamespace(points=[9, 9, 10], disc_count=[3, 2, 0]))
    for by_discs, beats in ((1, {(0, 1), (2, 0), (2, 1)}), (0, {(2, 0), (2, 1)})):
        rules = SimpleNamespace(tie_by_discs=by_discs)
        assert {(a, b) for a in range(3) for b in range(3) if module._beats(game, rules, a, b)} == beats
