"""The output of a search: a weight set, or a plan for a policy with parameters; a header records its origin."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.files import write_text
from wsim.policies.lineup import parse_entry
from wsim.tuning.question import HELD_OUT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.policies.lineup import Entry
    from wsim.policies.numbers import Number
    from wsim.tuning.generations import History

WEIGHTS, PLAN = "weights.toml", "plan.toml"
WIDTH = 118


def write_set(
    folder: Path, name: str, numbers: Sequence[Number], values: NDArray[np.float64], head: Sequence[str]
) -> Path:
    """Write a weight set that ``weighted:file=`` plays; return its path."""
    lines = [f"[{name}]"]
    first = 0
    for number in numbers:
        parts = [float(value) for value in values[first : first + len(number.values)]]
        first += len(number.values)
        if any(parts):
            lines.append(f"{number.name} = {parts[0] if len(parts) == 1 else parts}")
    path = folder / WEIGHTS
    write_text(path, "\n".join([*_comments(head), *lines, ""]))
    return path


def write_plan(folder: Path, plan: Plan, entry: Entry, head: Sequence[str]) -> Path:
    """Write a plan in which the tuned policy plays against the field; return its path."""
    tuned = plan.replace(policies=(str(entry), *plan.policies[1:]), games=10_000)
    names = {name: plan.files.get(name, name) for name in tuned.named_files("cards", "patch", "policies")}
    placed = replace(tuned, files={name: os.path.relpath(file, folder) for name, file in names.items()})
    path = folder / PLAN
    write_text(path, "\n".join([*_comments(head), placed.to_toml()]))
    return path


def head_of(history: History, games: int, judged: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the header lines, which state how the result was produced and evaluated."""
    question = history.question
    candidates = len(history.generations[-1].values)
    searched = (
        f"Searched with {history.software['wsim']} of wsim and {history.software['cmaes']} of cmaes: "
        f"{len(history.generations)} generations of {candidates} candidates, {games:,} games of the seed "
        f"{history.plan['seed']}; {len(history.moved)} numbers moved, the others change nothing there or were not "
        f"asked for. Rules: {', '.join(dict.fromkeys(_rules(table) for table in history.identity['tables']))}."
    )
    judging = (
        f"Judged on {question['held_out']:,} deals a table that the search never saw (their seed is "
        f"{int(history.plan['seed']) ^ HELD_OUT}); what it began with played the same deals. Win share of one against:"
    )
    return [f"Made by: {history.command}", searched, judging, *(f"  {_row(row)}" for row in judged)]


def _rules(table: Mapping[str, Any]) -> str:
    rules = table["rules"]
    digest = rules.get("catalogue_digest")
    return f"{table['plan']['ruleset']}, {table['plan']['players']} players" + (f" (cards {digest})" if digest else "")


def _row(row: Mapping[str, Any]) -> str:
    reach = (row["win_share_high"] - row["win_share_low"]) / 2
    change = (row["difference_high"] - row["difference_low"]) / 2
    return (
        f"{row['opponents']} ({row['ruleset']}, {row['players']} players, {row['met']}): {row['win_share']:.3f} "
        f"±{reach:.3f}, before {row['start']:.3f}: {row['difference']:+.3f} ±{change:.3f}, {row['verdict']}"
    )


def _comments(lines: Sequence[str]) -> list[str]:
    """Return lines as TOML comments, with long lines wrapped."""
    made = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        wrapped = textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        made += [f"# {part}".rstrip() for part in wrapped or [""]]
    return [*made, ""]


def playable(path: Path, entry: Entry) -> str:
    """Return the line-up entry that plays the result."""
    return str(parse_entry(f"weighted:file={path}")) if path.name == WEIGHTS else str(entry)
