"""Plans: immutable, validated descriptions of the games to play, stored as TOML and identified by a digest."""

from __future__ import annotations

import json
import operator
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from wsim.errors import Mistakes, UserError, nearest
from wsim.installed import GAMES, load_game
from wsim.lab.identity import card_file_identity, policy_identity
from wsim.options import Check, flag, option, options_of
from wsim.policies.chances import OVERRULE, WORTH
from wsim.policies.effect_files import named_file
from wsim.policies.functions import name_of
from wsim.policies.lineup import Entry, check_length, parse_entry, parse_lineup
from wsim.spec.source import read_toml

MAX_GAMES = 2**44  # the random streams number games with 44 bits (wsim/rng.py)
MAX_SEED = 2**64
OWN_CARDS = ""
"""The key in ``Plan.files`` of the card file shipped with wsim, which plans do not name."""
_FILE_KEYS = ("cards", "patch", "policies")

DEFAULTS: Mapping[str, Any] = {
    "games": 100_000,
    "seed": 1,
    "rotate": False,
    "cards": None,
    "patch": (),
    "set": (),
    "picks": False,
    "keep": "seats",
}
"""Defaults for the game-independent fields; a game may override them (``default_plan``)."""


def _checked_string(key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"{key} must be a name, not {value!r}")
    return value.strip()


def _integer_between(low: int, high: int) -> Callable[[str, Any], int]:
    """Return a validator that accepts integers with ``low`` <= value < ``high``."""

    def check(key: str, value: Any) -> int:
        try:
            number = operator.index(value) if not isinstance(value, bool) else None
        except TypeError:
            number = None
        if number is None:
            raise UserError(f"{key} must be a whole number, not {value!r}")
        if number < low:
            raise UserError(f"{key} must be at least {low}, not {number}")
        if number >= high:
            raise UserError(f"{key} must be less than {high}, not {number}")
        return number

    return check


def _checked_path(key: str, value: Any) -> str:
    if not isinstance(value, str | os.PathLike) or not (path := os.fspath(value)) or "\0" in str(path):
        raise UserError(f"{key} must be a file, not {value!r}")
    return str(path)


def _checked_optional_path(key: str, value: Any) -> str | None:
    return None if value is None else _checked_path(key, value)


def _list_of(check: Callable[[str, Any], str]) -> Callable[[str, Any], tuple[str, ...]]:
    """Return a validator that applies ``check`` to each item of a list; a single value counts as a list of one."""

    def check_all(key: str, value: Any) -> tuple[str, ...]:
        values = (value,) if isinstance(value, str | os.PathLike) else value
        if not isinstance(values, list | tuple):
            raise UserError(f"{key} must be a list, not {value!r}")
        return tuple(check(key, item) for item in values)

    return check_all


def _checked_assignment(key: str, value: Any) -> str:
    """Return ``value`` if it is a string of the form ``path=value``; otherwise raise UserError."""
    text = _checked_string(key, value)
    path, equals, _ = text.partition("=")
    if not (equals and path.strip()):
        raise UserError(f"{key} must be path=value, such as cards.Palace.points=6, not {value!r}")
    return text


def _checked_policies(key: str, value: Any) -> tuple[str, ...]:
    """Validate a line-up and return it with every entry in canonical form."""
    if callable(value):
        value = (value,)
    if isinstance(value, list | tuple):  # an item may be a Python function instead of a name
        value = [name_of(entry) if callable(entry) else entry for entry in value]
    texts = value if isinstance(value, str) else _list_of(_checked_string)(key, value)
    return tuple(str(entry) for entry in parse_lineup(texts))


def _checked_keep(key: str, value: Any) -> str:
    """Validate ``keep`` and return it in canonical form."""
    listed = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    names = [str(name).strip() for name in listed]
    for stated in ("seats", "seats,picks", "summary"):
        if sorted(names) == sorted(stated.split(",")):
            return stated
    raise UserError(f"{key} must be seats, seats,picks or summary, not {value!r}")


