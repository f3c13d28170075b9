"""Unit tests of positions: a toy game in plain Python, facts about seats, line-ups, files, followed games."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.facts import FLAG, NONZERO, WITH_EXPANSION, Fact
from wsim.game import GAMES
from wsim.kernels.commands import EVERYTHING, REDRAW, STEP
from wsim.lab.plan import Plan
from wsim.policies.lineup import parse_entry
from wsim.positions.character import COUNT, Followed, figures_of, settled
from wsim.positions.machine import KernelSimulator, StatePosition
from wsim.positions.plain_game import PlainGame, PlainPosition, PlainSimulator, Player, Value, numbers_in, stream
from wsim.positions.players import names_of, playout_line_up, seated
from wsim.positions.playout_follower import PlayoutFollower, follower_of
from wsim.positions.position_file import FORMAT, MAX_LETTERS, MAX_STEPS, read
from wsim.positions.run_games import game_of_run, refuse_other_game, trace_of_run
from wsim.positions.scenes import moments, plain_story
from wsim.positions.seat_facts import facts_shown, set_facts
from wsim.positions.setup_fields import counts, listed, object_in, parse_int_in_range, refuse_unknown
from wsim.positions.value_net import Calibration


class Counting(PlainPosition):
    """A game in which seats take turns to say 0, 1 or 2, ``rounds`` times each; a seat's score is the sum."""

    def deal(self, random: random.Random) -> None:
        self.said, self.luck = [[] for _ in range(self.players)], random.randrange(1000)  # type: ignore[var-annotated]

    @property
    def to_move(self) -> int | None:
        count = sum(map(len, self.said))
        return None if count == self.players * self.rules["rounds"] else count % self.players

    def decision(self) -> str:
        return "say"

    def moves(self) -> list[dict[str, Any]]:
        return [{"action": str(number)} for number in range(3)]

    def make(self, move: Mapping[str, Any]) -> None:
        self.said[self.to_move or 0].append(int(move["action"]))

    def totals(self) -> list[float]:
        return [float(sum(words)) for words in self.said]

    def details(self) -> list[dict[str, int]]:
        return [{"zeros": words.count(0)} for words in self.said]

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return {"own": self.said[seat or 0], "all": [sum(words) for words in self.said], "big": 99_999, "seat": seat}

    def redraw(self, seat: int, random: random.Random) -> None:
        self.luck = random.randrange(1000)


def highest(_view: Any, moves: Sequence[Any], _random: Any) -> int:
    """Says the most.

    Always.
    """
    return len(moves) - 1


def fixed(_view: Any, _moves: Any, _random: Any, word: int = 1) -> int:
    return word


class CountingGame(PlainGame):
    NAME, TITLE, POSITION, PLAYERS = "counting", "Counting", Counting, range(2, 5)
    POLICIES: Mapping[str, Any] = {"highest": highest, "fixed": fixed}
    VALUES: Mapping[str, Value] = {"rounds": Value(2, 1, 9, "how often everybody speaks")}
    COLUMNS: Mapping[str, str] = {"zeros": "u1"}


GAME = CountingGame()


def simulator_of(*policies: str, rotate: bool = False, **keys: Any) -> Any:
    entries = tuple(map(parse_entry, policies))
    plan: Any = SimpleNamespace(
        players=3, seed=5, patch=(), set=(), rotate=rotate, line_up=entries, cards=None,
        ruleset="standard", replace=lambda **_changes: SimpleNamespace(**{**vars(plan), "line_up": entries[:1]}), **keys
    )  # fmt: skip
    return CountingGame().prepare(plan)


