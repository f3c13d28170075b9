"""Options that several commands share: the keys of a plan, under the names that they have in its file.

``@plan_options()`` puts them in front of a command's own parameters. The command takes them as its parameter ``given``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wsim.errors import UserError, nearest

if TYPE_CHECKING:
    from wsim.lab.plan import Plan

__all__ = ["EXTRA_OPTIONS", "Given", "Json", "Quiet", "Threads", "plan_options", "whole"]


def whole(text: str) -> int:
    """Read a whole number; the message of a mistake names it."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a whole number") from None


Threads = Annotated[
    int | None,
    typer.Option(help="Threads that play.", parser=whole, metavar="N", show_default="all usable processors"),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar, no remarks.")]

EXTRA_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Context settings of a command with ``plan_options``: an option of one game only is written ``--key value``, too."""

PLAN_OPTIONS: Mapping[str, Any] = {
    "plan_file": Annotated[
        str | None,
        typer.Option("--plan", metavar="FILE", help="Read the options from this TOML file; options given here win."),
    ],
    "game": Annotated[str | None, typer.Option(help="Which game.", show_default="seven_wonders")],
    "ruleset": Annotated[str | None, typer.Option(help="Which rules and components.", show_default="the game's first")],
    "players": Annotated[
        int | None,
        typer.Option(help="Players at the table.", parser=whole, metavar="N", show_default="the game's usual number"),
    ],
    "games": Annotated[
        int | None,
        typer.Option(help="How many games, numbered from 0.", parser=whole, metavar="N", show_default="100000"),
    ],
    "seed": Annotated[
        int | None, typer.Option(help="Seed of all random streams.", parser=whole, metavar="N", show_default="1")
    ],
    "policies": Annotated[
        str | None,
        typer.Option(
            metavar="LINE-UP",
            help="One policy for all seats, or one per seat: balanced,science,random:explore=0.1,./mine.py:bold",
            show_default="the game's mixed line-up",
        ),
    ],
    "rotate": Annotated[
        bool | None,
        typer.Option("--rotate/--fixed-seats", help="Move the line-up on by one seat from game to game."),
    ],
    "wonders": Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Boards: random, balanced, one per seat such as Gizah,random,..., or rotate:Gizah,... (7 Wonders).",
        ),
    ],
    "sides": Annotated[
        str | None, typer.Option(metavar="SIDES", help="Sides: random, one for all, or one per seat (7 Wonders).")
    ],
    "cards": Annotated[
        str | None, typer.Option(metavar="FILE", help="Read this catalogue instead of the one that comes with wsim.")
    ],
    "patch": Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Lay this file over the catalogue (repeatable).")
    ],
    "set": Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH=VALUE", help="Change one value of the catalogue (repeatable): cards.Palace.points=6"
        ),
    ],
    "picks": Annotated[bool | None, typer.Option("--picks/--no-picks", help="Record every decision, too.")],
}


@dataclass(frozen=True)
class Given:
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

    def resolve(self, base: Mapping[str, Any] | None = None) -> Plan:
        """Return the plan: ``base``, under the plan file, under the options; raise UserError for a mistake."""
        from wsim.catalog.source import read_toml
        from wsim.game import GAMES, find_game
        from wsim.lab.plan import Plan, renamed

        values = {**(base or {}), **(read_toml(self.file, "plan") if self.file else {}), **self.keys}
        own = find_game(str(values.get("game", next(iter(GAMES))))).OPTIONS
        for option, value in self.extra.items():
            key = option.lstrip("-").replace("-", "_")
            if key not in own:
                known = [*self.options, *("--" + name.replace("_", "-") for name in own)]
                hint = renamed(key, [name.lstrip("-") for name in known]) or nearest(option, known)
                raise UserError(f"{self.command} has no option {option!r}{hint}")
            if value is None:
                raise UserError(f"the option {option!r} needs a value: {own[key]}")
            values[key] = value
        return Plan.make(**values)

    def no_arguments(self) -> None:
        """Raise UserError if there are words that belong to no option."""
        if self.arguments:
            raise UserError(f"{self.command} takes no argument {self.arguments[0]!r}")


def plan_options(*left_out: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a plan, but for those left out; it takes them as its parameter ``given``."""
    shared = {name: annotation for name, annotation in PLAN_OPTIONS.items() if name not in left_out}

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in inspect.signature(function, eval_str=True).parameters.values()
            if parameter.name != "given"
        ]

        def command(context: typer.Context, **values: Any) -> None:
            keys = {name: value for name in shared if (value := values.pop(name)) not in (None, [])}
            function(given=_given(context, keys), **values)

        keyword, context = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter("context", context, annotation=typer.Context)]
        parameters += [inspect.Parameter(name, keyword, default=None, annotation=kind) for name, kind in shared.items()]
        parameters += own
        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return command

    return decorate


def _given(context: typer.Context, keys: dict[str, Any]) -> Given:
    extra, arguments = _split(context.args)
    return Given(
        command=str(context.info_name),
        keys=keys,
        file=keys.pop("plan_file", None),
        extra=extra,
        arguments=arguments,
        options=[name for option in context.command.params for name in (*option.opts, *option.secondary_opts)],
    )


def _split(words: Sequence[str]) -> tuple[dict[str, str | None], list[str]]:
    """Split words into options with their values (``--key value``, ``--key=value``, ``--key``) and arguments."""
    extra: dict[str, str | None] = {}
    arguments: list[str] = []
    for position, word in enumerate(words):
        if word.startswith("-"):
            option, equals, value = word.partition("=")
            extra[option] = value if equals else None
        elif position and words[position - 1] in extra and extra[words[position - 1]] is None:
            extra[words[position - 1]] = word
        else:
            arguments.append(word)
    return extra, arguments
