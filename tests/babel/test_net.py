"""The policy ``net``: its kernel against the same layers in numpy, hidden information, inputs, files, strength."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.babel.tools import Scene, changes, played, table
from tests.policies.in_python import in_python
from tests.policies.net_tools import decisions, written
from tests.tiers import first_quick
from wsim.babel.kernels.layout import MOVES, TRADE_CARD
from wsim.babel.kernels.net_layout import MOVE, STATE
from wsim.babel.learning import LEARNER
from wsim.babel.policies import net_inputs, net_moves
from wsim.babel.policies.net_describe import describe
from wsim.babel.registry import POLICIES, REGISTRY
from wsim.babel.words import KINDS, NO_KIND, OFFER, SLOTS, TURN
from wsim.errors import UserError
from wsim.jit import JIT
from wsim.policies.lineup import parse_lineup
from wsim.policies.registry import resolve

TUNED = "weighted:set=tuned"
SWITCHES: list[dict[str, Any]] = [
    {},
    {"use_two_colour_discs": True},
    {"use_action_cards": False},
    {"allow_bluff_cards": True},
    {"public_discs": False},
]


def simulated(**keys: Any) -> Any:
    """Return a simulator in which exploring nets play all seats."""
    return table(**{"policies": ("net:explore=0.2",), "seed": 12, **keys})


# --- what it computes, and from what


@pytest.mark.skipif(not JIT, reason="the layers in Python are slow; the inputs are tested there by playing")
@first_quick(1, "players", [3, 4, 5])
@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_the_kernel_computes_the_fitted_layers(switches: dict[str, Any], players: int) -> None:
    kinds, net = set(), LEARNER.load("").arrays
    other = table(players=players, policies=("net",), set=changes(switches))
    simulator = simulated(players=players, set=changes(switches))
    for position in decisions(simulator, 90, 11):
        state, moves, places = LEARNER.describer(simulator, simulator)(position)
        assert places == list(range(len(position.coded)))
        every = LEARNER.decisions(simulator, np.array([state]), moves)
        expected, _ = LEARNER.values_of(net, every, np.array([0]))
        assert np.allclose(moves["worth"], expected, atol=3e-3)
        assert moves["worth"][position.chosen_by(other, 5)] == moves["worth"].max()
        assert np.isfinite(state["numbers"]).all()
        kinds.add(position.decision())
    assert {"turn", "offer", "take"} <= kinds


@pytest.mark.skipif(not JIT, reason="needs many decisions")
@first_quick(1, "players", [3, 4, 5])
@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_hidden_information_is_not_an_input(switches: dict[str, Any], players: int) -> None:
    other = table(players=players, policies=("net",), set=changes(switches))
    differing = 0
    simulator = simulated(players=players, set=changes(switches))
    for position in decisions(simulator, 40, 11):
        seat, look = position.to_move, LEARNER.describer(simulator, simulator)
        index, (state, moves, _) = position.chosen_by(other, 5), look(position)
        for seed in range(3):
            redrawn = position.redrawn(seat, seed)
            differing += bool((redrawn.words != position.words).any())
            assert redrawn.to_move == seat
            seen, seen_moves, _ = look(redrawn)
            assert (seen, seen_moves.tobytes()) == (state, moves.tobytes())
            assert redrawn.chosen_by(other, 5) == index
    assert differing > 60


@pytest.mark.skipif(not JIT, reason="needs searches")
def test_moves_with_equal_net_inputs_are_searched_once() -> None:
    """The candidates of a search that has room for all are as many as there are different moves, and as different."""
    searching, alike = table(policies=("search:playouts=1:candidates=64",)), 0
    lookahead = searching.machine.workspace()[0].lookahead
    drawn = set()
    simulator = simulated()
    for position in decisions(simulator, 60, 11):
        _, moves, _ = LEARNER.describer(simulator, simulator)(position)
        different = len(np.unique(moves["worth"]))
        for seed in range(3):
            position.chosen_by(searching, seed)
            candidates = lookahead.candidate[:different]
            assert len(np.unique(moves["worth"][candidates])) == different
            drawn.add((position.words.tobytes(), *sorted(candidates.tolist())))
        alike += different < len(moves)
    assert alike > 10
    assert len(drawn) > 40 + alike / 2


def numbers_of(scene: Scene, seat: int, kind: int, moves: list[int]) -> Any:
    """Return the net inputs for some moves of a decision in a scene, by name."""
    choice, settings = scene.g.choice, scene.seating.settings[seat]
    settings["weights"][:] = POLICIES.interface().weights.shipped["tuned"]
    choice.kind, choice.count, choice.moves[: len(moves)] = kind, len(moves), moves
    state, listed = np.zeros(1, STATE).view(np.recarray), np.zeros(MOVES, MOVE).view(np.recarray)
    places = np.zeros(MOVES, np.int64)
    describe(scene.g.public, scene.g.own[seat], choice, scene.t, settings, state[0], listed, places)
    return listed["numbers"][: len(moves)]


def test_the_inputs_of_a_final_build_include_the_final_lead() -> None:
    scene = Scene()
    ships = [slot for slot in range(SLOTS) if "ship" in scene.discs[slot]]
    scene.hand(0, ship=6)
    before = numbers_of(scene, 0, TURN, [0, 1 + ships[-1]])
    assert not before[:, net_moves._ENDS].any()
    scene.remove(*ships[:-1])
    scene.g.public.points[0] = 10
    after = numbers_of(scene, 0, TURN, [0, 1 + ships[-1]])
    assert list(after[:, net_moves._ENDS]) == [0, 1]
    assert after[1, net_moves._LEAD_AT_END] >= 0.5
    assert after[1, net_moves._WINS] == 1
    scene.g.public.points[1] = 60
    lost = numbers_of(scene, 0, TURN, [0, 1 + ships[-1]])
    assert lost[1, net_moves._LEAD_AT_END] == -1
    assert lost[1, net_moves._WINS] == 0


def test_an_offer_with_the_trade_card_gains_the_disc_but_no_parts() -> None:
    scene = Scene()
    public, slot = scene.g.public, scene.slot(ship=5)
    public.slot, public.kind[:], public.need[:] = slot, (KINDS.index("ship"), NO_KIND), (5, 0)
    scene.hand(1, ship=3)
    nothing, plain, trade = numbers_of(scene, 1, OFFER, [0, 3, TRADE_CARD + 3])
    assert nothing[net_moves._REFUSES] == 1
    assert not nothing[net_moves._BUILDS]
    assert (plain[net_moves._MINE], plain[net_moves._RIVALS], plain[net_moves._OWNS]) == (0.75, 0.5, 0)
    assert (trade[net_moves._MINE], trade[net_moves._RIVALS], trade[net_moves._OWNS]) == (0, 1.25, 1)
    assert trade[net_moves._OWN_GAIN] == scene.t.sets[1] / 5


def test_cards_shown_in_an_offer_are_expected_in_that_hand() -> None:
    scene = Scene()
    scene.hand(0, ship=2)
    scene.hand(1, camel=4)
    slot = scene.slot(ship=5)
    unknown = numbers_of(scene, 0, TURN, [1 + slot])[0, net_moves._SUPPLY]
    scene.hand(1, ship=3, camel=1)
    assert numbers_of(scene, 0, TURN, [1 + slot])[0, net_moves._SUPPLY] == unknown  # nobody has seen them
    scene.g.public.shown[1, KINDS.index("ship")] = 3
    assert numbers_of(scene, 0, TURN, [1 + slot])[0, net_moves._SUPPLY] >= 0.75 > unknown


def test_cards_set_aside_are_not_expected_in_any_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 10 ships, 2 are on the pile, 1 in the own hand, 3 set aside: 4 of 12 unseen cards, of which rivals hold 6."""
    plain = in_python(net_inputs, monkeypatch)
    ship = KINDS.index("ship")

    def of_ships(count: int) -> Any:
        counts = np.zeros(len(KINDS), np.int64)
        counts[ship] = count
        return counts

    public = SimpleNamespace(
        seats=3, hand_size=[4, 3, 3], shown=np.zeros((3, len(KINDS))), deck=6, discards=of_ships(2)
    )
    own = SimpleNamespace(seat=0, hand=of_ships(1), aside=of_ships(3))
    assert plain.expected_cards(public, own, SimpleNamespace(cards=of_ships(10)), ship) == 4 * 6 / 12


