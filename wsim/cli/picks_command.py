"""``wsim experiment picks``: what doing something with a card causes, from randomised picks."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from wsim.cli.console import (
    INTERRUPTED,
    Shown,
    print_json,
    print_tables,
    progress_bar,
    remark,
    rows_of,
    write_note,
    write_out,
)
from wsim.cli.exports import Files, plan_identity
from wsim.cli.run_command import announce_compiling
from wsim.experiments.picks import GAMES, PickExperiment, PickQuestion, play_experiment, randomised
from wsim.game import find_game
from wsim.lab.progress import Interrupted

if TYPE_CHECKING:
    from wsim.cli.options import Given
    from wsim.cli.table_command import View

__all__ = ["Asked", "Playing", "picks_command"]

FIRST = ("card", "action", "effect", "q", "rare", "picks", "effective")


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
    how = asked.playing
    question = PickQuestion(**asked.question)
    plan = randomised(given.resolve(games=GAMES), asked.randomise)
    if not quiet:
        announce_compiling(find_game(plan.game))
    try:
        with progress_bar(not quiet) as progress:
            answer = play_experiment(
                plan,
                question,
                how.out,
                resume=how.resume,
                threads=how.threads,
                cluster=how.cluster,
                progress=progress,
            )
    except Interrupted as interrupt:
        if interrupt.result is None:
            raise
        _show(interrupt.result, asked, as_json=as_json)
        again = f"; go on with --resume -o {shlex.quote(how.out)}" if how.out else ""
        remark(f"wsim: interrupted; this is what the finished games say{again}")
        raise typer.Exit(INTERRUPTED) from None
    _show(answer, asked, as_json=as_json)


def _show(answer: PickExperiment, asked: Asked, *, as_json: bool) -> None:
    """Print an answer: its table with what it is an estimate of, or all of it as JSON."""
    shown = asked.view.of(answer.effects)
    record = {**answer.record(), **plan_identity(answer.plan), "notes": _notes(answer)}
    asked.files.write(shown, {key: one for key, one in record.items() if key != "effects"})
    if as_json:
        print_json({**record, "effects": rows_of(shown)})
        return
    if asked.files.instead:
        return
    tables = [Shown(_title(answer, asked), rows_of(shown), first=FIRST)]
    if answer.targets is not None:
        targets = answer.targets.drop("effect").rename({"value_low": "from", "value_high": "to"}).to_dicts()
        title = f"Where the effect on {answer.question.outcome} is {answer.question.target:g}"
        tables.append(Shown(title, targets, first=("card", "value", "from", "to", "said")))
    print_tables(tables, wide=asked.view.wide)
    if shown.is_empty():
        write_note("Nothing was effectively done often enough: play more --games, or lower --fewest.")
    write_out("")
    for note in _notes(answer):
        write_note(note)


def _notes(answer: PickExperiment) -> list[str]:
    """Say in words what the effects are and what they are not."""
    question = answer.question
    level = f"{100 * question.level:g} %"
    said = [f"Estimand: {answer.estimand}"]
    if question.target is not None:
        said.append(
            f"value: where the effect is {question.target:g}, straight between the values that were tried; from, to: "
            f"{question.target:g} lies within the effect's {level} interval there, and beyond the sweep if there is no "
            "end."
        )
    if rare := int(answer.effects["rare"].sum()):
        said.append(
            f"Rare ({rare} rows): drawn fewer than {question.fewest} times when the policy wanted something else; "
            "their intervals may be too short."
        )
    said.append(
        f"Causal: picks were randomised with known probability. Intervals: {level}, clustered by game; q: "
        f"Benjamini-Hochberg over {answer.effects.height} rows. Left out: what was effectively done less than "
        f"{question.fewest} times. effective: equally weighted picks worth as much; drawn: those that the policy did "
        "not want."
    )
    return said


def _title(answer: PickExperiment, asked: Asked) -> str:
    sweep = answer.question.sweep
    each = "" if sweep is None else f" at each value of {sweep.partition('=')[0].strip()}"
    return f"Effects of picks, {answer.games:,} games{each}, {asked.randomise} of them random"
