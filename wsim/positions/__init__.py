"""Games in progress as values: a position can be asked, stepped, copied, kept and played on from."""
