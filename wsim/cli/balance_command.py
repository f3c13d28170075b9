"""``wsim sensitivity`` and ``wsim balance``: what the knobs of a goal do, and the smallest patch that meets it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from wsim.balance.balance import How, balance, carried_over
from wsim.balance.carry import Carried, Elsewhere
from wsim.balance.goal import Goal, read_goal
from wsim.balance.knobs import read_patch
from wsim.balance.patch import Balance
from wsim.cli.console import remark
from wsim.cli.exports import Files
from wsim.cli.presenter import Output, answered
from wsim.cli.relearn import pupil_of
from wsim.cli.run_command import announce_compiling
from wsim.errors import UserError
from wsim.game import find_game

if TYPE_CHECKING:
    from wsim.cli.table_command import View
    from wsim.lab.progress import Progress

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
    effort = asked.effort
    goal = effort.of(read_goal(file))
    if not quiet:
        announce_compiling(find_game(goal.game))
    answered(
        lambda progress: sensitivity(goal, seed=effort.seed, threads=effort.threads, progress=progress),
        Output(asked.files, wide=asked.view.wide, as_json=as_json, quiet=quiet),
        display=lambda answer: answer.display(asked.view.of, every=asked.every),
    )


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
            Balance.check_target(Path(self.out))


def balance_command(file: str, effort: Effort, written: Written, *, as_json: bool, quiet: bool, wide: bool) -> None:
    """Search, prove, print and write; exit with 3 where targets are not proven, after Ctrl-C with 130."""
    goal = effort.of(read_goal(file))
    written.check()
    patch = None if written.carry is None else read_patch(Path(written.carry))
    if not quiet:
        announce_compiling(find_game(goal.game))

    def play(progress: Progress | None) -> Balance | Carried:
        journal = None if written.patch is None else written.patch.with_name(f"{written.patch.name}.journal")
        how = How(effort.seed, journal, written.resume, effort.threads, progress)
        where = _elsewhere(goal, written, how)
        return balance(goal, elsewhere=where, how=how) if patch is None else carried_over(goal, patch, where, how)

    go_on = _how_to_go_on(written.patch)
    found = answered(play, Output(wide=wide, as_json=as_json, quiet=quiet), so_far=lambda _: go_on, go_on=go_on)
    if isinstance(found, Carried):
        return
    if written.patch is not None:
        paths = found.write(written.patch)
        if not quiet:
            remark(f"written: {' and '.join(map(str, paths))}")
    if not found.proven:
        raise typer.Exit(UNPROVEN)


def _elsewhere(goal: Goal, written: Written, how: How) -> Elsewhere:
    """Return where else the patch is measured."""
    pupil = None
    if written.relearn is not None:
        assert written.patch is not None
        folder = written.patch.with_name(f"{written.patch.stem}-net")
        pupil = pupil_of(goal, folder, written.relearn, how)
    return Elsewhere(written.players, written.styles, written.games, pupil)


def _how_to_go_on(patch: Path | None) -> str:
    """Say how an interrupted search goes on."""
    if patch is None:
        return "with --out FILE the next one can be gone on with"
    return f"go on by adding --resume to the same command ({shlex.quote(str(patch))}.journal has what was measured)"
