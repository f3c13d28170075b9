"""A patch measured with other players, other styles and retrained nets; and Ctrl-C during these measurements."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.balance.goals import KNOBS, SEARCH, TARGET, UNBALANCED, write_goal
from tests.balance.test_balance import HOW_TO_GO_ON
from tests.conftest import Command
from wsim.balance.cells import Cell
from wsim.balance.goal import read_goal
from wsim.balance.knobs import read_patch
from wsim.balance.sampling import Level
from wsim.balance.transfer import answer as rooms
from wsim.balance.transfer.answer import Relearner, TransferSettings
from wsim.balance.transfer.ask import transferred
from wsim.jit import JIT
from wsim.lab.execution import Execution

pytestmark = pytest.mark.usefixtures("medal")
SETTINGS = '[[setting]]\nname = "four"\n[[setting]]\nname = "six"\nplayers = 6\nreport = true\n'
ELSEWHERE = ("--player", "shy", "--style", "bold", "--style", "shy", "--transfer-games", "4000", "--quiet")
MENDED = "wonders.Temple.points = 0\nwonders.Garden.salt = 0\n"


def write_settings() -> str:
    return write_goal(UNBALANCED + SETTINGS + TARGET + KNOBS + SEARCH)


def write_patch(text: str = MENDED) -> str:
    Path("mended.toml").write_text(text, encoding="utf-8")
    return "mended.toml"


@pytest.mark.slow
def test_a_patch_is_measured_with_other_players(wsim_command: Command) -> None:
    told = json.loads(wsim_command("balance", write_settings(), "--json", *ELSEWHERE).out)
    assert told["interrupted"] is False
    assert [(row["setting"], row["policies"], row["targeted"]) for row in told["carried"]] == [
        ("four", "bold", True),
        ("four", "shy", False),
        ("six", "bold", False),
        ("six", "shy", False),
    ]
    assert all(row["spread_after"] < row["spread_before"] for row in told["carried"] if row["setting"] == "four")
    assert [row["of"] for row in told["responses"]] == ["Colossus", "Garden", "Temple"]
    temple = told["responses"][2]
    assert temple["best_after"] < temple["best_before"]
    assert temple["style_before"] in ("bold", "shy")


@pytest.mark.slow
def test_an_existing_patch_is_measured_without_a_search(wsim_command: Command) -> None:
    goal = write_settings()
    answer = wsim_command("balance", goal, "--transfer", write_patch(), "--json", *ELSEWHERE)
    assert (answer.code, answer.err) == (0, "")
    told = json.loads(answer.out)
    assert told["format"] == "wsim-transfer/1"
    assert [(row["setting"], row["policies"]) for row in told["carried"]][1] == ("four", "shy")
    assert all(row["spread_after"] < row["spread_before"] / 2 for row in told["carried"] if row["setting"] == "four")
    shown = wsim_command("balance", goal, "--transfer", "mended.toml", *ELSEWHERE).out
    assert shown.startswith("Other players: deviations from the middle of the accepted range, before and after")
    assert "Each side in its best style" in shown
    assert sorted(path.name for path in Path().iterdir()) == ["goal.toml", "mended.toml"]


@pytest.mark.slow
def test_nets_trained_on_each_game_play_both_games() -> None:
    """There are four cells, each twice: nets trained without and with the patch, in games without and with it."""
    asked: list[Any] = []

    def learned(patch: Any, number: int) -> str:
        asked.append((patch, number))
        return "shy" if patch else "bold"

    goal, patch = read_goal(write_settings()), read_patch(Path(write_patch()))
    found = transferred(
        goal, patch, TransferSettings(("bold", "shy"), games=2000, relearner=Relearner("bold", learned))
    )
    assert asked == [((), 1), (patch, 1), ((), 2), (patch, 2)]
    rows = {(row["setting"], row["policies"]): row for row in found.rows}
    words = [f"bold, learned {one} the patch, {number}" for number in (1, 2) for one in ("without", "with")]
    assert list(rows)[-8:] == [(setting, word) for setting in ("four", "six") for word in words]
    figures = ("largest_before", "largest_after", "spread_before", "spread_after")
    comes, without, adapted = (
        [rows["four", name][figure] for figure in figures] for name in ("bold", words[0], words[1])
    )
    assert without == comes  # the same player, deals and games
    assert all(one != other for one, other in zip(without, adapted, strict=True))
    assert rows["four", words[0]]["targeted"] is False
    alone = transferred(goal, patch, TransferSettings(games=2000, relearner=Relearner("bold", learned, 1)))
    assert [row["policies"] for row in alone.rows if row["setting"] == "four"][1:] == ["bold", *words[:2]]


MISTAKES = {
    "no games": (("--transfer-games", "0"), "the games of a measurement with other players must be at least 1, not 0"),
    "a game without a net": (("--retrain", "9", "--out", "patch.toml"), "medal has no policy that learns"),
    "a net without a place": (("--retrain", "9"), "--retrain stores its nets next to the patch"),
    "a patch and none": (("--transfer", "mended.toml", "--out", "patch.toml"), "give only one of them"),
    "a patch that is not there": (("--transfer", "gone.toml"), "cannot read the patch 'gone.toml'"),
    "a patch of more than numbers": (("--transfer", "words.toml"), "sets wonders.Temple.name to 'Shrine'"),
    "a patch of nothing": (("--transfer", "empty.toml"), "'empty.toml' changes nothing"),
    "a patch of another game": (("--transfer", "other.toml"), "the medal has no 'points'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_reported_in_one_sentence_before_the_search(mistake: str, wsim_command: Command) -> None:
    words, said = MISTAKES[mistake]
    write_patch()
    Path("words.toml").write_text('wonders.Temple.name = "Shrine"\n', encoding="utf-8")
    Path("other.toml").write_text("wonders.Tempel.points = 1\n", encoding="utf-8")
    Path("empty.toml").write_text("", encoding="utf-8")
    goal = write_settings()
    there = sorted(Path().iterdir())
    answer = wsim_command("balance", goal, *words, "--quiet")
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert answer.err.startswith("wsim: ")
    assert answer.err.count("\n") == 1
    assert sorted(Path().iterdir()) == there


@pytest.mark.parametrize("option", ["--player", "--style"])
def test_invalid_players_are_rejected_before_the_search(option: str, wsim_command: Command) -> None:
    target = '[[target]]\nof = "wonder"\nwithin = 0.1\n[[knob]]\npath = "cards.*.points"\nrange = "-1..1"\n'
    answer = wsim_command("balance", write_goal(target), option, "millitary", "--out", "patch.toml")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("wsim: unknown policy 'millitary'")
    assert "unknown policy 'millitary' (did you mean 'military'?); accepted: " in answer.err
    assert [path.name for path in Path().iterdir()] == ["goal.toml"]


# --- Ctrl-C -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Simulate Ctrl-C just before the first other player is measured; return a function that ends the simulation."""
    real = rooms._row_of

    def until(evaluator: Any, setting: Any, patch: Any, seated: Any, games: int) -> Iterator[dict[str, Any]]:
        if seated.label is not None:
            raise KeyboardInterrupt
        return real(evaluator, setting, patch, seated, games)

    monkeypatch.setattr(rooms, "_row_of", until)
    return lambda: monkeypatch.setattr(rooms, "_row_of", real)


