"""Files of people's games as rows of text: CSV, TSV, Excel, JSON, Parquet, and exports of two well-known programs.

Assumed of the exports, from their public descriptions: Board Game Stats writes JSON with ``games``, ``players``,
``locations`` and ``plays``, each play with ``gameRefId``, ``locationRefId`` and ``playerScores`` (``playerRefId``,
``score``, ``winner``, ``rank``, ``role``, ``seatOrder``; the role is the wonder). BoardGameGeek's XML API 2 answers
``plays`` with one ``play`` each, its ``item`` (``objectid``) and ``players`` (``name``, ``username``, ``score``,
``win``, ``startposition``, ``color``; the colour is the wonder).

Nothing in a file is evaluated: formulas of a workbook count with the value stored next to them, formulas of text files
are text, and XML with a document type is refused, because entities could grow without bound.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from wsim.errors import UserError
from wsim.files import bytes_within, json_of
from wsim.people.headings import Headings

MAX_BYTES = 512 << 20  # of a file, and of what a workbook contains uncompressed
MAX_PARSED = 64 << 20  # of JSON and XML, whose objects take many times their text
MAX_ROWS = 5_000_000
MAX_COLUMNS = 2_000
MAX_CELL = 500  # characters; longer cells are cut, and match nothing
HEADING_ROWS = 20  # the headings are among the first rows
ROW = "row"
"""The column with the number of a row in its file, as spreadsheets count it; for JSON, the number of the game."""
_SUM, _TERM = re.compile(r"[-+\d\s]+"), re.compile(r"[+-]?\d+")  # 20+31, as Board Game Stats writes scores
_NESTED = ("players", "seats", "scores", "playerScores", "results")

Rows = Iterable[Mapping[str, Any]]


def read(path: Path, headings: Headings, sheet: str | None = None) -> pl.DataFrame:
    """Return the rows of a file as text, with their numbers in the column ``row``; ``sheet``: the sheet of a workbook.

    Raises UserError for a file that cannot be read or is too large.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        known = ", ".join(_READERS)
        raise UserError(f"{str(path)!r} cannot be imported: its name must end with one of {known}")
    try:
        frame = reader(bytes_within(path, MAX_BYTES), headings, sheet)
    except UserError as error:
        raise UserError(f"{str(path)!r}: {error}") from None
    except OSError as error:
        raise UserError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    except (ValueError, pl.exceptions.PolarsError) as error:
        raise UserError(f"cannot read {str(path)!r}: {' '.join(str(error).split())[:200]}") from None
    if frame.width > MAX_COLUMNS or frame.height > MAX_ROWS:
        raise UserError(
            f"{str(path)!r} has {frame.height:,} rows and {frame.width:,} columns: at most {MAX_ROWS:,} and "
            f"{MAX_COLUMNS:,} are imported"
        )
    return frame.with_columns(pl.col(pl.String).str.slice(0, MAX_CELL).str.strip_chars().replace("", None))


def _text(content: bytes) -> str:
    for encoding in ("utf-8-sig", "utf-16") if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise UserError("it is not text: save the sheet as CSV in UTF-8")


def _separated(content: bytes, headings: Headings, _sheet: str | None) -> pl.DataFrame:
    """Read CSV or TSV; the separator is the one by which most headings are known (a cell with a list of cards is
    none), then the most frequent one.
    """
    text = _text(content)
    if "\0" in text:
        raise UserError("it is not text: save the sheet as CSV in UTF-8")
    first = "\n".join(text.split("\n", HEADING_ROWS)[:HEADING_ROWS])

    def fit(separator: str) -> tuple[int, int]:
        rows = ([headings.field(cell.strip('" ')) for cell in line.split(separator)] for line in first.splitlines())
        known = (len({field for field in row if field and ":" not in field}) for row in rows)
        return max(known, default=0), first.count(separator)

    separator = max("\t;,|", key=fit)
    width = 1 + max((line.count(separator) for line in first.split("\n")), default=0)
    heads = separator.join(f"c{number}" for number in range(width))  # as wide as the widest of the first rows
    frame = pl.read_csv(
        io.BytesIO(f"{heads}\n{text}".encode()), separator=separator, infer_schema=False, truncate_ragged_lines=True
    )
    return _headed(frame, headings)


def _headed(frame: pl.DataFrame, headings: Headings) -> pl.DataFrame:
    """Take the headings of a table of text from the one of its first rows that has most known ones."""
    rows = frame.head(HEADING_ROWS).rows()
    if not rows:
        raise UserError("it has no rows")
    known = [len({headings.field(str(cell)) for cell in row if cell is not None} - {None}) for row in rows]
    place = max(range(len(rows)), key=lambda row: (known[row], -row))
    names: list[str] = []
    for number, cell in enumerate(rows[place]):
        name = str(cell).strip() if cell is not None and str(cell).strip() else f"column {number + 1}"
        names.append(name if name not in [*names, ROW] else f"{name} ({number + 1})")
    named = frame.rename(dict(zip(frame.columns, names, strict=True))).with_row_index(ROW, offset=1)
    return named.with_columns(pl.col(ROW).cast(pl.Int64))[place + 1 :]


