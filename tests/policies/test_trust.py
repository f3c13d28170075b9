"""Compiled policies of users can neither write the game nor read past their records: they are refused, or fail."""

from __future__ import annotations

from pathlib import Path

import pytest

import wsim
from tests.policies.lineups import resolve
from wsim import UserError
from wsim.jit import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="compiled policies")

HEAD = """
import numpy as np
import wsim
from wsim.jit import address_of
from wsim.wonders.kit import action_of, below, card_of, kernel, owns, score_change

@kernel
def deep(values, at):
    values[at] = 9
    return at

@kernel
def deeper(values, at):
    return deep(values, at + 1)

@wsim.policy
def cheat(public, own, choice, rules):
"""

WRITES = {
    "public.coins[own.seat] = 1000": "public.coins",
    "public.victory[own.seat, 0] = 100": "public.victory",
    "public.age = 2": "public.age",
    "rules.points[3] = 0": "rules.points",
    "choice.moves[0] = np.uint64(1)": "choice.moves",
    "choice.count = 1": "choice.count",
    "own.hand = np.uint64(5)": "own.hand",
    "own.parameters[0] = 5.0": "own.parameters",
    "public.coins[:] += 3": "public.coins",
    "view = public.coins[1:]; view[0] = 5": "public.coins",
    "public.coins.reshape(7)[0] = 2": "public.coins",
    "public.coins.fill(7)": "public.coins",
    "choice.moves.sort()": "choice.moves",
    "pair = (own.memory, public.price); pair[1][0, 0] = 2": "public.price",
    "other = public.coins\n    if choice.count > 3:\n        other = public.stages\n    other[0] = 3": "public.coins",
    "for row in public.victory:\n        row[0] = 5": "public.victory",
    "deep(public.coins, 0)": "public.coins",
    "deeper(public.shields, 0)": "public.shields",
}


@pytest.mark.parametrize("line", WRITES)
def test_a_policy_that_writes_the_game_is_refused_by_name(line: str, tmp_path: Path) -> None:
    file = tmp_path / "cheats.py"
    file.write_text(f"{HEAD}    {line}\n    return 0\n")
    with pytest.raises(UserError) as caught:
        resolve([f"{file}:cheat"], 3)
    said = str(caught.value)
    assert f"cheats.py:cheat' writes {WRITES[line]}" in said
    assert said.endswith("but a policy may write its random stream and its memory only (own.rng, own.memory)")


def test_a_policy_that_asks_for_addresses_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cheats.py"
    file.write_text(f"{HEAD}    return int(address_of(public)) % choice.count\n")
    with pytest.raises(UserError, match="reaches memory by its address"):
        resolve([f"{file}:cheat"], 3)


FAIR = """    mine = np.zeros(4)
    mine[1] = 2.0
    coins = public.coins.copy()
    coins[0] += 1
    ordered = np.sort(public.coins)
    ordered[0] = 0
    own.memory[2] += 1.0
    memory = own.memory
    memory.sort()
    memory[3] = mine[1] + coins[0] + ordered[1]
    own.memory[4:] = 1.0
    best = 0
    for at in range(choice.count):
        card = card_of(choice.moves[at])
        if action_of(choice.moves[at]) == 0 and score_change(public, rules, choice.seat, card) > best:
            best = at
    return best if best else below(own, choice.count)
"""


@pytest.mark.slow
def test_what_is_its_own_a_policy_may_write(tmp_path: Path) -> None:
    file = tmp_path / "fair.py"
    file.write_text(HEAD + FAIR)
    played = wsim.simulate(games=30, players=3, policies=[f"{file}:cheat", "random", "random"])
    assert played.height == 90


READS = {
    "own.memory[8 + choice.count]": "IndexError",
    "public.coins[7 * own.seat + 7]": "IndexError",
    "deep_read(own.memory, 8 + choice.count)": "IndexError",
    "owns(public, 50 + choice.count, 3)": "IndexError",
}


@pytest.mark.parametrize("read", READS)
def test_a_policy_that_reads_past_its_records_fails_in_a_sentence(read: str, tmp_path: Path) -> None:
    file = tmp_path / "cheats.py"
    helper = "@kernel\ndef deep_read(values, at):\n    return values[at]\n\n@wsim.policy\ndef cheat"
    file.write_text(HEAD.replace("@wsim.policy\ndef cheat", helper) + f"    return int({read}) % choice.count\n")
    with pytest.raises(UserError, match=f"cheats.py:cheat' raised {READS[read]}"):
        wsim.simulate(games=30, players=3, policies=[f"{file}:cheat", "random", "random"])
