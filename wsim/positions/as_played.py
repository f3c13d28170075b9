"""Create the story and the trace of a game that people played, which its plan alone cannot reproduce.

The engine records events only while it plays. It therefore replays the game, with a policy in every seat that repeats
the recorded moves.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.game import find_game
from wsim.positions.players import seated
from wsim.positions.scenes import plain_story

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.positions.game_value import Game
    from wsim.positions.scenes import Story

_MADE = threading.local()


def as_played(public: Any, own: Any, choice: Any, rules: Any) -> int:  # noqa: ARG001 (every policy has these arguments)
    """A policy that repeats the recorded moves. It is called only if several moves are legal."""
    index = int(own.memory[0])
    own.memory[0] = index + 1
    return int(_MADE.indices[int(own.seat)][index])


@contextmanager
def replaying_simulator(game: Game) -> Iterator[Simulator | None]:
    """Yield a simulator that reproduces this game, under the same game number, while the context is open.

    Yields None if the game cannot be replayed from its deal: it is not over, began with a hand-written position, had
    cards resampled, or does not accept functions as policies.
    """
    if game.to_move is not None or game.described or any(not isinstance(step, int) for step in game.steps):
        yield None
        return
    indices: list[list[int]] = [[] for _ in range(game.plan.players)]
    for before, index in decisions_of(game):
        if len(before.legal()) > 1:
            assert before.to_move is not None
            indices[before.to_move].append(index)
    _MADE.indices = indices
    try:
        plan = game.plan.replace(policies=(as_played,), rotate=False)
        simulator = find_game(plan.game).prepare(plan)
        trace = simulator.trace(game.number)
        results = [[row["total"] for row in scores] for scores in (trace["scores"], game.result or ())]
        yield simulator if results[0] == results[1] else None
    except (UserError, IndexError):
        yield None


def decisions_of(game: Game) -> Iterator[tuple[Game, int]]:
    """Yield a copy of the game before each decision, together with the index of the chosen move."""
    for before, step in zip(game.history(), game.steps, strict=False):
        if isinstance(step, int):
            yield before, step


def story_of(game: Game, names: Sequence[str] = ()) -> Story:
    """Return the story of a game, scene by scene, up to its current position.

    Parameters
    ----------
    names: the players' names by seat; empty: the policies of the plan.
    """
    line_up = seated(game.plan, game.number)
    labels = names or [line_up[seat % len(line_up)] for seat in range(game.plan.players)]
    with replaying_simulator(game) as simulator:
        if simulator is None:
            return plain_story(game.positions(), game.steps, labels, game.phrase)
        story = simulator.story(game.number)
    seats = [
        replace(seat, policy=labels[index]) if index < len(labels) else seat for index, seat in enumerate(story.seats)
    ]
    return replace(story, seats=seats)
