"""The character of a game: figures computed from seats' win chances (``wsim.positions.character``), and differences.

All figures are smooth functions of sums over games, so errors are linear forms in the features of a game
(``wsim.stats.moments``); all arms play games with the same numbers, and differences take the covariance into account.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from wsim.display import number
from wsim.document import (
    CATEGORY,
    COUNT,
    DECIDED,
    NAME,
    NUMBER,
    SHARE,
    TEXT,
    Chart,
    Column,
    Conclusion,
    Document,
    Sheet,
    estimated,
)
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.answer import Stored, View, whole
from wsim.lab.execution import Execution
from wsim.lab.wishes import WishSums, overruled
from wsim.positions.character import FIGURES, PREFIX, figures_of, settled
from wsim.positions.playout_follower import follower_of
from wsim.questions.asked import AskedAnswer
from wsim.questions.character.question import CharacterQuestion
from wsim.questions.deals import Arm, in_blocks
from wsim.questions.largest import Largest, Row
from wsim.questions.pooled import (
    SKILL_NOTE,
    SOURCES,
    WAYS,
    WAYS_ABOUT,
    categories_of,
    components_of,
    diversity,
    explained,
    in_seatings,
    slopes,
    ways_of,
)
from wsim.questions.variants import variants_of
from wsim.questions.whatif.question import Change
from wsim.questions.words import Words, metric_in_words
from wsim.stats.columns import POINTS_OF, VERDICT, Q
from wsim.stats.intervals import Estimate, nulls, verdicts
from wsim.stats.moments import Moments
from wsim.stats.precision import undecided_note

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.game import Simulator
    from wsim.lab.plan import Plan

BLOCK, BLOCKS = 1024, 20
WISHES, CHANCE = 2000, 0.01
"""Number of games used for ``wanted``, and the chance that a policy is overruled in them."""
NEVER, ALWAYS = 0.02, 0.95
"""Viability limits: shares of turns below or above which an item counts as hardly ever or always wanted."""
NOTES = (
    "Chances are those of an observer who sees all hands but no cards to come",
    "half_at to behind are about the winners; drama is the average drama of Ludii",
    "stakes to targeted compare the two best moves by the net on about one turn in three, all else equal",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class CharacterAnswer(AskedAnswer):
    """The answer to a character experiment: figures of how games unfold, by arm.

    Attributes
    ----------
    question: the question. games: the number of games of each arm. seconds: the time that playing took. stopped:
        ``done`` or
    ``interrupted``.
    figures: one row for each arm and figure: arm, figure, estimate with estimate_low and estimate_high, n (games),
        about.
    differences: one row for each variant and figure: arm, figure, baseline, variant, difference with its interval, q
        (Benjamini-Hochberg), verdict; empty with a single arm.
    settled: arm, moment, share (of the variance of the result that is decided at that moment) with its interval, n.
    components: arm, source (skill, seat, deal, skill by deal, rest), share of the variance of the result with its
        interval, n (deals); empty with a single policy.
    ways: arm, category, share (of games whose winner is furthest ahead in it) with its interval, n.
    viability: arm, what, name, wanted (share of the turns on which the item was available) with its interval, n
        (turns), verdict (``nobody wants``, ``always wanted``).
    remarks: caveats, one sentence each, without a full stop.
    """

    FORMAT: ClassVar[str] = "wsim-character/1"
    COMMAND: ClassVar[str] = "wsim experiment character"
    TITLE: ClassVar[str] = "the character of a game"
    TABLES: ClassVar[tuple[str, ...]] = ("figures", "differences", "settled", "components", "ways", "viability")
    ROWS: ClassVar[Mapping[str, str]] = {"settled": "moment", "viability": "choice"}
    LONG_TABLE: ClassVar[str] = "viability"
    VOLATILE: ClassVar[tuple[str, ...]] = ("seconds",)
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "figures": ("arm", "figure", "estimate", "estimate_low", "estimate_high", "n"),
        **dict.fromkeys(("games", "question", "remarks"), ()),
    }

    question: CharacterQuestion
    stopped: str
    games: int
    seconds: float
    figures: pl.DataFrame
    differences: pl.DataFrame
    settled: pl.DataFrame
    components: pl.DataFrame
    ways: pl.DataFrame
    viability: pl.DataFrame
    remarks: tuple[str, ...]

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:  # noqa: ARG003
        """Return the column declarations of each table."""
        return _COLUMNS

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:
        """State the largest differences, or when games are decided and how often the lead changes."""
        level = float(stored.record["question"]["level"])
        if stored.record.get("differences"):

            def words(row: Row) -> Words:
                words = metric_in_words(f"{PREFIX}{row['figure']}", {})
                return replace(words, before=f"{row['arm']}: {words.before}")

            figures = Largest("difference", level, words, lambda row: row.get("verdict") in DECIDED, relative=True)
            none = "The character of the games does not change clearly."
            return figures.conclusion(stored.record["differences"], none, "figures")
        of = {row["figure"]: row["estimate"] for row in stored.record["figures"] if row["estimate"] is not None}
        if not {"half_at", "safe_at", "lead_changes"} <= of.keys():
            return None
        headline = (
            f"The winner's chance is above one half for good after {100 * of['half_at']:.0f}% of the game, "
            f"and the lead changes {number(of['lead_changes'], 1)} times."
        )
        return Conclusion(headline, f"Above .8 for good after {100 * of['safe_at']:.0f}%.", clear=True)

    @classmethod
    def document(cls, stored: Stored) -> Document:
        """Return a stored answer as a document for pages: charts of differences, deciding moments and ways to win."""
        record, document = stored.record, super().document(stored)
        arms = ("arm",) if len({row["arm"] for row in record["figures"]}) > 1 else ()
        charts = {
            "differences": Chart("forest", ("difference",), ("arm", "figure"), "Differences from the baseline"),
            "settled": Chart("forest", ("share",), (*arms, "moment"), _TITLES["settled"]),
            "ways": Chart("forest", ("share",), (*arms, "category"), _TITLES["ways"]),
        }
        drawn = [
            stored.sheet(name, _TITLES.get(name, chart.title), charts=(chart,))
            for name, chart in charts.items() if record.get(name)
        ]  # fmt: skip
        others = [name for name in _TITLES if name not in charts and record.get(name)]
        rest = [stored.sheet(name, _TITLES[name]) for name in others]
        return replace(document, tables=[*drawn, stored.sheet("figures", "Figures of the games"), *rest])

    def display(self, view: View = whole) -> Document:
        """Return the answer as a document: figures, what decides the result, ways to win, viability."""
        shown, several = view(self.figures), self.figures["arm"].n_unique() > 1
        title = f"Character of the game, {self.games:,} games" + (" of each arm" if several else "")
        sheets = [Sheet(title, _rows(shown, several), _COLUMNS["figures"], labels=1 + several)]
        if self.differences.height:
            title = "Differences from the baseline, paired by game number"
            sheets.append(Sheet(title, self.differences.to_dicts(), _COLUMNS["differences"], labels=2))
        for name, title in _TITLES.items():
            frame: pl.DataFrame = getattr(self, name)
            if name == "viability":
                frame = frame.filter(pl.col("verdict") != "")
            if frame.height:
                sheets.append(Sheet(title, _rows(frame, several), _COLUMNS[name], labels=1 + several))
        telling = undecided_note(
            self.differences,
            ["arm", "figure"],
            "difference",
            self.games,
            level=self.question.level,
            title="Differences",
        )
        notes = [*filter(None, [telling]), *(f"{note}." for note in self.remarks)]
        return Document(rows=shown, named="figures", tables=sheets, notes=notes)


_ARM, _RESULT = Column("arm", NAME), "of the result"
_ESTIMATE = estimated("estimate", NUMBER)
_COLUMNS: Mapping[str, Sequence[Column]] = {
    "figures": (
        _ARM, Column("figure", NAME), _ESTIMATE, Column("n", COUNT, about="games"), Column("about", TEXT),
    ),
    "differences": (
        _ARM, Column("figure", NAME), Column("baseline", NUMBER), Column("variant", NUMBER),
        estimated("difference", NUMBER, difference=True), Q, VERDICT,
    ),
    "settled": (
        _ARM, Column("moment", NAME), estimated("share", SHARE, unit=_RESULT), Column("n", COUNT, about="games"),
    ),
    "components": (
        _ARM, Column("source", NAME), estimated("share", SHARE, unit=_RESULT), Column("n", COUNT, about="deals"),
    ),
    "ways": (
        _ARM, Column("category", NAME), estimated("share", SHARE, unit="of games"), Column("n", COUNT, about="games"),
    ),
    "viability": (
        _ARM, Column("what", NAME), Column("name", NAME), estimated("wanted", SHARE, unit="of turns"),
        Column("n", COUNT, about="turns on which it could be had"), Column("verdict", CATEGORY),
    ),
}  # fmt: skip
_TITLES = {
    "settled": "When the result is decided: shares of its variance",
    "components": "What explains the result: shares of its variance, every deal played in every seating",
    "ways": "Ways to win: the category in which the winner is furthest ahead of the others",
    "viability": f"Viability: wanted on at most {NEVER:g} or at least {ALWAYS:g} of the turns on which it could be had",
}


def _rows(frame: pl.DataFrame, several: bool) -> list[dict[str, Any]]:
    return frame.to_dicts() if several else frame.drop("arm").to_dicts()


# --- the features of a game


@dataclass(frozen=True, eq=False)
class _Features:
    """Computes the features of an arm's games, shape (features, games); can be sent to a worker."""

    simulator: Simulator
    playouts: int | None

    def __call__(self, games: range) -> NDArray[np.float64]:
        follower = follower_of(self.simulator, self.playouts)
        followed = follower.follow(games.start, len(games))
        frame = follower.frame(followed)
        shares = _by_game(frame["win_share"], len(games))[:, : followed.chances.shape[2]]
        figures = figures_of(followed, shares)
        known = ~np.isnan(figures)
        settling = settled(followed, shares, follower.phases)
        total = ((shares - 1 / shares.shape[1]) ** 2).mean(axis=1)
        ways = ways_of(frame, len(games), shares.shape[1]).T
        parts = np.nan_to_num(figures), known, settling, total[:, None], ways
        return np.concatenate([np.asarray(part, np.float64) for part in parts], axis=1).T


