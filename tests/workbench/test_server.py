"""``wsim open``: requests that the server rejects, listings, start and end of the server."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import wsim
from tests.conftest import ROOT, Command
from tests.workbench.client import HOST, PORT, TOKEN, Caller
from wsim.errors import UserError
from wsim.workbench import server
from wsim.workbench.folder import Folder
from wsim.workbench.guard import MAX_BYTES

ANSWER = {
    "format": "wsim-whatif/2",
    "estimand": "Mean score <script>alert(1)</script>",
    "baseline": {"plan": {"game": "seven_wonders", "ruleset": "1e", "players": 4, "policies": ["net"]}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Create a folder with an answer, an unrelated file, and a link to a file outside."""
    inside = tmp_path / "open"
    inside.mkdir()
    (inside / "palace.json").write_text(json.dumps(ANSWER, indent=2))
    (inside / "other.json").write_text('{"format": "somebody/1"}')
    (tmp_path / "secret.json").write_text(json.dumps(ANSWER))
    (inside / "link.json").symlink_to(tmp_path / "secret.json")
    return inside


@pytest.fixture
def caller(folder: Path) -> Caller:
    """A browser with the token."""
    return Caller(folder)


def test_the_start_page_lists_the_folder(caller: Caller) -> None:
    reply = caller.get("/")
    assert reply.status == 200
    assert "7 Wonders 1e, 4 players, net" in reply.text
    assert "palace.json" in reply.text
    assert ">What if<" in reply.text
    assert "other.json" not in reply.text
    assert "link.json" not in reply.text


def test_file_contents_are_never_served_as_html(caller: Caller) -> None:
    text = caller.get("/").text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text


def test_every_reply_has_a_content_security_policy(caller: Caller) -> None:
    for reply in (caller.get("/"), caller.get("/", host="evil.example"), caller.get("/nowhere")):
        policy = reply.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "http" not in policy
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", "127.0.0.1:1", "127.0.0.1", "127.0.0.1.evil.example:8123", "", None],
)
def test_an_unknown_host_name_is_rejected(caller: Caller, host: str | None) -> None:
    reply = caller.get("/", host=host)
    assert reply.status == 403
    assert "palace" not in reply.text


def test_numeric_addresses_are_accepted_when_listening_on_all_addresses(folder: Path) -> None:
    assert Caller(folder, host="0.0.0.0").get("/", host=f"192.168.1.5:{PORT}").status == 200
    assert Caller(folder, host="0.0.0.0").get("/", host=f"evil.example:{PORT}").status == 403
    assert Caller(folder).get("/", host=f"192.168.1.5:{PORT}").status == 403
    assert Caller(folder).get("/", host=f"[::1]:{PORT}").status == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", f"http://127.0.0.1:{PORT + 1}", f"https://{HOST}", None]
)
def test_changes_are_accepted_only_from_pages_of_the_server(caller: Caller, origin: str | None) -> None:
    assert caller.post("/", origin=origin).status == 403
    assert caller.post("/").status == 405  # the page takes no forms, but this one was let through


def test_a_page_of_a_different_origin_reads_nothing(caller: Caller) -> None:
    assert caller.get("/", origin="http://evil.example").status == 403
    assert caller.get("/", origin=f"http://{HOST}").status == 200


@pytest.mark.parametrize("cookie", [None, "", f"wsim-{PORT}=wrong", f"wsim={TOKEN}", f"wsim-{PORT}=", "=;;=\x01"])
def test_a_missing_or_wrong_token_is_rejected(caller: Caller, cookie: str | None) -> None:
    reply = caller.get("/", cookie=cookie)
    assert reply.status == 403
    assert "wsim open" in reply.text


