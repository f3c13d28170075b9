"""The registry of a game's policies, and the preparation of line-ups; all games share this code.

A game provides its rows and its interface as a ``PolicySet`` (``wsim/<game>/registry.py``). A policy is a kernel
``(public, own, choice, rules) -> index``: it gets the public record, its seat's private record, the legal moves and the
rules, and returns the index of its move. It never sees hidden cards, and is called only if there are several moves.

To add a policy, write one file and one row:

1. ``wsim/<game>/policies/<name>.py``: a ``@kernel`` with these four arguments; the docstring gives its idea and source.
   It is not called for decisions settled by the game's routine (``policies/routine.py``: exploring, paying a loss,
   ...).
2. ``wsim/<game>/registry.py``: ``Policy("<name>", kind, idea, source, "<name>:<function>")``. Its parameters, if it has
   any, arrive in ``own.parameters`` in the order of the row.

A weight set needs no code, only a table in ``wsim/<game>/weights.toml`` and a row that names it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest
from wsim.policies.lineup import PEOPLE, Entry, check_length, finite
from wsim.policies.pool import SEARCH, Player, Pool, check_budget, infers, players_of
from wsim.policies.watchdog import Answering

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wsim.limits import BrokenLimit
    from wsim.policies.declare import Declaration
    from wsim.policies.interface import Interface
    from wsim.policies.lineup import Value
    from wsim.policies.nets import NetSpec
    from wsim.policies.user_policies import UserPolicy
    from wsim.policies.weights import WeightSets


@dataclass(frozen=True)
class Parameter:
    """A parameter of a policy: ``name=value`` after a colon in a line-up.

    Attributes
    ----------
    kind: bool, int, float or str. default: its value if the line-up does not set it.
    least, most: the accepted range of a number.
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
        """Describe the accepted values in words."""
        if self.kind is bool:
            return "true or false"
        if self.kind is str:
            return "text"
        number = "a whole number" if self.kind is int else "a number"
        bounded = f" from {self.least:,.10g} to {self.most:,.10g}" if math.isfinite(self.most) else ""
        return number + bounded

    def check(self, value: Value, policy: str) -> Value:
        """Convert a value to the parameter's type; raise UserError if it is not accepted."""
        numbers = {bool: (bool,), int: (int,), float: (int, float), str: (str, int, float)}[self.kind]
        valid = isinstance(value, numbers) and isinstance(value, bool) == (self.kind is bool)
        if valid and self.kind in (int, float):
            valid = finite(value) and self.least <= float(value) <= self.most
        if not valid:
            raise UserError(f"parameter {self.name} of policy {policy!r} must be {self.accepted()}, not {value!r}")
        return self.kind(value)  # type: ignore[no-any-return]


EXPLORE = Parameter("explore", float, 0.0, "probability that a pick is uniformly random", 0.0, 1.0)
"""The parameter that every policy accepts; it is the last one in ``own.parameters``."""


def explores(entry: Entry) -> bool:
    """Return whether a line-up entry makes random picks (``explore`` above 0)."""
    return float(entry.parameters.get(EXPLORE.name, 0.0)) > 0


SET = Parameter("set", str, "balanced", "weight set: a built-in one, or one of `file`")
FILE = Parameter("file", str, "", "file of weight sets, in the form of the built-in weights.toml")
NET_FILE = Parameter("file", str, "", "a net written by wsim learn")
NET_SEED = Parameter("seed", str, "1", "which built-in net: each was trained on different deals")
MIX = Parameter("mix", float, 0.005, "the most utility by which nearly equal moves differ", 0, 1)
BUDGET = (
    Parameter("playouts", int, 200, "playouts per decision", 0, 1e6),
    Parameter("ms", float, 0.0, "milliseconds per decision, instead of playouts: not reproducible", 0, 1e6),
    Parameter("candidates", int, 10, "number of moves tried, the best according to the prior", 2, 64),
    Parameter("prior", float, -1.0, "weight of the prior's value, in playouts; -1: by its known error", -1, 1e6),
    Parameter("pool", str, "inferred", "possible rivals: inferred, all or policies joined by +, parameters after @"),
)
"""Parameters of searching policies (``wsim.policies.pool``)."""
_LIGHT_DEFAULTS: Mapping[str, Value] = {"playouts": 20, "pool": "net"}
LIGHT_BUDGET = tuple(
    replace(parameter, default=_LIGHT_DEFAULTS.get(parameter.name, parameter.default)) for parameter in BUDGET
)
"""The parameters of a light searcher, which assumes that its rivals play like ``net``."""
AHEAD = Parameter("ahead", int, 0, "own decisions after which a playout stops and is valued; 0: never", 0, 1e6)
"""An additional parameter of searchers with a user's values (``wsim.value``); it follows the ``BUDGET`` parameters."""


