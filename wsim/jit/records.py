"""Records as kernels see them: nested arrays are accessed by non-negative indices only.

Numba counts a negative array index from the end, at the cost of a comparison for each index, and creates a full array
object for every nested array that it accesses. Kernels need neither. Here a record is a separate type, defined with
numba's public extension API, whose nested arrays are an address and a shape:

* indices are assumed not to be negative; under ``NUMBA_BOUNDSCHECK=1`` an index outside 0..n-1 raises IndexError; *
integers shorter than 64 bits are int64 as soon as they are read, so kernels are not compiled again for each length; *
the compiler knows that different fields never overlap, and which records are never written while playing.

Entry points take numpy records for them. In the plain mode (``wsim.jit.PLAIN``) kernels see numba's own records.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core.errors import NumbaError
from numba.core.typeconv import Conversion  # type: ignore[attr-defined]
from numba.extending import (
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    register_model,
    type_callable,
)

_BYTES = ir.IntType(8).as_pointer()
_WORD = ir.IntType(64)


class Lanes(types.Type):  # type: ignore[misc, unused-ignore]
    """The type of a nested array: its address. Its elements are numbers or records.

    Attributes
    ----------
    element: what an element is as a value. storage: what it is in memory. size: bytes of an element.
    shape: elements along each axis. field: record and field, for the compiler's knowledge of what overlaps.
    constant: whether nothing writes to it.
    """

    def __init__(self, element: Any, storage: Any, size: int, shape: tuple[int, ...], field: str, constant: bool):
        self.element, self.storage, self.size, self.shape = element, storage, size, shape
        self.field, self.constant = field, constant
        super().__init__(f"{field}{list(shape)}")


class View(types.Record):  # type: ignore[misc, unused-ignore]
    """The type of a record argument of kernels; ``constant`` records are never written. Made by ``view``."""

    def __init__(self, dtype: np.dtype[Any], name: str, constant: bool) -> None:
        self._dtype, self.constant, self.storage = dtype, constant, {}
        self.same = from_dtype(dtype)
        fields: Any = []
        for key in dtype.names or ():
            kind, at = dtype.fields[key][:2]  # type: ignore[index]
            value, self.storage[key] = _types_of(kind, f"{name}.{key}", constant)
            fields.append((key, {"type": value, "offset": at, "alignment": kind.alignment}))
        super().__init__(fields, dtype.itemsize, dtype.isalignedstruct)
        self.name = name

    def __repr__(self) -> str:
        return self.name

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype."""
        return self._dtype

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:  # noqa: ARG002
        """Allow Python to pass a numpy record to an entry point."""
        return Conversion.safe if other == self.same else None


def view(dtype: np.dtype[Any], constant: bool) -> View:
    """Return the type of the records of a dtype; equal dtypes give the same type, also inside other dtypes."""
    digest = hashlib.sha256(repr((dtype.descr, constant)).encode()).hexdigest()[:12]
    return View(dtype, f"Record({', '.join((dtype.names or ())[:3])}, ...; {'constant ' * constant}{digest})", constant)


def is_short(kind: Any) -> bool:
    """Return whether a number in memory is an integer of less than 64 bits."""
    return isinstance(kind, types.Integer) and kind.bitwidth < 64  # type: ignore[attr-defined]


def _types_of(kind: np.dtype[Any], field: str, constant: bool) -> tuple[Any, Any]:
    """Return the types of a field as a value and in memory."""
    base, shape = kind.subdtype or (kind, ())
    storage = view(base, constant) if base.fields else from_dtype(base)
    element = types.int64 if is_short(storage) else storage
    if not shape:
        return element, storage
    return Lanes(element, storage, base.itemsize, shape, field, constant), storage


