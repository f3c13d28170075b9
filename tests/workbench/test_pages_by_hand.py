"""Pages of the workbench, requested without a network: six games in plain Python, two seats, every figure by hand.

``highest`` says 2 twice, ``fixed`` says 1 twice: every game ends 4 to 2.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

import pytest

from tests.positions import test_by_hand
from wsim.game import GAMES
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.workbench.folder import Folder
from wsim.workbench.guard import Access
from wsim.workbench.publish import _Asker
from wsim.workbench.server import application

Ask = Callable[[str], tuple[int, str]]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """A workbench over a folder with a run."""
    root = tmp_path_factory.mktemp("studies")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GAMES, "counting", f"{test_by_hand.__name__}:GAME")
        patch.chdir(root)
        record(Plan.make(game="counting", players=2, policies="highest,fixed", games=6), Path("run"), threads=1)
        yield _Asker(application(Folder.of(root), Access("site")))


def words(answer: tuple[int, str]) -> str:
    """Return the words of a page that can be shown."""
    status, text = answer
    assert status == 200, text
    text = re.sub(r"<(script|style|nav|head)\b.*?</\1>", " ", text, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())


def table(ask: Ask, options: str) -> list[list[str]]:
    """Return the first three columns of the table of policies that is downloaded."""
    lines = ask(f"/run.csv?run=run&table=policies{options}")[1].splitlines()
    return [line.split(",")[:3] for line in lines if line[:1] != "#"]


def links(answer: tuple[int, str]) -> list[str]:
    return [unescape(link) for link in re.findall(r'href="(/[^"]*)"', answer[1])]


def test_the_start_lists_the_studies_of_the_folder(ask: Ask) -> None:
    page = ask("/")
    assert "Counting standard, 2 players, 6 games, highest, fixed" in words(page)
    assert {"/run?run=run", "/ask/run?continued=run", "/ask", "/play"} <= set(links(page))


def test_a_table_of_a_run_has_its_figures_and_links(ask: Ask) -> None:
    page = ask("/run?run=run&table=policies")
    text = words(page)
    assert "Games 6 Players 2 Rules standard Seed 1 Policies highest, fixed" in text
    assert re.search(
        r"highest 6 100\.0% .* higher 4\.00 4\.00 to 4\.00 fixed 6 0\.0% .* lower 2\.00 2\.00 to 2\.00", text
    )
    assert "/thing?run=run&table=policies&name=highest" in links(page)
    assert table(ask, "") == [["policy", "n", "win_share"], ["highest", "6", "1.0"], ["fixed", "6", "0.0"]]
    assert table(ask, "&sort=-score&top=1")[1:] == [["fixed", "6", "0.0"]]
    assert table(ask, "&filter=score>3")[1:] == [["highest", "6", "1.0"]]


def test_a_policy_has_a_page_of_its_own(ask: Ask) -> None:
    page = ask("/thing?run=run&table=policies&name=highest")
    text = words(page)
    assert text.startswith("highest")
    assert re.search(r"n 6 Win share 100\.0% .* Score 4\.00 4\.00 to 4\.00 points", text)
    assert "--filter policy=highest" in text
    assert re.search(r"Win share 0\.0% .* Score 2\.00", words(ask("/thing?run=run&table=policies&name=fixed")))


def test_what_does_not_exist_is_refused(ask: Ask) -> None:
    for address, status, sentence in (
        ("/run?run=none", 400, "does not exist"), ("/nothing", 404, ""), ("/run?run=run&table=cards", 400, "cards"),
        ("/thing?run=run&table=policies&name=none", 400, "none"), ("/ask/nothing", 400, "nothing"),
        ("/seat/none", 400, "this link is no longer valid"), ("/play/none", 400, "this table no longer exists"),
        ("/asked/1", 400, "since the server started"),
        ("/run?run=../run", 400, ""), ("/answer?file=none.json", 400, ""),
    ):  # fmt: skip
        answer = ask(address)
        assert answer[0] == status, address
        assert sentence in unescape(answer[1]), address


def test_a_game_is_analysed_move_by_move(ask: Ask) -> None:
    """The result is known: highest cannot lose, fixed cannot win; saying 0 would only tie."""
    address = "/analyse?run=run&number=1&playouts=2"
    for _ in range(500):
        text = words(ask(address))
        if "Preparing" not in text:
            break
        time.sleep(0.01)
    assert "highest (Seat 0) 4.0 (wins), fixed (Seat 1) 2.0" in text
    assert "wsim trace run 1 --playouts 2 --why" in text
    status, text = ask("/analyse/values?run=run&number=1&playouts=2")
    assert status == 200
    values = words((200, text))
    parts = re.split(r"(?:highest|fixed) \(Seat [01]\), say: action", values)[1:]
    assert [part.split()[0] for part in parts] == ["2", "1", "2", "1"]
    assert re.match(
        r" 2 3 moves; the move made cost 0\.00 1\.00 .*action 2 made .*0\.50 action 0 lower by 0\.50", parts[0]
    )


def test_forms_and_choices_are_about_the_game(ask: Ask) -> None:
    choices = json.loads(ask("/choices?picker=policy&game=counting")[1])
    assert [choice["value"] for choice in choices] == ["highest", "fixed", "search"]
    assert "1 of 1 cards rounds value 2; default 2; from 1; to 9" in words(ask("/cards?game=counting"))
    assert words(ask("/ask/match?game=counting")).startswith("Match")
    assert {"/ask/match", "/ask/run"} <= set(links(ask("/ask")))