@dataclass(frozen=True)
class Policy:
    """A registered policy.

    Attributes
    ----------
    kind: "baseline", "heuristic", "weights" (plays a weight set; its parameters include single weights), "net" (plays
        a trained net) or "search" (gets the whole game for playouts).
    idea: its idea, in one line. source: the origin of the idea.
    function: its kernel, as "module:function" relative to the package of the game's policies; imported when played.
    parameters: its own parameters; every policy also has ``explore``.
    weights: the weight set that it plays, if it has a fixed one.
    uses_random: whether it draws random numbers even without ``explore``.
    settled: the parts of the game's routine that run before it is called; None for all.
    light: whether a searcher searches only at decisions where few playouts gain much (``wsim.kernels.searching``).
    """

    name: str
    kind: str
    idea: str
    source: str
    function: str
    parameters: tuple[Parameter, ...] = ()
    weights: str = ""
    uses_random: bool = False
    settled: tuple[str, ...] | None = None
    light: bool = False

    @property
    def accepted(self) -> tuple[Parameter, ...]:
        """All parameters that a line-up may set for this policy, except single weights."""
        return (*self.parameters, EXPLORE)


def rows_by_name(*policies: Policy) -> Mapping[str, Policy]:
    return MappingProxyType({policy.name: policy for policy in policies})


@dataclass(frozen=True)
class PolicySet:
    """The policies of a game.

    Attributes
    ----------
    policies: name -> row, in the order in which they are listed.
    home: the game's package, such as "wsim.wonders". It contains ``kernels.layout`` (dtypes PUBLIC, PRIVATE, CHOICE,
        RULES and SETTINGS, and TYPES), ``policies`` and, if there are weight sets, ``policies.features`` (FEATURES) and
        ``weights.toml``.
    part: the part of a game for which weights have separate values, such as "age"; empty if none (``WeightSets``).
    nets: returns the ``NetSpec`` of its policy ``net``, if it has one.
    routine: returns the routine that runs before policies are called (``Interface.routine``); None: only exploring.
    """

    policies: Mapping[str, Policy]
    home: str
    part: str = ""
    nets: Callable[[], NetSpec] | None = None
    routine: Callable[[], Mapping[str, Any]] | None = None

    def interface(self) -> Interface:
        """Return the game's interface to its policies; the first call imports its kernels and builds it."""
        return self._interface

    @cached_property
    def _interface(self) -> Interface:
        from wsim.policies.interface import EXPLORE as EXPLORING
        from wsim.policies.interface import Interface, exploring
        from wsim.policies.weights import WeightSets

        layout = import_module(f"{self.home}.kernels.layout")
        features: Mapping[str, str] = {}
        if any(policy.kind == "weights" for policy in self.policies.values()):
            features = import_module(f"{self.home}.policies.features").FEATURES
        sets = Path(str(layout.__file__)).parents[1] / "weights.toml"
        parameters = layout.PRIVATE["parameters"].shape[0]
        return Interface(
            home=f"{self.home}.policies",
            signature=layout.TYPES.policy,
            records=(layout.PUBLIC, layout.PRIVATE, layout.CHOICE, layout.RULES),
            seats=layout.TYPES.seats,
            routine=self.routine() if self.routine is not None else {EXPLORING: exploring(parameters)},
            weights=WeightSets(sets, features, layout.SETTINGS["weights"].shape, self.part),
            nets=self.nets() if self.nets is not None else None,
            searcher=layout.TYPES.searcher,
        )


NET_OF_FILE = "net of a file"
"""The kind of a policy that needs a net file and cannot be played by its name alone."""


def policy_rows(policy_set: PolicySet) -> list[dict[str, Any]]:
    """List a registry as rows with name, kind, idea, parameters, source and random; installed policies are last.

    In a game without a built-in net, the kind of ``net`` is ``NET_OF_FILE``.
    """
    from wsim.policies.user_policies import installed

    shipped = Path(str(import_module(policy_set.home).__file__)).with_name("net.npz").is_file()

    def row(name: str, kind: str, source: str, policy: Policy | None = None) -> dict[str, Any]:
        return {
            "name": name,
            "kind": NET_OF_FILE if kind == "net" and not shipped else kind,
            "idea": policy.idea if policy else "",
            "parameters": ", ".join(map(str, policy.accepted)) if policy else "",
            "source": source,
            "random": policy.uses_random if policy else False,
        }

    rows = [row(policy.name, policy.kind, policy.source, policy) for policy in policy_set.policies.values()]
    extra = {name: point for name, point in installed().items() if name not in policy_set.policies}
    return rows + [row(name, "installed", point.value) for name, point in extra.items()]


