"""Playing on a cluster: the same files as on threads, whichever process dies. Real processes, workers and kills."""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_run import files, wait_for_shards
from tests.conftest import Command
from tests.questions.test_registry import GOAL
from wsim import Plan, UserError
from wsim.cli.app import main
from wsim.game import Simulator, find_game
from wsim.lab import cluster, tasks
from wsim.lab.cluster import Cluster
from wsim.lab.provenance import Provenance
from wsim.lab.run import record
from wsim.lab.store import load_run
from wsim.lab.tasks import Job, packed, shard_files
from wsim.lab.verify import verify

pytest.importorskip("distributed", reason="needs the extra cluster")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="processes are found and killed as POSIX has them"),
]

ROOT = Path(__file__).parents[2]
SLOW = """
import time
from pace import SECONDS
import wsim

@wsim.policy(python=True)
def slow(public, own, choice, rules):
    time.sleep(SECONDS)
    return 0
"""
TELLING = """
import os
from pathlib import Path

@wsim.policy(python=True)
def slow(public, own, choice, rules):
    Path(os.environ["TOLD"], str(os.getpid())).touch()
    time.sleep(SECONDS)
    return 0
"""
LINE_UP = "mine/slow.py:slow,random,random,random"


def furnish(folder: Path) -> None:
    """Write a patch and a slow policy, which imports a neighbouring module, into a folder."""
    (folder / "mine").mkdir()
    (folder / "mine" / "slow.py").write_text(SLOW)
    (folder / "mine" / "pace.py").write_text("SECONDS = 0.002\n")
    (folder / "p.toml").write_text("[cards.Palace]\npoints = 12\n")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a folder with the policy and the patch, and make it the working folder."""
    furnish(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def wsim_process(*words: str) -> subprocess.Popen[str]:
    """Start the command line in its own process group."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe, command = subprocess.PIPE, [sys.executable, "-m", "wsim", *words]
    return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def without_notices(error: str) -> str:
    """Return the messages of a command on stderr, without notices about compilation and policies from files."""
    return re.sub("compiling .*\\n|wsim: (trusted|isolated), in .*\\n", "", error)


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """Return the worker processes that a process has started."""
    psutil: Any = pytest.importorskip("psutil")  # distributed needs it
    found = psutil.Process(process.pid).children()
    return [child.pid for child in found if any("spawn_main" in word for word in child.cmdline())]


def alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


SLOW_RUN = ("run", "--games", "160", "--shard-games", "8", "--policies", LINE_UP, "--patch", "p.toml", "--picks")


