"""Chapter 12, cards by formula (R52-R58, R64-R82, R87, R93-R100, R103, R105, R107)."""

# ruff: noqa: N802

from __future__ import annotations

from typing import Any

import pytest

import wsim
from tests.wonders.both import Position
from tests.wonders.extremes import written
from wsim.errors import UserError
from wsim.jit.modes import JIT
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.kit import score_change

pytestmark = pytest.mark.jit_off

Clause = dict[str, Any]
BOARDS = ("Gizah A", "Rhodos A", "Ephesos A", "Alexandria A")


def table(
    when: dict[str, list[Clause]], *, stages: list[Clause] | None = None, changes: tuple[str, ...] = (), **more: Any
) -> Position:
    """Return four cities with ten coins each, in a game whose cards have the given clauses."""
    changed = [*changes, *(f'cards."{name}".when={written(clauses)}' for name, clauses in when.items())]
    if stages is not None:
        changed.append(f"wonders.Gizah.A.1.when={written(stages)}")
    p = Position("1e", *BOARDS, changes=tuple(changed), **more)
    for seat in range(4):
        p.city(seat, coins=10)
    return p


def gain(event: str, amount: int | str = 1, **more: Any) -> Clause:
    return {"event": event, "gain": {"coins": amount}, **more}


def test_R52_a_formula_reads_the_current_table_from_the_city_of_its_card() -> None:
    counted = "100 * left.brown + 10 * right.brown + brown"
    p = table({"Altar": [gain("built", f"min(900, {counted})")]})
    p.city(1, "Lumber Yard", "Clay Pool")
    p.city(3, "Ore Vein")
    p.play({0: "Altar", 2: "Stone Pit"})
    assert p.coins == [10 + 210, 10, 10, 10]


@pytest.mark.parametrize(
    ("each", "change"),
    [("self", 8), ("left", 1), ("right", 4), ("neighbor", 5), ("other", 7), ("partner", 0)],
)
def test_R52_a_clause_acts_on_the_cities_that_it_names(each: str, change: int) -> None:
    p = table({"Altar": [gain("built", each=each)]})
    p.play({0: "Altar"})
    left, across, right = (coins - 10 for coins in p.coins[1:])
    assert 8 * (p.coins[0] - 10) + 4 * right + 2 * across + left == change


@pytest.mark.parametrize(
    ("by", "movers"),
    [
        ("self", {0}), ("left", {1}), ("right", {3}), ("neighbor", {1, 3}), ("other", {1, 2, 3}), ("partner", set()),
        ("anyone", {0, 1, 2, 3}),
    ],
)  # fmt: skip
def test_R53_a_clause_waits_for_moves_of_the_cities_it_names(by: str, movers: set[int]) -> None:
    p = table({"Altar": [gain("card_built", by=by)]})
    p.city(0, "Altar")
    found = set()
    for seat, card in enumerate(("Baths", "Stockade", "Theater", "Workshop")):
        before = p.coins[0]
        p.play({seat: card})
        found |= {seat} if p.coins[0] > before else set()
    assert found == movers


def test_R53_a_partner_is_the_city_of_the_own_team() -> None:
    clauses = [gain("card_built", by="partner"), gain("sold", 5, by="other", each="partner")]
    changes = (f"cards.Altar.when={written(clauses)}",)
    p = Position("2e-cities-teams", "Gizah day", "Rhodos day", "Ephesos day", "Alexandria day", changes=changes)
    for seat in range(4):
        p.city(seat, coins=0)
    p.city(2, "Altar")
    p.play(dict.fromkeys(range(4), "Baths"))
    assert p.coins == [0, 0, 1, 0]
    p.play({0: "sell Theater"})
    assert p.coins == [3, 0, 1, 5]


def test_R53_a_last_card_is_a_separate_move() -> None:
    changes = (f"cards.Altar.when={written([gain('last_card', by='anyone')])}", "settings.last_card=played")
    p = Position("1e", *BOARDS, turn=6, changes=changes)
    p.city(1, "Altar")
    for seat, card in enumerate(("Baths", "Stockade", "Theater", "Workshop")):
        p.hand(seat, card)
        p.city(seat, coins=0)
    p.city(0, coins=1)
    p.play({1: "Loom"})
    assert {seat for seat, *_ in p.extra} == {0, 1, 2, 3}
    assert p.coins[1] - 3 * ((1, "last_card", "sell", "Stockade") in p.extra) == 4


def test_R53_events_are_moves_and_moments() -> None:
    worth = {"card_built": 1, "stage_built": 10, "sold": 100}
    p = table({"Altar": [gain(event, coins, by="left") for event, coins in worth.items()]})
    p.city(0, "Altar")
    p.play({1: "Stockade", 2: "Baths"})
    assert p.coins[0] == 11
    p.play({1: "stage"})
    assert p.coins[0] == 21
    p.play({1: "sell Barracks", 3: "Theater"})
    assert p.coins[0] == 121
    assert p.end_age()
    assert p.coins[0] == 121


def test_R53_a_turn_begins_before_anybody_chooses() -> None:
    p = table({"Altar": [gain("turn_start", "turn")]}, turn=3)
    p.city(2, "Altar")
    for seat in range(4):
        p.hand(seat, "Clay Pool", "Ore Vein")
    p.play_turn()
    assert p.coins == [10, 10, 13, 10]


def test_R53_the_conflicts_are_between_the_moments_of_the_end_of_an_age() -> None:
    tokens = "victory_tokens"
    clauses = [gain("before_conflicts", f"1 + {tokens}"), gain("after_conflicts", f"10 * {tokens}")]
    p = table({"Altar": [*clauses, gain("age_end", f"100 * {tokens}")]})
    p.city(0, "Altar", "Stockade")
    p.end_age()
    assert p.coins[0] == 10 + 1 + 20 + 200


def test_R53_a_clause_may_wait_for_a_colour() -> None:
    p = table({"Altar": [gain("card_built", by="anyone", color=["red", "green"])]})
    p.city(3, "Altar")
    p.play({0: "Stockade", 1: "Baths", 2: "Workshop", 3: "Apothecary"})
    assert p.coins[3] == 13


def test_R54_clauses_act_in_the_order_of_seats_and_then_of_the_catalogue() -> None:
    doubled, added = gain("card_built", "min(50, coins)", by="other"), gain("card_built", 1, by="other")
    p = table({"Altar": [added], "Baths": [doubled], "Theater": [added]})
    p.city(0, "Theater", "Baths", "Altar")
    p.play({1: "Stockade"})
    assert p.coins[0] == (10 + 1) * 2 + 1


def test_R54_a_built_structure_acts_before_clauses_that_wait_for_it() -> None:
    p = table({"Altar": [gain("card_built", "min(50, coins)", by="left")], "Baths": [gain("built", each="right")]})
    p.city(0, "Altar")
    p.play({1: "Baths"})
    assert p.coins[0] == 22


def test_R54_earlier_seats_act_first() -> None:
    takes = [{"event": "built", "each": "other", "take": 10}]
    p = table({"Altar": takes, "Baths": takes})
    p.play({0: "Altar", 1: "Baths"})
    assert p.coins == [30, 10, 0, 0]


def test_R55_the_actions_of_a_clause_trigger_no_clause() -> None:
    p = table({"Altar": [gain("sold", by="anyone"), gain("built", 5, each="other")]})
    p.city(1, "Altar")
    p.play({0: "Altar"})
    assert p.coins == [10, 15, 15, 15]


def test_R55_a_card_reacts_to_cards_built_in_the_same_turn_but_not_to_itself() -> None:
    p = table({"Altar": [gain("card_built", by="anyone")]})
    p.play({0: "Altar", 1: "Baths", 2: "Altar"})
    assert p.coins == [12, 10, 12, 10]


