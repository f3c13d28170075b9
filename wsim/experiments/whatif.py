"""What if a card, a rule or a permission were different: variants against a baseline on common deals.

Every arm plays the same games of the same seed, so the deal, the boards and the seats are the same and cancel in the
difference. After each look, a group-sequential test (``wsim.stats.sequential``) says whether the answer is clear;
playing ends when it is for every variant, or when the budget is spent. The intervals are repeated confidence intervals:
with chance ``1 - alpha`` those of the chosen metric hold the true effects of all variants at all looks at once, so
stopping early costs no honesty. The other metrics' intervals hold each by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.experiments.answer import WhatIf, answer_of
from wsim.experiments.arms import variants_of
from wsim.experiments.contrasts import Contrasts, MetricReading
from wsim.experiments.deals import Arm, Arms, in_blocks, sample
from wsim.experiments.metrics import Metric, group_metrics, groups_of, owned_metrics, parse_metric
from wsim.experiments.question import Change, Question
from wsim.experiments.trial import Trial, blocks_of
from wsim.game import find_game
from wsim.lab.batch import usable_threads
from wsim.lab.cluster import Cluster, check_cluster, players
from wsim.lab.keys import chosen, plan_keys
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted, Progress
from wsim.lab.provenance import Provenance
from wsim.options import keywords, taken

if TYPE_CHECKING:
    from wsim.experiments.arms import Variant
    from wsim.game import Game, Simulator

__all__ = ["compare", "decide", "whatif"]


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
