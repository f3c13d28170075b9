"""Collect values and standard errors for each row (wonder, side, card) from simulated and people's games.

Seats are not independent: a player may have the same wonder repeatedly, or play in the same group. The variance of a
row of people's games is therefore the variance for independent seats times a design effect, which is estimated from all
rows together: the variance of sums over players (or groups, or games) within a row, divided by the variance for
independent seats. Because a good player may like a wonder, results are first adjusted for the player by subtracting the
player's mean deviation, shrunk by its reliability.

The figure of a wonder is a mean. The figure of a card, in both sources, is the mean of the seats that built it minus
the mean of the other seats. It is observational, because a seat that builds a card may already have been better off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.rest_known import known_between
from wsim.lab.store import Run
from wsim.stats.clusters import clustered, clusterings_of
from wsim.stats.columns import PLAYER_HALF_WIDTH
from wsim.stats.distributions import normal_quantile
from wsim.stats.games import parties

Floats = NDArray[np.float64]
METRICS = {"win": "win_share", "score": "score"}
COLUMNS = {"win": "win_share", "score": "total"}
RAREST = 0.02  # lower win shares get the error of this one, because 0 wins in a few games prove little
USUAL_DISTANCE = {"win": 0.06, "score": 1.0}
"""The default scale of the distance if no player SD is known, typical of good players.

It is a multiple of the fair share for wins, and in points for scores.
"""
USUAL_ITEM_DISTANCE = {"win": 0.14, "score": 2.0}
"""The default scale for differences between seats with and without a card."""


@dataclass(frozen=True)
class Evidence:
    """The evidence from simulated and people's games, one value per row in every array.

    Attributes
    ----------
    names: a frame with the labels. simulated, error, player_sd: values of the study, their standard errors and player
        SDs. people, people_error, n: people's values, standard errors (infinite where n is 0) and numbers of seats.
    seat_variance: the variance of one additional seat of people, including the design effect.
    reference: the value that rows are compared with: the fair share or the mean score.
    scale: the scale of the distance, with its source.
    design: the design effect. players: the number of different players; 0: not recorded.
    noun: the noun for rows that compare seats with and without an item (``card``); else empty.
    """

    names: pl.DataFrame
    simulated: Floats
    error: Floats
    people: Floats
    people_error: Floats
    n: NDArray[np.int64]
    seat_variance: Floats
    reference: float
    scale: float
    scale_source: str
    design: float
    players: int
    noun: str = ""


def evidence(study: Run, people: Run | None, by: Sequence[str], metric: str, distance: float | None) -> Evidence:
    """Collect the evidence from a study and from people's games; ``people`` is None if nobody has played yet.

    Raises UserError for a column that one of the runs does not have.
    """
    if study.people is not None:
        raise UserError(f"{str(study.path)!r} was played by people: the study must be a simulated run")
    groups = tuple(by) or (people.recorded(("wonder", "side")) if people else ("wonder", "side"))
    nouns = {noun: prefix for prefix, noun in find_game(study.plan.game).OWNED.items() if noun == "card"}
    noun = next((name for name in groups if name in nouns), "")
    if noun and len(groups) > 1:
        raise UserError(f"{noun}s are combined separately: --by {noun}, not {','.join(groups)}")
    before = _study_evidence(study, groups, noun, metric, distance)
    if people is None:
        return before
    return (
        _add_item_differences(before, people, nouns[noun], metric) if noun else _add_group_means(before, people, metric)
    )


def _study_evidence(study: Run, groups: Sequence[str], noun: str, metric: str, distance: float | None) -> Evidence:
    """Collect the evidence from a study, without people's games; ``noun``: the noun for items, empty for other rows."""
    figure = f"{metric}_difference" if noun else METRICS[metric]
    of_table = f"{noun}s" if noun else "wonders"
    table = study.table(of_table, () if noun else groups).frame.drop_nulls(figure)
    half = table[f"{figure}_high"].to_numpy() - table[f"{figure}_low"].to_numpy()
    simulated, error = table[figure].to_numpy().astype(float), half / 2 / normal_quantile(0.975)
    names = table.select(pl.col(groups).cast(pl.String))
    fair = 1 / (study.summary.sides if study.summary else parties(study.seats))
    scale, source = _typical_difference(study, of_table, PLAYER_HALF_WIDTH in table.columns, metric, fair)
    if distance is not None:
        scale, source = distance, "as requested"
    reference = 0.0 if noun else fair
    if metric == "score" and not noun:
        reference = float(np.average(simulated, weights=table["n"].to_numpy()))
    share = np.clip(simulated, RAREST, 1 - RAREST)
    level = study_variance(study) if metric == "score" else fair * (1 - fair)
    spread = share * (1 - share) if metric == "win" and not noun else np.full(len(simulated), level)
    error = np.where(np.isfinite(error) & (error > 0), error, np.sqrt(spread / table["n"].to_numpy()))
    nothing = np.zeros(len(simulated))
    return Evidence(
        names, simulated, error, nothing, np.full(len(simulated), np.inf), nothing.astype(int), spread, reference,
        scale, source, 1.0, 0, noun,
    )  # fmt: skip


def _typical_difference(study: Run, of_table: str, with_players: bool, metric: str, fair: float) -> tuple[float, str]:
    """Return the typical difference between good players for a table, and a phrase that names its source."""
    between = known_between(study.provenance.identity, study.path, of_table) if metric == "win" else None
    known = np.empty(0) if between is None or not with_players else between.sds()
    if len(known):
        return float(np.sqrt((known**2).mean())), "how much good players differ in the simulation (player SD)"
    usual = USUAL_DISTANCE if of_table == "wonders" else USUAL_ITEM_DISTANCE
    scale = usual[metric] * (fair if metric == "win" else 1)
    return scale, "typical of good players, because no player SD is known for this study"


