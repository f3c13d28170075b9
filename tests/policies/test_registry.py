"""The policy registries of all games: the same guarantees and the same messages in each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from wsim.errors import UserError
from wsim.game import find_game
from wsim.jit import JIT
from wsim.policies.interface import EXPLORE
from wsim.policies.lineup import parse_lineup
from wsim.policies.registry import LineUp, Parameter, Policy, PolicySet, policy_rows, resolve
from wsim.positions.kernel_game import KernelGame

GAMES = ("seven_wonders", "tower_of_babel")
EVERYWHERE = ("random", "greedy", "weighted", "balanced")


def policies_of(game: str) -> PolicySet:
    found = find_game(game)
    assert isinstance(found, KernelGame)
    return found.POLICIES


def line_up(game: str, *entries: str, players: int = 3) -> LineUp:
    return resolve(parse_lineup(entries), players, policies_of(game))


@pytest.mark.parametrize("game", GAMES)
def test_every_policy_is_documented_and_classified(game: str) -> None:
    rows = policy_rows(policies_of(game))
    assert set(EVERYWHERE) <= {row["name"] for row in rows}
    for row in rows:
        assert list(row) == ["name", "kind", "idea", "parameters", "source", "random"]
        assert row["kind"] in ("baseline", "heuristic", "weights", "net", "search")
        assert row["idea"]
        assert row["source"]
        assert str(row["parameters"]).endswith("explore=0.0")


@pytest.mark.parametrize("game", GAMES)
def test_every_policy_has_a_documented_kernel(game: str) -> None:
    interface = policies_of(game).interface()
    assert EXPLORE in interface.routine
    for policy in policies_of(game).policies.values():
        module, _, function = policy.function.partition(":")
        home = import_module(f"{interface.home}.{module}")
        assert home.__doc__
        assert getattr(getattr(home, function), "py_func", getattr(home, function)).__doc__
        assert set(policy.settled or ()) <= set(interface.routine)


@pytest.mark.parametrize("game", GAMES)
def test_rows_with_the_same_function_share_an_entry_point(game: str) -> None:
    functions = line_up(game, "balanced", "weighted", "random").functions
    assert functions[0] is functions[1]
    assert functions[0] is not functions[2]


@pytest.mark.parametrize("game", GAMES)
def test_the_digest_of_an_entry_identifies_its_play(game: str) -> None:
    played = ("balanced", "weighted:set=balanced", "random", "random:explore=0.5", "balanced:explore=0.5")
    digests = [line_up(game, entry).digests[entry] for entry in played]
    assert digests[0] == digests[1]
    assert len(set(digests)) == len(played) - 1


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("balancd", r"unknown policy 'balancd' \(did you mean 'balanced'\?\); accepted: random, "),
        (
            "random:explor=1",
            r"policy 'random' has no parameter 'explor' \(did you mean 'explore'\?\): accepted are explore",
        ),
        ("greedy:explore=2", r"parameter explore of policy 'greedy' must be a number from 0 to 1, not 2$"),
        ("balanced:explore=nan", r"parameter explore of policy 'balanced' must be a number from 0 to 1, not nan$"),
        ("balanced:explore=true", r"parameter explore of policy 'balanced' must be a number from 0 to 1, not True$"),
        ("weighted:set=balancd", r"unknown weight set 'balancd' \(did you mean 'balanced'\?\); accepted: "),
        ("weighted:depth=1", r"has no parameter 'depth'.*: accepted are set, file, explore or a weight"),
        ("balanced:set=weighted", r"policy 'balanced' has no parameter 'set': accepted are explore or a weight"),
        ("balanced:random", r"'random' is not a parameter of policy 'balanced': write balanced:key=value"),
        ("weighted:file=none.toml", r"cannot read the weights file 'none.toml': No such file"),
        ("random,random", r"^2 policies for 3 players: give one for all seats or one per seat$"),
    ],
)
def test_equal_mistakes_give_equal_sentences(game: str, entry: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        line_up(game, entry)


def test_parameters_of_a_registered_policy_arrive_in_row_order() -> None:
    policies = policies_of("seven_wonders")
    own = (Parameter("depth", int, 2, ""), Parameter("book", str, "", ""), Parameter("keen", bool, True, ""))
    row = Policy("deep", "heuristic", "a test", "none", "simple:first_policy", own, settled=("loss", "explore"))
    entry = parse_lineup("deep:keen=false:explore=0.5:book=a")
    found = resolve(entry, 3, replace(policies, policies={**policies.policies, "deep": row}))
    assert found.parameters[0].tolist() == [2, 0, 0, 0, 0, 0, 0, 0.5]


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="nothing is compiled without the JIT")
def test_an_entry_point_cached_on_disk_loads_in_another_process(tmp_path: Path) -> None:
    code = (
        "import json; from wsim.babel.registry import POLICIES; "
        "entry_point = POLICIES.interface().registered('random:random', ('explore',)); "
        "print(json.dumps(list(entry_point.stats.cache_hits.values())))"
    )
    environment = {**os.environ, "WSIM_CACHE_DIR": str(tmp_path)}
    root = Path(__file__).parents[2]
    hits = [
        json.loads(subprocess.check_output([sys.executable, "-c", code], env=environment, cwd=root)) for _ in range(2)
    ]
    assert hits == [[], [1]]
