"""Matches: small cases worked out by hand, deals as clusters, the error rate of verdicts, seats, threads, stopping."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from tests.tiers import first_quick
from wsim.game import Simulator, find_game
from wsim.lab import cluster
from wsim.lab.batch import rows_and_picks
from wsim.lab.plan import Plan
from wsim.policies.declare import unchecked
from wsim.questions.deals import WIN_UNITS
from wsim.questions.match import costs as costs_module
from wsim.questions.match.answer import MatchAnswer, tables_of
from wsim.questions.match.deal_files import DealFiles
from wsim.questions.match.design import mixed
from wsim.questions.match.question import MatchQuestion
from wsim.questions.match.ratings import circle, ratings
from wsim.questions.match.sums import MatchSums
from wsim.questions.match.tables import Block
from wsim.questions.match.trial import MatchTrial
from wsim.stats.distributions import t_quantile
from wsim.stats.rankings import order_numbers

LUCK: dict[str, Any] = {"game": "luck"}
HASH: Any = {"game": "luck", "luck": "hash"}


def luck(*policies: str, **options: Any) -> MatchAnswer:
    return wsim.match(*policies, game="luck", threads=1, **options)


def sums(deals: int, *policies: str, players: int, round_robin: bool = True, **keys: Any) -> MatchSums:
    plan = Plan.make(game="luck", policies="p", **keys)
    [table] = tables_of(plan, policies, [], [players], MatchQuestion(round_robin))
    return MatchSums(table.design).plus(table.play(range(deals)))


def test_two_deals_of_a_two_player_duel_by_hand() -> None:
    """The luck of the seats is 0, 1 in the first deal and 2, 0 in the second; A adds 1, B nothing.

    A on seat 0 gets 1 : 1 and 3 : 0, on seat 1 it gets 2 : 0 and 1 : 2. So A wins 3/4 and 1/2 of the two deals, 5/8
    with an error of sqrt((1/8)^2 + (1/8)^2) / sqrt(2) = 1/8, and leads by (0 + 2) / 2 = (3 - 1) / 2 = 1 in each.
    """
    found = sums(2, "p:skill=1", "p", players=2)
    assert found.wins().value == pytest.approx([0.625, 0.375])
    assert found.wins().error == pytest.approx([0.125, 0.125])
    assert found.edges().value == pytest.approx([0.25])
    assert found.edges().error == pytest.approx([0.25])
    assert found.leads().value.tolist() == [1.0]
    assert found.leads().error.tolist() == [0.0]


def test_one_policy_against_two_copies_by_hand() -> None:
    """Luck is 0, 1, 0 and 2, 0, 0; A adds 1. One A among Bs: 1 1 0 | 0 2 0 | 0 1 1 and 3 0 0 | 2 1 0 | 2 0 1.

    A wins 1/2 + 1 + 1/2 of three games, then 1 + 0 + 0. One B among As: 0 2 1 | 1 1 1 | 1 2 0, then 2 1 1 | 3 0 1 |
    3 1 0: B wins 0 + 1/3 + 0, then 1 + 0 + 0.
    """
    found = sums(2, "p:skill=1", "p", players=3)
    assert found.wins().value == pytest.approx([(2 / 3 + 1 / 3) / 2, (1 / 9 + 1 / 3) / 2])
    assert found.edges().value == pytest.approx([1 / 2 - 2 / 9])
    assert found.edges().error == pytest.approx([abs((2 / 3 - 1 / 9) - (1 / 3 - 1 / 3)) / 2])
    assert found.leads().value == pytest.approx([1.0])
    assert found.points().value == pytest.approx([1.0, -1.0])


def test_three_policies_at_one_table_by_hand() -> None:
    """Without luck the best wins every game, and the totals are 5, 2 and 0 (luck adds the same to everyone's mean)."""
    found = sums(2, "p:skill=50", "p:skill=20", "p", players=3, round_robin=False)
    assert found.wins().value.tolist() == [1.0, 0.0, 0.0]
    assert found.leads().value == pytest.approx([30, 50, 20])
    assert found.points().value == pytest.approx([40, -5, -35])


NAMED = ("p:noise=9:salt=1", "p:skill=2", "p:noise=5:salt=3", "p", "p:skill=1:noise=3", "p:salt=7:noise=12")


@first_quick(
    1,
    ("names", "keys"),
    [
        (NAMED, {"game": "luck", "luck": "hash", "players": [6], "budget": 8}),
        (NAMED[:4], {"game": "luck", "luck": "hash", "players": [6], "budget": 2}),
        (NAMED, {"game": "luck", "luck": "hash", "players": [12], "teams": "true", "budget": 2}),
        (("military", "balanced", "science", "civilian", "commerce", "greedy"), {"players": [6], "budget": 4}),
    ],
)
def test_results_do_not_depend_on_the_order_of_policies(names: tuple[str, ...], keys: Any) -> None:
    """Deals, seatings and therefore all figures are bitwise equal."""
    found = []
    for order in (names, names[::-1], (*names[2:], *names[:2])):
        answer = wsim.match(*order, threads=1, **keys)
        rows = answer.cells.sort("policy").select("policy", "win_share", "win_share_low", "margin").rows()
        leads = {
            tuple(sorted((row["policy"], row["other"]))): abs(row["margin"])
            for row in answer.pairs.iter_rows(named=True)
        }
        found.append((rows, dict(sorted(leads.items())), answer.games))
    assert found[0] == found[1] == found[2]


@pytest.mark.slow
def test_a_reordered_seating_equals_a_reordered_line_up() -> None:
    """Each entry keeps its own weights, parameters, pools and nets when the seats are reordered."""
    entries = ("balanced:explore=0.2", "net", "search:playouts=2", "weighted:shield=3", "random")
    plan = Plan.make(players=5, policies=entries, rotate=False, ban="1=trade;3=stages")
    simulator = find_game(plan.game).prepare(plan)
    orders = np.array([[4, 3, 2, 1, 0], [1, 0, 0, 3, 2], [0, 1, 2, 3, 4]])
    rows, plain = np.zeros((2, 15), simulator.row_dtype)
    simulator.play_seated(7, rows, orders)
    Simulator.play_seated(simulator, 7, plain, orders)
    assert (simulator.seats_frame(rows)["total"] == simulator.seats_frame(plain)["total"]).all()
    names = [name for name in rows.dtype.names or () if name not in ("policy", "entry")]
    assert (rows[names] == plain[names]).all()


@pytest.mark.slow
def test_deals_record_the_seating(tmp_path: Path) -> None:
    """The totals in the file consist of the luck of each side and the skill of the policy that played it."""
    names = ("p", "p:skill=100", "p:skill=200", "p:skill=300", "p:skill=400")
    answer = luck(*names, players=[6], budget=5, luck="hash", out=tmp_path / "kept")
    deals = pl.read_parquet(tmp_path / "kept" / "deals")
    skills = {name: 100 * place for place, name in enumerate(names)}
    lucks = deals.with_columns(luck=pl.col("total") - pl.col("policy").cast(pl.String).replace_strict(skills))
    assert (lucks.group_by("deal", "side").agg(pl.col("luck").n_unique())["luck"] == 1).all()
    of_policy = deals.group_by("policy").agg(pl.col("win_share").mean())
    shares = dict(answer.cells.select("policy", "win_share").rows())
    assert dict(of_policy.with_columns(pl.col("policy").cast(pl.String)).rows()) == pytest.approx(shares, abs=1e-6)


def test_cyclic_results_are_reported() -> None:
    """Of dice that beat each other in a circle by two to one, at tables of three and of two."""
    ranks = np.array([[1, 2, 3], [3, 1, 2], [2, 3, 1]])  # of a, b, c: each beats the next one in two of three games
    trial = SimpleNamespace(
        table=SimpleNamespace(design=mixed("abc", 3)),
        orders=order_numbers(np.repeat(ranks, 12, axis=0), np.tile(np.arange(3), (36, 1)), 3).reshape(-1, 6),
        looks=[SimpleNamespace(boundary=2.0)],
    )
    rng = np.random.default_rng(1)
    trial.orders = rng.permuted(np.tile(trial.orders, (20, 1)), axis=0)
    assert circle(trial) == [0, 1, 2]  # type: ignore[arg-type]
    trial.orders = trial.orders[:, :0:-1][:4, :]
    assert circle(trial) == []  # type: ignore[arg-type]


def test_a_team_is_one_side_and_its_points_add_up() -> None:
    """Seats 0 and 1 against 2 and 3, luck 1 : 0 and 2 : 0. A adds 1 a seat: 3 : 0, 1 : 2; 4 : 0, 2 : 2, a draw."""
    found = sums(2, "p:skill=1", "p", players=4, teams="true")
    assert found.wins().value == pytest.approx([(1 + 1 + 1 + 0.5) / 4, 0.5 / 4])
    assert found.leads().value.tolist() == [2.0]


def test_the_games_of_a_deal_form_one_cluster() -> None:
    """The standard error is computed from independent deals, regardless of the number of games per deal."""
    found = sums(500, "p:noise=6:salt=1", "p:noise=6:salt=2", "p:noise=6:salt=3", players=4, luck="hash")
    plan = Plan.make(game="luck", policies="p", luck="hash")
    names = [f"p:noise=6:salt={salt}" for salt in (1, 2, 3)]
    [table] = tables_of(plan, names, [], [4], MatchQuestion(round_robin=True))
    block = table.play(range(500))
    deals = np.array([(block.wins / 420)[:, reads].mean(axis=1) for reads in table.design.reads])
    assert found.wins().value == pytest.approx(deals.mean(axis=1))
    assert found.wins().error == pytest.approx(deals.std(axis=1, ddof=1) / math.sqrt(500))
    edge = deals[0] - deals[2]
    assert found.edges().error[0] == pytest.approx(edge.std(ddof=1) / math.sqrt(500))


def test_sums_do_not_depend_on_blocks_to_the_last_bit() -> None:
    plan = Plan.make(game="luck", policies="p", luck="hash")
    [table] = tables_of(plan, ["p:noise=9", "p:noise=5:salt=2"], [], [3], MatchQuestion())
    whole = MatchSums(table.design).plus(table.play(range(300)))
    parts = MatchSums(table.design)
    for cut in (range(1), range(1, 130), range(130, 300)):
        parts = parts.plus(table.play(cut))
    assert parts.edges().value.tolist() == whole.edges().value.tolist()
    assert parts.edges().error.tolist() == whole.edges().error.tolist()
    assert (parts.differing == whole.differing).all()


def verdicts(policies: int, question: MatchQuestion, seed: int, players: int) -> set[str]:
    """Return the verdicts on policies that are equally strong but draw different random numbers."""
    names = [f"p:noise=10:salt={salt}" for salt in range(1, policies + 1)]
    plan = Plan.make(game="luck", policies="p", luck="hash", seed=seed)
    [table] = tables_of(plan, names, [], [players], question)
    trial = MatchTrial(table, question, len(table.design.pairs))
    with cluster.chunk_runner(None, table.ready, 1) as chunks_of:
        trial.play(trial.blocks(chunks_of, 1e-4))
    return {one.verdict for one in trial.decided.values()} or {"unclear"}


def test_the_leading_policy_is_named_first() -> None:
    plan = Plan.make(game="luck", policies="p", luck="hash", seed=1)
    [table] = tables_of(plan, ["p:salt=1", "p:salt=2"], [], [2], MatchQuestion())
    [say] = MatchTrial(table, MatchQuestion(), 1)._said
    assert say(-0.08, -0.09, -0.07) == (
        "p:salt=2 wins 8.0 percentage points more often than p:salt=1 (95% interval 7.0 to 9.0)"
    )
    assert say(0.01, -0.02, 0.04).startswith("nothing clear about how much more often p:salt=1 wins than p:salt=2: ")


@pytest.mark.slow
def test_equal_policies_differ_clearly_at_most_at_rate_alpha() -> None:
    """Over 100 matches with three looks each; alpha is 0.05."""
    said = [verdicts(2, MatchQuestion(budget=4000), seed, 2) for seed in range(100)]
    wrong = sum(bool({"higher", "lower"} & verdict) for verdict in said)
    assert wrong <= 11  # 5 are expected at most; 12 or more have a chance of 0.5 % then
    assert said.count({"unclear"}) == 100 - wrong


@pytest.mark.slow
@pytest.mark.parametrize("round_robin", [True, False])
def test_three_equal_policies_share_the_error_rate(round_robin: bool) -> None:
    question = MatchQuestion(round_robin, budget=500)
    wrong = sum(bool({"higher", "lower"} & verdicts(3, question, seed, 3)) for seed in range(40))
    assert wrong <= 6  # of 2 expected; 7 or more have a chance of 0.4 %


def test_policy_order_does_not_change_which_is_stronger() -> None:
    keys: Any = {"luck": "hash", "budget": 4000}
    first, second = luck("p:skill=3", "p", **keys), luck("p", "p:skill=3", **keys)
    assert first.stopped == second.stopped == "clear"
    assert first.pairs["verdict"].to_list() == ["higher"]
    assert second.pairs["verdict"].to_list() == ["lower"]
    assert first.pairs["difference"][0] == -second.pairs["difference"][0]
    assert first.ratings["policy"].to_list() == second.ratings["policy"].to_list() == ["p:skill=3", "p"]
    assert first.deals == first.pairs["decided_at"][0] == 1000
    assert any("overstates" in one for one in first.remarks)


@pytest.mark.slow
def test_alpha_is_shared_among_all_tables() -> None:
    """A pair at one table has the whole of alpha, at each of two tables half of it: by the boundaries of one look."""
    from wsim.stats.distributions import normal_cdf

    for number, share in ((1, 0.05), (2, 0.025), (3, 0.05 / 3)):
        plan = Plan.make(game="luck", policies="p", luck="hash")
        question = MatchQuestion(budget=300)
        tables = tables_of(plan, ["p:skill=6", "p"], [], range(2, 2 + number), question)
        trials = [MatchTrial(table, question, sum(len(one.design.pairs) for one in tables)) for table in tables]
        trials[0].add(tables[0].play(range(300)))
        trials[0].look()
        kept = 0.9 * share  # a tenth is for a larger budget
        assert 2 * float(normal_cdf(-trials[0].looks[-1].boundary)) == pytest.approx(kept, rel=1e-3)
        found = wsim.match("p:skill=6", "p", players=list(range(2, 2 + number)), budget=300, threads=1, **HASH)
        row = found.pairs.row(0, named=True)
        figures = trials[0].figures()
        assert row["difference_low"] == pytest.approx(figures.edges.low[0])
        assert row["win_share_low"] == pytest.approx(figures.wins.low[0])


def test_the_interval_of_a_win_share_of_1_has_the_level_of_the_look() -> None:
    """All of 100 deals are won; one look at 4.5 % for one pair: Wilson's low end is n / (n + z^2)."""
    row = luck("p:skill=90", "p", budget=100).pairs.row(0, named=True)
    assert row["win_share_low"] == pytest.approx(100 / (100 + 2.004654**2), abs=2e-4)


def test_a_verdict_once_given_stays() -> None:
    """A pair decided at the first look keeps its verdict, even if a later look would contradict it."""
    plan = Plan.make(game="luck", policies="p", luck="hash")
    [table] = tables_of(plan, ["p:skill=9", "p"], [], [2], question := MatchQuestion(budget=400))
    trial = MatchTrial(table, question, 1)
    block = table.play(range(200))
    trial.add(block)
    trial.look()
    first = trial.decided[0]
    assert (first.verdict, first.look.deals) == ("higher", 200)
    for _ in range(3):
        trial.add(type(block)(range(200, 400), block.wins[:, ::-1], block.totals[:, ::-1], block.ranks[:, ::-1]))
    trial.look()
    assert trial.decided[0] is first


def test_a_margin_allows_an_equivalence_verdict() -> None:
    answer = luck("p:noise=10:salt=1", "p:noise=10:salt=2", budget=20_000, margin=0.05, luck="hash")
    assert answer.pairs["verdict"].to_list() == ["equivalent"]
    assert answer.stopped == "clear"
    assert answer.deals < 20_000


@pytest.mark.slow
def test_within_continues_until_all_figures_are_that_precise() -> None:
    keys: Any = {"luck": "hash", "budget": 40_000}
    answer = luck("p:skill=3", "p", within=0.006, **keys)
    assert answer.stopped == "known"
    assert 1000 < answer.deals < 40_000
    for name in ("win_share", "other_share", "difference"):
        row = answer.pairs.row(0, named=True)
        assert row[f"{name}_high"] - row[f"{name}_low"] <= 0.012
    assert luck("p:skill=3", "p", within=0.0001, luck="hash", budget=2000).stopped == "budget"


def test_the_same_policy_twice_is_identical() -> None:
    answer = luck("p:skill=2", "p:skill=2:noise=1", budget=400)
    assert answer.pairs["verdict"].to_list() == ["identical"]
    assert answer.pairs["difference"].to_list() == [0.0]
    assert answer.pairs["difference_high"].to_list() == [None]
    assert "differ in 0 of 400 deals (one, 4 players): too few for an interval" in answer.remarks[0]


def test_a_win_share_of_1_has_an_interval() -> None:
    answer = luck("p:skill=90", "p", budget=200)
    row = answer.pairs.row(0, named=True)
    assert (row["win_share"], row["win_share_high"], row["verdict"]) == (
        pytest.approx(1.0),
        pytest.approx(1.0),
        "higher",
    )
    assert 0.9 < row["win_share_low"] < 1.0
    assert row["difference_low"] == pytest.approx(row["win_share_low"] - row["other_share_high"])
    assert answer.ratings.is_empty()
    assert "There are no ratings: these games do not determine strengths" in answer.remarks[-1]


@pytest.mark.slow
def test_both_policies_may_win_more_as_the_minority() -> None:
    """In Tower of Babel, one builder among suppliers and one supplier among builders both do well."""
    answer = wsim.match("builder", "supplier", game="tower_of_babel", budget=300, threads=1)
    assert answer.pairs["win_share_low"][0] > 0.25
    assert answer.pairs["other_share_low"][0] > 0.25
    assert any(one.startswith("Both builder and supplier win more than the fair share") for one in answer.remarks)


def test_each_table_has_its_own_pairs() -> None:
    answer = luck("p:skill=1", "p", ruleset=["one", "two"], players=[2, 3], budget=100)
    assert answer.pairs.select("ruleset", "players").rows() == [("one", 2), ("one", 3), ("two", 2), ("two", 3)]
    assert answer.pairs["fair"].to_list() == pytest.approx([1 / 2, 1 / 3, 1 / 2, 1 / 3])
    usual = luck("p:skill=1", "p", ruleset=["one", "two"], budget=100)
    assert usual.pairs.select("ruleset", "players").rows() == [("one", 4), ("two", 2)]
    assert "--players" not in usual.made["command"]


@pytest.mark.slow
def test_results_do_not_depend_on_threads() -> None:
    keys: Any = {"luck": "hash", "game": "luck", "budget": 3000, "margin": 0.001}
    one, many = (wsim.match("p:noise=7", "p:noise=5", threads=threads, **keys) for threads in (1, 3))
    assert one.pairs.equals(many.pairs)
    assert one.cells.equals(many.cells)
    assert one.ratings.equals(many.ratings)


@pytest.mark.slow
def test_the_matrix_has_a_row_per_policy_and_a_column_per_field() -> None:
    answer = luck("p:skill=2", "p:skill=1", "p", round_robin=True, budget=100)
    matrix = answer.matrix()
    assert matrix.columns == ["ruleset", "players", "policy", "p:skill=2", "p:skill=1", "p"]
    assert [matrix["p:skill=2"][0], matrix["p:skill=1"][1], matrix["p"][2]] == [None, None, None]
    assert matrix["p"][0] > matrix["p:skill=1"][0] > 0.25 > matrix["p:skill=1"][2]
    mixed = luck("p:skill=2", "p:skill=1", "p", budget=100).matrix()
    assert mixed.columns == ["ruleset", "players", "policy", "mixed"]


@pytest.mark.slow
@pytest.mark.parametrize(("ruleset", "players"), [("2e-cities-teams", 4), ("2e-cities-teams", 6), ("1e-duo", 2)])
def test_matches_work_for_teams_and_two_players(ruleset: str, players: int) -> None:
    """A team of greedy beats teams of random; between two sides the shares add up to 1 deal by deal."""
    answer = wsim.match("greedy", "random", ruleset=ruleset, players=players, budget=60, threads=1)
    row = answer.pairs.row(0, named=True)
    assert row["fair"] == pytest.approx(1 / 3 if players == 6 else 1 / 2)
    assert row["verdict"] == "higher"
    if players != 6:
        assert row["win_share"] + row["other_share"] == pytest.approx(1)


@pytest.mark.slow
def test_costs_are_measured_on_separate_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy with memory must not have played any of these games before the match starts."""
    measured = []

    def watched(simulator: Any, games: range, *, picks: bool) -> Any:
        measured.append(games)
        return rows_and_picks(simulator, games, picks=picks)

    monkeypatch.setattr(costs_module, "rows_and_picks", watched)
    answer = wsim.match("greedy", "random", budget=20, threads=1)
    assert answer.deals == 20
    assert min(games.start for games in measured) > 10**9


@pytest.mark.slow
def test_costs_are_reported() -> None:
    costs = wsim.match("greedy", "random", budget=50, threads=1).costs
    assert costs["policy"].to_list() == ["greedy", "random"]
    assert (costs["microseconds"] > 0).all()
    assert (costs["games_a_second"] > 100).all()


@pytest.mark.parametrize(
    ("policies", "options", "said"),
    [
        ((), {}, "a match needs at least two policies, as in: wsim match balanced military"),
        (("p",), {}, "a match needs at least two policies, not 'p' alone"),
        (("p", "p"), {}, "'p' is named twice"),
        (("p", "q"), {}, "unknown policy 'q'"),
        (("p", "p:skill=1"), {"within": -2.0}, "within must be a half width above 0"),
        (("p", "p:skill=1"), {"budget": 1}, "the budget must be a whole number of games, at least 2"),
        (("p", "p:skill=1"), {"players": 9}, "a match needs 2 to 7 sides, but 9 players of one make 9"),
        (("p", "p:skill=1"), {"players": 1}, "a match needs 2 to 7 sides, but 1 players of one make 1"),
        (("p", "p:skill=1"), {"resume": True}, "--resume continues the match in a folder"),
    ],
)
def test_mistakes_are_reported_in_one_sentence(policies: tuple[str, ...], options: Any, said: str) -> None:
    with pytest.raises(wsim.UserError) as raised:
        luck(*policies, **options)
    assert said in str(raised.value)


JUNK: tuple[Any, ...] = (object(), 3.5, -1, "x", b"x", [], {}, [object()], True, float("nan"), "\x00")
KEYWORDS = ("players", "ruleset", "round_robin", "budget", "alpha", "margin", "within", "spending", "out", "resume",
            "threads", "seed", "cards", "patch", "set", "luck")  # fmt: skip


@first_quick(7, "keyword", KEYWORDS)
def test_invalid_values_of_any_type_give_one_sentence(keyword: str) -> None:
    refused = 0
    for value in JUNK:
        try:
            wsim.match("p", "p:skill=1", **{"game": "luck", "budget": 2, "threads": 1, keyword: value})
        except wsim.UserError:
            refused += 1
    assert refused > 3


def test_functions_and_junk_as_policies_are_handled() -> None:
    for value in JUNK:
        with pytest.raises(wsim.UserError):
            wsim.match("p", value, game="luck", budget=2)


def test_a_match_says_how_it_ran_custom_policies(monkeypatch: pytest.MonkeyPatch) -> None:
    found = luck("p:skill=1", "p", budget=2)
    package = EntryPoint("theirs", "package.players:theirs", "wsim.policies")
    monkeypatch.setattr("wsim.policies.user_policies.installed", lambda: {"theirs": package})

    def said(*policies: str) -> list[str]:
        return [note for note in replace(found, policies=policies).display().notes if "copies" in note]

    assert said("balanced", "net") == []
    (checked,) = said("balanced", "./mine.py:bold", "theirs:greed=2")
    assert checked.startswith("./mine.py:bold, theirs:greed=2: trusted, in this process; compiled policies received")
    assert checked.endswith("with bounds checks.")
    with unchecked():
        assert said("./mine.py:bold")[0].endswith("without bounds checks.")


def test_an_answer_shows_in_a_notebook() -> None:
    answer = luck("p:skill=1", "p", budget=60)
    assert "<table" in answer._repr_html_()
    assert "Win share of one seat of a policy" in repr(answer)


def test_ratings_over_two_tables_by_hand() -> None:
    """Each deal of each table counts once, with the finishes of its own games.

    The first wins all of 3 deals of two games at one table, and 2, 1 and 0 games of 3 deals at another: 9 of 12. The
    scores of the deals (wins less 2 * 3/4) are 1/2 three times, then 1/2, -1/2, -3/2: their squares add up to 3.5. The
    information is 12 * 3/4 * 1/4, the unit one of 6 deals.
    """
    trials = []
    for won in ([2, 2, 2], [2, 1, 0]):
        plan = Plan.make(game="luck", policies="p", luck="hash")
        [table] = tables_of(plan, ["p:skill=1", "p"], [], [2], question := MatchQuestion(budget=3))
        trial = MatchTrial(table, question, 1)
        seats = np.array(table.design.seatings)  # 0 where the first sits
        first = np.array([[game < wins for game in range(2)] for wins in won])[:, :, None]
        wins = np.where(first, seats == 0, seats == 1).astype(np.int64)
        trial.add(Block(range(3), wins * WIN_UNITS, wins, 2 - wins))
        trials.append(trial)
    row = ratings(trials, 0.95).row(0, named=True)
    scale = 400 / math.log(10)
    error = math.sqrt(3.5 / (12 * 3 / 16) ** 2 * 6 / 5) / 2  # of half the difference of the log-strengths
    assert row["policy"] == "p:skill=1"
    assert row["rating"] == pytest.approx(scale * math.log(3) / 2)
    assert row["rating_high"] - row["rating"] == pytest.approx(scale * error * t_quantile(0.975, 5), rel=1e-6)
    assert row["rating"] - row["rating_low"] == pytest.approx(scale * error * t_quantile(0.975, 5), rel=1e-6)


def test_stored_deals_are_reused_up_to_the_next_look(tmp_path: Path) -> None:
    """Stored deals beyond a look are kept for the next look, and are bitwise equal to newly played deals."""
    plan = Plan.make(game="luck", policies="p", luck="hash")
    [table] = tables_of(plan, ["p:skill=3", "p:noise=4"], [], [3], MatchQuestion())
    files = DealFiles(tmp_path)
    for part in (range(120), range(120, 300)):
        files.add(table, table.play(part))
    files.flush()
    files = DealFiles(tmp_path)
    for games in (range(100), range(100, 250), range(250, 300)):
        found, played = files.take(table, games.start, games.stop), table.play(games)
        assert found is not None
        assert found.games == games
        for name in ("wins", "totals", "ranks"):
            assert (getattr(found, name) == getattr(played, name)).all()
    assert files.take(table, 300, 400) is None
    assert files.take(table, 250, 10_000).games == range(250, 300)  # type: ignore[union-attr]
