"""Hidden cards are resampled with their true probabilities, checked by enumerating all possible pasts (R49).

Every past is as likely as any other in which the same cards left the hands in the open: what a seat chooses says no
more of a card than that it chose it. The counting here knows hands as sets of slots and nothing of the kernels.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.wonders.position import WondersPosition
from wsim.wonders.simulator import WondersSimulator

DRAWS = 3000


def table(**keys: Any) -> WondersSimulator:
    simulator = find_game("seven_wonders").prepare(Plan.make(policies="random", seed=5, **keys))
    assert isinstance(simulator, WondersSimulator)
    return simulator


def slots(word: Any) -> frozenset[int]:
    return frozenset(slot for slot in range(64) if int(word) >> slot & 1)


def agrees(counted: Counter[Any], law: dict[Any, float]) -> bool:
    """Return whether outcome counts are within five standard errors of a probability distribution."""
    total = sum(counted.values())
    assert set(counted) <= set(law), "what cannot be was drawn"
    return all(
        abs(counted[outcome] / total - chance) <= 5 * math.sqrt(chance * (1 - chance) / total) + 1e-9
        for outcome, chance in law.items()
    )


def moments(simulator: WondersSimulator, seat: int, games: int) -> Iterator[WondersPosition]:
    """Yield positions after random moves in which a seat must choose in a given turn."""
    dice = random.Random(4)
    for number in range(games):
        position = simulator.begin(number)
        while position.to_move is not None:
            if position.to_move == seat and position.decision() == "turn":
                yield position.clone()
            position.take(dice.randrange(len(position.coded)))


def events(position: WondersPosition, age: int) -> dict[tuple[int, int], str | None]:
    """Return, for each turn and seat of an age, the card that was openly built from the hand, or None."""
    told = position.view(0)["public_moves"]
    return {
        (deed["seat"], deed["turn"] - 1): deed.get("card")
        for deed in told
        if deed["age"] == age + 1 and "source" not in deed
    }


def pasts(position: WondersPosition, start: frozenset[int], holders: list[tuple[int, int]]) -> list[frozenset[int]]:
    """Return the possible remainders of a known hand, one per past: each holder (seat, turn) took one card."""
    age = int(position.record.public.age)
    names = [position.names[int(card)] for card in position.machine.rules.slot_card[age]]
    happened = events(position, age)
    left = []
    for taken in itertools.permutations(start, len(holders)):
        shown = (happened[holder] for holder in holders)
        if all(card is None or names[slot] == card for slot, card in zip(taken, shown, strict=True)):
            left.append(start - set(taken))
    return left


@pytest.mark.slow
@pytest.mark.parametrize(("age", "direction"), [(0, "left"), (1, "right"), (0, "right"), (1, "left")])
def test_a_seat_knows_the_rest_of_a_hand_it_passed_on(age: int, direction: str) -> None:
    """Of a hand that two others held since, every past counts once: what was built is known, what went down is not."""
    passing = f"settings.passing=['{direction}', '{direction}', 'left']"
    simulator, tried = table(ruleset="1e", players=4, set=[passing]), 0
    for position in moments(simulator, 0, 12):
        public = position.record.public
        turn = int(public.turn)
        if int(public.age) != age or turn < 3:
            continue
        way = -1 if direction == "right" else 1
        first, second, now = way % 4, 2 * way % 4, 3 * way % 4
        start = slots(position.record.own[0].passed[age, turn - 3])
        left = pasts(position, start, [(first, turn - 2), (second, turn - 1)])
        if len(set(left)) < 3:
            continue
        law = {hand: count / len(left) for hand, count in Counter(left).items()}
        drawn = Counter(slots(position.redrawn(0, 1, n).record.own[now].hand) for n in range(DRAWS))
        assert agrees(drawn, law)
        tried += 1
        if tried == 2:
            return
    raise AssertionError("no such moment was met")


def test_a_returned_hand_reveals_the_cards_that_left_it() -> None:
    """Three seats: where a hand has returned, both its holders are known to have taken what is missing."""
    simulator = table(ruleset="1e", players=3)
    for position in moments(simulator, 0, 3):
        turn = int(position.record.public.turn)
        if turn != 3 or int(position.record.public.age) != 0:
            continue
        missing = slots(position.record.own[0].passed[0, 0]) - slots(position.record.own[0].hand)
        law = set(itertools.permutations(missing))
        seen = {
            (int(q.record.own[1].took[0, 1]), int(q.record.own[2].took[0, 2]))
            for q in (position.redrawn(0, 2, n) for n in range(60))
        }
        names = [position.names[int(card)] for card in position.machine.rules.slot_card[0]]
        happened = events(position, 0)
        shown = happened[1, 1], happened[2, 2]
        possible = {
            pair
            for pair in law
            if all(card is None or names[slot] == card for slot, card in zip(pair, shown, strict=True))
        }
        assert seen == possible
        return
    raise AssertionError("no such moment was met")


@pytest.mark.slow
def test_unseen_hands_are_uniform_over_the_deck() -> None:
    """In the first turn of age III a card that is always dealt is equally likely anywhere, a guild as it is drawn."""
    simulator = table(ruleset="1e", players=4)
    position = next(p for p in moments(simulator, 0, 1) if p.record.public.age == 2)
    rules, own = position.machine.rules, slots(position.record.own[0].hand)
    base = {int(rules.base_slots[2, i]) for i in range(int(rules.base_count[2]))} - own
    guilds = {int(rules.pool[2, 0, i]) for i in range(int(rules.pool_count[2, 0]))}
    drawn = int(rules.pool_drawn[2, 0]) - len(guilds & own)
    hands = [[slots(position.redrawn(0, 3, n).record.own[seat].hand) for seat in (1, 2, 3)] for n in range(DRAWS)]
    for three in hands:
        assert sum(map(len, three)) == len(frozenset().union(*three)) == 21
        assert not own & frozenset().union(*three)
        assert base <= frozenset().union(*three)
    counted = Counter(slot for three in hands for slot in three[1])
    for slots_of, chance in ((base, 1 / 3), (guilds - own, drawn / len(guilds - own) / 3)):
        for slot in slots_of:
            error = math.sqrt(chance * (1 - chance) / DRAWS)
            assert abs(counted[slot] / DRAWS - chance) < 5 * error, (slot, chance)


@pytest.mark.slow
def test_the_discard_pile_contains_the_discarded_cards() -> None:
    """Behind age I of three seats: the pile holds what was sold, and the last cards; each past counts once."""
    simulator, tried = table(ruleset="1e", players=3), 0
    for position in moments(simulator, 0, 8):
        record = position.record
        if int(record.public.age) != 1 or int(record.public.turn) != 0:
            continue
        for n in range(40):
            drawn = position.redrawn(0, 4, n).record
            assert int(drawn.hidden.copies.sum()) == int(record.public.discarded)
            for deed in position.view(0)["public_moves"]:
                if deed["action"] == "build":
                    card = position.names.index(deed["card"])
                    dealt = sum(int(c) == card for age in (0, 1) for c in position.machine.rules.slot_card[age][:64])
                    built = sum(int(drawn.public.built[s, card >> 6]) >> (card & 63) & 1 for s in range(3))
                    assert int(drawn.hidden.copies[card]) <= dealt - built
        tried += 1
    assert tried == 8


def test_a_seen_pile_stays_as_seen() -> None:
    """Who built from the discard pile knows it: it is what was seen, less what was built since, and later discards."""
    simulator = table(ruleset="1e", players=4, wonders="Halikarnassos,random,random,random")
    met = 0
    for position in moments(simulator, 0, 20):
        record = position.record
        if not record.own[0].looked:
            continue
        seen = position.view(0)["pile_seen"]
        deeds = (int(record.own[0].looked) - 1) & 1023
        later = [deed for deed in position.view(0)["public_moves"][deeds:] if deed.get("source") == "discard_pile"]
        for n in range(3):
            copies = position.redrawn(0, 6, n).record.hidden.copies
            for name, count in seen.items():
                gone = sum(deed.get("card") == name for deed in later)
                assert int(copies[position.names.index(name)]) >= count - gone
        met += 1
        if met == 25:
            return
    assert met > 5


def test_redrawn_team_mates_see_equally_many_cards_of_each_other() -> None:
    """Redrawn for one seat, every other one still sees its mate's hand as it was before the moves of the turn (R42)."""
    simulator = table(ruleset="2e-cities-teams", players=4)
    dice, met = random.Random(4), set()
    for number in range(6):
        position = simulator.begin(number)
        while position.to_move is not None:
            deciding = position.decision() != "turn"
            for me in [position.to_move] if deciding else range(4 if number == 0 else 0):  # some have chosen, some not
                met.add(position.decision())
                drawn = position.redrawn(me, 1, number).record
                for seat in set(range(4)) - {me}:
                    here, there = (slots(record.own[seat].mate_hand) for record in (position.record, drawn))
                    mate = slots(drawn.own[seat ^ 1].hand)
                    assert len(here) == len(there)
                    assert mate <= there
                    assert here == there or me != seat ^ 1
            position.take(dice.randrange(len(position.coded)))
    assert len(met) > 1


