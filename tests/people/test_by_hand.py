"""Games of people, worked out by hand: evidence, chances, schedules, likeness and tables."""

from __future__ import annotations

from statistics import NormalDist
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.people.test_planning import rows
from wsim.errors import UserError
from wsim.people.combine.answer import table_of
from wsim.people.combine.estimate import Combined
from wsim.people.evidence import Evidence, _design_effect, _player_effects
from wsim.people.likeness.answer import LikenessAnswer, _row_of_run, _skill_in_words
from wsim.people.planning import answer as planning
from wsim.people.planning.answer import clear_chance, games_until_clear, posterior_variance, schedule_of

Z95, Z80 = 1.959964, 0.841621
"""Quantiles of the normal distribution: .975 and .8."""


def evidence(names: list[tuple[str, str]], **changes: Any) -> Evidence:
    """Return the evidence for some boards, one row of ``rows`` for each."""
    plain = rows(len(names), len(names))
    frame = pl.DataFrame(names, schema=["wonder", "side"], orient="row")
    return Evidence(**{**vars(plain), "names": frame, **changes})


# --- evidence


def test_player_effects_are_shrunk_by_their_noise() -> None:
    """Means of 1 and -1 of two seats each: noise 1; between 1 - 1 * 2 / 4 = .5; kept .5 / (.5 + 1 / 2) = half."""
    frame = pl.DataFrame({"player": [7, 7, 3, 3]})
    effects, count = _player_effects(np.array([1.0, 1.0, -1.0, -1.0]), frame)
    assert effects == pytest.approx([0.5, 0.5, -0.5, -0.5])
    assert count == 2
    alone, count = _player_effects(np.ones(3), pl.DataFrame({"player": [4, 4, 4]}))
    assert (alone.tolist(), count) == ([0, 0, 0], 1)
    nobody, count = _player_effects(np.ones(2), pl.DataFrame({"total": [1, 2]}))
    assert (nobody.tolist(), count) == ([0, 0], 0)


def test_the_design_effect_is_cluster_variance_over_seat_variance() -> None:
    """Sums of clusters within rows: 2, 1 and -.5, squares 5.25; of seats 3.25. Opposite seats do not go below 1."""
    residual = np.array([1.0, 1.0, 1.0, -0.5])
    assert _design_effect(residual, np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])) == pytest.approx(5.25 / 3.25)
    assert _design_effect(np.array([1.0, -1.0]), np.zeros(2, int), np.zeros(2, int)) == 1.0


# --- planning


def test_more_seats_reduce_the_posterior_variance() -> None:
    assert posterior_variance(np.array([0.04]), np.array([0.12]), np.array([3.0])) == pytest.approx([0.02])


def test_a_schedule_picks_the_least_known_boards_and_rotates_them() -> None:
    """Three boards known alike, two seats: after the first game the third is due, and its players change places."""
    three = evidence([("a", "A"), ("b", "A"), ("c", "A")])
    plan, seats = schedule_of(three, np.full(3, 0.01), 2, 3)
    assert plan == [[0, 1], [0, 2], [1, 2]]
    assert seats.tolist() == [2, 2, 2]
    sides = evidence([("a", "A"), ("a", "B"), ("b", "A")])
    plan, seats = schedule_of(sides, np.array([0.01, 0.009, 0.001]), 2, 1)
    assert (plan, seats.tolist()) == ([[0, 2]], [1, 0, 1])


def test_the_chance_of_a_clear_result_on_either_side() -> None:
    """.1 above the reference; variance .02, after the seats .01: clear beyond .196, that is at -.96 and -2.96 sd."""
    one = evidence([("a", "A")], seat_variance=np.array([1.0]))
    chance = clear_chance(np.array([0.35]), np.array([0.02]), one, np.array([50.0]), 0.95)
    assert chance == pytest.approx([0.168537 + 0.001538], abs=2e-6)
    narrow = clear_chance(np.array([0.35]), np.array([0.02]), one, np.array([50.0]), 0.5)
    normal = NormalDist().cdf
    assert narrow == pytest.approx([normal(0.32551) + normal(-1.67449)], abs=2e-6), (
        "beyond .67449 * .1: at .32551 and -1.67449 sd"
    )


def test_games_until_a_board_is_clear() -> None:
    """A prior so narrow that no game moves it never becomes clear; a wide one far from the reference does at once."""
    three = evidence([("a", "A"), ("b", "A"), ("c", "A")])
    question: Any = SimpleNamespace(level=0.95, chance=0.8)
    found = games_until_clear(np.array([0.25, 0.9, 0.3]), np.array([1e-8, 0.01, 0.0025]), three, question)
    assert found[:2] == [None, 1]
    games = np.arange(1.0, 10_001)
    one = evidence([("a", "A")])
    reached = (clear_chance(np.full(10_000, 0.3), np.full(10_000, 0.0025), one, games, 0.95) >= 0.8).tolist()
    assert found[2] is None if not any(reached) else found[2] == pytest.approx(reached.index(True) + 1, rel=0.09)


