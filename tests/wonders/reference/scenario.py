"""Set up tables by hand, for tests of single rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.wonders.reference.facts import RULE_SETS, SWITCHES, Catalogue, load
from tests.wonders.reference.market import market
from tests.wonders.reference.moves import turn_moves
from tests.wonders.reference.table import Ask, City, Move, Table
from tests.wonders.reference.turn import Log, Placed, resolve

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass
class Seat:
    """A seat in a scenario: its board such as "Gizah A", structures, built stages and coins."""

    board: str
    structures: Sequence[str] = ()
    stages: int = 0
    coins: int = 3
    victories: Sequence[int] = field(default_factory=list)
    defeats: int = 0
    diplomacy: int = 0


def choose_first(kind: str, seat: int, moves: list[Move], hand: list[str]) -> Move:
    """Choose the first move at every decision."""
    return moves[0]


def lay_out(
    ruleset: str,
    seats: Sequence[Seat],
    age: int = 1,
    turn: int = 1,
    ask: Ask = choose_first,
    facts: Catalogue | None = None,
    **switches: bool,
) -> Table:
    """Return a table with the given seats; the cards under stages are Altars."""
    catalogue = facts or load(ruleset)
    cities = []
    for number, seat in enumerate(seats):
        wonder, side = seat.board.rsplit(" ", 1)
        city = City(number, catalogue.wonders[wonder], side, coins=seat.coins, defeats=seat.defeats)
        city.laws = catalogue.table
        city.structures = [catalogue.cards[name] for name in seat.structures]
        city.buried = [catalogue.cards["Altar"]] * seat.stages
        city.victories = list(seat.victories)
        city.diplomacy = seat.diplomacy
        cities.append(city)
    return Table(RULE_SETS[ruleset], {**SWITCHES, **switches}, catalogue, cities, ask, age, turn)


def legal(table: Table, seat: int, *hand: str) -> list[Move]:
    """Return the legal moves of a turn at the current table."""
    return turn_moves(table, seat, hand, market(table, seat))


def play(table: Table, *moves: Move) -> tuple[Log, list[Placed]]:
    """Resolve simultaneous moves (R9.1-4); a move needs only seat, card and action, the rest is a free ``paid`` one."""
    log = Log([])
    full = [{"how": "paid", "bank": 0, "left": 0, "right": 0, **move} for move in moves]
    return log, resolve(table, full, log)
