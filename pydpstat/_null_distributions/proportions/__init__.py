"""Distributions of noisy counts, and intervals of proportions."""