@dataclass(frozen=True)
class LineUp(Answering):
    """The policies of a table, ready for the engine.

    Attributes
    ----------
    labels: the label of each seat in tables; equal entries share a label.
    functions: the entry points, as many as the engine has seats; if there are fewer players, they repeat.
    parameters, weights: values for ``PRIVATE.parameters`` and ``SETTINGS.weights``, for each function.
    digests: label -> digest that identifies how the policy plays; for the provenance.
    plugged: label -> user policy.
    nets: the net of each function, or None.
    pools: the pool of each function; None if it does not search.
    limit_error: returns the error for a limit that a game exceeded, given the limit and the location; set by the
        simulator.
    """

    labels: tuple[str, ...]
    functions: tuple[Any, ...]
    parameters: NDArray[np.float64]
    weights: NDArray[np.float64]
    digests: Mapping[str, str]
    plugged: Mapping[str, UserPolicy] = field(default_factory=dict, repr=False)
    nets: tuple[Any, ...] = field(default=(), repr=False)
    pools: tuple[Pool | None, ...] = ()
    limit_error: Callable[[BrokenLimit, str], UserError] | None = field(default=None, repr=False, compare=False)

    @property
    def pooled(self) -> tuple[Player, ...]:
        """The players in all distinct pools, in order."""
        return tuple(player for pool in dict.fromkeys(self.pools) if pool for player in pool.players)

    @property
    def entry_points(self) -> tuple[Any, ...]:
        """All functions that the engine may call: first those of the seats, then those of the players in pools."""
        return (*self.functions, *(player.function for player in self.pooled))

    def fill(self, seating: Any, rules: Any) -> None:
        """Write parameters, settings and pools into a game's seating; ``rules`` is the game's RULES record.

        Equal weights and nets are written once, so entries with the same policy share a slot.
        """
        at, nets = len(self.functions), self.nets or (None,) * len(self.functions)
        settings = [*zip(self.weights, nets, strict=True), *((player.weights, player.net) for player in self.pooled)]
        rows = [*self.parameters, *(player.parameters for player in self.pooled)]
        seating["parameters"][: len(rows)] = rows
        slots: dict[Any, int] = {}
        for index, (weights, net) in enumerate(settings):
            key = weights.tobytes(), net and net.digest
            if key not in slots:
                slots[key] = len(slots)
                seating["settings"][slots[key]]["weights"] = weights
                if net is not None:
                    seating["settings"][slots[key]]["net"] = net.record(rules)
            seating["settings_at"][index] = slots[key]
        for pool in dict.fromkeys(self.pools):
            if pool:
                users = [index for index, of_entry in enumerate(self.pools) if of_entry == pool]
                seating["pool_at"][users], seating["pool_size"][users] = at, len(pool.players)
                at += len(pool.players)

    def fill_in_order(self, seating: Any, source: Any, order: NDArray[np.int64]) -> None:
        """Copy a seating that ``fill`` has filled (``source``), with its entries in a different order.

        Players in pools keep their slots.
        """
        for name in ("parameters", "pool_at", "pool_size", "settings_at"):
            seating[name][: len(order)] = source[name][order]

    @classmethod
    def of(cls, players: Sequence[Player], seats: int) -> LineUp:
        """Create a line-up with one player per seat; players repeat until the engine's ``seats`` seats are filled."""
        import numpy as np

        filled = [players[seat % len(players)] for seat in range(seats)]
        return cls(
            labels=tuple(player.label for player in players),
            functions=tuple(player.function for player in filled),
            parameters=np.stack([player.parameters for player in filled]),
            weights=np.stack([player.weights for player in filled]),
            digests={player.label: player.digest for player in players},
            plugged={player.label: player.plugged for player in players if player.plugged is not None},
            nets=tuple(player.net for player in filled),
            pools=tuple(player.pool for player in filled),
        )


