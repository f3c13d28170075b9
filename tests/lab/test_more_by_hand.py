"""Further unit tests of runs: messages about damage and missing parts, stores, ledgers, wishes, answers."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from wsim.errors import UserError
from wsim.files import StoreError
from wsim.lab import ledger, merge, policy_check, remote, repetition, store, wishes
from wsim.lab.answer import Answer
from wsim.lab.ledger import Shard
from wsim.lab.provenance import FORMAT


def shard(first: int, size: int = 5, table: str = "seats") -> Shard:
    return Shard(table, first, 10, size, "ab")


@pytest.mark.parametrize(("count", "more"), [(1, ""), (3, ""), (4, " and 1 more"), (9, " and 6 more")])
def test_three_damaged_shards_are_named_and_the_others_counted(
    count: int, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run: Any = SimpleNamespace(path=Path("study"), provenance=None)
    monkeypatch.setattr(
        store, "faults", lambda *_given: [(shard(number), f"has fault {number}") for number in range(count)]
    )
    with pytest.raises(StoreError) as caught:
        store.refuse_damage(run, [])
    named = "; ".join(f"seats/part-{number:014d}.parquet has fault {number}" for number in range(min(count, 3)))
    assert str(caught.value).startswith(f"the run 'study' is damaged: {named}{more}; wsim verify lists")
    monkeypatch.setattr(store, "faults", lambda *_given: [])
    store.refuse_damage(run, [])


def test_of_two_shard_lines_the_one_matching_the_file_size_is_used(tmp_path: Path) -> None:
    """The last one otherwise, as a run was killed between the file and its line."""
    ledger.append(tmp_path, [shard(0, 5), shard(0, 7), shard(10, 5), shard(10, 7), shard(20, 5), shard(0, 9, "picks")])
    for first, size in ((0, 5), (10, 7)):
        path = ledger.shard_path(tmp_path, "seats", first)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(size))
    found = ledger.read_ledger(tmp_path)
    assert {key: one.bytes for key, one in found.items()} == {
        ("seats", 0): 5, ("seats", 10): 7, ("seats", 20): 5, ("picks", 0): 9
    }  # fmt: skip
    assert ledger.digest_of_file(path) == (7, hashlib.sha256(bytes(7)).hexdigest())


@pytest.mark.parametrize(
    "change",
    [{"table": "x"}, {"first": -1}, {"first": True}, {"games": "3"}, {"bytes": 1.0}, {"sha256": None}, {"more": 1},
     {"first": 10**14}],
)  # fmt: skip
def test_invalid_ledger_lines_are_not_shards(change: dict[str, Any]) -> None:
    entry = {"table": "sums", "first": 10**14 - 1, "games": 3, "bytes": 4, "sha256": "ab"}
    assert Shard.of(entry) == Shard("sums", 10**14 - 1, 3, 4, "ab")
    assert Shard.of({**entry, **change}) is None


@dataclass
class Part:
    number: int
    of: int = 12

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def part(number: int, games: int = 10) -> Any:
    return SimpleNamespace(part=Part(number), path=Path(f"p{number}"), games=games, wanted=range(10))


def test_each_part_of_a_run_must_be_given_exactly_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge, "_refuse_foreign_part", lambda *_given: None)
    every = [part(number) for number in range(12, 0, -1)]
    assert [run.part.number for run in merge._checked_parts(every)] == list(range(1, 13))
    for given, words in (
        ([part(1), part(1)], "part 1/12 is given twice: 'p1' and 'p1'"),
        ([part(1, games=9)], "'p1' contains 9 of the 10 games of part 1/12"),
        (every[1:], "part 12/12 of the run is missing"),
        (every[8:], "parts 5/12, 6/12, 7/12, 8/12, 9/12, 10/12, 11/12, 12/12 of the run are missing"),
        (every[9:], "parts 4/12, 5/12, 6/12, 7/12, 8/12, 9/12, 10/12, 11/12 and 1 more of the run are missing"),
    ):
        with pytest.raises(UserError) as caught:
            merge._checked_parts(given)
        assert words in str(caught.value)
    with pytest.raises(UserError, match="no parts to merge"):
        merge.merge([], "out")


CONTENT = b"rows"
SHA, MD5 = hashlib.sha256(CONTENT), hashlib.md5(CONTENT, usedforsecurity=False)


@pytest.mark.parametrize(
    ("head", "held"),
    [({"ChecksumSHA256": base64.b64encode(SHA.digest()).decode()}, True), ({"ChecksumSHA256": "AAAA"}, False),
     ({"ChecksumSHA256": "AAAA", "ETag": f'"{MD5.hexdigest()}"', "Metadata": {"sha256": SHA.hexdigest()}}, False),
     ({"ETag": f'"{MD5.hexdigest()}"', "Metadata": {"sha256": SHA.hexdigest()}}, True),
     ({"ETag": f'"{MD5.hexdigest()}"', "Metadata": {}}, False),
     ({"ETag": f'"{"0" * 32}"', "Metadata": {"sha256": SHA.hexdigest()}}, False),
     ({"ETag": '"in-3-parts"', "Metadata": {"sha256": SHA.hexdigest()}}, True),
     ({"Metadata": {"sha256": SHA.hexdigest()}}, True), ({"Metadata": {"sha256": "0"}}, False)],
)  # fmt: skip
def test_the_content_of_a_store_matches_its_checksum(
    head: dict[str, Any], held: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checksum on receipt; else the tag, if it is an MD5, and the digest that was sent."""
    errors = SimpleNamespace(BotoCoreError=OSError, ClientError=OSError)
    monkeypatch.setattr(remote, "import_module", lambda _name: errors)
    asked: list[dict[str, Any]] = []

    def head_object(**given: Any) -> dict[str, Any]:
        asked.append(given)
        return head

    location = remote._Location("s3://b/p", "b", "p", SimpleNamespace(head_object=head_object))
    assert location.holds("x", CONTENT) == held
    assert asked == [{"Bucket": "b", "Key": "p/x", "ChecksumMode": "ENABLED"}]


