"""Distributions of noisy rank statistics."""
