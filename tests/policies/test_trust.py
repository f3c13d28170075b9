"""Trusted policies are protected against mistakes: they get copies, their indices are checked, errors are reported."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import wsim
from tests.policies.lineups import resolve
from tests.tiers import first_quick
from wsim import UserError
from wsim.jit import JIT
from wsim.jit.copies import GUARD
from wsim.policies.declare import unchecked
from wsim.wonders.kernels.layout import RULES

pytestmark = pytest.mark.skipif(not JIT, reason="compiled policies")

HEAD = """
import operator
from collections import namedtuple

import numpy as np
import wsim
from numba import get_num_threads, njit, prange
from wsim.wonders.kit import action_of, below, card_of, kernel, owns, score_change

Box = namedtuple("Box", "it")

@kernel
def deep(values, at):
    values[at] = 9
    return at

@njit
def copy(values):
    return values

@njit
def apply(function, values, at):
    return function(values, at)

@njit(parallel=True)
def spread(values):
    total = 0
    for at in prange(values.size):
        total += values[at]
    return total

@njit
def peek(values, at):
    return values[at]

@njit
def draw(n):
    return np.random.randint(0, n)

@njit
def drawn(values, n):
    return draw(n)

@kernel
def deep_read(values, at):
    return values[at]
"""
POLICY = """
@wsim.policy
def {name}(public, own, choice, rules):
    seat = own.seat
    {lines}
    return 0
"""

WRITES = (
    "public.coins[seat] = 100",
    "public.victory[seat, 0] = 100",
    "public.age = 2",
    "rules.points[3] = 50",
    "choice.moves[0] = np.uint64(1)",
    "choice.count = 1",
    "own.hand = np.uint64(5)",
    "own.parameters[0] = 5.0",
    "public.coins[:] += 3",
    "view = public.coins[1:]; view[0] = 5",
    "public.coins.reshape(7)[0] = 2",
    "public.coins.fill(7)",
    "choice.moves.sort()",
    "for row in public.victory: row[0] = 5",
    "deep(public.coins, 0)",
    "copy(public.shields)[seat] = 100",
    "apply(deep, public.shields, 0)",
    "listed = [public.coins]; listed[0][seat] = 100",
    "named = {0: public.coins}; named[0][seat] = 100",
    "coins = public.coins[seat:seat + 1]; np.maximum(coins, 100, coins)",
    "clipped = public.coins[seat:seat + 1]; np.clip(clipped, 100, 120, clipped)",
    "operator.setitem(public.coins, seat, 100)",
    "some = public.coins[seat:seat + 1]; operator.iadd(some, 5)",
    "Box(public.coins).it[seat] = 100",
    "forged = []; forged.append(choice.moves); forged[0][0] = np.uint64(2) << np.uint64(12)",
    "own.memory.sort()",
)
"""Ways to write to the game or the own record, each of which has evaded a check or might."""


def play(policy: str, file: Path, games: int = 40) -> pl.DataFrame:
    return wsim.simulate(games=games, players=3, policies=[f"{file}:{policy}", "random", "random"], seed=5).drop(
        "policy"
    )


@pytest.fixture(scope="module")
def cheats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("policies") / "cheats.py"
    honest = POLICY.format(name="honest", lines="pass")
    file.write_text(HEAD + honest + POLICY.format(name="all_ways", lines="\n    ".join(WRITES)))
    return file


@pytest.mark.slow
def test_writes_of_a_policy_are_discarded(cheats: Path) -> None:
    assert play("all_ways", cheats).equals(play("honest", cheats))


@pytest.mark.slow
def test_writes_of_a_policy_are_discarded_before_its_next_decision(tmp_path: Path) -> None:
    file = tmp_path / "again.py"
    lines = """found = int(rules.points[3] == 77) + int(public.coins[seat] == 77)
    rules.points[3] = 77
    public.coins[seat] = 77"""
    file.write_text(
        HEAD
        + POLICY.format(name="honest", lines="pass")
        + POLICY.format(name="again", lines=f"{lines}\n    return found")
    )
    assert play("again", file).equals(play("honest", file))


SHOWN = {
    "return int(np.random.random() * choice.count)": "uses random numbers that the plan's seed does not control: draw",
    "return int(apply(drawn, choice.moves, choice.count))": "uses random numbers that the plan's seed does not control",
    "return int(spread(public.coins)) % choice.count": "calls spread, which has loops that run on several threads",
    "return hash('wsim') % choice.count": "calls hash, which is different in another process or on another machine",
    "return get_num_threads() % choice.count": "calls get_num_threads, which is different in another process",
}


@first_quick(1, "line", SHOWN)
def test_irreproducible_code_is_rejected(line: str, tmp_path: Path) -> None:
    file = tmp_path / "cheats.py"
    file.write_text(HEAD + POLICY.format(name="cheat", lines=line))
    with pytest.raises(UserError, match="cheats.py:cheat' " + re.escape(SHOWN[line])):
        resolve([f"{file}:cheat"], 3)


@pytest.mark.slow
def test_a_compiled_policy_may_catch_exceptions(tmp_path: Path) -> None:
    """The policy catches the exception for an index outside a record."""
    file = tmp_path / "tries.py"
    lines = """
    try:
        return int(peek(own.memory, 8 + choice.count))
    except Exception:
        return 0"""
    file.write_text(HEAD + POLICY.format(name="honest", lines="pass") + POLICY.format(name="tries", lines=lines))
    assert play("tries", file, games=4).equals(play("honest", file, games=4))


PLAIN = """
import random
import numpy as np
from random import randint

