"""A learning run: rounds of harvest and fitting, then an evaluation, in a folder from which it can be resumed.

    FOLDER/plan.json the learning plan (LearningPlan.record) FOLDER/learn.json what else determines the result: cards,
    patches, rules, the version of wsim FOLDER/round-1/TABLE-0000.* decisions (.states.parquet) and their moves
    (.moves.parquet), part by part FOLDER/round-1/net.npz the net that was fitted to them FOLDER/judged.json the
    strength of the final net FOLDER/net.npz the final net: ``--policies net:file=FOLDER/net.npz``

Existing parts, nets and judgements are not recomputed.
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
from wsim.lab.cluster import joined
from wsim.lab.execution import Execution
from wsim.lab.journal import differences, held, read_record_of, refuse_old_streams, refuse_other, write_record
from wsim.lab.plan import Plan
from wsim.lab.provenance import software
from wsim.learn.harvest import Entry, Harvest, harvest_of, read_records, write_records
from wsim.learn.judge import Judgement, judge
from wsim.learn.learner import learner_of
from wsim.learn.plan import NET, LearningPlan, Seats, round_of, several

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.game import Simulator

PLAN, RECORD, JUDGED, LAST = "plan.json", "learn.json", "judged.json", "net.npz"
FORMAT = "wsim-learn/1"
PART = 2000  # approximate number of decisions per part
SHIPPED = "shipped"
_JUDGING_SEED = 1 << 40  # added to the seed: games that no net learned from


@dataclass(frozen=True)
class _Part:
    """A part of a round's harvest: its path without suffix, and its games."""

    path: Path
    games: range

    @property
    def states(self) -> Path:
        return Path(f"{self.path}.states.parquet")

    @property
    def moves(self) -> Path:
        return Path(f"{self.path}.moves.parquet")

    def write(self, records: tuple[NDArray[Any], NDArray[Any]]) -> None:
        """Write the decisions, then their moves: a part counts as done once its moves exist."""
        write_records(self.states, records[0])
        write_records(self.moves, records[1])


@dataclass(frozen=True)
class Learning:
    """A learning run and its folder.

    Attributes
    ----------
    plan: the learning plan. folder: the folder of the run.
    execution: how games are played.
    """

    plan: LearningPlan
    folder: Path
    execution: Execution = Execution()

    def net_path(self, number: int) -> Path:
        """Return the path of the net of a round; round 0 means the net that the run started from."""
        return self.folder / f"round-{number}" / LAST if number else self.folder / "start.npz"

    def parts(self, number: int, seats: Seats) -> list[_Part]:
        """Return the parts that a round plays at a table."""
        entry = self.plan.rounds[number - 1]
        decisions = entry.decisions * self.plan.shares(entry)[seats.name]
        if not decisions:
            return []
        parts = max(1, round(decisions / PART))
        length = learner_of(self.plan.game).length(seats.players)
        games = max(1, round(decisions / parts * self.plan.gap / length))
        above = self.net_path(number).parent
        return [
            _Part(above / f"{seats.name}-{part:04d}", range(part * games, (part + 1) * games)) for part in range(parts)
        ]

    def harvest(self, number: int) -> None:
        """Play the parts of a round that do not exist yet, table by table."""
        self.net_path(number).parent.mkdir(parents=True, exist_ok=True)
        tables = [(seats, self.parts(number, seats)) for seats in self.plan.tables]
        whole = sum(len(parts) for _, parts in tables)
        done = 0
        for seats, parts in tables:
            missing = {part.games: part for part in parts if not part.moves.exists()}
            done += len(parts) - len(missing)
            if missing:
                make, ready = self._harvest_of(number, seats)
                for games, records in self._played_parts(make, ready, list(missing)):
                    missing[games].write(records)
                    done += 1
                    self.execution.report(f"round {number}: parts of {PART:,} decisions", done, whole)

    def _harvest_of(self, number: int, seats: Seats) -> tuple[Harvest, list[tuple[Plan, Simulator]]]:
        entry, seed = self.plan.rounds[number - 1], self.plan.seed + number
        explore = f":explore={entry.explore}" if entry.explore else ""
        players, others = (
            [self._player(name, number) for name in several(text)] for text in (entry.players, entry.others)
        )
        keys = {**self.plan.keys(seats), "seed": seed}
        line_up = [_entry([player + explore for player in players])] * seats.players
        how = (entry.playouts, self.plan.gap, seed, entry.moves)
        return harvest_of(keys, line_up, (self._player(entry.own, number), _entry(others)), how)

    def _player(self, name: str, number: int) -> str:
        before = number - 1 if name == NET else round_of(name)
        return name if before is None else f"{learner_of(self.plan.game).policy}:file={self.net_path(before)}"

    def _played_parts(
        self, make: Harvest, ready: list[tuple[Plan, Simulator]], parts: list[range]
    ) -> Iterator[tuple[range, tuple[NDArray[Any], NDArray[Any]]]]:
        """Yield parts as they finish, played on threads or on a cluster."""
        if self.execution.cluster is None:
            yield from _in_threads(make, parts, usable_threads(self.execution.threads))
            return
        with joined(self.execution.cluster, ready[0][1]) as workers:
            for games, _, records in workers.made(make, ready, iter(parts)):
                yield games, records

    def fit(self, number: int) -> None:
        """Fit the net of a round to its decisions and to the decisions of the previous rounds that it keeps."""
        path = self.net_path(number)
        if path.exists():
            return
        learner, entry = learner_of(self.plan.game), self.plan.rounds[number - 1]
        rounds = range(max(1, number - entry.keep), number + 1)
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
            raise UserError(f"round {number} sampled no decision: it needs more decisions, or a smaller gap")
        before = self.net_path(number - 1 if entry.start == NET else round_of(entry.start) or 0)
        net = learner.fresh(self.plan.seed) if entry.fresh or not before.exists() else learner.load(str(before))

        def report(step: int, steps: int) -> None:
            if step == steps or step % 20 == 0:
                self.execution.report(f"round {number}: steps of fitting", step, steps)

        defaults = self.plan.fitting
        how = replace(defaults, rounds=entry.passes or defaults.rounds, rate=entry.rate or defaults.rate)
        begun, net = net, learner.fit(net, tables, how, self.plan.seed + number, report)
        if entry.blend:
            net = net.blended(begun, entry.blend)
        decisions = sum(len(table.states) for table in tables)
        learner.save(net, path, {**self.about(), "round": number, "decisions": decisions})

    def about(self) -> Mapping[str, Any]:
        """Return the training history to store in a net of this run."""
        return {"made by": f"wsim learn, wsim {software()['wsim']}", "plan": self.plan.record()}

    def judgements(self) -> list[Judgement]:
        """Measure the strength of the final net against each field of the plan, unless it is already stored."""
        path = self.folder / JUDGED
        if path.exists():
            return [Judgement(**row) for row in json.loads(path.read_text())]
        net = f"{learner_of(self.plan.game).policy}:file={self.folder / LAST}"
        judgements = []
        for number, field in enumerate(self.plan.judges):
            keys = {**self.plan.keys(field), "seed": self.plan.seed + _JUDGING_SEED}
            judgements.append(judge(keys, net, field.against, field.games, self.execution))
            self.execution.report("fields of opponents", number + 1, len(self.plan.judges))
        write_bytes(path, json.dumps([asdict(row) for row in judgements], indent=1).encode() + b"\n")
        return judgements


