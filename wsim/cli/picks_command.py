"""``wsim experiment picks``: what doing something with a card causes, from randomised picks."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from click.exceptions import Exit

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
from wsim.experiments.picks import PickExperiment, play_experiment, randomised
from wsim.experiments.picks_question import GAMES
from wsim.game import find_game
from wsim.lab.progress import Interrupted

if TYPE_CHECKING:
    from wsim.cli.groups import Printing, View, Workers
    from wsim.cli.plan_keys import PlanOptions
    from wsim.experiments.picks_question import PickPlay, PickQuestion

FIRST = ("card", "action", "effect", "q", "rare", "picks", "effective")


def picks_command(
    plan: PlanOptions,
    how: PickPlay,
    question: PickQuestion,
    view: View,
    files: Files,
    workers: Workers,
    printing: Printing,
) -> None:
    """Play, ask and print; after Ctrl-C print what the finished games say and exit with 130."""
    plan.no_arguments()
    files.check()
    base = randomised(plan.resolve(games=GAMES), how.randomise)
    if not printing.quiet:
        announce_compiling(find_game(base.game))

    def show(answer: PickExperiment) -> None:
        _show(answer, how, view, files, as_json=printing.as_json)

    try:
        with progress_bar(not printing.quiet) as progress:
            more = {"resume": how.resume, **workers.record()}
            answer = play_experiment(base, question, how.folder, progress=progress, **more)
    except Interrupted as interrupt:
        if interrupt.result is None:
            raise
        show(interrupt.result)
        again = f"; go on with --resume -o {shlex.quote(str(how.folder))}" if how.folder else ""
        remark(f"wsim: interrupted; this is what the finished games say{again}")
        raise Exit(INTERRUPTED) from None
    show(answer)


def _show(answer: PickExperiment, how: PickPlay, view: View, files: Files, *, as_json: bool) -> None:
    """Print an answer: its table with what it is an estimate of, or all of it as JSON."""
    shown = view.of(answer.effects)
    record = {**answer.record(), **plan_identity(answer.plan), "notes": _notes(answer)}
    files.write(shown, {key: one for key, one in record.items() if key != "effects"})
    if as_json:
        print_json({**record, "effects": rows_of(shown)})
        return
    if files.instead:
        return
    tables = [Shown(_title(answer, how), rows_of(shown), first=FIRST)]
    if answer.targets is not None:
        targets = answer.targets.drop("effect").rename({"value_low": "from", "value_high": "to"}).to_dicts()
        title = f"Where the effect on {answer.question.outcome} is {answer.question.target:g}"
        tables.append(Shown(title, targets, first=("card", "value", "from", "to", "said")))
    print_tables(tables, wide=view.wide)
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


def _title(answer: PickExperiment, how: PickPlay) -> str:
    sweep = answer.question.sweep
    each = "" if sweep is None else f" at each value of {sweep.partition('=')[0].strip()}"
    return f"Effects of picks, {answer.games:,} games{each}, {how.randomise} of them random"
