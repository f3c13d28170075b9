"""Conflicts at the end of an age (R19-R21, R39, R40)."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.wonders.kernels.layout import LOG_CONFLICT
from wsim.wonders.kernels.log import log_event
from wsim.wonders.kernels.turn import neighbor_left


@kernel
def fight_conflicts(game, rules):
    """Fight the conflicts of an age and log each."""
    fighters = send_envoys(game)
    for place in range(conflicts_of(rules, fighters)):
        if rules.teams:
            team_conflict(game, rules, 2 * place + 1)
        else:
            ring_conflict(game, rules, fighters, place)
        if game.log.recording:
            event = log_event(game, LOG_CONFLICT, game.conflict.fought[0])
            for i in range(6):
                event.values[i] = game.conflict.fought[i]


@kernel
def _fight(game, rules, first, second, tokens):
    """Settle a conflict for ``tokens`` tokens per side; store the shields and token points for the log."""
    public, fought = game.public, game.conflict.fought
    age = public.age
    margin = public.shields[first] - public.shields[second]
    fought[0], fought[1] = first, second
    fought[2], fought[3] = public.shields[first], public.shields[second]
    fought[4], fought[5] = 0, 0
    if margin == 0 or tokens == 0:
        return
    winner, loser = (first, second) if margin > 0 else (second, first)
    public.victory[winner, age] += tokens
    public.defeats[loser] += tokens
    won, lost = (4, 5) if margin > 0 else (5, 4)
    fought[won] = tokens * rules.victory_points[age]
    fought[lost] = tokens * rules.defeat_points


@kernel
def team_conflict(game, rules, first):
    """Fight the conflict between ``first`` and the seat on its left, of another team (R39, R40)."""
    second = neighbor_left(game.public, first)
    tokens = 2 - game.conflict.envoy[first] - game.conflict.envoy[second]
    _fight(game, rules, first, second, tokens)


@kernel
def send_envoys(game):
    """Make every seat with diplomacy tokens discard one (R20, R40); list the fighters and return their number."""
    public, conflict = game.public, game.conflict
    fighters = 0
    for seat in range(public.seats):
        conflict.envoy[seat] = 1 if public.diplomacy[seat] > 0 else 0
        public.diplomacy[seat] -= conflict.envoy[seat]
        if conflict.envoy[seat] == 0:
            conflict.ring[fighters] = seat
            fighters += 1
    return fighters


@kernel
def ring_conflict(game, rules, fighters, place):
    """Fight the conflict between the fighter at an index of the ring and the next one to its left (R19, R20)."""
    ring = game.conflict.ring
    following = place + 1 if place + 1 < fighters else 0
    _fight(game, rules, ring[place], ring[following], 1)


@kernel
def conflicts_of(rules, fighters):
    """Return the number of conflicts of this end of age."""
    if rules.teams:
        return rules.seats // 2
    if fighters < 2:
        return 0
    return 1 if fighters == 2 else fighters
