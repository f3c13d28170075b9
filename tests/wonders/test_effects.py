"""Effects in Python: functions of a file that formulas call (docs/effects.md)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from textwrap import dedent
from threading import Barrier

import pytest

import wsim
from tests.wonders.extremes import Case, compare_case
from wsim.cli.app import main
from wsim.errors import UserError
from wsim.files import StoreError
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.learn.harvest import harvest_of
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.listing import card_rows
from wsim.wonders.game import GAME
from wsim.wonders.simulator import WondersSimulator
from wsim.workbench.forms import form_of
from wsim.workbench.questions import code_in
from wsim.workbench.queue_of_questions import begin_worker

ROOT = Path(__file__).parents[2]
CENSUS = ROOT / "analysis" / "expansion" / "census.toml"
FUNCTIONS = """
    import numpy as np

    def flat(table, own, other):
        return 3

    def richest(table, own, other, more):
        return table.cities[own].coins + more

    def divided(table, own, other):
        return table.age // (table.players - 4)

    def outside(table, own, other):
        return table.cities[own + 8].coins

    def half(table, own, other):
        return table.age / 2

    def whole(table, own, other):
        return table

    def sure(table, own, other):
        assert table.age > 3
        return 0

    def usual(table, own, other, more=2):
        return more

    def vast(table, own, other):
        return np.uint64(2**63)

    def odd(table, own, other):
        return table.hand

    class Unheard(Exception):
        pass

    def raising(table, own, other):
        if table.age == 1:
            raise Unheard("of its own")
        return 0

    def writing(table, own, other):
        table.cities[own].coins = 1000
        table.age = 3
        return 0
