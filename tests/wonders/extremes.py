"""Draw catalogues that differ greatly from any printed one, and compare the engine with the twin on them."""

from __future__ import annotations

import json
import random
import re
import runpy
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from tests.wonders import formulas
from tests.wonders.catalog.test_facts import card_facts, cost_facts, effect_facts
from tests.wonders.engine_tools import RANDOM, TASTES, engine_table, played, twin_policy
from tests.wonders.reference.facts import RULE_SETS, Cost, Deck, Recruit, RuleSet, catalogue_of
from tests.wonders.reference.facts import Catalogue as FactCatalogue
from tests.wonders.reference.game import Reference
from wsim.errors import UserError
from wsim.limits import GameLimitError
from wsim.wonders.catalog import Catalogue, load_catalogue
from wsim.wonders.catalog.compiling import compile_rules
from wsim.wonders.catalog.model import Settings
from wsim.wonders.words import (
    COLORS,
    COUNTED,
    DRAWN_COLORS,
    FREE_BUILDS,
    LAST_CARDS,
    NEIGHBORS,
    RAW,
    RESOURCES,
    SWITCHES,
    SYMBOLS,
    VICTORY_TOKENS,
)

AMOUNTS = (1, 2, 5, 20, 99)
MOST = 99
ONE_PLACE = ("switches", "settings")


@dataclass(frozen=True)
class Case:
    """A table setting with accepted catalogue changes."""

    seed: int
    ruleset: str
    players: int
    changes: tuple[str, ...]
    patches: tuple[str, ...] = ()


# --- drawing ----------------------------------------------------------------------------------------------------------


def written(value: Any) -> str:
    """Format a value as TOML on a single line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {written(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return json.dumps(value)


def some(rng: random.Random, among: Sequence[str], least: int = 1, most: int = 3) -> list[str]:
    return rng.sample(list(among), rng.randint(least, min(most, len(among))))


def counting(rng: random.Random, low: int) -> dict[str, Any]:
    """Draw a counting effect; tokens of one age and of all ages are not mixed, because some would count twice."""
    what = some(rng, [name for name in COUNTED if name != "victory_token"]) if rng.random() < 0.9 else ["victory_token"]
    return {"what": what, "cities": some(rng, ("self", *NEIGHBORS)), "n": rng.choice(AMOUNTS) * rng.choice((1, low))}


def toll(rng: random.Random, per: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = {"who": rng.choice(("others", "neighbors")), "n": rng.choice(AMOUNTS)}
    if per and rng.random() < 0.6:
        found["per"] = rng.choice(("victory_token", "wonder_stage"))
    return found


def effect(rng: random.Random, name: str, color: str) -> Any:
    """Draw a value for an effect; ``color`` is the card's colour, or "" for a stage."""
    amount = rng.choice(AMOUNTS)
    match name:
        case "points" | "points_if_wonder_complete":
            return amount * rng.choice((1, 1, -1))
        case "shields" | "coins":
            return amount
        case "science":
            return rng.choice(SYMBOLS[1:])
        case "produces":
            return [rng.choice(RESOURCES) for _ in range(rng.randint(1, 6))]
        case "produces_one_of":
            named = color in ("brown", "gray") or rng.random() < 0.8
            kinds = some(rng, RESOURCES, 2, 4)
            return kinds if named else rng.choice(("own_board_brown_gray", "not_own_board_brown_gray"))
        case "trade_price":
            kind = rng.choice(("raw", "manufactured"))
            return {"resources": kind, "neighbors": some(rng, NEIGHBORS, 1, 2), "price": 1}
        case "points_per":
            return counting(rng, -1)
        case "coins_per":
            return counting(rng, 1)
        case "coins_to_others" | "debt":
            return toll(rng)
        case "coin_loss":
            return toll(rng, per=True)
        case "victory_token":
            return rng.choice(VICTORY_TOKENS)
        case "diplomacy":
            return rng.randint(1, 9)
        case "copy_science":
            return rng.randint(1, 2)
        case "free_build":
            return rng.choice(list(FREE_BUILDS))
        case _:
            return True


EFFECTS = (
    "points", "points", "shields", "shields", "coins", "coins", "science", "produces", "produces_one_of", "trade_price",
    "points_per", "points_per", "points_per", "coins_per", "coins_per", "points_if_wonder_complete", "play_last_card",
    "build_from_discard", "build_from_discard", "copy_guild", "free_build", "coins_to_others", "coin_loss", "coin_loss",
    "debt", "victory_token", "diplomacy", "copy_science", "stages_cost_no_resources", "discard_defeat_tokens",
)  # fmt: skip


def cost(rng: random.Random) -> dict[str, int]:
    """Draw a cost of at most eight units, because the twin tries every way to pay it."""
    found = {"coins": rng.choice((0, 0, 1, 7, 99))}
    for _ in range(rng.randint(0, 8)):
        resource = rng.choice(RAW if rng.random() < 0.7 else RESOURCES)
        found[resource] = found.get(resource, 0) + 1
    return found


