"""Plans, batches and run folders. This package is independent of the game that is played (see ``wsim.game``)."""
