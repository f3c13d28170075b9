"""Nets: files of learned weights for the policy ``net``, and how they are laid out for a rule set.

A file is an ``.npz`` of numbers and one text, ``about``: a JSON object that says what it was learned from. Nothing in
it is executed. The weights are for effects of cards; ``laid`` makes a row for each card of a rule set of them.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.wonders.kernels.layout import WEIGHTS
from wsim.wonders.kernels.net_layout import (
    CARD_ROLES,
    MOVE_NUMBERS,
    NARROW,
    NET,
    STAGE_ROLES,
    STATE_NUMBERS,
    WIDTH,
)
from wsim.wonders.policies.net_items import ITEM_NUMBERS, item_numbers
from wsim.wonders.words import AGES, CARDS, STAGE_ENTRY

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SHAPES", "Net", "NetFiles"]

_ITEMS = len(ITEM_NUMBERS)
SHAPES: Mapping[str, tuple[int, ...]] = {
    "bias": (WIDTH,),
    "of_number": (STATE_NUMBERS, WIDTH),
    "card_roles": (len(CARD_ROLES), _ITEMS, WIDTH),
    "stage_roles": (len(STAGE_ROLES), _ITEMS, WIDTH),
    "of_move": (MOVE_NUMBERS, WIDTH),
    "second": (WIDTH, NARROW),
    "second_bias": (NARROW,),
    "last": (NARROW,),
    "straight": (MOVE_NUMBERS,),
}
"""The arrays of a net and their shapes; ``card_roles`` and ``stage_roles`` have a row for each of ``ITEM_NUMBERS``."""
_ABOUT, _WEIGHTS = "about", "weights"


@dataclass(frozen=True, eq=False)
class Net:
    """A net as it was learned.

    Attributes
    ----------
    arrays: name in ``SHAPES`` -> float32 array. weights: of the policy ``weighted``, whose values are an input.
    about: what it was learned from.
    """

    arrays: Mapping[str, NDArray[np.float32]]
    weights: NDArray[np.float64]
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def digest(self) -> bytes:
        """Identifies its play."""
        content = b"".join(np.ascontiguousarray(self.arrays[name]).tobytes() for name in SHAPES)
        return hashlib.sha256(content + self.weights.tobytes()).digest()

    def save(self, path: Path) -> None:
        """Write the net; its numbers are rounded to half precision, as they are when they are read again."""
        content: dict[str, Any] = {name: self.arrays[name].astype(np.float16) for name in SHAPES}
        content |= {_WEIGHTS: self.weights, _ABOUT: np.array(json.dumps(dict(self.about), indent=1))}
        np.savez_compressed(path, allow_pickle=False, **content)

    def laid(self, rules: Any) -> NDArray[Any]:
        """Return the NET record (shape ()) of the net for the cards and stages of a RULES record."""
        record = np.zeros((), NET)
        for name in SHAPES:
            if name in (NET.names or ()):
                record[name] = self.arrays[name]
        numbers = item_numbers(rules)
        record["rows"] = np.concatenate(
            [
                self.arrays["of_number"],
                self.arrays["of_move"],
                _rows(numbers[:CARDS], self.arrays["card_roles"]).reshape(-1, WIDTH),
                _rows(numbers[STAGE_ENTRY:], self.arrays["stage_roles"]).reshape(-1, WIDTH),
            ]
        )
        return record


def _rows(numbers: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return ``numbers @ weights`` for each role, summed in one order on every machine."""
    found = np.zeros((len(weights), len(numbers), WIDTH), np.float32)
    for place in range(numbers.shape[1]):
        found += numbers[None, :, place, None] * weights[:, None, place, :]
    return found


@dataclass(frozen=True)
class NetFiles:
    """The net that comes with wsim, and files of others.

    Attributes
    ----------
    file: the net that comes with wsim.
    """

    file: Path

    @cached_property
    def shipped(self) -> Net:
        """The net that comes with wsim."""
        return self.read(str(self.file))

    def read(self, path: str, place: str | None = None) -> Net:
        """Return the net of a file; ``place`` is where it lies, if not where its name says.

        Raises UserError for a file that cannot be read or is no net of this version of wsim.
        """
        try:
            with np.load(BytesIO(Path(place or path).read_bytes()), allow_pickle=False) as found:
                arrays = {name: found[name] for name in found.files}
            about = json.loads(str(arrays[_ABOUT]))
        except OSError as error:
            raise UserError(f"cannot read the net {path!r}: {error.strerror or 'it is no net'}") from error
        except (ValueError, KeyError, zipfile.BadZipFile, EOFError) as error:
            raise UserError(f"{path!r} is no net of wsim: wsim learn writes them") from error
        for name, shape in {**SHAPES, _WEIGHTS: (AGES, WEIGHTS)}.items():
            if name not in arrays or arrays[name].shape != shape or arrays[name].dtype.kind != "f":
                has = arrays[name].shape if name in arrays else "not there"
                raise UserError(
                    f"the net {path!r} is of another version of wsim: {name} is {has}, not {shape}; learn it again"
                )
            if not np.isfinite(arrays[name]).all():
                raise UserError(f"the net {path!r} is damaged: {name} has numbers that are not finite")
        floats = {name: arrays[name].astype(np.float32) for name in SHAPES}
        return Net(floats, arrays[_WEIGHTS].astype(np.float64), about)