def change(rng: random.Random, catalogue: Catalogue) -> str:
    """Draw one change of a catalogue."""

    def formula() -> str:
        return formulas.number(rng, [card.name for card in catalogue.cards], False, rng.randint(0, 3))

    kind = rng.random()
    if kind < 0.08:
        name = rng.choice(list(SWITCHES))
        return f"switches.{name}={written(rng.random() < 0.5)}"
    if kind < 0.2:
        return "settings." + rng.choice(
            (
                f"start_coins={rng.choice((0, 1, 20, 99))}",
                f"sale_coins={rng.choice((0, 1, 20, 99))}",
                f"trade_price={rng.randint(1, 5)}",
                f"victory_tokens=[{', '.join(str(rng.choice((0, 1, 9, 99))) for _ in range(3))}]",
                f"defeat_points={-rng.choice((0, 1, 20, 99))}",
                f"coins_per_point={rng.choice((1, 2, 10, 99))}",
                f"passing={written([rng.choice(NEIGHBORS) for _ in range(3)])}",
                f"last_card={written([rng.choice(LAST_CARDS) for _ in range(3)])}",
                f"start_coins={written(rng.choice(('players', '8 - players', '2 * players % 5')))}",
                f"sale_coins={written(f'min(20, abs({formula()}))')}",
                f"sale_coins={written([rng.choice((0, 2, 'age', 'players', 'sold')) for _ in range(3)])}",
                f"science={written(f'max(-9, min(60, {formula()})) + {rng.choice(SYMBOLS[1:4])} ** 2')}",
                f"tie_breaks={written([formula() for _ in range(rng.randint(0, 3))])}",
            )
        )
    if kind < 0.35:
        board = rng.choice(catalogue.wonders)
        stages = [{"cost": cost(rng)} | drawn_effects(rng, "") for _ in range(rng.randint(1, 6))]
        return f'wonders."{board.name}".sides.{rng.choice(board.sides)[0]}={written(stages)}'
    card = rng.choice(catalogue.cards)
    if kind < 0.42:
        return f'cards."{card.name}".cost={written(cost(rng))}'
    if kind < 0.46:
        others = [other.name for other in catalogue.cards if other.name != card.name]
        return f'cards."{card.name}".free_with={written(some(rng, others))}'
    if kind < 0.5 and card.color not in DRAWN_COLORS and "produces_one_of" not in card.effects.present():
        return f'cards."{card.name}".color={written(rng.choice([c for c in COLORS if c not in DRAWN_COLORS]))}'
    name = rng.choice(EFFECTS)
    if name == "copy_guild" and card.color == "purple":
        name = "points"
    return f'cards."{card.name}".{name}={written(effect(rng, name, card.color))}'


def drawn_effects(rng: random.Random, color: str) -> dict[str, Any]:
    return {name: effect(rng, name, color) for name in rng.sample(EFFECTS, rng.randint(1, 3))}


def accepted(ruleset: str, players: int, changes: Sequence[str]) -> bool:
    """Return whether a catalogue with these changes can be compiled."""
    try:
        compile_rules(load_catalogue(ruleset, changes=changes), players)
    except UserError:
        return False
    return True


def playable(ruleset: str, players: int, changes: Sequence[str], games: int = 30) -> bool:
    """Return whether some games with these changes can be played to the end."""
    try:
        played(engine_table(ruleset, players, set=tuple(changes)), games)
    except UserError:
        return False
    return True


def pushed(rng: random.Random, ruleset: str, players: int, changes: list[str]) -> list[str]:
    """Give many cards the same effect, with the largest amount with which games can be played."""
    name, low = rng.choice((("points_per", 1), ("points_per", -1), ("coins_per", 1), ("shields", 1), ("coins", 1)))
    if rng.random() < 0.4:
        name = rng.choice(("coin_loss", "debt", "coins_to_others", "points"))
    cards = load_catalogue(ruleset).cards
    cards = tuple(rng.sample(cards, rng.choice((1, 3, 12, len(cards)))))
    values = {card.name: effect(rng, name, card.color) for card in cards}

    def with_amount(amount: int) -> list[str]:
        def sized(value: Any) -> Any:
            return {**value, "n": low * amount} if isinstance(value, dict) else low * amount

        return [*changes, *(f'cards."{card}".{name}={written(sized(value))}' for card, value in values.items())]

    good, bad = 0, MOST + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        if playable(ruleset, players, with_amount(middle)):
            good = middle
        else:
            bad = middle
    return with_amount(good) if good else changes


# --- playing ----------------------------------------------------------------------------------------------------------


def facts_of(catalogue: Catalogue) -> FactCatalogue:
    """Convert a catalogue to the twin's facts."""
    boards = [
        {
            "name": wonder.name,
            "resource": wonder.resource,
            "sides": {
                side: [{"cost": cost_facts(s.cost), "effects": effect_facts(s.effects, tradable=False)} for s in stages]
                for side, stages in wonder.sides
            },
        }
        for wonder in catalogue.wonders
    ]
    facts = catalogue_of({"cards": list(card_facts(catalogue).values()), "wonders": boards})
    facts.counters.update({counter.name: asdict(counter) for counter in catalogue.counters})
    for deck in catalogue.decks:
        cards = [
            Recruit(deck.name, one.name, Cost(one.cost, ()), tuple(effect_facts(one.effects, tradable=False)))
            for one in deck.cards
        ]
        drafted = deck.draft > 0
        facts.decks[deck.name] = Deck(
            tuple(cards), deck.hand, deck.display, deck.recruit, drafted, deck.age, deck.after
        )
    facts.table.update({rule.name: effect_facts(rule.effects, tradable=False) for rule in catalogue.table})
    return facts


