"""Tests of positions: games in progress."""