def test_rows_and_picks_of_a_plain_python_game() -> None:
    """Game 4 rotated by one of three: fixed says 0 twice, the next 1 twice, highest 2 twice."""
    simulator = simulator_of("highest", "fixed:word=0", "fixed", rotate=True)
    rows, picks = np.zeros(6, simulator.row_dtype), np.zeros(20, simulator.pick_dtype)
    assert simulator.play(4, rows, picks) == 12
    assert rows["game"].tolist() == [4] * 3 + [5] * 3
    assert rows["seat"].tolist() == [0, 1, 2] * 2
    assert rows["policy"].tolist() == [1, 2, 0, 2, 0, 1]
    assert rows["total"].tolist() == [0, 2, 4, 2, 4, 0]
    assert rows["rank"].tolist() == [3, 2, 1, 2, 1, 3]
    assert rows["win_share"].tolist() == [0, 0, 1, 0, 1, 0]
    assert rows["zeros"].tolist() == [2, 0, 0, 0, 0, 2]
    assert picks[["seat", "turn", "choice", "moves"]][6:9].tolist() == [(0, 0, 1, 3), (1, 1, 2, 3), (2, 2, 0, 3)]
    assert picks["turn"][:12].tolist() == [0, 1, 2, 3, 4, 5] * 2
    unrotated = np.zeros(3, simulator.row_dtype)
    simulator_of("highest", "fixed:word=0").play(4, unrotated)
    assert unrotated["policy"].tolist() == [0, 1, 0], "a short line-up is counted round"
    assert unrotated["win_share"].tolist() == [0.5, 0, 0.5]
    assert unrotated["rank"].tolist() == [1, 3, 1]


def test_tied_scores_share_a_win_and_choices_are_checked() -> None:
    position = simulator_of("highest").begin(0)
    position.said = [[2, 2], [0, 1], [2, 2]]
    assert [row["win_share"] for row in position.scores()] == [0.5, 0, 0.5]
    assert [row["total"] for row in position.scores()] == position.standing() == [4, 1, 4]
    position.said = [[], [], []]
    for wrong in (-1, 3, True, 1.0, None):
        player = Player("odd", cast("Any", lambda *_given, wrong=wrong: wrong), {})
        with pytest.raises(UserError, match=r"policy 'odd' chose move .* in game 0: moves are numbered 0 to 2"):
            player.choose(position, stream())
    for right in (0, 2, np.int64(1)):
        assert Player("ok", cast("Any", lambda *_given, right=right: right), {}).choose(position, stream()) == right
    position.moves = lambda: [{"action": "only"}]
    assert Player("odd", cast("Any", lambda *_given: 1 / 0), {}).choose(position, stream()) == 0, "nobody is asked"


def test_a_search_prefers_wins_then_points() -> None:
    position = simulator_of("highest").begin(0)
    asked: list[Any] = []

    def compare(_simulator: Any, moves: Any, playouts: int, seat: int, seed: int) -> Any:
        asked.append((list(moves), playouts, seat, seed))
        outcomes = np.zeros((2, 3, 3, 2))
        outcomes[:, :, 0] = [[(9.0, 0.5), (3.0, 1.0), (4.0, 1.0)], [(9.0, 0.5), (3.0, 0.0), (1.0, 0.0)]]
        outcomes[:, :, 1:] = 99
        return outcomes

    position.compare = compare
    found = Player("search", None, {"playouts": 7}, position.simulator).choose(position, stream("x"))
    assert found == 0, "half of the wins each, but 9 points"
    assert asked == [([0, 1, 2], 7, 0, stream("x").getrandbits(62))]
    policies = CountingGame().policies()
    assert [row["name"] for row in policies] == ["highest", "fixed", "search"]
    assert policies[0]["idea"] == "Says the most."
    assert policies[1]["idea"] == "fixed"
    assert policies[1]["parameters"] == str(CountingGame().parameters_of("fixed")[0])
    assert policies[2]["kind"] == "search"
    playouts = CountingGame().parameters_of("search")[0]
    assert [playouts.check(value, "search") for value in (1, 10_000)] == [1, 10_000]
    for value in (0, 10_001):
        with pytest.raises(UserError):
            playouts.check(value, "search")


def test_a_plain_game_with_too_many_decisions_is_stopped() -> None:
    simulator = simulator_of("highest")
    simulator.picks_per_game = 6
    simulator.play(0, np.zeros(3, simulator.row_dtype))
    simulator.picks_per_game = 5
    with pytest.raises(UserError, match=r"game 3 is not over after 5 decisions"):
        simulator.play(3, np.zeros(3, simulator.row_dtype))


