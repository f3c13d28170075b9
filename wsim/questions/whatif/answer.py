"""What-if: compare variants of a card, rule or permission with a baseline, on common deals.

Every arm plays the same games of the same seed, so the luck of deal, wonders and seats cancels in the difference. At
each look a group-sequential test (``wsim.stats.sequential``) decides whether the answer is clear; playing stops when it
is clear for every variant or the budget is spent. The intervals are repeated confidence intervals: with probability ``1
- alpha`` the intervals of the chosen metric cover the true effects of all variants at all looks, even after early
stopping. The intervals of the other metrics are each valid on their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from wsim.document import Chart, Column, Conclusion, Document, Sheet
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.answer import UNRECORDED, Answer, Stored, View, recorded_provenance, whole
from wsim.lab.execution import Execution
from wsim.lab.plan import Plan
from wsim.lab.provenance import Provenance
from wsim.lab.repetition import RepetitionSettings, counted, unlike
from wsim.questions.comparison import Comparison
from wsim.questions.contrasts import Contrasts, MetricReading
from wsim.questions.deals import Arm, Arms, in_blocks, sample, wish_columns
from wsim.questions.metrics import (
    Metric,
    group_metrics,
    groups_of,
    needs_seatings,
    owned_metrics,
    parse_metric,
    played_for,
    pooled_figure_of,
    wished_items,
)
from wsim.questions.trial import Trial, blocks_of
from wsim.questions.variants import Variant, repeated, variants_of
from wsim.questions.whatif.conclusion import changes_of, conclusion_of, metric_of, sentence_of
from wsim.questions.whatif.effects import (
    EFFECT,
    effect_columns,
    effects_of,
    looks_of,
    remarks_of,
    rows_of,
    wish_remarks,
)
from wsim.questions.words import metric_in_words
from wsim.spec.values import name_in_words
from wsim.stats.precision import undecided_note

if TYPE_CHECKING:
    from wsim.game import Game, Simulator
    from wsim.questions.whatif.question import Change

FIRST = ("variant", "value", "metric", "effect", "verdict", "changed", "baseline", "n", "differing")
PAIRED = "Baseline and variant play the same deals and seats: for these policies, the change causes the difference."
FEW = 3  # up to this many variants, every metric is shown by default
Lines = list[dict[str, Any]]


@dataclass(frozen=True, repr=False)
class WhatIfAnswer(Answer):
    """The answer to a what-if: the effects of the variants on the metrics.

    Attributes
    ----------
    estimand: the effect, in one sentence.
    question: how the comparison was decided.
    stopped: ``clear``, ``known`` (to within the wanted precision), ``budget`` or ``interrupted``.
    deals: the number of deals played in every arm.
    games: the number of games played in all arms together.
    seconds: the time that playing took.
    effects: one row per variant: variant, value (of a sweep), baseline and changed (the metric in each arm), effect
        with effect_low and effect_high, verdict, decided_at (number of deals; the figures are from that look),
        n_baseline, n_changed (seats or games that count), differing (deals that differ), variance_removed. Verdicts are
        higher, lower, equivalent, unclear; identical: no deal differed, or the variant equals the baseline; None: the
        change itself selects the seats of the metric.
    details: the same columns for every metric: variant, value, metric, ..., the chosen metric first.
    looks: variant, value, deals, effect with effect_low and effect_high at each look.
    remarks: caveats, one sentence each, without a full stop.
    variants: the variants.
    baseline: the provenance of the baseline's games, with the plan.
    metrics: the metrics in ``details``, in the order of each variant's rows.
    """

    FORMAT: ClassVar[str] = "wsim-whatif/2"
    COMMAND: ClassVar[str] = "wsim whatif"
    TITLE: ClassVar[str] = "a what-if"
    TABLES: ClassVar[tuple[str, ...]] = ("effects", "details", "looks")
    LONG_TABLE: ClassVar[str] = "details"
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "effects": ("variant", "value", "baseline", "changed", *EFFECT, "verdict", "variance_removed"),
        **dict.fromkeys(("estimand", "deals", "question.metric", "baseline.plan"), ()),
    }

    estimand: str
    question: Comparison
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

    @classmethod
    def renamed(cls, record: Mapping[str, Any]) -> dict[str, Any]:
        """Rename a verdict in an old record: formerly, ``same`` marked the variant that equals the baseline."""
        effects = record.get("effects")
        if not isinstance(effects, list) or not all(isinstance(row, dict) for row in effects):
            return dict(record)
        own = {"verdict": "identical"}
        return {**record, "effects": [row | own if row.get("verdict") == "same" else row for row in effects]}

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:
        """Return the column declarations of each table."""
        metric = str(record["question"]["metric"])
        return {"effects": effect_columns(metric), "details": effect_columns(), "looks": effect_columns(metric)}

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion:
        """State the effect of the change on the metric."""
        return conclusion_of(stored)

    @classmethod
    def document(cls, stored: Stored) -> Document:
        """Return a stored answer as a document for pages: the effects, plotted against the values of a sweep."""
        record, rows = stored.record, stored.main.to_dicts()
        plan = record["baseline"]["plan"]
        metric = metric_of(stored).noun
        numbers = [_number(row["value"]) for row in rows]
        heading = name_in_words(str(rows[0]["variant"]).partition("=")[0])
        sweep = len(rows) > 1 and None not in numbers
        shape: dict[str, Any] = {"shape": "curve", "over": (heading,)} if sweep else {"shape": "forest"}
        chart = Chart(
            values=("effect",), labels=("variant",), title=f"Effect on {metric}, with intervals",
            axis=f"effect on {metric}",
            caption=f"{record['deals']:,} deals of {plan['ruleset']}, {plan['players']} players; the intervals are "
            "jointly valid.", **shape,
        )  # fmt: skip
        changes = changes_of(stored, [str(row["variant"]) for row in rows])
        frame = stored.main.with_columns(pl.Series("variant", [changes[str(row["variant"])] for row in rows]))
        frame = frame.with_columns(pl.Series(heading, numbers)) if sweep else frame
        columns = [
            "variant",
            "baseline",
            "changed",
            "effect",
            "effect_low",
            "effect_high",
            "verdict",
            "variance_removed",
        ]
        main = stored.sheet(
            "effects", f"What if: {metric}", frame.select(*columns, *([heading] if sweep else [])), charts=(chart,)
        )
        remarks = [f"{remark}." for remark in record.get("remarks", ())]
        telling = undecided_note(
            stored.main, ["variant"], "effect", record["deals"], margin=record["question"].get("margin"), unit="deals"
        )
        notes = [f"{record['estimand']}", PAIRED, *filter(None, [telling]), *remarks]
        return Document(stored.main, [main], notes=notes)

    def display(self, view: View = whole, *, every: bool = False) -> Document:
        """Return the answer as a document; ``every``: show every metric even if there are many variants."""
        shown = view(self.effects)
        effects = shown.to_dicts()
        crowded = len(effects) > FEW
        metric, columns = self.question.metric, effect_columns(self.question.metric)
        title = f"{_title_of(effects)}. {self.estimand}"
        label = "variant" if effects[0]["value"] is None else "value"
        chart = Chart("forest", ("effect",), (label,), f"Effect on {metric}, with its interval", printed=True)
        charts = (chart,) if len(effects) > 1 else ()
        main = Sheet(title, _slim(effects), columns, first=FIRST, charts=charts)
        details = self._details() if every or not crowded else []
        return Document(
            rows=shown,
            named="effects",
            tables=[main, *(Sheet(title, rows, effect_columns(), first=FIRST) for title, rows in details)],
            notes=self._notes(),
            hint="add --details for all metrics of every variant" if crowded and not every else "",
        )

    def _details(self) -> list[tuple[str, Lines]]:
        """Return tables of the other metrics; shares and points are separate because their magnitudes differ."""
        rows = [row for row in self.details.to_dicts() if row["metric"] != self.question.metric]
        of_shares = {metric.name for metric in self.metrics if metric.share}
        shares = [row for row in rows if row["metric"] in of_shares]
        points = [row for row in rows if row["metric"] not in of_shares]
        validity = "each interval is valid on its own, at any stopping time"
        both = (("Other metrics: points and counts", points), ("Other metrics: shares", shares))
        return [(f"{title}; {validity}", _slim(part)) for title, part in both if part]

    def _notes(self) -> list[str]:
        """Return notes on confidence, stopping and pairing."""
        sure = f"{100 * (1 - self.question.alpha):g}%"
        level = (
            f"The intervals of this table are jointly valid, for all variants and looks, with {sure} confidence"
            if self.effects.height > 1
            else f"The interval is valid for all looks jointly, with {sure} confidence"
        )
        why = {
            "clear": f"Stopped because the answer is clear (budget {self.question.budget:,} deals)",
            "known": f"Stopped because every effect is known to within {self.question.within}",
            "budget": "Stopped because the budget is spent",
            "interrupted": "Interrupted",
        }[self.stopped]
        rate = f", {self.games / self.seconds:,.0f} per second" if self.seconds > 0 else ""
        played = f"{self.deals:,} deals, {self.games:,} games in {self.seconds:.1f} s{rate}"
        remarks = [f"{remark}." for remark in self.remarks]
        telling = undecided_note(
            self.effects, ["variant"], "effect", self.deals, margin=self.question.margin, unit="deals"
        )
        removed = self.effects["variance_removed"].drop_nulls().to_list()
        saved = float(min(removed, default=0.0))
        percent = f"{100 * saved:.{1 if saved < 0.999 else 3}f}%"
        pairing = f"Pairing removed {'at least ' if len(removed) > 1 else ''}{percent} of the variance"
        if 0 < saved < 1:
            pairing += f": separate deals would need {1 / (1 - saved):,.1f} times as many games"
        return [f"{level}.", f"{why}: {played}.", *filter(None, [telling]), *remarks, f"{pairing}."]

    @classmethod
    def identity(cls, record: Mapping[str, Any]) -> Any:
        """Return the fields that distinguish an answer from other answers of its kind in a folder."""
        return [record["variants"], record["question"], record["baseline"]["digest"]]

    @classmethod
    def flat_plan(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the plan of the baseline."""
        return dict(record["baseline"]["plan"])

    @classmethod
    def restored(cls, record: Mapping[str, Any], how: RepetitionSettings) -> Callable[[], Answer]:
        """Return a function that plays the recorded arms again."""
        question = Comparison.restored(record["question"])
        recorded_provenance(record["baseline"])
        plan = how.restored(cls.flat_plan(record))
        baseline: Simulator = find_game(plan.game).prepare(plan)
        variants = [repeated(variant, how.plan, how.paths, baseline) for variant in record["variants"]]
        if not variants:
            raise UserError("the answer is damaged: it has no variant")
        return lambda: decide(plan, baseline, variants, question, how.execution)

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        """Describe the data that a rerun compares."""
        return f"{record['deals']:,} deals of every arm, {counted(len(record['effects']), 'effect')}"

    def provenance_differences(self, record: Mapping[str, Any]) -> list[str]:
        """Describe how the settings of the baseline's games differ."""
        return unlike(recorded_provenance(record["baseline"]), self.baseline)


