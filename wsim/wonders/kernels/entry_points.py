"""Kernels that Python calls individually; separate from the modules they serve, so that a run does not compile them."""

from __future__ import annotations

from wsim.jit import kernel, types
from wsim.wonders.kernels.layout import Public, Rules, Solver
from wsim.wonders.kernels.payment import pay, prepare_payer
from wsim.wonders.kernels.prices import pay_changed
from wsim.wonders.kernels.scoring import best_wild


@kernel(types.int64(Public, Solver, types.int64, types.uint64, types.int64, types.int64))
def pay_entry(public, solver, seat, cost, bank, purse):
    """Call the payment solver from Python."""
    prepare_payer(public, solver, seat)
    return pay(public, solver, seat, cost, bank, purse)


@kernel(types.int64(Public, Rules, Solver, types.int64, types.int64, types.int64))
def pay_changed_entry(public, rules, solver, seat, entry, purse):
    """Call the payment solver from Python for a structure or stage at the prices that clauses change (R75)."""
    prepare_payer(public, solver, seat)
    return pay_changed(public, rules, solver, public, seat, entry, purse)


@kernel(types.int64(types.int64, types.int64, types.int64, types.int64))
def science_entry(compass, gear, tablet, wild):
    """Call the science scoring from Python."""
    return best_wild(compass, gear, tablet, wild)
