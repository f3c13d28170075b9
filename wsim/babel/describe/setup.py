"""Positions of Tower of Babel set up from what a person at a real table sees: board, discard pile, the own hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeVar

from wsim.babel.describe import POSITION_KEYS
from wsim.babel.facts import PUBLIC_FACTS
from wsim.babel.kernels import layout
from wsim.babel.words import ACTION_CARDS, DRAW_THREE, EXCHANGE_CARDS, KINDS, NEEDS, NO_KIND, ROWS, SPACES
from wsim.errors import Mistakes, UserError
from wsim.kernels.commands import LOOK
from wsim.positions.machine import StatePosition
from wsim.positions.seat_facts import set_facts, settable
from wsim.positions.setup_fields import counts, listed, parse_int_in_range, refuse_unknown

MOST_TURNS = 400
P = TypeVar("P", bound=StatePosition)


def plan_keys(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a plan that a position decides: the number of players."""
    return {"players": len(listed("seats", described.get("seats"), Mapping))}


def set_up(start: P, described: Mapping[str, Any]) -> P:
    """Return the position that a person describes: ``seat`` begins its action.

    ``start`` is the beginning of a game of the plan, and is changed. The description has ``seat``, ``turn`` (from 1),
    ``row`` (of the value table, from 1), ``board`` (of each wonder its three discs, null where one is taken, and the
    ``parts`` of every seat), ``discards``, ``hand`` and ``held`` (the own action cards) as counts, and ``seats`` (of
    each points, hand_size, action_cards, discs by kind, shown cards). What is left out is 0. Hidden cards are drawn as
    ``redrawn`` draws them. Raises UserError with all mistakes of a position that cannot be.
    """
    public, mistakes = start.record.public, Mistakes()
    with mistakes.noted():
        refuse_unknown("a position", described, POSITION_KEYS)
    with mistakes.noted():
        seat = parse_int_in_range("seat", described.get("seat"), 0, start.simulator.seats - 1)
        public.active = start.record.hidden.starter = seat
    with mistakes.noted():
        public.turn = parse_int_in_range("turn", described.get("turn"), 1, MOST_TURNS)
    with mistakes.noted():
        public.row = parse_int_in_range("row", described.get("row", 1), 1, ROWS + 1) - 1
    with mistakes.noted():
        _set_board(start, described.get("board"))
    with mistakes.noted():
        _set_seats(start, listed("seats", described.get("seats"), Mapping))
    mistakes.raise_any()  # what is hidden follows from all of it
    _set_cards(start, seat, described)
    start.record.flow.phase, public.action = layout.BEGIN, 1
    start.refresh(LOOK)
    return start.redrawn(seat, 0)


def _set_board(position: StatePosition, board: Any) -> None:
    """Put the discs and parts of the wonders down."""
    catalogue, public = position.simulator.catalogue, position.record.public
    wonders = listed("board", board, Mapping)
    names = [wonder.get("wonder") for wonder in wonders]
    if names != list(catalogue.wonders):
        raise UserError(f"the board has the wonders {', '.join(catalogue.wonders)} in this order, not {names}")
    free = [dict(disc.needs) for disc in catalogue.discs]
    taken, public.slots_left = [], 0
    for place, wonder in enumerate(wonders):
        discs = wonder.get("discs")
        if not isinstance(discs, list) or len(discs) != SPACES:
            raise UserError(f"{wonder['wonder']} has {SPACES} discs, null where one is taken, not {discs!r}")
        for space, disc in enumerate(discs):
            slot = place * SPACES + space
            if disc is None:
                taken.append(slot)
                continue
            if not disc or disc not in free:  # {} stands for one that is taken
                raise UserError(f"there is no further disc {disc!r} for {wonder['wonder']}")
            public.board[slot] = free.index(disc)
            free[free.index(disc)] = {}
            public.slots_left |= 1 << slot
        parts = listed(f"parts of {wonder['wonder']}", wonder.get("parts", [0] * position.simulator.seats), int)
        if len(parts) != position.simulator.seats:
            raise UserError(f"parts of {wonder['wonder']} are a number for every seat, not {parts}")
        for one, count in enumerate(parts):
            public.units[place, one] = parse_int_in_range(f"parts of {wonder['wonder']}", count, 0, 99)
    rest = [number for number, disc in enumerate(free) if disc]
    for slot, disc in zip(taken, rest, strict=True):
        public.board[slot] = disc
    _count_kinds(position)


