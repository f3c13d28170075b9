"""Boundaries of a group-sequential test: how large |z| must be at each look so that all looks together err rarely.

Lan and DeMets (1983): the error allowed, ``level``, is spent as information comes in, by a function of the share of the
budget used; looks need be neither equally far apart nor planned. The boundary of a look follows from the chance that a
Brownian motion which has stayed inside all earlier boundaries leaves this one, by the recursive integration of
Armitage, McPherson and Rowe (1969).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from wsim.errors import UserError, nearest
from wsim.stats.distributions import normal_cdf, normal_quantile
from wsim.stats.games import Floats
from wsim.stats.intervals import check_level

__all__ = ["SPENDING", "Boundaries"]

_POINTS = 801  # of the density; an odd number, for Simpson's rule
_NOTHING = 1e-12  # an error too small to be spent: the boundary is infinite


def _obrien_fleming(level: float, share: float) -> float:
    return 4 * (1 - float(normal_cdf(normal_quantile(1 - level / 4) / math.sqrt(share)))) if share > 0 else 0.0


def _pocock(level: float, share: float) -> float:
    return level * math.log(1 + (math.e - 1) * share)


SPENDING: Mapping[str, Callable[[float, float], float]] = {"obrien_fleming": _obrien_fleming, "pocock": _pocock}
"""Error spent, of ``level`` in all, when a share of the budget is used. O'Brien-Fleming spends little early, so that
the last look is almost an ordinary test; Pocock spends evenly and stops earlier when the effect is large."""


class Boundaries:
    """Two-sided boundaries, look by look."""

    def __init__(self, level: float = 0.05, spending: str = "obrien_fleming") -> None:
        check_level(level)
        if spending not in SPENDING:
            known = ", ".join(SPENDING)
            raise UserError(
                f"unknown spending function {spending!r}: it is one of {known}{nearest(spending, SPENDING)}"
            )
        self._spend = SPENDING[spending]
        self._level = level
        self._share = 0.0
        self._at = np.zeros(1)  # places of the Brownian motion before the next look, with ...
        self._mass = np.ones(1)  # ... density times Simpson weight, where it has not left a boundary
        self.spent = 0.0

    def next(self, share: float) -> float:
        """Return the boundary for |z| of the next look, at this share of the budget (more than at the look before)."""
        if not self._share < share <= 1:
            raise UserError(f"the share of the budget must grow from {self._share:g} to at most 1, not to {share!r}")
        step = math.sqrt(share - self._share)
        wanted = self._spend(self._level, share) - self.spent
        edge = self._edge(step, wanted)
        self.spent += wanted if math.isfinite(edge) else 0.0
        self._move(step, edge if math.isfinite(edge) else float(np.abs(self._at).max()) + 9 * step)
        self._share = share
        return edge / math.sqrt(share)

    def _edge(self, step: float, wanted: float) -> float:
        """Return the place beyond which the motion, one step on, has the chance ``wanted``."""
        if wanted < _NOTHING:
            return math.inf
        low, high = 0.0, float(np.abs(self._at).max()) + 9 * step
        while high - low > 1e-10:
            middle = (low + high) / 2
            low, high = (middle, high) if self._beyond(middle, step) > wanted else (low, middle)
        return (low + high) / 2

    def _beyond(self, edge: float, step: float) -> float:
        tails = normal_cdf((self._at - edge) / step) + normal_cdf((-self._at - edge) / step)
        return float(self._mass @ tails)

    def _move(self, step: float, edge: float) -> None:
        """Let the motion go one step and keep what stays inside the edge."""
        at = np.linspace(-edge, edge, _POINTS)
        density = np.zeros(_POINTS)
        for first in range(0, len(self._at), 64):
            part = slice(first, first + 64)
            distance = (at[:, None] - self._at[None, part]) / step
            density += np.exp(-(distance**2) / 2) @ self._mass[part]
        self._at = at
        self._mass = density / (step * math.sqrt(2 * math.pi)) * _simpson(at)


def _simpson(at: Floats) -> Floats:
    weights: Floats = np.full(len(at), 2.0)
    weights[1::2] = 4
    weights[[0, -1]] = 1
    return np.asarray(weights * (at[1] - at[0]) / 3)