@pytest.fixture(scope="module")
def on_threads(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Play the slow run on threads, in a separate folder, and return its files."""
    folder = tmp_path_factory.mktemp("threads")
    furnish(folder)
    with contextlib.chdir(folder), pytest.raises(SystemExit) as left:
        main([*SLOW_RUN, "--out", "threads", "--quiet"])
    assert left.value.code == 0
    return files(str(folder / "threads"))


def test_a_cluster_writes_the_files_of_threads_even_if_a_worker_is_killed(
    place: Path, on_threads: dict[str, bytes]
) -> None:
    run = wsim_process(*SLOW_RUN, "--out", "run", "--cluster", "local:2")
    wait_for_shards("run", 4)
    killed = workers_of(run)
    assert len(killed) == 2
    os.kill(killed[0], signal.SIGKILL)
    out, error = run.communicate(timeout=180)
    assert (run.returncode, without_notices(error)) == (0, "")
    assert out.splitlines()[-1].startswith("160 games in ")
    assert load_run("run").complete
    assert verify("run") == []
    assert '"cluster": "local:2"' in Path("run/run.json").read_text()
    assert files("run") == on_threads
    assert not any(map(alive, killed))


def test_ctrl_c_keeps_finished_parts_and_ends_the_workers(
    place: Path, wsim_command: Command, on_threads: dict[str, bytes]
) -> None:
    run = wsim_process(*SLOW_RUN, "--out", "run", "--cluster", "local:2", "--quiet")
    wait_for_shards("run", 4)
    workers = workers_of(run)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: the workers are told, too
    out, error = run.communicate(timeout=60)
    assert (run.returncode, out) == (130, "")
    waiting = "wsim: waiting for the current games to finish; press Ctrl-C again to stop immediately\n"
    said = without_notices(error).removeprefix(waiting)  # on a slow machine
    assert re.fullmatch(r"wsim: interrupted; \d+ of 160 games are stored; continue with:\n.*\n", said)
    assert not any(map(alive, workers))
    assert load_run("run").status == "interrupted"
    assert wsim_command("run", "--resume", "run", "--trust").code == 0
    assert files("run") == on_threads


Workers = tuple[str, list[subprocess.Popen[str]]]
"""The address of a scheduler, and its process with those of its workers."""


@contextmanager
def started(folder: Path, workers: int = 2) -> Iterator[Workers]:
    """Start a scheduler and workers without a nanny, as an existing cluster would."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    processes: list[subprocess.Popen[str]] = []

    def start(*words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "dask", *words]
        with (folder / f"{len(processes)}.log").open("w") as log:
            return subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log, text=True)

    where = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", "s.json")
    processes.append(start("scheduler", *where, "--no-dashboard"))
    end = time.monotonic() + 60
    while not (folder / "s.json").exists() or not (folder / "s.json").read_text().endswith("}"):
        assert time.monotonic() < end, (folder / "0.log").read_text()
        time.sleep(0.05)
    found = re.search(r'"address": "(tcp://127\.0\.0\.1:\d+)"', (folder / "s.json").read_text())
    assert found is not None
    quiet = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", str(folder))
    processes += [start("worker", found[1], *quiet) for _ in range(workers)]
    yield found[1], processes
    for one in processes:
        one.kill()
        one.wait()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """Start a scheduler whose workers may be killed, except one worker if more tests follow."""
    with started(tmp_path_factory.mktemp("mortal")) as workers:
        yield workers


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler whose workers survive all tests in this file."""
    with started(tmp_path_factory.mktemp("workers")) as workers:
        yield workers[0]


def test_scheduler_workers_play_and_may_die(place: Path, scheduler: Workers, on_threads: dict[str, bytes]) -> None:
    """The workers share no folder with the run, so all files that it needs are sent with the tasks."""
    address, workers = scheduler
    run = wsim_process(*SLOW_RUN, "--out", "run", "--cluster", address, "--quiet")
    wait_for_shards("run", 6)
    workers[1].kill()
    _, error = run.communicate(timeout=180)
    assert (run.returncode, without_notices(error)) == (0, "")
    assert files("run") == on_threads


def test_a_cluster_without_a_worker_is_given_up(
    place: Path, scheduler: Workers, wsim_command: Command, on_threads: dict[str, bytes]
) -> None:
    """The cluster may have lost a worker before."""
    address, workers = scheduler
    code = (
        "from wsim.lab import cluster\ncluster._ALONE = 3.0\nfrom wsim.cli.app import main\n"
        f"main({[*SLOW_RUN, '--out', 'run', '--cluster', address, '--quiet']!r})\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE, text=True)
    wait_for_shards("run", 6)
    for worker in workers[1:]:
        worker.kill()
    _, error = run.communicate(timeout=120)
    assert (run.returncode, without_notices(error)) == (
        1,
        f"wsim: no worker is left at {address}; finished results are kept\n",
    )
    assert load_run("run").games >= 40
    assert wsim_command("run", "--resume", "run", "--trust").code == 0
    assert files("run") == on_threads


def test_a_scheduler_that_is_killed_is_reported_in_one_sentence(place: Path) -> None:
    (place / "workers").mkdir()
    with started(place / "workers", workers=1) as (address, processes):
        run = wsim_process(*SLOW_RUN, "--out", "run", "--cluster", address, "--quiet")
        wait_for_shards("run", 4)
        processes[0].kill()
        _, error = run.communicate(timeout=120)
        assert (run.returncode, without_notices(error)) == (1, "wsim: the cluster is gone; finished results are kept\n")
        assert load_run("run").games >= 32


def test_summaries_and_parts_are_also_distributed(place: Path, address: str, wsim_command: Command) -> None:
    words = ("run", "--games", "4000", "--policies", "random", "--shard-games", "500", "--keep", "summary")
    spread = wsim_command(*words, "--shard", "2/2", "--out", "spread", "--cluster", address, "--quiet")
    assert (spread.code, without_notices(spread.err)) == (0, "")
    assert wsim_command(*words, "--shard", "2/2", "--out", "threads").code == 0
    assert files("spread") == files("threads")


# --- comparisons and experiments --------------------------------------------------------------------------------------

SWEEP = ("--policies", LINE_UP, "--sweep", "cards.Palace.points=6,12", "--patch", "p.toml", "--budget", "60")


def answer_of(out: str) -> dict[str, Any]:
    """Return an answer without its durations."""
    record: dict[str, Any] = json.loads(out)
    return {key: value for key, value in record.items() if key not in ("seconds", "costs")}


def test_a_comparison_matches_threads_even_if_a_worker_is_killed(
    place: Path, wsim_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The games use rules from a patch and a policy from a file."""
    (place / "mine" / "slow.py").write_text(SLOW + TELLING)
    monkeypatch.setenv("TOLD", str(place / "told"))
    (place / "told").mkdir()
    run = wsim_process("whatif", *SWEEP, "--json", "--quiet", "--cluster", "local:2")
    end = time.monotonic() + 60
    while not (there := [one.name for one in (place / "told").iterdir() if one.name != str(run.pid)]):
        assert time.monotonic() < end
        time.sleep(0.02)
    os.kill(int(there[0]), signal.SIGKILL)
    out, error = run.communicate(timeout=180)
    assert (run.returncode, without_notices(error)) == (0, "")
    assert answer_of(out) == answer_of(wsim_command("whatif", *SWEEP, "--json", "--quiet").out)


