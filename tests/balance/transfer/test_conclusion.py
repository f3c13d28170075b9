"""The sentence on whether a patch transfers ignores the measurements for which the patch was made."""

from __future__ import annotations

from typing import Any

import pytest

from wsim.balance.transfer.answer import TransferAnswer
from wsim.document import Conclusion
from wsim.lab.answer import Stored


def _row(policies: str, before: float, after: float, *, targeted: bool = False) -> dict[str, Any]:
    return {
        "setting": "four", "policies": policies, "targeted": targeted, "spread_before": before, "spread_after": after,
        "error": 0.003,
    }  # fmt: skip


OWN = _row("balanced", 0.08, 0.01, targeted=True)
SAID = "Typical deviation from the middle of the accepted range:"


@pytest.mark.parametrize(
    ("others", "headline", "clear"),
    [
        (
            [_row("net", 0.081, 0.032), _row("science", 0.05, 0.09), _row("greedy", 0.04, 0.039)],
            "The patch carries over to 1 of 3 other players and tables; at 1 it moves the targets away.",
            True,
        ),
        ([_row("net", 0.081, 0.032)], "The patch carries over to net at four.", True),
        (
            [_row("science", 0.05, 0.09)],
            "The patch does not carry over to science at four: it moves the targets away.",
            True,
        ),
        ([_row("net", 0.081, 0.074)], "The patch changes little for net at four.", False),
        (
            [_row("net", 0.081, 0.074), _row("greedy", 0.04, 0.039)],
            "The patch changes little for 2 other players and tables.",
            False,
        ),
    ],
)
def test_the_conclusion_counts_players_by_the_effect_of_the_patch(
    others: list[dict[str, Any]], headline: str, clear: bool
) -> None:
    found = Stored(TransferAnswer, None, {"carried": [OWN, *others], "responses": None}).conclusion()
    assert found is not None
    assert (found.headline, found.clear) == (headline, clear)
    largest = max(others, key=lambda row: abs(row["spread_after"] - row["spread_before"]))
    before, after = (f"{largest[name]:.3f}" for name in ("spread_before", "spread_after"))
    assert found.detail.startswith(f"{SAID} {largest['policies']} at four {before} to {after}")


def test_no_transfer_is_claimed_without_other_players() -> None:
    found = Stored(TransferAnswer, None, {"carried": [OWN], "responses": None}).conclusion()
    said = f"{SAID} balanced at four 0.080 to 0.010."
    assert found == Conclusion("The patch was measured with its own players only.", said, clear=False)