def resolve(entries: Sequence[Entry], players: int, policy_set: PolicySet) -> LineUp:
    """Prepare a line-up of one entry for all seats or one per seat; raise UserError if it is not playable."""
    from wsim.kernels.searching import POOL

    check_length(entries, players)
    interface = policy_set.interface()
    ready: dict[str, Player] = {}
    for entry in entries:
        if str(entry) not in ready:
            ready[str(entry)] = _player(entry, policy_set.policies, interface)
    chosen = [player.label for player in ready.values()]
    taken = {label for label in chosen if chosen.count(label) > 1} | set(policy_set.policies)
    named = {
        written: replace(player, label=written) if player.label in taken else player
        for written, player in ready.items()
    }
    seated = [named[str(entries[seat % len(entries)])] for seat in range(players)]
    line_up = LineUp.of(seated, interface.seats)
    if len(line_up.pooled) > POOL:
        raise UserError(
            f"the pools of the line-up have {len(line_up.pooled)} players in total, more than {POOL}: let the "
            "searchers share a pool"
        )
    return line_up


def _player(entry: Entry, policies: Mapping[str, Policy], interface: Interface) -> Player:
    from wsim.policies.user_policies import installed, plug

    plain = entry.file is None and entry.module is None
    if plain and entry.name in policies:
        return _registered_player(entry, policies, interface)
    if plain and entry.name not in installed():
        names = [*policies, *installed()]
        if entry.name == PEOPLE:
            raise UserError("people's games cannot be played or replayed: they were imported without decisions")
        raise UserError(f"unknown policy {entry.name!r}{nearest(entry.name, names)}; accepted: {', '.join(names)}")
    if entry.module in policies:
        raise UserError(
            f"{entry.function!r} is not a parameter of policy {entry.module!r}: write {entry.module}:key=value"
        )
    plugged = plug(entry, interface)
    declared = plugged.declaration
    if declared.values:
        return _valuing_searcher(entry, policies, interface, plugged)
    accepted = tuple(Parameter(name, type(value), value, "") for name, value in declared.parameters.items())
    parameters = _parameters_of(accepted, _checked(entry, (*accepted, EXPLORE)), interface)
    weights = interface.weights.zeros()
    digest = _digest(f"{entry.function} {plugged.digest}", parameters, weights)
    return Player(_label(entry, declared), plugged.call, parameters, weights, digest, plugged)


def _registered_player(entry: Entry, policies: Mapping[str, Policy], interface: Interface) -> Player:
    from wsim.jit import source_digest

    policy = policies[entry.name]
    values = _checked(entry, policy.accepted, interface.weights if policy.kind == "weights" else None)
    source = f"{policy.function} {source_digest(interface.home.removeprefix('wsim.'))}"
    if policy.kind == SEARCH:
        return _searcher(entry, policies, check_budget(entry, values), interface, source)
    weights = _weights_of(entry, policy, values, interface) if policy.kind == "weights" else interface.weights.zeros()
    parameters = _parameters_of(policy.parameters, values, interface)
    function = interface.registered(policy.function, policy.settled)
    net = _net_of(entry, values, interface) if policy.kind == "net" else None
    if net is not None:
        weights, source = net.weights, f"{source} {net.digest.hex()}"
    return Player(str(entry), function, parameters, weights, _digest(source, parameters, weights), net=net)


def _searcher(
    entry: Entry, policies: Mapping[str, Policy], values: Mapping[str, Any], interface: Interface, source: str
) -> Player:
    """Return the player for a search entry, with the weights and net of its prior."""
    from wsim.kernels import searching

    shipped = bool(interface.nets and interface.nets.files)  # otherwise the prior uses weights
    kinds = {name: row.kind for name, row in policies.items() if row.kind != "net" or shipped}
    players = players_of(values["pool"], kinds, lambda member: _registered_player(member, policies, interface))
    net = _net_of(entry, values, interface) if shipped else None
    weights = players[0].weights if net is None else net.weights
    if net is not None:
        players[0] = replace(players[0], net=net, weights=weights)
    parameters = _parameters_of(policies[entry.name].parameters, values, interface)
    if infers(values["pool"], known=len(parameters) > searching.INFERRED + 1):
        parameters[searching.INFERRED] = 1
    if policies[entry.name].light:
        parameters[searching.MANNER] = searching.LIGHT
    sources = [source, *(player.digest for player in players), "" if net is None else net.digest.hex()]
    pool, function = Pool(values["pool"], tuple(players)), interface.searching(policies[entry.name].function)
    digest = _digest(" ".join(sources), parameters, weights)
    return Player(str(entry), function, parameters, weights, digest, None, net, pool)


