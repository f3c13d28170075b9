"""``wsim calibrate``, ``matchups``, ``strengths``, ``synergies``, ``variance``: analyses of a run by ``wsim.stats``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from wsim.cli.tables import open_run, show
from wsim.errors import UserError
from wsim.game import find_game

if TYPE_CHECKING:
    from wsim.cli.tables import View
    from wsim.lab.store import Run
    from wsim.stats.tables import Table

__all__ = ["ANALYSES", "analysis_command"]


def _calibrate(run: Run, **options: Any) -> Table:
    from wsim.stats import calibrate

    return calibrate(run, **options)


def _matchups(run: Run, *, by: tuple[str, ...], crowding: bool, **options: Any) -> Table:
    from wsim import stats

    return (stats.crowding if crowding else stats.matchups)(run, by, **options)


def _strengths(run: Run, *, by: tuple[str, ...], **options: Any) -> Table:
    from wsim.stats import strengths

    return strengths(run, by, **options)


def _synergies(run: Run, *, cards: tuple[str, ...], chains: bool, **options: Any) -> Table:
    from wsim import stats

    if not chains:
        return stats.card_pairs(run, cards=cards or None, **options)
    module = find_game(run.plan.game)
    if not hasattr(module, "chains"):
        raise UserError(f"{run.plan.game} has no chains of cards")
    every = module.chains(run.plan)
    return stats.card_chains(run, [chain for chain in every if set(cards) <= set(chain)], **options)


def _variance(run: Run, **options: Any) -> Table:
    from wsim.stats import variance_shares

    return variance_shares(run, **options)


ANALYSES: Mapping[str, Callable[..., Table]] = {
    "calibrate": _calibrate,
    "matchups": _matchups,
    "strengths": _strengths,
    "synergies": _synergies,
    "variance": _variance,
}


def analysis_command(name: str, folder: str, view: View, *, as_json: bool, **options: Any) -> None:
    """Print one analysis of the run in ``folder``: its table, and in words what it says and what it does not."""
    run = open_run(folder)
    show(ANALYSES[name](run, **options), run, view, as_json=as_json)
