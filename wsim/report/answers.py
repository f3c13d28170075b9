"""Answers of ``wsim match`` and ``wsim skill``, read from where they were written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from wsim.errors import UserError
from wsim.experiments.matches.playing import Match
from wsim.experiments.skill import Skill
from wsim.lab.provenance import METADATA_KEY

__all__ = ["MATCH", "SKILL", "TABLES", "answer_in", "read_strengths"]

MATCH, SKILL = Match.FORMAT, Skill.FORMAT
TABLES: Mapping[str, tuple[str, str]] = {MATCH: ("pairs", "cells"), SKILL: ("figures", "changes")}
"""By the format of an answer, its tables."""
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "pairs": ("ruleset", "players", "policy", "other", "difference", "difference_low", "difference_high"),
    "cells": ("policy", "against", "win_share"),
    "figures": ("rung", "figure", "figure_low", "figure_high"),
    "changes": ("weaker", "stronger", "change", "change_low", "change_high"),
}
_SAID = {MATCH: ("estimand", "deals", "games"), SKILL: ("estimand", "games", "question", "fair", "remarks")}
_COMMAND = {MATCH: "wsim match", SKILL: "wsim skill"}


def read_strengths(
    folder: Path, game: str, matches: Sequence[Path] = (), skills: Sequence[Path] = ()
) -> list[dict[str, Any]]:
    """Return the answers in a run's folder, then those in the files named.

    Raises UserError for what is no such answer, or one of another game than ``game``.
    """
    there = [(path, MATCH) for path in sorted(folder.glob("match-*.json"))]
    there += [(path, SKILL) for path in sorted(folder.glob("skill-*.json"))]
    there += [(path, MATCH) for path in matches]
    there += [(path, SKILL) for path in skills]
    return [_read(path, kind, game) for path, kind in there]


def answer_in(path: Path, kind: str, what: str) -> dict[str, Any]:
    """Return what a file holds, JSON or the Parquet file that carries it; UserError if it is no answer of a command.

    ``kind``: the format that the answer names. ``what``: the command.
    """
    try:
        if path.suffix == ".parquet":
            text = pl.read_parquet_metadata(path).get(METADATA_KEY, "")
        else:
            text = path.read_text(encoding="utf-8")
        record = json.loads(text)
    except OSError as error:
        raise UserError(f"cannot read {str(path)!r}: {error.strerror or error}") from error
    except (ValueError, RecursionError, pl.exceptions.PolarsError) as error:
        raise UserError(f"{str(path)!r} is no answer of {what}") from error
    if not isinstance(record, dict) or record.get("format") != kind:
        found = record.get("format") if isinstance(record, dict) else None
        raise UserError(f"{str(path)!r} is no answer of {what}: its format is {found!r}, not {kind!r}")
    return record


def _read(path: Path, kind: str, game: str) -> dict[str, Any]:
    """Return the answer of a match or of skill in a file; UserError for another file, or one of another game."""
    what = _COMMAND[kind]
    record = answer_in(path, kind, what)
    try:
        for name in TABLES[kind]:
            rows = pl.DataFrame(record[name], infer_schema_length=None).select(_COLUMNS[name])
            if rows.is_empty():
                raise ValueError(f"no {name}")
        for name in _SAID[kind]:
            _ = record[name]
        played = (record["made"] if kind == MATCH else record["made"][0])["plan"]["game"]
    except (KeyError, IndexError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise UserError(f"the answer of {what} in {str(path)!r} is damaged: {error!r}") from error
    if played != game:
        raise UserError(f"the answer of {what} in {str(path)!r} is of {played}, not of {game}")
    return record
