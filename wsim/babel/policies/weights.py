"""The weights of the policy ``weighted``: their names, what each is worth a point of, and the named sets."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["SETS", "WEIGHTS"]

WEIGHTS: Mapping[str, str] = {
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
"""Name -> the thing whose value it is, in points; the order is that of ``PRIVATE.weights``."""

_SENSIBLE = {
    "set_points": 1.0,
    "disc": 1.5,
    "wonder_points": 1.0,
    "standing": 0.8,
    "part": 0.3,
    "card": -0.8,
    "joker": -2.0,
    "action_card": 3.0,
    "rival_points": -0.5,
    "rival_set_points": -0.5,
    "rival_part": -0.1,
    "fail": -1.0,
    "risk": 0.25,
    "pass": 1.0,
    "accepted": 0.4,
    "refused": 1.0,
    "trade": 0.0,
    "offered": 0.0,
    "triple_from": 3.0,
    "double_from": 3.0,
    "exchange_from": 3.0,
}

SETS: Mapping[str, Mapping[str, float]] = {
    "greedy": {
        **dict.fromkeys(WEIGHTS, 0.0),
        "set_points": 1.0,
        "wonder_points": 1.0,
        "disc": 0.1,  # of moves with equal points: build rather than pass, and with few cards
        "card": -0.001,
        "risk": 1.0,
        "accepted": 0.5,
        "refused": 1.0,
        "triple_from": 1.0,
        "double_from": 1.0,
        "exchange_from": 99.0,
    },
    "builder": {**_SENSIBLE, "part": 1.0, "card": -0.5, "pass": 0.5, "risk": 0.15, "disc": 2.0},
    "supplier": {**_SENSIBLE, "pass": 4.0, "refused": 1.5, "accepted": 0.3, "offered": 0.3},
    "collector": {**_SENSIBLE, "set_points": 1.5, "disc": 3.0, "trade": 1.0, "rival_set_points": -1.0},
    "majority": {**_SENSIBLE, "wonder_points": 1.5, "standing": 1.5, "part": 0.6, "rival_part": -0.3},
}
"""Named sets; each is a policy of its own."""
