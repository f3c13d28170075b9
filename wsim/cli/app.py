"""Names and options of the command line, nothing else.

A new command:

1. ``wsim/cli/<command>.py``: a function that does the work, takes plain values and prints through ``console.py``. It
   may import whatever it needs; raise UserError for a mistake of the user (exit 2), an OSError for a failure (exit 1).
2. Here: a function with the command's name and its options as ``Annotated`` parameters, its docstring the help. Its
   body is an import of 1. and a call, so that ``wsim --help`` loads no numpy, numba or polars (a test sees to it).
3. If it plays games: ``@app.command(context_settings=EXTRA_OPTIONS)`` and ``@plan_options()`` give it the options of a
   plan (``options.py``) as its parameter ``given``; ``given.resolve()`` is the checked plan.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import wsim
from wsim.cli.console import guarded
from wsim.cli.options import EXTRA_OPTIONS, Given, Json, Quiet, Threads, plan_options, whole

__all__ = ["app", "main"]

app = typer.Typer(
    name="wsim",
    help="A laboratory for the 7 Wonders family of board games.",
    epilog="Exit codes: 0 done, 1 failure, 2 misuse, 130 interrupted.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

RunFolder = Annotated[str, typer.Argument(metavar="RUN", help="A folder that wsim run wrote.")]
Sort = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Sort by this column, largest first; -COLUMN: smallest first.")
]
Top = Annotated[int | None, typer.Option(help="Show only the first rows.", parser=whole, metavar="N")]
Wide = Annotated[bool, typer.Option("--wide", help="Show every column, not the main ones.")]
Filter = Annotated[
    list[str] | None,
    typer.Option("--filter", metavar="COLUMN=VALUE", help="Show only these rows (repeatable)."),
]


@app.callback(invoke_without_command=True)
def wsim_command(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(f"wsim {wsim.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command(context_settings=EXTRA_OPTIONS)
@plan_options()
def run(
    given: Given,
    threads: Threads = None,
    out: Annotated[
        str | None, typer.Option("-o", "--out", metavar="FOLDER", help="Write here.", show_default="runs/...")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with an interrupted run: wsim run --resume FOLDER")
    ] = False,
    shard: Annotated[
        int | None,
        typer.Option("--shard-games", help="Games per file.", parser=whole, metavar="N", show_default="250,000 rows"),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play games and write a run folder of Parquet files; print its tables.

    Without options: 100,000 games of 7 Wonders for four with a mixed line-up. The same options make the same data.
    """
    from wsim.cli.run import Output, run_command

    run_command(given, Output(out, resume, shard, threads), as_json=as_json, quiet=quiet)


@app.command(context_settings=EXTRA_OPTIONS)
@plan_options("picks")
def trace(
    given: Given,
    first: Annotated[int, typer.Option(help="Number of the first game.", parser=whole, metavar="N")] = 0,
    out: Annotated[str | None, typer.Option("-o", "--out", metavar="FILE", help="Write here.")] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="json|text", help="JSON lines, or text for people (default on a terminal)."),
    ] = None,
) -> None:
    """Tell whole games, every decision of them: one JSON object per line, or text. Default: --games 1."""
    from wsim.cli.trace import trace_command

    trace_command(given, first=first, out=out, form=form)


@app.command()
def cards(
    run: RunFolder, sort: Sort = None, top: Top = None, only: Filter = None, wide: Wide = False, as_json: Json = False
) -> None:
    """Show what cards did in a run: win share with its interval, scores, how often built."""
    from wsim.cli.tables import View, table_command

    table_command("cards", run, View(sort, top, tuple(only or ()), wide), as_json=as_json)


@app.command()
def wonders(
    run: RunFolder, sort: Sort = None, top: Top = None, only: Filter = None, wide: Wide = False, as_json: Json = False
) -> None:
    """Show what wonders did in a run: win share with its interval, scores by category."""
    from wsim.cli.tables import View, table_command

    table_command("wonders", run, View(sort, top, tuple(only or ()), wide), as_json=as_json)


@app.command()
def policies(
    game: Annotated[str | None, typer.Option(help="Which game.", show_default="seven_wonders")] = None,
    as_json: Json = False,
) -> None:
    """List the policies that can be named in a line-up, with their parameters."""
    from wsim.cli.policies import policies_command

    policies_command(game, as_json=as_json)


@app.command()
def catalog(
    name: Annotated[str | None, typer.Argument(help="Show this card or wonder only.")] = None,
    ruleset: Annotated[str, typer.Option(help="Which rules and components.")] = "1e",
    cards: Annotated[str | None, typer.Option(metavar="FILE", help="Show this catalogue, not wsim's own.")] = None,
    patch: Annotated[list[str] | None, typer.Option(metavar="FILE", help="Lay this file over it (repeatable).")] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change one value (repeatable).")
    ] = None,
    diff: Annotated[tuple[str, str] | None, typer.Option(metavar="A B", help="Compare two rule sets.")] = None,
    check: Annotated[str | None, typer.Option(metavar="FILE", help="Check a catalogue or a patch of it.")] = None,
    as_json: Json = False,
) -> None:
    """Show the cards and wonders of 7 Wonders, compare rule sets, check a file of your own."""
    from wsim.cli.catalog import Source, check_command, diff_command, show_command

    source = Source(cards, tuple(patch or ()), tuple(changes or ()))
    if check is not None:
        check_command(check, ruleset, as_json=as_json)
    elif diff is not None:
        diff_command(source, diff, as_json=as_json)
    else:
        show_command(source, ruleset, name, as_json=as_json)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    command = typer.main.get_command(app)
    sys.exit(guarded(lambda: command.main(arguments, prog_name="wsim", standalone_mode=False)))
