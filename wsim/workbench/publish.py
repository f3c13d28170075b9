"""Publish a folder of studies as a static website: the read-only pages of the workbench (``wsim publish``).

The pages are requested from the workbench one after the other, beginning with the start page and following its links.
Each page module lists its addresses that are published (``PUBLISHED``: path -> names of the parameters). Links to other
addresses, which need the server, are removed; if ``published`` is set, templates leave out features that need the
server. No file refers to anything outside the site, so it can be opened from a disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from wsim.errors import UserError
from wsim.files import write_text
from wsim.game import find_game
from wsim.lab.record import read_record
from wsim.workbench.folder import Folder
from wsim.workbench.guard import Access
from wsim.workbench.server import PAGES, application

MARK = ".wsim-site"
"""The file that marks a folder as a site, which may be overwritten."""
ASSETS = "assets"
MAX_PAGES = 20_000
_LINK = re.compile(r'(<a\b[^>]*?)\shref="(/[^"]*)"([^>]*>)')
_FILE = re.compile(r'\b(href|src)="/static/([\w.-]+)\?\w+"')
_HEADING = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)
_MODULE = re.compile(r'<script src="/static/([\w.-]+)\?\w+" type="module"></script>')
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class PageFile:
    """A page of a published site.

    Attributes
    ----------
    file: its file name. heading: its heading. kind: the kind of content, such as ``card``. of: the run, answer or file
    that it shows.
    """

    file: str
    heading: str
    kind: str
    of: str


@dataclass
class Site:
    """A published site.

    Attributes
    ----------
    pages: all pages except the first. left_out: address that could not be shown -> reason. size: the total in bytes.
    """

    pages: list[PageFile] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    size: int = 0


def publish(folder: Path, target: Path, progress: Callable[[int, int], object] | None = None) -> Site:
    """Write the site of a folder to ``target``.

    Raises UserError if the folder is missing, or if the target exists and is not a site. ``progress`` is called with
    the numbers of finished and known pages.
    """
    source, target = Folder.of(folder), target.resolve()
    if target == source.root:
        raise UserError("the site cannot be written into the folder that it shows: choose another folder")
    if target.exists() and (not target.is_dir() or (any(target.iterdir()) and not (target / MARK).is_file())):
        raise UserError(f"{str(target)!r} already exists and is not a site of wsim publish: choose another folder")
    with contextlib.chdir(source.root):  # so that commands on the pages contain paths relative to the folder
        return _publish(source, target, progress)


def _publish(source: Folder, target: Path, progress: Callable[[int, int], object] | None) -> Site:
    app = application(source, Access("site"))
    site = app.state.published = Site()
    app.state.menu = [("Studies", "/"), *_galleries(source)]
    ask = _Asker(app)
    addresses = {path: names for module in PAGES for path, names in getattr(module, "PUBLISHED", {}).items()}
    texts, waiting = dict[str, str](), ["/"]
    names = {"/": "index.html"}
    while waiting:
        address = waiting.pop(0)
        status, text = ask(address)
        if status != 200:
            site.left_out[address] = _sentence(text)
            names.pop(address)
            if address == "/":
                raise UserError(site.left_out[address])
            continue
        texts[address] = text
        for link in map(unescape, (found[2] for found in _LINK.finditer(text))):
            to = _published(link, addresses)
            if to is not None and to not in names and to not in site.left_out and len(names) < MAX_PAGES:
                names[to] = _name(to, set(names.values()))
                waiting.append(to)
        if progress is not None:
            progress(len(texts), len(texts) + len(waiting))
    site.pages = [_described(address, names[address], text) for address, text in texts.items() if address != "/"]
    texts["/"] = ask("/")[1]  # again, because now it can list all pages
    _clear(target)
    assets = dict[str, bool]()
    for address, text in texts.items():
        assets |= {found[2]: False for found in _FILE.finditer(text)} | dict.fromkeys(_MODULE.findall(text), True)
        site.size += _write(target / names[address], _linked(text, addresses, names))
    for name, module in assets.items():
        content = ask(f"/static/{name}")[1]
        site.size += _write(target / ASSETS / name, f"(() => {{\n{content}\n}})();\n" if module else content)
    write_text(target / MARK, "written by wsim publish\n")
    return site


def _galleries(folder: Folder) -> list[tuple[str, str]]:
    """Return menu entries for the galleries of the catalogues that the folder's runs use."""
    played = dict[tuple[str, str], None]()
    for entry in folder.found():
        if entry.kind == "run" and not entry.damaged:
            plan = read_record(folder.inside(entry.name)).provenance.plan
            if find_game(str(plan["game"])).CATALOGUES is not None:
                played[str(plan["game"]), str(plan["ruleset"])] = None
    several = len(played) > 1
    return [
        (f"Cards of {ruleset}" if several else "Cards", f"/cards?{urlencode({'game': game, 'ruleset': ruleset})}")
        for game, ruleset in sorted(played)
    ]


