"""Printed cards rewritten with decisions, counters, amounts and prices, with unchanged worth: six sets of up to twelve.

The values of policies were corrected with the first two sets, one card of the third and two of the fifth. Each set from
the third on was written before it was measured; nothing was changed because of the fourth and the sixth.
"""

from __future__ import annotations

from typing import Any

from tests.wonders.extremes import written

Said = dict[str, tuple[tuple[str, ...], list[dict[str, Any]]]]
"""card -> the printed effects that go, and the clauses that stand for them"""


BROWN = "brown + left.brown + right.brown"


def counter(**changes: int | str) -> dict[str, Any]:
    """Return changes of counters."""
    return {"counter": changes}


FIRST: Said = {
    "Altar": (
        ("points",),
        [{"event": "built", "choose": [{"gain": {"points": 2}}, {"price": 1, "gain": {"points": 2}}]}],
    ),
    "Baths": (("points",), [{"event": "built", "amount": 3, "gain": {"points": "amount"}}]),
    "Tavern": (("coins",), [{"event": "built", "card": {"from": "city"}, "gain": {"coins": 5}}]),
    "Pawnshop": (
        ("points",),
        [
            {"event": "built", "gain": counter(seal=1)},
            {"event": "age_start", "price": counter(seal=1), "gain": {"points": 3}},
        ],
    ),
    "Temple": (
        ("points",),
        [{"event": "card_built", "if": "counter.vow < 1", "gain": {"points": 3, **counter(vow=1)}}],
    ),
    "Aqueduct": (
        ("points",),
        [{"event": "before_conflicts", "if": "age == 2", "choose": [{"gain": {"points": 5}}, {"gain": {"coins": 5}}]}],
    ),
    "Courthouse": (
        ("points",),
        [
            {"event": "built", "gain": counter(stock=4)},
            {
                "event": "age_end", "if": "age == 3", "amount": "min(4, counter.stock)",
                "price": counter(stock="amount"), "gain": {"points": "amount"},
            },
        ],
    ),
    "Marketplace": (
        ("trade_price",),
        [{"event": "trade_cost", "from": side, "cheaper": {"manufactured_unit": 1}} for side in ("left", "right")],
    ),
    "Barracks": (
        ("shields",),
        [{"event": "built", "choose": [{"gain": {"shields": 1}}, {"gain": {"age_shields": 1}}]}],
    ),
    "Training Ground": (
        ("shields",),
        [{"event": "before_conflicts", "choose": [{"gain": {"age_shields": 2}}, {"gain": {"coins": 1}}]}],
    ),
    "Workshop": (("science",), [{"event": "built", "choose": [{"gain": {"gear": 1}}, {"gain": {"coins": 1}}]}]),
    "Lighthouse": (
        ("coins_per", "points_per"),
        [
            {"event": "built", "choose": [{"gain": {"coins": "yellow"}}, {"gain": {"coins": 1}}]},
            {"event": "scored", "points": "yellow"},
        ],
    ),
}  # fmt: skip
FIRST_COUNTERS = ("counters.seal={most=1}", "counters.vow={of='card', most=1}", "counters.stock={most=4}")

