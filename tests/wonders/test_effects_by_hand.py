"""Unit tests of effect kernels in plain Python: clauses, their owners, lost items, conflicts, the earlier state."""

from __future__ import annotations

import copy
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.policies.in_python import linked
from wsim.wonders import limits
from wsim.wonders import words as w
from wsim.wonders.kernels import (
    before,
    clause_acts,
    clause_owners,
    counters,
    guards,
    military,
    payment,
    removal,
    turn,
)

pytestmark = pytest.mark.jit_off
ACT = w.ACT
LIMITED = {"coins": 32_767, "shields": 255, "debts": 32_767, "diplomacy": 255}
OWNER, CITY, ENTRY = 0, 1, 7
STAGE = w.STAGE_ENTRY + 2


class Stopped(Exception):  # noqa: N818
    """Raised when a game is stopped: the number, its seat, the entry, the value and the limit."""


def in_words(*counts: int) -> np.uint64:
    """Pack amounts of the seven resources into a word, with one byte for each."""
    return np.uint64(sum(count << 8 * lane for lane, count in enumerate(counts)))


def kernels(monkeypatch: pytest.MonkeyPatch, *modules: Any) -> Any:
    """Return the last of some modules as plain Python, in which a game that exceeds a limit raises ``Stopped``."""

    def stop_game(*given: int) -> None:
        raise Stopped(*map(int, given))

    made = linked(monkeypatch, *modules)
    for module in modules:
        name = f"{module.__name__.rpartition('.')[2]}_in_python"
        if hasattr(sys.modules[name], "stop_game"):
            monkeypatch.setattr(sys.modules[name], "stop_game", stop_game)
    return made


def table() -> Any:
    """Return the public part of a game of three in age II."""

    def zeros(*shape: int, kind: Any = np.int64) -> Any:
        return np.zeros((3, *shape), kind)

    public = SimpleNamespace(
        seats=3, age=1, coins=np.array([5, 3, 9]), shields=np.array([1, 2, 3]), age_shields=zeros(),
        victory=zeros(3), defeats=np.array([2, 2, 2]), debts=np.array([1, 1, 1]), diplomacy=np.array([2, 2, 2]),
        gained=zeros(9), symbols=zeros(w.SYMBOL_KINDS), plain=zeros(kind=np.uint64), reach=zeros(kind=np.uint64),
        turn_units=zeros(kind=np.uint64), price=np.array([[2, 2, 2, 2]] * 3), price_change=zeros(4),
        cheapest=np.array([2, 2, 2]), free_tokens=zeros(), abilities=np.array([1, 1, 1]),
    )  # fmt: skip
    hidden = SimpleNamespace(board_builds=zeros(), card_builds=zeros())
    return SimpleNamespace(public=public, hidden=hidden)


def changes(old: Any, new: Any) -> dict[str, dict[tuple[int, ...], int]]:
    """Return the differences between two games: field -> index -> new value."""
    found: dict[str, dict[tuple[int, ...], int]] = {}
    for part in ("public", "hidden"):
        for name, values in vars(getattr(old, part)).items():
            later = np.asarray(getattr(getattr(new, part), name))
            for place in np.argwhere(np.asarray(values) != later):
                found.setdefault(name, {})[tuple(map(int, place))] = int(later[tuple(place)])
    return found


CATEGORY = 4  # in which the entry counts

