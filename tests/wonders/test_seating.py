"""Boards, sides, experiments and bad input: what a plan says about the table, and what it may not say."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from tests.wonders.engine_tools import RANDOM, TASTES, Player, engine_table, played
from tests.wonders.position_kernels import overreaching
from wsim.errors import UserError

OVERREACHING = Player("overreaching", overreaching)


@pytest.mark.parametrize(("ruleset", "players", "plan", "sentence"), [
    ("1e", 3, {"wonders": "Giza,random,random"}, r"unknown wonder 'Giza': rule set 1e has .*mean 'Gizah'"),
    ("1e", 3, {"wonders": "Petra"}, "unknown wonder 'Petra'"),
    ("1e", 3, {"wonders": "Gizah,Rhodos,Gizah"}, "wonder Gizah is fixed for two seats"),
    ("1e", 3, {"wonders": "Gizah,Rhodos,Ephesos,Babylon"}, "fixes 4 boards but the table has 3 seats"),
    ("1e-duo", 2, {"wonders": "Gizah,Rhodos,Ephesos,Babylon"}, "fixes 4 boards but the table has 3 seats"),
    ("1e", 3, {"wonders": "rotat:Gizah"}, "unknown board design 'rotat'"),
    ("1e", 3, {"sides": "C"}, "unknown side 'C': rule set 1e has A, B, random"),
    ("2e", 3, {"sides": "A"}, "unknown side 'A': rule set 2e has day, night, random"),
    ("1e", 3, {"sides": "A,B"}, "option sides gives 2 values for 3 seats"),
    ("1e", 3, {"randomise": "2"}, "randomise must be a probability from 0 to 1, not '2'"),
    ("1e", 3, {"randomise": "often"}, "randomise must be a probability from 0 to 1, not 'often'"),
    ("1e", 3, {"randomise": "0.1,0.2"}, "option randomise gives 2 values for 3 seats"),
    ("1e", 3, {"explore": "0.1"}, r"unknown plan key 'explore': .*; explore is now randomise \(a policy's own"),
    ("1e", 3, {"ban": "trade"}, "option ban must be seat=item"),
    ("1e", 3, {"ban": "3=trade"}, "with a seat from 0 to 2, not '3=trade'"),
    ("1e", 3, {"ban": "0=trad"}, r"cannot ban 'trad' .did you mean 'trade'"),
    ("1e", 3, {"ban": "0=Pallace"}, r"cannot ban 'Pallace' .did you mean 'Palace'"),
    ("1e", 2, {}, "2 players cannot play rule set 1e: accepted are 3, 4, 5, 6, 7"),
    ("1e", 8, {}, "8 players cannot play rule set 1e"),
    ("1e-duo", 3, {}, "3 players cannot play rule set 1e-duo: accepted are 2"),
    ("2e-cities-teams", 5, {}, "5 players cannot play rule set 2e-cities-teams: accepted are 4, 6"),
    ("3e", 3, {}, r"unknown rule set '3e'; accepted: .*"),
    ("1e", 3, {"switches": {"debt_choise": True}}, "debt_choise"),
])  # fmt: skip
def test_invalid_input_is_reported_in_one_sentence(
    ruleset: str, players: int, plan: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence) as error:
        engine_table(ruleset, players, (RANDOM,), **plan)
    assert "\n" not in str(error.value).strip()


def test_a_policy_returning_an_illegal_index_is_named_with_game_and_seat() -> None:
    line_up = (RANDOM, RANDOM, OVERREACHING, RANDOM)
    with pytest.raises(UserError, match=r"policy 'overreaching' returned (\d+) in game 5, seat 2: .*from 0 to (\d+)"):
        played(engine_table("1e", 4, line_up), 1, 5)
    with pytest.raises(UserError, match=r"policy 'overreaching' returned \d+ in game 7, seat 3"):
        played(engine_table("1e", 4, line_up, rotate=True), 4, 7)


@pytest.mark.parametrize(
    ("ruleset", "players", "option"), [("1e-duo", 2, 0), ("2e-cities", 3, 0), ("2e-cities-teams", 4, 0)]
)
def test_an_illegal_index_is_detected_in_every_rule_set(ruleset: str, players: int, option: int) -> None:
    with pytest.raises(UserError, match=f"'overreaching' returned .* in game 0, seat {option}"):
        played(engine_table(ruleset, players, (OVERREACHING,)), 1)


def test_a_table_can_be_played_again_after_an_illegal_index() -> None:
    table = engine_table("1e", 4, (RANDOM, RANDOM, OVERREACHING, RANDOM))
    for _ in range(2):
        with pytest.raises(UserError, match="game 3, seat 2"):
            played(table, 2, 3)


def boards(table: Any, games: int) -> list[list[tuple[str, str]]]:
    """Return the wonder and side of every seat in some games."""
    rows = played(table, games).reshape(games, table.seats)
    names = [wonder.name for wonder in table.catalogue.wonders]
    return [
        [(names[int(row["side"]) // 2], table.catalogue.sides[int(row["side"]) % 2]) for row in game] for game in rows
    ]


def test_fixed_boards_and_sides() -> None:
    table = engine_table("1e", 4, wonders="gizah,random,Rhodos", sides="A,random,B,A")
    seen = boards(table, 60)
    assert {game[0] for game in seen} == {("Gizah", "A")}
    assert {game[2] for game in seen} == {("Rhodos", "B")}
    assert {game[3][1] for game in seen} == {"A"}
    assert len({game[1] for game in seen}) == 10
    assert all(len({name for name, _ in game}) == 4 for game in seen)


def test_rotated_boards_move_by_one_seat_per_game() -> None:
    table = engine_table("1e", 3, wonders="rotate:Gizah,Rhodos,Ephesos", sides="A,B,A")
    names = [("Gizah", "A"), ("Rhodos", "B"), ("Ephesos", "A")]
    for number, game in enumerate(boards(table, 7)):
        assert game == [names[(seat + number) % 3] for seat in range(3)]


@pytest.mark.parametrize(("ruleset", "players"), [("1e", 3), ("1e", 7), ("2e-cities", 5), ("1e-duo", 2)])
def test_balanced_boards_seat_every_board_side_everywhere_once_per_block(ruleset: str, players: int) -> None:
    table = engine_table(ruleset, players, wonders="balanced")
    block = 2 * len(table.catalogue.wonders)
    for first in (0, 3):
        games = boards(table, (first + 1) * block)[first * block :]
        for seat in range(table.seats):
            assert set(Counter(game[seat] for game in games).values()) == {1}
            assert len({game[seat] for game in games}) == block
        assert all(len({name for name, _ in game}) == table.seats for game in games)


def test_balanced_boards_make_every_pair_of_sides_meet() -> None:
    table = engine_table("1e", 4, wonders="balanced")
    met = {frozenset(pair) for game in boards(table, 14 * 40) for pair in combinations(game, 2)}
    sides = {side for pair in met for side in pair}
    assert met == {frozenset(pair) for pair in combinations(sorted(sides), 2) if pair[0][0] != pair[1][0]}


@pytest.mark.parametrize(("ban", "column"), [("trade", "trade_paid"), ("stages", "stages"), ("sell", "sold")])
def test_a_ban_applies_only_to_its_seat(ban: str, column: str) -> None:
    table = engine_table("1e", 4, (TASTES[0],), ban=f"1={ban}", seed=3)
    rows = played(table, 100).reshape(100, 4)
    if ban == "sell":  # a sale stays where nothing else is possible
        assert rows[column][:, 1].mean() < rows[column][:, 0].mean() / 2
    else:
        assert rows[column][:, 1].max() == 0
    assert rows[column][:, 0].max() > 0


def test_a_ban_may_name_colours_and_cards() -> None:
    """Of cards in either half of the record, and of no card 64 places before or behind one that is banned."""
    table = engine_table("1e", 4, (TASTES[1],), ban="0=green,Palace,Town Hall;2=red", seed=4)
    names = [card.name for card in table.catalogue.cards]
    assert names.index("Palace") < 64 < names.index("Town Hall")
    other = names[names.index("Town Hall") - 64]
    frame = table.seats_frame(played(table, 200))
    banned = {(0, "green"), (0, "built:Palace"), (0, "built:Town Hall"), (2, "red")}
    for seat in (0, 1, 2):
        own = frame.filter(frame["seat"] == seat)
        for column in ("green", "red", "built:Palace", "built:Town Hall", f"built:{other}"):
            assert (own[column].sum() == 0) == ((seat, column) in banned), (seat, column)


def test_randomised_picks_are_uniform_and_record_their_probability() -> None:
    table = engine_table("1e", 3, (TASTES[1],), randomise="0.3,0,1", seed=5)
    picks = np.zeros(100 * table.picks_per_game, table.pick_dtype)
    written = table.play(0, np.zeros(100 * table.seats, table.row_dtype), picks)
    event = picks["event"][:written]
    event = event[(event["legal"] > 1) & (event["decision"] == 0)]
    rate = [event["randomised"][event["seat"] == seat].mean() for seat in range(3)]
    assert rate == pytest.approx([0.3, 0, 1], abs=0.03)
    legal = event["legal"].astype(float)
    assert event["probability"][event["seat"] == 2] == pytest.approx(1 / legal[event["seat"] == 2], rel=1e-5)
    assert (event["probability"][event["seat"] == 1] == 1).all()
    first = event[event["seat"] == 0]
    own = first["probability"] > 0.5
    assert first["probability"][own] == pytest.approx(0.7 + 0.3 / first["legal"][own], rel=1e-5)
    assert first["probability"][~own] == pytest.approx(0.3 / first["legal"][~own], rel=1e-5)
    assert first["randomised"][~own].all()


def test_randomising_does_not_change_deals_or_other_random_streams() -> None:
    plain, randomised = (engine_table("1e", 3, (RANDOM,), randomise=chance, seed=6) for chance in ("0", "0,0.5,0"))
    one, other = plain.trace(0), randomised.trace(0)
    assert [age["hands"] for age in one["ages"]] == [age["hands"] for age in other["ages"]]
    first = [trace["ages"][0]["turns"][0]["moves"] for trace in (one, other)]
    assert first[0][0] == first[1][0]
    assert first[0][2] == first[1][2]
