"""What the moves of a turn do, and what a city scores, as plain Python: payments, effects, gains, losses, guilds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.policies.in_python import linked, slots
from wsim.wonders import words as w
from wsim.wonders.kernels import copying, deal, guards, layout, moves, payment, production, scoring, turn
from wsim.wonders.kernels.moves import NO_MOVE

pytestmark = pytest.mark.jit_off

ENTRIES = w.STAGE_ENTRY + 20
STAGE = w.STAGE_ENTRY
"""The first stage of all; seats have side 0, whose stages are the first three."""
WOOD, GLASS = w.RESOURCES.index("wood"), w.RESOURCES.index("glass")


def unit(*resources: int) -> np.uint64:
    return np.uint64(sum(1 << 8 * resource for resource in resources))


def cities(**values: Any) -> Any:
    """Return four empty cities with five coins each, and the discard pile."""

    def zeros(*shape: int, kind: Any = np.int64) -> Any:
        return np.zeros((4, *shape), kind)

    words = {name: zeros(kind=np.uint64) for name in ("plain", "reach", "sale", "sale_reach", "flex_lanes",
                                                       "sale_flex_lanes", "recruited")}  # fmt: skip
    numbers = ("abilities", "made_kinds", "flex_count", "sale_flex_count", "shields", "diplomacy", "copy_science",
               "stages", "sold", "side", "built_paid", "built_free", "built_chain", "built_discard", "free_used",
               "bank_paid", "trade_paid", "trade_received", "defeats", "debts")  # fmt: skip
    prices = {name: np.full((4, 4), 2) for name in ("price", "post_price", "board_price")}
    public = SimpleNamespace(
        seats=4, age=1, turn=3, discarded=0, coins=zeros() + 5, symbols=zeros(w.SYMBOL_KINDS),
        green_symbols=zeros(w.SYMBOL_KINDS), colors=zeros(w.COLOR_KINDS), built=zeros(2, kind=np.uint64),
        copied=zeros(2, kind=np.uint64), flex=zeros(9), flex_role=zeros(9), sale_flex=zeros(9), victory=zeros(3),
        price_change=zeros(4), turn_rebate=zeros(2), board_rebate=zeros(2), **prices, **words,
        **{name: zeros() for name in numbers},
    )  # fmt: skip
    hidden = SimpleNamespace(
        taken=[NO_MOVE] * 4, watched=[0] * 4, losses=[0] * 4, board_builds=[0] * 4, card_builds=[0] * 4,
        copies=[0] * 99, pile=[slots(), slots()],
    )  # fmt: skip
    vars(public).update(values)
    return SimpleNamespace(public=public, hidden=hidden)


def rule_book(**values: Any) -> Any:
    """Return rules in which entries have only the given effects: field -> entry -> value."""
    columns = {"coins_per": 3, "coins_to_others": 2, "debt": 2, "coin_loss": 3, "points_per": 3, "price": 4,
               "turn_rebate": 2, "board_rebate": 2}  # fmt: skip
    names = ("one_of", "shields", "symbol", "abilities", "diplomacy", "copy_science", "color", "eventful", "coins",
             "victory_token", "points", "points_complete", "when", "category")  # fmt: skip
    rules = SimpleNamespace(
        produces=np.zeros(ENTRIES, np.uint64), stage_entry=np.array([[STAGE, STAGE + 1, STAGE + 2]]), stage_count=[3],
        switch=[0] * len(w.SWITCH_NUMBER), trade_price=2, sale_at=-1, sale_coins=3, triggers=0, last_played=[0, 0, 1],
        deck_entry=STAGE + 10, last_entry=STAGE + 10, **{name: np.zeros(ENTRIES, int) for name in names},
        **{name: np.zeros((ENTRIES, count), int) for name, count in columns.items()},
    )  # fmt: skip
    rules.price[:] = 2
    for name, value in values.items():
        if isinstance(value, dict):
            for entry, given in value.items():
                getattr(rules, name)[entry] = given
        else:
            setattr(rules, name, value)
    return rules


@pytest.fixture(scope="module")
def module() -> Any:
    with pytest.MonkeyPatch.context() as patched:
        made = linked(patched, payment, guards, production, moves, turn)
    made.log_deed = lambda *_: None
    made.find_cheapest = lambda *_: None
    return made


def changed(public: Any, seat: int = 0) -> dict[str, Any]:
    """Return the fields of a city that differ from an empty city."""
    empty = cities().public
    found = {}
    for name, values in vars(public).items():
        if isinstance(values, np.ndarray) and (values[seat] != getattr(empty, name)[seat]).any():
            found[name] = values[seat].tolist()
    return found


def places(count: int, **at: int) -> list[int]:
    return [at.get(f"at{place}", 0) for place in range(count)]


# --- effects


@pytest.mark.parametrize(
    ("entry", "rules", "gained"),
    [
        # a brown or gray card is for sale, a stage or a yellow card is not (R12, R13)
        (7, {"color": {7: w.BROWN}, "produces": {7: unit(WOOD)}},
         {"plain": 1 << 24, "reach": 1 << 24, "sale": 1 << 24, "sale_reach": 1 << 24, "made_kinds": 1 << WOOD}),
        (7, {"color": {7: w.GRAY}, "produces": {7: unit(GLASS)}},
         {"plain": 1 << 32, "reach": 1 << 32, "sale": 1 << 32, "sale_reach": 1 << 32, "made_kinds": 1 << GLASS}),
        (STAGE, {"produces": {STAGE: unit(WOOD)}}, {"plain": 1 << 24, "reach": 1 << 24}),
        (7, {"color": {7: w.YELLOW}, "one_of": {7: 0b11}},
         {"reach": 257, "flex": places(9, at0=3), "flex_count": 1, "flex_lanes": 0xFFFF}),
        (7, {"color": {7: w.BROWN}, "one_of": {7: 0b11}},
         {"reach": 257, "flex": places(9, at0=3), "flex_count": 1, "flex_lanes": 0xFFFF, "sale_reach": 257,
          "sale_flex": places(9, at0=3), "sale_flex_count": 1, "sale_flex_lanes": 0xFFFF, "made_kinds": 3}),
        (7, {"color": {7: w.RED}, "shields": {7: 2}}, {"shields": 2}),
        (7, {"color": {7: w.GREEN}, "symbol": {7: w.GEAR}},
         {"symbols": places(5, at2=1), "green_symbols": places(5, at2=1)}),
        (STAGE, {"symbol": {STAGE: w.ANY}}, {"symbols": places(5, at4=1)}),
        (7, {"abilities": {7: w.FREE_STAGES}, "diplomacy": {7: 1}, "copy_science": {7: 2}, "price": {7: 1}},
         {"abilities": w.FREE_STAGES, "diplomacy": 1, "copy_science": 2}),
        (7, {"abilities": {7: w.PRICES}, "price": {7: [1, 2, 1, 2]}, "turn_rebate": {7: [1, 0]},
             "board_rebate": {7: [0, 1]}},
         {"abilities": w.PRICES, "price": [1, 2, 1, 2], "post_price": [1, 2, 1, 2], "turn_rebate": [1, 0],
          "board_rebate": [0, 1]}),
        (STAGE, {"abilities": {STAGE: w.PRICES}, "price": {STAGE: [1, 1, 2, 2]}},
         {"abilities": w.PRICES, "price": [1, 1, 2, 2], "board_price": [1, 1, 2, 2]}),
    ],
)  # fmt: skip
def test_lasting_effects_change_the_city(
    entry: int, rules: dict[str, Any], gained: dict[str, Any], module: Any
) -> None:
    game = cities()
    module.add_effects(game.public, rule_book(**rules), 0, entry)
    assert changed(game.public) == gained
    assert all(changed(game.public, other) == {} for other in (1, 2, 3))


def test_board_and_post_discounts_add_up_only_with_a_switch(module: Any) -> None:
    """R14: units at 2 cost 1 with either or both; with the switch 0 with both; a clause adds 1, up to the limit."""
    for switch, price in ((0, 1), (1, 0)):
        public = cities(post_price=np.full((4, 4), 1), board_price=np.full((4, 4), 1)).public
        public.price_change[0] = [0, 1, -2, 9]
        rules = rule_book()
        rules.switch[w.SWITCH_NUMBER["olympia_discount_cumulative"]] = switch
        module.refresh_prices(public, rules, 0)
        assert public.price[0].tolist() == [price, price + 1, 0, w.MAX_PRICE]
        assert public.price_change[0].tolist() == [0, 1, -price, w.MAX_PRICE - price]
        public.post_price[1] = 2
        module.refresh_prices(public, rules, 1)
        assert public.price[1].tolist() == [1] * 4, "only the board is cheaper"


def test_a_warehouse_doubles_production_and_a_market_makes_the_rest(module: Any) -> None:
    """R18, also as the city goes on to make more. Masks: wood 8, glass 16, all 127."""
    game = cities()
    game.public.made_kinds[0] = 1 << WOOD
    rules = rule_book(
        abilities={5: w.WAREHOUSE, 6: w.BLACK_MARKET}, produces={7: unit(GLASS)}, color={5: w.BLACK, 7: w.GRAY}
    )
    module.add_effects(game.public, rules, 0, 5)
    module.add_effects(game.public, rules, 0, 6)
    assert game.public.flex[0, :2].tolist() == [8, 127 - 8]
    assert game.public.flex_role[0, :2].tolist() == [module.WAREHOUSE_ROLE, module.MARKET_ROLE]
    assert game.public.sale_flex_count[0] == 0
    module.add_effects(game.public, rules, 0, 7)
    assert game.public.flex[0, :2].tolist() == [24, 127 - 24]
    everything = sum(1 << 8 * resource for resource in range(7))
    assert (game.public.reach[0], game.public.flex_lanes[0]) == (everything + (1 << 32), 255 * everything)


def test_a_copy_has_lasting_effects_but_sells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """R103: once for each structure; a stage has no copy."""
    made = linked(monkeypatch, payment, guards, production, copying)
    game = cities()
    rules = rule_book(shields={70: 2}, symbol={70: w.TABLET}, produces={70: unit(WOOD)}, one_of={70: 3})
    assert [made.copy_structure(game.public, rules, 0, card, 9) for card in (-1, STAGE, 70, 70)] == [0, 0, 1, 0]
    assert changed(game.public) == {
        "copied": [0, 1 << 6], "shields": 2, "symbols": places(5, at3=1), "plain": 1 << 24, "reach": 257 + (1 << 24),
        "flex": places(9, at0=3), "flex_count": 1, "flex_lanes": 0xFFFF,
    }  # fmt: skip
    full = cities(symbols=np.array([[9, made.MAX_SYMBOLS - 1, 0, 0, 0]] * 4)).public
    stopped: list[tuple[int, ...]] = []
    monkeypatch.setattr(made, "stop_game", lambda *given: stopped.append(given))
    made.copy_structure(full, rules, 0, 70, 9)
    assert stopped == []
    full.copied[0] = 0
    made.copy_structure(full, rules, 0, 70, 9)
    assert stopped == [(made.SYMBOLS, 0, 9, made.MAX_SYMBOLS + 1, made.MAX_SYMBOLS)]


# --- moves


def word(
    card: int, action: int = w.BUILD, how: int = w.PAID, coins: tuple[int, int, int] = (0, 0, 0), more: int = 0
) -> np.uint64:
    bank, left, right = coins
    at = layout.BANK_AT, layout.LEFT_AT, layout.RIGHT_AT
    return np.uint64(card | action << 8 | how << 12 | bank << at[0] | left << at[1] | right << at[2] | more)


SPENDS = 1 << layout.SPENDS_AT


@pytest.mark.parametrize(
    ("move", "gained", "queued", "eventful"),
    [
        (word(70, w.SELL), {"sold": 1}, (0, 0, 1), 0),
        (word(70), {"built": [0, 1 << 6], "colors": places(8, at2=1), "built_paid": 1}, (0, 0, 0), 1),
        (word(70, how=w.CHAIN), {"built": [0, 1 << 6], "colors": places(8, at2=1), "built_chain": 1}, (0, 0, 0), 1),
        (word(70, how=w.FREE), {"built": [0, 1 << 6], "colors": places(8, at2=1), "built_free": 1}, (0, 0, 0), 1),
        (word(70, how=w.FREE, more=SPENDS),
         {"built": [0, 1 << 6], "colors": places(8, at2=1), "built_free": 1, "free_used": 1}, (0, 0, 0), 1),
        (word(5), {"built": [1 << 5, 0], "colors": places(8, at7=1), "built_paid": 1, "abilities": w.BUILD_DISCARD},
         (1, 0, 0), 0),
        (word(70, w.STAGE), {"stages": 2, "abilities": w.BUILD_DISCARD | w.FREE_ONCE_PER_AGE}, (0, 1, 0), 3),
    ],
)  # fmt: skip
def test_a_move_places_its_card(
    move: Any, gained: dict[str, Any], queued: tuple[int, int, int], eventful: int, module: Any
) -> None:
    """Card 70 is blue, 5 black and builds from the pile, as the second stage does, which comes next."""
    game = cities()
    game.public.stages[0] = 1
    game.public.abilities[0] = w.FREE_ONCE_PER_AGE
    watched: list[str] = []
    module.note_watchers = lambda *_: watched.append("clauses")
    rules = rule_book(
        color={70: w.BLUE, 5: w.BLACK}, abilities={5: w.BUILD_DISCARD, STAGE + 1: w.BUILD_DISCARD},
        eventful={70: w.AT_ONCE, STAGE + 1: w.AT_ONCE | w.BY_FORMULA, STAGE: 9},
    )  # fmt: skip
    assert module.place(game, rules, 0, move) == eventful
    assert changed(game.public) == {"stages": 1, "abilities": w.FREE_ONCE_PER_AGE} | {
        name: value | w.FREE_ONCE_PER_AGE if name == "abilities" else value for name, value in gained.items()
    }
    assert (game.hidden.card_builds[0], game.hidden.board_builds[0], game.public.discarded) == queued
    assert (game.hidden.copies[70], game.hidden.pile) == ((1, [0, 1 << 6]) if queued[2] else (0, [0, 0]))
    assert watched == (["clauses"] if eventful & w.BY_FORMULA else [])


def test_the_free_build_of_the_age_is_spent_before_a_token(module: Any) -> None:
    spent: list[tuple[int, int]] = []
    module.add_free_builds = lambda _public, *given: spent.append(given)
    public = cities().public
    public.abilities[:2] = w.FREE_ONCE_PER_AGE, 0
    for seat in (0, 0, 1):
        module.spend_free_build(public, seat)
    assert (public.free_used.tolist(), spent) == ([1, 0, 0, 0], [(0, -1), (1, -1)])


def test_payments_go_to_the_bank_and_to_the_neighbours(module: Any) -> None:
    """Seat 0 of four has seat 1 on its left, seat 3 on its right (R1, R9.2)."""
    public = cities().public
    module.settle(public, rule_book(), 0, word(5, coins=(1, 2, 1)))
    assert public.coins.tolist() == [1, 7, 5, 6]
    assert (public.bank_paid[0], public.trade_paid[0]) == (1, 3)
    assert public.trade_received.tolist() == [0, 2, 0, 1]
    module.settle(public, rule_book(), 3, word(5, w.SELL))
    assert public.coins.tolist() == [1, 7, 5, 9]
    sold: list[Any] = []
    module.evaluate = lambda _public, _rules, at, owner, other: 10 * at + owner + other
    module.add_coins = lambda _public, *given: sold.append(tuple(map(int, given)))
    module.settle(public, rule_book(sale_at=4), 3, word(5, w.SELL))
    assert sold == [(3, 5, 46)], "by the formula of a house rule"


@pytest.mark.parametrize(
    ("what", "number"),
    [
        (1 << w.BROWN, 3), (1 << w.BLACK, 4), (1 << w.BROWN | 1 << w.BLACK, 7), (w.COUNT_STAGE, 2), (w.COUNT_DEFEAT, 5),
        (w.COUNT_VICTORY[0], 10), (w.COUNT_VICTORY[1], 20), (w.COUNT_VICTORY[2], 40), (w.COUNT_ANY_VICTORY, 70),
        (1 << w.BLUE, 0), (w.COUNT_STAGE | w.COUNT_DEFEAT | 1 << w.BROWN, 10),
    ],
)  # fmt: skip
def test_what_an_effect_counts(what: int, number: int, module: Any) -> None:
    public = cities().public
    public.colors[0, [w.BROWN, w.BLACK]] = 3, 4
    public.stages[0], public.defeats[0], public.victory[0] = 2, 5, (10, 20, 40)
    assert module.count_in(public, 0, what) == number


def of_coins(module: Any) -> list[tuple[int, int, int]]:
    paid: list[tuple[int, int, int]] = []
    module.add_coins = lambda _public, seat, entry, coins: paid.append((seat, entry, int(coins)))
    return paid


def test_immediate_coins_are_paid(module: Any) -> None:
    """Four coins, and two for each own brown card, of which the card itself counts with the switch only; neighbours of
    seat 0 are 1 and 3."""
    game, paid = cities(), of_coins(module)
    game.public.colors[0, w.BROWN] = 3
    rules = rule_book(
        coins={5: 4, STAGE: 4}, coins_per={entry: [2, 1 << w.BROWN, w.CITY_SELF] for entry in (5, 6, STAGE)},
        color={5: w.BROWN, 6: w.BLUE}, coins_to_others={7: [2, w.WHO_OTHERS], 8: [1, w.WHO_NEIGHBORS]},
    )  # fmt: skip
    for entry in (5, 6, STAGE):
        module.gain(game.public, rules, 0, entry)
    rules.switch[w.SWITCH_NUMBER["counting_includes_itself"]] = 1
    module.gain(game.public, rules, 0, 5)
    assert paid == [(0, 5, 4 + 2 * 2), (0, 6, 2 * 3), (0, STAGE, 4 + 2 * 3), (0, 5, 4 + 2 * 3)]
    paid.clear()
    rules.switch[w.SWITCH_NUMBER["counting_includes_itself"]] = 0
    rules.coins_per[5, 2] = w.CITY_LEFT
    module.gain(game.public, rules, 3, 5)
    assert paid == [(3, 5, 4 + 2 * 3)], "seat 0 is on the left of seat 3"
    paid.clear()
    module.gain(game.public, rules, 0, 7)
    module.gain(game.public, rules, 0, 8)
    assert paid == [(1, 7, 2), (2, 7, 2), (3, 7, 2), (1, 8, 1), (3, 8, 1)]


def test_tokens_and_debts_are_added(module: Any) -> None:
    public, owed = cities(defeats=np.array([3, 2, 1, 0])).public, list[tuple[int, int, int]]()
    module.add_debts = lambda _public, seat, entry, debts: owed.append((seat, entry, int(debts)))
    rules = rule_book(
        abilities={5: w.DISCARD_DEFEATS}, victory_token={6: 3, 7: 1},
        debt={7: [0, w.WHO_OTHERS], 8: [3, w.WHO_NEIGHBORS], 9: [2, w.WHO_OTHERS]}
    )  # fmt: skip
    for entry in range(5, 10):
        module.take_tokens(public, rules, 0, entry)
    assert (public.defeats.tolist(), public.victory[0].tolist()) == ([0, 2, 1, 0], [1, 0, 1])
    assert owed == [(1, 8, 3), (3, 8, 3), (1, 9, 2), (2, 9, 2), (3, 9, 2)]


def test_coin_losses_are_deferred_until_all_moves_are_made(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """R32: 2 each; or for each victory token, or stage; and no more than can be counted or paid."""
    stopped: list[tuple[int, ...]] = []
    monkeypatch.setattr(module, "stop_game", lambda *given: stopped.append(tuple(map(int, given))))
    game = cities(victory=np.array([[9, 9, 9], [1, 2, 4], [0] * 3, [0, 0, 1]]), stages=np.array([9, 0, 3, 1]))
    rules = rule_book(
        coin_loss={5: [2, w.WHO_OTHERS, w.PER_ONCE], 6: [1, w.WHO_OTHERS, w.PER_VICTORY],
                   7: [2, w.WHO_NEIGHBORS, w.PER_STAGE], 8: [module.MAX_COINS, w.WHO_NEIGHBORS, w.PER_ONCE]}
    )  # fmt: skip
    for entry, losses in ((5, [0, 2, 2, 2]), (6, [0, 9, 2, 3]), (7, [0, 9, 2, 5])):
        module.inflict(game, rules, 0, entry)
        assert game.hidden.losses == losses
    assert stopped == []
    module.inflict(game, rules, 0, 8)
    most = module.MAX_COINS
    assert stopped == [(module.LOSSES, 1, 8, most + 9, most), (module.LOSSES, 3, 8, most + 5, most)]
    stopped.clear()
    game.hidden.losses, game.public.coins[1] = [0] * 4, module.MAX_PAID + 1
    rules.coin_loss[8, 0] = module.MAX_PAID + 2
    module.inflict(game, rules, 0, 8)
    assert stopped == [(module.PAYABLE, 1, 8, module.MAX_PAID + 1, module.MAX_PAID)]


def test_a_turn_is_resolved_in_steps_for_all_seats(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """R9: all place, all pay, then all gain, tokens change, clauses act, losses wait; seat 3 has no move, 2 sells."""
    steps: list[Any] = []

    def step(name: str, *wanted: int) -> None:
        monkeypatch.setattr(module, name, lambda *given: steps.append((name, *(int(given[at]) for at in wanted))))

    step("settle", 2)
    step("gain", 2, 3)
    step("take_tokens", 2, 3)
    step("inflict", 2, 3)
    step("move_made", 2, 4, 5)
    deeds: list[tuple[int, int, int]] = []
    monkeypatch.setattr(module, "log_deed", lambda _public, seat, move, kind: deeds.append((seat, int(move), kind)))
    game = cities()
    game.hidden.taken = [word(5), word(9, w.STAGE), word(6, w.SELL), NO_MOVE]
    game.hidden.watched = [0, 1, 1, 1]
    rules = rule_book(eventful={5: w.AT_ONCE, STAGE: w.AT_ONCE}, coin_loss={5: [1, 1, 0]}, triggers=1)
    assert module.resolve(game, rules, w.TURN) is True
    assert steps == [
        ("settle", 0), ("settle", 1), ("settle", 2), ("gain", 0, 5), ("gain", 1, STAGE), ("take_tokens", 0, 5),
        ("take_tokens", 1, STAGE), ("move_made", 1, STAGE, w.TURN), ("move_made", 2, -1, w.TURN), ("inflict", 0, 5),
    ]  # fmt: skip
    assert deeds == [(seat, int(move), w.TURN) for seat, move in enumerate(game.hidden.taken[:3])]
    steps.clear()
    rules.eventful[:], game.public.stages[1] = 0, 0
    rules.eventful[5] = w.BY_FORMULA
    assert module.resolve(game, rules, w.LAST_CARD) is False
    assert steps[3:] == [("move_made", seat, entry, w.LAST_CARD) for seat, entry in ((0, 5), (1, STAGE), (2, -1))]


def test_a_build_from_the_pile_removes_the_card_and_applies_its_effects(
    module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R28: one of two copies; the name stays on the pile until the last has left it."""
    steps: list[str] = []
    for name in ("gain", "take_tokens", "inflict", "note_watchers"):
        monkeypatch.setattr(module, name, lambda *_, name=name: steps.append(name))
    monkeypatch.setattr(module, "move_made", lambda *given: steps.append(f"move made {given[2]} {given[4]} {given[5]}"))
    game = cities()
    for card in (70, 70, 5):
        module.discard(game, card)
    assert (game.hidden.pile, game.public.discarded) == ([1 << 5, 1 << 6], 3)
    rules = rule_book(eventful={70: w.AT_ONCE}, coin_loss={70: [1, 1, 0]}, triggers=1)
    assert module.build_from_pile(game, rules, 2, word(70)) is True
    assert steps == ["gain", "take_tokens", "note_watchers", f"move made 2 70 {w.DISCARD_PILE}", "inflict"]
    assert (game.hidden.pile, game.hidden.copies[70], game.public.discarded) == ([1 << 5, 1 << 6], 1, 2)
    assert (game.public.built[2].tolist(), game.public.built_discard[2]) == ([0, 1 << 6], 1)
    steps.clear()
    assert module.build_from_pile(game, rule_book(), 1, word(70)) is False
    assert (game.hidden.pile, steps) == ([1 << 5, 0], [])
    assert module.plays_last(game.public, rules, 0) is False
    game.public.age = 2
    assert module.plays_last(game.public, rules, 0)
    game.public.age, game.public.abilities[0] = 0, w.PLAY_LAST
    assert module.plays_last(game.public, rules, 0)


