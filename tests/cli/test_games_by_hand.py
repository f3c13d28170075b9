"""Commands on six games in plain Python, by hand: two seats say 0, 1 or 2 in turn, twice each, and the sum counts.

``highest`` says 2, ``fixed`` says 1: every game ends 4 to 2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from typer import Exit

from tests.conftest import Command
from tests.positions import test_by_hand
from wsim.cli import catalog_command, policies_command, run_command, table_command
from wsim.cli.exports import Files
from wsim.cli.groups import Printing
from wsim.cli.plan_options import PlanOptions, option_of
from wsim.cli.table_command import Synergies, Variance, words_of
from wsim.cli.trace_command import Page
from wsim.errors import UserError
from wsim.game import GAMES
from wsim.lab import policy_check
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted
from wsim.lab.run import record
from wsim.lab.store import load_run

KEYS: dict[str, Any] = {"game": "counting", "players": 2, "policies": "highest,fixed"}
WORDS = ("--game", "counting", "--players", "2", "--policies", "highest,fixed")
QUIET: Any = Printing(quiet=True)


@pytest.fixture(scope="module", autouse=True)
def _counting() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GAMES, "counting", f"{test_by_hand.__name__}:GAME")
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("games") / "run"
    record(Plan.make(games=6, **KEYS), folder, threads=1)
    return str(folder)


def refused(sentence: str) -> Any:
    return pytest.raises(UserError, match=sentence)


# --- tables ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_table_is_chosen_sorted_cut_and_written(wsim_command: Command, run: str, tmp_path: Path) -> None:
    words = ("table", run, "policies")
    rows = json.loads(wsim_command(*words, "--json").out)["rows"]
    assert [(row["policy"], row["n"], row["win_share"], row["score"]) for row in rows] == [
        ("highest", 6, 1, 4), ("fixed", 6, 0, 2),
    ]  # fmt: skip
    rows = json.loads(wsim_command(*words, "--json", "--sort", "-score", "--top", "1").out)["rows"]
    assert [row["policy"] for row in rows] == ["fixed"]
    named = json.loads(wsim_command(*words, "--json", "--filter", "score>3").out)
    assert ([row["policy"] for row in named["rows"]], named["filter"]) == (["highest"], ["score>3"])
    answer = wsim_command(*words, "--csv", "-", "--sort", "score")
    lines = [line for line in answer.out.splitlines() if not line.startswith("#")]
    assert [line.split(",")[:3] for line in lines] == [
        ["policy", "n", "win_share"], ["highest", "6", "1.0"], ["fixed", "6", "0.0"],
    ]  # fmt: skip
    files = str(tmp_path / "a.csv"), str(tmp_path / "a.parquet")
    answer = wsim_command(*words, "--csv", files[0], "--parquet", files[1])
    assert answer.err == f"written: {files[0]}, {files[1]}\n"
    assert answer.out.startswith("Policies, 6 games; a fair share of wins is 0.500\n")
    assert pl.read_csv(files[0], comment_prefix="#")["score"].to_list() == [4, 2]
    assert pl.read_parquet(files[1])["score"].to_list() == [4, 2]
    other = str(tmp_path / "run")
    record(Plan.make(games=3, seed=2, **KEYS), other, threads=1)
    combined = json.loads(wsim_command("table", run, other, "policies", "--json").out)
    assert [(row["policy"], row["n"]) for row in combined["rows"]] == [
        ("highest", 6), ("highest", 3), ("fixed", 6), ("fixed", 3),
    ], "what differs between the runs tells them apart"  # fmt: skip
    assert [told["games"] for told in combined["runs"]] == [6, 3]
    beside = wsim_command("table", run, other, "policies", "--beside", "--json").out
    assert [row["policy"] for row in json.loads(beside)["rows"]] == ["highest", "fixed"], "two folders named run"
    assert (
        wsim_command("table", run, run, "policies").err
        == f"wsim: '{run}' is given twice: a table takes each run once\n"
    )


def test_tables_are_listed_and_mistakes_explained(wsim_command: Command, run: str) -> None:
    listed = json.loads(wsim_command("table", run, "--json").out)
    assert [(row["table"], row["by"]) for row in listed] == [
        ("policies", "policy"), ("strengths", "policy"), ("matchups", "policy"),
    ]  # fmt: skip
    shown = wsim_command("table", run)
    assert shown.out.startswith(f"Tables of Counting: wsim table {run} NAME\n")
    for words, sentence in (
        ((run, "policies", "x"), "table takes no argument 'x'"),
        ((run, "policies", "--outcome", "total", "x"), "table takes no argument 'x'"),
        ((run, "--outcome", "total"), "name the table before its options: table RUN NAME --outcome ..."),
        ((run, "policies", "--csv", "none/a.csv"), "cannot write 'none/a.csv': there is no folder 'none'"),
        ((run, "policies", "--parquet", "none/a"), "cannot write 'none/a': there is no folder 'none'"),
    ):
        answer = wsim_command("table", *words)
        assert (answer.code, answer.out, answer.err) == (2, "", f"wsim: {sentence}\n")
    assert words_of((run,)) == ((run,), None)
    assert words_of((run, run)) == ((run, run), None)
    assert words_of((run, run, "cards")) == ((run, run), "cards")
    assert words_of((run, "nothing")) == ((run,), "nothing")
    assert words_of((run, "nothing", "cards")) == ((run, "nothing"), "cards"), "nothing may be a folder, a mistake"


def test_short_commands_pass_their_options_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Synergies(card=("Altar", "Baths"), raw=True).given() == {"card": ["Altar", "Baths"], "raw": [None]}
    assert Synergies(chains=True).given() == {}, "it names another table"
    assert Variance(outcome="total").given() == {"outcome": ["total"]}
    shown: list[Any] = []
    monkeypatch.setattr(table_command, "show_table", lambda name, wanted: shown.append((name, wanted)))
    table: Any = SimpleNamespace(runs=("run",))
    none: Any = None
    table_command.short_table(Synergies(chains=True), table, none, none, none)
    table_command.short_table(Synergies(outcome="total"), table, none, none, none)
    assert [(name, wanted.folders, wanted.options) for name, wanted in shown] == [
        ("chains", ("run",), {}), ("synergies", ("run",), {"outcome": ["total"]}),
    ]  # fmt: skip
    table_command.any_table(["--top-n", "3", "--raw"], SimpleNamespace(runs=("a", "cards")), none, none, none)  # type: ignore[arg-type]
    assert (shown[2][0], shown[2][1].options) == ("cards", {"top_n": ["3"], "raw": [None]})
    with refused("table needs a run: name its folder before --raw"):
        table_command.any_table(["--raw"], SimpleNamespace(runs=()), none, none, none)  # type: ignore[arg-type]


def test_an_unfinished_run_is_remarked(wsim_command: Command, tmp_path: Path) -> None:
    part = str(tmp_path / "part")
    answer = wsim_command("run", *WORDS, "--games", "6", "--shard-games", "3", "--shard", "1/2", "-o", part, "-q")
    assert (answer.code, answer.err) == (0, "")
    assert re.search(r"\n3 games in \d+\.\d s: " + re.escape(part), answer.out)
    assert "Policies: unclear: 2 of 2 rows." in answer.out
    other = str(tmp_path / "other")
    wsim_command("run", *WORDS, "--games", "6", "--shard-games", "3", "--shard", "2/2", "-o", other, "-q")
    joined = str(tmp_path / "joined")
    answer = wsim_command("merge", part, other, "-o", joined, "--json", "-q")
    assert json.loads(answer.out) == {
        "folder": joined, "digest": load_run(part).provenance.digest, "games": 6, "parts": 2,
    }  # fmt: skip
    answer = wsim_command("runs", "merge", part, other, "-o", str(tmp_path / "again"))
    assert answer.out == f"6 games of 2 parts: {tmp_path / 'again'}\n"
    assert load_run(joined).complete
    shown = wsim_command("table", joined)
    assert shown.err == ""


# --- runs -----------------------------------------------------------------------------------------------------------


def test_a_run_is_played_resumed_and_printed(wsim_command: Command, tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    answer = wsim_command("run", *WORDS, "--games", "4", "--out", folder, "--threads", "1")
    assert answer.code == 0
    title, head, _, highest, fixed, *_ = answer.out.splitlines()
    assert title == "Policies; a fair share of wins is 0.500"
    assert head.split()[:4] == ["policy", "n", "win", "share"]
    assert (highest.split()[:3], fixed.split()[:3]) == (["highest", "4", "1.000"], ["fixed", "4", "0.000"])
    assert (highest.split()[-2:], fixed.split()[-2:]) == (["4.000", "±0.000"], ["2.000", "±0.000"])
    resumed = wsim_command("run", "--resume", folder)
    assert resumed.out.endswith(f"\nall 4 games were already played: {folder}\n")
    answer = wsim_command("run", "--resume", folder, "--games", "7", "--json")
    told = json.loads(answer.out)
    assert (told["folder"], told["games"], told["level"]) == (folder, 7, 0.95)
    assert [row["n"] for row in told["tables"]["Policies"]] == [7, 7]
    assert 0 <= told["seconds"] < 60
    for words, sentence in (
        (("--resume", folder, "b"), f"only one folder can be resumed, not both '{folder}' and 'b'"),
        (("--resume", folder, "--out", "b"), f"only one folder can be resumed, not both '{folder}' and 'b'"),
        (("x",), "run takes no argument 'x'"),
        (
            ("--within", "0.1", "--shard", "1/2"),
            "--within needs all games of a run: it cannot be combined with --shard",
        ),
        (("--within-table", "cards"), "--within-table selects the table for --within: add --within WIDTH"),
        ((*WORDS, "--roundz", "3"), "run has no option '--roundz'"),
    ):
        answer = wsim_command("run", *words)
        assert (answer.code, answer.out) == (2, "")
        assert sentence in answer.err


def test_games_are_played_until_the_figures_are_precise(wsim_command: Command, tmp_path: Path) -> None:
    """A fixed result has a narrow interval: the half width is printed with the width that was asked for."""
    answer = wsim_command("run", *WORDS, "--games", "20", "--within", "0.2", "-o", str(tmp_path / "run"), "-q")
    assert answer.code == 0
    assert "0.2" in answer.out
    assert "the first table" in answer.out
    assert 20 >= load_run(tmp_path / "run").games > 0


def test_an_interrupted_run_says_how_to_continue(
    wsim_command: Command, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_plan: Any, _folder: Any, **_how: Any) -> Any:
        raise Interrupted(load_run(run), "")

    monkeypatch.setattr("wsim.lab.growth.record_within", stop)
    answer = wsim_command("run", *WORDS, "--games", "6", "-q")
    assert answer.code == 130
    assert answer.err == (f"wsim: interrupted; 6 of 6 games are stored; continue with:\nwsim run --resume {run}\n")
    monkeypatch.setattr("wsim.lab.growth.record_within", lambda *_, **__: (_ for _ in ()).throw(Interrupted(None, "")))
    assert wsim_command("run", *WORDS, "-q").code == 130
    monkeypatch.setattr("wsim.lab.merge.merge", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
    answer = wsim_command("merge", "a", "b", "-o", "c")
    assert (answer.code, answer.err) == (130, "wsim: interrupted; the same command continues\n")


def test_code_of_a_run_needs_trust(tmp_path: Path) -> None:
    """Code from the folder is refused unless trusted or named by the user."""
    entry = SimpleNamespace(file="mine.py", module=None, path="files/mine.py")
    plan: Any = SimpleNamespace()
    plan = SimpleNamespace(code=("files/mine.py",), line_up=[entry], effects={}, code_in_words=lambda: "policy mine.py")
    needing = SimpleNamespace(resolve=lambda base: base, code_needing_trust=lambda _plan: ("files/mine.py",))
    named = SimpleNamespace(resolve=lambda base: base, code_needing_trust=lambda _plan: ())
    given: Any = needing
    with refused(
        "'run' cannot be resumed without running its policy mine.py: if you trust the code in files/mine.py, "
        "add --trust, or name your own with --policies"
    ):
        run_command.trusted(given, plan, "run", "resumed", trust=False)
    free: Any = named
    assert run_command.trusted(free, plan, "run", "resumed", trust=False) == plan
    plan.effects = {"cards.toml": Path("files/effects.py")}
    with refused("in files/mine.py and files/effects.py, add --trust, or name your own with --patch"):
        run_command.trusted(given, plan, "run", "resumed", trust=False)
    (tmp_path / "files").mkdir()
    plan.line_up, plan.effects = [SimpleNamespace(file=None, module="mine", path=None)], {}
    with refused(f"if you trust the code in {tmp_path / 'files'}, add"):
        run_command.trusted(given, plan, str(tmp_path), "resumed", trust=False)
    with refused("if you trust the code, add"):
        run_command.trusted(given, plan, str(tmp_path / "none"), "resumed", trust=False)


def test_options_of_a_game_and_a_plan_file(tmp_path: Path) -> None:
    """What is named on the command line or in the plan file needs no trust; options override the file."""
    file = tmp_path / "plan.toml"
    file.write_text('game = "counting"\nplayers = 3\ngames = 9\n', encoding="utf-8")

    def given(**keys: Any) -> PlanOptions:
        extra = keys.pop("extra", {})
        return PlanOptions("run", {"policies": "highest", **keys}, str(file), extra, [], ["--games"])

    plan = given().resolve(games=2)
    assert (plan.game, plan.players, plan.games) == ("counting", 3, 9)
    plan = given(players=2).resolve(seed=5)
    assert (plan.players, plan.seed) == (2, 5)
    assert given(seed=4).resolve(seed=5).seed == 4
    with refused("run has no option '--gamez' \\(did you mean '--games'\\?\\)"):
        given(extra={"--gamez": "3"}).resolve()
    code: Any = SimpleNamespace(
        effects={"a.toml": "e1", "b.toml": "e2"}, cards="a.toml", patch=("b.toml",), code=("mine.py", "e1", "e2")
    )
    rows = [PlanOptions("run", dict.fromkeys(keys), None, {}, [], []).code_needing_trust(code) for keys in (
        (), ("policies",), ("cards",), ("patch",), ("policies", "cards", "patch"),
    )]  # fmt: skip
    assert rows == [("mine.py", "e1", "e2"), ("e1", "e2"), ("mine.py", "e2"), ("mine.py", "e1"), ()]
    assert option_of("base_set") == "--base-set"


def test_runs_are_verified_and_repeated(wsim_command: Command, run: str, tmp_path: Path) -> None:
    assert wsim_command("verify", run).out == f"{run} is intact: all files are as written\n"
    assert json.loads(wsim_command("verify", run, "--json").out) == {"folder": run, "sound": True, "findings": []}
    answer = wsim_command("rerun", run, "--json")
    assert (answer.code, json.loads(answer.out)) == (
        0, {"source": run, "identical": True, "compared": "12 rows of seats", "differences": [], "remarks": []},
    )  # fmt: skip
    again = tmp_path / "again"
    assert wsim_command("rerun", run, "-o", str(again)).out == f"{run} repeated is the same: 12 rows of seats\n"
    assert load_run(again).games == 6
    (shard,) = again.glob("seats/*.parquet")
    frame = pl.read_parquet(shard)
    frame.with_columns(total=pl.col("total") + 1).write_parquet(shard)
    for more in ((), ("--json",)):
        answer = wsim_command("verify", str(again), *more)
        assert answer.code == 1
        assert shard.name in answer.out
    mistakes: tuple[tuple[tuple[str, ...], str], ...] = (
        ((), "name exactly one run folder, shard file, answer or page to repeat"),
        (("a", "b"), "name exactly one run folder, shard file, answer or page to repeat"),
        ((run, "--rounds", "3"), "rerun has no option '--rounds': runs and answers are repeated exactly as recorded"),
    )  # fmt: skip
    for words, sentence in mistakes:
        answer = wsim_command("rerun", *words)
        assert (answer.code, answer.err) == (2, f"wsim: {sentence}\n")


# --- single games ---------------------------------------------------------------------------------------------------


def test_games_are_traced_as_json_and_text(wsim_command: Command, run: str, tmp_path: Path) -> None:
    """Moves that do not name their seat get it: the position knows who moved."""
    answer = wsim_command("trace", *WORDS, "--games", "2", "--first", "3")
    games = list(map(json.loads, answer.out.splitlines()))
    assert [game["index"] for game in games] == [3, 4]
    assert games[0]["moves"] == [{"seat": number % 2, "action": word} for number, word in enumerate("2121")]
    assert [score["total"] for score in games[0]["scores"]] == [4, 2]
    assert [seat["policy"] for seat in games[0]["seats"]] == ["highest", "fixed"]
    one = (
        "Game {}: seat 0 highest, seat 1 fixed\nseat 0: action 2\nseat 1: action 1\nseat 0: action 2\n"
        "seat 1: action 1\nScores: seat 0 4.0, seat 1 2.0\n"
    )
    assert wsim_command("trace", run, "1", "--format", "text").out == one.format(1)
    assert wsim_command("trace", run, "--games", "2", "--format", "text").out == f"{one.format(0)}\n{one.format(1)}"
    file = tmp_path / "a.jsonl"
    assert wsim_command("trace", run, "5", "-o", str(file)).out == ""
    assert json.loads(file.read_text(encoding="utf-8"))["index"] == 5
    for words, sentence in (
        ((run, "6"), "6"),
        ((run, "--seed", "3"), "the games of a run are shown as they were played: 'seed'"),
        ((run, "--rounds", "3"), "the games of a run are shown as they were played: 'rounds' cannot be changed"),
        ((*WORDS, "--games", "2", "--format", "html"), "a page shows one game, not 2: choose it with --first"),
    ):
        answer = wsim_command("trace", *words)
        assert (answer.code, answer.out) == (2, "")
        assert sentence in answer.err


def test_moves_are_explained_in_games_without_hands(wsim_command: Command, run: str) -> None:
    """Saying 2 or 1 twice beats two ones or ties at worst: only 0 costs wins."""
    why = json.loads(wsim_command("trace", run, "1", "--why", "0", "--playouts", "2", "-q").out)["why"]
    assert (why["playouts"], why["policies"], len(why["decisions"])) == (2, "highest,fixed", 2)
    first, second = why["decisions"]
    assert [(row["index"], row["win_share"], row["score"]) for row in first["moves"]] == [
        (2, 1, 4), (1, 1, 3), (0, 0.5, 2),
    ]  # fmt: skip
    assert (first["made"], first["scores"], second["scores"]) == (2, [0, 0], [2, 1])
    assert first["cost"] == {"win_share": 0, "low": 0, "high": 0}
    text = wsim_command("trace", run, "1", "--why", "1", "--playouts", "2", "--format", "text", "-q").out
    told = text.split("\n\n")
    assert told[1].startswith("Why: each move by 2 playouts with highest, fixed in their seats")
    assert [part.split("\n")[0].split(":")[0] for part in told[2:]] == ["seat 1 (say)"] * 2
    assert "> action 1  win 0.000" in told[2]
    everybody = json.loads(wsim_command("trace", run, "1", "--why", "--playouts", "2", "-q").out)["why"]
    assert [row["seat"] for row in everybody["decisions"]] == [0, 1, 0, 1]


def test_a_page_is_one_game_and_gets_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    plan: Any = SimpleNamespace(games=1, seed=7)
    checked: list[Any] = []
    monkeypatch.setattr("wsim.report.game_page.check_replay", lambda *given: checked.append(given))
    monkeypatch.setattr("wsim.cli.trace_command.results", lambda: SimpleNamespace(isatty=lambda: True))
    assert Page.of(plan, 3, None, None).target == Path("replay-7-3.html")
    assert Page.of(plan, 3, "a.html", 20) == Page(plan, 3, 20, Path("a.html"))
    assert checked == [(None, Path("replay-7-3.html")), (20, Path("a.html"))]
    monkeypatch.setattr("wsim.cli.trace_command.results", lambda: SimpleNamespace(isatty=lambda: False))
    assert Page.of(plan, 3, None, None).target is None


@pytest.mark.slow
def test_moves_are_ranked_in_a_game_of_a_run(wsim_command: Command, run: str, tmp_path: Path) -> None:
    answer = wsim_command("advise", run, "1", "--seat", "1", "--playouts", "4", "--json", "-q")
    told = json.loads(answer.out)
    assert told["seat"] == 1
    assert [(row["index"], row["win_share"]) for row in told["moves"]] == [(2, 0), (1, 0), (0, 0)]
    told = json.loads(wsim_command("advise", run, "1", "--json", "-q").out)
    assert (told["seat"], told["playouts"]) == (0, 400)
    file = tmp_path / "game.json"
    file.write_text("{", encoding="utf-8")
    (tmp_path / "game.bin").write_bytes(b"\xff\xff")
    for words, sentence in (
        ((run,), f"name a game of '{run}': wsim advise RUN GAME --age --turn --seat"),
        (("none.json",), "there is no file 'none.json'"),
        (("/dev/null", "1"), "'/dev/null' is neither a position file nor the folder of a run"),
        ((str(file), "1"), f"'{file}' contains a single position: GAME needs a run"),
        ((str(file), "--age", "2"), f"'{file}' contains a single position: --age needs a run"),
        ((str(tmp_path / "game.bin"),), "is not text: a position file is JSON in UTF-8"),
    ):
        answer = wsim_command("advise", *words)
        assert (answer.code, answer.out) == (2, "")
        assert sentence in answer.err


# --- policies, catalogues, copies -----------------------------------------------------------------------------------


def test_policies_of_a_game_are_listed_and_shown(wsim_command: Command) -> None:
    rows = json.loads(wsim_command("policies", "--game", "counting", "--json").out)
    assert [row["name"] for row in rows] == ["highest", "fixed", "search"]
    row = json.loads(wsim_command("policies", "fixed", "--game", "counting", "--json").out)
    assert (row["name"], row["parameters"]) == ("fixed", "word=1")
    shown = wsim_command("policies", "highest", "--game", "counting").out.splitlines()
    assert shown[0] == "counting: highest"
    assert len(shown) == 4
    answer = wsim_command("policies", "fixe", "--game", "counting")
    assert answer.err == ("wsim: unknown policy 'fixe' (did you mean 'fixed'?); accepted: highest, fixed, search\n")
    for games in (0, 100_001):
        answer = wsim_command("policies", "--check", "a.py:b", "--games", str(games))
        assert f"games must be from 1 to 100,000, not {games}" in answer.err


@pytest.mark.parametrize(
    ("net", "text"),
    [
        ({"rounds": 0, "digest": "d1"}, "its file does not record its training (d1)"),
        (
            {"rounds": 3, "digest": "d2", "decisions": 12_000, "tables": {"base": 1_000, "duel": 20}, "start": "",
             "changes": [], "seed": 4},
            "trained on 12,000 decisions in 3 rounds, seed 4: base 1,000, duel 20 (d2)",
        ),
        (
            {"rounds": 3, "digest": "d2", "decisions": 12, "tables": {"base": 1}, "start": "old.npz",
             "changes": ["a", "b"], "seed": 4},
            "trained on 12 decisions in 3 rounds from old.npz, seed 4: base 1; with a, b (d2)",
        ),
    ],
)  # fmt: skip
def test_the_training_of_a_net_in_words(net: dict[str, Any], text: str) -> None:
    assert policies_command._training_in_words(net) == text


def test_an_own_policy_is_tried_at_three_tables(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Any] = []

    def checked(wrong: list[str], tables: dict[str, int]) -> Callable[..., Any]:
        def check(*given: Any) -> Any:
            asked.append(given)
            return SimpleNamespace(
                wrong=wrong, tables=tables, compiled=1234.4, plain=20.6, record=lambda: {"wrong": wrong}
            )

        return check

    monkeypatch.setattr(policy_check, "check_policy", checked([], {"2 players": 5, "3 players": 5, "5 players": 5}))
    policies_command._try_out("a.py:b", "counting", 5, as_json=False)
    assert capsys.readouterr().out == (
        "a.py:b: 1,234 us per game compiled, 21 us as plain Python\na.py:b plays the same both ways in 15 games\n"
    )
    players = [keys["players"] for keys in asked[0][1].values()]
    assert {3, 5} <= set(players)
    assert players == sorted(players)
    assert asked[0][2] == 5
    monkeypatch.setattr(policy_check, "check_policy", checked(["it fails"], {}))
    with pytest.raises(Exit) as left:
        policies_command._try_out("a.py:b", "counting", 5, as_json=False)
    assert (left.value.exit_code, capsys.readouterr().out) == (1, "wrong: it fails\n")
    with pytest.raises(Exit):
        policies_command._try_out("a.py:b", "counting", 5, as_json=True)
    assert json.loads(capsys.readouterr().out) == {"wrong": ["it fails"]}


def test_catalogues_are_shown_and_listed(wsim_command: Command, tmp_path: Path) -> None:
    answer = wsim_command("catalog", "--game", "counting")
    head, _, title, columns, _, row = answer.out.splitlines()[:6]
    assert head.startswith("Counting, 2 to 4 players.")
    assert title == "Values of the rules: --set NAME=VALUE"
    assert columns.split() == ["name", "value", "default", "from", "to", "meaning"]
    assert row.split()[:5] == ["rounds", "2", "2", "1", "9"]
    changed = wsim_command("catalog", "--game", "counting", "--set", "rounds=3").out
    assert "rounds      3        2" in changed
    rows = json.loads(wsim_command("catalog", "--rulesets", "--json").out)
    assert {"game": "counting", "ruleset": "standard"}.items() <= next(
        row for row in rows if row["game"] == "counting"
    ).items()
    assert "Rule sets: --game GAME --ruleset RULESET" in wsim_command("catalog", "--rulesets").out


@pytest.mark.parametrize(
    ("games", "note"),
    [
        ((0, 0), "No games were played, because that would run the Python effects."),
        ((20, 0), "No games were played, because that would run the Python effects."),
        ((1_000, 20), "No game failed: 1,020 in all."),
    ],
)
def test_a_checked_catalogue_says_how_many_games_were_tried(games: tuple[int, int], note: str) -> None:
    assert catalog_command._tried_note([{"games": count} for count in games]) == note


def test_a_copied_run_names_its_files(monkeypatch: pytest.MonkeyPatch, wsim_command: Command) -> None:
    copied = SimpleNamespace(files=3, remark="")
    monkeypatch.setattr("wsim.lab.remote.copy_run", lambda source, target, progress: copied)
    answer = wsim_command("runs", "copy", "run", "s3://a/b", "-q")
    assert (answer.out, answer.err) == ("copied run to s3://a/b: 3 files sent\n", "")
    copied.remark = "it was there"
    assert wsim_command("runs", "copy", "run", "s3://a/b").err == "wsim: it was there\n"


def test_a_target_file_is_checked_only_if_it_is_one(tmp_path: Path) -> None:
    Files(csv="-").check()
    Files(csv=str(tmp_path / "a.csv")).check()
    assert [Files(csv=name).instead for name in ("-", "a", None)] == [True, False, False]
