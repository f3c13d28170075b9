"""The policy ``net``: its kernel against the same layers in numpy, what it may know, files, patched cards, strength."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.policies.net_tools import decisions, written
from tests.tiers import first_quick
from wsim.errors import UserError
from wsim.jit import JIT
from wsim.kernels.commands import LOOK
from wsim.lab.plan import Plan
from wsim.learn.plan import learned_from
from wsim.wonders.game import GAME
from wsim.wonders.learning import LEARNER
from wsim.wonders.nets import NETS
from wsim.wonders.policies.net_items import ITEM_NUMBERS, item_numbers

TABLES = [("1e", 3), ("1e", 7), ("2e", 4), ("2e-cities", 5), ("2e-cities-teams", 4), ("1e-duo", 2)]


def simulated(ruleset: str, players: int) -> Any:
    """Return a simulator in which exploring nets play all seats."""
    return GAME.prepare(Plan.make(ruleset=ruleset, players=players, policies="net:explore=0.2", seed=12))


@pytest.mark.skipif(not JIT, reason="the layers in Python are slow; the inputs are tested there by playing")
@first_quick(1, ("ruleset", "players"), TABLES)
def test_the_kernel_computes_the_fitted_layers(ruleset: str, players: int) -> None:
    checked = 0
    net = LEARNER.load("").arrays
    other = GAME.prepare(Plan.make(ruleset=ruleset, players=players, policies="net", seed=1))
    simulator = simulated(ruleset, players)
    for position in decisions(simulator, 60, 5):
        state, moves, places = LEARNER.describer(simulator, simulator)(position)
        assert state["moves"] == len(moves) == len(places)
        if len(places) > 1:
            table = LEARNER.decisions(simulator, np.array([state]), moves)
            expected, _ = LEARNER.values_of(net, table, np.array([0]))
            assert np.allclose(moves["worth"], expected, atol=3e-3)
            assert position.chosen_by(other, 5) == places[int(moves["worth"].argmax())]
            checked += 1
    assert checked > 30


@pytest.mark.skipif(not JIT, reason="needs many decisions")
@first_quick(1, ("ruleset", "players"), TABLES)
def test_hidden_information_does_not_change_net_moves(ruleset: str, players: int) -> None:
    other = GAME.prepare(Plan.make(ruleset=ruleset, players=players, policies="net", seed=1))
    for position in decisions(simulated(ruleset, players), 25, 5):
        index = position.chosen_by(other, 5)
        for seed in range(3):
            assert position.redrawn(position.to_move, seed).chosen_by(other, 5) == index


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="needs many decisions")
def test_a_mixed_player_randomises_between_nearly_equal_moves() -> None:
    simulator = simulated("1e", 4)
    describe = LEARNER.describer(simulator, simulator)
    of = {
        mix: GAME.prepare(Plan.make(ruleset="1e", players=4, policies=f"mixed:mix={mix}", seed=1))
        for mix in (0.0, 0.05)
    }
    several = 0
    for position in decisions(simulator, 20, 5):
        _, moves, places = describe(position)
        worth = moves["worth"].astype(float)
        for mix, table in of.items():
            near = (
                {int(places[j]) for j in np.flatnonzero(worth >= worth.max() - mix)}
                if len(places) > 1
                else {int(places[0])}
            )
            drawn = [int(position.chosen_by(table, seed)) for seed in range(60)]
            assert set(drawn) <= near
            if 1 < len(near) < 5:
                assert set(drawn) == near  # one of four is not drawn in 60 with a chance below 1e-6
                several += mix > 0
    assert several > 3


def slots(word: Any) -> frozenset[int]:
    return frozenset(slot for slot in range(64) if int(word) >> slot & 1)


@pytest.mark.parametrize("players", [3, 4])
def test_returning_cards_are_the_passed_hand_minus_built_cards(players: int) -> None:
    """Found by watching the hands go round: whoever holds a hand holds nothing but cards of it, in every age.

    A hand that seat 0 handed on returns if the age has a turn left for it; what its holders built since is gone.
    """
    simulator = GAME.prepare(Plan.make(players=players, policies="random", seed=players - 2))
    describe, position = LEARNER.describer(simulator, simulator), simulator.begin(0)
    rules, names = simulator.compiled[0], position.names
    seen: dict[tuple[int, int, int], frozenset[int]] = {}
    several = [0, 0, 0]
    while position.to_move is not None:
        public = position.record.public
        age, turn = int(public.age), int(public.turn)
        if position.decision() == "turn":
            seen |= {(age, turn, seat): slots(position.record.own[seat].hand) for seat in range(players)
                     if (age, turn, seat) not in seen}  # fmt: skip
        if position.to_move == 0 and position.decision() == "turn" and len(position.coded) > 1:
            built = {(deed["seat"], deed["age"] - 1, deed["turn"] - 1): deed["card"]
                     for deed in position.view(0)["public_moves"] if deed["action"] == "build"}  # fmt: skip
            expected: set[str] = set()
            for handed in range(max(0, turn - players + 1), turn):
                if handed + players >= rules.turns:
                    continue
                hand = slots(position.record.own[0].passed[age, handed])
                left = {names[int(rules.slot_card[age, slot])] for slot in hand}
                for later in range(handed + 1, turn):
                    (holder,) = (seat for seat in range(players) if seen[age, later, seat] <= hand)
                    left -= {built.get((holder, age, later), "")}
                expected |= left
                several[age] += turn - handed > 1
            state = describe(position)[0]
            words = [int(word) for word in state["sets"][1]]
            assert {names[bit] for bit in range(128) if words[bit // 64] >> bit % 64 & 1} == expected
        position.follow()
    assert min(several) > 0 or players == 3


def test_the_left_neighbour_comes_before_the_right_one() -> None:
    """Coins of the seat that decides, of its left neighbour, of its right one are told in this order (R1)."""
    simulator = GAME.prepare(Plan.make(players=4, policies="random", seed=3))
    describe = LEARNER.describer(simulator, simulator)
    for start in (1, 6):
        position = simulator.begin(start)
        for _ in range(40 + start):
            position.follow()
        while len(position.coded) < 2:
            position.follow()
        seat = position.to_move
        assert seat is not None
        plain = describe(position)[0]["numbers"]
        places = []
        for step in (0, 1, 3):  # itself, left, right
            richer = position.clone()
            richer.record.public.coins[(seat + step) % 4] += 7
            richer.refresh(LOOK)
            places.append(np.flatnonzero(describe(richer)[0]["numbers"] != plain))
        assert all(len(one) for one in places)
        assert places[0].max() < places[1].min() <= places[1].max() < places[2].min()


def test_inputs_of_other_cities_exclude_the_neighbours() -> None:
    """At four seats the one opposite: its shields are inputs behind all those of both neighbours."""
    simulator = GAME.prepare(Plan.make(players=4, policies="random", seed=3))
    describe, position = LEARNER.describer(simulator, simulator), simulator.begin(1)
    for _ in range(41):
        position.follow()
    while len(position.coded) < 2:
        position.follow()
    seat = position.to_move
    assert seat is not None
    plain, places = describe(position)[0]["numbers"], []
    for step in (1, 3, 2):  # left, right, opposite
        stronger = position.clone()
        stronger.record.public.shields[(seat + step) % 4] += 9
        stronger.record.public.colors[(seat + step) % 4] += 3
        stronger.refresh(LOOK)
        places.append(set(np.flatnonzero(describe(stronger)[0]["numbers"] != plain).tolist()))
    left, right, opposite = places
    assert len(opposite) > 3
    assert max(left | right) < min(opposite)


def rules_of(*changes: str) -> Any:
    return GAME.prepare(Plan.make(policies="balanced", set=list(changes))).compiled[0]


def test_cards_are_described_by_their_effects() -> None:
    usual = item_numbers(rules_of())
    dearer = item_numbers(rules_of("cards.Palace.points=20"))
    different = np.argwhere(usual != dearer)
    names = {ITEM_NUMBERS[column] for _, column in different}
    assert len({int(row) for row, _ in different}) == 1
    assert names == {"points"}


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="needs many games")
def test_a_patched_card_is_played_by_its_effects() -> None:
    def built(*changes: str) -> float:
        simulator = GAME.prepare(Plan.make(policies="net", seed=4, set=list(changes)))
        rows = np.zeros(4 * 400, simulator.row_dtype)
        simulator.play(0, rows)
        return float(simulator.seats_frame(rows)["built:Altar"].mean())  # type: ignore[arg-type]

    assert built("cards.Altar.points=9") > built() + 0.1


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="needs many games")
@pytest.mark.parametrize(("ruleset", "players", "least"), [("1e", 4, 0.38), ("2e", 5, 0.28), ("1e-duo", 2, 0.56)])
def test_net_beats_the_strongest_weights(ruleset: str, players: int, least: float) -> None:
    line_up = ["net", *["balanced"] * (players - 1)]
    simulator = GAME.prepare(Plan.make(ruleset=ruleset, players=players, policies=line_up, rotate=True, seed=31))
    rows = np.zeros(simulator.seats * 1500, simulator.row_dtype)
    simulator.play(0, rows)
    mine = (rows["policy"] == 0) & (rows["seat"] < players)
    assert rows["win_share"][mine].mean() > least


# --- files


def test_a_file_contains_the_net_and_what_it_was_learned_from(tmp_path: Path) -> None:
    net = replace(NETS, files=(Path(written(LEARNER, tmp_path)),)).shipped
    assert net.about == {"seed": 1}
    for name, array in LEARNER.fresh(1).arrays.items():
        assert np.allclose(net.arrays[name], array, atol=1e-3)
    assert net.digest == LEARNER.load(written(LEARNER, tmp_path)).digest


SEEDS = (1, 2, 32)  # of the plans of the nets that come with wsim; the third one is analysis/from_nothing.toml


@pytest.mark.parametrize("seed", range(1, 1 + len(NETS.files)))
def test_shipped_nets_record_their_training(seed: int) -> None:
    net = NETS.named("", str(seed))
    assert json.dumps(net.about)
    found = learned_from(net)
    assert (found["seed"], found["start"]) == (SEEDS[seed - 1], "")
    assert found["decisions"] > 100_000
    assert {"1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "2e-4", "2e-cities-4", "2e-cities-teams-4"} <= set(found["tables"])
    assert net.digest.hex().startswith(found["digest"])


def test_a_seed_selects_one_of_the_shipped_nets(tmp_path: Path) -> None:
    assert NETS.named("", "1") is NETS.shipped
    assert len({NETS.named("", str(1 + place)).digest for place in range(len(NETS.files))}) == len(NETS.files) > 1
    with pytest.raises(UserError, match=r"has built-in nets for seeds 1, 2, 3, not '7': wsim learn .*--seed"):
        NETS.named("", "7")
    with pytest.raises(UserError, match="seed=2 selects a built-in net and cannot be combined"):
        NETS.named(written(LEARNER, tmp_path), "2")
    with pytest.raises(UserError, match="has built-in nets for seed 1 only, not '2'"):
        replace(NETS, files=NETS.files[:1]).named("", "2")


def test_a_net_without_training_record_has_only_a_digest(tmp_path: Path) -> None:
    found = learned_from(NETS.named(written(LEARNER, tmp_path), "1"))
    assert (found["seed"], found["decisions"], found["tables"]) == (None, 0, {})
    assert len(found["digest"]) == 12


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"last": np.zeros(3, np.float32)}, "last has shape (3,), not (32,)"),
        ({"bias": np.full(NETS.shapes["bias"], np.inf, np.float32)}, "infinite, NaN or too large"),
    ],
)
def test_a_net_of_the_wrong_shape_is_rejected(tmp_path: Path, change: Any, words: str) -> None:
    with pytest.raises(UserError) as refused:
        LEARNER.load(written(LEARNER, tmp_path, **change))
    assert words in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"no net", b"PK\x03\x04 broken"])
def test_a_file_that_is_not_a_net_is_rejected(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.npz"
    path.write_bytes(content)
    with pytest.raises(UserError):
        LEARNER.load(str(path))
    with pytest.raises(UserError, match="cannot read the net"):
        LEARNER.load(str(tmp_path / "missing.npz"))