def test_R56_the_condition_is_checked_city_by_city() -> None:
    p = table({"Altar": [{"event": "built", "each": "neighbor", "if": "other.shields < shields", "take": 1}]})
    p.city(0, "Stockade")
    p.city(1, "Barracks")
    p.play({0: "Altar"})
    assert p.coins == [11, 10, 10, 9]


def test_R56_amounts_that_a_city_lacks_lapse() -> None:
    clause = {"event": "built", "each": "left", "take": 25, "gain": {"debts": 2}, "lose": {"debts": 5}}
    p = table({"Altar": [clause, {"event": "built", "lose": {"coins": 99}}]})
    p.play({0: "Altar"})
    assert (p.coins, p.debts) == ([0, 0, 10, 10], [0, 0, 0, 0])


def test_R56_a_city_gives_at_most_the_coins_that_it_has() -> None:
    p = table({"Altar": [{"event": "built", "each": "neighbor", "give": 7}]})
    p.play({0: "Altar"})
    assert p.coins == [0, 17, 10, 13]  # to the left neighbour first


def test_R56_tokens_come_and_go() -> None:
    kinds = ("diplomacy_tokens", "debts", "defeat_tokens")
    clauses = [{"event": "built", "gain": dict.fromkeys(kinds, 3)}, {"event": "sold", "lose": dict.fromkeys(kinds, 2)}]
    p = table({"Altar": clauses})
    for move, left in (("Altar", 3), ("sell Baths", 1), ("sell Baths", 0)):
        p.play({1: move})
        assert [int(count[1]) for count in (p.public.diplomacy, p.public.debts, p.public.defeats)] == [left] * 3


def test_R56_the_parts_of_a_clause_act_in_a_fixed_order() -> None:
    p = table({"Altar": [{"event": "built", "each": "left", "lose": {"coins": 3}, "gain": {"coins": 2}, "take": 11}]})
    p.play({0: "Altar"})
    assert p.coins == [20, 0, 10, 10]


@pytest.mark.parametrize("gained", [["shields", "coins"], ["coins", "shields"]])
def test_R56_amounts_of_a_gain_apply_in_a_fixed_order(gained: list[str]) -> None:
    """Coins come before shields: 10 coins and 10 more are the 13 that the shield asks for."""
    amounts: dict[str, Any] = {"shields": "1 if coins >= 13 else 0", "coins": 10}
    p = table({"Altar": [{"event": "built", "gain": {what: amounts[what] for what in gained}}]})
    p.play({0: "Altar"})
    assert (p.coins[0], int(p.public.shields[0])) == (20, 1)


@pytest.mark.parametrize(("age", "token"), [(1, 1), (2, 3), (3, 5)])
def test_R56_victory_tokens_have_the_value_of_the_age(age: int, token: int) -> None:
    p = table({"Altar": [{"event": "built", "gain": {"victory_tokens": 2, "defeat_tokens": 1}}]}, age=age)
    p.play({0: "Altar"})
    assert p.victories(0) == [token] * 2
    assert int(p.public.defeats[0]) == 1


def test_R57_shields_for_one_age_end_with_it() -> None:
    p = table({"Altar": [{"event": "built", "gain": {"shields": 1, "age_shields": 2}}]})
    p.play({0: "Altar"})
    assert int(p.public.shields[0]) == 3
    assert [fought[1] for fought in p.end_age() if fought[0][0] == 0] == [[3, 0]]
    assert int(p.public.shields[0]) == 1


def test_R58_points_count_in_the_category_of_the_card_or_stage() -> None:
    clause = {"event": "scored", "each": "neighbor", "if": "other.red > 0", "points": "2 * other.red"}
    stages = [{"event": "scored", "points": "-stages"}]
    p = table({"Altar": [clause]}, stages=stages)
    p.city(0, "Altar", stages=1, coins=0)
    p.city(1, "Stockade", "Barracks")
    p.city(2, "Guard Tower")
    points = p.points(0)
    assert points == {"civilian": 2 + 4, "wonder": 3 - 1}


@pytest.mark.engine_only
@(pytest.mark.slow if JIT else pytest.mark.jit_off)  # what is called here is compiled for this test alone
def test_R52_policies_see_what_a_card_would_give_at_once() -> None:
    clauses = [
        {"event": "built", "each": "neighbor", "take": 2},
        gain("built", "3 * red"),
        {"event": "scored", "points": "4 * red"},
    ]
    p = table({"Baths": clauses})
    p.city(0, "Stockade")
    p.city(1, coins=1)
    altar, baths = (p.names.index(name) for name in ("Altar", "Baths"))
    more = score_change(p.public, p.rules, 0, baths) - score_change(p.public, p.rules, 0, altar)
    assert more == pytest.approx(3 + 4 + (1 + 2 + 3) / 3 - 2)


def test_R58_a_copied_guild_counts_itself_in_formulas() -> None:
    """As the Shipowners do (R29): seven points a purple card, the copy and the one that stands there."""
    clause = [{"event": "scored", "points": "7 * purple"}]
    p = Position("1e", "Olympia B", *BOARDS[:2], changes=(f'cards."Workers Guild".when={written(clause)}',))
    p.city(0, "Magistrates Guild", stages=3, coins=0)
    p.city(1, "Workers Guild")
    assert p.points(0)["guild"] == 14


def test_R57_symbols_from_a_clause_are_permanent_and_count_like_others() -> None:
    p = table({"Altar": [{"event": "built", "gain": {"gear": "1 + red", "wild": 1}}]})
    p.city(0, "Stockade", "Apothecary")
    p.play({0: "Altar"})
    assert p.points(0)["science"] == 1 + 4 + 1 + 7  # a compass, two gears, and the wild one is a tablet


def test_R57_symbols_from_a_clause_cannot_be_copied() -> None:
    clause = {"event": "built", "each": "neighbor", "gain": {"tablet": 2}}
    changes = (f'cards."Altar".when={written([clause])}',)
    p = Position("2e-cities", "Gizah day", "Rhodos day", "Ephesos day", "Alexandria day", changes=changes)
    p.city(0, "Band of Spies")
    p.play({2: "Altar"})
    assert p.points(1)["science"] == 4
    assert "science" not in p.points(0)


def test_R57_units_from_a_clause_are_permanent_and_not_for_sale() -> None:
    p = table({"Altar": [{"event": "built", "gain": {"clay": 2}}]}, age=2)
    assert p.builds(0, "Forum") == []
    p.play({0: "Altar"})
    assert p.builds(0, "Forum") == [("paid", 0, 0, 0)]
    assert p.builds(1, "Forum") == p.builds(3, "Forum") == []


def test_R52_formulas_know_what_was_paid() -> None:
    asked = "100 * trade_paid + 10 * left.trade_received + coins_lost + free_builds + from_discard"
    p = table({"Guard Tower": [gain("built", f"min(999, {asked})")]})
    p.city(1, "Clay Pool")
    bought = [move for move in p.moves(0, "Guard Tower") if move.action == "build"]
    assert [(move.left, move.right) for move in bought] == [(2, 0)]
    p.play({0: bought[0]})
    assert p.coins[:2] == [10 - 2 + 220, 12]


def buy(p: Position, buyer: int, card: str, **paid: int) -> None:
    """Let a city build a card and pay these coins to its neighbours."""
    [move] = [
        move
        for move in p.moves(buyer, card)
        if move.action == "build" and {"left": move.left, "right": move.right} == {"left": 0, "right": 0, **paid}
    ]
    p.play({buyer: move})


