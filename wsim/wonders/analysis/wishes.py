"""Items that a policy can want in 7 Wonders: each card (built, by chain, from the discard pile), a stage, a sale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wsim.lab.wishes import asks_worth
from wsim.stats.shared import worth_analysis
from wsim.stats.worth import Wanted, Wishes, WishReader
from wsim.wonders.frames import seats_frame
from wsim.wonders.kernels.layout import ACTION_AT, HOW_AT
from wsim.wonders.words import AGES, BUILD, CARD_WORDS, CARDS, CHAIN, DISCARD_PILE, STAGE, TURNS

if TYPE_CHECKING:
    import polars as pl

    from wsim.wonders.simulator import WondersSimulator

_BY_CHAIN, _FROM_PILE, _STAGE = CARDS, 2 * CARDS, 3 * CARDS
_SALE, _ANY_CHAIN = _STAGE + 1, _STAGE + 2
_ANY_CARD = "any card"
BY = (("age",), ("turn",), ("policy",), ("wonder",), ("wonder", "side"), ("side",), ("seat",))


def wanted(simulator: WondersSimulator) -> Wanted:
    """List the items that a policy can want, with cards indexed by number; unused numbers have the name ""."""
    names = [card.name for card in simulator.catalogue.cards]
    names += [""] * (CARDS - len(names))
    cards = [(action, name) for action in ("build", "build by chain", "build from the pile") for name in names]
    return Wanted([*cards, ("stage", "next stage"), ("sell", _ANY_CARD), ("build by chain", _ANY_CARD)], BY)


def wishes(simulator: WondersSimulator, picks: NDArray[Any], first: int) -> Wishes:
    """Extract the policies' wishes from kernel picks; ``first`` is the number of the first game played.

    The Free City of two-player games does not compete, so no item is worth anything to it.
    """
    event = picks["event"]
    competes = event["seat"] < simulator.plan.players
    asked = np.flatnonzero((event["others"] > 0) & (event["decision"] <= DISCARD_PILE) & competes)
    move, from_pile = event["wanted"][asked], event["decision"][asked] == DISCARD_PILE
    card = (move & np.uint64(255)).astype(np.int64)
    action = (move >> np.uint64(ACTION_AT)) & np.uint64(15)
    builds = action == BUILD
    by_chain = builds & ~from_pile & (((move >> np.uint64(HOW_AT)) & np.uint64(15)) == CHAIN)
    things = np.full((len(asked), 3), -1, np.int64)
    things[:, 0] = np.where(builds, card + _FROM_PILE * from_pile, np.where(action == STAGE, _STAGE, _SALE))
    things[by_chain, 1] = card[by_chain] + _BY_CHAIN
    things[by_chain, 2] = _ANY_CHAIN
    return Wishes(
        game=picks["game"][asked].astype(np.int64) - first,
        seat=event["seat"][asked].astype(np.int64),
        things=things,
        overruled=event["overruled"][asked] > 0,
        could=_available_items(event, asked, from_pile),
        times={
            "age": (event["age"][asked].astype(np.int64), [str(1 + age) for age in range(AGES)]),
            "turn": (event["turn"][asked].astype(np.int64), [str(1 + turn) for turn in range(TURNS)]),
        },
    )


def _available_items(event: NDArray[Any], asked: NDArray[np.int64], from_pile: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return a bit set of the available items for each of the ``asked`` decisions."""
    could = np.zeros((len(asked), 3 * CARD_WORDS + 1), np.uint64)
    could[:, : 2 * CARD_WORDS] = event["could"][asked]
    could[:, -1] = event["stages"][asked].astype(np.uint64) | np.uint64(1 << (_SALE - _STAGE))
    could[:, -1] |= could[:, CARD_WORDS : 2 * CARD_WORDS].any(axis=1).astype(np.uint64) << np.uint64(
        _ANY_CHAIN - _STAGE
    )
    pile = np.flatnonzero(from_pile)
    could[pile, 2 * CARD_WORDS : -1] = could[pile, :CARD_WORDS]
    could[pile, : 2 * CARD_WORDS] = could[pile, -1:] = 0
    return could


def seats(simulator: WondersSimulator, rows: NDArray[Any]) -> pl.DataFrame:
    """Build a seats table with outcomes and splits only: building all columns would take longer than the sums."""
    return seats_frame(rows, simulator.catalogue, simulator.labels, simulator.plan.players, simulator.seats, brief=True)


WISHES = WishReader(wanted, wishes, seats)
WORTH = worth_analysis(asks_worth)
