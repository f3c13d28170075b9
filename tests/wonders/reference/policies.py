"""Policies of the twin: a function of a view (and the seat's random stream) that returns the index of a move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.wonders.reference.rng import Stream
    from tests.wonders.reference.table import City, Move


@dataclass(frozen=True)
class View:
    """A policy's view at a decision (R49). ``cities`` are the live objects and must not be modified."""

    kind: str  # turn, free_city, last_card, discard_pile, loss, effect
    decider: int  # the seat that decides
    seat: int  # the seat whose city acts: the decider's own, or the Free City
    age: int
    turn: int
    hand: tuple[str, ...]  # names, alphabetical; empty for discard_pile, loss and effect
    moves: Sequence[Move]
    cities: Sequence[City]
    discarded: int  # cards on the discard pile


Policy = str | Callable[[View], int]


def random_index(view: View, stream: Stream) -> int:
    """Choose uniformly among the legal moves; pay losses as far as possible, without a random draw (R51)."""
    return 0 if view.kind == "loss" else stream.below(len(view.moves))


BUILT_IN: dict[str, Callable[[View, Stream], int]] = {"random": random_index}


def label(policy: Policy) -> str:
    """Return the name of a policy in the trace."""
    return policy if isinstance(policy, str) else str(getattr(policy, "__name__", "policy"))
