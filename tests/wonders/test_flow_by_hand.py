"""The machine of a game and its lists of moves as plain Python: whose turn it is, what may be done, who gets what."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.policies.in_python import linked, slots
from wsim.wonders import words as w
from wsim.wonders.kernels import drafting, flow, layout, listing, moves, recruiting
from wsim.wonders.kernels.prices import PRICED

pytestmark = pytest.mark.jit_off

NONE = [0] * len(w.SWITCH_NUMBER)


def switched(*names: str) -> list[int]:
    return [int(name in names) for name in w.SWITCH_NUMBER]


# --- lists of moves

PAYMENTS = {7: [(0, 0)], 8: [(0, 4), (2, 1)], 9: [], 30: [(1, 0)], 31: [(0, 2), (1, 1), (2, 0)]}
"""Card or stage: its payments to the left and to the right. Its cost is its number; 30 and 31 are stages."""
HAND = slots(0, 1, 2, 4)
BANK = {7: 3, 8: 0, 9: 0, 30: 1, 31: 0}


class Listing:
    """Lists moves of seat 0, whose hand contains card 7 twice (slots 0 and 1), card 8 (slot 2) and card 9 (slot 4)."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, stage: int = -1, coins: int = 9, **rules: Any) -> None:
        self.module = linked(monkeypatch, moves, listing)
        self.module.prepare_payer = lambda *_: None
        self.module.pay, self.module.pay_changed = self._pay, self._pay_changed
        self.public = SimpleNamespace(
            age=1, turn=2, turns=6, coins=[coins], side=[5], stages=[0], abilities=[0], free_used=[0],
            colors=np.zeros((1, 9), int), built=np.array([[slots(), slots()]]),
        )  # fmt: skip
        self.choice = SimpleNamespace(count=-1, kind=-1, seat=-1, moves=[np.uint64(0)] * 40)
        self.game = SimpleNamespace(
            public=self.public, choice=self.choice,
            solver=SimpleNamespace(pairs=[np.uint64(0)] * 9, stage_moves=[np.uint64(0)] * 9),
        )  # fmt: skip
        self.rules = SimpleNamespace(
            slot_card=np.array([[0] * 5, [7, 7, 8, 0, 9]]), cost={number: number for number in PAYMENTS},
            cost_coins=BANK, color=[2] * 40, stage_count={5: int(stage >= 0)},
            stage_entry=np.full((6, 1), stage), switch=NONE, teams=0, triggers=0, chain=np.zeros((40, 2), np.uint64),
        )  # fmt: skip
        vars(self.rules).update(rules)

    def _pay(self, _public: Any, solver: Any, _seat: int, cost: int, bank: int, purse: int) -> int:
        pairs = [pair for pair in PAYMENTS.get(int(cost), [(0, 0)]) if sum(pair) + bank <= purse]
        for place, (left, right) in enumerate(pairs):
            solver.pairs[place] = np.uint64(left << layout.LEFT_AT | right << layout.RIGHT_AT)
        return len(pairs)

    def _pay_changed(
        self, public: Any, _rules: Any, solver: Any, _producer: Any, seat: int, entry: int, purse: int
    ) -> int:
        """Increase every cost to the bank by 1."""
        count = self._pay(public, solver, seat, entry, BANK[int(entry)] + 1, purse)
        for place in range(count):
            solver.pairs[place] |= np.uint64(BANK[int(entry)] + 1 << layout.BANK_AT)
        return count

    def turn(self, kind: int = w.TURN, hand: np.uint64 = HAND) -> list[str]:
        self.module.list_turn(self.game, self.rules, self.public, 0, hand, kind)
        assert (self.choice.kind, self.choice.seat) == (kind, 0)
        return [self._words(int(move)) for move in self.choice.moves[: self.choice.count]]

    @staticmethod
    def _words(move: int) -> str:
        """Decode a move: card, slot, action, kind of build, coins to bank, left and right, whether it spends."""
        names = ("build", "stage", "sell", "decline", "pay")
        action = move >> 8 & 15
        way = ("paid", "chain", "free")[move >> 12 & 15] if action == w.BUILD else ""
        coins = "/".join(str(move >> at & 255) for at in (16, 24, 32))
        spends = "spends" if move >> 48 & 1 else ""
        return " ".join(filter(None, [f"{move & 255}@{move >> 40 & 255}", names[action], way, coins, spends]))


