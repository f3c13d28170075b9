"""The conclusion of a transfer in words: the number of other players and tables with which deviations shrink."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wsim.display import number
from wsim.document import Conclusion
from wsim.lab.answer import Stored
from wsim.questions.largest import MOST_NAMED, Row

CLEAR = 1.96 * math.sqrt(2)
"""Number of standard errors of a single target by which the typical deviation must change: the number for a difference
between two figures.

The deviation is a mean over targets, and therefore known better than any single target, but the targets of a table are
not independent.
"""


def conclusion_of(stored: Stored) -> Conclusion:
    """Return the conclusion of a stored transfer, ignoring the settings that the patch was made for."""
    rows = stored.main.to_dicts()
    others = [row for row in rows if not row["targeted"]]
    if not others:
        return Conclusion("The patch was measured with its own players only.", _sentence(rows), clear=False)
    closer = [row for row in others if _change(row) < -CLEAR * row["error"]]
    farther = [row for row in others if _change(row) > CLEAR * row["error"]]
    of = f"{others[0]['policies']} at {others[0]['setting']}"
    if len(others) > 1:
        of = f"{len(closer) or 'none'} of {len(others)} other players and tables"
    moved = "it moves the targets away" if len(others) == 1 else f"at {len(farther)} it moves the targets away"
    if closer or (len(others) > 1 and farther):
        headline = f"The patch carries over to {of}{f'; {moved}' if farther else ''}."
    elif farther:
        headline = f"The patch does not carry over to {of}: {moved}."
    else:
        headline = f"The patch changes little for {of.removeprefix('none of ')}."
    largest = sorted(others, key=lambda row: -abs(_change(row)))[:MOST_NAMED]
    return Conclusion(headline, _sentence(largest), clear=bool(closer or farther))


def _change(row: Row) -> float:
    return float(row["spread_after"] - row["spread_before"])


def _sentence(rows: Sequence[Row]) -> str:
    """Describe the typical deviation in each row, before and after the patch."""
    said = (
        f"{row['policies']} at {row['setting']} {number(row['spread_before'], 3)} to {number(row['spread_after'], 3)}"
        for row in rows
    )
    return f"Typical deviation from the middle of the accepted range: {'; '.join(said)}."
