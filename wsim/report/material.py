"""Collect the content of a page from a run, before the page is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from wsim.errors import UserError
from wsim.game import Game, analyses_of, find_game
from wsim.lab.answer import Answer, Stored
from wsim.lab.progress import Progress
from wsim.lab.store import Run
from wsim.questions.answer_files import stored_in
from wsim.questions.registry import questions
from wsim.report.slices import Slices, slices
from wsim.stats.analysis import Analysis
from wsim.stats.combined import minus
from wsim.stats.outcomes import Outcomes, outcomes, rank_means, score_counts
from wsim.stats.tables import Table, factor


@dataclass(frozen=True)
class PageExtras:
    """Further content for a page: a run to compare with, answer files, and other runs.

    ``others`` are runs with different numbers of players or rule sets, shown as slices of the tables.
    """

    compare: Run | None = None
    files: Sequence[Path] = ()
    others: Sequence[Run] = ()

    def answers(self, run: Run) -> list[Stored]:
        """Read the answers in the run folder and the given files; raise UserError for a file that is not an answer."""
        kinds = [question.answer_class for question in questions() if question.section]
        files = [(kind, path) for kind in kinds for path in kind.files_in(run.path)]
        files += [(_kind_of(path), path) for path in self.files]
        files.sort(key=lambda pair: kinds.index(pair[0]) if pair[0] in kinds else len(kinds))
        return [read_answer(kind, path, run.plan.game) for kind, path in files]


def _kind_of(path: Path) -> type[Answer]:
    """Return the class of the answer stored in a file; raise UserError if the file contains no answer."""
    stored = stored_in(path)
    if stored is None:
        raise UserError(f"{str(path)!r} contains rows, but no answer")
    return stored.kind


def read_answer(kind: type[Answer], path: Path, game: str) -> Stored:
    """Read the answer in a file; raise UserError if there is none or it belongs to a different game."""
    stored = kind.read(path)
    played = stored.game()
    if played not in (None, game):
        raise UserError(f"the answer of {kind.COMMAND} in {str(path)!r} is about {played}, not {game}")
    return stored


@dataclass(frozen=True)
class Comparison:
    """A comparison with a second run.

    Attributes
    ----------
    run: the other run.
    tables: the differences between the tables of both runs, by name (``wsim.stats.combined.minus``).
    """

    run: Run
    tables: Mapping[str, Table]


@dataclass(frozen=True)
class Material:
    """The complete content of a run's page.

    Attributes
    ----------
    run: the run. game: the game that was played. games: the number of finished games.
    tables: the tables that the game provides for this run and that have rows, by name.
    refused: the tables that cannot be computed from these games, each with a sentence that gives the reason.
    seats: win share and score by seat.
    outcomes, scores, ranks: see ``wsim.stats.outcomes``.
    comparison: the comparison with a second run, if requested.
    slices: tables for subsets of the seats and for additional runs (``wsim.report.slices``).
    answers: the answers to questions, starting with those in the run folder.
    """

    run: Run
    game: Game
    games: int
    tables: Mapping[str, Table]
    refused: Mapping[str, str]
    seats: Table
    outcomes: Outcomes
    scores: pl.DataFrame
    ranks: Table
    comparison: Comparison | None
    slices: Mapping[str, Slices]
    answers: Sequence[Stored] = ()


class _Steps:
    """Reports the current step of building a page to a progress callback."""

    def __init__(self, names: Sequence[str], progress: Progress | None) -> None:
        self._names, self._progress = names, progress

    def begin(self, name: str) -> None:
        """Report that the step with this name begins."""
        if self._progress is not None:
            self._progress(name, self._names.index(name), len(self._names))


def collect(run: Run, besides: PageExtras, progress: Progress | None = None) -> Material:
    """Collect the content of a page; raise UserError for a run without games or a file that is not an answer."""
    compare, answers = besides.compare, besides.answers(run)
    game, games = find_game(run.plan.game), run.games
    if not games:
        raise UserError(f"the run {str(run.path)!r} has no finished shard: continue it with --resume")
    analyses = _shown_analyses(game, run)
    sliced = [f"slices: {name}" for name in analyses]
    steps = _Steps([*analyses, *sliced, "games", "seats", *(["comparison"] if compare else [])], progress)
    tables, refused = shown_tables(run, steps.begin)
    filled = {name: table for name, table in tables.items() if len(table.frame)}
    parts = slices(run, filled, analyses, besides.others, lambda name: steps.begin(f"slices: {name}"))
    steps.begin("games")
    collected = outcomes(run.seats)
    scores, ranks = score_counts(run.seats), rank_means(run.seats)
    steps.begin("seats")
    seats = factor(run, "seat", measures=(), title="Seats at the table")
    seats = replace(seats, frame=seats.frame.sort("seat"))
    comparison = None
    if compare is not None:
        steps.begin("comparison")
        comparison = _comparison_of(run, compare, tables)
    return Material(run, game, games, filled, refused, seats, collected, scores, ranks, comparison, parts, answers)


def shown_tables(run: Run, begin: Callable[[str], object] = str) -> tuple[dict[str, Table], dict[str, str]]:
    """Compute the tables for a run's page by name, and the reasons for missing ones; calls ``begin`` with each name."""
    tables: dict[str, Table] = {}
    refused: dict[str, str] = {}
    for name, analysis in _shown_analyses(find_game(run.plan.game), run).items():
        begin(name)
        try:
            tables[name] = analysis.table(run)
        except UserError as error:
            refused[name] = str(error)
    return tables, refused


def _shown_analyses(game: Game, run: Run) -> dict[str, Analysis]:
    """Return the analyses to show on a run's page, by name."""
    every = analyses_of(game).items()
    return {name: analysis for name, analysis in every if analysis.shown != "asked" and analysis.fits(run.plan)}


def _comparison_of(run: Run, other: Run, tables: Mapping[str, Table]) -> Comparison:
    if other.plan.game != run.plan.game:
        raise UserError(f"only runs of the same game can be compared, not {run.plan.game} and {other.plan.game}")
    shown = _shown_analyses(find_game(other.plan.game), other)
    differences = {}
    for name, table in tables.items():
        if table.form in ("levels", "owners") and name in shown:
            both = minus(table, shown[name].table(other))
            if both is not None:
                differences[name] = both
    return Comparison(other, differences)
