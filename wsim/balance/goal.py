"""A designer's goal: settings, targets, knobs and constraints, read from a goal file and checked as a whole."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from wsim.errors import Mistakes, UserError, nearest
from wsim.game import find_game
from wsim.lab.plan import Plan, digest_of
from wsim.options import option
from wsim.spec.rows import read_row, refuse_unknown, tables_in
from wsim.spec.source import read_toml

MAX_SETTINGS = 20
EACH, MEAN = "each", "mean"  # whether each player of a goal must meet a target, or their mean
_NOT_OF_A_GOAL = ("games", "seed", "picks", "keep", "randomise")
GoalSource: TypeAlias = str | Path | Mapping[str, Any]
"""A goal file, or its contents as tables."""


@dataclass(frozen=True)
class Setting:
    """A table at which the game is to be balanced.

    Attributes
    ----------
    name: the name of the setting. plan: the plan that is played there.
    report: whether it is only measured and shown, without targets.
    table: its name in the goal, shared by settings that differ only in the players.
    """

    name: str
    plan: Plan
    report: bool = False
    table: str = ""


@dataclass(frozen=True)
class Target:
    """A condition at some settings.

    Attributes
    ----------
    metric: ``win``, ``score``, or another metric of ``wsim whatif``.
    of: columns of the seats table; the target applies to every combination of their names.
    only: the combinations to which the target is limited, such as ``Gizah A``; empty: all.
    card: the card whose causal effect is the target (pick experiments); ``*``: every card.
    action, against, randomise: options of the experiment, see ``wsim experiment picks``.
    within: the accepted distance from ``value``. relative: this distance as a fraction of the fair share.
    value: the target value; None: the fair share.
    at_least, at_most: bounds, instead of a value.
    settings: the settings where it applies; empty: all settings that are not only reported.
    players: whether it must hold for ``each`` of the players of the goal, or for their ``mean``.
    """

    metric: str = "win"
    of: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    card: str | None = None
    action: str = "build"
    against: str = "others"
    randomise: float = 0.1
    within: float | None = None
    relative: float | None = None
    value: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    settings: tuple[str, ...] = ()
    players: str = EACH

    @property
    def name(self) -> str:
        """The name of the target, for use in sentences."""
        if self.card is not None:
            card = "every card" if self.card == "*" else self.card
            return f"{self.metric} effect of {self.action} {card} against {self.against}"
        return f"{self.metric} of {','.join(self.of)}" if self.of else self.metric

    def bounds(self, fair: float) -> tuple[float, float]:
        """Return the accepted range; ``fair``: the fair share at the table."""
        if self.within is None and self.relative is None:
            low = -math.inf if self.at_least is None else self.at_least
            return low, math.inf if self.at_most is None else self.at_most
        aim = fair if self.value is None else self.value
        reach = self.within if self.within is not None else (self.relative or 0.0) * fair
        return aim - reach, aim + reach


@dataclass(frozen=True)
class KnobRow:
    """Values that a patch may change.

    Attributes
    ----------
    path: the path of the value, with ``*`` for any name.
    range: ``-2..2`` is relative to the current value and never goes below 0; ``5..9`` with ``absolute`` is the value
        itself.
    touch, step: the cost of changing a value at all, and of each step.
    present: whether values that are currently 0 stay 0.
    """

    path: str
    range: str
    touch: float = 1.0
    step: float = 0.35
    absolute: bool = False
    present: bool = False


@dataclass(frozen=True)
class Keep:
    """A constraint: the mean of a numeric column of the seats table must not change by more than ``within``."""

    metric: str
    within: float
    settings: tuple[str, ...] = ()


@dataclass(frozen=True)
class SearchSettings:
    """The effort of a search, set by the table ``search`` of a goal file; command-line options override it.

    Attributes
    ----------
    picks: the number of picks per pick experiment. rounds: the number of rounds of measuring and repairing.
    proposals: the number of patches that are raced.
    alpha: the accepted chance that a patch counts as proven although it misses a target. proofs: the number of attempts
        that share alpha.
    """

    games: int = option("Games for each measurement of a patch at a setting.", 100_000, metavar="N", shown="100,000")
    replays: int = option("Games for each step of a value that must be replayed.", 4_000, metavar="N", shown="4,000")
    proof_games: int = option(
        "Maximum number of games of a proof at a setting.", 1_000_000, metavar="N", shown="1,000,000"
    )
    picks: int = 20_000
    rounds: int = 3
    proposals: int = 10
    alpha: float = 0.05
    proofs: int = 2


@dataclass(frozen=True)
class Goal:
    """A validated goal.

    Attributes
    ----------
    source: the name of the goal file. folder: the folder of the files that the goal names.
    settings: the settings of the file; if the goal names players, each setting once per player.
    """

    source: str
    settings: tuple[Setting, ...]
    targets: tuple[Target, ...]
    knobs: tuple[KnobRow, ...]
    keep: tuple[Keep, ...] = ()
    search: SearchSettings = field(default_factory=SearchSettings)

    @property
    def game(self) -> str:
        """The name of the game to balance."""
        return self.settings[0].plan.game

    @property
    def tables(self) -> list[Setting]:
        """The first setting of each table; settings at the same table differ only in the players."""
        return list({setting.table: setting for setting in reversed(self.settings)}.values())[::-1]

    def of(self, setting: Setting) -> list[Target]:
        """Return the targets that apply at a setting."""
        if setting.report:
            return []
        return [target for target in self.targets if not target.settings or setting.table in target.settings]

    def constraints_at(self, setting: Setting) -> list[Keep]:
        """Return the constraints that apply at a setting."""
        if setting.report:
            return []
        return [keep for keep in self.keep if not keep.settings or setting.table in keep.settings]

    @property
    def digest(self) -> str:
        """A digest (sixteen hexadecimal digits) of everything that determines the answer, except the seed."""
        rows = [[row_dict(row) for row in rows] for rows in (self.targets, self.knobs, self.keep, (self.search,))]
        plans = [[setting.name, setting.report, setting.plan.identity()] for setting in self.settings]
        return digest_of([plans, *rows])


def row_dict(row: Any) -> dict[str, Any]:
    """Convert a row of the goal to JSON, without default values."""
    values = {column.name: getattr(row, column.name) for column in fields(row)}
    if values.get("players") == EACH:
        del values["players"]
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if value != ()}


def read_goal(path: str | Path) -> Goal:
    """Read a goal file; raise UserError that lists every mistake in it."""
    return _goal_of(Path(path), str(path), read_toml(path, "goal file"))


def as_goal(source: GoalSource | Goal) -> Goal:
    """Read a goal given as a file or as tables; files named in tables are relative to the working folder."""
    if isinstance(source, Goal):
        return source
    if isinstance(source, Mapping):
        return _goal_of(Path("the goal"), "the goal", source)
    path: Any = source
    if not isinstance(path, str | os.PathLike) or "\0" in str(path):
        raise UserError(f"goal must be a goal file or its tables, not {path!r}")
    return read_goal(str(path))


def _goal_of(file: Path, source: str, tables: Mapping[str, Any]) -> Goal:
    known = ("players", "plan", "setting", "target", "knob", "keep", "search")
    mistakes = Mistakes()
    for key in tables:
        with mistakes.noted():
            refuse_unknown(str(file), "section", key, known)
    plan_keys, search = tables.get("plan", {}), tables.get("search", {})
    for name, table in (("plan", plan_keys), ("search", search)):
        if not isinstance(table, Mapping):
            mistakes.add(f"{file}: {name} must be a table, [{name}]")
    settings: tuple[Setting, ...] = ()
    players: tuple[str, ...] = ()
    with mistakes.noted():
        players = _players(file, tables)
    with mistakes.noted():
        rows = tables_in(tables.get("setting", []), "setting", str(file)) or [{}]
        settings = _settings(file, plan_keys, rows, players) if isinstance(plan_keys, Mapping) else ()
    # if the settings contain mistakes, their names cannot be checked
    names = list(dict.fromkeys(setting.table for setting in settings)) or None
    parsed: dict[str, list[Any]] = {"target": [], "knob": [], "keep": [], "search": []}
    readers: Mapping[str, Callable[..., Any]] = {
        "target": partial(_target, settings=names, several=bool(players)),
        "knob": _knob,
        "keep": partial(_keep, settings=names),
    }
    for section, read in readers.items():
        with mistakes.noted():
            for row in tables_in(tables.get(section, []), section, str(file)):
                with mistakes.noted():
                    parsed[section].append(read(str(file), row))
    if isinstance(search, Mapping):
        with mistakes.noted():
            parsed["search"].append(_search(str(file), search))
    mistakes.raise_any()
    from wsim.questions.metrics import followed_for  # imported late: it imports numpy

    metrics = [row.metric for section in ("target", "keep") for row in parsed[section]]
    goal = Goal(
        source=source,
        settings=tuple(replace(setting, plan=followed_for(setting.plan, metrics)) for setting in settings),
        targets=tuple(parsed["target"]),
        knobs=tuple(parsed["knob"]),
        keep=tuple(parsed["keep"]),
        search=parsed["search"][0],
    )
    _check(file, goal)
    return goal


def _players(file: Path, tables: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the players of the goal; empty if the settings name policies."""
    players = tables.get("players", ())
    if "players" not in tables:
        return ()
    if not isinstance(players, list | tuple) or not all(isinstance(player, str) for player in players):
        raise UserError(f"{file}: players must be line-up entries, such as ['net', 'balanced'], not {players!r}")
    for index, player in enumerate(players):
        if player in players[:index]:
            raise UserError(f"{file}: the player {player!r} is named twice")
    if len(players) < 2:
        raise UserError(
            f"{file}: a goal needs at least two players, not {len(players)}: write a single one as policies in [plan]"
        )
    return tuple(players)


