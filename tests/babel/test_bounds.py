"""What a catalogue can come to: the greatest accepted value is played right, the next one is refused in a sentence.

Drawn catalogues at the edge of what is accepted are played as the twin plays them; more of them on request, as in
``tests/wonders/test_extremes.py``.
"""

from __future__ import annotations

import os

import pytest

from tests.babel.extremes import accepted, compare_case, draw_case
from tests.babel.tools import played, table
from tests.conftest import Command
from tests.tiers import first_quick
from tests.wonders.engine_tools import opt_in
from wsim.babel.catalog import load_catalogue
from wsim.babel.catalog.bounds import most_actions, most_points
from wsim.babel.catalog.compiling import compile_rules
from wsim.babel.kernels.layout import ACTION_DRAWS, EVENTS, MOVES
from wsim.babel.words import SEATS

pytestmark = pytest.mark.boundscheck

EDGES = [  # changes but for a last number, and the greatest one that is accepted
    (["babel.effects.refused_offer="], 13),
    (["babel.effects.refused_offer=99", "babel.rules.turn_limit="], 46),
]


@pytest.mark.parametrize(("changes", "most"), EDGES)
def test_the_edge_of_a_bound_is_played_right_and_beyond_it_is_refused(
    changes: list[str], most: int, wsim_command: Command
) -> None:
    *before, last = changes
    for seats in (3, 5):
        compare_case(1, seats, [*before, f"{last}{most}"], games=3)
        assert not accepted([*before, f"{last}{most + 1}"], seats)
    words = [word for change in (*before, f"{last}{most + 1}") for word in ("--set", change)]
    answer = wsim_command("run", "--game", "tower_of_babel", "--games", "5", *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("wsim: the points of a player could come to ")
    assert answer.err.endswith("change babel.effects.refused_offer and babel.rules.turn_limit\n")


def test_bounds_are_bounds() -> None:
    of = table(players=5, set=("babel.effects.refused_offer=9",))
    rows = played(of, 300)
    most = most_points(of.rules)
    assert rows["refused_points"].max() <= most["babel.effects.refused_offer and babel.rules.turn_limit"]
    assert (rows["wonder_points"] + rows["light_points"]).max() <= most["babel.value_table"]
    assert rows["set_points"].max() <= most["babel.set_table"]
    assert rows["action_points"].max() <= most["babel.effects of action cards"] + rows["refused_points"].max()
    assert (rows["passes"] + rows["builds_led"] + rows["builds_failed"]).max() <= most_actions(of.rules)


def test_no_list_of_moves_and_no_log_can_be_longer_than_its_record() -> None:
    """All offers on a disc of 6 + 6, with and without the trade card; 44 events in an action, and the draws of a game.

    A card is drawn again only after it was discarded: by one of 24 builds of at most 12 cards, or by an exchange.
    """
    assert MOVES >= 2 * 7 * 7
    discarded = 24 * 12 + ACTION_DRAWS * 9
    windows = ACTION_DRAWS * (2 + 9)
    assert (1000 + ACTION_DRAWS) * 44 + (4 * 60 + discarded) + windows + SEATS + 1 <= EVENTS


def test_the_longest_list_of_offers_is_played() -> None:
    discs = [f"babel.two_colour.tc{number}={{ship = 6, camel = 6}}" for number in range(1, 5)]
    changes = [*discs, "babel.rules.use_two_colour_discs=true", "babel.rules.allow_trade_card_alone=true"]
    changes += [f"babel.cards.{kind}={number}" for kind, number in (("ship", 60), ("camel", 60), ("crane", 0))]
    compare_case(2, 3, [*changes, "babel.setup.starting_hand.3=12"], games=4)


@pytest.mark.parametrize("pay", ["refused_offer", "triple_bonus"])
def test_offers_that_earn_nothing_are_told(pay: str) -> None:
    """A refused offer, or its Triple bonus, may be worth 0: the trace tells it all the same."""
    compare_case(5, 5, [f"babel.effects.{pay}=0", "babel.action_cards.triple_bonus=6"], games=6)


def test_a_wonder_that_nobody_had_parts_for_is_told() -> None:
    """A28: a wonder is completed by players who have no parts left; it earns nothing, its action card is drawn."""
    compare_case(6, 3, ["babel.rules.limit_parts=true", "babel.setup.parts=1"], games=6)


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_printed_game_is_far_from_the_bound(seats: int) -> None:
    assert sum(most_points(compile_rules(load_catalogue(), seats)).values()) < 3000


@first_quick(6, "seed", range(24))
def test_a_drawn_catalogue_is_played_as_the_twin_plays_it(seed: int) -> None:
    compare_case(seed, *draw_case(seed), games=2)


@opt_in
@pytest.mark.slow
def test_many_drawn_catalogues_are_played_as_the_twin_plays_them() -> None:
    first, many = (int(os.environ.get(f"WSIM_FUZZ_{name}", default)) for name, default in (("FIRST", 0), ("CASES", 50)))
    for seed in range(first, first + many):
        compare_case(seed, *draw_case(seed), games=2)
