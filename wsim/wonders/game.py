"""7 Wonders as the laboratory sees it (the protocol of wsim/game.py): plans made ready, chunks, frames, traces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest
from wsim.wonders.catalog import Catalogue, load_catalogue, ruleset_names

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.lab.store import Run
    from wsim.stats.tables import Table as StatsTable

__all__ = [
    "BRIEF",
    "NAME",
    "OPTIONS",
    "WondersTable",
    "chains",
    "cold",
    "default_plan",
    "policies",
    "prepare",
    "summary",
    "tables",
]

NAME = "seven_wonders"
OPTIONS: Mapping[str, str] = {
    "wonders": "boards: random, balanced, one per seat such as Gizah,random,Rhodos, or rotate:Gizah,random,Rhodos",
    "sides": "sides of the boards: random, one for all (A, B, day, night) or one per seat",
    "explore": "chance, for all seats or by seat, that a pick is replaced by a uniform one (pick experiments)",
    "ban": "what a seat may not do, as seat=thing,...;...: trade, stages, sell, a colour or a card",
}
COMPILE_SECONDS = 25.0
_POINTS = tuple(
    f"points_{name}"
    for name in ("military", "treasury", "wonder", "civilian", "science", "commerce", "guild", "cities")
)
BRIEF: Mapping[str, tuple[str, ...]] = {
    "policies": ("policy", "n", "win_share", "score", *_POINTS),
    "wonders": ("wonder", "side", "n", "win_share", "score", *_POINTS),
    "cards": (
        *("card", "color", "age", "n", "built_share", "taken_share", "last_seen", "win_share"),
        *("win_difference", "win_q", "score_difference"),
    ),
}
"""Main columns of the tables: what is shown unless all are asked for."""
BEST, WORST = 10, 5  # cards that the summary shows
PICKS_PER_SEAT = 40  # 21 turns, last cards and builds from the discard pile; losses are not picks


def default_plan(ruleset: str | None = None) -> Mapping[str, Any]:
    """Return the defaults of a plan: first edition, four players (two where a rule set is for two), a mixed line-up."""
    return {
        "ruleset": "1e",
        "players": 2 if ruleset and ruleset.endswith("duo") else 4,
        "policies": ("balanced", "military", "science", "civilian"),
        "rotate": True,
    }


def cold() -> float | bool:
    """Return about how many seconds the kernels take to compile, or False where they are compiled already."""
    from wsim.jit import cache_is_cold

    return COMPILE_SECONDS if cache_is_cold("wonders.kernels", "play_chunk") else False


def policies() -> Sequence[Mapping[str, Any]]:
    """Return the registry of policies as rows (``wsim policies``)."""
    from wsim.wonders.registry import policies as rows

    return rows()


def catalogue_of(plan: Plan) -> Catalogue:
    """Return the catalogue that a plan plays by."""
    return load_catalogue(plan.ruleset, cards=plan.cards, patches=plan.patch, changes=plan.set)


class WondersTable:
    """A plan of 7 Wonders made ready to play."""

    def __init__(self, plan: Plan) -> None:
        from wsim.wonders.catalog.compiling import compile_tables
        from wsim.wonders.kernels.layout import PICK, ROW
        from wsim.wonders.registry import resolve
        from wsim.wonders.seating import compile_seating

        self.plan = plan
        self.catalogue = catalogue_of(plan)
        _check_players(plan, self.catalogue)
        self._tables = compile_tables(self.catalogue, plan.players)
        self.seats = int(self._tables[0].seats)
        self.row_dtype = ROW
        self.pick_dtype = PICK
        self.picks_per_game = PICKS_PER_SEAT * self.seats
        self._line_up = resolve(plan.policies, plan.players)
        parameters, weights = self._line_up.parameters, self._line_up.weights
        self._seating = compile_seating(plan, self.catalogue, plan.players, parameters, weights)

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        """Play ``len(rows) // seats`` games numbered from ``first``; see ``wsim.game.Table.play``."""
        return self._play(first, rows, picks)[0]

    def _play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None) -> tuple[int, Any]:
        import numpy as np

        from wsim.wonders.kernels.engine import play_chunk
        from wsim.wonders.kernels.layout import GAME, PICK

        game = np.zeros(1, GAME).view(np.recarray)
        picks = np.zeros(0, PICK) if picks is None else picks
        with np.errstate(over="ignore"):  # random numbers wrap around, as they must
            arguments = (game[0], self._tables[0], self._seating[0], self._line_up.functions, first)
            try:
                written = int(play_chunk(*arguments, rows.view(np.recarray), picks.view(np.recarray)))
            except Exception as error:
                self._line_up.raise_failure(error)  # a user's policy that failed is named
                raise
        if written < 0:
            self._raise_for(game[0].hidden.error, -1 - written)
        return written, game[0]

    def _raise_for(self, error: Any, number: int) -> None:
        """Raise UserError for a policy that failed, or returned no legal index."""
        self._line_up.raise_failure()
        _, seat, index, count = (int(value) for value in error)
        shift = number % self.plan.players if self.plan.rotate else 0
        label = self._line_up.labels[(seat + shift) % self.plan.players]
        raise UserError(
            f"policy {label!r} returned {index} in game {number}, seat {seat}: "
            f"an index from 0 to {count - 1} into the list of legal moves is needed"
        )

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        """Return the seats table of these rows."""
        from wsim.wonders.frames import seats_frame

        return seats_frame(rows, self.catalogue, self._line_up.labels, self.plan.players, self.seats)

    def picks_frame(self, picks: NDArray[Any]) -> pl.DataFrame:
        """Return the picks table of these picks."""
        from wsim.wonders.frames import picks_frame

        return picks_frame(picks, self.catalogue, self._tables[0].slot_card)

    def trace(self, number: int) -> dict[str, Any]:
        """Replay one game and return its trace object."""
        import numpy as np

        from wsim.wonders.kernels.layout import PICK, ROW
        from wsim.wonders.trace import trace_of

        rows = np.zeros(self.seats, ROW).view(np.recarray)
        _, game = self._play(number, rows, np.zeros(self.picks_per_game, PICK))
        log = game.hidden.log[: int(game.hidden.events)]
        return trace_of(self.catalogue, self._tables[0], log, rows, self._line_up.labels, self.plan.seed, number)

    def text(self, trace: Mapping[str, Any]) -> str:
        """Tell a trace to a person."""
        from wsim.wonders.trace import text_of

        return text_of(trace)

    def provenance(self) -> dict[str, Any]:
        """Return what made the rules of this table."""
        from wsim.jit import source_digest

        catalogue = self.catalogue
        return {
            "ruleset": catalogue.ruleset,
            "catalogue": catalogue.source,
            "catalogue_digest": catalogue.digest,
            "engine": source_digest("wonders.kernels"),
            "changes": list(catalogue.changes),
            "switches": dict(catalogue.switches),
            "cards": [card.name for card in catalogue.cards],
            "policies": dict(self._line_up.digests),
        }


