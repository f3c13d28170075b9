"""The interface of the ladder game that wsim learn needs."""

from __future__ import annotations

from pathlib import Path

from wsim.learn.learner import Learner

from .kernels.layout import HAND, SIZES
from .policies.net_describe import describe
from .registry import POLICIES

LEARNER = Learner(
    policies=POLICIES,
    describe=describe,
    candidates=HAND,
    state=SIZES.state(),
    move=SIZES.move(),
    plan=Path(__file__).with_name("learning.toml"),
    decisions_of_seat=HAND,
)
