"""Plan options that set a probability for each seat, either of a random pick or of overruling the policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wsim.errors import UserError, nearest

OVERRULE = "overrule"
"""Plan option: how often a policy is overruled and must play its next best move (``wsim.kernels.overruling``)."""
WORTH = "worth"
"""Plan option: extra games with overruled policies, per ordinary game of a run (``wsim.lab.wishes``)."""
CHANCE = 0.12
"""Default probability of overruling a policy: intervals are narrow, and most moves are still the policy's choice."""
WORTH_GAMES = 0.42
"""Extra games with overruled policies that ``wsim run`` plays per game by default."""
OVERRULE_HELP = (
    "probability, for all seats or per seat, that a policy must play its next best move (wsim experiment worth)"
)
WORTH_HELP = f"extra games with overruled policies, per game, to measure worth; wsim run: {WORTH_GAMES}; 0: none"
CHARACTER = "character"
"""Plan option: whether to estimate each seat's win probability throughout a game (``wsim.positions.character``)."""
CHARACTER_HELP = "true: add columns for drama, lead changes and other measures of each game (wsim experiment character)"
EXPERIMENT = {OVERRULE: OVERRULE_HELP, WORTH: WORTH_HELP, CHARACTER: CHARACTER_HELP}
"""The options of a game that supports overruling and the character experiment."""


def follows(options: Mapping[str, str], *, picks: bool = False) -> bool:
    """Return whether a plan's ``character`` option is true; raise UserError if it is invalid."""
    text = options.get(CHARACTER, "false")
    if text not in ("true", "false"):
        raise UserError(f"option {CHARACTER} must be true or false, not {text!r}{nearest(text, ('true', 'false'))}")
    if text == "true" and picks:
        raise UserError(f"{CHARACTER} cannot be combined with picks: play two runs")
    return text == "true"


def per_seat(option: str, text: str, seats: int) -> list[str]:
    """Split an option's text into one value per seat; a single value applies to all seats."""
    values = [value.strip() for value in text.split(",")]
    if len(values) == 1:
        return values * seats
    if len(values) != seats:
        raise UserError(f"option {option} gives {len(values)} values for {seats} seats: give one value or {seats}")
    return values


def overruling_of(options: Mapping[str, str], seats: int) -> Sequence[float]:
    """Return each seat's probability of being overruled; raise UserError for invalid ``overrule`` or ``worth``."""
    chances(WORTH, options.get(WORTH, "0"), 1)
    if float(options.get(WORTH, 0)) and OVERRULE in options:
        raise UserError("worth adds games to a run of undisturbed policies: leave out overrule, which disturbs them")
    return chances(OVERRULE, options.get(OVERRULE, "0"), seats)


def chances(option: str, text: str, seats: int) -> Sequence[float]:
    """Parse an option into a probability for each seat; raise UserError if one is invalid."""
    return [_chance(option, value) for value in per_seat(option, text, seats)]


def _chance(option: str, text: str) -> float:
    try:
        chance = float(text)
    except ValueError:
        chance = -1.0
    if not 0.0 <= chance <= 1.0:
        raise UserError(f"option {option} must be a probability from 0 to 1, not {text!r}")
    return chance
