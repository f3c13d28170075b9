"""The search for a patch: measure and repair, race proposals, drop what is not needed, prove what is left.

Every step is a function of the goal and the seed: deals of different purposes have different seeds, candidates of one
step play the same deals, and the deals of a proof are seen by nothing before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from wsim.balance.cells import Cell
from wsim.balance.evaluator import Evaluator
from wsim.balance.knobs import Patch, cost_of
from wsim.balance.proof import Proof, games_needed, prove
from wsim.balance.repair import Aims, few_values, proposals, repaired
from wsim.balance.sampling import Effects, Level

RACE = (0.2, 0.6, 1.5)  # games of the heats, next to those that measure a patch
SURVIVORS = 0.4  # part of the field that starts in the next heat
DRAWS = 6  # proposals drawn for each that starts
CLEARLY = 1.05  # times the smallest deviation up to which a cheaper patch is preferred
FEW = 40  # patches of one and two values that are looked at
LUCK = 1.0  # standard errors that the games of a proof allow for
MAYBE = 2.0  # standard errors up to which a patch may be within its bounds after all
LONGER = 10  # times the games of a check, where it does not tell


@dataclass(frozen=True)
class Candidate:
    """A patch that was measured on deals of the search.

    Attributes
    ----------
    cost: of its changes. worst: the largest deviation, in units of what its cell accepts: 1 is at the bound.
    """

    patch: Patch
    level: Level
    cost: float
    worst: float


@dataclass
class Search:
    """A search and what it knows so far.

    Attributes
    ----------
    evaluator: what measures. before: the level without a patch. effects: of every option next to no patch.
    idle: knobs that do nothing. candidates: every patch that was measured, the last measurement of each.
    proofs: attempts. failed: what is known of the patches of those that did not hold, from their deals and those of the
        check together. over: no attempt is to come.
    """

    evaluator: Evaluator
    before: Level | None = None
    effects: Effects | None = None
    idle: list[str] = field(default_factory=list)
    candidates: dict[Patch, Candidate] = field(default_factory=dict)
    proofs: list[tuple[Patch, Proof]] = field(default_factory=list)
    failed: dict[Patch, Level] = field(default_factory=dict)
    over: bool = False

    @property
    def nearest_proof(self) -> tuple[Patch, Proof] | None:
        """The attempt that holds, or else the one that came nearest; None before there is one."""
        return min(self.proofs, key=lambda one: one[1].bound(self.evaluator.cells), default=None)

    @property
    def best(self) -> Candidate | None:
        """The patch of the nearest proof; before there is one, the patch nearest to the targets."""
        if self.nearest_proof is not None:
            return self.candidates[self.nearest_proof[0]]
        return min(self.candidates.values(), key=lambda one: (one.worst, one.cost), default=None)

    def run(self) -> None:
        """Search and prove."""
        found = self._repair()
        winner = self._race(found)
        self._eliminate(winner)
        self._try_few(winner)
        self._prove()
        self.over = True

    # --- steps -----------------------------------------------------------------------------------------------------

    def _repair(self) -> Patch:
        """Measure and repair, round by round; return the patch that came nearest."""
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
        return min(self.candidates.values(), key=lambda one: (one.worst, one.cost)).patch

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
            measured.sort(key=lambda one: (one.worst, one.cost))
            field = [one.patch for one in measured[: max(2, round(SURVIVORS * len(measured)))]]
        nearest = measured[0].worst
        near = [one for one in measured if one.worst <= max(CLEARLY * nearest, nearest)]
        return min(near, key=lambda one: one.cost).patch

    def _eliminate(self, patch: Patch) -> None:
        """Take changes out of a patch one by one, the least harmful first: the list of changes against deviation."""
        evaluator, settings = self.evaluator, self.evaluator.goal.search
        while patch:
            level, effects = evaluator.linearised(patch, "elimination", settings.games, settings.replays)
            self._note(patch, level)
            knobs = evaluator.knobs
            bases = {knob.path: knob.base for knob in knobs}
            place = {(knobs[one.knob].path, one.value): number for number, one in enumerate(evaluator.options)}
            harm = [
                worst_of(evaluator.cells, level.value + effects.value[place[path, bases[path]]]) for path, _ in patch
            ]
            least = int(np.argmin(harm))
            patch = patch[:least] + patch[least + 1 :]
        level = evaluator.level((), "elimination", settings.games)
        self._note((), level)

    def _try_few(self, winner: Patch) -> None:
        """Measure the patches of one and two values that cost less than the winner and may do: no step passes by them.

        Those that are expected to be within their bounds, give or take what effects next to no patch are good for, are
        played on common deals, first a few, then as many as any patch.
        """
        evaluator, settings = self.evaluator, self.evaluator.goal.search
        assert self.before is not None
        assert self.effects is not None
        dearer = cost_of(evaluator.knobs, winner)
        found = few_values(evaluator.knobs, evaluator.options, self.before, self.effects, evaluator.cells, dearer)
        field = list(islice(found, FEW))
        for games in (max(1, round(RACE[0] * settings.games)), settings.games):
            measured = [self._note(patch, evaluator.level(patch, f"few {games}", games)) for patch in field]
            field = [one.patch for one in measured if self._expected(one.level, -MAYBE)]

    def _prove(self) -> None:
        """Try to prove the cheapest patch that can be, then the next, or the same with all games of a proof.

        Where none can be expected to, the nearest one is tried, and a patch that failed within its bounds once more.
        """
        settings, cells = self.evaluator.goal.search, self.evaluator.cells
        alpha = settings.alpha / settings.proofs
        for attempt in range(1, settings.proofs + 1):
            chosen = self._provable()
            if chosen is None and self.failed:
                patch, known = min(self.failed.items(), key=lambda one: worst_of(cells, one[1].value))
                if worst_of(cells, known.value) >= 1:
                    return
                chosen = self.candidates[patch]
            elif chosen is None:
                chosen = min(self.pareto(), key=lambda one: one.worst)
            needed = games_needed(cells, chosen.level, alpha, luck=LUCK)
            games = settings.proof_games
            if needed is not None and attempt < settings.proofs and chosen.patch not in self.failed:
                games = min(needed, games)
            proof = prove(self.evaluator, chosen.patch, attempt, games)
            self.proofs.append((chosen.patch, proof))
            if proof.holds:
                return
            known = self.failed.get(chosen.patch, chosen.level)
            self.failed[chosen.patch] = _together(known, Level(proof.value, proof.error, games))

    def _provable(self) -> Candidate | None:
        """Return the cheapest candidate that the games of a proof should suffice for, measured on deals of its own.

        Where a check does not tell, good or bad luck allowed for, a longer one does. After a proof that failed a patch
        is preferred that is provable even if it was lucky.
        """
        settings, likely = self.evaluator.goal.search, None
        longer = max(settings.games, min(LONGER * settings.games, settings.proof_games))
        for one in sorted(self.candidates.values(), key=lambda one: (one.cost, one.worst)):
            if one.patch in self.failed:
                if self._expected(self.failed[one.patch]):
                    return one
                continue
            checked = one
            for games in (settings.games, longer):
                told = games == longer and self._expected(checked.level, LUCK)
                if self._expected(checked.level, -MAYBE) and not told:
                    checked = self._note(one.patch, self.evaluator.level(one.patch, "check", games))
            if self._expected(checked.level, LUCK if self.failed else 0.0):
                return checked
            if likely is None and self._expected(checked.level):
                likely = checked
        return likely

    def _expected(self, level: Level, luck: float = 0.0) -> bool:
        """Say whether the games of a proof suffice for a patch that is where it was measured, or off by some luck."""
        settings = self.evaluator.goal.search
        needed = games_needed(self.evaluator.cells, level, settings.alpha / settings.proofs, luck=luck)
        return needed is not None and needed <= settings.proof_games

    # --- what is known ---------------------------------------------------------------------------------------------

    def _note(self, patch: Patch, level: Level) -> Candidate:
        """Remember a measurement of a patch."""
        cost, worst = cost_of(self.evaluator.knobs, patch), worst_of(self.evaluator.cells, level.value)
        self.candidates[patch] = Candidate(patch, level, cost, worst)
        return self.candidates[patch]

    def pareto(self) -> list[Candidate]:
        """Return the candidates than which none is both cheaper and nearer, cheapest first."""
        found: list[Candidate] = []
        for one in sorted(self.candidates.values(), key=lambda one: (one.cost, one.worst)):
            if not found or one.worst < found[-1].worst:
                found.append(one)
        return found


def _together(one: Level, other: Level) -> Level:
    """Return what two measurements on deals of their own say together."""
    weights = [np.maximum(level.error, 1e-12) ** -2.0 for level in (one, other)]
    total = weights[0] + weights[1]
    value = (weights[0] * one.value + weights[1] * other.value) / total
    return Level(value, total**-0.5, one.games + other.games)


def worst_of(cells: Sequence[Cell], value: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Return the largest deviation of some cells in units of what each accepts: 1 is at the bound, more is beyond."""
    return max(1 + float(cell.excess(one)) / cell.reach for cell, one in zip(cells, value, strict=True))
