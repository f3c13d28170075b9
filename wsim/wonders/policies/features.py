"""The features of ``weighted``: the names of its weights in the order of ``SETTINGS.weights``, each with its unit.

Values are in printed points. Each weight has one value per age; the named sets are in weights.toml.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from wsim.wonders.kernels.layout import WEIGHTS

FEATURES: Mapping[str, str] = MappingProxyType(
    {
        # points
        "point": "a certain point: printed points, tokens",
        "counted_point": "a point of a card that counts something, at the current count",
        # coins
        "coin": "a coin in the treasury",
        "reserve": "each of the first six coins in the treasury, in addition",
        "gift": "a coin paid to a neighbour, in addition",
        "sale": "selling a card, in addition to its coins",
        "rivals_coin": "a coin that every rival gains",
        "rivals_loss": "a coin that every rival loses",
        "rivals_debt": "a debt, for each rival that it hits",
        "debt": "taking a debt instead of paying a coin",
        # production
        "raw_1": "the first unit of a raw resource",
        "raw_2": "the second unit of the same raw resource",
        "raw_3": "the third unit",
        "raw_4": "the fourth and each further unit",
        "made_1": "the first unit of a manufactured resource",
        "made_2": "the second and each further unit",
        "either_two": "an either/or symbol with two alternatives, as a fraction of the value of both",
        "either_more": "an either/or symbol with more alternatives, as a fraction of the value of all",
        "needed": "a unit that is missing for the next stage",
        "next_door": "a unit that a neighbour also sells, for each such neighbour",
        "glut": "a production card, for each brown and gray card already built",
        # trade
        "discount": "a coin off the price, for each unit that the neighbours concerned sell",
        "rebate": "a coin off one unit of each turn, or off starting resources",
        # conflicts
        "war": "a point gained in the conflicts of this age, with the current shields",
        "shield": "a shield, in any case",
        "gap": "a shield that closes the gap to a stronger neighbour",
        "lead": "each of the first two shields of a lead over a neighbour",
        "diplomacy": "a diplomacy token",
        "truce": "a diplomacy token, for each conflict that would be lost now",
        # science
        "science": "a point gained in science, with the current symbols",
        "symbol": "a symbol, in any case",
        "follow": "a symbol, for each symbol already built",
        "rarest": "a symbol of the kind that is rarest in the city",
        "contest": "a symbol, for each green card of the neighbours",
        "copied": "copying a symbol of a neighbour, in addition to its current points",
        # special effects
        "stage": "building a stage, in addition to its effects",
        "play_last": "playing the last card, for each remaining age",
        "from_discard": "building from the discard pile",
        "copy_guild": "copying a guild, for each purple card of the neighbours",
        "free_build": "a right to free builds, for each remaining turn",
        "save_free": "spending the free build of the age",
        "cheap_stages": "stages without resources, for each remaining stage",
        # colours
        "yellow": "a yellow card, in addition to its effects",
        "purple": "a purple card, in addition to its effects",
        "black": "a black card, in addition to its effects",
        # choice of the card to bury or sell: the card worth most to the next player
        "deny_science": "a science point that the card would give the next player",
        "deny_point": "a printed point of the card",
    }
)
"""Name -> unit; ``INDEX`` maps names to indices."""

INDEX: Mapping[str, int] = MappingProxyType({name: index for index, name in enumerate(FEATURES)})
assert len(FEATURES) <= WEIGHTS
