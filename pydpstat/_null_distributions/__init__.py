"""Distributions of noisy statistics, p-values and intervals: numbers in, numbers out, nothing private."""
