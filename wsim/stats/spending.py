"""Boundaries of a group-sequential test: critical values of |z| at each look that bound the overall error rate.

Lan and DeMets (1983): the allowed error ``alpha`` is spent as information accumulates, by a function of the share of
the budget that has been used; looks need not be planned or equally spaced. The boundary of a look follows from the
probability that a Brownian motion that has stayed inside all earlier boundaries crosses this one, by the recursive
integration of Armitage, McPherson and Rowe (1969).

A part of the error can be held in reserve (``reserve``) for looks beyond the budget, when the same question is asked
again with a larger budget. It is spent as ``1 - 1 / share``, so however often that happens, the overall error rate is
at most ``alpha``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from wsim.errors import UserError
from wsim.options import error_rate, spending_function
from wsim.stats.distributions import normal_cdf, normal_quantile
from wsim.stats.games import Floats

_POINTS = 801  # grid points of the density; an odd number, for Simpson's rule
_NOTHING = 1e-12  # an error too small to spend: the boundary is infinite


def _obrien_fleming(alpha: float, share: float) -> float:
    return 4 * (1 - float(normal_cdf(normal_quantile(1 - alpha / 4) / math.sqrt(share)))) if share > 0 else 0.0


def _pocock(alpha: float, share: float) -> float:
    return alpha * math.log(1 + (math.e - 1) * share)


SPENDING: Mapping[str, Callable[[float, float], float]] = {"obrien_fleming": _obrien_fleming, "pocock": _pocock}
"""Functions for the part of ``alpha`` that is spent when a share of the budget has been used. O'Brien-Fleming spends
little early, so that the last look is almost an ordinary test; Pocock spends evenly and stops earlier when the effect
is large.
"""


class Boundaries:
    """Two-sided boundaries, computed look by look; ``reserve``: the part of alpha for looks beyond the budget."""

    def __init__(self, alpha: float = 0.05, spending: str = "obrien_fleming", reserve: float = 0.0) -> None:
        error_rate("alpha", alpha)
        spending_function("spending", spending)
        self._how = (alpha, spending, reserve)
        self._shares: tuple[float, ...] = ()

    @property
    def spent(self) -> float:
        """The part of alpha spent so far."""
        return _motion(self._how, self._shares).spent

    def next(self, share: float) -> float:
        """Return the boundary for |z| at the next look, at this share of the budget (larger than the previous one)."""
        last = self._shares[-1] if self._shares else 0.0
        most = 1.0 if not self._how[2] else math.inf
        if not last < share <= most:
            raise UserError(f"the share of the budget must grow from {last:g} to at most {most:g}, not to {share!r}")
        self._shares = (*self._shares, float(share))
        return _motion(self._how, self._shares).edge / math.sqrt(share)


def _spent(alpha: float, spending: str, reserve: float, share: float) -> float:
    """Return the part of alpha that is spent once this share of the budget has been used."""
    return SPENDING[spending](alpha * (1 - reserve), share) if share <= 1 else alpha * (1 - reserve / share)


@dataclass(frozen=True)
class _Motion:
    """The distribution, at one look, of a Brownian motion that has not yet crossed a boundary.

    Attributes
    ----------
    edge: the boundary of this look, on the scale of the motion. at, mass: grid points, and the density at these points
        times the weights of Simpson's rule. spent: the probability that the motion has crossed a boundary.
    """

    edge: float
    at: Floats
    mass: Floats
    spent: float


@lru_cache(maxsize=1024)  # tests of several variants have looks at the same shares of their budgets
def _motion(how: tuple[float, str, float], shares: tuple[float, ...]) -> _Motion:
    if not shares:
        return _Motion(0.0, np.zeros(1), np.ones(1), 0.0)
    before = _motion(how, shares[:-1])
    step = math.sqrt(shares[-1] - (shares[-2] if len(shares) > 1 else 0.0))
    wanted = _spent(*how, shares[-1]) - before.spent
    reach = float(np.abs(before.at).max()) + 9 * step  # the farthest point with noticeable density
    edge = _edge(before, step, wanted, reach) if wanted >= _NOTHING else math.inf
    at = np.linspace(-min(edge, reach), min(edge, reach), _POINTS)
    density = np.zeros(_POINTS)
    for first in range(0, len(before.at), 64):
        part = slice(first, first + 64)
        distance = (at[:, None] - before.at[None, part]) / step
        density += np.exp(-(distance**2) / 2) @ before.mass[part]
    mass = density / (step * math.sqrt(2 * math.pi)) * _simpson(at)
    return _Motion(edge, at, mass, before.spent + (wanted if math.isfinite(edge) else 0.0))


def _edge(before: _Motion, step: float, wanted: float, reach: float) -> float:
    """Return the point that the motion exceeds after one more step with probability ``wanted``."""
    low, high = 0.0, reach
    while high - low > 1e-10:
        middle = (low + high) / 2
        tails = normal_cdf((before.at - middle) / step) + normal_cdf((-before.at - middle) / step)
        low, high = (middle, high) if float(before.mass @ tails) > wanted else (low, middle)
    return (low + high) / 2


def _simpson(at: Floats) -> Floats:
    weights: Floats = np.full(len(at), 2.0)
    weights[1::2] = 4
    weights[[0, -1]] = 1
    return np.asarray(weights * (at[1] - at[0]) / 3)
