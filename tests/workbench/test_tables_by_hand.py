"""Tables at which people and policies play, by hand: seats say 0, 1 or 2 in turn, twice each, and the sum counts.

``fixed`` says 1, ``highest`` says 2.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.positions import test_by_hand
from wsim.errors import UserError
from wsim.game import GAMES
from wsim.lab.plan import Plan
from wsim.positions.game_value import Game
from wsim.workbench import play_table
from wsim.workbench.play_table import MAX_LETTERS, MAX_PEOPLE, NAMELESS, Table, Tables, new_seed, person


class Immediate:
    """A thread that runs when it starts."""

    def __init__(self, target: Callable[..., object], args: tuple[Any, ...] = (), **_how: Any) -> None:
        self.start = partial(target, *args)


@pytest.fixture(autouse=True)
def _immediate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "counting", f"{test_by_hand.__name__}:GAME")
    threads = {"Thread": Immediate, "Lock": threading.Lock, "RLock": threading.RLock, "Event": threading.Event}
    monkeypatch.setattr(play_table, "threading", SimpleNamespace(**threads))


def refused(sentence: str) -> Any:
    return pytest.raises(UserError, match=sentence)


def sat(names: dict[int, str], *policies: str, folder: Path | None = None, begun: bool = True, **keys: Any) -> Table:
    plan = Plan.make(game="counting", policies=policies or ("highest", "fixed", "fixed"), **{"players": 3, **keys})
    table = Table(lambda: Game(plan), plan, names, folder)
    if begun:
        table.begin()
    return table


def say(table: Table, seat: int, index: int) -> None:
    decision = table.decision(seat)
    assert decision is not None
    table.choose(seat, decision.stamp, index)


def said(table: Table) -> list[list[int]]:
    """Return what every seat has said."""
    steps: Any = table.game().steps
    return [steps[seat :: table.plan.players] for seat in range(table.plan.players)]


def test_people_and_policies_move_in_turn_until_the_game_is_over() -> None:
    """Ann says 2 and 0, Bob 1 and 2; the policy between them says 1."""
    table = sat({0: "Ann", 2: "Bob"}, begun=False)
    assert not table.ready
    with refused("the game is being prepared"):
        table.game()
    table.begin()
    assert (table.ready, table.over, table.title) == (True, False, "Counting standard, 3 players")
    assert table.sitting() == ["Ann", "fixed", "Bob"]
    decision = table.decision(0)
    assert decision is not None
    assert decision.what != "your move"
    with refused("Move 3 does not exist: moves are numbered 0 to 2."):
        table.choose(0, decision.stamp, 3)
    with refused("Move -1 does not exist"):
        table.choose(0, decision.stamp, -1)
    with refused("The game has moved on"):
        table.choose(0, "other", 0)
    before = table.version
    table.choose(0, decision.stamp, 2)
    assert said(table) == [[2], [1], []]
    assert table.version > before
    say(table, 2, 1)
    table.undo(2)
    assert said(table) == [[2], [1], []]
    say(table, 2, 1)
    say(table, 0, 0)
    say(table, 2, 2)
    assert said(table) == [[2, 0], [1, 1], [1, 2]]
    assert table.over
    with refused("The game is over: nothing can be undone."):
        table.undo(2)
    with refused("The game is over: nobody can take over a seat."):
        table.take_over(1, "Cy")
    with refused("The game is over."):
        table.choose(0, decision.stamp, 0)
    (played,) = table.evening
    assert [(score.name, score.total, score.win_share, score.person) for score in played.scores] == [
        ("Ann", 2, 0, True), ("fixed", 2, 0, False), ("Bob", 3, 1, True),
    ]  # fmt: skip
    assert table.kept == "", "nowhere"


def test_a_choice_made_ahead_is_dropped_if_the_decision_has_changed() -> None:
    """Bob chooses before Ann and the policy have said anything: what he knows has changed unless they say 0."""
    for index, moves in ((0, [[0], [0], [2]]), (1, [[1], [0], []])):
        table = sat({0: "Ann", 2: "Bob"}, "highest", "fixed:word=0", "highest")
        say(table, 2, 2)
        assert table.decision(2) is None, "he has chosen"
        assert said(table) == [[], [], []]
        with refused("You have nothing to choose now: others are still choosing."):
            table.choose(2, "", 0)
        say(table, 0, index)
        assert said(table) == moves
    table = sat({0: "Ann", 2: "Bob"}, "highest", "fixed:word=0", "highest")
    say(table, 2, 2)
    table.undo(2)
    say(table, 0, 0)
    assert said(table) == [[0], [0], []], "it was undone before it was made"


def test_a_person_replaces_a_policy() -> None:
    table = sat({0: "Ann"}, "highest", "fixed", "highest")
    assert said(table) == [[], [], []]
    with refused("There is no policy in this seat"):
        table.take_over(0, "Cy")
    for seat in (-1, 3):
        with refused("There is no policy in this seat"):
            table.take_over(seat, "Cy")
    table.take_over(1, "Cy")
    say(table, 0, 0)
    assert said(table) == [[0], [], []], "Cy is waited for"
    say(table, 1, 0)
    assert said(table) == [[0], [0], [2]]
    assert (set(table.links), len(set(table.links.values()))) == ({0, 1}, 2)
    assert table.free() == [0], "Cy sat down, Ann's link was given out"
    table.rename(0, "Al")
    assert (table.sitting(), table.free()) == (["Al", "Cy", "highest"], [])
    assert table.named("seat 0 beats seat 2") == "Al beats highest"
    with refused("two people are called 'cy'"):
        table.rename(0, "cy")
    waiting = table.waited_for()
    assert list(waiting) == [0, 1], "Cy may choose ahead: the others may say nothing that counts"
    assert table.waited_for()[0] >= waiting[0] >= 0


def test_policies_in_several_seats_are_numbered() -> None:
    assert sat({1: "Ann"}, "fixed", "highest", "fixed").sitting() == ["fixed 1", "Ann", "fixed 2"]
    assert sat({1: "Ann"}, "fixed", players=4).sitting() == ["fixed 1", "Ann", "fixed 2", "fixed 3"]


def test_the_next_game_begins_one_seat_further_on() -> None:
    """Policies and people move on together, and each person keeps the link."""
    table = sat({0: "Ann"}, "highest", "fixed", "highest")
    link = table.links[0]
    with refused("The game is not over: the next game can begin when it is."):
        table.rematch()
    say(table, 0, 0)
    say(table, 0, 1)
    table.refuse(0, "late")
    assert (table.refusal(0), table.refusal(0)) == ("late", "")
    seed = table.plan.seed
    table.rematch()
    assert (table.number, table.over, table.ready) == (2, False, True)
    assert (table.names, table.links) == ({1: "Ann"}, {1: link})
    assert table.sitting() == ["highest", "Ann", "fixed"]
    assert table.plan.seed != seed
    assert said(table) == [[2], [], []]


def test_a_table_is_saved_and_restored(tmp_path: Path) -> None:
    table = sat({0: "Ann", 2: "Bob"}, folder=tmp_path)
    assert table.file == tmp_path / f"table-{table.key}.json"
    assert Table.file_name("k", 1) == "table-k.json"
    assert Table.file_name("k", 2) == "table-k-2.json"
    say(table, 0, 2)
    table.rename(2, "Bo")
    saved = json.loads((tmp_path / f"table-{table.key}.json").read_text(encoding="utf-8"))
    assert (saved["steps"], saved["people"]) == ([2, 1], ["Ann", None, "Bob"])
    again = Table.of_record(tmp_path, json.loads(json.dumps(table.record())))
    again.begin()
    assert said(again) == [[2], [1], []]
    assert (again.key, again.links, again.names, again.taken) == (
        table.key,
        table.links,
        {0: "Ann", 2: "Bo"},
        table.taken,
    )
    assert (again.watching, again.inviting, again.number) == (table.watching, table.inviting, 1)
    say(again, 2, 0)
    say(again, 0, 0)
    say(again, 2, 0)
    once = Table.of_record(tmp_path, json.loads(json.dumps(again.record())))
    assert once.evening == again.evening
    assert len(once.evening) == 1
    assert [score.total for score in once.evening[0].scores] == [2, 2, 0]


def test_a_game_between_policies_is_watched_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without people, moves are played at a pace; a step plays one."""
    monkeypatch.setattr(Table, "_follow_policies", lambda _table: None)
    table = sat({}, "fixed", "highest", players=2)
    assert said(table) == [[], []]
    with refused("the pace must be one of 0.5, 1, 2, 5 seconds, not 3"):
        table.set_pace(paused=False, pace=3.0)
    table.set_pace(paused=True, pace=0.5)
    assert (table.paused, table.pace, said(table)) == (True, 0.5, [[], []])
    for moves in ([[1], []], [[1], [2]], [[1, 1], [2]], [[1, 1], [2, 2]]):
        table.set_pace(paused=True, pace=0.5, step=True)
        assert said(table) == moves
    assert table.over
    assert [score.win_share for score in table.evening[0].scores] == [0, 1]


