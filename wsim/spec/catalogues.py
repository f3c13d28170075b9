"""The interface that a game implements for ``wsim catalog``: catalogues, comparisons, checks and the JSON Schema."""

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
    """The source from which a catalogue is built.

    Attributes
    ----------
    ruleset: the rule set; None: the default of the game.
    cards: a card file; None: the built-in card file. patches, changes: the layers applied on top of the card file.
    """

    ruleset: str | None = None
    cards: str | None = None
    patches: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CataloguePage:
    """A catalogue or one part of it, as a sentence and tables for people and as JSON."""

    head: str
    tables: Sequence[Sheet]
    record: Any


class Catalogues(ABC):
    """The catalogues of a game, provided as ``Game.CATALOGUES``. Every mistake raises UserError.

    ``ICONS`` is an SVG file that contains the icons of faces, each a ``symbol`` of 24 by 24 units; None: no icons.
    """

    ICONS: ClassVar[Path | None] = None

    @abstractmethod
    def page(self, source: Source, name: str | None) -> CataloguePage:
        """Return the whole catalogue, or only the part called ``name``."""

    @abstractmethod
    def rulesets(self) -> Rows:
        """Return one row per rule set, with the columns ruleset, title and players."""

    @abstractmethod
    def differences(self, source: Source, old: str, new: str) -> tuple[Rows, Sequence[str]]:
        """Compare two rule sets; return their differences as rows and as readable lines."""

    def decks(self, _source: Source) -> Rows:
        """Return a table of deck sizes by card kind and number of players; empty if the deck is always the same."""
        return []

    def faces(self, source: Source) -> Sequence[Face]:
        """Return a face for each card, board or disc; by default, text-only faces built from catalogue rows."""
        tables = self.page(source, None).tables
        return [face for table in tables for face in plain_faces(table.title.lower(), table.rows)]

    @abstractmethod
    def check(self, source: Source, path: str) -> Rows:
        """Check every rule set in a card file, or a patch applied to its rule set; return one row per rule set."""

    @abstractmethod
    def schema(self) -> Any:
        """Return the JSON Schema of a card file."""


def catalogues_of(game: Any) -> Catalogues | None:
    """Load the catalogues of a game (``Game.CATALOGUES``); return None if it does not provide any."""
    named = game.CATALOGUES
    if not isinstance(named, str):
        return cast("Catalogues | None", named)
    module, _, attribute = named.partition(":")
    return cast("Catalogues", vars(import_module(module))[attribute])
