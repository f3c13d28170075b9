"""A run folder is self-contained: its files are stored by content, and it can be read after the originals are gone."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import wsim
from tests.conftest import Command
from tests.tiers import first_quick
from wsim import Plan, UserError
from wsim.files import StoreError
from wsim.lab.run import record
from wsim.lab.store import load_run
from wsim.policies import user_policies


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play a run with relative files and then delete these; ``RAN`` names the file that its code writes."""
    folder = tmp_path_factory.mktemp("made")
    home = folder / "home"
    (home / "mine").mkdir(parents=True)
    (home / "pp.toml").write_text("[cards.Palace]\npoints = 30\n")
    (home / "mine" / "bold.py").write_text(
        "import os\nimport pathlib\nfrom beside import LAST\nimport wsim\n"
        "pathlib.Path(os.environ['RAN']).touch()\n"
        "@wsim.policy(python=True)\ndef last(public, own, choice, rules):\n    return choice.count - LAST\n"
    )
    (home / "mine" / "beside.py").write_text("LAST = 1\n")
    (home / "w.toml").write_text("[mine]\nextends = 'military'\nshield = 9.0\n")
    line_up = ["mine/bold.py:last", "weighted:file=w.toml", "balanced", "random"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        patch.setenv("RAN", str(folder / "ran"))
        record(Plan.make(games=12, patch="pp.toml", policies=line_up, picks=True), "r", shard=5)
    shutil.move(home / "r", folder / "r")
    shutil.rmtree(home)
    sys.modules.pop("beside", None)
    return folder / "r"


@pytest.fixture
def made(once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the run and change to a different working folder; its code creates ``ran`` next to the copy."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("RAN", str(tmp_path / "ran"))
    return shutil.copytree(once, tmp_path / "r")


def test_every_file_is_stored_by_content(made: Path) -> None:
    files = sorted(path.relative_to(made).as_posix() for path in (made / "files").rglob("*") if path.is_file())
    own = ["files/0/cards.toml", "files/1/pp.toml"]
    assert files == [*own, "files/2/beside.py", "files/2/bold.py", "files/3/w.toml"]
    catalogue = json.loads((made / "catalogue.json").read_text())
    assert catalogue["cards"]["Palace"]["points"] == 30
    told = json.loads((made / "run.json").read_text())
    assert told["places"]["mine/bold.py"] == "files/2/bold.py"
    assert {"system", "machine", "processors", "python", "numba", "polars"} <= set(told["sessions"][-1])
    assert told["sessions"][-1]["games"] == 12


@first_quick(2, "words", [("cards",), ("table",), ("verify",), ("report", "-q")])
def test_a_run_can_be_read_from_anywhere_without_running_code(
    made: Path, wsim_command: Command, words: tuple[str, ...]
) -> None:
    command, *more = words
    answer = wsim_command(command, str(made), *more)
    assert (answer.code, answer.err) == (0, "")
    assert not (made.parent / "ran").exists()


def test_a_file_with_the_same_name_outside_is_not_read(made: Path, wsim_command: Command) -> None:
    before = wsim_command("cards", str(made))
    Path("pp.toml").write_text("this is no patch")
    assert wsim_command("cards", str(made)) == before
    assert load_run(made).plan.path_of("pp.toml") == str(made / "files/1/pp.toml")


@pytest.mark.slow
@pytest.mark.parametrize("words", [("run", "--resume"), ("trace",)])
def test_code_of_a_folder_is_run_only_if_trusted(made: Path, wsim_command: Command, words: tuple[str, ...]) -> None:
    doing = "traced" if words == ("trace",) else "resumed"
    answer = wsim_command(*words, str(made))
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        f"wsim: {str(made)!r} cannot be {doing} without running its policy code, mine/bold.py:last: if you trust "
        f"the code in {made}/files/2/bold.py, add --trust, or name your own with --policies\n"
    )
    assert not (made.parent / "ran").exists()
    assert "cannot be loaded" in wsim_command(*words, str(made), "--trust").err  # isolated: no environment, no files
    assert not (made.parent / "ran").exists()
    assert wsim_command("--trusted", *words, str(made), "--trust").code == 0
    assert (made.parent / "ran").exists()


def test_code_that_differs_from_the_run_is_rejected_before_it_runs(made: Path, wsim_command: Command) -> None:
    Path("mine").mkdir()
    Path("mine/bold.py").write_text("import pathlib\npathlib.Path('evil').touch()\n")
    line_up = "mine/bold.py:last,weighted:file=w.toml,balanced,random"
    shutil.copy(made / "files/3/w.toml", "w.toml")
    answer = wsim_command("run", "--resume", str(made), "--games", "20", "--policies", line_up)
    assert answer.code == 2
    assert "contains a different run: plan.policies is" in answer.err
    assert not Path("evil").exists()


@pytest.mark.slow
def test_resuming_and_rerunning_give_the_same_files(made: Path, wsim_command: Command) -> None:
    assert wsim_command("--trusted", "run", "--resume", str(made), "--trust", "--games", "20", "-q").code == 0
    assert (
        wsim_command(
            "--trusted", "run", "--plan", str(made / "plan.toml"), "--worth", "0", "--games", "20", "-o", "again"
        ).code
        == 0
    )
    resumed, again = load_run(made), load_run("again")
    assert_frame_equal(resumed.seats.collect(), again.seats.collect())
    assert_frame_equal(resumed.picks.collect(), again.picks.collect())
    assert wsim_command("verify", str(made)).code == 0
    assert Plan.from_toml(made / "plan.toml", games=20) == again.plan


@pytest.mark.slow
def test_a_trace_of_a_run_shows_its_games(made: Path, wsim_command: Command) -> None:
    answer = wsim_command(
        "--trusted", "trace", str(made), "--trust", "--first", "3", "--games", "2", "--format", "json"
    )
    traces = [json.loads(line) for line in answer.out.splitlines()]
    assert [trace["index"] for trace in traces] == [3, 4]
    seats = load_run(made).seats.filter(pl.col("game") == 3).collect()
    assert [seat["policy"] for seat in traces[0]["seats"]] == seats["policy"].to_list()


@pytest.mark.slow
def test_games_with_other_rules_are_omitted(made: Path, wsim_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    before = wsim.__version__
    monkeypatch.setattr("wsim.version.__version__", "9.9")
    answer = wsim_command("--trusted", "trace", str(made), "--trust")
    assert answer.code == 2
    sentence = f'the games of {str(made)!r} cannot be reproduced: wsim is "{before}" there and "9.9" here'
    assert sentence in answer.err


@first_quick(1, "name", ["files/1/pp.toml", "files/2/beside.py", "catalogue.json"])
def test_changed_run_files_are_rejected(made: Path, wsim_command: Command, name: str) -> None:
    (made / name).write_text("changed")
    answer = wsim_command("cards", str(made))
    damage = f"the run {str(made)!r} is damaged: {name} is missing or was changed after it was written"
    remedy = f"; wsim run --resume {made} writes it again" if name == "catalogue.json" else ""
    assert (answer.code, answer.out, answer.err) == (1, "", f"wsim: {damage}{remedy}\n")
    answer = wsim_command("verify", str(made))
    assert (answer.code, answer.out) == (1, f"{name} was changed after it was written\n")


def test_a_catalogue_of_tower_of_babel_is_stored_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("b.toml").write_text("[babel.rules]\nuse_action_cards = false\n")
    run = record(Plan.make(game="tower_of_babel", games=3, patch="b.toml"), "run")
    Path("b.toml").unlink()
    assert json.loads(Path("run/catalogue.json").read_text())["babel"]["rules"]["use_action_cards"] is False
    assert sorted(path.name for path in Path("run/files").rglob("*.toml")) == ["b.toml", "babel.toml"]
    assert_frame_equal(wsim.simulate(Plan.from_toml("run/plan.toml")), run.seats.collect())


# --- plans ------------------------------------------------------------------------------------------------------------


def test_a_plan_file_finds_its_files_from_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    Path("sub/p.toml").write_text("[cards.Palace]\npoints = 1\n")
    Path("sub/plan.toml").write_text('patch = "p.toml"\ngames = 2\n')
    plan = Plan.from_toml("sub/plan.toml")
    assert (plan.patch, plan.path_of("p.toml")) == (("p.toml",), "sub/p.toml")
    monkeypatch.chdir("sub")
    inside = Plan.from_toml("plan.toml")
    assert inside == plan
    assert inside.digest == Plan.make(games=2, patch="p.toml").digest
    assert_frame_equal(wsim.simulate(inside), wsim.simulate(games=2, patch="p.toml"))


def test_files_named_by_options_are_relative_to_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    Path("sub/plan.toml").write_text('patch = "p.toml"\ncards = "c.toml"\n')
    plan = Plan.from_toml("sub/plan.toml", patch="q.toml")
    assert (plan.path_of("q.toml"), plan.path_of("c.toml")) == ("q.toml", "sub/c.toml")
    with pytest.raises(UserError, match=r"'c\.toml' refers to two different files, 'sub/c\.toml' and 'c\.toml'"):
        Plan.from_toml("sub/plan.toml", patch="c.toml")


@pytest.mark.parametrize("table", ["files = 3\n", '[files]\n"a.toml" = 3\n', '[files]\n"a.toml" = ""\n'])
def test_an_invalid_files_table_is_rejected(tmp_path: Path, table: str) -> None:
    (tmp_path / "plan.toml").write_text(table)
    with pytest.raises(UserError, match="files must map names to paths"):
        Plan.from_toml(tmp_path / "plan.toml")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Play a run with a policy of an installed package, uninstall the package, and return the run."""
    package = tmp_path / "site-packages" / "wsim_shop"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "players.py").write_text(
        "import numpy\nimport other_library\nimport wsim\nfrom wsim_shop.numbers import FIRST\nfrom . import beside\n"
        "@wsim.policy(python=True)\ndef first(public, own, choice, rules):\n    return FIRST\n"
    )
    (package / "numbers.py").write_text("FIRST = 0\n")
    (package / "beside.py").write_text("")
    (package.parent / "other_library.py").write_text("")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.chdir(tmp_path)
    record(Plan.make(games=5, players=3, policies=["wsim_shop.players:first", "random", "random"]), "run", shard=5)
    for name in [name for name in sys.modules if name.startswith("wsim_shop")]:
        monkeypatch.delitem(sys.modules, name)
    shutil.rmtree(package)
    monkeypatch.setattr(user_policies, "_PLUGGED", {})
    return tmp_path / "run"


@pytest.mark.slow
def test_the_source_of_an_installed_policy_is_stored_as_text(installed: Path, wsim_command: Command) -> None:
    kept = sorted(path.relative_to(installed).as_posix() for path in (installed / "files").rglob("*.py"))
    assert kept == [f"files/1/wsim_shop/{name}.py" for name in ("__init__", "beside", "numbers", "players")]
    assert wsim_command("verify", str(installed)).code == 0
    assert wsim_command("cards", str(installed)).code == 0
    (installed / "files/1/wsim_shop/numbers.py").write_text("FIRST = 1\n")
    answer = wsim_command("verify", str(installed))
    assert (answer.code, answer.out) == (1, "files/1/wsim_shop/numbers.py was changed after it was written\n")


@pytest.mark.slow
def test_an_installed_policy_is_imported_only_if_trusted_and_never_from_the_folder(
    installed: Path, wsim_command: Command
) -> None:
    answer = wsim_command("run", "--resume", "run", "--games", "20")
    assert answer.code == 2
    assert "'run' cannot be resumed without running its policy code, wsim_shop.players:first: if you" in answer.err
    answer = wsim_command("run", "--resume", "run", "--games", "20", "--trust")
    assert answer.code == 2
    assert "the policy module 'wsim_shop.players' cannot be imported" in answer.err
    assert load_run(installed).games == 5


def test_a_file_outside_the_folder_does_not_belong_to_the_run(made: Path) -> None:
    from wsim.lab.archive import damaged_files

    assert damaged_files(made, {"../ran": "0" * 64, "/etc/hostname": "0" * 64}) == ["../ran", "/etc/hostname"]


def test_missing_and_changed_files_are_named(made: Path) -> None:
    (made / "files/3/w.toml").unlink()
    with pytest.raises(StoreError, match=r"files/3/w\.toml is missing or was changed after it was written"):
        load_run(made)
    (made / "files/1/pp.toml").write_text("changed")
    several = r"files/1/pp\.toml and files/3/w\.toml are missing or were changed after they were written"
    with pytest.raises(StoreError, match=several):
        load_run(made)
