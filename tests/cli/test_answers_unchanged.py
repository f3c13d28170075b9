"""The same questions give the same answers: the output of commands at 46e67a1, with the smallest possible budgets.

Whole numbers and words are compared exactly, fractions to 12 digits (the last ones depend on the processor); values
that vary between runs (seconds, versions, digests of source code) are left out on both sides. An answer may change only
on purpose, with the reason in the commit: ``WSIM_RENEW_ANSWERS=1 pytest tests/cli/test_answers_unchanged.py -m ""``
records the current output, and the diff to the previous commit shows each changed figure.
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command

RECORDINGS = Path(__file__).parents[1] / "data" / "answers"
RENEW = bool(os.environ.get("WSIM_RENEW_ANSWERS"))
VERSIONS = re.compile(r"\b\d+\.\d+\.\d+\b|engine [0-9a-f]{16}")  # in text: of wsim and others, of the source code
PASSING = {"seconds", "wsim", "software", "engine", "digest", "digests", "microseconds", "games_a_second"}
PASSING |= {"asked"}  # newer than the recordings: the question, by which an answer is repeated

GOALS = {
    "sides.toml": """
[plan]
players = 3
policies = "balanced"
[[target]]
metric = "win"
of = "wonder,side"
only = "Rhodos B"
within = 0.06
[[knob]]
path = "wonders.Rhodos.sides.B.*.points"
range = "-2..0"
[[knob]]
path = "wonders.Rhodos.sides.B.1.cost.coins"
range = "0..1"
absolute = true
[[keep]]
metric = "score"
within = 2.0
[search]
games = 3000
picks = 1000
replays = 400
rounds = 1
proposals = 3
proof_games = 9000
""",
    "guild.toml": """
