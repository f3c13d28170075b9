"""Tables: games of people, each with a secret link to a seat, and policies. A link shows what its seat knows."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from secrets import compare_digest, randbelow, token_urlsafe
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.files import write_text
from wsim.game import find_game
from wsim.positions.game_value import Game
from wsim.positions.kernel_game import compile_stepping
from wsim.positions.played_game import PlayedGame, ahead, known_to
from wsim.positions.players import seated

if TYPE_CHECKING:
    from wsim.lab.plan import Plan

MOST_TABLES = 40
MOST_PEOPLE = 7
MOST_LETTERS = 40
"""Of a name."""
SEEDS = 1 << 48
STALE = "The table has moved on since this page was made, so nothing was done. Look again and choose."


@dataclass(frozen=True)
class Decision:
    """A decision that a seat can make now.

    Attributes
    ----------
    game: where it makes it; what others chose at the same time is not in it. stamp: tells it from every other.
    """

    game: Game
    stamp: str

    @property
    def what(self) -> str:
        """What is decided, in words."""
        return str(self.game.decision).replace("_", " ")


@dataclass(frozen=True)
class _Choice:
    """What a seat has chosen, while those who are asked before it have not: made if it is asked just that."""

    index: int
    known: Mapping[str, Any]
    moves: list[dict[str, Any]]


class Table:
    """A game with people in some seats: whoever has the link of a seat plays it.

    Several browsers ask at once: every method takes the lock of the table. Policies think without it, one at a time.

    Attributes
    ----------
    key: what the table is called in addresses. plan: what is played. names: of the people, by seat.
    links: the secret of each person's seat. version: counts the changes. failure: why it cannot be played, if so.
    file: where the game is saved after every turn, if anywhere. unsaved: why it could not be saved the last time.
    """

    def __init__(
        self, begin: Callable[[], Game], plan: Plan, names: Mapping[int, str], folder: Path | None = None
    ) -> None:
        self.key, self.plan, self.names = token_urlsafe(6), plan, dict(names)
        self.links = {seat: token_urlsafe(18) for seat in sorted(self.names)}
        self.version, self.failure, self.unsaved = 0, "", ""
        self.file = None if folder is None else folder / f"table-{self.key}.json"
        self._refusals, self._saving = dict[int, str](), threading.Lock()
        self._begin, self._chosen = begin, dict[int, _Choice]()
        self._played: PlayedGame | None = None
        self._thinking = False
        self._lock = threading.RLock()

    def begin(self) -> None:
        """Make the game ready, which may mean compiling, and play to the first decision of a person."""
        try:
            with compile_stepping():
                played = PlayedGame(self._begin(), self.names)
            while played.game.to_move not in (None, *played.people):
                played.follow()
            with self._lock:
                self._played = played
                self.version += 1
        except UserError as error:
            self.failure = str(error)
            self.version += 1

    @property
    def ready(self) -> bool:
        """Whether the game has begun."""
        return self._played is not None

    @property
    def title(self) -> str:
        """What is played, in words."""
        return f"{find_game(self.plan.game).TITLE} {self.plan.ruleset}, {self.plan.players} players"

    def game(self) -> Game:
        """Return a copy of the game; raise UserError if it has not begun."""
        with self._lock:
            return self._begun().game.clone()

    def save(self, path: Path) -> None:
        """Save the game as a position file."""
        with self._saving:  # one after the other, so that the last file is that of the last turn
            write_text(path, self.game().to_json() + "\n")

    def _save_turn(self) -> None:
        """Save the game in its own file: a server that is killed loses no more than the turn in progress."""
        if self.file is None:
            return
        try:
            self.save(self.file)
        except OSError as error:
            self.unsaved = str(error)
        else:
            self.unsaved = ""

    def refuse(self, seat: int, sentence: str) -> None:
        """Keep the sentence for what a person cannot do until that person's page is shown."""
        self._refusals[seat] = sentence

    def refusal(self, seat: int) -> str:
        """Return the sentence that a person has not seen yet, if any, and forget it."""
        return self._refusals.pop(seat, "")

    def _begun(self) -> PlayedGame:
        if self.failure:
            raise UserError(self.failure)
        if self._played is None:
            raise UserError("the game is being made ready")
        return self._played

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        with self._lock:
            return self._played is not None and self._played.game.to_move is None

    def sitting(self) -> list[str]:
        """Return who sits in each seat: a person's name, or a policy."""
        line_up = seated(self.plan, self._played.game.number if self._played else 0)
        return [self.names.get(seat, line_up[seat % len(line_up)]) for seat in range(self.plan.players)]

    def waited_for(self) -> list[int]:
        """Return the people whose choice the game waits for; others may choose already."""
        with self._lock:
            return [seat for seat in self.names if self.decision(seat) is not None]

    def seen(self) -> list[str]:
        """Return what everybody has seen so far."""
        with self._lock:
            return self._begun().seen()

    def decision(self, seat: int) -> Decision | None:
        """Return the decision that a person can make now; None if there is none, or it has made it."""
        with self._lock:
            played = self._begun()
            game = None if seat in self._chosen else ahead(played.game, seat)
            if game is None:
                return None
            seen = [played.decided(seat), seat, known_to(game, seat), game.legal()]
            return Decision(game, hashlib.sha256(json.dumps(seen, default=str).encode()).hexdigest()[:16])

    def choose(self, seat: int, stamp: str, index: int) -> None:
        """Make the move of a person, at once or when it is asked; raise UserError for one that cannot be made.

        ``stamp``: of the decision that the person saw.
        """
        with self._lock:
            decision = self.decision(seat)
            if decision is None:
                over = self._begun().game.to_move is None
                raise UserError(
                    "The game is over." if over else "There is nothing for you to choose now: others are still to."
                )
            if decision.stamp != stamp:
                raise UserError(STALE)
            legal = decision.game.legal()
            if not 0 <= index < len(legal):
                raise UserError(f"There is no move {index}: they go from 0 to {len(legal) - 1}.")
            self._chosen[seat] = _Choice(index, known_to(decision.game, seat), legal)
        try:
            self._go_on()
        finally:
            self._save_turn()

    def undo(self, seat: int) -> None:
        """Take back the last choice of a person; raise UserError if others have moved since."""
        with self._lock:
            if self._begun().game.to_move is None:
                raise UserError("The game is over: nothing can be undone.")
            if self._chosen.pop(seat, None) is None:
                self._begun().undo(seat)
            self.version += 1
        self._save_turn()

    def _go_on(self) -> None:
        """Play on to the next decision that a person has not made; what policies think about is a copy of the game."""
        while (game := self._to_think_about()) is not None:
            there, index = game.clone(), None
            try:
                index = there.made()
            finally:
                with self._lock:
                    self._thinking = False
                    if index is not None and self._begun().game is game:  # and nobody has undone anything meanwhile
                        self._begun().lead(there, index)

    def _to_think_about(self) -> Game | None:
        """Make what people have chosen; return the game if a policy decides next and nobody lets it think already."""
        with self._lock:
            played = self._begun()
            while (seat := played.game.to_move) is not None and seat in played.people:
                choice = self._chosen.pop(seat, None)
                if choice is None or (choice.known, choice.moves) != (known_to(played.game, seat), played.game.legal()):
                    break
                played.decide(choice.index)
            self.version += 1
            if self._thinking or seat is None or seat in played.people:
                return None
            self._thinking = True
            return played.game


