"""Forms: their first question, their choices, and the mistakes that they find before anything is queued."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.workbench.client import Caller
from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.spec.values import change_in_words
from wsim.workbench.ask_page import fields_of, folded_words
from wsim.workbench.checks import check, field_of
from wsim.workbench.folder import Folder
from wsim.workbench.forms import form_of, forms
from wsim.workbench.pickers import choices


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Caller:
    monkeypatch.chdir(tmp_path)
    return Caller(tmp_path)


def checked(caller: Caller, kind: str, **fields: str) -> dict[str, Any]:
    """Return the result of the deep check of a form."""
    reply = caller.post(f"/ask/{kind}/check", [*fields.items(), ("deep", "1")])
    assert reply.status == 200
    found: dict[str, Any] = json.loads(reply.text)
    return found


@pytest.mark.parametrize("form", forms(), ids=lambda form: form.name)
def test_a_form_starts_with_a_plain_question(form: Any, caller: Caller) -> None:
    every = {name: option for name, *_, option in form.fields()}
    for name in form.question.first:
        assert name in every
    text = html.unescape(caller.get(f"/ask/{form.name}").text)
    main = re.findall(r'<fieldset class="main">(.*?)</fieldset>', text, re.DOTALL)[0]
    assert re.findall(r'data-field="(\w+)"', main) == list(form.question.first)
    for name in form.question.first:
        if every[name].label:
            assert every[name].label in main
    for option in every.values():
        if option.picker:
            assert choices(option.picker, "", "", Folder.of(Path())) is not None  # it exists


def test_every_mistake_is_shown_next_to_its_field(caller: Caller) -> None:
    """The four mistakes of a newcomer; nothing is queued."""
    fields = {"change": "cards.Palce.points=5", "metric": "wins:Palace", "policies": "balancd"}
    found = checked(caller, "whatif", **fields)
    assert set(found["mistakes"]) == set(fields)
    for name, guess in (("change", "'Palace'"), ("metric", "'win'"), ("policies", "'balanced'")):
        assert f"did you mean {guess}" in found["mistakes"][name][0]
    assert found["seconds"] is None
    reply = caller.post("/ask/whatif", [*fields.items(), ("out", "a.json")])
    assert reply.status == 400
    text = html.unescape(reply.text)
    for name in fields:
        assert re.search(rf'id="wrong-{name}"[^>]*>[^<]*did you mean', text)
    assert caller.app.state.questions.listed() == []


@pytest.mark.parametrize(
    ("kind", "fields", "name", "sentence"),
    [
        ("whatif", {"change": "cards.Palace.points=5", "budget": "ten"}, "budget", "'ten' is not a whole number"),
        ("whatif", {"change": "cards.Palace.points=5", "seat": "9"}, "seat", "the seat must be from 0 to 3"),
        ("whatif", {}, "", "nothing to compare"),
        ("match", {}, "", "a match needs at least two policies"),
        ("picks", {"card": "Palce", "policies": "random"}, "card", "did you mean 'Palace'"),
        ("run", {"policies": "netz"}, "policies", "unknown policy 'netz'"),
        ("run", {"ruleset": "3e"}, "ruleset", "'3e'"),
        ("balance", {}, "goal", "balance needs goal"),
    ],
)
def test_a_mistake_is_found_before_the_question_waits(
    caller: Caller, kind: str, fields: dict[str, str], name: str, sentence: str
) -> None:
    found = checked(caller, kind, **fields)["mistakes"]
    assert list(found) == [name]
    assert sentence in found[name][0]


def test_a_form_describes_the_change_and_forecasts_the_time(caller: Caller) -> None:
    found = checked(caller, "whatif", change="cards.Palace.points=5", policies="random", budget="100")
    assert found["mistakes"] == {}
    assert found["preview"] == ["Palace, points: 8 to 5"]
    more = checked(caller, "whatif", change="cards.Palace.points=5", policies="random", budget="100k")
    assert more["seconds"] == pytest.approx(1000 * found["seconds"])


def test_a_change_is_described_in_words() -> None:
    printed = {"cards.Palace.points": "8", "settings.hand_size": "7"}
    assert change_in_words("cards.Palace.points=8", printed) == "Palace, points: 8, as printed"
    assert change_in_words("cards.Palace.coins = 3", printed) == "Palace, coins: 3, which the printed rules do not have"
    assert change_in_words("settings.hand_size=6", printed) == "settings hand size: 7 to 6"


def test_a_check_does_not_run_user_code(caller: Caller, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("raise SystemExit('it ran')")
    for trust in ({}, {"trust": "1"}):
        assert checked(caller, "match", policies="random,./mine.py:bold", **trust)["mistakes"] == {}


def test_a_message_is_attached_to_the_field_it_quotes() -> None:
    texts = {"policies": ["random", "netz"], "metric": ["wins:Palace"], "seat": ["9"]}
    assert field_of("unknown policy 'netz' (did you mean 'net'?)", texts) == "policies"
    assert field_of("the seat must be from 0 to 3, not 9", texts) == "seat"
    assert field_of("the disk is full", texts) == ""


def test_choices_come_from_the_game_and_the_folder(tmp_path: Path) -> None:
    record(Plan.make(games=2, seed=3, policies="random"), tmp_path / "study")
    folder = Folder.of(tmp_path)
    values = {choice.value: choice for choice in choices("value", "seven_wonders", "1e", folder)}
    assert values["cards.Palace.points=8"].note == "printed 8"
    assert "Palace" in [choice.value for choice in choices("item", "", "", folder)]
    metrics = [choice.value for choice in choices("metric", "", "", folder)]
    assert {"score", "built:Palace", "worth:Palace", "win:Gizah"} <= set(metrics)
    assert "net" in [choice.value for choice in choices("policy", "tower_of_babel", "", folder)]
    assert [choice.value for choice in choices("run", "", "", folder)] == ["study"]
    with pytest.raises(UserError, match="did you mean 'policy'"):
        choices("policies", "", "", folder)


def test_every_offered_metric_can_be_used() -> None:
    folder = Folder.of(Path())
    for value in ("worth:Palace", "win:Gizah", "built:Palace"):
        assert value in [choice.value for choice in choices("metric", "", "", folder)]
        texts: dict[str, list[str]] = {"change": ["cards.Palace.points=5"], "metric": [value]}
        texts |= {"policies": ["random"], "budget": ["100"]}
        assert check(form_of("whatif"), texts, deep=True).mistakes == {}


def test_examples_are_accepted() -> None:
    """Each example of an option is a value that the option takes."""
    for form in forms():
        for name, *_, option in form.fields():
            if option.example and not option.file:
                assert name not in check(form, {name: [option.example]}, deep=False).mistakes, (form.name, name)


def test_choices_about_cards_name_the_card_shown(tmp_path: Path) -> None:
    cards = {choice.value: choice.card for choice in choices("metric", "", "1e", Folder.of(tmp_path))}
    assert (cards["built:Palace"], cards["win:Gizah"], cards["score"]) == ("Palace", "Gizah", "")
    values = choices("value", "", "1e", Folder.of(tmp_path))
    assert {choice.card for choice in values if choice.value.startswith("cards.Palace.points")} == {"Palace"}
    drawn = Caller(tmp_path).get("/drawings?ruleset=1e")
    assert '<template data-face-of="Palace">' in drawn.text
    assert Caller(tmp_path).get("/drawings?ruleset=9e").status == 400


def test_folded_fields_are_named_in_plain_words() -> None:
    """No field of a form is called by the name of its option."""
    for kind in forms():
        for field in (one for fields in fields_of(kind, {}).values() for one in fields):
            assert field.label[0].isupper(), (kind.name, field)
            assert field.label != field.name.replace("_", " ").capitalize() or field.name == "game", (kind.name, field)
    assert folded_words("More", ["Which rules?", "Seed"]) == "More: which rules and seed"
    assert folded_words("More", ["A", "B", "C", "D", "E"]) == "More: a, b, c and 2 more"
    assert folded_words("More", ["Seed"]) == "More: seed"
