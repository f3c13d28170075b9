"""The version of wsim."""

__version__ = "0.2.0"
