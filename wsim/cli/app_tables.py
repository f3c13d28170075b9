"""Names and options of the commands that show a table of runs: ``wsim table`` and its short forms.

They stand beside those of ``app.py``. A new table needs none of them: the game lists it, and ``wsim table`` shows it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from wsim.cli.options import EXTRA_OPTIONS, PlainCommand, table_options
from wsim.cli.table_command import Asked, list_command, table_command, words_of
from wsim.errors import UserError

__all__ = ["tables"]

tables = typer.Typer(rich_markup_mode=None)

Tolerance = Annotated[
    str | None,
    typer.Option(help="Human standard deviations within which a mean counts as human.", show_default="0.25"),
]
Card = Annotated[list[str] | None, typer.Option(metavar="NAME", help="Partners of this card (repeatable).")]
Raw = Annotated[bool | None, typer.Option("--raw", help="Pool the policies instead of comparing within them.")]
Outcome = Annotated[str | None, typer.Option(metavar="COLUMN", help="total, win_share, ...", show_default="total")]


@tables.command(
    cls=PlainCommand, context_settings=EXTRA_OPTIONS, short_help="Show any table of a run; list those that there are."
)
@table_options()
def table(asked: Asked) -> None:
    """Show a table of a run: wsim table RUN NAME. Without NAME: which tables there are, and the options of each."""
    folders, name = words_of(asked.folders)
    asked = replace(asked, folders=folders)
    if name is None and asked.options:
        raise UserError(f"name the table before its options: table RUN NAME --{next(iter(asked.options))} ...")
    if name is None:
        list_command(asked)
    else:
        table_command(name, asked)


@tables.command(cls=PlainCommand, short_help="What cards went with: win share, score.")
@table_options(raw=Raw)
def cards(asked: Asked) -> None:
    """Show what cards did in a run: win share with its interval, scores, how often built (table cards)."""
    table_command("cards", asked)


@tables.command(cls=PlainCommand, short_help="How strong boards were: win share, score.")
@table_options(raw=Raw)
def wonders(asked: Asked) -> None:
    """Show what wonders did in a run: win share with its interval, scores by category (table wonders)."""
    table_command("wonders", asked)


@tables.command(cls=PlainCommand, short_help="Hold a run against results of human players.")
@table_options(tolerance=Tolerance)
def calibrate(asked: Asked) -> None:
    """Hold a run of the first edition against the results of human players, figure by figure (table calibration)."""
    table_command("calibration", asked)


@tables.command(cls=PlainCommand, short_help="How policies do against each other.")
@table_options()
def matchups(
    asked: Asked,
    crowding: Annotated[
        bool, typer.Option("--crowding", help="Instead: what a plan is worth by the number of others who follow it.")
    ] = False,
) -> None:
    """Show how policies (or others: --by) do against each other in the same games (tables matchups, crowding)."""
    table_command("crowding" if crowding else "matchups", asked)


@tables.command(cls=PlainCommand, short_help="Plackett-Luce strengths.")
@table_options()
def strengths(asked: Asked) -> None:
    """Show Plackett-Luce strengths, from the whole order of finish (table strengths)."""
    table_command("strengths", asked)


@tables.command(cls=PlainCommand, short_help="Pairs of cards worth more together than apart.")
@table_options(card=Card, outcome=Outcome, raw=Raw)
def synergies(
    asked: Asked,
    chains: Annotated[
        bool, typer.Option("--chains", help="Instead: what finishing a chain of cards goes with.")
    ] = False,
) -> None:
    """Show which pairs of cards were worth more together than apart (tables synergies, chains)."""
    table_command("chains" if chains else "synergies", asked)


@tables.command(cls=PlainCommand, short_help="Where the variance of the score comes from.")
@table_options(outcome=Outcome)
def variance(asked: Asked) -> None:
    """Show how much of the score's variance comes from board, seat, policy and table (table variance)."""
    table_command("variance", asked)
