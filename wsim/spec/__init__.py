"""Read the card files of any game: TOML, values (reporting every mistake), layers of patches, and single changes."""
