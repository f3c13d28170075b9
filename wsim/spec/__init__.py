"""Card files of any game: reading TOML, values with every mistake named, layers and single changes."""
