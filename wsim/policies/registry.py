"""The registry of a game's policies, and line-ups made ready to play: the same for every game.

A game hands in its rows and its interface, as a ``PolicySet`` (``wsim/<game>/registry.py``). A policy is a kernel
``(public, own, choice, rules) -> index``: it gets what everybody knows, what its seat knows, the legal moves and the
rules, and returns the index of its move. None sees hidden cards. It is asked only where there are several moves.

To add a policy, write one file and one row:

1. ``wsim/<game>/policies/<name>.py``: a ``@kernel`` of these four arguments, its idea and source in the docstring. What
   the game's routine settles (``policies/routine.py``: exploring, paying a loss, ...) it is not asked.
2. ``wsim/<game>/registry.py``: ``Policy("<name>", kind, idea, source, "<name>:<function>")``. Its parameters, if it has
   any, arrive in ``own.parameters`` in the order of the row.

A weight set needs no code: a table of ``wsim/<game>/weights.toml`` and a row that names it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest
from wsim.policies.lineup import Entry, check_length, finite
from wsim.policies.pool import SEARCH, Player, Pool, check_budget, infers, players_of
from wsim.policies.watch import Answering

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wsim.policies.declare import Declaration
    from wsim.policies.interface import Interface
    from wsim.policies.lineup import Value
    from wsim.policies.nets import NetSpec
    from wsim.policies.plug import Plugged
    from wsim.policies.weights import WeightSets


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
        bounded = f" from {self.least:,.10g} to {self.most:,.10g}" if math.isfinite(self.most) else ""
        return number + bounded

    def check(self, value: Value, policy: str) -> Value:
        """Return a value of the parameter's kind; raise UserError for one that is not accepted."""
        numbers = {bool: (bool,), int: (int,), float: (int, float), str: (str, int, float)}[self.kind]
        sound = isinstance(value, numbers) and isinstance(value, bool) == (self.kind is bool)
        if sound and self.kind in (int, float):
            sound = finite(value) and self.least <= float(value) <= self.most
        if not sound:
            raise UserError(f"parameter {self.name} of policy {policy!r} is {self.accepted()}, not {value!r}")
        return self.kind(value)  # type: ignore[no-any-return]


EXPLORE = Parameter("explore", float, 0.0, "chance that a pick is a uniformly random one", 0.0, 1.0)
"""What every policy accepts; the last place of ``own.parameters``."""


def explores(entry: Entry) -> bool:
    """Say whether an entry of a line-up picks at random now and then."""
    return float(entry.parameters.get(EXPLORE.name, 0.0)) > 0


SET = Parameter("set", str, "balanced", "which weight set: one that comes with wsim, or one of `file`")
FILE = Parameter("file", str, "", "a file of weight sets of the same form as wsim's own weights.toml")
NET_FILE = Parameter("file", str, "", "a net that wsim learn wrote")
NET_SEED = Parameter("seed", str, "1", "which of the nets that come with wsim: each learned by deals of its own")
BUDGET = (
    Parameter("playouts", int, 200, "games played to their end at each decision", 0, 1e6),
    Parameter("ms", float, 0.0, "milliseconds of a decision, in place of playouts: not reproducible", 0, 1e6),
    Parameter("candidates", int, 10, "moves that are tried, the best ones of the prior", 2, 64),
    Parameter("prior", float, 20.0, "playouts that the prior's value counts as", 0, 1e6),
    Parameter("pool", str, "all", "who the rivals may be: all, inferred, or policies with a plus between them"),
)
"""Of policies that search (``wsim.policies.pool``)."""
AHEAD = Parameter("ahead", int, 0, "own decisions after which a playout is cut and valued, 0: never", 0, 1e6)
"""Of those that search by a user's values (``wsim.value``): it comes behind the budget."""


