"""The page of a card, a wonder or a policy: its figures in a run, its definition, and its causal effects."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.routing import Route

from wsim.display import interval_of, unit_of, written
from wsim.document import NAME, POINTS, Column, Sheet
from wsim.errors import UserError, nearest
from wsim.files import shown_path
from wsim.lab.record import read_record
from wsim.questions.registry import questions
from wsim.report.cards import Faces, names_in, source_of
from wsim.spec.catalogues import catalogues_of
from wsim.workbench.ask_page import links_of
from wsim.workbench.rendering import folder_of, kept, page
from wsim.workbench.run_page import opened_tables
from wsim.workbench.table_view import TableView, has_pages, item_address, rows_shown

if TYPE_CHECKING:
    import polars as pl
    from starlette.requests import Request
    from starlette.responses import Response

    from wsim.lab.run_tables import RunTable
    from wsim.lab.store import Run
    from wsim.report.grids import Grid
    from wsim.workbench.folder import Folder

CLOSEST = 10
"""Maximum number of close games that are listed."""
_CLOSE = (
    Column("game", NAME), Column("seat", NAME), Column("policy", NAME), Column("total", POINTS, heading="score"),
    Column("margin", POINTS, about="points ahead of the next seat"),
)  # fmt: skip
PARTNERS = 20


def item_page(request: Request) -> Response:
    """Return the page of an item in a table; it includes results from other runs and answers in the folder."""
    files = tuple((entry.name, entry.when, entry.size) for entry in folder_of(request).found())
    state = (opened_tables(request).state(request.query_params.getlist("run")), files)
    return kept(request, state, lambda: _item_page(request))


def _item_page(request: Request) -> Response:
    from wsim.report.item_conclusion import about_item

    query, tables = request.query_params, opened_tables(request)
    view = TableView.of([(key, value) for key, value in query.multi_items() if key in ("run", "table")])
    name, show, folder = query.get("name", ""), query.get("show", ""), folder_of(request)
    table = tables.table(view)
    if not has_pages(table):
        raise UserError(f"rows of the table {view.table} have no pages")
    run, noun = table.runs[0], table.table.frame.columns[0]
    rows = _rows_of(table, noun, name)
    pages = [
        (label, item_address(view, name, address), address == show) for label, address in _pages(table, noun, name)
    ]
    if beside := [] if table.teller else _runs_by_other_players(folder, run):
        several = TableView((*view.runs, *beside), table=view.table)
        pages.insert(0, ("by number of players", item_address(several, name), False))
    shown, faces = _shown(request, table, view, name, show), Faces.of_plan(run.plan)
    return page(
        request, "thing.html.j2", name, game=run.plan.game, noun=noun, runs=table.runs, view=view, show=show,
        figures=_figures(table, rows, name), pages=pages, found=about_item(table.table, rows),
        shown=shown, drawings=faces.hidden(names_in(shown[0])) if shown else "", text=_text(run, name),
        faces=faces, linked=_linked(faces, view, name),
        causal=_causal(folder, run, noun, name), note=table.table.note, back=view.address(),
        command=_filtered(view, noun, name).command(folder), questions=_questions(run, noun, name),
    )  # fmt: skip


def _linked(faces: Faces, view: TableView, name: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the cards linked to an item by kind of link, each with the address of its page."""
    links = faces[name].links if name in faces else {}
    return [(what, [(other, item_address(view, other)) for other in names]) for what, names in links.items()]


def _pages(table: RunTable, noun: str, name: str) -> list[tuple[str, str]]:
    """Return the further tables available for an item, each as its label and the ``show`` value that selects it."""
    from wsim.lab.run_tables import tables_of_run

    run = table.runs[0]
    splits = [column for column in ("policy", "seat", "wonder", "side") if column in table.splits and column != noun]
    pages = [(f"by {column}", f"by:{column}") for column in splits if column not in table.split]
    if noun == "card" and run.plan.picks and "drafting" in tables_of_run(run):
        pages += [(f"by {column} in which it was taken", f"drafting:{column}") for column in ("age", "turn")]
    pages += [("by partner", "synergies")] if has_option(run, "synergies", noun) else []
    return pages + ([("close games", "games")] if not table.teller and _column_of(run, noun, name) else [])


def _runs_by_other_players(folder: Folder, run: Run) -> list[str]:
    """Return the largest run in the folder for each other number of players under the same rules."""
    mine, largest = run.provenance.plan, dict[int, tuple[int, str]]()
    for entry in folder.found():
        if entry.kind != "run":
            continue
        with suppress(UserError):
            plan = read_record(folder.inside(entry.name)).provenance.plan
            if all(plan.get(key) == mine.get(key) for key in ("game", "ruleset", "cards", "patch", "set")):
                candidate = (int(plan["games"]), entry.name)
                largest[plan["players"]] = max(candidate, largest.get(plan["players"], candidate))
    return [name for players, (_, name) in sorted(largest.items()) if players != run.plan.players]