@pytest.mark.parametrize(
    "others", ['a={"x": 1}; {}', 'a=b c;{}; z="', "bad[key]=1; {}", "caf\xe9=1; {}", "{}; a=,;;=", "wsim-1=x; {}"]
)
def test_cookies_of_other_programs_do_not_lock_users_out(caller: Caller, others: str) -> None:
    """Browsers send those of every port of 127.0.0.1, whatever is in them."""
    assert caller.get("/", cookie=others.replace("{}", f"wsim-{PORT}={TOKEN}")).status == 200
    assert caller.get("/", cookie=others.replace("{}", f"wsim-{PORT}=wrong")).status == 403


def test_an_error_page_escapes_its_text(caller: Caller) -> None:
    reply = caller.get("/", host="<script>alert(1)</script>")
    assert reply.headers["content-type"].startswith("text/html")
    assert "&lt;script&gt;" in reply.text
    assert "<script>" not in reply.text
    assert '<link rel="stylesheet" href="/static/page.css">' in reply.text


def test_browsers_cache_only_versioned_files(caller: Caller) -> None:
    files = re.findall(r'"(/static/[^"]+)"', caller.get("/").text)
    assert len(files) >= 3
    for address in files:
        assert caller.get(address).headers["cache-control"] == "private, max-age=31536000, immutable"
        name, _, version = address.partition("?")
        assert len(version) == 12
        for other in (name, f"{name}?{'0' * 12}", f"{name}?{version}&more"):
            assert caller.get(other).headers["cache-control"] == "no-store"


IMPATIENT = ["-c", "from wsim.workbench import guard; guard.SECONDS = 1; from wsim.__main__ import main; main()"]
"""``wsim`` with a server that waits a second for a request."""


