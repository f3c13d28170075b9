"""``wsim publish``: write the studies in a folder as a static website."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wsim.cli.console import remark, write_out
from wsim.options import Options, argument, option

if TYPE_CHECKING:
    from wsim.cli.groups import Printing


@dataclass(frozen=True)
class PublishOptions(Options):
    """Write the runs, answers, cards and games in a folder as a website that needs neither a server nor a network.

    The pages are the same as in wsim open. Open SITE/index.html, or copy SITE to any web server (needs wsim[web]).
    """

    folder: str = argument("Folder with runs and answers.", ".", metavar="FOLDER")
    out: str = option("Folder to write the site to.", "site", metavar="SITE", names=("-o", "--out"))


def publish_command(options: PublishOptions, printing: Printing) -> None:
    """Write the site and print the path of its first page."""
    from wsim.report import check_extra

    check_extra(("starlette", "uvicorn", "jinja2", "altair", "vl_convert"), "wsim publish", "web")
    from wsim.policies.declare import isolated_by_default
    from wsim.workbench.publish import publish
    from wsim.workbench.rendering import size_words

    shown = not printing.quiet and sys.stderr.isatty()

    def progress(done: int, total: int) -> None:
        if shown:
            print(f"\r{done} of {total} pages", end="", file=sys.stderr, flush=True)  # noqa: T201 (a terminal)

    target = Path(options.out)
    with isolated_by_default():
        site = publish(Path(options.folder), target, progress)
    if shown:
        print(file=sys.stderr)  # noqa: T201
    if not printing.quiet:
        for address, why in site.left_out.items():
            if not address.startswith("/run?"):  # not every run has every table
                remark(f"wsim: left out {address}: {why}")
    write_out(f"{target / 'index.html'}: {len(site.pages) + 1:,} pages, {size_words(site.size)}")
