"""The list of the tables of a folder, which outlasts the server: their people and links, next to the saved games.

The file is hidden and readable by its owner only, because it has the links of all seats.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wsim.files import json_of, text_within, write_text

FILE = ".wsim-tables.json"


def write(folder: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Write the records of the tables (``Table.record``); no file if there are none."""
    path = folder / FILE
    if not records:
        path.unlink(missing_ok=True)
        return
    write_text(path, json.dumps(records, indent=1, ensure_ascii=False) + "\n")
    path.chmod(0o600)


def read(folder: Path) -> list[Any]:
    """Return the records of the tables; none if the file is missing or damaged."""
    try:
        records = json_of(text_within(folder / FILE))
    except (OSError, ValueError):
        return []
    return records if isinstance(records, list) else []
