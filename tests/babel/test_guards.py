"""Guards: a game with more points than fit stops with one sentence; below that limit every catalogue is played
correctly.

Random catalogues at the limit of what can be played agree with the twin; more of them run on request, as in
``tests/wonders/test_extremes.py``.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

from tests.babel.extremes import compare_case, draw_case, facts_of
from tests.babel.reference.game import Reference
from tests.babel.tools import played, table
from tests.conftest import Command
from tests.tiers import first_checked
from tests.wonders.engine_tools import opt_in
from wsim.babel.kernels.layout import ACTION_DRAWS, EVENTS, MOVES
from wsim.babel.words import KINDS, SEATS
from wsim.env import VectorEnv
from wsim.limits import GameLimitError

pytestmark = pytest.mark.boundscheck

MANY = (  # no disc can be built, and what is offered for it pays
    "babel.effects.refused_offer=99",
    "babel.rules.turn_limit=1000",
    "babel.action_cards.joker=0",
    *(f"babel.cards.{kind}=6" for kind in KINDS),
    *(f"babel.discs.{kind}=[5, 9, 9, 9, 9, 9]" for kind in KINDS),
)
SENTENCE = re.compile(
    r"in game (\d+) of 5 players, seat (\d) reached ([\d,]+) points: at most 32,767 can be played; "
    r"change babel.effects, babel.value_table, babel.set_table or babel.rules.turn_limit"
)


@first_checked("threads", ["1", "2"])
def test_a_game_with_too_many_points_stops_the_run_in_one_sentence(
    threads: str, wsim_command: Command, tmp_path: Path
) -> None:
    words = [word for change in MANY for word in ("--set", change)]
    words += ["--players", "5", "--policies", "random", "--threads", threads, "--out", str(tmp_path / "run")]
    answer = wsim_command("run", "--game", "tower_of_babel", "--games", "200", *words)
    assert (answer.code, answer.out) == (2, "")
    [said] = [line for line in answer.err.splitlines() if line.startswith("wsim: ")]  # it may compile first
    found = SENTENCE.fullmatch(said.removeprefix("wsim: "))
    assert found is not None, answer.err
    of = table(players=5, set=MANY, seed=1)
    with pytest.raises(GameLimitError) as again:
        played(of, 1, int(found[1]))
    assert str(again.value) == found[0]
    twin = Reference(facts_of(of.catalogue, 5), 5, 1, int(found[1]))
    twin.play()
    assert twin.points[int(found[2])] == int(found[3].replace(",", "")) > 32_767


def test_an_environment_rejects_points_that_overflow_an_observation() -> None:
    env = VectorEnv(8, game="tower_of_babel", players=5, policies="random", set=MANY, seats=(0,), threads=1)
    rng = np.random.default_rng(1)

    def play() -> None:
        step = env.reset()
        for _ in range(20_000):
            assert (step.observations >= -1).all()
            step = env.step((step.masks * (1.0 + rng.random(step.masks.shape))).argmax(axis=1))

    with pytest.raises(GameLimitError, match=r"in this game of 5 players, seat \d reached [\d,]+ points"):
        play()


@pytest.mark.slow
def test_checking_a_catalogue_plays_games_with_it(wsim_command: Command, tmp_path: Path) -> None:
    patch = tmp_path / "mine.toml"
    patch.write_text("[babel.effects]\nrefused_offer = 3\n")
    [row] = json.loads(wsim_command("catalog", "--game", "tower_of_babel", "--check", str(patch), "--json").out)
    assert row["games"] == 3 * 2 * 1000


def test_move_lists_and_logs_fit_their_records() -> None:
    """All offers on a disc of 6 + 6, with and without the trade card; 44 events in an action, and the draws of a game.

    A card is drawn again only after it was discarded: by one of 24 builds of at most 12 cards, or by an exchange.
    """
    assert MOVES >= 2 * 7 * 7
    discarded = 24 * 12 + ACTION_DRAWS * 9
    windows = ACTION_DRAWS * (2 + 9)
    assert (1000 + ACTION_DRAWS) * 44 + (4 * 60 + discarded) + windows + SEATS + 1 <= EVENTS


def test_the_longest_list_of_offers_can_be_played() -> None:
    discs = [f"babel.two_colour.tc{number}={{ship = 6, camel = 6}}" for number in range(1, 5)]
    changes = [*discs, "babel.rules.use_two_colour_discs=true", "babel.rules.allow_trade_card_alone=true"]
    changes += [f"babel.cards.{kind}={number}" for kind, number in (("ship", 60), ("camel", 60), ("crane", 0))]
    compare_case(2, 3, [*changes, "babel.setup.starting_hand.3=12"], games=4)


@pytest.mark.slow
@pytest.mark.parametrize("pay", ["refused_offer", "triple_bonus"])
def test_offers_that_earn_nothing_are_reported(pay: str) -> None:
    """A rejected offer or its Triple bonus may be worth 0, but the trace still reports it."""
    compare_case(5, 5, [f"babel.effects.{pay}=0", "babel.action_cards.triple_bonus=6"], games=6)


def test_a_wonder_without_parts_from_any_seat_is_reported() -> None:
    """A28: a wonder is completed by players who have no parts left; it earns nothing, its action card is drawn."""
    compare_case(6, 3, ["babel.rules.limit_parts=true", "babel.setup.parts=1"], games=6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_a_random_catalogue_agrees_with_the_twin(seed: int) -> None:
    compare_case(seed, *draw_case(seed), games=2)


@opt_in
@pytest.mark.slow
def test_many_random_catalogues_agree_with_the_twin() -> None:
    first, many = (int(os.environ.get(f"WSIM_FUZZ_{name}", default)) for name, default in (("FIRST", 0), ("CASES", 50)))
    for seed in range(first, first + many):
        compare_case(seed, *draw_case(seed), games=2)
