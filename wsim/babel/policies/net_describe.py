"""The kernel that writes the inputs of the policy ``net``; a separate module, so that playing does not compile it."""

from __future__ import annotations

from wsim.babel.kernels.layout import TYPES
from wsim.babel.kernels.net_layout import MOVE, STATE
from wsim.babel.policies.net import NET
from wsim.kernels.net_layers import describing

describe = describing(NET, TYPES, STATE, MOVE)
