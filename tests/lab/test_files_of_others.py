"""Files from other people are data: any content causes at most one error message, and no further file is opened.

Every reader gets files that were written by wsim and damaged at random (seeded): bits flipped, ends truncated, keys
removed, values replaced by implausible ones. Checksums are updated, because otherwise only they would be tested.
"""

from __future__ import annotations

import copy
import hashlib
import json
import random
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import wsim
from tests.conftest import Command
from tests.tiers import first_quick
from wsim import Plan, UserError
from wsim.files import StoreError

TIMES = pytest.mark.parametrize("times", [20, pytest.param(100, marks=pytest.mark.slow)])
WILD: list[Any] = [
    *(None, True, -1, 0, 1, 255, 2**31, 2**63, 2**70, -(2**64), 1e308, -1e308, float("inf"), float("nan"), 0.5),
    *("", "x" * 3000, "../../etc/passwd", "/dev/zero", "a\x00b", "\ud800", "<script>", [], {}, [[]], {"a": 1}),
    *([None], [1, "a"], list(range(300))),
]


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values in a tree."""
    found = [at]
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        found += places(one, (*at, key))
    return found


def spoilt(draw: random.Random, tree: Any) -> Any:
    """Return a copy of a tree with one to three values replaced, removed, duplicated or swapped."""
    whole = {"": copy.deepcopy(tree)}
    for _ in range(draw.randint(1, 3)):
        *above, key = ("", *draw.choice(places(whole[""])))
        parent: Any = whole
        for name in above:
            parent = parent[name]
        how = draw.randrange(5)
        if how == 0 and above:
            del parent[key]
        elif how == 1 and isinstance(parent, list):
            parent.insert(key, copy.deepcopy(parent[key]))
        elif how == 2 and isinstance(parent, dict) and above:
            parent[draw.choice(["x", "", "__class__", key * 2 if isinstance(key, str) else "y"])] = parent[key]
        else:
            parent[key] = copy.deepcopy(draw.choice(WILD))
    return whole[""]


def torn(draw: random.Random, content: bytes) -> bytes:
    """Damage a byte string: flip some bits, or truncate it."""
    damaged = bytearray(content)
    for _ in range(draw.randint(0, 4)):
        damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
    return bytes(damaged if draw.random() < 0.7 else damaged[: draw.randrange(len(damaged))])


def text_of(draw: random.Random, tree: Any) -> bytes:
    """Return a damaged tree as JSON, and one time in four also damage its text."""
    content = json.dumps(spoilt(draw, tree)).encode()
    return torn(draw, content) if draw.random() < 0.25 else content


def toml(value: Any) -> str:
    """Format a value as TOML; raise TypeError for unknown types."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(key)} = {toml(one)}' for key, one in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, str | bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return repr(value)
    raise TypeError(value)


def lines(tree: Any) -> bytes:
    """Format a tree as the lines of a TOML file."""
    return "".join(f"{json.dumps(key)} = {toml(value)}\n" for key, value in tree.items()).encode()


def toml_of(draw: random.Random, tree: Any) -> bytes:
    """Return a damaged tree as TOML, or damage the original text if the tree cannot be written as TOML."""
    try:
        return lines(spoilt(draw, tree))
    except (TypeError, AttributeError):
        return torn(draw, lines(tree))


def only_sentences(times: int, make: Callable[[random.Random], Any], read: Callable[[Any], object]) -> None:
    """Read a number of damaged files; errors must be sentences, and over a quarter must be rejected."""
    refused = []
    for seed in range(times):
        given = make(random.Random(seed))
        try:
            read(given)
        except (UserError, StoreError) as error:
            refused.append(str(error))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
    assert all(refused)
    assert len(refused) > times // 4


POSITIONS: list[dict[str, Any]] = [
    {"players": 3, "policies": "random"},
    {"players": 4, "ruleset": "2e-cities", "policies": "random"},
    {"players": 3, "game": "tower_of_babel", "policies": "random"},
]


@pytest.mark.slow
@TIMES
@pytest.mark.parametrize("table", POSITIONS, ids=["wonders", "cities", "babel"])
@pytest.mark.parametrize("by_hand", [False, True], ids=["steps", "by hand"])
def test_positions(times: int, table: dict[str, Any], by_hand: bool) -> None:
    game = wsim.Game(**table, seed=3)
    for _ in range(30):
        game = game.step(0)
    tree = json.loads(game.to_json(game.to_move) if by_hand else game.to_json())
    assert wsim.Game.from_json(json.dumps(tree)).to_move == game.to_move

    def read(content: bytes) -> None:
        one = wsim.Game.from_json(content.decode("utf-8", "replace"))
        assert one.to_move is None or one.legal()

    only_sentences(times, lambda draw: text_of(draw, tree), read)


