"""The sums of many games in one pass: the compiled part of the statistics, and nothing else."""
