"""The file that lists a folder's tables with their people and links, so that they survive a restart of the server.

The file is next to the saved games. It is hidden and readable only by its owner, because it contains the links of all
seats.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wsim.files import json_of, text_within, write_text

FILE = ".wsim-tables.json"


def write(folder: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Write the records of the tables (``Table.record``); remove the file if there are none."""
    path = folder / FILE
    if not records:
        path.unlink(missing_ok=True)
        return
    write_text(path, json.dumps(records, indent=1, ensure_ascii=False) + "\n")
    path.chmod(0o600)


def read(folder: Path) -> list[Any]:
    """Return the records of the tables; an empty list if the file is missing or damaged."""
    try:
        records = json_of(text_within(folder / FILE))
    except (OSError, ValueError):
        return []
    return records if isinstance(records, list) else []
