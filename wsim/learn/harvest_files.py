"""Parts of a harvest as Parquet: a file of decisions, and a file of their moves, in the same order."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from wsim.files import StoreError, writing

if TYPE_CHECKING:
    from numpy.typing import NDArray


def write_records(path: Path, records: NDArray[Any]) -> None:
    """Write records, a column each field, nested arrays as fixed-size arrays; a file appears whole or not at all."""
    columns = {
        name: pl.Series(name, np.ascontiguousarray(records[name]).reshape(len(records), -1))
        if records.dtype[name].subdtype
        else pl.Series(name, np.ascontiguousarray(records[name]))
        for name in records.dtype.names or ()
    }
    with writing(path) as unfinished:
        pl.DataFrame(columns).write_parquet(unfinished, compression="zstd", statistics=False)


def read_records(path: Path, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the records that ``write_records`` wrote; StoreError for a file that it did not write."""
    try:
        frame = pl.read_parquet(path)
        records = np.zeros(frame.height, dtype)
        for name in dtype.names or ():
            records[name] = frame[name].to_numpy().reshape(frame.height, *dtype[name].shape)
    except (OSError, ValueError, TypeError, pl.exceptions.PolarsError) as error:
        raise StoreError(
            f"{str(path)!r} is damaged ({' '.join(str(error).split())[:200]}): remove it, and it is made again"
        ) from error
    return records
