"""The score at the end of the game (R22-R25, R29-R31, R37, R38, R41, R42)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.wonders import words as w
from wsim.wonders.kernels.clause_owners import has_entry
from wsim.wonders.kernels.clauses import formula_points
from wsim.wonders.kernels.formula import evaluate
from wsim.wonders.kernels.turn import count_around, neighbor_left, neighbor_right

_ONE = np.uint64(1)
_NOTHING = -(1 << 40)  # fewer points than any guild has
_COPIED_COUNTS_ITSELF = w.SWITCH_NUMBER["copied_shipowners_counts_itself"]


@kernel
def science_points(compass, gear, tablet):
    """Return the points of fixed science symbols, as printed (R23)."""
    sets = min(compass, min(gear, tablet))
    return compass * compass + gear * gear + tablet * tablet + w.SET_POINTS * sets


@kernel
def best_wild(compass, gear, tablet, wild):
    """Return the best science points when each wild symbol may be any of the three (R23)."""
    best = 0
    for i in range(wild + 1):
        for j in range(wild - i + 1):
            best = max(best, science_points(compass + i, gear + j, tablet + wild - i - j))
    return best


@kernel
def best_science(public, rules, seat, extra_wild):
    """Return the best science points with wild symbols and symbols copied from the neighbours' green cards (R31)."""
    if rules.science_at >= 0:
        return house_science(public, rules, seat, 0, 0, 0, extra_wild, 0)
    return science_with(public, seat, 0, 0, 0, extra_wild, 0)


@kernel
def science_with(public, seat, compass, gear, tablet, wild, copies):
    """Return the best science points of a city with this many more symbols and copies (R23, R31)."""
    compass += public.symbols[seat, w.COMPASS]
    gear += public.symbols[seat, w.GEAR]
    tablet += public.symbols[seat, w.TABLET]
    wild += public.symbols[seat, w.ANY]
    copies += public.copy_science[seat]
    if copies == 0:
        if wild == 0:
            return science_points(compass, gear, tablet)
        return best_wild(compass, gear, tablet, wild)
    left, right = neighbor_left(public, seat), neighbor_right(public, seat)
    compasses = public.green_symbols[left, w.COMPASS] + public.green_symbols[right, w.COMPASS]
    gears = public.green_symbols[left, w.GEAR] + public.green_symbols[right, w.GEAR]
    tablets = public.green_symbols[left, w.TABLET] + public.green_symbols[right, w.TABLET]
    best = 0
    for i in range(min(copies, compasses) + 1):
        for j in range(min(copies - i, gears) + 1):
            k = min(copies - i - j, tablets)
            best = max(best, best_wild(compass + i, gear + j, tablet + k, wild))
    return best


@kernel(rare=True)
def house_science(public, rules, seat, compass, gear, tablet, wild, copies):
    """Return the best science points by a house rule: every way to fix wild and copied symbols is tried (R23, R31)."""
    compass += public.symbols[seat, w.COMPASS]
    gear += public.symbols[seat, w.GEAR]
    tablet += public.symbols[seat, w.TABLET]
    wild += public.symbols[seat, w.ANY]
    copies += public.copy_science[seat]
    left, right = neighbor_left(public, seat), neighbor_right(public, seat)
    compasses = public.green_symbols[left, w.COMPASS] + public.green_symbols[right, w.COMPASS]
    gears = public.green_symbols[left, w.GEAR] + public.green_symbols[right, w.GEAR]
    tablets = public.green_symbols[left, w.TABLET] + public.green_symbols[right, w.TABLET]
    best = _NOTHING
    for copied in range((copies + 1) ** 3):  # number of compasses, gears and tablets copied
        i, j, k = copied // (copies + 1) ** 2, copied // (copies + 1) % (copies + 1), copied % (copies + 1)
        if i + j + k > copies or i > compasses or j > gears or k > tablets:
            continue
        for more in range(wild + 1):
            for other in range(wild - more + 1):
                last = wild - more - other
                symbols = public.symbols
                a, b, c, d = (
                    symbols[seat, w.COMPASS],
                    symbols[seat, w.GEAR],
                    symbols[seat, w.TABLET],
                    symbols[seat, w.ANY],
                )
                symbols[seat, w.COMPASS], symbols[seat, w.GEAR], symbols[seat, w.TABLET], symbols[seat, w.ANY] = (
                    (compass + i + more),
                    (gear + j + other),
                    (tablet + k + last),
                    0,
                )
                points = evaluate(public, rules, rules.science_at, seat, seat)
                symbols[seat, w.COMPASS], symbols[seat, w.GEAR], symbols[seat, w.TABLET], symbols[seat, w.ANY] = (
                    a,
                    b,
                    c,
                    d,
                )
                best = max(best, points)
    return best


