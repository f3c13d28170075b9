"""The program ``wsim``, which lists all commands, builds only the command that is called, and sets the exit code."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import wsim
from wsim.cli.command_table import ALIASES, COMMANDS, GROUPS, PANELS
from wsim.cli.console import guarded, results_alone
from wsim.cli.parameters import Command, command, owned
from wsim.errors import UserError, nearest, refuse_unprintable
from wsim.questions.registry import Question


def command_of(name: str) -> Command:
    """Build a command by name; its presenter is imported only when the command runs."""
    row = COMMANDS[name]
    if row.question is not None:
        return _command_of_question(row.question)
    texts = (getattr(group, "kind", None) for group in row.groups.values())
    text = next(inspect.getdoc(kind) for kind in texts if kind is not None)

    def present(**values: Any) -> None:
        module, _, function = row.presenter.partition(":")
        with results_alone():
            getattr(import_module(f"wsim.cli.{module}"), function)(**values)

    return command(name.rpartition(" ")[2], row.groups, text, present)


def _command_of_question(question: Question) -> Command:
    from wsim.cli.question_command import groups_of, present_question

    def present(**values: Any) -> None:
        with results_alone():
            present_question(question, values)

    return command(question.command.rpartition(" ")[2], groups_of(question), question.about, present)


class Commands(TyperGroup):
    """A group of command stubs, each with only the short help, which are replaced with full commands when called."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the flags of the group, whose values are converted without importing pydantic."""
        return list(map(owned, super().get_params(ctx)))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the flags and return the other arguments; raise UserError, listing the commands, if none is given."""
        if not args and not self.invoke_without_command and not ctx.resilient_parsing:
            raise UserError(f"wsim {self.name} needs a command: {', '.join(self.list_commands(ctx))}")
        return list(super().parse_args(ctx, args))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Find a command by name; raise UserError with the nearest match if it does not exist."""
        name = args[0]
        known = self.list_commands(ctx)
        if not ctx.resilient_parsing and not name.startswith("-") and name not in known:
            near = nearest(name, known).removeprefix(" (did you mean ").removesuffix("?)")
            hint = f". Did you mean {near}?" if near else ": wsim --help lists them"
            raise UserError(f"No such command {name!r}{hint}")
        known_name, stub, rest = super().resolve_command(ctx, args)
        row = ALIASES.get(name, name) if ctx.parent is None else f"{self.name} {name}"
        return known_name, command_of(row) if row in COMMANDS else stub, rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands, by panel for the whole program, or as a single list for a group."""
        if ctx.parent is not None:
            super().format_commands(ctx, formatter)
            return
        widest = max(map(len, self.commands))
        for panel in PANELS:
            lines = [(name.ljust(widest), short) for name, (short, where) in listed().items() if where == panel]
            with formatter.section(panel):
                formatter.write_dl(lines)

    def invoke(self, ctx: Any) -> Any:
        """Run the command and let Ctrl-C propagate, because Typer would exit silently."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Abort from None


def _program_flags(
    context: typer.Context,
    version: Annotated[bool, typer.Option("-V", "--version", help="Print the version.")] = False,
    free: Annotated[
        bool,
        typer.Option("--unchecked", help="Compile your own policies without bounds checks (put it before COMMAND)."),
    ] = False,
    apart: Annotated[
        bool | None,
        typer.Option(
            "--isolated/--trusted",
            help="Run policies from files in separate processes or in this process (put it before COMMAND).",
            show_default=False,
        ),
    ] = None,
) -> None:
    if version:
        typer.echo(f"wsim {wsim.__version__}")
        raise typer.Exit
    if free:
        from wsim.policies.declare import unchecked

        context.with_resource(unchecked())
    if apart is not None:
        from wsim.policies.declare import ISOLATED

        token = ISOLATED.set(apart)
        context.call_on_close(lambda: ISOLATED.reset(token))
    if (isolation := sys.modules.get("wsim.policies.isolation")) is not None:
        isolation.STARTED.clear()  # set by an earlier command in this process
        isolation.TRUSTED.clear()
    context.call_on_close(_report_isolated_policies)
    context.call_on_close(_forget_foreign_code)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _report_isolated_policies() -> None:
    """Print which policies ran isolated in their own processes, and which mistakes they made."""
    if (module := sys.modules.get("wsim.policies.isolation")) is not None:
        for sentence in module.report():
            typer.echo(f"wsim: {sentence}", err=True)


def _forget_foreign_code() -> None:
    """Reset isolation, so that code run by the next command in this process again counts as the user's own."""
    if (module := sys.modules.get("wsim.policies.declare")) is not None:
        module.FOREIGN.set(False)


def listed() -> dict[str, tuple[str, str]]:
    """Return the short help and panel of each command and group listed in ``wsim --help``, by name."""
    commands = {name: (row.short, row.panel) for name, row in COMMANDS.items() if " " not in name}
    return {name: line for name, line in {**commands, **GROUPS}.items() if line[1]}


@lru_cache(maxsize=1)
def app() -> Any:
    """Build the program: Typer creates the group and its flags; the commands of the table are stubs until called."""
    program = typer.Typer(
        name="wsim", cls=Commands, help="A laboratory for the 7 Wonders family of board games.",
        epilog="New here? Play games with wsim run, then browse them with wsim open. wsim COMMAND --help explains each "
        "command.\n\n"
        "Exit codes: 0 success, 1 failure, 2 wrong usage, 3 unproven (wsim balance), 130 interrupted.",
        context_settings={"help_option_names": ["-h", "--help"]}, rich_markup_mode=None,
    )  # fmt: skip
    program.callback(invoke_without_command=True)(_program_flags)
    made: Any = typer.main.get_command(program)
    groups = {"": made.commands, **{name: dict[str, TyperCommand]() for name in GROUPS}}
    for name, row in {**COMMANDS, **{alias: COMMANDS[name] for alias, name in ALIASES.items()}}.items():
        group, _, word = name.rpartition(" ")
        hidden = not (group or row.panel)
        groups[group][word] = TyperCommand(word, short_help=row.short, hidden=hidden, rich_markup_mode=None)
    for name, (text, _) in GROUPS.items():
        made.commands[name] = Commands(name=name, commands=groups[name], help=text, rich_markup_mode=None)
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with the resulting code."""
    words = sys.argv[1:] if arguments is None else arguments

    def call() -> int | None:
        for word in words:
            refuse_unprintable(word, "the argument")
        code: int | None = app().main(list(words), prog_name="wsim", standalone_mode=False)
        return code

    sys.exit(guarded(call))
