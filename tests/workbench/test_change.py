"""Changing: fields are the catalogue's values, mistakes are shown next to them, patches are saved as files."""

from __future__ import annotations

import html
import re
from pathlib import Path
from urllib.parse import unquote_plus, urlencode

import pytest

from tests.conftest import Command
from tests.workbench.client import Caller
from wsim.installed import QUESTIONS
from wsim.spec.catalogues import Source
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.listing import CATALOGUES

PALACE = {"game": "seven_wonders", "ruleset": "1e", "at": "cards.Palace"}


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Caller:
    monkeypatch.chdir(tmp_path)
    return Caller(tmp_path)


def changed(caller: Caller, **fields: str) -> tuple[int, str]:
    """Submit changes; return the status, and the redirect target or the text of the page."""
    reply = caller.get(f"/change?{urlencode({**PALACE, **fields})}")
    return reply.status, unquote_plus(reply.headers.get("location", "")) or html.unescape(reply.text)


@pytest.mark.slow
def test_form_fields_show_the_values_of_the_catalogue(caller: Caller) -> None:
    _, text = changed(caller)
    found = dict(re.findall(r'name="to:cards\.Palace\.([^"]*)" value="(.*?)" autocomplete', text))
    card = next(one for one in load_catalogue("1e").cards if one.name == "Palace")
    assert found["points"] == "8"
    assert found["color"] == card.color
    assert found["copies"] == "[3, 7]"
    assert found["cost.clay"] == "1"
    stages = caller.get(f"/change?{urlencode({**PALACE, 'at': 'Gizah'})}").text
    assert 'name="to:wonders.Gizah.sides.B.4.points" value="7"' in stages


def test_parts_and_values_are_named_in_words(caller: Caller) -> None:
    _, text = changed(caller, change="cards.Palace.points=5")
    assert "<h1>Change Palace</h1>" in text
    assert "<h2>Palace</h2>" in text
    assert ">cost, clay</label>" in text
    assert "Palace, points" in text  # of the differences from the printed game
    assert "<h1>Change</h1>" in caller.get("/change").text


def test_changes_are_stored_in_the_address(caller: Caller) -> None:
    status, where = changed(caller, **{"to:cards.Palace.points": "5", "to:cards.Palace.age": "3"})
    assert (status, where) == (
        303, "/change?game=seven_wonders&ruleset=1e&change=cards.Palace.points=5&at=cards.Palace"
    )  # fmt: skip
    text = html.unescape(caller.get(where).text)
    assert "Printed: 8." in text
    assert "5 points" in text  # what is written on the card then
    assert "wsim whatif --set cards.Palace.points=5 --game seven_wonders --ruleset 1e -o whatif-1.json" in text
    back = changed(caller, **{"change": "cards.Palace.points=5", "to:cards.Palace.points": "8"})
    assert back == (303, "/change?game=seven_wonders&ruleset=1e&at=cards.Palace")


def test_every_question_about_changed_values_is_offered(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(QUESTIONS, "toy", "tests.questions.toy_question:QUESTION")
    _, text = changed(caller, change="cards.Palace.points=5")
    forms = re.findall(r'(?s)<form [^>]*action="/ask/(\w+)">(.*?)</form>', text)
    fields = {name: re.findall(r'<input.* name="(\w+)" value="([^"]*)"', form) for name, form in forms}
    common = [("game", "seven_wonders"), ("ruleset", "1e")]
    assert fields == {
        "whatif": [
            *common, ("change", "cards.Palace.points=5"), ("metric", "score"), ("out", "whatif-1.json")
        ],
        "toy": [*common, ("about", "cards.Palace.points=5"), ("number", "3"), ("out", "toy-1.json")],
    }  # fmt: skip


def test_decks_are_counted_before_and_after_the_change(caller: Caller) -> None:
    """Rulebook: three players deal 21 cards in each age, five guilds among those of the third (R4)."""
    rows = CATALOGUES.decks(Source("1e"))
    for age in (1, 2, 3):
        assert [sum(row[f"{players} players"] for row in rows if row["age"] == age) for players in range(3, 8)] == [
            21, 28, 35, 42, 49,
        ]  # fmt: skip
    assert [row["3 players"] for row in rows if row["color"] == "purple"] == [5]
    assert sum(row["4 players"] for row in CATALOGUES.decks(Source("2e-cities")) if row["age"] == 1) == 32
    _, text = changed(caller)
    assert "Cards dealt, as printed" in text
    lines = [("change", "cards.Palace.color=red"), ("change", "cards.Palace.shields=1")]
    both = html.unescape(caller.get(f"/change?{urlencode([*PALACE.items(), *lines])}").text)
    assert "Cards dealt, as printed" in both
    assert "Cards dealt, as changed" in both


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"to:cards.Palace.points": "x"}, "'x' is not accepted; accepted: a whole number"),
        ({"to:cards.Palace.age": "2"}, "age 2 cannot be dealt with 3 players"),
        ({"change": "cards.Palace.shield=1"}, "did you mean 'shields'?"),
        ({"change": "cards.Palce.points=1"}, "Palce"),
        ({"change": "nonsense"}, "is not a change"),
        ({"ruleset": "9e"}, "9e"),
        ({"game": "chess"}, "chess"),
        ({"at": "Palaca"}, "the catalogue has no 'Palaca'"),
    ],
)
def test_the_checker_explains_each_mistake(caller: Caller, fields: dict[str, str], sentence: str) -> None:
    status, text = changed(caller, **fields)
    assert status == 400
    assert sentence in text


@pytest.mark.slow
def test_the_commands_read_a_saved_patch(caller: Caller, wsim_command: Command) -> None:
    lines = [("change", "cards.Palace.points=5"), ("change", 'cards."Town Hall".color=red')]
    own = [("game", "seven_wonders"), ("ruleset", "1e"), *lines]
    assert caller.post("/change/save", [*own, ("out", "mine.toml")]).status == 303
    assert Path("mine.toml").read_text().splitlines()[1:] == [
        "cards.Palace.points = 5", 'cards."Town Hall".color = "red"'
    ]  # fmt: skip
    assert '"effects": "5 points"' in wsim_command("catalog", "Palace", "--patch", "mine.toml", "--json").out
    for out, sentence in (("mine.toml", "already"), ("../x.toml", "is not in the opened"), ("x.json", "FILE.toml")):
        reply = caller.post("/change/save", [*own, ("out", out)])
        assert (reply.status, sentence in reply.text) == (400, True)
    assert caller.post("/change/save", [*own[:2], ("out", "x.toml")]).status == 400
    assert caller.post("/change/save", [*own[:2], ("change", "cards.Palace.points=x"), ("out", "x.toml")]).status == 400
    assert caller.post("/change/save", [*own, ("out", "x.toml")], origin="http://evil.example").status == 403
    assert sorted(one.name for one in Path().iterdir()) == ["mine.toml"]


def test_babel_can_be_changed_in_the_same_way(caller: Caller) -> None:
    reply = caller.get("/change?game=tower_of_babel")
    assert reply.status == 200
    assert caller.get("/change?game=tower_of_babel&at=nowhere").status == 400
