"""Analyses of Tower of Babel: results of seats that won wonders and rows, own discs, or drew action cards."""

from wsim.babel.analysis.owners import action_cards, disc_pairs, discs, value_rows, wonders

__all__ = ["action_cards", "disc_pairs", "discs", "value_rows", "wonders"]
