"""How tables and answers show in a notebook: a title, the rows as Polars shows them, and what must be said of them."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["html_of", "text_of"]


def html_of(title: str, frame: pl.DataFrame, notes: Iterable[str] = ()) -> str:
    """Return HTML for a notebook; everything but Polars' own table is escaped."""
    said = "".join(f"<p>{escape(note)}</p>" for note in notes if note)
    return f"<div><h4>{escape(title)}</h4>{frame._repr_html_()}{said}</div>"


def text_of(title: str, frame: pl.DataFrame, notes: Iterable[str] = ()) -> str:
    """Return the same as plain text, for a prompt."""
    return "\n".join([title, str(frame), *filter(None, notes)])
