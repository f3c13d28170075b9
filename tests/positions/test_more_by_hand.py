"""Further unit tests of positions: common knowledge, moments of a game, advice, early choices, win chances."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.policies.pool import SEARCH
from wsim.policies.registry import NET_OF_FILE
from wsim.positions import advice as advice_module
from wsim.positions import as_seen as as_seen_module
from wsim.positions.as_seen import Seen, _common_scene
from wsim.positions.chances import known_chances
from wsim.positions.character import Followed
from wsim.positions.machine import StatePosition
from wsim.positions.played_game import ahead, hint
from wsim.positions.scenes import Card, City, Event, Flow, Row, Scene, Seat, Story, by_name, with_names
from wsim.positions.value_net import Follower


def scene(label: str, *cities: City, **values: Any) -> Scene:
    return Scene("Age I", label, cities, **values)


CARD, OTHER, SECRET = Card("Altar"), Card("Baths"), Card("Secret")


def test_the_table_view_shows_what_all_other_seats_see() -> None:
    """Of seat 0 seat 1 knows 3 coins; seat 0 itself knows its hand, and that it has 5 debts."""
    mine = City({"coins": 3, "debts": 5}, [CARD, SECRET], [1], hand=[SECRET])
    theirs = City({"coins": 2, "known": 1}, [OTHER, CARD], [2])
    as_others = City({"coins": 3, "debts": 4}, [CARD], [1])
    own = City({"coins": 2, "known": 7}, [CARD, OTHER], [2], hand=[SECRET])
    shared, open_to_one = Event("sells", 0), Event("looks", 1)
    flow, board = Flow(0, 1, "2 coins"), [Row("tower", [None], [0])]
    first = scene("Turn 1", mine, theirs, events=[open_to_one, shared], flows=[flow, Flow(1, 0, "a card")], board=board)
    second = scene("Turn 1", as_others, own, events=[shared], flows=[flow], board=board)
    seen = _common_scene([first, second])
    assert [(city.facts, city.cards, city.hand) for city in seen.cities] == [
        ({"coins": 3, "debts": 4}, [CARD], ()), ({"coins": 2, "known": 1}, [OTHER, CARD], ())
    ]  # fmt: skip
    assert (seen.events, seen.flows, seen.label, seen.board) == ([shared], [flow], "Turn 1", board)
    assert [city.points for city in seen.cities] == [[1], [2]]
    elsewhere = _common_scene([first, scene("Seat 1 chooses", as_others, own)])
    assert (elsewhere.label, elsewhere.board) == ("Age I", ())


def test_the_table_view_of_three_seats_shows_common_knowledge() -> None:
    cities = [City({"a": 1, "b": place, "c": 1}, [CARD, OTHER] if place else [CARD], []) for place in range(3)]
    seen = _common_scene([scene("Turn", city, cities[0], cities[0]) for city in cities])
    assert seen.cities[0].facts == {"a": 1, "c": 1}, "seats 1 and 2 differ in b"
    assert seen.cities[0].cards == [CARD, OTHER], "what both see of it"
    assert seen.cities[1].cards == [CARD]
    shown = [City({"a": 1}, [], [], hand=[CARD]), City({"a": 2}, [], [], hand=[CARD])]
    open_hands = _common_scene([scene("Turn", shown[0], shown[0]), scene("Turn", shown[1], shown[1])])
    assert open_hands.cities[0].facts == {"a": 2}, "everybody shows its hand: those of the others count"


class Stepped:
    """A game whose steps are 1 (a decision that begins a moment), 0, or a string that changes the game otherwise."""

    plan = SimpleNamespace(game="stepped", players=2, seed=5)

    def __init__(self, *steps: Any) -> None:
        self.steps = list(steps)
        self.to_move, self.decision = len(steps) % 2, "open" if len(steps) % 3 else "secret"

    @property
    def moment(self) -> int:
        return sum(step if isinstance(step, int) else 0 for step in self.steps)

    def clone(self) -> Stepped:
        return Stepped(*self.steps)

    def step(self, step: Any) -> Stepped:
        return Stepped(*self.steps, step)

    def history(self) -> list[Stepped]:
        return [Stepped(*self.steps[:count]) for count in range(len(self.steps) + 1)]

    def legal(self) -> Sequence[str]:
        return ["wait", "go on"]

    def phrase(self, move: str) -> str:
        return move


def test_moments_start_with_a_decision_and_report_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps 0, 1, 0, 0, 1, 0: the moments begin at the start, after the second and after the fifth step."""
    monkeypatch.setattr(as_seen_module, "find_game", lambda _name: SimpleNamespace(OPEN=("open",)))
    seen: Any = Seen(None)
    seen._cached = lambda _what, game, _make: [game.steps]

    def told(*steps: Any) -> list[tuple[list[Any], list[tuple[str, int]]]]:
        return [
            (stop.steps, [(event.text, event.seat) for event in events])
            for stop, events in seen._stops(Stepped(*steps))
        ]

    waits, goes = ("chooses to wait", 0), ("chooses to go on", 1)
    assert told() == [([], [])]
    assert told(0, 1) == [([], []), ([0, 1], [goes])], "step 0 is secret"
    assert told(0, 1, 0) == [([], []), ([0, 1, 0], [goes, waits])], "now, and what happened on the way"
    whole = [([], []), ([0, 1], [goes]), ([0, 1, 0, 0, 1, 0], [waits, ("chooses to go on", 0), ("chooses to wait", 1)])]
    assert told(0, 1, 0, 0, 1, 0) == whole
    assert told(0, 1) == [([], []), ([0, 1], [goes])], "after an undo"
    assert [steps for steps, _ in told(0, "redrawn", 1)] == [[], [0, "redrawn", 1]]


