"""Sheets for the table: one to fill in (CSV, one row a seat) and one to print (HTML, one page a game)."""

from __future__ import annotations

import csv
import io
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
GAMES = 3  # in a new sheet


def write_template(path: Path, plan: Plan) -> None:
    """Write an empty sheet for the rules of a plan; raise UserError for a name that is neither CSV nor HTML."""
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".html"):
        raise UserError(f"a sheet is a .csv file to fill in or an .html file to print, not {str(path)!r}")
    if path.exists():
        raise UserError(f"{str(path)!r} already exists: choose another name")
    schema = seats_schema(find_game(plan.game).prepare(plan))
    boards = [name for name, kind in schema.items() if isinstance(kind, pl.Enum) and name != "policy"]
    points = [name for name in schema if name.startswith("points_")]
    heads = ["game", "date", "group", "player", *boards, *points, "total", *(["coins"] if "coins" in schema else [])]
    if suffix == ".csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(heads)
        writer.writerows([game, *[""] * (len(heads) - 1)] for game in range(1, GAMES + 1) for _ in range(plan.players))
        write_text(path, text.getvalue())
        return
    rows = [head for head in heads if head not in ("game", "date", "group")]
    names = {name: schema[name].categories.to_list() for name in boards}  # type: ignore[attr-defined]
    lines = "".join(
        f"<tr><th>{escape(row.removeprefix('points_').replace('_', ' '))}</th>{'<td></td>' * plan.players}</tr>"
        for row in rows
    )
    known = "".join(f"<p>{escape(name)}: {escape(', '.join(of))}</p>" for name, of in names.items())
    page = (
        f"<h1>{escape(find_game(plan.game).TITLE)}, {escape(plan.ruleset)}: game ____</h1>"
        f"<p>Date ____________ Group ____________ Boards: &#9744; drawn &#9744; chosen</p><table><tr><th></th>"
        f"{''.join(f'<th>seat {seat}</th>' for seat in range(plan.players))}</tr>{lines}</table>"
        f"<p>Seats in clockwise order. Coins decide ties.</p>{known}"
    )
    head = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Score sheet</title><style>{_STYLE}</style>'
    )
    write_text(path, f"{head}</head><body>{f'<section>{page}</section>' * GAMES}</body></html>\n")
