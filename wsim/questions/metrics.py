"""Metrics of a comparison: columns of the seats table, as a ratio of two sums over games.

A metric is written

    score, win                the mean total, the mean win share of the seats concerned
    stages, points_science    the mean of any other number of the seats table
    built:Palace              the share of the seats that own this at the end (``wsim.game.Game.OWNED``)
    score:Gizah, win:science  the same over the seats with this name in some column: wonder, side, policy
    owner:Palace              the win share of the seats that own this at the end
    winner:Palace             the share of games won by an owner of it
    character:drama           a figure of how games go (wsim.positions.character), of games that are followed
    character:ways_to_win     a figure of all games together (wsim.questions.pooled)
    worth:Palace              what having this gains the seats that want it (wsim.stats.worth), in games that overrule
    worth_points:Palace       policies: win share, or points at the end
    wanted:Palace             viability: the share of the turns on which this could be had that wanted it

Each is ``sum(numerator) / sum(denominator)`` over games; both are summed per game, because games are independent. Worth
is the difference between two such ratios, for followed and overruled wishes; a pooled figure of all games is a
different function of sums over games. This module works for any game: groups of seats are columns of names (Enum), and
``Game.OWNED`` gives the prefixes of the columns of owned items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from wsim.document import NUMBER, SHARE, Kind
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.wishes import items_of, overruled
from wsim.policies.chances import CHANCE, CHARACTER, OVERRULE, overruling_of
from wsim.positions.character import FIGURES, PREFIX
from wsim.questions.pooled import POOLED_FIGURES, PooledFigure, plan_of
from wsim.stats.columns import SHORT, kind_of, outcome_column

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.game import Simulator
    from wsim.lab.plan import Plan


_WORDS: Mapping[str, str] = {"total": "score", "win_share": "win share"}
WORTHS: Mapping[str, str] = {"worth": "worth", "worth_points": "points"}
"""Worth metrics (``worth:Palace``), with their columns in the worth table."""
_OF_WORTH: Mapping[str, str] = {"worth": "win_share", "worth_points": "total"}
FOLLOWED, OVERRULED = "followed", "overruled"
"""The arms of a worth metric: the prefixes of the columns that count wishes (``wsim.questions.deals.wish_columns``)."""
WANTED, COULD = "wanted", "could"
"""The viability metric (``wanted:Palace``): prefixes of the column with a seat's share of turns and of the turn
count.
"""
RECORDED = 1e-12
"""Chance of overruling policies in games that only record wishes: practically never."""
_OF_WISHES: Mapping[str, str] = {**dict.fromkeys(WORTHS, "overrule policies"), WANTED: "record wishes"}
"""Metrics based on wishes, each with a description of the games that it needs."""
_KINDS: Mapping[str, tuple[Kind, str]] = {
    **{figure.name: (figure.kind, figure.unit) for figure in FIGURES},
    **{name: (SHARE if pooled.share else NUMBER, "") for name, pooled in POOLED_FIGURES.items()},
}
_NO_MEASURE = ("game", "seat", "team", "rank")
_EXACT_BITS = 52  # of a float: a sum of distinct powers of two below this limit identifies them
MAX_NAMES = 24  # columns with more names are not compared name by name


def words_of(column: str) -> str:
    """Return the name of a seats table column for use in sentences."""
    return _WORDS.get(column, column)


@dataclass(frozen=True)
class Metric:
    """A quantity that comparisons measure in every arm.

    Attributes
    ----------
    name: the metric as written.
    column: the seats table column that is averaged.
    share: whether its values are between 0 and 1.
    where: pairs of a column and the name that a seat must have in it to count; empty: all seats concerned.
    item: the owned item, if the metric is about one.
    owned: the Boolean column that must be true for a seat to count (for ``per_game``: to be added); None: all seats.
    per_game: whether the sum is divided by the number of games instead of seats.
    wished: whether it is the mean over followed wishes for the item minus the mean over overruled wishes.
    weight: the column that contains how often a row counts; None: once.
    pooled: the pooled figure of all games, if it is one; None: it is a mean.
    """

    name: str
    column: str
    share: bool
    where: tuple[tuple[str, str], ...] = ()
    item: str | None = None
    owned: str | None = None
    per_game: bool = False
    wished: bool = False
    weight: str | None = None
    pooled: PooledFigure | None = None

    def estimand(self, seats_text: str = "of all seats") -> str:
        """Describe the estimand in a phrase; ``seats_text``: a phrase for the seats that count."""
        if self.pooled is not None:
            return self.pooled.about
        if self.wished:
            return f"gain in {words_of(self.column)} by having {self.item}, mean {seats_text} that want it"
        if self.weight is not None:
            return f"share of the turns on which {self.item} could be had that wanted it, mean {seats_text}"
        if self.per_game:
            return f"share of games won by an owner of {self.item}"
        if self.owned is not None:
            return f"win share of the seats that own {self.item} at the end"
        if self.item is not None:
            return f"share {seats_text} that own {self.item} at the end"
        if not self.where:
            seats = seats_text
        else:
            these = "of the seats" if seats_text == "of all seats" else seats_text
            seats = f"{these} with {' and '.join(map(' '.join, self.where))}"
        return f"mean {words_of(self.column)} {seats}"


def kind_of_metric(name: str) -> tuple[Kind, str]:
    """Return the column kind and unit of the metric with this name."""
    head, colon, _ = name.partition(":")
    column = _OF_WORTH.get(head, outcome_column(head))
    if head in WORTHS:
        return kind_of(column)
    if head == WANTED:
        return SHARE, "of turns"
    if name.startswith(PREFIX):
        return _KINDS.get(name.removeprefix(PREFIX), (NUMBER, ""))
    if head in ("owner", "winner"):
        column = "win_share"
    kind, unit = kind_of(column)
    return (SHARE, "of seats") if kind is NUMBER and colon else (kind, unit)


def parse_metric(text: str, seats: pl.DataFrame, owned: Mapping[str, str]) -> Metric:
    """Parse a metric; raise UserError for a metric that the table does not have.

    Parameters
    ----------
    seats: a seats table, of which only the columns are used.
    owned: the prefixes of the columns of owned items, each with the noun for an item (``wsim.game.Game.OWNED``).
    """
    name = text.strip()
    head, colon, rest = name.partition(":")
    if head in ("owner", "winner") and colon and owned:
        has, item = _item(rest, seats, owned)
        return Metric(name, "win_share", True, item=item, owned=has, per_game=head == "winner")
    if head in _OF_WISHES:
        return _wish_metric(name, seats)
    if (pooled := pooled_figure_of(name)) is not None:
        return Metric(name, name, pooled.share, per_game=True, pooled=pooled)
    measures = measures_of(seats)
    column = outcome_column(name)
    if column in measures:
        share = _is_share(column, seats)
        return Metric(name, column, share, item=_items(seats, owned).get(column) if share else None)
    column = outcome_column(head)
    if not colon or column not in measures:
        nouns = "|".join(owned.values()).upper()
        owners = [f"{owner}:{nouns}" for owner in ("owner", "winner")] if owned else []
        plain = [measure for measure in measures if measure not in SHORT.values()]
        shown = ", ".join([*SHORT, *owners, *(measure for measure in plain if ":" not in measure)])
        known = [*SHORT, *plain, *(owner.partition(":")[0] for owner in owners)]
        raise UserError(f"unknown metric {name!r}; accepted: {shown}{nearest(head, known)}")
    return Metric(name, column, _is_share(column, seats), where=(_group(rest, seats),))


def is_of_results(name: str) -> bool:
    """Return whether a metric, as written, depends on win shares or scores, which change with a seat's points."""
    head = name.strip().partition(":")[0]
    return head in ("owner", "winner") or outcome_column(head) in SHORT.values()


