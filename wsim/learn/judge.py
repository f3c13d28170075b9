"""How strong a net is: the share of victories of one against opponents, in games that nothing was learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from wsim.display import Display, Shown
from wsim.experiments.deals import Arm, Arms, Features, arm_by_arm
from wsim.game import find_game
from wsim.lab.answer import Answer, View, whole
from wsim.lab.plan import Plan
from wsim.learn.learner import learner_of
from wsim.stats.intervals import Estimate


@dataclass(frozen=True)
class Judgement:
    """The share of victories of one player (in teams: of its team), with a 95 % interval over games.

    Attributes
    ----------
    score: its mean score.
    """

    ruleset: str
    players: int
    against: str
    share: float
    low: float
    high: float
    fair: float
    score: float
    games: int


@dataclass(frozen=True, repr=False)
class Learned(Answer):
    """What learning came to.

    Attributes
    ----------
    net: where the last net lies.
    judgements: how strong it is, one row for each field of opponents: ruleset, players, against, win_share with low and
        high, fair_share, score, games.
    """

    TABLES: ClassVar[tuple[str, ...]] = ("judgements",)

    net: Path
    judgements: pl.DataFrame

    @classmethod
    def of(cls, net: Path, judgements: Sequence[Judgement]) -> Learned:
        """Return the answer of some judgements."""
        rows = [
            {
                "ruleset": one.ruleset, "players": one.players, "against": one.against,
                "win_share": round(one.share, 4), "low": round(one.low, 4), "high": round(one.high, 4),
                "fair_share": round(one.fair, 4), "score": round(one.score, 2), "games": one.games,
            }
            for one in judgements
        ]  # fmt: skip
        return cls(net, pl.DataFrame(rows, infer_schema_length=None))

    @property
    def title(self) -> str:
        """What was judged."""
        return "One of the net against others, in games that it never learned from"

    def record(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {"net": str(self.net), "judgements": self.judgements.to_dicts()}

    def display(self, view: View = whole) -> Display:
        """Return it for people: nothing where nobody judged."""
        shown = view(self.judgements)
        return Display(
            rows=shown, named="judgements", tables=[Shown(self.title, shown.to_dicts())] if len(shown) else []
        )


@dataclass(frozen=True)
class OwnSeats:
    """Reads win share and score of a policy off games, the mean of its seats, shape (games,) each."""

    policy: str

    def __call__(self, frame: pl.DataFrame, _games: range) -> Features:
        """Return the features of games."""
        own = frame.filter(pl.col("policy") == self.policy)
        by_game = own.group_by("game", maintain_order=True).agg(pl.col("win_share", "total").mean())
        return [by_game["win_share"].to_numpy(), by_game["total"].to_numpy()]


def judge(keys: dict[str, Any], one: str, against: Sequence[str], games: int, threads: int | None) -> Judgement:
    """Play one (in teams: one team of it) against others; ``keys`` of the plan hold a seed of their own.

    Alone it sits in every seat equally often, and opponents that differ sit around it in every order, each for as many
    games: who is beside whom decides much. A team stays in the first seats, which are as good as any.
    """
    players = int(keys["players"])
    others = [against[place % len(against)] for place in range(players)]
    table = find_game(keys["game"]).prepare(Plan.make(**{**keys, "policies": others}))
    mates = len(learner_of(keys["game"]).mates(table, 0))
    orders = [others[mates:]] if mates > 1 else sorted(set(permutations(others[1:])))
    played = []
    for place, order in enumerate(orders):
        line_up = [*[one] * mates, *order]
        plan = Plan.make(**{**keys, "policies": line_up, "games": games, "rotate": mates == 1})  # mates stay together
        arms = Arms((Arm(one, (find_game(plan.game).prepare(plan),)),), OwnSeats(one))
        own = range(games * place // len(orders), games * (place + 1) // len(orders))
        played += [features for [features] in arm_by_arm([arms], own, threads)] if own else []
    shares, scores = (np.concatenate(parts) for parts in zip(*played, strict=True))
    share = Estimate.of_games([shares.astype(np.float64)]).with_wilson()
    low, high = max(0.0, float(share.low[0])), min(1.0, float(share.high[0]))
    mean, fair = float(share.value[0]), mates / players
    score = float(scores.mean())
    return Judgement(str(keys["ruleset"]), players, ", ".join(against), mean, low, high, fair, score, len(shares))