def _keep_and_picks(keep: str, *, picks: bool, given: bool) -> dict[str, Any]:
    """Return consistent values of ``keep`` and ``picks``; raise UserError if they contradict each other."""
    if keep == "seats,picks":
        return {"keep": "seats", "picks": True}
    if picks and (given or keep == "summary"):
        raise UserError(f"keep = {keep} contradicts picks = true: use --no-picks or keep seats,picks")
    return {"keep": keep, "picks": picks}


def defaults_by_game(key: str) -> str:
    """Return a key's default for help texts: the first game's default, then any different defaults of other games."""
    defaults = {name: {**DEFAULTS, **game.default_plan()}[key] for name, game in loadable_games()}
    first, *others = (
        (name, f"{value:,}" if isinstance(value, int) else value if isinstance(value, str) else ",".join(value))
        for name, value in defaults.items()
    )
    return "; ".join([first[1], *(f"{text} for {name}" for name, text in others if text != first[1])])


def default_rulesets() -> list[str]:
    """Return the default rule sets of all games, for a help text."""
    return [str(game.default_plan()["ruleset"]) for _, game in loadable_games()]


def loadable_games() -> Iterator[tuple[str, Any]]:
    """Yield the games with their names, skipping games that fail to load, so that help texts always work."""
    for name in GAMES:
        with suppress(UserError):
            yield name, load_game(name)


def game_names() -> str:
    """Return the names of all games, for a help text."""
    *names, last = GAMES
    return f"{', '.join(names)} or {last}." if names else f"{last}."


def first_game() -> str:
    """Return the name of the default game."""
    return next(iter(GAMES))


def _policy_names(incomplete: str) -> list[str]:
    """Return completions for the last policy name in a line-up."""
    head, comma, last = incomplete.rpartition(",")
    names = {str(row["name"]) for _, game in loadable_games() for row in game.policies()}
    return [head + comma + name for name in sorted(names) if name.startswith(last)]


