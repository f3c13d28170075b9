"""Look up installed games and questions by name; each is imported only when it is looked up.

Packages provide them as entry points of the groups ``wsim.games`` and ``wsim.questions``::

    [project.entry-points."wsim.games"]
    my_game = "my_game:GAME"

    [project.entry-points."wsim.questions"]
    my_question = "my_question:QUESTION"

wsim's own games and questions are found in the same way: from the metadata of wsim if it is installed, or from
pyproject.toml in a checkout, which is never older than the code. They come first, other packages cannot replace them,
and looking them up does not read the metadata of other packages.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from wsim.errors import UserError, nearest
from wsim.version import __version__

GAME_GROUP = "wsim.games"
QUESTION_GROUP = "wsim.questions"
_CHECKOUT = Path(__file__).resolve().parents[1] / "pyproject.toml"


class Installed(MutableMapping[str, str]):
    """The entry points of a group in installed packages: name -> ``module:object``, wsim's own first.

    If several packages provide a name, its value is their locations, joined by `` and ``.
    """

    def __init__(self, group: str) -> None:
        self.group = group
        self._places: dict[str, str] = {}
        self._begun = self._complete = False

    def _own(self) -> dict[str, str]:
        if not self._begun:
            self._begun, self._places = True, {**_own_entries(self.group), **self._places}
        return self._places

    def _all(self) -> dict[str, str]:
        own = self._own()
        if not self._complete:
            self._complete, self._places = True, {**_entries_of_others(self.group), **own}
            self._places = {name: self._places[name] for name in (*own, *self._places)}
        return self._places

    def __getitem__(self, name: str) -> str:
        own = self._own()
        return own[name] if name in own else self._all()[name]

    def __setitem__(self, name: str, target: str) -> None:
        self._own()[name] = target

    def __delitem__(self, name: str) -> None:
        del self._all()[name]

    def __iter__(self) -> Iterator[str]:
        first = tuple(self._own())
        yield from first
        yield from [name for name in self._all() if name not in first]

    def __len__(self) -> int:
        return len(self._all())


def _own_entries(group: str) -> dict[str, str]:
    """Return the entry points of wsim in a group; raise UserError for a copy without metadata."""
    entries: dict[str, str] = {}
    if _CHECKOUT.is_file():
        entries = _entries_in(_CHECKOUT, f'[project.entry-points."{group}"]')
    else:
        metadata = _CHECKOUT.with_name(f"wsim-{__version__}.dist-info") / "entry_points.txt"
        if metadata.is_file():
            entries = _entries_in(metadata, f"[{group}]")
        else:
            from importlib.metadata import PackageNotFoundError, distribution

            with suppress(PackageNotFoundError):
                points = distribution("wsim").entry_points
                entries = {point.name: point.value for point in points if point.group == group}
    if not entries:
        raise UserError(
            f"wsim finds no {group.partition('.')[2]}: it was copied without its metadata; install it with pip"
        )
    return entries


def _entries_in(file: Path, heading: str) -> dict[str, str]:
    """Parse the ``name = value`` lines under a heading; a TOML parser would double the time of ``wsim --help``."""
    _, _, section = file.read_text(encoding="utf-8").partition(f"{heading}\n")
    lines = [line.partition("#")[0].partition("=") for line in section.partition("\n[")[0].splitlines()]
    return {name.strip(): value.strip().strip('"') for name, equals, value in lines if equals}


def _others_offer_something(group: str) -> bool:
    """Check quickly, without parsing all metadata, whether any other package may have entry points of a group.

    True if packages can be imported from anything other than folders.
    """
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        return True
    for name in sys.path:
        folder = Path(name)
        if not folder.is_dir():
            if folder.exists():  # an archive, such as a zip file
                return True
            continue
        with os.scandir(folder) as entries:
            offering = any(_may_offer(entry, group) for entry in entries)
        if offering:
            return True
    return False


def _may_offer(entry: os.DirEntry[str], group: str) -> bool:
    """Return whether a directory entry is package metadata that lists entry points of a group."""
    if not entry.name.endswith((".dist-info", ".egg-info", ".egg")) or entry.name.startswith("wsim-"):
        return False
    if entry.name.endswith(".egg") or not entry.is_dir():
        return True
    try:
        with open(f"{entry.path}/entry_points.txt", "rb", buffering=0) as file:  # noqa: PTH123 (a third of the time)
            return f"[{group}]".encode() in file.read()
    except OSError:
        return False


def _entries_of_others(group: str) -> dict[str, str]:
    """Return the entry points of other packages in a group, ordered by name."""
    if not _others_offer_something(group):
        return {}
    from importlib.metadata import entry_points

    locations: dict[str, set[str]] = {}
    for point in entry_points(group=group):
        if point.dist is None or point.dist.name != "wsim":
            locations.setdefault(point.name, set()).add(point.value)
    return {name: " and ".join(sorted(locations[name])) for name in sorted(locations)}


GAMES: MutableMapping[str, str] = Installed(GAME_GROUP)
"""The games by name, wsim's own first; games can be added in this process."""
QUESTIONS: MutableMapping[str, str] = Installed(QUESTION_GROUP)
"""The questions by name, wsim's own first; questions can be added in this process."""


def load_game(name: str) -> Any:
    """Import and return the game called ``name``; raise UserError for an unknown or broken one."""
    if name not in GAMES:
        raise UserError(f"unknown game {name!r}{nearest(name, GAMES)}: wsim plays {', '.join(GAMES)}")
    return _loaded("game", name, GAMES[name], "GAME", "NAME")


def load_question(name: str) -> Any:
    """Import and return the question called ``name``; raise UserError for an unknown or broken one."""
    if name not in QUESTIONS:
        raise UserError(
            f"unknown question {name!r}{nearest(name, QUESTIONS)}: it must be one of {', '.join(QUESTIONS)}"
        )
    return _loaded("question", name, QUESTIONS[name], "QUESTION", "name")


def _loaded(noun: str, name: str, location: str, attribute: str, own: str) -> Any:
    """Import the object of an entry point; raise UserError if that fails or if the object has a different name."""
    if " and " in location:
        raise UserError(f"several installed packages offer a {noun} {name!r}, at {location}: uninstall all but one")
    module, _, named = location.partition(":")
    try:
        loaded = getattr(import_module(module), named or attribute)
        own_name = getattr(loaded, own)
    except (ImportError, AttributeError, SyntaxError) as error:
        raise UserError(
            f"the installed {noun} {name!r} cannot be loaded from {location}: {type(error).__name__}: {error}"
        ) from error
    if own_name != name:
        raise UserError(f"the installed {noun} {name!r} at {location} calls itself {own_name!r}")
    return loaded
