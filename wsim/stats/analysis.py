"""An analysis: a table computed from a run, with the metadata that the command line and the page need.

A game lists its analyses in one mapping, ``ANALYSES`` of its module (``wsim.game.Game``). ``wsim table RUN NAME``
computes any of them; ``wsim run`` and ``wsim report`` compute those whose ``shown`` includes them. To add a statistic,
write a file with a function that returns a ``Table`` and with its ``Analysis``, and add a line to that mapping.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from wsim.errors import UserError, nearest
from wsim.stats.columns import PLAYER_HALF_WIDTH

if TYPE_CHECKING:
    from wsim.stats.between import Between
    from wsim.stats.summary import Recipe
    from wsim.stats.tables import Table

Shown = Literal["run", "page", "asked"]
"""Where a table is shown by default: by ``wsim run`` and on the page, only on the page, or nowhere."""


@dataclass(frozen=True)
class Option:
    """An option of an analysis.

    Attributes
    ----------
    help: its help text, one line. read: converts the given text to its value; raises ValueError for invalid text.
    repeatable: whether it can be given several times, which makes its value a tuple.
    flag: whether it takes no value; it is then True if given.
    """

    help: str
    read: Callable[[str], object] = str
    repeatable: bool = False
    flag: bool = False

    def value(self, name: str, texts: Sequence[str]) -> object:
        """Convert the given texts to the option's value; raise UserError for invalid ones."""
        if len(texts) > 1 and not self.repeatable:
            raise UserError(f"{name} may be given only once, not {len(texts)} times: {', '.join(texts)}")
        try:
            values = tuple(map(self.read, texts))
        except ValueError:
            raise UserError(f"{name} cannot be {', '.join(map(repr, texts))}: {self.help}") from None
        return values if self.repeatable else values[0]


def _always(plan: Any) -> bool:  # noqa: ARG001 (the signature of Analysis.fits)
    return True


class Source(Protocol):
    """The run that an analysis reads, as returned by ``load_run``."""

    def summed(self, recipe: Recipe) -> Any:
        """Compute the sums that a recipe defines, over all rows."""
        ...

    def recorded(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the ``columns`` that the run recorded; by default, a table is split by them."""
        ...

    def between(self, analysis: Analysis, figure: str) -> Between | None:
        """Return the differences between players in a figure of an analysis; None if they are unknown."""
        ...


@dataclass(frozen=True)
class Analysis:
    """A table that can be computed from a run.

    Attributes
    ----------
    make: computes the table of a run; takes ``level`` (confidence), ``by`` if the table can be split, and the options,
        all by name.
    about: a one-line description.
    by: the columns of the seats table that split its rows by default; None if it cannot be split.
    columns: the main columns, shown by default after the columns that split; ``points_*`` means all columns that begin
        with ``points_``. Empty: all columns.
    first: the columns to hide last if not all fit, after the columns that split, in this order.
    options: further options, by name. shown: where it is shown by default. fits: returns whether it is shown by default
        for a plan.
    sums: the sums from which it is computed if split only by ``by``; None if it needs rows.
    moves: the figure that ``wsim robustness`` compares between players, if any.
    worth: the kind of wish (``build``) whose worth is shown in front of the correlational figures of owners.
    wishes: whether it needs games with overruled policies, which only some plans include (``wsim.stats.worth``).
    """

    make: Callable[..., Table]
    about: str
    by: tuple[str, ...] | None = None
    columns: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    shown: Shown = "page"
    fits: Callable[[Any], bool] = _always
    sums: Recipe | None = None
    moves: str = ""
    worth: str = ""
    wishes: bool = False

    def possible(self, plan: Any) -> bool:
        """Return whether runs of a plan contain the data that the table needs: rows, sums, or wishes."""
        if self.wishes:
            return self.fits(plan)
        return plan.keep != "summary" or self.sums is not None

    def table(self, run: Source, by: Sequence[str] = (), *, level: float = 0.95, **options: object) -> Table:
        """Compute the table of a run; raise UserError for an unknown option or an impossible split."""
        self._refuse_unknown(by, options)
        groups = tuple(by) or (None if self.by is None else run.recorded(self.by))
        source = run.summed(self.sums) if self.sums is not None and groups == self.by else run
        split = {} if groups is None else {"by": groups}
        try:
            table = self.make(source, **split, level=level, **options)
        except UserError as error:
            if getattr(run, "people", None) and "has no column" in str(error):
                raise UserError(
                    f"people did not record what this table needs: {str(error).partition(': it has')[0]}"
                ) from None
            raise
        if self.worth:
            from wsim.stats.worth import with_worth

            table = with_worth(table, run, self.worth, groups or (), level)
        table = replace(table, main=self.columns, first=self.first)
        figure = "worth" if self.worth and "worth" in table.frame.columns else self.moves
        between = run.between(self, figure) if figure and groups is not None and groups == self.by else None
        made = table if between is None else between.with_players(table, figure, level)
        return made if PLAYER_HALF_WIDTH in made.frame.columns else self._with_players_note(made, run)

    def _with_players_note(self, table: Table, run: Source) -> Table:
        """Add a note that names the players for whom the verdicts of a table are valid."""
        judged = (self.moves or self.worth or self.wishes) and table.labels[:1] != ("policy",)
        plan, people = getattr(run, "plan", None), getattr(run, "people", None)
        if plan is None or people or not judged or "verdict" not in table.frame.columns:
            return table
        who = ", ".join(dict.fromkeys(plan.policies))
        note = f"Verdicts are for {who}; what other good players would find is not known here."
        return replace(table, note=f"{table.note} {note}".strip())

    def _refuse_unknown(self, by: Sequence[str], options: Mapping[str, object]) -> None:
        for name in options:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise UserError(f"this table has no option {name!r}{nearest(name, self.options)}: it has {known}")
        if self.by is None and by:
            raise UserError(f"this table cannot be split by {', '.join(by)}: {self.about}")
