"""Properties of every game of 7 Wonders, whatever the policies: cards and coins are conserved, scores add up.

Properties that hold for every game are in ``tests/games/test_conformance.py``.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.tiers import each_third_quick
from tests.wonders.engine_tools import RANDOM, TABLES, TASTES, engine_table, played
from wsim.wonders.catalog import Catalogue, Count, Effects, Stage, Toll
from wsim.wonders.catalog.house_rules import at_table
from wsim.wonders.simulator import WondersSimulator
from wsim.wonders.words import CATEGORIES

GAMES = 200
PLAYERS = (RANDOM, *TASTES)


def tables(ruleset: str, players: int) -> list[WondersSimulator]:
    """Return tables with random players, and with a mixed line-up in rotating seats."""
    line_up = [PLAYERS[seat % 4] for seat in range(players)]
    return [engine_table(ruleset, players, seed=21), engine_table(ruleset, players, line_up, seed=22, rotate=True)]


def played_out(table: WondersSimulator, number: int) -> tuple[dict[str, Any], Any]:
    """Return the trace of a game and the engine's record at its end."""
    return table.trace(number), table.logged(number)[0].copy()


def names_of(catalogue: Catalogue, words: Any) -> list[str]:
    """Return the names in a bit set of cards."""
    return [card.name for i, card in enumerate(catalogue.cards) if int(words[i >> 6]) >> (i & 63) & 1]


each_table = each_third_quick(("ruleset", "players"), TABLES)


@pytest.mark.boundscheck
@each_table
def test_cards_are_conserved(ruleset: str, players: int) -> None:
    """Every card dealt ends as a structure, under a stage or on the discard pile."""
    for table in tables(ruleset, players):
        for number in range(6):
            trace, game = played_out(table, number)
            public, hidden = game.public, game.hidden
            dealt = Counter(
                name for age in trace["ages"] for hand in [*age["hands"], age.get("free_city", [])] for name in hand
            )
            built = Counter(
                name for seat in range(table.seats) for name in names_of(table.catalogue, public.built[seat])
            )
            pile = Counter({card.name: int(hidden.copies[i]) for i, card in enumerate(table.catalogue.cards)})
            buried = Counter(
                move["card"]
                for age in trace["ages"]
                for turn in age["turns"]
                for move in [*turn["moves"], *turn.get("extra", [])]
                if move["action"] == "stage"
            )
            assert built + +pile + buried == dealt
            assert pile.total() == int(public.discarded)
            assert set(names_of(table.catalogue, hidden.pile)) == set(+pile)
            assert buried.total() == int(public.stages[: table.seats].sum())
            assert built.total() == int(public.colors[: table.seats].sum())


class Bank:
    """An independent bookkeeper that follows a trace and computes all coins from the catalogue's effects."""

    def __init__(self, catalogue: Catalogue, trace: dict[str, Any]) -> None:
        self.catalogue = catalogue
        self.seats = [catalogue.wonder(seat["wonder"]).stages(seat["side"]) for seat in trace["seats"]]
        self.number = len(self.seats)
        self.rules = at_table(catalogue.settings, self.number)
        self.coins = [self.rules.start_coins] * self.number
        self.structures: list[list[str]] = [[] for _ in self.seats]
        self.stages = [0] * self.number
        self.victories = [0] * self.number
        self.defeats = [0] * self.number

    def others(self, seat: int, toll: Toll) -> list[int]:
        """Return the seats that an effect on others or neighbours reaches."""
        around = {(seat + 1) % self.number, (seat - 1) % self.number}
        return [other for other in range(self.number) if other != seat and (toll.who == "others" or other in around)]

    def count(self, seat: int, what: str) -> int:
        """Count something in one city."""
        if what == "wonder_stage":
            return self.stages[seat]
        if what == "defeat_token":
            return self.defeats[seat]
        if what == "victory_token":
            return self.victories[seat]
        return sum(self.catalogue.card(name).color == what for name in self.structures[seat])

    def per(self, seat: int, count: Count) -> int:
        """Return the coins of a counting effect."""
        where = {"self": seat, "left": (seat + 1) % self.number, "right": (seat - 1) % self.number}
        return count.n * sum(self.count(where[city], what) for city in count.cities for what in count.what)

    def place(self, move: dict[str, Any]) -> Effects | None:
        """Place a card and pay for it; return the effects of the structure or stage."""
        seat = move["seat"]
        if move["action"] == "sell":
            self.coins[seat] += self.rules.sale_coins
            return None
        self.coins[seat] -= move["bank"] + move["left"] + move["right"]
        self.coins[(seat + 1) % self.number] += move["left"]
        self.coins[(seat - 1) % self.number] += move["right"]
        if move["action"] == "stage":
            self.stages[seat] += 1
            stage: Stage = self.seats[seat][self.stages[seat] - 1]
            return stage.effects
        self.structures[seat].append(move["card"])
        return self.catalogue.card(move["card"]).effects

    def resolve(self, moves: list[dict[str, Any]]) -> None:
        """Place the cards of simultaneous moves, then add their immediate coins."""
        placed = [(move["seat"], self.place(move)) for move in moves]
        for seat, effects in placed:
            if effects is None:
                continue
            self.coins[seat] += effects.coins + (self.per(seat, effects.coins_per) if effects.coins_per else 0)
            if effects.discard_defeat_tokens:
                self.defeats[seat] = 0
            self.victories[seat] += effects.victory_token > 0
            if effects.coins_to_others:
                for other in self.others(seat, effects.coins_to_others):
                    self.coins[other] += effects.coins_to_others.n

    def turn(self, turn: dict[str, Any]) -> None:
        """Follow a whole turn: the moves, the last cards together, the builds from the pile one by one, the losses."""
        self.resolve(turn["moves"])
        extra = turn.get("extra", [])
        self.resolve([move for move in extra if move["source"] == "last_card"])
        for move in extra:
            if move["source"] == "discard_pile":
                self.resolve([move])
        for loss in turn.get("losses", []):
            self.coins[loss["seat"]] -= loss["coins"]

    def fight(self, fought: dict[str, Any], team: bool) -> None:
        """Count the tokens of a conflict."""
        value = max(fought["tokens"])
        for seat, tokens in zip(fought["seats"], fought["tokens"], strict=True):
            self.defeats[seat] += -tokens if tokens < 0 else 0
            self.victories[seat] += (-min(fought["tokens"])) if tokens > 0 and tokens == value else 0


