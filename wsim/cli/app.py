"""Names and options of the command line, nothing else.

A new command:

1. ``wsim/cli/<command>.py``: a function that does the work, takes plain values and prints through ``console.py``. It
   may import whatever it needs; raise UserError for a mistake of the user (exit 2), an OSError for a failure (exit 1).
2. Here: a function with the command's name and its options as ``Annotated`` parameters, its docstring the help. Its
   body is an import of 1. and a call, so that ``wsim --help`` loads no numpy, numba or polars (a test sees to it).
3. If it plays games: ``@app.command(cls=PlanCommand, context_settings=EXTRA_OPTIONS)`` and ``@plan_options()`` give it
   the options of a plan (``options.py``) as its parameter ``given``; ``given.resolve()`` is the checked plan.

A new table of a run needs no command: the game lists it (``ANALYSES`` of its module), and ``wsim table`` shows it.
"""

from __future__ import annotations

import gc
import sys
from typing import Annotated

import typer

import wsim
from wsim.cli.app_balance import balance_commands
from wsim.cli.app_comparisons import comparisons, experiment
from wsim.cli.app_games import games
from wsim.cli.app_learning import learning
from wsim.cli.app_matches import matches
from wsim.cli.app_tables import tables
from wsim.cli.app_tuning import tuning
from wsim.cli.console import guarded
from wsim.cli.exports import Files
from wsim.cli.narrow import narrowed
from wsim.cli.options import (
    DEFAULT_RULESET,
    EXTRA_OPTIONS,
    PLAN_OPTIONS,
    ClusterAddress,
    Csv,
    Filter,
    Given,
    Json,
    Level,
    Parquet,
    PlainCommand,
    PlanCommand,
    Quiet,
    RunFolder,
    Sort,
    Threads,
    Top,
    Trust,
    Wide,
    plan_options,
    whole,
)
from wsim.cli.table_command import View
from wsim.errors import refuse_unprintable

__all__ = ["app", "main"]

_GARBAGE = 100_000  # objects before cycles are sought: a command loads as many, and all of them stay

