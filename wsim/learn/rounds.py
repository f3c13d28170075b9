"""A learning run: rounds of harvest, fitting and judging, in a folder that can be gone on with.

    FOLDER/plan.json                 what is learned from (LearningPlan.as_dict)
    FOLDER/learn.json                what else decides it: cards, patches, rules, the version of wsim
    FOLDER/round-1/TABLE-0000.*      decisions (.states.parquet) and their moves (.moves.parquet), part by part
    FOLDER/round-1/net.npz           the net that was fitted to them
    FOLDER/judged.json               how strong the last net is
    FOLDER/net.npz                   the last net: ``--policies net:file=FOLDER/net.npz``

A part, a net and a judgement that are there are not made again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.files import visible, write_bytes, write_text
from wsim.game import find_game
from wsim.lab.batch import usable_threads
from wsim.lab.cluster import Cluster, check_cluster, joined
from wsim.lab.journal import differences, held, read_record_of, refuse_other, write_record
from wsim.lab.plan import Plan
from wsim.lab.progress import Progress
from wsim.lab.provenance import software
from wsim.learn.harvest import Entry, Harvest, harvest_of, read_records, write_records
from wsim.learn.judge import Judgement, judge
from wsim.learn.learner import learner_of
from wsim.learn.learning_plan import NET, LearningPlan, Seats, round_of, several

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.game import Simulator

PLAN, RECORD, JUDGED, LAST = "plan.json", "learn.json", "judged.json", "net.npz"
FORMAT = "wsim-learn/1"
PART = 2000  # decisions of a part, about
SHIPPED = "shipped"
_JUDGING_SEED = 1 << 40  # added to the seed: games that nothing was learned from


@dataclass(frozen=True)
class _Part:
    """A part of a round's harvest: where it lies without its ending, and its games."""

    path: Path
    games: range

    @property
    def states(self) -> Path:
        return Path(f"{self.path}.states.parquet")

    @property
    def moves(self) -> Path:
        return Path(f"{self.path}.moves.parquet")

    def write(self, found: tuple[NDArray[Any], NDArray[Any]]) -> None:
        """Write what was found; the moves last: they say that it is there."""
        write_records(self.states, found[0])
        write_records(self.moves, found[1])


