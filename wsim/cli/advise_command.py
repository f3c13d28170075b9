"""``wsim advise``: what to do in a position, of a file or of a game of a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.cli.console import print_json, progress_bar, write_out
from wsim.cli.run_command import announce_compiling
from wsim.errors import UserError
from wsim.game import find_game

if TYPE_CHECKING:
    from wsim.positions.game import Game

__all__ = ["Asked", "advise_command"]

MOMENT = ("age", "turn", "seat")


@dataclass(frozen=True)
class Asked:
    """Which position: a file, or a run with the number of a game and a moment of it."""

    source: str
    number: int | None
    moment: dict[str, int]
    trust: bool


def advise_command(asked: Asked, how: dict[str, Any], *, as_json: bool, quiet: bool) -> None:
    """Advise the seat that decides in a position."""
    from wsim.positions.advice import advice, advice_text

    game = _game(asked, quiet=quiet)
    with progress_bar(not quiet) as progress:
        told = advice(game, **how, progress=progress)
    if as_json:
        print_json(told)
    else:
        write_out(advice_text(told, game))


def _game(asked: Asked, *, quiet: bool) -> Game:
    from wsim.lab.store import load_run
    from wsim.positions.game import Game

    path = Path(asked.source)
    if path.is_file():
        for name, value in (("GAME", asked.number), *((f"--{key}", value) for key, value in asked.moment.items())):
            if value is not None:
                raise UserError(f"{asked.source!r} is one position: {name} belongs to a run")
        return Game.from_json(_text(path))
    if asked.source.endswith(".json"):
        raise UserError(f"there is no file {asked.source!r}")
    run = load_run(path)
    if asked.number is None:
        raise UserError(f"say which game of {asked.source!r}: wsim advise RUN GAME --age --turn --seat")
    if not quiet:
        announce_compiling(find_game(run.plan.game))
    if run.plan.code and not asked.trust:
        raise UserError(
            f"{asked.source!r} names policy code, {', '.join(run.plan.code)}, that runs when its games are followed: "
            "look at it and add --trust"
        )
    return run.game(asked.number, trust=asked.trust).at(**asked.moment)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{str(path)!r} is no text: a position file is JSON in UTF-8") from None
