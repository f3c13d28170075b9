"""Names and options of the commands that balance a game. The recipe is in ``app.py``."""

from __future__ import annotations

from typing import Annotated

import typer

from wsim.cli.exports import Files
from wsim.cli.options import Csv, Filter, Json, Parquet, PlainCommand, Quiet, Sort, Threads, Top, Wide, whole
from wsim.cli.table_command import View

__all__ = ["balance_commands"]

balance_commands = typer.Typer()

GoalFile = Annotated[str, typer.Argument(metavar="GOAL", help="A goal file: docs/balance.md.", show_default=False)]
Games = Annotated[
    int | None,
    typer.Option(help="Games that measure a patch at a setting.", parser=whole, metavar="N", show_default="100,000"),
]
Replays = Annotated[
    int | None,
    typer.Option(
        help="Games for each step of a value that must be played for.", parser=whole, metavar="N", show_default="4,000"
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the search.", parser=whole, metavar="N")]


@balance_commands.command(cls=PlainCommand, short_help="What each step of the values in a goal file does.")
def sensitivity(
    goal: GoalFile,
    games: Games = None,
    replays: Replays = None,
    seed: Seed = 1,
    every: Annotated[
        bool, typer.Option("--every", help="Every target of every step, not the one that it moves most.")
    ] = False,
    sort: Sort = None,
    top: Top = None,
    only: Filter = None,
    wide: Wide = False,
    csv: Csv = None,
    parquet: Parquet = None,
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show what each step of each knob of a goal file does to its targets, with intervals."""
    from wsim.cli.balance_command import Asked, Effort, sensitivity_command

    view = View(sort, top, tuple(only or ()), wide)
    asked = Asked(Effort(games, replays, seed, threads), every, view, Files(csv, parquet))
    sensitivity_command(goal, asked, as_json=as_json, quiet=quiet)


@balance_commands.command(cls=PlainCommand, short_help="The smallest patch that meets the targets of a goal file.")
def balance(
    goal: GoalFile,
    out: Annotated[
        str | None, typer.Option("-o", "--out", metavar="FILE", help="Write the patch here, its record beside it.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an interrupted search for --out.")] = False,
    games: Games = None,
    replays: Replays = None,
    proof_games: Annotated[
        int | None,
        typer.Option(
            help="Games of a proof at a setting, at most.", parser=whole, metavar="N", show_default="1,000,000"
        ),
    ] = None,
    seed: Seed = 1,
    player: Annotated[
        list[str] | None,
        typer.Option(metavar="POLICY", help="Measure the patch with this player in all seats, too (repeatable)."),
    ] = None,
    style: Annotated[
        list[str] | None,
        typer.Option(metavar="POLICY", help="A style that a side may choose against the others (repeatable)."),
    ] = None,
    elsewhere_games: Annotated[
        int, typer.Option(help="Games of each measurement elsewhere.", parser=whole, metavar="N")
    ] = 20_000,
    relearn: Annotated[
        int | None,
        typer.Option(
            help="Let a net learn the patched game from so many decisions, and measure the patch with it.",
            parser=whole,
            metavar="N",
        ),
    ] = None,
    carry: Annotated[
        str | None, typer.Option(metavar="PATCH", help="Measure this patch elsewhere; search for none.")
    ] = None,
    wide: Wide = False,
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the smallest patch that meets the targets of a goal file, and prove it on fresh deals.

    Exit code 3: no patch was proven to; what binds is said, and the nearest one is written.
    """
    from wsim.cli.balance_command import Effort, Written, balance_command

    effort = Effort(games, replays, seed, threads, proof_games)
    written = Written(out, resume, tuple(player or ()), tuple(style or ()), elsewhere_games, carry, relearn)
    balance_command(goal, effort, written, as_json=as_json, quiet=quiet, wide=wide)
