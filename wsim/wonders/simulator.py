"""The simulator of 7 Wonders: a plan that is ready to play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.jit import source_digest
from wsim.limits import FORMULA
from wsim.paths import default_cards_path
from wsim.policies.effect_calls import compile_functions
from wsim.policies.effect_interface import EffectInterface
from wsim.policies.registry import resolve
from wsim.positions.machine import KernelSimulator, VectorKernels
from wsim.positions.move_text import move_text
from wsim.positions.scenes import moments
from wsim.spec.formula import slots_in
from wsim.version import STREAMS
from wsim.wonders.catalog import Catalogue
from wsim.wonders.catalog.compiling import compile_rules
from wsim.wonders.catalog.listing import catalogue_dict
from wsim.wonders.catalog.sources import source_name
from wsim.wonders.describe import text as words
from wsim.wonders.describe.scenes import scene, story
from wsim.wonders.describe.setup import set_up
from wsim.wonders.describe.trace import trace_of
from wsim.wonders.describe.view import columns
from wsim.wonders.frames import picks_frame, seats_frame
from wsim.wonders.kernels.fixed_actions import fixed_actions
from wsim.wonders.kernels.layout import CHOICES, DECIDED, DEEDS
from wsim.wonders.limits import LIMITS
from wsim.wonders.nets import VALUES
from wsim.wonders.position import WondersPosition
from wsim.wonders.registry import POLICIES
from wsim.wonders.seating import compile_seating

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.policies.registry import LineUp
    from wsim.positions.scenes import Scene, Story
    from wsim.positions.value_net import ValueNet


@cache
def _effects() -> EffectInterface:
    """Return the interface through which formulas of this game call Python functions."""
    from wsim.wonders.kernels.effect_table import CALLED, TABLE, write_table

    return EffectInterface(TABLE, CALLED, write_table, "wsim.wonders.kernels.effect_table")


class WondersSimulator(KernelSimulator[WondersPosition]):
    """A plan of 7 Wonders, ready to play; ``catalogue`` contains its cards, boards and rules."""

    KERNELS = "wsim.wonders.kernels"
    POSITION = WondersPosition
    LIMITS = LIMITS
    isolated_effects: Sequence[str] = ()

    def __init__(self, plan: Plan, catalogue: Catalogue, line_up: LineUp) -> None:
        rules = compile_rules(catalogue, plan.players)[0]
        if slots := slots_in(rules.code):
            self.isolated_effects = compile_functions(catalogue.effects, slots, _effects(), plan.effects_of_others)
        self.picks_per_game = DEEDS + (DECIDED if rules.asks else 0)  # one pick per deed and clause decision
        super().__init__(plan, line_up, rules, compile_seating(plan, catalogue, line_up, rules)[0])
        self.catalogue, self.own_cards = catalogue, default_cards_path()

    @cached_property
    def vector(self) -> VectorKernels:
        """The kernels for playing many games at once."""
        names = [card.name for card in self.catalogue.cards]
        observed = columns(self.catalogue, self.rules, history=False)
        recruits = [card.name for card in self.catalogue.deck_cards]
        options, cities = int(self.rules.most_options), int(self.rules.targets)
        picks, amounts = self.rules.picks > 0, int(self.rules.most_amount)
        actions = fixed_actions(names, options, cities, recruits, picks=picks, amounts=amounts)
        return self.vector_kernels(observed, actions, CHOICES)

    def limit_source(self, what: int, source: int) -> str:
        return source_name(self.catalogue, self.rules, source, of_formula=what == FORMULA)

    @property
    def table(self) -> str:
        return f"rule set {self.catalogue.ruleset} with {self.plan.players} players"

    def with_line_up(self, policies: Sequence[str]) -> WondersSimulator:
        plan = self.plan.replace(policies=policies)
        return WondersSimulator(plan, self.catalogue, resolve(plan.line_up, plan.players, POLICIES))

    def set_up(self, described: Mapping[str, Any]) -> WondersPosition:
        return set_up(self.begin(0), described)

    @property
    def value_net(self) -> ValueNet | None:
        """The value net; None for teams and for two players, because it was not trained for them."""
        return None if self.rules.teams or self.rules.duo else VALUES

    def base_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        """Return the seats table for kernel rows."""
        return seats_frame(rows, self.catalogue, self.line_up.labels, self.plan.players, self.seats)

    def picks_frame(self, picks: NDArray[Any]) -> pl.DataFrame:
        overrules = bool(self.seating.overrule.any())
        return picks_frame(picks, self.catalogue, self.rules.slot_card, overrules=overrules, asks=bool(self.rules.asks))

    def trace(self, number: int) -> dict[str, Any]:
        game, rows = self.logged(number)
        return trace_of(self.catalogue, self.rules, game, rows, self.labels, self.plan.seed, number)

    def text(self, trace: Mapping[str, Any]) -> str:
        return words.game_text(trace)

    def phrase(self, move: Mapping[str, Any]) -> str:
        return words.phrase(move)

    def payments(self, move: Mapping[str, Any]) -> dict[str, int]:
        return words.paid(move, self.seats)

    def public_move_text(self, move: Mapping[str, Any]) -> str:
        """Return the public part of a move in English: a card played face down is not named."""
        if move["action"] == "sell":
            return "sells a card"
        return move_text(move, self).replace("build", "builds", 1) if move["action"] == "build" else "builds a stage"

    def scene(self, view: Mapping[str, Any]) -> Scene:
        return scene(view, self.catalogue, self.rules)

    def moment(self, position: WondersPosition) -> tuple[int, int]:
        return int(position.record.public.age), int(position.record.public.turn)

    def known_points(self, position: WondersPosition) -> list[Mapping[str, int]]:
        return [*position.points_so_far()]

    def story(self, number: int) -> Story:
        positions = moments(self.begin(number), self.moment)
        points = [position.points_so_far() for position in positions]
        return story(self.trace(number), positions, points, self.catalogue, self.rules)

    def resolved(self) -> dict[str, Any]:
        return {**catalogue_dict(self.catalogue), "source": Path(self.catalogue.source).name}

    def changed(self, other: WondersSimulator) -> Sequence[str]:
        cards, others = ({card.name: card for card in plan.catalogue.cards} for plan in (self, other))
        return [name for name in {**cards, **others} if cards.get(name) != others.get(name)]

    def provenance(self) -> dict[str, Any]:
        catalogue = self.catalogue
        return {
            "ruleset": catalogue.ruleset,
            "catalogue": Path(catalogue.source).name,
            "catalogue_digest": catalogue.digest,
            "engine": source_digest("wonders.kernels"),
            "streams": STREAMS,
            "changes": list(catalogue.changes),
            "switches": dict(catalogue.switches),
            "cards": [card.name for card in catalogue.cards],
            "policies": dict(self.line_up.digests),
        }