def _count_kinds(position: StatePosition) -> None:
    """Count the discs of each kind on the board, and the wonders that are complete."""
    public, rules = position.record.public, position.machine.rules
    public.kind_left[:] = 0
    position.record.hidden.completed = 0
    for slot in range(len(public.board)):
        if int(public.slots_left) >> slot & 1:
            for place in range(NEEDS):
                public.kind_left[rules.kind[int(public.board[slot])][place]] += 1
    public.kind_left[NO_KIND] = 0
    for kind, name in enumerate(KINDS):
        if not public.kind_left[kind]:
            raise UserError(f"the game is over: there is no disc of {name} left (section 8)")
    for wonder in range(len(position.simulator.catalogue.wonders)):
        if not int(public.slots_left) >> (wonder * SPACES) & 7:
            position.record.hidden.completed |= 1 << wonder


def _set_seats(position: StatePosition, seats: list[Mapping[str, Any]]) -> None:
    """Note what everybody knows of every seat."""
    record, public = position.record, position.record.public
    mistakes = Mistakes()
    for one, known in enumerate(seats):
        with mistakes.noted():
            refuse_unknown("a seat", known, list(settable(PUBLIC_FACTS)))
        own = record.own[one]
        own.hand[:], own.aside[:], own.cards[:], own.fresh[:] = 0, 0, 0, 0
        with mistakes.noted():
            set_facts(PUBLIC_FACTS, known, f"seat {one}", public, one, position.machine.rules)
        own.discs[:] = public.discs[one]
        public.disc_count[one] = int(own.discs.sum())
        if not position.machine.rules.public_discs:
            public.discs[one] = 0
    mistakes.raise_any()


def _set_cards(position: StatePosition, seat: int, described: Mapping[str, Any]) -> None:
    """Put the own cards into the hand, the discards on their pile, all others into decks and other hands."""
    record, public, rules = position.record, position.record.public, position.machine.rules
    hand, discards = (counts(what, described.get(what, {}), KINDS) for what in ("hand", "discards"))
    held = counts("held", described.get("held", {}), ACTION_CARDS)
    if sum(hand) != public.hand_size[seat] or sum(held) != public.action_cards[seat]:
        raise UserError(
            f"seat {seat} holds {sum(hand)} building and {sum(held)} action cards, "
            f"but its hand_size is {int(public.hand_size[seat])} and its action_cards {int(public.action_cards[seat])}"
        )
    own = record.own[seat]
    own.hand[: len(KINDS)], own.cards[:], public.discards[:] = hand, held, discards
    if (public.shown[seat] > hand).any():
        raise UserError(f"seat {seat} has shown cards that its hand does not hold")
    mine = public.shown[seat].copy()
    public.shown[seat] = 0  # the hand itself is known
    for kind, name in enumerate(KINDS):
        shown = int(public.shown[:, kind].sum())
        left = int(rules.cards[kind]) - hand[kind] - discards[kind] - shown
        if left < 0:
            raise UserError(f"there are {int(rules.cards[kind])} cards of {name}, but the position shows {-left} more")
        record.hidden.deck[kind] = left
    others = int(public.hand_size[: position.simulator.seats].sum()) - sum(hand) - int(public.shown.sum())
    public.deck = int(record.hidden.deck.sum()) - others
    if (
        public.deck < 0
        or (public.hand_size[: position.simulator.seats] < public.shown.sum(axis=1)[: position.simulator.seats]).any()
    ):
        raise UserError("the other hands hold more cards than there are, or fewer than they have shown")
    for one in range(position.simulator.seats):
        if one != seat:
            record.own[one].hand[: len(KINDS)] = public.shown[one]
    public.shown[seat] = mine
    _set_action_cards(position, seat, held)


def _set_action_cards(position: StatePosition, seat: int, held: list[int]) -> None:
    """Put the action cards that nobody has seen into their deck and the other hands."""
    hidden, public, rules = position.record.hidden, position.record.public, position.machine.rules
    unseen = [card for card in range(len(ACTION_CARDS)) for _ in range(int(rules.action_cards[card]) - held[card])]
    if any(held[card] > int(rules.action_cards[card]) for card in range(len(ACTION_CARDS))):
        raise UserError("held names more action cards than there are")
    drawn = int(public.action_cards[: position.simulator.seats].sum())
    if len(unseen) + sum(held) < drawn or (drawn and not rules.use_action_cards):
        raise UserError(f"the seats hold {drawn} action cards, more than there are")
    if not rules.use_action_cards:
        return
    mine = [card for card in range(len(ACTION_CARDS)) for _ in range(held[card])]
    hidden.action_deck[: len(unseen) + len(mine)] = mine + unseen
    hidden.actions_drawn = len(mine)
    deal = iter(unseen)
    for one in range(position.simulator.seats):
        if one != seat:
            for card, count in Counter(next(deal) for _ in range(int(public.action_cards[one]))).items():
                position.record.own[one].cards[card] = count
                hidden.actions_drawn += count
    cards = position.record.own["cards"][: position.simulator.seats]
    hidden.instant_cards = int(cards[:, [EXCHANGE_CARDS, DRAW_THREE]].sum())