@dataclass(frozen=True)
class Policy:
    """A registered policy.

    Attributes
    ----------
    kind: "baseline", "heuristic", "weights" (which plays a weight set, and takes single weights as parameters), "net"
        (which plays a net of learned weights) or "search" (which gets the whole game, to play it on).
    idea: one line. source: where the idea is from.
    function: its kernel, "module:function" under the home of the game's policies, imported when played.
    parameters: its own ones; every policy has ``explore``, too.
    weights: the named weight set that it plays, if it is always the same.
    uses_random: whether it draws random numbers without ``explore``.
    settled: the parts of the game's routine that are settled before it is asked; None for all.
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

    @property
    def accepted(self) -> tuple[Parameter, ...]:
        """All that a line-up may set, but for single weights."""
        return (*self.parameters, EXPLORE)


def rows_by_name(*policies: Policy) -> Mapping[str, Policy]:
    """Return the rows of a registry by their names."""
    return MappingProxyType({policy.name: policy for policy in policies})


@dataclass(frozen=True)
class PolicySet:
    """The policies of a game: what it hands in.

    Attributes
    ----------
    policies: its rows by name, in the order in which they are listed.
    home: its package, such as "wsim.wonders". It has ``kernels.layout`` (dtypes PUBLIC, PRIVATE, CHOICE, RULES and
        SETTINGS, and TYPES), ``policies``, and where there are weight sets, ``policies.features`` (FEATURES) and
        ``weights.toml``.
    part: what a weight has a value each for, such as "age"; empty where it has one (``WeightSets``).
    nets: returns the nets of its policy ``net``, if it has one.
    routine: returns what is settled before its policies are asked (``Interface.routine``); None: exploring alone.
    """

    policies: Mapping[str, Policy]
    home: str
    part: str = ""
    nets: Callable[[], NetSpec] | None = None
    routine: Callable[[], Mapping[str, Any]] | None = None

    def interface(self) -> Interface:
        """Return how the game calls its policies, always the same; imports its kernels."""
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
"""The kind of policies that play a net that has to be named: they cannot be asked by their name alone."""


def policy_rows(policy_set: PolicySet) -> list[dict[str, Any]]:
    """Return a registry as rows: name, kind, idea, parameters, source, random; installed policies last.

    The kind of a net that comes with no file is ``NET_OF_FILE``.
    """
    from wsim.policies.plug import installed

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
    others = {name: point for name, point in installed().items() if name not in policy_set.policies}
    return rows + [row(name, "installed", point.value) for name, point in others.items()]


@dataclass(frozen=True)
class LineUp(Answering):
    """The policies of a table, ready for the engine.

    Attributes
    ----------
    labels: for each seat the name of its entry in every table; equal entries share one.
    functions: the entrances, as many as the engine takes; beyond the seats they repeat.
    parameters, weights: what ``PRIVATE`` and ``SETTINGS`` get of these names, for each of the functions.
    digests: label -> what identifies its play; for the provenance.
    plugged: label -> user's policy.
    nets: for each of the functions its net, or None.
    pools: for each of the functions the pool of its entry, none where it does not search.
    """

    labels: tuple[str, ...]
    functions: tuple[Any, ...]
    parameters: NDArray[np.float64]
    weights: NDArray[np.float64]
    digests: Mapping[str, str]
    plugged: Mapping[str, Plugged] = field(default_factory=dict, repr=False)
    nets: tuple[Any, ...] = field(default=(), repr=False)
    pools: tuple[Pool | None, ...] = ()

    @property
    def pooled(self) -> tuple[Player, ...]:
        """The players of all pools, one pool behind the other, each once."""
        return tuple(player for pool in dict.fromkeys(self.pools) if pool for player in pool.players)

    @property
    def entrances(self) -> tuple[Any, ...]:
        """All that the engine may call: the functions, behind them those of the pools' players."""
        return (*self.functions, *(player.function for player in self.pooled))

    def fill(self, seating: Any, rules: Any) -> None:
        """Write parameters, settings and pools into the seating of a game, which is played by a RULES record.

        Weights and nets that are equal are written once: entries of the same policy share a place.
        """
        seating["parameters"][:] = self.parameters
        at, nets = len(self.functions), self.nets or (None,) * len(self.functions)
        settings = [*zip(self.weights, nets, strict=True), *((one.weights, one.net) for one in self.pooled)]
        places: dict[Any, int] = {}
        for place, (weights, net) in enumerate(settings):
            key = weights.tobytes(), net and net.digest
            if key not in places:
                places[key] = len(places)
                seating["settings"][places[key]]["weights"] = weights
                if net is not None:
                    seating["settings"][places[key]]["net"] = net.record(rules)
            seating["settings_at"][place] = places[key]
        for pool in dict.fromkeys(self.pools):
            if pool:
                mine = [place for place, other in enumerate(self.pools) if other == pool]
                seating["pool_at"][mine], seating["pool_size"][mine] = at, len(pool.players)
                at += len(pool.players)

    def fill_in_order(self, seating: Any, source: Any, order: NDArray[np.int64]) -> None:
        """Write into a seating what ``fill`` wrote into ``source``, with the entries in another order.

        The pools' players keep their places.
        """
        for name in ("parameters", "pool_at", "pool_size", "settings_at"):
            seating[name][: len(order)] = source[name][order]

    @classmethod
    def of(cls, players: Sequence[Player], seats: int) -> LineUp:
        """Return the line-up of these players, one for each seat at the table; the engine has ``seats`` in all."""
        import numpy as np

        filled = [players[place % len(players)] for place in range(seats)]
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
    """Make a line-up ready: one entry for all seats, or one per seat. Raises UserError for what cannot be played."""
    from wsim.kernels.searching import POOL

    check_length(entries, players)
    interface = policy_set.interface()
    ready: dict[str, Player] = {}
    for entry in entries:
        if str(entry) not in ready:
            ready[str(entry)] = _player(entry, policy_set.policies, interface)
    named = _named_apart(ready, policy_set.policies)
    seated = [named[str(entries[seat % len(entries)])] for seat in range(players)]
    line_up = LineUp.of(seated, interface.seats)
    if len(line_up.pooled) > POOL:
        raise UserError(
            f"the pools of the line-up have {len(line_up.pooled)} players together: the table takes {POOL}, so let the "
            "searchers share one"
        )
    return line_up


