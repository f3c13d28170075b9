"""``wsim table`` and its short forms: any table of a run, split, sorted, cut, filtered. The game says which it has."""

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


def _raw() -> Any:
    return option("Pool the policies instead of comparing within them.", False)


def _outcome() -> Any:
    return option("total, win_share, ...", None, metavar="COLUMN", shown="total")


@dataclass(frozen=True)
class OneTable(Options):
    """A table that is a command of its own, and the options that only it has."""

    name: ClassVar[str]

    def given(self) -> dict[str, list[str | None]]:
        """Return the options that were given, as texts."""
        found: dict[str, list[str | None]] = {}
        for name in options_of(self):
            value = getattr(self, name)
            if name not in _INSTEAD and value not in (None, False, ()):
                found[name] = [None] if value is True else list(value) if isinstance(value, tuple) else [value]
        return found


@dataclass(frozen=True)
class Cards(OneTable):
    """Show what cards did in a run: win share with its interval, scores, how often built (table cards)."""

    name: ClassVar[str] = "cards"

    raw: bool = _raw()


@dataclass(frozen=True)
class Wonders(OneTable):
    """Show what wonders did in a run: win share with its interval, scores by category (table wonders)."""

    name: ClassVar[str] = "wonders"

    raw: bool = _raw()


@dataclass(frozen=True)
class Calibrate(OneTable):
    """Hold a run of the first edition against the results of human players, figure by figure (table calibration)."""

    name: ClassVar[str] = "calibration"

    tolerance: str | None = option("Human standard deviations within which a mean counts as human.", None, shown="0.25")


@dataclass(frozen=True)
class Matchups(OneTable):
    """Show how policies (or others: --by) do against each other in the same games (tables matchups, crowding)."""

    name: ClassVar[str] = "matchups"

    crowding: bool = option("Instead: what a plan is worth by the number of others who follow it.", False)


@dataclass(frozen=True)
class Strengths(OneTable):
    """Show Plackett-Luce strengths, from the whole order of finish (table strengths)."""

    name: ClassVar[str] = "strengths"


@dataclass(frozen=True)
class Synergies(OneTable):
    """Show which pairs of cards were worth more together than apart (tables synergies, chains)."""

    name: ClassVar[str] = "synergies"

    chains: bool = option("Instead: what finishing a chain of cards goes with.", False)
    card: tuple[str, ...] = option("Partners of this card (repeatable).", (), metavar="NAME")
    outcome: str | None = _outcome()
    raw: bool = _raw()


@dataclass(frozen=True)
class Variance(OneTable):
    """Show how much of the score's variance comes from board, seat, policy and table (table variance)."""

    name: ClassVar[str] = "variance"

    outcome: str | None = _outcome()


_INSTEAD = ("crowding", "chains")
"""Tables that stand in the place of one when the option of their name is given."""


@dataclass(frozen=True)
class Wanted:
    """A table of runs that is wanted: the runs, how it is made, what is shown of it, where it goes.

    Attributes
    ----------
    folders: the runs, at least one. table: by what, at which level. view: what is shown.
    options: options of the table with the texts that were given for each, None for an option without a value.
    """

    folders: tuple[str, ...]
    table: TableOptions
    view: View
    files: Files
    printing: Printing
    options: Mapping[str, Sequence[str | None]]


def short_table(own: OneTable, table: TableOptions, view: View, files: Files, printing: Printing) -> None:
    """Show a table that is a command of its own, or one that takes its place."""
    name = next((one for one in _INSTEAD if getattr(own, one, False)), own.name)
    show_table(name, Wanted(table.runs, table, view, files, printing, own.given()))


def any_table(own: Sequence[str], table: TableOptions, view: View, files: Files, printing: Printing) -> None:
    """Show a table by its name, with its options; without a name which there are. ``own``: words nobody knows."""
    words = [*table.runs, *own]  # what is unknown stands among the runs
    first = next((place for place, word in enumerate(words) if word.startswith("-")), len(words))
    pairs, arguments = split(words[first:])
    if arguments:
        raise UserError(f"table takes no argument {arguments[0]!r}")
    if not first:
        raise UserError(f"table shows a run: name its folder before {words[0]}")
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
    """Print the table ``name`` of one run, or of several as one: its rows, what it says and what it does not."""
    from wsim.cli.presenter import Output, show
    from wsim.lab.run_tables import RunTable, texts_read
    from wsim.lab.table_options import table_command

    wanted.files.check()
    runs, by, level = [open_run(folder) for folder in wanted.folders], wanted.table.by, wanted.table.level
    given = texts_read(name, find_analysis(find_game(runs[0].plan.game), name), wanted.options)
    found = RunTable.of(name, runs, by, level, given, wanted.table.won_by)
    rows = wanted.view.of(found.table.frame, found.splits, found.table.columns)
    record = found.record(wanted.options, wanted.view.only, wanted.view.sort, wanted.view.top)
    output = Output(wanted.printing, wanted.files, wanted.view.wide)
    command = table_command(name, wanted.table, wanted.view, wanted.options)
    show(found.document(rows, command), record, output)


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


def list_tables(wanted: Wanted) -> None:
    """Print which tables a run has."""
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
    """Open a run; say so if it is not complete."""
    from wsim.lab.store import load_run

    run = load_run(folder)
    if not run.complete:
        remark(f"wsim: {folder} holds {run.games:,} of {len(run.wanted):,} games")
    return run
