"""Counter-based random streams (SplitMix64): any game can be replayed alone, on any thread, in any order.

Four secret words follow from the seed by BLAKE2b (``keys_of``): two for deals, two for seats. A game has one word for
all that is dealt, ``word_of(keys, game)``, and a word for the policy of each seat, ``word_of(keys, game * 16 + seat)``
with the other two. Stream ``s`` of a word starts at the state

    word + (s << 16) * GAMMA        (64-bit, wrapping)

and draw k (from 1) is ``mix(state + k * GAMMA)``. Streams 0-2 deal the three ages, 3 sets the table up. The deal of a
game is the same for every line-up, which makes comparisons paired (common random numbers). A policy sees the word of
its own seat only. ``mix`` can be inverted, so a word is the sum of a secret word and a mixed one: neither the other
words of a game nor those of other games follow from it. This is no cipher: it withstands arithmetic, not 2**64 trials,
and whoever can guess the seed knows everything. Source: Steele, Lea, Flood 2014 (SplitMix64); the two rounds with
secret words are the construction of Even and Mansour (1997).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from wsim.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

STREAMS = 16
KEYS = 4
SETUP_STREAM = 3

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32, _S11 = (np.uint64(shift) for shift in (30, 27, 31, 32, 11))
_DRAW_BITS = np.uint64(16)
_REDRAWN_DEALS, _REDRAWN_SEATS = np.uint64(0x6465616C73207265), np.uint64(0x7365617473207265)


def keys_of(seed: int) -> NDArray[np.uint64]:
    """Return the secret words of a seed (64 bits), shape (KEYS,): two for deals, two for seats."""
    digest = hashlib.blake2b((seed % 2**64).to_bytes(8, "little"), digest_size=8 * KEYS, person=b"wsim-streams")
    return np.frombuffer(digest.digest(), "<u8").astype(np.uint64)


@kernel
def mix(word):
    """Scramble 64 bits (the finaliser of SplitMix64)."""
    word = (word ^ (word >> _S30)) * _M1
    word = (word ^ (word >> _S27)) * _M2
    return word ^ (word >> _S31)


@kernel
def _word(first, second, number):
    return mix(mix(np.uint64(number) * GAMMA + first) ^ second) + first


@kernel
def deal_word(seating, number):
    """Return the word of all that is dealt in game ``number``."""
    return _word(seating.keys[0], seating.keys[1], number)


@kernel
def seat_word(seating, number, seat):
    """Return the word of a seat's policy in game ``number``."""
    return _word(seating.keys[2], seating.keys[3], number * STREAMS + seat)


@kernel
def redrawn_deal_word(seed, number):
    """Return the word of all that is dealt in redrawn game ``number`` of a seed; the words of true games differ."""
    return _word(np.uint64(seed), _REDRAWN_DEALS, number)


@kernel
def redrawn_seat_word(seed, number, seat):
    """Return the word of a seat's policy in redrawn game ``number`` of a seed."""
    return _word(np.uint64(seed), _REDRAWN_SEATS, number * STREAMS + seat)


@kernel
def seek(holder, word, stream):
    """Put ``holder.rng`` at draw 0 of a stream of a word."""
    holder.rng = word + (np.uint64(stream) << _DRAW_BITS) * GAMMA


@kernel
def below(holder, bound):
    """Draw an integer in 0..bound-1 (bound < 2**32) from ``holder.rng``."""
    holder.rng += GAMMA
    return np.int64(((mix(holder.rng) >> _S32) * np.uint64(bound)) >> _S32)


@kernel
def uniform(holder):
    """Draw a float in [0, 1) from ``holder.rng``."""
    holder.rng += GAMMA
    return np.float64(mix(holder.rng) >> _S11) * (1.0 / 9007199254740992.0)
