"""What if a card, a rule or a permission were different: variants against a baseline on common deals.

Every arm plays the same games of the same seed, so the deal, the boards and the seats are the same and cancel in the
difference. After each look, a group-sequential test (``wsim.stats.sequential``) says whether the answer is clear;
playing ends when it is for every variant, or when the budget is spent. The intervals are repeated confidence intervals:
with chance ``1 - alpha`` those of the chosen metric hold the true effects of all variants at all looks at once, so
stopping early costs no honesty. The other metrics' intervals hold each by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from wsim.display import Chart, Display, Shown
from wsim.errors import UserError
from wsim.experiments.contrasts import Contrasts, MetricReading
from wsim.experiments.deals import Arm, Arms, in_blocks, sample
from wsim.experiments.effects import EFFECT, effects_of, looks_of, remarks_of, rows_of
from wsim.experiments.metrics import Metric, group_metrics, groups_of, owned_metrics, parse_metric
from wsim.experiments.question import Change, Question
from wsim.experiments.trial import Trial, blocks_of
from wsim.experiments.variants import Variant, repeated, variants_of
from wsim.game import find_game
from wsim.lab.answer import UNRECORDED, Answer, View, counted, recorded_provenance, whole
from wsim.lab.batch import usable_threads
from wsim.lab.cluster import Cluster, check_cluster, players
from wsim.lab.keys import chosen, plan_keys
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted, Progress
from wsim.lab.provenance import Provenance
from wsim.lab.repetition import Again, unlike
from wsim.options import keywords, taken

if TYPE_CHECKING:
    from wsim.game import Game, Simulator

FIRST = ("variant", "value", "metric", "effect", "verdict", "changed", "baseline", "n", "differing")
FEW = 3  # variants up to which every metric is shown without being asked for
Lines = list[dict[str, Any]]


@dataclass(frozen=True, repr=False)
class WhatIf(Answer):
    """The answer.

    Attributes
    ----------
    estimand: what the effect is, in one sentence.
    question: how it was decided.
    stopped: ``clear``, ``budget`` or ``interrupted``.
    deals: deals played in every arm.
    games: games played in all arms together.
    seconds: how long playing took.
    effects: one row per variant: variant, value (of a sweep), baseline and changed (the metric in either arm), effect
        with effect_low and effect_high, verdict, decided_at (deals; the figures are those of then), n_baseline,
        n_changed (seats or games that count), differing (deals that are not alike), variance_removed. Verdicts are
        higher, lower, equivalent, unclear; same: the baseline's own value; identical: no deal differed; None: the
        metric is about seats that the change has chosen.
    details: the same for every metric: variant, value, metric, ..., the chosen one first.
    looks: variant, value, deals, effect with effect_low and effect_high at each look.
    remarks: what must be said beside the figures, a sentence each, without a full stop.
    variants: what was compared with the baseline.
    baseline: what made the baseline's games; its ``plan`` is the plan.
    metrics: what ``details`` has, in the order of each variant's rows.
    """

    FORMAT: ClassVar[str] = "wsim-whatif/2"
    COMMAND: ClassVar[str] = "wsim whatif"
    CALLED: ClassVar[str] = "a what-if"
    TABLES: ClassVar[tuple[str, ...]] = ("effects", "details", "looks")
    LONG: ClassVar[str] = "details"
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "effects": ("variant", "value", "baseline", "changed", *EFFECT, "verdict", "variance_removed"),
        **dict.fromkeys(("estimand", "deals", "question.metric", "baseline.plan"), ()),
    }

    estimand: str
    question: Question
    stopped: str
    deals: int
    games: int
    seconds: float
    effects: pl.DataFrame
    details: pl.DataFrame
    looks: pl.DataFrame
    remarks: tuple[str, ...]
    variants: tuple[Variant, ...] = field(repr=False)
    baseline: Provenance = field(repr=False)
    metrics: tuple[Metric, ...] = field(repr=False, metadata=UNRECORDED)

    def display(self, view: View = whole, *, every: bool = False) -> Display:
        """Return the answer for people; ``every``: every metric of many variants, too."""
        shown = view(self.effects)
        effects = shown.to_dicts()
        crowded = len(effects) > FEW
        tables = [
            (f"{_what(effects)}. {self.estimand}", _slim(effects)),
            *(self._details() if every or not crowded else []),
        ]
        chart = None
        if len(effects) > 1:
            names = [str(row["variant"] if row["value"] is None else row["value"]) for row in effects]
            rows = [
                (name, row["effect"], row["effect_low"], row["effect_high"])
                for name, row in zip(names, effects, strict=True)
            ]
            chart = Chart(f"Effect on {self.question.metric}, with its interval:", rows)
        return Display(
            rows=shown,
            named="effects",
            tables=[Shown(title, rows, first=FIRST) for title, rows in tables],
            notes=self._notes(),
            chart=chart,
            hint="add --details for all metrics of every variant" if crowded and not every else "",
        )

    def _details(self) -> list[tuple[str, Lines]]:
        """Return every other metric, shares apart from points because their sizes differ."""
        rows = [row for row in self.details.to_dicts() if row["metric"] != self.question.metric]
        of_shares = {metric.name for metric in self.metrics if metric.share}
        shares = [row for row in rows if row["metric"] in of_shares]
        points = [row for row in rows if row["metric"] not in of_shares]
        said = "each interval holds by itself, whenever playing stopped"
        both = (("Points and counts", points), ("Shares", shares))
        return [(f"{what}; {said}", _slim(part)) for what, part in both if part]

    def _notes(self) -> list[str]:
        """Say in words how the answer came about."""
        sure = f"{100 * (1 - self.question.alpha):g} %"
        level = (
            f"The intervals of this table hold together, for all variants and looks, with {sure} confidence"
            if self.effects.height > 1
            else f"Its interval holds for all looks together with {sure} confidence"
        )
        why = {
            "clear": f"Stopped because the answer is clear (budget {self.question.budget:,} deals)",
            "budget": "Stopped because the budget is spent",
            "interrupted": "Stopped by hand",
        }[self.stopped]
        rate = f", {self.games / self.seconds:,.0f} a second" if self.seconds > 0 else ""
        played = f"{self.deals:,} deals, {self.games:,} games in {self.seconds:.1f} s{rate}"
        said = [f"{one}." for one in self.remarks]
        removed = self.effects["variance_removed"].drop_nulls().to_list()
        saved = float(min(removed, default=0.0))
        percent = f"{100 * saved:.{1 if saved < 0.999 else 3}f} %"
        pairing = f"Pairing removed {'at least ' if len(removed) > 1 else ''}{percent} of the variance"
        if 0 < saved < 1:
            pairing += f": separate deals would take {1 / (1 - saved):,.1f} times as many games"
        return [f"{level}.", f"{why}: {played}.", *said, f"{pairing}."]

    @classmethod
    def identity(cls, record: Mapping[str, Any]) -> Any:
        """Return what tells an answer from others of its kind in the same folder."""
        return [record["variants"], record["question"], record["baseline"]["digest"]]

    @classmethod
    def flat_plan(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the plan of the baseline."""
        return dict(record["baseline"]["plan"])

    @classmethod
    def restored(cls, record: Mapping[str, Any], how: Again) -> Callable[[], Answer]:
        """Return what plays the same arms again."""
        question = Question(**record["question"])
        recorded_provenance(record["baseline"])
        plan = how.restored(cls.flat_plan(record))
        baseline: Simulator = find_game(plan.game).prepare(plan)
        variants = [repeated(variant, how.plan, how.places, baseline) for variant in record["variants"]]
        if not variants:
            raise UserError("the answer is damaged: it has no variant")
        return lambda: decide(plan, baseline, variants, question, threads=how.threads, progress=how.progress)

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        """Say what was compared."""
        return f"{record['deals']:,} deals of every arm, {counted(len(record['effects']), 'effect')}"

    def made_unlike(self, record: Mapping[str, Any]) -> list[str]:
        """Say what was not the same about how the baseline's games were made."""
        return unlike(recorded_provenance(record["baseline"]), self.baseline)