@dataclass(frozen=True)
class Learning:
    """A learning run and its folder.

    Attributes
    ----------
    plan: what is learned from. folder: where.
    threads, cluster: who plays: so many threads, or the workers of a cluster; they change nothing.
    """

    plan: LearningPlan
    folder: Path
    threads: int | None = None
    cluster: str | Cluster | None = None

    def net_path(self, number: int) -> Path:
        """Return where the net of a round lies; of round 0 what it began from."""
        return self.folder / f"round-{number}" / LAST if number else self.folder / "start.npz"

    def parts(self, number: int, seats: Seats) -> list[_Part]:
        """Return the parts of a round at a table."""
        one = self.plan.rounds[number - 1]
        decisions = one.decisions * self.plan.shares(one)[seats.name]
        if not decisions:
            return []
        parts = max(1, round(decisions / PART))
        length = learner_of(self.plan.game).length(seats.players)
        games = max(1, round(decisions / parts * self.plan.gap / length))
        above = self.net_path(number).parent
        return [
            _Part(above / f"{seats.name}-{part:04d}", range(part * games, (part + 1) * games)) for part in range(parts)
        ]

    def harvest(self, number: int, progress: Progress | None) -> None:
        """Make the parts of a round that are not there yet, table by table."""
        self.net_path(number).parent.mkdir(parents=True, exist_ok=True)
        tables = [(seats, self.parts(number, seats)) for seats in self.plan.tables]
        whole = sum(len(parts) for _, parts in tables)
        done = 0
        for seats, parts in tables:
            missing = {part.games: part for part in parts if not part.moves.exists()}
            done += len(parts) - len(missing)
            if missing:
                make, ready = self._harvest_of(number, seats)
                for games, found in self._made(make, ready, list(missing)):
                    missing[games].write(found)
                    done += 1
                    if progress is not None:
                        progress(f"round {number}: parts of {PART:,} decisions", done, whole)

    def _harvest_of(self, number: int, seats: Seats) -> tuple[Harvest, list[tuple[Plan, Simulator]]]:
        """Return what takes the decisions of a round at a table, and what plays in it."""
        one, seed = self.plan.rounds[number - 1], self.plan.seed + number
        explore = f":explore={one.explore}" if one.explore else ""
        players, others = ([self._player(name, number) for name in several(text)] for text in (one.players, one.others))
        keys = {**self.plan.keys(seats), "seed": seed}
        line_up = [_entry([player + explore for player in players])] * seats.players
        how = (one.playouts, self.plan.gap, seed, one.moves)
        return harvest_of(keys, line_up, (self._player(one.own, number), _entry(others)), how)

    def _player(self, name: str, number: int) -> str:
        """Return the policy that a name stands for in a round."""
        before = number - 1 if name == NET else round_of(name)
        return name if before is None else f"{learner_of(self.plan.game).policy}:file={self.net_path(before)}"

    def _made(
        self, make: Harvest, ready: list[tuple[Plan, Simulator]], parts: list[range]
    ) -> Iterator[tuple[range, tuple[NDArray[Any], NDArray[Any]]]]:
        """Yield parts as they are done: on threads, or on a cluster."""
        if self.cluster is None:
            yield from _in_threads(make, parts, usable_threads(self.threads))
            return
        with joined(self.cluster, ready[0][1]) as workers:
            for games, _, found in workers.made(make, ready, iter(parts)):
                yield games, found

    def fit(self, number: int, progress: Progress | None) -> None:
        """Fit the net of a round to its decisions, and to those of the rounds before that it keeps."""
        path = self.net_path(number)
        if path.exists():
            return
        learner, one = learner_of(self.plan.game), self.plan.rounds[number - 1]
        rounds = range(max(1, number - one.keep), number + 1)
        tables = []
        for seats in self.plan.tables:
            paths = [part for each in rounds for part in self.parts(each, seats)]
            if not paths:
                continue
            states = np.concatenate([read_records(part.states, learner.state) for part in paths])
            moves = np.concatenate([read_records(part.moves, learner.move) for part in paths])
            simulator = find_game(self.plan.game).prepare(Plan.make(**self.plan.keys(seats)))
            if len(states):
                tables.append(learner.decisions(simulator, states, moves))
        if not tables:
            raise UserError(f"round {number} took no decision: it needs more decisions, or a smaller gap")
        before = self.net_path(number - 1 if one.start == NET else round_of(one.start) or 0)
        net = learner.fresh(self.plan.seed) if one.fresh or not before.exists() else learner.load(str(before))

        def report(step: int, steps: int) -> None:
            if progress is not None and (step == steps or step % 20 == 0):
                progress(f"round {number}: steps of fitting", step, steps)

        usual = self.plan.fitting
        how = replace(usual, rounds=one.passes or usual.rounds, rate=one.rate or usual.rate)
        begun, net = net, learner.fit(net, tables, how, self.plan.seed + number, report)
        if one.blend:
            net = net.blended(begun, one.blend)
        decisions = sum(len(table.states) for table in tables)
        learner.save(net, path, {**self.about(), "round": number, "decisions": decisions})

    def about(self) -> Mapping[str, Any]:
        """Return what a net of this run was learned from."""
        return {"made by": f"wsim learn, wsim {software()['wsim']}", "plan": self.plan.record()}

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
    plan: LearningPlan,
    folder: Path,
    *,
    threads: int | None = None,
    cluster: str | Cluster | None = None,
    progress: Progress | None = None,
) -> list[Judgement]:
    """Learn in a folder what is not learned there yet; return how strong the last net is.

    Raises UserError for a folder of another plan, or one that holds something else.
    """
    check_cluster(cluster, threads)
    usable_threads(threads)  # refuses what cannot be
    run, learner = Learning(plan, folder, threads, cluster), learner_of(plan.game)
    start = run.net_path(0)
    begins = learner.load("" if plan.start == SHIPPED else plan.start) if plan.start and not start.exists() else None
    _check_players(plan)
    with held(folder):
        _claim(folder, plan)
        if begins is not None:
            learner.save(begins, start, getattr(begins, "about", {}))
        for number in range(1, len(plan.rounds) + 1):
            if not run.net_path(number).exists():
                run.harvest(number, progress)
                run.fit(number, progress)
        last = run.net_path(len(plan.rounds)).read_bytes()
        if not (folder / LAST).exists() or (folder / LAST).read_bytes() != last:
            write_bytes(folder / LAST, last)
        return run.judgements(progress)


