"""``search``: reproducible, blind to hidden information, for every decision, stronger than its playout policy.

These tests use few playouts and check that the machinery is correct; docs/search.md reports the strength.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from polars.testing import assert_frame_equal

import wsim
from tests.tiers import first_quick
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.policies.lineup import Entry, parse_entry
from wsim.policies.pool import check_budget, named_pool, noisy, players_of

WONDERS, BABEL = "seven_wonders", "tower_of_babel"
TABLES = [
    (WONDERS, "1e", 3),
    (WONDERS, "1e-duo", 2),
    (WONDERS, "2e", 7),
    (WONDERS, "2e-cities", 4),
    (WONDERS, "2e-cities-teams", 4),
    (BABEL, "2005", 3),
]


def simulator(policies: str, game: str = WONDERS, **keys: Any) -> Any:
    """Prepare a plan of a game for play."""
    return find_game(game).prepare(Plan.make(game=game, policies=policies, **{"seed": 3, **keys}))


def rows_of(ready: Any, games: int, first: int = 0) -> Any:
    """Return the rows of some games."""
    rows = np.zeros(games * ready.seats, ready.row_dtype)
    ready.play(first, rows)
    return rows


# --- what a choice depends on -----------------------------------------------------------------------------------------


def decisions(ready: Any, number: int) -> Any:
    """Play a game with the simulator's line-up, and yield every decision with a choice."""
    position = ready.begin(number)
    while position.to_move is not None:
        if len(position.coded) > 1:
            yield position
        position.follow()


@first_quick(1, ("game", "ruleset", "players"), TABLES)
def test_choices_do_not_depend_on_hidden_information(game: str, ruleset: str, players: int) -> None:
    field = simulator("balanced", game, ruleset=ruleset, players=players)
    searcher = simulator("search:playouts=12:candidates=4", game, ruleset=ruleset, players=players)
    kinds, differing = set(), 0
    for number in range(2):
        for place, position in enumerate(decisions(field, number)):
            if place % 5 and position.decision() in kinds:
                continue
            kinds.add(position.decision())
            choice = position.chosen_by(searcher, seed=9)
            for seed in (1, 2):
                other = position.redrawn(position.to_move, seed)
                differing += bool((other.words != position.words).any())
                assert other.chosen_by(searcher, seed=9) == choice, (number, place, position.decision())
    assert differing > 20


def test_choices_depend_only_on_the_random_stream_of_the_game() -> None:
    """Two searchers at a table do not affect each other or the random streams of the other seats."""
    alone = rows_of(simulator("search:playouts=10,random,random", players=3, rotate=False), 2)
    again = rows_of(simulator("search:playouts=10,random,random", players=3, rotate=False), 1, first=1)
    assert (alone[3:].tobytes()) == again.tobytes()


@pytest.mark.slow
def test_games_do_not_depend_on_threads_or_resuming(tmp_path: Path) -> None:
    keys: dict[str, Any] = {"policies": "search:playouts=10,balanced,random", "players": 3, "seed": 4}
    one = wsim.simulate(games=8, threads=1, **keys)
    assert_frame_equal(one, wsim.simulate(games=8, threads=3, **keys))
    record(Plan.make(games=4, **keys), tmp_path / "run", shard=2)
    resumed = record(Plan.make(games=8, **keys), tmp_path / "run", resume=True)
    assert resumed.played == 4
    assert_frame_equal(one, resumed.seats.collect(), check_column_order=False)


def test_searching_leaves_no_trace_in_the_game() -> None:
    """Traces, picks and the log contain only the game itself, not its playouts."""
    ready = simulator("search:playouts=10,balanced,balanced", players=3)
    trace = ready.trace(0)
    followed = ready.begin(0)
    while followed.to_move is not None:
        followed.follow()
    assert [seat["total"] for seat in followed.scores()] == [seat["total"] for seat in trace["scores"]]


# --- every decision, every table ------------------------------------------------------------------------------------


