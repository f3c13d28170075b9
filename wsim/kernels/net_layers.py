"""The kernels of every game's policy ``net``: a small net that values the legal moves of a decision.

The first layer is a sum of rows, one for each nonzero input, times the input. The rows of the state are summed once per
decision; a move then adds its own few rows. A second layer of rectified units and a direct path from the move's inputs
give its value. Inputs, weights and the units between the layers are short integers (how they are rounded:
``wsim.policies.net_integers``), and integer sums do not depend on their order, so games are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wsim.jit import entry_point, kernel, padded, products, rectified, rounding, stack_room, sums_of_rows
from wsim.kernels.heads import Types, in_lines

INPUT_BITS = 10
"""Bits of the fraction of an input: numbers are rounded to multiples of 1/1024 and clipped to +-32."""
_NONE = np.float32(0.0)


@dataclass(frozen=True)
class Sizes:
    """The sizes of a game's net, and the dtypes of its weights and inputs.

    Attributes
    ----------
    width, narrow: units of the first layer, an even number, and of the second one.
    state_numbers, move_numbers: numbers of a state, and of a move.
    item_rows: rows of the first layer for further inputs, such as one for each card; they follow those of the numbers.
    """

    width: int
    narrow: int
    state_numbers: int
    move_numbers: int
    item_rows: int = 0

    def shapes(self, items: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        """Return the arrays of a net and their shapes; ``items``: shapes of the item arrays without the width."""
        return {
            "bias": (self.width,),
            "of_number": (self.state_numbers, self.width),
            **{name: (*shape, self.width) for name, shape in items.items()},
            "of_move": (self.move_numbers, self.width),
            "second": (self.width, self.narrow),
            "second_bias": (self.narrow,),
            "last": (self.narrow,),
            "straight": (self.move_numbers,),
        }

    @property
    def net(self) -> np.dtype[Any]:
        """The record of a net, as kernels read it: weights as scaled integers (``wsim.policies.net_integers``)."""
        return in_lines(
            ("bias", "i4", (self.width,)),
            # what one of each input adds to the first layer, those of two inputs side by side
            ("of_number", "i2", ((self.state_numbers + 1) // 2, self.width, 2)),
            ("of_move", "i2", ((self.move_numbers + 1) // 2, self.width, 2)),
            ("of_item", "i2", (max(self.item_rows, 1), self.width)),
            ("second", "i2", (self.width // 2, self.narrow, 2)),
            ("second_bias", "i4", (self.narrow,)),
            ("last", "i4", (self.narrow,)),
            ("straight", "i4", (self.move_numbers,)),  # from the numbers of a move to its value
            ("item_shift", "i8"),  # bits by which the unit of items is coarser than that of the first layer
            ("first_shift", "i8"),  # by which that of the second layer's inputs is
            ("unit", "f8"),  # of a value
            ("decides", "i8"),  # 1: inputs of moves that nets do not know at first were learned (NetSpec.deciding)
        )

    def state(self, *items: Any) -> np.dtype[Any]:
        """Return the record of a decision as seen by a net, with fields for its items."""
        numbers, moves = ("numbers", "f4", (self.state_numbers,)), ("moves", "i4")  # how many MOVE records are its own
        return np.dtype([numbers, *items, moves], align=True)

    def move(self, *items: Any) -> np.dtype[Any]:
        """Return the record of a move as seen by a net; ``worth`` is its value according to playouts."""
        return np.dtype([*items, ("numbers", "f4", (self.move_numbers,)), ("worth", "f4")], align=True)


@kernel
def every_move(public, own, choice, rules, settings, values, places):
    """Default hook: list all legal moves, for a game whose net values each of them."""
    for index in range(choice.count):
        places[index] = index
    return choice.count


@kernel
def no_items(public, own, choice, rules, rows):
    """Default hook: list no items of the state."""
    return 0


@kernel
def no_items_of_move(public, own, choice, rules, index, rows):
    """Default hook: list no items of a move."""
    return 0


@kernel
def no_further_items(rules):
    """Default hook: the rules have no further items."""
    return False


@kernel
def no_further_rows(public, own, rules, rows):
    """Default hook: list no further items of the state."""
    return 0


@kernel
def nothing_described(public, own, choice, rules, state, moves, places):
    """Default hook: write no items."""


@dataclass(frozen=True)
class NetHooks:
    """What each game provides: sizes, and kernels.

    Attributes
    ----------
    choices, candidates: legal moves, and candidate moves, that a decision may have.
    fill: (public, own, choice, rules, settings, values, places, count, state, moves) -> fills the numbers of the state,
        and a row of numbers for each candidate. They are 0 where it fills nothing, and ``values`` is what
        ``list_moves`` left there.
    list_moves: (public, own, choice, rules, settings, values, places) -> lists the indices of the candidate moves;
        returns how many there are. ``values`` is room for what ``weighted`` says of each legal move.
    list_items: (public, own, choice, rules, rows) -> lists the rows of the state's items, each once; returns how many
        they are. most_items: how many that may be, of a state or a move.
    list_items_of_move: (public, own, choice, rules, index, rows) -> lists those of a move.
    has_further: (rules) -> whether the state may have further items: those that few rules have. Their list has room of
        its own, so that others do not pay for it.
    list_further: (public, own, rules, rows) -> lists their rows; returns how many. most_further: how many that may be.
    describe_items: (public, own, choice, rules, state, moves, places) -> writes the items into records that are learned
        from: of the state, and of the moves ``places``, ``state.moves`` in all.
    """

    sizes: Sizes
    choices: int
    candidates: int
    fill: Any
    list_moves: Any = every_move
    list_items: Any = no_items
    most_items: int = 0
    list_items_of_move: Any = no_items_of_move
    has_further: Any = no_further_items
    list_further: Any = no_further_rows
    most_further: int = 0
    describe_items: Any = nothing_described


class Net(NamedTuple):
    """Kernels.

    Attributes
    ----------
    values: (public, own, choice, rules, settings, places, learned) -> fills the indices of the candidate moves and
        the learned value of each (of a single one 0); returns how many there are.
    best: (public, own, choice, rules, settings) -> the index of the move of the highest value, the first of equals.
    describe: (public, own, choice, rules, settings, state, moves, places) -> fills the record of the decision, those of
        the candidate moves (``worth``: their learned values) and their indices; returns how many there are.
    """

    values: Any
    best: Any
    describe: Any


def valuing(hooks: NetHooks) -> Any:
    """Return the kernel of the layers: (public, own, choice, rules, net, places, count, x, numbers, learned)."""
    sizes = hooks.sizes
    width, narrow, state_numbers, move_numbers = sizes.width, sizes.narrow, sizes.state_numbers, sizes.move_numbers
    list_items, list_items_of_move = hooks.list_items, hooks.list_items_of_move
    has_further, list_further = hooks.has_further, hooks.list_further
    assert width % 2 == 0
    round_state, round_move = (rounding(count, 1 << INPUT_BITS) for count in (state_numbers, move_numbers))
    multiply_state, multiply_move = products(state_numbers, width), products(move_numbers, width)
    add_items, rectify, multiply_second = sums_of_rows(width), rectified(width), products(width, narrow)
    rows_room = stack_room("net.rows", np.int64, max(hooks.most_items, 1))
    further_room = stack_room("net.further_rows", np.int64, max(hooks.most_further, 1))
    of_state_room = stack_room("net.of_state", np.int16, padded(state_numbers))
    of_move_room = stack_room("net.of_move", np.int16, padded(move_numbers))
    first_room = stack_room("net.first", np.int32, width)
    layer_room = stack_room("net.layer", np.int32, width)
    active_room = stack_room("net.active", np.int16, padded(width))
    second_room = stack_room("net.second", np.int32, narrow)

    @kernel
    def last(net, of_move, second):
        """Return the value computed by the second layer from the numbers of a move."""
        found = np.int64(0)
        for k in range(narrow):
            found += np.int64(max(second[k], 0)) * np.int64(net.last[k])
        for i in range(move_numbers):
            found += np.int64(of_move[i]) * np.int64(net.straight[i])
        return np.float32(found * net.unit)

    @kernel(rare=True)
    def add_further(public, own, rules, net, first):
        """Add the further items of the state."""
        rows = further_room()
        add_items(net.of_item, rows, list_further(public, own, rules, rows), net.item_shift, first)

    @kernel
    def value(public, own, choice, rules, net, places, count, x, numbers, learned):
        """Fill the learned value of each of the candidate moves, from the numbers of the state and of the moves."""
        rows, first, layer, second = rows_room(), first_room(), layer_room(), second_room()
        of_state, of_move, active = of_state_room(), of_move_room(), active_room()
        round_state(x, of_state)
        multiply_state(net.bias, of_state, net.of_number, first)
        add_items(net.of_item, rows, list_items(public, own, choice, rules, rows), net.item_shift, first)
        if has_further(rules):
            add_further(public, own, rules, net, first)
        for j in range(count):
            round_move(numbers[j], of_move)
            multiply_move(first, of_move, net.of_move, layer)
            listed = list_items_of_move(public, own, choice, rules, places[j], rows)
            add_items(net.of_item, rows, listed, net.item_shift, layer)
            rectify(layer, net.first_shift, active)
            multiply_second(net.second_bias, active, net.second, second)
            learned[j] = last(net, of_move, second)

    return value


def net_of(hooks: NetHooks) -> Net:
    """Return the kernels of a game's net."""
    state_numbers, move_numbers, candidates = hooks.sizes.state_numbers, hooks.sizes.move_numbers, hooks.candidates
    fill, list_moves, describe_items, value = hooks.fill, hooks.list_moves, hooks.describe_items, valuing(hooks)
    values_room = stack_room("net.values", np.float64, hooks.choices)
    places_room = stack_room("net.places", np.int64, candidates)
    numbers_room = stack_room("net.numbers", np.float32, candidates, move_numbers)
    learned_room = stack_room("net.learned", np.float32, candidates)
    state_room = stack_room("net.state", np.float32, state_numbers)

    @kernel
    def number(public, own, choice, rules, settings, policy_values, places, count, x, numbers):
        """Fill the numbers of the state and of the candidate moves."""
        for i in range(state_numbers):
            x[i] = _NONE
        for j in range(count):
            for i in range(move_numbers):
                numbers[j, i] = _NONE
        fill(public, own, choice, rules, settings, policy_values, places, count, x, numbers)

    @kernel
    def values(public, own, choice, rules, settings, places, learned):
        """Fill the indices of the candidate moves and the learned value of each; return how many there are."""
        policy_values, numbers, x = values_room(), numbers_room(), state_room()
        count = list_moves(public, own, choice, rules, settings, policy_values, places)
        if count == 1:
            learned[0] = _NONE
            return count
        number(public, own, choice, rules, settings, policy_values, places, count, x, numbers)
        value(public, own, choice, rules, settings.net, places, count, x, numbers, learned)
        return count

    @kernel
    def best(public, own, choice, rules, settings):
        """Return the move with the highest learned value; the first in case of ties."""
        places, learned = places_room(), learned_room()
        count, found = values(public, own, choice, rules, settings, places, learned), 0
        for j in range(1, count):
            if learned[j] > learned[found]:
                found = j
        return places[found]

    @kernel
    def describe_decision(public, own, choice, rules, settings, state, moves, places):
        """Fill the records of the decision and of the candidate moves, and their indices; return how many there are."""
        policy_values, numbers, learned = values_room(), numbers_room(), learned_room()
        count = list_moves(public, own, choice, rules, settings, policy_values, places)
        number(public, own, choice, rules, settings, policy_values, places, count, state.numbers, numbers)
        value(public, own, choice, rules, settings.net, places, count, state.numbers, numbers, learned)
        state.moves = count
        describe_items(public, own, choice, rules, state, moves, places)
        for j in range(count):
            moves[j].worth = learned[j]
            for i in range(move_numbers):
                moves[j].numbers[i] = numbers[j, i]
        return count

    return Net(values, best, describe_decision)


inner: Any = None  # what ``entry_point`` puts there


def describe(public, own, choice, rules, settings, state, moves, places):
    """Write the inputs of a net at a decision."""
    return inner(public, own, choice, rules, settings, state, moves, places)


def describing(net: Net, types: Types, state: np.dtype[Any], move: np.dtype[Any]) -> Any:
    """Return the entry point of ``Net.describe``, for records of these dtypes (``Sizes``)."""
    package = types.package.replace(".kernels", ".policies")
    return kernel(types.describing(state, move), package=package)(entry_point(describe, net.describe))