def _workbook(content: bytes, headings: Headings, sheet: str | None) -> pl.DataFrame:
    """Read the first sheet of a workbook, or the one named, after checking how large it is uncompressed."""
    if find_spec("python_calamine") is None:
        raise UserError("workbooks need an extra: pip install 'wsim[xlsx]'; or save the sheet as CSV")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, EOFError) as error:
        raise UserError(f"it is not a workbook: {error}") from None
    if unpacked > MAX_BYTES:
        raise UserError(f"it unpacks to {unpacked >> 20:,} MiB: at most {MAX_BYTES >> 20:,} are read")
    calamine: Any = import_module("python_calamine")
    try:
        book = calamine.load_workbook(io.BytesIO(content))
        names = book.sheet_names
        if not names or (sheet is not None and sheet not in names):
            raise UserError(f"it has no sheet {sheet!r}: it has {', '.join(map(repr, names))}")
        page = book.get_sheet_by_name(names[0] if sheet is None else sheet)
        if page.width > MAX_COLUMNS or page.height > MAX_ROWS:
            raise UserError(f"its sheet has {page.height:,} rows and {page.width:,} columns")
        rows = page.to_python(skip_empty_area=False)
    except (calamine.CalamineError, zipfile.BadZipFile) as error:
        raise UserError(f"it is not a workbook: {error}") from None
    if not rows:
        raise UserError("it has no rows")
    columns = [pl.Series(f"c{place}", [_cell(row[place]) for row in rows], pl.String) for place in range(len(rows[0]))]
    return _headed(pl.DataFrame(columns), headings)


def _cell(value: Any) -> str | None:
    """Return a cell as it would be typed: 52.0 as 52."""
    if value is None or value == "":
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


def _parquet(content: bytes, _headings: Headings, _sheet: str | None) -> pl.DataFrame:
    frame = pl.read_parquet(io.BytesIO(content))
    flat = frame.select(
        pl.col(name).cast(pl.List(pl.String)).list.join(";") if isinstance(kind, pl.List) else pl.col(name)
        for name, kind in frame.schema.items()
    )
    texts = flat.select(pl.all().cast(pl.String)).rename({ROW: f"{ROW} (file)"}, strict=False)
    return texts.with_row_index(ROW, offset=1).with_columns(pl.col(ROW).cast(pl.Int64))


# --- JSON and XML -----------------------------------------------------------------------------------------------------


def _json(content: bytes, headings: Headings, _sheet: str | None) -> pl.DataFrame:
    if len(content) > MAX_PARSED:
        raise UserError(f"JSON may have at most {MAX_PARSED >> 20} MiB: convert it to CSV or Parquet")
    text = _text(content)
    try:
        value = json_of(text)
    except ValueError:
        value = [json_of(line) for line in text.splitlines() if line.strip()]
    return _frame(list(_rows(value, headings)))


def _rows(value: Any, headings: Headings) -> Iterator[dict[str, Any]]:
    """Yield one row per seat, or a game, of a JSON value; raise UserError unless it is a list of games."""
    if isinstance(value, dict) and isinstance(value.get("plays"), list) and isinstance(value.get("players"), list):
        yield from _board_game_stats(value, headings)
        return
    games = value
    if isinstance(value, dict):
        games = next((value[key] for key in ("games", "plays", "rows") if isinstance(value.get(key), list)), [value])
    if not isinstance(games, list) or not all(isinstance(game, dict) for game in games):
        raise UserError("JSON must be a list of games or of rows, each an object")
    for number, game in enumerate(games, 1):
        form = str(game.get("format", "")).partition("/")[0]
        if form == "wsim-trace":
            yield from _of_trace(game, number)
        elif form == "wsim-position":
            yield from _of_position(game, number)
        else:
            yield from _of_object(game, number, headings)


def _of_object(game: Mapping[str, Any], number: int, headings: Headings) -> Iterator[dict[str, Any]]:
    """Yield the seats in an object with a list of seats, or the object as one seat."""
    nested = next((key for key in _NESTED if isinstance(game.get(key), list)), None)
    if nested is None:
        yield {ROW: number, **game}
        return
    common = {key: item for key, item in game.items() if key != nested}
    named = {} if any(headings.field(key) == "game" for key in common) else {"game": number}
    for seat in game[nested]:
        if not isinstance(seat, dict):
            raise UserError(f"game {number}: {nested} must be a list of objects, not {seat!r}")
        yield {ROW: number, **named, **common, **seat}


