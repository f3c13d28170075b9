"""Comparisons in 7 Wonders and in Tower of Babel: common deals, restrictions, planted effects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import wsim
from wsim.game import find_game
from wsim.lab.plan import Plan

RANDOM: dict[str, Any] = {"policies": "random", "threads": 1}


def hands(plan: Plan, number: int) -> list[Any]:
    """Return the cards dealt in a game."""
    return [age["hands"] for age in find_game(plan.game).prepare(plan).trace(number)["ages"]]


def test_both_arms_are_dealt_the_same_hands_and_boards() -> None:
    base = Plan.make(policies="random")
    variant = base.replace(set=["cards.Palace.points=11"])
    for number in (0, 7):
        assert hands(base, number) == hands(variant, number)
    boards = [
        wsim.simulate(plan, games=50).select("wonder", "side", "policy").cast(pl.String) for plan in (base, variant)
    ]
    assert boards[0].equals(boards[1])


def test_three_extra_points_on_a_card_are_detected() -> None:
    answer = wsim.whatif(**RANDOM, set=["cards.Palace.points=11"], budget=20_000)
    [row] = answer.effects.to_dicts()
    assert (row["verdict"], answer.stopped) == ("higher", "clear")
    built = answer.details.filter(metric="built:Palace")["baseline"].item()
    assert row["effect"] == pytest.approx(3 * built)  # random policies do not care what a card is worth
    assert row["variance_removed"] > 0.9
    metrics = answer.details["metric"].to_list()
    assert metrics[:4] == ["score", "built:Palace", "owner:Palace", "winner:Palace"]
    assert {"win:Gizah", "win:A"} <= set(metrics)


@pytest.mark.slow
def test_a_card_points_sweep_increases_the_score() -> None:
    effects = wsim.whatif(**RANDOM, sweep="cards.Palace.points=6..10..2", budget=2000).effects
    assert effects["verdict"].to_list() == ["lower", "identical", "higher"]
    assert effects["effect"].is_sorted()


def test_a_patch_file_can_be_the_change(tmp_path: Path) -> None:
    patch = tmp_path / "palace.toml"
    patch.write_text("[cards.Palace]\npoints = 11\n")
    answer = wsim.whatif(**RANDOM, patch=[str(patch)], budget=1000)
    assert answer.effects["verdict"].to_list() == ["higher"]
    assert "owner:Palace" in answer.details["metric"].to_list()
    with pytest.raises(wsim.UserError, match=r"nowhere\.toml"):
        wsim.whatif(**RANDOM, patch=["nowhere.toml"])


BANS = {
    "trade": pl.col("trade_paid") == 0,
    "stages": pl.col("stages") == 0,
    "sell": pl.col("sold") == 0,
    "green": pl.col("green") == 0,
    "Altar": ~pl.col("built:Altar"),
}


@pytest.mark.parametrize("thing", BANS)
def test_a_banned_seat_never_takes_the_banned_action(thing: str) -> None:
    seats = wsim.simulate(policies="random", games=200, threads=1, ban=f"2={thing}")
    banned = seats.filter(seat=2).select(share=BANS[thing].mean())["share"].item()
    free = seats.filter(pl.col("seat") != 2).select(share=BANS[thing].mean())["share"].item()
    # selling is allowed where nothing else is, so that a game can go on
    assert banned > 0.5 if thing == "sell" else banned == 1
    assert free < banned


@pytest.mark.slow
def test_banning_trade_costs_a_random_seat_points() -> None:
    answer = wsim.whatif(**RANDOM, ban=["trade"], budget=2000)
    [row] = answer.effects.to_dicts()
    assert row["verdict"] == "lower"
    assert row["effect"] < -3
    assert answer.games == 5 * answer.deals
    share = answer.details.filter(metric="win").to_dicts()[0]
    assert share["baseline"] == pytest.approx(0.25)
    assert share["effect_high"] < 0


def test_whatif_works_for_tower_of_babel() -> None:
    asked: dict[str, Any] = {"game": "tower_of_babel", "policies": "random", "threads": 1, "budget": 1000}
    answer = wsim.whatif(**asked, sweep="babel.value_table.3=[3, 2, 1],[40, 20, 10]")
    assert answer.effects["verdict"].to_list() == ["lower", "higher"]
    assert answer.effects["variance_removed"].min() > 0  # type: ignore[operator]
    assert answer.details["metric"].unique().to_list() == ["score"]  # one policy, no wonders of seats, no cards
    with pytest.raises(wsim.UserError, match="tower_of_babel cannot restrict a seat"):
        wsim.whatif(**asked, ban=["trade"])


def test_a_balanced_design_seats_each_board_everywhere_equally_often() -> None:
    """With seven boards and two sides, each block of 14 games has each board side once in each seat."""
    seats = wsim.simulate(policies="random", games=140, threads=1, wonders="balanced")
    counts = seats.group_by("wonder", "side", "seat").len()
    assert counts.height == 7 * 2 * 4
    assert counts["len"].unique().to_list() == [10]
    per_game = seats.group_by("game").agg(pl.col("wonder").n_unique())
    assert per_game["wonder"].unique().to_list() == [4]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"ban": ["tarde"]}, "cannot ban 'tarde'"),
        ({"ban": ["1=trade"]}, "a ban must be a list such as green,trade, not '1=trade'"),
        ({"change": ["cards.Palce.points=6"]}, "cards.Palce"),
        (
            {"change": ["cards.Palace.points=8"]},
            "nothing to compare: the baseline already has cards.Palace.points=8",
        ),
        ({"change": ["cards.Palace.points=9"], "metric": "win:Giza"}, "no wonder or side is called 'Giza'"),
    ],
)
def test_mistakes_list_the_accepted_values(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(wsim.UserError) as refused:
        wsim.whatif(**RANDOM, **asked)
    assert sentence in str(refused.value)


@pytest.mark.slow
def test_set_is_the_change_in_python_and_on_the_command_line() -> None:
    asked: dict[str, Any] = {"budget": 200, "metric": "built:Palace", "policies": "random"}
    answer = wsim.whatif(set=["cards.Palace.points=5"], base_set=["cards.Altar.points=9"], **asked)
    assert answer.effects["variant"].to_list() == ["cards.Palace.points=5"]
    assert answer.baseline.identity["plan"]["set"] == ["cards.Altar.points=9"]
    former: dict[str, Any] = {"change": ["cards.Palace.points=5"], "base_set": ["cards.Altar.points=9"]}
    assert wsim.whatif(**former, **asked).effects.equals(answer.effects)
    with pytest.raises(wsim.UserError, match="got both set and change, which mean the same: use base_set"):
        wsim.whatif(set=["cards.Palace.points=5"], **former)