def _what(rows: Sequence[Mapping[str, Any]]) -> str:
    """Name what is varied, for a title: the one variant, or the path of a sweep."""
    if rows[0]["value"] is not None:
        return f"Sweep over {rows[0]['variant'].partition('=')[0]}"
    return f"What if {rows[0]['variant']}" if len(rows) == 1 else f"{len(rows)} variants"


def _slim(rows: Sequence[Mapping[str, Any]]) -> Lines:
    """Leave out of a table for people what its title or another column says; the JSON has it all."""
    hidden = {"variant"} if len({row["variant"] for row in rows}) == 1 else {"decided_at"}
    hidden |= {"value"} if rows[0]["value"] is None else {"variant"}
    same = all(row["n_baseline"] == row["n_changed"] for row in rows)
    hidden |= {"n_changed"} if same else set()
    hidden |= {"differing"} if all(row["differing"] is None for row in rows) else set()
    names = {"n_baseline": "n"} if same else {}
    return [{names.get(key, key): one for key, one in row.items() if key not in hidden} for row in rows]


@keywords(Change, Question, plan_keys)
def whatif(
    plan: Plan | None = None, /, *, threads: int | None = None, cluster: str | None = None, **keys: Any
) -> WhatIf:
    """Compare a plan with variants of it on common deals.

    Parameters
    ----------
    plan, keys: the baseline, as for ``simulate``; its number of games does not matter.
    threads: how many threads play. cluster: play on these workers instead, ``local:4`` or ``tcp://host:8786``.

    Raises UserError for whatever cannot be compared, Interrupted on Ctrl-C with the answer so far.

    >>> wsim.whatif(change=["cards.Palace.points=11"], budget=20_000).effects  # doctest: +SKIP
    """
    altered, question = taken(keys, Change), taken(keys, Question)
    return compare(chosen(plan, keys), altered, question, threads=threads, cluster=cluster)


