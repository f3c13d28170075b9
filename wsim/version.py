"""The versions of wsim and of its random streams."""

__version__ = "0.3.0"

STREAMS = 2
"""Version of the random streams (``wsim/rng.py``): games of a different version can be read but not replayed."""