def test_an_experiment_matches_threads(place: Path, address: str, wsim_command: Command) -> None:
    words = ("experiment", "picks", "--games", "60", "--policies", LINE_UP, "--randomise", "0.5", "--fewest", "2")
    sweep = (*words, "--sweep", "cards.Altar.points=2,9", "--json", "--quiet")
    spread = wsim_command(*sweep, "--cluster", address, "--out", "spread")
    assert (spread.code, without_notices(spread.err)) == (0, "")
    assert answer_of(spread.out) == answer_of(wsim_command(*sweep, "--out", "threads").out)
    assert files("spread") == files("threads")


BANNED = ("whatif", "--policies", LINE_UP, "--ban", "trade", "--seat", "1", "--budget", "80")
MATCH = ("match", "greedy", "random", "--patch", "p.toml", "--players", "3", "--budget", "30")
SKILL = ("skill", "cards", "--ladder", "random,mine/slow.py:slow", "--patch", "p.toml", "--games", "24")


@pytest.mark.parametrize("words", [BANNED, MATCH, SKILL], ids=["whatif", "match", "skill"])
def test_answers_match_threads(place: Path, address: str, wsim_command: Command, words: tuple[str, ...]) -> None:
    """This includes per-seat treatments, a patch and a policy from a file, none of which the workers have."""
    (place / "mine" / "pace.py").write_text("SECONDS = 0\n")
    spread = wsim_command(*words, "--json", "--quiet", "--cluster", address, "--out", "spread.json")
    assert (spread.code, without_notices(spread.err)) == (0, "")
    assert answer_of(spread.out) == answer_of(wsim_command(*words, "--json", "--quiet").out)
    again = wsim_command("rerun", "spread.json", "--trust")
    assert (again.code, without_notices(again.err)) == (0, "")


@pytest.mark.parametrize(
    "command", ["whatif --set cards.Altar.points=3", "experiment picks", "match random greedy", "skill", "learn"]
)
def test_threads_and_a_cluster_exclude_each_other(wsim_command: Command, command: str) -> None:
    answer = wsim_command(*command.split(), "--threads", "2", "--cluster", "local:2")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("wsim: --threads applies to this machine, but --cluster has its own threads")
    answer = wsim_command(*command.split(), "--cluster", "here")
    assert answer.err.startswith("wsim: cluster must be local:4 ")


def test_chunks_come_in_order_whichever_finishes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Cluster.__new__(Cluster)
    workers.workers = 2
    asked: list[range] = []

    def made(make: Any, ready: Any, parts: Iterator[range]) -> Iterator[tuple[range, float, Any]]:
        waiting = list(islice(parts, 5))
        while waiting:
            games = waiting.pop()  # the one that was asked for last
            asked.append(games)
            yield games, 0.1, make(games)
            waiting += islice(parts, 1)

    monkeypatch.setattr(workers, "made", made)
    parts = [range(2000), range(2000, 2100), range(2100, 9000)]
    found = list(workers.in_chunks(lambda games: games, [], parts))
    assert [one.start for one in found] == [0, *(one.stop for one in found[:-1])]
    assert found[-1].stop == 9000
    assert {part.stop for part in parts} <= {one.stop for one in found}
    assert asked != found


# --- without processes ------------------------------------------------------------------------------------------------


def sent(plan: Plan) -> bytes:
    """Return the task that is sent to a worker to play shards of a plan."""
    simulator: Simulator = find_game(plan.game).prepare(plan)
    make = partial(shard_files, simulator, plan, Provenance.of(plan, simulator))
    return packed(make, [(plan, simulator)])


def test_a_worker_needs_no_file_of_the_caller(place: Path) -> None:
    plan = Plan.make(games=16, policies=LINE_UP, patch="p.toml")
    content = sent(plan)
    record(plan, "run", shard=8)
    shutil.rmtree("mine")
    Path("p.toml").unlink()
    seconds, made = tasks.made(content, range(8, 16))
    assert made["seats"] == Path("run/seats/part-00000000000008.parquet").read_bytes()
    assert seconds > 8 * 0.002


