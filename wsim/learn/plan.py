"""Learning plans (TOML files): tables and their shares, rounds of self-play, and how the net is fitted and evaluated.

The file ``learning.toml`` of a game is the plan of the net that ships with wsim.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from wsim.errors import Mistakes, UserError, nearest
from wsim.lab.plan import Plan, first_game
from wsim.learn.fitting_settings import Fitting
from wsim.spec.rows import read_row, read_rows
from wsim.spec.source import read_toml

if TYPE_CHECKING:
    from wsim.policies.nets import LearnedNet

MAX_GAP = 1000  # the larger the gap between sampled decisions, the more games a part plays
NET, OTHERS = "net", "balanced"
_ROUND = re.compile(r"round-(\d+)")


def several(text: str) -> list[str]:
    """Split a string such as ``net | balanced`` into the names of players."""
    return [name.strip() for name in text.split("|")]


def round_of(name: str) -> int | None:
    """Return the number of the round whose net a name refers to; None for any other name."""
    match = _ROUND.fullmatch(name)
    return int(match[1]) if match else None


@dataclass(frozen=True)
class Seats:
    """A training table: rule set, number of players, and its share of the decisions (relative to the sum of shares).

    A table with a share of 0 is played only in rounds that give it a share.
    """

    ruleset: str
    players: int
    share: float = 1.0

    @property
    def name(self) -> str:
        """The name of the table in file names."""
        return f"{self.ruleset}-{self.players}"


@dataclass(frozen=True)
class Round:
    """A round of learning.

    Attributes
    ----------
    decisions: the approximate number of decisions sampled from self-play.
    players: the policies that play the games; ``net`` is the net of the previous round.
    own, others: the policies used in playouts, in the deciding seat and in the other seats. ``players`` and ``others``
        may name several policies, as in "net | round-2 | balanced"; each seat then draws one of them. ``round-2`` is
        the net of the second round of this plan, ``round-0`` the net that the plan starts from.
    playouts: the number of playouts per move. explore: the chance that a player makes a uniformly random move.
    moves: the number of moves of a decision that are played out: the best moves according to the net in ``own``, and
        one drawn from the rest; the other moves keep the net's value differences from these. 0: all moves.
    keep: the number of previous rounds whose decisions are used again.
    start: the net that the fitting starts from: ``net``, or the net of an earlier round, as in ``players``.
    fresh: whether the fitting starts from an untrained net instead.
    blend: the weight of the starting net in the average with the fitted net, so that knowledge about other players is
        not all forgotten.
    passes, rate: the number of passes through all decisions, and the highest learning rate; 0: as in the plan's
        fitting.
    shares: the shares of tables by name (``1e-4``: rule set and players), where they differ from the plan's shares.
    """

    decisions: int
    players: str = NET
    own: str = NET
    others: str = OTHERS
    playouts: int = 2
    moves: int = 0
    explore: float = 0.08
    keep: int = 1
    start: str = NET
    fresh: bool = False
    blend: float = 0.0
    passes: float = 0.0
    rate: float = 0.0
    shares: Mapping[str, float] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """The names of all policies in the round."""
        return {self.own, *several(self.players), *several(self.others)}


@dataclass(frozen=True)
class Field:
    """A field of opponents against which a net is evaluated, in games that it did not learn from."""

    ruleset: str
    players: int
    against: tuple[str, ...]
    games: int = 4000


@dataclass(frozen=True)
class LearningPlan:
    """A learning plan. Equal plans produce the same decisions, and the same net except for the rounding of sums.

    Attributes
    ----------
    game: the name of the game. seed: the seed of games, playouts and fitting.
    start: the net to start from: a file, ``shipped``, or empty for an untrained net.
    gap: the mean number of decisions from one sampled decision of a game to the next.
    cards, patch, set: changes to the catalogue, as in a plan.
    """

    game: str = field(default_factory=first_game)
    seed: int = 1
    start: str = ""
    gap: float = 12.0
    cards: str | None = None
    patch: tuple[str, ...] = ()
    set: tuple[str, ...] = ()
    tables: tuple[Seats, ...] = ()
    rounds: tuple[Round, ...] = ()
    fitting: Fitting = field(default_factory=Fitting)
    judges: tuple[Field, ...] = ()

    @classmethod
    def from_toml(cls, path: str) -> LearningPlan:
        """Read a plan from a TOML file; raise UserError that lists every mistake in it."""
        return cls.restore(read_toml(path, "learning plan"), path)

    @classmethod
    def restore(cls, record: Mapping[str, Any], where: str = "the learning plan") -> LearningPlan:
        """Build a plan from a parsed TOML file."""
        values, mistakes = dict(record), Mistakes()
        sections: dict[str, Any] = {}
        for name, (key, kind) in _ROWS.items():
            with mistakes.noted():
                sections[name] = read_rows(kind, values.pop(key, []), key, where)
        with mistakes.noted():
            sections["fitting"] = read_row(Fitting, values.pop("fitting", {}), "fitting", where)
        with mistakes.noted():
            made = {"fitting": Fitting(), "tables": (), "rounds": (), "judges": (), **sections}
            plan = read_row(cls, values, "", where, **made)
        mistakes.raise_any()
        return plan.checked()

    def checked(self) -> LearningPlan:
        """Return the plan itself; raise UserError that lists every invalid value."""
        from wsim.learn.learner import learner_of

        learner_of(self.game)
        mistakes = Mistakes()
        if not self.tables or not self.rounds:
            mistakes.add("a learning plan needs at least one [[table]] and one [[round]]")
        for table in self.tables:
            if table.share < 0:
                mistakes.add(f"the share of a table must be at least 0, not {table.share!r}")
            with mistakes.noted():
                Plan.make(**self.keys(table))
        for number, entry in enumerate(self.rounds):
            _check_ranges(number, entry, mistakes)
            with mistakes.noted():
                self._check_shares(number, entry)
            self._check_nets(number, entry, mistakes)
        for judge in self.judges:
            if judge.games < 2 or not judge.against:
                mistakes.add("a [[judge]] needs at least 2 games and at least one policy in against")
            with mistakes.noted():
                Plan.make(**self.keys(judge))
        if not 1 <= self.gap <= MAX_GAP or self.fitting.rounds <= 0 or self.fitting.size < 1 or self.fitting.rate <= 0:
            mistakes.add(
                f"gap must be from 1 to {MAX_GAP:,}, size at least 1, and rounds and rate of the fitting more than 0"
            )
        mistakes.raise_any()
        return self

    def _check_nets(self, number: int, entry: Round, mistakes: Mistakes) -> None:
        """Record a mistake for every name in a round that refers to a net that does not exist at that point."""
        if entry.moves and entry.own != NET and round_of(entry.own) is None:
            mistakes.add(f"round {number + 1} plays out the best moves by the net in own: {entry.own!r} is not a net")
        if number == 0 and not self.start and NET in entry.names:
            mistakes.add("the first round has no net to play with: name policies, or a start")
        if entry.start != NET and round_of(entry.start) is None:
            mistakes.add(f"round {number + 1} must start from net or round-1, round-2, ..., not from {entry.start!r}")
        for name in sorted({*entry.names, entry.start}):
            if (round_of(name) or 0) > number or (round_of(name) == 0 and not self.start):
                mistakes.add(f"round {number + 1} uses {name!r}: that net does not exist yet")

    def _check_shares(self, number: int, entry: Round) -> None:
        """Raise UserError unless a round's shares refer to tables of the plan and at least one share is positive."""
        names = [table.name for table in self.tables]
        for name, share in entry.shares.items():
            if name not in names:
                known = f"the tables are {', '.join(names)}{nearest(name, names)}"
                raise UserError(f"round {number + 1} has a share of {name!r}: {known}")
            if share < 0:
                raise UserError(f"the share of a table must be at least 0, not {share!r}")
        if not sum(self.shares(entry).values()) > 0:
            raise UserError(f"round {number + 1} plays no table: at least one share must be more than 0")

    def shares(self, entry: Round) -> dict[str, float]:
        """Return each table's fraction of a round's decisions, by table name."""
        shares = {table.name: entry.shares.get(table.name, table.share) for table in self.tables}
        whole = sum(shares.values())
        return {name: share / whole for name, share in shares.items()} if whole else shares

    def keys(self, table: Seats | Field) -> dict[str, Any]:
        """Return the plan keys for the games at a table."""
        options = {"patch": list(self.patch), "set": list(self.set), "cards": self.cards}
        changes = {key: value for key, value in options.items() if value}
        return {"game": self.game, "ruleset": table.ruleset, "players": table.players, "seed": self.seed, **changes}

    def record(self) -> dict[str, Any]:
        """Return the plan as a JSON object that ``restore`` reads."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        for field_name, (key, _) in _ROWS.items():
            rows = plain.pop(field_name)
            plain[key] = [
                {name: value for name, value in vars(row).items() if value != _SINCE.get(name)} for row in rows
            ]
        plain["fitting"] = dict(vars(self.fitting))
        return {key: value for key, value in plain.items() if value is not None}


_ROWS: Mapping[str, tuple[str, Any]] = {
    "tables": ("table", Seats),
    "rounds": ("round", Round),
    "judges": ("judge", Field),
}
"""The list fields of a learning plan, with the key of their rows in the file and the class of a row."""
_SINCE: Mapping[str, Any] = {"shares": {}, "moves": 0, "rate": 0.0, "start": NET, "blend": 0.0}
"""Row keys that earlier versions of wsim did not have, with their defaults, which are omitted so that the records of
old plans do not change.
"""


def _check_ranges(number: int, entry: Round, mistakes: Mistakes) -> None:
    if entry.decisions < 1 or entry.playouts < 1 or not 0 <= entry.explore <= 1 or entry.passes < 0:
        mistakes.add(f"round {number + 1} needs at least 1 decision, 1 playout and a chance to explore from 0 to 1")
    if not 0 <= entry.blend < 1:
        mistakes.add(f"blend of round {number + 1} must be at least 0 and less than 1")
    if entry.moves < 0 or entry.rate < 0:
        mistakes.add(f"moves and rate of round {number + 1} must be at least 0")


def learned_from(net: LearnedNet) -> dict[str, Any]:
    """Return the training history of a net as a row: seed, start, rounds, decisions, tables, changes, digest.

    ``decisions`` counts the decisions of all rounds, ``tables`` the decisions per rule set and number of players. A net
    without a plan that this version of wsim can read has only a digest.
    """
    about, plan = net.about, None
    with suppress(UserError):
        plan = LearningPlan.restore(of if isinstance(of := about.get("plan"), Mapping) else {}, "the net")
    row: dict[str, Any] = {"seed": None, "start": "", "rounds": 0, "decisions": 0, "tables": {}, "changes": []}
    if plan is not None:
        number = about.get("round")
        rounds = plan.rounds[: number if isinstance(number, int) else None]
        shares = [(entry.decisions, plan.shares(entry)) for entry in rounds]
        tables = {table.name: sum(round(count * of[table.name]) for count, of in shares) for table in plan.tables}
        row = {
            "seed": plan.seed,
            "start": plan.start,
            "rounds": len(rounds),
            "decisions": sum(entry.decisions for entry in rounds),
            "tables": {name: count for name, count in tables.items() if count},
            "changes": [*([plan.cards] if plan.cards else []), *plan.patch, *plan.set],
        }
    return {**row, "digest": net.digest.hex()[:12]}
