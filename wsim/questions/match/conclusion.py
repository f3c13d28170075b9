"""The conclusion of a match in words: which policy wins more often."""

from __future__ import annotations

from typing import Any

from wsim.document import DECIDED, Conclusion
from wsim.lab.answer import Stored
from wsim.questions.largest import Largest, Row
from wsim.questions.words import Words


def conclusion_of(stored: Stored) -> Conclusion:
    """Return the conclusion of a stored match."""
    rows = stored.main.to_dicts()
    level = 1 - float(stored.record["question"].get("alpha", 0.05))
    tables = len({_table(row) for row in rows})

    def words(row: Row) -> Words:
        first, second = (str(row[name]) for name in ("policy", "other"))
        if row["difference"] < 0:
            first, second = second, first
        where = f" in {_table(row)}" if tables > 1 else ""
        return Words("", f"{first} wins", (f"more often than {second}{where}",) * 2, share=True)

    pairs = Largest("difference", level, words, lambda row: row.get("verdict") in DECIDED)
    found = pairs.conclusion(rows, "No clear difference between the policies.", "pairs")
    if (best := _best(rows, tables)) is None:
        return found
    return Conclusion(f"{best} wins clearly more often than every other policy.", found.headline, clear=True)


def _best(rows: list[dict[str, Any]], tables: int) -> str | None:
    """Return the policy that wins clearly more often than each of two or more others at every table, or None."""
    names = {str(row[name]) for row in rows for name in ("policy", "other")}
    won = [str(row["policy" if row["verdict"] == "higher" else "other"]) for row in rows if row["verdict"] in DECIDED]
    needed = tables * (len(names) - 1)
    return next((name for name in sorted(names) if len(names) > 2 and won.count(name) == needed), None)


def _table(row: Row) -> str:
    return f"{row['ruleset']}, {row['players']} players"
