"""Pick experiments: games in which picks are randomised with a known probability, and what they say a card causes.

Every pick of a seat is replaced, with the chance ``randomise``, by a uniformly drawn legal move. What a seat would have
liked to do then no longer decides alone what it did, and weighting by the inverse of the known probabilities
(``propensity``) compares like with like. Decisions are written to a run folder, shard by
shard, and read back in batches: memory does not grow with the games.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.lab.run import Interrupted as RunInterrupted
from wsim.lab.run import Progress, record
from wsim.lab.store import Run, load_run
from wsim.stats.intervals import benjamini_hochberg, nulls
from wsim.wonders.analysis.propensity import pick_effects

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ACTIONS", "Interrupted", "PickExperiment", "PickQuestion", "experiment_picks", "play_experiment"]

ACTIONS = ("build", "stage", "sell", "take")
OUTCOMES = {"score": "total", "win": "win_share"}
RANDOMISE = "randomise"  # the option of a game that randomises picks
GAMES = 20_000


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during an experiment: ``result`` is what the finished shards say, None before the first."""

    def __init__(self, result: PickExperiment | None) -> None:
        super().__init__("interrupted")
        self.result = result


@dataclass(frozen=True)
class PickQuestion:
    """What is asked of the picks.

    Attributes
    ----------
    actions: what is done with a card: build, stage (bury it under a stage), sell (deny it to the others), take (any).
    outcome: ``score``, ``win``, or another number of the seats table.
    against: ``others``, a uniformly drawn other legal move, or ``policy``, what the policy wants.
    card: this card only; None for all.
    age: this age only; None for all.
    confidence: of the intervals.
    fewest: what was effectively done less often is left out: its interval would be worth nothing.
    """

    actions: tuple[str, ...] = ("build", "stage", "sell")
    outcome: str = "score"
    against: str = "others"
    card: str | None = None
    age: int | None = None
    confidence: float = 0.95
    fewest: int = 30

    def __post_init__(self) -> None:
        for action in self.actions:
            if action not in ACTIONS:
                raise UserError(f"unknown action {action!r}: known are {', '.join(ACTIONS)}{nearest(action, ACTIONS)}")
        if not self.actions:
            raise UserError(f"name at least one action: {', '.join(ACTIONS)}")
        if self.against not in ("others", "policy"):
            raise UserError(f"a pick is compared against others or policy, not {self.against!r}")
        if not 0 < self.confidence < 1:
            raise UserError(f"the confidence lies between 0 and 1, such as 0.95, not {self.confidence!r}")