def _named_apart(players: Mapping[str, Player], known: Iterable[str]) -> dict[str, Player]:
    """Give entries that chose the same name, or that of a registered policy, the entry as written for a label."""
    chosen = [player.label for player in players.values()]
    taken = {label for label in chosen if chosen.count(label) > 1} | set(known)
    return {
        written: replace(player, label=written) if player.label in taken else player
        for written, player in players.items()
    }


def _player(entry: Entry, policies: Mapping[str, Policy], interface: Interface) -> Player:
    """Make one entry ready."""
    from wsim.policies.plug import installed

    plain = entry.file is None and entry.module is None
    if plain and entry.name in policies:
        return _registered_player(entry, policies, interface)
    if plain and entry.name not in installed():
        names = [*policies, *installed()]
        raise UserError(f"unknown policy {entry.name!r}: known are {', '.join(names)}{nearest(entry.name, names)}")
    if entry.module in policies:
        raise UserError(
            f"{entry.function!r} is no parameter of policy {entry.module!r}: write {entry.module}:key=value"
        )
    return _user_player(entry, policies, interface)


def _registered_player(entry: Entry, policies: Mapping[str, Policy], interface: Interface) -> Player:
    """Make an entry of a registered policy ready."""
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
    """Make an entry that searches ready; its weights and its net are those that its prior goes by."""
    from wsim.kernels import searching

    shipped = bool(interface.nets and interface.nets.files)  # else it goes by weights
    kinds = {name: row.kind for name, row in policies.items() if row.kind != "net" or shipped}
    players = players_of(values["pool"], kinds, lambda name: _registered_player(Entry(name), policies, interface))
    net = _net_of(entry, values, interface) if shipped else None
    weights = players[0].weights if net is None else net.weights
    if net is not None:
        players[0] = replace(players[0], net=net, weights=weights)
    parameters = _parameters_of(policies[entry.name].parameters, values, interface)
    if infers(values["pool"], known=len(parameters) > searching.INFERRED + 1):
        parameters[searching.INFERRED] = 1
    made_of = [source, *(player.digest for player in players), "" if net is None else net.digest.hex()]
    pool, function = Pool(values["pool"], tuple(players)), interface.searching(policies[entry.name].function)
    digest = _digest(" ".join(made_of), parameters, weights)
    return Player(str(entry), function, parameters, weights, digest, None, net, pool)


def _user_player(entry: Entry, policies: Mapping[str, Policy], interface: Interface) -> Player:
    """Make an entry of a user's own policy ready."""
    from wsim.policies.plug import plug

    plugged = plug(entry, interface)
    declared = plugged.declaration
    if declared.values:
        return _valuing_searcher(entry, policies, interface, plugged)
    own = _declared(declared)
    parameters, weights = _parameters_of(own, _checked(entry, (*own, EXPLORE)), interface), interface.weights.zeros()
    digest = _digest(f"{entry.function} {plugged.digest}", parameters, weights)
    return Player(_label(entry, declared), plugged.call, parameters, weights, digest, plugged)