@dataclass(frozen=True)
class Plan:
    """The games to play. :meth:`make` and :meth:`from_toml` build valid plans; equal plans produce equal data.

    ``wsim run --help`` documents the keys. A plan also has:

    Attributes
    ----------
    options: options specific to the game (``OPTIONS`` of the game's module), as strings.
    files: actual paths of files that were moved: name as written in the plan -> path. The key ``OWN_CARDS`` stands for
        the card file shipped with wsim. Plans that differ only in these paths are equal.
    """

    game: str = option(
        game_names, metavar="GAME", shown=first_game, complete=lambda: list(GAMES), check=_checked_string, label="Game"
    )
    ruleset: str = option(
        "Rules and components (see wsim catalog --rulesets).",
        metavar="NAME", shown=lambda: defaults_by_game("ruleset"), check=_checked_string,
        label="Which rules?", picker="ruleset", example="1e",
    )  # fmt: skip
    players: int = option(
        "Number of players.",
        metavar="N",
        shown="4; 2 in rule sets for two",
        check=_integer_between(1, 100),
        label="How many players?",
        example="3",
    )
    games: int = option(
        "Number of games, numbered from 0: 20000, 20k or 2e4.",
        metavar="N", shown=lambda: defaults_by_game("games"), check=_integer_between(1, MAX_GAMES),
        label="How many games?", example="20k", effort=True,
    )  # fmt: skip
    seed: int = option(
        "Seed of all random streams.",
        metavar="N",
        shown="1",
        check=_integer_between(0, MAX_SEED),
        example="7",
        label="Seed of the random numbers",
    )
    policies: tuple[str, ...] = option(
        "One policy for all seats, or one per seat: balanced,science,random:explore=0.1,./mine.py:bold",
        metavar="LINE-UP",
        shown=lambda: defaults_by_game("policies"), read=str, complete=_policy_names, check=_checked_policies,
        label="Who plays?", picker="policy", example="balanced",
    )  # fmt: skip
    rotate: bool = option(
        "Rotate the line-up by one seat from game to game.",
        names=("--rotate/--fixed-seats",), shown="--rotate", check=flag,
    )  # fmt: skip
    cards: str | None = option(
        "Use this catalogue instead of the built-in one.", metavar="FILE", file=True, check=_checked_optional_path
    )
    patch: tuple[str, ...] = option(
        "Apply this patch to the catalogue (repeatable).",
        metavar="FILE",
        file=True,
        check=_list_of(_checked_path),
        picker="patch",
        example="patch.toml",
        label="Patch files",
    )
    set: tuple[str, ...] = option(
        "Change one value of the catalogue (repeatable): cards.Palace.points=6",
        metavar="PATH=VALUE", check=_list_of(_checked_assignment), picker="value", example="cards.Palace.points=6",
        label="Changed values",
    )  # fmt: skip
    picks: bool = option(
        "Also record every decision.",
        names=("--picks/--no-picks",),
        shown="--no-picks",
        check=flag,
        label="Record every decision",
    )
    keep: str = option(
        "Tables to write: seats; seats,picks; or summary (no rows, only the sums behind the main tables).",
        "seats", metavar="TABLES", shown="seats", check=_checked_keep, example="summary", label="Tables to keep",
    )  # fmt: skip
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    files: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def make(cls, **given: Any) -> Plan:
        """Build a plan from the given fields and game options, filling in the defaults.

        Raises UserError, listing all unknown keys and all values that are out of range or of the wrong type. The game's
        ``prepare`` checks whether the rules allow the plan (rule set, players, policies, boards).
        """
        game = _checked_string("game", given.get("game", next(iter(GAMES))))
        if given.get("ruleset") is not None:
            _checked_string("ruleset", given["ruleset"])
        of_game = load_game(game)
        values = {**DEFAULTS, **of_game.default_plan(given.get("ruleset")), **given, "game": game}
        fields_given = [name for name in values if name in _CHECKS]
        special = {name: values[name] for name in values if name not in _CHECKS}
        mistakes = Mistakes()
        for name in special:
            if name not in of_game.OPTIONS:
                known = [*_CHECKS, *of_game.OPTIONS]
                hint = renamed(name, known) or nearest(name, known)
                mistakes.add(f"unknown plan key {name!r}: the keys of {game} are {', '.join(known)}{hint}")
        values_checked: dict[str, Any] = {}
        for name in fields_given:
            with mistakes.noted():
                values_checked[name] = _CHECKS[name](name, values[name])
        mistakes.raise_any()
        values_checked |= _keep_and_picks(values_checked["keep"], picks=values_checked["picks"], given="keep" in given)
        if "policies" not in given:  # the game's default line-up has the default number of players
            default = values_checked["policies"]
            values_checked["policies"] = tuple(
                default[seat % len(default)] for seat in range(values_checked["players"])
            )
        options = {name: _option_text(name, special[name]) for name in of_game.OPTIONS if special.get(name) is not None}
        plan = cls(**values_checked, options=options)
        check_length(plan.policies, plan.players)
        return plan

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str], **over: Any) -> Plan:
        """Read a plan file and override its keys with ``over``; raise UserError for a file that is not a plan.

        Paths in the plan file are relative to its folder, those in ``over`` to the working directory.
        """
        return layered(None, path, over)

    @classmethod
    def restore(cls, flat: Mapping[str, Any], files: Mapping[str, str] | None = None) -> Plan:
        """Rebuild a plan from a record (``as_dict`` as JSON), without loading the game's module.

        Raises UserError, KeyError or TypeError for a mapping that is not a plan.
        """
        checked: dict[str, Any] = {"cards": None}
        options: dict[str, str] = {}
        for name, value in flat.items():
            if name in _CHECKS:
                checked[name] = _CHECKS[name](name, value)
            else:
                options[name] = _checked_string(name, value)
        return cls(**checked, options=options, files=files or {})

    def replace(self, **changes: Any) -> Plan:
        """Return a validated copy of the plan with some keys changed."""
        return replace(self.make(**{**self.as_dict(), **changes}), files=self.files)

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as a flat mapping, as in a plan file: the game's own options next to the fields.

        ``cards`` is omitted if it is None, ``keep`` if it has its default value.
        """
        flat = {
            field.name: getattr(self, field.name) for field in fields(self) if field.name not in ("options", "files")
        }
        if self.cards is None:
            del flat["cards"]
        if self.keep == DEFAULTS["keep"]:
            del flat["keep"]
        return {**flat, **self.options}

    def to_toml(self) -> str:
        """Return the text of a plan file that ``Plan.from_toml`` reads back as an equal plan.

        The table ``files``, if present, contains paths relative to the folder of the plan file.
        """
        text = "".join(f"{key} = {_toml(value)}\n" for key, value in self.as_dict().items())
        paths = "".join(f"{_toml(name)} = {_toml(path)}\n" for name, path in self.files.items())
        return text + (f"\n[files]\n{paths}" if paths else "")

    def command(self) -> str:
        """Return the shell command that plays this plan, with every option written out."""
        wishes = load_game(self.game).WISHES is not None and not {WORTH, OVERRULE, "randomise"} & self.options.keys()
        return shlex.join(["wsim", "run", *self.words(), *(("--worth", "0") if wishes else ())])

    def words(self, *left_out: str) -> list[str]:
        """Return the command-line arguments for this plan, without the options of the keys in ``left_out``."""
        keys = {key: value for key, value in self.as_dict().items() if key not in left_out}
        return [word for key, value in keys.items() for word in _as_options(key, value)]

    @cached_property
    def line_up(self) -> tuple[Entry, ...]:
        """The parsed line-up, one entry per policy."""
        entries = map(parse_entry, self.policies)
        return tuple(replace(entry, path=self.files.get(entry.named_file or "")) for entry in entries)

    def path_of(self, name: str | None) -> str | None:
        """Return the actual path of a file that the plan names; the name None stands for the shipped card file.

        Returns None if the installed copy of that card file is used.
        """
        return self.files.get(OWN_CARDS if name is None else name, name)

    @property
    def card_files(self) -> tuple[str | None, tuple[str, ...]]:
        """The paths of the card file and the patches; None for the card file shipped with wsim."""
        return self.path_of(self.cards), tuple(self.files.get(name, name) for name in self.patch)

    def named_files(self, *keys: str) -> tuple[str, ...]:
        """Return the file names in the given plan keys (cards, patch, policies), as written and without duplicates."""
        names: list[str | None] = []
        if "cards" in keys:
            names.append(self.cards)
        if "patch" in keys:
            names += self.patch
        if "policies" in keys:
            names += [entry.named_file for entry in self.line_up]
        return tuple(dict.fromkeys(name for name in names if name is not None))

    @property
    def code(self) -> tuple[str, ...]:
        """The user code that runs when the plan is played: policies as written, and effects files."""
        return (*self._policies_of_user, *map(str, self.effects.values()))

    @property
    def _policies_of_user(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(entry) for entry in self.line_up if entry.file or entry.module))

    def code_in_words(self) -> str:
        """Describe the user code for an error message: the policies and the Python effects, each with its files."""
        parts = {"policy code": self._policies_of_user, "effects in Python": map(str, self.effects.values())}
        return ", and ".join(", ".join((what, *listed)) for what, names in parts.items() if (listed := tuple(names)))

    @property
    def effects(self) -> dict[str | None, Path]:
        """The paths of the Python effects files (``effects = ...``), by the card file or patch that names them."""
        cards, patches = self.card_files
        card_files: dict[str | None, str | None] = {self.cards: cards}
        card_files |= dict(zip(self.patch, patches, strict=True))
        paths = {name: named_file(path) for name, path in card_files.items() if path is not None}
        return {name: path for name, path in paths.items() if path is not None}

    @property
    def effects_of_others(self) -> tuple[Path, ...]:
        """The Python effects whose card file comes from a run folder or plan file instead of the path in the plan."""
        return tuple(path for name, path in self.effects.items() if (OWN_CARDS if name is None else name) in self.files)

    def identity(self) -> dict[str, Any]:
        """Return everything that determines the data: the plan, with file digests instead of file paths.

        Raises UserError for a file that cannot be read.
        """
        flat = self.as_dict()
        flat["policies"] = [policy_identity(entry) for entry in self.line_up]
        effects = self.effects
        flat["patch"] = [card_file_identity(name, self.files.get(name, name), effects) for name in self.patch]
        flat["set"] = list(self.set)
        if self.cards is not None:
            flat["cards"] = card_file_identity(self.cards, self.files.get(self.cards, self.cards), effects)
        return flat

    @property
    def digest(self) -> str:
        """A digest of :meth:`identity` (sixteen hexadecimal digits), which does not depend on file locations."""
        return digest_of(self.identity())


_CHECKS: Mapping[str, Check] = {name: spec.check for name, (_, spec) in options_of(Plan).items() if spec.check}
"""The check for each field of a plan (except the game's own options), in the order of the plan file."""


def renamed(name: str, known: Iterable[str]) -> str:
    """Return a hint such as ``; explore is now ...`` if ``name`` is the former name of a known key; else empty."""
    if name == "explore" and "randomise" in known:
        return "; explore is now randomise (a policy's own noise is still written name:explore=CHANCE)"
    return ""


def digest_of(value: Any) -> str:
    """Return the digest of a JSON value: sixteen hexadecimal digits."""
    import hashlib

    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=True).encode()).hexdigest()[:16]


