"""Tables of the items that seats have at the end: wonders and value table rows won, discs owned, action cards drawn.

Each function takes a run or its seats table (``wsim.babel.frames``) and returns the columns of ``wsim.stats.owners``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from wsim import stats
from wsim.babel.game import GAME
from wsim.babel.words import DISC, DRAWN, WON, WON_ROW
from wsim.stats.analysis import Analysis, Option
from wsim.stats.games import Source
from wsim.stats.owner_tallies import OwnerTallies
from wsim.stats.shared import HEADLINE, OUTCOME, PAIRS, RAW
from wsim.stats.shared import OWNERS as SHOWN_FIRST
from wsim.stats.tables import Table

Maker = Callable[..., Table]

wonders: Maker = partial(stats.owners, prefix=WON, noun=GAME.OWNED[WON], share="won_share", title="Wonders won")
"""Results of seats with the most parts on a wonder when it was completed, alone or tied."""

value_rows: Maker = partial(
    stats.owners, prefix=WON_ROW, noun=GAME.OWNED[WON_ROW], share="won_share", title="Value table rows won"
)
"""Results of seats that won the first, second, ... completed wonder: the rows of the value table."""

discs: Maker = partial(stats.owners, prefix=DISC, noun=GAME.OWNED[DISC], share="owned_share", title="Discs owned")
"""Results of seats that own a disc at the end, for each kind and number."""

action_cards: Maker = partial(
    stats.owners, prefix=DRAWN, noun=GAME.OWNED[DRAWN], share="drawn_share", title="Action cards drawn"
)
"""Results of seats that drew an action card."""

disc_pairs: Maker = partial(stats.owner_pairs, prefix=DISC, noun=GAME.OWNED[DISC])
"""How much more two discs are worth together than separately."""


def _synergies(source: Source, by: Sequence[str], *, disc: Sequence[str] = (), **options: object) -> Table:
    return disc_pairs(source, by=by, partners_of=disc, **options)


def _analysis(make: Maker, about: str, prefix: str, share: str, worth: str = "") -> Analysis:
    columns = (GAME.OWNED[prefix], *HEADLINE, share, "n")
    return Analysis(
        make, about, by=(), columns=columns, first=SHOWN_FIRST, options=RAW, shown="run", sums=OwnerTallies(prefix),
        worth=worth,
    )  # fmt: skip


WONDERS = _analysis(
    wonders, "what building on each wonder is worth; results of seats that won it", WON, "won_share", "build on"
)
ROWS = _analysis(value_rows, "results of seats that won the first, second, ... wonder", WON_ROW, "won_share")
DISCS = _analysis(
    discs, "what building with each disc is worth; results of seats that own it", DISC, "owned_share", "build with"
)
CARDS = _analysis(
    action_cards, "what playing each action card is worth; results of seats that drew it", DRAWN, "drawn_share", "play"
)
_OPTIONS: Mapping[str, Option] = {"disc": Option("pairs with this disc", repeatable=True), **OUTCOME, **RAW}
SYNERGIES = Analysis(
    _synergies, "pairs of discs that were worth more together than apart", by=(), first=PAIRS, options=_OPTIONS
)
