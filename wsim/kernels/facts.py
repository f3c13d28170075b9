"""Kernels that process the facts of a seat (``wsim.facts``): clearing, observing, writing rows, answering formulas.

They are written field by field from the table and compiled like any other kernel: the result is the code that a person
would write by hand, so the table costs no time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from wsim.facts import Fact
from wsim.jit import kernel

_NAMESPACE = {"__name__": __name__, "np": np}


class FactKernels:
    """Generates the kernels that process some facts.

    Parameters
    ----------
    handed: the first argument of every kernel; ``rules`` and ``seat`` follow.
    records: the expression for field ``{}`` of a seat, by record, such as ``{"public": "public.{}[seat]"}``.
    computed: the kernels of facts without a field, each with the name of its fact: (handed, rules, seat), and which
        number where the fact has several.
    """

    def __init__(
        self, facts: Iterable[Fact], handed: str, records: Mapping[str, str], computed: Iterable[Any] = ()
    ) -> None:
        self.facts, self.handed, self.records = tuple(facts), handed, records
        self.computed = {function.__name__: function for function in computed}

    def clear(self) -> Any:
        """Return the kernel (handed, rules, seat) that gives each fact its value at the start of a game."""
        lines: list[str] = []
        for fact in self.facts:
            if fact.type and fact.start is not None:
                start = f"rules.{fact.start}" if isinstance(fact.start, str) else fact.start
                lines += _repeated(fact.length, f"{self._field(fact)}{_index(fact.length)} = {start}")
        return self._kernel("clear", "", lines)

    def observe(self, groups: Iterable[Sequence[Fact]]) -> Any:
        """Return the kernel (handed, rules, seat, seen, at) that writes groups of facts (``observed_groups``).

        It returns the place after the last number.
        """
        lines, width = [], 0
        for group in groups:
            for place, fact in enumerate(group):
                at = f"at + {width + place}" + (f" + {len(group)} * i" if fact.count else "")
                lines += _repeated(fact.count and len(fact.seen_as), f"seen[{at}] = {self._value(fact)}")
            width += sum(len(fact.seen_as) for fact in group)
        return self._kernel("observe", ", seen, at", [*lines, f"return at + {width}"])

    def write_row(self) -> Any:
        """Return the kernel (handed, rules, seat, row) that writes the facts into a row."""
        lines: list[str] = []
        for fact in self.facts:
            if fact.row:
                lines += _repeated(fact.count, f"row.{fact.name}{_index(fact.count)} = {self._value(fact)}")
        return self._kernel("write_row", ", row", lines)

    def answer(self) -> Any:
        """Return the kernel (handed, rules, seat, name) that returns the value of a name in formulas, given its
        number."""
        lines, first = [], 0
        for fact in self.facts:
            named = [place for place, name in enumerate(fact.asked_as) if name]
            if named:
                index = [f"    i = name - {first - named[0]}"] if fact.count else []
                first += len(named)
                lines += [f"if name < {first}:", *index, f"    return np.int64({self._value(fact)})"]
        return self._kernel("answer", ", name", [*lines, "return 0"])

    def _field(self, fact: Fact) -> str:
        return self.records[fact.record].format(fact.name)

    def _value(self, fact: Fact) -> str:
        """Return the expression for the number of a fact, or for number ``i`` if it has several."""
        if not fact.type:
            return f"{fact.name}({self.handed}, rules, seat{', i' if fact.count else ''})"
        if fact.packed:
            return f"({self._field(fact)} >> np.uint64(8 * i)) & np.uint64(0xFF)"
        return self._field(fact) + _index(fact.count)

    def _kernel(self, name: str, more: str, lines: Sequence[str]) -> Any:
        return written(name, f"{self.handed}, rules, seat{more}", lines, self.computed)


def copying(dtype: np.dtype[Any], *without: str) -> Any:
    """Return the kernel (source, target) that copies all fields of a record, except those named."""
    lines: list[str] = []
    for name in dtype.names or ():
        if name not in without:
            axes = dtype[name].shape
            at = "".join(f"[{'ijk'[axis]}]" for axis in range(len(axes)))
            loops = [f"{'    ' * axis}for {'ijk'[axis]} in range({size}):" for axis, size in enumerate(axes)]
            lines += [*loops, f"{'    ' * len(axes)}target.{name}{at} = source.{name}{at}"]
    return written("copy", "source, target", lines, {})


def written(name: str, arguments: str, lines: Iterable[str], kernels: Mapping[str, Any]) -> Any:
    """Compile these lines into a kernel, which may call other kernels by name."""
    space = {**_NAMESPACE, **kernels}
    exec("\n    ".join([f"def {name}({arguments}):", *lines, "pass"]), space)  # from wsim's tables, not users
    return kernel(space[name])


def _index(count: int) -> str:
    return "[i]" if count else ""


def _repeated(count: int, statement: str) -> list[str]:
    """Return a statement, in a loop over ``i`` if the fact has several numbers."""
    return [f"for i in range({count}):", f"    {statement}"] if count else [statement]
