"""A game's part in ``wsim catalog``: its catalogues, their comparison and check, and the card-file schema."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, cast

from wsim.document import Sheet
from wsim.spec.faces import Face, plain_faces

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Source:
    """The source of a catalogue.

    Attributes
    ----------
    ruleset: None for the game's default one.
    cards: a file; None for the built-in one. patches, changes: applied to it.
    """

    ruleset: str | None = None
    cards: str | None = None
    patches: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CataloguePage:
    """A catalogue, or a part of it: a sentence and tables for people, and the same content as JSON."""

    head: str
    tables: Sequence[Sheet]
    record: Any


class Catalogues(ABC):
    """The catalogues of a game: the object that ``Game.CATALOGUES`` names. Each mistake is a UserError.

    ``ICONS``: an SVG file with the icons of its faces, each a ``symbol`` of 24 by 24; None if it draws none.
    """

    ICONS: ClassVar[Path | None] = None

    @abstractmethod
    def page(self, source: Source, name: str | None) -> CataloguePage:
        """Return a catalogue, or the part of it called ``name``."""

    @abstractmethod
    def rulesets(self) -> Rows:
        """Return the rule sets: ruleset, title, players."""

    @abstractmethod
    def differences(self, source: Source, old: str, new: str) -> tuple[Rows, Sequence[str]]:
        """Return the differences between two rule sets, as rows and as lines for people."""

    def decks(self, _source: Source) -> Rows:
        """Return the number of cards of each kind in the deck, by players; empty if the deck is always the same."""
        return []

    def faces(self, source: Source) -> Sequence[Face]:
        """Return the drawing of each card, board or disc; by default the tables of the catalogue in words."""
        tables = self.page(source, None).tables
        return [face for table in tables for face in plain_faces(table.title.lower(), table.rows)]

    @abstractmethod
    def check(self, source: Source, path: str) -> Rows:
        """Check every rule set of a card file, or a patch on top of its rule set; return a row for each."""

    @abstractmethod
    def schema(self) -> Any:
        """Return the JSON Schema of a card file."""


def catalogues_of(game: Any) -> Catalogues | None:
    """Return the catalogues of a game (``Game.CATALOGUES``), None if it has none."""
    named = game.CATALOGUES
    if not isinstance(named, str):
        return cast("Catalogues | None", named)
    module, _, attribute = named.partition(":")
    return cast("Catalogues", vars(import_module(module))[attribute])
