"""Worked examples of the tables of 7 Wonders: fates and readings of cards, randomised picks, people, chains, wishes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest

from tests.stats.data import finish
from tests.wonders.analysis.test_picks import NAMES, SCHEMA
from wsim.errors import UserError
from wsim.stats.games import GameBatch
from wsim.wonders.analysis import card_picks, card_readings, with_neighbours
from wsim.wonders.analysis.calibration import _compared, _Figures, _game_figures, people_figures
from wsim.wonders.analysis.cards import chains_of
from wsim.wonders.analysis.propensity import _rows
from wsim.wonders.analysis.rule_functions import MAX_SYMBOLS, payments, science_score
from wsim.wonders.analysis.wishes import BY, wanted, wishes
from wsim.wonders.kernels.layout import ACTION_AT, HOW_AT
from wsim.wonders.words import BUILD, CARDS, CHAIN, DISCARD_PILE, FLEX, PAID, SELL, STAGE

# --- readings: what seats saw and took ------------------------------------------------------------------------------


def picks_of(*rows: tuple[Any, ...]) -> pl.DataFrame:
    """Return a picks table of (game, seat, turn, card, action, hand), all in Age I."""
    full = [(game, seat, 1, turn, "turn", card, action, None, hand) for game, seat, turn, card, action, hand in rows]
    names = ["game", "seat", "age", "turn", "decision", "card", "action", "how", "offered"]
    return pl.DataFrame(full, schema={name: SCHEMA[name] for name in names}, orient="row")


def two_games() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return seats and picks of two games: seat 0 wins the first, seat 1 the second."""
    picks = picks_of(
        (0, 0, 1, "Altar", "build", ["Altar", "Baths"]), (0, 1, 1, "Baths", "sell", ["Baths", "Press"]),
        (0, 0, 2, "Press", "stage", ["Press"]), (0, 1, 2, "Baths", "build", ["Baths"]),
        (1, 0, 1, "Baths", "build", ["Altar", "Baths"]), (1, 1, 1, "Press", "sell", ["Press"]),
    )  # fmt: skip
    return pl.DataFrame(finish(np.array([[2, 1], [1, 2]]))), picks


def row_of(frame: pl.DataFrame, card: str, **keys: object) -> dict[str, Any]:
    return frame.filter(pl.col("card") == card, *(pl.col(key) == value for key, value in keys.items())).row(
        0, named=True
    )


def test_readings_of_two_games_by_hand() -> None:
    """Altar: seen by both seats 0, taken by the winner. Baths: in four hands, taken from three, always by losers."""
    frame = card_readings(*two_games(), raw=True).frame
    assert frame["card"].to_list() == ["Altar", "Press", "Baths"], "by win share of takers; Tavern was in no hand"
    altar, baths, press = (row_of(frame, card) for card in ("Altar", "Baths", "Press"))
    counts = ("n_seen", "n_taken", "n_sold", "n_buried")
    assert [altar[name] for name in counts] == [2, 1, 0, 0]
    assert [baths[name] for name in counts] == [3, 2, 1, 0]
    assert [press[name] for name in counts] == [3, 2, 1, 1]
    wins = ("win_seen", "win_taken", "win_sold", "win_buried")
    assert [altar[name] for name in wins] == [0.5, 1.0, None, None]
    assert [baths[name] for name in wins] == [pytest.approx(1 / 3), 0.0, 0.0, None]
    assert [press[name] for name in wins] == [pytest.approx(2 / 3), 1.0, 1.0, 1.0]
    assert (altar["taken_over_hand"], baths["taken_over_hand"], press["taken_over_hand"]) == (1.0, -1.0, 1.0)
    assert (baths["taken_difference"], press["taken_difference"]) == (-1.0, 1.0)
    shares = ("taken_share", "first_pick", "average_turn", "last_seen")
    assert [altar[name] for name in shares] == pytest.approx([1 / 2, 1 / 2, 1, 1])
    assert [baths[name] for name in shares] == pytest.approx([3 / 4, 2 / 3, 4 / 3, 4 / 3])
    assert [press[name] for name in shares] == pytest.approx([2 / 3, 1 / 2, 3 / 2, 4 / 3])