def _by_game(column: pl.Series, games: int) -> NDArray[np.float64]:
    return column.to_numpy().astype(np.float64).reshape(games, -1)


@dataclass(frozen=True)
class _AllArms:
    """Plays the same games in every arm and returns their features."""

    arms: tuple[_Features, ...]

    def __call__(self, games: range) -> list[list[NDArray[np.float64]]]:
        return [[arm(games)] for arm in self.arms]


@dataclass(frozen=True)
class _Quantities:
    """The quantities of an arm: their names, values, and errors as linear forms in the features."""

    names: list[tuple[str, str]]
    values: NDArray[np.float64]
    forms: NDArray[np.float64]
    n: NDArray[np.float64]


def _quantities(sums: NDArray[np.float64], games: int, moments: Sequence[str], ways: Sequence[str]) -> _Quantities:
    """Return all quantities of one arm; ``sums``: the sums of its features over games."""
    count, size = len(FIGURES), len(sums)
    names, values, forms, n = list[tuple[str, str]](), list[float](), list[Any](), list[float]()

    def add(table: str, name: str, value: float, form: NDArray[np.float64], of: float) -> None:
        names.append((table, name))
        values.append(value)
        forms.append(form)
        n.append(of)

    def ratio(table: str, name: str, above: int, below: NDArray[np.int64], of: float) -> None:
        whole, form = sums[below].sum(), np.zeros(size)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = sums[above] / whole
            form[below] = -value / whole
            form[above] += 1 / whole
        add(table, name, float(value), form, of)

    for index, figure in enumerate(FIGURES):
        ratio("figures", figure.name, index, np.array([count + index]), sums[count + index])
    first = 2 * count
    for index, moment in enumerate(moments):
        ratio("settled", moment, first + index, np.array([first + len(moments)]), games)
    at = first + len(moments) + 1 + np.arange(len(ways))
    for index, way in enumerate(ways):
        ratio("ways", way.removeprefix(POINTS_OF).replace("_", " "), at[index], at, games)
    if len(ways):
        value, form = float(diversity(sums[at])), np.zeros(size)
        form[at] = slopes(diversity, sums[at])
        add("figures", WAYS, value, form, games)
    return _Quantities(names, np.array(values), np.stack(forms), np.array(n))


