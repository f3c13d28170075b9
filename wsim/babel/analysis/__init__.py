"""What only Tower of Babel can be asked: how those did who won wonders and rows, own discs, drew action cards."""

from wsim.babel.analysis.owners import action_cards, disc_pairs, discs, value_rows, wonders

__all__ = ["action_cards", "disc_pairs", "discs", "value_rows", "wonders"]
