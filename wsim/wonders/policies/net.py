"""``net``: the move of the highest learned value: what it adds to the utility of the game, as self-play taught it.

A small net (two layers, kernels/net_layout.py) values each move worth a look: which one leads to more wins and points
than the others here. Its inputs are ``net_inputs``; what it was learned from is told in docs/learning.md. The first
layer of the state is summed once a decision, a move then adds the rows of its card and its few numbers.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit, stack_room
from wsim.policies.net_layers import layers
from wsim.wonders.kernels.layout import CHOICES
from wsim.wonders.kernels.moves import action_of, card_of
from wsim.wonders.kernels.net_layout import (
    CARD_ROLES,
    CARD_ROWS,
    MOVE_NUMBERS,
    MOVE_ROWS,
    NARROW,
    STAGE_ROLES,
    STAGE_ROWS,
    STAGES_IN_ALL,
    STATE_NUMBERS,
    WIDTH,
)
from wsim.wonders.policies.net_inputs import (
    MOST_CANDIDATES,
    coming_names,
    fill_moves,
    fill_state,
    hand_names,
    list_candidates,
)
from wsim.wonders.policies.points import next_stage
from wsim.wonders.words import BUILD, CARD_WORDS, CARDS, DECLINE, DISCARD_PILE, HAND, SEATS, SELL, STAGE, STAGE_ENTRY

__all__ = ["card_role", "net_policy", "net_values"]

_HAND, _COMING, _BUILT, _BUILD, _BURY, _SELL, _PILE, _CITY_BUILD, _CITY_LEAVE = range(len(CARD_ROLES))
_NEXT, _LATER, _STAGE = range(len(STAGE_ROLES))
_ONE = np.uint64(1)
_NONE, _WHOLE = np.float32(0.0), np.float32(1.0)
_INPUTS = (
    STATE_NUMBERS + 4 * HAND * SEATS
)  # room for the inputs of a state that are not 0: 3 ages of built cards, hands
_layers = layers(WIDTH, NARROW, MOVE_NUMBERS)
_add_rows, _value = _layers.add_rows, _layers.value

_values_room = stack_room("net.values", np.float64, CHOICES)
_places_room = stack_room("net.places", np.int64, MOST_CANDIDATES)
_numbers_room = stack_room("net.numbers", np.float32, MOST_CANDIDATES, MOVE_NUMBERS)
_learned_room = stack_room("net.learned", np.float32, MOST_CANDIDATES)
_state_room = stack_room("net.state", np.float32, STATE_NUMBERS)
_rows_room = stack_room("net.rows", np.int64, _INPUTS)
_amounts_room = stack_room("net.amounts", np.float32, _INPUTS)
_first_room = stack_room("net.first", np.float32, WIDTH)
_layer_room = stack_room("net.layer", np.float32, WIDTH)
_second_room = stack_room("net.second", np.float32, NARROW)


@kernel
def _list_cards(role, names, word, rows, amounts, count):
    """Add a set of cards to the list of inputs; return its length."""
    while names:
        rows[count] = CARD_ROWS + role * CARDS + 64 * word + lowest_bit(names)
        amounts[count] = _WHOLE
        names &= names - _ONE
        count += 1
    return count


@kernel
def _list_state(public, own, choice, rules, rows, amounts):
    """List the inputs of the state that are not 0; return how many there are."""
    x = _state_room()
    numbers = fill_state(public, own, choice, rules, x)
    count = 0
    for i in range(numbers):
        if x[i] != _NONE:
            rows[count], amounts[count] = i, x[i]
            count += 1
    for word in range(CARD_WORDS):
        count = _list_cards(_HAND, hand_names(public, own, rules, word), word, rows, amounts, count)
        count = _list_cards(_COMING, coming_names(public, own, rules, word), word, rows, amounts, count)
        count = _list_cards(_BUILT, public.built[own.seat, word], word, rows, amounts, count)
    side, stages = public.side[own.seat], public.stages[own.seat]
    for stage in range(stages, rules.stage_count[side]):
        role = _NEXT if stage == stages else _LATER
        rows[count] = STAGE_ROWS + role * STAGES_IN_ALL + rules.stage_entry[side, stage] - STAGE_ENTRY
        amounts[count] = _WHOLE
        count += 1
    return count


@kernel
def card_role(choice, own, action):
    """Return the role that a card has in a move."""
    if choice.seat != own.seat:
        return _CITY_BUILD if action == BUILD else _CITY_LEAVE
    if action == BUILD:
        return _PILE if choice.kind == DISCARD_PILE else _BUILD
    return _SELL if action == SELL else _BURY


@kernel
def _list_move(choice, own, stage, move, numbers, j, rows, amounts):
    """List the inputs of a move that are not 0; return how many there are."""
    action, count = action_of(move), 0
    if action != DECLINE:
        rows[0], amounts[0] = CARD_ROWS + card_role(choice, own, action) * CARDS + card_of(move), _WHOLE
        count = 1
    if action == STAGE and choice.seat == own.seat:
        rows[count], amounts[count] = STAGE_ROWS + _STAGE * STAGES_IN_ALL + stage - STAGE_ENTRY, _WHOLE
        count += 1
    for i in range(MOVE_NUMBERS):
        if numbers[j, i] != _NONE:
            rows[count], amounts[count] = MOVE_ROWS + i, numbers[j, i]
            count += 1
    return count


@kernel
def net_values(public, own, choice, rules, settings, places, learned):
    """Fill the places of the moves worth a look and the learned value of each; return how many there are."""
    net, values, numbers = settings.net, _values_room(), _numbers_room()
    count = list_candidates(public, own, choice, rules, settings, values, places)
    if count == 1:
        learned[0] = _NONE
        return count
    fill_moves(public, own, choice, rules, settings, values, places, count, numbers)
    first, layer, second, rows, amounts = _first_room(), _layer_room(), _second_room(), _rows_room(), _amounts_room()
    for k in range(WIDTH):
        first[k] = net.bias[k]
    _add_rows(net, rows, amounts, _list_state(public, own, choice, rules, rows, amounts), first)
    stage = next_stage(public, rules, choice.seat)
    for j in range(count):
        for k in range(WIDTH):
            layer[k] = first[k]
        inputs = _list_move(choice, own, stage, choice.moves[places[j]], numbers, j, rows, amounts)
        _add_rows(net, rows, amounts, inputs, layer)
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
