"""Net files: learned weights for a game's policy ``net``.

A file is an ``.npz`` of numeric arrays and one string, ``about``: a JSON object that describes the training. Nothing
in it is executed.
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
MAX_BYTES = 64 << 20
"""Largest accepted size of a net file, in bytes."""
_HEADER, _MAX_ABOUT = 4096, 4 << 20  # bytes: header of an array; the string ``about``
_MAX_FLOAT = float(np.finfo(np.float32).max)
_INVALID = (
    *(ValueError, KeyError, EOFError, IndexError, TypeError, MemoryError, OverflowError, RecursionError),
    *(NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error),
)
"""Exceptions that may be raised when a file that is not a net is read."""
Arrays = Mapping[str, "NDArray[np.float32]"]


@dataclass(frozen=True, eq=False)
class NetSpec:
    """The shapes of a game's nets, and the nets that ship with the game.

    Attributes
    ----------
    game: the game's name.
    sizes: the sizes of the layers. weights: the shape of the weights of ``weighted``, whose values are an input.
    files: the nets that ship with the game, for seeds 1, 2, ...; may be empty.
    items: name -> shape, without the width, of the arrays of further inputs (cards, ...). The last axis may have grown
        since a net was learned; such a net has zeros for the new inputs.
    later: item array -> how many of its last inputs are zero until they are trained. If all of them are, net files may
        lack the array.
    deciding: item arrays that are zero until trained; a net with zeros in all of them leaves the decisions that
        have these inputs to other rules (field ``decides`` of its record).
    item_rows: function of arrays and RULES record -> float32 arrays (rows, width), the ``sizes.item_rows`` of the
        items.
    """

    game: str
    sizes: Sizes
    weights: tuple[int, ...]
    files: Sequence[Path] = ()
    items: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    later: Mapping[str, int] = field(default_factory=dict)
    deciding: tuple[str, ...] = ()
    item_rows: Callable[[Arrays, Any], Sequence[NDArray[np.float32]]] = lambda _arrays, _rules: ()

    @cached_property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The shape of each array of a net, by name."""
        return self.sizes.shapes(self.items)

    @cached_property
    def first_shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The shape of each array by name, without the inputs that are zero until they are trained."""
        items = {name: (*shape[:-1], shape[-1] - self.later.get(name, 0)) for name, shape in self.items.items()}
        return self.sizes.shapes(items)

    def grown(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Extend a net's arrays with zeros for missing item inputs."""
        known = {
            name: _grown(array, self.shapes[name]) if name in self.items else array for name, array in arrays.items()
        }
        new = [name for name, shape in self.items.items() if name not in known and self.later.get(name) == shape[-1]]
        return {**known, **{name: np.zeros(self.shapes[name], np.float32) for name in new}}

    @cached_property
    def shipped(self) -> LearnedNet:
        """The first net that ships with the game; raises UserError if there is none."""
        if not self.files:
            raise UserError(f"{self.game} has no built-in net: name a file written by wsim learn, as in net:file=FILE")
        return self.read(str(self.files[0]))

    def named(self, file: str, seed: str, actual_path: str | None = None) -> LearnedNet:
        """Load the net in a file (``read``) or, if no file is given, the built-in net for a seed.

        Raises UserError if both are given, or if the seed is unknown.
        """
        seeds = {str(number): path for number, path in enumerate(self.files, 1)}
        if file and seed != next(iter(seeds), seed):
            raise UserError(f"seed={seed} selects a built-in net and cannot be combined with file={file!r}")
        if file:
            return self.read(file, actual_path)
        if not seeds or seed == next(iter(seeds)):
            return self.shipped
        if seed not in seeds:
            known = f"seeds {', '.join(seeds)}" if len(seeds) > 1 else "seed 1 only"
            raise UserError(
                f"{self.game} has built-in nets for {known}, not {seed!r}: wsim learn --game {self.game} --seed NUMBER "
                f"trains one, for net:file=learned/net.npz"
            )
        return self.read(str(seeds[seed]))

    def read(self, path: str, actual_path: str | None = None) -> LearnedNet:
        """Read a net file; ``actual_path``: the location of the file, if it is not at ``path``.

        Raises UserError if the file cannot be read or is not a net for this game and version of wsim.
        """
        shapes = {**self.shapes, _WEIGHTS: self.weights}
        try:
            content = bytes_within(Path(actual_path or path), MAX_BYTES)
            about = json.loads(str(_arrays(content, {_ABOUT: _MAX_ABOUT})[_ABOUT]))
            game = _game_of(about)
            if game not in (None, self.game):
                raise UserError(f"the net {path!r} is for {game}, not {self.game}")
            arrays = _arrays(content, {name: 8 * math.prod(shape) + _HEADER for name, shape in shapes.items()})
        except UserError:
            raise
        except OSError as error:
            raise UserError(f"cannot read the net {path!r}: {error.strerror or 'it is not a net'}") from error
        except _INVALID as error:
            raise UserError(f"{path!r} is not a wsim net: wsim learn writes them") from error
        arrays = self.grown(arrays)
        for name, shape in shapes.items():
            if name not in arrays or arrays[name].shape != shape or arrays[name].dtype.kind != "f":
                actual = f"has shape {arrays[name].shape}, not {shape}" if name in arrays else "is missing"
                raise UserError(
                    f"the net {path!r} is from a different version of wsim: {name} {actual}; train it again"
                )
            if not (np.abs(arrays[name].astype(np.float64)) <= _MAX_FLOAT).all():  # also rejects NaN
                raise UserError(f"the net {path!r} is damaged: {name} contains infinite, NaN or too large numbers")
        floats = {name: arrays[name].astype(np.float32) for name in self.shapes}
        return LearnedNet(self, floats, arrays[_WEIGHTS].astype(np.float64), about)


