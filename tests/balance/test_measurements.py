"""The journal of a search returns measurements as they were written."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wsim.balance.measurements import Memory


def test_recalled_measurements_keep_their_shape_even_if_empty(tmp_path: Path) -> None:
    """A goal whose knobs must all be replayed measures effects of no option: shape (2, 0, 3)."""
    measured = {"total": np.arange(6.0).reshape(2, 3), "effect": np.zeros((2, 0, 3)), "square": np.zeros((2, 2, 0, 3))}
    first = Memory()
    first.open_journal(tmp_path / "journal", "a search")
    first.recall({"level": "four"}, 10, lambda: measured)
    again = Memory()
    again.open_journal(tmp_path / "journal", "a search", resume=True)
    recalled = again.recall({"level": "four"}, 10, dict)
    assert again.played == 10
    assert {name: array.shape for name, array in recalled.items()} == {
        name: array.shape for name, array in measured.items()
    }
    assert all(np.array_equal(recalled[name], array) for name, array in measured.items())
