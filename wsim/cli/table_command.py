"""``wsim table`` and its short forms: show any table of a run, with splits, sorting, filters and row limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from wsim.cli.console import print_json, print_tables, remark
from wsim.cli.exports import Files
from wsim.cli.parameters import split
from wsim.document import Sheet
from wsim.errors import UserError
from wsim.game import GAMES, find_analysis, find_game
from wsim.options import Options, option, options_of

if TYPE_CHECKING:
    from wsim.cli.groups import Printing, View
    from wsim.lab.store import Run
    from wsim.lab.table_options import TableOptions


def _raw_option() -> Any:
    return option("Pool the policies instead of comparing within them.", False)


def _outcome_option() -> Any:
    return option("Outcome to explain: total, win_share, ...", None, metavar="COLUMN", shown="total")


@dataclass(frozen=True)
class OneTable(Options):
    """The options of a table that has its own command."""

    name: ClassVar[str]

    def given(self) -> dict[str, list[str | None]]:
        """Return the options of the table that were given, as strings."""
        given: dict[str, list[str | None]] = {}
        for name in options_of(self):
            value = getattr(self, name)
            if name not in _INSTEAD and value not in (None, False, ()):
                given[name] = [None] if value is True else list(value) if isinstance(value, tuple) else [value]
        return given


@dataclass(frozen=True)
class Cards(OneTable):
    """Show the cards of a run: how often they were built, and the win share and score of their owners (table cards)."""

    name: ClassVar[str] = "cards"

    raw: bool = _raw_option()


@dataclass(frozen=True)
class Wonders(OneTable):
    """Show the wonders of a run: win share with interval, and score by category (table wonders)."""

    name: ClassVar[str] = "wonders"

    raw: bool = _raw_option()


@dataclass(frozen=True)
class Calibrate(OneTable):
    """Compare a run with results of human players, figure by figure (table calibration).

    The published results are from the first edition; with --against, people's games of any rule set are used instead.
    """

    name: ClassVar[str] = "calibration"

    against: str | None = option(
        "Compare with people's games instead: a folder written by wsim import.", None, metavar="PEOPLE"
    )
    tolerance: str | None = option(
        "Largest difference that counts as human, in human standard deviations.", None, metavar="NUMBER", shown="0.25"
    )


@dataclass(frozen=True)
class Matchups(OneTable):
    """Show how policies do against each other in the same games (tables matchups, crowding)."""

    name: ClassVar[str] = "matchups"

    crowding: bool = option("Show instead how a strategy's value depends on the number of its followers.", False)


@dataclass(frozen=True)
class Strengths(OneTable):
    """Show Plackett-Luce strengths of policies, from full finishing orders (table strengths)."""

    name: ClassVar[str] = "strengths"


@dataclass(frozen=True)
class Synergies(OneTable):
    """Show pairs of cards that were worth more together than separately (tables synergies, chains)."""

    name: ClassVar[str] = "synergies"

    chains: bool = option("Show instead how completed chains of cards correlate with winning.", False)
    card: tuple[str, ...] = option("Show only pairs with this card (repeatable).", (), metavar="NAME")
    outcome: str | None = _outcome_option()
    raw: bool = _raw_option()


@dataclass(frozen=True)
class Variance(OneTable):
    """Show how much of the variance of the score comes from wonder, seat, policy and table (table variance)."""

    name: ClassVar[str] = "variance"

    outcome: str | None = _outcome_option()


_INSTEAD = ("crowding", "chains")
"""Names of tables that replace the table of a command if the option with the same name is given."""


@dataclass(frozen=True)
class Wanted:
    """A request for a table: the runs, the options of the table, the rows and columns to show, and the output files.

    Attributes
    ----------
    folders: one or more run folders. table: the split and the confidence level. view: the rows and columns to show.
    options: the strings given for each option of the table; None for an option without a value.
    """

    folders: tuple[str, ...]
    table: TableOptions
    view: View
    files: Files
    printing: Printing
    options: Mapping[str, Sequence[str | None]]


def short_table(own: OneTable, table: TableOptions, view: View, files: Files, printing: Printing) -> None:
    """Show a table with its own command, or the table that replaces it."""
    name = next((other for other in _INSTEAD if getattr(own, other, False)), own.name)
    show_table(name, Wanted(table.runs, table, view, files, printing, own.given()))


def any_table(own: Sequence[str], table: TableOptions, view: View, files: Files, printing: Printing) -> None:
    """Show a table by name with its options, or list the tables; ``own``: arguments that the command does not know."""
    words = [*table.runs, *own]  # the name of the table is among the runs
    first = next((index for index, word in enumerate(words) if word.startswith("-")), len(words))
    pairs, arguments = split(words[first:])
    if arguments:
        raise UserError(f"table takes no argument {arguments[0]!r}")
    if not first:
        raise UserError(f"table needs a run: name its folder before {words[0]}")
    options: dict[str, list[str | None]] = {}
    for option_name, text in pairs:
        options.setdefault(option_name.lstrip("-").replace("-", "_"), []).append(text)
    folders, name = words_of(words[:first])
    wanted = Wanted(folders, table, view, files, printing, options)
    if name is None and options:
        raise UserError(f"name the table before its options: table RUN NAME --{next(iter(options))} ...")
    if name is None:
        list_tables(wanted)
    else:
        show_table(name, wanted)


def show_table(name: str, wanted: Wanted) -> None:
    """Print a table of one run, or of several runs combined, with its notes."""
    from wsim.cli.presenter import Output, show
    from wsim.lab.run_tables import RunTable, read_option_texts
    from wsim.lab.table_options import table_command

    wanted.files.check()
    runs, by, level = [open_run(folder) for folder in wanted.folders], wanted.table.by, wanted.table.level
    given = read_option_texts(name, find_analysis(find_game(runs[0].plan.game), name), wanted.options)
    won_by = wanted.table.won_by
    if wanted.table.beside:
        run_table = RunTable.beside([RunTable.of(name, [run], by, level, given, won_by) for run in runs])
    else:
        run_table = RunTable.of(name, runs, by, level, given, won_by)
    rows = wanted.view.of(run_table.table.frame, run_table.splits, run_table.table.columns)
    record = run_table.record(wanted.options, wanted.view.only, wanted.view.sort, wanted.view.top)
    output = Output(wanted.printing, wanted.files, wanted.view.wide)
    command = table_command(name, wanted.table, wanted.view, wanted.options)
    show(run_table.document(rows, command), record, output)


def words_of(words: Sequence[str]) -> tuple[tuple[str, ...], str | None]:
    """Split arguments into run folders and the name of a table, the first later word that is not a run folder."""
    from pathlib import Path

    tables = {name for game in GAMES for name in find_game(game).ANALYSES}
    for index, word in enumerate(words[1:], start=1):
        if (Path(word) / "run.json").exists():
            continue
        more = words[index + 1 :]
        if more and word in tables:
            raise UserError(f"table takes no argument {more[0]!r}")
        if not more:
            return tuple(words[:index]), word
    return tuple(words), None


def list_tables(wanted: Wanted) -> None:
    """List the tables that a run has, with their options."""
    from wsim.lab.run_tables import option_names, tables_of_run

    run = open_run(wanted.folders[0])
    game = find_game(run.plan.game)
    rows = [
        {
            "table": name,
            "shows": analysis.about,
            "by": ",".join(analysis.by or ()),
            "options": " ".join(option_names(analysis)),
        }
        for name, analysis in tables_of_run(run).items()
    ]
    if wanted.printing.as_json:
        print_json(rows)
        return
    print_tables([Sheet(f"Tables of {game.TITLE}: wsim table {wanted.folders[0]} NAME", rows)], wide=wanted.view.wide)


def open_run(folder: str) -> Run:
    """Open a run, and print a remark if it is incomplete."""
    from wsim.lab.store import load_run

    run = load_run(folder)
    if not run.complete:
        remark(f"wsim: {folder} contains {run.games:,} of {len(run.wanted):,} games")
    return run
