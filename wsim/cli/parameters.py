"""From options to a command: dataclasses of options (``wsim.options``) become the parameters of a click command.

A command is a row of ``wsim.cli.command_table``: its short help, the function that presents it, and by name the groups
of options that this function takes. A group knows its parameters, makes of what was given the one value that the
function gets, and may add sections to the help. ``Fields`` is any dataclass, ``Words`` whatever the command does not
know, ``PlanKeys`` (``plan_keys.py``) the keys of a plan with the options of the games.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field
from importlib import import_module
from typing import Any, Protocol

import click
from click.exceptions import NoSuchOption

from wsim.errors import UserError
from wsim.options import READERS, Option, options_of

_FILES = {"FILE": "file", "FOLDER": "dir", "RUN": "dir", "PATH": "file", "GOAL": "file", "PATCH": "file"}
"""What a shell completes for a value by what stands for it in the help."""


class Group(Protocol):
    """Options that make one value."""

    @property
    def extra(self) -> bool:
        """Whether words that the command does not know are meant for the group."""
        ...

    def options(self) -> Mapping[str, tuple[str, Any, Option]]:
        """Return the type, the default and the option of each field."""
        ...

    def value(self, context: click.Context, given: dict[str, Any]) -> Any:
        """Return what the function of the command takes; ``given``: the values by field."""
        ...

    def sections(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return sections of the help besides, by title."""
        ...


