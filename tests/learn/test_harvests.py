"""Harvests of decisions: they depend only on table, part and seed, and value moves for the deciding seat."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.learn.lessons import BABEL, GAMES_AT, SMALL, WONDERS, harvest
from tests.tiers import first_quick
from wsim.game import find_game
from wsim.jit import JIT
from wsim.lab.plan import Plan
from wsim.learn.harvest import anchored, harvest_of, read_records, write_records
from wsim.learn.learner import learner_of
from wsim.learn.plan import LearningPlan
from wsim.wonders.learning import LEARNER

pytestmark = pytest.mark.skipif(not JIT, reason="needs many playouts")


@pytest.mark.parametrize(("game", "ruleset", "players"), GAMES_AT)
def test_a_harvest_depends_only_on_table_part_and_seed(game: str, ruleset: str, players: int) -> None:
    make, same = (harvest(ruleset, players, explore=0.2, game=game) for _ in range(2))
    (states, moves), (again, others) = make(range(12, 16)), same(range(12, 16))
    assert states.tobytes() == again.tobytes()
    assert moves.tobytes() == others.tobytes()
    assert make(range(16, 20))[0].tobytes() != states.tobytes()
    assert states["moves"].sum() == len(moves)


@pytest.mark.parametrize(("game", "ruleset", "players"), GAMES_AT)
def test_move_values_are_centred_within_each_decision(game: str, ruleset: str, players: int) -> None:
    states, moves = harvest(ruleset, players, playouts=3, game=game)(range(5))
    ends = np.cumsum(states["moves"])
    sums = [moves["worth"][end - count : end].sum() for end, count in zip(ends, states["moves"], strict=True)]
    assert np.allclose(sums, 0, atol=1e-4)
    assert moves["worth"].std() > 0.02


@pytest.mark.parametrize(("ruleset", "players"), [("1e", 4), ("2e-cities-teams", 6), ("1e-duo", 2)])
def test_the_value_of_an_outcome(ruleset: str, players: int) -> None:
    simulator = find_game("seven_wonders").prepare(Plan.make(ruleset=ruleset, players=players, policies="balanced"))
    outcomes = np.zeros((1, simulator.seats, 2))
    outcomes[0, 0] = 60, 1
    if players == 6:  # the team of seats 0 and 1 has 60 + 40 points, the best other one 2 * 45
        outcomes[0, :, 0] = 60, 40, 45, 45, 10, 10
        outcomes[0, :, 1] = 1, 1, 0, 0, 0, 0
        assert LEARNER.worth(simulator, outcomes, 1) == pytest.approx(0.5 + 0.03 * 5)
        assert LEARNER.mates(simulator, 5) == (4, 5)
        return
    outcomes[0, 1] = 50, 0
    assert LEARNER.worth(simulator, outcomes, 0) == pytest.approx(0.5 + 0.03 * 10)
    assert LEARNER.worth(simulator, outcomes, 1) == pytest.approx(-0.03 * 10)


def test_the_value_of_an_outcome_of_babel() -> None:
    simulator = find_game(BABEL).prepare(Plan.make(game=BABEL, players=3, policies="balanced"))
    outcomes = np.array([[[50, 0.5], [50, 0.5], [41, 0]]])
    learner = learner_of(BABEL)
    assert learner.worth(simulator, outcomes, 0) == pytest.approx(0.25)
    assert learner.worth(simulator, outcomes, 2) == pytest.approx(-0.03 * 9)
    assert learner.mates(simulator, 2) == (2,)


@first_quick(1, ("game", "ruleset", "players"), [*GAMES_AT, (BABEL, "2005", 3), (BABEL, "2005", 5)])
def test_a_game_has_about_as_many_decisions_as_the_learner_states(game: str, ruleset: str, players: int) -> None:
    """Parts contain approximately as many decisions as the plan requests."""
    simulator = harvest(ruleset, players, game=game).tables[0][0]
    decisions = 0
    for number in range(20):
        position: Any = simulator.begin(number)
        while position.to_move is not None:
            decisions += 1
            position.follow()
    assert decisions / 20 == pytest.approx(learner_of(game).length(players), rel=0.25)


@pytest.mark.parametrize(("game", "ruleset", "players"), [(WONDERS, "2e", 3), (BABEL, "2005", 5)])
def test_records_survive_writing_and_reading(tmp_path: Path, game: str, ruleset: str, players: int) -> None:
    learner = learner_of(game)
    for records, dtype in zip(
        harvest(ruleset, players, game=game)(range(3)), (learner.state, learner.move), strict=True
    ):
        write_records(tmp_path / "x.parquet", records)
        assert read_records(tmp_path / "x.parquet", dtype).tobytes() == records.tobytes()


def test_a_decision_is_valued_for_its_own_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Playouts that are made up: the first move wins for the seat that decides, and for nobody else.

    So its worth is above the mean of k moves by 0.5 * (1 - 1/k), whichever seat decides; the seat's own policy plays on
    for it, and no two decisions share a playout.
    """
    calls: list[tuple[Any, ...]] = []

    def compare(position: Any, rest: Any, places: Any, playouts: int, seat: int, seed: int, first: int) -> Any:
        assert seat == position.to_move
        calls.append((rest.plan.policies, seat, playouts, seed, first))
        outcomes = np.zeros((playouts, len(places), 4, 2))
        outcomes[:, 0, seat, 1] = 1
        return outcomes

    make = harvest_of({"ruleset": "1e", "players": 4}, ["balanced"] * 4, ("military", "greedy"), (3, 6, 7, 0))[0]
    monkeypatch.setattr(type(make.tables[0][0].begin(0)), "compare", compare)
    parts = [make(range(4)), make(range(4, 8))]
    states, moves = (np.concatenate([part[which] for part in parts]) for which in (0, 1))
    counts, ends = states["moves"], np.cumsum(states["moves"])
    assert moves["worth"][ends - counts] == pytest.approx(0.5 * (1 - 1 / counts))
    assert moves["worth"][ends - 1] == pytest.approx(-0.5 / counts)
    assert {seat for _, seat, *_ in calls} == {0, 1, 2, 3}
    for policies, seat, playouts, seed, _ in calls:
        assert policies == tuple("military" if one == seat else "greedy" for one in range(4))
        assert (playouts, seed) == (3, 7)
    numbers = [first for *_, first in calls]
    assert len(set(numbers)) == len(numbers) == len(states)
    assert len(parts[0][0]) != len(parts[1][0]) or (parts[0][0]["numbers"] != parts[1][0]["numbers"]).any()


