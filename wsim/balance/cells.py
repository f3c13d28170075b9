"""The cells of a goal: the individual numbers that targets bound, and how they are computed from games."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from wsim.balance.goal import MEAN, Keep, Setting, Target
from wsim.document import CATEGORY, COUNT, NUMBER, RATIO, Column, estimated, names
from wsim.errors import UserError, nearest
from wsim.questions.metrics import FOLLOWED, OVERRULED, Metric, SeatsReader, kind_of_metric, parse_metric
from wsim.stats.columns import OTHER_PLAYERS
from wsim.stats.fewest import SEEN

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Cell:
    """A single number at a setting, and its accepted range.

    Attributes
    ----------
    setting, name: the setting, and the name of the number. metric: ``win``, ``score``, ...
    low, high: the accepted range, inclusive; infinite where there is no bound.
    share: whether it is a share, shown in percent.
    over: the table over whose players the number is averaged; empty if it belongs to one player.
    """

    setting: str
    name: str
    metric: str
    low: float
    high: float
    share: bool = False
    over: str = ""

    @property
    def reach(self) -> float:
        """The unit of deviations: half the width of the accepted range, or 1 if there is only one bound."""
        if math.isinf(self.low) or math.isinf(self.high):
            return 0.01 if self.share else 1.0
        return (self.high - self.low) / 2

    def excess(self, value: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Return the distance of a value beyond the nearer bound, in units of the metric; negative within the range."""
        return np.maximum(np.asarray(value) - self.high, self.low - np.asarray(value))

    def record(self) -> dict[str, Any]:
        """Return the cell as a JSON object."""
        bounds = [None if math.isinf(bound) else bound for bound in (self.low, self.high)]
        return {"setting": self.setting, "of": self.name, "metric": self.metric, "low": bounds[0], "high": bounds[1]}


