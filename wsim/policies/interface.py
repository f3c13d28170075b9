"""How the engine of a game calls a policy: one signature, and the decisions made before the policy is called.

The engine calls the *entry point* of a policy: a compiled function of the game's signature. It goes through the game's
routine, the small kernels that settle what most policies do alike (such as paying a loss, or the random picks of
``explore``), and asks the policy for the rest. All of it is compiled into the entry point: the routine costs no call.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.jit import (
    JIT,
    Bound,
    address_of,
    call_back,
    entry_point,
    in_copies,
    kernel,
    njit,
    numpy_signature,
    types,
    valuing_copies,
)
from wsim.kernels.heads import TAKEN_BACK as TAKEN_BACK
from wsim.kernels.side_by_side import LATER
from wsim.rng import below, uniform

if TYPE_CHECKING:
    from wsim.policies.nets import NetSpec
    from wsim.policies.weights import WeightSets

EXPLORE = "explore"
"""The part of every game's routine that users' policies get, too."""
MAX_WORTH, NEVER = 1e6, -1e9  # bound of a user's values of moves; value of a move without one


def exploring(parameters: int) -> Any:
    """Return the part ``explore`` of a routine, of policies with so many parameters: of any decision, if it is set."""
    last = parameters - 1

    @kernel
    def explore(public: Any, own: Any, choice: Any, rules: Any) -> Any:  # noqa: ARG001
        """With the chance ``explore``, make a uniformly random move; draw from the seat's stream only if it is set."""
        chance = own.parameters[last]
        if chance > 0.0 and uniform(own) < chance:
            return below(own, choice.count)
        return -1

    return explore


@dataclass(frozen=True, eq=False)
class Interface:
    """How a game calls its policies; made once a process.

    Attributes
    ----------
    home: the package of its policies' kernels, such as "wsim.wonders.policies".
    signature: the numba signature ``int64(Public, Private, Choice, Rules, Settings)``.
    records: the dtypes of the first four records; the second has ``rng``, ``memory`` and ``parameters``.
    seats: how many policies the engine takes.
    routine: name -> kernel ``(public, own, choice, rules)`` that returns the index of a move, or -1 where the policy is
        to be asked; gone through in this order. One is called "explore".
    weights: the weights of the policy ``weighted`` and their named sets.
    nets: the nets of the policy ``net``, where the game has one.
    searcher: the numba signature ``int64(Game, Rules, Seating, LINE_UP, int64)`` of policies that search, if any do.
    """

    home: str
    signature: Any
    records: tuple[Any, Any, Any, Any]
    seats: int
    routine: Mapping[str, Any]
    weights: WeightSets
    nets: NetSpec | None = None
    searcher: Any = None
    _entry_points: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def registered(self, function: str, settled: tuple[str, ...] | None = None) -> Any:
        """Return the entry point of "module:function" of the game's home, compiled at first use and kept on disk.

        ``settled`` names the parts of the routine that come before it; None means all of them.
        """
        parts = tuple(self.routine) if settled is None else settled
        name = "_".join((*function.split(":"), "after", *parts))
        if name not in self._entry_points:
            compiled = kernel(self.signature, package=self.home.removeprefix("wsim."))
            self._entry_points[name] = compiled(entry_point(_policy, self._after(parts, self._kernel(function)), name))
        return self._entry_points[name]

    def searching(self, function: str) -> Any:
        """Return the entry point of a policy that searches, "module:function"; it explores before it thinks."""
        name = "_".join((*function.split(":"), "after", EXPLORE))
        if name not in self._entry_points:
            think = _unless_exploring(self._kernel(function), self.routine[EXPLORE])
            compiled = kernel(self.searcher, package=self.home.removeprefix("wsim."))
            self._entry_points[name] = compiled(entry_point(_searcher, think, name))
        return self._entry_points[name]

    def _kernel(self, function: str) -> Any:
        module, _, attribute = function.partition(":")
        return getattr(import_module(f"{self.home}.{module}"), attribute)

    def explored(self, policy: Any) -> Any:
        """Return the entry point of a user's policy, which explores and settles nothing else. Not kept.

        The policy is a kernel of the first four records (it has no settings), and gets copies of them.
        """
        options = {"nogil": True, "error_model": "numpy"}
        return njit(numpy_signature(self.signature), **options)(
            entry_point(
                _policy,
                self._after((EXPLORE,), _without_settings(in_copies(policy, self.records, TAKEN_BACK))),
                "explored",
            )
        )

    def uncopied(self, policy: Any) -> Any:
        """Return the entry point of a user's policy that gets the records themselves and settles nothing. Not kept."""
        options = {"nogil": True, "error_model": "numpy"}
        return njit(numpy_signature(self.signature), **options)(
            entry_point(_policy, _without_settings(policy), "uncopied")
        )

    @property
    def later(self) -> Any:
        """The entry point of policies that decide later: it explores, or returns ``LATER``. Kept on disk."""
        name = "decides_later"
        if name not in self._entry_points:
            compiled = kernel(self.signature, package=self.home.removeprefix("wsim."))
            decide = _unless(_later, self.routine[EXPLORE])
            self._entry_points[name] = compiled(entry_point(_policy, decide, name))
        return self._entry_points[name]

    def calling_back(self, callback: Any) -> Any:
        """Return the entry point of a policy in plain Python by its C callback; it explores and settles nothing else.

        The callback takes the addresses of the first four records, of which it may write ``TAKEN_BACK``, and returns
        the index of a move. What calls it is compiled once for all of them, and kept on disk.
        """
        settings = numpy_signature(self.signature).args[4]
        return self._bound("policy_called_back", _asking_back(self.routine[EXPLORE]), settings, callback)

    def valuing_back(self, callback: Any) -> Any:
        """Return what ``valuing`` does, of a C callback of an index and the addresses of four records."""
        return self._bound("values_called_back", _filling(_value_of), self._lookahead, callback)

    def _bound(self, name: str, inner: Any, last: Any, callback: Any) -> Any:
        """Return the entry point ``name``, whose fifth argument has the type ``last``, bound to a C callback."""
        if name not in self._entry_points:
            signature = types.int64(*numpy_signature(self.signature).args[:4], last, types.uint64)
            compiled = kernel(signature, package=self.home.removeprefix("wsim."))
            self._entry_points[name] = compiled(entry_point(_called_back, inner, name))
        return Bound(self._entry_points[name], ctypes.cast(callback, ctypes.c_void_p).value or 0, callback)

    @property
    def _lookahead(self) -> Any:
        """The type of what a searcher has its moves valued in; UserError in a game in which nobody searches."""
        if self.searcher is None:
            raise UserError("no policy of this game searches, so values of moves cannot be used")
        return numpy_signature(self.searcher).args[0].fields["lookahead"].type if JIT else None

    def valuing(self, values: Any) -> Any:
        """Return the kernel with which a searcher has its moves valued by a user's function. Not kept.

        The function is a kernel of the first four records and an index, returns a float, and gets copies. The result
        is -1 where it failed, which an infinite value marks; non-numbers are not tried. Raises UserError
        in a game in which nobody searches.
        """
        lookahead, asked = self._lookahead, valuing_copies(values, self.records)

        @kernel
        def worth_of(public: Any, own: Any, choice: Any, rules: Any, index: Any, _: Any) -> Any:
            return asked(public, own, choice, rules, index)

        fill = _filling(worth_of)

        def filled(public: Any, own: Any, choice: Any, rules: Any, lookahead: Any) -> Any:
            return fill(public, own, choice, rules, lookahead, 0)

        if not JIT:
            return filled
        signature = types.int64(*numpy_signature(self.signature).args[:4], lookahead)
        return njit(signature, nogil=True, error_model="numpy")(filled)

    def _after(self, parts: tuple[str, ...], policy: Any) -> Any:
        """Return the kernel that calls a policy for decisions that these parts of the routine do not settle."""
        return reduce(_unless, [self.routine[part] for part in reversed(parts)], policy)


