"""Files of nets: learned weights of the policy ``net`` of a game.

A file is an ``.npz`` of numbers and one text, ``about``: a JSON object that says what it was learned from. Nothing in
it is executed.
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
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from wsim.errors import UserError
from wsim.files import write_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LearnedNet", "NetFiles"]

_ABOUT, _WEIGHTS = "about", "weights"


@dataclass(frozen=True, eq=False)
class LearnedNet:
    """A net as it was learned; each game has a class of its own, with its shapes.

    Attributes
    ----------
    arrays: name in ``SHAPES`` -> float32 array. weights: of the policy ``weighted``, whose values are an input.
    about: what it was learned from.
    GAME: its name. SHAPES: the arrays of a net and their shapes. WEIGHTS: the shape of the weights.
    """

    GAME: ClassVar[str]
    SHAPES: ClassVar[Mapping[str, tuple[int, ...]]]
    WEIGHTS: ClassVar[tuple[int, ...]]

    arrays: Mapping[str, NDArray[np.float32]]
    weights: NDArray[np.float64]
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def digest(self) -> bytes:
        """Identifies its play."""
        content = b"".join(np.ascontiguousarray(self.arrays[name]).tobytes() for name in self.SHAPES)
        return hashlib.sha256(content + self.weights.tobytes()).digest()

    def _fill(self, record: NDArray[Any]) -> None:
        """Write the arrays that a record has, too."""
        for name in self.SHAPES:
            if name in (record.dtype.names or ()):
                record[name] = self.arrays[name]

    def save(self, path: Path) -> None:
        """Write the net, whole or not at all; its numbers are rounded to half precision, as when they are read again.

        The name of a path ends in ``.npz``.
        """
        content: dict[str, Any] = {name: self.arrays[name].astype(np.float16) for name in self.SHAPES}
        content |= {_WEIGHTS: self.weights, _ABOUT: np.array(json.dumps(dict(self.about), indent=1))}
        file = BytesIO()
        np.savez_compressed(file, allow_pickle=False, **content)
        write_bytes(path, file.getvalue())

    @classmethod
    def read(cls, path: str, place: str | None = None) -> Self:
        """Return the net of a file; ``place`` is where it lies, if not where its name says.

        Raises UserError for a file that cannot be read or is no net of this version of wsim, or of another game.
        """
        try:
            with np.load(BytesIO(Path(place or path).read_bytes()), allow_pickle=False) as found:
                arrays = {name: found[name] for name in found.files}
            about = json.loads(str(arrays[_ABOUT]))
        except OSError as error:
            raise UserError(f"cannot read the net {path!r}: {error.strerror or 'it is no net'}") from error
        except (ValueError, KeyError, zipfile.BadZipFile, EOFError) as error:
            raise UserError(f"{path!r} is no net of wsim: wsim learn writes them") from error
        game = _game_of(about)
        if game not in (None, cls.GAME):
            raise UserError(f"the net {path!r} is one of {game}, not of {cls.GAME}: it plays no other game")
        for name, shape in {**cls.SHAPES, _WEIGHTS: cls.WEIGHTS}.items():
            if name not in arrays or arrays[name].shape != shape or arrays[name].dtype.kind != "f":
                has = arrays[name].shape if name in arrays else "not there"
                raise UserError(
                    f"the net {path!r} is of another version of wsim: {name} is {has}, not {shape}; learn it again"
                )
            if not np.isfinite(arrays[name]).all():
                raise UserError(f"the net {path!r} is damaged: {name} has numbers that are not finite")
        floats = {name: arrays[name].astype(np.float32) for name in cls.SHAPES}
        return cls(floats, arrays[_WEIGHTS].astype(np.float64), about)


def _game_of(about: Any) -> str | None:
    """Return the game that a net was learned from, None where it does not say."""
    plan = about.get("plan") if isinstance(about, dict) else None
    game = plan.get("game") if isinstance(plan, dict) else None
    return game if isinstance(game, str) else None


_Net = TypeVar("_Net", bound=LearnedNet)


@dataclass(frozen=True)
class NetFiles(Generic[_Net]):
    """The net of a game that comes with wsim, and files of others.

    Attributes
    ----------
    file: the net that comes with wsim. kind: the nets of the game.
    """

    file: Path
    kind: type[_Net]

    @cached_property
    def shipped(self) -> _Net:
        """The net that comes with wsim."""
        return self.read(str(self.file))

    def read(self, path: str, place: str | None = None) -> _Net:
        """Return the net of a file (``LearnedNet.read``)."""
        return self.kind.read(path, place)
