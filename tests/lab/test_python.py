"""wsim as a library: signatures in an editor, display in a notebook, the tables of a run, and input of wrong types."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import wsim
import wsim.stats
import wsim.wonders.analysis
from tests.tiers import first_quick
from wsim.document import NAME, SHARE, Column, estimated
from wsim.game import GAMES, find_game
from wsim.lab.keys import plan_keys, show_plan_keys
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.stats.tables import Table


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> wsim.Run:
    plan = Plan.make(policies="balanced,science,military,greedy", games=300, picks=True)
    return record(plan, tmp_path_factory.mktemp("python") / "run", threads=1)


@pytest.fixture(scope="module")
def babel(tmp_path_factory: pytest.TempPathFactory) -> wsim.Run:
    return record(Plan.make(game="tower_of_babel", games=120), tmp_path_factory.mktemp("python") / "babel", threads=1)


def test_tables_and_runs_convert_to_other_libraries(run: wsim.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    table = run.table("wonders")
    assert table.to_polars().equals(table.frame)
    assert run.to_polars().height == 300 * run.plan.players
    for frame in (table, run):
        with monkeypatch.context() as without:
            without.setitem(sys.modules, "pandas", None)
            without.setitem(sys.modules, "pyarrow", None)
            with pytest.raises(wsim.UserError, match="to_pandas needs pandas and pyarrow: pip install pandas pyarrow"):
                frame.to_pandas()


@pytest.mark.slow
def test_a_table_is_plotted_with_its_intervals(run: wsim.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = run.plot("wonders", "score").to_dict()
    rows = next(iter(spec["datasets"].values()))
    row = run.table("wonders").frame.filter(pl.col("score").is_not_null()).row(0, named=True)
    assert len(rows) == run.table("wonders").frame.height
    name = f"{row['wonder']} {row['side']}"
    assert rows[0] == {"row": name, "value": row["score"], "low": row["score_low"], "high": row["score_high"]}
    assert {layer["mark"]["type"] for layer in spec["layer"]} == {"rule", "point"}
    assert run.plot("cards").to_dict()["layer"]
    with pytest.raises(wsim.UserError, match=r"no interval to plot of 'scor' \(did you mean 'score'\?\): there are"):
        run.plot("wonders", "scor")
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(wsim.UserError, match=r"plot needs an extra: pip install 'wsim\[report\]'"):
        run.plot("wonders")


# --- what an editor sees ----------------------------------------------------------------------------------------------


def test_plan_keys_include_the_options_of_every_game() -> None:
    every = set(Plan.make().as_dict()) | {"cards", "keep"}
    for name in GAMES:
        every |= set(find_game(name).OPTIONS)
    assert set(plan_keys()) == every


@pytest.mark.parametrize("function", [wsim.simulate, wsim.play, wsim.whatif, wsim.experiment_picks])
def test_every_keyword_is_in_the_signature_with_its_type(function: Callable[..., Any]) -> None:
    parameters = inspect.signature(function).parameters
    assert {"players", "seed", "policies", "patch", "set", "wonders", "sides", "threads"} <= set(parameters)
    for parameter in parameters.values():
        assert parameter.kind is not inspect.Parameter.VAR_KEYWORD
        assert parameter.annotation is not inspect.Parameter.empty


def test_a_function_signature_starts_with_its_own_parameters() -> None:
    def ask(plan: Plan | None = None, /, *, games: str = "own", **keys: Any) -> None: ...

    show_plan_keys(ask)
    parameters = inspect.signature(ask).parameters
    assert list(parameters)[:2] == ["plan", "games"]
    assert parameters["games"].default == "own"


def test_dir_shows_the_public_names_only() -> None:
    for module in (wsim, wsim.stats, wsim.wonders.analysis):
        assert dir(module) == sorted(module.__all__)
    assert not {"import_module", "TYPE_CHECKING", "Any"} & set(dir(wsim))


# --- seats and picks --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_seats_and_picks_come_from_the_same_games() -> None:
    keys: dict[str, Any] = {"games": 60, "policies": "random", "seed": 3}
    played = wsim.play(**keys)
    assert_frame_equal(played.seats, wsim.simulate(**keys))
    assert_frame_equal(played.picks, wsim.simulate(**keys, picks=True))
    assert played.plan.games == 60
    assert wsim.stats.policies(played).frame["n"].to_list() == [240]
    table = wsim.wonders.analysis.cards(played, played.picks)
    assert "taken_share" in table.frame.columns


# --- the tables of a run ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_has_its_tables(run: wsim.Run, babel: wsim.Run) -> None:
    for one in (run, babel):
        for name in ("policies", "cards", "wonders", "matchups", "strengths", "synergies", "variance"):
            mine = getattr(one, name)()
            assert_frame_equal(mine.frame, one.table(name).frame)
            assert mine.note
    assert "disc" in babel.table("discs").frame.columns
    by_policy = run.cards("policy", raw=True, level=0.9)
    assert by_policy.frame["policy"].n_unique() == 4
    wide, narrow = (run.wonders(level=level).frame.row(0, named=True) for level in (0.99, 0.5))
    assert wide["win_share_low"] < narrow["win_share_low"]
    assert set(run.synergies(card=["Altar"]).frame["card"]) <= {"Altar"}


def test_a_run_traces_its_games(run: wsim.Run, babel: wsim.Run) -> None:
    for one, scores in ((run, "scores"), (babel, "scores")):
        trace = one.trace(17)
        assert trace["index"] == 17
        seats = one.seats.filter(pl.col("game") == 17).collect()
        assert [seat["total"] for seat in trace[scores]] == seats["total"].to_list()


UNTYPED: Any = wsim  # as a user without a type checker sees it
MISTAKES: tuple[tuple[Callable[[Any], Any], str], ...] = (
    (
        lambda run: run.table("card"),
        "seven_wonders has no table of card (did you mean 'cards'?): it has policies, wonders, worth, cards",
    ),
    (lambda run: run.table("cards", rwa=True), "this table has no option 'rwa' (did you mean 'raw'?): it has raw"),
    (lambda run: run.table("variance", "policy"), "this table cannot be split by policy"),
    (lambda run: run.cards("polcy"), "the table has no column 'polcy'"),
    (lambda run: run.cards(level=95), "a confidence level must be between 0 and 1, not 95"),
    (lambda run: run.trace(300), "the run contains games 0 to 299, not 300"),
    (lambda run: run.trace(-1), "the run contains games 0 to 299, not -1"),
    (lambda run: run.trace("7"), "the run contains games 0 to 299, not '7'"),
    (lambda run: UNTYPED.simulate(10), "plan must be a wsim.Plan, or keywords such as games=1000, not 10"),
    (
        lambda run: UNTYPED.stats.policies("study"),
        "a run or its seats table is needed, not 'study': wsim.load_run(folder)",
    ),
    (lambda run: UNTYPED.wonders.analysis.cards(3), "a run or its seats table is needed, not 3"),
    (lambda run: UNTYPED.load_run(3), "run must be the path of its folder, not 3"),
    (lambda run: UNTYPED.whatif(change=[3]), "change must be a string or a list of strings, not [3]"),
    (lambda run: UNTYPED.whatif(sweep=3), "sweep must be a string, not 3"),
    (lambda run: UNTYPED.whatif(change="cards.Altar.points=3", metric=3), "metric must be a string, not 3"),
)


@pytest.mark.parametrize(("ask", "sentence"), MISTAKES, ids=[sentence for _, sentence in MISTAKES])
def test_mistakes_are_reported_in_one_sentence(run: wsim.Run, ask: Callable[[Any], Any], sentence: str) -> None:
    with pytest.raises(wsim.UserError) as refused:
        ask(run)
    assert str(refused.value).startswith(sentence)


@pytest.mark.slow
def test_a_run_with_policy_code_traces_nothing_without_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("def first(public, own, choice, rules):\n    return 0\n")
    run = record(Plan.make(policies="./mine.py:first", games=5), tmp_path / "run", threads=1)
    with pytest.raises(
        wsim.UserError, match=r"replaying a game of .* would run its policy code, .*mine.py:first: if you trust it"
    ):
        run.trace(0)
    assert run.trace(0, trust=True)["index"] == 0


JUNK: tuple[Any, ...] = (object(), 3.5, -1, "x", b"x", [], {}, [object()], True, float("nan"), "\x00")
LIGHT: dict[str, dict[str, Any]] = {
    "simulate": {"games": 2, "policies": "random", "threads": 1},
    "play": {"games": 2, "policies": "random", "threads": 1},
    "whatif": {"change": ["cards.Altar.points=3"], "budget": 4, "policies": "random", "threads": 1},
    "experiment_picks": {"games": 2, "policies": "random", "threads": 1, "randomise": 1},
    "payments": {"own": ["W"], "cost": "W"},
    "science_score": {},
}


@first_quick(1, "name", ["payments", *(name for name in LIGHT if name != "payments")])
def test_invalid_values_of_any_type_give_one_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function = getattr(wsim, name)
    parameters = inspect.signature(function).parameters.values()
    keywords = [one.name for one in parameters if one.kind is not inspect.Parameter.POSITIONAL_ONLY]
    refused = 0
    for keyword in keywords:
        for value in JUNK:
            try:
                function(**{**LIGHT[name], keyword: value})
            except wsim.UserError:
                refused += 1
    assert refused > 3 * len(keywords)


# --- what a notebook shows --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_tables_and_answers_show_in_a_notebook(run: wsim.Run) -> None:
    whatif = wsim.whatif(set="cards.Altar.points=9", budget=1000, policies="random", threads=1)
    picks = wsim.experiment_picks(
        games=60,
        policies="random",
        randomise=1,
        min_effective_n=1,
        threads=1,
        sweep="cards.Altar.points=2,9",
        target=3.0,
    )
    for shown, said in (
        (run.cards(), "Observational: "),
        (whatif, "Mean score of all seats"),
        (picks, "Over the turns on which a seat could"),
    ):
        html = shown._repr_html_()
        assert "<table" in html
        assert said in html
        assert said in repr(shown)
    assert picks._repr_html_().count("<table") == 2
    assert "wsim whatif" in whatif._repr_html_()
    assert "Owners" in run.cards()._repr_html_()
    assert "win_share_low" not in run.cards()._repr_html_()
    assert "balanced" in run._repr_html_()


def test_a_notebook_escapes_markup_in_names() -> None:
    shown = Table(pl.DataFrame({"a": [1]}), "<script>", "a < b & c")._repr_html_()
    assert "<script>" not in shown
    assert "a &lt; b &amp; c" in shown


def test_a_notebook_formats_headings_units_and_intervals_like_a_page() -> None:
    columns = (Column("card", NAME), estimated("win_difference", SHARE, unit="of wins", difference=True))
    frame = pl.DataFrame(
        {"card": ["Altar"], "win_difference": [0.0312], "win_difference_low": [0.01], "win_difference_high": [0.05]}
    )
    shown = Table(frame, "Cards", columns=columns, labels=("card",))._repr_html_()
    assert "Win difference<br><small>percentage points</small>" in shown
    assert "+3.1<br><small>+1.0 to +5.0</small>" in shown
    assert "win_difference_low" not in shown
