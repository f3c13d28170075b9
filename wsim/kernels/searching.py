"""Search by playouts: the kernels of every game's ``search``, and the record in which they work.

At a decision the moves are ranked by a prior value and the best few become candidates. Then, repeatedly, everything
that the seat cannot know is resampled, a player of a pool is drawn for every rival, and each candidate is played to the
end of the game from these same cards and random streams. A move is dropped as soon as it is clearly worse than the best
one, and half of the moves are dropped after each equal part of the budget (sequential halving: Karnin, Koren, Somekh
2013), so most playouts go to moves that are hard to distinguish. The search stops when one move is left.

``SearchHooks.share`` gives the number of playouts that are worthwhile at a decision, the noise of a playout, and the
error of the prior. The prior counts as noise / error playouts, its Bayesian weight; the expected noise is corrected by
that of the playouts made so far.

The search uses the game record itself: its position is saved, continued in place, and restored. The random numbers are
a function of the decision and of the seat's own stream, which does not advance; so the choice depends only on what the
seat may know, and a game only on its seed.

A user's function can value moves (``wsim.value``): instead of the prior, and instead of the final result if playouts
are truncated after some decisions of the seat. It is the last of the searcher's pool, called by its address.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wsim.jit import call, kernel, nanoseconds, words_of
from wsim.kernels.engine import nothing_forbidden
from wsim.kernels.heads import NOBODY
from wsim.kernels.rivals import (
    KEYS,
    at_no_time,
    draw_player,
    foretelling,
    note_foreseen,
    nothing_foretold,
    nothing_seen,
    weighing,
)
from wsim.rng import below, mix, redrawn_deal_word, seek, uniform

CANDIDATES = 64  # at most
POOL = 32  # players of the pools of a table
WINNING, LEAD = 0.5, 0.03
"""Weights of the utility of a result for a seat: of the win share, and of a point of lead over the best rival."""
NEVER = -1e9  # the prior's value of a move that is not tried
PLAYOUTS, MILLISECONDS, MOST_CANDIDATES, PRIOR, AHEAD, MANNER, INFERRED = range(
    7
)  # places among the parameters of the policy
BY_ERROR = -1.0  # PRIOR: the prior counts as noise / error playouts
FULL, VALUED, LIGHT = 0.0, 1.0, 2.0  # MANNER: at every decision; with a user's values; where a light search pays
OWN_PRIOR = 20.0  # playouts that the values of a user's function count as: their error is unknown
PLAYOUTS_PER_MS = 10.0  # roughly; only ``_clearly`` uses it
_EXPECTED = 8.0  # values of playouts that the expected noise counts as
_HEAD = 3  # words of a choice before its moves, and perhaps the first of them
_STREAM = 15
_HALF = np.uint64(1)  # bits by which a random word becomes a seed, which has a sign
_NANOSECONDS = 1e6  # of a millisecond


def lookahead_of(state: np.dtype[Any], choice: np.dtype[Any], seats: int) -> np.dtype[Any]:
    """Return the record of a search in a game that begins with a state and the choice at hand."""
    assert state.itemsize % 8 == choice.itemsize % 8 == 0
    moves, count = choice["moves"].base, choice["moves"].shape[0]
    state_words, choice_words = state.itemsize // 8, choice.itemsize // 8
    return np.dtype(
        [
            ("rng", "u8"),  # what the rivals are drawn from
            ("seed", "i8"),  # of all random streams of this search
            ("recording", "i8"),  # LOG.recording of the game
            ("ahead", "i8"),  # own decisions after which a playout is valued, 0 never, -1 a user's function failed
            ("valuer", "i8"),  # the place of a user's function that values moves, -1 none
            ("saved", "u8", (state_words + choice_words,)),  # the position and the decision, as they are put back
            ("redrawn", "u8", (state_words + _HEAD,)),  # the position with what is hidden resampled
            ("inferring", "i8"),  # 1: who plays the rivals is weighed by what they were seen to do (rivals.py)
            ("when", "i8"),  # the turn in which all choose at once, 0 none
            ("met", "i8"),  # bits of the seats whose first decision of a playout is counted or need not be
            ("chance", "f8", (seats,)),  # that a net plays it
            ("foreseen", "i4", (seats, 2, KEYS)),  # how often it did what, as a net and as another of the pool
            ("spent", "i8"),  # playouts of this search
            ("player", "i8", (seats,)),  # who plays each seat in the playouts: the place of its settings
            ("values", "f8", (count,)),  # of all moves: what the prior says, in utility
            ("candidate", "i8", (CANDIDATES,)),  # indices of the moves that are left, best first
            ("move", moves, (CANDIDATES,)),  # these moves
            ("prior", "f8", (CANDIDATES,)),  # their values by the prior, minus the best one
            ("total", "f8", (CANDIDATES,)),  # their utilities, added up over the playouts
            ("last", "f8", (CANDIDATES,)),  # in the last playout, minus the mean of the candidates then left
            ("worth", "f8", (CANDIDATES,)),  # what they are estimated to be worth, from the prior and the playouts
        ],
        align=True,
    )


@kernel
def even_share(public, choice, rules, light):
    """Default hook: every decision gets the same number of playouts, and the prior counts as 20 of them at first."""
    return 1.0, 0.05, 0.0025


@kernel
def none_alike(choice, one, other):
    """Default hook: no two moves are equivalent."""
    return False


def utility_of(outcome: Any) -> Any:
    """Return the kernel (game, rules, seat) -> utility of the result for a seat that plays for itself.

    ``outcome``: (game, seat) -> (score, share of the victory).
    """

    @kernel
    def utility(game, rules, seat):
        """Return the utility of the end of a game for a seat: win share and lead over the best rival."""
        best = -1e9
        for other in range(rules.seats):
            if other != seat:
                best = max(best, outcome(game, other)[0])
        score, share = outcome(game, seat)
        return WINNING * share + LEAD * (score - best)

    return utility


@dataclass(frozen=True)
class SearchHooks:
    """What only the game knows: kernels.

    Attributes
    ----------
    state, choice: dtypes of the position and of the decision at hand, which a game begins with.
    values: (game, rules, settings, seat) -> fills ``game.lookahead.values`` for each legal move of the seat, in
        utility, NEVER where it is not to be tried; it may draw from ``game.lookahead.rng``.
    moment: (public, choice) -> a number that tells this decision from the others of the seat in the game.
    redraw: (game, rules, seed, number, seat) -> resamples all that the seat cannot know.
    take: (game, rules, move) -> makes a move.
    next_decision, restrict: as in ``wsim.kernels.engine``.
    utility: (game, rules, seat) -> what the end is worth to the seat (``utility_of``).
    parameters: of a policy; rivals play with none.
    share: (public, choice, rules, light) -> the largest number of playouts at this decision, as a multiple of the
        parameter (0: the prior decides); the variance of the utility of a playout, without what is common to all moves;
        and the variance of the error of the prior's values. ``light``: for a search that thinks at few decisions.
    alike: (choice, one, other) -> whether two moves do the same thing and differ in how it is paid.
    at_once: (game, rules) -> a number of the turn, if its decision is one that all make at once, else 0.
    foretold: (game, rules, move) -> what the table will see of a move of such a decision, below KEYS; else -1.
    seen: (game, rules, seat, when) -> what it saw of a seat in that turn, -1 if nothing.
    """

    state: np.dtype[Any]
    choice: np.dtype[Any]
    values: Any
    moment: Any
    redraw: Any
    take: Any
    next_decision: Any
    utility: Any
    parameters: int
    restrict: Any = nothing_forbidden
    share: Any = even_share
    alike: Any = none_alike
    at_once: Any = at_no_time
    foretold: Any = nothing_foretold
    seen: Any = nothing_seen


# --- candidates


@kernel
def _swap(lookahead, one, other):
    """Swap two candidates."""
    candidate, move, worth = lookahead.candidate, lookahead.move, lookahead.worth
    prior, total, last = lookahead.prior, lookahead.total, lookahead.last
    candidate[one], candidate[other] = candidate[other], candidate[one]
    move[one], move[other] = move[other], move[one]
    worth[one], worth[other] = worth[other], worth[one]
    prior[one], prior[other] = prior[other], prior[one]
    total[one], total[other] = total[other], total[one]
    last[one], last[other] = last[other], last[one]


@kernel
def _sort(lookahead, count):
    """Sort candidates by value, best first; the sort is stable."""
    for last in range(1, count):
        place = last
        while place > 0 and lookahead.worth[place] > lookahead.worth[place - 1]:
            _swap(lookahead, place, place - 1)
            place -= 1


@kernel
def _enter(lookahead, choice, index, count, most):
    """Insert a move into the best ``most`` candidates so far; return their number."""
    worth = lookahead.values[index]
    if worth == NEVER:
        return count
    if count == most:
        if worth <= lookahead.worth[count - 1]:
            return count
        count -= 1
    lookahead.candidate[count], lookahead.move[count], lookahead.worth[count] = index, choice.moves[index], worth
    _sort(lookahead, count + 1)
    return count + 1


@kernel
def _set_prior(lookahead, count):
    """Store the prior's values of the candidates as differences from the best one; nothing is played out yet."""
    best = lookahead.worth[0]
    for place in range(count):
        lookahead.worth[place] -= best
        lookahead.prior[place] = lookahead.worth[place]
        lookahead.total[place] = lookahead.last[place] = 0.0


