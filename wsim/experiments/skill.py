"""Skill as a dimension: the same figures for a ladder of players, each alone at the table, on the same deals.

Which cards and boards are strong in good hands only, and which in weak ones? Nothing is confounded by who sits where:
at a rung everybody plays alike. What a card goes with is observed all the same: whoever built it may have been better
off already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from wsim.errors import UserError, nearest
from wsim.experiments.skill_answer import Skill, answer_of
from wsim.experiments.skill_question import BETWEEN, GAMES, LADDER, SkillQuestion
from wsim.game import analyses_of, find_game
from wsim.lab.batch import usable_threads
from wsim.lab.cluster import check_cluster, players
from wsim.lab.keys import chosen, plan_keys
from wsim.lab.progress import Interrupted, Progress
from wsim.lab.provenance import Provenance
from wsim.options import keywords, taken
from wsim.stats.ladder import PARTS, LadderSums, RungGames
from wsim.stats.owner_tallies import OwnerTallies

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.game import Game, Simulator
    from wsim.lab.plan import Plan

__all__ = ["play_skill", "skill"]

_CHUNK = 1024  # games of each rung at a time: a few megabytes


@dataclass(frozen=True)
class _Things:
    """What is measured: the columns of things that a seat has or has not, or the columns whose levels it has one of.

    Attributes
    ----------
    columns: of the seats table. labels: what tells the rows of the answer apart, by column.
    """

    columns: tuple[str, ...]
    levels: bool
    labels: Mapping[str, Sequence[str]]

    def has(self, frame: pl.DataFrame, seats: int) -> NDArray[np.bool_]:
        """Return which seat has what, shape (things, games, seats)."""
        games = frame.height // seats
        if not self.levels:
            flags = [(frame[name] > 0 if frame[name].dtype.is_numeric() else frame[name]) for name in self.columns]
            return np.stack([flag.to_numpy().reshape(games, seats) for flag in flags])
        code = np.zeros(frame.height, np.int64)
        count = 1
        for name in self.columns:
            names = _categories(frame, name)
            code = code * len(names) + frame[name].to_physical().to_numpy().astype(np.int64)
            count *= len(names)
        found: NDArray[np.bool_] = np.arange(count)[:, None, None] == code.reshape(games, seats)
        return found


@dataclass(frozen=True)
class _Ladder:
    """The rungs, ready to play."""

    simulators: tuple[Simulator, ...]
    things: _Things

    def games(self, games: range) -> list[RungGames]:
        """Play the same games at every rung."""
        return [self._rung(simulator, games) for simulator in self.simulators]

    def _rung(self, simulator: Simulator, games: range) -> RungGames:
        rows = np.zeros(len(games) * simulator.seats, simulator.row_dtype)
        simulator.play(games.start, rows)
        frame = simulator.seats_frame(rows)
        shape = (len(games), simulator.seats)
        wins = np.rint(frame["win_share"].to_numpy().astype(np.float64) * PARTS).astype(np.int32).reshape(shape)
        there = frame["rank"].to_numpy() > 0 if "rank" in frame.columns else np.ones(frame.height, bool)
        return RungGames.of(self.things.has(frame, simulator.seats), there.reshape(shape), wins)


def _categories(frame: pl.DataFrame, name: str) -> list[str]:
    return cast("pl.Enum", frame.schema[name]).categories.to_list()


@keywords(SkillQuestion, plan_keys())
def skill(plan: Plan | None = None, /, *, threads: int | None = None, cluster: str | None = None, **keys: Any) -> Skill:
    """Return what cards or boards are worth at each rung of a ladder of players, and how that changes.

    Parameters
    ----------
    plan, keys: as for ``simulate``, ``games`` of each rung (20,000); the policies do not matter.
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
    """Play a plan's games at every rung; see ``skill``. ``progress`` is told of the deals."""
    check_cluster(cluster, threads)
    usable_threads(threads)  # refuses what cannot be
    game: Game = find_game(plan.game)
    rungs = _rungs(plan, game, question)
    between = _between(question, rungs)
    plans = [plan.replace(policies=[rung], rotate=False, picks=False, keep="seats") for rung in rungs]
    simulators: tuple[Simulator, ...] = tuple(map(game.prepare, plans))
    ladder = _Ladder(simulators, _things(game, question.what, simulators[0]))
    sums = LadderSums(_count(ladder.things), len(rungs), levels=ladder.things.levels)
    made = tuple(Provenance.of(one, simulator) for one, simulator in zip(plans, simulators, strict=True))
    parts = [range(first, min(first + _CHUNK, plan.games)) for first in range(0, plan.games, _CHUNK)]

    def answer(*, interrupted: bool) -> Skill:
        return answer_of(sums, question.record(), ladder.things.labels, rungs, between, made, interrupted=interrupted)

    try:
        with (
            players(cluster, list(zip(plans, simulators, strict=True)), threads) as chunks_of,
            closing(chunks_of(ladder.games, parts)) as played,
        ):
            for games in played:
                sums = sums.plus(games)
                if progress is not None:
                    progress("deals", sums.games, plan.games)
    except KeyboardInterrupt:
        raise Interrupted(answer(interrupted=True) if sums.games else None) from None
    return answer(interrupted=False)


def _rungs(plan: Plan, game: Game, question: SkillQuestion) -> tuple[str, ...]:
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


def _between(question: SkillQuestion, rungs: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of rungs between which changes are shown; UserError for what is not on the ladder."""
    named = question.between
    if named:
        if len(named) != 2 or named[0] == named[1]:
            raise UserError(f"--between takes two rungs, the weaker first, not {','.join(named)!r}")
        for name in named:
            if name not in rungs:
                raise UserError(f"{name!r} is not on the ladder {','.join(rungs)}{nearest(name, rungs)}")
    usual = named or (BETWEEN if set(BETWEEN) <= set(rungs) else ())
    whole = (0, len(rungs) - 1)
    more = [(rungs.index(usual[0]), rungs.index(usual[1]))] if usual else []
    return list(dict.fromkeys([whole, *more]))


def _things(game: Game, what: str, simulator: Simulator) -> _Things:
    """Return what a table of a game is about; UserError for one that a ladder cannot be asked."""
    sample = simulator.seats_frame(np.zeros(0, simulator.row_dtype))
    found: dict[str, _Things] = {}
    for name, analysis in analyses_of(game).items():
        if isinstance(analysis.sums, OwnerTallies):
            prefix = analysis.sums.prefix
            columns = tuple(column for column in sample.columns if column.startswith(prefix))
            labels = {game.OWNED[prefix]: [column.removeprefix(prefix) for column in columns]}
            found[name] = _Things(columns, levels=False, labels=labels)
        elif analysis.sums is not None and analysis.by and "policy" not in analysis.by:
            levels = list(product(*(_categories(sample, column) for column in analysis.by)))
            labels = dict(zip(analysis.by, map(list, zip(*levels, strict=True)), strict=True))
            found[name] = _Things(tuple(analysis.by), levels=True, labels=labels)
    if what not in found:
        raise UserError(
            f"skill is told of {' or '.join(found) or 'nothing'} in {game.NAME}, not {what!r}{nearest(what, found)}"
        )
    return found[what]


def _count(things: _Things) -> int:
    return len(next(iter(things.labels.values())))
