"""Options that several commands share: the keys of a plan, named as in its file; a run and what is shown of its table.

``@plan_options()`` puts the keys of a plan in front of a command's own parameters; the command takes them as its
parameter ``given``. ``@table_options()`` does the same with a run and the view of its table (``asked``).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wsim.cli.exports import Files
from wsim.cli.table_command import Asked, View
from wsim.errors import UserError, nearest

if TYPE_CHECKING:
    from wsim.lab.plan import Plan

__all__ = [
    "DEFAULT_RULESET",
    "EVERY_SEAT",
    "EXTRA_OPTIONS",
    "PLAN_OPTIONS",
    "ClusterAddress",
    "Csv",
    "Filter",
    "Given",
    "Json",
    "Level",
    "Parquet",
    "PlainCommand",
    "PlanCommand",
    "Quiet",
    "RunFolder",
    "RunFolders",
    "Sort",
    "Threads",
    "Top",
    "TraceCommand",
    "Trust",
    "Wide",
    "names_of",
    "plan_options",
    "table_options",
    "whole",
]


LONGEST = 40  # letters of a number
_POWERS = {"k": 3, "m": 6}
_WHOLE = re.compile(r"([+-]?)(\d[\d_,]*)(?:\.(\d+))?(?:e(\d\d?)|([km]))?", re.ASCII | re.IGNORECASE)


def whole(text: str) -> int:
    """Read a whole number, also as 1e6, 10k, 2.5m or 1,000; the message of a mistake names it.

    >>> whole("2.5k")
    2500
    """
    text = str(text).strip()  # a default is a number already
    match = _WHOLE.fullmatch(text)
    if match is None or len(text) > LONGEST:
        raise typer.BadParameter(f"{text[:LONGEST]!r} is not a whole number: write it as 10000, 10k or 1e4")
    sign, digits, fraction, power, letter = match.groups()
    places = int(power or _POWERS.get((letter or "").lower(), 0)) - len(fraction or "")
    number = int(digits.replace("_", "").replace(",", "") + (fraction or ""))
    if places < 0 and number % 10**-places:
        raise typer.BadParameter(f"{text!r} is not a whole number")
    scaled: int = number * 10**places if places >= 0 else number // 10**-places
    return -scaled if sign == "-" else scaled


Threads = Annotated[
    int | None,
    typer.Option(help="Threads that play.", parser=whole, metavar="N", show_default="all usable processors"),
]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="ADDRESS", help="Play on Dask workers: local:4, or tcp://host:8786 (wsim[cluster])."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar, no remarks.")]

EVERY_SEAT = "every"
"""What ``--why`` without a seat stands for."""
EXTRA_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Context settings of a command that takes options which it does not know: those of one game, or of one table."""


class PlainCommand(typer.core.TyperCommand):
    """A command whose help speaks of files and runs, not of types: ``RUN``, not ``{RUN} <str>``."""

    def get_help(self, context: Any) -> str:
        """Return the help, type names blanked out."""
        said = super().get_help(context)
        return _TYPE_NAMES.sub(lambda match: " " * len(match[0]), said.replace("{RUN}", "RUN").replace("[[", "["))


_TYPE_NAMES = re.compile(r"(?<=\S) <[a-z]\w*(?:\[\w+\])?>(?=  |\n)")


class PlanCommand(PlainCommand):
    """A command with ``plan_options``: its help ends with the options that only some game has."""

    def format_epilog(self, context: Any, formatter: Any) -> None:
        """Write the options of each game; the games are imported only here."""
        from wsim.game import GAMES, find_game

        for name in GAMES:
            try:
                game = find_game(name)
            except UserError as broken:
                formatter.write_text(str(broken))
                continue
            with formatter.section(f"Options of {game.TITLE} (--game {name})"):
                formatter.write_dl([(_option_of(key), text) for key, text in game.OPTIONS.items()])
        super().format_epilog(context, formatter)


class TraceCommand(PlanCommand):
    """A command whose option ``--why`` may stand alone: then it is for every seat."""

    def parse_args(self, context: Any, args: list[str]) -> list[str]:
        """Give ``--why`` the seat that follows it, or none."""
        words: list[str] = []
        for word in args:
            if words and words[-1] == "--why" and word.lstrip("-").isdigit():
                words[-1] = f"--why={word}"
            else:
                words.append(word)
        words = [f"--why={EVERY_SEAT}" if word == "--why" else word for word in words]
        return super().parse_args(context, words)


def _option_of(key: str) -> str:
    return "--" + key.replace("_", "-")


