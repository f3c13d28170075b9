"""Set up positions of Tower of Babel from a person's description of a real table."""

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

MAX_TURNS = 400
P = TypeVar("P", bound=StatePosition)


def plan_keys(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a plan that a position determines: the number of players."""
    return {"players": len(listed("seats", described.get("seats"), Mapping))}


def set_up(start: P, described: Mapping[str, Any]) -> P:
    """Convert a description to a position in which ``seat`` begins its action; modifies ``start``, the start of a game.

    Keys: ``seat``, ``turn`` (from 1), ``row`` of the value table (from 1), ``board`` (for each wonder three discs, null
    where one is taken, and the ``parts`` of every seat), ``discards``, ``hand`` and ``held`` (the seat's action cards)
    as counts, and ``seats`` (points, hand_size, action_cards, discs by kind, shown cards). Omitted numbers are 0.
    ``redrawn`` draws the hidden cards. Raises a UserError that lists all mistakes in the description.
    """
    public, mistakes = start.record.public, Mistakes()
    with mistakes.noted():
        refuse_unknown("a position", described, POSITION_KEYS)
    with mistakes.noted():
        seat = parse_int_in_range("seat", described.get("seat"), 0, start.simulator.seats - 1)
        public.active = start.record.hidden.starter = seat
    with mistakes.noted():
        public.turn = parse_int_in_range("turn", described.get("turn"), 1, MAX_TURNS)
    with mistakes.noted():
        public.row = parse_int_in_range("row", described.get("row", 1), 1, ROWS + 1) - 1
    with mistakes.noted():
        _set_board(start, described.get("board"))
    with mistakes.noted():
        _set_seats(start, listed("seats", described.get("seats"), Mapping))
    mistakes.raise_any()  # the hidden cards depend on all of these values
    _set_cards(start, seat, described)
    start.record.flow.phase, public.action = layout.BEGIN, 1
    start.refresh(LOOK)
    return start.redrawn(seat, 0)


def _set_board(position: StatePosition, board: Any) -> None:
    """Place the discs and parts of the wonders."""
    catalogue, public = position.simulator.catalogue, position.record.public
    wonders = listed("board", board, Mapping)
    names = [wonder.get("wonder") for wonder in wonders]
    if names != list(catalogue.wonders):
        raise UserError(f"the board must list the wonders {', '.join(catalogue.wonders)} in this order, not {names}")
    free = [dict(disc.needs) for disc in catalogue.discs]
    taken, public.slots_left = [], 0
    for number, wonder in enumerate(wonders):
        discs = wonder.get("discs")
        if not isinstance(discs, list) or len(discs) != SPACES:
            raise UserError(f"{wonder['wonder']} must have {SPACES} discs, null where one is taken, not {discs!r}")
        for space, disc in enumerate(discs):
            slot = number * SPACES + space
            if disc is None:
                taken.append(slot)
                continue
            if not disc or disc not in free:  # {} marks a disc that is already used
                raise UserError(f"{wonder['wonder']} cannot have the disc {disc!r}: no copies of it are left")
            public.board[slot] = free.index(disc)
            free[free.index(disc)] = {}
            public.slots_left |= 1 << slot
        parts = listed(f"parts of {wonder['wonder']}", wonder.get("parts", [0] * position.simulator.seats), int)
        if len(parts) != position.simulator.seats:
            raise UserError(f"parts of {wonder['wonder']} must be one number for each seat, not {parts}")
        for seat, count in enumerate(parts):
            public.units[number, seat] = parse_int_in_range(f"parts of {wonder['wonder']}", count, 0, 99)
    public.board[taken] = [number for number, disc in enumerate(free) if disc]
    _count_kinds(position)


def _count_kinds(position: StatePosition) -> None:
    """Count the discs of each kind on the board, and the complete wonders."""
    public, rules = position.record.public, position.machine.rules
    public.kind_left[:] = 0
    position.record.hidden.completed = 0
    for slot in range(len(public.board)):
        if int(public.slots_left) >> slot & 1:
            for index in range(NEEDS):
                public.kind_left[rules.kind[int(public.board[slot])][index]] += 1
    public.kind_left[NO_KIND] = 0
    for kind, name in enumerate(KINDS):
        if not public.kind_left[kind]:
            raise UserError(f"the game is over: no {name} disc is left (section 8)")
    for wonder in range(len(position.simulator.catalogue.wonders)):
        if not int(public.slots_left) >> (wonder * SPACES) & 7:
            position.record.hidden.completed |= 1 << wonder


def _set_seats(position: StatePosition, seats: list[Mapping[str, Any]]) -> None:
    record, public = position.record, position.record.public
    mistakes = Mistakes()
    for seat, known in enumerate(seats):
        with mistakes.noted():
            refuse_unknown("a seat", known, list(settable(PUBLIC_FACTS)))
        own = record.own[seat]
        own.hand[:], own.aside[:], own.cards[:], own.fresh[:] = 0, 0, 0, 0
        with mistakes.noted():
            set_facts(PUBLIC_FACTS, known, f"seat {seat}", public, seat, position.machine.rules)
        own.discs[:] = public.discs[seat]
        public.disc_count[seat] = int(own.discs.sum())
        if not position.machine.rules.public_discs:
            public.discs[seat] = 0
    mistakes.raise_any()


def _set_cards(position: StatePosition, seat: int, described: Mapping[str, Any]) -> None:
    """Place the seat's cards and the discards, then all other cards in the decks and the other hands."""
    record, public, rules = position.record, position.record.public, position.machine.rules
    hand, discards = (counts(key, described.get(key, {}), KINDS) for key in ("hand", "discards"))
    held = counts("held", described.get("held", {}), ACTION_CARDS)
    if sum(hand) != public.hand_size[seat] or sum(held) != public.action_cards[seat]:
        raise UserError(
            f"seat {seat} has {sum(hand)} building cards in hand and {sum(held)} action cards in held, "
            f"but its hand_size is {int(public.hand_size[seat])} and its action_cards {int(public.action_cards[seat])}"
        )
    own = record.own[seat]
    own.hand[: len(KINDS)], own.cards[:], public.discards[:] = hand, held, discards
    if (public.shown[seat] > hand).any():
        raise UserError(f"seat {seat} has shown cards that are not in its hand")
    shown_by_seat = public.shown[seat].copy()
    public.shown[seat] = 0  # the hand itself is known
    for kind, name in enumerate(KINDS):
        shown = int(public.shown[:, kind].sum())
        left = int(rules.cards[kind]) - hand[kind] - discards[kind] - shown
        if left < 0:
            raise UserError(f"there are {int(rules.cards[kind])} cards of {name}, but the position shows {-left} more")
        record.hidden.deck[kind] = left
    others = int(public.hand_size[: position.simulator.seats].sum()) - sum(hand) - int(public.shown.sum())
    public.deck = int(record.hidden.deck.sum()) - others
    if public.deck < 0 or (public.hand_size < public.shown.sum(axis=1))[: position.simulator.seats].any():
        raise UserError("the other hands have more cards than there are, or fewer than they have shown")
    for other in range(position.simulator.seats):
        if other != seat:
            record.own[other].hand[: len(KINDS)] = public.shown[other]
    public.shown[seat] = shown_by_seat
    _set_action_cards(position, seat, held)


def _set_action_cards(position: StatePosition, seat: int, held: list[int]) -> None:
    """Distribute the unseen action cards among their deck and the other hands."""
    hidden, public, rules = position.record.hidden, position.record.public, position.machine.rules
    unseen = [card for card in range(len(ACTION_CARDS)) for _ in range(int(rules.action_cards[card]) - held[card])]
    if any(held[card] > int(rules.action_cards[card]) for card in range(len(ACTION_CARDS))):
        raise UserError("held contains more action cards than the game has")
    drawn = int(public.action_cards[: position.simulator.seats].sum())
    if len(unseen) + sum(held) < drawn or (drawn and not rules.use_action_cards):
        raise UserError(f"the seats have {drawn} action cards, more than the game has")
    if not rules.use_action_cards:
        return
    mine = [card for card in range(len(ACTION_CARDS)) for _ in range(held[card])]
    hidden.action_deck[: len(unseen) + len(mine)] = mine + unseen
    hidden.actions_drawn = len(mine)
    deal = iter(unseen)
    for other in range(position.simulator.seats):
        if other != seat:
            for card, count in Counter(next(deal) for _ in range(int(public.action_cards[other]))).items():
                position.record.own[other].cards[card] = count
                hidden.actions_drawn += count
    cards = position.record.own["cards"][: position.simulator.seats]
    hidden.instant_cards = int(cards[:, [EXCHANGE_CARDS, DRAW_THREE]].sum())
