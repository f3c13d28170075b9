"""``wsim table`` and its short forms: any table of a run, split, sorted, cut, filtered. The game says which it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wsim.cli.console import print_json, print_tables, remark, rows_of
from wsim.cli.exports import Files, identity_of
from wsim.cli.filters import column_named, filtered
from wsim.cli.presenter import Output, show
from wsim.display import Display, Shown
from wsim.errors import UserError, nearest
from wsim.game import GAMES, analyses_of, find_analysis, find_game

if TYPE_CHECKING:
    import polars as pl

    from wsim.lab.store import Run
    from wsim.stats.analysis import Analysis
    from wsim.stats.tables import Table

__all__ = ["Asked", "View", "fair_share", "list_command", "open_run", "table_command", "words_of"]


@dataclass(frozen=True)
class View:
    """What is shown of a table.

    Attributes
    ----------
    sort: a column, largest first, or ``-column``, smallest first; None keeps the table's own order.
    top: how many rows, after sorting; None for all.
    only: conditions (``wsim.cli.filters``), all of which must hold.
    wide: whether every column is shown, or the main ones (``Analysis.main``).
    """

    sort: str | None
    top: int | None
    only: tuple[str, ...]
    wide: bool = True

    def of(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return what is shown of ``table``; raise UserError for a column that it does not have."""
        if self.top is not None and self.top < 1:
            raise UserError(f"top must be at least 1, not {self.top}")
        table, said = filtered(table, self.only)
        if said:
            remark(f"wsim: {said}")
        if self.sort is not None:
            name = column_named(table, self.sort.removeprefix("-"))
            table = table.sort(name, descending=self.sort[:1] != "-", nulls_last=True, maintain_order=True)
        return table if self.top is None else table.head(self.top)


@dataclass(frozen=True)
class Asked:
    """What a command that shows a table of runs was given.

    Attributes
    ----------
    folders: the runs, at least one.
    view: what is shown of the table.
    as_json: whether as JSON.
    by: columns that split its rows; none for the table's own.
    options: options of the table with the texts that were given for each, None for an option without a value.
    level: confidence level of the intervals.
    files: where else it is written.
    """

    folders: tuple[str, ...]
    view: View
    as_json: bool
    by: tuple[str, ...] = ()
    options: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    level: float = 0.95
    files: Files = field(default_factory=Files)


def table_command(name: str, asked: Asked) -> None:
    """Print the table ``name`` of one run, or of several as one: its rows, what it says and what it does not."""
    asked.files.check()
    runs = [open_run(folder) for folder in asked.folders]
    parts = [_part(name, run, asked) for run in runs]
    analysis = find_analysis(find_game(runs[0].plan.game), name)
    table, front = (parts[0], None) if len(runs) == 1 else beside(runs, parts, analysis, asked.by)
    split = asked.by or analysis.by or ()
    labels = (*split, *(f"opponent_{one}" for one in split), *((front,) if front else ()))
    shown = asked.view.of(table.frame)
    record: dict[str, Any] = {"format": FORMAT, "table": name, "title": table.title, "note": table.note}
    record |= {"level": asked.level, "by": list(split)}
    record |= {"options": {key: list(texts) for key, texts in asked.options.items()}}
    record |= {"filter": list(asked.view.only), "sort": asked.view.sort, "top": asked.view.top}
    record |= {"runs": [identity_of(run) for run in runs]}
    games = " and ".join(f"{run.games:,}" for run in runs)
    title = f"{table.title}, {games} games{fair_share(table.frame)}"
    output = Output(asked.files, wide=asked.view.wide, as_json=asked.as_json)
    printed = _shown(title, shown, labels, analysis, asked.by)
    notes = [table.note] if table.note else []
    show(Display(rows=shown, named="rows", tables=[printed], notes=notes), record, output)


FORMAT = "wsim-table/1"


def _part(name: str, run: Run, asked: Asked) -> Table:
    """Make the table of one run."""
    analysis = find_analysis(find_game(run.plan.game), name)
    options = {key: _value(name, analysis, key, texts) for key, texts in asked.options.items()}
    return analysis.table(run, asked.by, level=asked.level, **options)