class Tables:
    """The tables of a workbench, found by their key, or by the link of a seat."""

    def __init__(self) -> None:
        self._tables: dict[str, Table] = {}
        self._lock = threading.Lock()

    def __iter__(self) -> Any:
        """Go through the tables, the newest first."""
        return iter(list(self._tables.values())[::-1])

    def open(
        self, begin: Callable[[], Game], plan: Plan, names: Mapping[int, str], folder: Path | None = None
    ) -> Table:
        """Open a table and begin to make its game ready; raise UserError if it cannot be one, or there are too many.

        ``folder``: where the game is saved after every turn.
        """
        _check_people(plan, names)
        table = Table(begin, plan, names, folder)
        with self._lock:
            if len(self._tables) >= MOST_TABLES:
                raise UserError(f"there are {MOST_TABLES} tables already: close one first")
            self._tables[table.key] = table
        threading.Thread(target=table.begin, daemon=True, name=f"wsim-table-{table.key}").start()
        return table

    def of(self, key: str) -> Table:
        """Return the table of a key; raise UserError if there is none."""
        if key not in self._tables:
            raise UserError("there is no such table: it was closed, or wsim open was ended since")
        return self._tables[key]

    def close(self, key: str) -> None:
        """Forget a table."""
        with self._lock:
            self._tables.pop(self.of(key).key)

    def seat(self, link: str) -> tuple[Table, int]:
        """Return the table and the seat of a link; raise UserError for a wrong one."""
        for table in self:
            for seat, secret in table.links.items():
                if compare_digest(secret.encode(), link.encode()):
                    return table, seat
        raise UserError("this link leads to no seat: the table was closed, or wsim open was ended since")


def new_seed() -> int:
    """Return a seed that nobody at the table can guess: with it, everybody could deal the cards again."""
    return randbelow(SEEDS)


def person(text: str) -> str:
    """Return the name of a person as it is shown; raise UserError for one that is too long or cannot be printed."""
    name = " ".join(text.split())
    if len(name) > MOST_LETTERS:
        raise UserError(f"a name has at most {MOST_LETTERS} letters, not {len(name)}")
    if not name.isprintable():
        raise UserError(f"a name has no control characters: {name!r}")
    return name


def _check_people(plan: Plan, names: Mapping[int, str]) -> None:
    if not names:
        raise UserError("nobody sits at the table: name at least one person")
    if len(names) > MOST_PEOPLE:
        raise UserError(f"at most {MOST_PEOPLE} people sit at a table, not {len(names)}")
    for seat in names:
        if seat not in range(plan.players):
            raise UserError(f"there is no seat {seat}: the players sit at 0 to {plan.players - 1}")