"""


def patch(folder: Path, amount: str, functions: str = FUNCTIONS) -> Path:
    """Write a patch in which the Palace gains coins when it is built, and its file of functions."""
    (folder / "mine.py").write_text(dedent(functions))
    path = folder / "patch.toml"
    path.write_text(
        f'effects = "mine.py"\n[cards.Altar]\nwhen = [{{ event = "built", gain = {{ coins = "{amount}" }} }}]\n'
    )
    return path


def played(path: Path, games: int = 3) -> list[int]:
    """Return the totals of games with a patch."""
    simulator = GAME.prepare(Plan.make(patch=[str(path)], policies="random", games=games, rotate=False))
    return [seat["total"] for number in range(games) for seat in simulator.trace(number)["scores"]]


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 7])
def test_functions_are_played_as_the_twin_plays_them(players: int) -> None:
    compare_case(Case(1, "1e", players, (), (str(CENSUS),)), games=3)


@pytest.mark.slow
def test_a_function_counts_as_the_number_that_it_returns(tmp_path: Path) -> None:
    assert played(patch(tmp_path, "mine.flat(least=0, most=5)")) == played(patch(tmp_path, "3"))
    assert played(patch(tmp_path, "mine.richest(2, least=0, most=900) // 2")) == played(
        patch(tmp_path, "(coins + 2) // 2")
    )


@pytest.mark.slow
def test_writes_of_a_function_are_discarded(tmp_path: Path) -> None:
    assert played(patch(tmp_path, "mine.writing(least=0, most=0)")) == played(patch(tmp_path, "0"))


def test_catalogues_describe_functions(tmp_path: Path) -> None:
    catalogue = load_catalogue("1e", patches=[patch(tmp_path, "1 + mine.richest(red, least=0, most=9)")])
    (altar,) = [row for row in card_rows(catalogue) if row["name"] == "Altar"]
    assert "gains (1 plus (0 to 9, computed by richest of mine.py for own red cards)) coins" in altar["effects"]


def test_a_changed_file_is_a_different_game(tmp_path: Path) -> None:
    path = patch(tmp_path, "mine.flat(least=0, most=5)")
    plan = Plan.make(patch=[str(path)])
    before = load_catalogue("1e", patches=[path]).digest, plan.digest
    patch(tmp_path, "mine.flat(least=0, most=5)", FUNCTIONS.replace("return 3", "return 4"))
    assert load_catalogue("1e", patches=[path]).digest != before[0]
    assert plan.digest != before[1]


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        ("mine.flat()", "unknown function 'mine.flat'; accepted: min, max, abs, count, sets, or a function from"),
        ("mine.flat(least=0)", "a function from a file needs the bounds of its result"),
        ("mine.flat(least=5, most=0)", "accepted: mine.flat(..., least=0, most=5)"),
        ("mine.flat(least=0, most=red)", "two whole numbers"),
        ("mine.flat(1, 2, 3, 4, 5, least=0, most=1)", "takes at most 4 numbers"),
        (
            "mine.flat(red, least=0, most=1)",
            "flat takes 3 arguments but would be called with 4: table, own",
        ),
        ("mine.usual(least=0, most=2)", "usual takes 4 arguments but would be called with 3"),
        ("mine.richest(least=0, most=1)", "richest takes 4 arguments but would be called with 3"),
        (
            "mine.flet(least=0, most=1)",
            "mine.py has no function 'flet' (did you mean 'flat'?); accepted: flat, richest",
        ),
        ("mini.flat(least=0, most=1)", "no `effects` names mini.py (did you mean 'mine'?)"),
        ("mine.flat(least=-1, most=1)", "could be -1, and less than 0 is not accepted; accepted: max(0, ...)"),
    ],
)
def test_mistakes_in_calls_are_sentences(tmp_path: Path, amount: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        played(patch(tmp_path, amount))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ('"other.py"', "effects: the file '{folder}/other.py' does not exist"),
        (
            '"../mine.py"',
            "effects: '../mine.py' is not accepted; accepted: the name of a Python file in the same folder",
        ),
        ("3", "effects: 3 is not accepted"),
        ('"broken.py"', "effects: broken.py is not Python, line 1: "),
    ],
)
def test_mistakes_in_naming_a_file_are_sentences(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "broken.py").write_text("def flat(:\n")
    path = tmp_path / "patch.toml"
    path.write_text(f"effects = {name}\n")
    with pytest.raises(UserError) as refused:
        load_catalogue("1e", patches=[path])
    assert said.format(folder=tmp_path) in str(refused.value)


def test_house_rules_call_no_functions(tmp_path: Path) -> None:
    path = patch(tmp_path, "mine.flat(least=0, most=5)")
    with pytest.raises(UserError, match=r"functions of a file work only in `when` of cards and stages"):
        load_catalogue("1e", patches=[path], changes=["settings.sale_coins='mine.flat(least=0, most=5)'"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "said"),
    [
        (
            "flat(least=0, most=2)",
            "'flat' of mine.py, which Altar calls, returned 3, outside its declared range 0 to 2, in game ",
        ),
        (
            "vast(least=0, most=2)",
            "'vast' of mine.py, which Altar calls, returned a 19-digit number, outside its declared range 0 to 2",
        ),
        ("divided(least=0, most=2)", "'divided' of mine.py, which Altar calls, raised ZeroDivisionError"),
        ("outside(least=0, most=2)", "'outside' of mine.py, which Altar calls, raised IndexError"),
        ("sure(least=0, most=2)", "'sure' of mine.py, which Altar calls, raised AssertionError, in game"),
        ("raising(least=0, most=2)", "'raising' of mine.py, which Altar calls, raised Unheard: of its own"),
    ],
)
def test_a_function_that_fails_is_named_with_card_and_game(tmp_path: Path, function: str, said: str) -> None:
    path = patch(tmp_path, f"mine.{function}")
    with pytest.raises(UserError) as refused:
        GAME.prepare(Plan.make(patch=[str(path)], policies="random")).trace(0)
    assert said in str(refused.value)
    assert str(refused.value).endswith(", in game 0")


@pytest.mark.slow
def test_games_that_fail_at_once_in_several_threads_each_report_what_failed(tmp_path: Path) -> None:
    said = {
        "divided": "raised ZeroDivisionError",
        "raising": "raised Unheard: of its own",
        "flat": "returned 3, outside",
    }
    games = []
    for function in said:
        (folder := tmp_path / function).mkdir()
        path = patch(folder, f"mine.{function}(least=0, most=2)")
        games.append(GAME.prepare(Plan.make(patch=[str(path)], policies="random")))
    together = Barrier(len(games))

    def failed(place: int) -> str:
        together.wait()
        with pytest.raises(UserError) as refused:
            games[place].trace(0)
        return str(refused.value)

    for _ in range(5):
        with ThreadPoolExecutor(len(games)) as threads:
            sentences = list(threads.map(failed, range(len(games))))
        for (function, words), sentence in zip(said.items(), sentences, strict=True):
            assert f"'{function}' of mine.py, which Altar calls, {words}" in sentence


@pytest.mark.slow
def test_a_run_whose_effect_fails_is_reported_in_one_sentence_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for function, words in (
        ("flat", "returned 3, outside its declared range 0 to 2"),
        ("raising", "raised Unheard: of its own"),
    ):
        path = patch(tmp_path, f"mine.{function}(least=0, most=2)")
        said = said_of(
            ["run", "--patch", path.name, "--games", "600", "--policies", "random", "--threads", "2", "--out", "out"],
            capsys,
        )
        said = said.removeprefix("compiling (once per version of wsim, 12 to 36 s) ...\n")
        said = said.removeprefix("wsim: trusted, in the process of wsim: mine.py\n")
        assert said.startswith(f"wsim: '{function}' of mine.py, which Altar calls, {words}")
        assert said.count("\n") == 1
        assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_learning_from_a_game_whose_effect_fails_is_reported_in_one_sentence(tmp_path: Path) -> None:
    keys = {"ruleset": "1e", "players": 4, "patch": [str(patch(tmp_path, "mine.raising(least=0, most=2)"))]}
    make = harvest_of(keys, ["balanced"] * 4, ("balanced", "balanced"), (1, 4, 7, 0))[0]
    with pytest.raises(UserError, match=r"'raising' of mine.py, which Altar calls, raised Unheard: of its own"):
        make(range(3))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("half", "the effect 'half' of mine.py returns float64, not a whole number"),
        ("odd", "the effect 'odd' of mine.py cannot be compiled: "),
        ("whole", "the effect 'whole' of mine.py returns a record, not a whole number"),
    ],
)
def test_functions_that_cannot_be_compiled_get_one_sentence(tmp_path: Path, function: str, said: str) -> None:
    path = patch(tmp_path, f"mine.{function}(least=0, most=9)")
    with pytest.raises(UserError) as refused:
        GAME.prepare(Plan.make(patch=[str(path)], policies="random"))
    assert said in str(refused.value)


def test_random_numbers_are_refused(tmp_path: Path) -> None:
    code = """
        import numpy as np

        def luck(table, own, other):
            return np.random.randint(3)
    """
    path = patch(tmp_path, "mine.luck(least=0, most=3)", code)
    with pytest.raises(UserError, match=r"the effect 'luck' of mine.py uses random numbers"):
        GAME.prepare(Plan.make(patch=[str(path)], policies="random"))


@pytest.mark.slow
def test_reading_executes_nothing(tmp_path: Path) -> None:
    trap = "import pathlib\npathlib.Path(__file__).with_name('ran').touch()\n" + dedent(FUNCTIONS)
    path = patch(tmp_path, "mine.flat(least=0, most=5)", trap)
    load_catalogue("1e", patches=[path])
    plan = Plan.make(patch=[str(path)], policies="random")
    assert plan.code == (str(tmp_path / "mine.py"),)
    assert plan.digest
    assert not (tmp_path / "ran").exists()
    GAME.prepare(plan)
    assert (tmp_path / "ran").exists()


def said_of(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that is rejected and return its error message."""
    with pytest.raises(SystemExit) as left:
        main(list(words))
    assert left.value.code == 2
    return capsys.readouterr().err


