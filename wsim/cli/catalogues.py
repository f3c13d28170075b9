"""What a game is made of, shown, compared and checked; its rule sets; the schema of its card file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wsim.babel.catalog import load_catalogue as load_babel
from wsim.babel.catalog.listing import value_rows
from wsim.babel.game import GAME as BABEL_GAME
from wsim.babel.words import FEWEST_SEATS, SEATS
from wsim.cli.console import print_json, print_tables, write_note, write_out
from wsim.display import Shown
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.spec.source import read_toml
from wsim.wonders.catalog import load_catalogue, ruleset_names
from wsim.wonders.catalog.listing import card_rows, catalogue_dict, diff_lines, diff_rows, switch_rows, wonder_rows
from wsim.wonders.game import GAME as WONDERS_GAME

if TYPE_CHECKING:
    from wsim.wonders.catalog import Catalogue

Rows = list[dict[str, Any]]

BABEL, BABEL_TITLE, WONDERS = BABEL_GAME.NAME, BABEL_GAME.TITLE, WONDERS_GAME.NAME
BABEL_PLAYERS = ", ".join(map(str, range(FEWEST_SEATS, SEATS + 1)))


@dataclass(frozen=True)
class Source:
    """Where a catalogue comes from.

    Attributes
    ----------
    game: whose it is; None for the first game.
    ruleset: None for the game's usual one.
    cards: a file; None for wsim's own. patches, changes: laid over it.
    """

    game: str | None = None
    ruleset: str | None = None
    cards: str | None = None
    patches: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The game; raise UserError for one that has no catalogue to show."""
        name = self.game or WONDERS
        find_game(name)
        if name not in (WONDERS, BABEL):
            raise UserError(f"{name} has no catalogue to show: {WONDERS} and {BABEL} have one")
        return name

    def load(self, ruleset: str | None = None) -> Catalogue:
        """Load and check one rule set of 7 Wonders."""
        return load_catalogue(ruleset or self.ruleset or "1e", self.cards, self.patches, self.changes)

    def babel(self) -> Any:
        """Load and check the catalogue of Tower of Babel; raise UserError for a rule set that it has not."""
        catalogue = load_babel(self.cards, self.patches, self.changes)
        if self.ruleset not in (None, catalogue.ruleset):
            raise UserError(f"unknown rule set {self.ruleset!r}: {BABEL_TITLE} has {catalogue.ruleset}")
        return catalogue


def show_command(source: Source, name: str | None, *, wide: bool, as_json: bool) -> None:
    """Print a whole catalogue, or what of it is called ``name``."""
    show = _show_babel if source.name == BABEL else _show_wonders
    show(source, name, wide=wide, as_json=as_json)


def _show_wonders(source: Source, name: str | None, *, wide: bool, as_json: bool) -> None:
    catalogue = source.load()
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
    head = f"{catalogue.title} ({catalogue.ruleset}) for {seats} players; {catalogue.source}, digest {catalogue.digest}"
    write_note(head)
    write_out("")
    parts = (
        Shown("Cards", cards, first=("name", "age", "cost", "effects", "color")),
        Shown("Wonders", wonders, first=("wonder", "side", "stage", "cost", "effects"), labels=4),
        Shown("Switches", switches),
    )
    print_tables([part for part in parts if part.rows], wide=wide)


def _show_babel(source: Source, name: str | None, *, wide: bool, as_json: bool) -> None:
    catalogue = source.babel()
    rows = value_rows(catalogue)
    if name is not None:
        found = [row for row in rows if name.casefold() in (row["part"], row["path"], row["value"].casefold())]
        if not found:
            names = [str(row[key]) for key in ("part", "value", "path") for row in rows]
            raise UserError(f"nothing of {BABEL_TITLE} is called {name!r}{nearest(name, names)}")
        rows = found
    if as_json:
        print_json(rows)
        return
    write_note(
        f"{BABEL_TITLE} ({catalogue.ruleset}) for {BABEL_PLAYERS} players; {catalogue.source}, digest "
        f"{catalogue.digest}. Each value is changed by its path: --set PATH=VALUE"
    )
    write_out("")
    parts: dict[str, Rows] = {}
    for row in rows:
        shown = {key: row[key] for key in ("path", "value", "changed", "known", "note")}
        parts.setdefault(row["part"], []).append(shown)
    tables = [Shown(part.replace("_", " ").capitalize(), _slim(of_part)) for part, of_part in parts.items()]
    print_tables(tables, wide=wide)


def _slim(rows: Rows) -> Rows:
    """Leave out the columns that say nothing."""
    columns = [key for key in rows[0] if any(row[key] for row in rows)]
    return [{key: row[key] for key in columns} for row in rows]


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
    if source.name == BABEL:
        raise UserError(f"{BABEL_TITLE} has one rule set, {source.babel().ruleset}: there is nothing to compare")
    old, new = map(source.load, rulesets)
    if as_json:
        print_json(diff_rows(old, new))
        return
    for line in diff_lines(old, new):
        write_out(line)


def rulesets_command(*, as_json: bool) -> None:
    """Print the rule sets of all games."""
    rows: Rows = []
    for name in ruleset_names():
        catalogue = load_catalogue(name)
        seats = ", ".join(map(str, catalogue.seat_numbers))
        rows.append({"game": WONDERS, "ruleset": name, "title": catalogue.title, "players": seats})
    rows.append({"game": BABEL, "ruleset": load_babel().ruleset, "title": BABEL_TITLE, "players": BABEL_PLAYERS})
    if as_json:
        print_json(rows)
        return
    print_tables([Shown("Rule sets: --game GAME --ruleset RULESET", rows, first=("game", "ruleset", "players"))])


def schema_command(source: Source) -> None:
    """Print the JSON Schema of a game's card file."""
    from wsim.babel.catalog.schema import card_file_schema as of_babel
    from wsim.wonders.catalog.schema import card_file_schema as of_wonders

    print_json(of_babel() if source.name == BABEL else of_wonders())


def check_command(source: Source, path: str, *, wide: bool, as_json: bool) -> None:
    """Check every rule set of a card file, or a patch as it lies over the rule set; a mistake is a UserError."""
    checks: Mapping[str, Callable[[Source, str], Rows]] = {WONDERS: _checked_wonders, BABEL: _checked_babel}
    rows = checks[source.name](source, path)
    if as_json:
        print_json(rows)
        return
    print_tables([Shown(f"{path}: no mistakes", rows)], wide=wide)


def _checked_wonders(source: Source, path: str) -> Rows:
    rulesets = read_toml(path).get("rulesets", {})
    whole = isinstance(rulesets, dict) and any("seats" in one or "sides" in one for one in rulesets.values())
    names: Sequence[str] = ruleset_names(path) if whole else ()
    checked = [Source(cards=path).load(name) for name in names] or [Source(patches=(path,)).load(source.ruleset)]
    return [
        {
            "ruleset": catalogue.ruleset,
            "title": catalogue.title,
            "cards": len(catalogue.cards),
            "wonders": len(catalogue.wonders),
            "digest": catalogue.digest,
        }
        for catalogue in checked
    ]


def _checked_babel(source: Source, path: str) -> Rows:
    section = read_toml(path).get("babel", {})
    whole = isinstance(section, dict) and {"ruleset", "value_table", "discs"} <= set(section)
    catalogue = Source(BABEL, cards=path).babel() if whole else Source(BABEL, source.ruleset, patches=(path,)).babel()
    return [{"ruleset": catalogue.ruleset, "title": BABEL_TITLE, "digest": catalogue.digest}]
