"""7 Wonders as the laboratory sees it (the protocol of wsim/game.py): plans made ready, chunks, frames, traces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest
from wsim.wonders.catalog import Catalogue, load_catalogue, ruleset_names

if TYPE_CHECKING:
    import polars as pl

    from wsim.lab.plan import Plan
    from wsim.lab.store import Run
    from wsim.stats.tables import Table
    from wsim.wonders.simulator import WondersSimulator

__all__ = [
    "BRIEF",
    "NAME",
    "OPTIONS",
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
ENGINE = "wsim.wonders.kernels.engine"
COMPILE_SECONDS = (11.0, 4.0)  # the engine, the policies of the default plan
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


def default_plan(ruleset: str | None = None) -> Mapping[str, Any]:
    """Return the defaults of a plan: first edition, four players (two where a rule set is for two), a mixed line-up."""
    return {
        "ruleset": "1e",
        "players": 2 if ruleset and ruleset.endswith("duo") else 4,
        "policies": ("balanced", "military", "science", "civilian"),
        "rotate": True,
    }


def cold() -> float:
    """Return about how many seconds the kernels take to compile, 0 where they are compiled already."""
    from wsim.jit import seconds_to_compile

    return seconds_to_compile(ENGINE, *COMPILE_SECONDS)


def policies() -> Sequence[Mapping[str, Any]]:
    """Return the registry of policies as rows (``wsim policies``)."""
    from wsim.wonders.registry import policies as rows

    return rows()


def catalogue_of(plan: Plan) -> Catalogue:
    """Return the catalogue that a plan plays by; raise UserError for a rule set that does not exist."""
    known = ruleset_names(plan.cards, plan.patch)
    if plan.ruleset not in known:
        accepted = f"{', '.join(known)}{nearest(plan.ruleset, known)}"
        raise UserError(f"unknown rule set {plan.ruleset!r}: known are {accepted}")
    return load_catalogue(plan.ruleset, cards=plan.cards, patches=plan.patch, changes=plan.set)


def _check_players(plan: Plan, catalogue: Catalogue) -> None:
    """Raise UserError for a number of players that the rule set is not for; name the rule sets that are."""
    if plan.players in catalogue.seat_numbers:
        return
    accepted = ", ".join(map(str, catalogue.seat_numbers))
    names = ruleset_names(plan.cards, plan.patch)
    fitting = [name for name in names if plan.players in load_catalogue(name, plan.cards, plan.patch).seat_numbers]
    hint = f" (for {plan.players}: --ruleset {' or '.join(fitting)})" if fitting else ""
    raise UserError(f"{plan.players} players cannot play rule set {plan.ruleset}: accepted are {accepted}{hint}")


def prepare(plan: Plan) -> WondersSimulator:
    """Check a plan against the rules and make it ready; raise UserError for whatever cannot be played."""
    from wsim.jit import compiled_beside
    from wsim.wonders.registry import resolve
    from wsim.wonders.simulator import WondersSimulator

    catalogue = catalogue_of(plan)
    _check_players(plan, catalogue)
    with compiled_beside(ENGINE):
        line_up = resolve(plan.policies, plan.players)
    return WondersSimulator(plan, catalogue, line_up)


def tables() -> Mapping[str, Callable[[Run, Sequence[str]], Table]]:
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


def _policy_table(run: Run, by: Sequence[str] = ()) -> Table:
    from wsim import stats

    return stats.policies(_source(run, by), by or ("policy",))


def _wonder_table(run: Run, by: Sequence[str] = ()) -> Table:
    from wsim import stats

    return stats.wonders(_source(run, by), by or ("wonder", "side"))


def _card_table(run: Run, by: Sequence[str] = ()) -> Table:
    from wsim import stats

    about = {card.name: {"color": card.color, "age": card.ages[0]} for card in catalogue_of(run.plan).cards}
    return stats.cards(_source(run, by), run.picks if run.plan.picks else None, by=by, about=about)