def test_readings_by_turn_by_hand() -> None:
    frame = card_readings(*two_games(), by="turn", raw=True).frame
    first, second = (row_of(frame, "Baths", turn=turn) for turn in (1, 2))
    assert (first["n_seen"], first["n_taken"], first["first_pick"]) == (3, 2, pytest.approx(2 / 3))
    assert (second["n_seen"], second["n_taken"], second["taken_share"], second["first_pick"]) == (1, 1, 1.0, None)
    assert row_of(frame, "Press", turn=2)["average_turn"] == 2
    assert frame.filter((pl.col("card") == "Altar") & (pl.col("turn") == 2)).is_empty()


def test_a_card_last_seen_on_the_last_possible_turn_counts() -> None:
    picks = picks_of((0, 0, 6, "Altar", "sell", ["Altar", "Baths"]), (0, 0, 7, "Baths", "sell", ["Baths"]))
    frame = card_picks(picks).frame
    assert [row_of(frame, card)["last_seen"] for card in NAMES] == [6.0, 7.0, None, None]
    with pytest.raises(UserError, match="on turns or in ages that do not exist"):
        card_picks(picks.with_columns(turn=pl.lit(9, pl.UInt8)))
    with pytest.raises(UserError, match="on turns or in ages that do not exist"):
        card_picks(picks.with_columns(age=pl.lit(4, pl.UInt8)))


# --- randomised picks -----------------------------------------------------------------------------------------------


def randomised() -> GameBatch:
    """Two turns with Altar (two ways to build) and Baths (one) in hand, and one stage payment: 3 + 2 x (1 + 1) moves.

    The policy built Altar, at a probability of one half; then a drawn move sold Baths, at a probability of a tenth.
    """
    rows = [
        (0, 0, 7, "Altar", "build", 0.5, False, ["Altar", "Baths"], [2, 1]),
        (0, 1, 7, "Baths", "sell", 0.1, True, ["Altar", "Baths"], [2, 1]),
    ]
    names = ["game", "seat", "legal", "card", "action", "probability", "randomised", "offered", "ways"]
    types = {name: SCHEMA[name] for name in names} | {"probability": pl.Float64}
    return GameBatch.of(pl.DataFrame(rows, schema=types, orient="row"))


@pytest.mark.parametrize(
    ("action", "done", "weight", "otherwise"),
    [
        ("build", [True, False, False, False], [1.0, 0, 0, 0], [0, 1 / 3, 2.0, 1 / 0.6]),
        ("stage", [False] * 4, [0.0] * 4, [1 / 3, 1 / 3, 1 / 0.6, 1 / 0.6]),
        ("sell", [False, False, False, True], [0, 0, 0, 10.0], [1 / 3, 1 / 3, 1 / 0.6, 0]),
        ("take", [True, False, False, True], [0.5, 0, 0, 1 / 0.3], [0, 0.5, 1 / 0.3, 0]),
    ],
)
def test_weights_of_randomised_picks(
    action: str, done: list[bool], weight: list[float], otherwise: list[float]
) -> None:
    """The weight is 1 / (moves with the action and card x probability), or that of the other moves.

    Moves with Altar: 2 build, 1 stage, 1 sell, 4 in all; with Baths: 1, 1, 1 and 3.
    """
    rows = _rows(randomised(), action, "others")
    assert (rows.turn.tolist(), rows.card.tolist()) == ([0, 0, 1, 1], [0, 1, 0, 1])
    assert rows.done.tolist() == done
    assert rows.weight.tolist() == pytest.approx(weight)
    assert rows.otherwise.tolist() == pytest.approx(otherwise)
    assert rows.drawn.tolist() == [False, False, True, True], "0.1 is at most 1/7"


