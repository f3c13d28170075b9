"""Interpret the headings in people's sheets, and the names that people use for wonders, cards and sides.

A heading is a field of the seats table, a synonym for a field in ``names.toml``, or an item that a seat can own. In a
sheet with one row per game, a number in the heading (``Score 2``, ``Player 3 wonder``) assigns the column to that seat.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from wsim.errors import UserError, nearest
from wsim.spec.source import read_toml

OF_SEATS = re.compile(
    r"^(.*?)[\s_.:#-]*(\d{1,2})$|^(?:p|player|seat|spieler|joueur|jatekos|játékos)?[\s_.]*(\d{1,2})[\s_.:-]+(.*)$", re.I
)
MISSPELT = 0.8  # minimum similarity of a misspelling to the intended name, which must be the only name this close
OF_GAMES = ("game", "date", "group", "players", "ruleset")


def key_of(text: str) -> str:
    """Normalise a name for comparison: ignore case, accents, spaces and punctuation."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if letter.isalnum())


@cache
def words() -> Mapping[str, Any]:
    """Load the synonyms and translations in ``names.toml``."""
    return read_toml(Path(__file__).with_name("names.toml"), "list of names")


@dataclass(frozen=True)
class Headings:
    """The fields that a sheet for a game may have, and the headings that stand for them.

    Attributes
    ----------
    game: the name of the game. columns: the columns of its seats table. owned: the prefix and noun of items
        (``Game.OWNED``).
    """

    game: str
    columns: tuple[str, ...]
    owned: tuple[str, ...] = ()

    @cached_property
    def _known_fields(self) -> dict[str, str]:
        known: dict[str, str] = {}
        plain = [name for name in self.columns if ":" not in name and name not in ("policy", "win_share")]
        for field in (*words()["columns"], *plain):
            if field in plain or not field.startswith("points_"):
                for name in (field, field.removeprefix("points_"), *words()["columns"].get(field, ())):
                    known.setdefault(key_of(name), field)
        return known

    @cached_property
    def items(self) -> Names:
        """The items that a seat can own."""
        return Names.of(self.game, [name.partition(":")[2] for name in self.columns if ":" in name])

    def is_game(self, number: Any, name: Any) -> bool:
        """Return whether an entry in an export is this game, judging by its BoardGameGeek number or its title."""
        known = set(map(key_of, words()["titles"].get(self.game, ())))
        return bool({key_of(str(number)), key_of(str(name))} & known)

    def field(self, heading: str) -> str | None:
        """Return the field for a heading without a seat number; None if the heading is unknown."""
        field = self._known_fields.get(key_of(heading))
        if field is None and self.owned:
            prefix = next((one for one in self.owned if heading.casefold().startswith(one)), "")
            item = self.items.exact(heading[len(prefix) :])
            field = None if item is None else f"{prefix or self.owned[0]}{item}"
        return field

    def guess(
        self, present: Sequence[str], given: Sequence[str], numeric: Container[str] = ()
    ) -> dict[str, tuple[str, int | None]]:
        """Assign a field to each heading and, in a sheet with one row per game, a seat number.

        Assignments ``field=Heading`` in ``given`` take precedence. ``numeric`` lists the headings of columns that
        contain only numbers; there, Wonder means the points of the wonder. Raises UserError for an unknown field or
        heading.
        """
        chosen = self._given_columns(present, given)
        chosen |= self._seat_columns([name for name in present if name not in chosen], numeric)
        taken = {field for field, number in chosen.values() if number is None}
        for name in present:
            field = self._field_of_column(name, name, numeric)
            if name not in chosen and field is not None and field not in taken:
                chosen[name] = (field, None)
                taken.add(field)
        return chosen

    def _given_columns(self, present: Sequence[str], given: Sequence[str]) -> dict[str, tuple[str, int | None]]:
        """Parse assignments ``field=Heading``, where a heading stands for one column or for one column per seat."""
        chosen: dict[str, tuple[str, int | None]] = {}
        known = set(self._known_fields.values())
        for pair in given:
            field, equals, heading = (part.strip() for part in pair.partition("="))
            if not equals or not heading:
                raise UserError(f"columns must be field=Heading, such as wonder=Wonderboard, not {pair!r}")
            if field not in known and field not in self.columns:
                raise UserError(f"unknown field {field!r}{nearest(field, known)}; accepted: {', '.join(sorted(known))}")
            if heading in present:
                chosen[heading] = (field, None)
                continue
            numbered = {name: parts for name in present if (parts := _without_seat_number(name)) is not None}
            seats = {name: number for name, (base, number) in numbered.items() if key_of(base) == key_of(heading)}
            if not seats:
                raise UserError(
                    f"there is no column {heading!r}{nearest(heading, present)}: the columns are {', '.join(present)}"
                )
            chosen |= {name: (field, number) for name, number in seats.items()}
        return chosen

    def _field_of_column(self, heading: str, column: str, numeric: Container[str]) -> str | None:
        """Return the field for a column, based on its heading and on whether it contains only numbers."""
        field = self.field(heading)
        if field == "rank" and column not in numeric:  # Place may mean a location
            return "group"
        points = f"points_{field}"
        return points if column in numeric and field != "seat" and points in self.columns else field

    def _seat_columns(self, present: Sequence[str], numeric: Container[str]) -> dict[str, tuple[str, int | None]]:
        """Find the headings that contain a seat number, unless all of them contain the same number."""
        wide: dict[str, tuple[str, int | None]] = {}
        for name in present:
            if self.field(name) is not None or (parts := _without_seat_number(name)) is None:
                continue
            base, number = parts
            field = self._field_of_column(base, name, numeric) if key_of(base) else "player"
            if field == "seat" or (field is None and key_of(base) in ("p", "seat")):
                field = "player"
            if field is not None and field not in OF_GAMES:
                wide[name] = (field, number)
        return wide if len({number for _, number in wide.values()}) > 1 else {}


