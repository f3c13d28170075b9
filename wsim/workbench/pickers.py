"""The choices that a form offers: cards, wonders, values, metrics, policies, rule sets, tables, runs, goals, patches.

All choices come from the game and the folder. ``Option.picker`` names the picker of a field.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from wsim.errors import UserError, nearest
from wsim.game import analyses_of, find_game
from wsim.installed import GAMES
from wsim.lab.plan import Plan
from wsim.report.cards import Faces
from wsim.spec.catalogues import Source, catalogues_of
from wsim.spec.values import change_in_words, name_in_words
from wsim.workbench.goal_files import goals_in, patches_in
from wsim.workbench.printed import printed_values, whole_numbers

if TYPE_CHECKING:
    from wsim.workbench.folder import Folder


OF_CARDS = ("value", "number", "item", "metric")
"""Pickers whose choices may be about cards."""


class Choice(NamedTuple):
    """A choice in a picker: the field value, its label, a note, and the card that it concerns, if any."""

    value: str
    label: str
    note: str = ""
    card: str = ""


class Setting(NamedTuple):
    """The context of choices: the form's game and rule set, and the folder."""

    game: str
    ruleset: str
    folder: Folder


def choices(picker: str, game: str, ruleset: str, folder: Folder) -> list[Choice]:
    """Return the choices of a picker; raise UserError for an unknown picker, game or rule set."""
    if picker not in _PICKERS:
        raise UserError(f"there is no picker {picker!r}{nearest(picker, _PICKERS)}")
    game = game or next(iter(GAMES))
    ruleset = ruleset.partition(",")[0].strip() or str(find_game(game).default_plan()["ruleset"])
    faces = faces_of(game, ruleset) if picker in OF_CARDS else ()
    return [
        choice._replace(card=_card(choice.value, faces)) for choice in _PICKERS[picker](Setting(game, ruleset, folder))
    ]


def faces_of(game: str, ruleset: str) -> Faces:
    """Return the faces of the printed cards in a rule set."""
    return Faces.of(game, Source(ruleset or str(find_game(game).default_plan()["ruleset"])))


def _card(value: str, faces: Container[str]) -> str:
    """Return the card in a value such as ``cards.Palace.points=8``, ``built:Palace`` or ``Palace``; "" if none."""
    names = [value.rpartition(":")[2], *value.partition("=")[0].split(".")[1:2]]
    return next((name for name in names if name in faces), "")


def _values(setting: Setting) -> Iterator[Choice]:
    """Yield the catalogue values that can be changed, with their printed values."""
    printed = printed_values(setting.game, setting.ruleset)
    for path, value in printed.items():
        words = change_in_words(f"{path}={value}", printed).removesuffix(", as printed")
        yield Choice(f"{path}={value}", words.partition(":")[0], f"printed {value}")


def _numbers(setting: Setting) -> Iterator[Choice]:
    """Yield the paths of the whole numbers in the catalogue."""
    for path, value in whole_numbers(setting.game, setting.ruleset).items():
        yield Choice(path, name_in_words(path), f"printed {value}")


def _goals(setting: Setting) -> Iterator[Choice]:
    yield from (Choice(name, name, words) for name, words in goals_in(setting.folder))


def _patches(setting: Setting) -> Iterator[Choice]:
    found = patches_in(setting.folder, setting.game, setting.ruleset)
    yield from (Choice(name, name, words) for name, words in found)


def _items(setting: Setting) -> Iterator[Choice]:
    owned, _ = _items_and_groups(setting.game, setting.ruleset)
    for name, noun in owned:
        yield Choice(name, name, noun)


def _metrics(setting: Setting) -> Iterator[Choice]:
    yield from _outcomes(setting)
    from wsim.questions.metrics import figures_known

    owned, groups = _items_and_groups(setting.game, setting.ruleset)
    for column, names in groups.items():
        for name in names:
            yield Choice(f"win:{name}", f"wins of {name}", column)
    prefixes = {noun: prefix for prefix, noun in find_game(setting.game).OWNED.items()}
    for name, noun in owned:
        yield Choice(f"{prefixes[noun]}{name}", f"how often seats have {name}", noun)
        if find_game(setting.game).WISHES is not None:
            yield Choice(f"worth:{name}", f"worth of {name} to the seats that want it", noun)
            yield Choice(f"wanted:{name}", f"how often seats want {name} when it is available", noun)
    for figure, about in figures_known():
        yield Choice(f"character:{figure}", about, "how games go")


def _outcomes(_: Setting) -> Iterator[Choice]:
    yield Choice("score", "points per seat", "all seats")
    yield Choice("win", "win share", "all seats")


def _policies(setting: Setting) -> Iterator[Choice]:
    for row in find_game(setting.game).policies():
        yield Choice(str(row["name"]), str(row["name"]), str(row["idea"]))


def _rulesets(setting: Setting) -> Iterator[Choice]:
    catalogues = catalogues_of(find_game(setting.game))
    for row in [] if catalogues is None else catalogues.rulesets():
        yield Choice(str(row["ruleset"]), str(row["ruleset"]), str(row.get("title", "")))


def _tables(setting: Setting) -> Iterator[Choice]:
    for name, analysis in analyses_of(find_game(setting.game)).items():
        yield Choice(name, name, analysis.about)


def _runs(setting: Setting) -> Iterator[Choice]:
    for entry in setting.folder.found():
        if entry.kind == "run" and not entry.damaged:
            yield Choice(entry.name, entry.name, entry.plan)


@lru_cache(maxsize=8)
def _items_and_groups(game: str, ruleset: str) -> tuple[list[tuple[str, str]], Mapping[str, list[str]]]:
    """Return the items that a seat can own with their nouns, and the values of each column that can split tables."""
    from wsim.questions.deals import sample
    from wsim.questions.metrics import groups_of

    home = find_game(game)
    seats = sample(home.prepare(Plan.make(game=game, ruleset=ruleset, games=1)))
    owned = [
        (column.removeprefix(prefix), noun)
        for prefix, noun in home.OWNED.items()
        for column in seats.columns
        if column.startswith(prefix)
    ]
    return owned, {name: names for name, names in groups_of(seats).items() if name != "policy"}


_PICKERS: Mapping[str, Callable[[Any], Iterator[Choice]]] = {
    "value": _values,
    "number": _numbers,
    "goal": _goals,
    "patch": _patches,
    "item": _items,
    "metric": _metrics,
    "outcome": _outcomes,
    "policy": _policies,
    "ruleset": _rulesets,
    "table": _tables,
    "run": _runs,
}
