"""The simulator of Tower of Babel: a plan that is ready to play."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.babel.catalog import Catalogue
from wsim.babel.catalog.compiling import compile_rules
from wsim.babel.catalog.loading import BABEL_TOML
from wsim.babel.catalog.model import SECTION
from wsim.babel.describe.scenes import scene, story
from wsim.babel.describe.setup import set_up
from wsim.babel.describe.text import game_text, phrase
from wsim.babel.describe.trace import trace_of
from wsim.babel.describe.view import columns
from wsim.babel.frames import picks_frame, seats_frame
from wsim.babel.kernels.fixed_actions import fixed_actions
from wsim.babel.kernels.layout import ACTION_DRAWS, MOVES, SEATING, records
from wsim.babel.limits import LIMITS
from wsim.babel.position import BabelPosition
from wsim.babel.registry import POLICIES
from wsim.babel.words import ACTION_CARDS, EXCHANGE_CARDS
from wsim.jit import source_digest
from wsim.limits import FORMULA
from wsim.policies.chances import overruling_of
from wsim.policies.registry import resolve
from wsim.positions.machine import KernelSimulator, VectorKernels
from wsim.positions.scenes import moments
from wsim.positions.value_net import ValueNet
from wsim.rng import keys_of
from wsim.version import STREAMS

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.policies.registry import LineUp
    from wsim.positions.scenes import Scene, Story


VALUES = ValueNet(
    file=Path(__file__).with_name("value.npz"),
    slopes=Path(__file__).with_name("value-slopes.json"),
    entries="wsim.babel.policies.chances:ENTRIES",
    stages=96,
    phases={"turns 1 to 10": 1, "turns 11 to 20": 11, "later turns": 21},
)
"""The value net, whose stages are turns."""


class BabelSimulator(KernelSimulator[BabelPosition]):
    """A plan of Tower of Babel, ready to play.

    Attributes
    ----------
    catalogue: the components and switches of the plan.
    """

    KERNELS = "wsim.babel.kernels"
    POSITION = BabelPosition
    LIMITS = LIMITS
    own_cards = BABEL_TOML

    def __init__(self, plan: Plan, catalogue: Catalogue, line_up: LineUp) -> None:
        rules, seating = compile_rules(catalogue, plan.players), records(1, SEATING)[0]
        seating.keys[:], seating.rotate = keys_of(plan.seed), plan.rotate
        seating.overrule[: plan.players] = overruling_of(plan.options, plan.players)
        line_up.fill(seating, rules)
        super().__init__(plan, line_up, rules, seating)
        self.catalogue, self.picks_per_game = catalogue, max_picks(rules)

    @cached_property
    def vector(self) -> VectorKernels:
        """The kernels, ready to step many games at once."""
        return self.vector_kernels(columns(self.seats), fixed_actions(), MOVES)

    def limit_source(self, what: int, source: int) -> str:
        return f"action card {ACTION_CARDS[list(self.rules.effect_at).index(source)]}" if what == FORMULA else ""

    def with_line_up(self, policies: Sequence[str]) -> BabelSimulator:
        plan = self.plan.replace(policies=policies)
        return BabelSimulator(plan, self.catalogue, resolve(plan.line_up, plan.players, POLICIES))

    def set_up(self, described: Mapping[str, Any]) -> BabelPosition:
        return set_up(self.begin(0), described)

    @property
    def value_net(self) -> ValueNet:
        """The value net for all tables of the game."""
        return VALUES

    def base_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        """Return the seats table (``frames.SEAT_COLUMNS``)."""
        return seats_frame(rows, self.labels, self.seats, self.catalogue)

    def picks_frame(self, picks: NDArray[Any]) -> pl.DataFrame:
        return picks_frame(picks, self.labels, self.catalogue, overrules=bool(self.seating.overrule.any()))

    def trace(self, number: int) -> dict[str, Any]:
        game, rows = self.logged(number)
        return trace_of(self.catalogue, game, rows, self.labels, self.plan.seed, number)

    def text(self, trace: Mapping[str, Any]) -> str:
        return game_text(trace)

    def phrase(self, move: Mapping[str, Any]) -> str:
        return phrase(move)

    def scene(self, view: Mapping[str, Any]) -> Scene:
        return scene(view)

    def moment(self, position: BabelPosition) -> int:
        return int(position.record.public.turn)

    def known_points(self, position: BabelPosition) -> list[Mapping[str, int]]:
        return [{"on the track": points} for points in position.standing()]

    def story(self, number: int) -> Story:
        return story(self.trace(number), moments(self.begin(number), self.moment))

    def resolved(self) -> dict[str, Any]:
        return {SECTION: json.loads(json.dumps(self.catalogue.section))}

    def provenance(self) -> dict[str, Any]:
        return {
            "ruleset": self.catalogue.ruleset,
            "catalogue": Path(self.catalogue.source).name,
            "catalogue_digest": self.catalogue.digest,
            "engine": source_digest("babel.kernels"),
            "streams": STREAMS,
            "changes": list(self.catalogue.changes),
            "switches": dict(self.catalogue.rules),
            "assumptions": [str(assumption) for assumption in self.catalogue.assumptions()],
            "policies": dict(self.line_up.digests),
        }


def max_picks(rules: Any) -> int:
    """Return an upper bound on the number of decisions in a game.

    Each action has the turn decision, an offer and possibly a bluff by every opponent, the choice of partners, and the
    completion. Action cards add their windows, the Double turn, the Triple bonus, and the decisions of each Card
    exchange.
    """
    opponents = int(rules.seats) - 1
    per_action = 3 + opponents * (2 if rules.allow_bluff_cards else 1)
    actions, per_game = int(rules.turn_limit), 0
    if rules.use_action_cards:
        per_action += 2 * int(rules.seats) + 1 + opponents
        actions += ACTION_DRAWS  # second actions of Double turns
        per_game = ACTION_DRAWS * (2 + int(rules.effects[EXCHANGE_CARDS]))
    return actions * per_action + per_game