def _without_seat_number(heading: str) -> tuple[str, int] | None:
    """Split a heading into the part without the seat number and the number; return None if it has no seat number."""
    match = OF_SEATS.match(heading.strip())
    if match is None:
        return None
    first, after, before, last = match.groups()
    return (first, int(after)) if after else (last, int(before))


@dataclass(frozen=True)
class Names:
    """The accepted names, against which cells are matched.

    Attributes
    ----------
    accepted: the names. aliases: the names that a string may stand for, by its key (``key_of``).
    """

    accepted: tuple[str, ...]
    aliases: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, game: str, accepted: Iterable[str]) -> Names:
        """Build the accepted names for a game's items, including their names in other languages."""
        return cls.with_words(accepted, words()["items"].get(game, {}))

    @classmethod
    def with_words(cls, accepted: Iterable[str], more: Mapping[str, Sequence[str]]) -> Names:
        """Build the accepted names from names and their synonyms."""
        names, aliases = tuple(accepted), dict[str, frozenset[str]]()
        for name in names:
            for alias in more.get(name, ()):
                aliases[key_of(alias)] = aliases.get(key_of(alias), frozenset()) | {name}
        return cls(names, aliases | {key_of(name): frozenset({name}) for name in names})

    def exact(self, text: str) -> str | None:
        """Match a name exactly, apart from case, accents and language; return None if it is unknown or ambiguous."""
        meant = self.aliases.get(key_of(text), frozenset())
        return next(iter(meant)) if len(meant) == 1 else None

    def match(self, text: str) -> tuple[str | None, str]:
        """Match a name, even if misspelt; return the name and an empty hint, or None and a hint with similar names."""
        meant = self.aliases.get(key_of(text), frozenset())
        if len(meant) == 1:
            return next(iter(meant)), ""
        if len(meant) > 1:
            return None, f"it may be {' or '.join(sorted(meant))}"
        close = get_close_matches(key_of(text), list(self.aliases), n=3, cutoff=MISSPELT)
        if len(names := {name for key in close for name in self.aliases[key]}) == 1:
            return next(iter(names)), ""
        listed = f": {', '.join(self.accepted)}" if len(self.accepted) <= 12 else ""
        return None, f"it must be a known name{nearest(text, self.accepted)}{listed}"