def test_a_pick_of_the_policy_is_weighted_by_the_chance_that_nothing_replaced_it() -> None:
    """Its probability 1/2 = 1 - r + r/7, so it was replaced with the probability r = 7/12."""
    rows = _rows(randomised(), "build", "policy")
    assert rows.otherwise.tolist() == pytest.approx([12 / 5, 12 / 5, 0, 0])


def test_a_move_that_is_forced_does_not_count() -> None:
    frame = randomised().frame.with_columns(
        legal=pl.lit(3, pl.UInt16), offered=pl.lit(["Baths"]).cast(SCHEMA["offered"]),
        ways=pl.lit([1]).cast(SCHEMA["ways"]),
    )  # fmt: skip
    assert len(_rows(GameBatch.of(frame), "take", "others").turn) == 0, "build, bury or sell Baths is all there is"
    assert len(_rows(GameBatch.of(frame), "sell", "others").turn) == 2


# --- human players --------------------------------------------------------------------------------------------------


def games_of(totals: Any, rank: list[int]) -> GameBatch:
    seats = pl.DataFrame(finish(np.array(totals))).with_columns(rank=pl.Series(rank, dtype=pl.UInt8))
    return GameBatch.of(seats)


def test_margins_and_ties_of_games() -> None:
    """Won by 10 of 20; a tie that the treasury decided; a shared victory; two firsts and a third, decided."""
    totals = [[60, 50, 40], [55, 55, 30], [44, 44, 44], [41, 50, 50]]
    batch = games_of(totals, [1, 2, 3, 1, 2, 3, 1, 1, 1, 3, 2, 1])
    found = _game_figures(batch, batch.column("total"), batch.column("rank"))
    assert found.tolist() == [[10, 0, 0, 0], [20, 25, 0, 9], [0, 1, 1, 1], [0, 0, 1, 0]]


def test_standard_deviations_of_figures() -> None:
    """1, 3 and 8: mean 4, squared deviations 9 + 1 + 16, divided by 2. Equal numbers have none."""
    figures = _Figures(2)
    figures.add(np.array([2.0, 1.0]), np.array([[4.0, 8.0], [10.0, 5.0]]), np.array([1 + 9 + 64.0, 3 * 25.0]))
    assert figures.spread().tolist() == pytest.approx([13**0.5, 0])


def compared(tolerance: float = 0.25, **columns: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "group": "all", "figure": "score", "stat": "vp", "simulated": 10.0, "simulated_low": 9.0, "error": 0.3,
        "simulated_high": 11.0, "simulated_sd": 5.0, "mean": 8.0, "se_game_clustered": 0.4, "sd": 4.0, "games": 100,
    }  # fmt: skip
    return _compared(pl.DataFrame([row | columns]), 3, tolerance, 0.95).row(0, named=True)


def test_differences_from_people_by_hand() -> None:
    """Errors of 0.3 and 0.4 make 0.5; Student's t with 99 degrees of freedom reaches 1.984 times as far."""
    row = compared()
    assert (row["players"], row["difference"], row["difference_sd"], row["verdict"]) == (3, 2.0, 0.5, "high")
    assert [row["difference_low"], row["difference_high"]] == pytest.approx([2 - 0.992, 2 + 0.992], abs=1e-3)
    assert [row["difference_sd_low"], row["difference_sd_high"]] == pytest.approx([0.252, 0.748], abs=1e-3)
    assert row["q"] == pytest.approx(1.22e-4, rel=0.02), "t = 4"
    assert (row["human"], row["human_error"], row["human_sd"], row["tolerance"]) == (8.0, 0.4, 4.0, 0.25)
    verdicts = {7.0: "within", 6.99: "low", 9.0: "within", 9.01: "high", 8.0: "within"}
    assert {simulated: compared(simulated=simulated)["verdict"] for simulated in verdicts} == verdicts
    assert compared(0.5)["verdict"] == "within"
    assert compared(sd=0.0)["verdict"] is compared(sd=0.0)["difference_sd"] is None
    assert compared(simulated=float("nan"))["verdict"] is None
    assert compared(error=0.0, se_game_clustered=0.0)["q"] is None
    told = {(group, figure): compared(group=group, figure=figure)["informative"]
            for group in ("all", "winner") for figure in ("military", "science")}  # fmt: skip
    assert told == {("all", "military"): False, ("all", "science"): True, ("winner", "military"): True,
                    ("winner", "science"): True}  # fmt: skip


