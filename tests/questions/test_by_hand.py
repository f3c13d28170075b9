"""Small examples by hand: crossings, robustness, arms on common deals, leads of a match, looks of a comparison."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.stats  # type: ignore[import-untyped]

from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.questions.contrasts import Contrasts
from wsim.questions.deals import WIN_UNITS, Arm, Arms, _ArmByArm, different_policies, in_blocks, wins_of, wish_columns
from wsim.questions.match.design import Cell, Design, _groups, _ring, duels, mixed
from wsim.questions.match.sums import MatchSums
from wsim.questions.match.tables import Block, SideReading, _line_up
from wsim.questions.picks.crossing import crossing, targets_of
from wsim.questions.robustness.sums import CELLS, RobustnessSums, distance
from wsim.questions.selfplay.sums import Items
from wsim.questions.skill.levels import changes_of, levels_table
from wsim.stats.intervals import Estimate


@pytest.mark.parametrize(
    ("effect", "half", "expected"),
    [
        ([1.0, 3.0, 5.0], 0.5, (1.5, 1.25, 1.75, "met")),
        ([1.0, 2.0, 5.0], 0.5, (2.0, 1.5, 2.0 + 0.5 / 3, "met")),
        ([1.0, 2.0, 1.0], 0.25, (2.0, 1.75, 2.25, "met")),
        ([1.5, 3.0, 3.0], 0.5, (1 + 1 / 3, None, 1 + 2 / 3, "perhaps below the first value")),
        ([1.0, 1.0, 2.5], 0.5, (2 + 2 / 3, 2 + 1 / 3, None, "perhaps above the last value")),
        ([1.5, 3.0, 2.5], 0.5, (1 + 1 / 3, None, None, "the intervals reach beyond the sweep")),
        ([1.6, 1.8, 1.9], 0.5, (None, None, None, "not distinguishable from the target at any value")),
        ([3.0, 2.6, 3.0], 0.5, (None, None, None, "above the target at every value")),
        ([1.0, 1.4, 1.0], 0.5, (None, None, None, "below the target at every value")),
        ([1.0, 3.0, 1.0], 0.25, (2.0, 1.375, 2.625, "met")),
    ],
)
def test_the_value_where_an_effect_crosses_two_by_hand(
    effect: list[float], half: float, expected: tuple[Any, ...]
) -> None:
    values, heights = np.array([1.0, 2.0, 3.0]), np.array(effect)
    found = crossing(values, heights, heights - half, heights + half, 2.0)
    assert (found.value, found.low, found.high, found.status) == pytest.approx(expected)


def test_a_target_needs_two_known_values() -> None:
    rows = {"action": ["build"] * 3 + ["sell"] * 2, "card": ["A"] * 3 + ["B"] * 2, "value": [1, 2, 3, 1, 2]}
    effects = pl.DataFrame({**rows, "effect": [1.0, None, 3.0, 1.0, None]}).with_columns(
        effect_low=pl.col("effect") - 0.5, effect_high=pl.col("effect") + 0.5
    )
    found = targets_of(effects, 2.0)
    assert found.row(0) == ("build", "A", 2.0, 2.0, 1.5, 2.5, "met")
    assert found.row(1) == ("sell", "B", 2.0, None, None, None, "too few values with an effect")


def test_the_distance_between_two_players_by_hand() -> None:
    """Differences of 3 and 4, one left-out cell each of 1 and -1 in the first, 2 and -2 in the second item."""
    apart, left_out = np.array([3.0, 4.0]), np.array([[1.0, 2.0], [-1.0, 2.0], [0.0, -4.0]])
    found = distance(apart, left_out)
    covariance = left_out.T @ left_out
    square = (25 - np.trace(covariance)) / 2
    free = 2
    twice = (np.trace(covariance @ covariance) - np.trace(covariance) ** 2 / free) * free**2 / ((free + 2) * (free - 1))
    along = apart @ covariance @ apart / 25
    z = scipy.stats.norm.ppf(0.975) ** 2
    assert found.value == 0, "the noise exceeds what is seen"
    assert square == -0.5
    # the ends m of the interval satisfy (square - m)^2 = z (4 m along / 2 + 2 twice / 4)
    roots = np.roots([1, -2 * square - 2 * z * along, square**2 - z * twice / 2])
    assert (found.low, found.high) == pytest.approx((0.0, np.sqrt(max(roots))))
    assert found.things == 2
    exact = distance(np.array([3.0, 4.0]), np.zeros((3, 2)))
    assert (exact.value, exact.low, exact.high) == pytest.approx((np.sqrt(12.5),) * 3)
    assert np.isnan(distance(np.zeros(0), np.zeros((3, 0))).value)


def test_robustness_sums_by_hand() -> None:
    """One item in two policies: seats with it, their wins, all seats, all wins, game by game."""
    items = Items(("built:A",), False, {"built:A": ["A"]})
    one = [
        np.array([[1, 2, 0]]),
        np.array([[WIN_UNITS, WIN_UNITS // 2, 0]]),
        np.array([4, 4, 4]),
        np.full(3, WIN_UNITS),
    ]
    other = [np.array([[4, 0, 1]]), np.array([[WIN_UNITS, 0, 0]]), np.array([4, 4, 4]), np.full(3, WIN_UNITS)]
    sums = RobustnessSums([items], 2).plus([one, other]).plus([one, other])
    assert sums.games == 6
    assert sums.fair() == pytest.approx(1 / 4)
    assert sums.counts(0).tolist() == [[6], [10]]
    assert sums._present[0][:, :, 0].tolist() == [[4, 4], [6, 4]], "games with the item, and those with a seat without"
    assert np.isnan(sums.figures(0)).all(), "fewer than 30 games with it"
    cells = sums._cells[0]
    assert cells[:6, 0, 0, 0].tolist() == [1, 2, 0, 1, 2, 0]
    many = RobustnessSums([items], 1)
    for count in (CELLS - 1, 3):
        many = many.plus(
            [[np.full((1, count), 2), np.full((1, count), WIN_UNITS), np.full(count, 4), np.full(count, WIN_UNITS)]]
        )
    assert many._cells[0][:4, 0, 0, 0].tolist() == [4, 4, 2, 2], "deal 200 is in the first cell again"
    assert many.figures(0)[0, 0] == pytest.approx(0.5), "half of the seats win all: 1/2 of a win each, 0 without it"
    wins = sums._values(0, cells.sum(axis=0))[0, 0]
    assert wins == pytest.approx((2 * 1.5) / 6 - (6 - 3) / (24 - 6))
    left = sums.left_out(0)
    assert left.shape == (6, 2, 1)
    whole = cells.sum(axis=0)
    values = np.array([sums._values(0, whole - cells[cell])[0, 0] for cell in range(6)])
    assert (left[:, 0, 0] ** 2).sum() == pytest.approx(5 / 6 * ((values - values.mean()) ** 2).sum())


def test_an_item_is_strong_for_players_with_a_clear_effect() -> None:
    """Levels 0 and 1; lower ends of their figures, and the change."""
    lows = {0: np.array([0.3, 0.3, 0.1, 0.1, 0.3]), 1: np.array([0.3, 0.1, 0.3, 0.3, 0.1])}
    change = np.array([0.0, -0.3, 0.3, 0.0, 0.0])

    class Sums:
        grouped = True

        def fair(self) -> float:
            return 0.25

        def figure(self, rung: int, _level: float) -> Any:
            return SimpleNamespace(low=lows[rung])

        def change(self, weak: int, strong: int, level: float) -> Estimate:
            assert (weak, strong) == (0, 1)
            return Estimate(change, np.full(5, 0.01), np.full(5, 999.0), level)

    named = pl.DataFrame({"card": list("abcde")})
    found = changes_of(Sums(), named, np.ones(5, bool), (0, 1), 0.95)  # type: ignore[arg-type]
    assert found["verdict"].to_list() == ["unclear", "lower", "higher", "unclear", "unclear"]
    assert found["strong_in"].to_list() == ["all players", "weak players", "strong players", None, None]
    figures = pl.DataFrame({"card": ["a", "b"] * 2, "rung": ["x", "x", "y", "y"], "n": 1,
                            "figure": [0.1, 0.2, 0.3, 0.9], "figure_low": 0.0, "figure_high": 1.0})  # fmt: skip
    changes = pl.DataFrame({"card": ["a", "b"], "weaker": "x", "stronger": "y", "change": [0.2, 0.7], "p": 0.5})
    table = levels_table(figures, changes)
    assert table.select("card", "x", "y", "change").rows() == [("b", 0.2, 0.9, 0.7), ("a", 0.1, 0.3, 0.2)]
    assert "p" not in table.columns


def contrast(differing: int, counted: int, moved: int = 0, deals: int = 4000) -> Contrasts:
    """Return a contrast in which some deals differ by 1, and a metric counts in some of them, for varying seats."""
    base, added = np.zeros((1, deals)), np.zeros((1, deals))
    count, who, other = np.zeros((1, deals)), np.zeros((1, deals)), np.zeros((1, deals))
    added[0, :differing], count[0, :counted], other[0, :moved] = 1, 1, 1
    return Contrasts(1, 1).plus([[base, count, who], [base + added, count, other]])


def test_intervals_need_enough_differing_deals_and_few_moved_owners() -> None:
    from wsim.stats.fewest import DIFFERING

    assert [contrast(count, 4000).has_interval()[0] for count in (DIFFERING - 1, DIFFERING)] == [False, True]
    assert contrast(9, 4000).effective_deals()[0] == pytest.approx(9)
    assert [contrast(9, 1000, moved).is_self_selected(0) for moved in (20, 21)] == [False, True]
    assert contrast(9, 1000, 21).moved.tolist() == [21]
    assert contrast(9, 1000).counted.tolist() == [1000]


def test_blocks_are_yielded_whole_and_in_order_however_they_are_played() -> None:
    def played(part: range) -> list[Any]:
        return [[np.array(part)], [np.array(part) * 10]]

    def chunks_of(play: Any, blocks: Any) -> Any:
        assert blocks == [range(5), range(5, 7)]
        yield from map(play, (range(2), range(2, 5), range(5, 7)))

    found = [[arm[0].tolist() for arm in block] for block in in_blocks(played, [range(5), range(5, 7)], chunks_of)]  # type: ignore[arg-type]
    assert found == [[[0, 1, 2, 3, 4], [0, 10, 20, 30, 40]], [[5, 6], [50, 60]]]


def test_the_same_games_are_played_in_every_arm() -> None:
    asked: list[Any] = []

    def arm(name: str) -> Any:
        return SimpleNamespace(frame=lambda games: asked.append((name, games)))

    play = _ArmByArm(((arm("a"), lambda _frame, games: [np.array(games)]), (arm("b"), lambda *_: [np.zeros(1)])),
                     range(100, 110))  # fmt: skip
    assert play(range(3, 6))[0].tolist() == [103, 104, 105]
    play(range(10, 20))
    assert asked == [("a", range(103, 106)), ("b", range(100, 110))]


def test_a_restricted_seat_takes_its_row_from_its_own_games(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows(simulator: Any, games: range, items: Any) -> Any:
        made = simulator.number * 100 + np.arange(3 * len(games))
        return made, made[:, None] * np.ones((1, 2 * len(items)))

    monkeypatch.setattr("wsim.questions.deals.rows_and_wishes", rows)
    simulators: Any = tuple(SimpleNamespace(number=number, seats=3) for number in range(3))
    assert Arm("x", simulators, seats=(0, 1, 2)).rows(range(2)).tolist() == [0, 101, 202, 3, 104, 205]
    assert Arm("x", simulators[:1]).rows(range(2)).tolist() == [0, 1, 2, 3, 4, 5]
    apart = Arm("x", simulators, seats=(0, 1, 2), items=("A",))._played(range(1))[1]
    assert apart.tolist() == [[0, 0], [101, 101], [202, 202]]
    names = ["followed", "overruled", "could", "wanted"]
    assert wish_columns(["A", "B"]) == [f"{name}:{item}" for item in "AB" for name in names]
    shares = pl.DataFrame({"win_share": pl.Series([1 / 3] * 3 + [1, 0, 0], dtype=pl.Float32)})
    assert wins_of(shares, 2).tolist() == [[140, 140, 140], [420, 0, 0]]
    read = Arms((Arm("a", simulators[:1]),), lambda _frame, games: [np.array(games)])
    monkeypatch.setattr(Arm, "frame", lambda _self, _games: None)
    assert [features[0].tolist() for features in read.play(range(4, 6))] == [[4, 5]]
    plan = Plan.make(policies="net")
    assert different_policies(plan, ["net", "greedy"], "{}") == ("net", "greedy")
    with pytest.raises(UserError, match="twice: net"):
        different_policies(plan, ["net", "greedy", "net"], "twice: {}")


def test_match_sides_are_read_with_sums_and_ranks() -> None:
    frame = pl.DataFrame({"win_share": [0.5, 0.5, 0, 0, 1.0, 1, 0, 0], "total": [4, 3, 5, 2, 9, 1, 3, 3]})
    wins, totals, ranks = SideReading(((0, 3), (1, 2)))(frame, range(2))
    assert totals.tolist() == [[6, 12], [8, 4]]
    assert ranks.tolist() == [[2, 1], [1, 2]]
    assert wins.tolist() == [[210, 420], [210, 420]]
    ranked = frame.with_columns(rank=pl.Series([3, 2, 1, 4] * 2))
    assert SideReading(((0, 3), (1, 2)))(ranked, range(2))[2].tolist() == [[3, 3], [2, 2]]
    assert _line_up(["x", "y"], [(0, 3), (1, 2)], (1, 0)) == ["y", "x", "x", "y"]


def test_match_figures_by_hand() -> None:
    """A duel at a table of three: 0 on one side against two sides of 1, and the reverse; two deals."""
    design = duels(2, 3)
    assert [design.seatings[number] for number in (0, 1, 3)] == [(0, 1, 1), (1, 0, 1), (1, 0, 0)]
    assert design.cells == (Cell(0, 1), Cell(1, 0))
    wins = np.zeros((2, 6, 3), np.int64)
    totals = np.full((2, 6, 3), 10)
    wins[:, :, 0] = WIN_UNITS  # the first side always wins: a lone 0 in seating 0, a lone 1 in seating 3
    totals[1, :, 1] = 16
    sums = MatchSums(design).plus(Block(range(2), wins, totals, np.ones((2, 6, 3), np.int64)))
    assert sums.wins().value.tolist() == pytest.approx([1 / 3, 1 / 3])
    assert sums.edges().value.tolist() == pytest.approx([0.0])
    assert (sums.identical(0), sums.deals, sums.differing.tolist()) == (True, 2, [0])
    # the side with 16 is the lone 0 in one of three seatings: +6 there, -3 in the other two; likewise the lone 1
    assert sums.points().value.tolist() == pytest.approx([0.0, 0.0])
    totals[1, 1, 1] = 22
    more = MatchSums(design).plus(Block(range(2), wins, totals, np.ones((2, 6, 3), np.int64)))
    assert more.points().value.tolist() == pytest.approx([(12 - 3 - 3) / 6, 0.0])
    # leads: 0 minus 1 at six tables, of which deal 2 has +12, -3, -3 and, where 1 is alone, -6, +3, +3
    assert more.leads().value.tolist() == pytest.approx([(12 - 3 - 3 - 6 + 3 + 3) / 6 / 2])
    wins[0, 0] = 0, WIN_UNITS, 0
    fewer = MatchSums(design).plus(Block(range(2), wins, totals, np.ones((2, 6, 3), np.int64)))
    assert fewer.edges().value.tolist() == pytest.approx([-1 / 6])
    assert fewer.differing.tolist() == [1]
    assert fewer.has_interval().tolist() == [False, True, True, True, True, True]


def test_rings_and_groups_of_mixed_tables_by_hand() -> None:
    assert list(_ring((0, 1, 2)))[:4] == [(0, 1, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    assert next(_ring((0, 0, 1, 1))) == (0, 1, 0, 1)
    assert _groups(2, 3) == [(0, 0, 1), (0, 1, 1)]
    assert _groups(3, 2) == [(0, 1), (0, 2), (1, 2)]
    assert _groups(2, 4) == [(0, 0, 1, 1)]
    assert mixed(["a", "b"], 3).drawn is False
    assert len(mixed(list("abcde"), 5).seatings) == 120, "all arrangements, of which 120 are played"
    six = mixed(list("bafcde"), 6)
    assert (six.drawn, len(six.seatings), six.seatings[0]) == (True, 12, (1, 0, 3, 4, 5, 2))
    places = Design(2, 3, ((0, 1, 1),), (Cell(0, None),), drawn=True).places(7, range(50))
    assert np.array_equal(np.sort(places, axis=1), np.tile(np.arange(3), (50, 1)))
    part = Design(2, 3, ((0, 1, 1),), (Cell(0, None),), drawn=True).places(7, range(20, 30))
    assert np.array_equal(part, places[20:30]), "they belong to the number of the deal"
