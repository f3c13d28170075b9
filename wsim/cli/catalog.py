"""``wsim catalog``: show, compare and check the cards and wonders of 7 Wonders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wsim.catalog.source import read_toml
from wsim.cli.console import print_json, print_tables, write_out
from wsim.errors import UserError, nearest
from wsim.wonders.catalog import load_catalogue, ruleset_names
from wsim.wonders.catalog.text import card_rows, catalogue_dict, diff_lines, diff_rows, switch_rows, wonder_rows

if TYPE_CHECKING:
    from wsim.wonders.catalog import Catalogue

__all__ = ["Source", "check_command", "diff_command", "show_command"]


@dataclass(frozen=True)
class Source:
    """Where a catalogue comes from: a file (None: wsim's own), patches and single changes laid over it."""

    cards: str | None = None
    patches: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()

    def load(self, ruleset: str) -> Catalogue:
        """Load and check one rule set."""
        return load_catalogue(ruleset, self.cards, self.patches, self.changes)


def show_command(source: Source, ruleset: str, name: str | None, *, as_json: bool) -> None:
    """Print a whole catalogue, or the one card or wonder called ``name``."""
    catalogue = source.load(ruleset)
    if as_json and name is None:
        print_json(catalogue_dict(catalogue))
        return
    cards, wonders = card_rows(catalogue), wonder_rows(catalogue)
    switches = switch_rows(catalogue) if name is None else []
    if name is not None:
        cards, wonders = _named(name, cards, wonders)
        if as_json:
            print_json(cards or wonders)
            return
    seats = ", ".join(map(str, catalogue.seat_numbers))
    write_out(f"{catalogue.title} ({ruleset}) for {seats} players; {catalogue.source}, digest {catalogue.digest}\n")
    parts = (("Cards", cards), ("Wonders", wonders), ("Switches", switches))
    print_tables([(title, rows) for title, rows in parts if rows])


Rows = list[dict[str, Any]]


def _named(name: str, cards: Rows, wonders: Rows) -> tuple[Rows, Rows]:
    """Keep what is called ``name``, capitals aside; raise UserError if nothing is."""
    found = (
        [row for row in cards if row["name"].casefold() == name.casefold()],
        [row for row in wonders if row["wonder"].casefold() == name.casefold()],
    )
    if not any(found):
        names = dict.fromkeys([*(row["name"] for row in cards), *(row["wonder"] for row in wonders)])
        raise UserError(f"no card or wonder is called {name!r}{nearest(name, names)}")
    return found


def diff_command(source: Source, rulesets: tuple[str, str], *, as_json: bool) -> None:
    """Print what differs between two rule sets."""
    old, new = map(source.load, rulesets)
    if as_json:
        print_json(diff_rows(old, new))
        return
    for line in diff_lines(old, new):
        write_out(line)


def check_command(path: str, ruleset: str, *, as_json: bool) -> None:
    """Check every rule set of a card file, or a patch as it lies over ``ruleset``; a mistake is a UserError."""
    rulesets = read_toml(path).get("rulesets", {})
    whole = isinstance(rulesets, dict) and any("seats" in one or "sides" in one for one in rulesets.values())
    names = ruleset_names(path) if whole else ()
    checked = [Source(path).load(name) for name in names] or [Source(patches=(path,)).load(ruleset)]
    rows = [
        {
            "ruleset": catalogue.ruleset,
            "title": catalogue.title,
            "cards": len(catalogue.cards),
            "wonders": len(catalogue.wonders),
            "digest": catalogue.digest,
        }
        for catalogue in checked
    ]
    if as_json:
        print_json(rows)
        return
    print_tables([(f"{path}: no mistakes", rows)])
