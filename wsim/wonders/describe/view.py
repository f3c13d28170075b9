"""Views of a position as JSON objects (of one seat, R49, or complete), and the columns of observations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from wsim.facts import observed_names
from wsim.positions.seat_facts import facts_shown
from wsim.wonders.catalog import Catalogue
from wsim.wonders.catalog.counter_slots import Slot, slots_of
from wsim.wonders.describe.by_clauses import by_clauses, counters_of_city, counters_of_table
from wsim.wonders.describe.trace import move_record, names_of
from wsim.wonders.facts import CITY_FACTS, OBSERVED, OBSERVED_WITH_CLAUSES, SO_FAR
from wsim.wonders.words import ACTIONS, AGES, BUILD, COUNTER, DISCARD, PUT_ASIDE, SIDES_OF_BOARD, TAKE

_TABLE = ("age", "turn", "turns", "discarded", "seat", "decision")
_DEED = ("action", "card", "bank")
_FACE_UP = tuple(ACTIONS[action] for action in (BUILD, DISCARD, TAKE, PUT_ASIDE))


def columns(catalogue: Catalogue, rules: Any, history: bool = True) -> tuple[str, ...]:
    """Return the column names of an observation, in order.

    ``hand:CARD`` counts the copies in the seat's own hand, ``mate:CARD`` the copies in its mate's hand (teams). A
    city's columns begin with ``own.``, then ``left1.``, ``left2.``, ... going left; ``built:CARD`` is 1 or 0.

    If the catalogue has clauses, a city also has the facts that only clauses use (``own.free_build_tokens``), all
    counters (``own.counter:favour``; counters of the table are the same for every city) and, if clauses give copies,
    ``copied:CARD`` (R103). If clauses ask (R72), ``asking.entry`` is 1 + the number of the card or stage that asks, 0
    if none does; ``asking.clause`` is the number of its clause, and ``asking.owner`` the number of seats to the left
    at which the city that has the clause sits (R98). If clauses let a city see a neighbour's hand (R105),
    ``left_hand:CARD`` and ``right_hand:CARD`` count the cards that it saw in this turn, until its moves are made.

    For cards of further decks (R88), ``recruit:CARD`` is 1 for cards in the seat's own hand, ``display:CARD`` for
    displayed cards, ``recruited:CARD`` for cards that a city has recruited, and ``draft:CARD`` for cards of which the
    seat keeps one (R101; only if decks are drafted). ``asking.clause`` is 0 when the seat may recruit or must keep a
    card.

    With ``history``, further columns are ``passedT:CARD``, the hand passed on after turn T of this age, and for every
    age, turn and city ``deed:A.T.CITY.action`` (0: none; otherwise 1 + index in ACTIONS), ``.card`` (number of the card
    built) and ``.bank`` (coins); ``.late.`` marks last cards and builds from the discard pile.
    """
    names, recruits = [card.name for card in catalogue.cards], [card.name for card in catalogue.deck_cards]
    labels = [*_TABLE, *(f"hand:{name}" for name in names)]
    if rules.teams:
        labels += [f"mate:{name}" for name in names]
    cities = ["own", *(f"left{step}" for step in range(1, int(rules.seats)))]
    facts = _columns_of_city(catalogue, rules)
    labels += [f"{city}.{fact}" for city in cities for fact in facts]
    if rules.asks:
        labels += ["asking.entry", "asking.clause", "asking.owner"]
    if rules.watches:
        labels += [f"{side}_hand:{name}" for side in ("left", "right") for name in names]
    places = ("recruit", "display", "draft") if rules.drafts else ("recruit", "display")
    labels += [f"{where}:{name}" for where in places for name in recruits]
    if history:
        turns = range(1, int(rules.turns) + 1)
        labels += [f"passed{turn}:{name}" for turn in turns for name in names]
        deeds = product(range(1, AGES + 1), turns, cities, ("", "late."), _DEED)
        labels += [f"deed:{age}.{turn}.{city}.{late}{what}" for age, turn, city, late, what in deeds]
    return tuple(labels)


def _columns_of_city(catalogue: Catalogue, rules: Any) -> list[str]:
    """Return the column names of one city, without the prefix that identifies the city."""
    names = [card.name for card in catalogue.cards]
    return [
        *observed_names([*OBSERVED, *OBSERVED_WITH_CLAUSES] if rules.triggers else OBSERVED),
        *(f"{COUNTER}:{slot.label}" for slot in slots_of(catalogue)),
        *(f"built:{name}" for name in names),
        *(f"copied:{name}" for name in names if rules.copies),
        *(f"recruited:{card.name}" for card in catalogue.deck_cards),
    ]


def view_of(
    catalogue: Catalogue, rules: Any, state: Any, seat: int | None, moment: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a seat's view (``None``: the whole position) as a JSON object; ``moment`` is the current decision."""
    names = [card.name for card in catalogue.cards]
    public, slots = state.public, slots_of(catalogue)
    view: dict[str, Any] = {
        "age": int(public.age) + 1,
        "turn": int(public.turn) + 1,
        "discarded": int(public.discarded),
        "cities": [_city(catalogue, slots, rules, state, city_seat) for city_seat in range(int(rules.seats))],
        **counters_of_table(slots, state),
        **({"display": _recruits(catalogue, public.display)} if rules.deck_shown.any() else {}),
        **({"enlisted": _recruits(catalogue, public.enlisted)} if rules.draws else {}),
        "public_moves": [_deed(names, int(deed)) for deed in public.deeds[: int(public.deed_count)]],
        **moment,
    }
    if seat is not None:
        dealt = {"recruits": _recruits(catalogue, state.own[seat].recruits)} if rules.deck_dealt.any() else {}
        if draft := _recruits(catalogue, state.own[seat].draft):
            dealt["draft"] = draft
        return {**view, "seat": seat, **_own(names, rules, state, seat), **dealt}
    cards = rules.slot_card[int(public.age)]
    hands = [names_of(names, cards, int(state.own[city_seat].hand)) for city_seat in range(int(rules.players))]
    pile = {name: int(n) for name, n in zip(names, state.hidden.copies, strict=False) if n}
    seats = range(int(rules.players) if rules.deck_dealt.any() else 0)
    recruits = [_recruits(catalogue, state.own[city_seat].recruits) for city_seat in seats]
    drafts = [_recruits(catalogue, state.own[city_seat].draft) for city_seat in seats]
    further = {"recruits": recruits} if recruits else {}
    further |= {"drafts": drafts} if any(drafts) else {}
    return {**view, "hands": hands, "discard_pile": pile, **further}


