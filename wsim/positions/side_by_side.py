"""Play many games with isolated policies side by side: a policy makes all decisions that wait for it in one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.jit import addresses_of
from wsim.kernels.side_by_side import PROGRESS, UNUSED
from wsim.policies.isolation import SLOTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.kernels.side_by_side import SideBySide
    from wsim.policies.isolation import Isolated
    from wsim.policies.registry import LineUp


@dataclass(frozen=True)
class IsolatedPolicies:
    """The isolated policies of a line-up.

    Attributes
    ----------
    policies: the isolated policies, without duplicates.
    later: for each entry of the line-up, the index of its isolated policy, or -1.
    addresses: addresses of the entry points; for isolated policies, the entry point that postpones the decision.
    """

    policies: tuple[Isolated, ...]
    later: NDArray[np.int64]
    addresses: NDArray[np.uint64]

    @classmethod
    def of(cls, line_up: LineUp, addresses: NDArray[np.uint64]) -> IsolatedPolicies | None:
        """Return the isolated policies that pick moves (not those that value moves for a search); None if there are
        none.
        """
        by_call = {
            id(plugged.call): plugged.isolated
            for plugged in line_up.plugged.values()
            if plugged.isolated is not None and not plugged.declaration.values
        }
        entries = [by_call.get(id(function)) for function in line_up.functions]
        policies = tuple(dict.fromkeys(policy for policy in entries if policy is not None))
        if not policies:
            return None
        later = np.array([-1 if policy is None else policies.index(policy) for policy in entries])
        changed = addresses.copy()
        changed[: len(later)][later >= 0] = addresses_of([policies[0].interface.later])[0]
        return cls(policies, later, changed)


class _Current:
    """The last answer of a policy in the game that is being played, for ``LineUp.answering``."""

    def __init__(self, games: NDArray[Any], progress: NDArray[Any]) -> None:
        self._answers, self._progress = games["answer"], progress

    def __getitem__(self, name: str) -> Any:
        if name == "asked":
            return self._answers["asked"].sum()
        return self._answers[name][int(self._progress["current"][0])]


def play_side_by_side(
    simulator: Any, first: int, rows: NDArray[Any], picks: NDArray[Any] | None, recording: int, orders: Any = None
) -> int:
    """Play games numbered from ``first`` and fill rows and picks; return the number of picks written.

    ``simulator``: a ``KernelSimulator`` with isolated policies. ``orders``: as for ``play_seated``.
    """
    kernels, isolated, line_up = simulator.side_by_side, simulator.isolated_policies, simulator.line_up
    count = len(rows) // simulator.seats
    games = np.zeros(min(count, SLOTS), simulator.game_dtype)
    waiting, progress = np.zeros(len(games), kernels.waiting), np.zeros(1, PROGRESS)
    waiting["place"] = UNUSED
    written, answer = np.zeros(count, np.int64), _Current(games, progress)
    room = np.zeros(0, simulator.pick_dtype) if picks is None else picks
    orders = np.zeros((0, 0), np.int64) if orders is None else np.ascontiguousarray(orders, np.int64)
    arguments = (
        *(games, simulator.rules, simulator.seating, isolated.addresses, waiting, progress, isolated.later),
        *(orders, first, rows, room, written, recording),
    )
    while True:
        with np.errstate(over="ignore"), line_up.answering(answer, numbered=True):
            waits = int(kernels.play_on(*arguments))
        if waits < 0:
            line_up.raise_wrong(answer, numbered=True)
        if waits == 0:
            return _close_gaps(room, written) if recording else 0
        for number, policy in enumerate(isolated.policies):
            _decide(kernels, policy, number, isolated.later, games, waiting, simulator.rules, first)


def _decide(
    kernels: SideBySide, policy: Isolated, number: int, later: NDArray[np.int64], games: Any, waiting: Any, rules: Any,
    first: int,
) -> None:  # fmt: skip
    """Let a policy make all decisions that are waiting for it, as one batch."""
    games_asked = np.zeros(len(waiting), np.int64)
    with policy.channel() as channel:
        slots = channel.slots
        count = int(kernels.hand_over(games, waiting, later, number, *channel.octets, channel.used, games_asked))
        if count == 0:
            return
        if channel.rules is not rules:
            slots.records[3][0] = rules
            channel.rules = rules
        waits = waiting[games_asked[:count]]
        indices = policy.decide(channel, waits["count"], _Places(first, waits))
        kernels.take_answers(games, waiting, slots.records[1], indices, games_asked, count)


class _Places(Sequence[str]):
    """Descriptions of the games and seats of decisions, for error messages; composed on demand."""

    def __init__(self, first: int, waits: NDArray[Any]) -> None:
        self._first, self._waits = first, waits

    def __len__(self) -> int:
        return len(self._waits)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        wait = self._waits[index]
        return f"in game {self._first + int(wait['place'])}, seat {int(wait['seat'])}"


def _close_gaps(picks: NDArray[Any], written: NDArray[np.int64]) -> int:
    """Remove the gaps between the picks of successive games, in place; return the number of picks."""
    share, end = len(picks) // len(written), 0
    for place, count in enumerate(written.tolist()):
        start = place * share
        picks[end : end + count] = picks[start : start + count].copy()
        end += count
    return end
