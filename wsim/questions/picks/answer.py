"""Pick experiments: randomise picks with a known probability, and estimate the causal effect of taking a card.

Each pick is replaced, with the chance ``randomise``, by a uniformly drawn legal move. Moves then no longer depend only
on the policy's preferences, and weighting by the inverse of the known probabilities (``propensity``) compares like with
like. Decisions are written to a run folder and read back in batches, so memory use does not grow with the number of
games.

With a sweep, the experiment is repeated at each value (of a price, for example) on the same deals: this shows the value
of taking a card at each price, and the price at which taking it is worth as much as any other move (``crossing``).
"""

from __future__ import annotations

import math
import re
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from wsim.document import NAME, NUMBER, Chart, Column, Conclusion, Document, Sheet, names
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.answer import Answer, Stored, View, as_read, whole
from wsim.lab.execution import Execution
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted
from wsim.lab.repetition import RepetitionSettings, counted
from wsim.lab.run import record
from wsim.lab.store import Run, load_run
from wsim.policies.registry import explores
from wsim.questions.deals import sample
from wsim.questions.largest import Largest, Row
from wsim.questions.metrics import measures_of, words_of
from wsim.questions.picks.crossing import targets_of
from wsim.questions.picks.question import PickPlay, PickQuestion
from wsim.questions.variants import sweep_values
from wsim.questions.words import Words
from wsim.stats.columns import SHORT, outcome_column, pick_columns
from wsim.stats.intervals import benjamini_hochberg, nulls
from wsim.stats.precision import reached, stages, widest_of
from wsim.version import __version__

if TYPE_CHECKING:
    from wsim.game import PickExperiment as Picks
    from wsim.game import Simulator

CHARTED = 24
"""Maximum number of effects in a chart, which shows the largest ones."""
FIRST = ("card", "action", "effect", "q", "rare", "picks", "effective")

