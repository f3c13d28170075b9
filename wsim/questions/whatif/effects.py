"""The tables of a what-if, from its trial: effects at the looks that decided, every metric, every look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from wsim.document import COUNT, NAME, NUMBER, SHARE, Column, estimated
from wsim.questions.metrics import Metric, kind_of_metric
from wsim.stats.columns import VERDICT, N
from wsim.stats.fewest import DIFFERING
from wsim.stats.intervals import nulls

if TYPE_CHECKING:
    from wsim.questions.contrasts import Contrasts
    from wsim.questions.trial import Trial
    from wsim.questions.variants import Variant
    from wsim.stats.sequential import Look

EFFECT = ("effect", "effect_low", "effect_high")
PLAIN = (
    "An effect is the plain mean at the look that decided: whatever stops early is exaggerated on average (by about a "
    "fifth with pocock, a twentieth with obrien_fleming), its interval is not"
)
CONDITIONAL = (
    "{metric} is about the seats that the change itself has chosen: others count with it than without it. The "
    "difference is not what the change does to a seat, so it gets no verdict; {instead}{sweep} are"
)


def remarks_of(trial: Trial[Contrasts], metric: Metric, *, picks: bool) -> tuple[str, ...]:
    """Return what must be said beside the figures; ``picks``: the game has pick experiments."""
    said, known = [], trial.sums
    if any(one.look.deals < trial.question.budget and one.verdict != "identical" for one in trial.decided.values()):
        said.append(PLAIN)
    if any(map(known.conditional, range(known.variants))):
        instead = f"winner:{metric.thing}, {metric.owned}" if metric.owned else "score"
        sweep = " and wsim experiment picks --sweep" if picks else ""
        said.append(CONDITIONAL.format(metric=metric.name, instead=instead, sweep=sweep))
    for variant, place in enumerate(known.deciding):
        differing = int(known.differing[place])
        name = "" if known.variants == 1 else f" in variant {variant + 1}"
        if not differing:
            where = "in anything that is compared" if known.identical(variant) else f"in {metric.name}"
            said.append(
                f"No deal of {known.deals:,} differed {where}{name}: fewer than {3 / known.deals:.2g} of all do"
            )
        elif known.speaking()[place] < DIFFERING:
            said.append(
                f"Only {differing:,} of {known.deals:,} deals differed in {metric.name}{name}, too few or too "
                "unlike each other for an interval"
            )
    return tuple(said)


def rows_of(rows: Sequence[tuple[Variant, Metric]], known: Contrasts, look: Look) -> pl.DataFrame:
    """Return a row for each variant and metric of a comparison at one look."""
    counts = known.counts()
    return pl.DataFrame(
        {
            "variant": [variant.name for variant, _ in rows],
            "value": pl.Series([variant.value for variant, _ in rows], dtype=pl.String),
            "metric": [metric.name for _, metric in rows],
            "baseline": nulls(known.base().value),
            "changed": nulls(known.changed().value),
            "effect": nulls(look.effects.value),
            "effect_low": nulls(look.low),
            "effect_high": nulls(look.high),
            "n_baseline": np.rint(counts[:, 0]).astype(np.int64),
            "n_changed": np.rint(counts[:, 1]).astype(np.int64),
            "differing": known.differing,
            "variance_removed": nulls(known.variance_removed()),
        }
    )


def effect_columns(metric: str = "") -> tuple[Column, ...]:
    """Return the columns of effects on a metric; without one: of tables whose rows are about several."""
    kind, unit = kind_of_metric(metric) if metric else (NUMBER, "")
    return (
        Column("variant", NAME, heading="what changes"), Column("value", NAME), Column("metric", NAME), VERDICT,
        Column("baseline", kind, unit=unit), Column("changed", kind, heading="variant", unit=unit), N,
        estimated("effect", kind, unit=unit, difference=True, about="variant minus baseline, on the same deals"),
        Column("n_baseline", COUNT), Column("n_changed", COUNT, heading="n variant"), Column("deals", COUNT),
        Column("differing", COUNT, heading="deals that differ"),
        Column("decided_at", COUNT, heading="decided at (deals)"),
        Column("variance_removed", SHARE, heading="variance reduction", unit="of the variance"),
    )  # fmt: skip


def effects_of(
    trial: Trial[Contrasts], rows: Sequence[tuple[Variant, Metric]], variants: Sequence[Variant]
) -> pl.DataFrame:
    """Return the rows of the metric that decides, with their verdicts: each at the look that decided it."""
    chosen, details = [], rows_of(rows, trial.sums, trial.looks[-1])
    for variant, place in enumerate(trial.sums.deciding):
        decided = trial.decided.get(variant)
        verdict = None if trial.sums.conditional(variant) else "unclear"
        table = details
        if decided is not None:
            verdict, table = decided.verdict, rows_of(rows, decided.sums, decided.look)
        chosen.append(
            table[place].with_columns(
                pl.lit(verdict, pl.String).alias("verdict"),
                pl.lit(None if decided is None else decided.look.deals, pl.Int64).alias("decided_at"),
            )
        )
    end = ("verdict", "decided_at", "n_baseline", "n_changed", "differing", "variance_removed")
    found = pl.concat(chosen).select("variant", "value", "baseline", "changed", *EFFECT, *end)
    return _with_same(found, variants)


def _with_same(effects: pl.DataFrame, variants: Sequence[Variant]) -> pl.DataFrame:
    """Put the values of a sweep that are the baseline's own into their places: no effect, without playing."""
    rows = {row["variant"]: row for row in effects.to_dicts()}
    baseline = effects["baseline"][0]
    nothing = {"baseline": baseline, "changed": baseline, **dict.fromkeys(EFFECT, 0.0), "verdict": "identical"}
    empty: dict[str, Any] = dict.fromkeys(effects.columns)
    all_rows = [
        rows.get(variant.name) or {**empty, "variant": variant.name, "value": variant.value, **nothing}
        for variant in variants
    ]
    return pl.DataFrame(all_rows, schema=effects.schema)


def looks_of(trial: Trial[Contrasts], played: Sequence[Variant]) -> pl.DataFrame:
    """Return the effects of the deciding metric at each look, variant by variant."""
    rows = [
        (
            variant.name,
            variant.value,
            look.deals,
            float(look.effects.value[place]),
            float(look.low[place]),
            float(look.high[place]),
        )
        for look in trial.looks
        for variant, place in zip(played, trial.sums.deciding, strict=True)
    ]
    frame = pl.DataFrame(
        rows,
        schema={"variant": pl.String, "value": pl.String, "deals": pl.Int64, **dict.fromkeys(EFFECT, pl.Float64)},
        orient="row",
    )
    finite = [pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in EFFECT]
    return frame.with_columns(finite)
