"""The program ``wsim``: the list of its commands, of which only the one that is meant is made, and how it ends."""

from __future__ import annotations

import gc
import inspect
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

import click
from click.exceptions import Exit

import wsim
from wsim.cli.command_table import COMMANDS, GROUPS, Row
from wsim.cli.console import guarded
from wsim.cli.parameters import Command
from wsim.errors import UserError, nearest, refuse_unprintable

_GARBAGE = 100_000  # objects before cycles are sought: a command loads as many, and all of them stay
_EPILOG = "Exit codes: 0 done, 1 failure, 2 misuse, 3 unproven (wsim balance), 130 interrupted."
_HELP = {"help_option_names": ["-h", "--help"]}


def _command(name: str, row: Row) -> Command:
    """Make a command of its row; who presents it is imported when it is called."""
    texts = (getattr(group, "kind", None) for group in row.groups.values())
    text = next(inspect.getdoc(kind) for kind in texts if kind is not None)

    def callback() -> None:
        module, _, function = row.presenter.partition(":")
        present = getattr(import_module(f"wsim.cli.{module}"), function)
        present(**command.values(click.get_current_context()))

    command = Command(name, row.groups, help=text, short_help=row.short, callback=lambda **_: callback())
    return command


class Commands(click.Group):
    """Commands of the table, each made when it is called: the list of all needs their short help only."""

    def __init__(self, front: str, **how: Any) -> None:
        super().__init__(context_settings=_HELP, **how)
        self.front = front

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands here, the groups last."""
        inside = [name.removeprefix(self.front) for name in COMMANDS if name.startswith(self.front)]
        own = [name for name in inside if " " not in name]
        return own if self.front else [*own, *GROUPS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command, made now; None if there is none of this name."""
        if not self.front and cmd_name in GROUPS:
            return Commands(f"{cmd_name} ", name=cmd_name, help=GROUPS[cmd_name], no_args_is_help=False)
        row = COMMANDS.get(self.front + cmd_name)
        return None if row is None else _command(cmd_name, row)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant; raise UserError, with the nearest one, if there is none."""
        name = args[0]
        if not ctx.resilient_parsing and not name.startswith("-") and name not in (known := self.list_commands(ctx)):
            near = nearest(name, known).removeprefix(" (did you mean ").removesuffix("?)")
            hint = f". Did you mean {near}?" if near else ": wsim --help lists them"
            raise UserError(f"No such command {name!r}{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of the commands with their short helps."""
        rows = [(name, GROUPS.get(name) or COMMANDS[self.front + name].short) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _first(context: click.Context, version: bool, free: bool, **_: Any) -> None:
    if version:
        click.echo(f"wsim {wsim.__version__}")
        raise Exit(0)
    if free:
        from wsim.policies.declare import unchecked

        context.with_resource(unchecked())
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _completion(context: click.Context, _parameter: click.Parameter, given: bool, *, install: bool) -> None:
    if given and not context.resilient_parsing:
        from wsim.cli.completion import install_completion, show_completion

        (install_completion if install else show_completion)(context.command)
        raise Exit(0)


def app() -> click.Command:
    """Return the program."""
    flag = partial(click.Option, is_flag=True, expose_value=False, is_eager=True)
    params = [
        click.Option(["-V", "--version", "version"], is_flag=True, help="Print the version."),
        click.Option(
            ["--unchecked", "free"], is_flag=True,
            help="Before COMMAND: policies of your own are compiled without bounds checks.",
        ),
        flag(
            ["--install-completion"], callback=partial(_completion, install=True),
            help="Install completion for the current shell.",
        ),
        flag(
            ["--show-completion"], callback=partial(_completion, install=False),
            help="Show completion for the current shell, to copy it or customize the installation.",
        ),
    ]  # fmt: skip
    return Commands(
        "", name="wsim", help="A laboratory for the 7 Wonders family of board games.", epilog=_EPILOG, params=params,
        callback=click.pass_context(_first), invoke_without_command=True, subcommand_metavar="COMMAND [ARGS]...",
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(_GARBAGE)
    words = sys.argv[1:] if arguments is None else arguments

    def call() -> int | None:
        for word in words:
            refuse_unprintable(word, "the argument")
        code: int | None = app().main(list(words), prog_name="wsim", standalone_mode=False)
        return code

    sys.exit(guarded(call))
