"""What if a card, a rule or a permission were different: variants against a baseline on common deals.

Every arm plays the same games of the same seed, so the deal, the boards and the seats are the same and cancel in the
difference. After each look, a group-sequential test (``wsim.stats.spending``) says whether the answer is clear; playing
ends when it is for every variant, or when the budget is spent. The intervals are repeated confidence intervals: with
chance ``1 - level`` those of the chosen metric hold the true effects of all variants at all looks at once, so
stopping early costs no honesty. The other metrics' intervals hold each by itself.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.comparisons.arms import Change, Variant, arms_of, changed_cards, variants_of
from wsim.comparisons.metrics import Metric, card_metrics, group_metrics, levels_of, parse_metric
from wsim.comparisons.paired import Arm, Comparison, Pairing, play_paired
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.batch import usable_threads
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted, Progress
from wsim.lab.provenance import METADATA_KEY, Provenance
from wsim.stats.distributions import normal_cdf, t_quantile
from wsim.stats.intervals import nulls
from wsim.stats.spending import Boundaries

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["FORMAT", "Question", "WhatIf", "compare", "whatif"]

FORMAT = "wsim-whatif/1"
BLOCK = 2048  # deals whose sums are added in one go: small enough for many variants, large enough for the kernels
EFFECT = ("effect", "effect_low", "effect_high")
LOOKS = 8  # at budget / 128, / 64, ..., budget
FEWEST = 1000  # deals of the first look: the normal distribution needs some, and they take a second
FEWEST_THAT_COUNT = 20  # deals with an owner, say, below which no interval is given


@dataclass(frozen=True)
class Question:
    """How a comparison is decided.

    Attributes
    ----------
    metric: the quantity that decides (``wsim.comparisons.metrics``).
    seat: the seat whose outcomes count; None for all, or for those that a restriction concerns.
    budget: deals at most, each played in every arm.
    level: the chance of calling some variant different when none is; shared out equally among variants.
    margin: effects smaller than this do not matter: playing also ends when all are known to be smaller.
    spending: how the level is used up: pocock (large effects stop early) or obrien_fleming (short last interval).
    """

    metric: str = "score"
    seat: int | None = None
    budget: int = 100_000
    level: float = 0.05
    margin: float | None = None
    spending: str = "pocock"

    def __post_init__(self) -> None:
        if type(self.budget) is not int or self.budget < 2:
            raise UserError(f"the budget must be a whole number of games, at least 2, not {self.budget!r}")
        if not 0 < self.level <= 0.5:
            raise UserError(f"the level is the accepted chance of a false alarm, such as 0.05, not {self.level!r}")
        if self.margin is not None and not self.margin > 0:
            raise UserError(f"the margin must be larger than 0, not {self.margin!r}")

    def looks(self) -> list[int]:
        """Return after how many deals the test looks."""
        planned = {math.ceil(self.budget / 2**halvings) for halvings in range(LOOKS)}
        return sorted(look for look in planned if look >= min(FEWEST, self.budget))


@dataclass(frozen=True)
class WhatIf:
    """The answer.

    Attributes
    ----------
    baseline: what made the baseline's games; its ``plan`` is the plan.
    test: how it was decided.
    estimand: what the effect is, in one sentence.
    stopped: ``clear``, ``budget`` or ``interrupted``.
    deals: deals played in every arm.
    games: games played in all arms together.
    seconds: how long playing took.
    effects: one row per variant: variant, value (of a sweep), baseline and changed (the metric in either arm), effect
        with effect_low and effect_high, verdict (higher,
        lower, equivalent, unclear, same), decided_at (deals), n_baseline, n_changed (seats or games that count),
        variance_removed.
    details: the same for every metric: variant, value, metric, ..., the chosen one first.
    looks: variant, value, deals, effect with effect_low and effect_high at each look.
    """

    baseline: Provenance = field(repr=False)
    test: Question
    estimand: str
    stopped: str
    deals: int
    games: int
    seconds: float
    effects: pl.DataFrame
    details: pl.DataFrame
    looks: pl.DataFrame
    variants: tuple[Variant, ...] = field(repr=False)

    def record(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        test = {name: getattr(self.test, name) for name in self.test.__dataclass_fields__}
        return {
            "format": FORMAT,
            "estimand": self.estimand,
            "test": test,
            "stopped": self.stopped,
            "deals": self.deals,
            "games": self.games,
            "seconds": round(self.seconds, 3),
            "effects": self.effects.to_dicts(),
            "details": self.details.to_dicts(),
            "looks": self.looks.to_dicts(),
            "variants": [variant.record() for variant in self.variants],
            "baseline": self.baseline.record(),
        }

    def write(self, path: str | Path) -> Path:
        """Write the answer and return where it lies.

        ``x.json`` holds the record; ``x.parquet`` the table ``details`` with the record in its metadata; into a run
        folder goes ``whatif-....json``, for its report. Raises StoreError if the disk refuses.
        """
        from wsim.lab.files import write_text, writing
        from wsim.lab.plan import digest_of

        target = Path(path)
        record = json.loads(json.dumps(self.record()))
        if (target / "run.json").is_file():
            asked = [record["variants"], record["test"], record["baseline"]["digest"]]
            target = target / f"whatif-{digest_of(asked)[:8]}.json"
        check_target(target)
        if target.suffix == ".parquet":
            with writing(target) as temporary:
                self.details.write_parquet(temporary, metadata={METADATA_KEY: json.dumps(record, ensure_ascii=False)})
        else:
            write_text(target, json.dumps(record, ensure_ascii=False, indent=2) + "\n")
        return target


def check_target(path: Path) -> None:
    """Raise UserError for a path that an answer cannot be written to."""
    if path.suffix not in (".json", ".parquet") and not (path / "run.json").is_file():
        raise UserError(f"a what-if is written as FILE.json or FILE.parquet, or into a run folder, not {str(path)!r}")


def whatif(
    plan: Plan | None = None,
    /,
    *,
    change: Sequence[str] = (),
    change_files: Sequence[str] = (),
    sweep: str | None = None,
    ban: Sequence[str] = (),
    metric: str = "score",
    seat: int | None = None,
    budget: int = 100_000,
    level: float = 0.05,
    margin: float | None = None,
    spending: str = "pocock",
    threads: int | None = None,
    **keys: Any,
) -> WhatIf:
    """Compare a plan with variants of it on common deals.

    Parameters
    ----------
    plan, keys: the baseline, as for ``simulate``; its number of games does not matter.
    change, change_files: values (``"cards.Palace.points=6"``) and patch files of the variant only.
    sweep: ``"cards.Palace.points=5..9"``, ``"...=5..9..2"`` or ``"...=5,7,9"``: one variant for each value.
    ban: what one seat may not do (``"stages"``, ``"green,trade"``); one variant for each entry.
    metric, seat, budget, level, margin, spending: see ``Question``.

    Raises UserError for whatever cannot be compared, Interrupted on Ctrl-C with the answer so far.

    >>> wsim.whatif(change=["cards.Palace.points=11"], budget=20_000).effects  # doctest: +SKIP
    """
    base = Plan.make(**keys) if plan is None else plan.replace(**keys)
    test = Question(metric, seat, budget, level, margin, spending)
    return compare(base, Change(tuple(change), tuple(change_files), sweep, tuple(ban)), test, threads=threads)


def compare(
    plan: Plan,
    change: Change,
    test: Question,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> WhatIf:
    """Play baseline and variants until the test is decided; see ``whatif``. ``progress`` is told of the deals."""
    count = usable_threads(threads)
    baseline = find_game(plan.game).prepare(plan)
    variants = variants_of(plan, change, test.seat, baseline)
    played = [variant for variant in variants if not variant.same]
    if not played:
        raise UserError(f"there is nothing to compare: {variants[0].name} is what the baseline has already")
    arms = arms_of(plan, baseline, played)
    sample = baseline.seats_frame(np.zeros(0, baseline.row_dtype))
    concerned = _concerned(test, plan.players, baseline.seats)
    metrics = _metrics(test, change, sample, everyone=bool(concerned[: plan.players].all()))
    for arm in arms:
        arm.rows(0, 1)  # so that compiling is not counted as playing
    trial = _Trial(Provenance.of(plan, baseline), test, variants, arms, metrics, _estimand(metrics[0], test, change))
    try:
        trial.play(Pairing(tuple(arms), tuple(metrics), concerned), count, progress)
    except KeyboardInterrupt:
        raise Interrupted(trial.interrupted()) from None
    return trial.answer()


def _concerned(test: Question, players: int, seats: int) -> NDArray[np.bool_]:
    """Return which rows of a game count."""
    if test.seat is None:
        return np.ones(seats, bool)
    if not 0 <= test.seat < players:
        raise UserError(f"the seat must be from 0 to {players - 1}, not {test.seat}")
    concerned: NDArray[np.bool_] = np.arange(seats) == test.seat
    return concerned


def _estimand(metric: Metric, test: Question, change: Change) -> str:
    """Say in one sentence what the effect is."""
    if change.ban:
        whose = "of the restricted seat" if test.seat is None else f"of seat {test.seat}"
        turns = ", each seat of a deal in turn" if test.seat is None else ""
        contrast = f"restricted less free, on the same deals{turns}"
    else:
        whose = "of all seats" if test.seat is None else f"of seat {test.seat}"
        contrast = "variant less baseline, on the same deals and seats"
    quantity = metric.estimand(whose)
    return f"{quantity[0].upper()}{quantity[1:]}: {contrast}."


def _metrics(test: Question, change: Change, sample: pl.DataFrame, *, everyone: bool) -> list[Metric]:
    """Return the chosen metric and the others that are worth knowing for this change."""
    chosen = parse_metric(test.metric, sample)
    if chosen == parse_metric("win", sample) and everyone and not change.ban:
        groups = ", ".join(levels_of(sample))
        raise UserError(f"all win shares of a game sum to 1: say whose, as win:NAME (a {groups}) or with a seat")
    others = [parse_metric("score", sample), *card_metrics(changed_cards(change), sample)]
    if not everyone or change.ban:
        others.append(parse_metric("win", sample))
    others += group_metrics(("score", "win") if change.ban else ("win",), sample)
    return [chosen, *(metric for metric in dict.fromkeys(others) if metric != chosen)]


class _Trial:
    """A comparison under way."""

    def __init__(
        self,
        baseline: Provenance,
        test: Question,
        variants: Sequence[Variant],
        arms: Sequence[Arm],
        metrics: Sequence[Metric],
        estimand: str,
    ) -> None:
        self._baseline, self._test, self._variants, self._metrics = baseline, test, tuple(variants), tuple(metrics)
        self._played = [variant for variant in variants if not variant.same]
        self._games_a_deal = sum(len(arm.simulators) for arm in arms)
        self._estimand = estimand
        self._comparison = Comparison(len(self._played), len(metrics))
        self._boundaries = Boundaries(test.level / len(self._played), test.spending)
        self._verdicts: dict[int, tuple[str, int]] = {}
        self._looks: list[dict[str, Any]] = []
        self._reach = np.zeros(0)
        self._looked = 0
        self._stopped = "budget"
        self._start = time.perf_counter()
        self._seconds = 0.0

    def play(self, pairing: Pairing, threads: int, progress: Progress | None) -> None:
        """Play block by block, look when it is time, end when all is clear."""
        looks = self._test.looks()
        edges = sorted({*looks, *range(BLOCK, self._test.budget, BLOCK)})
        blocks = [range(first, last) for first, last in zip([0, *edges], edges, strict=False)]
        for games, sums in play_paired(pairing, blocks, threads):
            updated = self._comparison.plus(sums)
            self._comparison = updated  # in one step: Ctrl-C may come at any time
            if progress is not None:
                progress("deals", games.stop, self._test.budget)
            if games.stop in looks and self._look():
                self._stopped = "clear"
                break
        self._seconds = time.perf_counter() - self._start

    def _look(self) -> bool:
        """Look at the data so far; return whether every variant is decided."""
        deals = self._comparison.games
        self._reach = self._reaches(self._boundaries.next(deals / self._test.budget))
        self._looked = deals
        effect = self._comparison.effect()
        for place in range(len(self._played)):
            at = place * len(self._metrics)  # the chosen metric is the first
            value, reach = float(effect.value[at]), float(self._reach[at])
            verdict = self._verdict(value - reach, value + reach)
            if verdict and place not in self._verdicts:
                self._verdicts[place] = (verdict, deals)
            ends = [one if math.isfinite(one) else None for one in (value, value - reach, value + reach)]
            variant = self._played[place]
            row = {"variant": variant.name, "value": variant.value, "deals": deals}
            self._looks.append({**row, **dict(zip(EFFECT, ends, strict=True))})
        return len(self._verdicts) == len(self._played)

    def _reaches(self, boundary: float) -> NDArray[np.float64]:
        """Return half the length of each interval; infinite where too few games speak."""
        effect = self._comparison.effect()
        tail = float(normal_cdf(-boundary))  # Student's t at the same tail allows for the estimated variance
        if not tail > 0:
            return np.full(len(effect.value), np.inf)
        known = (effect.games >= FEWEST_THAT_COUNT) & np.isfinite(effect.error)
        freedom = np.where(known, effect.games - 1, 1)
        return np.where(known, t_quantile(1 - tail, freedom) * np.where(known, effect.error, 0.0), np.inf)

    def _verdict(self, low: float, high: float) -> str:
        """Return the verdict that an interval allows, or nothing."""
        if low > 0 or high < 0:
            return "higher" if low > 0 else "lower"
        margin = self._test.margin
        return "equivalent" if margin is not None and -margin < low and high < margin else ""

    def interrupted(self) -> WhatIf | None:
        """Return the answer after Ctrl-C, with one more look; None before the first deals."""
        if not self._comparison.games:
            return None
        self._seconds = time.perf_counter() - self._start
        self._stopped = "interrupted"
        if self._comparison.games > self._looked:
            self._look()
        return self.answer()

    def answer(self) -> WhatIf:
        """Return the answer."""
        import polars as pl

        details = self._details()
        names = [
            "variant",
            "value",
            "baseline",
            "changed",
            "effect",
            "effect_low",
            "effect_high",
            "verdict",
            "decided_at",
        ]
        names += ["n_baseline", "n_changed", "variance_removed"]
        chosen = details.filter(pl.col("metric") == self._metrics[0].name)
        effects = chosen.join(self._states(), on="variant", how="left", maintain_order="left").select(names)
        order = ["variant", "value", "metric", *names[2:7], *names[9:]]
        return WhatIf(
            baseline=self._baseline,
            test=self._test,
            estimand=self._estimand,
            stopped=self._stopped,
            deals=self._comparison.games,
            games=self._comparison.games * self._games_a_deal,
            seconds=self._seconds,
            effects=self._with_same(effects),
            details=details.select(order),
            looks=self._looked_at(),
            variants=self._variants,
        )

    def _details(self) -> pl.DataFrame:
        import polars as pl

        comparison, metrics = self._comparison, len(self._metrics)
        effect, counts = comparison.effect(), comparison.counts()
        return pl.DataFrame(
            {
                "variant": [variant.name for variant in self._played for _ in range(metrics)],
                "value": pl.Series(
                    [variant.value for variant in self._played for _ in range(metrics)], dtype=pl.String
                ),
                "metric": [metric.name for metric in self._metrics] * len(self._played),
                "baseline": nulls(comparison.base().value),
                "changed": nulls(comparison.changed().value),
                "effect": nulls(effect.value),
                "effect_low": nulls(effect.value - self._reach),
                "effect_high": nulls(effect.value + self._reach),
                "n_baseline": np.rint(counts[:, 0]).astype(np.int64),
                "n_changed": np.rint(counts[:, 1]).astype(np.int64),
                "variance_removed": nulls(comparison.variance_removed()),
            }
        )

    def _looked_at(self) -> pl.DataFrame:
        import polars as pl

        numbers = dict.fromkeys(EFFECT, pl.Float64())
        schema = {"variant": pl.String(), "value": pl.String(), "deals": pl.Int64(), **numbers}
        return pl.DataFrame(self._looks, schema=schema)

    def _states(self) -> pl.DataFrame:
        import polars as pl

        states = [self._verdicts.get(place, ("unclear", None)) for place in range(len(self._played))]
        return pl.DataFrame(
            {
                "variant": [variant.name for variant in self._played],
                "verdict": [state[0] for state in states],
                "decided_at": pl.Series([state[1] for state in states], dtype=pl.Int64),
            }
        )

    def _with_same(self, effects: pl.DataFrame) -> pl.DataFrame:
        """Put the values of a sweep that are the baseline's own into their places: no effect, without playing."""
        import polars as pl

        rows = {row["variant"]: row for row in effects.to_dicts()}
        baseline = effects["baseline"][0]
        nothing = {"baseline": baseline, "changed": baseline, **dict.fromkeys(EFFECT, 0.0), "verdict": "same"}
        empty: dict[str, Any] = dict.fromkeys(effects.columns)
        all_rows = [
            rows.get(variant.name) or {**empty, "variant": variant.name, "value": variant.value, **nothing}
            for variant in self._variants
        ]
        return pl.DataFrame(all_rows, schema=effects.schema)
