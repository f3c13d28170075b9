"""The folder of a search: ``tune.json`` says what is searched and what every generation was worth, nothing else.

The state of the search is not kept: it follows from the values (``wsim.tuning.climb``), so that no folder that somebody
sends around can hold code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.lab.files import content_digest, write_text
from wsim.lab.journal import differences
from wsim.lab.plan import digest_of

__all__ = ["RECORD", "Generation", "Kept", "read_kept"]

RECORD = "tune.json"
FORMAT = "wsim-tune/1"


@dataclass(frozen=True)
class Generation:
    """What a generation was worth.

    Attributes
    ----------
    candidates: digest of the entries that played. values: what each was worth to the search.
    share, margin: means over the candidates: win share, points ahead of the others.
    spread: how far around the mean the candidates were asked for, in steps.
    """

    candidates: str
    values: tuple[float, ...]
    share: float
    margin: float
    spread: float


@dataclass(frozen=True)
class Kept:
    """What ``tune.json`` holds.

    Attributes
    ----------
    question: as recorded. plan: the plan beneath all tables, flat. start: the entry before the search.
    command: the shell command that makes it again.
    identity: what decides the result: question, tables, rules, versions.
    software: versions of what took part.
    moved: places of the values that the search moves.
    generations: those done.
    judged: the rows of the judged table; none as long as the search goes on.
    """

    question: Mapping[str, Any]
    plan: Mapping[str, Any]
    start: str
    command: str
    identity: Mapping[str, Any]
    software: Mapping[str, str]
    moved: tuple[int, ...]
    generations: tuple[Generation, ...] = ()
    judged: Sequence[Mapping[str, Any]] = field(default=())

    def grown(self, generation: Generation) -> Kept:
        """Return it with one more generation."""
        return replace(self, generations=(*self.generations, generation), judged=())

    def write(self, folder: Path) -> None:
        """Write it into a folder; StoreError if the disk refuses."""
        content = json.loads(json.dumps({"format": FORMAT, **asdict(self)}))
        check = _check(content)
        write_text(folder / RECORD, json.dumps({"check": check, **content}, indent=1, ensure_ascii=False) + "\n")

    def refuse_other(self, identity: Mapping[str, Any], folder: Path) -> None:
        """Raise UserError unless the same search would be made now."""
        if digest_of(self.identity) != digest_of(identity):
            path, (there, here) = next(iter(differences(self.identity, identity).items()))
            raise UserError(
                f"{str(folder)!r} holds another search: {path} is {there!r} there and {here!r} now; name another --out"
            )


def read_kept(folder: Path) -> Kept:
    """Return what a folder holds; raise UserError if it is no search, or not as it was written."""
    path = folder / RECORD
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{str(folder)!r} holds no search of wsim tune (no {RECORD})") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{str(path)!r} is not a record of wsim tune: {error}") from error
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise UserError(f"{str(path)!r} is not a record of wsim tune in the format {FORMAT!r}")
    check = content.pop("check", None)
    try:
        if check != _check({"format": FORMAT, **content}):
            raise ValueError("it was changed after wsim wrote it")
        generations = [Generation(**{**one, "values": tuple(one["values"])}) for one in content["generations"]]
        return Kept(**{**content, "moved": tuple(content["moved"]), "generations": tuple(generations)})
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise UserError(f"{str(path)!r} is damaged: {error}") from error


def _check(content: Mapping[str, Any]) -> str:
    """Return the check of a record's content."""
    return content_digest(json.dumps(content, sort_keys=True).encode())
