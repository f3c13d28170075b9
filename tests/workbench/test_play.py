"""Play: whole games over HTTP, and pages of a seat that never reveal hidden information."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import wsim
from tests.conftest import ROOT
from tests.tiers import first_quick
from tests.workbench.client import Caller, Reply
from wsim.positions.played_game import hint
from wsim.workbench.play_pages import tables_of
from wsim.workbench.play_table import Table

FORM = {"rules": "seven_wonders 1e", "players": "3", "policies": "random", "name0": "Ann", "seed": "7"}
MOVES = re.compile(r'name="move" value="(\d+)"')
STAMP = re.compile(r'name="stamp" value="(\w+)"')


@pytest.fixture
def caller(tmp_path: Path) -> Caller:
    return Caller(tmp_path)


def opened(caller: Caller, **fields: str) -> Table:
    """Open a table and wait until it has begun."""
    reply = caller.post("/play", [*{**FORM, **fields}.items()])
    assert reply.status == 303, reply.text
    table = tables_of(caller.app).of(reply.headers["location"].removeprefix("/play/"))
    while not (table.ready or table.failure):
        time.sleep(0.01)
    return table


def link(table: Table, seat: int = 0) -> str:
    return f"/seat/{table.links[seat]}"


def chosen(caller: Caller, address: str, page: Reply | None = None, move: str | None = None) -> Reply:
    """Make the first legal move on a seat's page, or a different one, without the token of the table's owner."""
    shown = page or caller.get(address, cookie=None)
    stamp = STAMP.search(shown.text)
    assert stamp is not None, shown.text
    index = move or MOVES.findall(shown.text)[0]
    return caller.post(f"{address}/move", [("stamp", stamp[1]), ("move", index)], cookie=None)


def refusal(caller: Caller, address: str, reply: Reply) -> str:
    """Return the page after a rejected move or undo: the page of the seat, whose address can be reloaded."""
    assert (reply.status, reply.headers["location"]) == (303, address)
    page = caller.get(address, cookie=None)
    assert page.status == 200
    return page.text


def test_a_new_table_shows_its_first_turn(caller: Caller) -> None:
    table = opened(caller)
    page = caller.get(link(table), cookie=None)
    assert page.status == 200
    assert "Choose: your move" in page.text
    hand = wsim.Game(ruleset="1e", players=3, seed=7, rotate=False, policies="random").observe(0)["hand"]
    assert all(f'<h3 class="face-name">{card}</h3>' in page.text for card in hand)
    assert chosen(caller, link(table), page).status == 303
    after = caller.get(link(table), cookie=None).text
    assert "Age I, turn 2" in after
    assert re.search(r"<b>random 1</b>\s+builds", after)  # by name, not by number
    assert "seat 1" not in after.partition("Everything that you know, in words")[0]
    assert caller.post(f"{link(table)}/undo", cookie=None).status == 303
    version = f'data-version="{table.version}"'
    assert caller.get(link(table), cookie=None).text.replace(version, 'data-version="1"') == page.text


def test_a_seat_leads_back_to_the_workbench_only_for_a_browser_that_may_see_it(caller: Caller) -> None:
    table = opened(caller)
    mine, guests = caller.get(link(table)).text, caller.get(link(table), cookie=None).text
    assert '<a href="/play"' in mine
    assert "<nav" not in guests
    assert caller.get(link(table), cookie="wsim-8123=wrong").text == guests


def test_a_page_before_the_game_has_the_icons_that_a_renewed_page_draws(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = opened(caller)
    monkeypatch.setattr(Table, "ready", False)
    page = caller.get(link(table)).text
    assert "The game is being prepared" in page
    assert '<symbol id="icon-' in page


def test_a_stale_move_is_rejected_in_one_sentence(caller: Caller) -> None:
    table = opened(caller)
    page = caller.get(link(table))
    chosen(caller, link(table), page)
    steps = table.game().steps
    again = refusal(caller, link(table), chosen(caller, link(table), page))
    assert table.game().steps == steps
    assert "The game has moved on since this page was made" in again
    assert "Choose: your move" in again
    assert "has moved on" not in caller.get(link(table), cookie=None).text  # it is said once


@pytest.mark.parametrize(
    ("move", "sentence"),
    [
        ("99", "Move 99 does not exist: moves are numbered 0 to"),
        ("x", "a move must be a whole number"),
        ("9" * 5000, "a move must be a whole number of at most 15 digits"),
    ],
)
def test_invalid_moves_are_rejected_in_one_sentence(caller: Caller, move: str, sentence: str) -> None:
    table = opened(caller)
    assert sentence in refusal(caller, link(table), chosen(caller, link(table), move=move))


@pytest.mark.slow
def test_a_seat_that_has_chosen_waits_and_learns_nothing(caller: Caller) -> None:
    table = opened(caller, name1="Bob", name2="Cid")
    before = [caller.get(link(table, seat), cookie=None).text for seat in range(3)]
    chosen(caller, link(table, 2))
    assert "<h2>Wait</h2>" in caller.get(link(table, 2), cookie=None).text
    other = caller.get(link(table, 1), cookie=None).text
    for new, old in (
        (f'data-version="{table.version}"', 'data-version="1"'),
        ("a person, waits", "a person, chooses"),
        ('"acting": [0, 1]', '"acting": [0, 1, 2]'),
    ):
        assert new in other
        other = other.replace(new, old)
    assert other == before[1]
    assert caller.post(f"{link(table, 2)}/undo", cookie=None).status == 303
    chosen(caller, link(table, 2))
    chosen(caller, link(table, 0))
    assert "Age I, turn 1" in caller.get(link(table, 0), cookie=None).text
    chosen(caller, link(table, 1))
    assert all("Age I, turn 2" in caller.get(link(table, seat), cookie=None).text for seat in range(3))
    undone = caller.post(f"{link(table, 0)}/undo", cookie=None)
    assert "nothing can be undone" in refusal(caller, link(table), undone)


@pytest.mark.slow
def test_an_early_choice_is_dropped_if_the_situation_changes(caller: Caller) -> None:
    table = opened(caller, name1="Bob")
    chosen(caller, link(table, 1))
    made = table._chosen[1]
    table._chosen[1] = replace(made, known={**made.known, "hand": []})
    chosen(caller, link(table, 0))
    assert table.game().to_move == 1
    assert "Choose: your move" in caller.get(link(table, 1), cookie=None).text
    assert "Age I, turn 1" in caller.get(link(table, 0), cookie=None).text


def test_hints_and_chances_use_only_what_the_seat_knows(caller: Caller) -> None:
    table = opened(caller, name1="Bob", policies="first")
    at_once = caller.get(f"{link(table, 1)}?hint=1&chance=1", cookie=None)
    assert "Hint from the value net" in at_once.text
    assert re.search(r"Your win chance, from the value net: <b>\d+%</b>", at_once.text)
    page = caller.get(f"{link(table, 1)}?hint=1&chance=1&check=1", cookie=None)
    assert page.status == 200
    assert "Hint from 200 playouts" in page.text
    assert re.search(r"Your win chance, from 200 playouts: <b>\d+% \(95% interval \d+ to \d+%\)", page.text)
    chosen(caller, link(table, 0))
    worth = re.compile(r'<button[^>]*class="(best|hinted)"><b>([^<]*)</b>([^<]*)(?:<small>([^<]*))?')
    for before, query in ((at_once, "hint=1"), (page, "hint=1&check=1")):
        same = caller.get(f"{link(table, 1)}?{query}", cookie=None).text
        assert worth.findall(before.text) == worth.findall(same)
        assert len(worth.findall(same)) == len(MOVES.findall(same))  # beside every move
        assert [row[0] for row in worth.findall(same)].count("best") == 1


@pytest.mark.slow
def test_a_seat_with_chances_sees_the_turning_points_so_far(caller: Caller) -> None:
    table = opened(caller, policies="greedy")
    for _ in range(6):
        chosen(caller, link(table))
    assert "Turning points" not in caller.get(link(table), cookie=None).text
    page = caller.get(f"{link(table)}?chance=1", cookie=None).text
    steps = [int(step) for step in re.findall(r'class="jump" data-step="(\d+)"><i ', page)]
    shares = json.loads(page.partition('id="game">')[2].partition("</script>")[0])["shares"]
    assert 0 < len(steps) <= 5
    for step in steps:
        assert max(abs(now - before) for now, before in zip(shares[step], shares[step - 1], strict=True)) >= 0.049


def hidden_names(game: wsim.Game, seat: int, known: str) -> set[str]:
    """Return the cards in other hands that this seat has not known at any moment so far."""
    hands = enumerate(game.record()["hands"])
    return {card for other, hand in hands if other != seat for card in hand if f'"{card}"' not in known}


def unseen(game: wsim.Game) -> set[str]:
    """Return the cards in hands that no seat has openly built."""
    whole = game.record()
    public = json.dumps([whole["cities"], whole["public_moves"]])
    return {card for hand in whole["hands"] for card in hand if f'"{card}"' not in public}


PRINTED = r"Free with [^<\"]*|Makes [^<\"]* free"
"""Names of other cards that are printed on the cards that a seat sees."""


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["seven_wonders 1e", "seven_wonders 2e-cities"])
def test_no_hidden_card_in_any_byte_of_a_whole_game(caller: Caller, rules: str) -> None:
    """Two people and a policy; what one is sent names no card of another hand, nor the seed that would deal it."""
    table = opened(caller, rules=rules, name2="Cid", seed="987654321")
    looked, known = 0, dict.fromkeys((0, 2), "")  # the page steps back to what a seat knew at earlier moments
    while not table.over:
        watched = re.sub(PRINTED, "", caller.get(f"/seat/{table.watching}", cookie=None).text)
        for card in unseen(table.game()):
            assert not re.search(rf"\b{re.escape(card)}\b", watched), card
        assert "987654321" not in watched
        for seat in (0, 2):
            game, address = table.game(), link(table, seat)
            if game.to_move is None:
                break
            sent = [caller.get(f"{address}{query}", cookie=None) for query in ("", "?chance=1")]
            if "Choose:" in sent[0].text:
                sent.append(caller.get(f"{address}?hint=1", cookie=None))
            text = " ".join(one.text + json.dumps(dict(one.headers)) for one in sent)
            assert "987654321" not in text
            text = re.sub(PRINTED, "", text)
            known[seat] += json.dumps(game.observe(seat).record)
            for card in hidden_names(game, seat, known[seat]):
                looked += 1
                assert not re.search(rf"\b{re.escape(card)}\b", text), (seat, card, known[seat])
            if "Choose:" in sent[0].text:
                assert chosen(caller, address, sent[0]).status == 303
    assert looked > 100
    end = caller.get(link(table), cookie=None)
    assert "The game is over" in end.text


def redrawn(caller: Caller, table: Table, address: str, seat: int, rng: int) -> tuple[str, str]:
    """Return a page, and the same page after resampling all hidden information: hands, decks, waiting choices."""
    page, played = caller.get(address, cookie=None).text, table._begun()
    real, played.game = played.game, played.game.determinize(seat, rng)
    try:
        table._views.clear()
        return page, caller.get(address, cookie=None).text
    finally:
        played.game = real
        table._views.clear()


@first_quick(1, "query", ["", "?hint=1&chance=1&check=1"])
def test_a_page_does_not_depend_on_hands_of_others(caller: Caller, query: str) -> None:
    """Also the moments that it can step back to, the chances and the worth of moves."""
    table = opened(caller, name2="Cid", policies="first")
    for turn in range(3):
        page, other = redrawn(caller, table, f"{link(table, 2)}{query}", 2, turn + 1)
        assert json.loads(page.partition('id="game">')[2].partition("</script>")[0])["scenes"][turn]["cities"][2][
            "hand"
        ]
        assert page == other
        for seat in (0, 2):
            chosen(caller, link(table, seat))


@pytest.mark.slow
def test_a_babel_game_ends_without_revealing_hands(caller: Caller) -> None:
    """Kinds of cards are on the board, so what must not change is the page, whatever the others hold."""
    table = opened(caller, rules="tower_of_babel 2005", policies="balanced")
    turns = 0
    while not table.over:
        page = caller.get(link(table), cookie=None)
        real, drawn = redrawn(caller, table, link(table), 0, turns + 1)
        assert real == drawn == page.text
        assert chosen(caller, link(table), page).status == 303
        turns += 1
    assert turns > 10
    assert "The game is over" in caller.get(link(table), cookie=None).text


@pytest.mark.slow
def test_the_replay_is_available_at_the_end(caller: Caller) -> None:
    table = opened(caller)
    early = caller.get(f"{link(table)}/replay", cookie=None)
    assert early.status == 400
    assert "it is available at the end" in early.text
    while not table.over:
        chosen(caller, link(table))
    page = caller.get(f"{link(table)}/replay", cookie=None)
    assert page.status == 200
    assert "unsafe-inline" in page.headers["content-security-policy"]
    assert "Turning points" in page.text
    assert "Ann" in page.text
    assert "Age III, turn 6" in page.text


def test_saved_and_resumed_it_is_the_same_game(caller: Caller, tmp_path: Path) -> None:
    table = opened(caller, policies="greedy")
    chosen(caller, link(table))
    assert caller.post(f"/play/{table.key}/save", [("file", "ours.json")]).status == 303
    saved = wsim.Game.from_json((tmp_path / "ours.json").read_text())
    assert saved.record() == table.game().record()
    assert "ours.json" in caller.get("/play").text
    assert "Continue ours.json" in caller.get("/play?file=ours.json").text
    again = opened(caller, file="ours.json", name0="Ann")
    assert again.game().record() == saved.record()
    chosen(caller, link(table))
    chosen(caller, link(again))
    assert again.game().record() == table.game().record()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name6": "Zoe"}, "seat 6 does not exist: seats are numbered 0 to 2"),
        ({"name0": "A" * 41}, "a name can have at most 40 characters, not 41"),
        ({"players": "many"}, "the number of players must be a whole number"),
        ({"players": "9" * 5000}, "the number of players must be a whole number of at most 15 digits"),
        ({"seed": "-1"}, "the seed must be a whole number"),
        ({"seed": "9" * 5000}, "the seed must be a whole number of at most 15 digits"),
        ({"rules": "chess 1e"}, "chess"),
        ({"policies": "./mine.py:bold"}, "a table cannot use policies from files"),
        ({"patch": "../away.toml"}, "is not in the opened folder"),
        ({"changes": "Palace"}, "set must be path=value"),
        ({"file": "../../etc/passwd"}, "is not in the opened folder"),
        ({"file": "no.json"}, "cannot read 'no.json': No such file or directory"),
        ({"file": "."}, "cannot read '.': Is a directory"),
        ({"players": "9"}, "players"),
        ({"policies": "balancd"}, "(did you mean 'balanced'?)"),
    ],
)
def test_mistakes_in_a_new_table_are_reported(caller: Caller, fields: dict[str, str], sentence: str) -> None:
    reply = caller.post("/play", [*{**FORM, **fields}.items()])
    assert reply.status == 400
    assert sentence in reply.text.replace("&#39;", "'")
    assert str(caller.app.state.folder.root) not in reply.text
    assert not list(tables_of(caller.app))


def test_a_rejected_form_keeps_its_input(caller: Caller) -> None:
    page = caller.post("/play", [*{**FORM, "policies": "balancd", "name1": "Bo", "changes": "Palace"}.items()]).text
    for kept in ('value="balancd"', 'value="Bo"', ">Palace</textarea>", 'value="7"', "<details open>"):
        assert kept in page
    assert "balanced, " in page  # the list of the policies


def test_errors_at_the_table_are_shown_there_and_no_seat_is_offered(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the rules are still to be compiled, the plan is not tried before the table is opened."""
    monkeypatch.setattr("wsim.positions.kernel_game.KernelGame.cold", lambda _: 12.0)
    table = opened(caller, policies="balancd")
    assert "balancd" in table.failure
    assert "The game cannot be played" in caller.get(link(table)).text
    page = caller.get(f"/play/{table.key}").text
    assert "balancd" in page
    assert "/seat/" not in page


