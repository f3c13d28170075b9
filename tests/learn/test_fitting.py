"""The fitting of nets by hand: derivatives against differences, steps of the optimiser, batches, the learning rate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

from wsim.learn.fitting import Batch, Decisions, Layers, _Adam, _batches, _slopes, _warmth, fit, fresh_arrays
from wsim.learn.fitting_settings import Fitting
from wsim.learn.judge import OwnSeats

STATE = np.dtype([("moves", "i8"), ("numbers", "f8", (2,))])
MOVE = np.dtype([("numbers", "f8", (3,)), ("worth", "f8")])
SHAPES = {"bias": (4,), "of_number": (2, 4), "of_move": (3, 4), "second": (4, 5), "second_bias": (5,), "last": (5,),
          "straight": (3,)}  # fmt: skip


def decisions() -> Decisions:
    """Return three decisions, with two, three and two moves."""
    random = np.random.default_rng(3)
    states, moves = np.zeros(3, STATE), np.zeros(7, MOVE)
    states["moves"] = 2, 3, 2
    states["numbers"], moves["numbers"] = random.normal(size=(3, 2)), random.normal(size=(7, 3))
    moves["worth"] = random.normal(size=7)
    return Decisions(states, moves, "known")


def test_a_batch_has_all_moves_of_its_decisions_in_their_order() -> None:
    whole = decisions()
    batch = whole.batch(np.array([2, 0]))
    assert batch.owner.tolist() == [0, 0, 1, 1]
    assert batch.counts.tolist() == [2, 2]
    assert np.array_equal(batch.moves, whole.moves[[5, 6, 0, 1]])
    assert np.array_equal(batch.states, whole.states[[2, 0]])
    assert batch.known == "known"
    assert whole.batch(np.array([1])).moves["worth"].tolist() == whole.moves["worth"][2:5].tolist()


def loss(arrays: dict[str, Any], batch: Batch) -> float:
    """Return the mean squared error of move values, where values and targets are centred within each decision."""
    values, total = Layers(arrays, batch).values, 0.0
    for owner in range(len(batch.counts)):
        error = (values - batch.moves["worth"])[batch.owner == owner]
        total += ((error - error.mean()) ** 2).sum()
    return total / len(values)


def test_derivatives_match_the_loss() -> None:
    random = np.random.default_rng(4)
    arrays: dict[str, Any] = {name: random.normal(size=shape) for name, shape in SHAPES.items()}
    batch = decisions().batch(np.array([1, 0, 2]))
    layers = Layers(arrays, batch)
    hidden = np.maximum(
        arrays["bias"] + batch.states["numbers"][batch.owner] @ arrays["of_number"]
        + batch.moves["numbers"] @ arrays["of_move"], 0,
    )  # fmt: skip
    second = np.maximum(hidden @ arrays["second"] + arrays["second_bias"], 0)
    assert layers.values == pytest.approx(second @ arrays["last"] + batch.moves["numbers"] @ arrays["straight"])
    slopes = layers.backward(_slopes(layers.values.astype(np.float64), batch))
    assert slopes.keys() == arrays.keys()
    for name, array in arrays.items():
        for place in np.ndindex(array.shape):
            ends = []
            for step in (1e-5, -1e-5):
                moved = {**arrays, name: array.copy()}
                moved[name][place] += step
                ends.append(loss(moved, batch))
            assert slopes[name][place] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-5), (name, place)


def test_two_steps_of_the_optimiser_by_hand() -> None:
    """Means and squares of slopes, corrected for their start at 0; decay is apart from the slope."""
    adam = _Adam({"x": np.array([2.0])}, decay=0.1)
    x, mean, square = 2.0, 0.0, 0.0
    for number, (slope, rate) in enumerate(((4.0, 0.5), (-1.0, 0.25)), 1):
        adam.step({"x": np.array([slope])}, rate)
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        x -= rate * 0.1 * x
        x -= rate * (mean / (1 - 0.9**number)) / math.sqrt(square / (1 - 0.999**number))
        assert adam.arrays["x"][0] == pytest.approx(x, rel=1e-6)


def test_the_learning_rate_rises_for_a_tenth_and_falls_along_a_cosine() -> None:
    points = {0.0: 0.01, 0.05: 0.51, 0.099: 1.0, 0.1: 1.0, 0.55: 0.5, 0.325: (1 + math.sqrt(0.5)) / 2, 1.0: 0.0}
    assert [_warmth(done) for done in points] == pytest.approx(list(points.values()))


def test_every_decision_is_in_one_batch_of_its_table() -> None:
    made = list(_batches([10, 3, 7], 4, np.random.default_rng(1)))
    for table, count, sizes in ((0, 10, [5, 5]), (1, 3, [3]), (2, 7, [3, 4])):
        parts = [which for number, which in made if number == table]
        assert sorted(map(len, parts)) == sizes
        assert sorted(np.concatenate(parts).tolist()) == list(range(count))
    assert (
        len({tuple(number for number, _ in _batches([9] * 5, 3, np.random.default_rng(seed))) for seed in range(9)}) > 5
    )


def test_fitting_takes_one_step_per_batch_of_its_rounds() -> None:
    """Ten decisions in batches of 4 are two or three batches; of 3 decisions, one: 1.5 rounds of three are 4 steps."""
    ten, three = (Decisions(np.zeros(count, STATE), np.zeros(0, MOVE)) for count in (10, 3))
    asked, told = list[float](), list[tuple[int, int]]()

    class Flat:
        values = np.zeros(0)

        def __init__(self, _arrays: Any, _batch: Any) -> None:
            pass

        def backward(self, _slopes: Any) -> dict[str, Any]:
            return {"x": np.ones(1)}

    def slopes(_values: Any, batch: Batch) -> Any:
        asked.append(len(batch.states))

    start = {"x": np.zeros(1)}
    how = Fitting(rounds=1.5, size=4, rate=0.1, decay=0.0)
    fitted = fit(start, [ten, three], Flat, how, 1, lambda done, of: told.append((done, of)), slopes)  # type: ignore[arg-type]
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert sum(asked[:3]) == 13
    expected = -0.1 * sum(_warmth(done / 4) for done in range(4))
    assert fitted["x"][0] == pytest.approx(expected, rel=1e-4)
    assert start["x"][0] == 0, "the net that it begins from stays as it is"


def test_a_fresh_net_follows_weighted_with_small_other_weights() -> None:
    shapes = {"of_move": (400, 50), "bias": (50,), "last": (4000,), "straight": (6,)}
    made = fresh_arrays(shapes, {"of_move": 16, "last": 4}, 2, 7)
    assert made["straight"].tolist() == pytest.approx([0, 0, 0.15, 0, 0, 0])
    assert not made["bias"].any()
    assert made["of_move"].std() == pytest.approx(0.7 / 4, rel=0.03)
    assert made["last"].std() == pytest.approx(0.3 * 0.7 / 2, rel=0.05)
    assert {array.dtype for array in made.values()} == {np.dtype(np.float32)}
    assert np.array_equal(fresh_arrays(shapes, {"of_move": 16, "last": 4}, 2, 7)["last"], made["last"])
    assert not np.array_equal(fresh_arrays(shapes, {"of_move": 16, "last": 4}, 2, 8)["last"], made["last"])


def test_a_policy_is_evaluated_by_its_mean_over_seats_per_game() -> None:
    frame = pl.DataFrame({"game": [5, 5, 5, 6, 6, 6], "policy": ["a", "a", "b", "b", "a", "a"],
                          "win_share": [1.0, 0, 0, 0.5, 0.5, 0], "total": [9, 4, 7, 5, 6, 3]})  # fmt: skip
    shares, scores = OwnSeats("a")(frame, range(2))
    assert shares.tolist() == [0.5, 0.25]
    assert scores.tolist() == [6.5, 4.5]
