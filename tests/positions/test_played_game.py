"""Games that people play: simultaneous choices, undo, the table view, and the story of the game."""

from __future__ import annotations

from typing import Any

import pytest

import wsim
from tests.tiers import first_quick
from wsim.errors import UserError
from wsim.game import find_game
from wsim.positions.as_played import replaying_simulator, story_of
from wsim.positions.played_game import PlayedGame, ahead, known_to
from wsim.positions.why import why_along, why_of

PLANS = {
    "wonders": {"ruleset": "1e", "players": 3, "seed": 7, "policies": "random"},
    "babel": {"game": "tower_of_babel", "players": 3, "seed": 7, "policies": "random"},
    "teams": {"ruleset": "2e-cities-teams", "players": 4, "seed": 7, "policies": "random"},
    "duo": {"ruleset": "1e-duo", "players": 2, "seed": 7, "policies": "random"},
}


def started(name: str) -> wsim.Game:
    return wsim.Game(**PLANS[name])  # type: ignore[arg-type]


def last_moves(game: wsim.Game) -> wsim.Game:
    """Play to the end: every third move by the plan's policy, otherwise the last legal move."""
    while game.to_move is not None:
        if len(game.steps) % 3 == 0:
            game.follow()
        else:
            game.step(len(game.legal()) - 1)
    return game


def test_every_seat_can_choose_before_earlier_seats() -> None:
    game = started("wonders")
    assert game.to_move == 0
    for seat in range(3):
        there = ahead(game, seat)
        assert there is not None
        assert (there.to_move, there.observe(seat)["hand"]) == (seat, game.observe(seat)["hand"])


def test_a_seat_that_has_chosen_waits_for_the_others() -> None:
    game = started("wonders").step(0)
    assert ahead(game, 0) is None
    assert ahead(game, 2) is not None
    assert known_to(game, 2) == known_to(started("wonders"), 2)


@pytest.mark.parametrize(
    "name", ["wonders", *(pytest.param(name, marks=pytest.mark.slow) for name in ("babel", "duo", "teams"))]
)
def test_choices_made_ahead_apply_to_the_later_decision(name: str) -> None:
    """Unless somebody does something in the open before, which changes what the seat knows."""
    waiting: dict[int, Any] = {}
    game, met = started(name), 0
    while game.to_move is not None:
        seat, known = game.to_move, known_to(game, game.to_move)
        if seat in waiting and waiting[seat][0] == known:
            assert waiting[seat][1] == game.legal()
            met += 1
        waiting.pop(seat, None)
        for other in range(game.plan.players):
            there = None if other == seat else ahead(game, other)
            if there is not None:
                waiting[other] = known_to(game, other), there.legal()
        game.follow()
    assert met > 10


def test_undo_takes_back_a_move_until_another_seat_has_moved() -> None:
    played = PlayedGame(started("wonders"), {0, 1})
    with pytest.raises(UserError, match="There is nothing to undo"):
        played.undo(0)
    before = played.game.to_json()
    played.decide(1)
    played.undo(0)
    assert (played.game.to_json(), played.moves) == (before, [])
    played.decide(1)
    played.decide(0)
    with pytest.raises(UserError, match="Seat 1 has moved since"):
        played.undo(0)
    played.undo(1)  # seat 2 has not chosen: nothing was shown
    assert (played.moves, played.game.to_move) == ([1], 1)


def test_undo_reveals_no_simultaneous_choices() -> None:
    played = PlayedGame(started("wonders"), {0, 1})
    played.decide(1)
    played.decide(0)
    played.follow()
    assert played.game.observe(1)["turn"] == 2
    with pytest.raises(UserError, match="chose at the same time and their choices have been shown"):
        played.undo(1)


@first_quick(1, "name", ["babel", "wonders"])
def test_the_table_view_shows_public_moves(name: str) -> None:
    played = PlayedGame(started(name), {0})
    while len(played.seen()) < 3:
        if played.game.to_move == 0:
            played.decide(0)
        else:
            played.follow()
    assert all(line.startswith("seat ") for line in played.seen())


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
def test_the_story_of_a_game_shows_the_moves_made(name: str) -> None:
    game = last_moves(started(name))
    with replaying_simulator(game) as simulator:
        assert simulator is not None
        assert [one["total"] for one in simulator.trace(0)["scores"]] == [one["total"] for one in game.result or ()]
    names = ["Ann", *["random"] * (game.plan.players - 1)]
    story = story_of(game, names)
    assert [seat.policy for seat in story.seats][: game.plan.players] == names
    assert not story.scenes[-1].label.startswith("Decision")
    assert story.positions[-1].view(None) == game.record()


def test_an_unfinished_game_is_described_in_plain_text() -> None:
    game = started("wonders").step(0).step(1).determinize(2, 3).step(0)
    story = story_of(game)
    assert [scene.label for scene in story.scenes] == [f"Decision {place}" for place in range(5)]
    assert story.scenes[3].events[0].text == "['determinize', 2, 3]"
    assert story.scenes[4].events[0].seat == 2


@pytest.mark.usefixtures("toy")
def test_a_game_without_kernels_is_described_in_plain_text() -> None:
    story = story_of(last_moves(wsim.Game(players=3, policies="bold")), ["Ann", "shy", "bold"])
    assert [seat.policy for seat in story.seats] == ["Ann", "shy", "bold"]


def test_history_lists_the_game_step_by_step() -> None:
    game = last_moves(started("wonders"))
    history = game.history()
    assert (len(history), history[0].steps) == (len(game.steps) + 1, [])
    assert history[-1].record() == game.record()
    assert game.positions()[5].view(0) == history[5].observe(0).record


@pytest.mark.slow
def test_why_agrees_for_a_followed_game_and_its_moves() -> None:
    followed = why_of(started("wonders").plan, 0, 2, seat=1)
    game = started("wonders")
    decisions = []
    while game.to_move is not None:
        here = game.clone()
        decisions.append((here, game.made()))
    assert why_along(decisions, 2, seat=1) == followed


@pytest.mark.parametrize("name", ["wonders", "babel"])
def test_a_seat_sees_the_scene_without_other_hands(name: str) -> None:
    game = started(name)
    for _ in range(8):
        game.follow()
    scene = game.scene(1)
    assert scene is not None
    assert [bool(city.hand) for city in scene.cities] == [False, True, False]
    other = game.determinize(1, 5)
    assert other.record() != game.record()
    assert other.scene(1) == scene


def test_undo_takes_back_public_moves() -> None:
    played = PlayedGame(started("babel"), {0})
    while not (played.game.to_move == 0 and played.game.decision in find_game(played.game.plan.game).OPEN):
        played.decide(0) if played.game.to_move == 0 else played.follow()
    before = played.seen()
    played.decide(0)
    assert len(played.seen()) == len(before) + 1
    played.undo(0)
    assert played.seen() == before
