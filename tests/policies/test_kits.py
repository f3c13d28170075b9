"""The kits: every function that a user policy may call returns the same value compiled and in plain Python."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT
from wsim.game import find_game
from wsim.jit import JIT
from wsim.lab.plan import Plan

pytestmark = pytest.mark.jit_off

WONDERS = """
from wsim.wonders.kit import *

@kernel
def stage_value(public, rules, seat):
    stage = next_stage(public, rules, seat)
    return score_change(public, rules, seat, stage) if stage >= STAGE_ENTRY else 0.0

def {name}(public, own, choice, rules):
    seat = choice.seat
    total = neighbor_left(public, seat) + 2 * neighbor_right(public, seat) + 3 * next_holder(public, rules, seat)
    total += 5 * war_points(public, rules, seat, 1, 0) + 7 * science_gain(public, seat, 1, 0)
    total += 41 * science_change(public, rules, seat, 1, 0) + 43 * sale_coins(public, rules, seat)
    total += int(30 * uniform(own)) + below(own, 7)
    for i in range(choice.count):
        move = choice.moves[i]
        total += 11 * action_of(move) + 13 * how_of(move) + 17 * slot_of(move) + 19 * spends_of(move)
        total += 47 * option_of(move) + 53 * city_of(move) + 59 * picked_of(move) + 61 * amount_of(move)
        total += 67 * gives_of(move) + 71 * owner_of_move(move, seat, public.seats)
        if choice.kind == EFFECT:
            total += int(6 * effect_change(public, rules, choice, i))
        total += 23 * price_of(move) - bank_of(move) + left_of(move) + 2 * right_of(move)
        if action_of(move) == BUILD:
            card = card_of(move)
            total += 29 * owns(public, seat, card) + 31 * has_chain(public, rules, seat, card)
            total += 37 * coins_of(public, rules, seat, card)
            total += int(6 * score_change(public, rules, seat, card) + 12 * rivals_loss(public, rules, seat, card))
    return abs(total) % choice.count
"""

BABEL = """
from wsim.babel.kit import *

def {name}(public, own, choice, rules):
    total = int(30 * uniform(own)) + below(own, 7)
    for i in range(choice.count):
        move = choice.moves[i]
        if choice.kind == TURN and slot_of(move) >= 0:
            slot = slot_of(move)
            disc = public.board[slot]
            total += 3 * completes(public, slot) + 5 * set_gain(public, rules, own.seat, disc)
            total += 7 * wonder_points(public, rules, slot // SPACES, 1 << (8 * own.seat), own.seat)
            need, kind = rules.need[disc], rules.kind[disc]
            total += 11 * shortage(own, rules, kind[0], need[0], kind[1], need[1])
        elif choice.kind == OFFER or choice.kind == COMPLETE:
            total += 13 * first_of(move) + 17 * second_of(move) - cards_of(move) + 19 * trades(move)
        elif choice.kind == TAKE:
            total += 23 * takes(move, 0) + 29 * takes(move, public.seats - 1)
    return (total + usable(own, JOKER)) % choice.count
"""

KITS = {"seven_wonders": ("wsim.wonders.kit", WONDERS), "tower_of_babel": ("wsim.babel.kit", BABEL)}
BY_ITSELF = {"kernel"}  # not a function of the game


@pytest.mark.parametrize("game", KITS)
def test_the_test_policy_calls_every_kit_function(game: str) -> None:
    module, text = KITS[game]
    kit = import_module(module)
    functions = {name for name in kit.__all__ if callable(getattr(kit, name))} - BY_ITSELF
    assert functions
    assert {name for name in functions if f"{name}(" not in text} == set()


@pytest.mark.parametrize("game", KITS)
def test_every_name_of_a_kit_has_a_docstring(game: str) -> None:
    kit = import_module(KITS[game][0])
    for name in kit.__all__:
        assert name in str(kit.__doc__) or not callable(getattr(kit, name)), name
        assert not callable(getattr(kit, name)) or getattr(kit, name).__doc__, name


@pytest.mark.slow
@pytest.mark.parametrize("game", KITS)
def test_compiled_and_plain_policies_get_the_same_kit_results(game: str, tmp_path: Path) -> None:
    text = KITS[game][1]
    source = f"import wsim\n{text.format(name='plain')}\n{text.format(name='compiled')}\nwsim.policy(compiled)\n"
    (tmp_path / "mine.py").write_text(source)
    games = 3 if JIT else 1
    played: dict[str, Any] = {}
    for name in ("compiled", "plain"):
        asks = {"patch": [str(ROOT / "analysis/expansion/fleets.toml")]} if game == "seven_wonders" else {}
        plan = Plan.make(game=game, players=3, policies=f"{tmp_path}/mine.py:{name}", **asks)
        simulator = find_game(game).prepare(plan)
        played[name] = np.zeros(games * simulator.seats, simulator.row_dtype)
        simulator.play(0, played[name])
    assert played["compiled"]["total"].any()
    assert np.array_equal(played["compiled"], played["plain"])
