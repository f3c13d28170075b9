"""The answer of a comparison: its tables, its record as JSON, and where that is written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.experiments.metrics import Metric
from wsim.lab.provenance import METADATA_KEY, Provenance
from wsim.stats.fewest import DIFFERING
from wsim.stats.intervals import nulls
from wsim.stats.notebook import html_of, text_of

if TYPE_CHECKING:
    import polars as pl

    from wsim.experiments.arms import Variant
    from wsim.experiments.contrasts import Contrasts
    from wsim.experiments.deals import Arm
    from wsim.experiments.question import Question
    from wsim.experiments.trial import Trial
    from wsim.stats.sequential import Look

__all__ = ["EFFECT", "FORMAT", "WhatIf", "answer_of", "check_target"]

FORMAT = "wsim-whatif/2"
EFFECT = ("effect", "effect_low", "effect_high")


@dataclass(frozen=True, repr=False)
class WhatIf:
    """The answer.

    Attributes
    ----------
    baseline: what made the baseline's games; its ``plan`` is the plan.
    question: how it was decided.
    estimand: what the effect is, in one sentence.
    stopped: ``clear``, ``budget`` or ``interrupted``.
    deals: deals played in every arm.
    games: games played in all arms together.
    seconds: how long playing took.
    effects: one row per variant: variant, value (of a sweep), baseline and changed (the metric in either arm), effect
        with effect_low and effect_high, verdict, decided_at (deals; the figures are those of then), n_baseline,
        n_changed (seats or games that count), differing (deals that are not alike), variance_removed. Verdicts are
        higher, lower, equivalent, unclear; same: the baseline's own value; identical: no deal differed; None: the
        metric is about seats that the change has chosen.
    details: the same for every metric: variant, value, metric, ..., the chosen one first.
    remarks: what must be said beside the figures, a sentence each, without a full stop.
    looks: variant, value, deals, effect with effect_low and effect_high at each look.
    metrics: what ``details`` has, in the order of each variant's rows.
    variants: what was compared with the baseline.
    """

    baseline: Provenance = field(repr=False)
    question: Question
    estimand: str
    stopped: str
    deals: int
    games: int
    seconds: float
    effects: pl.DataFrame
    details: pl.DataFrame
    looks: pl.DataFrame
    remarks: tuple[str, ...]
    metrics: tuple[Metric, ...] = field(repr=False)
    variants: tuple[Variant, ...] = field(repr=False)

    def __repr__(self) -> str:
        return text_of(self.estimand, self.effects, self.remarks)

    def _repr_html_(self) -> str:
        return html_of(self.estimand, self.effects, self.remarks)

    def record(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        return {
            "format": FORMAT,
            "estimand": self.estimand,
            "question": self.question.record(),
            "stopped": self.stopped,
            "deals": self.deals,
            "games": self.games,
            "seconds": round(self.seconds, 3),
            "effects": self.effects.to_dicts(),
            "details": self.details.to_dicts(),
            "looks": self.looks.to_dicts(),
            "remarks": list(self.remarks),
            "variants": [variant.record() for variant in self.variants],
            "baseline": self.baseline.record(),
        }

    def write(self, path: str | Path) -> Path:
        """Write the answer and return where it lies.

        ``x.json`` holds the record; ``x.parquet`` the table ``details`` with the record in its metadata; into a run
        folder goes ``whatif-....json``, for its report. Raises StoreError if the disk refuses.
        """
        from wsim.lab.files import write_text, writing
        from wsim.lab.plan import digest_of

        target = Path(path)
        record = json.loads(json.dumps(self.record()))
        if (target / "run.json").is_file():
            asked = [record["variants"], record["question"], record["baseline"]["digest"]]
            target = target / f"whatif-{digest_of(asked)[:8]}.json"
        check_target(target)
        if target.suffix == ".parquet":
            with writing(target) as temporary:
                self.details.write_parquet(temporary, metadata={METADATA_KEY: json.dumps(record, ensure_ascii=False)})
        else:
            write_text(target, json.dumps(record, ensure_ascii=False, indent=2) + "\n")
        return target


def check_target(path: Path) -> None:
    """Raise UserError for a path that an answer cannot be written to."""
    if path.suffix not in (".json", ".parquet") and not (path / "run.json").is_file():
        raise UserError(f"a what-if is written as FILE.json or FILE.parquet, or into a run folder, not {str(path)!r}")


def answer_of(
    trial: Trial[Contrasts],
    arms: Sequence[Arm],
    metrics: Sequence[Metric],
    baseline: Provenance,
    variants: Sequence[Variant],
    estimand: str,
    *,
    picks: bool = True,
) -> WhatIf:
    """Return what a trial says that has looked at least once.

    Parameters
    ----------
    arms, metrics: what was played, and compared. baseline: what made the baseline's games.
    variants: those of the trial in their order, and between them those whose rules are the baseline's own.
    estimand: what an effect is, in one sentence.
    picks: whether the game has pick experiments, to which a remark may point.
    """
    played = [variant for variant in variants if not variant.same]
    rows = [(variant, metric) for variant in played for metric in metrics]
    details = _rows(rows, trial.sums, trial.looks[-1])
    return WhatIf(
        baseline=baseline,
        question=trial.question,
        estimand=estimand,
        stopped=trial.stopped,
        deals=trial.sums.deals,
        games=trial.sums.deals * sum(len(arm.simulators) for arm in arms),
        seconds=trial.seconds,
        effects=_with_same(_effects(trial, rows, details), variants),
        remarks=_remarks(trial, metrics[0], picks=picks),
        details=details,
        looks=_looks(trial, played),
        metrics=tuple(metrics),
        variants=tuple(variants),
    )


PLAIN = (
    "An effect is the plain mean at the look that decided: whatever stops early is exaggerated on average (by about a "
    "fifth with pocock, a twentieth with obrien_fleming), its interval is not"
)
CONDITIONAL = (
    "{metric} is about the seats that the change itself has chosen: others count with it than without it. The "
    "difference is not what the change does to a seat, so it gets no verdict; {instead}{sweep} are"
)


def _remarks(trial: Trial[Contrasts], metric: Metric, *, picks: bool) -> tuple[str, ...]:
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


def _rows(rows: Sequence[tuple[Variant, Metric]], known: Contrasts, look: Look) -> pl.DataFrame:
    """Return a row for each variant and metric of a comparison at one look."""
    import polars as pl

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


def _effects(trial: Trial[Contrasts], rows: Sequence[tuple[Variant, Metric]], details: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the metric that decides, with their verdicts: each at the look that decided it."""
    import polars as pl

    chosen = []
    for variant, place in enumerate(trial.sums.deciding):
        decided = trial.decided.get(variant)
        verdict = None if trial.sums.conditional(variant) else "unclear"
        table = details
        if decided is not None:
            verdict, table = decided.verdict, _rows(rows, decided.sums, decided.look)
        chosen.append(
            table[place].with_columns(
                pl.lit(verdict, pl.String).alias("verdict"),
                pl.lit(None if decided is None else decided.look.deals, pl.Int64).alias("decided_at"),
            )
        )
    end = ("verdict", "decided_at", "n_baseline", "n_changed", "differing", "variance_removed")
    return pl.concat(chosen).select("variant", "value", "baseline", "changed", *EFFECT, *end)


def _with_same(effects: pl.DataFrame, variants: Sequence[Variant]) -> pl.DataFrame:
    """Put the values of a sweep that are the baseline's own into their places: no effect, without playing."""
    import polars as pl

    rows = {row["variant"]: row for row in effects.to_dicts()}
    baseline = effects["baseline"][0]
    nothing = {"baseline": baseline, "changed": baseline, **dict.fromkeys(EFFECT, 0.0), "verdict": "same"}
    empty: dict[str, Any] = dict.fromkeys(effects.columns)
    all_rows = [
        rows.get(variant.name) or {**empty, "variant": variant.name, "value": variant.value, **nothing}
        for variant in variants
    ]
    return pl.DataFrame(all_rows, schema=effects.schema)


def _looks(trial: Trial[Contrasts], played: Sequence[Variant]) -> pl.DataFrame:
    """Return the effects of the deciding metric at each look, variant by variant."""
    import polars as pl

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
