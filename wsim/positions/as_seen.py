"""Show a game in progress as a series of moments, each from the viewpoint of one seat or of the whole table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from wsim.game import find_game
from wsim.positions.chances import Chances, known_chances
from wsim.positions.game_value import Game
from wsim.positions.scenes import City, Event, Scene, Seat, Story, with_names

if TYPE_CHECKING:
    from collections.abc import Hashable

    from wsim.game import Simulator

_Item = TypeVar("_Item")

POINTS = "Points that everybody at the table can count, as if the game ended at that moment."


class Seen:
    """The view of one seat, or of the audience, at each moment of a game; computed views are cached.

    Parameters
    ----------
    seat: the seat whose knowledge is shown; None: the information that everybody at the table has.
    hands: whether spectators see all hands (where only policies play).
    """

    def __init__(self, seat: int | None, *, hands: bool = False) -> None:
        self.seat, self.hands = seat, hands
        self._kept: dict[Hashable, Any] = {}
        self._followed: _Followed | None = None

    def story(self, game: Game, names: Sequence[str]) -> Story:
        """Return the story so far: the table at the beginning of each moment (``Simulator.moment``), and the table now.

        Parameters
        ----------
        names: the names of the players at the table.
        """
        stops = self._stops(game)
        scenes = [self._scene(stop, events) for stop, events in stops]
        points = [self._cached("points", stop, Game.known_points) for stop, _ in stops]
        used = [name for name in (points[0] or [{}])[0] if any(seat[name] for seats in points for seat in seats)]
        story = Story(
            seats=scenes[-1].seats or [Seat(f"Seat {seat}", "", seat) for seat in range(len(scenes[-1].cities))],
            categories=used,
            colours={},
            cards="on the table",
            hands="hand",
            flows="coins or cards that change hands",
            points=POINTS,
            scenes=[
                replace(
                    scene,
                    seats=(),
                    cities=[
                        replace(city, points=[seats[place][name] for name in used]) if seats else city
                        for place, city in enumerate(scene.cities)
                    ],
                )
                for scene, seats in zip(scenes, points, strict=True)
            ],
            positions=[],
        )
        return with_names(story, names)

    def chances(self, game: Game, simulator: Simulator, playouts: int) -> Chances:
        """Return all players' chances at each moment of ``story``, given this seat's knowledge (None: all hands)."""

        def known(stop: Game) -> Chances:
            return known_chances(stop.positions()[-1:], simulator, playouts, game.plan.seed, self.seat)

        rows = [self._cached(f"chances {playouts}", stop, known) for stop, _ in self._stops(game)]
        share, low, high = (np.concatenate([getattr(row, name) for row in rows]) for name in ("share", "low", "high"))
        return Chances(share, low, high, share, playouts)

    def _cached(self, what: str, game: Game, make: Callable[[Game], Any]) -> Any:
        """Return the value cached under ``what`` for the current moment; ``make`` computes it on first use."""
        key = (what, *map(str, game.steps))
        if key not in self._kept:
            self._kept[key] = make(game)
        return self._kept[key]

    def _scene(self, game: Game, events: Sequence[Event]) -> Scene:
        scene: Scene = self._cached("scene", game, self._new_scene)
        return replace(scene, events=[*events, *scene.events])

    def _stops(self, game: Game) -> list[tuple[Game, list[Event]]]:
        """Return each stop (the game at the beginning of each moment, and now) with the public decisions leading to it.

        Moves that a position itself lists (``public_moves``) are left out: they are already events of its scene.
        """
        followed = self._followed
        if followed is None or game.steps[: len(followed.steps)] != followed.steps:  # the first time, or after an undo
            followed = _Followed(game)
        followed = self._followed = followed.up_to(game)
        stops = []
        for place, (begun, events) in enumerate(followed.moments):
            before = followed.moments[place - 1][1] if place else []
            now = place == len(followed.moments) - 1
            stops.append((followed.last if now else begun, [*before, *events] if now else before))
        return stops

    def _new_scene(self, game: Game) -> Scene:
        players = game.plan.players
        if self.seat is not None:
            scene = game.scene(self.seat)
        else:
            scenes = [seen for seat in range(players) if (seen := game.scene(seat)) is not None]
            scene = _common_scene(scenes) if scenes else None
            if self.hands and scene is not None:
                own = [seen.cities[seat].hand for seat, seen in enumerate(scenes)]
                cities = [replace(city, hand=hand) for city, hand in zip(scene.cities, own, strict=False)]
                scene = replace(scene, cities=[*cities, *scene.cities[players:]])
        return scene or Scene("Game", "The table", [City({}, [], []) for _ in range(players)])


class _Followed:
    """The progress of a game: a copy at the beginning of each moment, the public decisions during that moment, and the
    latest position.
    """

    def __init__(self, game: Game) -> None:
        first = game.history()[0]
        self.steps, self.last, self.moments = list[Any](), first, [(first, list[Event]())]

    def up_to(self, game: Game) -> _Followed:
        """Return a copy extended by the game's new steps. Does not modify this object, which may still be in use."""
        made = copy(self)
        made.steps, made.moments = list(game.steps), [(begun, list(events)) for begun, events in self.moments]
        openly, more = find_game(game.plan.game).OPEN, game.steps[len(self.steps) :]
        whole = [] if all(isinstance(step, int) for step in more) else game.history()[len(self.steps) + 1 :]
        for number, step in enumerate(more):
            before = made.last
            made.last = whole[number] if whole else before.clone().step(step)
            if isinstance(step, int) and before.decision in openly:
                made.moments[-1][1].append(Event(f"chooses to {before.phrase(before.legal()[step])}", before.to_move))
            if made.last.moment != before.moment:
                made.moments.append((made.last, []))
        return made


def _common_scene(scenes: Sequence[Scene]) -> Scene:
    """Return the scene that shows only what the scenes of all seats have in common, without hands."""
    first = scenes[0]
    cities = []
    for place, city in enumerate(first.cities):
        views = [scene.cities[place] for seat, scene in enumerate(scenes) if seat != place]
        views = [view for view in views if not view.hand] or views
        facts = dict(_common_items([list(view.facts.items()) for view in views]))
        cities.append(replace(city, facts=facts, cards=_common_items([view.cards for view in views]), hand=()))
    events, flows = _common_items([scene.events for scene in scenes]), _common_items([scene.flows for scene in scenes])
    label = first.label if len({scene.label for scene in scenes}) == 1 else first.chapter
    board = first.board if all(scene.board == first.board for scene in scenes) else ()
    return replace(first, cities=cities, events=events, flows=flows, label=label, board=board)


def _common_items(lists: Sequence[Sequence[_Item]]) -> list[_Item]:
    """Return the items of the first list that all other lists also contain."""
    return [item for item in (lists[0] if lists else ()) if all(item in others for others in lists)]
