"""The kernels of every game's policy ``net``: a small net that values the legal moves of a decision.

The first layer is a sum of rows, one for each input that is not 0, times the input. That of the state is summed once a
decision; a move then adds its own few rows. A second layer of rectified units and a straight path from a move's own
numbers give its value. All sums have one order, so games are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wsim.jit import entrance, kernel, stack_room
from wsim.kernels.heads import Types

AT_ONCE = 4
"""Rows added in one pass over a layer: a third of the time of four passes. Lists of inputs need room for so many."""
_NONE = np.float32(0.0)


@dataclass(frozen=True)
class Sizes:
    """How large a game's net is, and the dtypes of what it is and reads.

    Attributes
    ----------
    width, narrow: units of the first layer (a multiple of ``AT_ONCE``), and of the second one.
    state_numbers, move_numbers: numbers of a state, and of a move.
    item_rows: rows of the first layer for further inputs, such as one for each card; they follow those of the numbers.
    """

    width: int
    narrow: int
    state_numbers: int
    move_numbers: int
    item_rows: int = 0

    def shapes(self, items: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        """Return the arrays of a net and their shapes; ``items``: those of the items, but for the width."""
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
    def first_item(self) -> int:
        """Where the rows of the items begin."""
        return self.state_numbers + self.move_numbers

    @property
    def net(self) -> np.dtype[Any]:
        """The record of a net, as kernels read it."""
        return np.dtype(
            [
                ("bias", "f4", (self.width,)),
                # what one of each input adds to the first layer: numbers of the state, of a move, items
                ("rows", "f4", (self.first_item + self.item_rows, self.width)),
                ("second", "f4", (self.width, self.narrow)),
                ("second_bias", "f4", (self.narrow,)),
                ("last", "f4", (self.narrow,)),
                ("straight", "f4", (self.move_numbers,)),  # from the numbers of a move to its value
            ],
            align=True,
        )

    def state(self, *items: Any) -> np.dtype[Any]:
        """Return the record of a decision as a net sees it, with fields for its items."""
        numbers, moves = ("numbers", "f4", (self.state_numbers,)), ("moves", "i4")  # how many MOVE records are its own
        return np.dtype([numbers, *items, moves], align=True)

    def move(self, *items: Any) -> np.dtype[Any]:
        """Return the record of a move, likewise; ``worth`` is what playouts say of it."""
        return np.dtype([*items, ("numbers", "f4", (self.move_numbers,)), ("worth", "f4")], align=True)


@kernel
def every_move(public, own, choice, rules, settings, values, places):
    """List all legal moves: for a game whose net values each."""
    for index in range(choice.count):
        places[index] = index
    return choice.count


@kernel
def no_items(public, own, choice, rules, rows, amounts, count):
    """List no items of the state."""
    return count


@kernel
def no_items_of_move(public, own, choice, rules, index, rows, amounts):
    """List no items of a move."""
    return 0


@kernel
def nothing_described(public, own, choice, rules, state, moves, places):
    """Write no items."""


@dataclass(frozen=True)
class Parts:
    """What only the game knows: its sizes, and kernels.

    Attributes
    ----------
    choices, candidates: legal moves, and moves worth a look, that a decision may have.
    fill: (public, own, choice, rules, settings, values, places, count, state, moves) -> fills the numbers of the state,
        and a row of numbers for each candidate; returns how many the state has. They are 0 where it fills nothing, and
        ``values`` is what ``list_moves`` left there.
    list_moves: (public, own, choice, rules, settings, values, places) -> lists the indices of the moves worth a look;
        returns how many there are. ``values`` is room for what ``weighted`` says of each legal move.
    list_items: (public, own, choice, rules, rows, amounts, count) -> adds the rows of the state's items to a list of so
        many inputs, and how much of each; returns its length. most_items: how many that may be.
    list_items_of_move: (public, own, choice, rules, index, rows, amounts) -> begins a list with those of a move;
        returns its length.
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
    describe_items: Any = nothing_described


class Net(NamedTuple):
    """Kernels.

    Attributes
    ----------
    values: (public, own, choice, rules, settings, places, learned) -> fills the indices of the moves worth a look and
        the learned value of each (of a single one 0); returns how many there are.
    best: (public, own, choice, rules, settings) -> the index of the move of the highest value, the first of equals.
    describe: (public, own, choice, rules, settings, state, moves, places) -> fills the record of the decision, those of
        the moves worth a look and their indices; returns how many there are.
    """

    values: Any
    best: Any
    describe: Any


def _layers(sizes: Sizes) -> tuple[Any, Any]:
    """Return the kernels that add rows to a first layer, and that return the value of a move of which it is summed."""
    width, narrow, numbers_of_move = sizes.width, sizes.narrow, sizes.move_numbers
    assert width % AT_ONCE == 0

    @kernel
    def add_rows(net, rows, amounts, count, layer):
        while count % AT_ONCE:
            rows[count], amounts[count] = 0, _NONE
            count += 1
        for i in range(0, count, AT_ONCE):
            p, q, r, s = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
            a, b, c, d = amounts[i], amounts[i + 1], amounts[i + 2], amounts[i + 3]
            for k in range(width):
                layer[k] += (a * net.rows[p, k] + b * net.rows[q, k]) + (c * net.rows[r, k] + d * net.rows[s, k])

    @kernel
    def value(net, numbers, j, layer, second):
        for k in range(narrow):
            second[k] = net.second_bias[k]
        for i in range(0, width, AT_ONCE):
            a, b, c, d = (
                max(layer[i], _NONE), max(layer[i + 1], _NONE), max(layer[i + 2], _NONE), max(layer[i + 3], _NONE),
            )  # fmt: skip
            for k in range(narrow):
                second[k] += (a * net.second[i, k] + b * net.second[i + 1, k]) + (
                    c * net.second[i + 2, k] + d * net.second[i + 3, k]
                )
        found = _NONE
        for i in range(numbers_of_move):
            found += numbers[j, i] * net.straight[i]
        for k in range(narrow):
            found += max(second[k], _NONE) * net.last[k]
        return found

    return add_rows, value


