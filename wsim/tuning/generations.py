"""The folder of a search: ``tune.json`` contains the question and the values of every generation, and nothing else.

The state of the search is not kept: it follows from the values (``wsim.tuning.climb``), so a folder from someone else
cannot contain code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.lab.journal import differences, read_record_of, refuse_old_streams, write_record
from wsim.lab.plan import digest_of

RECORD = "tune.json"
FORMAT = "wsim-tune/1"


@dataclass(frozen=True)
class Generation:
    """The values of a generation.

    Attributes
    ----------
    candidates: digest of the entries that played. values: the value of each. share, margin: means over the candidates:
        win share, points ahead of the others. spread: the spread of candidates around the mean, in steps.
    """

    candidates: str
    values: tuple[float, ...]
    share: float
    margin: float
    spread: float


@dataclass(frozen=True)
class History:
    """The content of ``tune.json``.

    Attributes
    ----------
    question: as recorded. plan: the plan beneath all tables, flat. start: the entry before the search.
    command: the shell command that makes it again.
    identity: what decides the result: question, tables, rules, versions.
    software: versions of what took part.
    moved: places of the values that the search moves.
    generations: those done.
    judged: the rows of the judged table; none while the search continues.
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

    def grown(self, generation: Generation) -> History:
        """Return the history with one more generation."""
        return replace(self, generations=(*self.generations, generation), judged=())

    def write(self, folder: Path) -> None:
        """Write the history into a folder; raise StoreError if writing fails."""
        write_record(folder / RECORD, FORMAT, asdict(self), indent=1)

    def refuse_other(self, identity: Mapping[str, Any], folder: Path) -> None:
        """Raise UserError unless the same search would be made now."""
        refuse_old_streams(self.identity, str(folder))
        if digest_of(self.identity) != digest_of(identity):
            path, (recorded, current) = next(iter(differences(self.identity, identity).items()))
            raise UserError(
                f"{str(folder)!r} contains a different search: {path} is {recorded!r} there and {current!r} now; name "
                "another --out"
            )


def read_history(folder: Path) -> History:
    """Return the content of a folder; raise UserError if it is not a search or is damaged."""
    path = folder / RECORD
    try:
        content = read_record_of(path, FORMAT, "not a record of wsim tune")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UserError(f"{str(folder)!r} contains no search of wsim tune (no {RECORD})") from error
    try:
        del content["format"]
        generations = [Generation(**{**record, "values": tuple(record["values"])}) for record in content["generations"]]
        return History(**{**content, "moved": tuple(content["moved"]), "generations": tuple(generations)})
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{str(path)!r} is damaged: {error}") from error