SECOND: Said = {
    "Altar": (
        ("points",),
        [{"event": "built", "gain": counter(lamps=1)}, {"event": "scored", "points": "2 if counter.lamps > 0 else 0"}],
    ),
    "Theater": (
        ("points",),
        [
            {
                "event": "built",
                "choose": [
                    {"card": {"from": "left", "if": "card.cost >= 0"}, "gain": {"points": 2}}, {"gain": {"points": 1}},
                ],
            }
        ],
    ),
    "Baths": (
        ("points",),
        [{"event": "turn_start", "if": "counter.water < 3", "gain": {"points": 1, **counter(water=1)}}],
    ),
    "Tavern": (
        ("coins",),
        [{"event": "built", "choose": [{"gain": {"coins": 5}}, {"price": 2, "gain": {"coins": 6}}]}],
    ),
    "Temple": (
        ("points",),
        [{"event": "built", "amount": 4, "price": "3 * max(0, amount - 3)", "gain": {"points": "amount"}}],
    ),
    "Aqueduct": (("points",), [{"event": "age_start", "choose": [{"gain": {"points": 5}}, {"gain": {"shields": 1}}]}]),
    "Statue": (("points",), [{"event": "after_conflicts", "if": "age == 3", "gain": {"points": 4}}]),
    "Stockade": (
        ("shields",),
        [
            {"event": "built", "gain": counter(men=1)},
            {"event": "before_conflicts", "gain": {"age_shields": "counter.men"}},
        ],
    ),
    "Archery Range": (("shields",), [{"event": "built", "amount": 2, "gain": {"shields": "amount"}}]),
    "Apothecary": (("science",), [{"event": "built", "card": {"from": "city"}, "gain": {"compass": 1}}]),
    "East Trading Post": (
        ("trade_price",),
        [{"event": "trade_cost", "from": "right", "if": "other.coins >= 0", "cheaper": {"raw_unit": 1}}],
    ),
    "Vineyard": (
        ("coins_per",),
        [{"event": "built", "choose": [{"gain": {"coins": BROWN}}, {"gain": {"coins": 2}}]}],
    ),
}  # fmt: skip
SECOND_COUNTERS = (
    "counters.lamps={of='table', most=9}",
    "counters.water={of='card', most=3}",
    "counters.men={of='card', most=1}",
)

THIRD: Said = {
    "Theater": (
        ("points",),
        [
            {"event": "built", "choose": [{"gain": counter(fame=1)}, {"gain": {"coins": 1}}]},
            {"event": "age_end", "if": "counter.fame >= 1 and age == 3", "gain": {"points": 2}},
        ],
    ),
    "Baths": (
        ("points",),
        [
            {"event": "built", "gain": counter(oil=3)},
            {"event": "age_end", "price": counter(oil=1), "gain": {"points": 1}},
        ],
    ),
    "Temple": (
        ("points",),
        [{"event": "built", "choose": [{"price": 1, "gain": {"points": 3}}, {"gain": {"points": 2, "coins": 2}}]}],
    ),
    "Statue": (
        ("points",),
        [{"event": "age_start", "if": "age == 3", "choose": [{"gain": {"points": 4}}, {"gain": {"coins": 6}}]}],
    ),
    "Courthouse": (
        ("points",),
        [{"event": "built", "gain": counter(law=1)}, {"event": "scored", "points": "4 if counter.law >= 1 else 0"}],
    ),
    "Aqueduct": (
        ("points",),
        [{"event": "card_built", "if": "counter.flow < 5", "gain": {"points": 1, **counter(flow=1)}}],
    ),
    "Walls": (
        ("shields",),
        [
            {"event": "built", "gain": counter(guards=2)},
            {"event": "before_conflicts", "gain": {"age_shields": "counter.guards"}},
        ],
    ),
    "West Trading Post": (("trade_price",), [{"event": "built", "lose": {"left_raw_price": 1}}]),
    "Laboratory": (("science",), [{"event": "built", "choose": [{"gain": {"gear": 1}}, {"gain": {"points": 1}}]}]),
    "Forum": (
        ("produces_one_of",),
        [{"event": "turn_start", "choose": [{"gain": {f"turn_{unit}": 1}} for unit in ("loom", "glass", "papyrus")]}],
    ),
}  # fmt: skip
THIRD_COUNTERS = (
    "counters.fame={most=1}",
    "counters.oil={of='card', most=3}",
    "counters.law={of='table', most=9}",
    "counters.flow={of='card', most=5}",
    "counters.guards={of='card', most=2}",
)

