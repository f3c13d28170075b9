"""Which conflicts a search reports, and whether its patch is the smallest that can be proven."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from tests.balance.goals import SEARCH, UNBALANCED, write_goal
from wsim.balance.cells import Cell
from wsim.balance.conflicts import conflicts
from wsim.balance.evaluator import Evaluator
from wsim.balance.goal import SearchSettings, read_goal
from wsim.balance.knobs import Knob, cost_of, options_of, patch_of
from wsim.balance.measurements import Memory
from wsim.balance.patch_search import PatchSearch
from wsim.balance.proof import games_needed, prove
from wsim.balance.repair import Aims, repaired
from wsim.balance.sampling import Effects, Level

pytestmark = pytest.mark.usefixtures("medal")


def level_of(value: list[float], error: float) -> Level:
    return Level(np.array(value), np.full(len(value), error), 1_000)


def effects_of(*rows: list[float]) -> Effects:
    value = np.array(rows)
    return Effects(value, np.zeros_like(value), np.zeros(value.shape, bool))


BOTH = [Cell("four", "A", "win", 0.22, 0.28, True), Cell("five", "A", "win", 0.17, 0.23, True)]
ALIKE = effects_of([0.05, 0.04], [-0.03, -0.03])
APART = effects_of([0.05, -0.04], [-0.03, 0.03])


def test_conflicts_involve_only_missed_targets() -> None:
    """Within their bounds by the estimate, or beyond them by less than an interval: nothing is said."""
    assert conflicts(BOTH, level_of([0.262, 0.196], 0.02), ALIKE) == []  # unproven, both within
    assert conflicts(BOTH, level_of([0.285, 0.165], 0.01), ALIKE) == []  # beyond by less than an interval
    (said,) = conflicts(BOTH, level_of([0.30, 0.15], 0.001), ALIKE)
    assert (
        said
        == "win of A (four) is too high while win of A (five) is too low, and the knobs move both in the same direction"
    )
    assert conflicts(BOTH, level_of([0.30, 0.15], 0.001), APART) == []  # one value mends both
    assert conflicts(BOTH, level_of([0.30, 0.25], 0.001), ALIKE) == []  # off to the same side


def test_targets_that_push_each_other_out_of_bounds_conflict() -> None:
    """The first is 0.02 too high; to bring it down takes 0.018 off the other, which has 0.005 to give, or 0.03."""
    (said,) = conflicts(BOTH, level_of([0.30, 0.175], 0.0), ALIKE)
    assert said.startswith("win of A (four) is too high, and what would fix it makes win of A (five) too low")
    assert conflicts(BOTH, level_of([0.30, 0.20], 0.0), ALIKE) == []


def stub(
    true: dict[int, float], search: SearchSettings, played: list[tuple[str, Any, int]], checked: float = -0.0032
) -> PatchSearch:
    """Return a search over the number of changed values, with one cell whose true figure is given by ``true``.

    ``checked``: the difference between the measured and the true figure in a check.
    """
    cells = [Cell("four", "A", "win", 0.235, 0.265, True)]
    knobs = tuple(Knob(("wonders", name), 3, 1, 5, 1.0, 0.35, 0) for name in "abcd")

    def level(patch: Any, purpose: str, games: int) -> Level:
        played.append((purpose, patch, games))
        luck = checked if purpose == "check" else 0.0
        return Level(np.array([true[len(patch)] + luck]), np.array([0.4 / np.sqrt(games)]), games)

    evaluator = SimpleNamespace(
        goal=SimpleNamespace(search=search), cells=cells, knobs=knobs, options=(), level=level,
        deals_of=lambda games: {"": games},
    )  # fmt: skip
    found = PatchSearch(cast("Evaluator", evaluator), before=level((), "", 1), effects=effects_of())
    for count in true:
        patch = tuple((knob.path, 4) for knob in knobs[:count])
        found._note(patch, level(patch, "found", search.games))
    return found


def test_a_failed_patch_is_retried_with_the_remaining_games() -> None:
    """It lies 0.0013 within its bound, and looked 0.0032 better: planned with few games, it is proven with all."""
    played: list[tuple[str, Any, int]] = []
    search = stub({0: 0.36, 1: 0.2637}, SearchSettings(games=40_000, proof_games=1_000_000), played)
    search._prove()
    first, second = (proof for _, proof in search.proofs)
    assert not first.holds
    assert second.holds
    assert search.proofs[0][0] == search.proofs[1][0]
    assert first.deals[""] < second.deals[""] == 1_000_000


def test_the_cheaper_of_two_provable_patches_is_proven() -> None:
    """The dearer one is nearer to the target, and is not needed; one that lies beyond its bound is not tried."""
    played: list[tuple[str, Any, int]] = []
    search = stub({0: 0.36, 1: 0.27, 2: 0.258, 3: 0.25}, SearchSettings(games=40_000, proof_games=400_000), played)
    search._prove()
    ((patch, proof),) = search.proofs
    assert proof.holds
    assert len(patch) == 2
    assert [len(patch) for purpose, patch, _ in played if purpose.startswith("proof")] == [2]


@pytest.mark.parametrize(("proofs", "proven", "named"), [(2, 1, []), (1, 2, [1])])
def test_an_unlucky_check_still_leads_to_an_attempt_except_the_last(proofs: int, proven: int, named: list[int]) -> None:
    """One value is within its bound by 2.9 standard errors of a proof, which needs 1.96, and looks nearer by 1.3.

    The last try is for two values, which are sure; the one value is named then.
    """
    played: list[tuple[str, Any, int]] = []
    settings = SearchSettings(games=40_000, proof_games=400_000, proofs=proofs, alpha=0.025 * proofs)
    search = stub({0: 0.36, 1: 0.2632, 2: 0.25}, settings, played, checked=0.0008)
    search._prove()
    ((patch, proof),) = search.proofs
    assert proof.holds
    assert len(patch) == proven
    assert [len(one.patch) for one in search.not_excluded()] == named
    assert max(games for purpose, patch, games in played if purpose == "check" and len(patch) == 1) == 400_000


@pytest.mark.parametrize(("true", "checked", "named"), [(0.2685, -0.0046, []), (0.2665, -0.0026, [1])])
def test_failed_patches_are_excluded_by_the_bound_they_exceed(true: float, checked: float, named: list[int]) -> None:
    """The check was lucky, the proof was not: both together lie beyond by 2.7 standard errors, or by 0.4."""
    played: list[tuple[str, Any, int]] = []
    search = stub({0: 0.36, 1: true, 2: 0.25}, SearchSettings(games=40_000, proof_games=400_000), played, checked)
    search._prove()
    assert [len(patch) for patch, _ in search.proofs] == [1, 2]
    assert search.proofs[1][1].holds
    assert [len(one.patch) for one in search.not_excluded()] == named


def test_attempts_are_played_on_separate_deals() -> None:
    """The seeds of the answer are those that were played, and no two attempts or stages share one."""
    evaluator = Evaluator(read_goal(write_goal()), Memory(), 1)
    seeds = {name: dict(evaluator.seeds_of(name))["4 players, bold"] for name in ("proof 1", "proof 2", "check")}
    assert len(set(seeds.values())) == 3
    found: list[int] = []
    part = evaluator._parts[0]
    real = part.level

    def level(patch: Any, seed: int, games: int) -> Level:
        found.append(seed)
        return real(patch, seed, games)

    part.level = level  # type: ignore[method-assign]
    for attempt in (1, 2):
        prove(evaluator, (), attempt, 10)
    assert found == [seeds["proof 1"], seeds["proof 2"]]


def test_the_least_useful_change_is_removed_first() -> None:
    """Of three changes, each of which brings the cell nearer by its own, the smallest goes first, the largest last."""
    paths = [("wonders", name) for name in "abc"]
    knobs = tuple(Knob(path, 3, 3, 4, 1.0, 0.35, 0) for path in paths)
    worth: dict[Any, float] = {paths[0]: 0.02, paths[1]: 0.08, paths[2]: 0.005}
    cells = [Cell("four", "A", "win", 0.24, 0.26, True)]
    options = options_of(knobs)
    measured: list[Any] = []

    def level(patch: Any, _purpose: str, games: int) -> Level:
        measured.append(tuple(path for path, _ in patch))
        return Level(np.array([0.355 - sum(worth[path] for path, _ in patch)]), np.array([0.001]), games)

    def linearised(patch: Any, purpose: str, games: int, _replays: int) -> tuple[Level, Effects]:
        now = dict(patch)
        moves = [[worth[knobs[one.knob].path] * (now.get(knobs[one.knob].path, 3) - one.value)] for one in options]
        return level(patch, purpose, games), effects_of(*moves)

    search = PatchSearch(
        cast(
            "Evaluator",
            SimpleNamespace(
                goal=SimpleNamespace(search=SearchSettings()),
                cells=cells, knobs=knobs, options=options, level=level, linearised=linearised,
            ),
        )
    )  # fmt: skip
    search._eliminate(tuple((path, 4) for path in paths))
    assert measured == [tuple(paths), (paths[0], paths[1]), (paths[1],), ()]


def test_a_repair_predicts_the_effect_of_its_changes_on_top_of_the_patch() -> None:
    """The value stands at 4, which took 0.02 off; at 5 it takes 0.04 off: from 0.30, measured at 4, to 0.28."""
    knobs = (Knob(("wonders", "a"), 3, 1, 5, 1.0, 0.35, 0),)
    options = options_of(knobs)
    effects = effects_of(*([-0.02 * (one.value - 3)] for one in options))
    aims = Aims.of([Cell("four", "A", "win", 0.22, 0.25, True)], np.zeros(1))
    patch, found = repaired(knobs, options, ((knobs[0].path, 4),), level_of([0.30], 0.0), effects, aims)
    assert patch == ((knobs[0].path, 5),)
    assert found == pytest.approx([0.28])


WORTH = {"a": {3: 0.0, 2: -0.042, 1: -0.08, 0: -0.1085}, "b": {4: 0.0, 3: -0.02, 2: -0.045, 1: -0.075}}


def drawn_search(seed: int, within: float, search: SearchSettings) -> PatchSearch:
    """Return a search whose one cell is where ``WORTH`` says, at 0.367 without a patch, as seen in so many games."""
    knobs = tuple(Knob(("stages", name), base, base - 3, base, 1.0, 0.35, 0) for name, base in (("a", 3), ("b", 4)))
    options, cells = options_of(knobs), [Cell("four", "A", "win", 0.25 - within, 0.25 + within, True)]
    effects = effects_of(*([WORTH[knobs[one.knob].path[1]][one.value]] for one in options))

    def level(patch: Any, purpose: str, games: int) -> Level:
        luck = np.random.default_rng([seed, *f"{purpose} {games} {patch}".encode()]).standard_normal(1)
        error = np.full(1, 0.82 / np.sqrt(games))
        return Level(0.367 + sum(WORTH[path[1]][value] for path, value in patch) + luck * error, error, games)

    def linearised(patch: Any, purpose: str, games: int, _replays: int) -> tuple[Level, Effects]:
        return level(patch, purpose, games), effects

    evaluator = SimpleNamespace(
        goal=SimpleNamespace(search=search), cells=cells, knobs=knobs, options=options, level=level,
        linearised=linearised, check_knobs=lambda _: [], deals_of=lambda games: {"": games},
        sampler=SimpleNamespace(seed=lambda _: seed),
    )  # fmt: skip
    return PatchSearch(cast("Evaluator", evaluator))


ONE, TWO = ((("stages", "a"), 0),), ((("stages", "a"), 2), (("stages", "b"), 1))


def test_cheaper_small_patches_are_checked_whatever_the_race_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    search = drawn_search(2, 0.015, SearchSettings(games=6_000, proof_games=100_000))
    for step, found in {"_race": TWO, "_eliminate": None, "_prove": None}.items():
        monkeypatch.setattr(PatchSearch, step, lambda *_, found=found: found)
    level, costs = search.evaluator.level, {}

    def noted(patch: Any, purpose: str, games: int) -> Level:
        if purpose.startswith("few"):
            costs[patch] = cost_of(search.evaluator.knobs, patch)
        return level(patch, purpose, games)

    monkeypatch.setattr(search.evaluator, "level", noted)
    search.run()
    assert ONE in costs
    assert max(costs.values()) < cost_of(search.evaluator.knobs, TWO)


def test_an_uncertain_last_attempt_considers_dearer_small_patches() -> None:
    search = drawn_search(2, 0.015, SearchSettings(games=6_000, proof_games=100_000, proofs=1))
    search.before, search.effects = search.evaluator.linearised((), "round 0", 6_000, 1)
    search._note(ONE, search.evaluator.level(ONE, "found", 6_000))
    search._prove()
    ((patch, proof),) = search.proofs
    assert proof.holds
    assert len(patch) == 2
    assert ONE in [one.patch for one in search.not_excluded()]


MANY = partial(pytest.param, marks=pytest.mark.slow)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("within", "tries", "smallest"),
    [(0.015, 25, 0.5), MANY(0.02, 100, 0.95), MANY(0.015, 200, 0.6), MANY(0.012, 100, 0.08)],
)
def test_a_cheaper_patch_is_tried_first_or_reported_as_not_excluded(within: float, tries: int, smallest: float) -> None:
    """One value, a at 0, brings the cell to 0.2585: one proof shows that in 99, 73 and 27 of 100 tries.

    So it was with the first stage of Rhodos B, looked at in few games: where the luck of a check or a proof is bad, two
    values are proven instead, and the answer names the one that may do.
    """
    found, named = 0, 0
    searches = [drawn_search(seed, within, SearchSettings(games=6_000, proof_games=100_000)) for seed in range(tries)]
    for search in searches:
        search.run()
        assert search.nearest_proof is not None
        patch, proof = search.nearest_proof
        cheaper = [other.patch for other in search.not_excluded()]
        assert all(cost_of(search.evaluator.knobs, other) < cost_of(search.evaluator.knobs, patch) for other in cheaper)
        found += patch == ONE
        named += proof.holds and ONE in cheaper
    assert found / len(searches) >= smallest
    assert found + named >= 0.93 * len(searches)


GOALS = (
    ('only = "Temple"\n', "points", "-4..4", 0.02), ('only = "Temple"\n', "points", "-4..4", 0.05),
    ('only = "Temple,Garden"\n', "points", "-3..3", 0.03), ("", "points", "-4..4", 0.04),
    ("", "points", "-4..4", 0.06), ('only = "Garden"\n', "salt", "-2..2", 0.03),
    ("", "salt", "-2..2", 0.07), ('only = "Colossus,Temple"\n', "*", "-2..2", 0.035),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("only", "value", "range_", "within"), GOALS)
def test_no_patch_of_one_or_two_values_is_smaller(only: str, value: str, range_: str, within: float) -> None:
    """Brute force over all patches of one and two values on 40,000 common deals: none that could be proven costs less.

    Could: so that the games of a proof suffice even three standard errors nearer to its bound. What costs less and is
    within its bounds by so much, though no proof would show it, is named as not excluded.
    """
    target = f'\n[[target]]\nof = "wonder"\n{only}within = {within}\n'
    knobs = f'\n[[knob]]\npath = "wonders.*.{value}"\nrange = "{range_}"\n'
    search = PatchSearch(Evaluator(read_goal(write_goal(UNBALANCED + target + knobs + SEARCH)), Memory(), 3))
    search.run()
    evaluator, nearest = search.evaluator, search.nearest_proof
    base = [knob.base for knob in evaluator.knobs]
    moves: list[Any] = [(one,) for one in evaluator.options if one.value != base[one.knob]]
    moves += [(one, two) for (one,), (two,) in combinations(moves, 2) if one.knob != two.knob]
    brute = Evaluator(evaluator.goal, Memory(), 77)
    patches = [(), *(patch_of_options(evaluator.knobs, move) for move in moves)]
    patches.sort(key=lambda patch: cost_of(evaluator.knobs, patch))
    assert nearest is not None
    proven, named = nearest[1].holds, [one.patch for one in search.not_excluded()]
    for patch in patches:
        if proven and cost_of(brute.knobs, patch) >= cost_of(brute.knobs, nearest[0]):
            break
        level = brute.level(patch, "brute force", 4 * brute.goal.search.games)
        needed = games_needed(brute.cells, level, 0.025, luck=3.0)
        assert needed is None or needed > brute.goal.search.proof_games, patch
        assert not proven or needed is None or patch in named


def patch_of_options(knobs: Any, move: Any) -> Any:
    values = [knob.base for knob in knobs]
    for one in move:
        values[one.knob] = one.value
    return patch_of(knobs, values)


def test_the_nearest_patches_advance_to_the_next_heat(monkeypatch: pytest.MonkeyPatch) -> None:
    """With levels that are known exactly, 0.25 being the target: the 40 % nearest to it go on, and the nearest wins."""
    field: list[Any] = [((("stages", name), value),) for name in "ab" for value in WORTH[name] if WORTH[name][value]]
    far = {patch: abs(0.117 + WORTH[patch[0][0][1]][patch[0][1]]) for patch in field}
    heats: dict[str, list[Any]] = {}
    search = drawn_search(2, 0.001, SearchSettings(games=10**12))
    level = search.evaluator.level

    def noted(patch: Any, purpose: str, games: int) -> Level:
        heats.setdefault(purpose, []).append(patch)
        return level(patch, purpose, games)

    monkeypatch.setattr(search.evaluator, "level", noted)
    monkeypatch.setattr("wsim.balance.patch_search.proposals", lambda *_: iter(field))
    assert search._race(()) == ONE
    assert heats["heat 0"] == field
    assert heats["heat 1"] == sorted(field, key=lambda patch: far[patch])[:2]


@pytest.mark.parametrize(("proofs", "all_games"), [(1, True), (2, False)])
def test_the_last_attempt_plays_all_proof_games(proofs: int, all_games: bool) -> None:
    settings = SearchSettings(games=40_000, proof_games=400_000, proofs=proofs)
    search = stub({0: 0.36, 1: 0.25}, settings, [])
    search._prove()
    ((_, proof),) = search.proofs
    assert proof.holds
    assert (proof.deals[""] == 400_000) == all_games


def test_the_conflicts_that_matter_most_are_named_first() -> None:
    """The first target is too high; of six at their lower bounds each would lose 0.1 to 0.6 of what it gives up."""
    names = "ABCDEF"
    cells = [Cell("four", "high", "win", 0.20, 0.26, True)]
    cells += [Cell("four", name, "win", 0.20, 0.26, True) for name in names]
    moves = np.array([[1.0], [-2.0]]) * np.array([1.0, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
    named = conflicts(cells, level_of([0.27, *[0.20] * 6], 0.0), effects_of(*moves.tolist()))
    assert [sentence.partition("makes win of ")[2][0] for sentence in named] == list("ABCDE")


def test_a_knob_that_moves_only_the_first_target_is_not_a_conflict() -> None:
    """Two knobs move both alike, but a third one mends the first and leaves the second where it is."""
    level = level_of([0.30, 0.175], 0.0)
    assert len(conflicts(BOTH, level, effects_of([0.05, 0.04], [-0.03, -0.03]))) == 1
    assert conflicts(BOTH, level, effects_of([0.05, 0.04], [-0.03, -0.03], [-0.03, 0.0])) == []
    assert len(conflicts(BOTH, level, effects_of([0.05, 0.04], [-0.03, -0.03], [-0.005, 0.0]))) == 1  # it is too weak
    assert conflicts(BOTH, level, effects_of([0.05, 0.04], [-0.03, -0.03], [-0.01, 0.0], [0.0, 0.02])) == []  # offset
