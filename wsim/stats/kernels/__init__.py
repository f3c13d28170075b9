"""The sums of many games in one pass: all and only what numba compiles of the statistics."""
