"""The provenance of a file: what produced it, and the command that reproduces it."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

from wsim import version
from wsim.lab.plan import Plan, digest_of

if TYPE_CHECKING:
    from wsim.game import Simulator

FORMAT = "wsim-run/2"
METADATA_KEY = "wsim"
"""The metadata key under which a Parquet file stores its provenance."""

_PACKAGES = ("numba", "numpy", "polars")


def software() -> dict[str, str]:
    """Return the versions of wsim, Python and the packages that affect the data, by name."""
    versions = {"wsim": version.__version__, "python": platform.python_version()}
    return versions | {name: version_of(name) for name in _PACKAGES}


version_of = lru_cache(metadata.version)
"""Return the version of an installed package; cached, because an imported package does not change."""


@dataclass(frozen=True)
class Provenance:
    """The origin of the data of a run.

    Attributes
    ----------
    plan: the resolved plan as a flat mapping.
    identity: everything that determines the data: ``Plan.identity``, the rules (``Simulator.provenance``) and the
        version of wsim.
    digest: sixteen hexadecimal digits that identify ``identity``.
    command: the shell command that reproduces the data.
    software: the versions of wsim, Python and the packages involved.
    """

    plan: Mapping[str, Any]
    identity: Mapping[str, Any]
    digest: str
    command: str
    software: Mapping[str, str]

    @classmethod
    def of(cls, plan: Plan, simulator: Simulator) -> Provenance:
        """Return the provenance of the data that ``plan`` produces with ``simulator``."""
        identity = {"plan": plan.identity(), "rules": simulator.provenance(), "wsim": version.__version__}
        identity = json.loads(json.dumps(identity))  # as read back from a file: tuples become lists
        return cls(
            plan=json.loads(json.dumps(plan.as_dict())),
            identity=identity,
            digest=digest_of(identity),
            command=plan.command(),
            software=software(),
        )

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Provenance:
        """Rebuild the provenance from the result of :meth:`record`."""
        return cls(**{name: record[name] for name in cls.__dataclass_fields__})

    def record(self) -> dict[str, Any]:
        """Return the provenance as a JSON object."""
        return {"format": FORMAT} | {name: getattr(self, name) for name in self.__dataclass_fields__}

    def file_metadata(self, table: str, games: range) -> dict[str, str]:
        """Return the metadata for the Parquet file with the rows of a table for a range of games."""
        record = self.record() | {"table": table, "first_game": games.start, "games": len(games)}
        return {METADATA_KEY: json.dumps(record, ensure_ascii=False, sort_keys=True)}
