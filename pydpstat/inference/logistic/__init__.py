"""Logistic regression, by noisy sums or by noisy cells."""
