"""Plans, batches and run folders. Nothing in this package depends on a specific game (see ``wsim.game``)."""
