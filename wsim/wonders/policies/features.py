"""What ``weighted`` looks at: the names of its weights in the order of ``SETTINGS.weights``, each with its unit.

Values are in printed points. Each weight has one value an age; the named sets are data (weights.toml).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from wsim.wonders.kernels.layout import WEIGHTS

FEATURES: Mapping[str, str] = MappingProxyType(
    {
        # points
        "point": "a point that is sure: printed points, tokens",
        "counted_point": "a point of a card that counts something, as it counts now",
        # coins
        "coin": "a coin in the treasury",
        "reserve": "each of the first six coins in the treasury, besides",
        "gift": "a coin paid to a neighbour, besides",
        "sale": "selling a card, besides its coins",
        "rivals_coin": "a coin that every rival gains",
        "rivals_loss": "a coin that every rival loses",
        "rivals_debt": "a debt, for each rival that it hits",
        "debt": "taking a debt instead of paying a coin",
        # production
        "raw_1": "the first unit of a raw resource",
        "raw_2": "the second unit of the same raw resource",
        "raw_3": "the third",
        "raw_4": "the fourth and later ones",
        "made_1": "the first unit of a manufactured resource",
        "made_2": "the second and later ones",
        "either_two": "an either/or symbol with two alternatives, as a part of both together",
        "either_more": "an either/or symbol with more alternatives, as a part of all together",
        "needed": "a unit that the next stage still lacks",
        "next_door": "a unit that a neighbour sells too, for each such neighbour",
        "glut": "a production card, for each brown and gray card already there",
        # trade
        "discount": "a coin off the price, for each unit that the neighbours concerned sell",
        "rebate": "a coin off one unit of each turn, or off starting resources",
        # conflicts
        "war": "a point that the conflicts of this age change, as shields stand now",
        "shield": "a shield, whoever leads",
        "gap": "a shield that closes the gap to a stronger neighbour",
        "lead": "each of the first two shields of a lead over a neighbour",
        "diplomacy": "a diplomacy token",
        "truce": "a diplomacy token, for each conflict that is being lost now",
        # science
        "science": "a point that science changes, as symbols stand now",
        "symbol": "a symbol, whatever it changes",
        "follow": "a symbol, for each one already there",
        "rarest": "a symbol of the kind that is rarest in the city",
        "contest": "a symbol, for each green card of the neighbours",
        "copied": "copying a symbol of a neighbour, besides its points now",
        # special effects
        "stage": "building a stage, besides its effects",
        "play_last": "playing the last card, for each age to come",
        "from_discard": "building from the discard pile",
        "copy_guild": "copying a guild, for each purple card of the neighbours",
        "free_build": "a right to free builds, for each turn to come",
        "save_free": "spending the free build of the age",
        "cheap_stages": "stages without resources, for each stage to come",
        # colours
        "yellow": "a yellow card, besides its effects",
        "purple": "a purple card, besides its effects",
        "black": "a black card, besides its effects",
        # which card goes under a stage or is sold: the one worth most to the next player
        "deny_science": "a science point that the card would bring the next player",
        "deny_point": "a printed point of the card",
    }
)
"""Name -> what a unit of it is; ``INDEX`` has the places."""

INDEX: Mapping[str, int] = MappingProxyType({name: place for place, name in enumerate(FEATURES)})
assert len(FEATURES) <= WEIGHTS
