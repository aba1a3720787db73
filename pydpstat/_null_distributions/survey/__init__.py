"""Null distributions of weighted sums of records."""
