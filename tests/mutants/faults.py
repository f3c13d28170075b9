"""The faults that can be planted: changes of one expression or statement, drawn at random.

Operators (Offutt et al. 1996, the five that cover the others, and three of our own): comparisons, arithmetic, logical
connectives, constants, and negated conditions; swapped arguments, calls left out, terms left out. Text, annotations,
docstrings and the words of error messages are not touched, nor is anything that only the type checker reads, nor what
cannot change a result: the order of the arguments of a maximum, or whether an array is copied where it need not be.
"""

from __future__ import annotations

import ast
import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMPILED_POLICIES = (("wonders", "policies"), ("babel", "policies"))
SYMMETRIC = {
    *("min", "max", "minimum", "maximum", "logical_and", "logical_or", "samestat", "gcd", "hypot", "array_equal"),
    *("add", "multiply", "union1d", "intersect1d"),
}
"""Functions whose result does not depend on the order of two arguments."""
UNSEEN = ("flush", "stacklevel", "strict")
"""Keyword arguments that change no result: when output appears, where a warning points, a check that never fails."""
SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """A change of one expression or statement: where it is, and the text that replaces it."""

    module: Path
    line: int
    start: int
    end: int
    text: str
    operator: str

    @property
    def compiled(self) -> bool:
        """Return whether it is in a kernel."""
        return self.module.parent.name == "kernels" or self.module.parts[-3:-1] in COMPILED_POLICIES

    def planted(self, source: bytes) -> bytes:
        """Return the source with the fault."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def diff(self) -> str:
        """Return the fault as the lines of a difference."""
        before = (ROOT / self.module).read_bytes()
        old, new = (text.decode().splitlines() for text in (before, self.planted(before)))
        return "\n".join(list(unified_diff(old, new, lineterm="", n=0))[3:])

    def change(self) -> tuple[str, str, str]:
        """Return the module and the lines that differ, without and with the fault, which name it for good."""
        lines = self.diff().splitlines()
        old, new = (" ".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+")
        return str(self.module), old, new


ACCEPTED = Path(__file__).parent / "equivalent.toml"
"""Faults that change nothing, and why: they are drawn, and counted apart."""


def accepted() -> dict[tuple[str, str, str], str]:
    """Return the faults that change nothing, and the reason of each."""
    entries = tomllib.loads(ACCEPTED.read_text(encoding="utf-8")).get("fault", [])
    return {(entry["module"], entry["old"], entry["new"]): entry["why"] for entry in entries}


def faults_of(module: Path) -> Iterator[Fault]:
    """Yield every fault that the operators make of a module, given relative to the checkout."""
    source = (ROOT / module).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    tree = ast.parse(source)
    ignored = _untouched(tree)
    for node in ast.walk(tree):
        if id(node) in ignored or not isinstance(node, ast.expr | ast.stmt):
            continue
        for operator, text in _variants(node):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
            yield Fault(module, node.lineno, start, end, text, operator)


def _untouched(tree: ast.Module) -> set[int]:
    """Return the nodes whose change cannot change a result: annotations, texts, messages, imports for type checkers."""
    skipped: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation:
            skipped.append(node.annotation)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            skipped += node.decorator_list
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
            skipped.append(node.returns)
        if isinstance(node, ast.keyword) and (node.arg in UNSEEN or ast.unparse(node) == "copy=False"):
            skipped.append(node)
        if isinstance(node, ast.JoinedStr | ast.Raise | ast.Assert):
            skipped.append(node)
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "__name__ == '__main__'"):
            skipped.append(node)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            skipped.append(node)
    return {id(inner) for node in skipped for inner in ast.walk(node)}


def _variants(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield what replaces a node: the name of the operator, and the new text."""
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            yield "comparison", _joined(ast.Compare(left, [SWAPPED[type(operator)]()], [right]))
        case ast.BinOp(left=left, op=operator, right=right) if not _is_text(left) and not _is_text(right):
            if type(operator) in ARITHMETIC:
                yield "arithmetic", _joined(ast.BinOp(left, ARITHMETIC[type(operator)](), right))
            yield "term left out", _joined(left)
            if isinstance(operator, ast.Add | ast.Mult | ast.BitOr | ast.BitAnd):
                yield "term left out", _joined(right)
        case ast.BoolOp(op=operator, values=values):
            yield "connective", _joined(ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values))
            for index in range(len(values)):
                rest = [*values[:index], *values[index + 1 :]]
                yield "term left out", _joined(rest[0] if len(rest) == 1 else ast.BoolOp(operator, rest))
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            yield "sign", _joined(operand)
        case ast.Constant(value=bool() as value):
            yield "constant", str(not value)
        case ast.Constant(value=int() as value):
            yield "constant", f"({value + 1})"
            yield "constant", f"({value - 1})"
        case ast.Constant(value=float() as value):
            yield "constant", f"({value * 1.5 + 0.1!r})"
        case ast.Call(args=[first, second, *others]) if not any(isinstance(a, ast.Starred) for a in node.args):
            swapped = ast.Call(node.func, [second, first, *others], node.keywords)
            symmetric = not others and ast.unparse(node.func).rpartition(".")[2] in SYMMETRIC
            if ast.unparse(first) != ast.unparse(second) and not symmetric:
                yield "arguments swapped", _joined(swapped)
        case ast.Expr(value=ast.Call()):
            yield "call left out", "pass"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield "condition", _joined(ast.IfExp(test, orelse, body))
        case ast.Continue():
            yield "statement", "break"
        case ast.AugAssign(target=target, op=operator, value=value) if type(operator) in ARITHMETIC:
            changed = ast.AugAssign(target, ARITHMETIC[type(operator)](), value)
            yield "arithmetic", ast.unparse(changed)


def _joined(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def package_of(module: Path) -> str:
    """Return the package of a module of wsim: ``stats``, ``wonders/kernels``; "" for a module of wsim itself."""
    parts = module.parent.parts[1:]
    return "/".join(parts[:2] if parts[:1] in (("wonders",), ("babel",), ("questions",)) else parts[:1])


def drawn(packages: list[str], count: int, seed: int) -> list[Fault]:
    """Draw faults, each as likely as any other, from the packages that are named; from all of wsim without a name."""
    modules = sorted(path.relative_to(ROOT) for path in (ROOT / "wsim").rglob("*.py"))
    chosen = [m for m in modules if not packages or any(_within(m, name) for name in packages)]
    faults = [fault for module in chosen for fault in faults_of(module)]
    return random.Random(seed).sample(faults, min(count, len(faults)))


def _within(module: Path, name: str) -> bool:
    """Return whether a module is in the package of a name, or is the module of that name (``policies/isolation``).

    ``wonders/.`` has only the modules of ``wonders`` itself, and ``.`` those of wsim itself.
    """
    package = package_of(module)
    if name.endswith("."):
        return package == name.rstrip("/.")
    return package == name or package.startswith(f"{name}/") or module.with_suffix("") == Path("wsim") / name
