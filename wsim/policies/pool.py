"""``search`` in a line-up: its row, which is the same in every game, and the pool that its rivals are drawn from.

The first player of a pool plays on for the searcher itself. The others stand for whoever may sit at the table: the
searcher does not know the line-up. Of the weight set ``balanced`` there are copies with every weight changed by a
factor; the factors are a function of the copy's number, so a pool is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from wsim.policies.lineup import Entry
    from wsim.policies.plug import Plugged

SEARCH = "search"
"""The kind of policies that get the whole game, to play it on: they play by what their seat knows all the same."""
OWN_PLAYER = "balanced"
"""Who plays on for the searcher where the game has no net, and whom the copies are of: a weight set of every game."""
EVERYBODY = "all"
INFERRED = "inferred"
"""A pool that is `all`, in which nets and the others are weighed by what each rival is seen to do."""
COPIES = 12  # of `balanced` among `all`; half as many where there is a net
NETS = 13  # places of a net among `all`, half of them: it plays like nobody else and is the strongest, though dear
_SPREAD = 0.5  # a copy's weights lie between 1 - this and 1 + this times those of the set


@dataclass(frozen=True)
class Player:
    """One entry of a line-up made ready.

    Attributes
    ----------
    label: its name in every table.
    function: its entrance (``wsim.policies.interface``).
    parameters, weights: what ``PRIVATE`` and ``SETTINGS`` get of these names; ``explore`` is the last parameter.
    digest: identifies its play: what it is made of, with its numbers.
    plugged: a user's own policy, None for a registered one.
    net: the net that it plays (the game's own), if it plays one.
    pool: of a searcher: who plays in its playouts.
    """

    label: str
    function: Any
    parameters: NDArray[np.float64]
    weights: NDArray[np.float64]
    digest: str
    plugged: Plugged | None = None
    net: Any = None
    pool: Pool | None = None


@dataclass(frozen=True)
class Pool:
    """Who plays in the playouts of a searcher; two pools of a game with the same name are equal.

    Attributes
    ----------
    name: as the line-up has it.
    players: who plays on for the searcher itself, then who its rivals may be.
    """

    name: str
    players: tuple[Player, ...] = field(compare=False, repr=False)


def check_budget(entry: Entry, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an entry that searches so many playouts or milliseconds, the other one being 0.

    Raises UserError for both, or neither.
    """
    timed = values["ms"] > 0
    if timed and "playouts" in entry.parameters and values["playouts"] > 0:
        raise UserError(f"policy {str(entry)!r} sets playouts and ms: give one of them")
    if not timed and values["playouts"] == 0:
        raise UserError(f"policy {str(entry)!r} has no playouts and no time: give playouts=1 or more, or ms=")
    return {**values, "playouts": 0} if timed else dict(values)


def named_pool(text: str, known: Mapping[str, str]) -> list[str]:
    """Return the names of a pool, written with a plus between them; raise UserError for an unknown one.

    ``known`` has the kind of every policy by its name: all but searchers may be in a pool; ``all`` stands for every
    weight set (``players_of`` adds its copies and nets).
    """
    accepted = [name for name, kind in known.items() if kind != SEARCH]
    names: list[str] = []
    for name in text.split("+"):
        if name in (EVERYBODY, INFERRED):
            names += [one for one in accepted if known[one] == "weights" and one != "weighted"]
        elif name in accepted:
            names.append(name)
        else:
            raise UserError(
                f"parameter pool of policy {SEARCH!r} is {EVERYBODY}, {INFERRED} or policies with a plus between "
                f"them, such as balanced+greedy, not {text!r}: "
                f"{name!r} is not one of {', '.join(accepted)}{nearest(name, accepted)}"
            )
    return names


def infers(pool: str, known: bool) -> bool:
    """Return whether a searcher infers who its rivals are; ``known``: whether searchers of its game know how to."""
    wanted = INFERRED in pool.split("+")
    if wanted and not known:
        raise UserError(f"searchers of this game infer nothing of their rivals: {pool!r} is not accepted, all is")
    return wanted


def noisy(weights: NDArray[np.float64], copy: int) -> NDArray[np.float64]:
    """Return a copy of weights, each times a factor that is a function of the copy's number and its place."""
    import random  # 8 ms, that a command's help does not need

    dice = random.Random(f"{SEARCH} {copy}")
    changed = weights.copy()
    flat = changed.reshape(-1)
    for place in range(len(flat)):
        flat[place] *= 1.0 + _SPREAD * (2.0 * dice.random() - 1.0)
    return changed


def players_of(text: str, known: Mapping[str, str], make: Callable[[str], Player]) -> list[Player]:
    """Return the players of a pool, the searcher's own first; ``make`` makes a registered policy ready."""
    nets = [make(name) for name, kind in known.items() if kind == "net"]
    usual = make(OWN_PLAYER)
    players = [nets[0] if nets else usual, *map(make, named_pool(text, known))]
    if {EVERYBODY, INFERRED} & set(text.split("+")):
        copies = COPIES // 2 if nets else COPIES
        players += [replace(usual, weights=noisy(usual.weights, copy)) for copy in range(copies)]
        players += NETS * nets
    return players
