"""The layers of a small net: the kernels that every game's policy ``net`` is made of.

The first layer is a sum of rows, one for each input that is not 0, times the input. A second layer of rectified units
and a straight path from a move's own numbers give its value. All sums have one order, so games are the same everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wsim.jit import kernel

__all__ = ["AT_ONCE", "Layers", "layers"]

AT_ONCE = 4
"""Rows added in one pass over a layer: a third of the time of four passes. Lists of inputs need room for so many."""
_NONE = np.float32(0.0)


@dataclass(frozen=True)
class Layers:
    """Kernels of one net's sizes; its record has ``rows``, ``second``, ``second_bias``, ``last`` and ``straight``.

    Attributes
    ----------
    add_rows: (net, rows, amounts, count, layer) -> adds the rows of some inputs to the first layer, each as often as
        its amount says; fills the lists up to a multiple of ``AT_ONCE``.
    value: (net, numbers, j, layer, second) -> the value of move ``j``, whose numbers are a row of ``numbers`` and whose
        first layer is summed; ``second`` is room for the second one.
    """

    add_rows: Any
    value: Any


def layers(width: int, narrow: int, numbers_of_move: int) -> Layers:
    """Return the kernels of a net of these sizes: first layer (a multiple of ``AT_ONCE``), second one, move."""
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

    return Layers(add_rows, value)
