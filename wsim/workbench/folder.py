"""The folder opened in the workbench: its runs and files, and validated paths inside it."""

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
from wsim.game import find_game
from wsim.installed import GAMES
from wsim.lab.record import RECORD, read_record
from wsim.lab.repetition import counted
from wsim.policies.lineup import PEOPLE
from wsim.questions.registry import answer_families, questions

MAX_DEPTH = 4
MAX_FOLDERS = 2_000
MAX_TITLE = 4 << 20  # bytes; a larger answer is not read for its title
KINDS = (*answer_families(), "position", "play")
"""The formats of the files that are listed."""
_FORMAT = re.compile(r'\A\s*\{\s*"format":\s*"wsim-([a-z]+)/\d+"')


@dataclass(frozen=True)
class FolderEntry:
    """A run or a file of wsim in the folder.

    Attributes
    ----------
    kind: ``run``, or the format of the file, such as ``match``. name: its path within the folder. title: its title.
    plan: its plan in words. when: when it was last written. size: its size in bytes.
    damaged: whether it cannot be read; the title then gives the reason. unfinished: whether it is a run with missing
    games. grows: whether it is a run to which simulated games can be added; False for people's games.
    """

    kind: str
    name: str
    title: str
    plan: str
    when: datetime
    size: int
    damaged: bool = False
    unfinished: bool = False
    grows: bool = False

    @property
    def shown_kind(self) -> str:
        """The kind as displayed: the title of a question, or a name for the kind of file."""
        own = {"run": "Run", "position": "Position", "play": "Game at a table"}
        return own.get(self.kind) or next(one.title for one in questions() if self.kind in one.families)


@dataclass(frozen=True)
class Folder:
    """The opened folder; ``root`` is its resolved path."""

    root: Path

    @classmethod
    def of(cls, path: Path) -> Folder:
        """Return a folder; raise UserError if it does not exist."""
        if not path.is_dir():
            raise UserError(f"{str(path)!r} {'is not a folder' if path.exists() else 'does not exist'}")
        return cls(path.resolve())

    def inside(self, name: str) -> Path:
        """Return the path of a name within the folder; raise UserError if the path is outside the folder."""
        try:
            path = (self.root / name).resolve(strict=False)
            path.exists()  # rejects names that no file can have
        except (OSError, ValueError) as error:
            raise UserError(f"{name!r} is not a valid file name") from error
        if not path.is_relative_to(self.root):
            raise UserError(f"{name!r} is not in the opened folder")
        return path

    def text(self, name: str) -> str:
        """Read a text file in the folder; raise UserError if it cannot be read."""
        try:
            return text_within(self.inside(name))
        except OSError as error:
            raise UserError(f"cannot read {name!r}: {error.strerror or error}") from error
        except ValueError as error:
            why = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error
            raise UserError(f"cannot read {name!r}: {why}") from error

    def name_of(self, path: Path) -> str:
        """Return the name of a path within the folder."""
        return path.resolve().relative_to(self.root).as_posix()

    def found(self) -> list[FolderEntry]:
        """Return the runs and wsim files in the folder, from newest to oldest."""
        entries = [entry for path in self._paths() if (entry := self._entry_at(path)) is not None]
        return sorted(entries, key=lambda entry: (entry.when, entry.name), reverse=True)

    def entry(self, name: str) -> FolderEntry | None:
        """Return the run or wsim file with this name; None if there is none."""
        path = self.inside(name)
        return self._entry_at(path) if path.is_file() or (path / RECORD).is_file() else None

    def files(self, suffix: str) -> Iterator[Path]:
        """Yield the files with a suffix, outside runs; see ``_paths``."""
        return (path for path in self._paths(suffix) if path.suffix == suffix and path.is_file())

    def _paths(self, suffix: str = ".json") -> Iterator[Path]:
        """Yield run folders and files with a suffix, up to a maximum depth and number of folders."""
        waiting, visited = [(self.root, 0)], 0
        while waiting and visited < MAX_FOLDERS:
            folder, depth = waiting.pop(0)
            visited += 1
            run = (folder / RECORD).is_file()
            if run:
                yield folder
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                if entry.name.startswith(".") or entry.is_symlink():
                    continue
                if entry.is_dir() and not run and depth < MAX_DEPTH:
                    waiting.append((Path(entry.path), depth + 1))
                elif entry.name.endswith(suffix) and entry.is_file() and entry.name != RECORD:
                    yield Path(entry.path)

    def _entry_at(self, path: Path) -> FolderEntry | None:
        """Return the entry of a run or wsim file; None for other or deleted files."""
        try:
            return self._run(path) if path.is_dir() else self._file(path)
        except (OSError, ValueError):
            return None

    def _run(self, folder: Path) -> FolderEntry:
        when, name = _time(folder / RECORD), self.name_of(folder)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        try:
            record = read_record(folder)
        except UserError as error:
            return FolderEntry("run", name, str(error), "", when, size, damaged=True)
        unfinished = record.status != "complete"
        title = f"{folder.name or name}{f' ({record.status})' if unfinished else ''}"
        words, people = plan_words(record.provenance.plan), PEOPLE in record.provenance.identity["rules"]
        return FolderEntry("run", name, title, words, when, size, unfinished=unfinished, grows=not people)

    def _file(self, path: Path) -> FolderEntry | None:
        with path.open("rb") as file:
            start = file.read(200).decode("utf-8", "replace")
        match = _FORMAT.match(start)
        if match is None or match[1] not in KINDS:
            return None
        name, size = self.name_of(path), path.stat().st_size
        try:
            record = json_of(text_within(path)) if size <= MAX_TITLE else {}
        except ValueError as error:
            why = f"{path.name} cannot be read: {error}"
            return FolderEntry(match[1], name, why, "", _time(path), size, damaged=True)
        title = str(record.get("estimand") or path.stem)
        plan = {"game": next(iter(GAMES)), **plan_in(record)}  # a plan need not name the default game
        return FolderEntry(match[1], name, title, plan_words(plan), _time(path), size)