@pytest.fixture
def opened(folder: Path, request: pytest.FixtureRequest) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start ``wsim open`` as a process; yield it with the printed address."""
    words = [sys.executable, *getattr(request, "param", ["-m", "wsim"]), "open", "--no-browser", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("opened", [IMPATIENT], indirect=True)
def test_an_endless_request_is_abandoned(opened: tuple[subprocess.Popen[str], str]) -> None:
    """Half a line of a head, a head without its end, half a body, and a second request after a whole first one."""
    _, address = opened
    port = int(address.split(":")[2].partition("/")[0])
    host = f"Host: 127.0.0.1:{port}\r\n"
    whole = f"GET /static/page.css HTTP/1.1\r\n{host}\r\n"
    post = f"POST /static/page.css HTTP/1.1\r\n{host}Origin: http://127.0.0.1:{port}\r\nContent-Length: 9\r\n\r\nhalf"
    sent = ["", "GET / HT", f"GET / HTTP/1.1\r\n{host}", post, f"{whole}GET / H"]
    with contextlib.ExitStack() as kept:
        sockets = [kept.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60)) for _ in sent]
        for connection, text in zip(sockets, sent, strict=True):
            connection.sendall(text.encode())
        ends = [b"".join(iter(partial(connection.recv, 1 << 16), b"")) for connection in sockets]
    assert ends[:3] == [b"", b"", b""]
    assert b"408" in ends[3].partition(b"\r\n")[0]
    assert b"200 OK" in ends[4]


def test_the_token_in_the_address_becomes_a_cookie(caller: Caller) -> None:
    assert caller.get("/?token=wrong", cookie=None).status == 403
    assert caller.get("/?token=wrong").status == 403
    reply = caller.get(f'/x?a="1"&token={TOKEN}', cookie=None)
    assert reply.status == 200
    assert re.fullmatch(rf"wsim-{PORT}={TOKEN}; HttpOnly; Path=/; SameSite=strict", reply.headers["set-cookie"])
    assert TOKEN not in reply.text
    assert "/x?a=%221%22" in reply.text
    assert 'url=/evil.example"' in caller.get(f"//evil.example?token={TOKEN}", cookie=None).text
    assert caller.post(f"/?token={TOKEN}", cookie=None).status == 403


def test_large_bodies_are_rejected(caller: Caller) -> None:
    same = {"origin": f"http://{HOST}"}
    assert caller.call("POST", "/", {**same, "content-length": str(MAX_BYTES + 1)}).status == 413
    assert caller.call("POST", "/", {**same, "content-length": "-1"}).status == 413
    assert caller.call("POST", "/", {**same, "content-length": "9" * 5000}).status == 413
    assert caller.call("POST", "/", same, [b"x" * 65536] * 17).status == 413


@pytest.mark.parametrize(
    "name", ["../secret.json", "/etc/passwd", "link.json", "a/../../secret.json", "a\0b", "x" * 5000]
)
def test_nothing_outside_the_folder_is_served(folder: Path, name: str) -> None:
    with pytest.raises(UserError, match=r"is not in the opened folder|is not a valid file name"):
        Folder.of(folder).inside(name)


@pytest.mark.parametrize(
    "path", ["/static/../pyproject.toml", "/static/%2e%2e", "/static/base.html.j2", "/static/x", "/no"]
)
def test_an_unknown_address_is_reported_in_one_sentence(caller: Caller, path: str) -> None:
    reply = caller.get(path)
    assert reply.status in (400, 404)
    assert re.search("there is no (page|file)", reply.text)


def test_the_targets_of_open_are_recognised(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert server.opened(str(folder)) == (Folder(folder.resolve()), "/")
    assert server.opened(str(folder / "palace.json"))[0].root == folder.resolve()
    monkeypatch.chdir(folder)
    assert server.opened("tower_of_babel")[0].root == folder.resolve()
    with pytest.raises(UserError, match="is not an answer"):
        server.opened("other.json")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nowhere"], "'nowhere' is not a run, answer, position, folder or game: the games are"),
        (["--port", "70000"], "port must be from 0 (any free port) to 65535, not 70000"),
        (["--host", "203.0.113.7"], "cannot listen on 203.0.113.7, port 0:"),
    ],
)
def test_invalid_input_is_reported_in_one_sentence(
    wsim_command: Command, tmp_path: Path, words: list[str], sentence: str
) -> None:
    answer = wsim_command("open", "--no-browser", *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {sentence}")
    assert answer.err.count("\n") == 1


def test_a_missing_extra_is_named(wsim_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr("wsim.report.page.find_spec", lambda name: None if name == "starlette" else found(name))
    answer = wsim_command("open")
    assert (answer.code, answer.err) == (2, "wsim: wsim open needs the extra: pip install 'wsim[web]'\n")


@pytest.mark.slow
def test_the_server_runs_until_ctrl_c(opened: tuple[subprocess.Popen[str], str]) -> None:
    process, address = opened
    with urllib.request.urlopen(address) as reply:
        cookie = reply.headers["Set-Cookie"].partition(";")[0]
    base = address.partition("?")[0]
    with urllib.request.urlopen(urllib.request.Request(base, headers={"Cookie": cookie})) as reply:
        assert b"palace.json" in reply.read()
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(base)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err == "wsim: running, press Ctrl-C to stop\nwsim: interrupted\n"


@pytest.mark.slow
def test_pages_are_compressed_and_cached_until_their_content_changes(tmp_path: Path) -> None:
    caller = Caller(tmp_path)
    plain, packed = caller.get("/cards"), caller.get("/cards", accept_encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 5
    file = wsim.whatif(set=["cards.Palace.points=5"], policies="random", budget=64).write(tmp_path / "a.json")
    first = caller.get("/answer?file=a.json")
    assert first.text == caller.get("/answer?file=a.json").text
    assert first.headers["content-type"] == caller.get("/answer?file=a.json").headers["content-type"]
    file.unlink()
    wsim.whatif(set=["cards.Palace.points=6"], policies="random", budget=64).write(file)
    assert "Palace, points 8 to 6" in caller.get("/answer?file=a.json").text
    file.unlink()
    assert caller.get("/answer?file=a.json").status == 400
