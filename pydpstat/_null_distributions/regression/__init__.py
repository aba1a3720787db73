"""Null distributions of the scores of a linear regression."""