STREAM = random.Random(3)

def helper(n):
    return random.randrange(n)

def module(public, own, choice, rules):
    return int(random.random() * choice.count)

def taken(public, own, choice, rules):
    return randint(0, choice.count - 1)

def numpys(public, own, choice, rules):
    return int(np.random.random() * choice.count)

def inside(public, own, choice, rules):
    from random import shuffle
    order = list(range(choice.count))
    shuffle(order)
    return order[0]

def called(public, own, choice, rules):
    return max(range(choice.count), key=lambda at: helper(9))

def unseeded(public, own, choice, rules):
    return int(np.random.default_rng().random() * choice.count)

def kept(public, own, choice, rules):
    return STREAM.randrange(choice.count)

def seeded(public, own, choice, rules):
    random = np.random.default_rng([int(own.seat), int(public.age)])
    return int(random.random() * choice.count)

class Keeps:
    def __init__(self):
        self.random = random.Random(5)
    def __call__(self, public, own, choice, rules):
        return self.random.randrange(choice.count)

own_stream = Keeps()
"""


@pytest.mark.parametrize("name", ["module", "taken", "numpys", "inside", "called", "unseeded", "kept"])
def test_visible_unseeded_randomness_is_rejected_in_plain_policies(name: str, tmp_path: Path) -> None:
    file = tmp_path / "plain.py"
    file.write_text(PLAIN)
    with pytest.raises(UserError, match=f"plain.py:{name}' uses random numbers that the plan's seed does not control"):
        resolve([f"{file}:{name}"], 3)


def test_plain_policies_draw_from_separate_streams(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(PLAIN)
    resolve([f"{tmp_path}/plain.py:seeded", f"{tmp_path}/plain.py:own_stream", "random"], 3)


FAIR = """mine = np.zeros(4)
    mine[1] = 2.0
    coins = public.coins.copy()
    coins[0] += 1
    ordered = np.sort(public.coins)
    ordered[0] = 0
    own.memory[2] += 1.0
    memory = own.memory
    memory[3] = mine[1] + coins[0] + ordered[1]
    own.memory[4:] = 1.0
    best = int(own.memory[2]) % 2
    for at in range(choice.count):
        card = card_of(choice.moves[at])
        if action_of(choice.moves[at]) == 0 and score_change(public, rules, choice.seat, card) > best:
            best = at
    return best % choice.count if best else below(own, choice.count)