def test_a_folder_that_is_not_an_earlier_copy_is_left_alone(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"rows").hexdigest()
    names, digests, described = ["a", "ledger", "run.json"], {"a": digest}, {"ledger": b"lines", "run.json": b"{}"}
    folder = tmp_path / "run"

    def refuse() -> None:
        remote._refuse_foreign_files(folder, names, digests, described)

    refuse()
    folder.mkdir()
    refuse()
    for name, content in (("a", b"rows"), ("ledger", b"lines"), (".a.tmp", b"half")):
        (folder / name).write_bytes(content)
        refuse()
    for name, content in (("a", b"rowz"), ("ledger", b"other"), ("run.json", b"{}"), ("b", b"rows")):
        before = (folder / name).read_bytes() if (folder / name).exists() else None
        (folder / name).write_bytes(content)
        with pytest.raises(UserError, match="already exists: choose another folder"):
            refuse()
        (folder / name).unlink() if before is None else (folder / name).write_bytes(before)
    refuse()


def test_unrelated_objects_are_named_up_to_three() -> None:
    assert remote.Copied(2).remark == ""
    assert remote.Copied(2, ("a", "b", "c")).remark == "left alone, not part of the run: a, b, c"
    assert remote.Copied(2, ("a", "b", "c", "d", "e")).remark == "left alone, not part of the run: a, b, c and 2 more"


def test_a_shard_records_how_it_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    provenance = SimpleNamespace(plan={"players": 3})
    monkeypatch.setattr(repetition, "Provenance", SimpleNamespace(from_record=lambda _record: provenance))
    monkeypatch.setattr(repetition, "Plan", SimpleNamespace(restore=lambda _plan: None))
    record = {"format": FORMAT, "table": "picks", "first_game": "30", "games": "12"}
    monkeypatch.setattr(repetition, "shard_metadata", lambda _path: record)
    found: Any = repetition.ShardFile.read(Path("x"))
    assert (found.table, found.games, found.provenance) == ("picks", range(30, 42), provenance)
    for change in ({"format": "other"}, {"table": "sums"}, {"format": None}):
        changed = {**record, **change}
        monkeypatch.setattr(repetition, "shard_metadata", lambda _path, changed=changed: changed)
        with pytest.raises(UserError, match="'x' does not record how it was made"):
            repetition.ShardFile.read(Path("x"))
    for damage in ({"games": "many"}, {"first_game": None}):
        changed = {**record, **damage}
        monkeypatch.setattr(repetition, "shard_metadata", lambda _path, changed=changed: changed)
        with pytest.raises(UserError, match="the record in 'x' is damaged"):
            repetition.ShardFile.read(Path("x"))
    monkeypatch.setattr(repetition, "shard_metadata", lambda _path: None)
    with pytest.raises(UserError, match="does not record"):
        repetition.ShardFile.read(Path("x"))