def pooled_figure_of(name: str) -> PooledFigure | None:
    """Return the pooled figure that a metric, as written, refers to; None if it is not one."""
    prefix, colon, figure = name.strip().partition(":")
    return POOLED_FIGURES.get(figure) if prefix + colon == PREFIX else None


def needs_seatings(name: str) -> bool:
    """Return whether a metric, as written, needs deals that are played in every seating of a mixed table."""
    pooled = pooled_figure_of(name)
    return pooled is not None and pooled.seatings


def is_of_worth(name: str) -> bool:
    """Return whether a metric, as written, is a worth metric."""
    return name.strip().partition(":")[0] in WORTHS


def _wish_metric(name: str, seats: pl.DataFrame) -> Metric:
    """Parse a worth or viability metric; raise UserError if a seats table does not count wishes for its item."""
    head, _, item = name.partition(":")
    for column in seats.columns:
        known = column.removeprefix("followed:")
        if known != column and known.lower() == item.strip().lower():
            if head == WANTED:
                return Metric(name, f"{WANTED}:{known}", True, item=known, weight=f"{COULD}:{known}")
            return Metric(name, _OF_WORTH[head], head == "worth", item=known, wished=True)
    where = "use it in wsim whatif or balance" if head == WANTED else "use it in wsim whatif, compare or balance"
    raise UserError(f"{name!r} is a metric of games that {_OF_WISHES[head]}: {where}")


