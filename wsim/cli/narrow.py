"""The command line with the command that is asked for alone.

Typer makes all commands of their signatures before it looks which one is meant: as long as the tables of a small run.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy

import typer
from typer.models import CommandInfo

__all__ = ["narrowed"]


def narrowed(app: typer.Typer, words: Iterable[str]) -> typer.Typer:
    """Return ``app`` with the command or group that the first word names; as it is where that names none."""
    word = next(iter(words), "")
    found = copy(app)
    found.registered_commands = _named(word, app.registered_commands)
    found.registered_groups = [group for group in app.registered_groups if group.name == word]
    for group in app.registered_groups:
        inside = group.typer_instance
        if inside is not None and not isinstance(group.name, str):  # without a name, its commands are those of app
            chosen, own = copy(group), copy(inside)
            own.registered_commands = _named(word, inside.registered_commands)
            chosen.typer_instance = own
            found.registered_groups += [chosen] if own.registered_commands else []
    return found if found.registered_commands or found.registered_groups else app


def _named(word: str, commands: Iterable[CommandInfo]) -> list[CommandInfo]:
    """Return those of some commands that a word names: one or none."""
    return [one for one in commands if word == (one.name or _name_of(one))]


def _name_of(command: CommandInfo) -> str | None:
    """Return the name that a command has of its function."""
    return command.callback and typer.main.get_command_name(command.callback.__name__)
