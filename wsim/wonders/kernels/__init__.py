"""The engine of 7 Wonders: all and only what numba compiles."""
