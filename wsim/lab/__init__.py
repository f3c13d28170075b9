"""The laboratory: plans, batches, run folders. Nothing in here knows which game is played (see ``wsim.game``)."""
