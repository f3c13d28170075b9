"""The conclusion of a search names the changes and what they achieve, for records written by hand."""

from __future__ import annotations

from typing import Any

from wsim.balance.conclusion import conclusion_of

TARGET = {
    "setting": "4 players, balanced", "of": "Rhodos B", "metric": "win", "low": 0.2, "high": 0.3, "before": 0.351,
    "before_low": 0.32, "before_high": 0.38, "after": 0.277, "after_low": 0.266, "after_high": 0.289, "proven": True,
}  # fmt: skip
PROOF = {"attempt": 2, "alpha": 0.025, "deals": {"4 players, balanced": 20000}}


def search(**keys: Any) -> dict[str, Any]:
    change = {"path": "cards.Palace.points", "old": 8, "new": 6}
    return {
        "stopped": "proven", "proven": True, "patch": {"cards.Palace.points": 6}, "changes": [change],
        "targets": [TARGET], "proofs": [PROOF], "binding": [], "proven_within": 0.8, **keys,
    }  # fmt: skip


def test_a_proven_patch_is_named_with_what_it_achieves() -> None:
    found = conclusion_of(search())
    assert found.headline == "Proven: Palace, points 8 to 6 meets the target."
    assert found.detail == (
        "Win share of Rhodos B 35.1% before, 27.7% (95% interval 26.6 to 28.9) after, accepted 20.0% to 30.0%. "
        "Proven on 20,000 fresh deals a setting (error rate 0.025)."
    )
    assert found.clear


def test_several_changes_and_targets_are_counted() -> None:
    changes = [{"path": f"cards.Palace.cost.{name}", "old": 1, "new": 0} for name in ("clay", "ore", "wood", "glass")]
    found = conclusion_of(search(changes=changes, targets=[TARGET, {**TARGET, "of": "", "high": None}]))
    assert found.headline == (
        "Proven: Palace, cost clay 1 to 0; Palace, cost ore 1 to 0; Palace, cost wood 1 to 0 and 1 more change "
        "together meet all 2 targets."
    )
    assert "; win share 35.1% before, 27.7% (95% interval 26.6 to 28.9) after, accepted from 20.0%." in found.detail


def test_an_unproven_patch_keeps_its_limiting_targets() -> None:
    found = conclusion_of(search(proven=False, stopped="unproven", binding=["win of Rhodos B"]))
    assert found.headline.startswith("Not proven: with 1 changed value, the binding target is win of Rhodos B")
    assert not found.clear
    interrupted = conclusion_of(search(proven=False, stopped="interrupted", targets=[{**TARGET, "after": None}]))
    assert interrupted.headline.startswith("Interrupted")
    assert interrupted.detail == ""
