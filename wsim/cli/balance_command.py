"""``wsim sensitivity`` and ``wsim balance``: what the knobs of a goal do, and the smallest patch that meets it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from wsim.balance.answer import Balance, check_target
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
from wsim.cli.exports import Files
from wsim.cli.relearn import pupil_of
from wsim.cli.run_command import announce_compiling
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.progress import Interrupted

if TYPE_CHECKING:
    import polars as pl

    from wsim.balance.sensitivity import Sensitivity
    from wsim.cli.table_command import View

__all__ = ["UNPROVEN", "Effort", "Written", "balance_command", "sensitivity_command"]

UNPROVEN = 3
"""Exit code of a search whose patch does not meet its targets, or could not be proven to."""


@dataclass(frozen=True)
class Effort:
    """How hard to look, where the command line says otherwise than the goal file.

    Attributes
    ----------
    games, replays, proof_games: of the goal's ``[search]``; None: as there.
    seed: of the search. threads: that play.
    """

    games: int | None
    replays: int | None
    seed: int
    threads: int | None
    proof_games: int | None = None

    def of(self, goal: Goal) -> Goal:
        """Return the goal with what was given."""
        given = {"games": self.games, "replays": self.replays, "proof_games": self.proof_games}
        for name, value in given.items():
            if value is not None and value < 1:
                raise UserError(f"{name.replace('_', ' ')} must be at least 1, not {value}")
        return replace(goal, search=replace(goal.search, **{key: one for key, one in given.items() if one is not None}))


@dataclass(frozen=True)
class Asked:
    """What is shown of the effects: ``every`` row, or for each step the target that it moves most."""

    effort: Effort
    every: bool
    view: View
    files: Files


def sensitivity_command(file: str, asked: Asked, *, as_json: bool, quiet: bool) -> None:
    """Measure the effects of a goal's knobs and print them."""
    from wsim.balance.sensitivity import sensitivity

    asked.files.check()
    goal = asked.effort.of(read_goal(file))
    if not quiet:
        announce_compiling(find_game(goal.game))
    with progress_bar(not quiet) as progress:
        answer = sensitivity(goal, seed=asked.effort.seed, threads=asked.effort.threads, progress=progress)
    shown = asked.view.of(answer.effects if asked.every else answer.strongest())
    record = answer.record()
    asked.files.write(shown, {key: one for key, one in record.items() if key not in ("effects", "levels")}, quiet=quiet)
    if as_json:
        print_json({**record, "effects": rows_of(shown)})
    elif not asked.files.instead:
        _show(answer, shown.to_dicts(), asked)


def _show(answer: Sensitivity, rows: list[dict[str, object]], asked: Asked) -> None:
    """Print the effects, and how they came about."""
    single = {"setting", "metric"} if answer.levels["setting"].n_unique() == 1 else {"metric"}
    several = answer.levels["metric"].n_unique() > 1
    hidden = single - ({"metric"} if several else set())
    slim = [{key: one for key, one in row.items() if key not in hidden} for row in rows]
    what = "every target" if asked.every else "the target that it moves most"
    title = f"What each step does to {what}: effects with 95 % intervals; reach: in units of what is accepted"
    print_tables([Shown(title, slim, first=("knob", "now", "to", "of", "effect", "reach"))], wide=asked.view.wide)
    write_out("")
    write_note(
        "re-scored: points are given to those that had what they are for, decisions held fixed, and the games are "
        "ranked anew. replayed: the same deals are played with the value changed."
    )
    if answer.idle:
        write_note(f"Without any effect in these games: {', '.join(answer.idle)}.")
    write_note(f"{answer.games:,} games in {answer.seconds:.1f} s.")


@dataclass(frozen=True)
class Written:
    """Where the answer goes and where else the patch is measured.

    Attributes
    ----------
    out: the patch file. resume: go on with the interrupted search that was to write it.
    players, styles, games: see ``wsim.balance.carry.Elsewhere``.
    carry: a patch that there is: it is measured elsewhere, and nothing is searched for.
    relearn: decisions from which a net learns the patched game; None: none does.
    """

    out: str | None
    resume: bool
    players: tuple[str, ...]
    styles: tuple[str, ...]
    games: int
    carry: str | None = None
    relearn: int | None = None

    @property
    def patch(self) -> Path | None:
        """The patch file, written or read; what is kept lies beside it."""
        name = self.out if self.carry is None else self.carry
        return None if name is None else Path(name)

    def check(self) -> None:
        """Raise UserError for options that contradict each other, or files that are there."""
        if self.carry is not None and self.out is not None:
            raise UserError("--carry measures a patch that there is, --out writes one: give one of them")
        if self.patch is None and self.resume:
            raise UserError("--resume goes on with the search that was to write --out FILE: name that file")
        if self.patch is None and self.relearn is not None:
            raise UserError("--relearn keeps its net beside the patch: name that file with --out")
        if self.out is not None:
            check_target(Path(self.out))


def balance_command(file: str, effort: Effort, written: Written, *, as_json: bool, quiet: bool, wide: bool) -> None:
    """Search, prove, print and write; exit with 3 where targets are not proven, after Ctrl-C with 130."""
    goal = effort.of(read_goal(file))
    written.check()
    patch = None if written.carry is None else read_patch(Path(written.carry))
    if not quiet:
        announce_compiling(find_game(goal.game))
    known: Any
    interrupted = False
    try:
        with progress_bar(not quiet) as progress:
            journal = None if written.patch is None else written.patch.with_name(f"{written.patch.name}.journal")
            how = How(effort.seed, journal, written.resume, effort.threads, progress)
            where = _elsewhere(goal, written, how)
            known = balance(goal, elsewhere=where, how=how) if patch is None else carried_over(goal, patch, where, how)
    except Interrupted as interrupt:
        known, interrupted = interrupt.result, True
    if known is not None:
        (_show_answer if patch is None else _show_carried)(known, as_json=as_json, wide=wide)
    if interrupted:
        _how_to_go_on(written.patch)
        raise typer.Exit(INTERRUPTED)
    if patch is not None:
        return
    if written.patch is not None:
        paths = known.write(written.patch)
        if not quiet:
            remark(f"written: {' and '.join(map(str, paths))}")
    if not known.proven:
        raise typer.Exit(UNPROVEN)


def _elsewhere(goal: Goal, written: Written, how: How) -> Elsewhere:
    """Return where else the patch is measured."""
    pupil = None
    if written.relearn is not None:
        assert written.patch is not None
        folder = written.patch.with_name(f"{written.patch.stem}-net")
        pupil = pupil_of(goal, folder, written.relearn, how)
    return Elsewhere(written.players, written.styles, written.games, pupil)


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
