"""Compile plan options into the SEATING record: policies, boards, sides, parameters and bans by seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError, nearest
from wsim.kernels.heads import untouched
from wsim.policies.chances import chances, overruling_of, per_seat
from wsim.rng import keys_of
from wsim.wonders.bans import OPTION, read_bans
from wsim.wonders.catalog import Catalogue
from wsim.wonders.kernels.layout import SEATING
from wsim.wonders.words import BALANCED_BOARDS, BAN_SELL, BAN_STAGE, BAN_TRADE, BANS, COLORS, ROTATED_BOARDS

if TYPE_CHECKING:
    from wsim.lab.plan import Plan
    from wsim.policies.registry import LineUp

_FLAGS = dict(zip(BANS, (BAN_TRADE, BAN_STAGE, BAN_SELL), strict=True))


def compile_seating(plan: Plan, catalogue: Catalogue, line_up: LineUp, rules: Any) -> Any:
    """Return the SEATING record (a recarray of length 1) of a plan; raise UserError for invalid options."""
    seating = untouched(SEATING.itemsize).view(SEATING).view(np.recarray)
    record = seating[0]
    players = plan.players
    record.keys[:] = keys_of(plan.seed)
    record.entries = players
    record.rotate_policies = plan.rotate
    line_up.fill(record, rules)
    seats = catalogue.cities_at_table(players)
    record.board[:], record.side[:] = -1, -1
    _fill_boards(record, plan.options.get("wonders", "random"), catalogue, seats)
    _fill_sides(record, plan.options.get("sides", "random"), catalogue, seats)
    record.randomise[:players] = chances("randomise", plan.options.get("randomise", "0"), players)
    record.overrule[:players] = overruling_of(plan.options, players)
    if record.randomise.any() and record.overrule.any():
        raise UserError("randomise and overrule are different experiments: use only one of them")
    for seat, items in read_bans(plan.options.get(OPTION, ""), players):
        names = [card.name for card in catalogue.cards]
        for item in items:
            card = _match(item, names)
            if item in _FLAGS:
                record.ban[seat, 3] |= np.uint64(_FLAGS[item])
            elif item in COLORS:
                record.ban[seat, 2] |= np.uint64(1 << COLORS.index(item))
            elif card is not None:
                record.ban[seat, card >> 6] |= np.uint64(1 << (card & 63))
            else:
                known = [*_FLAGS, *COLORS, *names]
                accepted = f"{', '.join([*_FLAGS, *COLORS])} or a card"
                raise UserError(f"cannot ban {item!r}{nearest(item, known)}: accepted are {accepted}")
    record.experiment = bool(record.randomise.any() or record.ban.any() or record.overrule.any())
    return seating


def _fill_boards(record: Any, text: str, catalogue: Catalogue, seats: int) -> None:
    if text == "balanced":
        record.design = BALANCED_BOARDS
        return
    design, rotated, rest = text.partition(":")
    if rotated:
        if design != "rotate":
            raise UserError(f"unknown board design {design!r}: accepted are rotate:BOARDS, balanced, random and boards")
        record.design, text = ROTATED_BOARDS, rest
    names = [wonder.name for wonder in catalogue.wonders]
    chosen = [name.strip() for name in text.split(",")]
    if len(chosen) == 1 and chosen[0] == "random":
        return
    if len(chosen) > seats:
        raise UserError(f"option wonders fixes {len(chosen)} boards but the table has {seats} seats")
    for seat, name in enumerate(chosen):
        if name == "random":
            continue
        board = _match(name, names)
        if board is None:
            accepted = ", ".join([*names, "random"])
            known = f"rule set {catalogue.ruleset} has {accepted}{nearest(name, names)}"
            raise UserError(f"unknown wonder {name!r}: {known}")
        if board in record.board[:seat]:
            raise UserError(f"wonder {names[board]} is fixed for two seats: each wonder is used at most once (R2)")
        record.board[seat] = board


def _match(name: str, names: Sequence[str]) -> int | None:
    """Return the index of a name, ignoring case."""
    lowered = [known.lower() for known in names]
    return lowered.index(name.lower()) if name.lower() in lowered else None


def _fill_sides(record: Any, text: str, catalogue: Catalogue, seats: int) -> None:
    for seat, name in enumerate(per_seat("sides", text, seats)):
        if name == "random":
            continue
        side = _match(name, catalogue.sides)
        if side is None:
            accepted = ", ".join([*catalogue.sides, "random"])
            raise UserError(f"unknown side {name!r}: rule set {catalogue.ruleset} has {accepted}")
        record.side[seat] = side
