"""Games in progress as values: positions can be inspected, stepped, copied, stored and played out."""
