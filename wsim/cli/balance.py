"""``wsim sensitivity`` and ``wsim balance``: what the knobs of a goal do, and the smallest patch that meets it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wsim.balance.goal import Goal, read_goal
from wsim.cli.console import Shown, print_json, print_tables, progress_bar, rows_of, write_note, write_out
from wsim.cli.exports import Files
from wsim.cli.run import announce_compiling
from wsim.game import find_game

if TYPE_CHECKING:
    from wsim.balance.sensitivity import Sensitivity
    from wsim.cli.tables import View

__all__ = ["Effort", "sensitivity_command"]


@dataclass(frozen=True)
class Effort:
    """How hard to look, where the command line says otherwise than the goal file.

    Attributes
    ----------
    games, replays: of the goal's ``[search]``; None: as there.
    seed: of the search. threads: that play.
    """

    games: int | None
    replays: int | None
    seed: int
    threads: int | None

    def of(self, goal: Goal) -> Goal:
        """Return the goal with what was given."""
        given = {"games": self.games, "replays": self.replays}
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