def overruled_for(plan: Plan, metrics: Iterable[str]) -> Plan:
    """Return the plan with policies overruled at random for worth metrics, or with recorded wishes for viability.

    The chance that the plan itself sets takes precedence. Raises UserError for a game or plan whose policies cannot be
    overruled.
    """
    heads = {name.strip().partition(":")[0] for name in metrics}
    if not heads & _OF_WISHES.keys():
        return plan
    if WANTED in heads and CHARACTER in plan.options:
        raise UserError(f"{WANTED} and {CHARACTER} are measured in different games: use two goals")
    if not heads & WORTHS.keys() and OVERRULE not in plan.options:
        return overruled(plan, RECORDED)
    chance = plan.options.get(OVERRULE, CHANCE)
    plan = overruled(plan, chance)
    if not any(0 < seat < 1 for seat in overruling_of(plan.options, plan.players)):
        raise UserError(f"worth needs wishes of both kinds: overrule must be between 0 and 1, not {chance}")
    return plan


def wished_items(simulator: Simulator, metrics: Iterable[str]) -> tuple[str, ...]:
    """Return the items of worth and viability metrics, as the game spells them; raise UserError for an unknown item."""
    items: dict[str, None] = {}
    for name in metrics:
        head, _, text = name.strip().partition(":")
        if head in _OF_WISHES:
            known = {item.lower(): item for item in items_of(simulator) if item}
            if text.strip().lower() not in known:
                near = nearest(text, known.values())
                raise UserError(f"{name!r} names no item that can be wanted{near}: wsim experiment worth lists all")
            items[known[text.strip().lower()]] = None
    return tuple(items)


def figures_in(metrics: Iterable[str]) -> list[str]:
    """Return the character figures among metrics; raise UserError for a figure that does not exist."""
    asked = [name.strip().removeprefix(PREFIX) for name in metrics if name.strip().startswith(PREFIX)]
    known = [*(figure.name for figure in FIGURES), *POOLED_FIGURES]
    for name in asked:
        if name not in known:
            raise UserError(f"unknown figure {name!r}{nearest(name, known)}: {PREFIX} has {', '.join(known)}")
    return asked


def figures_known() -> Iterator[tuple[str, str]]:
    """Yield the name and description of each character figure."""
    yield from ((figure.name, figure.about) for figure in FIGURES)
    yield from ((pooled.name, pooled.about) for pooled in POOLED_FIGURES.values())


def is_of_own_games(name: str) -> bool:
    """Return whether a metric, as written, needs special games, whose columns no other seats table has."""
    return name.strip().startswith(PREFIX) or name.strip().partition(":")[0] in _OF_WISHES