# --- playing


@pytest.mark.jit_off
@pytest.mark.boundscheck
@first_quick(1, "switches", SWITCHES, ids=str)
def test_net_plays_with_every_rule_switch(switches: dict[str, Any]) -> None:
    if not JIT and switches != {"use_two_colour_discs": True}:
        pytest.skip("a game in plain Python takes long: one table shows it")
    for players in (3, 4, 5) if JIT else (3,):
        rows = played(table(players=players, policies=("net",), set=changes(switches)), 60 if JIT else 1)
        assert np.allclose(rows["win_share"].reshape(-1, players).sum(axis=1), 1)
        assert rows["builds_led"].sum() > 0


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="needs many games")
@pytest.mark.parametrize(("players", "least"), [(3, 0.80), (4, 0.55), (5, 0.40)])
@pytest.mark.parametrize("others", ["balanced", TUNED])
def test_net_beats_the_strongest_weights(others: str, players: int, least: float) -> None:
    of = table(players=players, policies=("net", *[others] * (players - 1)), rotate=True, seed=31)
    rows = played(of, 1500)
    assert rows["win_share"][rows["entry"] == 0].mean() > least


def test_games_of_net_alone_end() -> None:
    rows = played(table(policies=("net",), seed=2), 200 if JIT else 1)
    assert rows["turns"].max() < 100