def _settings(
    file: Path, shared: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], players: Sequence[str]
) -> tuple[Setting, ...]:
    """Build the settings from shared and individual plan keys; each setting is repeated for each player of the goal."""
    if (count := len(rows) * max(len(players), 1)) > MAX_SETTINGS:
        of_players = f", {len(rows)} for each of {len(players)} players," if players else ""
        raise UserError(f"{file}: {count} settings{of_players} are too many: at most {MAX_SETTINGS}")
    settings: list[Setting] = []
    mistakes = Mistakes()
    for row, player in product(rows, players or [""]):
        with mistakes.noted():
            setting = _setting(file, shared, row, player)
            if setting.name in [earlier.name for earlier in settings]:
                raise UserError(f"{file}: two settings are called {setting.name!r}: give each a name")
            settings.append(setting)
    mistakes.raise_any()
    if len({(setting.plan.game, setting.plan.ruleset) for setting in settings}) > 1:
        raise UserError(f"{file}: all settings must use the same game and rule set, because a patch belongs to one")
    if len({(setting.plan.cards, setting.plan.patch, setting.plan.set) for setting in settings}) > 1:
        raise UserError(f"{file}: cards, patch and set are the same at all settings: write them under [plan]")
    if all(setting.report for setting in settings):
        raise UserError(f"{file}: every setting has report = true: at least one must be balanced")
    return tuple(settings)