# --- the score


@pytest.fixture(scope="module")
def score() -> Any:
    with pytest.MonkeyPatch.context() as patched:
        made = linked(patched, turn, scoring)
    made.has_entry = lambda _public, _rules, _seat, entry: entry == STAGE + 10
    return made


def test_science(score: Any) -> None:
    """R23: squares, and seven for each set; each wild symbol is the best of the three."""
    printed = {(0, 0, 0): 0, (1, 0, 0): 1, (0, 2, 0): 4, (0, 0, 3): 9, (1, 1, 1): 10, (2, 1, 1): 13, (2, 2, 3): 31}
    assert {symbols: score.science_points(*symbols) for symbols in printed} == printed
    wild = {(0, 0, 0, 1): 1, (1, 1, 0, 1): 10, (3, 1, 0, 1): 18, (5, 1, 0, 1): 37, (1, 1, 1, 2): 18, (0, 0, 0, 3): 10}
    assert {symbols: score.best_wild(*symbols) for symbols in wild} == wild


def test_the_points_of_an_entry(score: Any) -> None:
    """Seat 0: two brown cards, one purple; its neighbours, 1 and 3, have three and one brown."""
    public = cities().public
    public.colors[:, w.BROWN], public.colors[0, w.PURPLE], public.stages[0] = (2, 3, 9, 1), 1, 2
    around = w.CITY_LEFT | w.CITY_RIGHT
    rules = rule_book(
        points={5: 4, 9: 1}, points_complete={8: 5},
        points_per={6: [2, 1 << w.BROWN, around], 7: [3, 1 << w.BROWN | 1 << w.PURPLE, w.CITY_SELF],
                    10: [3, 1 << w.PURPLE, around]},
        when={9: 1},
    )  # fmt: skip
    score.formula_points = lambda public, _rules, seat, entry: 100 * entry + int(public.colors[seat, w.PURPLE])
    assert [score.points_of(public, rules, 0, entry, 0) for entry in range(5, 11)] == [4, 8, 9, 0, 902, 0]
    assert [score.points_of(public, rules, 0, entry, 1) for entry in (6, 7, 9, 10)] == [8, 12, 903, 0]
    assert [score._purple_counted(public, rules, 0, entry) for entry in (5, 6, 7, 9, 10)] == [0, 0, 3, 1, 0]
    assert public.colors[0, w.PURPLE] == 1
    public.stages[0] = 3
    assert score.points_of(public, rules, 0, 8, 0) == 5, "all three stages"