def _questions(run: Run, noun: str, name: str) -> list[tuple[str, str]]:
    """Return the questions that can be asked about an item, with the addresses of their forms."""
    from wsim.game import find_game

    game = find_game(run.plan.game)
    if noun not in game.OWNED.values():
        return []
    links = links_of(noun, name, run.plan)
    if game.CATALOGUES is not None:
        where = urlencode({"game": run.plan.game, "ruleset": run.plan.ruleset, "at": name})
        links.append((f"Change this {noun}, and see its figures move", f"/move?{where}"))
        links.append((f"Edit all values of this {noun}", f"/change?{where}#at"))
    return links


def has_option(run: Run, table: str, option: str) -> bool:
    """Return whether a run has a table called ``table`` that accepts ``option``."""
    from wsim.lab.run_tables import tables_of_run

    analysis = tables_of_run(run).get(table)
    return analysis is not None and option in analysis.options


def _filtered(view: TableView, noun: str, name: str, by: tuple[str, ...] = ()) -> TableView:
    return TableView(view.runs, table=view.table, by=by, only=(f"{noun}={name}",))


def _rows_of(table: RunTable, noun: str, name: str) -> pl.DataFrame:
    """Return an item's rows in a table; raise UserError if there are none."""
    import polars as pl

    frame = table.table.frame
    rows = _rows_named(frame, noun, name)
    if rows.is_empty():
        known = frame[noun].cast(pl.String).unique().sort().to_list()
        raise UserError(f"the table {table.name} has no {noun} {name!r}{nearest(name, known)}")
    return rows


def _figures(table: RunTable, rows: pl.DataFrame, name: str) -> list[tuple[Grid, Grid | None]]:
    """Return the figures of an item, each with the grid of its less important figures if it has one.

    For one run, there is a line per figure; for several runs, a row per run.
    """
    from wsim.report.grids import grid

    if table.teller:
        return [(grid("figures", table.table.sheet(rows, f"{name} by {table.teller}")), None)]
    sheet = table.table.sheet()
    main = {column.name for column in sheet.shown}
    others = [column for column in sheet.columns if column.name not in main]
    pairs = []
    for index, row in enumerate(rows.to_dicts()):
        more = _row_grid(table, row, others, f"more-{index}", "more figures")
        pairs.append((_row_grid(table, row, sheet.shown, f"figures-{index}"), more if more.rows else None))
    return pairs


def _row_grid(table: RunTable, row: Mapping[str, Any], columns: Sequence[Column], name: str, about: str = "") -> Grid:
    """Transpose columns of a row into a table with one line per figure, with its interval and unit.

    ``about``: what its caption says after the name of the row.

    Points in a category that nobody in the table scores in are omitted, as in the table's main columns.
    """
    from wsim.report.grids import Cell, Grid, Heading, heading_of, plain
    from wsim.stats.columns import POINTS_OF

    scored = [one for one in table.table.frame if one.name.startswith(POINTS_OF)]
    unscored = {one.name for one in scored if bool((one.fill_null(0) == 0).all())}
    lines = []
    for column in columns:
        value = row[column.name]
        if column.name not in (*table.table.labels, *unscored) and value is not None:
            key = value if column.kind.numeric else str(value)
            figures = (Cell(written(column, value), key), plain(interval_of(column, row)), plain(unit_of(column)))
            lines.append([plain(heading_of(column.heading)), *figures])
    headings = [
        Heading("Figure", numeric=False), Heading("Value"),
        Heading(f"{100 * table.level:g}% interval"), Heading("Unit", numeric=False, minor=True),
    ]  # fmt: skip
    label = table.table.label(row)
    return Grid(name, f"{label}: {about}" if about else label, headings, lines)


def _shown(request: Request, table: RunTable, view: TableView, name: str, show: str) -> tuple[Grid, str, str] | None:
    """Return the further table selected by ``show``, with its note and command; None if nothing is selected."""
    from wsim.report.grids import grid

    part_name, _, by = show.partition(":")
    tables, folder, noun = opened_tables(request), folder_of(request), table.table.frame.columns[0]
    if part_name in ("by", "drafting") and by:
        split = (*table.split, by)
        part_view = _filtered(
            TableView(view.runs, table=table.name if part_name == "by" else part_name), noun, name, split
        )
        part_view = replace(part_view, sort=f"-{by}" if part_name == "drafting" else None)
        part = tables.table(part_view)
        rows, _ = rows_shown(part, part_view)
        return grid("by", part.table.sheet(rows, f"{name} by {by}")), part.table.note, part_view.command(folder)
    if part_name == "synergies":
        part_view = TableView(view.runs, table=part_name, top=PARTNERS, options={noun: (name,)})
        part = tables.table(part_view)
        rows = part.table.frame.head(PARTNERS)
        partners = grid(part_name, part.table.sheet(rows, part.title), faces=Faces.of_plan(table.runs[0].plan))
        return partners, part.table.note, part_view.command(folder)
    if part_name == "games":
        run = table.runs[0]
        command = f"wsim trace {shlex.quote(shown_path(run.path))} GAME --why"
        note = f"The {CLOSEST} closest wins of seats that have it; GAME is a game number from this table."
        made = grid("games", Sheet(f"Close games won with {name}", _closest_wins(run, noun, name).to_dicts(), _CLOSE))
        link = "/analyse?{}".format
        lines = [
            [replace(row[0], link=link(urlencode({"run": view.runs[0], "number": row[0].text}))), *row[1:]]
            for row in made.rows
        ]
        return replace(made, rows=lines), note, command
    return None


