"""The question of what things are worth to the seats that want them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wsim.errors import UserError
from wsim.options import Options, at_least, level_option, names, option, within_option
from wsim.policies.chances import CHANCE


def _chance(_name: str, value: Any) -> Any:
    """Refuse what leaves nobody to compare with; chances by seat are left to the game."""
    try:
        given = [float(text) for text in str(value).split(",")]
    except ValueError:
        return value
    if not any(0 < text < 1 for text in given):
        raise UserError(f"the chance that a policy is overruled must lie between 0 and 1, not {value}")
    return value


@dataclass(frozen=True)
class WorthQuestion(Options):
    """Estimate what each card (stage, sale, chain, ...) is worth to the seat that wants it.

    At random decisions a policy may not have what it wants, and does the next best thing instead. The worth of a card
    is the difference of the two: the win share (and the points) of the seats that were followed minus those of the
    seats that were overruled. Chance alone decides which is which, so the difference is causal.
    """

    overrule: float | str = option(
        "Chance that a policy is overruled; or one for each seat.", CHANCE, metavar="CHANCE", read=str, check=_chance,
        example="0.2",
    )  # fmt: skip
    by: tuple[str, ...] = option(
        "Split by: age, turn, policy, wonder, side, seat; or wonder,side.", (), metavar="COLUMNS", read=names,
        shown="all wishes together", label="Split by what? (empty: all together)", example="age",
    )  # fmt: skip
    level: float = level_option()
    within: float | None = within_option("every worth that is shown")
    fewest: int = option(
        "Omit things that were followed or overruled fewer than N times.", 30, metavar="N", check=at_least(2)
    )