@pytest.mark.parametrize(
    ("clause", "coins"),
    [
        (gain("bought", "10 * purchase"), [12, 28, 10, 10]),  # seat 1 buys from seat 0, on its right
        (gain("bought", 1, by="anyone"), [13, 9, 10, 11]),
        (gain("bought", 1, **{"by": "neighbor", "from": "self"}), [13, 8, 10, 10]),
        (gain("bought", 1, **{"by": "other", "from": "other"}), [12, 8, 10, 11]),
        (gain("bought", 1, each="trigger", by="anyone"), [13, 10, 10, 10]),
        ({"event": "bought", "by": "right", "each": "trigger", "take": "purchase // 2"}, [12, 8, 10, 10]),
    ],
)
def test_R64_a_purchase_is_a_payment_to_a_neighbour(clause: Clause, coins: list[int]) -> None:
    p = table({"Altar": [clause]})
    for seat in (0, 1, 3):
        p.city(seat, "Altar")
    buy(p, 1, "Baths", right=2)
    assert p.coins == coins


def test_R65_a_unit_for_one_turn_expires_after_the_moves_are_chosen() -> None:
    unit = {"event": "turn_start", "if": "turn == 1", "gain": {"turn_ore": 1}}
    p = table({"Altar": [unit, gain("card_built", "ore", by="self")]})
    p.city(2, "Altar")
    for seat in range(4):
        p.hand(seat, "Barracks")
    p.play_turn()
    assert p.owned(2) == {"Altar", "Barracks"}
    assert p.coins == [8, 12, 10, 13]  # nothing for the ore, which was gone


def test_R65_units_for_one_turn_gained_by_a_move_last_for_the_next_turn() -> None:
    p = table({"Altar": [{"event": "built", "each": "right", "gain": {"turn_ore": 1}}]})
    p.play({0: "Altar"})
    assert p.builds(3, "Barracks") == [("paid", 0, 0, 0)]
    p.play({0: "Baths"})
    assert p.builds(3, "Barracks") == []


@pytest.mark.parametrize(
    ("clause", "price"),
    [
        ({"event": "built", "lose": {"right_raw_price": 1}}, 1),
        ({"event": "built", "lose": {"right_raw_price": "right_raw_price"}}, 0),
        ({"event": "built", "gain": {"right_raw_price": 9}}, 5),
        ({"event": "built", "gain": {"left_raw_price": 2, "right_manufactured_price": 1}}, 2),
    ],
)
def test_R66_a_clause_changes_what_a_unit_costs(clause: Clause, price: int) -> None:
    p = table({"Altar": [clause]})
    p.play({1: "Altar"})
    assert p.builds(1, "Baths") == [("paid", 0, 0, price)]


def test_R66_the_change_stays_when_a_trading_post_is_built() -> None:
    p = table({"Altar": [{"event": "built", "gain": {"right_raw_price": 2}}]})
    p.play({1: "Altar"})
    p.play({1: "East Trading Post"})
    assert p.builds(1, "Baths") == [("paid", 0, 0, 3)]


def test_R66_no_price_falls_below_zero() -> None:
    lower, higher = ({"event": "built", verb: {"right_raw_price": by}} for verb, by in (("lose", 2), ("gain", 1)))
    p = table({"Altar": [lower], "Theater": [higher]})
    for card, price in (("Altar", 0), ("East Trading Post", 0), ("Theater", 1), ("West Trading Post", 1)):
        p.play({1: card})
        assert p.builds(1, "Baths") == [("paid", 0, 0, price)]


def test_R67_tokens_may_be_lost() -> None:
    clauses = [
        {"event": "built", "gain": {"free_build_tokens": 2}},
        {"event": "sold", "lose": {"free_build_tokens": 9}},
    ]
    p = table({"Altar": clauses}, age=3)
    p.play({0: "Altar"})
    assert "free" in {move.how for move in p.moves(0, "Palace")}
    p.play({0: "sell Senate"})
    assert p.builds(0, "Palace") == []


def test_R67_a_token_is_a_single_free_build() -> None:
    p = table({"Altar": [{"event": "built", "gain": {"free_build_tokens": 1}}]}, age=3)
    p.play({0: "Altar"})
    [free] = [move for move in p.moves(0, "Palace") if move.action == "build"]
    assert free.how == "free"
    p.play({0: free})
    assert "Palace" in p.owned(0)
    assert p.builds(0, "Senate") == []


def test_R67_the_free_build_of_the_age_is_used_first() -> None:
    change = f'cards."Altar".when={written([{"event": "built", "gain": {"free_build_tokens": 1}}])}'
    p = Position("1e", "Olympia A", "Rhodos A", "Ephesos A", age=3, changes=(change,))
    p.city(0, stages=2)
    p.play({0: "Altar"})
    for card in ("Palace", "Senate"):
        [free] = [move for move in p.moves(0, card) if move.how == "free"]
        p.play({0: free})
    assert p.builds(0, "Pantheon") == []


def test_R68_a_build_from_the_pile_comes_at_the_end_of_the_turn() -> None:
    p = table({"Altar": [{"event": "built", "each": "neighbor", "gain": {"discard_builds": 1}}]})
    p.discarded("Palace", "Senate")
    p.play({0: "Altar"})
    assert [(seat, card) for seat, *_, card in p.extra] == [(1, "Palace"), (3, "Senate")]


def test_R68_a_build_from_the_pile_may_give_another() -> None:
    grants = [{"event": "built", "gain": {"discard_builds": 1}}]
    p = table({"Altar": grants, "Palace": grants})
    p.discarded("Palace", "Senate")
    p.play({0: "Altar"})
    assert [(seat, card) for seat, *_, card in p.extra] == [(0, "Palace"), (0, "Senate")]


def test_R68_builds_that_come_too_late_wait_for_the_next_turn() -> None:
    p = table({"Altar": [{"event": "age_end", "gain": {"discard_builds": 1}}]})
    p.city(0, "Altar")
    p.discarded("Palace")
    p.end_age()
    assert "Palace" not in p.owned(0)
    p.play({1: "Baths"})
    assert "Palace" in p.owned(0)


@pytest.mark.parametrize(
    ("counted", "number"),
    [
        ("card.cost == 0", 2),
        ("card.cost >= 1 and not card.chained", 2),
        ("card.coins > 0", 1),
        ("card.age == 1, card.red", 5),
        ("card.chained or card.compass", 1),
        ('"Altar", card.blue', 4),
    ],
)
def test_R69_structures_are_counted_by_what_they_are(counted: str, number: int) -> None:
    p = table({"Palace": [gain("built", f"left.count({counted})")]}, age=3)
    p.city(1, "Altar", "Stockade", "Tree Farm", "Temple", "Theater")
    p.play({0: "Palace"})
    assert p.coins[0] == 10 + number


def test_R70_a_counter_stops_at_its_bounds_and_gains_precede_losses() -> None:
    p = table(
        {
            "Altar": [{"event": "built", "gain": {"counter": {"favour": 4}}, "lose": {"counter": {"favour": 1}}}],
            "Baths": [gain("built", "counter.favour + 10 * left.counter.favour")],
        },
        changes=("counters.favour={ least = 1, most = 3 }",),
    )
    p.play({0: "Altar", 1: "Stone Pit"})
    p.play({0: "Baths", 1: "Baths"})
    assert p.coins[0] == 10 + 2 + 10 * 1  # 1 + 4 stops at 3, less 1; the left neighbour has the least value
    assert p.coins[1] == 10 + 1 + 10 * 1  # seat 0 is its right neighbour


def test_R70_a_counter_of_the_table_is_one_for_all() -> None:
    p = table(
        {
            "Altar": [{"event": "built", "gain": {"counter": {"strife": 2}}}],
            "Baths": [gain("built", "counter.strife")],
        },
        changes=("counters.strife={ of = 'table', most = 9 }",),
    )
    p.play({0: "Altar", 2: "Altar"})
    p.play({1: "Baths"})
    assert p.coins[1] == 10 + 4


