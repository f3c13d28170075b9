"""Unit tests of isolation without a process: shared memory, validation of replies, reports of failures."""

from __future__ import annotations

import ctypes
import os
import socket
import stat
import struct
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.policies import confined_start, confinement, isolated_worker, isolation
from wsim.policies.confined import TEXT
from wsim.policies.confinement import _AFTER_LOADING, _ALWAYS, _filter
from wsim.policies.declare import FOREIGN, ISOLATED
from wsim.policies.isolation import LISTED, PROCESSES, SLOTS, Channel, Failures, Isolated, Slots, _Process
from wsim.positions.side_by_side import IsolatedPolicies, _close_gaps, _Places, play_side_by_side
from wsim.wonders.registry import POLICIES

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="isolation needs POSIX")
INTERFACE = POLICIES.interface()


@pytest.fixture
def slots() -> Slots:
    return Slots(bytearray(Slots(None, INTERFACE).size), INTERFACE)


def test_what_shared_memory_contains_begins_at_lines_and_never_overlaps() -> None:
    size, at = Slots(None, INTERFACE).size, 128
    memory = bytearray(at + size)
    made = Slots(memory, INTERFACE, at)
    arrays = [made.header, made.index, made.values, made.text, *made.records]
    first = np.frombuffer(memory, np.uint8).ctypes.data
    end = at
    for array in arrays:
        start = array.ctypes.data - first
        assert start == end, "each array begins at the line that follows the one before it"
        end += -(-array.nbytes // 64) * 64
    assert (made.size, end) == (size, at + size)
    assert [len(record) for record in made.records] == [SLOTS, SLOTS, SLOTS, 1]
    assert [record.dtype for record in made.records] == [np.dtype(record) for record in INTERFACE.records]
    assert (len(made.index), len(made.text)) == (SLOTS, TEXT)
    assert len(made.values) == INTERFACE.records[2]["moves"].shape[0]


def test_the_first_reason_stays_is_cut_and_printable_and_is_forgotten_once_read(slots: Slots) -> None:
    slots.tell("KeyError: \x1b[31m red\n  and more")
    slots.tell("second")
    assert slots.reason() == "KeyError: ?[31m red and more"
    assert slots.reason() == ""
    slots.tell("x" * (TEXT + 9))
    assert slots.reason() == "x" * TEXT
    slots.text[:3] = 255, 254, ord("a")
    assert slots.reason() == "\ufffd\ufffda"


def test_failures_are_counted_and_the_first_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    failed = Failures("mine")
    failed.add("raised KeyError", "in game 7, seat 2")
    assert failed.sentence == "The isolated policy 'mine' failed once (first: it raised KeyError, in game 7, seat 2)."
    for number in range(LISTED + 4):
        failed.add("returned 9", f"in game {number}, seat 0")
    assert failed.count == LISTED + 5
    assert failed.listed[0] == "in game 7, seat 2: raised KeyError"
    assert failed.listed[-1] == f"in game {LISTED - 2}, seat 0: returned 9"
    assert len(failed.listed) == LISTED
    assert "failed 25 times (first: it raised KeyError, in game 7, seat 2)." in failed.sentence
    told = capfd.readouterr().err
    assert told == (
        "wsim: the isolated policy 'mine' raised KeyError, in game 7, seat 2: the first legal move is played instead\n"
    )
    failed.count, failed.ended = 1234, PROCESSES - 1
    assert failed.sentence.endswith("failed 1,234 times (first: it raised KeyError, in game 7, seat 2).")
    failed.ended = PROCESSES
    assert failed.sentence.endswith("seat 2); its process was not restarted.")


class Started:
    """A policy with the settings in ``STARTED``."""

    def __init__(self, label: str, count: int, missing: Sequence[str] = ()) -> None:
        self.failures, self.missing = Failures(label, count, "hung, seat 1", listed=["seat 1: hung"] * count), missing


def test_reports_name_the_isolated_policies_what_the_system_lacks_and_what_failed() -> None:
    isolation.STARTED.clear()
    isolation.TRUSTED.clear()
    assert isolation.report() == []
    isolation.TRUSTED.update(["./z.py:bold", "./mine.py:bold"])
    assert isolation.report() == ["trusted, in the process of wsim: ./mine.py:bold, ./z.py:bold"]
    assert isolation.report() == []
    made = [Started("b", 2, ["no memory limit"]), Started("a", 0, ["no memory limit"]), Started("c", 1, ["more"])]
    isolation.STARTED.update(cast("Any", made))
    assert isolation.failures() == [made[0].failures.sentence, made[2].failures.sentence]
    assert isolation.failures(["a", "c"]) == [made[2].failures.sentence]
    assert isolation.listed_failures(["a", "b"]) == [{"policy": "b", "decisions": 2, "listed": ["seat 1: hung"] * 2}]
    assert [row["policy"] for row in isolation.listed_failures(["c", "b"])] == ["b", "c"]
    assert isolation.report() == [
        "isolated, in a process of its own: a, b, c",
        "this system does not confine isolated code fully: no memory limit; more",
        made[0].failures.sentence,
        made[2].failures.sentence,
    ]
    assert isolation.failures() == []


class Scripted:
    """A process with scripted replies: indices, and optionally a reason why it ends at the next decision."""

    def __init__(self, *answers: int | str, active: int = 0) -> None:
        self.answers, self.active, self.ended, self.asked = list(answers), active, False, list[int]()

    def exchange(self, channel: Any, start: int, count: int) -> tuple[int, str]:
        self.asked.append(start)
        for place in range(start, count):
            answer = self.answers.pop(0)
            if isinstance(answer, str):
                return place, answer
            channel.slots.index[place] = answer
        return count, ""

    def end(self) -> None:
        self.ended = True


class Tried(Isolated):
    """An isolated policy whose processes are scripts, one after the other."""

    def __init__(self, *scripts: Scripted) -> None:
        self.interface, self.failures, self._alone = INTERFACE, Failures("mine"), False
        self._lock, self._turn, self._valued = threading.Lock(), threading.Lock(), threading.local()
        self.scripts = list(scripts)
        self._process = cast("Any", self.scripts.pop(0))
        self.lent = Channel(0, Slots(bytearray(Slots(None, INTERFACE).size), INTERFACE))

    @contextmanager
    def channel(self) -> Iterator[Channel]:
        yield self.lent

    def _start_again(self) -> None:
        cast("Any", self._process).end()
        self._process = cast("Any", self.scripts.pop(0))

    def decided(self, *counts: int) -> list[int]:
        return self.decide(self.lent, np.array(counts), [f"seat {seat}" for seat in range(len(counts))]).tolist()  # type: ignore[no-any-return]


def test_only_indices_of_legal_moves_are_believed() -> None:
    policy = Tried(Scripted(2, 2, -1, -5, 0, 10**6))
    assert policy.decided(3, 2, 4, 4, 1, 3) == [2, 0, 0, 0, 0, 0]
    assert policy.failures.listed == [
        "seat 1: returned 2, not one of 2 legal moves",
        "seat 2: returned -1, not one of 4 legal moves",
        "seat 3: returned -5, not one of 4 legal moves",
        "seat 5: returned 1000000, not one of 3 legal moves",
    ]
    policy = Tried(Scripted(1, -1, -2))
    policy.lent.slots.tell("KeyError: 'x'")
    assert policy.decided(2, 2, 2) == [1, 0, 0]
    assert policy.failures.listed == ["seat 1: raised KeyError: 'x'", "seat 2: returned -2, not one of 2 legal moves"]


def test_who_ends_its_process_loses_that_decision_and_after_some_ends_all_further_ones() -> None:
    scripts = [Scripted(1, "hung"), Scripted(1, "hung"), Scripted("fell")]
    policy = Tried(*scripts)
    assert PROCESSES == 3
    assert policy.decided(2, 2, 2, 2, 2, 2) == [1, 0, 1, 0, 0, 0]
    assert [script.asked for script in scripts] == [[0], [2], [4]], "decisions that were made are not asked again"
    assert policy.failures.listed == [
        *("seat 1: hung", "seat 3: hung", "seat 4: fell", "seat 5: no longer has a process")
    ]
    assert policy.failures.ended == 3
    assert [script.ended for script in scripts] == [True] * 3
    assert policy.decided(2) == [0]
    assert policy.failures.count == 5


def test_an_end_while_others_are_asked_costs_nothing_and_then_they_take_turns() -> None:
    """The process had requests from two channels at once, so the decision that ended it is unknown."""
    both = Scripted(1, "fell", active=1)  # and this channel: two
    policy = Tried(both, Scripted(1, 1))
    assert policy.decided(2, 2) == [1, 1]
    assert (policy.failures.count, policy.failures.ended, both.ended, policy._alone) == (0, 0, True, True)
    assert both.active == 1, "the exchange of this channel is over"
    alone = Scripted("fell", active=5)
    policy = Tried(alone, Scripted(1))
    policy._alone = True
    assert policy.decided(2, 2) == [0, 1]
    assert policy.failures.listed == ["seat 0: fell"]


def test_an_end_that_another_channel_has_dealt_with_costs_nothing() -> None:
    policy = Tried(Scripted())
    assert policy._ended(cast("Any", Scripted()), "fell", "seat 0", alone=False) == 0
    assert policy.failures.count == 0


def filled(policy: Tried, moves: int, **private: Any) -> tuple[list[Any], list[int]]:
    """Return the records of a decision with a number of moves, all other bytes 1, and their addresses."""
    rooms = [np.frombuffer(bytearray(b"\1" * np.dtype(kind).itemsize), kind) for kind in INTERFACE.records]
    rooms[2]["count"] = moves
    rooms[1]["seat"] = 2
    for name, value in private.items():
        rooms[1][name] = value
    return rooms, [room.ctypes.data for room in rooms]


def test_a_decision_of_one_at_a_time_shows_its_legal_moves_and_nothing_behind_them() -> None:
    policy = Tried(Scripted(4))
    rooms, addresses = filled(policy, 5)
    policy.lent.rules = "of a former game"
    assert policy.ask(*addresses) == 4
    public, own, choice, rules = policy.lent.slots.records
    assert choice["count"][0] == 5
    assert np.array_equal(choice["moves"][0][:5], rooms[2]["moves"][0][:5])
    assert not choice["moves"][0][5:].any(), "what is behind the legal moves is of former decisions"
    assert own["parameters"][0][-1] == 0
    assert np.array_equal(own["parameters"][0][:-1], rooms[1]["parameters"][0][:-1])
    assert (public[0].tobytes(), rules[0].tobytes()) == (rooms[0].tobytes(), rooms[3].tobytes())
    assert policy.lent.rules is None
    assert policy.lent.used[0] == 5


def test_of_what_a_policy_writes_its_memory_and_stream_alone_are_taken_back() -> None:
    policy = Tried(Scripted(0))
    rooms, addresses = filled(policy, 2)
    before = rooms[1].tobytes()

    def writing(channel: Any, start: int, count: int) -> tuple[int, str]:
        channel.slots.records[1].view(np.uint8)[:] = 7
        channel.slots.index[start] = 1
        return count, ""

    cast("Any", policy._process).exchange = writing
    assert policy.ask(*addresses) == 1
    changed = np.flatnonzero(np.frombuffer(before, np.uint8) != rooms[1].view(np.uint8))
    fields = cast("Any", rooms[1].dtype.fields)
    taken = [fields[name][1] + byte for name in ("rng", "memory") for byte in range(fields[name][0].itemsize)]
    assert changed.tolist() == sorted(taken)


def test_all_moves_of_a_decision_are_valued_with_the_first() -> None:
    script = Scripted(0, 0)
    policy = Tried(script)
    _, addresses = filled(policy, 3)
    policy.lent.slots.values[:4] = 1.5, np.inf, -2.0, 9.0
    values = [policy.value(index, *addresses) for index in range(3)]
    assert values == pytest.approx([1.5, np.nan, -2.0], nan_ok=True)
    assert script.asked == [0]
    policy.lent.slots.values[:3] = 4.0
    assert policy.value(2, *addresses) == -2.0, "of the decision that was asked last"
    assert policy.value(0, *addresses) == 4.0
    assert script.asked == [0, 0]


@contextmanager
def talking(code: int | None, answer: bytes, reached: int) -> Iterator[tuple[_Process, Channel, socket.socket]]:
    """Yield a process that has answered and reached a decision, and the other end of its channel."""
    process = _Process.__new__(_Process)
    own, other = socket.socketpair()
    process.sockets = [own]
    process._popen = cast("Any", SimpleNamespace(returncode=code, wait=lambda _seconds: None))
    channel = Channel(0, Slots(bytearray(Slots(None, INTERFACE).size), INTERFACE))
    if answer:
        other.send(answer)

    class Header(list[int]):
        def __setitem__(self, index: Any, value: Any) -> None:
            self.begun = value

        def __getitem__(self, index: Any) -> Any:
            return reached if index == 0 else -99

    channel.slots.header = cast("Any", Header())
    with own, other:
        yield process, channel, other


@pytest.mark.parametrize(
    ("code", "reached", "expected"),
    [(3, 6, (6, "ended its process (exit 3)")), (-11, 2, (4, "ended its process (signal 11)")),
     (0, 99, (8, "ended its process (exit 0)"))],
)  # fmt: skip
def test_a_process_that_ends_reports_its_decision_within_the_batch(
    code: int, reached: int, expected: tuple[int, str]
) -> None:
    with talking(code, b"", reached) as (process, channel, other):
        other.close()
        assert process.exchange(channel, 4, 9) == expected


def test_a_request_is_two_numbers_and_a_byte_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with talking(None, b".", 4) as (process, channel, other):
        assert process.exchange(channel, 4, 9) == (9, "")
        assert other.recv(64) == (4).to_bytes(8, "little") + (9).to_bytes(8, "little")
        assert cast("Any", channel.slots.header).begun == 4, "the count of decisions begins at the first"
        monkeypatch.setattr(isolation, "SECONDS", 0.02)
        assert process.exchange(channel, 4, 9) == (4, "did not decide within 0 s")


def test_what_a_process_says_is_read_line_by_line_and_never_without_end() -> None:
    read, write = os.pipe()
    process = _Process.__new__(_Process)
    with os.fdopen(read, "rb", buffering=0) as output:
        process._popen = cast("Any", SimpleNamespace(stdout=output))
        os.write(write, b"[]\n{}\n")
        assert [process.line(1.0), process.line(1.0)] == [b"[]\n", b"{}\n"]
        os.write(write, b"no end")
        with pytest.raises(ValueError, match="no line"):
            process.line(0.0)
        os.close(write)
        with pytest.raises(ValueError, match="no line"):
            process.line(1.0)


def test_places_are_named_by_game_and_seat() -> None:
    waits = np.zeros(3, [("place", "i8"), ("seat", "i8")])
    waits["place"], waits["seat"] = [4, 5, 9], [2, 0, 6]
    places = _Places(100, waits)
    assert len(places) == 3
    assert places[0] == "in game 104, seat 2"
    assert places[1:] == ["in game 105, seat 0", "in game 109, seat 6"]


WAITING = np.dtype([("place", "i8"), ("seat", "i8"), ("count", "i8")])


class Side:
    """A simulator of parallel games with scripted kernels: the number of games that wait after each call."""

    seats, seating, rules = 3, "seating", np.zeros(1, INTERFACE.records[3])[0]
    game_dtype = np.dtype([("answer", [("asked", "i8"), ("wrong", "i8")])])
    pick_dtype = np.dtype("i8")

    def __init__(self, *waits: int, policies: int = 1) -> None:
        self.waits, self.calls, self.taken, self.wrong = list(waits), list[Any](), list[Any](), list[Any]()
        self.side_by_side = SimpleNamespace(waiting=WAITING, play_on=self.play_on, hand_over=self.hand_over,
                                            take_answers=lambda *given: self.taken.append(given))  # fmt: skip
        self.tried = [Tried(Scripted(*[1] * 9)) for _ in range(policies)]
        self.isolated_policies = SimpleNamespace(
            policies=tuple(self.tried), later=np.array([-1, 0]), addresses="addresses"
        )
        self.line_up = SimpleNamespace(answering=lambda answer, numbered: nullcontext(), raise_wrong=self.raise_wrong)
        self.handing = [2, 0, 1]

    def play_on(self, *given: Any) -> int:
        self.calls.append(given)
        return self.waits.pop(0)

    def hand_over(self, _games: Any, waiting: Any, _later: Any, number: int, *given: Any) -> int:
        waiting["place"][:2], waiting["seat"][:2], waiting["count"][:2] = (4, 7), (0, 2), (3, 2)
        given[-1][:2] = 1, 0
        self.calls.append(("handed", number, [octets.dtype for octets in given[:3]], given[3]))
        return self.handing.pop(0)

    def raise_wrong(self, answer: Any, numbered: bool) -> None:
        self.wrong.append((answer["asked"], answer["wrong"], numbered))
        raise UserError("policy 'x' was wrong")


def test_games_side_by_side_play_on_until_none_waits() -> None:
    side, rows = Side(2, 0), np.zeros(3 * 1000)
    assert play_side_by_side(side, 30, rows, None, 0) == 0
    first, handed, second = side.calls
    games, rules, seating, addresses, waiting, progress, later, orders, number = first[:9]
    assert (len(games), len(waiting), len(progress), seating, addresses) == (SLOTS, SLOTS, 1, "seating", "addresses")
    assert rules is side.rules
    assert (later.tolist(), orders.shape, number) == ([-1, 0], (0, 0), 30)
    assert (len(first[9]), len(first[10]), len(first[11]), first[12]) == (3000, 0, 1000, 0)
    assert second[0] is games
    (policy,) = side.tried
    assert handed == ("handed", 0, [np.uint8] * 3, policy.lent.used)
    (taken,) = side.taken
    assert taken[0] is games
    assert taken[2] is policy.lent.slots.records[1], "what the policy may write is in the private record"
    assert (taken[3].tolist(), taken[4][:2].tolist(), taken[5]) == ([1, 1], [1, 0], 2)
    assert policy.lent.rules is side.rules
    assert not policy.failures.count
    few = Side(0)
    picks = np.arange(8)
    assert play_side_by_side(few, 0, np.zeros(6), picks, 1, [[1, 0, 2]]) == 0
    assert (len(few.calls[0][0]), few.calls[0][7].tolist(), few.calls[0][12]) == (2, [[1, 0, 2]], 1)
    assert few.calls[0][10] is picks


def test_what_waits_for_each_policy_is_decided_and_a_wrong_policy_of_this_process_is_raised() -> None:
    side = Side(2, 0, policies=3)
    play_side_by_side(side, 30, np.zeros(9), None, 0)
    assert [call[1] for call in side.calls if isinstance(call[0], str)] == [0, 1, 2]
    assert len(side.taken) == 2, "of the second nothing waited"
    side = Side(2, 0)
    side.tried[0]._process.answers[0] = 9  # type: ignore[union-attr]
    play_side_by_side(side, 30, np.zeros(9), None, 0)
    assert side.tried[0].failures.listed == ["in game 37, seat 2: returned 9, not one of 2 legal moves"]
    side = Side(-1)
    with pytest.raises(UserError, match="was wrong"):
        play_side_by_side(side, 30, np.zeros(9), None, 0)
    assert side.wrong == [(0, 0, True)]


def test_picks_of_games_are_moved_behind_each_other() -> None:
    """Three games with room for four picks each, of which they wrote 2, 0 and 3."""
    picks = np.array([11, 12, 0, 0, 0, 0, 0, 0, 31, 32, 33, 0])
    assert _close_gaps(picks, np.array([2, 0, 3])) == 5
    assert picks[:5].tolist() == [11, 12, 31, 32, 33]


def test_a_process_may_read_its_file_what_that_imports_and_data_named_after_it(tmp_path: Path) -> None:
    """It may not read the code of rivals in the same folder, or other files."""
    others = ("bold.npz", "bold-2.json", "bold_rival.py", "boldest.npz", "rival.py", "diary.txt", "part/far.py")
    for name in ("helper.py", "part/__init__.py", "part/more.py", *others):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "bold.py").write_text("import helper\nfrom part import more\n", encoding="utf-8")
    folder = tmp_path.resolve()
    found = confined_start._readable({"file": str(tmp_path / "bold.py")})
    named = {str(path.relative_to(folder)) for path in found if path.is_relative_to(folder)}
    assert named == {"bold.py", "helper.py", "part/__init__.py", "part/more.py", "bold.npz", "bold-2.json"}
    assert not [path for path in confined_start._readable({"file": None}) if path.is_relative_to(folder)]


