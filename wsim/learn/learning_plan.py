"""What is learned from, as a TOML file: tables and their shares, rounds of self-play, how the net is fitted and judged.

``learning.toml`` of a game is the plan that made the net that comes with wsim.
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

MOST_GAP = 1000  # decisions between two that are taken: a part plays so many games more
NET, OTHERS = "net", "balanced"
_ROUND = re.compile(r"round-(\d+)")


def several(text: str) -> list[str]:
    """Return the players of a text, in which several are told apart by bars."""
    return [name.strip() for name in text.split("|")]


def round_of(name: str) -> int | None:
    """Return the number of the round whose net a name stands for, None where it stands for none."""
    found = _ROUND.fullmatch(name)
    return int(found[1]) if found else None


@dataclass(frozen=True)
class Seats:
    """A table to learn at: rule set, number of players, and its share of the decisions (of the sum of all shares).

    A share of 0 is of a table that only the rounds with a share of it play.
    """

    ruleset: str
    players: int
    share: float = 1.0

    @property
    def name(self) -> str:
        """What files of the table are called."""
        return f"{self.ruleset}-{self.players}"


@dataclass(frozen=True)
class Round:
    """A round of learning.

    Attributes
    ----------
    decisions: how many are taken from self-play, about.
    players: who plays the games that they are taken from; ``net`` is the net of the round before.
    own, others: who plays on after each move: in the seat that decides, and in the others. ``players`` and ``others``
        may be several, "net | round-2 | balanced": each seat draws one. ``round-2`` is the net of the second round of
        this plan, ``round-0`` the one that it starts from.
    playouts: of each move. explore: chance of a uniformly random move of the players.
    moves: how many of a decision are played out: the best by the net that plays on in the own seat, and one more, drawn
        from the others, which stay as far from these as that net says; 0: all of them.
    keep: how many of the rounds before are learned from again.
    start: the net that the fitting begins from: ``net``, or that of an earlier round, as in ``players``.
    fresh: whether it begins anew instead.
    blend: the part of the net that the fitting began from in what comes of it, weight by weight: so what that one knew
        of other players is not all forgotten.
    passes, rate: through all decisions when its net is fitted, and the highest learning rate; 0: as the plan's fitting
        says.
    shares: of tables by their names (``1e-4``: rule set and players), where they are others than the plan's.
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
        """Everybody who plays."""
        return {self.own, *several(self.players), *several(self.others)}


@dataclass(frozen=True)
class Field:
    """Opponents that a net is judged against: games that it never learned from."""

    ruleset: str
    players: int
    against: tuple[str, ...]
    games: int = 4000