def twin_of(case: Case) -> Reference:
    """Return the reference twin with the facts of a case."""
    catalogue = load_catalogue(case.ruleset, patches=case.patches, changes=case.changes)
    facts = facts_of(catalogue)
    for file in catalogue.effects:
        functions = runpy.run_path(str(file.path))
        facts.functions.update({(file.path.stem, name): functions[name] for name, _ in file.arguments})
    return Reference(case.ruleset, case.players, facts, dict(catalogue.switches), house_rules(catalogue, case.players))


def house_rules(catalogue: Catalogue, players: int) -> RuleSet:
    """Return the twin's rule set with a catalogue's settings; formulas of players and age become Python functions."""
    settings, printed = catalogue.settings, RULE_SETS[catalogue.ruleset]

    def settled(value: Any, age: int = 1) -> int:
        value = value[age - 1] if isinstance(value, tuple) else value
        names = {"players": players, "age": age, "sets": min, "count": lambda *holding: sum(holding)}
        return int(eval(str(value), {}, names))

    guilds = settled(settings.guilds) - catalogue.cities_at_table(players) if settings.guilds != "" else None
    return replace(
        printed,
        hands=tuple(settled(settings.hand_size, age) for age in (1, 2, 3)),
        start_coins=settled(settings.start_coins),
        sale_coins=settings.sale_coins,
        trade_price=settled(settings.trade_price),
        victory_tokens=tuple(settled(settings.victory_tokens, age) for age in (1, 2, 3)),
        defeat_points=settled(settings.defeat_points),
        coins_per_point=settled(settings.coins_per_point),
        guilds_extra=settled(settings.guilds_extra) if guilds is None else guilds,
        passing=settings.passing,
        last_card=settings.last_card,
        science="" if settings.science == Settings().science else settings.science,
        tie_breaks=settings.tie_breaks,
    )


COLUMNS = {
    "coins": "coins",
    "shields": "shields",
    "stages": "stages",
    "defeats": "defeat_tokens",
    "debts": "debts",
    "coins_lost": "lost_coins",
    "trade_paid": "trade_paid",
    "trade_received": "trade_received",
    "bank_paid": "bank_paid",
    "built_paid": "built_paid",
    "built_chain": "built_chain",
    "built_free": "built_free",
    "built_discard": "built_discard_pile",
    "sold": "sold",
}
"""Column of the rows -> count of the twin."""


STOPPED = re.compile(
    r"in game (\d+) of rule set \S+ with \d players, (?:seat (\d+)|the table) reached (-?[\d,]+) (.+?)(?: with .+?)?: "
    r"at (?:most|least) (-?[\d,]+) can be played; change \S.*"
)
"""The sentence about a game that a guard stopped: game, seat, value, what it is, bound."""


def check_stop(error: GameLimitError, twin: Reference) -> None:
    """Check the message about a stopped game and, where the twin's final rows show it, the number in the message."""
    found = STOPPED.fullmatch(str(error))
    assert found is not None, error
    value, bound = (int(found[place].replace(",", "")) for place in (3, 5))
    assert value > bound > 0 or value < bound < 0, error
    if found[4] == "points":
        assert twin.rows[int(found[2])]["total"] == value, error


def compare_case(case: Case, games: int) -> list[dict[str, Any]]:
    """Play a case in both engines; check for equal traces and rows, consistent points and no negative coins.

    If a guard stops a game, its message must be correct. Returns the traces of all other games.
    """
    twin = twin_of(case)
    traces = []
    for player in (TASTES[case.seed % 3], RANDOM):
        laid = {"set": case.changes, "patch": case.patches}
        table = engine_table(case.ruleset, case.players, (player,), seed=case.seed, **laid)
        policy = twin_policy(case.ruleset, player, twin.catalogue.cards)
        for number in range(games):
            expected = twin.play(case.seed, number, policy)
            try:
                told = table.trace(number)
            except GameLimitError as error:
                check_stop(error, twin)
                continue
            assert told == expected, f"{case}: game {number}"
            traces.append(told)
            rows = np.zeros(table.seats, table.row_dtype)
            table.play(number, rows)
            assert (rows["points"].astype(int).sum(axis=1) == rows["total"]).all(), case
            assert (rows["coins"] >= 0).all(), case
            for row, counted in zip(rows, twin.rows, strict=True):
                found = {name: int(row[name]) for name in COLUMNS}
                assert found == {name: counted[other] for name, other in COLUMNS.items()}, case
                recruits = {
                    one.name for n, one in enumerate(table.catalogue.deck_cards) if int(row["recruited"]) >> n & 1
                }
                assert recruits == counted["recruited"], case
    return traces