def target_columns(targets: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    """Declare the columns of tables about targets, with their common unit; plain numbers if the metrics differ."""
    kinds = {kind_of_metric(str(row["metric"])) for row in targets}
    kind, unit = kinds.pop() if len(kinds) == 1 else (NUMBER, "")
    return (
        *names(("setting", "of", "metric", "path", "knob", "policies", "of_before", "of_after", "patch")),
        *names(("style_before", "style_after")),
        *(Column(name, NUMBER) for name in ("old", "new", "now", "to")),
        *(Column(name, kind, unit=unit, about=f"{name} end of the accepted range") for name in ("low", "high")),
        *(estimated(name, kind, unit=unit) for name in ("before", "after", "value")), OTHER_PLAYERS,
        estimated("effect", kind, unit=unit, difference=True),
        Column("reach", RATIO, about="effect divided by half the accepted width"), Column("found", CATEGORY),
        Column("proven", CATEGORY), Column("at_end", CATEGORY, heading="at the end of its range"),
        Column("changes", COUNT), Column("cost", NUMBER), Column("targeted", CATEGORY), Column("cells", COUNT),
        Column("worst", RATIO, about="largest deviation; 1 is at the bound"),
        *(Column(f"{name}_{when}", kind, unit=unit) for name in ("spread", "largest", "best") for when in _WHEN),
        Column("error", kind, heading="standard error", unit=unit), Column("games", COUNT),
    )  # fmt: skip


_WHEN = ("before", "after")


@dataclass(frozen=True)
class Quantity:
    """How a cell is computed from a seats table.

    Attributes
    ----------
    cell: the bounded number. metric: the averaged metric. is_change: whether the number is the change compared with
        games without the patch.
    """

    cell: Cell
    metric: Metric
    is_change: bool = False


def quantities_of(
    setting: Setting, targets: Sequence[Target], sample: pl.DataFrame, owned: Mapping[str, str]
) -> list[Quantity]:
    """Return the quantities that targets bound at a setting; raise UserError if a target never occurs in a sample."""
    quantities: list[Quantity] = []
    plays = sample["rank"].to_numpy() > 0 if "rank" in sample.columns else np.ones(sample.height, bool)
    fair = float(sample["win_share"].to_numpy()[plays].astype(float).mean())
    for target in targets:
        try:
            metric = parse_metric(target.metric, sample, owned)
        except UserError as error:
            raise UserError(f"the target {target.name!r}: {error}") from None
        _check_reachable(target, metric, fair)
        for where in _combinations(target, metric, sample):
            low, high = target.bounds(fair)
            name = " ".join(name for _, name in where) or metric.name
            over = setting.table if target.players == MEAN else ""
            cell = Cell(setting.name, name, target.metric, low, high, metric.share, over)
            quantities.append(Quantity(cell, replace(metric, where=(*metric.where, *where))))
    return quantities


def _check_reachable(target: Target, metric: Metric, fair: float) -> None:
    """Raise UserError for a target that no change of values can meet."""
    low, high = target.bounds(fair)
    least = -1 if metric.wished else 0
    if metric.share and (high < least or low > 1):
        kind = "worth in win share" if metric.wished else "a share"
        raise UserError(
            f"the target {target.name!r} is impossible: {kind} is between {least} and 1, never in {low:g}..{high:g}"
        )
    whole = metric.column == "win_share" and metric.owned is None and not (metric.per_game or metric.wished)
    if whole and not target.only and not metric.where and not low <= fair <= high:
        raise UserError(
            f"the target {target.name!r} is impossible: win shares at this table have the mean {fair:.4g}, so that "
            f"they cannot all be in {low:.4g}..{high:.4g}"
        )
    if whole and not target.of and not metric.where:
        raise UserError(f"the target {target.name!r} is empty: the mean win share never changes; name columns with of")


def _combinations(target: Target, metric: Metric, sample: pl.DataFrame) -> list[tuple[tuple[str, str], ...]]:
    """Return the combinations of names that a target covers and that occur in the sample."""
    import polars as pl

    if not target.of:
        reader = SeatsReader(sample, np.ones(sample.height, bool))
        if not all(reader.counted(metric, arm).any() for arm in (FOLLOWED, OVERRULED)):
            raise UserError(
                f"the target {target.name!r} refers to an event that never happened in {_games(sample):,} games"
            )
        return [()]
    names = []
    columns = [name for name, kind in sample.schema.items() if isinstance(kind, pl.Enum)]
    for column in target.of:
        if column not in columns:
            raise UserError(
                f"the target {target.name!r} is of {column!r}{nearest(column, columns)}; accepted: {', '.join(columns)}"
            )
        names.append(list(cast("pl.Enum", sample.schema[column]).categories))
    counts = {tuple(map(str, row[:-1])): row[-1] for row in sample.group_by(target.of).len().iter_rows()}
    present = [combination for combination in product(*names) if counts.get(combination, 0) >= SEEN]
    wanted = {" ".join(combination): combination for combination in present}
    known = {" ".join(combination) for combination in product(*names)}
    for only in target.only:
        if only not in known:
            raise UserError(f"the target {target.name!r} selects {only!r}, which does not exist{nearest(only, known)}")
        if only not in wanted:
            raise UserError(
                f"the target {target.name!r}: {only} hardly ever occurs at this table ({_games(sample):,} games)"
            )
    chosen = [wanted[combination] for combination in target.only] if target.only else present
    if not chosen:
        raise UserError(
            f"the target {target.name!r} refers to an event that never happened in {_games(sample):,} games"
        )
    return [tuple(zip(target.of, combination, strict=True)) for combination in chosen]


def _games(sample: pl.DataFrame) -> int:
    return int(sample["game"].n_unique())


def change_quantities(
    setting: Setting, keeps: Sequence[Keep], sample: pl.DataFrame, owned: Mapping[str, str]
) -> list[Quantity]:
    """Return the quantities that constraints hold constant at a setting, as changes of means."""
    quantities = []
    for keep in keeps:
        metric = parse_metric(keep.metric, sample, owned)
        cell = Cell(setting.name, f"change of {keep.metric}", keep.metric, -keep.within, keep.within, metric.share)
        quantities.append(Quantity(cell, metric, is_change=True))
    return quantities
