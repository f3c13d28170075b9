"""``wsim rerun``: the games behind a run, shard, answer or page are played again, and every difference is named."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.conftest import Command
from tests.games import toy_game
from tests.tiers import first_quick
from wsim import Plan
from wsim.lab.parts import Part
from wsim.lab.repetition import counted
from wsim.lab.run import record
from wsim.lab.store import load_run

SHARD = "run/seats/part-00000000000300.parquet"


@pytest.fixture
def run(toy: None) -> None:
    """A run of four shards in the folder ``run``."""
    record(Plan.make(games=1000, rotate=True, picks=True), "run", shard=300)


def other_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Change the scores of the toy game from game 400 on."""
    original = toy_game.simulator.ToySimulator.seats_frame

    def changed(self: Any, rows: Any) -> pl.DataFrame:
        return original(self, rows).with_columns(pl.col("total") + (pl.col("game") >= 400).cast(pl.Int16))

    monkeypatch.setattr(toy_game.simulator.ToySimulator, "seats_frame", changed)


@pytest.mark.usefixtures("run")
def test_rerunning_a_run_gives_the_same_games(wsim_command: Command) -> None:
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    answer = wsim_command("rerun", "run")
    assert (answer.code, answer.err) == (0, "")
    picks = load_run("run").picks.select(pl.len()).collect().item()
    assert answer.out == f"run repeated is the same: 4,000 rows of seats and {picks:,} rows of picks\n"
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


@pytest.mark.slow
@pytest.mark.usefixtures("run")
def test_the_repeated_run_is_stored_in_the_requested_folder(wsim_command: Command) -> None:
    assert wsim_command("rerun", "run", "--out", "again").code == 0
    assert load_run("again").complete
    assert wsim_command("verify", "again").code == 0
    answer = wsim_command("rerun", "run", "--out", "again")
    assert (answer.code, answer.err) == (2, "wsim: 'again' already contains these games: choose another --out\n")
    assert "choose another --out" in wsim_command("rerun", "run", "--out", "run").err


