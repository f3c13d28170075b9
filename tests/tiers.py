"""Cases of a test in two tiers: the first of them in the quick one, the rest in the slow one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(quick: int, whole: int, name: str = "games") -> pytest.MarkDecorator:
    """Give a test the numbers ``range(quick)`` in the quick tier, and those up to ``whole`` in the slow one."""
    return first_quick(1, name, [range(quick), range(quick, whole)], ids=("first", "rest"))


def first_quick(quick: int, names: str | tuple[str, ...], cases: Iterable[Any], **how: Any) -> pytest.MarkDecorator:
    """Parametrize a test as ``pytest.mark.parametrize`` does; all but the first few cases are in the slow tier."""
    one = isinstance(names, str) and "," not in names
    every = list(cases)
    rest = [
        pytest.param(*case.values, marks=[*case.marks, pytest.mark.slow], id=case.id)
        if hasattr(case, "marks")  # of pytest.param
        else pytest.param(*((case,) if one else case), marks=pytest.mark.slow)
        for case in every[quick:]
    ]
    return pytest.mark.parametrize(names, [*every[:quick], *rest], **how)
