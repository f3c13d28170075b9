"""The registry of policies, and line-ups made ready to play.

A policy is a function ``(public, own, choice, rules) -> index`` of the one signature ``layout.POLICY``: it gets what
everybody knows, what its seat knows, the legal moves and the rules, and returns the index of its move. None sees
hidden cards.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wsim.policies.lineup import Entry, Value
    from wsim.policies.plug import Interface, Plugged
    from wsim.policy import Declaration

__all__ = ["REGISTRY", "LineUp", "Parameter", "Policy", "policies", "resolve"]

_HOME = "wsim.wonders.policies"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a policy: ``name=value`` after a colon in a line-up.

    Attributes
    ----------
    kind: bool, int, float or str. default: the value without it.
    least, most: the range accepted, for numbers.
    """

    name: str
    kind: type
    default: Value
    meaning: str
    least: float = -math.inf
    most: float = math.inf

    def __str__(self) -> str:
        return f"{self.name}={str(self.default).lower() if self.kind is bool else self.default}"

    def accepted(self) -> str:
        """Say in words what is accepted."""
        if self.kind is bool:
            return "true or false"
        if self.kind is str:
            return "text"
        number = "a whole number" if self.kind is int else "a number"
        bounded = f" from {self.least:g} to {self.most:g}" if math.isfinite(self.most) else ""
        return number + bounded

    def check(self, value: Value, policy: str) -> Value:
        """Return a value of the parameter's kind; raise UserError for one that is not accepted."""
        numbers = {bool: (bool,), int: (int,), float: (int, float), str: (str, int, float)}[self.kind]
        sound = isinstance(value, numbers) and isinstance(value, bool) == (self.kind is bool)
        if sound and self.kind in (int, float):
            sound = math.isfinite(float(value)) and self.least <= float(value) <= self.most
        if not sound:
            raise UserError(f"parameter {self.name} of policy {policy!r} is {self.accepted()}, not {value!r}")
        return self.kind(value)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Policy:
    """A registered policy.

    Attributes
    ----------
    kind: "baseline", "heuristic" or "weights". idea: one line. source: where the idea is from.
    function: "module:function" under wsim.wonders.policies, imported when played.
    weights: the named weight set that it plays, if any.
    uses_random: whether it draws random numbers without ``explore``.
    sees_hidden: whether it is handed hidden cards; never.
    """

    name: str
    kind: str
    idea: str
    source: str
    function: str
    parameters: tuple[Parameter, ...] = ()
    weights: str = ""
    uses_random: bool = False
    sees_hidden: bool = False

    def load(self) -> Any:
        """Return the compiled function."""
        module, _, name = self.function.partition(":")
        return getattr(import_module(f"{_HOME}.{module}"), name)


_EXPLORE = Parameter(
    "explore", float, 0.0, "chance that a pick is a uniformly random one; never of a coin loss", 0.0, 1.0
)
_SET = Parameter("set", str, "balanced", "which weight set: one that comes with wsim, or one of `file`")
_FILE = Parameter("file", str, "", "a file of weight sets of the same form as wsim's own weights.toml")
_WEIGHTED = "weighted:weighted_policy"
_ROBILLIARD = "Robilliard, Fonlupt, Teytaud 2014"


def _weight_set(name: str, idea: str) -> Policy:
    return Policy(name, "weights", idea, "wsim, tuned by self-play", _WEIGHTED, (_EXPLORE,), weights=name)


REGISTRY: Mapping[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy(
            "random", "baseline", "every legal move is equally likely; pays every coin loss", "rules R51",
            "simple:random_policy", (_EXPLORE,), uses_random=True,
        ),
        Policy(
            "first", "baseline", "the first buildable card of a shuffled hand, else a stage, else a sale",
            "first-buildable bots of the literature", "simple:first_policy", (_EXPLORE,), uses_random=True,
        ),
        Policy(
            "greedy", "heuristic", "the build or stage that changes the score most at once",
            "one-ply bots of the literature", "greedy:greedy_policy", (_EXPLORE,),
        ),
        Policy(
            "rulebased", "heuristic", "a fixed order of rules: resources, red to lead, blue, green; age III by points",
            _ROBILLIARD, "rulebased:rulebased_policy", (_EXPLORE,), uses_random=True,
        ),
        Policy(
            "weighted", "weights", "the highest sum of weighted features, by age, of any weight set", "wsim",
            _WEIGHTED, (_SET, _FILE, _EXPLORE),
        ),
        _weight_set("balanced", "a little of everything: the strongest all-round set"),
        _weight_set("military", "more shields than both neighbours in every age"),
        _weight_set("science", "green cards from the first age on"),
        _weight_set("civilian", "blue cards and the resources that they need"),
        _weight_set("commerce", "yellow cards, coins and cheap trade"),
        _weight_set("guilds", "resources first, then guilds and what counts other cards"),
    )
}  # fmt: skip


