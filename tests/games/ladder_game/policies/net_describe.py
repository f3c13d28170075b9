"""The entry point that writes what the net sees."""

from wsim.kernels.net_layers import describing

from ..kernels.layout import SIZES, TYPES
from .net import NET

describe = describing(NET, TYPES, SIZES.state(), SIZES.move())