FOURTH: Said = {
    "Baths": (
        ("points",),
        [{"event": "after_conflicts", "if": "counter.steam < 1", "gain": {"points": 3, **counter(steam=1)}}],
    ),
    "Tavern": (("coins",), [{"event": "age_start", "if": "age == 2", "gain": {"coins": 5}}]),
    "Vineyard": (("coins_per",), [{"event": "built", "amount": f"min(20, {BROWN})", "gain": {"coins": "amount"}}]),
    "Stockade": (("shields",), [{"event": "built", "choose": [{"gain": {"shields": 1}}, {"gain": {"coins": 1}}]}]),
    "Guard Tower": (("shields",), [{"event": "before_conflicts", "gain": {"age_shields": 1}}]),
    "Walls": (
        ("shields",),
        [
            {"event": "built", "gain": counter(watch=1)},
            {"event": "before_conflicts", "if": "counter.watch > 0", "gain": {"age_shields": 2}},
        ],
    ),
    "Scriptorium": (("science",), [{"event": "built", "may": True, "gain": {"tablet": 1}}]),
    "Library": (("science",), [{"event": "built", "choose": [{"gain": {"coins": 2}}, {"gain": {"tablet": 1}}]}]),
    "Aqueduct": (
        ("points",),
        [{"event": "built", "gain": counter(arches=3)}, {"event": "scored", "points": "5 * (counter.arches > 2)"}],
    ),
    "Pantheon": (("points",), [{"event": "built", "choose": [{"gain": {"points": 7}}, {"gain": {"coins": 8}}]}]),
    "Senate": (("points",), [{"event": "age_end", "may": True, "gain": {"points": 6}}]),
    "Town Hall": (("points",), [{"event": "built", "amount": 6, "gain": {"points": "amount"}}]),
}  # fmt: skip
FOURTH_COUNTERS = (
    "counters.steam={of='card', most=1}", "counters.watch={of='card', most=1}", "counters.arches={most=3}",
)  # fmt: skip

FIFTH: Said = {
    "Baths": (
        ("points",),
        [{"event": "built", "gain": counter(springs=2)}, {"event": "scored", "points": "1 + counter.springs"}],
    ),
    "Theater": (("points",), [{"event": "after_conflicts", "if": "age >= 2", "gain": {"points": 1}}]),
    "Pawnshop": (
        ("points",),
        [
            {
                "event": "turn_start", "if": "counter.pledge < 1",
                "choose": [{"gain": {"points": 3, **counter(pledge=1)}}, {"gain": {"coins": 3, **counter(pledge=1)}}],
            }
        ],
    ),
    "Tavern": (
        ("coins",),
        [{"event": "turn_start", "if": "counter.till < 5", "gain": {"coins": 1, **counter(till=1)}}],
    ),
    "Marketplace": (
        ("trade_price",),
        [{"event": "built", "lose": {"left_manufactured_price": 1, "right_manufactured_price": 1}}],
    ),
    "Lumber Yard": (("produces",), [{"event": "built", "gain": {"wood": 1}}]),
    "Stables": (
        ("shields",),
        [{"event": "built", "gain": {"shields": 1}}, {"event": "before_conflicts", "gain": {"age_shields": 1}}],
    ),
    "Siege Workshop": (
        ("shields",),
        [
            {"event": "built", "gain": counter(engines=2)},
            {"event": "before_conflicts", "if": "age == 3", "gain": {"age_shields": "1 + counter.engines"}},
        ],
    ),
    "University": (("science",), [{"event": "built", "amount": 1, "gain": {"tablet": "amount"}}]),
    "Gardens": (
        ("points",),
        [
            {
                "event": "built", "decider": "left",
                "choose": [{"gain": {"points": 5}}, {"gain": {"points": 5, "coins": 1}}],
            }
        ],
    ),
    "Arena": (
        ("coins_per", "points_per"),
        [{"event": "built", "gain": {"coins": "3 * stages"}}, {"event": "scored", "points": "stages"}],
    ),
    "Traders Guild": (
        ("points_per",),
        [
            {
                "event": "age_end", "if": "age == 3", "amount": "min(20, left.yellow + right.yellow)",
                "gain": {"points": "amount"},
            }
        ],
    ),
}  # fmt: skip
FIFTH_COUNTERS = (
    "counters.springs={most=2}", "counters.pledge={of='card', most=1}", "counters.till={of='card', most=5}",
    "counters.engines={of='card', most=2}",
)  # fmt: skip

