"""Compare a run with the results of human players and give a verdict on each figure.

The human figures are in ``data/human_by_players.csv`` (first edition; the README next to it documents the source).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from wsim.document import CATEGORY, COUNT, NAME, NUMBER, Chart, Column, estimated
from wsim.errors import UserError
from wsim.lab.people_runs import people_run
from wsim.stats.analysis import Analysis, Option
from wsim.stats.clusters import clustered, clusterings_of
from wsim.stats.columns import Q
from wsim.stats.distributions import t_quantile, two_sided_p
from wsim.stats.games import Floats, GameBatch, Source, batches, competitors, parties, require, seats_of
from wsim.stats.intervals import Estimate, benjamini_hochberg, check_level, nulls
from wsim.stats.moments import Moments
from wsim.stats.tables import Table

if TYPE_CHECKING:
    from wsim.lab.plan import Plan
    from wsim.lab.store import Run

FIGURES: Mapping[str, tuple[str, pl.Expr]] = {
    "score": ("vp", pl.col("total")),
    "military": ("mil_vp", pl.col("points_military")),
    "victory_points": ("mil_plus", pl.col("victory_points")),
    "defeat_points": ("mil_minus", -pl.col("defeats").cast(pl.Int32)),
    "treasury": ("coins_vp", pl.col("points_treasury")),
    "wonder": ("wonder_vp", pl.col("points_wonder")),
    "civilian": ("civ_vp", pl.col("points_civilian")),
    "science": ("sci_vp", pl.col("points_science")),
    "commerce": ("com_vp", pl.col("points_commerce")),
    "guild": ("guild_vp", pl.col("points_guild")),
    "stages": ("stages", pl.col("stages")),
    "sold": ("discarded", pl.col("sold")),
    "built_chain": ("chained", pl.col("built_chain")),
    "coins_spent": ("spent", pl.col("trade_paid").cast(pl.Int32) + pl.col("bank_paid").cast(pl.Int32)),
    "shields": ("shields", pl.col("shields")),
    "blue": ("n_civ", pl.col("blue")),
    "green": ("n_sci", pl.col("green")),
    "purple": ("n_guild", pl.col("purple")),
    "red": ("n_mil", pl.col("red")),
    "yellow": ("n_com", pl.col("yellow")),
    "brown": ("n_raw", pl.col("brown")),
    "gray": ("n_man", pl.col("gray")),
}
"""Figures of a seat: the name in the human results, and the expression that computes the figure from a seats table."""

GAME_FIGURES: Mapping[str, str] = {
    "margin_first_second": "margin_1st_2nd",
    "range_first_last": "range_1st_last",
    "score_tie_for_first": "P(score tie for 1st)",
    "shared_first": "P(shared 1st after coin tiebreak)",
}
"""Figures of a game: margins of points, and the probabilities of ties before and after comparing treasuries."""

GROUPS = ("all", "winner", "last")
TOLERANCE = 0.25
"""A simulated mean counts as human within this many human standard deviations (a small effect by Cohen's rule)."""

UNINFORMATIVE = ("military", "victory_points", "defeat_points")
"""Figures whose mean over all seats hardly depends on the players: each conflict has one winner and one loser."""

_NOTE = (
    "Verdict: within, if the simulated mean is at most {tolerance:g} human standard deviations (of one seat, or one "
    "game) from the human mean; otherwise low or high. Humans: 10,792 games on Board Game Arena, mostly of very strong "
    "players, who chose the sides of their boards; data from the UFSM group (dmag-ufsm/Mining)."
)


@cache
def human_figures() -> pl.DataFrame:
    """Return the human results with columns players, group, stat, mean, se_game_clustered, sd, n, games.

    The standard deviation of a probability is the standard deviation of a single trial.
    """
    path = files("wsim.wonders.analysis") / "data" / "human_by_players.csv"
    chance = (pl.col("mean") * (1 - pl.col("mean"))).sqrt()
    return pl.read_csv(path.read_bytes()).with_columns(pl.col("sd").fill_null(chance))


def people_figures(people: Run) -> pl.DataFrame:
    """Compute the figures of people's games, in the format of ``human_figures``, with clustered errors."""
    seats = people.seats.collect()
    codes, _ = clusterings_of(seats)
    figures = {name: stat for name, (stat, of) in FIGURES.items() if set(of.meta.root_names()) <= set(seats.columns)}
    values = seats.select(FIGURES[name][1].cast(pl.Float64).alias(name) for name in figures).to_numpy().T
    batch, rank = GameBatch.of(seats), seats["rank"].to_numpy()
    lowest = np.minimum.reduceat(values[0], batch.starts)[batch.game_of_row]
    rows: list[dict[str, object]] = []
    for group, chosen in zip(GROUPS, (rank > 0, rank == 1, values[0] == lowest), strict=True):
        estimate = clustered(values * chosen, np.tile(chosen.astype(float), (len(values), 1)), codes)
        for i, stat in enumerate(figures.values()):
            rows.append(_human_row(group, stat, estimate, i, values[i][chosen]))
    games = _game_figures(batch, values[0], rank.astype(float))
    of_games = codes[0][batch.starts]
    estimate = clustered(games, np.ones(games.shape), [np.unique(of_games, return_inverse=True)[1]])
    rows += [_human_row("game", stat, estimate, i, games[i]) for i, stat in enumerate(GAME_FIGURES.values())]
    return pl.DataFrame(rows)


def _human_row(group: str, stat: str, estimate: Estimate, index: int, values: Floats) -> dict[str, object]:
    spread = float(values.std(ddof=1)) if len(values) > 1 else None
    error = float(estimate.error[index])
    return {
        "group": group, "stat": stat, "mean": float(estimate.value[index]), "sd": spread, "n": len(values),
        "se_game_clustered": error if np.isfinite(error) else None, "games": float(estimate.games[index]),
    }  # fmt: skip


def calibrate(
    source: Source, *, tolerance: float = TOLERANCE, level: float = 0.95, against: Run | None = None
) -> Table:
    """Compare a run with human results, either published or from people's games, for the same number of players.

    Parameters
    ----------
    source: a run or its seats table, of 3 to 7 players.
    against: people's games (``wsim import``), with intervals that allow for few games and for players who play several
        of them; default: published results of the first edition.
    tolerance: human standard deviations within which means count as equal; see the table's note.

    Columns: players, group (all seats, winners, last places, or the game), figure, simulated with _low and _high
    (clustered by game), simulated_sd, human, human_error, human_sd, difference (simulated - human) with _low and _high
    (from both errors), q (only with ``against``: Benjamini-Hochberg over the table, for any difference at all),
    difference_sd (in human standard deviations), verdict (within, low, high; null if not simulated),
    tolerance (of the verdict), informative (false for figures that are about the same for all players: conflicts won
    and lost by all seats).
    """
    check_level(level)
    if not tolerance > 0:
        raise UserError(f"the tolerance must be larger than 0, not {tolerance!r}")
    seats = competitors(seats_of(source))
    require(seats, ["team", "seat"])
    sizes = seats.select(pl.col("team", "seat").n_unique()).collect(engine="streaming").row(0)
    if sizes[0] < sizes[1]:
        raise UserError("there are no human results for team games")
    players = parties(seats)
    human = people_figures(against) if against else human_figures().filter(pl.col("players") == players)
    if human.is_empty():
        raise UserError(f"there are human results for 3 to 7 players, not for {players}")
    require(
        seats, ["game", "rank", *(name for _, expression in FIGURES.values() for name in expression.meta.root_names())]
    )
    tallies = _tallies(seats)
    rows = []
    for group in GROUPS:
        estimate, spread = tallies[group].moments.ratio(1, 0, level), tallies[group].spread()
        rows += [_row(group, name, stat, estimate, spread, i) for i, (name, (stat, _)) in enumerate(FIGURES.items())]
    rows += _game_rows(tallies["game"], level)
    how: Literal["inner", "left"] = "inner" if against else "left"
    frame = pl.DataFrame(rows).join(human, on=["group", "stat"], how=how, maintain_order="left")
    note = _NOTE.format(tolerance=tolerance)
    if against:
        note = f"{note.partition(' Humans:')[0]} Humans: {against.games:,} games of {str(against.path)!r}"
        note += f", errors clustered by {clusterings_of(against.seats.collect())[1]}. A large q means that such a"
        note += " difference may be due to chance, whatever the verdict."
    compared = _compared(frame, players, tolerance, level)
    if not against:  # thousands of games: every difference is clear, so only its size matters
        compared = compared.drop("q")
    chart = Chart(
        "band", ("difference_sd", "verdict"), ("figure",), "Simulated minus human means, in human standard deviations",
        axis="human standard deviations", tolerance=tolerance, only={"group": "all"},
        caption="All seats; means in the shaded band count as human.",
    )  # fmt: skip
    return Table(
        compared, "Against human players", note, _COLUMNS, "humans",
        ("figure", "group"), (chart, replace(chart, only={"group": "winner"}, caption="Winners.")),
    )  # fmt: skip


_COLUMNS = (
    Column("players", COUNT), Column("group", CATEGORY), Column("figure", NAME),
    estimated("simulated", NUMBER),
    Column("simulated_sd", NUMBER, about="standard deviation of a seat or game"),
    Column("human", NUMBER, about="mean of strong human players"),
    Column("human_error", NUMBER, about="standard error"),
    Column("human_sd", NUMBER, about="standard deviation of a seat or game"),
    estimated("difference", NUMBER, difference=True, about="simulated minus human"),
    Q, estimated("difference_sd", NUMBER, unit="human sd", difference=True),
    Column("verdict", CATEGORY), Column("tolerance", NUMBER, unit="human sd"),
    Column("informative", CATEGORY),
)  # fmt: skip


def _tallies(seats: pl.LazyFrame) -> dict[str, _Figures]:
    tallies = {name: _Figures(len(FIGURES)) for name in GROUPS} | {"game": _Figures(len(GAME_FIGURES))}
    columns: list[str | pl.Expr] = [
        "rank",
        *(expression.cast(pl.Float64).alias(name) for name, (_, expression) in FIGURES.items()),
    ]
    for batch in batches(seats, columns):
        figures = np.stack([batch.column(name) for name in FIGURES])
        rank, totals = batch.column("rank"), batch.column("score")
        lowest = np.minimum.reduceat(totals, batch.starts)[batch.game_of_row]
        for group, chosen in zip(GROUPS, (rank > 0, rank == 1, totals == lowest), strict=True):
            weights = chosen.astype(float)
            tallies[group].add(batch.sums(weights), batch.sums(figures * weights), (figures**2 * weights).sum(axis=1))
        games = _game_figures(batch, totals, rank)
        tallies["game"].add(np.ones(batch.games), games, (games**2).sum(axis=1))
    return tallies


class _Figures:
    """Accumulates figures over games, for their means and standard deviations."""

    def __init__(self, figures: int) -> None:
        self.moments = Moments(figures, 2)
        self.squares = np.zeros(figures)

    def add(self, count: Floats, sums: Floats, squares: Floats) -> None:
        """Add per-game counts, shape (games,), per-game sums, shape (figures, games), and the sums of squares."""
        self.moments.add(count, sums)
        self.squares += squares

    def spread(self) -> Floats:  # standard deviations
        count, total = self.moments.totals.T
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = (self.squares - total**2 / count) / (count - 1)
        return np.sqrt(np.maximum(variance, 0))


def _game_figures(batch: GameBatch, totals: Floats, rank: Floats) -> Floats:
    """Return the figures of each game, shape (figures, games)."""
    best = np.maximum.reduceat(totals, batch.starts)
    leads = totals == best[batch.game_of_row]
    tied = batch.sums(leads.astype(float)) > 1
    next_best = np.maximum.reduceat(np.where(leads, -np.inf, totals), batch.starts)
    margin = np.where(tied | np.isneginf(next_best), 0.0, best - np.where(np.isneginf(next_best), best, next_best))
    shared = batch.sums((rank == 1).astype(float)) > 1
    return np.stack([margin, best - np.minimum.reduceat(totals, batch.starts), tied, shared])


def _row(group: str, figure: str, stat: str, estimate: Estimate, spread: Floats, i: int) -> dict[str, object]:
    return {
        "group": group,
        "figure": figure,
        "stat": stat,
        "simulated": estimate.value[i],
        "simulated_low": estimate.low[i],
        "simulated_high": estimate.high[i],
        "simulated_sd": spread[i],
        "error": estimate.error[i],
    }


def _game_rows(tally: _Figures, level: float) -> list[dict[str, object]]:
    spread = tally.spread()
    points, probabilities = (tally.moments.ratio(1, 0, level, share=share) for share in (False, True))
    return [
        _row("game", name, stat, probabilities if stat.startswith("P(") else points, spread, i)
        for i, (name, stat) in enumerate(GAME_FIGURES.items())
    ]


def _compared(frame: pl.DataFrame, players: int, tolerance: float, level: float) -> pl.DataFrame:
    """Add the differences from human results, and the verdicts, to the simulated figures."""
    numbers = ["simulated", "simulated_low", "simulated_high", "simulated_sd", "error"]
    frame = frame.with_columns(nulls(frame[name].to_numpy()).alias(name) for name in numbers)
    difference = pl.col("simulated") - pl.col("mean")
    clusters = frame["games"].cast(pl.Float64).to_numpy()  # thousands of games, or few clusters of people's games
    error = (pl.col("error") ** 2 + pl.col("se_game_clustered") ** 2).sqrt()
    reach = nulls(t_quantile((1 + level) / 2, clusters - 1)) * error
    statistic = frame.select(pl.when(error > 0).then(difference / error)).to_series().to_numpy()
    q = nulls(benjamini_hochberg(two_sided_p(statistic, clusters - 1)))
    in_sd = pl.when(pl.col("sd") > 0).then(difference / pl.col("sd"))
    verdict = pl.when(in_sd.abs() <= tolerance).then(pl.lit("within")).when(in_sd < 0).then(pl.lit("low"))
    return frame.select(
        pl.lit(players, pl.UInt8).alias("players"),
        "group",
        "figure",
        *numbers[:4],
        pl.col("mean").alias("human"),
        pl.col("se_game_clustered").alias("human_error"),
        pl.col("sd").alias("human_sd"),
        difference.alias("difference"),
        (difference - reach).alias("difference_low"),
        (difference + reach).alias("difference_high"),
        q.alias("q"),
        in_sd.alias("difference_sd"),
        *(
            pl.when(pl.col("sd") > 0).then(end / pl.col("sd")).alias(f"difference_sd_{name}")
            for name, end in (("low", difference - reach), ("high", difference + reach))
        ),
        verdict.when(in_sd > 0).then(pl.lit("high")).alias("verdict"),
        pl.lit(tolerance).alias("tolerance"),
        (~((pl.col("group") == "all") & pl.col("figure").is_in(UNINFORMATIVE))).alias("informative"),
    )


def _printed_first_edition(plan: Plan) -> bool:
    """Return whether a plan uses the rules of the human games: the unchanged first edition."""
    changed = plan.cards is not None or plan.patch or plan.set
    return plan.ruleset == "1e" and plan.players in range(3, 8) and not changed


def _calibration(run: Run, *, against: str | None = None, **options: Any) -> Table:
    """Compare a run with human results; raise UserError if there are none for its rule set."""
    if against is not None:
        return calibrate(run, against=people_run(against, run.plan), **options)
    if run.plan.ruleset != "1e" or run.plan.players not in range(3, 8):
        raise UserError(
            "the human results are from the first edition (rule set 1e) with 3 to 7 players, and only such runs can be "
            f"compared with them: this run has rule set {run.plan.ruleset} and {run.plan.players} players"
        )
    table = calibrate(run, **options)
    if _printed_first_edition(run.plan):
        return table
    return replace(table, note=f"This run uses different cards or rules from the human games. {table.note}")


CALIBRATION = Analysis(
    _calibration,
    "a run of the first edition compared with the results of human players",
    columns=(
        *("players", "group", "figure", "simulated", "simulated_sd", "human", "human_error", "human_sd"),
        *("difference", "q", "difference_sd", "verdict"),
    ),
    first=("figure", "group", "difference_sd", "q", "verdict", "simulated", "human"),
    options={
        "against": Option("compare with people's games, a folder written by wsim import, not with published results"),
        "tolerance": Option("human standard deviations within which a mean counts as human", float),
    },
    fits=_printed_first_edition,
)
