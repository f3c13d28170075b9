"""``wsim trace --format html``: one game as a page to step through."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wsim.cli.console import progress_bar, write_out
from wsim.errors import UserError

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.plan import Plan

__all__ = ["Page"]


@dataclass(frozen=True)
class Page:
    """The page that is asked for: which game of which plan, how many playouts, and where to (None: standard output)."""

    plan: Plan
    number: int
    playouts: int
    target: Path | None

    @classmethod
    def of(cls, plan: Plan, number: int, out: str | None, playouts: int | None) -> Page:
        """Check what was asked for, before anything is compiled or played; without a file, a terminal gets one."""
        from wsim.report.replay import PLAYOUTS, check_replay

        if plan.games != 1:
            raise UserError(f"a page tells one game, not {plan.games}: leave --games away; --first says which game")
        target = None if out is None else Path(out)
        if target is None and sys.stdout.isatty():
            target = Path(f"replay-{plan.seed}-{number}.html")
        page = cls(plan, number, PLAYOUTS if playouts is None else playouts, target)
        check_replay(page.playouts, target)
        return page

    def write(self, simulator: Simulator, *, quiet: bool) -> None:
        """Write the page and say where it lies; to standard output, which is no terminal, the page itself."""
        from wsim.report.replay import render, replay_of, write_replay

        with progress_bar(not quiet) as progress:
            replay = replay_of(self.plan, simulator, self.number, self.playouts, progress)
        if self.target is None:
            sys.stdout.write(render(replay))
        else:
            write_out(str(write_replay(replay, self.target)))
