"""Run test files that import ``Position`` from ``tests.wonders.both`` on both the engine and the twin."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.wonders import both


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize a test with both engines, unless it reads the records of the compiled engine."""
    if getattr(metafunc.module, "Position", None) is both.Position:
        alone = any(metafunc.definition.iter_markers("engine_only"))
        metafunc.parametrize("engine", ["engine"] if alone else list(both.SIDES), indirect=True)


@pytest.fixture(autouse=True)
def engine(request: pytest.FixtureRequest) -> Iterator[None]:
    """Make ``Position`` refer to the requested engine."""
    both.chosen.append(getattr(request, "param", "engine"))
    yield
    both.chosen.pop()