@dataclass(frozen=True, eq=False)
class LearnedNet:
    """A trained net.

    Attributes
    ----------
    spec: the description of its game's nets.
    arrays: name in ``spec.shapes`` -> float32 array. weights: the weights of ``weighted``, whose values are an input.
    about: how it was trained.
    """

    spec: NetSpec
    arrays: Arrays
    weights: NDArray[np.float64]
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def digest(self) -> bytes:
        """A digest that identifies how the net plays."""
        content = b"".join(_learned(self.arrays[name]).tobytes() for name in self.spec.shapes)
        return hashlib.sha256(content + self.weights.tobytes()).digest()

    def record(self, rules: Any) -> NDArray[Any]:
        """Convert the net to the record (shape ()) that kernels use, with rows for the items in a RULES record."""
        from wsim.policies.net_integers import in_integers

        record = in_integers(self.spec.sizes, self.arrays, self.spec.item_rows(self.arrays, rules))
        record["decides"] = any(self.arrays[name].any() for name in self.spec.deciding)
        return record

    def blended(self, other: LearnedNet, part: float) -> LearnedNet:
        """Interpolate between two nets: move each weight the fraction ``part`` of the way to ``other``."""
        arrays = {
            name: ((1 - part) * array + part * other.arrays[name]).astype(np.float32)
            for name, array in self.arrays.items()
        }
        return replace(self, arrays=arrays)

    def save(self, path: Path) -> None:
        """Write the net atomically to a path that ends in ``.npz``, with its arrays rounded to half precision."""
        content: dict[str, Any] = {name: self.arrays[name].astype(np.float16) for name in self.spec.shapes}
        content |= {_WEIGHTS: self.weights, _ABOUT: np.array(json.dumps(dict(self.about), indent=1))}
        file = BytesIO()
        np.savez_compressed(file, allow_pickle=False, **content)
        write_bytes(path, file.getvalue())


def _grown(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Pad an item array with zeros for inputs that were added after the net was trained."""
    if array.ndim < 2 or (*array.shape[:-2], array.shape[-1]) != (*shape[:-2], shape[-1]):
        return array
    missing = max(shape[-2] - array.shape[-2], 0)
    return np.pad(array, [(0, 0)] * (array.ndim - 2) + [(0, missing), (0, 0)])


def _learned(array: NDArray[Any]) -> NDArray[Any]:
    """Strip the untrained (all-zero) inputs at the end of an array; they do not affect play."""
    if array.ndim > 2:
        known = np.flatnonzero(np.moveaxis(array, -2, 0).reshape(array.shape[-2], -1).any(axis=1))
        array = array[..., : known[-1] + 1 if len(known) else 0, :]
    return np.ascontiguousarray(array)


def _arrays(content: bytes, most: Mapping[str, int]) -> dict[str, NDArray[Any]]:
    """Read the arrays in a file; ``most`` limits the unpacked bytes of each array, by name.

    Raises one of ``_INVALID`` if the file is invalid or an array unpacks to more.
    """
    with zipfile.ZipFile(BytesIO(content)) as packed:
        sizes = {info.filename.removesuffix(".npy"): info.file_size for info in packed.infolist()}
    if any(sizes.get(name, 0) > size for name, size in most.items()):
        raise ValueError("it unpacks to more than a net contains")
    with np.load(BytesIO(content), allow_pickle=False) as loaded:
        return {name: loaded[name] for name in most if name in loaded.files}


def _game_of(about: Any) -> str | None:
    """Return the game on which a net was trained; None if it is unknown."""
    plan = about.get("plan") if isinstance(about, dict) else None
    game = plan.get("game") if isinstance(plan, dict) else None
    return game if isinstance(game, str) else None
