"""The base class of answers, which records, writes, reads, displays and repeats them uniformly for all questions.

Each kind of answer is a frozen dataclass (``repr=False``) that inherits from ``Answer``. Its fields, in order, form its
JSON record. The class lists its tables and defines how an answer is displayed (``display``) and repeated
(``restored``).
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from math import isclose
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from wsim.display import html_of
from wsim.document import Column, Conclusion, Document, Sheet
from wsim.errors import UserError
from wsim.files import json_of, shown_path, text_within, write_text, writing
from wsim.lab.execution import Execution
from wsim.lab.journal import refuse_old_streams
from wsim.lab.plan import Plan, digest_of
from wsim.lab.provenance import METADATA_KEY, Provenance
from wsim.lab.record import RECORD
from wsim.lab.repetition import SHOWN, RepetitionSettings, Rerun, paths_in, sound
from wsim.text_tables import text_of

UNRECORDED: Mapping[str, bool] = {"recorded": False}
"""Field metadata that keeps a field out of the record."""
VOLATILE_KEYS = ("seconds", "costs", "baseline", "made", "digests", "wsim", "digest", "notes", "estimand", "remarks")
"""Record keys that are ignored in comparisons: times, provenance and sentences."""
STOPPED_MANUALLY = "it was interrupted, but the repetition was not"

View = Callable[[pl.DataFrame], pl.DataFrame]
"""A function that selects and sorts the rows of a table."""


def whole(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table unchanged: the default view."""
    return table


_FORMER_ATTRIBUTES = {"CALLED": "TITLE", "NOUN": "FILE_NOUN", "LIES": "LOCATION_HINT", "LONG": "LONG_TABLE"}


