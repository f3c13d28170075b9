"""7 Wonders as an implementation of the game protocol in wsim/game.py."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest
from wsim.game import PickExperiment
from wsim.policies.chances import EXPERIMENT
from wsim.positions.kernel_game import KernelGame
from wsim.wonders import tunable_values
from wsim.wonders.bans import restrict
from wsim.wonders.describe import POSITION_KEYS
from wsim.wonders.registry import POLICIES
from wsim.wonders.words import ACTIONS, AGES, BUILD, BUILT, CATEGORIES, COLORS, SELL, STAGE, TURNS

if TYPE_CHECKING:
    from wsim.lab.plan import Plan
    from wsim.stats.games import Frame
    from wsim.stats.tables import Table
    from wsim.wonders.catalog import Catalogue
    from wsim.wonders.simulator import WondersSimulator

PICK_ACTIONS: Mapping[str, str] = {
    ACTIONS[BUILD]: "build the card",
    ACTIONS[STAGE]: "bury it under a stage",
    ACTIONS[SELL]: "sell it, which denies it to other seats",
    "take": "any of these",
}
"""The actions that use a card, with their descriptions."""


def catalogue_of(plan: Plan) -> Catalogue:
    """Return the catalogue of a plan; raise UserError if its rule set does not exist."""
    from wsim.wonders.catalog import load_catalogue, ruleset_names

    known = ruleset_names(*plan.card_files)
    if plan.ruleset not in known:
        accepted = f"{', '.join(known)}{nearest(plan.ruleset, known)}"
        raise UserError(f"unknown rule set {plan.ruleset!r}; accepted: {accepted}")
    return load_catalogue(plan.ruleset, *plan.card_files, changes=plan.set)


def _check_players(plan: Plan, catalogue: Catalogue) -> None:
    """Raise UserError if the rule set does not support the number of players; the message names rule sets that do."""
    from wsim.wonders.catalog import load_catalogue, ruleset_names

    if plan.players in catalogue.seat_numbers:
        return
    accepted = ", ".join(map(str, catalogue.seat_numbers))
    files = plan.card_files
    others = [name for name in ruleset_names(*files) if plan.players in load_catalogue(name, *files).seat_numbers]
    hint = f" (for {plan.players}: --ruleset {' or '.join(others)})" if others else ""
    raise UserError(f"{plan.players} players cannot play rule set {plan.ruleset}: accepted are {accepted}{hint}")


def _pick_effects(picks: Frame, seats: Frame, action: str, outcome: str, against: str, level: float) -> Table:
    from wsim.wonders.analysis.propensity import pick_effects

    return pick_effects(picks, seats, action, outcome=outcome, against=against, level=level)


class SevenWonders(KernelGame):
    NAME, TITLE = "seven_wonders", "7 Wonders"
    OPTIONS: Mapping[str, str] = {
        "wonders": "boards: random, balanced, one per seat such as Gizah,random,Rhodos, or rotate:Gizah,random,Rhodos",
        "sides": "sides of the boards: random, one for all (A, B, day, night) or one per seat",
        "randomise": "probability, for all seats or per seat, of replacing a pick by a uniform one (pick experiments)",
        **EXPERIMENT,
        "ban": "actions and cards forbidden to seats, as seat=item,...;...: trade, stages, sell, a colour or a card",
    }
    OWNED: Mapping[str, str] = {BUILT: "card"}
    COLOURS: Mapping[str, str] = dict(
        zip(
            (*CATEGORIES, *COLORS),
            (
                "light-dark(#c8452f, #de6a55)",  # military
                "light-dark(#d6a722, #e0ba4a)",  # treasury
                "light-dark(#8d7a66, #a8967f)",  # wonder
                "light-dark(#3f74b8, #6b9bd8)",  # civilian
                "light-dark(#3c9157, #5fb57c)",  # science
                "light-dark(#e2873a, #eb9c57)",  # commerce
                "light-dark(#7d57a8, #a583cf)",  # guild
                "light-dark(#4d4a46, #8a867e)",  # cities
                "light-dark(#8b5e3c, #b2825b)",  # brown
                "light-dark(#9a9a96, #a9a9a5)",  # gray
                "light-dark(#3f74b8, #6b9bd8)",  # blue
                "light-dark(#e0a92c, #e6ba50)",  # yellow
                "light-dark(#c8452f, #de6a55)",  # red
                "light-dark(#3c9157, #5fb57c)",  # green
                "light-dark(#7d57a8, #a583cf)",  # purple
                "light-dark(#3b3936, #8a867e)",  # black
            ),
            strict=True,
        )
    )
    FORMER_TABLES: Mapping[str, str] = {"readings": "drafting"}
    ANALYSES: Mapping[str, str] = {
        "policies": "wsim.wonders.analysis.boards:POLICIES",
        "wonders": "wsim.wonders.analysis.boards:WONDERS",
        "worth": "wsim.wonders.analysis.wishes:WORTH",
        "cards": "wsim.wonders.analysis.cards:CARDS",
        "drafting": "wsim.wonders.analysis.readings:READINGS",
        "effects": "wsim.wonders.analysis.propensity:EFFECTS",
        "matchups": "wsim.stats.shared:MATCHUPS",
        "crowding": "wsim.stats.shared:CROWDING",
        "strengths": "wsim.wonders.analysis.boards:STRENGTHS",
        "synergies": "wsim.wonders.analysis.cards:SYNERGIES",
        "chains": "wsim.wonders.analysis.cards:CHAINS",
        "variance": "wsim.wonders.analysis.boards:VARIANCE",
        "calibration": "wsim.wonders.analysis.calibration:CALIBRATION",
    }
    LEARNER = "wsim.wonders.learning:LEARNER"
    CATALOGUES = "wsim.wonders.catalog.listing:CATALOGUES"
    POSITION_KEYS = POSITION_KEYS
    RESTRICT = staticmethod(restrict)
    PICKS = PickExperiment(
        actions=PICK_ACTIONS,
        randomise=lambda plan, chance: plan.replace(picks=True, randomise=chance),
        effects=_pick_effects,
        usual=(ACTIONS[BUILD], ACTIONS[STAGE], ACTIONS[SELL]),
        ages=range(1, AGES + 1),
        turns=range(1, TURNS),
    )
    WISHES = "wsim.wonders.analysis.wishes:WISHES"
    TUNING = tunable_values.TUNING
    REST = Path(__file__).with_name("rest.json")
    COMPILE_SECONDS = (11.0, 7.0)
    POLICIES = POLICIES

    def default_plan(self, ruleset: str | None = None) -> Mapping[str, Any]:
        """Return the default plan: first edition, four players (two in a two-player rule set), all of them ``net``.

        With a single policy, no effect of a policy can be mistaken for an effect of a card or wonder.
        """
        return {
            "ruleset": "1e",
            "players": 2 if ruleset and ruleset.endswith("duo") else 4,
            "policies": ("net",),
            "games": 25_000,
            "rotate": True,
        }

    def plan_of(self, described: Mapping[str, Any], ruleset: str) -> Mapping[str, Any]:
        from wsim.wonders.describe.setup import plan_keys

        return plan_keys(described, ruleset)

    def prepare(self, plan: Plan) -> WondersSimulator:
        catalogue = catalogue_of(plan)
        _check_players(plan, catalogue)
        line_up = self.line_up(plan)
        from wsim.wonders.simulator import WondersSimulator  # which imports the compiler

        return WondersSimulator(plan, catalogue, line_up)


GAME = SevenWonders()
