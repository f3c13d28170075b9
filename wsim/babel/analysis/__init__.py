"""What only Tower of Babel can be asked."""
