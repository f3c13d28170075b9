"""The drafting table (win share when seen, taken, sold, buried; turn taken) agrees with plain loops over the picks."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import wsim
from tests.conftest import Command
from wsim import stats
from wsim.wonders.analysis import card_picks, card_readings

TURNS = ("turn", "last_card")
FATES = {"seen": None, "taken": ("build", "stage", "sell"), "sold": ("sell",), "buried": ("stage",)}


@pytest.fixture(scope="module")
def played() -> Any:
    return wsim.play(games=80, policies="random,first,random,first", seed=5, threads=1)


def slowly(played: Any, level: tuple[str, ...] = ()) -> dict[str, dict[tuple[Any, ...], set[tuple[int, int]]]]:
    """Return the seats (game, seat) that saw, took, sold or buried each card, at each level."""
    found: dict[str, dict[tuple[Any, ...], set[tuple[int, int]]]] = {fate: defaultdict(set) for fate in FATES}
    for pick in played.picks.to_dicts():
        if pick["decision"] not in TURNS:
            continue
        seat, when = (pick["game"], pick["seat"]), tuple(pick[name] for name in level)
        for card in pick["offered"]:
            found["seen"][card, *when].add(seat)
        for fate, actions in FATES.items():
            if actions and pick["action"] in actions:
                found[fate][pick["card"], *when].add(seat)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("level", [(), ("age",), ("age", "turn")])
def test_win_shares_are_averaged_over_the_seats_concerned(played: Any, level: tuple[str, ...]) -> None:
    won = {(row["game"], row["seat"]): row["win_share"] for row in played.seats.to_dicts()}
    expected = slowly(played, level)
    table = card_readings(played.seats, played.picks, by=level, raw=True)
    rows = {(row["card"], *(row[name] for name in level)): row for row in table.frame.to_dicts()}
    assert set(rows) == set(expected["seen"])
    for key, row in rows.items():
        for fate in FATES:
            seats = expected[fate][key]
            assert row[f"n_{fate}"] == len(seats)
            mean = fmean(won[seat] for seat in seats) if seats else None
            assert row[f"win_{fate}"] == (None if mean is None else pytest.approx(mean, abs=1e-6))


@pytest.mark.slow
def test_taken_over_hand_compares_hands_that_contained_the_card(played: Any) -> None:
    won = {(row["game"], row["seat"]): row["win_share"] for row in played.seats.to_dicts()}
    taken: dict[str, list[float]] = defaultdict(list)
    left: dict[str, list[float]] = defaultdict(list)
    for pick in played.picks.to_dicts():
        if pick["decision"] in TURNS:
            for card in pick["offered"]:
                hands = taken if card == pick["card"] and pick["action"] in ("build", "stage", "sell") else left
                hands[card].append(won[pick["game"], pick["seat"]])
    for row in card_readings(played.seats, played.picks).frame.to_dicts():
        mine, others = taken[row["card"]], left[row["card"]]
        expected = pytest.approx(fmean(mine) - fmean(others), abs=1e-6) if mine and others else None
        assert row["taken_over_hand"] == expected
        assert row["taken_over_hand"] is None or row["taken_over_hand_low"] < row["taken_over_hand_high"]


@pytest.mark.slow
def test_turns_first_picks_and_last_sightings_are_counted(played: Any) -> None:
    taken: dict[str, list[int]] = defaultdict(list)
    first: dict[str, int] = defaultdict(int)
    seen_first: dict[str, int] = defaultdict(int)
    last: dict[tuple[Any, ...], int] = {}
    for pick in played.picks.filter(pl.col("decision").cast(pl.String).is_in(TURNS)).to_dicts():
        for card in pick["offered"]:
            seen_first[card] += pick["turn"] == 1
            last[card, pick["game"], pick["seat"], pick["age"]] = pick["turn"]
        if pick["action"] in FATES["taken"]:  # type: ignore[operator]
            taken[pick["card"]].append(pick["turn"])
            first[pick["card"]] += pick["turn"] == 1
    lasts: dict[str, list[int]] = defaultdict(list)
    for (name, *_), turn in last.items():
        lasts[name].append(turn)
    frame = card_readings(played.seats, played.picks).frame
    beside = card_picks(played.picks).frame.select("card", "taken_share", "last_seen")
    for row in frame.join(beside, on="card", suffix="_there").to_dicts():
        card = row["card"]
        assert row["average_turn"] == (pytest.approx(fmean(taken[card])) if taken[card] else None)
        rate = first[card] / seen_first[card] if seen_first[card] else None
        assert row["first_pick"] == (None if rate is None else pytest.approx(rate))
        assert row["last_seen"] == pytest.approx(fmean(lasts[card]))
        assert row["last_seen"] == pytest.approx(row["last_seen_there"])
        assert row["taken_share"] == pytest.approx(row["taken_share_there"])
    known = frame.drop_nulls("average_turn_low")
    assert known.height > 40
    assert (known["average_turn_low"] <= known["average_turn"]).all()
    assert known.select((pl.col("average_turn_low") < pl.col("average_turn")).mean()).item() > 0.9


@pytest.mark.slow
def test_shares_are_adjusted_for_policies_unless_raw(played: Any) -> None:
    """The shares equal those of ``wsim.stats.owners`` for the same flags, which are computed by hand."""
    expected = slowly(played)
    rows = played.seats.select("game", "seat", "policy", "rank", "win_share", "total").to_dicts()
    for row in rows:
        row |= {f"took:{card}": (row["game"], row["seat"]) in seats for (card,), seats in expected["taken"].items()}
    flags = pl.DataFrame(rows)
    for raw in (False, True):
        theirs = stats.owners(flags, "took:", noun="card", raw=raw).frame.select(
            "card", pl.col("win_share").alias("win_taken"), pl.col("win_difference").alias("taken_difference")
        )
        mine = (
            card_readings(played.seats, played.picks, raw=raw)
            .frame.select(theirs.columns)
            .filter(pl.col("card").is_in(theirs["card"]))
        )
        assert_frame_equal(mine.sort("card"), theirs.sort("card"), rel_tol=1e-9)
    adjusted, pooled = (card_readings(played.seats, played.picks, raw=raw).frame for raw in (False, True))
    assert adjusted["win_taken"].to_list() != pooled["win_taken"].to_list()


@pytest.mark.slow
def test_readings_can_be_split_by_policy_and_turn(played: Any) -> None:
    by_policy = card_readings(played.seats, played.picks, by="policy").frame
    assert by_policy["policy"].n_unique() == 2
    whole = card_readings(played.seats, played.picks).frame
    counted = by_policy.group_by("card").agg(pl.col("n_seen").sum()).sort("card")
    assert counted["n_seen"].to_list() == whole.sort("card")["n_seen"].to_list()
    by_turn = card_readings(played.seats, played.picks, by="turn").frame
    assert set(by_turn["turn"]) == set(range(1, 7))
    assert by_turn.filter(pl.col("turn") > 1)["first_pick"].null_count() == by_turn.filter(pl.col("turn") > 1).height


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keep", "words", "sentence"),
    [
        (("--no-picks",), (), "has no picks, so it is unknown which seat saw which card: play it with --picks"),
        (("--picks",), ("--by", "trun"), "the table has no column 'trun'"),
        (("--picks",), ("--level", "2"), "a confidence level must be between 0 and 1, not 2"),
    ],
)
def test_unreadable_picks_are_reported_in_one_sentence(
    wsim_command: Command, tmp_path: Any, keep: tuple[str, ...], words: tuple[str, ...], sentence: str
) -> None:
    folder = str(tmp_path / "run")
    assert wsim_command("run", "--games", "20", "--policies", "random", *keep, "--out", folder, "-q").code == 0
    answer = wsim_command("table", folder, "drafting", *words)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err
    assert answer.err.count("\n") == 1


def test_picks_of_different_games_are_rejected(played: Any) -> None:
    with pytest.raises(wsim.UserError, match="games or seats that are missing in the seats table"):
        card_readings(played.seats.filter(pl.col("game") < 50), played.picks)
