"""Build the seats and picks tables of Tower of Babel, as Polars frames.

Rows are in order: one per game and seat, or one per decision. The tables join on ``game`` and ``seat``. The columns
``game``, ``seat``, ``policy``, ``total``, ``win_share`` and ``rank`` mean the same in every game of the laboratory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.babel import words as w
from wsim.babel.catalog import Catalogue
from wsim.babel.facts import SEAT_FACTS
from wsim.babel.kernels.layout import TRADE_CARD
from wsim.facts import columns as fact_columns

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

_OF_GAME: Mapping[str, str] = {
    "turns": "turns of the game",
    "reshuffles": "number of times the discard pile was reshuffled into the deck",
}

SEAT_COLUMNS: Mapping[str, str] = {
    "game": "number of the game",
    "seat": "0 to 4",
    "policy": "line-up entry that played",
    "rank": "1 is best; tied seats share a rank",
    "win_share": "1 for a single winner, 1/n for each of n winners, else 0",
    "total": "points",
    **{name: fact.meaning for fact in SEAT_FACTS for name in fact.column_names},
    "starter": "whether this seat went first",
    **_OF_GAME,
    "wonders_completed": "completed wonders of the game",
    "builds": "successful builds of the game",
    "stopped": "whether the game was stopped by the turn limit (A32)",
    w.DISC: "Boolean columns: whether the seat owns this disc at the end",
    w.WON: "Boolean columns: whether the seat had most parts on the wonder when it was completed, alone or tied",
    w.WON_ROW: "Boolean columns: whether the seat won the first, second, ... completed wonder in this way",
}
"""Column -> meaning; a name that ends with a colon is a prefix of several columns."""

PICK_COLUMNS: Mapping[str, str] = {
    "game": "number of the game",
    "seat": "seat that decided",
    "policy": "line-up entry that decided",
    "turn": "from 1",
    "action": "1, or 2 for the second action of a Double turn",
    "decision": "kind of decision",
    "moves": "number of legal moves",
    "index": "index of the chosen move, in ascending order of codes",
    "code": "code of the move (wsim.babel.kernels.layout)",
    "wonder": "wonder of the disc announced, or announced by this move; null if none",
    "disc": "the disc announced; null if none",
    "cards": "offer: cards offered; complete: cards replaced by Jokers; null for other decisions",
    "trade": "offer: with the trade card; null for other decisions",
    "card": "play_card: the action card, null for none; exchange: the kind set aside, null for none",
    "partners": "take: number of offers taken; null for other decisions",
    "accepted": "false: pass, offer nothing, decline, no; else true",
}
"""Column -> meaning."""

Plain = Callable[[str], "NDArray[Any]"]


def _plain(rows: NDArray[Any]) -> Plain:
    """Return a function that reads a field as a contiguous array, which Polars uses without a copy."""
    base = np.asarray(rows).view(np.ndarray)
    return lambda name: np.ascontiguousarray(base[name])


def _labelled(codes: NDArray[Any], names: Sequence[str]) -> pl.Series:
    """Convert codes to an Enum column of names; equal names share a category."""
    import polars as pl

    distinct = list(dict.fromkeys(names))
    of_code = np.array([distinct.index(name) for name in names], dtype=np.uint32)
    kind = pl.Enum(distinct)
    return pl.Series(distinct, dtype=kind).gather(of_code[codes])


def _bit_count(mask: NDArray[Any]) -> NDArray[Any]:
    counts: NDArray[Any] = np.bitwise_count(mask).astype(np.uint8)
    return counts


def seats_frame(rows: NDArray[Any], labels: Sequence[str], seats: int, catalogue: Catalogue) -> pl.DataFrame:
    """Return the seats table; ``labels`` are the line-up entries by number."""
    import polars as pl

    column = _plain(rows)
    columns: dict[str, Any] = {"game": column("game"), "seat": column("seat")}
    columns["policy"] = _labelled(column("entry"), labels)
    for name in ("rank", "win_share", "total"):
        columns[name] = column(name)
    columns |= fact_columns(SEAT_FACTS, rows)
    columns["starter"] = column("starter") == column("seat")
    for name in _OF_GAME:
        columns[name] = column(name)
    columns["wonders_completed"] = _bit_count(column("completed"))
    columns["builds"] = np.repeat(column("builds_led").reshape(-1, seats).sum(axis=1).astype(np.uint8), seats)
    columns["stopped"] = column("over") == w.TURN_LIMIT
    return pl.DataFrame(columns | _flags(column, catalogue))


def _flags(column: Plain, catalogue: Catalogue) -> dict[str, NDArray[Any]]:
    masks: dict[str, int] = {}
    for number, disc in enumerate(catalogue.discs):
        masks[str(disc)] = masks.get(str(disc), 0) | 1 << number
    owned, won, rows = column("discs_owned"), column("wonders_won"), column("rows_won")
    flags = {w.DISC + name: (owned & np.uint32(mask)) != 0 for name, mask in masks.items()}
    flags |= {w.WON + name: (won & np.uint8(1 << number)) != 0 for number, name in enumerate(catalogue.wonders)}
    return flags | {f"{w.WON_ROW}{row + 1}": (rows & np.uint8(1 << row)) != 0 for row in range(w.ROWS)}


def picks_frame(
    picks: NDArray[Any], labels: Sequence[str], catalogue: Catalogue, *, overrules: bool = False
) -> pl.DataFrame:
    """Return the picks table; ``overrules``: whether to include the columns of a plan that overrules policies."""
    import polars as pl

    column, event = _plain(picks), _plain(np.asarray(picks).view(np.ndarray)["event"])
    what, code, disc = event("what"), event("move"), column("disc")
    slot = np.where((what == w.TURN) & (code > 0), code - 1, event("slot")).astype(np.int64)
    discs = [str(disc) for disc in catalogue.discs]
    cards = ((code & 0xFF) + (code >> 8 & 0xFF)).astype(np.uint8)
    return pl.DataFrame(
        {
            "game": column("game"),
            "seat": event("seat"),
            "policy": _labelled(column("entry"), labels),
            "turn": event("turn"),
            "action": event("action"),
            "decision": _labelled(what, w.DECISIONS),
            "moves": event("count"),
            "index": event("index"),
            "code": code,
            "wonder": _null_unless(slot >= 0, _labelled(np.clip(slot // w.SPACES, 0, None), catalogue.wonders)),
            "disc": _null_unless(disc >= 0, _labelled(np.clip(disc, 0, w.SLOTS - 1), discs)),
            "cards": _null_unless((what == w.OFFER) | (what == w.COMPLETE), pl.Series(cards)),
            "trade": _null_unless(what == w.OFFER, pl.Series(code >= TRADE_CARD)),
            "card": _cards(what, code),
            "partners": _null_unless(what == w.TAKE, pl.Series(_bit_count(code.astype(np.uint32)))),
            "accepted": code > 0,
            **(_wanted_columns(event) if overrules else {}),
        }
    )


def _wanted_columns(event: Plain) -> dict[str, Any]:
    """Return columns for the move that the policy wanted, the number of other moves, and overruling.

    ``struck``: the kind of item that was removed from the policy's moves: a ``thing`` or a whole ``wonder``.
    """
    import polars as pl

    overruled = event("overruled")
    return {
        "wanted": _null_unless(event("others") > 0, pl.Series(event("wanted"))),
        "others": event("others"),
        "overruled": overruled > 0,
        "struck": _null_unless(
            overruled > 0, _labelled(np.clip(overruled, 1, 2).astype(np.int64) - 1, ("thing", "wonder"))
        ),
    }


def _null_unless(condition: NDArray[Any], values: pl.Series) -> pl.Series:
    import polars as pl

    return values.zip_with(pl.Series(condition), pl.Series([None], dtype=values.dtype).new_from_index(0, len(values)))


def _cards(what: NDArray[Any], code: NDArray[Any]) -> pl.Series:
    """Return a column with the action card for PLAY_CARD, the kind for EXCHANGE, and null for other decisions."""
    names = [*w.ACTION_CARDS, *w.KINDS]
    index = code - 1 + np.where(what == w.EXCHANGE, len(w.ACTION_CARDS), 0)
    chosen = ((what == w.PLAY_CARD) | (what == w.EXCHANGE)) & (code > 0)
    return _null_unless(chosen, _labelled(np.where(chosen, index, 0), names))
