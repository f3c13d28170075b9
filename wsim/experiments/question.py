"""The question of a comparison: what decides it, whose outcomes count, when the test looks."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError, refuse_other_types
from wsim.stats.sequential import SequentialTest, check_margin
from wsim.stats.spending import check_spending

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.experiments.metrics import Metric

__all__ = ["FIRST_LOOK", "Question"]

LOOKS = 8  # at budget / 128, / 64, ..., budget
FIRST_LOOK = 1000  # deals of the first look: the normal distribution needs some, and they take a second


@dataclass(frozen=True)
class Question:
    """How a comparison is decided.

    Attributes
    ----------
    metric: the quantity that decides (``wsim.experiments.metrics``).
    seat: the seat whose outcomes count; None for all, or for those that a restriction concerns.
    budget: deals at most, each played in every arm.
    alpha: the chance of calling some variant different when none is; shared out equally among variants.
    margin: effects smaller than this do not matter: playing also ends when all are known to be smaller.
    spending: how alpha is used up: pocock (large effects stop early) or obrien_fleming (short last interval).
    """

    metric: str = "score"
    seat: int | None = None
    budget: int = 100_000
    alpha: float = 0.05
    margin: float | None = None
    spending: str = "pocock"

    def __post_init__(self) -> None:
        refuse_other_types(str, metric=self.metric, spending=self.spending)
        refuse_other_types(int, seat=self.seat)
        refuse_other_types(float, alpha=self.alpha, margin=self.margin)
        if type(self.budget) is not int or self.budget < 2:
            raise UserError(f"the budget must be a whole number of games, at least 2, not {self.budget!r}")
        check_spending(self.alpha, self.spending)
        check_margin(self.margin)

    def looks(self) -> list[int]:
        """Return after how many deals the test looks."""
        planned = {math.ceil(self.budget / 2**halvings) for halvings in range(LOOKS)}
        return sorted(look for look in planned if look >= min(FIRST_LOOK, self.budget))

    def test(self, variants: int) -> SequentialTest:
        """Return the test of so many variants, whose verdicts hold together."""
        return SequentialTest(self.budget, alpha=self.alpha / variants, margin=self.margin, spending=self.spending)

    def concerned(self, players: int, seats: int) -> NDArray[np.bool_]:
        """Return for each row of a game whether it counts; raise UserError for a seat that no player has."""
        if self.seat is None:
            return np.ones(seats, bool)
        if not 0 <= self.seat < players:
            raise UserError(f"the seat must be from 0 to {players - 1}, not {self.seat}")
        concerned: NDArray[np.bool_] = np.arange(seats) == self.seat
        return concerned

    def estimand(self, metric: Metric, *, restricted: bool) -> str:
        """Say in one sentence what the effect on a metric is; ``restricted``: the variants restrict a seat."""
        contrast = "variant less baseline, on the same deals and seats"
        whose = "of all seats" if self.seat is None else f"of seat {self.seat}"
        if restricted:
            contrast = "restricted less free, on the same deals"
            if self.seat is None:
                whose, contrast = "of the restricted seat", f"{contrast}, each seat of a deal in turn"
        quantity = metric.estimand(whose)
        return f"{quantity[0].upper()}{quantity[1:]}: {contrast}."

    def record(self) -> dict[str, Any]:
        """Return the question as a JSON object."""
        return asdict(self)
