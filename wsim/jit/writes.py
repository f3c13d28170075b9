"""What a compiled function writes: found in its typed code, before it is run.

Arguments are followed through the statements, into elements and views, and into other compiled functions. What is made
in the function itself may be written; of an argument only what is allowed. Functions that reach memory by an address
are named, too, since what they write cannot be told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from numba import types
from numba.core import ir
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

__all__ = ["forbidden_writes"]

_COPIES = ("copy", "sort", "argsort", "array", "zeros_like", "empty_like", "ones_like", "full_like", "astype")
_METHODS = ("fill", "sort", "partition", "put", "itemset", "resize")  # that change their array
_FUNCTIONS = ("copyto", "put", "place", "putmask", "put_along_axis", "shuffle", "fill_diagonal")  # likewise
_BY_ADDRESS = ("carray", "farray")
_SCALARS = (types.Number, types.Boolean, types.NoneType, types.StringLiteral, types.UnicodeType)


@dataclass
class _Reader:
    """Reads the typed code of one function.

    Attributes
    ----------
    code: ``type_annotation`` of its compile result. origin: of each variable that is part of an argument: its path.
    allowed: paths that may be written. found: what is written besides. seen: calls that have been followed.
    """

    code: Any
    origin: dict[str, str]
    allowed: tuple[str, ...]
    found: list[str]
    seen: set[Any]

    def read(self) -> None:
        """Follow what is part of an argument until no more of it is found; then look at what is written."""
        before: dict[str, str] | None = None
        while before != self.origin:
            before = dict(self.origin)
            for statement in self.statements():
                if isinstance(statement, ir.Assign):
                    self.follow(statement.target.name, statement.value)
        for statement in self.statements():
            self.look(statement)

    def statements(self) -> Iterator[Any]:
        for block in self.code.blocks.values():
            yield from block.body

    def follow(self, target: str, value: Any) -> None:
        """Note that a variable is part of an argument."""
        if isinstance(self.code.typemap.get(target), _SCALARS):
            return
        if isinstance(value, ir.Var):
            path = self.origin.get(value.name)
        elif isinstance(value, ir.Expr):
            path = self.part_of(value)
        else:
            path = None
        if path is not None and self.origin.get(target, self.allowed[0]) in self.allowed:
            self.origin[target] = path  # of several, one that must not be written

    def part_of(self, value: Any) -> str | None:
        """Return the path of an expression that is part of an argument; None for what is new."""
        if value.op in ("binop", "unary", "arrayexpr", "build_map"):
            return None
        if value.op == "call" and self.name_of(value) in _COPIES:
            return None
        paths = [self.origin[var.name] for var in value.list_vars() if var.name in self.origin]
        if not paths:
            return None
        path = next((one for one in paths if one not in self.allowed), paths[0])
        return f"{path}.{value.attr}" if value.op == "getattr" else path

    def name_of(self, call: Any) -> str:
        """Return the name of what is called, as far as it has one."""
        called = self.code.typemap[call.func.name]
        key = getattr(called, "typing_key", None) or getattr(called, "key", None)
        key = key[1] if isinstance(key, tuple) and len(key) > 1 else key
        return str(getattr(key, "__name__", key)).rpartition(".")[2]

    def look(self, statement: Any) -> None:
        """Note what a statement writes of an argument."""
        if isinstance(statement, ir.SetAttr):
            self.write(statement.target, f".{statement.attr}")
        elif isinstance(statement, ir.SetItem | ir.StaticSetItem | ir.DelItem):
            self.write(statement.target, "")
        elif isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Expr):
            value = statement.value
            if value.op == "inplace_binop":
                self.write(value.lhs, "")
            elif value.op == "call":
                self.call(value)

    def write(self, target: Any, attribute: str) -> None:
        path = self.origin.get(target.name)
        if path is not None and path + attribute not in self.allowed:
            self.found.append(f"writes {path}{attribute}")

    def call(self, value: Any) -> None:
        """Look into what is called."""
        called: Any = self.code.typemap[value.func.name]
        name, method = self.name_of(value), isinstance(called, types.BoundFunction)
        handed = {place: self.origin.get(var.name) for place, var in enumerate(value.args)}
        of_argument = [path for path in (*handed.values(), self.origin.get(value.func.name)) if path is not None]
        by_address = isinstance(called, types.ExternalFunctionPointer) or name in _BY_ADDRESS
        if by_address or isinstance(getattr(called, "typing_key", None), _Intrinsic):
            self.found.append(f"calls {name}, which reaches memory by its address")
        elif isinstance(called, types.Dispatcher):
            self.enter(called.dispatcher, self.code.calltypes[value].args, handed)
        elif name in (_METHODS if method else _FUNCTIONS):
            written = [path.removesuffix(f".{name}") for path in of_argument]
            self.found += [f"writes {path}" for path in written if path not in self.allowed]

    def enter(self, function: Any, arguments: Any, handed: Mapping[int, str | None]) -> None:
        """Read another compiled function that gets part of an argument."""
        key = (id(function), tuple(handed.values()))
        result: Any = function.overloads.get(tuple(arguments)) if isinstance(function, Dispatcher) else None
        if result is None or key in self.seen or not any(handed.values()):
            return
        self.seen.add(key)
        names = function.py_func.__code__.co_varnames
        paths = {place: path for place, path in handed.items() if path is not None}
        _read(result.type_annotation, {names[place]: path for place, path in paths.items()}, self)


def _read(code: Any, arguments: Mapping[str, str], outer: _Reader) -> None:
    """Read typed code whose arguments of these names are parts of those of the outer function."""
    reader = _Reader(code, {}, outer.allowed, outer.found, outer.seen)
    for statement in reader.statements():
        if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Arg):
            path = arguments.get(statement.value.name)
            if path is not None:
                reader.origin[statement.target.name] = path
    reader.read()


def forbidden_writes(function: Any, arguments: tuple[Any, ...], allowed: tuple[str, ...]) -> list[str]:
    """Return what a compiled function does that its arguments must not suffer, in words; nothing if all is well.

    Parameters
    ----------
    function: numba's dispatcher, compiled for ``arguments``.
    allowed: what may be written, such as "own.rng": names of arguments as the function has them, and fields.
    """
    code = function.overloads[arguments].type_annotation
    names = function.py_func.__code__.co_varnames[: len(arguments)]
    outer = _Reader(code, {}, allowed, [], set())
    _read(code, {name: name for name in names}, outer)
    return list(dict.fromkeys(outer.found))
