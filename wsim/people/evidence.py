"""Evidence from simulated and people's games on each row (wonder, side, card): values with errors, on one scale.

Seats are not independent: the same player may have the same wonder again, or play in the same group. Errors of
people's rows are therefore those of independent seats times a design effect, estimated from all rows together: the
variance of sums over players (else groups, else games) within a row, divided by that of independent seats. Because a
good player may like a wonder, results are first adjusted for the player: minus the player's mean deviation, shrunk by
its own reliability.

The figure of a wonder is a mean. The figure of a card is the mean of the seats that built it minus that of the other
seats, in both sources: observational, because who builds a card may have been better off already.
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
RAREST = 0.02  # a win share below it has the error of this one: 0 wins of few games are not certain
USUAL_DISTANCE = {"win": 0.06, "score": 1.0}
"""The scale of the distance where no player SD is known: of the fair share, and in points; typical of good players."""
USUAL_ITEM_DISTANCE = {"win": 0.14, "score": 2.0}
"""The same for the difference between seats with and without a card."""


@dataclass(frozen=True)
class Evidence:
    """Rows with both sources.

    Attributes
    ----------
    names: the labels, a frame. simulated, error, player_sd: those of the study. people, people_error, n: those of
        people (error infinite where n is 0).
    seat_variance: the variance of one more seat of people, design effect included.
    reference: what a row is compared with: the fair share, or the mean score.
    scale: the scale of the distance, with its source.
    design: the design effect. players: how many different players; 0: not recorded.
    noun: what rows are, if their figure is the difference between seats with and without it (``card``); else empty.
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
    """Return the rows of a study and of people's games; ``people`` None: nobody has played yet.

    Raises UserError for columns that one of them does not have.
    """
    if study.people is not None:
        raise UserError(f"{str(study.path)!r} was played by people: the study must be a simulated run")
    groups = tuple(by) or (people.recorded(("wonder", "side")) if people else ("wonder", "side"))
    nouns = {noun: prefix for prefix, noun in find_game(study.plan.game).OWNED.items() if noun == "card"}
    noun = next((name for name in groups if name in nouns), "")
    if noun and len(groups) > 1:
        raise UserError(f"{noun}s are combined by themselves: --by {noun}, not {','.join(groups)}")
    before = _of_study(study, groups, noun, metric, distance)
    if people is None:
        return before
    return _of_items(before, people, nouns[noun], metric) if noun else _of_groups(before, people, metric)


def _of_study(study: Run, groups: Sequence[str], noun: str, metric: str, distance: float | None) -> Evidence:
    """Return the rows of a study, nobody having played yet; ``noun``: the noun of items, empty for other rows."""
    figure = f"{metric}_difference" if noun else METRICS[metric]
    of_table = f"{noun}s" if noun else "wonders"
    table = study.table(of_table, () if noun else groups).frame.drop_nulls(figure)
    half = table[f"{figure}_high"].to_numpy() - table[f"{figure}_low"].to_numpy()
    simulated, error = table[figure].to_numpy().astype(float), half / 2 / normal_quantile(0.975)
    names = table.select(pl.col(groups).cast(pl.String))
    fair = 1 / (study.summary.sides if study.summary else parties(study.seats))
    scale, source = _scale(study, of_table, PLAYER_HALF_WIDTH in table.columns, metric, fair)
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


def _scale(study: Run, of_table: str, with_players: bool, metric: str, fair: float) -> tuple[float, str]:
    """Return the typical difference between good players in a table, and a phrase on its source."""
    between = known_between(study.provenance.identity, study.path, of_table) if metric == "win" else None
    known = np.empty(0) if between is None or not with_players else between.sds()
    if len(known):
        return float(np.sqrt((known**2).mean())), "how much good players differ in the simulation (player SD)"
    usual = USUAL_DISTANCE if of_table == "wonders" else USUAL_ITEM_DISTANCE
    scale = usual[metric] * (fair if metric == "win" else 1)
    return scale, "typical of good players, because no player SD is known for this study"


def _of_groups(before: Evidence, people: Run, metric: str) -> Evidence:
    """Add people's means of each row."""
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


def _of_items(before: Evidence, people: Run, prefix: str, metric: str) -> Evidence:
    """Add people's difference between seats with and without each item.

    It is the least-squares effect of having the item, sum(h v) / sum(h²) with h and v minus their means. Its variance
    is that of independent seats, s² / sum(h²), times the design effect. The design effect is the ratio of the clustered
    variance (``wsim.stats.clusters``) to that of independent seats, averaged over the items.
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
    """Return the variance of the scores of a run."""
    return float(study.seats.select(pl.col("total").cast(pl.Float64).var()).collect().item())


def _player_effects(residual: Floats, rows: pl.DataFrame) -> tuple[Floats, int]:
    """Return for each row the mean deviation of its player, shrunk by the share of it that is not chance; and how many
    players there are (0: not recorded).
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
    """Return the ratio of the clustered variance within rows to that of independent seats, at least 1."""
    _, code = np.unique(np.stack([row, cluster]), axis=1, return_inverse=True)
    sums = np.bincount(code.ravel(), residual)
    return max(1.0, float((sums**2).sum() / max((residual**2).sum(), 1e-12)))