@dataclass(frozen=True)
class PickExperiment:
    """The answer.

    Attributes
    ----------
    plan: what was played.
    question: what was asked.
    estimand: what an effect is, in one sentence.
    games: games played. seconds: how long playing took.
    effects: one row per action and card, largest effect first: action, card, picks, effective (equally weighted picks
        worth as much), taken and otherwise (mean outcomes), effect with effect_low and effect_high (clustered by game),
        p, and q (Benjamini-Hochberg over all rows).
    complete: whether all games of the plan were played.
    """

    plan: Plan
    question: PickQuestion
    estimand: str
    games: int
    seconds: float
    effects: pl.DataFrame
    complete: bool

    def record(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        question = {name: getattr(self.question, name) for name in self.question.__dataclass_fields__}
        return {
            "format": "wsim-picks/1",
            "estimand": self.estimand,
            "question": question,
            "games": self.games,
            "complete": self.complete,
            "seconds": round(self.seconds, 3),
            "effects": self.effects.to_dicts(),
            "plan": self.plan.as_dict(),
        }


def experiment_picks(
    plan: Plan | None = None,
    /,
    *,
    randomise: float | str = 0.1,
    actions: Sequence[str] = ("build", "stage", "sell"),
    outcome: str = "score",
    against: str = "others",
    card: str | None = None,
    age: int | None = None,
    confidence: float = 0.95,
    fewest: int = 30,
    folder: str | Path | None = None,
    threads: int | None = None,
    **keys: Any,
) -> PickExperiment:
    """Play games with randomised picks and return what doing something with a card causes.

    Parameters
    ----------
    plan, keys: what is played, as for ``simulate`` (default: 20,000 games).
    randomise: the chance that a pick is replaced by a uniform one; a text with commas gives one for each seat.
    actions, outcome, against, card, age, confidence, fewest: see ``PickQuestion``.
    folder: keep the run here; without it only the answer is kept.

    Raises UserError for whatever cannot be played or asked, Interrupted on Ctrl-C with the answer so far.
    """
    question = PickQuestion(tuple(actions), outcome, against, card, age, confidence, fewest)
    chosen = Plan.make(**{"games": GAMES, **keys}) if plan is None else plan.replace(**keys)
    return play_experiment(randomised(chosen, randomise), question, folder, threads=threads)


def randomised(plan: Plan, randomise: float | str) -> Plan:
    """Return the plan with randomised and recorded picks; raise UserError if its game cannot randomise them."""
    options = find_game(plan.game).OPTIONS
    if RANDOMISE not in options:
        raise UserError(f"{plan.game} cannot randomise picks: it has no option {RANDOMISE}")
    chances = str(randomise).split(",")
    try:
        none = not any(float(chance) > 0 for chance in chances)
    except ValueError:
        none = False  # the game says what is wrong with it
    if none:
        raise UserError(f"an experiment needs a chance above 0 that a pick is random, not {randomise!r}")
    return plan.replace(picks=True, **{RANDOMISE: str(randomise)})


def play_experiment(
    plan: Plan,
    question: PickQuestion,
    folder: str | Path | None = None,
    *,
    resume: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> PickExperiment:
    """Play a plan with randomised picks into a folder (None: a temporary one) and ask; see ``experiment_picks``."""
    table = find_game(plan.game).prepare(plan)
    _check_columns(
        question, table.seats_frame(_no_rows(table.row_dtype)), table.picks_frame(_no_rows(table.pick_dtype))
    )
    with nullcontext(str(folder)) if folder is not None else TemporaryDirectory(prefix="wsim-picks-") as place:
        start = time.perf_counter()
        try:
            run = record(plan, place, resume=resume, threads=threads, progress=progress).run
        except RunInterrupted as interrupt:
            seconds = time.perf_counter() - start
            known = _answer(load_run(place), question, seconds) if interrupt.done else None
            raise Interrupted(known) from None
        return _answer(run, question, time.perf_counter() - start)


def _no_rows(dtype: Any) -> Any:
    import numpy as np

    return np.zeros(0, dtype)


def _check_columns(question: PickQuestion, seats: pl.DataFrame, picks: pl.DataFrame) -> None:
    """Raise UserError for a question that these tables cannot answer, before any game is played."""
    import polars as pl

    column = OUTCOMES.get(question.outcome, question.outcome)
    numbers = [name for name, kind in seats.schema.items() if kind.is_numeric() or kind == pl.Boolean]
    if column not in numbers:
        known = [*OUTCOMES, *(name for name in numbers if ":" not in name)]
        raise UserError(f"unknown outcome {question.outcome!r}: known are {', '.join(known)}{nearest(column, known)}")
    if question.age is not None and ("age" not in picks.columns or not 1 <= question.age <= 3):
        raise UserError(f"the age must be 1, 2 or 3, not {question.age}")
    kind = picks.schema.get("card")
    if not isinstance(kind, pl.Enum) or "offered" not in picks.columns:
        raise UserError("this game records no cards in hand with its picks, so that they cannot be compared")
    if question.card is not None:
        _named(question.card, kind.categories.to_list())


def _named(card: str, names: Sequence[str]) -> str:
    """Return the name of a card as the tables write it."""
    by_lower = {name.lower(): name for name in names}
    if card.lower() not in by_lower:
        raise UserError(f"unknown card {card!r}{nearest(card, names)}")
    return by_lower[card.lower()]


def _answer(run: Run, question: PickQuestion, seconds: float) -> PickExperiment:
    import polars as pl

    picks, seats = run.picks, run.seats
    if question.age is not None:
        picks = picks.filter(pl.col("age") == question.age)
    outcome = OUTCOMES.get(question.outcome, question.outcome)
    parts = []
    for action in question.actions:
        table = pick_effects(
            picks,
            seats,
            action,  # type: ignore[arg-type]  # checked by PickQuestion, as is the comparison
            outcome=outcome,
            against=question.against,  # type: ignore[arg-type]
            level=question.confidence,
        )
        frame = table.frame.select(pl.lit(action).alias("action"), pl.all())
        if question.card is not None:
            frame = frame.filter(pl.col("card").cast(pl.String) == _named(question.card, frame["card"].to_list()))
        parts.append(frame.filter(pl.col("effective") >= question.fewest))
    effects = pl.concat(parts).with_columns(pl.col("card").cast(pl.String))
    effects = effects.with_columns(q=nulls(benjamini_hochberg(effects["p"].fill_null(float("nan")).to_numpy())))
    return PickExperiment(
        plan=run.plan,
        question=question,
        estimand=_sentence(question),
        games=run.games,
        seconds=seconds,
        effects=effects.sort("effect", "card", descending=[True, False], nulls_last=True),
        complete=run.complete,
    )


def _sentence(question: PickQuestion) -> str:
    """Say what an effect is."""
    other = "makes a uniformly drawn other legal move" if question.against == "others" else "follows its policy"
    when = "turns" if question.age is None else f"turns of age {question.age}"
    outcome = {"score": "score", "win": "win share"}.get(question.outcome, question.outcome)
    doing = " / ".join(question.actions)
    return (
        f"Over the {when} on which a seat could {doing} the card, its mean final {outcome} if it does so (a way to pay "
        f"drawn uniformly) less its mean final {outcome} if it {other}, everybody playing on as in this experiment."
    )
