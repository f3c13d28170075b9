"""How tables and answers are written: as JSON and as CSV."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


def json_of(value: Any) -> Any:
    """Return a value as JSON knows it: no NaN, no infinity; dates and the like as text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): json_of(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_of(one) for one in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def csv_of(frame: pl.DataFrame, record: Mapping[str, Any]) -> str:
    """Return rows as CSV behind lines ``# {...}``, one JSON object for each entry of what made them."""
    import json  # imported late: every command imports this module

    head = "".join(f"# {json.dumps({key: one}, ensure_ascii=False)}\n" for key, one in json_of(dict(record)).items())
    return head + frame.write_csv()
