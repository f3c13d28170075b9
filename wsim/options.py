"""Options: the fields of a frozen dataclass, said once for the command line, Python, TOML and JSON.

A question (what-if, a match, a search) is a frozen dataclass that inherits ``Options``, each field made by ``option``.
The fields are the options of its command (``wsim.cli.parameters``), the keywords of its function (``keywords``,
``taken``) and the keys of its JSON (``Options.record``). Making one checks every value by its type and by what the
field says; what concerns several fields is for ``__post_init__`` of the class. Types are ``str``, ``int``, ``float``,
``bool``, ``tuple[str, ...]``, ``tuple[int, ...]``, each also ``| None``; any other is for the field's own ``check``.

Nothing here is heavy, and nothing that declares options may be: ``wsim foo --help`` imports it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from wsim.errors import Mistakes, UserError, nearest, refuse_other_types

if TYPE_CHECKING:
    from pathlib import Path

Check = Callable[[str, Any], Any]
"""Takes the name of an option and its value; returns the sound value, or raises UserError."""


@dataclass(frozen=True)
class Option:
    """What a field says of itself.

    Attributes
    ----------
    help: a sentence, or what says it: only the help then imports what it takes.
    metavar: what stands for the value in the help; none: nothing does.
    names: of the command line; none: ``--`` and the field's name.
    shown: what the help says of the default, if it is not a value to be shown.
    read: makes the value of the one text of the command line; None: by the type. A tuple without it is repeatable.
    check: makes the value sound, after its type was checked.
    alone: what it stands for without a value, if it may do without one; only a number that follows is its value then.
    argument: whether it stands on the command line without a name, needed unless it has a default.
    hidden: whether the command line takes it elsewhere, and has no option of this name.
    complete: what a shell is given to choose from: takes nothing, or the text so far as ``incomplete``.
    """

    help: str | Callable[[], str] = ""
    metavar: str | None = None
    names: tuple[str, ...] = ()
    shown: str | Callable[[], str] | None = None
    read: Callable[[str], Any] | None = None
    check: Check | None = None
    alone: str | None = None
    argument: bool = False
    hidden: bool = False
    complete: Callable[..., list[str]] | None = None

    @property
    def sentence(self) -> str:
        """What the help says."""
        return self.help if isinstance(self.help, str) else self.help()


def option(help: str | Callable[[], str] = "", default: Any = MISSING, **more: Any) -> Any:  # noqa: A002 (the word of every help)
    """Return a field of a dataclass that is an option; ``more``: see ``Option``."""
    return field(default=default, metadata={"option": Option(help, **more)})


def argument(help: str | Callable[[], str] = "", default: Any = MISSING, **more: Any) -> Any:  # noqa: A002
    """Return a field of a dataclass that is an argument of the command line."""
    return option(help, default, argument=True, **more)


def options_of(group: Any) -> dict[str, tuple[Field[Any], Option]]:
    """Return the options of a dataclass by name, in order."""
    return {one.name: (one, one.metadata["option"]) for one in fields(group) if "option" in one.metadata}


@dataclass(frozen=True)
class Options:
    """A frozen dataclass whose fields are options; making one checks each value."""

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        for name, (one, said) in options_of(self).items():
            with mistakes.noted():
                value = typed(name, str(one.type), getattr(self, name))
                if value is not None and said.check is not None:
                    value = said.check(name, value)
                object.__setattr__(self, name, value)
        mistakes.raise_any()

    def record(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        return {key: list(one) if isinstance(one, tuple) else one for key, one in asdict(self).items()}


def typed(name: str, kind: str, value: Any) -> Any:
    """Return a value as its type has it, a list as a tuple; raise UserError for one of another type."""
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


# --- values of one kind: text in, sound value out, one sentence for a mistake -----------------------------------------


def texts(name: str, value: Any) -> tuple[str, ...]:
    """Return a list of texts, of which a single text is one of one; raise UserError for anything else."""
    values = (value,) if isinstance(value, str) else value
    if not isinstance(values, list | tuple) or not all(isinstance(one, str) for one in values):
        raise UserError(f"{name} must be a text or a list of texts, not {value!r}")
    return tuple(values)


def numbers(name: str, value: Any) -> tuple[int, ...]:
    """Return whole numbers, of which a single number is one of one; raise UserError for anything else."""
    values = value if isinstance(value, list | tuple | range) else (value,)
    if any(type(number) is not int for number in values):
        raise UserError(f"{name} must be a whole number or several, not {value!r}")
    return tuple(values)


def flag(name: str, value: Any) -> bool:
    """Return true or false; raise UserError for anything else."""
    if not isinstance(value, bool):
        raise UserError(f"{name} must be true or false, not {value!r}")
    return value


def place(name: str, value: Any) -> Path:
    """Return the path of a file or a folder; raise UserError for what is none."""
    if not isinstance(value, str | os.PathLike) or not str(value) or "\0" in str(value):
        raise UserError(f"{name} must be a file or a folder, not {value!r}")
    from pathlib import Path

    return Path(value)


def at_least(least: int) -> Check:
    """Return the check of a number from ``least`` up."""

    def check(name: str, value: Any) -> Any:
        if value < least:
            raise UserError(f"{name} must be at least {least}, not {value}")
        return value

    return check


def confidence_level(_name: str, value: Any) -> Any:
    """Refuse what is no confidence level."""
    if not 0 < value < 1:
        raise UserError(f"a confidence level lies between 0 and 1, not {value!r}")
    return value


def level_option() -> Any:
    """Return the field of a confidence level."""
    return option("Confidence level of the intervals.", 0.95, metavar="LEVEL", check=confidence_level)


def error_rate(_name: str, value: Any) -> Any:
    """Refuse what is no accepted chance of a false alarm."""
    if not 0 < value <= 0.5:
        raise UserError(
            f"alpha is the accepted chance of a false alarm, such as 0.05, not {value!r}: it lies between 0 and 1/2"
        )
    return value


SPENDING = ("obrien_fleming", "pocock")


def spending_function(_name: str, value: Any) -> Any:
    """Refuse what is no way to spend an error rate over the looks at the data."""
    if value not in SPENDING:
        known = ", ".join(SPENDING)
        raise UserError(f"unknown spending function {value!r}: it is one of {known}{nearest(value, SPENDING)}")
    return value


def smallest_effect(_name: str, value: Any) -> Any:
    """Refuse a margin that is none."""
    if not value > 0:
        raise UserError(f"the margin must be larger than 0, not {value!r}")
    return value


LONGEST = 40  # letters of a number
_POWERS = {"k": 3, "m": 6}


@cache
def _number() -> re.Pattern[str]:
    return re.compile(r"([+-]?)(\d[\d_,]*)(?:\.(\d+))?(?:e(\d\d?)|([km]))?", re.ASCII | re.IGNORECASE)


def whole(text: str) -> int:
    """Read a whole number, also as 1e6, 10k, 2.5m or 1,000; raise UserError for what is none.

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
    """Read a number; raise UserError for what is none."""
    try:
        return float(text)
    except ValueError:
        raise UserError(f"{text!r} is not a number: write it as 0.05") from None


