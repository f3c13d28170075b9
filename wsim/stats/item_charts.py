"""Charts of the items that seats want or have: cards, discs, wonders."""

from __future__ import annotations

from collections.abc import Sequence

from wsim.document import Chart

FILLED = "Filled marks differ clearly from the line, also for other good players where that is known."


def item_charts(figure: str, share: str, noun: str, groups: Sequence[str], facts: Sequence[str]) -> tuple[Chart, Chart]:
    """Return two charts of a figure: one against how often items are owned or wanted, one sorted by their ``facts``."""
    titles = {
        "worth": "What each {} is worth",
        "win_difference": "Win share of the owners of each {} minus the others'",
    }
    words, by = titles[figure].format(noun), tuple(reversed(facts))
    sorted_by = f", by {' and '.join(fact.replace('color', 'colour') for fact in by)}" if by else ""
    over = "how often it is wanted" if share == "wanted" else share.replace("_", " ")
    return (
        Chart("scatter", (figure, share), (noun, *groups), f"{words}, against {over}", by=by, judged=figure == "worth"),
        Chart(
            "forest",
            (figure,),
            (noun, *groups),
            f"{words}{sorted_by}, with intervals",
            by=by,
            judged=figure == "worth",
            caption=FILLED if figure == "worth" else "",
        ),
    )
