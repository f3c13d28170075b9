"""Rules of Cities and of teams, computed by hand, against the twin (R17, R18, R20, R31-R42)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.wonders.reference.conflict import fight_conflicts
from tests.wonders.reference.market import market
from tests.wonders.reference.moves import loss_moves
from tests.wonders.reference.scenario import Seat, lay_out, legal, play
from tests.wonders.reference.scoring import categories, scores
from tests.wonders.reference.turn import build_from_discard_pile

if TYPE_CHECKING:
    from tests.wonders.reference.table import Move, Table

BOARDS = ("Gizah day", "Rhodos day", "Ephesos day", "Babylon day")


def four(*own: str, ruleset: str = "2e-cities", coins: int = 3, **more: Any) -> Table:
    """Four cities, seat 0 with the given structures."""
    seats = [Seat(board, list(own) if board == BOARDS[0] else [], coins=coins) for board in BOARDS]
    return lay_out(ruleset, seats, **more)


def build(seat: int, card: str, **more: Any) -> Move:
    """A build that costs nothing unless told."""
    return {"seat": seat, "card": card, "action": "build", **more}


def coins(table: Table) -> list[int]:
    """Every treasury."""
    return [city.coins for city in table.cities]


def test_r17_architect_firm_waives_resources_but_not_coins() -> None:
    seats = [Seat("Petra night", ["Architect Firm"], stages=1, coins=10), Seat("Gizah day"), Seat("Rhodos day")]
    table = lay_out("2e-cities", seats)
    stages = [m for m in legal(table, 0, "Altar") if m["action"] == "stage"]
    assert [(m["how"], m["bank"], m["left"], m["right"]) for m in stages] == [("paid", 10, 0, 0)]
    table.cities[0].buried = []  # stage 1: 2 clay and 2 ore
    assert [m["bank"] for m in legal(table, 0, "Altar") if m["action"] == "stage"] == [0]


def test_r18_secret_warehouse_and_black_market() -> None:
    table = four("Secret Warehouse", "Black Market", "Clay Pit", "Loom", "Caravansery")
    own = market(table, 0).own
    assert own[-2:] == (("clay", "stone", "ore", "loom"), ("wood", "glass", "papyrus"))
    assert market(table, 1).right == (("clay", "ore"), ("loom",))  # neither is for sale, nor is the Caravansery


def test_r18_black_market_gives_nothing_to_a_city_that_has_everything() -> None:
    table = four("Black Market", "Clay Pit", "Timber Yard", "Loom", "Press", "Glassworks")
    assert market(table, 0).own[-1] == ()


def test_r20_a_diplomat_is_skipped_and_its_neighbours_fight() -> None:
    table = four(age=2)
    shields: tuple[list[str], ...] = (["Walls"], [], ["Walls", "Archery Range"], ["Walls", "Stables"])
    for city, names in zip(table.cities, shields, strict=True):
        city.structures = [table.catalogue.cards[name] for name in names]
    table.cities[0].diplomacy = 2
    assert fight_conflicts(table) == [
        {"seats": [1, 2], "shields": [0, 4], "tokens": [-1, 3]},
        {"seats": [2, 3], "shields": [4, 4], "tokens": [0, 0]},
        {"seats": [3, 1], "shields": [4, 0], "tokens": [3, -1]},
    ]
    assert table.cities[0].diplomacy == 1


def test_r20_two_fighters_fight_once_and_one_does_not_fight() -> None:
    table = four("Barracks")
    for seat in (1, 3):
        table.cities[seat].diplomacy = 1
    assert fight_conflicts(table) == [{"seats": [0, 2], "shields": [1, 0], "tokens": [1, -1]}]
    for seat in (1, 2, 3):
        table.cities[seat].diplomacy = 1
    assert fight_conflicts(table) == []
    assert [city.diplomacy for city in table.cities] == [0, 0, 0, 0]


def test_r31_copied_science_is_chosen_with_the_wild_symbols() -> None:
    table = four("Pigeonhole", "Band of Spies", "Scientists Guild", "Apothecary")
    table.cities[1].structures = [table.catalogue.cards["Apothecary"]]
    table.cities[3].structures = [table.catalogue.cards["Workshop"]]
    # compass of the own; copies: compass and gear (each neighbour's card once); wild: tablet -> 2, 1, 1
    assert categories(table, 0)["science"] == 4 + 1 + 1 + 7
    table.cities[3].structures = []
    assert categories(table, 0)["science"] == 9  # one card cannot be taken twice: 3 compasses


def test_r32_losses_of_one_step_are_one_loss_and_what_is_not_paid_is_debt() -> None:
    table = four(coins=3)
    log, _ = play(table, build(0, "Lair"), build(1, "Opium Den"))  # lose 2; gain 4, lose 3
    assert log.losses == [
        {"seat": 0, "coins": 3, "debt": 0},
        {"seat": 1, "coins": 2, "debt": 0},
        {"seat": 2, "coins": 3, "debt": 2},
        {"seat": 3, "coins": 3, "debt": 2},
    ]
    assert coins(table) == [0, 5, 0, 0]
    assert categories(table, 2)["treasury"] == -2


@pytest.mark.parametrize(("choice", "options"), [(True, [3, 2, 1, 0]), (False, [3])])
def test_r32_switch_debt_choice(choice: bool, options: list[int]) -> None:
    table = four(coins=3, debt_choice=choice)
    assert [move["coins"] for move in loss_moves(table, 1, 5)] == options


def test_r32_sepulcher_counts_tokens_taken_in_the_same_turn() -> None:
    table = four(coins=5)
    table.cities[2].victories = [1, 3]
    log, _ = play(table, build(0, "Sepulcher"), build(1, "Raider Fort"))
    assert log.losses == [{"seat": 1, "coins": 1, "debt": 0}, {"seat": 2, "coins": 2, "debt": 0}]
    assert [city.debts for city in table.cities] == [1, 0, 1, 0]  # R36: the raider's neighbours
    assert table.cities[1].victories == [3]


def test_r32_chamber_of_builders_counts_the_losers_stages() -> None:
    table = four(coins=5)
    table.cities[1].buried = [table.catalogue.cards["Altar"]] * 2
    log, _ = play(table, build(0, "Chamber of Builders"), {"seat": 2, "card": "Altar", "action": "stage", "stage": 1})
    assert [(loss["seat"], loss["coins"]) for loss in log.losses] == [(1, 2), (2, 1)]


def test_r34_gains_for_others_can_pay_a_loss_of_the_same_turn() -> None:
    table = four(coins=0)
    log, _ = play(table, build(0, "Trade Center"), build(2, "Hideout"))
    assert log.losses[1] == {"seat": 1, "coins": 1, "debt": 0}
    assert coins(table) == [0, 1, 2, 1]
    assert log.losses[0] == {"seat": 0, "coins": 0, "debt": 1}


def test_r34_neighbours_only() -> None:
    table = four(coins=0)
    play(table, build(0, "Gambling Den"))
    assert coins(table) == [9, 2, 0, 2]


def test_r35_memorial_pays_and_discards_defeats() -> None:
    table = four(coins=0)
    table.cities[0].defeats = 3
    play(table, build(0, "Memorial"))
    assert (table.cities[0].coins, table.cities[0].defeats) == (6, 0)


def test_r37_points_per_victory_token() -> None:
    table = four("Cells", "Guardhouse", "Prison", "Slave Market")
    table.cities[0].victories = [1, 3, 3, 5]
    assert categories(table, 0)["cities"] == 2 + 6 + 4 + 4


@pytest.mark.parametrize(("itself", "gained"), [(True, 2), (False, 1)])
def test_r9_3_secret_network_counts_itself(itself: bool, gained: int) -> None:
    table = four("Residence", coins=0, counting_includes_itself=itself)
    play(table, build(0, "Secret Network"))
    assert coins(table)[0] == gained


@pytest.mark.parametrize(("boards_first", "order"), [(True, [1, 0]), (False, [0, 1])])
def test_r9_6_switch_discard_builds_boards_first(boards_first: bool, order: list[int]) -> None:
    seats = [Seat("Gizah day"), Seat("Halikarnassos day", stages=1), Seat("Rhodos day")]
    table = lay_out("2e-cities", seats, discard_builds_boards_first=boards_first)
    table.discard_pile = [table.catalogue.cards[name] for name in ("Baths", "Well")]
    stage = {"seat": 1, "card": "Theater", "action": "stage", "stage": 2}
    log, placed = play(table, build(0, "Forging Agency"), stage)
    build_from_discard_pile(table, placed, log)
    assert [(m["seat"], m["card"]) for m in log.extra] == list(zip(order, ("Baths", "Well"), strict=True))


def test_r9_6_a_forging_agency_from_the_pile_builds_again_at_the_end() -> None:
    seats = [Seat("Gizah day"), Seat("Halikarnassos day", stages=1), Seat("Rhodos day")]
    table = lay_out("2e-cities", seats)
    table.discard_pile = [table.catalogue.cards[name] for name in ("Forging Agency", "Opium Den")]
    log, placed = play(table, {"seat": 1, "card": "Theater", "action": "stage", "stage": 2})
    build_from_discard_pile(table, placed, log)
    assert [m["card"] for m in log.extra] == ["Forging Agency", "Opium Den"]
    assert [loss["seat"] for loss in log.losses] == [0, 2]  # R28: its losses apply at once
    assert coins(table) == [0, 7, 0]


def test_r39_teams_double_the_tokens_and_spare_the_mate() -> None:
    # The rulebook's example: 2 shields against the neighbour's 5 at the end of age II.
    table = four("Walls", ruleset="2e-cities-teams", age=2)
    table.cities[3].structures = [table.catalogue.cards[name] for name in ("Walls", "Stables", "Stockade")]
    entries = fight_conflicts(table)
    assert entries == [
        {"seats": [1, 2], "shields": [0, 0], "tokens": [0, 0]},
        {"seats": [3, 0], "shields": [5, 2], "tokens": [6, -2]},
    ]
    assert (table.cities[3].victories, table.cities[0].defeats) == ([3, 3], 2)


@pytest.mark.parametrize(("diplomats", "tokens"), [((0,), [3, -1]), ((0, 3), [0, 0])])
def test_r40_diplomacy_in_teams(diplomats: tuple[int, ...], tokens: list[int]) -> None:
    table = four(ruleset="2e-cities-teams", age=2)
    table.cities[3].structures = [table.catalogue.cards["Walls"]]
    for seat in diplomats:
        table.cities[seat].diplomacy = 1
    assert fight_conflicts(table)[1]["tokens"] == tokens
    assert [city.diplomacy for city in table.cities] == [0, 0, 0, 0]


def test_r41_a_loss_hits_the_team_mate_too() -> None:
    table = four(ruleset="2e-cities-teams")
    log, _ = play(table, build(0, "Hideout"))
    assert [loss["seat"] for loss in log.losses] == [1, 2, 3]


def test_r42_the_team_with_the_greater_sum_wins() -> None:
    table = four("Palace", ruleset="2e-cities-teams")
    assert [row["win_share"] for row in scores(table)] == [1.0, 1.0, 0.0, 0.0]
    table = four(ruleset="2e-cities-teams")
    assert [row["win_share"] for row in scores(table)] == [0.5, 0.5, 0.5, 0.5]
    table.cities[3].coins = 4
    assert [row["win_share"] for row in scores(table)] == [0.0, 0.0, 1.0, 1.0]
