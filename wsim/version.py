"""The version of wsim."""

__version__ = "0.3.0"
