"""Whether a patch carries over: to reported settings, to other players, and to a side's best way of being played.

A patch is found for some players at some tables. Whoever plays otherwise plays another game, so the same targets are
measured elsewhere, with and without the patch, and shown; nothing here decides anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.balance.bench import Bench
from wsim.balance.goal import Goal, Setting
from wsim.balance.knobs import Patch
from wsim.balance.proof import middle_of
from wsim.balance.tables import Level, TableSetting

if TYPE_CHECKING:
    import polars as pl

    from wsim.balance.cells import Cell

__all__ = ["Elsewhere", "best_responses", "carried_over"]


@dataclass(frozen=True)
class Elsewhere:
    """Where else a patch is measured.

    Attributes
    ----------
    players: line-up entries that take all seats of every setting, one after the other.
    styles: line-up entries of which a side may choose the best, the others playing on as in the setting.
    games: for each measurement.
    """

    players: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    games: int = 20_000


def carried_over(bench: Bench, patch: Patch, where: Elsewhere) -> pl.DataFrame:
    """Measure the targets of a goal at every setting and with other players, before and after a patch.

    One row a setting and player: setting, policies, targeted, cells, spread_before, spread_after (root mean square
    deviation from the middle of what is accepted, noise included), largest_before, largest_after (the largest
    deviation), of_before, of_after (whose), error (standard error of a cell), games.
    """
    import polars as pl

    goal, rows = bench.goal, []
    for setting in goal.settings:
        for player in (None, *where.players):
            plan = setting.plan if player is None else setting.plan.replace(policies=player)
            table = _table(bench, replace(setting, plan=plan, name=f"{setting.name}, by {player}"), setting.name)
            if table is None:
                continue
            seed = bench.play.seed("elsewhere", setting.name, player)
            before, after = (table.level(one, seed, where.games) for one in ((), patch))
            rows.append(
                {
                    "setting": setting.name,
                    "policies": ", ".join(dict.fromkeys(plan.policies)),
                    "targeted": player is None and not setting.report,
                    "cells": len(table.cells),
                    **_deviations(table.cells, before, "before"),
                    **_deviations(table.cells, after, "after"),
                    "error": float(np.mean(after.error)),
                    "games": where.games,
                }
            )
    return pl.DataFrame(rows, infer_schema_length=None)


def _deviations(cells: Sequence[Cell], level: Level, when: str) -> dict[str, Any]:
    off = level.value - np.array([middle_of(cell) for cell in cells])
    most = int(np.argmax(np.abs(off)))
    return {
        f"spread_{when}": float(np.sqrt(np.mean(off**2))),
        f"largest_{when}": float(off[most]),
        f"of_{when}": cells[most].name,
    }


def _table(bench: Bench, setting: Setting, name: str, of: tuple[str, ...] = ()) -> TableSetting | None:
    """Return what measures the targets about tables at another setting; None if there are none.

    Parameters
    ----------
    name: of the setting whose targets these are. of: columns that split them further.
    """
    goal: Goal = bench.goal
    about = [one for one in goal.targets if one.card is None and (not one.settings or name in one.settings)]
    if of:
        about = [replace(one, of=(*of, *one.of), only=()) for one in about if one.of and not set(of) & set(one.of)]
    if not about:
        return None
    targets = tuple(replace(one, settings=()) for one in about)
    elsewhere = replace(goal, settings=(replace(setting, report=False),), targets=targets, keep=())
    return TableSetting(elsewhere, elsewhere.settings[0], bench.knobs, bench.play)


def best_responses(bench: Bench, patch: Patch, where: Elsewhere) -> pl.DataFrame:
    """Let every side be played in its best style, others as in the setting, before and after a patch.

    The style is chosen on one half of the games and measured on the other, and the other way round. One row a setting
    and side: setting, of, style_before, best_before, style_after, best_after (shares), error.
    """
    import polars as pl

    rows = []
    for setting in bench.goal.settings:
        if setting.report:
            continue
        before, after = (_responses(bench, setting, one, where) for one in ((), patch))
        for one, other in zip(before, after, strict=True):
            rows.append(
                {
                    "setting": setting.name,
                    "of": one["of"],
                    "style_before": one["style"],
                    "best_before": one["best"],
                    "style_after": other["style"],
                    "best_after": other["best"],
                    "error": other["error"],
                }
            )
    return pl.DataFrame(rows, infer_schema_length=None)


def _responses(bench: Bench, setting: Setting, patch: Patch, where: Elsewhere) -> list[dict[str, Any]]:
    """Return for each side its best style, and what that gives on games that did not choose it."""
    names: list[str] = []
    halves: list[list[Level]] = []
    places: list[list[int]] = []
    for style in where.styles:
        line_up = [style, *(setting.plan.policies * setting.plan.players)[1 : setting.plan.players]]
        plan = setting.plan.replace(policies=line_up, rotate=True)
        table = _table(bench, replace(setting, plan=plan, name=f"{setting.name}, {style}"), setting.name, ("policy",))
        if table is None:
            return []
        label = table.first_policy
        mine = [place for place, cell in enumerate(table.cells) if cell.name.startswith(f"{label} ")]
        names = [table.cells[place].name.removeprefix(f"{label} ") for place in mine]
        places.append(mine)
        halves.append(
            [table.level(patch, bench.play.seed("style", setting.name, half), where.games // 2) for half in (0, 1)]
        )
    value = np.array([[half.value[mine] for half in both] for both, mine in zip(halves, places, strict=True)])
    error = np.array([[half.error[mine] for half in both] for both, mine in zip(halves, places, strict=True)])
    rows = []
    for side, name in enumerate(names):
        chosen = [int(value[:, half, side].argmax()) for half in (0, 1)]
        best = (value[chosen[0], 1, side] + value[chosen[1], 0, side]) / 2
        spread = float(np.hypot(error[chosen[0], 1, side], error[chosen[1], 0, side]) / 2)
        rows.append({"of": name, "style": where.styles[chosen[0]], "best": float(best), "error": spread})
    return rows
