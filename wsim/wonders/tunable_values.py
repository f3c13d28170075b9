"""Tunable values of 7 Wonders (``wsim.game.Tuning``): the numbers in cards, stages and settings.

Numbers in formulas also have a path: ``("cards", "Tribute", "when", "2", "gain", "coins:1")`` is the first number of
that formula.

Unconditional points of a card or stage can be added to recorded games: decisions stay the same and only the ranking is
recomputed (total, then coins, R24). All other values, such as costs, influence decisions and need new games. The values
of a stage need games in which its side is in play.
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
_ALWAYS = ("points", "shields", "coins")  # effects that every entry can have
_COUNTS = ("points_per", "coins_per")  # effects with a number per counted item
_STAGE = 6  # length of the path of a stage's value: wonders, board, sides, side, number, field
_COINS = 1 << 20  # more coins than a city can have


def _values(simulator: WondersSimulator) -> Mapping[Path, int]:
    """Return every whole number in the catalogue, keyed by its path in a patch."""
    catalogue = simulator.catalogue
    values: dict[Path, int] = {}
    for card in catalogue.cards:
        values |= _entry_numbers(("cards", card.name), card.cost, card.effects)
    for wonder in catalogue.wonders:
        for side, stages in wonder.sides:
            for number, stage in enumerate(stages, start=1):
                values |= _entry_numbers(
                    ("wonders", wonder.name, "sides", side, str(number)), stage.cost, stage.effects
                )
    for deck in catalogue.decks:
        numbers = {name: number for name, number in deck.table().items() if name != "recruit"}
        values |= {("decks", deck.name, name): number for name, number in numbers.items()}
        for recruit in deck.cards:
            path = ("decks", deck.name, "cards", recruit.name)
            values |= {(*path, "cost"): recruit.cost, **_effect_numbers(path, recruit.effects)}
    for rule in catalogue.table:
        values |= _clause_numbers(("table", rule.name), rule.effects)
    for counter in catalogue.counters:
        values |= {("counters", counter.name, name): getattr(counter, name) for name in ("start", "least", "most")}
    settings = numbers_of(catalogue.settings).items()
    return values | {("rulesets", catalogue.ruleset, "settings", name): value for name, value in settings}


def _entry_numbers(path: Path, cost: Cost, effects: Effects) -> dict[Path, int]:
    """Return the numbers in the cost and effects of a card or stage, keyed by path."""
    values = {(*path, "cost", "coins"): cost.coins}
    values |= {(*path, "cost", resource): dict(cost.resources).get(resource, 0) for resource in RESOURCES}
    return values | _effect_numbers(path, effects)


def _effect_numbers(path: Path, effects: Effects) -> dict[Path, int]:
    """Return the numbers in effects, keyed by path."""
    present = effects.present()
    values = {(*path, name): int(getattr(effects, name)) for name in _ALWAYS}
    values |= {(*path, name, "n"): present[name].n for name in _COUNTS if name in present}
    if "points_if_wonder_complete" in present:
        values[(*path, "points_if_wonder_complete")] = present["points_if_wonder_complete"]
    return values | _clause_numbers(path, effects)


def _clause_numbers(path: Path, effects: Effects) -> dict[Path, int]:
    """Return the numbers in the formulas of clauses, keyed by path."""
    clauses = enumerate(effects.when, start=1)
    return {
        (*path, "when", str(number), *field): value for number, clause in clauses for field, value in clause.numbers()
    }


def _worth(simulator: WondersSimulator, path: Path, seats: pl.DataFrame) -> NDArray[np.int64] | None:
    """Return 1 for rows of seats with the card or stage, 0 for others; None if ``path`` is not a number of points."""
    if path[-1] != "points" or simulator.catalogue.settings.tie_breaks != Settings().tie_breaks:
        return None  # rows contain coins, the printed tie-break, but nothing else that could break ties
    if path[0] == "cards":
        return seats[BUILT + path[1]].to_numpy().astype(int)
    if path[0] == "decks":
        return seats[f"recruited:{path[3]}"].to_numpy().astype(int)
    built = seats["stages"].to_numpy() >= int(path[4])
    return (built & _side_of(simulator, path, seats)).astype(int)


def _side_of(simulator: WondersSimulator, path: Path, seats: pl.DataFrame) -> NDArray[np.bool_]:
    """Return a mask of the rows whose seat plays the side that a stage's path names."""
    catalogue = simulator.catalogue
    boards = [wonder.name for wonder in catalogue.wonders]
    matches: NDArray[np.bool_] = seats["wonder"].to_physical().to_numpy() == boards.index(path[1])
    matches &= seats["side"].to_physical().to_numpy() == catalogue.sides.index(path[3])
    return matches


def _shares(
    simulator: WondersSimulator, seats: pl.DataFrame
) -> Callable[[NDArray[Any], NDArray[Any]], NDArray[np.float64]]:
    """Return a function that recomputes win shares when seats get extra points.

    The most points win, then the most coins; tied seats share the victory (R24).
    """
    import numpy as np

    players, teams = simulator.plan.players, simulator.catalogue.teams
    standing = seats["total"].to_numpy().astype(np.int64) * _COINS + seats["coins"].to_numpy()
    by_game = standing.reshape(-1, simulator.seats)

    def shares(games: NDArray[Any], extra: NDArray[Any]) -> NDArray[np.float64]:
        standing = (by_game[games] + extra * _COINS)[:, :players]  # the Free City does not take part (R44)
        if teams:
            standing = standing.reshape(len(games), -1, 2).sum(axis=2)
        best = standing == standing.max(axis=1, keepdims=True)
        wins = best / best.sum(axis=1, keepdims=True)
        result = np.zeros((len(games), simulator.seats))
        result[:, :players] = np.repeat(wins, 2, axis=1) if teams else wins
        return result

    return shares


def _focus(simulator: WondersSimulator, path: Path) -> tuple[Plan, Callable[[pl.DataFrame], NDArray[np.bool_]]] | None:
    """Return a plan that seats a stage's side at every table, in rotation, and a function that marks its rows.

    Returns None if the plan fixes boards or has several policies.
    """
    plan = simulator.plan
    chosen = {plan.options.get(name, "random") for name in ("wonders", "sides")} != {"random"}
    if len(path) < _STAGE or path[0] != "wonders" or chosen or len(set(plan.policies)) > 1:
        return None  # with several policies, a board that rotates with the line-up would always have the same policy
    others = ",random" * (simulator.seats - 1)
    focused = plan.replace(wonders=f"rotate:{path[1]}{others}", sides=f"{path[3]}{others}")

    def present(seats: pl.DataFrame) -> NDArray[np.bool_]:
        return _side_of(simulator, path, seats)

    return focused, present


TUNING = Tuning(_values, _worth, _shares, _focus)