DEFAULT_RULESET = "1e; of tower_of_babel 2005"
DEFAULT_PLAYERS = "4; 2 of the rule sets for two"
DEFAULT_GAMES = "25,000; of tower_of_babel 100,000"
DEFAULT_POLICIES = "net; of tower_of_babel builder,supplier,collector,majority"
"""What ``default_plan`` of the games says; a test compares them."""


def _games() -> Mapping[str, str]:
    from wsim.game import GAMES

    return GAMES


def _policy_names(incomplete: str) -> list[str]:
    """Complete the last name of a line-up."""
    from wsim.game import find_game

    before, comma, last = incomplete.rpartition(",")
    names = {str(row["name"]) for game in _games() for row in find_game(game).policies()}
    return [before + comma + name for name in sorted(names) if name.startswith(last)]


PLAN_OPTIONS: Mapping[str, Any] = {
    "plan_file": Annotated[
        str | None,
        typer.Option("--plan", metavar="FILE", help="Read the options from this TOML file; options given here win."),
    ],
    "game": Annotated[
        str | None,
        typer.Option(
            metavar="GAME",
            help="seven_wonders or tower_of_babel.",
            show_default="seven_wonders",
            autocompletion=lambda: list(_games()),
        ),
    ],
    "ruleset": Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Which rules and components: wsim catalog --rulesets.", show_default=DEFAULT_RULESET
        ),
    ],
    "players": Annotated[
        int | None,
        typer.Option(help="Players at the table.", parser=whole, metavar="N", show_default=DEFAULT_PLAYERS),
    ],
    "games": Annotated[int | None, typer.Option(parser=whole, metavar="N")],
    "seed": Annotated[
        int | None, typer.Option(help="Seed of all random streams.", parser=whole, metavar="N", show_default="1")
    ],
    "policies": Annotated[
        str | None,
        typer.Option(
            metavar="LINE-UP",
            help="One policy for all seats, or one per seat: balanced,science,random:explore=0.1,./mine.py:bold",
            show_default=DEFAULT_POLICIES,
            autocompletion=_policy_names,
        ),
    ],
    "rotate": Annotated[
        bool | None,
        typer.Option(
            "--rotate/--fixed-seats",
            help="Move the line-up on by one seat from game to game.",
            show_default="--rotate",
        ),
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
    "picks": Annotated[
        bool | None, typer.Option("--picks/--no-picks", help="Record every decision, too.", show_default="--no-picks")
    ],
    "keep": Annotated[
        str | None,
        typer.Option(
            metavar="TABLES",
            help="What is written: seats, seats,picks, or summary: no rows, only the sums behind the main tables.",
            show_default="seats",
        ),
    ],
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

    def resolve(self, base: Plan | None = None, **defaults: Any) -> Plan:
        """Return the plan: ``base`` or ``defaults``, under the plan file, under the options.

        Files are looked for where each of them was named (``wsim.lab.plan.layered``). Raises UserError for a mistake.
        """
        from wsim.lab.plan import layered

        keys = {**self.keys, **self._of_game(base)}
        plan = layered(base, self.file, keys)
        unsaid = {key: value for key, value in defaults.items() if key not in keys and key not in self._in_file()}
        return plan.replace(**unsaid) if unsaid else plan

    def code_is_named(self) -> bool:
        """Say whether the user has named the policies himself, here or in a plan file."""
        return "policies" in self.keys or "policies" in self._in_file()

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
                known = [*self.options, *map(_option_of, own)]
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


Sort = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Sort by this column, largest first; -COLUMN: smallest first.")
]
Top = Annotated[int | None, typer.Option(help="Show only the first rows.", parser=whole, metavar="N")]
Filter = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="CONDITION",
        help="Show only these rows: COLUMN=VALUE, card=Altar,Baths, policy!=random, n>=1000 (repeatable).",
    ),
]
Trust = Annotated[
    bool, typer.Option("--trust", help="Run the policy code that the run folder names and keeps, whoever wrote it.")
]
RunFolder = Annotated[str, typer.Argument(metavar="RUN", help="A folder that wsim run wrote.", show_default=False)]
RunFolders = Annotated[
    list[str],
    typer.Argument(metavar="RUN", help="A folder that wsim run wrote; several stand in one table.", show_default=False),
]
Wide = Annotated[bool, typer.Option("--wide", help="Show every column, in several parts if there is no room.")]
Level = Annotated[float, typer.Option(metavar="LEVEL", help="Confidence level of the intervals.")]
Csv = Annotated[
    str | None, typer.Option("--csv", metavar="FILE", help="Write the rows as CSV, too; - prints them instead.")
]
Parquet = Annotated[str | None, typer.Option("--parquet", metavar="FILE", help="Write the rows as Parquet, too.")]
VIEW_OPTIONS: Mapping[str, tuple[Any, Any]] = {
    "by": (
        Annotated[
            str | None,
            typer.Option(
                metavar="COLUMNS",
                help="Rows by these columns instead: policy, wonder, seat, wonder_left, ... (with commas).",
            ),
        ],
        None,
    ),
    "level": (Level, 0.95),
    "sort": (Sort, None),
    "top": (Top, None),
    "only": (Filter, None),
    "wide": (Wide, False),
    "csv": (Csv, None),
    "parquet": (Parquet, None),
    "as_json": (Json, False),
}
"""Every option of a view with its default."""


