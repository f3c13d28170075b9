"""The guarantees of ``wsim.game``, tested on every game: the built-in games, and the toy game as a third one.

A new game is a line in ``ROWS``; facts that only the game can know are in its row (``tests.games.rows``).
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import wsim
from tests.columns import assert_declared
from tests.conftest import Command
from tests.games import row_babel, row_toy, row_wonders
from tests.games.rows import Row
from tests.tiers import each_third_quick, first_quick
from wsim.game import GAMES, Game, Simulator, analyses_of, find_game
from wsim.lab.batch import play
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted
from wsim.lab.run import record
from wsim.lab.store import Run, load_run
from wsim.stats.analysis import Analysis
from wsim.stats.columns import PLAYER_HALF_WIDTH
from wsim.stats.tables import Table

pytestmark = pytest.mark.usefixtures("toy_among_games")

ROWS = (row_wonders.ROW, row_babel.ROW, row_toy.ROW)
LAYINGS = [pytest.param(row, table, id="-".join(map(str, table.values()))) for row in ROWS for table in row.tables]
CHEAP = {"search": "search:playouts=10", "endgame": "endgame:playouts=10"}
"""Line-up entries of slow policies, used instead of their names."""
PLAYERS = [
    pytest.param(
        row,
        CHEAP.get(policy["name"], policy["name"]),
        id=policy["name"],
        marks=[pytest.mark.slow] * (policy["name"] in CHEAP),
    )
    for row in ROWS
    for policy in row.game.policies()
]

each_game = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.game.NAME)
each_table = each_third_quick(("row", "table"), LAYINGS)
few_tables = first_quick(3, ("row", "table"), LAYINGS[::-1])
each_policy = pytest.mark.parametrize(("row", "policy"), PLAYERS)
of_the_toy_first = first_quick(1, "played", ROWS[::-1], indirect=True, ids=lambda row: row.game.NAME)


@pytest.fixture(scope="module", params=ROWS, ids=lambda row: row.game.NAME)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Row, Run]:
    """Play a run of a mixed line-up at the game's default table, with picks."""
    row: Row = request.param
    folder = tmp_path_factory.mktemp("conformance") / row.game.NAME
    policies = row.line_up[: row.game.default_plan()["players"]]
    plan = Plan.make(game=row.game.NAME, games=800, picks=True, seed=5, policies=policies)
    return row, record(plan, folder, shard=500)


def ready(row: Row, table: Mapping[str, Any], **more: Any) -> tuple[Plan, Simulator]:
    plan = row.plan(table, **more)
    return plan, row.game.prepare(plan)


def rows_of(simulator: Simulator, games: int, first: int = 0) -> Any:
    rows = np.zeros(games * simulator.seats, simulator.row_dtype)
    simulator.play(first, rows)
    return rows


# --- the protocol -----------------------------------------------------------------------------------------------------


def test_every_game_is_tested() -> None:
    assert [row.game.NAME for row in ROWS] == list(GAMES)


@each_game
def test_a_game_implements_the_protocol(row: Row) -> None:
    assert {"default_plan", "prepare", "policies"} == Game.__abstractmethods__
    assert {"play", "provenance"} == Simulator.__abstractmethods__
    assert isinstance(row.game, Game)
    assert find_game(row.game.NAME) is row.game
    for texts in (row.game.OPTIONS, row.game.OWNED, row.game.COLOURS, row.game.ANALYSES):
        assert all(text for pair in texts.items() for text in pair)
    assert row.game.cold() >= 0


@each_game
def test_the_default_plan_can_be_played(row: Row) -> None:
    plan = Plan.make(game=row.game.NAME, games=5)
    assert wsim.simulate(plan)["game"].n_unique() == 5
    assert set(row.game.default_plan()) <= {"ruleset", "players", "policies", "rotate", "games", *row.game.OPTIONS}


@each_game
def test_policies_are_documented(row: Row) -> None:
    for policy in row.game.policies():
        assert set(policy) == {"name", "kind", "idea", "parameters", "source", "random"}
        assert policy["name"]
        assert policy["idea"]


# --- plans and games --------------------------------------------------------------------------------------------------


