"""The records of a policy reveal nothing about the deal or the streams of other seats."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import wsim
from tests.positions.test_law import slots
from tests.wonders.reference.deal import age_deck, shuffle_front
from tests.wonders.reference.facts import load
from tests.wonders.reference.rng import GAMMA, WORD, Stream, word_of
from wsim import UserError
from wsim.game import find_game
from wsim.lab.journal import refuse_old_streams
from wsim.rng import keys_of
from wsim.version import STREAMS

SEED, PLAYERS = 123456789, 4


def prepared() -> Any:
    plan = wsim.Plan.make(ruleset="1e", players=PLAYERS, seed=SEED, policies="random")
    return find_game("seven_wonders").prepare(plan)


def hand_from(state: int, age: int, seat: int) -> list[str]:
    """Return the hand that a stream in this state would deal to a seat (the arithmetic of the first oracle)."""
    stream = Stream(0, 0, 0)
    stream.state = state % WORD
    deck = age_deck(load("1e"), age, PLAYERS, stream)
    return sorted(shuffle_front(deck, len(deck) - 1, stream)[seat * 7 : (seat + 1) * 7])


@pytest.mark.slow
def test_no_offset_of_a_seat_stream_reveals_the_deal() -> None:
    simulator = prepared()
    position = simulator.begin(3)
    names = [position.names[int(card)] for card in simulator.rules.slot_card[0]]
    for seat in range(PLAYERS):
        own = position.record.own[seat]
        hand = sorted(names[slot] for slot in slots(own.hand))
        secret = [int(word) for word in keys_of(SEED)]
        assert hand_from(word_of(secret[0], secret[1], 3), 1, seat) == hand  # who knows the word knows the hand
        guesses = (int(own.rng) + (offset << 16) * GAMMA for offset in range(-40, 41))
        assert not any(hand_from(state, 1, seat) == hand for state in guesses)


def test_streams_of_seats_do_not_overlap() -> None:
    """Streams of different games or seats do not differ by a constant step, as they did in version 1."""
    simulator = prepared()
    words = [[int(own.rng) for own in simulator.begin(number).record.own[:PLAYERS]] for number in range(20)]
    by_game = [(later[0] - earlier[0]) % WORD for earlier, later in pairwise(words)]
    by_seat = [(row[1] - row[0]) % WORD for row in words]
    deals = [(row[0] - int(simulator.begin(number).record.hidden.deals)) % WORD for number, row in enumerate(words)]
    for steps in (by_game, by_seat, deals):
        assert len(set(steps)) == len(steps)
        assert not any(step % (1 << 16) == 0 for step in steps)


def test_seed_words_come_from_blake2_and_differ() -> None:
    words = {int(word) for seed in (0, 1, -1, 2**63 - 1) for word in keys_of(seed)}
    assert len(words) == 16
    assert keys_of(1).dtype == np.uint64


@pytest.mark.parametrize(
    "keys", [{"ruleset": "1e-duo", "players": 2}, {"game": "tower_of_babel", "players": 4}], ids=str
)
def test_redrawn_worlds_keep_no_stream_of_the_true_game(keys: dict[str, Any]) -> None:
    """The stream of the deciding seat depends only on the seed of the resampling."""
    game, other = (wsim.Game(seed=seed, **keys) for seed in (5, 6))
    true = [world._position.record for world in (game, other)]  # type: ignore[attr-defined]
    drawn = [world.determinize(0, 77)._position.record for world in (game, other)]  # type: ignore[attr-defined]
    assert [own.rng for own in drawn[0].own[:3]] == [own.rng for own in drawn[1].own[:3]]
    assert true[0].own[0].rng != true[1].own[0].rng
    assert drawn[0].own[0].rng != true[0].own[0].rng


def test_games_with_older_streams_are_rejected_in_one_sentence() -> None:
    refuse_old_streams({"rules": {"engine": "a", "streams": STREAMS}, "tables": [{"rows": 1}]}, "study")
    for rules in ({"engine": "a"}, {"engine": "a", "streams": 1}):
        with pytest.raises(UserError, match=r"the games of 'study' were dealt by version 1 .* neither continued nor"):
            refuse_old_streams({"made": [{"identity": {"rules": rules}}]}, "study")


def test_a_seed_has_64_bits() -> None:
    """Seeds that agree in 63 bits deal different games, and playouts accept both."""
    deals = []
    for seed in (2**63 - 1, 2**64 - 1):
        game = wsim.Game(ruleset="1e", players=3, seed=seed, policies="random")
        deals.append(game.view(0))
        assert len(game.values(games=2, rng=seed)) > 1
    assert deals[0] != deals[1]


@pytest.mark.slow
def test_a_contest_may_draw_any_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda below: below - 1)
    answer = wsim.match("random", "first", players=3, budget=6, contest=True)
    assert answer.record()["plan"]["seed"] == 2**64 - 1