@TIMES
def test_plans(times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tree = tomllib.loads(
        Plan.make(
            players=2, ruleset="1e-duo", games=100, set=["cards.Palace.points=6"], policies="random,greedy"
        ).to_toml()
    )

    def read(content: bytes) -> None:
        Path("plan.toml").write_bytes(content)
        Plan.from_toml("plan.toml")

    only_sentences(times, lambda draw: toml_of(draw, tree), read)


PATCH = """
[rulesets.1e]
seats = [3, 4]
[rulesets.1e.settings]
start_coins = 4
[cards.Palace]
points = 6
cost = { stone = 2, glass = 1 }
[cards."Lumber Yard"]
copies = [3, 4]
produces = ["wood"]
[wonders.Gizah.sides.A.1]
cost = { stone = 2 }
points = 4
"""


@pytest.mark.slow
@TIMES
def test_patches(times: int, tmp_path: Path) -> None:
    from wsim.wonders.catalog import load_catalogue

    def read(content: bytes) -> None:
        (tmp_path / "patch.toml").write_bytes(content)
        load_catalogue("1e", None, [tmp_path / "patch.toml"])

    only_sentences(times, lambda draw: toml_of(draw, tomllib.loads(PATCH)), read)


GOAL = """
[plan]
players = 3
policies = "random"
[[target]]
of = "wonder"
within = 0.05
[[knob]]
path = "wonders.*.sides.*.*.points"
range = "-4..4"
[search]
games = 2000
rounds = 1
"""


@TIMES
def test_goals(times: int, tmp_path: Path) -> None:
    from wsim.balance.goal import read_goal

    def read(content: bytes) -> None:
        (tmp_path / "goal.toml").write_bytes(content)
        read_goal(tmp_path / "goal.toml")

    only_sentences(times, lambda draw: toml_of(draw, tomllib.loads(GOAL)), read)


@TIMES
def test_learning_plans(times: int, tmp_path: Path) -> None:
    from tests.lab.test_every_write_of_others import LESSON
    from wsim.learn.plan import LearningPlan

    def read(content: bytes) -> None:
        (tmp_path / "lesson.toml").write_bytes(content)
        LearningPlan.from_toml(str(tmp_path / "lesson.toml")).checked()

    only_sentences(times, lambda draw: toml_of(draw, LESSON), read)


@TIMES
def test_weights(times: int, tmp_path: Path) -> None:
    tree = {"mine": {"extends": "balanced", "shield": 1.5, "science": [0.5, 2.0]}}

    def read(content: bytes) -> None:
        (tmp_path / "w.toml").write_bytes(content)
        plan = Plan.make(players=3, policies=f"weighted:file={tmp_path}/w.toml:set=mine")
        wsim.game.find_game(plan.game).prepare(plan)

    only_sentences(times, lambda draw: toml_of(draw, tree), read)


@pytest.mark.usefixtures("toy")
@TIMES
def test_records_of_runs(times: int) -> None:
    from wsim.lab.journal import check_of
    from wsim.lab.run import record
    from wsim.lab.store import load_run
    from wsim.lab.verify import verify

    record(Plan.make(games=30), "run", shard=10)
    tree = json.loads(Path("run/run.json").read_text())
    del tree["check"]

    def make(draw: random.Random) -> bytes:
        found = spoilt(draw, tree)
        return json.dumps({**found, "check": check_of(found)} if isinstance(found, dict) else found).encode()

    def read(content: bytes) -> None:
        Path("run/run.json").write_bytes(content)
        load_run("run").seats.collect()
        verify("run")

    only_sentences(times, make, read)


# --- Parquet whose digest, ledger and metadata were made to fit -------------------------------------------------------

FORGED: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "struct": lambda rows: rows.with_columns(total=pl.struct("total")),
    "lists": lambda rows: rows.with_columns(total=pl.concat_list("total")),
    "text": lambda rows: rows.with_columns(pl.col("total").cast(pl.String)),
    "doubled": lambda rows: pl.concat([rows, rows]).sort("game", maintain_order=True),
    "no rows": lambda rows: rows.head(0),
    "no scores": lambda rows: rows.drop("total"),
    "null scores": lambda rows: rows.with_columns(total=pl.lit(None, pl.Int32)),
    "null games": lambda rows: rows.with_columns(game=pl.lit(None, pl.UInt64)),
    "no such game": lambda rows: rows.with_columns(game=pl.lit(2**63, pl.UInt64)),
    "a game of floats": lambda rows: rows.with_columns(game=pl.lit(float("nan"))),
    "one game": lambda rows: rows.filter(pl.col("game") == 0),
    "a row short": lambda rows: rows.head(-1),
    "one seat": lambda rows: rows.with_columns(seat=pl.lit(0, pl.UInt8)),
    "no names": lambda rows: rows.with_columns(pl.col("policy").to_physical()),
    "nobody": lambda rows: rows.with_columns(policy=pl.lit(None, rows["policy"].dtype)),
    "no winner": lambda rows: rows.with_columns(rank=pl.lit(0, pl.UInt8)),
    "endless wins": lambda rows: rows.with_columns(win_share=pl.lit(float("inf"), pl.Float32)),
    "more points": lambda rows: rows.with_columns(points_more=pl.struct("total")),
    "turned": lambda rows: rows.reverse(),
    "a thousandfold": lambda rows: rows.with_columns(pl.col("total") * 1000),
}