@each_table
def test_a_plan_survives_each_serialisation(row: Row, table: Mapping[str, Any], tmp_path: Path) -> None:
    plan = row.plan(table)
    (tmp_path / "plan.toml").write_text(plan.to_toml(), encoding="utf-8")
    assert Plan.from_toml(tmp_path / "plan.toml") == plan
    assert Plan.restore(json.loads(json.dumps(plan.as_dict()))) == plan
    assert plan.replace(games=7).replace(games=plan.games) == plan


@each_table
def test_games_do_not_depend_on_chunks_threads_or_each_other(row: Row, table: Mapping[str, Any]) -> None:
    _, simulator = ready(row, table)
    games = 60
    whole = rows_of(simulator, games)
    for number in range(games):
        alone = whole[number * simulator.seats : (number + 1) * simulator.seats]
        assert (rows_of(simulator, 1, number) == alone).all(), number
    cuts = [(0, 1), (1, 12), (13, 40), (53, 7)]
    with ThreadPoolExecutor(3) as pool:
        parts = list(pool.map(lambda cut: rows_of(simulator, cut[1], cut[0]), reversed(cuts)))
    assert (np.concatenate(parts[::-1]) == whole).all()
    far = rows_of(simulator, 3, 2**43)
    assert (rows_of(simulator, 1, 2**43 + 2) == far[2 * simulator.seats :]).all()


@each_table
def test_recording_picks_changes_nothing(row: Row, table: Mapping[str, Any]) -> None:
    _, simulator = ready(row, table)
    games = 20
    rows = np.zeros(games * simulator.seats, simulator.row_dtype)
    picks = np.zeros(games * simulator.picks_per_game, simulator.pick_dtype)
    written = simulator.play(0, rows, picks)
    assert (rows == rows_of(simulator, games)).all()
    frame = simulator.picks_frame(picks[:written])
    assert len(frame) == written
    assert frame["game"].is_sorted()
    assert frame["game"].unique().to_list() == list(range(games))
    assert (frame.group_by("game").len()["len"] <= simulator.picks_per_game).all()
    assert frame["seat"].max() < simulator.seats  # type: ignore[operator]
    assert simulator.picks_frame(picks[:0]).schema == frame.schema


