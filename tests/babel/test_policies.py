"""The registry, the documented behaviour of each policy, and user policies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.babel.tools import Scene, five_ships, log_of, played, table
from tests.policies.in_file import policies_in_file
from tests.tiers import first_quick, slow_unless_checked
from wsim.babel.game import GAME
from wsim.babel.kernels.layout import TRADE_CARD
from wsim.babel.policies.features import FEATURES
from wsim.babel.registry import POLICIES, REGISTRY
from wsim.babel.words import KIND_GONE, KINDS, NO_KIND, OFFER, SLOTS, TURN
from wsim.errors import UserError
from wsim.policies.lineup import parse_lineup
from wsim.policies.registry import resolve

NAMED = [name for name, policy in REGISTRY.items() if policy.weights]
HAND_OF_FOUR = {"camel": 4, "stonemason": 4}


def asked(scene: Scene, entry: str, seat: int, kind: int, moves: Sequence[int]) -> int:
    """Return the move that a line-up entry chooses from a list."""
    line_up = resolve(parse_lineup(entry), scene.seats, POLICIES)
    own, choice = scene.g.own[seat], scene.g.choice
    settings = scene.seating.settings[seat]
    own.parameters[:], settings["weights"][:] = line_up.parameters[0], line_up.weights[0]
    if line_up.nets[0] is not None:
        settings["net"] = line_up.nets[0].record(scene.t)
    choice.kind, choice.count = kind, len(moves)
    choice.moves[: len(moves)] = moves
    with np.errstate(over="ignore"):
        return int(moves[int(line_up.functions[0](scene.g.public, own, choice, scene.t, settings))])


def announced(scene: Scene, entry: str) -> int:
    """Return the slot of the disc with which an entry builds in seat 0; -1 if it passes."""
    slots = [slot for slot in range(SLOTS) if scene.g.public.slots_left >> slot & 1]
    return asked(scene, entry, 0, TURN, [0, *(1 + slot for slot in slots)]) - 1


def share(line_up: tuple[str, ...], games: int = 2000, **plan: object) -> list[float]:
    """Return each entry's mean win share, with the entries rotated over the seats."""
    rows = played(table(players=len(line_up), policies=line_up, rotate=True, **plan), games)
    return [float(rows["win_share"][rows["entry"] == entry].mean()) for entry in range(len(line_up))]


def mean(line_up: tuple[str, ...], column: str, entry: int = 0) -> float:
    rows = played(table(policies=line_up, rotate=True), 1000)
    return float(rows[column][rows["entry"] == entry].mean())


def test_registry_rows_describe_every_policy() -> None:
    rows = GAME.policies()
    assert [row["name"] for row in rows] == list(REGISTRY)
    assert {"random", "greedy", "weighted", "builder", "supplier", "collector", "majority"} <= set(REGISTRY)
    for row in rows:
        assert set(row) == {"name", "kind", "idea", "parameters", "source", "random"}
        assert row["idea"]
        assert row["source"]
        assert "explore=0.0" in row["parameters"]
    assert set(GAME.default_plan()["policies"]) <= set(REGISTRY)


def test_every_weight_set_is_a_policy_and_every_weight_is_documented() -> None:
    weights = POLICIES.interface().weights
    named = [name for name, policy in REGISTRY.items() if policy.weights]
    others = {"common", "tuned"}  # what the themes extend; what is played as weighted:set=tuned, in nobody's pool
    assert set(weights.shipped) - others == set(named)
    assert all(weights.features.values())
    assert weights.features is FEATURES


@first_quick(2, "name", NAMED)
def test_every_policy_beats_random_play(name: str) -> None:
    assert share((name, "random", "random", "random"))[0] > 0.9


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_random_play_has_no_best_seat(seats: int) -> None:
    rows = played(table(players=seats), 4000)
    shares = rows["win_share"].reshape(-1, seats).mean(axis=0)
    assert np.abs(shares - 1 / seats).max() < 0.04


def test_greedy_builds_for_immediate_points_and_takes_no_risks() -> None:
    scene = Scene()
    scene.hand(0, ship=5, camel=3)
    scene.remove(12, 13)
    scene.g.public.units[4, 1] = 3
    assert announced(scene, "greedy") == 14  # the wonder's last disc: 4 ships outdo 3 parts
    scene = Scene()
    scene.hand(0, ship=2)
    assert announced(scene, "greedy") == -1


def test_balanced_builds_alone_if_it_can_and_with_rivals_if_not() -> None:
    scene = Scene()
    scene.hand(0, ship=5, camel=3)
    assert announced(scene, "balanced") in (15, 16)  # 5 ships
    scene.hand(0, ship=2)
    assert announced(scene, "balanced") == 12  # 3 ships, one of them somebody else's


def test_builder_starts_a_build_where_supplier_draws_a_card() -> None:
    scene = Scene()
    scene.hand(0, ship=2)
    assert announced(scene, "builder") == 12
    assert announced(scene, "supplier") == -1


