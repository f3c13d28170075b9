"""Candidates depend only on the seed and the reported results, not on the linear algebra library of the machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wsim.tuning.climb import Climb

pytest.importorskip("cmaes", reason="needs wsim[learn]")

NUMBERS, GENERATIONS = 6, 4


def asked() -> list[Any]:
    """Return the candidates in the first generations of a search whose optimum is a corner."""
    climb, found = Climb(np.array([[-3.0, 3.0]] * NUMBERS), 5, seed=7), []
    for _ in range(GENERATIONS):
        points = climb.ask()
        found += points
        climb.tell([float(point @ np.arange(NUMBERS)) for point in points])
    return found


def test_search_does_not_depend_on_signs_or_rotations_of_axes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual, eigh, turned = asked(), np.linalg.eigh, []

    def other(matrix: Any) -> tuple[Any, Any]:
        lengths, axes = eigh(matrix)
        axes = -axes
        same = np.isclose(lengths, lengths[0], rtol=1e-9)
        turned.append(int(same.sum()))
        angles = np.linalg.qr(np.random.default_rng(3).normal(size=(same.sum(), same.sum())))[0]
        axes[:, same] = axes[:, same] @ angles
        return lengths, axes

    monkeypatch.setattr(np.linalg, "eigh", other)
    assert np.allclose(asked(), usual, rtol=0, atol=1e-9)
    assert max(turned) == NUMBERS
    assert min(turned) < NUMBERS
