"""``wsim rerun`` of answers of ``wsim match`` and ``wsim skill``: equal results, and named differences."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tests.tiers import first_quick

LUCK = ("--game", "luck", "--threads", "1", "--luck", "hash", "--quiet")
MATCH = ("match", *LUCK, "p:skill=3", "p", "p:skill=1", "--budget", "200")
DUEL = ("match", *LUCK, "p:skill=3", "p", "--rulesets", "one,two", "--budget", "100", "--within", "0.01")
SKILL = ("skill", "charms", *LUCK, "--ladder", "p,p:charm=3,p:charm=40", "--games", "300")
ROUND_ROBIN = (*MATCH, "--round-robin", "--players", "2..3", "--seed", "4")
BETWEEN = (*SKILL, "--between", "p,p:charm=3", "--level", "0.9", "--players", "5")
STOPPED = "it was interrupted, but the repetition was not"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "name", "said"),
    [
        (MATCH, "a.json", "200 deals in every seating, 3 pairs"),
        (SKILL, "a.json", "300 games at each of 3 levels"),
        (MATCH, "a.parquet", "200 deals in every seating, 3 pairs"),
        (SKILL, "a.parquet", "300 games at each of 3 levels"),
        (DUEL, "a.parquet", "200 deals in every seating, 2 pairs"),
        (ROUND_ROBIN, "a.json", "400 deals in every seating, 6 pairs"),
        (BETWEEN, "a.json", "300 games at each of 3 levels"),
    ],
)
def test_an_answer_can_be_repeated(wsim_command: Command, words: tuple[str, ...], name: str, said: str) -> None:
    assert wsim_command(*words, "-o", name).code == 0
    answer = wsim_command("rerun", name)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == f"{name} repeated is the same: {said}\n"


@pytest.mark.slow
def test_repeating_a_match_folder_leaves_it_unchanged(wsim_command: Command) -> None:
    assert wsim_command(*DUEL, "-o", "kept").code == 0
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    answer = wsim_command("rerun", "kept", "--json")
    assert json.loads(answer.out)["identical"] is True
    assert wsim_command("rerun", "kept/match.json").code == 0
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def edited(words: tuple[str, ...], command: Command, change: Callable[[Any], None]) -> list[str]:
    """Edit an answer, repeat it and return the messages."""
    command(*words, "-o", "a.json")
    told = json.loads(Path("a.json").read_text())
    change(told)
    Path("a.json").write_text(json.dumps(told))
    answer = command("rerun", "a.json")
    assert (answer.code, answer.err) == (1, "")
    return answer.out.splitlines()[1:]


@pytest.mark.slow
def test_an_edited_match_is_detected(wsim_command: Command) -> None:
    def change(told: Any) -> None:
        told["pairs"][1]["win_share"] = 0.5
        told["ratings"][0]["strength"] = 2.0

    first, second = edited(MATCH, wsim_command, change)
    assert first.startswith("  pairs[1].win_share was 0.5 and is 0.")
    assert second.startswith("  ratings[0].strength was 2.0 and is ")


def test_an_edited_skill_answer_is_detected(wsim_command: Command) -> None:
    (line,) = edited(SKILL, wsim_command, lambda told: told["changes"][0].update(verdict="unclear"))
    assert line == "  changes[0].verdict was 'unclear' and is 'higher'"


@pytest.mark.slow
@pytest.mark.parametrize("words", [MATCH, SKILL])
def test_an_interrupted_answer_is_not_reported_as_identical(wsim_command: Command, words: tuple[str, ...]) -> None:
    first, *_ = edited(words, wsim_command, lambda told: told.update(stopped="interrupted"))
    assert first == f"  {STOPPED}"


@pytest.mark.slow
def test_a_different_version_is_reported_but_is_not_a_difference(
    wsim_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    wsim_command(*MATCH, "-o", "m.json")
    wsim_command(*SKILL, "-o", "s.json")
    monkeypatch.setattr("wsim.version.__version__", "9.9")
    for name in ("m.json", "s.json"):
        answer = wsim_command("rerun", name)
        assert answer.code == 0
        assert answer.out.count(" and is '9.9'") >= 1


@pytest.mark.slow
def test_changed_code_of_the_second_policy_is_reported(wsim_command: Command) -> None:
    wsim_command(*MATCH, "-o", "m.json")
    told = json.loads(Path("m.json").read_text())
    (digests,) = told["digests"].values()
    digests[1] = "0" * 16
    Path("m.json").write_text(json.dumps(told))
    answer = wsim_command("rerun", "m.json")
    assert (answer.code, answer.out.splitlines()[1:]) == (0, ["  a policy or a rule set was different"])


@first_quick(
    2,
    ("words", "change", "sentence"),
    [
        (MATCH, {"made": None}, "the answer is damaged: TypeError: "),
        (MATCH, {"policies": 5}, "the answer is damaged: TypeError: "),
        (MATCH, {"policies": ["p"]}, "the answer is damaged: a match needs a table and at least two policies"),
        (MATCH, {"policies": ["p", "q"]}, "unknown policy 'q'"),
        (MATCH, {"tables": []}, "the answer is damaged: a match needs a table and at least two policies"),
        (MATCH, {"tables": [{"ruleset": "one"}]}, "the answer is damaged: KeyError: 'players'"),
        (MATCH, {"digests": 5}, "the answer is damaged: AttributeError: "),
        (MATCH, {"question": {"budgie": 1}}, "the answer is damaged: TypeError: "),
        (MATCH, {"question": {"budget": 1}}, "the budget must be a whole number of games, at least 2, not 1"),
        (SKILL, {"made": []}, "the answer is damaged: IndexError: "),
        (SKILL, {"rungs": None}, "the answer is damaged: TypeError: "),
        (SKILL, {"rungs": ["p"]}, "a ladder needs at least two policies"),
        (
            SKILL,
            {"question": {"what": "charms", "between": [], "level": 7}},
            "a confidence level must be between 0 and 1, not 7",
        ),
        (SKILL, {"question": {"what": "charms", "between": 7}}, "the answer is damaged: TypeError: "),
    ],
)
def test_a_damaged_answer_is_reported_in_one_sentence(
    wsim_command: Command, words: tuple[str, ...], change: dict[str, Any], sentence: str
) -> None:
    wsim_command(*words, "-o", "a.json")
    Path("a.json").write_text(json.dumps(json.loads(Path("a.json").read_text()) | change))
    answer = wsim_command("rerun", "a.json")
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert answer.err.startswith(f"wsim: {sentence}")


def test_rows_without_an_answer_and_unfinished_matches_are_reported(wsim_command: Command) -> None:
    for words in (MATCH, SKILL):
        wsim_command(*words, "--parquet", "rows.parquet")
        answer = wsim_command("rerun", "rows.parquet")
        assert (answer.code, answer.out) == (2, "")
        assert answer.err.startswith("wsim: this file contains only rows, not the answer (no '")
    Path("kept").mkdir()
    Path("kept/match.json").write_text('{"stopped": "waiting"}')
    for name in ("kept", "kept/match.json"):
        answer = wsim_command("rerun", name)
        assert (answer.code, answer.out) == (2, "")
        assert answer.err == "wsim: 'kept/match.json' has no answer yet: continue the match with --resume\n"
    assert (
        wsim_command("rerun", "kept", "-o", "x").err
        == "wsim: --out stores the games of a run, but an answer has none\n"
    )
