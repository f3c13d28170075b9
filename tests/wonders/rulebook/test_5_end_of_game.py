"""Chapter 5, the end of the game (R22-R25): categories, science, the winner, points per something."""

# ruff: noqa: N802

from __future__ import annotations

import pytest

from tests.wonders.both import Position

pytestmark = pytest.mark.jit_off

BOARDS = ("Gizah B", "Rhodos A", "Ephesos A")
CITIES = ("Gizah night", "Rhodos day", "Ephesos day", "Alexandria day")


def test_R22_example_of_the_first_edition() -> None:
    # Tokens 1, 3, 5, -1, -1, -1; 14 coins; all stages of Alexandria A; three blue cards; 3, 2, 1 symbols; the Chamber.
    p = Position("1e", "Alexandria A", "Gizah A", "Rhodos A")
    p.city(0, stages=3, coins=14, victories=[1, 3, 5], defeats=3)
    p.city(0, "Altar", "Aqueduct", "Town Hall", "Loom", "Press", "Chamber of Commerce")
    p.city(0, "Apothecary", "Dispensary", "Academy", "Workshop", "Laboratory", "Library")
    expected = {"military": 6, "treasury": 4, "wonder": 10, "civilian": 13, "science": 21, "commerce": 4}
    assert p.points(0) == expected
    p.city(0, "University")
    assert p.points(0) == {**expected, "science": 31}


def test_R22_debts_count_in_the_treasury_and_black_cards_in_cities() -> None:
    p = Position("2e-cities", *CITIES)
    p.city(0, "Tabularium", coins=8, debts=5)
    assert p.points(0) == {"treasury": 2 - 5, "cities": 6}


@pytest.mark.parametrize(("coins", "points"), [(0, 0), (2, 0), (3, 1), (14, 4)])
def test_R22_three_coins_are_a_point(coins: int, points: int) -> None:
    p = Position("1e", *BOARDS)
    p.city(0, coins=coins)
    assert p.points(0).get("treasury", 0) == points


@pytest.mark.parametrize(("board", "ruleset", "points"), [
    ("Gizah A", "1e", [3, 8, 15]), ("Gizah B", "1e", [3, 8, 13, 20]), ("Rhodos A", "1e", [3, 3, 10]),
    ("Rhodos B", "1e", [3, 7]), ("Ephesos B", "1e", [2, 5, 10]), ("Halikarnassos B", "1e", [2, 3, 3]),
    ("Olympia B", "1e", [0, 5, 5]), ("Babylon B", "1e", [3, 3, 3]), ("Alexandria B", "1e", [0, 0, 7]),
    ("Gizah day", "2e", [3, 8, 15]), ("Gizah night", "2e", [3, 8, 13, 20]), ("Rhodos night", "2e", [3, 7]),
    ("Ephesos night", "2e", [2, 5, 10]), ("Halikarnassos night", "2e", [2, 3, 3]), ("Olympia day", "2e", [3, 3, 10]),
    ("Olympia night", "2e", [2, 5, 10]), ("Babylon day", "2e", [3, 3, 10]), ("Babylon night", "2e", [0, 0]),
    ("Petra day", "2e-cities", [3, 10, 17]), ("Petra night", "2e-cities", [3, 17]),
    ("Byzantium day", "2e-cities", [3, 7, 14]), ("Byzantium night", "2e-cities", [4, 10]),
])  # fmt: skip
def test_R22_points_of_stages(board: str, ruleset: str, points: list[int]) -> None:
    side = board.rsplit(" ", 1)[1]
    others = [name for name in ("Gizah", "Rhodos", "Ephesos") if not board.startswith(name)]
    p = Position(ruleset, board, *(f"{name} {side}" for name in others[:2]))
    scored = []
    for _ in points:
        p.city(0, stages=1)
        scored.append(p.points(0).get("wonder", 0))
    assert scored == points
    p.city(0, "Stone Pit", "Quarry", "Brickyard", "Foundry", "Sawmill", "Press", "Loom", "Glassworks", coins=99)
    assert p.stage_payments(0) == []  # there is no further stage


@pytest.mark.parametrize(("board", "coins"), [
    ("Ephesos A", [0, 9, 0]), ("Ephesos B", [4, 4, 4]), ("Rhodos B", [3, 4]), ("Rhodos A", [0, 0, 0]),
])  # fmt: skip
def test_R9_3_coins_of_stages_come_once_when_the_stage_is_built(board: str, coins: list[int]) -> None:
    p = Position("1e", board, "Gizah A", "Babylon A")
    for expected in coins:
        before = p.coins[0]
        p.play({0: "stage"})
        p.play({0: "sell Altar"})
        assert p.coins[0] - before == expected + 3


