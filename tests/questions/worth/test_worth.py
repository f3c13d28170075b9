"""``wsim experiment worth``: the worth of items to the seats that want them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from tests.conftest import Command
from tests.stats.test_worth import rows
from wsim.errors import UserError
from wsim.policies.chances import CHANCE
from wsim.questions.registry import question_of_format
from wsim.questions.worth.answer import WorthAnswer

QUICK: dict[str, Any] = {"games": 300, "seed": 38, "policies": "balanced"}


@pytest.mark.slow
@pytest.mark.parametrize("game", ["seven_wonders", "tower_of_babel"])
def test_the_answer_does_not_depend_on_threads(game: str) -> None:
    one, three = (wsim.experiment_worth(**QUICK, game=game, threads=threads) for threads in (1, 3))
    assert one.worth.equals(three.worth)
    assert one.worth.height > 10
    assert one.games == 300


@pytest.mark.slow
@pytest.mark.parametrize("game", ["seven_wonders", "tower_of_babel"])
def test_the_table_counts_the_picks_of_the_same_games(game: str) -> None:
    keys = QUICK | {"game": game, "policies": "net", "overrule": 0.2}
    answer, played = wsim.experiment_worth(**keys, fewest=2), wsim.play(**keys)
    shares = played.picks.join(played.seats.select("game", "seat", "win_share"), on=["game", "seat"])
    asked = shares.filter(pl.col("others") > 0)
    if game == "seven_wonders":
        palaces = asked.filter(pl.col("decision").is_in(["turn", "last_card"]), wanted_action="build")
        named = {"Palace": palaces.filter(wanted_card="Palace")}
        named["next stage"] = asked.filter(pl.col("decision") != "free_city", wanted_action="stage")
    else:
        named = {"the turn": asked.filter(decision="turn", wanted=0)}
        wish = asked.filter(pl.col("decision") == "play_card", pl.col("wanted") > 0)
        named["draw_three"] = wish.filter(wanted=1 + 3)
    for name, own in named.items():
        row = rows(answer.worth.filter(~pl.col("what").str.contains("by chain|pile")))[name]
        followed, overruled = own.filter(~pl.col("overruled")), own.filter("overruled")
        assert (row["followed"], row["overruled"]) == (followed.height, overruled.height)
        assert overruled.height > 5
        gained = np.mean(followed["win_share"].to_list()) - np.mean(overruled["win_share"].to_list())
        assert row["worth"] == pytest.approx(gained, abs=1e-6)  # shares are stored in 32 bits


@pytest.mark.slow
def test_the_free_city_has_no_wishes() -> None:
    keys = QUICK | {"ruleset": "1e-duo", "players": 2, "policies": "balanced", "overrule": 0.2}
    answer, picks = wsim.experiment_worth(**keys, fewest=2), wsim.play(**keys).picks
    own = picks.filter(pl.col("others") > 0, pl.col("seat") < 2, pl.col("decision") != "free_city")
    for what, action in (("stage", "stage"), ("sell", "sell")):
        row = answer.worth.filter(what=what).row(0, named=True)
        assert row["followed"] + row["overruled"] == own.filter(wanted_action=action).height


@pytest.mark.slow
def test_wanted_is_a_share_of_turns_on_which_a_card_could_be_built() -> None:
    answer = wsim.experiment_worth(**QUICK, fewest=2)
    picks = wsim.play(**QUICK, overrule=CHANCE).picks.filter(pl.col("others") > 0, pl.col("decision") != "discard_pile")
    lists = picks.select("wanted_card", "wanted_action", "offered", "ways").explode("offered", "ways")
    could = lists.filter(pl.col("ways") > 0, pl.col("offered").cast(pl.String) == "Altar").height
    wanted = picks.filter(wanted_action="build", wanted_card="Altar").height
    assert rows(answer.worth.filter(what="build"))["Altar"]["wanted"] == pytest.approx(wanted / could)


def test_splits_are_computed_from_the_same_games() -> None:
    answer = wsim.experiment_worth(**QUICK, by="age", fewest=2)
    assert set(answer.worth["age"]) == {"1", "2", "3"}
    whole = answer.by()
    assert "age" not in whole.columns
    stage = answer.worth.filter(what="stage")["overruled"].sum()
    assert stage == whole.filter(what="stage")["overruled"].item()


@pytest.mark.slow
def test_an_answer_can_be_written_read_and_repeated(tmp_path: Path) -> None:
    answer = wsim.experiment_worth(**QUICK)
    stored = WorthAnswer.read(answer.write(tmp_path / "worth.json"))
    question = question_of_format("wsim-worth/1")
    assert question is not None
    assert question.answer_class is WorthAnswer
    assert stored.table("worth").height == answer.worth.height
    assert not answer.again(threads=1).differences
    assert f"Worth, 300 games, {CHANCE} of wishes overruled" in answer.display().tables[0].title


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"overrule": 0}, "must be between 0 and 1, not 0"),
        ({"overrule": "1"}, "must be between 0 and 1"),
        ({"overrule": "nine"}, "overrule must be a probability from 0 to 1, not 'nine'"),
        ({"by": "colour"}, "not summed by colour; accepted: age, turn, policy"),
        ({"randomise": "0.1"}, "different experiments"),
        ({"fewest": 1}, "fewest"),
    ],
)
def test_invalid_questions_are_rejected(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        wsim.experiment_worth(**{**QUICK, **keys})


def test_a_game_without_overruling_is_rejected(toy: None) -> None:
    with pytest.raises(UserError, match="toy cannot overrule policies"):
        wsim.experiment_worth(game="toy", games=5)


@pytest.mark.slow
def test_a_cluster_gives_the_same_sums() -> None:
    pytest.importorskip("distributed")
    here, there = wsim.experiment_worth(**QUICK), wsim.experiment_worth(**QUICK, cluster="local:1")
    assert here.worth.equals(there.worth)


@pytest.mark.slow
def test_intervals_cover_the_result_of_a_long_run() -> None:
    """A hundred answers of 800 games are compared with 40,000 separate games, allowing for the error of the latter."""
    keys: dict[str, Any] = {"policies": "balanced", "seed": 40}
    truth = wsim.experiment_worth(**keys, games=40_000).worth
    truth = truth.with_columns(error=(pl.col("worth_high") - pl.col("worth_low")) / 3.92)
    inside = rows_seen = 0.0
    for seed in range(100):
        found = wsim.experiment_worth(**keys | {"seed": 5000 + seed}, games=800).worth
        both = found.join(truth.select("what", "name", "error", true="worth"), on=["what", "name"])
        reach = ((pl.col("worth_high") - pl.col("worth_low")) / 2) ** 2 + (1.96 * pl.col("error")) ** 2
        inside += both.select(((pl.col("worth") - pl.col("true")).abs() < reach.sqrt()).sum()).item()
        rows_seen += both.height
    assert rows_seen > 5000
    assert 0.94 < inside / rows_seen < 0.96, inside / rows_seen


@pytest.mark.slow
def test_the_command_prints_and_writes_the_answer(wsim_command: Command, tmp_path: Path) -> None:
    out = tmp_path / "worth.json"
    said = wsim_command("experiment", "worth", "--games", "300", "--by", "age", "-o", str(out))
    assert "Worth by age, 300 games" in said.out
    assert json.loads(out.read_text())["question"]["by"] == ["age"]


def test_a_planted_worth_is_recovered() -> None:
    """A card that brings 30 points more is worth so much more, but for what an overruled seat still builds later."""
    keys: dict[str, Any] = {"policies": "random", "games": 1500, "overrule": 0.5, "seed": 3}
    plain, planted = (
        rows(wsim.experiment_worth(**keys | more).worth.filter(what="build"))["Altar"]
        for more in ({}, {"set": ["cards.Altar.points=32"]})
    )
    assert planted["points"] - plain["points"] == pytest.approx(30, abs=4)
    assert planted["verdict"] == "higher"
    assert planted["q"] < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("table", [{}, {"ruleset": "2e", "players": 3}], ids=["1e", "2e of three"])
def test_worth_agrees_with_a_ban_experiment(table: dict[str, Any]) -> None:
    """On the same deals seat 0 may not build a card: its loss, by how much less often it builds it, is the worth.

    ``analysis/worth_and_right.py`` compares all cards; here are those that are wanted most.
    """
    keys: dict[str, Any] = {"policies": "balanced", **table}

    def seat_0(**more: Any) -> pl.DataFrame:
        return wsim.simulate(**keys, games=3000, seed=6, **more).filter(pl.col("seat") == 0).sort("game")

    worth = wsim.experiment_worth(**keys, games=8000, seed=5).worth.filter(what="build")
    base, apart, errors, signs = seat_0(), [], [], []
    for row in worth.sort("overruled", descending=True).head(12).iter_rows(named=True):
        banned, column = seat_0(ban=f"0={row['name']}"), f"built:{row['name']}"
        gained, built = (
            base[name].cast(pl.Float64).to_numpy() - banned[name].cast(pl.Float64).to_numpy()
            for name in ("win_share", column)
        )
        right = gained.mean() / built.mean()
        error = np.std(gained - right * built) / len(gained) ** 0.5 / built.mean()
        own = (row["worth_high"] - row["worth_low"]) / 2 / 1.96
        apart.append(row["worth"] - right)
        errors.append(float(np.hypot(error, own)))
        signs.append(
            np.sign(row["worth"]) * (abs(row["worth"]) > 2.576 * own) * np.sign(right) * (abs(right) > 2.576 * error)
        )
    assert min(signs) >= 0
    assert max(np.abs(apart) / np.array(errors)) < 4
    assert abs(np.mean(apart)) < 3 * np.linalg.norm(errors) / len(errors)
