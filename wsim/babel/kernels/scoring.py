"""Points of a wonder (section 6), of sets of discs and automatic action cards (section 9), and the winners (A27)."""

from __future__ import annotations

from collections.abc import Sequence

from wsim.babel.kernels.formula import points_of
from wsim.babel.kernels.layout import LOG_WONDER
from wsim.babel.kernels.log import note
from wsim.babel.words import DISC_BONUS, FIVE_POINTS, KINDS, SLOTS, SPACES, WONDERS
from wsim.errors import UserError
from wsim.jit import kernel


@kernel
def award(units, most, leaders, second, seconds, first_points, second_points, other_points):
    """Return the points of ``units`` parts on a wonder.

    ``leaders`` seats have ``most`` parts and ``seconds`` seats have ``second``, the next lower number.
    ``first_points`` go to a single leader, ``second_points`` to each of several leaders or to a single second,
    ``other_points`` to the rest.
    """
    if units == 0:
        return 0
    if leaders > 1:
        return second_points if units == most else other_points
    if units == most:
        return first_points
    return second_points if units == second and seconds == 1 else other_points


@kernel
def count_wonder(public, wonder, parts):
    """Return (most, leaders, second, seconds) of a wonder with packed ``parts`` added, as ``award`` takes them."""
    most, leaders, second, seconds = 0, 0, 0, 0
    for seat in range(public.seats):
        units = public.units[wonder, seat] + ((parts >> (8 * seat)) & 0xFF)
        if units > most:
            second, seconds = most, leaders
            most, leaders = units, 1
        elif units == most:
            leaders += 1
        elif units > second:
            second, seconds = units, 1
        elif units == second:
            seconds += 1
    return most, leaders, second, seconds


def wonder_points(units: Sequence[int], row: tuple[int, int, int]) -> list[int]:
    """Return the points of each seat for a wonder.

    Parameters
    ----------
    units: parts of each seat, at least 0. row: points for most parts, second most, everyone else with a part.
    """
    if any(number < 0 for number in units):
        raise UserError(f"units {list(units)} hold a negative number of parts")
    present = sorted((number for number in units if number), reverse=True)
    most = present[0] if present else 0
    second = next((number for number in present if number < most), 0)
    leaders, seconds = present.count(most), present.count(second)
    award_one = getattr(award, "py_func", award)  # kernels are compiled for kernels only
    return [int(award_one(number, most, leaders, second, seconds, *row)) for number in units]


@kernel
def score_wonder(game, wonder, first_points, second_points, other_points):
    """Pay the points of a wonder and return the mask of the seats with most parts."""
    public = game.public
    most, leaders, second, seconds = count_wonder(public, wonder, 0)
    winners = 0
    for seat in range(public.seats):
        units = public.units[wonder, seat]
        if units:
            points = award(units, most, leaders, second, seconds, first_points, second_points, other_points)
            public.points[seat] += points
            if public.slots_left >> (wonder * SPACES) & 7 == 0:
                game.hidden.tally[seat].wonder_points += points
            else:
                game.hidden.tally[seat].light_points += points
            note(game, LOG_WONDER, seat, (points << 8) + wonder, units)
            if units == most:
                winners |= 1 << seat
    return winners


@kernel
def set_points(rules, camels, cranes, ships, stonemasons, two_colour):
    """Return the best value of owned discs in the set table; each disc of the mask ``two_colour`` counts as one kind.

    Every way to assign the two-colour discs is tried: the bits of a number, one for each, choose first or second kind.
    """
    sets = rules.sets
    count = 0
    for disc in range(SLOTS):
        count += (two_colour >> disc) & 1
    best = 0
    for choice in range(1 << count):
        number = (camels, cranes, ships, stonemasons)
        extra = 0  # packed: discs added to each kind
        bit = 0
        for disc in range(SLOTS):
            if (two_colour >> disc) & 1:
                extra += 1 << (8 * rules.kind[disc, (choice >> bit) & 1])
                bit += 1
        total = 0
        for kind in range(len(KINDS)):
            total += sets[number[kind] + ((extra >> (8 * kind)) & 0xFF)]
        best = max(best, total)
    return best


@kernel
def final_scoring(game, rules):
    """Section 9: unfinished wonders by the light row, sets of discs, automatic action cards, then ranks."""
    public, hidden = game.public, game.hidden
    for wonder in range(WONDERS):
        score_wonder(game, wonder, rules.light[0], rules.light[1], rules.light[2])
    for seat in range(public.seats):
        own, tally = game.own[seat], hidden.tally[seat]
        discs = own.discs
        tally.set_points = set_points(rules, discs[0], discs[1], discs[2], discs[3], own.two_colour)
        bonus = own.cards[FIVE_POINTS] * points_of(game, rules, seat, FIVE_POINTS)
        bonus += own.cards[DISC_BONUS] * points_of(game, rules, seat, DISC_BONUS) * public.disc_count[seat]
        tally.action_points += bonus
        tally.cards_played[FIVE_POINTS] += own.cards[FIVE_POINTS]
        tally.cards_played[DISC_BONUS] += own.cards[DISC_BONUS]
        public.points[seat] += tally.set_points + bonus
    seats = game.public.seats
    winners = 0
    for seat in range(seats):
        rank = 1
        for other in range(seats):
            rank += _beats(game, rules, other, seat)
        game.hidden.tally[seat].rank = rank
        winners += rank == 1
    for seat in range(seats):
        tally = game.hidden.tally[seat]
        tally.share = 1.0 / winners if tally.rank == 1 else 0.0


@kernel
def _beats(game, rules, seat, other):
    """Return whether ``seat`` ranks above ``other`` (A27)."""
    points = game.public.points
    if points[seat] != points[other] or not rules.tie_by_discs:
        return points[seat] > points[other]
    return game.public.disc_count[seat] > game.public.disc_count[other]


@kernel
def outcome(game, seat):
    """Return (score, win share) of a seat."""
    return float(game.public.points[seat]), game.hidden.tally[seat].share
