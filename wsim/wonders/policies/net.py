"""``net``: the move with the highest value, learned from self-play.

A small net (``wsim.kernels.net_layers``) rates the candidate moves by how much each adds to the utility of the game
compared with the others. Its inputs are ``net_inputs`` and sets of cards and stages; docs/learning.md describes its
training.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit, stack_room
from wsim.kernels.net_layers import NetHooks, net_of
from wsim.wonders.kernels.layout import CHOICES, NOBODY
from wsim.wonders.kernels.moves import action_of, amount_of, card_of
from wsim.wonders.kernels.net_layout import (
    CARD_ROLES,
    FURTHER_AT,
    FURTHER_OF_MOVE,
    FURTHER_WORDS,
    SIZES,
    STAGE_ROLES,
    STAGE_ROWS,
    STAGES_IN_ALL,
)
from wsim.wonders.policies.net_further import MOST_FURTHER, has_further, list_decision, list_further
from wsim.wonders.policies.net_inputs import (
    MAX_CANDIDATES,
    coming_names,
    fill_moves,
    fill_state,
    hand_names,
    list_candidates,
)
from wsim.wonders.policies.points import next_stage
from wsim.wonders.policies.weighted import best_amount, best_effect
from wsim.wonders.words import (
    BUILD,
    CARD_WORDS,
    CARDS,
    DECLINE,
    DISCARD_PILE,
    EFFECT,
    HAND,
    SEATS,
    SELL,
    STAGE,
    STAGE_ENTRY,
)

_HAND, _COMING, _BUILT, _BUILD, _BURY, _SELL, _PILE, _CITY_BUILD, _CITY_LEAVE = range(len(CARD_ROLES))
_NEXT, _LATER, _STAGE = range(len(STAGE_ROLES))
_BIT, _ZERO = np.uint64(1), np.uint64(0)
_further_room = stack_room("net.further", np.int64, MOST_FURTHER)


@kernel
def _fill(public, own, choice, rules, settings, values, places, count, state, moves):
    fill_moves(public, own, choice, rules, settings, values, places, count, moves)
    fill_state(public, own, choice, rules, state)


@kernel
def _list_cards(role, names, word, rows, count):
    """Add a set of cards to the list of items; return its length."""
    while names:
        rows[count] = role * CARDS + 64 * word + lowest_bit(names)
        names &= names - _BIT
        count += 1
    return count


@kernel
def _list_items(public, own, choice, rules, rows):
    """List the cards and stages of the state; return their number."""
    count = 0
    for word in range(CARD_WORDS):
        count = _list_cards(_HAND, hand_names(public, own, rules, word), word, rows, count)
        count = _list_cards(_COMING, coming_names(public, own, rules, word), word, rows, count)
        count = _list_cards(_BUILT, public.built[own.seat, word], word, rows, count)
    side, stages = public.side[own.seat], public.stages[own.seat]
    for stage in range(stages, rules.stage_count[side]):
        role = _NEXT if stage == stages else _LATER
        rows[count] = STAGE_ROWS + role * STAGES_IN_ALL + rules.stage_entry[side, stage] - STAGE_ENTRY
        count += 1
    return count


@kernel
def _card_role(choice, own, action):
    if choice.seat != own.seat:
        return _CITY_BUILD if action == BUILD else _CITY_LEAVE
    if action == BUILD:
        return _PILE if choice.kind == DISCARD_PILE else _BUILD
    return _SELL if action == SELL else _BURY


@kernel
def _list_items_of_move(public, own, choice, rules, index, rows):
    """List the card and the stage of a move, or the card or city chosen in a decision; return their number."""
    move = choice.moves[index]
    action, count = action_of(move), 0
    if choice.kind == EFFECT:
        return list_decision(public, own, rules, move, rows)
    if action != DECLINE:
        rows[0] = _card_role(choice, own, action) * CARDS + card_of(move)
        count = 1
    if action == STAGE and choice.seat == own.seat:
        stage = next_stage(public, rules, choice.seat)
        rows[count] = STAGE_ROWS + _STAGE * STAGES_IN_ALL + stage - STAGE_ENTRY
        count += 1
    return count


@kernel
def _describe_further(public, own, rules, state):
    """Write the further rows of the state."""
    rows = _further_room()
    for word in range(FURTHER_WORDS):
        state.further[word] = _ZERO
    for place in range(list_further(public, own, rules, rows)):
        row = rows[place] - FURTHER_AT
        state.further[row >> 6] |= _BIT << np.uint64(row & 63)


@kernel
def _describe_decision(public, own, rules, move, moves, j):
    """Write the rows of a move in a clause decision."""
    rows = _further_room()
    count, further = list_decision(public, own, rules, move, rows), 0
    for place in range(count):
        if rows[place] < FURTHER_AT:
            moves[j].role, moves[j].card = rows[place] // CARDS, rows[place] % CARDS
        else:
            moves[j].further[further] = rows[place] - FURTHER_AT
            further += 1


@kernel
def _describe_items(public, own, choice, rules, state, moves, places):
    """Write the sets of cards, the stages, and for each move its card and the use of it."""
    for word in range(CARD_WORDS):
        state.sets[_HAND, word] = hand_names(public, own, rules, word)
        state.sets[_COMING, word] = coming_names(public, own, rules, word)
        state.sets[_BUILT, word] = public.built[own.seat, word]
    state.side, state.stages = public.side[own.seat], public.stages[own.seat]
    _describe_further(public, own, rules, state)
    for j in range(state.moves):
        move = choice.moves[places[j]]
        action = action_of(move)
        for place in range(FURTHER_OF_MOVE):
            moves[j].further[place] = NOBODY
        if choice.kind == EFFECT:
            moves[j].role, moves[j].card = NOBODY, 0
            _describe_decision(public, own, rules, move, moves, j)
            continue
        moves[j].role = NOBODY if action == DECLINE else _card_role(choice, own, action)
        moves[j].card = card_of(move)


NET_HOOKS = NetHooks(
    sizes=SIZES,
    choices=CHOICES,
    candidates=MAX_CANDIDATES,
    fill=_fill,
    list_moves=list_candidates,
    list_items=_list_items,
    most_items=4 * HAND * SEATS,  # 3 ages of built cards, hands
    list_items_of_move=_list_items_of_move,
    has_further=has_further,
    list_further=list_further,
    most_further=MOST_FURTHER,
    describe_items=_describe_items,
)
NET = net_of(NET_HOOKS)
net_values, _net_best = NET.values, NET.best


@kernel
def net_policy(public, own, choice, rules, settings):
    """Return the move that the net rates highest. Clause decisions (R72) are left to the values of ``weighted`` if the
    net was not trained on them, and so are amounts, which the inputs do not distinguish."""
    if choice.kind == EFFECT and choice.seat != own.seat:
        return 0
    if choice.kind == EFFECT and settings.net.decides == 0:
        return best_effect(public, settings, choice, rules)
    best = _net_best(public, own, choice, rules, settings)
    if choice.kind == EFFECT and amount_of(choice.moves[best]):
        return best_amount(public, settings, choice, rules, best)
    return best
