"""Draw faults at random, plant them one at a time in a copy of the checkout, and report which ones no test notices.

``python -m tests.mutants --package stats --count 30 --seed 1`` draws 30 faults among all that the operators below can
make of ``wsim/stats``, runs the quick tests of that package against each, and prints the faults that survive, as a
difference, with the score and its 95% interval. The same seed draws the same faults. A fault is tested by the tests
that execute its line (``tests.lines``), the fastest first. Kernels are tested without the JIT first, which needs no
compiling, and with it where that notices nothing (``--no-jit``: without it only).

Operators (Offutt et al. 1996, the five that cover the others, and three of our own): comparisons, arithmetic, logical
connectives, constants, and negated conditions; swapped arguments, calls left out, terms left out. Text, annotations,
docstrings and the words of error messages are not touched, nor is anything that only the type checker reads, nor what
cannot change a result: the order of the arguments of a maximum, or whether an array is copied where it need not be.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path
from queue import SimpleQueue
from typing import Any, cast

ROOT = Path(__file__).parents[1]
COMPILING = 1800.0  # seconds for the tests of a package whose kernels are compiled again
COMPILED_POLICIES = (("wonders", "policies"), ("babel", "policies"))
PYTEST = ("-q", "-x", "-n", "0", "-p", "no:cacheprovider")
STARTING = 60.0  # seconds until pytest has collected its tests
FIRST = 12  # tests that are tried by themselves, because fewer files are imported
PATIENCE = 5  # times as long as without a fault; one that loops for ever is noticed
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
TESTS: dict[str, tuple[str, ...]] = {
    "kernels": ("kernels", "games", "policies", "positions"),
    "jit": ("jit", "policies"),
    "spec": ("spec", "wonders/catalog"),
    "stats": ("stats", "cli/test_tables.py", "lab/test_rest_known.py", "report/test_charts.py"),
    "positions": ("positions", "policies/test_isolation_by_hand.py", "policies/test_isolation.py"),
    "": ("lab", "cli"),
}
"""The tests of a package, where they are not the folder of its name; "" is for modules of wsim itself."""


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


def tests_of(package: str) -> list[str]:
    """Return the tests of a package, folders and files, those nearest to it first."""
    head, _, tail = package.partition("/")
    nearest = [f"{head}/{tail}"] if tail and (ROOT / "tests" / head / tail).is_dir() else []
    folders = [*nearest, *TESTS.get(head, (head,))]
    return [f"tests/{name}" for name in folders if (ROOT / "tests" / name).exists()]


@dataclass(frozen=True)
class Stage:
    """Tests of a package in one way of running them: the lines that each executes, and its seconds.

    ``words`` and ``environment`` are what pytest is called with; ``later``: files of tests that changed since then;
    ``fastest``: how many of the tests that may notice a fault are run, all if 0.
    """

    folders: list[str]
    executed: dict[str, dict[str, list[int]]]
    seconds: dict[str, float]
    words: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    later: tuple[str, ...] = ()
    fastest: int = 0

    def limit(self, tests: list[str]) -> float:
        """Return after how many seconds tests hang: of a loop without an end the fault is noticed."""
        if not self.seconds:
            return COMPILING
        chosen = tests if all("::" in test for test in tests) else [*self.seconds]
        return PATIENCE * sum(self.seconds[test] for test in chosen) + STARTING

    def tests_at(self, fault: Fault) -> list[list[str]]:
        """Return the tests that may notice a fault, in the order of their trying: lists that pytest runs at once.

        These are the tests that execute its line, the fastest first; if a fixture executes it, the tests of that file.
        All tests of the package follow if the line is executed on import, or if nothing is known. With ``fastest``,
        the fastest of them alone are run: what they notice is a lower bound.
        """
        name = str(fault.module)
        at = {test for test, lines in self.executed.items() if fault.line in lines.get(name, ())}
        near = at - {""} or {test for test, lines in self.executed.items() if lines.get(name)}
        tests = [test for test in self.seconds if test in near or test.partition("::")[0] in near]
        tests.sort(key=lambda test: self.seconds[test])
        tests = tests[: self.fastest] if self.fastest else tests
        nearest = [part for part in (tests[:FIRST], tests[FIRST:]) if part]
        if self.later:
            nearest = [list(self.later), *nearest]
        alone = nearest and (self.fastest or (at and "" not in at))
        return nearest if alone else [*nearest, self.folders]


class Checkout:
    """A copy of the checkout in which faults are planted."""

    def __init__(self, parent: Path, number: int) -> None:
        self.root, self._warm = parent / str(number), dict[Any, subprocess.Popen[str]]()
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for name in listed.decode().rstrip("\0").split("\0"):
            if (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, self.root / name)

    def passes(self, words: list[str], limit: float, environment: Mapping[str, str]) -> bool:
        """Return whether pytest passes with these words within ``limit`` seconds, in a copy of a warm process."""
        key = tuple(sorted(environment.items()))
        if key not in self._warm:
            command = [sys.executable, "-m", "tests.warm"]
            self._warm[key] = subprocess.Popen(
                command, cwd=self.root, env=self._variables(environment), text=True, bufsize=1,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
        requests, answers = cast("Any", self._warm[key].stdin), cast("Any", self._warm[key].stdout)
        requests.write(json.dumps([*PYTEST, *words]) + "\n")
        child = int(answers.readline())
        timer = threading.Timer(limit, os.killpg, (child, signal.SIGKILL))
        timer.start()
        status = int(answers.readline())
        timer.cancel()
        return status in (0, 5)  # 5: no test was collected

    def _variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1", **environment}

    def close(self) -> None:
        """End the warm processes."""
        for process in self._warm.values():
            process.communicate()

    def survives(self, fault: Fault, stages: list[Stage]) -> bool:
        """Plant a fault, say whether the tests of every stage pass all the same, and take it out again."""
        path = self.root / fault.module
        source = path.read_bytes()
        path.write_bytes(fault.planted(source))
        try:
            return all(
                self.passes([*stage.words, *tests], stage.limit(tests), stage.environment)
                for stage in stages
                for tests in stage.tests_at(fault)
            )
        finally:
            path.write_bytes(source)

    def measured(self, folders: list[str], kept: Path | None, fastest: int, *words: str, **environment: str) -> Stage:
        """Run tests as they are and note which lines each executes; leave if one fails.

        The notes are read from the folder ``kept`` if they are there, and written to it if they are not.
        """
        report = (kept or self.root) / f"{'-'.join([folders[0].replace('/', '.'), *environment])}.json"
        later = []
        if report.exists():
            files = {file for name in folders for file in sorted((ROOT / name).rglob("test_*.py")) or [ROOT / name]}
            changed = {file for file in files if file.stat().st_mtime > report.stat().st_mtime}
            later = sorted(str(file.relative_to(ROOT)) for file in changed)
        else:
            command = [sys.executable, "-m", "pytest", *PYTEST, "-p", "tests.lines", *words, *folders]
            variables = self._variables({"WSIM_LINES": str(report), **environment})
            run = subprocess.run(command, cwd=self.root, env=variables, capture_output=True, text=True, check=False)
            if run.returncode not in (0, 5):  # 5: no test was collected
                sys.exit(f"{' '.join(folders)} fail without any fault:\n{run.stdout[-2000:]}")
        noted = json.loads(report.read_text(encoding="utf-8"))
        return Stage(folders, noted["lines"], noted["seconds"], words, environment, tuple(later), fastest)


def drawn(packages: list[str], count: int, seed: int) -> list[Fault]:
    """Draw faults, each as likely as any other, from the packages that are named; from all of wsim without a name."""
    modules = sorted(path.relative_to(ROOT) for path in (ROOT / "wsim").rglob("*.py"))
    chosen = [m for m in modules if not packages or any(_within(m, name) for name in packages)]
    faults = [fault for module in chosen for fault in faults_of(module)]
    return random.Random(seed).sample(faults, min(count, len(faults)))


def _within(module: Path, name: str) -> bool:
    """Return whether a module is in the package of a name, or is the module of that name (``policies/isolation``)."""
    package = package_of(module)
    return package == name or package.startswith(f"{name}/") or module.with_suffix("") == Path("wsim") / name


def wilson(noticed: int, count: int) -> tuple[float, float]:
    """Return the 95% interval of a share (Wilson 1927)."""
    z, share = 1.959964, noticed / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return middle - half, middle + half


def main() -> None:
    """Draw, plant, test, report."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--package", action="append", default=[], help="stats, wonders/kernels, policies/isolation")
    parser.add_argument("--tests", action="append", help="folders and files of tests (default: those of the package)")
    parser.add_argument("--count", type=int, default=30, help="how many faults are drawn")
    parser.add_argument("--seed", type=int, default=1, help="of the drawing")
    parser.add_argument("--jobs", type=int, default=2, help="how many copies are tested at once")
    parser.add_argument("--fastest", type=int, default=0, help="run only so many of the tests that execute a line")
    parser.add_argument("--no-jit", action="store_true", help="test kernels without the JIT only")
    parser.add_argument("--lines", type=Path, help="folder that keeps which lines tests execute, for the next draw")
    options = parser.parse_args()
    if options.lines:
        options.lines = options.lines.absolute()
        options.lines.mkdir(parents=True, exist_ok=True)
    faults = drawn(options.package, options.count, options.seed)
    if not faults:
        sys.exit(f"wsim has no package {', '.join(options.package)} with anything to change")
    with tempfile.TemporaryDirectory() as parent, ThreadPoolExecutor(options.jobs) as workers:
        free: SimpleQueue[Checkout] = SimpleQueue()
        for number in range(options.jobs):
            free.put(Checkout(Path(parent), number))

        first = free.get()

        def tests(package: str) -> list[str]:
            return options.tests or tests_of(package)

        packages = [sorted({package_of(f.module) for f in faults if f.compiled == kernel}) for kernel in (False, True)]
        python = {name: first.measured(tests(name), options.lines, options.fastest) for name in packages[False]}
        without_jit = ("-m", "jit_off and not slow")
        kernels = (options.lines, options.fastest, *without_jit)
        plain = {name: first.measured(tests(name), *kernels, NUMBA_DISABLE_JIT="1") for name in packages[True]}
        free.put(first)

        def stages(fault: Fault) -> list[Stage]:
            package = package_of(fault.module)
            if not fault.compiled:
                return [python[package]]
            compiled = Stage(tests(package), {}, {})
            return [plain[package], *[compiled] * (not options.no_jit)]

        def tried(fault: Fault) -> bool:
            checkout = free.get()
            try:
                return checkout.survives(fault, stages(fault))
            finally:
                free.put(checkout)

        survivors = []
        for number, (fault, survived) in enumerate(zip(faults, workers.map(tried, faults), strict=True), 1):
            outcome = "SURVIVED" if survived else "noticed"
            print(f"{number:4} {outcome:8} {fault.module}:{fault.line} ({fault.operator})", flush=True)
            if survived:
                survivors.append(fault)
                print(fault.diff(), flush=True)
        while not free.empty():
            free.get().close()
    noticed = len(faults) - len(survivors)
    low, high = wilson(noticed, len(faults))
    what = ", ".join(options.package) or "wsim"
    score = f"{noticed} of {len(faults)} noticed, {noticed / len(faults):.0%} [{low:.0%}, {high:.0%}]"
    print(f"{what}, seed {options.seed}: {score}")


if __name__ == "__main__":
    main()
