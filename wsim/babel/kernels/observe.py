"""The observation of a seat, as a row of numbers of fixed length (A26); ``wsim.babel.describe.view`` names the
columns."""

from __future__ import annotations

from wsim.babel.facts import OBSERVED, OBSERVED_PRIVATELY
from wsim.babel.kernels.guards import check_total
from wsim.babel.kernels.seat import FACTS
from wsim.babel.words import NEEDS, NO_KIND, SLOTS
from wsim.jit import kernel

_write_own, _write_seat = FACTS.observe(OBSERVED_PRIVATELY), FACTS.observe(OBSERVED)


@kernel
def observe(game, rules, seat, seen):
    """Write the observation of a seat into ``seen``: table, build, board, own cards, then every seat from its own
    on."""
    public, choice = game.public, game.choice
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
    at = _write_own(game, rules, seat, seen, at)
    for step in range(public.seats):
        other = (seat + step) % public.seats
        check_total(public, other)
        at = _write_seat(game, rules, other, seen, at)
