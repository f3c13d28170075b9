"""One sample in two tiers: the first of it in the quick one, the rest in the slow one."""

from __future__ import annotations

import pytest

__all__ = ["sampled"]


def sampled(quick: int, whole: int, name: str = "games") -> pytest.MarkDecorator:
    """Give a test the numbers ``range(quick)`` in the quick tier, and those up to ``whole`` in the slow one."""
    rest = pytest.param(range(quick, whole), marks=pytest.mark.slow)
    return pytest.mark.parametrize(name, [range(quick), rest], ids=("first", "rest"))
