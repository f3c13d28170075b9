"""Call the application without a network: one request, one response."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from wsim.workbench.folder import Folder
from wsim.workbench.guard import Access
from wsim.workbench.server import KEYED, application

TOKEN, PORT = "a-token", 8123
HOST = f"127.0.0.1:{PORT}"


@dataclass(frozen=True)
class Reply:
    """The response to a request."""

    status: int
    headers: Mapping[str, str]
    text: str


class Caller:
    """Calls a folder's application in the same way as a browser with the token."""

    def __init__(self, folder: Path, **access: Any) -> None:
        self.app = application(Folder.of(folder), Access(TOKEN, port=PORT, keyed=KEYED, **access))
        self.cookie = f"wsim-{PORT}={TOKEN}"

    def get(self, path: str, **headers: str | None) -> Reply:
        return self.call("GET", path, headers)

    def post(self, path: str, fields: Sequence[tuple[str, str]] = (), **headers: str | None) -> Reply:
        kind = "application/x-www-form-urlencoded"
        given: dict[str, str | None] = {"content_type": kind, "origin": f"http://{HOST}", **headers}
        return self.call("POST", path, given, [urlencode(fields).encode()])

    def call(self, method: str, path: str, headers: Mapping[str, str | None], body: Sequence[bytes] = (b"",)) -> Reply:
        """Send a request with its body in parts; headers that are None are omitted."""
        return asyncio.run(self.request(method, path, headers, body))

    async def request(
        self, method: str, path: str, headers: Mapping[str, str | None] | None = None, body: Sequence[bytes] = (b"",)
    ) -> Reply:
        sent: dict[str, str | None] = {"host": HOST, "cookie": self.cookie, **(headers or {})}
        named = [(k.replace("_", "-").encode(), v.encode()) for k, v in sent.items() if v is not None]
        path, _, query = path.partition("?")
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "scheme": "http", "path": path,
            "raw_path": path.encode(), "query_string": query.encode(), "headers": named, "server": ("127.0.0.1", PORT),
            "client": ("127.0.0.1", 1), "root_path": "",
        }  # fmt: skip
        parts, messages = list(body), list[Any]()

        async def receive() -> dict[str, Any]:
            if not parts:
                await asyncio.Event().wait()  # nobody goes away
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

        async def send(message: Any) -> None:
            messages.append(message)

        await self.app(scope, receive, send)
        text = b"".join(message.get("body", b"") for message in messages[1:]).decode(
            errors="replace"
        )  # it may be compressed
        return Reply(messages[0]["status"], {k.decode(): v.decode() for k, v in messages[0]["headers"]}, text)
