"""Column declarations shared by the tables of all games: seat outcomes, tests and row labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wsim.document import CATEGORY, COUNT, NUMBER, POINTS, PROBABILITY, RATIO, SHARE, Column, Kind, estimated, names

POINTS_OF = "points_"
"""The prefix of columns with points by category."""
PLAYER_HALF_WIDTH = "player_half_width"
"""The column with the half width, around the preceding figure, of the interval for another good player's figure."""
FAIR = "fair_share_ratio"
OF_WINS = "of wins"

N = Column("n", COUNT, about="seats")
P = Column("p", PROBABILITY, about="p-value")
Q = Column("q", PROBABILITY, about="q-value (Benjamini-Hochberg over the table)")
VERDICT = Column("verdict", CATEGORY, about="higher, lower or unclear, by the q-value")
WIN_SHARE = estimated("win_share", SHARE, about="share of the wins of its games; a shared win counts in part")
FAIR_SHARE_RATIO = estimated(
    FAIR, RATIO, heading="x fair share", about="win share times the number of players: 1.00 is average at any table",
    reference=1.0, drawn=True,
)  # fmt: skip
SCORE = estimated("score", POINTS)
SCORE_SD = Column("score_sd", POINTS, heading="score sd", about="standard deviation of the scores")
OUTCOMES = (N, WIN_SHARE, FAIR_SHARE_RATIO, Q, VERDICT, SCORE, SCORE_SD)
"""Columns of a table of levels."""
BETWEEN_PLAYER_SD = Column(
    "between_player_sd", SHARE, heading="player SD", unit=OF_WINS, spread=True,
    about="standard deviation between good players, sampling noise removed; more games do not reduce it",
)  # fmt: skip
OTHER_PLAYERS = Column(
    PLAYER_HALF_WIDTH, SHARE, heading="other players ±", unit=OF_WINS, spread=True,
    about="half width for the figure of another good player: more games do not make it smaller",
)  # fmt: skip
FAIR_SHARE = Column("fair", SHARE, heading="fair share", unit=OF_WINS)
WIN_DIFFERENCE = estimated("difference", SHARE, unit=OF_WINS, difference=True)
DECIDED_AT = Column("decided_at", COUNT, heading="decided at (deals)")
OLD_NAMES = {
    "win_points": FAIR, "between_players": PLAYER_HALF_WIDTH,
    "between_player_sd": PLAYER_HALF_WIDTH, "tells": "informative", "things": "items", "thing": "item",
    "turned": "reversed", "said": "status",
}  # fmt: skip
"""Column names from before 0.3.0; filters and sorting still accept them."""


SHORT: Mapping[str, str] = {"score": "total", "win": "win_share"}
"""Short names of columns of the seats table."""


def outcome_column(name: str) -> str:
    """Resolve a name or short name to the full name of a seats table column."""
    return SHORT.get(name, name)


def kind_of(outcome: str) -> tuple[Kind, str]:
    """Return the kind of a seats table column, and its unit if the kind does not imply one."""
    if outcome.startswith((POINTS_OF, "score")) or outcome == "total":
        return POINTS, ""
    return (SHARE, OF_WINS) if outcome in ("win_share", "win") else (NUMBER, "")


def means(measures: Iterable[str]) -> list[Column]:
    """Declare columns for the means of measures of the seats table, without intervals."""
    columns = []
    for name in measures:
        kind, unit = kind_of(name)
        columns.append(Column(name, kind, heading=name.removeprefix(POINTS_OF).replace("_", " "), unit=unit))
    return columns


def pick_columns(outcome: str) -> tuple[Column, ...]:
    """Declare the columns for a table of pick effects on an outcome."""
    kind, unit = kind_of(outcome)
    return (
        *names(("action", "card", "value")),
        Column("picks", COUNT, about="picks with this action"),
        Column("effective", NUMBER, heading="effective n", about="effective sample size of the weighted picks"),
        Column("drawn", COUNT, heading="overruled", about="random picks that overruled the policy"),
        Column("taken", kind, unit=unit, about=f"mean {outcome} of seats that did"),
        Column("otherwise", kind, heading="not taken", unit=unit, about=f"mean {outcome} of seats that did not"),
        estimated("effect", kind, unit=unit, difference=True, about="the difference between the two means"),
        P, Q, Column("rare", CATEGORY, about="overruled so rarely that the interval is too short"),
    )  # fmt: skip