def _option_text(key: str, value: Any) -> str:
    """Return a game's own option as a string; a list becomes comma-separated, as on the command line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ",".join(_option_text(key, item) for item in value)
    if isinstance(value, str | int | float):
        return str(value).strip()
    raise UserError(f"{key} must be a string, a number or a list of these, not {value!r}")


def _toml(value: Any) -> str:
    """Format a plan value as TOML."""
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(item) for item in value)}]"
    # JSON strings are TOML strings, except for the one control character that JSON does not escape.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _as_options(key: str, value: Any) -> list[str]:
    """Return the command-line arguments that set a plan key to a value."""
    option = "--" + key.replace("_", "-")
    match key, value:
        case "rotate", _:
            return ["--rotate" if value else "--fixed-seats"]
        case "picks", _:
            return [option] if value else []
        case "policies", _:
            return [option, ",".join(value)]
        case _, tuple():
            return [word for item in value for word in (option, item)]
        case _:
            return [option, str(value)]


# --- plans in layers -------------------------------------------------------------------------------------------------


def layered(base: Plan | None, file: str | os.PathLike[str] | None, over: Mapping[str, Any]) -> Plan:
    """Combine ``base``, a plan file and ``over`` into a plan; later layers win.

    Paths are relative to the folder of their layer. Raises UserError for a mistake in any layer, or if two layers use
    the same name for different files.
    """
    values = dict(base.as_dict()) if base is not None else {}
    stated = read_toml(file, "plan") if file is not None else {}
    file_paths = stated.pop("files", {})
    if not isinstance(file_paths, dict) or not all(isinstance(path, str) and path for path in file_paths.values()):
        raise UserError("files must map names to paths, as in 'a.toml' = 'files/0/a.toml'")
    plan = Plan.make(**{**values, **stated, **over})
    folder = Path(file).parent if file is not None else Path()
    of_base = base.files if base is not None else {}
    of_file = {name: str(folder / path) for name, path in file_paths.items()}

    def path_of(key: str, name: str) -> str:
        """Resolve the path of a file named by ``key``, relative to the layer that sets this key."""
        if key in over:
            return name
        return of_file.get(name, str(folder / name)) if key in stated else of_base.get(name, name)

    paths: dict[str, str] = {}
    for key in _FILE_KEYS:
        for name in plan.named_files(key):
            path = path_of(key, name)
            if Path(paths.setdefault(name, path)).absolute() != Path(path).absolute():
                raise UserError(
                    f"{name!r} refers to two different files, {paths[name]!r} and {path!r}: write one of them with "
                    "its folder"
                )
    paths.pop(OWN_CARDS, None)
    if plan.cards is None:
        games = ((of_file, stated.get("game", plan.game)), (of_base, base.game if base is not None else ""))
        paths |= next(({OWN_CARDS: of[OWN_CARDS]} for of, game in games if OWN_CARDS in of and game == plan.game), {})
    moved = {name: path for name, path in paths.items() if path != name}
    return replace(plan, files=moved)
