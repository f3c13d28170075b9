"""Games with formula cards agree with the twin, which reads formulas independently (R52-R58, R64-R69)."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest

import wsim
from tests.tiers import first_quick
from tests.wonders.drawn_catalogues import of_deck, of_stock, of_table, put_aside, reaction
from tests.wonders.engine_tools import TABLES
from tests.wonders.extremes import Case, compare_case, playable, written
from tests.wonders.formulas import COUNTERS, clause
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.words import (
    BY,
    CHEAPER,
    COST_TRIGGERS,
    DEARER,
    EACH,
    GAINS,
    LOSSES,
    MOVE_TRIGGERS,
    TRIGGERS,
    UNIT_ITEMS,
)

ROOT = Path(__file__).parents[2]
QUICK, MANY = 1, 13
Clause = dict[str, Any]


def drawn_case(seed: int) -> Case:
    """Draw a table with clauses on many of its cards and on the stages of two boards."""
    rng = random.Random(seed)
    ruleset, players = rng.choice(TABLES)
    catalogue = load_catalogue(ruleset)
    names = [card.name for card in catalogue.cards]
    changes = [
        f'cards."{name}".when={written([clause(rng, names) for _ in range(rng.randint(1, 3))])}'
        for name in rng.sample(names, rng.choice((3, 10, 25)))
    ]
    for board in rng.sample(catalogue.wonders, 2):
        for side, stages in board.sides:
            place = rng.randint(1, len(stages))
            changes.append(f'wonders."{board.name}".sides.{side}.{place}.when={written([clause(rng, names)])}')
    rules = [written([of_table(rng, names) for _ in range(rng.randint(1, 3))]) for _ in range(rng.randint(0, 3))]
    changes += [f"table.Rule{number}.when={when}" for number, when in enumerate(rules)]
    for number in range(rng.choice((0, 1, 1, 2))):
        changes.append(f"decks.Deck{number}={written(of_deck(rng, names, number))}")
        changes.append(f"table.Stock{number}.when={written([of_stock(rng, names, number)])}")
        changes.append(f"table.Welcome{number}.when={written([reaction(rng, number)])}")
    if rng.random() < 0.5:
        changes.append(f"table.Offering.when={written([put_aside(rng)])}")
    counters = [f"counters.{name}={written(counter)}" for name, counter in COUNTERS.items()]
    kept = list(counters)
    for one in changes:
        if playable(ruleset, players, [*kept, one]):
            kept.append(one)
    assert len(kept) - len(counters) > len(changes) // 3
    return Case(seed, ruleset, players, tuple(kept))


@pytest.mark.slow
@pytest.mark.boundscheck
@pytest.mark.parametrize("seed", range(QUICK))
def test_a_random_catalogue_of_clauses_agrees_with_the_twin(seed: int) -> None:
    compare_case(drawn_case(seed), games=2)


@pytest.mark.slow
def test_many_random_catalogues_of_clauses_agree_with_the_twin() -> None:
    for seed in range(QUICK, QUICK + MANY):
        compare_case(drawn_case(seed), games=2)


@pytest.mark.boundscheck
@first_quick(
    1,
    ("name", "number", "players"),
    [
        ("tributes", 10, 3),
        ("pilgrims", 8, 3),
        ("great_works", 1, 5),
        ("annals", 6, 3),
        ("exchanges", 4, 4),
        ("quarters", 6, 4),
        ("schools", 0, 3),
        ("harbours", 5, 7),
        ("fleets", 6, 5),
        ("sea_lanes", 2, 4),
        ("merchants", 7, 4),
        ("tributes", 10, 7),
        ("pilgrims", 8, 7),
        ("annals", 6, 6),
    ],
)
def test_invented_cards_agree_with_the_twin(name: str, number: int, players: int) -> None:
    with (ROOT / "analysis" / "expansion" / f"{name}.toml").open("rb") as file:
        sections = tomllib.load(file)
    cards, rules = sections.get("cards", {}), sections.get("table", {})
    changes = tuple(f"counters.{name}={written(counter)}" for name, counter in sections.get("counters", {}).items())
    changes += tuple(f'cards."{name}"={written(card)}' for name, card in cards.items())
    changes += tuple(f'table."{name}"={written(rule)}' for name, rule in rules.items())
    assert sum("when" in card for card in cards.values()) == number
    compare_case(Case(1, "1e", players, changes), games=3)


def one_for_each_word() -> dict[str, list[Clause]]:
    """Return clauses that cover each event, city and item, by the word that they cover."""
    coin = {"gain": {"coins": 1}}
    moments = [event for event in TRIGGERS if event not in (*MOVE_TRIGGERS, *COST_TRIGGERS, "built", "scored")]
    found: dict[str, list[Clause]] = {event: [{"event": event, **coin}] for event in ("built", *moments)}
    found |= {event: [{"event": event, "by": "anyone", **coin}] for event in MOVE_TRIGGERS}
    found |= {f"by {by}": [{"event": "card_built", "by": by, **coin}] for by in BY}
    found |= {f"from {by}": [{"event": "bought", "by": "anyone", "from": by, **coin}] for by in BY}
    for each in EACH:
        moved = {"event": "sold", "by": "anyone"} if each == "trigger" else {"event": "built"}
        found[f"each {each}"] = [{**moved, "each": each, **coin}]
    found |= {verb: [{"event": "built", "each": "neighbor", verb: 1}] for verb in ("take", "give")}
    found |= {f"gain {what}": [{"event": "built", "gain": {what: 1}}] for what in GAINS}
    for what in LOSSES:
        found[f"lose {what}"] = [{"event": "age_start", "gain": {what: 2}}, {"event": "age_end", "lose": {what: 1}}]
    for verb, items in (("cheaper", CHEAPER), ("dearer", DEARER)):
        for item in items:
            event = "trade_cost" if item in UNIT_ITEMS else "card_cost"
            found[f"{verb} {item}"] = [{"event": event, verb: {item: 1}}]  # of all cities, costs would be too great
    found["stage_cost"] = [{"event": "stage_cost", "by": "anyone", "dearer": {"coins": 1}}]
    return found


@pytest.mark.slow
def test_every_clause_keyword_acts_and_agrees_with_the_twin() -> None:
    """The words share the cards of the first age; a trace says which clause of which card did what."""
    words = one_for_each_word()
    ruleset, players = "2e-cities-teams", 6
    cards = [card for card in load_catalogue(ruleset).cards if card.copies and min(card.ages) == 1]
    clauses: dict[str, list[tuple[str, Clause]]] = {card.name: [] for card in cards}
    for place, (word, some) in enumerate(words.items()):
        clauses[cards[place % len(cards)].name] += [(word, clause) for clause in some]
    changes = tuple(
        f'cards."{name}".when={written([clause for _, clause in some])}' for name, some in clauses.items() if some
    )
    case = Case(3, ruleset, players, changes)
    acted = set()
    for trace in compare_case(case, games=12):
        parts = [part for age in trace["ages"] for part in (*age["turns"], age)]
        for effect in (effect for part in parts for effect in part.get("effects", ())):
            word, _ = clauses[effect["card"]][effect["when"] - 1]
            acted |= {word} if word.partition(" ")[0] not in ("gain", "lose") or effect["does"] == word else set()
    assert set(words) - acted == set()


def cities(game: wsim.Game, seat: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(game.to_json(seat=seat))["position"]["cities"]
    return found


def test_a_position_shows_stored_free_builds() -> None:
    """A seat's token is part of its view (R67), and a position set up from the view offers the free build."""
    change = f"cards.Altar.when={written([{'event': 'built', 'gain': {'free_build_tokens': 1}}])}"
    game = wsim.Game(set=[change], players=3, policies="random", seed=11)
    for _ in range(3):
        builds = [move for move in game.legal() if move["card"] == "Altar" and move["action"] == "build"]
        game = game.step((builds or game.legal())[0])
    [seat] = [seat for seat in range(3) if "Altar" in cities(game, 0)[seat]["built"]]
    while game.to_move != seat:
        game = game.step(game.legal()[-1])
    described = wsim.Game.from_json(game.to_json(seat=seat))
    assert cities(game, seat)[seat]["free_build_tokens"] == 1
    assert described.legal() == game.legal()
    assert "free" in {move.get("how") for move in described.legal()}