def beside(runs: Sequence[Run], parts: Sequence[Table], analysis: Analysis, by: Sequence[str]) -> tuple[Table, str]:
    """Return one table of the tables of several runs, and the name of the column that tells the runs apart."""
    from wsim.stats.combined import stack

    games = {run.plan.game: run for run in runs}
    if len(games) > 1:
        one, other = list(games.values())[:2]
        raise UserError(
            f"runs of one game stand in one table, not {str(one.path)!r} of {one.plan.game} beside {str(other.path)!r} "
            f"of {other.plan.game}"
        )
    tellers: dict[str, list[object]] = {
        "players": [run.plan.players for run in runs],
        "ruleset": [run.plan.ruleset for run in runs],
        "run": [str(run.path) for run in runs],
    }
    for column, values in tellers.items():
        if len(set(values)) == len(runs):
            return stack(dict(zip(values, parts, strict=True)), column, by or analysis.by or ()), column
    raise UserError(f"{str(runs[-1].path)!r} is named twice: a table holds each run once")


def _shown(title: str, rows: pl.DataFrame, named: Sequence[str], analysis: Analysis, by: Sequence[str]) -> Shown:
    """Return a table to print; ``named``: the columns that name a row."""
    from wsim.stats.brief import brief

    labels = 1 + max((rows.columns.index(one) for one in named if one in rows.columns), default=0)
    main = analysis.main(by)
    columns = tuple(brief(rows, (*main, *named)).columns) if main else ()
    return Shown(title, rows_of(rows), columns, (*named, *analysis.first), labels)


def fair_share(frame: pl.DataFrame) -> str:
    """Return what a title says of the share of wins that everybody has by chance; nothing where it differs."""
    if not {"win_share", "win_points"} <= set(frame.columns):
        return ""
    pairs = frame.select("win_share", "win_points").drop_nulls().rows()
    ratios = [share / points for share, points in pairs if points]
    if not ratios or max(ratios) - min(ratios) > 1e-6:
        return ""
    return f"; a fair share of wins is {ratios[0]:.3f}"


def words_of(words: Sequence[str]) -> tuple[tuple[str, ...], str | None]:
    """Tell the runs from the name of a table: the first word that is no run, but for the first of all."""
    from pathlib import Path

    tables = {name for game in GAMES for name in find_game(game).ANALYSES}
    for place, word in enumerate(words[1:], start=1):
        if (Path(word) / "run.json").exists():
            continue
        more = words[place + 1 :]
        if more and word in tables:
            raise UserError(f"table takes no argument {more[0]!r}")
        if not more:
            return tuple(words[:place]), word
    return tuple(words), None


def list_command(asked: Asked) -> None:
    """Print which tables a run has."""
    run = open_run(asked.folders[0])
    game = find_game(run.plan.game)
    rows = [
        {
            "table": name,
            "shows": analysis.about,
            "by": ",".join(analysis.by or ()),
            "options": " ".join(_option_names(analysis)),
        }
        for name, analysis in analyses_of(game).items()
        if run.plan.keep != "summary" or analysis.sums is not None
    ]
    if asked.as_json:
        print_json(rows)
        return
    print_tables([Shown(f"Tables of {game.TITLE}: wsim table {asked.folders[0]} NAME", rows)], wide=asked.view.wide)


def _option_names(analysis: Analysis) -> list[str]:
    return [*(["--by"] if analysis.by is not None else []), *(f"--{name}" for name in analysis.options)]


def _value(name: str, analysis: Analysis, key: str, texts: Sequence[str | None]) -> object:
    """Return the value of an option of a table; raise UserError for one that it does not have."""
    known = _option_names(analysis)
    if key not in analysis.options:
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise UserError(f"the table {name} has no option '--{key}': {has}{nearest('--' + key, known)}")
    option = analysis.options[key]
    given = [text for text in texts if text is not None]
    if option.flag:
        if given:
            raise UserError(f"the option '--{key}' takes no value, not {given[0]!r}: {option.help}")
        return True
    if len(given) < len(texts):
        raise UserError(f"the option '--{key}' needs a value: {option.help}")
    return option.value(f"--{key}", given)


def open_run(folder: str) -> Run:
    """Open a run; say so if it is not complete."""
    from wsim.lab.store import load_run

    run = load_run(folder)
    if not run.complete:
        remark(f"wsim: {folder} holds {run.games:,} of {len(run.wanted):,} games")
    return run