@pytest.mark.slow
def test_a_run_keeps_the_file_and_asks_before_it_runs_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    there = tmp_path / "there"
    there.mkdir()
    (there / "helper.py").write_text("from wsim.wonders.kit import kernel\n\n@kernel\ndef three():\n    return 3\n")
    code = "from helper import three\n\ndef flat(table, own, other):\n    return three()\n"
    path = patch(there, "mine.flat(least=0, most=5)", code)
    plan = Plan.make(patch=[str(path)], policies="random", games=4)
    run = record(plan, "run", threads=1)
    shutil.rmtree(there)
    sys.modules.pop("helper", None)
    for words in (["rerun", "run"], ["trace", "run", "1"], ["advise", "run", "1"], ["run", "--resume", "run"]):
        refused = said_of([*words, "--quiet"], capsys)
        assert "its effects in Python, run/files/1/mine.py: if you trust" in refused, words
        assert "--trust" in refused
    with pytest.raises(UserError, match=r"its effects in Python, .*mine.py: if you trust it"):
        run.trace(1)
    main_ends(["verify", "run"])
    for mode, said in (("--trusted", "trusted, in the process of wsim"), ("", "isolated, in a process of its own")):
        main_ends([*filter(None, [mode]), "rerun", "run", "--trust"])
        repeated = capsys.readouterr()
        assert "repeated is the same" in repeated.out
        assert f"{said}: mine.py" in repeated.err
    kept = tmp_path / "run" / "files" / "1"
    assert sorted(file.name for file in kept.iterdir() if file.is_file()) == ["helper.py", "mine.py", "patch.toml"]
    (kept / "mine.py").write_text("def flat(table, own, other):\n    return 4\n")
    with pytest.raises(StoreError, match=r"files/1/mine\.py is missing or was changed after it was written"):
        wsim.load_run("run")


