"""Shared code of answers from self-play: tables at which one policy plays all seats, and their provenance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

from wsim.game import find_game
from wsim.lab.answer import Answer, recorded_provenance
from wsim.lab.execution import Execution
from wsim.lab.provenance import Provenance
from wsim.lab.repetition import RepetitionSettings, unlike
from wsim.questions.deals import Arm, Arms, Features, Reading, in_blocks
from wsim.stats.precision import stages

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.plan import Plan

_Found = TypeVar("_Found", bound="SelfPlayAnswer")


class _Sums(Protocol):
    """Sums over the games of all policies."""

    games: int

    def plus(self, features: Sequence[Features], /) -> Self: ...


_Adding = TypeVar("_Adding", bound=_Sums)


class SelfPlayAnswer(Answer):
    """An answer about policies in self-play.

    Attributes
    ----------
    POLICIES: the key of the policies in the answer's record. made: the provenance of the games of each policy.
    """

    POLICIES: ClassVar[str]
    made: tuple[Provenance, ...]

    @classmethod
    def identity(cls, record: Mapping[str, Any]) -> Any:
        """Return the fields that distinguish an answer from other answers of its kind in a folder."""
        return [record["question"], [made["digest"] for made in record["made"]]]

    @classmethod
    def flat_plan(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the plan of the first policy, with one seat per policy."""
        policies = list(record[cls.POLICIES])
        return {**record["made"][0]["plan"], "policies": policies, "players": len(policies)}

    @classmethod
    def restored_plans(cls, record: Mapping[str, Any], how: RepetitionSettings) -> tuple[Plan, tuple[str, ...]]:
        """Restore the self-play plan of the first policy, and all policies."""
        _ = [recorded_provenance(made) for made in record["made"]]
        seats, plan = record["made"][0]["plan"]["players"], how.restored(cls.flat_plan(record))
        return plan.replace(players=seats, policies=[plan.policies[0]]), plan.policies

    def provenance_differences(self, record: Mapping[str, Any]) -> list[str]:
        """Describe how the settings of the games differ, for any of the policies."""
        pairs = zip(map(recorded_provenance, record["made"]), self.made, strict=False)
        return list(dict.fromkeys(remark for recorded, current in pairs for remark in unlike(recorded, current)))


@dataclass(frozen=True)
class SelfPlayTables:
    """One self-play table per policy, ready to play the games of a plan.

    Attributes
    ----------
    games: the number of games per policy. ready: plan and simulator of each table. made: the provenance of each table's
        games.
    """

    games: int
    policies: tuple[str, ...]
    ready: tuple[tuple[Plan, Simulator], ...]
    made: tuple[Provenance, ...]

    @classmethod
    def of(cls, plan: Plan, policies: Sequence[str]) -> SelfPlayTables:
        """Prepare the self-play table of each policy."""
        prepare = find_game(plan.game).prepare
        plans = [plan.replace(policies=[name], rotate=False, picks=False, keep="seats") for name in policies]
        ready = tuple((table, prepare(table)) for table in plans)
        return cls(plan.games, tuple(policies), ready, tuple(Provenance.of(*pair) for pair in ready))

    def play(
        self,
        read: Reading,
        sums: _Adding,
        answer: Callable[[_Adding, str], _Found],
        block: int,
        execution: Execution,
        within: float | None = None,
        widest: Callable[[_Found], float] = lambda _: 0.0,
    ) -> _Found:
        """Play the games of all tables, sum their features, and return the answer.

        Parameters
        ----------
        answer: called with the sums and the reason why playing stopped, ``done`` or ``interrupted``.
        block: the number of games per policy that are added at a time.
        within: the half width for which more games than planned are played; widest: returns the half width of an
            answer.

        Raises Interrupted on Ctrl-C with the answer so far.
        """
        arms = Arms(
            tuple(Arm(name, (simulator,)) for name, (_, simulator) in zip(self.policies, self.ready, strict=True)), read
        )

        def half() -> float:
            return widest(answer(sums, "done"))

        with (
            execution.interruptible(lambda: answer(sums, "interrupted") if sums.games else None),
            execution.chunk_runner(list(self.ready)) as chunks_of,
        ):
            for stage in stages(self.games, within, half):
                blocks = [range(first, min(first + block, stage.stop)) for first in stage[::block]]
                with closing(in_blocks(arms.play, blocks, chunks_of)) as played:
                    for games in played:
                        sums = sums.plus(games)
                        execution.report("deals", sums.games, stage.stop)
        return answer(sums, "done")