[plan]
players = 3
policies = "greedy"
[[target]]
card = "Scientists Guild"
action = "build"
against = "others"
metric = "score"
value = 0.0
within = 4.0
[[knob]]
path = "cards.Scientists Guild.cost.coins"
range = "0..1"
[search]
picks = 5000
replays = 200
rounds = 1
proposals = 2
proof_games = 8000
""",
}

# By group, which shares a folder and runs in order; ``cat FILE`` reads what a command before it wrote, and what a
# command called ``make`` prints is not recorded.
QUESTIONS = {
    "tables": {
        "run": "run --games 400 --seed 7 --policies balanced,science,military,greedy --out four",
        "list": "table four",
        "policies": "table four policies",
        "cards": "cards four --top 12",
        "cards by policy": "cards four --by policy --top 12",
        "cards within wonders": "cards four --by wonder,side --top 6",
        "wonders": "wonders four",
        "wonders by policy": "wonders four --by policy,wonder --top 6 --level 0.9",
        "synergies": "synergies four --top 6",
        "chains": "synergies four --chains --top 6",
        "variance": "variance four",
        "strengths": "strengths four",
        "matchups": "matchups four",
        "crowding": "matchups four --crowding",
        "calibrate": "calibrate four --top 6",
        "make dear": "run --games 400 --seed 7 --policies balanced,science,military,greedy --set cards.Palace.points=12"
        " --out dear --quiet",
        "compare": "compare four dear --metric score --metric win:balanced --metric owner:Palace",
        "compare all": "compare four dear --top 20",
        "rerun": "rerun dear",
        "verify": "verify dear",
    },
    "tables of sums": {
        "run": "run --games 300 --seed 7 --policies net --ruleset 2e-cities --players 5 --keep summary --out sums",
        "cards": "cards sums --top 12",
        "wonders": "wonders sums --top 12",
        "make rows": "run --games 300 --seed 7 --policies net --ruleset 2e-cities --players 5 --picks --out rows",
        "cards of rows": "cards rows --top 12",
        "variance": "variance rows",
        "list": "table rows",
    },
    "tables of babel": {
        "run": "run --games 300 --seed 7 --game tower_of_babel --out babel",
        "list": "table babel",
        "policies": "table babel policies",
        "strengths": "strengths babel",
        "matchups": "matchups babel",
    },
    "whatif": {
        "set": "whatif --set cards.Palace.points=5 --metric built:Palace --budget 600 --policies balanced -o set.json",
        "rerun": "rerun set.json",
        "sweep": 'whatif --sweep "cards.Palace.points=4,8" --players 3 --budget 400 --policies greedy',
        "ban": "whatif --ban stages --ban trade --budget 200 --policies balanced --players 3",
        "ban one seat": "whatif --ban sell --seat 1 --budget 200 --policies greedy --players 3 --metric win:Rhodos",
        "babel": "whatif --game tower_of_babel --action-cards false --set babel.rules.use_two_colour_discs=true"
        " --budget 200 --margin 0.5",
    },
    "match": {
        "pair": "match balanced military --budget 200 -o pair.json",
        "rerun": "rerun pair.json",
        "round robin": "match balanced military greedy --round-robin --budget 100 --players 3",
        "mixed": "match balanced science greedy --budget 60 --players 3 --spending obrien_fleming",
        "teams and two": "match greedy rulebased --ruleset 2e-cities-teams,1e-duo --budget 100",
        "within": "match random greedy --players 3 --within 0.05 --budget 300",
        "babel": "match builder collector --game tower_of_babel --budget 100",
    },
    "skill": {
        "cards": "skill cards --games 200 --ladder random,greedy --players 3",
        "wonders": "skill wonders --games 200 --ladder random,greedy,balanced --between greedy,balanced --players 3",
        "babel": "skill --game tower_of_babel --games 60 --ladder random,greedy",
    },
    "picks": {
        "actions": "experiment picks --games 500 --players 3 --policies greedy --action build,sell --top 8",
        "policy": "experiment picks --games 500 --players 3 --policies greedy --against policy --outcome win --top 8",
        "target": "experiment picks --games 300 --players 3 --policies greedy --action build --target 0"
        ' --sweep "cards.Scientists Guild.cost.coins=0,6" --card "Scientists Guild"',
    },
    "traces": {
        "json": "trace --players 3 --policies balanced --seed 7 --format json",
        "text": "trace --players 3 --policies balanced --seed 7 --format text",
        "two": "trace --ruleset 1e-duo --policies net --seed 7 --format text",
        "cities in teams": "trace --ruleset 2e-cities-teams --policies greedy --seed 7 --format text",
        "cities": "trace --ruleset 2e-cities --players 3 --policies balanced --seed 7 --format json",
        "babel, json": "trace --game tower_of_babel --players 3 --seed 7 --format json",
        "babel, text": "trace --game tower_of_babel --players 4 --seed 7 --format text",
    },
    "why": {
        "make few": "run --games 20 --seed 7 --policies balanced,science,military,greedy --out few",
        "advise": "advise few 17 --age 2 --turn 1 --seat 0 --playouts 40",
        "text": "trace few 17 --format text --why 2 --playouts 20",
        "json": "trace few 17 --format json --why 2 --playouts 20",
        "make babel": "run --games 20 --seed 7 --game tower_of_babel --players 3 --policies builder --out babel",
        "babel, advise": "advise babel 17 --turn 5 --seat 0 --playouts 20",
        "babel, text": "trace babel 17 --format text --why 1 --playouts 10",
    },
    "sensitivity": {
        "sides": "sensitivity sides.toml --every",
        "guild": "sensitivity guild.toml",
    },
    "balance": {
        "sides": "balance sides.toml -o sides-patch.toml",
        "patch": "cat sides-patch.toml",
        "carry": "balance sides.toml --carry sides-patch.toml --player greedy --style military --elsewhere-games 2000",
        "guild": "balance guild.toml -o guild-patch.toml",
    },
    "tune": {
        "weights": "tune weighted --start military --only war,shield --generations 2 --candidates 4 --games 120"
        " --held-out 300 --judges greedy --players 3 --out mine",
        "file": "cat mine/weights.toml",
    },
    "learn": {
        "net": "learn --game tower_of_babel --decisions 600 --players 3 -o learned",
    },
}
SLOW = {"sensitivity", "balance", "learn", "tune"}


def lasting(value: Any) -> Any:
    """Return ``value`` without the entries that vary between runs."""
    if isinstance(value, dict):
        kept = {key: lasting(part) for key, part in value.items() if key not in PASSING}
        return {key: "sha256" if str(part).startswith("sha256:") else part for key, part in kept.items()}
    return [lasting(part) for part in value] if isinstance(value, list) else value


def said(command: Command, words: str) -> dict[str, Any]:
    """Return the exit code of a command and its output: JSON, JSON lines or lines of text."""
    first, *rest = shlex.split(words)
    if first == "cat":
        return {"exit": 0, "said": Path(rest[0]).read_text(encoding="utf-8").splitlines()}
    as_json = [] if first == "trace" else ["--json"]
    answer = command(first, *rest, *as_json)
    assert answer.out, answer.err
    lines = answer.out.splitlines()
    if "text" in rest:
        return {"exit": answer.code, "said": lines}
    told = [json.loads(answer.out)] if as_json else [json.loads(line) for line in lines]
    return {"exit": answer.code, "said": lasting(told[0] if len(told) == 1 else told)}


def differences(found: Any, kept: Any, place: str = "") -> list[str]:
    """Return the paths at which two answers differ."""
    if isinstance(found, dict) and isinstance(kept, dict):
        names = [*kept, *(name for name in found if name not in kept)]
        return [
            line
            for name in names
            for line in differences(found.get(name, "(missing)"), kept.get(name, "(missing)"), f"{place}/{name}")
        ]
    if isinstance(found, list) and isinstance(kept, list) and len(found) == len(kept):
        return [line for i in range(len(kept)) for line in differences(found[i], kept[i], f"{place}/{i}")]
    if isinstance(found, float) and isinstance(kept, float):
        same = math.isclose(found, kept, rel_tol=1e-12, abs_tol=1e-12)
    elif isinstance(found, str) and isinstance(kept, str):
        same = VERSIONS.sub("", found) == VERSIONS.sub("", kept)
    else:
        same = type(found) is type(kept) and found == kept
    return [] if same else [f"{place}: {str(found)[:200]!r}, was {str(kept)[:200]!r}"]


def packed(value: Any) -> Any:
    """Return ``value`` with each list of records of one kind as columns and rows."""
    if isinstance(value, dict):
        return {key: packed(part) for key, part in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) > 1 and all(isinstance(one, dict) and list(one) == list(value[0]) for one in value):
        return {"columns": list(value[0]), "rows": [[packed(part) for part in one.values()] for one in value]}
    return [packed(part) for part in value]


def unpacked(value: Any) -> Any:
    """Undo ``packed``."""
    if isinstance(value, dict):
        if list(value) == ["columns", "rows"]:
            return [dict(zip(value["columns"], map(unpacked, row), strict=True)) for row in value["rows"]]
        return {key: unpacked(part) for key, part in value.items()}
    return [unpacked(part) for part in value] if isinstance(value, list) else value


def written(value: Any, indent: str = "\n") -> str:
    """Return JSON with one line per record and row, so that diffs are readable."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) < 100 or not isinstance(value, dict | list) or (isinstance(value, list) and not _nested(value)):
        return line
    deeper = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {written(part, deeper)}" for key, part in value.items()]
        return "{" + deeper + ("," + deeper).join(parts) + indent + "}"
    return "[" + deeper + ("," + deeper).join(written(part, deeper) for part in value) + indent + "]"


