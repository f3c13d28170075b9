"""The features of ``weighted``: names and units of its weights, in the order of ``SETTINGS.weights``.

Values are in points. The named sets are in weights.toml.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from wsim.babel.kernels.layout import WEIGHTS

FEATURES: Mapping[str, str] = MappingProxyType(
    {
        "set_points": "a point that the disc adds to the seat's sets",
        "disc": "owning one more disc, whatever its kind",
        "wonder_points": "a point from a wonder that the build completes",
        "standing": "a point from an unfinished wonder if it were scored now, times the share of its discs built",
        "part": "a part placed",
        "card": "a card spent",
        "joker": "a Joker spent",
        "action_card": "an action card drawn",
        "rival_points": "a point for a rival, divided by the number of rivals",
        "rival_set_points": "a point that a partner's new disc adds to its sets",
        "rival_part": "a part that a rival places",
        "fail": "a build that fails",
        "risk": "chance that a build fails, for each card that rivals must supply",
        "pass": "passing, which draws a card",
        "accepted": "assumed chance that an offer is taken",
        "refused": "a point for a refused offer",
        "trade": "offering the trade card",
        "offered": "a card in an offer",
        "triple_from": "minimum cards in a refused offer to play the Triple bonus",
        "double_from": "minimum value of the best turn to play the Double turn",
        "exchange_from": "minimum cards worth exchanging to play the Card exchange",
    }
)
"""Name -> meaning of one unit."""

assert len(FEATURES) <= WEIGHTS
