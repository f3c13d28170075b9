"""Items that a policy can want in Tower of Babel: to build with a disc or on a wonder, to play a card, to pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wsim.babel import words as w
from wsim.lab.wishes import asks_worth
from wsim.stats.shared import worth_analysis
from wsim.stats.worth import Wanted, Wishes, WishReader

if TYPE_CHECKING:
    from wsim.babel.simulator import BabelSimulator

_ON_WONDER = w.SLOTS
_CARDS = _ON_WONDER + w.WONDERS
_PASS = _CARDS + len(w.ACTION_CARDS)
_WIDE = 2  # WISH.overruled if the whole wonder was struck
_WHOLE_CARDS = 0xFFFF  # in a move that completes a build: the cards that Jokers replace


def wanted(simulator: BabelSimulator) -> Wanted:
    """List the possible wishes: discs by number, wonders, action cards, passing."""
    discs = [("build with", str(disc)) for disc in simulator.catalogue.discs]
    discs += [("", "")] * (w.SLOTS - len(discs))
    wonders = [("build on", name) for name in simulator.catalogue.wonders]
    cards = [("play", name) for name in w.ACTION_CARDS]
    return Wanted([*discs, *wonders, *cards, ("pass", "the turn")], (("policy",), ("seat",)))


def wishes(simulator: BabelSimulator, picks: NDArray[Any], first: int) -> Wishes:
    """Extract the policies' wishes from kernel picks; ``first`` is the number of the first game played.

    An overruled build was denied either its disc or the whole wonder, and counts as a wish for the denied item only. A
    build that was not overruled counts as two wishes: to build with the disc, and to build on the wonder.
    """
    event = picks["event"]
    asked = (event["others"] > 0) | ((event["could"] > 0) & (_cards(event) < 0) & (event["what"] != w.TURN))
    picks, event = picks[asked], event[asked]
    turn, move = event["what"] == w.TURN, event["wanted"].astype(np.int64)
    builds, wide, overruled = turn & (move > 0), event["overruled"] == _WIDE, event["overruled"] > 0
    names = [str(disc) for disc in simulator.catalogue.discs]
    number = np.array([names.index(name) for name in names], np.int64)
    disc = number[np.clip(picks["wanted_disc"].astype(np.int64), 0, None)]
    card = _cards(event)
    alone = np.where(turn, _PASS, np.where(card < 0, -1, _CARDS + card))
    things = np.stack(
        [
            np.where(builds, np.where(wide, -1, disc), alone),
            np.where(builds & (wide | ~overruled), _ON_WONDER + (move - 1) // w.SPACES, -1),
        ],
        axis=1,
    )
    could = np.where(turn, _available_items(picks, number, wide, overruled), picks["could"] << np.uint64(_CARDS))
    return Wishes(
        game=(picks["game"] - np.uint64(first)).astype(np.int64),
        seat=event["seat"].astype(np.int64),
        things=things,
        overruled=overruled,
        could=could.astype(np.uint64)[:, None],
        times={},
    )


def _cards(event: NDArray[Any]) -> NDArray[np.int64]:
    what, move = event["what"], event["wanted"].astype(np.int64)
    card = np.where(what == w.PLAY_CARD, move - 1, -1)
    card = np.where((what == w.TRIPLE) & (move > 0), w.TRIPLE_BONUS, card)
    card = np.where((what == w.DOUBLE) & (move > 0), w.DOUBLE_TURN, card)
    return np.where((what == w.COMPLETE) & (move & _WHOLE_CARDS > 0), w.JOKER, card)


def _available_items(
    picks: NDArray[Any], number: NDArray[np.int64], wide: NDArray[np.bool_], overruled: NDArray[np.bool_]
) -> NDArray[np.uint64]:
    """Return a bit set of the available items for each turn; an overruled turn counts for one kind of item only."""
    none, bit = np.uint64(0), np.uint64(1)
    discs = np.zeros(len(picks), np.uint64)
    for disc, first in enumerate(number):
        discs |= ((picks["could"] >> np.uint64(disc)) & bit) << np.uint64(first)
    wonders = np.zeros(len(picks), np.uint64)
    for wonder in range(w.WONDERS):
        spaces_left = (picks["spaces"] >> np.uint64(w.SPACES * wonder)) & np.uint64((1 << w.SPACES) - 1)
        wonders |= (spaces_left > 0).astype(np.uint64) << np.uint64(_ON_WONDER + wonder)
    narrow = overruled & ~wide
    return np.where(wide, none, discs) | np.where(narrow, none, wonders) | (bit << np.uint64(_PASS))


WISHES = WishReader(wanted, wishes)
WORTH = worth_analysis(asks_worth)