def test_R71_a_clause_knows_the_card_that_caused_it_and_how_it_was_built() -> None:
    known = "100 * card.age + 10 * card.points + (1 if card.paid else 0)"
    p = table({"Altar": [gain("card_built", f"max(0, min(900, {known}))")]})
    p.city(0, "Altar")
    p.play({0: "Theater"})
    assert p.coins[0] == 10 + 100 + 20 + 1


def test_R71_what_was_built_in_this_turn_counts_before_any_clause_acts() -> None:
    p = table({"Altar": [gain("built", "100 * left.new_cards + 10 * right.new_cards + new_cards")]})
    p.play({0: "Altar", 1: "Stone Pit", 2: "Baths"})
    assert p.coins[0] == 10 + 100 + 1


def test_R94_points_gained_at_once_count_in_the_category_of_the_card_or_stage() -> None:
    p = table(
        {"Altar": [{"event": "built", "gain": {"points": 3}}], "Stockade": [{"event": "sold", "gain": {"points": 5}}]},
        stages=[{"event": "built", "gain": {"points": 7}}],
    )
    p.city(0, "Stockade", coins=0)
    p.play({0: "Altar"})
    p.play({0: "sell Baths"})
    p.play({0: "stage"})
    assert p.points(0) == {"civilian": 2 + 3, "military": 5, "wonder": 3 + 7, "treasury": 1}


def test_R94_points_that_are_lost_may_be_more_than_were_gained() -> None:
    p = table({"Altar": [{"event": "built", "each": "left", "gain": {"points": 1}, "lose": {"points": 4}}]})
    p.city(1, coins=0)
    p.play({0: "Altar"})
    assert p.points(1) == {"civilian": -3}
    assert p.points(0)["civilian"] == 2  # those of the Altar


def test_R94_formulas_read_the_points_gained_so_far() -> None:
    clauses = [
        {"event": "card_built", "gain": {"points": "max(0, card.points)"}},
        gain("card_built", "max(0, 10 * gained_points + left.gained_points)"),
    ]
    p = table({"Altar": clauses, "Baths": [{"event": "built", "gain": {"points": 2}}]})
    p.city(0, "Altar")
    p.play({0: "Theater", 1: "Baths"})
    assert p.coins[0] == 10 + 20  # seat 1 has not gained its points yet (R54)
    p.play({0: "Loom"})
    assert p.coins[0] == 10 + 20 + 20 + 2


def test_R94_the_next_blue_card_counts_twice() -> None:
    twice = [
        {"event": "built", "gain": {"counter": {"twice": 1}}},
        {
            "event": "card_built",
            "color": ["blue"],
            "if": "counter.twice > 0",
            "gain": {"points": "max(0, card.points)"},
            "lose": {"counter": {"twice": 1}},
        },
    ]
    p = table({"Altar": twice}, changes=("counters.twice={ of = 'card', most = 1 }",))
    p.city(0, coins=0)
    p.play({0: "Altar"})
    p.play({0: "Stockade"})
    p.play({0: "Baths"})
    p.play({0: "Theater"})
    assert p.points(0) == {"civilian": 2 + 2 * 3 + 2}


@pytest.mark.parametrize(
    ("condition", "coins"),
    [
        ('card.name == "Theater"', 1), ('card.name == "Baths"', 0), ('card.name != "Baths"', 1),
        ('card.name in ("Baths", "Theater")', 1), ('card.name not in ("Baths", "Theater")', 0),
        ('"Theater" == last.blue.name', 1), ("last.cards.name == card.name", 1), ("card.name == last.red.name", 0),
        ('count(card.name == "Altar" or card.name == "Theater") == 2', 1),
    ],
)  # fmt: skip
def test_R93_a_structure_is_identified_by_its_name(condition: str, coins: int) -> None:
    p = table({"Altar": [gain("card_built", **{"if": condition})]})
    p.city(0, "Altar")
    p.play({0: "Theater"})
    assert p.coins[0] == 10 + coins


def test_R93_a_stage_and_a_structure_that_is_not_there_have_no_name() -> None:
    clauses = [
        gain("stage_built", 1, **{"if": "card.name == last.red.name"}),
        gain("stage_built", 10, **{"if": 'card.name == "Altar"'}),
        gain("stage_built", 100, **{"if": "card.order == 1"}),
    ]
    p = table({"Altar": clauses})
    p.city(0, "Altar")
    p.play({0: "stage"})
    assert p.coins[0] == 10 + 101


def test_R93_structures_are_numbered_in_the_order_of_building() -> None:
    orders = "100 * card.order + 10 * min(9, first.blue.points) + previous.cards.age"
    p = table({"Altar": [gain("card_built", f"max(0, min(900, {orders}))")]})
    p.city(3, coins=10)
    for card, coins in (("Altar", 0), ("Theater", 200 + 20 + 1), ("Baths", 300 + 20 + 1), ("Stockade", 400 + 21)):
        before = p.coins[0]
        p.play({0: card})
        assert p.coins[0] - before == coins, card


def test_R93_a_rebuilt_structure_gets_a_new_position_in_the_order() -> None:
    again = [
        picks("built", "city", "discard", "card.name == first.cards.name"),
        picks("built", "discarded", "build"),
        picks("built", "city", condition="card.name == first.cards.name", gain={"coins": "100 * card.order"}),
        picks(
            "built", "city", condition="card.name == last.cards.name", gain={"coins": "card.order + 10 * card.brown"}
        ),
    ]
    p = table({"Baths": again})
    p.play({0: "Lumber Yard"})
    p.play({0: "Altar"})
    p.play({0: "Baths"})
    assert p.coins[0] == 10 + 100 + 10 + 3


def asked(event: str, price: Any = 1, gained: int = 1, **more: Any) -> Clause:
    return {"event": event, "price": price, "gain": {"coins": gained}, **more}


def test_R72_seats_decide_in_turn_and_see_the_results_of_earlier_decisions() -> None:
    first = {"event": "built", "price": {"counter": {"pot": 2}}, "gain": {"coins": 1}}
    pot = "counters.pot={ of = 'table', start = 3, most = 9 }"
    p = table({"Altar": [first], "Baths": [first]}, changes=(pot,))
    p.play({2: "Altar", 1: "Baths"})
    assert p.coins == [10, 11, 10, 10]  # what is left in the pot is not enough for seat 2
    p = table({"Altar": [first], "Baths": [first]}, changes=(pot,))
    p.script(1, effect=-1)
    p.play({2: "Altar", 1: "Baths"})
    assert p.coins == [10, 10, 11, 10]


def test_R72_decisions_follow_the_other_clauses_of_the_step_and_come_before_the_pile() -> None:
    p = table({"Altar": [asked("built", "coins", 1)], "Baths": [gain("built", 5, each="neighbor")]})
    p.play({0: "Altar", 1: "Baths"})
    assert p.coins[0] == 1  # it pays the five coins of the Baths too
    p = table({"Altar": [{"event": "built", "may": True, "gain": {"discard_builds": 1}}]})
    p.discarded("Palace")
    p.play({0: "Altar"})
    assert [(seat, card) for seat, *_, card in p.extra] == [(0, "Palace")]


def test_R72_shields_that_are_decided_on_before_the_conflicts_fight_in_them() -> None:
    p = table({"Altar": [{"event": "before_conflicts", "price": 2, "gain": {"age_shields": 1}}]})
    p.city(0, "Altar")
    assert [fought[1] for fought in p.end_age() if fought[0][0] == 0] == [[1, 0]]
    assert p.coins[0] == 8


def test_R73_only_prices_that_can_be_paid_in_full_are_offered() -> None:
    options = [{"price": 11, "gain": {"coins": 90}}, {"price": 10, "gain": {"coins": 1}}]
    p = table({"Altar": [{"event": "built", "choose": options}], "Baths": [asked("built", 12, 50)]})
    p.play({0: "Altar", 1: "Baths"})
    assert p.coins[:2] == [1, 10]


