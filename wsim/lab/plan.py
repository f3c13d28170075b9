"""What is to be played, frozen: one sanitising pass over user input, TOML in and out, the digest of the data."""

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
from wsim.policies.effect_files import named_file
from wsim.policies.functions import name_of
from wsim.policies.lineup import Entry, check_length, parse_entry, parse_lineup
from wsim.spec.source import read_toml

MAXIMUM_GAMES = 2**44  # the random streams number games with 44 bits (wsim/rng.py)
MAXIMUM_SEED = 2**63
OWN_CARDS = ""
"""In ``Plan.files``: the card file that comes with wsim, which no plan names."""
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
"""Defaults of the fields that do not depend on the game; a game may override them (``default_plan``)."""


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"{key} must be a name, not {value!r}")
    return value.strip()


def _whole(low: int, high: int) -> Callable[[str, Any], int]:
    """Return the check of a whole number from ``low`` up to, but not including, ``high``."""

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


def _path(key: str, value: Any) -> str:
    if not isinstance(value, str | os.PathLike) or not (path := os.fspath(value)) or "\0" in str(path):
        raise UserError(f"{key} must be a file, not {value!r}")
    return str(path)


def _optional_path(key: str, value: Any) -> str | None:
    return None if value is None else _path(key, value)


def _each(check: Callable[[str, Any], str]) -> Callable[[str, Any], tuple[str, ...]]:
    """Return the check of a list, of which a single value is one of one."""

    def check_all(key: str, value: Any) -> tuple[str, ...]:
        values = (value,) if isinstance(value, str | os.PathLike) else value
        if not isinstance(values, list | tuple):
            raise UserError(f"{key} must be a list, not {value!r}")
        return tuple(check(key, one) for one in values)

    return check_all


def _assignment(key: str, value: Any) -> str:
    """Return a text ``path=value``."""
    text = _text(key, value)
    path, equals, _ = text.partition("=")
    if not (equals and path.strip()):
        raise UserError(f"{key} must be path=value, as in cards.Palace.points=6, not {value!r}")
    return text


def _policies(key: str, value: Any) -> tuple[str, ...]:
    """Return the line-up, every entry in the one way in which it is written."""
    if callable(value):
        value = (value,)
    if isinstance(value, list | tuple):  # functions of Python stand where names could
        value = [name_of(one) if callable(one) else one for one in value]
    texts = value if isinstance(value, str) else _each(_text)(key, value)
    return tuple(str(entry) for entry in parse_lineup(texts))


def _keep(key: str, value: Any) -> str:
    """Return what is kept, in the one way in which it is written."""
    listed = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    names = [str(one).strip() for one in listed]
    for stated in ("seats", "seats,picks", "summary"):
        if sorted(names) == sorted(stated.split(",")):
            return stated
    raise UserError(f"{key} must be seats, seats,picks or summary, not {value!r}")


def _storage(keep: str, *, picks: bool, given: bool) -> dict[str, Any]:
    """Return what is kept, and whether picks are recorded; raise UserError where the two contradict each other."""
    if keep == "seats,picks":
        return {"keep": "seats", "picks": True}
    if picks and (given or keep == "summary"):
        raise UserError(
            f"keep = {keep} leaves out the picks that picks = true asks for: say --no-picks, or seats,picks"
        )
    return {"keep": keep, "picks": picks}


def of_the_games(key: str) -> str:
    """Return what a plan has without a key: in the first game, and in each other where that differs."""
    usual = {name: {**DEFAULTS, **game.default_plan()}[key] for name, game in sound_games()}
    first, *others = (
        (name, f"{one:,}" if isinstance(one, int) else one if isinstance(one, str) else ",".join(one))
        for name, one in usual.items()
    )
    return "; of ".join([first[1], *(f"{name} {one}" for name, one in others if one != first[1])])


def usual_rulesets() -> list[str]:
    """Return the rule set that each game plays unless another is named."""
    return [str(game.default_plan()["ruleset"]) for _, game in sound_games()]


def sound_games() -> Iterator[tuple[str, Any]]:
    """Yield the games by name, but for those that cannot be loaded: a help lists what there is."""
    for name in GAMES:
        with suppress(UserError):
            yield name, load_game(name)


def game_names() -> str:
    """Return the names of the games, for a help."""
    *names, last = GAMES
    return f"{', '.join(names)} or {last}." if names else f"{last}."


