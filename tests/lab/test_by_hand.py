"""Unit tests of the laboratory: parts of runs, chunk sizes, growing shards, differences between records."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from wsim.errors import UserError
from wsim.files import StoreError
from wsim.lab import growth, journal
from wsim.lab.batch import MAX_CHUNK, MAX_GROWTH, MAX_THREADS, ChunkSizer, in_chunks, usable_threads
from wsim.lab.execution import Execution
from wsim.lab.journal import Journal, differences, read_record_of, refuse_other, write_record
from wsim.lab.parts import Part
from wsim.lab.progress import Interrupted
from wsim.lab.shards import Batch, ShardBuilder, shard_of
from wsim.version import STREAMS


def test_parts_consist_of_whole_shards_and_cover_all_games() -> None:
    """1,000 games in shards of 150 are seven shards: two, two and three of them, the last one short."""
    parts = [Part(number, 3) for number in (1, 2, 3)]
    assert [part.games(1000, 150) for part in parts] == [range(300), range(300, 600), range(600, 1000)]
    assert [Part(number, 2).games(300, 150) for number in (1, 2)] == [range(150), range(150, 300)]
    assert Part.parse(" 3/16 ") == Part(3, 16)
    assert str(Part(3, 16)) == "3/16"
    assert Part.parse("16/16").number == 16
    for wrong in ("0/3", "4/3", "1/0"):
        with pytest.raises(UserError, match="does not exist: parts are numbered from 1/"):
            Part.parse(wrong)
    for wrong in ("3", "3/", "a/b", "-1/3", "1/2/3", f"1/{10**9}"):
        with pytest.raises(UserError, match="must look like 3/16"):
            Part.parse(wrong)
    Part(1, 7).check(1000, 150)
    words = "8 parts need 8 shards, but 1,000 games make 7 of 150 games: use at most 7 parts, or add --shard-games 125"
    with pytest.raises(UserError, match=words):
        Part(1, 8).check(1000, 150)
    with pytest.raises(UserError, match=r"use at most 1 parts$"):
        Part(1, 3).check(2, 150)


def test_chunks_grow_with_the_speed_of_games_and_shrink_at_the_end() -> None:
    pace = ChunkSizer(None)
    assert (pace.size(1000, 2), pace.known) == (1, False)
    pace.note(1, pace._seconds)
    assert (pace.size(10**6, 2), pace.known) == (1, True), "one game takes as long as a chunk should"
    pace.note(1, 0.0)
    assert pace.size(10**6, 2) == MAX_GROWTH
    for _ in range(40):
        pace.note(10**6, 1e-6)
    assert pace.size(10**9, 2) == MAX_CHUNK
    assert pace.size(4 * MAX_CHUNK - 4, 2) == MAX_CHUNK - 1, "a quarter of what is left, for two threads"
    pace.note(1, 100 * pace._seconds)
    assert pace.size(10**6, 2) == 1
    fixed = ChunkSizer(7)
    fixed.note(1, 0.0)
    assert fixed.size(1000, 2) == 7
    assert list(in_chunks(len, [range(5), range(5, 7)], chunk=2, threads=1)) == [2, 2, 1, 2]
    assert [usable_threads(threads) for threads in (1, MAX_THREADS)] == [1, MAX_THREADS]
    for wrong in (0, MAX_THREADS + 1, True, 2.0):
        with pytest.raises(UserError, match="threads must be a whole number from 1 to"):
            usable_threads(wrong)  # type: ignore[arg-type]


def batch(games: range, worth: Any = None) -> Batch:
    return Batch(games, {"seats": pl.DataFrame({"game": [*games]})}, None, worth)


def test_a_shard_contains_the_batches_up_to_its_last_game(monkeypatch: pytest.MonkeyPatch) -> None:
    given = iter([batch(range(2)), batch(range(2, 5)), batch(range(5, 9))])
    shard = shard_of(given, range(5))
    assert (shard.games, shard.tables["seats"]["game"].to_list()) == (range(5), [0, 1, 2, 3, 4])
    assert next(given).games == range(5, 9), "the batch of the next shard is not consumed"
    builder = ShardBuilder(4)
    assert builder.shard() is None
    builder.add(batch(range(4, 6)))
    assert builder.games == range(4, 6)

    class Broken:
        games, summary, worth = range(6, 8), None, None

        @property
        def tables(self) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        builder.add(Broken())  # type: ignore[arg-type]
    assert builder.shard() is None, "half a batch is no shard"
    sums = SimpleNamespace(frame=lambda: "sums")
    assert Batch(range(1), {}, sums).frames() == {"sums": "sums"}  # type: ignore[arg-type]
    both = Batch(range(1), {"seats": "rows"}, sums, SimpleNamespace(frame=lambda: "worth"))  # type: ignore[arg-type,dict-item]
    assert both.frames() == {"worth": "worth", "seats": "rows"}


def test_a_run_continues_until_its_intervals_are_narrow_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half widths of 0.4 and then 0.09, of which 0.1 is wanted: 1,000 games, and four times as many at most a step."""
    halves, made = iter([0.4, 0.09]), list[tuple[Any, ...]]()

    def record(plan: Any, out: Any, *, resume: bool, **how: Any) -> Any:
        made.append((plan.games, str(out), resume, how))
        return SimpleNamespace(path="study")

    plan = SimpleNamespace(games=1000, game="seven_wonders", replace=lambda games: SimpleNamespace(games=games))
    monkeypatch.setattr(growth, "check_table", lambda *_: None)
    monkeypatch.setattr(growth, "record", record)
    monkeypatch.setattr(growth, "half_width", lambda run, table: next(halves))
    growth.record_within(plan, "mine", within=0.1, threads=3)  # type: ignore[arg-type]
    assert made == [(1000, "mine", False, {"threads": 3}), (4000, "study", True, {"threads": 3})]
    made.clear()
    growth.record_within(plan, "mine", within=None, resume=True)  # type: ignore[arg-type]
    assert made == [(1000, "mine", True, {})]


