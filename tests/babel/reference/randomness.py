"""SplitMix64 as a counter, with Python's own integers."""

from __future__ import annotations

from hashlib import blake2b
from struct import unpack

WORD = (1 << 64) - 1
SEATS_FROM = 4
GAMMA = 0x9E3779B97F4A7C15


def scramble(word: int) -> int:
    """Return the finaliser of SplitMix64."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return word ^ (word >> 31)


class Stream:
    """One of the streams of a game: 0 to 3 of the table, ``SEATS_FROM`` and more of the seats."""

    def __init__(self, seed: int, game: int, number: int) -> None:
        secret = unpack("<4Q", blake2b(seed.to_bytes(8, "little"), digest_size=32, person=b"wsim-streams").digest())
        if number >= SEATS_FROM:
            (first, second), number, game = secret[2:], 0, game * 16 + number - SEATS_FROM
        else:
            first, second = secret[:2]
        word = scramble(scramble((game * GAMMA + first) & WORD) ^ second) + first
        self.state = (word + (number << 16) * GAMMA) & WORD

    def below(self, bound: int) -> int:
        """Draw an integer in 0..bound-1."""
        self.state = (self.state + GAMMA) & WORD
        return ((scramble(self.state) >> 32) * bound) >> 32
