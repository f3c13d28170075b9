"""The keys of a plan on the command line: the options of every plan, and those of each game."""

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


@dataclass(frozen=True, eq=False, repr=False)  # wsim --help makes this class: each method takes time
class PlanOptions:
    """The parts of a plan given on the command line.

    Attributes
    ----------
    command: the command, for messages (``run``).
    keys: the given keys of the plan.
    file: the plan file, if given.
    extra: options that the command does not know, with their values: options of one game, or mistakes.
    arguments: positional arguments.
    options: the options that the command knows.
    """

    command: str
    keys: Mapping[str, Any]
    file: str | None
    extra: Mapping[str, str | None]
    arguments: Sequence[str]
    options: Sequence[str]

    def resolve(self, base: Plan | None = None, **defaults: Any) -> Plan:
        """Return the plan: options override the plan file, which overrides ``base`` or ``defaults``.

        Files are looked up next to the source that names them (``wsim.lab.plan.layered``). Raises UserError.
        """
        from wsim.lab.plan import layered

        keys = {**self.keys, **self._of_game(base)}
        plan = layered(base, self.file, keys)
        more = {key: value for key, value in defaults.items() if key not in keys and key not in self._in_file()}
        return plan.replace(**more) if more else plan

    def code_needing_trust(self, plan: Plan) -> tuple[str, ...]:
        """Return the code in a plan that the user did not name on the command line or in a plan file."""
        named = {*self.keys, *self._in_file()}
        effects = plan.effects
        card_files = {name: "cards" if name == plan.cards and name not in plan.patch else "patch" for name in effects}
        left = {str(path) for name, path in effects.items() if card_files[name] not in named}
        every = {str(path) for path in effects.values()}
        return tuple(code for code in plan.code if (code in left if code in every else "policies" not in named))

    def _in_file(self) -> Mapping[str, Any]:
        """Return the keys of the plan file."""
        from wsim.spec.source import read_toml

        return read_toml(self.file, "plan") if self.file else {}

    def _of_game(self, base: Plan | None) -> dict[str, str]:
        """Return the options of the game; raise UserError for unknown ones."""
        from wsim.game import GAMES, find_game
        from wsim.lab.plan import renamed

        default = base.game if base is not None else next(iter(GAMES))
        own = find_game(str({"game": default, **self._in_file(), **self.keys}["game"])).OPTIONS
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
        """Raise UserError if there are positional arguments."""
        if self.arguments:
            raise UserError(f"{self.command} takes no argument {self.arguments[0]!r}")


def option_of(key: str) -> str:
    """Return the command-line option of a key."""
    return "--" + key.replace("_", "-")


@dataclass(frozen=True, eq=False, repr=False)  # wsim --help makes this class: each method takes time
class PlanKeys:
    """The group of a plan: some of its keys, and the options of each game.

    Attributes
    ----------
    left_out: keys that the command sets itself. only: a subset of the keys; empty: all. file: whether there is a plan
        file; None: only if all keys are accepted.
    games: the default number of games, for the help; empty: that of the game's plan.
    others: keys with a different option here, such as ``--base-set`` where ``--set`` is the change.
    usage: the positional arguments in the usage line.
    """

    left_out: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    file: bool | None = None
    games: str = ""
    others: Mapping[str, Option] = field(default_factory=dict)
    usage: str = ""
    extra: bool = field(default=True, init=False)

    def options(self) -> Mapping[str, tuple[str, Any, Option]]:
        """Return the plan file and the keys, all optional because the plan has defaults."""
        from wsim.lab.plan import Plan

        file = Option(
            "Read options from this TOML file; options on the command line take precedence.",
            metavar="FILE",
            names=("--plan",),
        )
        has_file = not self.only if self.file is None else self.file
        rows: dict[str, tuple[str, Any, Option]] = {"plan_file": ("str | None", None, file)} if has_file else {}
        for name, (declared, spec) in options_of(Plan).items():
            if name not in self.left_out and (not self.only or name in self.only):
                spec = self.others.get(name, spec)
                if name == "games" and self.games:
                    spec = replace(spec, shown=self.games)
                rows[name] = (str(declared.type), None, spec)
        return rows

    def value(self, context: typer.Context, given: dict[str, Any]) -> PlanOptions:
        """Return the given parts of the plan."""
        pairs, arguments = split(context.args)
        keys: dict[str, Any] = {key: list(value) if isinstance(value, tuple) else value for key, value in given.items()}
        return PlanOptions(
            command=str(context.info_name),
            keys=keys,
            file=keys.pop("plan_file", None),
            extra=dict(pairs),
            arguments=arguments,
            options=[name for option in context.command.params for name in (*option.opts, *option.secondary_opts)],
        )

    def sections(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the options of each game, or why it cannot be played; only this imports the games."""
        from wsim.installed import GAMES, load_game

        sections: dict[str, Sequence[tuple[str, str]]] = {}
        for name in GAMES:
            try:
                game = load_game(name)
            except UserError as broken:
                sections[f"Options of --game {name}"] = [(name, str(broken))]
            else:
                rows = [(option_of(key), text) for key, text in game.OPTIONS.items()]
                sections[f"Options of {game.TITLE} (--game {name})"] = rows
        return sections