def test_figures_of_peoples_games_by_hand() -> None:
    """Two games: 30, 20 and 10 points; 50, 40 and 40. Shields are recorded, the other counts are not."""
    seats = pl.DataFrame(finish(np.array([[30, 20, 10], [50, 40, 40]]))).with_columns(
        shields=pl.Series([1, 2, 3, 4, 5, 9], dtype=pl.Int16), rank=pl.Series([1, 2, 3, 1, 2, 2], dtype=pl.UInt8)
    )
    found = people_figures(cast("Any", SimpleNamespace(seats=seats.lazy())))
    means = {(row["group"], row["stat"]): row["mean"] for row in found.to_dicts()}
    assert means == pytest.approx({
        ("all", "vp"): 190 / 6, ("winner", "vp"): 40, ("last", "vp"): 30,
        ("all", "shields"): 4, ("winner", "shields"): 2.5, ("last", "shields"): 17 / 3,
        ("game", "margin_1st_2nd"): 10, ("game", "range_1st_last"): 15,
        ("game", "P(score tie for 1st)"): 0, ("game", "P(shared 1st after coin tiebreak)"): 0,
    })  # fmt: skip
    winners = found.filter((pl.col("group") == "winner") & (pl.col("stat") == "vp")).row(0, named=True)
    assert (winners["n"], winners["games"], winners["sd"]) == (2, 2.0, pytest.approx(200**0.5))
    assert winners["se_game_clustered"] == pytest.approx(10), "two games: half of their difference"
    alone = people_figures(cast("Any", SimpleNamespace(seats=seats.head(3).lazy())))
    one = alone.filter((pl.col("group") == "winner") & (pl.col("stat") == "vp")).row(0, named=True)
    assert (one["mean"], one["sd"], one["se_game_clustered"]) == (30.0, None, None)


# --- boards, chains, wishes -----------------------------------------------------------------------------------------


def test_neighbours_of_two_games_r1() -> None:
    seats = pl.DataFrame({"game": [0, 0, 0, 1, 1, 1], "seat": [0, 1, 2] * 2, "wonder": list("abcdef")})
    frame = with_neighbours(seats).collect()
    assert "".join(frame["wonder_left"]) == "bcaefd"
    assert "".join(frame["wonder_right"]) == "cabfde"
    assert with_neighbours(seats.with_columns(side=pl.lit("A")), "side").collect()["side_left"].to_list() == ["A"] * 6


def test_chains_are_links_and_longer_paths_r16() -> None:
    free_with = {"Baths": (), "Aqueduct": ("Baths",), "Temple": (), "Altar": (), "Pantheon": ("Temple", "Altar"),
                 "Gardens": ("Pantheon",)}  # fmt: skip
    cards = [SimpleNamespace(name=name, free_with=before) for name, before in free_with.items()]
    assert chains_of(cast("Any", cards)) == [
        ("Altar", "Pantheon"), ("Baths", "Aqueduct"), ("Pantheon", "Gardens"), ("Temple", "Pantheon"),
        ("Altar", "Pantheon", "Gardens"), ("Temple", "Pantheon", "Gardens"),
    ]  # fmt: skip
    ring = [SimpleNamespace(name=name, free_with=(before,)) for name, before in (("A", "B"), ("B", "A"))]
    assert chains_of(cast("Any", ring)) == [("A", "B"), ("B", "A")], "no card twice"


def simulator_of(*names: str) -> Any:
    catalogue = SimpleNamespace(cards=[SimpleNamespace(name=name) for name in names])
    return SimpleNamespace(catalogue=catalogue, plan=SimpleNamespace(players=2))


