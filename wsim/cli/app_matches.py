"""Names and options of the commands about strength: matches, things by skill. The recipe is in ``app.py``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from wsim.cli.exports import Files
from wsim.cli.options import (
    EXTRA_OPTIONS,
    ClusterAddress,
    Csv,
    Filter,
    Given,
    Json,
    Level,
    Parquet,
    PlanCommand,
    Quiet,
    Sort,
    Threads,
    Top,
    Wide,
    names_of,
    plan_options,
    whole,
)
from wsim.cli.table_command import View

__all__ = ["matches"]

matches = typer.Typer()

Rulesets = Annotated[
    str | None,
    typer.Option("--ruleset", "--rulesets", metavar="NAMES", help="One or several, with commas.", show_default="1e"),
]
Players = Annotated[
    str | None,
    typer.Option(metavar="NUMBERS", help="One or several: 4, or 3,4,5, or 3..7.", show_default="as usual in each"),
]
Alpha = Annotated[float, typer.Option(help="Accepted chance of calling a policy stronger that is not.")]
Spending = Annotated[str, typer.Option(help="Use of alpha over the looks: pocock (stops early) or obrien_fleming.")]


@matches.command(
    cls=PlanCommand, context_settings=EXTRA_OPTIONS, short_help="Policies against each other, every seating of a deal."
)
@plan_options("games", "picks", "keep", "policies", "rotate", "players", "ruleset")
def match(
    given: Given,
    ruleset: Rulesets = None,
    players: Players = None,
    round_robin: Annotated[
        bool, typer.Option("--round-robin", help="Every pair by itself, and their matrix; else all at one table.")
    ] = False,
    budget: Annotated[
        int, typer.Option(help="Deals at most for each table, each played in every seating.", parser=whole, metavar="N")
    ] = 10_000,
    within: Annotated[
        float | None, typer.Option(help="Play on until every win share is known to within this, such as 0.01.")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="Smaller differences do not matter: stop when all are known to be smaller.")
    ] = None,
    alpha: Alpha = 0.05,
    spending: Spending = "pocock",
    out: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--out",
            metavar="PATH",
            help="A folder that keeps all deals, FILE.json, FILE.parquet, or a run folder.",
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the interrupted match in --out.")] = False,
    threads: Threads = None,
    cluster: ClusterAddress = None,
    wide: Wide = False,
    csv: Csv = None,
    parquet: Parquet = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play policies against each other: wsim match A B [C ...]

    Two policies: one seat plays A and all others B, each seat in turn, and the other way round, on the same deals;
    with --round-robin every pair does. Otherwise three or more share a table in every arrangement. A sequential test
    says who is stronger and stops when that is clear. In rule sets with teams, a team is one policy.
    """
    from wsim.cli.match_command import Asked, match_command

    question: dict[str, Any] = {"round_robin": round_robin, "budget": budget, "alpha": alpha, "margin": margin}
    question |= {"within": within, "spending": spending}
    asked = Asked(ruleset, players, question, out, resume, threads, cluster, Files(csv, parquet), wide)
    match_command(given, asked, as_json=as_json, quiet=quiet)


@matches.command(
    cls=PlanCommand, context_settings=EXTRA_OPTIONS, short_help="What cards or wonders are worth by who plays."
)
@plan_options("picks", "keep", "policies", "rotate", games="20,000 at each rung")
def skill(
    given: Given,
    ladder: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Players, the weakest first, with commas: each has the table to itself.",
            show_default="random,greedy,balanced,net, as far as there are such",
        ),
    ] = None,
    between: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Show the change between these two, too.", show_default="balanced,net if both are there"
        ),
    ] = None,
    level: Level = 0.95,
    sort: Sort = None,
    top: Top = None,
    only: Filter = None,
    wide: Wide = False,
    csv: Csv = None,
    parquet: Parquet = None,
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", metavar="FILE", help="Write FILE.json or FILE.parquet, or into a run folder."),
    ] = None,
    threads: Threads = None,
    cluster: ClusterAddress = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show what things are worth in weak and in good hands: wsim skill [cards|wonders|...]

    Each player of a ladder has the table to itself, on the same deals. For cards: win share of those who built one
    less that of the others; for wonders: win share. At every rung, and the change along the ladder.
    """
    from wsim.cli.skill_command import Asked, skill_command

    question = {"ladder": names_of(ladder), "between": names_of(between), "level": level}
    view = View(sort, top, tuple(only or ()), wide)
    asked = Asked(question, {"threads": threads, "cluster": cluster}, view, out, Files(csv, parquet))
    skill_command(given, asked, as_json=as_json, quiet=quiet)
