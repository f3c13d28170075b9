"""Options for ``wsim import``."""

from __future__ import annotations

from dataclasses import dataclass

from wsim.options import Options, argument, at_least, option, whole


def read_board_assignment(name: str, value: str) -> str:
    """Validate how seats got their boards, ``chosen`` or ``drawn``; raise UserError for any other word."""
    from wsim.people.checks import check_alternatives

    return check_alternatives(value, ("chosen", "drawn"), name)


@dataclass(frozen=True)
class ImportOptions(Options):
    """Import games that people played from spreadsheets, exports, traces or finished games into a run folder.

    Files: .csv, .tsv, .xlsx, .ods, .json, .bgsplay (Board Game Stats), .xml (BoardGameGeek plays) and .parquet, with
    one row per seat or one row per game. All invalid values are listed, and nothing is imported until they are fixed.
    If numbers of players or rule sets differ, FOLDER will contain one run folder for each combination.
    """

    files: tuple[str, ...] = argument("Files with games.", (), metavar="FILE...", file=True)
    out: str | None = option("Run folder to write.", None, metavar="FOLDER", names=("-o", "--out"))
    columns: tuple[str, ...] = option(
        "Meaning of a column that is not recognised (repeatable): wonder=Wonderboard", (), metavar="FIELD=HEADING"
    )
    sheet: str | None = option("Sheet of a workbook.", None, metavar="NAME", shown="the first")
    players: int | None = option(
        "Number of players, if each game is a block of N rows.", None, metavar="N", read=whole, check=at_least(1)
    )
    boards: str = option(
        "How seats got their wonders: chosen or drawn.", "chosen", metavar="HOW", check=read_board_assignment
    )
    skip_bad: bool = option("Leave out and list games with mistakes instead of rejecting the file.", False)
    anonymous: bool = option("Store no names, only codes such as P1 for players and G1 for groups.", False)
    source: str | None = option("Source of published games.", None, metavar="TEXT")
    licence: str | None = option("Licence of published games.", None, metavar="NAME")
    template: str | None = option(
        "Write a sheet to fill in (FILE.csv) or to print (FILE.html) instead of importing.", None, metavar="FILE"
    )
