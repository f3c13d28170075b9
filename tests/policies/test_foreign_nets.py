"""Nets from others are data: size limits before unpacking, range checks on numbers, one sentence for other damage."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.learn.learner import learner_of

SHIPPED = learner_of("seven_wonders").plan.with_name("net.npz")


def read(path: Path) -> None:
    learner_of("seven_wonders").load(str(path))


def with_arrays(path: Path, **arrays: object) -> Path:
    with np.load(SHIPPED) as found:
        np.savez_compressed(path, **{**dict(found), **arrays})
    return path


@pytest.mark.slow
def test_unexpected_arrays_are_not_unpacked(tmp_path: Path) -> None:
    read(with_arrays(tmp_path / "more.npz", more=np.zeros(1 << 22)))
    with pytest.raises(UserError, match="is not a wsim net"):
        read(with_arrays(tmp_path / "bomb.npz", last=np.zeros(1 << 22)))


def test_an_out_of_range_number_is_damage(tmp_path: Path) -> None:
    with np.load(SHIPPED) as found:
        last = np.full(found["last"].shape, 1e300)
    with pytest.raises(UserError, match="last contains infinite, NaN or too large numbers"):
        read(with_arrays(tmp_path / "large.npz", last=last))


def test_flipped_bits_are_reported_in_one_sentence(tmp_path: Path) -> None:
    draw, content = random.Random(3), SHIPPED.read_bytes()
    for _ in range(60):
        damaged = bytearray(content)
        for _ in range(4):
            damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
        path = tmp_path / "flipped.npz"
        path.write_bytes(damaged)
        with contextlib.suppress(UserError):
            read(path)


def test_endless_files_are_not_read() -> None:
    with pytest.raises(UserError, match="is not a wsim net"):
        read(Path("/dev/zero"))
