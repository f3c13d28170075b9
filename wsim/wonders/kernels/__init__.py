"""The engine of 7 Wonders: all its compiled code, and nothing else."""
