"""Answers of what-if and of pick experiments played again from what they tell of themselves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsim.comparisons.answer import FORMAT as WHATIF
from wsim.comparisons.arms import repeated
from wsim.comparisons.picks import FORMAT as PICKS
from wsim.comparisons.picks import PickQuestion, play_experiment
from wsim.comparisons.question import Question
from wsim.comparisons.whatif import decide
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.lab.provenance import Provenance
from wsim.lab.rerun import SHOWN, Rerun, unlike

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.progress import Progress

__all__ = ["ANSWERS", "answer_plan", "rerun_answer"]

ANSWERS = (WHATIF, PICKS)
_PASSING = ("seconds", "baseline")  # how long it took, and what is compared by itself


def answer_plan(told: Mapping[str, Any], places: Mapping[str, str]) -> Plan:
    """Return the plan of an answer (of a what-if: the baseline's); raise UserError for a damaged one.

    ``places``: where the files lie that it names, if not where their names say.
    """
    flat = _sound(lambda: told["baseline"]["plan"] if told["format"] == WHATIF else told["plan"])
    plan: Plan = _sound(lambda: Plan.restore(flat, places))
    return plan


def rerun_answer(
    told: Mapping[str, Any],
    again: Callable[[Plan], Plan],
    places: Mapping[str, str],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Rerun:
    """Ask again what an answer tells that was asked, and compare every number.

    Parameters
    ----------
    told: the answer (``WhatIf.record`` or ``PickExperiment.record``).
    again: makes of a recorded plan the one that is played.
    places: where the files lie that the plans name.

    Raises UserError for a damaged answer and for what cannot be played.
    """
    ask = _whatif if told["format"] == WHATIF else _picks
    return ask(told, again, places, threads, progress)


def _sound(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except UserError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise UserError(f"the answer is damaged: {type(error).__name__}: {error}") from error


def _whatif(
    told: Mapping[str, Any],
    again: Callable[[Plan], Plan],
    places: Mapping[str, str],
    threads: int | None,
    progress: Progress | None,
) -> Rerun:
    question = _sound(lambda: Question(**told["question"]))
    before = _sound(lambda: Provenance.from_record(told["baseline"]))
    plan = again(answer_plan(told, places))
    baseline: Simulator = find_game(plan.game).prepare(plan)
    variants = _sound(lambda: [repeated(one, again, places, baseline) for one in told["variants"]])
    if not variants:
        raise UserError("the answer is damaged: it has no variant")
    answer = decide(plan, baseline, variants, question, threads=threads, progress=progress)
    here = json.loads(json.dumps(answer.record()))
    found = _differences(told, here)
    if told.get("stopped") == "interrupted":
        found.insert(0, "it was stopped by hand, and the repetition ended by itself")
    deals = f"{answer.deals:,} deals of every arm, {_effects(len(here['effects']))}"
    return Rerun(deals, found, unlike(before, answer.baseline))


def _picks(
    told: Mapping[str, Any],
    again: Callable[[Plan], Plan],
    places: Mapping[str, str],
    threads: int | None,
    progress: Progress | None,
) -> Rerun:
    question = _sound(lambda: PickQuestion(**told["question"] | {"actions": tuple(told["question"]["actions"])}))
    plan = again(answer_plan(told, places))
    here = json.loads(json.dumps(play_experiment(plan, question, threads=threads, progress=progress).record()))
    rows = _sound(lambda: [_row(row) for row in told["effects"]])
    by_row = {_row(row): row for row in here["effects"]}
    shown = [by_row.get(row) for row in rows]  # the answer may show some rows only, sorted otherwise
    answered = {key: one for key, one in told.items() if key in here}  # beside it stand identity and notes
    found = _differences(answered, here | {"effects": shown})
    return Rerun(f"{here['games']:,} games, {_effects(len(rows))}", found, [])


def _row(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what tells a row of a pick experiment apart; the value is that of a sweep."""
    return row.get("value"), row["action"], row["card"]


def _effects(count: int) -> str:
    return f"{count} effect{'' if count == 1 else 's'}"


def _differences(told: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    """Say which values of two records differ."""
    one, other = (
        dict(_values({key: value for key, value in record.items() if key not in _PASSING})) for record in (told, here)
    )
    paths = [path for path in {**one, **other} if one.get(path) != other.get(path)]
    found = [f"{path} was {one.get(path)!r} and is {other.get(path)!r}" for path in paths]
    return [*found[:SHOWN], *([f"{len(found) - SHOWN} more values differ"] if len(found) > SHOWN else [])]


def _values(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of a JSON object by their paths."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _values(one, f"{path}.{key}" if path else str(key))
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for place, one in enumerate(value):
            yield from _values(one, f"{path}[{place}]")
    else:
        yield path, value
