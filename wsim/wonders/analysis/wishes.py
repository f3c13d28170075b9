"""What a policy can want in 7 Wonders: cards (each, by a chain, from the discard pile), the next stage, a sale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wsim.lab.wishes import asks_worth
from wsim.stats.worth import Wanted, Wishes, WishReader, analysis_of
from wsim.wonders.kernels.layout import ACTION_AT, HOW_AT
from wsim.wonders.words import AGES, BUILD, CARD_WORDS, CARDS, CHAIN, DISCARD_PILE, STAGE, TURNS

if TYPE_CHECKING:
    from wsim.wonders.simulator import WondersSimulator

_BY_CHAIN, _FROM_PILE, _STAGE = CARDS, 2 * CARDS, 3 * CARDS
_SALE, _ANY_CHAIN = _STAGE + 1, _STAGE + 2
_ANY_CARD = "any card"
BY = (("age",), ("turn",), ("policy",), ("wonder",), ("wonder", "side"), ("side",), ("seat",))


def wanted(simulator: WondersSimulator) -> Wanted:
    """Return the items that can be wanted, indexed by card number; unused numbers have the name ""."""
    names = [card.name for card in simulator.catalogue.cards]
    names += [""] * (CARDS - len(names))
    cards = [(action, name) for action in ("build", "build by chain", "build from the pile") for name in names]
    return Wanted([*cards, ("stage", "next stage"), ("sell", _ANY_CARD), ("build by chain", _ANY_CARD)], BY)


def wishes(_: WondersSimulator, picks: NDArray[Any], first: int) -> Wishes:
    """Return the wishes in kernel picks; ``first`` is the number of the first game played."""
    event = picks["event"]
    open_ = (event["others"] > 0) & (event["decision"] <= DISCARD_PILE)
    picks, event = picks[open_], event[open_]
    move, from_pile = event["wanted"], event["decision"] == DISCARD_PILE
    card = (move & np.uint64(255)).astype(np.int64)
    action = ((move >> np.uint64(ACTION_AT)) & np.uint64(15)).astype(np.int64)
    builds, chained = action == BUILD, ((move >> np.uint64(HOW_AT)) & np.uint64(15)) == CHAIN
    by_chain = builds & chained & ~from_pile
    other = np.where(action == STAGE, _STAGE, _SALE)
    things = np.stack(
        [
            np.where(builds, card + np.where(from_pile, _FROM_PILE, 0), other),
            np.where(by_chain, card + _BY_CHAIN, -1),
            np.where(by_chain, _ANY_CHAIN, -1),
        ],
        axis=1,
    )
    return Wishes(
        game=(picks["game"] - np.uint64(first)).astype(np.int64),
        seat=event["seat"].astype(np.int64),
        things=things,
        overruled=event["overruled"] > 0,
        could=_could(event, from_pile),
        times={
            "age": (event["age"].astype(np.int64), [str(1 + age) for age in range(AGES)]),
            "turn": (event["turn"].astype(np.int64), [str(1 + turn) for turn in range(TURNS)]),
        },
    )


def _could(event: NDArray[Any], from_pile: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return the items that were possible at each decision, one bit per item."""
    cards, chained = event["could"][:, :CARD_WORDS], event["could"][:, CARD_WORDS:]
    turn, nothing = ~from_pile[:, None], np.uint64(0)
    rest = event["stages"].astype(np.uint64) | np.uint64(1 << (_SALE - _STAGE))
    rest |= chained.any(axis=1).astype(np.uint64) << np.uint64(_ANY_CHAIN - _STAGE)
    return np.concatenate(
        [
            np.where(turn, cards, nothing),
            np.where(turn, chained, nothing),
            np.where(turn, nothing, cards),
            np.where(turn, rest[:, None], nothing),
        ],
        axis=1,
    )


WISHES = WishReader(wanted, wishes)
WORTH = analysis_of(asks_worth)
