"""Counter-based random streams (SplitMix64) on plain Python integers."""

from __future__ import annotations

from hashlib import blake2b
from struct import unpack

SETUP_STREAM = 3
SEAT_STREAM = 4
DECK_STREAM = 11
LATER_STREAM = 15
AFTER_STREAM = 18
DRAW_STREAM = 64

WORD = 2**64
GAMMA = 0x9E3779B97F4A7C15


def mix(word: int) -> int:
    """Scramble a 64-bit word (the finaliser of SplitMix64)."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) % WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) % WORD
    return word ^ (word >> 31)


def word_of(first: int, second: int, number: int) -> int:
    """Scramble a word in two rounds, each with a secret word."""
    return (mix(mix((number * GAMMA + first) % WORD) ^ second) + first) % WORD


class Stream:
    """A random stream of a game: one of the table's streams (0-3, 11), or that of seat ``stream - SEAT_STREAM``."""

    def __init__(self, seed: int, game: int, stream: int) -> None:
        secret = unpack("<4Q", blake2b(seed.to_bytes(8, "little"), digest_size=32, person=b"wsim-streams").digest())
        further = (DECK_STREAM, *range(LATER_STREAM + 1, AFTER_STREAM + 3))
        if stream < SEAT_STREAM or stream in further or stream >= DRAW_STREAM:
            word = word_of(secret[0], secret[1], game)
        else:
            word, stream = word_of(secret[2], secret[3], game * 16 + stream - SEAT_STREAM), 0
        self.state = (word + stream * 2**16 * GAMMA) % WORD

    def below(self, bound: int) -> int:
        """Draw an integer from 0 to bound - 1."""
        self.state = (self.state + GAMMA) % WORD
        return ((mix(self.state) >> 32) * bound) >> 32