@kernel
def _later(public: Any, own: Any, choice: Any, rules: Any, settings: Any) -> Any:  # noqa: ARG001
    """Leave the decision to another process (``wsim.kernels.side_by_side``)."""
    return LATER


def _asking_back(explore: Any) -> Any:
    """Return the kernel that calls a policy in plain Python where ``explore`` returns -1."""

    @kernel
    def asking_back(public: Any, own: Any, choice: Any, rules: Any, settings: Any, callback: Any) -> Any:  # noqa: ARG001
        index = explore(public, own, choice, rules)
        if index >= 0:
            return index
        words = address_of(public), address_of(own), address_of(choice), address_of(rules)
        return call_back(types.int64, callback, words)

    return asking_back


@kernel
def _value_of(public: Any, own: Any, choice: Any, rules: Any, index: Any, callback: Any) -> Any:
    """The value that a function in plain Python gives a move."""
    words = np.uint64(index), address_of(public), address_of(own), address_of(choice), address_of(rules)
    return call_back(types.float64, callback, words)


def _filling(worth_of: Any) -> Any:
    """Return the kernel that fills in the value of each move: ``worth_of`` of the records, an index and a callback."""

    @kernel
    def filling(public: Any, own: Any, choice: Any, rules: Any, lookahead: Any, callback: Any) -> Any:
        for index in range(choice.count):
            worth = worth_of(public, own, choice, rules, index, callback)
            if worth == math.inf:
                return -1
            lookahead.values[index] = worth if -MAX_WORTH < worth < MAX_WORTH else NEVER
        return 0

    return filling


def _unless(policy: Any, settle: Any) -> Any:
    """Return the kernel that asks ``policy`` where ``settle`` returns -1."""

    @kernel
    def settled(public: Any, own: Any, choice: Any, rules: Any, settings: Any) -> Any:
        index = settle(public, own, choice, rules)
        if index >= 0:
            return index
        return policy(public, own, choice, rules, settings)

    return settled


def _unless_exploring(think: Any, explore: Any) -> Any:
    @kernel
    def explored(game: Any, rules: Any, seating: Any, line_up: Any, seat: Any) -> Any:
        index = explore(game.public, game.own[seat], game.choice, rules)
        if index >= 0:
            return index
        return think(game, rules, seating, line_up, seat)

    return explored


def _without_settings(policy: Any) -> Any:
    """Return the kernel that asks a policy of four records."""

    @kernel
    def unset(public: Any, own: Any, choice: Any, rules: Any, settings: Any) -> Any:  # noqa: ARG001
        return policy(public, own, choice, rules)

    return unset


inner: Any = None  # what ``entry_point`` puts there


def _policy(public: Any, own: Any, choice: Any, rules: Any, settings: Any) -> Any:
    return inner(public, own, choice, rules, settings)


def _searcher(game: Any, rules: Any, seating: Any, line_up: Any, seat: Any) -> Any:
    return inner(game, rules, seating, line_up, seat)


def _called_back(public: Any, own: Any, choice: Any, rules: Any, last: Any, callback: Any) -> Any:
    return inner(public, own, choice, rules, last, callback)
