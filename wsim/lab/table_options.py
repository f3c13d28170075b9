"""Options for tables of runs, used by ``wsim table`` and in URLs of the workbench; this module imports fast."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wsim.options import Options, argument, level_option, names, option, option_words, options_of


@dataclass(frozen=True)
class TableOptions(Options):
    """Show a table of a run: wsim table RUN NAME. Without NAME, list the tables and their options."""

    runs: tuple[str, ...] = argument(
        "Run folder written by wsim run; several are combined into one table.", metavar="RUN"
    )
    by: tuple[str, ...] = option(
        "Split the rows by these columns instead: policy, wonder, seat, wonder_left, ... (comma-separated).",
        (), metavar="COLUMNS", read=names,
    )  # fmt: skip
    level: float = level_option()
    won_by: int | None = option("Only games won by at least this many points.", None, metavar="POINTS")
    beside: bool = option(
        "Put several runs side by side: their main figure, and its differences from the first run.", False
    )


@dataclass(frozen=True)
class Wide(Options):
    """Options for tables wider than the screen."""

    wide: bool = option("Show every column, in several parts if there is no room.", False)


@dataclass(frozen=True)
class RowOptions(Wide):
    """Options that select and sort the rows of a table."""

    sort: str | None = option("Sort by this column, largest first; -COLUMN: smallest first.", None, metavar="COLUMN")
    top: int | None = option("Show only the first rows.", None, metavar="N")
    only: tuple[str, ...] = option(
        "Show only these rows: COLUMN=VALUE, card=Altar,Baths, policy!=random, n>=1000 (repeatable).",
        (), metavar="CONDITION", names=("--filter",),
    )  # fmt: skip


def texts_of(group: Options) -> dict[str, list[str]]:
    """Return the options of a group that differ from their defaults, as strings; positional arguments are omitted."""
    texts: dict[str, list[str]] = {}
    for name, (declared, spec) in options_of(group).items():
        value = getattr(group, name)
        if not spec.argument and value != declared.default:
            items = value if isinstance(value, tuple) else (value,)
            texts[name] = [f"{item:g}" if isinstance(item, float) else str(item) for item in items]
            if isinstance(value, tuple) and spec.read is not None:
                texts[name] = [",".join(texts[name])]
    return texts


def table_command(name: str, table: TableOptions, rows: RowOptions, options: Mapping[str, Sequence[str | None]]) -> str:
    """Return the shell command that prints a table; in ``options``, None stands for an option without a value."""
    words = ["wsim", "table", *table.runs, name]
    for group in dict.fromkeys((table, rows)):
        declared = options_of(group)
        for key, texts in texts_of(group).items():
            words += option_words(key, declared[key][1], str(declared[key][0].type), texts)
    for key, values in options.items():
        words += [word for text in values for word in ([f"--{key}"] if text is None else [f"--{key}", text])]
    return shlex.join(words)