def test_R73_the_condition_must_still_be_true() -> None:
    twice = [{"event": "built", "may": True, "if": "coins < 11", "gain": {"coins": 1}}] * 2
    p = table({"Altar": twice})
    p.play({0: "Altar"})
    assert p.coins[0] == 11


def test_R73_a_decision_knows_what_triggered_it() -> None:
    clause = {"event": "card_built", "by": "other", "may": True, "if": "card.blue", "gain": {"coins": "other.coins"}}
    p = table({"Altar": [clause]})
    p.city(0, "Altar")
    p.city(2, coins=7)
    p.play({1: "Stone Pit", 2: "Theater"})
    assert p.coins[0] == 10 + 7


def test_R74_cities_are_determined_before_the_price_is_paid_once() -> None:
    clause = {"event": "built", "each": "other", "if": "other.coins <= coins", "price": 3, "take": 1}
    p = table({"Altar": [clause]})
    p.city(2, coins=9)
    p.city(3, coins=11)
    p.play({0: "Altar"})
    assert p.coins == [10 - 3 + 2, 9, 8, 11]


def test_R74_a_clause_of_one_city_acts_on_the_one_that_is_chosen() -> None:
    clause = {"event": "built", "each": "other", "one": True, "if": "other.coins > 5", "take": 2}
    for place, taker in ((0, 2), (1, 3)):
        p = table({"Altar": [clause]})
        p.city(1, coins=5)
        p.script(0, effect=place)
        p.play({0: "Altar"})
        assert p.coins[0] == 12
        assert p.coins[taker] == 8


def test_R87_every_city_has_the_rules_of_the_table_from_the_start() -> None:
    rules = (
        f"table.Toll.when={written([gain('card_built', by='other', color=['blue']), gain('before_conflicts', 2)])}",
    )
    p = table({}, changes=rules)
    p.play({1: "Theater", 2: "Stone Pit"})
    assert p.coins == [11, 10, 11, 11]
    p.end_age()
    assert p.coins == [13, 12, 13, 13]


def test_R87_clauses_of_the_table_act_last_in_order_of_name() -> None:
    rules = (
        f"table.Bonus.when={written([gain('stage_built', 'coins')])}",
        f"table.Alms.when={written([gain('stage_built', 100)])}",
    )
    p = table({"Altar": [gain("stage_built", 7)]}, changes=rules)
    p.city(0, "Altar")
    p.play({0: "stage"})
    assert p.coins[0] == (10 + 7 + 100) * 2


def test_R87_a_rule_of_the_table_asks_every_city() -> None:
    p = table({}, changes=(f"table.Loan.when={written([asked('card_built', 1, 3, by='self')])}",))
    p.play({0: "Altar", 1: "Theater"})
    assert p.coins == [12, 12, 10, 10]
    p.script(0, effect=-1)
    p.play({0: "Baths", 1: "Baths"})
    assert p.coins[0] == 12
    assert p.coins[1] == 14


def test_R87_points_of_the_table_count_in_the_category_of_stages() -> None:
    p = table({}, changes=(f"table.Glory.when={written([{'event': 'scored', 'points': '2 * blue'}])}",))
    p.city(1, "Altar", "Theater")
    assert [p.points(seat).get("wonder", 0) for seat in range(4)] == [0, 4, 0, 0]


# --- prices


def paid(p: Position, card: str, seat: int = 0) -> list[tuple[int, int, int]]:
    """Return the payments (bank, left, right) with which a seat can build a card."""
    return [(bank, left, right) for how, bank, left, right in p.builds(seat, card) if how == "paid"]


def cost(event: str = "card_cost", **more: Any) -> Clause:
    return {"event": event, **more}


def test_R75_a_price_depends_on_the_table_when_moves_are_listed() -> None:
    p = table({"Altar": [cost(dearer={"coins": "left.green"})]})
    assert paid(p, "Theater") == [(0, 0, 0)]
    p.city(0, "Altar")
    p.city(1, "Workshop", "Library")
    assert paid(p, "Theater") == [(2, 0, 0)]


@pytest.mark.parametrize(
    ("by", "payers"),
    [("self", [0]), ("left", [1]), ("neighbor", [1, 3]), ("other", [1, 2, 3]), ("anyone", [0, 1, 2, 3])],
)
def test_R75_by_says_who_pays(by: str, payers: list[int]) -> None:
    p = table({"Altar": [cost(by=by, dearer={"coins": "max(0, other.coins - 9)"}, **{"if": "other.coins > 9"})]})
    p.city(0, "Altar")
    assert [seat for seat in range(4) if paid(p, "Theater", seat) == [(1, 0, 0)]] == payers


def test_R75_color_and_card_facts_select_the_costs_that_change() -> None:
    later = cost(dearer={"coins": 2}, **{"if": "card.age > 1"})
    p = table({"Altar": [cost(color=["blue"], dearer={"coins": 1}), later]})
    p.city(0, "Altar")
    assert [paid(p, card)[0][0] for card in ("Theater", "Tavern")] == [1, 0]
    p.go_to(2)
    assert paid(p, "Vineyard") == [(2, 0, 0)]


def test_R75_a_chain_waives_the_changed_cost_and_a_card_does_not_change_its_own() -> None:
    p = table({"Theater": [cost(dearer={"coins": 3})]})
    assert paid(p, "Theater") == [(0, 0, 0)]
    p.city(0, "Theater")
    assert paid(p, "Altar") == [(3, 0, 0)]
    p.go_to(2)
    assert p.builds(0, "Statue") == [("chain", 0, 0, 0)]


def test_R75_without_each_other_is_the_seller_or_the_payer() -> None:
    p = table({"Altar": [cost("trade_cost", by="anyone", dearer={"unit": "1 if other.coins == 7 else 0"})]})
    p.city(0, "Altar")
    p.city(1, "Lumber Yard", coins=7)
    p.city(3, "Lumber Yard")
    assert paid(p, "Stockade") == [(0, 0, 2), (0, 3, 0)]
    p.city(2, coins=7)
    assert paid(p, "Stockade", 2) == [(0, 0, 3), (0, 3, 0)]


def test_R76_changes_are_added_up_before_the_cost_is_cut_off_at_nothing() -> None:
    less, more = {"coins": 9, "stone": 2}, {"coins": 5, "stone": 2, "clay": 1}
    p = table({"Altar": [cost(cheaper=less), cost(dearer=more)]}, age=3)
    p.city(0, "Altar", "Ore Vein", "Glassworks", "Clay Pool")
    p.city(1, "Stone Pit")
    assert paid(p, "Town Hall") == [(0, 2, 0)]  # 2 stone (of which it has one), ore, glass, and now clay


def test_R76_the_payer_chooses_the_units_that_need_not_be_paid() -> None:
    p = table({"Altar": [cost(cheaper={"resources": 1})]})
    p.city(0, "Altar", "Clay Pool", "Loom")
    p.city(3, "Lumber Yard")
    assert paid(p, "Barracks") == [(0, 0, 0)]
    p.go_to(2)
    assert paid(p, "Courthouse") == [(0, 0, 0)]  # 2 clay, loom
    assert paid(p, "Stables") == [(0, 0, 2), (0, 2, 0)]  # clay, ore, wood
    p.go_to(3)
    assert paid(p, "Palace") == [(0, 2, 4)]  # one of each: nobody nearby has papyrus


