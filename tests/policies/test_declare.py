"""The decorator ``wsim.policy``: it leaves the function as it is, and declarations are checked."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from wsim.errors import UserError
from wsim.policies.declare import MAX_PARAMETERS, Declaration, declaration_of, policy
from wsim.wonders.words import PARAMETERS

pytestmark = [pytest.mark.jit_off]


def test_the_decorator_returns_the_function_unchanged() -> None:
    @policy
    def plain(public: Any, own: Any, choice: Any, rules: Any) -> int:
        return 3

    assert plain(None, None, None, None) == 3
    assert declaration_of(plain) == Declaration()

    @policy(name="x", parameters={"a": 1, "b": False}, idea="none", python=True)
    def other(public: Any, own: Any, choice: Any, rules: Any) -> int:
        return 4

    assert other(None, None, None, None) == 4
    declared = declaration_of(other)
    assert declared is not None
    assert (declared.name, dict(declared.parameters), declared.python) == ("x", {"a": 1, "b": False}, True)


def test_wsim_policy_is_the_decorator_not_a_module() -> None:
    import wsim

    for module in ("wsim.policy", "wsim.policy.kernel"):
        with pytest.raises(ImportError, match=r"^wsim\.policy is the decorator .*`from wsim\.wonders\.kit import"):
            import_module(module)
    assert wsim.policy is policy


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"explore": 0.1}, "every policy has it already"),
        ({"a b": 1}, "parameter cannot be named 'a b'"),
        ({"a": "x"}, "the default of the parameter 'a' must be a number"),
        ({f"p{i}": i for i in range(8)}, "at most 7 parameters, not 8"),
    ],
)
def test_declarations_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        policy(parameters=parameters)


def test_the_parameter_limit_matches_the_record() -> None:
    assert MAX_PARAMETERS == PARAMETERS - 1


def test_importing_the_decorator_loads_nothing_heavy() -> None:
    import subprocess

    code = "import sys, wsim; wsim.policy; assert not {'numpy', 'numba', 'polars'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
