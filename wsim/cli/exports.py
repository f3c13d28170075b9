"""Export an analysis as CSV or Parquet, with its record: provenance, level and caveats.

A CSV file begins with lines ``# {...}``, one JSON object per entry of the record, which CSV readers can skip
(``comment_prefix="#"`` in Polars, ``comment="#"`` in pandas). A Parquet file has the record in its metadata.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.cli.console import remark, write_out
from wsim.display import csv_of, json_of
from wsim.errors import UserError
from wsim.options import Options, option

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Files(Options):
    """Options for also writing an analysis to files; ``--csv -`` prints CSV instead of the table."""

    csv: str | None = option("Also write the rows as CSV; - prints CSV instead of the table.", None, metavar="FILE")
    parquet: str | None = option("Also write the rows as Parquet.", None, metavar="FILE")

    @property
    def instead(self) -> bool:
        """Whether CSV is printed instead of the table."""
        return self.csv == "-"

    def check(self) -> None:
        """Raise UserError if the folder of a file does not exist, before any game is played."""
        for name in (self.csv, self.parquet):
            if name not in (None, "-") and not Path(str(name)).absolute().parent.is_dir():
                raise UserError(f"cannot write {name!r}: there is no folder {str(Path(str(name)).parent)!r}")

    def write(self, frame: pl.DataFrame, record: Mapping[str, Any], *, quiet: bool = False) -> None:
        """Write the rows of an analysis with its ``record``; raise StoreError if a file cannot be written."""
        from wsim.files import write_text, writing
        from wsim.lab.provenance import METADATA_KEY

        sound = json_of({key: value for key, value in record.items() if key != "rows"})
        if self.csv is not None:
            text = csv_of(frame, sound)
            if self.instead:
                write_out(text.rstrip("\n"))
            else:
                write_text(Path(self.csv), text)
        if self.parquet is not None:
            with writing(Path(self.parquet)) as temporary:
                frame.write_parquet(temporary, metadata={METADATA_KEY: json.dumps(sound, ensure_ascii=False)})
        files = [name for name in (self.csv, self.parquet) if name not in (None, "-")]
        if files and not quiet:
            remark(f"written: {', '.join(map(str, files))}")
