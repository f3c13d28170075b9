"""Kernel factories: the common parts of all compiled games, built from the kernels of each game."""
