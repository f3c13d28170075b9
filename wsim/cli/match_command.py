"""``wsim match``: policies against each other on common deals, as tables."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from click.exceptions import Exit

from wsim.cli.console import (
    INTERRUPTED,
    Shown,
    print_json,
    print_tables,
    progress_bar,
    remark,
    write_note,
    write_out,
)
from wsim.cli.exports import Files
from wsim.cli.run_command import announce_compiling
from wsim.experiments.matches.playing import named_policies, play_match, tables_of
from wsim.game import find_game
from wsim.lab.cluster import check_cluster
from wsim.lab.progress import Interrupted

if TYPE_CHECKING:
    import polars as pl

    from wsim.cli.groups import Printing, Wide, Workers
    from wsim.cli.plan_keys import PlanOptions
    from wsim.experiments.match_question import MatchOutput, MatchQuestion, MatchTables
    from wsim.experiments.matches.answer import Match

FIRST = ("policy", "other", "win share", "other share", "difference", "verdict", "margin")
MOST_MATRIX = 12
"""Policies up to which a matrix is shown: more columns fit on no screen."""
_ENDS = ("", "_low", "_high")


def match_command(
    plan: PlanOptions,
    question: MatchQuestion,
    at: MatchTables,
    output: MatchOutput,
    workers: Workers,
    table: Wide,
    files: Files,
    printing: Printing,
) -> None:
    """Play, print the answer, write it if asked; after Ctrl-C print what is known so far and exit with 130."""
    files.check()
    check_cluster(workers.cluster, workers.threads)
    base = plan.resolve()
    policies = named_policies(base, plan.arguments)
    if not printing.quiet:
        announce_compiling(find_game(base.game))
    tables = tables_of(base, policies, at.ruleset, at.players, question)

    def show(answer: Match) -> None:
        _print(answer, files, output, table, printing)

    try:
        with progress_bar(not printing.quiet) as progress:
            answer = play_match(tables, question, output, progress=progress, **workers.record())
    except Interrupted as interrupt:
        if interrupt.result is None:
            raise
        show(interrupt.result)
        remark(f"wsim: interrupted; this is what the deals so far say{_again(interrupt.result, output)}")
        raise Exit(INTERRUPTED) from None
    show(answer)


def _again(answer: Match, output: MatchOutput) -> str:
    """Say how a match that was interrupted goes on, if its deals were kept."""
    if output.out is None or not (output.out / "deals").is_dir():
        return ""
    return f"; go on with: {answer.made['command']} --out {shlex.quote(str(output.out))} --resume"


def _print(answer: Match, files: Files, output: MatchOutput, table: Wide, printing: Printing) -> None:
    """Print an answer and say where it lies."""
    record = answer.record()
    rows = {"pairs", "cells", "ratings", "costs"}
    files.write(answer.pairs, {key: one for key, one in record.items() if key not in rows}, quiet=printing.quiet)
    if printing.as_json:
        print_json(record)
    elif not files.instead:
        _show(answer, wide=table.wide)
    if output.out is not None and not printing.quiet:
        remark(f"written: {output.out}")


def _show(answer: Match, *, wide: bool) -> None:
    """Print an answer for people: pairs, the matrix of a round-robin, ratings with costs, and how it came about."""
    fair = sorted(set(answer.pairs["fair"].to_list()))
    shares = f"; a fair share of wins is {fair[0]:.3f}" if len(fair) == 1 else ""
    tables = [Shown(f"Match, {_tables(answer)}{shares}", _slim(answer.pairs), first=FIRST)]
    if answer.question.round_robin and 2 < len(answer.policies) <= MOST_MATRIX:
        title = "Win share of one of the row's policy where all others are of the column's"
        tables.append(Shown(title, _matrix(answer).to_dicts(), labels=1))
    elif answer.cells["against"].is_null().all():
        tables.append(Shown("Win share of each policy at these tables", _slim(answer.cells.drop("against"))))
    both = answer.ratings.join(answer.costs, on="policy", how="full", coalesce=True, maintain_order="left")
    costs = both.rename({"microseconds": "microseconds a decision"})
    tables.append(Shown("Ratings, and what a decision costs", costs.to_dicts(), first=("policy", "rating")))
    print_tables(tables, wide=wide)
    write_out("")
    for one in _remarks(answer):
        write_note(one)


def _tables(answer: Match) -> str:
    """Name the tables of a match: ``1e, 4 players``."""
    rulesets, players = (list(dict.fromkeys(answer.pairs[name].to_list())) for name in ("ruleset", "players"))
    return f"{' and '.join(rulesets)}, {' and '.join(map(str, players))} players"


def _slim(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Leave out of a table for people what its title says or is the same in every row; the JSON has it all."""
    hidden = [name for name in ("ruleset", "players", "fair") if frame.height and name in frame and _same(frame, name)]
    hidden += [name for name in ("decided_at", "times_fair", "times_fair_low", "times_fair_high") if name in frame]
    return frame.drop(hidden).to_dicts()


def _same(frame: pl.DataFrame, name: str) -> bool:
    return frame[name].n_unique() == 1


def _matrix(answer: Match) -> pl.DataFrame:
    """Return the matrix with the ends of its intervals, which make ``0.46 ±0.01`` of three columns."""
    parts = [answer.matrix(f"win_share{end}") for end in _ENDS]
    keys = ["ruleset", "players", "policy"]
    whole = parts[0]
    for end, part in zip(_ENDS[1:], parts[1:], strict=True):
        renamed = part.rename({name: f"{name}{end}" for name in part.columns if name not in keys})
        whole = whole.join(renamed, on=keys, maintain_order="left")
    named = [name for name in answer.policies if name in whole.columns]
    ordered = [f"{name}{end}" for name in named for end in _ENDS]
    return whole.select(*(key for key in keys if key == "policy" or not _same(whole, key)), *ordered)


def _remarks(answer: Match) -> Sequence[str]:
    """Say in words how the answer came about."""
    question = answer.question
    sure = f"{100 * (1 - question.alpha):g} %"
    why = {
        "clear": f"Stopped because the answer is clear (budget {question.budget:,} deals a table)",
        "known": f"Stopped because all is known to within {question.within}",
        "budget": "Stopped because the budget is spent",
        "interrupted": "Stopped by hand",
    }[answer.stopped]
    rate = f", {answer.games / answer.seconds:,.0f} a second" if answer.seconds > 0 else ""
    together = (
        "Differences hold together, for all pairs and looks," if answer.pairs.height > 1 else "The difference holds"
    )
    return [
        f"{answer.estimand}. Margin: points ahead at the same table.",
        f"{together} with {sure} confidence; intervals count a deal once, whose games are not independent.",
        f"{why}: {answer.deals:,} deals, {answer.games:,} games in {answer.seconds:.1f} s{rate}.",
        *(f"{one}." for one in answer.remarks),
    ]
