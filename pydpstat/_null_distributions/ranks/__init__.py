"""Null distributions of noisy rank statistics."""
