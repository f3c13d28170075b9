"""Cards as cards: one drawing for the catalogue, tables, hands, replays and reports, from the faces of a game.

``Faces.card`` draws a card or a board, ``Faces.chip`` a small name in its colour. Icons are symbols of one SVG sprite,
which a page contains once (``Faces.sprite``) and each card refers to. Names without a face are drawn as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.game import find_game
from wsim.report.templating import template, text_of
from wsim.report.theme import Palette
from wsim.spec.catalogues import Source, catalogues_of
from wsim.spec.faces import Face

if TYPE_CHECKING:
    from markupsafe import Markup

    from wsim.lab.plan import Plan
    from wsim.positions.scenes import Scene
    from wsim.report.grids import Grid

_SYMBOL = re.compile(r'<symbol id="([\w-]+)">(.*?)</symbol>', re.DOTALL)


class Faces(Mapping[str, Face]):
    """The faces of a catalogue by name, and their drawings."""

    def __init__(self, game: str, faces: Iterable[Face]) -> None:
        self.game = game
        self._faces = {face.name: face for face in faces}
        self._palette = Palette(find_game(game).COLOURS)
        self._drawn: dict[tuple[str, str, bool, str], Markup] = {}

    @classmethod
    def of(cls, game: str, source: Source) -> Faces:
        """Return the faces of a catalogue; raise UserError for an invalid one."""
        if source.cards is None and not source.patches:
            return _built_in(game, source)
        return cls(game, _read(game, source))

    @classmethod
    def of_plan(cls, plan: Plan) -> Faces:
        """Return the faces of the cards that a plan plays; none if its files are missing or invalid."""
        try:
            return cls.of(plan.game, source_of(plan))
        except (UserError, OSError):
            return cls(plan.game, ())

    def __getitem__(self, name: str) -> Face:
        return self._faces[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._faces)

    def __len__(self) -> int:
        return len(self._faces)

    def card(self, name: str, *, link: str = "", large: bool = False, tag: str = "p") -> Markup:
        """Return the drawing of a card or a board.

        Parameters
        ----------
        name: of its face, or any other name, which is drawn as a card without symbols.
        link: the address that its name leads to. large: for the page of the card. tag: the element of its name, such
            as ``h3`` where cards are headings.
        """
        key = name, link, large, tag
        if key not in self._drawn:
            self._drawn[key] = _macro("card")(self._faces.get(name) or Face(name), self._colour, link, large, tag)
        return self._drawn[key]

    def chip(self, name: str, *, link: str = "", note: str = "") -> Markup:
        """Return a name in the colour of its card, which shows the card when pointed at (``cards.js``)."""
        drawn: Markup = _macro("chip")(self._faces.get(name) or Face(name), self._colour, link, note, name in self)
        return drawn

    def colour(self, name: str) -> str:
        """Return the CSS colour of a card."""
        return self._colour(self._faces[name].kind) or "var(--line)"

    def hidden(self, names: Iterable[str]) -> Markup:
        """Return the drawings that ``cards.js`` shows for elements with ``data-face``, for names with a face."""
        from markupsafe import Markup

        kept = [name for name in dict.fromkeys(names) if name in self]
        template = Markup('<template data-face-of="{}">{}</template>')
        return Markup("").join(template.format(name, self.card(name)) for name in kept)

    @property
    def sprite(self) -> Markup:
        """The icons, once for each page."""
        return _sprite(catalogues_icons(self.game))

    def _colour(self, kind: str) -> str:
        return self._palette.own_of(kind)


def names_in(*grids: Grid) -> list[str]:
    """Return the names of the cards that the cells of tables show."""
    return [cell.face for grid in grids for row in grid.rows for cell in row if cell.face]


def cards_in(scenes: Iterable[Scene]) -> list[str]:
    """Return the names of the drawings of the cards in scenes of a game, each once."""
    names: dict[str, None] = {}
    for scene in scenes:
        for city in scene.cities:
            names |= dict.fromkeys(card.face or card.name for card in (*city.hand, *city.cards))
        for row in scene.board:
            names |= dict.fromkeys(card.face or card.name for card in row.places if card is not None)
    return list(names)


def source_of(plan: Plan) -> Source:
    """Return the catalogue that a plan plays."""
    files = tuple(str(plan.files.get(item, item)) for item in plan.patch)
    cards = None if plan.cards is None else str(plan.files.get(plan.cards, plan.cards))
    return Source(plan.ruleset, cards, files, tuple(plan.set))


def catalogues_icons(game: str) -> Path | None:
    """Return the icon file of a game, None if it has none."""
    catalogues = catalogues_of(find_game(game))
    return None if catalogues is None else catalogues.ICONS


def _read(game: str, source: Source) -> Sequence[Face]:
    catalogues = catalogues_of(find_game(game))
    return [] if catalogues is None else catalogues.faces(source)


@lru_cache(maxsize=40)
def _built_in(game: str, source: Source) -> Faces:
    """Return the faces of a catalogue that depends on no file of the user."""
    return Faces(game, _read(game, source))


@cache
def _macro(name: str) -> Any:
    return getattr(template("cards.html.j2").module, name)


@cache
def _sprite(path: Path | None) -> Markup:
    from markupsafe import Markup

    text = text_of("icons.svg") + ("" if path is None else path.read_text(encoding="utf-8"))
    symbols = "".join(
        f'<symbol id="icon-{name}" viewBox="0 0 24 24">{drawn}</symbol>' for name, drawn in _SYMBOL.findall(text)
    )
    return Markup(f'<svg class="sprite" aria-hidden="true">{symbols}</svg>')