def test_redrawing_replaces_the_random_streams() -> None:
    """Of two positions that differ in nothing but the streams of what is still to be drawn, the same is made."""
    simulator = table(ruleset="2e-cities", players=4)
    position = simulator.begin(0)
    for _ in range(10):
        position.follow()
    other = position.clone()
    for stream in (other.record.hidden.dice, *other.record.own[:4]):
        stream.rng += np.uint64(12345)
    other.record.hidden.deals += np.uint64(7)
    assert position.record.hidden.dice.rng != other.record.hidden.dice.rng
    assert (position.redrawn(0, 3, 4).words == other.redrawn(0, 3, 4).words).all()


def sold_and_seen(number: int) -> tuple[WondersPosition, set[tuple[int, int]]] | None:
    """Set up five seats in which the hand that seat 0 passed on lost two cards to the discard pile, seen by seat 0.

    In turn 2 seat 1 sells one of two copies of a name, in turn 3 seat 2 another name of the same hand; everybody else
    builds. Return the position in turn 4 and the pasts: the slots that seats 1 and 2 may have sold. None where a deal
    does not allow it.
    """
    keys: Any = {"ruleset": "1e", "players": 5, "set": ["wonders.Halikarnassos.B.1.cost={}"]}
    simulator = table(**keys, wonders="Halikarnassos,random,random,random,random", sides="B")
    position = simulator.begin(number)
    names = [position.names[int(card)] for card in simulator.rules.slot_card[0]]
    sales: dict[tuple[int, int], str] = {}
    while (turn := int(position.record.public.turn)) < 3 and int(position.record.public.age) == 0:
        seat, moves = position.to_move, position.moves()
        if turn == 1 and not sales:
            hand = Counter(names[slot] for slot in slots(position.record.own[0].passed[0, 0]))
            twice = [name for name in hand if hand[name] == 2]
            other = [name for name in hand if hand[name] == 1]
            if not twice or not other:
                return None
            sales = {(1, 1): twice[0], (2, 2): other[0]}
        if position.decision() != "turn":
            wanted = [place for place, move in enumerate(moves) if move["action"] == "decline"]
        elif (seat, turn) in sales:
            card = sales[seat, turn]  # type: ignore[index]
            wanted = [p for p, move in enumerate(moves) if (move["action"], move["card"]) == ("sell", card)]
        else:
            action = "stage" if (seat, turn) == (0, 2) else "build"
            spared = set(sales.values()) if turn == 1 else set()
            wanted = [p for p, move in enumerate(moves) if move["action"] == action and move["card"] not in spared]
        if not wanted:
            return None
        position.take(wanted[0])
    start = slots(position.record.own[0].passed[0, 0])
    first, second = sales.values()
    pairs = set(itertools.permutations(start, 2))
    return position, {(a, b) for a, b in pairs if Counter((names[a], names[b])) == Counter((first, second))}


@pytest.mark.slow
def test_each_past_consistent_with_the_pile_counts_once() -> None:
    """Two sales out of a known hand, of which it has one name twice: four pasts, each as likely as any other.

    Drawn one after the other the second sale has two ways in some pasts and one in others, which must be weighed.
    """
    position, law = next(one for one in map(sold_and_seen, range(60)) if one is not None)
    assert len(law) == 4
    assert position.record.own[0].looked
    drawn = (position.redrawn(0, 8, n).record.own for n in range(1000))
    counted = Counter((int(own[1].took[0, 1]), int(own[2].took[0, 2])) for own in drawn)
    assert agrees(counted, dict.fromkeys(law, 1 / 4))
