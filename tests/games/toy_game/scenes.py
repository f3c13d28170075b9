"""A game of the toy scene by scene: a scene is a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wsim.positions.scenes import Card, City, Event, Scene, Seat, Story, moments

if TYPE_CHECKING:
    from tests.games.toy_game.position import ToyPosition
    from tests.games.toy_game.simulator import ToySimulator


def story(simulator: ToySimulator, number: int) -> Story:
    labels = [seat["policy"] for seat in simulator.trace(number)["seats"]]
    positions = moments(simulator.begin(number), lambda one: one.kept.tolist())
    return Story(
        seats=[Seat(f"Seat {place}", label, place) for place, label in enumerate(labels)],
        categories=["stones"],
        colours={},
        cards="built",
        hands="stones",
        flows="nothing",
        points="The stones kept.",
        scenes=[_scene(place, position) for place, position in enumerate(positions)],
        positions=positions,
    )


def _scene(place: int, position: ToyPosition) -> Scene:
    cities = []
    for kept in position.kept:
        stones = [Card(str(stone)) for stone in kept if stone]
        cities.append(City({"stones": len(stones)}, stones, [int(kept.sum())]))
    return Scene("Game", f"Decision {place}", cities, [Event("A stone is kept.")] if place else [])
