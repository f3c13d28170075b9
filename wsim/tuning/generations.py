"""The folder of a search: ``tune.json`` contains the question and the values of every generation, and nothing else.

The state of the search is not stored, because it can be computed from the values (``wsim.tuning.climb``); so a folder
from someone else cannot contain code.
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
    """The results of a generation.

    Attributes
    ----------
    candidates: a digest of the line-up entries of all candidates. values: the value of each candidate.
    share, margin: the candidates' mean win share, and their mean lead over the others in points.
    spread: the spread of candidates around the mean, in steps.
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
    question: the recorded question. plan: the common plan of all tables, flat. start: the entry before the search.
    command: the shell command that repeats the search.
    identity: everything that determines the result: question, tables, rules, versions.
    software: the versions of the packages used.
    moved: the indices of the values that the search moves.
    generations: the finished generations.
    judged: the rows of the evaluation; empty while the search continues.
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
        """Return the history extended by a generation."""
        return replace(self, generations=(*self.generations, generation), judged=())

    def write(self, folder: Path) -> None:
        """Write the history into a folder; raise StoreError if writing fails."""
        write_record(folder / RECORD, FORMAT, asdict(self), indent=1)

    def refuse_other(self, identity: Mapping[str, Any], folder: Path) -> None:
        """Raise UserError unless the current search has the recorded identity."""
        refuse_old_streams(self.identity, str(folder))
        if digest_of(self.identity) != digest_of(identity):
            path, (recorded, current) = next(iter(differences(self.identity, identity).items()))
            raise UserError(
                f"{str(folder)!r} contains a different search: {path} was {recorded!r} and is {current!r} now; name "
                "another --out"
            )


def read_history(folder: Path) -> History:
    """Read the history in a folder; raise UserError if there is no search or it is damaged."""
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
