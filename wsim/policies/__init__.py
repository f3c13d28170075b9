"""Policies of any game: line-ups, parameters, and users' own policies."""
