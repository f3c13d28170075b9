"""Kernels that user policies may call, from compiled code and from plain Python alike (``wsim.policy`` exports them).

A plain kernel is compiled into its callers and has no entrance for Python. Each helper here is a Python function that
numba knows by ``overload``: compiled policies get the kernel, plain Python gets the kernel's own source or, where
that calls other kernels, an entry compiled (and cached) at the first call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any

from wsim import rng
from wsim.jit import JIT, kernel, overload, types
from wsim.wonders.kernels import moves, turn
from wsim.wonders.kernels.layout import Private, Public, Rules
from wsim.wonders.policies import points

__all__ = [
    "action_of",
    "bank_of",
    "below",
    "card_of",
    "coins_of",
    "entry_change",
    "has_chain",
    "how_of",
    "left_of",
    "neighbor_left",
    "neighbor_right",
    "next_holder",
    "next_stage",
    "owns",
    "price_of",
    "right_of",
    "rivals_loss",
    "science_gain",
    "slot_of",
    "spends_of",
    "uniform",
    "war_points",
]

_I8, _F8 = types.int64, types.float64


def _helper(compiled: Any, signature: Any = None) -> Callable[..., Any]:
    """Return a kernel as a function for both worlds; ``signature`` where its source calls other kernels."""
    if not JIT:
        return compiled  # type: ignore[no-any-return]
    source = compiled.py_func

    @lru_cache(maxsize=1)
    def entry() -> Any:
        return source if signature is None else kernel(signature, package="wonders.policies")(source)

    @wraps(source)
    def helper(*values: Any) -> Any:
        return entry()(*values)

    overload(helper, jit_options={"error_model": "numpy"}, strict=False)(lambda *_values: source)
    return helper


@kernel
def _price_of(move):
    """Return all coins that a move costs: to the bank and to both neighbours."""
    return moves.bank_of(move) + moves.left_of(move) + moves.right_of(move)


card_of = _helper(moves.card_of)
action_of = _helper(moves.action_of)
how_of = _helper(moves.how_of)
bank_of = _helper(moves.bank_of)
left_of = _helper(moves.left_of)
right_of = _helper(moves.right_of)
slot_of = _helper(moves.slot_of)
spends_of = _helper(moves.spends_of)
price_of = _helper(_price_of, _I8(types.uint64))
owns = _helper(moves.owns)
has_chain = _helper(moves.has_chain)
below = _helper(rng.below, _I8(Private, _I8))
uniform = _helper(rng.uniform, _F8(Private))
neighbor_left = _helper(turn.neighbor_left)
neighbor_right = _helper(turn.neighbor_right)
next_stage = _helper(points.next_stage)
next_holder = _helper(points.next_holder, _I8(Public, Rules, _I8))
coins_of = _helper(points.coins_of, _I8(Public, Rules, _I8, _I8))
entry_change = _helper(points.entry_change, _F8(Public, Rules, _I8, _I8))
rivals_loss = _helper(points.rivals_loss, _F8(Public, Rules, _I8, _I8))
science_gain = _helper(points.science_gain, _I8(Public, _I8, _I8, _I8))
war_points = _helper(points.war_points, _I8(Public, Rules, _I8, _I8, _I8))
