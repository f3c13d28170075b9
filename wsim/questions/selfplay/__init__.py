"""Self-play: each policy plays all seats, on the same deals; `skill` and `robustness` are built on it."""
