"""Build the seats and picks tables of 7 Wonders, as Polars frames, from the rows that kernels write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.facts import columns as fact_columns
from wsim.wonders import words as w
from wsim.wonders.catalog import Catalogue
from wsim.wonders.catalog.counter_slots import slots_of
from wsim.wonders.facts import ROW_FACTS
from wsim.wonders.kernels.layout import (
    ACTION_AT,
    AMOUNT_AT,
    BANK_AT,
    CITY_AT,
    HOW_AT,
    LEFT_AT,
    OWNER_AT,
    PICKED_AT,
    RIGHT_AT,
    SLOT_AT,
)

FREE_CITY_LABEL = "free_city"


def _enum(codes: NDArray[Any], names: Sequence[str]) -> pl.Series:
    unique = list(dict.fromkeys(names))
    physical = np.array([unique.index(name) for name in names], np.uint32)[codes]
    return pl.Series(unique, dtype=pl.Enum(unique)).gather(physical)


def seats_frame(
    rows: NDArray[Any],
    catalogue: Catalogue,
    labels: Sequence[str],
    players: int,
    seats: int,
    *,
    brief: bool = False,
) -> pl.DataFrame:
    """Build the seats table from kernel rows (layout.ROW): one row per game and seat, in order.

    Parameters
    ----------
    rows: the rows of dtype ROW, ``seats`` for each game.
    labels: label of each line-up entry.
    players: number of seats that can win; any further seat is the Free City (R44).
    brief: whether to leave out points by category, other facts and cards.
    """
    boards = [wonder.name for wonder in catalogue.wonders]
    seat = np.ascontiguousarray(rows["seat"])
    codes = np.where(seat < players, rows["policy"], len(labels))
    columns: dict[str, Any] = {
        "game": np.ascontiguousarray(rows["game"]),
        "seat": seat,
        "team": seat // 2 if catalogue.teams else seat,
        "wonder": _enum(rows["side"] // w.SIDES_OF_BOARD, boards),
        "side": _enum(rows["side"] % w.SIDES_OF_BOARD, catalogue.sides),
        "policy": _enum(codes, [*labels, FREE_CITY_LABEL] if seats > players else labels),
        "rank": np.ascontiguousarray(rows["rank"]),
        "win_share": np.ascontiguousarray(rows["win_share"]),
        "total": np.ascontiguousarray(rows["total"]),
    }
    if brief:
        return pl.DataFrame(columns)
    points = np.ascontiguousarray(rows["points"].T)
    columns |= {name: points[i] for i, name in enumerate(w.POINTS_COLUMNS)}
    columns |= fact_columns(ROW_FACTS, rows)
    for number, slot in enumerate(slots_of(catalogue)):
        columns[f"{w.COUNTER}:{slot.label}"] = np.ascontiguousarray(rows["counter"][:, number])
    built = np.ascontiguousarray(rows["built"]).view(np.uint8)
    octets = np.ascontiguousarray(built.reshape(len(rows), 8 * w.CARD_WORDS).T)  # one bit per card
    columns |= {w.BUILT + card.name: (octets[i >> 3] & (1 << (i & 7))) != 0 for i, card in enumerate(catalogue.cards)}
    recruited = rows["recruited"]
    for number, recruit in enumerate(catalogue.deck_cards):
        columns[f"recruited:{recruit.name}"] = (recruited >> np.uint64(number) & np.uint64(1)) != 0
    return pl.DataFrame(columns)


def picks_frame(
    picks: NDArray[Any],
    catalogue: Catalogue,
    slot_card: NDArray[Any],
    *,
    overrules: bool = False,
    asks: bool = False,
) -> pl.DataFrame:
    """Build the picks table from kernel picks (layout.PICK): one row per decision, in the order of play.

    ``slot_card`` is RULES.slot_card, shape (ages, slots): the card number of each physical copy. Losses (R32) are not
    picks. ``overrules`` adds the columns of ``_wanted_columns``; ``asks`` adds the columns of ``_asked_columns``.
    """
    event = picks["event"]
    move = np.ascontiguousarray(event["move"])
    age = event["age"].astype(np.int64)
    names = [card.name for card in catalogue.cards]
    frame = pl.DataFrame(
        {
            "game": np.ascontiguousarray(picks["game"]),
            "seat": np.ascontiguousarray(event["seat"]),
            "age": (age + 1).astype(np.uint8),
            "turn": event["turn"] + np.uint8(1),
            "decision": _enum(event["decision"], w.DECISIONS if asks else w.DECISIONS[: w.LOSS]),
            "legal": np.ascontiguousarray(event["legal"]),
            **_move_columns(move, names, asks=asks),
            "bank": ((move >> np.uint64(BANK_AT)) & np.uint64(255)).astype(np.uint8),
            "left": (((move >> np.uint64(LEFT_AT)) & np.uint64(255)) * (event["decision"] != w.EFFECT)).astype(
                np.uint8
            ),
            "right": (((move >> np.uint64(RIGHT_AT)) & np.uint64(255)) * (event["decision"] != w.EFFECT)).astype(
                np.uint8
            ),
            "randomised": event["randomised"].astype(bool),
            "probability": np.ascontiguousarray(event["probability"]),
            "offered": _offered(np.ascontiguousarray(event["hand"]), age, slot_card, names),
            "ways": pl.Series(np.ascontiguousarray(event["ways"]), dtype=pl.Array(pl.UInt8, w.HAND)).arr.to_list(),
            **(_wanted_columns(event, names, asks) if overrules else {}),
            **(_asked_columns(event, move, names) if asks else {}),
        }
    )
    no_card = pl.col("action").is_in(["decline", "choose"] if asks else ["decline"])
    return frame.with_columns(
        card=pl.when(no_card).then(None).otherwise(pl.col("card")),
        how=pl.when(no_card | (pl.col("action") == "sell")).then(None).otherwise(pl.col("how")),
        ways=pl.col("ways").list.head(pl.col("offered").list.len()),  # one number per card offered
    )


def _move_columns(
    move: NDArray[np.uint64], names: Sequence[str], start: str = "", *, asks: bool = False
) -> dict[str, pl.Series]:
    """Return the columns card, action and how for an array of moves; ``start`` is a prefix of their names."""
    action = ((move >> np.uint64(ACTION_AT)) & np.uint64(15)).astype(np.int64)
    how = ((move >> np.uint64(HOW_AT)) & np.uint64(15)).astype(np.int64)
    card = (move & np.uint64(255)).astype(np.int64)
    card[action > w.SELL] = how[action > w.SELL] = 0
    return {
        f"{start}card": _enum(card, names),
        f"{start}action": _enum(action, w.ACTIONS if asks else w.ACTIONS[: w.PAY]),
        f"{start}how": _enum(how, w.WAYS),
    }


def _asked_columns(event: NDArray[Any], move: NDArray[np.uint64], names: Sequence[str]) -> dict[str, pl.Series]:
    """Return the columns that describe clause decisions (R72).

    They are the number of the card or stage, its clause, the option (0: declined), the number of seats to the left at
    which the clause's owner sits (R98), and the chosen city, card and amount.
    """
    asked = pl.Series(event["decision"] == w.EFFECT)
    chosen = (move >> np.uint64(ACTION_AT)) & np.uint64(15) == np.uint64(w.CHOOSE)
    option = np.where(chosen, ((move >> np.uint64(HOW_AT)) & np.uint64(15)) + np.uint64(1), np.uint64(0))
    clause = (move >> np.uint64(SLOT_AT)) & np.uint64(255)
    owner = (move >> np.uint64(OWNER_AT)) & np.uint64(7)
    columns = {"entry": move & np.uint64(255), "clause": clause, "option": option, "owner_left": owner}
    city = (move >> np.uint64(CITY_AT)) & np.uint64(15)
    none = pl.Series([None], dtype=pl.UInt8).new_from_index(0, len(asked))
    named = {name: pl.Series(values.astype(np.uint8)).zip_with(asked, none) for name, values in columns.items()}
    chose_city = pl.Series(asked.to_numpy() & (city > 0))
    picked = (move >> np.uint64(PICKED_AT)) & np.uint64(255)
    amount = (move >> np.uint64(AMOUNT_AT)) & np.uint64(255)
    chose_card = pl.Series(asked.to_numpy() & chosen & (picked > 0))
    card = _enum(np.maximum(picked, np.uint64(1)).astype(np.int64) - 1, names)
    no_card = pl.Series([None], dtype=card.dtype).new_from_index(0, len(asked))
    return {
        **named,
        "city": pl.Series((city - np.uint64(1)).astype(np.uint8)).zip_with(chose_city, none),
        "picked": card.zip_with(chose_card, no_card),
        "amount": pl.Series(amount.astype(np.uint8)).zip_with(pl.Series(asked.to_numpy() & (amount > 0)), none),
    }


def _wanted_columns(event: NDArray[Any], names: Sequence[str], asks: bool) -> dict[str, pl.Series]:
    """Return columns for the move that the policy wanted, the number of moves with other cards, and overruling.

    If there are no such moves (``others`` is 0), the policy could not be overruled, and the wanted move is null.
    """
    possible = pl.Series(event["others"] > 0)
    wanted = _move_columns(np.ascontiguousarray(event["wanted"]), names, "wanted_", asks=asks)
    none = {
        name: pl.Series([None], dtype=column.dtype).new_from_index(0, len(column)) for name, column in wanted.items()
    }
    return {
        **{name: column.zip_with(possible, none[name]) for name, column in wanted.items()},
        "others": pl.Series(np.ascontiguousarray(event["others"])),
        "overruled": pl.Series(event["overruled"] > 0),
    }


def _offered(
    hands: NDArray[np.uint64], age: NDArray[np.int64], slot_card: NDArray[Any], names: Sequence[str]
) -> pl.Series:
    """Return a list column with the names of the distinct cards in each hand."""
    octets = hands.view(np.uint8).reshape(len(hands), 8)
    bits = np.unpackbits(octets, axis=1, bitorder="little").astype(bool)
    pick, slot = np.nonzero(bits)
    card = slot_card[age[pick], slot].astype(np.int64)
    # copies of a card are in adjacent slots, so a repeated name follows its first copy in the same hand
    first = np.ones(len(card), bool)
    first[1:] = (card[1:] != card[:-1]) | (pick[1:] != pick[:-1])
    pick, card = pick[first], card[first]
    counts = np.bincount(pick, minlength=len(hands))
    flat = _enum(card, names).to_frame("card").with_columns(pl.Series("pick", pick))
    lists = flat.group_by("pick", maintain_order=True).agg("card")
    picks = pl.DataFrame({"pick": np.arange(len(hands))}).join(
        lists.with_columns(pl.col("pick").cast(pl.Int64)), on="pick", how="left", maintain_order="left"
    )
    empty = pl.lit([], dtype=pl.List(pl.Enum(list(names))))
    return picks.select(pl.when(pl.Series(counts == 0)).then(empty).otherwise(pl.col("card")).alias("offered"))[
        "offered"
    ]
