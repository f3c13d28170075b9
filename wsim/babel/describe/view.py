"""Views of a position as JSON objects (A26), moves as records, and the columns of an observation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wsim.babel import words as w
from wsim.babel.catalog import Catalogue
from wsim.babel.describe.trace import by_kind
from wsim.babel.facts import OBSERVED, OBSERVED_PRIVATELY, PRIVATE_FACTS, PUBLIC_FACTS
from wsim.babel.kernels.layout import COMPLETED, TRADE_CARD
from wsim.facts import observed_names
from wsim.positions.seat_facts import facts_shown

_TABLE = (
    "turn", "action", "active", "seat", "row", "deck", "slot", "decision", "taken", "missing_1", "missing_2",
    "kind_1", "need_1", "kind_2", "need_2",
)  # fmt: skip


def columns(seats: int) -> tuple[str, ...]:
    """Return the column names of an observation, in order.

    ``active`` is counted from the observing seat to the left; -1: none. ``slotS:KIND`` is the number of cards that the
    disc of a slot needs (0 if it is taken); ``discards:``, ``hand:`` and ``aside:KIND`` are counts; ``card:NAME`` are
    action cards of the seat, and ``fresh:NAME`` its cards that cannot be used yet. Columns of a seat begin with
    ``own.``, ``left1.``, ...: ``discs:KIND`` counts its discs of a kind, ``shown:KIND`` the cards known to be in its
    hand, and ``parts:W`` its parts on a wonder.
    """
    names = [*_TABLE]
    names += [f"slot{slot}:{kind}" for slot in range(w.SLOTS) for kind in w.KINDS]
    names += observed_names(OBSERVED_PRIVATELY)
    for seat in ("own", *(f"left{step}" for step in range(1, seats))):
        names += [f"{seat}.{name}" for name in observed_names(OBSERVED)]
    return tuple(names)


def move_record(catalogue: Catalogue, public: Any, decision: int, seat: int, move: int) -> dict[str, Any]:
    """Return a move in the format of the trace."""
    record: dict[str, Any] = {"seat": seat}
    disc = _disc(catalogue, public, int(public.slot)) if public.slot >= 0 else {}
    if decision == w.TURN:
        return record | (_build(catalogue, public, move - 1) if move else {"action": "pass"})
    if decision == w.PLAY_CARD:
        return record | {"card": w.ACTION_CARDS[move - 1] if move else None}
    if decision == w.EXCHANGE:
        return record | {"aside": w.KINDS[move - 1] if move else None}
    if decision == w.OFFER:
        return record | {"cards": by_kind(disc, move & (TRADE_CARD - 1)), "trade": move >= TRADE_CARD}
    if decision == w.BLUFF:
        return record | {"bluff": [kind for number, kind in enumerate(w.KINDS) if move >> number & 1]}
    if decision == w.TAKE:
        return record | {"taken": [other for other in range(int(public.seats)) if move >> other & 1]}
    if decision == w.COMPLETE:
        return record | (
            {"completed": True, "jokers": by_kind(disc, move & (COMPLETED - 1))} if move else {"completed": False}
        )
    assert decision in (w.TRIPLE, w.DOUBLE), decision
    return record | {w.DECISIONS[decision]: bool(move)}


def _disc(catalogue: Catalogue, public: Any, slot: int) -> dict[str, int]:
    return dict(catalogue.discs[int(public.board[slot])].needs)


def _build(catalogue: Catalogue, public: Any, slot: int) -> dict[str, Any]:
    wonder = catalogue.wonders[slot // w.SPACES]
    return {"action": "build", "wonder": wonder, "space": slot % w.SPACES + 1, "disc": _disc(catalogue, public, slot)}


def view_of(catalogue: Catalogue, state: Any, seat: int | None, moment: Mapping[str, Any]) -> dict[str, Any]:
    """Return a seat's view (``None``: the whole position) as a JSON object; ``moment`` is the current decision."""
    public = state.public
    seats = range(int(public.seats))
    board = [
        {
            "wonder": wonder,
            "discs": [
                _disc(catalogue, public, slot) if int(public.slots_left) >> slot & 1 else None
                for slot in range(number * w.SPACES, (number + 1) * w.SPACES)
            ],
            "parts": [int(public.units[number, owner]) for owner in seats],
        }
        for number, wonder in enumerate(catalogue.wonders)
    ]
    view: dict[str, Any] = {
        "turn": int(public.turn),
        "active": int(public.active),
        "row": int(public.row) + 1,
        "board": board,
        "discards": {kind: int(n) for kind, n in zip(w.KINDS, public.discards, strict=False) if n},
        "deck": int(public.deck),
        "seats": [facts_shown(PUBLIC_FACTS, public, number) for number in seats],
    }
    if public.slot >= 0:
        view["build"] = _build(catalogue, public, int(public.slot))
        view["build"]["offers"] = [
            move_record(catalogue, public, w.OFFER, number, int(public.offer[number])) for number in seats
        ]
        view["build"]["taken"] = [number for number in seats if int(public.taken) >> number & 1]
    view |= moment
    if seat is None:
        return {**view, "own": [facts_shown(PRIVATE_FACTS, state.own[number], None) for number in seats]}
    return {**view, "seat": seat, **facts_shown(PRIVATE_FACTS, state.own[seat], None)}
