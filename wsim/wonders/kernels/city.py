"""The facts of a city as kernels: computed facts, and kernels that process all facts (wonders/facts.py)."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.kernels.facts import FactKernels
from wsim.wonders.facts import CITY_FACTS
from wsim.wonders.words import AGES, COLOR_KINDS

_PRINTED = 0x7FF  # the abilities that cards grant, without marks of the engine (words.PRICES and those after it)


@kernel
def printed_abilities(public, rules, seat):
    return public.abilities[seat] & _PRINTED


@kernel
def victory_points(public, rules, seat):
    """Return the points of the victory tokens."""
    points = 0
    for age in range(AGES):
        points += public.victory[seat, age] * rules.victory_points[age]
    return points


@kernel
def victory_tokens(public, rules, seat):
    """Return the number of victory tokens of all ages."""
    return public.victory[seat, 0] + public.victory[seat, 1] + public.victory[seat, 2]


@kernel
def cards(public, rules, seat):
    """Return the number of structures."""
    structures = 0
    for color in range(COLOR_KINDS):
        structures += public.colors[seat, color]
    return structures


@kernel
def all_stages(public, rules, seat):
    """Return the number of stages of the board."""
    return rules.stage_count[public.side[seat]]


FACTS = FactKernels(
    CITY_FACTS,
    "public",
    {"public": "public.{}[seat]"},
    [printed_abilities, victory_points, victory_tokens, cards, all_stages],
)
