"""The search: covariance matrix adaptation (CMA-ES), with an ask/tell interface.

Uses the package cmaes: Hansen's CMA-ES for few numbers, its separable variant (Ros and Hansen 2008) for many. The state
depends only on the seed and on the reported values, so an interrupted search is restored by reporting them again. This
also works on a different machine, because candidates are drawn with the symmetric root of the covariance. The package
itself draws along its principal axes, whose signs, and whose directions if lengths are equal, depend on the linear
algebra library of the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_FULL = 30  # up to this many numbers, the full covariance is adapted
SPREAD = 0.5  # spread of the first candidates around the start, in steps
MIN_CANDIDATES = 20  # minimum number of candidates by default: the outcomes of games are noisy
SEEDS = 1 << 32  # number of seeds of numpy's generator


def default_candidates(numbers: int) -> int:
    """Return the default number of candidates for a search over this many numbers."""
    return max(MIN_CANDIDATES, 4 + int(3 * np.log(numbers)))


class Climb:
    """A search in progress.

    Parameters
    ----------
    bounds: the bounds of every coordinate, shape (numbers, 2). candidates: the number of candidates per generation.
    seed: the seed of the random draws.
    """

    def __init__(self, bounds: NDArray[np.float64], candidates: int, seed: int) -> None:
        self._numbers = len(bounds)
        self._candidates = candidates
        idle = np.array([[-np.inf, np.inf]])  # a single number is searched together with a dummy
        limits = bounds if len(bounds) > 1 else np.concatenate([bounds, idle])
        made = _symmetric() if len(limits) <= MAX_FULL else cmaes().SepCMA
        self._search = made(
            mean=np.zeros(len(limits)), sigma=SPREAD, bounds=limits, seed=seed % SEEDS, population_size=candidates
        )
        self._points: list[NDArray[np.float64]] = []

    @property
    def mean(self) -> NDArray[np.float64]:
        """The current mean, around which candidates are drawn."""
        return np.array(self._search.mean[: self._numbers], float)

    @property
    def spread(self) -> float:
        """The current spread of the candidates, in steps."""
        return float(self._search._sigma)  # noqa: SLF001 (cmaes shows it nowhere else)

    def ask(self) -> list[NDArray[np.float64]]:
        """Return the candidates of the next generation."""
        self._points = [np.asarray(self._search.ask(), float) for _ in range(self._candidates)]
        return [point[: self._numbers] for point in self._points]

    def tell(self, values: Sequence[float]) -> None:
        """Report the values of the candidates from ``ask``; larger is better."""
        self._search.tell([(point, -value) for point, value in zip(self._points, values, strict=True)])


def cmaes() -> Any:
    """Import the package cmaes; if it is missing, raise UserError that names the extra to install."""
    try:
        import cmaes as package
    except ImportError as error:
        raise UserError('tuning needs cmaes, which is not installed: pip install "wsim[learn]"') from error
    return package


@cache
def _symmetric() -> Any:
    """Return a CMA-ES class that draws with the symmetric root of its covariance."""

    class Symmetric(cmaes().CMA):  # type: ignore[misc]
        def _sample_solution(self) -> Any:
            axes, lengths = self._eigen_decomposition()
            drawn = self._rng.randn(self._n_dim)
            return self._mean + self._sigma * ((axes * lengths) @ (axes.T @ drawn))

    return Symmetric
