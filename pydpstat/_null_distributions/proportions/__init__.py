"""Distributions of noisy counts, and confidence intervals of proportions."""
