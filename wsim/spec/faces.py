"""Faces describe how pages draw cards, boards and discs. A game provides its faces (``Catalogues.faces``).

A face is plain data, so pages do not depend on the game. Symbols refer to icons in the game's icon file
(``Catalogues.ICONS``). Everything that symbols show is also stated in words, for screen readers and for effects that
have no symbol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

READ = "words"
"""The icon for an effect without a symbol of its own: it refers readers to the text."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """An icon, a short text, or both.

    Attributes
    ----------
    icon: the id of a ``symbol`` in the icon file; empty: text only.
    text: text drawn on the icon, such as a number of coins, or instead of an icon, such as ``per``.
    kind: the name of the icon's colour (``Game.COLOURS``); empty: the colours of the icon file.
    """

    icon: str = ""
    text: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """The cost and effects of a card or of one stage of a board.

    Attributes
    ----------
    name: the name of the stage, such as ``stage 1``; empty for a card.
    cost, gives: the symbols of the cost and of the effects, one row per effect. costs, does: the same in words;
        ``costs`` may be empty.
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
    name: the name used in tables. noun: the kind of object: ``card``, ``wonder``.
    kind: the name of the colour (``Game.COLOURS``); empty: no colour.
    about: short facts, such as age and colour in words.
    part: cost and effects. notes: further sentences, such as which cards make this one free.
    sides: the stages of a board, by side.
    facets: values by which a gallery can filter, by facet, such as ``age``: ``1``.
    links: names of related faces, by relation, such as ``leads to``.
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
    """Build text-only faces from catalogue rows whose first column is a name."""
    faces = []
    for row in rows:
        (_, name), *others = row.items()
        words = [f"{key.replace('_', ' ')} {value}" for key, value in others if value not in (None, "", [], (), False)]
        faces.append(Face(str(name), noun, part=Part(does="; ".join(words))))
    return faces
