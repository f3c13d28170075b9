"""Settings for playing games: threads or a cluster, progress reports, and a partial result after Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.lab.batch import usable_threads
from wsim.lab.cluster import Cluster, InChunks, check_cluster, chunk_runner, joined
from wsim.lab.progress import Interrupted, Progress

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.tasks import Ready


@dataclass(frozen=True)
class Execution:
    """The resources used to answer a question; they do not affect the answer.

    Attributes
    ----------
    threads: the number of threads on this machine; None: one per usable processor.
    cluster: a cluster to use instead of threads: its address, or a connected cluster.
    progress: called with the name of the task, the units done, and their total.
    """

    threads: int | None = None
    cluster: str | Cluster | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        check_cluster(self.cluster, self.threads)
        usable_threads(self.threads)  # raises UserError for an invalid number
        if self.progress is not None and not callable(self.progress):
            raise UserError(f"progress must be a function of (what, done, total), not {self.progress!r}")

    def report(self, what: str, done: int, total: int) -> None:
        """Report progress to the callback, if there is one."""
        if self.progress is not None:
            self.progress(what, done, total)

    def chunk_runner(self, ready: Sequence[Ready]) -> AbstractContextManager[InChunks]:
        """Return a context manager that yields a function for chunks of games (``wsim.lab.cluster.chunk_runner``)."""
        return chunk_runner(self.cluster, ready, self.threads)

    @contextmanager
    def connected(self, simulator: Simulator) -> Iterator[Execution]:
        """Stay connected to the cluster, if any, for several rounds of games, one of which uses ``simulator``."""
        if self.cluster is None:
            yield self
            return
        with joined(self.cluster, simulator) as cluster:
            yield replace(self, cluster=cluster)

    @contextmanager
    def interruptible(self, so_far: Callable[[], Any], hint: str = "") -> Iterator[None]:
        """Convert Ctrl-C within the block to ``Interrupted`` with the answer so far; ``hint`` says how to continue."""
        try:
            yield
        except KeyboardInterrupt as interrupt:
            raise Interrupted(so_far(), hint or getattr(interrupt, "hint", "")) from None