def test_a_turn_lists_builds_a_stage_and_a_sale_of_each_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both copies of card 7 are one card; 9 cannot be paid for; of card 8 there are two payments."""
    assert Listing(monkeypatch, stage=30).turn() == [
        "7@0 build paid 3/0/0", "7@0 stage 1/1/0", "7@0 sell 0/0/0",
        "8@2 build paid 0/0/4", "8@2 build paid 0/2/1", "8@2 stage 1/1/0", "8@2 sell 0/0/0",
        "9@4 stage 1/1/0", "9@4 sell 0/0/0",
    ]  # fmt: skip
    with_three = Listing(monkeypatch, stage=31, coins=2)
    assert with_three.turn(hand=slots(4)) == ["9@4 stage 0/0/2", "9@4 stage 0/1/1", "9@4 stage 0/2/0", "9@4 sell 0/0/0"]
    with_three.public.stages[0] = 1
    assert with_three.turn(hand=slots(0, 4)) == ["7@0 sell 0/0/0", "9@4 sell 0/0/0"], "all stages are built; 3 coins"
    owned = Listing(monkeypatch)
    owned.public.built[0, 0] = slots(7)
    assert owned.turn(hand=slots(0)) == ["7@0 sell 0/0/0"]


@pytest.mark.parametrize(
    ("abilities", "state", "listed"),
    [
        (w.FREE_FIRST_COLOR, {}, ["free"]), (w.FREE_FIRST_COLOR, {"color": 1}, ["paid"]),
        (w.FREE_FIRST_TURN, {"turn": 0}, ["free"]), (w.FREE_FIRST_TURN, {"turn": 1}, ["paid"]),
        (w.FREE_LAST_TURN, {"turn": 5}, ["free"]), (w.FREE_LAST_TURN, {"turn": 4}, ["paid"]),
        (w.FREE_ONCE_PER_AGE, {}, ["paid", "free spends"]), (w.FREE_ONCE_PER_AGE, {"used": 1}, ["paid"]),
        (w.FREE_TOKEN, {"used": 1}, ["paid", "free spends"]), (w.FREE_STAGES, {}, ["paid"]),
    ],
)  # fmt: skip
def test_permanent_free_builds_replace_the_cost_and_limited_ones_are_offered_too(
    abilities: int, state: dict[str, int], listed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R26: what a city may build free always is not paid for; what it may spend is offered beside the price."""
    table = Listing(monkeypatch)
    table.public.abilities[0], table.public.turn = abilities, state.get("turn", 2)
    table.public.colors[0, 2], table.public.free_used[0] = state.get("color", 0), state.get("used", 0)
    words = {
        "paid": "7@0 build paid 3/0/0",
        "free": "7@0 build free 0/0/0",
        "free spends": "7@0 build free 0/0/0 spends",
    }
    assert table.turn(hand=slots(0)) == [*(words[each] for each in listed), "7@0 sell 0/0/0"]