def test_the_copied_guild_is_the_best_including_science(score: Any) -> None:
    """R29, R30: of the neighbours' guilds 70 (4 points) and 6 (none, but a wild symbol, which makes 1, 1, 0 a set: 8
    more) the second. The own guild 7 and the first stage count purple cards, each with 2: one more."""
    game = cities()
    public = game.public
    public.built[1, 1], public.built[3, 0], public.built[2, 0] = slots(6), slots(6), slots(8)
    public.built[0, 0], public.colors[0, w.PURPLE], public.stages[0] = slots(7), 1, 1
    public.symbols[0] = [0, 1, 1, 0, 0]
    game.result = SimpleNamespace(points=np.zeros((4, w.CATEGORY_KINDS), int))
    each_purple = [2, 1 << w.PURPLE, w.CITY_SELF]
    rules = rule_book(
        points={70: 4, 8: 99}, symbol={6: w.ANY}, points_per={7: each_purple, STAGE: each_purple}, science_at=-1,
        category={7: w.GUILD}, purple_cards=[slots(6, 7, 8), slots(6)], scoring_cards=[slots(7), slots()],
    )  # fmt: skip
    score._copy_best_guild(game, rules, 0)
    points = game.result.points[0].tolist()
    assert (points[w.SCIENCE], points[w.GUILD], points[w.WONDER]) == (10, 2, 2)
    assert public.symbols[0].tolist() == [0, 1, 1, 0, 0]
    rules.points[70] = 9
    game.result.points[:] = 0
    score._copy_best_guild(game, rules, 0)
    points = game.result.points[0].tolist()
    assert (points[w.SCIENCE], points[w.GUILD], points[w.WONDER]) == (2, 9 + 2, 2)
    rules.symbol[6], rules.copy_science[6], rules.points[70] = 0, 2, 0
    public.green_symbols[1, w.TABLET], game.result.points[:] = 1, 0
    score._copy_best_guild(game, rules, 0)
    assert game.result.points[0, w.SCIENCE] == 10, "the guild copies the tablet of a neighbour"
    assert public.copy_science[0] == 0
    public.built[[1, 3]] = 0
    game.result.points[:] = 0
    score._copy_best_guild(game, rules, 0)
    assert game.result.points[0].sum() == 2, "science only, without a guild to copy"


