"""The plan keys on the command line: options common to all plans, and options of each game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from wsim.cli.parameters import split
from wsim.errors import UserError
from wsim.options import Option, options_of

if TYPE_CHECKING:
    import typer

    from wsim.cli.plan_options import PlanOptions


@dataclass(frozen=True, eq=False, repr=False)  # wsim --help creates this class, and each generated method takes time
class PlanKeys:
    """The option group for a plan, with the plan's keys and the options of each game.

    Attributes
    ----------
    left_out: keys that the command sets itself. only: the subset of keys to use; empty: all keys. file: whether a plan
        file is accepted; None: only if all keys are accepted.
    games: the default number of games to show in the help; empty: the default of the game's plan.
    others: keys whose option has a different name, such as ``--base-set`` in a command where ``--set`` is the change.
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
        """Return the options for the plan file and the plan keys, all optional because a plan has defaults."""
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
        """Collect the parts of the plan given on the command line."""
        from wsim.cli.plan_options import PlanOptions  # not needed by `wsim --help`

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
        """Return one help section per game, with its options or with the reason why the game cannot be loaded."""
        from wsim.cli.plan_options import option_of
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
