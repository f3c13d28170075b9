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

_COMMON = {
    "set_points": 1.0,
    "disc": 2.0,
    "wonder_points": 1.0,
    "standing": 0.5,
    "part": 0.3,
    "card": -0.9,
    "joker": -2.0,
    "action_card": 7.0,
    "rival_points": -0.3,
    "rival_set_points": -0.4,
    "rival_part": 0.0,
    "fail": -0.9,
    "risk": 0.18,
    "pass": 0.8,
    "accepted": 0.45,
    "refused": 1.0,
    "trade": 0.0,
    "offered": 0.0,
    "triple_from": 2.0,
    "double_from": 3.0,
    "exchange_from": 3.0,
}

SETS: Mapping[str, Mapping[str, float]] = {
    "greedy": {
        **dict.fromkeys(WEIGHTS, 0.0),
        "set_points": 1.0,
        "wonder_points": 1.0,
        "disc": 0.1,  # of moves with equal points: build rather than pass, with few cards, and never to fail
        "card": -0.001,
        "fail": -0.01,
        "risk": 1.0,
        "accepted": 0.5,
        "refused": 1.0,
        "triple_from": 1.0,
        "double_from": 1.0,
        "exchange_from": 99.0,
    },
    "balanced": {
        "set_points": 1.14,
        "disc": 2.0,
        "wonder_points": 1.0,
        "standing": 0.13,
        "part": 1.0,
        "card": -0.81,
        "joker": -1.54,
        "action_card": 11.94,
        "rival_points": -0.41,
        "rival_set_points": -0.31,
        "rival_part": 0.34,
        "fail": -0.86,
        "risk": 0.19,
        "pass": 0.4,
        "accepted": 0.08,
        "refused": 1.0,
        "trade": 0.08,
        "offered": 0.16,
        "triple_from": 1.33,
        "double_from": 5.09,
        "exchange_from": 5.96,
    },
    "builder": {**_COMMON, "part": 1.0, "standing": 0.8, "card": -0.6, "pass": 0.3, "risk": 0.14},
    "supplier": {**_COMMON, "refused": 1.5, "pass": 3.0, "offered": 0.4},
    "collector": {**_COMMON, "set_points": 1.6, "disc": 3.0, "trade": 1.1, "rival_set_points": -1.0},
    "majority": {**_COMMON, "wonder_points": 1.5, "standing": 1.5, "part": 0.6, "rival_part": -0.3, "set_points": 0.6},
}
"""Named sets; each is a policy of its own.

``balanced`` was found by hill climbing on win share against the others at 3, 4 and 5 seats. The themes of the others
are set by hand upon common values near those that the search preferred, so that a name keeps its meaning.
"""