@pytest.mark.parametrize(
    ("totals", "coins", "teams", "ranks", "shares"),
    [
        ([50, 40, 60, 40], [1, 2, 3, 4], 0, [2, 4, 1, 3], [0, 0, 1, 0]),
        ([50, 40, 50, 40], [3, 2, 3, 2], 0, [1, 2, 1, 2], [0.5, 0, 0.5, 0]),  # dense ranks
        ([9, 9, 9, 9], [0, 0, 0, 0], 0, [1, 1, 1, 1], [0.25] * 4),
        ([50, 10, 40, 30], [0, 0, 0, 0], 1, [2, 2, 1, 1], [0, 0, 1, 1]),
        ([50, 10, 30, 30], [1, 2, 2, 0], 1, [1, 1, 2, 2], [1, 1, 0, 0]),
        ([50, 10, 30, 30], [1, 2, 2, 1], 1, [1, 1, 1, 1], [0.5] * 4),
    ],
)  # fmt: skip
def test_ranks_and_win_shares(
    totals: list[int], coins: list[int], teams: int, ranks: list[int], shares: list[float], score: Any
) -> None:
    """R24, R42, R48: more points, then more coins; teams by the sums of both; a tie shares the victory."""
    score.score_seat = lambda game, _rules, seat: game.result.total.__setitem__(seat, totals[seat])
    game = cities(coins=np.array(coins))
    game.result = SimpleNamespace(total=[0] * 4, rank=[9] * 4, share=[9.0] * 4, ties=np.zeros((4, 2), int))
    score.score_game(game, rule_book(ties=1, tie_at=[-1], teams=teams, players=4))
    assert (game.result.rank, game.result.share) == (ranks, shares)
    assert score.outcome(game, 2) == (float(totals[2]), shares[2])