def test_all_text_uses_player_names_instead_of_seats() -> None:
    assert by_name("seat 1 pays Seat 0, seat 12 nothing", ["Ann", "Bo"]) == "Bo pays Ann, seat 12 nothing"
    seats = [Seat("Gizah", "greedy", 0), Seat("Seat 1", "net", 1), Seat("Free City", "", -1)]
    event = Event("gives seat 1 a card", 0, veiled="gives seat 1 something")
    story = Story(seats, [], {}, "", "", "", "", [scene("Turn", events=[event, Event("waits", 1)])], [])
    named = with_names(story, ["Ann", "Bo"])
    assert [(seat.name, seat.policy) for seat in named.seats] == [("Ann", "Gizah"), ("Bo", ""), ("Free City", "")]
    assert [(one.text, one.veiled) for one in named.scenes[0].events] == [
        ("gives Bo a card", "gives Bo something"), ("waits", None)
    ]  # fmt: skip
    assert (story.named, named.named) == (False, True)


class Waiting:
    """A game in which seats 0 to 2 choose in turn; seat 2 learns something at step ``reveals``."""

    def __init__(self, to_move: int | None, reveals: int, steps: int = 0) -> None:
        self.to_move, self.reveals, self.steps = to_move, reveals, steps

    def clone(self) -> Waiting:
        return Waiting(self.to_move, self.reveals, self.steps)

    def step(self, index: int) -> None:
        assert index == 0
        self.steps += 1
        self.to_move = None if self.to_move is None or self.to_move == 2 else self.to_move + 1

    def observe(self, seat: int) -> Any:
        assert seat == 2
        record = {"coins": self.steps >= self.reveals, "to_move": self.to_move, "decision": str(self.steps)}
        return SimpleNamespace(record=record)


def test_a_seat_may_decide_ahead_until_others_reveal_something() -> None:
    def steps(game: Any) -> int | None:
        found: Any = ahead(game, 2)
        return None if found is None else found.steps

    assert steps(Waiting(0, 9)) == 2
    assert steps(Waiting(2, 9)) == 0
    assert steps(Waiting(0, 2)) is None
    assert steps(Waiting(1, 1)) is None
    assert steps(Waiting(None, 9)) is None
    game = Waiting(0, 9)
    assert ahead(game, 2) is not None  # type: ignore[arg-type]
    assert (game.steps, game.to_move) == (0, 0), "the game itself goes on as it was"


