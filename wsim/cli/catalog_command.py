"""``wsim catalog``: show, compare and check the cards and rules of a game, list rule sets, print the JSON Schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wsim.cli.console import print_json, print_tables, write_note, write_out
from wsim.document import Sheet
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.plan import defaults_by_game, first_game, game_names, loadable_games
from wsim.options import Options, argument, option
from wsim.spec.catalogues import Rows, Source, catalogues_of

if TYPE_CHECKING:
    from wsim.cli.groups import Printing
    from wsim.lab.table_options import Wide
    from wsim.spec.catalogues import Catalogues


@dataclass(frozen=True)
class CatalogOptions(Options):
    """Show the cards and rules of a game, compare rule sets, or check your own catalogue or patch."""

    name: str | None = argument("Show only this card or wonder.", None, metavar="[NAME]")
    game: str | None = option(game_names, None, metavar="GAME", shown=first_game)
    ruleset: str | None = option(
        "Rules and components (--rulesets lists them).", None, metavar="NAME", shown=lambda: defaults_by_game("ruleset")
    )
    cards: str | None = option("Use this catalogue instead of the built-in one.", None, metavar="FILE")
    patch: tuple[str, ...] = option("Apply this patch to the catalogue (repeatable).", (), metavar="FILE")
    change: tuple[str, ...] = option(
        "Change one value of the catalogue (repeatable).", (), metavar="PATH=VALUE", names=("--set",)
    )
    diff: tuple[str, ...] = option("Compare two rule sets.", (), metavar="A B")
    check: str | None = option("Check a catalogue or patch, and play games with it.", None, metavar="FILE")
    rulesets: bool = option("List the rule sets of all games.", False)
    schema: bool = option("Print the JSON Schema of card files and patches, for editors.", False)


def catalog_command(options: CatalogOptions, table: Wide, printing: Printing) -> None:
    """Show, compare or check a catalogue, list rule sets, or print the schema, depending on the options."""
    if options.rulesets:
        rows = [{"game": name, **row} for name, of_game in _all_catalogues().items() for row in of_game.rulesets()]
        title = "Rule sets: --game GAME --ruleset RULESET"
        _print(rows, [Sheet(title, rows, first=("game", "ruleset", "players"))], table, printing)
        return
    catalogues = _catalogues(options.game or first_game())
    source = Source(options.ruleset, options.cards, options.patch, options.change)
    if options.schema:
        print_json(catalogues.schema())
    elif options.check is not None:
        rows = catalogues.check(source, options.check)
        _print(rows, [Sheet(f"{options.check}: no mistakes", rows)], table, printing)
        if not printing.as_json:
            write_note(_tried_note(rows))
    elif options.diff:
        old, new = options.diff
        rows, lines = catalogues.differences(source, old, new)
        if printing.as_json:
            print_json(rows)
        else:
            for line in lines:
                write_out(line)
    else:
        page = catalogues.page(source, options.name)
        if not printing.as_json:
            write_note(page.head)
            write_out("")
        _print(page.record, page.tables, table, printing)


def _tried_note(rows: Rows) -> str:
    """Return a note on the number of games played to test a catalogue."""
    from wsim.lab.catalogue_games import GAMES, POLICIES

    if not all(row["games"] for row in rows):
        return "No games were played, because that would run the Python effects."
    if any(row["games"] < GAMES for row in rows):
        return f"No game failed: {sum(row['games'] for row in rows):,} in all."
    games = " and ".join(f"{GAMES:,} with {policy}" for policy in POLICIES)
    return f"No game exceeded a limit: {games}, for each number of players."


def _print(record: Any, tables: Sequence[Sheet], table: Wide, printing: Printing) -> None:
    if printing.as_json:
        print_json(record)
    else:
        print_tables(tables, wide=table.wide)


def _all_catalogues() -> dict[str, Catalogues]:
    """Return the catalogues of all games that provide them, by name of the game."""
    return {name: _catalogues(name) for name, game in loadable_games() if game.CATALOGUES is not None}


def _catalogues(name: str) -> Catalogues:
    """Return the catalogues of a game; raise UserError if it has none."""
    catalogues = catalogues_of(find_game(name))
    if catalogues is None:
        raise UserError(f"{name} has no catalogue to show: {' and '.join(_all_catalogues())} have one")
    return catalogues
