"""The registry, each policy's promise, and policies of the user."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.babel.tools import log_of, played, table
from wsim.babel.game import default_plan, policies
from wsim.babel.policies.features import FEATURES
from wsim.babel.registry import REGISTRY, TRADE
from wsim.errors import UserError

NAMED = ("greedy", "builder", "supplier", "collector", "majority")


def share(line_up: tuple[str, ...], games: int = 2000, **plan: object) -> list[float]:
    """Return the mean win share of each entry, rotated over the seats."""
    rows = played(table(players=len(line_up), policies=line_up, rotate=True, **plan), games)
    return [float(rows["win_share"][rows["entry"] == entry].mean()) for entry in range(len(line_up))]


def mean(line_up: tuple[str, ...], column: str, entry: int = 0) -> float:
    rows = played(table(policies=line_up, rotate=True), 1000)
    return float(rows[column][rows["entry"] == entry].mean())


def test_registry_rows() -> None:
    rows = policies()
    assert [row["name"] for row in rows] == list(REGISTRY)
    assert {"random", "greedy", "weighted", "builder", "supplier", "collector", "majority"} <= set(REGISTRY)
    for row in rows:
        assert set(row) == {"name", "kind", "idea", "parameters", "source", "random"}
        assert row["idea"]
        assert row["source"]
        assert "explore=0.0" in row["parameters"]
    assert set(default_plan()["policies"]) <= set(REGISTRY)


def test_every_named_set_is_a_policy_and_every_weight_has_a_meaning() -> None:
    weights = TRADE.interface().weights
    named = [name for name, policy in REGISTRY.items() if policy.weights]
    assert set(weights.shipped) - {"common"} == set(named)  # `common` is what the themes extend
    assert all(weights.features.values())
    assert weights.features is FEATURES


@pytest.mark.parametrize("name", NAMED)
def test_every_policy_beats_random_play(name: str) -> None:
    assert share((name, "random", "random", "random"))[0] > 0.9


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_random_play_has_no_best_seat(seats: int) -> None:
    rows = played(table(players=seats), 4000)
    shares = rows["win_share"].reshape(-1, seats).mean(axis=0)
    assert np.abs(shares - 1 / seats).max() < 0.04


def test_random_takes_every_move_equally_often() -> None:
    of = table(seed=5)
    turns = [pick for number in range(200) for pick in log_of(of, number) if pick[3] == "turn" and pick[4] == 25]
    counts = np.bincount([pick[5] for pick in turns], minlength=25)
    expected = counts.sum() / 25
    assert ((counts - expected) ** 2 / expected).sum() < 60  # chi square, 24 degrees of freedom


def test_each_named_set_does_what_its_name_says() -> None:
    line_up = ("builder", "supplier", "collector", "majority")
    discs = [mean(line_up, "set_points", entry) for entry in range(4)]
    assert max(discs) == discs[2]
    offers = [mean(line_up, "refused_points", entry) for entry in range(4)]
    assert max(offers) == offers[1]
    parts = [mean(line_up, "parts_placed", entry) for entry in range(4)]
    assert max(parts) in (parts[0], parts[3])


def test_greedy_always_builds_on_its_own() -> None:
    of = table(policies=("greedy",))
    rows = played(of, 200)
    assert rows["builds_failed"].sum() == 0


def test_weights_are_parameters() -> None:
    assert (played(table(policies=("weighted:set=collector",)), 20) == played(table(policies=("collector",)), 20)).all()
    patient = played(table(policies=("builder:pass=99",), set=("babel.rules.turn_limit=50",)), 20)
    assert patient["builds_led"].sum() == 0


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


@pytest.fixture
def mine(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(OWN)
    return str(path)


@pytest.mark.jit_off
def test_a_policy_of_the_user(mine: str) -> None:
    of = table(policies=(f"{mine}:last", "random", "random", "random"))
    assert of.labels[0] == f"{mine}:last"
    picks = [pick for pick in log_of(of, 0) if pick[2] == 0]
    assert picks
    assert all(pick[5] == pick[4] - 1 for pick in picks)
    back = table(policies=(f"{mine}:last:back=1", "random", "random", "random"))
    assert all(pick[5] == pick[4] - 2 for pick in log_of(back, 0) if pick[2] == 0)


@pytest.mark.jit_off
def test_a_policy_in_plain_python(mine: str) -> None:
    compiled, plain = (played(table(policies=(f"{mine}:{name}",)), 3) for name in ("last", "plain"))
    assert (compiled == plain).all()


@pytest.mark.jit_off
def test_what_a_policy_sees_does_not_depend_on_the_games_before(mine: str) -> None:
    of = table(policies=(f"{mine}:nosy",), set=("babel.rules.turn_limit=30",))
    whole = played(of, 6)
    assert (played(of, 3, 3) == whole[12:]).all()
    assert (played(table(policies=(f"{mine}:nosy",), set=("babel.rules.turn_limit=30",)), 3, 3) == whole[12:]).all()


def test_a_policy_of_a_module(mine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(mine).parent))
    compiled, module = (played(table(policies=(f"{name}:last",)), 5) for name in (mine, "mine"))
    assert (compiled == module).all()


MISTAKES = [
    ("wrong", "returned .*: an index from 0 to .* is needed"),
    ("two", r"takes \(public, own\), but a policy takes four arguments"),
    ("raises", r"raised KeyError: 0 \(mine\.py, line"),
    ("last:forward=1", "no parameter 'forward'.*: accepted are back, explore"),
    ("lost", r"no function 'lost'.*\(did you mean 'last'\?\)"),
    ("number", "'number' in .* is not a function"),
]


@pytest.mark.parametrize(("name", "message"), MISTAKES, ids=[name for name, _ in MISTAKES])
def test_mistakes_of_the_user(mine: str, name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        played(table(policies=(f"{mine}:{name}",)), 3)


def test_a_policy_that_does_not_compile(mine: str) -> None:
    with pytest.raises(UserError, match=r"cannot be compiled: .*no_such_field"):
        table(policies=(f"{mine}:broken",))


def test_files_that_are_no_policies(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        table(policies=(f"{tmp_path}/none.py:bold",))
    (tmp_path / "bad.py").write_text("import no_such_module\n")
    with pytest.raises(UserError, match="cannot be loaded: ModuleNotFoundError"):
        table(policies=(f"{tmp_path}/bad.py:bold",))
    with pytest.raises(UserError, match="cannot be imported"):
        table(policies=("no_such_module:bold",))
