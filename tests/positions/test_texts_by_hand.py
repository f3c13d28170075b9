"""Unit tests of positions: rejected files, moves in words, recorded games, observations, chances after moves."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.lab.provenance import Provenance
from wsim.positions import as_played as as_played_module
from wsim.positions import move_text as move_text_module
from wsim.positions import run_games
from wsim.positions.as_played import as_played, replaying_simulator
from wsim.positions.move_text import ranked_lines, worth
from wsim.positions.plain_game import PlainPosition
from wsim.positions.position_file import FORMAT, MAX_STEPS, _refuse_wrong_keys
from wsim.positions.value_net import Follower


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, ""), ({"seat": 0, "steps": [1], "people": ["Ann", None]}, ""), ({"seat": None, "position": None}, ""),
        ({"steps": [0] * MAX_STEPS}, ""), ({"steps": [0] * (MAX_STEPS + 1)}, "has at most"),
        ({"format": "x"}, "the format of a position"), ({"format": None}, "the format of a position"),
        ({"seat": True}, "the seat of a position file must be a whole number, not True"),
        ({"steps": None}, "the steps of a position file must be a list, not None"),
        ({"number": 1.0}, "the number of a position file's game must be a whole number"),
        ({"sead": 1}, "has no 'sead' \\(did you mean 'seat'"), ({"people": [1]}, "must be names or null"),
    ],
)  # fmt: skip
def test_keys_of_a_position_file(more: dict[str, Any], said: str) -> None:
    file = {"format": FORMAT, **more}
    if not said:
        _refuse_wrong_keys(file)
        return
    with pytest.raises(UserError, match=said):
        _refuse_wrong_keys(file)


def test_ranked_moves_show_their_loss_against_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best one loses nothing; without scores there is no column for them."""
    monkeypatch.setattr(move_text_module, "move_text", lambda move, _speaker: move)

    def row(move: str, share: float, loss: float, score: float | None) -> dict[str, Any]:
        return {
            "move": move, "win_share": share, "low": share - 0.01, "high": share + 0.01, "score": score,
            "score_low": 40.0, "score_high": 44.0, "loss": loss, "loss_low": loss - 0.02, "loss_high": loss + 0.02,
        }  # fmt: skip

    speaker: Any = None
    rows = [row("build Altar", 0.5, 0.0, 42.0), row("sell Baths", 0.4, 0.1, None)]
    assert ranked_lines(rows, speaker, [7, 3]) == [
        "      win share     score       less by        move",
        "   7  0.500 ±0.010  42.0 ±2.0                  build Altar",
        "   3  0.400 ±0.010              0.100 ±0.020   sell Baths",
    ]
    assert ranked_lines(rows[1:], speaker, [3])[0] == "      win share     less by        move"
    assert [worth(each) for each in rows] == ["win 0.500 ±0.010  score 42.0 ±2.0", "win 0.400 ±0.010"]


def test_games_of_a_run_use_the_rules_it_was_played_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """A different number of games, or picks that were not recorded, change no game."""
    old: list[tuple[Any, ...]] = []
    identity = {"plan": {"games": 5, "seed": 1, "picks": True}}
    now = {"plan": {"games": 9, "seed": 1, "picks": False}}
    run: Any = SimpleNamespace(wanted=range(10, 20), path="folder", provenance=SimpleNamespace(identity=identity))
    monkeypatch.setattr(run_games, "refuse_old_streams", lambda *given: old.append(given))
    monkeypatch.setattr(Provenance, "of", lambda *_given: SimpleNamespace(identity=now))
    run_games.refuse_other_rules(run, None, None)  # type: ignore[arg-type]
    assert old == [(identity, "folder")]
    now["plan"]["seed"] = 2
    with pytest.raises(UserError, match=r"cannot be reproduced: plan\.seed is 1 there and 2 here"):
        run_games.refuse_other_rules(run, None, None)  # type: ignore[arg-type]
    for number in (10, 19):
        run_games.refuse_other_game(run, number)
    for number in (9, 20, True):
        with pytest.raises(UserError, match="its games are 10 to 19"):
            run_games.refuse_other_game(run, number)


