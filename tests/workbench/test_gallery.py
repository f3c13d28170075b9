"""The gallery of cards: selection by the address, and the page of one card."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.workbench.client import Caller
from wsim.lab.plan import Plan
from wsim.lab.run import record


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Caller:
    folder = tmp_path_factory.mktemp("cards")
    record(Plan.make(games=8, seed=3, policies="greedy"), folder / "one")
    record(Plan.make(games=8, seed=3, ruleset="2e", policies="greedy"), folder / "other")
    return Caller(folder)


def shown(text: str) -> list[str]:
    """Return the names of the cards that are not hidden."""
    items = re.findall(r'<li data-text="[^>]*?"([^>]*)>(.*?)</li>', text, re.DOTALL)
    return [
        re.findall(r'class="face-name"><a [^>]*>([^<]+)', drawn)[0] for kept, drawn in items if "hidden" not in kept
    ]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("age=1&color=red", ["Barracks", "Guard Tower", "Stockade"]),
        ("color=gray&age=2", ["Glassworks", "Loom", "Press"]),
        ("q=any+science", ["Scientists Guild", "Babylon"]),  # also a board
        ("game=tower_of_babel&kind=disc&shows=ship", ["ship 3", "ship 4", "ship 5", "ship 6"]),
        ("game=tower_of_babel&kind=disc+that+was+won&shows=ship", ["ship disc"]),
        ("ruleset=2e-cities&color=black&age=1&q=debt", ["Gambling Den"]),
    ],
)
def test_the_address_selects_cards(caller: Caller, query: str, names: list[str]) -> None:
    reply = caller.get(f"/cards?{query}")
    assert reply.status == 200
    if "debt" not in query:
        assert shown(reply.text) == names
    cards, _, boards = reply.text.partition('<section id="boards"')
    some = f", {len(shown(boards))} of 7 boards" if shown(boards) else ""
    assert re.search(rf">{len(shown(cards))} of \d+ cards{some}<", reply.text)


def test_games_are_selected_by_title(caller: Caller) -> None:
    text = caller.get("/cards").text
    assert '<option value="seven_wonders" selected>7 Wonders</option>' in text
    assert '<option value="tower_of_babel">Tower of Babel</option>' in text


def test_the_page_of_a_card_leads_to_its_figures_and_to_its_change(caller: Caller) -> None:
    text = caller.get("/cards?name=Palace").text
    assert 'class="face large"' in text
    assert "/thing?run=one&amp;table=cards&amp;name=Palace" in text
    assert "run=other" not in text  # of other rules
    (change,) = re.findall(r'href="(/change[^"]+)"', text)
    assert "cards.Palace" in change
    assert caller.get(change.replace("&amp;", "&").partition("#")[0]).status == 200


def test_deck_cards_are_in_the_gallery_and_link_to_their_change(caller: Caller) -> None:
    deck = quote("decks.Envoys={display = 2, cards = {Captain = {cost = 2, shields = 1}, Poet = {points = 2}}}")
    assert shown(caller.get(f"/cards?change={deck}&deck=Envoys").text) == ["Captain", "Poet"]
    text = caller.get(f"/cards?name=Captain&change={deck}").text
    assert "to recruit" in text
    assert "/thing?" not in text  # tables of cards do not have it
    (change,) = re.findall(r'href="(/change[^"]+)"', text)
    assert "&amp;at=" not in change  # the page of changes has the parts of the printed catalogue
    assert caller.get(change.replace("&amp;", "&").partition("#")[0]).status == 200


def test_changes_in_the_address_are_shown_on_the_cards(caller: Caller) -> None:
    assert "5 points" in caller.get("/cards?name=Palace&change=cards.Palace.points%3D5").text


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("name=Palce", "did you mean &#39;Palace&#39;"),
        ("game=chess", "unknown game"),
        ("ruleset=3e", "unknown rule set"),
        ("change=cards.Palace.points%3Dx", "points"),
    ],
)
def test_a_mistake_is_reported(caller: Caller, query: str, sentence: str) -> None:
    reply = caller.get(f"/cards?{query}")
    assert reply.status == 400
    assert sentence in reply.text


def test_the_pages_are_small(caller: Caller) -> None:
    assert len(caller.get("/cards").text) < 200_000
    assert len(caller.get("/static/page.css").text + caller.get("/static/page.js").text) < 60_000


def test_no_path_escapes_the_folder(caller: Caller, tmp_path: Path) -> None:
    assert caller.get(f"/cards?ruleset={tmp_path}").status == 400
