"""The conclusion of a search for a patch in words: what changes, and whether it meets the targets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from wsim.balance.cells import target_columns
from wsim.display import interval_of, written
from wsim.document import Column, Conclusion
from wsim.questions.metrics import words_of
from wsim.spec.values import changes_in_words

MAX_NAMED = 3
"""Maximum number of changes and targets that a sentence names."""


def conclusion_of(record: Mapping[str, Any]) -> Conclusion:
    """Return the conclusion of a recorded search: the changes of a proven patch in words, and what they achieve."""
    targets, changes = record["targets"], record["changes"]
    figures = "; ".join(
        _target(row, target_columns(targets)) for row in targets[:MAX_NAMED] if row["after"] is not None
    )
    detail = f"{figures[:1].upper()}{figures[1:]}." if figures else ""
    if not record["proven"] or not changes:
        return Conclusion(f"{headline_of(record)}.", detail, bool(record["proven"]))
    old, new = ({row["path"]: str(row[key]) for row in changes} for key in ("old", "new"))
    met = f"meets {_all(targets)}" if len(changes) == 1 else f"together meet {_all(targets)}"
    proof = record["proofs"][-1]
    deals = f"Proven on {_range(proof['deals'].values())} fresh deals a setting (error rate {proof['alpha']:g})."
    headline = f"Proven: {_listed(changes_in_words(old, new))} {met}."
    return Conclusion(headline, f"{detail} {deals}".strip(), clear=True)


def _target(row: Mapping[str, Any], columns: Sequence[Column]) -> str:
    """Describe a target: ``win share of Rhodos B 35.1% before, 27.7% (...) after, accepted 20.0% to 30.0%``."""
    by_name = {column.name: column for column in columns}
    metric = {"win": "win share", "score": "score"}.get(row["metric"], words_of(row["metric"]).replace("_", " "))
    name = f"{metric} of {row['of']}" if row["of"] else metric
    before, after, low, high = (written(by_name[key], row[key]) for key in ("before", "after", "low", "high"))
    interval = interval_of(by_name["after"], row)
    after += f" (95% interval {interval})" if interval else ""
    accepted = f"{low} to {high}" if low and high else f"from {low}" if low else f"up to {high}"
    return f"{name} {before} before, {after} after, accepted {accepted}"


def _listed(words: Sequence[str]) -> str:
    named = list(words[:MAX_NAMED])
    more = len(words) - MAX_NAMED
    named += [f"{more} more change{'' if more == 1 else 's'}"] if more > 0 else []
    return " and ".join(filter(None, ["; ".join(named[:-1]), named[-1]]))


def _all(targets: Collection[object]) -> str:
    return f"all {len(targets)} targets" if len(targets) > 1 else "the target"


def headline_of(record: Mapping[str, Any]) -> str:
    """Summarise a recorded result in one sentence, without a full stop."""
    patch, targets, binding = record["patch"], record["targets"], record["binding"]
    changed = f"{len(patch)} changed value{'' if len(patch) == 1 else 's'}"
    if record["stopped"] == "interrupted":
        return f"Interrupted: the best patch so far has {changed}; nothing is proven"
    if record["proven"]:
        proof = record["proofs"][-1]
        verb = "meets" if len(patch) == 1 else "meet"
        met = f"{verb} {_all(targets)}"
        if not patch:
            met = f"meets {'all targets' if len(targets) > 1 else 'the target'} as it is"
        result = f"{changed} {met}" if patch else f"no change is needed, the game {met}"
        return (
            f"Proven: {result}, on {_range(proof['deals'].values())} fresh deals a setting "
            f"(error rate {proof['alpha']:g} of this attempt, number {proof['attempt']})"
        )
    named = "; ".join(binding[:MAX_NAMED])
    more = len(binding) - MAX_NAMED
    near = f"all targets are proven within {record['proven_within']:.3g} times the accepted range"
    verb = "target is" if len(binding) == 1 else "targets are"
    return f"Not proven: with {changed}, the binding {verb} {named}{f'; and {more} more' if more > 0 else ''}; {near}"


def _range(numbers: Collection[int]) -> str:
    lowest, highest = min(numbers), max(numbers)
    return f"{lowest:,}" if lowest == highest else f"{lowest:,} to {highest:,}"
