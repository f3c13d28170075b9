"""Tables of a run, from its seats table: policies, wonders, discs and action cards with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import polars as pl

from wsim.babel.frames import DISC, WON, WON_ROW
from wsim.babel.words import ACTION_CARDS
from wsim.stats.card_table import BUILT, cards
from wsim.stats.tables import Table
from wsim.stats.tables import policies as policy_table

__all__ = ["MAKERS", "action_cards", "discs", "policies", "value_rows", "wonders"]

Seats = pl.LazyFrame | pl.DataFrame


def policies(seats: Seats) -> Table:
    """Return win share, score and points by source for each policy."""
    return policy_table(seats)


def wonders(seats: Seats) -> Table:
    """Return how those did who had most parts on a wonder when it was completed, alone or tied."""
    return _owners(seats, _flags(seats, WON), "wonder", "won_share", "Wonders won")


def value_rows(seats: Seats) -> Table:
    """Return how those did who won the first, second, ... completed wonder: the rows of the value table."""
    return _owners(seats, _flags(seats, WON_ROW), "row", "won_share", "Rows of the value table won")


def discs(seats: Seats) -> Table:
    """Return how those did who own a disc at the end, for each kind and number."""
    return _owners(seats, _flags(seats, DISC), "disc", "owned_share", "Discs owned")


def action_cards(seats: Seats) -> Table:
    """Return how those did who drew an action card."""
    drawn = {card: pl.col(f"drawn_{card}") > 0 for card in ACTION_CARDS}
    return _owners(seats, drawn, "card", "drawn_share", "Action cards drawn")


def _flags(seats: Seats, prefix: str) -> dict[str, pl.Expr]:
    """Return the Boolean columns that begin with ``prefix``, by the rest of their names."""
    names = [name for name in seats.lazy().collect_schema().names() if name.startswith(prefix)]
    return {name.removeprefix(prefix): pl.col(name) for name in names}


def _owners(seats: Seats, owned: Mapping[str, pl.Expr], what: str, share: str, title: str) -> Table:
    """Compare the seats for which each expression holds with the others (``wsim.stats.cards``)."""
    lazy = seats.lazy()
    points = [name for name in lazy.collect_schema().names() if name.startswith("points_")]
    shown = lazy.select(
        "game",
        "seat",
        "rank",
        "win_share",
        "total",
        *points,
        *(held.alias(BUILT + name) for name, held in owned.items()),
    )
    table = cards(shown)
    renamed = {f"built_share{end}": share + end for end in ("", "_low", "_high")}
    frame = table.frame.rename({"card": what, **renamed}, strict=False)
    return replace(table, frame=frame, title=title)


MAKERS: Mapping[str, Callable[[Seats], Table]] = {
    "policies": policies,
    "wonders": wonders,
    "rows": value_rows,
    "discs": discs,
    "cards": action_cards,
}
"""The tables of a run by name."""
