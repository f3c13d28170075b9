"""Views of a position as JSON objects: what everybody, one seat (A26) or nobody may see; the observation's columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wsim.babel.catalog import Catalogue
from wsim.babel.describe.trace import by_kind
from wsim.babel.kernels.layout import COMPLETED, TRADE_CARD
from wsim.babel.words import (
    ACTION_CARDS,
    BLUFF,
    COMPLETE,
    DECISIONS,
    DOUBLE,
    EXCHANGE,
    KINDS,
    OFFER,
    PLAY_CARD,
    SLOTS,
    SPACES,
    TAKE,
    TRIPLE,
    TURN,
    WONDERS,
)

_TABLE = (
    "turn", "action", "active", "seat", "row", "deck", "slot", "decision", "taken", "missing_1", "missing_2",
    "kind_1", "need_1", "kind_2", "need_2",
)  # fmt: skip
_SEAT = ("points", "hand_size", "action_cards", "discs", "offer_1", "offer_2", "trade_card")


def columns(seats: int) -> tuple[str, ...]:
    """Return the names of the columns of an observation, in order.

    ``active`` counts seats from the own one to the left; -1 is none. ``slotS:KIND`` is what the disc of a slot needs (0
    where it is taken); ``discards:``, ``hand:`` and ``aside:KIND`` are counts; ``card:`` and ``fresh:NAME`` the own
    action cards, and those of them not yet usable. A seat's columns begin with ``own.``, ``left1.``, ...:
    ``discs:KIND`` of one kind, ``shown:KIND`` cards known to be in its hand, ``parts:W`` on the wonders.
    """
    found = [*_TABLE]
    found += [f"slot{slot}:{kind}" for slot in range(SLOTS) for kind in KINDS]
    for kind in KINDS:
        found += [f"discards:{kind}", f"hand:{kind}", f"aside:{kind}"]
    for card in ACTION_CARDS:
        found += [f"card:{card}", f"fresh:{card}"]
    for seat in ("own", *(f"left{step}" for step in range(1, seats))):
        found += [f"{seat}.{name}" for name in _SEAT]
        for kind in KINDS:
            found += [f"{seat}.discs:{kind}", f"{seat}.shown:{kind}"]
        found += [f"{seat}.parts:{wonder + 1}" for wonder in range(WONDERS)]
    return tuple(found)


def move_record(catalogue: Catalogue, public: Any, decision: int, seat: int, move: int) -> dict[str, Any]:
    """Return a move of a decision as the trace has it."""
    who: dict[str, Any] = {"seat": seat}
    disc = _disc(catalogue, public, int(public.slot)) if public.slot >= 0 else {}
    if decision == TURN:
        return who | (_build(catalogue, public, move - 1) if move else {"action": "pass"})
    if decision == PLAY_CARD:
        return who | {"card": ACTION_CARDS[move - 1] if move else None}
    if decision == EXCHANGE:
        return who | {"aside": KINDS[move - 1] if move else None}
    if decision == OFFER:
        return who | {"cards": by_kind(disc, move & (TRADE_CARD - 1)), "trade": move >= TRADE_CARD}
    if decision == BLUFF:
        return who | {"bluff": [kind for number, kind in enumerate(KINDS) if move >> number & 1]}
    if decision == TAKE:
        return who | {"taken": [one for one in range(int(public.seats)) if move >> one & 1]}
    if decision == COMPLETE:
        return who | (
            {"completed": True, "jokers": by_kind(disc, move & (COMPLETED - 1))} if move else {"completed": False}
        )
    assert decision in (TRIPLE, DOUBLE), decision
    return who | {DECISIONS[decision]: bool(move)}


def _disc(catalogue: Catalogue, public: Any, slot: int) -> dict[str, int]:
    return dict(catalogue.discs[int(public.board[slot])].needs)


def _build(catalogue: Catalogue, public: Any, slot: int) -> dict[str, Any]:
    wonder = catalogue.wonders[slot // SPACES]
    return {"action": "build", "wonder": wonder, "space": slot % SPACES + 1, "disc": _disc(catalogue, public, slot)}


def view_of(catalogue: Catalogue, state: Any, seat: int | None, moment: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a seat may know, None: everything, as a JSON object; ``moment`` says who decides what."""
    public = state.public
    seats = range(int(public.seats))
    board = [
        {
            "wonder": wonder,
            "discs": [
                _disc(catalogue, public, slot) if int(public.slots_left) >> slot & 1 else None
                for slot in range(number * SPACES, (number + 1) * SPACES)
            ],
            "parts": [int(public.units[number, one]) for one in seats],
        }
        for number, wonder in enumerate(catalogue.wonders)
    ]
    view: dict[str, Any] = {
        "turn": int(public.turn),
        "active": int(public.active),
        "row": int(public.row) + 1,
        "board": board,
        "discards": _counts(KINDS, public.discards),
        "deck": int(public.deck),
        "seats": [
            {
                "points": int(public.points[one]),
                "hand_size": int(public.hand_size[one]),
                "action_cards": int(public.action_cards[one]),
                "discs": _counts(KINDS, public.discs[one]),
                "shown": _counts(KINDS, public.shown[one]),
            }
            for one in seats
        ],
    }
    if public.slot >= 0:
        view["build"] = _build(catalogue, public, int(public.slot))
        view["build"]["offers"] = [move_record(catalogue, public, OFFER, one, int(public.offer[one])) for one in seats]
        view["build"]["taken"] = [one for one in seats if int(public.taken) >> one & 1]
    view |= moment
    if seat is None:
        return {**view, "own": [_own(state, one) for one in seats]}
    return {**view, "seat": seat, **_own(state, seat)}


def _own(state: Any, seat: int) -> dict[str, Any]:
    """Return what a seat alone may know: its building cards and its action cards."""
    own = state.own[seat]
    view: dict[str, Any] = {"hand": _counts(KINDS, own.hand), "held": _counts(ACTION_CARDS, own.cards)}
    if own.aside.any():
        view["aside"] = _counts(KINDS, own.aside)
    if own.fresh.any():
        view["fresh"] = _counts(ACTION_CARDS, own.fresh)
    return view


def _counts(names: tuple[str, ...], numbers: Any) -> Mapping[str, int]:
    return {name: int(number) for name, number in zip(names, numbers, strict=False) if number}
