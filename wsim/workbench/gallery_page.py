"""The gallery: drawings of the cards and boards of a catalogue, filtered by facets, and the page of one card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.routing import Route

from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.installed import GAMES
from wsim.lab.record import read_record
from wsim.report.cards import Faces
from wsim.report.theme import Palette
from wsim.spec.catalogues import Source, catalogues_of
from wsim.workbench.facets import facets_of
from wsim.workbench.folder import titles
from wsim.workbench.printed import ruleset_names
from wsim.workbench.rendering import folder_of, page
from wsim.workbench.table_view import TableView, item_address

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from wsim.spec.faces import Face
    from wsim.workbench.folder import Folder

MENU = (("Cards", "/cards"),)


def gallery_page(request: Request) -> Response:
    """Return the gallery of a catalogue; if the address names a card, it is at the top."""
    query = request.query_params
    game = query.get("game") or next(iter(GAMES))
    catalogues = catalogues_of(find_game(game))
    if catalogues is None:
        raise UserError(f"{game} has no catalogue to show")
    rulesets = ruleset_names(game)
    ruleset, changes = query.get("ruleset") or rulesets[0], tuple(query.getlist("change"))
    faces = Faces.of(game, Source(ruleset, None, (), changes))
    name = query.get("name", "")
    if name and name not in faces:
        raise UserError(f"there is no card {name!r}{nearest(name, faces)}")
    values = _facets_in(faces.values())
    chosen = {facet: query.getlist(facet) for facet in values}
    words = query.get("q", "").strip()
    base = [("game", game), ("ruleset", ruleset), *(("change", line) for line in changes)]
    shown = [(face, is_chosen(face, chosen, words)) for face in faces.values()]
    return page(
        request, "gallery.html.j2", name or "Cards", game=game, faces=faces,
        scripts=[] if name and request.app.state.published is not None else ["gallery.js"],
        games=titles(), rulesets=rulesets, ruleset=ruleset, changes=changes, words=words, opened=name,
        facets=facets_of(values, chosen, Palette(find_game(game).COLOURS)),
        cards=[(face, fits) for face, fits in shown if not face.sides], text=text_of_face,
        boards=[(face, fits) for face, fits in shown if face.sides],
        address=lambda face: f"/cards?{urlencode([*base, ('name', face)])}",
        change=_change(game, ruleset, base, faces[name]) if name else "",
        runs=_runs_with(folder_of(request), game, ruleset, faces[name]) if name else [],
    )  # fmt: skip


def _facets_in(faces: Iterable[Face]) -> dict[str, list[str]]:
    """Map each facet to the values that occur among these faces."""
    values: dict[str, list[str]] = {}
    for face in faces:
        for facet, of_face in face.facets.items():
            values.setdefault(facet, []).extend(of_face)
    return values


def is_chosen(face: Face, chosen: Mapping[str, Sequence[str]], words: str) -> bool:
    """Return whether a face matches the chosen values of every facet and contains all search words."""
    text = text_of_face(face)
    return all(set(wanted) & set(face.facets.get(name, ())) for name, wanted in chosen.items() if wanted) and all(
        word in text for word in words.casefold().split()
    )


def text_of_face(face: Face) -> str:
    """Return the searchable text of a face, in lower case."""
    parts = [face.part, *(stage for stages in face.sides.values() for stage in stages)]
    texts = [face.name, *face.about, *face.notes, *(f"{part.costs} {part.does}" for part in parts)]
    return " ".join(texts).casefold()


def _change(game: str, ruleset: str, base: Sequence[tuple[str, str]], face: Face) -> str:
    """Return the address of the page Change, opened at the face's part unless the changes themselves add it."""
    if face.name not in Faces.of(game, Source(ruleset)):
        return f"/change?{urlencode(base)}"
    part = f"{'wonders' if face.sides else 'cards'}.{face.name}"
    return f"/change?{urlencode([*base, ('at', part)])}#at"


def _runs_with(folder: Folder, game: str, ruleset: str, face: Face) -> list[tuple[str, str]]:
    """Return the runs in the folder that include this card, each with the address of the card's figures."""
    tables = [name for name in find_game(game).ANALYSES if name in (f"{face.noun}s", face.noun)]
    links = []
    for entry in folder.found() if tables else ():
        with suppress(UserError):
            if entry.kind == "run":
                plan = read_record(folder.inside(entry.name)).provenance.plan
                if (plan["game"], plan["ruleset"]) == (game, ruleset):
                    links.append((entry.name, item_address(TableView((entry.name,), table=tables[0]), face.name)))
    return links


ROUTES = [Route("/cards", gallery_page)]
PUBLISHED = {"/cards": {"game": "needed", "ruleset": "needed", "name": "kept"}}
