"""SplitMix64 as a counter, with Python's own integers."""

from __future__ import annotations

WORD = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15


def scramble(word: int) -> int:
    """Return the finaliser of SplitMix64."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return word ^ (word >> 31)


class Stream:
    """One of the 16 streams of a game."""

    def __init__(self, seed: int, game: int, number: int) -> None:
        self.state = (scramble(seed & WORD) + ((game * 16 + number) << 16) * GAMMA) & WORD

    def below(self, bound: int) -> int:
        """Draw an integer in 0..bound-1."""
        self.state = (self.state + GAMMA) & WORD
        return ((scramble(self.state) >> 32) * bound) >> 32