# --- the answer


def ask(plan: Plan, question: CharacterQuestion, execution: Execution = Execution()) -> CharacterAnswer:
    """Play a plan and its variants turn by turn, and measure the character of each.

    Raises UserError for an invalid question, Interrupted on Ctrl-C with the answer so far.
    """
    baseline: Simulator = find_game(plan.game).prepare(plan)
    arms = _arms(plan, question, baseline)
    features = [_Features(arm.simulators[0], question.playouts) for _, _, arm in arms]
    followers = [follower_of(each.simulator, each.playouts) for each in features]
    samples = [each.simulator.seats_frame(np.zeros(0, each.simulator.row_dtype)) for each in features]
    start, played = time.perf_counter(), 0
    moments: Moments | None = None
    extra: tuple[pl.DataFrame, pl.DataFrame] = (_empty("components"), _empty("viability"))

    def answer(stopped: str) -> CharacterAnswer:
        assert moments is not None
        made = _tables(
            moments,
            played,
            [name for name, _, _ in arms],
            [list(each.settling) for each in followers],
            [categories_of(sample) for sample in samples],
            question.level,
        )
        remarks = [*NOTES, *dict.fromkeys(each.about for each in followers)]
        if not extra[0].height:
            remarks.append(SKILL_NOTE)
        seconds = time.perf_counter() - start
        return CharacterAnswer(
            question, stopped, played, seconds, *made[:3], extra[0], made[3], extra[1], tuple(remarks)
        )

    ready = [(each, arm.simulators[0]) for _, each, arm in arms]
    blocks = [range(first, min(first + BLOCK, plan.games)) for first in range(0, plan.games, BLOCK)]
    with execution.interruptible(lambda: answer("interrupted") if moments is not None else None):
        with (
            execution.chunk_runner(ready) as chunks_of,
            closing(in_blocks(_AllArms(tuple(features)), blocks, chunks_of)) as followed,
        ):
            for block, of_arms in zip(blocks, followed, strict=True):
                matrix = np.concatenate([part[0] for part in of_arms]).T
                moments = (moments or Moments(1, matrix.shape[1])).plus_matrix(matrix)
                played += len(block)
                execution.report("games", played, plan.games)
        extra = _components(arms, question, plan.games), _viability(arms, question, plan.games)
    return answer("done")