@kernel
def _ask_valuer(game, rules, line_up, seat):
    """Let a user's function fill the value of each legal move; return whether it succeeded."""
    lookahead = game.lookahead
    if call(line_up[lookahead.valuer], game.public, game.own[seat], game.choice, rules, lookahead) < 0:
        lookahead.ahead = -1
        return False
    return True


def _choosing(hooks: SearchHooks) -> Any:
    """Return the kernel that makes the best moves candidates, one per group of similar moves."""
    fill_values, alike = hooks.values, hooks.alike

    @kernel
    def choose_candidates(game, rules, settings, line_up, seat, most):
        """Choose the candidates by the prior's value; return how many there are, 0 if a user's function failed."""
        lookahead, choice = game.lookahead, game.choice
        if lookahead.valuer < 0:
            fill_values(game, rules, settings, seat)
        elif not _ask_valuer(game, rules, line_up, seat):
            return np.int64(0)
        count, best = np.int64(0), np.int64(0)
        for index in range(1, choice.count):
            if not alike(choice, index - 1, index):
                count = _enter(lookahead, choice, best, count, most)
                best = np.int64(index)
            elif lookahead.values[index] > lookahead.values[best]:
                best = np.int64(index)
        count = _enter(lookahead, choice, best, count, most)
        if count == 0:  # of moves that are not to be tried the first
            lookahead.values[0] = 0.0
            count = _enter(lookahead, choice, 0, count, most)
        _set_prior(lookahead, count)
        return count

    return choose_candidates


