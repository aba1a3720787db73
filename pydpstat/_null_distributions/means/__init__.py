"""Distributions of statistics of noisy means."""
