"""What came of a question: recorded, written, read, shown and asked again in one way, whatever was asked.

A kind of answer is a frozen dataclass (``repr=False``) of ``Answer``. Its fields, in their order, are its record as
JSON; it names its tables, says how it is shown to people (``display``), and how it is asked again (``restored``).
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
from wsim.document import Column, Document, Sheet
from wsim.errors import UserError
from wsim.files import json_of, shown_path, text_within, write_text, writing
from wsim.lab.execution import Execution
from wsim.lab.journal import refuse_old_streams
from wsim.lab.plan import Plan, digest_of
from wsim.lab.provenance import METADATA_KEY, Provenance
from wsim.lab.record import RECORD
from wsim.lab.repetition import SHOWN, Again, Rerun, places_in, sound
from wsim.text_tables import text_of

UNRECORDED: Mapping[str, bool] = {"recorded": False}
"""Metadata of a field that is no part of the record."""
VOLATILE_KEYS = ("seconds", "costs", "baseline", "made", "digests", "wsim", "digest", "notes", "estimand", "remarks")
"""Keys of a record that are not compared value by value: times, provenance, and sentences."""
STOPPED_MANUALLY = "it was interrupted, but the repetition was not"

View = Callable[[pl.DataFrame], pl.DataFrame]
"""What is shown of a table: some of its rows, sorted."""


def whole(table: pl.DataFrame) -> pl.DataFrame:
    """Return all of a table."""
    return table


class Answer:
    """What came of a question.

    Attributes
    ----------
    FORMAT: names the kind in files, ``wsim-match/1``. FORMER_FORMATS: those of files that are still read.
    SUFFIXES: of the files that it is written to, the usual one first.
    COMMAND: what asks for it. CALLED: what it is, in a sentence.
    NOUN: what a file of it is; LIES: where that is found, to be added to a refusal.
    TABLES: names of its tables in its record, the main one first. LONG: that of a Parquet file, if not the main one.
    NEEDS: what a file must have to be shown: by name in the record, columns of rows that must be there; none: anything.
        A name with dots lies deeper.
    RENAMED: former names of keys and columns, with the present ones.
    """

    FORMAT: ClassVar[str] = ""
    FORMER_FORMATS: ClassVar[tuple[str, ...]] = ()
    SUFFIXES: ClassVar[tuple[str, ...]] = (".json", ".parquet")
    COMMAND: ClassVar[str] = ""
    CALLED: ClassVar[str] = ""
    NOUN: ClassVar[str] = "answer"
    LIES: ClassVar[str] = ""
    TABLES: ClassVar[tuple[str, ...]] = ()
    LONG: ClassVar[str] = ""
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    RENAMED: ClassVar[Mapping[str, str]] = {}
    command = ""

    @property
    def exit_code(self) -> int:
        """The exit code of the command that gave it: 0 unless the answer is a failure."""
        return 0

    @property
    def title(self) -> str:
        """What it says, in a sentence: what its figures are estimates of."""
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
        """Return the answer for people; ``view``: what is shown of its main table."""
        raise NotImplementedError

    def shown(self, view: View = whole, **options: Any) -> Document:
        """Return the answer for people (``display``) with the command that asks it."""
        return replace(self.display(view, **options), command=self.command)

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:  # noqa: ARG003
        """Return what the columns of its tables are, by the names of the tables."""
        return {}

    @classmethod
    def document(cls, stored: Stored) -> Document:
        """Return a written answer as pages show it: its tables with their charts."""
        tables = [stored.sheet(name) for name in cls.TABLES if stored.record.get(name)]
        estimand = stored.record.get("estimand", "")
        remarks = [f"{remark}." for remark in stored.record.get("remarks", ())]
        return Document(stored.main, tables, head=[f"{estimand.rstrip('.')}."] if estimand else [], notes=remarks)

    # --- on the disk ------------------------------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        named = [one.name for one in fields(self) if one.metadata.get("recorded", True)]  # type: ignore[arg-type]
        found = {name: _recorded(getattr(self, name)) for name in named}
        if "seconds" in found:
            found["seconds"] = round(found["seconds"], 3)
        return {"format": self.FORMAT, **found}

    def write(self, path: str | Path) -> Path:
        """Write the answer and return where it lies.

        ``x.json`` holds the record; ``x.parquet`` a table with the record in its metadata; into a run folder goes a
        JSON file, for its report. Raises UserError for another place, StoreError if the disk refuses.
        """
        target, record = Path(path), as_read(self.record())
        if (target / RECORD).is_file():
            target = target / f"{self.family()}-{digest_of(self.identity(record))[:8]}.json"
        self.check_target(target)
        if target.suffix == ".parquet":
            table: pl.DataFrame = getattr(self, self.LONG or self.TABLES[0])
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
            raise UserError(f"{cls.CALLED} is written as {into}, not {str(path)!r}")
        if path.is_dir() or not path.absolute().parent.is_dir():
            why = "it is a folder" if path.is_dir() else f"there is no folder {str(path.parent)!r}"
            raise UserError(f"cannot write {cls.CALLED} to {str(path)!r}: {why}")

    @classmethod
    def family(cls) -> str:
        """Return how files of the kind begin in a run folder."""
        return cls.FORMAT.partition("/")[0].removeprefix("wsim-")

    @classmethod
    def identity(cls, record: Mapping[str, Any]) -> Any:
        """Return what tells an answer from others of its kind in the same folder: what was asked of which games."""
        raise NotImplementedError

    @classmethod
    def files_in(cls, folder: Path) -> list[Path]:
        """Return the answers of the kind in a run folder."""
        families = [cls.family(), *(name.partition("/")[0].removeprefix("wsim-") for name in cls.FORMER_FORMATS)]
        return sorted({path for family in families for path in folder.glob(f"{family}-*.json")})

    @classmethod
    def read(cls, path: Path) -> Stored:
        """Read what :meth:`write` wrote; raise UserError for a file that is no such answer, or a damaged one."""
        try:
            record = json_of(_text_of(path))
        except OSError as error:
            raise UserError(f"cannot read {str(path)!r}: {error.strerror or error}") from error
        except (ValueError, pl.exceptions.PolarsError) as error:
            raise UserError(f"{str(path)!r} is no {cls.NOUN} of {cls.COMMAND}{cls.LIES}") from error
        found = record.get("format") if isinstance(record, dict) else None
        if found not in (cls.FORMAT, *cls.FORMER_FORMATS):
            unlike = f"its format is {found!r}, not {cls.FORMAT!r}{cls.LIES}"
            raise UserError(f"{str(path)!r} is no {cls.NOUN} of {cls.COMMAND}: {unlike}")
        stored = Stored(cls, path, cls.renamed(record))
        try:
            why = stored.lacks()
        except (KeyError, IndexError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
            why = repr(error)
        if why:
            raise UserError(f"the {cls.NOUN} of {cls.COMMAND} in {str(path)!r} is damaged: {why}")
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
        """Return the plan in a record, flat; of several the first, with a seat for everybody who takes part."""
        raise NotImplementedError

    @classmethod
    def restored(cls, record: Mapping[str, Any], how: Again) -> Callable[[], Answer]:
        """Return what plays the same question again, ready to be called; raise as a damaged record does."""
        raise NotImplementedError

    def beside(self, record: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        """Return its own record as far as it can be compared with another one."""
        return as_read(self.record())

    @classmethod
    def upgraded(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a record that a former version may have written, with its keys named as they are now."""
        return record

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        """Say what was compared: ``2,000 deals of every arm, 3 effects``."""
        raise NotImplementedError

    def made_unlike(self, record: Mapping[str, Any]) -> list[str]:  # noqa: ARG002
        """Say what was not the same about how a recorded answer was made."""
        return []

    def again(self, *, threads: int | None = None, cluster: str | None = None) -> Rerun:
        """Ask the same again and compare every number."""
        how = Again(execution=Execution(threads, cluster))
        return Stored(type(self), None, as_read(self.record())).again(how)


