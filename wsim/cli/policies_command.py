"""``wsim policies``: the registry of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from typer import Exit

from wsim.cli.console import print_json, print_tables, write_out
from wsim.document import Sheet
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.plan import first_game, game_names
from wsim.options import Options, argument, option
from wsim.policies.lineup import Entry, parse_entry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wsim.cli.groups import Printing
    from wsim.lab.table_options import Wide

CHECK_SEED = 1
MOST_GAMES = 100_000


def _games(name: str, value: int) -> int:
    if not 1 <= value <= MOST_GAMES:
        raise UserError(f"{name} must be from 1 to {MOST_GAMES:,}, not {value}")
    return value


@dataclass(frozen=True)
class PoliciesOptions(Options):
    """List the policies that can be named in a line-up, show one of them, or try one of your own out.

    Of a net, named as in a line-up (net, net:seed=2, net:file=learned/net.npz), it says what it learned from.

    A policy of your own is bounds-checked. --check plays it compiled and as plain Python, compares and times the two,
    and says what is wrong. wsim --unchecked COMMAND compiles those that you trust without the checks.
    """

    policy: str | None = argument("One of them, as a line-up names it.", None, metavar="[POLICY]", shown="all")
    game: str | None = option(game_names, None, metavar="GAME", shown=first_game)
    check: str | None = option("Try out a policy of your own.", None, metavar="FILE:NAME")
    games: int = option(f"With --check: games of each table, 1 to {MOST_GAMES:,}.", 5, metavar="N", check=_games)


def policies_command(options: PoliciesOptions, table: Wide, printing: Printing) -> None:
    """Print the policies of a game, or try one out."""
    name = options.game or first_game()
    if options.check is not None:
        _try_out(options.check, name, options.games, as_json=printing.as_json)
        return
    if options.policy is not None:
        _show(options.policy, name, table, as_json=printing.as_json)
        return
    rows = [dict(row) for row in find_game(name).policies()]
    if printing.as_json:
        print_json(rows)
        return
    print_tables([Sheet(f"Policies of {name}", rows, first=("name", "idea", "parameters"))], wide=table.wide)


def _show(policy: str, game: str, table: Wide, *, as_json: bool) -> None:
    """Print one policy: its row, and of a net what it learned from."""
    entry = parse_entry(policy)
    rows = {str(row["name"]): row for row in find_game(game).policies()}
    if entry.name not in rows:
        raise UserError(f"unknown policy {entry.name!r}{nearest(entry.name, rows)}: known are {', '.join(rows)}")
    row = dict(rows[entry.name])
    nets = _nets(entry, game) if row["kind"].startswith("net") else []
    if as_json:
        print_json({**row, **({"nets": nets} if nets else {})})
        return
    print_tables([Sheet(f"{game}: {entry.name}", [row], first=("name", "idea", "parameters"))], wide=table.wide)
    for one in nets:
        write_out(f"\n{one['net']}: {_sentence(one)}")


def _nets(entry: Entry, game: str) -> list[dict[str, Any]]:
    """Return what a net learned from; without parameters, what every net that comes with the game did."""
    from wsim.learn.learner import learner_of
    from wsim.learn.plan import learned_from

    nets = learner_of(game).nets
    named = {key: str(entry.parameters[key]) for key in ("file", "seed") if key in entry.parameters}
    every = [named] if named else [{"seed": str(place + 1)} for place in range(len(nets.files))]
    return [
        {"net": str(Entry(entry.name, one)), **learned_from(nets.named(one.get("file", ""), one.get("seed", "1")))}
        for one in every
    ]


def _sentence(net: Mapping[str, Any]) -> str:
    """Return in words what a net learned from."""
    if not net["rounds"]:
        return f"it says nothing of what it learned from ({net['digest']})"
    tables = ", ".join(f"{name} {count:,}" for name, count in net["tables"].items())
    start = f" from {net['start']}" if net["start"] else ""
    changes = f"; with {', '.join(net['changes'])}" if net["changes"] else ""
    return (
        f"{net['decisions']:,} decisions in {net['rounds']} rounds{start}, seed {net['seed']}: {tables}{changes} "
        f"({net['digest']})"
    )


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
