"""``wsim experiment picks``: what doing something with a card causes, from randomised picks."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wsim.cli.exports import Files, plan_identity
from wsim.cli.presenter import Output, answered
from wsim.cli.run_command import announce_compiling
from wsim.experiments.picks import GAMES, PickQuestion, play_experiment, randomised
from wsim.game import find_game

if TYPE_CHECKING:
    from wsim.cli.options import Given
    from wsim.cli.table_command import View


@dataclass(frozen=True)
class Playing:
    """Where the games are kept, and who plays them: a folder (``out``), threads or the workers of a cluster."""

    out: str | None
    resume: bool
    threads: int | None
    cluster: str | None


@dataclass(frozen=True)
class Asked:
    """The options of ``wsim experiment picks`` besides those of the plan."""

    randomise: str
    question: Mapping[str, Any]
    view: View
    playing: Playing
    files: Files


def picks_command(given: Given, asked: Asked, *, as_json: bool, quiet: bool) -> None:
    """Play, ask and print; after Ctrl-C print what the finished games say and exit with 130."""
    given.no_arguments()
    asked.files.check()
    where = asked.playing
    question = PickQuestion(**asked.question)
    plan = randomised(given.resolve(games=GAMES), asked.randomise)
    if not quiet:
        announce_compiling(find_game(plan.game))
    how: dict[str, Any] = {"resume": where.resume, "threads": where.threads, "cluster": where.cluster}
    go_on = f"; go on with --resume -o {shlex.quote(where.out)}" if where.out else ""
    answered(
        lambda progress: play_experiment(plan, question, where.out, **how, progress=progress),
        Output(asked.files, wide=asked.view.wide, as_json=as_json, quiet=quiet),
        display=lambda answer: answer.display(asked.view.of, randomise=asked.randomise),
        more=lambda answer: {**plan_identity(answer.plan), "notes": answer.notes()},
        so_far=lambda _: f"this is what the finished games say{go_on}",
    )
