"""Tables at which people play against policies, each person with a secret link to a seat.

A table plays one game after another. After each game everybody moves on by one seat, and each person keeps the same
link. Finished games without policies are stored as a run of people's games (``evening.py``).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import date
from pathlib import Path
from secrets import compare_digest, randbelow, token_urlsafe
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.files import text_within, write_text
from wsim.game import find_game
from wsim.positions.as_seen import Seen
from wsim.positions.game_value import Game
from wsim.positions.kernel_game import compile_stepping
from wsim.positions.played_game import PlayedGame, ahead, known_to
from wsim.positions.players import seated
from wsim.positions.position_file import read, with_people
from wsim.positions.scenes import by_name
from wsim.report.game_page import replay_of_game
from wsim.workbench import kept_tables
from wsim.workbench.evening import Played, Score, keep

if TYPE_CHECKING:
    from wsim.lab.plan import Plan
    from wsim.report.game_page import Replay

MAX_TABLES = 40
MAX_PEOPLE = 7
PACE, PACES = 2.0, (0.5, 1.0, 2.0, 5.0)
"""Seconds per moment of a game between policies: the default, and the accepted values."""
NAMELESS = "Player"
"""The name of a person who does not enter one, as in "Player builds Palace"."""
MAX_LETTERS = 40
"""Maximum length of a name."""
SEEDS = 1 << 48
_KEPT = ("key", "watching", "inviting", "clock", "number")  # attributes of a table that survive a restart
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
        """A description of the decision, such as "your move"."""
        return "your move" if self.game.decision == "turn" else self.game.asks()


@dataclass(frozen=True)
class _Choice:
    """A seat's choice that waits until earlier seats have moved; it is dropped if the decision has changed by then."""

    index: int
    known: Mapping[str, Any]
    moves: list[dict[str, Any]]


