"""Answers (what-if, pick experiments, matches, skill) played again from what they tell of themselves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.experiments.answer import FORMAT as WHATIF
from wsim.experiments.arms import repeated
from wsim.experiments.match_question import MatchQuestion
from wsim.experiments.matches.answer import FORMAT as MATCH
from wsim.experiments.matches.playing import play_match
from wsim.experiments.matches.tables import made_ready
from wsim.experiments.picks import FORMAT as PICKS
from wsim.experiments.picks import play_experiment
from wsim.experiments.picks_question import PickQuestion
from wsim.experiments.question import Question
from wsim.experiments.skill import play_skill
from wsim.experiments.skill_answer import FORMAT as SKILL
from wsim.experiments.skill_question import SkillQuestion
from wsim.experiments.whatif import decide
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.lab.provenance import Provenance
from wsim.lab.rerun import SHOWN, Rerun, unlike

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.progress import Progress

__all__ = ["ANSWERS", "answer_plan", "rerun_answer"]

ROWS = {WHATIF: "effects", PICKS: "effects", MATCH: "pairs", SKILL: "figures"}
"""The answers, by what they are called, and where each has its figures."""
ANSWERS = tuple(ROWS)
_PASSING = ("seconds", "costs", "baseline", "made", "digests")  # how long it took, and what is compared by itself
_BY_HAND = "it was stopped by hand, and the repetition ended by itself"


def answer_plan(told: Mapping[str, Any], places: Mapping[str, str]) -> Plan:
    """Return the plan of an answer (of a what-if: the baseline's); raise UserError for a damaged one.

    That of a match or of a ladder has a seat for each of the policies that take part.

    ``places``: where the files lie that it names, if not where their names say.
    """
    plan: Plan = _sound(lambda: Plan.restore(_flat_plan(told), places))
    return plan


def _flat_plan(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the plan of an answer as it is told; KeyError, TypeError, IndexError for a damaged one."""
    if told["format"] == PICKS:
        return dict(told["plan"])
    if told["format"] == WHATIF:
        return dict(told["baseline"]["plan"])
    made, names = (told["made"], "policies") if told["format"] == MATCH else (told["made"][0], "rungs")
    return {**made["plan"], "policies": list(told[names]), "players": len(told[names])}


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
    told: the answer (``record`` of a WhatIf, PickExperiment, Match or Skill).
    again: makes of a recorded plan the one that is played.
    places: where the files lie that the plans name.

    Raises UserError for a damaged answer and for what cannot be played.
    """
    rows = ROWS[told["format"]]
    if rows not in told:
        raise UserError(f"these are rows without their answer (no {rows!r}): name the file that -o or --json wrote")
    ask = {WHATIF: _whatif, PICKS: _picks, MATCH: _match, SKILL: _skill}[told["format"]]
    return ask(_Repeated(told, again, places, threads, progress))


@dataclass(frozen=True)
class _Repeated:
    """An answer that is asked for again; what the fields mean: ``rerun_answer``."""

    told: Mapping[str, Any]
    again: Callable[[Plan], Plan]
    places: Mapping[str, str]
    threads: int | None
    progress: Progress | None

    def plan(self) -> Plan:
        """Return the plan that is played."""
        return self.again(answer_plan(self.told, self.places))


def _sound(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except UserError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise UserError(f"the answer is damaged: {type(error).__name__}: {error}") from error


def _whatif(one: _Repeated) -> Rerun:
    told = one.told
    question = _sound(lambda: Question(**told["question"]))
    before = _sound(lambda: Provenance.from_record(told["baseline"]))
    plan = one.plan()
    baseline: Simulator = find_game(plan.game).prepare(plan)
    variants = _sound(lambda: [repeated(variant, one.again, one.places, baseline) for variant in told["variants"]])
    if not variants:
        raise UserError("the answer is damaged: it has no variant")
    answer = decide(plan, baseline, variants, question, threads=one.threads, progress=one.progress)
    here = json.loads(json.dumps(answer.record()))
    found = _differences(told, here)
    deals = f"{answer.deals:,} deals of every arm, {_many(len(here['effects']), 'effect')}"
    return Rerun(deals, found, unlike(before, answer.baseline))


def _picks(one: _Repeated) -> Rerun:
    told = one.told
    question = _sound(lambda: PickQuestion(**told["question"] | {"actions": tuple(told["question"]["actions"])}))
    plan = one.plan()
    here = json.loads(json.dumps(play_experiment(plan, question, threads=one.threads, progress=one.progress).record()))
    rows = _sound(lambda: [_row(row) for row in told["effects"]])
    by_row = {_row(row): row for row in here["effects"]}
    shown = [by_row.get(row) for row in rows]  # the answer may show some rows only, sorted otherwise
    answered = {key: value for key, value in told.items() if key in here}  # beside it stand identity and notes
    found = _differences(answered, here | {"effects": shown})
    return Rerun(f"{here['games']:,} games, {_many(len(rows), 'effect')}", found, [])


def _match(one: _Repeated) -> Rerun:
    told = one.told
    question = _sound(lambda: MatchQuestion(**told["question"]))
    before = _sound(lambda: Provenance.from_record(told["made"]))
    digests = _sound(lambda: [digest for of_table in told["digests"].values() for digest in of_table])
    at = _sound(lambda: [(str(table["ruleset"]), int(table["players"])) for table in told["tables"]])
    plan = one.plan()
    names = plan.policies
    if not at or len(names) < 2:
        raise UserError("the answer is damaged: a match has a table and two policies at least")
    tables = [
        made_ready(
            plan.replace(ruleset=ruleset, players=players, policies=[names[0]]), names, round_robin=question.round_robin
        )
        for ruleset, players in at
    ]
    answer = play_match(tables, question, threads=one.threads, progress=one.progress)
    here = json.loads(json.dumps(answer.record()))
    now = [made.digest for table in tables for made in table.made]
    remarks = unlike(before, tables[0].made[0]) or _changed(digests, now)
    deals = f"{answer.deals:,} deals in every seating, {_many(len(here['pairs']), 'pair')}"
    return Rerun(deals, _differences(told, here), remarks)


def _skill(one: _Repeated) -> Rerun:
    told = one.told
    before = _sound(lambda: [Provenance.from_record(made) for made in told["made"]])
    asked, players = _sound(lambda: (dict(told["question"]), told["made"][0]["plan"]["players"]))
    plan = one.plan()
    lists = _sound(lambda: {"ladder": plan.policies, "between": tuple(asked["between"])})
    question = _sound(lambda: SkillQuestion(**asked | lists))
    answer = play_skill(
        plan.replace(players=players, policies=[plan.policies[0]]), question, threads=one.threads, progress=one.progress
    )
    here = json.loads(json.dumps(answer.record()))
    here["question"]["ladder"] = asked.get("ladder")  # it may have been left to wsim
    remarks = [remark for old, new in zip(before, answer.made, strict=False) for remark in unlike(old, new)]
    rungs = f"{answer.games:,} games at each of {_many(len(answer.rungs), 'rung')}"
    return Rerun(rungs, _differences(told, here), list(dict.fromkeys(remarks)))


def _changed(there: Sequence[str], here: Sequence[str]) -> list[str]:
    """Say whether what made the games of any policy was another, where that of the first was not."""
    return [] if list(there) == list(here) else ["a policy or a rule set was another"]


def _row(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what tells a row of a pick experiment apart; the value is that of a sweep."""
    return row.get("value"), row["action"], row["card"]


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _differences(told: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    """Say which values of two records differ."""
    one, other = (
        dict(_values({key: value for key, value in record.items() if key not in _PASSING})) for record in (told, here)
    )
    paths = [path for path in {**one, **other} if one.get(path) != other.get(path)]
    found = [f"{path} was {one.get(path)!r} and is {other.get(path)!r}" for path in paths]
    more = [f"{len(found) - SHOWN} more values differ"] if len(found) > SHOWN else []
    return [*([_BY_HAND] if told.get("stopped") == "interrupted" else []), *found[:SHOWN], *more]


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
