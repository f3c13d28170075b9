"""What is tuned, against whom, for how long, and how the result is judged: checked once, frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from wsim.errors import UserError, nearest, refuse_other_types
from wsim.game import find_game
from wsim.lab.keys import texts
from wsim.lab.plan import Plan
from wsim.policies.lineup import Entry, parse_entry, parse_lineup
from wsim.policies.registry import SET
from wsim.stats.fewest import ENOUGH

__all__ = ["HELD_OUT", "NOBODY", "Question", "check_only", "entry_of", "plans_of", "usual_judges"]

HELD_OUT = 1 << 40
"""Bit by which the seed of the deals that judge differs from that of the deals of the search."""
NOBODY = "none"
"""What is said instead of judges for none besides those of the search."""
JUDGES = ("heuristic", "weights")  # kinds of policies that judge unless others are named: strong ones that are fast


@dataclass(frozen=True)
class Question:
    """What is tuned and how.

    Attributes
    ----------
    policy: the line-up entry whose numbers are tuned; where they begin.
    only: names of the numbers that are tuned; none: all of them.
    rulesets, players: the tables, every rule set with every number; none: the plan's rule set, its usual number.
    against: the fields: line-ups of the other seats in the search, each one entry for all or one for each. Every field
        is a table of its own; what counts is the mean over all tables.
    judges: entries that judge the result besides, one after the other, each on all other seats.
    generations: steps of the search.
    candidates: of a generation; None: as many as suit the numbers.
    games: of a candidate in a generation, shared out among the tables.
    held_out: games of a judged table.
    margin: what a point of score ahead of the others' mean is worth, in shares of a win.
    name: of the weight set that is written.
    """

    policy: str
    only: tuple[str, ...] = ()
    rulesets: tuple[str, ...] = ()
    players: tuple[int, ...] = ()
    against: tuple[str, ...] = ("balanced",)
    judges: tuple[str, ...] = ()
    generations: int = 60
    candidates: int | None = None
    games: int = 1500
    held_out: int = 20_000
    margin: float = 0.03
    name: str = "tuned"

    def __post_init__(self) -> None:
        refuse_other_types(str, policy=self.policy, name=self.name)
        refuse_other_types(int, candidates=self.candidates)
        refuse_other_types(float, margin=self.margin)
        for name in ("only", "rulesets", "against", "judges"):
            object.__setattr__(self, name, texts(name, getattr(self, name)))
        given: Any = self.players  # a number alone is accepted, too
        object.__setattr__(self, "players", (given,) if isinstance(given, int) else tuple(given))
        for players in self.players:
            _at_least("players", players, 2)
        for name, least in (("generations", 1), ("games", ENOUGH), ("held_out", ENOUGH)):
            _at_least(name, getattr(self, name), least)
        if self.candidates is not None:
            _at_least("candidates", self.candidates, 4)
        if not 0 <= self.margin < 1:
            raise UserError(f"margin is what a point is worth in wins, from 0 to less than 1, not {self.margin!r}")
        if not self.name.replace("_", "").replace("-", "").isalnum() or not self.name.isascii():
            raise UserError(f"the name of a set is letters, digits, _ and -, not {self.name!r}")
        if not self.against:
            raise UserError("the field is empty: name who plays against the policy, as in against=balanced")
        own = str(parse_entry(self.policy))
        if {str(entry) for field in self.against for entry in parse_lineup(field)} == {own}:
            raise UserError(
                f"the field is {own!r} alone, the policy that is tuned: name another opponent with --against, or tune "
                "weighted:set=NAME against its set NAME"
            )

    def record(self) -> dict[str, Any]:
        """Return the question as a JSON object."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    @classmethod
    def restore(cls, record: Mapping[str, Any]) -> Question:
        """Return the question of a record."""
        fields: dict[str, Any] = {key: tuple(one) if isinstance(one, list) else one for key, one in record.items()}
        return cls(**fields)


def _at_least(name: str, value: Any, least: int) -> None:
    if type(value) is not int or value < least:
        raise UserError(f"{name} must be a whole number, at least {least}, not {value!r}")


def entry_of(policy: str, start: str | None = None) -> Entry:
    """Return the entry that is tuned, from the weight set ``start`` where one is named."""
    if not isinstance(policy, str):
        raise UserError(f"policy must be a line-up entry, such as 'weighted', not {policy!r}")
    refuse_other_types(str, start=start)
    entry = parse_entry(policy)
    if start is None:
        return entry
    if SET.name in entry.parameters:
        raise UserError(f"{policy!r} names its set already: leave --start {start} or set= out")
    if entry.name != "weighted":
        raise UserError(f"--start is the weight set from which weighted begins; {policy!r} begins with its own numbers")
    return Entry(entry.name, {SET.name: start, **entry.parameters}, entry.place)


def plans_of(base: Plan, question: Question, start: str, fields: Sequence[str]) -> tuple[Plan, ...]:
    """Return the plans of the tables: ``start`` on the first seat, each field in turn on all others."""
    game = find_game(base.game)
    plans = []
    for field in fields:
        for ruleset in question.rulesets or (base.ruleset,):
            for seats in question.players or (int(game.default_plan(ruleset)["players"]),):
                line_up = (start, *_others(field, seats))
                plans.append(base.replace(ruleset=ruleset, players=seats, policies=line_up, rotate=True, games=1))
    return tuple(plans)


def _others(field: str, players: int) -> tuple[str, ...]:
    """Return who sits on the other seats."""
    entries = tuple(map(str, parse_lineup(field)))
    if len(entries) not in (1, players - 1):
        raise UserError(
            f"the field {field!r} has {len(entries)} policies for the {players - 1} other seats of {players}: give one "
            "for all of them, or one for each"
        )
    return entries * (players - 1) if len(entries) == 1 else entries


def usual_judges(game: str, question: Question) -> tuple[str, ...]:
    """Return the game's own players that the search does not meet: those of some strength that are fast."""
    fields = [entry.name for field in question.against for entry in parse_lineup(field)]
    met = {parse_entry(question.policy).name, *fields, "weighted"}
    rows = find_game(game).policies()
    return tuple(str(row["name"]) for row in rows if row.get("kind") in JUDGES and row["name"] not in met)


def check_only(only: Sequence[str], known: Sequence[str], policy: str) -> None:
    """Raise UserError for a number that the policy does not have."""
    for name in only:
        if name not in known:
            raise UserError(
                f"{policy!r} has no number {name!r} to tune: it has {', '.join(known)}{nearest(name, known)}"
            )
