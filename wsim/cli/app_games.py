"""Names and options of the commands about single games: told, asked, played. The recipe is in ``app.py``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from wsim.cli.options import (
    EXTRA_OPTIONS,
    Given,
    Json,
    PlainCommand,
    PlanCommand,
    Quiet,
    TraceCommand,
    Trust,
    plan_options,
    whole,
)

__all__ = ["games"]

games = typer.Typer()


@games.command(
    cls=TraceCommand, context_settings=EXTRA_OPTIONS, short_help="Tell whole games, every decision of them, and why."
)
@plan_options("picks", "keep", games="1")
def trace(
    given: Given,
    first: Annotated[
        int | None, typer.Option(help="Number of the first game.", parser=whole, metavar="N", show_default="0")
    ] = None,
    why: Annotated[
        str | None,
        typer.Option(metavar="[SEAT]", help="Add what each move was worth, at the decisions of a seat or of all."),
    ] = None,
    playouts: Annotated[
        int | None,
        typer.Option(
            help="Of each move for --why, of each win chance of a page.", parser=whole, metavar="N", show_default="200"
        ),
    ] = None,
    out: Annotated[str | None, typer.Option("-o", "--out", metavar="FILE", help="Write here.")] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="json|text|html",
            help="JSON lines, text for people (default on a terminal), or a page of one game to step through.",
        ),
    ] = None,
    trust: Trust = False,
    quiet: Quiet = False,
) -> None:
    """Tell whole games, every decision of them: one JSON object per line, text or a page.

    wsim trace RUN GAME tells a game of a run, as it was played. --why 2 adds why seat 2 won or lost.
    """
    from wsim.cli.trace_command import Told, trace_command

    trace_command(given, first, Told(out, form, why, playouts, trust, quiet))


@games.command(cls=PlainCommand, short_help="Rank what a seat can do in a position.")
def advise(
    source: Annotated[str, typer.Argument(metavar="POSITION|RUN", help="A position file, or the folder of a run.")],
    number: Annotated[int | None, typer.Argument(metavar="[GAME]", help="Which game of the run.", parser=whole)] = None,
    age: Annotated[int | None, typer.Option(help="The moment in the game of a run.", parser=whole, metavar="N")] = None,
    turn: Annotated[int | None, typer.Option(help="Its turn, from 1.", parser=whole, metavar="N")] = None,
    seat: Annotated[int | None, typer.Option(help="Whose decision.", parser=whole, metavar="N")] = None,
    playouts: Annotated[
        int | None, typer.Option(help="Of each move.", parser=whole, metavar="N", show_default="400")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Think for so long instead; the answer then depends on the machine.")
    ] = None,
    play_on: Annotated[
        str | None,
        typer.Option(
            "--play-on",
            metavar="LINE-UP",
            help="Who plays the playouts: one for all, or one per seat.",
            show_default="who sits at the table",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the playouts.", parser=whole, metavar="N")] = 0,
    trust: Trust = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Rank the legal moves by win chance and score, with intervals, and say what each policy would do.

    wsim advise POSITION.json, or wsim advise RUN GAME --age 2 --turn 3 --seat 1. Only what the seat can know counts.
    """
    from wsim.cli.advise_command import Asked as Position
    from wsim.cli.advise_command import advise_command

    moment = {"age": age, "turn": turn, "seat": seat}
    asked = Position(source, number, {key: value for key, value in moment.items() if value is not None}, trust)
    how: dict[str, Any] = {"seconds": seconds, "policies": play_on, "rng": seed}
    how["playouts"] = 400 if playouts is None and seconds is None else playouts
    advise_command(asked, how, as_json=as_json, quiet=quiet)


@games.command(cls=PlanCommand, context_settings=EXTRA_OPTIONS, short_help="Take a seat in the terminal.")
@plan_options("picks", "keep", "games", "rotate", games="1")
def play(
    given: Given,
    seat: Annotated[int, typer.Option(help="Your seat.", parser=whole, metavar="N")] = 0,
    number: Annotated[int, typer.Option(help="Which game of the seed.", parser=whole, metavar="N")] = 0,
    save: Annotated[
        str, typer.Option("--save", metavar="FILE", help="Where a game is kept that is left.")
    ] = "wsim-play.json",
    load: Annotated[str | None, typer.Option("--load", metavar="FILE", help="Go on with a game that was left.")] = None,
    trust: Trust = False,
) -> None:
    """Play a game yourself against any line-up: cards and prices, hints, undo, save. Ctrl-C saves, too.

    Commands are lines of standard input, so wsim play < moves.txt plays as well.
    """
    from wsim.cli.play_command import play_command

    play_command(given, seat=seat, number=number, file=save, load=load, trust=trust)
