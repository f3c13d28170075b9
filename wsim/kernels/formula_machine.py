"""Formulas in play: a small stack machine that runs their words (``formula_words``) for any game.

A result beyond MAX_RESULT propagates: everything computed from it is that same number, so nothing overflows, and the
game stops only if it is the final result of the formula. A branch that an ``if`` does not choose may have any value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wsim.jit import kernel, stack_room
from wsim.kernels.formula_words import DEPTH, HANDED, MAX_RESULT, OPERATION
from wsim.kernels.guards import stop_game
from wsim.limits import FORMULA

_room = stack_room("formula.stack", np.int64, DEPTH + HANDED)
_END, _LAST_LEAF = OPERATION["end"], OPERATION["last"]
_NEG, _NOT, _ABS, _PICK, _CALL, _ORDERED = (OPERATION[name] for name in ("neg", "not", "abs", "if", "call", "ordered"))
_ADD, _SUB, _MUL, _DIV, _MOD = (OPERATION[name] for name in ("+", "-", "*", "//", "%"))
_LT, _LE, _EQ, _NE, _GT, _GE = (OPERATION[name] for name in ("<", "<=", "==", "!=", ">", ">="))
_AND, _OR, _MIN = (OPERATION[name] for name in ("and", "or", "min"))


@kernel
def combined(operation, a, b):
    """Return the result of an operation on two numbers; if one is beyond MAX_RESULT, that number."""
    if abs(a) > MAX_RESULT:
        return a
    if abs(b) > MAX_RESULT:
        return b
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
def check_result(value, owner, begin):
    """Stop a game in which the result of a formula exceeds the limit."""
    if abs(value) > MAX_RESULT:
        stop_game(FORMULA, owner, begin, value, MAX_RESULT if value > 0 else -MAX_RESULT)


@kernel
def no_functions(seen, rules, stack, first, operand, owner, other):
    """Default hook for the formulas of a game without functions in files."""
    return 0


@kernel
def no_orders(seen, rules, operand, low, high, owner, other):
    """Default hook for the formulas of a game whose cards have no order."""
    return 0


def machine(leaf: Any, called: Any = no_functions, ordered: Any = no_orders) -> Any:
    """Return the kernel that evaluates a formula: (seen, rules, at, owner, other) -> an int64.

    Parameters
    ----------
    leaf: (seen, rules, operation, operand, owner, other) -> a number, the value of a name, or 1 for a card that is
        there.
    called: (seen, rules, stack, first, operand, owner, other) -> what a function of a file returns.
    ordered: (seen, rules, operand, low, high, owner, other) -> how many cards of a set have a number in the order of
        building from low to high.
    """

    @kernel(rare=True)
    def evaluate(seen, rules, at, owner, other):
        """Return the value of the formula at an offset of the code, for a city and the second city that it refers
        to."""
        stack = _room()
        top, begin = -1, at
        while True:
            word = np.int64(rules.code[at])
            operation, operand = word & 0xFF, word >> 8
            at += 1
            if operation == _END:
                check_result(stack[0], owner, begin)
                return stack[0]
            if operation <= _LAST_LEAF:
                top += 1
                stack[top] = leaf(seen, rules, operation, operand, owner, other)
            elif operation == _NEG:
                stack[top] = -stack[top]
            elif operation == _NOT:
                stack[top] = 1 - stack[top] if abs(stack[top]) <= MAX_RESULT else stack[top]
            elif operation == _ABS:
                stack[top] = abs(stack[top])
            elif operation == _PICK:  # if true, if false, the condition
                top -= 2
                if abs(stack[top + 2]) > MAX_RESULT:
                    stack[top] = stack[top + 2]
                elif stack[top + 2] == 0:
                    stack[top] = stack[top + 1]
            elif operation == _CALL:
                top += 1 - (operand & 7)
                for place in range(operand & 7):
                    check_result(stack[top + place], owner, begin)
                stack[top] = called(seen, rules, stack, top, operand, owner, other)
            elif operation == _ORDERED:
                top -= 1
                low, high = stack[top], stack[top + 1]
                stack[top] = low if abs(low) > MAX_RESULT else high
                if abs(stack[top]) <= MAX_RESULT:
                    stack[top] = ordered(seen, rules, operand, low, high, owner, other)
            else:
                top -= 1
                stack[top] = combined(operation, stack[top], stack[top + 1])

    return evaluate
