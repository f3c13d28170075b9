"""``wsim whatif``: variants against a baseline on common deals, as tables and as a chart of the effects."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from click.exceptions import Exit

from wsim.cli.console import (
    INTERRUPTED,
    Shown,
    print_json,
    print_tables,
    progress_bar,
    remark,
    screen_width,
    write_note,
    write_out,
)
from wsim.cli.exports import Files
from wsim.cli.run_command import announce_compiling
from wsim.experiments.answer import EFFECT, WhatIf, check_target
from wsim.experiments.question import Change, Question
from wsim.experiments.whatif import compare
from wsim.game import find_game
from wsim.lab.progress import Interrupted
from wsim.options import Options, option

if TYPE_CHECKING:
    from wsim.cli.groups import AnswerFile, Printing, Wide, Workers
    from wsim.cli.plan_keys import PlanOptions

Lines = list[dict[str, Any]]

CHART = 56  # columns of the chart's scale
ROOM = 48  # columns of text from which there is a chart
FIRST = ("variant", "value", "metric", "effect", "verdict", "changed", "baseline", "n", "differing")
FEW = 3  # variants up to which every metric is shown without being asked for


@dataclass(frozen=True)
class Details(Options):
    """What is shown of many variants."""

    details: bool = option("Show every metric of every variant.", False)


def whatif_command(
    plan: PlanOptions,
    change: Change,
    question: Question,
    details: Details,
    answer: AnswerFile,
    files: Files,
    workers: Workers,
    table: Wide,
    printing: Printing,
) -> None:
    """Compare, print the answer, write it if asked; after Ctrl-C print what is known so far and exit with 130."""
    plan.no_arguments()
    base = plan.resolve()
    if answer.out is not None:
        check_target(answer.out)  # before the games are played
    files.check()
    if not printing.quiet:
        announce_compiling(find_game(base.game))
    interrupted = False
    try:
        with progress_bar(not printing.quiet) as progress:
            found = compare(base, change, question, progress=progress, **workers.record())
    except Interrupted as interrupt:
        if interrupt.result is None:
            raise
        found, interrupted = interrupt.result, True
    record = found.record()
    rows = {"effects", "details", "looks"}
    files.write(found.effects, {key: one for key, one in record.items() if key not in rows}, quiet=printing.quiet)
    if not files.instead:
        _show(found, details.details, table.wide, as_json=printing.as_json, quiet=printing.quiet)
    if answer.out is not None:
        path = found.write(answer.out)
        if not printing.quiet:
            remark(f"written: {path}")
    if interrupted:
        remark("wsim: interrupted; this is what the games so far say")
        raise Exit(INTERRUPTED)


def _show(answer: WhatIf, every: bool, wide: bool, *, as_json: bool, quiet: bool) -> None:
    """Print an answer: its tables, a chart where there are several variants, and how it came about."""
    if as_json:
        print_json(answer.record())
        return
    effects = answer.effects.to_dicts()
    tables = [(f"{_what(effects)}. {answer.estimand}", _slim(effects))]
    many = len(effects) > FEW
    if every or not many:
        tables += _details(answer)
    print_tables([Shown(title, rows, first=FIRST) for title, rows in tables], wide=wide)
    width = screen_width()
    if len(effects) > 1 and (width is None or width >= ROOM):
        write_out(f"\nEffect on {answer.question.metric}, with its interval:")
        for line in chart_lines(effects, _characters(), _scale(effects, width)):
            write_out(line)
    write_out("")
    for one in _remarks(answer):
        write_note(one)
    if many and not (every or quiet):
        remark("add --details for all metrics of every variant")


def _scale(rows: Sequence[Mapping[str, Any]], width: int | None) -> int:
    """Return the columns of the chart's scale: what names and effects leave of the width."""
    names = max(len(str(row["variant"] if row["value"] is None else row["value"])) for row in rows)
    return CHART if width is None else max(min(CHART, width - names - 12), 10)


def _what(rows: Sequence[Mapping[str, Any]]) -> str:
    """Name what is varied, for a title: the one variant, or the path of a sweep."""
    if rows[0]["value"] is not None:
        return f"Sweep over {rows[0]['variant'].partition('=')[0]}"
    return f"What if {rows[0]['variant']}" if len(rows) == 1 else f"{len(rows)} variants"


