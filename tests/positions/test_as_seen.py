"""A game in progress moment by moment: the story built incrementally equals the story of the whole game."""

from __future__ import annotations

import pytest

import wsim
from wsim.positions.as_seen import Seen
from wsim.positions.chances import line_up_of


def beginning(game: str) -> wsim.Game:
    ruleset = "1e" if game == "seven_wonders" else "2005"
    return wsim.Game(game=game, ruleset=ruleset, players=3, seed=7, policies="balanced", rotate=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["seven_wonders", "tower_of_babel"])
@pytest.mark.parametrize("seat", [1, None])
def test_a_growing_story_equals_the_story_of_the_whole_game(name: str, seat: int | None) -> None:
    game, names, seen = beginning(name), ["Ann", "Bo", "Cy"], Seen(seat)
    states = [game.clone(), *(game.follow().clone() for _ in range(14))]
    for state in [*states, states[5], states[9], states[9].determinize(0, 3)]:  # also after an undo, and redrawn
        story = seen.story(state, names)
        assert story == Seen(seat).story(state, names)
        assert [one.name for one in story.seats] == names
        hands = [bool(city.hand) for city in story.scenes[-1].cities]
        assert [place for place, hand in enumerate(hands) if hand] == ([] if seat is None else [seat])
    labels = [scene.label for scene in seen.story(states[-1], names).scenes]
    assert len(labels) == len(set(labels)) >= 3


@pytest.mark.slow
def test_scenes_show_public_events_and_countable_points() -> None:
    game = beginning("seven_wonders")
    for _ in range(9):
        game.follow()
    story = Seen(0).story(game, ["Ann", "Bo", "Cy"])
    moves = game.public_moves()
    assert sum(len(scene.events) for scene in story.scenes) == len(moves)
    assert [sum(city.points) for city in story.scenes[-1].cities] == game.standing()
    assert all(event.veiled is None for scene in story.scenes for event in scene.events)
    babel = beginning("tower_of_babel")
    while len(Seen(0).story(babel, ["Ann", "Bo", "Cy"]).scenes) < 4:
        babel.follow()
    texts = [event.text for scene in Seen(0).story(babel, ["Ann", "Bo", "Cy"]).scenes for event in scene.events]
    assert any(text.startswith("chooses to ") for text in texts)
    assert not any("seat 1" in text.lower() for text in texts)


def test_chances_add_up_and_use_only_what_the_seat_knows() -> None:
    game = beginning("seven_wonders")
    for _ in range(7):
        game.follow()
    playing = line_up_of(game.plan, 0)
    known = Seen(1).chances(game, playing, 8)
    assert known.share.shape == (3, 3)
    assert known.share.sum(axis=1) == pytest.approx(1)
    assert (known.low <= known.share).all()
    other = game.determinize(1, 5)
    assert (Seen(1).chances(other, playing, 8).share[-1] == known.share[-1]).all()
    everything = Seen(None, hands=True).story(game, ["Ann", "Bo", "Cy"])
    assert [[card.name for card in city.hand] for city in everything.scenes[-1].cities] == game.record()["hands"]
