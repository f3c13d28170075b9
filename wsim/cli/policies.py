"""``wsim policies``: the registry of a game."""

from __future__ import annotations

from wsim.cli.console import Shown, print_json, print_tables
from wsim.game import GAMES, find_game

__all__ = ["policies_command"]


def policies_command(game: str | None, *, wide: bool, as_json: bool) -> None:
    """Print the policies of a game."""
    name = game or next(iter(GAMES))
    rows = [dict(row) for row in find_game(name).policies()]
    if as_json:
        print_json(rows)
        return
    print_tables([Shown(f"Policies of {name}", rows, first=("name", "idea", "parameters"))], wide=wide)