# --- playouts


@kernel
def _copy(source, target, count):
    """Copy words."""
    for word in range(count):
        target[word] = source[word]


@kernel
def _seat_players(game, rules, seating, line_up, seat, parameters):
    """Let the first member of the pool play the seat, and other members the rivals, each with its own parameters."""
    lookahead, entry = game.lookahead, game.own[seat].entrant
    first, rivals = seating.pool_at[entry], seating.pool_size[entry] - 1
    if lookahead.valuer >= 0:
        rivals -= 1  # the last of the pool
    for one in range(rules.seats):
        if one == seat:
            lookahead.player[one] = first
        elif lookahead.inferring:
            net = uniform(lookahead) < lookahead.chance[one]
            lookahead.player[one] = draw_player(lookahead, line_up, first, rivals, net)
        else:
            lookahead.player[one] = first + 1 + below(lookahead, rivals)
        for place in range(parameters):
            game.own[one].parameters[place] = seating.parameters[lookahead.player[one], place]


@kernel
def _rounds(candidates):
    """Return how often the candidates can be halved until one is left."""
    rounds = 0
    while (1 << rounds) < candidates:
        rounds += 1
    return rounds


def _playing_on(hooks: SearchHooks) -> Any:
    """Return the kernel that plays to the end with the playout policies of a search."""
    next_decision, take, restrict = hooks.next_decision, hooks.take, hooks.restrict
    foretell = foretelling(hooks.foretold)

    @kernel
    def play_on(game, rules, seating, line_up, seat):
        """Continue the game with ``game.lookahead.player``; bans of the plan stay in force. Return whether it ended."""
        choice, ahead = game.choice, game.lookahead.ahead
        while True:
            decider = next_decision(game, rules, 0)
            if decider == NOBODY:
                return True
            restrict(game, rules, seating)
            index = 0
            if choice.count > 1:
                if decider == seat and ahead != 0:
                    ahead -= 1
                    if ahead <= 0:
                        return False
                player = game.lookahead.player[decider]
                settings = seating.settings[seating.settings_at[player]]
                index = call(line_up[player], game.public, game.own[decider], choice, rules, settings)
            if decider != seat and game.lookahead.met >> decider & 1 == 0:
                entry = game.own[seat].entrant
                foretell(
                    game, rules, seating, line_up, seating.pool_at[entry], seating.pool_size[entry] - 1, decider, index
                )
            take(game, rules, choice.moves[index])

    return play_on