def test_a_chain_replaces_the_price_unless_a_switch_offers_both(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Listing(monkeypatch)
    table.rules.chain[8], table.public.built[0] = (slots(30), slots(6)), (slots(5), slots(6))  # 70 chains to 8
    chain, paid = "8@2 build chain 0/0/0", ["8@2 build paid 0/0/4", "8@2 build paid 0/2/1"]
    assert table.turn(hand=slots(2)) == [chain, "8@2 sell 0/0/0"]
    table.rules.switch = switched("paid_build_beside_chain")
    assert table.turn(hand=slots(2)) == [chain, *paid, "8@2 sell 0/0/0"]
    assert table.turn(w.FREE_CITY, slots(2)) == [chain]
    table.rules.teams = 1
    assert table.turn(hand=slots(2)) == [chain, "8@2 sell 0/0/0"]


def test_the_free_city_pays_as_little_as_possible_and_sells_only_if_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    """R46: of 4 to the right or 2 and 1 the second; of three ways to pay 2 for the stage all."""
    table = Listing(monkeypatch, stage=31)
    stages = [f"8@2 stage 0/{left}/{2 - left}" for left in range(3)]
    assert table.turn(w.FREE_CITY, slots(2)) == ["8@2 build paid 0/2/1", *stages]
    table.rules.switch = switched("free_city_chooses_payment")
    assert table.turn(w.FREE_CITY, slots(2)) == ["8@2 build paid 0/0/4", "8@2 build paid 0/2/1", *stages]
    poor = Listing(monkeypatch, coins=0)
    assert poor.turn(w.FREE_CITY) == ["7@0 sell 0/0/0", "8@2 sell 0/0/0", "9@4 sell 0/0/0"]


def test_price_clauses_are_evaluated_for_every_price(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Listing(monkeypatch, stage=30, triggers=PRICED)
    assert table.turn(hand=slots(0)) == ["7@0 build paid 4/0/0", "7@0 stage 2/1/0", "7@0 sell 0/0/0"]
    table.public.coins[0] = 3
    assert table.turn(hand=slots(0)) == ["7@0 stage 2/1/0", "7@0 sell 0/0/0"]


def test_free_stages_still_cost_coins(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Listing(monkeypatch, stage=30)
    table.public.abilities[0] = w.FREE_STAGES
    assert table.turn(hand=slots(4)) == ["9@4 stage 1/0/0", "9@4 sell 0/0/0"]


def test_builds_from_the_pile_are_free_and_of_new_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """R28: cards 5 and 70 lie there, and 6, which the city has."""
    table = Listing(monkeypatch)
    table.game.hidden = SimpleNamespace(pile=[slots(5, 6), slots(6)])
    table.public.built[0, 0] = slots(6)

    def listed() -> list[str]:
        table.module.list_pile(table.game, table.rules, 0)
        return [table._words(int(move)) for move in table.choice.moves[: table.choice.count]]

    assert listed() == ["5@0 build free 0/0/0", "70@0 build free 0/0/0"]
    table.rules.switch = switched("discard_build_optional")
    assert listed() == ["5@0 build free 0/0/0", "70@0 build free 0/0/0", "0@0 decline 0/0/0"]
    table.public.built[0] = slots(5, 6), slots(6)
    assert listed() == [], "nothing to decline"
    assert (table.choice.kind, table.choice.seat) == (w.DISCARD_PILE, 0)


# --- the machine


def machine(players: int = 3, **rules: Any) -> tuple[Any, Any]:
    """Return a game in turn 2 of 6 of age II with hands of the slots 10, 20, ..., and its rules."""
    seats = max(players, 3)
    own = [
        SimpleNamespace(
            hand=slots(10 * seat + 10), seen=slots(1), mate_hand=slots(), passed=np.zeros((3, 8), np.uint64),
            took=np.full((3, 8), layout.NOBODY),
        )
        for seat in range(seats)
    ]  # fmt: skip
    game = SimpleNamespace(
        own=own,
        public=SimpleNamespace(
            age=1, turn=2, turns=6, seats=seats, hand_size=[4] * seats, coins=[5] * seats, coins_lost=[0] * seats
        ),
        hidden=SimpleNamespace(
            taken=[None] * seats, holder=1, losses=[0] * seats, board_builds=[0] * seats, card_builds=[0] * seats,
            free_pile=[30, 31, 32], free_pile_next=1,
        ),
        flow=SimpleNamespace(
            phase=layout.CHOOSE, seat=0, end=players, wrap=0, after=-1, played_last=0, queue_at=0, queue_end=0,
            queue=[-1] * layout.QUEUE,
        ),
        choice=SimpleNamespace(seat=-1, count=-1), asking=SimpleNamespace(count=0),
        log=SimpleNamespace(recording=False),
    )  # fmt: skip
    given = {
        "players": players, "seats": seats, "duo": 0, "teams": 0, "triggers": 0, "counters": 0, "decks": 0,
        "asides": 0, "switch": NONE, "to_right": [0, 1, 0], "abilities": [0] * 9,
    }  # fmt: skip
    return game, SimpleNamespace(**given | rules)


@pytest.fixture(scope="module")
def clockwork() -> Any:
    with pytest.MonkeyPatch.context() as patched:
        return linked(patched, moves, listing, flow)


@pytest.mark.parametrize(
    ("age", "players", "hands"), [(0, 3, [30, 10, 20]), (1, 3, [20, 30, 10]), (0, 2, [20, 10]), (1, 2, [20, 10])]
)
def test_hands_are_passed_to_the_left_and_in_age_2_to_the_right(
    age: int, players: int, hands: list[int], clockwork: Any
) -> None:
    """R5. What was handed on is remembered, and what came has been seen."""
    game, rules = machine(players)
    game.public.age = age
    clockwork._pass_hands(game, rules)
    assert [own.hand for own in game.own[:players]] == [slots(slot) for slot in hands]
    assert [own.seen for own in game.own[:players]] == [slots(1, slot) for slot in hands]
    assert [int(own.passed[age, 2]) for own in game.own[:players]] == [1 << 10 * seat + 10 for seat in range(players)]
    assert game.public.hand_size[:players] == [3] * players
    game.public.turn, rules.asides, game.own[0].hand = 3, 1, slots(4, 5)
    clockwork._pass_hands(game, rules)
    sizes = [1] * players
    sizes[1 if age == 0 else players - 1] = 2
    assert game.public.hand_size[:players] == sizes, "hands of other sizes are counted where they are (R107)"


def test_the_end_of_a_turn_and_of_an_age(clockwork: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for name in ("moment", "fight_conflicts", "score_game", "ask_to_recruit", "drop_age_shields", "log_coins"):
        monkeypatch.setattr(clockwork, name, lambda *given, name=name: done.append(f"{name} {given[2:]}"))
    game, rules = machine(duo=1)
    clockwork._finish_turn(game, rules)
    assert (game.flow.phase, game.public.turn, game.hidden.holder) == (layout.BEGIN, 3, 0)
    assert [own.hand for own in game.own] == [slots(20), slots(30), slots(10)], "handed on"
    game.public.turn = 4
    clockwork._finish_turn(game, rules)
    assert (game.flow.phase, game.public.turn, game.hidden.holder) == (layout.BEGIN, 5, 1)
    clockwork._finish_turn(game, rules)
    assert (game.flow.phase, game.public.turn, game.hidden.holder) == (layout.WAR, 5, 1), "the next deal says who"
    assert done == []
    rules.triggers, rules.decks, game.log.recording = 1, 1, True
    clockwork._finish_turn(game, rules)
    clockwork._fight(game, rules)
    assert game.flow.phase == layout.PEACE
    monkeypatch.setattr(clockwork, "deal_further", lambda *given: given[2] == 3)
    clockwork._end_age_clauses(game, rules)
    assert game.flow.phase == layout.DRAFT, "after the conflicts of age II"
    monkeypatch.setattr(clockwork, "deal_further", lambda *_: False)
    clockwork._end_age_clauses(game, rules)
    assert game.flow.phase == layout.AGE_OVER
    game.asking.count = 1
    clockwork._end_age_clauses(game, rules)
    assert (game.flow.phase, game.flow.after) == (layout.ASK, layout.AGE_OVER), "clauses ask first"
    ended = ["drop_age_shields ()", f"moment ({w.ON_AGE_END},)", f"ask_to_recruit ({w.ON_AGE_END},)"]
    assert done == [
        "log_coins ()", f"moment ({w.ON_WAR},)", "fight_conflicts ()", f"moment ({w.ON_PEACE},)", *ended, *ended
    ]  # fmt: skip
    done.clear()
    clockwork._finish_age(game, rules)
    assert (game.public.age, game.public.turn, game.flow.phase) == (2, 0, layout.DEAL)
    clockwork._finish_age(game, rules)
    assert (game.public.age, game.flow.phase, done) == (2, layout.OVER, ["score_game ()"])


def test_a_turn_starts_with_the_free_city_card(clockwork: Any) -> None:
    """R45: its holder gets and sees it; team mates see each other's hands (R42)."""
    game, rules = machine(2, duo=1)
    clockwork._begin_turn(game, rules)
    assert [own.hand for own in game.own[:2]] == [slots(10), slots(20, 31)]
    assert game.own[1].seen == slots(1, 31)
    assert (game.own[2].passed[1, 2], game.hidden.free_pile_next) == (slots(31), 2)
    assert (game.flow.seat, game.flow.end, game.flow.phase) == (0, 2, layout.CHOOSE)
    mates, rules = machine(4, teams=1)
    mates.flow.seat = mates.flow.wrap = 3
    clockwork._begin_turn(mates, rules)
    assert [own.mate_hand for own in mates.own] == [slots(20), slots(10), slots(40), slots(30)]
    assert (mates.flow.seat, mates.flow.wrap, mates.flow.end) == (0, 0, 4)


def test_whose_decision_is_next(clockwork: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[tuple[Any, ...]] = []
    monkeypatch.setattr(clockwork, "list_turn", lambda *given: listed.append(given[3:]))
    monkeypatch.setattr(clockwork, "resolve", lambda *_: False)
    monkeypatch.setattr(clockwork, "leave_hand", lambda _game, seat, move: listed.append((seat, int(move))))
    game, rules = machine(2, duo=1)
    move = np.uint64(7 << layout.SLOT_AT)
    until = 1 << layout.PILE
    for seat, phase in ((0, layout.CHOOSE), (1, layout.CITY)):
        assert clockwork.advance(game, rules, until) == seat
        assert listed == [(seat, slots(10 * seat + 10), w.TURN)]
        listed.clear()
        clockwork.take(game, rules, move)
        assert (listed.pop(), game.flow.phase, game.hidden.taken[seat]) == ((seat, int(move)), phase, move)
        assert game.own[seat].took[1, 2] == 7
    assert clockwork.advance(game, rules, until) == 1, "the holder of its card decides for the Free City"
    assert listed == [(2, slots(20), w.FREE_CITY)]
    clockwork.take(game, rules, move)
    assert (game.flow.phase, game.flow.seat, game.hidden.taken[2], game.own[2].took[1, 2]) == (
        layout.CHOOSE,
        2,
        move,
        7,
    )
    assert clockwork.advance(game, rules, until) == layout.NOBODY
    assert (game.flow.phase, game.flow.after) == (layout.PILE, layout.PILE)
    behind, rules = machine(3)
    behind.flow.seat, behind.flow.end, behind.flow.wrap = 3, 3, 2
    assert [clockwork.next_decision(behind, rules, until), behind.flow.end, behind.flow.wrap] == [0, 2, 0]
    assert clockwork.advance(behind, rules, 1 << layout.CHOOSE) == layout.NOBODY


def test_each_phase_leads_to_the_next(clockwork: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the draft on through one age of one turn; nobody has anything to decide but what is pending."""
    done: list[Any] = []

    def step(name: str, result: Any = None) -> None:
        def stub(*given: Any) -> Any:
            done.append((name, *given[2:]))
            return result

        monkeypatch.setattr(clockwork, name, stub)

    game, rules = machine(triggers=1 << w.ON_AGE | 1 << w.ON_TURN, counters=1, decks=1)
    game.log.recording, game.public.turns = True, 3
    for name in ("deal", "log_hands", "moment", "ask_to_recruit", "fight_conflicts", "score_game",
                 "drop_age_shields", "drop_turn_units", "log_coins", "reset_counters", "freeze",
                 "discard"):  # fmt: skip
        step(name)
    step("draft_on", False)
    step("deal_further", False)
    step("resolve", False)
    step("plays_last", False)
    rules.slot_card = np.zeros((3, 64), int)
    game.flow.phase, game.asking.dealt = layout.DRAFT, 1
    assert clockwork.advance(game, rules, 1 << layout.CHOOSE) == layout.NOBODY
    before = ["draft_on", "deal", ("deal_further", 2), "log_hands", ("reset_counters", w.FOR_AGE), ("moment", w.ON_AGE),
              ("ask_to_recruit", w.ON_AGE), ("reset_counters", w.FOR_TURN), ("moment", w.ON_TURN)]  # fmt: skip
    assert done == [each if isinstance(each, tuple) else (each,) for each in before]
    done.clear()
    game.flow.seat = game.flow.end
    assert clockwork.advance(game, rules, 1 << layout.DEAL) == layout.NOBODY
    assert [each for each in done if each[0] not in ("discard", "plays_last")] == [
        ("freeze",), ("drop_turn_units",), ("resolve", w.TURN), ("log_coins",), ("moment", w.ON_WAR),
        ("fight_conflicts",), ("moment", w.ON_PEACE), ("deal_further", 3), ("drop_age_shields",),
        ("moment", w.ON_AGE_END), ("ask_to_recruit", w.ON_AGE_END),
    ]  # fmt: skip
    assert (game.public.age, game.public.turn) == (2, 0)
    assert [int(own.passed[1, 2]) for own in game.own] == [1 << 10, 1 << 20, 1 << 30], "what was left at the end"
    done.clear()
    game.flow.phase = layout.AGE_OVER
    assert clockwork.advance(game, rules, 0) == layout.NOBODY
    assert (game.flow.phase, done) == (layout.OVER, [("score_game",)])
    monkeypatch.setattr(clockwork, "list_next_decision", lambda game, _rules: [2, layout.NOBODY][game.asking.count])
    game.flow.phase, game.flow.after, game.asking.count = layout.SETTLE, layout.OVER, 0
    assert (clockwork.advance(game, rules, 0), game.flow.phase) == (layout.NOBODY, layout.OVER)
    game.flow.phase, game.asking.count = layout.ASK, 0
    assert (clockwork.advance(game, rules, 0), game.flow.phase) == (2, layout.ASK)
    monkeypatch.setattr(clockwork, "decide", lambda _game, _rules, move: move > 0)
    clockwork.take(game, rules, np.uint64(0))
    assert game.flow.phase == layout.ASK
    clockwork.take(game, rules, np.uint64(1))
    assert game.flow.phase == layout.SETTLE, "losses first"
    game.asking.count = 1
    assert (clockwork.advance(game, rules, 0), game.flow.phase) == (layout.NOBODY, layout.OVER)


def test_losses_are_settled_seat_by_seat_and_unpaid_coins_become_debts(
    clockwork: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R32; for the Free City the holder of its card decides (R46)."""
    listed: list[tuple[int, ...]] = []

    def list_loss(game: Any, seat: int, loss: int) -> None:
        listed.append((seat, loss))
        game.choice.seat, game.choice.count = seat, loss + 1

    monkeypatch.setattr(clockwork, "list_loss", list_loss)
    monkeypatch.setattr(clockwork, "add_debts", lambda _public, *given: listed.append(given))
    monkeypatch.setattr(clockwork, "log_loss", lambda _game, *given: listed.append(given))
    game, rules = machine(2, switch=switched("debt_choice"))
    game.hidden.losses = [0, 3, 2]
    assert (clockwork._list_next_loss(game, rules), game.choice.count) == (1, 4)
    stopped: list[tuple[int, ...]] = []
    monkeypatch.setattr(clockwork, "stop_game", lambda *given: stopped.append(given))
    game.public.coins_lost[1] = clockwork.MAX_COINS - 2
    clockwork._pay_loss(game, np.uint64(2 << layout.BANK_AT))
    assert (game.public.coins_lost[1], stopped) == (clockwork.MAX_COINS, [])
    game.hidden.losses[1], game.public.coins[1] = 1, 4
    clockwork._pay_loss(game, np.uint64(1 << layout.BANK_AT))
    most = clockwork.MAX_COINS
    assert stopped == [(clockwork.LOSSES, 1, -1, most + 1, most)]
    assert listed.pop() == (1, -1, 0)
    game.public.coins_lost[1] = 2
    assert (game.hidden.losses, game.public.coins, game.public.coins_lost) == ([0, 0, 2], [5, 3, 5], [0, 2, 0])
    rules.switch, game.hidden.holder, game.log.recording = NONE, 0, True
    assert (clockwork._list_next_loss(game, rules), game.choice.seat, game.choice.count) == (0, 2, 1)
    clockwork._pay_loss(game, np.uint64(0))
    assert clockwork._list_next_loss(game, rules) == layout.NOBODY
    assert listed == [(1, 3), (1, -1, 1), (2, 2), (2, -1, 2), (2, 0, 2)]


def test_builds_from_the_pile_wait_in_their_order(clockwork: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """R9.6: all boards' first, or seat by seat; who can build nothing is passed over; a build may grant another."""
    for switch, queue in ((("discard_builds_boards_first",), [0, 2, 0, 0, 1]), ((), [0, 0, 0, 1, 2])):
        game, rules = machine(switch=switched(*switch))
        game.hidden.board_builds, game.hidden.card_builds = [1, 0, 1], [2, 1, 0]
        game.flow.queue_at = game.flow.queue_end = 9
        clockwork._queue_builds(game, rules)
        assert (game.flow.queue[: game.flow.queue_end], game.flow.queue_at) == (queue, 0)
        assert (game.hidden.board_builds, game.hidden.card_builds) == ([0] * 3, [0] * 3)
        assert game.flow.phase == layout.BUILD_PILE

    def list_pile(game: Any, _rules: Any, seat: int) -> None:
        game.choice.seat, game.choice.count = seat, int(seat > 0)

    looked: list[tuple[int, int]] = []
    monkeypatch.setattr(clockwork, "list_pile", list_pile)
    monkeypatch.setattr(clockwork, "remember_pile", lambda _game, _rules, *given: looked.append(given))
    monkeypatch.setattr(clockwork, "log_deed", lambda *_: None)
    monkeypatch.setattr(clockwork, "build_from_pile", lambda *_: False)
    assert (clockwork._list_next_build(game, rules), game.flow.queue_at, looked) == (1, 3, [(1, 0)])
    rules.abilities[5] = w.BUILD_DISCARD
    clockwork._build_next(game, rules, np.uint64(5))
    assert (game.flow.queue[4 : game.flow.queue_end], game.flow.queue_at, game.flow.phase) == (
        [2, 1], 4, layout.BUILD_PILE
    )  # fmt: skip
    clockwork._build_next(game, rules, np.uint64(5 | w.DECLINE << layout.ACTION_AT))
    assert (game.flow.queue_at, game.flow.queue_end) == (5, 6)
    rules.players, game.hidden.holder = 1, 0
    assert (clockwork._list_next_build(game, rules), looked[-1]) == (0, (0, 0)), "for the Free City"


def test_a_full_queue_is_compacted(clockwork: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[tuple[int, ...]] = []

    def stop_game(*given: int) -> None:
        stopped.append(given)
        raise OverflowError

    monkeypatch.setattr(clockwork, "stop_game", stop_game)
    most = layout.QUEUE
    waiting = SimpleNamespace(queue=list(range(most)), queue_at=most - 2, queue_end=most)
    clockwork._enqueue(waiting, 7, 1, -1)
    assert (waiting.queue[:3], waiting.queue_at, waiting.queue_end) == ([most - 2, most - 1, 7], 0, 3)
    clockwork._enqueue(waiting, 8, most - 3, -1)
    assert (waiting.queue_end, waiting.queue[-1]) == (most, 8)
    with pytest.raises(OverflowError):
        clockwork._enqueue(waiting, 2, 1, 5)
    assert stopped == [(clockwork.WAITING, 2, 5, most + 1, most)]


def test_hands_are_discarded_unless_their_last_card_is_played(clockwork: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """R9.5, R27: seat 1 plays its last card; slot n is card n."""
    thrown: list[int] = []
    listed: list[tuple[Any, ...]] = []
    monkeypatch.setattr(clockwork, "discard", lambda _game, card: thrown.append(card))
    monkeypatch.setattr(clockwork, "plays_last", lambda public, _rules, seat: public.seats and seat == 1)
    monkeypatch.setattr(clockwork, "list_turn", lambda *given: listed.append(given[2:]))
    monkeypatch.setattr(clockwork, "thaw", lambda _game: listed.append(("thaw",)))
    monkeypatch.setattr(clockwork, "resolve", lambda _game, _rules, kind: kind == w.LAST_CARD)
    game, rules = machine(2, duo=1, slot_card=np.array([[0] * 64, range(64)]))
    game.flow.seat, game.flow.wrap, game.frozen = layout.NOBODY, 1, "before"
    game.own[0].hand = slots(3, 9)
    assert clockwork._list_next_last_card(game, rules) == 1
    assert thrown == [3, 9, 31]
    assert listed == [("thaw",), ("before", 1, slots(20), w.LAST_CARD)]
    assert [own.hand for own in game.own[:2]] == [slots(), slots(20)]
    assert (game.flow.seat, game.flow.end, game.flow.wrap, game.flow.played_last) == (1, 2, 0, 0)
    assert game.hidden.taken == [moves.NO_MOVE] * 3
    rules.switch = switched("last_card_on_new_state")
    assert clockwork.list_choice(game, rules, 1, w.LAST_CARD) == 1
    assert listed[2:] == [(game.public, 1, slots(20), w.LAST_CARD)]
    game.flow.seat = 2
    assert clockwork._list_next_last_card(game, rules) == layout.NOBODY
    clockwork._resolve_last_cards(game, rules)
    assert (game.flow.phase, game.flow.after) == (layout.PILE, layout.PILE)
    game.flow.played_last = 1
    clockwork._resolve_last_cards(game, rules)
    assert (game.flow.phase, game.flow.after) == (layout.SETTLE, layout.PILE)


# --- drafts


def drafts(monkeypatch: pytest.MonkeyPatch, right: int = 0) -> tuple[Any, Any, Any]:
    """Three players; deck 0 is displayed, deck 1 drafted, three cards each: seat n has 2 + 3n to 4 + 3n."""
    module = linked(monkeypatch, moves, recruiting, drafting)
    rules = SimpleNamespace(
        players=3, decks=2, deck_from=[0, 2, 11], deck_drafted=[0, 1], deck_dealt=[0, 3], deck_entry=100,
        to_right=[right, 0, 0], deck_moment=[0, 0],
    )  # fmt: skip
    own = [
        SimpleNamespace(
            recruits=slots(0, *range(2 + 3 * seat, 5 + 3 * seat)), hand=slots(9), mate_hand=slots(9), seen=slots(9),
            draft=slots(), drafted=[slots(9)] * w.HAND, passed=np.full((3, w.TURNS), 9, np.uint64),
            took=np.zeros((3, w.TURNS), int),
        )
        for seat in range(3)
    ]  # fmt: skip
    game = SimpleNamespace(
        own=own, asking=SimpleNamespace(draft_deck=7, draft_turn=7, dealt=0),
        choice=SimpleNamespace(kind=-1, seat=-1, count=-1, moves=[None] * 9),
    )  # fmt: skip
    return module, game, rules


@pytest.mark.parametrize(("right", "second", "third"), [(0, [8, 2, 5], [7, 10, 4]), (1, [5, 8, 2], [10, 4, 7])])
def test_each_player_keeps_a_card_of_a_hand_and_passes_the_rest_on(
    right: int, second: list[int], third: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R101: all keep the second card, then the first of two; the third is kept without a choice."""
    module, game, rules = drafts(monkeypatch, right)
    asked: list[tuple[int, ...]] = []
    module.add_pending = lambda _game, _rules, *given: asked.append(given)
    module.deal_decks = lambda _game, _rules, moment: asked.append((moment,))
    module.forget_drafts(game, rules)
    assert (module.deal_further(game, rules, 0), module.deal_further(game, rules, 0)) == (True, False)
    assert (asked.pop(), game.asking.dealt) == ((0,), 1)
    assert [own.draft for own in game.own] == [slots(2, 3, 4), slots(5, 6, 7), slots(8, 9, 10)]
    for own in game.own:
        assert (own.recruits, own.hand, own.mate_hand, own.seen) == (slots(0), 0, 0, 0)
        assert own.drafted == [own.draft] + [0] * (w.HAND - 1)
        assert (own.passed[0].any(), own.passed[1].all(), set(own.took[0]), set(own.took[1])) == (
            False, True, {layout.NOBODY}, {0}
        )  # fmt: skip
    everyone = [(module.KEEP + 1, seat, seat) for seat in range(3)]
    assert (module.draft_on(game, rules), asked) == (True, everyone)
    module.list_draft(game, rules, 1, 1)
    choose = w.CHOOSE << layout.ACTION_AT | w.KEEPS << layout.HOW_AT | 1 << layout.TRIGGER_AT
    assert [int(move) for move in game.choice.moves[: game.choice.count]] == [choose | 100 + card for card in (5, 6, 7)]
    assert (game.choice.kind, game.choice.seat) == (w.EFFECT, 1)
    for seat in range(3):
        module.keep(game, rules, seat, np.uint64(103 + 3 * seat))
    assert [own.recruits for own in game.own] == [slots(0, 3), slots(0, 6), slots(0, 9)]
    assert module.draft_on(game, rules)
    assert [own.draft for own in game.own] == [slots(card, card + 2) for card in second]
    assert [own.drafted[1] for own in game.own] == [own.draft for own in game.own]
    for seat, card in enumerate(second):
        module.keep(game, rules, seat, np.uint64(100 + card))
    assert asked == 2 * everyone
    assert module.draft_on(game, rules) is False
    assert asked == 2 * everyone
    kept = [slots(0, 3 + 3 * seat, second[seat], third[seat]) for seat in range(3)]
    assert [(own.recruits, own.draft) for own in game.own] == [(cards, 0) for cards in kept]
    assert (game.asking.draft_deck, game.asking.draft_turn) == (2, 0)