@pytest.mark.engine_only
@pytest.mark.parametrize(("symbols", "points"), [
    ((1, 0, 0), 1), ((0, 2, 0), 4), ((0, 0, 3), 9), ((3, 2, 1), 21), ((3, 2, 2), 31), ((2, 2, 2), 26), ((4, 4, 4), 76),
])  # fmt: skip
def test_R23_squares_and_seven_for_each_set(symbols: tuple[int, int, int], points: int) -> None:
    p = Position("1e", *BOARDS)
    p.public.symbols[0, 1:4] = symbols
    assert p.points(0)["science"] == points


@pytest.mark.engine_only
@pytest.mark.parametrize(("symbols", "wild", "points"), [
    ((0, 0, 0), 1, 1), ((1, 1, 0), 1, 10), ((2, 2, 1), 1, 26), ((3, 0, 0), 1, 16), ((1, 1, 0), 2, 13),
    ((0, 0, 0), 3, 10),
])  # fmt: skip
def test_R23_wild_symbols_are_fixed_for_the_greatest_total(
    symbols: tuple[int, int, int], wild: int, points: int
) -> None:
    p = Position("1e", *BOARDS)
    p.public.symbols[0, 1:4] = symbols
    p.public.symbols[0, 4] = wild
    assert p.points(0)["science"] == points


@pytest.mark.parametrize(("ruleset", "board", "stages"), [
    ("1e", "Babylon A", 2), ("1e", "Babylon B", 3), ("2e", "Babylon day", 2), ("2e", "Babylon night", 2),
])  # fmt: skip
def test_R23_babylon_has_a_wild_symbol(ruleset: str, board: str, stages: int) -> None:
    side = board.rsplit(" ", 1)[1]
    p = Position(ruleset, board, f"Gizah {side}", f"Rhodos {side}")
    p.city(0, "Workshop", "Apothecary", stages=stages - 1)
    assert p.points(0)["science"] == 2
    p.city(0, stages=1)
    assert p.points(0)["science"] == 10
    p.city(0, "Scientists Guild")
    assert (p.points(0)["science"], p.points(0).get("guild", 0)) == (13, 0)


def test_R24_most_points_then_most_coins_then_shared() -> None:
    p = Position("1e", *BOARDS)
    p.city(0, "Altar")
    assert p.shares() == [1.0, 0.0, 0.0]
    p.city(1, "Theater")
    assert p.shares() == [0.5, 0.5, 0.0]
    p.city(1, coins=4)
    assert p.shares() == [0.0, 1.0, 0.0]
    assert Position("1e", *BOARDS).shares() == pytest.approx([1 / 3] * 3)


@pytest.mark.engine_only
def test_R24_tied_winners_share_a_rank() -> None:
    p = Position("1e", *BOARDS)
    assert p.shares() == pytest.approx([1 / 3] * 3)
    assert p.game.result.rank[:3].tolist() == [1, 1, 1]
    p.city(0, "Altar")
    p.city(1, "Altar")
    assert p.shares() == [0.5, 0.5, 0.0]
    assert p.game.result.rank[:3].tolist() == [1, 1, 2]


GUILDS = {  # what both neighbours have, and the points for it
    "Workers Guild": (("Clay Pit", "Sawmill"), ("Foundry",), 3),
    "Craftsmens Guild": (("Loom",), ("Press", "Loom"), 6),
    "Traders Guild": (("Tavern", "Vineyard"), ("Arena",), 3),
    "Philosophers Guild": (("School",), ("School", "Library"), 3),
    "Spies Guild": (("Walls", "Barracks"), ("Arsenal",), 3),
    "Magistrates Guild": (("Altar", "Baths"), ("Palace",), 3),
}


@pytest.mark.parametrize("ruleset", ["1e", "2e"])
@pytest.mark.parametrize("guild", GUILDS)
def test_R25_two_arrow_guilds_count_both_neighbours_and_never_the_owner(guild: str, ruleset: str) -> None:
    left, right, points = GUILDS[guild]
    side = "A" if ruleset == "1e" else "day"
    p = Position(ruleset, *(f"{name} {side}" for name in ("Gizah", "Rhodos", "Ephesos", "Babylon")))
    p.city(0, guild, *left, *(name for name in right if name not in left))
    p.city(1, *left)
    p.city(2, *left, *(name for name in right if name not in left))  # too far away
    p.city(3, *right)
    assert p.points(0)["guild"] == points


