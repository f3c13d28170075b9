"""Functions in slots: called by number, with their results bounded and failures recorded per thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from wsim.jit import JIT, SLOTS, SlotError, call_slot, failed_slot, fill_slot, njit, types

RAISES, RETURNS = SLOTS - 2, SLOTS - 1  # which no catalogue of a test reaches
THREADS = 4


@njit(types.int64(types.int64), nogil=True)
def _raises(number):  # type: ignore[no-untyped-def]
    if number < 0:
        raise ValueError("of its own")
    return number


@njit(types.int64(types.int64), nogil=True)
def _returns(number):  # type: ignore[no-untyped-def]
    return number


@njit(types.int64(types.int64, types.int64), nogil=True)
def _called(slot, number):  # type: ignore[no-untyped-def]
    return call_slot(slot, number)


def test_each_thread_reports_its_own_failure() -> None:
    """Half of the threads raise and half return too large a value; failures are read after all have failed."""
    fill_slot(RAISES, _raises, 0, 9)
    fill_slot(RETURNS, _returns, 0, 9)
    assert _called(RETURNS, 9) == 9
    together = Barrier(THREADS)

    def fails(place: int) -> tuple[type[BaseException], Any, Any]:
        slot, number = (RETURNS, 10 + place) if place % 2 else (RAISES, -1)
        found: Any = None
        try:
            _called(slot, number)
        except (SlotError, ValueError) as error:
            found = type(error)
        together.wait()
        said = failed_slot()
        together.wait()
        return found, said, failed_slot()

    for _ in range(100):  # more notes than there is room for
        with ThreadPoolExecutor(THREADS) as threads:
            found = list(threads.map(fails, range(THREADS)))
        assert found == [
            (SlotError, (RETURNS, 10 + place), None) if place % 2 else (ValueError, (RAISES, None), None)
            for place in range(THREADS)
        ]
    assert failed_slot() is None


def test_empty_and_out_of_range_slots_are_rejected() -> None:
    for slot in (SLOTS - 3, SLOTS, -1) if JIT else (SLOTS - 3,):
        with pytest.raises(SlotError):
            _called(slot, 1)
        assert failed_slot() is None
