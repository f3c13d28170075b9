"""7 Wonders: every rule set."""
