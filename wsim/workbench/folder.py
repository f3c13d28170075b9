"""The opened folder: what lies in it, and paths that do not lead out of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.files import json_of, text_within
from wsim.lab.record import RECORD, read_record
from wsim.questions.registry import answer_families

DEEPEST = 4
MOST_FOLDERS = 2_000
MOST_TITLE = 4 << 20  # bytes of an answer that is read for its title
KINDS = (*answer_families(), "position", "play")
"""What files of wsim are listed, as their formats begin."""
_FORMAT = re.compile(r'\A\s*\{\s*"format":\s*"wsim-([a-z]+)/\d+"')


@dataclass(frozen=True)
class Found:
    """A run or a file of wsim in the folder.

    Attributes
    ----------
    kind: ``run``, or what its format says: ``match``. name: its path within the folder. title: what it says.
    plan: what was played, in words. when: as last written. size: bytes.
    """

    kind: str
    name: str
    title: str
    plan: str
    when: datetime
    size: int


@dataclass(frozen=True)
class Folder:
    """A folder that was opened; ``root`` is where it really lies."""

    root: Path

    @classmethod
    def of(cls, path: Path) -> Folder:
        """Return a folder; raise UserError if there is none."""
        if not path.is_dir():
            raise UserError(f"{str(path)!r} {'is not a folder' if path.exists() else 'does not exist'}")
        return cls(path.resolve())

    def inside(self, name: str) -> Path:
        """Return the path of what is called so within the folder; raise UserError for what leads out of it."""
        try:
            path = (self.root / name).resolve(strict=False)
            path.exists()  # refuses what no file can be called
        except (OSError, ValueError) as error:
            raise UserError(f"{name!r} is no name of a file") from error
        if not path.is_relative_to(self.root):
            raise UserError(f"{name!r} does not lie in the folder that is open")
        return path

    def text(self, name: str) -> str:
        """Return the text of a file within the folder; raise UserError for one that cannot be read."""
        try:
            return text_within(self.inside(name))
        except OSError as error:
            raise UserError(f"cannot read {name!r}: {error.strerror or error}") from error
        except ValueError as error:
            why = "it is not text in UTF-8" if isinstance(error, UnicodeDecodeError) else error
            raise UserError(f"cannot read {name!r}: {why}") from error

    def name_of(self, path: Path) -> str:
        """Return what a path is called within the folder."""
        return path.resolve().relative_to(self.root).as_posix()

    def found(self) -> list[Found]:
        """Return the runs and files of wsim in the folder, the newest first."""
        every = [one for path in self._paths() if (one := self._found(path)) is not None]
        return sorted(every, key=lambda one: (one.when, one.name), reverse=True)

    def _paths(self) -> Iterator[Path]:
        """Yield folders of runs and files that may be of wsim, of folders not too deep and not too many."""
        waiting, seen = [(self.root, 0)], 0
        while waiting and seen < MOST_FOLDERS:
            folder, depth = waiting.pop(0)
            seen += 1
            run = (folder / RECORD).is_file()
            if run:
                yield folder
            try:
                inside = sorted(os.scandir(folder), key=lambda one: one.name)
            except OSError:
                continue
            for one in inside:
                if one.name.startswith(".") or one.is_symlink():
                    continue
                if one.is_dir() and not run and depth < DEEPEST:
                    waiting.append((Path(one.path), depth + 1))
                elif one.name.endswith(".json") and one.is_file() and one.name != RECORD:
                    yield Path(one.path)

    def _found(self, path: Path) -> Found | None:
        """Return a run or a file of wsim; None for any other, and for one that is gone."""
        try:
            return self._run(path) if path.is_dir() else self._file(path)
        except (OSError, ValueError):
            return None

    def _run(self, folder: Path) -> Found:
        when, name = _time(folder / RECORD), self.name_of(folder)
        size = sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())
        try:
            record = read_record(folder)
        except UserError as error:
            return Found("run", name, str(error), "", when, size)
        state = "" if record.status == "complete" else f" ({record.status})"
        title = f"{folder.name or name}{state}"
        return Found("run", name, title, plan_words(record.provenance.plan), when, size)

    def _file(self, path: Path) -> Found | None:
        with path.open("rb") as file:
            start = file.read(200).decode("utf-8", "replace")
        match = _FORMAT.match(start)
        if match is None or match[1] not in KINDS:
            return None
        name, size = self.name_of(path), path.stat().st_size
        record = json_of(text_within(path)) if size <= MOST_TITLE else {}
        title = str(record.get("estimand") or path.stem)
        return Found(match[1], name, title, plan_words(_plan_in(record)), _time(path), size)


def _time(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime).astimezone()


def _plan_in(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the plan that an answer names first, however it is written; nothing if there is none."""
    for place in ("plan", "baseline", "made", "settings", "game"):
        found = record.get(place)
        found = found[0] if isinstance(found, list) and found else found
        if isinstance(found, dict):
            plan = found.get("plan", found)
            return plan if isinstance(plan, dict) else {}
    return {}


def plan_words(plan: Mapping[str, Any]) -> str:
    """Return a plan in a few words: ``seven_wonders 1e, 4 players, 10,000 games, net``."""
    policies = plan.get("policies")
    names = ", ".join(dict.fromkeys(map(str, policies))) if isinstance(policies, list | tuple) else ""
    games = plan.get("games")
    parts = (
        " ".join(str(plan[key]) for key in ("game", "ruleset") if plan.get(key)),
        f"{plan['players']} players" if plan.get("players") else "",
        f"{games:,} games" if isinstance(games, int) else "",
        names,
    )
    return ", ".join(filter(None, parts))