def test_a_watched_game_is_played_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_table, "PACE", 0.0)
    table = sat({}, "fixed", "highest", players=2, begun=False)
    assert table.pace == 0
    table.begin()
    assert said(table) == [[1, 1], [2, 2]]
    assert (table.over, len(table.evening)) == (True, 1)


def test_a_game_that_cannot_begin_says_why() -> None:
    plan = Plan.make(game="counting", players=2, policies="fixed")

    def fail() -> Game:
        raise UserError("no such cards")

    table = Table(fail, plan, {0: "Ann"})
    table.begin()
    assert (table.failure, table.ready, table.over) == ("no such cards", False, False)
    with refused("no such cards"):
        table.game()
    assert (MAX_PEOPLE, NAMELESS) == (7, "Player")


def test_a_failed_save_is_told_and_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = sat({0: "Ann"}, folder=tmp_path)

    def full(_path: Path, _text: str) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(play_table, "write_text", full)
        say(table, 0, 1)
    assert table.unsaved == "disk full"
    say(table, 0, 1)
    assert table.unsaved == ""


def test_links_lead_to_seats_until_the_table_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_table, "MAX_TABLES", 2)
    tables, plan = Tables(tmp_path), Plan.make(game="counting", players=3, policies="fixed")
    first = tables.open(lambda: Game(plan), plan, {0: "Ann", 2: "Bob"}, tmp_path, 30)
    second = tables.open(lambda: Game(plan), plan, {1: "Cy"}, tmp_path)
    assert (list(tables), first.clock, second.clock) == ([second, first], 30, 0)
    assert tables.of(first.key) is first
    assert tables.seat(first.links[2]) == (first, 2)
    assert [tables.place(link) for link in (second.links[1], second.watching, first.inviting)] == [
        (second, 1), (second, "watch"), (first, "invite"),
    ]  # fmt: skip
    with refused("this link is for watching only"):
        tables.seat(second.watching)
    with refused("this link is no longer valid"):
        tables.place("other")
    with refused("there are already 2 tables: close one first"):
        tables.open(lambda: Game(plan), plan, {}, tmp_path)
    say(second, 1, 0)
    assert sorted(table.key for table in Tables(tmp_path)) == sorted([first.key, second.key]), "after a restart"
    files = first.file, second.file
    for table in (first, second):
        tables.close(table.key)
        with refused("this table no longer exists"):
            tables.of(table.key)
    assert [file is not None and file.exists() for file in files] == [False, True], "of games that somebody played"
    assert list(Tables(tmp_path)) == []


def test_people_have_different_names_and_existing_seats() -> None:
    plan = Plan.make(game="counting", players=3, policies="fixed")
    tables = Tables()
    for names, sentence in (
        ({0: "Ann", 1: "ANN"}, "two people are called 'Ann'"),
        ({3: "Ann"}, "seat 3 does not exist: seats are numbered 0"),
        ({-1: "Ann"}, "seat -1 does not exist"), ({seat: str(seat) for seat in range(8)}, "at most 7 people"),
    ):  # fmt: skip
        with refused(sentence):
            tables.open(lambda: Game(plan), plan, names)
    assert person("  Ann \n  B ") == "Ann B"
    assert person("x" * MAX_LETTERS) == "x" * MAX_LETTERS
    with refused("a name can have at most 40 characters, not 41"):
        person("x" * 41)
    with refused("a name must not contain control characters"):
        person("a\x07b")
    assert len({new_seed() for _ in range(9)}) == 9
    assert all(0 <= new_seed() < 2**48 for _ in range(9))