def test_observations_contain_view_numbers_within_type_bounds() -> None:
    simulator = simulator_of("highest")
    columns = simulator.columns
    assert {"own.0", "own.1", "all.0", "all.2", "big", "seat"} <= set(columns)
    position = simulator.begin(0)
    position.said = [[2], [1], []]
    seen = dict(zip(columns, position.observation(1, len(columns)).tolist(), strict=True))
    assert (seen["own.0"], seen["own.1"], seen["all.0"], seen["big"], seen["seat"]) == (1, 0, 2, 32_767, 1)
    assert len(position.observation(1, 2)) == 2
    assert numbers_in({"a": [True, {"b": -3}], "c": "text", "d": (4,)}) == {"a.0": 1, "a.1.b": -3, "d.0": 4}


def test_plain_game_values_are_bounded_and_named() -> None:
    game = CountingGame()
    assert game.values_of((), ()) == {"rounds": 2}
    assert [game.values_of((), (change,))["rounds"] for change in ("rounds=1", "rounds = 9")] == [1, 9]
    for change in ("rounds=0", "rounds=10", "rounds=two", "rounds=-1", "rounds=1.5", f"rounds={'1' * 20}"):
        with pytest.raises(UserError, match=r"--set .*rounds must be a whole number from 1 to 9, not"):
            game.values_of((), (change,))
    with pytest.raises(UserError, match=r"unknown value 'round' \(did you mean 'rounds'\?\); counting has rounds"):
        game.values_of((), ("round=1",))
    for players in (1, 5):
        with pytest.raises(UserError, match=f"counting is for 2 to 4 players, not {players}"):
            game.prepare(cast("Any", SimpleNamespace(ruleset="standard", players=players, cards=None)))
    page = game.CATALOGUES.page(cast("Any", SimpleNamespace(cards=None, ruleset=None, patches=(), changes=())), None)
    assert page.tables[0].rows == [{"name": "rounds", "value": 2, "default": 2, "from": 1, "to": 9,
                          "meaning": "how often everybody speaks"}]  # fmt: skip
    schema = game.CATALOGUES.schema()
    assert schema["properties"]["rounds"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 9,
        "description": "how often everybody speaks",
    }
    assert schema["additionalProperties"] is False


