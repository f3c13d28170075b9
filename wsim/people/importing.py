"""Import people's games from files into a run folder without recorded decisions (``wsim import``).

The folder has a plan, a provenance record and a seats table like any run. Its only policy is ``people``, its provenance
has a section ``people`` (files with digests, recorded columns, source, licence), and it has no picks. The table
contains codes (P1, G1) instead of the names of players and groups; ``names.json`` in the folder maps codes to names.
This file is not part of the run, so it is neither copied nor shown on a page.
"""

from __future__ import annotations

import io
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from wsim.errors import Mistakes, UserError
from wsim.files import content_digest, write_text
from wsim.game import find_game
from wsim.lab.archive import Archive
from wsim.lab.plan import Plan, digest_of
from wsim.lab.provenance import Provenance
from wsim.lab.store import Run, load_run, shard_games, shard_ranges
from wsim.lab.writer import RunWriter, parquet
from wsim.people.checks import Problems, Sheet, arranged
from wsim.people.headings import Headings, Names, words
from wsim.people.reader import ROW, read
from wsim.policies.lineup import PEOPLE

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.people.question import ImportOptions

NAMES = "names.json"
CODES = {"player": "P", "group": "G"}


@dataclass(frozen=True)
class Imported:
    """The result of an import.

    Attributes
    ----------
    runs: one run per rule set and number of players. columns: for each file, the fields that its headings were read as.
    unread: for each file, the headings that were not recognised. spellings: strings that were read as a different name.
    problems: the mistakes in games that were left out, with file, row, game, column, value and reason.
    games_left_out: the number of these games.
    """

    runs: Sequence[Run]
    columns: Mapping[str, Mapping[str, str]]
    unread: Mapping[str, Sequence[str]]
    spellings: Mapping[str, str]
    problems: pl.DataFrame
    games_left_out: int

    @property
    def notes(self) -> list[str]:
        """Notes for the user on how the files were interpreted."""
        said = [
            f"{file}: {', '.join(f'{of} = {name!r}' for name, of in read.items())}"
            for file, read in self.columns.items()
        ]
        said += [f"{file}: not read: {', '.join(map(repr, names))}" for file, names in self.unread.items() if names]
        if self.spellings:
            shown = ", ".join(f"{text!r} as {name}" for text, name in list(self.spellings.items())[:20])
            said.append(f"Read by spelling or language: {shown}{', ...' if len(self.spellings) > 20 else ''}")
        if self.games_left_out:
            said.append(f"Left out: {self.games_left_out:,} games with {self.problems.height:,} mistakes")
        return said


def import_files(options: ImportOptions, plan: Plan) -> Imported:
    """Import files into run folders; ``plan`` contains the rules of the games (rule set, cards, patches, changes).

    Raises UserError for files that cannot be read and, unless ``skip_bad`` is set, for invalid games.
    """
    if not options.files:
        raise UserError(
            "name a file to import, such as games.csv; wsim import --template sheet.csv writes one to fill in"
        )
    if options.out is None:
        raise UserError("name the run folder to write: wsim import games.csv -o people")
    out = Path(options.out)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{options.out!r} already exists: choose another --out")
    headings = Headings(
        plan.game, tuple(seats_schema(find_game(plan.game).prepare(plan))), tuple(find_game(plan.game).OWNED)
    )
    files = {Path(name): name for name in options.files}
    rows, guessed, unread = _read_files(files, headings, options)
    problems, spellings = Problems(), dict[str, str]()
    ready = list(_checked_groups(rows, plan, headings, problems, spellings))
    wrong = problems.frame
    bad = wrong["game"].unique()
    if len(bad) and not options.skip_bad:
        count, games = wrong.select("file", ROW).n_unique(), rows["game"].n_unique()
        head = (
            f"{count:,} of {rows.height:,} rows are invalid, so nothing was imported; --skip-bad imports the "
            f"other {games - len(bad):,} of {games:,} games"
        )
        raise UserError("\n".join([head, *problems.sentences()]))
    names = _codes_of_names(rows)
    kept = [
        (of_part, rules, replace(sheet, rows=good))
        for of_part, rules, sheet in ready
        if (good := sheet.rows.filter(~pl.col("game").is_in(bad.implode()))).height
    ]
    if not kept:
        raise UserError("\n".join(["no game is left to import", *problems.sentences()]))
    about = {
        "files": {path.name: content_digest(path.read_bytes()) for path in files},
        "boards": options.boards, "source": options.source, "licence": options.licence,
    }  # fmt: skip
    command = shlex.join(["wsim", "import", *options.files, "-o", options.out])
    runs = []
    for of_part, rules, sheet in kept:
        folder = out if len(kept) == 1 else out / f"{of_part.ruleset}-{of_part.players}p"
        runs.append(_write_run(folder, of_part, rules, sheet, names, {**about, "games_left_out": len(bad)}, command))
        if not options.anonymous and names:
            table = {kind: {code: text for text, code in of.items()} for kind, of in names.items()}
            write_text(folder / NAMES, json.dumps(table, indent=1, ensure_ascii=False) + "\n")
    return Imported(runs, guessed, unread, spellings, wrong, len(bad))