@pytest.mark.slow
def test_ctrl_c_during_a_transfer_shows_the_proof_and_can_continue(
    wsim_command: Command, stopped: Callable[[], None]
) -> None:
    goal = write_settings()
    words = ("balance", goal, "--out", "patch.toml", "--player", "shy", "--transfer-games", "1000", "--quiet")
    answer = wsim_command(*words)
    assert answer.code == 130
    assert answer.out.startswith("Proven: 2 changed values meet all 3 targets, on ")
    assert answer.out.count(" bold ") == 1  # what was carried over before
    assert "shy" not in answer.out
    assert answer.err == HOW_TO_GO_ON
    assert not Path("patch.toml").exists()
    assert Path("patch.toml.journal").exists()
    told = json.loads(wsim_command(*words, "--resume", "--json").out)
    assert (told["stopped"], told["proven"], told["interrupted"]) == ("proven", True, True)
    assert len(told["carried"]) == 1
    stopped()
    assert wsim_command(*words, "--resume").code == 0
    record = json.loads(Path("patch.json").read_text(encoding="utf-8"))
    assert record["patch"] == told["patch"]
    assert len(record["carried"]) == 4
    assert record["carried"][0] == told["carried"][0]
    assert not Path("patch.toml.journal").exists()


def test_ctrl_c_while_measuring_a_given_patch(wsim_command: Command, stopped: Callable[[], None]) -> None:
    goal = write_settings()
    words = ("balance", goal, "--transfer", write_patch(), "--player", "shy", "--transfer-games", "1000", "--quiet")
    answer = wsim_command(*words)
    assert answer.code == 130
    assert answer.out.count(" bold ") == 1
    assert answer.err == HOW_TO_GO_ON.replace("patch.toml", "mended.toml")
    stopped()
    assert "is the journal of an interrupted search" in wsim_command(*words).err
    whole = wsim_command(*words, "--resume")
    assert (whole.code, whole.err) == (0, "")
    assert "shy" in whole.out
    assert not Path("mended.toml.journal").exists()