def test_R76_stages_cost_less_and_R17_waives_added_costs() -> None:
    p = table({"Altar": [cost("stage_cost", cheaper={"stone": 1}, dearer={"coins": 1})]})
    p.city(0, "Altar")
    assert p.stage_payments(0) == [(1, 0, 0)]  # 2 stone, of which the board gives one
    dearer = f'cards."Altar".when={written([cost("stage_cost", dearer={"clay": 2})])}'
    q = Position("2e-cities", "Gizah day", "Rhodos day", "Ephesos day", changes=(dearer,))
    q.city(0, "Altar", coins=10)
    assert q.stage_payments(0) == []
    q.city(0, "Architect Firm")
    assert q.stage_payments(0) == [(0, 0, 0)]


def test_R77_units_cost_more_or_less_by_seller_and_kind_between_0_and_5() -> None:
    changes = [
        cost("trade_cost", **{"from": "left"}, dearer={"raw_unit": 9}, cheaper={"manufactured_unit": 9}),
        cost("trade_cost", cheaper={"raw_unit": 1}),
    ]
    p = table({"Altar": changes})
    p.city(0, "Altar")
    p.city(1, "Lumber Yard", "Loom")
    p.city(3, "Lumber Yard")
    assert paid(p, "Stockade") == [(0, 0, 1), (0, 5, 0)]
    assert paid(p, "Apothecary") == [(0, 0, 0)]


def test_R77_neighbours_pay_more_to_buy_from_the_city() -> None:
    p = table({"Altar": [cost("trade_cost", by="neighbor", dearer={"unit": 1}, **{"from": "self"})]})
    p.city(0, "Altar", "Lumber Yard")
    p.city(2, "Lumber Yard")
    assert paid(p, "Stockade", 1) == [(0, 0, 3), (0, 2, 0)]
    assert paid(p, "Stockade", 3) == [(0, 0, 2), (0, 3, 0)]


def test_R78_first_unit_reductions_overall_and_per_neighbour() -> None:
    p = table({"Altar": [cost("trade_cost", cheaper={"first_unit": 1})]}, age=2)
    p.city(0, "Altar")
    p.city(1, "Sawmill")
    p.city(3, "Foundry")
    assert paid(p, "Archery Range") == [(0, 3, 2), (0, 4, 1), (0, 5, 0)]  # 2 wood from the left, ore from either
    sides = [cost("trade_cost", cheaper={"first_unit": 1}, **{"from": side}) for side in ("left", "right")]
    p = table({"Altar": sides}, age=2)
    p.city(0, "Altar")
    p.city(1, "Sawmill")
    p.city(3, "Foundry")
    assert paid(p, "Archery Range") == [(0, 3, 1), (0, 5, 0)]


def test_R78_reductions_of_both_kinds_meet_in_one_unit_and_stop_at_nothing() -> None:
    first = [cost("trade_cost", cheaper={"first_unit": n}, **more) for n, more in ((1, {"from": "left"}), (9, {}))]
    p = table({"Altar": first}, age=2)
    p.city(0, "Altar")
    p.city(1, "Sawmill")
    p.city(3, "Foundry")
    assert paid(p, "Archery Range") == [(0, 2, 2), (0, 3, 0)]


@pytest.mark.engine_only
@pytest.mark.parametrize(("item", "amount", "told"), [("coins", 256, "256 coins"), ("clay", 13, "13 resources")])
def test_R79_a_game_with_an_oversized_cost_is_stopped(item: str, amount: int, told: str) -> None:
    clauses = written([cost(by="anyone", dearer={item: amount})])
    changes = [f'cards."{card}".when={clauses}' for card in ("Altar", "Theater", "Lumber Yard", "Clay Pool")]
    with pytest.raises(UserError, match=f"reached {told} in a cost.*: at most .* can be played; change `dearer"):
        wsim.simulate(set=changes, players=3, games=3, policies="random", seed=1)


# --- cards of a set


def test_R95_an_amount_is_chosen_from_1_up_to_what_can_be_paid() -> None:
    clause = {"event": "built", "amount": "min(9, 2 * blue)", "price": "3 * amount", "gain": {"coins": "10 * amount"}}
    for index, amount in ((0, 1), (1, 2), (2, 3), (-1, 0)):
        p = table({"Altar": [clause]})
        p.city(0, "Theater", coins=10)  # 4 are allowed, but cost 12
        p.script(0, effect=index)
        p.play({0: "Altar"})
        assert p.coins[0] == 10 + 7 * amount, index


def test_R95_nothing_is_asked_where_no_amount_is_possible() -> None:
    p = table({"Altar": [{"event": "built", "amount": "min(9, red)", "gain": {"coins": "5 * amount"}}]})
    p.play({0: "Altar"})
    assert p.coins[0] == 10


def picks(event: str, source: str, do: str = "", condition: str = "", **more: Any) -> Clause:
    card = {"from": source, **({"do": do} if do else {}), **({"if": condition} if condition else {})}
    return {"event": event, "card": card, **more}


def test_R80_formulas_know_the_card_that_is_chosen() -> None:
    for source, coins in (("city", 10 + 2), ("left", 10 + 5), ("right", 10 + 8)):
        p = table({"Altar": [picks("built", source, condition="card.blue", gain={"coins": "max(0, card.points)"})]})
        for seat, cards in enumerate((("Loom",), ("Senate", "Stockade"), ("Gardens",), ("Palace",))):
            p.city(seat, *cards)
        p.play({0: "Altar"})
        assert p.coins[0] == coins + (1 if source == "left" else 0), source


def test_R80_cards_of_a_set_are_offered_by_name_if_allowed_and_affordable() -> None:
    clause = picks("built", "left", condition="card.cost > 1", price="card.cost", gain={"coins": "9 * card.red"})
    p = table({"Altar": [clause]})
    p.city(1, "Arsenal", "Baths", "Fortifications", "Archery Range")  # costs of 4, 1, 4, 3
    p.script(0, effect=1)
    p.play({0: "Altar"})
    assert p.coins[0] == 10 - 4 + 9  # the second of Archery Range, Arsenal, Fortifications
    p = table({"Altar": [clause]})
    p.city(1, "Arsenal", "Archery Range")
    p.city(0, coins=3)
    p.script(0, effect=-1)
    p.play({0: "Altar"})
    assert p.coins[0] == 3  # Archery Range alone can be paid; declined
    p = table({"Altar": [{**clause, "price": 1}]})
    p.play({0: "Altar"})
    assert p.coins[0] == 10  # there is no card: the city is not asked


def test_R80_how_a_card_was_built_follows_from_the_public_moves() -> None:
    clause = picks("turn_start", "city", gain={"coins": "card.free + 2 * card.by_chain + 4 * card.paid"})
    p = table({"Altar": [{**clause, "event": "card_built", "by": "anyone"}]})
    p.city(0, "Altar", coins=10)
    p.play({1: "Stone Pit"})
    assert p.coins[0] == 10  # nobody saw how the Altar was built
    p.script(0, effect=1)
    p.play({0: "Baths"})
    assert p.coins[0] == 10 + 4


def test_R81_a_card_from_the_pile_is_built_for_nothing_before_the_parts_of_the_option() -> None:
    p = table({"Altar": [picks("built", "discarded", "build", "card.blue", gain={"coins": "blue"})]})
    p.discarded("Altar", "Palace", "Arsenal", "Baths")
    p.play({0: "Altar"})
    assert p.owned(0) == {"Altar", "Baths"}  # the Altar stands already, the Arsenal is red, the first of two is taken
    assert p.coins[0] == 12
    assert p.pile == ["Altar", "Arsenal", "Palace"]


