"""Read files of people's games as rows of strings: CSV, TSV, Excel, JSON, Parquet, and exports from two programs.

The readers of exports rely on public descriptions of the formats. Board Game Stats writes JSON with ``games``,
``players``, ``locations`` and ``plays``; each play has ``gameRefId``, ``locationRefId`` and ``playerScores``
(``playerRefId``, ``score``, ``winner``, ``rank``, ``role``, ``seatOrder``; the role is the wonder). BoardGameGeek's XML
API 2 returns ``plays`` with one ``play`` element per play, which contains its ``item`` (``objectid``) and ``players``
(``name``, ``username``, ``score``, ``win``, ``startposition``, ``color``; the colour is the wonder).

Nothing in a file is evaluated. For formulas in a workbook, the value stored next to them is used; formulas in text
files are text. XML with a document type is rejected, because its entities could grow without bound.
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

MAX_BYTES = 512 << 20  # maximum size of a file, and of the uncompressed content of a workbook
MAX_PARSED = 64 << 20  # maximum size of JSON and XML, whose parsed objects take much more memory than the text
MAX_ROWS = 5_000_000
MAX_COLUMNS = 2_000
MAX_CELL = 500  # characters; longer cells are truncated and match no name
HEADING_ROWS = 20  # headings are searched for in this many first rows
ROW = "row"
"""The column with the row number in the file, counted as in spreadsheets; for JSON, the number of the game."""
_SUM, _TERM = re.compile(r"[-+\d\s]+"), re.compile(r"[+-]?\s*\d+")  # 20+31, as Board Game Stats writes scores
_NESTED = ("players", "seats", "scores", "playerScores", "results")

Rows = Iterable[Mapping[str, Any]]


def read(path: Path, headings: Headings, sheet: str | None = None) -> pl.DataFrame:
    """Read a file as rows of strings, with row numbers in the column ``row``; ``sheet`` names a sheet of a workbook.

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


def _decoded(content: bytes) -> str:
    for encoding in ("utf-8-sig", "utf-16") if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise UserError("it is not text: save the sheet as CSV in UTF-8")


def _read_separated(content: bytes, headings: Headings, _sheet: str | None) -> pl.DataFrame:
    """Read CSV or TSV, using the separator that yields the most known headings or, failing that, the most frequent one.

    A cell with a list of cards does not count as a heading.
    """
    text = _decoded(content)
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
    return _with_headings(frame, headings)


def _with_headings(frame: pl.DataFrame, headings: Headings) -> pl.DataFrame:
    """Find the row with the most known headings among the first rows of a table, and use it as the header."""
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


def _read_workbook(content: bytes, headings: Headings, sheet: str | None) -> pl.DataFrame:
    """Read the named sheet of a workbook (default: the first), after checking its uncompressed size."""
    if find_spec("python_calamine") is None:
        raise UserError("workbooks need an extra: pip install 'wsim[xlsx]'; or save the sheet as CSV")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, EOFError) as error:
        raise UserError(f"it is not a workbook: {error}") from None
    if unpacked > MAX_BYTES:
        raise UserError(f"it unpacks to {unpacked >> 20:,} MiB, but at most {MAX_BYTES >> 20:,} MiB are read")
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
    columns = [
        pl.Series(f"c{place}", [_cell_text(row[place]) for row in rows], pl.String) for place in range(len(rows[0]))
    ]
    return _with_headings(pl.DataFrame(columns), headings)


def _cell_text(value: Any) -> str | None:
    """Format the value of a cell as a user would type it: 52.0 as 52."""
    if value is None or value == "":
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


def _read_parquet(content: bytes, _headings: Headings, _sheet: str | None) -> pl.DataFrame:
    frame = pl.read_parquet(io.BytesIO(content))
    flat = frame.select(
        pl.col(name).cast(pl.List(pl.String)).list.join(";") if isinstance(kind, pl.List) else pl.col(name)
        for name, kind in frame.schema.items()
    )
    texts = flat.select(pl.all().cast(pl.String)).rename({ROW: f"{ROW} (file)"}, strict=False)
    return texts.with_row_index(ROW, offset=1).with_columns(pl.col(ROW).cast(pl.Int64))


# --- JSON and XML -----------------------------------------------------------------------------------------------------


def _read_json(content: bytes, headings: Headings, _sheet: str | None) -> pl.DataFrame:
    if len(content) > MAX_PARSED:
        raise UserError(f"JSON may have at most {MAX_PARSED >> 20} MiB: convert it to CSV or Parquet")
    return _text_frame(list(_rows_of_json(_json_value(_decoded(content)), headings)))


