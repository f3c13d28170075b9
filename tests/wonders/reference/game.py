"""Play whole games with the reference twin and return them in the trace format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.wonders.reference.clauses import begin, counters_told, drop_turn_units, moment
from tests.wonders.reference.conflict import end_age
from tests.wonders.reference.deal import deal_age, set_up
from tests.wonders.reference.decks import deal_decks, draw_streams, drawing
from tests.wonders.reference.facts import RULE_SETS, SWITCHES, Catalogue, RuleSet, load
from tests.wonders.reference.market import market
from tests.wonders.reference.moves import free_city_moves, turn_moves
from tests.wonders.reference.policies import BUILT_IN, Policy, View, label
from tests.wonders.reference.prices import note_prices
from tests.wonders.reference.rng import SEAT_STREAM, Stream
from tests.wonders.reference.scoring import scores
from tests.wonders.reference.table import FREE_CITY, City, Move, Table
from tests.wonders.reference.turn import Log, build_from_discard_pile, play_last_cards, recruit, resolve

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

FREE_CITY_LABEL = "free_city"  # the Free City's entry in "seats": it has no policy of its own

Trace = dict[str, Any]


class Reference:
    """A rule set with a number of players, ready to play games.

    After ``play``, ``table`` is the final state and ``rows`` one dict of counts per seat, the Free City included.
    """

    def __init__(
        self,
        ruleset: str,
        players: int,
        catalogue: Catalogue | None = None,
        switches: dict[str, bool] | None = None,
        rules: RuleSet | None = None,
    ) -> None:
        self.rules = rules if rules is not None else RULE_SETS[ruleset]
        if players not in self.rules.players:
            raise ValueError(f"{ruleset} is not for {players} players")
        unknown = set(switches or {}) - set(SWITCHES)
        if unknown:
            raise ValueError(f"unknown switches: {sorted(unknown)}")
        self.players = players
        self.cities = 3 if self.rules.duo else players
        self.catalogue = catalogue if catalogue is not None else load(ruleset)
        self.switches = {**SWITCHES, **(switches or {})}
        self.table: Table
        self.rows: list[dict[str, Any]] = []

    def play(
        self,
        seed: int,
        number: int,
        policies: Policy | Sequence[Policy],
        wonders: Sequence[str | None] | None = None,
        sides: Sequence[str | None] | None = None,
        rotate: bool = False,
    ) -> Trace:
        """Play game ``number`` of a seed and return its trace.

        ``policies`` is a line-up (``line_up[seat % len]``; rotated, seat p of game g gets entry (p + g) % players);
        ``wonders`` and ``sides`` name those of each seat, None where random.
        """
        boards = list(wonders) if wonders is not None else [None] * self.cities
        board_sides = list(sides) if sides is not None else [None] * self.cities
        seated = set_up(self.catalogue, seed, number, boards, board_sides)
        cities = [
            City(seat, self.catalogue.wonders[wonder], side, self.rules.start_coins, laws=self.catalogue.table)
            for seat, (wonder, side) in enumerate(seated)
        ]
        self._policies = line_up(policies, self.players, number if rotate else 0)
        self._streams = [Stream(seed, number, SEAT_STREAM + seat) for seat in range(self.players)]
        self._holder = 0
        self.table = Table(self.rules, self.switches, self.catalogue, cities, self._ask, recruit=recruit)
        self.table.streams = draw_streams(seed, number)
        self.table.drawn = drawing(self.table)
        self._decks = deal_decks(self.table, seed, number)
        self.table.deal_after = lambda age: self._decks.update(deal_decks(self.table, seed, number, after=age))
        labels = [label(policy) for policy in self._policies] + ([FREE_CITY_LABEL] if self.rules.duo else [])
        trace: Trace = {
            "format": "wsim-trace/1",
            "game": "seven_wonders",
            "ruleset": self.rules.name,
            "seed": seed,
            "index": number,
            "seats": [
                {"wonder": wonder, "side": side, "policy": name}
                for (wonder, side), name in zip(seated, labels, strict=True)
            ],
            **({"decks": self._decks} if self.catalogue.decks else {}),
            "ages": [self._play_age(age, seed, number) for age in (1, 2, 3)],
        }
        trace["scores"] = scores(self.table)
        self.rows = [final_row(city) for city in cities]
        return trace

    def _ask(self, kind: str, seat: int, moves: list[Move], hand: list[str]) -> Move:
        """Request a move from a seat's policy (for the Free City, its holder's) and record price changes by clauses."""
        move = self._chosen(kind, seat, moves, hand)
        note_prices(self.table, move)
        return move

    def _chosen(self, kind: str, seat: int, moves: list[Move], hand: list[str]) -> Move:
        """Return the move that a policy chooses; a forced move is not requested."""
        if len(moves) == 1:
            return moves[0]
        decider = self._holder if self.table.is_free_city(seat) else seat
        table, policy = self.table, self._policies[decider]
        shown = tuple(sorted(hand))
        view = View(kind, decider, seat, table.age, table.turn, shown, moves, table.cities, len(table.discard_pile))
        if isinstance(policy, str):
            return moves[BUILT_IN[policy](view, self._streams[decider])]
        return moves[policy(view)]

    def _play_age(self, age: int, seed: int, number: int) -> Trace:
        """Deal, play the turns and fight the conflicts of an age."""
        table = self.table
        table.age = age
        for city in table.cities:
            city.free_builds_used = 0
        hands = deal_age(
            self.catalogue, age, self.cities, self.rules.cards_dealt(age), seed, number, self.rules.guilds_extra
        )
        pile = hands.pop() if self.rules.duo else []
        table.hands, table.turn, table.short = hands, 1, [False] * len(hands)
        self._decks |= deal_decks(table, seed, number, age) if age > 1 else {}
        entry: Trace = {"age": age, "hands": [sorted(hand) for hand in hands]}
        if self.rules.duo:
            entry["free_city"] = list(pile)
        entry["turns"] = []
        self._holder = (age - 1) % 2
        begin(table, "age")
        moment(table, "age_start")
        for table.turn in range(1, self.rules.cards_dealt(age)):
            entry["turns"].append(self._play_turn(hands, pile))
            hands = table.hands = passed(hands, self.rules.passing[age - 1])
            table.short = passed(table.short, self.rules.passing[age - 1])
        entry["conflicts"] = end_age(table)
        if table.losses:
            entry["losses"], table.losses = table.losses, []
        if table.decisions:
            entry["decisions"], table.decisions = table.decisions, []
        if table.effects:
            entry["effects"], table.effects = table.effects, []
        return entry

    def _play_turn(self, hands: list[list[str]], pile: list[str]) -> Trace:
        """Play a turn: choose and resolve moves, and at the end of the age play or discard the last cards (R9)."""
        table = self.table
        # R45: age I starts on the Free City's left (seat 0), age II on its right (seat 1), age III left again.
        self._holder = (table.age - 1 + table.turn - 1) % 2
        if self.rules.duo:
            hands[self._holder].append(pile.pop(0))
        begin(table, "turn")
        moment(table, "turn_start")
        markets = [market(table, seat) for seat in table.seats]
        moves: list[Move] = []
        free_city: list[Move] = []
        for seat, hand in enumerate(hands):
            move = table.ask("turn", seat, turn_moves(table, seat, hand, markets[seat]), hand)
            hand.remove(move["card"])
            moves.append(move)
            if self.rules.duo and seat == self._holder:
                options = free_city_moves(table, FREE_CITY, hand, markets[FREE_CITY])
                free_city = [table.ask("free_city", FREE_CITY, options, hand)]
                hand.remove(free_city[0]["card"])
        moves += free_city
        log = Log([])
        drop_turn_units(table)
        placed = resolve(table, moves, log)
        if table.is_last_turn:
            table.discard_pile += [table.catalogue.cards[name] for name in pile]  # R47
            placed += play_last_cards(table, hands, markets, log)
        build_from_discard_pile(table, placed, log)
        entry: Trace = {"turn": table.turn, "moves": moves}
        if log.extra:
            entry["extra"] = log.extra
        if table.losses:
            entry["losses"], table.losses = table.losses, []
        if table.decisions:
            entry["decisions"], table.decisions = table.decisions, []
        if table.effects:
            entry["effects"], table.effects = table.effects, []
        entry["coins"] = [city.coins for city in table.cities]
        if table.catalogue.counters:
            entry["counters"] = counters_told(table)
        return entry


def line_up(policies: Policy | Sequence[Policy], players: int, shift: int) -> list[Policy]:
    """Return the policy of each seat."""
    entries = [policies] if isinstance(policies, str) or callable(policies) else list(policies)
    seats = [entries[seat % len(entries)] for seat in range(players)]
    return [seats[(seat + shift) % players] for seat in range(players)]


def passed(hands: list[Any], direction: str) -> list[Any]:
    """Pass the hands, or what is known of each, to the left or to the right and return them (R5)."""
    step = 1 if direction == "right" else -1  # seat p gets the hand of seat p + step
    return [hands[(seat + step) % len(hands)] for seat in range(len(hands))]


def final_row(city: City) -> dict[str, Any]:
    """Return a seat's final counts that are not in the trace."""
    counted: Counter[str] = city.tally
    kinds = ("built_paid", "built_chain", "built_free", "built_discard_pile", "sold", "bank_paid", "trade_paid")
    more = ("trade_paid_left", "trade_paid_right", "trade_received", "effect_coins", "lost_coins")
    return {
        "seat": city.seat,
        "wonder": city.wonder.name,
        "side": city.side,
        **{kind: counted[kind] for kind in (*kinds, *more)},
        "stages": len(city.buried),
        "coins": city.coins,
        "shields": city.shields,
        "victory_tokens": {value: city.victories.count(value) for value in (1, 3, 5)},
        "defeat_tokens": city.defeats,
        "diplomacy_tokens": city.diplomacy,
        "debts": city.debts,
        "recruited": {card.name for card in city.recruited},
        "structures": {card.name for card in city.structures},
        "buried": sorted(card.name for card in city.buried),
    }
