"""``wsim policies``: the registry of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from typer import Exit

from wsim.cli.console import print_json, print_tables, write_out
from wsim.display import Shown
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.plan import first_game, game_names
from wsim.options import Options, option

if TYPE_CHECKING:
    from wsim.cli.groups import Printing, Wide

CHECK_SEED = 1
MOST_GAMES = 100_000


def _games(name: str, value: int) -> int:
    if not 1 <= value <= MOST_GAMES:
        raise UserError(f"{name} must be from 1 to {MOST_GAMES:,}, not {value}")
    return value


@dataclass(frozen=True)
class PoliciesOptions(Options):
    """List the policies that can be named in a line-up, or try one of your own out.

    A policy of your own is bounds-checked. --check plays it compiled and as plain Python, compares and times the two,
    and says what is wrong. wsim --unchecked COMMAND compiles those that you trust without the checks.
    """

    game: str | None = option(game_names, None, metavar="GAME", shown=first_game)
    check: str | None = option("Try out a policy of your own.", None, metavar="FILE:NAME")
    games: int = option(f"With --check: games of each table, 1 to {MOST_GAMES:,}.", 5, metavar="N", check=_games)


def policies_command(options: PoliciesOptions, table: Wide, printing: Printing) -> None:
    """Print the policies of a game, or try one out."""
    name = options.game or first_game()
    if options.check is not None:
        _try_out(options.check, name, options.games, as_json=printing.as_json)
        return
    rows = [dict(row) for row in find_game(name).policies()]
    if printing.as_json:
        print_json(rows)
        return
    print_tables([Shown(f"Policies of {name}", rows, first=("name", "idea", "parameters"))], wide=table.wide)


def _try_out(policy: str, game: str, games: int, *, as_json: bool) -> None:
    """Try a user's policy out, say what is wrong with it, and end with 1 if something is."""
    from wsim.lab.policy_check import check_policy

    found = check_policy(policy, _tables(game), games, CHECK_SEED)
    if as_json:
        print_json(found.record())
    else:
        for sentence in found.wrong:
            write_out(f"wrong: {sentence}")
        if found.tables:
            write_out(f"{policy}: {found.compiled:,.0f} us a game compiled, {found.plain:,.0f} us as plain Python")
        if not found.wrong:
            write_out(f"{policy} plays the same both ways in {sum(found.tables.values()):,} games")
    if found.wrong:
        raise Exit(1)


def _tables(game: str) -> dict[str, dict[str, Any]]:
    """Return a table for the game's usual rules, one for few and one for many seats."""
    usual = dict(find_game(game).default_plan())
    players = sorted({3, int(usual["players"]), 5})
    return {f"{count} players": {"game": game, "players": count} for count in players}
