"""``search`` in a line-up: its parameters, the same in every game, and the pool from which its rivals are drawn.

In playouts, the first player of a pool plays for the searcher itself. The others represent possible opponents, because
the searcher does not know the line-up. The pool includes copies of the weight set ``balanced`` with every weight
multiplied by a factor that depends only on the copy's number and the weight's index, so a pool is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest
from wsim.policies.lineup import Entry, parse_entry

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from wsim.policies.user_policies import UserPolicy

SEARCH = "search"
"""The kind of policy that gets the whole game for playouts, but uses only what its seat knows."""
OWN_PLAYER = "balanced"
"""The weight set that plays for the searcher in a game without a net; the pool contains copies of it."""
EVERYBODY = "all"
MEMBER_PARAMETER = "@"
"""The separator before each parameter of a pool member: ``net@explore=0.05``."""
INFERRED = "inferred"
"""The pool `all`, with its nets and other players weighted by how well they explain each rival's observed moves."""
COPIES = 12  # copies of `balanced` in `all`; half as many if there is a net
NETS = 13  # entries of the net in `all`, half of the pool: the strongest player, with a different style, but slow
_SPREAD = 0.5  # a copy's weights are the set's weights times factors between 1 - _SPREAD and 1 + _SPREAD


@dataclass(frozen=True)
class Player:
    """A line-up entry, ready to play.

    Attributes
    ----------
    label: its name in every table.
    function: its entry point (``wsim.policies.interface``).
    parameters, weights: values for ``PRIVATE.parameters`` and ``SETTINGS.weights``; ``explore`` is the last parameter.
    digest: a digest of its sources and numbers, which identifies how it plays.
    plugged: the user policy; None for a registered one.
    net: the net that it plays, if any.
    pool: for a searcher, the players in its playouts.
    """

    label: str
    function: Any
    parameters: NDArray[np.float64]
    weights: NDArray[np.float64]
    digest: str
    plugged: UserPolicy | None = None
    net: Any = None
    pool: Pool | None = None


@dataclass(frozen=True)
class Pool:
    """The players in a searcher's playouts; two pools of a game with the same name are equal.

    Attributes
    ----------
    name: as written in the line-up.
    players: the player for the searcher itself, then the possible rivals.
    """

    name: str
    players: tuple[Player, ...] = field(compare=False, repr=False)


def check_budget(entry: Entry, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a search entry, with exactly one of ``playouts`` and ``ms`` above 0.

    Raises UserError if the entry gives both or neither.
    """
    timed = values["ms"] > 0
    if timed and "playouts" in entry.parameters and values["playouts"] > 0:
        raise UserError(f"policy {str(entry)!r} sets both playouts and ms: give only one of them")
    if not timed and values["playouts"] == 0:
        raise UserError(f"policy {str(entry)!r} has no playouts and no time: give playouts=1 or more, or ms=")
    return {**values, "playouts": 0} if timed else dict(values)


def named_pool(text: str, known: Mapping[str, str]) -> list[Entry]:
    """Parse a pool such as ``net@explore=0.05+greedy`` into entries; raise UserError for an unknown policy.

    ``known`` maps every policy to its kind. All policies except searchers may be in a pool; ``all`` stands for every
    weight set (``players_of`` adds copies and nets).
    """
    accepted = [name for name, kind in known.items() if kind != SEARCH]
    entries: list[Entry] = []
    for member in text.split("+"):
        name, *pairs = member.split(MEMBER_PARAMETER)
        if member in (EVERYBODY, INFERRED):
            entries += [Entry(policy) for policy in accepted if known[policy] == "weights" and policy != "weighted"]
        elif name in accepted:
            wrong = next((pair for pair in pairs if "=" not in pair), None)
            if wrong is not None:
                raise UserError(f"{wrong!r} in {member!r} is not a parameter: write {name}@key=value")
            entries.append(parse_entry(":".join((name, *pairs))))
            if "file" in entries[-1].parameters:
                raise UserError(f"{member!r} in a pool cannot read a file: name a built-in net or weight set")
        else:
            raise UserError(
                f"parameter pool of policy {SEARCH!r} must be {EVERYBODY}, {INFERRED} or policies joined by +, "
                f"such as balanced+greedy, not {text!r}: "
                f"{name!r} is not one of {', '.join(accepted)}{nearest(name, accepted)}"
            )
    return entries


def infers(pool: str, known: bool) -> bool:
    """Return whether a searcher infers its rivals' policies; ``known``: whether the game supports this."""
    wanted = INFERRED in pool.split("+")
    if wanted and not known:
        raise UserError(f"searchers of this game cannot infer their rivals' policies: use all instead of {pool!r}")
    return wanted


def noisy(weights: NDArray[np.float64], copy: int) -> NDArray[np.float64]:
    """Multiply each weight by a factor that depends only on the copy's number and the weight's index."""
    import random  # takes 8 ms to import, too long for a command's help

    dice = random.Random(f"{SEARCH} {copy}")
    changed = weights.copy()
    flat = changed.reshape(-1)
    for index in range(len(flat)):
        flat[index] *= 1.0 + _SPREAD * (2.0 * dice.random() - 1.0)
    return changed


def players_of(text: str, known: Mapping[str, str], make: Callable[[Entry], Player]) -> list[Player]:
    """Return the players of a pool, the searcher's own player first; ``make`` prepares a registered policy's entry."""
    nets = [make(Entry(name)) for name, kind in known.items() if kind == "net"][:1]
    default = make(Entry(OWN_PLAYER))
    players = [nets[0] if nets else default, *map(make, named_pool(text, known))]
    if {EVERYBODY, INFERRED} & set(text.split("+")):
        copies = COPIES // 2 if nets else COPIES
        players += [replace(default, weights=noisy(default.weights, copy)) for copy in range(copies)]
        players += NETS * nets
    return players