# --- files


def test_a_net_file_can_be_used_as_a_policy(tmp_path: Path) -> None:
    line_up = resolve(parse_lineup(f"net:file={written(LEARNER, tmp_path)}"), 4, POLICIES)
    assert line_up.nets[0].about == {"seed": 1}
    assert line_up.digests != resolve(parse_lineup("net"), 4, POLICIES).digests
    for name, array in LEARNER.fresh(1).arrays.items():
        assert np.allclose(line_up.nets[0].arrays[name], array, atol=1e-3)


def test_the_shipped_net_records_its_training() -> None:
    about = LEARNER.load("").about
    assert about["plan"]["start"] == ""
    assert about["plan"]["game"] == "tower_of_babel"
    assert json.dumps(about)


def test_a_net_for_the_other_game_is_rejected_in_one_sentence(tmp_path: Path) -> None:
    from wsim.wonders.learning import LEARNER as OTHER
    from wsim.wonders.registry import POLICIES as OTHERS

    there = OTHER.load("")
    there.save(tmp_path / "wonders.npz")
    with pytest.raises(UserError, match="is for seven_wonders, not tower_of_babel"):
        LEARNER.load(str(tmp_path / "wonders.npz"))
    mine = written(LEARNER, tmp_path, dict(LEARNER.load("").about))
    with pytest.raises(UserError, match="is for tower_of_babel, not seven_wonders"):
        resolve(parse_lineup(f"net:file={mine}"), 4, OTHERS)


def test_a_net_of_the_wrong_shape_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"last has shape \(3,\), not \(32,\)"):
        LEARNER.load(written(LEARNER, tmp_path, last=np.zeros(3, np.float32)))


def test_the_registry_has_one_net_policy() -> None:
    assert [name for name, policy in REGISTRY.items() if policy.kind == "net"] == ["net"]
