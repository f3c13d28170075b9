"""The engine of Tower of Babel: all its compiled code, and nothing else."""