app = typer.Typer(
    name="wsim",
    help="A laboratory for the 7 Wonders family of board games.",
    epilog="Exit codes: 0 done, 1 failure, 2 misuse, 3 unproven (wsim balance), 130 interrupted.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

GameName = Annotated[
    str | None,
    typer.Option(metavar="GAME", help="seven_wonders or tower_of_babel.", show_default="seven_wonders"),
]


@app.callback(invoke_without_command=True)
def wsim_command(
    context: typer.Context,
    version: Annotated[bool, typer.Option("-V", "--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(f"wsim {wsim.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command(
    cls=PlanCommand,
    context_settings=EXTRA_OPTIONS,
    short_help="Play games, write a run folder, show its tables.",
)
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
    trust: Trust = False,
    shard: Annotated[
        int | None,
        typer.Option("--shard-games", help="Games per file.", parser=whole, metavar="N", show_default="250,000 rows"),
    ] = None,
    wide: Wide = False,
    part: Annotated[
        str | None,
        typer.Option(
            "--shard", metavar="K/N", help="Play part K of N only, into a folder of its own; then wsim merge."
        ),
    ] = None,
    cluster: ClusterAddress = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play games and write a run folder of Parquet files; print its tables.

    Without options: 25,000 games of 7 Wonders for four, all played by `net`. The same options make the same data.
    """
    from wsim.cli.run_command import Output, run_command

    output = Output(out, resume, shard, threads, trust, part, cluster)
    run_command(given, output, wide=wide, as_json=as_json, quiet=quiet)


@app.command(cls=PlainCommand, short_help="Join the parts of a run.")
def merge(
    parts: Annotated[list[str], typer.Argument(metavar="PART...", help="Folders that wsim run --shard wrote.")],
    out: Annotated[str, typer.Option("-o", "--out", metavar="FOLDER", help="Write the run here.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Join the parts of a run: all of them, each once, sound and of one plan. The parts stay as they are."""
    from wsim.cli.merge_command import merge_command

    merge_command(parts, out, as_json=as_json, quiet=quiet)


@app.command(cls=PlainCommand, short_help="Copy a run into an object store, or back.")
def copy(
    source: Annotated[str, typer.Argument(metavar="RUN", help="A folder, or s3://bucket/path.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The other of the two.")],
    quiet: Quiet = False,
) -> None:
    """Copy a finished run into an object store, or back; every file is checked (needs wsim[s3])."""
    from wsim.cli.copy_command import copy_command

    copy_command(source, target, quiet=quiet)


@app.command(cls=PlainCommand, short_help="Compare two runs.")
def compare(
    first: RunFolder,
    second: Annotated[str, typer.Argument(metavar="OTHER", help="Another one, of the same game and players.")],
    metric: Annotated[
        list[str] | None,
        typer.Option(help="Only this (repeatable): score, win:NAME, built:CARD, ... as of wsim whatif."),
    ] = None,
    level: Level = 0.95,
    sort: Sort = None,
    top: Top = None,
    only: Filter = None,
    wide: Wide = False,
    csv: Csv = None,
    parquet: Parquet = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare two runs: OTHER less RUN, paired game by game where they have the same deals."""
    from wsim.cli.compare_command import Asked as Comparing
    from wsim.cli.compare_command import compare_command

    view = View(sort, top, tuple(only or ()), wide)
    asked = Comparing(tuple(metric or ()), view, level, Files(csv, parquet))
    compare_command(first, second, asked, as_json=as_json, quiet=quiet)


@app.command(cls=PlanCommand, context_settings=EXTRA_OPTIONS, short_help="Play again what made something, and compare.")
@plan_options(*(name for name in PLAN_OPTIONS if name != "policies"))
def rerun(
    given: Given,
    out: Annotated[
        str | None, typer.Option("-o", "--out", metavar="FOLDER", help="Keep the games that are played, of a run.")
    ] = None,
    threads: Threads = None,
    trust: Trust = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play again what made something, and compare; exit 1 if it is not the same: wsim rerun RUN

    A run folder or a shard of one, an answer of wsim whatif, match or skill (FILE.json, FILE.parquet), one of wsim
    experiment picks --json, a page of wsim report. Files that it names are read in its run folder, or where their names
    say.
    """
    from wsim.cli.rerun_command import rerun_command

    rerun_command(given, out, threads=threads, trust=trust, as_json=as_json, quiet=quiet)


@app.command(cls=PlainCommand, short_help="Check that a run is what was written.")
def verify(run: RunFolder, as_json: Json = False) -> None:
    """Check a run: every file, digest, range and row, and what the data were made of; exit 1 if anything is wrong."""
    from wsim.cli.verify_command import verify_command

    verify_command(run, as_json=as_json)


app.add_typer(comparisons)
app.add_typer(tables)
app.add_typer(games)
app.add_typer(balance_commands)
app.add_typer(learning)
app.add_typer(matches)
app.add_typer(tuning)
app.add_typer(experiment, name="experiment")


@app.command(cls=PlainCommand, short_help="Write the page of a run.")
def report(
    run: RunFolder,
    out: Annotated[
        str | None, typer.Option("-o", "--out", metavar="FILE", help="Write here.", show_default="RUN/report.html")
    ] = None,
    whatif: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Show this answer of wsim whatif too (repeatable); those in RUN are shown."),
    ] = None,
    compare: Annotated[str | None, typer.Option(metavar="RUN", help="Show the differences to this run.")] = None,
    balance: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Show this record of wsim balance, too (repeatable).")
    ] = None,
    match: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Show this answer of wsim match, too (repeatable); those in RUN are shown."),
    ] = None,
    skill: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Show this answer of wsim skill, too (repeatable); those in RUN are shown."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write the page of a run: conclusions, charts and tables in one HTML file that needs no network."""
    from wsim.cli.report_command import report_command

    beside = {"whatifs": whatif, "balances": balance, "matches": match, "skills": skill}
    report_command(run, out, compare, {name: files or () for name, files in beside.items()}, quiet=quiet)


@app.command(cls=PlainCommand, short_help="List the policies of a game.")
def policies(
    game: GameName = None,
    check: Annotated[
        str | None, typer.Option(metavar="FILE:NAME", help="Try out a policy of your own.", show_default=False)
    ] = None,
    games: Annotated[int, typer.Option(min=1, max=100_000, help="With --check: games of each table.")] = 5,
    wide: Wide = False,
    as_json: Json = False,
) -> None:
    """List the policies that can be named in a line-up, or try one of your own out.

    A policy of your own is bounds-checked. --check plays it compiled and as plain Python, compares and times the two,
    and says what is wrong; one that passes is compiled without the checks until its file changes.
    """
    from wsim.cli.policies_command import check_command, policies_command

    if check is not None:
        check_command(check, game, games, as_json=as_json)
        return
    policies_command(game, wide=wide, as_json=as_json)


@app.command(cls=PlainCommand, short_help="Show, compare and check cards and rules.")
def catalog(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Only this card or wonder.", show_default=False)
    ] = None,
    game: GameName = None,
    ruleset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which rules and components: --rulesets.", show_default=DEFAULT_RULESET),
    ] = None,
    cards: Annotated[str | None, typer.Option(metavar="FILE", help="Show this catalogue, not wsim's own.")] = None,
    patch: Annotated[list[str] | None, typer.Option(metavar="FILE", help="Lay this file over it (repeatable).")] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change one value (repeatable).")
    ] = None,
    diff: Annotated[tuple[str, str] | None, typer.Option(metavar="A B", help="Compare two rule sets.")] = None,
    check: Annotated[str | None, typer.Option(metavar="FILE", help="Check a catalogue or a patch of it.")] = None,
    rulesets: Annotated[bool, typer.Option("--rulesets", help="List the rule sets of all games.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of card files and patches, for editors.")
    ] = False,
    wide: Wide = False,
    as_json: Json = False,
) -> None:
    """Show what a game is made of, compare rule sets, check a file of your own."""
    from wsim.cli.catalog_command import (
        Source,
        check_command,
        diff_command,
        rulesets_command,
        schema_command,
        show_command,
    )

    source = Source(game, ruleset, cards, tuple(patch or ()), tuple(changes or ()))
    if rulesets:
        rulesets_command(as_json=as_json)
    elif schema:
        schema_command(source)
    elif check is not None:
        check_command(source, check, wide=wide, as_json=as_json)
    elif diff is not None:
        diff_command(source, diff, as_json=as_json)
    else:
        show_command(source, name, wide=wide, as_json=as_json)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(_GARBAGE)
    words = sys.argv[1:] if arguments is None else arguments
    command = typer.main.get_command(narrowed(app, words))

    def call() -> int | None:
        for word in words:
            refuse_unprintable(word, "the argument")
        code: int | None = command.main(arguments, prog_name="wsim", standalone_mode=False)
        return code

    sys.exit(guarded(call))