class _Asker:
    """Requests pages from the application, without a network."""

    def __init__(self, app: Any) -> None:
        self._app, access = app, app.state.access
        self._headers = [
            (b"host", f"{access.host}:{access.port}".encode()),
            (b"cookie", f"{access.cookie}={access.token}".encode()),
        ]

    def __call__(self, address: str) -> tuple[int, str]:
        """Request a page; return its status and content."""
        return asyncio.run(self._reply(address))

    async def _reply(self, address: str) -> tuple[int, str]:
        path, _, query = address.partition("?")
        scope = {
            "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "path": path,
            "raw_path": path.encode(), "query_string": query.encode(), "headers": self._headers,
            "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "root_path": "",
        }  # fmt: skip
        messages: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            messages.append(message)

        await self._app(scope, receive, send)
        return messages[0]["status"], b"".join(message.get("body", b"") for message in messages[1:]).decode()


def _published(link: str, addresses: Mapping[str, Mapping[str, str]]) -> str | None:
    """Return the normalised address of the page that a link leads to; None if the page is not published."""
    parts = urlsplit(link)
    if parts.path == "/" and not parts.query:
        return "/"
    keys = parse_qsl(parts.query, keep_blank_values=True)
    given, known = dict(keys), addresses.get(parts.path)
    if known is None or len(given) < len(keys) or not given.keys() <= known.keys():
        return None
    given = {key: value for key, value in given.items() if known[key] != "any"}
    if not all(key in given for key, need in known.items() if need == "needed"):
        return None
    return f"{parts.path}?{urlencode({key: given[key] for key in known if key in given})}"


def _name(address: str, taken: set[str]) -> str:
    """Derive an unused file name from a page's address."""
    parts = urlsplit(address)
    words = [parts.path.strip("/"), *(value for _, value in parse_qsl(parts.query))]
    stem = _UNSAFE.sub("-", "-".join(words)).strip("-.")[:120] or "page"
    lower, name, number = {one.casefold() for one in taken}, f"{stem}.html", 2
    while name.casefold() in lower:
        name, number = f"{stem}-{number}.html", number + 1
    return name


def _described(address: str, file: str, text: str) -> PageFile:
    parts = urlsplit(address)
    given = dict(parse_qsl(parts.query))
    heading = _HEADING.search(text)
    kind = parts.path.strip("/")
    if kind == "run":
        kind = "table" if "table" in given else "run"
    elif kind == "thing":
        kind = given["table"].removesuffix("s")
    elif kind == "analyse":
        kind = "game"
    shown = unescape(re.sub(r"<[^>]*>", "", heading[1])) if heading else address
    if kind == "table":
        shown = f"{given['table']} of {given['run']}"
    return PageFile(file, shown, kind, given.get("run") or given.get("file") or given.get("ruleset") or "")


def _linked(text: str, addresses: Mapping[str, Mapping[str, str]], names: Mapping[str, str]) -> str:
    """Return a page with its links replaced by links to files of the site."""

    def link(match: re.Match[str]) -> str:
        address = unescape(match[2])
        to = _published(address, addresses)
        if to is None or to not in names:
            return f"{match[1]}{match[3]}"
        fragment = urlsplit(address).fragment
        return f'{match[1]} href="{escape(quote(names[to]))}{f"#{fragment}" if fragment else ""}"{match[3]}'

    text = _MODULE.sub(rf'<script src="{ASSETS}/\1" defer></script>', text)
    return _FILE.sub(rf'\1="{ASSETS}/\2"', _LINK.sub(link, text))


def _sentence(text: str) -> str:
    """Extract the error message from an error page."""
    match = re.search(r"<p[^>]*>(.*?)</p>", text.partition("<main>")[2], re.DOTALL)
    words = unescape(re.sub(r"<[^>]*>", " ", match[1] if match else text))
    return " ".join(words.split())[:300]


def _clear(target: Path) -> None:
    """Remove the files of a previously published site."""
    for path in [*target.glob("*.html"), *(target / ASSETS).glob("*")]:
        path.unlink()
    (target / ASSETS).mkdir(parents=True, exist_ok=True)


def _write(path: Path, text: str) -> int:
    text = re.sub(r"\n\s*\n+", "\n", text)
    write_text(path, text)
    return len(text.encode())
