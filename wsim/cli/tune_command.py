"""``wsim tune``: the numbers of a policy tuned by self-play, and how the result was judged."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from wsim.cli.console import INTERRUPTED, progress_bar, remark
from wsim.cli.exports import Files
from wsim.cli.options import whole
from wsim.cli.presenter import Output, present
from wsim.cli.run_command import announce_compiling
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.progress import Interrupted
from wsim.tuning.question import NOBODY
from wsim.tuning.tune import Search, begin, question_of, resume

if TYPE_CHECKING:
    from wsim.cli.options import Given


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
    present(tuned, Output(asked.files, wide=asked.wide, as_json=as_json, quiet=quiet))


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