"""
COUNTS = """own.memory[7] += 1.0
    if own.memory[7] > 3.0 and below(own, 1000) >= 0:
        return choice.count - 1
"""


@pytest.mark.slow
def test_memory_and_random_stream_of_a_policy_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "fair.py"
    file.write_text(
        HEAD
        + POLICY.format(name="fair", lines=FAIR)
        + POLICY.format(name="counts", lines=COUNTS)
        + POLICY.format(name="honest", lines="pass")
    )
    assert play("fair", file).height == 120
    assert not play("counts", file).equals(play("honest", file))  # from the fourth decision on


READS = (
    "own.memory[8 + choice.count]",
    "public.coins[7 * own.seat + 7]",
    "deep_read(own.memory, 8 + choice.count)",
    "peek(own.memory, 8 + choice.count)",
    "owns(public, 50 + choice.count, 3)",
)


@pytest.mark.slow
@pytest.mark.parametrize("read", READS)
def test_reading_past_the_records_is_reported_in_one_sentence(read: str, tmp_path: Path) -> None:
    file = tmp_path / "cheats.py"
    file.write_text(HEAD + POLICY.format(name="cheat", lines=f"return int({read}) % choice.count"))
    with pytest.raises(UserError, match=r"cheats\.py:cheat\' raised IndexError"):
        play("cheat", file)


@pytest.mark.slow
def test_moves_of_earlier_decisions_are_not_visible(tmp_path: Path) -> None:
    file = tmp_path / "stale.py"
    lines = """seen = np.uint64(0)
    for at in range(choice.count, len(choice.moves)):
        seen |= np.uint64(choice.moves[at])
    return -1 if seen else 0"""
    file.write_text(HEAD + POLICY.format(name="stale", lines=lines))
    assert play("stale", file).height == 120


@pytest.mark.slow
def test_bounds_checks_can_be_switched_off(tmp_path: Path) -> None:
    """The last copy is followed by zeros, so a policy that reads slightly out of bounds gets no hidden data."""
    file = tmp_path / "far.py"
    beyond = (RULES.itemsize + GUARD // 2 - dict(RULES.fields or {})["points"][1]) // 2
    file.write_text(HEAD + POLICY.format(name="far", lines=f"return int(peek(rules.points, {beyond}) != 0)"))
    with pytest.raises(UserError, match="IndexError"):
        play("far", file)
    with unchecked():
        assert play("far", file).height == 120


@pytest.mark.slow
def test_a_division_by_zero_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "zero.py"
    file.write_text(HEAD + POLICY.format(name="zero", lines="return 1 // (choice.count - choice.count)"))
    with pytest.raises(UserError, match=r"zero\.py:zero\' raised ZeroDivisionError"):
        play("zero", file)


def test_a_policy_that_exits_python_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "leaves.py"
    file.write_text("def leave(public, own, choice, rules):\n    raise SystemExit(3)\n")
    with pytest.raises(UserError, match=r"leaves\.py:leave\' raised SystemExit: 3"):
        play("leave", file)


RECURSIVE = """
@njit
def down(n):
    if n > 0:
        return down(n - 1)
    return 0

@njit
def there(n):
    if n > 20:
        return 0
    return back(n + 1)

@njit
def back(n):
    if n > 20:
        return 0
    return there(n)

@kernel
def deeper(n):
    if n > 0:
        return deeper(n - 1)
    return 0
"""


@first_quick(1, "call", ["down(choice.count)", "back(choice.count)", "deeper(choice.count)"])
def test_a_recursive_compiled_function_is_rejected(call: str, tmp_path: Path) -> None:
    """Recursion would crash the process when the stack overflows, at an unknown depth."""
    file = tmp_path / "deep.py"
    file.write_text(HEAD + RECURSIVE + POLICY.format(name="deep", lines=f"return {call}"))
    with pytest.raises(UserError, match=r"deep\.py:deep' calls itself .*: write a loop"):
        resolve([f"{file}:deep"], 3)