def test_items_that_can_be_wanted() -> None:
    found = wanted(simulator_of("Altar", "Baths"))
    assert len(found.things) == 3 * CARDS + 3
    assert [found.things[at] for at in (0, 1, 2, CARDS + 1, 2 * CARDS)] == [
        ("build", "Altar"), ("build", "Baths"), ("build", ""), ("build by chain", "Baths"),
        ("build from the pile", "Altar"),
    ]  # fmt: skip
    assert found.things[3 * CARDS :] == [("stage", "next stage"), ("sell", "any card"), ("build by chain", "any card")]
    assert found.by == BY


def test_wishes_by_hand() -> None:
    """Five decisions count: build 5 by paying, 5 by chain, a stage, a sale, and 7 from the discard pile."""
    event = [("seat", "i1"), ("others", "i2"), ("decision", "i1"), ("wanted", "u8"), ("overruled", "i1"), ("age", "i1"),
             ("turn", "i1"), ("could", "u8", (4,)), ("stages", "i1")]  # fmt: skip
    picks = np.zeros(8, [("game", "u8"), ("event", event)])
    picks["game"] = [10, 10, 11, 11, 12, 12, 12, 12]
    moves = [
        (5, BUILD, PAID), (5, BUILD, CHAIN), (9, STAGE, PAID), (9, SELL, PAID), (7, BUILD, CHAIN),
        *[(1, BUILD, PAID)] * 3,
    ]  # fmt: skip
    found = picks["event"]
    found["wanted"] = [card | action << ACTION_AT | how << HOW_AT for card, action, how in moves]
    found["others"], found["seat"], found["turn"], found["age"] = (
        1,
        [0, 1, 0, 1, 0, 2, 0, 0],
        [0, 1, 2, 3, 4, 5, 6, 7],
        2,
    )
    found["decision"][4], found["overruled"][1] = DISCARD_PILE, 1
    found["others"][6] = 0  # nothing else could be done; and before it, the seat of the Free City
    found["decision"][7] = DISCARD_PILE + 1
    found["could"][:, 0], found["could"][1, 2] = 32, 32
    found["could"][4, 0], found["stages"][2] = 128, 1
    result = wishes(simulator_of("Altar"), picks, 10)
    assert (result.game.tolist(), result.seat.tolist()) == ([0, 0, 1, 1, 2], [0, 1, 0, 1, 0])
    assert result.things.tolist() == [
        [5, -1, -1], [5, CARDS + 5, 3 * CARDS + 2], [3 * CARDS, -1, -1], [3 * CARDS + 1, -1, -1],
        [2 * CARDS + 7, -1, -1],
    ]  # fmt: skip
    assert result.overruled.tolist() == [False, True, False, False, False]
    assert result.times["turn"][0].tolist() == [0, 1, 2, 3, 4]
    assert (result.times["age"][0].tolist(), result.times["age"][1]) == ([2] * 5, ["1", "2", "3"])
    assert result.times["turn"][1] == [str(turn) for turn in range(1, 9)]
    assert result.could.tolist() == [
        [32, 0, 0, 0, 0, 0, 0b010], [32, 0, 32, 0, 0, 0, 0b110], [32, 0, 0, 0, 0, 0, 0b011], [32, 0, 0, 0, 0, 0, 0b010],
        [0, 0, 0, 0, 128, 0, 0],
    ]  # fmt: skip


