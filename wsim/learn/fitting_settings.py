"""The fitting settings of a learning plan. Does not import numpy, because the help of ``wsim learn`` reads plans."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fitting:
    """Settings for training a net on a harvest: number of passes, batch size, learning rate.

    Attributes
    ----------
    rounds: passes through all decisions. size: decisions per step.
    rate: the highest learning rate. decay: weight decay per step, as a fraction of the rate.
    """

    rounds: float = 4.0
    size: int = 512
    rate: float = 2e-3
    decay: float = 1e-4
