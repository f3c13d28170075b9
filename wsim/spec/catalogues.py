"""What a game provides for ``wsim catalog``: its catalogues, their comparison and check, and the card-file schema."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

from wsim.document import Sheet

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
    """The catalogues of a game: the object that ``Game.CATALOGUES`` names. Each mistake is a UserError."""

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
