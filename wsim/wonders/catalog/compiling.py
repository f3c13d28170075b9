"""From a catalogue to the RULES record that the kernels read: one rule set at one number of players."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from wsim.errors import UserError
from wsim.wonders.catalog.model import Card, Catalogue, Cost, Count, Effects, Toll
from wsim.wonders.kernels import layout
from wsim.wonders.kernels.layout import (
    COLORS,
    ENTRIES,
    NO_PRICE,
    RESOURCES,
    RULES,
    SLOTS,
    STAGE_ENTRY,
    SWITCHES,
    SYMBOLS,
)
from wsim.wonders.kernels.scoring import CATEGORY_OF_COLOR

__all__ = ["age_slots", "compile_rules", "pack_units", "resource_mask"]

_FREE_BUILDS = {
    "once_per_age": layout.FREE_ONCE_PER_AGE,
    "first_of_color": layout.FREE_FIRST_COLOR,
    "first_turn_of_age": layout.FREE_FIRST_TURN,
    "last_turn_of_age": layout.FREE_LAST_TURN,
}
_FLAGS = {
    "play_last_card": layout.PLAY_LAST,
    "build_from_discard": layout.BUILD_DISCARD,
    "copy_guild": layout.COPY_GUILD,
    "stages_cost_no_resources": layout.FREE_STAGES,
    "discard_defeat_tokens": layout.DISCARD_DEFEATS,
}
_ONE_OF_RULES = {"own_board_brown_gray": layout.WAREHOUSE, "not_own_board_brown_gray": layout.BLACK_MARKET}
_CITIES = {"self": layout.CITY_SELF, "left": layout.CITY_LEFT, "right": layout.CITY_RIGHT}
_WHO = {"others": layout.WHO_OTHERS, "neighbors": layout.WHO_NEIGHBORS}
_PER = {"": layout.PER_ONCE, "victory_token": layout.PER_VICTORY, "wonder_stage": layout.PER_STAGE}
_COUNTED = {
    **{color: 1 << i for i, color in enumerate(COLORS)},
    "wonder_stage": layout.COUNT_STAGE,
    "defeat_token": layout.COUNT_DEFEAT,
    "victory_token": layout.COUNT_ANY_VICTORY,
    "victory_token_1": layout.COUNT_VICTORY[0],
    "victory_token_3": layout.COUNT_VICTORY[1],
    "victory_token_5": layout.COUNT_VICTORY[2],
}
_TOKENS = {0: 0, 1: 1, 3: 2, 5: 3}


def pack_units(units: Iterable[tuple[str, int]]) -> int:
    """Return amounts of resources packed into one word, a byte each in the order of ``layout.RESOURCES``."""
    return sum(amount << 8 * RESOURCES.index(name) for name, amount in units)


def resource_mask(names: Iterable[str]) -> int:
    """Return the set of resources as a bit mask in the order of ``layout.RESOURCES``."""
    mask = 0
    for name in names:
        mask |= 1 << RESOURCES.index(name)
    return mask


def age_slots(catalogue: Catalogue, age: int, seats: int) -> tuple[list[str], list[int], list[int], list[int]]:
    """Return the slots of an age (1-3): the card of each; those always dealt, those of guilds, of black cards (R4)."""
    names: list[str] = []
    base: list[int] = []
    guilds: list[int] = []
    black: list[int] = []
    for card in catalogue.cards:
        drawn = guilds if card.color == "purple" else black
        if not card.copies and age in card.ages:
            drawn.append(len(names))
            names.append(card.name)
        for _ in range(card.copies_dealt(age, seats)):
            base.append(len(names))
            names.append(card.name)
    if len(names) > SLOTS:
        raise UserError(f"age {age} has {len(names)} candidate cards for {seats} seats; at most {SLOTS} are supported")
    return names, base, guilds, black


def compile_rules(catalogue: Catalogue, players: int) -> Any:
    """Return the RULES record (a numpy recarray of one) of a catalogue for a number of players (R4, R38, R43)."""
    if players not in catalogue.seat_numbers:
        accepted = ", ".join(map(str, catalogue.seat_numbers))
        raise UserError(f"{players} players cannot play rule set {catalogue.ruleset}: accepted are {accepted}")
    rules = np.zeros(1, RULES).view(np.recarray)
    record = rules[0]
    seats = catalogue.cities_at_table(players)
    settings = catalogue.settings
    record.seats, record.players = seats, players
    record.hand_size, record.turns = settings.hand_size, settings.turns
    record.start_coins, record.sale_coins = settings.start_coins, settings.sale_coins
    record.trade_price, record.coins_per_point = settings.trade_price, settings.coins_per_point
    record.defeat_points = settings.defeat_points
    record.victory_points[:] = settings.victory_tokens
    record.cities, record.teams, record.duo = catalogue.cities, catalogue.teams, catalogue.duo
    record.boards, record.cards = len(catalogue.wonders), len(catalogue.cards)
    record.switch[:] = [catalogue.switches[name] for name in SWITCHES]
    record.price[:] = NO_PRICE
    number = {card.name: i for i, card in enumerate(catalogue.cards)}
    _fill_deals(record, catalogue, number, seats)
    for i, card in enumerate(catalogue.cards):
        _fill_card(record, i, card, number, catalogue)
    _fill_boards(record, catalogue)
    return rules


def _fill_deals(record: Any, catalogue: Catalogue, number: dict[str, int], seats: int) -> None:
    for age in range(layout.AGES):
        names, base, guilds, black = age_slots(catalogue, age + 1, seats)
        record.slots[age] = len(names)
        record.slot_card[age, : len(names)] = [number[name] for name in names]
        record.base_count[age] = len(base)
        record.base_slots[age, : len(base)] = base
        drawn = (min(seats + catalogue.settings.guilds_extra, len(guilds)), seats if catalogue.cities else 0)
        for kind, (pool, many) in enumerate(zip((guilds, black), drawn, strict=True)):
            record.pool_count[age, kind] = len(pool)
            record.pool[age, kind, : len(pool)] = pool
            record.pool_drawn[age, kind] = many if pool else 0


def _fill_card(record: Any, i: int, card: Card, number: dict[str, int], catalogue: Catalogue) -> None:
    color = COLORS.index(card.color)
    record.color[i] = color
    record.category[i] = CATEGORY_OF_COLOR[color]
    record.age_of[i] = card.ages[0] - 1
    for name in card.free_with:
        if catalogue.switches["chain_from_any_age"] or _ages_follow(catalogue.card(name), card):
            record.chain[i, number[name] >> 6] |= np.uint64(1 << (number[name] & 63))
    _fill_entry(record, i, card.cost, card.effects)
    if record.points[i] or record.points_per[i, 0] or record.points_complete[i]:
        record.scoring_cards[i >> 6] |= np.uint64(1 << (i & 63))
    if card.color == "purple":
        record.purple_cards[i >> 6] |= np.uint64(1 << (i & 63))


def _ages_follow(predecessor: Card, card: Card) -> bool:
    """Say whether the predecessor is printed in the age before one of the card's (R16, switch chain_from_any_age)."""
    return any(age + 1 in card.ages for age in predecessor.ages)