def _time(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime).astimezone()


def plan_in(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what an answer's games have in common, for ``plan_words``; empty if its record contains no plan.

    The plan is the first one that names its rules. The policies of all parts of the answer, its tables and its number
    of games take precedence over those in this plan.
    """
    plans = list(_plans_in(record))
    whole = dict(next((plan for plan in plans if "ruleset" in plan), plans[0] if plans else {}))
    policies = [name for plan in plans for name in plan.get("policies", ())]
    policies = record["policies"] if isinstance(record.get("policies"), list) else policies
    whole |= {"policies": list(dict.fromkeys(map(str, policies)))} if policies else {}
    tables = record.get("tables")
    if isinstance(tables, list) and all(isinstance(table, dict) and "ruleset" in table for table in tables):
        for key in ("ruleset", "players"):
            whole[key] = ", ".join(dict.fromkeys(str(table[key]) for table in tables if table.get(key)))
    if isinstance(record.get("games"), int) or "deals" in record:  # else the plan gives the number, or the maximum
        whole["games"] = record.get("games")
    return whole


def _plans_in(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for key in ("plan", "baseline", "made", "settings", "game"):
        value = record.get(key)
        for part in value if isinstance(value, list) else [value]:
            plan = part.get("plan", part) if isinstance(part, dict) else None
            if isinstance(plan, dict):
                yield plan


def title_of(game: str) -> str:
    """Return the title of a game, such as ``7 Wonders``; if the game is not installed, its name."""
    try:
        return find_game(game).TITLE
    except UserError:
        return game


def titles() -> dict[str, str]:
    """Return the titles of the installed games by name."""
    return {name: title_of(name) for name in GAMES}


def plan_words(plan: Mapping[str, Any]) -> str:
    """Describe a plan in words: ``7 Wonders 1e, 4 players, 10,000 games, net``."""
    policies = plan.get("policies")
    names = ", ".join(dict.fromkeys(map(str, policies))) if isinstance(policies, list | tuple) else ""
    games = plan.get("games")
    parts = (
        " ".join(filter(None, (title_of(str(plan.get("game") or "")), str(plan.get("ruleset") or "")))),
        f"{plan['players']} players" if plan.get("players") else "",
        counted(games, "game") if isinstance(games, int) else "",
        names,
    )
    return ", ".join(filter(None, parts))
