"""Parse and extend the plan option ``ban`` (``seat=item,item;seat=item``), which forbids actions and cards to seats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wsim.errors import UserError
from wsim.options import short_number

if TYPE_CHECKING:
    from wsim.lab.plan import Plan

OPTION = "ban"


def restrict(plan: Plan, seat: int, items: str) -> Plan:
    """Return the plan with these items (comma-separated) also banned for a seat."""
    if not items.strip() or set(items) & set("=;"):
        raise UserError(f"a ban must be a list such as green,trade, not {items!r}; choose the seat with --seat")
    bans = [plan.options[OPTION]] if OPTION in plan.options else []
    return plan.replace(**{OPTION: ";".join([*bans, f"{seat}={items}"])})


def read_bans(text: str, players: int) -> list[tuple[int, list[str]]]:
    """Return the banned items of each seat; raise UserError if the string is malformed."""
    bans = []
    for ban in filter(None, text.split(";")):
        seat, separator, items = (part.strip() for part in ban.partition("="))
        number = short_number(seat)
        if not separator or number is None or not 0 <= number < players:
            raise UserError(
                f"option ban must be seat=item,... with a seat from 0 to {players - 1}, not {ban.strip()!r}"
            )
        bans.append((number, [item.strip() for item in items.split(",")]))
    return bans