def test_R81_clauses_react_to_the_build_and_losses_follow_the_decision() -> None:
    p = table({"Altar": [picks("built", "discarded", "build")], "Theater": [gain("card_built", 3, by="anyone")]})
    p.discarded("Baths")
    p.city(2, "Theater")
    p.play({0: "Altar"})
    assert p.coins == [10, 10, 16, 10]
    changes = (f"cards.Altar.when={written([picks('built', 'discarded', 'build', gain={'coins': 5})])}",)
    p = Position("2e-cities", "Gizah day", "Rhodos day", "Ephesos day", "Alexandria day", changes=changes)
    for seat in range(4):
        p.city(seat, coins=4)
    p.discarded("Hideout")
    p.play({0: "Altar"})
    assert p.coins == [9, 3, 3, 3]  # the Hideout makes the others lose a coin


def test_R81_a_build_before_the_last_cards_does_not_see_them() -> None:
    p = table({"Altar": [picks("built", "discarded", "build")]}, turn=6)
    for seat, last in enumerate(("Theater", "Loom", "Press", "Workshop")):
        p.hand(seat, last)
    p.discarded("Palace")
    p.play({0: "Altar", 1: "sell Stone Pit"})
    assert p.owned(0) == {"Altar", "Palace"}  # the first of Palace, Stone Pit; Loom comes too late
    assert p.pile == ["Loom", "Press", "Stone Pit", "Theater", "Workshop"]


def test_R82_a_structure_that_is_discarded_takes_its_lasting_effects_with_it() -> None:
    p = table({"Altar": [picks("built", "city", "discard", "not card.blue", gain={"coins": "2 + red"})]})
    p.city(0, "Stockade", coins=10)
    shields = p.public.shields[0]
    p.play({0: "Altar"})
    assert p.owned(0) == {"Altar"}
    assert p.pile == ["Stockade"]
    assert p.public.shields[0] == shields - 1
    assert p.coins[0] == 12


def test_R82_production_and_prices_go_and_changes_by_clauses_stay() -> None:
    p = table({"Altar": [picks("built", "city", "discard", "card.brown")]})
    p.city(0, "Lumber Yard", coins=10)
    p.play({0: "Altar"})
    assert p.owned(0) == {"Altar"}
    assert p.builds(0, "Stockade") == []
    for change, price in (({"lose": {"right_raw_price": 2}}, 1), ({"gain": {"right_raw_price": 3}}, 5), ({}, 2)):
        changed = {"Baths": [{"event": "built", **change}]} if change else {}
        p = table({"Altar": [picks("built", "city", "discard", "card.yellow")], **changed})
        p.city(0, "East Trading Post", coins=10)
        p.city(3, "Lumber Yard")
        p.play({0: "Baths"})
        p.play({0: "Altar"})
        assert p.builds(0, "Stockade") == [("paid", 0, 0, price)]


def test_R82_a_structure_of_a_neighbour_can_be_discarded_too() -> None:
    p = table({"Altar": [picks("built", "left", "discard", "card.red")]})
    p.city(1, "Stockade", "Baths")
    p.play({0: "Altar"})
    assert (p.owned(1), p.pile, p.public.shields[1]) == ({"Baths"}, ["Stockade"], 0)


def test_R96_a_taken_structure_counts_in_its_new_city_without_immediate_effects() -> None:
    take = picks("built", "left", "take", gain={"points": "card.order"})
    p = table({"Altar": [take], "Theater": [gain("card_built", 3, by="anyone")], "Tavern": [gain("built", 4)]})
    p.city(0, "Theater", coins=10)
    p.city(1, "Altar", "Tavern", "Stockade")
    p.play({0: "Altar"})
    assert p.owned(0) == {"Altar", "Stockade", "Theater"}  # the Altar is there already, the Stockade comes before it
    assert (p.owned(1), p.coins[0], p.public.shields[0]) == ({"Altar", "Tavern"}, 13, 1)
    p = table({"Altar": [take], "Theater": [gain("card_built", 3, by="anyone")], "Tavern": [gain("built", 4)]})
    p.city(1, "Altar", "Tavern")
    p.play({0: "Altar"})
    assert (p.owned(0), p.coins) == ({"Altar", "Tavern"}, [10, 10, 10, 10])  # five coins for a Tavern that is built
    p.play({0: "Theater", 1: "Stone Pit"})
    assert p.coins[0] == 13, "the Theater sees the Stone Pit, not itself"


def test_R96_a_taken_structure_counts_as_built_last_in_an_unknown_way() -> None:
    take = picks("stage_built", "left", "take")
    p = table({"Altar": [take, gain("sold", "max(0, last.cards.points - 9 * last.cards.order + 99)", by="anyone")]})
    p.city(0, "Altar", coins=0)
    p.city(1, "Palace")
    p.play({0: "stage"})
    assert p.owned(0) == {"Altar", "Palace"}
    coins = p.coins[0]
    p.play({2: "sell Loom"})
    assert p.coins[0] - coins == 8 - 9 * 2 + 99


def test_R97_two_structures_change_places_after_two_decisions() -> None:
    swap = picks("built", "left", "swap", "card.blue", gain={"coins": "max(0, card.points)"})
    swap["card"]["for"] = "card.cost == 0"
    p = table({"Altar": [{**swap, "price": 2}]})
    p.city(0, "Lumber Yard", "Barracks", "Stone Pit", coins=10)
    p.city(1, "Palace", "Stone Pit", "Loom")
    p.play({0: "Altar"})
    assert p.owned(0) == {"Palace", "Barracks", "Stone Pit", "Lumber Yard"}  # the Altar is the first that costs nothing
    assert p.owned(1) == {"Altar", "Stone Pit", "Loom"}
    assert p.coins[0] == 10 - 2 + 8
    p = table({"Altar": [{**swap, "card": {**swap["card"], "for": "card.cost > 9"}}]})
    p.city(1, "Palace")
    p.play({0: "Altar"})
    assert (p.owned(0), p.coins[0]) == ({"Altar"}, 10)  # nothing can be given: it is not asked


def test_R97_a_structure_is_exchanged_for_a_card_of_the_pile() -> None:
    p = table({"Altar": [picks("built", "discarded", "swap", gain={"points": 1})]})
    p.discarded("Arsenal", "Palace", "Altar")
    p.play({0: "Altar"})
    assert (p.owned(0), p.pile, p.public.shields[0]) == ({"Arsenal"}, ["Altar", "Altar", "Palace"], 3)


def test_R98_another_city_decides_and_pays_for_effects_of_the_owner() -> None:
    options = [{"gain": {"coins": "coins"}}, {"price": "left.blue", "give": 3}]
    clause = {"event": "card_built", "by": "neighbor", "decider": "trigger", "each": "left", "choose": options}
    p = table({"Altar": [clause]})
    p.city(0, "Altar", coins=10)
    p.city(1, "Baths", coins=10)
    p.script(1, effect=1)
    p.play({1: "Stone Pit"})
    assert p.coins == [7, 12, 10, 10]  # seat 1 pays a coin for its blue card, and gets three
    p.script(3, effect=0)
    p.play({3: "Stone Pit"})
    assert p.coins == [7, 12 + 7, 10, 10]  # the left neighbour gains as many coins as the owner has
    p = table({"Altar": [{"event": "built", "decider": "right", "price": 11, "gain": {"coins": 1}}]})
    p.play({0: "Altar"})
    assert p.coins == [10] * 4  # seat 3 cannot pay, and is not asked


def test_R99_count_compares_the_order_of_building() -> None:
    counted = "count(card.order > first.blue.order) + 10 * count(card.blue and 2 <= card.order and card.order < 4)"
    p = table({"Altar": [gain("sold", counted, by="anyone")]})
    for card in ("Loom", "Baths", "Altar", "Stone Pit", "Theater"):
        p.play({0: card})
    coins = p.coins[0]
    p.play({2: "sell Press"})
    assert p.coins[0] - coins == 3 + 10 * 2  # after the Baths three; Baths and Altar are the second and third