def test_clauses_act_in_a_position_that_was_set_up() -> None:
    """Clauses of structures in a city act in a game that was set up from a person's view (R54)."""
    when = written([{"event": "sold", "by": "anyone", "gain": {"coins": 2}}])
    game = wsim.Game(set=[f"cards.Altar.when={when}"], players=3, policies="random", seed=11)
    for _ in range(3):
        builds = [move for move in game.legal() if move["card"] == "Altar" and move["action"] == "build"]
        game = game.step((builds or game.legal())[0])
    [owner] = [seat for seat in range(3) if "Altar" in cities(game, 0)[seat]["built"]]
    for one in (game, wsim.Game.from_json(game.to_json(seat=game.to_move))):
        before = cities(one, 0)[owner]["coins"]
        for _ in range(3):
            assert one.legal()[-1]["action"] == "sell"
            one = one.step(one.legal()[-1])
        assert cities(one, 0)[owner]["coins"] == before + 3 + 3 * 2


def test_purchases_are_reset_before_the_next_seat_chooses() -> None:
    """A formula sees only the purchase of the current move; before that, `balanced` assumes the full price."""
    when = written([{"event": "bought", "by": "anyone", "gain": {"coins": "purchase"}}])
    game = wsim.Game(set=[f"cards.Altar.when={when}"], players=3, policies="balanced", seed=11)
    bought = 0
    while game.to_move is not None:
        legal = game.legal()
        bought += legal[game.made()].get("right", 0) > 0
        position: Any = game._position
        assert int(position.record.public.purchase) == 0
    assert bought
