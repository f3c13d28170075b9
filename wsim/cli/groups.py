"""Option groups that several commands share."""

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
    """Options for the output of results."""

    as_json: bool = option("Print JSON instead of tables.", False, names=("--json",))
    quiet: bool = option("Hide the progress bar and remarks.", False, names=("--quiet", "-q"))


@dataclass(frozen=True)
class View(RowOptions):
    """Options for the rows and columns of a table."""

    def of(self, table: Any, splits: Mapping[str, str] | None = None, columns: Sequence[Column] = ()) -> Any:
        """Select and sort the requested rows of a Polars frame; raise UserError for an unknown column.

        ``splits``: further columns and the options that add them. ``columns``: the declared columns of the frame.
        """
        from wsim.cli.console import remark
        from wsim.stats.filters import viewed

        shown, said = viewed(table, self.sort, self.top, self.only, splits, columns)
        if said:
            remark(f"wsim: {said}")
        return shown


@dataclass(frozen=True)
class Workers(Options):
    """Options for the threads or workers that play games."""

    threads: int | None = option("Number of threads.", None, metavar="N", shown="all usable processors")
    cluster: str | None = option(
        "Play on Dask workers: local:4 or tcp://host:8786 (needs wsim[cluster]).", None, metavar="ADDRESS"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cluster is not None:  # checked before anything is compiled
            from wsim.lab.cluster import check_cluster

            check_cluster(self.cluster, self.threads)


@dataclass(frozen=True)
class Trust(Options):
    """The option that permits running code from a run folder."""

    trust: bool = option(
        "Run policy code and effects stored in the run folder, even if someone else wrote them.", False
    )


@dataclass(frozen=True)
class AnswerFile(Options):
    """The option for the file of an answer."""

    out: Path | None = option(
        "Write the answer to FILE.json, FILE.parquet, or a run folder.",
        None,
        metavar="FILE",
        names=("-o", "--out"),
        read=Path,
    )
