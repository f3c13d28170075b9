"""The facts about a seat of Tower of Babel, one row each (``wsim.facts`` lists what follows from a row).

The record "public" is visible to everybody (A26), "private" to the seat only, "tally" to nobody: it is counted for the
seats table.
"""

from __future__ import annotations

from typing import Any

from wsim.babel.words import ACTION_CARDS, DRAWN, KINDS, SLOTS, WONDERS
from wsim.facts import NONZERO, Fact, observed_groups

_KINDS, _CARDS = len(KINDS), len(ACTION_CARDS)


def _counted(name: str, meaning: str, row: str, **more: Any) -> Fact:
    return Fact(name, "i8", meaning, record="tally", row=row, **more)


SEAT_FACTS = (
    Fact("points", "i8", "points so far", observed=True, view=True, least=-500, most=500),
    Fact(
        "hand_size", "i8", "cards in hand, without the trade card", observed=True, formula="hand", span=(0, 999),
        view=True, most=200,
    ),
    Fact("action_cards", "i8", "action cards held", observed=True, formula=True, span=(0, 99), view=True, most=60),
    Fact("disc_count", "i8", "discs owned", observed="discs", formula="discs", span=(0, SLOTS)),
    Fact("offer_1", "", "cards of the first kind in the revealed offer", observed=True),
    Fact("offer_2", "", "cards of the second kind in the revealed offer", observed=True),
    Fact("trade_card", "", "1: the trade card is in the revealed offer", observed=True),
    Fact("offer", "i8", "revealed offer as a move of OFFER, 0 before the reveal", start=None),
    Fact("bluff", "i8", "revealed cards of wrong kinds as a move of BLUFF", start=None),
    Fact(
        "discs", "i8", "owned discs of one kind, 0 without public_discs (A26)", _KINDS,
        observed=tuple(f"discs:{kind}" for kind in KINDS), view=True, kinds=KINDS, most=99,
    ),
    Fact(
        "shown", "i8", "cards seen in an offer and still in the hand (A26)", _KINDS,
        observed=tuple(f"shown:{kind}" for kind in KINDS), view=True, kinds=KINDS, most=99,
    ),
    Fact("two_colour", "i8", "owned discs of two kinds (bit: disc), 0 without public_discs (A26)", mask=True),
    Fact("parts", "", "parts on each wonder", WONDERS, observed=tuple(f"parts:{n + 1}" for n in range(WONDERS))),
    Fact(
        "hand", "i8", "cards of each kind; the last entry stays 0", _KINDS + 1, "private",
        observed=tuple(f"hand:{kind}" for kind in KINDS), view=True, kinds=KINDS,
    ),
    Fact(
        "aside", "i8", "set aside by the Card exchange being played", _KINDS, "private",
        observed=tuple(f"aside:{kind}" for kind in KINDS), view=True, shown=NONZERO, kinds=KINDS,
    ),
    Fact(
        "cards", "i8", "action cards held", _CARDS, "private", observed=tuple(f"card:{card}" for card in ACTION_CARDS),
        view="held", kinds=ACTION_CARDS,
    ),
    Fact(
        "fresh", "i8", "of these, drawn this turn and not yet usable (A18)", _CARDS, "private",
        observed=tuple(f"fresh:{card}" for card in ACTION_CARDS), view=True, shown=NONZERO, kinds=ACTION_CARDS,
    ),
    _counted("wonder_points", "points for completed wonders", "i2", columns="points_wonders"),
    _counted("light_points", "points for unfinished wonders at the end", "i2", columns="points_unfinished_wonders"),
    _counted(
        "refused_points", "points for refused offers, failed builds included, without Triple bonuses", "i2",
        columns="points_refused_offers",
    ),
    _counted("set_points", "points for sets of discs", "i2", columns="points_disc_sets"),
    _counted(
        "action_points", "added by the Triple bonus, Disc bonus, 5 bonus points", "i2", columns="points_action_cards"
    ),
    _counted("parts_placed", "units placed on wonders", "u2"),
    _counted("passes", "actions passed", "u2"),
    _counted("builds_led", "successful builds as the active player", "u1"),
    _counted("builds_failed", "builds announced and not completed", "u2"),
    _counted("offers_made", "offers laid", "u2"),
    _counted("offers_taken", "offers accepted in successful builds, with or without a trade card", "u1"),
    _counted("offers_refused", "offers returned, failed builds included", "u2"),
    _counted("trades_taken", "accepted offers with a trade card: discs won on others' turns", "u1"),
    Fact(
        "discs", "i8", "discs of one kind owned, two-colour ones not counted", _KINDS, "private", row="u1",
        columns=tuple(f"discs_{kind}" for kind in KINDS), formula=KINDS, span=(0, SLOTS),
    ),
    Fact("two_colour", "i8", "owned discs of two kinds (bit: disc)", 0, "private", mask=True),
    Fact("discs_two_colour", "", "two-colour discs owned", row="u1"),
    _counted("wonders_won", "completed wonders with most parts, alone or tied", "u1", mask=True),
    _counted("rows_won", "rows of the value table of these wonders", "u1", mask=True, columns=()),
    _counted("discs_owned", "discs owned (bit: disc)", "u4", mask=True, columns=()),
    _counted(
        "cards_drawn", "action cards drawn, by kind", "u1", count=_CARDS,
        columns=tuple(f"{DRAWN}{card}" for card in ACTION_CARDS),
    ),
    _counted(
        "cards_played", "action cards played, or scored at the end, by kind", "u1", count=_CARDS,
        columns=tuple(f"played_{card}" for card in ACTION_CARDS),
    ),
)  # fmt: skip

PUBLIC_FACTS = tuple(fact for fact in SEAT_FACTS if fact.record == "public")
PRIVATE_FACTS = tuple(fact for fact in SEAT_FACTS if fact.record == "private")
DISCARDS = Fact(
    "discards", "i8", "face-up discard pile", _KINDS, "table", observed=tuple(f"discards:{kind}" for kind in KINDS)
)
OBSERVED = observed_groups(PUBLIC_FACTS, in_turns=True)
OBSERVED_PRIVATELY = observed_groups([DISCARDS, *PRIVATE_FACTS], in_turns=True)
"""The facts in observations: of every seat; of the observing seat, with the discard pile."""
SEAT_NAMES = tuple(name for fact in SEAT_FACTS for name in fact.asked_as)
"""The names of a seat in formulas."""
