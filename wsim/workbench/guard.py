"""What every request must be before a page sees it: of this host and origin, with the token, not too large.

A page of another site can make a browser send requests here, and by a name that it lets point to this machine (DNS
rebinding) even read the answers. So the name in ``Host`` must be that of this server, ``Origin`` this server itself
wherever something changes, and whoever comes must have the token: in the address once, in a cookie from then on.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from ipaddress import ip_address
from secrets import compare_digest
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse

from wsim.errors import UserError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BYTES = 1 << 20
"""Of the body of a request: far more than a form holds."""
MAX_DIGITS = 15  # of its size in bytes
SECONDS = 20.0
"""For the whole of a request to come: a browser needs a moment, and one that never ends is not waited for."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANY = ("0.0.0.0", "::")  # hosts that stand for every address of this machine
READING = ("GET", "HEAD")
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",  # where a bar stands, what colour a mark has
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers would not say the origin of a form
}


@dataclass(frozen=True)
class Access:
    """Who may come.

    Attributes
    ----------
    token: what an address must have, or a cookie. host, port: where the server listens.
    keyed: beginnings of paths whose pages check a key of their own in the place of the token (a seat's link).
    """

    token: str
    host: str = LOOPBACK[0]
    port: int = 80
    keyed: tuple[str, ...] = ()

    @property
    def cookie(self) -> str:
        """The name of the cookie: browsers send cookies to every port of a host."""
        return f"wsim-{self.port}"

    def address(self, path: str = "/") -> str:
        """Return the address of a page with the token."""
        host = LOOPBACK[0] if self.host in ANY else self.host
        return f"{origin_of(host, self.port)}{path}{'&' if '?' in path else '?'}token={self.token}"

    def knows(self, given: str) -> bool:
        """Say whether a token is the right one."""
        return compare_digest(given.encode(), self.token.encode())

    def is_host(self, given: str) -> bool:
        """Say whether ``Host`` names this server; an address in numbers cannot be made to point here by anybody."""
        match = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::(\d{1,5}))?", given)
        if match is None or int(match[2] or 80) != self.port:
            return False
        name = match[1].strip("[]").lower()
        return name in (*LOOPBACK, self.host.lower()) or (self.host in ANY and _is_number(name))


def origin_of(host: str, port: int) -> str:
    """Return the origin of a server."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """Lets through what is sound, with the body read (``scope["state"]["body"]``), and adds the headers of safety."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise UserError(f"the workbench speaks http, not {scope['type']}")

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = next(self._refusals(scope), None)
        if refusal is not None:
            status, sentence = refusal
            await _refused(status, sentence)(scope, receive, with_headers)
            return
        given = dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("token")
        if scope["method"] in READING and given is not None and self.access.knows(given):
            await self._welcome(scope)(scope, receive, with_headers)
            return
        try:
            body = await asyncio.wait_for(_body(receive), SECONDS)
        except TimeoutError:
            sentence = f"the request did not arrive within {SECONDS:g} seconds"
            await _refused(HTTPStatus.REQUEST_TIMEOUT, sentence)(scope, receive, with_headers)
            return
        if body is None:
            sentence = f"the request is larger than {MAX_BYTES:,} bytes"
            await _refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, sentence)(scope, receive, with_headers)
            return
        scope.setdefault("state", {})["body"] = body
        await self.app(scope, receive, with_headers)

    def _refusals(self, scope: Scope) -> Iterator[tuple[int, str]]:
        """Yield why a request is refused: a status and a sentence."""
        headers, access = Headers(scope=scope), self.access
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not access.is_host(hosts[0]):
            yield HTTPStatus.FORBIDDEN, f"this server is not {', '.join(hosts) or 'without a name'}"
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        foreign = site not in (None, "same-origin", "none") if origin is None else origin != f"http://{hosts[0]}"
        if scope["method"] not in READING:
            if foreign or (origin is None and site is None):
                yield HTTPStatus.FORBIDDEN, f"what changes something comes from a page of this server, not {origin}"
        elif origin is not None and foreign:
            yield HTTPStatus.FORBIDDEN, f"this server answers no page of {origin}"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > MAX_DIGITS or int(length) > MAX_BYTES:
            yield HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request is larger than {MAX_BYTES:,} bytes"
        if not scope["path"].startswith(access.keyed or ("\0",)) and not self._has_token(scope, headers):
            yield HTTPStatus.FORBIDDEN, "open the address that wsim open printed: this one has not its token"

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        """Say whether a request has the token: in the address, or in the cookie."""
        given = [value for key, value in parse_qsl(scope["query_string"].decode("latin-1")) if key == "token"]
        if given and scope["method"] in READING:
            return self.access.knows(given[0])
        # Browsers send the cookies of every port of a host: those of other programs may be no valid cookies at all.
        cookies = (part.strip().partition("=") for line in headers.getlist("cookie") for part in line.split(";"))
        return any(name == self.access.cookie and self.access.knows(value) for name, _, value in cookies)

    def _welcome(self, scope: Scope) -> HTMLResponse:
        """Return what puts the token into the cookie and leads to the address without it.

        No redirect: a browser that follows one from a letter or a chat keeps the strict cookie back.
        """
        rest = [(key, value) for key, value in parse_qsl(scope["query_string"].decode("latin-1")) if key != "token"]
        target = quote(scope["path"]) + (f"?{urlencode(rest)}" if rest else "")
        target = "/" + target.lstrip("/\\").replace("&", "&amp;").replace('"', "&quot;")
        response = HTMLResponse(
            '<!DOCTYPE html><html lang="en"><title>wsim</title><link rel="icon" href="data:,">'
            f'<meta http-equiv="refresh" content="0;url={target}"><p><a href="{target}">Go on</a></p></html>'
        )
        access = self.access
        response.set_cookie(access.cookie, access.token, httponly=True, samesite="strict", path="/")
        return response


def _refused(status: int, sentence: str) -> HTMLResponse:
    """Return the page of a refused request: the guard knows no templates, only the address of the style sheet."""
    sheets = "".join(f'<link rel="stylesheet" href="/static/{name}">' for name in ("page.css", "workbench.css"))
    return HTMLResponse(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Refused · wsim</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">{sheets}</head>'
        '<body><header class="top"><p class="kicker">wsim</p><h1>Refused</h1></header>'
        f'<main><section><p class="refused" role="alert">{escape(sentence)}</p></section></main></body></html>\n',
        status,
    )


async def _body(receive: Receive) -> bytes | None:
    """Return the whole body of a request; None if it is too large."""
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MAX_BYTES:
            return None
    return bytes(body)
