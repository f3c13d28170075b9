"""Tables of cards: results of seats that built them, their fate when offered, pairs and chains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING

from wsim import stats
from wsim.lab.store import Run
from wsim.stats.analysis import Analysis, Option
from wsim.stats.games import Frame, Source, seats_of
from wsim.stats.owner_tallies import OwnerTallies
from wsim.stats.shared import HEADLINE, OUTCOME, OWNERS, PAIRS, RAW
from wsim.stats.tables import CAUSED, Table
from wsim.wonders.analysis.boards import seats_by
from wsim.wonders.analysis.card_picks import card_picks
from wsim.wonders.game import GAME, catalogue_of
from wsim.wonders.words import BUILT

if TYPE_CHECKING:
    from wsim.wonders.catalog.model import Card

_CARD = GAME.OWNED[BUILT]


def cards(
    source: Source,
    picks: Frame | None = None,
    *,
    by: str | Sequence[str] = (),
    about: Mapping[str, Mapping[str, object]] | None = None,
    raw: bool = False,
    level: float = 0.95,
) -> Table:
    """Return win share and score of the seats that built each card, compared with seats that did not.

    Parameters
    ----------
    source: a run or its seats table; filter it first to restrict it to one policy, wonder, ...
    picks: the picks table; by default the run's own, if it has one.
    by, about, raw, level: see ``wsim.stats.owners``.

    Columns: those of ``wsim.stats.owners`` (card, n, built_share, win_share, ...); with picks, also ``card_picks``.
    """
    groups = (by,) if isinstance(by, str) else tuple(by)
    taken = source.picks if picks is None and isinstance(source, Run) and source.plan.picks else picks
    offered = None if taken is None else card_picks(taken, seats_of(source), by=groups)
    return _with_hint(
        stats.owners(
            source, BUILT, noun=_CARD, share="built_share", by=groups, about=about, beside=offered, raw=raw, level=level
        )
    )


def _with_hint(table: Table) -> Table:
    """Append a hint on measuring causal effects to the note of an observational table."""
    return replace(table, note=table.note.replace(stats.OBSERVATIONAL, f"{stats.OBSERVATIONAL} {CAUSED}"))


def _by_cards(make: Callable[..., Table]) -> Callable[..., Table]:
    """Return a version of a ``wsim.stats`` function for owned items that analyses cards."""

    @wraps(make)
    def table(*sources: object, **options: object) -> Table:
        return _with_hint(make(*sources, prefix=BUILT, noun=_CARD, **options))

    return table


card_pairs: Callable[..., Table] = _by_cards(stats.owner_pairs)
"""How much more two cards are worth together than separately; see ``wsim.stats.owner_pairs``."""

card_chains: Callable[..., Table] = _by_cards(stats.owner_chains)
"""Results of the seats that completed each of some ``chains`` of cards; see ``wsim.stats.owner_chains``."""


def chains_of(cards: Iterable[Card]) -> list[tuple[str, ...]]:
    """Return the chains of cards (R16) in building order: every link and every longer path of links."""
    successors: dict[str, list[str]] = {}
    for card in cards:
        for predecessor in card.free_with:
            successors.setdefault(predecessor, []).append(card.name)
    chains: list[tuple[str, ...]] = [(name, card) for name in sorted(successors) for card in successors[name]]
    for chain in chains:  # the list grows during iteration: extensions of each chain are appended
        chains += [(*chain, card) for card in successors.get(chain[-1], []) if card not in chain]
    return chains


def _cards(run: Run, by: Sequence[str], *, raw: bool = False, level: float = 0.95) -> Table:
    about = {card.name: {"color": card.color, "age": card.ages[0]} for card in catalogue_of(run.plan).cards}
    return cards(seats_by(run, by), run.picks if run.plan.picks else None, by=by, about=about, raw=raw, level=level)


def _synergies(run: Run, by: Sequence[str], *, card: Sequence[str] = (), **options: object) -> Table:
    return card_pairs(seats_by(run, by), by=by, partners_of=card, **options)


def _chains(run: Run, *, card: Sequence[str] = (), **options: object) -> Table:
    chains = chains_of(catalogue_of(run.plan).cards)
    return card_chains(run, [chain for chain in chains if set(card) <= set(chain)], **options)


_SOME = {"card": Option("pairs or chains with this card", repeatable=True), **OUTCOME, **RAW}

CARDS = Analysis(
    _cards,
    "what building each card is worth; results of seats that built it, and how often it was built",
    by=(),
    columns=("card", "color", "age", *HEADLINE, "built_share", "taken_share", "last_seen", "n"),
    first=OWNERS,
    options=RAW,
    shown="run",
    sums=OwnerTallies(BUILT),
    moves="win_difference",
    worth="build",
)
SYNERGIES = Analysis(
    _synergies, "pairs of cards that were worth more together than separately", by=(), first=PAIRS, options=_SOME
)
CHAINS = Analysis(
    _chains,
    "results of seats that completed each chain of cards",
    first=("lift", "verdict", "q", "n"),
    options=_SOME,
    shown="asked",
)
