"""Find and read the answers to questions in files."""

from __future__ import annotations

from pathlib import Path

from wsim.errors import UserError
from wsim.files import json_of, text_within
from wsim.lab.answer import Stored
from wsim.lab.record import RECORD
from wsim.lab.store import shard_metadata
from wsim.questions.registry import question_of_format

IN_FOLDER = ("match.json", "answer.json")
"""Names of answer files that have a folder to themselves."""


def answer_in(folder: Path) -> Path | None:
    """Return the path of the answer in a folder; None for a run folder or a folder without an answer."""
    if (folder / RECORD).is_file():
        return None
    return next((folder / name for name in IN_FOLDER if (folder / name).is_file()), None)


def stored_in(path: Path) -> Stored | None:
    """Read the answer in a file; return None for a Parquet file without an answer.

    Raises UserError for a file that cannot be read, or JSON that is not an answer.
    """
    if path.suffix == ".parquet":
        record = shard_metadata(path) or {}
        question = question_of_format(str(record.get("format")))
        return None if question is None else Stored(question.answer_class, path, record)
    try:
        record = json_of(text_within(path))
    except OSError as error:
        raise UserError(f"cannot read {str(path)!r}: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{str(path)!r} is not an answer of wsim: {error}") from error
    record = record if isinstance(record, dict) else {}
    named = record.get("format")
    if named is None and record.get("stopped") == "waiting":
        raise UserError(f"{str(path)!r} has no answer yet: continue the match with --resume")
    question = question_of_format(str(named))
    if question is None:
        raise UserError(f"{str(path)!r} is not an answer of wsim: its format is {named!r}")
    kind = question.answer_class
    return Stored(kind, path, kind.renamed(record))
