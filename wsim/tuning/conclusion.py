"""The conclusion of tuning in words: at how many tables the policy wins more often, or less often, than before."""

from __future__ import annotations

from wsim.document import DECIDED, Conclusion
from wsim.lab.answer import Stored
from wsim.questions.largest import Largest, Row
from wsim.questions.words import Words

LEVEL = 0.95
"""Confidence level of the intervals of an evaluated search."""


def conclusion_of(stored: Stored) -> Conclusion:
    """Return the conclusion of a stored search; held-out tables count as much as the tables of the search."""
    rows, start = stored.main.to_dicts(), str(stored.record["start"])
    rules = len({(row["ruleset"], row["players"]) for row in rows}) > 1

    def words(row: Row) -> Words:
        where = f", {row['ruleset']}, {row['players']} players" if rules else ""
        against = f"than before against {row['opponents']}{where} ({row['met']})"
        return Words("", f"{start} as tuned wins", (f"more often {against}", f"less often {against}"), share=True)

    changes = Largest("difference", LEVEL, words, lambda row: row["verdict"] in DECIDED)
    more, less = ([row for row in rows if row["verdict"] == verdict] for verdict in DECIDED)
    if len(rows) == 1 or not (more or less):
        none = f"Tuning did not clearly change how often {start} wins."
        return changes.conclusion(rows, none, "tables")
    of = f"all {len(rows)}" if len(more) == len(rows) else f"{len(more or less)} of {len(rows)}"
    headline = f"{start} as tuned wins clearly {'more' if more else 'less'} often than before at {of} tables"
    but = f", and less often at {len(less)}" if more and less else ""
    largest = [max(those, key=lambda row: abs(row["difference"])) for those in (more, less) if those]
    said = "; ".join(changes.sentence(row) for row in largest)
    return Conclusion(f"{headline}{but}.", f"Largest change: {said}.", clear=True)
