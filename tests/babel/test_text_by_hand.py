"""Moves, games and views of Tower of Babel in words, and packed moves as records, all by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from wsim.babel import words as w
from wsim.babel.describe import text
from wsim.babel.describe.view import move_record
from wsim.babel.kernels.layout import COMPLETED, TRADE_CARD


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ({"action": "pass"}, "pass"),
        ({"action": "build", "wonder": "Mausoleum", "space": 2, "disc": {"camel": 3, "ship": 1}},
         "build Mausoleum, space 2 (3 camel + 1 ship)"),
        ({"card": None}, "play no action card"), ({"card": "draw_three"}, "play Draw three"),
        ({"aside": None}, "set no more cards aside"), ({"aside": "ship"}, "set a ship aside"),
        ({"cards": {}, "trade": False}, "offer nothing"), ({"cards": {}, "trade": True}, "offer the trade card"),
        ({"cards": {"camel": 2}, "trade": True}, "offer 2 camel + the trade card"),
        ({"bluff": []}, "lay no bluff"), ({"bluff": ["ship", "crane"]}, "lay ship, crane as a bluff"),
        ({"taken": []}, "take no offer"), ({"taken": [1, 3]}, "take the offer of seat 1 and seat 3"),
        ({"completed": True, "jokers": {}}, "complete the build"),
        ({"completed": True, "jokers": {"camel": 2}}, "complete the build with Jokers for 2 camel"),
        ({"completed": False}, "give up the build"), ({"triple_bonus": True}, "play the Triple bonus"),
        ({"triple_bonus": False}, "keep the Triple bonus"), ({"double_turn": True}, "play the Double turn"),
        ({"double_turn": False}, "keep the Double turn"),
    ],
)  # fmt: skip
def test_a_move_is_described_in_a_few_words(move: dict[str, Any], words: str) -> None:
    assert text.phrase(move) == words


@pytest.mark.parametrize(
    ("decision", "move", "record"),
    [
        (w.TURN, 0, {"action": "pass"}),
        (w.TURN, 5, {"action": "build", "wonder": "B", "space": 2, "disc": {"camel": 4}}),
        (w.PLAY_CARD, 0, {"card": None}), (w.PLAY_CARD, 1 + w.DRAW_THREE, {"card": "draw_three"}),
        (w.EXCHANGE, 0, {"aside": None}), (w.EXCHANGE, 1, {"aside": "camel"}),
        (w.OFFER, 2 + 256, {"cards": {"ship": 2, "crane": 1}, "trade": False}),
        (w.OFFER, TRADE_CARD + 256, {"cards": {"crane": 1}, "trade": True}),
        (w.BLUFF, 0b1010, {"bluff": ["crane", "stonemason"]}), (w.BLUFF, 0, {"bluff": []}),
        (w.TAKE, 0b101, {"taken": [0, 2]}), (w.COMPLETE, 0, {"completed": False}),
        (w.COMPLETE, COMPLETED, {"completed": True, "jokers": {}}),
        (w.COMPLETE, COMPLETED + 1, {"completed": True, "jokers": {"ship": 1}}),
        (w.TRIPLE, 1, {"triple_bonus": True}), (w.DOUBLE, 0, {"double_turn": False}),
    ],
)  # fmt: skip
def test_a_packed_move_becomes_a_record(decision: int, move: int, record: dict[str, Any]) -> None:
    """Disc 9, which is on slot 4 of the board, needs four camels; the one that is being built ships and cranes."""
    discs = [SimpleNamespace(needs=(("camel", 4),)) for _ in range(24)]
    discs[7] = SimpleNamespace(needs=(("ship", 3), ("crane", 2)))
    catalogue: Any = SimpleNamespace(discs=discs, wonders=list("ABCDEFGH"))
    public = SimpleNamespace(slot=11, board=[0] * 24, seats=3)
    public.board[4], public.board[11] = 9, 7
    assert move_record(catalogue, public, decision, 2, move) == {"seat": 2, **record}


def test_a_game_is_described_in_words() -> None:
    """A pass after a card, a build with one of everything, a build that fails, the end."""

    def played(window: str, card: str | None, **more: Any) -> dict[str, Any]:
        return {"window": window, "seat": 1, "card": card, "drawn": ["ship"], **more}

    build = {
        "action": "build", "wonder": "Pharos", "disc": {"camel": 3},
        "plays": [played("W1", None), played("W2", "Card exchange", aside=["camel"]), played("W3", "Draw three")],
        "offers": [{"seat": 1, "cards": {"camel": 1}, "trade": True, "bluff": ["crane"]},
                   {"seat": 2, "cards": {}, "trade": False}],
        "taken": [1], "completed": True, "own": {}, "jokers": {"camel": 2}, "disc_to": 1, "parts": [2, 1, 0],
        "wonder_completed": {"units": [2, 1, 0], "points": [5, 3, 0], "row": 1, "action_card": "Joker"},
        "paid": [{"seat": 2, "points": 3, "triple_bonus": True}, {"seat": 1, "points": 1, "triple_bonus": False},
                 {"seat": 0, "points": 2}],
        "double_turn": True,
    }  # fmt: skip
    failed = {"action": "build", "wonder": "Pharos", "disc": {"camel": 3}, "plays": [], "offers": [], "taken": [],
              "completed": False, "paid": [], "double_turn": False}  # fmt: skip
    passed = {"action": "pass", "plays": [played("W1", "Draw three")], "drawn": []}
    discs = [{"camel": 3}, {"ship": 2, "crane": 1}]
    score = {"seat": 0, "total": 9, "wonders": 5, "unfinished_wonders": 1, "refused_offers": 2, "disc_sets": 1,
             "action_cards": 0, "rank": 1, "win_share": 0.5, "discs": discs}  # fmt: skip
    sources = "(wonders 5, unfinished wonders 1, refused offers 2, disc sets 1, action cards 0)"
    lines = text.game_text({
        "ruleset": "babel", "seed": 7, "index": 3,
        "rules": {"action_cards": True, "two_colour_discs": False,
                  "changed": [{"entry": "rules.pass_draw", "value": 3}]},
        "board": [{"wonder": "Pharos", "discs": discs}], "start": 1,
        "seats": [{"policy": "net"}, {"policy": "fast"}], "hands": [["camel"], ["ship", "crane"]],
        "turns": [
            {"turn": 4, "seat": 0, "actions": [build, failed], "points": [5, 3], "hand_sizes": [1, 2],
             "draws": [{"seat": 0, "cards": ["camel"]}, {"seat": 1, "cards": []}]},
            {"turn": 5, "seat": 1, "actions": [passed], "points": [5, 3], "hand_sizes": [1, 2]},
        ],
        "end": {"reason": "turn_limit", "unfinished": [{"wonder": "Pharos", "units": [1, 0], "points": [2, 0]}]},
        "scores": [score, {**score, "seat": 1, "discs": []}],
    }).splitlines()  # fmt: skip
    assert lines == [
        "Tower of Babel, rule set babel, seed 7, game 3", "with action cards, without two-colour discs",
        "changed: rules.pass_draw = 3", "", "  Pharos: camel 3, ship 2 + crane 1", "", "  seat 0 (net): camel",
        "  seat 1 (fast, begins): ship, crane", "", "Turn 4, seat 0", "    W1: seat 1 plays no action card",
        "  builds Pharos, camel 3", "    W2: seat 1 plays Card exchange, sets aside camel, draws ship",
        "    seat 1 offers 1 camel + trade card (and shows crane)", "    seat 2 offers nothing",
        "    W3: seat 1 plays Draw three, draws ship", "    takes seat 1, adds nothing, Jokers for 2 camel",
        "    parts 2 1 0; the disc goes to seat 1", "    wonder complete, row 1: units 2 1 0 earn 5 3 0; draws Joker",
        "    seat 2 gets 3 for its offer with the Triple bonus",
        "    seat 1 gets 1 for its offer, keeps the Triple bonus",
        "    seat 0 gets 2 for its offer", "  plays the Double turn", "  second action", "  builds Pharos, camel 3",
        "    takes nobody; the build fails", "  keeps the Double turn", "  draws: 0 camel; 1 nothing",
        "  points 5 3, hands 1 2", "", "Turn 5, seat 1", "    W1: seat 1 plays Draw three, draws ship",
        "  passes, draws nothing", "  points 5 3, hands 1 2", "", "The end: the turn limit is reached",
        "  Pharos: units 1 0 earn 2 0",
        f"  seat 0: 9 {sources}, rank 1, win share 0.5", "    discs: camel 3, ship 2 + crane 1",
        f"  seat 1: 9 {sources}, rank 1, win share 0.5", "    discs: none",
    ]  # fmt: skip


def test_a_view_is_described_in_words() -> None:
    """A row of three discs is as wide as its column or goes below; of the offers only those with something."""
    seats = [{"points": 3, "hand_size": 2, "action_cards": 1, "discs": {"camel": 2}},
             {"points": 10, "hand_size": 0, "action_cards": 0, "discs": {}}]  # fmt: skip
    long = {"stonemason": 3, "camel": 2}
    view = {
        "seat": 1, "turn": 4, "active": 0, "deck": 30, "row": 2, "seats": seats, "hand": {}, "held": {"draw_three": 1},
        "board": [{"wonder": "Pharos", "discs": [{"camel": 3}, None], "parts": [1, 0]},
                  {"wonder": "Colossus", "discs": [long, long], "parts": [0, 2]}],
        "build": {"wonder": "Pharos", "space": 1, "disc": {"camel": 3}, "taken": [0], "offers": [
            {"seat": 0, "cards": {"camel": 1}, "trade": False}, {"seat": 1, "cards": {}, "trade": False},
            {"seat": 2, "cards": {}, "trade": True},
        ]},
    }  # fmt: skip
    lines = text.view_lines(view)
    assert lines == [
        "Turn 4, seat 0 is active. You are seat 1. Deck: 30 cards. Next row: 2.", "",
        "wonder                        discs to be built                   parts",
        "Pharos                        3 camel, -                          1 0",
        "Colossus                                                          0 2",
        "    3 stonemason + 2 camel, 3 stonemason + 2 camel", "",
        "seat     points  hand  action cards   discs", "0             3     2             1   2 camel",
        "1 you        10     0             0   -", "", "To be built: Pharos, space 1 (3 camel)",
        "  seat 0: offer 1 camel, taken", "  seat 2: offer the trade card", "", "Your hand: no card",
        "Your action cards: 1 Draw three",
    ]  # fmt: skip
    quiet = {**view, "hand": {"ship": 2}, "held": {}}
    del quiet["build"]
    assert text.view_lines(quiet)[-4:] == ["1 you        10     0             0   -", "", "Your hand: 2 ship",
                                           "Your action cards: none"]  # fmt: skip
