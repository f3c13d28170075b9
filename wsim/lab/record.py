"""``run.json``: what made a run, how far it is, what belongs to it. It carries a check of its own content."""

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
    """Return the machine and the software of this process."""
    return {
        "system": platform.platform(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        **{name: version_of(name) for name in _PACKAGES},
    }


@dataclass(frozen=True)
class Record:
    """What ``run.json`` holds.

    Attributes
    ----------
    provenance: what made the data.
    status: running, interrupted or complete, as last written.
    shard_games: games per shard.
    files: SHA-256 of the files that are kept with the run (``wsim.lab.archive``), by path in the folder.
    places: where the files lie that the plan names, by name.
    sessions: for everyone that played: environment, threads, games, seconds; as far as known.
    part: which part of the run the folder is for.
    """

    provenance: Provenance
    status: str
    shard_games: int
    files: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    sessions: Sequence[Mapping[str, Any]] = ()
    part: Part = WHOLE

    def plan(self, folder: Path) -> Plan:
        """Return the plan; the files that it names lie in the run's folder."""
        return Plan.restore(self.provenance.plan, {name: str(folder / path) for name, path in self.places.items()})

    def write(self, folder: Path) -> None:
        """Write it into a folder; StoreError if the disk refuses."""
        content = self.provenance.record() | {
            "status": self.status,
            "shard_games": self.shard_games,
            "files": dict(self.files),
            "places": dict(self.places),
            "sessions": list(self.sessions),
        }
        if self.part != WHOLE:
            content["part"] = str(self.part)
        write_record(folder / RECORD, FORMAT, content)


def read_record(folder: Path) -> Record:
    """Return the record of a run folder; raise UserError if there is none, or one that is not as it was written."""
    path = folder / RECORD
    try:
        content = read_record_of(path, FORMAT, "not a record of wsim", _remedy)
    except (FileNotFoundError, NotADirectoryError) as error:
        what = "holds no run of wsim (no run.json)" if folder.is_dir() else "is not a folder"
        raise UserError(f"{str(folder)!r} {what if folder.exists() else 'does not exist'}") from error
    try:
        record = Record(
            Provenance.from_record(content),
            str(content["status"]),
            int(content["shard_games"]),
            _texts(content["files"]),
            _texts(content["places"]),
            list(content["sessions"]),
            Part.parse(str(content.get("part", WHOLE))),
        )
        made, rules = record.provenance, record.provenance.identity["rules"]
        sound = record.shard_games > 0 and record.status in STATES and isinstance(rules, dict)
        sound &= isinstance(content["command"], str) and _texts(made.software) == made.software
        if not sound or digest_of(made.identity) != made.digest:
            raise ValueError("its values do not belong together")
        for place in (*record.files, *record.places.values()):
            refuse_outside(place)
        record.plan(folder)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise UserError(f"{str(path)!r} is damaged: {type(error).__name__}: {error}") from error
    return record


def _remedy(content: dict[str, Any]) -> str:
    """Say what makes the run of an earlier version again."""
    again = f"; play it again with: {content['command']}" if isinstance(content.get("command"), str) else ""
    return f" of an earlier wsim, this one reads {FORMAT!r}{again}" if content.get("format") in _OLD else ""


def _texts(value: Any) -> dict[str, str]:
    """Return a mapping of texts; TypeError for anything else."""
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise TypeError(f"texts by name are needed, not {value!r}")
    return value
