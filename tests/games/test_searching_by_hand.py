"""The steps of a playout search as plain Python: candidates, playout policies, sums of playouts, dropped candidates."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.policies.in_python import linked
from wsim.kernels import searching
from wsim.kernels.heads import NOBODY

pytestmark = pytest.mark.jit_off
NEVER = searching.NEVER


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    return linked(monkeypatch, searching)


def lookahead(*worth: float, **values: Any) -> Any:
    count = max(len(worth), 5)
    lists = {name: [*worth, *[0.0] * (count - len(worth))] for name in ("worth", "values")}
    zeros = {name: [0.0] * count for name in ("prior", "total", "last")}
    made = SimpleNamespace(
        candidate=list(range(count)), move=[10 * place for place in range(count)], valuer=-1, ahead=0, met=0, when=0,
        player=[-1] * 3, inferring=0, chance=[0.0] * 3, **lists, **zeros,
    )  # fmt: skip
    vars(made).update(values)
    return made


def hooks(**given: Any) -> Any:
    sized = SimpleNamespace(itemsize=16)
    known = SimpleNamespace(
        state=sized, choice=sized, values=lambda *_: None, moment=None, redraw=lambda *_: None, take=lambda *_: None,
        next_decision=lambda *_: NOBODY, utility=lambda *_: 0.0, parameters=2, restrict=lambda *_: None,
        share=None, alike=lambda *_: False, at_once=None, foretold=None, seen=None,
    )  # fmt: skip
    vars(known).update(given)
    return known


def test_utility_counts_victory_and_the_lead_over_the_best_rival(module: Any) -> None:
    """Seat 1 of three: 40 points and half of the victory; the best rival has 55."""
    ends = [(55.0, 0.0), (40.0, 0.5), (30.0, 0.5)]
    utility = module.utility_of(lambda _game, seat: ends[seat])
    rules = SimpleNamespace(seats=3)
    assert utility(None, rules, 1) == pytest.approx(module.WINNING * 0.5 + module.LEAD * (40 - 55))
    assert utility(None, rules, 0) == pytest.approx(module.LEAD * (55 - 40))


def test_candidates_are_sorted_stably(module: Any) -> None:
    records = lookahead(1.0, 3.0, 3.0, 2.0, prior=[0, 1, 2, 3, 4], total=[0, 2, 4, 6, 8], last=[0, 3, 6, 9, 12])
    module._sort(records, 4)
    assert records.candidate[:4] == [1, 2, 3, 0]
    assert (records.move[:4], records.worth[:4]) == ([10, 20, 30, 0], [3.0, 3.0, 2.0, 1.0])
    assert (records.prior[:4], records.total[:4], records.last[:4]) == ([1, 2, 3, 0], [2, 4, 6, 0], [3, 6, 9, 0])


@pytest.mark.parametrize(
    ("values", "alike", "most", "chosen"),
    [
        ([1, 4, 2, 3], (), 4, [1, 3, 2, 0]), ([1, 4, 2, 3], (), 2, [1, 3]), ([2, 2, 2], (), 2, [0, 1]),
        ([1, NEVER, 2], (), 4, [2, 0]), ([NEVER, NEVER], (), 4, [0]),
        # moves 1 and 2 do what 0 does, 4 what 3 does: the best of each, of equals the first
        ([1, 3, 2, 5, 5], (1, 2, 4), 4, [3, 1]), ([3, 3, 1, 0, 5], (1, 2, 4), 4, [4, 0]),
    ],
)  # fmt: skip
def test_candidates_are_the_best_moves_one_per_group_of_similar_moves(
    values: list[float], alike: tuple[int, ...], most: int, chosen: list[int], module: Any
) -> None:
    records = lookahead(candidate=[-1] * 5, move=[-1] * 5)
    game = SimpleNamespace(lookahead=records, choice=SimpleNamespace(count=len(values), moves=[7, 8, 9, 10, 11]))

    def fill(game: Any, _rules: Any, settings: str, seat: int) -> None:
        assert (settings, seat) == ("weights", 2)
        game.lookahead.values = [*map(float, values)]

    same = lambda _choice, one, other: other == one + 1 and other in alike  # noqa: E731
    choose = module._choosing(hooks(values=fill, alike=same))
    assert choose(game, None, "weights", None, 2, most) == len(chosen)
    count = len(chosen)
    assert (records.candidate[:count], records.move[:count]) == (chosen, [7 + index for index in chosen])
    best = records.values[chosen[0]]
    assert records.worth[:count] == records.prior[:count] == [records.values[index] - best for index in chosen]
    assert records.total[:count] == records.last[:count] == [0.0] * count


def test_a_users_function_values_the_moves_or_fails(module: Any) -> None:
    records = lookahead(1.0, 2.0, valuer=3)
    game = SimpleNamespace(
        lookahead=records, choice=SimpleNamespace(count=2, moves=[7, 8]), public="public", own=["a", "b"]
    )
    asked: list[Any] = []
    answer = 0

    def call(*given: Any) -> int:
        asked.append(given)
        return answer

    module.call = call
    choose = module._choosing(hooks(values=None))
    assert choose(game, "rules", "weights", [10, 11, 12, 13], 1, 4) == 2
    assert asked == [(13, "public", "b", game.choice, "rules", records)]
    answer = -1
    assert choose(game, "rules", "weights", [10, 11, 12, 13], 1, 4) == 0
    assert records.ahead == -1


def test_playouts_per_round_of_halving(module: Any) -> None:
    assert [module._rounds(count) for count in (1, 2, 3, 4, 5, 8, 9)] == [0, 1, 2, 2, 3, 3, 4]


def test_differences_between_playouts_ignore_common_changes(module: Any) -> None:
    """Worth 1, 2, 6 (mean 3) after -2, -1, 3 before (mean 0): nothing has changed; then 4, 2, 3 (mean 3): 3, 0, -3."""
    records = lookahead(1.0, 2.0, 6.0, total=[10.0, 10.0, 10.0, 0, 0], last=[-2.0, -1.0, 3.0, 9, 9])
    assert module._add_up(records, 3) == pytest.approx(0)
    assert (records.total[:4], records.last[:3]) == ([11.0, 12.0, 16.0, 0], [-2.0, -1.0, 3.0])
    records.worth[:3] = [4.0, 2.0, 3.0]
    assert module._add_up(records, 3) == pytest.approx((1 + 2) ** 2 + (-1 + 1) ** 2 + (0 - 3) ** 2)


def test_estimates_combine_the_prior_and_the_playouts(module: Any) -> None:
    """Two playouts, and the prior counts as two more: (2 * -3 + 10) / 4 = 1 and (0 + 2) / 4."""
    records = lookahead(prior=[0.0, -3.0, 0, 0, 0], total=[2.0, 10.0, 0, 0, 0])
    module._estimate(records, 2, 2, 2.0)
    assert (records.worth[:2], records.candidate[:2]) == ([1.0, 0.5], [1, 0])


def test_clearly_worse_candidates_are_dropped(module: Any) -> None:
    """Two standard errors of a difference of .5 each are 2 * sqrt(.5): those below 9 - 1.414 go, the best stays."""
    assert [module._clearly(playouts) for playouts in (1, 20)] == [1.0, 1.0]
    assert module._clearly(1000) == pytest.approx(math.log(1000) / 3)
    for worth, left in ((7.59, 3), (7.58, 2)):
        records = lookahead(9.0, 8.0, worth, 1.0)
        assert module._not_clearly_worse(records, 4, 2.0, 0.25) == left
    assert module._not_clearly_worse(lookahead(9.0, 9.0), 2, 0.0, 1.0) == 2
    assert module._not_clearly_worse(lookahead(9.0, 1.0), 2, 0.0, 1.0) == 1


def test_playout_policies_come_from_the_pool(module: Any) -> None:
    """The pool of entry 3 begins at 10: the seat plays as 10, rivals as one of 11 to 14, or to 13 beside a valuer."""
    seating = SimpleNamespace(
        pool_at={3: 10}, pool_size={3: 5}, parameters=np.array([[100 + place, 200 + place, 9] for place in range(20)])
    )
    own = [SimpleNamespace(entrant=3, parameters=[0, 0, 0]) for _ in range(3)]
    bounds: list[int] = []

    def below(_stream: Any, bound: int) -> int:
        bounds.append(bound)
        return bound - 1

    module.below, module.uniform = below, lambda _stream: 0.4
    records = lookahead()
    game = SimpleNamespace(lookahead=records, own=own)
    rules = SimpleNamespace(seats=3)
    module._seat_players(game, rules, seating, None, 1, 2)
    assert (records.player, bounds) == ([14, 10, 14], [4, 4])
    assert [one.parameters for one in own] == [[114, 214, 0], [110, 210, 0], [114, 214, 0]]
    records.valuer = 14
    module._seat_players(game, rules, seating, None, 1, 2)
    assert records.player == [13, 10, 13]
    records.inferring, records.chance = 1, [0.5, 0.0, 0.4]
    module.draw_player = lambda _stream, line_up, first, rivals, net: (line_up, first, rivals, bool(net))
    module._seat_players(game, rules, seating, "line-up", 1, 0)
    assert records.player == [("line-up", 10, 3, True), 10, ("line-up", 10, 3, False)]


def test_a_playout_ends_with_the_game_or_after_n_own_decisions(module: Any) -> None:
    """Seat 1 decides after a forced move of seat 0, and again; its player takes the last move, the rival the first."""
    made: list[Any] = []
    deciders = [0, 1, 2, 1, NOBODY]
    counts = [1, 2, 3, 2, 0]
    told: list[tuple[int, int]] = []
    records = lookahead(player=[20, 21, 22], met=0b001)
    choice = SimpleNamespace(count=0, moves=["a", "b", "c"])
    game = SimpleNamespace(lookahead=records, choice=choice, public="public", own=[SimpleNamespace(entrant=3)] * 3)
    seating = SimpleNamespace(
        pool_at={3: 10}, pool_size={3: 5}, settings_at={20: 5, 21: 6, 22: 7}, settings=list("stuvwxyz")
    )

    def next_decision(_game: Any, _rules: Any, until: int) -> int:
        assert until == 0
        choice.count = counts[len(made)]
        return deciders[len(made)]

    module.foretelling = lambda _hook: lambda *given: told.append((given[6], given[7]))
    module.call = lambda player, *given: choice.count - 1 if (player, given[-1]) == ("one", "y") else 0
    play_on = module._playing_on(hooks(next_decision=next_decision, take=lambda _game, _rules, move: made.append(move)))
    line_up = {20: "zero", 21: "one", 22: "two"}
    assert play_on(game, None, seating, line_up, 1) is True
    assert made == ["a", "b", "a", "b"]
    assert told == [(2, 0)], "the first decision of each rival that is not known"
    made.clear()
    records.ahead = 2
    assert play_on(game, None, seating, line_up, 1) is False
    assert made == ["a", "b", "a"]
    made.clear()
    records.ahead = 1
    assert play_on(game, None, seating, line_up, 1) is False
    assert made == ["a"]


def test_each_candidate_is_played_from_the_same_cards(module: Any) -> None:
    """Three words of state and stream: put back for the resampling, then for each further candidate."""
    words = np.zeros(9, np.uint64)
    size = 16 // 8 + module._HEAD
    records = lookahead(saved=np.full(9, 7, np.uint64), redrawn=np.zeros(9, np.uint64), seed=77, when=1)
    game = SimpleNamespace(lookahead=records, choice=SimpleNamespace(count=3))
    done: list[Any] = []

    def redraw(_game: Any, _rules: Any, seed: int, number: int, seat: int) -> None:
        done.append(("redraw", seed, number, seat, words[:size].tolist()))
        words[:size] = 8

    def take(_game: Any, _rules: Any, move: int) -> None:
        done.append((move, records.met, words[:size].tolist()))
        words[:] = 9

    module._playing_on = lambda _hooks: lambda *_: records.met == 0
    module._seat_players = lambda *_: None

    def ask(game: Any, *_: Any) -> bool:
        game.lookahead.values = [1.0, 4.0, 2.0]
        return True

    module._ask_valuer = ask
    compare = module._comparing(hooks(redraw=redraw, take=take, utility=lambda _game, _rules, seat: 10.0 + seat))
    records.ahead = 2
    compare(game, words, None, None, None, 2, 5, 3)
    assert done == [("redraw", 77, 5, 2, [7] * size), (0, 0, [8] * size), (10, -1, [8] * size), (20, -1, [8] * size)]
    assert records.total[:3] == [12.0, 4.0, 4.0], "the end, or the best move by the function"
    records.ahead, records.when = 0, 0
    done.clear()
    compare(game, words, None, None, None, 2, 6, 1)
    assert (done[1], records.worth[0]) == ((0, -1, [8] * size), 0.0)


@pytest.mark.parametrize(
    ("manner", "left", "index"), [("VALUED", 3, 5), ("FULL", 3, 5), ("FULL", 1, 4), ("FULL", 0, -1)]
)
def test_a_search_needs_at_least_two_candidates(manner: str, left: int, index: int, module: Any) -> None:
    """It starts from the current position and decision and restores them; nothing is recorded in between."""
    thought: list[Any] = []
    words = np.arange(4, dtype=np.uint64)
    parameters = [0.0] * 9
    for name, value in (("MOST_CANDIDATES", 6.0), ("AHEAD", 2.0), ("MANNER", getattr(module, manner))):
        parameters[getattr(module, name)] = value
    records = lookahead(saved=np.zeros(4, np.uint64), candidate=[4, 9, 9, 9, 9])
    game = SimpleNamespace(
        lookahead=records, own=[None, SimpleNamespace(entrant=3, parameters=parameters)], public="public",
        choice="choice", log=SimpleNamespace(recording=7),
    )  # fmt: skip
    seating = SimpleNamespace(pool_at={3: 10}, pool_size={3: 5}, settings_at={3: 2}, settings=["a", "b", "c"])

    def choose(_game: Any, _rules: Any, settings: str, _line_up: Any, seat: int, most: int) -> int:
        assert (settings, seat, most, records.ahead) == ("c", 1, 6, 2)
        return left

    def think(*given: Any) -> None:
        thought.append((given[6], game.log.recording, records.saved.tolist()))
        words[:] = 0
        records.candidate[0] = 5

    module._choosing, module._thinking = lambda _hooks: choose, lambda _hooks: think
    module.words_of = lambda _game, count: words[:count]
    module._set_streams = lambda _lookahead, own, moment: thought.append((own.entrant, moment))
    search = module.searching(hooks(moment=lambda public, choice: (public, choice), at_once=module.at_no_time))
    assert search(game, None, seating, None, 1) == index
    assert records.valuer == (14 if manner == "VALUED" else -1), "the last of its pool"
    assert thought == [(3, ("public", "choice")), *([(left, 0, [0, 1, 2, 3])] if left > 1 else [])]
    assert (words.tolist(), game.log.recording, records.inferring, records.when) == ([0, 1, 2, 3], 7, 0, 0)
    records.ahead = -1
    if left > 1:

        def fail(*_: Any) -> int:
            records.ahead = -1
            return left

        module._choosing = lambda _hooks: fail
        search = module.searching(hooks(moment=lambda *_: 0, at_once=module.at_no_time))
        assert search(game, None, seating, None, 1) == -1, "a user's function failed"


def test_by_default_decisions_share_playouts_equally_and_no_moves_are_alike(module: Any) -> None:
    """A playout varies by .05, the prior's error by a twentieth: it counts as 20 playouts."""
    part, noise, error = module.even_share(None, None, None, False)
    assert (part, noise, noise / error) == (1.0, 0.05, pytest.approx(20))
    assert module.none_alike(None, 0, 1) is False
    kind = np.dtype([("state", "u8", (3,))]), np.dtype([("moves", "i8", (5,)), ("count", "i8")])
    sizes = {
        name: module.lookahead_of(*kind, 4)[name].shape for name in ("saved", "redrawn", "values", "chance", "player")
    }
    assert sizes == {"saved": (3 + 6,), "redrawn": (3 + module._HEAD,), "values": (5,), "chance": (4,), "player": (4,)}
