"""How ``search`` allocates its playouts: its kernels in plain Python, on a game of five moves."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.policies.in_python import in_python
from wsim import rng
from wsim.kernels import searching

pytestmark = pytest.mark.jit_off
STATE = np.dtype([("at", "u8", (2,))])
CHOICE = np.dtype([("count", "i8"), ("pad", "i8", (2,)), ("moves", "u8", (5,))])
ME, SEATS = 2, 4
WORTH = (0.0, 0.05, 0.1, 0.3, 0.9)  # of the end after each move
PLAYOUTS, PRIOR = 24, 2.0
REAL = 77  # a word that stands for what is hidden


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Load the search kernels as plain Python; their calls to other modules are recorded."""
    module = in_python(searching, monkeypatch)
    module.words_of = lambda game, _count: game.words
    module.mix, module.nanoseconds = lambda word: word, lambda: 0
    module.call = lambda player, *_: player()
    module.seek = module.redrawn_deal_word = lambda *_: None
    return module


class Table:
    """A game whose state is two words, the hidden cards and the move made; it records all operations."""

    def __init__(self, module: Any, decisions: int = 0, worth: Any = lambda move, _: WORTH[move], **hooks: Any) -> None:
        self.worth, self.number = worth, 0
        self.events: list[tuple[Any, ...]] = []
        self.asked: list[int] = []
        self.left = decisions
        self.rivals = 0
        choice = SimpleNamespace(count=5, moves=np.arange(5))
        lookahead = SimpleNamespace(
            rng=0, seed=0, recording=0, ahead=0, valuer=-1, inferring=0, when=0, met=0, saved=[0] * 10,
            redrawn=[0] * 5, spent=0, player=[-1] * SEATS, values=np.zeros(5), candidate=[0] * 16, move=[0] * 16,
            prior=[0.0] * 16, total=[0.0] * 16, last=[0.0] * 16, worth=[0.0] * 16,
        )  # fmt: skip
        own = [SimpleNamespace(rng=np.uint64(8), entrant=1, parameters=[0.5] * 7) for _ in range(SEATS)]
        own[ME].parameters = [PLAYOUTS, 0.0, 5.0, PRIOR, 0.0, 0.0, 0.0]
        self.words = [REAL, 0, 5, 0, 0, *range(5)]
        self.game = SimpleNamespace(
            lookahead=lookahead, own=own, choice=choice, public=None, words=self.words, log=SimpleNamespace(recording=1)
        )
        self.seating = SimpleNamespace(
            pool_at=[0, 10], pool_size=[3, 6], settings=[None] * 20, settings_at=[0] * 20,
            parameters=np.add.outer(100.0 * np.arange(20), np.arange(7)),
        )  # fmt: skip
        self.line_up = [lambda: 0] * 10 + [self.player(number) for number in range(10, 20)]
        module.below = self.below
        self.search = module.searching(
            module.SearchHooks(
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
                **hooks,
            )
        )

    def player(self, number: int) -> Any:
        def play() -> int:
            self.asked.append(number)
            return 0

        return play

    def below(self, _lookahead: Any, count: int) -> int:
        """Draw the rivals in turn, so that each is drawn."""
        self.rivals = count
        return len(self.events) % count

    def values(self, game: Any, *_: Any) -> None:
        game.lookahead.values[:] = (0.0, -0.1, -0.2, -0.3, -0.4)

    def redraw(self, _game: Any, _rules: Any, _seed: int, number: int, seat: int) -> None:
        self.words[0], self.number = 1000 + number, number
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
        return float(self.worth(self.words[1] - 1, self.number))

    def decide(self) -> int:
        index: int = self.search(self.game, SimpleNamespace(seats=SEATS), self.seating, self.line_up, ME)
        return index


PRIORS = np.array((0.0, -0.1, -0.2, -0.3, -0.4))  # what ``Table.values`` says of the moves


def tried(table: Table) -> list[tuple[int, list[int]]]:
    """Return the playouts: the number of each sample of the hidden cards, and the moves tried with it."""
    samples: list[tuple[int, list[int]]] = []
    for event in table.events:
        if event[0] == "redrawn":
            samples.append((event[1], []))
        else:
            assert event[1] == 1000 + samples[-1][0], "moves of one sample have the same cards"
            samples[-1][1].append(event[2])
    return samples


