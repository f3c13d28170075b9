"""A learning run: rounds of harvest, fitting and judging, in a folder that can be gone on with.

    FOLDER/plan.json                 what is learned from (LearningPlan.told)
    FOLDER/round-1/TABLE-0000.*      decisions (.states.parquet) and their moves (.moves.parquet), part by part
    FOLDER/round-1/net.npz           the net that was fitted to them
    FOLDER/judged.json               how strong the last net is
    FOLDER/net.npz                   the last net: ``--policies net:file=FOLDER/net.npz``

A part, a net and a judgement that are there are not made again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.files import write_bytes
from wsim.lab.plan import Plan
from wsim.lab.progress import Progress
from wsim.lab.provenance import software
from wsim.learn.data import read_records, write_records
from wsim.learn.harvest import Table, harvest
from wsim.learn.judge import Judgement, judge
from wsim.learn.learner import learner_of
from wsim.learn.plan import NET, LearningPlan, Round
from wsim.processors import usable_cpus

__all__ = ["Learning", "learn"]

PLAN, JUDGED, LAST = "plan.json", "judged.json", "net.npz"
PART = 2000  # decisions of a part, about
SHIPPED = "shipped"
_JUDGING_SEED = 1 << 40  # added to the seed: games that nothing was learned from


@dataclass(frozen=True)
class _Part:
    """A part of a round's harvest."""

    table: Table
    number: int
    games: int
    path: Path  # without its ending

    @property
    def states(self) -> Path:
        return Path(f"{self.path}.states.parquet")

    @property
    def moves(self) -> Path:
        return Path(f"{self.path}.moves.parquet")

    def make(self, seed: int) -> None:
        """Play the part and write it; the moves last: they say that it is there."""
        states, moves = harvest(self.table, self.number, self.games, seed)
        write_records(self.states, states)
        write_records(self.moves, moves)


@dataclass(frozen=True)
class Learning:
    """A learning run and its folder.

    Attributes
    ----------
    plan: what is learned from. folder: where. threads: that play at once; they change nothing.
    """

    plan: LearningPlan
    folder: Path
    threads: int

    def net_path(self, number: int) -> Path:
        """Return where the net of a round lies; of round 0 what it began from."""
        return self.folder / f"round-{number}" / LAST if number else self.folder / "start.npz"

    def parts(self, number: int) -> list[_Part]:
        """Return the parts of a round, those of all tables in turn."""
        one = self.plan.rounds[number - 1]
        net = f"{learner_of(self.plan.game).policy}:file={self.net_path(number - 1)}"
        shares = sum(seats.share for seats in self.plan.tables)
        found = []
        for seats in self.plan.tables:
            table = Table(
                {**self.plan.keys(seats), "seed": self.plan.seed + number},
                _players(one, seats.players, net),
                one.own if one.own != NET else net,
                one.others if one.others != NET else net,
                one.playouts,
                self.plan.gap,
            )
            decisions = one.decisions * seats.share / shares
            many = max(1, round(decisions / PART))
            games = max(1, round(decisions / many * self.plan.gap / _decisions_a_game(seats.players)))
            name = f"{seats.ruleset}-{seats.players}"
            found += [
                ((part + 0.5) / many, _Part(table, part, games, self.net_path(number).parent / f"{name}-{part:04d}"))
                for part in range(many)
            ]
        return [part for _, part in sorted(found, key=lambda pair: pair[0])]

    def harvest(self, number: int, progress: Progress | None) -> None:
        """Make the parts of a round that are not there yet."""
        parts = self.parts(number)
        missing = [part for part in parts if not part.moves.exists()]
        self.net_path(number).parent.mkdir(parents=True, exist_ok=True)
        for part in missing:  # on this thread: making tables ready compiles
            _ = part.table.simulator, part.table.rest
        seed = self.plan.seed + number
        done = len(parts) - len(missing)
        for _ in _in_threads([lambda part=part: part.make(seed) for part in missing], self.threads):
            done += 1
            if progress is not None:
                progress(f"round {number}: parts of {PART:,} decisions", done, len(parts))

    def fit(self, number: int, progress: Progress | None) -> None:
        """Fit the net of a round to its decisions, and to those of the rounds before that it keeps."""
        path = self.net_path(number)
        if path.exists():
            return
        learner, one = learner_of(self.plan.game), self.plan.rounds[number - 1]
        rounds = range(max(1, number - one.keep), number + 1)
        tables = []
        for seats in self.plan.tables:
            name = f"{seats.ruleset}-{seats.players}"
            paths = [part for each in rounds for part in self.parts(each) if part.path.name.startswith(f"{name}-")]
            states = np.concatenate([read_records(part.states, learner.state) for part in paths])
            moves = np.concatenate([read_records(part.moves, learner.move) for part in paths])
            simulator = find_game(self.plan.game).prepare(Plan.make(**self.plan.keys(seats)))
            tables.append(learner.decisions(simulator, states, moves))
        before = self.net_path(number - 1)
        net = learner.fresh(self.plan.seed) if one.fresh or not before.exists() else learner.load(str(before))

        def told(step: int, steps: int) -> None:
            if progress is not None and (step == steps or step % 20 == 0):
                progress(f"round {number}: steps of fitting", step, steps)

        net = learner.fit(net, tables, self.plan.fitting, self.plan.seed + number, told)
        decisions = sum(len(table.states) for table in tables)
        learner.save(net, path, {**self.about(), "round": number, "decisions": decisions})

    def about(self) -> Mapping[str, Any]:
        """Return what a net of this run was learned from."""
        return {"made by": f"wsim learn, wsim {software()['wsim']}", "plan": self.plan.told()}

    def judgements(self, progress: Progress | None) -> list[Judgement]:
        """Return how strong the last net is in the fields of the plan."""
        path = self.folder / JUDGED
        if path.exists():
            return [Judgement(**row) for row in json.loads(path.read_text())]
        net = f"{learner_of(self.plan.game).policy}:file={self.folder / LAST}"
        found = []
        for place, one in enumerate(self.plan.judges):
            keys = {**self.plan.keys(one), "seed": self.plan.seed + _JUDGING_SEED}
            found.append(judge(keys, net, one.against, one.games, self.threads))
            if progress is not None:
                progress("fields of opponents", place + 1, len(self.plan.judges))
        write_bytes(path, json.dumps([asdict(row) for row in found], indent=1).encode() + b"\n")
        return found


