"""The search for a patch: measure and repair, race proposals, drop unneeded changes, prove the result.

Every step is determined by the goal and the seed. Deals for different purposes have different seeds, candidates of the
same step play the same deals, and the deals of a proof are not used in any earlier step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from wsim.balance.cells import Cell
from wsim.balance.conflicts import Z
from wsim.balance.evaluator import Evaluator
from wsim.balance.knobs import Patch, cost_of
from wsim.balance.proof import Proof, chance_of, games_needed, prove
from wsim.balance.repair import MAYBE, Aims, proposals, repaired, small_patches
from wsim.balance.sampling import Effects, Level

RACE = (0.2, 0.6, 1.5)  # games per heat, relative to the games that measure a patch
SURVIVORS = 0.4  # fraction of the field that enters the next heat
DRAWS = 6  # number of proposals drawn per starter
CLEARLY = 1.05  # a cheaper patch is preferred up to this multiple of the smallest deviation
FEW = 40  # maximum number of patches of one or two values to consider
LUCK = 1.0  # luck in the measured values that a proof's number of games allows for, in standard errors
FAIR, SURE = 0.5, 0.9  # minimum chance of a full proof for an attempt; for being preferred in the last attempt
LONGER = 10  # factor by which a check grows while its result is open


@dataclass(frozen=True)
class Candidate:
    """A patch that was measured on search deals.

    Attributes
    ----------
    cost: the cost of its changes.
    worst: the largest deviation, relative to the accepted range of its cell: 1 is at the bound.
    """

    patch: Patch
    level: Level
    cost: float
    worst: float


@dataclass
class PatchSearch:
    """The state of a search.

    Attributes
    ----------
    evaluator: measures patches. before: the level without a patch. effects: the effects of every option without a
        patch.
    idle: knobs without any effect. candidates: the last measurement of every measured patch.
    proofs: the attempts. failed: for patches whose proofs failed, their level on the deals of proof and check combined.
    over: whether no more attempts follow. passed_over: the number of patches of few values that were not measured.
    """

    evaluator: Evaluator
    before: Level | None = None
    effects: Effects | None = None
    idle: list[str] = field(default_factory=list)
    candidates: dict[Patch, Candidate] = field(default_factory=dict)
    proofs: list[tuple[Patch, Proof]] = field(default_factory=list)
    failed: dict[Patch, Level] = field(default_factory=dict)
    over: bool = False
    passed_over: int = 0

    @property
    def nearest_proof(self) -> tuple[Patch, Proof] | None:
        """The attempt that succeeded or came nearest; None before the first attempt."""
        return min(self.proofs, key=lambda attempt: attempt[1].bound(self.evaluator.cells), default=None)

    @property
    def best(self) -> Candidate | None:
        """The patch of the nearest proof; before the first proof, the patch nearest to the targets."""
        if self.nearest_proof is not None:
            return self.candidates[self.nearest_proof[0]]
        return min(self.candidates.values(), key=lambda candidate: (candidate.worst, candidate.cost), default=None)

    def run(self) -> None:
        """Run the search, and prove its result."""
        nearest = self._repair()
        winner = self._race(nearest)
        self._eliminate(winner)
        self.passed_over = self._try_small_patches(cost_of(self.evaluator.knobs, winner))
        self._prove()
        self.over = True

    # --- steps -----------------------------------------------------------------------------------------------------

    def _repair(self) -> Patch:
        """Measure and repair, round by round; return the patch with the smallest deviation."""
        evaluator, settings = self.evaluator, self.evaluator.goal.search
        patch: Patch = ()
        for number in range(settings.rounds + 1):
            level, effects = evaluator.linearised(patch, f"round {number}", settings.games, settings.replays)
            if number == 0:
                self.before, self.effects, self.idle = level, effects, evaluator.check_knobs(effects)
            self._note(patch, level)
            aims = Aims.of(evaluator.cells, level.error)
            if number == settings.rounds or not aims.excess(level.value):
                break
            patch, _ = repaired(evaluator.knobs, evaluator.options, patch, level, effects, aims)
            if patch in self.candidates:
                break
        return min(self.candidates.values(), key=lambda candidate: (candidate.worst, candidate.cost)).patch

    def _race(self, start: Patch) -> Patch:
        """Race patches near ``start`` on common deals, in heats of more and more games; return the winner."""
        evaluator, settings = self.evaluator, self.evaluator.goal.search
        level, effects = evaluator.linearised(start, "proposals", settings.games, settings.replays)
        seed = evaluator.sampler.seed("drawing proposals")
        drawn = proposals(evaluator.knobs, evaluator.options, start, level, effects, evaluator.cells, seed)
        field = list(dict.fromkeys([*self.candidates, *islice(drawn, DRAWS * settings.proposals)]))
        field = field[: len(self.candidates) + settings.proposals]
        for heat, part in enumerate(RACE):
            games = max(1, round(part * settings.games))
            measured = [self._note(patch, evaluator.level(patch, f"heat {heat}", games)) for patch in field]
            measured.sort(key=lambda candidate: (candidate.worst, candidate.cost))
            field = [candidate.patch for candidate in measured[: max(2, round(SURVIVORS * len(measured)))]]
        nearest = measured[0].worst
        near = [candidate for candidate in measured if candidate.worst <= max(CLEARLY * nearest, nearest)]
        return min(near, key=lambda candidate: candidate.cost).patch

    def _eliminate(self, patch: Patch) -> None:
        """Remove changes from a patch one by one, the least harmful first, for the table ``trade``."""
        evaluator, settings = self.evaluator, self.evaluator.goal.search
        while patch:
            level, effects = evaluator.linearised(patch, "elimination", settings.games, settings.replays)
            self._note(patch, level)
            knobs = evaluator.knobs
            bases = {knob.path: knob.base for knob in knobs}
            index_of = {
                (knobs[option.knob].path, option.value): number for number, option in enumerate(evaluator.options)
            }
            harm = [
                worst_of(evaluator.cells, level.value + effects.value[index_of[path, bases[path]]]) for path, _ in patch
            ]
            least = int(np.argmin(harm))
            patch = patch[:least] + patch[least + 1 :]
        level = evaluator.level((), "elimination", settings.games)
        self._note((), level)

    def _try_small_patches(self, dearer: float = math.inf) -> int:
        """Measure cheaper patches of one or two values that may meet the targets, which the other steps do not visit.

        Patches that may be within their bounds, given the accuracy of effects measured without a patch, are played on
        common deals: few at first, then as many as for any patch. Returns the number of such patches that were not
        measured.
        """
        evaluator, settings = self.evaluator, self.evaluator.goal.search
        assert self.before is not None
        assert self.effects is not None
        untried = small_patches(evaluator.knobs, evaluator.options, self.before, self.effects, evaluator.cells, dearer)
        untried = (
            patch
            for patch in untried
            if patch not in self.candidates or self.candidates[patch].level.games <= settings.games
        )
        field = list(islice(untried, FEW))
        for games in (max(1, round(RACE[0] * settings.games)), settings.games):
            measured = [self._note(patch, evaluator.level(patch, f"few {games}", games)) for patch in field]
            field = [candidate.patch for candidate in measured if self._chance(candidate.level, -MAYBE) >= FAIR]
        return sum(1 for _ in untried)

    def _prove(self) -> None:
        """Try to prove the cheapest patch with a fair chance; if that fails, try the next one, or the same one again.

        The last attempt prefers an almost certain patch. If no patch has a fair chance, the nearest one is tried; a
        patch that failed although its values were within bounds is tried again.
        """
        settings, cells = self.evaluator.goal.search, self.evaluator.cells
        alpha = settings.alpha / settings.proofs
        for attempt in range(1, settings.proofs + 1):
            last = attempt == settings.proofs
            chosen = self._provable(last=last)
            if chosen is None and self.failed:
                patch, known = min(self.failed.items(), key=lambda failure: worst_of(cells, failure[1].value))
                if worst_of(cells, known.value) >= 1:
                    return
                chosen = self.candidates[patch]
            elif chosen is None:
                chosen = min(self.pareto(), key=lambda candidate: candidate.worst)
            needed = games_needed(cells, chosen.level, alpha, luck=LUCK)
            games = settings.proof_games
            if needed is not None and not last and chosen.patch not in self.failed:
                games = min(needed, games)
            proof = prove(self.evaluator, chosen.patch, attempt, games)
            self.proofs.append((chosen.patch, proof))
            if proof.holds:
                return
            known = self.failed.get(chosen.patch, chosen.level)
            self.failed[chosen.patch] = _pooled(known, Level(proof.value, proof.error, games))

    def _provable(self, *, last: bool, widened: bool = False) -> Candidate | None:
        """Return the cheapest patch for which a proof with all its games has a fair chance, checked on separate deals.

        A chance also counts as fair if a luckier check would have made it fair. ``last``: a patch that is almost
        certain even if its check was lucky takes precedence, even if it is more expensive; if there is none, all
        patches of few values are considered.
        """
        fair = None
        for candidate in sorted(self.candidates.values(), key=lambda candidate: (candidate.cost, candidate.worst)):
            if fair is not None and self._chance(self.failed.get(candidate.patch, candidate.level), -LUCK) < SURE:
                continue  # not worth the games of a check
            known = self._checked(candidate)
            level = self.failed.get(candidate.patch, known.level)
            if self._chance(level, 0.0 if last else -LUCK) < FAIR:
                continue
            if not last or self._chance(level, LUCK) >= SURE:
                return known
            fair = fair or known
        if last and not widened:
            self._try_small_patches()
            return self._provable(last=True, widened=True)
        return fair

    def _checked(self, candidate: Candidate) -> Candidate:
        """Measure a candidate on deals that did not select it, and on more deals until the result is decisive.

        The result is decisive if a proof is almost certain even if the deals were lucky, or has no fair chance even if
        they were unlucky.
        """
        settings = self.evaluator.goal.search
        if candidate.patch in self.failed:
            return candidate
        games = settings.games
        while self._chance(candidate.level, -MAYBE) >= FAIR:
            candidate = self._note(candidate.patch, self.evaluator.level(candidate.patch, "check", games))
            if games >= settings.proof_games or self._chance(candidate.level, LUCK) >= SURE:
                break
            games = min(LONGER * games, settings.proof_games)
        return candidate

    def _chance(self, level: Level, luck: float = 0.0) -> float:
        """Estimate the chance that a full proof succeeds, given the measured values and their errors."""
        settings = self.evaluator.goal.search
        alpha = settings.alpha / settings.proofs
        return chance_of(self.evaluator.cells, level, alpha, settings.proof_games, luck)

    # --- what is known ---------------------------------------------------------------------------------------------

    def _note(self, patch: Patch, level: Level) -> Candidate:
        """Store a measurement of a patch, and return the candidate."""
        cost, worst = cost_of(self.evaluator.knobs, patch), worst_of(self.evaluator.cells, level.value)
        self.candidates[patch] = Candidate(patch, level, cost, worst)
        return self.candidates[patch]

    def not_excluded(self) -> list[Candidate]:
        """Return patches cheaper than the best one that have no interval entirely out of bounds, nearest first."""
        assert self.best is not None
        candidates = []
        for candidate in self.candidates.values():
            level = self.failed.get(candidate.patch, candidate.level)
            beyond = [cell.excess(value) for cell, value in zip(self.evaluator.cells, level.value, strict=True)]
            if candidate.cost < self.best.cost and not (np.array(beyond) > Z * level.error).any():
                candidates.append(replace(candidate, level=level, worst=worst_of(self.evaluator.cells, level.value)))
        return sorted(candidates, key=lambda candidate: (candidate.worst, candidate.cost))

    def pareto(self) -> list[Candidate]:
        """Return the candidates on the Pareto front of cost and deviation, cheapest first."""
        front: list[Candidate] = []
        for candidate in sorted(self.candidates.values(), key=lambda candidate: (candidate.cost, candidate.worst)):
            if not front or candidate.worst < front[-1].worst:
                front.append(candidate)
        return front


def _pooled(first: Level, second: Level) -> Level:
    """Pool two measurements of the same cells on separate deals."""
    weights = [np.maximum(level.error, 1e-12) ** -2.0 for level in (first, second)]
    total = weights[0] + weights[1]
    value = (weights[0] * first.value + weights[1] * second.value) / total
    return Level(value, total**-0.5, first.games + second.games)


def worst_of(cells: Sequence[Cell], value: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Return the largest deviation of any cell relative to its accepted range, where 1 is at a bound."""
    return max(1 + float(cell.excess(level)) / cell.reach for cell, level in zip(cells, value, strict=True))