def _setting(file: Path, shared: Mapping[str, Any], row: Mapping[str, Any], player: str) -> Setting:
    """Build the setting of a row; ``player``: the policy in all seats, or empty for the policies of the plan."""
    keys = {**shared, **{key: value for key, value in row.items() if key not in ("name", "report")}}
    for key in _NOT_OF_A_GOAL:
        if key in keys:
            raise UserError(f"{file}: {key!r} is not a key of a setting: the search decides how games are played")
    if player and "policies" in keys:
        raise UserError(f"{file}: the goal names players, which take all seats: omit policies of its settings")
    keys |= {"policies": player} if player else {}
    try:
        plan = Plan.make(**{**keys, "games": 1})
    except UserError as error:
        raise UserError(f"{file}: {error}") from None
    plan = replace(plan, files={name: str(file.parent / name) for name in plan.named_files("cards", "patch")})
    players_text = "" if player else f", {', '.join(dict.fromkeys(plan.policies))}"
    table = row.get("name", f"{plan.players} players{players_text}")
    report = row.get("report", False)
    if not isinstance(table, str) or not isinstance(report, bool):
        raise UserError(
            f"{file}: a setting's name must be a string and its report true or false, not {table!r} and {report!r}"
        )
    return Setting(f"{table}, {player}" if player else table, plan, report, table)