@dataclass(frozen=True)
class Stored:
    """An answer as it was written: what a page shows, and what a repetition is compared with.

    ``path`` is that of its file, if it lies in one.
    """

    kind: type[Answer]
    path: Path | None
    record: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of its file."""
        return "" if self.path is None else self.path.name

    @property
    def places(self) -> dict[str, str]:
        """Where the files lie that its plans name: in the run folder that it lies in, if it does."""
        return {} if self.path is None else places_in(self.path.parent)

    @property
    def main(self) -> pl.DataFrame:
        """The table that is shown first."""
        return self.table(self.kind.TABLES[0])

    def table(self, name: str) -> pl.DataFrame:
        """Return one of its tables."""
        return pl.DataFrame(self.record[name], infer_schema_length=None)

    def sheet(self, name: str, title: str = "", frame: pl.DataFrame | None = None, **more: Any) -> Sheet:
        """Return one of its tables to print, or ``frame``: that table, changed; without what is nested."""
        rows = self.table(name) if frame is None else frame
        flat = rows.select([one for one, kind in rows.schema.items() if not kind.is_nested()])
        words = name.replace("_", " ").capitalize()
        return Sheet(title or words, flat.to_dicts(), self.kind.columns(self.record).get(name, ()), **more)

    def document(self) -> Document:
        """Return the answer as pages show it, with the command that asks it again and compares."""
        command = "" if self.path is None else shlex.join(["wsim", "rerun", shown_path(self.path)])
        return replace(self.kind.document(self), command=command)

    def game(self) -> str | None:
        """Return which game it is of, None where it does not say."""
        return self.kind.flat_plan(self.record).get("game")

    def lacks(self) -> str:
        """Say what it does not have that must be there, in words; KeyError, TypeError or the like if it is damaged."""
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
            return Plan.restore(flat, self.places) if flat else None

        return sound(restored)

    def again(self, how: Again) -> Rerun:
        """Ask the same again and compare every number; raise UserError for a damaged answer."""
        main = self.kind.TABLES[0]
        if main not in self.record:
            raise UserError(f"these are rows without their answer (no {main!r}): name the file that -o or --json wrote")
        refuse_old_streams(self.record, str(self.path or self.kind.NOUN))
        at = replace(how, places=self.places)
        play = sound(lambda: self.kind.restored(self.record, at))
        answer = play()
        here = sound(lambda: answer.beside(self.record))
        recorded = sound(lambda: self.kind.upgraded(self.record))
        return Rerun(self.kind.compared(here), list(_differences(recorded, here)), answer.made_unlike(self.record))


def recorded_provenance(record: Mapping[str, Any]) -> Provenance:
    """Return what made some games, as an answer tells it; UserError if it is damaged."""
    return sound(lambda: Provenance.from_record(record))


def counted(count: int, what: str) -> str:
    """Return ``1 effect``, ``2 effects``."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def _text_of(path: Path) -> str:
    """Return the JSON text of a file, or that in the metadata of a Parquet file."""
    if path.suffix == ".parquet":
        return pl.read_parquet_metadata(path).get(METADATA_KEY, "")
    return text_within(path)


