"""The version of wsim, and that of its random streams."""

__version__ = "0.3.0"

STREAMS = 2
"""Version of the random streams (``wsim/rng.py``): games of another version can be read but not played again."""