def _label(entry: Entry, declared: Declaration) -> str:
    from wsim.policies.functions import MODULE, plain_name

    name = declared.name or (plain_name(entry.function) if entry.module == MODULE else "")
    return name + str(entry)[len(entry.name) :] if name else str(entry)


def _valuing_searcher(
    entry: Entry, policies: Mapping[str, Policy], interface: Interface, plugged: UserPolicy
) -> Player:
    """Return the player for a search entry that uses a user's value function, which is last in the pool."""
    from wsim.kernels import searching

    search = next(policy for policy in policies.values() if policy.kind == SEARCH)
    values = check_budget(entry, _checked(entry, (*BUDGET, AHEAD, EXPLORE)))
    searcher = _searcher(
        Entry(search.name), policies, values, interface, search.function
    )  # the digest of its pool covers the sources
    assert searcher.pool is not None
    parameters = _parameters_of((*BUDGET, AHEAD), values, interface)
    parameters[searching.MANNER], players = searching.VALUED, searcher.pool.players
    digest = _digest(f"{searcher.digest} {entry.function} {plugged.digest}", parameters, searcher.weights)
    pool = Pool(f"{searcher.pool.name} {digest}", (*players, replace(players[0], function=plugged.call)))
    searcher = replace(searcher, label=_label(entry, plugged.declaration), plugged=plugged)
    return replace(searcher, digest=digest, parameters=parameters, pool=pool)


def _checked(entry: Entry, accepted: Sequence[Parameter], weights: WeightSets | None = None) -> dict[str, Any]:
    """Return an entry's parameter values and the single weights that it sets; raise UserError for unknown names."""
    known = {parameter.name: parameter for parameter in accepted}
    values: dict[str, Any] = {parameter.name: parameter.default for parameter in accepted}
    for key, value in entry.parameters.items():
        if key in known:
            values[key] = known[key].check(value, entry.name)
        elif weights is not None and key in weights.features:
            values[key] = weights.in_entry(key, value, entry.name)
        else:
            listed = ", ".join(parameter.name for parameter in accepted) + (" or a weight" if weights else "")
            names = [*known, *(weights.features if weights else ())]
            raise UserError(
                f"policy {entry.name!r} has no parameter {key!r}{nearest(key, names)}: accepted are {listed}"
            )
    return values


def _parameters_of(specs: Sequence[Parameter], values: Mapping[str, Any], interface: Interface) -> NDArray[np.float64]:
    """Return ``PRIVATE.parameters``: the policy's numeric parameters in order, with ``explore`` at the end."""
    import numpy as np

    parameters = np.zeros(interface.records[1]["parameters"].shape)
    for index, name in enumerate(parameter.name for parameter in specs if parameter.kind is not str):
        parameters[index] = float(values[name])
    parameters[-1] = values[EXPLORE.name]
    return parameters


def _net_of(entry: Entry, values: Mapping[str, Any], interface: Interface) -> Any:
    """Return the net of an entry: the net in its file, or a built-in net."""
    assert interface.nets
    file, seed = (str(values.get(spec.name, spec.default)) for spec in (NET_FILE, NET_SEED))
    return interface.nets.named(file, seed, entry.path)


def _weights_of(entry: Entry, policy: Policy, values: Mapping[str, Any], interface: Interface) -> NDArray[np.float64]:
    """Return an entry's weights: its weight set, overridden by the single weights that the entry gives."""
    file = str(values.get(FILE.name, ""))
    sets = interface.weights.read(file, entry.path) if file else interface.weights.shipped
    name = policy.weights or str(values[SET.name])
    if file and SET.name not in entry.parameters:
        if len(sets) > 1:
            raise UserError(f"the weights file {file!r} has the sets {', '.join(sets)}: choose one with set=")
        name = next(iter(sets))
    if name not in sets:
        where = f" in {file!r}" if file else ""
        raise UserError(f"unknown weight set {name!r}{where}{nearest(name, sets)}; accepted: {', '.join(sets)}")
    weights = sets[name].copy()
    for key, index in interface.weights.indices.items():
        if key in entry.parameters:
            weights[..., index] = values[key]
    return weights


def _digest(source: str, parameters: NDArray[np.float64], weights: NDArray[np.float64]) -> str:
    """Compute a digest of an entry's sources and numbers, which identifies how it plays."""
    import hashlib

    content = source.encode() + b"\0" + parameters.tobytes() + weights.tobytes()
    return "sha256:" + hashlib.sha256(content).hexdigest()