@kernel
def _add_up(lookahead, left):
    """Add the values of a playout to the totals; return the sum of squares of their changes since the playout before,
    without what is common to all candidates."""
    mean = change = squares = 0.0
    for place in range(left):
        mean += lookahead.worth[place] / left
        change += lookahead.last[place] / left
    for place in range(left):
        value = lookahead.worth[place]
        lookahead.total[place] += value
        squares += (value - mean - (lookahead.last[place] - change)) ** 2
        lookahead.last[place] = value - mean
    return squares


def _comparing(hooks: SearchHooks) -> Any:
    """Return the kernel that plays one game to its end for each candidate."""
    redraw, take, play_on, utility = hooks.redraw, hooks.take, _playing_on(hooks), hooks.utility

    @kernel
    def worth_of(game, rules, line_up, seat, ended):
        """Return the value of a playout: that of its end or, if it was truncated, of the best move according to a
        user's function."""
        if ended:
            return utility(game, rules, seat)
        best = 0.0
        if game.lookahead.ahead > 0 and _ask_valuer(game, rules, line_up, seat):
            best = game.lookahead.values[0]
            for index in range(1, game.choice.count):
                best = max(best, game.lookahead.values[index])
        return best

    redrawn_words, parameters = hooks.state.itemsize // 8 + _HEAD, hooks.parameters

    @kernel
    def compare(game, words, rules, seating, line_up, seat, number, left):
        """Resample hidden information, play out each candidate move, and add up the values; return the sum of squares
        of their changes since the playout before."""
        lookahead = game.lookahead
        _copy(lookahead.saved, words, redrawn_words)
        redraw(game, rules, lookahead.seed, number, seat)
        _seat_players(game, rules, seating, line_up, seat, parameters)
        _copy(words, lookahead.redrawn, redrawn_words)
        lookahead.met = 0 if lookahead.when > 0 else -1
        for place in range(left):
            if place > 0:
                lookahead.met = -1  # they do the same whatever the candidate: they do not see it
                _copy(lookahead.redrawn, words, redrawn_words)
            take(game, rules, lookahead.move[place])
            ended = play_on(game, rules, seating, line_up, seat)
            lookahead.worth[place] = worth_of(game, rules, line_up, seat, ended)
        return _add_up(lookahead, left)

    return compare


# --- the search


@kernel
def _estimate(lookahead, left, number, weight):
    """Estimate the candidates' values after some playouts, counting the prior as ``weight`` playouts; sort them."""
    for place in range(left):
        lookahead.worth[place] = (weight * lookahead.prior[place] + lookahead.total[place]) / (weight + number)
    _sort(lookahead, left)


@kernel
def _clearly(playouts):
    """Return by how many standard errors a clearly worse move is behind the best one: 1 up to 20 playouts per decision,
    2.3 at 1,000. A small budget gains more by concentrating on few moves than it loses by dropping the best one."""
    return max(1.0, np.log(playouts) / 3.0)


@kernel
def _not_clearly_worse(lookahead, left, errors, variance):
    """Return how many candidates are within some standard errors of the best one; ``variance``: of the estimate of
    each."""
    least = lookahead.worth[0] - errors * np.sqrt(2.0 * variance)
    while left > 1 and lookahead.worth[left - 1] < least:
        left -= 1
    return left


@kernel
def _set_streams(lookahead, own, moment):
    """Set the random streams of a search, a function of the seat's own stream and of the decision."""
    lookahead.seed = np.int64(mix(own.rng ^ mix(np.uint64(moment))) >> _HALF)
    seek(lookahead, redrawn_deal_word(lookahead.seed, 0), _STREAM)