def test_moves_without_playouts_keep_their_distances_from_the_net() -> None:
    """By hand: the net says 3 and 1 of the two that are played out, whose playouts say 0.6 and 0.2, mean 0.4 for 2."""
    said, found = np.array([3, 0, 1, 6], np.float32), np.array([0.6, 0.2])
    apart = anchored(said, np.array([0, 2]), found)
    assert apart == pytest.approx(np.array([0.6, -1.6, 0.2, 4.4]) - 0.9)
    assert anchored(said, np.arange(4), 2 * said.astype(float)) == pytest.approx(said * 2 - 5)


def test_the_best_moves_of_the_net_and_one_more_are_played_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the playouts, which are made up, the first move that is tried wins: it is the one that the net would make."""
    tried: list[list[int]] = []
    keys, chosen = {"ruleset": "1e", "players": 4}, []
    make, ready = harvest_of(keys, ["balanced"] * 4, ("net", "balanced"), (1, 6, 7, 3))

    def compare(position: Any, rest: Any, places: list[int], *_: Any) -> Any:
        tried.append(places)
        chosen.append(position.chosen_by(rest, 5))
        outcomes = np.zeros((1, len(places), 4, 2))
        outcomes[:, 0, position.to_move, 1] = 1
        return outcomes

    monkeypatch.setattr(type(make.tables[0][0].begin(0)), "compare", compare)
    states, moves = make(range(4, 7))
    assert [places[0] for places in tried] == chosen
    drawn, counts, ends = set(), states["moves"], np.cumsum(states["moves"])
    for places, count, end in zip(tried, counts, ends, strict=True):
        assert len(set(places)) == len(places) == min(count, 4)
        worth = np.sort(moves["worth"][end - count : end].astype(float))
        assert worth.sum() == pytest.approx(0, abs=1e-5)
        if count > 4:  # 0.5 between the first move and the three others that were played out
            assert (np.isclose(np.subtract.outer(worth, worth), 0.5, atol=1e-5).sum(axis=1) >= 3).any()
            drawn.add(places[3])
    assert len(drawn) > 3
    plan = LearningPlan.restore({**SMALL, "start": "shipped", "round": [{"decisions": 9, "moves": 4, "rate": 1e-3}]})
    assert plan.record()["round"][0] | {"moves": 4, "rate": 1e-3} == plan.record()["round"][0]
    assert not {"moves", "rate"} & {*LearningPlan.restore(SMALL).record()["round"][1]}
    assert [one.policies for one, _ in ready[1:]] == [
        tuple("net" if seat == own else "balanced" for seat in range(4)) for own in range(4)
    ]


def test_each_seat_draws_one_of_several_named_policies() -> None:
    """Four draws for a table, each with who plays and, for every seat that decides, who plays on; parts take turns."""
    keys, pool = {"ruleset": "1e", "players": 4}, ("greedy", "military", "random")
    make, ready = harvest_of(keys, [pool] * 4, ("balanced", pool), (1, 60, 7, 0))
    assert len(make.tables) == 4
    assert len(ready) == 4 * 5
    for simulator, rest in make.tables:
        assert {*simulator.plan.policies} <= {*pool}
        for seat, one in enumerate(rest):
            assert [place for place, name in enumerate(one.plan.policies) if name == "balanced"] == [seat]
    assert len({simulator.plan.policies for simulator, _ in make.tables}) > 1
    assert len({one.plan.policies for _, rest in make.tables for one in rest}) > 8
    again = harvest_of(keys, [pool] * 4, ("balanced", pool), (1, 60, 7, 0))[1]
    assert [one.policies for one, _ in again] == [one.policies for one, _ in ready]
    begun: list[Any] = []
    tables: Any = tuple((_Begins(place, begun), rest) for place, (_, rest) in enumerate(make.tables))
    for part in range(6):
        with pytest.raises(KeyboardInterrupt):
            replace(make, tables=tables)(range(2 * part, 2 * part + 2))
    assert begun == [0, 1, 2, 3, 0, 1]


class _Begins:
    """A simulator that records its own name when it begins a game."""

    def __init__(self, place: int, begun: list[int]) -> None:
        self.place, self.begun = place, begun
        self.machine = harvest("1e", 4).tables[0][0].machine  # type: ignore[attr-defined]

    def begin(self, _: int) -> None:
        self.begun.append(self.place)
        raise KeyboardInterrupt