def test_a_worker_holds_few_tasks_and_no_folders_of_other_workers(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two who ask by turns have their plans made ready once each; the folder of what is dropped goes with it."""
    monkeypatch.setattr(tasks, "_tasks", {})
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    contents = [sent(Plan.make(games=8, policies="random", seed=seed)) for seed in range(6)]
    for content in (*contents[:2], *contents[:2]):
        tasks.made(content, range(1))
    assert len(list(place.glob("wsim-worker-*"))) == 2
    for content in contents[2:]:
        tasks.made(content, range(1))
    gc.collect()
    assert len(list(place.glob("wsim-worker-*"))) == len(tasks._tasks) == 4


def test_a_worker_that_would_play_different_games_refuses(place: Path) -> None:
    plan = Plan.make(games=16, policies="random")
    provenance = Provenance.of(plan, find_game(plan.game).prepare(plan))
    other = replace(provenance, identity={**provenance.identity, "wsim": "9.9"}, digest="0" * 16)
    job = Job(other, {}, {})
    with pytest.raises(UserError, match=r"a worker would play different games: wsim is '\d.*' there and '9\.9' here"):
        job.set_up()


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "--cluster here",
            "cluster must be local:4 (number of processes on this machine) or tcp://host:8786, not 'here'",
        ),
        (
            "--cluster local:0",
            "cluster must be local:4 (number of processes on this machine) or tcp://host:8786, not 'local:0'",
        ),
        (
            "--cluster tcp://host",
            "cluster must be local:4 (number of processes on this machine) or tcp://host:8786, not 'tcp://host'",
        ),
        (
            "--cluster local:2 --threads 2",
            "--threads applies to this machine, but --cluster has its own threads: use only one of them",
        ),
    ],
)
def test_a_mistake_is_reported_in_one_sentence(wsim_command: Command, words: str, sentence: str) -> None:
    answer = wsim_command("run", "--games", "10", "--out", "run", *words.split())
    assert (answer.code, answer.out, answer.err) == (2, "", f"wsim: {sentence}\n")
    assert not Path("run").exists()


@pytest.mark.usefixtures("toy")
def test_a_missing_extra_is_named(wsim_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    answer = wsim_command("run", "--games", "10", "--cluster", "local:2", "--out", "run")
    assert (answer.code, answer.err) == (2, "wsim: a cluster needs an extra: pip install 'wsim[cluster]'\n")


def test_dask_logs_about_lost_connections_are_not_printed() -> None:
    """If a scheduler ends while the client sends to it, a different part of Dask logs the error."""
    loggers = [logging.getLogger(f"distributed.{name}") for name in ("client", "batched")]
    before = [logger.level for logger in loggers]
    with cluster._without_logs():
        assert not any(logger.isEnabledFor(logging.ERROR) for logger in loggers)
    assert [logger.level for logger in loggers] == before


def test_a_cluster_that_does_not_answer_is_a_failure(place: Path) -> None:
    """No process listens on port 1, so the connection fails."""
    code = (
        "import sys\nfrom wsim.lab import cluster\ncluster._WAIT = '1s'\nfrom wsim.cli.app import main\n"
        "main(['run', '--games', '10', '--policies', 'random', '--cluster', 'tcp://127.0.0.1:1', '-o', 'run', '-q'])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "wsim: no cluster answers at tcp://127.0.0.1:1\n"
    assert not Path("run").exists()


GOAL_WORDS = {
    "sensitivity": ("sensitivity", "goal.toml"),
    "transfer": ("transfer", "goal.toml", "patch.toml", "--transfer-games", "3000"),
    "balance": ("balance", "goal.toml"),
    "tune": (
        "tune", "weighted", "--start", "balanced", "--only", "war", "--generations", "1", "--games", "40",
        "--held-out", "60", "--judges", "none",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", GOAL_WORDS)
def test_design_questions_match_threads(name: str, place: Path, address: str, wsim_command: Command) -> None:
    """There are more games than in a chunk, so that sums are added in several steps."""
    Path("goal.toml").write_text(GOAL.replace("games = 400", "games = 3000"), encoding="utf-8")
    Path("patch.toml").write_text("wonders.Rhodos.sides.B.1.points = 2\n", encoding="utf-8")
    answers = []
    for number, more in enumerate(((), ("--cluster", address))):
        out = ("--out", f"tuned-{number}") if name == "tune" else ()
        told = wsim_command(*GOAL_WORDS[name], *out, *more, "--json", "--quiet")
        assert (told.code in (0, 3), told.err) == (True, "")
        answers.append(answer_of(told.out))
    one, other = (
        {key: value for key, value in answer.items() if key not in ("asked", "file", "policy")} for answer in answers
    )
    assert one == other
