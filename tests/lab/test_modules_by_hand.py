"""The modules that all of wsim uses: errors, limits, files, options, installed games, random words, text, by hand."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from wsim import files, forked, installed, options, rng
from wsim.display import is_numeric
from wsim.errors import MAX_SHOWN, Mistakes, UserError, nearest, printable, refuse_other_types, refuse_unprintable
from wsim.files import StoreError, bytes_within, explained, is_remote, json_of, refuse_outside, refuse_remote
from wsim.game import GAMES, Simulator, find_analysis, find_game
from wsim.installed import Installed, _entries_in, _loaded, _may_offer
from wsim.lab.plan import Plan
from wsim.limits import BrokenLimit, GameLimitError, Limit, limit_error_of
from wsim.options import Options, argument, at_least, names, option, option_words, short_number, typed, whole
from wsim.position import Position
from wsim.processors import usable_cpus
from wsim.text_tables import TextColumn, as_text

# --- errors and limits ----------------------------------------------------------------------------------------------


def test_mistakes_are_collected_once_and_in_order() -> None:
    mistakes = Mistakes()
    mistakes.raise_any()

    def fail() -> None:
        raise UserError("first\nalso: second")

    with mistakes.noted():
        fail()
    with mistakes.noted():
        pass
    mistakes.add("second")
    mistakes.add("third")
    assert mistakes.sentences == ["first", "second", "third"]
    with pytest.raises(UserError, match=r"^first\nalso: second\nalso: third$"):
        mistakes.raise_any()
    with pytest.raises(ValueError, match="other"), mistakes.noted():
        raise ValueError("other")
    for extra in (0, 1):
        many = Mistakes()
        for number in range(1 + MAX_SHOWN + extra):
            many.add(str(number))
        with pytest.raises(UserError) as caught:
            many.raise_any()
        lines = str(caught.value).splitlines()
        assert lines[1] == "also: 1"
        assert lines[MAX_SHOWN:] == [f"also: {MAX_SHOWN}", *["... and 1 more"] * extra]


def test_the_nearest_name_ignores_case() -> None:
    assert nearest("palce", ["Palace", "Altar"]) == " (did you mean 'Palace'?)"
    assert nearest("PALACE", ["Palace"]) == " (did you mean 'Palace'?)"
    assert nearest("xyz", ["Palace"]) == nearest("Palace", []) == ""


def test_control_characters_are_refused_and_escaped() -> None:
    for text in ("plain", "a\nb\tc", "\xe4"):
        refuse_unprintable(text, "the text")
    with pytest.raises(UserError, match=r"the text 'a\\nb' contains the control character '\\n'"):
        refuse_unprintable("a\nb", "the text", allowed="\t")
    with pytest.raises(UserError, match="is not valid UTF-8"):
        refuse_unprintable("\udc80", "the text")
    refuse_unprintable("\u2028", "the text")
    assert printable("a\x1b[0m\tb\nc\x7f\u202e\u2028\xe4") == "a\\u001b[0m\tb\nc\\u007f\\u202e\\u2028\xe4"


def test_values_of_other_types_are_refused() -> None:
    refuse_other_types(str, a="x", b=None)
    refuse_other_types(int, a=3, b=None)
    refuse_other_types(float, a=3, b=2.5)
    for kind, value, words in ((str, 3, "a string, not 3"), (int, 2.5, "a whole number, not 2.5"),
                               (int, True, "a whole number, not True"), (float, "x", "a number, not 'x'"),
                               (float, False, "a number, not False")):  # fmt: skip
        with pytest.raises(UserError, match=f"^given must be {words}$"):
            refuse_other_types(kind, given=value)


def test_a_broken_limit_in_one_sentence() -> None:
    limits = [Limit("as a result", "the formula"), Limit("coins", "the gain of coins")]
    most = limit_error_of(limits, BrokenLimit(1, 2, 0, 40_000, 32_767), "Altar", "in game 7")
    assert str(most) == (
        "in game 7, seat 2 reached 40,000 coins with Altar: at most 32,767 can be played; change the gain of coins"
    )
    assert (most.limit, isinstance(most, GameLimitError)) == ("coins", True)
    least = limit_error_of(limits, BrokenLimit(0, -1, -1, -40_000, -32_768), "", "in this game")
    assert str(least).startswith("in this game, the table reached -40,000 as a result: at least -32,768 can be played")
    first = limit_error_of(limits, BrokenLimit(0, 0, -1, 5, 4), "", "here")
    assert str(first).startswith("here, seat 0 reached 5")


# --- files ----------------------------------------------------------------------------------------------------------


def test_addresses_of_object_stores() -> None:
    for path, remote in (("s3://bucket/run", True), ("gs+x.y-1://b", True), ("run", False), ("C:\\run", False),
                         ("S3://b", False), ("/s3://b", False), ("1s://b", False)):  # fmt: skip
        assert is_remote(path) == remote
    refuse_remote("run")
    with pytest.raises(UserError, match=r"fetch it first, with wsim copy s3://bucket/run/ run$"):
        refuse_remote("s3://bucket/run/")


def test_paths_are_shown_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert files.shown_path(tmp_path / "a" / "b") == str(Path("a") / "b")
    assert files.shown_path(tmp_path.parent / "other") == str(tmp_path.parent / "other")


def test_errors_of_the_system_in_one_sentence() -> None:
    error = explained("write", Path("a"), OSError(28, "No space left on device"))
    assert str(error) == "cannot write 'a': No space left on device"
    polars = explained("read", Path("a"), ValueError("parquet: underlying IO error: Disk failed (os error 5)"))
    assert str(polars) == "cannot read 'a': Disk failed"
    assert isinstance(error, StoreError)
    assert str(explained("read", Path("a"), ValueError("odd"))) == "cannot read 'a': odd"


def test_a_file_is_replaced_at_the_end_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    files.write_text(path, "old \xe4")

    def fail() -> None:
        with files.writing(path) as temporary:
            temporary.write_text("half")
            assert temporary.name.startswith(".file.")
            assert path.read_text(encoding="utf-8") == "old \xe4"
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    files.write_bytes(path, b"new")
    assert path.read_bytes() == b"new"
    with pytest.raises(StoreError, match=r"cannot write '.*none/file': No such file or directory"):
        files.write_text(tmp_path / "none" / "file", "x")
    (tmp_path / ".left.1.tmp").touch()
    (tmp_path / ".kept").touch()
    assert files.visible(tmp_path) == ["file"]
    files.clean(tmp_path)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".kept", "file"]


def test_files_are_read_up_to_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * (2 << 20))
    assert len(bytes_within(path, 2 << 20)) == 2 << 20
    with pytest.raises(ValueError, match="it is larger than 1 MiB"):
        bytes_within(path, (2 << 20) - 1)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="it is not a regular file"):
        bytes_within(tmp_path / "pipe")
    with pytest.raises(IsADirectoryError):
        bytes_within(tmp_path)
    with pytest.raises(FileNotFoundError):
        bytes_within(tmp_path / "none")
    for text, said in (("{\n]", "line 2 is not JSON"), ("[" * 100_000, "nested too deeply|is not JSON")):
        with pytest.raises(ValueError, match=said):
            json_of(text)
    for name in ("/etc", "../a", "a/../b", "a\0", "a\\b"):
        with pytest.raises(ValueError, match="points outside the folder"):
            refuse_outside(name)
    refuse_outside("a/b..c")


# --- options --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked(Options):
    games: int = option("How many.", 10, check=at_least(1), aliases=("--deals", "--games"), metavar="N")
    who: tuple[str, ...] = option("Who.", (), names=("--who/--w",))
    share: float | None = option(lambda: "A share.", None, read=options.decimal)
    folder: Path = argument("Where.", "out", check=options.place)


def test_options_check_and_record_their_values() -> None:
    asked = Asked(games=3, who=["a", "b"])  # type: ignore[arg-type]
    assert (asked.who, asked.folder) == (("a", "b"), Path("out"))
    assert asked.record() == {"games": 3, "who": ["a", "b"], "share": None, "folder": "out"}
    assert Asked.restored({"deals": 5}).games == 5
    assert options.former_names(Asked) == {"deals": "games"}
    with pytest.raises(UserError, match=r"^games must be at least 1, not 0\nalso: share must be a number, not 'x'$"):
        Asked(games=0, share="x")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="games must be a whole number, not True"):
        Asked(games=True)
    assert [(name, given, default, text) for name, given, default, text in options.keywords_of(Asked)] == [
        ("games", "int", 10, "How many."), ("who", "str | Sequence[str]", (), "Who."),
        ("share", "float | None", None, "A share."), ("folder", "str | os.PathLike[str]", "out", "Where."),
    ]  # fmt: skip


def test_options_as_words_of_a_command() -> None:
    declared = options.options_of(Asked)

    def words(name: str, kind: str, *values: str) -> list[str]:
        return option_words(name, declared[name][1], kind, values)

    assert words("games", "int", "3") == ["--games", "3"]
    assert words("games", "int", "-3") == ["--games=-3"]
    assert words("who", "tuple[str, ...]", "a", "b") == ["--who", "a", "--who", "b"]
    assert words("share", "tuple[float, ...]", "1", "2") == ["--share", "1,2"], "read as a whole"
    assert words("who", "bool", "1") == ["--who"]


def test_values_have_the_type_of_their_option() -> None:
    assert typed("x", "tuple[str, ...]", ["a"]) == ("a",)
    assert typed("x", "tuple[int, ...]", [1, 2]) == (1, 2)
    assert typed("x", "float", 3) == 3
    assert typed("x", "int | None", None) is None
    assert typed("x", "int | str", object) is object
    for kind, value in (("tuple[int, ...]", ["a"]), ("tuple[int, ...]", True), ("tuple[str, ...]", 3),
                        ("tuple[str, ...]", ["a", 1]), ("bool", 1), ("str", 3), ("int", None)):  # fmt: skip
        with pytest.raises(UserError, match="x must be"):
            typed("x", kind, value)
    assert options.place("x", "a/b") == Path("a/b")
    for wrong in ("", "a\0b", 3):
        with pytest.raises(UserError, match="x must be a file or a folder, not"):
            options.place("x", wrong)


def test_numbers_are_written_in_many_ways() -> None:
    given = {"1e6": 10**6, "10k": 10_000, "2.5m": 2_500_000, "1,000": 1000, "1_000": 1000, "-3": -3, "+3": 3,
             "2.50k": 2500, "1.0": 1, "1e3": 1000, " 7 ": 7, "3K": 3000}  # fmt: skip
    assert {text: whole(text) for text in given} == given
    for text in ("1.5", "2.55e1", "x", "", "1e100", "k", "1" * 41, "1.5.5"):
        with pytest.raises(UserError, match="is not a whole number"):
            whole(text)
    assert [short_number(text) for text in ("-12", "9" * 9, "9" * 10, "+1", "", "1.0")] == [
        -12, 999_999_999, None, None, None, None
    ]  # fmt: skip
    assert (options.decimal("0.05"), names(" a, b,,c ")) == (0.05, ("a", "b", "c"))
    with pytest.raises(UserError, match=r"'x' is not a number: write it as 0\.05"):
        options.decimal("x")


def test_bounds_of_statistical_options() -> None:
    checks: list[tuple[Any, tuple[Any, ...], tuple[Any, ...]]] = [
        (options.confidence_level, (0.01, 0.99), (0, 1, -0.5, 2)),
        (options.half_width, (0.001, 5), (0, -1, float("inf"))),
        (options.error_rate, (0.01, 0.5), (0, 0.51)), (options.smallest_effect, (0.1,), (0, -1)),
        (options.spending_function, ("pocock", "obrien_fleming"), ("pokock",)), (at_least(2), (2, 3), (1,)),
    ]  # fmt: skip
    for check, accepted, rejected in checks:
        for value in accepted:
            assert check("x", value) == value
        for value in rejected:
            with pytest.raises(UserError):
                check("x", value)


# --- installed games ------------------------------------------------------------------------------------------------


def test_entry_points_are_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text('[other]\na = "x"\n[group]\nfirst = "m:A"  # note\n\nsecond="n:B"\n# c = "d"\n[last]\nb = "y"\n')
    assert _entries_in(file, "[group]") == {"first": "m:A", "second": "n:B"}
    assert _entries_in(file, "[none]") == {}


def test_own_entries_come_first_and_others_cannot_replace_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def others(group: str) -> dict[str, str]:
        asked.append(group)
        return {"a": "theirs", "z": "z:Z"}

    monkeypatch.setattr(installed, "_own_entries", lambda _group: {"b": "own:B", "a": "own:A"})
    monkeypatch.setattr(installed, "_entries_of_others", others)
    found = Installed("group")
    found["mine"] = "m:M"
    assert found["a"] == "own:A"
    assert asked == [], "own names need no metadata of other packages"
    assert list(found) == ["b", "a", "mine", "z"]
    assert (found["z"], len(found), asked) == ("z:Z", 4, ["group"])
    del found["z"]
    assert "z" not in found
    with pytest.raises(KeyError):
        found["none"]


def test_metadata_that_may_offer_something_is_recognised(tmp_path: Path) -> None:
    def offers(name: str, text: str | None = None, *, folder: bool = True) -> bool:
        path = tmp_path / name
        if folder:
            path.mkdir()
            if text is not None:
                (path / "entry_points.txt").write_text(text)
        else:
            path.touch()
        with os.scandir(tmp_path) as entries:
            return _may_offer(next(entry for entry in entries if entry.name == name), "g")

    assert offers("a-1.dist-info", "[g]\nx = y")
    assert not offers("b-1.dist-info", "[h]\n")
    assert not offers("c-1.dist-info")
    assert not offers("wsim-1.dist-info", "[g]\n")
    assert offers("d.egg")
    assert offers("e.egg-info", folder=False)
    assert not offers("module", "[g]\n")


def test_broken_entry_points_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    place = f"{__name__}:THING"
    monkeypatch.setitem(globals(), "THING", SimpleNamespace(NAME="mine"))
    assert _loaded("game", "mine", place, "GAME", "NAME").NAME == "mine"
    monkeypatch.setitem(globals(), "GAME", SimpleNamespace(NAME="mine"))
    assert _loaded("game", "mine", __name__, "GAME", "NAME").NAME == "mine"
    for name, location, sentence in (
        ("other", place, "calls itself 'mine'"),
        ("mine", "a:A and b:B", "several installed packages offer a game 'mine'"),
        ("mine", "no_such_module_x:A", "cannot be loaded from no_such_module_x:A: ModuleNotFoundError"),
        ("mine", f"{__name__}:none", "AttributeError"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=sentence):
            _loaded("game", name, location, "GAME", "NAME")
    with pytest.raises(UserError, match=r"unknown game 'seven_wonder' \(did you mean 'seven_wonders'\?\): wsim plays"):
        find_game("seven_wonder")
    with pytest.raises(UserError, match="unknown question 'macth'"):
        installed.load_question("macth")
    monkeypatch.setitem(GAMES, "mine", place)
    with pytest.raises(UserError, match=r"the installed game 'mine' is not a wsim\.game\.Game but"):
        find_game("mine")
    with pytest.raises(UserError, match=r"seven_wonders has no table of card .*did you mean 'cards'"):
        find_analysis(find_game("seven_wonders"), "card")
    assert find_analysis(find_game("seven_wonders"), "readings").about.startswith("results of seats that saw")


# --- games and positions in plain Python ----------------------------------------------------------------------------


class Count(Position):
    """A position in which the seats take turns to say a number, until there are three."""

    def __init__(self) -> None:
        self.simulator, self.said = object(), list[int]()

    @property
    def to_move(self) -> int | None:
        return None if len(self.said) == 3 else len(self.said) % 2

    def moves(self) -> Any:
        return [{"seat": self.to_move, "say": number} for number in range(2)]

    def take(self, index: int) -> None:
        self.said.append(index)

    def follow(self) -> int:
        self.said.append(1)
        return 1

    def chosen_by(self, simulator: Any, seed: int, number: int = 0) -> int:
        return int((seed + number) % 2)

    def scores(self) -> Any:
        return [{"seat": 0, "total": sum(self.said), "win_share": 1.0}, {"seat": 1, "total": -1, "win_share": 0.0}]

    def view(self, seat: int | None) -> Any:
        return {"said": self.said, "long": "word " * 30}

    def redrawn(self, seat: int, seed: int, number: int = 0) -> Any:
        return self.clone()

    def standing(self) -> Any:
        return []


def test_defaults_of_positions() -> None:
    first: Any = Count()
    first.take(0)
    copy = first.clone()
    copy.take(1)
    assert (first.said, copy.said, copy.simulator is first.simulator) == ([0], [0, 1], True)
    assert (first.asks(), first.obstacles(), first.columns()) == ("move", {}, ())
    assert first.observation(0, 3).tolist() == [0, 0, 0]
    lines = first.text(0)
    assert lines[0] == "said: [0]"
    assert max(map(len, lines)) <= 80
    assert lines[2].startswith("  word")
    outcomes = first.play_out(None, 2, None, 4)
    assert outcomes.shape == (2, 2, 2)
    assert outcomes[0].tolist() == [[1.0, 1.0], [-1.0, 0.0]], "0, then 4 and 5 modulo 2"
    assert first.said == [0]


def test_defaults_of_simulators() -> None:
    plan = SimpleNamespace(game="mine", ruleset="r", seed=5, rotate=True)
    table: Any = SimpleNamespace(plan=plan, labels=("a", "b"), begin=lambda _number: Count())
    trace = Simulator.trace(table, 3)
    assert [move["say"] for move in trace["moves"]] == [1, 1, 1]
    assert trace["seats"] == [{"policy": "b"}, {"policy": "a"}]
    assert (trace["game"], trace["index"], trace["seed"], trace["scores"][0]["total"]) == ("mine", 3, 5, 3)
    plan.rotate = False
    assert Simulator.trace(table, 3)["seats"] == [{"policy": "a"}, {"policy": "b"}]
    table.phrase = lambda move: Simulator.phrase(table, move)
    assert table.phrase({"seat": 0, "index": 2, "say": 1, "to": "x"}) == "say 1, to x"
    assert Simulator.text(table, trace).splitlines() == [
        "Game 3: seat 0 b, seat 1 a", "seat 0: say 1", "seat 1: say 1", "seat 0: say 1", "Scores: seat 0 3, seat 1 -1"
    ]  # fmt: skip
    with pytest.raises(UserError, match="a position of mine cannot be described"):
        Simulator.set_up(table, {})
    played: list[Any] = []
    table.plan = SimpleNamespace(line_up=("x", "y"))
    table.seats = 2
    table.with_line_up = lambda entries: SimpleNamespace(
        play=lambda first, rows: played.append((entries, first, rows.tolist()))
    )
    Simulator.play_seated(table, 10, np.arange(4), np.array([[1, 0], [0, 1]]))
    assert played == [(["y", "x"], 10, [0, 1]), (["x", "y"], 11, [2, 3])]


# --- random words ---------------------------------------------------------------------------------------------------


def plain(kernel: Any) -> Any:
    return getattr(kernel, "py_func", kernel)


@pytest.fixture
def _uncompiled(monkeypatch: pytest.MonkeyPatch) -> Any:
    for name in ("mix", "_word"):
        monkeypatch.setattr(rng, name, plain(getattr(rng, name)))
    with np.errstate(over="ignore"):
        yield


FIRST = (0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F)
"""The first words of SplitMix64 from state 0, as published with it."""


@pytest.mark.usefixtures("_uncompiled")
def test_words_are_those_of_splitmix64() -> None:
    mix = plain(rng.mix)
    assert [int(mix(np.uint64(number) * rng.GAMMA)) for number in (1, 2, 3)] == list(FIRST)
    assert mix(np.uint64(0)) == 0
    holder = SimpleNamespace(rng=np.uint64(0))
    assert plain(rng.below)(holder, 6) == 5, "0xE220A839 of 2**32, times six"
    assert plain(rng.below)(holder, 100) == 43, "0x6E789E6A of 2**32 is 0.4315"
    assert plain(rng.uniform)(holder) == (FIRST[2] >> 11) / 2**53
    plain(rng.seek)(holder, np.uint64(7), 2)
    assert int(holder.rng) == (7 + (2 << 16) * int(rng.GAMMA)) % 2**64


@pytest.mark.usefixtures("_uncompiled")
def test_games_and_seats_have_words_of_their_own() -> None:
    """With secret words of 0 the word of game 0 is 0; the first secret word is added before and after."""
    zero = SimpleNamespace(keys=np.zeros(4, np.uint64))
    assert plain(rng.deal_word)(zero, 0) == 0
    mixed = SimpleNamespace(keys=np.array([rng.GAMMA, FIRST[0], 0, FIRST[0]], np.uint64))
    assert plain(rng.deal_word)(mixed, 0) == rng.GAMMA
    assert plain(rng.seat_word)(mixed, 0, 1) == 0
    gamma = plain(rng.mix)(np.uint64(FIRST[0]))
    assert plain(rng.seat_word)(zero, 0, 1) == gamma
    words = {int(plain(rng.seat_word)(mixed, game, seat)) for game in range(3) for seat in range(3)}
    assert len(words) == 9
    assert plain(rng.redrawn_deal_word)(3, 5) != plain(rng.redrawn_deal_word)(4, 5)
    assert plain(rng.redrawn_seat_word)(3, 5, 0) != plain(rng.redrawn_deal_word)(3, 5)
    keys = [rng.keys_of(seed).tolist() for seed in (0, 1, 2**64, -1, 2**64 - 1)]
    assert len(keys[0]) == rng.KEYS
    assert keys[0] == keys[2] != keys[1]
    assert keys[3] == keys[4]


# --- forks, processors, text ----------------------------------------------------------------------------------------


def test_a_fork_with_threads_of_polars_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forks = forked._Forks()
    monkeypatch.setitem(sys.modules, "polars", cast("Any", None))
    for names_, threads in (((b"python",), False), ((b"polars-ooc-x",), False), ((b"python", b"polars-0"), True)):
        task = tmp_path / str(threads) / str(len(names_[0]))
        for number, name in enumerate(names_):
            (task / str(number)).mkdir(parents=True)
            (task / str(number) / "comm").write_bytes(name)
        monkeypatch.setattr("pathlib.Path.iterdir", lambda _path, task=task: (Path(e) for e in os.scandir(task)))
        forks.look()
        assert forks.threads_before == threads
    forks.begin_child()
    assert forks.without_threads
    monkeypatch.setattr(forked, "_FORKS", forks)
    with pytest.raises(UserError, match="this process was forked from one that had already made tables"):
        forked.refuse_forked()
    monkeypatch.delitem(sys.modules, "polars")
    forks.look()
    forks.begin_child()
    assert (forks.threads_before, forks.without_threads) == (False, True)


def test_processors_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0, 3}, raising=False)
    assert usable_cpus() == 2
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cpus() == 1


def test_columns_with_gaps_are_numeric_and_too_few_columns_become_lines() -> None:
    assert is_numeric([1, None, 2.5])
    assert is_numeric([])
    assert not is_numeric([1, "x"])
    assert not is_numeric([True])
    columns = [TextColumn(name, (name,), (name * 9,), right=False) for name in "abcd"]
    assert as_text(columns, 31).hidden == ("d",)
    assert as_text(columns, 30).hidden == ("c", "d")
    assert as_text(columns, 31, ("a", "b", "c", "d")).hidden == ("d",)
    assert as_text(columns, 30, ("a", "b", "c")).lines[0] == "a: aaaaaaaaa", "three important columns do not fit"


def test_seeds_have_64_bits() -> None:
    for seed in (0, 2**64 - 1):
        assert Plan.make(seed=seed).seed == seed
    for seed in (-1, 2**64):
        with pytest.raises(UserError, match="seed"):
            Plan.make(seed=seed)
