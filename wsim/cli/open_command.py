"""``wsim open``: start the workbench in a browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wsim.cli.console import remark, write_out
from wsim.errors import UserError
from wsim.options import Options, argument, option

if TYPE_CHECKING:
    from wsim.cli.groups import Printing

LARGEST_PORT = 65535


def _checked_port(name: str, value: Any) -> Any:
    if not 0 <= value <= LARGEST_PORT:
        raise UserError(f"{name} must be from 0 (any free port) to {LARGEST_PORT}, not {value}")
    return value


@dataclass(frozen=True)
class OpenOptions(Options):
    """Browse runs and answers, ask questions and play, in a browser: wsim open [RUN | ANSWER | GAME | FOLDER]

    This starts a server that only this machine can reach, at an address with a token; Ctrl-C stops it (needs
    wsim[web]). wsim publish writes the same pages as a static website.
    """

    target: str = argument("Folder, run, answer, position file, or name of a game.", ".", metavar="WHAT")
    host: str = option(
        "Network address to listen on; 0.0.0.0 lets others in the local network play.", "127.0.0.1", metavar="HOST"
    )
    port: int = option("Port to listen on.", 0, metavar="PORT", shown="any free port", check=_checked_port)
    no_browser: bool = option("Print the address without opening a browser.", False)


def open_command(options: OpenOptions, printing: Printing) -> None:
    """Serve the workbench until Ctrl-C."""
    from wsim.report import check_extra

    check_extra(("starlette", "uvicorn", "jinja2", "altair", "vl_convert"), "wsim open", "web")
    from wsim.policies.declare import isolated_by_default
    from wsim.workbench.server import serve

    def ready(address: str) -> None:
        write_out(address)
        if not printing.quiet:
            remark("wsim: running, press Ctrl-C to stop")

    with isolated_by_default():
        serve(options.target, options.host, options.port, ready, browser=not options.no_browser)