def test_collector_takes_the_disc_of_its_set_where_majority_takes_the_wonder() -> None:
    scene = Scene()
    scene.hand(0, camel=4, stonemason=4)
    scene.remove(3, 4)  # one disc, of 6 camels, is left on wonder 1
    scene.g.own[0].discs[KINDS.index("stonemason")] = 3
    assert announced(scene, "collector") == scene.slot(stonemason=3)
    assert announced(scene, "majority") == 5


def test_collector_offers_its_trade_card_where_builder_and_majority_offer_parts() -> None:
    scene, slot, _ = five_ships()
    scene.hand(1, ship=3)
    public = scene.g.public
    public.slot, public.kind[:], public.need[:] = slot, (KINDS.index("ship"), NO_KIND), (5, 0)
    offers = [0, 1, 2, 3, TRADE_CARD + 1, TRADE_CARD + 2, TRADE_CARD + 3]
    assert asked(scene, "collector", 1, OFFER, offers) == TRADE_CARD + 3
    for entry in ("builder", "majority", "supplier"):
        assert asked(scene, entry, 1, OFFER, offers) == 3


def test_weighted_follows_its_weights() -> None:
    scene = Scene()
    scene.hand(0, ship=5)
    assert announced(scene, "weighted:pass=99") == -1
    assert announced(scene, "weighted:set=builder:fail=-99:risk=1") in (12, 13, 14, 15, 16)


@pytest.mark.parametrize("name", [name for name in REGISTRY if name != "search"])  # it has a stream of its own
def test_ties_between_moves_are_broken_at_random(name: str) -> None:
    scene = Scene()
    scene.hand(0, **HAND_OF_FOUR)
    before = int(scene.g.own[0].rng)
    camels = (1, 2)  # two discs of 4 camels on one wonder
    assert {asked(scene, name, 0, TURN, [1 + slot for slot in camels]) - 1 for _ in range(40)} == set(camels)
    assert int(scene.g.own[0].rng) != before


def test_every_registered_policy_uses_random_numbers() -> None:
    assert all(policy.uses_random for policy in REGISTRY.values())


@pytest.mark.slow
def test_random_takes_every_move_equally_often() -> None:
    of = table(seed=5)
    turns = [pick for number in range(200) for pick in log_of(of, number) if pick[3] == "turn" and pick[4] == 25]
    counts = np.bincount([pick[5] for pick in turns], minlength=25)
    expected = counts.sum() / 25
    assert ((counts - expected) ** 2 / expected).sum() < 60  # chi square, 24 degrees of freedom


@pytest.mark.slow
def test_each_weight_set_plays_as_its_name_suggests() -> None:
    line_up = ("builder", "supplier", "collector", "majority")
    discs = [mean(line_up, "set_points", entry) for entry in range(4)]
    assert max(discs) == discs[2]
    offers = [mean(line_up, "refused_points", entry) for entry in range(4)]
    assert max(offers) == offers[1]
    parts = [mean(line_up, "parts_placed", entry) for entry in range(4)]
    assert max(parts) in (parts[0], parts[3])


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("name", NAMED)
def test_self_play_of_each_policy_ends(name: str, players: int) -> None:
    """If the turn limit (A32) were reached before a disc kind is gone, all seats would be passing and waiting."""
    rows = played(table(players=players, policies=(name,)), 60)
    assert (rows["over"] == KIND_GONE).all()
    assert rows["turns"].max() < 60
    assert rows["builds_led"].sum() > 60 * 12


def test_passing_has_value_only_if_a_card_can_be_drawn() -> None:
    """A2: with an empty deck the discards are shuffled; with both empty nobody draws."""
    scene = Scene()
    scene.hand(0, ship=2)
    public = scene.g.public
    public.deck, public.discards[:] = 0, 0
    assert announced(scene, "supplier") != -1
    public.discards[1] = 1
    assert announced(scene, "supplier") == -1
    public.deck, public.discards[:] = 1, 0
    assert announced(scene, "supplier") == -1
    public.deck = 0
    assert announced(scene, "supplier:pass=-1:fail=-99:risk=1:disc=-9:standing=0") == -1  # nothing is no more than 0


def test_greedy_always_builds_on_its_own() -> None:
    of = table(policies=("greedy",))
    rows = played(of, 200)
    assert rows["builds_failed"].sum() == 0


def test_weights_can_be_set_as_parameters() -> None:
    assert (played(table(policies=("weighted:set=collector",)), 20) == played(table(policies=("collector",)), 20)).all()
    patient = played(table(policies=("builder:pass=99",), set=("babel.rules.turn_limit=10",)), 20)
    assert patient["builds_led"].sum() == 0