def test_names_are_escaped(caller: Caller) -> None:
    table = opened(caller, name0="<script>alert(1)</script>")
    for address in (link(table), f"/play/{table.key}", "/play"):
        text = caller.get(address).text
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert(1)" in text


def test_a_killed_server_loses_at_most_one_turn(caller: Caller, tmp_path: Path) -> None:
    """Nothing is told to end: what lies in the folder after each reply is the game as it stands."""
    table = opened(caller, name1="Bob")
    file = tmp_path / f"table-{table.key}.json"
    chosen(caller, link(table))
    chosen(caller, link(table, 1))
    assert wsim.Game.from_json(file.read_text()).record() == table.game().record()
    chosen(caller, link(table))
    caller.post(f"{link(table)}/undo", cookie=None)
    assert wsim.Game.from_json(file.read_text()).record() == table.game().record()
    assert file.name in caller.get(f"/play/{table.key}").text
    assert "Saved games" not in caller.get("/play").text  # while it is open, to play on is to open its table
    caller.post(f"/play/{table.key}/close")
    assert f"file={file.name}" in caller.get("/play").text


def test_a_game_that_cannot_be_saved_continues_with_a_warning(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    table = opened(caller)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("wsim.workbench.play_table.write_text", full)
        assert chosen(caller, link(table)).status == 303
    assert "The game is not being saved: [Errno 28] No space left on device" in caller.get(f"/play/{table.key}").text
    assert "No space" not in caller.get(link(table), cookie=None).text
    chosen(caller, link(table))
    assert "not being saved" not in caller.get(f"/play/{table.key}").text


@pytest.mark.slow
def test_hints_are_computed_once_without_blocking_other_pages(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty hints of one seat while the first is not done: more than the threads that pages are made on."""
    table, go, asked = opened(caller), Event(), list[int]()

    def slowly(game: wsim.Game, playouts: int | None, shown: int | None) -> list[dict[str, Any]]:
        asked.append(len(game.steps))
        assert go.wait(60)
        return hint(game, playouts, shown)

    monkeypatch.setattr("wsim.workbench.seat_page.hint", slowly)

    async def all_at_once() -> list[int]:
        hints = [asyncio.create_task(caller.request("GET", f"{link(table)}?hint=1")) for _ in range(60)]
        page = await asyncio.wait_for(caller.request("GET", "/play"), 30)
        go.set()
        return [page.status, *(one.status for one in await asyncio.gather(*hints))]

    assert asyncio.run(all_at_once()) == [200] * 61
    assert len(asked) == 1
    chosen(caller, link(table))
    caller.get(f"{link(table)}?hint=1")
    assert len(asked) == 2


@pytest.mark.parametrize("last", ["move", "undo"])
def test_an_address_in_the_old_form_redirects_to_the_seat(caller: Caller, last: str) -> None:
    table = opened(caller)
    assert caller.get(f"{link(table)}/{last}", cookie=None).headers["location"] == link(table)
    lost = caller.get(f"{link(table)}/nothing", cookie=None)
    assert (lost.status, f'href="{link(table)}"' in lost.text, 'href="/"' in lost.text) == (404, True, False)


def test_wrong_links_and_keys_and_too_many_tables_are_rejected(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    assert caller.get("/seat/nobody", cookie=None).status == 400
    assert caller.get("/play/nothing").status == 400
    assert caller.get("/play", cookie=None).status == 403
    table = opened(caller)
    assert caller.get(f"/play/{table.key}", cookie=None).status == 403
    foreign: dict[str, Any] = {"origin": "http://evil.example", "cookie": None}
    assert caller.post(f"{link(table)}/undo", **foreign).status == 403
    monkeypatch.setattr("wsim.workbench.play_table.MAX_TABLES", 1)
    reply = caller.post("/play", [*FORM.items()])
    assert "close one first" in reply.text
    assert caller.post(f"/play/{table.key}/close").status == 303
    assert caller.get(link(table), cookie=None).status == 400


def test_a_file_that_is_not_a_position_is_not_overwritten(caller: Caller, tmp_path: Path) -> None:
    (tmp_path / "answer.json").write_text('{"format": "wsim-match/1"}')
    table = opened(caller)
    reply = caller.post(f"/play/{table.key}/save", [("file", "answer.json")])
    assert "exists and is not a position" in reply.text
    assert caller.post(f"/play/{table.key}/save", [("file", "../x.json")]).status == 400
    assert "must end in .json" in caller.post(f"/play/{table.key}/save", [("file", "x.toml")]).text


def test_a_waiting_browser_is_notified_of_changes(caller: Caller) -> None:
    table = opened(caller)
    reply = caller.get(f"{link(table)}/changes?since=0", cookie=None)
    assert json.loads(reply.text) == {"version": table.version}


def test_others_can_look_and_undo_while_a_policy_thinks(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it thought about and is no more is forgotten: it thinks again about what is chosen then."""
    table = opened(caller, name1="Bob")
    assert chosen(caller, link(table)).status == 303
    thinks, go, made = Event(), Event(), wsim.Game.made

    def slowly(game: wsim.Game) -> int:
        thinks.set()
        assert go.wait(60)
        return made(game)

    monkeypatch.setattr(wsim.Game, "made", slowly)
    with ThreadPoolExecutor(1) as browser:
        waiting = browser.submit(chosen, caller, link(table, 1))
        assert thinks.wait(60)
        assert "A policy is thinking." in caller.get(link(table), cookie=None).text
        assert caller.post(f"{link(table, 1)}/undo", cookie=None).status == 303
        page = caller.get(link(table, 1), cookie=None)
        other = MOVES.findall(page.text)[1]
        assert chosen(caller, link(table, 1), page, other).status == 303
        go.set()
        assert waiting.result().status == 303
    game = table.game()
    assert game.steps[1] == int(other)
    assert len(game.steps) == 3
    assert wsim.Game.from_json(game.to_json()).record() == game.record()


@pytest.mark.slow
def test_three_browsers_play_one_game_at_once(caller: Caller) -> None:
    """Whoever is quicker: every choice is made once, in its own turn, and the game is that of its moves."""
    table = opened(caller, name1="Bob", name2="Cid")

    def play(seat: int) -> int:
        made = 0
        while not table.over:
            page = caller.get(link(table, seat), cookie=None)
            if "Choose:" in page.text:
                chosen(caller, link(table, seat), page)
                made += not table.refusal(seat)
        return made

    with ThreadPoolExecutor(3) as browsers:
        made = list(browsers.map(play, range(3)))
    game = table.game()
    assert sum(made) == len(game.steps)
    assert wsim.Game.from_json(game.to_json()).record() == game.record()


@pytest.mark.slow
def test_a_spectator_can_pause_policies_and_take_over(caller: Caller, tmp_path: Path) -> None:
    """Hands are open as long as only policies play; from then on nobody who watches sees one."""
    table = opened_by_policies(caller)
    watch = f"/seat/{table.watching}"
    table.set_pace(paused=True, pace=0.5)
    while not table.ready:
        time.sleep(0.01)
    table.set_pace(paused=True, pace=0.5)
    for _ in range(2):  # a moment each, whatever was played before
        before = table.game().moment
        assert caller.post(f"{watch}/pace", [("do", "step"), ("pace", "0.5")], cookie=None).status == 303
        assert table.game().moment != before
    page = caller.get(f"{watch}?chance=1", cookie=None).text
    data = json.loads(page.partition('id="game">')[2].partition("</script>")[0])
    hands = table.game().record()["hands"]
    assert [[card["name"] for card in city["hand"]] for city in data["scenes"][-1]["cities"]] == hands
    assert all(abs(sum(row) - 1) < 0.01 for row in data["shares"])
    assert len(data["shares"]) == len(data["scenes"])
    for fields, sentence in (
        ([("do", "step"), ("pace", "7")], "a pace is one of 0.5, 1.0, 2.0, 5.0"),
        ([("do", "fly"), ("pace", "2.0")], "&#39;fly&#39;"),
    ):
        assert sentence in caller.post(f"{watch}/pace", fields, cookie=None).text
    assert "There is no policy in this seat" in caller.post(f"{watch}/take", [("seat", "3")], cookie=None).text
    taken = caller.post(f"{watch}/take", [("seat", "1"), ("name", "Ida")], cookie=None)
    assert (taken.status, taken.headers["location"]) == (303, link(table, 1))
    assert "Ida at" in caller.get(link(table, 1), cookie=None).text
    assert chosen(caller, link(table, 1)).status == 303
    watched = re.sub(PRINTED, "", caller.get(f"{watch}?chance=1", cookie=None).text)
    assert not [card for card in unseen(table.game()) if re.search(rf"\b{re.escape(card)}\b", watched)]
    assert "people play at this table" in caller.post(f"{watch}/take", [("seat", "0")], cookie=None).text
    assert caller.post(f"/play/{table.key}/take", [("seat", "0"), ("name", "Jo")]).headers["location"] == link(table)
    assert table.names == {0: "Jo", 1: "Ida"}
    assert "two people are called" in caller.post(f"/play/{table.key}/take", [("seat", "2"), ("name", "jo")]).text
    caller.post(f"/play/{table.key}/close")


@pytest.mark.slow
def test_policies_play_to_the_end_unattended(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wsim.workbench.play_table.PACE", 0.0)
    table = opened_by_policies(caller)
    while not table.over:
        time.sleep(0.01)
    page = caller.get(f"/seat/{table.watching}", cookie=None).text
    sheet = page.partition('id="sheet"')[2].partition("</table>")[0]
    named = re.findall(r">(\w+)</th>", sheet)
    assert {"military", "civilian"} <= set(named[2:])
    assert named[:2] == ["Seat", "points"]  # the total is there on a phone, too
    totals = [score["total"] for score in table.game().result or ()]
    assert sorted(map(int, re.findall(r'total">(\d+)<', sheet))) == sorted(totals)
    while table.ended is None:
        time.sleep(0.01)
    page = caller.get(f"/seat/{table.watching}", cookie=None).text
    assert "Turning points" in page
    assert "are being computed" not in page


def opened_by_policies(caller: Caller) -> Table:
    """Open a table without people."""
    assert caller.post("/play", [*{**FORM, "name0": "", "policies": "greedy"}.items()]).status == 303
    (table,) = list[Table](tables_of(caller.app))
    return table


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
def test_a_game_without_scenes_is_played_as_text(caller: Caller) -> None:
    assert "Toy, toy-1e" in caller.get("/play").text
    table = opened(caller, rules="toy toy-1e", policies="bold", seed="3")
    while not table.over:
        page = caller.get(f"{link(table)}?hint=1&chance=1", cookie=None)
        assert "Everything that you know, in words" in page.text
        assert chosen(caller, link(table), page).status == 303
    assert "The game is over" in caller.get(link(table), cookie=None).text
    assert "Turning points" in caller.get(f"{link(table)}/replay", cookie=None).text


@pytest.mark.slow
def test_people_answer_clause_decisions_and_the_replay_shows_them(caller: Caller) -> None:
    options = "choose=[{gain={coins=1}}, {price=1, gain={shields=1}}]"
    browns = ("Clay Pool", "Lumber Yard", "Ore Vein", "Stone Pit")
    asks = [f'cards."{card}".when=[{{event="turn_start", {options}}}]' for card in browns]
    table = opened(caller, changes="\n".join(asks))
    asked = ""
    while not table.over:
        page = caller.get(link(table), cookie=None)
        asked = page.text if "Choose: what an effect does" in page.text else asked
        chosen(caller, link(table), page)
    assert "gains 1 coin" in asked
    assert "pays 1 coin: gains 1 shield" in asked
    assert "chooses option 1 of" in caller.get(f"{link(table)}/replay", cookie=None).text


@pytest.mark.slow
def test_people_draft_a_further_deck_and_each_sees_only_its_own_hand(caller: Caller, tmp_path: Path) -> None:
    """Everybody keeps a companion and passes the others to the left, until each has four to recruit from (R101)."""
    shutil.copy(ROOT / "analysis" / "expansion" / "companions.toml", tmp_path)
    table = opened(caller, patch="companions.toml", name1="Bob", seed="5")

    def offered(seat: int, what: str) -> tuple[str, list[str]]:
        page = caller.get(link(table, seat), cookie=None).text
        assert f"Choose: a card of Companions to {what}" in page
        return page, re.findall(rf"Companions: {what} (\w+)", page)

    def both_keep_the_first() -> None:
        for seat in (0, 1):
            assert chosen(caller, link(table, seat)).status == 303

    (mine, hand), (others, theirs) = (offered(seat, "keep") for seat in (0, 1))
    assert len(hand) == len(theirs) == 4
    assert "Age I, before turn 1, a draft" in mine
    assert not [name for name in theirs if name in mine]
    assert not [name for name in hand if name in others]
    both_keep_the_first()
    page, passed = offered(1, "keep")
    assert passed == hand[1:]
    assert hand[0] not in page
    both_keep_the_first()
    both_keep_the_first()
    page, kept = offered(0, "recruit")
    assert len(kept) == 4
    assert hand[0] in kept
    assert "Companions: decline" in page
