"""Small examples by hand: what explains a result, figures of a game's character, costs, ratings, robustness."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import wsim
from tests.questions.whatif.test_guards import answered, made, tried
from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.positions.character import FIGURES
from wsim.questions.asked import AskedAnswer
from wsim.questions.character import answer as character
from wsim.questions.character.answer import (
    CharacterAnswer,
    _differences,
    _Quantities,
    _quantities,
    _tables,
)
from wsim.questions.character.question import CharacterQuestion
from wsim.questions.compare import answer as compare
from wsim.questions.match import costs
from wsim.questions.match.costs import Cost, _cost
from wsim.questions.match.design import duels
from wsim.questions.match.results import _rarity_remarks, cost_rows
from wsim.questions.metrics import Metric, measures_of, overruled_for, parse_metric, sums_of
from wsim.questions.picks.crossing import targets_of
from wsim.questions.pooled import components_of, orders_of, ways_of
from wsim.questions.robustness.answer import _Table
from wsim.questions.variants import sweep_values
from wsim.stats.moments import Moments


def test_a_deal_in_every_rotation_is_a_latin_square() -> None:
    """Three seats and three policies; in rotation t seat s holds policy (s + t) mod 3, and seat 0 has a better hand.

    Win shares by rotation and seat, minus 1/3: the policy 0 wins in rotations 0 and 1, seat 0 wins in rotation 2.
    """
    winners = [0, 2, 0]  # seats: policy 0 sits in seat 0, then 2, then 1, where it loses to seat 0
    wins = np.array([[[float(seat == winner) for seat in range(3)] for winner in winners]] * 2)
    frame = pl.DataFrame({"win_share": wins.reshape(-1)})
    total = components_of(frame, 2, 3).sum(axis=1)
    assert orders_of(3).tolist() == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    third = 1 / 3
    # by seat over rotations: seat 0 wins two of three, seat 2 one of three
    seat = np.array([2 * third, 0, third]) - third
    # policies in turn t: seat s has policy orders[t][s]; wins go to policies 0 (seat 0), 0 (seat 2), 2 (seat 0)
    policy = np.array([2 * third, 0, third]) - third
    squares = 3 * (4 / 9 + 1 / 9 + 1 / 9)
    noise = (squares - 3 * ((seat**2).sum() + (policy**2).sum())) / 2
    head = [1, squares / 9, (seat**2).mean(), (policy**2).mean(), noise]
    assert total == pytest.approx(2 * np.concatenate([head, seat, seat**2, policy, policy**2]))


def test_character_quantities_and_their_formats() -> None:
    """Every figure is a sum over a count; forms are the derivatives of the values with respect to the sums."""
    count = len(FIGURES)
    sums = np.concatenate([np.arange(1.0, count + 1), np.full(count, 2.0), [3.0, 1.0, 4.0], [1.0, 3.0]])
    moments, ways = ["age I", "age II"], ["points_blue", "points_by_war"]
    found = _quantities(sums, 10, moments, ways)
    names = [*(("figures", figure.name) for figure in FIGURES), ("settled", "age I"), ("settled", "age II")]
    assert found.names == [*names, ("ways", "blue"), ("ways", "by war"), ("figures", "ways_to_win")]
    entropy = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    values = [*(np.arange(1.0, count + 1) / 2), 3 / 4, 1 / 4, 1 / 4, 3 / 4, math.exp(entropy)]
    assert found.values == pytest.approx(values)
    assert found.n.tolist() == [*[2.0] * count, *[10.0] * 5]
    for index in range(len(sums)):
        step = np.zeros(len(sums))
        step[index] = 1e-6
        slope = (_quantities(sums + step, 10, moments, ways).values - found.values) / 1e-6
        assert found.forms[:, index] == pytest.approx(slope, abs=1e-4), index
    assert ("figures", "ways_to_win") not in _quantities(sums[:-2], 10, moments, []).names
    lone = _quantities(np.concatenate([sums[:-2], [5.0, 0.0]]), 10, moments, ways)
    assert lone.values[-1] == pytest.approx(1.0), "all winners lead by one category"


def test_the_winning_category_is_where_the_winner_leads_most() -> None:
    frame = pl.DataFrame({"seat": [0, 1, 2], "points_blue": [9, 6, 3], "points_war": [5, 0, 0], "total": [9, 9, 9]})
    # seat 0 is ahead of the others by 4.5 in blue and by 5 in war; seat 1 by 0 and -2.5, seat 2 by -4.5 and -2.5
    for shares, expected in (
        ([1, 0, 0], [0, 1]),
        ([0, 1, 0], [1, 0]),
        ([0.5, 0.5, 0], [0.5, 0.5]),
        ([0, 0, 1], [0, 1]),
    ):
        won = frame.with_columns(win_share=pl.Series(shares, dtype=pl.Float64))
        assert ways_of(won, 1, 3).T.tolist() == [expected]
    assert ways_of(frame.select("seat"), 1, 3).shape == (0, 1)


def test_character_differences_match_rows_by_name() -> None:
    """Three games with 1, 2, 3 in the baseline and 2, 4, 6 in the variant, each next to the 1 that counts games."""
    moments = Moments(1, 4).plus_matrix(np.array([[1.0, 1.0, 2.0, 1.0], [2.0, 1.0, 4.0, 1.0], [3.0, 1.0, 6.0, 1.0]]))

    def arm(name: str, value: float, form: list[float], n: float) -> _Quantities:
        names = [("settled", "age I"), ("figures", name), ("figures", "drama")]
        forms = np.array([[0.0] * 4, [9.0] * 4, form])
        return _Quantities(names, np.array([0.0, 1.0, value]), forms, np.array([3.0, 3.0, n]))

    arms = [arm("a", 2.0, [1 / 3, -2 / 3, 0, 0], 3.0), arm("b", 4.0, [0, 0, 1 / 3, -4 / 3], 4.0)]
    table = _differences(moments, ["base", "new"], arms, 0.95)
    assert table.select("arm", "figure", "baseline", "variant", "difference").rows() == [
        ("new", "drama", 2.0, 4.0, 2.0)
    ]
    # the differences 1, 2, 3 have a standard deviation of 1, their mean of 3 an error of 1 / sqrt(3); t with 2 degrees
    assert table["difference_high"][0] == pytest.approx(2 + 4.302653 / math.sqrt(3), rel=1e-4)
    assert table["verdict"].to_list() == ["unclear"]


def test_character_tables_use_the_features_of_their_arm() -> None:
    count = len(FIGURES)
    game = np.concatenate([np.full(count, 0.5), np.ones(count), [0.25, 0.75, 1.0], [1.0, 0.0]])
    other = np.concatenate([np.full(count, 0.7), np.ones(count), [0.5, 0.5, 1.0], [0.0, 1.0]])
    one, two = (np.stack([game, other]) for _ in range(2))
    moments = Moments(1, 2 * len(game)).plus_matrix(np.concatenate([one, two * 2], axis=1))
    figures, differences, settled, ways = _tables(
        moments, 2, ["x", "y"], [["age I", "end"]] * 2, [["points_a", "points_b"]] * 2, 0.95
    )
    assert figures.height == 2 * (count + 1)
    assert figures.filter(pl.col("figure") != "ways_to_win")["estimate"].to_list() == pytest.approx([0.6] * 2 * count)
    assert figures.filter(figure="ways_to_win")["estimate"].to_list() == pytest.approx([2.0, 2.0])
    assert settled.select("arm", "moment", "share", "n").rows() == [
        ("x", "age I", 0.375, 2), ("x", "end", 0.625, 2), ("y", "age I", 0.375, 2), ("y", "end", 0.625, 2),
    ]  # fmt: skip
    assert ways["category"].to_list() == ["a", "b"] * 2
    assert ways["share"].to_list() == [0.5] * 4
    assert differences["difference"].to_list() == pytest.approx([0.0] * (count + 1))


def test_the_cost_of_a_policy_is_measured_on_growing_numbers_of_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a game that takes 1 ms, 1, 1, 16 and 48 are played, then twice as many: 50 ms are enough."""
    played: list[int] = []

    def play(milliseconds: float) -> Any:
        def of(_simulator: Any, games: int) -> Cost:
            played.append(games)
            return Cost(games, 0, games * milliseconds / 1000, games * milliseconds / 1000)

        played.clear()
        monkeypatch.setattr(costs, "_play", of)
        return SimpleNamespace()

    for milliseconds, expected in (
        (1.0, [1, 1, 16, 48, 96]), (0.001, [1, 1, 16, 256, 4096]), (49.0, [1, 1, 2]), (50.0, [1, 1]),
        (600.0, [1, 1]), (1000.0, [1]),
    ):  # fmt: skip
        assert _cost(play(milliseconds)).games == expected[-1]
        assert played == expected, milliseconds
    table = cost_rows(["a", "b"], [[Cost(2, 100, 0.01, 9), Cost(1, 0, 0.0, 9)], [Cost(3, 300, 0.03, 9)] * 2])
    assert table.rows() == [("a", pytest.approx(100.0), pytest.approx(125.0)), ("b", pytest.approx(100), 4 / 0.03)]
    assert cost_rows(["c"], [[Cost(1, 0, 0.0, 1)]]).rows() == [("c", None, None)]