def names(text: str) -> tuple[str, ...]:
    """Read names with commas between them."""
    return tuple(filter(None, map(str.strip, text.split(","))))


READERS: Mapping[str, Callable[[str], Any]] = {"str": str, "Path": str, "bool": bool, "int": whole, "float": decimal}


# --- the keywords of a function ---------------------------------------------------------------------------------------

_Group = TypeVar("_Group", bound=Options)
_Function = TypeVar("_Function", bound=Callable[..., Any])


def taken(keys: dict[str, Any], group: type[_Group], **more: Any) -> _Group:
    """Take the fields of a dataclass out of the keywords of a function and return them checked; the rest stays."""
    own = {one.name: keys.pop(one.name) for one in fields(group) if one.name in keys}
    return group(**own, **more)


def refuse_more(keys: Mapping[str, Any], function: Callable[..., Any]) -> None:
    """Raise UserError for a keyword that nothing has taken."""
    import inspect

    described(function)
    for name in keys:
        known = list(inspect.signature(function).parameters)
        raise UserError(f"{function.__name__} has no option {name!r}{nearest(name, known)}")


def keywords(*groups: Any, left_out: Iterable[str] = ()) -> Callable[[_Function], _Function]:
    """Say which options ``**keys`` of a function takes, for ``described``.

    ``groups``: dataclasses; or functions that return mappings from names to annotations, such as the keys of a plan.
    """

    def mark(function: _Function) -> _Function:
        function.__keywords__ = (groups, tuple(left_out))  # type: ignore[attr-defined]
        return function

    return mark


def described(function: Any) -> None:
    """Let ``inspect.signature``, ``help`` and whatever completes by them see the options that a function takes.

    Not before somebody asks for the function by its public name: options of games are theirs to say.
    """
    import inspect

    if isinstance(function, type):
        function = function.__init__  # type: ignore[misc]
    groups, left_out = getattr(function, "__keywords__", ((), ()))
    if not groups:
        return
    del function.__keywords__  # once is enough
    signature = inspect.signature(function)
    own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    added: dict[str, inspect.Parameter] = {}
    lines = []
    for group in groups:
        for name, annotation, default, said in keywords_of(group):
            if name not in signature.parameters and name not in left_out and name not in added:
                kind = inspect.Parameter.KEYWORD_ONLY
                added[name] = inspect.Parameter(name, kind, default=default, annotation=annotation)
                lines += [f"{name}: {said}"] if said else []
    function.__signature__ = signature.replace(parameters=[*own, *added.values()])
    if lines:
        body = "\n    ".join(lines)
        function.__doc__ = f"{(function.__doc__ or '').rstrip()}\n\n    Options\n    -------\n    {body}\n    "


def keywords_of(group: Any) -> Iterator[tuple[str, Any, Any, str]]:
    """Yield the name, the annotation, the default and the help of each keyword."""
    if not isinstance(group, type):
        yield from ((name, annotation, None, "") for name, annotation in group().items())
        return
    for name, (one, said) in options_of(group).items():
        given = " | ".join(_GIVEN.get(kind, kind) for kind in str(one.type).split(" | "))
        yield name, given, None if one.default is MISSING else one.default, said.sentence


_GIVEN = {
    "tuple[str, ...]": "str | Sequence[str]",
    "tuple[int, ...]": "int | Sequence[int]",
    "Path": "str | os.PathLike[str]",
}
"""What a caller may give for a field of a type."""
