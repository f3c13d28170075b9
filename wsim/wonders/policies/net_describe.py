"""The entry point that writes the inputs of ``net``; a separate module, so that playing does not compile it."""

from __future__ import annotations

from wsim.kernels.net_layers import describing
from wsim.wonders.kernels.layout import TYPES
from wsim.wonders.kernels.net_layout import MOVE, STATE
from wsim.wonders.policies.net import NET

describe = describing(NET, TYPES, STATE, MOVE)
