"""Write sheets to fill in (CSV, one row per seat), score sheets to print (HTML, one page per game), and schedules."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import polars as pl

from wsim.errors import UserError
from wsim.files import write_text
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.people.importing import seats_schema

_STYLE = """
body { font: 11pt/1.4 system-ui, sans-serif; margin: 1.5cm }
h1 { font-size: 15pt; margin: 0 0 .3em } p { margin: .2em 0 .8em }
table { border-collapse: collapse; width: 100% } th, td { border: 1px solid #555; padding: .35em; text-align: left }
td { height: 1.6em; min-width: 2.6em } section { break-after: page }
"""
GAMES = 3  # games in a new sheet


def write_template(path: Path, plan: Plan) -> None:
    """Write an empty sheet for the rules of a plan; raise UserError unless the file name ends in .csv or .html."""
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".html"):
        raise UserError(f"a sheet must be a .csv file to fill in or an .html file to print, not {str(path)!r}")
    _refuse_existing(path)
    schema = seats_schema(find_game(plan.game).prepare(plan))
    if suffix == ".csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        heads = ["game", "date", "group", "player", *_score_fields(schema)]
        writer.writerow(heads)
        writer.writerows([game, *[""] * (len(heads) - 1)] for game in range(1, GAMES + 1) for _ in range(plan.players))
        write_text(path, text.getvalue())
        return
    known = "".join(
        f"<p>{escape(name)}: {escape(', '.join(kind.categories.to_list()))}</p>"
        for name, kind in _board_columns(schema).items()
    )
    boards = "Boards: &#9744; drawn &#9744; chosen"
    page = _score_sheet(plan, schema, "game ____", boards, {}) + known
    _write_pages(path, "Score sheet", [page] * GAMES)


def check_printed(path: Path) -> None:
    """Raise UserError unless the file name ends in .html and the file does not exist yet."""
    if path.suffix.lower() != ".html":
        raise UserError(f"a printable schedule must be an .html file, not {str(path)!r}")
    _refuse_existing(path)


def write_schedule(path: Path, plan: Plan, evenings: Sequence[Sequence[Sequence[Mapping[str, str]]]]) -> None:
    """Write a printable schedule: one page with all games, then a score sheet for each game with its boards filled in.

    Parameters
    ----------
    evenings: for each evening a list of games; for each game, the board (wonder, side) of each seat in clockwise order.
    """
    check_printed(path)
    schema = seats_schema(find_game(plan.game).prepare(plan))
    lines, sheets = [], []
    for evening, games in enumerate(evenings, 1):
        for game, boards in enumerate(games, 1):
            names = "".join(f"<td>{escape(' '.join(board.values()))}</td>" for board in boards)
            lines.append(f"<tr><td>{evening}</td><td>{game}</td>{names}<td>&#9744;</td></tr>")
            filled = {name: [board[name] for board in boards] for name in boards[0]}
            sheets.append(_score_sheet(plan, schema, f"evening {evening}, game {game}", "", filled))
    heads = ("evening", "game", *(f"seat {seat}" for seat in range(plan.players)), "played")
    schedule = (
        f"<h1>{escape(find_game(plan.game).TITLE)}, {escape(plan.ruleset)}: boards to put on the table</h1>"
        f"<p>Seats in clockwise order; draw lots for the seats.</p><table><tr>"
        f"{''.join(f'<th>{head}</th>' for head in heads)}</tr>{''.join(lines)}</table>"
    )
    _write_pages(path, "Schedule", [schedule, *sheets])


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise UserError(f"{str(path)!r} already exists: choose another name")


def _board_columns(schema: Mapping[str, pl.DataType]) -> dict[str, pl.Enum]:
    """Return the columns with the names of a seat's board, such as wonder and side."""
    return {name: kind for name, kind in schema.items() if isinstance(kind, pl.Enum) and name != "policy"}


def _score_fields(schema: Mapping[str, pl.DataType]) -> list[str]:
    """Return the fields to fill in for each seat of a score sheet."""
    points = [name for name in schema if name.startswith("points_")]
    return [*_board_columns(schema), *points, "total", *(["coins"] if "coins" in schema else [])]


def _score_sheet(
    plan: Plan, schema: Mapping[str, pl.DataType], game: str, boards: str, filled: Mapping[str, Sequence[str]]
) -> str:
    """Build the HTML of a score sheet for one game; ``filled`` contains the known values of each seat, by field."""
    empty = [""] * plan.players
    lines = "".join(
        f"<tr><th>{escape(field.removeprefix('points_').replace('_', ' '))}</th>"
        f"{''.join(f'<td>{escape(value)}</td>' for value in filled.get(field, empty))}</tr>"
        for field in ("player", *_score_fields(schema))
    )
    return (
        f"<h1>{escape(find_game(plan.game).TITLE)}, {escape(plan.ruleset)}: {game}</h1>"
        f"<p>Date ____________ Group ____________ {boards}</p><table><tr><th></th>"
        f"{''.join(f'<th>seat {seat}</th>' for seat in range(plan.players))}</tr>{lines}</table>"
        f"<p>Seats in clockwise order. Coins decide ties.</p>"
    )


def _write_pages(path: Path, title: str, pages: Sequence[str]) -> None:
    head = f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
    write_text(path, f"{head}</head><body>{''.join(f'<section>{page}</section>' for page in pages)}</body></html>\n")
