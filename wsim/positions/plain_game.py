"""Base classes of games in plain Python: one class contains the rules; everything else is derived from it.

Such games are slow: about a hundred times as slow as games with kernels (``SLOW``).
"""

from __future__ import annotations

import hashlib
import inspect
import json
import random
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from wsim.document import Sheet
from wsim.errors import Mistakes, UserError, nearest
from wsim.game import Game, Simulator
from wsim.options import short_number
from wsim.policies.pool import SEARCH
from wsim.policies.registry import Parameter
from wsim.position import Position
from wsim.spec.catalogues import CataloguePage, Catalogues, Rows, Source
from wsim.spec.source import read_toml

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.policies.lineup import Entry
    from wsim.policies.numbers import Number

SLOW = "Plain Python plays some thousand games a second; rules as kernels play some hundred times as many"
"""Remark printed with the catalogue and the searches of such a game. docs/own-game.md describes games with kernels."""
CHECKED = 20
"""Number of games played to check a patch, for each number of players."""

SAMPLED = 8
"""Number of games played to collect the names of all numbers in views."""

PolicyFunction = Callable[..., int]
"""Takes a seat's view, the legal moves, a random stream and its parameters; returns the index of a move."""


class Value(NamedTuple):
    """A whole number in the rules that ``--set`` and patches can change: its default, range and meaning."""

    default: int
    least: int
    most: int
    meaning: str


class PlainPosition(Position):
    """A game in progress whose rules are the methods of this class; everything else is derived from them.

    A subclass defines ``deal``, ``to_move``, ``moves``, ``make``, ``totals``, ``view`` and ``redraw``. A copy of a
    position copies its attributes, so they must be plain values: numbers, strings, lists, sets, dictionaries.

    Attributes
    ----------
    players: the number of players. rules: the values of the plan, by name (``PlainGame.VALUES``).
    """

    def __init__(self, simulator: PlainSimulator, number: int) -> None:
        self.simulator, self.number = simulator, number
        self.players, self.rules, self._decided = simulator.seats, simulator.rules, 0
        self.deal(stream("deal", simulator.plan.seed, number))

    @abstractmethod
    def deal(self, random: random.Random) -> None:
        """Set up the game; all chance comes from ``random``."""

    @abstractmethod
    def make(self, move: Mapping[str, Any]) -> None:
        """Make a legal move of the seat that decides."""

    @abstractmethod
    def totals(self) -> Sequence[float]:
        """Return the current score of every seat; the highest wins."""

    @abstractmethod
    def redraw(self, seat: int, random: random.Random) -> None:
        """Resample everything hidden from a seat. If nothing is hidden, do nothing."""

    def details(self) -> Sequence[Mapping[str, Any]]:
        """Return the final values of the additional columns (``PlainGame.COLUMNS``) for every seat."""
        return [{}] * self.players

    def take(self, index: int) -> None:
        """Make the legal move with this index and advance to the next decision."""
        self.make(self.moves()[index])
        self._decided += 1
        if self._decided > self.simulator.picks_per_game:
            raise UserError(f"game {self.number} is not over after {self._decided - 1} decisions (DECISIONS)")

    def follow(self) -> int:
        """Make the move of the plan's own policy; return its index."""
        assert self.to_move is not None
        shift = self.number if self.simulator.plan.rotate else 0
        source = stream("policy", self.simulator.plan.seed, self.number, self.to_move, self._decided)
        index = self.simulator.player_of(self.to_move + shift).choose(self, source)
        self.take(index)
        return index

    def chosen_by(self, simulator: PlainSimulator, seed: int, number: int = 0) -> int:
        """Return the index of the move that a simulator's line-up would make, with random numbers of (seed, number)."""
        assert self.to_move is not None
        return simulator.player_of(self.to_move).choose(self, stream("choice", seed, number))

    def standing(self) -> list[Any]:
        """Return the score of every seat if the game ended now."""
        return list(self.totals())

    def scores(self) -> list[dict[str, Any]]:
        """Return seat, total and win share of every seat; tied winners share the win."""
        totals = self.totals()
        winners = [total == max(totals) for total in totals]
        return [
            {"seat": seat, "total": total, "win_share": won / sum(winners)}
            for seat, (total, won) in enumerate(zip(totals, winners, strict=True))
        ]

    def redrawn(self, seat: int, seed: int, number: int = 0) -> Self:
        """Return a copy with everything hidden from the seat resampled, reproducibly for a given seed and number."""
        copy = self.clone()
        copy.redraw(seat, stream("redraw", seed, number))
        return copy

    def columns(self, history: bool = True) -> tuple[str, ...]:  # noqa: ARG002 (no history is kept)
        """Return the names of the values in an observation."""
        return self.simulator.columns

    def observation(self, seat: int, size: int) -> NDArray[np.int16]:
        """Return the numbers in a seat's view in the order of ``columns``, 0 for a name that the view lacks."""
        numbers = numbers_in(self.view(seat))
        limits = np.iinfo(np.int16)
        values = [numbers.get(name, 0) for name in self.simulator.columns[:size]]
        return np.clip(values, limits.min, limits.max).astype(np.int16)


