"""Build commands from dataclasses of options (``wsim.options``), whose fields become a signature that Typer reads.

A command is a row of ``wsim.cli.command_table``: its short help, its presenter function, and the option groups that the
function takes, by keyword. A group declares parameters, converts their values to one argument of the function, and may
add sections to the help. ``Fields`` is a group for any dataclass, ``ExtraArguments`` for arguments that the command
does not know, and ``PlanKeys`` (``plan_keys.py``) for the keys of a plan and the options of games.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field
from importlib import import_module
from typing import Annotated, Any, Protocol

import typer
from typer import TyperException
from typer.core import TyperArgument, TyperCommand, TyperOption

from wsim.errors import UserError
from wsim.options import READERS, Option, options_of


class Group(Protocol):
    """A group of command-line options that together form one argument of the presenter."""

    @property
    def extra(self) -> bool:
        """Whether the group receives arguments that the command does not know."""
        ...

    def options(self) -> Mapping[str, tuple[str, Any, Option]]:
        """Return the type, default and option declaration of each field, by name."""
        ...

    def value(self, context: typer.Context, given: dict[str, Any]) -> Any:
        """Build the argument for the presenter from ``given``, the option values by field."""
        ...

    def sections(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return additional sections for the help text, by title."""
        ...


@dataclass(frozen=True, eq=False, repr=False)  # wsim --help creates this class, and each generated method takes time
class Fields:
    """A group whose options are the fields of a dataclass.

    Attributes
    ----------
    name: the dataclass as ``module:Class``, so that only its own command imports it.
    only: the subset of fields to use; empty: all fields.
    raw: whether the presenter receives only the values that were given, as a mapping.
    """

    name: str
    only: tuple[str, ...] = ()
    raw: bool = False
    extra: bool = field(default=False, init=False)

    @property
    def kind(self) -> type[Any]:
        """The dataclass, imported when first used."""
        module, _, name = self.name.partition(":")
        kind: type[Any] = getattr(import_module(module), name)
        return kind

    def options(self) -> Mapping[str, tuple[str, Any, Option]]:
        """Return the type, default and option declaration of each field, by name."""
        return {
            name: (str(declared.type), declared.default, spec)
            for name, (declared, spec) in options_of(self.kind).items()
            if not spec.hidden and (not self.only or name in self.only)
        }

    def value(self, _context: typer.Context, given: dict[str, Any]) -> Any:
        """Return an instance of the dataclass with the given values."""
        return given if self.raw else self.kind(**given)

    def sections(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return an empty mapping."""
        return {}


@dataclass(frozen=True, eq=False, repr=False)  # as above
class ExtraArguments:
    """A group that receives the arguments that a command does not know, such as options of a table given by name."""

    extra: bool = field(default=True, init=False)

    def options(self) -> Mapping[str, tuple[str, Any, Option]]:
        """Return an empty mapping."""
        return {}

    def value(self, context: typer.Context, _given: dict[str, Any]) -> list[str]:
        """Return the arguments that the command does not know."""
        return list(context.args)

    def sections(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return an empty mapping."""
        return {}


def _process_value(self: Any, ctx: Any, value: Any) -> Any:
    """Convert a value with the option's own reader, because Typer's would import pydantic, which takes 0.1 s."""
    if value in (None, (), []):
        return TyperOption.process_value(self, ctx, value) if self.required else None
    try:
        value = tuple(map(self.read, value)) if isinstance(value, list | tuple) else self.read(value)
    except UserError as error:
        if str(error).startswith("--"):  # the message already names the option
            raise
        raise typer.BadParameter(str(error), ctx=ctx, param=self) from None
    return self.callback(ctx, self, value) if self.callback else value


class _Option(TyperOption):
    """An option with its own reader and with ``aliases``, names that the help does not show."""

    read: Callable[[Any], Any]
    aliases: Sequence[str]
    process_value = _process_value

    def get_help_record(self, ctx: Any) -> tuple[str, str] | None:
        """Return the names and help text of the option."""
        opts, self.opts = self.opts, [name for name in self.opts if name not in self.aliases]
        names, text = super().get_help_record(ctx) or ("", "")
        self.opts = opts
        return names.rstrip(), text


class _Argument(TyperArgument):
    """A positional argument with its own reader; the usage line shows whether it is required or repeatable."""

    read: Callable[[Any], Any]
    process_value = _process_value

    def get_help_record(self, ctx: Any) -> tuple[str, str] | None:  # noqa: ARG002
        """Return the metavar and help text of the argument."""
        return str(self.metavar), f"{self.help}  [required]" if self.required else str(self.help)

    def get_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the argument as shown in the usage line, such as ``RUN``, ``RUN...`` or ``[RUN]``."""
        name = str(self.metavar).strip("[]").removesuffix("...") + ("..." if self.nargs == -1 else "")
        return [name if self.required else f"[{name}]"]


def owned(made: Any, read: Callable[[Any], Any] = bool, alone: str | None = None, aliases: Sequence[str] = ()) -> Any:
    """Attach a reader to a parameter created by Typer; ``alone``: the value of an option that is given without one."""
    made.__class__ = _Option if isinstance(made, TyperOption) else _Argument
    made.read, made.alone, made.aliases = read, alone, aliases
    return made


_METAVARS = {"int": "N", "float": "NUMBER", "str": "TEXT"}
"""Default metavars of options by type."""


def _parameter(key: str, kind: str, default: Any, spec: Option) -> inspect.Parameter:
    """Build the signature parameter from which Typer creates the option or argument for a field."""
    annotation: Any = bool if kind.startswith("bool") else str
    if kind.startswith("tuple") and spec.read is None:
        words = len((spec.metavar or "").split())  # one value per word of the metavar
        annotation = tuple.__class_getitem__((str,) * words) if words > 1 else list[str]
    shown = _shown_default(default, spec)
    how: dict[str, Any] = {
        "help": f"{spec.sentence}  [default: {shown}]" if shown else spec.sentence,
        "metavar": spec.metavar or _METAVARS.get(kind.partition(" ")[0], ""), "show_default": False,
        "autocompletion": spec.complete,
    }  # fmt: skip
    names = spec.names or (f"--{key.partition('__')[2].replace('_', '-')}",)
    return inspect.Parameter(
        key, inspect.Parameter.KEYWORD_ONLY, default=inspect.Parameter.empty if default is MISSING else None,
        annotation=Annotated[
            annotation, typer.Argument(**how) if spec.argument else typer.Option(*names, *spec.aliases, **how)
        ],
    )  # fmt: skip


def _shown_default(default: Any, spec: Option) -> str:
    """Format a default value for the help; empty if there is nothing to show."""
    if spec.shown is not None:
        return spec.shown if isinstance(spec.shown, str) else spec.shown()
    return "" if any(default is empty for empty in (None, False, (), MISSING)) else str(default)


def _join_values(words: Sequence[str], name: str, alone: str) -> list[str]:
    """Attach to an option the number that follows it or, if no number follows, its ``alone`` value."""
    tied: list[str] = []
    for word in words:
        if tied and tied[-1] == name and word.lstrip("-").isdigit():
            tied[-1] = f"{name}={word}"
        else:
            tied.append(word)
    return [f"{name}={alone}" if word == name else word for word in tied]


class Command(TyperCommand):
    """A command built from option groups; ``own``: the reader, ``alone`` value and aliases of each parameter."""

    groups: Mapping[str, Group]
    own: Mapping[str, tuple[Callable[[Any], Any], str | None, Sequence[str]]]

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters created by Typer, each with its own reader."""
        return [owned(made, *self.own.get(made.name, ())) for made in super().get_params(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command-line arguments of the command."""
        for made in self.get_params(ctx):
            if made.alone is not None:
                args = _join_values(args, made.opts[0], made.alone)
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            option = getattr(error, "option_name", None) or ""
            if not option[1:].isdigit():
                raise
            word = next(word for word in given if word.startswith(option))
            raise UserError(f"{word!r} is below 0: games are numbered from 0, and no count is negative") from None

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the pieces of the usage line, including positional arguments received by a group."""
        pieces = super().collect_usage_pieces(ctx)
        return [*pieces, *(usage for group in self.groups.values() if (usage := getattr(group, "usage", "")))]

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the additional help sections of the groups."""
        for group in self.groups.values():
            for title, rows in group.sections().items():
                with formatter.section(title):
                    formatter.write_dl(list(rows))
        super().format_epilog(ctx, formatter)


def command(name: str, groups: Mapping[str, Group], text: str | None, present: Callable[..., object]) -> Command:
    """Build a command that takes option groups and calls ``present`` with the value of each group.

    Typer builds the command from a function whose signature has one parameter per field.
    """
    options = {f"{key}__{name}": spec for key, group in groups.items() for name, spec in group.options().items()}

    def call(context: typer.Context, **_given: Any) -> None:
        given: dict[str, dict[str, Any]] = {key: {} for key in groups}
        for name, value in context.params.items():
            key, _, field = name.partition("__")
            if value is not None:
                given[key][field] = value
        present(**{key: group.value(context, given[key]) for key, group in groups.items()})

    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_ONLY, annotation=typer.Context)
    parameters = [context, *(_parameter(key, *spec) for key, spec in options.items())]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    extra = any(group.extra for group in groups.values())
    settings = {"allow_extra_args": extra, "ignore_unknown_options": extra}
    program = typer.Typer(add_completion=False, rich_markup_mode=None)
    program.command(name, cls=Command, help=text, context_settings=settings)(call)
    made = typer.main.get_command(program)
    assert isinstance(made, Command)
    made.groups = groups
    made.own = {key: (_reader(kind, spec), spec.alone, spec.aliases) for key, (kind, _, spec) in options.items()}
    return made


def _reader(kind: str, spec: Option) -> Callable[[Any], Any]:
    """Return a function that parses the string value of a field."""
    base = kind.partition(" | ")[0]
    return spec.read or READERS["int" if "int" in base else base.removeprefix("tuple[").partition(",")[0]]


def split(words: Sequence[str]) -> tuple[list[tuple[str, str | None]], list[str]]:
    """Separate options (``--key value``, ``--key=value``, ``--key``) from positional arguments."""
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