@pytest.mark.parametrize(
    ("compiled", "declared", "refused"),
    [(True, None, False), (False, None, True), (False, True, True), (False, False, False), (True, True, False)],
)
def test_only_compiled_policies_are_checked_against_plain_python(
    compiled: bool, declared: bool | None, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``declared``: what the file says of the policy, whether it is plain Python."""
    function: Any = SimpleNamespace(py_func=len) if compiled else len
    declaration = None if declared is None else SimpleNamespace(python=declared)
    monkeypatch.setattr("wsim.policies.user_policies.function_of", lambda _entry: function)
    monkeypatch.setattr("wsim.policies.declare.declaration_of", lambda _function: declaration)
    if refused:
        with pytest.raises(UserError, match="is a plain Python policy"):
            policy_check._refuse_uncompiled("./mine.py:bold")
    else:
        policy_check._refuse_uncompiled("./mine.py:bold")
    with pytest.raises(UserError, match="'greedy' is not a policy in a file or module"):
        policy_check._refuse_uncompiled("greedy")


def test_worth_games_are_a_contiguous_share_of_each_range() -> None:
    """A quarter: of games 0 to 9 two, of 10 to 19 three; together five of twenty."""
    assert [wishes.worth_games(games, 0.25) for games in (range(10), range(10, 20), range(20))] == [
        range(2), range(2, 5), range(5)
    ]  # fmt: skip
    asked = [wishes.asks_worth(SimpleNamespace(games=games, options={"worth": "0.25"})) for games in (3, 4)]  # type: ignore[arg-type]
    assert asked == [False, True]
    assert not wishes.asks_worth(SimpleNamespace(games=1000, options={}))  # type: ignore[arg-type]


def test_wishes_are_counted_per_row_and_item(monkeypatch: pytest.MonkeyPatch) -> None:
    """130 games of two seats, two chunks. In game 0 seat 1 wants item 65 and is followed, then overruled; game 129
    seat 0 could have had item 1, and wants item 0."""
    chunks: list[range] = []

    def played(_simulator: Any, games: range, picks: bool) -> Any:
        assert picks
        chunks.append(games)
        return np.arange(2 * len(games)), "picks"

    def wished(_simulator: Any, _picks: Any, first: int) -> Any:
        of_first = first == 0
        return SimpleNamespace(
            game=np.array([0, 0] if of_first else [1]), seat=np.array([1, 1] if of_first else [0]),
            overruled=np.array([False, True] if of_first else [False]),
            things=np.array([[65, -1], [3, 65]] if of_first else [[0, -1]]),
            could=np.array([[0, 2], [0, 0]] if of_first else [[2, 0]], np.uint64),
        )  # fmt: skip

    monkeypatch.setattr(wishes, "rows_and_picks", played)
    monkeypatch.setattr(wishes, "reader_of", lambda _game: SimpleNamespace(wishes=wished))
    monkeypatch.setattr(wishes, "items_of", lambda _simulator: [f"i{number}" for number in range(70)])
    simulator: Any = SimpleNamespace(seats=2, plan=SimpleNamespace(game="toy"))
    rows, counts = wishes.rows_and_wishes(simulator, range(130), ["i65", "elsewhere", "i1", "i0"])
    assert chunks == [range(128), range(128, 130)]
    assert (len(rows), counts.shape) == (260, (260, 4, 3))
    made = {tuple(map(int, place)): float(counts[tuple(place)]) for place in np.argwhere(counts)}
    assert made == {(1, 0, 0): 1, (1, 0, 1): 1, (1, 0, 2): 1, (258, 2, 2): 1, (258, 3, 0): 1}


@dataclass(frozen=True, repr=False)
class Timed(Answer):
    estimand: str
    seconds: float
    rows: pl.DataFrame

    FORMAT = "timed/1"
    TABLES = ("rows",)


@dataclass(frozen=True, repr=False)
class Untimed(Answer):
    estimand: str

    FORMAT = "untimed/1"


def test_an_answer_records_its_time_in_milliseconds() -> None:
    made = Timed("A claim", 1.23456, pl.DataFrame({"a": [1]}))
    assert made.record()["seconds"] == 1.235
    assert made.record()["format"] == "timed/1"
    assert (made.title, made.exit_code) == ("A claim", 0)
    assert Untimed("A claim").record() == {"format": "untimed/1", "estimand": "A claim"}


def test_a_stored_answer_is_shown_with_its_remarks_as_sentences() -> None:
    stored: Any = SimpleNamespace(
        record={"estimand": "A claim.", "remarks": ["one", "two"], "rows": [1], "none": []}, main="main",
        sheet=lambda name: f"sheet of {name}",
    )  # fmt: skip
    document: Any = Timed.document(stored)
    assert (document.head, document.notes, document.tables) == (
        *(["A claim."], ["one.", "two."]), ["sheet of rows"]
    )  # fmt: skip
    stored.record = {}
    empty = Timed.document(stored)
    assert (empty.head, empty.notes) == ([], [])
