"""Answers in words: metrics, effects with their intervals, changes, and the largest of many rows."""

from __future__ import annotations

import math

import pytest

from wsim.display import MINUS
from wsim.document import Conclusion
from wsim.questions.largest import Largest
from wsim.questions.variants import Variant
from wsim.questions.whatif.conclusion import sentence_of
from wsim.questions.words import Words, metric_in_words
from wsim.spec.values import changes_in_words

UNCLEAR = "nothing clear about how often Palace is built: the effect may be of either sign"
OWNED = {"built:": "card", "disc:": "disc", "won:": "wonder", "won_row:": "row"}


@pytest.mark.parametrize(
    ("metric", "effect", "said"),
    [
        ("built:Palace", -0.0714, "Palace built 7.1 percentage points less often"),
        ("disc:Crane 3", 0.004, "Crane 3 owned 0.40 percentage points more often"),
        ("won_row:2", 0.02, "row 2 won 2.0 percentage points more often"),
        ("score", 0.684, "seats score 0.68 points more"),
        ("score:Gizah", -12.34, "Gizah scores 12.3 points less"),
        ("win:Gizah", 0.05, "Gizah wins 5.0 percentage points more often"),
        ("worth:Palace", -0.03, "Palace worth 3.0 percentage points less to the seats that want it"),
        ("points_science", 0.5, "points of science 0.50 points higher"),
        ("character:lead_changes", -0.58, "lead changes 0.58 lower"),
    ],
)
def test_an_effect_is_described_in_words(metric: str, effect: float, said: str) -> None:
    assert metric_in_words(metric, OWNED).effect(effect, None, None, 0.95) == said


def test_an_interval_has_signs_only_if_its_ends_differ_in_sign() -> None:
    words = metric_in_words("built:Palace", OWNED)
    clear = "built 7.1 percentage points less often (95% interval 5.6 to 8.6)"
    assert words.effect(-0.071, -0.086, -0.056, 0.95, about="Palace") == clear
    assert words.interval(-0.004, 0.003, 0.9) == f" (90% interval {MINUS}0.40 to +0.30)"


def test_changed_new_and_removed_values_are_distinguished() -> None:
    before = {"cards.Palace.points": "8", "cards.Palace.age": "3", "table.rows": '"[1, 2]"'}
    after = {"cards.Palace.points": "5", "cards.Palace.coins": "2", "table.rows": '"[1, 3]"'}
    said = ["Palace, points 8 to 5", "Palace, age removed", "table rows [1, 2] to [1, 3]", "Palace, coins 2 (new)"]
    assert changes_in_words(before, after) == said


@pytest.mark.parametrize(
    ("effect", "said"),
    [
        ((-0.07, -0.086, -0.056), "built 7.0 percentage points less often (95% interval 5.6 to 8.6)"),
        (
            (0.001, -0.004, 0.006),
            f"{UNCLEAR} (95% interval {MINUS}0.40 to +0.60 percentage points)",
        ),
        ((0.001, -math.inf, math.inf), "too few games for an interval of how often Palace is built"),
        ((0.001, math.nan, math.nan), "too few games for an interval of how often Palace is built"),
    ],
)
def test_interim_results_are_described_in_one_sentence(effect: tuple[float, float, float], said: str) -> None:
    assert metric_in_words("built:Palace", OWNED).so_far(*effect, 0.95, about="Palace") == said


def test_a_sentence_starts_with_the_change_being_played() -> None:
    variant = Variant("cards.Palace.points=5", None, (), ())
    said = sentence_of(variant, metric_in_words("built:Palace", OWNED), 0.95)
    clear = "Palace, points 5: built 7.0 percentage points less often (95% interval 5.6 to 8.6)"
    assert said(-0.07, -0.086, -0.056) == clear


def _row(name: str, gain: float, half: float) -> dict[str, object]:
    return {"name": name, "gain": gain, "gain_low": gain - half, "gain_high": gain + half}


def test_the_headline_is_the_largest_clear_row() -> None:
    table = Largest(
        "gain", 0.95, lambda row: Words("", f"{row['name']} gains", ("more", "less"), share=False, unit="points"),
        lambda row: row["gain_low"] * row["gain_high"] > 0,
    )  # fmt: skip
    rows = [_row("a", 1.0, 0.5), _row("b", -2.0, 0.5), _row("c", 3.0, 4.0)]
    assert table.conclusion(rows, "Nothing.", "gains") == Conclusion(
        "B gains 2.00 points less (95% interval 1.50 to 2.50).",
        "2 of 3 gains are clear. The next largest: a gains 1.00 points more (95% interval 0.50 to 1.50).",
        clear=True,
    )
    unclear = table.conclusion(rows[2:], "Nothing.", "gains")
    assert (unclear.headline, unclear.clear) == ("Nothing.", False)
    assert unclear.detail == f"Largest estimate: c gains 3.00 points more (95% interval {MINUS}1.00 to +7.00)."
