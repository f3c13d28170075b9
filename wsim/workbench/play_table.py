"""Tables: games between people, each with a secret link to a seat, and policies."""

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

MAX_TABLES = 40
MAX_PEOPLE = 7
MAX_LETTERS = 40
"""Length limit of a name."""
SEEDS = 1 << 48
STALE = "The game has moved on since this page was made. Please choose again."


@dataclass(frozen=True)
class Decision:
    """A decision that a seat can make now.

    Attributes
    ----------
    game: the position, without simultaneous choices of others. stamp: identifies the decision.
    """

    game: Game
    stamp: str

    @property
    def what(self) -> str:
        """The kind of decision as text."""
        return str(self.game.decision).replace("_", " ")


@dataclass(frozen=True)
class _Choice:
    """A choice of a seat that waits for earlier seats; it is made if the decision is then still the same."""

    index: int
    known: Mapping[str, Any]
    moves: list[dict[str, Any]]


class Table:
    """A game with people in some seats; anyone with the link of a seat plays it.

    Several browsers send requests at once, so every method takes the lock of the table. Policies think outside the
    lock, one at a time.

    Attributes
    ----------
    key: identifies the table in addresses. plan: the game. names: the names of the people, by seat.
    links: the secret link of each person. version: counts the changes. failure: why it cannot be played.
    file: where the game is saved after every turn, if at all. unsaved: why the last save failed.
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
        """Prepare the game (perhaps compile it), and play to the first decision of a person."""
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
        """The game, rule set and number of players."""
        return f"{find_game(self.plan.game).TITLE} {self.plan.ruleset}, {self.plan.players} players"

    def game(self) -> Game:
        """Return a copy of the game; raise UserError if it has not begun."""
        with self._lock:
            return self._begun().game.clone()

    def save(self, path: Path) -> None:
        """Save the game as a position file."""
        with self._saving:  # in order, so that the last file is that of the last turn
            write_text(path, self.game().to_json() + "\n")

    def _save_turn(self) -> None:
        """Save the game in its own file, so that a killed server loses only the turn in progress."""
        if self.file is None:
            return
        try:
            self.save(self.file)
        except OSError as error:
            self.unsaved = str(error)
        else:
            self.unsaved = ""

    def refuse(self, seat: int, sentence: str) -> None:
        """Store a refusal until the page of the person is shown."""
        self._refusals[seat] = sentence

    def refusal(self, seat: int) -> str:
        """Return and remove the refusal that a person has not seen yet, if any."""
        return self._refusals.pop(seat, "")

    def _begun(self) -> PlayedGame:
        if self.failure:
            raise UserError(self.failure)
        if self._played is None:
            raise UserError("the game is being prepared")
        return self._played

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        with self._lock:
            return self._played is not None and self._played.game.to_move is None

    def sitting(self) -> list[str]:
        """Return the player of each seat: the name of a person, or a policy."""
        line_up = seated(self.plan, self._played.game.number if self._played else 0)
        return [self.names.get(seat, line_up[seat % len(line_up)]) for seat in range(self.plan.players)]

    def waited_for(self) -> list[int]:
        """Return the seats of the people who can choose now."""
        with self._lock:
            return [seat for seat in self.names if self.decision(seat) is not None]

    def seen(self) -> list[str]:
        """Return the public history of the game."""
        with self._lock:
            return self._begun().seen()

    def decision(self, seat: int) -> Decision | None:
        """Return the decision that a person can make now; None if there is none or it is already made."""
        with self._lock:
            played = self._begun()
            game = None if seat in self._chosen else ahead(played.game, seat)
            if game is None:
                return None
            seen = [played.decided(seat), seat, known_to(game, seat), game.legal()]
            return Decision(game, hashlib.sha256(json.dumps(seen, default=str).encode()).hexdigest()[:16])

    def choose(self, seat: int, stamp: str, index: int) -> None:
        """Make the move of a person, now or when it is their turn; raise UserError for an invalid one.

        ``stamp``: the stamp of the decision that the person saw.
        """
        with self._lock:
            decision = self.decision(seat)
            if decision is None:
                over = self._begun().game.to_move is None
                raise UserError(
                    "The game is over." if over else "You have nothing to choose now: others are still choosing."
                )
            if decision.stamp != stamp:
                raise UserError(STALE)
            legal = decision.game.legal()
            if not 0 <= index < len(legal):
                raise UserError(f"Move {index} does not exist: moves are numbered 0 to {len(legal) - 1}.")
            self._chosen[seat] = _Choice(index, known_to(decision.game, seat), legal)
        try:
            self._advance()
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

    def _advance(self) -> None:
        """Play to the next decision that a person has not made; policies think about a copy of the game."""
        while (game := self._to_think_about()) is not None:
            copy, index = game.clone(), None
            try:
                index = copy.made()
            finally:
                with self._lock:
                    self._thinking = False
                    if index is not None and self._begun().game is game:  # nobody has undone a move meanwhile
                        self._begun().lead(copy, index)

    def _to_think_about(self) -> Game | None:
        """Make the choices of people; return the game if a policy decides next and is not thinking already."""
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
    """The tables of a workbench, by key or by the link of a seat."""

    def __init__(self) -> None:
        self._tables: dict[str, Table] = {}
        self._lock = threading.Lock()

    def __iter__(self) -> Any:
        """Iterate over the tables, the newest first."""
        return iter(list(self._tables.values())[::-1])

    def open(
        self, begin: Callable[[], Game], plan: Plan, names: Mapping[int, str], folder: Path | None = None
    ) -> Table:
        """Open a table and start to prepare its game; raise UserError for invalid people or too many tables.

        ``folder``: where the game is saved after every turn.
        """
        _check_people(plan, names)
        table = Table(begin, plan, names, folder)
        with self._lock:
            if len(self._tables) >= MAX_TABLES:
                raise UserError(f"there are already {MAX_TABLES} tables: close one first")
            self._tables[table.key] = table
        threading.Thread(target=table.begin, daemon=True, name=f"wsim-table-{table.key}").start()
        return table

    def of(self, key: str) -> Table:
        """Return the table of a key; raise UserError if it does not exist."""
        if key not in self._tables:
            raise UserError("this table no longer exists: it was closed or wsim open was restarted")
        return self._tables[key]

    def close(self, key: str) -> None:
        """Close a table."""
        with self._lock:
            self._tables.pop(self.of(key).key)

    def seat(self, link: str) -> tuple[Table, int]:
        """Return the table and the seat of a link; raise UserError for an invalid one."""
        for table in self:
            for seat, secret in table.links.items():
                if compare_digest(secret.encode(), link.encode()):
                    return table, seat
        raise UserError("this link is no longer valid: the table was closed or wsim open was restarted")


def new_seed() -> int:
    """Return a seed that nobody can guess, because with it anyone could deal the same cards."""
    return randbelow(SEEDS)


def person(text: str) -> str:
    """Return the name of a person as shown; raise UserError if it is too long or not printable."""
    name = " ".join(text.split())
    if len(name) > MAX_LETTERS:
        raise UserError(f"a name can have at most {MAX_LETTERS} letters, not {len(name)}")
    if not name.isprintable():
        raise UserError(f"a name must not contain control characters: {name!r}")
    return name


def _check_people(plan: Plan, names: Mapping[int, str]) -> None:
    if not names:
        raise UserError("a table needs at least one person")
    if len(names) > MAX_PEOPLE:
        raise UserError(f"at most {MAX_PEOPLE} people can play at a table, not {len(names)}")
    for seat in names:
        if seat not in range(plan.players):
            raise UserError(f"seat {seat} does not exist: seats are numbered 0 to {plan.players - 1}")
