"""Chapter 10, hidden information (R49): the records given to a policy do not depend on hidden information.

Each test lays two tables that differ only in hidden cards, lets the seat's policy stop the game at its decision, and
compares byte by byte what it was handed: the public record, its own private record and the list of moves.
"""

# ruff: noqa: N802

from __future__ import annotations

import pytest

from tests.wonders.both import Position
from tests.wonders.engine_tools import ALL
from tests.wonders.position_kernels import STOP_AT
from wsim.wonders.words import DECISIONS

pytestmark = pytest.mark.jit_off

FIRST = ("Gizah A", "Rhodos A", "Ephesos A", "Babylon A")
SECOND = ("Gizah day", "Halikarnassos day", "Ephesos day", "Babylon night")
TURNS = (0, 2)


def dealt(ruleset: str, age: int, turns: int) -> Position:
    """Return a table in the middle of an age of a real deal, in which every seat has played cards."""
    boards = FIRST[:3] if ruleset == "1e-duo" else (FIRST if ruleset == "1e" else SECOND)
    p = Position(ruleset, *boards, age=age)
    p.deal(number=5)
    for turn in range(turns):
        p.public.turn = turn
        for seat in range(2 if ruleset == "1e-duo" else 4):
            p.script(seat, turn=turn % 2 - 1)
        assert p.play_turn()
        p.pass_hands()
    p.public.turn = turns
    return p


def handed(p: Position, seat: int, kind: str = "turn") -> tuple[bytes, bytes, list[int]]:
    """Play a turn until the seat must make this kind of decision; return the records given to its policy."""
    p.game.own[seat].parameters[STOP_AT] = DECISIONS.index(kind) + 1
    assert not p.play_turn()
    moves = [int(word) for word in p.game.choice.moves[: int(p.game.choice.count)]]
    return p.public.tobytes(), p.game.own[seat].tobytes(), moves


def swap_hands(p: Position, first: int, second: int) -> None:
    """Swap two hidden hands."""
    hands = int(p.game.own[first].hand), int(p.game.own[second].hand)
    assert hands[0] != hands[1]
    p.game.own[second].hand, p.game.own[first].hand = hands


@pytest.mark.engine_only
@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("ruleset", [name for name in ALL if name not in ("1e-duo", "2e-cities-teams")])
@pytest.mark.parametrize("seat", range(4))
def test_R49_other_hands_are_hidden(seat: int, ruleset: str, turns: int) -> None:
    one, other = dealt(ruleset, 2, turns), dealt(ruleset, 2, turns)
    first, second, third = (s for s in range(4) if s != seat)
    swap_hands(other, first, second)
    swap_hands(other, second, third)
    for s in (first, second, third):
        other.script(s, turn=-1)  # and what the others choose in this very turn is hidden, too
    assert handed(one, seat) == handed(other, seat)


@pytest.mark.engine_only
@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("seat", range(4))
def test_R49_in_teams_the_other_teams_hands_are_hidden(seat: int, turns: int) -> None:
    one, other = dealt("2e-cities-teams", 1, turns), dealt("2e-cities-teams", 1, turns)
    first, second = (s for s in range(4) if s // 2 != seat // 2)
    swap_hands(other, first, second)
    assert handed(one, seat) == handed(other, seat)
    shown = dealt("2e-cities-teams", 1, turns)
    swap_hands(shown, first, seat ^ 1)
    assert handed(one, seat) != handed(shown, seat)  # R42: the team mate's hand is seen, so the test can fail


@pytest.mark.engine_only
@pytest.mark.parametrize("kind", ["turn", "free_city"])
def test_R49_in_the_game_for_two_the_other_hand_and_the_rest_of_the_pile_are_hidden(kind: str) -> None:
    one, other = dealt("1e-duo", 1, 0), dealt("1e-duo", 1, 0)
    pile = other.hidden.free_pile
    rest = [int(slot) for slot in pile[1:7]]
    pile[1:7] = rest[::-1]
    other.game.own[1].hand = sum(1 << slot for slot in rest) | 1 << 63
    assert handed(one, 0, kind) == handed(other, 0, kind)


@pytest.mark.engine_only
@pytest.mark.parametrize("seat", range(4))
def test_R49_faces_of_the_discard_pile_and_cards_under_stages_are_hidden(seat: int) -> None:
    one, other = dealt("2e-cities", 3, 2), dealt("2e-cities", 3, 2)
    one.discarded("Palace", "Arena")
    other.discarded("Hideout", "Hideout")
    assert handed(one, seat) == handed(other, seat)
    third = dealt("2e-cities", 3, 2)
    third.discarded("Palace")
    assert handed(one, seat) != handed(third, seat)  # their number is public


@pytest.mark.engine_only
@pytest.mark.parametrize("seat", range(4))
def test_R49_guilds_and_black_cards_omitted_are_hidden(seat: int) -> None:
    one, other = dealt("2e-cities", 3, 1), dealt("2e-cities", 3, 1)
    other.game.dealer.deck[:] = 0
    other.game.dealer.pool[:] = 0
    assert handed(one, seat) == handed(other, seat)


def test_R49_a_seat_building_from_the_pile_sees_its_options() -> None:
    p = Position("1e", "Halikarnassos B", "Rhodos A", "Gizah A")
    p.discarded("Altar", "Baths")
    assert [move.card for move in p.pile_moves(0)] == ["Altar", "Baths", ""]


@pytest.mark.engine_only
@pytest.mark.parametrize("ruleset", ["1e", "2e-cities"])
def test_R49_a_seat_remembers_exactly_the_cards_it_has_had(ruleset: str) -> None:
    p = dealt(ruleset, 2, 0)
    held = [0] * 4
    for turn in range(int(p.rules.turns) - 1):
        p.public.turn = turn
        for seat in range(4):
            held[seat] |= int(p.game.own[seat].hand)
        assert p.play_turn()
        for seat in range(4):
            assert int(p.game.own[seat].seen) == held[seat]
            kept = int(p.game.own[seat].hand)
            assert bin(kept).count("1") == int(p.public.hand_size[seat]) - 1
        p.pass_hands()
        for seat in range(4):
            assert int(p.public.hand_size[seat]) == bin(int(p.game.own[seat].hand)).count("1")


@pytest.mark.engine_only
def test_R49_the_policy_of_a_seat_has_its_own_random_numbers() -> None:
    p = dealt("1e", 1, 0)
    streams = [int(p.game.own[seat].rng) for seat in range(4)]
    assert len(set(streams)) == 4
    assert int(p.game.dealer.rng) not in streams