def test_R25_shipowners_counts_own_brown_gray_and_purple_itself_included() -> None:
    p = Position("1e", *BOARDS)
    p.city(0, "Shipowners Guild", "Clay Pit", "Loom", "Press", "Spies Guild", "Altar", "Walls")
    p.city(1, "Foundry", "Loom", "Workers Guild")
    assert p.points(0)["guild"] == 5
    p.city(0, stages=1)  # the board's own resource and its stages are no cards
    assert p.points(0)["guild"] == 5


def test_R25_strategists_counts_defeat_tokens_of_both_neighbours_age_III_included() -> None:
    p = Position("1e", *BOARDS, age=3)
    p.city(0, "Strategists Guild", defeats=4)
    p.city(1, defeats=2)
    p.city(2, defeats=1, shields=1)
    p.end_age()  # Rhodos loses to Ephesos, Gizah loses to Ephesos
    assert p.public.defeats[:3].tolist() == [5, 3, 1]
    assert p.points(0)["guild"] == 4


def test_R25_builders_counts_stages_of_three_cities() -> None:
    p = Position("2e-cities", *CITIES)
    p.city(0, "Builders Guild", stages=4)
    p.city(1, stages=2)
    p.city(2, stages=3)
    p.city(3, stages=1)
    assert p.points(0)["guild"] == 7


@pytest.mark.parametrize(("board", "stages"), [("Gizah night", 4), ("Gizah day", 3), ("Rhodos night", 2)])
def test_R25_decorators_wants_every_own_stage(board: str, stages: int) -> None:
    p = Position("2e", board, "Babylon day", "Ephesos day")
    p.city(0, "Decorators Guild", stages=stages - 1)
    assert p.points(0).get("guild", 0) == 0
    p.city(0, stages=1)
    assert p.points(0)["guild"] == 7


COMMERCE = {  # what is in the city, coins when built, points at the end
    "Arena": ((), 2, 6, 2),
    "Chamber of Commerce": (("Loom", "Press", "Glassworks"), 0, 6, 6),
    "Haven": (("Clay Pit", "Sawmill"), 0, 2, 2),
    "Lighthouse": (("Tavern", "Bazar"), 0, 3, 3),
    "Ludus": (("Walls", "Barracks"), 0, 6, 2),
}


@pytest.mark.parametrize(
    ("ruleset", "card"), [(r, c) for r in ("1e", "2e") for c in COMMERCE if (r, c) != ("1e", "Ludus")]
)
def test_R25_commerce_of_age_III_pays_when_built_and_scores_at_the_end(ruleset: str, card: str) -> None:
    structures, stages, coins, points = COMMERCE[card]
    side = "A" if ruleset == "1e" else "day"
    p = Position(ruleset, f"Gizah {side}", f"Rhodos {side}", f"Ephesos {side}", age=3)
    p.city(0, *structures, stages=stages, coins=0)
    p.city(1, "Loom", "Foundry", "Tavern", "Walls", stages=2)  # the neighbours' do not count
    p.play({0: card})
    assert (p.coins[0], p.points(0)["commerce"]) == (coins, points)


def test_R25_points_count_structures_that_exist_at_the_end() -> None:
    p = Position("1e", *BOARDS, age=3)
    p.play({0: "Haven"})
    assert (p.coins[0], p.points(0).get("commerce", 0)) == (3, 0)
    p.city(0, "Sawmill")
    assert p.points(0)["commerce"] == 1


def test_R25_starting_resources_are_not_cards() -> None:
    p = Position("1e", "Babylon A", "Rhodos A", "Ephesos A", age=2)  # clay, ore; papyrus is manufactured
    p.play({0: "Vineyard", 1: "Bazar"})
    assert p.coins == [3, 3, 3]


@pytest.mark.parametrize(("card", "gained"), [("Vineyard", 4), ("Bazar", 6)])
def test_R9_3_vineyard_and_bazar_look_at_three_cities(card: str, gained: int) -> None:
    p = Position("1e", "Gizah A", "Rhodos A", "Ephesos A", "Babylon A", age=2)
    p.city(0, "Clay Pit", "Sawmill", "Loom", coins=0)
    p.city(1, "Foundry", "Press")
    p.city(2, "Foundry", "Loom")  # too far away
    p.city(3, "Quarry", "Glassworks")
    p.play({0: card})
    assert p.coins[0] == gained
