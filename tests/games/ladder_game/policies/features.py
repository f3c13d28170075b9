"""What the weights are for."""

FEATURES = {"step": "a card that is skipped", "waste": "a card that is no rung"}
