"""Files of nets: learned weights of the policy ``net`` of a game.

A file is an ``.npz`` of numbers and one text, ``about``: a JSON object that says what it was learned from. Nothing in
it is executed.
"""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.files import bytes_within, write_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.kernels.net_layers import Sizes

_ABOUT, _WEIGHTS = "about", "weights"
MOST_BYTES = 64 << 20
"""Of the file of a net."""
_HEADER, _MOST_ABOUT = 4096, 4 << 20  # bytes of an array beside its numbers; of what a net says of itself
_LARGEST = float(np.finfo(np.float32).max)
_NO_NET = (
    *(ValueError, KeyError, EOFError, IndexError, TypeError, MemoryError, OverflowError, RecursionError),
    *(NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error),
)
"""What reading a file raises that is no net."""
Arrays = Mapping[str, "NDArray[np.float32]"]


def _no_items(_arrays: Arrays, _rules: Any) -> Sequence[NDArray[np.float32]]:
    """Return the rows of no items."""
    return ()


@dataclass(frozen=True, eq=False)
class NetSpec:
    """The nets of a game.

    Attributes
    ----------
    game: its name.
    sizes: of the layers. weights: the shape of the weights of ``weighted``, whose values are an input.
    files: the nets that come with the game, those of seed 1, 2, ...; it may come with none.
    items: shapes of the arrays of further inputs (cards, ...), but for the width, by name; the last of each may have
        grown since a net was learned, which has nothing for what is new.
    later: by array of items, how many of its last inputs are empty until something is learned of them.
    item_rows: of arrays and RULES record -> float32 arrays (rows, width), the ``sizes.item_rows`` of the items.
    """

    game: str
    sizes: Sizes
    weights: tuple[int, ...]
    files: Sequence[Path] = ()
    items: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    later: Mapping[str, int] = field(default_factory=dict)
    item_rows: Callable[[Arrays, Any], Sequence[NDArray[np.float32]]] = _no_items

    @cached_property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The arrays of a net and their shapes."""
        return self.sizes.shapes(self.items)

    @cached_property
    def first_shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The shapes of the arrays without the inputs that are empty at first."""
        items = {name: (*shape[:-1], shape[-1] - self.later.get(name, 0)) for name, shape in self.items.items()}
        return self.sizes.shapes(items)

    def grown(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return the arrays of a net with nothing for the inputs of items that it has not."""
        return {
            name: _grown(array, self.shapes[name]) if name in self.items else array for name, array in arrays.items()
        }

    @cached_property
    def shipped(self) -> LearnedNet:
        """The net that comes with the game; UserError where it comes with none."""
        if not self.files:
            raise UserError(f"{self.game} comes without a net: name a file that wsim learn wrote, as in net:file=FILE")
        return self.read(str(self.files[0]))

    def named(self, file: str, seed: str, place: str | None = None) -> LearnedNet:
        """Return the net of a file (``read``), or where none is named, of those that come with the game that of a seed.

        Raises UserError for both, and for a seed of none.
        """
        seeds = {str(number + 1): one for number, one in enumerate(self.files)}
        if file and seed != next(iter(seeds), seed):
            raise UserError(f"the net {file!r} is one: seed={seed} is of those that come with wsim, without file")
        if file:
            return self.read(file, place)
        if not seeds or seed == next(iter(seeds)):
            return self.shipped
        if seed not in seeds:
            known = f"the seeds {', '.join(seeds)}" if len(seeds) > 1 else "seed 1 alone"
            raise UserError(
                f"{self.game} comes with nets of {known}, not of {seed!r}: wsim learn --game {self.game} --seed NUMBER "
                f"makes another, for net:file=learned/net.npz"
            )
        return self.read(str(seeds[seed]))

    def read(self, path: str, place: str | None = None) -> LearnedNet:
        """Return the net of a file; ``place`` is where it lies, if not where its name says.

        Raises UserError for a file that cannot be read or is no net of this version of wsim, or of another game.
        """
        shapes = {**self.shapes, _WEIGHTS: self.weights}
        try:
            content = bytes_within(Path(place or path), MOST_BYTES)
            about = json.loads(str(_arrays(content, {_ABOUT: _MOST_ABOUT})[_ABOUT]))
            game = _game_of(about)
            if game not in (None, self.game):
                raise UserError(f"the net {path!r} is one of {game}, not of {self.game}: it plays no other game")
            arrays = _arrays(content, {name: 8 * math.prod(shape) + _HEADER for name, shape in shapes.items()})
        except UserError:
            raise
        except OSError as error:
            raise UserError(f"cannot read the net {path!r}: {error.strerror or 'it is no net'}") from error
        except _NO_NET as error:
            raise UserError(f"{path!r} is no net of wsim: wsim learn writes them") from error
        arrays = self.grown(arrays)
        for name, shape in shapes.items():
            if name not in arrays or arrays[name].shape != shape or arrays[name].dtype.kind != "f":
                has = arrays[name].shape if name in arrays else "not there"
                raise UserError(
                    f"the net {path!r} is of another version of wsim: {name} is {has}, not {shape}; learn it again"
                )
            if not (np.abs(arrays[name].astype(np.float64)) <= _LARGEST).all():  # nor one that is not a number
                raise UserError(f"the net {path!r} is damaged: {name} has numbers that are not finite, or too large")
        floats = {name: arrays[name].astype(np.float32) for name in self.shapes}
        return LearnedNet(self, floats, arrays[_WEIGHTS].astype(np.float64), about)


@dataclass(frozen=True, eq=False)
class LearnedNet:
    """A net as it was learned.

    Attributes
    ----------
    spec: what nets of its game are.
    arrays: name in ``spec.shapes`` -> float32 array. weights: of the policy ``weighted``, whose values are an input.
    about: what it was learned from.
    """

    spec: NetSpec
    arrays: Arrays
    weights: NDArray[np.float64]
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def digest(self) -> bytes:
        """Identifies its play."""
        content = b"".join(_learned(self.arrays[name]).tobytes() for name in self.spec.shapes)
        return hashlib.sha256(content + self.weights.tobytes()).digest()

    def record(self, rules: Any) -> NDArray[Any]:
        """Return the record (shape ()) that kernels play by, for the items of a RULES record."""
        from wsim.policies.net_integers import in_integers

        return in_integers(self.spec.sizes, self.arrays, self.spec.item_rows(self.arrays, rules))

    def blended(self, other: LearnedNet, part: float) -> LearnedNet:
        """Return this net with each weight moved to that of another one, by a part of the way."""
        arrays = {
            name: ((1 - part) * one + part * other.arrays[name]).astype(np.float32) for name, one in self.arrays.items()
        }
        return replace(self, arrays=arrays)

    def save(self, path: Path) -> None:
        """Write the net, whole or not at all; its numbers are rounded to half precision, as when they are read again.

        The name of a path ends in ``.npz``.
        """
        content: dict[str, Any] = {name: self.arrays[name].astype(np.float16) for name in self.spec.shapes}
        content |= {_WEIGHTS: self.weights, _ABOUT: np.array(json.dumps(dict(self.about), indent=1))}
        file = BytesIO()
        np.savez_compressed(file, allow_pickle=False, **content)
        write_bytes(path, file.getvalue())


def _grown(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return an array of items with zeros for inputs that are newer than it."""
    if array.ndim < 2 or (*array.shape[:-2], array.shape[-1]) != (*shape[:-2], shape[-1]):
        return array
    missing = max(shape[-2] - array.shape[-2], 0)
    return np.pad(array, [(0, 0)] * (array.ndim - 2) + [(0, missing), (0, 0)])


def _learned(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array without the inputs at its end of which nothing was learned: they identify no play."""
    if array.ndim > 2:
        known = np.flatnonzero(np.moveaxis(array, -2, 0).reshape(array.shape[-2], -1).any(axis=1))
        array = array[..., : known[-1] + 1 if len(known) else 0, :]
    return np.ascontiguousarray(array)


def _arrays(content: bytes, most: Mapping[str, int]) -> dict[str, NDArray[Any]]:
    """Return arrays of a file; ``most``: how many bytes each may unpack to. No others are unpacked.

    Raises one of ``_NO_NET`` for what is no such file, and for an array that unpacks to more.
    """
    with zipfile.ZipFile(BytesIO(content)) as packed:
        sizes = {info.filename.removesuffix(".npy"): info.file_size for info in packed.infolist()}
    if any(sizes.get(name, 0) > size for name, size in most.items()):
        raise ValueError("it unpacks to more than a net has")
    with np.load(BytesIO(content), allow_pickle=False) as found:
        return {name: found[name] for name in most if name in found.files}


def _game_of(about: Any) -> str | None:
    """Return the game that a net was learned from, None where it does not say."""
    plan = about.get("plan") if isinstance(about, dict) else None
    game = plan.get("game") if isinstance(plan, dict) else None
    return game if isinstance(game, str) else None