def _read_files(
    files: Mapping[Path, str], headings: Headings, options: ImportOptions
) -> tuple[pl.DataFrame, dict[str, dict[str, str]], dict[str, list[str]]]:
    """Read all files; return the rows with numbered games and, for each file, the recognised and unrecognised headings.

    Raises UserError with the mistakes in all files.
    """
    parts, guessed, unread, mistakes = [], dict[str, dict[str, str]](), dict[str, list[str]](), Mistakes()
    for path, name in files.items():
        with mistakes.noted():
            frame = read(path, headings, options.sheet)
            present = [column for column in frame.columns if column != ROW]
            columns = headings.guess(present, options.columns, _numeric_columns(frame, present))
            fields = {field for field, _ in columns.values()}
            if not {"total", "winner", "rank"} & fields and not any(field.startswith("points_") for field in fields):
                raise UserError(
                    f"{name!r} has no column with scores: its columns are {', '.join(map(repr, present[:30]))}; name "
                    "it with --columns total=HEADING"
                )
            guessed[name] = {
                head: of if number is None else f"{of} of seat {number}" for head, (of, number) in columns.items()
            }
            unread[name] = [column for column in present if column not in columns]
            parts.append(arranged(frame, columns, name, options.players))
    mistakes.raise_any()
    return _with_game_numbers(pl.concat(parts, how="diagonal")), guessed, unread


def _checked_groups(
    rows: pl.DataFrame, plan: Plan, headings: Headings, problems: Problems, spellings: dict[str, str]
) -> Iterator[tuple[Plan, Simulator, Sheet]]:
    """Check the rows of each rule set and number of players, and yield them with their plan and simulator."""
    for ruleset, players, part in _split_by_rules(rows, plan, problems):
        try:
            default: Sequence[str] = find_game(plan.game).default_plan(ruleset)["policies"]
            policies = tuple(default[seat % len(default)] for seat in range(players))
            of_part = plan.replace(ruleset=ruleset, players=players, games=1, policies=policies)
            rules = find_game(plan.game).prepare(of_part)
        except UserError as error:
            first = part.unique("game", keep="first", maintain_order=True)
            problems.add(first, pl.lit(True), "players", pl.lit(players), str(error))
            continue
        sheet = Sheet(part, headings, seats_schema(rules), problems, spellings, team_size(rules))
        sheet.check()
        yield of_part, rules, sheet


def _numeric_columns(frame: pl.DataFrame, present: Sequence[str]) -> set[str]:
    """Return the headings of the columns whose first rows contain only numbers."""
    numbers = frame.head(1000).select(pl.col(present).str.contains(r"^-?\d+([.,]\d+)?$").all())
    filled = frame.head(1000).select(pl.col(present).is_not_null().any())
    return {name for name in present if numbers[name].item() and filled[name].item()}


def seats_schema(simulator: Simulator) -> dict[str, pl.DataType]:
    """Return the schema of a simulator's seats table."""
    return dict(simulator.seats_frame(np.zeros(simulator.seats, simulator.row_dtype)).schema)


