"""The games that are installed, by name: where each is found. Nothing is imported before a game is looked up.

A package offers a game as an entry point of the group ``wsim.games``::

    [project.entry-points."wsim.games"]
    my_game = "my_game:GAME"

7 Wonders and Tower of Babel are found in the same way: through the metadata of wsim where it is installed, in a
checkout through its pyproject.toml, which is there without any installing and never older than the code. They come
first, their names cannot be taken, and for them the metadata of other packages are not searched.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from wsim.errors import UserError, nearest

GROUP = "wsim.games"
_CHECKOUT = Path(__file__).resolve().parents[1] / "pyproject.toml"


class _Games(MutableMapping[str, str]):
    """Name -> ``module:object``; a name that several packages offer has their places with `` and `` between them."""

    def __init__(self) -> None:
        self._places: dict[str, str] = {}
        self._begun = self._complete = False

    def _own(self) -> dict[str, str]:
        if not self._begun:
            self._begun, self._places = True, {**_own_games(), **self._places}
        return self._places

    def _all(self) -> dict[str, str]:
        own = self._own()
        if not self._complete:
            self._complete, self._places = True, {**_games_of_others(), **own}
            self._places = {name: self._places[name] for name in (*own, *self._places)}
        return self._places

    def __getitem__(self, name: str) -> str:
        own = self._own()
        return own[name] if name in own else self._all()[name]

    def __setitem__(self, name: str, place: str) -> None:
        self._own()[name] = place

    def __delitem__(self, name: str) -> None:
        del self._all()[name]

    def __iter__(self) -> Iterator[str]:
        first = tuple(self._own())
        yield from first
        yield from [name for name in self._all() if name not in first]

    def __len__(self) -> int:
        return len(self._all())


def _own_games() -> dict[str, str]:
    """Return the games that come with wsim."""
    if _CHECKOUT.is_file():
        import tomllib

        project = tomllib.loads(_CHECKOUT.read_text(encoding="utf-8"))["project"]
        return dict(project["entry-points"][GROUP])
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = {point.name: point.value for point in distribution("wsim").entry_points if point.group == GROUP}
    except PackageNotFoundError:
        found = {}
    if not found:
        raise UserError("wsim finds no games: it was copied without its metadata; install it with pip")
    return found


def _others_offer_something() -> bool:
    """Say whether any installed package may offer a game: the metadata of all of them take long to read for a help.

    Where packages are found in other ways than in folders, the answer is yes.
    """
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        return True
    for name in sys.path:
        folder = Path(name)
        if not folder.is_dir():
            if folder.exists():  # an archive
                return True
            continue
        with os.scandir(folder) as entries:
            offering = any(map(_may_offer, entries))
        if offering:
            return True
    return False


def _may_offer(entry: os.DirEntry[str]) -> bool:
    """Say whether what lies beside packages is metadata that offer a game."""
    if not entry.name.endswith((".dist-info", ".egg-info", ".egg")) or entry.name.startswith("wsim-"):
        return False
    if entry.name.endswith(".egg") or not entry.is_dir():
        return True
    try:
        return f"[{GROUP}]" in Path(entry.path, "entry_points.txt").read_text(encoding="utf-8")
    except OSError:
        return False


def _games_of_others() -> dict[str, str]:
    """Return the games of other packages, in the order of their names."""
    if not _others_offer_something():
        return {}
    from importlib.metadata import entry_points

    places: dict[str, set[str]] = {}
    for point in entry_points(group=GROUP):
        if point.dist is None or point.dist.name != "wsim":
            places.setdefault(point.name, set()).add(point.value)
    return {name: " and ".join(sorted(places[name])) for name in sorted(places)}


GAMES: MutableMapping[str, str] = _Games()
"""The games by name, wsim's own first; a game of this process alone may be added."""


def load_game(name: str) -> Any:
    """Import and return the game called ``name``; raise UserError naming the known ones, or for a broken one."""
    place = GAMES.get(name)
    if place is None:
        raise UserError(f"unknown game {name!r}: wsim plays {', '.join(GAMES)}{nearest(name, GAMES)}")
    if " and " in place:
        raise UserError(f"several installed packages offer a game {name!r}, at {place}: uninstall all but one")
    module, _, attribute = place.partition(":")
    try:
        found = getattr(import_module(module), attribute or "GAME")
        own_name = found.NAME
    except (ImportError, AttributeError, SyntaxError) as error:
        raise UserError(
            f"the installed game {name!r} cannot be loaded from {place}: {type(error).__name__}: {error}"
        ) from error
    if own_name != name:
        raise UserError(f"the installed game {name!r} is at {place}, where the game {own_name!r} is")
    return found
