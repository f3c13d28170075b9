"""Playing with policies: the state machine of flow.py and the engine (wsim/kernels/engine.py).

A game is a function of (seed, game number, seating, rules). Random numbers come from the streams of wsim/rng.py: 0-2
deal the ages, 3 sets the table, 4 + seat belongs to the policy of the seat, 12 to randomised picks
and to overruled ones.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.kernels.engine import EngineHooks, engine_of
from wsim.kernels.facts import copying
from wsim.rng import below, uniform
from wsim.wonders.kernels.deal import set_up
from wsim.wonders.kernels.flow import next_decision, take
from wsim.wonders.kernels.layout import EVENT, LOG_PICK, MEMORY, OVER, TYPES
from wsim.wonders.kernels.listing import restrict
from wsim.wonders.kernels.log import log_pick, log_wish
from wsim.wonders.kernels.moves import action_of, card_of
from wsim.wonders.kernels.price_log import log_prices
from wsim.wonders.kernels.prices import PRICED
from wsim.wonders.kernels.rows import write_rows
from wsim.wonders.words import BUILD, CARDS, DISCARD_PILE, EXPLORE, LAST_CARD, LOSS, SELL, STAGE

ENDED = 1 << OVER
_ONE = np.uint64(1)
_STAGES, _SALES = 0.5, 0.25  # of the chance with which cards to build are overruled
_copy_event = copying(EVENT, "values")  # of traces only


@kernel(inline=True)
def _settle(game, rules, seating, seat, index, stream):
    """Replace the pick in an experiment; log it with its probability."""
    if seating.experiment | game.log.recording:
        return _settle_recorded(game, rules, seating, seat, index, stream)
    return index


@kernel(rare=True)
def _settle_recorded(game, rules, seating, seat, index, stream):
    """Replace the pick in an experiment; log it if picks are recorded."""
    choice = game.choice
    randomised, probability = False, 1.0
    if seating.experiment and choice.count > 1 and choice.kind <= LAST_CARD:
        index, randomised, probability = randomise(game, seating.randomise[seat], index)
    if game.log.recording:
        if choice.count > 1 and explored(choice, game.own[seat], stream):
            randomised, probability = True, 1.0 / choice.count
        event = log_pick(game, rules, seat, index, randomised, probability)
        if choice.count > 1 and seating.overrule[seat] > 0.0:
            log_wish(game, event)
        if rules.triggers & PRICED:
            log_prices(game, rules, choice.seat, choice.moves[index])
    return index


@kernel
def explored(choice, own, stream):
    """Return whether the policy's ``explore`` drew the pick, from the first draw at the previous state of the
    stream."""
    chance, after = own.parameters[EXPLORE], own.rng
    if chance <= 0.0 or choice.kind == LOSS:
        return False
    own.rng = stream
    drawn = uniform(own) < chance
    own.rng = after
    return drawn


@kernel
def randomise(game, chance, wanted):
    """Replace a pick by a uniform one with some chance; return (index, whether it was replaced, its probability)."""
    hidden, count = game.hidden, game.choice.count
    index, randomised = wanted, False
    if chance > 0.0 and uniform(hidden.dice) < chance:
        index = below(hidden.dice, count)
        randomised = True
    return index, randomised, chance / count + (1.0 - chance if index == wanted else 0.0)


@kernel
def _thing_of(game, move, wide):
    """Return the thing of a move: its card if it builds one; else the next stage or a sale, whatever card is used."""
    action = action_of(move)
    if game.choice.kind > DISCARD_PILE or action > SELL:
        return np.int64(-1)
    return card_of(move) if action == BUILD else CARDS + action


@kernel
def _part_overruled(game, move):
    """Return the fraction of the probability with which a wish is overruled: stages and sales are wanted far more often
    than any single card, so fewer overruled wishes are as informative, and the game stays closer to undisturbed play.
    """
    action = action_of(move)
    return _STAGES if action == STAGE else _SALES if action == SELL else 1.0


@kernel
def _deny(game, thing):
    """Deny a card to a seat that was overruled about it for the rest of the game; otherwise it would build it later."""
    if thing < CARDS:
        game.hidden.denied[game.choice.seat, thing >> 6] |= _ONE << np.uint64(thing & 63)


@kernel
def _write_picks(game, picks, filled, number):
    """Copy the decisions of the game's log to the picks; return the new length."""
    log = game.log
    for i in range(log.count):
        event = log.events[i]
        if event.kind == LOG_PICK and event.decision != LOSS and filled < picks.shape[0]:
            pick = picks[filled]
            pick.game = number
            _copy_event(event, pick.event)
            filled += 1
    return filled


ENGINE = engine_of(
    EngineHooks(
        set_up, next_decision, take, write_rows, _write_picks, _settle, restrict, ENDED,
        thing_of=_thing_of, deny=_deny, part_overruled=_part_overruled, memory=MEMORY,
    ),
    TYPES,
)  # fmt: skip
