"""Check every request before a page handles it: host, origin, token and size.

A page of a different site can make a browser send requests here and, with DNS rebinding, even read the responses.
Therefore ``Host`` must name this server, requests that change something must have this server as ``Origin``, and every
request needs the token: first in the address, then in a cookie.
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
"""Maximum size of a request body in bytes: far more than a form needs."""
MAX_DIGITS = 15  # digits of a Content-Length
SECONDS = 20.0
"""Time limit for receiving a request; a browser needs much less."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANY = ("0.0.0.0", "::")  # hosts that mean every address of this machine
READING = ("GET", "HEAD")
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",  # positions of bars, colours of marks
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
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers would not send the origin of a form
}


@dataclass(frozen=True)
class Access:
    """The access rules of a server.

    Attributes
    ----------
    token: required in the address or in a cookie. host, port: where the server listens.
    keyed: prefixes of paths whose pages check their own key instead of the token (the link of a seat).
    """

    token: str
    host: str = LOOPBACK[0]
    port: int = 80
    keyed: tuple[str, ...] = ()

    @property
    def cookie(self) -> str:
        """The name of the cookie; it contains the port, because browsers send cookies to every port of a host."""
        return f"wsim-{self.port}"

    def address(self, path: str = "/") -> str:
        """Return the address of a page, including the token."""
        host = LOOPBACK[0] if self.host in ANY else self.host
        return f"{origin_of(host, self.port)}{path}{'&' if '?' in path else '?'}token={self.token}"

    def knows(self, given: str) -> bool:
        """Return whether a token is correct."""
        return compare_digest(given.encode(), self.token.encode())

    def is_host(self, given: str) -> bool:
        """Return whether ``Host`` names this server; numeric addresses are safe from DNS rebinding."""
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
    """Middleware that passes valid requests on with their body (``scope["state"]["body"]``), with security headers."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or reject it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise UserError(f"the workbench accepts only HTTP, not {scope['type']}")

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
        """Yield the reasons to reject a request, each a status and a message."""
        headers, access = Headers(scope=scope), self.access
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not access.is_host(hosts[0]):
            yield HTTPStatus.FORBIDDEN, f"this server is not {', '.join(hosts) or 'nameless'}"
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        foreign = site not in (None, "same-origin", "none") if origin is None else origin != f"http://{hosts[0]}"
        if scope["method"] not in READING:
            if foreign or (origin is None and site is None):
                yield HTTPStatus.FORBIDDEN, f"changes are only accepted from pages of this server, not from {origin}"
        elif origin is not None and foreign:
            yield HTTPStatus.FORBIDDEN, f"this server does not answer pages of {origin}"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > MAX_DIGITS or int(length) > MAX_BYTES:
            yield HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request is larger than {MAX_BYTES:,} bytes"
        if not scope["path"].startswith(access.keyed or ("\0",)) and not self._has_token(scope, headers):
            yield HTTPStatus.FORBIDDEN, "this address has no valid token: open the one that wsim open printed"

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        """Return whether a request has the token, in the address or in the cookie."""
        given = [value for key, value in parse_qsl(scope["query_string"].decode("latin-1")) if key == "token"]
        if given and scope["method"] in READING:
            return self.access.knows(given[0])
        # Browsers send the cookies of every port of a host, including invalid cookies of other programs.
        cookies = (part.strip().partition("=") for line in headers.getlist("cookie") for part in line.split(";"))
        return any(name == self.access.cookie and self.access.knows(value) for name, _, value in cookies)

    def _welcome(self, scope: Scope) -> HTMLResponse:
        """Return a page that stores the token in a cookie and opens the address without the token.

        It is not a redirect, because a browser that follows a redirect from an e-mail or a chat does not send the
        strict cookie.
        """
        kept = [(key, value) for key, value in parse_qsl(scope["query_string"].decode("latin-1")) if key != "token"]
        target = quote(scope["path"]) + (f"?{urlencode(kept)}" if kept else "")
        target = "/" + target.lstrip("/\\").replace("&", "&amp;").replace('"', "&quot;")
        response = HTMLResponse(
            '<!DOCTYPE html><html lang="en"><title>wsim</title><link rel="icon" href="data:,">'
            f'<meta http-equiv="refresh" content="0;url={target}"><p><a href="{target}">Continue</a></p></html>'
        )
        access = self.access
        response.set_cookie(access.cookie, access.token, httponly=True, samesite="strict", path="/")
        return response


def _refused(status: int, sentence: str) -> HTMLResponse:
    """Return a plain page for a rejected request; it does not use templates."""
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
    """Return the body of a request; None if it is too large."""
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