# --- the deal


def test_a_table_is_set_up_for_a_game(dealing: Any) -> None:
    """Three seats, line-up of two entries rotated with game 5: entries 1, 0, 1. Nothing is left of the game before."""
    loaded: list[tuple[int, int]] = []
    dealing.load_entrant = lambda own, _seating, entrant: loaded.append((own.seat, entrant))
    dealing.seat_word = lambda _seating, number, seat: f"seat {seat} of {number}"
    dealing._clear = lambda _public, _rules, seat: loaded.append((seat, -1))
    dealing.seat_boards = lambda game, *_: game.public.side.__setitem__(slice(3), [4, 1, 0])
    dealing.reset_counters = dealing.note_watchers = lambda *_: loaded.append((9, 9))
    dealing.forget_event = lambda _public: None
    dealing.forget_drafts = lambda *_: loaded.append((9, 9))

    def deal_further(_game: Any, _rules: Any, moment: int) -> bool:
        loaded.append((9, 9))
        return moment == 0

    dealing.deal_further = deal_further
    game = cities(policy=[7] * 3, board_resource=[7] * 3, deed_count=4, discarded=4, display=4)
    game.own = [
        SimpleNamespace(seat=9, memory=[1.0] * 99, looked=1, recruits=slots(1), draft=slots(1), entrant=1, sought=[])
        for _ in range(3)
    ]
    game.dealer, game.flow, game.log = dealer(), SimpleNamespace(phase=-1), SimpleNamespace(count=4)
    game.hidden = SimpleNamespace(
        board_builds=[1] * 3, card_builds=[1] * 3, losses=[1] * 3, watched=[1] * 3, copies=[1] * 9,
        denied=np.ones((3, w.CARD_WORDS), np.uint64), dice=dealer(), deals=None, pile=[slots(1), slots(1)],
    )  # fmt: skip
    game.asking = SimpleNamespace(made=1, count=1, draws=1, is_drawn=1, dealt=1)
    changed = {"cost": [1] * 8, "unit": [1] * 4, "first": [1] * 2, "first_of_both": [1] * 2}
    game.solver = SimpleNamespace(prices=SimpleNamespace(chosen_units=1, **changed))
    rules = SimpleNamespace(
        seats=3, players=3, age_turns=[6, 1, 1], board_resource=[2, WOOD, 0, 0, GLASS], counters=0, decks=0, cards=7,
        table_entry=5, last_entry=5, drafts=0,
    )  # fmt: skip
    seating = SimpleNamespace(entries=2, rotate_policies=1)
    dealing.set_up(game, rules, seating, 5)
    assert (game.public.policy, loaded) == ([1, 0, 1], [(0, -1), (1, -1), (1, 0), (2, -1)]), (
        "only what changed is loaded"
    )
    assert (game.public.board_resource, game.public.made_kinds[:3].tolist()) == ([GLASS, WOOD, 2], [16, 8, 4])
    for name in ("plain", "sale", "reach", "sale_reach"):
        assert getattr(game.public, name)[:3].tolist() == [1 << 32, 1 << 24, 1 << 16], name
    assert [(own.seat, own.looked, own.recruits, own.draft, set(own.memory[: layout.MEMORY])) for own in game.own] == [
        (seat, 0, 0, 0, {0.0}) for seat in range(3)
    ]
    assert [own.sought for own in game.own] == [[(f"seat {seat} of 5", "0")] for seat in range(3)]
    hidden = game.hidden
    assert (hidden.deals, hidden.dice.sought) == ("deal 5", [("deal 5", str(dealing.DICE_STREAM))])
    assert [hidden.board_builds, hidden.card_builds, hidden.losses, hidden.watched] == [[0] * 3] * 4
    assert (hidden.pile, hidden.copies, hidden.denied.any()) == ([0, 0], [0] * 7 + [1] * 2, False)
    assert (game.public.turns, game.public.age, game.public.turn, game.public.discarded) == (6, 0, 0, 0)
    assert (game.public.deed_count, game.public.display, game.log.count, game.flow.phase) == (0, 0, 0, layout.DEAL)
    assert set(vars(game.asking).values()) == {0}
    assert set(np.ravel(np.concatenate([np.ravel(part) for part in vars(game.solver.prices).values()]))) == {0}
    rules.counters = rules.decks = rules.drafts = rules.last_entry = 6
    seating.rotate_policies, rules.players = 0, 2
    loaded.clear()
    dealing.set_up(game, rules, seating, 5)
    assert (game.public.policy, game.flow.phase, loaded.count((9, 9))) == ([0, 1, 0], layout.DRAFT, 4)


