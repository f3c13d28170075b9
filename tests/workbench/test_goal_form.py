"""A new goal from a form, and the choices of goals and patches in the folder."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest

from tests.workbench.client import Caller
from wsim.balance.goal import as_goal
from wsim.errors import UserError
from wsim.workbench.folder import Folder
from wsim.workbench.forms import form_of
from wsim.workbench.goal_files import goal_in_words, goals_in, patches_in
from wsim.workbench.goal_form import accepted_range

FIELDS = {
    "figure": "win:Rhodos", "accepted": "20%..30%", "numbers": "wonders.Rhodos.sides.B.*.points\ncards.Palace.points",
    "reach": "-2..2", "policies": "balanced", "players": "3",
}  # fmt: skip


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Caller:
    monkeypatch.chdir(tmp_path)
    return Caller(tmp_path)


def checked(caller: Caller, kind: str, **fields: str) -> dict[str, object]:
    reply = caller.post(f"/ask/{kind}/check", [*fields.items(), ("deep", "1")])
    found: dict[str, object] = json.loads(reply.text)
    return found


def test_a_goal_is_written_and_leads_to_the_search_that_it_is_for(caller: Caller, tmp_path: Path) -> None:
    form = caller.get("/ask/balance").text
    assert 'href="/ask/goal"' in form
    assert "Write the goal" in caller.get("/ask/goal").text
    reply = caller.post("/ask/goal", [*FIELDS.items(), ("out", "goal-1.toml")])
    assert (reply.status, reply.headers["location"]) == (303, "/ask/balance?goal=goal-1.toml")
    goal = as_goal(str(tmp_path / "goal-1.toml"))
    (target,), (setting,) = goal.targets, goal.settings
    assert (target.metric, target.bounds(1 / 3)) == ("win:Rhodos", (0.2, 0.3))
    assert [(knob.path, knob.range) for knob in goal.knobs] == [
        ("wonders.Rhodos.sides.B.*.points", "-2..2"), ("cards.Palace.points", "-2..2"),
    ]  # fmt: skip
    assert (setting.plan.players, set(setting.plan.policies)) == (3, {"balanced"})
    preview = [
        "Must be true: how often Rhodos wins: 20% to 30%",
        "May change: Rhodos, side B any points (by -2 to 2); Palace, points (by -2 to 2)",
        "Players: 3 at a table (1e), played by balanced",
    ]
    assert checked(caller, "goal", **FIELDS) == {"mistakes": {}, "preview": preview, "seconds": None}
    assert checked(caller, "balance", goal="goal-1.toml")["preview"] == preview
    assert 'value="goal-2.toml"' in caller.get("/ask/goal").text  # an existing file is not proposed again
    again = caller.post("/ask/goal", [*FIELDS.items(), ("out", "goal-1.toml")])
    assert (again.status, "already exists" in again.text) == (400, True)


def test_each_mistake_in_a_goal_is_shown_next_to_its_field(caller: Caller, tmp_path: Path) -> None:
    missing = checked(caller, "goal")["mistakes"]
    assert isinstance(missing, dict)
    assert set(missing) == {"figure", "accepted", "numbers"}
    wrong = {"figure": "win:Rhodos", "accepted": "30..20", "numbers": "cards.Palac.points", "reach": "3"}
    found = checked(caller, "goal", **wrong)["mistakes"]
    assert isinstance(found, dict)
    assert set(found) == {"accepted", "numbers", "reach"}
    assert "(did you mean 'cards.Palace.points'?)" in found["numbers"][0]
    other = checked(caller, "goal", **{**FIELDS, "figure": "win:Rhodo"})["mistakes"]
    assert isinstance(other, dict)
    assert list(other) == ["figure"]
    assert len(other["figure"]) == 1
    reply = caller.post("/ask/goal", [*{**FIELDS, **wrong}.items(), ("out", "goal-1.toml")])
    assert reply.status == 400
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "ends"), [("20%..30%", (0.2, 0.3)), ("0.25..", (0.25, None)), (".. 50", (None, 50.0)), ("-1..1", (-1, 1))]
)
def test_an_accepted_range_has_one_or_two_ends(text: str, ends: tuple[float | None, float | None]) -> None:
    assert accepted_range(text) == ends


@pytest.mark.parametrize("text", ["", "..", "0.3", "30..20", "a..b", "20..20"])
def test_other_text_is_no_accepted_range(text: str) -> None:
    with pytest.raises(UserError, match="accepted must be a range such as"):
        accepted_range(text)


def test_goals_and_patches_are_recognised_by_their_content(caller: Caller, tmp_path: Path) -> None:
    caller.post("/ask/goal", [*FIELDS.items(), ("out", "patch.toml")])
    (tmp_path / "goal.toml").write_text("cards.Palace.points = 5\nsettings.hand_size = 8\n")
    (tmp_path / "broken.toml").write_text("cards = [")
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "half.toml").write_text("[[target]]\nmetric = 'win'\n[[knob]]\npath = 3\n")
    folder = Folder.of(tmp_path)
    names = {goal.name: goal.words for goal in goals_in(folder)}
    assert set(names) == {"patch.toml", "half.toml"}
    assert names["patch.toml"].startswith("Must be true: how often Rhodos wins: 20% to 30%; May change: ")
    assert names["half.toml"].startswith("has mistakes: ")
    patches = list(patches_in(folder, "seven_wonders", "1e"))
    assert patches == [("goal.toml", "Palace, points 8 to 5; settings hand size 7 to 8")]
    assert not list(patches_in(folder, "tower_of_babel", "2005"))
    offered = json.loads(caller.get("/choices?picker=goal").text)
    assert [choice["value"] for choice in offered] == ["half.toml", "patch.toml"]


def test_targets_are_described_by_their_bounds() -> None:
    knob = {"path": "cards.Palace.points", "range": "0..8", "absolute": True}
    rhodos = {"metric": "win", "of": "wonder,side", "only": ["Rhodos A", "Rhodos B"]}
    targets = [{**rhodos, "within": 0.03}, {"metric": "score", "at_most": 50}, {"metric": "built:Palace", "value": 0.5}]
    targets[2] |= {"within": 0.1}
    goal = as_goal({"target": targets, "knob": [knob]})
    wins = "how often Rhodos A, Rhodos B wins: within 3% of the fair share"
    others = "the score of a seat: at most 50; how often Palace is built: 40% to 60%"
    assert goal_in_words(goal)[:2] == [f"Must be true: {wins}; {others}", "May change: Palace, points (0 to 8)"]
    each = as_goal({"target": [{"metric": "win", "of": "wonder", "relative": 0.1}], "knob": [knob]})
    assert (
        goal_in_words(each)[0] == "Must be true: how often the seat wins, for each wonder: within 10% of the fair share"
    )


def test_a_goal_outside_the_folder_is_not_described(caller: Caller, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "goal.toml"
    goal = "[[target]]\nmetric = 'win'\nof = 'wonder'\nwithin = 0.1\n[[knob]]\npath = 'cards.Palace.points'\n"
    outside.write_text(f"{goal}range = '0..1'\n")
    found = checked(caller, "balance", goal=str(outside))
    assert found["preview"] == []
    assert "is not in the opened folder" in str(found["mistakes"])


def test_the_form_of_a_goal_names_its_fields_in_plain_words(caller: Caller) -> None:
    text = html.unescape(caller.get("/ask/goal").text)
    for label in ("Which figure should change?", "Where should it be?", "Which numbers may change?", "By how much?"):
        assert label in text
    assert form_of("goal").question.first == ("figure", "accepted", "numbers")
