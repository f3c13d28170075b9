"""Printed cards said by clauses, exactly or by something of their worth: policies that weigh moves build them about as
often as the printed ones."""

from __future__ import annotations

from typing import Any

import pytest

import wsim
from tests.wonders.extremes import written

HONOUR = "counters.honour={most = 9}"
UNITS = [{"gain": {f"turn_{unit}": 1}} for unit in ("clay", "stone", "ore", "wood")]
SAID: dict[str, tuple[tuple[str, ...], list[dict[str, Any]]]] = {
    # card -> the printed effects that go, and the clauses that stand for them
    "Altar": (("points",), [{"event": "scored", "points": 2}]),
    "Theater": (
        ("points",),
        [{"event": "built", "gain": {"counter": {"honour": 2}}}, {"event": "scored", "points": "counter.honour"}],
    ),
    "Pawnshop": (
        ("points",),
        [
            {"event": "built", "choose": [{"gain": {"counter": {"honour": 3}}}, {"gain": {"coins": 3}}]},
            {"event": "scored", "points": "counter.honour"},
        ],
    ),
    "Tavern": (("coins",), [{"event": "built", "gain": {"coins": 5}}]),
    "Vineyard": (("coins_per",), [{"event": "built", "gain": {"coins": "brown + left.brown + right.brown"}}]),
    "Barracks": (("shields",), [{"event": "built", "gain": {"shields": 1}}]),
    "Arsenal": (("shields",), [{"event": "before_conflicts", "gain": {"age_shields": 3}}]),
    "East Trading Post": (
        ("trade_price",),
        [{"event": "trade_cost", "from": "right", "cheaper": {"raw_unit": "1 if right_raw_price > 1 else 0"}}],
    ),
    "West Trading Post": (("trade_price",), [{"event": "trade_cost", "cheaper": {"first_unit": 1}}]),
    "Marketplace": (("trade_price",), [{"event": "trade_cost", "cheaper": {"manufactured_unit": 1}}]),
    "Workshop": (("science",), [{"event": "built", "gain": {"gear": 1}}]),
    "Haven": (
        ("coins_per", "points_per"),
        [{"event": "built", "gain": {"coins": "brown"}}, {"event": "scored", "points": "brown"}],
    ),
    "Caravansery": (("produces_one_of",), [{"event": "turn_start", "choose": UNITS}]),
}
GAMES, PLAYERS, FACTOR = 1000, 4, 1.5


def built(policy: str, changes: tuple[str, ...] = ()) -> dict[str, int]:
    """Return how often each card is built in games that are dealt alike, whatever the changes."""
    frame = wsim.simulate(set=changes, players=PLAYERS, policies=policy, games=GAMES, seed=8)
    return {card: int(frame[f"built:{card}"].sum()) for card in SAID}


def said(card: str) -> tuple[str, ...]:
    """Return the changes that replace the printed effects of a card by clauses."""
    gone, clauses = SAID[card]
    changes = [f'cards."{card}".{effect}=false' for effect in gone]
    return HONOUR, *changes, f'cards."{card}".when={written(clauses)}'


@pytest.mark.parametrize("policy", ["balanced", "weighted", "greedy"])
def test_a_card_said_by_clauses_is_built_about_as_often_as_the_printed_one(policy: str) -> None:
    printed = built(policy)
    shares = {card: (built(policy, said(card))[card], printed[card]) for card in SAID}
    outside = {card: pair for card, pair in shares.items() if not 1 / FACTOR <= pair[0] / pair[1] <= FACTOR}
    assert not outside, f"{policy}, {GAMES} games: {outside}"
