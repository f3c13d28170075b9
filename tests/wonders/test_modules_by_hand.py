"""Bans, boards, tables of rows and picks, tuned numbers and inputs of nets of 7 Wonders, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest

from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.wonders import words as w
from wsim.wonders.bans import read_bans, restrict
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.facts import NAME_NUMBER, price_in_words
from wsim.wonders.frames import _asked_columns, _offered, picks_frame, seats_frame
from wsim.wonders.game import GAME, catalogue_of
from wsim.wonders.kernels import layout
from wsim.wonders.learning import LEARNER
from wsim.wonders.nets import VALUES, _rows
from wsim.wonders.position import WondersPosition
from wsim.wonders.seating import _fill_boards, _fill_sides
from wsim.wonders.simulator import WondersSimulator
from wsim.wonders.tunable_values import TUNING

# --- bans and boards ------------------------------------------------------------------------------------------------


def test_bans_are_read_by_seat() -> None:
    assert read_bans("", 3) == []
    assert read_bans("0=green, trade ; 2 =Palace;", 3) == [(0, ["green", "trade"]), (2, ["Palace"])]
    assert read_bans("1=a;1=b", 2) == [(1, ["a"]), (1, ["b"])]
    for text in ("3=a", "-1=a", "x=a", "green", "=a", "1.5=a"):
        with pytest.raises(UserError, match="with a seat from 0 to 2, not"):
            read_bans(text, 3)


def test_further_bans_are_added_to_those_of_the_plan() -> None:
    plan = Plan.make(players=3, policies="random")
    once = restrict(plan, 2, "green,trade")
    assert once.options["ban"] == "2=green,trade"
    assert restrict(once, 0, "sell").options["ban"] == "2=green,trade;0=sell"
    for items in ("", " ", "1=green", "green;trade"):
        with pytest.raises(UserError, match="a ban must be a list such as green,trade"):
            restrict(plan, 0, items)


CATALOGUE: Any = SimpleNamespace(
    ruleset="mine", sides=("A", "B"), wonders=[SimpleNamespace(name=name) for name in ("Gizah", "Rhodos", "Olympia")]
)


def seated(wonders: str = "random", sides: str = "random", seats: int = 3) -> Any:
    record = SimpleNamespace(design=0, board=np.full(4, -1), side=np.full(4, -1))
    _fill_boards(record, wonders, CATALOGUE, seats)
    _fill_sides(record, sides, CATALOGUE, seats)
    return record


@pytest.mark.parametrize(
    ("words", "design", "boards"),
    [
        ("random", 0, [-1] * 4), ("balanced", w.BALANCED_BOARDS, [-1] * 4), ("rhodos", 0, [1, -1, -1, -1]),
        ("random, GIZAH ,Olympia", 0, [-1, 0, 2, -1]), ("rotate:Olympia,random", w.ROTATED_BOARDS, [2, -1, -1, -1]),
        ("random,random,random", 0, [-1] * 4),
    ],
)  # fmt: skip
def test_boards_of_seats(words: str, design: int, boards: list[int]) -> None:
    record = seated(words)
    assert (record.design, record.board.tolist()) == (design, boards)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("rotat:Gizah", "unknown board design 'rotat': accepted are rotate:BOARDS, balanced, random and boards"),
        ("Gizah,Rhodos,Olympia,Gizah", "option wonders fixes 4 boards but the table has 3 seats"),
        ("Gizeh", r"unknown wonder 'Gizeh': rule set mine has Gizah, Rhodos, Olympia, random \(did you mean 'Gizah'"),
        ("Gizah,random,gizah", r"wonder Gizah is fixed for two seats: each wonder is used at most once \(R2\)"),
    ],
)
def test_impossible_boards_are_reported(words: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        seated(words)


def test_sides_of_seats() -> None:
    assert seated(sides="b").side.tolist() == [1, 1, 1, -1]
    assert seated(sides="A,random,B").side.tolist() == [0, -1, 1, -1]
    assert seated(sides="B", seats=4).side.tolist() == [1] * 4
    with pytest.raises(UserError, match="unknown side 'C': rule set mine has A, B, random"):
        seated(sides="C")


# --- the seats table ------------------------------------------------------------------------------------------------


def small_catalogue(**more: Any) -> Any:
    cards = [SimpleNamespace(name=f"c{number}") for number in range(70)]
    recruits = [SimpleNamespace(name=name) for name in ("Plato", "Cleo")]
    return SimpleNamespace(**{
        "wonders": CATALOGUE.wonders, "sides": ("A", "B"), "teams": False, "cards": cards, "deck_cards": recruits,
        "counters": (),
    } | more)  # fmt: skip


def test_rows_become_the_seats_table() -> None:
    """Two players and the Free City: boards 2, 0 and 1, sides B, A and B; policies 1, 0 and none."""
    rows = np.zeros(3, layout.ROW)
    rows["game"], rows["seat"], rows["side"], rows["policy"] = 7, [0, 1, 2], [5, 0, 3], [1, 0, 0]
    rows["rank"], rows["win_share"], rows["total"] = [1, 2, 0], [1, 0, 0], [40, -3, 0]
    rows["points"][0], rows["points"][1, 1] = range(len(w.CATEGORIES)), -2
    rows["built"][0] = [1 << 63 | 1, 1 << 5]
    rows["recruited"] = [0b10, 0b01, 0]
    frame = seats_frame(rows, small_catalogue(), ["net", "random"], 2, 3)
    assert frame.select("game", "seat", "team", "wonder", "side", "policy").rows() == [
        (7, 0, 0, "Olympia", "B", "random"), (7, 1, 1, "Gizah", "A", "net"), (7, 2, 2, "Rhodos", "B", "free_city")
    ]  # fmt: skip
    assert frame.select("rank", "win_share", "total").rows() == [(1, 1.0, 40), (2, 0.0, -3), (0, 0.0, 0)]
    assert [frame[name][0] for name in w.POINTS_COLUMNS] == list(range(len(w.CATEGORIES)))
    assert frame[w.POINTS_COLUMNS[1]].to_list() == [1, -2, 0]
    built = [name for name in frame.columns if name.startswith(w.BUILT) and frame[name][0]]
    assert built == ["built:c0", "built:c63", "built:c69"]
    assert not frame.select(pl.col("^built:.*$").slice(1).any()).row(0).count(True)
    assert frame["recruited:Plato"].to_list() == [False, True, False]
    assert frame["recruited:Cleo"].to_list() == [True, False, False]
    brief = seats_frame(rows, small_catalogue(teams=True), ["net", "random"], 3, 3, brief=True)
    assert brief.columns == ["game", "seat", "team", "wonder", "side", "policy", "rank", "win_share", "total"]
    assert brief["team"].to_list() == [0, 0, 1]
    assert brief["policy"].to_list() == ["random", "net", "net"]


# --- the picks table ------------------------------------------------------------------------------------------------


def move(card: int = 0, action: int = w.BUILD, how: int = 0, bank: int = 0, left: int = 0, right: int = 0) -> int:
    fields = ((action, layout.ACTION_AT), (how, layout.HOW_AT), (bank, layout.BANK_AT), (left, layout.LEFT_AT))
    return card | sum(value << at for value, at in fields) | right << layout.RIGHT_AT


def picks_of(*moves: int) -> Any:
    picks = np.zeros(len(moves), layout.PICK)
    picks["event"]["move"] = moves
    return picks


def hands_of_two_ages() -> Any:
    """Return the cards by age and slot: two copies of c3, then c1, c2; in the second age c5, c6, c6, c4."""
    slots = np.zeros((w.AGES, w.SLOTS), int)
    slots[0, :4], slots[1, :4] = [3, 3, 1, 2], [5, 6, 6, 4]
    return slots


def test_hands_are_lists_of_distinct_names() -> None:
    names = [f"c{number}" for number in range(7)]
    hands = np.array([0b0111, 0, 0b0110, 0b1001], np.uint64)
    found = _offered(hands, np.array([0, 0, 1, 0]), hands_of_two_ages(), names)
    assert found.to_list() == [["c3", "c1"], [], ["c6"], ["c3", "c2"]]
    assert _offered(np.array([2], np.uint64), np.array([0]), hands_of_two_ages(), names).to_list() == [["c3"]]


def test_picks_become_a_table() -> None:
    """A build that pays, a stage by chain, a sale, a build from the discard pile that is declined."""
    picks = picks_of(
        move(2, how=w.PAID, bank=1, left=2, right=255), move(1, w.STAGE, w.CHAIN), move(3, w.SELL),
        move(action=w.DECLINE),
    )  # fmt: skip
    event = picks["event"]
    picks["game"], event["seat"], event["age"], event["turn"] = [5, 5, 6, 6], [0, 1, 2, 0], [0, 0, 1, 2], [0, 5, 6, 1]
    event["decision"], event["legal"] = [w.TURN, w.LAST_CARD, w.TURN, w.DISCARD_PILE], [9, 1, 2, 3]
    event["hand"], event["probability"], event["randomised"] = [0b1101, 0b100, 0b10, 0], [0.5, 1, 1, 1], [1, 0, 0, 0]
    event["ways"][0, :4] = [4, 0, 2, 9]
    frame = picks_frame(picks, small_catalogue(), hands_of_two_ages())
    assert frame.select("game", "seat", "age", "turn", "decision", "legal").rows() == [
        (5, 0, 1, 1, "turn", 9), (5, 1, 1, 6, "last_card", 1), (6, 2, 2, 7, "turn", 2), (6, 0, 3, 2, "discard_pile", 3)
    ]  # fmt: skip
    assert frame.select("card", "action", "how", "bank", "left", "right").rows() == [
        ("c2", "build", "paid", 1, 2, 255), ("c1", "stage", "chain", 0, 0, 0), ("c3", "sell", None, 0, 0, 0),
        (None, "decline", None, 0, 0, 0),
    ]  # fmt: skip
    assert frame["offered"].to_list() == [["c3", "c1", "c2"], ["c1"], ["c6"], []]
    assert frame["ways"].to_list() == [[4, 0, 2], [0], [0], []]
    assert frame["randomised"].to_list() == [True, False, False, False]
    assert frame["probability"].to_list() == [0.5, 1, 1, 1]
    assert "overruled" not in frame.columns
    assert "option" not in frame.columns


def test_wanted_moves_are_listed_where_others_were_possible() -> None:
    picks = picks_of(move(1), move(2), move(3))
    event = picks["event"]
    event["wanted"] = [move(1, how=w.FREE), move(2, w.SELL), move(9, w.DECLINE, 2)]
    event["others"], event["overruled"] = [3, 0, 1], [0, 0, 1]
    frame = picks_frame(picks, small_catalogue(), hands_of_two_ages(), overrules=True)
    assert frame.select("wanted_card", "wanted_action", "wanted_how").rows() == [
        ("c1", "build", "free"), (None, None, None), ("c0", "decline", "paid")
    ]  # fmt: skip
    assert (frame["others"].to_list(), frame["overruled"].to_list()) == ([3, 0, 1], [False, False, True])


def test_clause_decisions_have_columns_of_their_own() -> None:
    """Clause 2 of card 3, of the owner one seat to the left: option 3, city 0, card c4; declined; none."""
    where = 3 | 2 << layout.SLOT_AT | 1 << layout.OWNER_AT
    chosen = where | w.CHOOSE << layout.ACTION_AT | 2 << layout.HOW_AT | 1 << layout.CITY_AT | 5 << layout.PICKED_AT
    amount = where | w.CHOOSE << layout.ACTION_AT | 7 << layout.AMOUNT_AT
    moves = np.array([chosen, where | w.DECLINE << layout.ACTION_AT, amount, move(2)], np.uint64)
    event = np.zeros(4, [("decision", "i1")])
    event["decision"] = [w.EFFECT, w.EFFECT, w.EFFECT, w.TURN]
    found = pl.DataFrame(_asked_columns(event, moves, [f"c{number}" for number in range(8)]))
    assert found.columns == ["entry", "clause", "option", "owner_left", "city", "picked", "amount"]
    assert found.rows() == [
        (3, 2, 3, 1, 0, "c4", None), (3, 2, 0, 1, None, None, None), (3, 2, 1, 1, None, None, 7), (None,) * 7
    ]  # fmt: skip
    picks = picks_of(int(moves[0]), int(moves[3]))
    picks["event"]["decision"] = [w.EFFECT, w.TURN]
    frame = picks_frame(picks, small_catalogue(), hands_of_two_ages(), asks=True)
    assert frame.select("decision", "card", "action", "how", "left", "right").rows() == [
        ("effect", None, "choose", None, 0, 0), ("turn", "c2", "build", "paid", 0, 0)
    ]  # fmt: skip


# --- numbers that can be tuned --------------------------------------------------------------------------------------


def tuned(**more: Any) -> Any:
    plan = Plan.make(players=3, policies="random")
    return SimpleNamespace(**{"catalogue": load_catalogue("1e"), "plan": plan, "seats": 3} | more)


def test_the_numbers_of_cards_stages_and_settings_can_be_tuned() -> None:
    """First edition: Lumber Yard is free and gives wood; Palace gives 8 points for one of every resource; the first
    stage of Gizah A gives 3 points for two stones; a city begins with 3 coins."""
    values = TUNING.values(tuned())
    assert values["cards", "Palace", "points"] == 8
    assert [values["cards", "Palace", "cost", resource] for resource in w.RESOURCES] == [1] * 7
    assert (values["cards", "Lumber Yard", "cost", "coins"], values["cards", "Lumber Yard", "points"]) == (0, 0)
    assert values["cards", "Vineyard", "coins_per", "n"] == 1
    assert ("cards", "Palace", "points_per", "n") not in values
    stage = ("wonders", "Gizah", "sides", "A", "1")
    assert (values[*stage, "points"], values[*stage, "cost", "stone"], values[*stage, "cost", "wood"]) == (3, 2, 0)
    assert values["rulesets", "1e", "settings", "start_coins"] == 3


def seats_of_a_game(**columns: Any) -> pl.DataFrame:
    boards = [wonder.name for wonder in load_catalogue("1e").wonders]
    return pl.DataFrame({
        "wonder": pl.Series(["Gizah", "Rhodos", "Gizah"], dtype=pl.Enum(boards)),
        "side": pl.Series(["A", "A", "B"], dtype=pl.Enum(["A", "B"])), "stages": [1, 3, 2],
        "built:Palace": [True, False, True], "total": [50, 50, 49], "coins": [4, 3, 9],
    } | columns)  # fmt: skip


def test_seats_that_a_number_of_points_counts_for() -> None:
    worth, seats = TUNING.worth, seats_of_a_game()
    palace = worth(tuned(), ("cards", "Palace", "points"), seats)
    assert palace is not None
    assert palace.tolist() == [1, 0, 1]
    for stage, expected in (("1", [1, 0, 0]), ("2", [0, 0, 0])):
        counted = worth(tuned(), ("wonders", "Gizah", "sides", "A", stage, "points"), seats)
        assert counted is not None
        assert counted.tolist() == expected
    second = worth(tuned(), ("wonders", "Gizah", "sides", "B", "2", "points"), seats)
    assert second is not None
    assert second.tolist() == [0, 0, 1]
    assert worth(tuned(), ("cards", "Palace", "coins"), seats) is None


def test_win_shares_after_extra_points_r24() -> None:
    """Seat 0 wins by its coins; three points more and seat 2 wins; one point more for seat 2 ties with 9 coins."""
    shares = TUNING.shares(tuned(), seats_of_a_game())
    extra = np.array([[0, 0, 0], [0, 0, 3], [0, 0, 1], [0, 1, 0]])
    assert shares(np.zeros(4, int), extra).tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 1, 0]]
    tied = TUNING.shares(tuned(), seats_of_a_game(coins=[3, 3, 3]))
    assert tied(np.array([0]), np.zeros((1, 3), int)).tolist() == [[0.5, 0.5, 0]]
    free_city = tuned(plan=Plan.make(players=2, ruleset="1e-duo", policies="random"))
    assert TUNING.shares(free_city, seats_of_a_game())(np.array([0]), np.array([[0, 0, 9]])).tolist() == [[1, 0, 0]]
    teams = tuned(seats=4, plan=SimpleNamespace(players=4), catalogue=SimpleNamespace(teams=True))
    of_teams = TUNING.shares(teams, pl.DataFrame({"total": [9, 1, 6, 5] * 2, "coins": [0, 0, 0, 9] * 2}))
    assert of_teams(np.array([1, 0]), np.array([[0, 0, 0, 0], [0, 2, 0, 0]])).tolist() == [[0, 0, 1, 1], [1, 1, 0, 0]]


def test_a_side_is_tried_at_every_table_in_rotation() -> None:
    path = ("wonders", "Gizah", "sides", "B", "1", "points")
    focused = TUNING.focus(tuned(), path)
    assert focused is not None
    plan, present = focused
    assert (plan.options["wonders"], plan.options["sides"]) == ("rotate:Gizah,random,random", "B,random,random")
    assert present(seats_of_a_game()).tolist() == [False, False, True]
    assert TUNING.focus(tuned(), ("cards", "Palace", "points")) is None
    chosen = Plan.make(players=3, policies="random", wonders="Gizah")
    assert TUNING.focus(tuned(plan=chosen), path) is None
    mixed = Plan.make(players=3, policies="random,net,random")
    assert TUNING.focus(tuned(plan=mixed), path) is None


# --- the game -------------------------------------------------------------------------------------------------------


def test_default_plans_and_unknown_rule_sets() -> None:
    assert [GAME.default_plan(ruleset)["players"] for ruleset in (None, "1e-duo", "2e")] == [4, 2, 4]
    assert GAME.default_plan()["policies"] == ("net",)
    assert GAME.PICKS is not None
    assert (list(GAME.PICKS.ages), list(GAME.PICKS.turns)) == ([1, 2, 3], [1, 2, 3, 4, 5, 6, 7])
    plan = Plan.make(players=3, policies="random")
    assert GAME.PICKS.randomise(plan, "0.2").options["randomise"] == "0.2"
    with pytest.raises(UserError, match=r"unknown rule set '2e-city'; accepted: 1e, .*did you mean '2e-cities'"):
        catalogue_of(cast("Any", SimpleNamespace(ruleset="2e-city", card_files=(None, ()), set=())))
    with pytest.raises(UserError, match=r"2 players cannot play rule set 1e: accepted are 3, 4, 5, 6, 7 \(for 2: "):
        GAME.prepare(plan.replace(players=2))


def test_words_about_prices_and_names() -> None:
    assert price_in_words("left_raw_price") == "price of raw units from the left"
    assert price_in_words("right_manufactured_price") == "price of manufactured units from the right"
    assert sorted(NAME_NUMBER.values()) == list(range(len(NAME_NUMBER)))


def test_public_moves_name_no_card_played_face_down_r49() -> None:
    told = SimpleNamespace(phrase=lambda move: f"build {move['card']}", payments=lambda _move: {"bank": 1})

    def public_move_text(move: dict[str, Any]) -> str:
        return WondersSimulator.public_move_text(cast("Any", told), move)

    assert public_move_text({"action": "sell", "card": "Altar"}) == "sells a card"
    assert public_move_text({"action": "stage", "card": "Altar"}) == "builds a stage"
    assert public_move_text({"action": "build", "card": "build"}) == "builds build (1 to bank)"


def test_scores_and_standings_of_a_position() -> None:
    points = np.zeros((2, len(w.CATEGORIES)), int)
    points[0, :2], points[1, 3] = [5, 1], 9
    game = SimpleNamespace(result=SimpleNamespace(points=points))
    position: Any = SimpleNamespace(
        result=(points, [6, 9], [0.0, 1.0]), record=SimpleNamespace(public=SimpleNamespace(coins=[3, 2])), words=None,
        simulator=SimpleNamespace(seats=2), machine=SimpleNamespace(run=lambda *_given: (None, game)),
    )  # fmt: skip
    first, second = WondersPosition.scores(position)
    assert (first["seat"], first["military"], first["treasury"], first["total"], first["win_share"]) == (
        0,
        5,
        1,
        6,
        0.0,
    )
    assert (second["civilian"], second["coins"], second["win_share"]) == (9, 2, 1.0)
    position.points_so_far = lambda: WondersPosition.points_so_far(position)
    assert WondersPosition.standing(position) == [6, 9]


def test_mates_share_a_team() -> None:
    for teams, expected in ((0, [(0,), (1,), (2,), (3,)]), (1, [(0, 1), (0, 1), (2, 3), (2, 3)])):
        simulator = SimpleNamespace(compiled=(SimpleNamespace(teams=teams),))
        assert [tuple(LEARNER.mates(simulator, seat)) for seat in range(4)] == expected


def test_rows_of_a_net_are_products_with_the_numbers_of_items() -> None:
    """Two items of three numbers; one role with the weights of three numbers."""
    numbers = np.array([[1, 0, 2], [0, 3, 0]], np.float32)
    weights = np.zeros((2, 3, layout_width()), np.float32)
    weights[0, :, 0] = [10, 20, 30]
    found = _rows(numbers, weights)
    assert found.shape == (2, 2, layout_width())
    assert found[0, :, 0].tolist() == [70, 60]
    assert not found[1].any()
    assert not found[:, :, 1:].any()
    assert list(VALUES.phases.values()) == [0, w.TURNS, 2 * w.TURNS]
    assert VALUES.stages == 3 * w.TURNS


def layout_width() -> int:
    from wsim.wonders.kernels.net_layout import SIZES

    return SIZES.width
