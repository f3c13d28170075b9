"""Vectorised sums of short integers equal exact integer sums (every mode: test_gateway)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.tiers import first_quick


@first_quick(2, "count", [0, 3, 4, 7])
def test_layer_sums_match_exact_integers(sample: Any, count: int) -> None:
    layers, shift = sample.layers(2), 6
    sample.sum_layers(layers, count, shift)
    inputs = [max(-32767, min(32767, math.floor(1024 * float(x) + 0.5))) for x in layers.numbers[1]]
    assert layers.inputs.tolist() == inputs + [0] * 10
    assert inputs[:4] == [32767, -32767, 2, -2]
    weights = layers.weights.astype(object)
    first = layers.bias.astype(object)
    for place, one in enumerate(inputs):
        first = first + one * weights[place // 2, :, place % 2]
    for place in layers.places[:count].tolist():
        first = first + (layers.rows[place].astype(object) << shift)
    assert layers.sums.tolist() == first.tolist()
    assert max(map(abs, first)) > 2**30  # near what 32 bits hold
    active = [max(0, min(32767, one >> shift)) for one in first]
    assert layers.active.tolist() == active + [0] * 30
    assert {0, 32767} < set(active)
    second = layers.second.astype(object)
    found = layers.second_bias.astype(object)
    for place, one in enumerate(active):
        found = found + one * second[place // 2, :, place % 2]
    assert layers.found.tolist() == found.tolist()
    assert np.any(layers.found)
