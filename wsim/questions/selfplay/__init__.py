"""Self-play: each policy plays all seats, on the same deals; the basis of `skill` and `robustness`."""
