"""Draw cards from the faces of a game, identically in the catalogue, tables, hands, replays and reports.

``Faces.card`` draws a card or a board, ``Faces.chip`` a card name in the colour of the card. Icons are symbols in an
SVG sprite, which a page contains once (``Faces.sprite``) and to which all cards refer. Names without a face are drawn
as text.
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
    """The faces in a catalogue by name, with methods that draw them as HTML."""

    def __init__(self, game: str, faces: Iterable[Face]) -> None:
        self.game = game
        self._faces = {face.name: face for face in faces}
        self._palette = Palette(find_game(game).COLOURS)
        self._drawn: dict[tuple[str, str, bool, str], Markup] = {}

    @classmethod
    def of(cls, game: str, source: Source) -> Faces:
        """Load the faces in a catalogue; raise UserError if the catalogue is invalid."""
        if source.cards is None and not source.patches:
            return _built_in_faces(game, source)
        return cls(game, _read_faces(game, source))

    @classmethod
    def of_plan(cls, plan: Plan) -> Faces:
        """Load the faces for the cards of a plan; empty if the plan's files are missing or invalid."""
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
        """Draw a card or a board as HTML.

        Parameters
        ----------
        name: the name of a face, or any other name, which is drawn as a card without symbols.
        link: the target of a link on the name. large: whether to draw the large form, for the card's own page.
        tag: the HTML element for the name, such as ``h3`` where cards are headings.
        """
        key = name, link, large, tag
        if key not in self._drawn:
            self._drawn[key] = _template_macro("card")(
                self._faces.get(name) or Face(name), self._colour, link, large, tag
            )
        return self._drawn[key]

    def chip(self, name: str, *, link: str = "", note: str = "") -> Markup:
        """Render a name in the colour of its card as HTML; hovering over it shows the card (``cards.js``)."""
        drawn: Markup = _template_macro("chip")(
            self._faces.get(name) or Face(name), self._colour, link, note, name in self
        )
        return drawn

    def colour(self, name: str) -> str:
        """Return the CSS colour of the card with this name."""
        return self._colour(self._faces[name].kind) or "var(--line)"

    def hidden(self, names: Iterable[str]) -> Markup:
        """Draw cards as hidden HTML templates, which ``cards.js`` shows for elements with ``data-face``."""
        from markupsafe import Markup

        kept = [name for name in dict.fromkeys(names) if name in self]
        template = Markup('<template data-face-of="{}">{}</template>')
        return Markup("").join(template.format(name, self.card(name)) for name in kept)

    @property
    def sprite(self) -> Markup:
        """The SVG sprite with the icons, which a page must contain once."""
        return _sprite_of(catalogues_icons(self.game))

    def _colour(self, kind: str) -> str:
        return self._palette.own_of(kind)


def names_in(*grids: Grid) -> list[str]:
    """Return the card names that occur in the cells of tables."""
    return [cell.face for grid in grids for row in grid.rows for cell in row if cell.face]


def cards_in(scenes: Iterable[Scene]) -> list[str]:
    """Return the card names that occur in the scenes of a game, without duplicates."""
    names: dict[str, None] = {}
    for scene in scenes:
        for city in scene.cities:
            names |= dict.fromkeys(card.face or card.name for card in (*city.hand, *city.cards))
        for row in scene.board:
            names |= dict.fromkeys(card.face or card.name for card in row.places if card is not None)
    return list(names)


def source_of(plan: Plan) -> Source:
    """Return the catalogue source (rule set, card file, patches, changes) of a plan."""
    files = tuple(str(plan.files.get(item, item)) for item in plan.patch)
    cards = None if plan.cards is None else str(plan.files.get(plan.cards, plan.cards))
    return Source(plan.ruleset, cards, files, tuple(plan.set))


def catalogues_icons(game: str) -> Path | None:
    """Return the path of a game's icon file; None if there is none."""
    catalogues = catalogues_of(find_game(game))
    return None if catalogues is None else catalogues.ICONS


def _read_faces(game: str, source: Source) -> Sequence[Face]:
    catalogues = catalogues_of(find_game(game))
    return [] if catalogues is None else catalogues.faces(source)


@lru_cache(maxsize=40)
def _built_in_faces(game: str, source: Source) -> Faces:
    """Load the faces in a catalogue that does not depend on user files; results are cached."""
    return Faces(game, _read_faces(game, source))


@cache
def _template_macro(name: str) -> Any:
    return getattr(template("cards.html.j2").module, name)


@cache
def _sprite_of(path: Path | None) -> Markup:
    from markupsafe import Markup

    text = text_of("icons.svg") + ("" if path is None else path.read_text(encoding="utf-8"))
    symbols = "".join(
        f'<symbol id="icon-{name}" viewBox="0 0 24 24">{drawn}</symbol>' for name, drawn in _SYMBOL.findall(text)
    )
    return Markup(f'<svg class="sprite" aria-hidden="true">{symbols}</svg>')
