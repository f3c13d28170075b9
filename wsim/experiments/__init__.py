"""Causal comparisons on common deals: changed rules, restricted seats, randomised picks."""
