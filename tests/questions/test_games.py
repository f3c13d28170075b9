"""The declarations of games for comparisons; a game without declarations can still be compared."""

from __future__ import annotations

from typing import Any

import pytest

import wsim
from wsim.game import GAMES, find_game
from wsim.lab.plan import Plan
from wsim.wonders.bans import read_bans, restrict

RANDOM: dict[str, Any] = {"policies": "random", "threads": 1}


@pytest.mark.parametrize("name", list(GAMES))
def test_the_declared_columns_of_a_game_are_in_its_tables(name: str) -> None:
    game = find_game(name)
    plan = Plan.make(game=name, games=2)
    columns = wsim.simulate(plan).columns
    for prefix in game.OWNED:
        assert any(column.startswith(prefix) for column in columns)
    if game.PICKS is not None:
        assert set(game.PICKS.usual) <= set(game.PICKS.actions)
        assert set(wsim.simulate(plan, picks=True)["age"]) == set(game.PICKS.ages)


def test_a_game_without_declarations_is_compared_by_its_numbers(medal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.games.medal_game.GAME.OWNED", {})
    monkeypatch.setattr("tests.games.medal_game.GAME.RESTRICT", None)
    answer = wsim.whatif(game="medal", threads=1, set=["cards.Medal.points=8"], budget=2000)
    assert answer.effects["verdict"].to_list() == ["higher"]
    assert not any("owner:" in metric for metric in answer.details["metric"])
    with pytest.raises(wsim.UserError, match=r"unknown metric 'owner:Medal'; accepted: score, win"):
        wsim.whatif(game="medal", set=["cards.Medal.points=8"], metric="owner:Medal")
    with pytest.raises(wsim.UserError, match="medal cannot restrict a seat"):
        wsim.whatif(game="medal", ban=["medal"])


@pytest.mark.slow
def test_affected_cards_are_the_cards_that_differ() -> None:
    plan = Plan.make()
    before = find_game(plan.game).prepare(plan)
    for changes, names in (
        ((), []),
        (("cards.Palace.points=8",), []),  # as in the rules
        (('cards."Palace".points=9', "cards.Altar.points=3"), ["Altar", "Palace"]),
        (("cards.Spies Guild.remove=true",), ["Spies Guild"]),
        (("wonders.Gizah.A.1.points=4",), []),
    ):
        after = find_game(plan.game).prepare(plan.replace(set=changes))
        assert sorted(before.changed(after)) == names


def test_written_bans_can_be_read_back() -> None:
    plan = restrict(restrict(Plan.make(), 2, "green, Palace"), 0, "trade")
    assert plan.options["ban"] == "2=green, Palace;0=trade"
    assert read_bans(plan.options["ban"], 4) == [(2, ["green", "Palace"]), (0, ["trade"])]


def test_owners_of_discs_are_compared_in_tower_of_babel() -> None:
    change = ["babel.value_table.3=[40, 20, 10]"]
    asked: dict[str, Any] = {**RANDOM, "game": "tower_of_babel", "budget": 300, "change": change}
    answer = wsim.whatif(**asked, metric="owner:Camel 3")
    assert answer.estimand.startswith("Win share of the seats that own camel 3 at the end: variant minus baseline")
    with pytest.raises(wsim.UserError, match=r"unknown wonder, .* or card 'camle 3' \(did you mean 'camel 3'\?\)"):
        wsim.whatif(**asked, metric="owner:camle 3")


def test_the_patch_of_a_variant_is_recorded(tmp_path: Any) -> None:
    patch, digests = tmp_path / "palace.toml", []
    for points in (11, 12):
        patch.write_text(f"[cards.Palace]\npoints = {points}\n")
        answer = wsim.whatif(**RANDOM, patch=[str(patch)], budget=20)
        digests += answer.record()["variants"][0]["digests"]
    assert len(set(digests)) == 2
