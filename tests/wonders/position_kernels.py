"""Jitted helpers of the engine's tests: the steps of a turn as one entry point, and policies that tests can steer.

They are kept in the engine's own cache folder, whose name is a digest of every kernel source: an edited engine is never
met by a test kernel that was compiled with the old one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wsim.jit import kernel, types
from wsim.rng import below, deal_word
from wsim.wonders.kernels.deal import deal, set_up
from wsim.wonders.kernels.flow import _close_turn, _pass_hands, end_age
from wsim.wonders.kernels.formula import evaluate
from wsim.wonders.kernels.layout import AGE_OVER, BEGIN, CHOOSE, FINISH, LINE_UP, POLICY, Game, Public, Rules, Seating
from wsim.wonders.kernels.listing import list_loss, list_pile, list_turn
from wsim.wonders.kernels.moves import (
    action_of,
    amount_of,
    bank_of,
    card_of,
    city_of,
    how_of,
    left_of,
    option_of,
    picked_of,
    right_of,
)
from wsim.wonders.kernels.scoring import score_game
from wsim.wonders.kernels.steps import STEPS
from wsim.wonders.kernels.turn import place
from wsim.wonders.words import BUILD, DECLINE, DISCARD_PILE, EFFECT, LAST_CARD, LOSS, PAY, SELL, STAGE
from wsim.wonders.words import CHOOSE as CHOOSING

# Steps of `perform`.
SET_TABLE, PLACE, LIST_TURN, LIST_PILE, LIST_LOSS, RESOLVE, PLAY_TURN, PASS, DEAL, END_AGE, SCORE = range(11)

# Parameters of `scripted`: an index for each kind of decision (0-5), then the kind of decision before which to stop.
STOP_AT = 6

TASTE_ANY, TASTE_BUILDS, TASTE_STAGES = 0, 1, 2  # parameter 0 of `tasting`


def entry(signature: Any) -> Callable[[Any], Any]:
    """Compile a test kernel for a signature and keep it beside the engine it was compiled with."""
    return kernel(signature, package="wonders.kernels")  # type: ignore[no-any-return]


play_until = STEPS.play_until


@entry(types.int64(Game, Rules, Seating, LINE_UP, types.int64, types.int64, types.int64))
def perform(game: Any, rules: Any, seating: Any, line_up: Any, step: Any, seat: Any, what: Any) -> Any:
    """Carry out one step of the game for a position laid out by a test; return 0, or 1 where a policy stopped it."""
    public, hidden = game.public, game.hidden
    if step == SET_TABLE:
        set_up(game, rules, seating, what)
    elif step == PLACE:
        place(game, rules, seat, hidden.taken[seat])
    elif step == LIST_TURN:
        list_turn(game, rules, public, seat, game.own[seat].hand, what)
    elif step == LIST_PILE:
        list_pile(game, rules, seat)
    elif step == LIST_LOSS:
        list_loss(game, seat, what)
    elif step == RESOLVE:
        game.flow.phase, game.flow.seat = CHOOSE, rules.players
        play_until(game, rules, seating, line_up, 1 << FINISH)
    elif step == PLAY_TURN:
        game.flow.phase = BEGIN
        play_until(game, rules, seating, line_up, 1 << FINISH)
        _close_turn(game, rules)
    elif step == PASS:
        _pass_hands(game, rules)
    elif step == DEAL:
        hidden.deals = deal_word(seating, what)
        deal(game, rules)
    elif step == END_AGE:
        end_age(game, rules)
        play_until(game, rules, seating, line_up, 1 << AGE_OVER)
    elif step == SCORE:
        score_game(game, rules)
    return game.answer.wrong


@entry(types.void(Public, Rules, types.int64[::1], types.int64, types.int64, types.int64[::1]))
def evaluated(public: Any, rules: Any, starts: Any, owner: Any, other: Any, results: Any) -> None:
    """Evaluate the formulas that begin at these places of the code."""
    for i in range(starts.shape[0]):
        results[i] = evaluate(public, rules, starts[i], owner, other)


@entry(POLICY)
def scripted(public: Any, own: Any, choice: Any, rules: Any, settings: Any) -> Any:
    """Take the index that the seat's parameters name for this kind of decision (from the end where negative)."""
    if own.parameters[STOP_AT] == choice.kind + 1:
        return -1
    index = np.int64(own.parameters[choice.kind])
    return index if index >= 0 else choice.count + index


@entry(POLICY)
def overreaching(public: Any, own: Any, choice: Any, rules: Any, settings: Any) -> Any:
    """Return an index behind the last move."""
    return choice.count


@kernel
def digest_moves(public: Any, own: Any, choice: Any) -> Any:
    """Return a number that depends on every field of every legal move in its place (see engine_tools)."""
    digest = 1009 * (public.age + 1) + 101 * (public.turn + 1) + 11 * own.seat + 7 * choice.seat + choice.kind
    digest += 13 * public.discarded
    for i in range(choice.count):
        move = choice.moves[i]
        action = action_of(move)
        fields = 128 * action
        if action <= SELL:
            fields += card_of(move)
        if action <= STAGE:
            fields += 1024 * how_of(move) + 4096 * left_of(move) + 262144 * right_of(move)
        if action == CHOOSING:
            fields += 1024 * option_of(move) + 8192 * (city_of(move) + 1) + 65536 * (picked_of(move) + 1)
            fields += 8388608 * amount_of(move)
        elif action != SELL and action != DECLINE:
            fields += 16777216 * bank_of(move)
        digest = (digest * 31 + fields) % 1000003
    return digest


