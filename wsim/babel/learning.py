"""Settings of Tower of Babel for ``wsim learn`` (``wsim.learn.learner``)."""

from __future__ import annotations

from pathlib import Path

from wsim.babel.kernels.layout import MOVES
from wsim.babel.kernels.net_layout import MOVE, STATE
from wsim.babel.policies.net_describe import describe
from wsim.babel.registry import POLICIES
from wsim.learn.learner import Learner

LEARNER = Learner(
    policies=POLICIES,
    describe=describe,
    candidates=MOVES,
    state=STATE,
    move=MOVE,
    plan=Path(__file__).with_name("learning.toml"),
    decisions_of_game=165.0,  # for any number of players: with more players there are fewer turns
    inputs={"of_number": 40, "of_move": 20},
    weights="tuned",  # the strongest set: its value of a move is an input
)
