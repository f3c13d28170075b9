"""Line-ups of 7 Wonders, prepared from strings."""

from __future__ import annotations

from collections.abc import Sequence

from wsim.policies import registry
from wsim.policies.lineup import parse_lineup
from wsim.policies.registry import LineUp
from wsim.wonders.registry import POLICIES

WEIGHTS = POLICIES.interface().weights


def resolve(entries: Sequence[str], players: int) -> LineUp:
    """Return a prepared line-up."""
    return registry.resolve(parse_lineup(entries), players, POLICIES)