def learn(plan: LearningPlan, folder: Path, execution: Execution = Execution()) -> list[Judgement]:
    """Finish the rounds of a plan in a folder; return the strength of the final net.

    Raises UserError for the folder of a different plan, or for a non-empty folder without a learning run.
    """
    run, learner = Learning(plan, folder, execution), learner_of(plan.game)
    start = run.net_path(0)
    begins = learner.load("" if plan.start == SHIPPED else plan.start) if plan.start and not start.exists() else None
    _check_players(plan)
    with held(folder):
        _claim(folder, plan)
        if begins is not None:
            learner.save(begins, start, getattr(begins, "about", {}))
        for number in range(1, len(plan.rounds) + 1):
            if not run.net_path(number).exists():
                run.harvest(number)
                run.fit(number)
        last = run.net_path(len(plan.rounds)).read_bytes()
        if not (folder / LAST).exists() or (folder / LAST).read_bytes() != last:
            write_bytes(folder / LAST, last)
        return run.judgements()


def _check_players(plan: LearningPlan) -> None:
    """Raise UserError for tables and policies that cannot be played, before anything is written."""
    game, (first, *rest) = find_game(plan.game), plan.tables
    for table in rest:
        game.prepare(Plan.make(**plan.keys(table)))
    named = {name for entry in plan.rounds for name in entry.names if name != NET and round_of(name) is None}
    for line_up in ([name] for name in sorted(named or {"random"})):
        game.prepare(Plan.make(**plan.keys(first), policies=line_up))
    for field in plan.judges:
        seats = [field.against[seat % len(field.against)] for seat in range(field.players)]
        game.prepare(Plan.make(**plan.keys(field), policies=seats))


def _claim(folder: Path, plan: LearningPlan) -> None:
    """Record the plan in a new folder; raise UserError for a folder of different plan, rules, cards or policies."""
    path, identity = folder / PLAN, _identity(plan)
    text = json.dumps(plan.record(), indent=1) + "\n"
    if path.exists():
        if path.read_text(encoding="utf-8") != text:
            raise UserError(f"{str(folder)!r} contains a run of a different plan: name a new folder with --out")
        with suppress(FileNotFoundError):  # written by an earlier wsim
            recorded = read_record_of(folder / RECORD, FORMAT, "no record of wsim learn")
            refuse_old_streams(recorded, str(folder))
            refuse_other(folder, "a different learning run", differences(recorded.get("identity", {}), identity))
            return
    elif folder.exists() and not {RECORD}.issuperset(visible(folder)):
        raise UserError(f"{str(folder)!r} is not empty and not a learning run: name a new folder with --out")
    write_record(folder / RECORD, FORMAT, {"identity": identity})
    if not path.exists():
        write_text(path, text)


def _identity(plan: LearningPlan) -> dict[str, Any]:
    """Return the identity of a run apart from its plan: the rules and the contents of the files in the plan."""
    game = find_game(plan.game)
    tables = {table.name: Plan.make(**plan.keys(table)) for table in plan.tables}
    ready = {name: (table_plan, game.prepare(table_plan)) for name, table_plan in tables.items()}
    identities = {
        name: {"plan": table_plan.identity(), "rules": simulator.provenance()}
        for name, (table_plan, simulator) in ready.items()
    }
    identity: dict[str, Any] = json.loads(json.dumps({"tables": identities, "wsim": software()["wsim"]}))
    return identity


def _entry(policies: Sequence[str]) -> Entry:
    """Return a single policy as a string, or several policies as a tuple, from which one is drawn."""
    return policies[0] if len(policies) == 1 else tuple(policies)


def _in_threads(make: Harvest, parts: list[range], threads: int) -> Iterator[tuple[range, Any]]:
    """Yield each part with its result as it finishes; parts not yet begun are cancelled when the caller stops."""
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
