"""Fixtures of the pages: the browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.report.browser import started

if TYPE_CHECKING:
    from selenium.webdriver import Chrome


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """A running browser; what pages complain of is its log."""
    with started(tmp_path_factory.mktemp("profile")) as running:
        yield running
