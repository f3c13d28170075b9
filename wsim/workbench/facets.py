"""Facets: properties with a few values, shown as chips that filter a gallery or a table at one click."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wsim.report.theme import Palette

NAMES = {"color": "Colour"}
"""Facet -> heading, for facets whose heading is not their own name."""


@dataclass(frozen=True)
class Choice:
    """A value that a gallery or a table can be filtered by.

    Attributes
    ----------
    value: its text. colour: its colour, if it has one. chosen: whether rows are limited to it.
    address: the page on which the choice is toggled; empty if the choice is a form field.
    """

    value: str
    colour: str
    chosen: bool
    address: str = ""


@dataclass(frozen=True)
class Facet:
    """A property with a few values: its name in the address, its heading, and its values."""

    name: str
    heading: str
    choices: Sequence[Choice]


def facets_of(
    values: Mapping[str, Iterable[str]], chosen: Mapping[str, Sequence[str]], palette: Palette
) -> list[Facet]:
    """Return facets with their choices; values that have a colour are in the order of the palette.

    ``values``: facet -> its values. ``chosen``: facet -> its chosen values.
    """
    order = {value: place for place, value in enumerate(palette.own)}
    return [
        Facet(
            name,
            NAMES.get(name, name.capitalize()),
            [
                Choice(value, palette.own_of(value), value in chosen.get(name, ()))
                for value in sorted(dict.fromkeys(given), key=lambda value: order.get(value, -1))
            ],
        )
        for name, given in values.items()
    ]
