"""What answers share in which every policy has the table to itself, on the same deals: skill and rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from wsim.lab.answer import Answer, recorded_provenance
from wsim.lab.repetition import Again, unlike

if TYPE_CHECKING:
    from wsim.lab.plan import Plan
    from wsim.lab.provenance import Provenance


class EachAlone(Answer):
    """An answer about some policies, each alone.

    Attributes
    ----------
    POLICIES: the key of the policies in its record. made: what made each policy's games.
    """

    POLICIES: ClassVar[str]
    made: tuple[Provenance, ...]

    @classmethod
    def identity(cls, record: Mapping[str, Any]) -> Any:
        """Return what tells an answer from others of its kind in the same folder."""
        return [record["question"], [one["digest"] for one in record["made"]]]

    @classmethod
    def flat_plan(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the plan of the first policy, with a seat for each of them."""
        policies = list(record[cls.POLICIES])
        return {**record["made"][0]["plan"], "policies": policies, "players": len(policies)}

    @classmethod
    def restored_plans(cls, record: Mapping[str, Any], how: Again) -> tuple[Plan, tuple[str, ...]]:
        """Return the plan of the first policy at a table of its own, and all policies as they are played here."""
        _ = [recorded_provenance(made) for made in record["made"]]
        seats, plan = record["made"][0]["plan"]["players"], how.restored(cls.flat_plan(record))
        return plan.replace(players=seats, policies=[plan.policies[0]]), plan.policies

    def made_unlike(self, record: Mapping[str, Any]) -> list[str]:
        """Say what was not the same about how the games of any policy were made."""
        pairs = zip(map(recorded_provenance, record["made"]), self.made, strict=False)
        return list(dict.fromkeys(remark for there, here in pairs for remark in unlike(there, here)))
