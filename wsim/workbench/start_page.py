"""The start page: runs, answers and positions of the folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route

from wsim.workbench.rendering import folder_of, page, size_words

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

MENU = (("Runs and answers", "/"),)


def start(request: Request) -> Response:
    """Return the list of runs and files in the folder."""
    folder, shows = folder_of(request), request.app.state.shows
    rows = [
        (entry, shows[entry.kind](entry.name) if entry.kind in shows else None, size_words(entry.size))
        for entry in folder.found()
    ]
    return page(request, "start.html.j2", folder.root.name or str(folder.root), rows=rows, root=str(folder.root))


ROUTES = [Route("/", start)]