def test_a_plan_stops_when_another_evening_hardly_narrows_the_interval() -> None:
    """With variance 1 before and of a seat, evening e leaves 1 / sqrt(1 + e); it falls by less than 2% from e = 24."""
    one = evidence([("a", "A"), ("b", "A")], seat_variance=np.ones(2))
    assert planning._stop_after(one, np.ones(2), 2, 1) == 24
    assert planning._stop_after(one, np.ones(2), 4, 1) == 24
    assert planning._stop_after(one, np.full(2, 1e-6), 2, 1) == 0
    frame = planning._schedule_frame(evidence([("a", "A"), ("b", "B")]), [[0, 1], [1], [0]], 2)
    assert frame.rows() == [(1, 1, "a A, b B"), (1, 2, "b B"), (2, 1, "a A")]


def test_tables_are_weighted_by_their_number_of_players(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares at two, four and nine: 2, 4 / 3 and 9 / 8 in units of a seat; scores: 2, 4 and 9."""

    class Study:
        players, game = 4, "x"

        def replace(self, **keys: Any) -> Any:
            return keys

    def prepare(keys: dict[str, Any]) -> None:
        if keys["players"] not in (2, 4, 9):
            raise UserError("no")

    monkeypatch.setattr(planning, "find_game", lambda _game: SimpleNamespace(prepare=prepare))
    study: Any = SimpleNamespace(plan=Study())
    assert planning._information_by_players(study, "win").rows() == [(2, 1.5), (4, 1.0), (9, 0.8438)]
    assert planning._information_by_players(study, "score").rows() == [(2, 0.5), (4, 1.0), (9, 2.25)]


@pytest.mark.parametrize(
    ("difference", "games", "words"),
    [(2.0, 27, "can show the patch: score after about 27 games"), (0.2, 2649, "even score needs about 2,649 games"),
     (0.0, None, "changes no figure clearly")],
)  # fmt: skip
def test_games_needed_to_show_a_patch(
    difference: float, games: int | None, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice 2 s² design (z + z')² / D² seats: s = 3, design 1.5, 7.84888 / 4 = 106 seats, of which a game has four.

    A share of .2 has the variance .16; it is counted in half a seat a game.
    """
    metrics = pl.DataFrame(
        [("score", difference, 40.0, 4000, 0.01 if difference else 0.2), ("built", 0.1, 0.2, 500, 0.049),
         ("unclear", 5.0, 0.5, 4000, 0.051), ("unknown", 5.0, 0.5, 4000, None)][: 4 if difference else 1],
        schema=["metric", "difference", "first", "n_first", "q"], orient="row",
    )  # fmt: skip
    monkeypatch.setattr(planning, "load_run", lambda _name: None)
    monkeypatch.setattr(planning, "compare_runs", lambda *_a, **_k: SimpleNamespace(metrics=metrics))
    monkeypatch.setattr(planning, "_deviations", lambda *_given: {"score": 3.0})
    study: Any = SimpleNamespace(plan=SimpleNamespace(players=4), games=1000)
    question: Any = SimpleNamespace(patched="p", level=0.95, chance=0.8)
    watch, said = planning._effects_of_patch(study, question, evidence([("a", "A")], design=1.5))
    assert pytest.approx(7.84888, abs=1e-4) == (Z95 + Z80) ** 2
    expected = {"score": games, "built": 1507}  # 4 * .16 * 1.5 * 7.84888 / .01 / .5
    if games is None:
        assert not watch.height
    elif games < 1507:
        assert dict(watch.select("metric", "games").iter_rows()) == expected
        assert watch["metric"].to_list() == ["score", "built"]
    else:
        assert watch["metric"].to_list() == ["built", "score"]
        assert watch["games"].to_list() == [1507, games]
        words = "even built needs about 1,507 games"
    assert words in said


# --- likeness


def test_the_distance_between_people_and_a_run() -> None:
    """Differences 3 and 4 with sd 2 and 4: z = 1.5 and 1. Their half intervals are half and a quarter sd wide.

    Mean of z² - variance: (2.25 - .25 + 1 - .0625) / 2 = 1.46875; its error is half the root of
    4 * 2.25 * .25 + 2 * .25² + 4 * .0625 + 2 * .0625² = 2.6328.
    """
    frame = pl.DataFrame({
        "difference": [3.0, 4.0], "difference_low": [3 - Z95, 4 - Z95], "difference_high": [3 + Z95, 4 + Z95],
        "q": [0.04, 0.06],
    })  # fmt: skip
    found = _row_of_run(frame, np.array([2.0, 4.0]), 0.95)
    assert found["distance"] == pytest.approx(np.sqrt(1.46875), rel=1e-5)
    error = np.sqrt(2.6328125) / 2
    assert (found["distance_low"], found["differing"], found["figures"]) == (0.0, 1, 2)
    assert found["distance_high"] == pytest.approx(np.sqrt(1.46875 + Z95 * error), rel=1e-5)
    assert (found["score"], found["score_low"], found["score_high"]) == (3.0, 3 - Z95, 3 + Z95)
    half = 0.674490
    narrow = frame.with_columns(difference_low=pl.col("difference") - half, difference_high=pl.col("difference") + half)
    assert _row_of_run(narrow, np.array([2.0, 4.0]), 0.5)["distance_low"] == pytest.approx(
        np.sqrt(1.46875 - half * error), rel=1e-5
    )


def test_the_skill_of_people_is_placed_between_runs() -> None:
    """``score`` is people minus the run."""
    runs = pl.DataFrame({
        "policies": ["net", "greedy", "random"], "score": [-3.0, 1.0, 9.0], "score_low": [-4.0, -1.0, 8.0],
        "score_high": [-2.0, 3.0, 10.0],
    })  # fmt: skip
    assert _skill_in_words(runs) == (
        "Skill: their mean score is between those of greedy and net; it does not differ clearly from that of greedy"
    )
    assert _skill_in_words(runs[1:]).startswith("Skill: their mean score is above that of greedy")
    assert _skill_in_words(runs[:1]) == "Skill: their mean score is below that of net"


@pytest.mark.parametrize(("low", "ending"), [(0.9, "."), (0.7, ", but not clearly.")])
def test_the_closest_run_is_clear_if_no_other_is_within_its_interval(low: float, ending: str) -> None:
    main = pl.DataFrame({"policies": ["a", "b"], "distance_low": [0.5, low], "distance_high": [0.8, 1.2]})
    found = LikenessAnswer.conclusion(SimpleNamespace(main=main, record={"skill": "S"}))  # type: ignore[arg-type]
    assert found is not None
    assert found.headline == f"a is most like these people{ending}"
    assert (found.detail, found.clear) == ("S.", low == 0.9)


# --- the combined table


def test_the_combined_table_has_intervals_of_both_sources() -> None:
    """The interval of people is cut at 0 and 1 only for shares; rows nobody played have none."""
    names = [("a", "A"), ("b", "A"), ("c", "A")]
    given = evidence(
        names, simulated=np.array([0.3, 0.2, 0.25]), error=np.full(3, 0.01), people=np.array([0.9, 0.1, 0.0]),
        people_error=np.array([0.1, 0.1, np.inf]), n=np.array([5, 4, 0]),
    )  # fmt: skip
    value, half = np.array([0.31, 0.2, 0.26]), np.array([0.05, 0.04, 0.1])
    made = Combined(value, value - half, value + half, half, np.full(3, 0.4), np.float64(0), (value, value))  # type: ignore[arg-type]
    frame = table_of(given, made, 0.95)
    assert frame["wonder"].to_list() == ["a", "c", "b"], "the highest first"
    first, nobody, last = frame.rows(named=True)
    assert [row["verdict"] for row in (first, nobody, last)] == ["higher", "unclear", "lower"]
    assert (first["people_low"], first["people_high"]) == (pytest.approx(0.9 - 0.1 * Z95, abs=1e-5), 1.0)
    assert (last["people_low"], last["people_high"]) == (0.0, pytest.approx(0.1 + 0.1 * Z95, abs=1e-5))
    assert first["simulated_low"] == pytest.approx(0.3 - 0.01 * Z95, abs=1e-5)
    assert (nobody["people"], nobody["people_high"], nobody["share"], first["share"]) == (None, None, 0.0, 0.4)
    points = table_of(Evidence(**{**vars(given), "reference": 1.0}), made, 0.95)
    assert points["people_high"][0] == pytest.approx(0.9 + 0.1 * Z95, abs=1e-5)
    zero = table_of(Evidence(**{**vars(given), "reference": 0.0}), made, 0.95)
    assert zero["people_low"].min() == pytest.approx(0.1 - 0.1 * Z95, abs=1e-5)
    assert zero["verdict"].to_list() == ["higher"] * 3
