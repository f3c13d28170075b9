"""The server of the workbench: one application that serves the pages of several modules behind the guard.

**To add a page**, write a module in ``wsim/workbench/`` with

* ``ROUTES``: its ``starlette.routing.Route`` objects (plain functions ``def show(request) -> Response`` run on threads;
  long work belongs in a worker); also add the module to ``PAGES`` below,
* ``MENU``, optional: its entries in the menu of every page, as pairs of name and address,
* ``SHOWS``, if it shows runs or files: kind of entry in ``folder`` (``run``, ``match``, ``position``; ``game``: the
  name of a game) -> function from the name within the folder to the address of its page,
* ``PUBLISHED``, optional: the addresses that ``wsim publish`` writes as files: path -> how each parameter is treated
  (``needed``; ``kept``: part of the page's identity; ``any``: the page is the same without it),
* ``begin(app)`` and ``end(app)``, optional: called when the application is created and when the server stops,
* ``HEAVY``, optional: modules that take seconds to import; ``prepare(app)``, optional: called after these imports, in
  parallel with the first requests.

``rendering.page(request, "name.html.j2", heading, **values)`` renders a template in ``templates/`` that extends
``base.html.j2`` (blocks ``content``, ``facts``). ``rendering.form_of(request)`` reads a form, and
``folder_of(request).inside(name)`` gives the path of a file. A page's own script or style sheet is a file next to the
templates, listed in ``rendering.OWN`` and passed as ``scripts=`` or ``styles=``; inline scripts and styles are not
allowed. A UserError becomes a page with its message (400), and so does an OSError (500). Pages that check their own key
instead of the token (the link of a seat) have paths that begin with ``/seat/`` (``KEYED``).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from secrets import token_urlsafe
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from wsim.errors import UserError
from wsim.workbench import (
    analyse_page,
    answer_page,
    ask_page,
    change_page,
    gallery_page,
    item_page,
    move_page,
    play_pages,
    run_page,
    start_page,
)
from wsim.workbench.folder import Folder
from wsim.workbench.guard import SECONDS, Access, Guard
from wsim.workbench.rendering import KeptPages, page, static

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

PAGES: tuple[ModuleType, ...] = (
    start_page,
    run_page,
    item_page,
    answer_page,
    ask_page,
    gallery_page,
    change_page,
    move_page,
    play_pages,
    analyse_page,
)
"""Modules with pages, in the order of the menu."""
KEYED = ("/static/", "/seat/")
"""Prefixes of paths that need no token, because they contain nothing secret or check their own key."""


def application(folder: Folder, access: Access) -> Starlette:
    """Return the workbench application for a folder."""
    routes = [route for module in PAGES for route in module.ROUTES]
    app = Starlette(
        routes=[Route("/static/{name}", static), *routes],
        middleware=[Middleware(Guard, access=access), Middleware(GZipMiddleware, minimum_size=2000, compresslevel=5)],
        exception_handlers={UserError: refused, OSError: failed, HTTPException: missing},
        lifespan=_life,
    )
    shows: dict[str, Callable[[str], str]] = {}
    for module in PAGES:
        shows |= getattr(module, "SHOWS", {})
    app.state.folder, app.state.access, app.state.shows, app.state.published = folder, access, shows, None
    app.state.kept_pages = KeptPages()
    app.state.menu = [entry for module in PAGES for entry in getattr(module, "MENU", ())]
    for module in PAGES:
        getattr(module, "begin", lambda _: None)(app)
    return app


@contextlib.asynccontextmanager
async def _life(app: Starlette) -> AsyncIterator[None]:
    """Call ``end(app)`` of the page modules when the server stops."""
    yield
    for module in PAGES:
        getattr(module, "end", lambda _: None)(app)


async def refused(request: Request, error: Exception) -> Response:
    """Return the error page for a UserError (status 400)."""
    return _sentence_page(request, "This cannot be shown", 400, str(error))


async def failed(request: Request, error: Exception) -> Response:
    """Return the error page for an OSError, with file names relative to the folder."""
    sentence = str(error).replace(f"{request.app.state.folder.root}{os.sep}", "")
    return _sentence_page(request, "This failed", 500, sentence)


async def missing(request: Request, error: Exception) -> Response:
    """Return the error page for an unknown address."""
    assert isinstance(error, HTTPException)
    sentence = f"there is no page {request.url.path!r}" if error.status_code == 404 else error.detail
    return _sentence_page(request, "This cannot be shown", error.status_code, sentence)


def _sentence_page(request: Request, heading: str, status: int, sentence: str) -> Response:
    """Return a page with one message and a link back: to the run of a table, to the studies, or only to a seat."""
    parts = request.url.path.split("/")
    if parts[1] != "seat":
        run = request.query_params.get("run", "") if request.query_params.get("table") else ""
        back = ("Overview of the run", f"/run?{urlencode({'run': run})}") if run else ("Studies", "/")
        return page(request, "refused.html.j2", heading, status=status, sentence=sentence, back=back)
    seat = ("Back to your seat", "/".join(parts[:3])) if len(parts) > 3 else None
    return page(request, "refused.html.j2", heading, status=status, sentence=sentence, back=seat, menu=())


def opened(target: str) -> tuple[Folder, str]:
    """Return the folder and the first page for a run, an answer, a position, a game or a folder.

    For a run or a file, the folder is its parent. Raises UserError for anything else.
    """
    from wsim.installed import GAMES

    path = Path(target)
    if target in GAMES and not path.exists():
        return Folder.of(Path()), _page_of("game", target)
    if not path.exists():
        raise UserError(f"{target!r} is not a run, answer, position, folder or game: the games are {', '.join(GAMES)}")
    folder = Folder.of(path.resolve().parent)
    inside = [entry for entry in Folder.of(path).found() if entry.name == "."] if path.is_dir() else []
    if path.is_dir() and not inside:
        return Folder.of(path), "/"
    name = folder.name_of(path)
    kind = "run" if inside else next((entry.kind for entry in folder.found() if entry.name == name), None)
    if kind is None:
        raise UserError(f"{target!r} is not an answer or a position")
    return folder, _page_of(kind, name)


def _page_of(kind: str, name: str) -> str:
    """Return the address of the page that shows a run or file; the start page if no page shows this kind."""
    for module in PAGES:
        shows: Mapping[str, Callable[[str], str]] = getattr(module, "SHOWS", {})
        if kind in shows:
            return shows[kind](name)
    return "/"


@contextlib.contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Yield a listening socket; port 0 selects a free port. Raises UserError if host or port is unavailable."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, proto) as made:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
            yield made
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise UserError(f"cannot listen on {host}, port {port}: {why}") from error


class _ImpatientProtocol(H11Protocol):
    """Closes connections that do not send a complete header in time, because uvicorn would wait forever."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for the header of the first request."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Stop the timer if the header is complete, or start it for the next header."""
        super().data_received(data)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        super().connection_lost(exc)
        if self._deadline is not None:
            self._deadline.cancel()

    def _expect(self) -> None:
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and not cycle.response_complete:  # a request is being answered
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None
        elif self._deadline is None:
            self._deadline = self.loop.call_later(SECONDS, self.transport.close)


class Server(uvicorn.Server):
    """A server that reports when it is ready, stops cleanly on a signal and restores the signal handlers."""

    def __init__(self, app: Starlette, ready: Callable[[], object]) -> None:
        config = uvicorn.Config(
            app, http=_ImpatientProtocol, log_level="critical", access_log=False, server_header=False, ws="none",
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: Any = None) -> None:
        """Listen, and report that the server is ready."""
        await super().startup(sockets)
        self._ready()

    def handle_exit(self, _number: int, _frame: Any) -> None:
        """Stop cleanly; a second signal stops at once (``wsim.cli.signals``)."""
        self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on signals; uvicorn would raise them again at the end, which would count as a second signal."""
        handled = [
            number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) is not signal.SIG_IGN
        ]
        before = {number: signal.signal(number, self.handle_exit) for number in handled}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def serve(target: str, host: str, port: int, ready: Callable[[str], object], *, browser: bool = True) -> None:
    """Serve the workbench until a signal, then raise KeyboardInterrupt.

    Parameters
    ----------
    target: see ``opened``. ready: called with the address once the server responds.
    browser: whether to open the address in a browser.
    """
    folder, first = opened(target)
    os.chdir(folder.root)  # forms resolve file names like the commands shown next to them
    with listening(host, port) as made:
        access = Access(token_urlsafe(24), host, made.getsockname()[1], KEYED)
        address = access.address(first)

        def begun() -> None:
            ready(address)
            if browser:
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
            threading.Thread(target=_warm, args=(app,), daemon=True).start()

        app = application(folder, access)
        Server(app, begun).run(sockets=[made])
    raise KeyboardInterrupt


def _warm(app: Starlette) -> None:
    """Import the heavy modules of the pages, then call their ``prepare`` functions."""
    for module in PAGES:
        for name in getattr(module, "HEAVY", ()):
            import_module(name)
    for module in PAGES:
        getattr(module, "prepare", lambda _: None)(app)
