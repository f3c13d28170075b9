"""Files that take ``Position`` from ``tests.wonders.both`` run on the engine and on the twin."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.wonders import both


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test both engines, but for one that looks into the records of the compiled one."""
    if getattr(metafunc.module, "Position", None) is both.Position:
        alone = any(metafunc.definition.iter_markers("engine_only"))
        metafunc.parametrize("engine", ["engine"] if alone else list(both.SIDES), indirect=True)


@pytest.fixture(autouse=True)
def engine(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let ``Position`` be that of an engine."""
    both.chosen.append(getattr(request, "param", "engine"))
    yield
    both.chosen.pop()
