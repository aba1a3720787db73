"""Rank tests and Kolmogorov-Smirnov tests."""
