"""One plan of 7 Wonders made ready to play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.game import Simulator
from wsim.paths import default_cards_path
from wsim.wonders.catalog import Catalogue

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.policies.registry import LineUp
    from wsim.positions.machine import Machine
    from wsim.positions.many import Many
    from wsim.positions.scenes import Story
    from wsim.wonders.position import WondersPosition

__all__ = ["WondersSimulator"]


class WondersSimulator(Simulator):
    """A plan of 7 Wonders made ready to play.

    Attributes
    ----------
    plan: what is played. catalogue: its cards, boards and rules. line_up: its policies, resolved.
    """

    def __init__(self, plan: Plan, catalogue: Catalogue, line_up: LineUp) -> None:
        from wsim.jit import addresses_of
        from wsim.wonders.catalog.compiling import compile_rules
        from wsim.wonders.kernels.layout import DEEDS, PICK, ROW
        from wsim.wonders.seating import compile_seating

        self.plan, self.catalogue, self.line_up = plan, catalogue, line_up
        self._addresses = addresses_of(line_up.entrances)
        self._rules = compile_rules(catalogue, plan.players)
        self.seats = int(self._rules[0].seats)
        self.row_dtype = ROW
        self.pick_dtype = PICK
        self.own_cards = default_cards_path()
        self.picks_per_game = DEEDS  # a decision that is no loss is one deed at most
        self._seating = compile_seating(plan, catalogue, line_up, self._rules[0])

    @property
    def compiled(self) -> tuple[Any, Any, LineUp]:
        """The records of rules and seating that kernels play by, and the line-up."""
        return self._rules[0], self._seating[0], self.line_up

    @cached_property
    def machine(self) -> Machine:
        """The kernels, ready for positions."""
        from wsim.positions.machine import Machine
        from wsim.wonders.kernels.layout import GAME, STATE
        from wsim.wonders.kernels.machine import run_machine

        return Machine(run_machine, GAME, STATE, *self.compiled)

    @cached_property
    def many(self) -> Many:
        """The kernels, ready for many games at once."""
        from wsim.wonders.many import many_of

        return many_of(self)

    def with_line_up(self, policies: Sequence[str]) -> WondersSimulator:
        """Return the same rules and options with another line-up."""
        from wsim.policies.registry import resolve
        from wsim.wonders.registry import POLICIES

        plan = self.plan.replace(policies=policies)
        return WondersSimulator(plan, self.catalogue, resolve(plan.line_up, plan.players, POLICIES))

    def begin(self, number: int) -> WondersPosition:
        """Return the first decision of game ``number``; its players have not been asked yet."""
        from wsim.wonders.position import WondersPosition

        return WondersPosition(self, number)

    def set_up(self, described: Mapping[str, Any]) -> WondersPosition:
        """Return a position that a person describes; raise UserError for one that cannot be."""
        from wsim.wonders.describe.setup import set_up

        return set_up(self.begin(0), described)

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        """Play ``len(rows) // seats`` games numbered from ``first``; see ``wsim.game.Simulator.play``."""
        return self._play(first, rows, picks)[0]

    def _play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None) -> tuple[int, Any]:
        import numpy as np

        from wsim.wonders.kernels.engine import play_chunk
        from wsim.wonders.kernels.layout import GAME, PICK

        game = np.zeros(1, GAME).view(np.recarray)
        picks = np.zeros(0, PICK) if picks is None else picks
        with np.errstate(over="ignore"):  # random numbers wrap around, as they must
            arguments = (game[0], self._rules[0], self._seating[0], self._addresses, first)
            try:
                written = int(play_chunk(*arguments, rows.view(np.recarray), picks.view(np.recarray)))
            except Exception as error:
                self.line_up.raise_failure(error)  # a user's policy that failed is named
                raise
        if written < 0:
            self._raise_for(game[0].error, -1 - written)
        return written, game[0]

    def _raise_for(self, error: Any, number: int) -> None:
        """Raise UserError for a policy that failed, or returned no legal index."""
        self.line_up.raise_failure()
        _, seat, index, count = (int(value) for value in error)
        shift = number % self.plan.players if self.plan.rotate else 0
        label = self.line_up.labels[(seat + shift) % self.plan.players]
        raise UserError(
            f"policy {label!r} returned {index} in game {number}, seat {seat}: "
            f"an index from 0 to {count - 1} into the list of legal moves is needed"
        )

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        """Return the seats table of these rows."""
        from wsim.wonders.frames import seats_frame

        return seats_frame(rows, self.catalogue, self.line_up.labels, self.plan.players, self.seats)

    def picks_frame(self, picks: NDArray[Any]) -> pl.DataFrame:
        """Return the picks table of these picks."""
        from wsim.wonders.frames import picks_frame

        return picks_frame(picks, self.catalogue, self._rules[0].slot_card)

    def trace(self, number: int) -> dict[str, Any]:
        """Replay one game and return its trace object."""
        import numpy as np

        from wsim.wonders.describe.trace import trace_of
        from wsim.wonders.kernels.layout import PICK, ROW

        rows = np.zeros(self.seats, ROW).view(np.recarray)
        _, game = self._play(number, rows, np.zeros(self.picks_per_game, PICK))
        log = game.log.events[: int(game.log.count)]
        return trace_of(self.catalogue, self._rules[0], log, rows, self.line_up.labels, self.plan.seed, number)

    def text(self, trace: Mapping[str, Any]) -> str:
        """Return a trace as text for a person."""
        from wsim.wonders.describe.text import game_text

        return game_text(trace)

    def phrase(self, move: Mapping[str, Any]) -> str:
        """Return a move in a few words."""
        from wsim.wonders.describe.text import phrase

        return phrase(move)

    def paid(self, move: Mapping[str, Any]) -> dict[str, int]:
        """Return who gets how many coins for a move."""
        from wsim.wonders.describe.text import paid

        return paid(move, self.seats)

    def story(self, number: int) -> Story:
        """Return one game scene by scene: a turn each."""
        from wsim.positions.scenes import moments
        from wsim.wonders.describe.scenes import story

        positions = moments(self.begin(number), lambda one: (int(one.record.public.age), int(one.record.public.turn)))
        points = [position.points_so_far() for position in positions]
        return story(self.trace(number), positions, points, self.catalogue, self._rules[0])

    def resolved(self) -> dict[str, Any]:
        """Return the catalogue in force, with its layers, patches and changes, as a JSON object, wherever it lies."""
        from wsim.wonders.catalog.text import catalogue_dict

        return {**catalogue_dict(self.catalogue), "source": Path(self.catalogue.source).name}

    def changed(self, other: WondersSimulator) -> Sequence[str]:
        """Return the names of the cards that are not the same in another plan, or only in one of both."""
        here, there = ({card.name: card for card in one.catalogue.cards} for one in (self, other))
        return [name for name in {**here, **there} if here.get(name) != there.get(name)]

    def provenance(self) -> dict[str, Any]:
        """Return what made the rules of this table."""
        from wsim.jit import source_digest

        catalogue = self.catalogue
        return {
            "ruleset": catalogue.ruleset,
            "catalogue": Path(catalogue.source).name,
            "catalogue_digest": catalogue.digest,
            "engine": source_digest("wonders.kernels"),
            "changes": list(catalogue.changes),
            "switches": dict(catalogue.switches),
            "cards": [card.name for card in catalogue.cards],
            "policies": dict(self.line_up.digests),
        }
