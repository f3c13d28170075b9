"""Tune the numbers of a policy: search on common deals, generation by generation, and evaluate on different deals.

All candidates of a generation play the same games, and each generation plays new games, so that no candidate benefits
from the same luck twice. The value of a candidate is its win share against the field, plus a little for every point of
lead, because points are informative even if wins are rare. A small pull towards the start keeps numbers that have no
effect on the games in place.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from wsim.document import Column, Conclusion, Document, Sheet
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.answer import Stored, View, whole
from wsim.lab.batch import usable_threads
from wsim.lab.execution import Execution
from wsim.lab.journal import held
from wsim.lab.plan import Plan, digest_of, first_game
from wsim.lab.progress import Interrupted
from wsim.lab.provenance import software
from wsim.policies.declare import of_others
from wsim.policies.lineup import parse_entry, parse_lineup
from wsim.questions.asked import AskedAnswer
from wsim.tuning.climb import Climb, cmaes, default_candidates
from wsim.tuning.conclusion import conclusion_of
from wsim.tuning.contests import MARGIN, SHARE, Contest, play_contests
from wsim.tuning.files import head_of, playable, write_plan, write_set
from wsim.tuning.generations import RECORD, Generation, History, read_history
from wsim.tuning.judging import COLUMNS, judge
from wsim.tuning.question import GENERATIONS, NOBODY, TuneOutput, TuneQuestion, default_judges, entry_of, plans_of
from wsim.tuning.space import Space, space_of

FIRST = ("opponents", "win_share", "difference", "verdict", "met", "n", "start")
JUDGED = (
    "start: win share before tuning, on the same deals; difference: tuned minus start. No deal of this table was "
    "played in the search, and no opponent that is held out. q: Benjamini-Hochberg over the rows."
)
PULL = 0.0002  # penalty in wins for a number one step away from its start; grows with the square of the distance
PROBE = 2.0  # steps by which a number is moved to test whether it changes any game
PROBED = 400  # games for this test
SOON = 20  # first games of the test, in which most effective changes already show
_NOT_OF_A_SEARCH = ("policies", "games", "rotate", "picks", "keep", "ruleset", "players")
_OF_THE_JUDGES = ("generations", "held_out", "judges", "name")  # options that do not affect the generations


@dataclass(frozen=True, repr=False)
class TuneAnswer(AskedAnswer):
    """The result of a tuning search.

    Attributes
    ----------
    policy: the line-up entry that plays the result. file: the written weight set or plan.
    judged: the evaluation, one row per table (``wsim.tuning.judging``).
    history: the content of the folder: question, generations and command.
    games: the number of games of the search.
    """

    FORMAT: ClassVar[str] = "wsim-tuned/1"
    COMMAND: ClassVar[str] = "wsim tune"
    TITLE: ClassVar[str] = "a tuned policy"
    VOLATILE: ClassVar[tuple[str, ...]] = ("policy", "file", "command", "software")
    TABLES: ClassVar[tuple[str, ...]] = ("judged",)
    ROWS: ClassVar[Mapping[str, str]] = {"judged": "player"}

    policy: str
    file: Path
    judged: pl.DataFrame
    history: History
    games: int

    @property
    def kept(self) -> History:
        """The former name of ``history``."""
        return self.history

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:  # noqa: ARG003
        return {"judged": COLUMNS}

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion:
        """State how much tuning improved the policy."""
        return conclusion_of(stored)

    @property
    def title(self) -> str:
        return f"One {self.history.start} as tuned, against all others"

    @property
    def caveats(self) -> Sequence[str]:
        """Notes on the file of the result and how to play it."""
        return [f"Written: {self.file}. Play it: --policies {self.policy}"]

    def display(self, view: View = whole) -> Document:
        judged = view(self.judged)
        constant = [name for name in ("ruleset", "players", "fair") if judged[name].n_unique() == 1]
        fair = f"; a fair share of wins is {judged['fair'][0]:.3f}" if "fair" in constant else ""
        generations = self.history.generations
        moved, numbers = len(self.history.moved), len(self.history.identity["start"])
        searched = (
            f"{len(generations)} generations of {len(generations[-1].values)} candidates, {self.games:,} games; "
            f"{moved} of {numbers} numbers were tuned; the others change no game or were not selected."
        )
        return Document(
            rows=judged,
            named="judged",
            tables=[Sheet(f"{self.title}{fair}", judged.drop(constant).to_dicts(), COLUMNS, first=FIRST)],
            notes=[JUDGED, searched, *self.caveats],
        )

    def record(self) -> dict[str, Any]:
        return {
            "format": self.FORMAT,
            "asked": dict(self.asked),
            "policy": self.policy,
            "file": str(self.file),
            "command": self.history.command,
            "digest": digest_of(self.history.identity),
            "software": dict(self.history.software),
            "start": self.history.start,
            "moved": len(self.history.moved),
            "generations": [
                {"share": generation.share, "margin": generation.margin, "spread": generation.spread}
                for generation in self.history.generations
            ],
            "games": self.games,
            "judged": self.judged.to_dicts(),
        }


def ask(plan: Plan, question: TuneQuestion, output: TuneOutput, execution: Execution = Execution()) -> TuneAnswer:
    """Tune the numbers of a policy by self-play, and evaluate the result on held-out deals and opponents.

    Raises UserError for an invalid question, StoreError for a disk error, Interrupted on Ctrl-C; ``wsim tune --resume``
    then continues.
    """
    if output.resume is None:
        whole = question_of(question, plan, output.start)
        return begin(plan, whole, None if output.file else output.out, execution).run(execution)
    defaults, named = TuneQuestion(), []
    named += [
        key for key, value in question.record().items() if key != "generations" and value != defaults.record()[key]
    ]
    named += [name for name in ("out", "start") if getattr(output, name) is not None]
    default = Plan.make(game=plan.game).as_dict()
    named += [key for key, value in plan.as_dict().items() if value != default.get(key)]
    if named or plan.game != first_game():
        option = repr(question.policy) if "policy" in named else f"--{(named or ['game'])[0].replace('_', '-')}"
        raise UserError(f"{output.resume!r} determines the search: omit {option} with --resume")
    with of_others(output.trust):
        return resume(output.resume, generations=question.generations, trust=output.trust).run(execution)


def written(answer: TuneAnswer, _question: TuneQuestion, output: TuneOutput) -> Path | None:
    """Write the answer into the folder of the search, or into the file that the options name."""
    return answer.write(output.file or answer.file.parent / "answer.json")


def question_of(question: TuneQuestion, base: Plan, start: str | None = None) -> TuneQuestion:
    """Return the question with all defaults filled in; the judges are the game's own players unless named."""
    if not question.policy:
        raise UserError("tune needs a policy, as in wsim tune weighted --start balanced")
    generations = question.generations or GENERATIONS
    question = replace(question, policy=str(entry_of(question.policy, start)), generations=generations)
    return replace(question, judges=default_judges(base.game, question)) if question.judges is None else question