def stream(*words: object) -> random.Random:
    """Return a random stream seeded by these words, which cannot be inferred from its output."""
    return random.Random("/".join(map(str, words)))


def numbers_in(value: Any, name: str = "") -> dict[str, int]:
    """Return the integers and booleans in nested lists and mappings, keyed by their paths (``hand.0``)."""
    if isinstance(value, bool | int):
        return {name: int(value)}
    parts = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list | tuple) else ()
    numbers: dict[str, int] = {}
    for key, part in parts:
        numbers |= numbers_in(part, f"{name}.{key}" if name else str(key))
    return numbers


class Player(NamedTuple):
    """An entry of a line-up: a function of a seat's view, or a search if ``function`` is None."""

    label: str
    function: PolicyFunction | None
    parameters: Mapping[str, Any]
    simulator: PlainSimulator | None = None

    def choose(self, position: PlainPosition, source: random.Random) -> int:
        """Return the index of a legal move; raise UserError if the policy raises or returns anything else."""
        moves = position.moves()
        if len(moves) < 2:
            return 0
        if self.function is None:
            return self._search(position, len(moves), source)
        seat = position.to_move
        try:
            index: Any = self.function(position.view(seat), moves, source, **self.parameters)
        except Exception as error:
            kind = type(error).__name__
            raise UserError(f"policy {self.label!r} raised {kind}: {error}, in game {position.number}") from error
        if isinstance(index, bool) or not isinstance(index, int | np.integer) or not 0 <= index < len(moves):
            legal = f"moves are numbered 0 to {len(moves) - 1}"
            raise UserError(f"policy {self.label!r} chose move {index!r} in game {position.number}: {legal}")
        return int(index)

    def _search(self, position: PlainPosition, moves: int, source: random.Random) -> int:
        """Return the index of the move with the best mean win share, then score, in playouts common to all moves."""
        assert self.simulator is not None
        playouts, seat = self.parameters["playouts"], position.to_move
        outcomes = position.compare(self.simulator, range(moves), playouts, seat, source.getrandbits(62))
        means = outcomes[:, :, seat].mean(axis=0)
        return int(np.lexsort((means[:, 0], means[:, 1]))[-1])


