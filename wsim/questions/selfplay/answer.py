"""What answers share in which every policy has the table to itself, on the same deals: skill and rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

from wsim.game import find_game
from wsim.lab.answer import Answer, recorded_provenance
from wsim.lab.execution import Execution
from wsim.lab.provenance import Provenance
from wsim.lab.repetition import Again, unlike
from wsim.questions.deals import Arm, Arms, Features, Reading, in_blocks

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.plan import Plan

_Found = TypeVar("_Found", bound="SelfPlayAnswer")


class _Sums(Protocol):
    """What is added up over the games of all policies."""

    games: int

    def plus(self, features: Sequence[Features], /) -> Self: ...


_Adding = TypeVar("_Adding", bound=_Sums)


class SelfPlayAnswer(Answer):
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


@dataclass(frozen=True)
class SelfPlayTables:
    """A table of each policy's own, ready to play the games of a plan.

    Attributes
    ----------
    games: of each policy. ready: the plan of each table and its simulator. made: what makes the games of each.
    """

    games: int
    policies: tuple[str, ...]
    ready: tuple[tuple[Plan, Simulator], ...]
    made: tuple[Provenance, ...]

    @classmethod
    def of(cls, plan: Plan, policies: Sequence[str]) -> SelfPlayTables:
        """Make them ready."""
        prepare = find_game(plan.game).prepare
        plans = [plan.replace(policies=[name], rotate=False, picks=False, keep="seats") for name in policies]
        ready = tuple((one, prepare(one)) for one in plans)
        return cls(plan.games, tuple(policies), ready, tuple(Provenance.of(*one) for one in ready))

    def play(
        self,
        read: Reading,
        sums: _Adding,
        answer: Callable[[_Adding, str], _Found],
        block: int,
        execution: Execution,
    ) -> _Found:
        """Play the games of all tables, add up what is read off them, and return the answer.

        Parameters
        ----------
        answer: takes the sums and how it ended, ``done`` or ``interrupted``.
        block: games of each policy that are added at a time.

        Raises Interrupted on Ctrl-C with the answer so far.
        """
        arms = Arms(tuple(Arm(name, (one,)) for name, (_, one) in zip(self.policies, self.ready, strict=True)), read)
        blocks = [range(first, min(first + block, self.games)) for first in range(0, self.games, block)]
        with (
            execution.interruptible(lambda: answer(sums, "interrupted") if sums.games else None),
            execution.chunk_runner(list(self.ready)) as chunks_of,
            closing(in_blocks(arms.play, blocks, chunks_of)) as played,
        ):
            for games in played:
                sums = sums.plus(games)
                execution.report("deals", sums.games, self.games)
        return answer(sums, "done")