def test_a_patch_check_plays_twenty_games_per_number_of_players(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    played: list[tuple[int, int, int]] = []

    def play(simulator: Any, first: int, rows: Any, _picks: Any = None) -> int:
        played.append((simulator.seats, first, len(rows) // simulator.seats))
        return 0

    monkeypatch.setitem(GAMES, "counting", f"{__name__}:GAME")
    monkeypatch.setattr(PlainSimulator, "play", play)
    patch = tmp_path / "mine.toml"
    patch.write_text("rounds = 3\n", encoding="utf-8")
    (row,) = GAME.CATALOGUES.check(cast("Any", SimpleNamespace(cards=None, ruleset=None, patches=(), changes=())),
                                   str(patch))  # fmt: skip
    assert played == [(2, 0, 20), (3, 0, 20), (4, 0, 20)]
    assert (row["games"], row["players"]) == (60, "2 to 4")


def test_redrawing_and_following_depend_on_stream_words() -> None:
    simulator = simulator_of("highest", "fixed")
    position = simulator.begin(3)
    one, same, other = (position.redrawn(0, seed, number).luck for seed, number in ((1, 2), (1, 2), (1, 3)))
    assert one == same != other
    assert position.luck == stream("deal", 5, 3).randrange(1000)
    assert one == stream("redraw", 1, 2).randrange(1000)
    assert [position.follow(), position.follow(), position.follow()] == [2, 1, 2]
    assert position.chosen_by(simulator_of("fixed:word=0"), 1) == 0


def test_a_story_without_a_trace_has_one_scene_per_decision() -> None:
    position = simulator_of("highest").begin(0)
    positions, made = [position.clone()], [2, "redrawn", 1]
    for step in made:
        if isinstance(step, int):
            position.take(step)
        positions.append(position.clone())
    story = plain_story(positions, made, ("a", "b", "c"), lambda move: f"says {move['action']}")
    assert [scene.label for scene in story.scenes] == [f"Decision {number}" for number in range(4)]
    events = [(event.text, event.seat, event.veiled) for scene in story.scenes for event in scene.events]
    assert events == [
        ("The game begins.", None, None), ("says 2", 0, "decides"), ("redrawn", None, None), ("says 1", 1, "decides")
    ]  # fmt: skip
    assert [[city.points for city in scene.cities] for scene in story.scenes][-1] == [[2], [1], [0]]
    assert [(seat.name, seat.policy, seat.side) for seat in story.seats] == [
        ("Seat 0", "a", 0), ("Seat 1", "b", 1), ("Seat 2", "c", 2)
    ]  # fmt: skip
    rounds = moments(simulator_of("highest").begin(0), lambda each: min(map(len, each.said)))
    assert [min(map(len, each.said)) for each in rounds] == [0, 1, 2]
    assert [each.to_move for each in rounds] == [0, 0, None]


def test_playouts_follow_a_game_decision_by_decision() -> None:
    """Highest always wins against fixed; a stage is tried if 7 x game + stage is a multiple of the gap."""
    simulator = simulator_of("highest", "fixed:word=0", "fixed:word=0")
    follower = PlayoutFollower(simulator, 4)
    asked: list[tuple[Any, ...]] = []
    mean = np.array([0.75, 0.25, 0.0])

    def play_out(_position: Any, _simulator: Any, *given: Any) -> Any:
        asked.append(("whole", *given))
        outcomes = np.zeros((4, 3, 2))
        outcomes[:, :, 1], outcomes[:, :, 0] = mean, 50
        return outcomes

    def compare(position: Any, _simulator: Any, moves: Any, *given: Any) -> Any:
        asked.append(("tried", list(moves), *given))
        outcomes = np.zeros((4, 3, 3, 2))
        outcomes[:2, :, position.to_move, 1] = [0.2, 0.9, 0.6]  # in the half that chooses: 1, then 2
        outcomes[2:, 1, :, 1], outcomes[2:, 2, :, 1], outcomes[2:, 0, :, 1] = 0.5, 0.25, 9
        return outcomes

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Counting, "play_out", play_out)
        patch.setattr(Counting, "compare", compare)
        followed = follower.follow(10, 2, gap=4)
    assert followed.rows["game"].tolist() == [10] * 3 + [11] * 3
    assert followed.stages.tolist() == [[0, 1, 2, 3, 4, 5]] * 2
    assert np.allclose(followed.chances, mean)
    tried = [(game, stage) for game in (0, 1) for stage in range(6) if (7 * (10 + game) + stage) % 4 == 0]
    assert followed.trials.tolist() == [[game, stage, stage % 3] for game, stage in tried]
    assert followed.tried.tolist() == [[[0.5] * 3, [0.25] * 3]] * len(tried)
    assert asked[0] == ("whole", 4, None, 10, 1 << 40) or asked[0][:4] == ("whole", 4, None, 10)
    assert next(each for each in asked if each[0] == "tried")[1:5] == ([0, 1, 2], 4, None, 10)
    assert follower_of(simulator, None) == PlayoutFollower(simulator, 30)
    assert follower_of(simulator, 7) == PlayoutFollower(simulator, 7)
    assert follower.phases == {"the game": 0}


def test_figures_at_equal_chances_and_at_the_threshold_of_a_good_move() -> None:
    """One game of three stages; seat 0 wins. Equal with the leader is not behind, and 0.02 is still good."""
    chances = np.array([[[0.5, 0.5], [0.8, 0.2], [0.4, 0.6]]])
    followed = Followed(
        np.zeros(0), np.array([[0, 1, 2]], np.int16), chances, np.array([[0, 0, 1], [0, 1, 0]]),
        np.array([[[0.98, 0.02], [1.0, 0.0]], [[0.53, 0.47], [0.5, 0.5]]]),
    )  # fmt: skip
    (found,) = figures_of(followed, np.array([[1.0, 0.0]]))
    half, safe, drama, deepest, below, behind, changes, stakes, two_good, interaction, targeted = found.tolist()
    assert (half, safe) == (1.0, 1.0), "below both on the last stage"
    assert drama == pytest.approx(0.2 / 3)
    assert deepest == pytest.approx(0.2)
    assert below == pytest.approx(0.1 / 3)
    assert behind == pytest.approx(1 / 3)
    assert changes == 1
    assert stakes == pytest.approx((0.02 + 0.03) / 2)
    assert two_good == 0.5
    assert interaction == pytest.approx((0.02 + 0.03) / 2)
    assert targeted == pytest.approx(0, abs=1e-12), "with two seats all of it is the equal share"
    certain = Followed(np.zeros(0), np.array([[0, 1, -1]], np.int16), np.array([[[0.5, 0.5], [0.8, 0.2], [0, 1]]]),
                       np.zeros((0, 3), np.int64), np.zeros((0, 2, 2)))  # fmt: skip
    (found,) = figures_of(certain, np.array([[1.0, 0.0]]))
    assert found[:2].tolist() == [0.0, 0.5], "at least one half from the start, at least .8 after half of two stages"
    late = settled(certain, np.array([[1.0, 0.0]]), {"a": 0, "b": 1, "never": 7})
    assert late.tolist() == [pytest.approx([0.0, 0.25 - 0.04, 0.04, 0.0])]


def test_figures_of_a_followed_game_are_in_every_seat_row() -> None:
    """Two games of two seats, won by the first and by the second, who always led."""
    chances = np.array([[[0.9, 0.1]], [[0.4, 0.6]]])
    base = np.dtype([("number", "i8")])
    followed = Followed(np.arange(4).astype("i8").view(base), np.zeros((2, 1), np.int16), chances,
                        np.zeros((0, 3), np.int64), np.zeros((0, 2, 2)))  # fmt: skip
    asked: list[Any] = []

    def follow(first: int, games: int) -> Followed:
        asked.append((first, games))
        return followed

    follower = SimpleNamespace(
        follow=follow,
        results=lambda _rows: (np.array([[1.0, 0], [0, 1.0]]), np.array([[0, 1.0], [1.0, 0]])),
    )
    whole = np.dtype([("base", base), ("character", "f8", (COUNT,))])
    rows, simulator = np.zeros(4, whole), SimpleNamespace(row_dtype=whole, base_dtype=base, seats=2, follower=follower)
    assert KernelSimulator.play(cast("Any", simulator), 7, rows) == 0
    assert asked == [(7, 2)]
    assert rows["base"]["number"].tolist() == [0, 1, 2, 3]
    assert rows["character"][:, 0].tolist() == [0.0] * 4, "at least one half from the start"
    assert rows["character"][:, 1].tolist() == [0.0, 0.0, 1.0, 1.0], "at least .8 from the start, or never"


@pytest.mark.parametrize(("decider", "named"), [(2, True), (2, False), (-1, True)])
def test_a_position_keeps_the_pending_decision(decider: int, named: bool) -> None:
    """The seat that a decision is about may differ from the seat that decides."""
    fields = [("kind", "i8"), ("count", "i8"), ("moves", "i8", (5,)), *[("seat", "i8")] * named]
    choice = np.zeros(1, fields)
    choice["kind"], choice["count"], choice["moves"] = 1, 3, [7, 8, 9, 99, 99]
    if named:
        choice["seat"] = 4
    asked: list[Any] = []

    def run(*given: Any) -> tuple[int, str]:
        asked.append(given)
        return decider, "record"

    class Stopped(StatePosition):
        DECISIONS = ("build", "choose")

        def __init__(self) -> None:
            self.machine, self.words = SimpleNamespace(run=run, choice=choice[0]), np.zeros(2, np.uint64)

        def view(self, seat: int | None = None) -> Any: ...
        def moves(self) -> Any: ...
        def scores(self) -> Any: ...
        def standing(self) -> Any: ...
        def columns(self, history: bool = True) -> Any: ...

    position = Stopped()
    position.take(2)
    assert asked.pop()[1:] == (STEP, 2, EVERYTHING, 0)
    assert position.to_move == (2 if decider == 2 else None)
    assert position.choice == (1, 4 if named else 2)
    assert position.coded.tolist() == ([7, 8, 9] if decider == 2 else [])
    assert position.decision() == "choose"
    assert position.moment == ({"to_move": 2, "decision": "choose"} if decider == 2 else {})
    choice["moves"][:] = 0
    assert position.coded.tolist() == ([7, 8, 9] if decider == 2 else []), "a copy"
    copy = position.redrawn(1, 77, 5)
    assert asked.pop()[1:] == (REDRAW, 5, 1, 77)
    copy.words[0] = 9
    assert position.words[0] == 0


def test_a_calibration_uses_the_latest_phase_that_has_begun() -> None:
    calibration = Calibration(np.array([0, 3]), np.array([[1.0, 1.0], [2.0, 2.0]]), np.array([[0.0, 0.0], [0.0, 1.0]]))
    chances, policies = np.array([[0.8, 0.2]] * 4), np.array([[0, 1]] * 4)
    found = calibration(chances, np.array([-1, 2, 3, 9]), policies)
    late = 1 / (1 + np.exp(1.0) / 16)  # odds of 4 squared, and e for the second policy
    assert found[:, 0].tolist() == pytest.approx([0.8, 0.8, late, late])


FACTS = (
    Fact("coins", "i2", "coins", view=True, start="coins_at_start", most=90, least=1),
    Fact("debts", "i2", "debts", view=True, shown=NONZERO, most=9),
    Fact("done", "u1", "whether it is done", view=True, shown=FLAG, most=1),
    Fact("kept", "i2", "expansion", view=True, shown=WITH_EXPANSION, most=5),
    Fact("pair", "i2", "two numbers", count=2, view=True, most=5),
    Fact("kinds", "i2", "by kind", count=2, view="of_kind", inside="more", kinds=("red", "blue"), most=3),
    Fact("secret", "i2", "in no view", most=3),
)


def record_of(**values: Any) -> Any:
    record = np.zeros(1, [(fact.name, "i2", (3, fact.count) if fact.count else (3,)) for fact in FACTS])[0]
    for name, value in values.items():
        record[name][1] = value
    return record


def test_optional_facts_are_shown_only_if_not_zero() -> None:
    empty = facts_shown(FACTS, record_of(), 1)
    assert empty == {"coins": 0, "pair": [0, 0]}
    assert facts_shown(FACTS, record_of(), 1, expansion=True) == {"coins": 0, "kept": 0, "pair": [0, 0]}
    full = record_of(coins=7, debts=2, done=1, kept=4, pair=(0, 3), kinds=(0, 2), secret=1)
    shown = facts_shown(FACTS, full, 1)
    assert shown == {"coins": 7, "debts": 2, "done": True, "kept": 4, "pair": [0, 3], "more": {"of_kind": {"blue": 2}}}
    assert facts_shown(FACTS, full, 0) == {"coins": 0, "pair": [0, 0]}
    alone = {fact.name: full[fact.name][1] for fact in FACTS}
    assert facts_shown(FACTS, alone, None) == shown


def test_written_facts_are_bounded_and_others_get_their_start_values() -> None:
    rules, facts = SimpleNamespace(coins_at_start=3), [fact for fact in FACTS if fact.view]
    record = record_of(debts=9)
    set_facts(facts, {"kept": 5, "pair": [1, 5], "done": True, "more": {"of_kind": {"red": 1}}}, "seat 1", record, 1,
              rules)  # fmt: skip
    assert [int(record[name][1]) for name in ("coins", "debts", "done", "kept")] == [3, 0, 1, 5]
    assert (record["pair"][1].tolist(), record["kinds"][1].tolist()) == ([1, 5], [1, 0])
    assert not record["kept"][[0, 2]].any()
    wrong = {"coins": 91, "debts": -1, "pair": [1, 2, 3], "kept": True, "more": {"of_kind": {"green": 1}, "x": 1}}
    with pytest.raises(UserError) as caught:
        set_facts(facts, wrong, "seat 1", record, 1, rules)
    assert [line.partition(" must")[0] for line in str(caught.value).splitlines()][:4] == [
        "coins of seat 1", "also: debts of seat 1", "also: kept of seat 1", "also: pair of seat 1"
    ]  # fmt: skip
    assert "whole number from 1 to 90, not 91" in str(caught.value)
    assert "must be 2 numbers (two numbers), not [1, 2, 3]" in str(caught.value)
    assert "more of seat 1 has no 'x'" in str(caught.value)
    assert "of_kind in more of seat 1 has no 'green'" in str(caught.value)


def test_written_position_fields_are_accepted_up_to_their_bounds() -> None:
    assert [parse_int_in_range("x", value, 1, 3) for value in (1, 3)] == [1, 3]
    for value in (0, 4, True, 2.0, "2"):
        with pytest.raises(UserError, match="x must be a whole number from 1 to 3"):
            parse_int_in_range("x", value, 1, 3)
    assert listed("x", ["a"], str) == ["a"]
    assert listed("x", [], int) == []
    cases: list[tuple[Any, Any, str]] = [(["a", 1], str, "names"), ([True], int, "numbers"), ("ab", str, "names")]
    cases.append(([1], Mapping, "objects"))
    for given, kind, words in cases:
        with pytest.raises(UserError, match=f"must be a list of {words}"):
            listed("x", given, kind)
    with pytest.raises(UserError, match="must be an object of numbers"):
        object_in("x", [])
    refuse_unknown("x", ["a", "old"], ["a"], ["old"])
    with pytest.raises(UserError, match=r"x has no 'b': it has a"):
        refuse_unknown("x", ["b"], ["a"], ["old"])
    assert counts("x", {"b": 99}, ["a", "b"]) == [0, 99]
    with pytest.raises(UserError, match="b in x must be a whole number from 0 to 99, not 100"):
        counts("x", {"b": 100}, ["a", "b"])


def test_line_ups_start_at_seat_0_and_searchers_are_replaced_by_their_nets() -> None:
    plan = Plan.make(players=3, policies="greedy,search,random", rotate=True)
    assert [seated(plan, number) for number in (0, 1, 5)] == [
        ("greedy", "search", "random"), ("search", "random", "greedy"), ("random", "greedy", "search")
    ]  # fmt: skip
    assert playout_line_up(plan, 1) == ("net", "random", "greedy")
    fixed_seats = plan.replace(rotate=False)
    assert seated(fixed_seats, 5) == ("greedy", "search", "random")
    assert names_of(("net", "net")) == "net"
    assert names_of(("net", "greedy")) == "net,greedy"


def test_a_position_file_is_accepted_up_to_its_bounds() -> None:
    file: dict[str, Any] = {"format": FORMAT, "game": "seven_wonders", "plan": {"players": 3}, "steps": []}
    plan, number, position, steps = read(json.dumps(file))
    assert (plan.players, number, position, steps) == (3, 0, None, [])
    blank = json.dumps(file)
    assert read(blank + " " * (MAX_LETTERS - len(blank)))[1] == 0
    with pytest.raises(UserError, match="at most 4,194,304 characters, not 4,194,305"):
        read(blank + " " * (MAX_LETTERS - len(blank) + 1))
    with pytest.raises(UserError, match=f"at most {MAX_STEPS} steps, not {MAX_STEPS + 1}"):
        read(json.dumps({**file, "steps": [0] * (MAX_STEPS + 1)}))
    with pytest.raises(UserError, match="dealt by version 1 of the random streams"):
        read(json.dumps({**file, "steps": [0] * MAX_STEPS}))
    for key, value, noun in (("seat", True, "a whole number"), ("plan", [], "an object"), ("steps", {}, "a list"),
                             ("number", "1", "a whole number"), ("game", None, "a name")):  # fmt: skip
        with pytest.raises(UserError, match=f"the {key} of a position file.* must be {noun}"):
            read(json.dumps({**file, key: value}))
    assert read(json.dumps({**file, "seat": None, "position": None}))[2] is None


def test_a_run_serves_only_its_games_and_runs_no_code_without_consent() -> None:
    plan: Any = SimpleNamespace(games=5, code=("mine.py",), code_in_words=lambda: "policy mine")
    run: Any = SimpleNamespace(plan=plan, path="study", wanted=range(2, 5))
    for number in (0, 4):
        with pytest.raises(UserError, match="replaying a game of 'study' would run its policy mine"):
            trace_of_run(run, number)
    for wrong in (-1, 5, True, 2.0, "2"):
        with pytest.raises(UserError, match="the run contains games 0 to 4, not"):
            trace_of_run(run, cast("Any", wrong))
    for number in (2, 4):
        with pytest.raises(UserError, match="replaying games of 'study' would run its policy mine"):
            game_of_run(run, number)
    for wrong in (1, 5, True, "2"):
        with pytest.raises(UserError, match="its games are 2 to 4"):
            refuse_other_game(run, cast("Any", wrong))