def test_the_process_continues_after_a_decision_that_raises(slots: Slots, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of five decisions from the second on, the third and the fifth raise; the others return their number."""
    served: list[int] = []

    def serve(_address: Any, *given: Any) -> None:
        *_, index, header, start, count = given
        served.append(start)
        for place in range(start, count):
            if place in (2, 4):
                raise KeyError(f"{place}\n of 5")
            index[place], header[0] = 10 + place, place + 1

    monkeypatch.setattr(isolated_worker, "serve", serve)
    monkeypatch.setattr("wsim.jit.addresses_of", lambda _calls: [0])
    complaint: list[str | None] = [None]
    plugged: Any = SimpleNamespace(call=None, complaint=lambda _label: complaint[0])
    slots.header[0] = 1
    isolated_worker._decide(plugged, slots, None, 1, 5)
    assert slots.index[:5].tolist() == [0, 11, -1, 13, -1]
    assert (served, slots.header[0]) == ([1, 3, 5], 5)
    assert slots.reason() == "KeyError: '2\\n of 5'", "the first reason"
    complaint[0] = "policy '' raised ZeroDivisionError"
    isolated_worker._decide(plugged, slots, None, 0, 2)
    assert slots.reason() == "ZeroDivisionError", "what a policy in Python raised was caught where it is called"


def test_the_process_reads_requests_until_its_channel_is_closed(slots: Slots, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[int, int]] = []
    monkeypatch.setattr(isolated_worker, "_decide", lambda *given: made.append(given[-2:]))
    own, other = socket.socketpair()
    last = np.zeros(1, [("values", "f8", (len(slots.values),))])
    last["values"] = 2.5
    with own, other:
        for start, count in ((0, 256), (3, 70_000)):
            other.send(start.to_bytes(8, "little") + count.to_bytes(8, "little"))
        other.send(b"half")
        other.shutdown(socket.SHUT_WR)
        plugged: Any = SimpleNamespace(declaration=SimpleNamespace(values=False))
        isolated_worker._serve(plugged, slots, last, own.fileno())
        assert made == [(0, 256), (3, 70_000)]
        assert other.recv(9) == b".."
        assert not slots.values.any()
    own, other = socket.socketpair()
    plugged.declaration.values = True
    with own, other:
        other.send(bytes(16))
        other.shutdown(socket.SHUT_WR)
        isolated_worker._serve(plugged, slots, last, own.fileno())
        assert (slots.values == 2.5).all()


ALLOWED, DENIED, UNKNOWN = 0x7FFF0000, 0x00050001, 0x00050026  # by the kernel: run it; EPERM; ENOSYS


def ruled(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """Evaluate a system call filter for one call, as the kernel does (classic BPF)."""
    words = {0: number, 4: architecture} | {16 + 8 * place: value for place, value in enumerate((*arguments, 0, 0, 0))}
    steps, at, held = [struct.unpack("HBBI", program[i : i + 8]) for i in range(0, len(program), 8)], 0, 0
    while True:
        code, met, unmet, value = steps[at]
        at += 1
        if code == 0x06:
            return int(value)
        if code == 0x20:
            held = words[value]
        else:
            at += met if {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code] else unmet


@pytest.mark.parametrize(
    ("machine", "architecture", "clone"), [("x86_64", 0xC000003E, 56), ("aarch64", 0xC00000B7, 220)]
)
def test_the_filter_denies_the_calls_of_its_list_other_architectures_and_new_processes(
    machine: str, architecture: int, clone: int
) -> None:
    program = _filter([41, 42, 300], machine)
    assert [ruled(program, architecture, number) for number in (40, 41, 42, 43, 300)] == [
        *(ALLOWED, DENIED, DENIED, ALLOWED, DENIED)
    ]
    assert ruled(program, 0x40000003, 40) == DENIED, "calls of 32 bits have other numbers"
    assert ruled(program, architecture, 435) == UNKNOWN
    thread, process = 0x3D0F00, 0x01200011  # the flags of a thread of the C library, and of a fork
    assert (ruled(program, architecture, clone, thread), ruled(program, architecture, clone, process)) == (
        *(ALLOWED, DENIED),
    )
    if machine == "x86_64":
        assert ruled(program, architecture, 0x40000000 + 2) == DENIED, "the same calls once more, as x32"
        assert ruled(program, architecture, 0x3FFFFFFF) == ALLOWED


# The tables of system calls of Linux, entered a second time: of x86_64, then of aarch64 where it has the call.
NUMBERS = """
open 2 | fork 57 | vfork 58 | rename 82 | mkdir 83 | rmdir 84 | creat 85 | link 86 | unlink 87 | symlink 88 | chmod 90
chown 92 | lchown 94 | utime 132 | mknod 133 | utimes 235 | futimesat 261
shmget 29 194 | shmat 30 196 | socket 41 198 | connect 42 203 | sendto 44 206 | bind 49 200 | socketpair 53 199
execve 59 221 | kill 62 129 | semget 64 190 | msgget 68 186 | truncate 76 45 | ftruncate 77 46 | chdir 80 49
fchmod 91 52 | fchown 93 55 | ptrace 101 117 | rt_sigqueueinfo 129 138 | setpriority 141 140 | sched_setparam 142 118
sched_setscheduler 144 119 | setrlimit 160 164 | mount 165 40 | setxattr 188 5 | lsetxattr 189 6 | fsetxattr 190 7
removexattr 197 14 | lremovexattr 198 15 | fremovexattr 199 16 | tkill 200 130 | sched_setaffinity 203 122
getdents64 217 61 | tgkill 234 131 | mq_open 240 180 | keyctl 250 219 | ioprio_set 251 30 | openat 257 56
mkdirat 258 34 | mknodat 259 33 | fchownat 260 54 | unlinkat 263 35 | renameat 264 38 | linkat 265 37 | symlinkat 266 36
fchmodat 268 53 | unshare 272 97 | utimensat 280 88 | fallocate 285 47 | inotify_init1 294 26
rt_tgsigqueueinfo 297 240 | perf_event_open 298 241 | prlimit64 302 261 | open_by_handle_at 304 265 | setns 308 268
process_vm_readv 310 270 | process_vm_writev 311 271 | sched_setattr 314 274 | renameat2 316 276 | memfd_create 319 279
bpf 321 280 | execveat 322 281 | userfaultfd 323 282 | pidfd_send_signal 424 424 | io_uring_setup 425 425
pidfd_open 434 434 | openat2 437 437 | pidfd_getfd 438 438 | process_madvise 440 440 | fchmodat2 452 452
"""


def test_the_numbers_of_the_denied_calls_are_those_of_linux() -> None:
    entered = {}
    for call in NUMBERS.replace("\n", "|").split("|"):
        if call.strip():
            name, *numbers = call.split()
            entered[name] = (int(numbers[0]), int(numbers[1]) if numbers[1:] else -1)
    assert not set(_ALWAYS) & set(_AFTER_LOADING)
    assert entered == {**_ALWAYS, **_AFTER_LOADING}


@pytest.mark.parametrize(("machine", "architecture", "fcntl", "ioctl"), [
    ("x86_64", 0xC000003E, 72, 16), ("aarch64", 0xC00000B7, 25, 29)])  # fmt: skip
def test_no_descriptor_can_send_signals_to_others(machine: str, architecture: int, fcntl: int, ioctl: int) -> None:
    """F_SETOWN is 8, F_SETSIG 10, F_SETOWN_EX 15; FIOSETOWN 0x8901, SIOCSPGRP 0x8902."""
    program = _filter([41], machine)
    assert [ruled(program, architecture, fcntl, 5, asked) for asked in (3, 8, 9, 10, 15, 16)] == [
        *(ALLOWED, DENIED, ALLOWED, DENIED, DENIED, ALLOWED)
    ]
    assert [ruled(program, architecture, ioctl, 5, asked) for asked in (0x5401, 0x8901, 0x8902, 0x8903)] == [
        *(ALLOWED, DENIED, DENIED, ALLOWED)
    ]
    assert ruled(program, architecture, fcntl + 1, 5, 8) == ALLOWED


class Landlock:
    """A fake Landlock with an ABI version, which records all calls; ``failing``: the call that it rejects."""

    def __init__(self, version: int, failing: int = 0) -> None:
        self.version, self.failing = version, failing
        self.attributes, self.rules, self.calls = b"", list[tuple[int, bool]](), list[int]()

    def syscall(self, number: int, *given: Any) -> int:
        self.calls.append(number)
        if number == self.failing:
            return -1
        if number == 444 and given[0] is None:
            return self.version
        if number == 444:
            self.attributes = given[0]
            assert given[1].value == len(self.attributes)
            return os.open(os.devnull, os.O_RDONLY)
        if number == 445:
            rights, descriptor = struct.unpack("=Qi", given[2])
            self.rules.append((rights, stat.S_ISDIR(os.fstat(descriptor).st_mode)))
        return 0

    def prctl(self, *given: Any) -> int:
        self.calls.append(int(given[0]))
        return 0


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock")
@pytest.mark.parametrize(("version", "bits"), [(1, 13), (2, 14), (3, 15), (4, 15), (5, 16), (6, 16), (9, 16)])
def test_every_right_of_files_that_a_system_knows_is_denied_elsewhere(
    version: int, bits: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From version 4 on, connections by TCP too. Folders may be listed, their files read and run."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    system = Landlock(version)
    monkeypatch.setattr("ctypes.CDLL", lambda *_given, **_how: system)
    assert confinement._only_read([tmp_path, tmp_path / "file", tmp_path / "missing"])
    assert system.attributes == ((1 << bits) - 1).to_bytes(8, "little") + (b"\3" + bytes(7) if version >= 4 else b"")
    assert system.rules == [(13, True), (5, False)]
    assert system.calls == [444, 444, 445, 445, 38, 446], "no new privileges before it is restricted"
    for failing in (444, 446):
        refusing = Landlock(version, failing)
        monkeypatch.setattr("ctypes.CDLL", lambda *_given, made=refusing, **_how: made)
        assert not confinement._only_read([tmp_path])
    none = Landlock(0)
    monkeypatch.setattr("ctypes.CDLL", lambda *_given, **_how: none)
    assert not confinement._only_read([tmp_path])
    assert none.calls == [444]


def test_memory_and_files_are_limited_and_missing_limits_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: dict[str, tuple[int, int]] = {}
    refused: set[str] = set()

    def setrlimit(which: str, most: tuple[int, int]) -> None:
        if which in refused:
            raise OSError
        limits[which] = most

    system = SimpleNamespace(
        RLIMIT_AS="memory", RLIMIT_FSIZE="files", RLIMIT_CORE="core", setrlimit=setrlimit, getpagesize=lambda: 4096
    )
    monkeypatch.setitem(sys.modules, "resource", cast("Any", system))
    monkeypatch.setattr(Path, "read_text", lambda _path, encoding: "25 7 3")
    assert confinement._limit(10**6) == []
    assert limits == {"memory": (25 * 4096 + 10**6,) * 2, "files": (0, 0), "core": (0, 0)}
    refused |= {"memory", "core"}
    assert confinement._limit(10**6) == ["no memory limit"]
    monkeypatch.setitem(sys.modules, "resource", cast("Any", None))
    assert confinement._limit(10**6) == ["no memory limit"]
    denied: list[Any] = []
    for name, answer in (("_limit", ["no memory limit"]), ("_only_read", False), ("_drop_capabilities", None)):
        monkeypatch.setattr(confinement, name, lambda *_given, answer=answer: answer)

    def deny(calls: Any) -> bool:
        denied.append(calls)
        return False

    monkeypatch.setattr(confinement, "_deny", deny)
    assert confinement.confine([], 1) == [
        "no memory limit",
        "files can be read while the policy is loaded",
        "network access and new processes are not denied",
    ]
    confinement.confine_files()
    assert denied == [_ALWAYS, _AFTER_LOADING]


@pytest.mark.skipif(sys.platform != "linux", reason="seccomp")
@pytest.mark.parametrize(("machine", "place"), [("x86_64", 0), ("aarch64", 1)])
def test_the_whole_filter_of_the_machine_is_handed_to_the_system(
    machine: str, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, programs, refused = {"a": (41, -1), "b": (42, 7)}, list[bytes](), set[int]()

    def prctl(option: int, value: Any, address: Any, *_rest: Any) -> int:
        if option == 22:
            assert value.value == 2
            length, program = struct.unpack("HxxxxxxQ", ctypes.string_at(address.value, 16))
            programs.append(ctypes.string_at(program, 8 * length))
        else:
            assert (option, value.value) == (38, 1)
        return -1 if option in refused else 0

    monkeypatch.setattr("ctypes.CDLL", lambda *_given, **_how: SimpleNamespace(prctl=prctl))
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert confinement._deny(calls)
    assert programs == [_filter([numbers[place] for numbers in calls.values() if numbers[place] >= 0], machine)]
    for option in (22, 38):
        refused = {option}
        assert not confinement._deny(calls)
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert not confinement._deny(calls)


def test_the_process_of_a_policy_ends_after_that_of_wsim(monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy that hangs does not run for ever after wsim has been killed."""
    parents, ended = iter([7, 7, 1]), SystemExit("ended")

    def end(code: int) -> None:
        assert code == 0
        raise ended

    monkeypatch.setattr("os.getppid", lambda: next(parents))
    monkeypatch.setattr("os._exit", end)
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    with pytest.raises(SystemExit, match="ended"):
        confined_start._end_with(7)
    assert list(parents) == []


@pytest.mark.parametrize(
    ("wanted", "foreign", "elsewhere", "isolated"),
    [(None, False, False, False), (None, True, False, True), (None, False, True, True), (False, True, True, False),
     (True, False, False, True)],
)  # fmt: skip
def test_code_of_others_is_isolated_by_default(
    wanted: bool | None, foreign: bool, elsewhere: bool, isolated: bool
) -> None:
    """``elsewhere``: the code came in a run folder or an archive."""
    entry: Any = SimpleNamespace(path="run/files/mine.py" if elsewhere else None)
    asked, others = ISOLATED.set(wanted), FOREIGN.set(foreign)
    try:
        assert isolation.is_isolated(entry) == isolated
    finally:
        ISOLATED.reset(asked)
        FOREIGN.reset(others)


def test_what_decides_later_is_each_isolated_policy_that_picks_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries: trusted, isolated, isolated but valuing moves for a search, the first isolated one again, another."""

    class Process:
        interface = SimpleNamespace(later="later")

    one, two, valuing = Process(), Process(), Process()

    def plugged(call: Any, policy: Any, values: bool = False) -> Any:
        return SimpleNamespace(call=call, isolated=policy, declaration=SimpleNamespace(values=values))

    calls = [object() for _ in range(4)]
    given = {"a": plugged(calls[0], None), "b": plugged(calls[1], one), "c": plugged(calls[2], valuing, True),
             "d": plugged(calls[3], two)}  # fmt: skip
    functions = [calls[0], calls[1], calls[2], calls[1], calls[3]]
    line_up: Any = SimpleNamespace(plugged=given, functions=functions)
    monkeypatch.setattr("wsim.positions.side_by_side.addresses_of", lambda wanted: {"later": [99]}[wanted[0]])
    addresses = np.arange(10, 16, dtype=np.uint64)
    policies: Any = IsolatedPolicies.of(line_up, addresses)
    assert policies.policies == (one, two)
    assert policies.later.tolist() == [-1, 0, -1, 0, 1]
    assert policies.addresses.tolist() == [10, 99, 12, 99, 99, 15]
    assert addresses.tolist() == [10, 11, 12, 13, 14, 15]
    del given["b"], given["d"]
    assert IsolatedPolicies.of(line_up, addresses) is None


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities")
def test_every_capability_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The call uses version 3 of the interface for this process, with three empty sets of two words."""
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr("ctypes.CDLL", lambda _name: SimpleNamespace(capset=lambda *given: asked.append(given)))
    confinement._drop_capabilities()
    assert asked == [(struct.pack("Ii", 0x20080522, 0), bytes(2 * 3 * 4))]


def test_the_process_of_a_policy_keeps_neither_input_nor_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests and answers use duplicated descriptors; the standard streams are redirected before anything is read."""
    copied: list[tuple[int, int]] = []
    monkeypatch.setattr("os.dup", lambda descriptor: descriptor + 50)
    monkeypatch.setattr("os.open", lambda name, flags: {(os.devnull, os.O_RDWR): 77}[name, flags])
    monkeypatch.setattr("os.dup2", lambda old, new: copied.append((old, new)))
    ended = SystemExit("read")

    def line(descriptor: int) -> bytes:
        assert descriptor == 50
        raise ended

    monkeypatch.setattr(confined_start, "_line", line)
    with pytest.raises(SystemExit, match="read"):
        isolated_worker.main()
    assert sorted(copied) == [(77, 0), (77, 1), (77, 2)]


def test_the_engine_calls_a_policy_with_four_records_and_the_index_of_a_move_that_it_values() -> None:
    interface: Any = SimpleNamespace(calling_back=lambda function: function, valuing_back=lambda function: function)
    isolated: Any = SimpleNamespace(
        declaration=SimpleNamespace(values=False), interface=interface, ask=lambda *given: sum(given),
        value=lambda index, *given: index + sum(given) / 1000,
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolation, "JIT", True)
        assert Isolated.entry_point(isolated)(1, 2, 4, 1 << 63) == -(1 << 63) + 7, "addresses of 64 bits"
        isolated.declaration.values = True
        assert Isolated.entry_point(isolated)(3, 100, 200, 300, 400) == 4.0


def test_decisions_are_counted_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The count identifies the failed decision: of five decisions, begun from the second, the third raises."""
    made: list[tuple[Any, ...]] = []

    def call(*given: Any) -> int:
        if given[1] == "p2":
            raise KeyError
        made.append(given)
        return 40 + len(made)

    monkeypatch.setattr(isolation, "call", call)
    index, header = [0] * 5, [0]
    records = [[f"{name}{place}" for place in range(5)] for name in "poc"]
    serve = getattr(isolation.serve, "py_func", isolation.serve)
    with pytest.raises(KeyError):
        serve(99, *records, ["rules"], ["last"], index, header, 1, 5)
    assert (index, header) == ([0, 41, 0, 0, 0], [2])
    serve(99, *records, ["rules"], ["last"], index, header, 3, 5)
    assert (index, header) == ([0, 41, 0, 42, 43], [5])
    assert made[0] == (99, "p1", "o1", "c1", "rules", "last")


def test_a_process_ends_before_the_next_one_begins() -> None:
    """If the next process cannot be loaded, no process remains."""
    said: list[str] = []
    isolated: Any = SimpleNamespace(
        _process=SimpleNamespace(end=lambda: said.append("ended")), _start=lambda: said.append("begun"),
        failures=Failures("mine"),
    )  # fmt: skip
    Isolated._start_again(isolated)
    assert said == ["ended", "begun"]

    def refuse() -> None:
        raise UserError("no")

    isolated._start = refuse
    Isolated._start_again(isolated)
    assert (isolated._process, isolated.failures.ended) == (None, PROCESSES)
