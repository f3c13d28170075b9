"""``wsim match``: policies against each other on common deals, as tables."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.cli import presenter
from wsim.cli.exports import Files
from wsim.cli.run_command import announce_compiling
from wsim.errors import UserError
from wsim.experiments.matches.playing import Output, named_policies, play_match, tables_of
from wsim.experiments.matches.trial import MatchQuestion
from wsim.game import find_game
from wsim.lab.cluster import check_cluster

if TYPE_CHECKING:
    from wsim.cli.options import Given
    from wsim.experiments.matches.playing import Match


@dataclass(frozen=True)
class Asked:
    """The options of ``wsim match`` besides those of the plan.

    Attributes
    ----------
    rulesets, players: as given, with commas. question: of ``MatchQuestion``.
    out, resume: see ``Output``. files: where else the rows of the pairs are written.
    """

    rulesets: str | None
    players: str | None
    question: Mapping[str, Any]
    out: str | None
    resume: bool
    threads: int | None
    cluster: str | None
    files: Files
    wide: bool


def match_command(given: Given, asked: Asked, *, as_json: bool, quiet: bool) -> None:
    """Play, print the answer, write it if asked; after Ctrl-C print what is known so far and exit with 130."""
    question = MatchQuestion(**asked.question)
    asked.files.check()
    check_cluster(asked.cluster, asked.threads)
    plan = given.resolve()
    policies = named_policies(plan, given.arguments)
    output = Output.of(asked.out, resume=asked.resume)
    if not quiet:
        announce_compiling(find_game(plan.game))
    tables = tables_of(plan, policies, _names(asked.rulesets), _numbers(asked.players), question)
    how: dict[str, Any] = {"threads": asked.threads, "cluster": asked.cluster}
    presenter.answered(
        lambda progress: play_match(tables, question, output, **how, progress=progress),
        presenter.Output(asked.files, wide=asked.wide, as_json=as_json, quiet=quiet),
        write=lambda _: asked.out,  # it is written already, deal by deal in a folder of its own
        so_far=lambda answer: f"this is what the deals so far say{_again(answer, asked)}",
    )


def _again(answer: Match, asked: Asked) -> str:
    """Say how a match that was interrupted goes on, if its deals were kept."""
    if asked.out is None or not (Path(asked.out) / "deals").is_dir():
        return ""
    return f"; go on with: {answer.made['command']} --out {shlex.quote(asked.out)} --resume"


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _numbers(text: str | None) -> list[int]:
    """Read numbers of players with commas, or from..to; UserError for anything else."""
    found: list[int] = []
    for part in _names(text):
        first, dots, last = part.partition("..")
        if not first.isdecimal() or (dots and not last.isdecimal()) or int(last or first) - int(first) > 100:
            raise UserError(f"--players takes numbers with commas or a range, such as 3,4,5 or 3..7, not {text!r}")
        found += range(int(first), int(last or first) + 1)
    return found