def _label(entry: Entry, declared: Declaration) -> str:
    """Return the name of a user's policy in every table."""
    from wsim.policies.functions import MODULE, plain_name

    name = declared.name or (plain_name(entry.function) if entry.module == MODULE else "")
    return name + str(entry)[len(entry.name) :] if name else str(entry)


def _valuing_searcher(entry: Entry, policies: Mapping[str, Policy], interface: Interface, plugged: Plugged) -> Player:
    """Make an entry ready that searches by a user's values: what asks for them is the last of the pool."""
    from wsim.kernels import searching

    search = next(policy for policy in policies.values() if policy.kind == SEARCH)
    values = check_budget(entry, _checked(entry, (*BUDGET, AHEAD, EXPLORE)))
    found = _searcher(Entry(search.name), policies, values, interface, search.function)  # its pool knows the sources
    assert found.pool is not None
    parameters = _parameters_of((*BUDGET, AHEAD), values, interface)
    parameters[searching.VALUED], own = 1.0, found.pool.players
    digest = _digest(f"{found.digest} {entry.function} {plugged.digest}", parameters, found.weights)
    pool = Pool(f"{found.pool.name} {digest}", (*own, replace(own[0], function=plugged.call)))
    found = replace(found, label=_label(entry, plugged.declaration), plugged=plugged)
    return replace(found, digest=digest, parameters=parameters, pool=pool)


def _declared(declaration: Declaration) -> tuple[Parameter, ...]:
    """Return the parameters that a user's own policy declares."""
    return tuple(Parameter(name, type(value), value, "") for name, value in declaration.parameters.items())


def _checked(entry: Entry, accepted: Sequence[Parameter], weights: WeightSets | None = None) -> dict[str, Any]:
    """Return the value of every parameter, and of the weights that the entry sets; raise UserError for others."""
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
                f"policy {entry.name!r} has no parameter {key!r}: accepted are {listed}{nearest(key, names)}"
            )
    return values


def _parameters_of(own: Sequence[Parameter], values: Mapping[str, Any], interface: Interface) -> NDArray[np.float64]:
    """Return ``PRIVATE.parameters``: a policy's own numbers in their order, ``explore`` last."""
    import numpy as np

    parameters = np.zeros(interface.records[1]["parameters"].shape)
    for place, name in enumerate(parameter.name for parameter in own if parameter.kind is not str):
        parameters[place] = float(values[name])
    parameters[-1] = values[EXPLORE.name]
    return parameters


def _net_of(entry: Entry, values: Mapping[str, Any], interface: Interface) -> Any:
    """Return the net of an entry: that of its file, or one that comes with wsim."""
    assert interface.nets
    file, seed = (str(values.get(one.name, one.default)) for one in (NET_FILE, NET_SEED))
    return interface.nets.named(file, seed, entry.place)


def _weights_of(entry: Entry, policy: Policy, values: Mapping[str, Any], interface: Interface) -> NDArray[np.float64]:
    """Return the weights of an entry: those of its set, with the single ones that it names laid over them."""
    file = str(values.get(FILE.name, ""))
    sets = interface.weights.read(file, entry.place) if file else interface.weights.shipped
    name = policy.weights or str(values[SET.name])
    if file and SET.name not in entry.parameters:
        if len(sets) > 1:
            raise UserError(f"the weights file {file!r} has the sets {', '.join(sets)}: choose one with set=")
        name = next(iter(sets))
    if name not in sets:
        where = f" in {file!r}" if file else ""
        raise UserError(f"unknown weight set {name!r}{where}: known are {', '.join(sets)}{nearest(name, sets)}")
    weights = sets[name].copy()
    for key, place in interface.weights.places.items():
        if key in entry.parameters:
            weights[..., place] = values[key]
    return weights


def _digest(source: str, parameters: NDArray[np.float64], weights: NDArray[np.float64]) -> str:
    """Return what identifies the play of an entry: what it is made of, and all its numbers."""
    import hashlib

    content = source.encode() + b"\0" + parameters.tobytes() + weights.tobytes()
    return "sha256:" + hashlib.sha256(content).hexdigest()