def _of_trace(trace: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """Yield the seats of a trace with their scores and the cards that they built."""
    try:
        built: dict[int, list[str]] = {}
        for move in _moves(trace.get("ages", trace.get("moves", []))):
            built.setdefault(move["seat"], []).append(str(move["card"]))
        for score in trace["scores"]:
            seat = {key: item for key, item in trace["seats"][score["seat"]].items() if key != "policy"}
            points = {
                key if key in ("seat", "team", "total", "coins") else f"points_{key}": item
                for key, item in score.items()
                if key not in ("win_share", "rank") and not isinstance(item, list | dict)
            }
            cards = {"built": ";".join(dict.fromkeys(built.get(score["seat"], ())))} if built else {}
            winner = {"winner": score["win_share"] > 0} if "win_share" in score else {}
            rules = {"ruleset": trace["ruleset"]} if "ruleset" in trace else {}
            yield {ROW: number, "game": number, **rules, **seat, **points, **cards, **winner}
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise UserError(f"game {number} is not a whole trace: {type(error).__name__}: {error}") from None


def _moves(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the moves in a trace that build a card."""
    if isinstance(value, dict):
        if value.get("action") == "build" and {"seat", "card"} <= value.keys():
            yield value
        for inner in value.values():
            yield from _moves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _moves(inner)


def _of_position(file: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """Yield the seats of a game that is over, from its position file."""
    from wsim.positions.game_value import Game

    game = Game.from_json(json.dumps(file))
    if game.to_move is not None:
        raise UserError(
            f"game {number} is not over: a position file is imported once its game has been played to its end"
        )
    view = game.record()
    places = view.get("cities", view.get("seats", []))
    named = [{key: place[key] for key in ("wonder", "side", "built") if key in place} for place in places]
    people, date = file.get("people") or [], {"date": file["date"]} if "date" in file else {}
    for seat, name in zip(named, people, strict=False):
        seat |= date | ({"player": name} if name else {})
    yield from _of_trace({"ruleset": game.plan.ruleset, "seats": named, "scores": game.result}, number)


def _board_game_stats(value: Mapping[str, Any], headings: Headings) -> Iterator[dict[str, Any]]:
    """Yield the seats of the plays of this game in an export of Board Game Stats."""
    try:
        names = {row["id"]: row.get("name") for row in value["players"]}
        places = {row["id"]: row.get("name") for row in value.get("locations", [])}
        wanted = {row["id"] for row in value.get("games", []) if headings.is_game(row.get("bggId"), row.get("name"))}
        for number, play in enumerate(value["plays"], 1):
            if play.get("gameRefId") not in wanted:
                continue
            about = {"date": play.get("playDate"), "group": places.get(play.get("locationRefId"))}
            for seat in play["playerScores"]:
                score = str(seat.get("score") or "")
                yield {
                    ROW: number, "game": number, **about, "player": names.get(seat.get("playerRefId")),
                    "wonder": seat.get("role") or seat.get("team"), "winner": seat.get("winner"),
                    "total": sum(map(int, _TERM.findall(score))) if _SUM.fullmatch(score) else score,
                }  # fmt: skip
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(f"it is not an export of Board Game Stats: {type(error).__name__}: {error}") from None


def _xml(content: bytes, headings: Headings, _sheet: str | None) -> pl.DataFrame:
    """Read plays of BoardGameGeek's XML API 2."""
    from xml.etree import ElementTree

    if len(content) > MAX_PARSED:
        raise UserError(f"XML may have at most {MAX_PARSED >> 20} MiB")
    if re.search(rb"<!\s*(DOCTYPE|ENTITY)", content.replace(b"\0", b""), re.IGNORECASE):
        raise UserError("XML with a document type is not read: its entities could grow without bound")
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise UserError(f"it is not XML: {error}") from None
    rows = []
    for number, play in enumerate(root.iter("play"), 1):
        item = play.find("item")
        if item is None or not headings.is_game(item.get("objectid"), item.get("name")):
            continue
        for player in play.iter("player"):
            seat = player.get("startposition") or ""
            rows.append({
                ROW: number, "game": number, "date": play.get("date"), "group": play.get("location"),
                "player": player.get("name") or player.get("username"), "wonder": player.get("color"),
                "total": player.get("score"), "winner": player.get("win"), **({"seat": seat} if seat.isdigit() else {}),
            })  # fmt: skip
    return _frame(rows)


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Return rows of values as a frame of text."""
    if not rows:
        raise UserError("it contains no play of this game")
    if len(rows) > MAX_ROWS:
        raise UserError(f"it has {len(rows):,} rows: at most {MAX_ROWS:,} are imported")
    names = list(dict.fromkeys(name for row in rows for name in row))

    def text(value: Any) -> str | None:
        return ";".join(map(str, value)) if isinstance(value, list) else None if value is None else _cell(value)

    columns = [pl.Series(name, [text(row.get(name)) for row in rows], pl.String) for name in names if name != ROW]
    return pl.DataFrame([pl.Series(ROW, [int(row[ROW]) for row in rows], pl.Int64), *columns])


_READERS: Mapping[str, Callable[[bytes, Headings, str | None], pl.DataFrame]] = {
    ".csv": _separated, ".tsv": _separated, ".txt": _separated, ".xlsx": _workbook, ".ods": _workbook, ".json": _json,
    ".jsonl": _json, ".bgsplay": _json, ".xml": _xml, ".parquet": _parquet,
}  # fmt: skip