def allocation(
    worth: Any, limit: float, errors: float, noise: float, error: float
) -> tuple[list[tuple[int, list[int]]], int]:
    """Compute the tried and chosen moves independently, from full matrices of values without incremental updates.

    errors: standard errors behind the best move at which one is dropped. noise, error: variances of a playout and of
    the prior.
    """
    values = np.array([[worth(move, number) for number in range(200)] for move in range(5)])
    behind = PRIORS.max() - PRIORS
    left = [move for move in np.argsort(behind, kind="stable").tolist() if behind[move] <= errors * np.sqrt(2 * error)]
    left = left[: max(int(limit / 2), 1)]
    halvings = [2**step for step in range(8) if 2**step < len(left)]
    sizes = [int(np.ceil(len(left) / 2 ** (step + 1))) for step in range(len(halvings))]
    samples: list[tuple[int, list[int]]] = []
    while len(left) > 1 and (not samples or sum(len(moves) for _, moves in samples) + len(left) <= limit):
        samples.append((len(samples), left))
        count = len(samples)
        squares, freedom = 8 * noise, 8.0  # the expected noise counts as eight values
        for number, moves in samples[1:]:
            change = values[moves, number] - values[moves, number - 1]
            squares, freedom = squares + len(moves) * change.var() / 2, freedom + len(moves) - 1
        weight = squares / freedom / error
        estimate = {move: (weight * PRIORS[move] + values[move, :count].sum()) / (weight + count) for move in left}
        left = sorted(left, key=lambda move: -estimate[move])
        least = estimate[left[0]] - errors * np.sqrt(2 * squares / freedom / (weight + count))
        left = [move for move in left if estimate[move] >= least]
        spent = sum(len(moves) for _, moves in samples) / limit
        passed = int(spent * len(halvings) + 1e-9)
        if passed:
            left = left[: min(len(left), *sizes[:passed])]
    return samples, left[0]


def noisy_worth(seed: int, spread: float) -> Any:
    """Return synthetic playout values: the value of each move plus noise that varies between playouts."""
    noise = np.random.default_rng(seed).normal(0, spread, (5, 200))
    return lambda move, number: WORTH[move] / 10 + noise[move, number]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("playouts", "spread", "error"), [(24, 0.2, 0.04), (60, 0.2, 0.02), (400, 0.05, 0.1)])
def test_playout_allocation_matches_an_independent_implementation(
    plain: Any, seed: int, playouts: int, spread: float, error: float
) -> None:
    worth, noise = noisy_worth(seed, spread), 0.03
    table = Table(plain, worth=worth, share=lambda *_: (0.5, noise, error))
    table.game.own[ME].parameters = [playouts, 0.0, 5.0, -1.0, 0.0, 0.0, 0.0]
    chosen = table.decide()
    errors = max(1.0, np.log(playouts) / 3)
    assert (tried(table), chosen) == allocation(worth, playouts / 2, errors, noise, error)
    assert table.game.lookahead.spent == sum(len(moves) for _, moves in tried(table)) <= playouts / 2


def spent_on(table: Table, playouts: float, prior: float = -1.0) -> list[int]:
    """Return the number of playouts of each move."""
    table.game.own[ME].parameters = [playouts, 0.0, 5.0, prior, 0.0, 0.0, 0.0]
    table.decide()
    moves = [move for _, moves in tried(table) for move in moves]
    return [moves.count(move) for move in range(5)]


def test_the_budget_goes_to_moves_that_are_hard_to_distinguish(plain: Any) -> None:
    """Moves 1 and 3 are the best and nearly equal, the others clearly worse: they are dropped after few playouts."""
    worths = (0.0, 0.5, 0.1, 0.51, 0.0)
    noise = np.random.default_rng(5).normal(0, 0.05, (5, 200))
    table = Table(plain, worth=lambda move, number: worths[move] + noise[move, number], share=lambda *_: (1, 0.01, 0.5))
    counts = spent_on(table, 100)
    assert min(counts[1], counts[3]) > 4 * max(counts[0], counts[2], counts[4])
    assert counts[1] == counts[3], "the same cards for both"


@pytest.mark.parametrize(
    ("share", "prior", "expected"),
    [
        ((0.0, 0.05, 0.0025), -1.0, [0] * 5),  # nothing pays at this decision: the prior decides
        ((1.0, 0.05, 1e-6), -1.0, [0] * 5),  # the prior is known to be right
        ((1.0, 0.05, 0.0025), 1e6, [0] * 5),
        ((0.1, 0.05, 1.0), -1.0, [1, 1, 0, 0, 0]),  # a limit of 4 playouts: two for each of the best two, if needed
    ],
)
def test_no_playouts_are_spent_where_they_do_not_help(
    plain: Any, share: tuple[float, ...], prior: float, expected: list[int]
) -> None:
    table = Table(plain, worth=lambda move, _: -10.0 * move, share=lambda *_: share)
    assert spent_on(table, 40, prior) == expected


