"""Shared helpers of the engine's tests: tables with test policies, rule sets, numbers of players, the twin."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.wonders.position_kernels import TASTE_ANY, TASTE_BUILDS, TASTE_STAGES, tasting
from tests.wonders.reference.facts import RULE_SETS, load
from tests.wonders.reference.policies import View
from wsim.lab.plan import Plan
from wsim.policies.registry import LineUp
from wsim.wonders import words
from wsim.wonders.game import catalogue_of
from wsim.wonders.kernels import layout
from wsim.wonders.registry import POLICIES, REGISTRY
from wsim.wonders.simulator import WondersSimulator

opt_in = pytest.mark.skipif("WSIM_SLOW_TESTS" not in os.environ, reason="a larger run, on request: WSIM_SLOW_TESTS=1")

TABLES = [(rules.name, players) for rules in RULE_SETS.values() for players in rules.players]
ALL = list(RULE_SETS)


@dataclass(frozen=True)
class Player:
    """A jitted policy with its label and parameters."""

    label: str
    function: Any
    parameters: tuple[float, ...] = ()


RANDOM = Player("random", POLICIES.interface().registered(REGISTRY["random"].function, REGISTRY["random"].settled))
TASTES = tuple(
    Player(label, tasting, (float(taste),))
    for label, taste in (("tasting", TASTE_ANY), ("building", TASTE_BUILDS), ("staging", TASTE_STAGES))
)


def engine_table(ruleset: str, players: int, line_up: Sequence[Player] = (RANDOM,), **plan: Any) -> WondersSimulator:
    """Prepare an engine table for test policies, one for all seats or one per seat.

    ``plan``: further fields; ``switches`` as a mapping, ``wonders`` and ``sides`` as lists with None for random.
    """
    changes = tuple(f"switches.{name}={str(value).lower()}" for name, value in plan.pop("switches", {}).items())
    for option in ("wonders", "sides"):
        if isinstance(plan.get(option), list):
            plan[option] = ",".join(name or "random" for name in plan[option])
    entries = tuple(line_up) * (players if len(line_up) == 1 else 1)
    parameters = np.zeros((max(words.SEATS, players), words.PARAMETERS))
    for place, player in enumerate(entries):
        parameters[place, : len(player.parameters)] = player.parameters
    functions = [player.function for player in entries]
    resolved = LineUp(
        labels=tuple(player.label for player in entries),
        functions=tuple(functions + functions[:1] * (words.SEATS - len(functions))),
        parameters=parameters,
        weights=np.zeros((words.SEATS, words.AGES, layout.WEIGHTS)),
        digests={},
    )
    labels = tuple(player.label for player in line_up)
    fields = {"games": 1, "seed": 1, "rotate": False, "set": changes, **plan}
    chosen = Plan.make(ruleset=ruleset, players=players, policies=labels, **fields)
    return WondersSimulator(chosen, catalogue_of(chosen), resolved)


def played(table: WondersSimulator, games: int, first: int = 0) -> Any:
    """Return the rows of some games."""
    rows = np.zeros(games * table.seats, table.row_dtype)
    table.play(first, rows)
    return rows


# --- the twin's side of `tasting` ------------------------------------------------------------------------------------

_ACTIONS = ("build", "stage", "sell", "decline", "pay", "choose")
_HOW = ("paid", "chain", "free")
_KINDS = ("turn", "last_card", "discard_pile", "free_city", "loss", "effect")


def _fields(move: dict[str, Any], number: dict[str, int]) -> int:
    """Convert a move of the twin to the number that ``digest_moves`` computes for it."""
    kept = move["action"] == "keep"
    action = "choose" if kept else move["action"]
    fields = 128 * _ACTIONS.index(action)
    fields += number[move["card"]] if action in ("build", "stage", "sell") else 0
    if action == "choose":
        fields += 1024 * (move.get("option", 1 + kept) - 1) + 8192 * (move.get("city", -1) + 1)
        picked = move.get("picked", move.get("gives"))
        fields += 65536 * (number[picked] + 1 if picked else 0) + 8388608 * move.get("amount", 0)
    if action in ("build", "stage"):
        fields += 1024 * _HOW.index(move["how"]) + 4096 * int(move["left"]) + 262144 * int(move["right"])
        fields += 16777216 * int(move["bank"])
    return fields + (16777216 * int(move["coins"]) if action == "pay" else 0)


def twin_policy(ruleset: str, player: Player, cards: Iterable[str] | None = None) -> str | Callable[[View], int]:
    """Return the policy of the reference twin that plays like ``player`` (``random``, or one of ``TASTES``).

    ``cards``: the names of the catalogue, where they are not those of the rule set.
    """
    if player is RANDOM:
        return "random"
    number = {name: i for i, name in enumerate(sorted(load(ruleset).cards if cards is None else cards))}
    favourite = int(player.parameters[0])
    tastes = {
        TASTE_ANY: (*_ACTIONS, "keep"),
        TASTE_BUILDS: ("build", "stage"),
        TASTE_STAGES: ("stage",),
    }

    def choose(view: View) -> int:
        digest = 1009 * view.age + 101 * view.turn + 11 * view.decider + 7 * view.seat + _KINDS.index(view.kind)
        digest += 13 * view.discarded
        for move in view.moves:
            digest = (digest * 31 + _fields(move, number)) % 1000003
        for taste in range(favourite, -1, -1):
            wanted = [i for i, move in enumerate(view.moves) if move["action"] in tastes[taste]]
            if wanted:
                return wanted[digest % len(wanted)]
        raise AssertionError("an empty list")

    choose.__name__ = player.label
    return choose
