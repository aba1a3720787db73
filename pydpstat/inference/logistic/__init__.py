"""Logistic regression from noisy sums or from noisy cell counts."""
