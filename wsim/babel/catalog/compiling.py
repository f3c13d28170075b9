"""Compile a catalogue into a RULES record."""

from __future__ import annotations

from typing import Any

from wsim.babel.catalog.formula import VOCABULARY
from wsim.babel.catalog.model import Catalogue
from wsim.babel.kernels.layout import RULES, records
from wsim.babel.words import ACTION_CARDS, KINDS, MIN_SEATS, NEEDS, NO_KIND, ROWS, SEATS, SET_SIZES, SWITCHES
from wsim.errors import UserError
from wsim.spec.formula import span


def compile_rules(catalogue: Catalogue, seats: int) -> Any:
    """Return the RULES record of a catalogue for a number of ``seats``; raise UserError for an invalid number."""
    if not MIN_SEATS <= seats <= SEATS:
        raise UserError(f"Tower of Babel is for {MIN_SEATS} to {SEATS} players, not {seats}")
    section, switches = catalogue.section, catalogue.rules
    rules = records(1, RULES)[0]
    rules.seats = seats
    for number, disc in enumerate(catalogue.discs):
        for index in range(NEEDS):
            kind, need = disc.needs[index] if index < len(disc.needs) else (None, 0)
            rules.kind[number, index] = NO_KIND if kind is None else KINDS.index(kind)
            rules.need[number, index] = need
        rules.is_two_colour[number] = len(disc.needs) == NEEDS
    for index, kind in enumerate(KINDS):
        rules.cards[index] = section["cards"][kind]
    for row in range(ROWS):
        rules.values[row] = section["value_table"][str(row + 1)]
    rules.light[:] = section["value_table"]["light"]
    for size in range(1, SET_SIZES):
        rules.sets[size] = section["set_table"][str(min(size, switches["set_table_cap"]))]
    words: list[int] = []
    for index, card in enumerate(ACTION_CARDS):
        rules.action_cards[index] = section["action_cards"][card]
        value = section["effects"].get(card, 0)
        rules.effect_at[index] = len(words) if isinstance(value, str) else -1
        if isinstance(value, str):
            node = VOCABULARY.parse(value)
            words += VOCABULARY.code(node)
            value = span(node, {**VOCABULARY.widest, "players": (int(rules.seats),) * 2})[1]
        rules.effects[index] = value
    rules.code[: len(words)] = words
    rules.refused_offer = section["effects"]["refused_offer"]
    rules.starting_hand = section["setup"]["starting_hand"][str(seats)]
    rules.pass_draw = section["setup"]["pass_draw"]
    rules.common_draw = section["setup"]["common_draw"]
    rules.parts = section["setup"]["parts"]
    for switch in SWITCHES:
        setattr(rules, switch, switches[switch])
    rules.tie_by_discs = switches["victory_tie"] == "discs"
    return rules