def _rows_named(frame: pl.DataFrame, noun: str, name: str) -> pl.DataFrame:
    import polars as pl

    return frame.filter(pl.col(noun).cast(pl.String) == name)


def _column_of(run: Run, noun: str, name: str) -> str:
    """Return the column of the seats table that records an item; empty if there is none."""
    from wsim.game import find_game

    if run.plan.keep == "summary" or not run.shards["seats"]:
        return ""
    owned = {f"{start}{name}" for start, what in find_game(run.plan.game).OWNED.items() if what == noun}
    known = run.seats.collect_schema().names()
    return next((column for column in known if column in owned), noun if noun in known else "")


def _closest_wins(run: Run, noun: str, name: str) -> pl.DataFrame:
    """Return the closest games won by seats with an item: game, seat, policy, score and margin."""
    import polars as pl

    column = _column_of(run, noun, name)
    if not column:
        raise UserError(f"the run has no rows of {name!r}")
    mine = pl.col(column) > 0 if column != noun else pl.col(column).cast(pl.String) == name
    second = pl.col("total").sort(descending=True).get(1, null_on_oob=True).over("game")
    seats = run.seats.with_columns(margin=pl.col("total") - second)
    policy = pl.col("policy").cast(pl.String)
    won = seats.filter(mine & (pl.col("win_share") > 0)).select("game", "seat", policy, "total", "margin")
    return won.sort("margin", "game").head(CLOSEST).collect()


def _text(run: Run, name: str) -> tuple[list[Grid], str] | None:
    """Return the definition of an item and the command that prints it; None if it is not in the catalogue."""
    from wsim.game import find_game

    plan = run.plan
    catalogues = catalogues_of(find_game(plan.game))
    if catalogues is None:
        return None
    source = source_of(plan)
    with suppress(UserError):
        page = catalogues.page(source, name)
        words = ["wsim", "catalog", name, "--game", plan.game, "--ruleset", plan.ruleset]
        words += [word for item in plan.set for word in ("--set", item)]
        words += [word for item in source.patches for word in ("--patch", item)]
        return [
            rows_grid(f"text-{index}", item.title, item.rows) for index, item in enumerate(page.tables)
        ], shlex.join(words)
    return None


def rows_grid(name: str, caption: str, rows: Sequence[Mapping[str, Any]]) -> Grid:
    """Return rows as a table of strings, without empty columns."""
    from wsim.report.grids import Grid, Heading, heading_of, plain

    columns = [
        column for column in (rows[0] if rows else {}) if any(row[column] not in (None, "", [], ()) for row in rows)
    ]
    cells = [[plain(_words(row[column])) for column in columns] for row in rows]
    headings = [
        Heading(heading_of(column), numeric=index > 0 and all(type(row[column]) is int for row in rows))
        for index, column in enumerate(columns)
    ]
    return Grid(name, caption, headings, cells)


def _words(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_words, value))
    return "" if value is None else str(value)


def _causal(folder: Folder, run: Run, noun: str, name: str) -> list[tuple[str, str, Grid]]:
    """Collect the causal effects of an item from all answers in the folder, each as file, estimand and rows."""
    from wsim.questions.answer_files import stored_in
    from wsim.report.grids import grid

    grids: list[tuple[str, str, Grid]] = []
    kinds = {family for question in questions() if question.item_effects for family in question.families}
    for entry in folder.found():
        if entry.kind not in kinds:
            continue
        with suppress(UserError):
            stored = stored_in(folder.inside(entry.name))
            if stored is None or stored.game() != run.plan.game or noun not in stored.main.columns:
                continue
            rows = _rows_named(stored.main, noun, name)
            if len(rows):
                estimand = str(stored.record.get("estimand", ""))
                grids.append(
                    (
                        entry.name,
                        estimand,
                        grid(
                            f"causal-{len(grids)}", stored.sheet(stored.kind.TABLES[0], f"{name}: {entry.name}", rows)
                        ),
                    )
                )
    return grids


PUBLISHED = {"/thing": {"run": "needed", "table": "needed", "name": "needed"}}
ROUTES = [Route("/thing", item_page)]