@pytest.mark.slow
@pytest.mark.usefixtures("run")
def test_differing_values_are_named(wsim_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    other_scores(monkeypatch)
    answer = wsim_command("rerun", "run")
    assert (answer.code, answer.err) == (1, "")
    first, *rest = answer.out.splitlines()
    assert first.startswith("run repeated is not the same: 4,000 rows of seats")
    assert rest[0] == ("  seats/part-00000000000300.parquet has different values in 800 rows, first in game 400: total")
    assert len(rest) == 3
    told = json.loads(wsim_command("rerun", "run", "--json").out)
    assert (told["identical"], len(told["differences"]), told["remarks"]) == (False, 3, [])


@pytest.mark.slow
@pytest.mark.usefixtures("run")
def test_a_different_version_is_reported_even_if_the_games_match(
    wsim_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wsim.lab.provenance.software", lambda: {"wsim": "0", "numba": "9"})
    answer = wsim_command("rerun", "run")
    assert answer.code == 0
    assert "  numba was '" in answer.out
    assert "' and is '9'" in answer.out


@pytest.mark.usefixtures("toy")
def test_rerunning_a_part_plays_only_that_part(wsim_command: Command) -> None:
    record(Plan.make(games=1000), "p2", shard=90, part=Part(2, 3))
    answer = wsim_command("rerun", "p2", "-o", "again")
    assert answer.out == "p2 repeated is the same: 1,440 rows of seats\n"
    assert str(load_run("again").part) == "2/3"


@pytest.mark.usefixtures("run")
def test_a_single_shard_can_be_rerun_without_the_run_folder(
    wsim_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(SHARD, "alone.parquet")
    answer = wsim_command("rerun", "alone.parquet")
    assert (answer.code, answer.out) == (0, "alone.parquet repeated is the same: 1,200 rows of seats\n")
    assert wsim_command("rerun", SHARD.replace("seats", "picks")).code == 0
    other_scores(monkeypatch)
    answer = wsim_command("rerun", "alone.parquet")
    assert answer.code == 1
    assert "  it has different values in 800 rows, first in game 400: total" in answer.out


@first_quick(
    2,
    ("source", "words", "sentence"),
    [
        ("nothing", (), "'nothing' does not exist"),
        ("letter.json", (), "'letter.json' is not an answer of wsim: line 1 is not JSON"),
        (
            "list.json",
            (),
            "'list.json' is not an answer of wsim: its format is None",
        ),
        ("bare.parquet", (), "'bare.parquet' does not record how it was made: it is not a shard of a wsim run"),
        ("cut.parquet", (), "'cut.parquet' does not record how it was made: it is not a shard of a wsim run"),
        ("letter.html", (), "'letter.html' does not record how it was made: it is not a page of wsim report"),
        ("torn.html", (), "the record in the page 'torn.html' is damaged"),
        ("half.json", (), "the answer is damaged: KeyError: 'baseline'"),
        ("run", ("--games", "5"), "rerun has no option '--games': runs and answers are repeated exactly as recorded"),
        ("run", ("run",), "name exactly one run folder, shard file, answer or page to repeat"),
        ("half.json", ("-o", "x"), "--out stores the games of a run, but an answer has none"),
        (SHARD, ("-o", "x"), "--out stores the games of a run, but a single file has none"),
    ],
)
@pytest.mark.usefixtures("run")
def test_runs_that_cannot_be_repeated_are_reported_in_one_sentence(
    wsim_command: Command, source: str, words: tuple[str, ...], sentence: str
) -> None:
    Path("letter.json").write_text("dear")
    Path("letter.html").write_text("<p>dear")
    Path("torn.html").write_text('<script type="application/json" id="record">{"format": </script>')
    Path("list.json").write_text("[]")
    Path("half.json").write_text('{"format": "wsim-whatif/2"}')
    pl.DataFrame({"game": [1]}).write_parquet("bare.parquet")
    Path("cut.parquet").write_bytes(Path(SHARD).read_bytes()[:-9])
    answer = wsim_command("rerun", source, *words)
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert answer.err.startswith(f"wsim: {sentence}")


@pytest.mark.usefixtures("run")
def test_a_damaged_run_is_not_compared(wsim_command: Command) -> None:
    Path(SHARD).write_bytes(Path(SHARD).read_bytes()[:-1])
    answer = wsim_command("rerun", "run")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith("wsim: the run 'run' is damaged: ")


# --- code of others --------------------------------------------------------------------------------------------------


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a run, an answer and a page with a policy that writes a marker file when it runs; return the marker."""
    mark = tmp_path / "ran"
    (tmp_path / "mine.py").write_text(
        f"import pathlib\nimport wsim\npathlib.Path({str(mark)!r}).touch()\n"
        "@wsim.policy(python=True)\ndef last(public, own, choice, rules):\n    return choice.count - 1\n"
    )
    monkeypatch.chdir(tmp_path)
    plan = Plan.make(games=8, policies=["mine.py:last", "balanced", "random", "random"])
    record(plan, "run", shard=5)
    return mark


@pytest.mark.slow
@pytest.mark.parametrize(
    "source", ["run", "run/seats/part-00000000000000.parquet", "answer.json", "run/report.html", "m.json", "s.json"]
)
def test_code_is_run_only_if_it_is_named_or_trusted(foreign: Path, wsim_command: Command, source: str) -> None:
    line_up = "mine.py:last,balanced,random,random"
    if source == "answer.json":
        words = ("--set", "cards.Palace.points=12", "--policies", line_up, "--budget", "20", "-q", "-o", source)
        assert wsim_command("whatif", *words).code == 0
    if source == "m.json":
        line_up = "mine.py:last,balanced"
        assert wsim_command("match", *line_up.split(","), "--budget", "10", "-q", "-o", source).code == 0
    if source == "s.json":
        line_up = "mine.py:last,balanced"
        assert wsim_command("skill", "wonders", "--ladder", line_up, "--games", "40", "-q", "-o", source).code == 0
    if source.endswith("html"):
        pytest.importorskip("vl_convert")
        assert wsim_command("report", "run", "-q").code == 0
    foreign.unlink()
    answer = wsim_command("rerun", source)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(
        f"wsim: {source!r} cannot be repeated without running its policy code, mine.py:last: if you trust"
    )
    assert not foreign.exists()
    answer = wsim_command("rerun", source, "--policies", line_up)
    assert (answer.code, answer.err) == (0, "wsim: trusted, in the process of wsim: mine.py:last\n")
    foreign.unlink(missing_ok=True)
    assert "cannot be loaded: PermissionError" in wsim_command("rerun", source, "--trust").err  # it is isolated
    assert not foreign.exists()
    assert wsim_command("--trusted", "rerun", source, "--trust").code == 0


# --- answers ---------------------------------------------------------------------------------------------------------

WHATIF = ("whatif", "--budget", "200", "--policies", "random", "-q")


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        ("--set", "cards.Palace.points=20"),
        ("--patch", "p.toml", "--metric", "built:Palace"),
        ("--sweep", "cards.Palace.points=6..10..2"),
        ("--ban", "stages"),
        ("--ban", "trade", "--seat", "1"),
    ],
)
def test_a_whatif_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command, change: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.toml").write_text("[cards.Palace]\npoints = 30\n")
    assert wsim_command(*WHATIF, *change, "-o", "a.json").code == 0
    answer = wsim_command("rerun", "a.json")
    assert (answer.code, answer.err) == (0, "")
    effects = "3 effects" if "--sweep" in change else "1 effect"
    assert answer.out == f"a.json repeated is the same: 200 deals of every arm, {effects}\n"


@pytest.mark.slow
def test_an_edited_answer_is_detected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.toml").write_text("[cards.Palace]\npoints = 30\n")
    assert wsim_command(*WHATIF, "--patch", "p.toml", "-o", "a.json").code == 0
    told = json.loads(Path("a.json").read_text())
    effect = told["effects"][0]["effect"]
    told["effects"][0]["effect"] = 9.5
    Path("edited.json").write_text(json.dumps(told))
    answer = wsim_command("rerun", "edited.json")
    assert answer.code == 1
    assert answer.out.splitlines()[1:] == [f"  effects[0].effect was 9.5 and is {effect!r}"]
    Path("p.toml").write_text("[cards.Palace]\npoints = 31\n")
    answer = wsim_command("rerun", "a.json")
    assert answer.code == 1
    assert "  variants[0].digests[0] was " in answer.out
    Path("p.toml").unlink()
    answer = wsim_command("rerun", "a.json")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "wsim: cannot read the card file 'p.toml': No such file or directory\n"


@pytest.mark.slow
def test_an_answer_in_a_run_folder_finds_the_stored_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.toml").write_text("[cards.Palace]\npoints = 30\n")
    plan = ("--patch", "p.toml", "--policies", "random")
    assert wsim_command("run", *plan, "--games", "10", "-o", "run", "-q").code == 0
    assert wsim_command(*WHATIF, "--plan", "run/plan.toml", "--set", "cards.Palace.points=5", "-o", "run").code == 0
    Path("p.toml").unlink()
    (answer,) = Path("run").glob("whatif-*.json")
    assert wsim_command("rerun", str(answer)).code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "view", [(), ("--sort", "effect", "--top", "3"), ("--sweep", "cards.Altar.points=2,9", "--target", "3")]
)
def test_a_pick_experiment_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command, view: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("experiment", "picks", "--games", "150", "--policies", "random", "--fewest", "5", "--json", "-q", *view)
    Path("p.json").write_text(wsim_command(*words).out)
    answer = wsim_command("rerun", "p.json")
    assert (answer.code, answer.err) == (0, "")
    told = json.loads(Path("p.json").read_text())
    assert answer.out == f"p.json repeated is the same: 150 games, {len(told['effects'])} effects\n"
    told["effects"][1]["picks"] += 1
    Path("p.json").write_text(json.dumps(told))
    answer = wsim_command("rerun", "p.json")
    assert answer.code == 1
    assert "  effects[1].picks was " in answer.out


# --- pages -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_page_can_be_regenerated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command) -> None:
    pytest.importorskip("vl_convert")
    monkeypatch.chdir(tmp_path)
    Path("p.toml").write_text("[cards.Palace]\npoints = 30\n")
    assert wsim_command("run", "--games", "60", "--patch", "p.toml", "-o", "run", "-q").code == 0
    assert wsim_command("report", "run", "-q").code == 0
    Path("p.toml").unlink()
    answer = wsim_command("rerun", "run/report.html")
    assert (answer.code, answer.err) == (0, "")
    assert re.fullmatch(r"run/report\.html repeated is the same: 60 games, \d tables\n", answer.out)
    page = Path("run/report.html").read_text()
    digest = re.search(r'"cards": "(\w+)"', page)
    assert digest is not None
    Path("run/edited.html").write_text(page.replace(digest[1], "0" * 16))
    answer = wsim_command("rerun", "run/edited.html", "-o", "again")
    assert answer.code == 1
    assert answer.out.splitlines()[1:] == ["  the table cards is not the same"]
    assert load_run("again").complete


@pytest.mark.slow
def test_the_page_of_an_unfinished_run_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command
) -> None:
    pytest.importorskip("vl_convert")
    monkeypatch.chdir(tmp_path)
    record(Plan.make(games=60), "run", shard=30)
    Path("run/seats/part-00000000000030.parquet").unlink()
    assert wsim_command("report", "run", "-q").code == 0
    answer = wsim_command("rerun", "run/report.html")
    assert (answer.code, answer.err) == (
        2,
        "wsim: the page 'run/report.html' shows an unfinished run, so it cannot be repeated\n",
    )


def test_compared_items_are_counted_with_plurals() -> None:
    from wsim.balance.answer import BalanceAnswer
    from wsim.people.combine.answer import CombineAnswer

    record: dict[str, Any] = {
        "targets": [{}],
        "changes": [{}, {}],
        "trade": [],
        "carried": [{}] * 1200,
        "responses": None,
    }
    assert BalanceAnswer.compared(record) == "the patch, 1 target, 2 changes and 1,200 transfers"
    assert CombineAnswer.compared({"rows": [{}]}) == "1 estimate"
    assert (counted(1, "row"), counted(24_000, "row")) == ("1 row", "24,000 rows")
