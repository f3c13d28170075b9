"""Read card files for any game: parse TOML, validate values, and apply layers of patches and single changes."""
