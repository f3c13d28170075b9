"""The facts of a city as kernels: computed facts, and kernels that process all facts (wonders/facts.py)."""

from __future__ import annotations

import numpy as np

from wsim.jit import count_bits, kernel
from wsim.kernels.facts import FactKernels
from wsim.kernels.formula_words import FIRST, PREVIOUS
from wsim.wonders.facts import CITY_FACTS
from wsim.wonders.kernels.moves import action_of, card_of, is_of_turn, owns, seat_of_deed
from wsim.wonders.words import AGES, BUILD, CARD_WORDS, CATEGORY_KINDS, COLOR_KINDS, STAGE, TAKE

_ONE = np.uint64(1)
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
def gained_points(public, rules, seat):
    """Return the points that a city gained in the game so far, minus the points that it lost."""
    points = 0
    for category in range(CATEGORY_KINDS):
        points += public.gained[seat, category]
    return points


@kernel
def moves_now(public, rules, seat, action, color):
    """Return how many structures of a colour (-1: any), or stages, a city built in this turn."""
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


@kernel
def _places(deed):
    """Return whether a deed puts a structure into its city, by building it or from elsewhere (R96)."""
    return action_of(deed) == BUILD or action_of(deed) == TAKE


@kernel(rare=True)
def _stands(public, seat, at):
    """Return whether a deed built a structure that a city still has: the last deed with its name (R82)."""
    deed = public.deeds[at]
    if seat_of_deed(deed) != seat or not _places(deed) or not owns(public, seat, card_of(deed)):
        return False
    for later in range(at + 1, public.deed_count):
        again = public.deeds[later]
        if seat_of_deed(again) == seat and _places(again) and card_of(again) == card_of(deed):
            return False
    return True


@kernel(rare=True)
def built_as(public, rules, seat, color, order):
    """Return the structure of a colour (COLOR_KINDS: any) that a city built last, first or last but one
    (formula_words.ORDERS); -1 if there is none."""
    passed = 0
    for step in range(public.deed_count):
        at = step if order == FIRST else public.deed_count - 1 - step
        card = card_of(public.deeds[at])
        if (color == COLOR_KINDS or rules.color[card] == color) and _stands(public, seat, at):
            if passed or order != PREVIOUS:
                return card
            passed += 1
    return -1


@kernel(rare=True)
def order_of(public, rules, seat, card):
    """Return the position of a structure in the building order of its city; structures of a position that was set up
    come first, all with the number of their last one."""
    number = cards(public, rules, seat)
    for step in range(public.deed_count):
        at = public.deed_count - 1 - step
        if _stands(public, seat, at):
            if card_of(public.deeds[at]) == card:
                break
            number -= 1
    return number


@kernel(rare=True)
def ordered_cards(public, rules, seat, wanted, low, high):
    """Return how many structures of a set a city has with a position from ``low`` to ``high`` in the building order;
    structures of a position that was set up all have the number of their last one (R93, R99)."""
    number, counted, stood = cards(public, rules, seat), 0, 0
    for step in range(public.deed_count):
        at = public.deed_count - 1 - step
        if number and _stands(public, seat, at):
            card = card_of(public.deeds[at])
            in_set = np.int64((wanted[card >> 6] >> np.uint64(card & 63)) & _ONE)
            stood += in_set
            counted += in_set if low <= number <= high else 0
            number -= 1
    if low <= number <= high:
        for word in range(CARD_WORDS):
            counted += count_bits(public.built[seat, word] & wanted[word])
        counted -= stood
    return counted


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
    [
        printed_abilities,
        victory_points,
        victory_tokens,
        cards,
        gained_points,
        all_stages,
        built_now,
        cards_now,
        stages_now,
    ],
)
