"""The option ``ban`` of a plan, ``seat=thing,thing;seat=thing``: what seats may not do. Written and read only here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wsim.errors import UserError

if TYPE_CHECKING:
    from wsim.lab.plan import Plan

OPTION = "ban"


def restrict(plan: Plan, seat: int, things: str) -> Plan:
    """Return the plan in which a seat may not do these things (separated by commas), nor what was banned before."""
    if not things.strip() or set(things) & set("=;"):
        raise UserError(f"a ban is a list of things such as green,trade, not {things!r}; choose the seat with --seat")
    before = [plan.options[OPTION]] if OPTION in plan.options else []
    return plan.replace(**{OPTION: ";".join([*before, f"{seat}={things}"])})


def read_bans(text: str, players: int) -> list[tuple[int, list[str]]]:
    """Return the seats of a ban, each with the things that it may not do; raise UserError for another text."""
    found = []
    for ban in filter(None, text.split(";")):
        seat, separator, things = (part.strip() for part in ban.partition("="))
        if not separator or not seat.isdigit() or int(seat) >= players:
            raise UserError(
                f"option ban is written seat=thing with a seat from 0 to {players - 1}, not {ban.strip()!r}"
            )
        found.append((int(seat), [thing.strip() for thing in things.split(",")]))
    return found
