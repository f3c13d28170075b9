"""How a net is fitted, as learning plans say it; without numpy, since the help of ``wsim learn`` reads plans."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fitting:
    """How long and how fast is learned from a harvest.

    Attributes
    ----------
    rounds: how often every decision is gone through. size: decisions of a step.
    rate: the highest learning rate. decay: of the weights, at each step, as a part of the rate.
    """

    rounds: float = 4.0
    size: int = 512
    rate: float = 2e-3
    decay: float = 1e-4
