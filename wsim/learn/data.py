"""Parts of a harvest as Parquet: a file of decisions, and a file of their moves, in the same order."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_records", "write_records"]


def write_records(path: Path, records: NDArray[Any]) -> None:
    """Write records, a column each field, nested arrays as fixed-size arrays; a file appears whole or not at all."""
    columns = {
        name: pl.Series(name, np.ascontiguousarray(records[name]).reshape(len(records), -1))
        if records.dtype[name].subdtype
        else pl.Series(name, np.ascontiguousarray(records[name]))
        for name in records.dtype.names or ()
    }
    unfinished = path.with_suffix(".part")
    pl.DataFrame(columns).write_parquet(unfinished, compression="zstd", statistics=False)
    unfinished.replace(path)


def read_records(path: Path, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the records that ``write_records`` wrote."""
    frame = pl.read_parquet(path)
    records = np.zeros(frame.height, dtype)
    for name in dtype.names or ():
        field = dtype[name]
        records[name] = frame[name].to_numpy().reshape(frame.height, *field.shape)
    return records