def names_of(text: str | None) -> tuple[str, ...]:
    """Split a list of names with commas."""
    return tuple(filter(None, map(str.strip, (text or "").split(","))))


def plan_options(*left_out: str, games: str = DEFAULT_GAMES) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a plan, but for those left out; it takes them as its parameter ``given``.

    ``games``: how many it plays unless told otherwise, for its help.
    """
    shared = {name: annotation for name, annotation in PLAN_OPTIONS.items() if name not in left_out}
    if "games" in shared:
        help_text = "How many games, numbered from 0: 20000, 20k or 2e4."
        option = typer.Option(help=help_text, parser=whole, metavar="N", show_default=games)
        shared["games"] = Annotated[int | None, option]

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        def command(context: typer.Context, **values: Any) -> None:
            keys = {name: value for name in shared if (value := values.pop(name)) not in (None, [])}
            function(given=_given(context, keys), **values)

        front = [_parameter(name, annotation) for name, annotation in shared.items()]
        return _signed(command, function, [*front, *_own(function, "given")])

    return decorate


def table_options(**of_table: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command a run and the options of a view of its table; it takes them as its parameter ``asked``.

    ``of_table``: annotations of options of the table itself, as text. ``asked`` has those that were given, beside the
    options that the command does not know (``EXTRA_OPTIONS``).
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        def command(context: typer.Context, **values: Any) -> None:
            named = {name: values.pop(name) for name in of_table}
            asked = _asked(context, {name: values.pop(name) for name in ("runs", *VIEW_OPTIONS)}, named)
            function(asked=asked, **values)

        runs = _parameter("runs", RunFolders, inspect.Parameter.empty)
        own = [*_own(function, "asked"), *(_parameter(name, annotation) for name, annotation in of_table.items())]
        view = [_parameter(name, annotation, default) for name, (annotation, default) in VIEW_OPTIONS.items()]
        return _signed(command, function, [runs, *own, *view])

    return decorate


def _asked(context: typer.Context, view: Mapping[str, Any], named: Mapping[str, Any]) -> Asked:
    words = [*view["runs"], *context.args]  # with EXTRA_OPTIONS, what is unknown stands among the runs
    first = next((place for place, word in enumerate(words) if word.startswith("-")), len(words))
    pairs, arguments = _split(words[first:])
    if arguments:
        raise UserError(f"{context.info_name} takes no argument {arguments[0]!r}")
    if not first:
        raise UserError(f"{context.info_name} shows a run: name its folder before {words[0]}")
    options: dict[str, list[str | None]] = {}
    for option, text in pairs:
        options.setdefault(option.lstrip("-").replace("-", "_"), []).append(text)
    for name, given in named.items():
        if given not in (None, False, []):
            options[name] = [None] if given is True else given if isinstance(given, list) else [given]
    return Asked(
        folders=tuple(words[:first]),
        view=View(view["sort"], view["top"], tuple(view["only"] or ()), view["wide"]),
        as_json=view["as_json"],
        by=names_of(view["by"]),
        options=options,
        level=view["level"],
        files=Files(view["csv"], view["parquet"]),
    )


def _parameter(name: str, annotation: Any, default: Any = None) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _own(function: Callable[..., None], without: str) -> list[inspect.Parameter]:
    """Return the parameters of a command's function but for the one that a decorator fills in."""
    return [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in inspect.signature(function, eval_str=True).parameters.values()
        if parameter.name != without
    ]


def _signed(
    command: Callable[..., None], function: Callable[..., None], own: Sequence[inspect.Parameter]
) -> Callable[..., None]:
    """Give a command the name, the help and the parameters by which typer knows it."""
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    parameters = [context, *own]
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _given(context: typer.Context, keys: dict[str, Any]) -> Given:
    pairs, arguments = _split(context.args)
    return Given(
        command=str(context.info_name),
        keys=keys,
        file=keys.pop("plan_file", None),
        extra=dict(pairs),
        arguments=arguments,
        options=[name for option in context.command.params for name in (*option.opts, *option.secondary_opts)],
    )


def _split(words: Sequence[str]) -> tuple[list[tuple[str, str | None]], list[str]]:
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
