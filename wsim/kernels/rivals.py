"""Infer the policies of the rivals by comparing the searcher's predictions with their moves.

At a turn in which all seats choose at once, it counts in its sampled hands the visible moves of each rival if played by
a net, and if played by a different member of its pool. At its next decision, the actual move updates the weights of
both (Bayes' rule for each rival, with an error rate), and playouts draw each rival's player by these weights. Between
decisions this is stored in the policy's memory (``own.memory``): for each rival a whole number with the odds so far and
the likelihood ratios of the most frequent predictions; in the last slot, the time of the prediction.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wsim.jit import call, kernel
from wsim.rng import below

KEYS = 192  # things that a rival may be seen to do, the last one is nothing
NETS, OTHERS = 0, 1
_WHEN = 7  # index in the memory of the time of the prediction
_MOST = 10  # half units of log odds: beyond 5 nobody is sure
_NAMED = 4  # of the things that were foreseen
_STEPS = tuple(round(math.exp(rival), 6) for rival in (-1.25, -0.75, -0.25, 0.25, 0.75, 1.25))
_ODDS = tuple(round(math.exp(half / 2), 6) for half in range(-_MOST, _MOST + 1))
_ALLOWED = 2.0  # decisions as if drawn from everything: what the error rate is of
_ODDS_BITS, _STEP_BITS, _KEY_BITS = 5, 3, 8


@kernel
def nothing_foretold(game, rules, move):
    """Default hook: no part of a move is public."""
    return -1


@kernel
def nothing_seen(game, rules, seat, when):
    """Default hook: no move of a rival was seen."""
    return -1


@kernel
def at_no_time(game, rules):
    """Default hook: seats never choose at once."""
    return 0


@kernel
def _step(of_nets, of_others, others, nets, rest):
    """Return the likelihood ratio in favour of a net, in seven steps; 3 is neutral."""
    ratio = (of_nets + _ALLOWED * rest) * (others + _ALLOWED) / ((nets + _ALLOWED) * (of_others + _ALLOWED * rest))
    step = 0
    for rival in _STEPS:
        step += ratio > rival
    return step


@kernel
def _place(seat, rival):
    return rival if rival < seat else rival - 1


@kernel
def is_net(line_up, first, player):
    """Return whether a player of a pool is a net: it has the same kernel as the first player of the pool."""
    return line_up[player] == line_up[first]


@kernel
def draw_player(lookahead, line_up, first, rivals, net):
    """Draw a player from the nets of a pool, or from its other members."""
    while True:
        player = first + 1 + below(lookahead, rivals)
        if is_net(line_up, first, player) == net:
            return player


def weighing(seen: Any, at_once: Any) -> Any:
    """Return the kernel that updates beliefs about the rivals from their moves; see ``searching.SearchHooks``."""

    @kernel
    def weigh(game, rules, line_up, seat, first, rivals):
        """Update the chance that each rival is a net; predict the rivals' moves if all choose at once this turn."""
        lookahead, own = game.lookahead, game.own[seat]
        nets = 0
        for player in range(first + 1, first + 1 + rivals):
            nets += is_net(line_up, first, player)
        lookahead.inferring = 1 if 0 < nets < rivals else 0
        when = np.int64(own.memory[_WHEN])
        for rival in range(rules.seats):
            if rival == seat or lookahead.inferring == 0:
                continue
            note = np.int64(own.memory[_place(seat, rival)])
            odds = note & ((1 << _ODDS_BITS) - 1)
            odds = odds - 1 if odds else _MOST
            key = seen(game, rules, rival, when) if when > 0 else -1
            if key >= 0:
                rest = note >> _ODDS_BITS
                half_units = rest & ((1 << _STEP_BITS) - 1)
                rest >>= _STEP_BITS
                for _ in range(_NAMED):
                    if rest & ((1 << _KEY_BITS) - 1) == key:
                        half_units = rest >> _KEY_BITS & ((1 << _STEP_BITS) - 1)
                        break
                    rest >>= _KEY_BITS + _STEP_BITS
                odds = min(max(odds + (half_units - 3), 0), 2 * _MOST)
            own.memory[_place(seat, rival)] = odds + 1
            weight = nets * _ODDS[odds]
            lookahead.chance[rival] = weight / (weight + rivals - nets)
            for key in range(KEYS):
                lookahead.foreseen[rival, NETS, key] = lookahead.foreseen[rival, OTHERS, key] = 0
        own.memory[_WHEN] = 0.0
        lookahead.when = at_once(game, rules) if lookahead.inferring else 0

    return weigh


def foretelling(foretold: Any) -> Any:
    """Return the kernel that counts a rival's first move in a playout; see ``searching.SearchHooks``."""

    @kernel
    def foretell(game, rules, seating, line_up, first, rivals, decider, index):
        """Count the move of a rival, and the move that a player of the other kind (net or not) would make."""
        lookahead, choice = game.lookahead, game.choice
        lookahead.met |= 1 << decider
        key = foretold(game, rules, choice.moves[index])
        if key < 0 or choice.count < 2:
            return
        net = is_net(line_up, first, lookahead.player[decider])
        lookahead.foreseen[decider, NETS if net else OTHERS, key] += 1
        other = draw_player(lookahead, line_up, first, rivals, not net)
        settings = seating.settings[seating.settings_at[other]]
        index = call(line_up[other], game.public, game.own[decider], choice, rules, settings)
        if 0 <= index < choice.count:
            key = foretold(game, rules, choice.moves[index])
            lookahead.foreseen[decider, OTHERS if net else NETS, key] += 1

    return foretell


@kernel
def note_foreseen(game, rules, seat):
    """Store the predictions for each rival in the memory of the seat."""
    lookahead, own = game.lookahead, game.own[seat]
    for rival in range(rules.seats):
        if rival == seat:
            continue
        nets, others = 0, 0
        for key in range(KEYS):
            nets += lookahead.foreseen[rival, NETS, key]
            others += lookahead.foreseen[rival, OTHERS, key]
        note, left_nets, left_others = 0, nets, others
        for _ in range(_NAMED):
            best, most = KEYS - 1, 0  # which is nothing
            for key in range(KEYS):
                often = lookahead.foreseen[rival, NETS, key] * others + lookahead.foreseen[rival, OTHERS, key] * nets
                if often > most:
                    best, most = key, often
            of_nets, of_others = lookahead.foreseen[rival, NETS, best], lookahead.foreseen[rival, OTHERS, best]
            step = _step(of_nets, of_others, others, nets, 0.125)
            note = (note << _STEP_BITS | step) << _KEY_BITS | best
            left_nets, left_others = left_nets - of_nets, left_others - of_others
            lookahead.foreseen[rival, NETS, best] = lookahead.foreseen[rival, OTHERS, best] = 0
        note = note << _STEP_BITS | _step(left_nets, left_others, others, nets, 0.5)
        own.memory[_place(seat, rival)] += float(note << _ODDS_BITS)
    own.memory[_WHEN] = lookahead.when
