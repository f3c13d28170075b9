"""Names and options of the commands that make players better. The recipe is in ``app.py``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from wsim.cli.exports import Files
from wsim.cli.options import (
    EXTRA_OPTIONS,
    Csv,
    Given,
    Json,
    Parquet,
    PlanCommand,
    Quiet,
    Threads,
    Trust,
    Wide,
    names_of,
    plan_options,
    whole,
)

__all__ = ["tuning"]

tuning = typer.Typer()


@tuning.command(cls=PlanCommand, context_settings=EXTRA_OPTIONS, short_help="Tune the numbers of a policy.")
@plan_options("games", "picks", "keep", "policies", "rotate", "ruleset", "players")
def tune(
    given: Given,
    start: Annotated[
        str | None, typer.Option(metavar="SET", help="The weight set from which the policy weighted begins.")
    ] = None,
    only: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Tune these numbers only.", show_default="all that matter")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINE-UP",
            help="Who sits on the other seats: one policy for all of them, or one for each (repeatable: several "
            "tables).",
            show_default="balanced",
        ),
    ] = None,
    judges: Annotated[
        str | None,
        typer.Option(
            metavar="POLICIES",
            help="Who judges the result besides, one after the other on all other seats; none: nobody.",
            show_default="the game's own players that are fast",
        ),
    ] = None,
    ruleset: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Rule sets, all tables together.", show_default="1e; 2005")
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="Players at the tables: 4 or 3,4,5.", show_default="the usual number"),
    ] = None,
    generations: Annotated[
        int | None, typer.Option(help="Steps of the search.", parser=whole, metavar="N", show_default="60")
    ] = None,
    candidates: Annotated[
        int | None,
        typer.Option(
            help="Candidates of a generation.", parser=whole, metavar="N", show_default="20, more for many numbers"
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            help="Games of a candidate in a generation, at all tables together.",
            parser=whole,
            metavar="N",
            show_default="1,500",
        ),
    ] = None,
    held_out: Annotated[
        int | None,
        typer.Option(help="Games of each table that judges.", parser=whole, metavar="N", show_default="20,000"),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(help="Worth of a point of score ahead of the others, in wins.", show_default="0.03"),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the weight set.", show_default="tuned")] = None,
    out: Annotated[
        str | None, typer.Option("-o", "--out", metavar="FOLDER", help="A new folder.", show_default="tuning/...")
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option("--resume", metavar="FOLDER", help="Go on with this search, perhaps for more --generations."),
    ] = None,
    trust: Trust = False,
    csv: Csv = None,
    parquet: Parquet = None,
    threads: Threads = None,
    wide: Wide = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tune the numbers of a policy by self-play (CMA-ES): wsim tune POLICY

    wsim tune weighted --start balanced: all its weights, against three balanced. All candidates of a generation play
    the same deals; the result is judged on deals and by players that the search never met. Writes a weight set that
    weighted:file= plays. Needs wsim[learn].
    """
    from wsim.cli.tune_command import Asked as Tuning
    from wsim.cli.tune_command import tune_command

    question: dict[str, Any] = {"generations": generations, "candidates": candidates, "games": games}
    question |= {"held_out": held_out, "margin": margin, "name": name}
    question["against"] = tuple(against) if against else None
    lists = {"only": only, "judges": judges, "rulesets": ruleset, "players": players}
    question |= {key: None if text is None else names_of(text) for key, text in lists.items()}
    asked = Tuning(start, question, out, resume, trust, threads, Files(csv, parquet), wide)
    tune_command(given, asked, as_json=as_json, quiet=quiet)
