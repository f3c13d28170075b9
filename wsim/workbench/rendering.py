"""Render pages from templates that extend ``base.html.j2``, in the style of the report page."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from starlette.responses import HTMLResponse, Response

from wsim.errors import UserError
from wsim.game import find_game
from wsim.report.templating import templates, text_of
from wsim.report.theme import Palette

if TYPE_CHECKING:
    from starlette.requests import Request

    from wsim.report.page_parts import Figure
    from wsim.workbench.folder import Folder

HOME = "wsim.workbench"
MAX_DIGITS = 15
MAX_PAGES = 60
"""Maximum number of cached pages."""


def page(request: Request, name: str, heading: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template as a page.

    Parameters
    ----------
    name: the name of the template in ``wsim/workbench/templates``. heading: the heading and title of the page.
    values: values for the template, which escapes them. ``game``: the game whose colours are used; ``faces``: the faces
        of the cards that the page draws (``wsim.report.cards.Faces``); ``scripts``, ``modules``, ``styles``: further
        files. If a folder is ``published`` as a site, templates leave out features that need the server.
    """
    state = request.app.state
    common = {
        "game": None, "faces": None, "scripts": [], "modules": [], "styles": [], "menu": state.menu,
        "here": request.url.path, "published": state.published, "asset": asset,
    }  # fmt: skip
    text = templates(HOME, "wsim.report").get_template(name).render({**common, **values, "heading": heading})
    return HTMLResponse(text, status)


class KeptPages:
    """A cache of finished pages by address; a page is valid until the files that it shows change."""

    def __init__(self) -> None:
        self._lock, self._pages = Lock(), OrderedDict[str, tuple[Hashable, Response]]()

    def page(self, request: Request, state: Hashable, make: Callable[[], Response]) -> Response:
        """Return the cached page for an address; render it with ``make`` if ``state`` has changed."""
        address = str(request.url)
        with self._lock:
            known = self._pages.get(address)
        if known is not None and known[0] == state:
            return Response(known[1].body, media_type="text/html")
        made = make()
        if isinstance(made, HTMLResponse) and made.status_code == HTTPStatus.OK:
            with self._lock:
                self._pages[address] = state, made
                while len(self._pages) > MAX_PAGES:
                    self._pages.popitem(last=False)
        return made


def kept(request: Request, state: Hashable, make: Callable[[], Response]) -> Response:
    """Return a page from the server's cache, or render it with ``make`` (see ``KeptPages.page``)."""
    pages: KeptPages = request.app.state.kept_pages
    return pages.page(request, state, make)


def chart_file(request: Request, figures: Sequence[Figure], game: str | None, name: str) -> Response:
    """Return the chart that the address selects (``figure``) as an SVG or PNG file."""
    from wsim.report.pictures import as_png, as_svg

    index, kind = whole("figure", request.query_params.get("figure", "0")), request.path_params["kind"]
    if index >= len(figures):
        raise UserError(f"chart {index} does not exist: there are {len(figures)}, numbered from 0")
    if kind not in ("svg", "png"):
        raise UserError(f"a chart must be svg or png, not {kind!r}")
    drawing, colours = figures[index].drawing, {} if game is None else find_game(game).COLOURS
    named = {"Content-Disposition": f'attachment; filename="{name}-{index}.{kind}"'}
    if kind == "svg":
        return Response(as_svg(drawing, colours), media_type="image/svg+xml", headers=named)
    return Response(as_png(drawing, colours), media_type="image/png", headers=named)


def owner(request: Request) -> bool:
    """Return whether the browser may see the whole workbench, and not only one seat's page."""
    access = request.app.state.access
    return bool(access.knows(request.cookies.get(access.cookie, "")))


def folder_of(request: Request) -> Folder:
    """Return the folder that the workbench serves."""
    folder: Folder = request.app.state.folder
    return folder


def form_of(request: Request) -> list[tuple[str, str]]:
    """Parse the request body as form fields, in order; raise UserError if it is not a form."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != "application/x-www-form-urlencoded":
        raise UserError(f"a form must be application/x-www-form-urlencoded, not {kind!r}")
    try:
        return parse_qsl(request.state.body.decode(), keep_blank_values=True, max_num_fields=500, errors="strict")
    except ValueError as error:
        raise UserError(f"the form cannot be read: {error}") from error


def whole(name: str, text: str) -> int:
    """Parse a whole number in a form or an address; raise UserError if it is invalid."""
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        raise UserError(f"{name} must be a whole number of at most {MAX_DIGITS} digits, not {shortened(text)}")
    return int(text)


def shortened(text: str, most: int = 40) -> str:
    """Quote a string, truncated to ``most`` characters."""
    return repr(text if len(text) <= most else f"{text[:most]}...")


def static(request: Request) -> Response:
    """Return a style sheet or a script; browsers cache it if the address contains its version (``asset``)."""
    name, asked = request.path_params["name"], request.url.query
    kind = "text/css" if name.endswith(".css") else "text/javascript"
    made = Response(_static(name), media_type=kind)
    if asked and asked == _version(name):
        made.headers["Cache-Control"] = "private, max-age=31536000, immutable"
    return made


def asset(name: str) -> str:
    """Return the address of a style sheet or a script, with a version that changes with its content."""
    return f"/static/{name}?{_version(name)}"


@cache
def _version(name: str) -> str:
    return sha256(_static(name).encode()).hexdigest()[:12]


@cache
def _static(name: str) -> str:
    if name.startswith("colours-"):
        return Palette(find_game(name.removeprefix("colours-").removesuffix(".css")).COLOURS).style()
    shared = {
        "replay.css": ("replay.css",),
        "replay.js": ("replay.js",),
        "page.css": ("page.css", "cards.css"),
        "page.js": ("theme.js", "page.js", "cards.js"),
    }
    if name in shared:
        return text_of(*shared[name])
    if name not in OWN:
        raise UserError(f"there is no file {name!r}")
    return text_of(name, home=HOME)


OWN = {"workbench.css", "play.css", "play.js", "gallery.js"}
"""Style sheets and scripts in ``templates``; a page module with its own script or style sheet adds the file name."""


def size_words(size: int) -> str:
    """Format a number of bytes, such as ``1.4 MB``."""
    value, unit = float(size), 0
    while value >= 1000 and unit < 4:
        value, unit = value / 1000, unit + 1
    return f"{value:.1f} {('bytes', 'kB', 'MB', 'GB', 'TB')[unit]}" if unit else f"{size} bytes"
