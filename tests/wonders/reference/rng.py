"""Counter-based random streams (SplitMix64) on plain Python integers."""

from __future__ import annotations

SETUP_STREAM = 3
SEAT_STREAM = 4

WORD = 2**64
GAMMA = 0x9E3779B97F4A7C15


def mix(word: int) -> int:
    """Scramble a 64-bit word (the finaliser of SplitMix64)."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) % WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) % WORD
    return word ^ (word >> 31)


class Stream:
    """Stream ``stream`` (0-15) of game ``game`` of a seed: the same draws whatever was drawn elsewhere."""

    def __init__(self, seed: int, game: int, stream: int) -> None:
        number = game * 16 + stream
        self.state = (mix(seed % WORD) + number * 2**16 * GAMMA) % WORD

    def below(self, bound: int) -> int:
        """An integer from 0 to bound - 1."""
        self.state = (self.state + GAMMA) % WORD
        return ((mix(self.state) >> 32) * bound) >> 32
