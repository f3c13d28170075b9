"""What is the same of every game whose net learns: which net a name means, and writing one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from wsim.policies.nets import LearnedNet

if TYPE_CHECKING:
    from wsim.policies.registry import PolicySet

__all__ = ["NetLearner"]

_Net = TypeVar("_Net", bound=LearnedNet)


class NetLearner(Generic[_Net]):
    """Reads and writes the nets of a game, and plays them: a part of its ``wsim.learn.learner.Learner``."""

    policy = "net"

    def __init__(self, policy_set: PolicySet) -> None:
        self._policy_set = policy_set

    def load(self, file: str) -> _Net:
        """Return the net of a file, the one that comes with wsim for an empty name."""
        nets = self._policy_set.interface().nets
        assert nets is not None
        return nets.read(file) if file else nets.shipped  # type: ignore[no-any-return]

    def save(self, net: _Net, path: Path, about: Mapping[str, Any]) -> None:
        """Write a net."""
        replace(net, about=about).save(path)