def followed_for(plan: Plan, metrics: Iterable[str]) -> Plan:
    """Return the plan with games followed turn by turn if a metric is a character figure.

    Raises UserError for a figure that does not exist, or for a game that cannot be followed.
    """
    asked = figures_in(metrics)
    for name in asked:
        if name in POOLED_FIGURES:
            plan_of(plan, POOLED_FIGURES[name])
    names = [name for name in asked if name not in POOLED_FIGURES]
    if names and CHARACTER not in find_game(plan.game).OPTIONS:
        raise UserError(f"{plan.game} has no value net, so it has no metric {PREFIX}{names[0]}")
    return plan.replace(**{CHARACTER: "true"}) if names else plan


def played_for(plan: Plan, metric: str) -> Plan:
    """Return the plan whose games provide a metric; raise UserError if there is none.

    Its games may be followed turn by turn, have overruled policies or recorded wishes, or be played in every seating.
    """
    plan = overruled_for(followed_for(plan, [metric]), [metric])
    pooled = pooled_figure_of(metric)
    return plan if pooled is None else plan_of(plan, pooled)


def measures_of(seats: pl.DataFrame) -> list[str]:
    """Return the names of the seats table columns whose means can be compared."""
    kinds = seats.schema.items()
    return [name for name, kind in kinds if (kind.is_numeric() or _is_flag(kind)) and name not in _NO_MEASURE]


def _is_flag(kind: pl.DataType) -> bool:
    import polars as pl

    return kind == pl.Boolean


def _is_share(column: str, seats: pl.DataFrame) -> bool:
    return column == "win_share" or _is_flag(seats.schema[column])


def groups_of(seats: pl.DataFrame) -> dict[str, list[str]]:
    """Map each column with at least two names (wonder, side, policy) to its names."""
    import polars as pl

    groups = {name: kind.categories.to_list() for name, kind in seats.schema.items() if isinstance(kind, pl.Enum)}
    return {column: names for column, names in groups.items() if 1 < len(names) <= MAX_NAMES}


def _items(seats: pl.DataFrame, owned: Mapping[str, str]) -> dict[str, str]:
    """Map the columns of owned items to the names of the items."""
    return {
        column: column.removeprefix(prefix) for prefix in owned for column in seats.columns if column.startswith(prefix)
    }


def _listed(words: Sequence[str]) -> str:
    """Join words as ``a, b or c``."""
    return " or ".join(", ".join(words).rsplit(", ", 1))


def _item(name: str, seats: pl.DataFrame, owned: Mapping[str, str]) -> tuple[str, str]:
    """Return the column of an owned item, and the item's name as spelled in the table."""
    items = _items(seats, owned)
    for column, item in items.items():
        if item.lower() == name.lower():
            return column, item
    nouns = _listed([f"{noun}s" for noun in owned.values()] if not items else list(owned.values()))
    message = f"unknown {nouns} {name!r}" if items else f"the seats table of this game has no columns of {nouns}"
    raise UserError(f"{message}{nearest(name, items.values())}")


def _group(name: str, seats: pl.DataFrame) -> tuple[str, str]:
    """Return the column that contains a name, and the name as spelled in the table."""
    groups = groups_of(seats)
    for column, names in groups.items():
        for known in names:
            if known.lower() == name.lower():
                return column, known
    every = [known for names in groups.values() for known in names]
    columns = " or ".join(groups) or "group"
    raise UserError(f"no {columns} is called {name!r}{nearest(name, every)}; accepted: {', '.join(every)}")


def group_metrics(measures: Sequence[str], seats: pl.DataFrame) -> list[Metric]:
    """Return the measures (``score``, ``win``) as metrics for every wonder, side and policy in a seats table."""
    columns = {measure: outcome_column(measure) for measure in measures}
    return [
        Metric(f"{measure}:{name}", column, _is_share(column, seats), where=((group, name),))
        for group, names in groups_of(seats).items()
        for name in names
        for measure, column in columns.items()
    ]


def owned_metrics(names: Sequence[str], seats: pl.DataFrame, owned: Mapping[str, str]) -> list[Metric]:
    """Return the metrics for changed items: how often they are owned, and how often their owners win."""
    columns = {item: column for column, item in _items(seats, owned).items()}
    known = [name for name in names if name in columns]
    texts = [text for name in known for text in (columns[name], f"owner:{name}", f"winner:{name}")]
    return [parse_metric(text, seats, owned) for text in texts]