DONE = [
    ("take", 2, 2, {"coins": {(0,): 7, (1,): 1}}),
    ("take", 4, 3, {"coins": {(0,): 8, (1,): 0}}),  # as many as the city has
    ("give", 2, 2, {"coins": {(0,): 3, (1,): 5}}),
    ("give", 9, 5, {"coins": {(0,): 0, (1,): 8}}),
    ("gain points", 4, 4, {"gained": {(1, CATEGORY): 4}}),
    ("lose points", 4, 4, {"gained": {(1, CATEGORY): -4}}),
    ("gain coins", 4, 4, {"coins": {(1,): 7}}),
    ("gain shields", 4, 4, {"shields": {(1,): 6}}),
    ("gain age_shields", 4, 4, {"shields": {(1,): 6}, "age_shields": {(1,): 4}}),
    ("gain victory_tokens", 4, 4, {"victory": {(1, 1): 4}}),  # of this age
    ("gain defeat_tokens", 4, 4, {"defeats": {(1,): 6}}),
    ("gain debts", 4, 4, {"debts": {(1,): 5}}),
    ("gain diplomacy_tokens", 4, 4, {"diplomacy": {(1,): 6}}),
    ("gain compass", 4, 4, {"symbols": {(1, w.COMPASS): 4}}),
    ("gain tablet", 4, 4, {"symbols": {(1, w.TABLET): 4}}),
    ("gain wild", 4, 4, {"symbols": {(1, w.ANY): 4}}),
    ("gain wood", 4, 4, {"plain": {(1,): 4 << 8 * w.RESOURCES.index("wood")},
                         "reach": {(1,): 4 << 8 * w.RESOURCES.index("wood")}}),
    (f"gain turn_{w.RESOURCES[-1]}", 4, 4, {"plain": {(1,): 4 << 48}, "reach": {(1,): 4 << 48},
                                            "turn_units": {(1,): 4 << 48}}),
    (f"gain {w.UNIT_PRICES[0]}", 2, 2, {"price": {(1, 0): 4}, "price_change": {(1, 0): 2}}),
    (f"gain {w.UNIT_PRICES[3]}", 4, 3, {"price": {(1, 3): 5}, "price_change": {(1, 3): 3}}),  # five at most
    (f"lose {w.UNIT_PRICES[0]}", 1, 1, {"price": {(1, 0): 1}, "price_change": {(1, 0): -1}, "cheapest": {(1,): 1}}),
    (f"lose {w.UNIT_PRICES[1]}", 4, 2, {"price": {(1, 1): 0}, "price_change": {(1, 1): -2}, "cheapest": {(1,): 0}}),
    (f"lose {w.UNIT_PRICES[2]}", 4, 2, {"price": {(1, 2): 0}, "price_change": {(1, 2): -2}, "cheapest": {(1,): 0}}),
    (f"lose {w.UNIT_PRICES[3]}", 4, 2, {"price": {(1, 3): 0}, "price_change": {(1, 3): -2}, "cheapest": {(1,): 0}}),
    ("gain free_build_tokens", 4, 4, {"free_tokens": {(1,): 4}, "abilities": {(1,): 1 | w.FREE_TOKEN}}),
    ("gain discard_builds", 4, 4, {"card_builds": {(1,): 4}}),
    ("gain copies", 0, 0, {}),
    ("lose coins", 2, 2, {"coins": {(1,): 1}}),
    ("lose coins", 4, 3, {"coins": {(1,): 0}}),
    ("lose defeat_tokens", 1, 1, {"defeats": {(1,): 1}}),
    ("lose defeat_tokens", 4, 2, {"defeats": {(1,): 0}}),
    ("lose debts", 4, 1, {"debts": {(1,): 0}}),
    ("lose diplomacy_tokens", 1, 1, {"diplomacy": {(1,): 1}}),
    ("lose diplomacy_tokens", 4, 2, {"diplomacy": {(1,): 0}}),
    ("lose free_build_tokens", 4, 0, {}),
]  # fmt: skip


