"""The page of one game: scenes agree with the trace, chances with playouts, and the page is self-contained."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Command
from tests.report.test_page import VOID
from tests.tiers import first_quick
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.positions.chances import Chances, chances, line_up_of, playouts_of, swings
from wsim.positions.players import names_of, playout_line_up
from wsim.positions.scenes import Event, Story
from wsim.report.game_page import Replay, render, replay_of, write_replay

PLANS: dict[str, dict[str, Any]] = {
    "three": {"players": 3, "seed": 7},
    "four": {"players": 4, "seed": 7},
    "seven": {"players": 7, "seed": 7},
    "teams": {"ruleset": "2e-cities-teams", "players": 6, "seed": 7},
    "duo": {"ruleset": "1e-duo", "players": 2, "seed": 7},
    "babel": {"game": "tower_of_babel", "players": 4, "seed": 7},
}
DATA = re.compile(r'<script type="application/json" id="game">(.*?)</script>', re.DOTALL)
every_plan = pytest.mark.parametrize("name", PLANS)


@cache
def story(name: str, number: int = 0) -> tuple[Story, dict[str, Any]]:
    """Return the scenes of a game, and its trace."""
    plan = Plan.make(**PLANS[name])
    simulator = find_game(plan.game).prepare(plan)
    return simulator.story(number), simulator.trace(number)


@cache
def replay(name: str) -> Replay:
    plan = Plan.make(**PLANS[name])
    return replay_of(plan, find_game(plan.game).prepare(plan), 0, playouts=20)


# --- scenes -----------------------------------------------------------------------------------------------------------


@every_plan
@first_quick(1, "number", range(6))
def test_a_scene_for_each_turn_and_the_start(name: str, number: int) -> None:
    game, trace = story(name, number)
    turns = trace["turns"] if "turns" in trace else [turn for age in trace["ages"] for turn in age["turns"]]
    assert len(game.scenes) == len(game.positions) == 1 + len(turns)
    assert [position.to_move is None for position in game.positions] == [False] * len(turns) + [True]


@every_plan
def test_the_final_points_equal_the_scores(name: str) -> None:
    game, trace = story(name)
    assert [sum(city.points) for city in game.scenes[-1].cities] == [score["total"] for score in trace["scores"]]
    for place, category in enumerate(game.categories):
        key = category.replace(" ", "_")
        assert [city.points[place] for city in game.scenes[-1].cities] == [score[key] for score in trace["scores"]]


@pytest.mark.parametrize("name", ["three", "seven", "teams", "duo"])
def test_coins_and_hands_match_the_trace(name: str) -> None:
    game, trace = story(name)
    scenes = iter(game.scenes)
    next(scenes)
    for age in trace["ages"]:
        for turn in age["turns"]:
            scene = next(scenes)
            assert [city.facts["coins"] for city in scene.cities] == turn["coins"]
            if turn["turn"] == 1:
                for city, dealt in zip(scene.cities, age["hands"], strict=False):
                    held = Counter(one.name for one in city.hand)
                    assert not Counter(dealt) - held  # the Free City's card joins a hand (R46)
            played = {move["seat"]: move["card"] for move in turn["moves"] if move["seat"] < len(age["hands"])}
            for seat, card in played.items():
                assert [one.name for one in scene.cities[seat].hand if one.note].count(card) == 1
            paid = sum(
                move.get(side, 0) for move in (*turn["moves"], *turn.get("extra", ())) for side in ("left", "right")
            )
            assert sum(int(flow.text) for flow in scene.flows) == paid
    assert next(scenes, None) is None


def test_neighbours_are_paid_on_the_right_side() -> None:
    game, trace = story("seven")
    flows = [(flow.giver, flow.taker, int(flow.text)) for scene in game.scenes for flow in scene.flows]
    moves = [
        move for age in trace["ages"] for turn in age["turns"] for move in (*turn["moves"], *turn.get("extra", ()))
    ]
    left = [(move["seat"], (move["seat"] + 1) % 7, move["left"]) for move in moves if move.get("left")]
    right = [(move["seat"], (move["seat"] - 1) % 7, move["right"]) for move in moves if move.get("right")]
    assert sorted(flows) == sorted(left + right)
    assert left
    assert right


def test_a_conflict_is_shown_at_the_end_of_its_age() -> None:
    game, trace = story("three")
    assert [place for place, scene in enumerate(game.scenes) if scene.clashes] == [6, 12, 18]
    fought = [(tuple(one["seats"]), tuple(one["shields"])) for one in trace["ages"][1]["conflicts"]]
    assert [(clash.seats, clash.strengths) for clash in game.scenes[12].clashes] == fought
    assert sum("Conflict" in event.text for event in game.scenes[12].events) == len(fought)


def test_face_down_cards_are_hidden() -> None:
    """Cards that are sold or buried under a stage are hidden from the other seats (R49)."""
    for name in ("three", "teams", "duo"):
        game, trace = story(name)
        hidden = [
            move["card"]
            for age in trace["ages"]
            for turn in age["turns"]
            for move in (*turn["moves"], *turn.get("extra", ()))
            if move["action"] != "build"
        ]
        veiled = [event for scene in game.scenes for event in scene.events if event.veiled is not None]
        assert len(veiled) == len(hidden)
        for event, card in zip(veiled, hidden, strict=True):
            assert card in event.text
            assert card not in str(event.veiled)


def test_cards_drawn_in_babel_are_hidden() -> None:
    game, _ = story("babel")
    drawn = [event for scene in game.scenes for event in scene.events if event.text.startswith(("draws", "passes"))]
    assert drawn
    assert all(re.fullmatch(r"(passes and )?draws (\d+ cards?|an action card)", str(one.veiled)) for one in drawn)


def test_the_board_of_babel_loses_its_discs() -> None:
    game, trace = story("babel")
    left = [sum(place is not None for row in scene.board for place in row.places) for scene in game.scenes]
    built = [sum(action.get("completed", False) for action in turn["actions"]) for turn in trace["turns"]]
    assert left == [24, *(24 - np.cumsum(built)).tolist()]
    given = [flow for scene in game.scenes for flow in scene.flows]
    assert len(given) == sum(
        len(action["taken"]) for turn in trace["turns"] for action in turn["actions"] if action.get("completed")
    )


def test_shared_victories_are_shown() -> None:
    assert [seat.side for seat in story("teams")[0].seats] == [0, 0, 1, 1, 2, 2]
    assert [(seat.name, seat.side) for seat in story("duo")[0].seats][-1] == ("Free City", -1)


# --- chances ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
def test_chances_are_shares_within_their_intervals_and_end_with_the_result(name: str) -> None:
    game, found = replay(name), replay(name).chances
    players = [place for place, seat in enumerate(game.story.seats) if seat.side >= 0]
    assert found.share.shape == (len(game.story.scenes), len(game.story.seats))
    assert ((found.low <= found.share + 1e-12) & (found.share <= found.high + 1e-12))[:, players].all()
    scores = story(name)[1]["scores"]
    assert found.share[-1].tolist() == pytest.approx([score["win_share"] for score in scores], abs=1e-6)
    assert (found.low[-1] == found.high[-1]).all()


@pytest.mark.slow
def test_a_spectator_knows_the_end_of_a_game_without_luck() -> None:
    """In the last age without random policies, a spectator who sees all hands knows the winner, but no seat does."""
    simulator = find_game("seven_wonders").prepare(Plan.make(players=3, policies="balanced", seed=3))
    unsure = 0
    for number in range(8):
        position = simulator.begin(number)
        while position.view(None)["age"] < 3 or position.view(None)["turn"] < 2:
            position.follow()
        found = chances([position.clone()], simulator, 10, 1, (0, 1, 2))
        while position.to_move is not None:
            position.follow()
        assert found.outside[0].tolist() == [score["win_share"] for score in position.scores()]
        unsure += found.share[0].tolist() != found.outside[0].tolist()
    assert unsure


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
def test_spectator_chances_add_up_to_1(name: str) -> None:
    game, found = replay(name), replay(name).chances
    sides = {seat.side: place for place, seat in enumerate(game.story.seats) if seat.side >= 0}
    assert found.outside[:, list(sides.values())].sum(axis=1) == pytest.approx(1, abs=1e-6)
    assert found.outside[-1].tolist() == found.share[-1].tolist()
    page = DATA.search(render(game))
    assert page is not None
    shown = np.array(json.loads(page[1])["outside"])
    assert (shown[:, list(sides.values())].sum(axis=1) == 100).all()
    assert np.abs(shown - 100 * found.outside).max() < 1


def test_a_chance_uses_only_what_the_seat_knows() -> None:
    """With all hands visible, the last age is decided; a seat that does not know them has a chance between 0 and 1."""
    found = replay("four").chances
    assert ((found.share[13] > 0) & (found.share[13] < 1)).any()


def test_playout_policies_sit_as_in_the_game() -> None:
    plan = Plan.make(players=4, policies=("balanced", "military", "science", "civilian"))
    for number in range(5):
        playing = line_up_of(plan, number)
        assert [seat["policy"] for seat in playing.trace(0)["seats"]] == [
            seat["policy"] for seat in find_game(plan.game).prepare(plan).trace(number)["seats"]
        ]


@pytest.mark.parametrize(
    ("game", "own"), [({}, "net"), ({"game": "tower_of_babel", "players": 4}, "net"), ({"players": 4}, "net")]
)
def test_a_searcher_is_replaced_by_its_own_playout_policy(game: dict[str, Any], own: str) -> None:
    plan = Plan.make(**game, policies=("search:playouts=9", "greedy", "random", "greedy"))
    assert playout_line_up(plan, 0) == (own, "greedy", "random", "greedy")
    assert playout_line_up(plan, 1) == ("greedy", "random", "greedy", own)
    assert playout_line_up(plan.replace(rotate=False), 1) == playout_line_up(plan, 0)
    assert playout_line_up(plan.replace(policies="search"), 3) == (own,)
    assert names_of(playout_line_up(plan, 1)) == f"greedy,random,greedy,{own}"


def test_swings_are_clear_and_sorted_by_size() -> None:
    share = np.array([[0.5, 0.3], [0.9, 0.1], [0.88, 0.1], [0.2, 0.5], [1.0, 0.0]])
    found = swings(Chances(share, share, share, share, 1000), [0, 1])
    assert [(one.step, one.seat, one.before, one.after) for one in found] == [
        (4, 0, 0.2, 1.0),
        (3, 0, 0.88, 0.2),
        (1, 0, 0.5, 0.9),
    ]
    few = share[:2]
    assert swings(Chances(few, few, few, few, 4), [0, 1]) == []  # four playouts tell nothing
    assert len(swings(Chances(share, share, share, share, 1000), [0, 1], most=2)) == 2


@pytest.mark.parametrize("playouts", [1, -3, 1_000_001])
def test_an_impossible_number_of_playouts_is_rejected(playouts: int) -> None:
    plan = Plan.make(players=3)
    simulator = find_game(plan.game).prepare(plan)
    with pytest.raises(UserError, match=f"^playouts must be from 2 to 1,000,000, not {playouts}$"):
        replay_of(plan, simulator, 0, playouts)


# --- the page ---------------------------------------------------------------------------------------------------------


@first_quick(2, "name", PLANS)
def test_every_element_is_closed_and_nothing_is_fetched(name: str) -> None:
    page = render(replay(name))
    outside = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)
    opened = Counter(tag for tag in re.findall(r"<([a-z0-9]+)", outside) if tag not in VOID | {"polyline", "polygon"})
    closed = Counter(re.findall(r"</([a-z0-9]+)", outside))
    closed.subtract({tag: closed[tag] for tag in ("polyline", "polygon")})
    assert +opened == +closed
    assert not re.search(r"(?:https?:)?//(?!www\.w3\.org/2000/svg)[a-z]", re.sub(r"//[ A-Z-].*", "", page))
    assert not re.search(r'\b(?:src|href)="(?!data:,"|#icon-)', page)
    ids = re.findall(r'\bid="([^"]+)"', outside)
    assert len(ids) == len(set(ids))


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
def test_the_same_plan_makes_the_same_page(name: str) -> None:
    plan = Plan.make(**PLANS[name])
    again = replay_of(plan, find_game(plan.game).prepare(plan), 0, playouts=20)
    assert render(again) == render(replay(name))


@pytest.mark.slow
def test_the_page_data_match_the_scenes() -> None:
    found = DATA.search(render(replay("teams")))
    assert found is not None
    data = json.loads(found[1])
    assert [scene["label"] for scene in data["scenes"]] == [scene.label for scene in replay("teams").story.scenes]
    assert len(data["shares"]) == len(data["scenes"])
    shown = {card["kind"] for scene in data["scenes"] for city in scene["cities"] for card in city["hand"]}
    assert shown
    assert shown <= set(data["kinds"])


def test_names_cannot_break_out_of_the_page() -> None:
    one = replay("three")
    evil = "</script><script>alert(1)</script>"
    first = one.story.scenes[0]
    scene = dataclasses.replace(first, label=evil, events=[Event(evil), Event(evil, 1, evil + '"')])
    seats = [dataclasses.replace(seat, name=evil, policy=evil) for seat in one.story.seats]
    changed = dataclasses.replace(one.story, scenes=[scene, *one.story.scenes[1:]], seats=seats)
    page = render(dataclasses.replace(one, story=changed))
    assert "<script>alert" not in page
    assert page.count("<script") == render(one).count("<script")
    found = DATA.search(page)
    assert found is not None
    assert json.loads(found[1])["scenes"][0]["label"] == evil


def test_the_page_says_how_it_was_made(tmp_path: Path) -> None:
    target = write_replay(replay("three"), tmp_path / "game.html")
    page = target.read_text(encoding="utf-8")
    assert "wsim trace --game seven_wonders --ruleset 1e --players 3 --games 1 --seed 7" in page
    assert "--first 0 --format html --playouts 20" in page


def test_an_unwritable_page_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder: name the file"):
        write_replay(replay("three"), tmp_path)
    with pytest.raises(UserError, match="does not exist"):
        write_replay(replay("three"), tmp_path / "nowhere" / "game.html")


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_page_is_written_to_the_named_file(wsim_command: Command, toy: None) -> None:
    answer = wsim_command("trace", "--first", "3", "--format", "html", "-o", "game.html", "--playouts", "5")
    assert (answer.code, answer.out) == (0, "game.html\n")
    assert ", game 3</h1>" in Path("game.html").read_text(encoding="utf-8")
    assert wsim_command("trace", "--first", "3", "-o", "again.html", "--playouts", "5").code == 0  # told by its name
    assert Path("again.html").read_bytes() == Path("game.html").read_bytes()


@pytest.mark.slow
def test_a_page_can_be_written_to_a_pipe(wsim_command: Command, toy: None) -> None:
    answer = wsim_command("trace", "--format", "html", "--playouts", "5")
    assert answer.out.startswith("<!DOCTYPE html>")
    assert list(Path().iterdir()) == []


@pytest.mark.slow
def test_on_a_terminal_a_page_gets_a_name(wsim_command: Command, toy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    answer = wsim_command("trace", "--format", "html", "--playouts", "5", "--seed", "4", "--first", "2")
    assert answer.out == "replay-4-2.html\n"
    assert Path("replay-4-2.html").is_file()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("--format", "html", "--games", "3"),
            "a page shows one game, not 3: choose it with --first, without --games",
        ),
        (("--format", "html", "--playouts", "1"), "playouts must be from 2 to 1,000,000, not 1"),
        (("--playouts", "9"), "--playouts has no effect on json: add --why or --format html"),
        (("--format", "html", "-o", "nowhere/x.html"), "the folder 'nowhere' does not exist"),
        (("--format", "html", "-o", "."), "'.' is a folder: name the file, such as 'report.html'"),
    ],
)
def test_mistakes_are_reported_in_one_sentence(
    wsim_command: Command, toy: None, words: tuple[str, ...], sentence: str
) -> None:
    answer = wsim_command("trace", *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.strip() == f"wsim: {sentence}"
    assert list(Path().iterdir()) == []


def test_a_missing_extra_is_reported(wsim_command: Command, toy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wsim.report.page.find_spec", lambda name: None)
    answer = wsim_command("trace", "--format", "html")
    assert (answer.code, answer.err) == (2, "wsim: a replay page needs the extra: pip install 'wsim[report]'\n")


@pytest.mark.slow
def test_a_page_of_a_run_names_its_game(wsim_command: Command, toy: None) -> None:
    assert wsim_command("run", "--games", "20", "--seed", "9", "--out", "run", "--quiet").code == 0
    answer = wsim_command("trace", "run", "--first", "4", "-o", "game.html", "--playouts", "5")
    assert (answer.code, answer.out, answer.err) == (0, "game.html\n", "")
    page = Path("game.html").read_text(encoding="utf-8")
    assert "--seed 9" in page
    found = DATA.search(page)
    assert found is not None
    totals = [sum(city["points"]) for city in json.loads(found[1])["scenes"][-1]["cities"]]
    assert len(totals) == 4
    trace = json.loads(wsim_command("trace", "run", "--first", "4").out)
    assert [seat["policy"] for seat in trace["seats"]] == [seat["policy"] for seat in json.loads(found[1])["seats"]]


@pytest.mark.slow
def test_chances_by_the_value_net_need_no_playouts() -> None:
    plan = Plan.make(players=3, policies="balanced", seed=5)
    simulator = find_game(plan.game).prepare(plan)
    replay = replay_of(plan, simulator, 0)
    page = render(replay)
    assert "by the value net, calibrated with the policies at the table" in page
    assert "--playouts" not in page
    assert replay.chances.outside.sum(axis=1) == pytest.approx(1)
    assert ((replay.chances.share >= 0) & (replay.chances.share <= 1)).all()
    assert (replay.chances.low == replay.chances.high).all()
    assert replay.chances.share[-2].argmax() in np.flatnonzero(replay.chances.share[-1])  # nearly over
    duo = Plan.make(ruleset="1e-duo", players=2, policies="balanced")
    with pytest.raises(UserError, match="no value net for this table of seven_wonders: give --playouts 2 or more"):
        replay_of(duo, find_game(duo.game).prepare(duo), 0, playouts=0)
    assert playouts_of(line_up_of(duo, 0), 7) == 7
