"""Distributions of noisy statistics, p-values and confidence intervals, from released numbers only."""