def _add_group_means(before: Evidence, people: Run, metric: str) -> Evidence:
    """Add people's mean value and standard error for each row to the evidence."""
    groups, simulated, spread = before.names.columns, before.simulated, before.seat_variance
    missing = [name for name in groups if name not in people.seats.collect_schema()]
    if missing:
        raise UserError(f"people did not record {' and '.join(missing)}: give --by with columns that both runs have")
    rows = people.seats.with_columns(pl.col(groups).cast(pl.String)).collect()
    rows = rows.join(before.names.with_row_index("place"), on=groups, how="inner", maintain_order="left")
    place, value = rows["place"].to_numpy(), rows[COLUMNS[metric]].to_numpy().astype(float)
    level = 0.0 if metric == "win" else float(value.mean() - simulated[place].mean())
    residual = value - simulated[place] - level
    effects, count = _player_effects(residual, rows)
    value, residual = value - effects, residual - effects
    cluster = next((rows[name].to_physical().to_numpy() for name in ("player", "group") if name in rows.columns), None)
    design = _design_effect(residual, place, rows["game"].to_numpy() if cluster is None else cluster)
    n = np.bincount(place, minlength=len(simulated))
    if metric == "score" and len(residual) > 2:
        spread = np.full(len(simulated), float(residual.var(ddof=1)))
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(n > 0, np.bincount(place, value, len(simulated)) / np.maximum(n, 1), 0.0)
        people_error = np.where(n > 0, np.sqrt(spread * design / np.maximum(n, 1)), np.inf)
    return replace(
        before, people=mean, people_error=people_error, n=n, seat_variance=spread * design,
        reference=before.reference + level, design=design, players=count,
    )  # fmt: skip


def _add_item_differences(before: Evidence, people: Run, prefix: str, metric: str) -> Evidence:
    """Add people's difference between seats with and without each item to the evidence.

    The difference is the least-squares effect of having the item, sum(h v) / sum(h²), where h and v are centred. Its
    variance is the variance for independent seats, s² / sum(h²), times the design effect. The design effect is the
    ratio of the clustered variance (``wsim.stats.clusters``) to the variance for independent seats, averaged over the
    items.
    """
    items = [f"{prefix}{name}" for name in before.names[before.noun]]
    recorded = people.seats.collect_schema()
    if missing := [name for name in items if name not in recorded]:
        raise UserError(
            f"people did not record which {before.noun}s they built: import them with a column built, such as "
            f"'{'; '.join(name.removeprefix(prefix) for name in missing[:2])}'"
        )
    rows = people.seats.collect()
    value = rows[COLUMNS[metric]].to_numpy().astype(float)
    effects, count = _player_effects(value - value.mean(), rows)
    value = value - value.mean() - effects
    has = (rows.select(items).cast(pl.Float64).to_numpy() > 0).T.astype(float)
    n = has.sum(axis=1).astype(int)
    has -= has.mean(axis=1, keepdims=True)
    squares = (has**2).sum(axis=1)
    known = squares > 0
    spread = float(value.var(ddof=1)) if len(value) > 2 and value.any() else float(before.seat_variance[0])
    estimate = clustered(has[known] * value, has[known] ** 2, clusterings_of(rows)[0])
    ratio = estimate.error**2 * squares[known] / spread
    weight = squares[known] * np.isfinite(ratio)
    design = max(1.0, float((np.nan_to_num(ratio) * weight).sum() / weight.sum())) if weight.any() else 1.0
    difference, error = np.zeros(len(items)), np.full(len(items), np.inf)
    difference[known], error[known] = estimate.value, np.sqrt(spread * design / squares[known])
    return replace(
        before, people=difference, people_error=error, n=n, seat_variance=np.full(len(items), spread * design),
        design=design, players=count,
    )  # fmt: skip


def study_variance(study: Run) -> float:
    """Return the variance of all scores in a run."""
    return float(study.seats.select(pl.col("total").cast(pl.Float64).var()).collect().item())


def _player_effects(residual: Floats, rows: pl.DataFrame) -> tuple[Floats, int]:
    """Estimate each row's player effect; return the effects and the number of players (0: not recorded).

    A player effect is the player's mean deviation, shrunk to the share that is not due to chance.
    """
    if "player" not in rows.columns:
        return np.zeros(len(residual)), 0
    _, code = np.unique(rows["player"].to_physical().to_numpy(), return_inverse=True)
    n = np.bincount(code)
    if len(n) < 2:
        return np.zeros(len(residual)), len(n)
    mean = np.bincount(code, residual) / n
    noise = float(residual.var())
    between = max(float(np.average(mean**2, weights=n)) - noise * len(n) / n.sum(), 0.0)
    shrunk: Floats = mean * between / (between + noise / n) if noise > 0 else np.zeros(len(n))
    return shrunk[code], len(n)


def _design_effect(residual: Floats, row: NDArray[np.int64], cluster: NDArray[np.int64]) -> float:
    """Return the ratio (at least 1) of the clustered variance within rows to the variance for independent seats."""
    _, code = np.unique(np.stack([row, cluster]), axis=1, return_inverse=True)
    sums = np.bincount(code.ravel(), residual)
    return max(1.0, float((sums**2).sum() / max((residual**2).sum(), 1e-12)))
