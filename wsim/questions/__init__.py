"""Questions about a game: one package per question, and the modules that they share."""
