"""What ``search`` does with its playouts, step by step: its kernels as plain Python, on a game of five moves."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.policies.in_python import in_python
from wsim import rng
from wsim.kernels import searching

STATE = np.dtype([("at", "u8", (2,))])
CHOICE = np.dtype([("count", "i8"), ("pad", "i8", (2,)), ("moves", "u8", (5,))])
ME, SEATS = 2, 4
WORTH = (0.0, 0.05, 0.1, 0.3, 0.9)  # of the end after each move
PLAYOUTS, PRIOR = 24, 2.0
REAL = 77  # a word that stands for what is hidden


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the module of the search as Python: what it asks of other modules is written down here."""
    module = in_python(searching, monkeypatch)
    module.words_of = lambda game, _count: game.words
    module.mix, module.nanoseconds = lambda word: word, lambda: 0
    module.call = lambda player, *_: player()
    module.seek = module.redrawn_deal_word = lambda *_: None
    return module


class Table:
    """A game whose state is two words, the hidden one and the move that was made; and what happened to it."""

    def __init__(self, module: Any, decisions: int = 0) -> None:
        self.events: list[tuple[Any, ...]] = []
        self.asked: list[int] = []
        self.left = decisions
        self.rivals = 0
        choice = SimpleNamespace(count=5, moves=np.arange(5))
        lookahead = SimpleNamespace(
            rng=0, seed=0, recording=0, ahead=0, valuer=-1, inferring=0, when=0, met=0, saved=[0] * 10,
            redrawn=[0] * 5, player=[-1] * SEATS, values=np.zeros(5), candidate=[0] * 16, move=[0] * 16,
            worth=[0.0] * 16,
        )  # fmt: skip
        own = [SimpleNamespace(rng=np.uint64(8), entrant=1, parameters=[0.5] * 7) for _ in range(SEATS)]
        own[ME].parameters = [PLAYOUTS, 0.0, 5.0, PRIOR, 0.0, 0.0, 0.0]
        self.words = [REAL, 0, 5, 0, 0, *range(5)]
        self.game = SimpleNamespace(
            lookahead=lookahead, own=own, choice=choice, public=None, words=self.words, log=SimpleNamespace(recording=1)
        )
        self.seating = SimpleNamespace(pool_at=[0, 10], pool_size=[3, 6], settings=[None] * 20, settings_at=[0] * 20)
        self.line_up = [lambda: 0] * 10 + [self.player(number) for number in range(10, 20)]
        module.below = self.below
        self.search = module.searching(
            module.Parts(
                STATE,
                CHOICE,
                self.values,
                lambda *_: 1,
                self.redraw,
                self.take,
                self.next_decision,
                self.utility,
                7,
                restrict=lambda *_: None,
                alike=lambda *_: False,
            )
        )

    def player(self, number: int) -> Any:
        def play() -> int:
            self.asked.append(number)
            return 0

        return play

    def below(self, _lookahead: Any, count: int) -> int:
        """Draw the rivals in turn: all of them come up."""
        self.rivals = count
        return len(self.events) % count

    def values(self, game: Any, *_: Any) -> None:
        game.lookahead.values[:] = (0.0, -0.1, -0.2, -0.3, -0.4)

    def redraw(self, _game: Any, _rules: Any, _seed: int, number: int, seat: int) -> None:
        self.words[0] = 1000 + number
        self.events.append(("redrawn", number, seat))
        self.game.choice.count = 5

    def take(self, _game: Any, _rules: Any, move: int) -> None:
        if self.words[1] == 0:  # the move of the seat, else one of the playout
            self.events.append(("take", self.words[0], int(move)))
            self.words[1] = 1 + int(move)
            self.to_come = self.left
        else:
            self.to_come -= 1

    def next_decision(self, *_: Any) -> int:
        return -1 if self.to_come == 0 else self.to_come % SEATS

    def utility(self, _game: Any, _rules: Any, seat: int) -> float:
        assert seat == ME
        return WORTH[self.words[1] - 1]

    def decide(self) -> int:
        index: int = self.search(self.game, SimpleNamespace(seats=SEATS), self.seating, self.line_up, ME)
        return index


def test_playouts_are_shared_out_by_halving_from_the_prior_on(plain: Any) -> None:
    """Five moves are played once each, the best three twice, the best two four times; the prior counts as two.

    Behind the first playout the sums are 0, -0.15, -0.3, -0.3 and 0.1; without the prior 2 and 3 would go on.
    """
    table = Table(plain)
    assert table.decide() == 4
    expected: list[tuple[Any, ...]] = []
    for number, moves in enumerate([range(5), *[(4, 0, 1)] * 2, *[(4, 0)] * 4]):
        expected.append(("redrawn", number, ME))
        expected += [("take", 1000 + number, move) for move in moves]
    assert table.events == expected


def test_no_playout_begins_from_the_real_cards_and_the_game_continues_with_them(plain: Any) -> None:
    table = Table(plain)
    table.decide()
    assert all(event[1] != REAL for event in table.events if event[0] == "take")
    assert table.words == [REAL, 0, 5, 0, 0, *range(5)]
    assert table.game.log.recording == 1


@pytest.mark.parametrize(("valued", "others"), [(0.0, 5), (1.0, 4)], ids=["net", "own-values"])
def test_rivals_are_played_by_the_pool_and_the_seat_by_its_first(plain: Any, valued: float, others: int) -> None:
    """A pool of six at place 10: its first plays on for the seat, a function that values is nobody's player."""
    table = Table(plain, decisions=6)
    table.game.own[ME].parameters[5] = valued
    table.line_up[15] = lambda: 0 if valued else table.player(15)()
    table.decide()
    assert table.rivals == others
    assert table.game.lookahead.player[ME] == 10
    assert set(table.game.lookahead.player) - {10} <= set(range(11, 11 + others))
    assert set(table.asked) == {10, *range(11, 11 + others)}
    assert all(parameters == 0 for own in table.game.own[:ME] for parameters in own.parameters)


def test_the_random_numbers_of_a_search_depend_on_the_moment_and_the_seat(
    plain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain.mix = in_python(rng, monkeypatch).mix
    seeds = set()
    for state, moment in ((8, 1), (8, 2), (9, 1)):
        lookahead = SimpleNamespace(seed=0)
        with np.errstate(over="ignore"):
            plain._set_streams(lookahead, SimpleNamespace(rng=np.uint64(state)), moment)
        seeds.add(int(lookahead.seed))
    assert len(seeds) == 3