def policies() -> list[dict[str, Any]]:
    """Return the registry as rows: name, kind, idea, parameters, source, random; installed policies last."""
    from wsim.policies.plug import installed

    rows = [
        {
            "name": policy.name,
            "kind": policy.kind,
            "idea": policy.idea,
            "parameters": ", ".join(map(str, policy.parameters)),
            "source": policy.source,
            "random": policy.uses_random,
        }
        for policy in REGISTRY.values()
    ]
    for name, point in installed().items():
        if name not in REGISTRY:
            rows.append(
                {
                    "name": name,
                    "kind": "installed",
                    "idea": "",
                    "parameters": "",
                    "source": point.value,
                    "random": False,
                }
            )
    return rows


@dataclass(frozen=True)
class LineUp:
    """The policies of a table, one for each seat, ready for the engine.

    Attributes
    ----------
    labels: the name of each seat's entry in every table; equal entries share one.
    functions: seven compiled policies for ``layout.LINE_UP``; beyond the seats they repeat.
    parameters, weights: what ``PRIVATE`` gets of the same names, of shapes (7, PARAMETERS) and (7, AGES, WEIGHTS).
    digests: label -> digest of the user's file that it rests on, or where its module is from; for the provenance.
    """

    labels: tuple[str, ...]
    functions: tuple[Any, ...]
    parameters: NDArray[np.float64]
    weights: NDArray[np.float64]
    digests: Mapping[str, str]
    plugged: Mapping[str, Plugged] = field(default_factory=dict, repr=False)

    def raise_failure(self, error: Exception | None = None) -> None:
        """Raise UserError for an exception inside a user's policy, in one sentence; do nothing if there was none.

        The engine sees only -1 from a plain-Python policy that raised; what a compiled one raises comes out of the
        engine: hand it over as ``error``.
        """
        for label, plugged in self.plugged.items():
            complaint = plugged.complaint(label)
            if complaint is not None:
                raise complaint
        compiled = [label for label, plugged in self.plugged.items() if not plugged.declaration.python]
        if error is not None and compiled:
            names = " or ".join(map(repr, compiled))
            raise UserError(f"policy {names} raised {type(error).__name__}: {' '.join(str(error).split())}") from error


@dataclass
class _Player:
    """One entry of a line-up made ready."""

    label: str
    function: Any
    parameters: NDArray[np.float64]
    weights: NDArray[np.float64]
    digest: str = ""
    plugged: Plugged | None = None


def resolve(entries: Sequence[str], seats: int) -> LineUp:
    """Make a line-up ready: one entry for all seats, or one per seat. Raises UserError for what cannot be played."""
    import numpy as np

    from wsim.policies.lineup import parse_lineup
    from wsim.wonders.words import SEATS

    parsed = parse_lineup(entries)
    if len(parsed) not in (1, seats):
        raise UserError(f"{len(parsed)} policies for {seats} seats: give one for all seats or one per seat")
    distinct: dict[str, _Player] = {}
    for entry in parsed:
        if str(entry) not in distinct:
            distinct[str(entry)] = _player(entry)
    _name_apart(distinct)
    players = [distinct[str(parsed[place % len(parsed)])] for place in range(SEATS)]
    return LineUp(
        labels=tuple(player.label for player in players[:seats]),
        functions=tuple(player.function for player in players),
        parameters=np.stack([player.parameters for player in players]),
        weights=np.stack([player.weights for player in players]),
        digests={player.label: player.digest for player in distinct.values() if player.digest},
        plugged={player.label: player.plugged for player in distinct.values() if player.plugged is not None},
    )


def _name_apart(players: Mapping[str, _Player]) -> None:
    """Give entries that chose the same name, or that of a registered policy, the entry as written for a label."""
    chosen = [player.label for player in players.values()]
    for written, player in players.items():
        if player.label != written and (chosen.count(player.label) > 1 or player.label in REGISTRY):
            player.label = written