def forged(folder: Path, change: Callable[[pl.DataFrame], pl.DataFrame], table: str = "seats") -> None:
    """Change the first shard of a table, and update all checksums that would reveal the change."""
    from wsim.lab.journal import Journal

    path = sorted((folder / table).glob("*.parquet"))[0]
    metadata = pl.read_parquet_metadata(path)["wsim"]
    change(pl.read_parquet(path)).write_parquet(path, metadata={"wsim": metadata})
    content = path.read_bytes()
    lines = list((ledger := Journal(folder / "shards.jsonl")).entries())
    mine = [line for line in lines if line["table"] == table]
    mine[0].update(bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
    ledger.rewrite(lines)


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("name", list(FORGED))
def test_forged_rows(wsim_command: Command, name: str) -> None:
    """Forged rows once caused IndexError, NotImplementedError and ValueError in tables, pages and comparisons."""
    from wsim.lab.run import record

    for seed in (1, 2):
        record(Plan.make(games=20, rotate=True, seed=seed), f"run{seed}", shard=10)
    forged(Path("run1"), FORGED[name])
    assert wsim_command("verify", "run1").code == 1
    commands = [
        "table run1 policies",
        "matchups run1",
        "strengths run1",
        "compare run1 run2",
        "table run2 policies run1",
    ]
    for words in [*commands, "report run1 -o page.html -q", "trace run1 3", "run --resume run1 -q"]:
        answer = wsim_command(*words.split())
        assert "Traceback" not in answer.err
        assert answer.err.count("\n") <= 1


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play a run that stores only sums."""
    from wsim.lab.run import record

    folder = tmp_path_factory.mktemp("summary") / "run"
    record(Plan.make(games=30, players=3, policies="random,greedy,balanced", rotate=True, keep="summary"), folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_forged_sums(
    wsim_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, summary: Path, seed: int
) -> None:
    def change(sums: pl.DataFrame) -> pl.DataFrame:
        draw, rows = random.Random(seed), sums.to_dicts()
        row = draw.choice(rows)
        key = "labels" if row["values"] is None else "values"
        row[key] = draw.choice([row[key][:-1], row[key][:1], [], row[key][:1] * len(row[key]), row[key] * 2])
        row["shape"] = draw.choice([row["shape"], (row["shape"] or [])[::-1], [-1]]) if key == "values" else None
        if draw.random() < 0.2:
            rows.remove(row)
        return pl.DataFrame(rows, schema=sums.schema)

    monkeypatch.chdir(tmp_path)
    shutil.copytree(summary, "run")
    forged(Path("run"), change, "sums")
    for words in ("cards run", "wonders run", "report run -o page.html -q", "verify run", "run --resume run -q"):
        answer = wsim_command(*words.split())
        assert answer.err.count("\n") <= 1


# --- answers, nets, games that were left ------------------------------------------------------------------------------

READING = Path(__file__).parents[1] / "data" / "reading"
ANSWERS = ("whatif", "skill", "picks", "patch", "match-folder/match")


@first_quick(1, ("name", "times"), [("picks", 20), *((name, 30) for name in ANSWERS)])
def test_answers(name: str, times: int, tmp_path: Path) -> None:
    """Damaged answers are displayed on pages, and repeated up to the point where games would be played."""
    from wsim.lab.repetition import RepetitionSettings, sound
    from wsim.questions.answer_files import stored_in
    from wsim.questions.registry import question_of_format
    from wsim.report.answers import sections
    from wsim.report.theme import Palette

    tree = json.loads((READING / f"{name}.json").read_text())
    question = question_of_format(tree["format"])
    assert question is not None
    kind = question.answer_class

    def read(content: bytes) -> None:
        path = tmp_path / "answer.json"
        path.write_bytes(content)
        stored = kind.read(path)
        list(sections([stored], Palette({})))
        if question.name != "balance":
            stored_in(path)
            sound(lambda: kind.restored(stored.record, RepetitionSettings()))
        stored.plan()

    read(json.dumps(tree).encode())
    only_sentences(times, lambda draw: text_of(draw, tree), read)
