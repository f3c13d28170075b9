"""From options to a command: dataclasses of options (``wsim.options``) become the signature that Typer makes it of.

A command is a row of ``wsim.cli.command_table``: its short help, the function that presents it, and the groups of
options that this function takes, by name. A group declares parameters, turns the values given for them into one value
for the function, and may add sections to the help. ``Fields`` is any dataclass, ``ExtraArguments`` the arguments that
the command does not know, ``PlanKeys`` (``plan_keys.py``) the keys of a plan with the options of the games.
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
    """Options that make one value."""

    @property
    def extra(self) -> bool:
        """Whether words that the command does not know are meant for the group."""
        ...

    def options(self) -> Mapping[str, tuple[str, Any, Option]]:
        """Return the type, the default and the option of each field."""
        ...

    def value(self, context: typer.Context, given: dict[str, Any]) -> Any:
        """Return what the function of the command takes; ``given``: the values by field."""
        ...

    def sections(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return sections of the help besides, by title."""
        ...


@dataclass(frozen=True, eq=False, repr=False)  # wsim --help makes this class: each method takes time
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

    def value(self, _context: typer.Context, given: dict[str, Any]) -> Any:
        """Return the dataclass of what was given."""
        return given if self.raw else self.kind(**given)

    def sections(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return none."""
        return {}


@dataclass(frozen=True)
class ExtraArguments:
    """The words that a command does not know: options of something that it finds by name."""

    extra: bool = field(default=True, init=False)

    def options(self) -> Mapping[str, tuple[str, Any, Option]]:
        """Return none."""
        return {}

    def value(self, context: typer.Context, _given: dict[str, Any]) -> list[str]:
        """Return the words."""
        return list(context.args)

    def sections(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return none."""
        return {}


def _process_value(self: Any, ctx: Any, value: Any) -> Any:
    """Make values of texts by the reader of the option; Typer's own way imports pydantic, which takes 0.1 s."""
    if value in (None, (), []):
        return TyperOption.process_value(self, ctx, value) if self.required else None
    try:
        value = tuple(map(self.read, value)) if isinstance(value, list | tuple) else self.read(value)
    except UserError as error:
        if str(error).startswith("--"):  # it names its option itself
            raise
        raise typer.BadParameter(str(error), ctx=ctx, param=self) from None
    return self.callback(ctx, self, value) if self.callback else value


class _Option(TyperOption):
    """An option whose text its own reader reads; ``aliases``: names that the help does not show."""

    read: Callable[[Any], Any]
    aliases: Sequence[str]
    process_value = _process_value

    def get_help_record(self, ctx: Any) -> tuple[str, str] | None:
        """Return its names and what it says."""
        opts, self.opts = self.opts, [name for name in self.opts if name not in self.aliases]
        names, text = super().get_help_record(ctx) or ("", "")
        self.opts = opts
        return names.rstrip(), text


class _Argument(TyperArgument):
    """An argument whose text its own reader reads; usage says whether it is needed and whether there may be several."""

    read: Callable[[Any], Any]
    process_value = _process_value

    def get_help_record(self, ctx: Any) -> tuple[str, str] | None:  # noqa: ARG002
        """Return what stands for it and what it says."""
        return str(self.metavar), f"{self.help}  [required]" if self.required else str(self.help)

    def get_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return ``RUN``, ``RUN...`` or ``[RUN]``."""
        name = str(self.metavar).strip("[]").removesuffix("...") + ("..." if self.nargs == -1 else "")
        return [name if self.required else f"[{name}]"]


def owned(made: Any, read: Callable[[Any], Any] = bool, alone: str | None = None, aliases: Sequence[str] = ()) -> Any:
    """Let a parameter that Typer made read values by ``read``; ``alone``: what it stands for without a value."""
    made.__class__ = _Option if isinstance(made, TyperOption) else _Argument
    made.read, made.alone, made.aliases = read, alone, aliases
    return made


def _parameter(key: str, kind: str, default: Any, said: Option) -> inspect.Parameter:
    """Return the parameter of a field in the signature that Typer reads."""
    annotation: Any = bool if kind.startswith("bool") else str
    if kind.startswith("tuple") and said.read is None:
        words = len((said.metavar or "").split())  # as many as stand for it
        annotation = tuple.__class_getitem__((str,) * words) if words > 1 else list[str]
    shown = _default(default, said)
    how: dict[str, Any] = {
        "help": f"{said.sentence}  [default: {shown}]" if shown else said.sentence,
        "metavar": said.metavar or "", "show_default": False, "autocompletion": said.complete,
    }  # fmt: skip
    names = said.names or (f"--{key.partition('__')[2].replace('_', '-')}",)
    return inspect.Parameter(
        key, inspect.Parameter.KEYWORD_ONLY, default=inspect.Parameter.empty if default is MISSING else None,
        annotation=Annotated[
            annotation, typer.Argument(**how) if said.argument else typer.Option(*names, *said.aliases, **how)
        ],
    )  # fmt: skip


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


class Command(TyperCommand):
    """A command made of groups of options; ``own``: by parameter its reader, and what it stands for without a value."""

    groups: Mapping[str, Group]
    own: Mapping[str, tuple[Callable[[Any], Any], str | None, Sequence[str]]]

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters that Typer made, each with its reader."""
        return [owned(one, *self.own.get(one.name, ())) for one in super().get_params(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words."""
        for one in self.get_params(ctx):
            if one.alone is not None:
                args = _with_value(args, one.opts[0], one.alone)
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            option = getattr(error, "option_name", None) or ""
            if not option[1:].isdigit():
                raise
            word = next(word for word in given if word.startswith(option))
            raise UserError(f"{word!r} is below 0: games are numbered from 0, and no count is negative") from None

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the sections that the groups add."""
        for group in self.groups.values():
            for title, rows in group.sections().items():
                with formatter.section(title):
                    formatter.write_dl(list(rows))
        super().format_epilog(ctx, formatter)


def command(name: str, groups: Mapping[str, Group], text: str | None, present: Callable[..., object]) -> Command:
    """Return the command that takes groups of options, and calls ``present`` with the value of each.

    Typer makes it of a function whose signature has a parameter for each field.
    """
    options = {f"{key}__{name}": one for key, group in groups.items() for name, one in group.options().items()}

    def call(context: typer.Context, **_given: Any) -> None:
        given: dict[str, dict[str, Any]] = {key: {} for key in groups}
        for name, value in context.params.items():
            key, _, field = name.partition("__")
            if value is not None:
                given[key][field] = value
        present(**{key: group.value(context, given[key]) for key, group in groups.items()})

    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_ONLY, annotation=typer.Context)
    parameters = [context, *(_parameter(key, *one) for key, one in options.items())]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    extra = any(group.extra for group in groups.values())
    settings = {"allow_extra_args": extra, "ignore_unknown_options": extra}
    program = typer.Typer(add_completion=False, rich_markup_mode=None)
    program.command(name, cls=Command, help=text, context_settings=settings)(call)
    made = typer.main.get_command(program)
    assert isinstance(made, Command)
    made.groups = groups
    made.own = {key: (_reader(kind, said), said.alone, said.aliases) for key, (kind, _, said) in options.items()}
    return made


def _reader(kind: str, said: Option) -> Callable[[Any], Any]:
    """Return what makes a value of the text of a field."""
    base = kind.partition(" | ")[0]
    return said.read or READERS["int" if "int" in base else base.removeprefix("tuple[").partition(",")[0]]


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