def _target(file: str, table: Mapping[str, Any], settings: Sequence[str] | None, *, several: bool) -> Target:
    target, mistakes = read_row(Target, table, "target", file), Mistakes()
    with mistakes.noted():
        _check_settings(file, target.settings, settings)
    around = target.within is not None or target.relative is not None
    bounded = target.at_least is not None or target.at_most is not None
    subject = f"{file}: the target {target.name!r}"
    low, high = target.bounds(0.0) if bounded and not around else (0.0, 0.0)
    for mistaken, message in (
        (around == bounded, "needs either within (or relative), or at_least and at_most"),
        (
            target.within is not None and target.relative is not None,
            "has both within and relative: give only one of them",
        ),
        *(
            (reach is not None and reach <= 0, f"has {name} = {reach or 0:g}: it must be above 0")
            for name, reach in (("within", target.within), ("relative", target.relative))
        ),
        (bounded and target.value is not None, "has a value and bounds: use value only with within"),
        (low > high, f"is impossible: at_least {low:g} is above at_most {high:g}"),
        (
            around and target.value is None and (target.metric != "win" or target.card is not None),
            "needs a value: only the win shares of a table have a fair share",
        ),
        (target.only and not target.of, "filters names but gives no column: add one, such as of = 'wonder,side'"),
        (target.card is not None and target.of, "is about both a card and columns: make two targets"),
        (
            target.players not in (EACH, MEAN),
            f"must hold for {EACH} of the players or for their {MEAN}, not {target.players!r}",
        ),
        (
            target.players == MEAN and not several,
            "uses the mean of players, but the goal names no players: players = ['net', 'balanced']",
        ),
        (
            target.against not in ("others", "policy"),
            f"compares against others or policy, not {target.against!r}",
        ),
        (
            not 0 < target.randomise < 1,
            f"needs a chance between 0 and 1 to randomise a pick, not {target.randomise:g}",
        ),
    ):
        if mistaken:
            mistakes.add(f"{subject} {message}")
    mistakes.raise_any()
    return target


def _check_settings(file: str, names: Sequence[str], known: Sequence[str] | None) -> None:
    mistakes = Mistakes()
    for name in names:
        if known is not None and name not in known:
            mistakes.add(f"{file}: there is no setting {name!r}{nearest(name, known)}; accepted: {'; '.join(known)}")
    mistakes.raise_any()


def _knob(file: str, table: Mapping[str, Any]) -> KnobRow:
    for key in ("path", "range"):
        if key not in table:
            raise UserError(f"{file}: a knob needs a {key}, such as path = 'cards.*.points', range = '-2..2'")
    row = read_row(KnobRow, table, "knob", file)
    if row.touch < 0 or row.step < 0:
        raise UserError(
            f"{file}: the knob {row.path!r} has touch = {row.touch:g} and step = {row.step:g}: neither may be below 0"
        )
    return row


def _keep(file: str, table: Mapping[str, Any], settings: Sequence[str] | None) -> Keep:
    for key in ("metric", "within"):
        if key not in table:
            raise UserError(f"{file}: a keep row needs a {key}, such as metric = 'score', within = 1.0")
    keep, mistakes = read_row(Keep, table, "keep", file), Mistakes()
    with mistakes.noted():
        _check_settings(file, keep.settings, settings)
    if keep.within <= 0:
        mistakes.add(f"{file}: the keep row of {keep.metric!r} has within = {keep.within:g}: it must be above 0")
    if keep.metric in ("win", "win_share"):
        mistakes.add(f"{file}: the mean win share of all seats never changes: keep another metric, such as score")
    mistakes.raise_any()
    return keep


def _search(file: str, table: Mapping[str, Any]) -> SearchSettings:
    search, mistakes = read_row(SearchSettings, table, "search", file), Mistakes()
    for name in ("games", "replays", "picks", "rounds", "proposals", "proofs", "proof_games"):
        if getattr(search, name) < 1:
            mistakes.add(f"{file}: search.{name} must be at least 1, not {getattr(search, name)}")
    if not 0 < search.alpha < 0.5:
        mistakes.add(f"{file}: search.alpha must be between 0 and 0.5, not {search.alpha:g}")
    mistakes.raise_any()
    return search


def _check(file: Path, goal: Goal) -> None:
    """Raise UserError for a goal without targets or knobs, or for a game whose values cannot be tuned."""
    mistakes = Mistakes()
    for section, rows in (("target", goal.targets), ("knob", goal.knobs)):
        if not rows:
            mistakes.add(f"{file}: a goal needs at least one [[{section}]]")
    if find_game(goal.game).TUNING is None:
        mistakes.add(f"{file}: {goal.game} has no values that wsim can tune")
    for setting in goal.settings if goal.targets else ():
        if not setting.report and not goal.of(setting):
            mistakes.add(f"{file}: no target uses the setting {setting.name!r}: give it one, or report = true")
    mistakes.raise_any()