def first_game() -> str:
    """Return the game that is played unless another is named."""
    return next(iter(GAMES))


def _policy_names(incomplete: str) -> list[str]:
    """Complete the last name of a line-up."""
    before, comma, last = incomplete.rpartition(",")
    names = {str(row["name"]) for _, game in sound_games() for row in game.policies()}
    return [before + comma + name for name in sorted(names) if name.startswith(last)]


@dataclass(frozen=True)
class Plan:
    """What is to be played. Made by :meth:`make` or :meth:`from_toml`, which check it; equal plans make equal data.

    Its keys say themselves what they are (``wsim run --help``); besides them it has:

    Attributes
    ----------
    options: what only this game has (``OPTIONS`` of the game's module), as text.
    files: where files lie that are not where their names say: a name as the plan writes it -> a path. ``OWN_CARDS``
        stands for the card file that comes with wsim. They decide where content is read, not which: plans that differ
        in nothing else are equal.
    """

    game: str = option(game_names, metavar="GAME", shown=first_game, complete=lambda: list(GAMES), check=_text)
    ruleset: str = option(
        "Which rules and components: wsim catalog --rulesets.",
        metavar="NAME", shown=lambda: of_the_games("ruleset"), check=_text,
    )  # fmt: skip
    players: int = option(
        "Players at the table.", metavar="N", shown="4; 2 of the rule sets for two", check=_whole(1, 100)
    )
    games: int = option(
        "How many games, numbered from 0: 20000, 20k or 2e4.",
        metavar="N", shown=lambda: of_the_games("games"), check=_whole(1, MAXIMUM_GAMES),
    )  # fmt: skip
    seed: int = option("Seed of all random streams.", metavar="N", shown="1", check=_whole(0, MAXIMUM_SEED))
    policies: tuple[str, ...] = option(
        "One policy for all seats, or one per seat: balanced,science,random:explore=0.1,./mine.py:bold",
        metavar="LINE-UP", shown=lambda: of_the_games("policies"), read=str, complete=_policy_names, check=_policies,
    )  # fmt: skip
    rotate: bool = option(
        "Move the line-up on by one seat from game to game.",
        names=("--rotate/--fixed-seats",), shown="--rotate", check=flag,
    )  # fmt: skip
    cards: str | None = option(
        "Read this catalogue instead of the one that comes with wsim.", metavar="FILE", check=_optional_path
    )
    patch: tuple[str, ...] = option(
        "Lay this file over the catalogue (repeatable).", metavar="FILE", check=_each(_path)
    )
    set: tuple[str, ...] = option(
        "Change one value of the catalogue (repeatable): cards.Palace.points=6",
        metavar="PATH=VALUE", check=_each(_assignment),
    )  # fmt: skip
    picks: bool = option("Record every decision, too.", names=("--picks/--no-picks",), shown="--no-picks", check=flag)
    keep: str = option(
        "What is written: seats, seats,picks, or summary: no rows, only the sums behind the main tables.",
        "seats", metavar="TABLES", shown="seats", check=_keep,
    )  # fmt: skip
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    files: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def make(cls, **given: Any) -> Plan:
        """Check ``given`` (fields of the plan and options of the game, all by name) and fill in the defaults.

        Raises UserError that lists every unknown key and every value of the wrong type or out of range. Whether the
        rules allow the plan (rule set, players, policies, boards) is for the game to say, in ``prepare``.
        """
        game = _text("game", given.get("game", next(iter(GAMES))))
        if given.get("ruleset") is not None:
            _text("ruleset", given["ruleset"])
        of_game = load_game(game)
        values = {**DEFAULTS, **of_game.default_plan(given.get("ruleset")), **given, "game": game}
        own = [name for name in values if name in _CHECKS]
        special = {name: values[name] for name in values if name not in _CHECKS}
        mistakes = Mistakes()
        for name in special:
            if name not in of_game.OPTIONS:
                known = [*_CHECKS, *of_game.OPTIONS]
                hint = renamed(name, known) or nearest(name, known)
                mistakes.add(f"unknown plan key {name!r}: the keys of {game} are {', '.join(known)}{hint}")
        sound: dict[str, Any] = {}
        for name in own:
            with mistakes.noted():
                sound[name] = _CHECKS[name](name, values[name])
        mistakes.raise_any()
        sound |= _storage(sound["keep"], picks=sound["picks"], given="keep" in given)
        if "policies" not in given:  # the game's line-up is for its usual number of players
            usual = sound["policies"]
            sound["policies"] = tuple(usual[seat % len(usual)] for seat in range(sound["players"]))
        options = {name: _option(name, special[name]) for name in of_game.OPTIONS if special.get(name) is not None}
        plan = cls(**sound, options=options)
        check_length(plan.policies, plan.players)
        return plan

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str], **over: Any) -> Plan:
        """Read a plan file and lay ``over`` over its keys; raise UserError for a file that is no plan.

        The files that the plan file names are looked for from its own folder, those of ``over`` from the working one.
        """
        return layered(None, path, over)

    @classmethod
    def restore(cls, flat: Mapping[str, Any], files: Mapping[str, str] | None = None) -> Plan:
        """Return the plan of a record (``as_dict`` as JSON); the game's module is not needed.

        Raises UserError, KeyError or TypeError for what no plan wrote.
        """
        own: dict[str, Any] = {"cards": None}
        options: dict[str, str] = {}
        for name, value in flat.items():
            if name in _CHECKS:
                own[name] = _CHECKS[name](name, value)
            else:
                options[name] = _text(name, value)
        return cls(**own, options=options, files=files or {})

    def replace(self, **changes: Any) -> Plan:
        """Return this plan with other values for some keys, checked again."""
        return replace(self.make(**{**self.as_dict(), **changes}), files=self.files)

    def as_dict(self) -> dict[str, Any]:
        """Return the plan flat, as in its file: the game's own options stand beside the fields.

        Without ``cards`` if there is no such file, and without ``keep`` if rows are kept.
        """
        flat = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("options", "files")}
        if self.cards is None:
            del flat["cards"]
        if self.keep == DEFAULTS["keep"]:
            del flat["keep"]
        return {**flat, **self.options}

    def to_toml(self) -> str:
        """Write the plan as a plan file: ``Plan.from_toml`` of it is equal to this plan.

        Its table ``files``, if there are any, says where files lie: paths from the folder of the plan file.
        """
        text = "".join(f"{key} = {_toml(value)}\n" for key, value in self.as_dict().items())
        where = "".join(f"{_toml(name)} = {_toml(place)}\n" for name, place in self.files.items())
        return text + (f"\n[files]\n{where}" if where else "")

    def command(self) -> str:
        """Return the shell command that plays this plan again, every option written out."""
        return shlex.join(["wsim", "run", *self.words()])

    def words(self, *left_out: str) -> list[str]:
        """Return the words of a command line that say this plan, but for the keys left out."""
        said = {key: value for key, value in self.as_dict().items() if key not in left_out}
        return [word for key, value in said.items() for word in _as_options(key, value)]

    @cached_property
    def line_up(self) -> tuple[Entry, ...]:
        """The policies, read; once a plan."""
        entries = map(parse_entry, self.policies)
        return tuple(replace(entry, place=self.files.get(entry.named_file or "")) for entry in entries)

    def place(self, name: str | None) -> str | None:
        """Return where a file lies that the plan names; for None the card file of wsim's own, None if not elsewhere."""
        return self.files.get(OWN_CARDS if name is None else name, name)

    @property
    def card_files(self) -> tuple[str | None, tuple[str, ...]]:
        """Where the card file and the patches lie; None for the card file that comes with wsim."""
        return self.place(self.cards), tuple(self.files.get(name, name) for name in self.patch)

    def named_files(self, *keys: str) -> tuple[str, ...]:
        """Return the files that ``keys`` (cards, patch, policies) name, as written, each once."""
        found: list[str | None] = []
        if "cards" in keys:
            found.append(self.cards)
        if "patch" in keys:
            found += self.patch
        if "policies" in keys:
            found += [entry.named_file for entry in self.line_up]
        return tuple(dict.fromkeys(name for name in found if name is not None))

    @property
    def code(self) -> tuple[str, ...]:
        """What is code of a user, policies as written and files of effects: playing runs it."""
        return (*self._policies_of_user, *map(str, self.effects.values()))

    @property
    def _policies_of_user(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(entry) for entry in self.line_up if entry.file or entry.module))

    def code_in_words(self) -> str:
        """Return what is code of a user, for a refusal: ``policy code, ./mine.py:bold, and effects, ./mine.py``."""
        parts = {"policy code": self._policies_of_user, "effects in Python": map(str, self.effects.values())}
        return ", and ".join(", ".join((what, *found)) for what, one in parts.items() if (found := tuple(one)))

    @property
    def effects(self) -> dict[str | None, Path]:
        """Where the files of functions lie that formulas call (``effects = ...``), by the card file or patch."""
        cards, patches = self.card_files
        card_files: dict[str | None, str | None] = {self.cards: cards}
        card_files |= dict(zip(self.patch, patches, strict=True))
        found = {name: named_file(place) for name, place in card_files.items() if place is not None}
        return {name: place for name, place in found.items() if place is not None}

    def identity(self) -> dict[str, Any]:
        """Return what decides the data: the plan, with the content of every file it names in the place of its path.

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
        """Sixteen hexadecimal digits that identify :meth:`identity`: where files and folders lie does not count."""
        return digest_of(self.identity())


_CHECKS: Mapping[str, Check] = {name: said.check for name, (_, said) in options_of(Plan).items() if said.check}
"""Every field of a plan but the game's own options, with what makes its value sound, in the order of the file."""


