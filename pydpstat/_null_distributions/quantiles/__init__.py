"""Confidence intervals of quantiles, and distributions of noisy numbers of blocks."""