def team_size(simulator: Simulator) -> int:
    """Return the number of seats per team; 1 if there are no teams."""
    rows = np.zeros(simulator.seats, simulator.row_dtype)
    if "seat" not in (rows.dtype.names or ()):
        return 1
    rows["seat"] = np.arange(simulator.seats)
    frame = simulator.seats_frame(rows)
    return simulator.seats // frame["team"].n_unique() if "team" in frame.columns else 1


def _with_game_numbers(rows: pl.DataFrame) -> pl.DataFrame:
    """Number the games in order of appearance, and sort the rows by game."""
    games = rows.select("file", "table").unique(maintain_order=True).with_row_index("number")
    numbered = rows.drop("game", strict=False).join(
        games, on=["file", "table"], how="left", maintain_order="left", nulls_equal=True
    )
    return numbered.rename({"number": "game"}).drop("table").sort("game", maintain_order=True)


def _split_by_rules(rows: pl.DataFrame, plan: Plan, problems: Problems) -> list[tuple[str, int, pl.DataFrame]]:
    """Split the rows by rule set and number of players."""
    ruleset = pl.lit(plan.ruleset)
    if "ruleset" in rows.columns:
        accepted = [plan.ruleset, *words()["rulesets"]]
        names = Names.with_words(dict.fromkeys(accepted), words()["rulesets"])
        meant = {text: names.match(text)[0] or text for text in rows["ruleset"].drop_nulls().unique().to_list()}
        for text, name in list(meant.items()):
            try:
                find_game(plan.game).prepare(Plan.make(game=plan.game, ruleset=name))
            except UserError as error:
                problems.add(rows, pl.col("ruleset") == text, "ruleset", pl.col("ruleset"), str(error))
                del meant[text]
        ruleset = (
            pl.col("ruleset")
            .replace_strict(meant, default=None, return_dtype=pl.String)
            .first()
            .over("game")
            .fill_null(plan.ruleset)
        )
    split = rows.with_columns(ruleset=ruleset, size=pl.len().over("game")).partition_by(
        "ruleset", "size", as_dict=True, maintain_order=True
    )
    return [(str(key[0]), int(key[1]), part.drop("size")) for key, part in sorted(split.items())]


def _codes_of_names(rows: pl.DataFrame) -> dict[str, dict[str, str]]:
    """Assign codes to the names of players and groups, numbered in order of appearance."""
    codes = {}
    for kind, letter in CODES.items():
        if kind in rows.columns and rows[kind].null_count() < rows.height:
            texts = rows[kind].drop_nulls().unique(maintain_order=True).to_list()
            people: dict[str, int] = {}
            codes[kind] = {text: f"{letter}{people.setdefault(text.casefold(), len(people) + 1)}" for text in texts}
    return codes


def _write_run(
    folder: Path, plan: Plan, simulator: Simulator, sheet: Sheet, names: Mapping[str, Mapping[str, str]],
    about: Mapping[str, Any], command: str,
) -> Run:  # fmt: skip
    """Write a run folder for games with the same rule set and number of players, and open it."""
    seats, left = seats_table(sheet, names)
    games = seats.height // plan.players
    played = replace(plan, policies=(PEOPLE,), games=games, rotate=False)
    recorded = [name for name in seats.columns if ":" not in name]
    dates = sheet.rows["date"].drop_nulls() if sheet.has("date") else pl.Series([], dtype=pl.String)
    people = {
        **about, "recorded": recorded, "partly": left, "dates": [dates.min(), dates.max()] if len(dates) else None,
        "cards": any(":" in name for name in seats.columns), "sums": sheet.complete and len(sheet.parts) > 1,
        "seats": "recorded" if sheet.has("seat") else "order of rows",
    }  # fmt: skip
    provenance = Provenance.of(played, simulator)
    rules = {**{key: value for key, value in simulator.provenance().items() if key != "policies"}, PEOPLE: people}
    identity = json.loads(json.dumps({**provenance.identity, "rules": rules}))
    provenance = replace(provenance, identity=identity, digest=digest_of(identity), command=command)
    archive, size = Archive.of(plan, simulator), shard_games(simulator, played)
    with RunWriter(folder, played, provenance, archive, size, resume=False) as writer:
        for part in shard_ranges(range(games), size):
            buffer = io.BytesIO()
            parquet(seats[part.start * plan.players : part.stop * plan.players], buffer, provenance, "seats", part)
            writer.place(part, {"seats": buffer.getvalue()})
        writer.mark("complete", games=games)
    return load_run(folder)


