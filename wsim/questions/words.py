"""Metrics and effects in words: ``Palace built 7.1 percentage points less often (95% interval 5.6 to 8.6)``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from wsim.display import number, number_range
from wsim.document import SHARE
from wsim.positions.character import PREFIX
from wsim.questions.metrics import WANTED, WORTHS, kind_of_metric, words_of
from wsim.stats.columns import POINTS_OF

OFTEN, MUCH, HIGH = ("more often", "less often"), ("more", "less"), ("higher", "lower")


@dataclass(frozen=True)
class Words:
    """A metric in words.

    Attributes
    ----------
    noun: the metric as a noun phrase: ``how often Palace is built``.
    before: the words before an effect: ``Palace built``.
    after: the words after a positive effect, and after a negative one.
    share: whether effects are written in percentage points. unit: the unit otherwise.
    """

    noun: str
    before: str
    after: tuple[str, str]
    share: bool
    unit: str = ""

    def effect(self, value: float, low: float | None, high: float | None, level: float, about: str = "") -> str:
        """Describe an effect with its interval in a phrase.

        ``about``: a name that the sentence already contains, such as the changed card.
        """
        before = self.before.removeprefix(f"{about} ") if about else self.before
        return f"{before} {self.amount(value)} {self.after[value < 0]}{self.interval(low, high, level, value)}"

    def amount(self, value: float) -> str:
        """Format the size of an effect with its unit, without the sign."""
        size = abs(100 * value if self.share else value)
        figure = number(size, 1 if size >= (1 if self.share else 10) else 2)
        return f"{figure} percentage points" if self.share else f"{figure} {self.unit}".rstrip()

    def so_far(self, value: float, low: float, high: float, level: float, about: str = "") -> str:
        """Describe what is known about an effect while games are being played; unknown ends are infinite or NaN."""
        if not (math.isfinite(low) and math.isfinite(high)):
            return f"too few games for an interval of {self.noun}"
        if low > 0 or high < 0:
            return self.effect(value, low, high, level, about)
        unit = "percentage points" if self.share else self.unit
        known = self.interval(low, high, level).replace(")", f" {unit})" if unit else ")")
        return f"nothing clear about {self.noun}: the effect may be of either sign{known}"

    def interval(self, low: float | None, high: float | None, level: float, value: float = 0.0) -> str:
        """Return `` (95% interval 5.6 to 8.6)``, without signs if both ends have the effect's; empty if unknown."""
        if low is None or high is None:
            return ""
        scale = 100 if self.share else 1
        same = value != 0 and low * value > 0 and high * value > 0
        ends = sorted(map(abs, (low, high))) if same else [low, high]
        size = max(map(abs, ends)) * scale
        decimals = 1 if size >= (1 if self.share else 10) else 2
        return f" ({100 * level:g}% interval {number_range(ends[0] * scale, ends[1] * scale, decimals, sign=not same)})"


def metric_in_words(name: str, owned: Mapping[str, str]) -> Words:
    """Put a metric, as written, in words.

    ``owned``: the prefixes of the columns of owned items, each with the noun for an item (``wsim.game.Game.OWNED``).
    """
    kind, unit = kind_of_metric(name)
    head, _, rest = name.partition(":")
    share, unit = kind is SHARE, "points" if unit == "points" else ""
    for prefix, noun in owned.items():
        if name.startswith(prefix):
            item = name.removeprefix(prefix)
            item = f"{noun} {item}" if item.isdecimal() else item
            verb = prefix.rstrip(":_").partition("_")[0]
            verb = "owned" if verb == noun else verb
            return Words(f"how often {item} is {verb}", f"{item} {verb}", OFTEN, share=True)
    if head in WORTHS:
        noun = f"what {rest} is worth to the seats that want it"
        after = ("more to the seats that want it", "less to the seats that want it")
        return Words(noun, f"{rest} worth", after, share, unit)
    if head == WANTED:
        return Words(f"how often {rest} is wanted", f"{rest} wanted", OFTEN, share=True)
    if head == "owner":
        return Words(f"how often seats with {rest} win", f"owners of {rest} win", OFTEN, share=True)
    if head == "winner":
        return Words(f"how often a winner has {rest}", f"a winner has {rest}", OFTEN, share=True)
    if name.startswith(PREFIX):
        figure = rest.replace("_", " ")
        return Words(figure, figure, HIGH, share, unit)
    if head in ("win", "win_share"):
        return Words(f"how often {rest or 'the seat'} wins", f"{rest or 'it'} wins", OFTEN, share=True)
    if head in ("score", "total"):
        before = f"{rest} scores" if rest else "seats score"
        return Words(f"the score of {rest or 'a seat'}", before, MUCH, share=False, unit="points")
    words = words_of(head)
    words = f"points of {words.removeprefix(POINTS_OF)}" if words.startswith(POINTS_OF) else words
    words = words.replace("_", " ") + (f" of {rest}" if rest else "")
    return Words(words, words, HIGH, share, "points" if head.startswith(POINTS_OF) else unit)
