"""Cards offered, taken, passed and last seen; and effects from randomised picks whose true values are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from tests.conftest import Command
from wsim.errors import UserError
from wsim.wonders import analysis

NAMES = ("Altar", "Baths", "Press", "Tavern")
CARD = pl.Enum(NAMES)
DECISION = pl.Enum(["turn", "last_card", "discard_pile", "free_city"])
ACTION = pl.Enum(["build", "stage", "sell", "decline"])
HOW = pl.Enum(["paid", "chain", "free"])
WORTH = np.array([4.0, 0.0, -2.0, 0.0])  # points of building each card
SCHEMA: dict[str, Any] = {
    "game": pl.UInt64, "seat": pl.UInt8, "age": pl.UInt8, "turn": pl.UInt8, "decision": DECISION, "legal": pl.UInt16,
    "card": CARD, "action": ACTION, "how": HOW, "randomised": pl.Boolean, "probability": pl.Float32,
    "offered": pl.List(CARD), "ways": pl.List(pl.UInt8),
}  # fmt: skip


def small_picks() -> pl.DataFrame:
    """Return two games in which cards are taken, passed and last seen in every possible way."""
    rows = [
        (0, 0, 1, 1, "turn", "Altar", "build", "paid", ["Altar", "Baths", "Press"]),
        (0, 1, 1, 1, "turn", "Tavern", "sell", None, ["Altar", "Tavern"]),
        (0, 0, 1, 2, "turn", "Baths", "build", "chain", ["Baths"]),
        (0, 0, 1, 6, "last_card", "Press", "stage", None, ["Press"]),
        (0, 1, 2, 1, "turn", "Altar", "build", "free", ["Altar", "Baths"]),
        (0, 1, 2, 3, "discard_pile", "Tavern", "build", "free", []),
        (0, 1, 2, 3, "discard_pile", None, "decline", None, []),
        (1, 0, 1, 1, "turn", "Baths", "build", "paid", ["Altar", "Baths"]),
        (1, 0, 1, 1, "free_city", "Altar", "build", "paid", ["Altar"]),
    ]
    names = ["game", "seat", "age", "turn", "decision", "card", "action", "how", "offered"]
    schema = {name: SCHEMA[name] for name in names}
    return pl.DataFrame(rows, schema=schema, orient="row")


def counts(frame: pl.DataFrame, card: str, **by: object) -> dict[str, Any]:
    return frame.filter(pl.col("card") == card, *(pl.col(k).cast(pl.String) == str(v) for k, v in by.items())).row(
        0, named=True
    )


def test_outcomes_of_offered_cards_are_counted() -> None:
    frame = analysis.card_picks(small_picks()).frame
    altar, baths, press, tavern = (counts(frame, name) for name in NAMES)
    assert (altar["offered"], altar["built_paid"], altar["built_free"], altar["passed"]) == (4, 1, 1, 2)
    assert altar["by_free_city"] == 1
    assert (baths["offered"], baths["built_chain"], baths["built_paid"], baths["passed"]) == (4, 1, 1, 2)
    assert (press["offered"], press["staged"], press["passed"]) == (2, 1, 1)
    assert (tavern["offered"], tavern["sold"], tavern["passed"], tavern["from_discard"]) == (1, 1, 0, 1)
    assert tavern["taken_share"] == 1
    # last turns: seat 0 of game 0 saw Baths until turn 2 of age I, seat 1 until turn 1 of age II; game 1 until turn 1
    assert baths["last_seen"] == pytest.approx((2 + 1 + 1) / 3)
    assert press["last_seen"] == 6


def test_outcomes_of_cards_can_be_split_by_age_and_seats_columns() -> None:
    picks = small_picks()
    by_age = analysis.card_picks(picks, by="age").frame
    assert counts(by_age, "Altar", age=1)["offered"] == 3
    assert counts(by_age, "Altar", age=2)["built_free"] == 1
    assert counts(by_age, "Altar", age=2)["last_seen"] == 1
    seats = pl.DataFrame({"game": [0, 0, 1], "seat": [0, 1, 0], "policy": ["a", "b", "b"]}).cast(
        {"game": pl.UInt64, "seat": pl.UInt8}
    )
    by_policy = analysis.card_picks(picks, seats, by="policy").frame
    assert counts(by_policy, "Baths", policy="a")["offered"] == 2
    assert counts(by_policy, "Baths", policy="b")["built_paid"] == 1
    assert by_policy["offered"].sum() == analysis.card_picks(picks).frame["offered"].sum()
    with pytest.raises(UserError, match="also pass the seats table"):
        analysis.card_picks(picks, by="policy")


def test_a_card_never_offered_has_counts_but_no_shares() -> None:
    frame = analysis.card_picks(small_picks().filter(pl.col("card") != "Press")).frame.filter(
        pl.col("card") == "Tavern"
    )
    assert frame["taken_share"].to_list() == [1.0]
    empty = analysis.card_picks(small_picks().head(0)).frame
    assert empty["offered"].to_list() == [0] * 4
    assert empty["last_seen"].null_count() == empty["taken_share"].null_count() == 4


def test_card_names_must_be_an_enum() -> None:
    with pytest.raises(UserError, match="Enum of card names"):
        analysis.card_picks(small_picks().with_columns(pl.col("card").cast(pl.String)))


# --- randomised picks -----------------------------------------------------------------------------------------------


def experiment(games: int, seed: int, chance: float = 0.3) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return picks and seats of games with one turn and two seats, whose total is what the seat did plus luck.

    A hand is three of the four cards; Altar is buildable only by the rich, in two ways, who score 10 more anyway: to
    compare those who built it with those who did not would be wrong by far. The policy builds what it can, Altar first.
    """
    rng = np.random.default_rng(seed)
    picks, totals = [], []
    for game in range(games):
        luck = rng.normal(0, 2)
        for seat in range(2):
            hand = sorted(rng.choice(4, 3, replace=False))
            rich = rng.random() < 0.5
            ways = [(2 if rich else 0) if card == 0 else 1 for card in hand]
            moves = [
                (card, action)
                for card, builds in zip(hand, ways, strict=True)
                for action in (*["build"] * builds, "stage", "sell")
            ]
            wanted = next(i for i, (_, action) in enumerate(moves) if action == "build")
            randomised = rng.random() < chance
            index = int(rng.integers(len(moves))) if randomised else wanted
            probability = chance / len(moves) + (1 - chance if index == wanted else 0)
            card, action = moves[index]
            points = {"build": WORTH[card], "stage": 3.0, "sell": 0.0}[action]
            totals.append(20 + luck + 10 * rich + points + rng.normal())
            picks.append(
                (
                    *(game, seat, 1, 1, "turn", len(moves), NAMES[card], action, "paid" if action == "build" else None),
                    *(randomised, probability, [NAMES[one] for one in hand], ways),
                )
            )
    seats = pl.DataFrame({"game": np.repeat(np.arange(games), 2), "seat": [0, 1] * games, "total": totals}).cast(
        {"game": pl.UInt64, "seat": pl.UInt8}
    )
    return pl.DataFrame(picks, schema=SCHEMA, orient="row"), seats


