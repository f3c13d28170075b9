"""What a seat may know, as a row of numbers of fixed length (A26); ``wsim.babel.describe.view`` names the columns."""

from __future__ import annotations

from wsim.babel.words import ACTION_CARDS, KINDS, NEEDS, NO_KIND, SLOTS, WONDERS
from wsim.jit import kernel


@kernel
def observe(game, rules, seat, seen):
    """Write what a seat may know into ``seen``: table, build, board, own cards, then every seat from its own on."""
    public, own, choice = game.public, game.own[seat], game.choice
    table = (
        public.turn, public.action, (public.active - seat) % public.seats, seat, public.row, public.deck, public.slot,
        choice.kind if choice.count > 0 else -1, public.taken, public.missing[0], public.missing[1],
    )  # fmt: skip
    at = 0
    for number in table:
        seen[at] = number
        at += 1
    for place in range(NEEDS):
        seen[at + 2 * place] = public.kind[place]
        seen[at + 2 * place + 1] = public.need[place]
    at += 2 * NEEDS
    for slot in range(SLOTS):
        disc = public.board[slot]
        lies = (public.slots_left >> slot) & 1
        for kind in range(NO_KIND):
            seen[at + kind] = 0
        for place in range(NEEDS):
            if lies and rules.kind[disc, place] < NO_KIND:
                seen[at + rules.kind[disc, place]] = rules.need[disc, place]
        at += NO_KIND
    for kind in range(len(KINDS)):
        seen[at] = public.discards[kind]
        seen[at + 1] = own.hand[kind]
        seen[at + 2] = own.aside[kind]
        at += 3
    for card in range(len(ACTION_CARDS)):
        seen[at] = own.cards[card]
        seen[at + 1] = own.fresh[card]
        at += 2
    for step in range(public.seats):
        at = _write_seat(public, (seat + step) % public.seats, seen, at)


@kernel
def _write_seat(public, seat, seen, at):
    """Write what is known of every seat; return the place behind it."""
    numbers = (
        public.points[seat], public.hand_size[seat], public.action_cards[seat], public.disc_count[seat],
        public.offer[seat] & 0xFF, (public.offer[seat] >> 8) & 0xFF, public.offer[seat] >> 16,
    )  # fmt: skip
    for number in numbers:
        seen[at] = number
        at += 1
    for kind in range(len(KINDS)):
        seen[at] = public.discs[seat, kind]
        seen[at + 1] = public.shown[seat, kind]
        at += 2
    for wonder in range(WONDERS):
        seen[at] = public.units[wonder, seat]
        at += 1
    return at