def _nested(value: list[Any]) -> bool:
    return any(isinstance(part, dict | list) or (isinstance(part, str) and len(part) > 30) for part in value)


@pytest.mark.slow
@pytest.mark.parametrize("group", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in QUESTIONS])
def test_answers_match_commit_46e67a1(
    group: str, wsim_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if group == "tune":
        pytest.importorskip("cmaes", reason="needs wsim[learn]")
    monkeypatch.chdir(tmp_path)
    for name, text in GOALS.items():
        Path(name).write_text(text, encoding="utf-8")
    found = {name: said(wsim_command, words) for name, words in QUESTIONS[group].items()}
    recording = RECORDINGS / f"{group.replace(' ', '_')}.json"
    found = {name: answer for name, answer in found.items() if not name.startswith("make ")}
    if RENEW:
        recording.write_text(written(packed(found)) + "\n", encoding="utf-8")
    kept = unpacked(json.loads(recording.read_text(encoding="utf-8")))
    assert differences(found, kept) == []


def test_differences_between_answers_are_named_by_path() -> None:
    kept = {"n": 3, "share": 0.25, "rows": [{"card": "Altar", "n": 1}, {"card": "Baths", "n": 2}]}
    found = {"n": 3.0, "share": 0.25 + 1e-15, "rows": [{"card": "Altar", "n": 1}, {"card": "Baths", "n": 3}], "new": 1}
    assert unpacked(packed(kept)) == kept
    assert json.loads(written(packed(kept))) == packed(kept)
    assert [line.split(":")[0] for line in differences(found, kept)] == ["/n", "/rows/1/n", "/new"]
    assert lasting({"seconds": 1.5, "games": 2}) == {"games": 2}
