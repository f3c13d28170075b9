"""``wsim tune``: the numbers of a policy tuned by self-play, and how the result was judged."""

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
    write_note,
    write_out,
)
from wsim.cli.exports import Files
from wsim.cli.options import whole
from wsim.cli.run_command import announce_compiling
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.progress import Interrupted
from wsim.tuning.question import NOBODY
from wsim.tuning.tune import Search, Tuned, begin, question_of, resume

if TYPE_CHECKING:
    from wsim.cli.options import Given

__all__ = ["Asked", "tune_command"]

FIRST = ("opponents", "win_share", "difference", "verdict", "met", "n", "start")


@dataclass(frozen=True)
class Asked:
    """The options of ``wsim tune`` besides those of the plan.

    Attributes
    ----------
    start: the weight set to begin with. question: fields of ``Question``, None where nothing was said.
    out: a new folder. resume: the folder of a search to go on with. trust: whether code that it names may run.
    """

    start: str | None
    question: Mapping[str, Any]
    out: str | None
    resume: str | None
    trust: bool
    threads: int | None
    files: Files
    wide: bool


def tune_command(given: Given, asked: Asked, *, as_json: bool, quiet: bool) -> None:
    """Search, judge, print; after Ctrl-C say how to go on and exit with 130."""
    asked.files.check()
    search = _resumed(given, asked) if asked.resume is not None else _begun(given, asked, quiet=quiet)
    try:
        with progress_bar(not quiet) as progress:
            tuned = search.run(asked.threads, progress)
    except Interrupted:
        done, wanted = len(search.kept.generations), search.question.generations
        remark(
            f"wsim: interrupted; {done} of {wanted} generations are kept, continue with:\n"
            f"wsim tune --resume {shlex.quote(str(search.folder))}{' --trust' if search.code else ''}"
        )
        raise typer.Exit(INTERRUPTED) from None
    record = tuned.record()
    asked.files.write(tuned.judged, {key: one for key, one in record.items() if key != "judged"}, quiet=quiet)
    if as_json:
        print_json(record)
    elif not asked.files.instead:
        _show(tuned, search, wide=asked.wide)


def _begun(given: Given, asked: Asked, *, quiet: bool) -> Search:
    """Begin the search that was asked for."""
    if len(given.arguments) != 1:
        said = f"{len(given.arguments)} were named" if given.arguments else "as in wsim tune weighted --start balanced"
        raise UserError(f"tune needs one policy: {said}")
    base = given.resolve()
    own = {key: value for key, value in asked.question.items() if value is not None}
    if "players" in own:
        own["players"] = tuple(map(whole, own["players"]))
    if own.get("judges") == (NOBODY,):
        own["judges"] = ()
    question = question_of(given.arguments[0], base, start=asked.start, **own)
    if not quiet:
        announce_compiling(find_game(base.game))
    return begin(base, question, asked.out, threads=asked.threads)


def _resumed(given: Given, asked: Asked) -> Search:
    """Take up a search; all that it is stands in its folder."""
    said = [key for key, value in asked.question.items() if value is not None and key != "generations"]
    said += ["out"] * (asked.out is not None) + ["start"] * (asked.start is not None)
    said += [*given.keys, *(["plan"] if given.file else []), *(one.lstrip("-") for one in given.extra)]
    if said or given.arguments:
        named = f"--{said[0].replace('_', '-')}" if said else repr(given.arguments[0])
        raise UserError(f"{asked.resume!r} says what is searched: leave {named} out beside --resume")
    return resume(str(asked.resume), generations=asked.question["generations"], trust=asked.trust)


def _show(tuned: Tuned, search: Search, *, wide: bool) -> None:
    """Print the judged table, and how it came about."""
    judged = tuned.judged
    same = [name for name in ("ruleset", "players", "fair") if judged[name].n_unique() == 1]
    fair = f"; a fair share of wins is {judged['fair'][0]:.3f}" if "fair" in same else ""
    title = f"One {search.kept.start} as tuned, against all others{fair}"
    print_tables([Shown(title, judged.drop(same).to_dicts(), first=FIRST)], wide=wide)
    write_out("")
    generations = search.kept.generations
    moved, numbers = len(search.space.moved), len(search.space.start)
    write_note(
        "start, difference: what it began with, on the same deals. No deal of this table was played in the search; of "
        "the opponents, it met those that are tuned against. q: Benjamini-Hochberg over the rows."
    )
    write_note(
        f"{len(generations)} generations of {len(generations[-1].values)} candidates, {tuned.games:,} games; {moved} "
        f"of {numbers} numbers moved, the others change nothing there or were not asked for."
    )
    write_note(f"Written: {tuned.file}. Play it: --policies {tuned.policy}")
