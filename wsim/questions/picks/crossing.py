"""Where an effect that was measured at several values crosses a target: the value, and what else it may be.

Between two values that were tried, the effect is taken to run straight. The interval holds every value at which the
target lies in the effect's interval: it inverts the test of each value, so that it covers the true value as often as
these cover the effect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from wsim.stats.games import Floats


@dataclass(frozen=True)
class Crossing:
    """Where a target is met.

    Attributes
    ----------
    value: where the effect crosses the target (the middle, if it does so several times); None if it does not.
    low, high: between these the target may be met; None where the values that were tried do not reach that far.
    status: whether the target is met, in a few words.
    """

    value: float | None
    low: float | None
    high: float | None
    status: str


def crossing(values: Floats, effect: Floats, low: Floats, high: Floats, target: float) -> Crossing:
    """Return where an effect crosses a target.

    Parameters
    ----------
    values: what was tried, ascending, at least two.
    effect, low, high: the effect there and its interval.
    """
    met = _roots(values, effect - target)
    may = _may_be_met(values, low, high, target)
    if may is None:
        side = "above" if float(np.min(low)) > target else "below"
        return Crossing(None, None, None, f"{side} the target at every value")
    first, last = may
    ends = (None if first <= values[0] else first, None if last >= values[-1] else last)
    if ends == (None, None):
        status = "cannot be told from the target anywhere" if len(met) == 0 else "the intervals reach beyond the sweep"
    elif ends[0] is None:
        status = "perhaps below the first value"
    elif ends[1] is None:
        status = "perhaps above the last value"
    else:
        status = "met"
    return Crossing(_middle(met), *ends, status)


def targets_of(effects: pl.DataFrame, target: float) -> pl.DataFrame:
    """Return where each effect of a sweep is the target: a row for each action and card."""
    rows = []
    for (action, card), part in effects.group_by("action", "card", maintain_order=True):
        known = part.drop_nulls(["effect", "effect_low", "effect_high"])
        found = Crossing(None, None, None, "too few values with an effect")
        if known.height > 1:
            effect, low, high = (known[name].to_numpy() for name in ("effect", "effect_low", "effect_high"))
            found = crossing(known["value"].cast(pl.Float64).to_numpy(), effect, low, high, target)
        rows.append((action, card, target, found.value, found.low, found.high, found.status))
    names = {
        "action": pl.String,
        "card": pl.String,
        **dict.fromkeys(("effect", "value", "value_low", "value_high"), pl.Float64),
        "status": pl.String,
    }
    return pl.DataFrame(rows, schema=names, orient="row")


def _middle(met: Floats) -> float | None:
    return float((met[0] + met[-1]) / 2) if len(met) else None


def _roots(values: Floats, heights: Floats) -> Floats:
    """Return where the polygon through these points is zero, ascending."""
    found = list(values[heights == 0])
    for place in np.flatnonzero(heights[:-1] * heights[1:] < 0):
        share = heights[place] / (heights[place] - heights[place + 1])
        found.append(values[place] + share * (values[place + 1] - values[place]))
    return np.sort(np.array(found, dtype=np.float64))


def _may_be_met(values: Floats, low: Floats, high: Floats, target: float) -> tuple[float, float] | None:
    """Return the first and the last value at which ``low <= target <= high``, both ends running straight."""
    held = values[(low <= target) & (target <= high)]
    edges = np.concatenate([held, _roots(values, low - target), _roots(values, high - target)])
    return (float(edges.min()), float(edges.max())) if len(edges) else None