@first_quick(1, ("game", "ruleset", "players"), TABLES)
def test_every_decision_of_every_table_is_searched(game: str, ruleset: str, players: int) -> None:
    ready = simulator("search:playouts=6:candidates=3", game, ruleset=ruleset, players=players)
    rows = rows_of(ready, 2)
    assert len(rows) == 2 * ready.seats


@first_quick(
    2,
    ("keys", "kind"),
    [
        ({"players": 3, "wonders": "Halikarnassos", "sides": "B,random,random"}, "discard_pile"),
        ({"players": 3, "wonders": "Babylon", "sides": "B,random,random"}, "last_card"),
        ({"ruleset": "1e-duo", "players": 2}, "free_city"),
        ({"ruleset": "2e-cities", "players": 4}, "loss"),
    ],
)
def test_a_seat_may_search_a_decision_of_any_kind(keys: dict[str, Any], kind: str) -> None:
    searcher = simulator("search:playouts=12", **keys)
    found = 0
    for number in range(12):
        for position in decisions(simulator("balanced", **keys), number):
            if position.decision() == kind and found < 3:
                found += 1
                assert 0 <= position.chosen_by(searcher, seed=1) < len(position.coded)
    assert found


def test_a_ban_applies_to_a_searcher() -> None:
    ready = simulator("search:playouts=8,balanced,balanced", players=3, ban="0=stages", rotate=False)
    assert all(row["stages"] == 0 for row in rows_of(ready, 3) if row["seat"] == 0)


def test_endgame_plays_like_net_before_the_last_age_and_searches_in_it() -> None:
    keys: dict[str, Any] = {"ruleset": "1e", "players": 3}
    light, net = simulator("endgame", **keys), simulator("net", **keys)
    spent: dict[bool, list[int]] = {False: [], True: []}
    for position in decisions(net, 0):
        in_last_age = int(position.record.public.age) == 2
        move = position.coded[position.chosen_by(light, seed=9)]
        spent[in_last_age].append(int(light.machine.workspace()[0].lookahead.spent))
        assert in_last_age or move == position.coded[position.chosen_by(net, seed=9)]
    assert len(spent[False]) > 20
    assert sum(spent[False]) == 0
    assert 0 < sum(spent[True]) < 40 * len(spent[True])


@pytest.mark.slow
def test_playouts_are_spent_where_they_help() -> None:
    """The third turns of ages I and II take most, the first and last turn of age I next to none; on average they take
    about as many as the parameter says."""
    searcher, net = (simulator(policy, players=4) for policy in ("search:playouts=20:pool=net", "net"))
    spent: dict[tuple[int, int], list[int]] = {}
    for number in range(2):
        for position in decisions(net, number):
            public, chosen = position.record.public, position.chosen_by(searcher, seed=9)
            assert 0 <= chosen < len(position.coded)
            count = int(searcher.machine.workspace()[0].lookahead.spent)
            spent.setdefault((int(public.age), int(public.turn)), []).append(count)
    mean = {place: sum(counts) / len(counts) for place, counts in spent.items()}
    assert min(mean[0, 2], mean[1, 2]) > 20 > 5 > max(mean[0, 0], mean[0, 5])
    assert 10 < sum(mean.values()) / len(mean) < 30


# --- strength -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_search_beats_its_playout_policy() -> None:
    """Parity is 0.25; 50 playouts win more than 0.55 of the games against three `balanced`."""
    rows = rows_of(simulator("search:playouts=50,balanced,balanced,balanced", players=4, seed=12), 160)
    assert rows["win_share"][rows["policy"] == 0].mean() > 0.40


@pytest.mark.slow
def test_search_beats_its_playout_policy_in_babel() -> None:
    """Parity is 0.33; 100 playouts win more than half."""
    rows = rows_of(simulator("search:playouts=100,balanced,balanced", BABEL, players=3, seed=12), 30)
    assert rows["win_share"][rows["entry"] == 0].mean() > 0.40


# --- budget and pool ------------------------------------------------------------------------------------------------