def learn(
    plan: LearningPlan, folder: Path, threads: int | None = None, progress: Progress | None = None
) -> list[Judgement]:
    """Learn in a folder what is not learned there yet; return how strong the last net is.

    Raises UserError for a folder of another plan, or one that holds something else.
    """
    _claim(folder, plan)
    run = Learning(plan, folder, threads or usable_cpus())
    start = run.net_path(0)
    if plan.start and not start.exists():
        learner = learner_of(plan.game)
        net = learner.load("" if plan.start == SHIPPED else plan.start)
        learner.save(net, start, getattr(net, "about", {}))
    for number in range(1, len(plan.rounds) + 1):
        if not run.net_path(number).exists():
            run.harvest(number, progress)
            run.fit(number, progress)
    shutil.copyfile(run.net_path(len(plan.rounds)), folder / LAST)
    return run.judgements(progress)


def _claim(folder: Path, plan: LearningPlan) -> None:
    """Make the folder this plan's, or see that it is."""
    path = folder / PLAN
    text = json.dumps(plan.told(), indent=1) + "\n"
    if path.exists():
        if path.read_text() != text:
            raise UserError(f"{str(folder)!r} has learned by another plan: name a new folder with --out")
        return
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{str(folder)!r} is not empty and no learning run: name a new folder with --out")
    folder.mkdir(parents=True, exist_ok=True)
    write_bytes(path, text.encode())


def _players(one: Round, players: int, net: str) -> tuple[str, ...]:
    """Return the line-up that plays the games of a round."""
    entry = net if one.players == NET else one.players
    if one.explore:
        entry += f":explore={one.explore}"
    return (entry,) * players


def _decisions_a_game(players: int) -> float:
    """Return about how many decisions a game has."""
    return 18.0 * players


def _in_threads(tasks: list[Any], threads: int) -> Iterator[None]:
    """Do tasks in threads and yield as each is done; what was not begun is left when the caller stops."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix="wsim-learn")
    waiting: set[Future[None]] = set()
    left = iter(tasks)
    try:
        while True:
            while len(waiting) < threads and (task := next(left, None)) is not None:
                waiting.add(pool.submit(task))
            if not waiting:
                return
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()
                yield
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
