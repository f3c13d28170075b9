"""Plans of the environment tests: the quick tier uses Tower of Babel, whose kernels compile much faster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

BABEL: dict[str, Any] = {"game": "tower_of_babel"}


def in_babel_first(plans: Mapping[str, dict[str, Any]]) -> list[Any]:
    """Return the plans as test parameters; 7 Wonders, and Babel with different rules, are in the slow tier."""
    return [pytest.param(keys, id=name, marks=[pytest.mark.slow] * (name != "babel")) for name, keys in plans.items()]
