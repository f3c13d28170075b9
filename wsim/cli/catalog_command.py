"""``wsim catalog``: show, compare and check what a game is made of; its rule sets; the schema of its card file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wsim.lab.plan import first_game, game_names, of_the_games
from wsim.options import Options, argument, option

if TYPE_CHECKING:
    from wsim.cli.groups import Printing, Wide


@dataclass(frozen=True)
class CatalogOptions(Options):
    """Show what a game is made of, compare rule sets, check a file of your own."""

    name: str | None = argument("Only this card or wonder.", None, metavar="NAME")
    game: str | None = option(game_names, None, metavar="GAME", shown=first_game)
    ruleset: str | None = option(
        "Which rules and components: --rulesets.", None, metavar="NAME", shown=lambda: of_the_games("ruleset")
    )
    cards: str | None = option("Show this catalogue, not wsim's own.", None, metavar="FILE")
    patch: tuple[str, ...] = option("Lay this file over it (repeatable).", (), metavar="FILE")
    change: tuple[str, ...] = option("Change one value (repeatable).", (), metavar="PATH=VALUE", names=("--set",))
    diff: tuple[str, ...] = option("Compare two rule sets.", (), metavar="A B")
    check: str | None = option("Check a catalogue or a patch of it.", None, metavar="FILE")
    rulesets: bool = option("List the rule sets of all games.", False)
    schema: bool = option("Print the JSON Schema of card files and patches, for editors.", False)


def catalog_command(options: CatalogOptions, table: Wide, printing: Printing) -> None:
    """Do the one thing that is asked for: show, compare, check, list, or print the schema."""
    from wsim.cli import catalogues

    source = catalogues.Source(options.game, options.ruleset, options.cards, options.patch, options.change)
    if options.rulesets:
        catalogues.rulesets_command(as_json=printing.as_json)
    elif options.schema:
        catalogues.schema_command(source)
    elif options.check is not None:
        catalogues.check_command(source, options.check, wide=table.wide, as_json=printing.as_json)
    elif options.diff:
        first, second = options.diff
        catalogues.diff_command(source, (first, second), as_json=printing.as_json)
    else:
        catalogues.show_command(source, options.name, wide=table.wide, as_json=printing.as_json)
