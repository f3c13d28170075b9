"""Factories of kernels: what every compiled game has alike, made of the kernels that only the game knows."""
