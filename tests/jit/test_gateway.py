"""The gateway to numba: every mode gives the same answers, and no other user of numba in the process is touched."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wsim.jit import JIT, PLAIN, NumbaError, cache_directory, kernel, record_type, types
from wsim.jit.modes import config

ROOT = Path(__file__).parents[2]
only_jitted = pytest.mark.skipif(not JIT, reason="what numba does")

HIDE = """
import importlib, runpy
module, name = {hidden!r}
place = importlib.import_module(module)
kept = getattr(place, name)
delattr(place, name)
import wsim.jit
setattr(place, name, kept)  # numba itself needs it to compile
runpy.run_module("tests.jit.sample", run_name="__main__")
"""


def asked(*words: str, **environment: str) -> Any:
    """Run Python with these arguments in a separate process, with warnings as errors; return the printed JSON."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", **environment}
    command = [sys.executable, *words]
    answer = subprocess.run(command, env=variables, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


@pytest.fixture(scope="module")
def expected(sample: Any) -> dict[str, Any]:
    """The results of the sample in this process."""
    found: dict[str, Any] = sample.answers()
    return found


@pytest.mark.slow
def test_the_sample_gives_the_expected_results(expected: dict[str, Any]) -> None:
    assert expected["first"] == 18 + 1000 * 48
    assert expected["called"] == [420, 430, 440]
    assert expected["raised"] == ["on purpose"] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "environment"),
    [
        ({"jit": True, "plain": False, "checked": False}, {}),
        ({"jit": True, "plain": True, "checked": False}, {"WSIM_PLAIN_JIT": "1"}),
        ({"jit": True, "plain": False, "checked": True}, {"NUMBA_BOUNDSCHECK": "1"}),
        ({"jit": True, "plain": True, "checked": True}, {"WSIM_PLAIN_JIT": "1", "NUMBA_BOUNDSCHECK": "1"}),
        ({"jit": False, "plain": False, "checked": False}, {"NUMBA_DISABLE_JIT": "1"}),
    ],
)
def test_every_mode_gives_the_same_answers(
    mode: dict[str, bool], environment: dict[str, str], expected: dict[str, Any]
) -> None:
    chosen = {"NUMBA_DISABLE_JIT": "0", "NUMBA_BOUNDSCHECK": "0", "WSIM_PLAIN_JIT": "0", **environment}
    assert asked("-m", "tests.jit.sample", **chosen) == {**mode, **expected}


@pytest.mark.slow
@pytest.mark.parametrize(
    "hidden",
    [
        ("numba.core.codegen", "JITCodeLibrary"),
        ("numba.core.compiler", "Compiler"),
        ("numba.core.typeconv", "Conversion"),
    ],
)
def test_a_numba_without_the_private_names_is_used_without_caching(
    hidden: tuple[str, str], expected: dict[str, Any]
) -> None:
    chosen = {"NUMBA_DISABLE_JIT": "0", "NUMBA_BOUNDSCHECK": "0", "WSIM_PLAIN_JIT": "0"}
    answer = asked("-c", HIDE.format(hidden=hidden), **chosen)
    assert answer == {"jit": True, "plain": True, "checked": False, **expected}


@pytest.mark.slow
@only_jitted
def test_nothing_is_cached_if_numba_lacks_a_name_that_caching_needs(tmp_path: Path) -> None:
    code = HIDE.rpartition("runpy")[0].format(hidden=("numba.core.serialize", "dumps"))
    code += "from wsim.wonders.kernels.entry_points import science_entry; print(int(science_entry(1, 1, 1, 0)))"
    assert asked("-c", code, WSIM_CACHE_DIR=str(tmp_path)) == 10
    assert not list(tmp_path.rglob("*"))


@only_jitted
@pytest.mark.slow
@pytest.mark.parametrize("at", [-1, 3, 2**40])
def test_checked_kernels_refuse_indices_out_of_bounds(at: int) -> None:
    code = (
        "import json\nfrom tests.jit import sample\n"
        f"try:\n    print(json.dumps(str(sample.element(sample.state(), {at}))))\n"
        "except IndexError as error:\n    print(json.dumps(type(error).__name__))"
    )
    assert asked("-c", code, NUMBA_BOUNDSCHECK="1", WSIM_PLAIN_JIT="0") == "IndexError"


@pytest.mark.slow
@only_jitted
@pytest.mark.skipif(PLAIN, reason="numba's own arrays")
def test_an_address_array_is_one_word_without_reference_counting(sample: Any) -> None:
    (compiled,) = sample.caller.overloads.values()
    model = compiled.target_context.data_model_manager[compiled.signature.args[0]]
    assert not model.contains_nrt_meminfo()
    assert model.get_argument_type() == model.get_value_type()
    with pytest.raises(TypeError):  # not taken for addresses: an array of other numbers
        sample.caller(np.zeros(2, np.int64), 0, sample.state())


@pytest.mark.slow
@only_jitted
def test_constant_records_are_never_written(sample: Any) -> None:
    def write(fixed):  # type: ignore[no-untyped-def]
        fixed.factor = 1.0
        return 0

    def write_element(fixed):  # type: ignore[no-untyped-def]
        fixed.values[0] = 1
        return 0

    for function in (write, write_element):
        with pytest.raises(NumbaError, match="never written"):
            kernel(types.int64(sample.Fixed))(function)


@pytest.mark.slow
@only_jitted
def test_equal_dtypes_give_the_same_record_type(sample: Any) -> None:
    assert record_type(sample.PART) is sample.Part
    assert sample.State.typeof("part") is sample.Part
    assert record_type(sample.PART, constant=True) is not sample.Part


def test_process_settings_are_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WSIM_CACHE_DIR", str(tmp_path))
    before = config.CACHE_DIR, gc.isenabled(), list(warnings.filters)
    kernel(types.int64(types.int64), package="wonders.kernels")(_plus_one)
    assert (config.CACHE_DIR, gc.isenabled(), list(warnings.filters)) == before


def _plus_one(number):  # type: ignore[no-untyped-def]
    return number + 1


@pytest.mark.slow
@only_jitted
def test_foreign_code_keeps_its_own_cache(tmp_path: Path) -> None:
    (tmp_path / "foreign.py").write_text(
        "import numba\n@numba.njit(cache=True)\ndef plus(number):\n    return number + 1\n"
    )
    code = (
        f"import json, sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import tests.jit.sample, foreign\nforeign.plus(1); print(json.dumps(foreign.plus.stats.cache_path))"
    )
    assert asked("-c", code, WSIM_CACHE_DIR=str(tmp_path / "ours")) == str(tmp_path / "__pycache__")


@only_jitted
def test_entry_points_of_other_packages_are_cached_only_where_they_say(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("WSIM_CACHE_DIR", str(tmp_path))
    assert kernel(types.int64(types.int64))(_plus_one)(1) == 2
    assert not list(tmp_path.rglob("*.kernel"))
    assert kernel(types.int64(types.int64), package="babel.kernels")(_plus_one)(1) == 2
    (found,) = tmp_path.rglob("*.kernel")
    assert found.is_relative_to(cache_directory("babel.kernels"))