TARGET_COLUMNS = (
    *names(("action", "card")), *(Column(name, NUMBER) for name in ("value", "low", "high")),
    Column("status", NAME),
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class PicksAnswer(Answer):
    """The answer to a pick experiment: the effects of taking cards.

    Attributes
    ----------
    estimand: the effect, in one sentence.
    question: the question.
    games: the number of games played, at each value of a sweep.
    complete: whether all games of the plan were played, at every value.
    seconds: the time that playing took.
    effects: one row per action and card, largest effect first: action, card, picks, effective (effective sample size),
        drawn (random picks that overruled the policy, in the arm with fewer), taken and otherwise (mean outcomes),
        effect with effect_low and effect_high (clustered by game), p, q (Benjamini-Hochberg over all rows), and rare
        (drawn fewer than ``min_effective_n`` times: the interval is too short). With a sweep, the swept value comes
        first, and rows are ordered by card, action and value.
    targets: with a target, one row per action and card: the value at which the effect equals the target, with value_low
        and value_high, and the result in words; otherwise None.
    plan: the plan.
    """

    FORMAT: ClassVar[str] = "wsim-picks/2"
    COMMAND: ClassVar[str] = "wsim experiment picks"
    TITLE: ClassVar[str] = "a pick experiment"
    TABLES: ClassVar[tuple[str, ...]] = ("effects",)

    RENAMED: ClassVar[Mapping[str, str]] = {"said": "status"}

    estimand: str
    question: PickQuestion
    games: int
    complete: bool
    seconds: float
    effects: pl.DataFrame
    targets: pl.DataFrame | None
    plan: Plan

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:
        """Return the column declarations of each table."""
        return {
            "effects": pick_columns(outcome_column(str(record["question"]["outcome"]))),
            "targets": TARGET_COLUMNS,
        }

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:
        """State which card gains or costs most."""
        question = stored.record["question"]
        level, share = float(question["level"]), outcome_column(str(question["outcome"])) == "win_share"
        often, verb, unit = ("often ", "wins", "") if share else ("", "scores", "points")

        def words(row: Row) -> Words:
            value = f" at {row['value']}" if row.get("value") is not None else ""
            ends = [f"{much} {often}than with another move" for much in ("more", "less")]
            before = f"{row['action']} {row['card']}{value}: a seat {verb}"
            return Words("", before, (ends[0], ends[1]), share, unit)

        effects = Largest(
            "effect", level, words, lambda row: not row["rare"] and row["q"] is not None and row["q"] < 1 - level
        )
        none = "No card has a clear effect for the seat that takes it."
        return effects.conclusion(stored.record["effects"], none, "effects")

    @property
    def widest(self) -> float:
        """The largest half width of an interval of an effect; infinite if no row has enough picks."""
        return widest_of(self.effects["effect_low"], self.effects["effect_high"]) if self.effects.height else math.inf

    @property
    def title(self) -> str:
        """The title of the table of effects."""
        return f"Effects of picks, {self.games:,} games"

    def record(self) -> dict[str, Any]:
        """Return the answer as a JSON object, with the provenance of its games."""
        made = {"wsim": __version__, "digest": self.plan.digest, "notes": self.notes()}
        return {**super().record(), **made}

    @classmethod
    def identity(cls, record: Mapping[str, Any]) -> Any:
        """Return the fields that distinguish an answer from other answers of its kind in a folder."""
        return [record["question"], record["digest"]]

    @classmethod
    def document(cls, stored: Stored) -> Document:
        """Return a stored answer as a document for pages: a chart of the largest effects, then all effects."""
        document, effects = super().document(stored), stored.main
        known = effects.filter(pl.col("effect").is_not_null() & ~pl.col("rare"))
        most = (
            known.sort(pl.col("effect").abs(), descending=True, maintain_order=True)
            .head(CHARTED)
            .sort("effect", descending=True)
        )
        labels = ("action", "card", *(("value",) if "value" in effects.columns else ()))
        chart = Chart("forest", ("effect",), labels, f"The {len(most)} largest effects of picks, with intervals")
        if most.is_empty():
            return document
        return replace(
            document, tables=[stored.sheet("effects", "Largest effects", most, charts=(chart,)), *document.tables]
        )

    def display(self, view: View = whole) -> Document:
        """Return the answer as a document: the effects, and the values at which they meet a target."""
        shown, sweep, chance = view(self.effects), self.question.sweep, self.plan.options.get("randomise")
        each = "" if sweep is None else f" at each value of {sweep.partition('=')[0].strip()}"
        title = f"{self.title}{each}{f', picks random with chance {chance}' if chance else ''}"
        columns = pick_columns(outcome_column(self.question.outcome))
        tables = [Sheet(title, shown.to_dicts(), columns, first=FIRST)]
        if self.targets is not None:
            targets = self.targets.drop("effect").rename({"value_low": "low", "value_high": "high"}).to_dicts()
            title = f"Where the effect on {self.question.outcome} is {self.question.target:g}"
            tables.append(Sheet(title, targets, TARGET_COLUMNS, first=("card", "value", "low", "high", "status")))
        return Document(
            rows=shown,
            named="effects",
            tables=tables,
            notes=self.notes(),
            missing="No row has a large enough effective sample size: play more --games, or lower --min-effective-n.",
        )

    def notes(self) -> list[str]:
        """Return notes on estimand, targets, rare rows and intervals."""
        question = self.question
        level = f"{100 * question.level:g}%"
        notes = [f"Estimand: {self.estimand}"]
        if note := reached(self.games, question.within, self.widest, "the effects"):
            notes.append(note)
        if question.target is not None:
            notes.append(
                f"value: where the effect is {question.target:g}, interpolated linearly between the values tried; "
                f"low, high: between these, {question.target:g} is within the {level} interval of the effect; an empty "
                "end lies beyond the sweep."
            )
        if rare := int(self.effects["rare"].sum()):
            notes.append(
                f"Rare ({rare} rows): fewer than {question.min_effective_n} random picks overruled the policy; these "
                "intervals may be too short."
            )
        notes.append(
            f"Causal: picks were randomised with known probability. {level} intervals, clustered by game; q: "
            f"Benjamini-Hochberg over {self.effects.height} rows. Rows with an effective sample size below "
            f"{question.min_effective_n} are omitted. effective n: effective sample size; overruled: random picks that "
            "overruled the policy."
        )
        return notes

    @classmethod
    def flat_plan(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the plan of the experiment."""
        return dict(record["plan"])

    @classmethod
    def restored(cls, record: Mapping[str, Any], how: RepetitionSettings) -> Callable[[], Answer]:
        """Return a function that plays the recorded experiment again."""
        question = PickQuestion.restored(record["question"])
        plan = how.restored(cls.flat_plan(record))
        _ = [_row(row) for row in record["effects"]]
        return lambda: play_experiment(plan, question, execution=how.execution)

    def comparable_record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return this answer's record reduced to the rows of ``record``, in the same order."""
        current = super().comparable_record(record)
        by_row = {_row(row): row for row in current["effects"]}
        return current | {"effects": [by_row.get(_row(row)) for row in record["effects"]]}

    @classmethod
    def upgraded(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Rename the options in a recorded question to their current names."""
        return {**record, "question": as_read(PickQuestion.restored(record["question"]).record())}

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        """Describe the data that a rerun compares."""
        return f"{record['games']:,} games, {counted(len(record['effects']), 'effect')}"


def _row(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key that identifies a row of the effects, including the value of a sweep."""
    return row.get("value"), row["action"], row["card"]


def ask(plan: Plan, how: PickPlay, question: PickQuestion, execution: Execution = Execution()) -> PicksAnswer:
    """Play games with randomised picks, and return the causal effects of taking cards.

    Raises UserError for an invalid question, Interrupted on Ctrl-C with the answer so far.
    """
    folder = None if how.file is not None else how.folder
    return play_experiment(randomised(plan, how.randomise), question, folder, resume=how.resume, execution=execution)


def written(answer: PicksAnswer, how: PickPlay, _question: PickQuestion) -> Path | None:
    """Write the answer if the options name a file for it; the games in a folder are already written."""
    return None if how.file is None else answer.write(how.file)


def randomised(plan: Plan, randomise: float | str) -> Plan:
    """Return the plan with randomised and recorded picks; raise UserError if its game cannot randomise them."""
    picks = _picks_of(plan.game)
    chances = str(randomise).split(",")
    try:
        none = not any(float(chance) > 0 for chance in chances)
    except ValueError:
        none = False  # the game reports the mistake
    if none:
        own = "; random moves by explore are recorded by wsim run --picks" if any(map(explores, plan.line_up)) else ""
        raise UserError(f"randomise must be a chance above 0 that a pick is random, not {randomise!r}{own}")
    return picks.randomise(plan, str(randomise))


def _picks_of(game: str) -> Picks:
    """Return the pick experiment of a game; raise UserError if it has none."""
    picks: Picks | None = find_game(game).PICKS
    if picks is None:
        raise UserError(f"{game} cannot randomise picks")
    return picks


def play_experiment(
    plan: Plan,
    question: PickQuestion,
    folder: str | Path | None = None,
    *,
    resume: bool = False,
    execution: Execution = Execution(),
) -> PicksAnswer:
    """Play a plan with randomised picks into a folder (None: a temporary one), and return the effects; see ``ask``."""
    concrete = question.of(_picks_of(plan.game))
    arms = _arms(plan, concrete)
    simulators: list[Simulator] = [find_game(arm.plan.game).prepare(arm.plan) for arm in arms]
    for simulator in simulators:
        seats = sample(simulator)
        _check_columns(concrete, seats, simulator.picks_frame(np.zeros(0, simulator.pick_dtype)))
    cards = _cards(concrete, simulators)
    runs: dict[int, Run] = {}
    start = time.perf_counter()
    hint = f"continue with --resume -o {shlex.quote(str(folder))}" if folder else ""
    with ExitStack() as resources:
        workers = resources.enter_context(execution.connected(simulators[0])).cluster
        how: dict[str, Any] = {"threads": execution.threads, "cluster": workers}
        own = [_folder_of(folder, concrete, arm) for arm in arms]
        places = [path or resources.enter_context(TemporaryDirectory(prefix="wsim-picks-")) for path in own]
        games = max([plan.games, *(_games_in(path) for path in places if resume and question.within)])

        def answer() -> PicksAnswer:
            return _answer(plan, concrete, arms, list(runs.values()), cards, time.perf_counter() - start)

        number = 0
        try:
            for stage in stages(games, question.within, lambda: answer().widest):
                for number, (arm, path) in enumerate(zip(arms, places, strict=True)):
                    report, played = partial(_report_games, execution, number, len(arms)), arm.plan
                    more, again = played.replace(games=stage.stop), resume or number in runs
                    runs[number] = record(more, path, progress=report, resume=again, **how)
        except Interrupted as interrupt:
            if interrupt.result is not None and interrupt.result.games:
                runs[number] = interrupt.result
            raise Interrupted(answer() if runs else None, hint) from None
        return answer()


def _games_in(folder: str | Path) -> int:
    """Return the planned number of games of the run in a folder; 0 if there is no run."""
    return load_run(folder, to_resume=True).plan.games if (Path(folder) / "run.json").is_file() else 0


@dataclass(frozen=True)
class _Arm:
    """One experiment: its plan, and the value of the sweep as written (None without a sweep)."""

    plan: Plan
    value: str | None


def _arms(plan: Plan, question: PickQuestion) -> list[_Arm]:
    """Return the experiments to run: one, or one per value of the sweep in ascending order."""
    if question.sweep is None:
        return [_Arm(plan, None)]
    path, values = sweep_values(question.sweep)
    if question.target is not None:
        values.sort(key=float)
    return [_Arm(plan.replace(set=(*plan.set, f"{path}={value}")), value) for value in values]


def _cards(question: PickQuestion, simulators: Sequence[Simulator]) -> tuple[str, ...]:
    """Return the requested cards: the named card, or the cards that a sweep changes; empty: all cards."""
    first = simulators[0]
    kind = first.picks_frame(np.zeros(0, first.pick_dtype)).schema["card"]
    names: list[str] = kind.categories.to_list()  # type: ignore[attr-defined]
    if question.card is not None:
        return (_named(question.card, names),)
    changed = dict.fromkeys(name for simulator in simulators[1:] for name in first.changed(simulator))
    return tuple(name for name in changed if name in names)


def _folder_of(folder: str | Path | None, question: PickQuestion, arm: _Arm) -> str | Path | None:
    """Return the folder of an experiment: the given folder, or a subfolder for a value of a sweep."""
    if folder is None or arm.value is None:
        return folder
    if not isinstance(folder, str | Path):
        raise UserError(f"folder must be a path, not {folder!r}")
    path, values = sweep_values(question.sweep or "")
    readable = re.sub(r"[^\w.+-]+", "_", f"{path.rpartition('.')[2]}_{arm.value}")
    return Path(folder) / f"{values.index(arm.value):02d}-{readable}"


def _report_games(execution: Execution, number: int, arms: int, what: str, done: int, games: int) -> None:
    execution.report(what, number * games + done, arms * games)


def _check_columns(question: PickQuestion, seats: pl.DataFrame, picks: pl.DataFrame) -> None:
    """Raise UserError for a question that these tables cannot answer; called before any game is played."""
    column, numbers = outcome_column(question.outcome), measures_of(seats)
    if column not in numbers:
        known = [*SHORT, *(name for name in numbers if ":" not in name)]
        raise UserError(f"unknown outcome {question.outcome!r}{nearest(column, known)}; accepted: {', '.join(known)}")
    kind = picks.schema.get("card")
    if not isinstance(kind, pl.Enum) or "offered" not in picks.columns:
        raise UserError("this game does not record the cards in hand with its picks, so they cannot be compared")
    if question.card is not None:
        _named(question.card, kind.categories.to_list())


def _named(card: str, names: Sequence[str]) -> str:
    """Return the name of a card as spelled in the tables."""
    by_lower = {name.lower(): name for name in names}
    if card.lower() not in by_lower:
        raise UserError(f"unknown card {card!r}{nearest(card, names)}")
    return by_lower[card.lower()]


def _answer(
    plan: Plan,
    question: PickQuestion,
    arms: Sequence[_Arm],
    runs: Sequence[Run],
    cards: Sequence[str],
    seconds: float,
) -> PicksAnswer:
    """Compute the answer from the games played so far, whether the runs are finished or not."""
    parts = [
        part if arm.value is None else part.select(pl.lit(arm.value).alias("value"), pl.all())
        for arm, run in zip(arms, runs, strict=False)
        for part in _run_effects(run, question, cards)
    ]
    effects = pl.concat(parts).with_columns(pl.col("card").cast(pl.String))
    effects = effects.with_columns(q=nulls(benjamini_hochberg(effects["p"].fill_null(float("nan")).to_numpy())))
    effects = effects.sort("effect", "card", descending=[True, False], nulls_last=True)
    if question.sweep is not None:
        order = pl.Series([arm.value for arm in arms])
        effects = effects.sort(
            "card", "action", pl.col("value").replace_strict(order, range(len(arms))), maintain_order=True
        )
    return PicksAnswer(
        estimand=_sentence(question),
        question=question,
        games=min(run.games for run in runs),
        complete=len(runs) == len(arms) and all(run.complete for run in runs),
        seconds=seconds,
        effects=effects,
        targets=None if question.target is None else targets_of(effects, question.target),
        plan=plan,
    )


def _run_effects(run: Run, question: PickQuestion, cards: Sequence[str]) -> list[pl.DataFrame]:
    """Estimate the effects of each action from one run."""
    picks, seats = run.picks, run.seats
    for name, value in (("age", question.age), ("turn", question.turn)):
        if value is not None:
            picks = picks.filter(pl.col(name) == value)
    estimate = _picks_of(run.plan.game).effects
    outcome = outcome_column(question.outcome)
    parts = []
    for action in question.actions or ():
        table = estimate(picks, seats, action, outcome, question.against, question.level)
        frame = table.frame.select(pl.lit(action).alias("action"), pl.all())
        if cards:
            frame = frame.filter(pl.col("card").cast(pl.String).is_in(cards))
        frame = frame.filter(pl.col("effective") >= question.min_effective_n)
        parts.append(frame.with_columns(rare=pl.col("drawn") < question.min_effective_n))
    return parts


def _sentence(question: PickQuestion) -> str:
    """Return the estimand as one sentence."""
    alternative = "makes a uniformly drawn other legal move" if question.against == "others" else "follows its policy"
    when = "turns" if question.turn is None else f"turns number {question.turn}"
    when += "" if question.age is None else f" of age {question.age}"
    outcome = words_of(outcome_column(question.outcome))
    doing = " / ".join(question.actions or ())
    return (
        f"Over the {when} on which a seat could {doing} the card, its mean final {outcome} if it does so (a way to pay "
        f"drawn uniformly) minus its mean final {outcome} if it {alternative}, with all seats continuing as in this "
        "experiment."
    )