def _check_players(plan: Plan, catalogue: Catalogue) -> None:
    """Raise UserError for a number of players that the rule set is not for; name the rule sets that are."""
    if plan.players in catalogue.seat_numbers:
        return
    accepted = ", ".join(map(str, catalogue.seat_numbers))
    names = ruleset_names(plan.cards, plan.patch)
    fitting = [name for name in names if plan.players in load_catalogue(name, plan.cards, plan.patch).seat_numbers]
    hint = f" (for {plan.players}: --ruleset {' or '.join(fitting)})" if fitting else ""
    raise UserError(f"{plan.players} players cannot play rule set {plan.ruleset}: accepted are {accepted}{hint}")


def prepare(plan: Plan) -> WondersTable:
    """Check a plan against the rules and make it ready; raise UserError for whatever cannot be played."""
    known = ruleset_names(plan.cards, plan.patch)
    if plan.ruleset not in known:
        accepted = f"{', '.join(known)}{nearest(plan.ruleset, known)}"
        raise UserError(f"unknown rule set {plan.ruleset!r}: known are {accepted}")
    return WondersTable(plan)


def tables() -> Mapping[str, Callable[[Run, Sequence[str]], StatsTable]]:
    """Return the tables of a run by name; each can be split by columns of the seats table and neighbours' boards."""
    return {"policies": _policy_table, "wonders": _wonder_table, "cards": _card_table}


def chains(plan: Plan) -> list[tuple[str, ...]]:
    """Return the chains of cards in a plan (R16), in building order: every link and every longer way along links."""
    follows: dict[str, list[str]] = {}
    for card in catalogue_of(plan).cards:
        for predecessor in card.free_with:
            follows.setdefault(predecessor, []).append(card.name)
    found: list[tuple[str, ...]] = [(name, after) for name in sorted(follows) for after in follows[name]]
    for chain in found:  # grows while it is read: each chain is followed by what goes on from its end
        found += [(*chain, after) for after in follows.get(chain[-1], []) if after not in chain]
    return found


def summary(run: Run) -> list[tuple[str, pl.DataFrame]]:
    """Return the tables that ``wsim run`` ends with: policies, wonders, the best and the worst cards."""
    import polars as pl

    from wsim.stats.brief import brief

    frames = {name: make(run, ()).frame for name, make in tables().items()}
    cards = frames["cards"].filter(pl.col("n") > 0)
    if len(cards) > BEST + WORST:
        frames["cards"] = pl.concat([cards.head(BEST), cards.tail(WORST)])
    titles = {"cards": f"Cards: the {BEST} best and {WORST} worst of {len(cards)} by win share of their owners"}
    return [(titles.get(name, name.capitalize()), brief(frame, BRIEF[name])) for name, frame in frames.items()]


def _source(run: Run, by: Sequence[str]) -> Any:
    """Return the run, or its seats with the neighbours' boards where those are asked for."""
    from wsim import stats

    return stats.with_neighbours(run) if {"wonder_left", "wonder_right"} & set(by) else run


def _policy_table(run: Run, by: Sequence[str] = ()) -> StatsTable:
    from wsim import stats

    return stats.policies(_source(run, by), by or ("policy",))


def _wonder_table(run: Run, by: Sequence[str] = ()) -> StatsTable:
    from wsim import stats

    return stats.wonders(_source(run, by), by or ("wonder", "side"))


def _card_table(run: Run, by: Sequence[str] = ()) -> StatsTable:
    from wsim import stats

    about = {card.name: {"color": card.color, "age": card.ages[0]} for card in catalogue_of(run.plan).cards}
    return stats.cards(_source(run, by), run.picks if run.plan.picks else None, by=by, about=about)
