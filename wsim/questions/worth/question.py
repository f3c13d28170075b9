"""The options of ``wsim experiment worth``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wsim.errors import UserError
from wsim.options import Options, at_least, level_option, names, option, within_option
from wsim.policies.chances import CHANCE


def _chance(_name: str, value: Any) -> Any:
    """Raise UserError unless some seat's chance is strictly between 0 and 1; otherwise nothing can be compared."""
    try:
        given = [float(text) for text in str(value).split(",")]
    except ValueError:
        return value
    if not any(0 < text < 1 for text in given):
        raise UserError(f"the chance that a policy is overruled must be between 0 and 1, not {value}")
    return value


@dataclass(frozen=True)
class WorthQuestion(Options):
    """Overrule policies at random, and estimate what each card (stage, sale, chain, ...) that they wanted is worth.

    At randomly chosen decisions, a policy is overruled and makes its next best move instead. The worth of a card is the
    win share (and the points) of the seats whose wish was followed minus that of the seats that were overruled. Chance
    alone decides which seats are overruled, so the difference is causal.
    """

    overrule: float | str = option(
        "Chance that a policy is overruled; or one for each seat.", CHANCE, metavar="CHANCE", read=str, check=_chance,
        example="0.2", label="How often policies are overruled",
    )  # fmt: skip
    by: tuple[str, ...] = option(
        "Split by: age, turn, policy, wonder, side, seat; or wonder,side.", (), metavar="COLUMNS", read=names,
        shown="all wishes together", label="Split by what? (empty: all together)", example="age",
    )  # fmt: skip
    level: float = level_option()
    within: float | None = within_option("every worth that is shown")
    fewest: int = option(
        "Omit items that were followed or overruled fewer than N times.",
        30,
        metavar="N",
        check=at_least(2),
        label="Fewest observations of a row",
    )
