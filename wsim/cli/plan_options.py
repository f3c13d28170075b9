"""Parts of a plan given on the command line, which are combined with a plan file into a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest

if TYPE_CHECKING:
    from wsim.lab.plan import Plan


@dataclass(frozen=True)
class PlanOptions:
    """The parts of a plan given on the command line.

    Attributes
    ----------
    command: the name of the command for messages (``run``).
    keys: the given keys of the plan.
    file: the plan file, if given.
    extra: options that the command does not know, with their values: options of a game, or mistakes.
    arguments: the positional arguments.
    options: the options that the command knows.
    """

    command: str
    keys: Mapping[str, Any]
    file: str | None
    extra: Mapping[str, str | None]
    arguments: Sequence[str]
    options: Sequence[str]

    def resolve(self, base: Plan | None = None, **defaults: Any) -> Plan:
        """Build the plan: options override the plan file, which overrides ``base`` or ``defaults``.

        Paths are relative to the source that names them (``wsim.lab.plan.layered``). Raises UserError for an invalid
        plan.
        """
        from wsim.lab.plan import layered

        keys = {**self.keys, **self._of_game(base)}
        plan = layered(base, self.file, keys)
        more = {key: value for key, value in defaults.items() if key not in keys and key not in self._in_file()}
        return plan.replace(**more) if more else plan

    def code_needing_trust(self, plan: Plan) -> tuple[str, ...]:
        """Return the code in a plan that the user has named neither on the command line nor in a plan file."""
        named = {*self.keys, *self._in_file()}
        effects = plan.effects
        card_files = {name: "cards" if name == plan.cards and name not in plan.patch else "patch" for name in effects}
        left = {str(path) for name, path in effects.items() if card_files[name] not in named}
        every = {str(path) for path in effects.values()}
        return tuple(code for code in plan.code if (code in left if code in every else "policies" not in named))

    def _in_file(self) -> Mapping[str, Any]:
        """Return the keys that the plan file sets."""
        from wsim.spec.source import read_toml

        return read_toml(self.file, "plan") if self.file else {}

    def _of_game(self, base: Plan | None) -> dict[str, str]:
        """Return the given options of the game; raise UserError for an unknown option."""
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
        """Raise UserError if the user gave positional arguments."""
        if self.arguments:
            raise UserError(f"{self.command} takes no argument {self.arguments[0]!r}")


def option_of(key: str) -> str:
    """Return the name of the command-line option for a plan key."""
    return "--" + key.replace("_", "-")
