"""What ``weighted`` looks at: the names of its weights in the order of ``SETTINGS.weights``, each with its unit.

Values are in points. The named sets are data (weights.toml).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from wsim.babel.kernels.layout import WEIGHTS

FEATURES: Mapping[str, str] = MappingProxyType(
    {
        "set_points": "a point that the disc adds to the own set table",
        "disc": "owning one more disc, whatever its kind",
        "wonder_points": "a point that the build brings on a wonder that it completes",
        "standing": "a point that an unfinished wonder would bring if it were scored, by the share of its discs built",
        "part": "an own part placed",
        "card": "an own card spent",
        "joker": "a Joker spent",
        "action_card": "an action card drawn",
        "rival_points": "a point that a rival gets, by the number of rivals",
        "rival_set_points": "a point that a partner's new disc adds to its set table",
        "rival_part": "a part that a rival places",
        "fail": "a build that fails",
        "risk": "chance that a build fails, for each card that rivals have to supply",
        "pass": "passing, and so drawing a card",
        "accepted": "guessed chance that an offer is taken",
        "refused": "a point for a refused offer",
        "trade": "laying the trade card",
        "offered": "a card in an offer",
        "triple_from": "cards in an unpaid offer from which the Triple bonus is played",
        "double_from": "value of the best turn from which the Double turn is played",
        "exchange_from": "cards worth exchanging from which the Card exchange is played",
    }
)
"""Name -> the thing whose value it is."""

assert len(FEATURES) <= WEIGHTS
