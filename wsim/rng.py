"""Counter-based random streams (SplitMix64): any game can be replayed alone, on any thread, in any order.

A stream is the pair (game number, stream number) of one seed. Its state before the first draw is

    mix(seed) + ((game * 16 + stream) << 16) * GAMMA        (64-bit, wrapping)

and draw k (from 1) is ``mix(state + k * GAMMA)``, so streams hold 2**16 draws and never overlap. Streams 0-2 deal the
three ages, 3 sets the table up, ``SEAT_STREAM + seat`` belongs to the policy of that seat: the deal of a game is the
same for every line-up, which is what makes comparisons paired (common random numbers). Source: Steele, Lea, Flood 2014.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel

STREAMS = 16
SETUP_STREAM = 3
SEAT_STREAM = 4

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32, _S11 = (np.uint64(shift) for shift in (30, 27, 31, 32, 11))
_STREAM_BITS, _DRAW_BITS = np.uint64(4), np.uint64(16)


@kernel
def mix(word):
    """Scramble 64 bits (the finaliser of SplitMix64)."""
    word = (word ^ (word >> _S30)) * _M1
    word = (word ^ (word >> _S27)) * _M2
    return word ^ (word >> _S31)


@kernel
def seek(holder, seed, game, stream):
    """Put ``holder.rng`` at draw 0 of a stream."""
    number = (np.uint64(game) << _STREAM_BITS) + np.uint64(stream)
    holder.rng = mix(np.uint64(seed)) + (number << _DRAW_BITS) * GAMMA


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
