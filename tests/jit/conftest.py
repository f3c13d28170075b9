"""The sample, whose kernels are compiled in every process that imports it: when a test needs it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def sample() -> ModuleType:
    """Small kernels with one of everything that kernels do."""
    return import_module("tests.jit.sample")
