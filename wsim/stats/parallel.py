"""Work on batches in threads (numpy and Polars release the interpreter lock), with results in order."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

Item = TypeVar("Item")
Result = TypeVar("Result")
Real = TypeVar("Real", np.float32, np.float64)
Number = TypeVar("Number", np.uint8, np.uint64, np.float64)

_OWN = threading.local()
_MOST_THREADS = 8  # each thread keeps about 50 MB of a batch in memory
_ONE_THREAD = 1 << 18  # up to this many multiplications, OpenBLAS does not wake its other threads


def in_order(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield ``work(item)`` for each item, computed in threads, in the order of the items."""
    threads = min(pl.thread_pool_size(), _MOST_THREADS)
    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="wsim-stats")
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def scratch(name: str, shape: tuple[int, ...], kind: type[Number]) -> NDArray[Number]:
    """Return an uninitialised array, valid until the same thread requests ``name`` again.

    Allocating new memory would take longer than filling it.
    """
    size = math.prod(shape)
    held: NDArray[Number] | None = getattr(_OWN, name, None)
    if held is None or len(held) < size:
        held = np.empty(size, kind)
        setattr(_OWN, name, held)
    return held[:size].reshape(shape)


def inner_products(first: NDArray[Real], second: NDArray[Real]) -> NDArray[Real]:
    """Return ``first @ second.T`` for arrays of shape (few, many), in pieces small enough for BLAS to stay on the
    calling thread.

    The batches already keep all processors busy, and waiting BLAS threads made this ten times slower.
    """
    rows, columns, length = first.shape[0], second.shape[0], first.shape[1]
    piece = max(_ONE_THREAD // max(rows * columns, 1), 1)
    whole = length - length % piece
    result = first[:, whole:] @ second[:, whole:].T
    if whole:
        left = first[:, :whole].reshape(rows, -1, piece).transpose(1, 0, 2)
        right = second[:, :whole].reshape(columns, -1, piece).transpose(1, 2, 0)
        result += np.matmul(left, right).sum(axis=0)
    return result
