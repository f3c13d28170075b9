"""Faces: what pages draw of a card, a board or a disc. A game provides them (``Catalogues.faces``).

A face is plain data, so no page knows a game. Symbols name icons of the game's icon file (``Catalogues.ICONS``), and
everything that symbols show is also in words, for screen readers and for effects that have no symbol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

READ = "words"
"""The icon of an effect that has no symbol: read it."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """An icon or a short text.

    Attributes
    ----------
    icon: the id of a ``symbol`` in an icon file; empty: only text.
    text: written on the icon, such as a number of coins; without an icon, written in its place: ``per``.
    kind: the name of a colour (``Game.COLOURS``) that the icon has; empty: its own.
    """

    icon: str = ""
    text: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """Cost and effects of a card, or of one stage of a board.

    Attributes
    ----------
    name: of a stage, such as ``stage 1``; empty for a card.
    cost, gives: symbols; ``gives`` has a row for each effect. costs, does: the same in words; ``costs`` may be empty.
    """

    name: str = ""
    cost: Sequence[Symbol] = ()
    gives: Sequence[Sequence[Symbol]] = ()
    costs: str = ""
    does: str = ""


@dataclass(frozen=True, slots=True)
class Face:
    """The face of a card, a board or a disc.

    Attributes
    ----------
    name: as in tables. noun: what it is: ``card``, ``wonder``.
    kind: the name of its colour (``Game.COLOURS``), empty if it has none.
    about: short facts, such as its age and colour in words.
    part: what it costs and does. notes: further sentences, such as which cards make it free.
    sides: the stages of a board, by the name of the side.
    facets: what a gallery can be filtered by: the values by the name of the facet (``age``: ``1``).
    links: names of other faces that belong to it, by what connects them: ``leads to``.
    """

    name: str
    noun: str = "card"
    kind: str = ""
    about: Sequence[str] = ()
    part: Part = Part()
    notes: Sequence[str] = ()
    sides: Mapping[str, Sequence[Part]] = field(default_factory=dict)
    facets: Mapping[str, Sequence[str]] = field(default_factory=dict)
    links: Mapping[str, Sequence[str]] = field(default_factory=dict)


def plain_faces(noun: str, rows: Sequence[Mapping[str, object]]) -> list[Face]:
    """Return faces without symbols from rows of a catalogue whose first column is a name: the rest in words."""
    faces = []
    for row in rows:
        (_, name), *others = row.items()
        words = [f"{key.replace('_', ' ')} {value}" for key, value in others if value not in (None, "", [], (), False)]
        faces.append(Face(str(name), noun, part=Part(does="; ".join(words))))
    return faces
