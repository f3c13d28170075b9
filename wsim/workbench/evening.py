"""An evening of games at one table: the results, the standings, and a run of the games that only people played.

Games without policies are imported (``wsim import``) from the table's position files into the run ``evening-KEY`` in
the folder, so they have all tables and questions of people's games. Games with policies count only for the standings.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING

from wsim.errors import UserError

if TYPE_CHECKING:
    from wsim.lab.plan import Plan


@dataclass(frozen=True)
class Score:
    """A seat's result: the player's name, points and win share, and whether the player is a person."""

    name: str
    total: float
    win_share: float
    person: bool


@dataclass(frozen=True)
class Played:
    """A finished game: its position file, and the result of each seat."""

    file: str
    scores: Sequence[Score]


def standings(evening: Sequence[Played]) -> list[tuple[str, int, float, float]]:
    """Return the name, number of games, victories and mean points of each player, ordered by victories."""
    rows: dict[str, list[Score]] = {}
    for game in evening:
        for score in game.scores:
            rows.setdefault(score.name, []).append(score)
    standings = [
        (
            name,
            len(scores),
            sum(score.win_share for score in scores),
            sum(score.total for score in scores) / len(scores),
        )
        for name, scores in rows.items()
    ]
    return sorted(standings, key=lambda row: (-row[2], -row[3]))


def keep(evening: Sequence[Played], plan: Plan, folder: Path, key: str) -> None:
    """Write a run of the games that only people played, if there are any; raise UserError if that fails."""
    from wsim.people.importing import import_files
    from wsim.people.question import ImportOptions

    files = [relpath(folder / game.file) for game in evening if all(score.person for score in game.scores)]
    if not files:
        return
    if plan.patch or plan.cards:
        raise UserError("games with a patch or a custom card file are not imported, because positions may name any")
    out, former = folder / f"evening-{key}", folder / f".evening-{key}"
    if out.exists():
        shutil.rmtree(former, ignore_errors=True)
        out.rename(former)
    try:
        rules = plan.replace(policies=("random",), games=1, rotate=False, seed=0)
        import_files(ImportOptions(files=tuple(files), out=relpath(out), boards="drawn"), rules)
    except BaseException:
        if former.exists():
            shutil.rmtree(out, ignore_errors=True)
            former.rename(out)
        raise
    shutil.rmtree(former, ignore_errors=True)
