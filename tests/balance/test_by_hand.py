"""Balance piece by piece, by hand: ranges and costs of knobs, bounds of cells, proofs, arms of worth."""

from __future__ import annotations

import math
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats  # type: ignore[import-untyped]

from wsim.balance.by_games import _arm_weights, _level
from wsim.balance.cells import Cell
from wsim.balance.goal import KnobRow
from wsim.balance.knobs import Knob, Option, _bounds, _matching, changes_of, options_of, read_patch
from wsim.balance.proof import MIN_GAMES, Proof, chance_of, games_needed, middle_of, proven
from wsim.balance.sampling import Level, Sampler, no_effects, unplayable_level
from wsim.errors import UserError
from wsim.limits import GameLimitError

INF = math.inf
BOTH = Cell("four", "A", "win", 0.2, 0.3, share=True)
LEAST = Cell("four", "B", "win", 0.2, INF, share=True)
MOST = Cell("four", "C", "score", -INF, 50.0)


def test_cell_distances_are_in_half_widths_of_the_range() -> None:
    assert [cell.reach for cell in (BOTH, LEAST, MOST)] == pytest.approx([0.05, 0.01, 1.0])
    assert BOTH.excess(np.array([0.1, 0.2, 0.25, 0.3, 0.45])).tolist() == pytest.approx([0.1, 0, -0.05, 0, 0.15])
    assert [float(LEAST.excess(0.5)), float(MOST.excess(53.0))] == pytest.approx([-0.3, 3.0])
    assert [middle_of(cell) for cell in (BOTH, LEAST, MOST)] == pytest.approx([0.25, 0.21, 49.0])
    assert LEAST.record() == {"setting": "four", "of": "B", "metric": "win", "low": 0.2, "high": None}
    far = unplayable_level([BOTH, LEAST, MOST], 7)
    assert (far.value > 1e8).tolist() == [True, False, True]
    assert far.value[1] < -1e8
    assert (far.games, far.error.tolist()) == (7, [0, 0, 0])


def test_cells_are_proven_jointly_within_their_bounds() -> None:
    z = scipy.stats.norm.ppf(0.975)
    for room, expected in ((1.001, True), (0.999, False)):
        value = np.array([0.2 + room * z * 0.01, 50 - room * z * 0.5])
        level = Level(value, np.array([0.01, 0.5]), 1000)
        assert proven([BOTH, MOST], level, 0.025).tolist() == [expected] * 2
        high = Level(np.array([0.3 - room * z * 0.01, 40.0]), np.array([0.01, 0.5]), 1000)
        assert proven([BOTH, MOST], high, 0.025).tolist() == [expected, True]
        proof = Proof(1, 0.025, {"a": 3, "b": 4}, value, level.error, proven([BOTH, MOST], level, 0.025))
        assert proof.holds is expected
        assert (proof.bound([BOTH, MOST]) <= 1) is expected
    exact = Proof(2, 0.025, {"a": 3, "b": 4}, np.array([0.25, 49.0]), np.array([0.01, 0.5]), np.ones(2, bool))
    assert exact.bound([BOTH, MOST]) == pytest.approx(max(z * 0.01 / 0.05, z * 0.5 / 1))
    assert exact.record([BOTH, MOST])["games"] == 7
    assert exact.record([BOTH, MOST])["within"] == exact.bound([BOTH, MOST])