@kernel
def _wanted(move: Any, taste: Any) -> Any:
    """Return whether a move is to a taste."""
    action = action_of(move)
    if taste == TASTE_STAGES:
        return action == STAGE
    return taste == TASTE_ANY or action <= STAGE


@entry(POLICY)
def tasting(public: Any, own: Any, choice: Any, rules: Any, settings: Any) -> Any:
    """Pick by the digest of the whole list among the moves to the seat's taste, losses and declining included."""
    digest = digest_moves(public, own, choice)
    for taste in range(np.int64(own.parameters[0]), -1, -1):
        wanted = 0
        for i in range(choice.count):
            wanted += _wanted(choice.moves[i], taste)
        if wanted == 0:
            continue
        rank = digest % wanted
        for i in range(choice.count):
            if _wanted(choice.moves[i], taste):
                if rank == 0:
                    return i
                rank -= 1
    return 0


@kernel
def _holds(rules: Any, age: Any, hand: Any, card: Any) -> Any:
    """Return whether a hand holds a card."""
    found = False
    for slot in range(64):
        if (hand >> np.uint64(slot)) & np.uint64(1):
            found |= rules.slot_card[age, slot] == card
    return found


@kernel
def _owned(public: Any, seat: Any, card: Any) -> Any:
    """Return whether a structure stands in a city."""
    return (public.built[seat, card // 64] >> np.uint64(card % 64)) & np.uint64(1) != 0


@kernel
def _chained(public: Any, rules: Any, seat: Any, card: Any) -> Any:
    """Return whether a city holds a predecessor of a card."""
    for other in range(rules.cards):
        if (rules.chain[card, other // 64] >> np.uint64(other % 64)) & np.uint64(1) and _owned(public, seat, other):
            return True
    return False


@kernel
def _bad_move(public: Any, own: Any, choice: Any, rules: Any, move: Any) -> Any:
    """Return 0 for a move that may be legal, else the number of the objection."""
    seat, kind, action, card = choice.seat, choice.kind, action_of(move), card_of(move)
    if (action == PAY) != (kind == LOSS) or (action == DECLINE and kind != DISCARD_PILE and kind != EFFECT):
        return 2
    if kind == EFFECT:
        return 0 if action == DECLINE or (action == CHOOSING and bank_of(move) <= public.coins[seat]) else 2
    if action == SELL and kind == DISCARD_PILE:
        return 2
    if action == PAY:
        return 3 if bank_of(move) > public.coins[seat] else 0
    if bank_of(move) + left_of(move) + right_of(move) > public.coins[seat]:
        return 3
    if action == DECLINE:
        return 0
    if kind != DISCARD_PILE and not _holds(rules, public.age, own.hand, card):
        return 4
    if action == BUILD:
        if _owned(public, seat, card):
            return 5
        if how_of(move) == 1 and not _chained(public, rules, seat, card):
            return 6
        if how_of(move) != 0 and bank_of(move) + left_of(move) + right_of(move) > 0:
            return 7
        if kind == DISCARD_PILE and how_of(move) != 2:
            return 8
    if action == STAGE and public.stages[seat] >= rules.stage_count[public.side[seat]]:
        return 9
    return 0


@kernel
def _bad_pair(first: Any, second: Any) -> Any:
    """Return 0 for two moves that may stand in one list in this order, else the number of the objection."""
    if first == second:
        return 10
    same = card_of(first) == card_of(second) and action_of(first) == action_of(second)
    if same and action_of(first) == SELL:
        return 11
    if same and action_of(first) <= STAGE and how_of(first) == how_of(second):
        if how_of(first) != 0:
            return 12
        # R15, R50: ascending coins to the left, and so descending to the right, or one would undercut the other
        if left_of(first) >= left_of(second) or right_of(first) <= right_of(second):
            return 13
    return 0


@entry(POLICY)
def strict(public: Any, own: Any, choice: Any, rules: Any, settings: Any) -> Any:
    """Check the list of legal moves by itself; return minus the objection's number, or a random index (R50)."""
    last, sales, names = -1, 0, 0
    for i in range(choice.count):
        move = choice.moves[i]
        objection = _bad_move(public, own, choice, rules, move)
        if objection:
            return -objection
        for j in range(i):
            if choice.moves[j] & np.uint64(0xFF) == move & np.uint64(0xFF) or action_of(move) == PAY:
                objection = _bad_pair(choice.moves[j], move)
                if objection:
                    return -objection
        if action_of(move) <= SELL:
            if card_of(move) < last:
                return -14
            names += card_of(move) != last
            last = card_of(move)
            sales += action_of(move) == SELL
    if choice.kind <= LAST_CARD and sales != names:
        return -15
    return 0 if choice.kind == LOSS else below(own, choice.count)
