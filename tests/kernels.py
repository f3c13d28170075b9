"""Compile each kernel shared by the tests once, on all processors, before the workers of pytest start.

``python -m tests.kernels 2`` does it with two processes, in the cache folder that ``WSIM_CACHE_DIR`` names. What is
there already is only loaded. Kernels that a single test file makes are left to it; those that only slow tests need are
compiled if a word says so: ``python -m tests.kernels 2 slow``.
"""

from __future__ import annotations

import multiprocessing
import re
import sys
import warnings
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
GAMES = ("wonders", "babel")
SLOW = ("wsim.wonders.kernels.lockstep", "tests.wonders.policies.value_kernels")
"""Kernels that no quick test needs."""
ENTRY = re.compile(
    r"^@(?:kernel|entry)\((?!inline)|^\w+ = (?:chunk_of|commands_of|lockstep_of|side_by_side_of|stepped|describing)\(",
    re.MULTILINE,
)
"""An entry point has a signature or is made by a factory, and is compiled when its module is imported."""


def with_entries() -> list[str]:
    """Return the modules of wsim and of shared test code that define entry points."""
    found = [path for path in (ROOT / "wsim").rglob("*.py") if path.parent.name in ("kernels", "policies")]
    found += [path for room in GAMES for path in (ROOT / "tests" / room).rglob("*.py")]
    paths = [path for path in found if not path.name.startswith(("test_", "payment_"))]  # of one test file
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in paths
        if ENTRY.search(path.read_text(encoding="utf-8"))
    ]


def policies() -> list[tuple[str, str]]:
    """Return the built-in policies by game, without those that share the entry point of a different policy."""
    found: dict[tuple[object, ...], tuple[str, str]] = {}
    for game in GAMES:
        for name, policy in import_module(f"wsim.{game}.registry").REGISTRY.items():
            found.setdefault((game, policy.function, policy.settled), (game, name))
    return list(found.values())


CHANCES = ("compare", "follow")
"""The entry points of win chances by the value net (``wsim.kernels.chances.Entries``), compiled on first use."""


def compile_policy(game: str, name: str) -> None:
    """Compile the entry point of a policy."""
    registry = import_module(f"wsim.{game}.registry")
    interface, policy = registry.POLICIES.interface(), registry.REGISTRY[name]
    if policy.kind == "search":
        interface.searching(policy.function)
    else:
        interface.registered(policy.function, policy.settled)


def run(task: tuple[str, ...]) -> str:
    """Compile a module or a policy; print a failure instead of raising it, because the tests will report it."""
    warnings.simplefilter("ignore")
    try:
        if len(task) == 1:
            import_module(*task)
        elif task[1] in CHANCES:
            getattr(import_module(f"wsim.{task[0]}.policies.chances").ENTRIES, task[1])
        else:
            compile_policy(*task)
    except Exception as error:
        return f"{' '.join(task)}: {error!r}"
    return ""


def compile_all(processes: int, slow: bool) -> list[str]:
    """Compile all kernels, each once, slow ones only on request; return the tasks that failed.

    A process that has compiled one entry point of a game has most of the next one: every second process goes through
    the tasks from the end, where the other game stands, and each takes what no other has taken.
    """
    import wsim.jit  # noqa: F401 (once, before the processes are forked)

    tasks = [*((module,) for module in with_entries() if slow or module not in SLOW), *policies()]
    tasks += [(game, name) for game in GAMES for name in CHANCES]
    tasks.sort(key=lambda task: ("wonders" not in task[0], "babel" in task[0], task[-1] != "search", task[0][0] != "t"))
    context = multiprocessing.get_context("fork")
    taken, failed = context.Array("b", len(tasks)), context.SimpleQueue()

    def work(worker: int) -> None:
        start = len(tasks) * (worker // 2 * 2) // processes
        places = [*range(start, len(tasks)), *range(start)]
        for place in reversed(places) if worker % 2 else places:
            with taken.get_lock():
                free, taken[place] = not taken[place], 1
            said = run(tasks[place]) if free else ""
            if said:
                failed.put(said)

    workers = [context.Process(target=work, args=(worker,)) for worker in range(processes)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    found = []
    while not failed.empty():
        found.append(failed.get())
    return found


if __name__ == "__main__":
    for said in compile_all(int(sys.argv[1]), "slow" in sys.argv):
        print(said)
