"""The kernels that several test files need are compiled before the workers of a whole test run start."""

from __future__ import annotations

from importlib import import_module

import pytest

from tests.games.imports import MODULES, imported_at_once
from tests.kernels import GAMES, policies, with_entries


def test_every_module_with_entry_points_is_named() -> None:
    found = {name.removeprefix("wsim.").replace(".", "/") for name in with_entries() if name.startswith("wsim.")}
    assert found <= set(MODULES)
    for game in GAMES:
        assert {f"{game}/kernels/{name}" for name in ("engine", "commands", "lockstep")} <= found


@pytest.mark.parametrize("game", GAMES)
def test_every_policy_has_its_entry_point(game: str) -> None:
    registry = import_module(f"wsim.{game}.registry")
    named = {
        (registry.REGISTRY[name].function, registry.REGISTRY[name].settled) for of, name in policies() if of == game
    }
    assert named == {(policy.function, policy.settled) for policy in registry.REGISTRY.values()}
    assert registry.POLICIES.interface().home == f"wsim.{game}.policies"


@pytest.mark.parametrize("game", GAMES)
def test_stepping_does_not_wait_for_whole_game_kernels(game: str) -> None:
    """The first ``wsim advise`` used to compile both, and took a third longer than the first ``wsim run``."""
    for name in ("commands", "lockstep"):
        seen, open_ = set[str](), [f"{game}/kernels/{name}"]
        while open_:
            module = open_.pop()
            if module not in seen:
                seen.add(module)
                open_ += imported_at_once(module)
        assert f"{game}/kernels/playing" in seen
        assert f"{game}/kernels/engine" not in seen