SIXTH: Said = {
    "Altar": (
        ("points",),
        [
            {
                "event": "card_built", "if": "counter.rites < 1",
                "choose": [{"gain": {"points": 2, **counter(rites=1)}}, {"gain": {"coins": 2, **counter(rites=1)}}],
            }
        ],
    ),
    "Temple": (
        ("points",),
        [{"event": "built", "gain": counter(pillars=1)}, {"event": "scored", "points": "3 * counter.pillars"}],
    ),
    "Aqueduct": (
        ("points",),
        [{"event": "built", "gain": counter(pipes=1)}, {"event": "scored", "points": "3 + 2 * counter.pipes"}],
    ),
    "Statue": (("points",), [{"event": "age_end", "if": "age == 2", "gain": {"points": 4}}]),
    "Courthouse": (
        ("points",),
        [
            {
                "event": "built", "decider": "right",
                "choose": [{"gain": {"points": 4}}, {"gain": {"points": 4, "coins": 1}}],
            }
        ],
    ),
    "East Trading Post": (("trade_price",), [{"event": "built", "lose": {"right_raw_price": 1}}]),
    "Caravansery": (
        ("produces_one_of",),
        [
            {
                "event": "turn_start", "may": True,
                "choose": [{"gain": {f"turn_{unit}": 1}} for unit in ("wood", "ore", "stone", "clay")],
            }
        ],
    ),
    "Clay Pool": (("produces",), [{"event": "turn_start", "gain": {"turn_clay": 1}}]),
    "Circus": (("shields",), [{"event": "before_conflicts", "if": "age >= 3", "gain": {"age_shields": 3}}]),
    "Academy": (("science",), [{"event": "built", "if": "green >= 0", "gain": {"compass": 1}}]),
    "Magistrates Guild": (
        ("points_per",),
        [{"event": "age_end", "if": "age == 3", "gain": {"points": "left.blue + right.blue"}}],
    ),
    "Lighthouse": (
        ("coins_per", "points_per"),
        [
            {"event": "built", "gain": {"coins": "yellow"}},
            {"event": "age_end", "if": "age == 3", "gain": {"points": "yellow"}},
        ],
    ),
}  # fmt: skip
SIXTH_COUNTERS = ("counters.rites={of='card', most=1}", "counters.pillars={most=1}", "counters.pipes={most=1}")

GUESTS: dict[str, dict[str, Any]] = {
    "Poet": {"cost": 1, "points": 2}, "Captain": {"cost": 2, "shields": 1}, "Banker": {"coins": 4},
    "Herald": {"cost": 2, "points": 3}, "Clerk": {"cost": 1, "coins": 5}, "Forester": {"cost": 2, "produces": ["wood"]},
}  # fmt: skip
"""A further deck, of which six cards lie open at the start of each age: its cards with printed effects."""
THIRD_GUESTS: dict[str, dict[str, Any]] = {
    "Poet": {
        "cost": 1,
        "when": [{"event": "built", "choose": [{"gain": {"points": 2}}, {"gain": {"coins": 2}}]}],
    },
    "Captain": {
        "cost": 2,
        "when": [{"event": "before_conflicts", "choose": [{"gain": {"age_shields": 1}}, {"gain": {"coins": 1}}]}],
    },
}
"""Two of these cards, said by clauses."""


def with_guests(**said: dict[str, Any]) -> str:
    """Return the change that adds the further deck, in which some cards are replaced."""
    return f"decks.Guests={written({'display': 6, 'recruit': 'age_start', 'cards': {**GUESTS, **said}})}"