def renamed(name: str, known: Iterable[str]) -> str:
    """Return ``; explore is now ...`` for the former name of a key that is known, or nothing."""
    if name == "explore" and "randomise" in known:
        return "; explore is now randomise (a policy's own noise is still written name:explore=CHANCE)"
    return ""


def digest_of(value: Any) -> str:
    """Return sixteen hexadecimal digits that identify a JSON value."""
    import hashlib

    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=True).encode()).hexdigest()[:16]


def _option(key: str, value: Any) -> str:
    """Return the text of a game's own option: a list as on the command line, with commas."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ",".join(_option(key, one) for one in value)
    if isinstance(value, str | int | float):
        return str(value).strip()
    raise UserError(f"{key} must be text, a number or a list of them, not {value!r}")


def _toml(value: Any) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(one) for one in value)}]"
    # The texts of JSON are texts of TOML, but for the one control character that JSON does not escape.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _as_options(key: str, value: Any) -> list[str]:
    """Return the words of the command line that give a key its value."""
    option = "--" + key.replace("_", "-")
    match key, value:
        case "rotate", _:
            return ["--rotate" if value else "--fixed-seats"]
        case "picks", _:
            return [option] if value else []
        case "policies", _:
            return [option, ",".join(value)]
        case _, tuple():
            return [word for one in value for word in (option, one)]
        case _:
            return [option, str(value)]


# --- plans in layers -------------------------------------------------------------------------------------------------


def layered(base: Plan | None, file: str | os.PathLike[str] | None, over: Mapping[str, Any]) -> Plan:
    """Return the plan of ``base``, under a plan file, under ``over``: each layer's files are where the layer has them.

    Raises UserError for a mistake in any of them, and where two layers mean different files by one name.
    """
    values = dict(base.as_dict()) if base is not None else {}
    stated = read_toml(file, "plan") if file is not None else {}
    there = _files_table(stated.pop("files", {}))
    plan = Plan.make(**{**values, **stated, **over})
    places: dict[str, str] = {}
    folder = Path(file).parent if file is not None else Path()
    for key in _FILE_KEYS:
        for name in plan.named_files(key):
            place = name
            if key not in over and key in stated:
                place = str(folder / there.get(name, name))
            elif key not in over and base is not None:
                place = base.files.get(name, name)
            if Path(places.setdefault(name, place)).absolute() != Path(place).absolute():
                raise UserError(
                    f"{name!r} is two files here, {places[name]!r} and {place!r}: write one of them with its folder"
                )
    own = there.get(OWN_CARDS)
    if own is not None and stated.get("game", plan.game) == plan.game:
        places[OWN_CARDS] = str(folder / own)
    elif base is not None and OWN_CARDS in base.files and base.game == plan.game:
        places[OWN_CARDS] = base.files[OWN_CARDS]
    if plan.cards is not None:
        places.pop(OWN_CARDS, None)
    elsewhere = {name: place for name, place in places.items() if place != name}
    return replace(plan, files=elsewhere)


def _files_table(table: Any) -> dict[str, str]:
    """Return the table ``files`` of a plan file; raise UserError for one that is not names and paths."""
    if not isinstance(table, dict) or not all(isinstance(place, str) and place for place in table.values()):
        raise UserError("files must be a table of names with the path of each, as in 'a.toml' = 'files/0/a.toml'")
    return table
