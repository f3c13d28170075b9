"""A slow, literal Tower of Babel: the rules as sentences, no code shared with wsim.

It plays the same games and writes the same traces from the same random numbers, so the two can be compared move by
move.
"""
