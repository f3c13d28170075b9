"""How the values of 7 Wonders are tuned (``wsim.game.Tuning``): costs, points and counts of cards, stages and settings.

A number in a formula has a path, too: ``("cards", "Tribute", "when", "2", "gain", "coins:1")`` is the first one that is
written there.

Points that a card or stage is always worth can be added to games that were played: the decisions stay, the ranking is
made again (total, then coins, R24). For anything that players see before they decide, a cost above all, games must be
played; for a stage at tables where its side is in play.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from wsim.game import Tuning
from wsim.wonders.catalog.house_rules import numbers_of
from wsim.wonders.catalog.model import Settings
from wsim.wonders.words import BUILT, RESOURCES

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.wonders.catalog.effects import Effects
    from wsim.wonders.catalog.model import Cost
    from wsim.wonders.simulator import WondersSimulator

Path = tuple[str, ...]
_ALWAYS = ("points", "shields", "coins")  # effects that every entry may be given
_COUNTS = ("points_per", "coins_per")  # those with a number for each of something
_STAGE = 6  # names in the path of a stage's value: wonders, board, sides, side, number, field
_COINS = 1 << 20  # more than anybody has


def _values(simulator: WondersSimulator) -> Mapping[Path, int]:
    """Return every whole number of the catalogue by its path in a patch."""
    catalogue = simulator.catalogue
    found: dict[Path, int] = {}
    for card in catalogue.cards:
        found |= _of_entry(("cards", card.name), card.cost, card.effects)
    for wonder in catalogue.wonders:
        for side, stages in wonder.sides:
            for number, stage in enumerate(stages, start=1):
                found |= _of_entry(("wonders", wonder.name, "sides", side, str(number)), stage.cost, stage.effects)
    settings = numbers_of(catalogue.settings).items()
    return found | {("rulesets", catalogue.ruleset, "settings", name): value for name, value in settings}


def _of_entry(path: Path, cost: Cost, effects: Effects) -> dict[Path, int]:
    """Return the numbers of a card or stage: what it costs and what it gives."""
    there = effects.present()
    found = {(*path, "cost", "coins"): cost.coins}
    found |= {(*path, "cost", resource): dict(cost.resources).get(resource, 0) for resource in RESOURCES}
    found |= {(*path, name): int(getattr(effects, name)) for name in _ALWAYS}
    found |= {(*path, name, "n"): there[name].n for name in _COUNTS if name in there}
    if "points_if_wonder_complete" in there:
        found[(*path, "points_if_wonder_complete")] = there["points_if_wonder_complete"]
    for number, clause in enumerate(effects.when, start=1):
        found |= {(*path, "when", str(number), *field): value for field, value in clause.numbers()}
    return found


def _worth(simulator: WondersSimulator, path: Path, seats: pl.DataFrame) -> NDArray[np.int64] | None:
    """Return 1 for the rows that have what points are for, None for a value that is no plain number of points."""
    if path[-1] != "points" or simulator.catalogue.settings.tie_breaks != Settings().tie_breaks:
        return None  # rows hold the coins that break ties, and not what else may
    if path[0] == "cards":
        return seats[BUILT + path[1]].to_numpy().astype(int)
    built = seats["stages"].to_numpy() >= int(path[4])
    return (built & _side_of(simulator, path, seats)).astype(int)


def _side_of(simulator: WondersSimulator, path: Path, seats: pl.DataFrame) -> NDArray[np.bool_]:
    """Say for each row whether it plays the side that a stage's path is about."""
    catalogue = simulator.catalogue
    boards = [wonder.name for wonder in catalogue.wonders]
    same: NDArray[np.bool_] = seats["wonder"].to_physical().to_numpy() == boards.index(path[1])
    same &= seats["side"].to_physical().to_numpy() == catalogue.sides.index(path[3])
    return same


def _shares(
    simulator: WondersSimulator, seats: pl.DataFrame
) -> Callable[[NDArray[Any], NDArray[Any]], NDArray[np.float64]]:
    """Return what the win shares are with points more: most points win, then most coins, else it is shared (R24)."""
    import numpy as np

    players, teams = simulator.plan.players, simulator.catalogue.teams
    standing = seats["total"].to_numpy().astype(np.int64) * _COINS + seats["coins"].to_numpy()
    by_game = standing.reshape(-1, simulator.seats)

    def shares(games: NDArray[Any], extra: NDArray[Any]) -> NDArray[np.float64]:
        standing = (by_game[games] + extra * _COINS)[:, :players]  # the Free City does not take part (R44)
        if teams:
            standing = standing.reshape(len(games), -1, 2).sum(axis=2)
        best = standing == standing.max(axis=1, keepdims=True)
        found = best / best.sum(axis=1, keepdims=True)
        result = np.zeros((len(games), simulator.seats))
        result[:, :players] = np.repeat(found, 2, axis=1) if teams else found
        return result

    return shares


def _focus(simulator: WondersSimulator, path: Path) -> tuple[Plan, Callable[[pl.DataFrame], NDArray[np.bool_]]] | None:
    """Return the plan with a stage's side at every table, each seat in turn; None where boards are chosen already."""
    plan = simulator.plan
    chosen = {plan.options.get(name, "random") for name in ("wonders", "sides")} != {"random"}
    if len(path) < _STAGE or path[0] != "wonders" or chosen or len(set(plan.policies)) > 1:
        return None  # with several policies a board that moves on with the line-up would belong to one of them
    others = ",random" * (simulator.seats - 1)
    focused = plan.replace(wonders=f"rotate:{path[1]}{others}", sides=f"{path[3]}{others}")

    def present(seats: pl.DataFrame) -> NDArray[np.bool_]:
        return _side_of(simulator, path, seats)

    return focused, present


TUNING = Tuning(_values, _worth, _shares, _focus)
