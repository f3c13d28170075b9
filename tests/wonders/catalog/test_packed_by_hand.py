"""Unit tests of packed catalogues: effects, cards, settings, further decks, counters and actions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.wonders import words as w
from wsim.wonders.catalog import Cost, Count, Effects, Toll, TradeDiscount, TradePrice, compiling
from wsim.wonders.catalog.compiling import act_name, act_number, card_facts
from wsim.wonders.catalog.effects import EFFECTS
from wsim.wonders.catalog.model import Card, Settings
from wsim.wonders.kernels.layout import RULES

BROWN, BLUE = (1 << w.COLORS.index(color) for color in ("brown", "blue"))
BOTH = ("left", "right")


def empty() -> Any:
    return np.zeros(1, RULES).view(np.recarray)[0]


def filled(before: Any, after: Any) -> dict[str, Any]:
    """Return the differences between two records: field -> index -> value, or field -> value for scalar fields."""
    found: dict[str, Any] = {}
    for name in RULES.names or ():
        old, new = np.asarray(before[name]), np.asarray(after[name])
        if old.dtype.names is None and (old != new).any():
            places = np.argwhere(old != new)
            found[name] = new.item() if old.ndim == 0 else {
                tuple(map(int, place)) if len(place) > 1 else int(place[0]): int(new[tuple(place)]) for place in places
            }  # fmt: skip
    return found


EFFECT: list[tuple[str, Any, dict[str, Any]]] = [
    ("points", -3, {"points": {7: -3}}), ("shields", 2, {"shields": {7: 2}}), ("coins", 5, {"coins": {7: 5}}),
    ("science", "tablet", {"symbol": {7: w.TABLET}}), ("science", "any", {"symbol": {7: w.ANY}}),
    ("produces", ("clay", "glass", "glass"), {"produces": {7: 1 + (2 << 32)}}),
    ("produces_one_of", ("stone", "papyrus"), {"one_of": {7: 0b1000010}}),
    ("trade_price", TradePrice("raw", ("left",), 1), {"abilities": {7: w.PRICES}, "price": {(7, w.LEFT_RAW): 1}}),
    ("trade_price", TradePrice("manufactured", BOTH, 1),
     {"abilities": {7: w.PRICES}, "price": {(7, w.LEFT_MADE): 1, (7, w.RIGHT_MADE): 1}}),
    ("trade_price", TradePrice("raw", ("right",), 1), {"abilities": {7: w.PRICES}, "price": {(7, w.RIGHT_RAW): 1}}),
    ("trade_discount", TradeDiscount("first_unit_each_turn", ("right",), 1),
     {"abilities": {7: w.PRICES | w.WILD_PRICES}, "turn_rebate": {(7, 1): 1}}),
    ("trade_discount", TradeDiscount("board_resource", BOTH, 1),
     {"abilities": {7: w.PRICES | w.WILD_PRICES}, "board_rebate": {(7, 0): 1, (7, 1): 1}}),
    ("points_per", Count(("brown", "blue"), ("left", "right"), 2),
     {"points_per": {(7, 0): 2, (7, 1): BROWN | BLUE, (7, 2): w.CITY_LEFT | w.CITY_RIGHT}}),
    ("coins_per", Count(("wonder_stage",), ("self",), 3),
     {"coins_per": {(7, 0): 3, (7, 1): w.COUNT_STAGE, (7, 2): w.CITY_SELF}}),
    ("points_if_wonder_complete", 4, {"points_complete": {7: 4}}),
    ("play_last_card", True, {"abilities": {7: w.PLAY_LAST}}),
    ("build_from_discard", True, {"abilities": {7: w.BUILD_DISCARD}}),
    ("copy_guild", True, {"abilities": {7: w.COPY_GUILD}}),
    ("free_build", "first_of_color", {"abilities": {7: w.FREE_FIRST_COLOR}}),
    ("free_build", "last_turn_of_age", {"abilities": {7: w.FREE_LAST_TURN}}),
    ("coins_to_others", Toll("neighbors", 2), {"coins_to_others": {(7, 0): 2, (7, 1): w.WHO_NEIGHBORS}}),
    ("coin_loss", Toll("others", 2, "wonder_stage"),
     {"coin_loss": {(7, 0): 2, (7, 1): w.WHO_OTHERS, (7, 2): w.PER_STAGE}}),
    ("coin_loss", Toll("neighbors", 1, "victory_token"),
     {"coin_loss": {(7, 0): 1, (7, 1): w.WHO_NEIGHBORS, (7, 2): w.PER_VICTORY}}),
    ("debt", Toll("others", 1), {"debt": {(7, 0): 1, (7, 1): w.WHO_OTHERS}}),
    ("victory_token", 5, {"victory_token": {7: 3}}), ("victory_token", 1, {"victory_token": {7: 1}}),
    ("diplomacy", 1, {"abilities": {7: w.TOKENS}, "diplomacy": {7: 1}}),
    ("copy_science", 2, {"abilities": {7: w.TOKENS}, "copy_science": {7: 2}}),
    ("stages_cost_no_resources", True, {"abilities": {7: w.FREE_STAGES}}),
    ("discard_defeat_tokens", True, {"abilities": {7: w.DISCARD_DEFEATS}}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "packed"), EFFECT)
def test_an_effect_is_packed_into_its_entry(name: str, value: Any, packed: dict[str, Any]) -> None:
    record = empty()
    EFFECTS[name].pack(record, 7, value)
    assert filled(empty(), record) == packed


def test_immediate_effects_are_marked() -> None:
    at_once = {name for name, effect in EFFECTS.items() if effect.triggers}
    assert at_once == {
        "coins", "coins_per", "coins_to_others", "coin_loss", "debt", "victory_token", "discard_defeat_tokens"
    }  # fmt: skip
    assert {name for name, *_ in EFFECT} == set(EFFECTS) - {"when"}, "each effect has an example"


def card(
    name: str, color: str, ages: tuple[int, ...], *, free: tuple[str, ...] = (), cost: Any = None, **effects: Any
) -> Card:
    return Card(name, color, cost or Cost(), (), ages, free, Effects(**effects))


def test_a_card_is_packed_with_its_facts_and_chains() -> None:
    """Card 70 is free with card 1 of age I and, with the switch only, card 2 of age III."""
    cards = {"Altar": card("Altar", "blue", (1,)), "Late": card("Late", "blue", (3,))}
    number = {"Altar": 1, "Late": 2, "Arena": 70}
    arena = card("Arena", "yellow", (2, 3), free=("Altar", "Late"), cost=Cost(2, (("stone", 2), ("glass", 1))),
                 points=4, shields=1, produces=("clay",), produces_one_of=("clay", "wood"), coins=3)  # fmt: skip
    assert card_facts(arena) == {
        "cost": 5, "units": 3, "coins": 2, "age": 2, "points": 4, "shields": 1,
        **dict.fromkeys(w.RESOURCES, 0), "clay": 2, "wood": 1, **dict.fromkeys(w.CARD_MARKS, 0), "yellow": 1,
        "chained": 1,
    }  # fmt: skip
    for any_age, chain in ((True, 0b110), (False, 0b010)):
        catalogue: Any = SimpleNamespace(switches={"chain_from_any_age": any_age}, card=cards.__getitem__)
        record = empty()
        compiling._fill_card(record, 70, arena, number, catalogue)
        assert (record.color[70], record.category[70], record.age_of[70]) == (w.YELLOW, w.COMMERCE, 1)
        assert record.chain[70].tolist() == [chain, 0]
        assert (record.cost[70], record.cost_coins[70]) == ((2 << 8) + (1 << 32), 2)
        assert (record.scoring_cards.tolist(), record.purple_cards.tolist()) == ([0, 1 << 6], [0, 0])
        assert (record.eventful[70], record.card_facts[70, len(w.CARD_FACTS)]) == (w.AT_ONCE, 71)
        facts = dict(zip(w.CARD_FACTS, record.card_facts[70].tolist(), strict=False))
        assert facts == {name: card_facts(arena)[name] for name in w.CARD_FACTS}
    record = empty()
    compiling._fill_card(record, 1, card("Guild", "purple", (3,), science="any"), {}, catalogue)
    assert (record.purple_cards.tolist(), record.scoring_cards.tolist(), record.eventful[1]) == ([2, 0], [0, 0], 0)
    for effects in ({"points_per": Count(("blue",), ("self",), 1)}, {"points_if_wonder_complete": 1}):
        record = empty()
        compiling._fill_card(record, 3, card("Scored", "blue", (3,), **effects), {}, catalogue)
        assert record.scoring_cards.tolist() == [8, 0]


def test_settings_are_packed_as_printed_and_as_formulas() -> None:
    record = empty()
    record.players = 4
    asked: list[str] = []

    def begins(text: str) -> int:
        asked.append(text)
        return 10 * len(asked)

    formulas: Any = SimpleNamespace(begins=begins)
    settings = Settings(
        hand_size=(7, 6, 5), start_coins=4, trade_price=3, coins_per_point=2, defeat_points=-2, sale_coins=5,
        victory_tokens=(2, 4, 6), passing=("left", "right", "right"), last_card=("discarded", "played", "discarded"),
        tie_breaks=("coins", "shields"),
    )  # fmt: skip
    catalogue: Any = SimpleNamespace(settings=settings)
    compiling._fill_settings(record, catalogue, formulas)
    assert (record.hand_size, record.turns, record.age_turns.tolist()) == (7, 6, [6, 5, 4])
    assert (record.start_coins, record.trade_price, record.coins_per_point, record.defeat_points) == (4, 3, 2, -2)
    assert (record.sale_coins, record.sale_at, record.science_at) == (5, -1, -1)
    assert record.victory_points.tolist() == [2, 4, 6]
    assert (record.to_right.tolist(), record.last_played.tolist()) == ([0, 1, 1], [0, 1, 0])
    assert (record.ties, record.tie_at[:2].tolist(), asked) == (2, [-1, 10], ["shields"])


def test_further_decks_and_rules_of_the_table_follow_the_stages() -> None:
    """Two cards of the first deck, one of the second, which is drafted, and a rule, from entry 140 on."""
    recruits = [SimpleNamespace(cost=cost, effects=Effects(points=cost)) for cost in (1, 2, 3)]
    decks = [SimpleNamespace(cards=recruits[:2], hand=0, display=2, draft=0, moment=0, recruit="age_start"),
             SimpleNamespace(cards=recruits[2:], hand=4, display=0, draft=4, moment=4, recruit="age_end")]  # fmt: skip
    catalogue: Any = SimpleNamespace(
        decks=decks, deck_cards=recruits, table=[SimpleNamespace(effects=Effects(shields=9))]
    )
    record = empty()
    compiling._fill_others(record, catalogue, 140)
    assert (record.deck_entry, record.table_entry, record.last_entry) == (140, 143, 144)
    assert record.cost_coins[140:144].tolist() == [1, 2, 3, 0]
    assert (record.points[140:144].tolist(), record.shields[143]) == ([1, 2, 3, 0], 9)
    assert (record.decks, record.drafts, record.deck_from[:3].tolist()) == (2, 1, [0, 2, 3])
    assert (record.deck_dealt[:2].tolist(), record.deck_shown[:2].tolist()) == ([0, 4], [2, 0])
    assert (record.deck_drafted[:2].tolist(), record.deck_moment[:2].tolist()) == ([0, 1], [0, 4])
    assert record.deck_trigger[:2].tolist() == [w.ON_AGE, w.ON_AGE_END]
    bare = empty()
    none: Any = SimpleNamespace(decks=[], table=[])
    compiling._fill_others(bare, none, 140)
    assert (bare.deck_entry, bare.table_entry, bare.last_entry, bare.decks) == (w.ENTRIES, w.ENTRIES, w.ENTRIES, 0)
    compiling._fill_others(empty(), catalogue, w.ENTRIES - 4)
    with pytest.raises(UserError, match=f"at most {w.ENTRIES - w.STAGE_ENTRY} in total"):
        compiling._fill_others(empty(), catalogue, w.ENTRIES - 3)


def test_counters_and_their_actions_are_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = SimpleNamespace(name="pots", of="table", lasts="age", start=1, least=-2, most=7)
    slots = [
        SimpleNamespace(counter=SimpleNamespace(**{**vars(counter), "name": "jars"})),
        SimpleNamespace(counter=counter),
    ]
    monkeypatch.setattr(compiling, "slots_of", lambda _catalogue: slots)
    monkeypatch.setattr(
        compiling, "slot_number", lambda _catalogue, name, entry: 1 if (name, entry) == ("pots", 5) else 0
    )
    record: Any = empty()
    catalogue: Any = SimpleNamespace(decks=[SimpleNamespace(name="leaders"), SimpleNamespace(name="relics")])
    compiling._fill_counters(record, catalogue)
    assert (record.counters, w.COUNTER_OF[record.counter_of[1]], w.COUNTER_LASTS[record.counter_lasts[1]]) == (
        2, "table", "age"
    )  # fmt: skip
    assert (record.counter_start[1], record.counter_least[1], record.counter_most[1]) == (1, -2, 7)
    assert act_number(catalogue, f"gain {w.DRAW} relics", 5) == w.ACT["gain draw 1"] + 1
    for act in ("gain coins", f"gain {w.DRAW} leaders", f"gain {w.DRAW} relics"):
        assert act_name(catalogue, act_number(catalogue, act, 5)) == act
    for verb in w.COUNTER_ACTS:
        number = act_number(catalogue, f"{verb} pots", 5)
        assert number == len(w.ACTS) + 2 + w.COUNTER_ACTS.index(verb)
        assert act_name(catalogue, number) == f"{verb} pots"


def test_oversized_values_are_rejected_by_name() -> None:
    compiling._check_sizes("formulas", ("code words", 4, 4))
    with pytest.raises(UserError, match="the formulas of this catalogue have 5 code words in total; at most 4"):
        compiling._check_sizes("formulas", ("sets", 1, 4), ("code words", 5, 4))


def test_cards_that_formulas_count_become_sets() -> None:
    """Altar costs 2, Dye nothing, Elm 3: every distinct condition is a set of the cards that meet it."""
    cards = [
        card("Altar", "red", (1,), cost=Cost(2)), card("Dye", "blue", (2,), shields=1),
        card("Elm", "red", (3,), cost=Cost(3)),
    ]  # fmt: skip
    catalogue: Any = SimpleNamespace(cards=cards, deck_cards=[], effects=[])
    made = compiling.Formulas({"Altar": 0, "Dye": 1, "Elm": 70}, catalogue)
    assert made.begins("count(card.cost > 1)") == 0
    length = len(made.words)
    assert length > 0
    assert made.begins("count(card.cost > 1)") == 0, "once"
    assert made.begins("count(card.red and card.age == 3) + count(card.cost > 1)") == length
    assert made.begins("count(card.blue)") > length
    assert list(made.sets.values()) == [[0, 2], [2], [1]]
    record = empty()
    made.fill(record)
    assert record.code[: len(made.words)].tolist() == made.words
    assert record.code[len(made.words) :].sum() == 0
    assert record.card_sets[:3, 0].tolist() == [0b101, 0b100, 0b010]
    assert record.card_sets[3:].sum() == 0
    made.sets["many"] = [63, 64, 127]
    made.fill(record)
    assert record.card_sets[3].tolist()[:2] == [1 << 63, 1 << 63 | 1]


def test_facts_of_a_known_card_become_numbers_of_its_formula() -> None:
    """A formula about the card that causes the event is compiled once for each card that is known before the game."""
    catalogue: Any = SimpleNamespace(cards=[card("Altar", "red", (1,))], deck_cards=[], effects=[])
    made = compiling.Formulas({"Altar": 0}, catalogue)
    starts = [
        made.begins("2 * card.cost", entry=entry, facts={"cost": cost}) for entry, cost in ((1, 3), (2, 5), (1, 3))
    ]
    assert starts[0] == starts[2]
    assert starts[0] < starts[1]
    first, second = made.words[: starts[1]], made.words[starts[1] :]
    assert len(first) == len(second)
    assert first != second
    plain = made.begins("red + 1", entry=1, facts={"cost": 3})
    assert made.begins("red + 1", entry=2, facts={"cost": 5}) == plain, "it is not about the card"


def test_recruits_are_numbered_after_the_cards() -> None:
    assert [compiling.name_of_recruit(number) for number in (0, 4)] == [w.CARDS + 1, w.CARDS + 5]