def test_a_hint_lists_five_moves_by_net_or_two_hundred_playouts() -> None:
    asked: list[tuple[int, int]] = []

    def valued(*, games: int, rng: int) -> list[int]:
        asked.append((games, rng))
        return list(range(9))

    game: Any = SimpleNamespace(by_net=True, plan=SimpleNamespace(seed=7), values=valued)
    best: list[Any] = [hint(game), hint(game, 30, None)]
    assert best == [[0, 1, 2, 3, 4], list(range(9))]
    game.by_net = False
    hint(game)
    assert asked == [(0, 7), (30, 7), (200, 7)]


def test_advice_values_every_move_and_asks_parameter_free_policies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []

    def compared(*given: Any, **how: Any) -> Any:
        asked.append((given, how))
        rows = [{"index": 3, "move": "build"}, {"index": 1, "move": "sell"}]
        return SimpleNamespace(play_on=lambda *played: asked.append(played), rows=lambda: rows, playouts=77)

    kinds = (("balanced", "set"), ("weighted", "set"), ("search", SEARCH), ("deep", SEARCH), ("mine", NET_OF_FILE))
    home = SimpleNamespace(policies=lambda: [{"name": name, "kind": kind} for name, kind in kinds])
    monkeypatch.setattr(advice_module, "find_game", lambda _name: home)
    monkeypatch.setattr(advice_module, "playout_line_up", lambda _plan, number: ("net", "net", str(number)))
    line_up = [SimpleNamespace(name="search"), SimpleNamespace(name="random")]
    game: Any = SimpleNamespace(
        to_move=2, comparison=compared, payments=lambda move: f"paid {move}", number=4, decision="turn",
        observe=lambda: SimpleNamespace(record={"age": 1, "hand": []}),
        plan=SimpleNamespace(game="toy", ruleset="odd", line_up=line_up),
        ask=lambda name, rng: {"index": len(name) + rng},
    )  # fmt: skip
    given = advice_module.advice(game)
    assert asked == [((None, None, 0), {"by_net": False}), (400, None, None)]
    assert given["moves"] == [{"index": 3, "move": "build", "paid": "paid build"},
                              {"index": 1, "move": "sell", "paid": "paid sell"}]  # fmt: skip
    assert given["policies"] == {"balanced": 8, "search": 6}, "of those that search only one that sits at the table"
    assert {key: given[key] for key in ("seat", "age", "playouts", "play_on", "rng")} == {
        "seat": 2, "age": 1, "playouts": 77, "play_on": "net,net,4", "rng": 0
    }  # fmt: skip
    assert "turn" not in given
    asked.clear()
    by_net = advice_module.advice(game, playouts=0, policies="net", rng=5, ask=["mine"])
    assert asked == [((None, "net", 5), {"by_net": True}), (0, None, None)]
    assert (by_net["playouts"], by_net["play_on"], by_net["policies"]["mine"]) == (0, "net", 9)
    rights: list[dict[str, Any]] = [{"playouts": 2}, {"playouts": None, "seconds": 0.5}, {"seconds": 86_399.0}]
    for right in rights:
        advice_module.advice(game, **right)
    wrongs: list[tuple[dict[str, Any], str]] = [
        ({"playouts": 1}, "at least 2 playouts"), ({"playouts": -1}, "at least 2 playouts"),
        ({"seconds": 0}, "more than 0"), ({"seconds": 86_400}, "less than a day"),
    ]  # fmt: skip
    for wrong, words in wrongs:
        with pytest.raises(UserError, match=words):
            advice_module.advice(game, **wrong)
    game.to_move = None
    with pytest.raises(UserError, match="the game is over"):
        advice_module.advice(game)


