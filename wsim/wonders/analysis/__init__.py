"""Analyses specific to 7 Wonders: tables of boards, cards and picks, and a comparison with human results.

Tables of a run: wonders, cards, card_pairs, card_chains, strengths and variance_shares of boards, calibrate (against
human players). ``with_neighbours`` adds the neighbours' boards to a seats table. Tables of picks: card_picks,
card_readings (win share when seen, taken, sold or buried) and pick_effects (causal effects).
"""

from wsim.wonders.analysis.boards import strengths, variance_shares, with_neighbours, wonders
from wsim.wonders.analysis.calibration import calibrate, human_figures
from wsim.wonders.analysis.card_picks import card_picks
from wsim.wonders.analysis.cards import card_chains, card_pairs, cards
from wsim.wonders.analysis.propensity import pick_effects
from wsim.wonders.analysis.readings import card_readings

__all__ = [
    "calibrate", "card_chains", "card_pairs", "card_picks", "card_readings", "cards", "human_figures", "pick_effects",
    "strengths", "variance_shares", "with_neighbours", "wonders",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
