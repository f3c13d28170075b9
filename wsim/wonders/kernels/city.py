"""The facts of a city as kernels: computed facts, and kernels that process all facts (wonders/facts.py)."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.kernels.facts import FactKernels
from wsim.wonders.facts import CITY_FACTS
from wsim.wonders.kernels.moves import action_of, card_of, is_of_turn, owns, seat_of_deed
from wsim.wonders.words import AGES, BUILD, COLOR_KINDS, STAGE

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


@kernel
def moves_now(public, rules, seat, action, color):
    """Return how often a city built in this turn: a structure of a colour, -1 for any, or a stage."""
    number, at = 0, public.deed_count - 1
    while at >= 0 and is_of_turn(public.deeds[at], public.age, public.turn):
        deed = public.deeds[at]
        if (
            seat_of_deed(deed) == seat
            and action_of(deed) == action
            and (color < 0 or rules.color[card_of(deed)] == color)
        ):
            number += 1
        at -= 1
    return number


@kernel(rare=True)
def last_built(public, rules, seat, color):
    """Return the structure that a city built last and still has, of a colour or of any (COLOR_KINDS); -1 for none."""
    for back in range(1, public.deed_count + 1):
        deed = public.deeds[public.deed_count - back]
        of_color = color == COLOR_KINDS or rules.color[card_of(deed)] == color
        if seat_of_deed(deed) == seat and action_of(deed) == BUILD and of_color and owns(public, seat, card_of(deed)):
            return card_of(deed)
    return -1


@kernel(rare=True)
def built_now(public, rules, seat, color):
    return moves_now(public, rules, seat, BUILD, color)


@kernel(rare=True)
def cards_now(public, rules, seat):
    return moves_now(public, rules, seat, BUILD, -1)


@kernel(rare=True)
def stages_now(public, rules, seat):
    return moves_now(public, rules, seat, STAGE, -1)


FACTS = FactKernels(
    CITY_FACTS,
    "public",
    {"public": "public.{}[seat]"},
    [printed_abilities, victory_points, victory_tokens, cards, all_stages, built_now, cards_now, stages_now],
)
