"""A game for the tests of the laboratory: it keeps the promises of ``wsim.game`` with numpy alone.

Each seat draws a score from a hash of (seed, game, seat, policy). The option ``pause`` sleeps in every game, ``fail``
raises in one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import wsim.game
from wsim.errors import UserError, nearest

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.lab.store import Run
    from wsim.stats.tables import Table

NAME = "toy"
OPTIONS: Mapping[str, str] = {
    "pause": "seconds to sleep in every game",
    "fail": "the number of a game that cannot be played",
    "wonders": "a name that means nothing",
}
PICKS = 3  # decisions of a seat in one game
ROW = np.dtype([("game", "u8"), ("seat", "u1"), ("policy", "u1"), ("total", "i4"), ("win_share", "f4")])
PICK = np.dtype([("game", "u8"), ("seat", "u1"), ("turn", "u1"), ("choice", "u1")])
POLICIES = ("bold", "random", "shy")


def default_plan(ruleset: str | None = None) -> Mapping[str, Any]:
    return {"ruleset": "toy-1e", "players": 4, "policies": "bold,shy,random,bold", "wonders": "random"}


def policies() -> Sequence[Mapping[str, Any]]:
    return [
        {"name": "bold", "kind": "fixed", "idea": "more is more", "parameters": "", "source": "", "random": False},
        {"name": "random", "kind": "baseline", "idea": "no idea", "parameters": "x=0", "source": "", "random": True},
        {"name": "shy", "kind": "fixed", "idea": "less is more", "parameters": "", "source": "", "random": False},
    ]


def by_policy(run: Run) -> pl.DataFrame:
    import polars as pl

    means = run.seats.group_by("policy").agg(pl.len().alias("n"), pl.col("total").mean().alias("mean_total"))
    return means.with_columns(pl.col("policy").cast(pl.String)).sort("policy").collect()


def table_by_policy(run: Run, by: Sequence[str] = ()) -> Table:
    from wsim.stats.tables import Table

    if by:
        raise UserError(f"the table of the toy game cannot be split by {', '.join(by)}")
    return Table(by_policy(run), "Wonders", "A note.")


def tables() -> Mapping[str, Callable[[Run, Sequence[str]], Table]]:
    return {"wonders": table_by_policy}


def summary(run: Run) -> list[tuple[str, pl.DataFrame]]:
    return [("Policies", by_policy(run))]


def prepare(plan: Plan) -> ToySimulator:
    if plan.ruleset not in ("toy-1e", "toy-2e"):
        raise UserError(f"unknown rule set {plan.ruleset!r}{nearest(plan.ruleset, ('toy-1e', 'toy-2e'))}")
    if not 3 <= plan.players <= 7:
        raise UserError(f"toy is for 3 to 7 players, not {plan.players}")
    for entry in plan.line_up:
        if entry.name not in POLICIES:
            raise UserError(f"unknown policy {entry.name!r}{nearest(entry.name, POLICIES)}")
    return ToySimulator(plan)


def mixed(words: NDArray[Any]) -> NDArray[Any]:
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[Any] = words ^ (words >> np.uint64(31))
    return result


class ToySimulator:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.seats = plan.players
        self.row_dtype = ROW
        self.pick_dtype = PICK
        self.picks_per_game = self.seats * PICKS
        names = [entry.name for entry in plan.line_up]
        self.line_up = [POLICIES.index(name) for name in names] * (1 if len(names) > 1 else self.seats)

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        count = len(rows) // self.seats
        if "pause" in self.plan.options:
            time.sleep(float(self.plan.options["pause"]) * count)
        if first <= int(self.plan.options.get("fail", -1)) < first + count:
            raise UserError(f"game {self.plan.options['fail']} cannot be played")
        games = np.repeat(np.arange(first, first + count, dtype=np.uint64), self.seats)
        seats = np.tile(np.arange(self.seats, dtype=np.uint64), count)
        turned = (seats + games) % np.uint64(self.seats) if self.plan.rotate else seats
        rows["game"], rows["seat"] = games, seats
        rows["policy"] = np.array(self.line_up)[turned.astype(np.int64)]
        start = np.uint64(self.plan.seed) + games * np.uint64(1024) + seats * np.uint64(16)
        rows["total"] = (mixed(start) % np.uint64(60)).astype(np.int32) + rows["policy"]
        totals = rows["total"].reshape(count, self.seats)
        best = totals == totals.max(axis=1, keepdims=True)
        rows["win_share"] = (best / best.sum(axis=1, keepdims=True)).reshape(-1)
        return self._decide(start, games, seats, picks) if picks is not None else 0

    def _decide(self, start: NDArray[Any], games: NDArray[Any], seats: NDArray[Any], picks: NDArray[Any]) -> int:
        """A seat with an odd hash skips its last decision: games have different numbers of picks."""
        turns = np.tile(np.arange(PICKS, dtype=np.uint64), len(games))
        words = mixed(np.repeat(start, PICKS) + turns + np.uint64(1))
        kept = ~((turns == PICKS - 1) & (np.repeat(mixed(start), PICKS) % np.uint64(2) == 1))
        written = int(kept.sum())
        for name, values in (("game", games), ("seat", seats)):
            picks[name][:written] = np.repeat(values, PICKS)[kept]
        picks["turn"][:written], picks["choice"][:written] = turns[kept], words[kept] % np.uint64(5)
        return written

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        import polars as pl

        names = pl.Series(POLICIES, dtype=pl.Enum(POLICIES))
        columns = {name: np.ascontiguousarray(rows[name]) for name in ROW.names or ()}
        return pl.DataFrame(columns).with_columns(policy=names.gather(columns["policy"]))

    def picks_frame(self, picks: NDArray[Any]) -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame({name: np.ascontiguousarray(picks[name]) for name in PICK.names or ()})

    def trace(self, number: int) -> dict[str, Any]:
        rows = np.zeros(self.seats, ROW)
        self.play(number, rows)
        seats = [{"seat": int(row["seat"]), "total": int(row["total"])} for row in rows]
        return {"format": "wsim-trace/1", "game": NAME, "seed": self.plan.seed, "index": number, "scores": seats}

    def text(self, trace: Mapping[str, Any]) -> str:
        return f"Game {trace['index']}: " + ", ".join(str(seat["total"]) for seat in trace["scores"])

    def provenance(self) -> dict[str, Any]:
        return {"catalogue": {"source": "toy", "digest": "0123"}, "assumed": []}


def register() -> Mapping[str, str]:
    """Put the toy game in front of the games, where the default is; return the games as they were."""
    games = wsim.game.GAMES
    assert isinstance(games, dict)
    before = dict(games)
    games.clear()
    games.update({NAME: __name__, **before})
    return before


if __name__ == "__main__":  # the command line of wsim with the toy game, for tests that need a process
    from tests.games import toy_game
    from wsim.cli.app import main

    toy_game.register()
    main()
