"""Convert rows of strings to rows of a seats table, and list all invalid values with the row and the accepted values.

The checks are vectorised: each distinct name or number is matched only once, and games are checked by group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from wsim.errors import UserError, nearest, printable
from wsim.people.headings import OF_GAMES, Headings, Names, key_of, words
from wsim.people.reader import ROW

TOTALS = (-60, 400)  # accepted range of a seat's points, far beyond any real game
COUNTS = (0, 1000)
POINTS = (-100, 400)
TRUE, FALSE = (
    ("1", "true", "yes", "y", "x", "won", "win", "winner", "ja", "oui", "igen", "w"),
    ("0", "false", "no", "n", "lost", "loss", "nein", "non", "nem", "l"),
)
PLACE = ("file", ROW)
MAX_LISTED = 200
"""The maximum number of problems that an error message lists; if there are more, columns were probably misread."""


@dataclass
class Problems:
    """Invalid values, one per row, with file, row, column, value and reason."""

    parts: list[pl.DataFrame] = field(default_factory=list)

    def add(
        self, rows: pl.DataFrame, where: pl.Expr | pl.Series, column: str, value: pl.Expr, why: pl.Expr | str
    ) -> None:
        """Add a problem for each row in which ``where`` is true."""
        wrong = rows.select(where).to_series() if isinstance(where, pl.Expr) else where
        if wrong.any():
            reason = pl.lit(why) if isinstance(why, str) else why
            listed = rows.select(
                *PLACE, "game", column=pl.lit(column), value=value.cast(pl.String), why=reason.cast(pl.String)
            )
            self.parts.append(
                listed.filter(wrong) if len(wrong) == rows.height else listed
            )  # pl.lit(True) means all rows

    @property
    def frame(self) -> pl.DataFrame:
        """All problems, in the order of the files."""
        schema = {
            "file": pl.String,
            ROW: pl.Int64,
            "game": pl.UInt32,
            **dict.fromkeys(("column", "value", "why"), pl.String),
        }
        rows = pl.concat([pl.DataFrame(schema=schema), *(part.cast(schema) for part in self.parts)])  # type: ignore[arg-type]
        return rows.unique(maintain_order=True).sort(PLACE, maintain_order=True)

    def sentences(self) -> list[str]:
        """Describe each problem in one sentence; the last sentence counts the problems that are not listed."""
        rows = self.frame
        several = rows["file"].n_unique() > 1
        lines = [
            f"{row['file'] + ' ' if several else ''}row {row[ROW]}, {row['column']} {row['value']!r}: {row['why']}"
            for row in rows.head(MAX_LISTED).iter_rows(named=True)
        ]
        more = [f"... and {rows.height - MAX_LISTED:,} more"] if rows.height > MAX_LISTED else []
        return [printable(line) for line in (*lines, *more)]


def arranged(
    frame: pl.DataFrame, columns: Mapping[str, tuple[str, int | None]], file: str, players: int | None
) -> pl.DataFrame:
    """Reshape a sheet to one row per seat and one column per field; ``table`` identifies the game within the file.

    Raises UserError if it is unclear which rows belong to the same game.
    """
    of_game = any(number is not None for _, number in columns.values())
    seats = _seats_of_rows(frame, columns) if of_game else _rows_as_seats(frame, columns, file, players)
    if not seats.height:
        raise UserError(f"{file!r} has no rows")
    return seats.with_columns(file=pl.lit(file), table=pl.col("table").cast(pl.String).fill_null(""))


def _seats_of_rows(frame: pl.DataFrame, columns: Mapping[str, tuple[str, int | None]]) -> pl.DataFrame:
    """Reshape a sheet with one row per game, whose columns are numbered by seat, to one row per seat."""
    common = {name: of for name, (of, number) in columns.items() if number is None}
    parts = []
    for number in sorted({number for _, number in columns.values() if number is not None}):
        own = {name: of for name, (of, seat) in columns.items() if seat == number}
        shared = {name: of for name, of in common.items() if of not in own.values()}
        part = frame.select(ROW, *(pl.col(name).alias(of) for name, of in {**shared, **own}.items()))
        taken = pl.any_horizontal(pl.col(list(own.values())).is_not_null())
        parts.append(part.with_columns(order=pl.lit(number)).filter(taken))
    seats = pl.concat(parts, how="diagonal").sort(ROW, "order", maintain_order=True).drop("order")
    return seats.with_columns(table=pl.col(ROW))


def _rows_as_seats(
    frame: pl.DataFrame, columns: Mapping[str, tuple[str, int | None]], file: str, players: int | None
) -> pl.DataFrame:
    """Group the rows of a sheet with one row per seat into games; raise UserError if that is not possible."""
    seats = frame.select(ROW, *(pl.col(name).alias(of) for name, (of, _) in columns.items()))
    filled = [name for name in seats.columns if name not in (ROW, *OF_GAMES)]
    blank = seats.select(pl.all_horizontal(pl.col(filled).is_null())).to_series() if filled else pl.Series([True])
    blocks = blank.cast(pl.UInt32).cum_sum()
    seats = seats.filter(~blank)
    if "game" in seats.columns:
        return seats.with_columns(table=pl.col("game"))
    if players or "players" in seats.columns:
        count = pl.lit(players) if players else pl.col("players").cast(pl.Int64, strict=False).first()
        return seats.with_columns(table=pl.int_range(pl.len()) // count)
    if blocks.n_unique() > 1:
        return seats.with_columns(table=blocks.filter(~blank))
    raise UserError(
        f"{file!r} has one row per seat, but no column identifies the game: name it with "
        "--columns game=HEADING, separate games by an empty row, or give --players"
    )


@dataclass
class Sheet:
    """A sheet with people's games whose values are being checked.

    Attributes
    ----------
    rows: one row per seat: fields as strings, and ``file``, ``row`` and ``game`` (numbered in order of appearance).
    headings: the headings of the game. schema: the schema of a seats table under the rules of the game.
    problems: the problems detected so far.
    spellings: strings that were read as a different name -> the name. team_size: seats per team; 1: no teams.
    """

    rows: pl.DataFrame
    headings: Headings
    schema: Mapping[str, pl.DataType]
    problems: Problems = field(default_factory=Problems)
    spellings: dict[str, str] = field(default_factory=dict)
    team_size: int = 1

    def has(self, name: str) -> bool:
        """Return whether people recorded a field in any row."""
        return name in self.rows.columns and self.rows[name].null_count() < self.rows.height

    @cached_property
    def parts(self) -> list[str]:
        """The point categories that people recorded."""
        return [name for name in self.schema if name.startswith("points_") and self.has(name)]

    def check(self) -> None:
        """Convert all fields from strings to values and report invalid values."""
        self._match_boards()
        for name, kind in self.schema.items():
            if self.has(name) and kind.is_integer() and name not in ("game", "seat", "rank", "team", "total"):
                self._parse_number(name, *(POINTS if name.startswith("points_") else COUNTS))
        if "total" in self.rows.columns:
            self.rows = self.rows.with_columns(no_total=pl.col("total").is_null())
        for name, bounds in (("total", TOTALS), ("rank", (1, 20)), ("seat", (0, 20)), ("players", (1, 20))):
            if self.has(name):
                self._parse_number(name, *bounds)
        if self.has("winner"):
            self._parse_flag("winner")
        self._parse_items()
        self._check_totals()
        self._check_games()

    def _match_column(self, name: str, match: Callable[[str], tuple[str | None, str]]) -> None:
        """Replace the strings in a column with the names that they stand for."""
        texts = self.rows[name].drop_nulls().unique().to_list()
        meant = {text: match(text) for text in texts}
        self.spellings |= {text: to for text, (to, _) in meant.items() if to is not None and key_of(text) != key_of(to)}
        wrong = {text: why for text, (to, why) in meant.items() if to is None}
        self.problems.add(
            self.rows, pl.col(name).is_in(list(wrong)), name, pl.col(name),
            pl.col(name).replace_strict(wrong, default=None, return_dtype=pl.String),
        )  # fmt: skip
        right = {text: to for text, (to, _) in meant.items()}
        self.rows = self.rows.with_columns(pl.col(name).replace_strict(right, default=None, return_dtype=pl.String))

    def _names_for(self, name: str) -> Names:
        kind = self.schema[name]
        accepted = kind.categories.to_list() if isinstance(kind, pl.Enum) else []
        return (
            Names.with_words(accepted, words()["sides"]) if name == "side" else Names.of(self.headings.game, accepted)
        )

    def _match_boards(self) -> None:
        """Match the strings in all name columns, such as wonder and side; a wonder's cell may also contain its side."""
        enums = [
            name
            for name, kind in self.schema.items()
            if isinstance(kind, pl.Enum) and name != "policy" and self.has(name)
        ]
        if "wonder" in enums and "side" in self.schema:
            wonders, sides = self._names_for("wonder"), self._names_for("side")
            split: dict[str, tuple[str, str]] = {}
            for text in self.rows["wonder"].drop_nulls().unique().to_list():
                head, _, last = text.rstrip(")] ").replace("(", " ").replace("[", " ").rpartition(" ")
                if wonders.exact(text) is None and head.strip(" -/,:") and (side := sides.exact(last)) is not None:
                    split[text] = (head.strip(" -/,:"), side)
            if split:
                of_cell = pl.col("wonder").replace_strict(
                    {k: v[1] for k, v in split.items()}, default=None, return_dtype=pl.String
                )
                own = pl.col("side") if "side" in self.rows.columns else pl.lit(None, pl.String)
                wonder = pl.col("wonder").replace({k: v[0] for k, v in split.items()})
                self.rows = self.rows.with_columns(side=pl.coalesce(own, of_cell), wonder=wonder)
        for name in (*enums, *(["side"] if "side" not in enums and self.has("side") and "side" in self.schema else [])):
            self._match_column(name, self._names_for(name).match)

    def _parse_number(self, name: str, low: int, high: int) -> None:
        """Convert a column of strings to whole numbers; ``52.0`` and ``1,000`` are accepted."""
        plain = (
            pl.col(name)
            .str.replace_all(r"[\s\u{a0}]", "")
            .str.replace("\u2212", "-", literal=True)
            .str.replace(r"[.,]0+$", "")
        )
        number = plain.cast(pl.Int64, strict=False)
        value, given = self.rows.select(number).to_series(), self.rows[name].is_not_null()
        wrong = given & (value.is_null() | (value < low) | (value > high))
        self.problems.add(self.rows, wrong, name, pl.col(name), f"it must be a whole number from {low} to {high}")
        self.rows = self.rows.with_columns(value.alias(name))

    def _parse_flag(self, name: str) -> None:
        """Convert words for yes and no to booleans; an empty cell means no."""
        keys = {text: key_of(text) for text in self.rows[name].drop_nulls().unique().to_list()}
        value = {text: True if key in TRUE else False if key in FALSE else None for text, key in keys.items()}
        wrong = [text for text, flag in value.items() if flag is None]
        self.problems.add(self.rows, pl.col(name).is_in(wrong), name, pl.col(name), "it must be yes or no")
        flags = pl.col(name).replace_strict(value, default=None, return_dtype=pl.Boolean).fill_null(False)
        self.rows = self.rows.with_columns(flags.alias(name))

    def _parse_items(self) -> None:
        """Split lists of items (``built``) into one column per item, and check existing item columns.

        An empty list means that the seat has no items, unless the lists of all seats are empty: then items were not
        recorded for this game.
        """
        owned = [name for name in self.schema if ":" in name]
        for name in [column for column in owned if column in self.rows.columns]:
            self._parse_flag(name)
        if not (self.headings.owned and self.has("built")):
            return
        listed = (
            self.rows.select(
                pl.int_range(pl.len()).alias("at"), pl.col("built").str.replace_all(r"[,|]", ";").str.split(";")
            )
            .explode("built")
            .with_columns(pl.col("built").str.strip_chars())
            .filter(pl.col("built").is_not_null() & (pl.col("built") != ""))
        )
        meant = {text: self.headings.items.match(text) for text in listed["built"].unique().to_list()}
        wrong = {text: why for text, (to, why) in meant.items() if to is None}
        at = listed.filter(pl.col("built").is_in(list(wrong)))
        self.problems.add(
            self.rows[at["at"].to_list()].with_columns(at["built"]), pl.lit(True), "built", pl.col("built"),
            pl.col("built").replace_strict(wrong, default=None, return_dtype=pl.String),
        )  # fmt: skip
        prefix = self.headings.owned[0]
        codes = listed.with_columns(
            pl.col("built").replace_strict(
                {text: to for text, (to, _) in meant.items()}, default=None, return_dtype=pl.String
            )
        ).drop_nulls()
        flags = []
        nobody = self.rows.select(pl.when(pl.col("built").is_not_null().any().over("game")).then(False)).to_series()
        for (item,), part in codes.partition_by("built", as_dict=True).items():
            flags.append(nobody.clone().scatter(part["at"].unique().to_list(), True).alias(f"{prefix}{item}"))
        known = {flag.name for flag in flags}
        self.rows = self.rows.with_columns(
            *flags, *(nobody.alias(name) for name in owned if name.startswith(prefix) and name not in known)
        )

    def _check_totals(self) -> None:
        """Check that each total equals the sum of its categories; empty categories count as 0 unless all are empty."""
        parts = self.parts
        if "total" not in self.rows.columns:
            self.rows = self.rows.with_columns(total=pl.lit(None, pl.Int64), no_total=pl.lit(True))
        whole = pl.any_horizontal(pl.col(parts).is_not_null()) if parts else pl.lit(False)
        if parts:
            self.rows = self.rows.with_columns(pl.when(whole).then(pl.col(parts).fill_null(0)))
            total = pl.sum_horizontal(parts)
            missing = len(parts) < len([name for name in self.schema if name.startswith("points_")])
            off = (total > pl.col("total")) if missing and not self.complete else (total != pl.col("total"))
            self.problems.add(
                self.rows, whole & off, "total", pl.col("total"),
                pl.format("the categories sum to {}", total),
            )  # fmt: skip
            if self.complete:
                self.rows = self.rows.with_columns(total=pl.coalesce("total", pl.when(whole).then(total)))
        self.problems.add(
            self.rows, pl.col("total").is_null() & pl.col("no_total"), "total", pl.lit(""), "there is no score",
        )  # fmt: skip

    @cached_property
    def complete(self) -> bool:
        """Whether the recorded categories cover the whole score, which is so if they add up to it in most rows."""
        if not self.parts or not self.has("total"):
            return len(self.parts) > 1
        known = self.rows.filter(pl.col("total").is_not_null() & pl.any_horizontal(pl.col(self.parts).is_not_null()))
        return known.height > 0 and bool(
            known.select((pl.sum_horizontal(pl.col(self.parts).fill_null(0)) == pl.col("total")).mean() > 0.5).item()
        )

    def _check_games(self) -> None:
        """Check each game as a whole: number of seats, duplicates, winners and ranks."""
        of_game = pl.len().over("game")
        rows, problems = self.rows, self.problems
        if self.has("players"):
            stated = pl.col("players").max().over("game")
            problems.add(
                rows, stated.is_not_null() & (of_game != stated), "players", pl.col("players"),
                pl.format("its game has {} seats", of_game),
            )  # fmt: skip
        if self.has("wonder") and "wonder" in self.schema:
            twice = pl.col("wonder").is_not_null() & (pl.len().over("game", "wonder") > 1)
            problems.add(rows, twice, "wonder", pl.col("wonder"), "two seats in its game have this wonder")
        for name in ("player", "seat"):
            if self.has(name):
                twice = pl.col(name).is_not_null() & (pl.len().over("game", name) > 1)
                anonymous = pl.col(name).cast(pl.String).str.to_lowercase().is_in(["anonymous", "guest", "anonym", "?"])
                problems.add(rows, twice & ~anonymous, name, pl.col(name), f"two seats in its game have this {name}")
        score, whose = pl.col("total"), "seat"
        if self.team_size > 1:
            self._check_teams()
            score, whose = pl.col("total").sum().over("game", "team"), "team"
        best = score.max().over("game")
        if self.has("winner"):
            problems.add(
                rows, pl.col("winner") & (score < best), "winner", score,
                pl.format(f"another {whose} in its game has {{}} points", best),
            )  # fmt: skip
        if self.has("rank") and self.team_size == 1:
            before = pl.col("total").rank("max", descending=True).over("game")
            highest = pl.col("total").rank("min", descending=True).over("game")
            problems.add(
                rows, pl.col("rank").is_not_null() & ~pl.col("rank").is_between(highest, before), "rank",
                pl.col("rank"), pl.format("by score, the seat has rank {}", highest),
            )  # fmt: skip

    def _check_teams(self) -> None:
        """Check that each team has enough adjacent seats; raise UserError if teams were not recorded."""
        if not self.has("team"):
            raise UserError(
                f"games of these rules are played in teams of {self.team_size}: add a column team, with one name for "
                "both partners"
            )
        seats = pl.len().over("game", "team")
        self.problems.add(
            self.rows, seats != self.team_size, "team", pl.col("team"),
            pl.format(f"it has {{}} seats in its game, not {self.team_size}", seats),
        )  # fmt: skip
        if self.has("seat"):
            apart = (pl.col("seat").max() - pl.col("seat").min()).over("game", "team")
            near = (apart == 1) | (apart == pl.len().over("game") - 1)
            self.problems.add(
                self.rows, (seats == self.team_size) & ~near, "seat", pl.col("seat"),
                "partners must sit next to each other",
                )  # fmt: skip


def check_alternatives(word: str, accepted: Sequence[str], name: str) -> str:
    """Validate the value of an option; raise UserError unless it is in ``accepted``."""
    if word not in accepted:
        raise UserError(f"{name} must be one of {', '.join(accepted)}, not {word!r}{nearest(word, accepted)}")
    return word
