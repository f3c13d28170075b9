"""What a catalogue can come to: the greatest accepted value is played right, the next one is refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from tests.conftest import Command
from tests.tiers import first_quick
from tests.wonders.engine_tools import TABLES, TASTES, engine_table, played
from tests.wonders.extremes import Case, accepted, compare_case
from wsim.errors import UserError
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.bounds import Bounds
from wsim.wonders.catalog.compiling import compile_rules
from wsim.wonders.catalog.holdings import Holdings
from wsim.wonders.kernels.flow import _enqueue
from wsim.wonders.kernels.layout import CHOICES, DEEDS, EVENTS, FLOW, QUEUE
from wsim.wonders.kernels.payment import TOTALS
from wsim.wonders.words import AGES, CARDS, HAND, SEATS, STAGES, UNITS

pytestmark = pytest.mark.boundscheck

FIRST = [card.name for card in load_catalogue("1e").cards]
PLAIN = [card.name for card in load_catalogue("1e").cards if card.color not in ("brown", "gray", "purple")]


def of_cards(names: Sequence[str], field: str) -> list[str]:
    return [f'cards."{name}".{field}' for name in names]


def poor() -> list[str]:
    """Return changes that leave no coins in the game: nothing costs, nothing pays."""
    cards = [f'cards."{name}".{field}' for name in FIRST for field in ("cost=false", "coins=0", "coins_per=false")]
    boards = load_catalogue("1e").wonders
    sides = [
        f'wonders."{board.name}".sides.{side}=[{", ".join(["{}"] * STAGES)}]' for board in boards for side in ("A", "B")
    ]
    return [*cards, *sides, "settings.start_coins=0", "settings.sale_coins=0"]


@dataclass(frozen=True)
class Edge:
    """A bound: what the refusal speaks of, the changes for a number, and the greatest number that is accepted."""

    what: str
    changes: Callable[[int], list[str]]
    most: int
    players: int = 7


RICH = ["settings.start_coins=99", "settings.sale_coins=99"]
EDGES = [
    Edge("the either/or symbols of a city", lambda n: of_cards(PLAIN[:n], 'produces_one_of=["wood", "loom"]'), 15),
    Edge("the wood of a city and its neighbours", lambda n: of_cards(FIRST[:n], f"produces={['wood'] * 6}"), 5),
    Edge("the moves of a game", lambda n: of_cards(FIRST[:n], "build_from_discard=true"), 29),
    Edge("the shields of a city", lambda n: of_cards(["Altar", "Baths", "Palace"], f"shields={n}"), 76),
    Edge("the points of a city's victory tokens", lambda n: [f"settings.victory_tokens=[{n}, {n}, {n}]"], 42),
    Edge(
        "the coins of a city",
        lambda n: of_cards(PLAIN, f'coins_per={{what=["blue"], cities=["self", "left", "right"], n={n}}}'),
        34,
    ),
    Edge(
        "the coins that a city pays for losses of one turn",
        lambda n: [*RICH, *of_cards(["Palace"], f'coin_loss={{who="others", n={n}, per="wonder_stage"}}')],
        31,
    ),
    Edge(
        "the points of a city",
        lambda n: [*poor(), *of_cards(FIRST, f'coin_loss={{who="others", n={n}, per="wonder_stage"}}')],
        50,
    ),
    Edge(
        "the points of a city",
        lambda n: of_cards(PLAIN, f'points_per={{what=["blue"], cities=["self", "left", "right"], n={n}}}'),
        34,
    ),
    Edge(
        "the points of a city",
        lambda n: of_cards(PLAIN, f'points_per={{what=["blue"], cities=["self", "left", "right"], n={-n}}}'),
        35,
    ),
]


def refusal(players: int, changes: list[str]) -> str:
    with pytest.raises(UserError) as caught:
        compile_rules(load_catalogue("1e", changes=changes), players)
    return str(caught.value)


@first_quick(2, "edge", EDGES, ids=lambda edge: f"{edge.what} {edge.most}")
def test_the_edge_of_a_bound_is_played_right_and_beyond_it_is_refused(edge: Edge) -> None:
    compare_case(Case(1, "1e", edge.players, tuple(edge.changes(edge.most))), games=2)
    said = refusal(edge.players, edge.changes(edge.most + 1))
    assert said.startswith(f"{edge.what} could come to "), said
    assert "\n" not in said


# --- what holds for every catalogue -----------------------------------------------------------------------------------


def test_no_list_of_moves_can_be_longer_than_its_record() -> None:
    """A cost of 12 units at 5 coins each has at most 61 totals to the left, and so at most 61 payments (R15)."""
    payments = UNITS * 5 + 1
    assert payments <= TOTALS
    build = payments + 1  # or a chain, or a free build
    assert max(HAND * (build + payments + 1), CARDS + 1, 255 + 1) <= CHOICES


def test_no_log_can_be_longer_than_its_record() -> None:
    """Hands, moves, two events of a loss for each city and turn or build from the pile, ends of turns, conflicts."""
    for cities, last_players in product(range(3, SEATS + 1), (0, 1)):
        turns = AGES * (HAND - 1)
        last = AGES * last_players
        from_pile = DEEDS - cities * turns - last
        losses = 2 * (cities * (turns + last) + (cities - 1) * from_pile)
        assert AGES * cities + DEEDS + losses + turns + AGES * cities <= EVENTS


def test_the_queue_is_longer_than_what_can_wait_in_it() -> None:
    """A city is granted one build by the move of a turn and one by its last card; each build grants at most one."""
    assert 2 * SEATS <= QUEUE


def test_a_queue_at_its_end_begins_anew() -> None:
    flow = np.zeros(1, FLOW).view(np.recarray)[0]
    flow.queue[60:], flow.queue_at, flow.queue_end = (3, 4, 5, 6), 61, QUEUE
    getattr(_enqueue, "py_func", _enqueue)(flow, 2, 2)
    assert (int(flow.queue_at), int(flow.queue_end)) == (0, 5)
    assert flow.queue[:5].tolist() == [4, 5, 6, 2, 2]


def test_every_card_may_grant_a_build_from_the_pile() -> None:
    changes = [*of_cards(FIRST, "build_from_discard=true"), "switches.discard_build_optional=false"]
    compare_case(Case(2, "1e", 3, tuple(changes)), games=3)


@pytest.mark.parametrize(("ruleset", "players"), TABLES)
def test_printed_games_are_far_from_every_bound(ruleset: str, players: int) -> None:
    for bound in Bounds(Holdings(compile_rules(load_catalogue(ruleset), players)[0])).all():
        assert abs(bound.value) <= 0.81 * abs(bound.limit), bound


@pytest.mark.parametrize("ruleset", ["1e", "2e-cities"])
def test_bounds_are_bounds(ruleset: str) -> None:
    """What is reached in games that use much lies within what is proved."""
    for players, taste in product((3, 7), TASTES):
        table = engine_table(ruleset, players, (taste,), seed=5)
        rows = played(table, 300)
        held = {bound.what: bound.value for bound in Bounds(Holdings(table.rules)).all()}
        assert rows["coins"].max() <= held["the coins of a city"]
        assert rows["shields"].max() <= held["the shields of a city"]
        assert rows["victory_points"].max() <= held["the points of a city's victory tokens"]


def test_a_standing_with_many_coins_is_not_taken_for_points() -> None:
    """R24: 5,000 coins that make no point do not stand before a point."""
    changes = ["settings.coins_per_point=99", *of_cards(FIRST, "coins=99"), *of_cards(FIRST[:3], "points=1")]
    compare_case(Case(4, "1e", 7, tuple(changes)), games=3)
    table = engine_table("1e", 7, seed=4, set=(*RICH, *of_cards(PLAIN, "coins=99"), *changes[:1]))
    rows = played(table, 200).reshape(200, 7)
    best = np.lexsort((rows["coins"], rows["total"]), axis=1)[:, -1]
    assert (rows["rank"][np.arange(200), best] == 1).all()


# --- the command line -------------------------------------------------------------------------------------------------

FOUND = [  # catalogues that were played with wrong numbers, or wrote outside their records
    (
        [*RICH, 'cards.Palace.coin_loss={who="others",n=99,per="wonder_stage"}'],
        (
            "the coins that a city pays for losses of one turn could come to 792 in rule set 1e with 7 players, "
            "most of it by Palace, and at most 255 can be played; change `coin_loss`"
        ),
    ),
    (of_cards(["Altar", "Baths", "Palace"], "shields=99"), "the shields of a city could come to 322"),
    (
        ['cards.Altar.when=[{event="turn_start", gain={ore="2 * red"}}]'],
        "the ore of a city and its neighbours could come to 1,215 in rule set 1e with 7 players, most of it by Altar",
    ),
    (
        ['cards.Altar.when=[{event="sold", by="anyone", each="other", gain={wild=9}}]'],
        "the science symbols of a city could come to 3,039 in rule set 1e with 7 players, most of it by Altar",
    ),
    (
        of_cards(FIRST, 'points_per={what=["blue","red"], cities=["self","left","right"], n=99}'),
        "the points of a city could come to ",
    ),
    (
        of_cards(FIRST, 'coins_per={what=["blue","red"], cities=["self","left","right"], n=99}'),
        "the coins of a city could come to ",
    ),
]


@pytest.mark.parametrize(("changes", "sentence"), FOUND)
def test_what_was_played_with_wrong_numbers_is_refused(
    changes: list[str], sentence: str, wsim_command: Command
) -> None:
    words = [word for change in changes for word in ("--set", change)]
    answer = wsim_command("run", "--players", "7", "--policies", "random", "--games", "5", *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {sentence}")
    assert answer.err.count("\n") == 1


def test_a_rule_set_is_refused_only_at_the_tables_where_it_does_not_fit(wsim_command: Command) -> None:
    changes = [*RICH, 'cards.Palace.coin_loss={who="others",n=60,per="wonder_stage"}']
    assert accepted("1e", 3, changes)
    assert not accepted("1e", 7, changes)
    words = [word for change in changes for word in ("--set", change)]
    assert wsim_command("catalog", "Palace", *words).code == 0