def sums_of(
    frame: pl.DataFrame, per_game: int, metrics: Sequence[Metric], concerned: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Compute numerator, denominator and a code for the counted seats, for each game and metric.

    Parameters
    ----------
    frame: a seats table of whole games in order, ``per_game`` rows each.
    concerned: for each seat, whether it counts.

    Returns an array of shape (games, metrics, 3). Different sets of counted seats have different codes; the code is 0
    for metrics per game or with a weight. If any metric is a worth, the shape is (games, metrics, 5): the last two are
    numerator and denominator of the overruled wishes, which are 0 and 1 for other metrics.
    """
    return SeatsReader(frame, np.tile(concerned, frame.height // per_game)).sums(metrics, per_game)


class SeatsReader:
    """Reads columns of a frame as floats, converting each only once."""

    def __init__(self, frame: pl.DataFrame, concerned: NDArray[np.bool_]) -> None:
        self._frame = frame
        self._columns: dict[str, NDArray[np.float64]] = {}
        self._codes: dict[str, tuple[list[str], NDArray[Any]]] = {}
        # a seat of rank 0 does not compete, as in wsim.stats
        plays = concerned & (frame["rank"].to_numpy() > 0) if "rank" in frame.columns else concerned
        self._plays = plays.astype(np.float64)

    def column(self, name: str) -> NDArray[np.float64]:
        """Return a column; zeros if the table lacks it because only the other arm has the item."""
        if name not in self._columns:
            values = self._frame[name].to_numpy() if name in self._frame.columns else np.zeros(self._frame.height)
            self._columns[name] = values.astype(np.float64)
        return self._columns[name]

    def counted(self, metric: Metric, arm: str = FOLLOWED) -> NDArray[np.float64]:
        """Return 1 for each row that a metric counts, otherwise 0; for worth, the row's number of wishes in an arm."""
        counted = self._plays
        if metric.wished:
            counted = counted * self.column(f"{arm}:{metric.item}")
        if metric.weight is not None:
            counted = counted * self.column(metric.weight)
        if metric.owned is not None:
            counted = counted * (self.column(metric.owned) > 0)
        for column, name in metric.where:
            counted = counted * self._has(column, name)
        return counted

    def _has(self, column: str, name: str) -> NDArray[np.bool_]:
        """Return, for each row, whether a column contains this name."""
        if column not in self._codes:
            series = self._frame[column]
            names = cast("pl.Enum", series.dtype).categories.to_list()
            self._codes[column] = (names, series.to_physical().to_numpy())
        names, codes = self._codes[column]
        result: NDArray[np.bool_] = codes == (names.index(name) if name in names else -1)
        return result

    def sums(self, metrics: Sequence[Metric], per_game: int) -> NDArray[np.float64]:
        """Compute numerator, denominator and code of the counted seats for each game and metric; see ``sums_of``."""
        wished = any(metric.wished for metric in metrics)
        result = np.empty((self._frame.height // per_game, len(metrics), 5 if wished else 3))
        if wished:
            result[..., 3], result[..., 4] = 0.0, 1.0
        one_bit_each = 2.0 ** (np.arange(per_game) % _EXACT_BITS)
        for index, metric in enumerate(metrics):
            counted = self.counted(metric)
            by_seat = counted.reshape(-1, per_game)
            result[:, index, 0] = (self.column(metric.column) * counted).reshape(-1, per_game).sum(axis=1)
            result[:, index, 1] = 1.0 if metric.per_game else by_seat.sum(axis=1)
            by_row = not (metric.per_game or metric.wished or metric.weight)
            result[:, index, 2] = by_seat @ one_bit_each if by_row else 0.0
            if metric.wished:
                overruled = self.counted(metric, OVERRULED)
                result[:, index, 3] = (self.column(metric.column) * overruled).reshape(-1, per_game).sum(axis=1)
                result[:, index, 4] = overruled.reshape(-1, per_game).sum(axis=1)
        return result
