"""Hand-written files are checked completely: all mistakes of a goal, a learning plan, a plan, weights, a position."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wsim import Game, Plan, UserError
from wsim.balance.goal import Target, as_goal
from wsim.learn.plan import LearningPlan, Round
from wsim.options import Options, option

GOAL = {
    "plan": {"players": 4, "seed": 3},
    "target": [{"of": "wonder", "withn": 0.1, "relative": "much"}, {"of": "wonder", "within": 0.1, "at_least": 0.2}],
    "knob": [{"path": "cards.*.points"}, {"path": "cards.*.points", "range": "-1..1", "touch": -1}],
    "search": {"games": 0, "alpha": 2, "rounds": 2**70},
    "targets": [],
}
LEARNING = {
    "colour": 1, "seed": "one",
    "table": [{"players": 4}, {"ruleset": "1e", "players": 2.5}],
    "round": [{"decision": 10, "decisions": 10, "explore": float("nan"), "shares": {"1e-4": "all"}}],
    "judge": "nobody", "fitting": {"rate": True},
}  # fmt: skip
WEIGHTS = "[one]\nshild = 1.0\ncoin = 'many'\n[two]\nextends = 'nothing'\n[three]\nextends = 'one'\nshield = inf\n"


def told(what: Any) -> list[str]:
    with pytest.raises(UserError) as refused:
        what()
    lines = str(refused.value).split("\n")
    assert all(line.startswith("also: ") for line in lines[1:])
    return [line.removeprefix("also: ") for line in lines]


def test_mistakes_in_a_goal_are_reported() -> None:
    assert [line.partition(": ")[2] for line in told(lambda: as_goal(GOAL))] == [
        (
            "unknown section 'targets' (did you mean 'target'?); "
            "accepted: players, plan, setting, target, knob, keep, search"
        ),
        "'seed' is not a key of a setting: the search decides how games are played",
        f"unknown key of a target 'withn' (did you mean 'within'?); accepted: {', '.join(Target.__dataclass_fields__)}",
        "target.relative must be a number, not 'much'",
        "the target 'win of wonder' needs either within (or relative), or at_least and at_most",
        "a knob needs a range, such as path = 'cards.*.points', range = '-2..2'",
        "the knob 'cards.*.points' has touch = -1 and step = 0.35: neither may be below 0",
        f"search.rounds must be a number, not {2**70}",
    ]
    again = told(lambda: as_goal({**GOAL, "search": {"games": 0, "alpha": 2}}))
    assert [line.partition(": ")[2] for line in again[-2:]] == [
        "search.games must be at least 1, not 0",
        "search.alpha must be between 0 and 0.5, not 2",
    ]


def test_mistakes_in_a_learning_plan_are_reported() -> None:
    assert told(lambda: LearningPlan.restore(LEARNING, "l.toml")) == [
        "l.toml: a table lacks ruleset",
        "l.toml: table.players must be a whole number, not 2.5",
        "l.toml: unknown key of a round 'decision' (did you mean 'decisions'?); accepted: "
        + ", ".join(Round.__dataclass_fields__),
        "l.toml: round.explore must be a number, not nan",
        "l.toml: round.shares must be a table of numbers, not one with 'all'",
        "l.toml: judge must be written as rows, [[judge]]",
        "l.toml: fitting.rate must be a number, not True",
        "l.toml: unknown key of a file 'colour'; accepted: game, seed, start, gap, cards, patch, set",
        "l.toml: seed must be a whole number, not 'one'",
    ]


def test_mistakes_in_a_plan_are_reported() -> None:
    lines = told(lambda: Plan.make(players="four", games=0, sed=1, set=["points"]))
    assert lines[0].startswith("unknown plan key 'sed'")
    assert lines[1:] == [
        "games must be at least 1, not 0",
        "set must be path=value, such as cards.Palace.points=6, not 'points'",
        "players must be a whole number, not 'four'",
    ]


def test_mistakes_in_weights_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    file.write_text(WEIGHTS)
    plan = Plan.make(policies=[f"weighted:file={file}:set=three"])
    from wsim.game import find_game

    lines = told(lambda: find_game(plan.game).prepare(plan))
    assert len(lines) == 4
    for line, words in zip(lines, ("'shild'", "'coin'", "'nothing'", "'shield'"), strict=True):
        assert words in line


def test_mistakes_in_a_position_are_reported() -> None:
    head = {"format": "wsim-position/9", "plann": {}, "plan": [], "steps": {}, "number": "one", "game": 5}
    assert len(told(lambda: Game.from_json(json.dumps(head)))) == 6


def test_mistakes_in_options_are_reported() -> None:
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Two(Options):
        one: int = option("One.", 1)
        other: bool = option("Other.", False)

    assert told(lambda: Two("a", 3)) == [  # type: ignore[arg-type]
        "one must be a whole number, not 'a'",
        "other must be true or false, not 3",
    ]
