"""Values, chances and costs of moves by hand, on positions with made-up playouts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.positions import why as why_module
from wsim.positions.chances import MAX_PLAYOUTS, MIN_PLAYOUTS, Chances, chances, check_playouts, playouts_of, swings
from wsim.positions.values import BY_NET, FAR, ROUND, SHARE, WORLDS, Values, ValuesByNet
from wsim.positions.why import is_mistake, mark_costly, values_along, why_along, why_of, why_text


class MadeUp:
    """A position of seat 1 of 2 in which moves 0, 1 and 2 win 1, 0 and 2 of two playouts, and score 4, 2 and 9."""

    to_move = 1

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def compare(self, _simulator: Any, moves: Sequence[int], playouts: int, watcher: Any, seed: int, first: int) -> Any:
        self.asked.append((playouts, watcher, seed, first))
        outcomes = np.zeros((playouts, len(moves), 2, 2))
        for index, move in enumerate(moves):
            outcomes[:, index, 1, 0] = (4, 2, 9)[move]
            won = np.arange(first, first + playouts) % 2 if move == 0 else move // 2
            outcomes[:, index, 1, 1], outcomes[:, index, 0, 1] = won, 1 - won
        return outcomes

    def moves(self) -> list[dict[str, Any]]:
        return [{"action": name} for name in ("even", "never", "always")]


TABLE: Any = SimpleNamespace(seats=2)


def test_moves_share_playouts_and_counting_continues() -> None:
    position: Any = MadeUp()
    values = Values(position, TABLE, [0, 1, 2], 7)
    said: list[tuple[Any, ...]] = []
    values.play_on(ROUND + 36, progress=lambda *words: said.append(words))
    assert position.asked == [(ROUND, 1, 7, FAR), (36, 1, 7, FAR + ROUND)]
    assert said == [("playouts", ROUND, 100), ("playouts", 100, 100)]
    values.play_on(100)
    assert len(position.asked) == 2, "they are there already"
    Values(position, TABLE, [0], 7, hidden=False, first=5).play(3)
    assert position.asked[-1] == (3, None, 7, FAR + 5)
    assert values.means[:, :, SHARE].tolist() == [[0.5, 0.5], [1, 0], [0, 1]]
    # the losses of move 0 against move 2 are 1 or 0: standard deviation sqrt(n / (n - 1)) / 2, error over sqrt(n)
    loss = values.losses(2)
    assert loss.value.tolist() == [0.5, 1.0, 0.0]
    assert loss.error[0] == pytest.approx(math.sqrt(100 / 99) / 2 / 10)
    assert (loss.low[1], loss.high[1]) == (pytest.approx(1 - 0.03 * 2), 1.0), "3 of 100 unseen playouts could be -1"
    assert (loss.low[2], loss.high[2]) == (0.0, 0.0), "the best move against itself"
    assert values.order() == [2, 0, 1]
    row = values.rows()[1]
    assert (row["index"], row["move"], row["games"]) == (0, {"action": "even"}, 100)
    assert (row["win_share"], row["score"], row["score_low"], row["score_high"], row["loss"]) == (0.5, 4, 4, 4, 0.5)
    assert row["low"] == pytest.approx(0.5 - 1.984217 * math.sqrt(0.25 / 99), abs=1e-6), "Student, 99 degrees"
    assert (row["win_shares"], row["scores"]) == ([0.5, 0.5], [0, 4])
    few = Values(position, TABLE, [1, 2], 7)
    few.play(2)
    assert (few.losses(1).low[0], few.losses(1).high[0]) == (-1.0, 1.0), "two playouts say next to nothing"


def test_playouts_are_bounded_and_a_single_one_has_no_interval() -> None:
    for playouts in (0, 2, 1_000_000):
        check_playouts(playouts)
    for playouts in (-1, 1, 1_000_001):
        with pytest.raises(UserError, match="playouts must be from 2 to 1,000,000, not"):
            check_playouts(playouts)
    values: Any = SimpleNamespace(playouts=1)
    assert np.isnan(Values._interval(values, np.array([0.5]), np.array([0.25])).error).all()
    values.playouts = 2
    assert Values._interval(values, np.array([0.5]), np.array([1.0])).error.tolist() == [0.5], "0 and 1"


def test_the_time_limit_is_checked_after_each_round(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 0.0, 0.4, 0.4, 1.2, 1.2, 2.0, 2.0])
    monkeypatch.setattr("wsim.positions.values.time.monotonic", lambda: next(times))
    position: Any = MadeUp()
    said: list[tuple[Any, ...]] = []
    values = Values(position, TABLE, [0], 7)
    values.play_on(None, 2.0, lambda *words: said.append(words))
    assert said == [("seconds", 0, 2), ("seconds", 1, 2), ("seconds", 2, 2)]
    assert values.playouts == 3 * ROUND
    times = iter([0.0, 9.0, 9.0])
    late = Values(position, TABLE, [0], 7)
    late.play_on(10, 2.0)
    assert late.playouts == 10, "one round at least"


def test_net_values_have_no_scores_and_no_intervals() -> None:
    def compare(_position: Any, moves: Any, draws: int, seat: int, seed: int, first: int) -> Any:
        assert (moves, draws, seat, seed, first) == ([0, 1], WORLDS, 1, 7, FAR)
        return np.tile(np.array([[0.75, 0.25], [0.4, 0.6]]), (draws, 1, 1))

    position: Any = MadeUp()
    table: Any = SimpleNamespace(seats=3, follower=SimpleNamespace(compare=compare))
    values = ValuesByNet(position, table, [0, 1], 7)
    values.play_on(BY_NET)
    assert values.playouts == WORLDS
    shares = np.array([[0.75, 0.25, 0.0], [0.4, 0.6, 0.0]])  # a third city cannot win
    assert values.means[..., SHARE] == pytest.approx(shares)
    rows = values.rows()
    assert [(row["index"], row["win_share"], row["games"], row["score"]) for row in rows] == [
        (1, 0.6, 0, None), (0, 0.25, 0, None),
    ]  # fmt: skip
    assert (rows[1]["loss"], rows[1]["loss_low"], rows[1]["loss_high"]) == (0.35, 0.35, 0.35)
    assert (rows[0]["low"], rows[0]["high"]) == (0.6, 0.6)


def test_win_chances_of_positions() -> None:
    """Two decisions and the end of a game of two seats; playouts of seat 1 know less than the observer."""
    asked: list[tuple[Any, ...]] = []

    def play_out(_simulator: Any, playouts: int, seat: int | None, seed: int, first: int) -> Any:
        asked.append((playouts, seat, seed, first))
        outcomes = np.zeros((playouts, 2, 2))
        outcomes[:, :, 1] = [0.25, 0.75] if seat is None else [0.4, 0.6]
        return outcomes

    decision: Any = SimpleNamespace(to_move=0, play_out=play_out)
    over: Any = SimpleNamespace(to_move=None, scores=lambda: [{"win_share": 0.0}, {"win_share": 1.0}])
    said: list[tuple[Any, ...]] = []
    found = chances([decision, over], TABLE, 100, 3, [1], lambda *words: said.append(words))
    assert asked == [(100, 1, 3, FAR), (100, None, 3, FAR)]
    assert said == [("win chances", 0, 2), ("win chances", 1, 2)]
    assert found.share.tolist() == [[0, 0.6], [0, 1]]
    assert found.outside.tolist() == [[0.25, 0.75], [0, 1]]
    assert (found.low[0, 1], found.high[0, 1]) == pytest.approx((0.5020026, 0.6905988), abs=1e-6)
    assert (found.low[1].tolist(), found.high[1].tolist(), found.playouts) == ([0, 1], [0, 1], 100)
    for wrong in (-1, MIN_PLAYOUTS - 1, MAX_PLAYOUTS + 1):
        with pytest.raises(UserError, match=f"playouts must be from 2 to 1,000,000, not {wrong}"):
            check_playouts(wrong)
    for right in (BY_NET, MIN_PLAYOUTS, MAX_PLAYOUTS):
        check_playouts(right)
    with pytest.raises(UserError, match="no value net for this table of odd"):
        chances([decision], SimpleNamespace(seats=2, plan=SimpleNamespace(game="odd")), BY_NET, 3, [1])  # type: ignore[arg-type]
    assert playouts_of(TABLE, 50) == 50
    net: Any = SimpleNamespace(value_net=object(), seats=3, plan=SimpleNamespace(players=2))
    assert playouts_of(net, 50) == BY_NET
    net.follower = SimpleNamespace(chances=lambda _position, *words: np.array([0.3, 0.7] if words else [0.1, 0.9]))
    by_net = chances([decision], net, BY_NET, 3, [1])
    assert (by_net.share.tolist(), by_net.outside.tolist()) == ([[0, 0.7, 0]], [[0.1, 0.9, 0]])
    assert by_net.low.tolist() == by_net.high.tolist() == [[0, 0.7, 0]]


def test_swings_are_ordered_by_size() -> None:
    share = np.array([[0.5, 0.5], [0.4375, 0.5], [0.4375, 0.8], [0.35, 0.8], [0.85, 0.1]])
    certain = Chances(share, share, share, share, 0)
    steps = [(swing.step, swing.seat, swing.before, swing.after) for swing in swings(certain, [0, 1])]
    assert steps == [(4, 1, 0.8, 0.1), (2, 1, 0.5, 0.8), (3, 0, 0.4375, 0.35), (1, 0, 0.5, 0.4375)]
    assert [swing.step for swing in swings(certain, [0, 1], most=2)] == [4, 2]
    assert [swing.step for swing in swings(certain, [0], least=0.0625)] == [4, 3, 1]
    # with 40 playouts, .0875 is within 1.96 sqrt((.35 .65 + .44 .56) / 40) = .21
    assert [swing.step for swing in swings(Chances(share, share, share, share, 40), [0, 1])] == [4, 2]


def decided(win_share: float, low: float) -> dict[str, Any]:
    return {"cost": {"win_share": win_share, "low": low, "high": 1.0}}


def test_the_costliest_clear_mistakes_are_marked() -> None:
    every = [decided(0.1, 0.05), decided(0.5, -0.01), decided(0.2, 0.1), decided(0.05, 0.01), decided(0.3, 0.2)]
    mark_costly(every)
    assert [decision["costly"] for decision in every] == [True, False, True, False, True]
    assert not is_mistake({"win_share": 0.0, "low": 0.0}, 200)
    assert is_mistake({"win_share": 0.019, "low": 0.01}, 200)
    assert [is_mistake({"win_share": share, "low": 0.01}, BY_NET) for share in (0.019, 0.02)] == [False, True]
    assert not is_mistake({"win_share": None, "low": None}, 200)


class Moment:
    """A game value before a decision of a seat: three moves, of which the last is best."""

    decision, number = "pick_card", 4
    plan: Any = SimpleNamespace(seed=9)

    def __init__(self, seat: int) -> None:
        self.to_move, self.asked, self.fresh = seat, list[Any](), list[Any]()

    def observe(self) -> Any:
        return SimpleNamespace(record={"age": 2, "turn": 3, "hand": {"Loom": 2}, "coins": 5})

    def standing(self) -> list[int]:
        return [3, 1]

    def values(self, *, policies: Any, games: int, rng: int) -> list[dict[str, Any]]:
        self.asked.append((policies, games, rng))
        empty = {"win_shares": [0.5, 0.5], "scores": [1, 2], "games": games, "score": 1.0, "low": 0.1, "high": 0.9}
        return [{"index": index, "win_share": 0.2 * index, "move": {}, **empty} for index in (2, 1, 0)]

    def comparison(self, moves: list[int], policies: Any, seed: int, *, first: int = 0, by_net: bool = False) -> Any:
        self.fresh.append((moves, policies, seed, first, by_net))
        ends = SimpleNamespace(value=np.array([0, 0.4]), low=np.array([0, 0.1234567]), high=np.array([0, 0.7]))
        return SimpleNamespace(play_on=self.fresh.append, losses=lambda best: ends if best == 0 else None)


def test_why_values_each_decision_and_the_choice_by_fresh_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(why_module, "playout_line_up", lambda plan, number: (plan, number))
    monkeypatch.setattr(why_module, "names_of", lambda who: f"those of {who[1]}")
    worse, best, other = Moment(0), Moment(0), Moment(1)
    said: list[Any] = []
    decisions: Any = [(worse, 1), (best, 2), (other, 0)]
    told = why_along(decisions, seat=0, progress=lambda *words: said.append(words))
    assert (told["playouts"], told["policies"]) == (200, "those of 4")
    assert said == [("decisions", 1, 2), ("decisions", 2, 2)]
    assert worse.asked == [(None, 200, 9)]
    ready = ([0], None, 0, 0, False)  # of the first decision, before processors share them
    assert worse.fresh == [ready, ([2, 1], None, 9, 200, False), 200], "playouts that did not choose the best move"
    assert (best.fresh, other.asked) == ([], [])
    first, second = told["decisions"]
    assert {key: first[key] for key in ("age", "turn", "seat", "decision", "hand", "scores", "made")} == {
        "age": 2, "turn": 3, "seat": 0, "decision": "pick_card", "hand": {"Loom": 2}, "scores": [3, 1], "made": 1,
    }  # fmt: skip
    assert first["cost"] == {"win_share": 0.4, "low": 0.123457, "high": 0.7}
    assert second["cost"] == {"win_share": 0.0, "low": 0.0, "high": 0.0}
    assert (first["costly"], second["costly"], first["win_shares"]) == (True, False, [0.5, 0.5])
    assert [set(row) for row in first["moves"]] == [{"index", "win_share", "move", "score", "low", "high"}] * 3
    (by_net,) = values_along([(other, 0)], BY_NET, "greedy")  # type: ignore[list-item]
    assert other.fresh == [([0], "greedy", 0, 0, False), ([2, 0], "greedy", 9, WORLDS, True), BY_NET]
    assert by_net["seat"] == 1
    (default,) = values_along([(Moment(1), 0)])  # type: ignore[list-item]
    assert default["cost"]["win_share"] == 0.4


def test_by_default_why_plays_200_playouts_of_every_move(monkeypatch: pytest.MonkeyPatch) -> None:
    class Played(Moment):
        def __init__(self, plan: Any, number: int) -> None:
            assert (plan, number) == ("plan", 7)
            super().__init__(0)

        def clone(self) -> Moment:
            return Moment(self.to_move)

        def made(self) -> int:
            self.to_move = {0: 1, 1: None}[self.to_move]  # type: ignore[assignment]
            return 2

    monkeypatch.setattr(why_module, "Game", Played)
    told = why_of("plan", 7, policies="net")  # type: ignore[arg-type]
    assert (told["playouts"], told["policies"], [decision["seat"] for decision in told["decisions"]]) == (
        200,
        "net",
        [0, 1],
    )
    seen = [{"age": 1}, 200]
    monkeypatch.setattr(why_module, "why_along", lambda *given, **_keys: seen.append(given[1]))
    why_of("plan", 7)  # type: ignore[arg-type]
    assert seen[-1] == 200


def test_why_is_described_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(why_module, "move_text", lambda move, _simulator: move["action"])
    monkeypatch.setattr(why_module, "worth", lambda row: f"worth {row['win_share']}")
    names = ("a", "bbbb", "c", "d", "e", "f")
    moves = [{"index": index, "move": {"action": name}, "win_share": 9 - index} for index, name in enumerate(names)]
    one = {"age": 1, "turn": 2, "scores": [3, 4], "win_shares": [0.25, 0.75], "decision": "pick_card", "seat": 1,
           "hand": {"ore": 2, "clay": 1}, "moves": moves, "made": 5, "costly": True,
           "cost": {"win_share": 0.2, "low": 0.1, "high": 0.3}}  # fmt: skip
    text = why_text({"playouts": 30, "policies": "net,greedy", "decisions": [one]}, TABLE)
    assert text.splitlines()[0].startswith("Why: each move by 30 playouts with net, greedy in their seats, from what")
    assert text.splitlines()[1:] == [
        "",
        "age 1, turn 2, seat 1 (pick card): points 3 4, win chance 0.25 0.75",
        "  hand: 2 ore, 1 clay",
        "    a     worth 9",
        "    bbbb  worth 8",
        "    c     worth 7",
        "    d     worth 6",
        "  > f     worth 4",
        "    and 1 more",
        "  !! among the moves that cost most: 0.200 ±0.100 of the victory",
    ]
    plain = {**one, "hand": [], "costly": False, "moves": moves[:1], "made": 0}
    lines = why_text({"playouts": 0, "policies": "net", "decisions": [plain]}, TABLE).splitlines()
    assert "by the value net, some turns on, from" in lines[0]
    assert lines[3:] == ["  hand: none", "  > a  worth 9"]