def main_ends(words: Sequence[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    assert not left.value.code


@pytest.mark.slow
def test_effects_of_a_process_of_the_workbench_are_isolated_unless_it_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan.make(patch=[str(patch(tmp_path, "mine.flat(least=0, most=5)"))], policies="random")

    def isolated_there(*words: str) -> Sequence[str]:
        monkeypatch.setattr(sys, "argv", ["worker", *words])
        begin_worker()
        simulator = GAME.prepare(plan)
        assert isinstance(simulator, WondersSimulator)
        return simulator.isolated_effects

    assert copy_context().run(isolated_there, "--trusted") == []
    assert copy_context().run(isolated_there) == ["mine.py"]


@pytest.mark.slow
def test_a_position_opens_no_file_of_effects(tmp_path: Path) -> None:
    game = wsim.Game(Plan.make(patch=[str(patch(tmp_path, "mine.flat(least=0, most=5)"))], policies="random"))
    with pytest.raises(UserError, match="files that a position names are not opened"):
        wsim.Game.from_json(game.to_json())


def test_the_change_of_a_whatif_includes_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = patch(tmp_path, "mine.flat(least=0, most=5)")
    answer = wsim.whatif(patch=[str(path)], policies="random", budget=20, threads=1)
    answer.write(tmp_path / "answer.json")
    refused = said_of(["rerun", str(tmp_path / "answer.json"), "--quiet"], capsys)
    assert "its effects in Python" in refused


@pytest.mark.parametrize("field", ["patch", "change_files"])
def test_the_workbench_asks_before_a_question_runs_a_file(tmp_path: Path, field: str) -> None:
    path = patch(tmp_path, "mine.flat(least=0, most=5)")
    assert code_in(form_of("whatif"), {field: [str(path)]}) == [str(tmp_path / "mine.py")]


@pytest.mark.slow
def test_without_the_jit_functions_play_the_same() -> None:
    code = "import json; from tests.wonders.test_effects import CENSUS, played; print(json.dumps(played(CENSUS)))"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == played(CENSUS)