@kernel
def points_of(public, rules, seat, entry, more_purple):
    """Return the points of one structure or stage without science; ``more_purple`` counts a copied guild (R25, R29)."""
    points = rules.points[entry]
    each = rules.points_per[entry, 0]
    if each:
        what, cities = rules.points_per[entry, 1], rules.points_per[entry, 2]
        number = count_around(public, seat, what, cities)
        if more_purple and cities & w.CITY_SELF and what >> w.PURPLE & 1:
            number += more_purple
        points += each * number
    if rules.points_complete[entry] and public.stages[seat] == rules.stage_count[public.side[seat]]:
        points += rules.points_complete[entry]
    if rules.when[entry]:
        points += formula_points_with(public, rules, seat, entry, more_purple)
    return points


@kernel(rare=True)
def formula_points_with(public, rules, seat, entry, more_purple):
    """Return the points of an entry's clauses, while a copied guild counts as a purple card of the city (R29, R58)."""
    public.colors[seat, w.PURPLE] += more_purple
    points = formula_points(public, rules, seat, entry)
    public.colors[seat, w.PURPLE] -= more_purple
    return points


@kernel
def _structure_points(game, rules, seat):
    public, scores = game.public, game.result.points
    for word in range(w.CARD_WORDS):
        names = public.built[seat, word] & rules.scoring_cards[word]
        while names:
            card = 64 * word + lowest_bit(names)
            names &= names - _ONE
            scores[seat, rules.category[card]] += points_of(public, rules, seat, card, 0)


@kernel(rare=True)
def _copied_points(game, rules, seat):
    """Add the points of copies, in the categories of their structures (R103)."""
    public, scores = game.public, game.result.points
    for word in range(w.CARD_WORDS):
        names = public.copied[seat, word]
        while names:
            card = 64 * word + lowest_bit(names)
            names &= names - _ONE
            scores[seat, rules.category[card]] += points_of(public, rules, seat, card, 0)


@kernel
def _purple_counted(public, rules, seat, entry):
    """Return the points that one more purple card in its city adds to an entry."""
    counts = rules.points_per[entry, 1] >> w.PURPLE & 1 and rules.points_per[entry, 2] & w.CITY_SELF
    points = np.int64(rules.points_per[entry, 0]) if counts else 0
    if rules.when[entry]:
        points += formula_points_with(public, rules, seat, entry, 1) - formula_points(public, rules, seat, entry)
    return points


@kernel
def _copy_best_guild(game, rules, seat):
    """Score science, and the guild copied from a neighbour that is best for the total (R29, R30)."""
    public, scores = game.public, game.result.points
    itself = 1 if rules.switch[_COPIED_COUNTS_ITSELF] else 0
    best, best_guild, best_science_points = _NOTHING, 0, 0
    left, right = neighbor_left(public, seat), neighbor_right(public, seat)
    for word in range(w.CARD_WORDS):
        names = (public.built[left, word] | public.built[right, word]) & rules.purple_cards[word]
        while names:
            card = 64 * word + lowest_bit(names)
            names &= names - _ONE
            guild = points_of(public, rules, seat, card, itself)
            # The city has the symbols of the guild while science is counted. A wild symbol is passed as an argument
            # instead: with it in the record, the usual call is 3% slower.
            symbol = rules.symbol[card]
            wild = 1 if symbol == w.ANY else 0
            public.symbols[seat, symbol] += 1 - wild
            public.copy_science[seat] += rules.copy_science[card]
            science = best_science(public, rules, seat, wild)
            public.symbols[seat, symbol] -= 1 - wild
            public.copy_science[seat] -= rules.copy_science[card]
            if guild + science > best:
                best, best_guild, best_science_points = guild + science, guild, science
    if best == _NOTHING:
        scores[seat, w.SCIENCE] += best_science(public, rules, seat, 0)
        return
    # Structures and stages of the city that count purple cards also count the copied guild (R29).
    for word in range(w.CARD_WORDS):
        names = public.built[seat, word] & rules.scoring_cards[word]
        while names:
            card = 64 * word + lowest_bit(names)
            names &= names - _ONE
            scores[seat, rules.category[card]] += _purple_counted(public, rules, seat, card)
    for stage in range(public.stages[seat]):
        scores[seat, w.WONDER] += _purple_counted(
            public, rules, seat, np.int64(rules.stage_entry[public.side[seat], stage])
        )
    for entry in range(rules.deck_entry, rules.last_entry):
        if has_entry(public, rules, seat, entry):
            scores[seat, w.WONDER] += _purple_counted(public, rules, seat, entry)
    scores[seat, w.GUILD] += best_guild
    scores[seat, w.SCIENCE] += best_science_points


