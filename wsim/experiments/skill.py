"""Skill as a dimension: the same figures for a ladder of players, each alone at the table, on the same deals.

Which cards and boards are strong in good hands only, and which in weak ones? Nothing is confounded by who sits where:
at a level everybody plays alike. What a card goes with is observed all the same: whoever built it may have been better
off already.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from itertools import product
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest
from wsim.experiments.deals import Arm, Arms, in_blocks, sample
from wsim.experiments.skill_answer import Skill, answer_of
from wsim.experiments.skill_question import BETWEEN, GAMES, LADDER, SkillQuestion
from wsim.experiments.skill_sums import SkillSums, Things, names_of
from wsim.game import analyses_of, find_game
from wsim.lab.batch import usable_threads
from wsim.lab.cluster import check_cluster, players
from wsim.lab.keys import chosen, plan_keys
from wsim.lab.progress import Interrupted, Progress
from wsim.lab.provenance import Provenance
from wsim.options import keywords, taken
from wsim.stats.owner_tallies import OwnerTallies

if TYPE_CHECKING:
    from wsim.game import Game, Simulator
    from wsim.lab.plan import Plan

__all__ = ["play_skill", "skill"]

_BLOCK = 1024  # games of each level at a time: a few megabytes


@keywords(SkillQuestion, plan_keys)
def skill(plan: Plan | None = None, /, *, threads: int | None = None, cluster: str | None = None, **keys: Any) -> Skill:
    """Return what cards or boards are worth at each level of a ladder of players, and how that changes.

    Parameters
    ----------
    plan, keys: as for ``simulate``, ``games`` of each level (20,000); the policies do not matter.
    threads: how many threads play. cluster: play on these workers instead, ``local:4`` or ``tcp://host:8786``.

    Raises UserError for what cannot be asked, Interrupted on Ctrl-C with the answer so far.

    >>> wsim.skill(what="wonders", ladder=["random", "balanced"], games=5000).table()  # doctest: +SKIP
    """
    question = taken(keys, SkillQuestion)
    return play_skill(chosen(plan, keys, games=GAMES), question, threads=threads, cluster=cluster)


def play_skill(
    plan: Plan,
    question: SkillQuestion,
    *,
    threads: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Skill:
    """Play a plan's games at every level; see ``skill``. ``progress`` is told of the deals."""
    check_cluster(cluster, threads)
    usable_threads(threads)  # refuses what cannot be
    game: Game = find_game(plan.game)
    levels = _levels(plan, game, question)
    between = _between(question, levels)
    plans = [plan.replace(policies=[level], rotate=False, picks=False, keep="seats") for level in levels]
    simulators: tuple[Simulator, ...] = tuple(map(game.prepare, plans))
    things = _things(game, question.what, simulators[0])
    ladder = Arms(tuple(Arm(name, (one,)) for name, one in zip(levels, simulators, strict=True)), things)
    sums = SkillSums(len(things), len(levels), grouped=things.grouped)
    made = tuple(Provenance.of(one, simulator) for one, simulator in zip(plans, simulators, strict=True))
    blocks = [range(first, min(first + _BLOCK, plan.games)) for first in range(0, plan.games, _BLOCK)]

    def answer(*, interrupted: bool) -> Skill:
        return answer_of(sums, question.record(), things.labels, levels, between, made, interrupted=interrupted)

    try:
        with (
            players(cluster, list(zip(plans, simulators, strict=True)), threads) as chunks_of,
            closing(in_blocks(ladder.play, blocks, chunks_of)) as played,
        ):
            for games in played:
                sums = sums.plus(games)
                if progress is not None:
                    progress("deals", sums.games, plan.games)
    except KeyboardInterrupt:
        raise Interrupted(answer(interrupted=True) if sums.games else None) from None
    return answer(interrupted=False)


def _levels(plan: Plan, game: Game, question: SkillQuestion) -> tuple[str, ...]:
    """Return the policies of the ladder as each is written; UserError unless there are two at least."""
    known = [str(row["name"]) for row in game.policies()]
    named = question.ladder or tuple(name for name in LADDER if name in known)
    found = [one for name in named for one in plan.replace(players=1, policies=[name]).policies]
    for place, name in enumerate(found):
        if name in found[:place]:
            raise UserError(f"{name!r} is on the ladder twice")
    if len(found) < 2:
        raise UserError(f"a ladder has two policies or more, the weakest first, as in --ladder {','.join(known[:2])}")
    return tuple(found)


def _between(question: SkillQuestion, levels: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of levels between which changes are shown; UserError for what is not on the ladder."""
    named = question.between
    if named:
        if len(named) != 2 or named[0] == named[1]:
            raise UserError(f"--between takes two rungs, the weaker first, not {','.join(named)!r}")
        for name in named:
            if name not in levels:
                raise UserError(f"{name!r} is not on the ladder {','.join(levels)}{nearest(name, levels)}")
    usual = named or (BETWEEN if set(BETWEEN) <= set(levels) else ())
    whole = (0, len(levels) - 1)
    more = [(levels.index(usual[0]), levels.index(usual[1]))] if usual else []
    return list(dict.fromkeys([whole, *more]))


def _things(game: Game, what: str, simulator: Simulator) -> Things:
    """Return what a table of a game is about; UserError for one that a ladder cannot be asked."""
    columns = sample(simulator)
    found: dict[str, Things] = {}
    for name, analysis in analyses_of(game).items():
        if isinstance(analysis.sums, OwnerTallies):
            prefix = analysis.sums.prefix
            own = tuple(column for column in columns.columns if column.startswith(prefix))
            labels = {game.OWNED[prefix]: [column.removeprefix(prefix) for column in own]}
            found[name] = Things(own, grouped=False, labels=labels)
        elif analysis.sums is not None and analysis.by and "policy" not in analysis.by:
            groups = list(product(*(names_of(columns, column) for column in analysis.by)))
            labels = dict(zip(analysis.by, map(list, zip(*groups, strict=True)), strict=True))
            found[name] = Things(tuple(analysis.by), grouped=True, labels=labels)
    if what not in found:
        raise UserError(
            f"skill is told of {' or '.join(found) or 'nothing'} in {game.NAME}, not {what!r}{nearest(what, found)}"
        )
    return found[what]
