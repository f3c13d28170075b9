"""Find the value at which an effect, measured at several values, crosses a target, with an interval for it.

Between measured values, the effect is interpolated linearly. The interval contains every value at which the interval of
the effect contains the target: it inverts the test at each value, so it has the same coverage.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from wsim.stats.games import Floats


@dataclass(frozen=True)
class Crossing:
    """The value at which a target is met.

    Attributes
    ----------
    value: where the effect crosses the target (the middle crossing if there are several); None if it does not.
    low, high: the interval of that value; None if an end is beyond the measured values.
    status: the result in a few words.
    """

    value: float | None
    low: float | None
    high: float | None
    status: str


def crossing(values: Floats, effect: Floats, low: Floats, high: Floats, target: float) -> Crossing:
    """Find the value at which an effect crosses a target.

    Parameters
    ----------
    values: at least two ascending values.
    effect, low, high: the effect at each value, with its interval.
    """
    met = _roots(values, effect - target)
    may = _compatible_range(values, low, high, target)
    if may is None:
        side = "above" if float(np.min(low)) > target else "below"
        return Crossing(None, None, None, f"{side} the target at every value")
    first, last = may
    ends = (None if first <= values[0] else first, None if last >= values[-1] else last)
    if ends == (None, None):
        status = (
            "not distinguishable from the target at any value"
            if len(met) == 0
            else "the intervals reach beyond the sweep"
        )
    elif ends[0] is None:
        status = "perhaps below the first value"
    elif ends[1] is None:
        status = "perhaps above the last value"
    else:
        status = "met"
    return Crossing(float((met[0] + met[-1]) / 2) if len(met) else None, *ends, status)


def targets_of(effects: pl.DataFrame, target: float) -> pl.DataFrame:
    """Find the value at which each effect of a sweep equals the target; return one row per action and card."""
    rows = []
    for (action, card), part in effects.group_by("action", "card", maintain_order=True):
        known = part.drop_nulls(["effect", "effect_low", "effect_high"])
        result = Crossing(None, None, None, "too few values with an effect")
        if known.height > 1:
            effect, low, high = (known[name].to_numpy() for name in ("effect", "effect_low", "effect_high"))
            result = crossing(known["value"].cast(pl.Float64).to_numpy(), effect, low, high, target)
        rows.append((action, card, target, result.value, result.low, result.high, result.status))
    names = {
        "action": pl.String,
        "card": pl.String,
        **dict.fromkeys(("effect", "value", "value_low", "value_high"), pl.Float64),
        "status": pl.String,
    }
    return pl.DataFrame(rows, schema=names, orient="row")


def _roots(values: Floats, heights: Floats) -> Floats:
    """Return the zeros of the polygonal line through these points, in ascending order."""
    roots = list(values[heights == 0])
    for index in np.flatnonzero(heights[:-1] * heights[1:] < 0):
        share = heights[index] / (heights[index] - heights[index + 1])
        roots.append(values[index] + share * (values[index + 1] - values[index]))
    return np.sort(np.array(roots, dtype=np.float64))


def _compatible_range(values: Floats, low: Floats, high: Floats, target: float) -> tuple[float, float] | None:
    """Return the first and last value at which ``low <= target <= high``, interpolated linearly."""
    held = values[(low <= target) & (target <= high)]
    edges = np.concatenate([held, _roots(values, low - target), _roots(values, high - target)])
    return (float(edges.min()), float(edges.max())) if len(edges) else None
