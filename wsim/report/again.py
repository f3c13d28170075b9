"""What a page says of itself to programs, and the run behind it played again: are its tables the same?

The page holds a JSON object in a script element that no browser runs: what made the run, and a digest of each table.
Figures count to nine digits, because the last bits of a mean depend on the order in which threads added.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.lab.files import content_digest
from wsim.lab.parts import Part
from wsim.lab.plan import Plan
from wsim.lab.provenance import Provenance
from wsim.lab.rerun import Rerun, played, unlike
from wsim.lab.run import record

if TYPE_CHECKING:
    from wsim.lab.progress import Progress
    from wsim.lab.store import Run
    from wsim.report.material import Material
    from wsim.stats.tables import Table

__all__ = ["FORMAT", "page_plan", "page_record", "read_page", "rerun_page"]

FORMAT = "wsim-page/1"
_SCRIPT = re.compile(r'<script type="application/json" id="record">(.*?)</script>', re.DOTALL)


def page_record(material: Material) -> str:
    """Return what the page of this material says of itself, as JSON that may stand in a script element."""
    run = material.run
    told = {
        "format": FORMAT,
        "provenance": run.provenance.record(),
        "shard_games": run.shard_games,
        "part": str(run.part),
        "games": material.games,
        "complete": run.complete,
        "tables": _digests(material.tables),
    }
    return json.dumps(told, ensure_ascii=False, sort_keys=True).replace("<", "\\u003c")


def _digests(tables: Mapping[str, Table]) -> dict[str, str]:
    def of(value: Any) -> Any:
        return f"{value:.9g}" if isinstance(value, float) else value

    rows = {name: [[of(value) for value in row] for row in table.frame.rows()] for name, table in tables.items()}
    return {name: content_digest(json.dumps(found, default=str).encode())[:16] for name, found in rows.items()}


def read_page(path: Path) -> dict[str, Any]:
    """Return what a page says of itself; raise UserError for a file that is no page of wsim."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot read {str(path)!r}: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{str(path)!r} is no page of wsim report: {error}") from error
    found = _SCRIPT.search(text)
    try:
        told = json.loads(found[1]) if found else None
    except (ValueError, RecursionError) as error:
        raise UserError(f"what the page {str(path)!r} says of itself is damaged: {error}") from error
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise UserError(f"{str(path)!r} does not say what made it: it is no page of wsim report ({FORMAT})")
    if not told.get("complete"):
        raise UserError(f"the page {str(path)!r} shows a run that was not finished, so that it cannot be repeated")
    return told


def _sound(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except UserError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(f"what the page says of itself is damaged: {type(error).__name__}: {error}") from error


def page_plan(told: Mapping[str, Any], places: Mapping[str, str]) -> Plan:
    """Return the plan of a page's run; ``places``: where the files lie that it names."""
    plan: Plan = _sound(lambda: Plan.restore(told["provenance"]["plan"], places))
    return plan


def rerun_page(
    told: Mapping[str, Any],
    plan: Plan,
    out: str | None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Rerun:
    """Play the run of a page again, into the folder ``out`` or a temporary one, and compare its tables."""
    before = _sound(lambda: Provenance.from_record(told["provenance"]))
    how = _sound(lambda: {"shard": int(told["shard_games"]), "part": Part.parse(told["part"])})
    digests: Mapping[str, str] = _sound(lambda: dict(told["tables"]))
    with TemporaryDirectory(prefix="wsim-rerun-") as place:
        again = played(record(plan, out or place, threads=threads, progress=progress, **how))
        here = _tables(again)
        found = [
            f"the table {name} {'is not the same' if name in here else 'is not there'}"
            for name, digest in digests.items()
            if here.get(name) != digest
        ]
        found += [f"the table {name} was not on the page" for name in here if name not in digests]
        return Rerun(f"{again.games:,} games, {len(digests)} tables", found, unlike(before, again.provenance))


def _tables(run: Run) -> dict[str, str]:
    """Return the digests of the tables that the page of a run shows."""
    from wsim.report.material import shown_tables

    tables, _ = shown_tables(run)
    return _digests({name: table for name, table in tables.items() if len(table.frame)})
