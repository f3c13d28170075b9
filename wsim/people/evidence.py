"""What simulated and people's games say about each row (wonder, side, card): values with errors, on one scale.

People repeat: the same player with the same wonder, the same house. Errors of people's rows are therefore those of
independent seats times a design effect, estimated from all rows together: the variance of sums over players (else
groups, else games) within a row, divided by that of independent seats. Because a good player may like a wonder, results
are first adjusted for the player: minus the player's mean deviation, shrunk by its own reliability.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.lab.rest_known import known_between
from wsim.lab.store import Run, load_run
from wsim.stats.columns import PLAYER_HALF_WIDTH
from wsim.stats.distributions import normal_quantile

Floats = NDArray[np.float64]
METRICS = {"win": "win_share", "score": "score"}
COLUMNS = {"win": "win_share", "score": "total"}
RAREST = 0.02  # a win share below it has the error of this one: 0 wins of few games are not certain
USUAL_DISTANCE = {"win": 0.06, "score": 1.0}
"""The scale of the distance where no player SD is known: of the fair share, and in points; typical of good players."""


@dataclass(frozen=True)
class Evidence:
    """Rows with both sources.

    Attributes
    ----------
    names: the labels, a frame. simulated, error, player_sd: of the study. people, people_error, n: of people (error
        infinite where n is 0). seat_variance: of one more seat of people, design effect included.
    reference: what a row is compared with: the fair share, or the mean score. scale: of the distance, with its source.
    design: the design effect. players: how many different players; 0: not recorded.
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


def people_run(path: str, like: Plan) -> Run:
    """Open a run of people, or the one in a folder of several that has the players and rule set of a plan.

    Raises UserError for a run of policies, and where no run fits.
    """
    folder = Path(path)
    if folder.is_dir() and not (folder / "run.json").exists():
        folder = folder / f"{like.ruleset}-{like.players}p"
        if not folder.is_dir():
            raise UserError(f"{path!r} has no games of {like.ruleset} with {like.players} players")
    run = load_run(folder)
    if run.people is None:
        raise UserError(f"{path!r} was played by policies: people's games come from wsim import")
    for key in ("game", "ruleset", "players"):
        if getattr(run.plan, key) != getattr(like, key):
            raise UserError(
                f"{path!r} and the study do not fit: {key} is {getattr(run.plan, key)} and {getattr(like, key)}"
            )
    return run


def evidence(study: Run, people: Run | None, by: Sequence[str], metric: str, distance: float | None) -> Evidence:
    """Return the rows of a study and of people's games; ``people`` None: nobody has played yet.

    Raises UserError for columns that one of them does not have.
    """
    if study.people is not None:
        raise UserError(f"{str(study.path)!r} was played by people: the study must be a simulated run")
    groups = tuple(by) or (people.recorded(("wonder", "side")) if people else ("wonder", "side"))
    table = study.table("wonders", groups).frame
    figure = METRICS[metric]
    half = table[f"{figure}_high"].to_numpy() - table[f"{figure}_low"].to_numpy()
    simulated, error = table[figure].to_numpy().astype(float), half / 2 / normal_quantile(0.975)
    names = table.select(pl.col(groups).cast(pl.String))
    fair = 1 / study.plan.players
    between = known_between(study.provenance.identity, study.path, "wonders") if metric == "win" else None
    known = np.empty(0) if between is None or PLAYER_HALF_WIDTH not in table.columns else between.sds()
    if distance is not None:
        scale, source = distance, "as requested"
    elif len(known):
        scale, source = float(np.sqrt((known**2).mean())), "how much good players differ in the simulation (player SD)"
    else:
        scale = USUAL_DISTANCE[metric] * (fair if metric == "win" else 1)
        source = "typical of good players, because no player SD is known for this study"
    reference = fair if metric == "win" else float(np.average(simulated, weights=table["n"].to_numpy()))
    share = np.clip(simulated, RAREST, 1 - RAREST)
    spread = share * (1 - share) if metric == "win" else np.full(len(simulated), study_variance(study))
    error = np.where(np.isfinite(error) & (error > 0), error, np.sqrt(spread / table["n"].to_numpy()))
    if people is None:
        nothing = np.zeros(len(simulated))
        return Evidence(
            names, simulated, error, nothing, np.full(len(simulated), np.inf), nothing.astype(int), spread, reference,
            scale, source, 1.0, 0,
        )  # fmt: skip
    missing = [name for name in groups if name not in people.seats.collect_schema()]
    if missing:
        raise UserError(f"people did not record {' and '.join(missing)}: give --by with columns that both runs have")
    rows = people.seats.with_columns(pl.col(groups).cast(pl.String)).collect()
    labels = names.with_row_index("place")
    rows = rows.join(labels, on=list(groups), how="inner", maintain_order="left")
    place, value = rows["place"].to_numpy(), rows[COLUMNS[metric]].to_numpy().astype(float)
    level = 0.0 if metric == "win" else float(value.mean() - simulated[place].mean())
    residual, reference = value - simulated[place] - level, reference + level
    player = rows["player"].to_physical().to_numpy() if "player" in rows.columns else None
    if player is not None and len(np.unique(player)) > 1:
        effects = _player_effects(residual, player)
        value, residual = value - effects, residual - effects
    cluster = next((rows[name].to_physical().to_numpy() for name in ("player", "group") if name in rows.columns), None)
    design = _design_effect(residual, place, rows["game"].to_numpy() if cluster is None else cluster)
    n = np.bincount(place, minlength=len(simulated))
    if metric == "score":
        spread = np.full(len(simulated), float(residual.var(ddof=1)) if len(residual) > 2 else study_variance(study))
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(n > 0, np.bincount(place, value, len(simulated)) / np.maximum(n, 1), 0.0)
        people_error = np.where(n > 0, np.sqrt(spread * design / np.maximum(n, 1)), np.inf)
    count = 0 if player is None else len(np.unique(player))
    return Evidence(
        names, simulated, error, mean, people_error, n, spread * design, reference, scale, source, design, count
    )


def study_variance(study: Run) -> float:
    """Return the variance of the scores of a run."""
    return float(study.seats.select(pl.col("total").cast(pl.Float64).var()).collect().item())


def _player_effects(residual: Floats, player: NDArray[np.int64]) -> Floats:
    """Return for each row the mean deviation of its player, shrunk by the share of it that is not chance."""
    _, code = np.unique(player, return_inverse=True)
    n = np.bincount(code)
    mean = np.bincount(code, residual) / n
    noise = float(residual.var())
    between = max(float(np.average(mean**2, weights=n)) - noise * len(n) / n.sum(), 0.0)
    shrunk: Floats = mean * between / (between + noise / n) if noise > 0 else np.zeros(len(n))
    return shrunk[code]


def _design_effect(residual: Floats, place: NDArray[np.int64], cluster: NDArray[np.int64]) -> float:
    """Return the ratio of the clustered variance within rows to that of independent seats, at least 1."""
    _, code = np.unique(np.stack([place, cluster]), axis=1, return_inverse=True)
    sums = np.bincount(code.ravel(), residual)
    return max(1.0, float((sums**2).sum() / max((residual**2).sum(), 1e-12)))