def _number(value: object) -> float | None:
    """Convert a sweep value to a number; return None if it is not a number."""
    try:
        return float(str(value))
    except ValueError:
        return None


def _title_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the title of the effects: the variant, the path of a sweep, or the number of variants."""
    if rows[0]["value"] is not None:
        return f"Sweep over {rows[0]['variant'].partition('=')[0]}"
    return f"What if {rows[0]['variant']}" if len(rows) == 1 else f"{len(rows)} variants"


def _slim(rows: Sequence[Mapping[str, Any]]) -> Lines:
    """Drop columns that duplicate the title or another column; the JSON record has all of them."""
    hidden = {"variant"} if len({row["variant"] for row in rows}) == 1 else {"decided_at"}
    hidden |= {"value"} if rows[0]["value"] is None else {"variant"}
    same = all(row["n_baseline"] == row["n_changed"] for row in rows)
    hidden |= {"n_changed"} if same else set()
    hidden |= {"differing"} if all(row["differing"] is None for row in rows) else set()
    names = {"n_baseline": "n"} if same else {}
    return [{names.get(key, key): value for key, value in row.items() if key not in hidden} for row in rows]


def compare(
    plan: Plan,
    change: Change,
    question: Comparison,
    execution: Execution = Execution(),
) -> WhatIfAnswer:
    """Play baseline and variants on common deals until the test is decided.

    Raises UserError for an invalid comparison, Interrupted on Ctrl-C with the answer so far.
    """
    plan = played_for(plan, question.metric)
    baseline: Simulator = find_game(plan.game).prepare(plan)
    pairs = variants_of(plan, change, question.seat, baseline)
    if change.resume is not None:
        question = _continuing(
            question, change.resume, [variant for variant, _ in pairs], Provenance.of(plan, baseline)
        )
    return decide(plan, baseline, pairs, question, execution)


def _continuing(question: Comparison, path: Path, variants: Sequence[Variant], baseline: Provenance) -> Comparison:
    """Make the question the continuation of a stored answer: its deals are replayed, and its looks count.

    Raises UserError for an answer to a different question.
    """
    record = WhatIfAnswer.read(path).record
    recorded = Comparison.restored(record["question"])
    fixed = ("metric", "seat", "alpha", "margin", "spending")
    unlike = [name for name in fixed if getattr(recorded, name) != getattr(question, name)]
    unlike += ["baseline"] if record["baseline"]["digest"] != baseline.digest else []
    digests = [list(variant["digests"]) for variant in record["variants"]]
    unlike += ["variants"] if digests != [list(variant.digests) for variant in variants] else []
    if unlike:
        raise UserError(f"{str(path)!r} answers a different question: its {' and '.join(unlike)} differ")
    return question.continuing(recorded, sorted({int(row["deals"]) for row in record["looks"]}))


def decide(
    plan: Plan,
    baseline: Simulator,
    pairs: Sequence[tuple[Variant, Arm]],
    question: Comparison,
    execution: Execution = Execution(),
) -> WhatIfAnswer:
    """Play the prepared baseline of a plan and its variants, each with its arm; see ``compare``."""
    game: Game = find_game(plan.game)
    concerned = question.concerned(plan.players, baseline.seats)
    variants = [variant for variant, _ in pairs]
    arms = (Arm("baseline", (baseline,)), *(arm for variant, arm in pairs if not variant.same))
    if len(arms) == 1:
        ignored = "" if find_game(plan.game).CATALOGUES else f", or {plan.game} does not read it"
        raise UserError(f"nothing to compare: the baseline already has {variants[0].name}{ignored}")
    items = wished_items(baseline, [question.metric])
    pooled = pooled_figure_of(question.metric)
    if pooled is not None and (arms[1].seats is not None or question.seat is not None):
        raise UserError(f"{question.metric} is a figure of all games and seats together: omit seat and ban")
    arms = tuple(replace(arm, items=items, seatings=needs_seatings(question.metric)) for arm in arms)
    metrics = _metrics(question, arms, game.OWNED, everyone=bool(concerned[: plan.players].all()))
    if execution.cluster is None:
        for arm in arms:
            arm.rows(range(1))  # compile before the time is measured
    ready = [
        (plan, baseline),
        *(pair for variant, arm in pairs for pair in zip(variant.plans, arm.simulators, strict=True)),
    ]
    estimand = question.estimand(metrics[0], restricted=arms[1].seats is not None)
    provenance, picks = Provenance.of(plan, baseline), game.PICKS is not None
    kinds = [metric.wished for metric in metrics], [metric.weight is not None for metric in metrics]
    words, level = metric_in_words(question.metric, game.OWNED), 1 - question.alpha
    said = [sentence_of(variant, words, level) for variant in variants if not variant.same]
    trial = Trial(Contrasts(len(arms) - 1, len(metrics), *kinds, pooled), question, said=said)
    played = Arms(arms, MetricReading(metrics, concerned))

    def answer() -> WhatIfAnswer:
        return answer_of(trial, arms, metrics, provenance, variants, estimand, picks=picks)

    with (
        execution.interruptible(lambda: answer() if trial.looks else None),
        execution.chunk_runner(ready) as chunks_of,
    ):
        trial.play(in_blocks(played.play, blocks_of(question.looks()), chunks_of), execution.progress)
    return answer()


def _metrics(
    question: Comparison, arms: Sequence[Arm], owned: Mapping[str, str], *, everyone: bool
) -> tuple[Metric, ...]:
    """Return the chosen metric, followed by other useful metrics; ``everyone``: all seats count."""
    baseline, restricted = arms[0].simulators[0], arms[1].seats is not None
    columns = sample(baseline).with_columns(pl.lit(0.0).alias(name) for name in wish_columns(arms[0].items))
    chosen, score, win = (parse_metric(name, columns, owned) for name in (question.metric, "score", "win"))
    if chosen == win and everyone and not restricted:
        groups = ", ".join(groups_of(columns))
        raise UserError(f"the win shares of a game sum to 1: name a {groups} as win:NAME, or choose a seat")
    others = [score]
    changed = dict.fromkeys(item for arm in arms[1:] for item in baseline.changed(arm.simulators[0]))
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
) -> WhatIfAnswer:
    """Build the answer from a trial after at least one look.

    Parameters
    ----------
    arms, metrics: the arms and metrics of the trial. baseline: the provenance of the baseline.
    variants: the variants of the trial and those that are identical to the baseline, in order.
    estimand: the effect, in one sentence.
    picks: whether the game has pick experiments, which a remark can recommend.
    """
    played = [variant for variant in variants if not variant.same]
    rows = [(variant, metric) for variant in played for metric in metrics]
    return WhatIfAnswer(
        estimand=estimand,
        question=trial.question,
        stopped=trial.stopped,
        deals=trial.sums.deals,
        games=trial.sums.deals * sum(arm.games_of_deal for arm in arms),
        seconds=trial.seconds,
        effects=effects_of(trial, rows, variants),
        details=rows_of(rows, trial.sums, trial.looks[-1]),
        looks=looks_of(trial, played),
        remarks=(*wish_remarks(metrics[0], baseline.plan), *remarks_of(trial, metrics[0], picks=picks)),
        variants=tuple(variants),
        baseline=baseline,
        metrics=tuple(metrics),
    )
