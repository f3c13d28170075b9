"""The meaning of the weights."""

FEATURES = {"step": "a card that is skipped", "waste": "a card that is no rung"}
