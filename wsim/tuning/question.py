"""The options of a search: policy, opponents, length and evaluation; checked once and then frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from wsim.errors import UserError, nearest, refuse_other_types
from wsim.game import find_game
from wsim.lab.plan import Plan, default_rulesets
from wsim.options import Check, Options, argument, names, option, whole
from wsim.policies.lineup import Entry, parse_entry, parse_lineup
from wsim.policies.registry import SET

GENERATIONS = 60
"""Default number of generations of a search."""
HELD_OUT = 1 << 40
"""Bit in which the seed of the evaluation deals differs from the seed of the search deals."""
NOBODY = "none"
"""The option value that means no further opponents in the evaluation."""
JUDGES = ("heuristic", "weights")  # kinds of policies that are judges by default, because they are strong and fast


def _each_at_least(least: int) -> Check:
    """Return a check that a whole number, or each of several, is at least ``least``."""

    def check(name: str, value: Any) -> Any:
        for number in value if isinstance(value, tuple) else (value,):
            if number < least:
                raise UserError(f"{name} must be a whole number, at least {least}, not {number!r}")
        return value

    return check


def _check_games(name: str, value: Any) -> Any:
    """Raise UserError unless there are enough games for a meaningful mean."""
    from wsim.stats.fewest import ENOUGH

    return _each_at_least(ENOUGH)(name, value)


def _check_margin(_name: str, value: Any) -> Any:
    if not 0 <= value < 1:
        raise UserError(f"margin must be the value of a point in wins, from 0 to less than 1, not {value!r}")
    return value


def _check_set_name(_name: str, value: Any) -> Any:
    if not value.replace("_", "").replace("-", "").isalnum() or not value.isascii():
        raise UserError(f"the name of a set may contain letters, digits, _ and -, not {value!r}")
    return value


@dataclass(frozen=True)
class TuneQuestion(Options):
    """Tune the numbers of a policy by self-play (CMA-ES): wsim tune POLICY

    wsim tune weighted --start balanced: all its weights, against three balanced. All candidates of a generation play
    the same deals; the result is evaluated on held-out deals and against held-out players. Writes a weight set that
    weighted:file= plays. Needs wsim[learn].
    """

    policy: str = argument(
        "The policy to tune, as a line-up entry; its numbers are the start.",
        "",
        hidden=True,
        label="Which policy should be tuned?",
        picker="policy",
        example="weighted",
    )
    only: tuple[str, ...] = option(
        "Tune only these numbers.",
        (),
        metavar="NAMES",
        read=names,
        shown="all that change any game",
        label="Which numbers to tune",
    )
    rulesets: tuple[str, ...] = option(
        "Rule sets; each is a table of the search.", (), metavar="NAMES", names=("--ruleset",), read=names,
        shown=lambda: "; ".join(default_rulesets()), label="Rule sets",
    )  # fmt: skip
    players: tuple[int, ...] = option(
        "Players at the tables: 4 or 3,4,5.", (), metavar="NUMBERS", read=lambda text: tuple(map(whole, names(text))),
        shown="the default number", check=_each_at_least(2), label="How many players at a table?", example="4",
    )  # fmt: skip
    against: tuple[str, ...] = option(
        "Policies in the other seats: one for all, or one per seat (repeatable: several tables).",
        ("balanced",), metavar="LINE-UP", shown="balanced",
        label="Against whom?", picker="policy", example="balanced",
    )  # fmt: skip
    judges: tuple[str, ...] | None = option(
        "Further opponents for the evaluation, each in all other seats; none: no further ones.",
        None, metavar="POLICIES", read=lambda text: () if text.strip() == NOBODY else names(text),
        shown="the game's fast policies", label="Further opponents",
    )  # fmt: skip
    generations: int | None = option(
        "Generations of the search.",
        None,
        metavar="N",
        shown="60",
        check=_each_at_least(1),
        label="Generations of the search",
    )
    candidates: int | None = option(
        "Candidates per generation.",
        None,
        metavar="N",
        shown="20, more with many numbers",
        check=_each_at_least(4),
        label="Candidates per generation",
    )
    games: int = option(
        "Games per candidate and generation, over all tables.", 1500, metavar="N", shown="1,500",
        check=_check_games, label="Games per candidate",
    )  # fmt: skip
    held_out: int = option(
        "Games per table of the evaluation.",
        20_000,
        metavar="N",
        shown="20,000",
        check=_check_games,
        label="Games of the final check",
    )
    margin: float = option(
        "Value of a one-point score lead, in wins.",
        0.03,
        shown="0.03",
        check=_check_margin,
        label="Worth of a point of lead, in wins",
    )
    name: str = option(
        "Name of the weight set.", "tuned", shown="tuned", check=_check_set_name, label="Name of the result"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.against:
            raise UserError("the field is empty: name the opponents, as in against=balanced")
        if not self.policy:
            return
        tuned = str(parse_entry(self.policy))
        if {str(entry) for field in self.against for entry in parse_lineup(field)} == {tuned}:
            raise UserError(
                f"the field is {tuned!r} alone, the policy that is tuned: name a different opponent with --against, or "
                "tune weighted:set=NAME against its set NAME"
            )

    @property
    def code(self) -> tuple[str, ...]:
        """The policies in its line-ups that are user code."""
        named = (self.policy, *self.against, *(self.judges or ()))
        entries = [entry for field in named if field for entry in parse_lineup(field)]
        return tuple(dict.fromkeys(str(entry) for entry in entries if entry.file or entry.module))

    @classmethod
    def restore(cls, record: Mapping[str, Any]) -> TuneQuestion:
        """Restore a question from a record."""
        return cls(**record)


@dataclass(frozen=True)
class TuneOutput(Options):
    """Where a search starts from, and the folder for its result."""

    start: str | None = option(
        "The weight set that weighted starts from.", None, metavar="SET", label="Weights to start from"
    )
    out: str | None = option(
        "New folder for the search, or FILE.json for the answer alone.",
        None,
        metavar="FOLDER",
        names=("-o", "--out"),
        shown="tuning/...",
    )
    resume: str | None = option("Resume this search, optionally with more --generations.", None, metavar="FOLDER")
    trust: bool = option(
        "Run policy code and effects that the resumed search names, even if someone else wrote it.", False
    )

    def elsewhere(self, folder: Path) -> Self:
        """Return the options for a rerun: a new search in a separate folder."""
        return replace(self, out=str(folder / "search"), resume=None)

    @property
    def file(self) -> Path | None:
        """The path of the answer file, if ``out`` names a file instead of a folder."""
        return Path(self.out) if self.out is not None and self.out.endswith((".json", ".parquet")) else None


def entry_of(policy: str, start: str | None = None) -> Entry:
    """Return the entry to tune, starting from the weight set ``start`` if given."""
    if not isinstance(policy, str):
        raise UserError(f"policy must be a line-up entry, such as 'weighted', not {policy!r}")
    refuse_other_types(str, start=start)
    entry = parse_entry(policy)
    if start is None:
        return entry
    if SET.name in entry.parameters:
        raise UserError(f"{policy!r} already names its set: omit --start {start} or set=")
    if entry.name != "weighted":
        raise UserError(f"--start is the weight set that weighted starts from; {policy!r} starts from its own numbers")
    return Entry(entry.name, {SET.name: start, **entry.parameters}, entry.path)


def plans_of(base: Plan, question: TuneQuestion, start: str, fields: Sequence[str]) -> tuple[Plan, ...]:
    """Return the plans of the tables, with ``start`` in the first seat and each field in turn in the other seats."""
    game = find_game(base.game)
    plans = []
    for field in fields:
        for ruleset in question.rulesets or (base.ruleset,):
            for seats in question.players or (int(game.default_plan(ruleset)["players"]),):
                entries = tuple(map(str, parse_lineup(field)))
                if len(entries) not in (1, seats - 1):
                    raise UserError(
                        f"the field {field!r} has {len(entries)} policies for the {seats - 1} other seats of {seats}: "
                        "give one for all of them, or one for each"
                    )
                line_up = (start, *(entries * (seats - 1) if len(entries) == 1 else entries))
                plans.append(base.replace(ruleset=ruleset, players=seats, policies=line_up, rotate=True, games=1))
    return tuple(plans)


def default_judges(game: str, question: TuneQuestion) -> tuple[str, ...]:
    """Return the game's fast and reasonably strong policies that are not opponents in the search."""
    fields = [entry.name for field in question.against for entry in parse_lineup(field)]
    met = {parse_entry(question.policy).name, *fields, "weighted"}
    rows = find_game(game).policies()
    return tuple(str(row["name"]) for row in rows if row.get("kind") in JUDGES and row["name"] not in met)


def check_only(only: Sequence[str], known: Sequence[str], policy: str) -> None:
    """Raise UserError if a selected number does not exist in the policy."""
    for name in only:
        if name not in known:
            raise UserError(
                f"{policy!r} has no number {name!r} to tune{nearest(name, known)}: it has {', '.join(known)}"
            )
