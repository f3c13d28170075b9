"""``net``: the move of the highest learned value: what it adds to the utility of the game, as self-play taught it.

A small net (two layers, kernels/net_layout.py) values each move worth a look: which one leads to more wins and points
than the others here. Its inputs are ``net_inputs``; what it was learned from is told in docs/learning.md. The first
layer of the state is summed once a decision, a move then adds the rows of its card and its few numbers.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit, stack_room
from wsim.wonders.kernels.layout import CHOICES
from wsim.wonders.kernels.moves import action_of, card_of
from wsim.wonders.kernels.net_layout import CARD_ROLES, MOVE_NUMBERS, NARROW, STAGE_ROLES, STATE_NUMBERS, WIDTH
from wsim.wonders.policies.net_inputs import (
    MOST_CANDIDATES,
    coming_names,
    fill_moves,
    fill_state,
    hand_names,
    list_candidates,
)
from wsim.wonders.policies.points import next_stage
from wsim.wonders.words import BUILD, CARD_WORDS, DECLINE, DISCARD_PILE, SELL, STAGE, STAGE_ENTRY

__all__ = ["net_policy", "net_values"]

_HAND, _COMING, _BUILT, _BUILD, _BURY, _SELL, _PILE, _CITY_BUILD, _CITY_LEAVE = range(len(CARD_ROLES))
_NEXT, _LATER, _STAGE = range(len(STAGE_ROLES))
_ONE = np.uint64(1)
_NONE = np.float32(0.0)

_values_room = stack_room("net.values", np.float64, CHOICES)
_places_room = stack_room("net.places", np.int64, MOST_CANDIDATES)
_moves_room = stack_room("net.moves", np.float32, MOST_CANDIDATES, MOVE_NUMBERS)
_learned_room = stack_room("net.learned", np.float32, MOST_CANDIDATES)
_state_room = stack_room("net.state", np.float32, STATE_NUMBERS)
_first_room = stack_room("net.first", np.float32, WIDTH)
_layer_room = stack_room("net.layer", np.float32, WIDTH)
_second_room = stack_room("net.second", np.float32, NARROW)


@kernel
def _add_cards(net, role, names, word, layer):
    """Add what a set of cards is worth to the first layer."""
    while names:
        card = 64 * word + lowest_bit(names)
        names &= names - _ONE
        for j in range(WIDTH):
            layer[j] += net.of_card[role, card, j]


@kernel
def _sum_state(public, own, choice, rules, net, layer):
    """Sum the first layer for the state."""
    x = _state_room()
    count = fill_state(public, own, choice, rules, x)
    for j in range(WIDTH):
        layer[j] = net.bias[j]
    for i in range(count):
        v = x[i]
        if v != _NONE:
            for j in range(WIDTH):
                layer[j] += v * net.of_number[i, j]
    for word in range(CARD_WORDS):
        _add_cards(net, _HAND, hand_names(public, own, rules, word), word, layer)
        _add_cards(net, _COMING, coming_names(public, own, rules, word), word, layer)
        _add_cards(net, _BUILT, public.built[own.seat, word], word, layer)
    side = public.side[own.seat]
    for stage in range(public.stages[own.seat], rules.stage_count[side]):
        role = _NEXT if stage == public.stages[own.seat] else _LATER
        item = rules.stage_entry[side, stage] - STAGE_ENTRY
        for j in range(WIDTH):
            layer[j] += net.of_stage[role, item, j]


@kernel
def _card_role(choice, own, action):
    """Return the role that a card has in a move."""
    if choice.seat != own.seat:
        return _CITY_BUILD if action == BUILD else _CITY_LEAVE
    if action == BUILD:
        return _PILE if choice.kind == DISCARD_PILE else _BUILD
    return _SELL if action == SELL else _BURY


@kernel
def _value(net, numbers, j, layer, second):
    """Return the value of a candidate, whose first layer is summed but for the numbers of the move."""
    value = _NONE
    for i in range(MOVE_NUMBERS):
        v = numbers[j, i]
        if v != _NONE:
            value += v * net.straight[i]
            for k in range(WIDTH):
                layer[k] += v * net.of_move[i, k]
    for k in range(NARROW):
        second[k] = net.second_bias[k]
    for i in range(WIDTH):
        v = layer[i]
        if v > _NONE:
            for k in range(NARROW):
                second[k] += v * net.second[i, k]
    for k in range(NARROW):
        value += max(second[k], _NONE) * net.last[k]
    return value


@kernel
def net_values(public, own, choice, rules, settings, places, learned):
    """Fill the places of the moves worth a look and the learned value of each; return how many there are."""
    net = settings.net
    values, numbers = _values_room(), _moves_room()
    count = list_candidates(public, own, choice, rules, settings, values, places)
    fill_moves(public, own, choice, rules, settings, values, places, count, numbers)
    first, layer, second = _first_room(), _layer_room(), _second_room()
    _sum_state(public, own, choice, rules, net, first)
    stage = next_stage(public, rules, choice.seat) - STAGE_ENTRY
    for j in range(count):
        move = choice.moves[places[j]]
        action, card = action_of(move), card_of(move)
        if action == DECLINE:
            for k in range(WIDTH):
                layer[k] = first[k]
        else:
            role = _card_role(choice, own, action)
            for k in range(WIDTH):
                layer[k] = first[k] + net.of_card[role, card, k]
        if action == STAGE:
            for k in range(WIDTH):
                layer[k] += net.of_stage[_STAGE, stage, k]
        learned[j] = _value(net, numbers, j, layer, second)
    return count


@kernel
def net_policy(public, own, choice, rules, settings):
    """Return the move of the highest learned value, the first of equals."""
    places, learned = _places_room(), _learned_room()
    count = net_values(public, own, choice, rules, settings, places, learned)
    best = 0
    for j in range(1, count):
        if learned[j] > learned[best]:
            best = j
    return places[best]