@each_table
def test_coins_are_conserved(ruleset: str, players: int) -> None:
    """Sales, payments, effects and losses explain every treasury after every turn; trade only moves coins."""
    for table in tables(ruleset, players):
        for number in range(8):
            trace = table.trace(number)
            bank = Bank(table.catalogue, trace)
            for age in trace["ages"]:
                for turn in age["turns"]:
                    bank.turn(turn)
                    assert bank.coins == turn["coins"], (number, age["age"], turn["turn"])
                for fought in age["conflicts"]:
                    bank.fight(fought, table.catalogue.teams)
            assert [score["coins"] for score in trace["scores"]] == bank.coins
            rows = played(table, 1, number)
            assert rows["trade_paid"].sum() == rows["trade_received"].sum()
            assert int(rows["coins"].min()) >= 0


@pytest.mark.boundscheck
@each_table
def test_scores_shares_and_ranks_add_up(ruleset: str, players: int) -> None:
    for table in tables(ruleset, players):
        rows = played(table, GAMES).reshape(GAMES, table.seats)
        assert (rows["points"].sum(axis=2) == rows["total"]).all()
        winners = 2 if table.catalogue.teams else 1
        assert rows["win_share"].sum(axis=1) == pytest.approx(winners)
        assert ((rows["win_share"] > 0) == (rows["rank"] == 1)).all()
        treasury = rows["points"][:, :, CATEGORIES.index("treasury")]
        assert (treasury == rows["coins"] // 3 - rows["debts"].astype(int)).all()
        military = rows["points"][:, :, CATEGORIES.index("military")]
        assert (military == rows["victory_points"] - rows["defeats"].astype(int)).all()
        totals = rows["total"][:, :players].astype(int)
        coins = rows["coins"][:, :players].astype(int)
        if table.catalogue.teams:
            totals, coins = totals[:, ::2] + totals[:, 1::2], coins[:, ::2] + coins[:, 1::2]
        standing = totals * 10_000 + coins
        best = standing == standing.max(axis=1, keepdims=True)
        shares = rows["win_share"][:, :players:winners]
        assert (shares > 0).tolist() == best.tolist()
        assert shares == pytest.approx(best / best.sum(axis=1, keepdims=True))


@each_table
def test_every_seat_makes_one_play_per_turn(ruleset: str, players: int) -> None:
    for table in tables(ruleset, players):
        rows = played(table, GAMES).reshape(GAMES, table.seats)
        turns = int(table.rules.age_turns.sum())
        plays = sum(rows[name].astype(int) for name in ("built_paid", "built_chain", "built_free", "sold", "stages"))
        assert plays.min() >= turns  # and more with last cards
        assert plays.max() <= turns + 3
        structures = sum(
            rows[name].astype(int) for name in ("built_paid", "built_chain", "built_free", "built_discard")
        )
        assert (rows["colors"].sum(axis=2) == structures).all()
        assert (np.bitwise_count(rows["built"]).sum(axis=2) == structures).all()


@each_table
def test_conflicts_are_zero_sum_in_tokens(ruleset: str, players: int) -> None:
    """A victory token on one side is a defeat token on the other; shields decide, the age gives the value (R19)."""
    for table in tables(ruleset, players):
        for number in range(6):
            trace = table.trace(number)
            for age in trace["ages"]:
                value = (1, 3, 5)[age["age"] - 1]
                for fought in age["conflicts"]:
                    (shields, other), (won, lost) = fought["shields"], fought["tokens"]
                    if shields == other:
                        assert (won, lost) == (0, 0)
                        continue
                    winner, loser = (won, lost) if shields > other else (lost, won)
                    tokens = -loser
                    assert winner == value * tokens
                    assert tokens in ((0, 1, 2) if table.catalogue.teams else (1,))
                if not table.catalogue.cities:
                    assert len(age["conflicts"]) == table.seats


@each_table
def test_picks_contain_every_turn(ruleset: str, players: int) -> None:
    games = 4
    for table in tables(ruleset, players):
        rows = np.zeros(games * table.seats, table.row_dtype)
        picks = np.zeros(games * table.picks_per_game, table.pick_dtype)
        written = table.play(0, rows, picks)
        assert written >= games * table.plan.players * int(table.rules.age_turns.sum())
        event = picks["event"][:written]
        assert (event["index"] < event["legal"]).all()
