"""What-if on worth: the difference of what a card gains the seats that want it, on common deals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from tests.conftest import Command
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.wishes import WishSums
from wsim.questions.contrasts import Contrasts
from wsim.questions.metrics import overruled_for
from wsim.stats.fewest import ENOUGH

PLAN: dict[str, Any] = {"seed": 38, "policies": ["balanced"]}
GAMES = 600
CHANGES = [
    ("seven_wonders", "cards.Palace.points=16", "Palace", {}),
    ("seven_wonders", "cards.Palace.points=16", "next stage", {"players": 3, "overrule": "0.3"}),
    ("tower_of_babel", "babel.value_table.2=[12,6,3]", "draw_three", {"overrule": "0.3"}),
]


def arm(random: np.random.Generator, deals: int, gain: float) -> list[Any]:
    """Return features of deals for a worth metric and an ordinary metric, with zero to two wishes per deal."""
    followed, overruled = random.binomial(2, 0.8, deals), random.binomial(1, 0.3, deals)
    won, lost = random.binomial(followed, 0.3 + gain), random.binomial(overruled, 0.25)
    who, ones = np.zeros((2, deals)), np.ones(deals)
    score = random.normal(50, 10, deals)
    return [*(np.stack(pair).astype(float) for pair in ((won, score), (followed, ones))), who] + [
        np.stack(pair).astype(float) for pair in ((lost, 0 * ones), (overruled, ones))
    ]


def test_worth_and_its_error_by_hand() -> None:
    """The error is that of the sum of four linearised ratios, deal by deal; an ordinary metric keeps its own."""
    random, deals = np.random.default_rng(1), 500
    base, changed = arm(random, deals, 0.1), arm(random, deals, 0.3)
    known = Contrasts(1, 2, [True, False]).plus([[part[:, :200] for part in base], [part[:, :200] for part in changed]])
    known = known.plus([[part[:, 200:] for part in base], [part[:, 200:] for part in changed]])
    worths, influence = [], np.zeros(deals)
    for sign, (won, followed, _, lost, overruled) in ((-1, base), (1, changed)):
        means = [own[0].sum() / count[0].sum() for own, count in ((won, followed), (lost, overruled))]
        worths.append(means[0] - means[1])
        influence += sign * (won[0] - means[0] * followed[0]) / followed[0].sum()
        influence -= sign * (lost[0] - means[1] * overruled[0]) / overruled[0].sum()
    assert known.base().value[0] == pytest.approx(worths[0])
    assert known.changed().value[0] == pytest.approx(worths[1])
    effects, fewest = known.effects(), min(np.count_nonzero(sums[4][0]) for sums in (base, changed))
    assert effects.value[0] == pytest.approx(worths[1] - worths[0])
    assert effects.error[0] == pytest.approx(np.sqrt((influence**2).sum() * fewest / (fewest - 1)))
    assert known.counts()[0].tolist() == [part[1][0].sum() + part[4][0].sum() for part in (base, changed)]
    alone = Contrasts(1, 1).plus([[part[1:] for part in sums[:3]] for sums in (base, changed)])
    assert effects.value[1] == pytest.approx(alone.effects().value[0])
    assert effects.error[1] == pytest.approx(alone.effects().error[0])
    assert known.counts()[1].tolist() == [deals, deals]
    assert not known.is_self_selected(0)  # though different seats want it


def test_an_item_with_too_few_overruled_wishes_gets_no_interval() -> None:
    random, few = np.random.default_rng(1), [arm(np.random.default_rng(seed), 400, 0.1) for seed in (2, 3)]
    assert Contrasts(1, 2, [True, False]).plus(few).has_interval().all()
    for sums in few:
        sums[4][0] = 0
        sums[4][0, random.permutation(400)[: ENOUGH - 1]] = 1
        sums[3][0] *= sums[4][0]
    assert Contrasts(1, 2, [True, False]).plus(few).has_interval().tolist() == [False, True]


@pytest.mark.slow
def test_intervals_cover_a_zero_effect() -> None:
    """Of 400 comparisons of two samples alike, 95% of the intervals hold 0; fewer than 367 have a chance of 0.2%."""
    random, held = np.random.default_rng(4), 0
    for _ in range(400):
        effects = Contrasts(1, 2, [True, False]).plus([arm(random, 400, 0.1), arm(random, 400, 0.1)]).effects()
        held += abs(effects.value[0]) <= 1.96 * effects.error[0]
    assert 367 <= held < 399


@pytest.mark.slow
@pytest.mark.parametrize(("game", "change", "item", "more"), CHANGES)
@pytest.mark.parametrize("figure", ["worth", "worth_points"])
def test_each_arm_has_the_worth_of_a_separate_run(
    game: str, change: str, item: str, more: dict[str, Any], figure: str
) -> None:
    plan = PLAN | more | {"game": game}
    answer = wsim.whatif(**plan, set=[change], metric=f"{figure}:{item.upper()}", budget=GAMES)
    row, column = answer.effects.row(0, named=True), {"worth": "worth", "worth_points": "points"}[figure]
    kinds = ("build", "stage", "play")
    plan |= {"overrule": float(more.get("overrule", 0.12)), "games": GAMES, "fewest": 2}
    runs = [wsim.experiment_worth(**plan, set=changed).worth.filter(name=item) for changed in ([], [change])]
    worths = [next(own for own in run.to_dicts() if own["what"] in kinds) for run in runs]
    assert [row["baseline"], row["changed"]] == pytest.approx([own[column] for own in worths])
    assert row["effect"] == pytest.approx(worths[1][column] - worths[0][column])
    assert [row["n_baseline"], row["n_changed"]] == [own["followed"] + own["overruled"] for own in worths]
    assert any("overruled with chance" in remark for remark in answer.remarks)


@pytest.mark.slow
def test_worth_responds_to_bans_and_card_points() -> None:
    answer = wsim.whatif(**PLAN, ban=["trade"], metric="worth_points:Palace", budget=400, threads=2)
    again = wsim.whatif(**PLAN, ban=["trade"], metric="worth_points:Palace", budget=400, threads=1)
    assert answer.effects.equals(again.effects)
    assert answer.effects["n_changed"][0] > 30
    higher = wsim.whatif(**PLAN, set=["cards.Palace.points=16"], metric="worth_points:Palace", budget=2000)
    assert higher.effects["verdict"][0] == "higher"


@pytest.mark.slow
@pytest.mark.parametrize(("game", "change", "item", "more"), CHANGES[:1] + CHANGES[2:])
def test_viability_is_a_share_of_turns_in_undisturbed_games(
    game: str, change: str, item: str, more: dict[str, Any]
) -> None:
    """Each arm has the sums of games in which wishes are recorded but policies are never overruled."""
    plan = PLAN | {"game": game}
    answer = wsim.whatif(**plan, set=[change], metric=f"wanted:{item.lower()}", budget=GAMES)
    row = answer.effects.row(0, named=True)
    assert row["verdict"] is not None  # that the change decides who can have it is the question
    for column, count, changed in (("baseline", "n_baseline", []), ("changed", "n_changed", [change])):
        table = wsim.Plan.make(**plan, set=changed, games=GAMES)
        sums = WishSums(find_game(game).prepare(overruled_for(table, [f"wanted:{item}"])), game)(range(GAMES))
        things = sums.labels["worth name"]
        number = next(at for at, name in enumerate(things) if name == item)
        followed, overruled = sums.arrays["worth/totals"][number, [0, 3]]
        assert overruled == 0
        assert row[count] == sums.arrays["worth/reach"][number] > 100
        assert row[column] == pytest.approx(followed / row[count])
    score = answer.details.row(by_predicate=pl.col("metric") == "score", named=True)
    assert score["baseline"] == pytest.approx(wsim.simulate(**plan, games=GAMES)["total"].mean())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--metric", "worth:Palce"), "'worth:Palce' names no item that can be wanted (did you mean 'Palace'?)"),
        (("--metric", "wanted:Palce"), "'wanted:Palce' names no item that can be wanted (did you mean 'Palace'?)"),
        (("--metric", "worth"), "'worth' names no item that can be wanted"),
        (("--metric", "worth:Palace", "--randomise", "0.1"), "randomise and overrule are different experiments"),
        (("--metric", "worth:Palace", "--overrule", "0"), "overrule must be between 0 and 1, not 0"),
    ],
)
def test_invalid_questions_are_rejected(
    words: tuple[str, ...], message: str, wsim_command: Command, tmp_path: Path
) -> None:
    out = tmp_path / "answer.json"
    result = wsim_command("whatif", "--set", "cards.Palace.points=16", *words, "-o", str(out))
    assert result.code == 2
    assert message in result.err
    assert not out.exists()


def test_a_game_without_wishes_has_no_worth(toy: None) -> None:
    with pytest.raises(UserError, match="toy cannot overrule policies, so worth cannot be measured"):
        overruled_for(wsim.Plan.make(game="toy"), ["worth:Palace"])


@pytest.mark.slow
def test_an_answer_can_be_repeated(tmp_path: Path, wsim_command: Command) -> None:
    out = tmp_path / "answer.json"
    words = ("--set", "cards.Palace.points=16", "--policies", "balanced", "--metric", "worth:Palace", "--budget", "300")
    assert wsim_command("whatif", *words, "-o", str(out)).code == 0
    assert wsim_command("rerun", str(out)).code == 0
