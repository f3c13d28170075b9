"""Format moves and their values as lines of text, with the same wording for why, advice and hints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, Protocol

WIDTH = 80


class Speaker(Protocol):
    """An object that phrases moves in a game's words: a ``wsim.Game`` or a simulator."""

    def phrase(self, move: Mapping[str, Any], /) -> str:
        """Describe a move in a few words."""
        ...

    def payments(self, move: Mapping[str, Any], /) -> dict[str, int]:
        """Return the coins that each recipient gets for a move."""
        ...


def move_text(move: Mapping[str, Any], speaker: Speaker) -> str:
    """Describe a move and its payments in words."""
    payments = ", ".join(f"{coins} to {seller}" for seller, coins in speaker.payments(move).items())
    return speaker.phrase(move) + (f" ({payments})" if payments else "")


def half(low: float | None, high: float | None) -> float:
    """Return half the width of an interval; 0 if there is none."""
    return 0.0 if low is None or high is None else (high - low) / 2


def interval_text(low: float | None, high: float | None, decimals: int) -> str:
    """Return the half-width of an interval as text; empty if there is no interval or it has no width."""
    return "" if low is None or low == high else f" ±{half(low, high):.{decimals}f}"


def value_texts(row: Mapping[str, Any], decimals: int, *, best: bool) -> tuple[str, str, str]:
    """Format a row's win share, score and loss (``wsim.Game.values``), each with its interval's half-width.

    The loss of the ``best`` move and an unknown score are empty strings.
    """
    share = f"{row['win_share']:.{decimals}f}{interval_text(row['low'], row['high'], decimals)}"
    ends = row["score_low"], row["score_high"]
    score = "" if row["score"] is None else f"{row['score']:.1f}{interval_text(*ends, 1)}"
    loss = f"{row['loss']:.{decimals}f}{interval_text(row['loss_low'], row['loss_high'], decimals)}"
    return share, score, "" if best else loss


def worth(row: Mapping[str, Any]) -> str:
    """Format a row's win share and score (``wsim.Game.values``), each with its interval's half-width."""
    share, score, _ = value_texts(row, 3, best=False)
    return f"win {share}  score {score}" if score else f"win {share}"


def ranked_lines(rows: Sequence[Mapping[str, Any]], speaker: Speaker, numbers: Sequence[int]) -> list[str]:
    """Format the rows of ``wsim.Game.values`` as a numbered list, at most 80 columns wide."""
    heads, width = [], 12 if any(row["score"] is not None for row in rows) else 0
    for index, (number, row) in enumerate(zip(numbers, rows, strict=True)):
        share, score, loss = value_texts(row, 3, best=index == 0)
        heads.append(f"{number:>4}  {share:<14}{score:<{width}}{loss:<15}")
    lines = [f"{'':>4}  {'win share':<14}{'score' if width else '':<{width}}{'less by':<15}move"]
    for head, row in zip(heads, rows, strict=True):
        lines += wrap(
            move_text(row["move"], speaker), WIDTH, initial_indent=head, subsequent_indent=" " * (len(head) + 2)
        )
    return lines
