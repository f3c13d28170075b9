"""A game of Tower of Babel in progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wsim.babel.describe.text import view_lines
from wsim.babel.describe.view import columns, move_record, view_of
from wsim.babel.words import DECISIONS
from wsim.positions.machine import StatePosition


class BabelPosition(StatePosition):
    """A game of Tower of Babel in progress (``wsim.game.Position``)."""

    DECISIONS = DECISIONS

    def moves(self) -> Sequence[Mapping[str, Any]]:
        if self.to_move is None:
            return []
        public, catalogue = self.record.public, self.simulator.catalogue
        return [move_record(catalogue, public, self.choice[0], self.to_move, int(move)) for move in self.coded]

    def scores(self) -> list[dict[str, Any]]:
        record = self.record
        return [
            {
                "seat": seat,
                "wonders": int(tally.wonder_points),
                "unfinished_wonders": int(tally.light_points),
                "refused_offers": int(tally.refused_points),
                "disc_sets": int(tally.set_points),
                "action_cards": int(tally.action_points),
                "total": int(record.public.points[seat]),
                "rank": int(tally.rank),
                "win_share": round(float(tally.share), 6),
            }
            for seat, tally in enumerate(record.hidden.tally[: self.simulator.seats])
        ]

    def standing(self) -> list[int]:
        return [int(points) for points in self.record.public.points[: self.simulator.seats]]

    def view(self, seat: int | None) -> dict[str, Any]:
        return view_of(self.simulator.catalogue, self.record, seat, self.moment)

    def text(self, seat: int) -> list[str]:
        return view_lines(self.view(seat))

    def columns(self, history: bool = True) -> tuple[str, ...]:  # noqa: ARG002 (there is no history)
        return columns(self.simulator.seats)
