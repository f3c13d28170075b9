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
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.comparisons.metrics import SHORT, measures_of, words_of
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted, Progress
from wsim.lab.run import record
from wsim.lab.store import Run
from wsim.stats.intervals import benjamini_hochberg, check_level, nulls

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import PickExperiment as Picks
    from wsim.game import Simulator

__all__ = ["PickExperiment", "PickQuestion", "experiment_picks", "play_experiment", "randomised"]

FORMAT = "wsim-picks/2"
GAMES = 20_000


@dataclass(frozen=True)
class PickQuestion:
    """What is asked of the picks.

    Attributes
    ----------
    actions: what is done with a card, from those of the game; None for its usual ones.
    outcome: ``score``, ``win``, or another number of the seats table.
    against: ``others``, a uniformly drawn other legal move, or ``policy``, what the policy wants.
    card: this card only; None for all.
    age: this age only; None for all.
    level: confidence level of the intervals.
    fewest: what was effectively done less often is left out: its interval would be worth nothing. What was drawn less
        often against the policy's will is called rare.
    """

    actions: tuple[str, ...] | None = None
    outcome: str = "score"
    against: str = "others"
    card: str | None = None
    age: int | None = None
    level: float = 0.95
    fewest: int = 30

    def __post_init__(self) -> None:
        if self.against not in ("others", "policy"):
            raise UserError(f"a pick is compared against others or policy, not {self.against!r}")
        check_level(self.level)

    def of(self, picks: Picks) -> PickQuestion:
        """Return the question with the game's usual actions for none; raise UserError for what the game has not."""
        actions = tuple(picks.usual or picks.actions) if self.actions is None else self.actions
        known = ", ".join(picks.actions)
        if not actions:
            raise UserError(f"name at least one action: {known}")
        for action in actions:
            if action not in picks.actions:
                raise UserError(f"unknown action {action!r}: known are {known}{nearest(action, picks.actions)}")
        if self.age is not None and self.age not in picks.ages:
            ages = " or ".join(", ".join(map(str, picks.ages)).rsplit(", ", 1))
            raise UserError(f"the age must be {ages}, not {self.age}" if ages else "this game has no ages")
        return replace(self, actions=actions)


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
        worth as much), drawn (picks that the policy did not want, of the arm that has fewer), taken and otherwise (mean
        outcomes), effect with effect_low and effect_high (clustered by game), p, q (Benjamini-Hochberg over all rows),
        and rare (drawn fewer times than ``fewest``: the interval is too short).
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
        return {
            "format": FORMAT,
            "estimand": self.estimand,
            "question": asdict(self.question),
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
    actions: Sequence[str] | None = None,
    outcome: str = "score",
    against: str = "others",
    card: str | None = None,
    age: int | None = None,
    level: float = 0.95,
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
    actions, outcome, against, card, age, level, fewest: see ``PickQuestion``.
    folder: keep the run here; without it only the answer is kept.

    Raises UserError for whatever cannot be played or asked, Interrupted on Ctrl-C with the answer so far.
    """
    done = None if actions is None else tuple(actions)
    question = PickQuestion(done, outcome, against, card, age, level, fewest)
    chosen = Plan.make(**{"games": GAMES, **keys}) if plan is None else plan.replace(**keys)
    return play_experiment(randomised(chosen, randomise), question, folder, threads=threads)


def randomised(plan: Plan, randomise: float | str) -> Plan:
    """Return the plan with randomised and recorded picks; raise UserError if its game cannot randomise them."""
    picks = _picks_of(plan.game)
    chances = str(randomise).split(",")
    try:
        none = not any(float(chance) > 0 for chance in chances)
    except ValueError:
        none = False  # the game says what is wrong with it
    if none:
        raise UserError(f"an experiment needs a chance above 0 that a pick is random, not {randomise!r}")
    return picks.randomise(plan, str(randomise))


def _picks_of(game: str) -> Picks:
    """Return how randomised picks of a game are compared; raise UserError if they cannot be."""
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
    threads: int | None = None,
    progress: Progress | None = None,
) -> PickExperiment:
    """Play a plan with randomised picks into a folder (None: a temporary one) and ask; see ``experiment_picks``."""
    asked = question.of(_picks_of(plan.game))
    simulator: Simulator = find_game(plan.game).prepare(plan)
    seats = simulator.seats_frame(np.zeros(0, simulator.row_dtype))
    _check_columns(asked, seats, simulator.picks_frame(np.zeros(0, simulator.pick_dtype)))
    with nullcontext(str(folder)) if folder is not None else TemporaryDirectory(prefix="wsim-picks-") as place:
        start = time.perf_counter()
        try:
            run = record(plan, place, resume=resume, threads=threads, progress=progress).run
        except Interrupted as interrupt:
            seconds = time.perf_counter() - start
            some = interrupt.result is not None and interrupt.result.run.games
            raise Interrupted(_answer(interrupt.result.run, asked, seconds) if some else None) from None
        return _answer(run, asked, time.perf_counter() - start)


def _check_columns(question: PickQuestion, seats: pl.DataFrame, picks: pl.DataFrame) -> None:
    """Raise UserError for a question that these tables cannot answer, before any game is played."""
    import polars as pl

    column, numbers = SHORT.get(question.outcome, question.outcome), measures_of(seats)
    if column not in numbers:
        known = [*SHORT, *(name for name in numbers if ":" not in name)]
        raise UserError(f"unknown outcome {question.outcome!r}: known are {', '.join(known)}{nearest(column, known)}")
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
    """Ask the games of a run, finished or not."""
    import polars as pl

    picks, seats = run.picks, run.seats
    if question.age is not None:
        picks = picks.filter(pl.col("age") == question.age)
    estimate, actions = _picks_of(run.plan.game).effects, question.actions or ()
    outcome = SHORT.get(question.outcome, question.outcome)
    parts = []
    for action in actions:
        table = estimate(picks, seats, action, outcome, question.against, question.level)
        frame = table.frame.select(pl.lit(action).alias("action"), pl.all())
        if question.card is not None:
            frame = frame.filter(pl.col("card").cast(pl.String) == _named(question.card, frame["card"].to_list()))
        frame = frame.filter(pl.col("effective") >= question.fewest)
        parts.append(frame.with_columns(rare=pl.col("drawn") < question.fewest))
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
    outcome = words_of(SHORT.get(question.outcome, question.outcome))
    doing = " / ".join(question.actions or ())
    return (
        f"Over the {when} on which a seat could {doing} the card, its mean final {outcome} if it does so (a way to pay "
        f"drawn uniformly) less its mean final {outcome} if it {other}, everybody playing on as in this experiment."
    )