def test_chances_known_to_a_seat_add_up() -> None:
    asked: list[tuple[Any, ...]] = []

    def play_out(_simulator: Any, *given: Any) -> Any:
        asked.append(given)
        outcomes = np.zeros((100, 3, 2))
        outcomes[:, :, 1], outcomes[:, :, 0] = [0.25, 0.75, 0.0], 9
        return outcomes

    decision: Any = SimpleNamespace(to_move=0, play_out=play_out)
    over: Any = SimpleNamespace(to_move=None, scores=lambda: [{"win_share": share} for share in (0.5, 0.5, 0.0)])
    table: Any = SimpleNamespace(seats=3)
    found = known_chances([decision, over], table, 100, 7, 1)
    assert [given[:3] for given in asked] == [(100, 1, 7)]
    assert found.share.tolist() == found.outside.tolist() == [[0.25, 0.75, 0], [0.5, 0.5, 0]]
    assert (found.low[0, 0], found.high[0, 0]) == pytest.approx((0.1754521, 0.3430446), abs=1e-6), "Wilson, 25 of 100"
    assert found.low[1].tolist() == found.high[1].tolist() == [0.5, 0.5, 0]
    chances: list[tuple[Any, ...]] = []

    def by_net(_position: Any, *given: Any) -> Any:
        chances.append(given)
        return np.array([0.4, 0.6])

    net: Any = SimpleNamespace(
        value_net=object(), seats=3, plan=SimpleNamespace(players=2), follower=SimpleNamespace(chances=by_net)
    )
    exact = known_chances([decision], net, 0, 7, None)
    assert exact.share.tolist() == exact.low.tolist() == exact.high.tolist() == [[0.4, 0.6, 0]]
    assert chances[0][:2] == (None, 7)


def test_moves_are_compared_in_the_same_redrawn_worlds() -> None:
    """Two playouts of three moves at a table of two seats with a third city: the outcomes come one move after the
    other."""
    asked: list[Any] = []

    def run(words: Any, *given: Any) -> None:
        asked.append((words.tolist(), *given[:-2], given[-1].tolist(), given[-1].dtype))
        given[-2][:] = np.arange(given[-2].size).reshape(given[-2].shape)

    position: Any = SimpleNamespace(words=np.array([7, 8], np.uint64))
    simulator: Any = SimpleNamespace(machine=SimpleNamespace(run=run), seats=3)
    outcomes = StatePosition.compare(position, simulator, [4, 0, 2], 2, None, 11, 5)
    assert outcomes.shape == (2, 3, 3, 2)
    assert outcomes[1, 0, 0].tolist() == [18, 19]
    assert outcomes[0, 2, 1].tolist() == [14, 15]
    (words, command, first, watcher, seed, moves, kind), = asked  # fmt: skip
    assert (words, first, seed, moves, kind) == ([7, 8, 7, 8], 5, 11, [4, 0, 2], np.int16)
    StatePosition.compare(position, simulator, [0], 1, 2, 11)
    assert (asked[1][2:4], watcher != 2, asked[1][1]) == ((0, 2), True, command)


def test_chances_of_followed_games_are_corrected_per_stage_until_the_end() -> None:
    """Two games of two stages; in the second trial the game ends after the stage, so its result stands. What is tried
    is judged as of the stage after it."""
    chances = np.array([[[0.5, 0.5], [0.25, 0.75]], [[0.4, 0.6], [1.0, 0.0]]])
    tried = np.array([[[0.5, 0.5], [0.75, 0.25]], [[1.0, 0.0], [0.5, 0.5]]])
    raw = Followed(
        np.array(["rows"]), np.array([[0, 1], [0, 1]], np.int16), chances, np.array([[1, 0, 0], [0, 1, 1]]), tried
    )
    asked: list[tuple[Any, ...]] = []

    def calibrate(values: Any, stages: Any, policies: Any) -> Any:
        asked.append((stages.tolist(), np.broadcast_to(policies, values.shape).tolist()))
        return values + 10

    policies = np.array([[0, 1], [1, 0]])
    follower: Any = SimpleNamespace(
        follow_raw=lambda *given: raw if given == (6, 2, 3) else None, calibration=calibrate,
        results=lambda rows: (None, policies) if rows is raw.rows else None,
    )  # fmt: skip
    found = Follower.follow(follower, 6, 2)
    assert found.chances.tolist() == (chances + 10).tolist()
    assert found.tried.tolist() == [[[10.5, 10.5], [10.75, 10.25]], [[1.0, 0.0], [10.5, 10.5]]]
    assert asked == [
        ([[0, 1], [0, 1]], [[[0, 1], [0, 1]], [[1, 0], [1, 0]]]),
        ([[1, 1], [2, 2]], [[[1, 0], [1, 0]], [[0, 1], [0, 1]]]),
    ]
