"""A game night: sitting down by invitation, watching, the next game, the evening's results, a server that restarts."""

from __future__ import annotations

import re
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import wsim
from tests.workbench.client import Caller
from tests.workbench.test_play import FORM, chosen, link, opened
from wsim.workbench.evening import Played, Score, standings
from wsim.workbench.kept_tables import FILE
from wsim.workbench.play_pages import qr_code, tables_of
from wsim.workbench.play_table import Table


@pytest.fixture
def caller(tmp_path: Path) -> Caller:
    return Caller(tmp_path)


def until(done: Callable[[], bool]) -> None:
    while not done():
        time.sleep(0.01)


def finish(table: Table) -> None:
    """Make the first legal move for every seat until the game is over."""
    while not table.over:
        for seat in list(table.waited_for()):
            decision = table.decision(seat)
            if decision is not None:
                table.choose(seat, decision.stamp, 0)


def test_people_join_by_name_and_a_browser_returns_to_its_seat(caller: Caller) -> None:
    table = opened(caller, name0="Place 1", name1="Place 2")
    door = f"/seat/{table.inviting}"
    assert "Place 1" in caller.get(door, cookie=None).text
    reply = caller.post(f"{door}/join", [("name", "Gül"), ("seat", "1")], cookie=None)
    assert (reply.status, reply.headers["location"]) == (303, link(table, 1))
    cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in cookie
    again = caller.get(door, cookie=cookie.partition(";")[0])
    assert (again.status, again.headers["location"]) == (303, link(table, 1))
    assert "Gül at" in caller.get(link(table, 1), cookie=None).text
    assert 'value="1"' not in caller.get(door, cookie=None).text  # the place is taken
    for fields, sentence in (
        ([("name", "Bo"), ("seat", "1")], "Somebody else has just taken this seat"),
        ([("name", "gül"), ("seat", "0")], "two people are called"),
        ([("name", "Bo"), ("seat", "x")], "a seat must be a whole number"),
        ([("name", "Bo" * 30), ("seat", "0")], "a name can have at most 40 characters"),
    ):
        refused = caller.post(f"{door}/join", fields, cookie=None)
        assert refused.status == 400
        assert sentence in refused.text


def test_spectators_see_no_hands_and_cannot_move(caller: Caller) -> None:
    table = opened(caller, name1="Bob", name2="Cid")
    watch = f"/seat/{table.watching}"
    page = caller.get(f"{watch}?hint=1&chance=1", cookie=None)
    assert page.status == 200
    assert "Still to choose: Ann, Bob, Cid." in page.text
    hands = {card for hand in table.game().record()["hands"] for card in hand}
    assert not [card for card in hands if card in page.text]
    steps = table.game().steps
    for act in ("move", "undo", "rematch"):
        reply = caller.post(f"{watch}/{act}", [("stamp", "x"), ("move", "0")], cookie=None)
        assert reply.status == 400
        assert "for watching only" in reply.text
    assert table.game().steps == steps


def test_unbuildable_cards_give_a_reason_and_cities_show_their_next_stage(caller: Caller) -> None:
    text = caller.get(link(opened(caller)), cookie=None).text
    assert "1 glass missing: you and your neighbours together do not produce enough." in text
    assert text.count("next stage") >= 3


@pytest.mark.slow
def test_every_unbuildable_card_has_a_correct_reason() -> None:
    """Whole games: a card has a reason exactly if no move builds it; a price that is named is more than the purse."""
    told, prices = 0, 0
    for seed in range(4):
        game = wsim.Game(ruleset="1e", players=3, seed=seed, policies="random", rotate=False)
        while game.to_move is not None:
            seat, why = game.to_move, dict(game.obstacles())
            moves = game.legal()
            if game.decision == "turn":
                buildable = {move["card"] for move in moves if move["action"] == "build"}
                hand = set(game.observe(seat)["hand"])
                assert hand - buildable == why.keys() - {"next stage"}
                city = game.observe(seat)["cities"][seat]
                for name, sentence in why.items():
                    assert ("has it already" in sentence) == (name in city["built"])
                    if price := re.search(r"(\d+) coins? with what you must buy", sentence):
                        assert int(price[1]) > city["coins"]
                        prices += 1
                told += len(why)
            game.follow()
    assert told > 100
    assert prices


def test_a_clock_counts_time_but_does_not_end_the_game(caller: Caller) -> None:
    table = opened(caller, name1="Bob", clock="2")
    text = caller.get(link(table), cookie=None).text
    assert text.count('data-clock="120"') == 2
    table._asked[1] = table._asked[1][0], time.monotonic() - 300
    waited = re.findall(r'data-waited="(\d+)"', caller.get(f"/seat/{table.watching}", cookie=None).text)
    assert max(map(int, waited)) >= 300
    assert table.waited_for().keys() == {0, 1}
    assert "minutes for a choice must be a whole number" in caller.post("/play", [*{**FORM, "clock": "x"}.items()]).text


