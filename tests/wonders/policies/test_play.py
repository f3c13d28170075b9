"""Each policy of 7 Wonders on positions that show its idea."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.policies.lineups import resolve
from tests.tiers import CHECKED, first_quick
from tests.wonders.positions import Move, Position
from wsim.wonders.kernels.layout import SETTINGS
from wsim.wonders.registry import REGISTRY
from wsim.wonders.words import PARAMETERS

pytestmark = [pytest.mark.jit_off, pytest.mark.boundscheck]

SEARCHERS = ("search", "endgame")  # they get the whole game: tests/policies/test_search.py
FOUR = ("Gizah A", "Rhodos A", "Ephesos A", "Alexandria A")


def asked(p: Position, entry: str, seat: int) -> int:
    """Return the index that a line-up entry picks from the most recent list of moves."""
    line_up = resolve([entry], 3)
    own, settings = p.game.own[seat], np.zeros(1, SETTINGS).view(np.recarray)[0]
    own.parameters[:], settings.weights[:] = line_up.parameters[0], line_up.weights[0]
    with np.errstate(over="ignore"):
        return int(line_up.functions[0](p.public, own, p.game.choice, p.rules, settings))


def picked(p: Position, entry: str, *hand: str, seat: int = 0, kind: str = "turn") -> Move:
    """Return the move that a line-up entry picks from a hand."""
    moves = p.moves(seat, *hand, kind=kind)
    return moves[asked(p, entry, seat)]


def done(move: Move) -> tuple[str, str]:
    return move.action, move.card


# --- baselines ------------------------------------------------------------------------------------------------------


def test_random_picks_every_move_about_equally_often() -> None:
    p = Position("1e", *FOUR)
    count = len(p.moves(0, "Altar", "Baths", "Loom"))
    tally = [0] * count
    for _ in range(500):
        tally[asked(p, "random", 0)] += 1
    assert min(tally) > 500 / count / 2


def test_first_builds_if_it_can_and_prefers_a_stage_to_a_sale() -> None:
    p = Position("1e", *FOUR)
    assert done(picked(p, "first", "Altar")) == ("build", "Altar")
    p.city(0, "Altar", "Stone Pit")
    assert picked(p, "first", "Altar").action == "stage"


# --- greedy ---------------------------------------------------------------------------------------------------------


def test_greedy_takes_the_most_points_at_once() -> None:
    p = Position("1e", *FOUR)
    assert done(picked(p, "greedy", "Altar", "Pawnshop", "Lumber Yard")) == ("build", "Pawnshop")


def test_greedy_counts_a_set_of_science_symbols() -> None:
    p = Position("1e", *FOUR, age=3)
    p.city(0, "Apothecary", "Workshop", "Library", "School")  # University: tablets 2 -> 3 is 5; a pair of sets is 7 + 3
    assert done(picked(p, "greedy", "University", "Senate")) == ("build", "Senate")  # by its chain from Library: 6
    p = Position("1e", *FOUR, age=3)
    p.city(0, "Dispensary", "Laboratory", "School", "Study", "Library")
    assert done(picked(p, "greedy", "Lodge", "Senate")) == ("build", "Lodge")  # the second set: 3 + 7


def test_greedy_projects_conflicts_to_the_end_of_the_age() -> None:
    p = Position("1e", *FOUR, age=3)
    p.city(0, "Walls")
    p.city(1, "Barracks", "Stables")
    p.city(3, "Barracks", "Stables")  # behind both: 2 against 3; Fortifications turn -1 -1 into 5 + 5
    assert done(picked(p, "greedy", "Fortifications", "Palace")) == ("build", "Fortifications")
    p.city(0, "Circus")  # ahead of both already
    p.city(0, "Statue", coins=20)
    assert done(picked(p, "greedy", "Fortifications", "Gardens")) == ("build", "Gardens")


def test_greedy_counts_points_per_item_at_current_counts() -> None:
    p = Position("1e", *FOUR, age=3)
    p.city(0, "Glassworks", "Loom", "Press", "Statue", coins=10)
    p.city(1, "Altar", "Baths", "Theater", "Pawnshop")
    p.city(3, "Altar", "Aqueduct", "Temple")
    p.city(0, "Stone Pit", "Sawmill", "Lumber Yard")
    assert done(picked(p, "greedy", "Magistrates Guild", "Gardens")) == ("build", "Magistrates Guild")  # 7 against 5


def test_greedy_takes_the_cheaper_payment() -> None:
    p = Position("1e", *FOUR)
    p.city(1, "Clay Pool")
    p.city(3, "Clay Pool")
    p.city(0, "West Trading Post")  # clay from the left costs 1
    move = picked(p, "greedy", "Guard Tower")
    assert (move.action, move.left, move.right) == ("build", 1, 0)


def test_greedy_sells_only_if_nothing_can_be_built() -> None:
    p = Position("1e", *FOUR)
    p.city(0, coins=0)
    assert done(picked(p, "greedy", "Lumber Yard")) == ("build", "Lumber Yard")
    assert picked(p, "greedy", "Clay Pit").action == "sell"  # it costs a coin


def test_greedy_values_losses_of_rivals() -> None:
    p = Position("2e-cities", "Gizah day", "Rhodos day", "Ephesos day", "Alexandria day", age=2)
    p.city(0, "Sawmill", "Glassworks", "Forum", "Caravansery")
    for rival in (1, 2, 3):
        p.city(rival, coins=0)  # Lair: 3 points and 2 coins lost, here 2 debts each, against 4 points
    assert done(picked(p, "greedy", "Lair", "Temple")) == ("build", "Lair")
    for rival in (1, 2, 3):
        p.city(rival, coins=9)  # the same coins are two thirds of a point now
    assert done(picked(p, "greedy", "Lair", "Temple")) == ("build", "Temple")


def test_greedy_values_a_diplomacy_token_by_the_conflicts_that_it_avoids() -> None:
    p = Position("2e-cities", "Gizah day", "Rhodos day", "Ephesos day", "Alexandria day", age=2)
    p.city(0, "Clay Pool", "Press", "Sawmill", "Glassworks", "Altar", coins=20)
    assert done(picked(p, "greedy", "Consulate", "Temple")) == ("build", "Temple")  # 2 points against 4
    p.city(1, "Walls")
    p.city(3, "Walls")
    assert done(picked(p, "greedy", "Consulate", "Statue", "Aqueduct")) == ("build", "Consulate")  # and no two defeats


# --- rulebased ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "wanted"),
    [
        (("Altar", "Barracks", "Clay Pit", "Lumber Yard", "Scriptorium"), "Clay Pit"),  # an either/or resource
        (("Altar", "Barracks", "Lumber Yard", "Scriptorium"), "Lumber Yard"),  # a resource that it lacks
        (("Altar", "Barracks", "Scriptorium", "Stone Pit"), "Barracks"),  # red to lead; Gizah has stone
        (("Altar", "Pawnshop", "Scriptorium", "Stone Pit"), "Pawnshop"),  # the blue card with most points
        (("Scriptorium", "Stone Pit", "Tavern"), "Scriptorium"),  # green
        (("Stone Pit",), "Stone Pit"),  # any
    ],
)
def test_rulebased_follows_its_order_of_rules(hand: tuple[str, ...], wanted: str) -> None:
    p = Position("1e", *FOUR)
    p.city(1, "Ore Vein", "Press")  # ore and papyrus can be bought
    assert done(picked(p, "rulebased", *hand)) == ("build", wanted)


def test_rulebased_builds_red_only_to_lead() -> None:
    p = Position("1e", *FOUR)
    p.city(1, "Ore Vein")
    p.city(0, shields=1)
    assert done(picked(p, "rulebased", "Altar", "Barracks")) == ("build", "Altar")  # it leads alone
    p.city(2, shields=3)
    assert done(picked(p, "rulebased", "Altar", "Barracks")) == ("build", "Altar")  # one more does not lead
    p.city(2, shields=2)
    assert done(picked(p, "rulebased", "Altar", "Barracks")) == ("build", "Barracks")


def test_rulebased_takes_the_most_points_in_age_three() -> None:
    p = Position("1e", *FOUR, age=3)
    p.city(0, "Library", "Temple", "School")
    assert done(picked(p, "rulebased", "Pantheon", "Senate", "Study")) == ("build", "Pantheon")


# --- weighted -------------------------------------------------------------------------------------------------------


def test_weighted_builds_an_economy_first() -> None:
    p = Position("1e", *FOUR)
    assert picked(p, "balanced", "Altar", "Lumber Yard").card == "Lumber Yard"


def test_weighted_follows_its_weights() -> None:
    p = Position("1e", *FOUR)
    p.city(1, "Ore Vein")
    assert done(picked(p, "balanced:shield=20", "Altar", "Barracks", "Lumber Yard")) == ("build", "Barracks")
    assert done(picked(p, "balanced:sale=50", "Altar", "Barracks", "Lumber Yard"))[0] == "sell"
    p.city(0, "Stone Pit")
    assert picked(p, "balanced:stage=50", "Baths", "Lumber Yard").action == "stage"


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [
        ("balanced:rivals_loss=9", "Opium Stash"),  # every rival loses a coin
        ("balanced:rivals_debt=9", "Raider Camp"),  # both neighbours take a debt
        ("balanced:rivals_coin=9", "Customs"),  # every rival gains a coin
        ("balanced:diplomacy=20", "Residence"),
        ("balanced:truce=20", "Residence"),
        ("balanced:copied=20", "Pigeonhole"),
        ("balanced:rebate=20", "East Clandestine Wharf"),
        ("balanced:black=20:either_two=0:either_more=0", "Customs"),
    ],
)
def test_weighted_values_the_black_cards(entry: str, wanted: str) -> None:
    p = Position("2e-cities", "Gizah day", "Rhodos day", "Ephesos day", "Babylon day")
    p.city(0, "Clay Pool", "Ore Vein", coins=9)
    p.city(1, shields=1)
    hand = {"Altar", "Customs", "East Clandestine Wharf", "Opium Stash", "Pigeonhole", "Raider Camp", "Residence"}
    if "black" in entry:
        hand = {"Altar", "Customs", "Theater"}
    assert done(picked(p, entry, *hand)) == ("build", wanted)


def test_weighted_pays_as_little_as_it_can() -> None:
    p = Position("1e", *FOUR)
    p.city(1, "Clay Pool")
    p.city(3, "Clay Pool")
    p.city(0, "East Trading Post")
    move = picked(p, "balanced:shield=20", "Guard Tower")
    assert (move.action, move.left, move.right) == ("build", 0, 1)


def test_weighted_keeps_the_free_build_for_what_costs_something() -> None:
    p = Position("1e", "Olympia A", *FOUR[1:], age=2)
    p.city(0, "Stone Pit", "Lumber Yard", stages=2)
    free = picked(p, "balanced:point=9", "Temple")
    assert (free.action, free.how) == ("build", "free")
    paid = picked(p, "balanced:coin=0:reserve=0:raw_1=20:raw_2=20", "Sawmill")
    assert (paid.action, paid.how, paid.bank) == ("build", "paid", 1)


def test_weighted_values_the_wild_symbol_of_a_stage() -> None:
    p = Position("1e", "Babylon A", *FOUR[1:], age=3)
    p.city(0, "Dispensary", "Laboratory", "Sawmill", "Lumber Yard", stages=1, coins=0)
    assert picked(p, "science", "Palace").action == "stage"


@pytest.mark.parametrize(
    ("name", "hand"),
    [
        ("military", "Barracks"),
        ("science", "Scriptorium"),
        ("civilian", "Pawnshop"),
        ("commerce", "East Trading Post"),
    ],
)
def test_each_weight_set_takes_its_colour_earlier_than_balanced(name: str, hand: str) -> None:
    p = Position("1e", *FOUR)
    p.city(1, "Ore Vein", "Lumber Yard", "Press")
    p.city(3, "Clay Pool", "Stone Pit")
    p.city(0, "Clay Pool")
    hands = ("Barracks", "East Trading Post", "Pawnshop", "Scriptorium")
    assert done(picked(p, name, *hands)) == ("build", hand)


def test_guilds_takes_a_guild_before_a_blue_card() -> None:
    p = Position("1e", *FOUR, age=3)
    p.city(0, "Glassworks", "Loom", "Press", "Statue", coins=10)
    p.city(1, "Altar", "Baths")
    p.city(3, "Altar")
    p.city(0, "Stone Pit", "Sawmill", "Lumber Yard", "Caravansery")
    assert done(picked(p, "guilds", "Gardens", "Magistrates Guild")) == ("build", "Magistrates Guild")


# --- the other decisions --------------------------------------------------------------------------------------------


def test_losses_are_paid_while_debts_would_cost_more_than_coins() -> None:
    p = Position("2e-cities", "Gizah day", "Rhodos day", "Ephesos day", age=3)
    p.city(0, coins=5)
    for entry in ("random", "first", "greedy", "rulebased", "balanced"):
        assert p.loss_moves(0, 3)[asked(p, entry, 0)] == 3, entry
    p.loss_moves(0, 3)
    assert p.loss_moves(0, 3)[asked(p, "balanced:coin=9", 0)] == 0
    assert p.loss_moves(0, 3)[asked(p, "balanced:debt=9", 0)] == 0


@pytest.mark.parametrize("entry", ["greedy", "rulebased", "balanced"])
def test_the_best_card_of_the_discard_pile_is_built(entry: str) -> None:
    p = Position("1e", "Halikarnassos A", *FOUR[1:], age=3)
    p.discarded("Altar", "Lumber Yard", "Palace", "Tavern")
    assert p.pile_moves(0)[asked(p, entry, 0)].card == "Palace"


@pytest.mark.parametrize("entry", ["greedy", "rulebased", "balanced"])
def test_a_last_card_is_built_rather_than_sold(entry: str) -> None:
    p = Position("1e", "Babylon B", *FOUR[1:], age=3, turn=6)
    p.city(0, "Temple", stages=2)
    assert done(picked(p, entry, "Pantheon", kind="last_card")) == ("build", "Pantheon")


@pytest.mark.parametrize("entry", ["greedy", "rulebased", "balanced"])
def test_the_free_city_keeps_good_cards_from_the_rival(entry: str) -> None:
    p = Position("1e-duo", "Gizah A", "Rhodos A", "Ephesos A", age=3)
    p.city(2, "Temple", "Statue")  # both cards by chains
    moves = p.moves(2, "Gardens", "Pantheon", kind="free_city")
    assert {move.action for move in moves} == {"build"}
    assert moves[asked(p, entry, 0)].card == "Pantheon"


@pytest.mark.parametrize("entry", ["greedy", "rulebased", "balanced"])
def test_the_free_city_buys_from_its_holder(entry: str) -> None:
    p = Position("1e-duo", "Gizah A", "Rhodos A", "Ephesos A")
    p.city(0, "Lumber Yard")
    p.city(1, "Lumber Yard")
    for holder, paid in ((0, (2, 0)), (1, (0, 2))):  # seat 0 is on the left of seat 2
        moves = p.moves(2, "Stockade", kind="free_city")
        chosen = moves[asked(p, entry, holder)]
        assert (chosen.action, chosen.left, chosen.right) == ("build", *paid)


# --- exploring ------------------------------------------------------------------------------------------------------


@first_quick(
    len(REGISTRY) if CHECKED else 2, "name", [name for name in REGISTRY if name not in ("random", "mixed", *SEARCHERS)]
)
def test_explore_mixes_in_random_picks(name: str) -> None:
    p = Position("1e", *FOUR)
    p.moves(0, "Altar", "Baths", "Loom", "Tavern")
    usual = {asked(p, name, 0) for _ in range(20)}
    mixed = {asked(p, f"{name}:explore=1", 0) for _ in range(200)}
    assert len(mixed) == int(p.game.choice.count)
    assert len(usual) < len(mixed)


@pytest.mark.parametrize("name", ["greedy", "balanced"])
def test_without_explore_no_random_number_is_drawn(name: str) -> None:
    p = Position("1e", *FOUR)
    p.moves(0, "Altar", "Baths", "Loom", "Tavern")
    before = int(p.game.own[0].rng)
    asked(p, name, 0)
    assert int(p.game.own[0].rng) == before


def test_explore_is_the_last_parameter() -> None:
    assert resolve(["greedy:explore=0.25"], 3).parameters[0].tolist() == [0.0] * (PARAMETERS - 1) + [0.25]


def test_asking_a_policy_does_not_change_the_position() -> None:
    p = Position("2e-cities", "Gizah day", "Rhodos day", "Ephesos day")
    p.moves(0, "Altar", "Baths", "Loom", "Theater")
    before: Any = p.public.tobytes(), p.rules.tobytes(), p.game.choice.tobytes()
    for name in REGISTRY:
        if name not in SEARCHERS:
            asked(p, name, 0)
    assert (p.public.tobytes(), p.rules.tobytes(), p.game.choice.tobytes()) == before