def as_read(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as it comes back from a file: tuples are lists."""
    found: dict[str, Any] = json.loads(json.dumps(record))
    return found


def _recorded(value: Any) -> Any:
    """Return a value of an answer as JSON has it."""
    if isinstance(value, pl.DataFrame):
        return value.to_dicts()
    if isinstance(value, Plan):
        return value.as_dict()
    if hasattr(value, "record"):
        return value.record()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return {key: _recorded(one) for key, one in value.items()}
    return [_recorded(one) for one in value] if isinstance(value, list | tuple) else value


def _differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    """Say which values of two records differ."""
    if there.get("stopped") == "interrupted":
        yield STOPPED_MANUALLY
    one, other = (
        dict(_values({key: value for key, value in record.items() if key not in VOLATILE_KEYS}))
        for record in (there, here)
    )
    found = [path for path in {**one, **other} if not _equal(one.get(path), other.get(path))]
    for path in found[:SHOWN]:
        yield f"{path} was {one.get(path)!r} and is {other.get(path)!r}"
    if len(found) > SHOWN:
        yield f"{len(found) - SHOWN} more values differ"


def _equal(recorded: Any, value: Any) -> bool:
    """Return whether two values are equal; the last digits of a float depend on the versions of numpy and polars."""
    if isinstance(recorded, float) and isinstance(value, float):
        return isclose(recorded, value, rel_tol=1e-12) or recorded == value
    return bool(recorded == value)


def _values(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of a JSON object by their paths."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _values(one, f"{path}.{key}" if path else str(key))
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for place, one in enumerate(value):
            yield from _values(one, f"{path}[{place}]")
    else:
        yield path, value
