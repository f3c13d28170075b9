"""Options of a plan that are chances by seat: how often a pick is random, how often a policy is overruled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wsim.errors import UserError, nearest

OVERRULE = "overrule"
"""The option of a plan: how often a policy is overruled and makes its next best move (``wsim.kernels.overruling``)."""
WORTH = "worth"
"""The option of a plan: how many games of a run, for each of its own, overrule policies (``wsim.lab.wishes``)."""
CHANCE = 0.12
"""How often a policy is overruled: intervals are narrow, and most of a game is still played by undisturbed players."""
WORTH_GAMES = 0.42
"""Games with overruled policies that ``wsim run`` plays for each game, unless it is told otherwise."""
OVERRULE_HELP = (
    "probability, for all seats or per seat, that a policy must play its next best move (wsim experiment worth)"
)
WORTH_HELP = f"extra games with overruled policies, per game, to measure worth; wsim run: {WORTH_GAMES}; 0: none"
CHARACTER = "character"
"""The option of a plan: whether games are followed with the chances of their seats (``wsim.positions.character``)."""
CHARACTER_HELP = "true: add columns for drama, lead changes and other measures of each game (wsim experiment character)"
EXPERIMENT = {OVERRULE: OVERRULE_HELP, WORTH: WORTH_HELP, CHARACTER: CHARACTER_HELP}
"""The options of a game whose policies can be overruled, and whose games can be followed."""


def follows(options: Mapping[str, str], *, picks: bool = False) -> bool:
    """Return whether the games of a plan are followed; raise UserError for a wrong option."""
    text = options.get(CHARACTER, "false")
    if text not in ("true", "false"):
        raise UserError(f"option {CHARACTER} must be true or false, not {text!r}{nearest(text, ('true', 'false'))}")
    if text == "true" and picks:
        raise UserError(f"{CHARACTER} cannot be combined with picks: play two runs")
    return text == "true"


def per_seat(option: str, text: str, seats: int) -> list[str]:
    """Split an option by seats: one value for all, or one per seat."""
    values = [value.strip() for value in text.split(",")]
    if len(values) == 1:
        return values * seats
    if len(values) != seats:
        raise UserError(f"option {option} names {len(values)} seats of {seats} at the table: give one value or {seats}")
    return values


def overruling_of(options: Mapping[str, str], seats: int) -> Sequence[float]:
    """Return the chance of each seat to be overruled; raise UserError for options of the experiment that are none."""
    chances(WORTH, options.get(WORTH, "0"), 1)
    if float(options.get(WORTH, 0)) and OVERRULE in options:
        raise UserError("worth adds games to a run of undisturbed policies: leave out overrule, which disturbs them")
    return chances(OVERRULE, options.get(OVERRULE, "0"), seats)


def chances(option: str, text: str, seats: int) -> Sequence[float]:
    """Return the probability for each seat; raise UserError for an invalid one."""
    return [_chance(option, value) for value in per_seat(option, text, seats)]


def _chance(option: str, text: str) -> float:
    try:
        chance = float(text)
    except ValueError:
        chance = -1.0
    if not 0.0 <= chance <= 1.0:
        raise UserError(f"option {option} must be a chance from 0 to 1, not {text!r}")
    return chance