class Answer:
    """The answer to a question.

    Attributes
    ----------
    FORMAT: the format recorded in files, such as ``wsim-match/1``. FORMER_FORMATS: older formats that are still read.
    SUFFIXES: the accepted file suffixes, the default first.
    COMMAND: the command that produces the answer. TITLE: what a sentence calls the answer. FILE_NOUN: what a sentence
        calls its file. LOCATION_HINT: where to find such files, as the end of an error message.
    TABLES: the names of the tables in the record, the main table first. LONG_TABLE: the table to write to a Parquet
        file, if not the main table. ROWS: nouns for the rows of tables whose own name has no suitable singular.
    NEEDS: the tables that a file must contain to be displayed, with their required columns (empty: any columns). A dot
        in a name leads into a nested object.
    RENAMED: former names of keys and columns, mapped to their current names.
    """

    FORMAT: ClassVar[str] = ""
    FORMER_FORMATS: ClassVar[tuple[str, ...]] = ()
    SUFFIXES: ClassVar[tuple[str, ...]] = (".json", ".parquet")
    COMMAND: ClassVar[str] = ""
    TITLE: ClassVar[str] = ""
    FILE_NOUN: ClassVar[str] = "answer"
    LOCATION_HINT: ClassVar[str] = ""
    TABLES: ClassVar[tuple[str, ...]] = ()
    ROWS: ClassVar[Mapping[str, str]] = {}
    LONG_TABLE: ClassVar[str] = ""
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    RENAMED: ClassVar[Mapping[str, str]] = {}
    command = ""

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Accept the class attribute names used before 0.3.0, for questions defined in other packages."""
        super().__init_subclass__(**keywords)
        for former, name in _FORMER_ATTRIBUTES.items():
            if former in vars(cls):
                setattr(cls, name, vars(cls)[former])

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 unless the answer counts as a failure."""
        return 0

    @property
    def title(self) -> str:
        """The estimand, as one sentence."""
        return str(getattr(self, "estimand", ""))

    @property
    def main(self) -> pl.DataFrame:
        """The table that is shown first."""
        table: pl.DataFrame = getattr(self, self.TABLES[0])
        return table

    def __repr__(self) -> str:
        return text_of(self.title, self.shown())

    def _repr_html_(self) -> str:
        return html_of(self.title, self.shown())

    def display(self, view: View = whole) -> Document:
        """Return the answer as a document; ``view`` selects and sorts the rows of the main table."""
        raise NotImplementedError

    def shown(self, view: View = whole, **options: Any) -> Document:
        """Return the answer as a document (``display``), with its conclusion and the command that produces it."""
        document = self.display(view, **options)
        conclusion = document.conclusion or Stored(type(self), None, as_read(self.record())).conclusion()
        return replace(document, conclusion=conclusion, command=self.command)

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:  # noqa: ARG003
        """Return the column declarations of each table, by table name."""
        return {}

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:  # noqa: ARG003
        """Return the conclusion in words, as shown in the terminal and on all pages; None if there is no conclusion."""
        return None

    @classmethod
    def document(cls, stored: Stored) -> Document:
        """Return a stored answer as a document for pages: its tables with their charts."""
        tables = [stored.sheet(name) for name in cls.TABLES if stored.record.get(name)]
        estimand = stored.record.get("estimand", "")
        remarks = [f"{remark}." for remark in stored.record.get("remarks", ())]
        return Document(stored.main, tables, head=[f"{estimand.rstrip('.')}."] if estimand else [], notes=remarks)

    # --- files ------------------------------------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        named = [field.name for field in fields(self) if field.metadata.get("recorded", True)]  # type: ignore[arg-type]
        record = {name: _as_json(getattr(self, name)) for name in named}
        if "seconds" in record:
            record["seconds"] = round(record["seconds"], 3)
        return {"format": self.FORMAT, **record}

    def write(self, path: str | Path) -> Path:
        """Write the answer and return the path of the file.

        ``x.json`` contains the record, ``x.parquet`` a table with the record in its metadata. If ``path`` is a run
        folder, a JSON file is written into it for the run's report. Raises UserError for any other path, StoreError if
        the file cannot be written.
        """
        target, record = Path(path), as_read(self.record())
        if (target / RECORD).is_file():
            target = target / f"{self.family()}-{digest_of(self.identity(record))[:8]}.json"
        self.check_target(target)
        if target.suffix == ".parquet":
            table: pl.DataFrame = getattr(self, self.LONG_TABLE or self.TABLES[0])
            with writing(target) as temporary:
                table.write_parquet(temporary, metadata={METADATA_KEY: json.dumps(record, ensure_ascii=False)})
        else:
            write_text(target, json.dumps(record, ensure_ascii=False, indent=2) + "\n")
        return target

    @classmethod
    def check_target(cls, path: Path) -> None:
        """Raise UserError unless an answer can be written to this path."""
        if (path / RECORD).is_file():
            return
        if path.suffix not in (".json", ".parquet"):
            into = "FILE.json or FILE.parquet, or into a run folder"
            raise UserError(f"{cls.TITLE} is written as {into}, not {str(path)!r}")
        if path.is_dir() or not path.absolute().parent.is_dir():
            why = "it is a folder" if path.is_dir() else f"there is no folder {str(path.parent)!r}"
            raise UserError(f"cannot write {cls.TITLE} to {str(path)!r}: {why}")

    @classmethod
    def family(cls) -> str:
        """Return the file name prefix of answers of this kind in a run folder."""
        return cls.FORMAT.partition("/")[0].removeprefix("wsim-")

    @classmethod
    def identity(cls, record: Mapping[str, Any]) -> Any:
        """Return a key that distinguishes an answer from others of its kind in a folder: its question and games."""
        raise NotImplementedError

    @classmethod
    def files_in(cls, folder: Path) -> list[Path]:
        """Return the sorted paths of all answers of this kind in a run folder."""
        families = [cls.family(), *(name.partition("/")[0].removeprefix("wsim-") for name in cls.FORMER_FORMATS)]
        return sorted({path for family in families for path in folder.glob(f"{family}-*.json")})

    @classmethod
    def read(cls, path: Path) -> Stored:
        """Read a file written by :meth:`write`; raise UserError if it is damaged or not an answer of this kind."""
        noun = f"{'an' if cls.FILE_NOUN[0] in 'aeiou' else 'a'} {cls.FILE_NOUN}"
        try:
            metadata = pl.read_parquet_metadata(path) if path.suffix == ".parquet" else None
            record = json_of(text_within(path) if metadata is None else metadata.get(METADATA_KEY, ""))
        except OSError as error:
            raise UserError(f"cannot read {str(path)!r}: {error.strerror or error}") from error
        except (ValueError, pl.exceptions.PolarsError) as error:
            raise UserError(f"{str(path)!r} is not {noun} of {cls.COMMAND}{cls.LOCATION_HINT}") from error
        form = record.get("format") if isinstance(record, dict) else None
        if form not in (cls.FORMAT, *cls.FORMER_FORMATS):
            unlike = f"its format is {form!r}, not {cls.FORMAT!r}{cls.LOCATION_HINT}"
            raise UserError(f"{str(path)!r} is not {noun} of {cls.COMMAND}: {unlike}")
        stored = Stored(cls, path, cls.renamed(record))
        try:
            why = stored.lacks()
        except (KeyError, IndexError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
            why = repr(error)
        if why:
            raise UserError(f"the {cls.FILE_NOUN} of {cls.COMMAND} in {str(path)!r} is damaged: {why}")
        return stored

    @classmethod
    def renamed(cls, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return a record with former key and column names replaced by the current ones (``RENAMED``)."""

        def row(value: Any) -> Any:
            return (
                {cls.RENAMED.get(key, key): item for key, item in value.items()} if isinstance(value, dict) else value
            )

        return {
            cls.RENAMED.get(key, key): [row(item) for item in value] if isinstance(value, list) else value
            for key, value in record.items()
        }

    # --- repetition -------------------------------------------------------------------------------------------------

    @classmethod
    def flat_plan(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the recorded plan as a flat mapping; if there are several, the first one, with one seat per policy."""
        raise NotImplementedError

    @classmethod
    def restored(cls, record: Mapping[str, Any], how: RepetitionSettings) -> Callable[[], Answer]:
        """Return a function that asks the question again; raise KeyError, TypeError or similar for a damaged record."""
        raise NotImplementedError

    def comparable_record(self, record: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        """Return this answer's record without entries that may differ from ``record`` when the question is repeated."""
        return as_read(self.record())

    @classmethod
    def upgraded(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a record, possibly written by an earlier version, with the current names of its keys."""
        return record

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        """Describe the amount of data that a repetition compares, such as ``2,000 deals of every arm, 3 effects``."""
        raise NotImplementedError

    def provenance_differences(self, record: Mapping[str, Any]) -> list[str]:  # noqa: ARG002
        """Return the differences in provenance between this answer and a recorded one."""
        return []

    def again(self, *, threads: int | None = None, cluster: str | None = None) -> Rerun:
        """Ask the same question again and compare all numbers with this answer."""
        how = RepetitionSettings(execution=Execution(threads, cluster))
        return Stored(type(self), None, as_read(self.record())).again(how)


@dataclass(frozen=True)
class Stored:
    """An answer read from a record, for pages and repetitions; ``path`` is None if it does not come from a file."""

    kind: type[Answer]
    path: Path | None
    record: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The file name; empty if there is no file."""
        return "" if self.path is None else self.path.name

    @property
    def paths(self) -> dict[str, str]:
        """The paths of the files that the plans name, if the answer is in a run folder."""
        return {} if self.path is None else paths_in(self.path.parent)

    @property
    def main(self) -> pl.DataFrame:
        """The table that is shown first."""
        return self.table(self.kind.TABLES[0])

    def table(self, name: str) -> pl.DataFrame:
        """Return a table of the record as a data frame."""
        return pl.DataFrame(self.record[name], infer_schema_length=None)

    def sheet(self, name: str, title: str = "", frame: pl.DataFrame | None = None, **more: Any) -> Sheet:
        """Return a table as a printable sheet without nested columns; ``frame`` replaces its rows."""
        rows = self.table(name) if frame is None else frame
        flat = rows.select([column for column, kind in rows.schema.items() if not kind.is_nested()])
        words = name.replace("_", " ").capitalize()
        return Sheet(title or words, flat.to_dicts(), self.kind.columns(self.record).get(name, ()), **more)

    def document(self) -> Document:
        """Return the answer as a document for pages, with the command that repeats it and compares the results."""
        command = "" if self.path is None else shlex.join(["wsim", "rerun", shown_path(self.path)])
        document = self.kind.document(self)
        return replace(document, conclusion=document.conclusion or self.conclusion(), command=command)

    def conclusion(self) -> Conclusion | None:
        """Return the conclusion in words; None if there is none or an older record lacks the required fields."""
        try:
            return self.kind.conclusion(self)
        except (KeyError, IndexError, TypeError, ValueError, pl.exceptions.PolarsError):
            return None

    def game(self) -> str | None:
        """Return the name of the game; None if the answer does not belong to a game."""
        return self.kind.flat_plan(self.record).get("game")

    def lacks(self) -> str:
        """Describe required content that is missing; raise KeyError, TypeError or similar for a damaged record."""
        if missing := [name for name in self.kind.NEEDS if name.partition(".")[0] not in self.record]:
            return f"it has no {', '.join(missing)}"
        _ = self.game()
        for name, columns in self.kind.NEEDS.items():
            value: Any = self.record
            for part in name.split("."):
                value = value[part]
            if columns and pl.DataFrame(value, infer_schema_length=None).select(columns).is_empty():
                return f"it has no {name}"
        return ""

    def plan(self) -> Plan | None:
        """Return the recorded plan (``Answer.flat_plan``), None if there is none; raise UserError if it is damaged."""

        def restored() -> Plan | None:
            flat = self.kind.flat_plan(self.record)
            return Plan.restore(flat, self.paths) if flat else None

        return sound(restored)

    def again(self, how: RepetitionSettings) -> Rerun:
        """Repeat the question and compare all numbers with the stored answer; raise UserError if it is damaged."""
        main = self.kind.TABLES[0]
        if main not in self.record:
            raise UserError(
                f"this file contains only rows, not the answer (no {main!r}): use the file written by -o or --json"
            )
        refuse_old_streams(self.record, str(self.path or self.kind.FILE_NOUN))
        at = replace(how, paths=self.paths)
        play = sound(lambda: self.kind.restored(self.record, at))
        answer = play()
        repeated = sound(lambda: answer.comparable_record(self.record))
        recorded = sound(lambda: self.kind.upgraded(self.record))
        return Rerun(
            self.kind.compared(repeated),
            list(_differences(recorded, repeated)),
            answer.provenance_differences(self.record),
        )


def recorded_provenance(record: Mapping[str, Any]) -> Provenance:
    """Return the recorded provenance of the games behind an answer; raise UserError if it is damaged."""
    return sound(lambda: Provenance.from_record(record))


def as_read(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as it would be read back from a file: tuples become lists."""
    copy: dict[str, Any] = json.loads(json.dumps(record))
    return copy


def _as_json(value: Any) -> Any:
    """Convert a field value of an answer to JSON types."""
    if isinstance(value, pl.DataFrame):
        return value.to_dicts()
    if isinstance(value, Plan):
        return value.as_dict()
    if hasattr(value, "record"):
        return value.record()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return {key: _as_json(item) for key, item in value.items()}
    return [_as_json(item) for item in value] if isinstance(value, list | tuple) else value


def _differences(recorded: Mapping[str, Any], current: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences between two records, one sentence each."""
    if recorded.get("stopped") == "interrupted":
        yield STOPPED_MANUALLY
    old, new = (
        dict(_leaf_values({key: value for key, value in record.items() if key not in VOLATILE_KEYS}))
        for record in (recorded, current)
    )
    paths = [path for path in {**old, **new} if not _equal(old.get(path), new.get(path))]
    for path in paths[:SHOWN]:
        yield f"{path} was {old.get(path)!r} and is {new.get(path)!r}"
    if len(paths) > SHOWN:
        yield f"{len(paths) - SHOWN} more values differ"


def _equal(recorded: Any, value: Any) -> bool:
    """Compare two values, up to the last digits of floats, which depend on the versions of numpy and polars."""
    if isinstance(recorded, float) and isinstance(value, float):
        return isclose(recorded, value, rel_tol=1e-12) or recorded == value
    return bool(recorded == value)


def _leaf_values(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path and value of every leaf of a JSON object."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaf_values(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for index, item in enumerate(value):
            yield from _leaf_values(item, f"{path}[{index}]")
    else:
        yield path, value
