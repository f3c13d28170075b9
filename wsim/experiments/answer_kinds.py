"""The kinds of answers that can be asked again from a file: ``wsim rerun``. A new question is one more here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wsim.errors import UserError
from wsim.experiments.deal_files import ANSWER
from wsim.experiments.match import Match
from wsim.experiments.picks import PickExperiment
from wsim.experiments.rest import Rest
from wsim.experiments.skill import Skill
from wsim.experiments.whatif import WhatIf
from wsim.files import json_of, text_within
from wsim.lab.answer import Answer, Stored
from wsim.lab.record import RECORD
from wsim.lab.store import shard_metadata

KINDS: Mapping[str, type[Answer]] = {kind.FORMAT: kind for kind in (WhatIf, PickExperiment, Match, Skill, Rest)}
"""By the format that a file names."""


def match_in(folder: Path) -> Path | None:
    """Return the answer in a folder that ``wsim match`` keeps its deals in; None for any other folder."""
    return folder / ANSWER if (folder / ANSWER).is_file() and not (folder / RECORD).is_file() else None


def stored_in(path: Path) -> Stored | None:
    """Return the answer in a file, of whatever kind; None for a Parquet file that holds none.

    Raises UserError for a file that cannot be read, and for JSON that is no answer.
    """
    if path.suffix == ".parquet":
        record = shard_metadata(path) or {}
        kind = KINDS.get(str(record.get("format")))
        return None if kind is None else Stored(kind, path, record)
    try:
        record = json_of(text_within(path))
    except OSError as error:
        raise UserError(f"cannot read {str(path)!r}: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{str(path)!r} is no answer of wsim: {error}") from error
    record = record if isinstance(record, dict) else {}
    named = record.get("format")
    if named is None and record.get("stopped") == "waiting":
        raise UserError(f"{str(path)!r} has no answer yet: go on with that match by --resume")
    if named not in KINDS:
        known = ", ".join(KINDS)
        raise UserError(f"{str(path)!r} does not say what made it: its format is {named!r}, not {known}")
    return Stored(KINDS[str(named)], path, record)
