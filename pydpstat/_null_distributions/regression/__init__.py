"""Distributions of the scores of a linear regression."""