def _arms(plan: Plan, question: CharacterQuestion, baseline: Simulator) -> list[tuple[str, Plan, Arm]]:
    """Return the name, plan and arm of each arm, the baseline first."""
    arms = [("baseline" if question.variant or question.variant_files else plan.ruleset, plan, Arm("", (baseline,)))]
    if question.variant or question.variant_files:
        change = Change(change=question.variant, change_files=question.variant_files)
        variant, arm = variants_of(plan, change, None, baseline)[0]
        if variant.same:
            raise UserError(f"nothing to compare: the baseline already has {variant.name}")
        arms.append((variant.name, variant.plans[0], arm))
    for ruleset in question.against:
        if ruleset == plan.ruleset:
            raise UserError(f"nothing to compare: the baseline is rule set {ruleset}")
        other = plan.replace(ruleset=ruleset)
        arms.append((ruleset, other, Arm(ruleset, (find_game(other.game).prepare(other),))))
    return arms


def _tables(
    moments: Moments, games: int, arms: Sequence[str], settling: Sequence[Sequence[str]],
    ways: Sequence[Sequence[str]], level: float,
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:  # fmt: skip
    """Return the tables ``figures``, ``differences``, ``settled`` and ``ways``."""
    size, first, tables, whole = moments.totals.shape[1], 0, list[pl.DataFrame](), list[_Quantities]()
    for arm, names, categories in zip(arms, settling, ways, strict=True):
        width = 2 * len(FIGURES) + len(names) + 1 + len(categories)
        own = _quantities(moments.totals[0, first : first + width], games, names, categories)
        forms = np.zeros((len(own.names), size))
        forms[:, first : first + width] = own.forms
        first += width
        own = _Quantities(own.names, own.values, forms, own.n)
        whole.append(own)
        made = _estimate(moments, own.values, forms, own.n, level)
        labels = {"table": [table for table, _ in own.names], "name": [name for _, name in own.names]}
        tables.append(
            pl.DataFrame({"arm": [arm] * len(own.names), **labels, **made.columns("estimate"), "n": own.n.astype(int)})
        )
    frame = pl.concat(tables)
    about = {**{figure.name: figure.about for figure in FIGURES}, WAYS: WAYS_ABOUT}
    parts = {name: frame.filter(pl.col("table") == name).drop("table") for name in ("figures", "settled", "ways")}
    figures = parts["figures"].rename({"name": "figure"})
    figures = figures.with_columns(about=pl.col("figure").replace_strict(about, return_dtype=pl.String))
    ends = {"estimate": "share", "estimate_low": "share_low", "estimate_high": "share_high"}
    settled_table = parts["settled"].rename({"name": "moment", **ends})
    ways_table = parts["ways"].rename({"name": "category", **ends})
    return figures, _differences(moments, arms, whole, level), settled_table, ways_table


def _estimate(
    moments: Moments, values: NDArray[np.float64], forms: NDArray[np.float64], n: NDArray[np.float64], level: float
) -> Estimate:
    variance = np.einsum("kf,fh,kh->k", forms, moments.products[0], forms, optimize=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(n >= 2, np.sqrt(np.maximum(variance, 0) * n / (n - 1)), np.nan)
    return Estimate(values, error, n, level)


def _differences(moments: Moments, arms: Sequence[str], whole: Sequence[_Quantities], level: float) -> pl.DataFrame:
    """Return the difference between each variant and the baseline, for every figure."""
    base, tables = whole[0], [_empty("differences")]
    for arm, own in zip(arms[1:], whole[1:], strict=True):
        both = [name for name in own.names if name[0] == "figures" and name in base.names]
        in_arm, in_base = ([side.names.index(name) for name in both] for side in (own, base))
        values = own.values[in_arm] - base.values[in_base]
        n = np.minimum(own.n[in_arm], base.n[in_base])
        made = _estimate(moments, values, own.forms[in_arm] - base.forms[in_base], n, level)
        q = made.q_value()
        tables.append(
            pl.DataFrame(
                {
                    "arm": [arm] * len(both), "figure": [name for _, name in both], "baseline": base.values[in_base],
                    "variant": own.values[in_arm], **made.columns("difference"), "q": nulls(q),
                    "verdict": verdicts(made.value, q, level=level),
                }
            )
        )  # fmt: skip
    return pl.concat(tables, how="vertical_relaxed")


def _empty(table: str) -> pl.DataFrame:
    """Return an empty table with the columns declared for ``table``."""
    columns = {
        end: pl.Float64 if column.ends or column.kind in (NUMBER, SHARE) or column is Q else pl.String
        for column in _COLUMNS[table]
        for end in (column.name, *(column.ends or ()))
    }
    return pl.DataFrame(schema={name: pl.Int64 if name == "n" else kind for name, kind in columns.items()})


# --- what explains the result


def _components(arms: Sequence[tuple[str, Plan, Arm]], question: CharacterQuestion, games: int) -> pl.DataFrame:
    """Estimate the shares of variance due to skill, seat and deal from deals played in every seating."""
    tables = [_empty("components")]
    for name, plan, arm in arms:
        if len(set(arm.simulators[0].labels)) < 2 or plan.players < 3:
            continue
        seated = Arm(name, (find_game(plan.game).prepare(in_seatings(plan)),), seatings=True)
        deals, sums = min(question.deals, games), Moments(1, 5 + 4 * plan.players)
        for first in range(0, deals, BLOCK):
            block = range(first, min(first + BLOCK, deals))
            sums = sums.plus_matrix(components_of(seated.frame(block), len(block), seated.simulators[0].seats).T)
        whole, n = sums.totals[0], np.full(len(SOURCES), float(deals))
        made = _estimate(sums, explained(whole), slopes(explained, whole), n, question.level)
        sources = [source.replace("_", " ") for source in SOURCES]
        columns = {
            "arm": [name] * len(sources),
            "source": sources,
            **made.columns("share"),
            "n": [deals] * len(sources),
        }
        tables.append(pl.DataFrame(columns))
    return pl.concat(tables, how="vertical_relaxed")


# --- viability


def _viability(arms: Sequence[tuple[str, Plan, Arm]], question: CharacterQuestion, games: int) -> pl.DataFrame:
    """Measure how often each item is wanted when it is available; the least wanted come first."""
    tables = [_empty("viability")]
    for name, plan, _ in arms:
        if find_game(plan.game).WISHES is None or {"randomise", "overrule"} & set(plan.options):
            continue
        wishing = overruled(plan, CHANCE)
        play, count = WishSums(find_game(plan.game).prepare(wishing), plan.game), min(games, WISHES)
        edges = np.linspace(0, count, min(BLOCKS, count) + 1).astype(int)
        parts = [play(range(first, last)) for first, last in pairwise(edges)]
        things = len(parts[0].labels["worth what"])
        wanted = np.stack([part.arrays["worth/totals"][:things, [0, 3]].sum(axis=1) for part in parts])
        reach = np.stack([part.arrays["worth/reach"][:things] for part in parts])
        n = reach.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = wanted.sum(axis=0) / n
            apart = (wanted - share * reach) / n
        error = np.sqrt(len(parts) / (len(parts) - 1) * (apart**2).sum(axis=0)) if len(parts) > 1 else share * np.nan
        made = Estimate(share, error, np.full(things, float(len(parts))), question.level).with_unseen(0.0, 1.0)
        verdict = np.where(made.high <= NEVER, "nobody wants", np.where(made.low >= ALWAYS, "always wanted", ""))
        kinds, names = parts[0].labels["worth what"], parts[0].labels["worth name"]
        table = pl.DataFrame(
            {
                "arm": [name] * things, "what": list(kinds), "name": list(names), **made.columns("wanted"),
                "n": n.astype(np.int64), "verdict": verdict.tolist(),
            }
        )  # fmt: skip
        tables.append(table.filter(pl.col("n") > 0).sort("wanted", "what", "name"))
    return pl.concat(tables, how="vertical_relaxed")
