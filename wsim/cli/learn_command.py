"""``wsim learn``: a net from self-play, by a plan; or the one that comes with wsim, fitted to changed cards."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.cli.console import Shown, print_json, print_tables, progress_bar, remark
from wsim.learn.run import LAST, learn

if TYPE_CHECKING:
    from wsim.cli.groups import Printing, Workers
    from wsim.learn.learn_question import LearnQuestion


def learn_command(question: LearnQuestion, workers: Workers, printing: Printing) -> None:
    """Learn, or go on learning, and show how strong the net is; Ctrl-C keeps every part that is finished."""
    plan = question.resolve()
    folder = Path(question.out or "learned")
    try:
        with progress_bar(not printing.quiet) as progress:
            judgements = learn(plan, folder, progress=progress, **workers.record())
    except KeyboardInterrupt:
        remark(f"wsim: what is finished is kept; to go on: wsim {shlex.join(sys.argv[1:])}")
        raise
    rows: list[dict[str, Any]] = [
        {
            "ruleset": one.ruleset, "players": one.players, "against": one.against,
            "win_share": round(one.share, 4), "low": round(one.low, 4), "high": round(one.high, 4),
            "fair_share": round(one.fair, 4), "score": round(one.score, 2), "games": one.games,
        }
        for one in judgements
    ]  # fmt: skip
    if printing.as_json:
        print_json({"net": str(folder / LAST), "judgements": rows})
        return
    if rows:
        print_tables([Shown("One of the net against others, in games that it never learned from", rows)])
    if not printing.quiet:
        remark(f"learned: --policies net:file={folder / LAST}")