def truth(action: str, card: int) -> float:
    """Compute the effect by definition: action minus the mean of the other moves, over all hands that allow it."""
    effects = []
    for left_out in range(4):
        for rich in (False, True):
            hand = [one for one in range(4) if one != left_out]
            points: list[tuple[bool, float]] = []
            for one in hand:
                builds = (2 if rich else 0) if one == 0 else 1
                for did, value, number in (("build", WORTH[one], builds), ("stage", 3.0, 1), ("sell", 0.0, 1)):
                    points += [(one == card and action in (did, "take"), float(value))] * number
            done, others = ([value for yes, value in points if yes == arm] for arm in (True, False))
            if done:
                effects.append(np.mean(done) - np.mean(others))
    return float(np.mean(effects))


@pytest.fixture(scope="module")
def trial() -> tuple[pl.DataFrame, pl.DataFrame]:
    return experiment(6000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("action", ["build", "stage", "sell", "take"])
def test_effects_against_other_moves_are_recovered(trial: tuple[pl.DataFrame, pl.DataFrame], action: Any) -> None:
    table = analysis.pick_effects(*trial, action)
    for number, card in enumerate(NAMES):
        one = counts(table.frame, card)
        wide = 1.8 * (one["effect_high"] - one["effect_low"]) / 2  # 3.5 standard errors
        assert abs(one["effect"] - truth(action, number)) < wide < 1.8
    assert action in table.note


@pytest.mark.slow
def test_a_naive_comparison_is_biased_where_the_experiment_is_not(trial: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    picks, seats = trial
    joined = picks.join(seats, on=["game", "seat"]).filter(pl.col("offered").list.contains("Altar"))
    built = (joined["card"] == "Altar") & (joined["action"] == "build")
    means = [joined.filter(chosen)["total"].mean() for chosen in (built, ~built)]
    naive = float(means[0]) - float(means[1])  # type: ignore[arg-type]
    one = counts(analysis.pick_effects(picks, seats, "build").frame, "Altar")
    assert naive > truth("build", 0) + 5
    assert one["effect_low"] < truth("build", 0) < one["effect_high"]
    assert one["q"] < 1e-6


def test_effects_against_the_policy_are_recovered(trial: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    """The policy builds Altar whenever it can, so building it is no better than the policy."""
    table = analysis.pick_effects(*trial, "build", against="policy").frame
    altar = counts(table, "Altar")
    assert abs(altar["effect"]) < 0.5
    assert altar["effect_low"] < 0 < altar["effect_high"]
    # Tavern sold, worth 0, against what the policy builds from the hands that hold it, rich and poor
    built = {(0, 1, 3): (4, 0), (0, 2, 3): (4, -2), (1, 2, 3): (0, 0)}
    sold = counts(analysis.pick_effects(*trial, "sell", against="policy").frame, "Tavern")
    assert sold["effect_low"] < -np.mean(list(built.values())) < sold["effect_high"]


@pytest.mark.slow
def test_intervals_of_effects_cover() -> None:
    covered = 0
    for seed in range(60):
        one = counts(analysis.pick_effects(*experiment(150, seed=100 + seed, chance=0.6), "sell").frame, "Baths")
        covered += one["effect_low"] <= truth("sell", 1) <= one["effect_high"]
    assert covered >= 50  # of 60: the chance of fewer is 1 in 2,000


def test_only_randomised_turns_count(trial: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    picks, seats = trial
    certain = picks.head(100).with_columns(probability=pl.lit(1.0, pl.Float32))
    with pytest.raises(UserError, match="no pick of this run was randomised"):
        analysis.pick_effects(certain, seats, "build")
    more = pl.concat([picks, certain.with_columns(pl.col("game") + 100_000)])
    again = analysis.pick_effects(more, seats, "build").frame
    assert again.equals(analysis.pick_effects(picks, seats, "build").frame)


def test_mistakes_in_experiments_are_named(trial: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    picks, seats = trial
    with pytest.raises(UserError, match=r"unknown action 'bild'.*did you mean 'build'"):
        analysis.pick_effects(picks, seats, "bild")
    with pytest.raises(UserError, match="unknown comparison"):
        analysis.pick_effects(picks, seats, against="nobody")
    with pytest.raises(UserError, match="no column 'ways'"):
        analysis.pick_effects(picks.drop("ways"), seats, "build")
    assert analysis.pick_effects(picks.drop("ways"), seats, "sell").frame.height == 4


def by_hand(rows: list[tuple[str, str, bool, float]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return one turn a game with the hand Altar, Baths: card, action, whether drawn, probability; six moves."""
    picks = [
        (game, 0, 1, 1, "turn", 6, card, action, None, drawn, chance, ["Altar", "Baths"], [1, 1])
        for game, (card, action, drawn, chance) in enumerate(rows)
    ]
    games = len(rows)
    seats = pl.DataFrame({"game": range(games), "seat": [0] * games, "total": [float(one) for one in range(games)]})
    return pl.DataFrame(picks, schema=SCHEMA, orient="row"), seats.cast({"game": pl.UInt64, "seat": pl.UInt8})


def test_picks_against_the_policy_are_counted() -> None:
    """The policy wants to build Altar; nine of ten picks are drawn, so another of the six moves has the chance 0.15."""
    wanted, other = 0.1 + 0.15, 0.15
    rows = [("Altar", "build", False, wanted)] * 4 + [("Altar", "build", True, wanted)]
    rows += [("Baths", "build", True, other)] * 3 + [("Altar", "sell", True, other)] * 2
    picks, seats = by_hand(rows)
    frame = analysis.pick_effects(picks, seats, "build").frame
    assert counts(frame, "Altar")["drawn"] == 0  # it never was built when the policy wanted something else
    assert (counts(frame, "Baths")["picks"], counts(frame, "Baths")["drawn"]) == (3, 2)  # 2 sales beside it
    policy = analysis.pick_effects(picks, seats, "build", against="policy").frame
    assert (counts(policy, "Altar")["drawn"], counts(policy, "Baths")["drawn"]) == (0, 3)
    baths = counts(frame, "Baths")
    assert baths["taken"] == pytest.approx((5 + 6 + 7) / 3)
    weights = np.array([1 / wanted] * 5 + [1 / other] * 2)
    assert baths["otherwise"] == pytest.approx(np.average([0, 1, 2, 3, 4, 8, 9], weights=weights))


def test_a_turn_without_a_choice_does_not_count() -> None:
    """The last card can be built, buried and sold: ``take`` is all that can be done with it."""
    picks, seats = by_hand([("Altar", "build", True, 0.2), ("Baths", "sell", True, 0.2), ("Altar", "sell", True, 0.2)])
    forced = pl.DataFrame(
        [(0, 0, 1, 6, "last_card", 3, "Baths", "sell", None, True, 1 / 3, ["Baths"], [1])], schema=SCHEMA, orient="row"
    )
    free = analysis.pick_effects(picks, seats, "take").frame
    both = analysis.pick_effects(pl.concat([picks, forced]).sort("game"), seats, "take").frame
    assert both.equals(free)
    sold = analysis.pick_effects(pl.concat([picks, forced]).sort("game"), seats, "sell").frame
    assert counts(sold, "Baths")["picks"] == 2


@pytest.mark.slow
def test_a_run_with_randomised_picks_has_a_table_of_effects(wsim_command: Command, tmp_path: Path) -> None:
    plain, randomised = str(tmp_path / "plain"), str(tmp_path / "randomised")
    run = ("run", "--games", "60", "--policies", "random", "--picks", "-q", "--threads", "1", "--out")
    assert wsim_command(*run, plain).code == 0
    assert wsim_command(*run, randomised, "--randomise", "1").code == 0
    table = json.loads(wsim_command("table", randomised, "effects", "--action", "sell", "--json").out)
    opened = wsim.load_run(randomised)
    expected = analysis.pick_effects(opened.picks, opened.seats, "sell").frame
    assert [row["effect"] for row in table["rows"]] == expected["effect"].to_list()
    explored = str(tmp_path / "explored")
    assert wsim_command(*run, explored, "--policies", "first:explore=0.5").code == 0
    assert json.loads(wsim_command("table", explored, "effects", "--json").out)["rows"]
    refused = wsim_command("table", plain, "effects")
    assert (refused.code, refused.out) == (2, "")
    assert "were not randomised" in refused.err
    assert "--randomise 0.1 --picks" in refused.err


@pytest.mark.slow
@pytest.mark.parametrize("replicates", [12, 60])
def test_without_effects_on_wins_verdicts_are_rare(replicates: int) -> None:
    """Winners are drawn anew for the same picks: nothing has an effect. 0.7 of such answers had a verdict once."""
    played = wsim.play(games=1000, policies="balanced", seed=31, randomise="0.1")
    players, found = 4, 0
    for seed in range(replicates):
        winner = np.random.default_rng(seed).integers(players, size=1000)
        won = (np.tile(np.arange(players), 1000) == np.repeat(winner, players)).astype(np.float32)
        seats = played.seats.with_columns(pl.Series("win_share", won))
        frame = analysis.pick_effects(played.picks, seats, "build", outcome="win_share").frame
        assert frame["q"].is_not_null().sum() > 10
        found += bool((frame["q"] < 0.05).any())
    assert found <= 0.05 * replicates + 3 * (0.05 * 0.95 * replicates) ** 0.5