@pytest.fixture
def dealing(monkeypatch: pytest.MonkeyPatch) -> Any:
    made = linked(monkeypatch, payment, turn, deal)
    made.seek = lambda dealer, *given: dealer.sought.append(tuple(map(str, given)))
    made.deal_word = lambda _seating, number: f"deal {number}"
    made.below = lambda dealer, bound: dealer.draws.pop(0) if dealer.draws else bound - 1
    return made


def dealer(*draws: int) -> Any:
    return SimpleNamespace(pool=[-1] * 20, deck=[-1] * 40, sought=[], draws=list(draws))


@pytest.mark.parametrize(
    ("design", "number", "draws", "boards", "sides", "seated"),
    [
        # boards 0 to 4; what is not fixed is drawn out of those that no seat has: 0, 2 and 4 for seats 0 and 2
        (w.RANDOM_BOARDS, 7, (1, 0, 1, 0), (-1, 1, -1, 3), (-1, 1, -1, 0), [5, 3, 0, 6]),
        (w.RANDOM_BOARDS, 0, (), (4, 2, 1, 0), (0, 1, 1, 0), [8, 5, 3, 0]),
        (w.ROTATED_BOARDS, 1, (), (4, 2, 1, 0), (0, 1, 1, 0), [5, 3, 0, 8]),
        (w.ROTATED_BOARDS, 6, (), (4, 2, 1, 0), (0, 1, 1, 0), [3, 0, 8, 5]),
    ],
)  # fmt: skip
def test_boards_are_random_fixed_or_rotated(
    design: int, number: int, draws: tuple[int, ...], boards: tuple[int, ...], sides: tuple[int, ...],
    seated: list[int], dealing: Any,
) -> None:  # fmt: skip
    """R2. A side is 2 * board, 1 more for B."""
    game = cities()
    game.dealer = dealer(*draws)
    seating = SimpleNamespace(design=design, board=boards, side=sides)
    dealing.seat_boards(game, SimpleNamespace(seats=4, boards=5), seating, number)
    assert game.public.side.tolist() == seated
    assert game.dealer.sought == [(f"deal {number}", str(dealing.SETUP_STREAM))]


