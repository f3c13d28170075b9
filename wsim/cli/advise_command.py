"""``wsim advise``: rank the moves in a position, from a file or from a game of a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wsim.cli.console import announce_compiling, print_json, progress_bar, write_out
from wsim.errors import UserError
from wsim.files import text_within
from wsim.options import Options, argument, option

if TYPE_CHECKING:
    from wsim.cli.groups import Printing, Trust
    from wsim.positions.game_value import Game

PLAYOUTS = 400


@dataclass(frozen=True)
class AdviseOptions(Options):
    """Rank the legal moves of a position by win chance and score, with intervals.

    Use wsim advise POSITION.json, or wsim advise RUN GAME --age 2 --turn 3 --seat 1. The ranking uses only information
    that the seat can know.
    """

    source: str = argument("Position file or run folder.", metavar="POSITION|RUN")
    number: int | None = argument("Number of the game in the run.", None, metavar="[GAME]")
    age: int | None = option("Age of the decision, in a game of a run.", None, metavar="N")
    turn: int | None = option("Turn of the decision within the age, from 1.", None, metavar="N")
    seat: int | None = option("Seat that decides, from 0.", None, metavar="N")
    playouts: int | None = option(
        "Playouts per move; 0: use the value net, without playouts.", None, metavar="N", shown=str(PLAYOUTS)
    )
    seconds: float | None = option(
        "Time limit instead of a number of playouts; results then depend on the machine.", None, metavar="SECONDS"
    )
    playout_policies: str | None = option(
        "Policies used in playouts: one for all seats, or one per seat.",
        None, metavar="LINE-UP", shown="the policies of the game",
        aliases=("--play-on",),
    )  # fmt: skip
    ask: tuple[str, ...] = option(
        "Also show the move of this policy (repeatable): ./mine.py:bold, search:playouts=50.", (), metavar="POLICY"
    )
    seed: int = option("Seed of the playouts.", 0, metavar="N")

    @property
    def moment(self) -> dict[str, int]:
        """The options given to select a decision in a game of a run."""
        moment = {"age": self.age, "turn": self.turn, "seat": self.seat}
        return {key: value for key, value in moment.items() if value is not None}


def advise_command(options: AdviseOptions, trust: Trust, printing: Printing) -> None:
    """Print the ranked moves of the deciding seat."""
    from wsim.positions.advice import advice, advice_text

    game = _game_to_advise(options, trust=trust.trust, quiet=printing.quiet)
    playouts = PLAYOUTS if options.playouts is None and options.seconds is None else options.playouts
    with progress_bar(not printing.quiet) as progress:
        ranking = advice(
            game, seconds=options.seconds, policies=options.playout_policies, rng=options.seed, playouts=playouts,
            ask=options.ask, progress=progress,
        )  # fmt: skip
    if printing.as_json:
        print_json(ranking)
    else:
        write_out(advice_text(ranking, game))


def _game_to_advise(options: AdviseOptions, *, trust: bool, quiet: bool) -> Game:
    from wsim.lab.store import load_run
    from wsim.positions.game_value import Game
    from wsim.positions.kernel_game import compile_stepping

    path = Path(options.source)
    if path.is_file():
        for name, value in (("GAME", options.number), *((f"--{key}", value) for key, value in options.moment.items())):
            if value is not None:
                raise UserError(f"{options.source!r} contains a single position: {name} needs a run")
        return Game.from_json(_read_text(path), trust=trust)
    if options.source.endswith(".json"):
        raise UserError(f"there is no file {options.source!r}")
    if path.exists() and not path.is_dir():
        raise UserError(f"{options.source!r} is neither a position file nor the folder of a run")
    run = load_run(path)
    if options.number is None:
        raise UserError(f"name a game of {options.source!r}: wsim advise RUN GAME --age --turn --seat")
    with compile_stepping():
        announce_compiling(run.plan.game, quiet=quiet)
    if run.plan.code and not trust:
        raise UserError(
            f"replaying {options.source!r} would run its {run.plan.code_in_words()}: if you trust it, add --trust"
        )
    return run.game(options.number, trust=trust).at(**options.moment)


def _read_text(path: Path) -> str:
    try:
        return text_within(path)
    except UnicodeDecodeError:
        raise UserError(f"{str(path)!r} is not text: a position file is JSON in UTF-8") from None
    except ValueError as error:
        raise UserError(f"cannot read {str(path)!r}: {error}") from None