def _json_value(text: str) -> Any:
    """Return the value of a JSON text, or the values of its lines if each is JSON; raise ValueError for other text."""
    try:
        return json_of(text)
    except ValueError as error:
        of_all, values = error, list[Any]()
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                values.append(json_of(line))
            except ValueError:
                raise (ValueError(f"line {number} is not JSON") if values else of_all) from None
    return values


def _rows_of_json(value: Any, headings: Headings) -> Iterator[dict[str, Any]]:
    """Yield one row per seat or per game in a JSON value; raise UserError unless it is a list of games."""
    if isinstance(value, dict) and isinstance(value.get("plays"), list) and isinstance(value.get("players"), list):
        yield from _rows_of_board_game_stats(value, headings)
        return
    games = value
    if isinstance(value, dict):
        games = next((value[key] for key in ("games", "plays", "rows") if isinstance(value.get(key), list)), [value])
    if not isinstance(games, list) or not all(isinstance(game, dict) for game in games):
        raise UserError("JSON must be a list of games or of rows, each an object")
    for number, game in enumerate(games, 1):
        form = str(game.get("format", "")).partition("/")[0]
        if form == "wsim-trace":
            yield from _rows_of_trace(game, number)
        elif form == "wsim-position":
            yield from _rows_of_position(game, number)
        else:
            yield from _rows_of_object(game, number, headings)


def _rows_of_object(game: Mapping[str, Any], number: int, headings: Headings) -> Iterator[dict[str, Any]]:
    """Yield a row for each seat listed in a JSON object, or for the object itself as a single seat."""
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


def _rows_of_trace(trace: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each seat in a trace, with its scores and the cards that it built."""
    try:
        built: dict[int, list[str]] = {}
        for move in _building_moves(trace.get("ages", trace.get("moves", []))):
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
        raise UserError(f"game {number} is not a complete trace: {type(error).__name__}: {error}") from None


def _building_moves(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield all moves in a trace that build a card."""
    if isinstance(value, dict):
        if value.get("action") == "build" and {"seat", "card"} <= value.keys():
            yield value
        for inner in value.values():
            yield from _building_moves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _building_moves(inner)


def _rows_of_position(file: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each seat in the position file of a finished game."""
    from wsim.positions.game_value import Game

    game = Game.from_json(json.dumps(file))
    if game.to_move is not None:
        raise UserError(
            f"game {number} is not over: a position file can be imported once its game has been played to the end"
        )
    view = game.record()
    places = view.get("cities", view.get("seats", []))
    named = [{key: place[key] for key in ("wonder", "side", "built") if key in place} for place in places]
    people, date = file.get("people") or [], {"date": file["date"]} if "date" in file else {}
    for seat, name in zip(named, people, strict=False):
        seat |= date | ({"player": name} if name else {})
    yield from _rows_of_trace({"ruleset": game.plan.ruleset, "seats": named, "scores": game.result}, number)


def _rows_of_board_game_stats(value: Mapping[str, Any], headings: Headings) -> Iterator[dict[str, Any]]:
    """Yield a row for each seat in all plays of this game in a Board Game Stats export."""
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
                    "total": _sum_of(score) if _SUM.fullmatch(score) else score,
                }  # fmt: skip
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(f"it is not an export of Board Game Stats: {type(error).__name__}: {error}") from None


def _sum_of(score: str) -> int:
    """Return the value of a score written as a sum."""
    return sum(int("".join(term.split())) for term in _TERM.findall(score))


def _read_xml(content: bytes, headings: Headings, _sheet: str | None) -> pl.DataFrame:
    """Read plays from BoardGameGeek's XML API 2."""
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
    return _text_frame(rows)


def _text_frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Convert rows of values to a frame of strings."""
    if not rows:
        raise UserError("it contains no plays of this game")
    if len(rows) > MAX_ROWS:
        raise UserError(f"it has {len(rows):,} rows: at most {MAX_ROWS:,} are imported")
    names = list(dict.fromkeys(name for row in rows for name in row))

    def text(value: Any) -> str | None:
        return ";".join(map(str, value)) if isinstance(value, list) else None if value is None else _cell_text(value)

    columns = [pl.Series(name, [text(row.get(name)) for row in rows], pl.String) for name in names if name != ROW]
    return pl.DataFrame([pl.Series(ROW, [int(row[ROW]) for row in rows], pl.Int64), *columns])


_READERS: Mapping[str, Callable[[bytes, Headings, str | None], pl.DataFrame]] = {
    ".csv": _read_separated, ".tsv": _read_separated, ".txt": _read_separated,
    ".xlsx": _read_workbook, ".ods": _read_workbook, ".json": _read_json, ".jsonl": _read_json,
    ".bgsplay": _read_json, ".xml": _read_xml, ".parquet": _read_parquet,
}  # fmt: skip