@dataclass(frozen=True)
class Fields:
    """A dataclass of options.

    Attributes
    ----------
    name: of it, as ``module:Class``, so that only its own command imports it.
    only: these fields alone; none: all.
    raw: whether the function gets what was given as a mapping, without the defaults.
    """

    name: str
    only: tuple[str, ...] = ()
    raw: bool = False
    extra: bool = field(default=False, init=False)

    @property
    def kind(self) -> type[Any]:
        """The dataclass."""
        module, _, name = self.name.partition(":")
        kind: type[Any] = getattr(import_module(module), name)
        return kind

    def options(self) -> Mapping[str, tuple[str, Any, Option]]:
        """Return the type, the default and the option of each field."""
        return {
            name: (str(one.type), one.default, said)
            for name, (one, said) in options_of(self.kind).items()
            if not said.hidden and (not self.only or name in self.only)
        }

    def value(self, _context: click.Context, given: dict[str, Any]) -> Any:
        """Return the dataclass of what was given."""
        return given if self.raw else self.kind(**given)

    def sections(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return none."""
        return {}


@dataclass(frozen=True)
class Words:
    """The words that a command does not know: options of something that it finds by name."""

    extra: bool = field(default=True, init=False)

    def options(self) -> Mapping[str, tuple[str, Any, Option]]:
        """Return none."""
        return {}

    def value(self, context: click.Context, _given: dict[str, Any]) -> list[str]:
        """Return the words."""
        return list(context.args)

    def sections(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return none."""
        return {}


class _Value(click.ParamType[Any]):
    """A text of the command line as its option reads it."""

    name = "value"

    def __init__(self, said: Option, read: Callable[[str], Any]) -> None:
        self._said, self._read = said, read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a text; a mistake becomes one of the command line, which names the option."""
        try:
            return self._read(value) if isinstance(value, str) else value
        except UserError as error:
            if str(error).startswith("--"):  # it names its option itself
                raise
            self.fail(str(error), param, ctx)

    def shell_complete(self, _context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[Any]:
        """Return what the option completes; files and folders where the value is one."""
        from click.shell_completion import CompletionItem

        if self._said.complete is not None:
            return [CompletionItem(one) for one in self._said.complete(incomplete) if one.startswith(incomplete)]
        kind = _FILES.get((self._said.metavar or "").rstrip(".").strip("[]").partition("|")[0])
        return [CompletionItem(incomplete, type=kind)] if kind else []


class _Option(click.Option):
    """An option whose default is said, but not filled in: the dataclass has it."""

    default_said = ""
    said = Option()

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return its names and what it says."""
        names, said = super().get_help_record(ctx) or ("", "")
        return names.rstrip(), said + (f"  [default: {self.default_said}]" if self.default_said else "")


class _Argument(click.Argument):
    """An argument whose usage says whether it is needed, and whether there may be several."""

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return ``RUN``, ``RUN...`` or ``[RUN]``."""
        name = self.make_metavar(ctx).strip("[]").removesuffix("...") + ("..." if self.nargs == -1 else "")
        return [name if self.required else f"[{name}]"]


def parameter(key: str, kind: str, default: Any, said: Option) -> click.Parameter:
    """Return the parameter of a field."""
    base = kind.partition(" | ")[0]
    several = base.startswith("tuple") and said.read is None
    read = said.read or READERS["int" if "int" in base else base.removeprefix("tuple[").partition(",")[0]]
    if said.argument:
        required = default is MISSING
        shown = _default(default, said)
        end = "  [required]" if required else f"  [default: {shown}]" if shown else ""
        return _Argument(
            [key], required=required, nargs=-1 if several else 1, metavar=said.metavar, type=_Value(said, read),
            help=said.sentence + end,
        )  # fmt: skip
    names = said.names or (f"--{key.partition('__')[2].replace('_', '-')}",)
    how: dict[str, Any] = {"help": said.sentence, "required": default is MISSING}
    if base == "bool":
        how |= {"is_flag": True, "default": None}
    else:
        how |= {"metavar": said.metavar or "", "multiple": several, "type": _Value(said, read)}
        if base.startswith("tuple") and " " in (said.metavar or ""):  # as many words as stand for it
            how |= {"nargs": len(str(said.metavar).split()), "multiple": False}
    made = _Option([*names, key], **how)
    made.default_said, made.said = _default(default, said), said
    return made


def _default(default: Any, said: Option) -> str:
    """Return what the help says of a default; nothing where it needs no word."""
    if said.shown is not None:
        return f"({said.shown if isinstance(said.shown, str) else said.shown()})"
    return "" if any(default is one for one in (None, False, (), MISSING)) else str(default)


def _with_value(words: Sequence[str], name: str, alone: str) -> list[str]:
    """Return the words with the number that follows an option tied to it, or what it stands for alone."""
    tied: list[str] = []
    for word in words:
        if tied and tied[-1] == name and word.lstrip("-").isdigit():
            tied[-1] = f"{name}={word}"
        else:
            tied.append(word)
    return [f"{name}={alone}" if word == name else word for word in tied]


class Command(click.Command):
    """A command made of groups of options."""

    def __init__(self, name: str, groups: Mapping[str, Group], **how: Any) -> None:
        params = [
            parameter(f"{key}__{one}", kind, default, said)
            for key, group in groups.items()
            for one, (kind, default, said) in group.options().items()
        ]
        if any(group.extra for group in groups.values()):
            how["context_settings"] = {"allow_extra_args": True, "ignore_unknown_options": True}
        super().__init__(name, params=params, **how)
        self.groups = groups

    def values(self, context: click.Context) -> dict[str, Any]:
        """Return the value of each group."""
        given: dict[str, dict[str, Any]] = {key: {} for key in self.groups}
        for name, value in context.params.items():
            key, _, one = name.partition("__")
            if value not in (None, ()):
                given[key][one] = value
        return {key: group.value(context, given[key]) for key, group in self.groups.items()}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words."""
        for one in self.params:
            if isinstance(one, _Option) and one.said.alone is not None:
                args = _with_value(args, one.opts[0], one.said.alone)
        try:
            return super().parse_args(ctx, args)
        except NoSuchOption as error:
            if not error.option_name[1:].isdigit():
                raise
            word = next(word for word in args if word.startswith(error.option_name))
            raise UserError(f"{word!r} is below 0: games are numbered from 0, and no count is negative") from None

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the section of the arguments."""
        rows = [one.get_help_record(ctx) for one in self.params if isinstance(one, click.Argument)]
        if rows:
            with formatter.section("Arguments"):
                formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections that the groups add."""
        for group in self.groups.values():
            for title, rows in group.sections().items():
                with formatter.section(title):
                    formatter.write_dl(list(rows))
        super().format_epilog(ctx, formatter)


def split(words: Sequence[str]) -> tuple[list[tuple[str, str | None]], list[str]]:
    """Split words into options with their values (``--key value``, ``--key=value``, ``--key``) and arguments."""
    options: list[tuple[str, str | None]] = []
    arguments: list[str] = []
    for position, word in enumerate(words):
        before = words[position - 1] if position else ""
        if word.startswith("-"):
            option, equals, value = word.partition("=")
            options.append((option, value if equals else None))
        elif before.startswith("-") and options[-1] == (before, None):
            options[-1] = (before, word)
        else:
            arguments.append(word)
    return options, arguments
