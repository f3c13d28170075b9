"""``wsim experiment picks``: what doing something with a card causes, from randomised picks."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from wsim.cli.console import INTERRUPTED, print_json, print_tables, progress_bar, remark, rows_of, write_out
from wsim.cli.run import announce_compiling
from wsim.comparisons.picks import GAMES, PickExperiment, PickQuestion, play_experiment, randomised
from wsim.game import find_game
from wsim.lab.progress import Interrupted

if TYPE_CHECKING:
    from wsim.cli.options import Given
    from wsim.cli.tables import View

__all__ = ["Asked", "picks_command"]


@dataclass(frozen=True)
class Asked:
    """The options of ``wsim experiment picks`` besides those of the plan."""

    randomise: str
    question: Mapping[str, Any]
    view: View
    out: str | None
    resume: bool
    threads: int | None


def picks_command(given: Given, asked: Asked, *, as_json: bool, quiet: bool) -> None:
    """Play, ask and print; after Ctrl-C print what the finished games say and exit with 130."""
    given.no_arguments()
    question = PickQuestion(**asked.question)
    plan = randomised(given.resolve(games=GAMES), asked.randomise)
    if not quiet:
        announce_compiling(find_game(plan.game))
    try:
        with progress_bar(not quiet) as progress:
            answer = play_experiment(
                plan, question, asked.out, resume=asked.resume, threads=asked.threads, progress=progress
            )
    except Interrupted as interrupt:
        if interrupt.result is None:
            raise
        _show(interrupt.result, asked, as_json=as_json)
        again = f"; go on with --resume -o {shlex.quote(asked.out)}" if asked.out else ""
        remark(f"wsim: interrupted; this is what the finished games say{again}")
        raise typer.Exit(INTERRUPTED) from None
    _show(answer, asked, as_json=as_json)


def _show(answer: PickExperiment, asked: Asked, *, as_json: bool) -> None:
    """Print an answer: its table with what it is an estimate of, or all of it as JSON."""
    shown = asked.view.of(answer.effects)
    if as_json:
        print_json({**answer.record(), "effects": rows_of(shown)})
        return
    print_tables([(f"Effects of picks, {answer.games:,} games, {asked.randomise} of them random", shown)])
    write_out(f"\nEstimand: {answer.estimand}")
    rare = int(answer.effects["rare"].sum())
    if rare:
        write_out(
            f"Rare ({rare} rows): drawn fewer than {answer.question.fewest} times when the policy wanted something "
            "else; their intervals may be too short."
        )
    write_out(
        f"Causal: picks were randomised with known probability. Intervals: {100 * answer.question.level:g} %, "
        f"clustered by game; q: Benjamini-Hochberg over {answer.effects.height} rows. Left out: what was effectively "
        f"done less than {answer.question.fewest} times."
    )