def test_games_needed_and_chance_of_a_proof_by_hand() -> None:
    """Room of 0.05 and of 1 at errors of 0.01 and 0.4 after 1,000 games: the second decides."""
    level = Level(np.array([0.25, 49.0]), np.array([0.01, 0.4]), 1000)
    z = scipy.stats.norm.ppf(0.99) + scipy.stats.norm.ppf(0.9)
    assert MIN_GAMES == 20_000
    assert games_needed([BOTH, MOST], level, 0.01) == MIN_GAMES
    many = Level(level.value, level.error, 10_000)
    assert games_needed([BOTH, MOST], many, 0.01) == math.ceil(10_000 * (z * 0.4) ** 2)
    assert games_needed([BOTH, MOST], many, 0.01, luck=1.0) == math.ceil(10_000 * (z * 0.4 / 0.6) ** 2)
    assert games_needed([BOTH, MOST], many, 0.01, luck=2.5) is None, "no room is left"
    assert games_needed([BOTH, MOST], Level(np.array([0.3, 40.0]), many.error, 10_000), 0.01) is None
    error = np.array([0.01, 0.4]) / 2  # after four times the games
    chance = scipy.stats.norm.cdf(np.array([0.05, 1.0]) / error - scipy.stats.norm.ppf(0.99)).prod()
    assert chance_of([BOTH, MOST], level, 0.01, 4000) == pytest.approx(chance)
    lucky = scipy.stats.norm.cdf(
        (np.array([0.05, 1.0]) - 0.5 * level.error) / error - scipy.stats.norm.ppf(0.99)
    ).prod()
    assert chance_of([BOTH, MOST], level, 0.01, 4000, luck=0.5) == pytest.approx(lucky)


@pytest.mark.parametrize(
    ("written", "absolute", "base", "expected"),
    [
        ("-2..2", False, 5, (3, 7)), ("-2..2", False, 1, (0, 3)), ("-2..2", False, -3, (-3, -1)),
        ("0..4", False, 5, (5, 9)), ("-4..0", False, 5, (1, 5)),
        (" -1 .. +1 ", False, 5, (4, 6)), ("3..5", True, 5, (3, 5)), ("5..9", True, 5, (5, 9)),
    ],
)  # fmt: skip
def test_a_knob_range_is_relative_or_absolute(
    written: str, absolute: bool, base: int, expected: tuple[int, int]
) -> None:
    assert _bounds(KnobRow("cards.*.points", written, absolute=absolute), ("cards", "A", "points"), base) == expected


@pytest.mark.parametrize(
    ("written", "absolute", "words"),
    [("1..2", False, "excludes the current value"), ("-2..-1", False, "excludes the current value"),
     ("6..9", True, "excludes 5, the current value of cards.A.points"), ("1..4", True, "excludes 5"),
     ("2..1", False, "2 is above 1"), ("1-2", False, "must look like -2..2"), ("1..2..3", False, "must look like")],
)  # fmt: skip
def test_a_meaningless_range_is_rejected(written: str, absolute: bool, words: str) -> None:
    with pytest.raises(UserError, match=words):
        _bounds(KnobRow("cards.*.points", written, absolute=absolute), ("cards", "A", "points"), 5)


def test_a_knob_matches_paths_by_name_and_costs_by_size_of_change(tmp_path: Path) -> None:
    values = {
        ("cards", "Town Hall", "points"): 6,
        ("cards", "Altar", "points"): 2,
        ("cards", "Altar", "cost", "ore"): 1,
    }
    assert _matching(KnobRow("cards.*.points", "-1..1"), values) == [*values][:2]
    assert _matching(KnobRow("cards.town hall.points", "-1..1"), values) == [("cards", "Town Hall", "points")]
    assert _matching(KnobRow("cards.Altar.*.ore", "-1..1"), values) == [("cards", "Altar", "cost", "ore")]
    with pytest.raises(UserError, match=r"matches no whole number of the game \(did you mean 'cards.Altar.points'\?\)"):
        _matching(KnobRow("cards.Altar.point", "-1..1"), values)
    knob = Knob(("cards", "Town Hall", "points"), 6, 4, 8, touch=1.5, step=0.25, row=0)
    assert [knob.cost(value) for value in (6, 7, 4)] == [0, 1.75, 2.0]
    assert knob.name == 'cards."Town Hall".points'
    two = (knob, Knob(("a", "b"), 0, 0, 1, 1, 1, 1))
    assert options_of(two) == (*(Option(0, value) for value in range(4, 9)), Option(1, 0), Option(1, 1))
    assert changes_of(((knob.path, 7), (("a", "b"), -1))) == ('cards."Town Hall".points=7', "a.b=-1")
    patch = tmp_path / "mine.toml"
    patch.write_text('cards."Town Hall".points = 7\n[a]\nb = -1\n', encoding="utf-8")
    assert read_patch(patch) == ((knob.path, 7), (("a", "b"), -1))


