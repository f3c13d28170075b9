"""Names and options of the commands that make players stronger. The recipe is in ``app.py``."""

from __future__ import annotations

from typing import Annotated

import typer

from wsim.cli.options import ClusterAddress, Json, PlainCommand, Quiet, Threads, whole

__all__ = ["learning"]

learning = typer.Typer()


@learning.command(cls=PlainCommand, short_help="Learn a net from self-play, or fit one to changed cards.")
def learn(
    plan: Annotated[
        str | None,
        typer.Argument(metavar="[PLAN]", help="A learning plan (TOML).", show_default="that of the game's own net"),
    ] = None,
    out: Annotated[
        str | None, typer.Option("-o", "--out", metavar="FOLDER", help="Learn here.", show_default="learned")
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Whose net, without a plan.", show_default="seven_wonders"),
    ] = None,
    start: Annotated[
        str | None, typer.Option(metavar="NET", help="Begin from this net: shipped, or a file that wsim learn wrote.")
    ] = None,
    patch: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Learn with this patch; may be given again.")
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Learn with this change; again.")
    ] = None,
    ruleset: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of the tables without a plan.", show_default="1e; 2005")
    ] = None,
    players: Annotated[
        str | None, typer.Option(metavar="N[,N...]", help="At these tables, without a plan.", show_default="4")
    ] = None,
    decisions: Annotated[
        int | None,
        typer.Option(help="To learn from, without a plan.", parser=whole, metavar="N", show_default="60k"),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of games and fitting.", parser=whole, metavar="N")] = None,
    threads: Threads = None,
    cluster: ClusterAddress = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn a net from self-play, by a plan; or fit a net to changed cards: wsim learn --patch mine.toml

    The same command goes on where it was interrupted. The net is a policy: --policies net:file=learned/net.npz
    """
    from wsim.cli.learn_command import LearnAsked, learn_command

    asked = LearnAsked(
        plan, out, game, start, patch or (), changes or (), ruleset, players, decisions, seed, threads, cluster
    )
    learn_command(asked, as_json=as_json, quiet=quiet)
