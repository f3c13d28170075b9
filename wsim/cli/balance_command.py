"""``wsim sensitivity`` and ``wsim balance``: what the knobs of a goal do, and the smallest patch that meets it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.exceptions import Exit

from wsim.balance.answer import Balance
from wsim.balance.balance import How, balance, carried_over
from wsim.balance.carry import Carried, Elsewhere
from wsim.balance.goal import Goal, read_goal
from wsim.balance.knobs import read_patch
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
from wsim.cli.relearn import pupil_of
from wsim.cli.run_command import announce_compiling
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.progress import Interrupted

if TYPE_CHECKING:
    import polars as pl

    from wsim.balance.balance_question import BalanceFiles, BalanceQuestion, SensitivityQuestion
    from wsim.balance.sensitivity import Sensitivity
    from wsim.cli.exports import Files
    from wsim.cli.groups import Printing, View, Wide, Workers

UNPROVEN = 3
"""Exit code of a search whose patch does not meet its targets, or could not be proven to."""


def _searched(goal: Goal, search: Mapping[str, int]) -> Goal:
    """Return the goal with what the command line says otherwise of how hard to look."""
    for name, value in search.items():
        if value < 1:
            raise UserError(f"{name.replace('_', ' ')} must be at least 1, not {value}")
    return replace(goal, search=replace(goal.search, **search))


def sensitivity_command(
    question: SensitivityQuestion,
    search: Mapping[str, int],
    view: View,
    files: Files,
    workers: Workers,
    printing: Printing,
) -> None:
    """Measure the effects of a goal's knobs and print them."""
    from wsim.balance.sensitivity import sensitivity

    files.check()
    goal = _searched(read_goal(question.goal), search)
    if not printing.quiet:
        announce_compiling(find_game(goal.game))
    with progress_bar(not printing.quiet) as progress:
        answer = sensitivity(goal, seed=question.seed, threads=workers.threads, progress=progress)
    shown = view.of(answer.effects if question.every else answer.strongest())
    record = answer.record()
    rest = {key: one for key, one in record.items() if key not in ("effects", "levels")}
    files.write(shown, rest, quiet=printing.quiet)
    if printing.as_json:
        print_json({**record, "effects": rows_of(shown)})
    elif not files.instead:
        _show(answer, shown.to_dicts(), every=question.every, wide=view.wide)


def _show(answer: Sensitivity, rows: list[dict[str, object]], *, every: bool, wide: bool) -> None:
    """Print the effects, and how they came about."""
    single = {"setting", "metric"} if answer.levels["setting"].n_unique() == 1 else {"metric"}
    several = answer.levels["metric"].n_unique() > 1
    hidden = single - ({"metric"} if several else set())
    slim = [{key: one for key, one in row.items() if key not in hidden} for row in rows]
    what = "every target" if every else "the target that it moves most"
    title = f"What each step does to {what}: effects with 95 % intervals; reach: in units of what is accepted"
    print_tables([Shown(title, slim, first=("knob", "now", "to", "of", "effect", "reach"))], wide=wide)
    write_out("")
    write_note(
        "re-scored: points are given to those that had what they are for, decisions held fixed, and the games are "
        "ranked anew. replayed: the same deals are played with the value changed."
    )
    if answer.idle:
        write_note(f"Without any effect in these games: {', '.join(answer.idle)}.")
    write_note(f"{answer.games:,} games in {answer.seconds:.1f} s.")


