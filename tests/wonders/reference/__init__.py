"""The slow reference twin of the 7 Wonders engine: every rule set in plain, obvious Python.

It shares no code with ``wsim``, reads the card facts from ``tests/data`` and follows the same determinism protocol, so
that a game of the engine and the same game played here can be compared decision by decision.
"""
