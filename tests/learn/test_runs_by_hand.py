"""Learning runs by hand: records, invalid continuations, the initial net of a run, threads, and the conclusion."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.learn.lessons import SMALL
from wsim.errors import UserError
from wsim.lab.execution import Execution
from wsim.learn import harvest as harvest_module
from wsim.learn import rounds as run_module
from wsim.learn.answer import FEW, LearnAnswer
from wsim.learn.judge import Judgement
from wsim.learn.plan import LearningPlan
from wsim.learn.rounds import Learning, _claim, _in_threads, _Part, learn
from wsim.wonders.learning import LEARNER


def test_the_conclusion_names_clear_fields_largest_first() -> None:
    """0.40 against a fair 0.25 is 15 points more, 0.06 against 0.20 is 14 less, and 0.24 to 0.30 contains 0.25."""

    def row(win: float, low: float, high: float, against: str, fair: float, players: int) -> dict[str, Any]:
        return {"ruleset": "1e", "players": players, "against": against, "win_share": win, "low": low, "high": high,
                "fair_share": fair}  # fmt: skip

    def said(*rows: dict[str, Any]) -> tuple[str, str]:
        found = LearnAnswer.conclusion(SimpleNamespace(record={"judgements": rows}))  # type: ignore[arg-type]
        assert found is not None
        return found.headline, found.detail

    low, around = "(95% interval 12.0 to 17.0).", "(95% interval \N{MINUS SIGN}1.0 to +5.0)."
    net, against = "the net wins", "often than its fair share against"
    open_ = row(0.27, 0.24, 0.30, "net", 0.25, 4)
    more = row(0.40, 0.35, 0.45, "balanced", 0.25, 4)
    less = row(0.06, 0.03, 0.08, "search", 0.20, 5)
    next_one = f"{net} 14.0 percentage points less {against} search, 1e, 5 players {low}"
    assert said(open_, less, more) == (
        f"The net wins 15.0 percentage points more {against} balanced, 1e, 4 players (95% interval 10.0 to 20.0).",
        f"2 of 3 fields are clear. The next largest: {next_one}",
    )
    assert said(open_) == (
        "The net does not clearly win more often than its opponents.",
        f"Largest estimate: the net wins 2.0 percentage points more {against} net, 1e, 4 players {around}",
    )


def test_few_decisions_are_called_too_few() -> None:
    judged = [Judgement("1e", 4, "net", 0.25678, 0.2, 0.3, 0.25, 50.456, 100)]
    for decisions, notes in ((FEW - 1, 1), (FEW, 0)):
        answer = LearnAnswer.of(Path("net.npz"), judged, decisions)
        assert len(answer.display().notes) == notes
    assert answer.judgements.row(0) == ("1e", 4, "net", 0.2568, 0.2, 0.3, 0.25, 50.46, 100)


def test_a_folder_continues_only_its_own_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, other = LearningPlan.restore(SMALL), LearningPlan.restore({**SMALL, "seed": 4})
    folder = tmp_path / "learned"
    folder.mkdir()
    monkeypatch.setattr(run_module, "_identity", lambda _plan: {"cards": {"Altar": 2}})
    _claim(folder, plan)
    written = json.loads((folder / "learn.json").read_text())
    assert (written["format"], written["identity"]) == ("wsim-learn/1", {"cards": {"Altar": 2}})
    _claim(folder, plan)
    with pytest.raises(UserError, match="a run of a different plan"):
        _claim(folder, other)
    monkeypatch.setattr(run_module, "_identity", lambda _plan: {"cards": {"Altar": 3}})
    with pytest.raises(UserError, match=r"a different learning run: cards\.Altar is 2 there and 3 here"):
        _claim(folder, plan)
    (folder / "learn.json").unlink()
    _claim(folder, plan)
    assert json.loads((folder / "learn.json").read_text())["identity"] == {"cards": {"Altar": 3}}
    busy = tmp_path / "busy"
    busy.mkdir()
    (busy / "mine.txt").touch()
    with pytest.raises(UserError, match="not empty and not a learning run"):
        _claim(busy, plan)


def test_a_run_starts_from_a_copy_of_the_net_in_its_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The net is stored with its history; rounds whose net exists are not repeated; the last net is the result."""
    start = SimpleNamespace(about={"plan": "an earlier one"})
    made: list[Any] = []

    def load(_: Any, name: str) -> Any:
        made.append(name)
        return start

    class Judged(Learning):
        def harvest(self, number: int) -> None:
            made.append(number)
            self.net_path(number).parent.mkdir(exist_ok=True)

        def fit(self, number: int) -> None:
            self.net_path(number).write_text(f"net {number}")

        def judgements(self) -> list[Judgement]:
            return [Judgement("1e", 3, (self.folder / "net.npz").read_text(), 0.5, 0.4, 0.6, 0.3, 1.0, 10)]

    monkeypatch.setattr(run_module, "Learning", Judged)
    monkeypatch.setattr(run_module, "_check_players", lambda _plan: None)
    monkeypatch.setattr(run_module, "_identity", lambda _plan: {})
    monkeypatch.setattr(type(LEARNER), "load", load)
    monkeypatch.setattr(type(LEARNER), "save", lambda _, net, path, about: made.append((net, path.name, about)))
    plan = LearningPlan.restore({**SMALL, "start": "shipped", "judge": []})
    _claim(tmp_path, plan)
    (tmp_path / "round-1").mkdir()
    (tmp_path / "round-1" / "net.npz").write_text("net 1")
    (result,) = learn(plan, tmp_path)
    assert made == ["", (start, "start.npz", start.about), 2], "no name is the shipped net; round 1 was there"
    assert result.against == "net 2"