def test_the_width_of_a_run_comes_from_its_first_table_with_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    def table(shown: str, half: float | None, fits: bool = True) -> Any:
        frame = pl.DataFrame({"win_share_low": [0.0, None], "win_share_high": [2 * half if half else None, None]})
        made = SimpleNamespace(frame=frame.cast(pl.Float64))
        return SimpleNamespace(shown=shown, fits=lambda _plan: fits, table=lambda _run: made)

    tables = {"asked": table("asked", 9.0), "other": table("run", 8.0, fits=False), "empty": table("run", None),
              "cards": table("run", 0.25), "wonders": table("run", 0.5)}  # fmt: skip
    monkeypatch.setattr(growth, "tables_of_run", lambda _run: tables)
    run: Any = SimpleNamespace(plan=None)
    assert growth.half_width(run) == 0.25
    assert growth.half_width(run, "wonders") == 0.5


def test_identity_differences_are_named_by_path_and_three_are_shown(tmp_path: Path) -> None:
    old = {"plan": {"seed": 1, "games": 5, "set": ["a"]}, "rules": {"digest": "sha256:1"}, "gone": 3}
    new = {"plan": {"seed": 2, "games": 5, "set": ["b"]}, "rules": {"digest": "sha256:2"}, "more": None}
    found = differences(old, new)
    assert found == {"gone": (3, None), "plan.seed": (1, 2), "plan.set": (["a"], ["b"]), "rules.digest": ("sha256:1",
                     "sha256:2")}  # fmt: skip
    assert differences(old["plan"], new["plan"], "plan").keys() == {"plan.seed", "plan.set"}  # type: ignore[arg-type]
    with pytest.raises(UserError) as refused:
        refuse_other(tmp_path, "another run", {**found, "z": (1, 2)})
    assert "gone is 3 there and null here; plan.seed is 1 there and 2 here; plan.set is" in str(refused.value)
    assert str(refused.value).endswith(" and 1 more; choose another --out")
    assert "digest" not in str(refused.value)
    with pytest.raises(UserError, match=r'rules.digest is "sha256:1" there and "sha256:2" here; choose'):
        refuse_other(tmp_path, "another run", {"rules.digest": ("sha256:1", "sha256:2")})
    refuse_other(tmp_path, "another run", {})


def test_a_record_is_sealed_and_a_journal_continues_after_a_truncated_line(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    write_record(file, "form/1", {"numbers": (1, 2)})
    assert read_record_of(file, "form/1", "not a record") == {"format": "form/1", "numbers": [1, 2]}
    with pytest.raises(UserError, match="has the format 'form/1'; this version of wsim reads 'form/2'"):
        read_record_of(file, "form/2", "not a record")
    with pytest.raises(UserError, match="has the format 'form/1', an old one"):
        read_record_of(file, "form/2", "not a record", lambda _content: ", an old one")
    file.write_text(file.read_text(encoding="utf-8").replace("1", "3", 1).replace("form/3", "form/1"), encoding="utf-8")
    changed = json.loads(file.read_text(encoding="utf-8"))
    changed["numbers"] = [9]
    file.write_text(json.dumps(changed), encoding="utf-8")
    with pytest.raises(UserError, match="is damaged"):
        read_record_of(file, "form/1", "not a record")
    lines = Journal(tmp_path / "steps")
    assert lines.entries() == []
    lines.add({"a": 1}, {"a": 2})
    whole = lines.path.read_bytes()
    assert whole.count(b"\n") == 2
    lines.path.write_bytes(whole[:-5])
    lines.add({"a": 3})
    assert [entry["a"] for entry in lines.entries()] == [1, 3]
    lines.path.write_bytes(whole.replace(b'"a": 1', b'"a": 7'))
    assert [entry["a"] for entry in lines.entries()] == [2], "a line that was changed is none"
    lines.rewrite([{"a": 5}])
    assert lines.entries() == [{"a": 5}]
    with pytest.raises(StoreError):
        Journal(tmp_path).entries()


def test_old_random_streams_are_detected_anywhere_in_a_record() -> None:
    journal.refuse_old_streams({"made": [{"engine": "a", "streams": STREAMS}], "streams": 0}, "x")
    for record in ({"engine": "a"}, [{"deep": {"engine": "a", "streams": 0}}]):
        with pytest.raises(UserError, match="were dealt by version"):
            journal.refuse_old_streams(record, "x")
    assert [journal.is_digest(value) for value in ("sha256:1", "sha1:1", 5)] == [True, False, False]


def test_an_interrupt_returns_the_answer_so_far_and_how_to_continue() -> None:
    told: list[tuple[str, int, int]] = []
    how = Execution(threads=1, progress=lambda *words: told.append(words))
    how.report("games", 1, 2)
    Execution(threads=1).report("games", 1, 2)
    assert told == [("games", 1, 2)]
    with pytest.raises(Interrupted) as left, how.interruptible(lambda: 7, "resume it"):
        raise KeyboardInterrupt
    assert (left.value.result, left.value.hint) == (7, "resume it")
    with pytest.raises(Interrupted) as left, how.interruptible(lambda: 7):
        raise Interrupted(None, "of before")
    assert left.value.hint == "of before"
    with pytest.raises(UserError, match="progress must be a function"):
        Execution(threads=1, progress="yes")  # type: ignore[arg-type]
