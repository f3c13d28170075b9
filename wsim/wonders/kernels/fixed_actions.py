"""The fixed actions by which callers decide in many games at once.

A fixed action is a card and its use, with the cheapest payment: ``WITH_CARD * card + BUILD, STAGE, SELL`` or ``SPEND``
(a build that uses up the once-per-age free build). The actions of cards are followed by declining, then by the coins
paid for a loss, 0 to ``MAX_PAID``; the last also means more. The cards of further decks follow, which are recruited
(R89). With clauses that ask (R72) the options follow: repeated for each city, going left, if a city is also chosen; for
each card if a card is chosen (R80); and for each amount if an amount is chosen (R95).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wsim.jit import kernel
from wsim.wonders.kernels.moves import (
    action_of,
    amount_of,
    bank_of,
    card_of,
    city_of,
    left_of,
    option_of,
    picked_of,
    right_of,
    slot_of,
    spends_of,
)
from wsim.wonders.words import BUILD, CHOOSE, DECLINE, PAY, SELL, STAGE

SPEND = 3
WITH_CARD = 4
MAX_PAID = 31
_WITH_CARD_NAMES = ("build", "stage", "sell", "build_free")
assert (BUILD, STAGE, SELL) == (0, 1, 2)


def fixed_actions(
    cards: Sequence[str],
    options: int = 0,
    cities: int = 1,
    recruits: Sequence[str] = (),
    *,
    picks: bool = False,
    amounts: int = 0,
) -> tuple[str, ...]:
    """Return the names of the fixed actions: ``build:CARD``, ..., ``decline``, ``pay:0`` (coins of a loss), ...

    ``options``: the largest number of options of a clause; ``choose:1`` is the first option. ``cities``: of the table,
    where clauses act on a city that is chosen; ``choose:1:left2`` is the second one to the left. ``recruits``: the
    cards of decks. ``picks``: whether some options choose a card; ``choose:1:Altar`` is the first one with that card.
    ``amounts``: the largest amount that is chosen; ``choose:1:amount3`` is the first option with an amount of 3.
    """
    paid = [f"pay:{coins}" for coins in range(MAX_PAID)]
    named = (f"{what}:{card}" for card in cards for what in _WITH_CARD_NAMES)
    targets = ("", *(f":left{step}" for step in range(1, cities)))
    chosen = (f"choose:{option + 1}{target}" for target in targets for option in range(options))
    picked = (f"choose:{option + 1}:{card}" for option in range(options if picks else 0) for card in cards)
    amounted = (f"choose:{option + 1}:amount{amount + 1}" for option in range(options) for amount in range(amounts))
    recruited = (f"recruit:{card}" for card in recruits)
    return (*named, "decline", *paid, f"pay:{MAX_PAID}+", *recruited, *chosen, *picked, *amounted)


@kernel
def fixed_action(choice, rules, move):
    """Return the fixed action of a move."""
    action = action_of(move)
    if action == PAY:
        return WITH_CARD * rules.cards + 1 + min(bank_of(move), MAX_PAID)
    if action == CHOOSE:
        first = WITH_CARD * rules.cards + 2 + MAX_PAID
        if slot_of(move) == 0:  # no clause: a card is recruited
            return first + card_of(move) - rules.deck_entry
        first += rules.deck_from[rules.decks]
        if amount_of(move):
            first += rules.most_options * (rules.targets + (rules.cards if rules.picks else 0))
            return first + option_of(move) * rules.most_amount + amount_of(move) - 1
        if picked_of(move) >= 0:
            return first + rules.most_options * rules.targets + option_of(move) * rules.cards + picked_of(move)
        step = (city_of(move) - choice.seat) % rules.seats if city_of(move) >= 0 else 0
        return first + rules.most_options * step + option_of(move)
    if action == DECLINE:
        return np.int64(WITH_CARD * rules.cards)
    if action == BUILD and spends_of(move):
        action = SPEND
    return WITH_CARD * card_of(move) + action


@kernel
def _price_of(move):
    """Return the cost of a move in coins; for a loss, paying more costs less, so the largest payment is the
    cheapest."""
    if action_of(move) == PAY:
        return -bank_of(move)
    return bank_of(move) + (left_of(move) + right_of(move) if action_of(move) != CHOOSE else 0)


@kernel
def move_of(choice, rules, action):
    """Return the cheapest move of a fixed action; the first in case of ties."""
    cheapest, least = choice.moves[0], np.int64(1 << 40)
    for index in range(choice.count):
        move = choice.moves[index]
        if fixed_action(choice, rules, move) == action and _price_of(move) < least:
            cheapest, least = move, _price_of(move)
    return cheapest
