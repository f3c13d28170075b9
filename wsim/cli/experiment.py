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
    tables = [(_title(answer, asked), rows_of(shown))]
    if answer.targets is not None:
        targets = answer.targets.drop("effect").rename({"value_low": "from", "value_high": "to"}).to_dicts()
        tables.append((f"Where the effect on {answer.question.outcome} is {answer.question.target:g}", targets))
    print_tables(tables)
    if shown.is_empty():
        write_out("Nothing was effectively done often enough: play more --games, or lower --fewest.")
    write_out(f"\nEstimand: {answer.estimand}")
    if answer.targets is not None:
        target, level = f"{answer.question.target:g}", f"{100 * answer.question.level:g} %"
        write_out(
            f"value: where the effect is {target}, straight between the values that were tried; from, to: {target} "
            f"lies within the effect's {level} interval there, and beyond the sweep if there is no end."
        )
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


def _title(answer: PickExperiment, asked: Asked) -> str:
    sweep = answer.question.sweep
    each = "" if sweep is None else f" at each value of {sweep.partition('=')[0].strip()}"
    return f"Effects of picks, {answer.games:,} games{each}, {asked.randomise} of them random"
