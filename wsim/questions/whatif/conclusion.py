"""The conclusion of a what-if in words: the change, and its effect on the metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsim.document import DECIDED, Conclusion
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.answer import Stored
from wsim.lab.plan import Plan
from wsim.lab.repetition import counted
from wsim.questions.largest import MOST_NAMED
from wsim.questions.words import Words, metric_in_words
from wsim.spec.catalogues import Source, catalogues_of
from wsim.spec.values import changes_in_words, name_in_words, values_of

if TYPE_CHECKING:
    from wsim.questions.trial import Sentence
    from wsim.questions.variants import Variant

MOST_CHANGES = 2
"""Maximum number of changed values to name; a patch with more changes is referred to by its file name."""
RESTRICTED = "A seat with"
NO_VERDICT = "no verdict on {}, because the change itself selects its seats"


def metric_of(stored: Stored) -> Words:
    """Describe the metric of a stored answer."""
    game = stored.game()
    return metric_in_words(str(stored.record["question"]["metric"]), {} if game is None else find_game(game).OWNED)


def conclusion_of(stored: Stored) -> Conclusion:
    """Return the conclusion of a stored answer."""
    record = stored.record
    words = metric_of(stored)
    level, deals = 1 - float(record["question"].get("alpha", 0.05)), f"{record['deals']:,} common deals"
    rows = [row for row in stored.main.to_dicts() if row.get("n_baseline", 0) is not None]  # except the baseline's
    changes = changes_of(stored, [str(row["variant"]) for row in rows])
    clear = [row for row in rows if row["verdict"] in DECIDED]
    if len(rows) == 1:
        (row,), (change,) = rows, changes.values()
        pairs = f"On {deals}, with the change and without it."
        return Conclusion(f"{change}: {_effect(words, row, level, change)}.", pairs, bool(clear))
    named = [(changes[str(row["variant"])], row) for row in _largest(clear or rows)]
    said = [f"{change}: {_effect(words, row, level, change)}" for change, row in named]
    more = len(clear or rows) - len(said)
    detail = f"{'; '.join(said)}{f'; {more} more' if more else ''}. On {deals}."
    if clear:
        verb = "changes" if len(clear) == 1 else "change"
        headline = f"{len(clear)} of {counted(len(rows), 'change')} clearly {verb} {words.noun}."
        if sweep := _sweep(rows):
            headline = f"{sweep}: {len(clear)} of {counted(len(rows), 'value')} clearly {verb} {words.noun}."
        return Conclusion(headline, detail, clear=True)
    if any(row["verdict"] is None for row in rows):
        return Conclusion(f"{NO_VERDICT.format(words.noun).capitalize()}.", detail, clear=False)
    return Conclusion(f"None of {counted(len(rows), 'change')} clearly changes {words.noun}.", detail, clear=False)


def _effect(words: Words, row: Mapping[str, Any], level: float, change: str = "") -> str:
    """Describe a variant's effect on the metric in a phrase."""
    low, high, effect = row["effect_low"], row["effect_high"], row["effect"] or 0.0
    if row["verdict"] in DECIDED:
        sentence = words.effect(effect, low, high, level, change.partition(", ")[0])
        return sentence.replace("seats score", "it scores") if change.startswith(RESTRICTED) else sentence
    if row["verdict"] is None:
        return NO_VERDICT.format(words.noun)
    if row["verdict"] == "identical":
        return f"no effect on {words.noun}, in any deal"
    kind = "practically no" if row["verdict"] == "equivalent" else "no clear"
    unit = "percentage points" if words.share else words.unit
    interval = words.interval(low, high, level).replace(")", f" {unit})" if unit else ")")
    return f"{kind} effect on {words.noun}{interval}"


def _largest(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(rows, key=lambda row: -abs(row["effect"] or 0))[:MOST_NAMED]


def _sweep(rows: Sequence[Mapping[str, Any]]) -> str:
    """Name the value that a sweep varies; return an empty string if the variants are not a sweep."""
    if any(row.get("value") is None for row in rows):
        return ""
    return name_in_words(str(rows[0]["variant"]).partition("=")[0])


def changes_of(stored: Stored, names: Sequence[str]) -> dict[str, str]:
    """Describe what each variant changes, by variant name."""
    variants = {str(variant["variant"]): variant for variant in stored.record.get("variants", ())}
    words = dict.fromkeys(names, "")
    try:
        before = _values(Plan.restore(stored.record["baseline"]["plan"], stored.paths))
        for name in names:
            plans = variants.get(name, {}).get("plans", ())
            if len(plans) == 1 and variants[name].get("seats") is None and before:
                changed = changes_in_words(before, _values(Plan.restore(plans[0], stored.paths)))
                words[name] = "; ".join(changed) if 0 < len(changed) <= MOST_CHANGES else ""
    except (UserError, OSError, KeyError, TypeError, ValueError):  # a patch file that no longer exists
        pass
    return {name: found or _from_name(name) for name, found in words.items()}


def sentence_of(variant: Variant, words: Words, level: float) -> Sentence:
    """Return a function that describes the effect of a variant while it is still being played."""
    change = _from_name(variant.name)

    def said(value: float, low: float, high: float) -> str:
        return f"{change}: {words.so_far(value, low, high, level, change.partition(', ')[0])}"

    return said


def _from_name(name: str) -> str:
    """Put a variant's name in words: ``cards.Palace.points=5`` becomes ``Palace, points 5``."""
    if name.startswith("no "):
        return f"{RESTRICTED} {name}"
    path, equals, value = name.partition("=")
    return f"{name_in_words(path)} {value.strip()}" if equals and "," not in path else name


def _values(plan: Plan) -> Mapping[str, str]:
    """Return the catalogue values of a plan; empty for a game without a catalogue."""
    catalogues = catalogues_of(find_game(plan.game))
    if catalogues is None:
        return {}
    cards, patches = plan.card_files
    return values_of(catalogues.page(Source(plan.ruleset, cards, patches, plan.set), None).record)