# --- rules as functions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "paid"),
    [
        ({"own": ["W"], "cost": "w"}, [(0, 0)]),
        ({"cost": ""}, [(0, 0)]),
        ({"cost": "W"}, []),
        ({"left": ["W"], "right": ["W"], "cost": "W"}, [(0, 2), (2, 0)]),
        ({"left": ["W"], "right": ["W"], "cost": "W", "discounts": ["left_raw"]}, [(0, 2), (1, 0)]),
        ({"left": ["W"], "right": ["W"], "cost": "W", "discounts": ["right_raw"]}, [(0, 1), (2, 0)]),
        ({"left": ["G"], "right": ["G"], "cost": "G", "discounts": ["both_manufactured"]}, [(0, 1), (1, 0)]),
        ({"left": ["W"], "right": ["G"], "cost": "WG", "discounts": ["left_raw", "right_raw"]}, [(1, 2)]),
        ({"right": ["G"], "cost": "G", "prices": {"right": {"manufactured": 0}}}, [(0, 0)]),
        ({"right": ["G"], "cost": "G", "prices": {"right": {"raw": 0}}}, [(0, 2)]),
        ({"left": ["S"], "cost": "S", "prices": {"left": {"raw": 5}}, "discounts": ["left_raw"]}, [(5, 0)]),
        ({"left": ["S"], "cost": "S", "coins": 2}, [(2, 0)]),
        ({"left": ["S"], "cost": "S", "coins": 1}, []),
        ({"left": ["S"], "cost": "S", "coins": 3, "bank": 1}, [(2, 0)]),
        ({"left": ["S"], "cost": "S", "coins": 2, "bank": 1}, []),
        ({"bank": 250}, [(0, 0)]),
        ({"own": ["WS", "WO"], "cost": "SO"}, [(0, 0)]),
        ({"own": ["WS", "WO"], "cost": "SS"}, []),
        ({"left": ["WS"], "cost": "WS"}, []),
        ({"own": ["W"] * 12, "cost": "W" * 12}, [(0, 0)]),
        ({"own": ["W"] * MAX_SYMBOLS, "cost": "W"}, [(0, 0)]),
        ({"own": ["WS"] * FLEX, "cost": "S"}, [(0, 0)]),
    ],
)  # fmt: skip
def test_payments_by_hand_r15(keys: dict[str, Any], paid: list[tuple[int, int]]) -> None:
    assert payments(**keys) == paid


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"own": "WS"}, "own must be a list of strings, not 'WS'"),
        ({"left": 3}, "left must be a list of strings, not 3"),
        ({"own": [""]}, "an empty symbol in own"),
        ({"own": ["X"]}, "unknown resource 'X' in 'X': accepted are C clay, S stone"),
        ({"cost": "W" * 13}, "has 13 units; at most 12 are supported"),
        ({"right": ["W"] * (MAX_SYMBOLS + 1)}, f"right has {MAX_SYMBOLS + 1} symbols; at most {MAX_SYMBOLS}"),
        ({"left": ["WS"] * (FLEX + 1)}, f"left has more than {FLEX} either/or symbols"),
        ({"discounts": ["left"]}, "unknown discount 'left'"),
        ({"prices": {"left": {"raw": 6}}}, r"a price must be 0 to 5 coins, not 6 \(left raw\)"),
        ({"prices": {"right": {"manufactured": -1}}}, r"not -1 \(right manufactured\)"),
        ({"prices": {"left": 1}}, "prices must be a table of sides"),
        ({"coins": -1}, "coins must be a whole number of coins, at least 0, not -1"),
        ({"coins": True}, "not True"),
        ({"bank": -1}, "bank must be a whole number of coins, at least 0, not -1"),
    ],
)
def test_impossible_questions_about_payments_are_reported(keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        payments(**keys)


def test_points_of_science_symbols_r23() -> None:
    """A symbol's count squared, and 7 for each set of three; a wild symbol counts as the best."""
    given = {(0, 0, 0, 0): 0, (1, 0, 0, 0): 1, (3, 2, 1, 0): 21, (1, 1, 1, 0): 10, (1, 1, 0, 1): 10, (2, 0, 0, 1): 9,
             (0, 0, 0, 3): 10, (1000, 0, 0, 0): 1_000_000}  # fmt: skip
    assert {symbols: science_score(*symbols) for symbols in given} == given
    for name, value in (("compass", -1), ("gear", 1001), ("tablet", True), ("wild", 1.0)):
        with pytest.raises(UserError, match=f"{name} must be a number of symbols from 0 to 1000, not {value}"):
            science_score(**{name: cast("Any", value)})