@dataclass(frozen=True)
class LearningPlan:
    """What is learned from. Equal plans make the same decisions, and the same net but for the rounding of sums.

    Attributes
    ----------
    game: which game. seed: of games, playouts and fitting.
    start: the net to begin from: a file, ``shipped``, or empty for one that has learned nothing.
    gap: decisions of a game between two that are taken, on average.
    cards, patch, set: changes of the catalogue, as in a plan.
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
        """Read a plan; raise UserError that lists every mistake in it."""
        return cls.restore(read_toml(path, "learning plan"), path)

    @classmethod
    def restore(cls, record: Mapping[str, Any], where: str = "the learning plan") -> LearningPlan:
        """Return the plan of tables and values as TOML has them."""
        values, mistakes = dict(record), Mistakes()
        found: dict[str, Any] = {}
        for name, (key, kind) in _ROWS.items():
            with mistakes.noted():
                found[name] = read_rows(kind, values.pop(key, []), key, where)
        with mistakes.noted():
            found["fitting"] = read_row(Fitting, values.pop("fitting", {}), "fitting", where)
        with mistakes.noted():
            made = {"fitting": Fitting(), "tables": (), "rounds": (), "judges": (), **found}
            plan = read_row(cls, values, "", where, **made)
        mistakes.raise_any()
        return plan.checked()

    def checked(self) -> LearningPlan:
        """Return the plan itself; raise UserError for what cannot be learned from."""
        from wsim.learn.learner import learner_of

        learner_of(self.game)
        mistakes = Mistakes()
        if not self.tables or not self.rounds:
            mistakes.add("a learning plan needs at least one [[table]] and one [[round]]")
        for table in self.tables:
            if table.share < 0:
                mistakes.add(f"the share of a table is at least 0, not {table.share!r}")
            with mistakes.noted():
                Plan.make(**self.keys(table))
        for number, one in enumerate(self.rounds):
            if one.decisions < 1 or one.playouts < 1 or not 0 <= one.explore <= 1 or one.passes < 0:
                mistakes.add(
                    f"round {number + 1} needs at least 1 decision, 1 playout and a chance to explore from 0 to 1"
                )
            if not 0 <= one.blend < 1:
                mistakes.add(f"blend of round {number + 1} is at least 0 and less than 1")
            if one.moves < 0 or one.rate < 0:
                mistakes.add(f"moves and rate of round {number + 1} are at least 0")
            if one.moves and one.own != NET and round_of(one.own) is None:
                mistakes.add(f"round {number + 1} plays out the best moves by the net of the own seat: no {one.own!r}")
            with mistakes.noted():
                self._check_shares(number, one)
            if number == 0 and not self.start and NET in one.names:
                mistakes.add("the first round has no net to play by: name policies, or a start")
            if one.start != NET and round_of(one.start) is None:
                mistakes.add(f"round {number + 1} starts from net or round-1, round-2, ..., not from {one.start!r}")
            for name in sorted({*one.names, one.start}):
                if (round_of(name) or 0) > number or (round_of(name) == 0 and not self.start):
                    mistakes.add(f"round {number + 1} plays by {name!r}: there is no net of it yet")
        for judge in self.judges:
            if judge.games < 2 or not judge.against:
                mistakes.add("a [[judge]] plays at least 2 games against at least one policy")
            with mistakes.noted():
                Plan.make(**self.keys(judge))
        if not 1 <= self.gap <= MOST_GAP or self.fitting.rounds <= 0 or self.fitting.size < 1 or self.fitting.rate <= 0:
            mistakes.add(
                f"gap is from 1 to {MOST_GAP:,}; size at least 1; rounds and rate of the fitting are more than 0"
            )
        mistakes.raise_any()
        return self

    def _check_shares(self, number: int, one: Round) -> None:
        """Raise UserError for shares of a round that are no shares of the plan's tables."""
        names = [table.name for table in self.tables]
        for name, share in one.shares.items():
            if name not in names:
                known = f"the tables are {', '.join(names)}{nearest(name, names)}"
                raise UserError(f"round {number + 1} has a share of {name!r}: {known}")
            if share < 0:
                raise UserError(f"the share of a table is at least 0, not {share!r}")
        if not sum(self.shares(one).values()) > 0:
            raise UserError(f"round {number + 1} plays no table: one of the shares is more than 0")

    def shares(self, one: Round) -> dict[str, float]:
        """Return the part of a round's decisions that each table has, by name."""
        shares = {table.name: one.shares.get(table.name, table.share) for table in self.tables}
        whole = sum(shares.values())
        return {name: share / whole for name, share in shares.items()} if whole else shares

    def keys(self, table: Seats | Field) -> dict[str, Any]:
        """Return the keys of the plan that is played at a table."""
        changes = {"patch": list(self.patch), "set": list(self.set), "cards": self.cards}
        given = {key: value for key, value in changes.items() if value}
        return {"game": self.game, "ruleset": table.ruleset, "players": table.players, "seed": self.seed, **given}

    def record(self) -> dict[str, Any]:
        """Return the plan as an object from which ``restore`` makes it again."""
        plain = {one.name: getattr(self, one.name) for one in fields(self)}
        for field_name, (key, _) in _ROWS.items():
            rows = plain.pop(field_name)
            plain[key] = [{name: one for name, one in vars(row).items() if one != _SINCE.get(name)} for row in rows]
        plain["fitting"] = dict(vars(self.fitting))
        return {key: value for key, value in plain.items() if value is not None}


_ROWS: Mapping[str, tuple[str, Any]] = {
    "tables": ("table", Seats),
    "rounds": ("round", Round),
    "judges": ("judge", Field),
}
"""Fields of a learning plan that are rows of its file: what those are called, and what they become."""
_SINCE: Mapping[str, Any] = {"shares": {}, "moves": 0, "rate": 0.0, "start": NET, "blend": 0.0}
"""Keys of rows that earlier versions of wsim did not have, with what they did: so they record the same plans."""


def learned_from(net: LearnedNet) -> dict[str, Any]:
    """Return what a net learned from, as a row: seed, start, rounds, decisions, tables, changes, digest.

    ``decisions`` are those of all its rounds, ``tables`` has them by rule set and players; of a net that says nothing
    that this version of wsim reads, there is only the digest.
    """
    about, plan = net.about, None
    with suppress(UserError):
        plan = LearningPlan.restore(of if isinstance(of := about.get("plan"), Mapping) else {}, "the net")
    found: dict[str, Any] = {"seed": None, "start": "", "rounds": 0, "decisions": 0, "tables": {}, "changes": []}
    if plan is not None:
        number = about.get("round")
        rounds = plan.rounds[: number if isinstance(number, int) else None]
        shares = [(one.decisions, plan.shares(one)) for one in rounds]
        tables = {name.name: sum(round(count * of[name.name]) for count, of in shares) for name in plan.tables}
        found = {
            "seed": plan.seed,
            "start": plan.start,
            "rounds": len(rounds),
            "decisions": sum(one.decisions for one in rounds),
            "tables": {name: count for name, count in tables.items() if count},
            "changes": [*([plan.cards] if plan.cards else []), *plan.patch, *plan.set],
        }
    return {**found, "digest": net.digest.hex()[:12]}
