"""``wsim open``: the workbench in a browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wsim.cli.console import remark, write_out
from wsim.errors import UserError
from wsim.options import Options, argument, option

if TYPE_CHECKING:
    from wsim.cli.groups import Printing

LARGEST_PORT = 65535


def _port(name: str, value: Any) -> Any:
    if not 0 <= value <= LARGEST_PORT:
        raise UserError(f"{name} lies between 0 (a free one) and {LARGEST_PORT}, not {value}")
    return value


@dataclass(frozen=True)
class OpenOptions(Options):
    """Look at runs and answers in a browser, ask and play: wsim open [RUN | ANSWER | GAME | FOLDER]

    A server on this machine alone, at an address with a token; Ctrl-C ends it (needs wsim[web]).
    """

    target: str = argument("A folder, a run, an answer, a position, or the name of a game.", ".", metavar="WHAT")
    host: str = option("Listen here: 0.0.0.0 lets others in the local network play.", "127.0.0.1", metavar="HOST")
    port: int = option("Listen at this port.", 0, metavar="PORT", shown="a free one", check=_port)
    no_browser: bool = option("Print the address, open no browser.", False)


def open_command(options: OpenOptions, printing: Printing) -> None:
    """Serve the workbench until Ctrl-C."""
    from wsim.report import check_extra

    check_extra(("starlette", "uvicorn", "jinja2", "altair", "vl_convert"), "wsim open", "web")
    from wsim.workbench.server import serve

    def ready(address: str) -> None:
        write_out(address)
        if not printing.quiet:
            remark("wsim: open until Ctrl-C")

    serve(options.target, options.host, options.port, ready, browser=not options.no_browser)
