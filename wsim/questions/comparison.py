"""The options that determine how a comparison is decided: metric, seats, budget, error rate, spending function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from wsim.errors import UserError
from wsim.options import Options, error_rate, option, smallest_effect, spending_function, within_option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wsim.questions.metrics import Metric
    from wsim.stats.sequential import SequentialTest

LOOKS = 8  # at budget / 128, / 64, ..., budget
FIRST_LOOK = 1000  # deals at the first look: enough for a normal approximation, and they take only a second
RESERVE = 0.1
"""Part of alpha that is reserved for continuing an answer with a larger budget, which makes intervals 2% wider."""


def budget_of_deals(_name: str, value: Any) -> Any:
    """Raise UserError for a budget too small to compare anything."""
    if value < 2:
        raise UserError(f"the budget must be a whole number of games, at least 2, not {value!r}")
    return value


def without_history(record: dict[str, Any]) -> dict[str, Any]:
    """Drop the keys for earlier looks from a recorded comparison or match if there were none."""
    history = ("first_budget", "looks_before")
    return {key: value for key, value in record.items() if key not in history or value is not None}


@dataclass(frozen=True)
class Comparison(Options):
    """How a comparison is decided.

    Alpha is divided equally among the variants. With a margin, playing also stops once all effects are known to be
    smaller. Spending: pocock stops early if effects are large; obrien_fleming gives a shorter final interval.

    A continued answer keeps its looks, ``looks_before`` (in deals), and its ``first_budget``, which sets the scale on
    which error is spent.
    """

    metric: str = option(
        "Metric that decides: score, win:NAME or score:NAME (of a wonder, side or policy), owner:CARD (win share of "
        "its owners), winner:CARD (games won by an owner), built:CARD, worth:CARD, worth_points:CARD or "
        "wanted:CARD (see wsim experiment worth), character:FIGURE (see wsim experiment character), or any number of "
        "the seats table.",
        "score",
        metavar="METRIC",
        label="Which metric decides?",
        picker="metric",
        example="built:Palace",
    )
    seat: int | None = option("Count only this seat.", None, metavar="N", example="0", label="Which seat counts")
    budget: int = option(
        "Maximum number of deals, each played in every arm.",
        100_000,
        metavar="N",
        check=budget_of_deals,
        label="How many deals at most?",
        example="20k",
        effort=True,
    )
    alpha: float = option(
        "Accepted probability of declaring an effect when there is none.",
        0.05,
        metavar="RATE",
        check=error_rate,
        example="0.01",
        label="Risk of a false alarm",
    )
    margin: float | None = option(
        "Smallest effect that matters: stop once all are known to be smaller.",
        None,
        metavar="EFFECT",
        check=smallest_effect,
        example="0.2",
        label="Smallest difference that matters",
    )
    spending: str = option(
        "Alpha spending over the looks: pocock (stops early) or obrien_fleming.",
        "pocock",
        metavar="NAME",
        check=spending_function,
        example="obrien_fleming",
        label="How early it may stop",
    )
    within: float | None = within_option("every effect")
    first_budget: int | None = None
    looks_before: Sequence[int] | None = None

    def record(self) -> dict[str, Any]:
        """Return the fields as a JSON object, omitting an empty history."""
        return without_history(super().record())

    def looks(self) -> list[int]:
        """Return the number of deals at each look: the earlier looks, then the planned ones."""
        before = self.looks_before or ()
        first = max(before, default=min(FIRST_LOOK, self.budget) - 1)
        planned = {math.ceil(self.budget / 2**halvings) for halvings in range(LOOKS)}
        return sorted({*before, *(look for look in planned if look > first)})

    def continuing(self, recorded: Comparison, looks: Sequence[int]) -> Self:
        """Return this comparison as the continuation of a recorded comparison that has had the given looks.

        Raises UserError for a smaller budget.
        """
        if self.budget < recorded.budget:
            raise UserError(f"the budget must be at least {recorded.budget:,} deals, as before, not {self.budget:,}")
        first, before = recorded.first_budget, recorded.looks_before
        if self.budget > recorded.budget or not set(looks) <= set(recorded.looks()):
            first, before = first or recorded.budget, sorted(looks)
        return replace(self, looks_before=before, first_budget=first)

    def test(self, variants: int) -> SequentialTest:
        """Return a test for this many variants, with jointly valid verdicts."""
        from wsim.stats.sequential import SequentialTest

        how: dict[str, Any] = {"margin": self.margin, "spending": self.spending, "reserve": RESERVE}
        return SequentialTest(self.first_budget or self.budget, alpha=self.alpha / variants, **how)

    def concerned(self, players: int, seats: int) -> NDArray[np.bool_]:
        """Return a mask of the rows of a game that count; raise UserError for a seat that does not exist."""
        import numpy as np

        if self.seat is None:
            return np.ones(seats, bool)
        if not 0 <= self.seat < players:
            raise UserError(f"the seat must be from 0 to {players - 1}, not {self.seat}")
        concerned: NDArray[np.bool_] = np.arange(seats) == self.seat
        return concerned

    def estimand(self, metric: Metric, *, restricted: bool) -> str:
        """Return the estimand of the effect on a metric as a sentence; ``restricted``: the variants restrict a seat."""
        contrast = "variant minus baseline, on the same deals and seats"
        whose = "of all seats" if self.seat is None else f"of seat {self.seat}"
        if restricted:
            contrast = "restricted minus free, on the same deals"
            if self.seat is None:
                whose, contrast = "of the restricted seat", f"{contrast}, each seat of a deal in turn"
        quantity = metric.estimand(whose)
        return f"{quantity[0].upper()}{quantity[1:]}: {contrast}."