def test_squared_differences_are_shrunk_by_their_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two items, three players; cells left out move player 1 by 3 and 1, player 2 by 0: e^2 are (9, 1) / 2 and 0."""
    table = _Table.__new__(_Table)
    table.policies = ("a", "b", "c")
    table.left_out = np.zeros((1, 3, 2))
    table.left_out[0, 1] = 3.0, 1.0
    asked: list[Any] = []

    def shrink(*given: Any) -> Any:
        asked.append(given)
        return SimpleNamespace(value="shrunk")

    monkeypatch.setattr("wsim.questions.robustness.answer.shrink", shrink)
    assert table._shrunk(np.array([5.0, 3.0])) == "shrunk"
    (square, error), noise, mean = asked[0], np.array([9.0, 1.0]) / 2 * 2 / 3, 4.0
    assert square.tolist() == [5.0, 3.0]
    assert error == pytest.approx(np.sqrt((4 * mean * noise + 2 * noise**2) / 2))
    table._shrunk(np.array([-5.0, 3.0]))
    assert asked[1][1] == pytest.approx(np.sqrt(2 * noise**2 / 2)), "the mean of a table is not less than 0"
    table._shrunk(np.array([np.nan, 2.0]))
    assert asked[2][1] == pytest.approx(np.sqrt((4 * 2 * noise + 2 * noise**2) / 2)), "of the items that are known"


def test_a_sweep_has_two_to_fifty_values() -> None:
    for sweep in ("a.b=1..50", f"a.b={','.join(map(str, range(50)))}"):
        assert len(sweep_values(sweep)[1]) == 50
    for sweep in ("a.b=1..51", f"a.b={','.join(map(str, range(51)))}", "a.b=0..1..0.02", "a.b=7", "a.b=3..3"):
        with pytest.raises(UserError, match=r"has (51|1) values: it must have 2 to 50"):
            sweep_values(sweep)
    assert sweep_values(" a.b = 1.5..3 ")[1] == ["1.5", "2.5"]
    assert sweep_values("a.b=-1..0..0.5")[1] == ["-1.0", "-0.5", "0.0"]
    assert sweep_values("a=[1, 2],[3, 4],'x,y'")[1] == ["[1, 2]", "[3, 4]", "'x,y'"]
    for wrong in ("a.b=5..4", "a.b=1..5..0", "a.b=1..5..-1"):
        with pytest.raises(UserError, match="must run from small to large in steps above 0"):
            sweep_values(wrong)


def test_worth_needs_followed_and_overruled_wishes() -> None:
    with pytest.raises(UserError, match="worth needs wishes of both kinds: overrule must be between 0 and 1, not 1"):
        overruled_for(Plan.make(players=3, overrule=1), ["worth:Palace"])
    plan = overruled_for(Plan.make(players=3), [" worth:Palace"])
    assert overruled_for(Plan.make(players=3), ["win"]).options == {}
    assert overruled_for(Plan.make(players=3, overrule=0.25), ["worth:Palace"]).options["overrule"] == "0.25"
    assert 0 < float(plan.options["overrule"]) < 1


def test_owner_metrics_need_a_game_with_owned_items() -> None:
    seats = pl.DataFrame(schema={"game": pl.UInt64, "seat": pl.UInt8, "total": pl.Int32, "win_share": pl.Float32,
                                 "built:Palace": pl.Boolean, "rank": pl.UInt8})  # fmt: skip
    palace = parse_metric("owner:palace", seats, {"built:": "card"})
    assert (palace.column, palace.owned, palace.item, palace.per_game) == (
        "win_share",
        "built:Palace",
        "Palace",
        False,
    )
    assert parse_metric("winner:Palace", seats, {"built:": "card"}).per_game
    built = parse_metric("built:Palace", seats, {"built:": "card"})
    assert (built.share, built.item, built.estimand()) == (
        True,
        "Palace",
        "share of all seats that own Palace at the end",
    )
    for wrong in ("owner", "owner:Palace", "ownr:Palace"):
        owned = {} if ":" in wrong and wrong.startswith("owner") else {"built:": "card"}
        with pytest.raises(UserError, match=f"unknown metric '{wrong}'"):
            parse_metric(wrong, seats, owned)
    assert measures_of(seats) == ["total", "win_share", "built:Palace"]


def test_owner_codes_identify_the_counted_seats() -> None:
    """Three seats, two games; the second seat of the first game and the last of the second own the Palace."""
    seats = pl.DataFrame({"total": [4, 6, 2, 1, 3, 8], "win_share": [0.0, 1, 0, 0, 0, 1], "rank": [2, 1, 3, 3, 2, 1],
                          "built:Palace": [False, True, False, False, False, True],
                          "followed:Palace": [1, 2, 0, 0, 0, 1], "overruled:Palace": [0, 1, 1, 3, 0, 0]})  # fmt: skip
    owner = Metric("owner:Palace", "win_share", True, item="Palace", owned="built:Palace")
    winner = Metric("winner:Palace", "win_share", True, item="Palace", owned="built:Palace", per_game=True)
    score, worth = Metric("score", "total", False), Metric("worth:Palace", "total", False, item="Palace", wished=True)
    every = np.ones(3, bool)
    sums = sums_of(seats, 3, [score, owner, winner], every)
    assert sums.tolist() == [[[12, 3, 7], [1, 1, 2], [1, 1, 0]], [[12, 3, 7], [1, 1, 4], [1, 1, 0]]]
    assert sums_of(seats, 3, [score], np.array([True, False, True])).tolist() == [[[6, 2, 5]], [[9, 2, 5]]]
    wished = sums_of(seats, 3, [worth, score], every)
    assert wished[:, 0].tolist() == [[4 + 12, 3, 0, 6 + 2, 2], [8, 1, 0, 3, 3]]
    assert wished[:, 1].tolist() == [[12, 3, 7, 0, 1], [12, 3, 7, 0, 1]]
    free_city = seats.with_columns(rank=pl.Series([2, 1, 0, 3, 0, 1]))
    assert sums_of(free_city, 3, [score], every)[:, 0].tolist() == [[10, 2, 3], [9, 2, 5]]
    assert sums_of(seats, 3, [Metric("x", "built:Loom", True)], every)[:, 0].tolist() == [[0, 3, 7]] * 2


def test_compared_tables_are_listed_with_their_row_counts() -> None:
    class Three(AskedAnswer):
        TABLES = ("effects", "levels", "pairs", "gone")
        ROWS: ClassVar[dict[str, str]] = {"levels": "rung"}

    assert Three.compared({"effects": [1, 2], "levels": [1], "pairs": [], "gone": "x"}) == "2 effects and 1 rung"
    assert Three.compared({"effects": [1], "levels": [1, 2], "pairs": [1] * 3}) == "1 effect, 2 rungs and 3 pairs"
    assert Three.compared({"effects": [1]}) == "1 effect"


def test_people_are_compared_with_simulated_seats_on_the_same_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """People took A three times of four and won there; simulated seats have A and B twice each, and win with B."""
    monkeypatch.setattr(compare, "_with_seats", lambda frame, *_runs: frame)

    def run(boards: list[str], wins: list[float], people: dict[str, str] | None) -> Any:
        frame = pl.DataFrame({"game": [0, 1, 2, 3], "total": [40] * 4, "win_share": wins,
                              "board": pl.Series(boards, dtype=pl.Enum(["A", "B"]))})  # fmt: skip
        return SimpleNamespace(people=people, seats=frame.lazy(), rows_of=lambda *_games: frame.lazy())

    metrics = (Metric("win", "win_share", True), Metric("win:B", "win_share", True, where=(("board", "B"),)))
    people, simulated = ["A", "A", "A", "B"], run(["A", "A", "B", "B"], [0.0, 0.0, 1.0, 1.0], None)
    wins = [1.0, 1.0, 1.0, 0.0]
    for boards, expected, weighted in (("chosen", 0.25, True), ("dealt", 0.5, False)):
        columns, how = compare._with_people(run(people, wins, {"boards": boards}), simulated, metrics, 0.95)
        assert columns["first"].to_list() == [0.75, 0.0]
        assert columns["second"].to_list() == [pytest.approx(expected), 1.0]
        assert (columns["n_first"].to_list(), columns["n_second"].to_list()) == ([4, 1], [4, 2])
        assert how.startswith(
            "Unpaired: people's games share no deals with others; people's errors are clustered by game"
        )
        assert ("weighted to the same boards" in how) is weighted


def test_several_variants_have_joint_intervals() -> None:
    notes = [answered(tried(made(np.ones((count, 600))), budget=600)).display().notes[0] for count in (1, 2)]
    assert notes[0] == "The interval is valid for all looks jointly, with 95% confidence."
    assert notes[1].startswith("The intervals of this table are jointly valid, for all variants and looks, with 95%")


def test_function_keywords_follow_the_plan_keywords() -> None:
    for words in (("greedy", "greedy"), (Plan.make(players=3), "greedy", "greedy")):
        with pytest.raises(UserError, match="'greedy' is named twice"):
            wsim.match(*words)


def test_tables_of_several_arms_are_labelled_by_arm_and_name() -> None:
    row = {"figure": "drama", "estimate": 0.1, "estimate_low": 0.0, "estimate_high": 0.2, "n": 9, "about": "x"}
    empty = pl.DataFrame()
    ways = pl.DataFrame({"arm": "a", "category": "blue", "share": 1.0, "share_low": 1.0, "share_high": 1.0, "n": 9})
    for arms, labels in ((["a"], 1), (["a", "b"], 2)):
        figures = pl.DataFrame([{"arm": arm, **row} for arm in arms])
        none = pl.DataFrame(schema={"verdict": pl.String})  # of differences
        answer = CharacterAnswer(CharacterQuestion(), "done", 9, 1.0, figures, none, empty, empty, ways, empty, ())
        viability = pl.DataFrame({"arm": "a", "what": "w", "name": "n", "wanted": 0.0, "wanted_low": 0.0,
                                  "wanted_high": 0.0, "n": 9, "verdict": ["", "nobody wants"]})  # fmt: skip
        tables = replace(answer, viability=viability).display().tables
        assert [(table.labels, "arm" in table.rows[0]) for table in tables] == [(labels, labels == 2)] * 3
        assert [len(table.rows) for table in tables] == [len(arms), 1, 1]
        assert ("of each arm" in tables[0].title) is (labels == 2)


def test_two_policies_that_do_better_as_the_minority_are_both_named() -> None:
    """Three sides; one a among b wins .4 to .5, one b among a .35 to .6: both more than a third."""
    design = duels(2, 3)

    def trial(low: list[float], high: list[float], sides: int = 3) -> Any:
        wins = SimpleNamespace(low=np.array(low), high=np.array(high))
        table = SimpleNamespace(design=duels(2, sides), policies=("a", "b"), name="1e, 3 players")
        return SimpleNamespace(table=table, figures=lambda: SimpleNamespace(wins=wins))

    assert [(cell.policy, cell.field) for cell in design.cells] == [(0, 1), (1, 0)]
    (rare,) = _rarity_remarks(trial([0.4, 0.35], [0.5, 0.6]))
    assert rare.startswith(
        "Both a and b win more than the fair share as one seat against seats of the other (1e, 3 players)"
    )
    (crowd,) = _rarity_remarks(trial([0.1, 0.2], [0.2, 0.3]))
    assert crowd.startswith("Both a and b win less than the fair share")
    assert _rarity_remarks(trial([0.4, 0.3], [0.5, 0.6])) == _rarity_remarks(trial([0.1, 0.2], [0.2, 0.34])) == []
    assert _rarity_remarks(trial([0.6, 0.6], [0.7, 0.7], sides=2)) == []


def test_sweep_targets_keep_row_order() -> None:
    cards = [f"card {number * 37 % 50:02}" for number in range(50)]
    rows = {"action": "build", "card": [card for card in cards for _ in range(2)], "value": [1, 2] * 50}
    effects = pl.DataFrame(rows).with_columns(effect=1.0, effect_low=0.5, effect_high=1.5)
    assert targets_of(effects, 2.0)["card"].to_list() == cards


def test_an_item_is_viable_if_it_is_wanted_often_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three things in 20 parts of games: wanted on 1 or 3 of 1,000 turns, 30 or 50 of 100, 990 or all of 1,000."""

    def sums_of_wishes(_simulator: Any, _game: str) -> Any:
        def play(games: range) -> Any:
            even = games.start % 2 == 0
            totals = np.full((4, 6), 777.0)
            totals[:3, 0], totals[:3, 3] = (1, 20, 990) if even else (3, 50, 1000), (0, 10 if even else 0, 0)
            reach = np.array([1000.0, 100, 1000, 5])
            labels = {"worth what": ["build"] * 3, "worth name": ["A", "B", "C"]}
            return SimpleNamespace(labels=labels, arrays={"worth/totals": totals, "worth/reach": reach})

        return play

    game = SimpleNamespace(WISHES="x", prepare=lambda plan: plan)
    monkeypatch.setattr(character, "find_game", lambda _name: game)
    monkeypatch.setattr(character, "overruled", lambda plan, chance: (plan, chance))
    monkeypatch.setattr(character, "WishSums", sums_of_wishes)
    arms: Any = [("arm", SimpleNamespace(game="x", options={}), None)]
    table = character._viability(arms, CharacterQuestion(), 20)
    assert table.select("name", "n", "verdict").rows() == [
        ("A", 20000, "nobody wants"), ("B", 2000, ""), ("C", 20000, "always wanted"),
    ]  # fmt: skip
    assert table["wanted"].to_list() == pytest.approx([0.002, 0.4, 0.995])
    # 30 or 50 instead of 40, deviations of 10 / 2,000: error sqrt(20 / 19 * 20) * .005; Student, 19 degrees: 2.093024
    assert table["wanted_high"][1] == pytest.approx(0.4 + 2.093024 * math.sqrt(20 / 19 * 20) * 0.005, rel=1e-6)
    arms[0][1].options = {"overrule": "0.1"}
    assert character._viability(arms, CharacterQuestion(), 2).height == 0, "the plan overrules already"


