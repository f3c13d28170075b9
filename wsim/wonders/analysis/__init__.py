"""What only 7 Wonders can be asked."""
