"""What ``net`` knows of counters, cards of further decks and decisions of clauses: inputs, layers, learning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.policies.net_tools import decisions, written
from wsim.jit import JIT
from wsim.kernels.commands import LOOK
from wsim.lab.plan import Plan
from wsim.learn.fitting import _slopes
from wsim.learn.fitting_settings import Fitting
from wsim.wonders.fitting import ItemLayers
from wsim.wonders.game import GAME
from wsim.wonders.kernels.net_layout import COUNTER_STEPS, COUNTERS_AT, DECK_ROLES
from wsim.wonders.learning import LEARNER
from wsim.wonders.nets import NETS
from wsim.wonders.words import COUNTERS, DECK_CARDS

BOXES = ["counsellors", "fleets", "quarters", "schools"]
FURTHER = ("deck_roles", "counters", "picked_roles", "options")


def simulated(box: str, policies: str = "balanced:explore=0.2", **keys: Any) -> Any:
    """Return a simulator with one of the expansions in ``analysis/expansion``."""
    patch = [f"analysis/expansion/{box}.toml"] if box else []
    return GAME.prepare(Plan.make(**{"players": 4, "seed": 3, "patch": patch, "policies": policies, **keys}))


@pytest.fixture
def taught(tmp_path: Path) -> Path:
    """Return a net with random weights for all further input rows."""
    random, net = np.random.default_rng(1), LEARNER.load("")
    known = {name: (0.1 * random.standard_normal(net.arrays[name].shape)).astype(np.float32) for name in FURTHER}
    path = tmp_path / "taught.npz"
    replace(net, arrays={**net.arrays, **known}, about={}).save(path)
    return path


def further(state: Any) -> set[int]:
    """Return the further input rows of a state."""
    return set(np.flatnonzero(np.unpackbits(state["further"].view(np.uint8), bitorder="little")).tolist())


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="the layers in Python are slow")
@pytest.mark.parametrize("box", BOXES)
def test_the_kernel_computes_the_fitted_layers(box: str, taught: Path) -> None:
    simulator, other = simulated(box), simulated(box, f"net:file={taught}")
    arrays, asked, further_of_moves = LEARNER.load(str(taught)).arrays, 0, 0
    for position in decisions(simulator, 240, 3):
        state, moves, places = LEARNER.describer(simulator, other)(position)
        if len(places) > 1:
            table = LEARNER.decisions(simulator, np.array([state]), moves)
            expected, _ = LEARNER.values_of(arrays, table, np.array([0]))
            assert np.allclose(moves["worth"], expected, atol=3e-3)
            assert position.chosen_by(other, 5) == places[int(moves["worth"].argmax())]
            asked += position.decision() == "effect"
            further_of_moves += int((moves["further"] >= 0).sum())
    assert asked > 3
    assert further_of_moves > asked


@pytest.mark.skipif(not JIT, reason="needs many decisions")
def test_hidden_cards_of_decks_do_not_change_the_net(taught: Path) -> None:
    simulator, other = simulated("counsellors"), simulated("counsellors", f"net:file={taught}")
    for position in decisions(simulator, 25, 4):
        index = position.chosen_by(other, 5)
        for seed in range(3):
            assert position.redrawn(position.to_move, seed).chosen_by(other, 5) == index


def test_a_catalogue_without_counters_or_decks_has_no_inputs_for_them() -> None:
    simulator = simulated("", ruleset="2e-cities")
    for position in decisions(simulator, 12, 9):
        state, moves, _ = LEARNER.describer(simulator, simulator)(position)
        assert not further(state)
        assert (moves["further"] == -1).all()


def test_the_state_has_counters_and_cards_of_decks_as_the_seat_knows_them() -> None:
    simulator = simulated("counsellors")
    position = next(one for one in decisions(simulator, 9, 7) if one.decision() == "turn").clone()
    seat, describe = position.to_move, LEARNER.describer(simulator, simulator)
    public, own = position.record.public, position.record.own[seat]
    own.recruits, public.display, public.recruited[:] = 0b101, 0b1000, 0
    public.recruited[seat], public.counter[:] = 0b10, 0
    public.counter[seat, 0], public.counter[(seat + 1) % 4, 0] = 2, 13
    position.refresh(LOOK)
    hand, lying, served, _ = range(0, len(DECK_ROLES) * DECK_CARDS, DECK_CARDS)
    left = COUNTERS_AT + COUNTERS * len(COUNTER_STEPS)
    expected = {hand, hand + 2, lying + 3, served + 1, COUNTERS_AT, COUNTERS_AT + 1, *range(left, left + 10)}
    assert further(describe(position)[0]) == expected
    public.counter[(seat + 2) % 4, 0] = 5  # the city opposite
    position.refresh(LOOK)
    assert further(describe(position)[0]) == expected


def batch_of(box: str, count: int = 40) -> tuple[Any, list[str]]:
    """Return decisions of a table, and the names of the decisions."""
    simulator = simulated(box)
    describe = LEARNER.describer(simulator, simulator)
    states, moves, names = [], [], []
    for position in decisions(simulator, count, 4):
        state, listed, _ = describe(position)
        states.append(state)
        moves.append(listed)
        names.append(position.decision())
    return LEARNER.decisions(simulator, np.stack(states), np.concatenate(moves)), names


@pytest.mark.skipif(not JIT, reason="needs many decisions")
@pytest.mark.parametrize("box", ["counsellors", "quarters"])
def test_derivatives_of_the_additional_rows_match_the_loss(box: str, taught: Path) -> None:
    table, _ = batch_of(box)
    random = np.random.default_rng(2)
    table.moves["worth"] = random.normal(size=len(table.moves))
    batch = table.batch(np.arange(len(table.states)))
    arrays: dict[str, Any] = {
        name: array.astype(np.float64) for name, array in LEARNER.load(str(taught)).arrays.items()
    }

    def loss(of: Mapping[str, Any]) -> float:
        error = ItemLayers(of, batch).values - batch.moves["worth"]
        means = np.bincount(batch.owner, error) / batch.counts
        return float(((error - means[batch.owner]) ** 2).mean())

    layers = ItemLayers(arrays, batch)
    slopes, checked = layers.backward(_slopes(layers.values, batch)), 0
    for name in FURTHER:
        rows = np.argwhere(slopes[name].any(axis=2))
        for role, row in rows[:: max(1, len(rows) // 5)]:
            unit = int(np.abs(slopes[name][role, row]).argmax())
            ends = []
            for step in (1e-5, -1e-5):
                moved = {**arrays, name: arrays[name].copy()}
                moved[name][role, row, unit] += step
                ends.append(loss(moved))
            assert slopes[name][role, row, unit] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-2, abs=1e-6)
            checked += 1
    assert checked > 5


@pytest.mark.skipif(not JIT, reason="needs many decisions")
def test_a_net_not_trained_on_decisions_uses_the_weights_of_balanced() -> None:
    simulator, net, weights = simulated("sea_lanes"), simulated("sea_lanes", "net"), simulated("sea_lanes", "balanced")
    asked = 0
    for position in decisions(simulator, 150, 3):
        if position.decision() == "effect":
            assert position.chosen_by(net, 1) == position.chosen_by(weights, 1)
            asked += 1
    assert asked > 5


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="needs many decisions")
def test_after_fitting_the_net_chooses_the_move_worth_most(tmp_path: Path) -> None:
    """The net is fitted to decisions in which only the first option has any worth, and then chooses that option."""
    table, names = batch_of("sea_lanes", 300)
    asked = np.flatnonzero([name == "effect" for name in names])
    batch = table.batch(asked)
    assert len(asked) > 15
    batch.moves["worth"] = np.isin(np.arange(len(batch.moves)), np.cumsum(batch.counts) - batch.counts)
    lesson = LEARNER.decisions(simulated("sea_lanes"), batch.states, batch.moves)
    net = LEARNER.fit(LEARNER.load(""), [lesson], Fitting(rounds=60, size=64, rate=3e-3), 1, None)
    LEARNER.save(net, tmp_path / "net.npz", {})
    assert net.arrays["options"].any()
    assert not net.arrays["deck_roles"].any()
    simulator, other = simulated("sea_lanes", seed=9), simulated("sea_lanes", f"net:file={tmp_path / 'net.npz'}")
    chosen = [position.chosen_by(other, 1) for position in decisions(simulator, 150, 3)
              if position.decision() == "effect"]  # fmt: skip
    assert len(chosen) > 5
    assert np.mean([index == 0 for index in chosen]) > 0.8


def test_older_nets_get_zeros_for_inputs_that_they_lack(tmp_path: Path) -> None:
    path = written(LEARNER, tmp_path)
    with np.load(path) as file:
        earlier = {name: file[name] for name in file.files if name not in FURTHER}
    np.savez(tmp_path / "earlier.npz", **earlier)
    net = LEARNER.load(str(tmp_path / "earlier.npz"))
    assert not any(net.arrays[name].any() for name in FURTHER)
    assert net.digest == LEARNER.load(path).digest
    assert {name: net.arrays[name].shape for name in FURTHER} == {name: NETS.shapes[name] for name in FURTHER}
