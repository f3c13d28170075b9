"""The keys of a plan on the command line: options named as in its file, and those that only some game has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from wsim.cli.parameters import split
from wsim.errors import UserError, nearest
from wsim.options import Option, options_of

if TYPE_CHECKING:
    import typer

    from wsim.lab.plan import Plan


@dataclass(frozen=True)
class PlanOptions:
    """What the command line says of a plan.

    Attributes
    ----------
    command: the command, for messages (``run``).
    keys: the keys of the plan that were given.
    file: the plan file, if one was given.
    extra: options that the command does not know, with their values: options of one game, or mistakes.
    arguments: words that belong to no option.
    options: the options that the command knows.
    """

    command: str
    keys: Mapping[str, Any]
    file: str | None
    extra: Mapping[str, str | None]
    arguments: Sequence[str]
    options: Sequence[str]

    def resolve(self, base: Plan | None = None, **defaults: Any) -> Plan:
        """Return the plan: ``base`` or ``defaults``, under the plan file, under the options.

        Files are looked for where each of them was named (``wsim.lab.plan.layered``). Raises UserError for a mistake.
        """
        from wsim.lab.plan import layered

        keys = {**self.keys, **self._of_game(base)}
        plan = layered(base, self.file, keys)
        more = {key: value for key, value in defaults.items() if key not in keys and key not in self._in_file()}
        return plan.replace(**more) if more else plan

    def code_needing_trust(self, plan: Plan) -> tuple[str, ...]:
        """Return what is code in a plan and what the user has not named himself, here or in a plan file."""
        named = {*self.keys, *self._in_file()}
        effects = plan.effects
        card_files = {name: "cards" if name == plan.cards and name not in plan.patch else "patch" for name in effects}
        left = {str(place) for name, place in effects.items() if card_files[name] not in named}
        every = {str(place) for place in effects.values()}
        return tuple(one for one in plan.code if (one in left if one in every else "policies" not in named))

    def _in_file(self) -> Mapping[str, Any]:
        """Return the plan file's keys."""
        from wsim.spec.source import read_toml

        return read_toml(self.file, "plan") if self.file else {}

    def _of_game(self, base: Plan | None) -> dict[str, str]:
        """Return the options of the game alone; raise UserError for those that it does not have."""
        from wsim.game import GAMES, find_game
        from wsim.lab.plan import renamed

        usual = base.game if base is not None else next(iter(GAMES))
        own = find_game(str({"game": usual, **self._in_file(), **self.keys}["game"])).OPTIONS
        values: dict[str, str] = {}
        for option, value in self.extra.items():
            key = option.lstrip("-").replace("-", "_")
            if key not in own:
                known = [*self.options, *map(option_of, own)]
                hint = renamed(key, own) or nearest(option, known)
                raise UserError(f"{self.command} has no option {option!r}{hint}")
            if value is None:
                raise UserError(f"the option {option!r} needs a value: {own[key]}")
            values[key] = value
        return values

    def no_arguments(self) -> None:
        """Raise UserError if there are words that belong to no option."""
        if self.arguments:
            raise UserError(f"{self.command} takes no argument {self.arguments[0]!r}")


def option_of(key: str) -> str:
    """Return the option of the command line that gives a key its value."""
    return "--" + key.replace("_", "-")


@dataclass(frozen=True, eq=False, repr=False)  # wsim --help makes this class: each method takes time
class PlanKeys:
    """The group of a plan: its keys but for some, and the options of each game.

    Attributes
    ----------
    left_out: keys that the command decides itself. only: these keys alone; none: all. file: whether there is a plan
        file, too; None: only where all keys are accepted.
    games: how many it plays unless told otherwise, for its help; none: as many as the plan of the game.
    others: keys that have another option here, such as ``--base-set`` where ``--set`` is the change.
    """

    left_out: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    file: bool | None = None
    games: str = ""
    others: Mapping[str, Option] = field(default_factory=dict)
    extra: bool = field(default=True, init=False)

    def options(self) -> Mapping[str, tuple[str, Any, Option]]:
        """Return the plan file and the keys; each may be left away, since the plan has its defaults."""
        from wsim.lab.plan import Plan

        file = Option(
            "Read the options from this TOML file; options given here win.", metavar="FILE", names=("--plan",)
        )
        found: dict[str, tuple[str, Any, Option]] = {"plan_file": ("str | None", None, file)}
        if not (not self.only if self.file is None else self.file):
            found.clear()
        for name, (one, said) in options_of(Plan).items():
            if name not in self.left_out and (not self.only or name in self.only):
                said = self.others.get(name, said)
                if name == "games" and self.games:
                    said = replace(said, shown=self.games)
                found[name] = (str(one.type), None, said)
        return found

    def value(self, context: typer.Context, given: dict[str, Any]) -> PlanOptions:
        """Return what was given."""
        pairs, arguments = split(context.args)
        keys: dict[str, Any] = {key: list(one) if isinstance(one, tuple) else one for key, one in given.items()}
        return PlanOptions(
            command=str(context.info_name),
            keys=keys,
            file=keys.pop("plan_file", None),
            extra=dict(pairs),
            arguments=arguments,
            options=[name for option in context.command.params for name in (*option.opts, *option.secondary_opts)],
        )

    def sections(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the options of each game, or why it cannot be played; the games are imported only here."""
        from wsim.installed import GAMES, load_game

        found: dict[str, Sequence[tuple[str, str]]] = {}
        for name in GAMES:
            try:
                game = load_game(name)
            except UserError as broken:
                found[f"Options of --game {name}"] = [(name, str(broken))]
            else:
                rows = [(option_of(key), text) for key, text in game.OPTIONS.items()]
                found[f"Options of {game.TITLE} (--game {name})"] = rows
        return found
