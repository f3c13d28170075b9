"""What holds in every game, whoever plays: nothing is lost or made, scores add up, chunks and threads agree."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.wonders.engine_tools import RANDOM, TABLES, TASTES, engine_table, played
from wsim.wonders.catalog import Catalogue, Count, Effects, Stage, Toll
from wsim.wonders.simulator import WondersSimulator
from wsim.wonders.words import CATEGORIES

GAMES = 200
PLAYERS = (RANDOM, *TASTES)


def tables(ruleset: str, players: int) -> list[WondersSimulator]:
    """Return tables of random play and of a mixed line-up that changes seats."""
    line_up = [PLAYERS[seat % 4] for seat in range(players)]
    return [engine_table(ruleset, players, seed=21), engine_table(ruleset, players, line_up, seed=22, rotate=True)]


def played_out(table: WondersSimulator, number: int) -> tuple[dict[str, Any], Any]:
    """Return the trace of a game and the engine's record at its end."""
    picks = np.zeros(table.picks_per_game, table.pick_dtype)
    _, game = table._play(number, np.zeros(table.seats, table.row_dtype), picks)
    return table.trace(number), game


def names_of(catalogue: Catalogue, words: Any) -> list[str]:
    """Return the names in a bit set of cards."""
    return [card.name for i, card in enumerate(catalogue.cards) if int(words[i >> 6]) >> (i & 63) & 1]


@pytest.mark.boundscheck
@pytest.mark.parametrize(("ruleset", "players"), TABLES)
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
    """An independent bookkeeper: follows a trace and knows every treasury from the catalogue's effects alone."""

    def __init__(self, catalogue: Catalogue, trace: dict[str, Any]) -> None:
        self.catalogue = catalogue
        self.seats = [catalogue.wonder(seat["wonder"]).stages(seat["side"]) for seat in trace["seats"]]
        self.number = len(self.seats)
        self.coins = [catalogue.settings.start_coins] * self.number
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
        """Return the coins of an effect that counts."""
        where = {"self": seat, "left": (seat + 1) % self.number, "right": (seat - 1) % self.number}
        return count.n * sum(self.count(where[city], what) for city in count.cities for what in count.what)

    def place(self, move: dict[str, Any]) -> Effects | None:
        """Put a card where it goes and pay for it; return the effects of what was built."""
        seat = move["seat"]
        if move["action"] == "sell":
            self.coins[seat] += self.catalogue.settings.sale_coins
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
        """Place simultaneous moves, then their immediate coins."""
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


@pytest.mark.parametrize(("ruleset", "players"), TABLES)
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
@pytest.mark.parametrize(("ruleset", "players"), TABLES)
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


@pytest.mark.parametrize(("ruleset", "players"), TABLES)
def test_every_seat_makes_as_many_plays_as_turns(ruleset: str, players: int) -> None:
    for table in tables(ruleset, players):
        rows = played(table, GAMES).reshape(GAMES, table.seats)
        turns = 3 * table.catalogue.settings.turns
        plays = sum(rows[name].astype(int) for name in ("built_paid", "built_chain", "built_free", "sold", "stages"))
        assert plays.min() >= turns  # and more with last cards
        assert plays.max() <= turns + 3
        structures = sum(
            rows[name].astype(int) for name in ("built_paid", "built_chain", "built_free", "built_discard")
        )
        assert (rows["colors"].sum(axis=2) == structures).all()
        assert (np.bitwise_count(rows["built"]).sum(axis=2) == structures).all()


@pytest.mark.parametrize(("ruleset", "players"), TABLES)
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


@st.composite
def plans(draw: st.DrawFn) -> WondersSimulator:
    """Draw a table: rule set, players, line-up, seed, rotation, board design."""
    ruleset, players = draw(st.sampled_from(TABLES))
    line_up = [draw(st.sampled_from(PLAYERS)) for _ in range(players)]
    boards = draw(st.sampled_from(["random", "balanced", "rotate:Gizah,random,Rhodos"]))
    seed = draw(st.integers(0, 2**63 - 1))
    return engine_table(ruleset, players, line_up, seed=seed, rotate=draw(st.booleans()), wonders=boards)


PHASES = (Phase.explicit, Phase.generate)  # shrinking whole games takes minutes and explains nothing


@settings(max_examples=30, deadline=None, derandomize=True, phases=PHASES)
@given(plans(), st.integers(0, 2**43), st.data())
def test_a_game_is_the_same_alone_or_in_any_chunk(table: WondersSimulator, first: int, data: st.DataObject) -> None:
    games = 12
    whole = played(table, games, first).reshape(games, table.seats)
    alone = data.draw(st.integers(0, games - 1))
    assert (played(table, 1, first + alone) == whole[alone]).all()
    cut = data.draw(st.integers(1, games - 1))
    parts = [played(table, cut, first), played(table, games - cut, first + cut)]
    assert (np.concatenate(parts) == whole.reshape(-1)).all()


@pytest.mark.parametrize(("ruleset", "players"), TABLES)
def test_a_game_owes_nothing_to_the_games_before_it(ruleset: str, players: int) -> None:
    """The last game's Secret Warehouse once gave another symbol of the next game its alternatives (R18)."""
    for table in tables(ruleset, players):
        whole = played(table, 60).reshape(60, table.seats)
        for number in range(60):
            assert (played(table, 1, number) == whole[number]).all(), number


@settings(max_examples=20, deadline=None, derandomize=True, phases=PHASES)
@given(plans())
def test_recording_picks_changes_nothing(table: WondersSimulator) -> None:
    games = 4
    rows = np.zeros(games * table.seats, table.row_dtype)
    picks = np.zeros(games * table.picks_per_game, table.pick_dtype)
    written = table.play(0, rows, picks)
    assert (rows == played(table, games)).all()
    assert written >= games * table.plan.players * 3 * table.catalogue.settings.turns
    assert sorted(set(picks["game"][:written].tolist())) == list(range(games))
    event = picks["event"][:written]
    assert (event["index"] < event["legal"]).all()


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(("ruleset", "players"), [("1e", 4), ("2e-cities", 7), ("1e-duo", 2)])
def test_chunks_played_by_several_threads_are_the_same_games(ruleset: str, players: int, threads: int) -> None:
    line_up = [PLAYERS[seat % 4] for seat in range(players)]
    table = engine_table(ruleset, players, line_up, seed=23, rotate=True)
    whole = played(table, 600)
    chunks = [(first, min(37, 600 - first)) for first in range(0, 600, 37)]
    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(lambda chunk: played(table, chunk[1], chunk[0]), reversed(chunks)))
    assert (np.concatenate(parts[::-1]) == whole).all()


def test_the_deal_does_not_depend_on_the_line_up() -> None:
    first, second = (engine_table("2e-cities", 5, (player,), seed=24).trace(3) for player in (RANDOM, TASTES[1]))
    for one, other in zip(first["ages"], second["ages"], strict=True):
        assert one["hands"] == other["hands"]
        assert one["turns"] != other["turns"]
    boards = [[(seat["wonder"], seat["side"]) for seat in trace["seats"]] for trace in (first, second)]
    assert boards[0] == boards[1]


def test_rotation_moves_the_line_up_by_one_seat_a_game() -> None:
    table = engine_table("1e", 3, TASTES, rotate=True)
    labels = [player.label for player in TASTES]
    for number in range(4):
        expected = [labels[(seat + number) % 3] for seat in range(3)]
        assert [seat["policy"] for seat in table.trace(number)["seats"]] == expected
