"""Store a machine-readable record in a page, and repeat the run of a page to check that the tables are the same.

The record is a JSON object in a script element that browsers do not execute. It contains the provenance of the run and
a digest of each table. Figures are rounded to nine digits, because the last bits of a mean depend on the order of
additions in threads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.files import content_digest, text_within
from wsim.lab.journal import refuse_old_streams
from wsim.lab.parts import Part
from wsim.lab.plan import Plan
from wsim.lab.provenance import Provenance
from wsim.lab.repetition import RepetitionSettings, Rerun, paths_in, repeated_run, sound, unlike
from wsim.stats.columns import PLAYER_HALF_WIDTH

if TYPE_CHECKING:
    from wsim.lab.store import Run
    from wsim.report.material import Material
    from wsim.stats.tables import Table

FORMAT = "wsim-page/1"
_DAMAGED = "the record in the page is damaged"
_SCRIPT = re.compile(r'<script type="application/json" id="record">(.*?)</script>', re.DOTALL)


def page_record(material: Material) -> str:
    """Build the record for a page with this content, as JSON for a script element."""
    run = material.run
    record = {
        "format": FORMAT,
        "provenance": run.provenance.record(),
        "shard_games": run.shard_games,
        "part": str(run.part),
        "games": material.games,
        "complete": run.complete,
        "tables": _digests(material.tables),
    }
    return json.dumps(record, ensure_ascii=False, sort_keys=True).replace("<", "\\u003c")


def _digests(tables: Mapping[str, Table]) -> dict[str, str]:
    def of(value: Any) -> Any:
        return f"{value:.9g}" if isinstance(value, float) else value

    # the values in the games
    own = {name: table.frame.drop(PLAYER_HALF_WIDTH, strict=False) for name, table in tables.items()}
    rows = {name: [[of(value) for value in row] for row in frame.rows()] for name, frame in own.items()}
    return {
        name: content_digest(json.dumps(table_rows, default=str).encode())[:16] for name, table_rows in rows.items()
    }


@dataclass(frozen=True)
class PageFile:
    """A page file: its path and its record."""

    path: Path
    record: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> PageFile:
        """Read the record of a page; raise UserError if the file is not a page of wsim."""
        try:
            text = text_within(path)
        except OSError as error:
            raise UserError(f"cannot read {str(path)!r}: {error.strerror}") from error
        except ValueError as error:
            raise UserError(f"{str(path)!r} is not a page of wsim report: {error}") from error
        match = _SCRIPT.search(text)
        try:
            record = json.loads(match[1]) if match else None
        except (ValueError, RecursionError) as error:
            raise UserError(f"the record in the page {str(path)!r} is damaged: {error}") from error
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            raise UserError(
                f"{str(path)!r} does not record how it was made: it is not a page of wsim report ({FORMAT})"
            )
        if not record.get("complete"):
            raise UserError(f"the page {str(path)!r} shows an unfinished run, so it cannot be repeated")
        return cls(path, record)

    def plan(self) -> Plan:
        """Return the plan of the page's run."""
        return sound(lambda: Plan.restore(self.record["provenance"]["plan"], paths_in(self.path.parent)), _DAMAGED)

    def again(self, how: RepetitionSettings) -> Rerun:
        """Repeat the page's run and compare its tables with the recorded digests."""
        before = sound(lambda: Provenance.from_record(self.record["provenance"]), _DAMAGED)
        refuse_old_streams(before.identity, str(self.path))
        parts = sound(
            lambda: {"shard": int(self.record["shard_games"]), "part": Part.parse(self.record["part"])}, _DAMAGED
        )
        digests: Mapping[str, str] = sound(lambda: dict(self.record["tables"]), _DAMAGED)
        with repeated_run(how.plan(self.plan()), how, **parts) as again:
            tables = _table_digests(again)
            differences = [
                f"the table {name} {'is not the same' if name in tables else 'is not there'}"
                for name, digest in digests.items()
                if tables.get(name) != digest
            ]
            differences += [f"the table {name} was not on the page" for name in tables if name not in digests]
            return Rerun(f"{again.games:,} games, {len(digests)} tables", differences, unlike(before, again.provenance))


def _table_digests(run: Run) -> dict[str, str]:
    """Compute a digest of each table on a run's page, by name of the table."""
    from wsim.report.material import shown_tables

    tables, _ = shown_tables(run)
    return _digests({name: table for name, table in tables.items() if len(table.frame)})