def test_R100_one_drawn_card_is_chosen_and_the_others_go_back() -> None:
    changes = ('cards.Altar.when=[{event="built", card={from="discarded", draw=2, do="build"}}]',)
    game = wsim.Game(set=changes, players=4, policies="first", seed=7)
    offered: set[int] = set()
    while game.to_move is not None:
        moves = game.legal()
        if game.decision == "effect":
            pile = game._position.view(None)["discard_pile"]
            picked = [move["picked"] for move in moves]
            assert 1 <= len(picked) <= 2
            assert set(picked) <= set(pile)
            offered.add(len(picked))
            game.step(moves[0])
            pile[picked[0]] -= 1
            assert game._position.view(None)["discard_pile"] == {name: n for name, n in pile.items() if n}
            continue
        wanted = [move for move in moves if move.get("card") == "Altar" and move["action"] == "build"]
        sold = [move for move in moves if move["action"] == "sell" and move["card"] != "Altar"]
        game.step((wanted or (sold if game._position.view(0)["turn"] < 3 else []) or moves)[0])
    assert offered


def test_R103_a_copy_has_the_lasting_effects_of_a_card_but_is_not_a_structure() -> None:
    copying = {"event": "card_built", "by": "left", "gain": {"copies": 1}}
    counting = gain("sold", "1000 * cards + 100 * shields + 10 * wood + compass + gear + tablet")
    p = table({"Altar": [copying], "Theater": [counting]})
    p.city(0, "Altar", "Theater", coins=0)
    for card in ("Stockade", "Apothecary", "Lumber Yard", "Tavern"):
        p.play({1: card})
    assert p.coins[0] == 0, "what a card brings at once does not come again"
    assert p.points(0) == {"civilian": 2 + 2, "science": 1}
    p.play({0: "sell Baths"})
    assert p.coins[0] == 3 + 2000 + 100 + 10 + 1


def test_R103_points_of_a_copy_are_counted_for_its_city() -> None:
    """They count in the category of the copied card."""
    p = table(
        {"Altar": [{"event": "built", "card": {"from": "left", "if": "card.purple"}, "gain": {"copies": 1}}]}, age=3
    )
    p.city(1, "Traders Guild", coins=0)
    p.city(2, "Tavern", "Forum", coins=0)
    p.city(3, "Vineyard", coins=0)
    p.script(0, effect=0)
    p.play({0: "Altar"})
    assert p.points(0)["guild"] == 1  # the Vineyard of the right neighbour
    assert p.points(1)["guild"] == 2


def test_R103_a_city_has_one_copy_of_a_card_at_most() -> None:
    watching = {"event": "card_built", "by": "neighbor", "gain": {"copies": 1}}
    p = table({"Altar": [watching], "Theater": [watching], "Baths": [gain("sold", "100 * shields")]})
    p.city(0, "Altar", "Theater", "Baths", coins=0)
    p.play({1: "Stockade", 3: "Stockade"})
    p.play({0: "sell Loom", 3: "Guard Tower"})
    assert p.coins[0] == 3 + 100
    p.play({0: "sell Loom"})
    assert p.coins[0] == 3 + 100 + 3 + 200


def test_R105_a_city_chooses_a_card_of_its_hand_or_sees_that_of_a_neighbour() -> None:
    """Each city shows a card that costs something, then names one of the hand to its right; no card moves."""
    shown = {"event": "age_start", "may": True, "card": {"from": "hand", "if": "card.cost > 0"}, "gain": {"coins": 1}}
    named = {"event": "age_start", "card": {"from": "right_hand"}, "may": True, "gain": {"coins": 1}}
    changes = [f"table.Show.when={written([shown])}", f"table.View.when={written([named])}"]
    game = wsim.Game(set=changes, players=3, policies="random", seed=7)
    hands: list[Any] = [game.observe(seat)["hand"] for seat in range(3)]
    costs = {card.name: card.cost for card in load_catalogue("1e").cards}
    free = {name for name, cost in costs.items() if not cost.coins and not cost.resources}
    for seat in range(3):
        for offered in (set(hands[seat]) - free, set(hands[(seat - 1) % 3])):
            *moves, last = game.legal()
            assert (game.to_move, last["action"], {move["picked"] for move in moves}) == (seat, "decline", offered)
            game = game.step(0)
    after: Any = game.observe(1)
    assert [game.observe(seat)["hand"] for seat in range(3)] == hands
    assert after["hands_seen"] == [{"turn": 1, "seat": 0, "hand": hands[0]}]
    assert [city["coins"] for city in after["cities"]] == [5, 5, 5]


def offering(event: str, **more: Any) -> str:
    clause = {"event": event, "may": True, "card": {"from": "hand", "do": "discard"}, "gain": {"coins": 1}, **more}
    return f"table.Offering.when={written([clause])}"


def test_R107_a_card_put_aside_goes_to_the_pile_and_the_hand_is_passed_on_smaller() -> None:
    """Seat 1 of three puts a card aside in turn 1: its hand of 6 goes round, and nobody can put a card of it aside."""
    game = wsim.Game(set=[offering("turn_start")], players=3, policies="random", seed=7)
    hands: list[Any] = [game.observe(seat)["hand"] for seat in range(3)]
    game = game.step(game.legal()[-1])
    assert [move.get("picked") for move in game.legal()] == [*sorted(set(hands[1])), None]
    put, game = game.legal()[0]["picked"], game.step(0)
    game = game.step(game.legal()[-1])
    seen: Any = game.observe(0)
    assert (seen["discarded"], [city["hand_size"] for city in seen["cities"]]) == (1, [7, 6, 7])
    assert {"seat": 1, "action": "put_aside", "card": put}.items() <= seen["public_moves"][-1].items()
    assert [city["coins"] for city in seen["cities"]] == [3, 4, 3]
    left = list(hands[1])
    left.remove(put)
    assert game.observe(1)["hand"] == left
    for turn in range(2, 7):
        game = game.at(age=1, turn=turn)
        holder = turn % 3
        sizes = [8 - turn - (seat == holder) for seat in range(3)]
        seen = game.observe(0)
        assert [city["hand_size"] for city in seen["cities"]] == sizes
        while game.decision == "effect":
            assert game.to_move != holder, "this hand has no card to spare"
            game = game.step(game.legal()[-1])
        assert [len(game.observe(seat)["hand"]) for seat in range(3)] == sizes
    game = game.at(age=2, turn=1)
    seen = game.observe(0)
    assert [city["hand_size"] for city in seen["cities"]] == [7, 7, 7]


def test_R107_a_hand_without_a_last_card_plays_none() -> None:
    """In the last turn of age I all three seats put their last card aside, and only those of age II can be played."""
    changes = [offering("sold", may=False, **{"if": "turn == 6 and age == 1"}), "settings.last_card='played'"]
    game = wsim.Game(set=changes, players=3, policies="first", seed=7).at(age=1, turn=6)
    for _ in range(3):
        sold = next(move for move in game.legal() if move["action"] == "sell")
        game = game.step(sold)
    for _ in range(3):
        assert game.decision == "effect"
        game = game.step(0)
    seen: Any = game.observe(0)
    assert (game.decision, seen["age"], seen["turn"]) == ("turn", 2, 1)
    actions = [move["action"] for move in seen["public_moves"] if move["age"] == 1 and move["turn"] == 6]
    assert actions == ["sell"] * 3 + ["put_aside"] * 3
    game = game.at(age=3, turn=1)
    seen = game.observe(0)
    assert [move["age"] for move in seen["public_moves"] if move.get("source") == "last_card"] == [2, 2, 2]


def test_R107_the_two_players_of_1e_duo_put_no_card_aside() -> None:
    game = wsim.Game(ruleset="1e-duo", set=[offering("turn_start")], players=2, policies="random", seed=1)
    assert game.decision == "turn"
