"""The tables of a what-if: effects at the deciding looks, effects on all metrics, and effects at all looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from wsim.document import COUNT, NAME, NUMBER, SHARE, Column, estimated
from wsim.policies.chances import OVERRULE
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
    "An effect is the mean at the deciding look: stopping early overstates it on average (by about a fifth with "
    "pocock, a twentieth with obrien_fleming); the interval remains valid"
)
CONDITIONAL = (
    "The change itself selects the seats of {metric}: different seats count with and without it. The difference is not "
    "the effect of the change on a seat, so there is no verdict; use {instead}{sweep} instead"
)


def wish_remarks(metric: Metric, plan: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the caveats for a worth metric."""
    if not metric.wished:
        return ()
    return (
        f"{metric.name}: mean over followed wishes minus mean over overruled wishes, in each arm; n: wishes",
        f"In all arms policies are overruled with chance {plan[OVERRULE]}; the other metrics also come from such games",
        f"The change may alter which seats want {metric.item}: each arm's worth is for the seats that want it there",
    )


def remarks_of(trial: Trial[Contrasts], metric: Metric, *, picks: bool) -> tuple[str, ...]:
    """Return the caveats of a trial; ``picks``: whether the game has pick experiments."""
    remarks, known, decided = [], trial.sums, trial.decided.values()
    if any(each.look.deals < trial.question.budget and each.verdict != "identical" for each in decided):
        remarks.append(PLAIN)
    if any(map(known.is_self_selected, range(known.variants))):
        instead = f"winner:{metric.item}, {metric.owned}" if metric.owned else "score"
        sweep = " or wsim experiment picks --sweep" if picks else ""
        remarks.append(CONDITIONAL.format(metric=metric.name, instead=instead, sweep=sweep))
    for variant, index in enumerate(known.deciding):
        differing = int(known.differing[index])
        name = "" if known.variants == 1 else f" in variant {variant + 1}"
        if not differing:
            where = "in any metric" if known.identical(variant) else f"in {metric.name}"
            remarks.append(
                f"None of {known.deals:,} deals differed {where}{name}: at most {3 / known.deals:.2g} of all deals do "
                "(95%)"
            )
        elif known.effective_deals()[index] < DIFFERING:
            remarks.append(
                f"Only {differing:,} of {known.deals:,} deals differed in {metric.name}{name}: too few, or too "
                "unequal, for an interval"
            )
    return tuple(remarks)


def rows_of(rows: Sequence[tuple[Variant, Metric]], known: Contrasts, look: Look) -> pl.DataFrame:
    """Return one row per variant and metric at one look."""
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
    """Declare the columns of a table of effects on one metric, or on several metrics."""
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
    """Return the rows of the deciding metric with their verdicts, each at its deciding look."""
    chosen, details = [], rows_of(rows, trial.sums, trial.looks[-1])
    for variant, index in enumerate(trial.sums.deciding):
        decided = trial.decided.get(variant)
        verdict = None if trial.sums.is_self_selected(variant) else "unclear"
        table = details
        if decided is not None:
            verdict = decided.verdict
            if trial.question.within is None:  # with a wanted precision, all games count
                table = rows_of(rows, decided.sums, decided.look)
        chosen.append(
            table[index].with_columns(
                pl.lit(verdict, pl.String).alias("verdict"),
                pl.lit(None if decided is None else decided.look.deals, pl.Int64).alias("decided_at"),
            )
        )
    end = ("verdict", "decided_at", "n_baseline", "n_changed", "differing", "variance_removed")
    return _with_identical(pl.concat(chosen).select("variant", "value", "baseline", "changed", *EFFECT, *end), variants)


def _with_identical(effects: pl.DataFrame, variants: Sequence[Variant]) -> pl.DataFrame:
    """Insert the variants that equal the baseline, which have no effect and are not played."""
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
    """Return the effects of the deciding metric at each look, by variant."""
    rows = [
        (
            variant.name,
            variant.value,
            look.deals,
            float(look.effects.value[index]),
            float(look.low[index]),
            float(look.high[index]),
        )
        for look in trial.looks
        for variant, index in zip(played, trial.sums.deciding, strict=True)
    ]
    frame = pl.DataFrame(
        rows,
        schema={"variant": pl.String, "value": pl.String, "deals": pl.Int64, **dict.fromkeys(EFFECT, pl.Float64)},
        orient="row",
    )
    finite = [pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in EFFECT]
    return frame.with_columns(finite)
