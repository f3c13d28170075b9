"""Properties of every game of Tower of Babel, whatever the policies: conservation, bounds, sums.

Properties that hold for every game are in ``tests/games/test_conformance.py``.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.babel.tools import played, table
from wsim.babel.words import ACTION_CARDS, KIND_GONE, KINDS

POLICIES = ("random", "greedy", "builder", "supplier", "collector", "majority", "builder:explore=0.3")
GAMES = 60


@st.composite
def tables(draw: st.DrawFn) -> Any:
    """Draw a table: seats, line-up, both switches, seed."""
    seats = draw(st.integers(3, 5))
    line_up = tuple(draw(st.sampled_from(POLICIES)) for _ in range(seats))
    options = {name: draw(st.booleans()) for name in ("action_cards", "two_colour_discs")}
    return table(players=seats, policies=line_up, options=options, seed=draw(st.integers(0, 2**63 - 1)), rotate=True)


drawn = settings(max_examples=25, deadline=None, derandomize=True)


def per_game(rows: Any, column: str, seats: int) -> Any:
    return rows[column].astype(int).reshape(-1, seats)


@pytest.mark.slow
@drawn
@given(tables())
def test_cards_are_conserved(of: Any) -> None:
    """After any game, hands, deck and discard pile contain the hundred cards, 25 of each kind."""
    for number in range(5):
        rows = played(of, 1, number)
        game, _ = of.logged(number)
        hands = sum(game.own[seat].hand[:4] for seat in range(of.seats))
        assert (hands + game.hidden.deck + game.public.discards == 25).all()
        assert [int(size) for size in game.public.hand_size[: of.seats]] == [
            int(game.own[seat].hand.sum()) for seat in range(of.seats)
        ]
        held = sum(int(game.own[seat].cards.sum()) for seat in range(of.seats))
        assert held == rows["cards_drawn"].sum() - rows["cards_played"].sum() + sum(
            int(game.own[seat].cards[card])
            for seat in range(of.seats)
            for card in (1, 4)  # scored, not discarded
        )


@pytest.mark.slow
@drawn
@given(tables())
def test_parts_match_the_discs_taken(of: Any) -> None:
    rows = played(of, GAMES)
    needs = np.array([sum(number for _, number in disc.needs) for disc in of.catalogue.discs])
    taken = np.bitwise_or.reduce(rows["discs_owned"].reshape(-1, of.seats), axis=1)
    bits = (taken[:, None] >> np.arange(24)) & 1
    assert (per_game(rows, "parts_placed", of.seats).sum(axis=1) == (bits * needs).sum(axis=1)).all()
    assert (bits.sum(axis=1) == per_game(rows, "builds_led", of.seats).sum(axis=1)).all()
    owned = rows["discs"].sum(axis=1) + rows["discs_two_colour"]
    assert (owned == np.bitwise_count(rows["discs_owned"])).all()


@pytest.mark.slow
@drawn
@given(tables())
def test_section_8_bounds_on_wonders_and_builds_hold(of: Any) -> None:
    """At most 7 completed wonders; at most 21 builds, 23 with two-colour discs; the game ends when a kind is gone."""
    rows = played(of, GAMES)
    two_colour = of.catalogue.rules["use_two_colour_discs"]
    builds = per_game(rows, "builds_led", of.seats).sum(axis=1)
    assert np.bitwise_count(rows["completed"]).max() <= 7
    assert builds.max() <= (23 if two_colour else 21)
    finished = rows["over"][:: of.seats] == KIND_GONE
    taken = np.bitwise_or.reduce(rows["discs_owned"].reshape(-1, of.seats), axis=1)
    shown = [sum(1 << d for d, disc in enumerate(of.catalogue.discs) if kind in dict(disc.needs)) for kind in KINDS]
    gone = sum(((taken & mask) == mask).astype(int) for mask in shown)
    assert ((gone > 0) == finished).all()
    if not two_colour:
        assert builds[finished].min() >= 6


@pytest.mark.slow
@drawn
@given(tables())
def test_points_add_up_and_winners_get_the_shares(of: Any) -> None:
    rows = played(of, GAMES)
    sources = ("wonder_points", "light_points", "refused_points", "set_points", "action_points")
    assert (sum(rows[source].astype(int) for source in sources) == rows["total"]).all()
    total, share, rank = (rows[name].reshape(-1, of.seats) for name in ("total", "win_share", "rank"))
    best = total == total.max(axis=1, keepdims=True)
    assert ((share > 0) == best).all()
    assert np.allclose(share.sum(axis=1), 1.0)
    assert (rank == 1 + (total[:, None, :] > total[:, :, None]).sum(axis=2)).all()


@pytest.mark.slow
@drawn
@given(tables())
def test_offers_and_wonders_add_up(of: Any) -> None:
    rows = played(of, GAMES)
    assert (rows["offers_made"] == rows["offers_taken"] + rows["offers_refused"]).all()
    assert (rows["trades_taken"] <= rows["offers_taken"]).all()
    led, discs = (per_game(rows, name, of.seats) for name in ("builds_led", "trades_taken"))
    owned = np.bitwise_count(rows["discs_owned"]).astype(int).reshape(-1, of.seats)
    assert (owned.sum(axis=1) == led.sum(axis=1)).all()
    assert ((owned >= discs) & (owned <= led + discs)).all()
    won = np.bitwise_or.reduce(rows["wonders_won"].reshape(-1, of.seats), axis=1)
    assert (won == rows["completed"][:: of.seats]).all()
    completed = np.bitwise_count(rows["completed"][:: of.seats])
    assert (np.bitwise_or.reduce(rows["rows_won"].reshape(-1, of.seats), axis=1) == (1 << completed) - 1).all()
    drawn_cards = rows["cards_drawn"].sum(axis=1).reshape(-1, of.seats).sum(axis=1)
    assert (drawn_cards == (completed if of.catalogue.rules["use_action_cards"] else 0)).all()


@pytest.mark.jit_off
@pytest.mark.parametrize("seats", [3, 5])
def test_picks_contain_every_decision_with_a_choice(seats: int) -> None:
    of = table(players=seats, options={"two_colour_discs": "true"}, set=("babel.rules.allow_bluff_cards=true",))
    rows = np.zeros(3 * seats, of.row_dtype)
    picks = np.zeros(3 * of.picks_per_game, of.pick_dtype)
    written = of.play(0, rows, picks)
    from tests.babel.tools import log_of

    logs = [pick for number in range(3) for pick in log_of(of, number)]
    event = picks["event"][:written]
    fields = ("turn", "action", "seat", "count", "index", "move")
    told = list(zip(*(event[field] for field in fields), strict=True))
    assert told == [(turn, action, seat, *rest) for turn, action, seat, _, *rest in logs]
    assert (event["count"] > 1).all()
    assert (event["index"] < event["count"]).all()
    assert np.bincount(picks["game"][:written].astype(int)).max() <= of.picks_per_game


def test_resampled_cards_are_the_unseen_ones() -> None:
    """The number of cards per kind, the hand sizes and the shown cards are the same as before."""
    position = table(policies=("balanced",)).begin(0)

    def kinds(record: Any) -> list[int]:
        held = sum(record.own[seat].hand[:4] + record.own[seat].aside[:4] for seat in range(4))
        return [int(one) for one in held + record.hidden.deck[:4] + record.public.discards[:4]]

    for _ in range(40):
        position.follow()
        for seat in range(4):
            drawn = position.redrawn(seat, 5).record
            assert kinds(drawn) == kinds(position.record)
            for other in range(4):
                hand = drawn.own[other].hand[:4] + drawn.own[other].aside[:4]
                assert hand.sum() == position.record.public.hand_size[other]
                assert (hand >= drawn.public.shown[other, :4]).all()


def test_redrawn_action_cards_do_not_depend_on_their_true_location(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resampling deals the same cards regardless of the true holders and the order of the deck; own cards stay."""
    from wsim.babel.kernels import redraw

    python = [getattr(one, "py_func", one) for one in (redraw._sort, redraw._deal_action_cards)]
    monkeypatch.setattr(redraw, "_sort", python[0])
    monkeypatch.setattr(redraw, "below", lambda _, count: count // 2)
    kinds = len(ACTION_CARDS)

    def dealt(second: int, third: int, deck: list[int]) -> Any:
        held = [[0], [second], [third]]
        own = [SimpleNamespace(cards=[one.count(kind) for kind in range(kinds)], fresh=[0] * kinds) for one in held]
        tally = [SimpleNamespace(cards_drawn=[one.count(kind) for kind in range(kinds)]) for one in held]
        hidden = SimpleNamespace(actions_drawn=3, action_deck=[9, 9, 9, *deck], tally=tally, instant_cards=0)
        rules = SimpleNamespace(action_cards=[6] + [0] * (kinds - 1), use_action_cards=1)
        public = SimpleNamespace(seats=3, action_cards=[1, 1, 1])
        past = SimpleNamespace(fresh=[0] * 3)
        python[1](SimpleNamespace(public=public, hidden=hidden, own=own, redraw=past), rules, 0)
        assert own[0].cards[0] >= 1
        return [one.cards for one in own], hidden.action_deck[1:], [one.cards_drawn for one in tally]

    first = dealt(1, 2, [0, 1, 2])
    assert dealt(2, 1, [0, 1, 2]) == dealt(2, 0, [1, 2, 1]) == dealt(1, 2, [2, 1, 0]) == first
