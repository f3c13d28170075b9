"""What a catalogue can lead to at worst, proved from its compiled rules, and refused where it would not fit.

The bounds (``holdings``) are compared with the widths of records and columns (kernels/layout.py), so that no game of an
accepted catalogue overflows, wraps around or writes outside a record. What holds for every catalogue that can be read
is proved where the record is laid out; here stands what depends on the cards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.spec.formula import Spans, span
from wsim.wonders.catalog.clause_bounds import Brought, Clauses
from wsim.wonders.catalog.formula import WIDEST, parse
from wsim.wonders.catalog.holdings import Amounts, Holdings
from wsim.wonders.catalog.house_rules import at_table
from wsim.wonders.kernels.layout import DEEDS, EFFECTS_LOGGED, LANE, LOSS_AT_ONCE, QUEUE, ROW
from wsim.wonders.words import (
    ANY,
    BLACK_MARKET,
    CARDS,
    COLORS,
    COPY_GUILD,
    FLEX,
    MOST_PRICE,
    NEIGHBOR_SEATS,
    PER_STAGE,
    PER_VICTORY,
    PURPLE,
    RESOURCES,
    SYMBOLS,
    UNIT_PRICES,
    VICTORY_TOKENS,
    WAREHOUSE,
)

if TYPE_CHECKING:
    from wsim.wonders.catalog.model import Catalogue

SHOWN = 3  # entries that a refusal names
_SYMBOLS = (*SYMBOLS[1:ANY], "wild")
_BUILDS = "discard_builds"


@dataclass(frozen=True)
class Bound:
    """A number that games may reach.

    Attributes
    ----------
    what: of which the sentence speaks. value: what it can reach. limit: what fits.
    parts: what each entry can add to it. change: what makes it smaller.
    """

    what: str
    value: int
    limit: int
    parts: Amounts
    change: str

    @property
    def fits(self) -> bool:
        """Whether the value is not beyond the limit, which is negative for a lower bound."""
        return self.value >= self.limit if self.limit < 0 else self.value <= self.limit


def check_bounds(rules: Any, catalogue: Catalogue) -> None:
    """Raise UserError for the first bound of a RULES record that does not fit, naming what makes it so large."""
    entries = [(number, card.effects) for number, card in enumerate(catalogue.cards)]
    stages = (stage for wonder in catalogue.wonders for _, built in wonder.sides for stage in built)
    entries += [(CARDS + number, stage.effects) for number, stage in enumerate(stages)]
    clauses = tuple((entry, clause) for entry, effects in entries for clause in effects.when)
    held = _holdings(rules, clauses)
    house = at_table(catalogue.settings, int(rules.players))
    for bound in Bounds(held, clauses, None, house.sale, house.science).all():
        if not bound.fits:
            raise UserError(_refusal(bound, rules, catalogue))


def _holdings(rules: Any, clauses: Clauses) -> Holdings:
    """Return what cities can hold with what clauses bring; builds from the pile may set off clauses that bring more."""
    brought: tuple[int, ...] = ()
    held = Holdings(rules)
    while held.all_more_builds <= QUEUE:
        known, more = brought, Brought(held, clauses, WIDEST)
        brought = (*map(more.total, ("victory_tokens", "defeat_tokens", _BUILDS)), more.of_all(_BUILDS))
        if brought == known:
            break
        held = Holdings(rules, *brought)
    return held


def _refusal(bound: Bound, rules: Any, catalogue: Catalogue) -> str:
    """Return the sentence about a bound that does not fit."""
    least = "least" if bound.limit < 0 else "most"
    largest = [int(entry) for entry in np.argsort(-bound.parts, kind="stable")[:SHOWN] if bound.parts[entry] > 0]
    names = _entry_names(catalogue)
    source = f", most of it by {' and '.join(names[entry] for entry in largest)}" if largest else ""
    where = f"rule set {catalogue.ruleset} with {int(rules.players)} players"
    return (
        f"{bound.what} could come to {bound.value:,} in {where}{source}, and at {least} {bound.limit:,} can be played; "
        f"change {bound.change}"
    )


def _entry_names(catalogue: Catalogue) -> dict[int, str]:
    """Return what each entry is called: cards by name, stages by board and side, in the order of the rules."""
    names = {number: card.name for number, card in enumerate(catalogue.cards)}
    stages = [
        f"stage {place} of {wonder.name} {side}"
        for wonder in catalogue.wonders
        for side, built in wonder.sides
        for place, _ in enumerate(built, start=1)
    ]
    return names | {CARDS + number: name for number, name in enumerate(stages)}


def _width(name: str) -> tuple[int, int]:
    """Return the least and the greatest number that a column of the rows holds."""
    limits = np.iinfo(ROW[name].base)
    return int(limits.min), int(limits.max)


@dataclass(frozen=True)
class Bounds:
    """Everything that a table can come to.

    ``spans``: of what formulas may ask; without them, those that follow from the widest ones. ``sale_formula``,
    ``science_formula``: those of house rules.
    """

    held: Holdings
    clauses: Clauses = ()
    spans: Spans | None = None
    sale_formula: str = ""
    science_formula: str = ""

    @property
    def rules(self) -> Any:
        """The rules of the table."""
        return self.held.rules

    def all(self) -> Iterator[Bound]:
        """Yield every bound: those of counting and paying, those of coins, then those of points."""
        yield from self._production()
        yield from self._counts()
        yield from self._money()
        yield from self._points()
        if self.has_formulas:
            yield from self._clauses()

    # --- what clauses bring

    @property
    def has_formulas(self) -> bool:
        """Whether any formula is worked out while a game is played and changes what cities come to."""
        return bool(self.clauses or self.sale_formula or self.science_formula)

    @cached_property
    def within(self) -> Spans:
        """The spans within which formulas are bounded."""
        if self.spans is not None or not self.has_formulas:
            return self.spans or WIDEST
        return replace(self, spans=WIDEST).reached()

    @cached_property
    def brought(self) -> Brought:
        """What clauses can bring."""
        return Brought(self.held, self.clauses, self.within)

    def reached(self) -> Spans:
        """Return the spans of what formulas may ask, by what cities can come to; none is wider than the widest."""
        held, rules = self.held, self.rules
        symbol, colors = held.field("symbol"), np.asarray(rules.color)
        most = {color: int(((colors == n) & (held.copies > 0)).sum()) for n, color in enumerate(COLORS)}
        most["purple"] += self.copying
        most |= dict.fromkeys(("cards", "chains", "sold", "free_builds", "from_discard"), held.placed + self.copying)
        for n, name in enumerate(_SYMBOLS, start=1):
            most[name] = held.in_city((symbol == n).astype(np.int64)) + self.brought.total(name)
        most |= dict.fromkeys(
            ("trade_paid", "trade_received", "coins_lost"), self.coins
        )  # nobody pays what it never had
        most |= {"stages": held.stages, "all_stages": held.stages, "turn": int(rules.turns), "players": rules.players}
        most |= {"coins": self.coins, "shields": self.shields, "defeat_tokens": held.defeats, "debts": self.debts}
        most |= {"diplomacy_tokens": self.diplomacy, "victory_tokens": int(held.tokens.sum())}
        most |= {"free_build_tokens": self.brought.total("free_build_tokens")}
        most |= {f"victory_tokens_{value}": int(n) for value, n in zip(VICTORY_TOKENS, held.tokens, strict=True)}
        least = {"players": int(rules.players)}
        return {
            name: (least.get(name, low), min(high, int(most.get(name, high)))) for name, (low, high) in WIDEST.items()
        }

    def _clauses(self) -> Iterator[Bound]:
        """Yield the bounds of what formulas may ask and nothing else limits, and of what a trace holds."""
        held, brought = self.held, self.brought
        for what, value, thing in (
            ("victory tokens", int(held.tokens.sum()), "victory_tokens"),
            ("defeat tokens", held.defeats, "defeat_tokens"),
            ("debts", self.debts, "debts"),
            ("diplomacy tokens", self.diplomacy, "diplomacy_tokens"),
            ("free builds", brought.total("free_build_tokens"), "free_build_tokens"),
        ):
            parts = brought.parts(thing)
            yield Bound(f"the {what} of a city", value, WIDEST[thing][1], parts, f"`gain.{thing}` of `when`")
        logged = brought.logged()
        value = int(logged[:CARDS].sum()) + held.cities * held.of_stages(logged)
        change = "`event`, `by` and `each` of `when`"
        yield Bound("the effects of clauses in a game", value, EFFECTS_LOGGED, logged, change)

    @cached_property
    def shields(self) -> int:
        """The shields that a city can have."""
        own = self.held.field("shields") + self.brought.own("shields")
        return self.held.in_city(own) + self.brought.from_others("shields")

    @cached_property
    def diplomacy(self) -> int:
        """The diplomacy tokens that a city can have."""
        return self.held.in_city(self.held.field("diplomacy")) + self.brought.total("diplomacy_tokens")

    # --- what cities make and do

    def _production(self) -> Iterator[Bound]:
        """Yield the bounds of the payment solver (payment.py): symbols of a city, a byte for each resource."""
        held = self.held
        one_of, abilities = held.field("one_of"), held.field("abilities")
        either_or = ((one_of != 0) | (abilities & (WAREHOUSE | BLACK_MARKET) != 0)).astype(np.int64)
        change = "`produces` and `produces_one_of`"
        yield Bound("the either/or symbols of a city", held.in_city(either_or), FLEX, either_or, change)
        produces = np.asarray(self.rules.produces)
        by_product = ((abilities & (WAREHOUSE | BLACK_MARKET)) != 0).astype(np.int64)
        for place, resource in enumerate(RESOURCES):
            made = (produces >> np.uint64(8 * place) & np.uint64(0xFF)).astype(np.int64) + (one_of >> place & 1)
            made += by_product
            brought = self.brought.total(resource)
            for_turn = self.brought.total(f"turn_{resource}")
            reached = (1 + NEIGHBOR_SEATS) * (1 + held.in_city(made) + brought) + for_turn
            made += self.brought.parts(resource) + self.brought.parts(f"turn_{resource}")
            named = [name for name, units in ((resource, brought), (f"turn_{resource}", for_turn)) if units]
            said = " and ".join([change, *(f"`gain.{name}` of `when`" for name in named)])
            yield Bound(f"the {resource} of a city and its neighbours", reached, LANE, made, said)

    def _with_clauses(self, change: str, thing: str) -> str:
        """Return what may be changed: `when` besides, where clauses bring such a thing."""
        return f"{change}, and what `when` brings" if self.brought.parts(thing).any() else change

    def _counts(self) -> Iterator[Bound]:
        """Yield the bounds of moves, shields and tokens."""
        held, rules = self.held, self.rules
        change = "`build_from_discard` and `play_last_card`"
        builds = self.brought.parts(_BUILDS)
        if builds.any():
            change = "`gain.discard_builds` of `when`"
            yield Bound("the builds from the discard pile of a game", held.pile_builds, QUEUE - 1, builds, change)
        yield Bound("the moves of a game", held.deeds, DEEDS, held.grants + builds, change)
        shields = held.field("shields") + self.brought.parts("shields")
        change = self._with_clauses("`shields`", "shields")
        yield Bound("the shields of a city", self.shields, _width("shields")[1], shields, change)
        brought = sum(map(self.brought.parts, _SYMBOLS), np.zeros(len(rules.points), np.int64))
        if brought.any():
            most, change = isqrt(_width("total")[1]), "`gain` of `when`"
            yield Bound("the science symbols of a city", self.symbols, most, brought, change)
        points = int((held.tokens * np.asarray(rules.victory_points)).sum())
        tokens = (held.field("victory_token") != 0).astype(np.int64) + self.brought.parts("victory_tokens")
        change = self._with_clauses("settings.victory_tokens and `victory_token`", "victory_tokens")
        yield Bound("the points of a city's victory tokens", points, _width("victory_points")[1], tokens, change)

    # --- coins and debts

    @cached_property
    def losses(self) -> Amounts:
        """The coins that each entry can make one city lose (R32)."""
        each, _, per = self.held.field("coin_loss").T
        times = np.where(per == PER_STAGE, self.held.stages, 1)
        lost: Amounts = each * np.where(per == PER_VICTORY, int(self.held.tokens.sum()), times)
        return lost

    @cached_property
    def lost(self) -> int:
        """The coins that a city can have to lose in a game."""
        return self.held.from_others(self.losses, self.held.field("coin_loss")[:, 1])

    @cached_property
    def debts(self) -> int:
        """The debts that a city can have: those of cards (R36), and losses that it does not pay."""
        debt = self.held.field("debt")
        return self.held.from_others(debt[:, 0], debt[:, 1]) + self.lost + self.brought.total("debts")

    @cached_property
    def gains(self) -> Amounts:
        """The coins that each entry can bring its city (R9.3)."""
        return self.held.field("coins") + self.held.per("coins_per") + self.brought.own("coins")

    @cached_property
    def sale(self) -> int:
        """The coins that a card sold can bring (R8)."""
        return span(parse(self.sale_formula), self.within)[1] if self.sale_formula else int(self.rules.sale_coins)

    @cached_property
    def coins(self) -> int:
        """The coins that a city can have: by its cards or their sale, its stages, the others' gifts and their trade."""
        held, rules = self.held, self.rules
        sales = np.full(held.placed, self.sale, np.int64)
        cards = np.where(held.copies > 0, self.gains[:CARDS], 0)
        by_cards = int(np.sort(np.concatenate([cards, sales]))[::-1][: held.placed].sum())
        gifts = held.field("coins_to_others")
        units = sum((np.asarray(rules.cost) >> np.uint64(8 * k) & np.uint64(0xFF)).astype(int) for k in range(7))
        turns = held.plays
        dearer = any(self.brought.parts(name).any() for name in UNIT_PRICES)
        trade = NEIGHBOR_SEATS * turns * int(np.max(units)) * (MOST_PRICE if dearer else int(rules.trade_price))
        given = held.from_others(gifts[:, 0], gifts[:, 1]) + self.brought.from_others("coins")
        return int(rules.start_coins) + by_cards + held.of_stages(self.gains) + given + trade

    def _money(self) -> Iterator[Bound]:
        held = self.held
        if self.sale_formula:
            nothing = np.zeros(len(self.rules.points), np.int64)
            sales = self.sale * held.placed
            yield Bound("the coins of a city's sales", sales, _width("coins")[1], nothing, "settings.sale_coins")
        parts = self.gains + held.field("coins_to_others")[:, 0] + self.brought.given("coins")
        change = "`coins`, `coins_per`, `coins_to_others`, settings.start_coins and settings.sale_coins"
        yield Bound("the coins of a city", self.coins, _width("coins")[1], parts, self._with_clauses(change, "coins"))
        at_once = held.in_a_turn(self.losses, held.field("coin_loss")[:, 1])
        paid = min(at_once, self.coins)
        change = "`coin_loss`"
        yield Bound("the coins that a city pays for losses of one turn", paid, LOSS_AT_ONCE, self.losses, change)

    # --- points

    @cached_property
    def copying(self) -> int:
        """1 where a city can copy a guild (R29), which then counts as one more purple card, else 0."""
        return int((self.held.field("abilities") & COPY_GUILD != 0).any())

    def _worth(self, sign: int) -> Amounts:
        """Return the most points, or the most points lost (``sign`` -1), of each entry; never negative."""
        held = self.held
        per = sign * held.per("points_per", self.copying, 1 << PURPLE)
        complete = sign * held.field("points_complete")
        sure = sign * held.field("points") + np.maximum(per, 0) + np.maximum(complete, 0)
        return np.maximum(sure, 0) + self.brought.points(sign)

    @cached_property
    def symbols(self) -> int:
        """The science symbols that a city can have, copied ones included (R23, R29, R31)."""
        held = self.held
        symbols = held.in_city((held.field("symbol") != 0).astype(np.int64)) + held.in_city(held.field("copy_science"))
        if self.copying:
            symbols += 1 + int(held.field("copy_science")[:CARDS].max())
        return symbols + sum(map(self.brought.total, _SYMBOLS))

    @cached_property
    def science(self) -> tuple[int, int]:
        """The least and the most points of science: of n symbols, n² if all are the same, or 10 of three (R23)."""
        symbols = self.symbols
        if self.science_formula:
            counts = dict.fromkeys(SYMBOLS[1:ANY], (0, symbols))
            return span(parse(self.science_formula), {**self.within, **counts})
        return 0, symbols * symbols + (symbols >= 3)

    def _copied(self, worth: Amounts) -> int:
        """Return the worth of the best guild that a city can copy, which is one more structure."""
        purple = (np.asarray(self.rules.color) == PURPLE) & (self.held.copies > 0)
        return self.copying * int(np.where(purple, worth[:CARDS], 0).max())

    def _points(self) -> Iterator[Bound]:
        """Yield the bounds of the total: categories, coins lost and debts can be no further from 0."""
        held, rules = self.held, self.rules
        if self.science_formula:
            nothing = np.zeros(len(rules.points), np.int64)
            for limit, points in zip(_width("total"), self.science, strict=True):
                value = min(points, 0) if limit < 0 else points
                yield Bound("the points of a city's science", value, limit, nothing, "settings.science")
        change = "`points`, `points_per` and what is counted"
        tokens = int((held.tokens * np.asarray(rules.victory_points)).sum())
        treasury = self.coins // int(rules.coins_per_point)
        worth = self._worth(1)
        most = held.in_city(worth) + self._copied(worth) + tokens + treasury + max(self.science[1], 0)
        yield Bound("the points of a city", most, _width("total")[1], worth, change)
        worth = self._worth(-1)
        least = held.in_city(worth) + self._copied(worth) - held.defeats * int(rules.defeat_points) + self.debts
        least -= min(self.science[0], 0)
        parts = worth + self.losses + held.field("debt")[:, 0] + self.brought.parts("debts")
        change += ", `debt` and `coin_loss`"
        yield Bound("the points of a city", -least, _width("total")[0], parts, change)
