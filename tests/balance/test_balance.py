"""The search and its proof: a deliberate imbalance is corrected, and proofs use no deals of the search."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import wsim
from tests.balance.goals import KNOBS, SEARCH, TARGET, UNBALANCED, write_goal
from tests.conftest import Command
from tests.games import medal_game
from wsim.balance.answer import answer_of
from wsim.balance.ask import balance
from wsim.balance.cells import Cell
from wsim.balance.evaluator import Evaluator
from wsim.balance.goal import SearchSettings, read_goal
from wsim.balance.knobs import Knob
from wsim.balance.measurements import Memory
from wsim.balance.patch_search import PatchSearch
from wsim.balance.proof import Proof, games_needed, proven
from wsim.balance.sampling import Effects, Level
from wsim.errors import UserError
from wsim.lab.execution import Execution
from wsim.lab.progress import Interrupted
from wsim.stats.distributions import normal_quantile

pytestmark = pytest.mark.usefixtures("medal")
FEW = ("--quiet", "--elsewhere-games", "500")
HOW_TO_GO_ON = (
    "wsim: interrupted; results of the games so far; continue with --resume added to the same command "
    "(patch.toml.journal has all measurements)\n"
)


@pytest.mark.slow
def test_a_planted_imbalance_is_found_and_fixed() -> None:
    """The temple has 4 points too many and the garden 2 too few; changing points or salt corrects this."""
    answer = balance(read_goal(write_goal()))
    changed = {path[1] for path, _ in answer.patch}
    assert answer.proven
    assert changed == {"Temple", "Garden"}
    assert len(answer.patch) == 2
    rows = answer.targets.to_dicts()
    assert all(row["proven"] and row["low"] < row["after_low"] < row["after_high"] < row["high"] for row in rows)
    assert max(abs(row["before"] - 0.25) for row in rows) > 0.05
    temple = next(row for row in answer.changes.to_dicts() if "Temple" in row["path"])
    assert temple["of"] == "Temple"
    assert temple["effect_low"] < temple["effect"] < temple["effect_high"] < 0
    assert answer.trade["changes"].to_list() == sorted(answer.trade["changes"].to_list())
    assert answer.trade["worst"].to_list() == sorted(answer.trade["worst"].to_list(), reverse=True)
    assert answer.idle == []


@pytest.mark.slow
def test_the_same_goal_and_seed_give_the_same_patch() -> None:
    goal = read_goal(write_goal())
    one, other = (balance(goal, 3, execution=Execution(threads)) for threads in (1, 2))
    told = [{key: value for key, value in one.record().items() if key != "seconds"} for one in (one, other)]
    assert told[0] == told[1]
    assert one.patch_text() == other.patch_text()
    assert balance(goal, 4).targets["after"].to_list() != one.targets["after"].to_list()


@pytest.mark.slow
def test_a_goal_can_be_a_mapping() -> None:
    told = tomllib.loads(Path(write_goal()).read_text(encoding="utf-8"))
    answer = wsim.smallest_patch(told, seed=3, players=("shy",), transfer_games=500)
    assert answer.patch == balance(read_goal("goal.toml"), 3).patch
    assert answer.carried is not None
    assert answer.carried["policies"].to_list() == ["bold", "shy"]
    with pytest.raises(UserError, match="the goal: unknown section 'targts'"):
        wsim.smallest_patch({**told, "targts": []})


@pytest.mark.slow
def test_a_balanced_game_needs_no_patch() -> None:
    balanced = UNBALANCED.replace('set = ["wonders.Temple.points=4", "wonders.Garden.salt=2"]', "")
    answer = balance(read_goal(write_goal(balanced + TARGET + KNOBS + SEARCH)))
    assert answer.proven
    assert answer.patch == ()
    assert answer.headline().startswith("Proven: no change is needed, the game meets all targets as it is, on ")


@pytest.mark.slow
def test_a_patch_is_proven_on_deals_outside_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, set[int]] = {"search": set(), "proof": set()}
    real = medal_game.MedalSimulator.play

    def play(self: Any, first: int, rows: Any, picks: Any = None) -> int:
        seen[phase[0]].add(self.plan.seed)
        return int(real(self, first, rows, picks))

    phase = ["search"]
    monkeypatch.setattr("tests.games.medal_game.MedalSimulator.play", play)
    search = PatchSearch(Evaluator(read_goal(write_goal()), Memory(), 1))
    with monkeypatch.context() as unproven:
        unproven.setattr(search, "_prove", lambda: None)
        search.run()
    assert search.nearest_proof is None  # whatever the search has measured
    assert answer_of(search).stopped == "interrupted"
    monkeypatch.setattr("wsim.balance.patch_search.prove", _told(phase))
    search._prove()
    assert search.proofs
    assert seen["proof"]
    assert not seen["search"] & seen["proof"]


def _told(phase: list[str]) -> Any:
    from wsim.balance.proof import prove

    def wrapped(*arguments: Any) -> Any:
        phase[0] = "proof"
        try:
            return prove(*arguments)
        finally:
            phase[0] = "search"

    return wrapped


@pytest.mark.slow
@pytest.mark.parametrize("beyond", ["one at its bound", "all at their bounds"])
def test_the_proof_keeps_its_error_rate(beyond: str) -> None:
    """A patch exactly at the bound of a target is proven in at most alpha of all attempts, all targets counted."""
    random = np.random.default_rng(5)
    alpha, proofs, tries, cells = 0.05, 2, 20_000, 14
    bounded = [Cell("four", str(place), "win", 0.235, 0.265, True) for place in range(cells)]
    true = np.full(cells, 0.25)
    true[0 if beyond.startswith("one") else slice(None)] = 0.265
    error = np.full(cells, 0.002)
    wrong = 0
    for _ in range(tries):
        drawn = true + error * random.standard_normal((proofs, cells))
        wrong += any(proven(bounded, Level(one, error, 1), alpha / proofs).all() for one in drawn)
    assert wrong / tries < alpha + 3 * np.sqrt(alpha / tries)
    if beyond.startswith("one"):
        assert wrong / tries > 0.02  # and is not wasted


@pytest.mark.slow
@pytest.mark.parametrize("proofs", [1, 2, 4])
def test_the_false_proof_rate_is_at_most_alpha(proofs: int) -> None:
    """Patches that look right while they are searched for and miss one target by nothing, tried as often as allowed."""
    random = np.random.default_rng(proofs)
    alpha, tries, error = 0.05, 2_000, np.full(3, 0.002)
    cells = [Cell("four", str(place), "win", 0.235, 0.265, True) for place in range(3)]
    missed = np.array([0.265, 0.25, 0.25])

    def level(patch: Any, purpose: str, games: int) -> Level:
        if "proof" in purpose:
            return Level(missed + error * random.standard_normal(3), error, games)
        return Level(np.full(3, 0.255 - 0.001 * len(patch)), error, 40_000)  # the more is changed, the nearer

    knobs = tuple(Knob(("wonders", name), 3, 1, 5, 1.0, 0.35, 0) for name in "abcd")
    settings = SearchSettings(alpha=alpha, proofs=proofs, proof_games=100_000)
    evaluator = SimpleNamespace(
        goal=SimpleNamespace(search=settings), cells=cells, knobs=knobs, options=(), level=level,
        deals_of=lambda games: {"": games},
    )  # fmt: skip
    none = Effects(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3), bool))
    attempts, wrong = 0, 0
    for _ in range(tries):
        search = PatchSearch(cast("Evaluator", evaluator), before=level((), "", 1), effects=none)
        for count in range(1, 5):
            patch = tuple((knob.path, 4) for knob in knobs[:count])
            search._note(patch, level(patch, "found", 40_000))
        search._prove()
        attempts += len(search.proofs)
        wrong += any(proof.holds for _, proof in search.proofs)
    assert attempts > tries * (proofs - 0.2)  # all that are allowed
    assert wrong / tries < alpha + 3 * np.sqrt(alpha / tries)
    assert wrong / tries > alpha / 3  # and they are not wasted


def test_the_reported_distance_is_the_smallest_provable_one() -> None:
    """The same games prove the patch if every bound is widened by the reported factor, but not by a smaller one."""
    random = np.random.default_rng(2)
    alpha, value = 0.025, 0.25 + 0.012 * random.standard_normal(14)
    error = np.full(14, 0.002)

    def cells(times: float) -> list[Cell]:
        reach = 0.015 * times
        return [Cell("four", str(place), "win", 0.25 - reach, 0.25 + reach, True) for place in range(14)]

    held = proven(cells(1), Level(value, error, 1), alpha)
    nearest = Proof(1, alpha, {"four": 1}, value, error, held).bound(cells(1))
    assert proven(cells(nearest + 1e-9), Level(value, error, 1), alpha).all()
    assert not proven(cells(nearest - 1e-6), Level(value, error, 1), alpha).all()
    one_sided = [Cell("four", "one", "score", -2.0, np.inf)]
    near, far = (
        Proof(1, alpha, {"four": 1}, np.array([one]), np.array([0.1]), np.array([True])) for one in (-1.5, 40.0)
    )
    assert far.bound(one_sided) < near.bound(one_sided) < 1  # beyond the bound is not off


def test_the_planned_proof_games_suffice() -> None:
    cell = Cell("four", "one", "win", 0.235, 0.265, True)
    level = Level(np.array([0.255]), np.array([0.002]), 40_000)
    games = games_needed([cell], level, 0.05, power=0.9)
    assert games is not None
    error = 0.002 * np.sqrt(40_000 / games)
    room = 0.265 - 0.255
    assert room / error == pytest.approx(normal_quantile(0.95) + normal_quantile(0.9), rel=0.01) or games == 20_000
    assert games_needed([cell], Level(np.array([0.27]), np.array([0.002]), 40_000), 0.05) is None
    far = Level(np.array([0.26]), np.array([0.002]), 40_000)  # 0.005 from its bound: of bad luck 0.003, of good 0.007
    by_luck = [games_needed([cell], far, 0.05, luck=luck) for luck in (1.0, 0.0, -1.0)]
    expected = [40_000 * ((normal_quantile(0.95) + normal_quantile(0.9)) * 0.002 / room) ** 2
                for room in (0.003, 0.005, 0.007)]  # fmt: skip
    assert by_luck == pytest.approx([max(20_000, one) for one in expected], abs=1)
    assert games_needed([cell], far, 0.05, luck=3.0) is None


# --- what cannot be reached -------------------------------------------------------------------------------------------

FEEBLE = """
[[knob]]
path = "wonders.Temple.points"
range = "-1..1"
"""


@pytest.mark.slow
def test_unreachable_targets_are_named(wsim_command: Command) -> None:
    answer = wsim_command("balance", write_goal(UNBALANCED + TARGET + FEEBLE + SEARCH), "--out", "patch.toml", *FEW)
    assert answer.code == 3
    assert "Not proven: with 1 changed value, the binding" in answer.out
    assert "accepted 0.23 to 0.27" in answer.out
    assert "all targets are proven within" in answer.out
    record = json.loads(Path("patch.json").read_text(encoding="utf-8"))
    assert record["proven"] is False
    assert record["stopped"] == "unproven"
    assert record["changes"][0]["at_end"] is True
    assert record["binding"]
    assert record["proven_within"] > 1
    assert tomllib.loads(Path("patch.toml").read_text(encoding="utf-8")) == {"wonders": {"Temple": {"points": 3}}}


@pytest.mark.slow
def test_conflicting_targets_are_named() -> None:
    """One target requires the temple to win often, the other rarely, so no value of its points can meet both."""
    rows = """