def _recruits(catalogue: Catalogue, cards: Any) -> list[str]:
    """Return the names in a bit set of cards from further decks."""
    return [card.name for number, card in enumerate(catalogue.deck_cards) if int(cards) >> number & 1]


def _city(catalogue: Catalogue, slots: Sequence[Slot], rules: Any, state: Any, seat: int) -> dict[str, Any]:
    public = state.public
    wonder = catalogue.wonders[int(public.side[seat]) // SIDES_OF_BOARD]
    standing = _cards_in(public.built[seat], rules)
    city: dict[str, Any] = {
        "wonder": wonder.name,
        "side": catalogue.sides[int(public.side[seat]) % SIDES_OF_BOARD],
        "built": [catalogue.cards[number].name for number in standing],
        **facts_shown(CITY_FACTS, public, seat, expansion=bool(rules.cities)),
    }
    if rules.decks:
        city["recruited"] = _recruits(catalogue, public.recruited[seat])
    if seat >= rules.players:
        del city["hand_size"]  # the Free City has no hand (R44)
    side, stages = int(public.side[seat]), int(public.stages[seat])
    entries = [*standing, *map(int, rules.stage_entry[side][:stages])]
    first, recruited = int(rules.deck_entry), int(public.recruited[seat])
    entries += [first + number for number in range(len(catalogue.deck_cards)) if recruited >> number & 1]
    entries += range(int(rules.table_entry), int(rules.last_entry))
    copied = _cards_in(public.copied[seat], rules)
    if rules.copies:
        city["copied"] = [catalogue.cards[number].name for number in copied]
    if rules.code.any():
        city |= by_clauses(rules, state, seat, [*entries, *copied])
    else:
        city.pop(SO_FAR, None)
    return city | counters_of_city(slots, state, seat, entries)


def _cards_in(words: Any, rules: Any) -> list[int]:
    """Return the card numbers in a bit set, given as 64-bit words."""
    parts = [int(word) for word in words]
    return [number for number in range(int(rules.cards)) if parts[number >> 6] >> (number & 63) & 1]


def _deed(names: Sequence[str], deed: int) -> dict[str, Any]:
    """Return the public part of a move (moves.py) in the format of a trace, omitting a card played face down."""
    seat, age, turn, decision = deed >> 40 & 15, deed >> 44 & 3, deed >> 46 & 15, deed >> 50 & 7
    move = move_record(names, deed & ((1 << 40) - 1), seat, decision, 0)
    unseen = ("stage",) if move["action"] in _FACE_UP else ("stage", "card")
    return {"age": age + 1, "turn": turn + 1, **{key: value for key, value in move.items() if key not in unseen}}


def _own(names: Sequence[str], rules: Any, state: Any, seat: int) -> dict[str, Any]:
    """Return a seat's private information: its hand, other hands that it knows, and the discard pile as last seen.

    ``handed_on`` contains the card that the seat played in each turn of this age, the rest of the hand, and the card
    that it put aside, if any (R107).
    """
    own, age = state.own[seat], int(state.public.age)
    cards = rules.slot_card[age]
    view: dict[str, Any] = {"hand": names_of(names, cards, int(own.hand))}
    if rules.teams:
        view["mate_hand"] = names_of(names, cards, int(own.mate_hand))
    view["handed_on"] = [
        {
            "turn": turn + 1,
            "took": names[int(cards[int(own.took[age, turn])])],
            "left": names_of(names, cards, int(own.passed[age, turn])),
            **({"put_aside": names[int(cards[int(own.aside[age, turn]) - 1])]} if own.aside[age, turn] else {}),
        }
        for turn in range(int(state.public.turn))
    ]
    if rules.watches:
        view["hands_seen"] = _hands_seen(names, rules, state, seat)
    if own.looked:
        counts = ((int(own.look[card >> 4]) >> 4 * (card & 15)) & 15 for card in range(len(names)))
        view["pile_seen"] = {name: n for name, n in zip(names, counts, strict=True) if n}
    return view


def _hands_seen(names: Sequence[str], rules: Any, state: Any, seat: int) -> list[dict[str, Any]]:
    """Return the hands of neighbours that a seat saw in this age (R105), as they were before the moves of the turn."""
    age, seen = int(state.public.age), []
    for turn in range(int(state.public.turn) + 1):
        for other in range(int(rules.players)):
            if int(state.own[seat].watched[age, turn]) >> other & 1:
                own = state.own[other]
                took = int(own.took[age, turn])
                slots = int(own.passed[age, turn]) or int(own.hand)
                slots |= 1 << took if took >= 0 else 0
                slots |= 1 << int(own.aside[age, turn]) - 1 if own.aside[age, turn] else 0
                hand = names_of(names, rules.slot_card[age], slots)
                seen.append({"turn": turn + 1, "seat": other, "hand": hand})
    return seen