@dataclass
class TuningSearch:
    """A tuning search, new or resumed.

    Attributes
    ----------
    folder: the folder. base: the plan of the tables. question: the options. space: the numbers.
    contests: the tables. history: the content of the folder.
    """

    folder: Path
    base: Plan
    question: TuneQuestion
    space: Space
    contests: tuple[Contest, ...]
    history: History

    @property
    def _games(self) -> int:
        return -(-self.question.games // len(self.contests))

    @property
    def code(self) -> tuple[str, ...]:
        """The user code (policies and effect files) that the search would run."""
        return (*_code(self.question), *map(str, self.base.effects.values()))

    @property
    def games(self) -> int:
        """The number of games played in all generations so far."""
        return sum(len(generation.values) for generation in self.history.generations) * self._games * len(self.contests)

    def run(self, execution: Execution = Execution()) -> TuneAnswer:
        """Search and evaluate; raise Interrupted on Ctrl-C, with all finished generations stored in the folder."""
        with held(self.folder), execution.connected(self.contests[0].simulator) as connected:
            try:
                return self._run(connected)
            except KeyboardInterrupt:
                done, wanted = len(self.history.generations), self.question.generations
                command = f"wsim tune --resume {shlex.quote(str(self.folder))}{' --trust' if self.code else ''}"
                raise Interrupted(
                    None, f"{done} of {wanted} generations are stored; continue with:\n{command}"
                ) from None

    def _run(self, execution: Execution) -> TuneAnswer:
        wanted, climb = self.question.generations or 0, self._climbed()
        for number in range(len(self.history.generations), wanted):
            execution.report("generations", number, wanted)
            points = climb.ask()
            entries = [str(self.space.at(point)) for point in points]
            games = range(number * self._games, (number + 1) * self._games)
            outcomes = play_contests(self.contests, entries, games, execution)
            share, margin = (
                np.mean([[played[which].mean() for played in of_contest] for of_contest in outcomes], axis=0)
                for which in (SHARE, MARGIN)
            )
            away = np.array([(point**2).sum() for point in points])
            values = tuple((share + self.question.margin * margin - PULL * away).tolist())
            climb.tell(values)
            means = float(share.mean()), float(margin.mean())
            self.history = self.history.grown(Generation(digest_of(entries), values, *means, climb.spread))
            self.history.write(self.folder)
        point = climb.mean
        judged = judge(self.base, self.question, (self.history.start, str(self.space.at(point))), execution)
        self.history = replace(self.history, judged=judged.to_dicts())
        self.history.write(self.folder)
        file = self._write(point)
        return TuneAnswer(playable(file, self.space.at(point)), file, judged, self.history, self.games)

    def _climbed(self) -> Climb:
        """Restore the last state of the search from the values of its generations."""
        candidates = self.question.candidates or default_candidates(len(self.space.moved))
        climb = Climb(self.space.bounds, candidates, self.base.seed)
        for number, generation in enumerate(self.history.generations):
            entries = [str(self.space.at(point)) for point in climb.ask()]
            if digest_of(entries) != generation.candidates:
                raise UserError(
                    f"the search in {str(self.folder)!r} differs on this machine from generation {number} on, "
                    "perhaps because of a different version of numpy: start again with another --out"
                )
            climb.tell(generation.values)
        return climb

    def _write(self, point: Any) -> Path:
        """Write the result as a playable file: a weight set if the policy has one, otherwise a plan."""
        head = head_of(self.history, self.games, self.history.judged)
        kinds = {row["name"]: row.get("kind") for row in find_game(self.base.game).policies()}
        if kinds.get(self.space.entry.name) == "weights":
            return write_set(self.folder, self.question.name, self.space.numbers, self.space.values(point), head)
        return write_plan(self.folder, self.contests[0].plan, self.space.at(point), head)


def begin(
    base: Plan, question: TuneQuestion, out: str | os.PathLike[str] | None = None, execution: Execution = Execution()
) -> TuningSearch:
    """Start a search: check its question, find the numbers that change any game, and create its folder."""
    version = cmaes().__version__
    space, contests = _prepared(base, question)
    for plan in plans_of(base, question, question.policy, question.judges or ()):
        Contest.of(plan)  # reports mistakes before the search
    identity = _identity(question, space, contests)
    folder = Path(out) if out is not None else Path("tuning") / f"{space.entry.function}-{digest_of(identity)[:8]}"
    if (folder / RECORD).exists():
        raise UserError(
            f"{str(folder)!r} already contains a search: continue with wsim tune --resume {shlex.quote(str(folder))}, "
            "or name another --out"
        )
    space = _space_of_effective_numbers(space, contests, usable_threads(execution.threads))
    history = History(
        question=question.record(),
        plan=json.loads(json.dumps(base.as_dict())),
        start=str(space.entry),
        command=_command(base, question),
        identity=identity,
        software={**software(), "cmaes": version},
        moved=space.moved,
    )
    folder.mkdir(parents=True, exist_ok=True)
    history.write(folder)
    return TuningSearch(folder, base, question, space, contests, history)


def resume(out: str | os.PathLike[str], *, generations: int | None = None, trust: bool = False) -> TuningSearch:
    """Resume a search, optionally with more generations.

    Raises UserError if it would not be the same search, or if the folder names policy code that is not trusted.
    """
    folder = Path(out)
    history = read_history(folder)
    cmaes()
    question = TuneQuestion.restore(
        {**history.question, **({} if generations is None else {"generations": generations})}
    )
    assert question.generations is not None
    if len(history.generations) > question.generations:
        raise UserError(f"{str(folder)!r} has {len(history.generations)} generations already, more than {generations}")
    base = Plan.restore(
        {key: tuple(value) if isinstance(value, list) else value for key, value in history.plan.items()}
    )
    code = (*_code(question), *map(str, base.effects.values()))
    if code and not trust:
        raise UserError(
            f"resuming {str(folder)!r} would run its policy code, {', '.join(code)}: if you trust it, add --trust"
        )
    space, contests = _prepared(base, question)
    history.refuse_other(_identity(question, space, contests), folder)
    history = replace(history, question=question.record(), command=_command(base, question))
    return TuningSearch(folder, base, question, space.restricted(history.moved), contests, history)


def _code(question: TuneQuestion) -> tuple[str, ...]:
    entries = [
        entry
        for field in (question.policy, *question.against, *(question.judges or ()))
        for entry in parse_lineup(field)
    ]
    return tuple(dict.fromkeys(str(entry) for entry in entries if entry.file or entry.module))


def _prepared(base: Plan, question: TuneQuestion) -> tuple[Space, tuple[Contest, ...]]:
    """Return the numbers of the policy, and the contests ready to play."""
    entry = parse_entry(question.policy)
    space = space_of(entry, find_game(base.game).numbers(entry), question.only)
    return space, tuple(Contest.of(plan) for plan in plans_of(base, question, question.policy, question.against))


def _identity(question: TuneQuestion, space: Space, contests: Sequence[Contest]) -> dict[str, Any]:
    searched = {key: value for key, value in question.record().items() if key not in _OF_THE_JUDGES}
    identity = {
        "question": searched,
        "start": dict(zip(space.labels, space.start.tolist(), strict=True)),
        "tables": [{"plan": contest.plan.identity(), "rules": contest.simulator.provenance()} for contest in contests],
        "wsim": software()["wsim"],
        "cmaes": cmaes().__version__,
    }
    result: dict[str, Any] = json.loads(json.dumps(identity))
    return result


def _command(base: Plan, question: TuneQuestion) -> str:
    """Return the shell command of a search, with all options."""
    words = ["wsim", "tune", question.policy]
    for key, value in question.record().items():
        if key != "policy" and value not in (None, []):
            option = "--" + {"rulesets": "ruleset"}.get(key, key).replace("_", "-")
            values = value if key == "against" else [",".join(map(str, value))] if isinstance(value, list) else [value]
            words += [word for part in values for word in (option, str(part))]
    if not question.judges:  # without this option, the judges would be the game's own
        words += ["--judges", NOBODY]
    if not question.rulesets:
        words += ["--ruleset", base.ruleset]
    return shlex.join([*words, *base.words(*_NOT_OF_A_SEARCH)])


def _space_of_effective_numbers(space: Space, contests: Sequence[Contest], threads: int) -> Space:
    """Restrict the space to numbers that change any game when moved; raise UserError if there are none."""
    parts = (range(SOON), range(SOON, PROBED))

    def played(contest: Contest, entry: str) -> Iterator[bytes]:
        arm = contest.arm(entry)
        return (arm.rows(games).tobytes() for games in parts)

    same = [list(played(contest, str(space.entry))) for contest in contests]

    def changes(index: int) -> bool:
        probe = space.restricted((index,))
        entries = [str(probe.at(np.array([step]))) for step in (PROBE, -PROBE)]
        return any(
            part != before
            for entry in entries
            for contest, rows in zip(contests, same, strict=True)
            for part, before in zip(played(contest, entry), rows, strict=True)
        )

    with ThreadPoolExecutor(threads, thread_name_prefix="wsim") as pool:
        moved = [index for index, does in zip(space.moved, pool.map(changes, space.moved), strict=True) if does]
    if not moved:
        raise UserError(f"none of the tuned numbers of {str(space.entry)!r} changes any of {PROBED} games")
    return space.restricted(moved)
