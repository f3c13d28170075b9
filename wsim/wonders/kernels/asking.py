"""Clause decisions: list the options that a city can pay for, and carry out the chosen one (R72-R74)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.kernels.guards import stop_game
from wsim.wonders import words as w
from wsim.wonders.kernels.clauses import act_in, cities_met
from wsim.wonders.kernels.counters import FIRST_ACT
from wsim.wonders.kernels.drafting import keep, list_draft
from wsim.wonders.kernels.formula import evaluate
from wsim.wonders.kernels.layout import (
    ACTION_AT,
    AMOUNT_AT,
    BANK_AT,
    CITY_AT,
    GIVES_AT,
    HOW_AT,
    NOBODY,
    NOT_DRAWN,
    OWNER_AT,
    PICKED_AT,
    SLOT_AT,
    TRIGGER_AT,
)
from wsim.wonders.kernels.moves import action_of, amount_of, card_of, city_of, gives_of, option_of, picked_of
from wsim.wonders.kernels.pending import (
    DRAW,
    KEEP,
    RECRUIT,
    ask_for_another,
    clause_of,
    count_decision,
    decider_of,
    drop_pending,
    first_pending,
    forget_event,
    number_drawn,
    option_wanted,
    owner_of,
    recall_event,
    trigger_of,
    wanted_of,
)
from wsim.wonders.kernels.picked import (
    do_with_card,
    draw_cards,
    exchange,
    know_card,
    look_at_pile,
    next_card,
    next_given,
    watch_hands,
)
from wsim.wonders.kernels.recruiting import list_drawn, list_recruits, recruit
from wsim.wonders.limits import MAX_PAID, PRICE

_OPTION, _DECLINE = np.uint64(w.CHOOSE << ACTION_AT), np.uint64(w.DECLINE << ACTION_AT)
_HOW, _COINS, _PICKED, _AMOUNT, _CLAUSE, _CITY, _TRIGGER, _OWNER, _GIVES = (
    np.uint64(at) for at in (HOW_AT, BANK_AT, PICKED_AT, AMOUNT_AT, SLOT_AT, CITY_AT, TRIGGER_AT, OWNER_AT, GIVES_AT)
)


@kernel
def _price(public, rules, option, payer, owner, trigger, entry):
    """Return the coins that an option costs the deciding city, -1 if it cannot pay the price in full (R98)."""
    coins = np.int64(0)
    for at in range(rules.option_first[option], rules.option_paid[option]):
        amount = evaluate(public, rules, np.int64(rules.action_amount[at]), owner, trigger)
        action = np.int64(rules.action[at])
        if action >= FIRST_ACT:
            counter = (action - FIRST_ACT) >> 1
            if np.int64(public.counter[payer, counter]) - amount < np.int64(rules.counter_least[counter]):
                return -1
        elif np.int64(public.coins[payer]) < amount:
            return -1
        else:
            coins = amount
    if coins > MAX_PAID:
        stop_game(PRICE, payer, entry, coins, MAX_PAID)
    return coins


@kernel(rare=True)
def _list_cards(game, rules, word, option, move, at):
    """List a move for each card that an option lets a city choose, by number (R80); return the new length."""
    public, clause, owner, trigger = game.public, clause_of(word), owner_of(word), trigger_of(word)
    payer, swaps = decider_of(word), rules.option_do[option] == w.DO_SWAP
    card = next_card(game, rules, option, owner, trigger, 0)
    while card >= 0:
        coins = _price(public, rules, option, payer, owner, trigger, np.int64(rules.clause_entry[clause]))
        if swaps and next_given(game, rules, option, owner, trigger, 0) < 0:
            coins = -1
        if coins >= 0:
            game.choice.moves[at] = move | (np.uint64(coins) << _COINS) | (np.uint64(card + 1) << _PICKED)
            at += 1
        card = next_card(game, rules, option, owner, trigger, card + 1)
    recall_event(public, word)
    return at


@kernel(rare=True)
def _list_amounts(game, rules, word, option, move, at):
    """List a move for each amount that an option lets a city choose, from 1 on (R95); return the new length."""
    public, owner, trigger = game.public, owner_of(word), trigger_of(word)
    most = evaluate(public, rules, np.int64(rules.option_amount[option]), owner, trigger)
    for amount in range(1, most + 1):
        public.amount = amount
        entry = np.int64(rules.clause_entry[clause_of(word)])
        coins = _price(public, rules, option, decider_of(word), owner, trigger, entry)
        if coins >= 0:
            game.choice.moves[at] = move | (np.uint64(coins) << _COINS) | (np.uint64(amount) << _AMOUNT)
            at += 1
    public.amount = 0
    return at


@kernel(rare=True)
def _list_given(game, rules, word, asked):
    """List a move for each card of the own city that can be given for the one that was chosen (R97)."""
    choice, clause, owner, trigger = game.choice, clause_of(word), owner_of(word), trigger_of(word)
    option, at = option_wanted(word), 0
    chosen = np.int64(rules.clause_options[clause]) + option
    move = asked | _OPTION | (np.uint64(option) << _HOW) | (np.uint64(1) << _GIVES)
    card = next_given(game, rules, chosen, owner, trigger, 0)
    while card >= 0:
        choice.moves[at] = move | (np.uint64(card + 1) << _PICKED)
        at += 1
        card = next_given(game, rules, chosen, owner, trigger, card + 1)
    recall_event(game.public, word)
    choice.count = at


@kernel(rare=True)
def _list_options(game, rules, word):
    """List the options that a city can choose (one move per target city if the option lets it choose a city), then
    declining; nothing if it has no option (R73)."""
    public, choice = game.public, game.choice
    clause, owner, trigger = clause_of(word), owner_of(word), trigger_of(word)
    asked = np.uint64(rules.clause_entry[clause]) | (np.uint64(rules.clause_number[clause]) << _CLAUSE)
    decider = decider_of(word)
    asked |= (np.uint64(trigger) << _TRIGGER) | (np.uint64((owner - decider) % public.seats) << _OWNER)
    choice.kind, choice.seat, choice.count = w.EFFECT, decider, 0
    if wanted_of(word) >= 0:
        _list_given(game, rules, word, asked)
        return
    cities = cities_met(public, rules, clause, owner, trigger)
    if cities == 0:
        return
    first = np.int64(rules.clause_options[clause])
    for option in range(first, rules.clause_options[clause + 1]):
        if rules.option_draw[option] >= 0 and game.asking.is_drawn == NOT_DRAWN:
            draw_cards(game, rules, option, owner, trigger)
    at = 0
    for option in range(first, rules.clause_options[clause + 1]):
        if rules.option_from[option]:
            move = asked | _OPTION | (np.uint64(option - first) << _HOW)
            at = _list_cards(game, rules, word, option, move, at)
            continue
        if rules.option_amount[option] >= 0:
            at = _list_amounts(game, rules, word, option, asked | _OPTION | (np.uint64(option - first) << _HOW), at)
            continue
        coins = _price(public, rules, option, decider, owner, trigger, np.int64(rules.clause_entry[clause]))
        if coins < 0:
            continue
        move = asked | _OPTION | (np.uint64(option - first) << _HOW) | (np.uint64(coins) << _COINS)
        if rules.clause_one[clause] == 0:
            choice.moves[at] = move
            at += 1
            continue
        for step in range(1, public.seats):
            city = (owner + step) % public.seats
            if cities >> city & 1:
                choice.moves[at] = move | (np.uint64(city + 1) << _CITY)
                at += 1
    if at and rules.clause_may[clause]:
        choice.moves[at] = asked | _DECLINE
        at += 1
    choice.count = at


@kernel
def _looks_at_pile(rules, clause):
    """Return whether an option of a clause involves the whole discard pile."""
    for option in range(rules.clause_options[clause], rules.clause_options[clause + 1]):
        if rules.option_from[option] == w.FROM_PILE and rules.option_draw[option] < 0:
            return True
    return False


@kernel(rare=True)
def list_next_decision(game, rules):
    """List the moves of the next pending decision that has any; return the player who decides, or NOBODY (R72)."""
    asking = game.asking
    while asking.count:
        place = first_pending(asking)
        word = asking.pending[place]
        recall_event(game.public, word)
        if clause_of(word) >= DRAW:
            list_drawn(game, rules, owner_of(word), clause_of(word) - DRAW, number_drawn(word))
        elif clause_of(word) >= KEEP:
            list_draft(game, rules, owner_of(word), clause_of(word) - KEEP)
        elif clause_of(word) >= RECRUIT:
            list_recruits(game, rules, owner_of(word), clause_of(word) - RECRUIT)
        else:
            _list_options(game, rules, word)
        if game.choice.count:
            decider = game.hidden.holder if decider_of(word) >= rules.players else decider_of(word)
            if clause_of(word) < RECRUIT and _looks_at_pile(rules, clause_of(word)):
                look_at_pile(game, rules, decider)
            if clause_of(word) < RECRUIT and rules.watches:
                watch_hands(game, rules, decider, clause_of(word))
            return decider
        drop_pending(asking, place)
    forget_event(game.public)
    return NOBODY


@kernel(rare=True)
def decide(game, rules, move):
    """Carry out the chosen option of the decision at hand, its price first (R74), or nothing; return whether there are
    coin losses."""
    public, asking = game.public, game.asking
    place = first_pending(asking)
    word = asking.pending[place]
    clause, owner, trigger = clause_of(word), owner_of(word), trigger_of(word)
    purchase = public.purchase
    drop_pending(asking, place)
    count_decision(game, decider_of(word), card_of(move))
    losing = False
    if KEEP <= clause < DRAW:
        keep(game, rules, owner, move)
    elif clause >= RECRUIT:
        if action_of(move) == w.CHOOSE:
            recruit(game, rules, owner, move)
    elif action_of(move) == w.CHOOSE:
        option = np.int64(rules.clause_options[clause]) + option_of(move)
        if rules.option_do[option] == w.DO_SWAP and not gives_of(move):
            ask_for_another(asking, place, word, picked_of(move), option_of(move))
            forget_event(public)
            return False
        first, paid, end = rules.option_first[option], rules.option_paid[option], rules.option_end[option]
        cities = 1 << city_of(move) if rules.clause_one[clause] else cities_met(public, rules, clause, owner, trigger)
        card, public.amount = picked_of(move), amount_of(move)
        if gives_of(move):
            card = wanted_of(word)
        if card >= 0:
            know_card(public, rules, owner, rules.option_from[option], card)
            how, order = public.event_how, public.event_order
        act_in(game, rules, clause, owner, decider_of(word), trigger, first, paid)
        if card >= 0:
            if gives_of(move):
                exchange(game, rules, option, owner, card, picked_of(move))
            else:
                losing = do_with_card(game, rules, option, owner, card)
            public.event_entry, public.event_how, public.purchase = card + 1, how, purchase
            public.event_order = order
        for step in range(public.seats):
            city = (owner + step) % public.seats
            if cities >> city & 1:
                own = rules.clause_each[clause] == w.WHOM_SELF
                act_in(game, rules, clause, owner, city, trigger if own else city, paid, end)
    forget_event(public)
    return losing
