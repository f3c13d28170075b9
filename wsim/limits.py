"""The limits of a game's numbers, and the sentence about a game that breaks one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from wsim.errors import UserError


class Limit(NamedTuple):
    """A limit that guards check while a game is played.

    Attributes
    ----------
    what: the number, as in "seat 2 reached 300 shields". change: what makes it smaller.
    """

    what: str
    change: str


class BrokenLimit(NamedTuple):
    """What a guard noted.

    Attributes
    ----------
    what: the number of the limit, of which the game knows the words. seat: whose number it is, -1 nobody's.
    source: the entry (or formula) that led there, -1 unknown. value, bound: what it came to, and what fits.
    """

    what: int
    seat: int
    source: int
    value: int
    bound: int


FORMULA = 0
"""The place of the limit of formulas in every game's list; the game's own limits follow."""
OF_FORMULAS = Limit("as the result of a formula", "the formula, such as min(99, ...)")


class GameLimitError(UserError):
    """A game in which a number no longer fits, because of its catalogue.

    Attributes
    ----------
    limit: what it is about, such as "the coins".
    """

    def __init__(self, sentence: str, limit: str) -> None:
        super().__init__(sentence, limit)
        self.limit = limit

    def __str__(self) -> str:
        """Return the sentence."""
        return str(self.args[0])


def limit_error_of(limits: Sequence[Limit], broken: BrokenLimit, source: str, where: str) -> GameLimitError:
    """Return the error for a limit that a game broke.

    Parameters
    ----------
    limits: those of the game, by number. source: the card, stage or formula that led there, empty for none.
    where: the game, such as "in game 7".
    """
    limit = limits[broken.what]
    owner = f"seat {broken.seat}" if broken.seat >= 0 else "the table"
    cause = f" with {source}" if source else ""
    most = "most" if broken.value > broken.bound else "least"
    return GameLimitError(
        f"{where}, {owner} reached {broken.value:,} {limit.what}{cause}: at {most} {broken.bound:,} can be played; "
        f"change {limit.change}",
        limit.what,
    )