def _player(entry: Entry) -> _Player:
    """Make one entry ready."""
    import numpy as np

    from wsim.policies.plug import installed
    from wsim.wonders.kernels.layout import WEIGHTS
    from wsim.wonders.policies.explore import EXPLORE
    from wsim.wonders.words import AGES, PARAMETERS

    parameters, weights = np.zeros(PARAMETERS), np.zeros((AGES, WEIGHTS))
    plain = entry.file is None and entry.module is None
    if plain and entry.name in REGISTRY:
        policy = REGISTRY[entry.name]
        digest = ""
        values = _check_parameters(entry, policy.parameters, weights=policy.kind == "weights")
        if policy.kind == "weights":
            weights, digest = _weights_of(entry, policy, values)
        parameters[EXPLORE] = values["explore"]
        return _Player(str(entry), policy.load(), parameters, weights, digest)
    if plain and entry.name not in installed():
        names = [*REGISTRY, *installed()]
        raise UserError(f"unknown policy {entry.name!r}: known are {', '.join(names)}{nearest(entry.name, names)}")
    return _user_player(entry, parameters, weights)


def _user_player(entry: Entry, parameters: NDArray[np.float64], weights: NDArray[np.float64]) -> _Player:
    """Make an entry of a user's own policy ready."""
    from wsim.policies.plug import plug

    if entry.module in REGISTRY:
        raise UserError(
            f"{entry.function!r} is no parameter of policy {entry.module!r}: write {entry.module}:key=value"
        )
    plugged = plug(entry, _interface())
    declared = _declared(plugged.declaration)
    values = _check_parameters(entry, (*declared, _EXPLORE))
    for place, parameter in enumerate(declared):
        parameters[place] = float(values[parameter.name])
    parameters[-1] = values["explore"]
    label = plugged.declaration.name
    written = str(entry)
    if label:
        label += written[len(entry.name) :]
    return _Player(label or written, plugged.call, parameters, weights, plugged.digest or plugged.where, plugged)


@lru_cache(maxsize=1)
def _interface() -> Interface:
    """Return how this game calls its policies."""
    from wsim.policies.plug import Interface
    from wsim.wonders.kernels.layout import CHOICE, POLICY, PRIVATE, PUBLIC, RULES
    from wsim.wonders.policies.explore import explores

    return Interface(POLICY, (PUBLIC, PRIVATE, CHOICE, RULES), explores)


def _declared(declaration: Declaration) -> tuple[Parameter, ...]:
    """Return the parameters that the decorator declared."""
    return tuple(Parameter(name, type(value), value, "") for name, value in declaration.parameters.items())


def _check_parameters(entry: Entry, accepted: Sequence[Parameter], *, weights: bool = False) -> dict[str, Any]:
    """Return the value of every parameter, and the weights that the entry sets; raise UserError for others."""
    from wsim.wonders.policies.features import FEATURES

    known = {parameter.name: parameter for parameter in accepted}
    if weights:
        known |= {name: Parameter(name, float, 0.0, meaning) for name, meaning in FEATURES.items()}
    values: dict[str, Any] = {parameter.name: parameter.default for parameter in accepted}
    for key, value in entry.parameters.items():
        if key not in known:
            listed = ", ".join(parameter.name for parameter in accepted) + (" or a weight" if weights else "")
            raise UserError(
                f"policy {entry.name!r} has no parameter {key!r}: accepted are {listed}{nearest(key, known)}"
            )
        values[key] = known[key].check(value, entry.name)
    return values


def _weights_of(entry: Entry, policy: Policy, values: Mapping[str, Any]) -> tuple[NDArray[np.float64], str]:
    """Return the weights of an entry and the digest of the user's file that they are from, if any."""
    from wsim.wonders.policies.features import INDEX
    from wsim.wonders.weights import named_sets, read_sets

    file = str(values.get("file", ""))
    sets = read_sets(file) if file else named_sets()
    name = policy.weights or str(values["set"])
    if file and "set" not in entry.parameters:
        if len(sets) > 1:
            raise UserError(f"the weights file {file!r} has the sets {', '.join(sets)}: choose one with set=")
        name = next(iter(sets))
    if name not in sets:
        where = f" in {file!r}" if file else ""
        raise UserError(f"unknown weight set {name!r}{where}: known are {', '.join(sets)}{nearest(name, sets)}")
    weights = sets[name].copy()
    for key, place in INDEX.items():
        if key in entry.parameters:
            weights[:, place] = values[key]
    return weights, "sha256:" + hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""
