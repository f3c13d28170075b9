"""What the gateway to the compiler does without the JIT: sums of layers, copies of records, slots, by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wsim.jit import SlotError, bits, cache, copies, slots, vectors
from wsim.jit.vectors import MAX_SHORT, padded


@pytest.fixture(autouse=True)
def _without_jit(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (copies, slots, vectors):
        monkeypatch.setattr(module, "JIT", False)


def test_lists_of_inputs_are_padded_to_groups_of_32() -> None:
    assert [padded(count) for count in (0, 1, 32, 33, 64)] == [0, 32, 32, 64, 64]


def test_numbers_are_rounded_to_short_integers() -> None:
    """Times four: one half goes up, also below zero; what is too large is cut; the rest of the room is 0."""
    inputs = np.full(32, 7, np.int16)
    numbers = np.array([0.25, 0.3, 0.375, -0.375, 1e6, -1e6, 99], np.float32)
    vectors.rounding(6, 4)(numbers, inputs)
    assert inputs[:6].tolist() == [1, 1, 2, -1, MAX_SHORT, -MAX_SHORT]
    assert not inputs[6:].any()


def test_products_of_pairs_are_summed_by_unit() -> None:
    """Units 0 and 1 of three inputs 2, -1 and 3: 10 + 2 x 1 - 1 x 4 + 3 x 5, and 20 + 2 x 2 - 1 x 3 + 3 x 6."""
    weights = np.array([[[1, 4], [2, 3]], [[5, 0], [6, 0]]], np.int16)
    inputs, sums = np.zeros(32, np.int16), np.zeros(2, np.int32)
    inputs[:3] = [2, -1, 3]
    vectors.products(3, 2)(np.array([10, 20], np.int32), inputs, weights, sums)
    assert sums.tolist() == [23, 39]


def test_rows_are_added_times_a_power_of_two() -> None:
    rows = np.array([[1, 2], [10, 20], [100, 200]], np.int16)
    sums = np.array([5, 6], np.int32)
    vectors.sums_of_rows(2)(rows, np.array([2, 0, 1]), 2, 3, sums)
    assert sums.tolist() == [5 + 8 * 101, 6 + 8 * 202]


def test_sums_are_cut_to_positive_short_integers() -> None:
    inputs = np.full(32, 7, np.int16)
    vectors.rectified(4)(np.array([-9, 7, 8, 1 << 30], np.int32), 2, inputs)
    assert inputs[:4].tolist() == [0, 1, 2, MAX_SHORT]
    assert not inputs[4:].any()


OWN = np.dtype([("rng", "u8"), ("memory", "f8", (2,)), ("seat", "i8")])
CHOICE = np.dtype([("count", "i8"), ("moves", "i8", (4,))])


def records() -> tuple[Any, Any, Any, Any]:
    own, choice = np.zeros(1, OWN)[0], np.zeros(1, CHOICE)[0]
    own["rng"], own["memory"], own["seat"] = 5, [1, 2], 3
    choice["count"], choice["moves"] = 2, [7, 8, 9, 9]
    return np.zeros(1, [("coins", "i8")])[0], own, choice, np.zeros(1, [("cost", "i8")])[0]


def test_a_function_gets_copies_and_only_some_fields_come_back() -> None:
    seen: list[Any] = []

    def function(public: Any, own: Any, choice: Any, rules: Any) -> int:
        seen.append(choice["moves"].tolist())
        public["coins"] = own["seat"] = rules["cost"] = choice["count"] = 99
        own["rng"], own["memory"] = 6, [3, 4]
        return 1

    public, own, choice, rules = records()
    called = copies.in_copies(function, (), ("rng", "memory"))
    assert called(public, own, choice, rules) == 1
    assert seen == [[7, 8, 0, 0]], "moves of earlier decisions are hidden"
    assert (own["rng"], own["memory"].tolist(), own["seat"]) == (6, [3, 4], 3)
    assert (public["coins"], rules["cost"], choice["count"], choice["moves"].tolist()) == (0, 0, 2, [7, 8, 9, 9])


def test_a_value_function_changes_nothing() -> None:
    def function(public: Any, own: Any, _choice: Any, _rules: Any, index: int) -> float:
        public["coins"] = own["rng"] = 99
        return 0.5 + index

    public, own, choice, rules = records()
    assert copies.valuing_copies(function, ())(public, own, choice, rules, 2) == 2.5
    assert (public["coins"], own["rng"]) == (0, 5)


def test_slots_have_bounds_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[Any] = []
    monkeypatch.setattr(slots, "_FUNCTIONS", {})
    monkeypatch.setattr(slots, "_TABLE", [0] * (3 * slots.SLOTS))
    monkeypatch.setattr(slots, "write_note", lambda *note: noted.append(note))
    slots.fill_slot(2, lambda number: number, 0, 9)
    slots.fill_slot(3, lambda number: -number, -20, -10)
    assert [slots.call_slot(2, number) for number in (0, 9)] == [0, 9]
    assert [slots.call_slot(3, number) for number in (10, 20)] == [-10, -20]
    for slot, number, result in (
        (2, 10, 10),
        (2, -1, -1),
        (3, 9, -9),
        (2, 1 << 70, 2**63 - 1),
        (2, -(1 << 70), 1 - 2**63),
    ):
        with pytest.raises(SlotError):
            slots.call_slot(slot, number)
        assert noted.pop()[1:] == (slot, result)
    slots.fill_slot(4, lambda: 1 / 0, 0, 9)
    with pytest.raises(ZeroDivisionError):
        slots.call_slot(4)
    assert noted.pop()[1:] == (4, -(2**63))
    with pytest.raises(SlotError):
        slots.call_slot(5)
    assert noted == []
    for note, told in ((None, None), ((2, 10), (2, 10)), ((4, -(2**63)), (4, None))):
        monkeypatch.setattr(slots, "take_note", lambda _kind, note=note: note)
        assert slots.failed_slot() == told


def test_kernels_are_cached_in_the_folder_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A named folder comes first, then the cache of the desktop, then the home; without one, a temporary folder."""
    monkeypatch.setenv("WSIM_CACHE_DIR", str(tmp_path / "named"))
    assert cache._cache_root() == tmp_path / "named"
    monkeypatch.delenv("WSIM_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "desktop"))
    assert cache._cache_root() == tmp_path / "desktop" / "wsim"
    assert (tmp_path / "desktop" / "wsim").is_dir()
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    assert cache._cache_root() == tmp_path / "home" / ".cache" / "wsim"
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert cache._cache_root() == cache._temporary_root()
    assert cache._temporary_root().name.startswith("wsim-cache")


def test_bits_are_counted_from_the_lowest() -> None:
    assert [bits.count_bits(np.uint64(word)) for word in (0, 1, 0b1011, 2**64 - 1)] == [0, 1, 3, 64]
    assert [int(bits.reverse_bits(np.uint64(word))) for word in (0, 1, 0b110, 1 << 63)] == [0, 1 << 63, 3 << 61, 1]