def _sorted_by_seat(sheet: Sheet) -> pl.DataFrame:
    """Return the rows sorted by game and seat, with partners next to each other."""
    rows = sheet.rows
    numbered = sheet.has("seat") and not rows["seat"].null_count()
    rows = rows.sort(["game", "seat"] if numbered else ["game"], maintain_order=True)
    if sheet.team_size == 1:
        return rows
    team, position = pl.col("team"), pl.int_range(pl.len()).over("game")
    around = (team.first() == team.last()).over("game")  # partners in the first and last seats
    turned = pl.when(around).then((position + 1) % pl.len().over("game")).otherwise(position)
    rows = rows.with_columns(position=position)
    place = turned if numbered else pl.col("position").min().over("game", "team")
    return rows.with_columns(place=place).sort("game", "place", maintain_order=True)


def _ranks(sheet: Sheet, rows: pl.DataFrame) -> pl.Series:
    """Compute the rank of each seat (or its team) from the recorded results."""
    kept = {"total": 10**9, "winner": 10**8, "rank": -(10**6), "coins": 1}  # criteria for the ranking, in this order
    decisive = [pl.col(name).cast(pl.Int64).fill_null(0) * worth for name, worth in kept.items() if sheet.has(name)]
    key = rows.select(pl.sum_horizontal(decisive)).to_series().to_numpy()
    key = key.reshape(rows["game"].n_unique(), -1, sheet.team_size).sum(axis=2)  # per team
    rank = np.repeat(1 + (key[:, None, :] > key[:, :, None]).sum(axis=2), sheet.team_size, axis=1)
    return pl.Series(rank.ravel(), dtype=pl.UInt8)


def seats_table(sheet: Sheet, names: Mapping[str, Mapping[str, str]]) -> tuple[pl.DataFrame, dict[str, int]]:
    """Build the seats table from checked rows; also return the number of missing values in each omitted column."""
    rows, size = _sorted_by_seat(sheet), sheet.team_size
    game, position = pl.col("game"), pl.int_range(pl.len()).over("game")
    rows = rows.with_columns(rank=_ranks(sheet, rows))
    first = pl.col("rank") == 1
    table = rows.select(
        game=game.rle_id().cast(pl.UInt64),
        seat=position.cast(pl.UInt8),
        **({"team": (position // size).cast(pl.UInt8)} if "team" in sheet.schema else {}),
        policy=pl.lit(PEOPLE).cast(pl.Enum([PEOPLE])),
        **({"rank": pl.col("rank")} if "rank" in sheet.schema else {}),
        win_share=(first / (first.sum().over("game") / size)).cast(pl.Float32),
        total=pl.col("total").cast(sheet.schema["total"]),
    )
    left: dict[str, int] = {}
    own = []
    for name, kind in sheet.schema.items():
        if name in table.columns or not sheet.has(name):
            continue
        if missing := rows[name].null_count():
            left[name] = missing
            continue
        own.append(rows[name].cast(pl.Boolean if ":" in name else kind))
    if any(name.startswith("points_") for name in left):  # all categories are omitted together
        own = [column for column in own if not column.name.startswith("points_")]
    for of, codes in names.items():
        texts = rows[of].replace_strict(codes, default="unknown", return_dtype=pl.String)
        present = set(texts.unique())
        known = [code for code in dict.fromkeys(codes.values()) if code in present]
        own.append(texts.cast(pl.Enum([*known, "unknown"])).alias(of))
    return table.with_columns(own), left
