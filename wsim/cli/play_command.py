"""``wsim play``: play a game in the terminal. Commands come from standard input, so they can be read from a file."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from typer import Exit

from wsim.cli.console import INTERRUPTED, announce_compiling, remark, results, write_out
from wsim.errors import UserError
from wsim.files import json_of, text_within
from wsim.options import Options, option, short_number

if TYPE_CHECKING:
    from wsim.cli.groups import Trust
    from wsim.cli.plan_options import PlanOptions
    from wsim.lab.plan import Plan
    from wsim.positions.game_value import Game
    from wsim.positions.played_game import PlayedGame

HELP = """Type the number of a move, or
  h         hint: rank the moves by the value net
  h N       hint by N playouts of each move
  u         undo: back to your last decision
  v         show the table again
  s [FILE]  save and continue
  q         save and quit"""


@dataclass(frozen=True)
class PlayOptions(Options):
    """Play a game yourself against any line-up, with hints, undo and save. Ctrl-C also saves.

    Commands are read from standard input, so wsim play < moves.txt also works.
    """

    seat: int | None = option("Your seat.", None, metavar="N", shown="0, or the seat in the saved game")
    number: int = option("Number of the game.", 0, metavar="N")
    save: str = option("Save an unfinished game to this file.", "wsim-play.json", metavar="FILE")
    load: str | None = option("Continue a saved game.", None, metavar="FILE")


def play_command(plan: PlanOptions, options: PlayOptions, trust: Trust) -> None:
    """Play a game from one seat; the line-up of the plan plays the others."""
    from wsim.positions.game_value import Game
    from wsim.positions.kernel_game import compile_stepping
    from wsim.positions.played_game import PlayedGame

    plan.no_arguments()
    if options.load is None:
        begun = _Begun(plan.resolve(games=1), options.seat or 0, options.number)
    else:
        begun = _load_saved_game(options.load, plan, options.seat, trust=trust.trust)
    played, seat = begun.plan.replace(rotate=False), begun.seat
    if seat not in range(played.players):
        raise UserError(f"seat {seat} does not exist: seats are numbered 0 to {played.players - 1}")
    with compile_stepping():
        announce_compiling(played.game)
        game = begun.position or Game(played, number=begun.number)
    session = _Session(PlayedGame(game, {seat}), seat, Path(options.load or options.save))
    session.replay(begun.steps, options.load or "")
    try:
        session.play()
    except KeyboardInterrupt:
        write_out("")
        session.save()
        raise Exit(INTERRUPTED) from None


@dataclass(frozen=True)
class _Begun:
    """A game to play: plan, number, seat, and the steps so far.

    ``position`` is the current position if the steps alone do not lead to it (hand-written or with resampled hidden
    cards).
    """

    plan: Plan
    seat: int
    number: int
    steps: Sequence[int] = ()
    position: Game | None = None


def _load_saved_game(name: str, given: PlanOptions, seat: int | None, *, trust: bool) -> _Begun:
    """Load a saved game from a position file; raise UserError for any other file."""
    from wsim.positions.game_value import Game
    from wsim.positions.kernel_game import compile_stepping
    from wsim.positions.position_file import read

    others = [key for key in given.keys if key != "policies"] + list(given.extra)
    if others:
        raise UserError(f"a saved game continues with its own plan: {others[0].lstrip('-')!r} cannot be changed")
    try:
        text = text_within(Path(name))
        saved = json_of(text)
    except OSError as error:
        raise UserError(f"cannot read {name!r}: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{name!r} is not a saved game: it is not JSON") from error
    plan, number, described, steps = read(text, trust=trust)
    own = saved.get("seat")
    with compile_stepping():
        announce_compiling(plan.game)
        game = Game.from_json(text, trust=trust)
    sits = next(number for number in (seat, own, game.to_move, 0) if number is not None)
    if described is not None or not all(type(step) is int for step in steps):
        return _Begun(plan, sits, number, position=game)
    return _Begun(given.resolve(plan), sits, number, steps)


class _Session:
    """A game being played in the terminal, with its save file and the numbers of moves already printed."""

    def __init__(self, played: PlayedGame, seat: int, file: Path) -> None:
        self.played, self.seat, self.file = played, seat, file
        self.public_moves = self.opened = 0  # numbers of moves printed so far

    @property
    def game(self) -> Game:
        """The current position of the game."""
        return self.played.game

    def replay(self, steps: Sequence[int], name: str) -> None:
        """Replay the moves of a saved game."""
        for index in steps:
            if self.game.to_move is None:
                raise UserError(f"the saved game {name!r} has more moves than the game")
            if self.game.to_move == self.seat:
                self.played.decide(index)
                continue
            before, after = self.game, self.game.clone()
            if after.made() != index:  # a policy of this plan did not choose this move
                after = before.clone().step(index)
            self.played.lead(after, index)
        self.all_printed()

    def all_printed(self) -> None:
        """Mark all moves so far as already printed."""
        self.public_moves, self.opened = len(self.game.public_moves()), len(self.played.opened)

    def play(self) -> None:
        """Play until the game ends or the player quits."""
        write_out(HELP)
        while self.game.to_move is not None:
            if self.game.to_move != self.seat:
                self.played.follow()
                self.print_opened()
            elif not self.own_turn():
                self.save()
                return
        self.print_public_moves()
        write_out("\nThe game is over.")
        for score in sorted(self.game.result or (), key=lambda row: (-row["win_share"], -row["total"])):
            you = " (you)" if score["seat"] == self.seat else ""
            won = f", wins {score['win_share']:.2g}" if score["win_share"] else ""
            write_out(f"  seat {score['seat']}{you}: {score['total']} points{won}")

    def print_opened(self) -> None:
        """Print the other seats' open moves that have not been printed yet."""
        for seat, text in self.played.opened[self.opened :]:
            if seat != self.seat:
                write_out(f"  seat {seat}: {text}")
        self.opened = len(self.played.opened)

    def print_public_moves(self) -> None:
        """Print the public moves that have not been printed yet."""
        public_moves = self.game.public_moves()
        for move in public_moves[self.public_moves :]:
            write_out(f"  {move}")
        self.public_moves = len(public_moves)

    def own_turn(self) -> bool:
        """Ask the player for a move and make it; return False if the player quits."""
        self.print_public_moves()
        self.show()
        while True:
            results().write("move> ")
            results().flush()
            line = sys.stdin.readline()
            if not line:
                write_out("")
                return False
            word, _, rest = line.strip().partition(" ")
            if word == "q":
                return False
            if self.obey(word, rest.strip()):
                return True

    def obey(self, word: str, rest: str) -> bool:
        """Execute a command of the player; return whether it changed the game."""
        legal = self.game.legal()
        if (move := short_number(word)) is not None and 0 <= move < len(legal):
            self.played.decide(move)
            return True
        if word == "u":
            try:
                self.played.undo(self.seat)
            except UserError as error:
                write_out(str(error))
                return False
            self.all_printed()
            return True
        if word == "h":
            self.hint(rest)
        elif word == "v":
            self.show()
        elif word == "s":
            self.save(rest)
        else:
            if word not in ("", "?"):
                write_out(f"{word!r} is not a move: moves are numbered 0 to {len(legal) - 1}.")
            write_out(HELP)
        return False

    def show(self) -> None:
        """Print the seat's view of the game and its legal moves."""
        from wsim.positions.move_text import move_text

        write_out(f"\n{self.game.view(self.seat)}\n\nYour moves ({self.game.asks()})")
        for move in self.game.legal():
            write_out(f"{move['index']:>4}  {move_text(move, self.game)}")

    def hint(self, playouts: str) -> None:
        """Print the best moves by the value net, or by playouts if a number is given or there is no value net."""
        from wsim.positions.move_text import ranked_lines
        from wsim.positions.played_game import HINTS, MAX_HINTS, hint
        from wsim.positions.values import BY_NET

        if playouts and not (playouts.isdecimal() and 2 <= int(playouts) <= MAX_HINTS):
            write_out(f"playouts must be from 2 to {MAX_HINTS:,}, not {playouts!r}")
            return
        rows = hint(self.game, int(playouts) if playouts else None)
        for line in ranked_lines(rows, self.game, [row["index"] for row in rows]):
            write_out(line)
        how = f", by the value net; h {HINTS} checks it by playouts" if rows[0]["games"] == BY_NET else ""
        write_out(f"Best move: {rows[0]['index']}{how}.")

    def save(self, name: str = "") -> None:
        """Save the game as a position file, and print how to continue it."""
        from wsim.files import write_text
        from wsim.positions.position_file import read

        path = Path(name) if name else self.file
        text = json.dumps({**json.loads(self.game.to_json()), "seat": self.seat}, ensure_ascii=False, indent=1)
        write_text(path, f"{text}\n")
        words = ["wsim", "play", "--load", str(path)]
        plan = self.game.plan
        if any(entry.file or entry.module for entry in plan.line_up):  # a position file does not contain policy code
            words += ["--policies", ",".join(plan.policies)]
        try:
            read(text)
        except UserError:
            words.append("--trust")
        remark(f"saved; continue with: {shlex.join(words)}")
