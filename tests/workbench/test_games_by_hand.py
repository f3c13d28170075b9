"""Games on common deals and analyses of games in the workbench, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.positions.why import PLAYOUTS
from wsim.workbench import game_analysis, live_games
from wsim.workbench.game_analysis import Analyses, Analysis
from wsim.workbench.live_games import BLOCKS, LiveComparison, _block, _label

# --- games on common deals ------------------------------------------------------------------------------------------


def test_blocks_of_deals_follow_each_other() -> None:
    assert [_block(number) for number in range(7)] == [
        range(64), range(64, 128), range(128, 256), range(256, 512), range(512, 1024), range(1024, 1536),
        range(1536, 2048),
    ]  # fmt: skip
    assert BLOCKS[-1] == 512


def test_figures_of_a_comparison_are_labelled() -> None:
    def metric(**given: Any) -> Any:
        return SimpleNamespace(
            **{"wished": False, "item": None, "where": (), "share": False, "column": "total"} | given
        )

    labels = {
        "Worth of Palace: win share gained by seats that want it": metric(wished=True, item="Palace"),
        "Seats that have Palace": metric(item="Palace"), "Mean score of a seat": metric(),
        "Wins of Gizah side A": metric(where=(("wonder", "Gizah"), ("side", "A"))),
    }  # fmt: skip
    assert {_label(one): one for one in labels.values()} == labels
    assert live_games._kind(metric(share=True)) == live_games._kind(metric(column="win_share")) == "share"
    assert live_games._kind(metric()) == "points"
    assert [live_games._number(value) for value in (1.5, float("nan"), float("inf"))] == [1.5, None, None]


def test_deals_are_divided_among_threads_and_put_together_in_order() -> None:
    live: Any = object.__new__(LiveComparison)
    live._threads, live._pool = 3, SimpleNamespace(map=map)
    live._read = lambda frame, part: [np.array([frame]), np.array([[len(part)]])]
    arm: Any = SimpleNamespace(frame=lambda part: part.start)
    features = live._features(arm, range(10, 18))
    assert [array.tolist() for array in features] == [[10, 13, 16], [[3, 3, 2]]]


def test_sets_of_changes_are_forgotten_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    live: Any = object.__new__(LiveComparison)
    live._changed, live._items, live._played = {}, (), []
    live.metrics = [SimpleNamespace(wished=False)]
    live.plan = SimpleNamespace(set=("a",), replace=lambda **keys: keys["set"])
    live._game = SimpleNamespace(
        prepare=lambda changes: SimpleNamespace(seats=4 if "seats" in changes else 3, plan=changes)
    )
    live._baseline = SimpleNamespace(seats=3)
    monkeypatch.setattr(live_games, "MAX_KEPT", 2)
    first = live.prepare(["x=1"])
    assert live.prepare(["x=1"]) is first
    assert first[0].simulators[0].plan == ("a", "x=1")
    assert (first[1].deals, first[2]) == (0, 0)
    assert live.deals(["x=1"]) == 0
    assert live.rows(["x=1"]) == []
    live.prepare(["x=2"])
    live.prepare(["x=3"])
    assert list(live._changed) == [("x=2",), ("x=3",)]
    with pytest.raises(UserError, match="the change alters the number of seats"):
        live.prepare(["seats"])


def test_blocks_are_played_once_for_the_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    class Sums:
        def __init__(self, deals: int = 0) -> None:
            self.deals = deals

        def plus(self, features: Any) -> Sums:
            asked.append(features)
            return Sums(self.deals + 100)

    live: Any = object.__new__(LiveComparison)
    live._changed = {("a",): ("arm a", Sums(), 0), ("b",): ("arm b", Sums(), 0)}
    live._played, live._base = [], "base"
    live._features = lambda arm, games: (arm, games)
    monkeypatch.setattr(live_games, "MAX_DEALS", 200)
    assert live.advance(["a"])
    assert live.advance(["b"])
    assert live.advance(["a"])
    assert not live.advance(["a"])
    assert asked == [
        [("base", range(64)), ("arm a", range(64))], [("base", range(64)), ("arm b", range(64))],
        [("base", range(64, 128)), ("arm a", range(64, 128))],
    ]  # fmt: skip
    assert live._played == [("base", range(64)), ("base", range(64, 128))]
    assert live._changed["a",][2] == 2


# --- analyses of games ----------------------------------------------------------------------------------------------


class Line:
    """A game whose steps are the moves made in it; the policies make the move 9 until there are three steps."""

    def __init__(self, steps: tuple[int, ...] = (), over: int = 3) -> None:
        self.steps, self.length, self.by_net = list(steps), over, False

    @property
    def to_move(self) -> int | None:
        return None if len(self.steps) >= self.length else 0

    def history(self) -> list[Line]:
        return [Line(tuple(self.steps[:count])) for count in range(len(self.steps) + 1)]

    def step(self, move: int) -> Line:
        return Line((*self.steps, move))

    def follow(self) -> Line:
        self.steps.append(9)
        return self

    def record(self) -> Any:
        return list(self.steps)


def test_a_branch_keeps_the_steps_before_it() -> None:
    line: Any = Line((1, 2, 3))
    assert game_analysis.branch(line, 1, 7).steps == [1, 7, 9]
    assert game_analysis.branch(line, 0, 7).steps == [7, 9, 9]
    assert game_analysis.branch(line, 3, 7).steps == [1, 2, 3, 7]
    for at in (-1, 4):
        with pytest.raises(UserError, match=f"the game has 3 steps, not {at}"):
            game_analysis.branch(line, at, 7)
    assert game_analysis.with_branches(line, [(1, 7), (2, 8)]).steps == [1, 7, 8]
    assert game_analysis.with_branches(line, [(1, 7)] * game_analysis.MAX_BRANCHES).steps == [1, 7, 9]
    with pytest.raises(UserError, match="a game can have at most 20 branches, not 21"):
        game_analysis.with_branches(line, [(1, 7)] * (game_analysis.MAX_BRANCHES + 1))


def test_scenes_are_matched_with_the_steps_of_the_game() -> None:
    line: Any = Line((1, 2, 3))

    def board(*views: list[int]) -> Any:
        return SimpleNamespace(
            story=SimpleNamespace(positions=[SimpleNamespace(view=lambda _seat, v=v: v) for v in views])
        )

    assert game_analysis._steps(line, board([], [1, 2], [1, 2, 3])) == [0, 2, 3]
    assert game_analysis._steps(line, board([], [1, 7])) == []
    assert game_analysis._steps(line, board([1, 2], [1])) == [], "scenes do not go back"


def test_an_analysis_goes_on_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line((1, 2))
    marked: list[Any] = []
    monkeypatch.setattr(game_analysis, "decisions_of", lambda _game: [(Line(), 1), (Line((1,)), 2)])
    monkeypatch.setattr(game_analysis, "_board", lambda _game, names: f"board {names}")
    monkeypatch.setattr(game_analysis, "_steps", lambda _game, _board: [0, 1, 2])
    monkeypatch.setattr(game_analysis, "_with_chances", lambda _game, _names: "chances")
    monkeypatch.setattr(game_analysis, "values_along", lambda decisions, playouts: iter([playouts, len(decisions)]))
    monkeypatch.setattr(game_analysis, "mark_costly", lambda valued, playouts: marked.append((list(valued), playouts)))
    analysis: Any = Analysis(lambda: cast("Any", line), None, lambda _game: ["Ann"])
    assert (analysis.running, analysis.told, analysis.version) == (True, False, 0)
    analysis.advance()
    assert (analysis.board, analysis.told, analysis.of, analysis.playouts, analysis.version) == (
        "board ['Ann']", True, 2, PLAYOUTS, 1
    )  # fmt: skip
    assert [analysis.scene_of(index) for index in (0, 1)] == [1, 2]
    analysis.advance()
    assert (analysis.board, analysis.done) == ("chances", 0)
    analysis.advance()
    analysis.advance()
    assert (analysis.done, analysis.running, marked) == (2, True, [])
    analysis.advance()
    assert (analysis.running, analysis.finished, marked) == (
        False,
        True,
        [([PLAYOUTS, 2], PLAYOUTS)],
    )
    line.by_net = True
    by_net = Analysis(lambda: cast("Any", line), None, lambda _game: [])
    by_net.advance()
    assert by_net.playouts == 0
    monkeypatch.setattr(game_analysis, "decisions_of", lambda _game: [])
    empty = Analysis(lambda: cast("Any", line), 7, lambda _game: [])
    empty.advance()
    assert (empty.failure, empty.running) == ("nothing has been decided in this game yet", False)
    monkeypatch.setattr(game_analysis, "decisions_of", lambda _game: 1 / 0)
    broken = Analysis(lambda: cast("Any", line), 7, lambda _game: [])
    with pytest.raises(ZeroDivisionError):
        broken.advance()
    assert (broken.failure, broken.version) == ("the analysis failed: see the output of the server", 1)


def analyses(count: int, *, running: bool) -> Iterator[Any]:
    for number in range(count):
        yield number, SimpleNamespace(running=running, number=number)


def test_the_latest_analyses_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Analyses()
    monkeypatch.setattr(game_analysis, "MAX_STORED", 2)
    kept._worker = cast("Any", "busy")
    kept._analyses = dict(analyses(3, running=False))
    assert kept.of(0, cast("Any", None), None, cast("Any", None)).number == 0  # type: ignore[attr-defined]
    assert list(kept._analyses) == [2, 0], "the most recent ones"
    kept._analyses = dict(analyses(game_analysis.MAX_WAITING - 1, running=True))
    kept.of("new", lambda: cast("Any", Line()), 5, lambda _game: [])
    assert kept._next() is kept._analyses["new"]
    with pytest.raises(UserError, match="6 games are being analysed: wait until one is finished"):
        kept.of("more", lambda: cast("Any", Line()), 5, lambda _game: [])
    assert kept.of(0, cast("Any", None), None, cast("Any", None)).number == 0  # type: ignore[attr-defined]
    assert cast("Any", kept._next()).number == 0
    kept.end()
    assert kept._next() is None
    assert kept._worker is None
