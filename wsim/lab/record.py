"""Read and write ``run.json``: a run's provenance, its status, the digests of its files, and a checksum of all this."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.files import refuse_outside
from wsim.lab.journal import read_record_of, write_record
from wsim.lab.parts import WHOLE, Part
from wsim.lab.plan import Plan, digest_of
from wsim.lab.provenance import FORMAT, Provenance, version_of

RECORD = "run.json"
STATES = ("running", "interrupted", "complete")
_OLD = ("wsim-run/1",)
_PACKAGES = ("numba", "llvmlite", "numpy", "polars")


def environment() -> dict[str, Any]:
    """Return a description of this machine and its software, for the run record."""
    return {
        "system": platform.platform(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        **{name: version_of(name) for name in _PACKAGES},
    }


@dataclass(frozen=True)
class Record:
    """The content of ``run.json``.

    Attributes
    ----------
    provenance: what produced the data.
    status: running, interrupted or complete, at the time of writing.
    shard_games: games per shard.
    files: SHA-256 digests of the archived files (``wsim.lab.archive``), by path in the folder.
    paths: paths of the files that the plan names, by their name in the plan.
    sessions: for each process that played games: environment, threads, games and seconds, where known.
    part: the part of the run that the folder contains.
    """

    provenance: Provenance
    status: str
    shard_games: int
    files: Mapping[str, str] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)
    sessions: Sequence[Mapping[str, Any]] = ()
    part: Part = WHOLE

    def plan(self, folder: Path) -> Plan:
        """Restore the plan, with file paths in the run folder."""
        return Plan.restore(self.provenance.plan, {name: str(folder / path) for name, path in self.paths.items()})

    def write(self, folder: Path) -> None:
        """Write the record into a folder; raise StoreError if that fails."""
        content = self.provenance.record() | {
            "status": self.status,
            "shard_games": self.shard_games,
            "files": dict(self.files),
            "places": dict(self.paths),
            "sessions": list(self.sessions),
        }
        if self.part != WHOLE:
            content["part"] = str(self.part)
        write_record(folder / RECORD, FORMAT, content)


def read_record(folder: Path) -> Record:
    """Return the record of a run folder; raise UserError if the record is missing, invalid or was changed."""
    path = folder / RECORD
    try:
        content = read_record_of(path, FORMAT, "not a wsim record", _hint_for_old_format)
    except (FileNotFoundError, NotADirectoryError) as error:
        problem = "contains no wsim run (no run.json)" if folder.is_dir() else "is not a folder"
        raise UserError(f"{str(folder)!r} {problem if folder.exists() else 'does not exist'}") from error
    try:
        record = Record(
            Provenance.from_record(content),
            str(content["status"]),
            int(content["shard_games"]),
            _string_mapping(content["files"]),
            _string_mapping(content["places"]),
            list(content["sessions"]),
            Part.parse(str(content.get("part", WHOLE))),
        )
        provenance, rules = record.provenance, record.provenance.identity["rules"]
        valid = record.shard_games > 0 and record.status in STATES and isinstance(rules, dict)
        valid &= isinstance(content["command"], str) and _string_mapping(provenance.software) == provenance.software
        if not valid or digest_of(provenance.identity) != provenance.digest:
            raise ValueError("its values contradict each other")
        for path_in_folder in (*record.files, *record.paths.values()):
            refuse_outside(path_in_folder)
        record.plan(folder)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise UserError(f"{str(path)!r} is damaged: {type(error).__name__}: {error}") from error
    return record


def _hint_for_old_format(content: dict[str, Any]) -> str:
    """Return a hint for a run in an older format, with the command that plays it again; empty for other files."""
    again = f"; play it again with: {content['command']}" if isinstance(content.get("command"), str) else ""
    return f" of an earlier wsim; this version reads {FORMAT!r}{again}" if content.get("format") in _OLD else ""


def _string_mapping(value: Any) -> dict[str, str]:
    """Return ``value`` if it maps names to strings; raise TypeError otherwise."""
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise TypeError(f"expected a table of strings, not {value!r}")
    return value
