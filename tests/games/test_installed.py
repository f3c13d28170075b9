"""A third-party game, installed like any package: played, stepped, traced and reported without an edit to wsim."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import wsim.installed
from wsim.errors import UserError
from wsim.game import GAMES, find_game
from wsim.installed import GAME_GROUP, Installed
from wsim.jit import source_digest

ROOT = Path(__file__).parents[2]
TOY = Path(__file__).with_name("toy_game")


def install(folder: Path, package: str, **games: str) -> None:
    """Write the metadata of a package as pip does, with entry points for games."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = "".join(f"{name} = {place}\n" for name, place in games.items())
    (info / "entry_points.txt").write_text(f"[{GAME_GROUP}]\n{lines}")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a folder of installed packages that contains only the toy game, and no other test modules."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(TOY, folder / "toy_game", ignore=shutil.ignore_patterns("__pycache__"))
    install(folder, "toy-game", toy="toy_game:GAME")
    return folder


def command(site: Path, folder: Path, *words: str, code: int = 0) -> str:
    """Run a wsim command in a separate process with the packages installed in a folder; return its output."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(site), str(ROOT)))}
    done = subprocess.run(
        [sys.executable, "-m", "wsim", *words], env=environment, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.mark.slow
def test_an_installed_game_works_with_run_match_trace_and_report(site: Path, tmp_path: Path) -> None:
    run = ("run", "--game", "toy", "--games", "400", "--seed", "3", "--out", "run", "--json")
    assert json.loads(command(site, tmp_path, *run))["played"] == 400
    command(site, tmp_path, "report", "run", "-o", "page.html")
    assert "<h1>Toy</h1>" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "the answer is clear" in command(site, tmp_path, "match", "bold", "shy", "--game", "toy", "--budget", "400")
    text = command(site, tmp_path, "trace", "run", "--first", "7", "--games", "1", "--format", "text")
    assert text.startswith("Game 7: seat 0 bold")
    advice = command(site, tmp_path, "advise", "run", "2", "--playouts", "20", "--playout-policies", "bold")
    assert "keep" in advice


def found(monkeypatch: pytest.MonkeyPatch, site: Path) -> Installed:
    """Return the games that a new process finds if a folder of packages comes first on its module search path."""
    monkeypatch.syspath_prepend(site)
    games = Installed(GAME_GROUP)
    monkeypatch.setattr(wsim.installed, "GAMES", games)
    return games


def test_the_games_of_wsim_come_first_and_others_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "more-games", zebra="zebra:GAME", apple="apple:GAME", seven_wonders="mine:GAME")
    games = found(monkeypatch, tmp_path)
    assert list(games) == ["seven_wonders", "tower_of_babel", "apple", "zebra"]
    assert games["seven_wonders"] == "wsim.wonders.game:GAME"  # which nobody else can be


def test_built_in_games_do_not_search_package_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wsim.installed, "_entries_of_others", lambda group: 1 / 0)
    games = Installed(GAME_GROUP)
    assert next(iter(games)) == "seven_wonders"
    assert games["tower_of_babel"] == "wsim.babel.game:GAME"
    with pytest.raises(ZeroDivisionError):
        len(games)


@pytest.fixture
def module(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "someones.py"
    sys.modules.pop("someones", None)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "the installed game 'mine' cannot be loaded from someones:GAME: ModuleNotFoundError: "),
        ("import nothing_here", "cannot be loaded from someones:GAME: ModuleNotFoundError: "),
        ("game = 1", "cannot be loaded from someones:GAME: AttributeError: "),
        ("this is no Python", "cannot be loaded from someones:GAME: SyntaxError: "),
        ("class GAME: NAME = 'other'", "the installed game 'mine' at someones:GAME calls itself 'other'"),
        ("class GAME: NAME = 'mine'", "the installed game 'mine' is not a wsim.game.Game but "),
    ],
)
def test_a_broken_game_is_reported_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Path, text: str | None, sentence: str
) -> None:
    if text is not None:
        module.write_text(text)
    install(tmp_path, "mine", mine="someones:GAME")
    found(monkeypatch, tmp_path)
    with pytest.raises(UserError) as raised:
        find_game("mine")
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


def test_two_packages_with_the_same_game_name_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "one", mine="one:GAME")
    install(tmp_path, "two", mine="two:GAME")
    found(monkeypatch, tmp_path)
    with pytest.raises(
        UserError, match="several installed packages offer a game 'mine', at one:GAME and two:GAME: uninstall all but"
    ):
        find_game("mine")


def test_missing_wsim_metadata_is_reported_with_a_fix(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "wsim", tmp_path / "wsim", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "cards.toml", tmp_path / "wsim")
    program = (
        "import importlib.metadata as m, wsim.game\n"
        "def none(name): raise m.PackageNotFoundError(name)\n"
        "m.distribution = none\n"
        "wsim.game.find_game('seven_wonders')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "wsim finds no games: it was copied without its metadata; install it with pip" in done.stderr


def test_the_games_of_a_checkout_come_from_its_pyproject() -> None:
    assert list(GAMES)[:2] == ["seven_wonders", "tower_of_babel"]


def test_the_cache_of_an_installed_game_depends_on_all_its_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = tmp_path / "someones_kernels" / "rules" / "deep.py"
    rules.parent.mkdir(parents=True)
    for path in (rules, rules.parent / "__init__.py", rules.parents[1] / "__init__.py"):
        path.write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    digest = source_digest.__wrapped__  # which remembers nothing
    before = digest("someones_kernels.rules")
    assert digest("someones_kernels.rules") == before
    rules.write_text("VALUE = 1")
    assert digest("someones_kernels.rules") != before
    assert len({before, digest("wonders.kernels"), digest("babel.kernels"), digest("not_installed.kernels")}) == 4
