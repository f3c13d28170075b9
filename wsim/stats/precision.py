"""How many games to play: the stopping rule of ``--within``, and the number needed to settle unclear differences.

The half width of an interval shrinks with the square root of the number of games: if n games give the half width h, the
half width w needs n (h / w)^2 games. Stopping at a given width does not bias a figure or its interval (Chow and Robbins
1965), because the width depends on the spread of the games, not on the sign of the figure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import polars as pl

from wsim.stats.distributions import normal_quantile
from wsim.stats.games import Floats

MAX_GROWTH = 100
"""``--within`` plays at most this many times the requested number of games."""
MAX_STEP = 4.0
"""Maximum growth per step, because the half width after few games is itself uncertain."""
RESERVE = 1.02
"""Factor by which a planned number of games exceeds the estimate, so that one more round is rarely needed."""
FIGURES = ("worth", "win_share", "win_difference", "effect", "difference", "change", "rms", "score")
"""Figures for which a precision can be requested; the first one that a table has is its main figure."""
MAX_NAMED, LEAST = 3, 0.05  # rows listed in a note; smallest growth that it names, because half widths are uncertain
MAX_TOLD = 10**9


def stages(games: int, within: float | None, widest: Callable[[], float]) -> Iterator[range]:
    """Yield ranges of games to play: the given number, then more until the widest interval has the wanted half width.

    Parameters
    ----------
    within: the wanted half width; None plays only ``games``.
    widest: returns the half width of the widest interval after the games so far; NaN if there is none.
    """
    done, most = games, MAX_GROWTH * games
    yield range(games)
    while within is not None and done < most and (half := widest()) > within:
        growth = min(RESERVE * (half / within) ** 2, MAX_STEP)
        target = min(most, math.ceil(done * growth))
        yield range(done, target)
        done = target


def widest_of(low: pl.Series | Floats, high: pl.Series | Floats) -> float:
    """Return the half width of the widest interval, NaN if none is known."""
    halves = (np.asarray(high, float) - np.asarray(low, float)) / 2
    known = halves[np.isfinite(halves)]
    return float(known.max()) if len(known) else math.nan


def widest_in(table: pl.DataFrame) -> float:
    """Return the half width of the widest interval of a table's main figure (``FIGURES``), NaN if there is none."""
    name = next((figure for figure in FIGURES if f"{figure}_low" in table.columns), None)
    return math.nan if name is None else widest_of(table[f"{name}_low"], table[f"{name}_high"])


def reached(games: int, within: float | None, half: float, figures: str) -> str:
    """Return a note on whether the wanted half width was reached, or how many games it needs; empty without one."""
    if within is None:
        return ""
    if half <= within:
        return f"Every interval of {figures} is within ±{within:g}."
    if not math.isfinite(half):
        return f"No interval of {figures} is known yet, so none is within ±{within:g}: play more games."
    needed = rounded(games * (half / within) ** 2)
    return f"The widest interval of {figures} is ±{half:.2g}: about {needed:,} games would be needed for ±{within:g}."


def games_to_decide(
    value: Floats,
    half: Floats,
    games: Floats | int,
    *,
    level: float = 0.95,
    tests: float = 1,
    margin: float | None = None,
) -> Floats:
    """Return how many more games would make unclear differences clear if the true differences equal the estimates.

    Parameters
    ----------
    value, half: differences from the tested reference, and the half widths of their intervals (at ``level``).
    games: the number of games so far. tests: p-values must be below ``1 - level`` divided by this number.
    margin: the smallest difference that matters; a smaller one becomes clear as ``equivalent``.
    """
    normal = float(normal_quantile((1 + level) / 2))
    stricter = float(normal_quantile(1 - (1 - level) / (2 * tests))) / normal
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = (stricter * half / np.abs(value)) ** 2
        if margin is not None:
            factor = np.fmin(factor, np.where(np.abs(value) < margin, (half / (margin - np.abs(value))) ** 2, np.inf))
        return np.asarray(games * np.maximum(factor - 1, LEAST))


def undecided_note(
    frame: pl.DataFrame,
    labels: Sequence[str],
    figure: str,
    games: int,
    *,
    reference: float = 0.0,
    level: float | None = None,
    margin: float | None = None,
    unit: str = "games",
    title: str = "",
) -> str:
    """Return a sentence on the rows whose verdict is unclear: how many more games would settle the nearest ones.

    Parameters
    ----------
    frame: a table with ``verdict`` and a figure with its interval. labels: the columns that name a row.
    games: the number of games so far. reference: the value that the figure is tested against. margin: see
        ``games_to_decide``.
    title: the title of the table, if the sentence should name it.
    level: the level of the intervals if verdicts follow from q-values over all rows (Benjamini-Hochberg); None if they
        follow from the intervals.
    """
    tested = frame.filter(pl.col("verdict").is_not_null())

    def named(sentence: str) -> str:
        return f"{title}: {sentence[0].lower()}{sentence[1:]}" if title else sentence

    rows = tested.filter(pl.col("verdict") == "unclear")
    if rows.is_empty():
        return ""
    value, low, high = (rows[f"{figure}{end}"].cast(pl.Float64).to_numpy() for end in ("", "_low", "_high"))
    decided = tested.height - rows.height
    tests = 1.0 if level is None else max(1.0, tested.height / (decided + 1))
    half = np.where(np.isfinite(high - low), (high - low) / 2, np.inf)
    if np.isinf(half).all():
        return ""  # too few games for an interval
    more = games_to_decide(value - reference, half, games, level=level or 0.95, tests=tests, margin=margin)
    nearest = [int(at) for at in np.argsort(more, kind="stable")[:MAX_NAMED] if more[at] < MAX_TOLD]
    many = "Unclear" if tested.height == 1 else f"Unclear: {rows.height} of {tested.height} rows"
    if not nearest:
        return named(f"{many}; no affordable number of {unit} would settle it.")
    counts = [max(rounded(more[at]), 1) for at in nearest]
    if tested.height == 1:
        return f"{many}: about {counts[0]:,} more {unit} would settle it, if the difference is as large as it seems."
    names = [" ".join(str(rows[label][at]) for label in labels if rows[label][at] is not None) for at in nearest]
    listed = ", ".join(f"{count:,} for {name}" for count, name in zip(counts, names, strict=True))
    needed = f"The nearest need this many more {unit}, if their differences are as large as they seem: {listed}."
    return named(f"{many}. {needed}")


def rounded(number: float) -> int:
    """Round a number of games up to two significant digits."""
    if not 0 < number < math.inf:
        return 0
    unit: int = 10 ** max(math.floor(math.log10(number)) - 1, 0)
    return math.ceil(number / unit) * unit
