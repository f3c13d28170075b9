"""Overruled decisions (``wsim.kernels.overruling``): how policies are asked, and what stays unchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from tests.tiers import first_quick
from wsim.errors import UserError
from wsim.lab.plan import Plan

PLANS: dict[str, dict[str, Any]] = {
    "random": {"policies": "random", "games": 300},
    "net": {"policies": "net", "games": 300},
    "mixed": {"policies": ("net", "balanced", "science", "random"), "games": 300, "ruleset": "2e"},
    "duo": {"policies": "balanced", "games": 200, "ruleset": "1e-duo"},
    "babel": {"game": "tower_of_babel", "policies": "balanced", "games": 200},
}


def played(name: str, chance: str, **keys: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
    plan = Plan.make(**PLANS[name] | {"seed": 77} | keys)
    both = wsim.play(plan if chance == "0" else plan.replace(overrule=chance))
    return both.seats, both.picks


def could_be_overruled(picks: pl.DataFrame) -> pl.DataFrame:
    return picks.filter(pl.col("others") > 0)


@first_quick(1, "name", PLANS)
def test_decisions_are_overruled_as_often_as_the_plan_says(name: str) -> None:
    """Stages and sales of 7 Wonders half and a quarter as often: there are many more of them."""
    picks = could_be_overruled(played(name, "0.2")[1])
    if name != "babel":
        for action, part in (("stage", 0.5), ("sell", 0.25)):
            wanting, chance = picks.filter(wanted_action=action), 0.2 * part
            error = (chance * (1 - chance) / wanting.height) ** 0.5
            assert abs(wanting["overruled"].mean() - chance) < 5 * error  # type: ignore[operator]
        picks = picks.filter(wanted_action="build")
    share, error = picks["overruled"].mean(), (0.2 * 0.8 / picks.height) ** 0.5
    assert isinstance(share, float)
    assert abs(share - 0.2) < 5 * error


@first_quick(1, "name", PLANS)
def test_a_followed_policy_plays_its_wish(name: str) -> None:
    picks = could_be_overruled(played(name, "0.2")[1]).filter(~pl.col("overruled"))
    if name == "babel":
        assert (picks["wanted"] == picks["code"]).all()
    else:
        assert (picks["wanted_action"] == picks["action"]).all()
        building = picks.filter(action="build")
        assert building.height > 1000
        assert (building["wanted_card"] == building["card"]).all()


@first_quick(1, "name", ["random", "net", "mixed", "duo"])
def test_an_overruled_policy_plays_a_different_move(name: str) -> None:
    picks = could_be_overruled(played(name, "0.2")[1]).filter("overruled")
    assert set(picks["wanted_action"].unique()) == {"build", "stage", "sell"}
    building = picks.filter(wanted_action="build")
    assert not ((building["action"] == "build") & (building["card"] == building["wanted_card"])).fill_null(False).any()
    for action in ("stage", "sell"):
        wanting = picks.filter(wanted_action=action)
        assert wanting.height > 5
        assert not (wanting["action"] == action).any()


@first_quick(1, "name", ["random", "net", "duo"])
def test_a_seat_overruled_on_a_card_never_owns_it(name: str) -> None:
    seats, picks = played(name, "0.3")
    lost = could_be_overruled(picks).filter(pl.col("overruled"), wanted_action="build")
    lost = lost.filter(pl.col("decision") != "discard_pile").unique(["game", "seat", "wanted_card"])
    assert lost.height > 500
    for card in ("Altar", "Barracks", "Tavern", "Stockade"):
        losers = lost.filter(wanted_card=card).select("game", "seat")
        if f"built:{card}" in seats.columns:
            assert not seats.join(losers, on=["game", "seat"], how="semi")[f"built:{card}"].any()
    wishes = could_be_overruled(picks).filter(wanted_action="build").select("game", "seat", "wanted_card")
    assert not wishes.is_duplicated().any()  # so everybody wants a card once


def test_an_overruled_babel_turn_excludes_the_disc_or_the_whole_wonder() -> None:
    picks = could_be_overruled(played("babel", "0.2")[1]).filter("overruled")
    building = picks.filter((pl.col("decision") == "turn") & (pl.col("wanted") > 0))
    assert (building["wanted"] != building["code"]).all()
    wonder = ((pl.col("wanted") - 1) // 3, (pl.col("code") - 1) // 3)
    same = building.with_columns(same=(wonder[0] == wonder[1]) & (pl.col("code") > 0))
    assert not same.filter(struck="wonder")["same"].any()
    assert same.filter(struck="thing")["same"].any()
    assert 0.4 < (building["struck"] == "wonder").mean() < 0.6  # type: ignore[operator]


@first_quick(1, "name", PLANS)
def test_games_depend_only_on_plan_and_number(name: str) -> None:
    plan = Plan.make(**PLANS[name] | {"seed": 5, "games": 40}).replace(overrule="0.3", picks=True)
    whole = wsim.play(plan)
    alone = wsim.play(plan, threads=2)
    assert whole.seats.equals(alone.seats)
    assert whole.picks.equals(alone.picks)


@pytest.mark.parametrize("name", ["net", "babel"])
def test_a_position_and_its_game_are_overruled_at_the_same_decisions(name: str) -> None:
    from wsim.game import find_game

    plan = Plan.make(**PLANS[name] | {"seed": 5, "games": 3}).replace(overrule="0.3")
    simulator = find_game(plan.game).prepare(plan)
    rows = np.zeros(3 * simulator.seats, simulator.row_dtype)
    simulator.play(0, rows)
    totals = simulator.seats_frame(rows)["total"].to_list()
    for number in range(3):
        position = simulator.begin(number)
        while position.to_move is not None:
            position.follow()
        scores = [one["total"] for one in position.scores()]
        assert scores == totals[number * simulator.seats : (number + 1) * simulator.seats]


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
def test_a_negligible_chance_changes_no_game(name: str) -> None:
    assert played(name, "0")[0].equals(played(name, "1e-15")[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["net", "babel"])
def test_seats_may_have_separate_chances(name: str) -> None:
    picks = could_be_overruled(played(name, "0,0.5,0,0")[1])
    assert picks["seat"].unique().to_list() == [1]
    assert picks["overruled"].any()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"overrule": "2"}, "overrule must be a probability from 0 to 1, not '2'"),
        ({"overrule": "0.1,0.2"}, "overrule gives 2 values for 4 seats"),
        ({"overrule": "0.1", "randomise": "0.1"}, "randomise and overrule are different experiments"),
        ({"overrule": "-1", "game": "tower_of_babel"}, "overrule must be a probability"),
    ],
)
def test_invalid_chances_are_rejected(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        wsim.simulate(games=1, **keys)
