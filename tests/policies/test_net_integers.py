"""Nets in short integers: no inputs overflow a sum, and weights are close to the learned ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from wsim.game import find_game
from wsim.kernels.net_layers import INPUT_BITS
from wsim.lab.plan import Plan
from wsim.learn.learner import learner_of
from wsim.policies.nets import LearnedNet

GAMES = ("seven_wonders", "tower_of_babel")
MOST, INT = 32767, 2**31 - 1
LARGE = 65504.0  # of half precision, as files have it


def large(net: LearnedNet) -> LearnedNet:
    """Return a net with the largest numbers that a net file may contain."""
    return replace(net, arrays={name: np.full_like(array, LARGE) for name, array in net.arrays.items()})


def record_of(game: str, net: LearnedNet) -> Any:
    simulator: Any = find_game(game).prepare(Plan.make(game=game, policies="random"))
    return net.record(simulator.compiled[0])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("make", [lambda one: one.load(""), lambda one: one.fresh(1), lambda one: large(one.fresh(1))])
def test_no_inputs_overflow_the_integers(game: str, make: Any) -> None:
    record = record_of(game, make(learner_of(game)))
    of = {name: np.abs(record[name].astype(np.int64)) for name in record.dtype.names}
    assert max(of["of_number"].max(), of["of_move"].max(), of["second"].max()) <= MOST
    assert 4 * of["of_item"].max() <= MOST  # four of them are added before their sum is widened
    inputs = MOST * (of["of_number"].sum((0, 2)) + of["of_move"].sum((0, 2)))
    assert (of["bias"] + inputs + (of["of_item"].sum(0) << record["item_shift"])).max() <= INT
    assert (of["second_bias"] + MOST * of["second"].sum((0, 2))).max() <= INT
    assert INT * int(of["last"].sum()) + MOST * int(of["straight"].sum()) < 2**63
    assert record["first_shift"] >= 0
    assert record["item_shift"] >= 0


@pytest.mark.parametrize("game", GAMES)
def test_weights_are_the_rounded_learned_weights(game: str) -> None:
    net = learner_of(game).load("")
    record = record_of(game, net)
    rows = record["of_number"].transpose(0, 2, 1).reshape(-1, net.spec.sizes.width)
    bits = record["first_shift"] + 8 - INPUT_BITS
    assert bits >= 8
    assert np.abs(rows * 0.5**bits - net.arrays["of_number"]).max() <= 0.5 ** (bits + 1)
    second = record["second"].transpose(0, 2, 1).reshape(net.arrays["second"].shape)
    finest = np.abs(net.arrays["second"]).max() / np.abs(second).max()
    assert finest < 1 / 1000
    assert np.abs(second * finest - net.arrays["second"]).max() < finest