def test_a_time_budget_replaces_the_playout_count() -> None:
    settled = check_budget(parse_entry("search:ms=2.5"), {"playouts": 200, "ms": 2.5})
    assert (settled["playouts"], settled["ms"]) == (0, 2.5)
    assert len(rows_of(simulator("search:ms=0.5,balanced,balanced", players=3), 1)) == 3


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("search:playouts=0", r"'search:playouts=0' has no playouts and no time: give playouts=1 or more, or ms="),
        ("search:playouts=50:ms=5", r"'search:playouts=50:ms=5' sets both playouts and ms: give only one of them"),
        (
            "search:playouts=2000000",
            r"playouts of policy 'search' must be a whole number from 0 to 1,000,000, not 2000000",
        ),
        ("search:candidates=1", r"parameter candidates of policy 'search' must be a whole number from 2 to 64, not 1"),
        ("search:ms=-1", r"parameter ms of policy 'search' must be a number from 0 to 1,000,000, not -1"),
        (
            "search:pool=balancd",
            r"pool of policy 'search' must be all, .* or policies .* \(did you mean 'balanced'\?\)",
        ),
        ("search:pool=search", r"'search' is not one of random, first"),
        ("search:pool=net@exlore=1", r"policy 'net' has no parameter 'exlore' \(did you mean 'explore'\?\)"),
        ("search:pool=net@explore=2", r"parameter explore of policy 'net' must be a number from 0 to 1, not 2"),
        ("search:pool=net@explore", r"'explore' in 'net@explore' is not a parameter: write net@key=value"),
        ("search:pool=net@file=my.net", r"'net@file=my.net' in a pool cannot read a file"),
        ("search:playout=5", r"has no parameter 'playout' \(did you mean 'playouts'\?\): accepted are playouts, "),
    ],
)
def test_an_impossible_budget_is_rejected_in_one_sentence(entry: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        simulator(entry, players=3)


def test_pools_of_one_table_share_a_limit() -> None:
    simulator("search:pool=inferred,search:playouts=9,search:pool=balanced+greedy", players=3)
    with pytest.raises(UserError, match=r"have 37 players in total, more than 32"):
        simulator(f"search,search:pool={'+'.join(['balanced', 'greedy'] * 5)},balanced", players=3)


def test_pools_contain_the_policies_in_their_names() -> None:
    known = {
        "random": "baseline",
        "weighted": "weights",
        "balanced": "weights",
        "science": "weights",
        "search": "search",
    }
    assert named_pool("all", known) == [Entry("balanced"), Entry("science")]
    assert [str(entry) for entry in named_pool("random+all", known)] == ["random", "balanced", "science"]
    assert named_pool("science@explore=0.5@shields=2+random", known) == [
        Entry("science", {"explore": 0.5, "shields": 2}),
        Entry("random"),
    ]
    as_named: Any = str  # of the searcher's own player first: its net, where there is one
    for nets, own in (({}, "balanced"), ({"net": "net"}, "net")):
        found: list[Any] = list(players_of("random+science", {**known, **nets}, as_named))
        assert found == [own, "random", "science"]
    weights = np.arange(6.0).reshape(2, 3)
    assert (noisy(weights, 1) == noisy(weights, 1)).all()
    assert (noisy(weights, 1) != noisy(weights, 2)).any()
    assert (np.abs(noisy(weights, 3) - weights) <= weights / 2).all()


# --- without the JIT --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_search_without_the_jit_picks_the_same() -> None:
    code = (
        "from tests.policies.test_search import BABEL, WONDERS, simulator\n"
        "for game in (WONDERS, BABEL):\n"
        "    ready = simulator('search:playouts=2:candidates=2', game, players=3)\n"
        "    position = ready.begin(5)\n"
        "    print(position.follow(), position.chosen_by(ready, 1))\n"
    )
    root = Path(__file__).parents[2]
    answers = [
        subprocess.check_output(
            [sys.executable, "-W", "error", "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": off, "PYTHONPATH": str(root)},
            cwd=root,
        )
        for off in "01"
    ]
    assert answers[0] == answers[1]
