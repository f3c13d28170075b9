"""The answer to a question: recorded, written, read, displayed and repeated in the same way for every question.

A kind of answer is a frozen dataclass (``repr=False``) of ``Answer``. Its fields, in order, are its record as JSON; it
names its tables and defines how it is displayed (``display``) and repeated (``restored``).
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
"""Metadata of a field that is not part of the record."""
VOLATILE_KEYS = ("seconds", "costs", "baseline", "made", "digests", "wsim", "digest", "notes", "estimand", "remarks")
"""Keys of a record that are not compared: times, provenance, and sentences."""
STOPPED_MANUALLY = "it was interrupted, but the repetition was not"

View = Callable[[pl.DataFrame], pl.DataFrame]
"""Select and sort the rows of a table."""


def whole(table: pl.DataFrame) -> pl.DataFrame:
    """Return all rows of a table."""
    return table


_FORMER_ATTRIBUTES = {"CALLED": "TITLE", "NOUN": "FILE_NOUN", "LIES": "LOCATION_HINT", "LONG": "LONG_TABLE"}


class Answer:
    """The answer to a question.

    Attributes
    ----------
    FORMAT: the kind in files, such as ``wsim-match/1``. FORMER_FORMATS: former formats that can still be read.
    SUFFIXES: of its files, the default first.
    COMMAND: the command that asks it. TITLE: its name in a sentence. FILE_NOUN: the name of its files.
    LOCATION_HINT: where to find them, as the end of a refusal.
    TABLES: the names of its tables in its record, the main one first. LONG_TABLE: the table in a Parquet file, if not
        the main one. ROWS: what a row of a table is called, where its name in the singular is not that.
    NEEDS: what a file must contain to be shown: by name in the record, the required columns of its rows; none: any.
        Dots in a name lead into nested objects.
    RENAMED: former names of keys and columns, with the present ones.
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
        """Accept the names that the class attributes had before 0.3.0, for questions of other packages."""
        super().__init_subclass__(**keywords)
        for former, name in _FORMER_ATTRIBUTES.items():
            if former in vars(cls):
                setattr(cls, name, vars(cls)[former])

    @property
    def exit_code(self) -> int:
        """The exit code of its command: 0 unless the answer is a failure."""
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
        """Return the answer as a document; ``view``: the rows of its main table to show."""
        raise NotImplementedError

    def shown(self, view: View = whole, **options: Any) -> Document:
        """Return the answer as a document (``display``) with its conclusion and the command that asks it."""
        document = self.display(view, **options)
        conclusion = document.conclusion or Stored(type(self), None, as_read(self.record())).conclusion()
        return replace(document, conclusion=conclusion, command=self.command)

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:  # noqa: ARG003
        """Return the column declarations of its tables, by the names of the tables."""
        return {}

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:  # noqa: ARG003
        """Return what was found, in words: the same in the terminal and on every page; None if that is not known."""
        return None

    @classmethod
    def document(cls, stored: Stored) -> Document:
        """Return a stored answer as a document for pages: its tables with their charts."""
        tables = [stored.sheet(name) for name in cls.TABLES if stored.record.get(name)]
        estimand = stored.record.get("estimand", "")
        remarks = [f"{remark}." for remark in stored.record.get("remarks", ())]
        return Document(stored.main, tables, head=[f"{estimand.rstrip('.')}."] if estimand else [], notes=remarks)

    # --- on the disk ------------------------------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        named = [field.name for field in fields(self) if field.metadata.get("recorded", True)]  # type: ignore[arg-type]
        record = {name: _recorded(getattr(self, name)) for name in named}
        if "seconds" in record:
            record["seconds"] = round(record["seconds"], 3)
        return {"format": self.FORMAT, **record}

    def write(self, path: str | Path) -> Path:
        """Write the answer and return the path of its file. ``x.json`` contains the record; ``x.parquet`` a table with
        the record in its metadata; in a run folder, a JSON file is written for its report. Raises UserError for any
        other path, StoreError if the disk refuses.
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
        """Raise UserError for a path that an answer cannot be written to."""
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
        """Return the prefix of such files in a run folder."""
        return cls.FORMAT.partition("/")[0].removeprefix("wsim-")

    @classmethod
    def identity(cls, record: Mapping[str, Any]) -> Any:
        """Return the fields that distinguish an answer from others of its kind in a folder: the question and the
        games."""
        raise NotImplementedError

    @classmethod
    def files_in(cls, folder: Path) -> list[Path]:
        """Return the answers of this kind in a run folder."""
        families = [cls.family(), *(name.partition("/")[0].removeprefix("wsim-") for name in cls.FORMER_FORMATS)]
        return sorted({path for family in families for path in folder.glob(f"{family}-*.json")})

    @classmethod
    def read(cls, path: Path) -> Stored:
        """Read a file of :meth:`write`; raise UserError for a file that is not such an answer, or is damaged."""
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
        """Return a record with the present names of its keys and of the columns of its tables (``RENAMED``)."""

        def row(value: Any) -> Any:
            return (
                {cls.RENAMED.get(key, key): item for key, item in value.items()} if isinstance(value, dict) else value
            )

        return {
            cls.RENAMED.get(key, key): [row(item) for item in value] if isinstance(value, list) else value
            for key, value in record.items()
        }

    # --- asked again ------------------------------------------------------------------------------------------------

    @classmethod
    def flat_plan(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the plan in a record, flat; if there are several, the first, with one seat per policy."""
        raise NotImplementedError

    @classmethod
    def restored(cls, record: Mapping[str, Any], how: RepetitionSettings) -> Callable[[], Answer]:
        """Return a function that asks the question again; a damaged record raises KeyError, TypeError or the like."""
        raise NotImplementedError

    def comparable_record(self, record: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        """Return the record of this answer without the parts that may differ from ``record`` when it is repeated."""
        return as_read(self.record())

    @classmethod
    def upgraded(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a record of an earlier version with the present names of its keys."""
        return record

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        """Return the compared content in words: ``2,000 deals of every arm, 3 effects``."""
        raise NotImplementedError

    def provenance_differences(self, record: Mapping[str, Any]) -> list[str]:  # noqa: ARG002
        """Return the differences in how a recorded answer was made."""
        return []

    def again(self, *, threads: int | None = None, cluster: str | None = None) -> Rerun:
        """Ask the same again and compare every number."""
        how = RepetitionSettings(execution=Execution(threads, cluster))
        return Stored(type(self), None, as_read(self.record())).again(how)


@dataclass(frozen=True)
class Stored:
    """A stored answer, which pages show and repetitions are compared with. ``path`` is that of its file, if there is
    one.
    """

    kind: type[Answer]
    path: Path | None
    record: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of its file."""
        return "" if self.path is None else self.path.name

    @property
    def paths(self) -> dict[str, str]:
        """The paths of the files that its plans name, if the answer is in a run folder."""
        return {} if self.path is None else paths_in(self.path.parent)

    @property
    def main(self) -> pl.DataFrame:
        """The table that is shown first."""
        return self.table(self.kind.TABLES[0])

    def table(self, name: str) -> pl.DataFrame:
        """Return one of its tables."""
        return pl.DataFrame(self.record[name], infer_schema_length=None)

    def sheet(self, name: str, title: str = "", frame: pl.DataFrame | None = None, **more: Any) -> Sheet:
        """Return one of its tables to print, without nested columns; ``frame``: print these rows instead."""
        rows = self.table(name) if frame is None else frame
        flat = rows.select([column for column, kind in rows.schema.items() if not kind.is_nested()])
        words = name.replace("_", " ").capitalize()
        return Sheet(title or words, flat.to_dicts(), self.kind.columns(self.record).get(name, ()), **more)

    def document(self) -> Document:
        """Return the answer as a document for pages, with the command that repeats and compares it."""
        command = "" if self.path is None else shlex.join(["wsim", "rerun", shown_path(self.path)])
        document = self.kind.document(self)
        return replace(document, conclusion=document.conclusion or self.conclusion(), command=command)

    def conclusion(self) -> Conclusion | None:
        """Return what was found, in words; None if the record of an earlier version lacks what that needs."""
        try:
            return self.kind.conclusion(self)
        except (KeyError, IndexError, TypeError, ValueError, pl.exceptions.PolarsError):
            return None

    def game(self) -> str | None:
        """Return the name of its game; None if it has none."""
        return self.kind.flat_plan(self.record).get("game")

    def lacks(self) -> str:
        """Return a description of the missing part; raise KeyError, TypeError or the like for a damaged record."""
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
        """Return its plan (``Answer.flat_plan``), if it has one; raise UserError for a damaged one."""

        def restored() -> Plan | None:
            flat = self.kind.flat_plan(self.record)
            return Plan.restore(flat, self.paths) if flat else None

        return sound(restored)

    def again(self, how: RepetitionSettings) -> Rerun:
        """Repeat the question and compare every number; raise UserError for a damaged answer."""
        main = self.kind.TABLES[0]
        if main not in self.record:
            raise UserError(
                f"this file has rows without their answer (no {main!r}): name the file that -o or --json wrote"
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
    """Return the provenance that an answer records for its games; UserError if it is damaged."""
    return sound(lambda: Provenance.from_record(record))


def as_read(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as read back from a file: tuples become lists."""
    copy: dict[str, Any] = json.loads(json.dumps(record))
    return copy


def _recorded(value: Any) -> Any:
    """Return a value of an answer as JSON."""
    if isinstance(value, pl.DataFrame):
        return value.to_dicts()
    if isinstance(value, Plan):
        return value.as_dict()
    if hasattr(value, "record"):
        return value.record()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return {key: _recorded(item) for key, item in value.items()}
    return [_recorded(item) for item in value] if isinstance(value, list | tuple) else value


def _differences(recorded: Mapping[str, Any], current: Mapping[str, Any]) -> Iterator[str]:
    """Return the differences between two records, a sentence each."""
    if recorded.get("stopped") == "interrupted":
        yield STOPPED_MANUALLY
    old, new = (
        dict(_values({key: value for key, value in record.items() if key not in VOLATILE_KEYS}))
        for record in (recorded, current)
    )
    paths = [path for path in {**old, **new} if not _equal(old.get(path), new.get(path))]
    for path in paths[:SHOWN]:
        yield f"{path} was {old.get(path)!r} and is {new.get(path)!r}"
    if len(paths) > SHOWN:
        yield f"{len(paths) - SHOWN} more values differ"


def _equal(recorded: Any, value: Any) -> bool:
    """Return whether two values are equal; the last digits of a float depend on the versions of numpy and polars."""
    if isinstance(recorded, float) and isinstance(value, float):
        return isclose(recorded, value, rel_tol=1e-12) or recorded == value
    return bool(recorded == value)


def _values(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of a JSON object by their paths."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _values(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for index, item in enumerate(value):
            yield from _values(item, f"{path}[{index}]")
    else:
        yield path, value