def _check_players(plan: LearningPlan) -> None:
    """Raise UserError for tables and policies that cannot be played, before anything is written or learned."""
    game, (first, *others) = find_game(plan.game), plan.tables
    for table in others:
        game.prepare(Plan.make(**plan.keys(table)))
    named = {name for one in plan.rounds for name in one.names if name != NET and round_of(name) is None}
    for line_up in ([name] for name in sorted(named or {"random"})):
        game.prepare(Plan.make(**plan.keys(first), policies=line_up))
    for one in plan.judges:
        seats = [one.against[place % len(one.against)] for place in range(one.players)]
        game.prepare(Plan.make(**plan.keys(one), policies=seats))


def _claim(folder: Path, plan: LearningPlan) -> None:
    """Make the folder this plan's, or see that it is: that it was made by the same rules, cards and policies, too."""
    path, identity = folder / PLAN, _identity(plan)
    text = json.dumps(plan.record(), indent=1) + "\n"
    if path.exists():
        if path.read_text(encoding="utf-8") != text:
            raise UserError(f"{str(folder)!r} has learned by another plan: name a new folder with --out")
        with suppress(FileNotFoundError):  # of an earlier wsim
            there = read_record_of(folder / RECORD, FORMAT, "no record of wsim learn")
            refuse_other(folder, "what was learned otherwise", differences(there.get("identity", {}), identity))
            return
    elif folder.exists() and not {RECORD}.issuperset(visible(folder)):
        raise UserError(f"{str(folder)!r} is not empty and no learning run: name a new folder with --out")
    write_record(folder / RECORD, FORMAT, {"identity": identity})
    if not path.exists():
        write_text(path, text)


def _identity(plan: LearningPlan) -> dict[str, Any]:
    """Return what decides what is learned, beside the plan: the content of the files that it names, and the rules."""
    game = find_game(plan.game)
    tables = {table.name: Plan.make(**plan.keys(table)) for table in plan.tables}
    ready = {name: (one, game.prepare(one)) for name, one in tables.items()}
    found = {
        name: {"plan": one.identity(), "rules": simulator.provenance()} for name, (one, simulator) in ready.items()
    }
    identity: dict[str, Any] = json.loads(json.dumps({"tables": found, "wsim": software()["wsim"]}))
    return identity


def _entry(policies: Sequence[str]) -> Entry:
    """Return who plays a seat: one policy, or several that are drawn from."""
    return policies[0] if len(policies) == 1 else tuple(policies)


def _in_threads(make: Harvest, parts: list[range], threads: int) -> Iterator[tuple[range, Any]]:
    """Yield parts with what was made of them as each is done; what was not begun is left when the caller stops."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix="wsim-learn")
    waiting: dict[Future[Any], range] = {}
    left = iter(parts)
    try:
        while True:
            for games in islice(left, threads - len(waiting)):
                waiting[pool.submit(make, games)] = games
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(future), future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
