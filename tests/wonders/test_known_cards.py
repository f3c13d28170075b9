"""Known cards by formula: rewriting effects of cards.toml as formulas, where possible, gives the same games.

What a formula cannot say stays: production that is for sale or either/or, symbols that others may copy, rebates, free
builds by colour or turn, last cards, copied guilds, losses of coins that become debts, and the victory token of an age
that is over (a card of it may come from the discard pile).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import wsim
from tests.wonders.extremes import written
from wsim.lab.plan import Plan
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.effects import Count, Effects
from wsim.wonders.kernels.layout import CLAUSES
from wsim.wonders.words import VICTORY_TOKENS

Clause = dict[str, Any]
GAINS = {"coins": "coins", "shields": "shields", "diplomacy": "diplomacy_tokens", "points at once": "points"}
GROUPS = {
    "points": ("points", "points_per", "points_if_wonder_complete"),
    "points at once": ("points at once",),
    "coins": ("coins", "coins_per", "coins_to_others", "discard_defeat_tokens"),  # counted, then discarded (R9.3, R9.4)
    "tokens": ("shields", "diplomacy", "debt"),
    "means": ("trade_price", "build_from_discard", "free_build", "produces", "science"),
}
TOKEN = {"gain": {"free_build_tokens": "max(0, 1 - free_build_tokens)"}}
NAMES = {"wonder_stage": "stages", "defeat_token": "defeat_tokens", "victory_token": "victory_tokens"}
NAMES |= {f"victory_token_{value}": f"victory_tokens_{value}" for value in VICTORY_TOKENS}
TABLES = [("1e", 3), ("1e", 7), ("2e", 4), ("2e-cities", 5), ("2e-cities-teams", 4), ("1e-duo", 2)]


def counted(count: Count) -> str:
    """Return the count of an effect as a formula."""
    cities = ["" if city == "self" else f"{city}." for city in count.cities]
    return f"{count.n} * ({' + '.join(city + NAMES.get(what, what) for city in cities for what in count.what)})"


def as_clause(name: str, value: Any) -> Clause:
    """Rewrite an effect as a clause."""
    if name in ("points", "points_per"):
        return {"event": "scored", "points": value if name == "points" else counted(value)}
    if name == "points_if_wonder_complete":
        return {"event": "scored", "points": f"{value} if stages == all_stages else 0"}
    if name in GAINS:
        return {"event": "built", "gain": {GAINS[name]: value}}
    if name == "coins_per":
        return {"event": "built", "gain": {"coins": counted(value)}}
    if name in ("coins_to_others", "debt"):
        each = {"others": "other", "neighbors": "neighbor"}[value.who]
        return {"event": "built", "each": each, "gain": {"coins" if name == "coins_to_others" else "debts": value.n}}
    if name == "trade_price":
        prices = [f"{side}_{value.resources}_price" for side in value.neighbors]
        return {"event": "built", "lose": {price: f"max(0, {price} - {value.price})" for price in prices}}
    if name == "build_from_discard":
        return {"event": "built", "gain": {"discard_builds": 1}}
    if name == "produces":
        return {"event": "built", "gain": {unit: value.count(unit) for unit in value}}
    if name == "science":
        return {"event": "built", "gain": {"wild" if value == "any" else value: 1}}
    return {"event": "built", "lose": {"defeat_tokens": "defeat_tokens"}}


def can_be_said(ruleset: str, color: str, name: str, value: Any) -> bool:
    """Return whether clauses can express an effect of a card with a colour, or of a stage (no colour)."""
    if name == "free_build":
        return bool(value == "once_per_age")
    if name == "produces":  # what clauses bring is not for sale, and R18 does not look at it
        return color not in ("brown", "gray")
    if name == "science":  # symbols on guilds may be copied (R29), with Cities those on green cards (R31)
        return not color or (color == "green" and "cities" not in ruleset)
    return True


def entries(ruleset: str) -> Iterator[tuple[str, str, Effects]]:
    """Yield the cards and stages of a rule set: path in a patch, colour of a card, and effects."""
    catalogue = load_catalogue(ruleset)
    for card in catalogue.cards:
        yield f'cards."{card.name}"', card.color, card.effects
    for wonder in catalogue.wonders:
        for side, stages in wonder.sides:
            for number, stage in enumerate(stages, start=1):
                yield f'wonders."{wonder.name}".sides.{side}.{number}', "", stage.effects


def said_by_formula(ruleset: str, group: str) -> tuple[str, int]:
    """Return a patch that rewrites the effects of a group as formulas, and the number of these effects."""
    lines: list[str] = []
    found = 0
    for path, color, effects in entries(ruleset):
        present = effects.present()
        if group == "points at once" and color != "purple" and effects.points:  # guilds may be copied (R29)
            present = {"points at once": effects.points}
        there = {
            name: value
            for name, value in present.items()
            if name in GROUPS[group] and can_be_said(ruleset, color, name, value)
        }
        clauses = [as_clause(name, there[name]) for name in GROUPS[group] if name in there and name != "free_build"]
        if "free_build" in there:
            clauses += [{"event": event, **TOKEN} for event in ("built", "age_start")]
        if clauses and found + len(clauses) <= CLAUSES:
            found += len(clauses)
            lines += [f"[{path}]", *(f"{name.split()[0]} = {off(value)}" for name, value in there.items())]
            lines.append(f"when = {written(clauses)}")
    return "\n".join(lines), found


def off(value: Any) -> str:
    """Return the patch value that removes an effect."""
    return "0" if isinstance(value, int) and not isinstance(value, bool) else "false"


def rows(ruleset: str, players: int, games: int, *patch: str) -> pl.DataFrame:
    plan = Plan.make(ruleset=ruleset, players=players, policies="random", seed=5, patch=patch)
    return wsim.simulate(plan, games=games, threads=1)


def same_games(ruleset: str, players: int, games: int, folder: Path) -> None:
    """Compare games of a rule set with games in which its effects are formulas, group by group."""
    printed = rows(ruleset, players, games)
    for group in GROUPS:
        patch = folder / f"{group}.toml"
        text, found = said_by_formula(ruleset, group)
        patch.write_text(text, encoding="utf-8")
        assert found > 5
        assert_frame_equal(rows(ruleset, players, games, str(patch)), printed)


@pytest.mark.slow
def test_printed_cards_written_as_formulas_give_the_same_games(tmp_path: Path) -> None:
    same_games("2e-cities", 5, 60, tmp_path)


AS_PRINTED = (
    "settings.science='7 * sets(tablet, gear, compass) + tablet * tablet + gear * gear + compass * compass'",
    "settings.sale_coins='3 + 0 * red'",
    "settings.tie_breaks=['1 * coins']",
    "settings.coins_per_point='3 + 0 * players'",
    "settings.guilds='players + 2'",
)


@pytest.mark.slow
def test_the_printed_rules_written_as_formulas_give_the_same_games_and_choices() -> None:
    line_up = "balanced,greedy,science,random,rulebased"
    for ruleset in ("1e", "2e-cities"):
        plan = Plan.make(ruleset=ruleset, players=5, policies=line_up, seed=6)
        printed = wsim.simulate(plan, games=60, threads=1)
        assert_frame_equal(wsim.simulate(plan.replace(set=AS_PRINTED), games=60, threads=1), printed)


@pytest.mark.slow
@pytest.mark.parametrize(("ruleset", "players"), TABLES)
def test_formula_versions_give_the_same_games_in_every_rule_set(ruleset: str, players: int, tmp_path: Path) -> None:
    same_games(ruleset, players, 2000, tmp_path)
