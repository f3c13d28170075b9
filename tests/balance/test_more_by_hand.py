"""Balance piece by piece, by hand: aims, repairs, small patches, candidates, and the cells of a target."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from wsim.balance import answer as answer_module
from wsim.balance import by_games
from wsim.balance import knobs as knobs_module
from wsim.balance.by_picks import PicksEvaluator
from wsim.balance.cells import Cell, _check_reachable, change_quantities, quantities_of, target_columns
from wsim.balance.conflicts import Z
from wsim.balance.goal import Keep, Setting, Target
from wsim.balance.knobs import Knob, Option
from wsim.balance.patch_search import Candidate, PatchSearch, _pooled, worst_of
from wsim.balance.repair import Aims, proposals, repaired, small_patches
from wsim.balance.sampling import Effects, Level
from wsim.balance.transfer import answer as transfer_module
from wsim.balance.transfer.answer import _deviations, _responses, check_elsewhere
from wsim.document import NUMBER, SHARE
from wsim.errors import UserError
from wsim.questions.metrics import Metric, parse_metric
from wsim.stats.fewest import SEEN

WIN, SCORE = Cell("four", "A", "win", 0.2, 0.3, share=True), Cell("four", "A", "score", 40.0, 60.0)
KNOBS = (Knob(("a",), 3, 2, 4, 1.0, 0.5, 0), Knob(("b",), 1, 1, 2, 1.0, 0.25, 0))
OPTIONS = (Option(0, 2), Option(0, 3), Option(0, 4), Option(1, 1), Option(1, 2))


def effects_of(values: list[tuple[float, float]]) -> Effects:
    return Effects(np.array(values), np.zeros((5, 2)), np.ones((5, 2), bool))


def test_aims_lie_inside_the_bounds_by_a_margin_for_error() -> None:
    """1.645 errors and a fifth of half a width inwards, but never more than 65% of it."""
    aims = Aims.of([WIN, SCORE], np.array([0.01, 9.0]))
    assert aims.reach.tolist() == pytest.approx([0.05, 10])
    assert aims.low.tolist() == pytest.approx([0.2 + 0.01645 + 0.01, 40 + 6.5])
    assert aims.high.tolist() == pytest.approx([0.3 - 0.01645 - 0.01, 60 - 6.5])
    exact = Aims.of([WIN, SCORE], np.zeros(2), slack=0)
    assert exact.excess(np.array([[0.15, 50.0], [0.31, 65.0], [0.25, 40.0]])).tolist() == pytest.approx([1.0, 0.7, 0])


def test_a_repair_uses_the_cheapest_sufficient_change_or_pair() -> None:
    """The win share is .1 too high. a = 2 lowers it by .1 for 1.5; b = 2 for 1.25; a = 4 raises it."""
    aims = Aims.of([WIN, SCORE], np.zeros(2), slack=0)
    level = Level(np.array([0.4, 50.0]), np.zeros(2), 100)
    effects = effects_of([(-0.1, 0.0), (0, 0), (0.1, 0), (0, 0), (-0.1, 0.0)])
    patch, predicted = repaired(KNOBS, OPTIONS, (), level, effects, aims)
    assert patch == ((("b",), 2),)
    assert predicted == pytest.approx([0.3, 50.0])
    # b also costs 20 points, which a = 2 gives back: neither alone, both together
    torn = effects_of([(-0.05, 20.0), (0, 0), (0.1, 0), (0, 0), (-0.05, -20.0)])
    patch, predicted = repaired(KNOBS, OPTIONS, (), level, torn, aims)
    assert patch == ((("a",), 2), (("b",), 2))
    assert predicted == pytest.approx([0.3, 50.0])
    fine = Level(np.array([0.25, 50.0]), np.zeros(2), 100)
    assert repaired(KNOBS, OPTIONS, (), fine, effects, aims)[0] == ()
    back, predicted = repaired(KNOBS, OPTIONS, ((("b",), 2),), fine, effects_of([(0, 0)] * 5), aims)
    assert back == (), "a change that does nothing is taken back"
    assert predicted == pytest.approx([0.25, 50.0])
    drawn = proposals(KNOBS, OPTIONS, (), level, effects, [WIN, SCORE], 3)
    again = proposals(KNOBS, OPTIONS, (), level, effects, [WIN, SCORE], 3)
    assert [next(drawn) for _ in range(5)] == [next(again) for _ in range(5)]


def test_small_patches_that_may_suffice_are_listed_cheapest_first() -> None:
    """The win share is .09 above its bound; effects next to no patch may be 70% to 100% of what they seem."""
    level = Level(np.array([0.39, 50.0]), np.zeros(2), 100)

    def patches(values: list[tuple[float, float]], dearer: float = 9.0) -> list[Any]:
        return list(small_patches(KNOBS, OPTIONS, level, effects_of(values), [WIN, SCORE], dearer))

    none, up, a_2, b_2 = (0.0, 0.0), (0.2, 0.0), (("a",), 2), (("b",), 2)
    assert patches([(-0.1, 0.0), none, up, none, (-0.1, 0.0)]) == [(b_2,), (a_2,), (a_2, b_2)]
    assert patches([(-0.1, 0.0), none, up, none, (-0.1, 0.0)], dearer=1.5) == [(b_2,)]
    # with -.27, the win share is .12 at full size, too low, but .201 at 70%
    assert patches([(-0.27, 0.0), none, up, none, none]) == [(a_2,), (a_2, b_2)]
    assert patches([(-0.28, 0.0), none, up, none, none]) == []
    assert patches([(-0.05, 20.0), none, up, none, (-0.05, -20.0)]) == [(a_2, b_2)]
    doubt = Level(np.array([0.39, 50.0]), np.array([0.037, 0.0]), 100)  # 2.5 errors are .0925
    idle = effects_of([none] * 5)
    found = list(small_patches(KNOBS, OPTIONS, doubt, idle, [WIN, SCORE], 9.0))
    assert found[0] == (b_2,)
    assert len(found) == 5, "a = 2, a = 4, b = 2, and each a with b"


def candidate(patch: Any, cost: float, worst: float, value: float = 0.25) -> Candidate:
    return Candidate(patch, Level(np.array([value]), np.array([0.01]), 100), cost, worst)


def test_cheaper_or_nearer_candidates_are_preferred() -> None:
    cells = [Cell("four", "A", "win", 0.2, 0.3, share=True)]
    evaluator: Any = SimpleNamespace(cells=cells)
    assert PatchSearch(evaluator).best is None
    search: Any = PatchSearch(evaluator)
    for each in (candidate("a", 1.0, 1.5, 0.34), candidate("b", 2.0, 1.5), candidate("c", 2.0, 0.5),
                 candidate("d", 3.0, 0.5), candidate("e", 0.5, 3.0, 0.4)):  # fmt: skip
        search.candidates[each.patch] = each
    assert "".join(str(each.patch) for each in search.pareto()) == "eac"
    assert search.best.patch == "c"
    # cheaper than c, and not beyond a bound by an interval: .34 is .04 beyond, 4 errors; e is .1 beyond
    assert search.not_excluded() == []
    search.failed["a"] = Level(np.array([0.31]), np.array([0.01]), 300)
    assert [(str(each.patch), each.worst) for each in search.not_excluded()] == [("a", pytest.approx(1.2))]
    assert worst_of(cells, np.array([0.31])) == pytest.approx(1.2)
    assert worst_of(cells, np.array([0.25])) == pytest.approx(0.0)
    pooled = _pooled(Level(np.array([1.0]), np.array([0.1]), 10), Level(np.array([4.0]), np.array([0.2]), 20))
    assert (pooled.value[0], pooled.error[0], pooled.games) == (
        pytest.approx((100 * 1 + 25 * 4) / 125), pytest.approx(125**-0.5), 30,
    )  # fmt: skip


SETTING: Any = Setting("four", SimpleNamespace(), False, "table")  # type: ignore[arg-type]


def sample(rare: int) -> pl.DataFrame:
    """Two seats in each game; side A has 100 seats, B ``rare`` and the rest of C; a seat of rank 0 does not compete."""
    seats = 100 + rare + 100
    sides = pl.Series("side", ["A"] * 100 + ["B"] * rare + ["C"] * 100, dtype=pl.Enum(["A", "B", "C"]))
    games = [number // 2 for number in range(seats)]
    ranks, wins = [1] * (seats - 1) + [0], [0.5] * (seats - 1) + [0.0]
    palace = [True] + [False] * (seats - 1)
    return pl.DataFrame(
        {"game": games, "side": sides, "rank": ranks, "win_share": wins, "total": 40, "built:Palace": palace}
    )


def test_a_column_target_covers_every_name_that_occurs_often_enough() -> None:
    owned = {"built:": "card"}

    def named(target: Target, rare: int = SEEN) -> list[Any]:
        found = quantities_of(SETTING, [target], sample(rare), owned)
        return [(quantity.cell.name, quantity.cell.low, quantity.cell.high) for quantity in found]

    relative = Target("win", of=("side",), relative=0.1)
    assert named(relative) == [(name, pytest.approx(0.45), pytest.approx(0.55)) for name in "ABC"]
    assert [name for name, *_ in named(relative, SEEN - 1)] == ["A", "C"]
    assert [name for name, *_ in named(Target("win", of=("side",), only=("C", "A"), at_least=0.4))] == ["C", "A"]
    (quantity,) = quantities_of(SETTING, [Target("win", of=("side",), only=("A",), within=0.1)], sample(5), owned)
    assert quantity.metric.where == (("side", "A"),)
    assert (quantity.cell.over, quantity.cell.share) == ("", True)
    for only, words in (
        ("D", "selects 'D', which does not exist"),
        ("B", r"B hardly ever occurs at this table \(1.. games"),
    ):
        with pytest.raises(UserError, match=words):
            named(Target("win", of=("side",), only=(only,), within=0.1), SEEN - 1)
    with pytest.raises(UserError, match=r"is of 'sides' .did you mean 'side'.*accepted: side"):
        named(Target("win", of=("sides",), within=0.1))
    (kept,) = change_quantities(SETTING, [Keep("score", 2.0)], sample(5), owned)
    assert (kept.cell.name, kept.cell.low, kept.cell.high, kept.is_change) == ("change of score", -2.0, 2.0, True)


@pytest.mark.parametrize(
    ("target", "metric", "words"),
    [
        (Target("win", of=("side",), at_least=0.3), "win", "mean 0.25"),
        (Target("win", of=("side",), at_most=0.2), "win", "mean 0.25"),
        (Target("win", of=("side",), at_least=0.25), "win", ""), (Target("win", of=("side",), at_most=0.25), "win", ""),
        (Target("win", of=("side",), only=("A",), at_least=0.3), "win", ""),
        (Target("win:A", at_least=0.3), "win:A", ""), (Target("win", at_least=0.2), "win", "is empty"),
        (Target("owner:Palace", at_least=0.3), "owner:Palace", ""), (Target("score", at_least=30.0), "score", ""),
        (Target("winner:Palace", at_least=0.3), "winner:Palace", ""),
        (Target("win:A", at_least=1.01), "win:A", "a share is between 0 and 1"),
        (Target("win:A", at_least=1.0), "win:A", ""),
        (Target("win:A", at_most=-0.1), "win:A", "a share is between 0 and 1"),
        (Target("win:A", at_most=0.0), "win:A", ""),
        (Target("score", at_most=-5.0), "score", ""),
    ],
)  # fmt: skip
def test_unreachable_targets_by_hand(target: Target, metric: str, words: str) -> None:
    read = parse_metric(metric, sample(5), {"built:": "card"})
    if words:
        with pytest.raises(UserError, match=words):
            _check_reachable(target, read, 0.25)
    else:
        _check_reachable(target, read, 0.25)


def test_worth_targets_must_lie_between_minus_one_and_one() -> None:
    worth = Metric("worth:Palace", "win_share", True, item="Palace", wished=True)
    _check_reachable(Target("worth:Palace", at_most=-1.0), worth, 0.25)
    _check_reachable(Target("worth:Palace", at_least=0.3), worth, 0.25)
    with pytest.raises(UserError, match="worth in win share is between -1 and 1"):
        _check_reachable(Target("worth:Palace", at_most=-1.1), worth, 0.25)


def test_targets_are_named_and_bounded() -> None:
    assert Target("win", card="*").name == "win effect of build every card against others"
    assert Target("win", card="Palace", action="sell").name == "win effect of sell Palace against others"
    assert (Target("win", of=("wonder", "side")).name, Target("score").name) == ("win of wonder,side", "score")
    assert Target("win", relative=0.2).bounds(0.25) == pytest.approx((0.2, 0.3))
    assert Target("win", within=0.02).bounds(0.25) == pytest.approx((0.23, 0.27))
    assert Target("win", within=0.02, value=0.4).bounds(0.25) == pytest.approx((0.38, 0.42))
    assert Target("win", at_least=0.1).bounds(0.25) == (0.1, math.inf)
    assert Target("win", at_most=0.1).bounds(0.25) == (-math.inf, 0.1)
    kinds = {column.name: column.kind for column in target_columns([{"metric": "win"}, {"metric": "win:A"}])}
    assert (kinds["before"], kinds["low"]) == (SHARE, SHARE)
    mixed = {column.name: column.kind for column in target_columns([{"metric": "win"}, {"metric": "score"}])}
    assert (mixed["before"], mixed["low"]) == (NUMBER, NUMBER)


# --- measured elsewhere


def test_deviations_are_measured_from_the_middle_of_the_accepted_range() -> None:
    """Middles .25 and 50: .05 over and 3 under; the root of their mean square is sqrt((.0025 + 9) / 2)."""
    found = _deviations([WIN, SCORE], Level(np.array([0.3, 47.0]), np.zeros(2), 9), "after")
    assert found == {
        "spread_after": pytest.approx(math.sqrt(9.0025 / 2)), "largest_after": pytest.approx(-3), "of_after": "A"
    }  # fmt: skip


def test_the_best_style_is_chosen_on_half_the_deals_and_measured_on_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of side X: style one wins .5 and .1, style two .2 and .4: on the first half one is best (.1 on the second), on
    the second half two (.2 on the first). The errors of both halves count by half."""
    halves = {"one": ([0.9, 0.5, 0.3], [0.9, 0.1, 0.3]), "two": ([0.9, 0.2, 0.2], [0.9, 0.4, 0.1])}
    errors = {"one": ([9, 0.01, 0.03], [9, 0.03, 0.04]), "two": ([9, 0.04, 0.05], [9, 0.07, 0.08])}
    asked: list[tuple[Any, ...]] = []

    def table(_evaluator: Any, setting: Any, name: str, of: Any) -> Any:
        style = setting.plan
        assert (setting.name, name, of) == (f"four, {style}", "four", ("policy",))

        def level(patch: Any, seed: Any, games: int) -> Level:
            asked.append((style, patch, seed, games))
            return Level(np.array(halves[style][seed[-1]]), np.array(errors[style][seed[-1]]), games)

        cells = [SimpleNamespace(name=label) for label in ("other X", "mine X", "mine Y")]
        return SimpleNamespace(first_policy="mine", cells=cells, level=level)

    monkeypatch.setattr(transfer_module, "_table", table)
    monkeypatch.setattr(transfer_module, "_with_style", lambda _plan, style: style)
    evaluator: Any = SimpleNamespace(sampler=SimpleNamespace(seed=lambda *words: words))
    where: Any = SimpleNamespace(styles=("one", "two"), games=1001)
    rows = _responses(evaluator, Setting("four", plan=None), (), where)  # type: ignore[arg-type]
    assert [(row["of"], row["style"]) for row in rows] == [("X", "one"), ("Y", "one")]
    assert [row["best"] for row in rows] == pytest.approx([(0.1 + 0.2) / 2, (0.3 + 0.3) / 2])
    assert [row["error"] for row in rows] == pytest.approx([math.hypot(0.03, 0.04) / 2, math.hypot(0.04, 0.03) / 2])
    assert [given[2:] for given in asked] == [(("style", "four", half), 500) for half in (0, 1)] * 2
    monkeypatch.setattr(transfer_module, "_table", lambda *_given: None)
    assert _responses(evaluator, Setting("four", plan=None), (), where) == []  # type: ignore[arg-type]