def test_worth_arm_weights_and_cell_levels() -> None:
    """The first cell is followed 8 and overruled 2 times; the second was never overruled; a plain cell has one arm."""
    totals = np.array([[4.0, 8.0, 0.5, 2.0], [4.0, 8.0, 0.0, 0.0]])
    assert _arm_weights(totals).tolist() == [[1.0, 1.0], [-4.0, 0.0]]
    assert _arm_weights(totals[:, :2]).tolist() == [[1.0, 1.0]]
    features = np.array([[1.0, 2.0], [1.0, 3.0], [2.0, 3.0]])  # of three games: value and weight
    sums = {"total": features.sum(axis=0)[None], "product": (features.T @ features)[None], "games": np.array([3.0])}
    level = _level(sums)
    error = features[:, 0] - 0.5 * features[:, 1]
    assert (level.value[0], level.games) == (0.5, 3)
    assert level.error[0] == pytest.approx(np.sqrt((error**2).sum() * 3 / 2) / 8)
    both = np.hstack([features, [[1.0, 1.0], [0.0, 1.0], [0.0, 2.0]]])
    worth = _level({"total": both.sum(axis=0)[None], "product": (both.T @ both)[None], "games": np.array([3.0])})
    assert worth.value[0] == pytest.approx(0.5 - 0.25)
    joint = error / 8 - (both[:, 2] - 0.25 * both[:, 3]) / 4
    assert worth.error[0] == pytest.approx(np.sqrt((joint**2).sum() * 3 / 2))
    four = np.hstack([both, both[:, [0, 1]] * 2, both[:, [2, 3]]])
    change = _level({"total": four.sum(axis=0)[None], "product": (four.T @ four)[None], "games": np.array([3.0])})
    assert change.value[0] == pytest.approx(0.0), "followed and overruled, minus the same without the patch"


def test_chunks_are_added_in_order_and_unplayable_patches_are_remembered() -> None:
    told: list[tuple[str, int, int]] = []

    class Execution:
        def report(self, activity: str, done: int, of: int) -> None:
            told.append((activity, done, of))

        def chunk_runner(self, _ready: Any) -> Any:
            def chunks_of(make: Any, parts: Any, size: int) -> Any:
                for games in parts:
                    for first in range(games.start, games.stop, size):
                        yield make(range(first, min(first + size, games.stop)))

            return nullcontext(chunks_of)

    sampler = Sampler(None, ("root",), Execution())  # type: ignore[arg-type]
    sums = sampler.added(
        lambda games: {"n": np.array([len(games)]), "last": np.array([games[-1]])}, [], range(5000), "x"
    )
    assert sums == {"n": [5000], "last": [2047 + 4095 + 4999]}
    assert told == [("x", 2048, 5000), ("x", 4096, 5000), ("x", 5000, 5000)]
    assert sampler.seed("a", 1) == Sampler(None, ("root",), Execution()).seed("a", 1)  # type: ignore[arg-type]
    assert len({sampler.seed("a", 1), sampler.seed("a", 2), sampler.seed("b", 1)}) == 3
    error = GameLimitError("too many coins", "coins")
    patch = ((("a", "b"), 1),)
    sampler.refuse(patch, error)
    assert sampler.refused == {patch: "too many coins"}
    with pytest.raises(GameLimitError):
        sampler.refuse((), error)
    blank = no_effects([Option(0, 1), Option(0, 2)], [BOTH, LEAST, MOST])
    assert blank.value.shape == (2, 3)
    assert not blank.error.any()
    assert not blank.replayed.any()
