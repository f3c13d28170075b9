"""A catalogue and a number of seats -> one RULES record."""

from __future__ import annotations

from typing import Any

from wsim.babel.catalog.loading import Catalog
from wsim.babel.catalog.reading import ACTION_CARDS, KINDS
from wsim.babel.kernels.layout import NO_KIND, ROWS, RULES, SET_SIZES, records
from wsim.errors import UserError

__all__ = ["FEWEST_SEATS", "MOST_SEATS", "compile_rules"]

FEWEST_SEATS, MOST_SEATS = 3, 5  # A1

_SWITCHES = (
    "use_action_cards",
    "reshuffle_discards",
    "allow_empty_offer",
    "allow_trade_card_alone",
    "allow_bluff_cards",
    "may_decline_when_able",
    "joker_may_split",
    "max_jokers_per_build",
    "triple_bonus_on_failed_build",
    "action_card_usable_at_once",
    "max_double_turns",
    "action_card_for_last_wonder",
    "public_discs",
    "limit_parts",
    "turn_limit",
)


def compile_rules(catalog: Catalog, seats: int) -> Any:
    """Return the RULES record of a catalogue at a table of ``seats``; raise UserError for a table size not played."""
    if not FEWEST_SEATS <= seats <= MOST_SEATS:
        raise UserError(f"Tower of Babel is played by {FEWEST_SEATS} to {MOST_SEATS}, not by {seats}")
    section, rules = catalog.section, catalog.rules
    t = records(1, RULES)[0]
    t.seats = seats
    for number, disc in enumerate(catalog.discs):
        for place in range(2):
            kind, need = disc.needs[place] if place < len(disc.needs) else (None, 0)
            t.kind[number, place] = NO_KIND if kind is None else KINDS.index(kind)
            t.need[number, place] = need
        t.is_two_colour[number] = len(disc.needs) == 2
    for index, kind in enumerate(KINDS):
        t.cards[index] = section["cards"][kind]
    for row in range(ROWS):
        t.values[row] = section["value_table"][str(row + 1)]
    t.light[:] = section["value_table"]["light"]
    for size in range(1, SET_SIZES):
        t.sets[size] = section["set_table"][str(min(size, rules["set_table_cap"]))]
    for index, card in enumerate(ACTION_CARDS):
        t.action_cards[index] = section["action_cards"][card]
        t.effects[index] = section["effects"].get(card, 0)
    t.refused_offer = section["effects"]["refused_offer"]
    t.starting_hand = section["setup"]["starting_hand"][str(seats)]
    t.pass_draw = section["setup"]["pass_draw"]
    t.common_draw = section["setup"]["common_draw"]
    t.parts = section["setup"]["parts"]
    for switch in _SWITCHES:
        setattr(t, switch, rules[switch])
    t.tie_by_discs = rules["victory_tie"] == "discs"
    return t
