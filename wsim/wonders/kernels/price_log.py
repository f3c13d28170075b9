"""Price changes by clauses, in the log of a game."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.wonders import words as w
from wsim.wonders.kernels.clause_owners import related
from wsim.wonders.kernels.formula import evaluate
from wsim.wonders.kernels.log import log_effect
from wsim.wonders.kernels.moves import action_of, card_of, how_of, left_of, right_of
from wsim.wonders.kernels.prices import applies, know_next, seller_of


@kernel(rare=True)
def log_prices(game, rules, payer, move):
    """Log the price changes by clauses for a move that pays; unit prices only for neighbours that receive coins."""
    public, action = game.public, action_of(move)
    if action > w.STAGE or how_of(move) != w.PAID:
        return
    entry = card_of(move)
    if action == w.STAGE:
        entry = np.int64(rules.stage_entry[public.side[payer], public.stages[payer]])
    before, how, order = public.event_entry, public.event_how, public.event_order
    know_next(public, rules, payer, entry)
    of_cost = w.ON_CARD_COST if entry < w.STAGE_ENTRY else w.ON_STAGE_COST
    for trigger in (of_cost, w.ON_TRADE_COST):
        for owner in range(public.seats):
            for clause in range(rules.clause_from[trigger], rules.clause_from[trigger + 1]):
                if not applies(public, rules, trigger, clause, owner, payer, entry):
                    continue
                for side in range(w.NEIGHBOR_SEATS if trigger == w.ON_TRADE_COST else 1):
                    other = payer
                    if trigger == w.ON_TRADE_COST:
                        seller = seller_of(public, payer, side)
                        if (right_of(move) if side else left_of(move)) == 0:
                            continue
                        if not related(public, rules, owner, seller, rules.clause_seller[clause]):
                            continue
                        other = seller if payer == owner else payer
                    _log_clause(game, rules, clause, owner, other, payer)
    public.event_entry, public.event_how, public.event_order = before, how, order


@kernel
def _log_clause(game, rules, clause, owner, other, payer):
    """Log the changes of one clause, if its condition is true."""
    public, condition = game.public, rules.clause_if[clause]
    if condition >= 0 and not evaluate(public, rules, condition, owner, other):
        return
    for at in range(rules.clause_actions[clause], rules.clause_actions[clause + 1]):
        amount = evaluate(public, rules, np.int64(rules.action_amount[at]), owner, other)
        if amount:
            log_effect(game, owner, at, payer, amount)
