"""``wsim whatif``: variants against a baseline on common deals, as tables and as a chart of the effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.cli.exports import Files
from wsim.cli.presenter import Output, answered
from wsim.cli.run_command import announce_compiling
from wsim.experiments.arms import Change
from wsim.experiments.question import Question
from wsim.experiments.whatif import WhatIf, compare
from wsim.game import find_game

if TYPE_CHECKING:
    from wsim.cli.options import Given


@dataclass(frozen=True)
class Asked:
    """The options of ``wsim whatif`` besides those of the plan.

    Attributes
    ----------
    change: what the variants have.
    base: keys of the plan, changes that both arms have.
    cluster: the address of the workers that play; None for threads.
    details: whether every metric is shown for many variants, too.
    files: where else the rows of the answer are written.
    wide: whether every column is shown.
    """

    change: Mapping[str, Any]
    base: Mapping[str, Sequence[str]]
    question: Mapping[str, Any]
    out: str | None
    threads: int | None
    cluster: str | None
    details: bool
    files: Files
    wide: bool


def whatif_command(given: Given, asked: Asked, *, as_json: bool, quiet: bool) -> None:
    """Compare, print the answer, write it if asked; after Ctrl-C print what is known so far and exit with 130."""
    given.no_arguments()
    base = {key: value for key, value in asked.base.items() if value}
    plan = replace(given, keys={**given.keys, **base}).resolve()
    change, question = Change(**asked.change), Question(**asked.question)
    if asked.out is not None:
        WhatIf.check_target(Path(asked.out))  # before the games are played
    asked.files.check()
    if not quiet:
        announce_compiling(find_game(plan.game))
    how: dict[str, Any] = {"threads": asked.threads, "cluster": asked.cluster}
    answered(
        lambda progress: compare(plan, change, question, progress=progress, **how),
        Output(asked.files, wide=asked.wide, as_json=as_json, quiet=quiet),
        display=lambda answer: answer.display(every=asked.details),
        write=lambda answer: None if asked.out is None else answer.write(asked.out),
    )
