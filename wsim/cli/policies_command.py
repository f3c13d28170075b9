"""``wsim policies``: list the policies of a game, show one of them, or test your own."""

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
MAX_GAMES = 100_000


def _checked_games(name: str, value: int) -> int:
    if not 1 <= value <= MAX_GAMES:
        raise UserError(f"{name} must be from 1 to {MAX_GAMES:,}, not {value}")
    return value


@dataclass(frozen=True)
class PoliciesOptions(Options):
    """List the policies for line-ups, show one of them, or test your own.

    For a net, named as in a line-up (net, net:seed=2, net:file=learned/net.npz), this also shows how it was trained.

    --check plays games with your policy both compiled and as plain Python, compares the results, times both, and
    reports problems. Your own policies are compiled with bounds checks; for code that you trust, wsim --unchecked
    COMMAND turns the checks off.
    """

    policy: str | None = argument(
        "Show only this policy, named as in a line-up.", None, metavar="[POLICY]", shown="all"
    )
    game: str | None = option(game_names, None, metavar="GAME", shown=first_game)
    check: str | None = option("Test your own policy.", None, metavar="FILE:NAME")
    games: int = option(f"Games per table for --check, 1 to {MAX_GAMES:,}.", 5, metavar="N", check=_checked_games)


def policies_command(options: PoliciesOptions, table: Wide, printing: Printing) -> None:
    """Print the policies of a game, or test a user's policy."""
    name = options.game or first_game()
    if options.check is not None:
        _try_out(options.check, name, options.games, as_json=printing.as_json)
        return
    if options.policy is not None:
        _show_policy(options.policy, name, table, as_json=printing.as_json)
        return
    rows = [dict(row) for row in find_game(name).policies()]
    if printing.as_json:
        print_json(rows)
        return
    print_tables([Sheet(f"Policies of {name}", rows, first=("name", "idea", "parameters"))], wide=table.wide)


def _show_policy(policy: str, game: str, table: Wide, *, as_json: bool) -> None:
    """Print the row of a policy and, for a net, its training history."""
    entry = parse_entry(policy)
    rows = {str(row["name"]): row for row in find_game(game).policies()}
    if entry.name not in rows:
        raise UserError(f"unknown policy {entry.name!r}{nearest(entry.name, rows)}; accepted: {', '.join(rows)}")
    row = dict(rows[entry.name])
    nets = _training_histories(entry, game) if row["kind"].startswith("net") else []
    if as_json:
        print_json({**row, **({"nets": nets} if nets else {})})
        return
    print_tables([Sheet(f"{game}: {entry.name}", [row], first=("name", "idea", "parameters"))], wide=table.wide)
    for net in nets:
        write_out(f"\n{net['net']}: {_training_in_words(net)}")


def _training_histories(entry: Entry, game: str) -> list[dict[str, Any]]:
    """Return the training history of a net, or of all built-in nets if the entry has no parameters."""
    from wsim.learn.learner import learner_of
    from wsim.learn.plan import learned_from

    nets = learner_of(game).nets
    named = {key: str(entry.parameters[key]) for key in ("file", "seed") if key in entry.parameters}
    every = [named] if named else [{"seed": str(index + 1)} for index in range(len(nets.files))]
    return [
        {"net": str(Entry(entry.name, keys)), **learned_from(nets.named(keys.get("file", ""), keys.get("seed", "1")))}
        for keys in every
    ]


def _training_in_words(net: Mapping[str, Any]) -> str:
    """Describe how a net was trained, in words."""
    if not net["rounds"]:
        return f"its file does not record its training ({net['digest']})"
    tables = ", ".join(f"{name} {count:,}" for name, count in net["tables"].items())
    start = f" from {net['start']}" if net["start"] else ""
    changes = f"; with {', '.join(net['changes'])}" if net["changes"] else ""
    return (
        f"trained on {net['decisions']:,} decisions in {net['rounds']} rounds{start}, seed {net['seed']}: "
        f"{tables}{changes} ({net['digest']})"
    )


def _try_out(policy: str, game: str, games: int, *, as_json: bool) -> None:
    """Test a user's policy and print its problems; exit with code 1 if there are any."""
    from wsim.lab.policy_check import check_policy

    players = sorted({3, int(find_game(game).default_plan()["players"]), 5})
    tables = {f"{count} players": {"game": game, "players": count} for count in players}
    result = check_policy(policy, tables, games, CHECK_SEED)
    if as_json:
        print_json(result.record())
    else:
        for sentence in result.wrong:
            write_out(f"wrong: {sentence}")
        if result.tables:
            write_out(f"{policy}: {result.compiled:,.0f} us per game compiled, {result.plain:,.0f} us as plain Python")
        if not result.wrong:
            write_out(f"{policy} plays the same both ways in {sum(result.tables.values()):,} games")
    if result.wrong:
        raise Exit(1)