def test_a_user_weights_file_is_a_policy(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text("[patient]\nextends = 'builder'\npass = 99\n")
    mine = ("weighted:file=" + str(file),)
    assert (played(table(policies=mine), 5) == played(table(policies=("builder:pass=99",)), 5)).all()
    file.write_text("[a]\npass = [1, 2, 3]\n")
    with pytest.raises(UserError, match=r"the weight 'pass' in the set 'a' of .* must be one number, not \[1, 2, 3\]"):
        table(policies=mine)


def test_explore_is_reproducible_and_changes_play() -> None:
    explored = ("builder:explore=0.5",)
    first, second = (played(table(policies=explored), 50) for _ in range(2))
    assert (first == second).all()
    assert (first["total"] != played(table(policies=("builder",)), 50)["total"]).any()
    random = played(table(policies=("builder:explore=1",)), 300)
    assert abs(float(random["turns"].mean()) - float(played(table(), 300)["turns"].mean())) < 3


OWN = '''
from wsim import policy
from wsim.babel.kit import OFFER, TURN

@policy(parameters={"back": 0})
def last(public, own, choice, tables):
    """Take the last move of every list."""
    return max(choice.count - 1 - int(own.parameters[0]), 0)

def plain(public, own, choice, tables):
    """The same in plain Python."""
    moves = list(range(choice.count))
    return moves[-1]

@policy
def wrong(public, own, choice, tables):
    return choice.count if choice.kind == OFFER else 0 if choice.kind != TURN else 1

def raises(public, own, choice, tables):
    return {}[int(choice.kind)]

@policy
def nosy(public, own, choice, tables):
    """Depend on every part of the public record that is about the build going on, during it or not."""
    word = public.slot + 3 * public.partner + 5 * public.taken
    for place in range(2):
        word += 7 * public.kind[place] + 11 * public.need[place] + 13 * public.missing[place]
    for seat in range(public.seats):
        word += (17 + seat) * (public.offer[seat] + public.bluff[seat] + own.aside[seat % 4] + public.units[seat, seat])
    return word % choice.count

def two(public, own):
    return 0

@policy
def broken(public, own, choice, tables):
    return public.no_such_field

number = 3
'''


mine = policies_in_file(OWN)


@pytest.mark.slow
@pytest.mark.jit_off
def test_a_compiled_user_policy_plays(mine: str) -> None:
    of = table(policies=(f"{mine}:last", "random", "random", "random"))
    assert of.labels[0] == f"{mine}:last"
    picks = [pick for pick in log_of(of, 0) if pick[2] == 0]
    assert picks
    assert all(pick[5] == pick[4] - 1 for pick in picks)
    back = table(policies=(f"{mine}:last:back=1", "random", "random", "random"))
    assert all(pick[5] == pick[4] - 2 for pick in log_of(back, 0) if pick[2] == 0)


@slow_unless_checked
@pytest.mark.jit_off
def test_a_plain_python_user_policy_plays(mine: str) -> None:
    compiled, plain = (played(table(policies=(f"{mine}:{name}",)), 3) for name in ("last", "plain"))
    assert (compiled == plain).all()


@pytest.mark.slow
@pytest.mark.jit_off
def test_policy_views_do_not_depend_on_earlier_games(mine: str) -> None:
    of = table(policies=(f"{mine}:nosy",), set=("babel.rules.turn_limit=30",))
    whole = played(of, 6)
    assert (played(of, 3, 3) == whole[12:]).all()
    assert (played(table(policies=(f"{mine}:nosy",), set=("babel.rules.turn_limit=30",)), 3, 3) == whole[12:]).all()


@pytest.mark.slow
def test_a_policy_can_be_named_by_module(mine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(mine).parent))
    compiled, module = (played(table(policies=(f"{name}:last",)), 5) for name in (mine, "mine"))
    assert (compiled == module).all()


MISTAKES = [
    ("wrong", "returned .*: it must return an index into the list of legal moves, from 0 to "),
    ("two", r"takes \(public, own\), but a policy takes four arguments"),
    ("raises", r"raised KeyError: 0 \(mine\.py, line"),
    ("last:forward=1", "no parameter 'forward'.*: accepted are back, explore"),
    ("lost", r"no function 'lost'.*\(did you mean 'last'\?\)"),
    ("number", "'number' in .* is of type int, not a function"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "message"), MISTAKES, ids=[name for name, _ in MISTAKES])
def test_mistakes_of_a_user_policy_are_reported(mine: str, name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        played(table(policies=(f"{mine}:{name}",)), 3)


def test_a_policy_that_does_not_compile_is_reported(mine: str) -> None:
    with pytest.raises(UserError, match=r"cannot be compiled: .*no_such_field"):
        table(policies=(f"{mine}:broken",))


def test_files_without_policies_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        table(policies=(f"{tmp_path}/none.py:bold",))
    (tmp_path / "bad.py").write_text("import no_such_module\n")
    with pytest.raises(UserError, match="cannot be loaded: ModuleNotFoundError"):
        table(policies=(f"{tmp_path}/bad.py:bold",))
    with pytest.raises(UserError, match="cannot be imported"):
        table(policies=("no_such_module:bold",))
