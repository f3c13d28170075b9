"""What learned nets say of themselves: by which deals, at which tables and from how many decisions they learned."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.learn.learning_plan import LearningPlan

if TYPE_CHECKING:
    from wsim.policies.nets import LearnedNet


def learned_from(net: LearnedNet) -> dict[str, Any]:
    """Return what a net learned from, as a row: seed, start, rounds, decisions, tables, changes, digest.

    ``decisions`` are those of all its rounds, ``tables`` has them by rule set and players; of a net that says nothing
    that this version of wsim reads, there is only the digest.
    """
    about, plan = net.about, None
    with suppress(UserError):
        plan = LearningPlan.restore(_mapping(about.get("plan")), "the net")
    found: dict[str, Any] = {"seed": None, "start": "", "rounds": 0, "decisions": 0, "tables": {}, "changes": []}
    if plan is not None:
        number = about.get("round")
        rounds = plan.rounds[: number if isinstance(number, int) else None]
        shares = [(one.decisions, plan.shares(one)) for one in rounds]
        tables = {name.name: sum(round(count * of[name.name]) for count, of in shares) for name in plan.tables}
        found = {
            "seed": plan.seed,
            "start": plan.start,
            "rounds": len(rounds),
            "decisions": sum(one.decisions for one in rounds),
            "tables": {name: count for name, count in tables.items() if count},
            "changes": [*([plan.cards] if plan.cards else []), *plan.patch, *plan.set],
        }
    return {**found, "digest": net.digest.hex()[:12]}


def _mapping(of: Any) -> Mapping[str, Any]:
    """Return a mapping, an empty one for anything else."""
    return of if isinstance(of, Mapping) else {}
