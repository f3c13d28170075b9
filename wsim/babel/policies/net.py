"""``net``: the move of the highest learned value: what it adds to the utility of the game, as self-play taught it.

A small net (two layers, kernels/net_layout.py) values each legal move. Its inputs are ``net_inputs`` and ``net_moves``;
what it was learned from is told in docs/learning.md. Of equal moves each is equally likely: the wonders differ by name
only, and a rule such as "the first one" would make them differ in play.
"""

from __future__ import annotations

import numpy as np

from wsim.babel.kernels.layout import MOVES
from wsim.babel.kernels.net_layout import MOVE_NUMBERS, NARROW, STATE_NUMBERS, WIDTH
from wsim.babel.policies.net_inputs import fill_standing, fill_state
from wsim.babel.policies.net_moves import fill_moves
from wsim.babel.words import SEATS
from wsim.jit import kernel, stack_room
from wsim.policies.net_layers import AT_ONCE, layers
from wsim.rng import below

__all__ = ["net_policy", "net_values"]

_layers = layers(WIDTH, NARROW, MOVE_NUMBERS)
_add_rows, _value = _layers.add_rows, _layers.value
_INPUTS = max(STATE_NUMBERS, MOVE_NUMBERS) + AT_ONCE
_NONE = np.float32(0.0)

_values_room = stack_room("net.values", np.float64, MOVES)
_numbers_room = stack_room("net.numbers", np.float32, MOVES, MOVE_NUMBERS)
_learned_room = stack_room("net.learned", np.float32, MOVES)
_standing_room = stack_room("net.standing", np.int64, SEATS)
_state_room = stack_room("net.state", np.float32, STATE_NUMBERS)
_rows_room = stack_room("net.rows", np.int64, _INPUTS)
_amounts_room = stack_room("net.amounts", np.float32, _INPUTS)
_first_room = stack_room("net.first", np.float32, WIDTH)
_layer_room = stack_room("net.layer", np.float32, WIDTH)
_second_room = stack_room("net.second", np.float32, NARROW)


@kernel
def _sum_state(public, own, choice, rules, net, standing, first):
    """Sum the first layer of the state."""
    x, rows, amounts = _state_room(), _rows_room(), _amounts_room()
    numbers, count = fill_state(public, own, choice, rules, standing, x), 0
    for i in range(numbers):
        if x[i] != _NONE:
            rows[count], amounts[count] = i, x[i]
            count += 1
    for k in range(WIDTH):
        first[k] = net.bias[k]
    _add_rows(net, rows, amounts, count, first)


@kernel
def net_values(public, own, choice, rules, settings, learned):
    """Fill the learned value of each legal move."""
    net, values, numbers, standing = settings.net, _values_room(), _numbers_room(), _standing_room()
    fill_standing(public, own, rules, standing)
    fill_moves(public, own, choice, rules, settings, standing, values, numbers)
    first, layer, second, rows, amounts = _first_room(), _layer_room(), _second_room(), _rows_room(), _amounts_room()
    _sum_state(public, own, choice, rules, net, standing, first)
    for j in range(choice.count):
        for k in range(WIDTH):
            layer[k] = first[k]
        count = 0
        for i in range(MOVE_NUMBERS):
            if numbers[j, i] != _NONE:
                rows[count], amounts[count] = STATE_NUMBERS + i, numbers[j, i]
                count += 1
        _add_rows(net, rows, amounts, count, layer)
        learned[j] = _value(net, numbers, j, layer, second)


@kernel
def net_policy(public, own, choice, rules, settings):
    """Return the move of the highest learned value, one of several at random."""
    learned = _learned_room()
    net_values(public, own, choice, rules, settings, learned)
    best, equal = 0, 1
    for index in range(1, choice.count):
        if learned[index] > learned[best]:
            best, equal = index, 1
        elif learned[index] == learned[best]:
            equal += 1
            if below(own, equal) == 0:
                best = index
    return best
