"""Divide test cases between the quick and the slow tier, and tests between shares."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from typing import Any

import pytest

from wsim.jit.modes import JIT, config

CHECKED = not JIT or bool(config.BOUNDSCHECK)
"""Whether the tests run without the JIT or with bounds checks. CI plays no slow test there."""

Names = str | tuple[str, ...]

LONGEST = (
    "tests/docs/test_pages.py",
    "tests/lab/test_cluster.py",
    "tests/lab/test_every_write_of_others.py",
    "tests/wonders/test_twin.py",
    "tests/docs/test_notebooks.py",
    "tests/policies/test_search.py",
    "tests/lab/test_files_of_others.py",
    "tests/cli/test_answers_unchanged.py",
    "tests/lab/test_every_write.py",
    "tests/wonders/test_clauses.py",
    "tests/jit/test_gateway.py",
    "tests/policies/test_user.py",
)
"""Files that take at least half a minute in the slow tier, the longest first."""


def sampled(quick: int, whole: int, name: str = "games") -> pytest.MarkDecorator:
    """Parametrize a test with ``range(quick)`` in the quick tier and the numbers up to ``whole`` in the slow tier."""
    return first_quick(1, name, [range(quick), range(quick, whole)], ids=("first", "rest"))


def first_quick(quick: int, names: Names, cases: Iterable[Any], **how: Any) -> pytest.MarkDecorator:
    """Parametrize a test as ``pytest.mark.parametrize`` does; all but the first few cases are in the slow tier."""
    every = list(cases)
    return pytest.mark.parametrize(names, [*every[:quick], *(slow(names, case) for case in every[quick:])], **how)


def first_checked(names: Names, cases: Iterable[Any], **how: Any) -> pytest.MarkDecorator:
    """Parametrize a slow test; its first case is in the quick tier where ``CHECKED``."""
    return first_quick(int(CHECKED), names, cases, **how)


def slow_unless_checked(test: Any) -> Any:
    """Put a test into the slow tier, except where ``CHECKED``."""
    return test if CHECKED else pytest.mark.slow(test)


def each_third_quick(names: Names, cases: Iterable[Any], **how: Any) -> pytest.MarkDecorator:
    """Parametrize a test with many similar cases; the first, fourth, seventh, ... are in the quick tier."""
    every = [slow(names, case) if place % 3 else case for place, case in enumerate(cases)]
    return pytest.mark.parametrize(names, every, **how)


def slow(names: Names, case: Any) -> Any:
    """Return a case of a parametrized test that is in the slow tier."""
    if hasattr(case, "marks"):  # of pytest.param
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.slow], id=case.id)
    one = isinstance(names, str) and "," not in names
    return pytest.param(*((case,) if one else case), marks=pytest.mark.slow)


def share(text: str) -> tuple[int, int]:
    """Parse a share such as "2/4"; return its index, counted from 0, and the number of shares."""
    match = re.fullmatch(r"([1-9]\d?)/([1-9]\d?)", text)
    if not match or int(match[1]) > int(match[2]):
        raise ValueError(text)
    return int(match[1]) - 1, int(match[2])


def in_share(test: str, number: int, shares: int) -> bool:
    """Return whether a test ID belongs to a share; the assignment is the same on every machine."""
    return zlib.crc32(test.encode()) % shares == number