def _fill_boards(record: Any, catalogue: Catalogue) -> None:
    entry = STAGE_ENTRY
    for board, wonder in enumerate(catalogue.wonders):
        for side, (_, stages) in enumerate(wonder.sides):
            row = 2 * board + side
            record.board_resource[row] = RESOURCES.index(wonder.resource)
            record.stage_count[row] = len(stages)
            for place, stage in enumerate(stages):
                if entry >= ENTRIES:
                    raise UserError(f"the boards have more than {ENTRIES - STAGE_ENTRY} stages in all")
                record.stage_entry[row, place] = entry
                _fill_entry(record, entry, stage.cost, stage.effects)
                entry += 1


def _fill_entry(record: Any, i: int, cost: Cost, effects: Effects) -> None:
    record.cost[i] = pack_units(cost.resources)
    record.cost_coins[i] = cost.coins
    record.produces[i] = pack_units((name, 1) for name in effects.produces)
    record.shields[i] = effects.shields
    record.symbol[i] = SYMBOLS.index(effects.science)
    record.points[i] = effects.points
    record.points_complete[i] = effects.points_if_wonder_complete
    record.diplomacy[i] = effects.diplomacy
    record.copy_science[i] = effects.copy_science
    record.coins[i] = effects.coins
    record.coins_per[i] = _count(effects.coins_per)
    record.points_per[i] = _count(effects.points_per)
    record.coins_to_others[i] = _toll(effects.coins_to_others)[:2]
    record.coin_loss[i] = _toll(effects.coin_loss)
    record.debt[i] = _toll(effects.debt)[:2]
    record.victory_token[i] = _TOKENS[effects.victory_token]
    record.abilities[i] = _abilities(record, i, effects)
    record.eventful[i] = bool(
        effects.coins
        or effects.coins_per
        or effects.coins_to_others
        or effects.coin_loss
        or effects.debt
        or effects.victory_token
        or effects.discard_defeat_tokens
    )


def _abilities(record: Any, i: int, effects: Effects) -> int:
    """Return the ability bits of an entry; fill its alternatives of production and its prices on the way."""
    bits = sum(bit for name, bit in _FLAGS.items() if getattr(effects, name))
    if effects.free_build:
        bits |= _FREE_BUILDS[effects.free_build]
    if isinstance(effects.produces_one_of, str):
        bits |= _ONE_OF_RULES[effects.produces_one_of]
    else:
        record.one_of[i] = resource_mask(effects.produces_one_of)
    if effects.diplomacy or effects.copy_science:
        bits |= layout.TOKENS
    if effects.trade_price is not None:
        bits |= layout.PRICES
        made = effects.trade_price.resources == "manufactured"
        for neighbor in effects.trade_price.neighbors:
            kind = 2 * (neighbor == "right") + made
            record.price[i, kind] = effects.trade_price.price
    if effects.trade_discount is not None:
        bits |= layout.PRICES | layout.WILD_PRICES
        every_turn = effects.trade_discount.scope == "first_unit_each_turn"
        rebates = record.turn_rebate if every_turn else record.board_rebate
        for neighbor in effects.trade_discount.neighbors:
            rebates[i, int(neighbor == "right")] = effects.trade_discount.n
    return bits


def _count(count: Count | None) -> tuple[int, int, int]:
    if count is None:
        return 0, 0, 0
    what = 0
    for name in count.what:
        what |= _COUNTED[name]
    cities = 0
    for name in count.cities:
        cities |= _CITIES[name]
    return count.n, what, cities


def _toll(toll: Toll | None) -> tuple[int, int, int]:
    return (0, 0, 0) if toll is None else (toll.n, _WHO[toll.who], _PER[toll.per])
