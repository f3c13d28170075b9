"""Pick experiments: the numbers of ways used as weights, planted effects, mistakes, an interrupt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from tests.conftest import Command
from tests.tiers import first_quick
from wsim.lab.execution import Execution
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted
from wsim.questions.picks.answer import play_experiment, randomised
from wsim.questions.picks.question import PickQuestion
from wsim.stats import benjamini_hochberg
from wsim.wonders.analysis import pick_effects

UNIFORM: dict[str, Any] = {"policies": "random", "threads": 1, "randomise": 1}
PLUS_30: dict[str, Any] = {"set": ["cards.Altar.points=32"]}  # 2 in the rules
PLANTED: tuple[tuple[str, dict[str, Any]], ...] = (("plain", {}), ("planted", PLUS_30))


def test_the_ways_to_build_account_for_every_legal_move() -> None:
    """The moves of a hand are for each card its ways to build, the payments for the stage, and one sale (R50)."""
    picks = wsim.simulate(policies="random", games=100, threads=1, picks=True, randomise=0.3)
    turns = picks.filter(pl.col("decision").cast(pl.String) == "turn")
    cards, builds = turns["offered"].list.len(), turns["ways"].list.sum()
    assert (turns["ways"].list.len() == cards).all()
    stages = (turns["legal"] - builds - cards) / cards
    assert (stages == stages.round()).all()
    assert (stages >= 0).all()
    built = (
        turns.filter(pl.col("action") == "build").explode("offered", "ways").filter(pl.col("offered") == pl.col("card"))
    )
    assert built["ways"].min() >= 1  # type: ignore[operator]
    staged = turns.with_columns(stages=stages).filter(pl.col("action") == "stage")
    assert staged["stages"].min() >= 1  # type: ignore[operator]


def test_a_planted_effect_is_recovered() -> None:
    """Seats that build a card worth 30 extra points score 30 more; other seats may still build a later copy."""
    effects = {}
    for name, more in PLANTED:
        answer = wsim.experiment_picks(**UNIFORM, games=1500, actions=["build"], card="altar", **more)
        [effects[name]] = answer.effects.to_dicts()
    planted, plain = effects["planted"], effects["plain"]
    assert planted["effect_low"] > 15
    assert planted["effect"] - plain["effect"] == pytest.approx(30, abs=4)
    assert planted["q"] < 1e-6
    assert planted["card"] == "Altar"


@pytest.mark.slow
def test_rare_actions_are_omitted() -> None:
    many, few = (
        wsim.experiment_picks(**UNIFORM, games=60, actions=["build"], min_effective_n=fewest).effects
        for fewest in (1, 40)
    )
    assert 0 < few.height < many.height
    assert (few["effective"] >= 40).all()
    assert (many["effective"] >= 1).all()
    assert few["q"].is_between(0, 1).all()


@pytest.mark.slow
def test_q_values_are_computed_over_all_actions() -> None:
    effects = wsim.experiment_picks(**UNIFORM, games=150, actions=["build", "sell"], min_effective_n=5).effects
    assert set(effects["action"]) == {"build", "sell"}
    assert effects["q"].to_numpy() == pytest.approx(benjamini_hochberg(effects["p"].to_numpy()), nan_ok=True)


def test_without_randomised_picks_there_is_no_experiment() -> None:
    plan = Plan.make(policies="balanced", games=20, players=3)
    picks, seats = wsim.simulate(plan, picks=True), wsim.simulate(plan)
    with pytest.raises(
        wsim.UserError, match=r"no pick of this run was randomised, .* play with --randomise 0.1 --picks"
    ):
        pick_effects(picks, seats)


@pytest.mark.slow
def test_explored_picks_are_recorded_as_uniform() -> None:
    """A policy that takes the first move explores half of the time; exactly these picks are recorded as uniform."""
    picks = wsim.simulate(policies="first:explore=0.5", games=300, players=3, picks=True)
    turns = picks.filter(pl.col("decision").cast(pl.String) == "turn", pl.col("legal") > 1)
    drawn = turns.filter("randomised")
    assert drawn.height / turns.height == pytest.approx(0.5, abs=4 * 0.5 / turns.height**0.5)
    assert drawn["probability"].to_numpy() == pytest.approx(1 / drawn["legal"].to_numpy(), rel=1e-6)
    sales = (drawn["offered"].list.len() / drawn["legal"]).to_numpy()  # of each distinct card one is legal
    sold = (drawn["action"].cast(pl.String) == "sell").to_numpy()
    assert sold.mean() == pytest.approx(sales.mean(), abs=4 * 0.5 / len(sold) ** 0.5)
    own = turns.filter(~pl.col("randomised"))
    assert (own["probability"] == 1).all()
    forced = own.filter(pl.col("action").cast(pl.String) == "sell")  # builds are listed first
    assert (forced["ways"].list.sum() == 0).all()
    plain = wsim.simulate(policies="first", games=50, players=3, picks=True)
    assert not plain["randomised"].any()


def test_recording_exploration_changes_no_game() -> None:
    keys: dict[str, Any] = {"policies": "balanced:explore=0.5,net:explore=0.2,random", "games": 40, "players": 3}
    played = wsim.play(**keys)
    assert played.seats.equals(wsim.simulate(**keys))
    assert played.picks["randomised"].any()


@pytest.mark.slow
def test_both_ways_of_exploring_agree_about_cards() -> None:
    """Both records estimate the same effects, so their differences are no larger than their standard errors imply."""
    found = []
    for seed, keys in ((1, {"policies": "balanced:explore=0.5"}), (2, {"policies": "balanced", "randomise": 0.5})):
        plan = Plan.make(players=3, games=4000, seed=seed, **keys)
        effects = pick_effects(wsim.simulate(plan, picks=True), wsim.simulate(plan), "build").frame
        found.append(effects.select("card", "effect", error=(pl.col("effect_high") - pl.col("effect_low")) / 3.92))
    both = found[0].join(found[1], on="card").drop_nulls()
    z = ((both["effect"] - both["effect_right"]) / (both["error"] ** 2 + both["error_right"] ** 2).sqrt()).to_numpy()
    assert len(z) > 50
    assert both["effect"].to_numpy().std() > 1  # cards differ
    assert 0.5 < (z**2).mean() < 1.6
    assert abs(z.mean()) < 4 / len(z) ** 0.5


def test_an_exploring_policy_has_no_recorded_wish() -> None:
    plan = Plan.make(policies="balanced:explore=0.5", games=20, players=3)
    picks, seats = wsim.simulate(plan, picks=True), wsim.simulate(plan)
    with pytest.raises(wsim.UserError, match=r"every pick that counts was drawn at random, .* compare with others"):
        pick_effects(picks, seats, against="policy")


def test_an_exploring_policy_is_randomised_with_the_recorded_chance() -> None:
    """Weighted by its inverse probability, each legal move counts 1 on average, drawn or chosen."""
    picks = wsim.simulate(policies="first:explore=0.5", games=300, players=3, picks=True, randomise=0.3)
    turns = picks.filter(pl.col("decision").cast(pl.String) == "turn", pl.col("legal") > 1)
    weight = (1 / (turns["legal"] * turns["probability"])).to_numpy()
    assert weight.mean() == pytest.approx(1, abs=4 * weight.std() / len(weight) ** 0.5)
    legal, probability = turns["legal"].to_numpy().astype(float), turns["probability"].to_numpy()
    wanted, drawn = (np.abs(probability - chance) < 1e-6 for chance in (0.7 + 0.3 / legal, 1 / legal))
    margin = 4 * 0.5 / len(turns) ** 0.5
    assert drawn.mean() == pytest.approx(0.5, abs=margin)
    assert wanted.mean() == pytest.approx(0.5 * (0.7 + 0.3 / legal).mean(), abs=margin)
    assert turns["randomised"].to_numpy()[~wanted].all()
    rest = ~wanted & ~drawn
    assert probability[rest] == pytest.approx((0.3 / legal)[rest])


@pytest.mark.slow
def test_policy_wishes_have_no_effect_against_the_policy() -> None:
    answer = wsim.experiment_picks(
        policies="random", threads=1, games=600, randomise=0.5, actions=["build"], against="policy", card="Altar"
    )
    [row] = answer.effects.to_dicts()
    assert row["effect_low"] - 2 < 0 < row["effect_high"] + 2


@pytest.mark.slow
def test_a_stored_experiment_run_is_an_ordinary_run(tmp_path: Path) -> None:
    folder = tmp_path / "picks"
    answer = wsim.experiment_picks(**UNIFORM, games=60, folder=folder, min_effective_n=1)
    run = wsim.load_run(folder)
    assert run.complete
    assert run.plan.options["randomise"] == "1"
    assert answer.complete
    assert answer.games == 60
    assert run.picks.select(pl.len()).collect().item() > 60 * 4 * 17
    assert set(answer.effects["action"]) == {"build", "stage", "sell"}


@pytest.mark.slow
def test_the_answer_does_not_depend_on_threads(tmp_path: Path) -> None:
    one, two = (
        wsim.experiment_picks(policies="random", games=120, threads=threads, min_effective_n=1).effects
        for threads in (1, 2)
    )
    assert one.equals(two)


def test_the_estimand_is_one_sentence() -> None:
    answer = wsim.experiment_picks(**UNIFORM, games=20, actions=["sell"], outcome="win", age=2)
    assert answer.estimand == (
        "Over the turns of age 2 on which a seat could sell the card, its mean final win share if it does so (a way to "
        "pay drawn uniformly) minus its mean final win share if it makes a uniformly drawn other legal move, with "
        "all seats continuing as in this experiment."
    )


@pytest.mark.slow
def test_an_interrupt_keeps_the_finished_games(tmp_path: Path) -> None:
    plan = randomised(Plan.make(policies="random", games=20_000), 0.5)

    def stop(doing: str, done: int, games: int) -> None:
        if done >= 15_000:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        play_experiment(plan, PickQuestion(("build",)), tmp_path / "run", execution=Execution(progress=stop))
    answer = stopped.value.result
    assert answer is not None
    assert not answer.complete
    assert 0 < answer.games < 20_000
    assert answer.effects.height > 40


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"randomise": 0}, "randomise must be a chance above 0 that a pick is random, not 0"),
    (
        {"randomise": 0, "policies": "greedy:explore=0.1"},
        "randomise must be a chance above 0 that a pick is random, not 0; random moves by explore",
    ),
    ({"randomise": 1.5}, "option randomise must be a probability from 0 to 1, not '1.5'"),
    ({"actions": ["bild"]}, "unknown action 'bild' (did you mean 'build'?); accepted: build, stage, sell, take"),
    ({"actions": []}, "name at least one action: build, stage, sell, take"),
    ({"against": "all"}, "a pick is compared against others or policy, not 'all'"),
    ({"level": 95}, "a confidence level must be between 0 and 1, not 95"),
    ({"outcome": "socre"}, "unknown outcome 'socre'"),
    ({"card": "Alter"}, "unknown card 'Alter' (did you mean 'Altar'?)"),
    ({"age": 4}, "the age must be 1, 2 or 3, not 4"),
    ({"game": "medal"}, "medal cannot randomise picks"),
]


@pytest.mark.parametrize(("asked", "sentence"), MISTAKES)
def test_mistakes_are_reported_in_one_sentence(medal: None, asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(wsim.UserError) as refused:
        wsim.experiment_picks(**{"games": 5, **asked})
    assert str(refused.value).startswith(sentence)


COMMAND = ("experiment", "picks", "--policies", "random", "--games", "150", "--randomise", "1", "--threads", "1")


@pytest.mark.slow
def test_the_command_prints_a_table_and_its_estimand(wsim_command: Command) -> None:
    answer = wsim_command(*COMMAND, "--top", "3", "--quiet")
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == "Effects of picks, 150 games, picks random with chance 1"
    assert " ".join(lines[1].split()) == "action card picks effective n overruled taken not taken effect p q rare"
    assert "±" in lines[3]
    assert lines[7].startswith("Estimand: Over the turns on which a seat could build / stage / sell the card")
    assert "Benjamini-Hochberg over " in answer.out


def test_the_command_prints_json(wsim_command: Command) -> None:
    record = json.loads(wsim_command(*COMMAND, "--json", "--action", "sell", "--sort", "-effect", "--top", "2").out)
    assert record["format"] == "wsim-picks/2"
    assert (record["games"], record["complete"]) == (150, True)
    assert record["question"]["actions"] == ["sell"]
    assert len(record["effects"]) == 2
    assert record["effects"][0]["effect"] <= record["effects"][1]["effect"]
    assert {"action", "card", "picks", "effective", "taken", "otherwise", "effect_low", "q"} <= set(
        record["effects"][0]
    )


@first_quick(
    3,
    ("words", "sentence"),
    [
        ("--randomise 0", "randomise must be a chance above 0"),
        ("--action bild", "unknown action 'bild'"),
        ("--card Alter", "unknown card 'Alter' (did you mean 'Altar'?)"),
        ("--sort effct", "the table has no column 'effct'"),
        ("--explore 0.1", "picks has no option '--explore'; explore is now randomise"),
        ("--picks", "picks has no option '--picks'"),
    ],
)
def test_mistakes_in_the_command_are_reported(wsim_command: Command, words: str, sentence: str) -> None:
    answer = wsim_command(*COMMAND, *words.split(), "--quiet")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {sentence}")
