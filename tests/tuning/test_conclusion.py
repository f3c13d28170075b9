"""The result of tuning in words: all tables count, including those at which the policy wins less often than before."""

from __future__ import annotations

from typing import Any

import pytest

from wsim.document import Conclusion
from wsim.lab.answer import Stored
from wsim.tuning.answer import TuneAnswer


def _row(opponents: str, met: str, difference: float, verdict: str, **more: Any) -> dict[str, Any]:
    return {
        "ruleset": "1e", "players": 4, "opponents": opponents, "met": met, "difference": difference,
        "difference_low": difference - 0.01, "difference_high": difference + 0.01, "verdict": verdict, **more,
    }  # fmt: skip


BETTER = _row("3 balanced", "tuned against", 0.079, "higher")
WORSE = _row("3 supplier", "held out", -0.128, "lower")
SAME = _row("3 greedy", "held out", 0.004, "unclear")
MORE = "flat as tuned wins 7.9 percentage points more often than before against 3 balanced (tuned against)"
LESS = "flat as tuned wins 12.8 percentage points less often than before against 3 supplier (held out)"


@pytest.mark.parametrize(
    ("rows", "headline", "detail"),
    [
        (
            [BETTER, SAME, WORSE],
            "flat as tuned wins clearly more often than before at 1 of 3 tables, and less often at 1.",
            f"Largest change: {MORE} (95% interval 6.9 to 8.9); {LESS} (95% interval 11.8 to 13.8).",
        ),
        (
            [BETTER, {**BETTER, "players": 3}],
            "flat as tuned wins clearly more often than before at all 2 tables.",
            f"Largest change: {MORE.replace(' (tuned', ', 1e, 4 players (tuned')} (95% interval 6.9 to 8.9).",
        ),
        (
            [SAME, WORSE],
            "flat as tuned wins clearly less often than before at 1 of 2 tables.",
            f"Largest change: {LESS} (95% interval 11.8 to 13.8).",
        ),
        ([BETTER], f"F{MORE[1:]} (95% interval 6.9 to 8.9).", ""),
    ],
)
def test_tables_with_more_and_fewer_wins_are_both_counted(
    rows: list[dict[str, Any]], headline: str, detail: str
) -> None:
    stored = Stored(TuneAnswer, None, {"start": "flat", "judged": rows})
    assert stored.conclusion() == Conclusion(headline, detail, clear=True)


def test_a_search_without_a_clear_change_says_so() -> None:
    found = Stored(TuneAnswer, None, {"start": "flat", "judged": [SAME]}).conclusion()
    assert found is not None
    assert (found.headline, found.clear) == ("Tuning did not clearly change how often flat wins.", False)
    assert found.detail.startswith("Largest estimate: flat as tuned wins 0.40 percentage points more often than before")