def _thinking(hooks: SearchHooks) -> Any:
    """Return the kernel that plays out the candidates until the budget is spent or one is left."""
    compare, share = _comparing(hooks), hooks.share

    @kernel
    def think(game, words, rules, seating, line_up, seat, left):
        """Sort candidates so that the best one is first; count the playouts in ``game.lookahead.spent``."""
        lookahead, own = game.lookahead, game.own[seat]
        part, noise, error = share(game.public, game.choice, rules, own.parameters[MANNER] == LIGHT)
        prior, milliseconds = own.parameters[PRIOR], own.parameters[MILLISECONDS]
        playouts = own.parameters[PLAYOUTS] if milliseconds == 0.0 else PLAYOUTS_PER_MS * milliseconds
        if lookahead.valuer >= 0:
            part, prior = 1.0, OWN_PRIOR if prior < 0.0 else prior
        weight = noise / error if prior < 0.0 else prior
        errors, limit, until = _clearly(playouts), part * playouts, _NANOSECONDS * milliseconds
        if weight > 0.0:
            left = _not_clearly_worse(lookahead, left, errors, noise / weight)
        if until == 0.0 or part == 0.0:
            left = min(left, max(np.int64(limit / 2.0), 1))  # a move that is tried at all is played out twice
        rounds, stage, half = _rounds(left), 0, (left + 1) // 2
        number, used, expected, squares, values = 0, 0, noise, 0.0, 0.0
        start = nanoseconds() if until > 0.0 else 0
        while left > 1:
            changed = compare(game, words, rules, seating, line_up, seat, number, left)
            if number > 0:
                squares, values = squares + changed / 2.0, values + left - 1
            number, used = number + 1, used + left
            noise = (_EXPECTED * expected + squares) / (_EXPECTED + values)
            if prior < 0.0:
                weight = noise / error
            _estimate(lookahead, left, number, weight)
            done = used / limit if until == 0.0 else (nanoseconds() - start) / until
            left = _not_clearly_worse(lookahead, left, errors, noise / (weight + number))
            if done * rounds >= stage + 1:
                stage = np.int64(done * rounds)
                left, half = min(left, half), (min(left, half) + 1) // 2
            if done >= 1.0 or (until == 0.0 and used + left > limit):
                break
        lookahead.spent = used

    return think


def searching(hooks: SearchHooks) -> Any:
    """Return the kernel (game, rules, seating, line_up, seat) -> index of a game: its policy ``search``."""
    choose_candidates, think, moment_of = _choosing(hooks), _thinking(hooks), hooks.moment
    all_words = (hooks.state.itemsize + hooks.choice.itemsize) // 8
    weigh, infers = weighing(hooks.seen, hooks.at_once), hooks.at_once is not at_no_time

    @kernel
    def search(game, rules, seating, line_up, seat):
        """Return the index of the move that did best in playouts, of the few that the prior values most."""
        lookahead, own = game.lookahead, game.own[seat]
        most = np.int64(own.parameters[MOST_CANDIDATES])
        lookahead.ahead, lookahead.valuer = np.int64(own.parameters[AHEAD]), -1
        if own.parameters[MANNER] == VALUED:
            lookahead.valuer = seating.pool_at[own.entrant] + seating.pool_size[own.entrant] - 1
        _set_streams(lookahead, own, moment_of(game.public, game.choice))
        lookahead.inferring, lookahead.when = 0, 0
        if infers and own.parameters[INFERRED] > 0.0:
            weigh(game, rules, line_up, seat, seating.pool_at[own.entrant], seating.pool_size[own.entrant] - 1)
        settings = seating.settings[seating.settings_at[own.entrant]]
        left, lookahead.spent = choose_candidates(game, rules, settings, line_up, seat, most), 0
        if left < 2:
            return lookahead.candidate[0] if left else -1
        words = words_of(game, all_words)
        _copy(words, lookahead.saved, all_words)
        lookahead.recording, game.log.recording = game.log.recording, 0
        think(game, words, rules, seating, line_up, seat, left)
        _copy(lookahead.saved, words, all_words)
        game.log.recording = lookahead.recording
        if lookahead.when > 0:
            note_foreseen(game, rules, seat)
        return lookahead.candidate[0] if lookahead.ahead >= 0 else -1

    return search
