"""``wsim policies``: the registry of a game."""

from __future__ import annotations

from typing import Any

import typer

from wsim.cli.console import Shown, print_json, print_tables
from wsim.game import GAMES, find_game

__all__ = ["check_command", "policies_command"]

CHECK_SEED = 1


def policies_command(game: str | None, *, wide: bool, as_json: bool) -> None:
    """Print the policies of a game."""
    name = game or next(iter(GAMES))
    rows = [dict(row) for row in find_game(name).policies()]
    if as_json:
        print_json(rows)
        return
    print_tables([Shown(f"Policies of {name}", rows, first=("name", "idea", "parameters"))], wide=wide)


def check_command(policy: str, game: str | None, games: int, *, as_json: bool) -> None:
    """Try a user's policy out, say what is wrong with it, and end with 1 if something is."""
    from wsim.lab.policy_check import check_policy

    name = game or next(iter(GAMES))
    found = check_policy(policy, _tables(name), games, CHECK_SEED)
    if as_json:
        print_json(found.as_dict())
    else:
        for sentence in found.wrong:
            typer.echo(f"wrong: {sentence}")
        if found.tables:
            typer.echo(f"{policy}: {found.compiled:,.0f} us a game compiled, {found.plain:,.0f} us as plain Python")
        if not found.wrong:
            typer.echo(f"{policy} plays the same both ways in {sum(found.tables.values()):,} games")
    if found.wrong:
        raise typer.Exit(1)


def _tables(game: str) -> dict[str, dict[str, Any]]:
    """Return a table for the game's usual rules, one for few and one for many seats."""
    usual = dict(find_game(game).default_plan())
    players = sorted({3, int(usual["players"]), 5})
    return {f"{count} players": {"game": game, "players": count} for count in players}