def test_two_candidates_are_searched_but_one_is_not(plain: Any) -> None:
    """The prior is for move 0, the playouts for move 1."""
    for most, chosen in ((2.0, 1), (1.0, 0)):
        table = Table(plain, worth=lambda move, _: 10.0 * (move == 1))
        table.game.own[ME].parameters = [PLAYOUTS, 0.0, most, PRIOR, 0.0, 0.0, 0.0]
        assert (table.decide(), bool(table.events)) == (chosen, most > 1)


def test_a_prior_with_zero_weight_is_ignored(plain: Any) -> None:
    table = Table(plain, worth=lambda move, _: 10.0 * (move == 4), share=lambda *_: (1.0, 0.05, 1e-6))
    table.game.own[ME].parameters = [PLAYOUTS, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0]
    assert table.decide() == 4


def test_thinking_stops_when_one_move_is_left(plain: Any) -> None:
    table = Table(plain, worth=lambda move, _: 10.0 * (move == 4), share=lambda *_: (1.0, 0.01, 0.5))
    assert spent_on(table, 1000) == [1] * 5


def test_a_time_limit_ends_the_search(plain: Any) -> None:
    """A clock that moves on by one millisecond a sample; the two best moves cannot be told apart."""
    ticks = iter(range(0, 10**9, 10**6))
    plain.nanoseconds = lambda: next(ticks)
    table = Table(plain, worth=lambda move, number: 0.4 * (number % 2), share=lambda *_: (1.0, 0.04, 1e6))
    table.game.own[ME].parameters = [0, 7.0, 5.0, -1.0, 0.0, 0.0, 0.0]
    table.decide()
    assert len(tried(table)) == 7


def test_playouts_never_use_the_real_cards_but_the_game_does(plain: Any) -> None:
    table = Table(plain)
    table.decide()
    assert all(event[1] != REAL for event in table.events if event[0] == "take")
    assert table.words == [REAL, 0, 5, 0, 0, *range(5)]
    assert table.game.log.recording == 1


@pytest.mark.parametrize(("valued", "others"), [(0.0, 5), (1.0, 4)], ids=["net", "own-values"])
def test_the_pool_plays_the_rivals_and_its_first_policy_the_seat(plain: Any, valued: float, others: int) -> None:
    """A pool of six at place 10: its first plays on for the seat, a function that values is nobody's player."""
    table = Table(plain, decisions=6, worth=lambda *_: 0.0)
    table.game.own[ME].parameters[5] = valued
    table.line_up[15] = lambda: 0 if valued else table.player(15)()
    table.decide()
    assert table.rivals == others
    assert table.game.lookahead.player[ME] == 10
    assert set(table.game.lookahead.player) - {10} <= set(range(11, 11 + others))
    assert set(table.asked) == {10, *range(11, 11 + others)}
    for own, player in zip(table.game.own, table.game.lookahead.player, strict=True):
        assert list(own.parameters) == [100.0 * player + index for index in range(7)], "each its own"


def test_only_the_first_move_of_each_rival_with_new_cards_is_predicted(plain: Any) -> None:
    """Each rival decides two or three times in a playout; what other candidates would bring is not counted."""
    foretold: list[tuple[int, bool]] = []

    def foretell(game: Any, *given: Any) -> None:
        foretold.append((given[-2], bool(game.lookahead.met >> given[-2] & 1)))
        game.lookahead.met |= 1 << given[-2]

    plain.foretelling, plain.note_foreseen = lambda _foretold: foretell, lambda *_: None
    plain.weighing = lambda *_: lambda game, *_given: setattr(game.lookahead, "when", 3)
    for inferred in (0.0, 1.0):
        assert not foretold, "of a pool that is not inferred"
        table = Table(plain, decisions=11, worth=lambda *_: 0.0, at_once=lambda *_: 3)
        table.game.own[ME].parameters[plain.INFERRED] = inferred
        table.decide()
    assert {rival for rival, _ in foretold} == {0, 1, 3}
    assert not any(met for _, met in foretold)
    assert len(foretold) == 3 * sum(event[0] == "redrawn" for event in table.events)


def test_random_numbers_of_a_search_depend_on_moment_and_seat(plain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plain.mix = in_python(rng, monkeypatch).mix
    seeds = set()
    for state, moment in ((8, 1), (8, 2), (9, 1)):
        lookahead = SimpleNamespace(seed=0)
        with np.errstate(over="ignore"):
            plain._set_streams(lookahead, SimpleNamespace(rng=np.uint64(state)), moment)
        seeds.add(int(lookahead.seed))
    assert len(seeds) == 3
