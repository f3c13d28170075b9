"""Formulas of the card file in play: one small machine that runs their words (R52, words.OPERATIONS)."""

from __future__ import annotations

import numpy as np

from wsim.jit import call_slot, count_bits, kernel, stack_room
from wsim.wonders.words import (
    AGES,
    CITY_NAMES,
    COLOR_KINDS,
    DEPTH,
    HANDED,
    NAME_NUMBER,
    OPERATION,
    RESOURCE_KINDS,
    SYMBOL_KINDS,
)

_room = stack_room("formula.stack", np.int64, DEPTH + HANDED)
_ONE, _BYTE = np.uint64(1), np.uint64(0xFF)
_SYMBOL, _RESOURCE = NAME_NUMBER["compass"], NAME_NUMBER["clay"]
_CARDS, _STAGES, _ALL_STAGES = NAME_NUMBER["cards"], NAME_NUMBER["stages"], NAME_NUMBER["all_stages"]
_COINS, _SHIELDS, _VICTORY = NAME_NUMBER["coins"], NAME_NUMBER["shields"], NAME_NUMBER["victory_tokens"]
_DEFEATS, _DEBTS, _DIPLOMACY = NAME_NUMBER["defeat_tokens"], NAME_NUMBER["debts"], NAME_NUMBER["diplomacy_tokens"]
_CHAINS, _AGE, _TURN = NAME_NUMBER["chains"], NAME_NUMBER["age"], NAME_NUMBER["turn"]
_PLAYERS = NAME_NUMBER["players"]
_SOLD, _PAID, _LOST, _FREE = (NAME_NUMBER[name] for name in ("sold", "trade_paid", "coins_lost", "free_builds"))
_FREE_TOKENS, _PRICE = NAME_NUMBER["free_build_tokens"], NAME_NUMBER["left_raw_price"]
_END, _NUMBER, _NAME, _CARD, _CARD_SET = (OPERATION[name] for name in ("end", "number", "name", "card", "cards"))
_NEG, _NOT, _ABS, _PICK, _CALL = (OPERATION[name] for name in ("neg", "not", "abs", "if", "call"))
_ADD, _SUB, _MUL, _DIV, _MOD = (OPERATION[name] for name in ("+", "-", "*", "//", "%"))
_LT, _LE, _EQ, _NE, _GT, _GE = (OPERATION[name] for name in ("<", "<=", "==", "!=", ">", ">="))
_AND, _OR, _MIN = (OPERATION[name] for name in ("and", "or", "min"))


@kernel
def of_table(public, rules, name):
    """Return what a formula asks of the table, or of a purchase: of one that is still to come, a unit's full price."""
    if name == _AGE:
        return public.age + 1
    if name == _TURN:
        return public.turn + 1
    if name == _PLAYERS:
        return rules.players
    return public.purchase if public.purchase else rules.trade_price


@kernel
def of_city(public, rules, seat, name):
    """Return what a formula asks of a city (words.CITY_NAMES)."""
    if name < COLOR_KINDS:
        return np.int64(public.colors[seat, name])
    if name < _RESOURCE:
        return np.int64(public.symbols[seat, name - _SYMBOL + 1])
    if name < _RESOURCE + RESOURCE_KINDS:
        return np.int64((public.reach[seat] >> np.uint64(8 * (name - _RESOURCE))) & _BYTE)
    if name == _CARDS:
        cards = 0
        for color in range(COLOR_KINDS):
            cards += public.colors[seat, color]
        return np.int64(cards)
    if name == _STAGES:
        return np.int64(public.stages[seat])
    if name == _ALL_STAGES:
        return np.int64(rules.stage_count[public.side[seat]])
    if name == _COINS:
        return np.int64(public.coins[seat])
    if name == _SHIELDS:
        return np.int64(public.shields[seat])
    if name == _VICTORY:
        return np.int64(public.victory[seat, 0] + public.victory[seat, 1] + public.victory[seat, 2])
    if name <= _VICTORY + AGES:
        return np.int64(public.victory[seat, name - _VICTORY - 1])
    if name == _DEFEATS:
        return np.int64(public.defeats[seat])
    if name == _DEBTS:
        return np.int64(public.debts[seat])
    if name == _DIPLOMACY:
        return np.int64(public.diplomacy[seat])
    if name == _CHAINS:
        return np.int64(public.built_chain[seat])
    if name <= _PAID:
        return np.int64(public.sold[seat] if name == _SOLD else public.trade_paid[seat])
    if name <= _LOST:
        return np.int64(public.coins_lost[seat] if name == _LOST else public.trade_received[seat])
    if name <= _FREE + 1:
        return np.int64(public.built_free[seat] if name == _FREE else public.built_discard[seat])
    return np.int64(public.free_tokens[seat] if name == _FREE_TOKENS else public.price[seat, name - _PRICE])