def test_a_style_takes_one_seat_of_the_line_up() -> None:
    plan: Any = SimpleNamespace(policies=("net",), players=3, replace=lambda **changes: changes)
    seated: Any = transfer_module._with_style(plan, "bold")
    assert seated == {"policies": ["bold", "net", "net"], "rotate": True}
    plan.policies = ("a", "b", "c")
    seated = transfer_module._with_style(plan, "bold")
    assert seated["policies"] == ["bold", "b", "c"]


def test_a_transfer_needs_at_least_one_game() -> None:
    goal: Any = SimpleNamespace(game="seven_wonders", settings=())
    where: Any = SimpleNamespace(games=1, players=(), styles=())
    check_elsewhere(goal, where)
    where.games = 0
    with pytest.raises(UserError, match="must be at least 1, not 0"):
        check_elsewhere(goal, where)


# --- knobs, cards of picks, worth of changed values, what is not excluded


def test_range_ends_are_tried_once_per_kind_of_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clay that two cards cost is of a kind, that of a stage is another; each formula is tried."""
    paths = [("cards", "Altar", "cost", "clay"), ("cards", "Baths", "cost", "clay"),
             ("stages", "Gizah", "cost", "clay"),
             ("cards", "Altar", "when", "built:1"), ("cards", "Baths", "when", "built:1")]  # fmt: skip
    tried: list[tuple[Any, ...]] = []
    tuning = SimpleNamespace(values=lambda _simulator: dict.fromkeys(paths, 2))
    home = SimpleNamespace(TUNING=tuning, prepare=tried.append)
    monkeypatch.setattr(knobs_module, "find_game", lambda _name: home)
    monkeypatch.setattr(knobs_module, "tuning_of", lambda _name: tuning)
    monkeypatch.setattr(knobs_module, "_matching", lambda _row, values: list(values))
    monkeypatch.setattr(knobs_module, "_bounds", lambda *_given: (1, 3))
    monkeypatch.setattr(knobs_module, "patched", lambda _plan, patch: patch)
    row = SimpleNamespace(present=False, touch=1.0, step=0.5, path="*", range="-1..1")
    goal: Any = SimpleNamespace(game="toy", knobs=(row,), settings=[SimpleNamespace(plan=SimpleNamespace(game="toy"))])
    found = knobs_module.knobs_of(goal, None)  # type: ignore[arg-type]
    assert [knob.path for knob in found] == paths
    assert tried == [((path, value),) for path in [paths[0], *paths[2:]] for value in (1, 3)]


def test_rare_cards_are_not_cells() -> None:
    """Of three cards one occurs often enough, one hardly, one never."""
    table = pl.DataFrame({"card": ["A", "B"], "effective": [1e6, 1.0]})
    memory = SimpleNamespace(recall=lambda _of, _games, measure: measure())
    evaluator: Any = SimpleNamespace(
        _named=lambda _target: ["A", "B", "C"], _settings=SimpleNamespace(picks=50), name="part",
        _sampler=SimpleNamespace(seed=lambda *_words: 7, memory=memory), _table=lambda *_given: table,
        _recorded=lambda _patch, seed, games, _folder: (seed, games),
    )  # fmt: skip
    target: Any = SimpleNamespace(name="t")
    assert PicksEvaluator._cards_with_action(evaluator, target) == ["A"]
    evaluator._named = lambda _target: ["B", "C"]
    with pytest.raises(UserError, match="hardly ever happened in 50 games"):
        PicksEvaluator._cards_with_action(evaluator, target)


def test_a_change_in_worth_uses_deviations_from_the_baseline_means() -> None:
    """One cell, two games. Without the change, followed wishes count 10 of 20 rows, overruled ones 4 of 10: means .5
    and .4; weights 1 and -20 / 10 = -2. In game 0 the change adds 3 to the value of the followed at 2 rows more, in
    game 1 it takes 1 from that of the overruled: 3 - .5 * 2 = 2, and -2 * (-1) = 2."""
    base = np.array([[10.0, 20.0, 4.0, 10.0]])
    frames = {"without": np.zeros((4, 1, 2)), "with": np.array([[[3.0, 0]], [[2.0, 0]], [[0, -1.0]], [[0, 0]]])}

    class Read:
        wished = True

        def __call__(self, reader: Any, seats: int) -> Any:
            assert seats == 3
            return frames[reader]

    arms: Any = [SimpleNamespace(frame=lambda _games, name=name: name, simulators=[SimpleNamespace(seats=3)])
                 for name in frames]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_games, "_reader", lambda frame: frame)
        found = by_games._Replaying(tuple(arms), Read(), base)(range(2))  # type: ignore[arg-type]
    assert found["number"].tolist() == [[4.0]]
    assert found["square"].tolist() == [[8.0]]
    assert found["count"].tolist() == [[2.0]]


def test_a_patch_not_excluded_is_reported_with_its_tightest_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Win .31 is .01 over at a reach of .05, score 61 is 1 over at 10: the win share binds."""
    monkeypatch.setattr(
        answer_module, "_cell_description", lambda _search, index, value: f"cell {index} at {value[index]:g}"
    )
    monkeypatch.setattr(answer_module, "_patch_line", lambda patch: " ".join(map(str, patch)))
    level = Level(np.array([0.31, 61.0]), np.array([0.1, 5.0]), 9)
    candidates = [SimpleNamespace(patch=patch, level=level) for patch in ((), ("a",), ("a", "b"), ("c",), ("d",))]
    search: Any = SimpleNamespace(
        not_excluded=lambda: candidates, evaluator=SimpleNamespace(cells=[WIN, SCORE]), passed_over=0
    )
    reach = f"(+-{Z * 0.1:.2g})."
    assert answer_module._not_excluded(search) == [
        f"Changing nothing is not excluded: cell 0 at 0.31 {reach}",
        f"A patch of 1 value, a, is not excluded: cell 0 at 0.31 {reach}",
        f"A patch of 2 values, a b, is not excluded: cell 0 at 0.31 {reach}",
        "Nor are 2 more that cost less.",
    ]
    del candidates[3:]
    search.passed_over = 1234
    assert answer_module._not_excluded(search)[3:] == [
        "1,234 more patches of one or two values that cost less were not measured."
    ]