@kernel
def score_seat(game, rules, seat):
    """Fill the categories and the total of one city (R22)."""
    public, result = game.public, game.result
    scores = result.points
    for category in range(w.CATEGORY_KINDS):
        scores[seat, category] = public.gained[seat, category]
    military = public.defeats[seat] * rules.defeat_points
    for age in range(w.AGES):
        military += public.victory[seat, age] * rules.victory_points[age]
    scores[seat, w.MILITARY] += military
    scores[seat, w.TREASURY] += public.coins[seat] // rules.coins_per_point - public.debts[seat]
    for stage in range(public.stages[seat]):
        entry = rules.stage_entry[public.side[seat], stage]
        scores[seat, w.WONDER] += points_of(public, rules, seat, entry, 0)
    for entry in range(rules.deck_entry, rules.last_entry):
        if has_entry(public, rules, seat, entry):
            scores[seat, w.WONDER] += points_of(public, rules, seat, entry, 0)
    _structure_points(game, rules, seat)
    if rules.copies:
        _copied_points(game, rules, seat)
    if public.abilities[seat] & w.COPY_GUILD:
        _copy_best_guild(game, rules, seat)
    else:
        scores[seat, w.SCIENCE] += best_science(public, rules, seat, 0)
    total = 0
    for category in range(w.CATEGORY_KINDS):
        total += scores[seat, category]
    result.total[seat] = total


@kernel
def score_game(game, rules):
    """Score every city, then rank the players and share the victory (R24, R42, R48)."""
    result, public = game.result, game.public
    for seat in range(public.seats):
        score_seat(game, rules, seat)
        # Ties (R24) are broken by coins, or by the formulas of a house rule.
        for place in range(rules.ties):
            at = rules.tie_at[place]
            coins = np.int64(game.public.coins[seat])
            game.result.ties[seat, place] = coins if at < 0 else evaluate(game.public, rules, at, seat, seat)
        result.rank[seat] = 0
        result.share[seat] = 0.0
    size = 2 if rules.teams else 1
    sides = rules.players // size
    winners = 0
    for side in range(sides):
        better = 0
        for other in range(sides):
            if _compared(game, rules, size, other, side) > 0 and not _same_as_earlier(game, rules, size, other):
                better += 1
        for seat in range(side * size, side * size + size):
            result.rank[seat] = better + 1
        winners += better == 0
    for seat in range(rules.players):
        if result.rank[seat] == 1:
            result.share[seat] = 1.0 / winners


@kernel
def _compared(game, rules, size, first, second):
    """Return the lead of one player or team over another: in points, or in the first tie-breaker (R24)."""
    result = game.result
    ahead = 0
    for member in range(size):
        ahead += result.total[first * size + member] - result.total[second * size + member]
    for place in range(rules.ties):
        if ahead == 0:
            for member in range(size):
                ahead += result.ties[first * size + member, place] - result.ties[second * size + member, place]
    return ahead


@kernel
def _same_as_earlier(game, rules, size, side):
    """Return whether an earlier player or team has the same standing (so ranks are dense)."""
    for other in range(side):
        if _compared(game, rules, size, other, side) == 0:
            return True
    return False


@kernel
def outcome(game, seat):
    """Return (score, win share) of a seat."""
    return float(game.result.total[seat]), game.result.share[seat]
