"""The Python function for ``wsim import``, ``wsim.import_games``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from wsim.lab.plan import Plan
from wsim.people.importing import Imported, import_files
from wsim.people.question import ImportOptions


def import_games(
    *files: str | os.PathLike[str],
    out: str | os.PathLike[str],
    columns: Mapping[str, str] | str | Sequence[str] = (),
    sheet: str | None = None,
    players: int | None = None,
    boards: str = "chosen",
    skip_bad: bool = False,
    anonymous: bool = False,
    source: str | None = None,
    licence: str | None = None,
    game: str | None = None,
    ruleset: str | None = None,
    cards: str | None = None,
    patch: str | Sequence[str] = (),
    set: str | Sequence[str] = (),
) -> Imported:
    """Import people's games from files into run folders.

    Parameters
    ----------
    files: spreadsheets, exports, traces or finished games. out: the run folder to write; with several numbers of
        players or several rule sets, it will contain one run folder for each.
    columns: the meaning of headings that are not recognised: ``{"wonder": "Wonderboard"}``. sheet: the sheet of a
        workbook. players: the number of players, if each game is a block of that many rows.
    boards: how seats got their wonders, chosen or drawn.
    skip_bad: leave out games with mistakes instead of rejecting the files; the result lists them in ``problems``.
    anonymous: store no names of players and groups. source, licence: the source and licence of published games.
    game, ruleset, cards, patch, set: the rules that people played by, as in ``wsim.Plan.make``.

    Returns the runs, the interpretation of headings and names, and the games left out. Raises UserError for files that
    cannot be read and, without ``skip_bad``, for invalid games; nothing is written in this case.
    """
    if isinstance(columns, Mapping):
        columns = [f"{field}={heading}" for field, heading in columns.items()]
    options = ImportOptions(
        files=tuple(os.fspath(file) for file in files), out=os.fspath(out), sheet=sheet, players=players, boards=boards,
        columns=(columns,) if isinstance(columns, str) else tuple(columns),
        skip_bad=skip_bad, anonymous=anonymous, source=source, licence=licence,
    )  # fmt: skip
    rules = {"game": game, "ruleset": ruleset, "cards": cards, "patch": patch or None, "set": set or None}
    return import_files(options, Plan.make(**{key: value for key, value in rules.items() if value is not None}))
