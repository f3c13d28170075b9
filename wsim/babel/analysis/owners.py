"""Tables of what a seat has at the end: wonders and rows of the value table won, discs owned, action cards drawn.

Each takes a run or its seats table (``wsim.babel.frames``) and has the columns of ``wsim.stats.owners``.
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
from wsim.stats.shared import OUTCOME, PAIRS, RAW
from wsim.stats.shared import OWNERS as SHOWN_FIRST
from wsim.stats.tables import Table

Maker = Callable[..., Table]

wonders: Maker = partial(stats.owners, prefix=WON, noun=GAME.OWNED[WON], share="won_share", title="Wonders won")
"""How those did who had most parts on a wonder when it was completed, alone or tied."""

value_rows: Maker = partial(
    stats.owners, prefix=WON_ROW, noun=GAME.OWNED[WON_ROW], share="won_share", title="Rows of the value table won"
)
"""How those did who won the first, second, ... completed wonder: the rows of the value table."""

discs: Maker = partial(stats.owners, prefix=DISC, noun=GAME.OWNED[DISC], share="owned_share", title="Discs owned")
"""How those did who own a disc at the end, for each kind and number."""

action_cards: Maker = partial(
    stats.owners, prefix=DRAWN, noun=GAME.OWNED[DRAWN], share="drawn_share", title="Action cards drawn"
)
"""How those did who drew an action card."""

disc_pairs: Maker = partial(stats.owner_pairs, prefix=DISC, noun=GAME.OWNED[DISC])
"""How much more two discs are worth together than apart."""


def _synergies(source: Source, by: Sequence[str], *, disc: Sequence[str] = (), **options: object) -> Table:
    return disc_pairs(source, by=by, partners_of=disc, **options)


def _analysis(make: Maker, about: str, prefix: str, share: str) -> Analysis:
    columns = (GAME.OWNED[prefix], "n", share, "win_share", "win_difference", "win_q", "verdict", "score_difference")
    return Analysis(
        make, about, by=(), columns=columns, first=SHOWN_FIRST, options=RAW, shown="run", sums=OwnerTallies(prefix)
    )


WONDERS = _analysis(wonders, "how those did who won each wonder", WON, "won_share")
ROWS = _analysis(value_rows, "how those did who won the first, second, ... wonder", WON_ROW, "won_share")
DISCS = _analysis(discs, "how those did who own each disc", DISC, "owned_share")
CARDS = _analysis(action_cards, "how those did who drew each action card", DRAWN, "drawn_share")
_OPTIONS: Mapping[str, Option] = {"disc": Option("pairs with this disc", repeatable=True), **OUTCOME, **RAW}
SYNERGIES = Analysis(
    _synergies, "pairs of discs that were worth more together than apart", by=(), first=PAIRS, options=_OPTIONS
)
