"""Questions about a game: each is a package; what they share is here."""