register_model(View)(models.RecordModel)


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):  # type: ignore[misc, unused-ignore]
    """A nested array is passed as the address of its first element."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _BYTES)


# --- typing of elements; attributes are typed by numba, from View.fields


def _each(index: Any) -> tuple[Any, ...]:
    return tuple(index) if isinstance(index, types.BaseTuple) else (index,)  # type: ignore[arg-type]


def _element(lanes: Any, index: Any) -> Any:
    if not isinstance(lanes, Lanes):
        return None
    places = _each(index)
    if len(places) > len(lanes.shape) or not all(isinstance(place, types.Integer) for place in places):
        return None
    rest = lanes.shape[len(places) :]
    if rest:
        return Lanes(lanes.element, lanes.storage, lanes.size, rest, lanes.field, lanes.constant)
    return lanes.element


@type_callable(operator.getitem)
def _type_getitem(_context: Any) -> Any:
    return lambda lanes, index: _element(lanes, index)


@type_callable(operator.setitem)
def _type_setitem(_context: Any) -> Any:
    def typer(lanes: Any, index: Any, value: Any) -> Any:  # noqa: ARG001
        return types.none if isinstance(_element(lanes, index), types.Number) else None

    return typer


# --- code


def _at(builder: Any, pointer: Any, offset: Any) -> Any:
    """Return an address plus an offset in bytes."""
    return builder.gep(builder.bitcast(pointer, _BYTES), [offset], inbounds=True)


def _marked(builder: Any, instruction: Any, field: str, constant: bool) -> Any:
    """Mark a load or store with its field, so the compiler knows that different fields do not overlap."""
    module = builder.module
    root = module.add_metadata(["wsim"])
    kind = module.add_metadata([field, root, ir.Constant(_WORD, 0)])
    instruction.set_metadata("tbaa", module.add_metadata([kind, kind, ir.Constant(_WORD, 0)]))
    if constant:
        instruction.set_metadata("invariant.load", module.add_metadata([]))
    return instruction


def _load(context: Any, builder: Any, pointer: Any, storage: Any, field: str, constant: bool) -> Any:
    """Load a number and widen it, or return the address of a record."""
    if isinstance(storage, View):
        return builder.bitcast(pointer, context.get_value_type(storage))
    typed = builder.bitcast(pointer, context.get_data_type(storage).as_pointer())
    value = _marked(builder, builder.load(typed), field, constant)
    if not is_short(storage):
        return value
    return builder.sext(value, _WORD) if storage.signed else builder.zext(value, _WORD)


def _store(context: Any, builder: Any, pointer: Any, storage: Any, field: str, value: Any) -> None:
    typed = builder.bitcast(pointer, context.get_data_type(storage).as_pointer())
    if is_short(storage):
        value = builder.trunc(value, ir.IntType(storage.bitwidth))
    _marked(builder, builder.store(value, typed), field, False)


@lower_getattr_generic(View)
def _getattr(context: Any, builder: Any, view: Any, value: Any, name: str) -> Any:
    pointer = _at(builder, value, ir.Constant(_WORD, view.offset(name)))
    if isinstance(view.typeof(name), Lanes):
        return pointer
    return _load(context, builder, pointer, view.storage[name], f"{view.name}.{name}", view.constant)


@lower_setattr_generic(View)
def _setattr(context: Any, builder: Any, signature: Any, args: Any, name: str) -> None:
    view, kind = signature.args
    if view.constant:
        raise NumbaError(f"{view.name}.{name} is never written")
    value = context.cast(builder, args[1], kind, view.typeof(name))
    pointer = _at(builder, args[0], ir.Constant(_WORD, view.offset(name)))
    _store(context, builder, pointer, view.storage[name], f"{view.name}.{name}", value)


def _place(context: Any, builder: Any, lanes: Any, pointer: Any, kind: Any, index: Any) -> Any:
    places: Sequence[Any] = [index]
    kinds = _each(kind)
    if isinstance(kind, types.BaseTuple):
        places = [builder.extract_value(index, at) for at in range(len(kinds))]
    total = None
    for place, number, length in zip(places, kinds, lanes.shape, strict=False):
        if place.type.width < 64:
            place = builder.sext(place, _WORD) if number.signed else builder.zext(place, _WORD)
        if context.enable_boundscheck:
            with builder.if_then(builder.icmp_unsigned(">=", place, ir.Constant(_WORD, length)), likely=False):
                context.call_conv.return_user_exc(builder, IndexError, (f"index outside {lanes}",))
        total = (
            place
            if total is None
            else builder.add(
                builder.mul(total, ir.Constant(_WORD, length), flags=["nuw", "nsw"]), place, flags=["nuw", "nsw"]
            )
        )
    step = lanes.size * prod(lanes.shape[len(places) :])
    return _at(builder, pointer, builder.mul(total, ir.Constant(_WORD, step), flags=["nuw", "nsw"]))


@lower_builtin(operator.getitem, Lanes, types.Any)
def _getitem(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    lanes, kind = signature.args
    pointer = _place(context, builder, lanes, args[0], kind, args[1])
    if isinstance(signature.return_type, Lanes):
        return pointer
    return _load(context, builder, pointer, lanes.storage, lanes.field, lanes.constant)


@lower_builtin(operator.setitem, Lanes, types.Any, types.Any)
def _setitem(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    lanes, kind, given = signature.args
    if lanes.constant:
        raise NumbaError(f"{lanes} is never written")
    value = context.cast(builder, args[2], given, lanes.element)
    pointer = _place(context, builder, lanes, args[0], kind, args[1])
    _store(context, builder, pointer, lanes.storage, lanes.field, value)
    return context.get_dummy_value()