def _details(answer: WhatIf) -> list[tuple[str, Lines]]:
    """Return every other metric, shares apart from points because their sizes differ."""
    rows = [row for row in answer.details.to_dicts() if row["metric"] != answer.question.metric]
    of_shares = {metric.name for metric in answer.metrics if metric.share}
    shares = [row for row in rows if row["metric"] in of_shares]
    points = [row for row in rows if row["metric"] not in of_shares]
    said = "each interval holds by itself, whenever playing stopped"
    return [
        (f"{what}; {said}", _slim(part)) for what, part in (("Points and counts", points), ("Shares", shares)) if part
    ]


def _slim(rows: Sequence[Mapping[str, Any]]) -> Lines:
    """Leave out of a table for people what its title or another column says; the JSON has it all."""
    hidden = {"variant"} if len({row["variant"] for row in rows}) == 1 else {"decided_at"}
    hidden |= {"value"} if rows[0]["value"] is None else {"variant"}
    same = all(row["n_baseline"] == row["n_changed"] for row in rows)
    hidden |= {"n_changed"} if same else set()
    hidden |= {"differing"} if all(row["differing"] is None for row in rows) else set()
    names = {"n_baseline": "n"} if same else {}
    return [{names.get(key, key): one for key, one in row.items() if key not in hidden} for row in rows]


def _remarks(answer: WhatIf) -> list[str]:
    """Say in words how the answer came about."""
    sure = f"{100 * (1 - answer.question.alpha):g} %"
    level = (
        f"The intervals of this table hold together, for all variants and looks, with {sure} confidence"
        if answer.effects.height > 1
        else f"Its interval holds for all looks together with {sure} confidence"
    )
    why = {
        "clear": f"Stopped because the answer is clear (budget {answer.question.budget:,} deals)",
        "budget": "Stopped because the budget is spent",
        "interrupted": "Stopped by hand",
    }[answer.stopped]
    rate = f", {answer.games / answer.seconds:,.0f} a second" if answer.seconds > 0 else ""
    played = f"{answer.deals:,} deals, {answer.games:,} games in {answer.seconds:.1f} s{rate}"
    said = [f"{one}." for one in answer.remarks]
    removed = answer.effects["variance_removed"].drop_nulls().to_list()
    saved = float(min(removed, default=0.0))
    percent = f"{100 * saved:.{1 if saved < 0.999 else 3}f} %"
    pairing = f"Pairing removed {'at least ' if len(removed) > 1 else ''}{percent} of the variance"
    if 0 < saved < 1:
        pairing += f": separate deals would take {1 / (1 - saved):,.1f} times as many games"
    return [f"{level}.", f"{why}: {played}.", *said, f"{pairing}."]


@dataclass(frozen=True)
class _Characters:
    line: str
    point: str
    zero: str


def _characters() -> _Characters:
    """Return what a chart is drawn with, as far as the output can show it."""
    try:
        "─●│".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return _Characters("-", "o", "|")
    return _Characters("─", "●", "│")


def chart_lines(rows: Sequence[Mapping[str, Any]], characters: _Characters, scale: int = CHART) -> list[str]:
    """Return one line for each variant: its name, its effect, and its interval on a common scale that shows 0."""
    ends = [row[key] for row in rows for key in EFFECT if row[key] is not None]
    low, high = float(min([0.0, *ends])), float(max([0.0, *ends]))
    span = (high - low) or 1.0

    def place(value: float) -> int:
        return round((value - low) / span * (scale - 1))

    names = [str(row["variant"] if row["value"] is None else row["value"]) for row in rows]
    width = max(map(len, names))
    lines = []
    for name, row in zip(names, rows, strict=True):
        cells = [" "] * scale
        if row["effect_low"] is not None and row["effect_high"] is not None:
            first, last = place(row["effect_low"]), place(row["effect_high"])
            cells[first : last + 1] = characters.line * (last - first + 1)
        cells[place(0.0)] = characters.zero
        if row["effect"] is not None:
            cells[place(row["effect"])] = characters.point
        effect = "" if row["effect"] is None else f"{row['effect']:+.3f}"
        lines.append(f"{name:>{width}}  {effect:>8}  {''.join(cells)}".rstrip())
    return lines