@each_game
@pytest.mark.parametrize("threads", [3, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("chunk", [7, pytest.param(None, marks=pytest.mark.slow)])
def test_frames_do_not_depend_on_threads_and_chunks(row: Row, threads: int, chunk: int | None) -> None:
    _, simulator = ready(row, row.tables[-1])

    def frames(**how: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
        chunks = list(play(simulator, [range(300)], picks=True, **how))
        return pl.concat([one.seats for one in chunks]), pl.concat(
            [one.picks for one in chunks if one.picks is not None]
        )

    for one, other in zip(frames(threads=threads, chunk=chunk), frames(threads=1, chunk=300), strict=True):
        assert_frame_equal(one, other)


@each_game
def test_the_deal_does_not_depend_on_the_line_up(row: Row) -> None:
    for table in row.tables[::3]:
        line_ups = [row.line_up, row.line_up[::-1]]
        traces = [ready(row, table, policies=names[: table["players"]])[1].trace(3) for names in line_ups]
        assert row.dealt(traces[0]) == row.dealt(traces[1])
        assert row.dealt(traces[0]) != row.dealt(ready(row, table)[1].trace(4))


@each_table
def test_rotation_moves_the_line_up_by_one_seat_per_game(row: Row, table: Mapping[str, Any]) -> None:
    plan, simulator = ready(row, table)
    frame = simulator.seats_frame(rows_of(simulator, 9)).filter(pl.col("seat") < plan.players)
    turned = [plan.policies[(seat + game) % plan.players] for game in range(9) for seat in range(plan.players)]
    assert frame["policy"].cast(pl.String).to_list() == turned
    still = row.game.prepare(plan.replace(rotate=False))
    frame = still.seats_frame(rows_of(still, 9)).filter(pl.col("seat") < plan.players)
    assert frame["policy"].cast(pl.String).to_list() == list(plan.policies) * 9


# --- conservation -----------------------------------------------------------------------------------------------------


@each_table
def test_rows_add_up(row: Row, table: Mapping[str, Any]) -> None:
    plan, simulator = ready(row, table, games=200)
    seats = simulator.seats_frame(rows_of(simulator, 200))
    assert seats["game"].to_list() == [game for game in range(200) for _ in range(simulator.seats)]
    assert seats["seat"].to_list() == list(range(simulator.seats)) * 200
    points = [name for name in seats.columns if name.startswith("points_")]
    total = seats.select(pl.sum_horizontal(pl.col(points).cast(pl.Int64))).to_series()
    assert (total == seats["total"]).all()
    assert (seats.filter(pl.col("rank") == 0)["seat"] >= plan.players).all()
    players = seats.filter(pl.col("rank") > 0)
    assert len(players) == 200 * plan.players
    assert ((players["rank"] == 1) == (players["win_share"] > 0)).all()
    assert seats.filter(pl.col("rank") == 0)["win_share"].sum() == 0
    side = pl.col("team") if "team" in seats.columns else pl.col("seat")
    parties = players.group_by("game", side).agg(
        pl.col("win_share", "rank").n_unique(), pl.col("win_share").first().alias("s")
    )
    assert parties["win_share"].max() == parties["rank"].max() == 1
    shares = parties.group_by("game").agg(
        pl.col("s").sum(), (pl.col("s") > 0).sum().alias("winners"), pl.col("s").max().alias("m")
    )
    assert shares["s"].to_numpy() == pytest.approx(1)
    assert (shares["m"] * shares["winners"]).to_numpy() == pytest.approx(1)
    sums = players.group_by("game", side).agg(pl.col("total").cast(pl.Int64).sum(), pl.col("rank").first())
    best = sums.group_by("game").agg((pl.col("total").filter(pl.col("rank") == 1) == pl.col("total").max()).all())
    assert best["total"].all()
    row.conserved(seats)


@each_table
def test_every_item_of_a_seat_has_a_column(row: Row, table: Mapping[str, Any]) -> None:
    _, simulator = ready(row, table)
    frame = simulator.seats_frame(rows_of(simulator, 1))
    for prefix in row.game.OWNED:
        kinds = {frame.schema[name] for name in frame.columns if name.startswith(prefix)}
        assert kinds
        assert all(kind == pl.Boolean or kind.is_integer() for kind in kinds)
    assert isinstance(frame.schema["policy"], pl.Enum)


@each_table
def test_an_empty_change_has_no_effect(row: Row, table: Mapping[str, Any]) -> None:
    plan, simulator = ready(row, table)
    assert list(simulator.changed(row.game.prepare(plan))) == []


# --- traces -----------------------------------------------------------------------------------------------------------


@few_tables
def test_a_trace_replays_the_game_of_the_rows(row: Row, table: Mapping[str, Any]) -> None:
    plan, simulator = ready(row, table)
    frame = simulator.seats_frame(rows_of(simulator, 5, 30))
    for number in range(30, 35):
        trace = simulator.trace(number)
        line = json.dumps(trace)
        assert json.loads(line) == trace
        assert json.dumps(row.game.prepare(plan).trace(number)) == line
        head = {
            "format": "wsim-trace/1",
            "game": plan.game,
            "ruleset": plan.ruleset,
            "seed": plan.seed,
            "index": number,
        }
        assert {name: trace[name] for name in head} == head
        game = frame.filter(pl.col("game") == number)
        labels = [seat["policy"] for seat in trace["seats"]]
        assert labels[: plan.players] == game["policy"].cast(pl.String).to_list()[: plan.players]
        scores = {score["seat"]: score["total"] for score in trace["scores"]}
        assert scores == dict(game.select("seat", "total").head(len(scores)).iter_rows())
        assert len(scores) >= plan.players
        assert str(number) in simulator.text(trace)


@few_tables
def test_a_game_is_shown_scene_by_scene(row: Row, table: Mapping[str, Any]) -> None:
    plan, simulator = ready(row, table)
    for number in range(2):
        story, trace = simulator.story(number), simulator.trace(number)
        assert len(story.scenes) == len(story.positions) > 1
        assert [one.to_move is None for one in story.positions] == [False] * (len(story.scenes) - 1) + [True]
        assert [seat.policy for seat in story.seats][: plan.players] == [seat["policy"] for seat in trace["seats"]][
            : plan.players
        ]
        assert [score["total"] for score in story.positions[-1].scores()] == [
            score["total"] for score in trace["scores"]
        ]
        for scene in story.scenes:
            assert len(scene.cities) == len(story.seats) == simulator.seats
            assert all(len(city.points) == len(story.categories) for city in scene.cities)


# --- policies ---------------------------------------------------------------------------------------------------------


@each_policy
def test_every_policy_plays_legal_moves_only(row: Row, policy: str) -> None:
    games = 2 if policy in CHEAP.values() else 10
    for table in (row.tables[0], row.tables[-1]):
        _, simulator = ready(row, table, policies=(policy,))
        rows = np.zeros(games * simulator.seats, simulator.row_dtype)
        picks = np.zeros(games * simulator.picks_per_game, simulator.pick_dtype)
        written = simulator.play(0, rows, picks)
        assert written
        row.legal(simulator.picks_frame(picks[:written]))


@each_policy
def test_no_policy_knows_what_is_hidden_from_its_seat(row: Row, policy: str) -> None:
    if policy in CHEAP.values():
        pytest.skip("gets the whole game; tests/policies/test_search.py redraws what its seat cannot know")
    pairs = row.unseen(policy)
    assert pairs
    assert all(one == other for one, other in pairs)


# --- tables, page, command line ---------------------------------------------------------------------------------------


@of_the_toy_first
def test_every_analysis_returns_a_table(played: tuple[Row, Run]) -> None:
    row, run = played
    for name, analysis in analyses_of(row.game).items():
        if not analysis.fits(run.plan):
            continue
        assert isinstance(analysis, Analysis)
        assert analysis.about
        assert all(option.help for option in analysis.options.values())
        table = analysis.table(run)
        assert isinstance(table, Table), name
        assert len(table.frame), name
        assert table.title
        assert table.note
        main = {column for column in analysis.columns if not column.endswith("*")}
        main.discard(PLAYER_HALF_WIDTH)  # there where it is known
        if "overruled" in main:
            main -= {"worth", "q", "verdict", "points", "wanted", "followed", "overruled"}  # of games of their own
        if name == "calibration":
            main.discard("q")  # of people's games, not of published results
        assert main <= set(table.frame.columns), name
        assert_declared(name, table.sheet())
        numbers = [column for column, kind in table.frame.schema.items() if kind.is_float()]
        assert not table.frame.select(pl.any_horizontal(pl.col(numbers).is_nan().any())).item() if numbers else True


@pytest.mark.slow
@of_the_toy_first
def test_every_table_is_shown_by_a_command(played: tuple[Row, Run], wsim_command: Command) -> None:
    row, run = played
    listed = json.loads(wsim_command("table", str(run.path), "--json").out)
    assert [one["table"] for one in listed] == [name for name in row.game.ANALYSES if name != "worth"]
    for name, analysis in analyses_of(row.game).items():
        if not analysis.fits(run.plan):
            continue
        table = analysis.table(run)
        rows = json.loads(wsim_command("table", str(run.path), name, "--json").out)["rows"]
        assert len(rows) == len(table.frame), name
        shown = wsim_command("table", str(run.path), name, "--top", "1")
        assert (shown.code, shown.err) == (0, "")
        assert shown.out.startswith(f"{table.title}, {run.games:,} games")
        split = wsim_command("table", str(run.path), name, "--by", "policy", "--json").out
        by = json.loads(split)["rows"] if split else []
        assert bool(by) == (analysis.by is not None), name
    answer = wsim_command("table", str(run.path), "nothing")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(
        f"wsim: {row.game.NAME} has no table of nothing: it has {next(iter(row.game.ANALYSES))}"
    )


@pytest.mark.slow
@of_the_toy_first
def test_the_page_shows_what_fits_the_run(played: tuple[Row, Run], wsim_command: Command, tmp_path: Path) -> None:
    row, run = played
    answer = wsim_command("report", str(run.path), "-o", str(tmp_path / "page.html"))
    assert (answer.code, answer.err) == (0, "")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"<h1>{row.game.TITLE}</h1>" in text
    for name, analysis in analyses_of(row.game).items():
        wanted = analysis.shown != "asked" and analysis.fits(run.plan)
        assert (f'<section id="{name}"' in text) == wanted, name
    assert all(colour in text for colour in row.game.COLOURS.values())


@of_the_toy_first
def test_a_run_prints_its_tables_and_its_command_reproduces_it(
    played: tuple[Row, Run], wsim_command: Command, tmp_path: Path
) -> None:
    row, run = played
    words = shlex.split(run.provenance.command)
    answer = wsim_command(*words[1:], "--out", str(tmp_path / "again"), "--shard-games", "500", "--json", "--quiet")
    assert answer.code == 0
    assert content(tmp_path / "again") == content(run.path)
    titles = json.loads(answer.out)["tables"]
    shown = [one for one in analyses_of(row.game).values() if one.shown == "run" and one.fits(run.plan)]
    assert len(titles) == len(shown) > 0


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.parquet")}


@first_quick(1, "row", ROWS[::-1], ids=lambda row: row.game.NAME)
def test_an_interrupted_run_is_resumed_to_the_same_data(row: Row, tmp_path: Path) -> None:
    plan = row.plan(row.tables[0], games=300, picks=True)

    def stop(doing: str, done: int, total: int) -> None:
        if done >= 150:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        record(plan, tmp_path / "part", shard=50, threads=1, progress=stop)
    before = load_run(tmp_path / "part")
    assert 0 < before.games < 300
    assert not before.complete
    assert record(plan, tmp_path / "part", resume=True).complete
    assert record(plan, tmp_path / "whole", shard=50).complete
    assert content(tmp_path / "part") == content(tmp_path / "whole")


@each_game
def test_invalid_input_is_reported_in_one_sentence(row: Row, wsim_command: Command, tmp_path: Path) -> None:
    name, plan = row.game.NAME, Plan.make(game=row.game.NAME)
    policy = next(iter(row.game.policies()))["name"]
    mistakes = {
        ("--ruleset", f"{plan.ruleset}x"): f"unknown rule set '{plan.ruleset}x'",
        ("--players", "99"): "99",
        ("--policies", f"{policy}x"): f"unknown policy '{policy}x'",
        ("--policies", f"{policy},{policy}"): f"2 policies for {plan.players} players",
        ("--no-such-option", "1"): "run has no option '--no-such-option'",
        ("--games", "0"): "games must be at least 1, not 0",
    }
    for words, sentence in mistakes.items():
        answer = wsim_command("run", "--game", name, *words, "--out", str(tmp_path / "run"))
        assert (answer.code, answer.out) == (2, ""), words
        assert answer.err.startswith("wsim: ")
        assert sentence in answer.err
        assert answer.err.count("\n") == 1
        assert not (tmp_path / "run").exists()
    nearly = wsim_command("run", "--game", name, "--policies", f"{policy}x").err
    assert f"did you mean {policy!r}?" in nearly


@each_game
def test_missing_game_features_are_reported_in_one_sentence(row: Row, wsim_command: Command) -> None:
    plan = Plan.make(game=row.game.NAME)
    if row.game.PICKS is None:
        refused = wsim_command("experiment", "picks", "--game", plan.game, "--games", "5")
        assert (refused.code, refused.err) == (2, f"wsim: {plan.game} cannot randomise picks\n")
    else:
        assert row.game.PICKS.randomise(plan, "0.5").picks
        assert row.game.PICKS.actions
    if row.game.RESTRICT is None:
        refused = wsim_command("whatif", "--game", plan.game, "--ban", "anything")
        assert (refused.code, refused.err) == (2, f"wsim: {plan.game} cannot restrict a seat\n")
    else:
        once = row.game.RESTRICT(plan, 0, "anything")
        assert row.game.RESTRICT(once, 1, "more") not in (once, plan)
