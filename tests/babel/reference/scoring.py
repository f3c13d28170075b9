"""Scoring according to the tables in sections 6 and 9."""

from __future__ import annotations

from itertools import product


def wonder_points(units: list[int], row: tuple[int, int, int]) -> list[int]:
    """Return each seat's points for a wonder."""
    first, second, rest = row
    present = [number for number in units if number > 0]
    if not present:
        return [0] * len(units)
    leaders = [seat for seat, number in enumerate(units) if number == max(present)]
    below = [number for number in present if number < max(present)]
    runners_up = [seat for seat, number in enumerate(units) if below and number == max(below)]
    points = [rest if number > 0 else 0 for number in units]
    if len(leaders) > 1:  # tie for first
        for seat in leaders:
            points[seat] = second
    else:
        points[leaders[0]] = first
        if len(runners_up) == 1:  # a clear second
            points[runners_up[0]] = second
    return points


def set_points(discs: list[dict[str, int]], values: dict[int, int], cap: int) -> int:
    """Return the best total of the set table over all ways to give every disc one of its kinds."""
    best = 0
    for kinds in product(*(list(disc) for disc in discs)):
        numbers = [kinds.count(kind) for kind in set(kinds)]
        best = max(best, sum(values[min(number, cap)] for number in numbers))
    return best
