"""A process that has imported the libraries and runs pytest in copies of itself: ``python -m tests.warm``.

It reads a JSON list of words of pytest from each line of its input. For each it writes a line with the number of the
process that runs them, and when that has ended a line with its exit status (negative: a signal). ``tests.mutants``
saves most of the time of a test with it, which is that of imports. Nothing of wsim is imported before the copy is made.
"""

from __future__ import annotations

import json
import os
import sys

import numba  # noqa: F401 (imported once for all)
import numpy as np  # noqa: F401
import polars as pl  # noqa: F401
import pytest
import scipy.stats  # type: ignore[import-untyped] # noqa: F401


def main() -> None:
    """Run what is asked until the input ends."""
    for line in sys.stdin:
        words = json.loads(line)
        child = os.fork()
        if child == 0:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(nothing, 0)
            os.dup2(nothing, 1)
            os.dup2(nothing, 2)
            os._exit(int(pytest.main(words)))
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