[[setting]]
name = "high"
[[setting]]
name = "low"
[[target]]
of = "wonder"
only = "Temple"
settings = "high"
value = 0.34
within = 0.02
[[target]]
of = "wonder"
only = "Temple"
settings = "low"
value = 0.16
within = 0.02
[[knob]]
path = "wonders.Temple.points"
range = "-4..4"
"""
    answer = balance(read_goal(write_goal(UNBALANCED + rows + SEARCH)))
    assert not answer.proven
    (conflict,) = answer.conflicts
    assert conflict.endswith("and the knobs move both in the same direction")
    assert "win of Temple (high) is too low" in conflict
    assert "win of Temple (low) is too high" in conflict


@pytest.mark.slow
def test_keep_holds_a_figure_in_place() -> None:
    """Taking points only from the temple would change the mean score, so other items must gain points."""
    keep = '[[keep]]\nmetric = "score"\nwithin = 0.6\n'
    free, kept = (balance(read_goal(write_goal(UNBALANCED + TARGET + KNOBS + more + SEARCH))) for more in ("", keep))
    assert free.proven
    assert kept.proven
    row = next(row for row in kept.targets.to_dicts() if row["of"] == "change of score")
    assert row["before"] == 0
    assert -0.6 < row["after_low"] < row["after_high"] < 0.6
    assert "change of score" not in free.targets["of"].to_list()


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_written_patch_can_be_applied(wsim_command: Command) -> None:
    goal = write_goal()
    answer = wsim_command("balance", goal, "--out", "patch.toml", *FEW)
    assert answer.code == 0
    assert answer.out.startswith("Proven: 2 changed values meet all 3 targets, on ")
    text = Path("patch.toml").read_text(encoding="utf-8")
    assert text.startswith("# Proven: 2 changed values")
    assert "# Deals of proof 1, 4 players, bold: seed " in text
    assert "= 0  # was 4; win of Temple -0." in text
    record = json.loads(Path("patch.json").read_text(encoding="utf-8"))
    assert record["format"] == "wsim-balance/1"
    laid = tomllib.loads(text)["wonders"]
    flat = {f"wonders.{name}.{what}": value for name, of in laid.items() for what, value in of.items()}
    assert flat == record["patch"]
    assert not Path("patch.toml.journal").exists()
    Path("unbalanced.toml").write_text("[wonders]\nTemple.points = 4\nGarden.salt = 2\n", encoding="utf-8")
    game = '[plan]\ngame = "medal"\npolicies = "bold"\npatch = ["unbalanced.toml", "patch.toml"]\n'
    patched = read_goal(write_goal(game + TARGET + KNOBS + SEARCH, "again.toml"))
    assert balance(patched).patch == ()  # laid over the game, it leaves nothing to mend


def test_an_existing_file_is_not_overwritten(wsim_command: Command) -> None:
    goal = write_goal()
    Path("patch.json").write_text("mine", encoding="utf-8")
    answer = wsim_command("balance", goal, "--out", "patch.toml")
    assert (answer.code, answer.out) == (2, "")
    assert "'patch.json' already exists" in answer.err
    assert Path("patch.json").read_text(encoding="utf-8") == "mine"
    assert wsim_command("balance", goal, "--out", "patch.txt").err == (
        "wsim: a patch is written as FILE.toml, or its record alone as FILE.json, not 'patch.txt'\n"
    )
    assert "there is no folder 'nowhere'" in wsim_command("balance", goal, "--out", "nowhere/patch.toml").err
    assert "--resume continues the search that writes --out FILE" in wsim_command("balance", goal, "--resume").err


@pytest.mark.slow
def test_an_interrupted_search_reports_progress_and_can_continue(
    wsim_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = write_goal()
    whole = balance(read_goal(goal))
    told: list[str] = []

    def stop(what: str, done: int, total: int) -> None:
        told.append(what)
        if len(told) == 60:
            raise KeyboardInterrupt

    journal = Path("patch.toml.journal")
    with pytest.raises(Interrupted) as stopped:
        balance(read_goal(goal), execution=Execution(progress=stop), journal=journal)
    known = stopped.value.result
    assert known.stopped == "interrupted"
    assert not known.proven
    assert known.targets["after"].to_list() == [None] * 3
    assert "nothing is proven" in known.headline()
    with journal.open("a", encoding="utf-8") as file:
        file.write('{"of": "cut')  # as a process that was killed leaves it
    refused = wsim_command("balance", goal, "--out", "patch.toml", *FEW)
    assert (refused.code, refused.out) == (2, "")
    assert "continue with --resume, or remove it" in refused.err
    other = wsim_command("balance", goal, "--out", "patch.toml", "--seed", "2", "--resume", *FEW)
    assert "belongs to a different goal, seed or version of wsim" in other.err
    went_on = wsim_command("balance", goal, "--out", "patch.toml", "--resume", *FEW)
    assert went_on.code == 0
    record = json.loads(Path("patch.json").read_text(encoding="utf-8"))
    assert record["patch"] == whole.record()["patch"]
    assert record["targets"] == json.loads(json.dumps(whole.record()["targets"]))
    assert not journal.exists()


@pytest.mark.slow
def test_ctrl_c_interrupts_the_balance_command(wsim_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(self: PatchSearch) -> None:
        self._repair()
        raise KeyboardInterrupt

    monkeypatch.setattr(PatchSearch, "run", stopped)
    answer = wsim_command("balance", write_goal(), "--out", "patch.toml", *FEW)
    assert answer.code == 130
    assert answer.out.startswith("Interrupted: the best patch so far has ")
    assert answer.err == HOW_TO_GO_ON
    so_far = Path("patch.unproven.toml").read_text()
    assert so_far.startswith("# Interrupted: the best patch so far has ")
    assert "nothing is proven" in so_far
    assert not Path("patch.toml").exists()
    assert Path("patch.toml.journal").exists()
