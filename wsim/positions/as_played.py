"""The story and the trace of a game that people stepped, which no plan plays by itself.

The engine tells what happened while it plays. So it plays the game once more, with one policy in every seat: it makes
the moves that were made.
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


def as_played(public: Any, own: Any, choice: Any, rules: Any) -> int:  # noqa: ARG001 (what every policy is handed)
    """Make the move that was made: a policy. It is asked only where more than one is legal."""
    place = int(own.memory[0])
    own.memory[0] = place + 1
    return int(_MADE.indices[int(own.seat)][place])


@contextmanager
def played_again(game: Game) -> Iterator[Simulator | None]:
    """Make a simulator ready that plays this game, as its game of this number, as long as it lasts.

    None for a game that cannot be played again from its deal: it is not over, it began with a position that somebody
    wrote, cards were drawn anew, or its policies are no functions.
    """
    if game.to_move is not None or game.described or any(not isinstance(step, int) for step in game.steps):
        yield None
        return
    indices: list[list[int]] = [[] for _ in range(game.plan.players)]
    for here, index in decisions_of(game):
        if len(here.legal()) > 1:
            assert here.to_move is not None
            indices[here.to_move].append(index)
    _MADE.indices = indices
    try:
        plan = game.plan.replace(policies=(as_played,), rotate=False)
        simulator = find_game(plan.game).prepare(plan)
        trace = simulator.trace(game.number)
        results = [[one["total"] for one in scores] for scores in (trace["scores"], game.result or ())]
        yield simulator if results[0] == results[1] else None
    except (UserError, IndexError):
        yield None


def decisions_of(game: Game) -> Iterator[tuple[Game, int]]:
    """Yield the game before each decision that was made in it, with the index of the move."""
    for here, step in zip(game.history(), game.steps, strict=False):
        if isinstance(step, int):
            yield here, step


def story_of(game: Game, names: Sequence[str] = ()) -> Story:
    """Return a game scene by scene, as far as it was played.

    Parameters
    ----------
    names: who sat in the seats; none: the policies of its plan.
    """
    line_up = seated(game.plan, game.number)
    who = names or [line_up[seat % len(line_up)] for seat in range(game.plan.players)]
    with played_again(game) as simulator:
        if simulator is None:
            return plain_story(game.positions(), game.steps, who, game.phrase)
        story = simulator.story(game.number)
    seats = [replace(seat, policy=who[place]) if place < len(who) else seat for place, seat in enumerate(story.seats)]
    return replace(story, seats=seats)