def test_runs_that_share_no_game_are_compared_with_both_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points 1, 2, 3 in three games and 4, 6 in two: means 2 and 5, variances of the means 1/3 and 1."""
    values = {"one": [1.0, 2.0, 3.0], "two": [4.0, 6.0]}
    runs: list[Any] = [SimpleNamespace(name=name, games=len(of)) for name, of in values.items()]
    monkeypatch.setattr(compare, "_seats_a_game", lambda _run: 1)
    monkeypatch.setattr(compare, "_spans", lambda run: [range(run.games)])
    monkeypatch.setattr(
        compare, "_blocks",
        lambda run, *_rest: iter([[np.array([values[run.name]]), np.ones((1, run.games)), None]]),
    )  # fmt: skip
    said: list[Any] = []
    metrics = (Metric("score", "total", False),)
    columns = compare._separate(runs[0], runs[1], metrics, 0.95, lambda *words: said.append(words))
    assert said == [("games", 3, 5), ("games", 5, 5)]
    assert (columns["first"].to_list(), columns["second"].to_list()) == ([2.0], [5.0])
    assert (columns["difference"].to_list(), columns["n_first"].to_list(), columns["n_second"].to_list()) == (
        [3],
        [3],
        [2],
    )
    # the smaller run has 1 degree of freedom: Student's 12.7062
    assert columns["difference_high"][0] == pytest.approx(3 + 12.7062 * math.sqrt(1 / 3 + 1), rel=1e-4)