@pytest.mark.parametrize(("action", "amount", "done", "changed"), DONE)
def test_each_clause_action_has_its_effect(
    action: str, amount: int, done: int, changed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To city 1, by an entry of city 0; it returns how much was done (R56, R57)."""
    module = kernels(monkeypatch, guards, clause_acts)
    game, rules = table(), SimpleNamespace(category=[CATEGORY] * 99)
    old = copy.deepcopy(game)
    assert module.do(game, rules, ACT[action], ENTRY, OWNER, CITY, amount) == done
    assert changes(old, game) == changed


def test_every_gain_and_loss_has_an_example() -> None:
    shown = {action for action, *_ in DONE}
    like = {f"gain {name}" for name in (*w.RESOURCES, *w.TURN_UNITS, "gear", *w.UNIT_PRICES)}
    wanted = {"take", "give", *(f"gain {item}" for item in w.GAINS), *(f"lose {item}" for item in w.LOSSES)}
    assert wanted - like == shown - like


def test_clauses_of_stages_build_from_the_pile_with_the_board_and_count_as_the_wonder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = kernels(monkeypatch, guards, clause_acts)
    game = table()
    old = copy.deepcopy(game)
    assert module.do(game, None, ACT["gain discard_builds"], STAGE, OWNER, CITY, 2) == 2
    assert module.do(game, None, ACT["gain points"], STAGE, OWNER, CITY, 3) == 3
    assert changes(old, game) == {"board_builds": {(1,): 2}, "gained": {(1, w.WONDER): 3}}


def test_free_build_tokens_last_until_they_are_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    module = kernels(monkeypatch, guards, clause_acts)
    game = table()
    for amount, done, tokens, able in ((2, 2, 2, True), (-1, 1, 1, True), (-3, 1, 0, False)):
        verb = "gain" if amount > 0 else "lose"
        assert module.do(game, None, ACT[f"{verb} free_build_tokens"], ENTRY, OWNER, CITY, abs(amount)) == done
        assert (game.public.free_tokens[1], bool(game.public.abilities[1] & w.FREE_TOKEN)) == (tokens, able)
        assert game.public.abilities[1] & 1, "other abilities stay"


EDGES = [
    ("gain coins", "coins", (), 32_767, limits.COINS),
    ("take", "coins", (), 32_767, limits.COINS),
    ("gain shields", "shields", (), 255, limits.SHIELDS),
    ("gain age_shields", "shields", (), 255, limits.SHIELDS),
    ("gain victory_tokens", "victory", (1,), 255, limits.VICTORY),
    ("gain defeat_tokens", "defeats", (), 255, limits.DEFEATS),
    ("gain debts", "debts", (), 32_767, limits.DEBTS),
    ("gain diplomacy_tokens", "diplomacy", (), 255, limits.DIPLOMACY),
    ("gain points", "gained", (CATEGORY,), 32_767, limits.GAINED),
    ("gain gear", "symbols", (w.TABLET,), 181, limits.SYMBOLS),  # all symbols together
    ("gain gear", "symbols", (w.COMPASS,), 181, limits.SYMBOLS),
    ("gain gear", "symbols", (w.ANY,), 181, limits.SYMBOLS),
    ("gain free_build_tokens", "free_tokens", (), 255, limits.FREE_TOKENS),
    ("gain discard_builds", "card_builds", (), 64, limits.WAITING),
]


@pytest.mark.parametrize(("action", "field", "place", "bound", "what"), EDGES)
def test_a_game_stops_at_the_first_number_beyond_its_limit(
    action: str, field: str, place: tuple[int, ...], bound: int, what: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = kernels(monkeypatch, guards, clause_acts)
    city = OWNER if action == "take" else CITY  # who gets it
    for start, fits in ((bound - 2, True), (bound - 1, False)):
        game, rules = table(), SimpleNamespace(category=[CATEGORY] * 99)
        part = game.hidden if hasattr(game.hidden, field) else game.public
        getattr(part, field)[city, *place] = start
        if fits:
            assert module.do(game, rules, ACT[action], ENTRY, OWNER, CITY, 2) == 2
        else:
            with pytest.raises(Stopped) as stopped:
                module.do(game, rules, ACT[action], ENTRY, OWNER, CITY, 2)
            assert stopped.value.args == (what, city, ENTRY, bound + 1, bound)


def test_points_below_the_limit_and_builds_of_the_board_stop_the_game_too(monkeypatch: pytest.MonkeyPatch) -> None:
    module = kernels(monkeypatch, guards, clause_acts)
    game = table()
    game.public.gained[CITY, w.WONDER] = -32_766
    assert module.do(game, None, ACT["lose points"], STAGE, OWNER, CITY, 1) == 1
    with pytest.raises(Stopped) as stopped:
        module.do(game, None, ACT["lose points"], STAGE, OWNER, CITY, 1)
    assert stopped.value.args == (limits.GAINED, CITY, STAGE, -32_768, -32_767)
    game.hidden.board_builds[CITY] = 63
    assert module.do(game, None, ACT["gain discard_builds"], STAGE, OWNER, CITY, 1) == 1
    with pytest.raises(Stopped) as stopped:
        module.do(game, None, ACT["gain discard_builds"], STAGE, OWNER, CITY, 1)
    assert stopped.value.args == (limits.WAITING, CITY, STAGE, 65, 64)


def test_units_of_a_city_include_its_symbols_up_to_42(monkeypatch: pytest.MonkeyPatch) -> None:
    module = kernels(monkeypatch, guards, clause_acts)
    third = w.RESOURCES[3]
    game = table()
    game.public.reach[CITY] = in_words(9, 9, 9, 40, 9, 9, 9)
    assert module.do(game, None, ACT[f"gain {third}"], ENTRY, OWNER, CITY, 2) == 2
    assert game.public.reach[CITY] == in_words(9, 9, 9, 42, 9, 9, 9)
    assert game.public.plain[CITY] == in_words(0, 0, 0, 2)
    with pytest.raises(Stopped) as stopped:
        module.do(game, None, ACT[f"gain {third}"], ENTRY, OWNER, CITY, 1)
    assert stopped.value.args == (limits.UNITS, CITY, ENTRY, 43, 42)
    checks = kernels(monkeypatch, guards)
    checks.check_lanes(in_words(*[42] * 7), 2, ENTRY)
    for lane in range(7):
        with pytest.raises(Stopped) as stopped:
            checks.check_lanes(in_words(*(43 + lane if at == lane else 42 for at in range(7))), 2, ENTRY)
        assert stopped.value.args == (limits.UNITS, 2, ENTRY, 43 + lane, 42)
    checks.check_coins(32_767, 2)
    with pytest.raises(Stopped) as stopped:
        checks.check_coins(32_768, 2)
    assert stopped.value.args == (limits.COINS, 2, -1, 32_768, 32_767)


# --- whose clauses


def test_the_cities_named_by_a_clause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of five in teams of two (0 and 1, 2 and 3); the left neighbour of 4 is 0 (R53)."""
    module = kernels(monkeypatch, clause_owners)
    public, rules = SimpleNamespace(seats=5), SimpleNamespace(teams=1)

    def named(owner: int, whom: int, teams: int = 1) -> list[int]:
        rules.teams = teams
        return [city for city in range(5) if module.related(public, rules, owner, city, whom)]

    assert named(4, w.WHOM_SELF) == [4]
    assert (named(4, w.WHOM_LEFT), named(0, w.WHOM_LEFT), named(2, w.WHOM_LEFT)) == ([0], [1], [3])
    assert (named(4, w.WHOM_RIGHT), named(0, w.WHOM_RIGHT), named(2, w.WHOM_RIGHT)) == ([3], [4], [1])
    assert (named(4, w.WHOM_NEIGHBOR), named(0, w.WHOM_NEIGHBOR), named(2, w.WHOM_NEIGHBOR)) == ([0, 3], [1, 4], [1, 3])
    assert named(2, w.WHOM_OTHER) == [0, 1, 3, 4]
    assert named(2, w.WHOM_ANYONE) == [0, 1, 2, 3, 4]
    assert (named(2, w.WHOM_PARTNER), named(1, w.WHOM_PARTNER)) == ([3], [0])
    assert named(2, w.WHOM_PARTNER, teams=0) == []


def test_a_city_has_built_recruited_and_table_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    module = kernels(monkeypatch, clause_owners)
    deck, tables = w.STAGE_ENTRY + 50, w.STAGE_ENTRY + 60
    public = SimpleNamespace(
        built=np.array([[0, 0], [1 << 7, 1 << 2]], np.uint64), recruited=np.array([0, 1 << 3], np.uint64),
        side=[0, 4], stages=[0, 2],
    )  # fmt: skip
    stages = np.full((5, 4), -1)
    stages[4, :3] = w.STAGE_ENTRY + np.array([11, 12, 13])
    rules = SimpleNamespace(deck_entry=deck, table_entry=tables, stage_entry=stages)
    entries = [7, 6, 66, 65, *(w.STAGE_ENTRY + place for place in (11, 12, 13)), deck + 3, deck + 2, tables, tables + 1]
    assert [bool(module.has_entry(public, rules, 1, entry)) for entry in entries] == [
        *(True, False, True, False), *(True, True, False), *(True, False), *(True, True)
    ]  # fmt: skip
    assert [bool(module.has_entry(public, rules, 0, entry)) for entry in entries] == [False] * 9 + [True] * 2


@pytest.mark.parametrize(
    ("cards", "stages", "rule", "built", "own", "may"),
    [
        ((0b100, 0), 0, 0, (0b100, 0), 0, True),
        ((0b100, 0), 0, 0, (0b011, 0b100), 0, False),  # other cards
        ((0, 0b100), 0, 0, (0b100, 0b100), 0, True),
        ((0, 0), 1, 0, (0, 0), 1, True),
        ((0, 0), 1, 0, (7, 7), 0, False),  # no stage built
        ((0, 0), 0, 0, (7, 7), 3, False),
        ((0, 0), 0, 1, (0, 0), 0, True),
    ],
)
def test_seats_with_clauses_for_a_trigger(
    cards: tuple[int, int], stages: int, rule: int, built: tuple[int, int], own: int, may: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    module = kernels(monkeypatch, clause_owners)
    rules = SimpleNamespace(
        clause_cards=np.array([(0, 0), cards], np.uint64), clause_stages=[0, stages], clause_table=[0, rule]
    )
    public = SimpleNamespace(built=np.array([(0, 0), built], np.uint64), stages=[9, own])
    assert bool(module.may_act(public, rules, 1, 1)) == may


def test_counters_change_within_bounds_and_table_counters_for_all_cities(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counter 0 of a city goes from -1 to 4; the counter 1 of the table from 0 to 9 (R70)."""
    module = kernels(monkeypatch, counters)
    public = SimpleNamespace(seats=3, counter=np.array([[2, 5], [3, 5], [0, 5]]))
    rules = SimpleNamespace(
        counters=2, counter_of=[w.OF_CITY, w.OF_TABLE], counter_least=[-1, 0], counter_most=[4, 9],
        counter_lasts=[w.FOR_TURN, w.FOR_GAME], counter_start=[1, 6],
    )  # fmt: skip
    gain, lose = (len(w.ACTS) + number for number in range(2))
    for action, amount, done, own in ((gain, 1, 1, 4), (gain, 2, 0, 4), (lose, 3, 3, 1), (lose, 9, 2, -1)):
        assert module.change_counter(public, rules, 1, action, amount) == done
        assert public.counter[:, 0].tolist() == [2, own, 0]
    assert module.change_counter(public, rules, 1, gain + 2, 9) == 4
    assert public.counter[:, 1].tolist() == [9, 9, 9]
    assert module.change_counter(public, rules, 2, lose + 2, 2) == 2
    assert public.counter.tolist() == [[2, 7], [-1, 7], [0, 7]]
    assert [bool(module.is_of_table(rules, act)) for act in (gain - 1, gain, lose, gain + 2, lose + 2)] == [
        *(False, False, False, True, True)
    ]
    module.reset_counters(public, rules, w.FOR_AGE)
    assert public.counter.tolist() == [[1, 7], [1, 7], [1, 7]], "the other lasts all game"
    module.reset_counters(public, rules, w.FOR_GAME)
    assert public.counter.tolist() == [[1, 6]] * 3


# --- a structure leaves its city (R82)


def city(**more: Any) -> Any:
    """Return the public part of two empty cities; ``more`` sets fields of seat 1."""

    def zeros(*shape: int, kind: Any = np.int64) -> Any:
        return np.zeros((2, *shape), kind)

    public = SimpleNamespace(
        seats=2, built=zeros(2, kind=np.uint64), colors=zeros(8), shields=zeros(), symbols=zeros(5),
        green_symbols=zeros(5), abilities=zeros(), copy_science=zeros(), plain=zeros(kind=np.uint64),
        sale=zeros(kind=np.uint64), sale_reach=zeros(kind=np.uint64), reach=zeros(kind=np.uint64),
        flex=zeros(6), flex_role=zeros(6), flex_count=zeros(), flex_lanes=zeros(kind=np.uint64), sale_flex=zeros(6),
        sale_flex_count=zeros(), sale_flex_lanes=zeros(kind=np.uint64), made_kinds=zeros(), board_resource=zeros(),
        turn_rebate=zeros(2), board_rebate=zeros(2), post_price=zeros(4), board_price=zeros(4) + 2, price=zeros(4) + 2,
        price_change=zeros(4), cheapest=zeros() + 2, stages=zeros(), side=zeros(),
        recruited=zeros(kind=np.uint64),
    )  # fmt: skip
    for name, value in more.items():
        getattr(public, name)[1] = value
    return public


def cards(count: int, **more: Any) -> Any:
    """Return rules for a number of cards that have only the given effects: field -> card -> value."""
    rules = SimpleNamespace(
        cards=count, trade_price=2, switch=np.zeros(99, int), color=np.full(count, w.BLUE),
        abilities=np.zeros(w.STAGE_ENTRY + 9, int), produces=np.zeros(count, np.uint64),
        turn_rebate=np.zeros((count, 2), int), board_rebate=np.zeros((count, 2), int), price=np.full((count, 4), 9),
        stage_entry=np.full((3, 4), -1), deck_entry=w.STAGE_ENTRY + 5,
    )  # fmt: skip
    for name in ("shields", "symbol", "copy_science", "one_of"):
        setattr(rules, name, np.zeros(count, int))
    for name, values in more.items():
        for card, value in values.items():
            getattr(rules, name)[card] = value
    return rules


@pytest.fixture
def leaving(monkeypatch: pytest.MonkeyPatch) -> Any:
    return kernels(monkeypatch, payment, guards, clause_acts, turn, removal)


def test_a_removed_structure_loses_its_colour_shields_and_symbols(leaving: Any) -> None:
    public = city(built=(0, 0b110), colors=3, shields=5, symbols=2, green_symbols=2)
    rules = cards(70, color={65: w.GREEN, 66: w.BLUE}, shields={65: 2}, symbol={65: w.GEAR, 66: w.TABLET})
    leaving.remove_structure(public, rules, 1, 65)
    assert public.built[1].tolist() == [0, 0b100]
    assert public.colors[1].tolist() == [2 if color == w.GREEN else 3 for color in range(8)]
    assert public.shields.tolist() == [0, 3]
    assert public.symbols[1].tolist() == public.green_symbols[1].tolist() == [2, 2, 1, 2, 2]
    leaving.remove_structure(public, rules, 1, 66)
    assert public.symbols[1].tolist() == [2, 2, 1, 1, 2]
    assert public.green_symbols[1].tolist() == [2, 2, 1, 2, 2], "a symbol on a blue structure"
    assert (public.built.any(), public.colors[0].any()) == (False, False)


def test_abilities_of_recruited_cards_and_stages_remain(leaving: Any) -> None:
    """Structure 3 plays last cards, the first stage makes stages cheap, the third recruited card gives a free build."""
    abilities = {3: w.PLAY_LAST, w.STAGE_ENTRY: w.FREE_STAGES, w.STAGE_ENTRY + 5 + 2: w.FREE_ONCE_PER_AGE}
    every = w.PLAY_LAST | w.FREE_STAGES | w.FREE_ONCE_PER_AGE
    public = city(built=(0b1000, 0), stages=1, recruited=0b100, abilities=every | w.FREE_TOKEN)
    rules = cards(9, abilities=abilities)
    rules.stage_entry[0, 0] = w.STAGE_ENTRY
    leaving.remove_structure(public, rules, 1, 3)
    assert public.abilities.tolist() == [0, w.FREE_STAGES | w.FREE_ONCE_PER_AGE | w.FREE_TOKEN]


def test_removed_production_is_no_longer_for_sale(leaving: Any) -> None:
    """Brown 3 makes two of the first resource, gray 4 one of the sixth; blue 5 one of the second for the city alone."""
    rules = cards(
        9, color={3: w.BROWN, 4: w.GRAY, 5: w.BLUE},
        produces={3: in_words(2), 4: in_words(0, 0, 0, 0, 0, 1), 5: in_words(0, 1)},
    )  # fmt: skip
    own, sold = in_words(2, 1, 0, 1, 0, 1), in_words(2, 0, 0, 1, 0, 1)
    public = city(
        built=(0b111000, 0), plain=own, reach=own, sale=sold, sale_reach=sold, board_resource=3, made_kinds=0b101001
    )
    leaving.remove_structure(public, rules, 1, 5)
    assert (public.plain[1], public.sale[1], public.reach[1]) == (in_words(2, 0, 0, 1, 0, 1), sold, sold)
    leaving.remove_structure(public, rules, 1, 3)
    rest = in_words(0, 0, 0, 1, 0, 1)
    assert (public.plain[1], public.sale[1], public.sale_reach[1], public.reach[1]) == (rest, rest, rest, rest)
    assert public.made_kinds[1] == 0b101000, "the board and the gray structure"
    leaving.remove_structure(public, rules, 1, 4)
    assert public.made_kinds[1] == 0b001000
    assert public.sale[1] == public.plain[1] == in_words(0, 0, 0, 1)


def test_a_removed_either_or_symbol_leaves_both_lists(leaving: Any) -> None:
    """Brown 1, 2 and 3 make one of two resources; yellow 4 makes one of three, which nobody can buy."""
    one_of = {1: 0b0011, 2: 0b0110, 3: 0b1100, 4: 0b0111}
    rules = cards(9, color={1: w.BROWN, 2: w.BROWN, 3: w.BROWN, 4: w.YELLOW}, one_of=one_of)
    public = city(built=(0b11110, 0), flex_count=4, sale_flex_count=3, made_kinds=0b1111)
    public.flex[1, :4], public.sale_flex[1, :3] = (0b0011, 0b0111, 0b0110, 0b1100), (0b0011, 0b0110, 0b1100)
    public.sale_reach[1] = in_words(1, 2, 2, 1)
    leaving.remove_structure(public, rules, 1, 2)
    assert (public.flex[1, :3].tolist(), public.flex_count[1]) == ([0b0011, 0b0111, 0b1100], 3)
    assert (public.sale_flex[1, :2].tolist(), public.sale_flex_count[1]) == ([0b0011, 0b1100], 2)
    assert public.sale_reach[1] == in_words(1, 1, 1, 1)
    assert public.sale_flex_lanes[1] == in_words(255, 255, 255, 255)
    assert public.reach[1] == in_words(2, 2, 2, 1)
    assert public.flex_lanes[1] == in_words(255, 255, 255, 255)
    leaving.remove_structure(public, rules, 1, 4)
    assert (public.flex[1, :2].tolist(), public.flex_count[1]) == ([0b0011, 0b1100], 2)
    assert public.sale_flex_count[1] == 2, "what it made was not for sale"
    leaving.remove_structure(public, rules, 1, 1)
    assert public.sale_flex[1, 0] == 0b1100
    assert public.sale_flex_lanes[1] == in_words(0, 0, 255, 255)
    assert public.made_kinds[1] == 0b1101, "board 0 and brown 3"


def test_a_warehouse_and_a_market_follow_production(leaving: Any) -> None:
    """A Secret Warehouse repeats a kind the city makes, a Black Market one that it does not (R18)."""
    rules = cards(9, color={1: w.BROWN, 2: w.BLACK, 3: w.BLACK}, produces={1: in_words(0, 0, 1)},
                  abilities={2: w.WAREHOUSE, 3: w.BLACK_MARKET})  # fmt: skip
    public = city(built=(0b1110, 0), plain=in_words(1, 0, 1), sale=in_words(1, 0, 1), sale_reach=in_words(1, 0, 1),
                  flex_count=2, made_kinds=0b101, abilities=w.WAREHOUSE | w.BLACK_MARKET)  # fmt: skip
    public.flex_role[1, :2] = turn.WAREHOUSE_ROLE, turn.MARKET_ROLE
    leaving.remove_structure(public, rules, 1, 1)
    assert public.flex[1, :2].tolist() == [0b0000001, 0b1111110]
    assert public.reach[1] == in_words(2, 1, 1, 1, 1, 1, 1)
    leaving.remove_structure(public, rules, 1, 2)
    assert (public.flex_count[1], public.flex_role[1, :2].tolist()) == (1, [turn.MARKET_ROLE, 0])
    assert public.abilities[1] == w.BLACK_MARKET
    assert public.reach[1] == in_words(1, 1, 1, 1, 1, 1, 1)
    leaving.remove_structure(public, rules, 1, 3)
    assert (public.flex_count[1], public.abilities[1], public.reach[1]) == (0, 0, in_words(1))


def test_abilities_from_other_cards_and_tokens_remain(leaving: Any) -> None:
    """Cards 1 and 64 give ability 1, card 2 ability 2; stage 0 of the board, built, 4, stage 1, not built, 8."""
    stages = {w.STAGE_ENTRY: 4, w.STAGE_ENTRY + 1: 8}
    rules = cards(70, abilities={1: 1, 64: 1, 2: 2} | stages, copy_science={1: 1})
    rules.stage_entry[2, :2] = list(stages)
    public = city(built=(0b110, 0b1), abilities=1 | 2 | 4 | w.FREE_TOKEN, stages=1, side=2, copy_science=2, colors=3)
    leaving.remove_structure(public, rules, 1, 1)
    assert (public.abilities[1], public.copy_science[1]) == (1 | 2 | 4 | w.FREE_TOKEN, 1)
    leaving.remove_structure(public, rules, 1, 64)
    assert public.abilities[1] == 2 | 4 | w.FREE_TOKEN
    leaving.remove_structure(public, rules, 1, 2)
    assert public.abilities[1] == 4 | w.FREE_TOKEN


def test_prices_rise_to_the_offers_of_the_remaining_posts(leaving: Any) -> None:
    """Post 1 makes raw goods of the left cost 1, post 2 raw goods of both, post 3 rebates of 1 (R14)."""
    prices = {1: (1, 9, 9, 9), 2: (1, 9, 1, 9), 3: (9, 9, 9, 9)}
    rules = cards(9, abilities=dict.fromkeys(prices, w.PRICES), price=prices, turn_rebate={3: (1, 2)},
                  board_rebate={3: (3, 4)})  # fmt: skip
    public = city(built=(0b1110, 0), abilities=w.PRICES, post_price=(1, 2, 1, 2), price=(1, 2, 1, 2), cheapest=1,
                  turn_rebate=(2, 2), board_rebate=(5, 5))  # fmt: skip
    leaving.remove_structure(public, rules, 1, 2)
    assert public.post_price[1].tolist() == public.price[1].tolist() == [1, 2, 2, 2]
    assert public.cheapest[1] == 1
    leaving.remove_structure(public, rules, 1, 3)
    assert (public.turn_rebate[1].tolist(), public.board_rebate[1].tolist()) == ([1, 0], [2, 1])
    leaving.remove_structure(public, rules, 1, 1)
    assert public.post_price[1].tolist() == public.price[1].tolist() == [2, 2, 2, 2]
    assert (public.cheapest[1], public.abilities[1]) == (2, 0)


# --- conflicts


def war(shields: list[int], diplomacy: list[int], teams: int = 0) -> Any:
    """Return a game at the end of age II with given shields and diplomacy tokens, and its rules."""
    seats = len(shields)
    public = SimpleNamespace(seats=seats, age=1, shields=shields, diplomacy=diplomacy,
                             victory=np.zeros((seats, 3), int), defeats=[0] * seats)  # fmt: skip
    conflict = SimpleNamespace(fought=[-9] * 6, envoy=[-9] * seats, ring=[-9] * seats)
    log = SimpleNamespace(recording=True, events=[])
    game = SimpleNamespace(public=public, conflict=conflict, log=log)
    return game, SimpleNamespace(teams=teams, seats=seats, victory_points=[1, 3, 5], defeat_points=-1)


@pytest.mark.parametrize(
    ("shields", "diplomacy", "teams", "fought", "victory", "defeats", "left"),
    [
        # of three, each with the one to its left
        ([1, 2, 2], [0, 0, 0], 0, [(0, 1, 1, 2, -1, 3), (1, 2, 2, 2, 0, 0), (2, 0, 2, 1, 3, -1)],
         [0, 1, 1], [2, 0, 0], [0, 0, 0]),
        # envoys stay out, and their neighbours meet (R20)
        ([5, 0, 3, 1], [0, 2, 0, 0], 0, [(0, 2, 5, 3, 3, -1), (2, 3, 3, 1, 3, -1), (3, 0, 1, 5, -1, 3)],
         [2, 0, 1, 0], [0, 0, 1, 2], [0, 1, 0, 0]),
        # the two that are left fight once
        ([5, 0, 3], [0, 1, 0], 0, [(0, 2, 5, 3, 3, -1)], [1, 0, 0], [0, 0, 1], [0, 0, 0]),
        ([5, 0, 3], [0, 1, 1], 0, [], [0, 0, 0], [0, 0, 0], [0, 0, 0]),
        # teams: 1 with 2 and 3 with 0, two tokens a conflict, one less for each envoy (R39, R40)
        ([0, 4, 6, 1], [0, 0, 0, 0], 1, [(1, 2, 4, 6, -2, 6), (3, 0, 1, 0, 6, -2)], [0, 0, 2, 2], [2, 2, 0, 0],
         [0, 0, 0, 0]),
        ([0, 4, 6, 1], [1, 1, 3, 0], 1, [(1, 2, 4, 6, 0, 0), (3, 0, 1, 0, 3, -1)], [0, 0, 0, 1], [1, 0, 0, 0],
         [0, 0, 2, 0]),
    ],
)  # fmt: skip
def test_conflicts_of_an_age_are_resolved(
    shields: list[int], diplomacy: list[int], teams: int, fought: list[tuple[int, ...]], victory: list[int],
    defeats: list[int], left: list[int], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """First, second, their shields, the points of their tokens; a victory token of age II is worth three."""
    module = kernels(monkeypatch, turn, military)
    game, rules = war(shields, diplomacy, teams)

    def log_event(game: Any, kind: int, seat: int) -> Any:
        event = SimpleNamespace(kind=kind, seat=seat, values=[-9] * 6)
        game.log.events.append(event)
        return event

    monkeypatch.setattr(module, "log_event", log_event)
    module.fight_conflicts(game, rules)
    assert [tuple(event.values) for event in game.log.events] == fought
    assert [event.seat for event in game.log.events] == [first for first, *_ in fought]
    assert game.public.victory.tolist() == [[0, tokens, 0] for tokens in victory]
    assert (game.public.defeats, game.public.diplomacy) == (defeats, left)
    game.log.recording = False
    module.fight_conflicts(game, rules)
    assert len(game.log.events) == len(fought)


# --- the state before a turn


def test_production_before_the_turn_is_reconstructed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A warehouse built in this turn is not there yet, and the market follows what was made then (R9.5)."""
    module = kernels(monkeypatch, payment, turn, before)
    public = SimpleNamespace(seats=2, board_resource=[5, 2], flex=np.array([[3, 0, 0, 0], [0b11, 0, 0b1100, 0b1]]),
                             flex_role=np.array([[0] * 4, [0, turn.MARKET_ROLE, 0, turn.WAREHOUSE_ROLE]]),
                             sale_flex=np.array([[3, 9], [0b11, 0b1100]]))  # fmt: skip
    old = SimpleNamespace(plain=[in_words(1), in_words(0, 0, 1)], flex_count=[0, 3], sale_flex_count=[1, 2],
                          made_kinds=[0, 0b111])  # fmt: skip
    frozen = SimpleNamespace(seats=0, board_resource=[9, 9], reach=[9, 9], flex_lanes=[9, 9],
                             sale_flex=np.zeros((2, 2), int), flex=np.zeros((2, 4), int))  # fmt: skip
    copied: list[Any] = []
    monkeypatch.setattr(module, "_copy_payer", lambda source, target: copied.append((source, target)))
    module.thaw(SimpleNamespace(public=public, before=old, frozen=frozen))
    assert copied == [(old, frozen)]
    assert (frozen.seats, frozen.board_resource) == (2, [5, 2])
    assert frozen.sale_flex.tolist() == [[3, 0], [0b11, 0b1100]]
    assert frozen.flex.tolist() == [[0] * 4, [0b11, 0b1111000, 0b1100, 0]]
    assert frozen.reach == [in_words(1), in_words(1, 1, 2, 2, 1, 1, 1)]
    assert frozen.flex_lanes == [0, in_words(*[255] * 7)]
    module.freeze(SimpleNamespace(public=public, before=old))
    assert copied[1] == (public, old)