def balance_command(
    question: BalanceQuestion,
    files: BalanceFiles,
    search: Mapping[str, int],
    table: Wide,
    workers: Workers,
    printing: Printing,
) -> None:
    """Search, prove, print and write; exit with 3 where targets are not proven, after Ctrl-C with 130."""
    goal = _searched(read_goal(files.goal), search)
    files.check()
    patch = None if files.carry is None else read_patch(Path(files.carry))
    if not printing.quiet:
        announce_compiling(find_game(goal.game))
    known: Any
    interrupted = False
    try:
        with progress_bar(not printing.quiet) as progress:
            journal = None if files.patch is None else files.patch.with_name(f"{files.patch.name}.journal")
            how = How(question.seed, journal, files.resume, workers.threads, progress)
            where = _elsewhere(goal, question, files, how)
            known = balance(goal, elsewhere=where, how=how) if patch is None else carried_over(goal, patch, where, how)
    except Interrupted as interrupt:
        known, interrupted = interrupt.result, True
    if known is not None:
        (_show_answer if patch is None else _show_carried)(known, as_json=printing.as_json, wide=table.wide)
    if interrupted:
        _how_to_go_on(files.patch)
        raise Exit(INTERRUPTED)
    if patch is not None:
        return
    if files.patch is not None:
        paths = known.write(files.patch)
        if not printing.quiet:
            remark(f"written: {' and '.join(map(str, paths))}")
    if not known.proven:
        raise Exit(UNPROVEN)


def _elsewhere(goal: Goal, question: BalanceQuestion, files: BalanceFiles, how: How) -> Elsewhere:
    """Return where else the patch is measured."""
    pupil = None
    if files.relearn is not None:
        assert files.patch is not None
        folder = files.patch.with_name(f"{files.patch.stem}-net")
        pupil = pupil_of(goal, folder, files.relearn, how)
    return Elsewhere(question.players, question.styles, question.elsewhere_games, pupil)


def _how_to_go_on(patch: Path | None) -> None:
    """Say how an interrupted search goes on."""
    again = (
        "with --out FILE the next one can be gone on with"
        if patch is None
        else (f"go on by adding --resume to the same command ({shlex.quote(str(patch))}.journal has what was measured)")
    )
    remark(f"wsim: interrupted; {again}")


def _show_answer(answer: Balance, *, as_json: bool, wide: bool) -> None:
    """Print what was found: the patch, the targets before and after, what it costs, and where else it holds."""
    if as_json:
        print_json(answer.record())
        return
    write_note(f"{answer.headline()}.")
    for one in answer.conflicts:
        write_note(f"Conflict: {one}.")
    tables = []
    if answer.patch:
        rows = _without(answer.changes, "cost")
        title = "The patch: what each change does to the target that it moves most, next to the others"
        tables.append(Shown(title, rows, first=("path", "old", "new", "of", "effect")))
    title = "Targets, before and after on fresh deals (95 % intervals)"
    tables.append(Shown(title, _without(answer.targets), first=("of", "before", "after", "proven", "low", "high")))
    title = "Changes against the largest deviation (1: at the bound), on deals of the search"
    tables.append(Shown(title, answer.trade.drop("patch").to_dicts()))
    tables += _elsewhere_tables(answer.carried, answer.responses)
    write_out("")
    print_tables(tables, wide=wide)
    write_out("")
    if answer.idle:
        write_note(f"Without any effect in these games: {', '.join(answer.idle)}.")
    write_note(f"{answer.games:,} games in {answer.seconds:.1f} s.")


def _show_carried(found: Carried, *, as_json: bool, wide: bool) -> None:
    """Print where else a patch was measured."""
    if as_json:
        print_json(found.record())
    else:
        print_tables(_elsewhere_tables(found.carried, found.responses), wide=wide)


def _elsewhere_tables(carried: pl.DataFrame | None, responses: pl.DataFrame | None) -> list[Shown]:
    """Return the tables of what was measured elsewhere, as far as there are any."""
    of = ("setting", "policies", "largest_before", "largest_after", "spread_before", "spread_after")
    best = ("of", "best_before", "best_after", "error", "style_before", "style_after")
    tables = (
        (carried, "Carried over: deviations from the middle of what is accepted, before and after", of),
        (responses, "Each in its best style, others as in the setting", best),
    )
    there = [(table, title, first) for table, title, first in tables if table is not None and len(table)]
    return [Shown(title, table.to_dicts(), first=first) for table, title, first in there]


def _without(table: pl.DataFrame, *columns: str) -> list[dict[str, Any]]:
    """Return the rows of a table, without columns that are the same in all of them and say nothing."""
    same = [name for name in ("setting", "metric") if name in table.columns and table[name].n_unique() == 1]
    return table.drop(*columns, *same).to_dicts()