def compare(
    plan: Plan,
    change: Change,
    question: Question,
    *,
    threads: int | None = None,
    cluster: str | Cluster | None = None,
    progress: Progress | None = None,
) -> WhatIf:
    """Play baseline and variants until the test is decided; see ``whatif``. ``progress`` is told of the deals."""
    check_cluster(cluster, threads)
    baseline: Simulator = find_game(plan.game).prepare(plan)
    pairs = variants_of(plan, change, question.seat, baseline)
    return decide(plan, baseline, pairs, question, threads=threads, cluster=cluster, progress=progress)


def decide(
    plan: Plan,
    baseline: Simulator,
    pairs: Sequence[tuple[Variant, Arm]],
    question: Question,
    *,
    threads: int | None = None,
    cluster: str | Cluster | None = None,
    progress: Progress | None = None,
) -> WhatIf:
    """Play a plan, made ready as ``baseline``, and its variants, each with its arm; see ``compare``."""
    usable_threads(threads)  # refuses what cannot be
    game: Game = find_game(plan.game)
    concerned = question.concerned(plan.players, baseline.seats)
    variants = [variant for variant, _ in pairs]
    arms = (Arm("baseline", (baseline,)), *(arm for variant, arm in pairs if not variant.same))
    if len(arms) == 1:
        raise UserError(f"there is nothing to compare: {variants[0].name} is what the baseline has already")
    metrics = _metrics(question, arms, game.OWNED, everyone=bool(concerned[: plan.players].all()))
    if cluster is None:
        for arm in arms:
            arm.rows(range(1))  # so that compiling is not counted as playing
    ready = [
        (plan, baseline),
        *(one for variant, arm in pairs for one in zip(variant.plans, arm.simulators, strict=True)),
    ]
    estimand = question.estimand(metrics[0], restricted=arms[1].seats is not None)
    provenance, picks = Provenance.of(plan, baseline), game.PICKS is not None
    trial = Trial(Contrasts(len(arms) - 1, len(metrics)), question)
    played = Arms(arms, MetricReading(metrics, concerned))
    try:
        with players(cluster, ready, threads) as chunks_of:
            trial.play(in_blocks(played.play, blocks_of(question.looks()), chunks_of), progress)
    except KeyboardInterrupt:
        known = answer_of(trial, arms, metrics, provenance, variants, estimand, picks=picks) if trial.looks else None
        raise Interrupted(known) from None
    return answer_of(trial, arms, metrics, provenance, variants, estimand, picks=picks)


def _metrics(
    question: Question, arms: Sequence[Arm], owned: Mapping[str, str], *, everyone: bool
) -> tuple[Metric, ...]:
    """Return the chosen metric and the others that are worth knowing; ``everyone``: all seats count."""
    baseline, restricted = arms[0].simulators[0], arms[1].seats is not None
    columns = sample(baseline)
    chosen, score, win = (parse_metric(name, columns, owned) for name in (question.metric, "score", "win"))
    if chosen == win and everyone and not restricted:
        groups = ", ".join(groups_of(columns))
        raise UserError(f"all win shares of a game sum to 1: say whose, as win:NAME (a {groups}) or with a seat")
    others = [score]
    changed = dict.fromkeys(thing for arm in arms[1:] for thing in baseline.changed(arm.simulators[0]))
    others += owned_metrics(list(changed), columns, owned)
    if not everyone or restricted:
        others.append(win)
    others += group_metrics(("score", "win") if restricted else ("win",), columns)
    return tuple(dict.fromkeys([chosen, *others]))


def answer_of(
    trial: Trial[Contrasts],
    arms: Sequence[Arm],
    metrics: Sequence[Metric],
    baseline: Provenance,
    variants: Sequence[Variant],
    estimand: str,
    *,
    picks: bool = True,
) -> WhatIf:
    """Return what a trial says that has looked at least once.

    Parameters
    ----------
    arms, metrics: what was played, and compared. baseline: what made the baseline's games.
    variants: those of the trial in their order, and between them those whose rules are the baseline's own.
    estimand: what an effect is, in one sentence.
    picks: whether the game has pick experiments, to which a remark may point.
    """
    played = [variant for variant in variants if not variant.same]
    rows = [(variant, metric) for variant in played for metric in metrics]
    return WhatIf(
        estimand=estimand,
        question=trial.question,
        stopped=trial.stopped,
        deals=trial.sums.deals,
        games=trial.sums.deals * sum(len(arm.simulators) for arm in arms),
        seconds=trial.seconds,
        effects=effects_of(trial, rows, variants),
        details=rows_of(rows, trial.sums, trial.looks[-1]),
        looks=looks_of(trial, played),
        remarks=remarks_of(trial, metrics[0], picks=picks),
        variants=tuple(variants),
        baseline=baseline,
        metrics=tuple(metrics),
    )
