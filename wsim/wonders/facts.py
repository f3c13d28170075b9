"""The facts about a city of 7 Wonders, one row each (``wsim.facts`` documents the columns).

Facts of the record "public" are visible to everybody (R49).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from wsim.facts import FLAG, NONZERO, WITH_EXPANSION, Fact, formula_words, in_order, observed_groups
from wsim.wonders import words as w

_SYMBOLS = ("", *w.SYMBOLS[1 : w.ANY], "wild")
_PLURALS = ("", "compasses", "gears", "tablets", "wild symbols")
SO_FAR = "so_far"
"""Key in the view of a city: facts about the game so far that formulas may use."""
_PRICES = tuple(f"price_{side}_{group}" for side in w.NEIGHBORS for group in w.RESOURCE_GROUPS)
_COINS = (0, 32767)


def price_in_words(name: str) -> str:
    """Return "price of raw units from the left" for left_raw_price."""
    side, group, _ = name.split("_")
    return f"price of {group} units from the {side}"


def _so_far(name: str, meaning: str, called: str = "", row: str = "u1", **more: Any) -> Fact:
    """Return a fact that counts something over the game so far and that formulas may use."""
    return Fact(
        name, "i4", meaning, called=called, row=row, observed=True, by_clauses=True, formula=True, view=True,
        inside=SO_FAR, most=1000, **more,
    )  # fmt: skip


CITY_FACTS = (
    Fact("side", "i4", "board * 2 + its side: the row of RULES.stage_entry", start=None, observed=True),
    Fact("policy", "i4", "index in the line-up of the policy that plays the seat", start=None),
    Fact(
        "coins", "i4", "coins", start="start_coins", observed=True, row="i2", formula=True, span=_COINS, view=True,
        most=200,
    ),
    Fact("stages", "i4", "stages built", observed=True, row="u1", formula=True, span=(0, w.STAGES), view=True),
    Fact("shields", "i4", "shields", observed=True, row="u1", formula=True, view=True),
    Fact("hand_size", "i4", "cards in hand", observed=True, view=True),
    Fact("abilities", "i4", "abilities of structures and stages: bits in words.py", payer=True),
    Fact("printed_abilities", "", "abilities granted by cards, without internal flags", observed="abilities"),
    Fact(
        "free_used", "i4", "1: the once-per-age free build is spent in this age", called="free_build_used",
        observed=True, view=True, shown=FLAG, most=1,
    ),
    Fact("defeats", "i4", "defeat tokens", observed=True, row="u1", formula="defeat_tokens", view=True, most=50),
    Fact(
        "debts", "i4", "debts", observed=True, row="u2", formula=True, span=_COINS, view=True, shown=WITH_EXPANSION,
        most=50,
    ),
    Fact(
        "diplomacy", "i4", "diplomacy tokens", observed=True, formula="diplomacy_tokens", view=True,
        shown=WITH_EXPANSION, most=50,
    ),
    Fact("copy_science", "i4", "structures that copy a symbol (R31)", observed="copied_symbols"),
    Fact("flex_count", "i4", "either/or symbols", payer=True, observed="either_or"),
    Fact("sale_flex_count", "i4", "those that neighbours may use", payer=True, observed="either_or_for_sale"),
    Fact("board_resource", "i4", "resource of the board: index into RESOURCES", start=None, observed=True),
    replace(_so_far("sold", "cards sold"), by_clauses=False),
    Fact(
        "colors", "i4", "structures by colour", w.COLOR_KINDS, observed=tuple(f"cards_{color}" for color in w.COLORS),
        row="u1", columns=w.COLORS, formula=w.COLORS, words=tuple(f"{color} cards" for color in w.COLORS),
    ),
    Fact(
        "symbols", "i4", "science symbols; the last one is wild", w.SYMBOL_KINDS, row="u1", columns=_SYMBOLS,
        observed=tuple(f"symbol_{symbol or 'none'}" for symbol in w.SYMBOLS), formula=_SYMBOLS, words=_PLURALS,
    ),
    Fact("green_symbols", "i4", "those of green structures, which others may copy (R31)", w.SYMBOL_KINDS),
    Fact(
        "victory", "i4", "victory tokens by age", w.AGES, observed=tuple(f"victory_{age + 1}" for age in range(w.AGES)),
        formula=tuple(f"victory_tokens_{value}" for value in w.VICTORY_TOKENS),
        words=tuple(f"victory tokens of {value}" for value in w.VICTORY_TOKENS), view="victories", most=20,
    ),
    Fact(
        "price", "i4", "coins that a unit costs (R14): LEFT_RAW, LEFT_MADE, RIGHT_RAW, RIGHT_MADE", w.PRICE_KINDS,
        start="trade_price", payer=True, observed=_PRICES, formula=w.UNIT_PRICES, span=(0, w.MAX_PRICE),
        words=tuple(map(price_in_words, w.UNIT_PRICES)),
    ),
    Fact(
        "reach", "u8", "upper bound for each resource: either/or symbols count for all alternatives", w.RESOURCE_KINDS,
        packed=True, start=None, observed=tuple(f"makes_{resource}" for resource in w.RESOURCES), formula=w.RESOURCES,
        span=(0, 127), words=tuple(f"{resource} made" for resource in w.RESOURCES),
    ),
    Fact(
        "sale_reach", "u8", "the same for what neighbours may buy", w.RESOURCE_KINDS, packed=True, start=None,
        payer=True, observed=tuple(f"sells_{resource}" for resource in w.RESOURCES),
    ),
    Fact("age_shields", "i4", "those of the shields that are for this age only (R57)", observed=True, by_clauses=True),
    Fact(
        "free_tokens", "i4", "tokens of a free build (R67)", called="free_build_tokens", observed=True,
        by_clauses=True, formula=True, view=True, shown=NONZERO, most=50,
    ),
    _so_far("built_chain", "chains used (R16)", "chains"),
    _so_far("built_free", "structures built for free by an ability (R26)", "free_builds"),
    _so_far("built_discard", "structures built from the discard pile (R28)", "from_discard"),
    _so_far("trade_paid", "coins paid to neighbours", row="u2", span=_COINS),
    _so_far("trade_received", "coins received from neighbours", row="u2", span=_COINS),
    _so_far("coins_lost", "coins lost (R32)", row="u2", span=_COINS),
    Fact("gained", "i4", "points gained from clauses, by category (R94)", w.CATEGORY_KINDS),
    Fact(
        "gained_points", "", "points gained in the game so far (R94)", observed=True, by_clauses=True, formula=True,
        span=(-32767, 32767),
    ),
    Fact(
        "turn_units", "u8", "part of the fixed production that is for this turn only (R65)", w.RESOURCE_KINDS,
        packed=True, observed=w.TURN_UNITS, by_clauses=True,
    ),
    Fact("bank_paid", "i4", "coins paid to the bank", row="u2"),
    Fact("built_paid", "i4", "structures built by paying", row="u1"),
    Fact("victory_points", "", "points of victory tokens", row="u1"),
    Fact("built", "u8", "cards built, one bit per card", w.CARD_WORDS, row="u8", columns=()),
    Fact("cards", "", "structures", formula=True),
    Fact("recruited", "u8", "cards recruited from decks, one bit each (R90)", row="u8", columns=()),
    Fact("copied", "u8", "structures of which the city has a copy (R103), one bit each", w.CARD_WORDS),
    Fact("counter", "i4", "named counters (R70)", w.COUNTERS, row="i2", columns=()),
    Fact(
        "built_now", "", "structures built in this turn", w.COLOR_KINDS, span=(0, w.CARDS),
        formula=tuple(f"new_{color}" for color in w.COLORS),
        words=tuple(f"{color} cards of this turn" for color in w.COLORS),
    ),
    Fact("cards_now", "", "cards of this turn", formula="new_cards", span=(0, w.CARDS)),
    Fact("stages_now", "", "stages of this turn", formula="new_stages", span=(0, w.STAGES)),
    Fact("all_stages", "", "number of stages of the board", formula=True, span=(1, w.STAGES)),
    Fact("victory_tokens", "", "victory tokens", formula=True),
    Fact("plain", "u8", "fixed production", w.RESOURCE_KINDS, packed=True, start=None, payer=True),
    Fact("sale", "u8", "part of it that neighbours may buy", w.RESOURCE_KINDS, packed=True, start=None, payer=True),
    Fact("flex_lanes", "u8", "packed 0xFF: resources that some either/or symbol may produce"),
    Fact("sale_flex_lanes", "u8", "packed 0xFF: the same for what neighbours may buy", payer=True),
    Fact("flex", "u1", "alternatives of each either/or symbol: masks over RESOURCES", w.FLEX, start=None),
    Fact("sale_flex", "u1", "the same for those that neighbours may use", w.FLEX, start=None),
    Fact("flex_role", "u1", "1 Secret Warehouse, 2 Black Market: alternatives depend on production (R18)", w.FLEX),
    Fact("made_kinds", "i4", "mask over RESOURCES: products of board, brown and gray cards", start=None, payer=True),
    Fact("post_price", "i4", "prices set by structures", w.PRICE_KINDS, start="trade_price"),
    Fact("board_price", "i4", "prices set by stages", w.PRICE_KINDS, start="trade_price"),
    Fact("price_change", "i4", "change of each price by clauses (R66)", w.PRICE_KINDS),
    Fact("cheapest", "i4", "the lowest of the prices", start="trade_price", payer=True),
    Fact("turn_rebate", "i4", "left, right: coins off one unit each turn (wharfs)", w.NEIGHBOR_SEATS, payer=True),
    Fact("board_rebate", "i4", "left, right: coins off its resource (Smuggler's Cache)", w.NEIGHBOR_SEATS, payer=True),
)  # fmt: skip

_COLUMNS = (
    "coins", "shields", "stages", "victory_points", "defeats", "debts", "coins_lost", "trade_paid", "trade_received",
    "bank_paid", "built_paid", "built_chain", "built_free", "built_discard", "sold",
)  # fmt: skip
ROW_FACTS = tuple(fact for fact in in_order(CITY_FACTS, _COLUMNS) if fact.row)
"""The facts of the seats table; its first columns keep the order of earlier versions."""

OBSERVED = observed_groups(fact for fact in CITY_FACTS if not fact.by_clauses)
OBSERVED_WITH_CLAUSES = observed_groups(fact for fact in CITY_FACTS if fact.by_clauses)
"""Facts in all observations, and those only in observations of catalogues with clauses."""
NAMED_IF_ANY = tuple(fact.view_key for fact in CITY_FACTS if fact.shown == WITH_EXPANSION)
"""Keys in the view of a city that texts show only if they are not 0."""
PAYER = tuple(fact for fact in CITY_FACTS if fact.payer)
"""The facts that determine what a city can pay."""
CITY_WORDS = formula_words(CITY_FACTS)
CITY_NAMES = tuple(CITY_WORDS)
"""The names of a city that formulas may use."""
NAME_NUMBER = {name: number for number, name in enumerate(CITY_NAMES + w.TABLE_NAMES + w.EVENT_NAMES)}
"""Number by name in formulas: those of a city, then those of the table and of the event."""
