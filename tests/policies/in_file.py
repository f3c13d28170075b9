"""User policies in a file, each compiled once for all tests of a module."""

from __future__ import annotations

from typing import Any

import pytest


def policies_in_file(source: str) -> Any:
    """Create a fixture that writes policies to a file and returns its path."""

    @pytest.fixture(scope="module")
    def mine(tmp_path_factory: pytest.TempPathFactory) -> str:
        file = tmp_path_factory.mktemp("policies") / "mine.py"
        file.write_text(source)
        return str(file)

    return mine