class PlainSimulator(Simulator):
    """A plan of a game in plain Python, prepared for playing."""

    def __init__(self, game: PlainGame, plan: Plan) -> None:
        self.game, self.plan, self.seats = game, plan, plan.players
        self.rules = game.values_of(plan.patch, plan.set)
        whole = {"game": "u8", "seat": "u1", "policy": "u1", "rank": "u1", "win_share": "f4", "total": "f8"}
        self.row_dtype = np.dtype([*{**whole, **game.COLUMNS}.items()])
        self.pick_dtype = np.dtype([("game", "u8"), ("seat", "u1"), ("turn", "u2"), ("choice", "u2"), ("moves", "u2")])
        self.picks_per_game = game.DECISIONS
        self.players = [game.player_of(entry, plan) for entry in plan.line_up]

    @property
    def actions(self) -> Sequence[str]:
        """The names of all moves, as ``phrase`` returns them."""
        return self.game.ACTIONS

    def player_of(self, entry: int) -> Player:
        """Return the player of a line-up entry; entry numbers wrap around at the end of the line-up."""
        return self.players[entry % len(self.players)]

    def begin(self, number: int) -> PlainPosition:
        """Return the position before a game's first decision."""
        return self.game.POSITION(self, number)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the values in an observation: all numbers in views of a few random games."""
        names: dict[str, None] = {}
        sampled, source = PlainSimulator(self.game, self.plan.replace(seed=1)), stream("columns")
        for number in range(SAMPLED):
            position = sampled.begin(number)
            while position.to_move is not None:
                for seat in range(self.seats):
                    names |= dict.fromkeys(numbers_in(position.view(seat)))
                position.take(source.randrange(len(position.moves())))
        return tuple(names)

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        """Play games numbered from ``first`` and fill the rows; return the number of picks written."""
        written = 0
        for index in range(len(rows) // self.seats):
            position, number = self.begin(first + index), first + index
            turn = 0
            while (seat := position.to_move) is not None:
                moves = len(position.moves())
                choice = position.follow()
                if picks is not None:
                    picks[written] = (number, seat, turn, choice, moves)
                    written += 1
                turn += 1
            own = rows[index * self.seats : (index + 1) * self.seats]
            totals = position.totals()
            shift = number if self.plan.rotate else 0
            for score, details in zip(position.scores(), position.details(), strict=True):
                seat, total = score["seat"], score["total"]
                row = own[seat]
                row["game"], row["seat"], row["policy"] = number, seat, (seat + shift) % len(self.players)
                row["rank"], row["total"] = 1 + sum(other > total for other in totals), total
                row["win_share"] = score["win_share"]
                for name in self.game.COLUMNS:
                    row[name] = details[name]
        return written

    def provenance(self) -> dict[str, Any]:
        """Return the source of the rules: the files of the game with their digest, and the values."""
        files = sorted({inspect.getfile(part) for part in (type(self.game), self.game.POSITION)})
        text = b"".join(Path(file).read_bytes() for file in files)
        digest = hashlib.sha256(text).hexdigest()[:16]
        return {"catalogue": {"source": Path(files[0]).name, "digest": digest, "values": dict(self.rules)}}

    def resolved(self) -> dict[str, Any]:
        """Return the values after all patches and changes."""
        return {"values": dict(self.rules)}


class PlainGame(Game):
    """A game in plain Python.

    Attributes
    ----------
    POSITION: the class of its positions. PLAYERS: the supported numbers of players.
    POLICIES: its policies by name; the first line of a policy's docstring is its description, and its arguments with
        defaults are parameters.
    VALUES: the numbers in the rules that can be changed. COLUMNS: dtypes of additional columns of the seats table.
    ACTIONS: the names of all moves, for environments with ``fixed`` actions; empty: no fixed actions.
    DECISIONS, MOVES: the maximum number of decisions in a game, and of legal moves at a decision.
    RULESET: the name of its rules.
    """

    POSITION: type[PlainPosition]
    PLAYERS: range
    POLICIES: Mapping[str, PolicyFunction]
    VALUES: Mapping[str, Value] = {}
    COLUMNS: Mapping[str, str] = {}
    ACTIONS: Sequence[str] = ()
    DECISIONS: int = 1000
    RULESET: str = "standard"
    SEARCH_PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter("playouts", int, 30, "playouts of each move", 1, 10_000),
        Parameter("policy", str, "", "who plays the playouts; the first policy if it is not given"),
    )

    @property
    def CATALOGUES(self) -> Catalogues:  # type: ignore[override]  # noqa: N802 (an attribute of games)
        """The values of the rules, for ``wsim catalog``."""
        return PlainCatalogues(self)

    def default_plan(self, ruleset: str | None = None) -> Mapping[str, Any]:  # noqa: ARG002
        """Return the defaults: the smallest number of players, all with the first policy."""
        return {"ruleset": self.RULESET, "players": self.PLAYERS[0], "policies": next(iter(self.POLICIES))}

    def parameters_of(self, name: str) -> tuple[Parameter, ...]:
        """Return the parameters of a policy: the arguments of its function after the first three."""
        if name == SEARCH:
            return self.SEARCH_PARAMETERS
        declared = [*inspect.signature(self.POLICIES[name]).parameters.values()][3:]
        return tuple(Parameter(each.name, type(each.default), each.default, "") for each in declared)

    def policies(self) -> Sequence[Mapping[str, Any]]:
        """Return the policies as rows, ``search`` last."""
        ideas = {name: (inspect.getdoc(function) or name) for name, function in self.POLICIES.items()}
        ideas[SEARCH] = f"the best move in playouts of what it cannot see. {SLOW}"
        return [
            {
                "name": name, "kind": SEARCH if name == SEARCH else "function", "idea": idea.partition("\n")[0],
                "parameters": ", ".join(map(str, self.parameters_of(name))), "source": "", "random": name == "random",
            }
            for name, idea in ideas.items()
        ]  # fmt: skip

    def numbers(self, entry: Entry) -> Sequence[Number]:
        """Return an empty sequence: no numbers can be tuned. Raise UserError for an unknown policy or parameter."""
        self._checked(entry)
        return ()

    def _checked(self, entry: Entry) -> dict[str, Any]:
        """Return all parameters of an entry, including defaults; raise UserError for unknown ones."""
        names = (*self.POLICIES, SEARCH)
        if entry.file or entry.module:
            raise UserError(
                f"{self.NAME} plays only the functions in POLICIES of its class: import {str(entry)!r} there; "
                f"accepted: {', '.join(names)}"
            )
        if entry.name not in names:
            raise UserError(f"unknown policy {entry.name!r}{nearest(entry.name, names)}; accepted: {', '.join(names)}")
        known = {parameter.name: parameter for parameter in self.parameters_of(entry.name)}
        for key in entry.parameters:
            if key not in known:
                accepted = f"accepted are {', '.join(known)}" if known else "it has none"
                raise UserError(f"policy {entry.name!r} has no parameter {key!r}{nearest(key, known)}: {accepted}")
        return {
            name: parameter.check(entry.parameters.get(name, parameter.default), entry.name)
            for name, parameter in known.items()
        }

    def player_of(self, entry: Entry, plan: Plan) -> Player:
        """Return the player of an entry; raise UserError if it cannot play."""
        parameters = self._checked(entry)
        if entry.name != SEARCH:
            return Player(str(entry), self.POLICIES[entry.name], parameters)
        policy = str(parameters["policy"] or next(iter(self.POLICIES)))
        if policy not in self.POLICIES:
            known = f"{nearest(policy, self.POLICIES)}; accepted: {', '.join(self.POLICIES)}"
            raise UserError(f"policy {policy!r} cannot play the playouts of search{known}")
        return Player(str(entry), None, parameters, PlainSimulator(self, plan.replace(policies=policy)))

    def prepare(self, plan: Plan) -> PlainSimulator:
        """Return a simulator of a plan; raise UserError if the plan cannot be played."""
        if plan.ruleset != self.RULESET:
            raise UserError(f"unknown rule set {plan.ruleset!r}{nearest(plan.ruleset, [self.RULESET])}")
        if plan.players not in self.PLAYERS:
            few, many = self.PLAYERS[0], self.PLAYERS[-1]
            raise UserError(f"{self.NAME} is for {few} to {many} players, not {plan.players}")
        if plan.cards is not None:
            raise UserError(f"{self.NAME} has no card file: change its values with --set or --patch")
        return PlainSimulator(self, plan)

    def values_of(self, patches: Sequence[str], changes: Sequence[str]) -> dict[str, int]:
        """Return the values after patches (TOML files of ``name = value``) and changes (``name=value``)."""
        values = {name: value.default for name, value in self.VALUES.items()}
        mistakes = Mistakes()
        for path in patches:
            for name, value in read_toml(path, "patch").items():
                self._change(values, name, value, path, mistakes)
        for change in changes:
            name, _, text = (part.strip() for part in change.partition("="))
            number = short_number(text)
            self._change(values, name, text if number is None else number, f"--set {change}", mistakes)
        mistakes.raise_any()
        return values

    def _change(self, values: dict[str, int], name: str, value: Any, where: str, mistakes: Mistakes) -> None:
        """Set a value, or add the reason why it cannot be set to ``mistakes``."""
        if name not in values:
            known = ", ".join(values) or "none"
            mistakes.add(f"{where}: unknown value {name!r}{nearest(name, values)}; {self.NAME} has {known}")
            return
        least, most = self.VALUES[name][1:3]
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            mistakes.add(f"{where}: {name} must be a whole number from {least} to {most}, not {value!r}")
            return
        values[name] = value


class PlainCatalogues(Catalogues):
    """The values of a game in plain Python, for ``wsim catalog``."""

    def __init__(self, game: PlainGame) -> None:
        self.game = game

    def _values(self, source: Source) -> dict[str, int]:
        if source.cards is not None:
            raise UserError(f"{self.game.NAME} has no card file: change its values with --set or --patch")
        if source.ruleset not in (None, self.game.RULESET):
            known = nearest(str(source.ruleset), [self.game.RULESET])
            raise UserError(f"unknown rule set {source.ruleset!r}{known}: {self.game.NAME} has {self.game.RULESET}")
        return self.game.values_of(source.patches, source.changes)

    def page(self, source: Source, name: str | None) -> CataloguePage:
        """Return a page with all values of the rules, or only the named one."""
        values = self._values(source)
        if name is not None and name not in values:
            known = f"{nearest(name, values)}: it has {', '.join(values) or 'none'}"
            raise UserError(f"{self.game.NAME} has no value {name!r}{known}")
        rows = [
            {"name": each, "value": values[each], "default": known.default, "from": known.least, "to": known.most,
             "meaning": known.meaning}
            for each, known in self.game.VALUES.items() if name in (None, each)
        ]  # fmt: skip
        head = f"{self.game.TITLE}, {self.players} players. {SLOW} (docs/own-game.md)."
        return CataloguePage(head, [Sheet("Values of the rules: --set NAME=VALUE", rows)], rows)

    @property
    def players(self) -> str:
        """The supported numbers of players as text."""
        few, many = self.game.PLAYERS[0], self.game.PLAYERS[-1]
        return str(few) if few == many else f"{few} to {many}"

    def rulesets(self) -> Rows:
        """Return one row, for the only rule set."""
        return [{"ruleset": self.game.RULESET, "title": self.game.TITLE, "players": self.players}]

    def differences(self, source: Source, old: str, new: str) -> tuple[Rows, Sequence[str]]:  # noqa: ARG002
        """Raise UserError, because there is only one rule set."""
        raise UserError(f"{self.game.NAME} has one rule set, {self.game.RULESET}: there is nothing to compare")

    def check(self, source: Source, path: str) -> Rows:
        """Check a patch by playing games with it for every number of players; return a summary row."""
        from wsim.lab.plan import Plan

        patches = (*source.patches, path)
        self._values(Source(source.ruleset, source.cards, patches, source.changes))
        row: dict[str, Any] = {"ruleset": self.game.RULESET, "players": self.players, "games": 0}
        for players in self.game.PLAYERS:
            plan = Plan.make(game=self.game.NAME, players=players, patch=patches, set=source.changes)
            simulator = self.game.prepare(plan)
            simulator.play(0, np.zeros(CHECKED * players, simulator.row_dtype))
            row["games"] += CHECKED
        return [row]

    def schema(self) -> Any:
        """Return the JSON Schema of a patch."""
        properties = {
            name: {"type": "integer", "minimum": value.least, "maximum": value.most, "description": value.meaning}
            for name, value in self.game.VALUES.items()
        }
        text = {
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"A patch of {self.game.TITLE}",
            "type": "object", "properties": properties, "additionalProperties": False,
        }  # fmt: skip
        return json.loads(json.dumps(text))
