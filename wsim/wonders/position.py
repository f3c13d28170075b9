"""Positions of 7 Wonders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wsim.kernels.commands import COUNT
from wsim.positions.machine import StatePosition
from wsim.wonders.catalog.clause_text import counted, option_text
from wsim.wonders.catalog.entry_text import recruit_text
from wsim.wonders.describe.obstacles import obstacles
from wsim.wonders.describe.text import view_lines
from wsim.wonders.describe.trace import move_record
from wsim.wonders.describe.view import columns, view_of
from wsim.wonders.words import CATEGORIES, DECISIONS, EFFECT, SIDES_OF_BOARD


class WondersPosition(StatePosition):
    """A game of 7 Wonders in progress (``wsim.game.Position``)."""

    DECISIONS = DECISIONS

    @property
    def names(self) -> list[str]:
        """The names of the cards, by number."""
        return [card.name for card in self.simulator.catalogue.cards]

    def moves(self) -> Sequence[Mapping[str, Any]]:
        kind, seat = self.choice
        stages = int(self.record.public.stages[seat]) if self.to_move is not None else 0
        catalogue, seats = self.simulator.catalogue, self.simulator.seats
        moves = [move_record(self.names, int(move), seat, kind, stages, catalogue, seats) for move in self.coded]
        return [self._with_text(move) for move in moves] if kind == EFFECT else moves

    def _with_text(self, move: dict[str, Any]) -> dict[str, Any]:
        """Return a copy of a clause decision's move (R72) with an English description under the key ``text``."""
        if move["action"] == "decline":
            return {**move, "text": "decline"}
        catalogue, public = self.simulator.catalogue, self.record.public
        if "deck" in move:
            [card] = [card for card in catalogue.deck_cards if card.name == move["card"]]
            cost = f"{counted(str(card.cost), 'coins')}: " if move["action"] == "keep" else ""
            return {**move, "text": f"{cost}{recruit_text(card.effects)}"}
        recruits = {card.name: card.effects for card in catalogue.deck_cards}
        if move.get("card") in recruits:
            effects = recruits[move["card"]]
        elif "card" in move:
            effects = catalogue.card(move["card"]).effects
        elif "table" in move:
            effects = next(rule.effects for rule in catalogue.table if rule.name == move["table"])
        else:
            board, side = divmod(int(public.side[move.get("owner", move["seat"])]), SIDES_OF_BOARD)
            effects = catalogue.wonders[board].sides[side][1][move["stage"] - 1].effects
        clause = effects.when[move["when"] - 1]
        text = option_text(clause, clause.options()[move["option"] - 1])
        if "gives" in move:
            return {**move, "text": f"gives {move['gives']}"}
        chosen = f"seat {move['city']}" if "city" in move else move.get("picked") or move.get("amount")
        return {**move, "text": f"{text}: {chosen}" if chosen else text}

    def scores(self) -> list[dict[str, Any]]:
        assert self.result is not None
        points, totals, shares = self.result
        coins = self.record.public.coins
        return [
            {"seat": seat}
            | {name: int(points[seat, category]) for category, name in enumerate(CATEGORIES)}
            | {"total": int(totals[seat]), "coins": int(coins[seat]), "win_share": float(shares[seat])}
            for seat in range(self.simulator.seats)
        ]

    def points_so_far(self) -> list[dict[str, int]]:
        """Return each seat's points by category as if the game ended now; works in any position."""
        _, game = self.machine.run(self.words, COUNT)
        return [
            {name: int(game.result.points[seat, category]) for category, name in enumerate(CATEGORIES)}
            for seat in range(self.simulator.seats)
        ]

    def standing(self) -> list[int]:
        return [sum(points.values()) for points in self.points_so_far()]

    def view(self, seat: int | None) -> dict[str, Any]:
        return view_of(self.simulator.catalogue, self.machine.rules, self.record, seat, self.moment)

    def text(self, seat: int) -> list[str]:
        return view_lines(self.simulator.catalogue, self.view(seat))

    def asks(self) -> str:
        moves = self.moves()
        if "deck" not in moves[0]:
            return "what an effect does" if self.decision() == "effect" else super().asks()
        if moves[0]["action"] == "keep":
            return f"a card of {moves[0]['deck']} to keep; the others are passed on"
        return f"a card of {moves[0]['deck']} to recruit, or none"

    def obstacles(self) -> dict[str, str]:
        if self.to_move is None or self.decision() != "turn":
            return {}
        return dict(obstacles(self.moves(), self.names, self.machine.rules, self.record.public, self.to_move))

    def columns(self, history: bool = True) -> tuple[str, ...]:
        return columns(self.simulator.catalogue, self.machine.rules, history)

    def _keep_result(self, game: Any) -> None:
        self.result = None
        if self.to_move is None:
            result = game.result
            self.result = result.points.copy(), result.total.copy(), result.share.copy()
