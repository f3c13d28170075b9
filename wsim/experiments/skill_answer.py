"""The answer of ``wsim skill``: figures at each rung of a ladder, their changes, and where they are written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from wsim.lab.files import write_text, writing
from wsim.lab.plan import digest_of
from wsim.lab.provenance import METADATA_KEY
from wsim.stats.intervals import nulls, verdicts
from wsim.stats.notebook import html_of, text_of

if TYPE_CHECKING:
    from wsim.experiments.skill_sums import SkillSums
    from wsim.lab.provenance import Provenance

__all__ = ["FORMAT", "Skill", "answer_of", "names_of", "side_by_side"]

FORMAT = "wsim-skill/1"
_ENDS = ("", "_low", "_high")
HANDS = ("good hands", "weak hands", "every hand")
ESTIMAND = {
    True: "Win share of the seats that have it, everybody at the table playing alike, on the same deals at every rung",
    False: "Win share of the seats that have it at the end less that of the others, everybody at the table playing "
    "alike, on the same deals at every rung",
}
"""By whether every seat has one of them."""
OBSERVED = (
    "Observational: whoever came to have a thing may have been better off already, at each rung in its own way. What "
    "taking it causes is measured by wsim experiment picks, what a change of it causes by wsim whatif"
)
DEALT = "What is dealt by chance is compared fairly: a change is what skill makes of it"


@dataclass(frozen=True, repr=False)
class Skill:
    """The answer.

    Attributes
    ----------
    question: what was asked, as JSON: what, ladder, between, level.
    rungs: the policies, the weakest first.
    estimand: what a figure is, in one sentence. fair: the win share of a seat.
    stopped: ``done`` or ``interrupted``. games: how many were played at each rung.
    figures: one row for each thing and rung: what names it (card; wonder, side), rung, n (seats that have it), share
        (of all seats), figure with figure_low and figure_high; null where it is too rare.
    changes: one row for each thing and two rungs: what names it, weaker, stronger, change with change_low and
        change_high (with what both rungs have in common on the same deals), p, q (Benjamini-Hochberg over the
        things), verdict (higher, lower: worth more, less at the stronger rung; unclear), strong_in: ``good hands`` or
        ``weak hands`` where it is better than nothing (a level: than fair) there alone and the change is clear,
        ``every hand`` where at both; else null.
    remarks: what must be said beside the figures, a sentence each, without a full stop.
    made: what made each rung's games.
    """

    question: Mapping[str, Any]
    rungs: tuple[str, ...]
    estimand: str
    fair: float
    stopped: str
    games: int
    figures: pl.DataFrame
    changes: pl.DataFrame
    remarks: tuple[str, ...]
    made: tuple[Provenance, ...] = field(repr=False)

    def __repr__(self) -> str:
        return text_of(self.estimand, self.table(), self.remarks)

    def _repr_html_(self) -> str:
        return html_of(self.estimand, self.table(), self.remarks)

    @property
    def names(self) -> list[str]:
        """The columns that name a thing."""
        return names_of(self.figures)

    def table(self, change: int = 0) -> pl.DataFrame:
        """Return a row for each thing: its figure at each rung, and one of the changes; the largest first.

        ``change``: 0 is that over the whole ladder, 1 the other one, if there is one.
        """
        return side_by_side(self.figures, self.changes, change)

    def record(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        return {
            "format": FORMAT,
            "question": dict(self.question),
            "rungs": list(self.rungs),
            "estimand": self.estimand,
            "fair": self.fair,
            "stopped": self.stopped,
            "games": self.games,
            "figures": self.figures.to_dicts(),
            "changes": self.changes.to_dicts(),
            "remarks": list(self.remarks),
            "made": [one.record() for one in self.made],
        }

    def write(self, path: str | Path) -> Path:
        """Write the answer and return where it lies.

        ``x.json`` holds the record; ``x.parquet`` the changes with the record in its metadata; into a run folder goes
        ``skill-....json``, for its report. Raises StoreError if the disk refuses.
        """
        target, record = Path(path), json.loads(json.dumps(self.record()))
        if (target / "run.json").is_file():
            asked = [record["question"], [one["digest"] for one in record["made"]]]
            target = target / f"skill-{digest_of(asked)[:8]}.json"
        if target.suffix == ".parquet":
            with writing(target) as temporary:
                self.changes.write_parquet(temporary, metadata={METADATA_KEY: json.dumps(record, ensure_ascii=False)})
        else:
            write_text(target, json.dumps(record, ensure_ascii=False, indent=2) + "\n")
        return target


def names_of(figures: pl.DataFrame) -> list[str]:
    """Return the columns of ``Skill.figures`` that name a thing."""
    return figures.columns[: figures.columns.index("rung")]


def side_by_side(figures: pl.DataFrame, changes: pl.DataFrame, change: int = 0) -> pl.DataFrame:
    """Return the figures of all rungs, and one of the changes, with a row for each thing (``Skill.table``)."""
    names = names_of(figures)
    wide = figures.select(names).unique(maintain_order=True)
    for rung in figures["rung"].unique(maintain_order=True):
        here = figures.filter(pl.col("rung") == rung)
        ends = [pl.col(f"figure{end}").alias(f"{rung}{end}") for end in _ENDS]
        wide = wide.join(here.select(*names, *ends), on=names, maintain_order="left")
    weaker, stronger = changes.select("weaker", "stronger").unique(maintain_order=True).row(change)
    told = changes.filter((pl.col("weaker") == weaker) & (pl.col("stronger") == stronger))
    wide = wide.join(told.drop("weaker", "stronger", "p"), on=names, maintain_order="left")
    return wide.sort("change", descending=True, nulls_last=True, maintain_order=True)


def answer_of(
    sums: SkillSums,
    question: Mapping[str, Any],
    labels: Mapping[str, Sequence[str]],
    rungs: Sequence[str],
    between: Sequence[tuple[int, int]],
    made: Sequence[Provenance],
    *,
    interrupted: bool,
) -> Skill:
    """Return what sums say.

    Parameters
    ----------
    labels: what names the things, by column. between: pairs of rungs, the weaker first.
    """
    level = float(question["level"])
    there = pl.Series(sums.counts().sum(axis=1) > 0)  # boards that no seat has are not in the game
    names = pl.DataFrame({name: list(texts) for name, texts in labels.items()})
    figures = [_figures(sums, names, rung, name, level).filter(there) for rung, name in enumerate(rungs)]
    changes = [
        _changes(sums, names.filter(there), there.to_numpy(), pair, level).with_columns(
            weaker=pl.lit(rungs[pair[0]]), stronger=pl.lit(rungs[pair[1]])
        )
        for pair in between
    ]
    order = [*names.columns, "weaker", "stronger"]
    return Skill(
        question=question,
        rungs=tuple(rungs),
        estimand=ESTIMAND[sums.grouped],
        fair=sums.fair(),
        stopped="interrupted" if interrupted else "done",
        games=sums.games,
        figures=pl.concat(figures),
        changes=pl.concat(changes).select(*order, pl.exclude(order)),
        remarks=(DEALT if sums.grouped else OBSERVED,),
        made=tuple(made),
    )


def _figures(sums: SkillSums, names: pl.DataFrame, rung: int, name: str, level: float) -> pl.DataFrame:
    """Return the rows of a rung."""
    return names.with_columns(
        pl.lit(name).alias("rung"),
        pl.Series("n", sums.counts()[:, rung].astype(np.int64)),
        nulls(sums.shares()[:, rung]).alias("share"),
        *(column.alias(key) for key, column in sums.figure(rung, level).columns("figure").items()),
    )


def _changes(
    sums: SkillSums, names: pl.DataFrame, there: np.ndarray, pair: tuple[int, int], level: float
) -> pl.DataFrame:
    """Return the rows of a change between two rungs."""
    change = sums.change(*pair, level)
    change = type(change)(change.value[there], change.error[there], change.games[there], level)
    said = verdicts(change.value, change.q_value(), level=level)
    nothing = sums.fair() if sums.grouped else 0.0
    weak, strong = (sums.figure(rung, level) for rung in pair)
    better = [nulls(one.low[there]) > nothing for one in (weak, strong)]
    frame = names.with_columns(
        *(column.alias(key) for key, column in change.columns("change").items()),
        nulls(change.p_value()).alias("p"),
        nulls(change.q_value()).alias("q"),
        said.alias("verdict"),
        better[0].fill_null(False).alias("_weak"),
        better[1].fill_null(False).alias("_strong"),
    )
    good, poor, both = (pl.lit(one) for one in HANDS)
    strong_in = (
        pl.when(pl.col("_weak") & pl.col("_strong"))
        .then(both)
        .when(pl.col("_strong") & (pl.col("verdict") == "higher"))
        .then(good)
        .when(pl.col("_weak") & (pl.col("verdict") == "lower"))
        .then(poor)
        .otherwise(pl.lit(None, pl.String))
    )
    return frame.with_columns(strong_in.alias("strong_in")).drop("_weak", "_strong")
