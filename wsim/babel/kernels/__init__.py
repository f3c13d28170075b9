"""The engine of Tower of Babel: all and only what numba compiles."""