def net_of(parts: Parts) -> Net:
    """Return the kernels of a game's net."""
    sizes, candidates = parts.sizes, parts.candidates
    width, state_numbers, move_numbers = sizes.width, sizes.state_numbers, sizes.move_numbers
    fill, list_moves = parts.fill, parts.list_moves
    list_items, list_items_of_move, describe_items = parts.list_items, parts.list_items_of_move, parts.describe_items
    add_rows, value = _layers(sizes)
    inputs = max(state_numbers + parts.most_items, move_numbers) + AT_ONCE
    values_room = stack_room("net.values", np.float64, parts.choices)
    places_room = stack_room("net.places", np.int64, candidates)
    numbers_room = stack_room("net.numbers", np.float32, candidates, move_numbers)
    learned_room = stack_room("net.learned", np.float32, candidates)
    state_room = stack_room("net.state", np.float32, state_numbers)
    rows_room = stack_room("net.rows", np.int64, inputs)
    amounts_room = stack_room("net.amounts", np.float32, inputs)
    first_room = stack_room("net.first", np.float32, width)
    layer_room = stack_room("net.layer", np.float32, width)
    second_room = stack_room("net.second", np.float32, sizes.narrow)

    @kernel
    def number(public, own, choice, rules, settings, said, places, count, x, numbers):
        """Fill the numbers of the state and of the moves worth a look; return how many the state has."""
        for i in range(state_numbers):
            x[i] = _NONE
        for j in range(count):
            for i in range(move_numbers):
                numbers[j, i] = _NONE
        return fill(public, own, choice, rules, settings, said, places, count, x, numbers)

    @kernel
    def sum_state(public, own, choice, rules, net, x, shown, rows, amounts, first):
        """Sum the first layer of the state, of which so many numbers are shown."""
        count = 0
        for i in range(shown):
            if x[i] != _NONE:
                rows[count], amounts[count] = i, x[i]
                count += 1
        count = list_items(public, own, choice, rules, rows, amounts, count)
        for k in range(width):
            first[k] = net.bias[k]
        add_rows(net, rows, amounts, count, first)

    @kernel
    def values(public, own, choice, rules, settings, places, learned):
        """Fill the indices of the moves worth a look and the learned value of each; return how many there are."""
        net, said, numbers = settings.net, values_room(), numbers_room()
        count = list_moves(public, own, choice, rules, settings, said, places)
        if count == 1:
            learned[0] = _NONE
            return count
        x, rows, amounts = state_room(), rows_room(), amounts_room()
        first, layer, second = first_room(), layer_room(), second_room()
        shown = number(public, own, choice, rules, settings, said, places, count, x, numbers)
        sum_state(public, own, choice, rules, net, x, shown, rows, amounts, first)
        for j in range(count):
            for k in range(width):
                layer[k] = first[k]
            listed = list_items_of_move(public, own, choice, rules, places[j], rows, amounts)
            for i in range(move_numbers):
                if numbers[j, i] != _NONE:
                    rows[listed], amounts[listed] = state_numbers + i, numbers[j, i]
                    listed += 1
            add_rows(net, rows, amounts, listed, layer)
            learned[j] = value(net, numbers, j, layer, second)
        return count

    @kernel
    def best(public, own, choice, rules, settings):
        """Return the move of the highest learned value, the first of equals."""
        places, learned = places_room(), learned_room()
        count, found = values(public, own, choice, rules, settings, places, learned), 0
        for j in range(1, count):
            if learned[j] > learned[found]:
                found = j
        return places[found]

    @kernel
    def describe_decision(public, own, choice, rules, settings, state, moves, places):
        """Fill the record of the decision, those of the moves worth a look and their indices; return how many."""
        said, numbers = values_room(), numbers_room()
        count = list_moves(public, own, choice, rules, settings, said, places)
        number(public, own, choice, rules, settings, said, places, count, state.numbers, numbers)
        state.moves = count
        describe_items(public, own, choice, rules, state, moves, places)
        for j in range(count):
            for i in range(move_numbers):
                moves[j].numbers[i] = numbers[j, i]
        return count

    return Net(values, best, describe_decision)


inner: Any = None  # what ``entrance`` puts there


def describe(public, own, choice, rules, settings, state, moves, places):
    """Write what a net sees at a decision."""
    return inner(public, own, choice, rules, settings, state, moves, places)


def describing(net: Net, types: Types, state: np.dtype[Any], move: np.dtype[Any]) -> Any:
    """Return the entry point of ``Net.describe``, for records of these dtypes (``Sizes``)."""
    package = types.package.replace(".kernels", ".policies")
    return kernel(types.describing(state, move), package=package)(entrance(describe, net.describe))