def test_balanced_boards_rotate_and_flip_sides_in_the_second_half_of_a_block(dealing: Any) -> None:
    """Three boards: games 6 to 11 are a block. The draw leaves 0, 1, 2 in order; game 7 begins with board 1; game 10
    seats the same boards and draws the same sides, and turns them round."""
    seating = SimpleNamespace(design=w.BALANCED_BOARDS, side=(-1, -1, 0))
    for number, seated, within in ((7, [3, 4, 0], 1), (10, [2, 5, 0], 1), (11, [4, 1, 2], 2)):
        game = cities()
        game.dealer = dealer(0, 0, 0, 1, 0, 1)
        dealing.seat_boards(game, SimpleNamespace(seats=3, boards=3), seating, number)
        assert game.public.side[:3].tolist() == seated
        assert game.dealer.sought == [
            ("deal 6", str(dealing.SETUP_STREAM)), (f"deal {6 + within}", str(dealing.SIDES_STREAM))
        ]  # fmt: skip


@pytest.mark.parametrize(("duo", "age", "holder"), [(0, 1, 9), (1, 0, 0), (1, 1, 1), (1, 2, 0)])
def test_cards_are_dealt_seat_by_seat(duo: int, age: int, holder: int, dealing: Any) -> None:
    """Two players, two turns: hands of three out of the slots 10 to 17 and one of the guilds 20 and 21; each draw takes
    the last card that is left. Of a duo three are the Free City's (R43, R45)."""
    own = [
        SimpleNamespace(
            hand=slots(5), seen=slots(5), mate_hand=slots(5), passed=np.full((3, 4), 5), took=np.full((3, 4), 5),
            aside=np.full((3, 4), 5),
        )
        for _ in range(3)
    ]  # fmt: skip
    game = cities(seats=3, age=age, turns=9, hand_size=[0] * 3, free_used=np.ones(4, int))
    game.own, game.dealer = own, dealer(1)
    game.hidden = SimpleNamespace(deals="deals", holder=9, free_pile=[0] * 3, free_pile_next=9)
    rules = SimpleNamespace(
        age_turns=[2, 2, 2], base_count=[8, 8, 8], base_slots=np.array([range(10, 18)] * 3), players=2, duo=duo,
        pool_drawn=np.array([[1, 0]] * 3), pool_count=np.array([[2, 9]] * 3),
        pool=np.array([[[20, 21], [0, 0]]] * 3), watches=0, asides=1,
    )  # fmt: skip
    dealing.deal(game, rules)
    assert game.dealer.sought == [("deals", str(age))]
    assert [seat.hand for seat in own[:2]] == [slots(21, 10, 11), slots(12, 13, 14)]
    assert [seat.seen for seat in own[:2]] == [slots(21, 10, 11), slots(12, 13, 14)]
    assert (game.hidden.free_pile, game.hidden.holder) == ([15, 16, 17] if duo else [0] * 3, holder)
    assert game.public.turns == 2
    assert game.public.hand_size[:2] == [3, 3]
    assert game.public.free_used.tolist() == [0, 0, 1 - duo, 1]
    for seat in own[: 2 + duo]:
        assert (seat.passed[age].tolist(), seat.took[age].tolist()) == ([0, 0, 5, 5], [layout.NOBODY] * 2 + [5, 5])
    assert [seat.aside[age].tolist() for seat in own[:2]] == [[0, 0, 5, 5]] * 2
