"""What a game offers for ``wsim catalog``: what it is made of, shown, compared, checked; its card file's schema."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wsim.display import Shown

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Source:
    """Where a catalogue comes from.

    Attributes
    ----------
    ruleset: None for the game's usual one.
    cards: a file; None for wsim's own. patches, changes: laid over it.
    """

    ruleset: str | None = None
    cards: str | None = None
    patches: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CataloguePage:
    """A catalogue, or a part of it: a sentence and tables for people, and the same as JSON."""

    head: str
    tables: Sequence[Shown]
    record: Any


class Catalogues(ABC):
    """The catalogues of a game: the object that ``Game.CATALOGUES`` names. Each mistake is a UserError."""

    @abstractmethod
    def page(self, source: Source, name: str | None) -> CataloguePage:
        """Return a catalogue, or what of it is called ``name``."""

    @abstractmethod
    def rulesets(self) -> Rows:
        """Return the rule sets: ruleset, title, players."""

    @abstractmethod
    def differences(self, source: Source, old: str, new: str) -> tuple[Rows, Sequence[str]]:
        """Return what differs between two rule sets, as rows and as lines for people."""

    def decks(self, _source: Source) -> Rows:
        """Return how many cards of each kind are dealt, by players; nothing where the deck is always the same."""
        return []

    @abstractmethod
    def check(self, source: Source, path: str) -> Rows:
        """Check every rule set of a card file, or a patch as it lies over the rule set; return a row for each."""

    @abstractmethod
    def schema(self) -> Any:
        """Return the JSON Schema of a card file."""
