"""Tests of the win-chance kernels in plain Python, on a game of three stages in which two seats add points.

In every stage seat 0 and then seat 1 takes one of the numbers 1, 2 and 3; the line-up takes 1 in seat 0 and 2 in
seat 1. The made-up value net gives a seat log(1 + points), so that its chance is its share of the points and one each.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wsim.jit import from_dtype, types
from wsim.kernels import chances as chances_module
from wsim.kernels.chances import COLLECT, FOLLOW, TRIAL, ChanceHooks, Entries
from wsim.kernels.commands import EVERYTHING
from wsim.kernels.heads import NOBODY
from wsim.rng import mix

pytestmark = pytest.mark.jit_off
DECISIONS = 6  # two seats, three stages
STATE, MOVE = np.dtype([("numbers", "f4", (1,)), ("moves", "i8")]), np.dtype([("numbers", "f4", (1,)), ("worth", "f8")])


class Game:
    """Words 0 and 1: points; 2: decisions made; 3: what is hidden; 4: whether a decision is prepared and restricted."""

    def __init__(self) -> None:
        self.words = np.zeros(5, np.uint64)
        self.answer = SimpleNamespace(wrong=5, searching=5)
        self.log = SimpleNamespace(recording=5)
        self.choice = SimpleNamespace(kind=7, count=0, moves=np.array([1, 2, 3]))
        self.public, self.own = "public", ("own 0", "own 1")
        self.prepared: list[int] = []
        self.wrong_at = -1

    @property
    def made(self) -> int:
        return int(self.words[2])


def next_decision(game: Game, _rules: Any, _seat: int) -> int:
    game.words[4] = 1
    game.choice.count = 3
    return NOBODY if game.made == DECISIONS else game.made % 2


def restrict(game: Game, _rules: Any, _seating: Any) -> None:
    assert game.words[4] == 1
    game.words[4] = 2


def take(game: Game, _rules: Any, move: int) -> None:
    asked = game.choice.kind == "asked"  # of a move that is compared: it need not be allowed to a restricted seat
    assert game.words[4] == 2 or (asked and game.words[4] == 1), "a decision is prepared, and restricted"
    game.words[game.made % 2] += np.uint64(move)
    game.words[2] += np.uint64(1)
    game.words[4] = 0


def decide(game: Game, _rules: Any, _seating: Any, _line_up: Any, decider: int) -> int:
    assert game.words[4] in (1, 2)
    game.words[4] = 2
    return -1 if game.made == game.wrong_at else decider


def begin(game: Game, _rules: Any, _seating: Any, number: int) -> None:
    game.words[:] = 0
    game.words[3] = number


def write_rows(game: Game, _rules: Any, rows: Any, at: int, number: int) -> None:
    rows[at : at + 2] = [number * 100 + int(points) for points in game.words[:2]]


def fill(game: Game, rules: Any, seat: int, x: Any, standing: Any) -> None:
    assert (x.tolist(), standing.tolist(), game.choice.kind) == ([0], [[0]], 0), "no decision is described"
    assert game.prepared[-1] == game.made, "what fill reads is worked out first"
    x[0], standing[0, 0] = game.words[seat], 10 + seat


def layers(public: Any, own: Any, _choice: Any, _rules: Any, net: Any, places: Any, count: int, x: Any, standing: Any,
           learned: Any) -> None:  # fmt: skip
    assert (public, own, net, places[0], count) == ("public", f"own {int(standing[0, 0]) - 10}", "net", 0, 1)
    learned[0] = math.log(1 + x[0])


def ranked(public: Any, own: Any, _choice: Any, _rules: Any, ranking: Any, places: Any, learned: Any) -> int:
    assert (public, own[:3], ranking) == ("public", "own", "ranking")
    places[:3], learned[:3] = [2, 0, 1], [5.0, 1.0, 3.0]  # taking 3 is best, then taking 2
    return 3


def redraw(game: Game, _rules: Any, seed: int, number: int, seat: int) -> None:
    game.words[3] = seed * 10000 + number * 10 + seat
    game.words[0] += np.uint64(number)  # the hidden points of seat 0


def over(game: Game, seat: int) -> tuple[int, float]:
    return int(game.words[seat]), float(game.words[seat]) / 100


def scramble(word: np.uint64) -> np.uint64:
    with np.errstate(over="ignore"):
        return np.uint64(getattr(mix, "py_func", mix)(word))


class Plain(Entries):
    """The entry points as plain functions, called with arrays of the types for which they are compiled."""

    def compiled(self, template: Any, inner: Any, *signature: Any) -> Any:
        def called(*given: Any) -> Any:
            assert len(given) == len(signature) == template.__code__.co_argcount
            for array, kind in zip(given, signature, strict=True):
                if isinstance(kind, types.Array):
                    plain = np.dtype(array.dtype.descr) if array.dtype.names else array.dtype  # not of np.record
                    assert (array.ndim, from_dtype(plain)) == (kind.ndim, kind.dtype)
            return inner(*given)

        return called


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> Entries:
    described.clear()

    def copy(source: Any, target: Any) -> None:
        target[:5] = source[:5]

    def room(_name: str, dtype: Any, *shape: int) -> Any:
        return lambda: np.full(shape, 99, dtype)

    monkeypatch.setattr(chances_module, "kernel", lambda function, **_how: function)
    monkeypatch.setattr(chances_module, "mix", scramble)
    monkeypatch.setattr(chances_module, "stack_room", room)
    monkeypatch.setattr(chances_module, "copying", lambda _state: copy)
    monkeypatch.setattr(chances_module, "valuing", lambda _net: layers)

    def describe_items(
        _public: Any, own: Any, _choice: Any, _rules: Any, state: Any, _standings: Any, _places: Any
    ) -> None:
        assert (state.moves, own[:3]) == (0, "own")
        described.append(own)

    own = SimpleNamespace(state=np.dtype("5u8"), seats=2, settings=types.int64, **dict.fromkeys(
        ("game", "words", "rules", "seating", "line_up"), types.int64))  # fmt: skip
    hooks = SimpleNamespace(next_decision=next_decision, restrict=restrict, take=take, write_rows=write_rows)
    engine: Any = SimpleNamespace(types=own, decide=decide, begin=begin, hooks=hooks)
    sizes = SimpleNamespace(state_numbers=1, move_numbers=1)
    net: Any = SimpleNamespace(sizes=sizes, describe_items=describe_items, candidates=4)

    def seat_players(game: Game, _rules: Any, _seating: Any, seed: int, number: int) -> None:
        assert game.words[3] in (0, seed * 10000 + number * 10 + 1)

    made = ChanceHooks(
        net, SimpleNamespace(values=ranked), lambda game, _rules: game.prepared.append(game.made), fill,  # type: ignore[arg-type]
        lambda game: game.made // 2, lambda _rules: 2, over, redraw, seat_players,
    )  # fmt: skip
    return Plain(engine, made, types.int64, STATE, MOVE)


RULES, NET = SimpleNamespace(seats=2), SimpleNamespace(net="net")
described: list[str] = []
"""The private records whose items were described."""


def followed(
    entries: Entries, task: int, games: int, gap: int, room: int = 9, states: int = 9, wrong_at: int = -1, most: int = 4
) -> Any:
    game = Game()
    game.wrong_at = wrong_at
    rows, stages = np.zeros(2 * games, np.int64), np.full((games, most), -1, np.int16)
    chances, trials = np.zeros((games, 4, 2), np.float32), np.zeros((room, 2, TRIAL + 2), np.float32)
    records = np.zeros(states, STATE).view(np.recarray), np.zeros(states, MOVE).view(np.recarray)
    saved = np.zeros(10, np.uint64)
    written = entries.follow(
        game, game.words, saved, RULES, "seating", "line up", "ranking", NET, task, 4, gap, rows, stages, chances,
        trials, *records,
    )  # fmt: skip
    assert (game.answer.wrong, game.log.recording, game.choice.kind) == (0, 0, 7)
    return written, rows, stages, chances, trials, records


def test_win_chances_at_each_stage_and_after_its_two_best_moves(entries: Entries) -> None:
    written, rows, stages, chances, trials, _ = followed(entries, FOLLOW, 2, 1)
    assert rows.tolist() == [403, 406, 503, 506], "a trial leaves the game as it was"
    assert stages.tolist() == [[0, 1, 2, -1]] * 2
    expected = [[1 / 2, 1 / 2], [2 / 5, 3 / 5], [3 / 8, 5 / 8], [0, 0]]
    assert chances == pytest.approx(np.array([expected] * 2), abs=1e-6)
    assert written == 6
    assert trials[:6, 0, :2].tolist() == trials[:6, 1, :2].tolist() == [[p, s] for p in (0, 1) for s in (0, 1, 2)]
    assert set(trials[:6, 0, 2]) == {0, 1}
    for trial in trials[:6]:
        stage, seat = int(trial[0, 1]), int(trial[0, 2])
        for attempt, move in enumerate((3, 2)):
            points = np.array([stage + 1.0, 2 * stage + 2.0])
            points[seat] += move - (1, 2)[seat]
            share = points / 100 if stage == 2 else (points + 1) / (points + 1).sum()
            assert trial[attempt, TRIAL:] == pytest.approx(share, abs=1e-6), (stage, seat, move)
            assert trial[attempt, 2] == seat
    few = followed(entries, FOLLOW, 2, 1, room=2)
    assert few[0] == 2, "as many as there is room for"
    assert followed(entries, FOLLOW, 40, 4, room=200)[0] == pytest.approx(30, abs=15)
    assert followed(entries, FOLLOW, 2, 1, most=2)[2].tolist() == [[0, 1]] * 2, "stages for which there is room"


def test_a_wrong_index_is_reported_with_its_game(entries: Entries) -> None:
    for wrong_at in range(DECISIONS):
        assert followed(entries, FOLLOW, 1, 1 << 40, wrong_at=wrong_at)[0] == -1 - 4
        assert followed(entries, FOLLOW, 1, 1, wrong_at=wrong_at)[0] == -1 - 4, "in a trial, too"


def test_stage_inputs_come_with_the_results_of_the_seats(entries: Entries) -> None:
    written, _, stages, chances, _, (states, standings) = followed(entries, COLLECT, 1, 1)
    assert (written, stages.tolist(), chances.any()) == (6, [[0, 1, 2, -1]], False)
    assert described == ["own 0", "own 1"] * 3
    assert states.numbers[:6, 0].tolist() == [0, 0, 1, 2, 2, 4]
    assert states.moves[:7].tolist() == [1] * 6 + [0]
    assert standings.numbers[:6, 0].tolist() == [10, 11] * 3
    assert standings.worth[:7].tolist() == pytest.approx([0.03, 0.06] * 3 + [0])
    assert followed(entries, COLLECT, 3, 1, states=8)[0] == 8
    assert followed(entries, COLLECT, 3, 1, states=7)[0] == 6, "all seats or none"


def compared(entries: Entries, moves: list[int], seat: int, ahead: int = 1, draws: int = 1, made: int = 2) -> Any:
    game, state = Game(), np.zeros(10, np.uint64)
    state[:3] = made // 2, made // 2 * 2, made  # the points that the line-up makes
    result = np.zeros((draws, max(len(moves), 1), 3))
    game.choice.kind = "asked"
    failed = entries.compare(
        game, game.words, state, RULES, "seating", "line up", NET, 5, seat, 2, ahead, np.array(moves, np.int16), result,
    )  # fmt: skip
    assert (game.answer.wrong, game.answer.searching, game.log.recording) == (0, 0, 0)
    assert state[:3].tolist() == [made // 2, made // 2 * 2, made], "the position itself stays"
    return failed, result


def test_chances_after_a_move_and_several_stages_later(entries: Entries) -> None:
    """After stage 0 seat 0 has 1 and seat 1 has 2; in stage 1 seat 0 adds 1, 2 or 3 and seat 1 two."""
    failed, result = compared(entries, [0, 2], EVERYTHING)
    assert failed == 0
    assert result == pytest.approx(np.array([[[3 / 8, 5 / 8, 2], [5 / 10, 5 / 10, 2]]]))
    assert compared(entries, [0, 2], EVERYTHING, ahead=2)[1] == pytest.approx(
        np.array([[[0.03, 0.06, 3], [0.05, 0.06, 3]]])
    )
    assert compared(entries, [0], EVERYTHING, ahead=9, made=4)[1] == pytest.approx(np.array([[[0.03, 0.06, 3]]]))
    assert compared(entries, [], EVERYTHING)[1] == pytest.approx(np.array([[[2 / 5, 3 / 5, 1]]]))
    # what seat 1 cannot know is redrawn with the streams of games 5 and 6: seat 0 has as many more points
    drawn = compared(entries, [0, 1], 1, draws=2)[1]
    expected = [[[8 / 13, 5 / 13, 2], [9 / 14, 5 / 14, 2]], [[9 / 14, 5 / 14, 2], [10 / 15, 5 / 15, 2]]]
    assert drawn == pytest.approx(np.array(expected))
