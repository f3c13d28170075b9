"""Chapter 8, teams of two (R38-R42)."""

# ruff: noqa: N802

from __future__ import annotations

from typing import Any

import pytest

from tests.wonders.both import Position
from tests.wonders.engine_tools import engine_table, played
from wsim.errors import UserError

pytestmark = pytest.mark.jit_off

BOARDS = ("Gizah day", "Rhodos day", "Ephesos day", "Alexandria day", "Babylon day", "Petra day")


def teams(seats: int = 4, **more: Any) -> Position:
    """Return a table of two or three teams."""
    return Position("2e-cities-teams", *BOARDS[:seats], **more)


@pytest.mark.engine_only
@pytest.mark.parametrize("players", [3, 5, 7])
def test_R38_teams_need_four_or_six_seats(players: int) -> None:
    with pytest.raises(UserError, match=f"{players} players"):
        engine_table("2e-cities-teams", players)


@pytest.mark.engine_only
def test_R38_teams_are_neighbouring_seats() -> None:
    table = engine_table("2e-cities-teams", 6)
    frame = table.seats_frame(played(table, 1))
    assert frame["team"].to_list() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(("seats", "pairs"), [(4, [[1, 2], [3, 0]]), (6, [[1, 2], [3, 4], [5, 0]])])
def test_R39_no_conflict_with_the_team_mate(seats: int, pairs: list[list[int]]) -> None:
    p = teams(seats)
    p.city(0, shields=9)
    assert [pair for pair, _, _ in p.end_age()] == pairs


def test_R39_example_2_shields_against_5_at_the_end_of_age_II() -> None:
    p = teams(age=2)
    p.city(0, shields=2)
    p.city(3, shields=5)
    assert p.end_age() == [([1, 2], [0, 0], [0, 0]), ([3, 0], [5, 2], [6, -2])]
    assert (p.victories(3), int(p.public.defeats[0])) == ([3, 3], 2)
    assert p.points(3)["military"] == 6


@pytest.mark.parametrize(("diplomats", "tokens"), [((0,), [3, -1]), ((3,), [3, -1]), ((0, 3), [0, 0]), ((1,), [6, -2])])
def test_R40_example_diplomacy_halves_the_conflict_of_its_owner_only(
    diplomats: tuple[int, ...], tokens: list[int]
) -> None:
    p = teams(age=2)
    p.city(0, shields=2)
    p.city(3, shields=5)
    for seat in diplomats:
        p.city(seat, diplomacy=1)
    assert p.end_age()[1] == ([3, 0], [5, 2], tokens)
    assert p.public.diplomacy[:4].tolist() == [0, 0, 0, 0]


def test_R41_own_resources_are_used_before_buying() -> None:
    p = teams()
    p.city(0, "Ore Vein")
    assert p.builds(0, "Barracks") == [("paid", 0, 0, 0)]


@pytest.mark.parametrize("beside", [False, True])
def test_R41_a_chain_must_be_used(beside: bool) -> None:
    p = teams(age=2, paid_build_beside_chain=beside)
    p.city(0, "Baths", "Quarry")
    assert p.builds(0, "Aqueduct") == [("chain", 0, 0, 0)]


def test_R41_a_loss_or_a_debt_hits_the_team_mate_too() -> None:
    p = teams()
    p.play({0: "Hideout"})
    assert p.coins == [3, 2, 2, 2]
    p.play({0: "Raider Camp"})
    assert p.debts == [0, 1, 0, 1]


def test_R34_gains_for_others_reach_the_team_mate_too() -> None:
    p = teams()
    p.play({0: "Customs"})
    assert p.coins == [3, 4, 4, 4]


def test_R41_team_mates_trade_like_any_neighbours() -> None:
    p = teams()
    p.play({0: p.moves(0, "Barracks")[0]})
    assert p.coins[:2] == [1, 5]


def test_R42_team_points_decide_then_team_coins_then_it_is_shared() -> None:
    p = teams()
    assert p.shares() == [0.5, 0.5, 0.5, 0.5]
    p.city(3, coins=4)
    assert p.shares() == [0.0, 0.0, 1.0, 1.0]
    p.city(0, "Altar")
    p.city(1, "Baths")
    p.city(2, "Tabularium")
    assert p.shares() == [0.0, 0.0, 1.0, 1.0]  # 6 points each, one coin more
    p.city(1, "Cells", victories=[1])
    assert p.shares() == [1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("richer", range(4))
def test_R42_the_coins_of_either_mate_break_a_tie(richer: int) -> None:
    p = teams()
    p.city(richer, coins=4)  # a point as before
    assert p.shares() == [float(seat // 2 == richer // 2) for seat in range(4)]


@pytest.mark.engine_only
def test_R42_mates_have_one_rank() -> None:
    p = teams()
    p.city(1, "Cells", victories=[1])
    assert p.shares() == [1.0, 1.0, 0.0, 0.0]
    assert p.game.result.rank[:4].tolist() == [1, 1, 2, 2]


def test_R42_the_best_single_seat_does_not_decide() -> None:
    p = teams(6)
    p.city(0, "Palace")
    p.city(2, "Tabularium")
    p.city(3, "Tabularium")
    assert p.shares() == [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]


@pytest.mark.engine_only
def test_R42_a_policy_may_see_its_team_mates_hand() -> None:
    p = teams()
    p.deal()
    for seat in range(4):
        p.script(seat, turn=-1)  # sells
    hands = [int(p.game.own[seat].hand) for seat in range(4)]
    assert p.play_turn()
    assert [int(p.game.own[seat].mate_hand) for seat in range(4)] == [hands[1], hands[0], hands[3], hands[2]]
    q = Position("2e-cities", *BOARDS[:4])
    q.deal()
    assert q.play_turn()
    assert [int(q.game.own[seat].mate_hand) for seat in range(4)] == [0, 0, 0, 0]
