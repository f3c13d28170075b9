"""Helpers that give a card clauses, and check that a mistake in a clause is rejected."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wonders.extremes import written
from wsim.errors import UserError
from wsim.wonders.catalog import load_catalogue


def when(card: str, *clauses: dict[str, Any]) -> str:
    """Return the change that gives a card these clauses."""
    return f'cards."{card}".when={written(list(clauses))}'


def check_refusal(clause: dict[str, Any], expected: str) -> None:
    """Assert that a clause is rejected in one sentence that contains the expected words."""
    with pytest.raises(UserError) as refused:
        load_catalogue("1e", changes=[when("Altar", clause)])
    assert expected in str(refused.value)
    assert "\n" not in str(refused.value)
