"""Options: fields of a frozen dataclass, declared once for the command line, Python, TOML and JSON.

A question (what-if, a match, a search) is a frozen dataclass that inherits from ``Options``; ``option`` creates its
fields. The fields are the options of its command (``wsim.cli.parameters``), the keywords of its function
(``keywords_of``) and the keys of its JSON (``Options.record``). Creating an instance checks every value against its
type and with the field's ``check``; conditions on several fields belong in ``__post_init__`` of the class. Types are
``str``, ``int``, ``float``, ``bool``, ``tuple[str, ...]``, ``tuple[int, ...]``, each also ``| None``; other types need
a ``check``.

This module and those that declare options must be cheap to import, because ``wsim foo --help`` imports them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from wsim.errors import Mistakes, UserError, nearest, refuse_other_types

if TYPE_CHECKING:
    from pathlib import Path

Policy: TypeAlias = "str | Callable[..., int]"
"""A policy as passed by a caller: a line-up entry, or a Python function."""
Check = Callable[[str, Any], Any]
"""Takes the name of an option and its value; returns the validated value, or raises UserError."""


@dataclass(frozen=True, eq=False, repr=False)  # wsim --help creates this class: each method takes time
class Option:
    """The declaration of an option.

    Attributes
    ----------
    help: a sentence, or a function that returns it, called only for the help text.
    metavar: the placeholder for the value in the help, if any.
    names: names on the command line (default: ``--`` and the field's name). aliases: former names, which the help does
        not show.
    shown: the default as the help displays it, if not the value itself.
    read: converts the text from the command line; None: by the type. A tuple without ``read`` is repeatable.
    check: validates the value after its type has been checked.
    alone: the value if the option is given without one; such an option takes the next argument only if it is a number.
    argument: whether it is positional on the command line, and required unless it has a default.
    hidden: whether the command line has no option for it and gets the value in a different way.
    file: whether it names a file or folder; a form accepts only paths in its folder.
    complete: returns shell completions; called without arguments, or with the text so far as ``incomplete``.
    label: its label on a form, in plain words; empty: the field's name.
    picker: what a form offers to choose from: ``value`` (of the catalogue), ``item``, ``metric``, ``policy``,
        ``number`` (of the catalogue, by path), ``ruleset``, ``table``, ``run``, ``goal`` or ``patch``; empty: nothing.
    example: a value that a form shows as an example.
    effort: whether it is the number of deals or games that determines how long an answer takes.
    """

    help: str | Callable[[], str] = ""
    metavar: str | None = None
    names: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    shown: str | Callable[[], str] | None = None
    read: Callable[[str], Any] | None = None
    check: Check | None = None
    alone: str | None = None
    argument: bool = False
    hidden: bool = False
    file: bool = False
    complete: Callable[..., list[str]] | None = None
    label: str = ""
    picker: str = ""
    example: str = ""
    effort: bool = False

    @property
    def sentence(self) -> str:
        """The help text."""
        return self.help if isinstance(self.help, str) else self.help()


def option(help: str | Callable[[], str] = "", default: Any = MISSING, **more: Any) -> Any:  # noqa: A002 (the word of every help)
    """Return a dataclass field that is an option; for ``more`` see ``Option``."""
    return field(default=default, metadata={"option": Option(help, **more)})


def argument(help: str | Callable[[], str] = "", default: Any = MISSING, **more: Any) -> Any:  # noqa: A002
    """Return a dataclass field that is a positional argument of the command line."""
    return option(help, default, argument=True, **more)


def options_of(group: Any) -> dict[str, tuple[Field[Any], Option]]:
    """Return the options of a dataclass by name, in order."""
    return {
        declared.name: (declared, declared.metadata["option"])
        for declared in fields(group)
        if "option" in declared.metadata
    }


@dataclass(frozen=True)
class Options:
    """A frozen dataclass whose fields are options; creating one validates each value."""

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        for name, (declared, spec) in options_of(self).items():
            with mistakes.noted():
                value = typed(name, str(declared.type), getattr(self, name))
                if value is not None and spec.check is not None:
                    value = spec.check(name, value)
                object.__setattr__(self, name, value)
        mistakes.raise_any()

    @classmethod
    def restored(cls, record: Mapping[str, Any]) -> Self:
        """Restore options from a record, possibly with former names; raise UserError or TypeError if it is invalid."""
        return cls(**{former_names(cls).get(name, name): value for name, value in record.items()})

    def record(self) -> dict[str, Any]:
        """Return the options as a JSON object."""
        return {
            key: list(value)
            if isinstance(value, tuple)
            else os.fspath(value)
            if isinstance(value, os.PathLike)
            else value
            for key, value in asdict(self).items()
        }

    def elsewhere(self, folder: Path) -> Self:  # noqa: ARG002
        """Return a copy of the options for a rerun whose output goes to ``folder``."""
        return self


def former_names(group: Any) -> dict[str, str]:
    """Map the former names of options to the current fields."""
    known = options_of(group)
    return {
        key_of(alias): name for name, (_, spec) in known.items() for alias in spec.aliases if key_of(alias) not in known
    }


def key_of(option: str) -> str:
    """Return the key of a command-line option."""
    return option.lstrip("-").replace("-", "_")


def option_words(name: str, spec: Option, kind: str, values: Sequence[str]) -> list[str]:
    """Format an option of a given type and its values as command-line arguments."""
    spelled = (spec.names[0] if spec.names else f"--{name.replace('_', '-')}").partition("/")[0]
    if kind == "bool":
        return [spelled]
    repeated = kind.startswith("tuple") and spec.read is None
    words = []
    for text in values if repeated else [",".join(values)]:
        words += [f"{spelled}={text}"] if text.startswith("-") else [spelled, text]  # --sort=-COLUMN
    return words


def typed(name: str, kind: str, value: Any) -> Any:
    """Convert a value to its type (a list becomes a tuple); raise UserError for a value of any other type."""
    base, *others = kind.removesuffix(" | None").split(" | ")
    if others:
        return value
    if value is None and kind.endswith("None"):
        return None
    if base.startswith("tuple[str"):
        return texts(name, value)
    if base.startswith("tuple[int"):
        return numbers(name, value)
    if base == "bool":
        return flag(name, value)
    if base in _PLAIN:
        refuse_other_types(_PLAIN[base], **{name: value})
        if value is None:
            refuse_other_types(_PLAIN[base], **{name: ...})
    return value


_PLAIN = {"str": str, "int": int, "float": float}


# --- values of one kind: converted, or rejected in one sentence -------------------------------------------------------


def texts(name: str, value: Any) -> tuple[str, ...]:
    """Convert a string or a list of strings to a tuple; raise UserError for anything else."""
    values = (value,) if isinstance(value, str) else value
    if not isinstance(values, list | tuple) or not all(isinstance(text, str) for text in values):
        raise UserError(f"{name} must be a string or a list of strings, not {value!r}")
    return tuple(values)


def numbers(name: str, value: Any) -> tuple[int, ...]:
    """Convert a whole number or a list of whole numbers to a tuple; raise UserError for anything else."""
    values = value if isinstance(value, list | tuple | range) else (value,)
    if any(type(number) is not int for number in values):
        raise UserError(f"{name} must be a whole number or a list of whole numbers, not {value!r}")
    return tuple(values)


def flag(name: str, value: Any) -> bool:
    """Return a Boolean value unchanged; raise UserError for anything else."""
    if not isinstance(value, bool):
        raise UserError(f"{name} must be true or false, not {value!r}")
    return value


def place(name: str, value: Any) -> Path:
    """Convert a string or a path to a path; raise UserError for anything else."""
    if not isinstance(value, str | os.PathLike) or not str(value) or "\0" in str(value):
        raise UserError(f"{name} must be a file or a folder, not {value!r}")
    from pathlib import Path

    return Path(value)


def at_least(least: int) -> Check:
    """Create a check that raises UserError for numbers below ``least``."""

    def check(name: str, value: Any) -> Any:
        if value < least:
            raise UserError(f"{name} must be at least {least}, not {value}")
        return value

    return check


def confidence_level(_name: str, value: Any) -> Any:
    """Raise UserError unless the value is a valid confidence level."""
    if not 0 < value < 1:
        raise UserError(f"a confidence level must be between 0 and 1, not {value!r}")
    return value


def level_option() -> Any:
    """Return a dataclass field for a confidence level."""
    return option(
        "Confidence level of the intervals.", 0.95, metavar="LEVEL", check=confidence_level,
        label="Confidence of the intervals",
    )  # fmt: skip


def half_width(name: str, value: Any) -> Any:
    """Raise UserError unless the value is a valid half width of an interval."""
    if not 0 < value < float("inf"):
        raise UserError(f"{name} must be a half width above 0, such as 0.01, not {value!r}")
    return value


def within_option(figures: str) -> Any:
    """Return a dataclass field for a target precision; ``figures``: the figures whose intervals must reach it."""
    return option(
        f"Play on until {figures} is known to within this half width.",
        None, metavar="WIDTH", check=half_width, aliases=("--precision",), label="Target half width of the intervals",
    )  # fmt: skip


def error_rate(_name: str, value: Any) -> Any:
    """Raise UserError unless the value is an acceptable false-alarm rate."""
    if not 0 < value <= 0.5:
        raise UserError(
            f"alpha, the accepted chance of a false alarm, must be between 0 and 1/2, such as 0.05, not {value!r}"
        )
    return value


SPENDING = ("obrien_fleming", "pocock")


def spending_function(_name: str, value: Any) -> Any:
    """Raise UserError unless the value names a spending function."""
    if value not in SPENDING:
        known = ", ".join(SPENDING)
        raise UserError(f"unknown spending function {value!r}{nearest(value, SPENDING)}: it is one of {known}")
    return value


def smallest_effect(_name: str, value: Any) -> Any:
    """Raise UserError unless the margin is positive."""
    if not value > 0:
        raise UserError(f"the margin must be larger than 0, not {value!r}")
    return value


LONGEST = 40  # maximum length of a number
_POWERS = {"k": 3, "m": 6}


@cache
def _number() -> re.Pattern[str]:
    return re.compile(r"([+-]?)(\d[\d_,]*)(?:\.(\d+))?(?:e(\d\d?)|([km]))?", re.ASCII | re.IGNORECASE)


def short_number(text: str) -> int | None:
    """Parse at most nine digits with an optional minus sign; return None for any other text.

    >>> short_number("-12"), short_number("--1"), short_number("9" * 5000)
    (-12, None, None)
    """
    return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None


def whole(text: str) -> int:
    """Parse a whole number, also as 1e6, 10k, 2.5m or 1,000; raise UserError if it is invalid.

    >>> whole("2.5k")
    2500
    """
    text = text.strip()
    match = _number().fullmatch(text)
    if match is None or len(text) > LONGEST:
        raise UserError(f"{text[:LONGEST]!r} is not a whole number: write it as 10000, 10k or 1e4")
    sign, digits, fraction, power, letter = match.groups()
    places = int(power or _POWERS.get((letter or "").lower(), 0)) - len(fraction or "")
    number = int(digits.replace("_", "").replace(",", "") + (fraction or ""))
    if places < 0 and number % 10**-places:
        raise UserError(f"{text!r} is not a whole number")
    scaled: int = number * 10**places if places >= 0 else number // 10**-places
    return -scaled if sign == "-" else scaled


def decimal(text: str) -> float:
    """Parse a number; raise UserError if it is invalid."""
    try:
        return float(text)
    except ValueError:
        raise UserError(f"{text!r} is not a number: write it as 0.05") from None


def names(text: str) -> tuple[str, ...]:
    """Parse comma-separated names."""
    return tuple(filter(None, map(str.strip, text.split(","))))


READERS: Mapping[str, Callable[[str], Any]] = {"str": str, "Path": str, "bool": bool, "int": whole, "float": decimal}


def keywords_of(group: type[Any]) -> Iterator[tuple[str, str, Any, str]]:
    """Yield the name, annotation, default and help text of each option as a keyword of a Python function."""
    for name, (declared, spec) in options_of(group).items():
        given = " | ".join(_GIVEN.get(kind, kind) for kind in str(declared.type).split(" | "))
        yield name, given, None if declared.default is MISSING else declared.default, spec.sentence


_GIVEN = {
    "tuple[str, ...]": "str | Sequence[str]",
    "tuple[Policy, ...]": "str | Callable[..., int] | Sequence[str | Callable[..., int]]",
    "tuple[int, ...]": "int | Sequence[int]",
    "Path": "str | os.PathLike[str]",
}
"""The types that a caller may pass for a field."""