@pytest.mark.slow
def test_the_next_game_rotates_seats_and_games_can_be_imported(caller: Caller, tmp_path: Path) -> None:
    table = opened(caller, name0="Ann", name1="Bob", name2="Cid")
    links, names = dict(table.links), dict(table.names)
    early = caller.post(f"{link(table)}/rematch", cookie=None)
    assert early.status == 303
    assert "The game is not over" in caller.get(link(table), cookie=None).text
    finish(table)
    first = table.game().record()
    assert "Play again" in caller.get(link(table), cookie=None).text
    assert caller.post(f"{link(table)}/rematch", cookie=None).status == 303
    until(lambda: table.ready)
    assert table.names == {(seat + 1) % 3: name for seat, name in names.items()}
    assert table.links == {(seat + 1) % 3: secret for seat, secret in links.items()}
    assert table.game().record() != first
    assert "Ann at" in caller.get(f"/seat/{links[0]}", cookie=None).text  # the link is still Ann's
    finish(table)
    page = caller.get(link(table), cookie=None).text
    assert "The evening" in page
    run = wsim.load_run(tmp_path / f"evening-{table.key}")
    assert run.people is not None
    assert run.games == 2
    totals = run.seats.collect()["total"].to_list()
    assert totals[:3] == [score["total"] for score in wsim.Game.from_json(_text(tmp_path, table, 1)).result or ()]
    shown = caller.get(f"/play/{table.key}").text
    assert f"evening-{table.key}" in shown
    assert f"evening-{table.key}" in caller.get("/").text
    assert "Ann" in (tmp_path / f"evening-{table.key}" / "names.json").read_text()


def _text(folder: Path, table: Table, number: int) -> str:
    return (folder / Table.file_name(table.key, number)).read_text()


@pytest.mark.slow
def test_games_with_policies_are_not_counted_as_games_of_people(caller: Caller, tmp_path: Path) -> None:
    table = opened(caller)
    finish(table)
    assert [len(game.scores) for game in table.evening] == [3]
    assert "Only games without policies are stored" in caller.get(f"/play/{table.key}").text
    assert not list(tmp_path.glob("evening-*"))


def test_standings_count_wins_and_points() -> None:
    games = [
        Played("", [Score("Ann", 50, 1.0, True), Score("Bob", 40, 0.0, True)]),
        Played("", [Score("Bob", 60, 0.5, True), Score("Ann", 60, 0.5, True)]),
        Played("", [Score("Bob", 70, 1.0, True), Score("Ann", 30, 0.0, True)]),
    ]
    assert standings(games) == [("Bob", 3, 1.5, 170 / 3), ("Ann", 3, 1.5, 140 / 3)]


@pytest.mark.slow
def test_a_restarted_server_keeps_the_table_and_its_links(caller: Caller, tmp_path: Path) -> None:
    table = opened(caller, name1="Bob", clock="3")
    caller.post(f"/seat/{table.inviting}/join", [("name", "Gül"), ("seat", "1")], cookie=None)
    chosen(caller, link(table))
    chosen(caller, link(table, 1))
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    again = Caller(tmp_path)
    after = tables_of(again.app).of(table.key)
    until(lambda: after.ready)
    assert after.game().record() == table.game().record()
    assert (after.names, after.links, after.taken, after.clock) == (table.names, table.links, table.taken, 180)
    assert "Gül at" in again.get(link(table, 1), cookie=None).text
    assert chosen(again, link(table)).status == 303
    again.post(f"/play/{table.key}/close")
    assert not (tmp_path / FILE).exists()
    assert not list(tables_of(Caller(tmp_path).app))


@pytest.mark.parametrize("text", ["", "{}", "[3]", '[{"key": "x"}]', '[{"key": "../x", "number": 1, "names": {}}]'])
def test_a_damaged_list_of_tables_is_ignored(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    assert not list(tables_of(Caller(tmp_path).app))


def test_qr_codes_are_shown_if_phones_can_reach_the_server(tmp_path: Path) -> None:
    pytest.importorskip("segno")
    here, network = Caller(tmp_path), Caller(tmp_path, host="0.0.0.0")
    assert 'class="qr"' not in here.get(f"/play/{opened(here).key}").text
    table = opened(network)
    page = network.get(f"/play/{table.key}").text
    assert page.count('class="qr"') == 3  # to sit down, to watch, Ann's own
    assert qr_code("http://192.168.0.2/a") != qr_code("http://192.168.0.2/b")