def test_a_search_continues_only_with_the_same_question(wsim_command: Command, stopped: Callable[[], None]) -> None:
    """The journal of one patch cannot be used for a different patch."""
    goal = write_settings()
    words = ("balance", goal, "--transfer", write_patch(), "--player", "shy", "--transfer-games", "1000", "--quiet")
    assert wsim_command(*words).code == 130
    write_patch(MENDED.replace("points = 0", "points = 1"))
    assert "belongs to a different goal, seed or version of wsim" in wsim_command(*words, "--resume").err


def test_execution_settings_do_not_change_the_measurement() -> None:
    goal, patch = read_goal(write_settings()), read_patch(Path(write_patch()))
    where = TransferSettings(games=3000)
    one, other = (transferred(goal, patch, where, execution=Execution(threads)) for threads in (1, 2))
    assert one == other
    assert transferred(goal, patch, replace(where, games=2000)) != one


# --- players who learned anew -----------------------------------------------------------------------------------------

PYRAMIDS = """
[plan]
policies = "random"
set = ["cards.Altar.points=3"]
[[setting]]
name = "three"
players = 3
[[target]]
of = "wonder"
only = "Gizah"
within = 0.1
[[knob]]
path = "wonders.Gizah.sides.*.*.points"
range = "-2..4"
"""


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="needs many playouts")
def test_nets_learn_the_game_with_and_without_the_patch(wsim_command: Command) -> None:
    write_patch("wonders.Gizah.sides.A.1.points = 7\n")
    words = ("balance", write_goal(PYRAMIDS), "--transfer", "mended.toml", "--retrain", "60", "--transfer-games", "64")
    answer = wsim_command(*words, "--json", "--quiet")
    assert (answer.code, answer.err) == (0, "")
    told = json.loads(answer.out)
    names = ["random", "net", *(f"net, learned {one} the patch, {n}" for n in (1, 2) for one in ("without", "with"))]
    assert [row["policies"] for row in told["carried"]] == names
    other = json.loads(Path("mended-net-without-2/plan.json").read_text(encoding="utf-8"))
    assert (other["set"], other["seed"]) == (["cards.Altar.points=3"], 2)
    plan = json.loads(Path("mended-net/plan.json").read_text(encoding="utf-8"))
    assert plan["set"] == ["cards.Altar.points=3", "wonders.Gizah.sides.A.1.points=7"]
    assert [(table["ruleset"], table["players"]) for table in plan["table"]] == [("1e", 3)]
    net = wsim_command("run", "--games", "2", "--players", "3", "--policies", "net:file=mended-net/net.npz", "--quiet")
    assert net.code == 0
    again = wsim_command(*words, "--quiet")
    assert (again.code, again.out) == (2, "")
    assert "'mended-net-without' already exists" in again.err


def test_the_best_style_is_chosen_on_one_half_and_measured_on_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the first half bold wins more, 0.5 to 0.3, on the second shy, 0.4 to 0.2: (0.2 + 0.3) / 2, not 0.45."""
    wins = {"bold": (0.5, 0.2), "shy": (0.3, 0.4)}
    asked: list[tuple[str, int, int]] = []

    def table(_: Any, setting: Any, name: str, of: Any) -> Any:
        style = setting.name.rpartition(" ")[2]

        def level(patch: Any, half: int, games: int) -> Level:
            asked.append((style, half, games))
            return Level(np.array([0.9, wins[style][half]]), np.array([0.5, 0.03 if style == "bold" else 0.04]), games)

        cells = [Cell("four", name, "win", 0.2, 0.3, True) for name in ("others Temple", f"{style} Temple")]
        return SimpleNamespace(first_policy=style, cells=cells, level=level)

    monkeypatch.setattr(rooms, "_table", table)
    goal = read_goal(write_settings())
    evaluator: Any = SimpleNamespace(sampler=SimpleNamespace(seed=lambda *purpose: purpose[-1]))
    where = TransferSettings(styles=("bold", "shy"), games=100)
    (row,) = rooms._responses(evaluator, goal.settings[0], (), where)
    assert row == {"of": "Temple", "style": "bold", "best": pytest.approx(0.25), "error": pytest.approx(0.025)}
    assert sorted(asked) == [("bold", 0, 50), ("bold", 1, 50), ("shy", 0, 50), ("shy", 1, 50)]