@pytest.mark.parametrize(("totals", "kept"), [([5, 6], True), ([5, 7], False)])
def test_a_replay_omits_forced_moves(totals: list[int], kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 1 has two choices, of which the second was forced; a replay that ends otherwise is none."""
    decisions = [(1, 2, 1), (0, 3, 2), (1, 1, 0), (1, 4, 3)]  # seat, legal moves, chosen
    told = [
        (SimpleNamespace(to_move=seat, legal=lambda count=count: range(count)), index)
        for seat, count, index in decisions
    ]
    monkeypatch.setattr(as_played_module, "decisions_of", lambda _game: told)
    simulator: Any = SimpleNamespace(trace=lambda number: {"scores": [{"total": 5}, {"total": number}]})
    plan = SimpleNamespace(players=2, game="x", replace=lambda **_keys: SimpleNamespace(game="x"))
    monkeypatch.setattr(as_played_module, "find_game", lambda _name: SimpleNamespace(prepare=lambda _plan: simulator))
    game: Any = SimpleNamespace(
        to_move=None, described=False, steps=[0, 1], plan=plan, number=6, result=[{"total": total} for total in totals]
    )
    with replaying_simulator(game) as found:
        assert (found is simulator) == kept
        own: Any = SimpleNamespace(memory=[0], seat=1)
        assert [as_played(None, own, None, None) for _ in range(2)] == [1, 3]
        assert as_played(None, SimpleNamespace(memory=[0], seat=0), None, None) == 2
    for change in ({"to_move": 1}, {"described": True}, {"steps": [{"redrawn": 1}]}):
        with replaying_simulator(SimpleNamespace(**{**vars(game), **change})) as found:  # type: ignore[arg-type]
            assert found is None


def test_plain_game_observations_contain_the_named_numbers() -> None:
    viewed: Any = SimpleNamespace(
        simulator=SimpleNamespace(columns=("a", "b", "c", "d")), view=lambda _seat: {"a": 5, "b": 99_999, "d": -99_999}
    )
    assert PlainPosition.observation(viewed, 0, 4).tolist() == [5, 32767, 0, -32768]
    assert PlainPosition.observation(viewed, 0, 1).dtype == np.int16
    assert PlainPosition.observation(viewed, 0, 2).shape == (2,)


def test_the_end_of_a_game_is_not_calibrated() -> None:
    """After the second move the game is over: its result stays; the chances of others are those of a calibration."""

    def compare(*given: Any) -> int:
        given[-1][0, :, :2] = [[0.3, 0.7], [0.0, 1.0]]
        given[-1][0, :, 2] = 4
        return 0

    seen: list[Any] = []

    def calibration(chances: Any, stages: Any, who: Any) -> Any:
        seen.append((stages.tolist(), who[0].tolist()))
        return np.full_like(chances, 0.5)

    machine = SimpleNamespace(workspace=lambda: (SimpleNamespace(answer=None), None), rules=0, seating=0, addresses=0)

    class Answering:
        def __enter__(self) -> None: ...
        def __exit__(self, *_: object) -> None: ...

    net: Any = SimpleNamespace(
        _simulator=SimpleNamespace(
            plan=SimpleNamespace(players=2), machine=machine, labels=["x", "y"],
            line_up=SimpleNamespace(answering=lambda _answer: Answering()),
        ),
        _entries=SimpleNamespace(compare=compare), _valuing=SimpleNamespace(settings=[None]), calibration=calibration,
    )  # fmt: skip
    found = Follower.compare(net, SimpleNamespace(words=np.zeros(2)), [3, 4], 1, None, 0, 0)
    assert found.tolist() == [[[0.5, 0.5], [0.0, 1.0]]]
    assert seen == [([[4, 4]], [[0, 1], [0, 1]])]
