"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wsim.document import Column
from wsim.lab.table_options import RowOptions
from wsim.options import Options, option


@dataclass(frozen=True)
class Printing(Options):
    """What is printed, besides the tables."""

    as_json: bool = option("Print JSON.", False, names=("--json",))
    quiet: bool = option("No progress bar, no remarks.", False, names=("--quiet", "-q"))


@dataclass(frozen=True)
class View(RowOptions):
    """What is shown of a table."""

    def of(self, table: Any, splits: Mapping[str, str] | None = None, columns: Sequence[Column] = ()) -> Any:
        """Return what is shown of a Polars frame; raise UserError for a column that it does not have.

        ``splits``: columns that it would have with options, and these. columns: what its columns are.
        """
        from wsim.cli.console import remark
        from wsim.stats.filters import viewed

        shown, said = viewed(table, self.sort, self.top, self.only, splits, columns)
        if said:
            remark(f"wsim: {said}")
        return shown


@dataclass(frozen=True)
class Workers(Options):
    """Who plays."""

    threads: int | None = option("Threads that play.", None, metavar="N", shown="all usable processors")
    cluster: str | None = option(
        "Play on Dask workers: local:4, or tcp://host:8786 (wsim[cluster]).", None, metavar="ADDRESS"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cluster is not None:  # before anything is compiled for who cannot play
            from wsim.lab.cluster import check_cluster

            check_cluster(self.cluster, self.threads)


@dataclass(frozen=True)
class Trust(Options):
    """Whose code may run."""

    trust: bool = option("Run policy code and effects that the run folder names and keeps, whoever wrote it.", False)


@dataclass(frozen=True)
class AnswerFile(Options):
    """Where an answer is written."""

    out: Path | None = option(
        "Write FILE.json or FILE.parquet, or into a run folder.", None, metavar="FILE", names=("-o", "--out"), read=Path
    )