class Table:
    """A game with people in some seats; anyone with the link of a seat can play that seat.

    Several browsers may send requests at once, so every method acquires the table's lock. Policies think outside the
    lock, one at a time.

    Attributes
    ----------
    key: identifies the table in addresses. plan: the plan of the game. names: seat -> name of the person.
    links: seat -> secret link of the person. watching: the link for spectators. inviting: the link through which people
    sit down. taken: the links of people who have sat down. version: incremented at each change.
    failure: why the game cannot be played. folder: where games are saved after every turn, if at all.
    unsaved: why the last save failed. clock: the seconds that a choice should take; 0: no clock.
    number: the number of the game at the table, from 1. evening: the finished games. unkept: why they could not be
    stored as a run of people's games.
    ended: the finished game as a replay with win chances, once these are computed.
    pace: the seconds between moments at a table without people, unless it is ``paused``.
    """

    def __init__(
        self, begin: Callable[[], Game], plan: Plan, names: Mapping[int, str], folder: Path | None = None,
        clock: int = 0,
    ) -> None:  # fmt: skip
        self.key, self.plan, self.names = token_urlsafe(6), plan, dict(names)
        self.links = {seat: token_urlsafe(18) for seat in sorted(self.names)}
        self.watching, self.inviting, self.taken = token_urlsafe(18), token_urlsafe(18), set[str]()
        self.version, self.failure, self.unsaved, self.unkept = 0, "", "", ""
        self.folder, self.clock, self.number, self.evening = folder, clock, 1, list[Played]()
        self._refusals, self._saving = dict[int, str](), threading.Lock()
        self._begin, self._chosen = begin, dict[int, _Choice]()
        self._asked = dict[int, tuple[str, float]]()  # the pending decision of each seat, and its start time
        self._played: PlayedGame | None = None
        self._thinking = False
        self._views = dict[tuple[int | None, int, bool], Seen]()
        self.ended: Replay | None = None
        self._looked_back = 0
        self.pace, self.paused, self.closed, self._woken = PACE, False, False, threading.Event()
        self._lock = threading.RLock()

    @property
    def file(self) -> Path | None:
        """The file to which the game is saved after every turn; None if it is not saved."""
        return None if self.folder is None else self.folder / self.file_name(self.key, self.number)

    @staticmethod
    def file_name(key: str, number: int) -> str:
        """Return the file name of the N-th game at a table."""
        return f"table-{key}{f'-{number}' if number > 1 else ''}.json"

    def record(self) -> dict[str, Any]:
        """Return the table's people, links and results, from which ``of_record`` restores it."""
        return {
            **{name: getattr(self, name) for name in _KEPT},
            "names": {str(seat): name for seat, name in self.names.items()},
            "links": {str(seat): link for seat, link in self.links.items()},
            "taken": sorted(self.taken),
            "evening": [[game.file, [astuple(score) for score in game.scores]] for game in self.evening],
        }

    @classmethod
    def of_record(cls, folder: Path, record: Mapping[str, Any]) -> Table:
        """Return a table from its record and the file of its game; a damaged record may raise any exception."""
        names = {int(seat): str(name) for seat, name in record["names"].items()}
        text = text_within(folder / cls.file_name(str(record["key"]), int(record["number"])))
        table = cls(lambda: Game.from_json(text), read(text)[0], names, folder)
        for name in _KEPT:
            setattr(table, name, type(getattr(table, name))(record[name]))
        table.links = {int(seat): str(link) for seat, link in record["links"].items()}
        table.taken = set(map(str, record["taken"]))
        table.evening = [Played(str(file), [Score(*score) for score in scores]) for file, scores in record["evening"]]
        return table

    def begin(self) -> None:
        """Prepare the game, compile it if necessary, and play to the first decision of a person."""
        try:
            with compile_stepping():
                played = PlayedGame(self._begin(), self.names)
            while self.names and played.game.to_move not in (None, *played.people):
                played.follow()
            with self._lock:
                self._played = played
                self.version += 1
            self._save_turn()
            if not self.names:
                self._follow_policies()
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
        """Save the game as a position file with the names of the people."""
        with self._saving:  # one save at a time, so that the last turn is saved last
            people = [self.names.get(seat) for seat in range(self.plan.players)]
            write_text(path, with_people(self.game().to_json(), people, date.today().isoformat()) + "\n")

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
        """Store an error message until the person's page shows it."""
        self._refusals[seat] = sentence

    def refusal(self, seat: int) -> str:
        """Return and remove the error message that a person has not seen yet; "" if there is none."""
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
        """Return the name of each seat's player: a person, or a policy, which is numbered if it plays several seats."""
        line_up = seated(self.plan, self._played.game.number if self._played else 0)
        policies = {seat: line_up[seat % len(line_up)] for seat in range(self.plan.players) if seat not in self.names}
        seats, met = Counter(policies.values()), Counter[str]()
        sitting = []
        for seat in range(self.plan.players):
            name = self.names.get(seat) or policies[seat]
            if seat in policies and seats[name] > 1:
                met[name] += 1
                name = f"{name} {met[name]}"
            sitting.append(name)
        return sitting

    def named(self, text: str) -> str:
        """Replace ``seat 2`` and so on in a text by the names of the players."""
        return by_name(text, self.sitting())

    def rename(self, seat: int, name: str) -> None:
        """Seat a person under a name; raise UserError if the name is taken."""
        with self._lock:
            names = {**self.names, seat: name}
            _check_people(self.plan, names)
            self.names = names
            self.taken.add(self.links[seat])
            self.version += 1

    def free(self) -> list[int]:
        """Return the seats that nobody has taken through the invitation."""
        return [seat for seat, link in self.links.items() if link not in self.taken]

    def waited_for(self) -> dict[int, float]:
        """Return how many seconds each person who can choose now has been choosing, by seat."""
        with self._lock:
            now, waiting = time.monotonic(), {}
            for seat in self.names:
                decision = self.decision(seat)
                if decision is not None:
                    if self._asked.get(seat, ("",))[0] != decision.stamp:
                        self._asked[seat] = decision.stamp, now
                    waiting[seat] = now - self._asked[seat][1]
            return waiting

    def seen(self) -> list[str]:
        """Return the public history of the game."""
        with self._lock:
            return [self.named(line) for line in self._begun().seen()]

    def seen_by(self, seat: int | None) -> Seen:
        """Return the view that a seat, or spectators (None), have of every moment so far.

        Spectators see all hands if only policies play.
        """
        key = seat, self.number, not self.names
        with self._lock:
            return self._views.setdefault(key, Seen(seat, hands=seat is None and not self.names))

    def decision(self, seat: int) -> Decision | None:
        """Return the decision that a person can make now; None if there is none or it has already been made."""
        with self._lock:
            played = self._begun()
            game = None if seat in self._chosen else ahead(played.game, seat)
            if game is None:
                return None
            seen = [played.decided(seat), seat, known_to(game, seat), game.legal()]
            return Decision(game, hashlib.sha256(json.dumps(seen, default=str).encode()).hexdigest()[:16])

    def choose(self, seat: int, stamp: str, index: int) -> None:
        """Make a person's move, now or when earlier seats have moved; raise UserError if it is invalid.

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
            self._finish()

    def undo(self, seat: int) -> None:
        """Undo the last choice of a person; raise UserError if other people have moved since."""
        with self._lock:
            if self._begun().game.to_move is None:
                raise UserError("The game is over: nothing can be undone.")
            if self._chosen.pop(seat, None) is None:
                self._begun().undo(seat)
            self.version += 1
        self._save_turn()

    def take_over(self, seat: int, name: str) -> None:
        """Let a person take over from a policy; raise UserError if no policy is in this seat or the name is invalid."""
        with self._lock:
            played = self._begun()
            if played.game.to_move is None:
                raise UserError("The game is over: nobody can take over a seat.")
            if seat in self.names or not 0 <= seat < self.plan.players:
                raise UserError("There is no policy in this seat: choose a different one.")
            names = {**self.names, seat: name}
            _check_people(self.plan, names)
            self.names, self.links[seat] = names, token_urlsafe(18)
            self.taken.add(self.links[seat])
            played.people = frozenset(names)
            self.version += 1
        self._woken.set()
        self._advance()
        self._save_turn()

    def set_pace(self, *, paused: bool, pace: float, step: bool = False) -> None:
        """At a table without people, pause or continue, set the pace, and play one moment at once if ``step``."""
        if pace not in PACES:
            raise UserError(
                f"the pace must be one of {', '.join(f'{choice:g}' for choice in PACES)} seconds, not {pace:g}"
            )
        self.paused, self.pace = paused, pace
        self.version += 1
        if step and not self.names:
            self._advance(one_moment=True)
            self._finish()
        self._woken.set()

    def _follow_policies(self) -> None:
        """Play moment by moment for spectators, until the game is over or a person sits down."""
        while not (self.over or self.names or self.closed):
            self._woken.wait(None if self.paused else self.pace)
            if self._woken.is_set():
                self._woken.clear()
            else:
                self._advance(one_moment=True)
        if self.names:  # otherwise the policies in the other seats would wait for each other
            self._advance()
        self._finish()

    def _finish(self) -> None:
        """Save the turn, and record the result if the game is over."""
        self._save_turn()
        self._count()

    def look_back(self) -> None:
        """Start computing the win chances of a finished game for ``ended``, unless already started."""
        with self._lock:
            if not self.over or self._looked_back == self.number:
                return
            self._looked_back = self.number
        threading.Thread(target=self._look_back, daemon=True, name=f"wsim-table-{self.key}").start()

    def _look_back(self) -> None:
        number = self.number
        ended = replay_of_game(self.game(), self.sitting(), named=True)
        with self._lock:
            if self.number == number:
                self.ended = ended
                self.version += 1

    def rematch(self) -> None:
        """Deal the next game, with everybody one seat further on; raise UserError if this game is not over."""
        with self._lock:
            if not self.over:
                raise UserError("The game is not over: the next game can begin when it is.")
            size = self.plan.players
            moved = {seat: (seat + 1) % size for seat in range(size)}
            line_up = seated(self.plan, self._begun().game.number)
            self.plan = self.plan.replace(
                policies=tuple(line_up[(seat - 1) % len(line_up)] for seat in range(len(line_up))),
                seed=new_seed(), rotate=False,
            )  # fmt: skip
            self.names = {moved[seat]: name for seat, name in sorted(self.names.items())}
            self.links = {moved[seat]: link for seat, link in sorted(self.links.items())}
            self._chosen, self._refusals, self._asked, self._played, self.ended = {}, {}, {}, None, None
            self._views.clear()
            self._begin, self.number = self._deal, self.number + 1
            self.version += 1
        threading.Thread(target=self.begin, daemon=True, name=f"wsim-table-{self.key}").start()

    @property
    def kept(self) -> str:
        """The name of the run that stores games between people only; "" if there is none."""
        people = any(all(score.person for score in game.scores) for game in self.evening)
        return f"evening-{self.key}" if people and self.folder is not None and not self.unkept else ""

    def _deal(self) -> Game:
        return Game(self.plan)

    def _count(self) -> None:
        """If the game is over, record its result and store the games that only people played as a run."""
        with self._lock:
            if not self.over or len(self.evening) >= self.number:
                return
            scores = [
                Score(name, score["total"], score["win_share"], seat in self.names)
                for seat, (name, score) in enumerate(zip(self.sitting(), self.game().result or (), strict=False))
            ]
            self.evening.append(Played("" if self.file is None else self.file.name, scores))
        if self.folder is not None:
            try:
                keep(self.evening, self.plan, self.folder, self.key)
                self.unkept = ""
            except (UserError, OSError) as error:
                self.unkept = str(error)

    def _advance(self, *, one_moment: bool = False) -> None:
        """Play to the next decision of a person who has not chosen yet; policies think about a copy of the game.

        ``one_moment``: stop at the next moment of the game.
        """
        begun, made = self._begun().game.moment, 0
        while (game := self._game_for_policy()) is not None:
            if one_moment and made and (game.moment is None or game.moment != begun):
                with self._lock:
                    self._thinking = False
                return
            made += 1
            copy, index = game.clone(), None
            try:
                index = copy.made()
            finally:
                with self._lock:
                    self._thinking = False
                    same = self._begun().game is game  # nobody has undone a move or taken over a seat meanwhile
                    if index is not None and same and game.to_move not in self._begun().people:
                        self._begun().lead(copy, index)

    def _game_for_policy(self) -> Game | None:
        """Apply waiting choices of people; return the game if a policy decides next and none is thinking yet."""
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
    """The tables of a workbench, by key or by link.

    ``folder``: where the tables are stored, so that they survive a restart of the server.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._lock, self.folder = threading.Lock(), folder
        self._tables = dict[str, Table]()
        if folder is not None:
            for record in kept_tables.read(folder):
                with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError, OSError, UserError):
                    table = Table.of_record(folder, record)  # fails if its game was deleted or the record is damaged
                    self._tables[table.key] = table
        if self._tables:
            threading.Thread(target=self._resume, args=(list(self),), daemon=True, name="wsim-tables").start()

    def _resume(self, tables: Sequence[Table]) -> None:
        for table in tables:
            table.begin()

    def keep(self) -> None:
        """Write the people at the open tables to a file, so that the next start of the server restores them."""
        if self.folder is not None:
            with self._lock, contextlib.suppress(OSError):  # tables report if their games cannot be saved
                kept_tables.write(self.folder, [table.record() for table in self._tables.values() if not table.failure])

    def __iter__(self) -> Any:
        """Iterate over the tables, from newest to oldest."""
        return iter(list(self._tables.values())[::-1])

    def open(
        self, begin: Callable[[], Game], plan: Plan, names: Mapping[int, str], folder: Path | None = None,
        clock: int = 0,
    ) -> Table:  # fmt: skip
        """Open a table and start to prepare its game; raise UserError for invalid names or too many tables.

        ``folder``: where the game is saved after every turn. ``clock``: the seconds that a choice should take.
        """
        _check_people(plan, names)
        table = Table(begin, plan, names, folder, clock)
        with self._lock:
            if len(self._tables) >= MAX_TABLES:
                raise UserError(f"there are already {MAX_TABLES} tables: close one first")
            self._tables[table.key] = table
        self.keep()
        threading.Thread(target=table.begin, daemon=True, name=f"wsim-table-{table.key}").start()
        return table

    def of(self, key: str) -> Table:
        """Return the table with a key; raise UserError if it does not exist."""
        if key not in self._tables:
            raise UserError("this table no longer exists: it was closed or wsim open was restarted")
        return self._tables[key]

    def close(self, key: str) -> None:
        """Close a table."""
        table = self.of(key)
        table.closed = True
        table.set_pace(paused=False, pace=PACE)
        with self._lock:
            self._tables.pop(key, None)
        self.keep()
        if table.file is not None and table.ready and not table.game().steps:
            table.file.unlink(missing_ok=True)  # no person has moved yet

    def seat(self, link: str) -> tuple[Table, int]:
        """Return the table and the seat of a link; raise UserError if it is not the link of a seat."""
        table, place = self.place(link)
        if not isinstance(place, int):
            raise UserError("this link is for watching only: to play, use the link of a seat")
        return table, place

    def place(self, link: str) -> tuple[Table, int | str]:
        """Return a link's table and role (a seat, ``watch`` or ``invite``); raise UserError if it is invalid."""
        for table in self:
            places: list[tuple[int | str, str]] = [*table.links.items()]
            for place, secret in [*places, ("watch", table.watching), ("invite", table.inviting)]:
                if compare_digest(secret.encode(), link.encode()):
                    return table, place
        raise UserError("this link is no longer valid: the table was closed or wsim open was restarted")


def new_seed() -> int:
    """Return an unguessable seed, because anyone who knew the seed could deal the same cards."""
    return randbelow(SEEDS)


def person(text: str) -> str:
    """Return a person's name with normalised spaces; raise UserError if it is too long or not printable."""
    name = " ".join(text.split())
    if len(name) > MAX_LETTERS:
        raise UserError(f"a name can have at most {MAX_LETTERS} characters, not {len(name)}")
    if not name.isprintable():
        raise UserError(f"a name must not contain control characters: {name!r}")
    return name


def _check_people(plan: Plan, names: Mapping[int, str]) -> None:
    if len(names) > MAX_PEOPLE:
        raise UserError(f"at most {MAX_PEOPLE} people can play at a table, not {len(names)}")
    if twice := [name for name, count in Counter(map(str.casefold, names.values())).items() if count > 1]:
        shown = next(name for name in names.values() if name.casefold() in twice)
        raise UserError(f"two people are called {shown!r}: give one of them a different name")
    for seat in names:
        if seat not in range(plan.players):
            raise UserError(f"seat {seat} does not exist: seats are numbered 0 to {plan.players - 1}")
