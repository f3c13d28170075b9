"""Questions about a game: one package each; shared parts are here."""
