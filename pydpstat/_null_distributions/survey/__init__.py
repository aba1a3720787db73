"""Distributions of weighted sums of records."""