def test_threads_start_no_more_parts_than_they_can_play() -> None:
    begun: list[int] = []

    def parts() -> Any:
        for number in range(9):
            begun.append(number)
            yield range(number, number + 1)

    found = _in_threads(lambda games: games.start * 10, parts(), 2)  # type: ignore[arg-type]
    first = next(found)
    assert len(begun) == 2, "one for each thread, until one of them is finished"
    rest = [first, *found]
    assert sorted((games.start, made) for games, made in rest) == [(number, number * 10) for number in range(9)]


@pytest.mark.parametrize(("keep", "kept"), [(0, [3]), (1, [2, 3]), (5, [1, 2, 3])])
def test_a_round_learns_from_its_own_and_kept_decisions(keep: int, kept: list[int], tmp_path: Path) -> None:
    asked: list[int] = []

    class Empty(Learning):
        def parts(self, number: int, seats: Any) -> list[Any]:
            asked.append(number)
            return []

    rounds = [{**SMALL["round"][0], "keep": keep}] * 3
    plan = LearningPlan.restore({**SMALL, "table": SMALL["table"][:1], "round": rounds})
    with pytest.raises(UserError, match="round 3 sampled no decision"):
        Empty(plan, tmp_path, Execution()).fit(3)
    assert asked == kept


def test_a_part_stores_states_and_moves_in_separate_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[str, Any]] = []
    monkeypatch.setattr(run_module, "write_records", lambda path, records: written.append((path.name, records)))
    made: Any = ("states", "moves")
    _Part(tmp_path / "1e-4-0003", range(3)).write(made)
    assert written == [("1e-4-0003.states.parquet", "states"), ("1e-4-0003.moves.parquet", "moves")]


def test_fitting_reports_every_twentieth_step_and_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[int, int]] = []

    def fit(_: Any, net: Any, _tables: Any, _how: Any, _seed: int, report: Any) -> Any:
        for step in range(1, 46):
            report(step, 45)
        return net

    def save(_: Any, _net: Any, path: Path, about: dict[str, Any]) -> None:
        said.append((about["round"], about["decisions"]))
        assert path.name == "net.npz"

    class Known(Learning):
        def parts(self, _number: int, _seats: Any) -> list[Any]:
            return [_Part(tmp_path / "part", range(3))]

    monkeypatch.setattr(run_module, "read_records", lambda _path, dtype: np.zeros(2, dtype))
    for name, made in (("fit", fit), ("save", save), ("fresh", lambda *_: "net")):
        monkeypatch.setattr(type(LEARNER), name, made)
    states = SimpleNamespace(states=[1, 2])
    monkeypatch.setattr(type(LEARNER), "decisions", lambda *_: states)
    plan = LearningPlan.restore({**SMALL, "table": SMALL["table"][:1], "judge": []})
    execution = Execution(progress=lambda _words, done, whole: said.append((done, whole)))
    Known(plan, tmp_path, execution).fit(1)
    assert said == [(20, 45), (40, 45), (45, 45), (1, 2)]


@pytest.mark.parametrize(("gap", "least", "most"), [(1.0, 0, 0), (4.0, 2.6, 3.4)])
def test_sampled_decisions_are_the_given_number_of_moves_apart(
    gap: float, least: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a gap of one none is passed over, with a gap of four three are on average."""
    followed: list[int] = []

    class Position:
        coded = (1,)

        @property
        def to_move(self) -> int | None:
            return None if len(followed) % 1000 == 0 else 0

        def follow(self, moves: int) -> None:
            followed.append(moves)

    learner = SimpleNamespace(describer=lambda *_: None, state=np.dtype("i8"), move=np.dtype("i8"))
    monkeypatch.setattr(harvest_module, "learner_of", lambda _game: learner)
    simulator: Any = SimpleNamespace(begin=lambda _number: Position())
    states, moves = harvest_module.Harvest("x", ((simulator, (simulator,)),), 2, gap, 7)(range(2))
    assert (len(states), len(moves), len(followed)) == (0, 0, 2000)
    assert least <= np.mean(followed) <= most
