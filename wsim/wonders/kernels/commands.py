"""The entry point of positions (wsim/kernels/commands.py)."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.kernels.commands import CommandHooks, commands_of
from wsim.wonders.kernels.clauses import note_watchers
from wsim.wonders.kernels.copying import copy_structure
from wsim.wonders.kernels.deal import reset_city, seat_players
from wsim.wonders.kernels.observe import observe
from wsim.wonders.kernels.redraw import redraw
from wsim.wonders.kernels.scoring import outcome, score_game
from wsim.wonders.kernels.steps import STEPS
from wsim.wonders.kernels.turn import add_effects, add_recruit, add_structure
from wsim.wonders.words import EMPTY_CITY, ENTRIES, STAGE_ENTRY


@kernel
def add_entry(game, rules, seat, entry):
    """Put a structure, a recruited card, the next stage or a copy into a city, or empty it; nothing else happens."""
    if entry == EMPTY_CITY:
        reset_city(game.public, rules, seat)
        return
    if entry >= ENTRIES:  # a copy (R103)
        copy_structure(game.public, rules, seat, entry - ENTRIES, -1)
        return
    if entry < STAGE_ENTRY:
        add_structure(game.public, rules, seat, entry)
    elif entry >= rules.deck_entry:
        add_recruit(game.public, rules, seat, entry)
    else:
        game.public.stages[seat] += 1
        add_effects(game.public, rules, seat, entry)
    if rules.when[entry]:
        note_watchers(game, rules)


run_machine = commands_of(
    STEPS,
    CommandHooks(
        redraw=redraw, seat_players=seat_players, observe=observe, outcome=outcome, add=add_entry, count=score_game
    ),
)