@kernel
def leaf(public, rules, operation, operand, owner, other):
    """Return a number, what a name stands for, 1 for a card that the city has, or how many of a set it has."""
    if operation == _NUMBER:
        return operand
    whose, name = operand & 3, operand >> 2
    if operation == _NAME and name >= len(CITY_NAMES):
        return of_table(public, rules, name)
    city = other if whose == 1 else owner
    if whose == 2:
        city = owner + 1 if owner + 1 < public.seats else 0
    elif whose == 3:
        city = owner - 1 if owner > 0 else public.seats - 1
    if operation == _CARD:
        return np.int64((public.built[city, name >> 6] >> np.uint64(name & 63)) & _ONE)
    if operation == _CARD_SET:
        counted = count_bits(public.built[city, 0] & rules.card_sets[name, 0])
        return np.int64(counted + count_bits(public.built[city, 1] & rules.card_sets[name, 1]))
    return of_city(public, rules, city, name)


@kernel
def combined(operation, a, b):
    """Return what an operation makes of two numbers."""
    if operation <= _MOD:
        if operation == _ADD:
            return a + b
        if operation == _SUB:
            return a - b
        if operation == _MUL:
            return a * b
        return a // b if operation == _DIV else a % b
    if operation >= _AND:
        if operation == _AND:
            return a & b
        if operation == _OR:
            return a | b
        return min(a, b) if operation == _MIN else max(a, b)
    if operation <= _EQ:
        holds = a < b if operation == _LT else (a <= b if operation == _LE else a == b)
    else:
        holds = a != b if operation == _NE else (a > b if operation == _GT else a >= b)
    return 1 if holds else 0


@kernel
def called(public, rules, stack, first, operand, owner, other):
    """Return what a function of a file returns for the numbers on the stack from ``first`` on (catalog.effect_file)."""
    count = operand & 7
    for place in range(count, HANDED):
        stack[first + place] = 0
    return call_slot(
        operand >> 3, public, rules, owner, other,
        stack[first], stack[first + 1], stack[first + 2], stack[first + 3],
    )  # fmt: skip


@kernel(rare=True)
def evaluate(public, rules, at, owner, other):
    """Return what the formula at a place of the code comes to for a city and the other one that it speaks of."""
    stack = _room()
    top = -1
    while True:
        word = np.int64(rules.code[at])
        operation, operand = word & 0xFF, word >> 8
        at += 1
        if operation == _END:
            return stack[0]
        if operation <= _CARD_SET:
            top += 1
            stack[top] = leaf(public, rules, operation, operand, owner, other)
        elif operation == _NEG:
            stack[top] = -stack[top]
        elif operation == _NOT:
            stack[top] = 1 - stack[top]
        elif operation == _ABS:
            stack[top] = abs(stack[top])
        elif operation == _PICK:  # if true, if false, the condition
            top -= 2
            if stack[top + 2] == 0:
                stack[top] = stack[top + 1]
        elif operation == _CALL:
            top += 1 - (operand & 7)
            stack[top] = called(public, rules, stack, top, operand, owner, other)
        else:
            top -= 1
            stack[top] = combined(operation, stack[top], stack[top + 1])


assert _SYMBOL + SYMBOL_KINDS - 1 == _RESOURCE
