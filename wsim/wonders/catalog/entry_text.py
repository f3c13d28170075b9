"""Describe costs and effects in English."""

from __future__ import annotations

from wsim.wonders.catalog.effects import EFFECTS, Effects, amount
from wsim.wonders.catalog.model import Cost

ROMAN = ("", "I", "II", "III")


def cost_text(cost: Cost) -> str:
    """Return a cost such as "2 coins, 1 clay, 3 ore"; "free" if there is none."""
    coins = [amount(cost.coins, "coin")] if cost.coins else []
    return ", ".join([*coins, *(f"{n} {resource}" for resource, n in cost.resources)]) or "free"


def recruit_text(effects: Effects) -> str:
    """Describe the effects of a card from a further deck in English, in the format of ``effects_text`` (R88)."""
    return effects_text(effects).replace("when built", "when recruited")


def effects_text(effects: Effects) -> str:
    """Return effects in English, separated by semicolons; "none" if there are none."""
    return "; ".join(EFFECTS[name].say(value) for name, value in effects.present().items()) or "none"
